//! The age of the last proof that the cache is current.

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::error::{ApiStatus, Fault, FaultClass};
use kube_informer::informer::ReadBarrier;
use kube_informer::object::{ShardKey, ShardSelector};
use kube_informer::reflector::{ReflectorOptions, ReflectorState, RelistCause};
use kube_informer::testing::{
    ApiServer, BodyPosition, FakeSource, Faults, Injection, Requests, WatchEnd,
};
use kube_informer::{
    InformerOptions, ObjectKey, SharedInformer, SharedInformerFactory, SourceError,
};
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::helpers::{LateWatches, factory_of, informer_of, map, map_in, server_with};

fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

#[tokio::test(start_paused = true)]
async fn bookmarks_keep_a_quiet_cache_fresh() {
    let server = server_with(&["a"]);
    let factory = SharedInformerFactory::builder(server.client()).build();
    let maps = factory.informer::<ConfigMap>();
    assert_eq!(maps.freshness(), None);
    assert!(!maps.is_fresh(Duration::MAX), "nothing is known yet");
    factory.start().unwrap();
    factory.wait_for_sync(seconds(10)).await.unwrap();
    for _ in 0..100 {
        sleep(seconds(31)).await;
        assert!(maps.is_fresh(seconds(120)) && factory.status().fresh_within(seconds(120)));
    }
    factory.shutdown().await;
    sleep(seconds(121)).await;
    assert!(!maps.is_fresh(seconds(120)), "a stopped cache ages");
}

