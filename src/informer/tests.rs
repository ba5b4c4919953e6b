use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;
use parking_lot::Mutex;
use proptest::prelude::*;

use super::*;
use crate::error::{ApiStatus, Fault};
use crate::object::ObjectKey;
use crate::reflector::ReflectorOptions;
use crate::testing::{FakeSource, WatchEnd};

fn key(name: &str) -> ObjectKey {
    ObjectKey::cluster(name).unwrap()
}

fn object(name: &str) -> ConfigMap {
    let metadata = ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() };
    ConfigMap { metadata, ..ConfigMap::default() }
}

fn version(object: &ConfigMap) -> u64 {
    object.metadata.resource_version.as_ref().unwrap().parse().unwrap()
}

/// The objects that a handler's events fold to, checked with each event: an add must be of an
/// unknown object, and `old` of an update and the object of a delete must be the known state.
#[derive(Clone, Default)]
struct Fold(Arc<Mutex<Folded>>);

#[derive(Default)]
struct Folded {
    objects: BTreeMap<ObjectKey, Arc<ConfigMap>>,
    log: Vec<String>,
    wrong: Vec<String>,
}

impl Fold {
    fn log(&self) -> Vec<String> {
        self.0.lock().log.clone()
    }
}

impl EventHandler<ConfigMap> for Fold {
    fn on_event(&mut self, event: Event<ConfigMap>) {
        let Folded { objects, log, wrong } = &mut *self.0.lock();
        let key = ObjectKey::of(&**event.object()).unwrap();
        let text = match &event {
            Event::Added { object, initial } => {
                let had = objects.insert(key.clone(), object.clone());
                had.is_some().then(|| wrong.push(format!("added {key} again")));
                format!("{}{key}", if *initial { "!" } else { "+" })
            }
            Event::Updated { old, new } => {
                let had = objects.insert(key.clone(), new.clone());
                let same = had.is_some_and(|had| Arc::ptr_eq(&had, old));
                (!same)
                    .then(|| wrong.push(format!("old of {key} is not the state delivered before")));
                let unchanged = version(old) == version(new);
                format!("{}{key}", if unchanged { "." } else { "~" })
            }
            Event::Deleted { object, final_state_known } => {
                let had = objects.remove(&key);
                let uid = |o: &ConfigMap| o.metadata.uid.clone();
                let same = had.is_some_and(|had| uid(&had) == uid(object));
                (!same).then(|| wrong.push(format!("deleted {key}, which was never delivered")));
                format!("{}{key}", if *final_state_known { "-" } else { "†" })
            }
        };
        log.push(text);
    }
}

struct Rig {
    source: Arc<FakeSource<ConfigMap>>,
    informer: SharedInformer<ConfigMap>,
}

impl Rig {
    fn new(names: &[&str]) -> Self {
        Self::with(names, InformerOptions::new())
    }

    fn with(names: &[&str], options: InformerOptions<ConfigMap>) -> Self {
        let source = Arc::new(FakeSource::new("configmaps", "ConfigMap"));
        for name in names {
            source.put(object(name));
        }
        Self { informer: SharedInformer::new(source.clone(), options), source }
    }

    fn handler(&self) -> (Fold, HandlerRegistration) {
        let fold = Fold::default();
        let registration = self.informer.add_handler(fold.clone()).unwrap();
        (fold, registration)
    }

    async fn start(&self) {
        self.informer.start().unwrap();
        self.informer.wait_for_sync(Duration::from_secs(60)).await.unwrap();
        settle().await;
    }
}

/// Lets every ready task run. Paused time advances only when all tasks wait.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

async fn seconds(n: u64) {
    tokio::time::sleep(Duration::from_secs(n)).await;
}

#[tokio::test(start_paused = true)]
async fn handlers_get_initial_adds_then_changes() {
    let rig = Rig::new(&["a", "b"]);
    let (early, registration) = rig.handler();
    assert!(!registration.has_synced());
    rig.start().await;
    assert!(registration.wait_for_sync().await);
    assert_eq!(early.log(), ["!a", "!b"]);
    rig.source.put(object("a"));
    settle().await;
    let (late, registration) = rig.handler();
    assert!(registration.wait_for_sync().await);
    rig.source.put(object("c"));
    rig.source.delete(&key("b"));
    settle().await;
    assert_eq!(early.log(), ["!a", "!b", "~a", "+c", "-b"]);
    let mut late = late.log();
    late[..2].sort();
    assert_eq!(late, ["!a", "!b", "+c", "-b"], "no gap and no duplicate");
}

