//! An informer runs until it is removed: for its controller, too, and without a trace.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::{Action, Controller, ReconcileRequest};
use kube_informer::informer::StartError;
use kube_informer::testing::ApiServer;
use tokio_util::sync::CancellationToken;

use crate::helpers::{factory, map_in, spawn};

const SOON: Duration = Duration::from_secs(30);

async fn nothing(_: ReconcileRequest<ConfigMap>) -> Result<Action, std::io::Error> {
    Ok(Action::done())
}

#[tokio::test(start_paused = true)]
async fn every_holder_of_removed_informer_reads_stopped() {
    let server = ApiServer::new();
    server.create(&map_in("shop", "a")).unwrap();
    let factory = factory(&server);
    let (one, two) = (factory.informer::<ConfigMap>(), factory.informer::<ConfigMap>());
    let handler = Arc::new(());
    let held = handler.clone();
    let _registration = one.on_event(move |_| drop(held.clone())).unwrap();
    let mut events = two.events().unwrap();
    let controller = Controller::builder("maps", &two).build();
    let running = spawn(controller.run(CancellationToken::new(), nothing));
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    assert!(events.next().await.is_some());

    assert!(factory.remove(&one).await);
    assert!(two.is_stopped() && two.status().stopped && two.lister().is_stopped());
    assert_eq!(two.start(), Err(StartError::Stopped));
    assert!(two.on_event(|_| {}).is_err());
    assert_eq!(Arc::strong_count(&handler), 1, "the handler is dropped");
    assert!(events.next().await.is_none(), "the stream ends");
    let ended = running.await.unwrap().unwrap_err().to_string();
    let why = "controller maps: its informer of configmaps: the informer was stopped; ask for a \
               new one, or keep its factory";
    assert_eq!(ended, why);
    assert!(two.lister().namespace("shop").get("a").is_ok(), "the last state stays readable");
    assert!(factory.status().informers.is_empty());

    let again = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    assert!(again.has_synced() && !again.is_stopped());
    assert!(!factory.remove(&one).await, "it is not the factory's any more");
    assert!(!again.is_stopped());
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn thousand_removals_leave_nothing() {
    let server = ApiServer::new();
    let factory = factory(&server);
    let recorder = kube_controllers::manager::serve::Prometheus::new();
    let _installed = metrics::set_default_local_recorder(&recorder);
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let before = tasks();
    let mut last = None;
    for _ in 0..1_000 {
        let maps = factory.informer::<ConfigMap>();
        maps.on_event(|_| {}).unwrap();
        factory.start().unwrap();
        maps.wait_for_sync(SOON).await.unwrap();
        assert!(factory.remove(&maps).await);
        last = Some(maps);
    }
    assert_eq!((tasks(), factory.status().informers.len()), (before, 0));
    {
        let left = recorder.render();
        let left: Vec<_> = left.lines().filter(|line| line.contains("configmaps")).collect();
        assert_eq!(left, [""; 0], "a handle is still held, and no series is");
    }
    drop(last);
}
