//! `healc prove`, on small projects with unittest and with commands of their own.

use std::process::Command;

use crate::support::{Folder, Python, Ran, healc, pythons, run};

const CALC: &str = "\
import sys


def half(x):
    return x / 2


def where():
    return sys._getframe().f_lineno


def main():
    print('half of 4 is', half(4))
    try:
        half(None)
    except TypeError as error:
        print(error, file=sys.stderr)
    unused = 1


if __name__ == '__main__':
    main()
";

const TESTS: &str = "\
import os
import unittest

import calc


class Calc(unittest.TestCase):
    def test_half(self):
        for x in 2, 3:
            with self.subTest(x=x):
                self.assertEqual(calc.half(x) * 2, x)

    def test_line(self):
        self.assertEqual(calc.where(), 9)

    def test_sometimes(self):
        with open(os.environ['COUNTER'], 'a+') as file:
            file.write('x')
            count = file.tell()
        self.assertNotIn(count, (2, 3))

    @unittest.skip('later')
    def test_later(self):
        pass

    @unittest.expectedFailure
    def test_wrong(self):
        self.assertEqual(calc.half(1), 1)
";

fn project() -> Folder {
    Folder::new(&[("repo/calc.py", CALC), ("repo/test_calc.py", TESTS)])
}

fn prove(folder: &Folder, options: &[&str], command: &[&str]) -> Ran {
    run(
        Command::new(healc())
            .arg("prove")
            .args(options)
            .arg("--")
            .args(command)
            .current_dir(folder.path("repo"))
            .env("COUNTER", folder.path("counter")),
        "",
    )
}

fn newest_and_oldest() -> Vec<Python> {
    let mut all = pythons();
    let newest = all.pop();
    all.into_iter().take(1).chain(newest).collect()
}

#[test]
fn what_differs_is_told_from_what_is_flaky() {
    for Python { exe, .. } in newest_and_oldest() {
        let folder = project();
        let exe = exe.to_str().expect("UTF-8");
        let options = ["--json", "../proof.json", "--html", "../proof.html"];
        let ran = prove(&folder, &options, &[exe, "-m", "unittest", "-q"]).code(1);
        let ran = ran
            .says("5 tests: 3 the same, 1 different, 1 flaky\n")
            .says("different: test_calc.Calc.test_line: plain passed, passed, passed; instrumented failed, failed, failed")
            .says("flaky: test_calc.Calc.test_sometimes: ");
        ran.says("was seen by its handler and noticed by ");
        let proof: serde_json::Value =
            serde_json::from_str(&folder.read("proof.json")).expect("JSON");
        assert_eq!(proof["tests"][0]["id"], "test_calc.Calc.test_line");
        assert_eq!(proof["forced"]["intercepted"], true);
        assert_eq!(proof["runs"].as_array().expect("runs").len(), 6);
        let reach = |part: &str| proof["reach"][part].as_u64().expect("a number");
        assert!(0 < reach("reached") && reach("reached") < reach("sites"));
        assert!(folder.read("proof.html").contains("Not proven"));
        // The repository is only read.
        assert!(!folder.exists("repo/.healc") && !folder.exists("repo/_eh_runtime"));
    }
}

#[test]
fn commands_of_any_kind_are_compared_by_what_they_print() {
    let folder = project();
    let Python { exe, .. } = pythons().pop().expect("a Python");
    let exe = exe.to_str().expect("UTF-8");
    let ran = prove(&folder, &[], &[exe, "calc.py"]).code(0);
    ran.says("0 tests")
        .says("live: a failure forced at calc.py:");
    // Nothing is reached, so nothing is proven.
    let ran = prove(&folder, &[], &[exe, "-c", "print(1)"]).code(1);
    ran.says("not live");
    // One that prints line numbers differs.
    folder.write("repo/lines.py", "import calc\nprint(calc.where())\n");
    let ran = prove(&folder, &["--repeat", "0"], &[exe, "lines.py"]).code(1);
    ran.says("standard output differs").says("-9\n");
}

#[test]
fn what_cannot_be_proven_is_said() {
    let folder = project();
    prove(&folder, &[], &["no-such-program"])
        .code(2)
        .says("no-such-program: there is no such program on PATH");
    prove(&folder, &[], &["true"])
        .code(2)
        .says("cannot see which Python runs it; name it with --python");
    let Python { exe, .. } = pythons().pop().expect("a Python");
    let exe = exe.to_str().expect("UTF-8");
    let forever = "import calc, time; calc.half(1); time.sleep(100)";
    prove(
        &folder,
        &["--timeout", "2", "--repeat", "0"],
        &[exe, "-c", forever],
    )
    .code(1);
}
