//! The Model Context Protocol: the agent side as tools, over standard input and output or HTTP.

use std::sync::Arc;

use anyhow::Result;
use axum::http::Method;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::{Value, json};

use super::access::{Access, Reply, escaped};
use super::text;

#[derive(Clone)]
pub struct Tools {
    access: Access,
}

/// The service for `/mcp`. Hosts, origins and tokens are checked in front of it.
pub fn service(
    access: Access,
    body_bytes: usize,
) -> StreamableHttpService<Tools, LocalSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_max_request_body_bytes(body_bytes);
    StreamableHttpService::new(
        move || {
            Ok(Tools {
                access: access.clone(),
            })
        },
        Arc::new(LocalSessionManager::default()),
        config,
    )
}

/// Serves one client on standard input and output, until it goes.
pub async fn stdio(access: Access) -> Result<()> {
    let running = Tools { access }.serve(rmcp::transport::stdio()).await?;
    running.waiting().await?;
    Ok(())
}

fn tools() -> Vec<Tool> {
    let crash = json!({
        "type": "string",
        "description": "The crash; may be left out while exactly one is paused",
    });
    let session = json!({
        "type": "string",
        "description": "The session; may be left out while there is exactly one with a repository",
    });
    let path =
        json!({"type": "string", "description": "Path inside the repository; empty: its root"});
    let reason = json!({"type": "string", "description": "Why, in a sentence, for the record"});
    let tool =
        |name: &'static str, description: &'static str, properties: Value, required: &[&str]| {
            let schema = json!({
                "type": "object", "properties": properties, "required": required,
                "additionalProperties": false,
            });
            let Value::Object(schema) = schema else {
                unreachable!("it is an object")
            };
            let look = !matches!(name, "execute" | "reraise");
            let hints = ToolAnnotations::new()
                .read_only(look)
                .destructive(!look)
                .open_world(false);
            Tool::new(name, description, Arc::new(schema)).with_annotations(hints)
        };
    vec![
        tool(
            "wait_for_crash",
            "Waits until a program is paused at an exception, and lists the paused crashes. Pass the \
             greatest `order` that you know as `after` to hear of newer ones only.",
            json!({
                "seconds": {"type": "integer", "minimum": 0, "maximum": 60, "description": "How long to wait; default 25"},
                "after": {"type": "integer", "minimum": 0},
            }),
            &[],
        ),
        tool(
            "show_crash",
            "All about a crash: exception, traceback, source, variables, and the actions so far.",
            json!({"crash": crash}),
            &[],
        ),
        tool(
            "execute",
            "Runs code in the paused frame. submit=false only looks and returns output, value and \
             error. submit=true is a repair: it takes the place of the failed statement, its bindings \
             are kept, and the program goes on if it succeeds (`_eh_rtn = value` returns from the \
             function).",
            json!({
                "crash": crash,
                "code": {"type": "string", "description": "Python code"},
                "submit": {"type": "boolean", "description": "Whether this is the repair"},
                "kind": {"type": "string", "enum": ["explore", "inspect", "heal"]},
                "reason": reason,
            }),
            &["code", "submit"],
        ),
        tool(
            "reraise",
            "Lets the original exception go on, unchanged. Ends the pause.",
            json!({"crash": crash, "reason": reason}),
            &[],
        ),
        tool(
            "list_files",
            "Lists a folder of the program's original repository.",
            json!({"session": session, "path": path}),
            &[],
        ),
        tool(
            "read_file",
            "Reads a file of the program's original repository, or some of its lines.",
            json!({
                "session": session, "path": path,
                "start": {"type": "integer", "minimum": 1, "description": "First line"},
                "end": {"type": "integer", "minimum": 1, "description": "Last line"},
            }),
            &["path"],
        ),
        tool(
            "search_files",
            "Lines of the program's original repository that match a regular expression.",
            json!({
                "session": session, "path": path,
                "pattern": {"type": "string", "description": "Regular expression, RE2 syntax"},
            }),
            &["pattern"],
        ),
    ]
}

impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("healc", env!("CARGO_PKG_VERSION")))
            .with_instructions(text::RULES)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let agent = context
            .peer
            .peer_info()
            .map(|peer| peer.client_info.name.clone());
        let result = match self.run(&request.name, arguments, agent).await {
            Ok(Some((text, value))) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
                result.structured_content = Some(value);
                result
            }
            Ok(None) => {
                let detail = format!("{}: no tool of this server", request.name);
                return Err(ErrorData::invalid_params(detail, None));
            }
            Err(error) => CallToolResult::error(vec![ContentBlock::text(format!("{error:#}"))]),
        };
        Ok(result.into())
    }
}

