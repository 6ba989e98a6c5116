//! The gate gives a verdict on any bytes: the same each time, without a panic.

#![no_main]

use std::sync::LazyLock;

use healc::gate::{Policy, fuzz};
use libfuzzer_sys::fuzz_target;

static POLICY: LazyLock<Policy> = LazyLock::new(Policy::builtin);

fuzz_target!(|data: &[u8]| fuzz(data, &POLICY));
