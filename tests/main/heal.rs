//! Healing from end to end: tests/heal runs programs with the runtime and the server, on every
//! interpreter.

use crate::support::script;

#[test]
fn crashes_pause_are_healed_and_go_on() {
    script("tests/heal/run.py", &[]);
}
