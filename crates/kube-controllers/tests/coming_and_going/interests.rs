//! An informer taken by interest ends with its last guard, for its controller and its figures, too.

use std::sync::Arc;
use std::thread;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::controller::Action;
use kube_controllers::{Controller, ReconcileRequest};
use kube_informer::informer::StartError;
use kube_informer::lister::StoreState;
use kube_informer::testing::ApiServer;
use kube_informer::{InformerSpec, Storage};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::helpers::{S, factory_of, map_in, spawn, until};
use crate::references::tasks;
use crate::watches::Watches;

const SOON: std::time::Duration = S.saturating_mul(30);

#[tokio::test(start_paused = true)]
async fn informer_ends_with_its_last_guard() {
    let server = ApiServer::new();
    server.create(&map_in("shop", "a")).unwrap();
    let watches = Watches::default();
    let factory = factory_of(watches.count(server.client()));
    let before = tasks();
    let spec = InformerSpec::<ConfigMap>::new().storage(Storage::decoded());
    let (one, two) = (factory.interest(spec.clone()).unwrap(), factory.interest(spec).unwrap());
    let three = two.clone();
    factory.start().unwrap();
    let handler = Arc::new(());
    let held = handler.clone();
    let _registration = one.on_event(move |_| drop(held.clone())).unwrap();
    let by_name = one.add_index("name", |map: &ConfigMap| map.metadata.name.clone()).unwrap();
    let mut events = two.events().unwrap();
    let handle = (*one).clone();
    let running = Controller::builder("maps", &*one)
        .build()
        .run(CancellationToken::new(), |_: ReconcileRequest<ConfigMap>| async {
            Ok::<_, std::io::Error>(Action::done())
        });
    let running = spawn(running);
    one.wait_for_sync(SOON).await.unwrap();
    assert!(events.next().await.is_some());
    sleep(S).await;
    let object = Arc::downgrade(&handle.lister().namespace("shop").get("a").unwrap());

    drop((one, two));
    sleep(S).await;
    assert!(!three.is_stopped(), "a clone is a guard, too");
    assert_eq!((factory.status().informers.len(), watches.open()), (1, 1));
    thread::spawn(move || drop(three)).join().unwrap();
    assert!(handle.is_stopped() && factory.status().informers.is_empty());
    assert_eq!(handle.start(), Err(StartError::Stopped));
    assert!(events.next().await.is_none(), "the stream ends");
    let ended = running.await.unwrap().unwrap_err().to_string();
    assert!(ended.contains("the informer was stopped"), "{ended}");
    assert_eq!((watches.open(), tasks(), Arc::strong_count(&handler)), (0, before, 1));
    let missing = handle.lister().namespace("shop").get("b").unwrap_err();
    assert_eq!(missing.store, StoreState::Stopped);
    drop((handle, by_name, events));
    assert!(object.upgrade().is_none(), "the store is freed with the last handle");
}

#[tokio::test(start_paused = true)]
async fn thousand_interests_leave_nothing() {
    let server = ApiServer::new();
    server.create(&map_in("shop", "a")).unwrap();
    let watches = Watches::default();
    let factory = factory_of(watches.count(server.client()));
    let recorder = kube_controllers::manager::serve::Prometheus::new();
    let _installed = metrics::set_default_local_recorder(&recorder);
    let before = tasks();
    let mut last = None;
    for _ in 0..1_000 {
        let interest = factory.interest(InformerSpec::<ConfigMap>::new()).unwrap();
        factory.start().unwrap();
        interest.wait_for_sync(SOON).await.unwrap();
        interest.on_event(|_| {}).unwrap();
        assert_eq!((interest.lister().len(), watches.open() <= 1), (1, true));
        last = Some((*interest).clone());
    }
    until("the end of the tasks", || tasks() == before).await;
    assert_eq!((watches.open(), factory.status().informers.len()), (0, 0));
    {
        let left = recorder.render();
        let left: Vec<_> = left.lines().filter(|line| line.contains("configmaps")).collect();
        assert_eq!(left, [""; 0], "a handle is still held, and no series is");
    }
    factory.shutdown().await;
    drop(last);
}
