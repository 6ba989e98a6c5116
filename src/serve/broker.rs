//! The broker: sessions, crashes and actions, and who waits for whom.
//!
//! One lock around plain data; whoever waits subscribes first, looks, and sleeps until a crash
//! changes. What the record says is written under the lock, so that it has the order of what
//! happened. The pause of a crash ends once, in [`State::end`], whoever ends it.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use serde_json::{Value, json};
use tokio::sync::{broadcast, watch};

use super::crash::{
    Action, ActionKind, Crash, Execute, Gated, Limits, Outcome, PauseState, Reraise, over, unknown,
};
use super::problem::Problem;
use super::record::{self, Record};
use super::repository::Repository;
use super::secret::{random_hex, same, signature_key};
use super::state::{
    Filter, PAUSED, PAUSED_BYTES, Polled, Session, State, check_context, check_name,
};
use crate::config::TargetPython;
use crate::gate::{self, Frame, Kind, Policy};

/// What a poll of the execution side waits.
const POLL: Duration = Duration::from_secs(25);
/// What is added to an alarm of the execution side before it counts as lost.
const GRACE: Duration = Duration::from_secs(10);
/// A paused execution that has not polled for so long is gone.
const LOST: Duration = Duration::from_secs(15);

pub struct Broker {
    state: Mutex<State>,
    pub limits: Limits,
    policy: Policy,
    gated: Gated,
    /// The execution token of sessions that begin by themselves.
    any_session: Option<String>,
    /// Something about any crash changed.
    changed: watch::Sender<()>,
    events: broadcast::Sender<Arc<str>>,
}

/// What a broker is made from.
pub struct Setup {
    pub limits: Limits,
    pub policy: Policy,
    pub gated: Gated,
    pub any_session: Option<String>,
    pub record: Record,
}

/// Counts a poll that is open, also when its connection dies.
struct OpenPoll<'a> {
    broker: &'a Broker,
    crash: String,
}

impl Drop for OpenPoll<'_> {
    fn drop(&mut self) {
        if let Some(crash) = self.broker.lock().crashes.get_mut(&self.crash) {
            crash.polls -= 1;
            crash.seen = Instant::now();
        }
    }
}

