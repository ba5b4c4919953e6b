//! Single starts.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::FutureExt;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use kube::Config;
use kube::core::PartialObjectMeta;
use kube_informer::object::{ObjectEvent, ShardKey, ShardSelector};
use kube_informer::testing::{ApiServer, BodyPosition, Faults, Injection, Requests};
use kube_informer::{InformerSpec, LabelSelector, SharedInformerFactory};
use kube_informer_warm::WarmCache;
use parking_lot::Mutex;
use serde_json::json;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::world::{LIMIT, Run, Scope, Scratch, is_question, map, view};

const EVERYTHING: Scope = Scope::Everything;

fn server_with(maps: u64) -> ApiServer {
    let server = ApiServer::builder().bookmark_interval(Duration::from_secs(3_600)).build();
    for n in 0..maps {
        server.create(&map("shop", &format!("map-{n}"), n)).unwrap();
    }
    server
}

/// Returns the requests for config maps since there were `before`: `list` for whole lists,
/// `metadata`, `one` and `watch`.
fn requests(server: &ApiServer, before: usize) -> Vec<&'static str> {
    let all = server.requests();
    let all = all[before..].iter().filter(|request| request.path().ends_with("/configmaps"));
    all.map(|request| match request {
        _ if request.watch => "watch",
        _ if is_question(request) => "one",
        _ => "list",
    })
    .collect()
}

/// Returns the keys of the deleted objects that were never added, in the order of their events.
fn gone(run: &Run) -> Vec<String> {
    run.told.lock().gone.iter().map(|(key, ..)| key.clone()).collect()
}

