//! Compressed answers that something on the way has damaged.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures::stream::{self, BoxStream};
use futures::{FutureExt, StreamExt};
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::StreamBody;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::client::Body;
use kube_informer::reflector::ListMode;
use kube_informer::{InformerSpec, SharedInformerFactory, Storage};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::helpers::{S, answered_by};

type Frames = BoxStream<'static, io::Result<Frame<Bytes>>>;

/// A request: its query, and whether it accepts gzip.
struct Asked {
    query: String,
    gzip: bool,
}

impl Asked {
    fn is_watch(&self) -> bool {
        self.query.contains("watch=true")
    }
}

/// An answer: its coding, if any, and its frames.
type Answer = (Option<&'static str>, Frames);

/// A function that answers a request.
type Answering = Box<dyn Fn() -> Answer + Send>;

/// Of each request whether it was a watch, and whether it accepted gzip.
type Codings = Arc<Mutex<Vec<(bool, bool)>>>;

/// Returns a client whose requests a function answers, and the codings so far.
fn client(answer: impl Fn(&Asked, usize) -> Answer + Send + 'static) -> (kube::Client, Codings) {
    let log = Codings::default();
    let (noted, count) = (log.clone(), AtomicUsize::new(0));
    let client = answered_by(move |request: Request<Body>| {
        let query = request.uri().query().unwrap_or_default().to_owned();
        let asked = Asked { query, gzip: request.headers()[ACCEPT_ENCODING] == "gzip" };
        noted.lock().push((asked.is_watch(), asked.gzip));
        let (coding, frames) = answer(&asked, count.fetch_add(1, Ordering::Relaxed));
        let mut response = Response::builder().header(CONTENT_TYPE, "application/json");
        if let Some(coding) = coding {
            response = response.header(CONTENT_ENCODING, coding);
        }
        response.body(StreamBody::new(frames)).unwrap()
    });
    (client, log)
}

/// Returns these bytes as a body that ends.
fn body(bytes: impl Into<Bytes>) -> Frames {
    stream::iter([Ok(Frame::data(bytes.into()))]).boxed()
}

/// Returns these bytes as a body that does not end.
fn endless(bytes: impl Into<Bytes>) -> Frames {
    body(bytes).chain(stream::pending()).boxed()
}

fn member(content: impl AsRef<[u8]>, level: Compression) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    encoder.write_all(content.as_ref()).unwrap();
    encoder.finish().unwrap()
}

/// Compresses a text and changes `true` to `xrue`. Only the checksum shows that.
fn damaged(text: &str) -> Vec<u8> {
    let mut bytes = member(text, Compression::none());
    let at = bytes.windows(4).position(|window| window == b"true").unwrap();
    bytes[at] = b'x';
    bytes
}

fn object(version: &str) -> Value {
    json!({"kind": "ConfigMap", "apiVersion": "v1", "data": {"value": "true"},
        "metadata": {"name": "a", "namespace": "shop", "uid": "a", "resourceVersion": version}})
}

fn list(version: &str) -> String {
    let items = [object(version)];
    json!({"kind": "ConfigMapList", "apiVersion": "v1", "items": items,
        "metadata": {"resourceVersion": version}})
    .to_string()
}

fn event(kind: &str, object: &Value) -> String {
    format!("{}\n", json!({"type": kind, "object": object}))
}

/// Returns the bookmark that ends the initial events.
fn end_of_initial_events() -> String {
    let annotations = json!({"k8s.io/initial-events-end": "true"});
    let metadata = json!({"resourceVersion": "12", "annotations": annotations});
    event("BOOKMARK", &json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata}))
}

/// The place of the damage.
#[derive(Clone, Copy, Debug)]
enum Damage {
    Watch,
    StreamingList,
    /// The checksum of the list never comes.
    EndlessList,
}

