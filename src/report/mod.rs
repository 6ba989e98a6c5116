//! What people read: diagnostics with the source they point into, and the summary.

pub mod machine;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::artifact::{Diagnostic, LineIndex, Manifest, State};
use crate::discover::{Discovery, LeftAlone};
use crate::prove::{Outcome, Proof, Verdict};
use crate::repo::Report;

/// `path:line:col: message [code]`, and the line itself if there is one.
pub fn diagnostic(
    report: &Report,
    diagnostic: &Diagnostic,
    source: Option<&str>,
    color: bool,
) -> String {
    let Diagnostic {
        code,
        line,
        column,
        message,
    } = diagnostic;
    let level = match report.state {
        State::Failed => "error",
        _ => "warning",
    };
    let mut text = format!(
        "{level}: {}:{line}:{column}: {message} [{code}]\n",
        report.path
    );
    let Some(source) = source else { return text };
    let index = LineIndex::new(source);
    let Some(at) = index.offset_chars(line - 1, column - 1) else {
        return text;
    };
    let Some(shown) = index.line_text(line - 1) else {
        return text;
    };
    // A line that no terminal can show helps nobody.
    if shown.chars().count() > 240 || shown.trim().is_empty() {
        return text;
    }
    let start = at as usize - index.offset_chars(line - 1, 0).unwrap_or(at) as usize;
    let width = shown[start.min(shown.len())..]
        .chars()
        .next()
        .map_or(0, char::len_utf8);
    let renderer = if color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let kind = match report.state {
        State::Failed => Level::ERROR,
        _ => Level::WARNING,
    };
    let group = Group::with_level(kind).element(
        Snippet::source(shown)
            .line_start(*line as usize)
            .annotation(AnnotationKind::Primary.span(start..start + width)),
    );
    text.push_str(&renderer.render(&[group]));
    text.push('\n');
    text
}

/// Files, sites, what was left alone and why, and the time it took.
pub fn summary(manifest: &Manifest, kept: usize, elapsed: Duration, verb: &str) -> String {
    let totals = &manifest.totals;
    let mut text = format!(
        "{verb} {} of {} ({}) in {:.2} s",
        totals.instrumented,
        counted(totals.files as u64, "Python file"),
        counted(totals.sites, "site"),
        elapsed.as_secs_f64(),
    );
    if kept > 0 {
        let _ = write!(text, ", {kept} unchanged since the last run");
    }
    text.push('\n');
    if totals.unchanged > 0 {
        let _ = writeln!(text, "  {} with nothing to wrap", totals.unchanged);
    }
    if totals.skipped > 0 {
        let _ = writeln!(text, "  {} left alone, see the warnings", totals.skipped);
    }
    if totals.failed > 0 {
        let _ = writeln!(
            text,
            "  {} left alone because of a fault of healc's",
            totals.failed
        );
    }
    let mut by_rule: BTreeMap<&str, u64> = BTreeMap::new();
    for left in manifest.left_alone.values() {
        *by_rule.entry(&left.rule).or_default() += 1;
    }
    if !by_rule.is_empty() {
        let _ = writeln!(text, "  paths excluded: {}", list(by_rule));
    }
    for (counts, what) in [
        (&totals.left_alone, "statements left alone"),
        (&totals.declined, "statements declined"),
    ] {
        if !counts.is_empty() {
            let counts = counts.iter().map(|(k, v)| (k.as_str(), *v)).collect();
            let _ = writeln!(text, "  {what}: {}", list(counts));
        }
    }
    text
}

/// What is looked at and what is not: every path, or, unless `all`, what was left alone by rule.
pub fn files(discovery: &Discovery, all: bool) -> String {
    let mut text = String::new();
    for path in &discovery.files {
        let _ = writeln!(text, "{path}");
    }
    if all {
        for left in &discovery.left_alone {
            let _ = writeln!(
                text,
                "{}: left alone, {}: {}",
                left.path, left.rule, left.reason
            );
        }
        return text;
    }
    let mut by_rule: BTreeMap<&str, Vec<&LeftAlone>> = BTreeMap::new();
    for left in &discovery.left_alone {
        by_rule.entry(&left.rule).or_default().push(left);
    }
    for (rule, paths) in by_rule {
        // Of many reasons, such as patterns of .gitignore, one is an example.
        let _ = writeln!(
            text,
            "{} left alone, {rule}: {} {}",
            counted(paths.len() as u64, "path"),
            paths[0].path,
            paths[0].reason
        );
    }
    text
}

/// What `healc prove` found.
pub fn proof(proof: &Proof) -> String {
    let mut text = String::new();
    for difference in &proof.differences {
        let _ = writeln!(text, "{difference}");
    }
    for test in &proof.tests {
        let verdict = match test.verdict {
            Verdict::Same => continue,
            Verdict::Flaky => "flaky",
            Verdict::Different => "different",
        };
        let outcomes = |runs: &[Outcome]| {
            let words: Vec<_> = runs.iter().map(|outcome| outcome.as_str()).collect();
            words.join(", ")
        };
        let _ = writeln!(
            text,
            "{verdict}: {}: plain {}; instrumented {}",
            test.id,
            outcomes(&test.plain),
            outcomes(&test.instrumented)
        );
        if test.verdict == Verdict::Different {
            for line in test.instrumented_message.lines().take(12) {
                let _ = writeln!(text, "    {line}");
            }
        }
    }
    let total = proof.same + proof.flaky + proof.different;
    let _ = writeln!(
        text,
        "{}: {} the same, {} different, {} flaky",
        counted(total as u64, "test"),
        proof.same,
        proof.different,
        proof.flaky
    );
    for name in &proof.installed {
        let _ = writeln!(text, "  {name}: the installed copy was instrumented");
    }
    let _ = writeln!(
        text,
        "  {} of {} reached ({} %)",
        proof.reach.reached,
        counted(proof.reach.sites as u64, "site"),
        100 * proof.reach.reached / proof.reach.sites.max(1)
    );
    let _ = match &proof.forced {
        None => writeln!(
            text,
            "  not live: no site was reached at which a failure could be forced"
        ),
        Some(forced) => writeln!(
            text,
            "  {}: a failure forced at {} was {} by its handler and noticed by {}",
            if proof.is_live() { "live" } else { "not live" },
            forced.place,
            if forced.intercepted {
                "seen"
            } else {
                "not seen"
            },
            counted(forced.noticed as u64, "test"),
        ),
    };
    text
}

fn list(counts: BTreeMap<&str, u64>) -> String {
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(name, n)| (std::cmp::Reverse(*n), *name));
    let parts: Vec<_> = counts
        .iter()
        .map(|(name, n)| format!("{name} {n}"))
        .collect();
    parts.join(", ")
}

pub fn counted(n: u64, noun: &str) -> String {
    if n == 1 {
        format!("1 {noun}")
    } else {
        format!("{n} {noun}s")
    }
}