#[tokio::test(start_paused = true)]
async fn empty_collection_and_its_handlers_sync() {
    let rig = Rig::new(&[]);
    let (_, early) = rig.handler();
    rig.start().await;
    let (_, late) = rig.handler();
    assert!(early.wait_for_sync().await && late.wait_for_sync().await);
    assert_eq!(rig.informer.snapshot().version(), Some(&0.into()));
}

#[tokio::test(start_paused = true)]
async fn relist_reports_missed_deletes_first_as_tombstones() {
    let rig = Rig::new(&["a", "b", "c"]);
    let (fold, _) = rig.handler();
    rig.start().await;
    rig.source.end_watches(WatchEnd::Broken);
    rig.source.delete(&key("a"));
    rig.source.put(object("b"));
    rig.source.put(object("d"));
    rig.source.compact();
    seconds(60).await;
    assert_eq!(fold.log()[3..], ["†a", "~b", "+d"]);
    assert_eq!(rig.informer.status().reflector.relists.total(), 1);
}

#[tokio::test(start_paused = true)]
async fn unchanged_relist_reaches_only_resyncing_handlers() {
    let rig = Rig::new(&["a", "b"]);
    let (plain, _) = rig.handler();
    let resyncing = Fold::default();
    let options = HandlerOptions::new().resync(Duration::from_secs(100_000));
    rig.informer.add_handler_with(resyncing.clone(), options).unwrap();
    rig.start().await;
    let before = rig.informer.lister().get("a").unwrap();
    rig.source.end_watches(WatchEnd::Failed(ApiStatus::new(410, "Expired", "")));
    seconds(10).await;
    assert_eq!(plain.log(), ["!a", "!b"]);
    assert_eq!(resyncing.log(), ["!a", "!b", ".a", ".b"]);
    assert!(Arc::ptr_eq(&before, &rig.informer.lister().get("a").unwrap()));
}

/// One object has the same version as before the backup was restored, but another state.
#[tokio::test(start_paused = true)]
async fn restored_backup_replaces_newer_versions() {
    for streaming in [false, true] {
        let options =
            InformerOptions::new().reflector(ReflectorOptions::new().streaming_list(streaming));
        let rig = Rig::with(&["a", "b"], options);
        rig.source.put(object("b"));
        rig.source.put(object("a"));
        let (fold, _registration) = rig.handler();
        rig.start().await;
        rig.source.restore(2);
        let mut other = object("b");
        other.data = Some([("history".into(), "another".into())].into());
        rig.source.put(other);
        rig.source.fail_watch(some_fault(0));
        seconds(120).await;
        assert_eq!(fold.0.lock().objects, rig.source.objects(), "{streaming} {:?}", fold.log());
        assert_eq!(fold.0.lock().wrong, [""; 0]);
        let b = rig.informer.lister().get("b").unwrap();
        assert!(b.data.is_some(), "streaming {streaming}: {:?}", fold.log());
    }
}

#[tokio::test(start_paused = true)]
async fn oversized_period_means_never() {
    let rig = Rig::with(&["a"], InformerOptions::new().resync(Duration::MAX));
    let (default, _) = rig.handler();
    rig.start().await;
    let own = Fold::default();
    let options = HandlerOptions::new().resync(Duration::MAX);
    rig.informer.add_handler_with(own.clone(), options).unwrap();
    let soon = Fold::default();
    let options = HandlerOptions::new().resync(Duration::from_secs(60));
    rig.informer.add_handler_with(soon.clone(), options).unwrap();
    seconds(150).await;
    for (fold, resyncs) in [(default, 0), (own, 0), (soon, 2)] {
        assert_eq!(fold.log().iter().filter(|text| *text == ".a").count(), resyncs);
    }
}