#[tokio::test(start_paused = true)]
async fn kept_objects_and_events_are_the_first_list() {
    let (server, scratch) = (server_with(20), Scratch::new("events"));
    Run::synced(&server, scratch.path(), EVERYTHING).await.shutdown().await;
    server.delete(&map("shop", "map-3", 0)).unwrap();
    server.replace(&map("shop", "map-4", 9)).unwrap();
    server.delete(&map("shop", "map-5", 0)).unwrap();
    server.create(&map("shop", "map-5", 7)).unwrap();
    server.create(&map("shop", "new", 7)).unwrap();
    let before = server.requests().len();
    let run = Run::synced(&server, scratch.path(), EVERYTHING).await;
    run.settle(&server, EVERYTHING).await;
    assert_eq!(requests(&server, before), ["one", "watch", "watch"]);
    let gone = run.told.lock().gone.clone();
    let mut keys: Vec<_> = gone.iter().map(|(key, ..)| &**key).collect();
    keys.sort_unstable();
    // Both deletions precede the adds.
    assert_eq!(keys, ["shop/map-3", "shop/map-5"]);
    assert!(gone.iter().all(|(_, _, known)| *known == 0), "{gone:?}");
    assert!(run.informer.status().handlers[0].objects == 20);
    run.shutdown().await;
    // They are told once.
    let run = Run::synced(&server, scratch.path(), EVERYTHING).await;
    run.settle(&server, EVERYTHING).await;
    assert!(run.told.lock().gone.is_empty());
    run.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn late_tap_begins_with_the_deletes_for_a_while() {
    let (server, scratch) = (server_with(20), Scratch::new("taps"));
    Run::synced(&server, scratch.path(), EVERYTHING).await.shutdown().await;
    for name in ["map-3", "map-4", "map-5"] {
        server.delete(&map("shop", name, 0)).unwrap();
    }
    let run = Run::synced(&server, scratch.path(), EVERYTHING).await;
    run.settle(&server, EVERYTHING).await;
    server.create(&map("shop", "map-3", 7)).unwrap();
    run.settle(&server, EVERYTHING).await;
    let mut told = Vec::new();
    for _ in 0..2 {
        let (mut tap, stored) = run.informer.tap("late", 1).unwrap();
        let mut keys = Vec::new();
        while let Some(Some((key, event))) = tap.next().now_or_never() {
            assert!(matches!(event, ObjectEvent::Deleted { final_state_known: false, .. }));
            keys.push(key.to_string());
        }
        keys.sort();
        assert_eq!(stored.len(), 18);
        told.push(keys);
        tokio::time::sleep(Duration::from_secs(700)).await;
    }
    assert_eq!(told, [&["shop/map-4", "shop/map-5"][..], &[]]);
    run.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn start_writes_only_what_changed() {
    let (server, scratch) = (server_with(200), Scratch::new("changes"));
    Run::synced(&server, scratch.path(), EVERYTHING).await.shutdown().await;
    let size = || std::fs::metadata(&scratch.tables()[0]).unwrap().len();
    let before = size();
    server.replace(&map("shop", "map-4", 9)).unwrap();
    let run = Run::synced(&server, scratch.path(), EVERYTHING).await;
    run.settle(&server, EVERYTHING).await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    run.shutdown().await;
    assert!((before + 1..before + 1_000).contains(&size()), "{before} bytes grew to {}", size());
}

#[tokio::test(start_paused = true)]
async fn more_events_than_half_of_the_objects_lead_to_a_list() {
    for (changes, then) in [(40, "watch"), (60, "list")] {
        let (server, scratch) = (server_with(100), Scratch::new("half"));
        Run::synced(&server, scratch.path(), EVERYTHING).await.shutdown().await;
        for n in 0..changes {
            server.replace(&map("shop", &format!("map-{n}"), n + 1)).unwrap();
        }
        let before = server.requests().len();
        let run = Run::synced(&server, scratch.path(), EVERYTHING).await;
        run.settle(&server, EVERYTHING).await;
        assert_eq!(requests(&server, before)[..3], ["one", "watch", then], "{changes} changes");
        run.shutdown().await;
    }
}

/// Keeps 600 objects, moves the version by an object of another kind, and starts again. Returns the
/// requests until the store is synced, and the time.
async fn quiet_start(name: &str, faults: &Faults) -> (Vec<&'static str>, Duration) {
    let (server, scratch) = (server_with(600), Scratch::new(name));
    Run::synced(&server, scratch.path(), EVERYTHING).await.shutdown().await;
    server.create(&Secret { metadata: map("shop", "a", 0).metadata, ..Secret::default() }).unwrap();
    let (before, began) = (server.requests().len(), Instant::now());
    let client = faults.client(server.client());
    let cache = WarmCache::open(scratch.path()).unwrap().cluster("the cluster");
    let factory = SharedInformerFactory::builder(client).warm(cache).build();
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    maps.wait_for_sync(LIMIT).await.unwrap();
    let (waited, kept) = (began.elapsed(), maps.lister().list(&LabelSelector::everything()));
    assert_eq!(view(kept.iter().map(|map| &**map)), EVERYTHING.of(&server));
    factory.shutdown().await;
    (requests(&server, before), waited)
}

#[tokio::test(start_paused = true)]
async fn quiet_kind_is_proved_by_the_last_bookmark_of_a_short_watch() {
    let (requests, waited) = quiet_start("bookmark", &Faults::new()).await;
    assert_eq!(requests, ["one", "watch", "watch"]);
    assert!(waited < Duration::from_secs(3), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn quiet_kind_without_bookmarks_is_proved_by_metadata() {
    let faults = Faults::new();
    faults.inject(Requests::watches().times(1), Injection::stall(BodyPosition::Byte(0)));
    let (requests, _) = quiet_start("metadata", &faults).await;
    assert_eq!(requests, ["one", "watch", "list", "watch"]);
}

#[tokio::test(start_paused = true)]
async fn comparison_may_last_as_long_as_the_list_goes_on() {
    let faults = Faults::new();
    faults.inject(Requests::watches().times(1), Injection::stall(BodyPosition::Byte(0)));
    let slow = Injection::drip(2_048, Duration::from_secs(1));
    faults.inject(Requests::lists().to("limit=5000"), slow);
    let (requests, waited) = quiet_start("slow", &faults).await;
    assert_eq!(requests, ["one", "watch", "list", "watch"]);
    assert!(waited > Duration::from_secs(20), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn file_is_about_as_large_as_packed_objects() {
    let (server, scratch) = (server_with(600), Scratch::new("size"));
    let run = Run::synced(&server, scratch.path(), EVERYTHING).await;
    let packed = run.informer.status().storage.unwrap().bytes;
    run.shutdown().await;
    let file = std::fs::metadata(&scratch.tables()[0]).unwrap().len();
    assert!(file * 10 < packed as u64 * 16, "{file} bytes in the file, {packed} in memory");
}

#[tokio::test(start_paused = true)]
async fn compacted_history_leads_to_a_list_that_tells_deletes() {
    let (server, scratch) = (server_with(20), Scratch::new("compacted"));
    Run::synced(&server, scratch.path(), EVERYTHING).await.shutdown().await;
    server.delete(&map("shop", "map-3", 0)).unwrap();
    server.replace(&map("shop", "map-4", 9)).unwrap();
    server.compact();
    let before = server.requests().len();
    let run = Run::synced(&server, scratch.path(), EVERYTHING).await;
    run.settle(&server, EVERYTHING).await;
    assert_eq!(requests(&server, before), ["one", "watch", "list", "watch"]);
    assert_eq!(gone(&run), ["shop/map-3"]);
    run.shutdown().await;
}

/// Answers the next list with an object whose name can't be read. It may be any of the kept ones.
fn lists_a_nameless_map(server: &ApiServer) {
    let maps = server.list::<ConfigMap>().unwrap();
    let mut items: Vec<_> = maps.iter().map(|map| json!(map)).collect();
    items.push(json!({"metadata": {"uid": "nameless"}}));
    let list = json!({
        "kind": "ConfigMapList", "apiVersion": "v1", "items": items,
        "metadata": {"resourceVersion": server.revision().to_string()},
    });
    let list = Mutex::new(Some(list.to_string()));
    server.intercept(move |request| {
        let is_list = request.path().ends_with("/configmaps") && !request.watch;
        let list = (is_list && !is_question(request)).then(|| list.lock().take()).flatten()?;
        let answer = http::Response::builder().header("content-type", "application/json");
        Some(answer.body(list.into()).unwrap())
    });
}

#[tokio::test(start_paused = true)]
async fn deletes_are_told_by_the_first_list_with_all_names() {
    let (server, scratch) = (server_with(20), Scratch::new("nameless"));
    Run::synced(&server, scratch.path(), EVERYTHING).await.shutdown().await;
    for name in ["map-3", "map-4"] {
        server.delete(&map("shop", name, 0)).unwrap();
    }
    server.create(&map("shop", "map-4", 0)).unwrap();
    server.compact();
    // The second run finds what the first one found.
    for _ in 0..2 {
        lists_a_nameless_map(&server);
        let run = Run::synced(&server, scratch.path(), EVERYTHING).await;
        run.settle(&server, EVERYTHING).await;
        assert_eq!(gone(&run), ["shop/map-4"]);
        assert_eq!(run.informer.snapshot().unreadable(), 1);
        assert!(run.informer.provisional().is_none());
        run.shutdown().await;
    }
    lists_a_nameless_map(&server);
    let run = Run::synced(&server, scratch.path(), EVERYTHING).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!((run.informer.snapshot().unreadable(), run.stored().len()), (0, 19));
    assert_eq!(gone(&run), ["shop/map-4", "shop/map-3"]);
    run.shutdown().await;
    let run = Run::synced(&server, scratch.path(), EVERYTHING).await;
    run.settle(&server, EVERYTHING).await;
    assert_eq!(gone(&run), [""; 0]);
    run.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn objects_of_untrusted_versions_are_listed_and_decoded() {
    let (server, scratch) = (server_with(20), Scratch::new("untrusted"));
    Run::synced(&server, scratch.path(), EVERYTHING).await.shutdown().await;
    server.delete(&map("shop", "map-3", 0)).unwrap();
    let before = server.requests().len();
    let cache = WarmCache::open(scratch.path()).unwrap().cluster("the cluster");
    let spec = InformerSpec::new().trust_versions(false);
    let run = Run::of_spec(&server, cache, spec);
    run.informer.wait_for_sync(LIMIT).await.unwrap();
    run.settle(&server, EVERYTHING).await;
    assert_eq!(requests(&server, before), ["list", "watch"]);
    assert_eq!(run.told.lock().gone.len(), 1);
    run.shutdown().await;
}

/// A list brings managed fields, which are not kept. So it seems to have another state of each
/// object.
#[tokio::test(start_paused = true)]
async fn objects_that_were_listed_again_are_not_written_again() {
    let (server, scratch) = (server_with(0), Scratch::new("again-listed"));
    for n in 0..200 {
        let mut map = map("shop", &format!("map-{n}"), n);
        map.metadata.managed_fields = Some(vec![ManagedFieldsEntry::default()]);
        server.create(&map).unwrap();
    }
    let spec = || InformerSpec::new().trust_versions(false);
    let mut sizes = Vec::new();
    for _ in 0..2 {
        let before = server.requests().len();
        let cache = WarmCache::open(scratch.path()).unwrap().cluster("the cluster");
        let run = Run::of_spec(&server, cache, spec());
        run.informer.wait_for_sync(LIMIT).await.unwrap();
        run.settle(&server, EVERYTHING).await;
        assert_eq!(requests(&server, before), ["list", "watch"]);
        run.shutdown().await;
        sizes.push(std::fs::metadata(&scratch.tables()[0]).unwrap().len());
    }
    assert!(sizes[1] < sizes[0] + 1_000, "the file grew: {sizes:?}");
}

#[tokio::test(start_paused = true)]
async fn provisional_objects_are_shown_on_request_alone() {
    let (server, scratch) = (server_with(20), Scratch::new("provisional"));
    Run::synced(&server, scratch.path(), EVERYTHING).await.shutdown().await;
    server.intercept(|request| {
        let refused = request.path().ends_with("/configmaps");
        refused.then(|| http::Response::builder().status(503).body("".into()).unwrap())
    });
    let run = Run::new(&server, scratch.path(), EVERYTHING);
    tokio::time::sleep(Duration::from_secs(5)).await;
    let provisional = run.informer.provisional().unwrap();
    assert_eq!((provisional.len(), provisional.iter().count()), (20, 20));
    let metadata = run.informer.view::<PartialObjectMeta<ConfigMap>>().unwrap();
    let metadata = metadata.provisional().unwrap();
    let same = |key| metadata.get(key).unwrap().metadata == provisional.get(key).unwrap().metadata;
    assert_eq!(metadata.iter().filter(|(key, _)| same(key)).count(), 20);
    assert!(!run.informer.has_synced() && run.informer.snapshot().is_empty());
    assert!(run.told.lock().fold.is_empty() && run.informer.status().freshness.is_none());
    server.stop_intercepting();
    run.informer.wait_for_sync(LIMIT).await.unwrap();
    assert!(run.informer.provisional().is_none());
    run.settle(&server, EVERYTHING).await;
    run.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn secrets_are_never_written() {
    let (server, scratch) = (server_with(0), Scratch::new("secrets"));
    let metadata = map("shop", "a", 0).metadata;
    let data = Some([("password".to_owned(), "correct horse".to_owned())].into());
    server.create(&Secret { metadata, string_data: data, ..Secret::default() }).unwrap();
    let cache = WarmCache::open(scratch.path()).unwrap().cluster("the cluster");
    let factory = SharedInformerFactory::builder(server.client()).warm(cache).build();
    let secrets = factory.informer::<Secret>();
    factory.start().unwrap();
    secrets.wait_for_sync(LIMIT).await.unwrap();
    factory.shutdown().await;
    assert!(scratch.tables().is_empty());
}

#[tokio::test(start_paused = true)]
async fn cluster_is_known_by_its_oldest_namespace() {
    let scratch = Scratch::new("cluster");
    let run = async |server: &ApiServer| {
        let cache = WarmCache::open(scratch.path()).unwrap();
        let run = Run::with(server, cache, EVERYTHING);
        run.informer.wait_for_sync(LIMIT).await.unwrap();
        run.settle(server, EVERYTHING).await;
        let gone = run.told.lock().gone.len();
        run.shutdown().await;
        gone
    };
    let first = server_with(20);
    // Without the mark nothing is kept.
    run(&first).await;
    assert!(scratch.tables().is_empty());
    let kube_system = || {
        let mut namespace = Namespace::default();
        namespace.metadata.name = Some("kube-system".into());
        namespace
    };
    first.create(&kube_system()).unwrap();
    run(&first).await;
    assert_eq!(scratch.tables().len(), 1);
    // Another cluster lacks the objects of the first, which says nothing about them.
    let second = server_with(0);
    second.create(&kube_system()).unwrap();
    for n in 0..40 {
        second.create(&map("other", &format!("map-{n}"), n)).unwrap();
    }
    assert_eq!(run(&second).await, 0);
    assert_eq!((run(&second).await, scratch.tables().len()), (0, 2));
}

#[tokio::test(start_paused = true)]
async fn own_mark_and_configuration_come_after_the_oldest_namespace() {
    let scratch = Scratch::new("marks");
    let run = async |server: &ApiServer, mark: &dyn Fn(WarmCache) -> WarmCache| {
        let cache = mark(WarmCache::open(scratch.path()).unwrap());
        let run = Run::with(server, cache, EVERYTHING);
        run.informer.wait_for_sync(LIMIT).await.unwrap();
        run.shutdown().await;
        scratch.tables().len()
    };
    let config = |authority: Option<&[u8]>| {
        let mut config = Config::new("https://127.0.0.1:6443".parse().unwrap());
        config.root_cert = authority.map(|authority| vec![authority.to_vec()]);
        config
    };
    let server = server_with(20);
    assert_eq!(run(&server, &|cache| cache.cluster_of(&config(None))).await, 0);
    for empty in ["", " ", "\n"] {
        assert_eq!(run(&server, &|cache| cache.cluster(empty)).await, 0);
    }
    assert_eq!(run(&server, &|cache| cache.cluster_of(&config(Some(b"")))).await, 0);
    assert_eq!(run(&server, &|cache| cache.cluster_of(&config(Some(b"one")))).await, 1);
    assert_eq!(run(&server, &|cache| cache.cluster_of(&config(Some(b"two")))).await, 2);
    let own = |cache: WarmCache| cache.cluster("own").cluster_of(&config(Some(b"one")));
    assert_eq!(run(&server, &own).await, 3);
    let mut namespace = Namespace::default();
    namespace.metadata.name = Some("kube-system".into());
    server.create(&namespace).unwrap();
    assert_eq!(run(&server, &own).await, 4);
    assert_eq!(run(&server, &|cache| cache).await, 4);
}

#[tokio::test(start_paused = true)]
async fn informers_of_a_factory_ask_for_the_cluster_once() {
    let (server, scratch) = (server_with(20), Scratch::new("asked"));
    let cache = WarmCache::open(scratch.path()).unwrap().cluster("the cluster");
    let factory = SharedInformerFactory::builder(server.client()).warm(cache).build();
    let namespaces = (0..20).map(|n| format!("namespace-{n}"));
    let maps = factory.in_namespaces::<ConfigMap>(namespaces);
    factory.start().unwrap();
    maps.wait_for_sync(LIMIT).await.unwrap();
    let asked = server.requests().iter().filter(|one| one.path().ends_with("/kube-system")).count();
    factory.shutdown().await;
    assert_eq!((asked, scratch.tables().len()), (1, 20));
}

const HALF: Scope = Scope::Shard(0, u64::MAX / 2);

#[tokio::test(start_paused = true)]
async fn equal_shard_goes_on_from_its_objects() {
    let (server, scratch) = (server_with(40), Scratch::new("shard"));
    Run::synced(&server, scratch.path(), HALF).await.shutdown().await;
    let before = HALF.of(&server);
    server.delete(&map("shop", "map-3", 0)).unwrap();
    server.delete(&map("shop", "map-4", 0)).unwrap();
    server.delete(&map("shop", "map-5", 0)).unwrap();
    server.replace(&map("shop", "map-6", 9)).unwrap();
    server.replace(&map("shop", "map-7", 9)).unwrap();
    let requested = server.requests().len();
    let run = Run::new(&server, scratch.path(), HALF);
    run.informer.wait_for_sync(LIMIT).await.unwrap();
    run.settle(&server, HALF).await;
    assert_eq!(requests(&server, requested), ["one", "watch", "watch"]);
    let gone: BTreeSet<_> = run.told.lock().gone.iter().map(|(key, ..)| key.clone()).collect();
    let now = HALF.of(&server);
    let expected: BTreeSet<_> = before.into_keys().filter(|key| !now.contains_key(key)).collect();
    assert!(gone == expected && (1..3).contains(&gone.len()), "{gone:?}, not {expected:?}");
    run.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn moved_shard_is_listed_and_tells_only_its_own_deletes() {
    let (server, scratch) = (server_with(40), Scratch::new("moved"));
    Run::synced(&server, scratch.path(), HALF).await.shutdown().await;
    let kept = HALF.of(&server);
    let moved = Scope::Shard(u64::MAX / 4, u64::MAX / 4 * 3);
    for key in kept.keys().take(10) {
        server.delete(&map("shop", key.split_once('/').unwrap().1, 0)).unwrap();
    }
    let requested = server.requests().len();
    let run = Run::synced(&server, scratch.path(), moved).await;
    run.settle(&server, moved).await;
    assert_eq!(requests(&server, requested), ["one", "list", "watch"]);
    let gone: BTreeSet<_> = run.told.lock().gone.iter().map(|(_, uid, _)| uid.clone()).collect();
    let deleted = kept.values().take(10).map(|(uid, _)| uid);
    let expected: BTreeSet<_> = deleted.filter(|uid| moved.has(uid)).cloned().collect();
    assert!(gone == expected && (1..10).contains(&gone.len()), "{gone:?}, not {expected:?}");
    run.shutdown().await;
    // The whole collection, from a part of it.
    let run = Run::synced(&server, scratch.path(), EVERYTHING).await;
    run.settle(&server, EVERYTHING).await;
    assert!(run.told.lock().gone.is_empty());
    run.shutdown().await;
    // And a part of it, from the whole.
    let requested = server.requests().len();
    let run = Run::synced(&server, scratch.path(), HALF).await;
    run.settle(&server, HALF).await;
    assert_eq!(requests(&server, requested), ["one", "watch"]);
    run.shutdown().await;
}

/// A replica is told its shard after it has begun.
#[tokio::test(start_paused = true)]
async fn shard_that_comes_late_finds_its_kept_objects() {
    let (server, scratch) = (server_with(40), Scratch::new("late"));
    Run::synced(&server, scratch.path(), HALF).await.shutdown().await;
    let kept = HALF.of(&server);
    server.delete(&map("shop", kept.keys().next().unwrap().split_once('/').unwrap().1, 0)).unwrap();
    let cache = || WarmCache::open(scratch.path()).unwrap().cluster("the cluster");
    let (wanted, shard) = watch::channel(ShardSelector::nothing(ShardKey::Uid));
    let spec = || InformerSpec::new().shard(shard.clone());
    let run = Run::of_spec(&server, cache(), spec());
    tokio::time::sleep(Duration::from_secs(60)).await;
    let requested = server.requests().len();
    wanted.send_replace(ShardSelector::new(ShardKey::Uid, [0..=u64::MAX / 2]));
    run.settle(&server, HALF).await;
    assert_eq!(requests(&server, requested), ["one", "watch", "watch"]);
    assert_eq!(run.told.lock().gone.len(), 1);
    // Given back before the end, as replicas do.
    wanted.send_replace(ShardSelector::nothing(ShardKey::Uid));
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(run.stored().is_empty());
    run.shutdown().await;
    let requested = server.requests().len();
    let run = Run::synced(&server, scratch.path(), HALF).await;
    run.settle(&server, HALF).await;
    assert_eq!(requests(&server, requested), ["one", "watch", "watch"]);
    run.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn restored_server_that_passed_the_kept_version_is_audited() {
    let (server, scratch) = (server_with(20), Scratch::new("restored"));
    Run::synced(&server, scratch.path(), EVERYTHING).await.shutdown().await;
    // Its history has the kept version, and lacks nothing that the watch would show.
    let restored = server_with(0);
    for n in 0..30 {
        restored.create(&map("other", &format!("map-{n}"), n)).unwrap();
    }
    let run = Run::synced(&restored, scratch.path(), EVERYTHING).await;
    run.settle(&restored, EVERYTHING).await;
    assert!(run.informer.status().audit.is_some());
    run.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn custom_settings_have_tables_of_their_own() {
    let (server, scratch) = (server_with(20), Scratch::new("tables"));
    for scope in [EVERYTHING, Scope::Namespace, Scope::Web] {
        Run::synced(&server, scratch.path(), scope).await.shutdown().await;
    }
    let cache = WarmCache::open(scratch.path()).unwrap().cluster("the cluster");
    let factory = SharedInformerFactory::builder(server.client()).warm(cache);
    let factory = factory.managed_fields(true).build();
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    maps.wait_for_sync(LIMIT).await.unwrap();
    factory.shutdown().await;
    assert_eq!(scratch.tables().len(), 4);
}
