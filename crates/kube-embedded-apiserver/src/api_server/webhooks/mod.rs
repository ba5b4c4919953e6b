//! Webhooks: the services that a test registers, and the requests that the server sends them.
//!
//! Configurations on the server decide when a webhook is called, as in a cluster. A write runs
//! under the lock of the store, and a webhook may itself send requests. So a write that lacks an
//! answer ends without effect, the webhook is called without the lock, and the write runs again
//! with the answer: see [`Session`].

mod admission;
mod answer;
mod api;
mod conversion;
#[cfg(test)]
mod conversion_tests;
mod matching;
mod review;
mod session;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, Request, Response};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::time::Instant;

pub(crate) use self::admission::{Admission, Operation};
pub(crate) use self::conversion::{Conversion, current, stored_and_seen, unreadable_list};
use self::session::Asked;
pub(crate) use self::session::Session;

/// The number of times that a request is sent again to a service that is too busy. Clients in Go
/// have it, too.
const MOST_REPETITIONS: usize = 10;
/// The number of webhooks that may be called within each other's calls.
const DEEPEST: usize = 8;

tokio::task_local! {
    /// The number of webhooks' calls around this one.
    static DEPTH: usize;
}

/// A service that answers reviews.
type Service = Arc<dyn Fn(Request<Bytes>) -> BoxFuture<'static, Response<Bytes>> + Send + Sync>;

/// The registered services, by the beginnings of their addresses.
#[derive(Default)]
pub(crate) struct Webhooks(Mutex<BTreeMap<String, Service>>);

/// A review that a webhook has to answer.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The webhook's name in its configuration; empty for a conversion.
    hook: String,
    /// The client's configuration: a URL or a service.
    client: Value,
    timeout: Duration,
    /// The review, whose request has no uid yet.
    review: Value,
}

impl Webhooks {
    /// Registers a service for an address and all addresses below it.
    fn register(&self, address: &str, service: Service) {
        self.0.lock().insert(address.trim_end_matches('/').to_owned(), service);
    }

    /// Returns whether any service is registered. Without one, no webhook is called.
    pub(crate) fn are_served(&self) -> bool {
        !self.0.lock().is_empty()
    }

    /// Returns whether a service is registered for a client's configuration.
    pub(crate) fn serves(&self, client: &Value) -> bool {
        self.find(client).is_some()
    }

    /// Returns the service with the longest address that begins a client's address.
    fn find(&self, client: &Value) -> Option<Service> {
        let address = address(client);
        let services = self.0.lock();
        let mut known = services.iter().rev();
        let found = known.find(|(known, _)| {
            let rest = address.strip_prefix(&***known);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        found.map(|(_, service)| service.clone())
    }

    /// Sends a review, and returns the review that answers it. The error is a real server's
    /// words.
    async fn call(&self, call: &Call, uid: &str) -> Result<Value, String> {
        let url = url(&call.client, call.timeout);
        let failed = |problem: &str| format!("Post {url:?}: {problem}");
        let service = self.find(&call.client).ok_or_else(|| failed(&unreachable(&call.client)))?;
        let mut review = call.review.clone();
        review["request"]["uid"] = uid.into();
        let body = Bytes::from(review.to_string());
        let deadline = Instant::now() + call.timeout;
        let late = || {
            failed(if call.hook.is_empty() {
                "net/http: request canceled (Client.Timeout exceeded while awaiting headers)"
            } else {
                "context deadline exceeded"
            })
        };
        let depth = DEPTH.try_with(|depth| depth + 1).unwrap_or(0);
        if depth >= DEEPEST {
            // A real server's calls would run until the time of the outermost is over.
            tracing::warn!(url, "webhooks call each other without end");
            return Err(late());
        }
        let answered = async {
            let mut repetitions = 0;
            loop {
                if Instant::now() >= deadline {
                    return Err(late());
                }
                let request = Request::post(&url).header(CONTENT_TYPE, "application/json");
                let request = request.body(body.clone()).map_err(|error| error.to_string())?;
                // A closure that panics closes the connection.
                let response = AssertUnwindSafe(async { service(request).await }).catch_unwind();
                let response = response.await.map_err(|_| failed("EOF"))?;
                let pause = retry_after(&response).filter(|_| repetitions < MOST_REPETITIONS);
                let Some(pause) = pause else { return Ok(response) };
                repetitions += 1;
                tokio::time::sleep(pause).await;
            }
        };
        let answered = DEPTH.scope(depth, tokio::time::timeout(call.timeout, answered)).await;
        let response = answered.unwrap_or_else(|_| Err(late()))?;
        answer::review(&response)
    }
}

/// Returns the pause after which a service that is too busy wants the request again.
fn retry_after(response: &Response<Bytes>) -> Option<Duration> {
    let busy = response.status() == 429 || response.status().is_server_error();
    let seconds = |headers: &HeaderMap| headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok();
    seconds(response.headers()).filter(|_| busy).map(Duration::from_secs)
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_default()
}

/// Returns the address by which services are registered: the URL, or `NAMESPACE/NAME/PATH`.
fn address(client: &Value) -> String {
    let service = &client["service"];
    match client["url"].as_str() {
        Some(url) => url.to_owned(),
        None => format!(
            "{}/{}/{}",
            text(service, "namespace"),
            text(service, "name"),
            text(service, "path").trim_start_matches('/'),
        ),
    }
}

/// Returns the URL of a request.
fn url(client: &Value, timeout: Duration) -> String {
    let service = &client["service"];
    let whole = match client["url"].as_str() {
        Some(url) => url.to_owned(),
        None => format!(
            "https://{}.{}.svc:{}/{}",
            text(service, "name"),
            text(service, "namespace"),
            service["port"].as_u64().unwrap_or(443),
            text(service, "path").trim_start_matches('/'),
        ),
    };
    format!("{whole}?timeout={}s", timeout.as_secs())
}

/// Returns the problem of an address without a service.
fn unreachable(client: &Value) -> String {
    match client["url"].as_str() {
        Some(url) => {
            let authority = url.split("://").nth(1).and_then(|rest| rest.split('/').next());
            format!("dial tcp {}: connect: connection refused", authority.unwrap_or_default())
        }
        None => format!("service {:?} not found", text(&client["service"], "name")),
    }
}

impl fmt::Debug for Webhooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.lock().keys()).finish()
    }
}
