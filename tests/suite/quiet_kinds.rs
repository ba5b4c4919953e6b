//! A quiet kind in a busy cluster: its version is old, and what proves it current is a bookmark.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Client;
use kube::client::Body;
use kube_informer::informer::ReadBarrier;
use kube_informer::object::{ShardKey, ShardSelector};
use kube_informer::reflector::ReflectorOptions;
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer::transport::ApiSource;
use kube_informer::{InformerOptions, SharedInformer, SharedInformerFactory};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::helpers::{LateWatches, S, factory, factory_of, informer_of, map, metadata};

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

/// The short watch of the first demand has sent its only bookmark when the second one comes.
#[tokio::test(start_paused = true)]
async fn demands_close_together_cause_no_lists() {
    let server = server(600);
    let factory = factory(&server);
    let maps = settled(&factory).await;
    let (lists, ..) = asked(&server);
    for nth in 0..50 {
        write_elsewhere(&server);
        let start = Instant::now();
        maps.reach(ReadBarrier::now(), 10 * S).await.unwrap();
        assert!(start.elapsed() < 4 * S, "{nth}: {:?}", start.elapsed());
        sleep(Duration::from_millis(50 * nth)).await;
    }
    assert_eq!(asked(&server).0, lists);
    factory.shutdown().await;
}

/// A demand that is dropped, or that replaces the question of the limit, leaves a short watch
/// without a question.
#[tokio::test(start_paused = true)]
async fn short_watch_without_its_question_forbids_no_other() {
    let server = server(600);
    let limit = 30 * S;
    let factory = SharedInformerFactory::builder(server.client()).freshness_limit(limit).build();
    let maps = settled(&factory).await;
    let (lists, ..) = asked(&server);
    for nth in 0..20 {
        write_elsewhere(&server);
        maps.reach(ReadBarrier::now(), 7 * S / 10).await.unwrap_err();
        sleep(5 * S).await;
        write_elsewhere(&server);
        maps.reach(ReadBarrier::now(), 5 * S).await.unwrap();
        write_elsewhere(&server);
        sleep(limit / 2 + nth * S / 10).await;
        write_elsewhere(&server);
        maps.reach(ReadBarrier::now(), 5 * S).await.unwrap();
        sleep(5 * S).await;
    }
    assert_eq!(asked(&server).0, lists);
    factory.shutdown().await;
}

/// The watch that a short one would replace stays open until that one is.
#[tokio::test(start_paused = true)]
async fn refused_short_watch_costs_no_events() {
    for code in [400, 403, 410, 429, 500, 503] {
        let (server, faults) = (server(600), Faults::new());
        let refusal = match code {
            429 => Injection::throttle(Some(60 * S)),
            code => Injection::status(code),
        };
        faults.inject(Requests::watches().to("timeoutSeconds=3&"), refusal);
        let through = faults.client(server.client());
        let service = tower::service_fn(move |request: Request<Body>| {
            let (mut parts, body) = request.into_parts();
            // Others begin with the same digit.
            parts.uri = format!("{}&", parts.uri).parse().unwrap();
            let through = through.clone();
            async move { through.send(Request::from_parts(parts, body)).await }
        });
        let builder = SharedInformerFactory::builder(Client::new(service, "default"));
        let limit = 30 * S;
        let factory = builder.freshness_limit(limit).on_error(|_| {}).build();
        let maps = settled(&factory).await;
        let (mut tried, (lists, ..)) = (0, asked(&server));
        for nth in 0..200 {
            write_elsewhere(&server);
            if faults.affected_requests() > tried {
                tried = faults.affected_requests();
                server.create(&map(&format!("new{nth}"), "")).unwrap();
                sleep(S / 10).await;
                let new = maps.lister().namespace("shop").get(&format!("new{nth}"));
                assert!(new.is_ok(), "{code}: {new:?}");
            }
            let freshness = maps.status().reflector.freshness.unwrap();
            assert!(freshness <= limit, "{code}: {freshness:?}");
            sleep(S / 2).await;
        }
        assert_eq!(tried, 1, "{code}");
        assert_eq!(maps.status().reflector.watch_failures, 0, "{code}");
        assert!(asked(&server).0 > lists, "{code}: it is listed when the limit is over");
        factory.shutdown().await;
    }
}

