//! The pace of lists and watches, whatever the server does.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::{StreamExt, stream};
use http::{HeaderValue, Response};
use http_body::Frame;
use http_body_util::StreamBody;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::reflector::ListMode;
use kube_informer::testing::ApiServer;
use kube_informer::{SharedInformer, SharedInformerFactory};
use parking_lot::Mutex;
use tokio::time::{Instant, sleep};

use crate::helpers::{answered_by, factory, factory_of, map, passing, server_with, spawn};

const MAPS: &str = "/api/v1/configmaps?";

/// A client whose watches are answered with these bytes and end there, in JSON.
fn watches_say(server: &ApiServer, answer: impl Fn() -> String + Send + Sync + 'static) {
    server.intercept(move |request| {
        let response = Response::builder().header("content-type", "application/json");
        request.watch.then(|| response.body(answer().into()).unwrap())
    });
}

fn informer(server: &ApiServer) -> (SharedInformerFactory, SharedInformer<ConfigMap>) {
    let factory = factory(server);
    let maps = factory.informer();
    factory.start().unwrap();
    (factory, maps)
}

fn asked(server: &ApiServer) -> (usize, usize) {
    let requests = server.requests();
    let ours = requests.iter().filter(|request| request.target.starts_with(MAPS));
    let watches = ours.clone().filter(|request| request.watch).count();
    (ours.count() - watches, watches)
}

fn event(kind: &str, name: &str, version: u64) -> String {
    format!(
        r#"{{"type":"{kind}","object":{{"kind":"ConfigMap","apiVersion":"v1","metadata":{{"name":"{name}","namespace":"shop","uid":"u-{name}","resourceVersion":"{version}"}}}}}}"#
    )
}

