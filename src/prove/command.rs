//! The command that runs the tests: its interpreter, and how each test's outcome is had from it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// What runs the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    Pytest,
    Unittest,
    /// `python -m test`, CPython's own.
    Regrtest,
    /// Anything else: exit code and output are compared.
    Other,
}

pub struct TestCommand {
    words: Vec<OsString>,
    pub runner: Runner,
    /// Where options of the runner go in.
    at: usize,
    pub python: PathBuf,
}

impl TestCommand {
    pub fn new(words: &[OsString], python: Option<&Path>) -> Result<TestCommand> {
        let mut words = words.to_vec();
        let program = found(&words[0])?;
        let python = match python {
            Some(python) => python.to_path_buf(),
            None => interpreter_of(&program)?,
        };
        words[0] = program.clone().into_os_string();
        let stem = program.file_name().unwrap_or_default().to_string_lossy();
        let (runner, at) = if matches!(&*stem, "pytest" | "py.test") {
            (Runner::Pytest, 1)
        } else if is_python(&program) {
            module_of(&words).map_or((Runner::Other, 0), |at| {
                match words[at].to_string_lossy().as_ref() {
                    "pytest" => (Runner::Pytest, at + 1),
                    "unittest" => (Runner::Unittest, at),
                    "test" => (Runner::Regrtest, at + 1),
                    _ => (Runner::Other, 0),
                }
            })
        } else {
            (Runner::Other, 0)
        };
        Ok(TestCommand {
            words,
            runner,
            at,
            python,
        })
    }

    /// The words to run, with outcomes written to `results`.
    pub fn words(&self, results: &Path) -> Vec<OsString> {
        let mut words = self.words.clone();
        let with = |option: &str| {
            let mut word = OsString::from(option);
            word.push(results);
            word
        };
        let options: Vec<OsString> = match self.runner {
            Runner::Pytest => vec![
                with("--junitxml="),
                "-ojunit_family=xunit1".into(),
                "-pno:cacheprovider".into(),
            ],
            Runner::Regrtest => vec!["--junit-xml".into(), results.into()],
            Runner::Unittest => {
                words[self.at] = "_healc_unittest".into();
                Vec::new()
            }
            Runner::Other => Vec::new(),
        };
        words.splice(self.at..self.at, options);
        words
    }

    pub fn shown(&self) -> String {
        let words = self.words.iter().map(|word| word.to_string_lossy());
        words.collect::<Vec<_>>().join(" ")
    }
}

/// The program's path, for it runs in another folder.
fn found(program: &OsStr) -> Result<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 {
        // Not its target: a virtual environment's Python is a link.
        return std::path::absolute(path)
            .ok()
            .filter(|path| path.is_file())
            .with_context(|| format!("{}: there is no such program", path.display()));
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders)
        .map(|folder| folder.join(path))
        .find(|path| path.is_file())
        .with_context(|| format!("{}: there is no such program on PATH", path.display()))
}

fn is_python(program: &Path) -> bool {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("python") || name.starts_with("pypy")
}

/// The Python that runs a program: itself, or what its first lines name.
fn interpreter_of(program: &Path) -> Result<PathBuf> {
    if is_python(program) {
        return Ok(program.to_path_buf());
    }
    let text = fs::read(program).with_context(|| program.display().to_string())?;
    let head = String::from_utf8_lossy(&text[..text.len().min(1024)]).into_owned();
    let named = head.strip_prefix("#!").and_then(|rest| {
        // Of a path that is too long for one, pip makes `#!/bin/sh` and `'''exec' "path" ...`.
        rest.lines().take(2).find_map(|line| {
            line.split([' ', '"', '\''])
                .map(Path::new)
                .find(|word| is_python(word))
        })
    });
    match named {
        Some(path) if path.is_absolute() => Ok(path.to_path_buf()),
        Some(path) => found(path.as_os_str()),
        None => bail!(
            "{}: cannot see which Python runs it; name it with --python",
            program.display()
        ),
    }
}

/// Index of the module in `python [OPTIONS] -m MODULE`.
fn module_of(words: &[OsString]) -> Option<usize> {
    let mut at = 1;
    while at < words.len() {
        let word = words[at].to_string_lossy();
        match word.as_ref() {
            "-m" => return (at + 1 < words.len()).then_some(at + 1),
            "-W" | "-X" => at += 2,
            _ if word.starts_with('-') && word.len() > 1 && !word.starts_with("-c") => at += 1,
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn modules_are_found_behind_options() {
        for (text, found) in [
            ("python -m pytest tests", Some(2)),
            ("python -X dev -W error -bb -m unittest", Some(7)),
            ("python run.py -m pytest", None),
            ("python -c x -m pytest", None),
            ("python -m", None),
        ] {
            assert_eq!(module_of(&words(text)), found, "{text}");
        }
    }

    #[test]
    fn options_go_behind_the_runner() {
        let command = |text: &str, runner, at| TestCommand {
            words: words(text),
            runner,
            at,
            python: "python".into(),
        };
        let shown = |command: TestCommand| {
            let words = command.words(Path::new("/r.xml"));
            words.join(OsStr::new(" ")).into_string().expect("UTF-8")
        };
        assert_eq!(
            shown(command("python -m pytest -q", Runner::Pytest, 3)),
            "python -m pytest --junitxml=/r.xml -ojunit_family=xunit1 -pno:cacheprovider -q"
        );
        assert_eq!(
            shown(command("python -m unittest -v", Runner::Unittest, 2)),
            "python -m _healc_unittest -v"
        );
        assert_eq!(
            shown(command("python -m test test_json", Runner::Regrtest, 3)),
            "python -m test --junit-xml /r.xml test_json"
        );
    }
}
