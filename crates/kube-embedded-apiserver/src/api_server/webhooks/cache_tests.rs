//! The watch caches of types that a webhook converts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures::{FutureExt, StreamExt};
use http::Method;
use http_body_util::{BodyStream, Full};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::conversion_tests::{DEFINITIONS, converted, definition, path, widget};
use crate::api_server::asking::send;
use crate::api_server::{ApiServer, ApiServerBuilder, ResponseBody};

/// A webhook that counts its calls, and that a test can break or delay.
#[derive(Debug, Default)]
struct Webhook {
    calls: AtomicUsize,
    broken: AtomicBool,
    slow: AtomicBool,
}

impl Webhook {
    fn calls(&self) -> usize {
        self.calls.swap(0, Ordering::Relaxed)
    }

    fn set_broken(&self, broken: bool) {
        self.broken.store(broken, Ordering::Relaxed);
    }
}

/// Returns a server with a type that is stored in v1.
async fn server(builder: ApiServerBuilder) -> (ApiServer, Arc<Webhook>) {
    let (server, webhook) = (builder.build(), Arc::<Webhook>::default());
    let known = webhook.clone();
    server.convert("shop/convert", move |object, version| {
        let webhook = known.clone();
        async move {
            webhook.calls.fetch_add(1, Ordering::Relaxed);
            if webhook.slow.load(Ordering::Relaxed) {
                sleep(Duration::from_secs(20)).await;
            }
            let broken = webhook.broken.load(Ordering::Relaxed);
            if broken { Err("broken".to_owned()) } else { converted(object, version) }
        }
    });
    let (status, body) = send(&server, Method::POST, DEFINITIONS, &definition("v1", true)).await;
    assert_eq!(status, 201, "{body}");
    (server, webhook)
}

/// Writes an object in v1.
async fn write(server: &ApiServer, name: &str, address: &str) {
    let object = widget("v1", name, &json!({"address": address}));
    let (status, _) = send(server, Method::POST, &path("v1", ""), &object).await;
    if status == 409 {
        let place = path("v1", &format!("/{name}"));
        let (_, mut known) = send(server, Method::GET, &place, &Value::Null).await;
        known["spec"]["address"] = address.into();
        let (status, body) = send(server, Method::PUT, &place, &known).await;
        assert_eq!(status, 200, "{body}");
    }
}

async fn get(server: &ApiServer, path: &str) -> (u16, Value) {
    let (status, body) = send(server, Method::GET, path, &Value::Null).await;
    (status.as_u16(), body)
}

/// Returns the status of a list, and the ports of its objects.
async fn list(server: &ApiServer, query: &str) -> (u16, Vec<String>) {
    let (status, body) = get(server, &path("v2", query)).await;
    let items = body["items"].as_array().into_iter().flatten();
    (status, items.map(|item| item["spec"]["port"].as_str().unwrap().to_owned()).collect())
}

/// A watch in v2.
struct Watch(BodyStream<ResponseBody>);

impl Watch {
    async fn begin(server: &ApiServer, query: &str) -> Self {
        let request = http::Request::get(path("v2", &format!("?watch=1{query}")));
        let request = request.body(Full::<bytes::Bytes>::default()).unwrap();
        let response = server.handle(request).await;
        assert_eq!(response.status(), 200);
        Self(BodyStream::new(response.into_body()))
    }

    /// Returns the types and ports of the next events. `None` if the watch has ended.
    async fn next(&mut self) -> Option<Vec<String>> {
        let piece = self.0.next().await?.unwrap().into_data().unwrap();
        let events = std::str::from_utf8(&piece).unwrap().lines();
        let told = events.map(|event| {
            let event: Value = serde_json::from_str(event).unwrap();
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            format!("{} {}", text(&event["type"]), text(&event["object"]["spec"]["port"]))
        });
        Some(told.collect())
    }
}

