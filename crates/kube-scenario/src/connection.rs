//! The connection of a program: counts its requests and events, and disturbs the chosen one.

use std::future::pending;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode, Uri};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, StreamBody};
use kube::client::Body;
use kube_embedded_apiserver::{BodyPosition, Faults, Injection, Requests};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::schedule::Disturbance;
use crate::target::{Target, in_one_word, is_background};
use crate::world::World;
use kube_informer::error::BoxError;

type Frames = BoxStream<'static, Result<Bytes, BoxError>>;
type PassedBody = UnsyncBoxBody<Bytes, BoxError>;

/// The event with which a watch ends whose history is gone.
const EXPIRED: &[u8] =
    b"{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\
    \"metadata\":{},\"status\":\"Failure\",\"message\":\"too old resource version\",\
    \"reason\":\"Expired\",\"code\":410}}\n";

/// The time after which a throttled client may ask again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// The time of a webhook that answers at the last moment: by default it has ten seconds.
const LATE: Duration = Duration::from_secs(9);

const DENIED: &str = "admission webhook \"policy.example.com\" denied the request: not now";

const UNREACHABLE: &str = "Internal error occurred: failed calling webhook \"policy.example.com\": \
    failed to call webhook: Post \"https://policy.example.svc:443/?timeout=10s\": dial tcp \
    10.0.0.1:443: connect: connection refused";

/// The state of a process beside another one that has taken its place. Clones are the same.
///
/// While it is held, nothing passes. Until it ends, no event reaches it, and its Leases seem to be
/// its own.
#[derive(Clone, Default)]
pub(crate) struct Turn {
    pub(crate) taken: CancellationToken,
    /// The revision at which it was taken.
    pub(crate) taken_at: Arc<OnceLock<u64>>,
    pub(crate) goes_on: CancellationToken,
}

impl Turn {
    pub(crate) fn is_held(&self) -> bool {
        self.taken.is_cancelled() && !self.goes_on.is_cancelled()
    }

    /// Waits while another process has the place of this one.
    async fn comes(&self) {
        if self.is_held() {
            self.goes_on.cancelled().await;
        }
    }
}

/// Returns the client of one life of the program. Nothing passes once `death` is cancelled.
pub(crate) fn client(world: &World, death: CancellationToken, turn: Turn) -> kube::Client {
    let connection = Connection {
        world: world.clone(),
        server: world.faults().client(noted(world)),
        death,
        turn,
    };
    let connection = Arc::new(connection);
    let service = tower::service_fn(move |request| {
        let connection = connection.clone();
        async move { connection.pass(request).await }
    });
    kube::Client::new(service, "default")
}

/// The name of a write, on its way to the server.
#[derive(Clone)]
struct Write(String);

/// Returns a client of the server that notes its answers to writes, whether or not the program
/// learns of them.
fn noted(world: &World) -> kube::Client {
    let (world, server) = (world.clone(), world.server().client());
    let service = tower::service_fn(move |request: Request<Body>| {
        let (world, server) = (world.clone(), server.clone());
        async move {
            let write = request.extensions().get::<Write>().cloned();
            let dry = request.uri().query().is_some_and(|query| query.contains("dryRun="));
            let answered = server.send(request).await;
            if let Some(Write(name)) = write {
                let accepted = answered.as_ref().is_ok_and(|answer| answer.status().is_success());
                world.write_ends(&name, accepted && !dry);
            }
            answered
        }
    });
    kube::Client::new(service, "default")
}

struct Connection {
    world: World,
    /// The server behind the faults.
    server: kube::Client,
    death: CancellationToken,
    turn: Turn,
}

/// A request under its name.
struct Named {
    request: Request<Body>,
    name: String,
    watch: bool,
    /// The body of a write.
    content: Value,
}