impl Broker {
    pub fn new(mut setup: Setup) -> std::io::Result<Broker> {
        setup.record.write(
            "start",
            json!({
                "healc": env!("CARGO_PKG_VERSION"),
                "policy": setup.policy.fingerprint(),
                "gate": setup.gated,
            }),
        )?;
        Ok(Broker {
            state: Mutex::new(State {
                sessions: BTreeMap::new(),
                crashes: HashMap::new(),
                over: VecDeque::new(),
                over_bytes: 0,
                paused: 0,
                paused_bytes: 0,
                order: 0,
                record: setup.record,
                mute: false,
                closing: false,
            }),
            limits: setup.limits,
            policy: setup.policy,
            gated: setup.gated,
            any_session: setup.any_session,
            changed: watch::Sender::new(()),
            events: broadcast::Sender::new(256),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic under the lock is a fault of ours; the data is still whole between statements.
        self.state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub fn events(&self) -> broadcast::Receiver<Arc<str>> {
        self.events.subscribe()
    }

    // ---------------------------------------------------------------------------------- sessions

    /// Begins a session; its execution token is given or made.
    pub fn begin(
        &self,
        name: &str,
        repository: Option<PathBuf>,
        overlay: Option<PathBuf>,
        token: Option<String>,
    ) -> Result<String, Problem> {
        check_name(name)?;
        let view = match &repository {
            Some(path) => Some(Arc::new(
                Repository::open(path).map_err(|error| Problem::invalid(format!("{error:#}")))?,
            )),
            None => None,
        };
        let mut state = self.lock();
        if state.sessions.contains_key(name) {
            return Err(Problem::conflict(
                "session",
                format!("{name}: there is such a session already"),
            ));
        }
        let token = token.unwrap_or_else(|| random_hex(24));
        state.begin(Session {
            name: name.to_string(),
            token: token.clone(),
            overlay,
            repository_path: repository,
            repository: view,
            crashes: 0,
        })?;
        Ok(token)
    }

    /// Whether the token opens the executions of this session.
    pub fn may_execute(&self, session: &str, token: &str) -> bool {
        match self.lock().sessions.get(session) {
            Some(session) => same(&session.token, token),
            None => self
                .any_session
                .as_deref()
                .is_some_and(|own| same(own, token)),
        }
    }

    /// Whether some session has this execution token.
    pub fn is_execution_token(&self, token: &str) -> bool {
        let own = self.any_session.as_deref();
        own.is_some_and(|own| same(own, token))
            || self
                .lock()
                .sessions
                .values()
                .any(|session| same(&session.token, token))
    }

    pub fn sessions(&self) -> Value {
        let state = self.lock();
        let sessions: Vec<Value> = state
            .sessions
            .values()
            .map(|session| {
                let paused = state.crashes.values().filter(|crash| {
                    crash.session == session.name && crash.state == PauseState::Paused
                });
                json!({
                    "session": session.name,
                    "repository": session.repository_path,
                    "overlay": session.overlay,
                    "crashes": session.crashes,
                    "paused": paused.count(),
                })
            })
            .collect();
        json!({ "sessions": sessions })
    }

    pub fn repository(&self, session: &str) -> Result<Arc<Repository>, Problem> {
        let state = self.lock();
        let found = state
            .sessions
            .get(session)
            .ok_or_else(|| Problem::not_found(format!("{session}: no such session")))?;
        found.repository.clone().ok_or_else(|| {
            Problem::not_found(format!(
                "{session}: the session has no repository to look at"
            ))
        })
    }

    // -------------------------------------------------------------------------- the execution side

    /// A crash is paused.
    pub fn crash(&self, session: &str, context: Value, size: usize) -> Result<Value, Problem> {
        check_context(&context)?;
        let frame = context.get("frame").cloned();
        let frame = frame.and_then(|frame| serde_json::from_value::<Frame>(frame).ok());
        let version = &context["process"]["version"];
        let python = match (version[0].as_u64(), version[1].as_u64()) {
            (Some(3), Some(minor)) => u8::try_from(minor).ok().and_then(TargetPython::new),
            _ => None,
        };
        let id = format!("c-{}", random_hex(8));
        let mut state = self.lock();
        state.may_begin()?;
        if !state.sessions.contains_key(session) {
            let Some(token) = &self.any_session else {
                return Err(Problem::not_found(format!("{session}: no such session")));
            };
            check_name(session)?;
            state.begin(Session {
                name: session.to_string(),
                token: token.clone(),
                overlay: None,
                repository_path: None,
                repository: None,
                crashes: 0,
            })?;
        }
        if state.paused >= PAUSED || state.paused_bytes + size > PAUSED_BYTES {
            return Err(Problem::unavailable("too many crashes are paused"));
        }
        let order = state.order + 1;
        state.write(
            "crash",
            json!({"session": session, "crash": id, "order": order, "context": context}),
        )?;
        state.order = order;
        state.paused += 1;
        state.paused_bytes += size;
        if let Some(session) = state.sessions.get_mut(session) {
            session.crashes += 1;
        }
        let now = Instant::now();
        let crash = Crash {
            session: session.to_string(),
            order,
            context,
            size,
            frame,
            python,
            state: PauseState::Paused,
            reason: None,
            at: record::now(),
            ended: None,
            actions: Vec::new(),
            judging: None,
            spent: 0,
            polls: 0,
            seen: now,
            touched: now,
            changed: watch::Sender::new(()),
        };
        state.crashes.insert(id.clone(), crash);
        self.notify(&state, &id);
        Ok(json!({"crash": id, "limits": self.limits}))
    }

    /// The action after number `after`, as soon as there is one.
    pub async fn poll(&self, session: &str, id: &str, after: u64) -> Result<Polled, Problem> {
        let mut changed = {
            let mut state = self.lock();
            let crash = state.crash_of(session, id)?;
            crash.polls += 1;
            crash.changed.subscribe()
        };
        let _open = OpenPoll {
            broker: self,
            crash: id.to_string(),
        };
        let until = tokio::time::Instant::now() + POLL;
        loop {
            if let Some(polled) = self.lock().next_action(session, id, after) {
                return Ok(polled);
            }
            match tokio::time::timeout_at(until, changed.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return Ok(Polled::Over),
                Err(_) => return Ok(Polled::Nothing),
            }
        }
    }

    /// What came of an action.
    pub fn result(
        &self,
        session: &str,
        id: &str,
        outcome: Outcome,
        size: usize,
    ) -> Result<(), Problem> {
        let mut state = self.lock();
        let crash = state.crash_of(session, id)?;
        let seq = outcome.seq;
        let Some(at) = crash.actions.iter().position(|a| a.seq == Some(seq)) else {
            return Err(Problem::conflict(
                "seq",
                format!("{seq}: no action of this number"),
            ));
        };
        let action = &crash.actions[at];
        if outcome.id.as_ref().is_some_and(|id| *id != action.id) {
            return Err(Problem::conflict(
                "seq",
                format!("action {seq} has another id"),
            ));
        }
        if action.result.is_some() {
            return Ok(());
        }
        if crash.state != PauseState::Paused {
            return Err(over(id));
        }
        if outcome.state == PauseState::Closed {
            return Err(Problem::invalid(
                "a result does not close a crash; /close does",
            ));
        }
        let action_id = action.id.clone();
        let was_reraise = action.code.is_none();
        let mut members = outcome.rest;
        members.insert("seq".into(), seq.into());
        members.insert("id".into(), action_id.into());
        members.insert("state".into(), json!(outcome.state));
        let mut event = members.clone();
        event.insert("session".into(), session.into());
        event.insert("crash".into(), id.into());
        // The pause goes on as it goes on, whether or not the record can be written.
        let _ = state.write("result", Value::Object(event));
        state.grow(id, size);
        let crash = state.crash_of(session, id)?;
        let left = self.limits.actions.saturating_sub(crash.spent);
        members.insert("actions_left".into(), left.into());
        crash.actions[at].result = Some(Value::Object(members));
        crash.seen = Instant::now();
        crash.touched = crash.seen;
        match outcome.state {
            PauseState::Paused if was_reraise => {
                state.end(
                    id,
                    PauseState::Closed,
                    "the execution side did not re-raise",
                );
            }
            PauseState::Paused => self.spend_up(&mut state, id),
            ended => {
                let reason = state.crash_of(session, id)?.actions[at].reason.clone();
                state.end(id, ended, reason.as_deref().unwrap_or_default());
            }
        }
        self.notify(&state, id);
        Ok(())
    }

    /// The execution side gave up.
    pub fn close(&self, session: &str, id: &str, reason: &str) -> Result<(), Problem> {
        let mut state = self.lock();
        state.crash_of(session, id)?;
        state.end(id, PauseState::Closed, reason);
        self.notify(&state, id);
        Ok(())
    }

    // ------------------------------------------------------------------------------------- agents

    /// Crashes in the order in which they were paused; waits for one if there is none.
    pub async fn crashes(&self, filter: &Filter, wait: Duration) -> Value {
        let mut changed = self.changed.subscribe();
        let until = tokio::time::Instant::now() + wait;
        loop {
            let found = self.lock().list(filter, self.limits.actions);
            if !found.is_empty() || wait.is_zero() {
                return json!({ "crashes": found });
            }
            if let Ok(Ok(())) = tokio::time::timeout_at(until, changed.changed()).await {
                continue;
            }
            return json!({ "crashes": [] });
        }
    }

    /// All about a crash.
    pub fn show(&self, id: &str) -> Result<Value, Problem> {
        let state = self.lock();
        let crash = state.crashes.get(id).ok_or_else(|| unknown(id))?;
        let mut shown = crash.summary(id, self.limits.actions);
        shown["context"] = crash.context.clone();
        shown["limits"] = json!(self.limits);
        shown["actions"] = crash.actions.iter().map(Action::shown).collect();
        Ok(shown)
    }

    /// Judges the code, has it executed, and waits for what comes of it.
    pub async fn execute(self: &Arc<Self>, id: &str, asked: Execute) -> Result<Value, Problem> {
        let key = match &asked.id {
            Some(key) if key.is_empty() || key.len() > 100 => {
                return Err(Problem::invalid("an id has 1 to 100 bytes"));
            }
            Some(key) => key.clone(),
            None => format!("a-{}", random_hex(8)),
        };
        let (options, changed) = self.prepare(id, &key, &asked)?;
        let Some(options) = options else {
            return self.answer(id, &key, changed).await;
        };
        // From here on the action does not depend on whether its client is still there.
        let broker = Arc::clone(self);
        let (crash_id, action_key) = (id.to_string(), key.clone());
        let task = tokio::task::spawn_blocking(move || {
            broker.judge(&crash_id, &action_key, asked, &options)
        });
        let judged = task.await.unwrap_or_else(|_| {
            Err(Problem::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal",
                "the gate failed on this code; it was not executed",
            ))
        });
        if let Err(problem) = judged {
            let mut state = self.lock();
            if let Some(crash) = state.crashes.get_mut(id) {
                crash.judging = None;
            }
            self.notify(&state, id);
            return Err(problem);
        }
        self.answer(id, &key, changed).await
    }

    /// Reserves the crash for this action. None: it is known already, and its answer is what is
    /// asked for.
    fn prepare(&self, id: &str, key: &str, asked: &Execute) -> Result<Prepared, Problem> {
        let mut state = self.lock();
        let crash = state.crashes.get_mut(id).ok_or_else(|| unknown(id))?;
        let changed = crash.changed.subscribe();
        if let Some(earlier) = crash.actions.iter().find(|action| action.id == key) {
            if earlier.code.as_ref() != Some(&asked.code) || earlier.submit != asked.submit {
                let detail = format!("{key}: the id of another action");
                return Err(Problem::conflict("id", detail));
            }
            return Ok((None, changed));
        }
        if crash.judging.as_deref() == Some(key) {
            return Ok((None, changed));
        }
        crash.may_act(id)?;
        if crash.spent >= self.limits.actions {
            let detail = format!("{id}: all {} actions are used up", self.limits.actions);
            return Err(Problem::new(
                StatusCode::TOO_MANY_REQUESTS,
                "budget",
                detail,
            ));
        }
        crash.judging = Some(key.to_string());
        crash.spent += 1;
        crash.touched = Instant::now();
        let options = gate::Options {
            target_python: crash.python,
            kind: if asked.submit {
                Kind::Submit
            } else {
                Kind::Probe
            },
            frame: crash.frame.clone(),
        };
        Ok((Some(options), changed))
    }

    /// The one way from a submission to its execution: the gate, then the signature.
    fn judge(
        &self,
        id: &str,
        key: &str,
        asked: Execute,
        options: &gate::Options,
    ) -> Result<(), Problem> {
        let gated = match self.gated {
            Gated::All => true,
            Gated::Submit => asked.submit,
            Gated::Off => false,
        };
        let verdict = gated.then(|| gate::check(asked.code.as_bytes(), &self.policy, options));
        let rejected = verdict.filter(|verdict| !verdict.is_accepted());
        let mut state = self.lock();
        let full = state.paused_bytes > PAUSED_BYTES;
        let Some(crash) = state.crashes.get_mut(id) else {
            return Err(unknown(id));
        };
        crash.judging = None;
        if full {
            return Err(Problem::unavailable("too much is kept of paused crashes"));
        }
        if crash.state != PauseState::Paused {
            return Err(over(id));
        }
        let left = self.limits.actions - crash.spent;
        let session = crash.session.clone();
        let seconds = if asked.submit {
            self.limits.submit
        } else {
            self.limits.probe
        };
        let default_kind = if asked.submit {
            ActionKind::Heal
        } else {
            ActionKind::Inspect
        };
        let mut action = Action {
            seq: None,
            id: key.to_string(),
            submit: asked.submit,
            kind: asked.kind.unwrap_or(default_kind),
            reason: asked.reason,
            tokens: asked.tokens,
            agent: asked.agent,
            signature: None,
            at: record::now(),
            deadline: Instant::now() + Duration::from_secs(seconds) + GRACE,
            result: None,
            code: None,
        };
        let mut findings = Value::Null;
        if let Some(verdict) = rejected {
            findings = json!(verdict.findings);
            action.result = Some(json!({
                "seq": null, "id": key, "state": PauseState::Paused, "stdout": "", "value": null,
                "error": {
                    "kind": "gate",
                    "type": null,
                    "message": gate::to_text(&verdict, "<healing>", &asked.code, false),
                    "traceback": null,
                    "findings": findings,
                    "unreported": verdict.unreported,
                },
                "elapsed_ms": 0.0, "written": [], "actions_left": left,
            }));
        } else {
            action.seq = Some(crash.next_seq());
            let token = state.sessions[&session].token.clone();
            action.signature = Some(gate::sign(
                &signature_key(&token),
                &session,
                id,
                asked.code.as_bytes(),
            ));
        }
        action.code = Some(asked.code);
        state.write("action", action.event(&session, id, findings))?;
        state.grow(id, action.code.as_ref().map_or(0, String::len));
        let over_now = action.result.is_some();
        if let Some(crash) = state.crashes.get_mut(id) {
            crash.actions.push(action);
        }
        if over_now {
            self.spend_up(&mut state, id);
        }
        self.notify(&state, id);
        Ok(())
    }

    /// Lets the original exception go on.
    pub async fn reraise(&self, id: &str, asked: Reraise) -> Result<Value, Problem> {
        let (key, changed) = {
            let mut state = self.lock();
            let crash = state.crashes.get(id).ok_or_else(|| unknown(id))?;
            let changed = crash.changed.subscribe();
            // Said twice, or said when the budget has said so: the same answer.
            let earlier = crash.actions.iter().find(|action| action.code.is_none());
            match earlier.map(|action| action.id.clone()) {
                Some(key) => (key, changed),
                None => {
                    crash.may_act(id)?;
                    (self.push_reraise(&mut state, id, asked)?, changed)
                }
            }
        };
        self.answer(id, &key, changed).await
    }

    fn push_reraise(&self, state: &mut State, id: &str, asked: Reraise) -> Result<String, Problem> {
        let crash = state.crashes.get_mut(id).ok_or_else(|| unknown(id))?;
        let action = Action {
            seq: Some(crash.next_seq()),
            id: format!("a-{}", random_hex(8)),
            code: None,
            submit: false,
            kind: ActionKind::Reraise,
            reason: asked.reason,
            tokens: asked.tokens,
            agent: asked.agent,
            signature: None,
            at: record::now(),
            deadline: Instant::now() + GRACE,
            result: None,
        };
        let key = action.id.clone();
        let session = crash.session.clone();
        let event = action.event(&session, id, Value::Null);
        crash.actions.push(action);
        // To let an exception go on must always be possible.
        let _ = state.write("action", event);
        self.notify(state, id);
        Ok(key)
    }

    /// A crash whose budget is used up goes on.
    fn spend_up(&self, state: &mut State, id: &str) {
        let Some(crash) = state.crashes.get(id) else {
            return;
        };
        if crash.spent >= self.limits.actions && crash.may_act(id).is_ok() {
            let asked = Reraise {
                reason: Some("budget".into()),
                agent: Some("healc".into()),
                tokens: None,
            };
            let _ = self.push_reraise(state, id, asked);
        }
    }

    /// Waits for an action's result.
    async fn answer(
        &self,
        id: &str,
        key: &str,
        mut changed: watch::Receiver<()>,
    ) -> Result<Value, Problem> {
        loop {
            {
                let state = self.lock();
                let crash = state.crashes.get(id).ok_or_else(|| unknown(id))?;
                let action = crash.actions.iter().find(|action| action.id == key);
                match action.map(|action| action.result.clone()) {
                    Some(Some(result)) => return Ok(result),
                    None if crash.judging.as_deref() != Some(key) => {
                        return Err(Problem::unavailable(format!("{key}: was not executed")));
                    }
                    _ if crash.state != PauseState::Paused => {
                        return Err(crash.why_over(id));
                    }
                    _ => {}
                }
            }
            if changed.changed().await.is_err() {
                return Err(unknown(id));
            }
        }
    }

    // -------------------------------------------------------------------------------------- time

    /// What nobody answers ends. To be called about once a second.
    pub fn tick(&self) {
        let now = Instant::now();
        let mut state = self.lock();
        let mut ended = Vec::new();
        let mut idle = Vec::new();
        for (id, crash) in &state.crashes {
            if crash.state != PauseState::Paused {
                continue;
            }
            let request = Duration::from_secs(self.limits.request);
            match crash.pending() {
                Some(action) if now > action.deadline && action.code.is_none() => {
                    ended.push((id.clone(), PauseState::Reraised, "no answer to a re-raise"));
                }
                Some(action) if now > action.deadline => {
                    ended.push((id.clone(), PauseState::Closed, "no answer to an action"));
                }
                Some(_) => {}
                None if crash.polls == 0 && now > crash.seen + LOST => {
                    ended.push((id.clone(), PauseState::Closed, "the execution side is gone"));
                }
                None if now > crash.touched + request && crash.judging.is_none() => {
                    idle.push(id.clone());
                }
                None => {}
            }
        }
        for (id, outcome, reason) in ended {
            state.end(&id, outcome, reason);
            self.notify(&state, &id);
        }
        for id in idle {
            let asked = Reraise {
                reason: Some("nobody acted in time".into()),
                agent: Some("healc".into()),
                tokens: None,
            };
            let _ = self.push_reraise(&mut state, &id, asked);
        }
    }

    /// The server stops: all exceptions go on.
    pub fn shut(&self) {
        let mut state = self.lock();
        if std::mem::replace(&mut state.closing, true) {
            return;
        }
        let paused: Vec<String> = state
            .crashes
            .iter()
            .filter(|(_, crash)| crash.state == PauseState::Paused)
            .map(|(id, _)| id.clone())
            .collect();
        for id in paused {
            state.end(&id, PauseState::Closed, "the server stopped");
            self.notify(&state, &id);
        }
        let _ = state.write("stop", json!({}));
    }

    /// Tells everyone who waits.
    fn notify(&self, state: &State, id: &str) {
        if let Some(crash) = state.crashes.get(id) {
            crash.changed.send_replace(());
            if self.events.receiver_count() > 0 {
                let summary = crash.summary(id, self.limits.actions);
                let _ = self.events.send(summary.to_string().into());
            }
        }
        self.changed.send_replace(());
    }
}

/// How to judge a new action, and what tells of its answer.
type Prepared = (Option<gate::Options>, watch::Receiver<()>);
