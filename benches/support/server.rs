//! A server in this process that lists pods as fast as they can be read, in JSON or protobuf.
//!
//! Each item is the pod of benches/decode under a name and uid of its own, made while it is sent,
//! so that a long list costs no memory and next to no time.

use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use futures::stream::{self, BoxStream, Stream, StreamExt};
use http::header::CONTENT_TYPE;
use http::{Request, Response};
use http_body::Frame;
use http_body_util::StreamBody;
use kube::client::Body;
use kube_informer::transport::protobuf::ProtobufObject;
use serde_json::Value;
use tokio::sync::{Semaphore, watch};

/// The number of items in one frame, 64 kB.
const FRAME: usize = 8;

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// The pod's own name and uid, where each item has others of the same length.
const NAME: &str = "web-01234-a12b4869";
const UID: &str = "00000000000000000000000000003039";

type Answer = StreamBody<BoxStream<'static, Result<Frame<Bytes>, Infallible>>>;

/// Pods that never change, and watches that tell nothing until they expire.
#[derive(Clone)]
pub struct PodServer {
    count: usize,
    protobuf: bool,
    template: Arc<[Vec<u8>; 3]>,
    version: Arc<AtomicU64>,
    expired: Arc<watch::Sender<()>>,
    /// The number of changes to send, and the permits to send one.
    updates: Option<(usize, Arc<Semaphore>)>,
}

impl PodServer {
    pub fn new(count: usize, protobuf: bool) -> Self {
        assert!(count <= 100_000, "names have five digits");
        let file = if protobuf { "pod.pb" } else { "pod.json" };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/decode");
        let pod = std::fs::read(folder.join(file)).unwrap();
        let item = if protobuf {
            ProtobufObject::from_envelope(&pod).unwrap().message().to_vec()
        } else {
            as_servers_write(&pod)
        };
        let name = memchr::memmem::find(&item, NAME.as_bytes()).unwrap();
        let uid = name + memchr::memmem::find(&item[name..], UID.as_bytes()).unwrap();
        let parts = [&item[..name], &item[name + NAME.len()..uid], &item[uid + UID.len()..]];
        Self {
            count,
            protobuf,
            template: Arc::new(parts.map(<[u8]>::to_vec)),
            version: Arc::new(AtomicU64::new(100_000)),
            expired: Arc::new(watch::Sender::new(())),
            updates: None,
        }
    }

    /// Returns the size of an item in bytes.
    pub fn item_size(&self) -> usize {
        self.template.iter().map(Vec::len).sum::<usize>() + NAME.len() + UID.len()
    }

    pub fn client(&self) -> kube::Client {
        let server = self.clone();
        let answer = move |request: Request<Body>| {
            let watch = request.uri().query().is_some_and(|query| query.contains("watch=true"));
            let body = if watch { server.watch() } else { body(server.list()) };
            let media_type = if server.protobuf { PROTOBUF } else { "application/json" };
            let response = Response::builder().header(CONTENT_TYPE, media_type);
            let response = response.body(body).unwrap();
            async { Ok::<_, Infallible>(response) }
        };
        kube::Client::new(tower::service_fn(answer), "default")
    }

    /// Ends the watches, and gives the version that the next list will have.
    pub fn expire(&self) -> u64 {
        let version = self.version.fetch_add(1, Ordering::Relaxed) + 1;
        self.expired.send_replace(());
        version
    }

