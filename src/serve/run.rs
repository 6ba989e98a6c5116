//! A healing side for one command: `healc run`. Starts the server, answers crashes, and says at the
//! end what happened.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::Value;

use super::command::{environment, live_page};
use super::{Client, Options, Server, random_hex};
use crate::heal::{Method, Rounds, attend};

const SESSION: &str = "run";

/// A server and, with a method, an agent of it, for the processes of one command.
pub struct Healing {
    server: Server,
    token: String,
    client: Arc<Client>,
    method: Option<Arc<dyn Method>>,
    attending: Option<JoinHandle<Result<()>>>,
    stop: Arc<AtomicBool>,
}

impl Healing {
    pub fn start(
        options: Options,
        repo: &Path,
        overlay: &Path,
        method: Option<Box<dyn Method>>,
        rounds: Rounds,
    ) -> Result<Healing> {
        let server = Server::start(options)?;
        let token = random_hex(24);
        server
            .broker
            .begin(
                SESSION,
                Some(std::fs::canonicalize(repo)?),
                Some(overlay.to_path_buf()),
                Some(token.clone()),
            )
            .map_err(|problem| anyhow::anyhow!(problem.detail))?;
        let client = Arc::new(server.client());
        let stop = Arc::new(AtomicBool::new(false));
        let method: Option<Arc<dyn Method>> = method.map(Arc::from);
        let attending = method.clone().map(|method| {
            let (client, stop) = (Arc::clone(&client), Arc::clone(&stop));
            thread::spawn(move || attend(&client, &*method, &rounds, &stop))
        });
        Ok(Healing {
            server,
            token,
            client,
            method,
            attending,
            stop,
        })
    }

    /// Where a person can watch and heal. Its fragment holds the agent token.
    pub fn page(&self) -> String {
        live_page(&self.server)
    }

    /// What the command's processes get.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        environment(&self.server, SESSION, &self.token)
    }

    /// What happened, in words, and whether a method says that something was not as it should be.
    pub fn finish(self) -> Result<(String, bool)> {
        let found = self.client.get("/v1/agent/crashes")?;
        let mut text = String::new();
        for crash in found["crashes"].as_array().into_iter().flatten() {
            text.push_str(&line(crash));
        }
        self.stop.store(true, Ordering::Relaxed);
        drop(self.server);
        if let Some(attending) = self.attending {
            // It may wait for a model still, whose answer nobody needs any more; agents that were
            // started see that the server is gone, and are ended.
            let until = Instant::now() + Duration::from_secs(3);
            while !attending.is_finished() && Instant::now() < until {
                thread::sleep(Duration::from_millis(10));
            }
        }
        let mut wrong = false;
        if let Some(method) = self.method {
            let (said, is_wrong) = method.finish();
            wrong = is_wrong;
            if wrong {
                text.push_str(&said);
            }
        }
        Ok((text, wrong))
    }
}

/// One crash in a line.
fn line(crash: &Value) -> String {
    let word = |value: &Value| value.as_str().unwrap_or("?").to_string();
    let outcome = match crash["state"].as_str() {
        Some("resumed") => "healed, went on after the statement".to_string(),
        Some("returned") => "healed, returned a value".to_string(),
        Some("reraised") => match crash["reason"].as_str() {
            Some(reason) => format!("re-raised: {reason}"),
            None => "re-raised".to_string(),
        },
        _ => format!("ended: {}", word(&crash["reason"])),
    };
    format!(
        "  {}:{}: {}: {outcome} ({} action{})\n",
        word(&crash["site"]["path"]),
        crash["site"]["line"],
        word(&crash["exception"]["type"]),
        crash["action_count"],
        if crash["action_count"] == 1 { "" } else { "s" },
    )
}

/// Runs a command with this environment, and waits. The result is its exit code, or 128 and the
/// number of the signal that ended it, as shells have it.
pub fn command(
    command: &[OsString],
    environment: impl IntoIterator<Item = (&'static str, OsString)>,
) -> Result<u8> {
    let (program, arguments) = command
        .split_first()
        .context("there is no command; write it after `--`")?;
    // Interrupts go to the command, which is in the foreground, too; it says what becomes of them.
    #[cfg(unix)]
    let _deaf = Deaf::new()?;
    let status = Command::new(program)
        .args(arguments)
        .envs(environment)
        .status()
        .with_context(|| format!("{}: cannot be started", program.to_string_lossy()))?;
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Ok(128 + signal as u8);
    }
    Ok(status.code().map_or(1, |code| code as u8))
}

/// Takes interrupts and lets them pass, on a thread of its own. They are not ignored: that the
/// command would inherit.
#[cfg(unix)]
struct Deaf {
    _runtime: tokio::runtime::Runtime,
}

#[cfg(unix)]
impl Deaf {
    fn new() -> Result<Deaf> {
        use tokio::signal::unix::{SignalKind, signal};
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        for kind in [SignalKind::interrupt(), SignalKind::quit()] {
            let _guard = runtime.enter();
            let mut signals = signal(kind)?;
            runtime.spawn(async move { while signals.recv().await.is_some() {} });
        }
        Ok(Deaf { _runtime: runtime })
    }
}
