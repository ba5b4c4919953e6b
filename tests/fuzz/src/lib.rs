//! The fuzz targets: functions that take any bytes and panic when a promise is broken.
//!
//! The decoders are private, so the targets drive them as a server does, by answers to a client.
//! On stable Rust `tests/suite/fuzz_corpus.rs` runs the same functions, over the recorded answers
//! of a real server and mutations of them.

mod encodings;
mod server;

use std::cell::LazyCell;
use std::convert::Infallible;
use std::io::Write as _;
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures::{StreamExt, stream};
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use k8s_openapi::api::core::v1::Pod;
use kube_informer::lister_watcher::{ListHints, ListQuery, ListerWatcher, WatchQuery};
use kube_informer::transport::ApiSource;
use kube_informer::{LabelSelector, ObjectKey, ResourceVersion};
use tokio::runtime::Runtime;

pub use self::encodings::{packed, peeks, protobuf, views};
pub use self::server::{continues, patches, request, selects};

const JSON: &str = "application/json";
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
const PROTOBUF_WATCH: &str = "application/vnd.kubernetes.protobuf;stream=watch";

/// The media types of lists and watches.
const ANSWERS: [(&str, bool); 4] =
    [(JSON, false), (JSON, true), (PROTOBUF, false), (PROTOBUF_WATCH, true)];

/// A function that takes any bytes.
pub type Target = fn(&[u8]);

/// Every target by its name, but for `reviews`, which only the program `any` has.
pub const TARGETS: [(&str, Target); 17] = [
    ("continues", continues),
    ("cuts", cuts),
    ("gzip", gzip),
    ("list_json", list_json),
    ("list_protobuf", list_protobuf),
    ("names", names),
    ("packed", packed),
    ("patches", patches),
    ("peeks", peeks),
    ("protobuf", protobuf),
    ("request", request),
    ("selector", selector),
    ("selects", selects),
    ("status", status),
    ("views", views),
    ("watch_json", watch_json),
    ("watch_protobuf", watch_protobuf),
];

/// The limit of an object's size: small, so that inputs reach it.
const LIMIT: usize = 16 * 1024;

thread_local! {
    /// Its clock is paused: a request may ask the server to wait for seconds.
    static RUNTIME: LazyCell<Runtime> = LazyCell::new(|| {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_all().start_paused(true).build().expect("a runtime")
    });
}

/// The body of a list in JSON.
pub fn list_json(data: &[u8]) {
    same_however_cut(data, |cut| answer(200, JSON, data, &[cut]), false);
}

/// The body of a watch in JSON.
pub fn watch_json(data: &[u8]) {
    same_however_cut(data, |cut| answer(200, JSON, data, &[cut]), true);
}

/// The body of a list in protobuf.
pub fn list_protobuf(data: &[u8]) {
    same_however_cut(data, |cut| answer(200, PROTOBUF, data, &[cut]), false);
}

/// The body of a watch in protobuf.
pub fn watch_protobuf(data: &[u8]) {
    same_however_cut(data, |cut| answer(200, PROTOBUF_WATCH, data, &[cut]), true);
}

/// The body of a failure, in whatever encoding.
pub fn status(data: &[u8]) {
    for media_type in [JSON, PROTOBUF, "text/plain"] {
        let told = same_however_cut(data, |cut| answer(410, media_type, data, &[cut]), true);
        assert!(told.iter().all(|line| !line.starts_with("Ok")), "a failure is no success");
    }
}

/// A label selector.
pub fn selector(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(selector) = text.parse::<LabelSelector>() else { return };
    let again: LabelSelector = selector.to_string().parse().expect("what was written is read");
    assert_eq!(again, selector, "{text:?}");
    let labels = [("a".to_owned(), "b".to_owned()), ("tier".to_owned(), "7".to_owned())].into();
    assert_eq!(again.matches(Some(&labels)), selector.matches(Some(&labels)), "{text:?}");
    assert_eq!(again.matches(None), selector.matches(None), "{text:?}");
}

/// Two lines: versions, and the parts of a key.
pub fn names(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (one, two) = text.split_once('\n').unwrap_or((text, "1"));
    let (a, b) = (ResourceVersion::from(one), ResourceVersion::from(two));
    assert_eq!((a.to_string(), b.to_string()), (one.to_owned(), two.to_owned()));
    match (a.compare(&b), b.compare(&a)) {
        (Some(there), Some(back)) => {
            assert_eq!(there, back.reverse(), "{one:?} {two:?}");
            assert_eq!(there.is_eq(), a == b, "{one:?} {two:?}");
            assert_eq!(there.is_lt(), a.is_older_than(&b));
        }
        (None, None) => assert!(!a.is_older_than(&b) && !b.is_older_than(&a)),
        other => panic!("{one:?} {two:?}: {other:?}"),
    }
    if let Ok(key) = text.parse::<ObjectKey>() {
        assert_eq!(key.to_string(), text);
    }
    if let Ok(key) = ObjectKey::from_parts(Some(one), two) {
        assert_eq!((key.namespace().unwrap_or_default(), key.name()), (one, two));
        assert_eq!(key.to_string().parse::<ObjectKey>().as_ref(), Ok(&key));
    }
}

/// An answer and its cuts: a list or a watch, in JSON or protobuf.
///
/// The first byte selects the kind, the next eight are the sizes of the pieces, in turn. The rest
/// is the body.
pub fn cuts(data: &[u8]) {
    let Some((head, body)) = data.split_first_chunk::<9>() else { return };
    let [kind, sizes @ ..] = head;
    let (media_type, watch) = ANSWERS[usize::from(kind % 4)];
    let sizes = sizes.map(|size| usize::from(size) + 1);
    wait_for(async {
        let whole = told(answer(200, media_type, body, &[body.len().max(1)]), watch).await;
        let told = told(answer(200, media_type, body, &sizes), watch).await;
        assert!(told == whole, "in pieces of {sizes:?}: {told:#?}\nin one: {whole:#?}");
    });
}