impl Connection {
    async fn pass(&self, request: Request<Body>) -> Result<Response<PassedBody>, BoxError> {
        let Named { mut request, name, watch, content } = named(request).await?;
        let write = *request.method() != Method::GET;
        let target = Target::of(&name);
        let of_leases = target.as_ref().is_some_and(Target::is_of_leases);
        if of_leases && self.turn.taken.is_cancelled() && *request.method() == Method::PUT {
            return renewed(request).await;
        }
        self.turn.comes().await;
        if self.death.is_cancelled() {
            return pending().await;
        }
        let disturbance = self.world.request_begins(&name, write, content);
        if self.world.spins() {
            return pending().await;
        }
        let in_flight = (!watch).then(|| self.world.in_flight(&name));
        if watch {
            only_json(&mut request);
        } else if write {
            request.extensions_mut().insert(Write(name.clone()));
        } else {
            let lists_leases = of_leases && target.is_some_and(|target| target.name.is_empty());
            if let Some(uri) = self.of_the_past(request.uri(), lists_leases) {
                *request.uri_mut() = uri;
            }
        }
        let collection: Arc<str> = request.uri().path().into();
        let answered = match disturbance {
            Some(Disturbance::CrashBefore) => {
                self.world.dies();
                return pending().await;
            }
            Some(Disturbance::Takeover) => {
                drop(in_flight);
                self.world.take_over();
                return self.late(request, name).await;
            }
            Some(Disturbance::Stop) => {
                self.world.stops();
                self.server.send(request).await
            }
            Some(disturbance) => disturbed(disturbance, &self.server).send(request).await,
            None => self.server.send(request).await,
        };
        if write && !is_background(&name) {
            self.world.touch();
        }
        if disturbance == Some(Disturbance::CrashAfter) {
            self.world.dies();
        }
        drop(in_flight);
        self.turn.comes().await;
        if self.death.is_cancelled() {
            return pending().await;
        }
        let (head, body) = answered?.into_parts();
        let mut frames: Frames = body.into_data_stream().map(|one| one.map_err(Into::into)).boxed();
        if watch && head.status.is_success() {
            frames = self.watched(collection, frames);
        }
        let body = StreamBody::new(frames.map(|bytes| bytes.map(Frame::data)));
        Ok(Response::from_parts(head, body.boxed_unsync()))
    }

    /// Sends a write once the process goes on, even if it does not wait for the answer any more.
    async fn late(
        &self,
        request: Request<Body>,
        name: String,
    ) -> Result<Response<PassedBody>, BoxError> {
        let (world, server, turn) = (self.world.clone(), self.server.clone(), self.turn.clone());
        let sent = tokio::spawn(async move {
            turn.comes().await;
            let in_flight = world.in_flight(&name);
            let answered = server.send(request).await;
            drop(in_flight);
            answered
        });
        let answered = sent.await??;
        Ok(answered.map(|body| body.map_err(Into::into).boxed_unsync()))
    }

    /// Returns the address of an older list: from before a restart, if this list may be stale, or
    /// of the Leases, which a process whose place was taken believes to be as they were.
    fn of_the_past(&self, uri: &Uri, lists_leases: bool) -> Option<Uri> {
        let query = uri.query().unwrap_or_default();
        let pairs = || form_urlencoded::parse(query.as_bytes());
        let may_be_stale =
            || pairs().any(|(name, value)| name == "resourceVersion" && value == "0");
        let revision = if lists_leases {
            *self.turn.taken_at.get()?
        } else if may_be_stale() {
            self.world.list_of_any_version()?
        } else {
            return None;
        };
        let revision = revision.to_string();
        let mut changed = form_urlencoded::Serializer::new(String::new());
        let kept = pairs().filter(|(name, _)| !name.starts_with("resourceVersion"));
        changed.extend_pairs(kept).append_pair("resourceVersion", &revision);
        changed.append_pair("resourceVersionMatch", "Exact");
        format!("{}?{}", uri.path(), changed.finish()).parse().ok()
    }

    /// Returns a watch that delivers each event when it may, and nothing after the death.
    fn watched(&self, collection: Arc<str>, frames: Frames) -> Frames {
        let (world, death, turn) = (self.world.clone(), self.death.clone(), self.turn.clone());
        let rest = BytesMut::new();
        let watch = Watch { world, death, turn, collection, frames, rest, over: false };
        stream::unfold(watch, Watch::next).boxed()
    }
}

/// An open watch.
struct Watch {
    world: World,
    death: CancellationToken,
    turn: Turn,
    collection: Arc<str>,
    frames: Frames,
    rest: BytesMut,
    over: bool,
}

impl Watch {
    async fn next(mut self) -> Option<(Result<Bytes, BoxError>, Self)> {
        let death = self.death.clone();
        let piece = tokio::select! {
            biased;
            () = death.cancelled() => pending().await,
            piece = self.piece() => piece?,
        };
        Some((piece, self))
    }

    async fn piece(&mut self) -> Option<Result<Bytes, BoxError>> {
        while !self.over {
            if let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line = self.rest.split_to(end + 1).freeze();
                if let Some((object, content)) = object_of(&line) {
                    self.world.event_comes(&self.collection, &object, content);
                }
                if self.death.is_cancelled() {
                    return pending().await;
                }
                self.over = self.world.held(&self.collection).await;
                return Some(Ok(if self.over { Bytes::from_static(EXPIRED) } else { line }));
            }
            let next = self.frames.next().await?;
            if self.turn.taken.is_cancelled() {
                return pending().await;
            }
            match next {
                Ok(bytes) => self.rest.extend_from_slice(&bytes),
                Err(error) => return Some(Err(error)),
            }
        }
        None
    }
}

