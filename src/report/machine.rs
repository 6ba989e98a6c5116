//! Diagnostics for other programs: one JSON document, GitHub annotations, SARIF 2.1.0.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::artifact::{Diagnostic, Manifest, State};
use crate::repo::Report;

/// The formats that a program reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `{"schema", "tool", "totals", "diagnostics", "declined"}`; lines and columns from 1.
    Json,
    /// Workflow commands, one a line.
    Github,
    /// For code scanning.
    Sarif,
}

/// Everything that a run has to say. `prefix` leads from the working directory to the repository.
pub fn document(format: Format, manifest: &Manifest, reports: &[Report], prefix: &str) -> String {
    match format {
        Format::Json => pretty(&json_document(manifest, reports)),
        Format::Github => github(reports, prefix),
        Format::Sarif => pretty(&sarif(manifest, reports, prefix)),
    }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

fn severity(report: &Report) -> &'static str {
    match report.state {
        State::Failed => "error",
        _ => "warning",
    }
}

fn each(reports: &[Report]) -> impl Iterator<Item = (&Report, &Diagnostic)> {
    reports
        .iter()
        .flat_map(|report| report.diagnostics.iter().map(move |one| (report, one)))
}

fn json_document(manifest: &Manifest, reports: &[Report]) -> Value {
    let diagnostics: Vec<Value> = each(reports)
        .map(|(report, one)| {
            json!({
                "path": report.path.as_str(),
                "line": one.line,
                "column": one.column,
                "code": one.code,
                "severity": severity(report),
                "message": one.message,
            })
        })
        .collect();
    let declined: BTreeMap<&String, _> = manifest
        .files
        .iter()
        .filter(|(_, file)| !file.declined.is_empty())
        .map(|(path, file)| (path, &file.declined))
        .collect();
    json!({
        "schema": manifest.schema,
        "tool": manifest.tool,
        "totals": manifest.totals,
        "diagnostics": diagnostics,
        "declined": declined,
    })
}

fn github(reports: &[Report], prefix: &str) -> String {
    // What the runner would take for the end of a value.
    let data = |text: &str| {
        text.replace('%', "%25")
            .replace('\r', "%0D")
            .replace('\n', "%0A")
    };
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    each(reports)
        .map(|(report, one)| {
            format!(
                "::{} title=healc ({}),file={},line={},col={}::{}:{}:{}: {}\n",
                severity(report),
                property(&one.code),
                property(&format!("{prefix}{}", report.path)),
                one.line,
                one.column,
                data(report.path.as_str()),
                one.line,
                one.column,
                data(&one.message),
            )
        })
        .collect()
}

fn sarif(manifest: &Manifest, reports: &[Report], prefix: &str) -> Value {
    let results: Vec<Value> = each(reports)
        .map(|(report, one)| {
            json!({
                "ruleId": one.code,
                "level": severity(report),
                "message": { "text": one.message },
                "locations": [{
                    "physicalLocation": {
                        "artifactLocation": { "uri": uri(&format!("{prefix}{}", report.path)) },
                        "region": { "startLine": one.line, "startColumn": one.column },
                    },
                }],
            })
        })
        .collect();
    let rules: BTreeMap<&str, Value> = each(reports)
        .map(|(_, one)| (one.code.as_str(), json!({ "id": one.code })))
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": manifest.tool.name,
                    "version": manifest.tool.version,
                    "rules": rules.into_values().collect::<Vec<_>>(),
                },
            },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// A relative path as a URI reference.
fn uri(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                text.push(byte as char);
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}
