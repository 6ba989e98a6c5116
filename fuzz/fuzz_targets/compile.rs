//! Any bytes are compiled, or left alone for a reason: never a panic, never a fault of ours that the
//! proof finds.

#![no_main]

use healc::artifact::State;
use healc::compile::{Options, compile};
use healc::config::Returns;
use healc::rules::Rules;
use healc::verify::Proof;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let options = Options {
        returns: Returns::Auto,
        target: None,
        proof: Proof::Thorough,
    };
    let compiled = compile("fuzz.py", data.to_vec(), options, &Rules::builtin());
    assert!(
        compiled.entry.state != State::Failed,
        "{:?}",
        compiled.entry.diagnostics
    );
});
