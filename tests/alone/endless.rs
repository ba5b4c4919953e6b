//! Of an answer that does not end, however it begins, only so much is held.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::{StreamExt, stream};
use http::Response;
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use k8s_openapi::api::core::v1::Pod;
use kube_informer::lister_watcher::{ListHints, ListQuery, ListerWatcher, WatchQuery};
use kube_informer::transport::ApiSource;

use crate::in_use;

const LIMIT: usize = 64 * 1024;
const PIECE: usize = 16 * 1024;
/// 32 MiB in all.
const PIECES: usize = 2048;
/// A list's metadata may be as large as 1 MiB, and a buffer twice what is in it.
const MOST: usize = 4 * 1024 * 1024;

/// Returns the peak of memory during an answer that begins so and goes on with `filling`.
async fn held(media_type: &'static str, begins: &'static [u8], filling: u8, watch: bool) -> usize {
    let (filling, most) = (Bytes::from(vec![filling; PIECE]), Arc::new(AtomicUsize::new(0)));
    let noted = most.clone();
    let before = in_use();
    let service = tower::service_fn(move |_: http::Request<kube::client::Body>| {
        let (filling, noted) = (filling.clone(), noted.clone());
        let pieces = (0..PIECES).map(move |n| {
            noted.fetch_max(in_use().saturating_sub(before), Ordering::Relaxed);
            let piece = if n == 0 { Bytes::from_static(begins) } else { filling.clone() };
            Ok::<_, Infallible>(Frame::data(piece))
        });
        let body = StreamBody::new(stream::iter(pieces)).boxed_unsync();
        let response = Response::builder().header("content-type", media_type).body(body);
        async move { response }
    });
    let source = ApiSource::<Pod>::new(kube::Client::new(service, "default")).object_limit(LIMIT);
    if watch {
        let timeout = Duration::from_secs(300);
        let query = WatchQuery::new(timeout);
        if let Ok(mut items) = source.watch(&query, &ListHints::none()).await {
            while items.next().await.is_some() {}
        }
    } else if let Ok(mut items) = source.list(&ListQuery::default(), &ListHints::none()).await {
        while items.next().await.is_some() {}
    }
    most.load(Ordering::Relaxed)
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn endless_answer_is_held_only_in_part() {
    let (json, protobuf) = ("application/json", "application/vnd.kubernetes.protobuf");
    let protobuf_watch = "application/vnd.kubernetes.protobuf;stream=watch";
    for (media_type, begins, filling, watch) in [
        (json, &br#"{"kind":"PodList","items":[{"metadata":{"name":""#[..], b'a', false),
        (json, br#"{"kind":"PodList","items":["#, b'[', false),
        (json, br#"{"kind":""#, b'a', false),
        (json, br#"{"metadata":{"continue":""#, b'a', false),
        (json, br#"{"other":["#, b' ', false),
        (json, br#"{""#, b'a', false),
        (json, b" ", b' ', false),
        (json, br#"{"type":"ADDED","object":{"metadata":{"name":""#, b'a', true),
        (json, br#"{"type":""#, b'a', true),
        (json, b"{", b'{', true),
        (json, b"\n", b'\n', true),
        (
            protobuf,
            b"k8s\0\x0a\x0d\x0a\x02v1\x12\x07PodList\x12\xff\xff\xff\x7f\x12\xff\xff\xff\x3f",
            b'a',
            false,
        ),
        (protobuf, b"k8s\0\x0a\xff\xff\xff\x7f", b'a', false),
        (protobuf, b"k8s\0\x1a\xff\xff\xff\x7f", b'a', false),
        (protobuf_watch, b"\x7f\xff\xff\xff\x0a", b'a', true),
        (protobuf_watch, b"\x7f\xff\xff\xff\x0a\x05ADDED\x12\xff\xff\xff\x3f", b'a', true),
    ] {
        let held = held(media_type, begins, filling, watch).await;
        let begins = String::from_utf8_lossy(begins);
        assert!(held < MOST, "{held} bytes of what begins with {begins:?}");
    }
}
