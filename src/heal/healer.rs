//! A model that gives one structured answer for each crash, through a chat-completions endpoint.
//!
//! The model has to call one tool, with code that is submitted. What cannot be used, or raises, goes
//! back to it with the reason, until its attempts are used up.

use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::{Method, Patient, Treatment};
use crate::serve::text;

const TOOL: &str = "execute";
/// The longest wait between two tries, whatever the endpoint asks for.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Where the model is.
pub struct Healer {
    pub agent: ureq::Agent,
    pub base_url: String,
    pub key: Option<String>,
    pub model: String,
    /// Answers for each crash.
    pub attempts: u32,
    /// Requests for each answer.
    pub tries: u32,
}

/// What a model's answer came to.
enum Reading {
    Code {
        code: String,
        reason: Option<String>,
        call: String,
    },
    Unusable(String),
}

impl Healer {
    pub fn new(base_url: &str, key: Option<String>, model: &str, timeout: Duration) -> Healer {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(timeout))
            .build();
        Healer {
            agent: config.into(),
            base_url: base_url.trim_end_matches('/').to_string(),
            key,
            model: model.to_string(),
            attempts: 5,
            tries: 4,
        }
    }

    fn ask(&self, messages: &[Value]) -> Result<Value> {
        let body = json!({
            "model": self.model,
            "messages": messages,
            "tools": [{
                "type": "function",
                "function": {
                    "name": TOOL,
                    "description": "Submits code that repairs the paused frame.",
                    "strict": true,
                    "parameters": {
                        "type": "object",
                        "properties": {
                            "code": {
                                "type": "string",
                                "description": "Python code that takes the place of the failed statement",
                            },
                            "submit": {"type": "boolean", "enum": [true]},
                            "reason": {
                                "type": "string",
                                "description": "What was wrong and why this repairs it, in a sentence",
                            },
                        },
                        "required": ["code", "submit", "reason"],
                        "additionalProperties": false,
                    },
                },
            }],
            "tool_choice": {"type": "function", "function": {"name": TOOL}},
        });
        let mut wait = Duration::from_millis(500);
        let mut tries = 0;
        loop {
            tries += 1;
            let (error, asked) = match self.send(&body) {
                Ok(answer) => return Ok(answer),
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Transient(error, asked)) => (error, asked),
            };
            if tries >= self.tries {
                return Err(error.context(format!("{} after {tries} tries", self.base_url)));
            }
            thread::sleep(asked.unwrap_or(wait).min(LONGEST_WAIT));
            wait *= 2;
        }
    }

    fn send(&self, body: &Value) -> std::result::Result<Value, Failure> {
        let url = format!("{}/chat/completions", self.base_url);
        let mut request = self.agent.post(&url);
        if let Some(key) = &self.key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        let mut response = match request.send_json(body) {
            Ok(response) => response,
            Err(error) => return Err(Failure::Transient(error.into(), None)),
        };
        let status = response.status().as_u16();
        let after = response.headers().get("retry-after");
        let after = after.and_then(|value| value.to_str().ok()?.parse().ok());
        let read = response
            .body_mut()
            .with_config()
            .limit(8 << 20)
            .read_to_string();
        if status != 200 {
            let text = read.unwrap_or_default();
            let text: String = text.chars().take(300).collect();
            let error = anyhow::anyhow!("status {status}: {text}");
            return Err(if status == 429 || status == 408 || status >= 500 {
                Failure::Transient(error, after.map(Duration::from_secs))
            } else {
                Failure::Final(error)
            });
        }
        let parsed = read
            .map_err(anyhow::Error::from)
            .and_then(|text| serde_json::from_str(&text).context("the answer is no JSON document"));
        parsed.map_err(|error| Failure::Transient(error, None))
    }
}

enum Failure {
    /// To be tried again, after so long.
    Transient(anyhow::Error, Option<Duration>),
    Final(anyhow::Error),
}

/// What the answer says; a message that is not as it should be is told in words.
fn read(answer: &Value) -> Reading {
    let choice = &answer["choices"][0];
    if choice["finish_reason"] == "length" {
        return Reading::Unusable("it was cut off; answer more briefly".into());
    }
    let message = &choice["message"];
    let Some(call) = message["tool_calls"].get(0) else {
        return Reading::Unusable(format!("it called no tool; call `{TOOL}`"));
    };
    let function = &call["function"];
    if function["name"] != TOOL {
        return Reading::Unusable(format!("there is no such tool; call `{TOOL}`"));
    }
    // Some endpoints give the arguments as a document rather than as its text.
    let arguments = match &function["arguments"] {
        Value::String(text) => match serde_json::from_str(text) {
            Ok(arguments) => arguments,
            Err(error) => {
                return Reading::Unusable(format!("its arguments are no JSON document: {error}"));
            }
        },
        other => other.clone(),
    };
    match arguments["code"].as_str() {
        Some(code) if !code.trim().is_empty() => Reading::Code {
            code: code.to_string(),
            reason: arguments["reason"].as_str().map(str::to_string),
            call: call["id"].as_str().unwrap_or("call").to_string(),
        },
        _ => Reading::Unusable("its arguments have no `code`".into()),
    }
}

impl Method for Healer {
    fn name(&self) -> &str {
        "healer"
    }

    fn heal(&self, patient: &Patient) -> Result<()> {
        let mut messages = vec![
            json!({
                "role": "system",
                "content": format!(
                    "{}\n\nYou give one answer: call the tool `{TOOL}` with the code that repairs \
                     the crash. You cannot probe.",
                    text::RULES
                ),
            }),
            json!({"role": "user", "content": text::crash(&patient.shown)}),
        ];
        for _ in 0..self.attempts {
            let answer = self.ask(&messages)?;
            let usage = &answer["usage"];
            let tokens = json!({
                "input": usage["prompt_tokens"].as_u64().unwrap_or(0),
                "output": usage["completion_tokens"].as_u64().unwrap_or(0),
            });
            match read(&answer) {
                Reading::Unusable(why) => messages.push(json!({
                    "role": "user",
                    "content": format!("Your last answer could not be used: {why}."),
                })),
                Reading::Code { code, reason, call } => {
                    let result = patient.execute(&Treatment {
                        code: code.clone(),
                        submit: true,
                        kind: Some("heal".into()),
                        reason: reason.clone(),
                        tokens: Some(tokens),
                    })?;
                    if result["state"] != "paused" {
                        return Ok(());
                    }
                    let arguments = json!({"code": code, "submit": true, "reason": reason});
                    messages.push(json!({
                        "role": "assistant",
                        "content": null,
                        "tool_calls": [{
                            "id": call, "type": "function",
                            "function": {"name": TOOL, "arguments": arguments.to_string()},
                        }],
                    }));
                    messages.push(json!({
                        "role": "tool", "tool_call_id": call, "content": text::result(&result),
                    }));
                }
            }
        }
        bail!("the model healed nothing in {} attempts", self.attempts)
    }
}
