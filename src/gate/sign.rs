//! The signature of code that has passed the gate.
//!
//! HMAC-SHA256 over the session, the crash and the code, each after its length, so that no two
//! different triples have the same message:
//!
//! ```text
//! "healc submission 1\n"
//! then for session, crash, code: length in bytes as 8 bytes, big end first, and the bytes
//! ```
//!
//! Session and crash are UTF-8. What is signed are the bytes that are executed: whoever changes
//! them in between (`dedent`, line ends) breaks the signature, on purpose.
//! The runtime's verifier is in `_heal.py`.

use std::fmt::Write as _;

use hmac::{Hmac, Mac};
use sha2::Sha256;

const DOMAIN: &[u8] = b"healc submission 1\n";

/// What is signed.
pub fn signed_message(session: &str, crash: &str, code: &[u8]) -> Vec<u8> {
    let mut message = DOMAIN.to_vec();
    for part in [session.as_bytes(), crash.as_bytes(), code] {
        message.extend((part.len() as u64).to_be_bytes());
        message.extend(part);
    }
    message
}

/// The signature, in lower case hex.
///
/// # Panics
/// Never: HMAC takes keys of any length.
pub fn sign(key: &[u8], session: &str, crash: &str, code: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(&signed_message(session, crash, code));
    let mut hex = String::with_capacity(64);
    for byte in mac.finalize().into_bytes() {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}
