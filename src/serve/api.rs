//! The routes: requests in, answers of the broker out.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;

use super::broker::Broker;
use super::crash::{Execute, Outcome, Reraise};
use super::problem::Problem;
use super::repository::Repository;
use super::secret::random_hex;
use super::state::{Filter, Polled};

const PAGE: &str = include_str!("live.html");
const OPENAPI: &str = include_str!("openapi.json");
/// The longest that a list of crashes waits.
const LONGEST_WAIT: u64 = 60;
const KEEP_ALIVE: Duration = Duration::from_secs(15);

type Shared = State<Arc<Broker>>;
type Answer = Result<Response, Problem>;

/// All routes but `/mcp`. Tokens are checked around them.
pub fn routes(broker: Arc<Broker>) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/openapi.json", get(openapi))
        .route("/v1/executions/{session}/crashes", post(crash))
        .route(
            "/v1/executions/{session}/crashes/{crash}/actions",
            get(actions),
        )
        .route(
            "/v1/executions/{session}/crashes/{crash}/results",
            post(results),
        )
        .route(
            "/v1/executions/{session}/crashes/{crash}/close",
            post(close),
        )
        .route("/v1/agent/sessions", get(sessions).post(begin))
        .route("/v1/agent/sessions/{session}/files", get(files))
        .route("/v1/agent/sessions/{session}/file", get(file))
        .route("/v1/agent/sessions/{session}/search", get(search))
        .route("/v1/agent/crashes", get(crashes))
        .route("/v1/agent/crashes/{crash}", get(show))
        .route("/v1/agent/crashes/{crash}/execute", post(execute))
        .route("/v1/agent/crashes/{crash}/reraise", post(reraise))
        .route("/v1/agent/events", get(events))
        .fallback(|| async { Problem::not_found("there is no such resource") })
        .method_not_allowed_fallback(|| async {
            Problem::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "method",
                "this resource has no such method",
            )
        })
        // The door bounds bodies, before they get here.
        .layer(DefaultBodyLimit::disable())
        .with_state(broker)
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(body)
        .map_err(|error| Problem::invalid(format!("the body is not what is expected: {error}")))
}

/// Like [`parse`], where no body says nothing.
fn parse_or_default<T: DeserializeOwned + Default>(body: &[u8]) -> Result<T, Problem> {
    if body.is_empty() {
        return Ok(T::default());
    }
    parse(body)
}

fn path<T>(path: Result<Path<T>, PathRejection>) -> Result<T, Problem> {
    path.map(|Path(parts)| parts)
        .map_err(|error| Problem::invalid(error.body_text()))
}

fn query<T>(query: Result<Query<T>, QueryRejection>) -> Result<T, Problem> {
    query
        .map(|Query(query)| query)
        .map_err(|error| Problem::invalid(error.body_text()))
}

fn ok(value: &impl serde::Serialize) -> Answer {
    Ok(axum::Json(value).into_response())
}

// ------------------------------------------------------------------------------ the execution side

type One = Result<Path<String>, PathRejection>;
type Two = Result<Path<(String, String)>, PathRejection>;

async fn crash(State(broker): Shared, session: One, body: Bytes) -> Answer {
    let context: Value = parse(&body)?;
    let answer = broker.crash(&path(session)?, context, body.len())?;
    Ok((StatusCode::CREATED, axum::Json(answer)).into_response())
}

#[derive(Deserialize)]
struct After {
    #[serde(default)]
    after: u64,
}

async fn actions(
    State(broker): Shared,
    names: Two,
    after: Result<Query<After>, QueryRejection>,
) -> Answer {
    let (session, crash) = path(names)?;
    match broker.poll(&session, &crash, query(after)?.after).await? {
        Polled::Action(action) => ok(&action),
        Polled::Nothing => Ok(StatusCode::NO_CONTENT.into_response()),
        Polled::Over => Err(Problem::new(
            StatusCode::GONE,
            "over",
            format!("{crash}: the pause is over"),
        )),
    }
}

