//! `healc serve` and `healc mcp`: arguments, what is said at the start, and until when.

use std::fs;
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};

use super::{Access, Client, Gated, Limits, Options, Server, mcp, random_hex};
use crate::gate::Policy;
use crate::runtime::rules;

/// How code is judged and pauses are bounded.
#[derive(Args)]
pub struct Bounds {
    /// Which code has to pass the gate
    #[arg(long, value_enum, default_value_t = Gated::All)]
    gate: Gated,
    /// A policy file that narrows the gate's built-in one (repeatable)
    #[arg(long, value_name = "FILE")]
    policy: Vec<PathBuf>,
    /// Let policy files allow more than the built-in policy does
    #[arg(long)]
    allow_widening: bool,
    /// Seconds for a probe
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=86400))]
    probe_seconds: u64,
    /// Seconds for a submission
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86400))]
    submit_seconds: u64,
    /// Seconds for which a crash stays paused without an action
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=604800))]
    request_seconds: u64,
    /// Actions for each crash
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10000))]
    actions: u32,
    /// Rules of which exceptions pause, read after the built-in ones (repeatable; see rules/heal.toml)
    #[arg(long, value_name = "FILE")]
    heal_rules: Vec<PathBuf>,
    /// Keep a record of all that happens in this folder, or go on with the one there
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
}

fn texts(paths: &[PathBuf]) -> Result<Vec<(PathBuf, String)>> {
    paths
        .iter()
        .map(|path| {
            let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
            Ok((path.clone(), text))
        })
        .collect()
}

impl Bounds {
    /// The rules of what pauses, as a file for the runtime (EH_HEAL_POLICY), if there are any but
    /// the built-in ones. It lives as long as what is returned.
    pub fn heal_rules(&self) -> Result<Option<tempfile::NamedTempFile>> {
        if self.heal_rules.is_empty() {
            return Ok(None);
        }
        let text = rules::json(&texts(&self.heal_rules)?)?;
        let mut file = tempfile::Builder::new()
            .prefix("healc-rules-")
            .suffix(".json")
            .tempfile()?;
        file.write_all(text.as_bytes())?;
        file.flush()?;
        Ok(Some(file))
    }

    pub fn options(&self) -> Result<Options> {
        let files = texts(&self.policy)?;
        Ok(Options {
            limits: Limits {
                probe: self.probe_seconds,
                submit: self.submit_seconds,
                request: self.request_seconds,
                actions: self.actions,
            },
            policy: Policy::load(Policy::builtin(), &files, self.allow_widening)?,
            gated: self.gate,
            record: self.record.clone(),
            ..Options::default()
        })
    }
}

#[derive(Args)]
pub struct ServeArgs {
    /// The original repository, for agents to look at
    repo: Option<PathBuf>,
    /// Name of the session that is there from the start
    #[arg(long, default_value = "main")]
    session: String,
    /// The overlay that runs in it
    #[arg(long, value_name = "DIR")]
    overlay: Option<PathBuf>,
    /// Let executions begin sessions of any name with the first session's token
    #[arg(long)]
    any_session: bool,
    /// Address and port; beyond loopback use a proxy that speaks TLS
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Write endpoint and tokens to this file, for its owner only, instead of showing them
    #[arg(long, value_name = "FILE")]
    connection: Option<PathBuf>,
    #[command(flatten)]
    bounds: Bounds,
}

/// Where a server is, for agents.
#[derive(Args)]
pub struct Connection {
    /// The server; or HEALC_ENDPOINT, with the agent token in HEALC_TOKEN
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// A file that `healc serve --connection` wrote
    #[arg(long, value_name = "FILE", conflicts_with = "endpoint")]
    connection: Option<PathBuf>,
}

impl Connection {
    pub fn client(&self) -> Result<Client> {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        if let Some(path) = &self.connection {
            let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
            let found: Value =
                serde_json::from_str(&text).with_context(|| path.display().to_string())?;
            let (Some(endpoint), Some(token)) =
                (found["endpoint"].as_str(), found["agent_token"].as_str())
            else {
                bail!("{}: no endpoint and agent_token in it", path.display());
            };
            return Ok(Client::new(endpoint, token));
        }
        let Some(endpoint) = self.endpoint.clone().or_else(|| set("HEALC_ENDPOINT")) else {
            bail!(
                "which server? Say --connection FILE, or --endpoint URL with the token in HEALC_TOKEN"
            );
        };
        let token = set("HEALC_TOKEN").context("HEALC_TOKEN, the agent token, is not set")?;
        Ok(Client::new(&endpoint, &token))
    }
}

/// Names the file with the rules of what pauses, if they are not the built-in ones.
pub const HEAL_POLICY: &str = "EH_HEAL_POLICY";

