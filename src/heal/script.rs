//! Answers from a file, and answers that a record holds.
//!
//! ```toml
//! [[answer]]
//! at = "pkg/mod.py:12"     # or key = "9f86d081884c7d65"; without either: any crash
//! exception = "KeyError"   # optional
//! times = 1                # optional: for so many crashes, then the next answer that fits
//! heal = "x = 0"           # one submission; or several actions:
//!
//! [[answer.action]]
//! code = "sorted(table)"
//! [[answer.action]]
//! code = "x = 0"
//! submit = true
//! ```

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Method, Patient, Treatment};
use crate::serve::record;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    answer: Vec<Answer>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    at: Option<String>,
    key: Option<String>,
    exception: Option<String>,
    times: Option<u64>,
    heal: Option<String>,
    #[serde(default)]
    action: Vec<Action>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Action {
    code: String,
    #[serde(default)]
    submit: bool,
    #[serde(skip)]
    kind: Option<Value>,
    #[serde(skip)]
    reason: Option<String>,
    /// What came of it when it was recorded.
    #[serde(skip)]
    then: Option<Value>,
}

pub struct Script {
    name: &'static str,
    answers: Vec<Answer>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    used: HashMap<usize, u64>,
    crashes: u64,
    unanswered: u64,
    differences: Vec<String>,
}

impl Script {
    pub fn load(path: &Path) -> Result<Script> {
        let name = path.display();
        let text = std::fs::read_to_string(path).with_context(|| name.to_string())?;
        let file: File = toml::from_str(&text).map_err(|error| {
            let (line, column) = error.span().map_or((1, 1), |span| {
                let before = &text[..span.start];
                let line = before.matches('\n').count() + 1;
                let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
                (line, column)
            });
            anyhow::anyhow!("{name}:{line}:{column}: {}", error.message())
        })?;
        let mut answers = file.answer;
        for (number, answer) in answers.iter_mut().enumerate() {
            let number = number + 1;
            if let Some(at) = &answer.at {
                let line = at.rsplit_once(':').map(|(_, line)| line.parse::<u64>());
                if !matches!(line, Some(Ok(_))) {
                    bail!("{name}: answer {number}: `at` is written PATH:LINE");
                }
            }
            if answer.key.as_ref().is_some_and(|key| key.len() < 8) {
                bail!("{name}: answer {number}: a `key` has at least 8 digits");
            }
            if let Some(code) = answer.heal.take() {
                if !answer.action.is_empty() {
                    bail!("{name}: answer {number}: has `heal` or actions, not both");
                }
                answer.action.push(Action {
                    code,
                    submit: true,
                    kind: None,
                    reason: None,
                    then: None,
                });
            }
        }
        Ok(Script::new("script", answers))
    }

    /// The answers that a record holds: each of its crashes is answered once, as it was.
    pub fn replay(path: &Path) -> Result<Script> {
        let events = record::read(path)?;
        let mut answers: BTreeMap<u64, Answer> = BTreeMap::new();
        let mut number = 0;
        let mut now: HashMap<(String, String), u64> = HashMap::new();
        for event in &events {
            let word = |key: &str| event[key].as_str().unwrap_or_default().to_string();
            let crash = (word("session"), word("crash"));
            match event["event"].as_str() {
                Some("crash") => {
                    number += 1;
                    let context = &event["context"];
                    let site = &context["site"];
                    let at = site["path"]
                        .as_str()
                        .map(|path| format!("{path}:{}", site["line"]));
                    let key = site["key"].as_str().map(str::to_string);
                    answers.insert(
                        number,
                        Answer {
                            // The key outlives changes elsewhere in the file.
                            at: at.filter(|_| key.is_none()),
                            key,
                            exception: context["exception"]["type"].as_str().map(str::to_string),
                            times: Some(1),
                            heal: None,
                            action: Vec::new(),
                        },
                    );
                    now.insert(crash, number);
                }
                Some("action") if event["action"] == "execute" => {
                    let answer = now.get(&crash).and_then(|n| answers.get_mut(n));
                    let answer = answer.context("the record has an action without its crash")?;
                    let rejected = event["seq"].is_null();
                    answer.action.push(Action {
                        code: word("code"),
                        submit: event["submit"] == true,
                        kind: Some(event["kind"].clone()).filter(|kind| !kind.is_null()),
                        reason: event["reason"].as_str().map(str::to_string),
                        then: rejected
                            .then(|| json!({"state": "paused", "error": {"kind": "gate"}})),
                    });
                }
                Some("result") if !event["seq"].is_null() => {
                    let answer = now.get(&crash).and_then(|n| answers.get_mut(n));
                    let last = answer.and_then(|answer| answer.action.last_mut());
                    if let Some(last) = last.filter(|last| last.then.is_none()) {
                        last.then = Some(event.clone());
                    }
                }
                _ => {}
            }
        }
        Ok(Script::new("replay", answers.into_values().collect()))
    }

