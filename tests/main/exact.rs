//! Exact mode: `healc run --exact`.

use std::fs;
use std::process::Command;

use crate::support::{Folder, Python, healc, pythons, run, script};

#[test]
fn small_programs_cannot_tell_it_from_the_original() {
    script(
        "tests/exact/run.py",
        &["behaviour", "--pythons", "3.6,3.13"],
    );
}

#[test]
fn conformance_cases_do_not_differ_in_anything() {
    script(
        "tests/conformance/run.py",
        &[
            "--healc",
            healc(),
            "--exact",
            "--pythons",
            "3.7,3.9,3.11,3.12",
        ],
    );
}

#[test]
fn a_command_runs_with_its_repository_instrumented_and_untouched() {
    let folder = Folder::new(&[
        (
            "repo/app.py",
            "import sys\nfrom pkg import mod\n\nprint(mod.half.__code__.co_names, sys.argv[1:])\nmod.half(\n    None)\n",
        ),
        ("repo/pkg/__init__.py", ""),
        ("repo/pkg/mod.py", "def half(x):\n    return x / 2\n"),
    ]);
    for Python { minor, exe } in pythons() {
        let start = |arguments: &[&str]| {
            run(
                Command::new(healc())
                    .args(["run", "--exact", "--"])
                    .arg(&exe)
                    .args(arguments)
                    .current_dir(folder.path("repo"))
                    .env("PYTHONDONTWRITEBYTECODE", "1")
                    .env("EH_CACHE", folder.path("cache")),
                "",
            )
        };
        let ran = start(&["app.py", "-x", "--", "y"]).code(1);
        assert_eq!(ran.out, "('__eh__',) ['-x', '--', 'y']\n", "3.{minor}");
        assert!(
            ran.err
                .contains("mod.py\", line 2, in half\n    return x / 2\n"),
            "3.{minor}: {}",
            ran.err
        );
        assert!(!ran.err.contains("_eh"), "3.{minor}: {}", ran.err);
        start(&["-c", "import sys; sys.exit(7)"]).code(7);
    }
    let files: Vec<_> = fs::read_dir(folder.path("repo/pkg"))
        .expect("a folder")
        .collect();
    assert_eq!(files.len(), 2);
}

#[test]
fn what_cannot_be_run_is_said() {
    let folder = Folder::new(&[("repo/app.py", "print(1)\n")]);
    let start = |arguments: &[&str]| {
        let mut command = Command::new(healc());
        command
            .arg("run")
            .args(arguments)
            .current_dir(folder.path("repo"));
        run(command.env("EH_CACHE", folder.path("cache")), "")
    };
    start(&["--exact", "--", "no-such-program"])
        .code(2)
        .says("no-such-program: cannot be started");
    start(&["--exact", "--overlay", "nowhere", "--", "true"])
        .code(2)
        .says("nowhere");
    start(&["--exact", "--repo", "nowhere", "--", "true"])
        .code(2)
        .says("nowhere");
    start(&["--exact"]).code(2).says("COMMAND");
    // Without it there is a healing side, and the command's exit code.
    start(&["--", "no-such-program"])
        .code(2)
        .says("no-such-program: cannot be started");
    start(&["--", "false"]).code(1).says("crashes wait at");
}