/// The role lets lists through and no watches.
#[tokio::test(start_paused = true)]
async fn a_refused_watch_shows() {
    let server = server_with(&["a"]);
    let faults = Faults::new();
    let refused = faults.inject(Requests::watches(), Injection::status(403));
    let client = faults.client(server.client());
    let factory = factory_of(client);
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    factory.wait_for_sync(seconds(10)).await.unwrap();
    sleep(seconds(300)).await;
    let status = maps.status();
    assert!(status.synced && status.reflector.watch_failures > 3, "{status:?}");
    let (error, _) = status.reflector.last_error.clone().unwrap();
    assert_eq!(error.class(), FaultClass::Forbidden);
    assert!(status.reflector.watch_refused > Some(seconds(290)), "{:?}", status.reflector);
    assert!(error.to_string().contains("grant `watch`"), "{error}");
    server.create(&map("b", "1")).unwrap();
    sleep(seconds(3600)).await;
    assert_eq!(maps.status().objects, 2, "lists go on, at a slow pace");
    let lists = maps.status().reflector.lists;
    assert!((10..20).contains(&lists), "{lists} lists in 65 minutes");
    refused.remove();
    sleep(seconds(120)).await;
    let status = maps.status().reflector;
    assert_eq!((status.watch_failures, status.watch_refused), (0, None));
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_revoked_permission_ages_the_cache() {
    let server = server_with(&["a"]);
    let faults = Faults::new();
    let client = faults.client(server.client());
    let factory = factory_of(client);
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    factory.wait_for_sync(seconds(10)).await.unwrap();
    faults.inject(Requests::reads(), Injection::status(403));
    faults.cut_now();
    sleep(seconds(600)).await;
    let status = maps.status();
    assert!(maps.has_synced() && status.synced, "what was read stays readable");
    assert!(status.freshness >= Some(seconds(590)), "{status:?}");
    assert!(!maps.is_fresh(seconds(180)) && !factory.status().fresh_within(seconds(180)));
    assert!(maps.is_fresh(seconds(3600)), "the limit is the user's");
    factory.shutdown().await;
}

/// The server has no answer to watches, or not the one that is wanted. Its other answers are right.
#[tokio::test(start_paused = true)]
async fn limit_holds_while_no_watch_opens() {
    let limit = seconds(30);
    for busy in [false, true] {
        for fault in [
            Injection::throttle(None),
            Injection::throttle(Some(seconds(60))),
            Injection::refuse(),
            Injection::black_hole(),
        ] {
            let (server, faults) = (server_with(&["a"]), Faults::new());
            let builder = SharedInformerFactory::builder(faults.client(server.client()));
            let factory = builder.freshness_limit(limit).on_error(|_| {}).build();
            let maps = factory.informer::<ConfigMap>();
            factory.start().unwrap();
            factory.wait_for_sync(seconds(10)).await.unwrap();
            sleep(seconds(5)).await;
            let before = maps.status().reflector.lists;
            let refused = faults.inject(Requests::watches(), fault);
            faults.cut_now();
            for nth in 0..600 {
                if busy {
                    let map = map_in("elsewhere", &format!("m{nth}"));
                    server.create(&map).unwrap();
                    sleep(seconds(1)).await;
                    server.delete(&map).unwrap();
                } else {
                    sleep(seconds(1)).await;
                }
                assert!(maps.is_fresh(limit + seconds(1)), "{busy}: {:?}", maps.status());
            }
            let lists = maps.status().reflector.lists - before;
            // A hanging watch is given up now and then, and a list follows.
            assert!(lists < if busy { 25 } else { 12 }, "{busy}: {lists} lists");
            server.create(&map("b", "1")).unwrap();
            sleep(seconds(50)).await;
            assert!(maps.lister().namespace("shop").get("b").is_ok(), "{:?}", maps.status());
            refused.remove();
            sleep(seconds(120)).await;
            assert_eq!(maps.status().reflector.watch_failures, 0);
            factory.shutdown().await;
        }
    }
}

/// The questions during an outage are few, and a watch that opens after it brings what was missed.
#[tokio::test(start_paused = true)]
async fn limit_lists_nothing_after_an_outage() {
    let (server, faults) = (server_with(&["a"]), Faults::new());
    let builder = SharedInformerFactory::builder(faults.client(server.client()));
    let factory = builder.freshness_limit(seconds(30)).on_error(|_| {}).build();
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    factory.wait_for_sync(seconds(10)).await.unwrap();
    let before = maps.status().reflector;
    let down = faults.inject(Requests::reads(), Injection::refuse());
    faults.cut_now();
    sleep(seconds(600)).await;
    assert!(!maps.is_fresh(seconds(590)), "the age is told: {:?}", maps.status());
    let questions = maps.status().reflector.probes - before.probes;
    assert!((10..100).contains(&questions), "{questions} questions");
    assert_eq!(maps.status().reflector.lists, before.lists);
    down.remove();
    sleep(seconds(60)).await;
    assert!(maps.is_fresh(seconds(60)), "{:?}", maps.status());
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn deaf_watch_is_detected_within_the_limit() {
    let source = Arc::new(FakeSource::new("configmaps", "ConfigMap"));
    source.put(map("a", "1"));
    let reflector = ReflectorOptions::new().freshness_limit(seconds(60)).on_error(|_| {});
    let deaf = LateWatches::new(&source, || seconds(3600));
    let maps = SharedInformer::new(deaf, InformerOptions::new().reflector(reflector));
    maps.start().unwrap();
    maps.wait_for_sync(seconds(10)).await.unwrap();
    sleep(seconds(600)).await;
    assert!(maps.is_fresh(seconds(60)), "the probes prove it: {:?}", maps.status());
    assert_eq!(maps.status().reflector.lists, 1);
    source.put(map("b", "1"));
    sleep(seconds(95)).await;
    assert_eq!(maps.status().objects, 2);
    assert!(maps.status().reflector.relists.of(RelistCause::Unproven) >= 1);
    maps.shutdown().await;
}

/// A replica without a slot follows nothing: no question is due, whatever the limit was before.
#[tokio::test(start_paused = true)]
async fn limit_rests_while_the_shard_is_empty() {
    let (everything, nothing) =
        (ShardSelector::everything(ShardKey::Uid), ShardSelector::nothing(ShardKey::Uid));
    for doubted in [false, true] {
        let source = Arc::new(FakeSource::new("configmaps", "ConfigMap"));
        source.put(map("a", "1"));
        let (shards, receiver) = watch::channel(everything.clone());
        let reflector = ReflectorOptions::new().freshness_limit(seconds(30)).on_error(|_| {});
        let options = InformerOptions::new().reflector(reflector.shard(receiver));
        let maps = SharedInformer::new(source.clone(), options);
        maps.start().unwrap();
        maps.wait_for_sync(seconds(10)).await.unwrap();
        sleep(seconds(5)).await;
        if doubted {
            source.end_watches(WatchEnd::Broken);
        }
        shards.send_replace(nothing.clone());
        let requests = source.requests().len() + usize::from(doubted);
        for _ in 0..600 {
            sleep(seconds(1)).await;
            assert!(maps.is_fresh(seconds(1)), "{:?}", maps.status());
        }
        maps.reach(ReadBarrier::now(), seconds(1)).await.unwrap();
        assert!(source.requests().len() <= requests, "{:?}", source.requests());
        shards.send_replace(everything.clone());
        sleep(seconds(5)).await;
        assert_eq!(maps.status().objects, 1);
        for _ in 0..600 {
            sleep(seconds(1)).await;
            assert!(maps.is_fresh(seconds(31)), "{:?}", maps.status());
        }
        maps.shutdown().await;
    }
}

/// A watch that goes on after an outage begins with old events. They say nothing of the present.
#[tokio::test(start_paused = true)]
async fn missed_events_are_no_proof() {
    let (server, faults) = (server_with(&["a"]), Faults::new());
    let factory = factory_of(faults.client(server.client()));
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    factory.wait_for_sync(seconds(10)).await.unwrap();
    let down = faults.inject(Requests::watches(), Injection::refuse());
    faults.cut_now();
    sleep(seconds(1)).await;
    for name in ["b", "c", "d"] {
        server.create(&map(name, "1")).unwrap();
    }
    sleep(seconds(300)).await;
    let stalled = Injection::stall(BodyPosition::Event(1));
    let stalled = faults.inject(Requests::watches().times(1), stalled);
    down.remove();
    sleep(seconds(60)).await;
    assert_eq!(maps.status().objects, 2, "one event came");
    assert!(!maps.is_fresh(seconds(300)), "c and d are missing: {:?}", maps.status());
    stalled.remove();
    faults.cut_now();
    sleep(seconds(100)).await;
    assert_eq!(maps.status().objects, 4);
    assert!(maps.is_fresh(seconds(100)), "the bookmark is one: {:?}", maps.status());
    server.create(&map("e", "1")).unwrap();
    sleep(seconds(1)).await;
    assert!(maps.is_fresh(seconds(1)), "so is an event of a watch that has caught up");
    factory.shutdown().await;
}

/// A handler's panic or slowness is nobody's; a transaction that is not through is.
#[tokio::test(start_paused = true)]
async fn what_is_not_stored_yet_is_not_fresh() {
    let source = Arc::new(FakeSource::<ConfigMap>::new("configmaps", "ConfigMap"));
    source.put(map("a", "1"));
    let maps = SharedInformer::new(source.clone(), InformerOptions::new());
    maps.start().unwrap();
    maps.wait_for_sync(seconds(10)).await.unwrap();
    sleep(seconds(50)).await;
    assert!(!maps.is_fresh(seconds(49)) && maps.is_fresh(seconds(51)));
    source.put(map("b", "1"));
    sleep(seconds(1)).await;
    assert!(maps.is_fresh(seconds(2)));
    maps.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn missing_sync_names_the_next_try() {
    let server = ApiServer::new();
    let faults = Faults::new();
    faults.inject(Requests::reads(), Injection::status(403));
    let client = faults.client(server.client());
    let factory = factory_of(client);
    factory.informer::<ConfigMap>();
    factory.start().unwrap();
    let error = factory.wait_for_sync(seconds(60)).await.unwrap_err();
    assert!(error.to_string().contains("configmaps: next try in "), "{error}");
    let source = error.source().and_then(|source| source.downcast_ref::<SourceError>());
    assert_eq!(source.and_then(SourceError::code), Some(403));
    factory.shutdown().await;
}

/// Two informers, one list at a time, and the first never ends.
#[tokio::test(start_paused = true)]
async fn waiting_for_others_to_list_is_no_idleness() {
    let server = ApiServer::new();
    let faults = Faults::new();
    faults.inject(Requests::lists().to("/n1/"), Injection::black_hole());
    let client = faults.client(server.client());
    let factory =
        SharedInformerFactory::builder(client).max_concurrent_lists(1).on_error(|_| {}).build();
    let group = factory.in_namespaces::<ConfigMap>(["n1"]);
    group.start().unwrap();
    sleep(seconds(1)).await;
    let second = factory.in_namespaces::<ConfigMap>(["n2"]);
    second.start().unwrap();
    let error = second.wait_for_sync(seconds(10)).await.unwrap_err();
    assert_eq!(error.unsynced[0].state, ReflectorState::AwaitingPermit);
    let text = error.to_string();
    assert!(text.contains("in n2 waits to list") && !text.contains("not started"), "{text}");
    second.wait_for_sync(seconds(100)).await.unwrap();
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn missing_kind_is_requested_again() {
    let source = Arc::new(FakeSource::<ConfigMap>::new("widgets.shop", "Widget"));
    for _ in 0..50 {
        source.fail_list(Fault::Status(ApiStatus::new(404, "NotFound", "page not found")));
    }
    let widgets = informer_of(&source);
    widgets.start().unwrap();
    let error = widgets.wait_for_sync(seconds(10)).await.unwrap_err();
    assert!(error.to_string().contains("definition installed"), "{error}");
    widgets.shutdown().await;
}

/// Restored from a backup in which the object can't be read, then made readable: the versions of
/// the new history are far below the old ones.
#[tokio::test(start_paused = true)]
async fn an_object_heals_after_a_restored_backup() {
    let source = Arc::new(FakeSource::<ConfigMap>::new("configmaps", "ConfigMap"));
    source.put(map("a", "1"));
    let at = source.version();
    let last: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = last.clone();
    let maps = informer_of(&source);
    maps.on_event(move |event| {
        told.lock().extend(event.object().metadata.resource_version.clone());
    })
    .unwrap();
    maps.start().unwrap();
    maps.wait_for_sync(seconds(10)).await.unwrap();
    for _ in 0..500 {
        source.put(map("a", "1"));
    }
    sleep(seconds(10)).await;
    let key = ObjectKey::namespaced("shop", "a").unwrap();
    source.set_poisoned(&key, true);
    source.fail_watch(Fault::Status(ApiStatus::new(410, "Expired", "compacted")));
    source.restore(at);
    sleep(seconds(60)).await;
    assert_eq!(maps.status().stale, 1, "the last good state stays");
    source.set_poisoned(&key, false);
    let healed = source.put(map("a", "1"));
    sleep(seconds(5)).await;
    assert_eq!(maps.status().stale, 0);
    assert_eq!(*maps.lister().namespace("shop").get("a").unwrap(), *healed);
    assert_eq!(last.lock().last(), healed.metadata.resource_version.as_ref());
    source.end_watches(WatchEnd::Ordinary);
    maps.shutdown().await;
}