    /// The body of a list.
    pub fn list(&self) -> impl Stream<Item = Bytes> + Send + use<> {
        let version = self.version.load(Ordering::Relaxed).to_string();
        let (head, tail) = if self.protobuf {
            let item = self.item_size();
            let metadata = field(1, &field(2, version.as_bytes()));
            let length = metadata.len() + self.count * (1 + varint(item).len() + item);
            let types = field(1, &[field(1, b"v1"), field(2, b"PodList")].concat());
            let head = [&b"k8s\0"[..], &types, &[0x12], &varint(length), &metadata].concat();
            (head, vec![])
        } else {
            let head = format!(
                r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"{version}"}},"items":["#
            );
            (head.into_bytes(), b"]}".to_vec())
        };
        let server = self.clone();
        let frames = (0..self.count).step_by(FRAME).map(move |first| server.frame(first));
        stream::iter([Bytes::from(head)])
            .chain(stream::iter(frames))
            .chain(stream::iter([tail.into()]))
    }

    fn frame(&self, first: usize) -> Bytes {
        let mut frame = Vec::with_capacity(FRAME * (self.item_size() + 4));
        for n in first..self.count.min(first + FRAME) {
            if self.protobuf {
                frame.push(0x12);
                frame.extend(varint(self.item_size()));
            } else if n > 0 {
                frame.push(b',');
            }
            self.write_item(n, &mut frame);
        }
        frame.into()
    }

    fn write_item(&self, n: usize, frame: &mut Vec<u8>) {
        let [head, middle, tail] = &*self.template;
        let name = format!("web-{n:05}-{:08x}", n.wrapping_mul(2_654_435_761) & 0xffff_ffff);
        let uid = format!("{n:032x}");
        for part in [&head[..], name.as_bytes(), middle, uid.as_bytes(), tail] {
            frame.extend_from_slice(part);
        }
    }

    /// Sends so many events to a watch in protobuf, one for each permit: changes of the listed pods
    /// in turn, each in a version of its own.
    pub fn updates(mut self, count: usize, permits: Arc<Semaphore>) -> Self {
        self.updates = Some((count, permits));
        self
    }

    /// A change of a pod. It has the pod's version, with another number of as many digits.
    fn update(&self, n: usize) -> Bytes {
        let mut pod = Vec::new();
        self.write_item(n % self.count, &mut pod);
        let version = pod.len() - self.template[2].len();
        let [0x32, length, ..] = pod[version..] else { panic!("the version follows the uid") };
        let digits = usize::from(length);
        let text = format!("{:0digits$}", 1 + n);
        pod[version + 2..][..digits].copy_from_slice(text.as_bytes());
        let types = field(1, &[field(1, b"v1"), field(2, b"Pod")].concat());
        let object = [&b"k8s\0"[..], &types, &field(2, &pod)].concat();
        event("MODIFIED", &object).into()
    }

    fn watch(&self) -> Answer {
        let mut expired = self.expired.subscribe();
        let expiry = if self.protobuf {
            let types = field(1, &[field(1, b"v1"), field(2, b"Status")].concat());
            let status = [&field(4, b"Expired")[..], &[0x30, 0x9a, 0x03]].concat();
            let object = [&b"k8s\0"[..], &types, &field(2, &status)].concat();
            event("ERROR", &object)
        } else {
            br#"{"type":"ERROR","object":{"kind":"Status","reason":"Expired","code":410}}"#.to_vec()
        };
        let (server, updates) = (self.clone(), self.updates.clone());
        let (count, permits) = updates.unwrap_or_else(|| (0, Arc::new(Semaphore::new(0))));
        let updates = stream::iter(0..count).then(move |n| {
            let (server, permits) = (server.clone(), permits.clone());
            async move {
                permits.acquire().await.unwrap().forget();
                server.update(n)
            }
        });
        body(updates.chain(stream::once(async move {
            let _ = expired.changed().await;
            expiry.into()
        })))
    }
}

/// An event of a watch in protobuf.
fn event(kind: &str, object: &[u8]) -> Vec<u8> {
    let event = [field(1, kind.as_bytes()), field(2, &field(1, object))].concat();
    [&u32::try_from(event.len()).unwrap().to_be_bytes()[..], &event].concat()
}

fn body(frames: impl Stream<Item = Bytes> + Send + 'static) -> Answer {
    StreamBody::new(frames.map(|bytes| Ok(Frame::data(bytes))).boxed())
}

/// A pod as an item of a server's list: names, uid and version come first in its metadata.
fn as_servers_write(pod: &[u8]) -> Vec<u8> {
    let mut pod: Value = serde_json::from_slice(pod).unwrap();
    let mut metadata = pod["metadata"].take();
    let first = ["name", "namespace", "uid", "resourceVersion"].map(|member| {
        let value = metadata.as_object_mut().unwrap().remove(member).unwrap();
        format!("\"{member}\":{value},")
    });
    let metadata = format!("{{{}{}", first.concat(), &metadata.to_string()[1..]);
    format!("{{\"metadata\":{metadata},\"spec\":{},\"status\":{}}}", pod["spec"], pod["status"])
        .into()
}

fn varint(mut value: usize) -> Vec<u8> {
    let mut bytes = vec![];
    while value >= 0x80 {
        bytes.push(u8::try_from(value & 0x7f).unwrap() | 0x80);
        value >>= 7;
    }
    bytes.push(u8::try_from(value).unwrap());
    bytes
}

fn field(number: u8, holds: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2][..], &varint(holds.len()), holds].concat()
}
