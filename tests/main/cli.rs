//! The command line, from the outside. Each test has a folder of its own.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

use crate::support::{Folder, healc, pythons, root};

const PROGRAM: &str = "\
import sys


def divide(a, b):
    value = 1; result = a // b; return result


def main():
    for x in [1,
              0]:
        if x < 1: print(divide(1, x))
        else: print('fine')


main()
";

fn program() -> Folder {
    Folder::new(&[
        ("repo/app.py", PROGRAM),
        ("repo/pkg/__init__.py", ""),
        ("repo/pkg/mod.py", "def f(x):\n    return x + 1\n"),
        ("repo/README.txt", "text\n"),
    ])
}

// ------------------------------------------------------------------------------- exit codes

#[test]
fn usage_and_configuration_are_trouble() {
    let folder = program();
    folder.healc("frobnicate").code(2).says("frobnicate");
    folder.healc("instrument repo").code(2).says("--output");
    folder
        .healc("instrument nowhere -o out")
        .code(2)
        .says("nowhere: no such folder");
    folder
        .healc("instrument repo nothing.py -o out")
        .code(2)
        .says("nothing.py");
    folder
        .healc("instrument repo -o out --in-place")
        .code(2)
        .says("cannot be used with");
    folder
        .healc("instrument repo -o out --returns sometimes")
        .code(2)
        .says("`auto`, `capture` and `inline`");
    folder
        .healc("instrument repo -o out --target-python 2.7")
        .code(2)
        .says("2.7");
    folder
        .healc("instrument repo -o out --rules none.toml")
        .code(2)
        .says("none.toml");
    folder.healc("verify repo").code(2);
    folder
        .healc("restore repo")
        .code(2)
        .says("not instrumented in place");
    folder.healc("map repo app.py:1").code(2);
    assert!(!folder.exists("out"));
}

#[test]
fn an_unknown_key_comes_with_a_suggestion() {
    let folder = program();
    folder.write("repo/healc.toml", "exlude = [\"a\"]\n");
    let ran = folder.healc("instrument repo -o out").code(2);
    ran.says("healc.toml:1:1: unknown key `exlude`; did you mean `exclude`?");
    fs::remove_file(folder.path("repo/healc.toml")).expect("removed");
    folder.write(
        "repo/pyproject.toml",
        "[tool.healc]\nreturns = \"captured\"\n",
    );
    folder
        .healc("instrument repo -o out")
        .code(2)
        .says("did you mean `capture`?");
    folder.healc("instrument repo -o out --isolated").code(0);
}

#[test]
fn findings_are_one_only_if_asked_for() {
    let folder = program();
    folder.write("repo/old.py", "print 'hello'\n");
    let ran = folder.healc("instrument repo -o out").code(0);
    let ran = ran
        .says("warning: old.py:1:7: Python 2 syntax")
        .says("print 'hello'");
    ran.says("1 left alone");
    folder.healc("instrument repo -o out --strict").code(1);
    assert!(!folder.exists("out/old.py"));
}

#[test]
fn a_file_that_the_users_python_refuses_is_our_fault() {
    let folder = Folder::new(&[("repo/new.py", "match f():\n    case 1: g()\n")]);
    let oldest = &pythons()[0];
    if oldest.minor < 10 {
        let command = format!(
            "instrument repo -o out --check-with {}",
            oldest.exe.display()
        );
        folder.healc(&command).code(3).says("new.py");
        folder
            .healc(&format!("verify out --check-with {}", oldest.exe.display()))
            .code(1);
    }
    folder.write("repo/new.py", "f()\n");
    folder
        .healc(&format!(
            "instrument repo -o out --check-with {}",
            oldest.exe.display()
        ))
        .code(0);
    folder
        .healc("instrument repo -o out --check-with ./no-such-python")
        .code(2)
        .says("no-such-python");
}

// ----------------------------------------------------------------------- what is written where

