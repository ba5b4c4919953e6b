//! An informer taken by interest ends with its last guard, and leaves nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::factory::Interest;
use kube_informer::factory::SpecError;
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer::{InformerSpec, SharedInformerFactory};
use parking_lot::Mutex;
use tokio::task::yield_now;
use tokio::time::sleep;

use crate::helpers::{S, factory, factory_of, map_in, until};
use crate::watches::Watches;

const SOON: std::time::Duration = S.saturating_mul(30);

fn maps() -> InformerSpec<ConfigMap> {
    InformerSpec::new()
}

fn tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

async fn take(factory: &SharedInformerFactory) -> Interest<ConfigMap> {
    let interest = factory.interest(maps()).unwrap();
    factory.start().unwrap();
    interest.wait_for_sync(SOON).await.unwrap();
    interest
}

#[tokio::test(start_paused = true)]
async fn factory_keeps_informer_that_is_also_requested() {
    let server = ApiServer::new();
    let factory = factory(&server);
    let interest = take(&factory).await;
    let kept = factory.informer::<ConfigMap>();
    drop(interest);
    drop(factory.interest(maps()).unwrap());
    sleep(S).await;
    assert!(kept.has_synced() && !kept.is_stopped());
    assert_eq!(factory.status().informers.len(), 1, "the same informer, requested in either order");
    let interest = factory.interest(maps()).unwrap();
    assert!(factory.remove(&kept).await);
    assert!(interest.is_stopped(), "a removal is for every holder");
    let again = take(&factory).await;
    drop(interest);
    assert!(!again.is_stopped(), "a guard of the removed informer holds nothing");
    drop(again);
    assert!(factory.status().informers.is_empty());
}

#[tokio::test(start_paused = true)]
async fn refused_request_holds_nothing() {
    let factory = factory(&ApiServer::new());
    let interest = factory.interest(maps().page_size(10)).unwrap();
    let other = || maps().page_size(20);
    assert!(matches!(factory.interest(other()), Err(SpecError::Conflict { .. })));
    assert!(matches!(factory.informer_with(other()), Err(SpecError::Conflict { .. })));
    drop(interest);
    assert!(factory.status().informers.is_empty());
    drop(factory.interest(other()).unwrap());
}

#[tokio::test(start_paused = true)]
async fn guards_outlive_their_factory() {
    let server = ApiServer::new();
    let watches = Watches::default();
    let factory = factory_of(watches.count(server.client()));
    let (interest, kept) = (take(&factory).await, factory.in_namespaces::<ConfigMap>(["shop"]));
    let guard = factory.interest(maps().namespace("shop")).unwrap();
    factory.start().unwrap();
    drop(factory);
    drop(guard);
    sleep(S).await;
    assert!(!interest.is_stopped() && !kept.informers()[0].is_stopped());
    let handle = (*interest).clone();
    drop(interest);
    assert!(handle.is_stopped());
    drop(kept);
    until("the end of the watches", || watches.open() == 0).await;
}

#[tokio::test(start_paused = true)]
async fn handler_may_drop_the_last_guard() {
    let server = ApiServer::new();
    server.create(&map_in("shop", "a")).unwrap();
    let factory = factory(&server);
    let (before, interest) = (tasks(), factory.interest(maps()).unwrap());
    let slot = Arc::new(Mutex::new(None));
    let taken = slot.clone();
    interest.on_event(move |_| drop(taken.lock().take())).unwrap();
    *slot.lock() = Some(interest);
    factory.start().unwrap();
    until("the end of the tasks", || tasks() == before).await;
    assert!(slot.lock().is_none() && factory.status().informers.is_empty());
}

#[tokio::test(start_paused = true)]
async fn guard_dropped_in_mid_list_ends_the_list() {
    let server = ApiServer::new();
    for name in 0..50 {
        server.create(&map_in("shop", &format!("map-{name}"))).unwrap();
    }
    let faults = Faults::new();
    faults.inject(Requests::lists(), Injection::drip(100, S));
    let factory = factory_of(faults.client(server.client()));
    let before = tasks();
    let interest = factory.interest(maps()).unwrap();
    factory.start().unwrap();
    sleep(20 * S).await;
    assert!(!interest.has_synced());
    drop(interest);
    until("the end of the tasks", || tasks() == before).await;
    faults.clear();
    let again = take(&factory).await;
    assert_eq!(again.lister().len(), 50);
}

/// Threads that take and drop the same interest: a guard never reads stopped.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn asker_never_gets_a_dying_informer() {
    let server = ApiServer::new();
    let factory = factory(&server);
    let (before, ended) = (tasks(), AtomicBool::new(false));
    let runtime = tokio::runtime::Handle::current();
    thread::scope(|scope| {
        for thread in 0..4 {
            let (factory, ended, runtime) = (&factory, &ended, &runtime);
            scope.spawn(move || {
                let _runtime = runtime.enter();
                for round in 0..2_000 {
                    let interest = factory.interest(maps()).unwrap();
                    assert!(!interest.is_stopped(), "{thread} {round}");
                    if round % 16 == 0 {
                        factory.start().unwrap();
                    }
                    let other = interest.clone();
                    drop(interest);
                    assert!(!other.is_stopped(), "{thread} {round}");
                }
                ended.store(true, Ordering::Relaxed);
            });
        }
    });
    assert!(ended.load(Ordering::Relaxed) && factory.status().informers.is_empty());
    factory.shutdown().await;
    while tasks() > before {
        yield_now().await;
    }
}