#[tokio::test(start_paused = true)]
async fn each_write_is_converted_once() {
    let (server, webhook) = server(ApiServer::builder()).await;
    write(&server, "a", "h:1").await;
    assert_eq!(webhook.calls(), 1);
    let mut watches = Vec::new();
    for query in
        ["", "&resourceVersion=0", "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"]
    {
        let mut watch = Watch::begin(&server, query).await;
        assert_eq!(watch.next().await.unwrap(), ["ADDED 1"]);
        watches.push(watch);
    }
    for query in ["", "?limit=1", "?resourceVersion=0", "?resourceVersion=1"] {
        assert_eq!(list(&server, query).await, (200, vec!["1".to_owned()]));
    }
    assert_eq!(get(&server, &path("v2", "/a?resourceVersion=0")).await.0, 200);
    assert_eq!(webhook.calls(), 0);
    assert_eq!(get(&server, &path("v2", "/a")).await.0, 200);
    assert_eq!(webhook.calls(), 1);
    write(&server, "a", "h:2").await;
    for watch in &mut watches {
        assert_eq!(watch.next().await.unwrap(), ["MODIFIED 2"]);
    }
    assert_eq!(webhook.calls(), 1);
    send(&server, Method::DELETE, &path("v1", "/a"), &json!({})).await;
    for watch in &mut watches {
        assert_eq!(watch.next().await.unwrap(), ["DELETED 2"]);
    }
    assert_eq!(webhook.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn server_without_caches_converts_every_read() {
    let (server, webhook) = server(ApiServer::builder().watch_cache(false)).await;
    write(&server, "a", "h:1").await;
    assert_eq!(webhook.calls(), 0);
    assert_eq!(list(&server, "").await, (200, vec!["1".to_owned()]));
    assert_eq!(list(&server, "?resourceVersion=0").await, (200, vec!["1".to_owned()]));
    assert_eq!(webhook.calls(), 2);
    webhook.set_broken(true);
    assert_eq!(list(&server, "?resourceVersion=0").await.0, 500);
}

#[tokio::test(start_paused = true)]
async fn cached_objects_are_read_while_the_webhook_fails() {
    let (server, webhook) = server(ApiServer::builder()).await;
    write(&server, "a", "h:1").await;
    webhook.set_broken(true);
    for query in ["", "?limit=1", "?resourceVersion=0"] {
        assert_eq!(list(&server, query).await, (200, vec!["1".to_owned()]));
    }
    assert_eq!(Watch::begin(&server, "").await.next().await.unwrap(), ["ADDED 1"]);
    assert_eq!(get(&server, &path("v2", "/a?resourceVersion=0")).await.0, 200);
    assert_eq!(get(&server, &path("v2", "/a")).await.0, 500);
    let (status, _) = send(&server, Method::DELETE, &path("v2", "/a"), &json!({})).await;
    assert_eq!(status, 500);
    let changed = widget("v2", "a", &json!({"host": "h", "port": "2"}));
    let (_, refused) = send(&server, Method::PUT, &path("v2", "/a"), &changed).await;
    let message = "conversion webhook for example.com/v2, Kind=Widget failed: broken";
    assert_eq!(refused["message"], message);
}

#[tokio::test(start_paused = true)]
async fn failed_change_holds_up_the_cache() {
    let (server, webhook) = server(ApiServer::builder()).await;
    write(&server, "a", "h:1").await;
    let query =
        "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let mut watch = Watch::begin(&server, query).await;
    assert_eq!(watch.next().await.unwrap(), ["ADDED 1", "BOOKMARK "]);
    webhook.set_broken(true);
    write(&server, "a", "h:2").await;
    let revision = server.revision();
    assert_eq!(list(&server, "?resourceVersion=0").await, (200, vec!["1".to_owned()]));
    let (_, stale) = get(&server, &path("v2", "/a?resourceVersion=0")).await;
    assert_eq!(stale["spec"]["port"], "1");
    let begun = Instant::now();
    assert_eq!(list(&server, "").await.0, 500);
    assert!(begun.elapsed() >= Duration::from_secs(3));
    assert_eq!(list(&server, &format!("?resourceVersion={revision}")).await.0, 504);
    let mut late = Watch::begin(&server, query).await;
    assert_eq!(late.next().await.unwrap(), ["ADDED 1"]);
    assert!(late.next().now_or_never().is_none());
    webhook.set_broken(false);
    assert_eq!(watch.next().await.unwrap(), ["MODIFIED 2"]);
    assert_eq!(late.next().await.unwrap(), ["MODIFIED 2", "BOOKMARK "]);
    assert_eq!(list(&server, "").await, (200, vec!["2".to_owned()]));
}

#[tokio::test(start_paused = true)]
async fn cache_begins_again_after_a_long_failure() {
    let (server, webhook) = server(ApiServer::builder()).await;
    write(&server, "a", "h:1").await;
    let mut watch = Watch::begin(&server, "").await;
    assert_eq!(watch.next().await.unwrap(), ["ADDED 1"]);
    webhook.set_broken(true);
    write(&server, "a", "h:2").await;
    let begun = Instant::now();
    assert_eq!(watch.next().await, None);
    assert!(begun.elapsed() >= Duration::from_secs(30));
    assert_eq!(list(&server, "?resourceVersion=0").await.0, 429);
    assert_eq!(list(&server, "").await.0, 429);
    // A page is read from the storage.
    assert_eq!(list(&server, "?limit=1").await.0, 500);
    assert_eq!(get(&server, &path("v2", "?watch=1")).await.0, 429);
    webhook.set_broken(false);
    assert_eq!(list(&server, "").await, (200, vec!["2".to_owned()]));
    assert_eq!(Watch::begin(&server, "").await.next().await.unwrap(), ["ADDED 2"]);
}

#[tokio::test(start_paused = true)]
async fn slow_webhook_delays_a_write_by_a_second() {
    let (server, webhook) = server(ApiServer::builder()).await;
    webhook.slow.store(true, Ordering::Relaxed);
    let begun = Instant::now();
    write(&server, "a", "h:1").await;
    assert!(begun.elapsed() <= Duration::from_secs(1));
    // A list waits longer, and then converts the stored object.
    assert_eq!(list(&server, "").await, (200, vec!["1".to_owned()]));
    assert!(begun.elapsed() >= Duration::from_secs(24));
}

#[tokio::test(start_paused = true)]
async fn webhook_may_write_objects_that_it_converts() {
    let (server, webhook) = server(ApiServer::builder()).await;
    let (inside, calls) = (server.clone(), webhook.clone());
    server.convert("shop/convert", move |object, version| {
        let (server, webhook) = (inside.clone(), calls.clone());
        async move {
            if webhook.calls.fetch_add(1, Ordering::Relaxed) == 0 {
                write(&server, "b", "h:2").await;
            }
            converted(object, version)
        }
    });
    let begun = Instant::now();
    write(&server, "a", "h:1").await;
    assert!(begun.elapsed() < Duration::from_secs(1));
    assert_eq!(list(&server, "").await, (200, vec!["1".to_owned(), "2".to_owned()]));
    assert_eq!(webhook.calls(), 2);
}

#[tokio::test(start_paused = true)]
async fn changed_definition_has_new_caches() {
    let (server, webhook) = server(ApiServer::builder()).await;
    write(&server, "a", "h:1").await;
    let place = format!("{DEFINITIONS}/widgets.example.com");
    let (_, mut known) = get(&server, &place).await;
    known["spec"]["conversion"]["webhook"]["clientConfig"]["service"]["path"] = "/d".into();
    webhook.calls();
    let (status, body) = send(&server, Method::PUT, &place, &known).await;
    assert_eq!((status.as_u16(), webhook.calls()), (200, 1), "{body}");
    webhook.set_broken(true);
    assert_eq!(list(&server, "").await, (200, vec!["1".to_owned()]));
    known["metadata"]["resourceVersion"] = Value::Null;
    known["spec"]["conversion"]["webhook"]["clientConfig"]["service"]["path"] = "/e".into();
    let (_, current) = get(&server, &place).await;
    known["metadata"] = current["metadata"].clone();
    let (status, body) = send(&server, Method::PUT, &place, &known).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(list(&server, "").await.0, 429);
}

#[tokio::test(start_paused = true)]
async fn watch_from_before_a_definition_does_not_fill_its_cache() {
    let (server, webhook) = server(ApiServer::builder()).await;
    let new = Arc::<Webhook>::default();
    let known = new.clone();
    server.convert("shop/new", move |mut object, version| {
        let broken = known.broken.load(Ordering::Relaxed);
        async move {
            object["spec"]["address"] = "new:2".into();
            if broken { Err("broken".to_owned()) } else { converted(object, version) }
        }
    });
    write(&server, "a", "h:1").await;
    let mut watch = Watch::begin(&server, "").await;
    assert_eq!(watch.next().await.unwrap(), ["ADDED 1"]);
    let place = format!("{DEFINITIONS}/widgets.example.com");
    let (_, mut known) = get(&server, &place).await;
    known["spec"]["conversion"]["webhook"]["clientConfig"]["service"]["name"] = "new".into();
    new.set_broken(true);
    webhook.calls();
    let (status, body) = send(&server, Method::PUT, &place, &known).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!((watch.next().await, webhook.calls()), (None, 0));
    new.set_broken(false);
    assert_eq!(list(&server, "").await, (200, vec!["2".to_owned()]));
    assert_eq!(Watch::begin(&server, "").await.next().await.unwrap(), ["ADDED 2"]);
}

#[tokio::test(start_paused = true)]
async fn bookmarks_do_not_end_a_conversion() {
    let builder = ApiServer::builder().bookmark_interval(Duration::from_secs(1));
    let (server, webhook) = server(builder).await;
    let mut watch = Watch::begin(&server, "&allowWatchBookmarks=true").await;
    webhook.slow.store(true, Ordering::Relaxed);
    write(&server, "a", "h:1").await;
    let begun = Instant::now();
    loop {
        let told = watch.next().await.unwrap();
        if told.contains(&"ADDED 1".to_owned()) {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{told:?}");
    }
    assert_eq!(webhook.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn all_watches_end_with_the_same_failure() {
    let (server, _) = server(ApiServer::builder()).await;
    server.convert("shop/convert", |_, _| std::future::pending());
    let mut watches = Vec::new();
    for _ in 0..5 {
        watches.push(Watch::begin(&server, "").await);
    }
    write(&server, "a", "h:1").await;
    let begun = Instant::now();
    let ended = futures::future::join_all(watches.iter_mut().map(Watch::next)).await;
    assert!(ended.iter().all(Option::is_none), "{ended:?}");
    assert!(begun.elapsed() < Duration::from_secs(65), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn failure_that_nobody_waited_for_is_not_told() {
    let (server, _) = server(ApiServer::builder()).await;
    write(&server, "a", "h:1").await;
    server.convert("shop/convert", |_, _| std::future::pending());
    let place = format!("{DEFINITIONS}/widgets.example.com");
    let (_, mut known) = get(&server, &place).await;
    known["spec"]["conversion"]["webhook"]["clientConfig"]["service"]["path"] = "/d".into();
    let (status, body) = send(&server, Method::PUT, &place, &known).await;
    assert_eq!(status, 200, "{body}");
    sleep(Duration::from_secs(40)).await;
    server.convert("shop/convert", |object, version| async move { converted(object, version) });
    assert_eq!(list(&server, "").await, (200, vec!["1".to_owned()]));
}
