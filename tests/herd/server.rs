//! A server of bounded concurrency, which notes when each informer was served.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::stream::{self, BoxStream};
use futures::{FutureExt, StreamExt};
use http::{Request, Response, Uri};
use http_body::Frame;
use http_body_util::StreamBody;
use kube::Client;
use kube::client::Body;
use parking_lot::Mutex;
use serde_json::json;
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, sleep};

/// The time that opening a watch, or a list of one item, takes a seat.
const SHORT: Duration = Duration::from_millis(10);

/// The time that a request waits for a seat before it is refused.
const PATIENCE: Duration = Duration::from_secs(15);

const RETRY_AFTER: u64 = 1;

type Answer = Response<StreamBody<BoxStream<'static, io::Result<Frame<Bytes>>>>>;

/// The capacity of a server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capacity {
    pub(crate) seats: usize,
    pub(crate) queue: usize,
    /// The time that a list takes a seat.
    pub(crate) list: Duration,
}

/// A clone shares the state.
#[derive(Clone)]
pub(crate) struct Server {
    capacity: Capacity,
    seats: Arc<Semaphore>,
    state: Arc<Mutex<State>>,
    /// Increases when every connection breaks.
    outages: watch::Sender<u64>,
}

struct State {
    up: bool,
    version: u64,
    waiting: usize,
    /// The versions that watches may start from are these and newer, by informer.
    oldest: HashMap<usize, u64>,
    /// The time before which an informer was asked not to come back.
    not_before: HashMap<usize, Instant>,
    seen: Seen,
}

/// The requests since the last look.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// The time of each request of a list or watch.
    pub(crate) requests: Vec<Instant>,
    pub(crate) lists: usize,
    pub(crate) refused: usize,
    /// Requests that came before their informer's `Retry-After` was over.
    pub(crate) too_soon: usize,
    /// The time at which each informer had an open watch from the newest version.
    pub(crate) fresh: HashMap<usize, Instant>,
    /// The informers that had to list.
    pub(crate) listed: HashSet<usize>,
}

impl Server {
    pub(crate) fn new(capacity: Capacity) -> Self {
        let state = State {
            up: true,
            version: 100,
            waiting: 0,
            oldest: HashMap::new(),
            not_before: HashMap::new(),
            seen: Seen::default(),
        };
        Self {
            capacity,
            seats: Arc::new(Semaphore::new(capacity.seats)),
            state: Arc::new(Mutex::new(state)),
            outages: watch::Sender::new(0),
        }
    }

