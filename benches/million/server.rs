//! A lean API server: it keeps the protobuf bytes of each object and nothing else, answers
//! streaming lists and watches, and is told by the measurement what to do.
//!
//! | request | what it does, answers when done |
//! |---|---|
//! | `GET /api/v1/pods?watch=…` | initial events if asked for, then changes; 410 if too old |
//! | `POST /bench/relist` | forgets its history and ends every watch, so that clients list |
//! | `POST /bench/update?rate=R&seconds=S` | makes R changes of pods a second, each at its time |

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::stream;
use http::{Request, Response, StatusCode, header};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper_util::rt::TokioIo;
use kube_decode::encode_protobuf;
use kube_decode::protobuf::encode::encode_event;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout_at;

use crate::measure::Options;
use crate::objects;

/// The version of the first object.
const FIRST: u64 = 1_000_000_000;

/// Steps from one pod to the next that changes: a prime, so that all have their turn, in no order
/// that a cache would like.
const STRIDE: u64 = 7_919;

/// The number of changes in the history.
const WINDOW: usize = 20_000;

/// A part of a watch's body, in bytes: as much as a real server writes at once under load.
const PART: usize = 64 * 1024;

const BOOKMARKS: Duration = Duration::from_secs(60);

/// All objects of one kind.
struct Collection {
    kind: &'static str,
    held: Mutex<Held>,
    /// Told the newest version after each change.
    newest: watch::Sender<u64>,
}

struct Held {
    objects: Vec<Bytes>,
    /// Frames of the last changes, by version.
    history: VecDeque<(u64, Bytes)>,
    /// Watches begin after this version or later.
    forgotten: u64,
    /// Watches end when it changes.
    era: u64,
}

struct Server {
    pods: Arc<Collection>,
    nodes: Arc<Collection>,
}

/// Fills itself, writes its address to standard output, and serves until it is ended.
pub(crate) fn run(options: &Options) {
    let make_pod = |n| objects::pod(n, FIRST + n);
    let make_node = |n| objects::node(n, FIRST + n);
    let server = Arc::new(Server {
        pods: Collection::filled("Pod", options.number("pods", 0) as u64, make_pod),
        nodes: Collection::filled("Node", options.number("nodes", 0) as u64, make_node),
    });
    // One thread: the clients have the rest of the machine.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        println!("{}", listener.local_addr().expect("an address"));
        std::io::stdout().flush().expect("a reader");
        loop {
            let (stream, _) = listener.accept().await.expect("a connection");
            // As Go's servers do: an event does not wait for the last one's acknowledgement.
            stream.set_nodelay(true).expect("a socket");
            let server = server.clone();
            tokio::spawn(async move {
                let service = hyper::service::service_fn(|request| answer(server.clone(), request));
                let connection = hyper::server::conn::http1::Builder::new();
                // A client that goes away in mid-answer has what it wanted.
                let _ = connection.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
}

type Body = UnsyncBoxBody<Bytes, Infallible>;

async fn answer(
    server: Arc<Server>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let query = request.uri().query().unwrap_or_default();
    let query: HashMap<_, _> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let number = |name: &str| query.get(name).and_then(|number| number.parse::<u64>().ok());
    let collection = match request.uri().path() {
        "/api/v1/pods" => &server.pods,
        "/api/v1/nodes" => &server.nodes,
        "/bench/relist" => return Ok(whole(200, &server.pods.relist())),
        "/bench/update" => {
            let (pods, rate) = (server.pods.clone(), number("rate").unwrap_or(1).max(1));
            let seconds = number("seconds").unwrap_or(1);
            let done = tokio::task::spawn_blocking(move || pods.update(rate, seconds));
            return Ok(whole(200, &done.await.expect("updates")));
        }
        other => return Ok(whole(404, &status(404, "NotFound", other))),
    };
    if !query.contains_key("watch") {
        return Ok(whole(400, &status(400, "BadRequest", "lists are streaming lists here")));
    }
    let initial = query.get("sendInitialEvents").is_some_and(|value| value == "true");
    let from = number("resourceVersion").filter(|_| !initial);
    if from.is_some_and(|version| version < collection.held.lock().forgotten) {
        return Ok(whole(410, &status(410, "Expired", "too old resource version")));
    }
    let ends = Instant::now() + Duration::from_secs(number("timeoutSeconds").unwrap_or(1800));
    let (parts, body) = mpsc::channel(2);
    tokio::spawn(collection.clone().watch(from, ends, parts));
    let parts = stream::unfold(body, async |mut body| {
        let part = body.recv().await?;
        Some((Ok(Frame::data(part)), body))
    });
    Ok(Response::builder()
        .header(header::CONTENT_TYPE, "application/vnd.kubernetes.protobuf;stream=watch")
        .body(StreamBody::new(parts).boxed_unsync())
        .expect("an answer"))
}

fn whole(code: u16, body: &Value) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from(body.to_string())).boxed_unsync());
    *response.status_mut() = StatusCode::from_u16(code).expect("a code");
    response.headers_mut().insert(header::CONTENT_TYPE, "application/json".parse().unwrap());
    response
}

