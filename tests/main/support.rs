//! What the topics share: folders to work in, the binary, the interpreters.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// The repository of healc itself.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What a finished process left behind.
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Ran {
    /// Expects an exit code; shows everything if it is another.
    #[track_caller]
    pub fn code(self, code: i32) -> Ran {
        let Ran {
            code: got,
            out,
            err,
        } = &self;
        assert_eq!(*got, code, "exit code\n--- stdout\n{out}--- stderr\n{err}");
        self
    }

    #[track_caller]
    pub fn says(self, text: &str) -> Ran {
        let Ran { out, err, .. } = &self;
        assert!(
            out.contains(text) || err.contains(text),
            "nothing says `{text}`\n--- stdout\n{out}--- stderr\n{err}"
        );
        self
    }
}

pub fn run(command: &mut Command, input: &str) -> Ran {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    // A child that does not read its input is no fault.
    let _ = child
        .stdin
        .take()
        .expect("piped")
        .write_all(input.as_bytes());
    child
        .wait_with_output()
        .expect("the child was started")
        .into()
}

/// A temporary folder, and healc to run in it.
pub struct Folder {
    dir: TempDir,
}

impl Folder {
    pub fn new(files: &[(&str, &str)]) -> Folder {
        let folder = Folder {
            dir: tempfile::tempdir().expect("a temporary folder"),
        };
        for (path, text) in files {
            folder.write(path, text);
        }
        folder
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("below the folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    #[track_caller]
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub fn exists(&self, path: &str) -> bool {
        self.path(path).exists()
    }

    /// Runs healc in the folder; the words of `arguments` are separated by blanks.
    pub fn healc(&self, arguments: &str) -> Ran {
        self.healc_with(arguments, "")
    }

    pub fn healc_with(&self, arguments: &str, input: &str) -> Ran {
        let mut command = Command::new(healc());
        run(
            command
                .args(arguments.split(' '))
                .current_dir(self.dir.path()),
            input,
        )
    }

    pub fn python(&self, python: &Python, script: &str) -> Ran {
        let mut command = Command::new(&python.exe);
        let command = command
            .arg(script)
            .env_clear()
            .envs([("PYTHONDONTWRITEBYTECODE", "1"), ("LANG", "C.UTF-8")])
            .current_dir(self.dir.path());
        run(command, "")
    }

    /// Every file below `path`, with its bytes; links as the text of their target.
    pub fn tree(&self, path: &str) -> BTreeMap<String, Vec<u8>> {
        tree(&self.path(path))
    }
}

pub fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    walkdir::WalkDir::new(root)
        .into_iter()
        .map(|entry| entry.expect("readable"))
        .filter(|entry| !entry.file_type().is_dir())
        .map(|entry| {
            let path = entry.path();
            let name = path
                .strip_prefix(root)
                .expect("below the root")
                .to_string_lossy()
                .into_owned();
            let bytes = if entry.path_is_symlink() {
                let target = fs::read_link(path).expect("a link");
                format!("-> {}", target.display()).into_bytes()
            } else {
                fs::read(path).expect("readable")
            };
            (name, bytes)
        })
        .collect()
}

pub fn healc() -> &'static str {
    env!("CARGO_BIN_EXE_healc")
}

pub struct Python {
    pub minor: u32,
    pub exe: PathBuf,
}

/// The interpreters that pyenv has, from the oldest. None at all is a failure: the tests would
/// prove nothing.
pub fn pythons() -> Vec<Python> {
    let home = std::env::var_os("HOME").expect("HOME is set");
    let versions = Path::new(&home).join(".pyenv/versions");
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(&versions).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let minor = name
            .strip_prefix("3.")
            .and_then(|rest| rest.split('.').next()?.parse().ok());
        let exe = entry.path().join("bin/python");
        if let Some(minor @ 6..) = minor
            && exe.exists()
        {
            found.insert(minor, exe);
        }
    }
    assert!(
        !found.is_empty(),
        "{}: no Python from 3.6 on",
        versions.display()
    );
    found
        .into_iter()
        .map(|(minor, exe)| Python { minor, exe })
        .collect()
}

/// The interpreter that runs our own scripts, which want 3.11.
pub fn runner() -> PathBuf {
    let python = pythons().into_iter().find(|python| python.minor >= 11);
    python.expect("a Python from 3.11 on runs the scripts").exe
}

/// Runs one of our scripts. Its last line goes past the capture of the test harness, so that it
/// can be seen when all is well.
#[track_caller]
pub fn script(path: &str, arguments: &[&str]) {
    let mut command = Command::new(runner());
    command.env("HEALC", healc());
    let ran = run(command.arg(root().join(path)).args(arguments), "");
    let summary = ran.out.trim_end().lines().last().unwrap_or_default();
    let _ = writeln!(std::io::stdout(), "{path}: {summary}");
    ran.code(0);
}
