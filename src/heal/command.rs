//! `healc heal` and `healc replay`: which method, with what, for which server.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

use super::adapter::Adapter;
use super::{Healer, Method, Rounds, Script, attend};
use crate::serve::command::Connection;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MethodName {
    /// One structured answer of a model for each crash
    Healer,
    /// Answers from a file
    Script,
    /// mini-SWE-agent (Python package mini-swe-agent)
    MiniSweAgent,
    /// OpenHands (Python package openhands-sdk)
    Openhands,
    /// Codex (npm package @openai/codex)
    Codex,
}

/// What answers crashes.
#[derive(Args)]
pub struct MethodArgs {
    /// What answers crashes
    #[arg(long, value_enum, value_name = "METHOD")]
    pub method: Option<MethodName>,
    /// For `script`: the file with the answers
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
    /// The model's name
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// The model's OpenAI-compatible endpoint; or OPENAI_BASE_URL, with the key in OPENAI_API_KEY
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// For `healer`: answers that the model may give for each crash
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    attempts: u32,
    /// Seconds for an answer of the model; for agents, for the whole crash
    #[arg(long, value_name = "N", default_value_t = 250, value_parser = clap::value_parser!(u64).range(1..))]
    model_seconds: u64,
    /// For agents in Python: the interpreter that has them
    #[arg(long, value_name = "PYTHON", default_value = "python3")]
    agent_python: PathBuf,
    /// Crashes that are answered at once
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=256))]
    jobs: u32,
}

impl MethodArgs {
    /// The method, made ready.
    pub fn make(&self) -> Result<Option<Box<dyn Method>>> {
        let Some(name) = self.method else {
            return Ok(None);
        };
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let base_url = self.base_url.clone().or_else(|| set("OPENAI_BASE_URL"));
        let key = set("OPENAI_API_KEY");
        let timeout = Duration::from_secs(self.model_seconds);
        let model = || self.model.clone().context("which model? Say --model NAME");
        let adapter = |name: &'static str, program| -> Result<Option<Box<dyn Method>>> {
            let adapter = Adapter {
                name,
                program,
                python: self.agent_python.clone(),
                model: model()?,
                base_url: base_url.clone(),
                key: key.clone(),
                timeout,
                folder: tempfile::tempdir()?,
            };
            adapter.write()?;
            Ok(Some(Box::new(adapter)))
        };
        match name {
            MethodName::Script => {
                let path = self.answers.as_deref();
                let path = path.context("which answers? Say --answers FILE")?;
                Ok(Some(Box::new(Script::load(path)?)))
            }
            MethodName::Healer => {
                let url = base_url.context("which endpoint? Say --base-url URL")?;
                let mut healer = Healer::new(&url, key, &model()?, timeout);
                healer.attempts = self.attempts;
                Ok(Some(Box::new(healer)))
            }
            MethodName::MiniSweAgent => adapter(
                "mini-swe-agent",
                ("mini_swe.py", include_str!("../agents/mini_swe.py")),
            ),
            MethodName::Openhands => adapter(
                "openhands",
                (
                    "openhands_sdk.py",
                    include_str!("../agents/openhands_sdk.py"),
                ),
            ),
            MethodName::Codex => adapter("codex", ("codex.py", include_str!("../agents/codex.py"))),
        }
    }

    pub fn rounds(&self, session: Option<String>, talk: bool) -> Rounds {
        Rounds {
            session,
            jobs: self.jobs as usize,
            talk,
        }
    }
}

#[derive(Args)]
pub struct HealArgs {
    #[command(flatten)]
    method: MethodArgs,
    #[command(flatten)]
    connection: Connection,
    /// Only crashes of this session
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// Say nothing but errors
    #[arg(short, long)]
    quiet: bool,
}

/// Answers crashes until the server is gone.
pub fn heal(args: &HealArgs) -> Result<u8> {
    let method = args.method.make()?.context("which method? Say --method")?;
    let rounds = args.method.rounds(args.session.clone(), !args.quiet);
    run(&*method, &args.connection, &rounds)
}

#[derive(Args)]
pub struct ReplayArgs {
    /// A folder that `--record` filled, or the file in it
    record: PathBuf,
    #[command(flatten)]
    connection: Connection,
    /// Only crashes of this session
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// Say nothing but differences
    #[arg(short, long)]
    quiet: bool,
}

/// Answers crashes as they were answered when they were recorded.
pub fn replay(args: &ReplayArgs) -> Result<u8> {
    let script = Script::replay(&args.record)?;
    let rounds = Rounds {
        session: args.session.clone(),
        // In the order of the record.
        jobs: 1,
        talk: !args.quiet,
    };
    run(&script, &args.connection, &rounds)
}

fn run(method: &dyn Method, connection: &Connection, rounds: &Rounds) -> Result<u8> {
    let client = connection.client()?;
    attend(&client, method, rounds, &AtomicBool::new(false))?;
    let (said, wrong) = method.finish();
    if !said.is_empty() && (rounds.talk || wrong) {
        anstream::eprint!("{said}");
    }
    Ok(u8::from(wrong))
}