fn status(code: u16, reason: &str, message: &str) -> Value {
    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
           "message": message, "reason": reason, "code": code})
}

impl Collection {
    /// Makes that many objects on all processors.
    fn filled(kind: &'static str, number: u64, make: impl Fn(u64) -> Vec<u8> + Sync) -> Arc<Self> {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
        let make = &make;
        let objects = std::thread::scope(|scope| {
            let part = |at: u64| number * at / threads..number * (at + 1) / threads;
            let makers: Vec<_> = (0..threads)
                .map(|at| scope.spawn(move || part(at).map(|n| make(n).into()).collect::<Vec<_>>()))
                .collect();
            makers.into_iter().flat_map(|part| part.join().expect("objects")).collect()
        });
        let forgotten = FIRST + number;
        let held = Held { objects, history: VecDeque::new(), forgotten, era: 0 };
        Arc::new(Self { kind, held: Mutex::new(held), newest: watch::Sender::new(forgotten) })
    }

    fn relist(&self) -> Value {
        let mut held = self.held.lock();
        // The version that the watches are at must not be the newest: it would still be known.
        held.forgotten = *self.newest.borrow() + 1;
        held.history.clear();
        held.era += 1;
        self.newest.send_replace(held.forgotten);
        json!({ "revision": held.forgotten })
    }

    fn update(&self, rate: u64, seconds: u64) -> Value {
        let (start, total) = (Instant::now(), rate * seconds);
        let pods = self.held.lock().objects.len() as u64;
        let stride = if pods.is_multiple_of(STRIDE) { STRIDE + 4 } else { STRIDE };
        let (mut latest, before) = (Duration::ZERO, *self.newest.borrow());
        for change in 0..total {
            let version = before + 1 + change;
            let generation = version - FIRST;
            let n = generation * stride % pods;
            let mut pod = self.held.lock().objects[n as usize].to_vec();
            let due = start + Duration::from_nanos(1_000_000_000 / rate * change);
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            latest = latest.max(due.elapsed());
            objects::change(&mut pod, n, version);
            let frame = encode_event("MODIFIED", &pod).into();
            let mut held = self.held.lock();
            held.objects[n as usize] = pod.into();
            held.history.push_back((version, frame));
            if held.history.len() > WINDOW {
                held.forgotten = held.history.pop_front().map_or(version, |(version, _)| version);
            }
            self.newest.send_replace(version);
        }
        json!({ "revision": before + total, "updates": total, "latest": latest.as_secs_f64(),
                "seconds": start.elapsed().as_secs_f64() })
    }

    /// Writes a watch, until it ends or the client is gone.
    async fn watch(self: Arc<Self>, from: Option<u64>, ends: Instant, parts: mpsc::Sender<Bytes>) {
        let mut newest = self.newest.subscribe();
        let era = self.held.lock().era;
        let listed = if from.is_none() { self.list(&parts).await } else { from };
        let Some(mut position) = listed else { return };
        while Instant::now() < ends && !parts.is_closed() {
            newest.borrow_and_update();
            let mut part = Vec::new();
            {
                let held = self.held.lock();
                if held.era != era || position < held.forgotten {
                    return;
                }
                let seen = held.history.partition_point(|(version, _)| *version <= position);
                for (version, frame) in held.history.range(seen..) {
                    part.extend_from_slice(frame);
                    position = *version;
                    if part.len() > PART {
                        break;
                    }
                }
            }
            if part.is_empty() {
                let until = ends.min(Instant::now() + BOOKMARKS);
                if timeout_at(until.into(), newest.changed()).await.is_ok() {
                    continue;
                }
                part = self.bookmark(position, false);
            }
            if parts.send(part.into()).await.is_err() {
                return;
            }
        }
    }

    /// Writes all objects and the bookmark after them. Returns its version, or `None` if the client
    /// is gone.
    async fn list(&self, parts: &mpsc::Sender<Bytes>) -> Option<u64> {
        let (version, mut sent) = (*self.newest.borrow(), 0);
        loop {
            let some: Vec<_> = self.held.lock().objects[sent..].iter().take(16).cloned().collect();
            if some.is_empty() {
                parts.send(self.bookmark(version, true).into()).await.ok()?;
                return Some(version);
            }
            sent += some.len();
            let mut part = Vec::with_capacity(2 * PART);
            for object in some {
                part.extend(encode_event("ADDED", &object));
            }
            parts.send(part.into()).await.ok()?;
        }
    }

    fn bookmark(&self, version: u64, end_of_initial: bool) -> Vec<u8> {
        let mut object = json!({"apiVersion": "v1", "kind": self.kind,
                                "metadata": {"resourceVersion": version.to_string()}});
        if end_of_initial {
            object["metadata"]["annotations"] = json!({ "k8s.io/initial-events-end": "true" });
        }
        encode_event("BOOKMARK", &encode_protobuf(&object).expect("a built-in kind"))
    }
}
