//! `healc prove`: a test command, plain and instrumented, compared test by test.
//!
//! ```text
//! scratch  two trees that take turns at one path
//! command  what runs the tests, and how outcomes are had from it
//! outcomes JUnit reports, and a verdict for each test over all runs
//! live     sites that were reached; a forced failure that has to be seen
//! page     the proof as HTML
//! ```

mod command;
mod live;
mod outcomes;
mod page;
mod scratch;

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde::Serialize;
use wait_timeout::ChildExt;

use command::{Runner, TestCommand};
use live::{Reach, force, reach};
pub use outcomes::{Outcome, Test, Verdict};
use outcomes::{Outcomes, compare};
pub use page::html;
pub use scratch::Instrument;
use scratch::{Kind, Scratch};

use crate::overlay::{Locator, Overlay};
use crate::traceback::{Style, rewrite};

/// Version of the JSON form.
const SCHEMA: u32 = 1;

pub struct Options<'a> {
    pub repo: &'a Path,
    pub command: &'a [OsString],
    /// The interpreter, if the command does not show it.
    pub python: Option<&'a Path>,
    /// How often both runs are repeated if a test differs.
    pub repeat: usize,
    /// For one run.
    pub timeout: Option<Duration>,
    /// An empty folder for everything, left behind.
    pub scratch: &'a Path,
    /// Told what happens now.
    pub progress: &'a dyn Fn(&str),
}

/// What was found.
#[derive(Debug, Clone, Serialize)]
pub struct Proof {
    pub schema: u32,
    pub command: String,
    /// Packages that were taken from site-packages, compiled parts and all.
    pub installed: Vec<String>,
    pub same: usize,
    pub flaky: usize,
    pub different: usize,
    /// Tests that are not the same, then all others.
    pub tests: Vec<Test>,
    pub runs: Vec<Ran>,
    /// Differences that belong to no test: exit codes, output.
    pub differences: Vec<String>,
    pub reach: Reach,
    pub forced: Option<Forced>,
}

/// One run of the command.
#[derive(Debug, Clone, Serialize)]
pub struct Ran {
    pub instrumented: bool,
    /// Negative: the signal that ended it. None: it took too long.
    pub exit: Option<i32>,
    pub seconds: f64,
    pub tests: usize,
}

/// A failure that was forced at a site.
#[derive(Debug, Clone, Serialize)]
pub struct Forced {
    /// `path:line` in the original.
    pub place: String,
    /// The handler of the site saw it.
    pub intercepted: bool,
    /// Tests that ended otherwise than before, or 1 for the command as a whole.
    pub noticed: usize,
}

impl Proof {
    pub fn is_live(&self) -> bool {
        let seen = |forced: &Forced| forced.intercepted && forced.noticed > 0;
        self.forced.as_ref().is_some_and(seen)
    }

    pub fn holds(&self) -> bool {
        self.different == 0 && self.differences.is_empty() && self.is_live()
    }
}

/// One run with all that it left behind.
struct Done {
    ran: Ran,
    outcomes: Outcomes,
    out: String,
    err: String,
}

struct Prover<'a> {
    options: &'a Options<'a>,
    command: TestCommand,
    scratch: Scratch,
}