/// Returns the answer to a renewal that seems to succeed: the server never gets it.
async fn renewed(request: Request<Body>) -> Result<Response<PassedBody>, BoxError> {
    let bytes = request.into_body().collect().await?.to_bytes();
    let mut lease: Value = serde_json::from_slice(&bytes)?;
    let version = lease["metadata"]["resourceVersion"].as_str().unwrap_or_default();
    lease["metadata"]["resourceVersion"] = format!("{version}0").into();
    let body = http_body_util::Full::new(Bytes::from(serde_json::to_vec(&lease)?));
    Ok(Response::new(body.map_err(|never| match never {}).boxed_unsync()))
}

/// Returns the namespace and name of an event's object, and the object. `None` for bookmarks and
/// errors.
fn object_of(line: &[u8]) -> Option<(String, Value)> {
    let mut event: Value = serde_json::from_slice(line).ok()?;
    if !matches!(event["type"].as_str()?, "ADDED" | "MODIFIED" | "DELETED") {
        return None;
    }
    let metadata = &event["object"]["metadata"];
    let namespace = metadata["namespace"].as_str().map(|namespace| format!("{namespace}/"));
    let name = namespace.unwrap_or_default() + metadata["name"].as_str()?;
    Some((in_one_word(&name), event["object"].take()))
}

/// Returns a client that disturbs each request.
fn disturbed(disturbance: Disturbance, server: &kube::Client) -> kube::Client {
    let injection = match disturbance {
        Disturbance::LoseAnswer => Injection::cut(BodyPosition::Byte(0)),
        Disturbance::Conflict => Injection::status(409),
        Disturbance::Throttle => Injection::throttle(Some(RETRY_AFTER)),
        Disturbance::WebhookRefuses => failed(403, "Forbidden", DENIED),
        Disturbance::WebhookDown => failed(500, "InternalError", UNREACHABLE),
        Disturbance::WebhookLate => Injection::delay(LATE),
        _ => return server.clone(),
    };
    let faults = Faults::new();
    faults.inject(Requests::all(), injection);
    faults.client(server.clone())
}

/// Returns the answer of a server whose webhook does not let a write pass.
fn failed(code: u16, reason: &str, message: &str) -> Injection {
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": reason, "code": code,
    });
    let mut response = Response::new(Bytes::from(status.to_string()));
    *response.status_mut() = StatusCode::from_u16(code).unwrap_or_default();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Injection::answer(response)
}

/// Names a request by its method and path. A create has the object's name at the end.
async fn named(request: Request<Body>) -> Result<Named, BoxError> {
    let path = request.uri().path();
    let query = request.uri().query().unwrap_or_default();
    let watch = request.method() == Method::GET
        && form_urlencoded::parse(query.as_bytes())
            .any(|(name, value)| name == "watch" && matches!(&*value, "true" | "1"));
    let mut name = format!("{} {path}", request.method());
    if *request.method() == Method::GET {
        return Ok(Named { request, name, watch, content: Value::Null });
    }
    let (head, body) = request.into_parts();
    let bytes = body.collect().await?.to_bytes();
    let content: Value =
        serde_json::from_slice(&bytes).unwrap_or_else(|_| format!("{bytes:?}").into());
    let given = |member: &str| content["metadata"][member].as_str();
    if head.method != Method::POST {
    } else if let Some(given) = given("name") {
        name.extend(["/", &in_one_word(given)]);
    } else if let Some(prefix) = given("generateName") {
        name.extend(["/", &in_one_word(prefix), "*"]);
    }
    let request = Request::from_parts(head, Body::from(bytes.to_vec()));
    Ok(Named { request, name, watch, content })
}

/// Requests the events of a watch in JSON, in which they are read here.
fn only_json(request: &mut Request<Body>) {
    let headers = request.headers_mut();
    headers.remove(ACCEPT_ENCODING);
    let accepted = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let json: Vec<_> = accepted.split(',').filter(|one| !one.contains("protobuf")).collect();
    let json = HeaderValue::try_from(json.join(","));
    let json = json.ok().filter(|value| !value.is_empty());
    headers.insert(ACCEPT, json.unwrap_or(HeaderValue::from_static("application/json")));
}