#[test]
fn an_overlay_holds_what_was_instrumented_and_what_belongs_to_it() {
    let folder = program();
    let ran = folder.healc("instrument repo -o out").code(0);
    ran.says("Instrumented 2 of 3 Python files");
    let names: Vec<String> = folder.tree("out").into_keys().collect();
    let ours = |name: &&String| !name.starts_with("_eh_runtime/");
    let rest: Vec<_> = names.iter().filter(ours).map(String::as_str).collect();
    assert_eq!(
        rest,
        [
            ".healc/manifest.json",
            ".healc/maps/app.py.map",
            ".healc/maps/pkg/mod.py.map",
            ".healc/sites/app.py.json",
            ".healc/sites/pkg/mod.py.json",
            "app.py",
            "pkg/mod.py",
        ]
    );
    assert!(names.len() > rest.len(), "where is the runtime?");
    folder
        .healc("verify out repo")
        .code(0)
        .says("2 files verified");
    folder
        .healc("instrument repo -o bare --runtime none -q")
        .code(0);
    assert!(!folder.exists("bare/_eh_runtime"));
}

#[test]
fn quiet_is_quiet() {
    let folder = program();
    let ran = folder.healc("instrument repo -o out --quiet").code(0);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
}

#[test]
fn a_full_overlay_is_the_whole_repository() {
    let folder = program();
    folder.write("repo/run.sh", "#!/bin/sh\n");
    fs::set_permissions(folder.path("repo/run.sh"), PermissionsExt::from_mode(0o755))
        .expect("a mode");
    fs::set_permissions(folder.path("repo/app.py"), PermissionsExt::from_mode(0o755))
        .expect("a mode");
    symlink("app.py", folder.path("repo/link.py")).expect("a link");
    symlink("..", folder.path("repo/pkg/loop")).expect("a link");
    folder.healc("instrument repo -o out --full -q").code(0);
    let repo = folder.tree("repo");
    let out = folder.tree("out");
    for (name, bytes) in &repo {
        let instrumented = name == "app.py" || name == "pkg/mod.py";
        assert_eq!(out[name] == *bytes, !instrumented, "{name}");
    }
    for name in ["out/run.sh", "out/app.py"] {
        let mode = fs::metadata(folder.path(name))
            .expect("there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o755, "{name}");
    }
    for python in pythons() {
        let before = folder.python(&python, "repo/app.py");
        let after = folder.python(&python, "out/app.py");
        assert_eq!(
            (before.code, before.out),
            (after.code, after.out),
            "3.{}",
            python.minor
        );
    }
}

#[test]
fn an_output_folder_inside_the_repository_is_refused_unless_excluded() {
    let folder = program();
    folder
        .healc("instrument repo -o repo/out")
        .code(2)
        .says("inside the repository");
    assert!(!folder.exists("repo/out"));
    folder.healc("instrument repo -o repo").code(2);
    folder.healc("instrument repo/pkg -o .").code(2);
    folder
        .healc("instrument repo -o repo/out --exclude out -q")
        .code(0);
    folder
        .healc("instrument repo -o repo/out --exclude out -q --check")
        .code(0);
    assert!(folder.exists("repo/out/app.py") && !folder.exists("repo/out/out"));
}

#[test]
fn a_folder_that_is_not_ours_is_left_alone() {
    let folder = program();
    folder.write("out/precious.txt", "mine\n");
    let ran = folder.healc("instrument repo -o out").code(2);
    ran.says("was not made by healc");
    assert_eq!(folder.tree("out").len(), 1);
    folder.write("file", "");
    folder
        .healc("instrument repo -o file")
        .code(2)
        .says("is not a folder");
    fs::create_dir(folder.path("empty")).expect("a folder");
    folder.healc("instrument repo -o empty -q").code(0);
}

#[test]
fn a_run_that_fails_leaves_the_old_overlay_whole() {
    let folder = program();
    folder.healc("instrument repo -o out --full -q").code(0);
    let before = folder.tree("out");
    folder.write("repo/app.py", "changed()\n");
    folder.write("repo/_eh_runtime/__init__.py", "theirs = 1\n");
    folder
        .healc("instrument repo -o out --full")
        .code(2)
        .says("_eh_runtime");
    assert!(before == folder.tree("out"));
    let left: Vec<_> = fs::read_dir(folder.path(""))
        .expect("readable")
        .flatten()
        .collect();
    assert_eq!(left.len(), 2, "something was left behind: {left:?}");
}

#[test]
fn an_overlay_follows_the_repository() {
    let folder = program();
    folder.healc("instrument repo -o out --full -q").code(0);
    fs::remove_dir_all(folder.path("repo/pkg")).expect("removed");
    folder.write("repo/app.py", "# healc: skip-file\nf()\n");
    folder.write("repo/new.py", "f()\n");
    folder.healc("instrument repo -o out --full -q").code(0);
    let out = folder.tree("out");
    assert!(
        !out.keys().any(|name| name.contains("pkg")),
        "{:?}",
        out.keys()
    );
    assert_eq!(out["app.py"], b"# healc: skip-file\nf()\n");
    assert!(
        out.contains_key(".healc/sites/new.py.json")
            && !out.contains_key(".healc/sites/app.py.json")
    );
}

// ------------------------------------------------------------------------------- other programs

#[test]
fn programs_read_diagnostics_in_formats_of_their_own() {
    let folder = program();
    folder.write("repo/it's a b.py", "x = 1\nprint 'two, %s'\n");
    let ran = folder
        .healc("instrument repo -o out --output-format json")
        .code(0);
    let document: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let one = &document["diagnostics"][0];
    assert_eq!(one["path"], "it's a b.py");
    assert_eq!((&one["line"], &one["column"]), (&2.into(), &7.into()));
    assert_eq!(one["severity"], "warning");
    assert_eq!(document["totals"]["skipped"], 1);

    let ran = folder
        .healc("instrument repo -o out --output-format github")
        .code(0);
    assert!(
        ran.out.starts_with(
            "::warning title=healc (syntax-error),file=repo/it's a b.py,line=2,col=7::it's a b.py:2:7: "
        ),
        "{}",
        ran.out
    );
    assert_eq!(ran.out.lines().count(), 1);

    let ran = folder
        .healc("instrument repo -o out --output-format sarif")
        .code(0);
    let document: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(document["version"], "2.1.0");
    let place = &document["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "repo/it%27s%20a%20b.py");
    assert_eq!(place["region"]["startColumn"], 7);
}

#[test]
fn a_check_writes_nothing_and_fails_for_what_has_to_be_left_alone() {
    let folder = program();
    folder
        .healc("check repo")
        .code(0)
        .says("Would instrument 2 of 3 Python files");
    folder.write("repo/bad.py", "def f(:\n");
    folder
        .healc("check repo")
        .code(1)
        .says("warning: bad.py:1:7: syntax error");
    folder.healc("check repo repo/app.py").code(0);
    let ran = folder.healc("check repo --output-format github").code(1);
    assert!(ran.out.starts_with("::warning "), "{}", ran.out);
    let entries = fs::read_dir(folder.path(".")).expect("a folder").count();
    assert_eq!(entries, 1);
}

#[test]
fn the_published_schema_is_that_of_the_configuration() {
    let folder = Folder::new(&[]);
    let ran = folder.healc("schema").code(0);
    let published = fs::read_to_string(root().join("healc.schema.json")).expect("a file");
    assert!(
        ran.out == published,
        "healc.schema.json is not what `healc schema` prints"
    );
    // Every setting is in it, and is one.
    let schema: serde_json::Value = serde_json::from_str(&published).expect("JSON");
    let keys = schema["properties"].as_object().expect("settings").keys();
    let folder = program();
    folder.write("repo/healc.toml", "no-such-setting = 1\n");
    let ran = folder.healc("instrument repo -o out").code(2);
    for key in keys {
        assert!(ran.err.contains(key.as_str()), "{key}: {}", ran.err);
    }
}

#[test]
fn shells_get_completions() {
    let folder = Folder::new(&[]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        folder
            .healc(&format!("completions {shell}"))
            .code(0)
            .says("instrument");
    }
}

// ------------------------------------------------------------------------------------ selection

#[test]
fn everything_that_is_left_alone_is_shown_with_its_rule() {
    let folder = program();
    folder.write("repo/tests/test_app.py", "f()\n");
    folder.write("repo/.gitignore", "ignored/\n");
    folder.write("repo/ignored/a.py", "f()\n");
    folder.write("repo/fast.pyx", "f()\n");
    fs::create_dir(folder.path("repo/.git")).expect("a folder");
    let by_rule = folder.healc("instrument repo -o out --show-files").code(0);
    by_rule
        .says("pkg/mod.py\n")
        .says("1 path left alone, tests: tests/ ");
    let ran = folder
        .healc("instrument repo -o out --show-files=all")
        .code(0);
    let ran = ran
        .says("app.py\n")
        .says("pkg/mod.py\n")
        .says("tests/: left alone, tests:");
    let ran = ran.says("fast.pyx: left alone, cython:");
    assert!(!ran.out.contains("\nignored/a.py\n"), "{}", ran.out);
    assert!(!folder.exists("out"));
    let ran = folder
        .healc("instrument repo -o out --show-files --no-ignore")
        .code(0);
    ran.says("ignored/a.py\n");
    let ran = folder
        .healc("instrument repo -o out --show-files --include tests/**")
        .code(0);
    ran.says("tests/test_app.py\n");
    let ran = folder
        .healc("instrument repo repo/tests -o out --show-files")
        .code(0);
    assert!(
        ran.out.contains("tests/test_app.py\n") && !ran.out.starts_with("app.py"),
        "{}",
        ran.out
    );
    let ran = folder
        .healc("instrument repo -o out --show-files --exclude pkg")
        .code(0);
    assert!(!ran.out.contains("pkg/mod.py\n"), "{}", ran.out);
}

#[test]
fn flags_win_over_files() {
    let folder = program();
    folder.write(
        "repo/healc.toml",
        "returns = \"inline\"\nexclude = [\"pkg\"]\n",
    );
    folder.healc("instrument repo -o out -q").code(0);
    assert!(!folder.read("out/app.py").contains("_eh_rtn") && !folder.exists("out/pkg"));
    folder
        .healc("instrument repo -o out -q --returns capture")
        .code(0);
    assert!(folder.read("out/app.py").contains("_eh_rtn"));
    folder.healc("instrument repo -o out -q --isolated").code(0);
    assert!(folder.exists("out/pkg/mod.py"));
    let ran = folder
        .healc("instrument repo -o out --show-settings --returns capture")
        .code(0);
    let settings: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(settings["returns"], "capture");
}

#[test]
fn a_rule_file_adds_and_switches_off() {
    let folder = program();
    folder.write("repo/test/code.py", "f()\n");
    folder.write(
        "repo/mine.py",
        "from my import fast\n@fast\ndef f(x):\n    return g(x)\n",
    );
    let rules = "[[exclude]]\nid = \"tests\"\nenabled = false\n\n\
                 [[exclude]]\nid = \"mine\"\nwhy = \"is mine\"\ndirs = [\"pkg\"]\n\n\
                 [[decorator]]\nid = \"fast\"\nwhy = \"is compiled\"\nnames = [\"my.fast\"]\n";
    folder.write("rules.toml", rules);
    let ran = folder
        .healc("instrument repo -o out --rules rules.toml")
        .code(0);
    ran.says("mine 1").says("decorator:fast 1");
    assert!(folder.exists("out/test/code.py") && !folder.exists("out/pkg"));
    assert!(
        folder
            .read("out/mine.py")
            .ends_with("def f(x):\n    return g(x)\n")
    );
}

// ------------------------------------------------------------------------------- nothing written

#[test]
fn a_diff_shows_and_writes_nothing() {
    let folder = program();
    let before = folder.tree("");
    let ran = folder.healc("instrument repo --diff").code(1);
    let ran = ran
        .says("--- a/app.py\n+++ b/app.py\n")
        .says("+except __eh__:\n");
    ran.says("--- a/pkg/mod.py");
    assert!(before == folder.tree(""));
    let empty = Folder::new(&[("repo/a.py", "x = 1\n")]);
    let ran = empty.healc("instrument repo --diff").code(0);
    assert_eq!(ran.out, "");
}

#[test]
fn a_check_tells_whether_anything_would_change() {
    let folder = program();
    folder
        .healc("instrument repo -o out --check")
        .code(1)
        .says("app.py: would be written");
    assert!(!folder.exists("out"));
    folder.healc("instrument repo -o out -q").code(0);
    folder.healc("instrument repo -o out --check").code(0);
    folder.write("repo/pkg/mod.py", "g()\n");
    let ran = folder.healc("instrument repo -o out --check").code(1);
    assert_eq!(ran.out, "pkg/mod.py: would be written\n");
    folder.healc("instrument repo -o out -q").code(0);
    let damaged = folder.read("out/app.py").replace("'fine'", "'fire'");
    folder.write("out/app.py", damaged);
    folder
        .healc("instrument repo -o out --check")
        .code(1)
        .says("app.py");
    // And the next run repairs it.
    folder.healc("instrument repo -o out -q").code(0);
    folder.healc("instrument repo -o out --check").code(0);
}

// --------------------------------------------------------------------------------- reading back

#[test]
fn verify_finds_a_changed_byte_wherever_it_is() {
    let folder = program();
    folder.healc("instrument repo -o out -q").code(0);
    folder.healc("verify out").code(0);
    let kept = folder.tree("out");
    for (name, bytes) in &kept {
        for at in [0, bytes.len() / 2, bytes.len() - 1] {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            folder.write(&format!("out/{name}"), &changed);
            let ran = folder.healc("verify out");
            assert!(
                ran.code == 1 || ran.code == 2,
                "{name}: byte {at} was changed, and it verifies"
            );
        }
        fs::remove_file(folder.path(&format!("out/{name}"))).expect("removed");
        let ran = folder.healc("verify out");
        assert!(
            ran.code == 1 || ran.code == 2,
            "{name} is missing, and it verifies"
        );
        folder.write(&format!("out/{name}"), bytes);
    }
    folder.healc("verify out").code(0);
    folder.write("repo/app.py", "f()\n");
    folder.healc("verify out").code(0);
    folder.healc("verify out repo").code(1).says("app.py");
}

#[test]
fn an_overlay_is_not_instrumented_again() {
    let folder = program();
    folder.healc("instrument repo -o out --full -q").code(0);
    let ran = folder.healc("instrument out -o twice --strict").code(1);
    ran.says("app.py:1:1: already instrumented")
        .says("Instrumented 0 of");
    assert!(!folder.exists("twice/app.py"));
}

/// `path:line:column` that healc answers.
fn place(folder: &Folder, arguments: &str) -> (u32, u32) {
    let ran = folder.healc(arguments).code(0);
    let place = ran.out.split_whitespace().next().expect("a place");
    let mut fields = place
        .rsplit(':')
        .map(|field| field.parse().expect("a number"));
    let column = fields.next().expect("a column");
    (fields.next().expect("a line"), column)
}

#[test]
fn places_lead_there_and_back() {
    let folder = program();
    folder.healc("instrument repo -o out -q").code(0);
    let out = folder.read("out/app.py");
    let out: Vec<&str> = out.lines().collect();
    for (number, line) in PROGRAM.lines().enumerate() {
        let number = number as u32 + 1;
        // A keyword that `_eh_rtn =` took the place of has no letters to compare.
        let replaced = line
            .find("return result")
            .map_or(0..0, |at| at..at + "return".len());
        for (column, letter) in line.chars().enumerate() {
            if letter == ' ' || replaced.contains(&column) {
                continue;
            }
            let column = column as u32 + 1;
            let there = place(
                &folder,
                &format!("map out app.py:{number}:{column} --reverse"),
            );
            let found = out[there.0 as usize - 1].chars().nth(there.1 as usize - 1);
            assert_eq!(found, Some(letter), "{number}:{column} -> {there:?}");
            let back = place(&folder, &format!("map out app.py:{}:{}", there.0, there.1));
            assert_eq!(back, (number, column), "by way of {there:?}");
        }
        if !line.trim().is_empty() {
            let there = place(&folder, &format!("map out app.py:{number} --reverse"));
            let back = place(&folder, &format!("map out app.py:{}", there.0));
            assert_eq!(back.0, number);
        }
    }
    folder
        .healc("map out app.py:1")
        .code(2)
        .says("no counterpart");
    let handler = folder
        .read("out/app.py")
        .lines()
        .position(|line| line.starts_with("except __eh__:"));
    let handler = handler.expect("there is one") + 1;
    folder
        .healc(&format!("map out app.py:{handler}"))
        .code(0)
        .says("app.py:1:")
        .says("inserted text");
    folder
        .healc("map out app.py:999")
        .code(2)
        .says("no such place");
    folder.healc("map out other.py:1").code(2).says("other.py");
    folder.healc("map out app.py").code(2).says("PATH:LINE");
}

#[test]
fn tracebacks_are_those_of_the_original() {
    let folder = program();
    folder.healc("instrument repo -o out --full -q").code(0);
    let [before, after] = ["repo/app.py", "out/app.py"].map(|path| folder.path(path));
    let repo = folder.path("repo");
    for python in pythons() {
        let before = folder.python(&python, &before.to_string_lossy()).code(1);
        let after = folder.python(&python, &after.to_string_lossy()).code(1);
        assert_ne!(before.err, after.err);
        let filter = format!(
            "traceback out --repo {} --python 3.{}",
            repo.display(),
            python.minor
        );
        let mapped = folder.healc_with(&filter, &after.err).code(0);
        assert_eq!(before.err, mapped.out, "3.{}", python.minor);
    }
    let other = "no traceback\n  File \"elsewhere.py\", line 3, in f\n";
    assert_eq!(folder.healc_with("traceback out", other).code(0).out, other);
}

#[test]
fn tracebacks_can_name_files_as_seen_from_outside_the_overlay() {
    let folder = program();
    folder.healc("instrument repo -o out --full -q").code(0);
    // As Python up to 3.8 names the script of `python out/app.py`.
    let text = "Traceback (most recent call last):\n  File \"out/app.py\", line 20, in divide\n\
                ZeroDivisionError: x\n";
    let mapped = folder.healc_with("traceback out --repo repo", text).code(0);
    assert!(
        mapped
            .out
            .contains("File \"repo/app.py\", line 5, in divide"),
        "{}",
        mapped.out
    );
}

#[test]
fn sites_have_dense_ids_and_keys_that_survive_edits() {
    let folder = program();
    folder.healc("instrument repo -o out -q").code(0);
    let sites = |folder: &Folder| -> Vec<serde_json::Value> {
        let ran = folder.healc("sites out app.py --json").code(0);
        let table: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
        table["sites"].as_array().expect("an array").clone()
    };
    let before = sites(&folder);
    for (id, site) in before.iter().enumerate() {
        assert_eq!(site["id"], id);
    }
    folder.healc("sites out").code(0).says("pkg/mod.py:2:5: 0 ");
    let edited = PROGRAM.replace(
        "def main",
        "\n# a comment\ndef other():\n    return call()\n\n\ndef main",
    );
    folder.write("repo/app.py", edited);
    folder.healc("instrument repo -o out -q").code(0);
    let after = sites(&folder);
    assert_eq!(after.len(), before.len() + 1);
    for site in &before {
        assert!(
            after.iter().any(|other| other["key"] == site["key"]),
            "{site} lost its key"
        );
    }
}

// -------------------------------------------------------------------------------------- in place

#[test]
fn in_place_and_back_is_exact() {
    let folder = program();
    folder.write("repo/latin.py", b"# coding: latin-1\r\nf('\xe9')\r\n");
    folder.write("repo/old.py", "print 1\n");
    fs::set_permissions(folder.path("repo/app.py"), PermissionsExt::from_mode(0o750))
        .expect("a mode");
    let before = folder.tree("repo");
    folder
        .healc("instrument repo --in-place")
        .code(0)
        .says("Instrumented 3 of 5");
    assert!(folder.read("repo/app.py").contains("__eh__"));
    let mode = |name: &str| {
        fs::metadata(folder.path(name))
            .expect("there")
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode("repo/app.py"), 0o750);
    folder.healc("verify repo").code(0);
    folder
        .healc("instrument repo --in-place")
        .code(2)
        .says("already");
    let python = pythons().pop().expect("never empty");
    folder
        .python(&python, "repo/app.py")
        .code(1)
        .says("ZeroDivisionError");
    folder
        .healc("restore repo")
        .code(0)
        .says("Restored 3 files");
    assert!(
        before == folder.tree("repo"),
        "{:?}",
        folder.tree("repo").keys()
    );
    assert_eq!(mode("repo/app.py"), 0o750);
    assert!(!folder.exists("repo/.healc") && !folder.exists("repo/_eh_runtime"));
}

#[test]
fn restore_leaves_what_was_edited_since() {
    let folder = program();
    folder.healc("instrument repo --in-place -q").code(0);
    let edited = folder.read("repo/app.py") + "# mine\n";
    folder.write("repo/app.py", &edited);
    folder
        .healc("restore repo")
        .code(1)
        .says("app.py: changed since");
    assert_eq!(folder.read("repo/app.py"), edited);
    folder.healc("restore repo --force").code(0);
    assert_eq!(folder.read("repo/app.py"), PROGRAM);
    assert!(!folder.exists("repo/.healc"));
}

#[test]
fn one_file_can_be_named() {
    let folder = program();
    folder.healc("instrument repo/app.py -o out -q").code(0);
    assert!(folder.exists("out/app.py") && !folder.exists("out/pkg"));
    folder.write("repo/tests/test_x.py", "f()\n");
    folder
        .healc("instrument repo repo/tests/test_x.py -o named -q")
        .code(0);
    assert!(folder.exists("named/tests/test_x.py") && !folder.exists("named/app.py"));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = Folder::new(&[]);
    folder.write("repo/a.py", "f(1)\n".repeat(20_000));
    folder.healc("instrument repo -o out -q").code(0);
    let mut child = Command::new(healc())
        .args(["sites", "out"])
        .current_dir(folder.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("ended");
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{output:?}"
    );
}

#[test]
fn the_runtime_is_printed_and_installed() {
    let folder = Folder::new(&[]);
    folder
        .healc("runtime")
        .code(0)
        .says("# _eh_runtime/__init__.py");
    let python = pythons().pop().expect("never empty");
    let mut venv = Command::new(&python.exe);
    let made = venv
        .args(["-m", "venv", "--without-pip"])
        .arg(folder.path("venv"))
        .status();
    assert!(made.expect("started").success());
    folder
        .healc("runtime --install venv/bin/python")
        .code(0)
        .says("_eh_runtime");
    let mut child = Command::new(folder.path("venv/bin/python"));
    let child = child.args(["-I", "-c", "import _eh_runtime; print(len(__eh__))"]);
    let ran = crate::support::run(child, "").code(0);
    assert_eq!(ran.out, "0\n");
    folder.healc("runtime --install venv/bin/python").code(0);
}