pub fn prove(options: &Options, instrument: &Instrument) -> Result<Proof> {
    let command = TestCommand::new(options.command, options.python)?;
    (options.progress)("instrumenting");
    let scratch = Scratch::make(options.scratch, options.repo, &command.python, instrument)?;
    let prover = Prover {
        options,
        command,
        scratch,
    };
    let mut plain = vec![prover.run(Kind::Plain)?];
    let mut instrumented = vec![prover.run(Kind::Instrumented)?];
    for round in 0..options.repeat {
        if prover.tests(&plain, &instrumented).iter().all(is_same)
            && prover.differences(&plain, &instrumented).is_empty()
        {
            break;
        }
        (options.progress)(&format!("repeating what differs, round {}", round + 1));
        plain.push(prover.run(Kind::Plain)?);
        instrumented.push(prover.run(Kind::Instrumented)?);
    }
    let (reach, forced) = prover.live(&instrumented[0])?;
    let mut tests = prover.tests(&plain, &instrumented);
    let count = |verdict| tests.iter().filter(|test| test.verdict == verdict).count();
    let (same, flaky, different) = (
        count(Verdict::Same),
        count(Verdict::Flaky),
        count(Verdict::Different),
    );
    tests.sort_by_key(|test| match test.verdict {
        Verdict::Different => 0,
        Verdict::Flaky => 1,
        Verdict::Same => 2,
    });
    Ok(Proof {
        schema: SCHEMA,
        command: prover.command.shown(),
        installed: prover.scratch.installed.clone(),
        same,
        flaky,
        different,
        differences: prover.differences(&plain, &instrumented),
        tests,
        runs: plain
            .iter()
            .chain(&instrumented)
            .map(|done| done.ran.clone())
            .collect(),
        reach,
        forced,
    })
}

fn is_same(test: &Test) -> bool {
    test.verdict == Verdict::Same
}

