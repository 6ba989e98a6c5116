//! A verdict for people and for programs.

use std::fmt::Write as _;

use serde::Serialize;

use super::{Finding, Kind, Options, Verdict};

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    accepted: bool,
    kind: Kind,
    target_python: Option<String>,
    policy: &'a str,
    findings: &'a [Finding],
    unreported: usize,
}

/// One JSON document, with a line end.
///
/// # Panics
/// Never: the document is plain data.
pub fn to_json(verdict: &Verdict, options: &Options) -> String {
    let document = Document {
        schema: 1,
        accepted: verdict.is_accepted(),
        kind: options.kind,
        target_python: options.target_python.map(|target| target.to_string()),
        policy: &verdict.fingerprint,
        findings: &verdict.findings,
        unreported: verdict.unreported,
    };
    let mut text = serde_json::to_string_pretty(&document).expect("a verdict is plain data");
    text.push('\n');
    text
}

/// `name:line:column: message [rule]`, the line itself, and what to write instead.
pub fn to_text(verdict: &Verdict, name: &str, code: &str, color: bool) -> String {
    let (red, green, plain) = if color {
        ("\x1b[31m", "\x1b[32m", "\x1b[0m")
    } else {
        ("", "", "")
    };
    if verdict.is_accepted() {
        return format!("{green}accepted{plain}: {name}\n");
    }
    let lines: Vec<&str> = code.split('\n').collect();
    let mut text = String::new();
    for finding in &verdict.findings {
        let Finding {
            line,
            column,
            end_line,
            end_column,
            rule,
            message,
            instead,
        } = finding;
        let _ = writeln!(
            text,
            "{name}:{line}:{column}: {red}{message}{plain} [{rule}]"
        );
        let shown = lines
            .get(*line as usize - 1)
            .map_or("", |line| line.trim_end_matches('\r'));
        let printable =
            !shown.trim().is_empty() && !shown.chars().any(|c| c.is_control() && c != '\t');
        if printable && shown.chars().count() <= 200 {
            let marks = if end_line == line {
                end_column.saturating_sub(*column).max(1)
            } else {
                1
            };
            let pad: String = shown
                .chars()
                .take(*column as usize - 1)
                .map(|c| if c == '\t' { '\t' } else { ' ' })
                .collect();
            let _ = writeln!(text, "    {shown}\n    {pad}{}", "^".repeat(marks as usize));
        }
        let _ = writeln!(text, "    instead: {instead}");
    }
    let count = verdict.findings.len() + verdict.unreported;
    let _ = write!(
        text,
        "{red}rejected{plain}: {name}: {count} finding{}",
        if count == 1 { "" } else { "s" }
    );
    if verdict.unreported > 0 {
        let _ = write!(text, ", the first {} shown", verdict.findings.len());
    }
    text.push('\n');
    text
}
