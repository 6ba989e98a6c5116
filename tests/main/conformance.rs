//! The programs of tests/conformance: same output, exit code and, mapped back, tracebacks.

use crate::support::{healc, script};

/// Interpreters of a normal run: the oldest, the ones between which CPython changed how exceptions
/// are compiled, and the newest. `HEALC_FULL=1` takes all that there are.
const SUBSET: &str = "3.6,3.8,3.11,3.13";

#[test]
fn programs_behave_as_the_originals_do() {
    let mut arguments = vec!["--healc", healc()];
    if std::env::var_os("HEALC_FULL").is_none() {
        arguments.extend(["--pythons", SUBSET]);
    }
    script("tests/conformance/run.py", &arguments);
}