#[tokio::test(start_paused = true)]
async fn damage_that_a_checksum_shows_is_listed_again() {
    for damage in [Damage::Watch, Damage::StreamingList, Damage::EndlessList] {
        for storage in [Storage::packed(), Storage::decoded()] {
            let (client, _) = client(move |asked, nth| {
                let initial = event("ADDED", &object("12")) + &end_of_initial_events();
                match (damage, nth, asked.is_watch()) {
                    (Damage::StreamingList, 0, true) => (Some("gzip"), body(damaged(&initial))),
                    (_, _, true) if asked.query.contains("sendInitialEvents") => {
                        (None, endless(initial))
                    }
                    (Damage::Watch, 1, true) => {
                        (Some("gzip"), body(damaged(&event("MODIFIED", &object("12")))))
                    }
                    (_, _, true) => (None, endless("")),
                    (Damage::EndlessList, 0, _) => {
                        let list = damaged(&list("12"));
                        (Some("gzip"), endless(list[..list.len() - 8].to_vec()))
                    }
                    (Damage::Watch, 0, _) => (None, body(list("10"))),
                    _ => (None, body(list("12"))),
                }
            });
            let mode = match damage {
                Damage::StreamingList => ListMode::Streaming,
                Damage::Watch | Damage::EndlessList => ListMode::Plain,
            };
            let factory = SharedInformerFactory::builder(client).gzip(true).build();
            let spec = InformerSpec::<ConfigMap>::new().list_mode(mode).storage(storage);
            let maps = factory.informer_with(spec).unwrap();
            factory.start().unwrap();
            factory.wait_for_sync(60 * S).await.unwrap();
            sleep(60 * S).await;
            let stored = maps.lister().all();
            let version = stored[0].metadata.resource_version.as_deref();
            let value = stored[0].data.as_ref().map(|data| &*data["value"]);
            assert_eq!((version, value), (Some("12"), Some("true")), "{damage:?}");
            factory.shutdown().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn answers_that_never_come_whole_are_requested_uncompressed() {
    let list = list("10");
    let whole = member(&list, Compression::fast());
    let breaks = || io::Error::other("end of file before message length reached");
    let part = whole[..40].to_vec();
    let (cut, open, between) = (part.clone(), part, member(&list[..100], Compression::fast()));
    let (late, plain, odd) = (whole, list.clone(), list.clone());
    let ways: [(&str, Answering); 7] = [
        ("empty", Box::new(|| (Some("gzip"), body("")))),
        ("between members", Box::new(move || (Some("gzip"), body(between.clone())))),
        (
            "connection lost",
            Box::new(move || {
                (Some("gzip"), body(cut.clone()).chain(stream::iter([Err(breaks())])).boxed())
            }),
        ),
        (
            "connection lost after all",
            Box::new(move || {
                (Some("gzip"), body(late.clone()).chain(stream::iter([Err(breaks())])).boxed())
            }),
        ),
        ("silence", Box::new(move || (Some("gzip"), endless(open.clone())))),
        ("not compressed", Box::new(move || (Some("gzip"), body(plain.clone())))),
        ("another coding", Box::new(move || (Some("br"), body(odd.clone())))),
    ];
    for (what, answer) in ways {
        let list = list.clone();
        let (client, _) = client(move |asked, _| match (asked.is_watch(), asked.gzip) {
            (true, _) => (None, endless("")),
            (false, true) => answer(),
            (false, false) => (None, body(list.clone())),
        });
        let factory = SharedInformerFactory::builder(client).gzip(true).build();
        factory.informer::<ConfigMap>();
        factory.start().unwrap();
        // Twice the silence that ends a list, and some delays.
        let synced = factory.wait_for_sync(240 * S).await;
        assert!(synced.is_ok(), "{what}: {synced:?}");
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn proxy_that_always_compresses_costs_one_answer() {
    let (client, _) = client(|asked, nth| {
        if asked.is_watch() {
            return (Some("gzip"), endless(""));
        }
        let mut list = member(list("10"), Compression::fast());
        if nth == 0 {
            list.truncate(list.len() - 3);
        }
        (Some("gzip"), body(list))
    });
    let factory = SharedInformerFactory::builder(client).gzip(true).build();
    factory.informer::<ConfigMap>();
    factory.start().unwrap();
    let begun = Instant::now();
    factory.wait_for_sync(600 * S).await.unwrap();
    assert!(begun.elapsed() < 10 * S, "{:?}", begun.elapsed());
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn lost_connection_leaves_compression_on() {
    let (client, log) = client(|asked, _| {
        if !asked.is_watch() {
            return (Some("gzip"), body(member(list("10"), Compression::fast())));
        }
        let lost = async {
            sleep(20 * S).await;
            Err(io::Error::other("connection reset by peer"))
        };
        (None, body(event("ADDED", &object("11"))).chain(lost.into_stream()).boxed())
    });
    let factory = SharedInformerFactory::builder(client).gzip(true).build();
    factory.informer::<ConfigMap>();
    factory.start().unwrap();
    sleep(300 * S).await;
    factory.shutdown().await;
    let asked = log.lock().clone();
    assert!(asked.iter().filter(|(watch, _)| *watch).count() > 5, "{asked:?}");
    assert!(asked.iter().all(|(_, gzip)| *gzip), "{asked:?}");
}
