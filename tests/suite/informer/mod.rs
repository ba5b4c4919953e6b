//! Tests of an informer over a fake source.

mod histories;
mod lifecycle;
mod moving;
mod spans;
mod taps;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::error::{ApiStatus, Fault};
use kube_informer::informer::{ReadBarrier, StartError};
use kube_informer::reflector::ReflectorOptions;
use kube_informer::testing::{FakeSource, WatchEnd};
use kube_informer::{
    Event, EventHandler, HandlerOptions, HandlerRegistration, InformerOptions, ObjectKey,
    SharedInformer,
};
use parking_lot::Mutex;

use crate::named::{key, list_mode, object, seconds, settle};

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
            Event::MovedAway { .. } => {
                let had = objects.remove(&key);
                had.is_none()
                    .then(|| wrong.push(format!("moved {key}, which was never delivered")));
                format!(">{key}")
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

fn some_fault(n: u8) -> Fault {
    match n {
        0 => Fault::Status(ApiStatus::new(410, "Expired", "")),
        1 => Fault::Status(ApiStatus::new(429, "TooManyRequests", "")),
        2 => Fault::Status(ApiStatus::new(500, "InternalError", "")),
        _ => Fault::Connect { refused: true, source: "connection refused".into() },
    }
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
    seconds(60.0).await;
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
    seconds(10.0).await;
    assert_eq!(plain.log(), ["!a", "!b"]);
    assert_eq!(resyncing.log(), ["!a", "!b", ".a", ".b"]);
    assert!(Arc::ptr_eq(&before, &rig.informer.lister().get("a").unwrap()));
}

/// One object has the same version as before the backup was restored, but another state.
#[tokio::test(start_paused = true)]
async fn restored_backup_replaces_newer_versions() {
    for streaming in [false, true] {
        let options = InformerOptions::new()
            .reflector(ReflectorOptions::new().list_mode(list_mode(streaming)));
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
        seconds(120.0).await;
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
    seconds(150.0).await;
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
    seconds(121.0).await;
    let resyncs = |fold: &Fold| fold.log().iter().filter(|text| *text == ".a").count();
    assert_eq!((resyncs(&default), resyncs(&never), resyncs(&slower)), (4, 0, 2));
    assert_eq!(resyncs(&raised), 4, "a later, shorter period is raised to the informer's");
    assert_eq!(rig.source.requests().len(), 2, "a resync does not touch the server");
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
    seconds(10.0).await;
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