impl Tools {
    async fn run(
        &self,
        name: &str,
        arguments: JsonObject,
        agent: Option<String>,
    ) -> Result<Option<(String, Value)>> {
        let word = |key: &str| arguments.get(key).and_then(Value::as_str);
        let number = |key: &str| arguments.get(key).and_then(Value::as_u64);
        Ok(Some(match name {
            "wait_for_crash" => {
                let wait = number("seconds").unwrap_or(25);
                let after = number("after").unwrap_or(0);
                let path = format!("/v1/agent/crashes?state=paused&wait={wait}&after={after}");
                let found = self.get(&path).await?;
                (list(&found), found)
            }
            "show_crash" => {
                let crash = self.crash(word("crash")).await?;
                let shown = self.get(&format!("/v1/agent/crashes/{crash}")).await?;
                (text::crash(&shown), shown)
            }
            "execute" => {
                let crash = self.crash(word("crash")).await?;
                let mut body = Value::Object(arguments.clone());
                body["agent"] = json!(agent);
                let path = format!("/v1/agent/crashes/{crash}/execute");
                let result = self.post(&path, body).await?;
                (text::result(&result), result)
            }
            "reraise" => {
                let crash = self.crash(word("crash")).await?;
                let body = json!({"reason": word("reason"), "agent": agent});
                let path = format!("/v1/agent/crashes/{crash}/reraise");
                let result = self.post(&path, body).await?;
                (text::result(&result), result)
            }
            "list_files" => {
                let session = self.session(word("session")).await?;
                let path = escaped(word("path").unwrap_or_default());
                let path = format!("/v1/agent/sessions/{session}/files?path={path}");
                let found = self.get(&path).await?;
                let mut lines = String::new();
                for entry in found["entries"].as_array().into_iter().flatten() {
                    let path = entry["path"].as_str().unwrap_or_default();
                    let slash = if entry["kind"] == "folder" { "/" } else { "" };
                    lines.push_str(&format!("{path}{slash}\n"));
                }
                (lines + cut(&found), found)
            }
            "read_file" => {
                let session = self.session(word("session")).await?;
                let mut path = format!(
                    "/v1/agent/sessions/{session}/file?path={}",
                    escaped(word("path").unwrap_or_default())
                );
                for key in ["start", "end"] {
                    if let Some(line) = number(key) {
                        path.push_str(&format!("&{key}={line}"));
                    }
                }
                let found = self.get(&path).await?;
                let first = found["start"].as_u64().unwrap_or(1);
                let lines = found["text"].as_str().unwrap_or_default().lines();
                let numbered: String = lines
                    .zip(first..)
                    .map(|(line, number)| format!("{number:5} {line}\n"))
                    .collect();
                (numbered + cut(&found), found)
            }
            "search_files" => {
                let session = self.session(word("session")).await?;
                let path = format!(
                    "/v1/agent/sessions/{session}/search?pattern={}&path={}",
                    escaped(word("pattern").unwrap_or_default()),
                    escaped(word("path").unwrap_or_default()),
                );
                let found = self.get(&path).await?;
                let mut lines = String::new();
                for hit in found["hits"].as_array().into_iter().flatten() {
                    let word = |key: &str| hit[key].as_str().unwrap_or_default();
                    let line = &hit["line"];
                    lines.push_str(&format!("{}:{line}:{}\n", word("path"), word("text")));
                }
                if lines.is_empty() {
                    lines.push_str("no line matches\n");
                }
                (lines + cut(&found), found)
            }
            _ => return Ok(None),
        }))
    }

    async fn get(&self, path: &str) -> Result<Value> {
        told(self.access.call(Method::GET, path, None).await?)
    }

    async fn post(&self, path: &str, body: Value) -> Result<Value> {
        told(self.access.call(Method::POST, path, Some(body)).await?)
    }

    /// The crash that is meant.
    async fn crash(&self, named: Option<&str>) -> Result<String> {
        if let Some(name) = named.filter(|name| !name.is_empty()) {
            return Ok(escaped(name));
        }
        let found = self.get("/v1/agent/crashes?state=paused").await?;
        only(&found["crashes"], "crash", "is paused")
    }

    async fn session(&self, named: Option<&str>) -> Result<String> {
        if let Some(name) = named.filter(|name| !name.is_empty()) {
            return Ok(escaped(name));
        }
        let mut found = self.get("/v1/agent/sessions").await?["sessions"].take();
        if let Some(sessions) = found.as_array_mut() {
            sessions.retain(|session| !session["repository"].is_null());
        }
        only(&found, "session", "has a repository")
    }
}

fn told(reply: Reply) -> Result<Value> {
    super::access::succeeded(reply)
}

fn only(found: &Value, key: &str, what: &str) -> Result<String> {
    let names: Vec<&str> = found
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one[key].as_str())
        .collect();
    match names[..] {
        [] => anyhow::bail!("no {key} {what}"),
        [name] => Ok(escaped(name)),
        _ => anyhow::bail!(
            "more than one {key} {what}: say which of {}",
            names.join(", ")
        ),
    }
}

fn cut(found: &Value) -> &'static str {
    if found["truncated"] == true {
        "(there is more)\n"
    } else {
        ""
    }
}

fn list(found: &Value) -> String {
    let mut lines = String::new();
    for crash in found["crashes"].as_array().into_iter().flatten() {
        let word = |value: &Value| value.as_str().unwrap_or_default().to_string();
        lines.push_str(&format!(
            "{} (order {}): {}: {} at {}:{}\n",
            word(&crash["crash"]),
            crash["order"],
            word(&crash["exception"]["type"]),
            word(&crash["exception"]["message"]),
            word(&crash["site"]["path"]),
            crash["site"]["line"],
        ));
    }
    if lines.is_empty() {
        lines.push_str("no crash is paused\n");
    }
    lines
}
