//! Work that a reconcile tracks: its key, the lease and the stop wait for it.

use std::convert::Infallible;
use std::future::pending;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube_controllers::controller::ControllerError;
use kube_controllers::leader_election::ScopeGuard;
use kube_controllers::{Action, Controller, LeaderElector};
use kube_informer::testing::ApiServer;
use tokio::sync::mpsc;
use tokio::time::{Instant, advance, sleep};
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

#[tokio::test(start_paused = true)]
async fn timed_out_key_waits_for_tracked_work() {
    let server = server_with(&["a"]);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("tracking", &maps).timeout(S).build();
    let (handle, stop, log) = (controller.handle(), CancellationToken::new(), Log::new());
    let (sender, mut guards) = mpsc::unbounded_channel::<(ScopeGuard, CancellationToken)>();
    let noted = log.clone();
    let running = spawn(controller.run(stop.clone(), move |request| {
        let (log, sender) = (noted.clone(), sender.clone());
        async move {
            log.add(request.key.name().to_owned());
            if request.key == key("a") {
                sender.send((request.guard(), request.stop.clone())).unwrap();
                pending::<()>().await;
            }
            Ok::<_, Infallible>(Action::done())
        }
    }));
    let (guard, told) = guards.recv().await.unwrap();
    sleep(2 * S).await;
    assert!(told.is_cancelled(), "the try has ended");
    server.replace(&map("a", "2")).unwrap();
    server.create(&map("b", "1")).unwrap();
    sleep(600 * S).await;
    assert_eq!(log.take(), ["a", "b"], "the only worker goes on, with other keys");
    assert_eq!(handle.status().reconciling, ["shop/a"]);
    assert_eq!(handle.status().timed_out, 1);
    drop(guard);
    let (guard, _) = guards.recv().await.unwrap();
    assert_eq!(log.take(), ["a"]);
    drop(guard);
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn timeout_drops_tasks_of_the_request() {
    let server = server_with(&["a"]);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("tracking", &maps).timeout(S).build();
    let (handle, stop, log) = (controller.handle(), CancellationToken::new(), Log::new());
    let noted = log.clone();
    let running = spawn(controller.run(stop.clone(), move |request| {
        noted.add(());
        let task = request.spawn(pending::<()>());
        async move {
            let _request = request;
            task.await.unwrap();
            Ok::<_, Infallible>(Action::done())
        }
    }));
    log.reaches(3).await;
    assert!(handle.status().timed_out >= 2);
    stop.cancel();
    running.await.unwrap().unwrap();
}

async fn holder(server: &ApiServer) -> String {
    let lease: Lease = Api::namespaced(server.client(), "shop").get("x").await.unwrap();
    lease.spec.unwrap().holder_identity.unwrap()
}

#[tokio::test(start_paused = true)]
async fn lease_waits_for_blocking_code_at_stop() {
    let server = server_with(&["a"]);
    let maps = factory(&server).informer::<ConfigMap>();
    let elector =
        LeaderElector::builder(server.client(), "shop", "x").identity("me").build().unwrap();
    let controller = Controller::builder("tracking", &maps).leader_election(elector).build();
    let (stop, (begun, mut begins)) = (CancellationToken::new(), mpsc::unbounded_channel());
    let (unblock, blocked) = std::sync::mpsc::channel::<()>();
    let blocked = std::sync::Arc::new(parking_lot::Mutex::new(Some(blocked)));
    let running = spawn(controller.run(stop.clone(), move |request| {
        let (blocked, begun) = (blocked.lock().take(), begun.clone());
        async move {
            let closure = request.spawn_blocking(move || {
                begun.send(()).unwrap();
                blocked.map(|blocked| blocked.recv())
            });
            // The reconcile does not wait for it.
            tokio::select! {
                ended = closure => drop(ended.unwrap()),
                () = request.stop.cancelled() => {}
            }
            Ok::<_, Infallible>(Action::done())
        }
    }));
    begins.recv().await.unwrap();
    stop.cancel();
    // Time stands still while a closure blocks, unless the test moves it.
    for _ in 0..50 {
        advance(100 * MS).await;
        tokio::task::yield_now().await;
    }
    assert!(!running.is_finished());
    assert_eq!(holder(&server).await, "me");
    unblock.send(()).unwrap();
    running.await.unwrap().unwrap();
    assert_eq!(holder(&server).await, "");
}

#[tokio::test(start_paused = true)]
async fn unfinished_keys_name_tracked_work() {
    let server = server_with(&["a"]);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("tracking", &maps).grace(5 * S).build();
    let stop = CancellationToken::new();
    let (sender, mut guards) = mpsc::unbounded_channel::<ScopeGuard>();
    let running = spawn(controller.run(stop.clone(), move |request| {
        sender.send(request.guard()).unwrap();
        async { Ok::<_, Infallible>(Action::done()) }
    }));
    let guard = guards.recv().await.unwrap();
    sleep(S).await;
    let stopped = Instant::now();
    stop.cancel();
    let ended = running.await.unwrap();
    let Err(ControllerError::Unfinished { keys, .. }) = ended else { panic!("{ended:?}") };
    assert_eq!(keys, [key("a")]);
    assert_eq!(stopped.elapsed().as_secs(), 5);
    drop(guard);
}
