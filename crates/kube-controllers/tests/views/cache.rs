//! A replica of the API server: it reads from a cache of its own, which may lag behind.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::stream::{self, StreamExt};
use http::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use http::{Request, Response, Uri};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use kube::client::Body;
use kube_informer::testing::ApiServer;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;

type BoxError = Box<dyn std::error::Error + Send + Sync>;
type Answer = Response<UnsyncBoxBody<Bytes, BoxError>>;

/// The time for which a real server waits for its cache before it answers 504.
const PATIENCE: Duration = Duration::from_secs(3);

/// A replica of the API server. A cheap clone.
///
/// A list that names a version is answered from the cache, and a watch tells only what the cache
/// has seen. Consistent lists, single objects and writes are those of all replicas.
#[derive(Clone)]
pub(crate) struct Replica {
    server: Arc<Mutex<ApiServer>>,
    /// The revision that the cache has reached.
    reached: Arc<watch::Sender<u64>>,
}

impl Replica {
    pub(crate) fn new(server: &ApiServer) -> Self {
        let reached = Arc::new(watch::Sender::new(server.revision()));
        Self { server: Arc::new(Mutex::new(server.clone())), reached }
    }

    /// Starts again before another server: the cluster was restored from a backup.
    pub(crate) fn restore(&self, server: &ApiServer) {
        *self.server.lock() = server.clone();
        self.reached.send_replace(server.revision());
    }

    /// Lets the cache see everything up to this revision.
    pub(crate) fn reach(&self, revision: u64) {
        // It may be of the time before a restore.
        let revision = revision.min(self.revision());
        self.reached.send_modify(|reached| *reached = revision.max(*reached));
    }

    /// Returns the newest revision, which the cache may not have reached.
    pub(crate) fn revision(&self) -> u64 {
        self.server.lock().revision()
    }

    /// Returns whether the cache lags behind.
    pub(crate) fn lags(&self) -> bool {
        *self.reached.borrow() < self.revision()
    }

    pub(crate) async fn answer(&self, mut request: Request<Body>) -> Answer {
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json"));
        let query = request.uri().query().unwrap_or_default().to_owned();
        let pairs: Vec<_> = form_urlencoded::parse(query.as_bytes()).collect();
        let value = |name| pairs.iter().find(|(key, _)| key == name).map(|(_, value)| &**value);
        let server = self.server.lock().clone();
        let asked: Option<u64> = value("resourceVersion").and_then(|version| version.parse().ok());
        if value("watch") == Some("true") {
            let continues = value("sendInitialEvents") != Some("true");
            return match asked.filter(|asked| continues && *asked > server.revision()) {
                // A restored server has forgotten the time before.
                Some(asked) => too_old(asked),
                None => self.watched(server.handle(request).await),
            };
        }
        if let Some(asked) = asked {
            let mut reached = self.reached.subscribe();
            let waited = timeout(PATIENCE, reached.wait_for(|reached| *reached >= asked)).await;
            let Ok(Ok(reached)) = waited.map(|reached| reached.map(|reached| *reached)) else {
                return too_large(asked);
            };
            *request.uri_mut() = at(request.uri(), reached);
        }
        server.handle(request).await.map(|body| body.map_err(Into::into).boxed_unsync())
    }

    /// Holds each event back until the cache has seen it.
    fn watched(
        &self,
        answer: Response<kube_informer::testing::api_server::ResponseBody>,
    ) -> Answer {
        let reached = self.reached.subscribe();
        answer.map(|body| {
            let state = (body.into_data_stream(), Vec::new(), reached);
            let events = stream::unfold(state, |(mut body, mut rest, mut reached)| async move {
                loop {
                    if let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                        let line: Vec<u8> = rest.drain(..=end).collect();
                        let event: Value = serde_json::from_slice(&line).unwrap();
                        let version = event["object"]["metadata"]["resourceVersion"].as_str();
                        let version = version.and_then(|version| version.parse().ok()).unwrap_or(0);
                        reached.wait_for(|reached| *reached >= version).await.ok()?;
                        return Some((Ok(Frame::data(line.into())), (body, rest, reached)));
                    }
                    match body.next().await? {
                        Ok(bytes) => rest.extend_from_slice(&bytes),
                        Err(error) => return Some((Err(error.into()), (body, rest, reached))),
                    }
                }
            });
            StreamBody::new(events).boxed_unsync()
        })
    }
}

/// Asks for the state at a revision, as a whole: a cache that lags behind has no other.
fn at(uri: &Uri, revision: u64) -> Uri {
    let query = uri.query().unwrap_or_default();
    let kept = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| {
        !matches!(&**name, "limit" | "resourceVersion" | "resourceVersionMatch")
    });
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(kept)
        .append_pair("resourceVersion", &revision.to_string())
        .append_pair("resourceVersionMatch", "Exact")
        .finish();
    format!("{}?{query}", uri.path()).parse().unwrap()
}

fn too_large(asked: u64) -> Answer {
    let cause = json!({"reason": "ResourceVersionTooLarge", "message": "Too large version"});
    failure(&json!({
        "code": 504, "reason": "Timeout",
        "message": format!("Timeout: Too large resource version: {asked}"),
        "details": {"causes": [cause], "retryAfterSeconds": 1},
    }))
}

fn too_old(asked: u64) -> Answer {
    let message = format!("too old resource version: {asked}");
    failure(&json!({"code": 410, "reason": "Expired", "message": message}))
}

/// Returns an answer with a status of these members.
fn failure(members: &Value) -> Answer {
    let mut status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure"});
    status.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    let code = u16::try_from(status["code"].as_u64().unwrap()).unwrap();
    let body = Full::new(Bytes::from(status.to_string())).map_err(|never| match never {});
    let answer = Response::builder().status(code).header(CONTENT_TYPE, "application/json");
    answer.body(body.boxed_unsync()).unwrap()
}