#[tokio::test(start_paused = true)]
async fn each_handler_resyncs_at_its_own_period() {
    let options = InformerOptions::new().resync(Duration::from_secs(30));
    let rig = Rig::with(&["a"], options);
    let (default, _) = rig.handler();
    let add = |period: u64| {
        let fold = Fold::default();
        let options = HandlerOptions::new().resync(Duration::from_secs(period));
        rig.informer.add_handler_with(fold.clone(), options).unwrap();
        fold
    };
    let (never, slower) = (add(0), add(60));
    rig.start().await;
    let raised = add(1);
    seconds(121).await;
    let resyncs = |fold: &Fold| fold.log().iter().filter(|text| *text == ".a").count();
    assert_eq!((resyncs(&default), resyncs(&never), resyncs(&slower)), (4, 0, 2));
    assert_eq!(resyncs(&raised), 4, "a later, shorter period is raised to the informer's");
    assert_eq!(rig.source.requests().len(), 2, "a resync does not touch the server");
}

#[tokio::test(start_paused = true)]
async fn second_start_and_stopped_informer_are_typed_errors() {
    let rig = Rig::new(&["a"]);
    rig.start().await;
    assert_eq!(rig.informer.start(), Err(StartError::AlreadyStarted));
    rig.informer.shutdown().await;
    rig.informer.shutdown().await;
    assert_eq!(rig.informer.start(), Err(StartError::Stopped));
    assert!(rig.informer.add_handler(Fold::default()).is_err());
    assert!(rig.informer.events().is_err());
    assert!(rig.informer.lister().get("a").is_ok(), "the store stays readable");
    assert_eq!(rig.source.open_watches(), 0);
    let never_started = Rig::new(&[]);
    never_started.informer.shutdown().await;
    assert_eq!(never_started.informer.start(), Err(StartError::Stopped));
}

#[test]
fn start_outside_a_runtime_is_a_typed_error() {
    let rig = Rig::new(&[]);
    assert_eq!(rig.informer.start(), Err(StartError::NoRuntime));
}

