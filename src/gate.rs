//! HealCore: what healing code must pass before it runs.
//!
//! [`check`] judges a submission against a [`Policy`]: an allow-list over syntax, names,
//! attributes, calls and imports (`rules/healcore.toml`). The code is accepted if there are no
//! findings, and every finding says where, which rule, and what to write instead. Nothing is run.
//!
//! The gate makes healing code analysable; it is not a sandbox. Calls into the project may do
//! whatever the project does. That is why the runtime has a wall of its own, and accepts only
//! code that carries [`sign`]'s signature.
//!
//! Bounded by construction: the size is checked first, then the lexer (which does not recurse)
//! measures how deep a parser would go, and only then is anything parsed.

mod check;
mod constants;
mod pattern;
mod policy;
mod render;
mod scan;
mod sign;
mod template;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use ruff_text_size::TextRange;
use serde::{Deserialize, Serialize};

use crate::config::TargetPython;

pub use policy::{Policy, PolicyError};
pub use render::{to_json, to_text};
pub use sign::{sign, signed_message};

/// What is asked of the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// It repairs the frame, and its bindings are written back.
    #[default]
    Submit,
    /// It only looks.
    Probe,
}

/// How to judge.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The version of the execution side, whose grammar counts; none means the newest.
    pub target_python: Option<TargetPython>,
    pub kind: Kind,
    /// What the execution side knows about the names of the crash frame.
    pub frame: Option<Frame>,
}

/// Facts about the names that healing code sees, from the execution side.
///
/// Without them the gate goes by names: `os` and `sys` are the modules, `string` or `code` may
/// be anything. The runtime finds them in `_context.py`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Frame {
    /// Names that are bound to modules, with the module's own name: `np` to `numpy`.
    pub modules: BTreeMap<String, String>,
    /// Names that hide a built-in or a module by something else: a parameter called `input`.
    pub shadowed: BTreeSet<String>,
}

/// One reason to reject the code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    /// From 1, like the column, which counts characters. The end is just after the last one.
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    pub rule: &'static str,
    pub message: String,
    /// What to write instead.
    pub instead: String,
}

/// What the gate says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// In the order of the source. None: the code is accepted.
    pub findings: Vec<Finding>,
    /// How many more there are than are reported.
    pub unreported: usize,
    /// Of the policy that judged.
    pub fingerprint: String,
}

impl Verdict {
    pub fn is_accepted(&self) -> bool {
        self.findings.is_empty()
    }
}

/// A finding before its place is known in lines and columns.
#[derive(Debug, Clone)]
struct Raw {
    range: TextRange,
    rule: &'static str,
    message: String,
    instead: String,
}

/// Judges a submission. Any bytes will do; the time is bounded by the policy's limits.
pub fn check(code: &[u8], policy: &Policy, options: &Options) -> Verdict {
    let (text, mut raw) = match scan::decode(code, policy) {
        Ok(decoded) => decoded,
        Err(finding) => return verdict("", vec![*finding], policy),
    };
    if let Err(finding) = scan::depth(text, policy).and_then(|depth| {
        // Deep code gets a stack that is sure to be large enough; it is rare.
        if depth <= scan::SHALLOW {
            raw.extend(check::judge(text, policy, options));
            return Ok(());
        }
        let found = std::thread::scope(|scope| {
            std::thread::Builder::new()
                .stack_size(scan::STACK_BYTES)
                .spawn_scoped(scope, || check::judge(text, policy, options))
                .ok()
                .and_then(|thread| thread.join().ok())
        });
        raw.extend(found.ok_or_else(|| Box::new(scan::too_deep(text, 0, policy)))?);
        Ok(())
    }) {
        raw.push(*finding);
    }
    verdict(text, raw, policy)
}

/// For a fuzzer: judges `data` in every mode and version that differ.
pub fn fuzz(data: &[u8], policy: &Policy) {
    for minor in [6, 8, 12, 14] {
        for kind in [Kind::Submit, Kind::Probe] {
            let options = Options {
                target_python: TargetPython::new(minor),
                kind,
                frame: None,
            };
            let verdict = check(data, policy, &options);
            assert_eq!(
                verdict,
                check(data, policy, &options),
                "the verdict is a function of the code"
            );
            let text = String::from_utf8_lossy(data);
            let _ = (
                to_json(&verdict, &options),
                to_text(&verdict, "<fuzz>", &text, false),
            );
        }
    }
}

fn verdict(text: &str, mut raw: Vec<Raw>, policy: &Policy) -> Verdict {
    raw.sort_by_key(|finding| (finding.range.start(), finding.range.end(), finding.rule));
    raw.dedup_by(|a, b| (a.range, a.rule, &a.message) == (b.range, b.rule, &b.message));
    let unreported = raw.len().saturating_sub(policy.limits.findings.max(1));
    raw.truncate(raw.len() - unreported);
    let lines = scan::Lines::new(text);
    let findings = raw
        .into_iter()
        .map(|finding| {
            let (line, column) = lines.position(finding.range.start());
            let (end_line, end_column) = lines.position(finding.range.end());
            Finding {
                line,
                column,
                end_line,
                end_column,
                rule: finding.rule,
                message: finding.message,
                instead: finding.instead,
            }
        })
        .collect();
    Verdict {
        findings,
        unreported,
        fingerprint: policy.fingerprint().to_string(),
    }
}
