//! A task that ends by itself stops its informer, and says why; user code in `Drop` ends no task.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::error::ApiStatus;
use kube_informer::reflector::ReflectorState;
use kube_informer::testing::{ApiServer, WatchEnd};
use kube_informer::{CachedEvent, EventHandler, HandlerOptions, ObjectKey, SharedInformerFactory};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Dispatch, Metadata, Subscriber};

use super::bombs::{Bomb, Bombs};
use super::{SOON, filled, key, object, settle};
use crate::helpers::{informer_of, spawn};

/// Follows versions by key, as a handler that never takes hold of an object.
fn follow(bombs: &Bombs, options: HandlerOptions) -> Arc<Mutex<Vec<ObjectKey>>> {
    struct Keys(Arc<Mutex<Vec<ObjectKey>>>);
    impl EventHandler<Bomb> for Keys {
        fn on_cached_event(&mut self, key: &ObjectKey, _event: CachedEvent<Bomb>) {
            self.0.lock().unwrap().push(key.clone());
        }
    }
    let told = Arc::new(Mutex::new(Vec::new()));
    bombs.informer.add_handler_with(Keys(told.clone()), options).unwrap();
    told
}

#[tokio::test(start_paused = true)]
async fn drops_that_panic_are_counted_and_stop_nothing() {
    for count in [21, 300] {
        let bombs = Bombs::start(count).await;
        let told = follow(&bombs, HandlerOptions::new());
        // It merges states that nobody hears of.
        let mut slow = bombs.informer.events_with(HandlerOptions::new().backlog(1)).unwrap();
        settle().await;
        bombs.arm(true);
        bombs.put_all();
        bombs.put_all();
        bombs.informer.wait_for(&bombs.source.version().into(), SOON).await.unwrap();
        settle().await;
        // Everything changes in a list, and some of it is gone.
        bombs.source.delete(&ObjectKey::cluster("b0").unwrap());
        bombs.put_all();
        bombs.source.delete(&ObjectKey::cluster("b1").unwrap());
        bombs.source.compact();
        bombs.source.end_watches(WatchEnd::Failed(ApiStatus::new(410, "Expired", "")));
        bombs.informer.wait_for(&bombs.source.version().into(), SOON).await.unwrap();
        settle().await;
        let status = bombs.informer.status();
        assert_eq!((status.objects, status.queued), (count - 1, 0), "{status:?}");
        assert!(status.synced && !status.stopped && status.failure.is_none(), "{status:?}");
        assert!(status.drop_faults > 0, "{status:?}");
        assert!(told.lock().unwrap().len() >= 2 * count, "{}", told.lock().unwrap().len());
        drop(bombs.informer.events().unwrap());
        for _ in 0..10 {
            std::mem::forget(slow.next().await.unwrap());
        }
        drop(slow);
        bombs.informer.shutdown().await;
        bombs.arm(false);
    }
}

#[tokio::test(start_paused = true)]
async fn untaken_events_are_dropped_one_by_one() {
    let bombs = Bombs::start(50).await;
    let slow = bombs.informer.events().unwrap();
    bombs.put_all();
    bombs.informer.wait_for(&bombs.source.version().into(), SOON).await.unwrap();
    bombs.put_all();
    bombs.informer.wait_for(&bombs.source.version().into(), SOON).await.unwrap();
    settle().await;
    bombs.arm(true);
    drop(slow);
    assert!(!bombs.informer.is_stopped());
    bombs.put_all();
    bombs.informer.shutdown().await;
    assert!(bombs.informer.failure().is_none());
    bombs.arm(false);
}

/// A handler whose `Drop` panics.
struct Fragile(Arc<AtomicUsize>);