    /// Returns a client of this server.
    pub(crate) fn client(&self) -> Client {
        let server = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let (server, uri) = (server.clone(), request.uri().clone());
            async move { server.answer(uri).await }.boxed()
        });
        Client::new(service, "default")
    }

    /// Breaks every connection, and refuses new ones.
    pub(crate) fn stop(&self) {
        self.state.lock().up = false;
        self.outages.send_modify(|outages| *outages += 1);
    }

    /// Takes connections again. There was a change meanwhile, and these informers' versions are
    /// forgotten.
    pub(crate) fn resume(&self, forgotten: impl Iterator<Item = usize>) {
        let mut state = self.state.lock();
        (state.up, state.version) = (true, state.version + 1);
        let version = state.version;
        state.oldest.extend(forgotten.map(|informer| (informer, version)));
    }

    pub(crate) fn version(&self) -> u64 {
        self.state.lock().version
    }

    pub(crate) fn fresh(&self) -> usize {
        self.state.lock().seen.fresh.len()
    }

    /// Returns what was seen since the last call.
    pub(crate) fn take_seen(&self) -> Seen {
        std::mem::take(&mut self.state.lock().seen)
    }

    async fn answer(&self, uri: Uri) -> io::Result<Answer> {
        let refused = || io::Error::from(io::ErrorKind::ConnectionRefused);
        let path = uri.path();
        let informer = path.split('/').find_map(|part| part.strip_prefix('n')?.parse().ok());
        let informer: usize = informer.expect("an informer has a namespace");
        let query = uri.query().unwrap_or_default();
        let param = |name| {
            let mut pairs = form_urlencoded::parse(query.as_bytes());
            pairs.find(|(of, _)| of == name).map(|(_, value)| value.into_owned())
        };
        let is_watch = param("watch").is_some();
        let is_list = !is_watch || param("sendInitialEvents").is_some();
        let is_question = !is_watch && param("limit").as_deref() == Some("1");
        let mut outages = self.outages.subscribe();
        {
            let mut state = self.state.lock();
            let now = Instant::now();
            state.seen.requests.push(now);
            if !is_question && state.not_before.remove(&informer).is_some_and(|at| now < at) {
                state.seen.too_soon += 1;
            }
            if !state.up {
                return Err(refused());
            }
        }
        let seat = tokio::select! {
            seat = self.seat() => seat,
            _ = outages.changed() => return Err(io::ErrorKind::ConnectionReset.into()),
        };
        let Some(_seat) = seat else {
            let mut state = self.state.lock();
            state.seen.refused += 1;
            if !is_question {
                let at = Instant::now() + Duration::from_secs(RETRY_AFTER);
                state.not_before.insert(informer, at);
            }
            return Ok(status(429, "TooManyRequests"));
        };
        let takes = if is_question || !is_list { SHORT } else { self.capacity.list };
        tokio::select! {
            () = sleep(takes) => {}
            _ = outages.changed() => return Err(io::ErrorKind::ConnectionReset.into()),
        }
        let mut state = self.state.lock();
        let version = state.version;
        if is_list && !is_question {
            state.seen.lists += 1;
            state.seen.listed.insert(informer);
        }
        if !is_watch {
            return Ok(json(200, &list(informer, version)));
        }
        let from = param("resourceVersion").and_then(|from| from.parse().ok()).unwrap_or(0);
        if !is_list && state.oldest.get(&informer).is_some_and(|oldest| from < *oldest) {
            return Ok(status(410, "Expired"));
        }
        state.seen.fresh.entry(informer).or_insert_with(Instant::now);
        let mut events = Vec::new();
        if is_list {
            events.push(json!({"type": "ADDED", "object": object(informer)}));
        }
        events.push(json!({"type": "BOOKMARK", "object": {
            "kind": "ConfigMap", "apiVersion": "v1",
            "metadata": {"resourceVersion": version.to_string(), "annotations": {
                "k8s.io/initial-events-end": is_list.to_string(),
            }},
        }}));
        let lines = events.into_iter().map(|event| Ok(Frame::data(format!("{event}\n").into())));
        let broken = stream::once(async move {
            let _ = outages.changed().await;
            Err(io::ErrorKind::ConnectionReset.into())
        });
        Ok(response(200, stream::iter(lines).chain(broken).boxed()))
    }

    /// Waits for a seat. Returns `None` if there are too many who wait, or it takes too long.
    async fn seat(&self) -> Option<impl Drop + use<>> {
        struct Place(Arc<Mutex<State>>);
        impl Drop for Place {
            fn drop(&mut self) {
                self.0.lock().waiting -= 1;
            }
        }
        if let Ok(seat) = self.seats.clone().try_acquire_owned() {
            return Some(seat);
        }
        let place = {
            let mut state = self.state.lock();
            if state.waiting >= self.capacity.queue {
                return None;
            }
            state.waiting += 1;
            Place(self.state.clone())
        };
        let seat = tokio::time::timeout(PATIENCE, self.seats.clone().acquire_owned()).await;
        drop(place);
        seat.ok()?.ok()
    }
}

fn response(code: u16, frames: BoxStream<'static, io::Result<Frame<Bytes>>>) -> Answer {
    let response = Response::builder().status(code).header("content-type", "application/json");
    let response = response.header("retry-after", RETRY_AFTER);
    response.body(StreamBody::new(frames)).unwrap()
}

fn json(code: u16, body: &serde_json::Value) -> Answer {
    let body = Ok(Frame::data(Bytes::from(body.to_string())));
    response(code, stream::iter([body]).boxed())
}

fn status(code: u16, reason: &str) -> Answer {
    json(
        code,
        &json!({
            "kind": "Status", "apiVersion": "v1", "status": "Failure",
            "reason": reason, "message": "as the test says", "code": code,
        }),
    )
}

fn list(informer: usize, version: u64) -> serde_json::Value {
    json!({
        "kind": "ConfigMapList", "apiVersion": "v1",
        "metadata": {"resourceVersion": version.to_string()},
        "items": [object(informer)],
    })
}

fn object(informer: usize) -> serde_json::Value {
    json!({
        "kind": "ConfigMap", "apiVersion": "v1",
        "metadata": {
            "name": "a", "namespace": format!("n{informer}"), "uid": "u", "resourceVersion": "1",
        },
    })
}
