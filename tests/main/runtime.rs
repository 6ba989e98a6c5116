//! The runtime in Python: tests/runtime runs its own cases on every interpreter.

use crate::support::script;

#[test]
fn the_runtime_heals_and_stays_out_of_the_way() {
    script("tests/runtime/run.py", &[]);
}