impl Prover<'_> {
    fn run(&self, kind: Kind) -> Result<Done> {
        self.scratch.lay(kind)?;
        (self.options.progress)(match kind {
            Kind::Plain => "running plain",
            Kind::Instrumented => "running instrumented",
        });
        self.start(kind, &["tools"], &[])
    }

    /// Runs the command in the tree as it is.
    fn start(&self, kind: Kind, first: &[&str], more: &[(&str, OsString)]) -> Result<Done> {
        let results = self.scratch.file("results.xml");
        let (out, err) = (
            self.scratch.file("stdout.txt"),
            self.scratch.file("stderr.txt"),
        );
        let _ = fs::remove_file(&results);
        let words = self.command.words(&results);
        let started = Instant::now();
        let mut child = Command::new(&words[0])
            .args(&words[1..])
            .current_dir(self.working_folder())
            .env("PYTHONPATH", self.scratch.python_path(first)?)
            .env("HEALC_JUNIT", &results)
            .envs(more.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(File::create(&out)?)
            .stderr(File::create(&err)?)
            // So that a run that takes too long ends with all its children.
            .process_group(0)
            .spawn()
            .with_context(|| format!("{}: cannot be started", words[0].to_string_lossy()))?;
        let status = match self.options.timeout {
            Some(timeout) => child.wait_timeout(timeout)?,
            None => Some(child.wait()?),
        };
        if status.is_none() {
            let group = rustix::process::Pid::from_child(&child);
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            child.wait()?;
        }
        let seconds = started.elapsed().as_secs_f64();
        let mut outcomes = Outcomes::new();
        if self.command.runner != Runner::Other && results.exists() {
            outcomes = outcomes::read(&results)?;
        }
        Ok(Done {
            ran: Ran {
                instrumented: kind == Kind::Instrumented,
                exit: status.map(|status| {
                    status
                        .code()
                        .unwrap_or_else(|| -status.signal().unwrap_or_default())
                }),
                seconds,
                tests: outcomes.len(),
            },
            outcomes,
            out: self.mapped(kind, &out)?,
            err: self.mapped(kind, &err)?,
        })
    }

    /// The folder of the tree that stands for the working directory.
    fn working_folder(&self) -> PathBuf {
        let tree = self.scratch.repo();
        let inside = || {
            let repo = fs::canonicalize(self.options.repo).ok()?;
            let here = std::env::current_dir().ok()?;
            let inside = tree.join(here.strip_prefix(repo).ok()?);
            inside.is_dir().then_some(inside)
        };
        inside().unwrap_or_else(|| tree.clone())
    }

    /// Output in the coordinates of the original.
    fn mapped(&self, kind: Kind, path: &Path) -> Result<String> {
        let text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
        if kind == Kind::Plain || self.command.runner != Runner::Other {
            return Ok(text);
        }
        let overlay = Overlay::open(&self.scratch.repo())?;
        Ok(rewrite(&text, &Locator::new(&overlay, None), Style::V311))
    }

    fn tests(&self, plain: &[Done], instrumented: &[Done]) -> Vec<Test> {
        let outcomes = |runs: &[Done]| -> Vec<Outcomes> {
            runs.iter().map(|done| done.outcomes.clone()).collect()
        };
        let (plain, instrumented) = (outcomes(plain), outcomes(instrumented));
        compare(
            &plain.iter().collect::<Vec<_>>(),
            &instrumented.iter().collect::<Vec<_>>(),
        )
    }

    /// Differences that no test tells of. Several runs that do not agree among themselves tell
    /// nothing.
    fn differences(&self, plain: &[Done], instrumented: &[Done]) -> Vec<String> {
        let mut found = Vec::new();
        let mut check = |what: &str, part: &dyn Fn(&Done) -> String| {
            let left: Vec<String> = plain.iter().map(part).collect();
            let right: Vec<String> = instrumented.iter().map(part).collect();
            if !left.iter().any(|text| right.contains(text)) {
                let diff = similar::TextDiff::from_lines(&left[0], &right[0]);
                let diff = diff.unified_diff().context_radius(2).to_string();
                let shown: Vec<&str> = diff.lines().take(60).collect();
                found.push(format!("{what} differs\n{}", shown.join("\n")));
            }
        };
        check("exit code", &|done| match done.ran.exit {
            Some(code) => format!("{code}\n"),
            None => "took too long\n".into(),
        });
        if self.command.runner == Runner::Other {
            check("standard output", &|done| done.out.clone());
            check("standard error", &|done| done.err.clone());
        }
        found
    }

    fn live(&self, before: &Done) -> Result<(Reach, Option<Forced>)> {
        (self.options.progress)("looking which sites are reached");
        let folder = self.scratch.file("reached");
        fs::create_dir_all(&folder)?;
        let mut below = self.scratch.tree().into_os_string();
        below.push("/");
        let tracing = [
            ("HEALC_REACH", folder.clone().into_os_string()),
            ("HEALC_REACH_BELOW", below),
        ];
        self.scratch.lay(Kind::Instrumented)?;
        self.start(Kind::Instrumented, &["tools/reach", "tools"], &tracing)?;
        let (reach, candidates) = reach(&self.scratch, &folder)?;
        let mut last = None;
        for candidate in candidates {
            (self.options.progress)(&format!("forcing a failure at {}", candidate.place));
            self.scratch.lay(Kind::Instrumented)?;
            if !force(&candidate)? {
                continue;
            }
            let (script, log) = (
                self.scratch.file("script.py"),
                self.scratch.file("log.jsonl"),
            );
            fs::write(
                &script,
                format!("snippets = {{{:?}: None}}\n", candidate.key),
            )?;
            let _ = fs::remove_file(&log);
            let healing = [
                ("EH_MODE", OsString::from("script")),
                ("EH_SCRIPT", script.into_os_string()),
                ("EH_LOG", log.clone().into_os_string()),
            ];
            let after = self.start(Kind::Instrumented, &["tools"], &healing)?;
            let intercepted =
                fs::read_to_string(&log).is_ok_and(|log| log.contains(&candidate.key));
            let changed = compare(&[&before.outcomes], &[&after.outcomes]);
            let changed = changed.iter().filter(|test| !is_same(test)).count();
            let as_a_whole = before.ran.exit != after.ran.exit || before.err != after.err;
            let forced = Forced {
                place: candidate.place,
                intercepted,
                noticed: changed.max(usize::from(
                    as_a_whole && self.command.runner == Runner::Other
                        || before.ran.exit != after.ran.exit,
                )),
            };
            let seen = forced.intercepted && forced.noticed > 0;
            last = Some(forced);
            if seen {
                break;
            }
        }
        Ok((reach, last))
    }
}
