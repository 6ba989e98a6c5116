//! Tokens, ids and keys.

use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

use crate::artifact::hex;

/// The key under which a session's code is signed.
pub fn signature_key(token: &str) -> Vec<u8> {
    let mut mac =
        Hmac::<Sha256>::new_from_slice(token.as_bytes()).expect("HMAC takes keys of any length");
    mac.update(b"healc signature key 1");
    mac.finalize().into_bytes().to_vec()
}

/// Compares secrets by their digests: how long it takes tells nothing about them.
pub fn same(a: &str, b: &str) -> bool {
    Sha256::digest(a.as_bytes()) == Sha256::digest(b.as_bytes())
}

/// A secret or an id, from the operating system.
///
/// # Panics
/// If the system has no random numbers: nothing can be kept secret then.
pub fn random_hex(bytes: usize) -> String {
    let mut buffer = [0; 32];
    getrandom::fill(&mut buffer[..bytes]).expect("the system has random numbers");
    hex(&buffer[..bytes])
}
