//! Agents: whoever answers the crashes of a server, over the agent side of its interface.
//!
//! [`attend`] waits for crashes and gives each to a [`Method`]; a crash that the method leaves paused
//! is re-raised. Methods: answers from a file or a record ([`script`]), one structured answer of a
//! model ([`healer`]), agents of others ([`adapter`]).

mod adapter;
pub mod command;
mod healer;
mod script;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use anyhow::{Result, bail};
use serde_json::{Value, json};

use crate::serve::{Client, succeeded};

pub use healer::Healer;
pub use script::Script;

/// How crashes are answered.
pub trait Method: Send + Sync {
    /// For the record.
    fn name(&self) -> &str;
    /// Acts on a paused crash until it is healed, or nothing more can be done.
    fn heal(&self, patient: &Patient) -> Result<()>;
    /// What is to be said at the end; true: something was not as it should be.
    fn finish(&self) -> (String, bool) {
        (String::new(), false)
    }
}

/// A paused crash, and what can be done about it.
pub struct Patient<'a> {
    client: &'a Client,
    agent: &'a str,
    pub id: String,
    /// The crash with its context, as it was when it was taken up.
    pub shown: Value,
}

/// An action, with what is said about it.
#[derive(Debug, Default)]
pub struct Treatment {
    pub code: String,
    pub submit: bool,
    pub kind: Option<Value>,
    pub reason: Option<String>,
    pub tokens: Option<Value>,
}

impl Patient<'_> {
    /// Executes, and returns the result; an error means that nothing more can be executed.
    pub fn execute(&self, treatment: &Treatment) -> Result<Value> {
        let mut body = json!({
            "code": treatment.code,
            "submit": treatment.submit,
            "reason": treatment.reason,
            "agent": self.agent,
        });
        for (key, value) in [("kind", &treatment.kind), ("tokens", &treatment.tokens)] {
            if let Some(value) = value {
                body[key] = value.clone();
            }
        }
        let path = format!("/v1/agent/crashes/{}/execute", self.id);
        loop {
            let reply = self.client.call("POST", &path, Some(&body))?;
            let kind = reply.1["type"].as_str().unwrap_or_default();
            if kind.ends_with(":busy") || kind.ends_with(":rate") {
                thread::sleep(Duration::from_millis(200));
                continue;
            }
            return succeeded(reply);
        }
    }

    pub fn reraise(&self, reason: &str) -> Result<()> {
        let path = format!("/v1/agent/crashes/{}/reraise", self.id);
        let body = json!({"reason": reason, "agent": self.agent});
        succeeded(self.client.call("POST", &path, Some(&body))?).map(|_| ())
    }

    fn is_paused(&self) -> bool {
        let path = format!("/v1/agent/crashes/{}", self.id);
        self.client
            .get(&path)
            .is_ok_and(|shown| shown["state"] == "paused")
    }
}

/// Which crashes, and how many at once.
pub struct Rounds {
    pub session: Option<String>,
    pub jobs: usize,
    /// Says what happens on standard error.
    pub talk: bool,
}

/// Answers crashes until the server is gone or `stop` is set.
pub fn attend(
    client: &Client,
    method: &dyn Method,
    rounds: &Rounds,
    stop: &AtomicBool,
) -> Result<()> {
    let (sender, receiver) = mpsc::channel::<String>();
    let receiver = Arc::new(Mutex::new(receiver));
    thread::scope(|scope| {
        for _ in 0..rounds.jobs.max(1) {
            let receiver = Arc::clone(&receiver);
            scope.spawn(move || {
                loop {
                    let next = receiver
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .recv();
                    let Ok(id) = next else { return };
                    treat(client, method, rounds, id);
                }
            });
        }
        let sender = sender;
        let mut after = 0;
        let mut misses = 0;
        let mut met = false;
        while !stop.load(Ordering::Relaxed) {
            let mut path = format!("/v1/agent/crashes?state=paused&wait=20&after={after}");
            if let Some(session) = &rounds.session {
                path.push_str(&format!("&session={}", crate::serve::escaped(session)));
            }
            let reply = client.call("GET", &path, None);
            let found = match reply {
                Ok((401 | 403, body)) => {
                    bail!("{}", body["detail"].as_str().unwrap_or("refused"));
                }
                Ok((200, body)) => body,
                Ok(_) | Err(_) if !met && misses >= 3 => {
                    bail!("{}: no answer", client.endpoint())
                }
                // It was there and is gone: the work is done.
                Ok(_) | Err(_) if misses >= 3 => return Ok(()),
                Ok(_) | Err(_) => {
                    misses += 1;
                    thread::sleep(Duration::from_millis(100));
                    continue;
                }
            };
            met = true;
            misses = 0;
            for crash in found["crashes"].as_array().into_iter().flatten() {
                after = after.max(crash["order"].as_u64().unwrap_or(0));
                if let Some(id) = crash["crash"].as_str() {
                    let _ = sender.send(id.to_string());
                }
            }
        }
        Ok(())
    })
}

fn treat(client: &Client, method: &dyn Method, rounds: &Rounds, id: String) {
    let Ok(shown) = client.get(&format!("/v1/agent/crashes/{id}")) else {
        return;
    };
    if shown["state"] != "paused" {
        return;
    }
    let place = format!(
        "{}:{}: {}",
        shown["site"]["path"].as_str().unwrap_or("?"),
        shown["site"]["line"],
        shown["exception"]["type"].as_str().unwrap_or("?"),
    );
    let patient = Patient {
        client,
        agent: method.name(),
        id,
        shown,
    };
    let done = method.heal(&patient);
    let mut said = "healed".to_string();
    if let Err(error) = &done {
        said = format!("{error:#}");
    }
    if patient.is_paused() {
        let reason = match &done {
            Ok(()) => "no answer for this crash".to_string(),
            Err(error) => format!("{error:#}"),
        };
        said = match patient.reraise(&reason) {
            Ok(()) => format!("re-raised: {reason}"),
            Err(error) => format!("{error:#}"),
        };
    }
    if rounds.talk {
        anstream::eprintln!("{place}: {said}");
    }
}
