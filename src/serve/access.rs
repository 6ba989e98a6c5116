//! The agent side of the interface, from within the server or over HTTP: the same requests, the same
//! answers.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, header};
use serde_json::Value;
use tower::ServiceExt;

/// A status and a document.
pub type Reply = (u16, Value);

#[derive(Clone)]
pub enum Access {
    /// The server's own routes, without a connection.
    Local(Router),
    Remote(Arc<Client>),
}

impl Access {
    pub async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Result<Reply> {
        match self {
            Access::Local(routes) => {
                let bytes = body.map(|body| body.to_string()).unwrap_or_default();
                let request = Request::builder()
                    .method(method)
                    .uri(path)
                    .header(header::CONTENT_TYPE, "application/json")
                    .body(Body::from(bytes))?;
                let response = routes.clone().oneshot(request).await?;
                let status = response.status().as_u16();
                let bytes = axum::body::to_bytes(response.into_body(), usize::MAX).await?;
                Ok((status, document(&bytes)?))
            }
            Access::Remote(client) => {
                let client = Arc::clone(client);
                let path = path.to_string();
                tokio::task::spawn_blocking(move || {
                    client.call(method.as_str(), &path, body.as_ref())
                })
                .await?
            }
        }
    }
}

/// A client of a server's agent side.
pub struct Client {
    agent: ureq::Agent,
    endpoint: String,
    token: String,
}

impl Client {
    pub fn new(endpoint: &str, token: &str) -> Client {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // The server is on this machine, or named as it is: no proxy in between.
            .proxy(None)
            .timeout_connect(Some(Duration::from_secs(5)))
            .timeout_global(Some(Duration::from_secs(600)))
            .max_redirects(0)
            .build();
        Client {
            agent: config.into(),
            endpoint: endpoint.trim_end_matches('/').to_string(),
            token: token.to_string(),
        }
    }

    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    pub fn token(&self) -> &str {
        &self.token
    }

    pub fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Reply> {
        let url = format!("{}{path}", self.endpoint);
        let authorization = format!("Bearer {}", self.token);
        let sent = match method {
            "GET" => self
                .agent
                .get(&url)
                .header("Authorization", &authorization)
                .call(),
            "POST" => {
                let request = self
                    .agent
                    .post(&url)
                    .header("Authorization", &authorization);
                match body {
                    Some(body) => request.send_json(body),
                    None => request.send_empty(),
                }
            }
            _ => bail!("{method}: no method of this client"),
        };
        let mut response = sent.with_context(|| format!("{}: no answer", self.endpoint))?;
        let bytes = response
            .body_mut()
            .with_config()
            .limit(64 << 20)
            .read_to_vec()
            .with_context(|| format!("{}: the answer is cut", self.endpoint))?;
        Ok((response.status().as_u16(), document(&bytes)?))
    }

    /// Expects success; a problem becomes an error that says its detail.
    pub fn get(&self, path: &str) -> Result<Value> {
        succeeded(self.call("GET", path, None)?)
    }
}

pub fn succeeded((status, body): Reply) -> Result<Value> {
    if status >= 400 {
        let detail = body["detail"].as_str().unwrap_or("no reason given");
        bail!("{detail} ({status})");
    }
    Ok(body)
}

fn document(bytes: &[u8]) -> Result<Value> {
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_slice(bytes).context("the answer is no JSON document")
}

/// A value as a part of a path or query.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
