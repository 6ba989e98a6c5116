//! Bad input of all kinds: a clear error or a complete result, and the old overlay whole.

use crate::support::script;

#[test]
fn hostile_repositories_do_no_harm() {
    // Each kind twice. All 200: `tests/hostile.py`.
    script("tests/hostile.py", &["--count", "34"]);
}

#[test]
fn changed_layouts_of_library_files_are_proven_and_compile() {
    // Other seeds, for as long as one likes: `tests/fuzz.py --seed N`.
    script(
        "tests/fuzz.py",
        &["--rounds", "1", "--files", "40", "--seed", "7"],
    );
}
