//! The broker's books: sessions and crashes, how many and how much, and the end of a pause.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::crash::{Crash, PauseState, unknown};
use super::problem::Problem;
use super::record::{self, Record};
use super::repository::Repository;

/// Crashes that are paused at once, and bytes of their contexts.
pub const PAUSED: usize = 2000;
pub const PAUSED_BYTES: usize = 256 << 20;
/// Crashes that are over and still shown, and bytes of their contexts. The record has all.
pub const OVER: usize = 1000;
pub const OVER_BYTES: usize = 32 << 20;
pub const SESSIONS: usize = 10_000;
pub struct Session {
    pub name: String,
    pub token: String,
    pub overlay: Option<PathBuf>,
    pub repository_path: Option<PathBuf>,
    pub repository: Option<Arc<Repository>>,
    pub crashes: u64,
}

/// All that changes.
pub struct State {
    pub sessions: BTreeMap<String, Session>,
    pub crashes: HashMap<String, Crash>,
    /// Crash ids that are over, from the oldest.
    pub over: VecDeque<String>,
    pub over_bytes: usize,
    pub paused: usize,
    pub paused_bytes: usize,
    pub order: u64,
    pub record: Record,
    /// The record cannot be written: nothing new begins.
    pub mute: bool,
    pub closing: bool,
}

/// What the execution side gets from a poll.
pub enum Polled {
    Action(Value),
    Nothing,
    Over,
}

/// Which crashes are listed.
#[derive(Debug, Default, Deserialize)]
pub struct Filter {
    pub state: Option<PauseState>,
    pub session: Option<String>,
    /// Only those with a greater `order`.
    pub after: Option<u64>,
}

impl State {
    pub fn may_begin(&self) -> Result<(), Problem> {
        if self.closing {
            return Err(Problem::unavailable("the server stops"));
        }
        if self.mute {
            return Err(Problem::unavailable("the record cannot be written"));
        }
        Ok(())
    }

    pub fn begin(&mut self, session: Session) -> Result<(), Problem> {
        self.may_begin()?;
        if self.sessions.len() >= SESSIONS {
            return Err(Problem::unavailable("too many sessions"));
        }
        self.write(
            "session",
            json!({
                "session": session.name,
                "repository": session.repository_path,
                "overlay": session.overlay,
            }),
        )?;
        self.sessions.insert(session.name.clone(), session);
        Ok(())
    }

    pub fn write(&mut self, event: &str, members: Value) -> Result<(), Problem> {
        self.record.write(event, members).map_err(|error| {
            if !std::mem::replace(&mut self.mute, true) {
                anstream::eprintln!("healc: the record cannot be written: {error}");
            }
            Problem::unavailable("the record cannot be written")
        })
    }

    /// More is kept of a paused crash.
    pub fn grow(&mut self, id: &str, bytes: usize) {
        if let Some(crash) = self.crashes.get_mut(id) {
            crash.size += bytes;
            self.paused_bytes += bytes;
        }
    }

    pub fn crash_of(&mut self, session: &str, id: &str) -> Result<&mut Crash, Problem> {
        let crash = self.crashes.get_mut(id);
        crash
            .filter(|crash| crash.session == session)
            .ok_or_else(|| unknown(id))
    }

    pub fn next_action(&self, session: &str, id: &str, after: u64) -> Option<Polled> {
        let Some(crash) = self.crashes.get(id) else {
            return Some(Polled::Over);
        };
        if crash.state != PauseState::Paused {
            return Some(Polled::Over);
        }
        debug_assert_eq!(crash.session, session);
        let action = crash
            .actions
            .iter()
            .find(|action| action.seq == after.checked_add(1))?;
        Some(Polled::Action(match &action.code {
            None => json!({"seq": action.seq, "id": action.id, "action": "reraise"}),
            Some(code) => json!({
                "seq": action.seq, "id": action.id, "action": "execute", "submit": action.submit,
                "code": code, "signature": action.signature,
            }),
        }))
    }

    pub fn list(&self, filter: &Filter, budget: u32) -> Vec<Value> {
        let mut found: Vec<(u64, Value)> = self
            .crashes
            .iter()
            .filter(|(_, crash)| {
                filter.state.is_none_or(|state| crash.state == state)
                    && filter.after.is_none_or(|after| crash.order > after)
                    && (filter.session.as_ref()).is_none_or(|session| crash.session == *session)
            })
            .map(|(id, crash)| (crash.order, crash.summary(id, budget)))
            .collect();
        found.sort_by_key(|(order, _)| *order);
        found.into_iter().map(|(_, summary)| summary).collect()
    }

    /// Ends a pause, once.
    pub fn end(&mut self, id: &str, outcome: PauseState, reason: &str) {
        let Some(crash) = self.crashes.get_mut(id) else {
            return;
        };
        if crash.state != PauseState::Paused {
            return;
        }
        crash.state = outcome;
        crash.reason = (!reason.is_empty()).then(|| reason.to_string());
        crash.ended = Some(record::now());
        let size = crash.size;
        let event = json!({
            "session": crash.session, "crash": id, "outcome": outcome, "reason": crash.reason,
        });
        self.paused -= 1;
        self.paused_bytes -= size;
        let _ = self.write("end", event);
        self.over.push_back(id.to_string());
        self.over_bytes += size;
        while self.over.len() > 1 && (self.over.len() > OVER || self.over_bytes > OVER_BYTES) {
            let Some(oldest) = self.over.pop_front() else {
                break;
            };
            if let Some(crash) = self.crashes.remove(&oldest) {
                self.over_bytes -= crash.size;
            }
        }
    }
}

/// Names of sessions stand in paths and logs.
pub fn check_name(name: &str) -> Result<(), Problem> {
    let fine = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || name.len() > 100 || !name.chars().all(fine) || name.starts_with('.') {
        return Err(Problem::invalid(
            "a session's name has 1 to 100 letters, digits, `-`, `_` and `.`, and does not begin with `.`",
        ));
    }
    Ok(())
}

pub fn check_context(context: &Value) -> Result<(), Problem> {
    match context["protocol"].as_u64() {
        Some(1) => {}
        _ => {
            return Err(Problem::invalid(
                "this server speaks protocol 1: the crash context has to say `\"protocol\": 1`",
            ));
        }
    }
    for member in ["exception", "site"] {
        if !context[member].is_object() {
            let detail = format!("a crash context has an object `{member}`");
            return Err(Problem::invalid(detail));
        }
    }
    Ok(())
}
