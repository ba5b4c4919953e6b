//! Audits: each planted fault is found, and what an informer may rightly do is none.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::ObjectMeta;
use kube_informer::error::{ApiStatus, Fault, SourceError};
use kube_informer::informer::{Audit, NotJudged};
use kube_informer::lister_watcher::*;
use kube_informer::object::{ShardKey, ShardSelector};
use kube_informer::reflector::{ListMode, ReflectorOptions};
use kube_informer::testing::{ApiServer, FakeSource, WatchEnd};
use kube_informer::{InformerOptions, ObjectKey, SharedInformer, SharedInformerFactory};
use tokio::sync::watch;

use crate::helpers::LateWatches;

fn map(name: &str) -> ConfigMap {
    let metadata = ObjectMeta {
        namespace: Some("shop".into()),
        name: Some(name.into()),
        ..ObjectMeta::default()
    };
    ConfigMap { metadata, ..ConfigMap::default() }
}

fn key(name: &str) -> ObjectKey {
    ObjectKey::namespaced("shop", name).unwrap()
}

/// A source with the objects a to e, each of which was changed once.
fn source() -> Arc<FakeSource<ConfigMap>> {
    let source = FakeSource::new("configmaps", "ConfigMap");
    for name in ["a", "b", "c", "d", "e", "a", "b", "c", "d", "e"] {
        source.put(map(name));
    }
    Arc::new(source)
}

fn quiet() -> InformerOptions<ConfigMap> {
    InformerOptions::new().reflector(ReflectorOptions::new().on_error(|_| {}))
}

async fn synced(source: &Arc<FakeSource<ConfigMap>>) -> SharedInformer<ConfigMap> {
    let maps = SharedInformer::new(source.clone(), quiet());
    maps.start().unwrap();
    maps.wait_for_sync(Duration::from_secs(5)).await.unwrap();
    maps
}

fn found(audit: &Audit) -> String {
    let keys = |keys: &[ObjectKey]| {
        let names: Vec<_> = keys.iter().map(ToString::to_string).collect();
        names.join(",")
    };
    let Audit { missing, extra, older, .. } = audit;
    format!("-{} +{} <{}", keys(missing), keys(extra), keys(older))
}

#[tokio::test(start_paused = true)]
async fn healthy_informer_passes_at_once() {
    let source = source();
    let maps = synced(&source).await;
    let by_name = maps.add_index("name", |map: &ConfigMap| map.metadata.name.clone()).unwrap();
    let handler = maps.on_event(|_| {}).unwrap();
    assert!(handler.wait_for_sync().await);
    let audit = maps.audit().await;
    assert!(audit.passed() && audit.was_judged(), "{audit}");
    assert!(audit.not_judged.is_empty(), "{audit}");
    assert_eq!((audit.objects, audit.duration), (5, Duration::ZERO));
    assert_eq!(audit.to_string(), "configmaps: 5 objects compared");
    assert_eq!(by_name.len("a"), 1);
}

