//! The healing side: a server that joins paused executions and the agents that heal them.
//!
//! [`http`] takes connections and checks who speaks, [`api`] is the routes, [`broker`] the state
//! behind them, [`record`] what is kept. Agents come over HTTP, by MCP ([`mcp`]) or by hand (the live
//! page). Code reaches an execution only through the gate and with a signature: `Broker::judge`.

mod access;
mod api;
mod broker;
pub mod command;
mod crash;
mod http;
mod mcp;
mod problem;
pub mod record;
mod repository;
pub mod run;
mod secret;
mod state;
pub mod text;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

use crate::gate::Policy;

pub use access::{Access, Client, escaped, succeeded};
pub use broker::Broker;
pub use crash::{Gated, Limits};
pub use secret::random_hex;

/// How to serve.
pub struct Options {
    pub listen: SocketAddr,
    /// Made if there is none.
    pub agent_token: Option<String>,
    /// The execution token of sessions that begin by themselves; without it none does.
    pub any_session: Option<String>,
    pub limits: Limits,
    pub policy: Policy,
    pub gated: Gated,
    /// The folder of the record.
    pub record: Option<PathBuf>,
    pub body_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            agent_token: None,
            any_session: None,
            limits: Limits::default(),
            policy: Policy::builtin().clone(),
            gated: Gated::All,
            record: None,
            body_bytes: 4 << 20,
        }
    }
}

/// A server that runs, on threads of its own. Dropped, it stops.
pub struct Server {
    pub address: SocketAddr,
    pub agent_token: String,
    pub broker: Arc<Broker>,
    stop: watch::Sender<bool>,
    runtime: Option<Runtime>,
}

impl Server {
    pub fn start(options: Options) -> Result<Server> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("healc-serve")
            .enable_all()
            .build()?;
        let record = match &options.record {
            Some(folder) => record::Record::open(folder)?,
            None => record::Record::none(),
        };
        let listener = runtime
            .block_on(TcpListener::bind(options.listen))
            .with_context(|| format!("{}: cannot listen there", options.listen))?;
        let address = listener.local_addr()?;
        let broker = Arc::new(
            Broker::new(broker::Setup {
                limits: options.limits,
                policy: options.policy,
                gated: options.gated,
                any_session: options.any_session,
                record,
            })
            .context("the record cannot be written")?,
        );
        let agent_token = options.agent_token.unwrap_or_else(|| random_hex(24));
        let routes = api::routes(Arc::clone(&broker));
        let mcp = mcp::service(Access::Local(routes.clone()), options.body_bytes);
        let door = http::Door::new(
            Arc::clone(&broker),
            agent_token.clone(),
            options.body_bytes,
            http::hosts(address),
        );
        let routes = http::guarded(routes.route_service("/mcp", mcp), Arc::new(door));
        let (stop, stopped) = watch::channel(false);
        runtime.spawn(http::serve(listener, routes, stopped.clone()));
        let ticking = Arc::clone(&broker);
        runtime.spawn(async move {
            let mut clock = tokio::time::interval(Duration::from_secs(1));
            loop {
                clock.tick().await;
                ticking.tick();
            }
        });
        Ok(Server {
            address,
            agent_token,
            broker,
            stop,
            runtime: Some(runtime),
        })
    }

    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A client with the agent token.
    pub fn client(&self) -> Client {
        Client::new(&self.endpoint(), &self.agent_token)
    }

    /// Waits for the process to be asked to stop.
    pub fn wait_for_signal(&self) -> Result<()> {
        let runtime = self.runtime.as_ref().context("the server stopped")?;
        runtime.block_on(async {
            #[cfg(unix)]
            {
                use tokio::signal::unix::{SignalKind, signal};
                let mut terminate = signal(SignalKind::terminate())?;
                tokio::select! {
                    done = tokio::signal::ctrl_c() => done?,
                    _ = terminate.recv() => {}
                }
            }
            #[cfg(not(unix))]
            tokio::signal::ctrl_c().await?;
            Ok(())
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.broker.shut();
        self.stop.send_replace(true);
        if let Some(runtime) = self.runtime.take() {
            // Whoever polls gets to know that the pause is over.
            runtime.block_on(async { tokio::time::sleep(Duration::from_millis(50)).await });
            runtime.shutdown_timeout(Duration::from_secs(1));
        }
    }
}