impl EventHandler<ConfigMap> for Fragile {
    fn on_add(&mut self, _object: Arc<ConfigMap>, _initial: bool) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Fragile {
    fn drop(&mut self) {
        panic!("a handler's drop panics");
    }
}

#[tokio::test(start_paused = true)]
async fn handler_whose_drop_panics_is_removed_alone() {
    let source = filled(3);
    let informer = informer_of(&source);
    let calls = Arc::new(AtomicUsize::new(0));
    let early = informer.add_handler(Fragile(calls.clone())).unwrap();
    informer.start().unwrap();
    assert!(early.wait_for_sync().await);
    early.remove_and_wait().await;
    let late = informer.add_handler(Fragile(calls.clone())).unwrap();
    assert!(late.wait_for_sync().await);
    source.put(object("another"));
    informer.wait_for(&source.version().into(), SOON).await.unwrap();
    assert!(!informer.is_stopped());
    informer.shutdown().await;
    late.remove_and_wait().await;
    assert_eq!(calls.load(Ordering::Relaxed), 7);
    assert!(informer.failure().is_none());

    let idle = informer_of(&source);
    idle.add_handler(Fragile(calls.clone())).unwrap();
    idle.add_handler(Fragile(calls)).unwrap();
    idle.shutdown().await;
    assert!(idle.is_stopped());
}

/// Panics where the processing begins a batch.
struct PanickingSubscriber;

impl Subscriber for PanickingSubscriber {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        assert_ne!(span.metadata().name(), "batch", "the subscriber panics");
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &tracing::Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// Makes spans of batches panic on this thread.
fn failing() -> DefaultGuard {
    // While there is one subscriber only, `tracing` asks for a span's interest on whichever thread
    // meets it first, and some of those have none.
    static OTHER: OnceLock<Dispatch> = OnceLock::new();
    OTHER.get_or_init(|| Dispatch::new(PanickingSubscriber));
    tracing::subscriber::set_default(PanickingSubscriber)
}

#[tokio::test(start_paused = true)]
async fn panicking_task_stops_its_informer_with_cause() {
    let source = filled(3);
    let informer = informer_of(&source);
    let registration = informer.on_event(|_| {}).unwrap();
    let mut events = informer.events().unwrap();
    let failing = failing();
    informer.start().unwrap();
    let synced = informer.wait_for_sync(SOON).await;
    drop(failing);

    let text = synced.unwrap_err().to_string();
    assert!(text.contains("the subscriber panics"), "{text}");
    assert!(informer.is_stopped() && !informer.has_synced());
    let failure = informer.failure().unwrap();
    assert_eq!(failure.task, "processing");
    let status = informer.status();
    assert_eq!(status.failure, Some(failure));
    assert!(status.stopped && !status.synced, "{status:?}");
    assert_eq!(status.reflector.state, ReflectorState::Stopped);
    assert!(!registration.wait_for_sync().await);
    assert!(events.next().await.is_none());
    assert!(informer.on_event(|_| {}).is_err());
    let unreached = informer.wait_for(&source.version().into(), SOON).await.unwrap_err();
    assert!(unreached.stopped && unreached.to_string().contains("stopped"), "{unreached}");
    assert!(!informer.shutdown_with_drain(SOON).await);
    assert_eq!(source.open_watches(), 0);
}

#[tokio::test]
async fn factory_replaces_a_failed_informer() {
    let factory = SharedInformerFactory::builder(ApiServer::new().client()).build();
    let first = factory.informer::<ConfigMap>();
    {
        let _failing = failing();
        factory.start().unwrap();
        let error = factory.wait_for_sync(SOON).await.unwrap_err();
        assert!(error.to_string().contains("the subscriber panics"), "{error}");
    }
    assert!(first.is_stopped());
    let second = factory.informer::<ConfigMap>();
    assert!(!second.is_stopped());
    second.start().unwrap();
    second.wait_for_sync(SOON).await.unwrap();
    second.shutdown().await;
}

#[test]
fn informer_whose_runtime_is_gone_is_stopped() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let source = filled(3);
    let informer = informer_of(&source);
    let first = runtime();
    first.block_on(async {
        informer.start().unwrap();
        informer.wait_for_sync(SOON).await.unwrap();
    });
    drop(first);
    assert!(informer.is_stopped() && !informer.has_synced());
    runtime().block_on(async {
        let text = informer.wait_for_sync(SOON).await.unwrap_err().to_string();
        assert!(text.contains("its runtime was shut down"), "{text}");
        assert!(informer.on_event(|_| {}).is_err());
        informer.shutdown().await;
        assert!(informer.wait_for(&99.into(), SOON).await.unwrap_err().stopped);
    });
    assert!(informer.lister().get(key("map-1").name()).is_ok(), "the store stays readable");
}

#[tokio::test(start_paused = true)]
async fn stop_that_was_asked_for_is_no_failure() {
    let informer = informer_of(&filled(3));
    informer.start().unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    let stopped = spawn({
        let informer = informer.clone();
        async move { informer.stopped().await }
    });
    informer.shutdown().await;
    stopped.await.unwrap();
    let status = informer.status();
    assert!(status.stopped && status.failure.is_none(), "{status:?}");
    assert_eq!(status.reflector.state, ReflectorState::Stopped);
}