/// A watch that is late, but not quiet, will reach the version by itself.
#[tokio::test(start_paused = true)]
async fn watch_that_catches_up_is_not_replaced() {
    let server = server(600);
    let source = ApiSource::<ConfigMap>::new(server.client());
    let late = LateWatches::new(&Arc::new(source), || 3 * S / 2);
    let maps = informer_of(&late);
    maps.start().unwrap();
    maps.wait_for_sync(30 * S).await.unwrap();
    sleep(90 * S).await;
    let (lists, ..) = asked(&server);
    let writes = async {
        for nth in 0.. {
            server.create(&map(&format!("new{nth}"), "")).unwrap();
            sleep(S / 5).await;
        }
    };
    let reach = async {
        sleep(10 * S).await;
        maps.reach(ReadBarrier::now(), 10 * S).await.unwrap();
    };
    tokio::select! {
        () = writes => {}
        () = reach => {}
    }
    assert_eq!(asked(&server), (lists, 1, 0));
    maps.shutdown().await;
}

/// A restored server may have passed the known version. Its bookmark would hide what was lost.
#[tokio::test(start_paused = true)]
async fn large_one_is_listed_once_after_an_outage() {
    let server = server(600);
    let factory = factory(&server);
    let maps = settled(&factory).await;
    let (lists, ..) = asked(&server);
    server.drop_connections();
    sleep(40 * S).await;
    for nth in 0..3 {
        write_elsewhere(&server);
        maps.reach(ReadBarrier::now(), 10 * S).await.unwrap();
        let (after, _, short) = asked(&server);
        assert_eq!((after, short), (lists + 1, nth));
        sleep(10 * S).await;
    }
    factory.shutdown().await;
}

/// The question about the server's history, up to 30 s after an outage, takes the place of none
/// that is due earlier.
#[tokio::test(start_paused = true)]
async fn limit_holds_after_an_outage() {
    let server = server(600);
    let limit = 10 * S;
    let factory = SharedInformerFactory::builder(server.client());
    let factory = factory.freshness_limit(limit).on_error(|_| {}).build();
    let maps = settled(&factory).await;
    for nth in 0..5 {
        server.drop_connections();
        for _ in 0..300 {
            write_elsewhere(&server);
            sleep(S / 2).await;
            let freshness = maps.status().reflector.freshness.unwrap();
            assert!(freshness <= limit, "{nth}: {freshness:?}");
        }
    }
    factory.shutdown().await;
}

/// Shards move one after the other, and each move takes over objects.
#[tokio::test(start_paused = true)]
async fn moved_shard_forbids_no_short_watch() {
    let server = server(1200);
    let source = Arc::new(ApiSource::<ConfigMap>::new(server.client()));
    let part = |parts| ShardSelector::new(ShardKey::Name, [0..=u64::MAX / 100 * parts]);
    let (shards, shard) = watch::channel(part(90));
    let options = ReflectorOptions::new().shard(shard).seed(1);
    let maps = SharedInformer::new(source, InformerOptions::new().reflector(options));
    maps.start().unwrap();
    maps.wait_for_sync(30 * S).await.unwrap();
    sleep(90 * S).await;
    let whole_lists = || maps.status().reflector.relists.total();
    assert!(maps.lister().len() > 500, "the kind is large");
    let before = whole_lists();
    for nth in 0..5 {
        write_elsewhere(&server);
        let moves = async {
            // A short watch is open.
            sleep(S).await;
            shards.send_replace(part(91 + nth));
        };
        let (reached, ()) = tokio::join!(maps.reach(ReadBarrier::now(), 10 * S), moves);
        reached.unwrap();
        sleep(20 * S).await;
    }
    assert_eq!(whole_lists(), before, "{:?}", maps.status().reflector);
    maps.shutdown().await;
}