#[tokio::test(start_paused = true)]
async fn each_fault_of_the_store_is_found() {
    type Plant = fn(&SharedInformer<ConfigMap>, &FakeSource<ConfigMap>);
    fn stored(maps: &SharedInformer<ConfigMap>, name: &str) -> ConfigMap {
        (*maps.snapshot().get(&key(name)).unwrap()).clone()
    }
    fn write(maps: &SharedInformer<ConfigMap>, at: &ObjectKey, map: Option<ConfigMap>) {
        let mut write = maps.indexer().transaction();
        match map {
            Some(map) => drop(write.put(at, Arc::new(map))),
            None => drop(write.remove(at)),
        }
        write.commit();
    }
    let faults: [(&str, &str, Plant); 7] = [
        ("lost add", "-shop/a + <", |maps, _| write(maps, &key("a"), None)),
        ("lost delete", "- +shop/gone <", |maps, _| {
            let mut gone = stored(maps, "a");
            gone.metadata.name = Some("gone".into());
            gone.metadata.uid = Some("gone".into());
            write(maps, &key("gone"), Some(gone));
        }),
        ("skipped update", "- + <shop/b", |maps, _| {
            let mut old = stored(maps, "b");
            old.metadata.resource_version = Some("2".into());
            write(maps, &key("b"), Some(old));
        }),
        ("event of another namespace", "- +bank/a <", |maps, _| {
            let foreign = ObjectKey::namespaced("bank", "a").unwrap();
            let mut map = stored(maps, "a");
            map.metadata.namespace = Some("bank".into());
            write(maps, &foreign, Some(map));
        }),
        ("delete that came back", "- +shop/c <", |maps, source| {
            let before = stored(maps, "c");
            source.delete(&key("c"));
            let maps = maps.clone();
            tokio::spawn(async move {
                // After the deletion.
                tokio::time::sleep(Duration::from_secs(1)).await;
                write(&maps, &key("c"), Some(before));
            });
        }),
        ("key under another uid", "- + <shop/d", |maps, _| {
            let mut other = stored(maps, "d");
            other.metadata.uid = Some("other".into());
            write(maps, &key("d"), Some(other));
        }),
        ("relist applied by half", "-shop/a,shop/b +shop/gone <shop/c", |maps, _| {
            write(maps, &key("a"), None);
            write(maps, &key("b"), None);
            let mut old = stored(maps, "c");
            old.metadata.resource_version = Some("3".into());
            write(maps, &key("c"), Some(old.clone()));
            old.metadata.name = Some("gone".into());
            old.metadata.uid = Some("gone".into());
            write(maps, &key("gone"), Some(old));
        }),
    ];
    for (fault, expected, plant) in faults {
        let source = source();
        let maps = synced(&source).await;
        let handler = maps.on_event(|_| {}).unwrap();
        assert!(handler.wait_for_sync().await);
        plant(&maps, &source);
        tokio::time::sleep(Duration::from_secs(2)).await;
        let audit = maps.audit().await;
        assert!(audit.was_judged() && !audit.passed(), "{fault}: {audit}");
        assert_eq!(found(&audit), expected, "{fault}");
        maps.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn store_that_stopped_with_its_watch_open_is_found() {
    let source = source();
    let late = LateWatches::new(&source, || Duration::from_secs(36_000));
    let maps = SharedInformer::new(late, quiet());
    maps.start().unwrap();
    maps.wait_for_sync(Duration::from_secs(5)).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(maps.audit().await.passed());
    source.put(map("late"));
    let audit = maps.audit().await;
    assert_eq!(audit.behind, Some(11.into()), "{audit}");
    assert!(!audit.passed() && audit.was_judged());
    assert_eq!(audit.duration, Duration::from_secs(90), "{audit}");
}

#[tokio::test(start_paused = true)]
async fn event_on_its_way_is_no_difference() {
    let source = source();
    let late = LateWatches::new(&source, || Duration::from_secs(20));
    let maps = SharedInformer::new(late, quiet());
    maps.start().unwrap();
    maps.wait_for_sync(Duration::from_secs(5)).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    source.put(map("new"));
    source.put(map("a"));
    source.delete(&key("b"));
    let audit = maps.audit().await;
    assert!(audit.passed() && audit.was_judged(), "{audit}");
    assert_eq!(audit.duration, Duration::from_secs(20), "as soon as the events have come");
}

#[tokio::test(start_paused = true)]
async fn index_that_lost_or_kept_a_value_is_found() {
    let maps = synced(&source()).await;
    let changed = Arc::new(AtomicBool::new(false));
    let seen = changed.clone();
    let value = move |map: &ConfigMap| {
        let other = seen.load(Ordering::SeqCst) && map.metadata.name.as_deref() == Some("b");
        if other { "other".to_owned() } else { "all".to_owned() }
    };
    maps.add_index("switched", move |map: &ConfigMap| Some(value(map))).unwrap();
    assert!(maps.audit().await.passed());
    changed.store(true, Ordering::SeqCst);
    let audit = maps.audit().await;
    let found: Vec<_> = audit.indexes.iter().map(|one| (one.key.clone(), one.lacks)).collect();
    assert_eq!(found, [(key("b"), true), (key("b"), false)], "{audit}");
    assert!(!audit.passed());
    assert!(audit.to_string().contains("index switched lacks values of shop/b"), "{audit}");
}

#[tokio::test(start_paused = true)]
async fn handler_that_missed_a_delete_is_found() {
    let source = source();
    let maps = synced(&source).await;
    let handler = maps.on_event(|_| {}).unwrap();
    assert!(handler.wait_for_sync().await);
    source.delete(&key("e"));
    // Removed before the event comes, so that no handler is told.
    let mut write = maps.indexer().transaction();
    write.remove(&key("e"));
    write.commit();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let audit = maps.audit().await;
    let [handler] = &audit.handlers[..] else { panic!("{audit}") };
    assert_eq!((handler.told, handler.stored), (5, 4));
    assert_eq!(found(&audit), "- + <");
    assert!(!audit.passed());
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_judged_is_said() {
    let source = source();
    let maps = SharedInformer::new(source.clone(), quiet());
    let audit = maps.audit().await;
    assert!(matches!(audit.not_judged[..], [NotJudged::NotSynced]), "{audit}");
    maps.start().unwrap();
    maps.wait_for_sync(Duration::from_secs(5)).await.unwrap();

    let refusal = || Fault::Status(ApiStatus::new(403, "Forbidden", "no"));
    source.fail_list(refusal());
    let audit = maps.audit().await;
    assert!(matches!(audit.not_judged[..], [NotJudged::List(_)]), "{audit}");
    assert!(!audit.was_judged() && audit.passed());

    // No watch is open, and the store has something to catch up with.
    (0..100).for_each(|_| source.fail_watch(refusal()));
    source.end_watches(WatchEnd::Ordinary);
    tokio::time::sleep(Duration::from_secs(5)).await;
    source.put(map("later"));
    let lists_fail = async {
        // After the audit's.
        tokio::time::sleep(Duration::from_millis(1)).await;
        (0..100).for_each(|_| source.fail_list(refusal()));
    };
    let (audit, ()) = tokio::join!(maps.audit(), lists_fail);
    let catching_up = matches!(audit.not_judged[..], [NotJudged::CatchingUp(1)]);
    assert!(catching_up && audit.passed() && !audit.was_judged(), "{audit}");

    maps.shutdown().await;
    let audit = maps.audit().await;
    assert!(matches!(audit.not_judged[..], [NotJudged::Stopped]), "{audit}");
}

#[tokio::test]
async fn server_is_asked_for_metadata_alone() {
    let server = ApiServer::new();
    let client = server.client();
    let factory = SharedInformerFactory::builder(client).build();
    let maps = factory.informer::<ConfigMap>();
    for n in 0..5_100 {
        server.create(&map(&format!("m{n}"))).unwrap();
    }
    factory.start().unwrap();
    factory.wait_for_sync(Duration::from_secs(30)).await.unwrap();
    let before = server.requests().len();
    let audit = maps.audit().await;
    assert!(audit.passed() && audit.was_judged(), "{audit}");
    assert_eq!(audit.objects, 5_100);
    let requests = server.requests();
    let lists: Vec<_> = requests[before..].iter().map(|request| request.target.clone()).collect();
    assert_eq!(lists.len(), 2, "pages of 5,000: {lists:?}");
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn factory_audits_each_informer_once_per_interval() {
    let server = ApiServer::new();
    let hour = Duration::from_secs(3_600);
    let factory = SharedInformerFactory::builder(server.client()).audit_every(hour).build();
    let maps = factory.informer::<ConfigMap>();
    let secrets = factory.informer::<Secret>();
    factory.start().unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(Duration::from_secs(30)).await.unwrap();
    tokio::time::sleep(hour / 2).await;
    assert!(maps.status().audit.is_none());
    tokio::time::sleep(hour).await;
    for status in [maps.status(), secrets.status()] {
        let audit = status.audit.unwrap();
        assert!(audit.passed() && audit.was_judged(), "{audit}");
    }
    drop(secrets);
    let lists = |server: &ApiServer| {
        let requests = server.requests();
        requests.iter().filter(|request| request.target.contains("limit=5000")).count()
    };
    let before = lists(&server);
    tokio::time::sleep(hour * 10).await;
    let more = lists(&server) - before;
    assert!((16..=24).contains(&more), "two informers, ten hours: {more}");
    factory.shutdown().await;
    let before = lists(&server);
    tokio::time::sleep(hour * 10).await;
    assert_eq!(lists(&server), before);
}

#[tokio::test(start_paused = true)]
async fn shard_that_kept_what_moved_away_is_found() {
    let source = source();
    let half = ShardSelector::new(ShardKey::Uid, [0..=u64::MAX / 2]);
    let (_shards, shard) = watch::channel(half.clone());
    let options = ReflectorOptions::new().shard(shard);
    let maps = SharedInformer::new(source.clone(), InformerOptions::new().reflector(options));
    maps.start().unwrap();
    maps.wait_for_sync(Duration::from_secs(5)).await.unwrap();
    let audit = maps.audit().await;
    assert!(audit.passed() && audit.was_judged(), "{audit}");
    assert_eq!(audit.objects, maps.snapshot().len());
    let objects = source.objects();
    let (key, moved) = objects.iter().find(|(_, map)| !half.selects(&map.metadata)).unwrap();
    let mut write = maps.indexer().transaction();
    write.put(key, moved);
    write.commit();
    let audit = maps.audit().await;
    assert_eq!(audit.extra, std::slice::from_ref(key), "{audit}");
}

#[tokio::test(start_paused = true)]
async fn restored_backup_is_no_difference_once_it_is_known() {
    let source = source();
    let maps = synced(&source).await;
    source.restore(7);
    for name in ["x", "y"] {
        source.put(map(name));
    }
    // The store is still of the lost history, and newer than the list.
    let audit = maps.audit().await;
    assert!(matches!(audit.not_judged[..], [NotJudged::Unordered, ..]), "{audit}");
    tokio::time::sleep(Duration::from_secs(60)).await;
    let audit = maps.audit().await;
    assert!(audit.passed() && audit.was_judged(), "{audit}");
    assert_eq!(audit.objects, 7);
}

/// A tap that nobody reads holds up the store for ever.
#[tokio::test(start_paused = true)]
async fn full_tap_ends_an_audit_and_holds_up_no_other() {
    let server = ApiServer::new();
    let hour = Duration::from_secs(3_600);
    let factory = SharedInformerFactory::builder(server.client()).audit_every(hour).build();
    let maps = factory.informer::<ConfigMap>();
    let secrets = factory.informer::<Secret>();
    factory.start().unwrap();
    factory.wait_for_sync(Duration::from_secs(30)).await.unwrap();
    let (_tap, _) = maps.tap("full", 1).unwrap();
    for name in ["v", "w", "x", "y", "z"] {
        server.create(&map(name)).unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let audit = maps.audit().await;
    assert!(audit.behind.is_some() && !audit.passed(), "{audit}");
    assert!(audit.duration < Duration::from_secs(180), "{audit}");
    tokio::time::sleep(hour * 3).await;
    assert!(secrets.status().audit.unwrap().was_judged());
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn object_made_again_undecodable_is_no_difference() {
    let source = source();
    let maps = synced(&source).await;
    // The deletion comes while no watch is open.
    source.end_watches(WatchEnd::Broken);
    source.delete(&key("e"));
    let made_again = async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        source.set_poisoned(&key("e"), true);
        source.put(map("e"));
        source.compact();
    };
    let (audit, ()) = tokio::join!(maps.audit(), made_again);
    assert!(audit.passed(), "{audit}");
    assert!(maps.snapshot().is_stale(&key("e")), "{audit}");
    assert_eq!(audit.undecoded, 1);
}

fn bare(mut map: ConfigMap) -> ConfigMap {
    (map.metadata.uid, map.metadata.resource_version) = (None, None);
    map
}

/// A source whose objects have neither uid nor version.
struct Bare(Arc<FakeSource<ConfigMap>>);

impl ListerWatcher<ConfigMap> for Bare {
    fn collection(&self) -> &Collection {
        self.0.collection()
    }

    fn list(
        &self,
        query: &ListQuery,
        _hints: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<ConfigMap>, SourceError>> {
        let listing = self.0.list(query, &ListHints::none());
        let bare = |item| match item {
            ListItem::Object(Ok(object)) => {
                let map: ConfigMap = SourceObject::into_decoded(object).unwrap();
                ListItem::Object(Ok(bare(map).into()))
            }
            item => item,
        };
        async move { Ok(listing.await?.map_ok(bare).boxed()) }.boxed()
    }

    fn watch(
        &self,
        query: &WatchQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<ConfigMap>, SourceError>> {
        self.0.watch(query, hints)
    }
}

#[tokio::test(start_paused = true)]
async fn objects_without_uid_and_version_are_not_judged() {
    let options = ReflectorOptions::new().on_error(|_| {}).list_mode(ListMode::Plain);
    let options = InformerOptions::new().reflector(options);
    let maps = SharedInformer::new(Arc::new(Bare(source())), options);
    maps.start().unwrap();
    maps.wait_for_sync(Duration::from_secs(5)).await.unwrap();
    let mut write = maps.indexer().transaction();
    write.put(&key("extra"), Arc::new(bare(map("extra"))));
    write.commit();
    let audit = maps.audit().await;
    assert!(matches!(audit.not_judged[..], [NotJudged::Unidentified(6), ..]), "{audit}");
    assert!(audit.extra.is_empty(), "{audit}");
}
