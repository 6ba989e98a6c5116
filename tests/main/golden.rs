//! golden/: what programs become. The cases are run by the binary, as users run theirs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{Folder, healc, pythons, root, run, tree};

/// Compiles in.py and out.py of the cases named on standard input, with warnings as errors.
const COMPILE: &str = "
import sys, warnings
warnings.simplefilter('error')
def verdict(path):
    try:
        with open(path, 'rb') as f:
            text = f.read()
        compile(text, path, 'exec', 0, True)
        return 'ok'
    except Exception as e:
        return ascii('%s: %s' % (type(e).__name__, e))
for case in sys.stdin.read().split('\\n'):
    if case:
        print('%s\\t%s\\t%s' % (case, verdict(case + '/in.py'), verdict(case + '/out.py')))
";

/// Refused, although one interpreter takes them: what healc reads is the grammar of 3.7 and later,
/// and a module called `.__future__` compiles from 3.13 on only.
const REFUSED_BUT_VALID_SOMEWHERE: &[&str] = &[
    "refused/async_and_await_as_names",
    "refused/a_relative_future_that_python_takes_for_the_real_one",
];

#[test]
fn every_case_holds() {
    let golden = root().join("golden");
    let mut command = Command::new(healc());
    run(command.arg("golden").arg(golden), "").code(0);
}

/// State and, if it was skipped, the code of the reason: what map.txt begins with.
fn states() -> BTreeMap<String, (String, String)> {
    let golden = root().join("golden");
    tree(&golden)
        .into_iter()
        .filter_map(|(path, text)| {
            let case = path.strip_suffix("/map.txt")?.to_string();
            let text = String::from_utf8(text).expect("UTF-8");
            let mut lines = text.lines();
            let state = lines.next().unwrap_or_default().to_string();
            let code = lines.next().and_then(|line| line.split(": ").nth(1));
            Some((case, (state, code.unwrap_or_default().to_string())))
        })
        .collect()
}

#[test]
fn every_interpreter_takes_the_output_if_it_takes_the_input() {
    let golden = root().join("golden");
    let states = states();
    assert!(states.len() > 100, "where are the golden cases?");
    let cases: String = states.keys().map(|case| format!("{case}\n")).collect();
    let mut taken: BTreeMap<&str, u32> = BTreeMap::new();
    let mut problems = Vec::new();
    for python in pythons() {
        let mut command = Command::new(&python.exe);
        let command = command.args(["-I", "-c", COMPILE]).current_dir(&golden);
        let ran = run(command, &cases).code(0);
        assert_eq!(ran.out.lines().count(), states.len());
        for line in ran.out.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let [case, before, after] = fields[..] else {
                panic!("not three fields: {line}");
            };
            if before != "ok" {
                continue;
            }
            let (case, _) = states.get_key_value(case).expect("one of ours");
            *taken.entry(case).or_default() += 1;
            if after != "ok" {
                problems.push(format!(
                    "{case}: 3.{} refuses the output: {after}",
                    python.minor
                ));
            }
        }
    }
    for (case, (state, code)) in &states {
        let valid = taken.contains_key(case.as_str());
        let settings = fs::read_to_string(golden.join(case).join("case.toml")).unwrap_or_default();
        if state == "instrumented" && !valid && !settings.contains("\"3.14\"") {
            problems.push(format!(
                "{case}: instrumented, but no interpreter takes the input"
            ));
        }
        if code == "syntax-error" && valid && !REFUSED_BUT_VALID_SOMEWHERE.contains(&case.as_str())
        {
            problems.push(format!(
                "{case}: refused, but an interpreter takes the input"
            ));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn names_of_cases_are_sentences() {
    for case in states().keys() {
        let name = case.rsplit('/').next().expect("never empty");
        let plain = name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        assert!(plain, "golden/{case}: write it in snake_case");
        let words = name.split('_').count();
        assert!(
            (3..=14).contains(&words),
            "golden/{case}: say in a few words what it shows"
        );
        assert_eq!(
            Path::new(case).components().count(),
            2,
            "golden/{case}: golden/<family>/<case>"
        );
    }
}

#[test]
fn users_can_keep_cases_of_their_own() {
    let folder = Folder::new(&[("cases/family/a_call/in.py", "f()\n")]);
    folder
        .healc("golden cases")
        .code(1)
        .says("out.py: missing; --update writes it");
    folder.healc("golden cases --update").code(0);
    folder
        .healc("golden cases")
        .code(0)
        .says("1 passed, 0 failed");
    assert!(folder.read("cases/family/a_call/out.py").contains("__eh__"));

    folder.write("cases/family/a_call/out.py", "f()\n");
    let ran = folder
        .healc("golden cases")
        .code(1)
        .says("0 passed, 1 failed");
    let ran = ran.says("--- family/a_call/out.py (expected)");
    ran.says("+except __eh__:");
    folder
        .healc("golden cases --only other")
        .code(0)
        .says("0 passed, 0 failed");

    folder.healc("golden cases --update").code(0);
    folder.write("cases/family/notes.txt", "lost");
    folder
        .healc("golden cases")
        .code(1)
        .says("notes.txt: belongs to no case");
    folder
        .healc("golden nowhere")
        .code(2)
        .says("no such folder");
}

#[test]
fn settings_of_a_case_are_checked() {
    let folder = Folder::new(&[
        ("cases/a/in.py", "def f(x):\n    return g(x)\n"),
        ("cases/a/case.toml", "returns = \"capture\"\n"),
    ]);
    folder.healc("golden cases --update").code(0);
    assert!(folder.read("cases/a/out.py").contains("_eh_rtn = g(x)"));
    folder.write("cases/a/case.toml", "retruns = \"capture\"\n");
    folder.healc("golden cases").code(2).says("retruns");
}
