//! Requests of a scenario, sent to an embedded server in process.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use http::{HeaderMap, Request};
use http_body_util::{BodyExt, Full};
use kube_informer::testing::ApiServer;
use kube_informer::testing::api_server::AccessRule;
use serde_json::Value;

use super::scenario::{Scenario, Step};

/// The longest time that a response takes, on the clock of the test.
const PATIENCE: Duration = Duration::from_secs(600);

/// The embedded server's response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Answer {
    /// Returns the body as JSON; a body that is not JSON, as a string.
    pub(crate) fn value(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| Value::String(self.body.clone()))
    }

    /// Returns the events of a watch. The last one is a string if it is not JSON.
    pub(crate) fn events(&self) -> Value {
        let lines = self.body.lines().filter(|line| !line.is_empty());
        lines
            .map(|line| serde_json::from_str(line).unwrap_or_else(|_| Value::String(line.into())))
            .collect()
    }
}

/// Returns a server with the users of the recordings, and the options of the scenario.
pub(crate) fn server(scenario: &Scenario) -> ApiServer {
    // The scenario's roles.
    let maps = AccessRule::new(["*"], ["configmaps"]).namespaces(["h-review-requests-4"]);
    let maps = Some(maps).filter(|_| scenario.name == "webhooks-review-requests");
    let is = |of: &Value, name: &str, value: bool| of[name] == value;
    ApiServer::builder()
        .require_namespaces(true)
        .namespace_controller(false)
        .sharded_lists(is(&scenario.feature_gates, "ShardedListAndWatch", true))
        .watch_cache(!is(&scenario.server_options, "watch-cache", false))
        .anonymous_requests(!is(&scenario.server_options, "anonymous-auth", false))
        .token("admin", "admin", [AccessRule::everything()])
        .token("viewer", "viewer", maps.clone())
        .token("alice", "alice", maps)
        .build()
}

/// Sends a request with this path and body. The error says why there is no response.
pub(crate) async fn send(
    server: &ApiServer,
    step: &Step,
    path: &str,
    body: Option<String>,
) -> Result<Answer, String> {
    let mut request = Request::builder().method(step.method.as_str()).uri(path);
    for (name, value) in &step.headers {
        request = request.header(name, value);
    }
    if !step.headers.contains_key("user-agent") {
        request = request.header("user-agent", "recorder/1.0");
    }
    let user = step.user.as_deref().unwrap_or("admin");
    if !step.headers.contains_key("authorization") && user != "none" {
        request = request.header("authorization", format!("Bearer {user}"));
    }
    let request = request.body(Full::new(Bytes::from(body.unwrap_or_default())));
    let request = request.map_err(|error| format!("not a request: {error}"))?;
    let answer = AssertUnwindSafe(async {
        let response = server.handle(request).await;
        let (head, body) = response.into_parts();
        let body = body.collect().await.map_err(|error| format!("no whole body: {error}"))?;
        let body = String::from_utf8_lossy(&body.to_bytes()).into_owned();
        Ok(Answer { status: head.status.as_u16(), headers: head.headers, body })
    });
    match tokio::time::timeout(PATIENCE, answer.catch_unwind()).await {
        Err(_) => Err("the response does not end".to_owned()),
        Ok(Err(_)) => Err("the server panicked".to_owned()),
        Ok(Ok(answer)) => answer,
    }
}
