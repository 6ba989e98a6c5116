//! Agents of others: a small Python program for each speaks to their client and to the server.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::{Method, Patient};
use crate::serve::text;

const SHARED: (&str, &str) = ("healc_agent.py", include_str!("../agents/healc_agent.py"));

/// An agent that is started anew for each crash.
pub struct Adapter {
    pub name: &'static str,
    pub program: (&'static str, &'static str),
    pub python: PathBuf,
    pub model: String,
    pub base_url: Option<String>,
    pub key: Option<String>,
    pub timeout: Duration,
    /// A folder with the programs.
    pub folder: tempfile::TempDir,
}

impl Adapter {
    pub fn write(&self) -> Result<()> {
        for (name, text) in [SHARED, self.program] {
            fs::write(self.folder.path().join(name), text)?;
        }
        Ok(())
    }
}

impl Method for Adapter {
    fn name(&self) -> &str {
        self.name
    }

    fn heal(&self, patient: &Patient) -> Result<()> {
        // A place of its own to work in: agents write where they are.
        let work = tempfile::tempdir()?;
        let case = tempfile::NamedTempFile::new()?;
        fs::write(case.path(), text::crash(&patient.shown))?;
        let log = tempfile::NamedTempFile::new()?;
        let mut command = Command::new(&self.python);
        command
            .arg(self.folder.path().join(self.program.0))
            .current_dir(work.path())
            .env("HEALC_ENDPOINT", patient.client.endpoint())
            .env("HEALC_TOKEN", patient.client.token())
            .env("HEALC_CRASH", &patient.id)
            .env("HEALC_AGENT", self.name)
            .env("HEALC_CASE", case.path())
            .env("HEALC_MODEL", &self.model)
            .env("HEALC_RULES", text::RULES)
            .stdin(Stdio::null())
            .stdout(Stdio::from(log.reopen()?))
            .stderr(Stdio::from(log.reopen()?));
        if let Some(url) = &self.base_url {
            command.env("OPENAI_BASE_URL", url);
        }
        if let Some(key) = &self.key {
            command.env("OPENAI_API_KEY", key);
        }
        // Its own group, so that what it starts can be ended with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command
            .spawn()
            .with_context(|| format!("{}: cannot be started", self.python.display()))?;
        let until = Instant::now() + self.timeout;
        let mut look = Instant::now() + Duration::from_secs(1);
        let mut over = false;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break Some(status);
            }
            if Instant::now() > look {
                // Its last words may take a moment; then there is nothing left to do for it.
                if over {
                    break None;
                }
                over = !patient.is_paused();
                look = Instant::now() + Duration::from_secs(1);
            }
            if Instant::now() > until {
                break None;
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        #[cfg(unix)]
        if let Some(group) = rustix::process::Pid::from_raw(child.id() as i32) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        if status.is_none() {
            let _ = child.kill();
            let _ = child.wait();
            if over {
                return Ok(());
            }
            bail!("{} did nothing for {} s", self.name, self.timeout.as_secs());
        }
        if status.is_some_and(|status| status.success()) {
            return Ok(());
        }
        let said = fs::read(log.path()).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let last = said.trim_end().lines().last().unwrap_or("it said nothing");
        bail!("{} failed: {last}", self.name)
    }
}