/// The environment of an execution of this session.
pub fn environment(server: &Server, session: &str, token: &str) -> Vec<(&'static str, String)> {
    let limits = server.broker.limits;
    vec![
        ("EH_MODE", "heal".into()),
        ("EH_ENDPOINT", server.endpoint()),
        ("EH_TOKEN", token.into()),
        ("EH_SESSION", session.into()),
        // What a failed submission changed is restored before the next one.
        ("EH_CONTAIN", "1".into()),
        ("EH_PROBE_SECONDS", limits.probe.to_string()),
        ("EH_SUBMIT_SECONDS", limits.submit.to_string()),
        ("EH_REQUEST_SECONDS", limits.request.to_string()),
        ("EH_ACTIONS", limits.actions.to_string()),
    ]
}

/// Lets this process have as many connections as the system lets it.
fn raise_descriptor_limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit, setrlimit};
        let mut limit = getrlimit(Resource::Nofile);
        limit.current = limit.maximum;
        let _ = setrlimit(Resource::Nofile, limit);
    }
}

pub fn serve(args: &ServeArgs) -> Result<u8> {
    raise_descriptor_limit();
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let token = set("EH_TOKEN").unwrap_or_else(|| random_hex(24));
    let server = Server::start(Options {
        listen: args.listen,
        agent_token: set("HEALC_TOKEN"),
        any_session: args.any_session.then(|| token.clone()),
        ..args.bounds.options()?
    })?;
    if server.agent_token == token {
        bail!("HEALC_TOKEN and EH_TOKEN are to be two tokens: neither may open the other's side");
    }
    let absolute = |path: &Option<PathBuf>| -> Result<Option<PathBuf>> {
        let Some(path) = path else { return Ok(None) };
        let path = fs::canonicalize(path).with_context(|| path.display().to_string())?;
        Ok(Some(path))
    };
    server
        .broker
        .begin(
            &args.session,
            absolute(&args.repo)?,
            absolute(&args.overlay)?,
            Some(token.clone()),
        )
        .map_err(|problem| anyhow::anyhow!(problem.detail))?;
    if !server.address.ip().is_loopback() {
        anstream::eprintln!(
            "warning: {}: tokens and code cross the network unencrypted; put a proxy that speaks TLS in front",
            server.address
        );
    }
    let mut environment = environment(&server, &args.session, &token);
    let rules = args.bounds.heal_rules()?;
    if let Some(file) = &rules {
        environment.push((HEAL_POLICY, file.path().to_string_lossy().into_owned()));
    }
    anstream::eprintln!("Serving on {}", server.endpoint());
    if let Some(path) = &args.connection {
        let pairs: serde_json::Map<String, Value> = environment
            .iter()
            .map(|(name, value)| ((*name).to_string(), json!(value)))
            .collect();
        let text = serde_json::to_string_pretty(&json!({
            "endpoint": server.endpoint(),
            "agent_token": server.agent_token,
            "session": args.session,
            "environment": pairs,
        }))?;
        write_private(path, &text)?;
        anstream::eprintln!("  connection  {}", path.display());
    } else {
        anstream::eprintln!("  live page   {}", live_page(&server));
        anstream::eprintln!(
            "  agents      HEALC_ENDPOINT={} HEALC_TOKEN={}",
            server.endpoint(),
            server.agent_token
        );
        let pairs: Vec<String> = environment
            .iter()
            .filter(|(name, _)| {
                [
                    "EH_MODE",
                    "EH_ENDPOINT",
                    "EH_TOKEN",
                    "EH_SESSION",
                    HEAL_POLICY,
                ]
                .contains(name)
            })
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        anstream::eprintln!("  executions  {}", pairs.join(" "));
    }
    server.wait_for_signal()?;
    if let Some(path) = &args.connection {
        let _ = fs::remove_file(path);
    }
    Ok(0)
}

/// The token stands in the fragment, which browsers do not send.
pub fn live_page(server: &Server) -> String {
    format!("{}/#token={}", server.endpoint(), server.agent_token)
}

/// Writes a file that only its owner reads; it appears whole.
fn write_private(path: &Path, text: &str) -> Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    // Temporary files are their owner's only.
    let mut file = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))
        .with_context(|| path.display().to_string())?;
    file.write_all(text.as_bytes())?;
    file.write_all(b"\n")?;
    file.persist(path)
        .with_context(|| path.display().to_string())?;
    Ok(())
}

#[derive(Args)]
pub struct McpArgs {
    #[command(flatten)]
    connection: Connection,
}

/// Serves the Model Context Protocol on standard input and output, for a server that runs.
pub fn mcp(args: &McpArgs) -> Result<u8> {
    let client = args.connection.client()?;
    // To be told now is better than at the first call of a tool.
    client.get("/v1/agent/sessions")?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let done = runtime.block_on(mcp::stdio(Access::Remote(client.into())));
    // A read of standard input cannot be given up; the process ends with it.
    runtime.shutdown_background();
    done?;
    Ok(0)
}
