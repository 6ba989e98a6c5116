//! Connections and what every request passes: where it comes from, its token, its rate, its size.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

use super::broker::Broker;
use super::problem::Problem;
use super::secret::same;

/// Connections at once.
const CONNECTIONS: usize = 4096;
/// For the head of a request; so long may a connection be idle, too.
const HEAD_TIME: Duration = Duration::from_secs(60);
/// For its body.
const BODY_TIME: Duration = Duration::from_secs(20);
const HEAD_BYTES: usize = 32 << 10;

/// So many requests a second for everyone with a token, and at once.
const RATE: f64 = 2000.0;
const BURST: f64 = 4000.0;
/// Requests without one.
const STRANGER_RATE: f64 = 20.0;
const STRANGER_BURST: f64 = 100.0;

/// What stands in front of the routes.
pub struct Door {
    pub broker: Arc<Broker>,
    pub agent_token: String,
    pub body_bytes: usize,
    /// Host names that requests may be for; none means any.
    pub hosts: Option<Vec<String>>,
    pub executions: Rate,
    pub agents: Rate,
    pub strangers: Rate,
}

impl Door {
    pub fn new(
        broker: Arc<Broker>,
        agent_token: String,
        body_bytes: usize,
        hosts: Option<Vec<String>>,
    ) -> Door {
        Door {
            broker,
            agent_token,
            body_bytes,
            hosts,
            executions: Rate::new(RATE, BURST),
            agents: Rate::new(RATE, BURST),
            strangers: Rate::new(STRANGER_RATE, STRANGER_BURST),
        }
    }
}

/// A bucket of tokens that fills with time.
pub struct Rate {
    rate: f64,
    burst: f64,
    level: Mutex<(f64, Instant)>,
}

impl Rate {
    fn new(rate: f64, burst: f64) -> Rate {
        Rate {
            rate,
            burst,
            level: Mutex::new((burst, Instant::now())),
        }
    }

    fn take(&self) -> Result<(), Problem> {
        let mut level = self.level.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let filled = level.0 + self.rate * (now - level.1).as_secs_f64();
        *level = (filled.min(self.burst), now);
        if level.0 < 1.0 {
            return Err(Problem::too_many("too many requests; try again later"));
        }
        level.0 -= 1.0;
        Ok(())
    }
}

/// Puts the door in front of the routes.
pub fn guarded(routes: Router, door: Arc<Door>) -> Router {
    routes.layer(middleware::from_fn_with_state(door, guard))
}

async fn guard(State(door): State<Arc<Door>>, request: Request, next: Next) -> Response {
    let mut response = match admit(&door, request).await {
        Ok(request) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

async fn admit(door: &Door, request: Request) -> Result<Request, Problem> {
    check_origin(door, request.headers())?;
    let path = request.uri().path();
    let token = bearer(request.headers());
    let inner = |rest: &str| rest.split('/').next().unwrap_or_default().to_string();
    if let Some(rest) = path.strip_prefix("/v1/executions/") {
        let session = inner(rest);
        // Names need no escapes; with one this would be another name here than in the routes.
        if session.contains('%') {
            return Err(Problem::not_found("there is no such session"));
        }
        let token = token.unwrap_or_default();
        if !door.broker.may_execute(&session, token) {
            door.strangers.take()?;
            // Who has some execution token may know that this session is not to be had with it.
            if door.broker.is_execution_token(token) {
                return Err(Problem::not_found(format!("{session}: no such session")));
            }
            return Err(refused("the execution token of this session", token));
        }
        door.executions.take()?;
    } else if path.starts_with("/v1/") || path == "/mcp" || path.starts_with("/mcp/") {
        let token = token.unwrap_or_default();
        if !same(&door.agent_token, token) {
            door.strangers.take()?;
            return Err(refused("the agent token", token));
        }
        door.agents.take()?;
    } else {
        door.strangers.take()?;
    }
    bounded(door, request).await
}

fn refused(what: &str, token: &str) -> Problem {
    let detail = if token.is_empty() {
        format!("`Authorization: Bearer` with {what} is missing")
    } else {
        format!("this is not {what}")
    };
    Problem::new(StatusCode::UNAUTHORIZED, "token", detail)
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Pages of others must not speak to us, nor names of others lead to us.
fn check_origin(door: &Door, headers: &HeaderMap) -> Result<(), Problem> {
    let forbidden = |detail| Problem::new(StatusCode::FORBIDDEN, "origin", detail);
    let text = |name| {
        headers
            .get(name)
            .and_then(|value: &HeaderValue| value.to_str().ok())
    };
    let host = text(header::HOST).unwrap_or_default();
    if let Some(hosts) = &door.hosts {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
            _ => host,
        };
        if !hosts.iter().any(|own| own.eq_ignore_ascii_case(name)) {
            return Err(forbidden("the Host header names another server"));
        }
    }
    match headers.get(header::ORIGIN) {
        Some(origin) if origin.to_str().ok() != Some(&format!("http://{host}")) => {
            Err(forbidden("requests of other pages are refused"))
        }
        _ => Ok(()),
    }
}

/// Reads the body, within bounds of size and time.
async fn bounded(door: &Door, request: Request) -> Result<Request, Problem> {
    if matches!(
        *request.method(),
        Method::GET | Method::HEAD | Method::DELETE
    ) {
        return Ok(request);
    }
    let too_large = || {
        let detail = format!("a body has at most {} bytes", door.body_bytes);
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "size", detail)
    };
    let (parts, body) = request.into_parts();
    let length = parts.headers.get(header::CONTENT_LENGTH);
    let length = length.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > door.body_bytes as u64) {
        return Err(too_large());
    }
    let read = axum::body::to_bytes(body, door.body_bytes);
    match tokio::time::timeout(BODY_TIME, read).await {
        Ok(Ok(bytes)) => Ok(Request::from_parts(parts, Body::from(bytes))),
        Ok(Err(_)) => Err(too_large()),
        Err(_) => Err(Problem::new(
            StatusCode::REQUEST_TIMEOUT,
            "slow",
            "the body did not come in time",
        )),
    }
}

/// Serves until `stop` is true.
pub async fn serve(listener: TcpListener, routes: Router, mut stop: watch::Receiver<bool>) {
    let permits = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else {
            return;
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.wait_for(|stop| *stop) => return,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            // Out of descriptors, or a connection that died early.
            Err(_) => {
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let routes = TowerToHyperService::new(routes.clone());
        let mut stop = stop.clone();
        tokio::spawn(async move {
            let mut builder = http1::Builder::new();
            builder
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIME)
                .max_header_size(HEAD_BYTES)
                .max_headers(64);
            let connection = builder.serve_connection(TokioIo::new(stream), routes);
            tokio::pin!(connection);
            let stopped = tokio::select! {
                _ = connection.as_mut() => false,
                _ = stop.wait_for(|stop| *stop) => true,
            };
            if stopped {
                connection.as_mut().graceful_shutdown();
                let _ = tokio::time::timeout(Duration::from_secs(2), connection).await;
            }
            drop(permit);
        });
    }
}

/// The names by which a server at this address is called, if they are known.
pub fn hosts(address: SocketAddr) -> Option<Vec<String>> {
    address.ip().is_loopback().then(|| {
        let names = ["localhost", "127.0.0.1", "[::1]"];
        let mut hosts: Vec<String> = names.map(String::from).into();
        hosts.push(address.ip().to_string());
        hosts
    })
}
