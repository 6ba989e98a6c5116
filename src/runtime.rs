//! The Python package that instrumented modules import, embedded file by file.

use std::sync::LazyLock;

use sha2::{Digest, Sha256};

use crate::artifact::hex;

pub mod rules;

macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("runtime/_eh_runtime/", $name)))),*]
    };
}

const SOURCES: &[(&str, &str)] = embedded![
    "__init__.py",
    "_alarm.py",
    "_contain.py",
    "_context.py",
    "_expected.py",
    "_flow.py",
    "_heal.py",
    "_hook.py",
    "_places.py",
    "_script.py",
    "_sites.py",
    "_wire.py",
    "_write.py",
];

/// Name and text of each file of `_eh_runtime`.
pub fn files() -> &'static [(&'static str, &'static str)] {
    static FILES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
        let mut files = SOURCES.to_vec();
        files.push(("_policy.json", rules::builtin()));
        files
    });
    &FILES
}

/// sha256 over names and texts.
pub fn fingerprint() -> String {
    let mut hash = Sha256::new();
    for (name, text) in files() {
        hash.update(name.as_bytes());
        hash.update([0]);
        hash.update(text.as_bytes());
        hash.update([0]);
    }
    hex(&hash.finalize())
}