async fn results(State(broker): Shared, names: Two, body: Bytes) -> Answer {
    let (session, crash) = path(names)?;
    let outcome: Outcome = parse(&body)?;
    broker.result(&session, &crash, outcome, body.len())?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

#[derive(Deserialize, Default)]
struct Close {
    #[serde(default)]
    reason: String,
}

async fn close(State(broker): Shared, names: Two, body: Bytes) -> Answer {
    let (session, crash) = path(names)?;
    let close: Close = parse_or_default(&body)?;
    broker.close(&session, &crash, &close.reason)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

// ---------------------------------------------------------------------------------------- agents

async fn sessions(State(broker): Shared) -> Answer {
    ok(&broker.sessions())
}

#[derive(Deserialize)]
struct Begin {
    session: String,
    repository: Option<std::path::PathBuf>,
    overlay: Option<std::path::PathBuf>,
}

async fn begin(State(broker): Shared, body: Bytes) -> Answer {
    let Begin {
        session,
        repository,
        overlay,
    } = parse(&body)?;
    let token = broker.begin(&session, repository, overlay, None)?;
    let answer = json!({"session": session, "token": token});
    Ok((StatusCode::CREATED, axum::Json(answer)).into_response())
}

#[derive(Deserialize)]
struct Wait {
    #[serde(default)]
    wait: u64,
}

async fn crashes(
    State(broker): Shared,
    filter: Result<Query<Filter>, QueryRejection>,
    wait: Result<Query<Wait>, QueryRejection>,
) -> Answer {
    let wait = Duration::from_secs(query(wait)?.wait.min(LONGEST_WAIT));
    ok(&broker.crashes(&query(filter)?, wait).await)
}

async fn show(State(broker): Shared, crash: One) -> Answer {
    ok(&broker.show(&path(crash)?)?)
}

async fn execute(State(broker): Shared, crash: One, body: Bytes) -> Answer {
    let asked: Execute = parse(&body)?;
    ok(&broker.execute(&path(crash)?, asked).await?)
}

async fn reraise(State(broker): Shared, crash: One, body: Bytes) -> Answer {
    let asked: Reraise = parse_or_default(&body)?;
    ok(&broker.reraise(&path(crash)?, asked).await?)
}

#[derive(Deserialize)]
struct Look {
    #[serde(default)]
    path: String,
    pattern: Option<String>,
    start: Option<usize>,
    end: Option<usize>,
}

type LookQuery = Result<Query<Look>, QueryRejection>;

async fn files(State(broker): Shared, session: One, look: LookQuery) -> Answer {
    let look = query(look)?;
    look_at(&broker, session, move |repository| {
        repository.list(&look.path)
    })
    .await
}

async fn file(State(broker): Shared, session: One, look: LookQuery) -> Answer {
    let look = query(look)?;
    look_at(&broker, session, move |repository| {
        repository.read(&look.path, look.start, look.end)
    })
    .await
}

async fn search(State(broker): Shared, session: One, look: LookQuery) -> Answer {
    let look = query(look)?;
    let Some(pattern) = look.pattern else {
        return Err(Problem::invalid("`pattern` is missing"));
    };
    look_at(&broker, session, move |repository| {
        repository.search(&pattern, &look.path)
    })
    .await
}

async fn look_at<T: serde::Serialize + Send + 'static>(
    broker: &Broker,
    session: One,
    look: impl FnOnce(&Repository) -> anyhow::Result<T> + Send + 'static,
) -> Answer {
    let repository = broker.repository(&path(session)?)?;
    let found = tokio::task::spawn_blocking(move || look(&repository)).await;
    match found {
        Ok(Ok(found)) => ok(&found),
        Ok(Err(error)) => Err(Problem::not_found(format!("{error:#}"))),
        Err(_) => Err(Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "the look at the repository failed",
        )),
    }
}

/// Server-sent events: the summary of each crash that changes.
async fn events(State(broker): Shared) -> Response {
    let mut receiver = broker.events();
    let (sender, stream) = tokio::sync::mpsc::channel::<Result<Bytes, Infallible>>(16);
    tokio::spawn(async move {
        // So that the client knows at once that it is connected.
        let mut next = Bytes::from_static(b": hello\n\n");
        loop {
            if sender.send(Ok(next)).await.is_err() {
                return;
            }
            next = match tokio::time::timeout(KEEP_ALIVE, receiver.recv()).await {
                Ok(Ok(event)) => format!("event: crash\ndata: {event}\n\n").into(),
                // Too slow: what was missed is to be asked for anew.
                Ok(Err(RecvError::Lagged(_))) => Bytes::from_static(b"event: missed\ndata: {}\n\n"),
                Ok(Err(RecvError::Closed)) => return,
                Err(_) => Bytes::from_static(b": still here\n\n"),
            };
        }
    });
    let stream = tokio_stream::wrappers::ReceiverStream::new(stream);
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (headers, Body::from_stream(stream)).into_response()
}

// ------------------------------------------------------------------------------------- documents

/// The live page holds no secret: whoever opens it has to bring the agent token.
async fn page() -> Response {
    let nonce = random_hex(16);
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; \
         connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    );
    let mut headers = HeaderMap::new();
    let mut set = |name: header::HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    set(header::CONTENT_TYPE, "text/html; charset=utf-8");
    set(header::CONTENT_SECURITY_POLICY, &policy);
    set(header::CACHE_CONTROL, "no-store");
    set(header::REFERRER_POLICY, "no-referrer");
    set(header::X_FRAME_OPTIONS, "DENY");
    (headers, PAGE.replace("{{nonce}}", &nonce)).into_response()
}

async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI).into_response()
}
