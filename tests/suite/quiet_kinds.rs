//! A quiet kind in a busy cluster: its version is old, and what proves it current is a bookmark.

use std::convert::Infallible;
use std::time::Duration;

use http::Request;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Client;
use kube::client::Body;
use kube_informer::informer::ReadBarrier;
use kube_informer::testing::ApiServer;
use kube_informer::{SharedInformer, SharedInformerFactory};
use tokio::time::{Instant, sleep};

use crate::helpers::{S, factory, factory_of, map, metadata};

/// Returns a server with this many maps.
fn server(maps: usize) -> ApiServer {
    let server = ApiServer::new();
    for n in 0..maps {
        server.create(&map(&format!("m{n}"), "")).unwrap();
    }
    server
}

/// Writes an object of another kind, so that the server's version is beyond that of the maps.
fn write_elsewhere(server: &ApiServer) {
    let name = format!("s{}", server.revision());
    server.create(&Secret { metadata: metadata("shop", &name), ..Secret::default() }).unwrap();
}

/// Returns the synced informer of a factory, once its first list and bookmark lie behind it.
async fn settled(factory: &SharedInformerFactory) -> SharedInformer<ConfigMap> {
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    factory.wait_for_sync(30 * S).await.unwrap();
    sleep(90 * S).await;
    maps
}

/// Returns the numbers of whole lists, of questions, and of short watches.
fn asked(server: &ApiServer) -> (usize, usize, usize) {
    let requests = server.requests();
    let maps = requests.iter().filter(|request| request.path().ends_with("/configmaps"));
    let (mut lists, mut questions, mut short) = (0, 0, 0);
    for request in maps {
        let has = |parameter| request.target.split(['?', '&']).any(|pair| pair == parameter);
        match (request.watch, has("limit=1")) {
            (true, _) => {
                short += usize::from(has("timeoutSeconds=3"));
                lists += usize::from(has("sendInitialEvents=true"));
            }
            (false, true) => questions += 1,
            (false, false) => lists += 1,
        }
    }
    (lists, questions, short)
}

#[tokio::test(start_paused = true)]
async fn large_one_is_proved_without_a_list() {
    let server = server(600);
    let factory = factory(&server);
    let maps = settled(&factory).await;
    let (lists, ..) = asked(&server);
    for nth in 1..4 {
        write_elsewhere(&server);
        let start = Instant::now();
        maps.reach(ReadBarrier::now(), 5 * S).await.unwrap();
        assert!(start.elapsed() < 2 * S, "{:?}", start.elapsed());
        assert_eq!(asked(&server), (lists, nth, nth));
        server.create(&map(&format!("new{nth}"), "")).unwrap();
        sleep(10 * S).await;
        assert_eq!(maps.lister().len(), 600 + nth);
    }
    factory.shutdown().await;
}

/// The second demand comes while the short watch of the first is open.
#[tokio::test(start_paused = true)]
async fn demands_one_after_another_cause_no_list() {
    let server = server(600);
    let factory = factory(&server);
    let maps = settled(&factory).await;
    let (lists, ..) = asked(&server);
    for nth in 1..30 {
        write_elsewhere(&server);
        maps.reach(ReadBarrier::now(), 5 * S).await.unwrap();
        assert_eq!(asked(&server), (lists, nth, nth));
    }
    factory.shutdown().await;
}

/// A list of few objects takes less time than the wait for a bookmark.
#[tokio::test(start_paused = true)]
async fn small_one_is_listed_soon() {
    let server = server(5);
    let factory = factory(&server);
    let maps = settled(&factory).await;
    let (lists, ..) = asked(&server);
    write_elsewhere(&server);
    let start = Instant::now();
    maps.reach(ReadBarrier::now(), 5 * S).await.unwrap();
    assert!(start.elapsed() < S, "{:?}", start.elapsed());
    assert_eq!(asked(&server), (lists + 1, 1, 0));
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn limit_of_its_age_causes_no_lists() {
    let server = server(600);
    let limit = 30 * S;
    let factory = SharedInformerFactory::builder(server.client()).freshness_limit(limit).build();
    let maps = settled(&factory).await;
    let (lists, ..) = asked(&server);
    for _ in 0..600 {
        write_elsewhere(&server);
        sleep(S).await;
        let freshness = maps.status().reflector.freshness.unwrap();
        assert!(freshness <= limit, "{freshness:?}");
    }
    let (after, questions, short) = asked(&server);
    assert_eq!(after, lists);
    assert!((20..80).contains(&questions) && (20..45).contains(&short), "{questions}, {short}");
    factory.shutdown().await;
}

/// A server that ends no watch in three seconds, and so sends no last bookmark.
#[tokio::test(start_paused = true)]
async fn server_without_last_bookmarks_is_listed_and_remembered() {
    let server = server(600);
    let answering = server.clone();
    let service = tower::service_fn(move |request: Request<Body>| {
        let (mut parts, body) = request.into_parts();
        let uri = parts.uri.to_string();
        if let Some(rest) = uri.strip_suffix("timeoutSeconds=3") {
            parts.uri = format!("{rest}timeoutSeconds=40").parse().unwrap();
        }
        let server = answering.clone();
        async move { Ok::<_, Infallible>(server.handle(Request::from_parts(parts, body)).await) }
    });
    let factory = factory_of(Client::new(service, "default"));
    let maps = settled(&factory).await;
    let (lists, ..) = asked(&server);
    for (nth, (least, most)) in [(3.5, 5.0), (2.0, 3.0), (2.0, 3.0)].into_iter().enumerate() {
        write_elsewhere(&server);
        let start = Instant::now();
        maps.reach(ReadBarrier::now(), 10 * S).await.unwrap();
        let took = start.elapsed();
        let span = Duration::from_secs_f64(least)..Duration::from_secs_f64(most);
        assert!(span.contains(&took), "{nth}: {took:?}");
        assert_eq!(asked(&server).0, lists + nth + 1);
        sleep(20 * S).await;
    }
    factory.shutdown().await;
}
