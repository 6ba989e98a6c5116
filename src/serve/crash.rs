//! What the broker keeps of a crash, and what both sides say about it.

use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::problem::Problem;
use crate::config::TargetPython;
use crate::gate::Frame;

/// Bounds of a pause. The execution side gets them with the answer to its crash.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Limits {
    /// Seconds for a probe.
    pub probe: u64,
    /// Seconds for a submission.
    pub submit: u64,
    /// Seconds for which a pause goes on without an action.
    pub request: u64,
    /// Actions for each crash; what the gate rejects counts.
    pub actions: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            probe: 20,
            submit: 30,
            request: 300,
            actions: 100,
        }
    }
}

/// Which code has to pass the gate before it is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Gated {
    /// Probes and submissions
    All,
    /// Submissions only
    Submit,
    /// Nothing: any code runs
    Off,
}

/// What an agent wants to be executed.
#[derive(Debug, Clone, Deserialize)]
pub struct Execute {
    pub code: String,
    #[serde(default)]
    pub submit: bool,
    /// The action is executed once, however often it is sent with this id.
    pub id: Option<String>,
    pub reason: Option<String>,
    pub kind: Option<ActionKind>,
    pub tokens: Option<Tokens>,
    /// Who says so, for the record.
    pub agent: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ActionKind {
    Explore,
    Inspect,
    Heal,
    Reraise,
}

/// What a model used for an action.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Tokens {
    #[serde(default)]
    pub input: u64,
    #[serde(default)]
    pub output: u64,
}

/// Why an agent re-raises.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Reraise {
    pub reason: Option<String>,
    pub tokens: Option<Tokens>,
    pub agent: Option<String>,
}

/// What the execution side says about an action.
#[derive(Debug, Clone, Deserialize)]
pub struct Outcome {
    pub seq: u64,
    pub id: Option<String>,
    pub state: PauseState,
    #[serde(flatten)]
    pub rest: serde_json::Map<String, Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PauseState {
    Paused,
    Resumed,
    Returned,
    Reraised,
    /// Over without an answer: the execution side gave up, or is gone.
    Closed,
}

pub struct Action {
    /// None: the gate rejected it, and the execution side never sees it.
    pub seq: Option<u64>,
    pub id: String,
    pub code: Option<String>,
    pub submit: bool,
    pub kind: ActionKind,
    pub reason: Option<String>,
    pub tokens: Option<Tokens>,
    pub agent: Option<String>,
    pub signature: Option<String>,
    pub at: u64,
    pub deadline: Instant,
    pub result: Option<Value>,
}

pub struct Crash {
    pub session: String,
    pub order: u64,
    pub context: Value,
    pub size: usize,
    pub frame: Option<Frame>,
    pub python: Option<TargetPython>,
    pub state: PauseState,
    pub reason: Option<String>,
    pub at: u64,
    pub ended: Option<u64>,
    pub actions: Vec<Action>,
    /// The gate judges code for it just now.
    pub judging: Option<String>,
    pub spent: u32,
    pub polls: u32,
    /// When a poll ended or a result came last.
    pub seen: Instant,
    /// When an agent did something last.
    pub touched: Instant,
    pub changed: watch::Sender<()>,
}

impl Crash {
    pub fn pending(&self) -> Option<&Action> {
        self.actions.last().filter(|action| action.result.is_none())
    }

    pub fn may_act(&self, id: &str) -> Result<(), Problem> {
        if self.state != PauseState::Paused {
            return Err(over(id));
        }
        if self.judging.is_some() || self.pending().is_some() {
            let detail = format!("{id}: another action is being executed");
            return Err(Problem::conflict("busy", detail));
        }
        Ok(())
    }

    pub fn next_seq(&self) -> u64 {
        let last = self.actions.iter().rev().find_map(|action| action.seq);
        last.unwrap_or(0) + 1
    }

    pub fn why_over(&self, id: &str) -> Problem {
        let why = self.reason.as_deref().unwrap_or("it is over");
        Problem::conflict("not-paused", format!("{id}: not paused any more: {why}"))
    }

    pub fn summary(&self, id: &str, budget: u32) -> Value {
        let context = &self.context;
        json!({
            "crash": id,
            "session": self.session,
            "order": self.order,
            "state": self.state,
            "reason": self.reason,
            "busy": self.judging.is_some() || self.pending().is_some(),
            "at": self.at,
            "ended": self.ended,
            "exception": {
                "type": context["exception"]["type"],
                "message": context["exception"]["message"],
            },
            "site": {
                "path": context["site"]["path"],
                "line": context["site"]["line"],
                "key": context["site"]["key"],
                "function": context["site"]["function"],
                "statement": context["site"]["statement"],
            },
            "process": context["process"]["pid"],
            "thread": context["thread"]["name"],
            "number": context["number"],
            "action_count": self.actions.len(),
            "actions_left": budget.saturating_sub(self.spent),
        })
    }
}

impl Action {
    pub fn shown(&self) -> Value {
        json!({
            "seq": self.seq,
            "id": self.id,
            "action": if self.code.is_some() { "execute" } else { "reraise" },
            "submit": self.submit,
            "code": self.code,
            "kind": self.kind,
            "reason": self.reason,
            "tokens": self.tokens,
            "agent": self.agent,
            "at": self.at,
            "result": self.result,
        })
    }

    pub fn event(&self, session: &str, crash: &str, findings: Value) -> Value {
        let mut event = self.shown();
        if let Value::Object(members) = &mut event {
            members.remove("result");
            members.remove("at");
            members.insert("session".into(), session.into());
            members.insert("crash".into(), crash.into());
            if !findings.is_null() {
                members.insert("findings".into(), findings);
            }
        }
        event
    }
}

pub fn unknown(id: &str) -> Problem {
    Problem::not_found(format!("{id}: no such crash"))
}

pub fn over(id: &str) -> Problem {
    Problem::conflict("not-paused", format!("{id}: not paused any more"))
}