/// A body in gzip: the input itself, or the input compressed.
///
/// The first byte selects the kind of the answer, the second one whether and how the rest is
/// compressed, and the third one the sizes of members and pieces.
pub fn gzip(data: &[u8]) {
    let Some(([kind, mode, size], body)) = data.split_first_chunk::<3>() else { return };
    let (media_type, watch) = ANSWERS[usize::from(kind % 4)];
    let size = usize::from(*size) + 1;
    wait_for(async {
        if mode % 3 == 0 {
            let whole =
                told(coded(200, media_type, "gzip", body, &[body.len().max(1)]), watch).await;
            let told = told(coded(200, media_type, "gzip", body, &[size, 1, 7]), watch).await;
            let same = if is_corrupt(&told) || is_corrupt(&whole) {
                // Some bytes right before the corrupt ones may be left out.
                let shorter = told.len().min(whole.len()).saturating_sub(1);
                told[..shorter] == whole[..shorter]
            } else {
                told == whole
            };
            assert!(same, "in pieces of {size}: {told:#?}\nin one: {whole:#?}");
            return;
        }
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        for piece in body.chunks(size) {
            encoder.write_all(piece).expect("memory");
            if mode % 3 == 1 {
                encoder.flush().expect("memory");
            } else {
                let members = encoder.finish().expect("memory");
                encoder = GzEncoder::new(members, Compression::fast());
            }
        }
        let compressed = encoder.finish().expect("memory");
        let plain = told(answer(200, media_type, body, &[body.len().max(1)]), watch).await;
        let told = told(coded(200, media_type, "gzip", &compressed, &[size]), watch).await;
        let lines = |told: &[String]| told.iter().map(|line| uncounted(line)).collect::<Vec<_>>();
        assert!(lines(&told) == lines(&plain), "{told:#?}\nuncompressed: {plain:#?}");
    });
}

/// Returns whether deflated data was corrupt.
fn is_corrupt(told: &[String]) -> bool {
    told.last().is_some_and(|line| line.contains("deflated data"))
}

/// Returns a line without what compression changes: the number of received bytes, and the name of
/// the fault where a body is malformed, because the coding may have been damaged.
fn uncounted(line: &str) -> String {
    let line = line.replace("Damaged { inflated: ", "Malformed { offset: ");
    let Some((before, rest)) = line.split_once("received: ") else { return line };
    format!("{before}{}", rest.trim_start_matches(|c: char| c.is_ascii_digit()))
}

/// Waits for what needs nothing but time.
fn wait_for<T>(future: impl Future<Output = T>) -> T {
    RUNTIME.with(|runtime| runtime.block_on(future))
}

/// An answer, its body in pieces of these sizes, in turn.
fn answer(code: u16, media_type: &'static str, data: &[u8], sizes: &[usize]) -> kube::Client {
    coded(code, media_type, "identity", data, sizes)
}

/// An answer as [`answer`] gives it, in this content coding.
fn coded(
    code: u16,
    media_type: &'static str,
    coding: &'static str,
    data: &[u8],
    sizes: &[usize],
) -> kube::Client {
    let (body, sizes) = (Bytes::copy_from_slice(data), sizes.to_vec());
    let service = tower::service_fn(move |_: Request<kube::client::Body>| {
        let (mut rest, mut sizes) = (body.clone(), sizes.clone().into_iter().cycle());
        let pieces = std::iter::from_fn(move || {
            let size = sizes.next().filter(|_| !rest.is_empty())?;
            Some(Ok::<_, Infallible>(Frame::data(rest.split_to(size.min(rest.len())))))
        });
        let response = Response::builder().status(code).header(CONTENT_TYPE, media_type);
        let response = response.header(CONTENT_ENCODING, coding);
        let response = response.body(StreamBody::new(stream::iter(pieces)).boxed_unsync());
        async move { response }
    });
    kube::Client::new(service, "default")
}

/// Asserts that a source reads the same from an answer for every way to cut it.
fn same_however_cut(
    data: &[u8],
    answer: impl Fn(usize) -> kube::Client,
    watch: bool,
) -> Vec<String> {
    // Byte by byte is slow; what is wrong with the seams shows in a short answer, too.
    let finest = if data.len() <= 2048 { 1 } else { 13 };
    wait_for(async {
        let whole = told(answer(data.len().max(1)), watch).await;
        assert!(whole.len() <= data.len() + 2, "more came out than went in");
        for cut in [finest, 61] {
            let told = told(answer(cut), watch).await;
            assert!(told == whole, "in pieces of {cut}: {told:#?}\nin one: {whole:#?}");
        }
        whole
    })
}

async fn told(client: kube::Client, watch: bool) -> Vec<String> {
    let source = ApiSource::<Pod>::new(client).object_limit(LIMIT).gzip(true);
    let mut told = Vec::new();
    if watch {
        let timeout = Duration::from_secs(300);
        let query = WatchQuery::new(timeout);
        match source.watch(&query, &ListHints::none()).await {
            Ok(mut items) => {
                while let Some(item) = items.next().await {
                    told.push(format!("{item:?}"));
                }
            }
            Err(error) => told.push(format!("{error:?}")),
        }
    } else {
        match source.list(&ListQuery::default(), &ListHints::none()).await {
            Ok(mut items) => {
                while let Some(item) = items.next().await {
                    told.push(format!("{item:?}"));
                }
            }
            Err(error) => told.push(format!("{error:?}")),
        }
    }
    told
}
