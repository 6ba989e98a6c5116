//! The Python package that instrumented modules import, embedded file by file.

use sha2::{Digest, Sha256};

use crate::artifact::hex;

/// Name and text of each module of `_eh_runtime`.
pub const FILES: &[(&str, &str)] = &[
    (
        "__init__.py",
        include_str!("runtime/_eh_runtime/__init__.py"),
    ),
    ("_hook.py", include_str!("runtime/_eh_runtime/_hook.py")),
    ("_script.py", include_str!("runtime/_eh_runtime/_script.py")),
    ("_sites.py", include_str!("runtime/_eh_runtime/_sites.py")),
    ("_write.py", include_str!("runtime/_eh_runtime/_write.py")),
];

/// sha256 over names and texts.
pub fn fingerprint() -> String {
    let mut hash = Sha256::new();
    for (name, text) in FILES {
        hash.update(name.as_bytes());
        hash.update([0]);
        hash.update(text.as_bytes());
        hash.update([0]);
    }
    hex(&hash.finalize())
}