#[tokio::test(start_paused = true)]
async fn missing_sync_names_its_reason() {
    let rig = Rig::new(&[]);
    let message = "configmaps is forbidden";
    for _ in 0..50 {
        let status = ApiStatus::new(403, "Forbidden", message);
        rig.source.fail_list(Fault::Status(status));
    }
    rig.informer.start().unwrap();
    let error = rig.informer.wait_for_sync(Duration::from_secs(20)).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("list configmaps: 403 Forbidden: configmaps is forbidden"), "{text}");
    assert!(text.starts_with("not synced after 20.0s: configmaps: next try in "), "{text}");
    let waiting = rig.informer.wait_for_sync(Duration::from_secs(1_000_000));
    let (error, ()) = tokio::join!(waiting, rig.informer.shutdown());
    assert!(error.unwrap_err().to_string().contains("configmaps was stopped"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sync_and_stop_wake_every_waiter() {
    for stop in [false, true] {
        let rig = Rig::new(&["a"]);
        if stop {
            for _ in 0..1000 {
                rig.source.fail_list(Fault::NoVersion);
            }
        }
        let waiting: Vec<_> = (0..32)
            .map(|_| {
                let informer = rig.informer.clone();
                tokio::spawn(async move {
                    informer.wait_for_sync(Duration::from_secs(60)).await.is_ok()
                })
            })
            .collect();
        rig.informer.start().unwrap();
        if stop {
            rig.informer.shutdown().await;
        }
        for task in waiting {
            assert_eq!(task.await.unwrap(), !stop);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn handler_sync_removal_and_shutdown_wake_every_waiter() {
    let rig = Rig::new(&["a", "b"]);
    let (_, kept) = rig.handler();
    let (_, removed) = rig.handler();
    let synced: Vec<_> = (0..16)
        .map(|_| {
            let (kept, removed) = (kept.clone(), removed.clone());
            tokio::spawn(async move { kept.wait_for_sync().await && removed.wait_for_sync().await })
        })
        .collect();
    rig.informer.start().unwrap();
    for task in synced {
        assert!(task.await.unwrap());
    }
    let gone: Vec<_> = (0..16)
        .map(|_| {
            let removed = removed.clone();
            tokio::spawn(async move { removed.remove_and_wait().await })
        })
        .collect();
    for task in gone {
        task.await.unwrap();
    }
    let stopped: Vec<_> = (0..16)
        .map(|n| {
            let informer = rig.informer.clone();
            tokio::spawn(async move {
                if n % 2 == 0 {
                    informer.shutdown().await;
                } else {
                    informer.shutdown_with_drain(Duration::from_secs(60)).await;
                }
            })
        })
        .collect();
    for task in stopped {
        task.await.unwrap();
    }
    assert_eq!(rig.source.open_watches(), 0);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_last_handle_stops_everything() {
    let rig = Rig::new(&["a"]);
    let mut events = rig.informer.events().unwrap();
    let (_, registration) = rig.handler();
    rig.start().await;
    assert_eq!(rig.source.open_watches(), 1);
    let second = rig.informer.clone();
    let source = rig.source.clone();
    drop(rig);
    settle().await;
    assert_eq!(source.open_watches(), 1);
    drop(second);
    settle().await;
    assert_eq!(source.open_watches(), 0);
    registration.remove_and_wait().await;
    while events.next().await.is_some() {}
    assert_eq!(Arc::strong_count(&source), 1, "no task holds on to it");

    let idle = Rig::new(&["a"]);
    let mut events = idle.informer.events().unwrap();
    let (_, registration) = idle.handler();
    drop(idle);
    assert!(events.next().await.is_none());
    assert!(!registration.wait_for_sync().await);
}

#[tokio::test(start_paused = true)]
async fn shutdown_drops_the_backlog_and_drain_delivers_it() {
    for drain in [false, true] {
        let rig = Rig::new(&["a"]);
        rig.start().await;
        let events = rig.informer.events().unwrap();
        for _ in 0..10 {
            rig.source.put(object("a"));
        }
        settle().await;
        let told = tokio::spawn(events.count());
        if drain {
            assert!(rig.informer.shutdown_with_drain(Duration::from_secs(1)).await);
        } else {
            rig.informer.shutdown().await;
        }
        let told = told.await.unwrap();
        assert_eq!(told, if drain { 11 } else { 0 });
    }
}

#[tokio::test(start_paused = true)]
async fn slow_handler_slows_only_itself() {
    let rig = Rig::new(&[]);
    let (quick, _) = rig.handler();
    let options = HandlerOptions::new().backlog(4).name("slow");
    let mut slow = rig.informer.events_with(options).unwrap();
    rig.start().await;
    for n in 0..1000 {
        rig.source.put(object(&format!("o{}", n % 3)));
        settle().await;
    }
    rig.source.delete(&key("o0"));
    settle().await;
    assert_eq!(quick.log().len(), 1001);
    let status = rig.informer.status();
    let slow_status = status.handlers.iter().find(|handler| &*handler.name == "slow").unwrap();
    assert!(slow_status.backlog <= 6, "{slow_status:?}");
    let mut fold = Fold::default();
    for _ in 0..slow_status.backlog {
        if let Some(Some(event)) = futures::FutureExt::now_or_never(slow.next()) {
            fold.on_event(event);
        }
    }
    assert!(fold.0.lock().wrong.is_empty(), "{:?}", fold.0.lock().wrong);
    assert_eq!(fold.0.lock().objects, rig.source.objects());
}

#[tokio::test(start_paused = true)]
async fn undecodable_object_keeps_its_last_good_state() {
    let rig = Rig::new(&["a", "b"]);
    let (fold, _) = rig.handler();
    rig.start().await;
    rig.source.set_poisoned(&key("a"), true);
    rig.source.put(object("a"));
    settle().await;
    assert_eq!(rig.informer.status().stale, 1);
    rig.source.end_watches(WatchEnd::Failed(ApiStatus::new(410, "Expired", "")));
    seconds(10).await;
    assert_eq!(version(&rig.informer.lister().get("a").unwrap()), 1, "a list does not delete it");
    assert_eq!(rig.informer.status().stale, 1);
    rig.source.set_poisoned(&key("a"), false);
    rig.source.put(object("a"));
    settle().await;
    assert_eq!(rig.informer.status().stale, 0);
    rig.source.set_poisoned(&key("a"), true);
    rig.source.delete(&key("a"));
    settle().await;
    assert_eq!(fold.log(), ["!a", "!b", "~a", "†a"]);
}

#[tokio::test(start_paused = true)]
async fn undecodable_item_does_not_delay_the_sync() {
    let rig = Rig::new(&["a", "b"]);
    rig.source.set_poisoned(&key("a"), true);
    rig.source.set_nameless_item(true);
    rig.start().await;
    assert!(rig.informer.lister().get("b").is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_handlers_fold_to_the_store() {
    let rig = Rig::new(&["a", "b", "c"]);
    rig.informer.start().unwrap();
    let running = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..100)
        .map(|n| {
            let (informer, running) = (rig.informer.clone(), running.clone());
            tokio::spawn(async move {
                let fold = Fold::default();
                let registration = informer.add_handler(fold.clone()).unwrap();
                running.fetch_add(1, Ordering::Relaxed);
                assert!(registration.wait_for_sync().await);
                if n % 2 == 0 {
                    registration.remove_and_wait().await;
                    registration.remove_and_wait().await;
                    let log = fold.log().len();
                    tokio::task::yield_now().await;
                    assert_eq!(fold.log().len(), log, "no call after removal");
                    return None;
                }
                Some(fold)
            })
        })
        .collect();
    for n in 0..300 {
        rig.source.put(object(["a", "b", "c", "d"][n % 4]));
        if n % 7 == 0 {
            rig.source.delete(&key("d"));
        }
        tokio::task::yield_now().await;
    }
    let mut kept = Vec::new();
    for task in tasks {
        kept.extend(task.await.unwrap());
    }
    let target = rig.source.version();
    while rig.informer.snapshot().version() != Some(&target.into()) {
        tokio::task::yield_now().await;
    }
    assert_eq!(rig.informer.status().handlers.len(), kept.len());
    rig.informer.shutdown_with_drain(Duration::from_secs(60)).await;
    for fold in kept {
        let folded = fold.0.lock();
        assert!(folded.wrong.is_empty(), "{:?}", folded.wrong);
        assert_eq!(folded.objects, rig.source.objects());
    }
}

#[derive(Clone, Debug)]
enum Act {
    Put(u8),
    Delete(u8),
    Disconnect(bool),
    Expire,
    Compact,
    Lag(u8),
    FailList(u8),
    FailWatch(u8),
    Poison(u8, bool),
    AddHandler(u8),
    RemoveHandler,
    Poll,
    Bookmark,
    Wait(u16),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        8 => (0..8u8).prop_map(Act::Put),
        4 => (0..8u8).prop_map(Act::Delete),
        2 => any::<bool>().prop_map(Act::Disconnect),
        1 => Just(Act::Expire),
        1 => Just(Act::Compact),
        1 => (0..6u8).prop_map(Act::Lag),
        1 => (0..4u8).prop_map(Act::FailList),
        1 => (0..4u8).prop_map(Act::FailWatch),
        1 => (0..8u8, any::<bool>()).prop_map(|(n, on)| Act::Poison(n, on)),
        1 => (1..9u8).prop_map(Act::AddHandler),
        1 => Just(Act::RemoveHandler),
        2 => Just(Act::Poll),
        1 => Just(Act::Bookmark),
        4 => (1..20_000u16).prop_map(Act::Wait),
    ]
}

fn some_fault(n: u8) -> Fault {
    match n {
        0 => Fault::Status(ApiStatus::new(410, "Expired", "")),
        1 => Fault::Status(ApiStatus::new(429, "TooManyRequests", "")),
        2 => Fault::Status(ApiStatus::new(500, "InternalError", "")),
        _ => Fault::Connect { refused: true, source: "connection refused".into() },
    }
}

/// Runs a history of changes and faults, and checks that everything converges afterwards.
async fn converge(acts: Vec<Act>, streaming: bool) -> Result<(), TestCaseError> {
    let reflector = ReflectorOptions::new().seed(3).streaming_list(streaming).on_error(|_| {});
    let rig = Rig::with(&["o0", "o1"], InformerOptions::new().reflector(reflector));
    let index = rig.informer.add_index("parity", |o: &ConfigMap| [(version(o) % 2).to_string()]);
    let index = index.unwrap();
    let mut handlers = vec![rig.handler()];
    let mut slow = rig.informer.events_with(HandlerOptions::new().backlog(2)).unwrap();
    let mut slow_fold = Fold::default();
    rig.informer.start().unwrap();
    let mut poisoned = BTreeSet::new();
    for act in acts {
        match act {
            Act::Put(n) => drop(rig.source.put(object(&format!("o{n}")))),
            Act::Delete(n) => drop(rig.source.delete(&key(&format!("o{n}")))),
            Act::Disconnect(broken) => {
                rig.source.end_watches(if broken { WatchEnd::Broken } else { WatchEnd::Ordinary });
            }
            Act::Expire => {
                rig.source.end_watches(WatchEnd::Failed(ApiStatus::new(410, "Expired", "")));
            }
            Act::Compact => rig.source.compact(),
            Act::Lag(n) => rig.source.set_lag(n.into()),
            Act::FailList(n) => rig.source.fail_list(some_fault(n)),
            Act::FailWatch(n) => rig.source.fail_watch(some_fault(n)),
            Act::Poison(n, on) => {
                let key = key(&format!("o{n}"));
                rig.source.set_poisoned(&key, on);
                if on {
                    poisoned.insert(key)
                } else {
                    poisoned.remove(&key)
                };
            }
            Act::AddHandler(backlog) => {
                let fold = Fold::default();
                let options = HandlerOptions::new().backlog(backlog.into());
                let added = rig.informer.add_handler_with(fold.clone(), options).unwrap();
                handlers.push((fold, added));
            }
            Act::RemoveHandler => {
                if handlers.len() > 1 {
                    let (fold, registration) = handlers.remove(1);
                    registration.remove_and_wait().await;
                    prop_assert!(fold.0.lock().wrong.is_empty(), "{:?}", fold.0.lock().wrong);
                }
            }
            Act::Poll => {
                if let Some(Some(event)) = futures::FutureExt::now_or_never(slow.next()) {
                    slow_fold.on_event(event);
                }
            }
            Act::Bookmark => rig.source.send_bookmark(),
            Act::Wait(ms) => tokio::time::sleep(Duration::from_millis(ms.into())).await,
        }
        let snapshot = rig.informer.snapshot();
        for parity in ["0", "1"] {
            let by_index: BTreeSet<_> = snapshot.indexed(&index, parity).map(|(k, _)| k).collect();
            let by_scan: BTreeSet<_> = snapshot
                .iter()
                .filter(|(_, o)| (version(o) % 2).to_string() == parity)
                .map(|(k, _)| k)
                .collect();
            prop_assert_eq!(by_index, by_scan, "a snapshot mixes two moments");
        }
    }
    // The faults stop. Undecodable objects are written again, so that the informer sees them.
    rig.source.set_lag(0);
    for key in poisoned {
        rig.source.set_poisoned(&key, false);
        if rig.source.objects().contains_key(&key) {
            rig.source.put(object(key.name()));
        }
    }
    // Only an open watch can be ended. The relist finds objects that were healed without a write.
    seconds(120).await;
    rig.source.end_watches(WatchEnd::Failed(ApiStatus::new(410, "Expired", "")));
    seconds(600).await;
    let source = rig.source.objects();
    let snapshot = rig.informer.snapshot();
    let stored: BTreeMap<_, _> =
        snapshot.iter().map(|(key, object)| (key.clone(), object.clone())).collect();
    prop_assert_eq!(&stored, &source, "the store differs from the source");
    prop_assert!(rig.informer.has_synced());
    prop_assert_eq!(rig.informer.status().stale, 0);
    while let Some(Some(event)) = futures::FutureExt::now_or_never(slow.next()) {
        slow_fold.on_event(event);
    }
    handlers.push((slow_fold, handlers[0].1.clone()));
    for (fold, registration) in &handlers {
        prop_assert!(registration.has_synced());
        let folded = fold.0.lock();
        prop_assert!(folded.wrong.is_empty(), "{:?}", folded.wrong);
        prop_assert_eq!(&folded.objects, &stored, "the events do not fold to the store");
    }
    rig.informer.shutdown().await;
    prop_assert_eq!(rig.source.open_watches(), 0);
    Ok(())
}

proptest! {
    #![proptest_config(crate::seeds::cases(300))]

    #[test]
    fn any_history_converges(
        acts in proptest::collection::vec(act(), 0..60),
        streaming in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(converge(acts, streaming))?;
    }
}
