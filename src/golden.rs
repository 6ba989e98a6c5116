//! Golden cases: what a program becomes, on disk, for people to read and for tests to hold.
//!
//! `DIR/<family>/<case>/` holds `in.py`, the expected `out.py` and `map.txt` (sites, declined
//! statements and diagnostics), and optionally `case.toml` with settings. Anything else fails, so
//! that no case can be orphaned.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use similar::TextDiff;

use crate::artifact::{LineIndex, SiteTable, State, original_text, segments_of};
use crate::compile::{Compiled, Options, compile};
use crate::config::{Returns, TargetPython};
use crate::encoding::Decoded;
use crate::rules::Rules;
use crate::verify::Proof;

const INPUT: &str = "in.py";
const OUTPUT: &str = "out.py";
const MAP: &str = "map.txt";
const SETTINGS: &str = "case.toml";

/// What a run over a folder of cases came to.
pub struct Outcome {
    pub text: String,
    pub passed: usize,
    pub failed: usize,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct CaseSettings {
    returns: Option<Returns>,
    target_python: Option<TargetPython>,
    /// What is wrong with the expected output, if it is known to be wrong.
    #[expect(dead_code, reason = "for readers")]
    bug: Option<String>,
}

/// Runs the cases below `dir` whose path contains `only`; with `update` writes what they produce.
pub fn run(dir: &Path, only: Option<&str>, update: bool) -> Result<Outcome> {
    if !dir.is_dir() {
        bail!("{}: no such folder", dir.display());
    }
    let mut outcome = Outcome {
        text: String::new(),
        passed: 0,
        failed: 0,
    };
    let mut cases = Vec::new();
    let mut strays = Vec::new();
    collect(dir, &mut cases, &mut strays)?;
    for stray in strays {
        outcome.failed += 1;
        let _ = writeln!(
            outcome.text,
            "{}: belongs to no case; a case is a folder with {INPUT}, {OUTPUT}, {MAP} and perhaps {SETTINGS}",
            stray.display()
        );
    }
    let rules = Rules::builtin();
    for case in cases {
        let name = case
            .strip_prefix(dir)
            .unwrap_or(&case)
            .display()
            .to_string();
        if only.is_some_and(|only| !name.contains(only)) {
            continue;
        }
        let problems = check(&case, &name, &rules, update).with_context(|| name.clone())?;
        if problems.is_empty() {
            outcome.passed += 1;
        } else {
            outcome.failed += 1;
            outcome.text.push_str(&problems);
        }
    }
    let _ = writeln!(
        outcome.text,
        "{} passed, {} failed",
        outcome.passed, outcome.failed
    );
    Ok(outcome)
}

fn collect(dir: &Path, cases: &mut Vec<PathBuf>, strays: &mut Vec<PathBuf>) -> Result<()> {
    let mut entries: Vec<_> = fs::read_dir(dir)
        .with_context(|| dir.display().to_string())?
        .collect::<Result<_, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    let is_case = entries.iter().any(|entry| entry.file_name() == INPUT);
    if is_case {
        cases.push(dir.to_path_buf());
    }
    for entry in entries {
        let name = entry.file_name();
        let known = [INPUT, OUTPUT, MAP, SETTINGS].iter().any(|k| name == *k);
        if entry.file_type()?.is_dir() {
            if is_case {
                strays.push(entry.path());
            } else {
                collect(&entry.path(), cases, strays)?;
            }
        } else if !(is_case && known) {
            strays.push(entry.path());
        }
    }
    Ok(())
}

/// The differences of one case, as text; empty if it holds.
fn check(case: &Path, name: &str, rules: &Rules, update: bool) -> Result<String> {
    let settings: CaseSettings = match fs::read_to_string(case.join(SETTINGS)) {
        Ok(text) => toml::from_str(&text).with_context(|| SETTINGS)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => CaseSettings::default(),
        Err(error) => return Err(error).context(SETTINGS),
    };
    let input = fs::read(case.join(INPUT)).context(INPUT)?;
    let options = Options {
        returns: settings.returns.unwrap_or_default(),
        target: settings.target_python,
        proof: Proof::Thorough,
    };
    let compiled = compile(INPUT, input.clone(), options, rules);
    let output = compiled
        .output
        .as_ref()
        .map_or(&input, |output| &output.bytes);
    let map = map_text(&compiled)?;
    let mut problems = String::new();
    for (file, produced) in [(OUTPUT, output.as_slice()), (MAP, map.as_bytes())] {
        let path = case.join(file);
        let expected = fs::read(&path).ok();
        if expected.as_deref() == Some(produced) {
            continue;
        }
        if update {
            fs::write(&path, produced).with_context(|| file)?;
            continue;
        }
        let Some(expected) = expected else {
            let _ = writeln!(problems, "{name}/{file}: missing; --update writes it");
            continue;
        };
        let expected = String::from_utf8_lossy(&expected);
        let produced = String::from_utf8_lossy(produced);
        let diff = TextDiff::from_lines(expected.as_ref(), produced.as_ref());
        let _ = write!(
            problems,
            "{}",
            diff.unified_diff().header(
                &format!("{name}/{file} (expected)"),
                &format!("{name}/{file} (produced)")
            )
        );
    }
    Ok(problems)
}

/// The map of a case, as people read it.
fn map_text(compiled: &Compiled) -> Result<String> {
    let mut text = String::new();
    let entry = &compiled.entry;
    let state = match entry.state {
        State::Instrumented => "instrumented",
        State::Unchanged => "unchanged",
        State::Skipped => "skipped",
        State::Failed => "failed",
    };
    let _ = writeln!(text, "{state}");
    for diagnostic in &entry.diagnostics {
        let _ = writeln!(
            text,
            "{}:{}: {}: {}",
            diagnostic.line, diagnostic.column, diagnostic.code, diagnostic.message
        );
    }
    if let Some(output) = &compiled.output {
        let table: SiteTable = serde_json::from_str(&output.sites)?;
        let map = sourcemap::SourceMap::from_slice(&output.map)?;
        let decoded = Decoded::decode(output.bytes.clone())?;
        let segments = segments_of(&map, decoded.text()).context("the map does not fit")?;
        let original = original_text(decoded.text(), &segments);
        let (before, after) = (LineIndex::new(&original), LineIndex::new(decoded.text()));
        for site in &table.sites {
            let start = before
                .offset_chars(site.line - 1, site.column)
                .context("site range")?;
            let at = segments.partition_point(|segment| segment.src <= start);
            let segment = segments[at - 1];
            let (line, column) = after.position(segment.out + (start - segment.src));
            let shown = before.line_text(site.line - 1).unwrap_or("").trim();
            let shown: String = shown.chars().take(40).collect();
            let _ = write!(
                text,
                "{} {}:{}-{}:{} -> {}:{} {} {} in {}",
                site.id,
                site.line,
                site.column,
                site.end_line,
                site.end_column,
                line + 1,
                column,
                site.kind,
                site.form,
                site.function.as_deref().unwrap_or("<module>"),
            );
            for at in &site.tries {
                let handlers = &table.tries[*at as usize].handlers;
                let shown: Vec<_> = handlers
                    .iter()
                    .map(|h| h.as_deref().unwrap_or(""))
                    .collect();
                let _ = write!(text, " try[{}]", shown.join(" | "));
            }
            let _ = writeln!(text, "  {shown}");
        }
    }
    for declined in &entry.declined {
        let _ = writeln!(
            text,
            "declined {}:{}-{}:{} {} ({})",
            declined.line,
            declined.column,
            declined.end_line,
            declined.end_column,
            declined.reason,
            crate::report::counted(u64::from(declined.statements), "statement"),
        );
    }
    Ok(text)
}
