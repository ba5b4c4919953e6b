//! Webhooks: the services that a test registers, and the requests that the server sends them.
//!
//! Configurations on the server decide when a webhook is called, as in a cluster. A write runs
//! under the lock of the store, and a webhook may itself send requests. So a write that lacks an
//! answer ends without effect, the webhook is called without the lock, and the write runs again
//! with the answer: see [`Session`].

mod admission;
mod answer;
mod api;
mod cache;
#[cfg(test)]
mod cache_tests;
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
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER};
use http::{HeaderMap, Method, Request, Response};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::api_server::store::{Store, stored};

pub(crate) use self::admission::{Admission, Operation, pending};
pub(crate) use self::cache::{Cache, Progress, RETRY, cached_for_write};
pub(crate) use self::conversion::{Conversion, convert, current, stored_and_seen, unreadable_list};
use self::session::Asked;
pub(crate) use self::session::Session;

/// The number of times that a request is sent again to a service that is too busy. Clients in Go
/// have it, too.
const MOST_REPETITIONS: usize = 10;
/// The number of redirects that a request follows. Clients in Go follow as many.
const MOST_REDIRECTS: usize = 10;
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
    /// The problem if no test registered the address.
    absence: Option<String>,
    /// The timeout in seconds that the webhook is told.
    told: u64,
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

    /// Returns the problem of an address without a service. The store has the Services.
    fn absence(&self, store: Option<&Store>, client: &Value) -> Option<String> {
        (!self.serves(client)).then(|| unreachable(store, client))
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
        let url = url(&call.client, call.told);
        let failed = |problem: &str| format!("Post {url:?}: {problem}");
        let service = self
            .find(&call.client)
            .ok_or_else(|| failed(call.absence.as_deref().unwrap_or_default()))?;
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
            let (mut repetitions, mut redirects) = (0, 0);
            let (mut method, mut place, mut service) = (Method::POST, url.clone(), service);
            loop {
                if Instant::now() >= deadline {
                    return Err(late());
                }
                let request = Request::builder().method(method.clone()).uri(&place);
                let request = if method == Method::POST {
                    request.header(CONTENT_TYPE, "application/json").body(body.clone())
                } else {
                    request.body(Bytes::new())
                };
                let request = request.map_err(|error| error.to_string())?;
                // A closure that panics closes the connection.
                let response = AssertUnwindSafe(async { service(request).await }).catch_unwind();
                let response = response.await.map_err(|_| failed("EOF"))?;
                if let Some(location) = location(&response, &place) {
                    redirects += 1;
                    if redirects > MOST_REDIRECTS {
                        return Err(failed("stopped after 10 redirects"));
                    }
                    if !matches!(response.status().as_u16(), 307 | 308) {
                        method = Method::GET;
                    }
                    let whole = location.split(['?', '#']).next().unwrap_or_default();
                    let client = json!({ "url": whole });
                    let found = self.find(&client);
                    service = found.ok_or_else(|| failed(&unreachable(None, &client)))?;
                    place = location;
                    continue;
                }
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

/// Returns the address to which a response from `from` redirects, if it does.
fn location(response: &Response<Bytes>, from: &str) -> Option<String> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    if location.contains("://") {
        return Some(location.to_owned());
    }
    let (origin, path) = parts(from);
    let below = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let path = if location.starts_with('/') { "" } else { &format!("{below}/") };
    Some(format!("{origin}{path}{location}"))
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_default()
}

/// Returns the address by which services are registered: the URL, or `NAMESPACE/NAME/PATH`.
fn address(client: &Value) -> String {
    let service = &client["service"];
    let (origin, path) = if let Some(url) = client["url"].as_str() {
        parts(url)
    } else {
        let origin = format!("{}/{}", text(service, "namespace"), text(service, "name"));
        (origin, cleaned(text(service, "path")))
    };
    format!("{origin}{}", path.trim_end_matches('/'))
}

/// Returns the URL of a request.
fn url(client: &Value, seconds: u64) -> String {
    let service = &client["service"];
    let (origin, path) = if let Some(url) = client["url"].as_str() {
        parts(url)
    } else {
        let (name, namespace) = (text(service, "name"), text(service, "namespace"));
        let port = service["port"].as_u64().unwrap_or(443);
        (format!("https://{name}.{namespace}.svc:{port}"), cleaned(text(service, "path")))
    };
    format!("{origin}{path}?timeout={seconds}s")
}

/// Returns the origin and the path of a URL.
fn parts(url: &str) -> (String, String) {
    let start = url.find("://").map_or(0, |scheme| scheme + 3);
    let end = url[start..].find('/').map_or(url.len(), |path| start + path);
    (url[..end].to_owned(), cleaned(&url[end..]))
}

/// Returns a path without empty parts and dots, as an API server requests it.
fn cleaned(path: &str) -> String {
    let mut kept = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(kept.pop()),
            part => kept.push(part),
        }
    }
    format!("/{}", kept.join("/"))
}

/// Returns the problem of an address that no test registered, in a real server's words. The store
/// has the Services.
fn unreachable(store: Option<&Store>, client: &Value) -> String {
    let refused = |address: &str| format!("dial tcp {address}: connect: connection refused");
    if let Some(url) = client["url"].as_str() {
        let authority = parts(url).0.split("://").nth(1).unwrap_or_default().to_owned();
        let host = authority.rsplit_once(':').map_or(&*authority, |(host, _)| host);
        return if host == "localhost" || host.parse::<IpAddr>().is_ok() {
            refused(&authority)
        } else {
            format!("dial tcp: lookup {host}: no such host")
        };
    }
    let (name, port) = (text(&client["service"], "name"), &client["service"]["port"]);
    let port = port.as_u64().unwrap_or(443);
    let key = stored::key(text(&client["service"], "namespace"), name);
    let services = store.and_then(|store| Some((store, store.served("", "v1", "services")?)));
    let found = services.and_then(|(store, services)| {
        Some(store.of(services)?.objects.get(&key)?.value(services)["spec"].take())
    });
    let Some(spec) = found else { return format!("service {name:?} not found") };
    let mut ports = spec["ports"].as_array().into_iter().flatten();
    match text(&spec, "externalName") {
        "" if !ports.any(|known| known["port"] == port) => {
            format!("no service port {port} found for service {name:?}")
        }
        "" => refused(&format!("{}:{port}", text(&spec, "clusterIP"))),
        "localhost" => refused(&format!("127.0.0.1:{port}")),
        external => format!("dial tcp: lookup {external}: no such host"),
    }
}

impl fmt::Debug for Webhooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.lock().keys()).finish()
    }
}
