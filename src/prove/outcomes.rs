//! Outcomes of tests, read from JUnit XML, and what several runs say of each test.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Passed,
    Failed,
    Error,
    Skipped,
    Xfailed,
    /// The run does not mention the test.
    Missing,
}

impl Outcome {
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Failed => "failed",
            Outcome::Error => "error",
            Outcome::Skipped => "skipped",
            Outcome::Xfailed => "xfailed",
            Outcome::Missing => "missing",
        }
    }
}

/// A test's outcome and what was said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub outcome: Outcome,
    pub message: String,
}

/// By the test's id: class and name, numbered if there are several.
pub type Outcomes = BTreeMap<String, Told>;

/// Reads a JUnit report as pytest, CPython's regrtest and our unittest runner write it.
pub fn read(path: &Path) -> Result<Outcomes> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    parse(&text).with_context(|| format!("{}: not a JUnit report", path.display()))
}

fn parse(text: &str) -> Result<Outcomes> {
    let options = roxmltree::ParsingOptions {
        allow_dtd: true,
        ..Default::default()
    };
    let document = roxmltree::Document::parse_with_options(text, options)?;
    let mut outcomes = Outcomes::new();
    for case in document
        .descendants()
        .filter(|node| node.has_tag_name("testcase"))
    {
        let name = case.attribute("name").unwrap_or("?");
        let base = match case
            .attribute("classname")
            .filter(|class| !class.is_empty())
        {
            Some(class) => format!("{class}::{name}"),
            None => name.to_string(),
        };
        let mut id = base.clone();
        let mut twin = 1;
        while outcomes.contains_key(&id) {
            twin += 1;
            id = format!("{base} #{twin}");
        }
        outcomes.insert(id, told(case));
    }
    Ok(outcomes)
}

fn told(case: roxmltree::Node) -> Told {
    let mut told = Told {
        outcome: Outcome::Passed,
        message: String::new(),
    };
    for child in case.children() {
        let outcome = match child.tag_name().name() {
            "failure" => Outcome::Failed,
            "error" => Outcome::Error,
            "skipped"
                if child
                    .attribute("type")
                    .is_some_and(|kind| kind.contains("xfail")) =>
            {
                Outcome::Xfailed
            }
            "skipped" => Outcome::Skipped,
            _ => continue,
        };
        // An error in tear-down weighs more than what came before.
        if told.outcome == Outcome::Passed || outcome == Outcome::Error {
            let parts = [child.attribute("message"), child.text()];
            let parts: Vec<&str> = parts.into_iter().flatten().map(str::trim).collect();
            told = Told {
                outcome,
                message: parts.join("\n"),
            };
        }
    }
    told
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Same,
    /// Runs of one kind differ among themselves.
    Flaky,
    /// No instrumented run ends as a plain one does.
    Different,
}

/// One test over all runs.
#[derive(Debug, Clone, Serialize)]
pub struct Test {
    pub id: String,
    pub verdict: Verdict,
    pub plain: Vec<Outcome>,
    pub instrumented: Vec<Outcome>,
    /// What was said last in a run of each kind, if the test does not end the same everywhere.
    pub plain_message: String,
    pub instrumented_message: String,
}

pub fn compare(plain: &[&Outcomes], instrumented: &[&Outcomes]) -> Vec<Test> {
    let ids: BTreeSet<&String> = plain
        .iter()
        .chain(instrumented)
        .flat_map(|run| run.keys())
        .collect();
    ids.into_iter()
        .map(|id| {
            let outcomes = |runs: &[&Outcomes]| -> Vec<Outcome> {
                let outcome = |run: &&Outcomes| run.get(id).map(|told| told.outcome);
                runs.iter()
                    .map(|run| outcome(run).unwrap_or(Outcome::Missing))
                    .collect()
            };
            let (plain_seen, instrumented_seen) = (outcomes(plain), outcomes(instrumented));
            let kinds = |seen: &[Outcome]| seen.iter().copied().collect::<BTreeSet<_>>();
            let (left, right) = (kinds(&plain_seen), kinds(&instrumented_seen));
            let verdict = if left == right && left.len() == 1 {
                Verdict::Same
            } else if left.is_disjoint(&right) && left.len() == 1 {
                Verdict::Different
            } else {
                Verdict::Flaky
            };
            let message = |runs: &[&Outcomes]| {
                let mut told = runs.iter().rev().filter_map(|run| run.get(id));
                match verdict {
                    Verdict::Same => String::new(),
                    _ => told
                        .find(|told| !told.message.is_empty())
                        .map_or(String::new(), |told| told.message.clone()),
                }
            };
            Test {
                id: id.clone(),
                verdict,
                plain_message: message(plain),
                instrumented_message: message(instrumented),
                plain: plain_seen,
                instrumented: instrumented_seen,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(outcomes: &[(&str, Outcome)]) -> Outcomes {
        let told = |outcome| Told {
            outcome,
            message: String::new(),
        };
        outcomes
            .iter()
            .map(|(id, outcome)| (id.to_string(), told(*outcome)))
            .collect()
    }

    #[test]
    fn reports_are_read() {
        let outcomes = parse(
            "<testsuites><testsuite><testcase classname='m.C' name='a'/>\
             <testcase classname='m.C' name='a'><skipped type='pytest.xfail' message='x'/></testcase>\
             <testcase name='b'><failure message='no'>at 1</failure><error message='late'/></testcase>\
             <testcase name='c'><skipped message='why'/></testcase></testsuite></testsuites>",
        )
        .expect("a report");
        let found: Vec<_> = outcomes
            .iter()
            .map(|(id, told)| (id.as_str(), told.outcome, told.message.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                ("b", Outcome::Error, "late"),
                ("c", Outcome::Skipped, "why"),
                ("m.C::a", Outcome::Passed, ""),
                ("m.C::a #2", Outcome::Xfailed, "x"),
            ]
        );
        assert!(parse("<testsuites>").is_err());
    }

    #[test]
    fn flaky_tests_are_told_from_different_ones() {
        use Outcome::{Failed, Passed};
        let plain = [
            run(&[("a", Passed), ("b", Passed), ("c", Passed), ("d", Passed)]),
            run(&[("a", Passed), ("b", Failed), ("c", Passed), ("d", Passed)]),
        ];
        let instrumented = [
            run(&[("a", Passed), ("b", Passed), ("c", Failed)]),
            run(&[("a", Passed), ("b", Passed), ("c", Passed)]),
        ];
        let tests = compare(&plain.each_ref(), &instrumented.each_ref());
        let verdicts: Vec<_> = tests.iter().map(|test| test.verdict).collect();
        use Verdict::{Different, Flaky, Same};
        assert_eq!(verdicts, [Same, Flaky, Flaky, Different]);
        assert_eq!(tests[3].instrumented, [Outcome::Missing; 2]);
    }
}