    fn new(name: &'static str, answers: Vec<Answer>) -> Script {
        Script {
            name,
            answers,
            state: Mutex::default(),
        }
    }

    fn pick(&self, shown: &Value) -> Option<&Answer> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.crashes += 1;
        let found = self.answers.iter().enumerate().find(|(number, answer)| {
            let used = state.used.get(number).copied().unwrap_or(0);
            answer.times.is_none_or(|times| used < times) && answer.fits(shown)
        });
        match found {
            Some((number, answer)) => {
                *state.used.entry(number).or_default() += 1;
                Some(answer)
            }
            None => {
                state.unanswered += 1;
                None
            }
        }
    }

    fn compare(&self, patient: &Patient, action: &Action, result: &Value) {
        let Some(then) = &action.then else { return };
        let essence = |result: &Value| {
            json!([
                result["state"],
                result["value"],
                result["stdout"].as_str().unwrap_or(""),
                result["error"]["kind"],
                result["error"]["type"],
            ])
        };
        // What the gate says of a rejection is not in the record's line of the action.
        let same = if then["error"]["kind"] == "gate" {
            result["error"]["kind"] == "gate"
        } else {
            essence(then) == essence(result)
        };
        if !same {
            let line = action.code.lines().next().unwrap_or_default();
            let text = format!(
                "{}: `{line}`: was {}, is {}",
                patient.id,
                essence(then),
                essence(result)
            );
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.differences.push(text);
        }
    }
}

impl Answer {
    fn fits(&self, shown: &Value) -> bool {
        let site = &shown["site"];
        let at = || {
            let path = site["path"].as_str().unwrap_or_default();
            format!("{path}:{}", site["line"])
        };
        let key = site["key"].as_str().unwrap_or_default();
        self.at.as_ref().is_none_or(|own| *own == at())
            && (self.key.as_ref()).is_none_or(|own| key.starts_with(own.as_str()))
            && (self.exception.as_ref())
                .is_none_or(|own| shown["exception"]["type"] == own.as_str())
    }
}

impl Method for Script {
    fn name(&self) -> &str {
        self.name
    }

    fn heal(&self, patient: &Patient) -> Result<()> {
        let Some(answer) = self.pick(&patient.shown) else {
            return Ok(());
        };
        for action in &answer.action {
            let result = patient.execute(&Treatment {
                code: action.code.clone(),
                submit: action.submit,
                kind: action.kind.clone(),
                reason: action.reason.clone(),
                tokens: None,
            })?;
            self.compare(patient, action, &result);
            if result["state"] != "paused" {
                break;
            }
        }
        Ok(())
    }

    fn finish(&self) -> (String, bool) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        for difference in &state.differences {
            text.push_str(difference);
            text.push('\n');
        }
        text.push_str(&format!(
            "{} crashes, {} without an answer, {} results differ\n",
            state.crashes,
            state.unanswered,
            state.differences.len()
        ));
        let replayed = self.name == "replay";
        (
            text,
            replayed && (state.unanswered > 0 || !state.differences.is_empty()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Script> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("answers.toml");
        std::fs::write(&path, text).unwrap();
        Script::load(&path)
    }

    #[test]
    fn answers_are_picked_in_order_and_counted() {
        let script = load(
            "[[answer]]\nat = 'a.py:1'\ntimes = 1\nheal = 'x = 1'\n\
             [[answer]]\nkey = '0123456789'\nexception = 'KeyError'\nheal = 'x = 2'\n",
        )
        .unwrap();
        let crash = |path: &str, line: u64, exception: &str| {
            json!({
                "site": {"path": path, "line": line, "key": "0123456789abcdef"},
                "exception": {"type": exception},
            })
        };
        let code = |shown: &Value| script.pick(shown).map(|a| a.action[0].code.clone());
        assert_eq!(code(&crash("a.py", 1, "KeyError")).unwrap(), "x = 1");
        assert_eq!(code(&crash("a.py", 1, "KeyError")).unwrap(), "x = 2");
        assert_eq!(code(&crash("a.py", 1, "ValueError")), None);
        assert!(script.finish().0.contains("3 crashes, 1 without"));
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        for (text, said) in [
            ("[[answer]]\nat = 'a.py'", "PATH:LINE"),
            ("[[answer]]\nkey = '01'", "8 digits"),
            (
                "[[answer]]\nheel = ''",
                "answers.toml:2:1: unknown field `heel`",
            ),
            (
                "[[answer]]\nheal = ''\n[[answer.action]]\ncode = ''",
                "not both",
            ),
        ] {
            let error = load(text).err().expect(text).to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