/// The server sends pages also where none were asked for, and forgets each list at once.
#[tokio::test(start_paused = true)]
async fn expired_pages_are_backed_off_from() {
    let server = ApiServer::new();
    server.intercept(|request| {
        let (code, body) = if request.target.contains("continue=") {
            (410, r#"{"kind":"Status","apiVersion":"v1","reason":"Expired","code":410}"#)
        } else {
            (200, r#"{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5","continue":"x"},"items":[]}"#)
        };
        let response = Response::builder().status(code).header("content-type", "application/json");
        Some(response.body(body.into()).unwrap())
    });
    let (factory, maps) = informer(&server);
    sleep(Duration::from_secs(3600)).await;
    let (lists, _) = asked(&server);
    assert!(lists < 1000, "{lists}");
    assert!(maps.status().reflector.relists.total() > 10, "{:?}", maps.status());
    factory.shutdown().await;
}

/// One object of two megabytes comes at ten kilobytes a second, or at ten bytes.
#[tokio::test(start_paused = true)]
async fn slow_bytes_of_a_large_object_are_no_silence() {
    for (rate, expected) in [(10_000, true), (10, false)] {
        let client = answered_by(move |request| {
            let value = "x".repeat(2_000_000);
            let list = format!(
                r#"{{"kind":"ConfigMapList","apiVersion":"v1","metadata":{{"resourceVersion":"5"}},"items":[{{"metadata":{{"name":"a","namespace":"shop","uid":"u","resourceVersion":"5"}},"data":{{"a":"{value}"}}}}]}}"#
            );
            let watch = request.uri().query().is_some_and(|query| query.contains("watch=true"));
            let list = Bytes::from(if watch { String::new() } else { list });
            let parts = stream::unfold(list, move |mut left| async move {
                sleep(Duration::from_secs(1)).await;
                let part = left.split_to(rate.min(left.len()));
                (!part.is_empty()).then_some((Ok::<_, Infallible>(Frame::data(part)), left))
            });
            Response::new(StreamBody::new(parts.boxed()))
        });
        let factory = factory_of(client);
        let maps = factory.informer::<ConfigMap>();
        factory.start().unwrap();
        let synced = maps.wait_for_sync(Duration::from_secs(1000)).await;
        assert_eq!(synced.is_ok(), expected, "{synced:?}");
        assert_eq!(maps.lister().all().len(), usize::from(expected));
        factory.shutdown().await;
    }
}

/// Ends each watch after one event, as some proxies do.
#[tokio::test(start_paused = true)]
async fn watches_that_end_at_once_are_paced() {
    let server = server_with(&["a"]);
    let version = AtomicU64::new(server.revision());
    watches_say(&server, move || {
        event("MODIFIED", "a", version.fetch_add(1, Ordering::Relaxed) + 1)
    });
    let (factory, maps) = informer(&server);
    sleep(Duration::from_secs(100)).await;
    let (lists, watches) = asked(&server);
    assert!((90..110).contains(&watches), "{watches} watches in 100 s");
    assert_eq!(lists, 1);
    let status = maps.status().reflector;
    assert!(status.short_watches >= 90 && status.errors >= 90, "counted and reported: {status:?}");
    factory.shutdown().await;
}

/// Real time, one thread: nothing the server does keeps other tasks from their turn.
#[tokio::test]
async fn eager_source_lets_other_tasks_run() {
    let server = server_with(&["a"]);
    watches_say(&server, || event("MODIFIED", "a", 1));
    let (factory, _maps) = informer(&server);
    for _ in 0..2000 {
        tokio::task::yield_now().await;
    }
    let (_, watches) = asked(&server);
    assert!(watches < 15, "{watches}");
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn old_bookmarks_cost_nothing() {
    let server = server_with(&["a", "b", "c"]);
    let old = server.revision() - 1;
    watches_say(&server, move || {
        format!(
            r#"{{"type":"BOOKMARK","object":{{"kind":"ConfigMap","apiVersion":"v1","metadata":{{"resourceVersion":"{old}"}}}}}}"#
        )
    });
    let (factory, maps) = informer(&server);
    sleep(Duration::from_secs(3600)).await;
    let (lists, watches) = asked(&server);
    assert!(lists < 10 && watches < 150, "{lists} lists, {watches} watches in an hour");
    assert_eq!(maps.status().objects, 3);
    factory.shutdown().await;
}

/// Servers of old gave a deleted object its last version.
#[tokio::test(start_paused = true)]
async fn deletes_with_old_versions_count_cheaply() {
    let server = ApiServer::new();
    let first = server.create(&map("a", "1")).unwrap();
    for name in ["b", "c"] {
        server.create(&map(name, "1")).unwrap();
    }
    let (uid, version) = (first.metadata.uid.unwrap(), first.metadata.resource_version.unwrap());
    let gone = event("DELETED", "a", version.parse().unwrap()).replace("u-a", &uid);
    let begun = server.clone();
    watches_say(&server, move || {
        let _ = begun.delete(&map("a", "1"));
        gone.clone()
    });
    let (factory, maps) = informer(&server);
    sleep(Duration::from_millis(100)).await;
    assert_eq!(maps.status().objects, 2, "told by the watch, not by a list");
    assert_eq!(asked(&server).0, 1);
    sleep(Duration::from_secs(3600)).await;
    let (lists, _) = asked(&server);
    assert!(lists < 60, "{lists} lists in an hour");
    factory.shutdown().await;
}

/// Each watch breaks at the same place.
#[tokio::test(start_paused = true)]
async fn malformed_watches_are_listed_over() {
    let server = server_with(&["a"]);
    watches_say(&server, || r#"{"type":"ADDED","object":]"#.to_owned());
    let (factory, maps) = informer(&server);
    maps.wait_for_sync(Duration::from_secs(10)).await.unwrap();
    for n in 0..24 {
        let name = format!("new-{n}");
        server.create(&map(&name, "1")).unwrap();
        sleep(Duration::from_secs(3600)).await;
        assert!(maps.lister().namespace("shop").get(&name).is_ok(), "{name}");
    }
    let (lists, watches) = asked(&server);
    assert!((25..24 * 20).contains(&lists), "{lists} lists in a day");
    assert!(watches < 24 * 130, "{watches} watches in a day");
    factory.shutdown().await;
}

/// A server from before streaming lists: it ignores what it does not know.
#[tokio::test(start_paused = true)]
async fn live_events_do_not_delay_first_list() {
    let server = server_with(&["a"]);
    let old = passing(&server, |request| {
        let uri = request.uri().to_string();
        let uri = uri.replace("sendInitialEvents=true", "").replace("resourceVersionMatch=", "x=");
        *request.uri_mut() = uri.parse().unwrap();
        Ok(())
    });
    let factory =
        SharedInformerFactory::builder(old).list_mode(ListMode::Streaming).on_error(|_| {}).build();
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    let writer = server.clone();
    let busy = spawn(async move {
        for n in 0_u64.. {
            let mut map = map("a", "1");
            map.data = Some([("n".into(), n.to_string())].into());
            writer.replace(&map).unwrap();
            sleep(Duration::from_secs(5)).await;
        }
    });
    maps.wait_for_sync(Duration::from_secs(60)).await.unwrap();
    busy.abort();
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_spread_over_informers() {
    let server = ApiServer::new();
    let begun = Instant::now();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let times = seen.clone();
    server.intercept(move |_| {
        times.lock().push(begun.elapsed());
        let busy = Response::builder().status(429).header("retry-after", "10");
        (begun.elapsed() < Duration::from_secs(1)).then(|| busy.body("busy".into()).unwrap())
    });
    // All lists at once: those that wait for a place are not refused.
    let builder = SharedInformerFactory::builder(server.client()).max_concurrent_lists(20);
    let factory = builder.on_error(|_| {}).build();
    for n in 0..20 {
        let spec = kube_informer::InformerSpec::<ConfigMap>::new().namespace(format!("n{n}"));
        factory.informer_with(spec).unwrap();
    }
    factory.start().unwrap();
    factory.wait_for_sync(Duration::from_secs(60)).await.unwrap();
    let back: Vec<_> = seen.lock().iter().filter(|at| at.as_secs() >= 1).copied().collect();
    assert!(back.iter().all(|at| at.as_secs() >= 10), "not sooner than the server asks");
    let mut tenths: Vec<_> = back.iter().map(|at| at.as_millis() / 100).collect();
    tenths.dedup();
    assert!(tenths.len() > 10, "spread out: {back:?}");
    factory.shutdown().await;
}

/// One answer in JSON, as a proxy or an old server gives it, is not for good.
#[tokio::test(start_paused = true)]
async fn protobuf_is_asked_for_again_after_a_while() {
    let server = server_with(&["a"]);
    let refusing = Arc::new(AtomicBool::new(true));
    let accepts = Arc::new(Mutex::new(Vec::new()));
    let (refuses, seen) = (refusing.clone(), accepts.clone());
    let client = passing(&server, move |request| {
        let accept = request.headers()["accept"].to_str().unwrap();
        let protobuf = accept.contains("protobuf");
        seen.lock().push(protobuf);
        if protobuf && refuses.load(Ordering::Relaxed) {
            request.headers_mut().insert("accept", HeaderValue::from_static("text/nothing"));
        }
        Ok(())
    });
    let factory = factory_of(client);
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    factory.wait_for_sync(Duration::from_secs(10)).await.unwrap();
    sleep(Duration::from_secs(1)).await;
    assert_eq!(*accepts.lock(), [true, false, false], "refused once, then not asked for");
    refusing.store(false, Ordering::Relaxed);
    sleep(Duration::from_secs(3600)).await;
    assert_eq!(accepts.lock().last(), Some(&true));
    assert_eq!(maps.status().objects, 1);
    factory.shutdown().await;
}
