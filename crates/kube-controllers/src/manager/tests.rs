//! Unit tests of code that cannot be reached from outside: signals without a process.

use std::future::pending;
use std::time::Duration;

use super::*;
use crate::controller::BoxError;
use kube_informer::testing::ApiServer;

const S: Duration = Duration::from_secs(1);

fn stubborn() -> Manager {
    let factory = SharedInformerFactory::builder(ApiServer::new().client()).build();
    Manager::builder(&factory)
        .task_on_every_replica("stubborn", |_| async {
            pending::<()>().await;
            Ok::<_, BoxError>(())
        })
        .task_on_every_replica("obedient", |scope| async move {
            scope.token().cancelled().await;
            Ok::<_, BoxError>(())
        })
        .build()
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn second_signal_ends_at_once() {
    let stops = Stops::default();
    let manager = stubborn();
    let handle = manager.handle();
    let running = tokio::spawn(manager.run_with(stops.clone()));
    tokio::time::sleep(S).await;
    stops.graceful.cancel();
    tokio::time::sleep(S).await;
    assert_eq!(handle.status().phase, ManagerPhase::Stopping);
    stops.at_once.cancel();
    let began = tokio::time::Instant::now();
    let error = running.await.unwrap().unwrap_err();
    assert!(began.elapsed() < S);
    assert_eq!(error.to_string(), "ended at once by a second signal, before stubborn");
    assert_eq!(handle.status().phase, ManagerPhase::Stopped);
}

#[tokio::test(start_paused = true)]
async fn signal_during_the_sync_ends_it() {
    let stops = Stops::default();
    stops.graceful.cancel();
    stubborn().run_with(stops).await.unwrap();
}
