//! Tracked work: a stop names it, and a try that has ended takes none.

use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::controller::ControllerError;
use kube_controllers::manager::ManagerError;
use kube_controllers::{Action, Controller, LeaderElector, Manager, ReconcileRequest};
use kube_informer::testing::ApiServer;
use parking_lot::Mutex;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

/// The reconcile ends, and leaves a task that does not.
async fn leave_a_task(request: ReconcileRequest<ConfigMap>) -> Result<Action, Infallible> {
    request.spawn(pending::<()>());
    Ok(Action::done())
}

fn unfinished(ended: Result<(), ControllerError>) -> Vec<String> {
    let Err(ControllerError::Unfinished { keys, .. }) = ended else { panic!("{ended:?}") };
    keys.iter().map(ToString::to_string).collect()
}

#[tokio::test(start_paused = true)]
async fn stop_names_the_key_of_dropped_tasks() {
    // The elector drops the work before the grace is over, or does not.
    for (grace, took) in [(None, 5), (Some(60 * S), 5), (Some(3 * S), 3)] {
        let server = server_with(&["a"]);
        let maps = factory(&server).informer::<ConfigMap>();
        let mut builder = Controller::builder("leaving", &maps).grace(5 * S);
        if let Some(limit) = grace {
            let elector = LeaderElector::builder(server.client(), "shop", "x").grace(limit);
            builder = builder.leader_election(elector.build().unwrap());
        }
        let (controller, stop) = (builder.build(), CancellationToken::new());
        let handle = controller.handle();
        let running = spawn(controller.run(stop.clone(), leave_a_task));
        sleep(10 * S).await;
        assert_eq!(handle.status().reconciling, ["shop/a"]);
        stop.cancel();
        let stopped = Instant::now();
        assert_eq!(unfinished(running.await.unwrap()), ["shop/a"]);
        assert_eq!(stopped.elapsed().as_secs(), took);
        assert!(handle.status().reconciling.is_empty(), "it was dropped");
    }
}

#[tokio::test(start_paused = true)]
async fn manager_names_the_key_of_dropped_tasks() {
    for leads in [false, true] {
        let server = server_with(&["a"]);
        let factory = factory(&server);
        let maps = factory.informer::<ConfigMap>();
        let controller = Controller::builder("leaving", &maps).grace(5 * S).build();
        let mut manager = Manager::builder(&factory).controller(controller, leave_a_task);
        if leads {
            let elector = LeaderElector::builder(server.client(), "shop", "x").build().unwrap();
            manager = manager.leader_election(elector);
        }
        let stop = CancellationToken::new();
        let running = spawn(manager.build().unwrap().run_until(stop.clone()));
        sleep(10 * S).await;
        stop.cancel();
        let ended = running.await.unwrap();
        let Err(ManagerError::Controller(ended)) = ended else { panic!("{ended:?}") };
        assert_eq!(unfinished(Err(ended)), ["shop/a"]);
    }
}

#[tokio::test(start_paused = true)]
async fn ended_try_refuses_every_kind_of_work() {
    let (log, server) = (log::Log::default(), ApiServer::new());
    let _installed = log.install(tracing::Level::WARN);
    server.create(&map("a", "1")).unwrap();
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("leaking", &maps).build();
    let (handle, stop) = (controller.handle(), CancellationToken::new());
    let leaked = Arc::new(Mutex::new(None));
    let leaks = leaked.clone();
    let running = spawn(controller.run(stop.clone(), move |request| {
        *leaks.lock() = Some(request);
        async { Ok::<_, Infallible>(Action::done()) }
    }));
    sleep(S).await;
    let request = leaked.lock().take().unwrap();
    let ran = Log::new();
    let runs = ran.clone();
    let refused = request.spawn_blocking(move || runs.add("a closure"));
    assert!(refused.await.unwrap().is_none());
    let runs = ran.clone();
    assert!(request.spawn(async move { runs.add("a task") }).await.unwrap().is_none());
    let guard = request.guard();
    assert!(!guard.holds());
    assert_eq!(ran.take(), <[&str; 0]>::default());
    let text = log.text();
    assert_eq!(text.matches("has ended").count(), 3, "{text}");
    assert_eq!(text.matches(r#"owner="leaking" key=shop/a"#).count(), 3, "{text}");
    stop.cancel();
    running.await.unwrap().unwrap();
    assert!(handle.status().reconciling.is_empty());
    drop(guard);
}

/// A try that timed out takes guards as long as something holds its key.
#[tokio::test(start_paused = true)]
async fn guard_within_tracked_work_still_counts() {
    let server = server_with(&["a"]);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("guarding", &maps).timeout(S).build();
    let (handle, stop, held) = (controller.handle(), CancellationToken::new(), Log::new());
    let holds = held.clone();
    let running = spawn(controller.run(stop.clone(), move |request| {
        let guard = request.guard();
        let holds = holds.clone();
        spawn(async move {
            sleep(10 * S).await;
            let second = request.guard();
            holds.add(second.holds());
            drop(guard);
            sleep(10 * S).await;
            drop(second);
        });
        pending::<Result<Action, Infallible>>()
    }));
    held.reaches(1).await;
    sleep(5 * S).await;
    assert_eq!(handle.status().reconciling, ["shop/a"]);
    assert_eq!(held.take(), [true]);
    stop.cancel();
    sleep(60 * S).await;
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn dropped_run_drops_tracked_tasks() {
    for managed in [false, true] {
        let server = server_with(&["a"]);
        let factory = factory(&server);
        let maps = factory.informer::<ConfigMap>();
        let controller = Controller::builder("leaving", &maps).build();
        let (turns, stop) = (Log::new(), CancellationToken::new());
        let turning = turns.clone();
        let leave = move |request: ReconcileRequest<ConfigMap>| {
            let turns = turning.clone();
            request.spawn(async move {
                loop {
                    turns.add(());
                    sleep(S).await;
                }
            });
            async { Ok::<_, Infallible>(Action::done()) }
        };
        if managed {
            let manager = Manager::builder(&factory).controller(controller, leave).build().unwrap();
            let running = spawn(manager.run_until(stop));
            turns.reaches(5).await;
            running.abort();
        } else {
            let running = spawn(controller.run(stop, leave));
            turns.reaches(5).await;
            running.abort();
        }
        sleep(S).await;
        turns.take();
        sleep(60 * S).await;
        assert_eq!(turns.len(), 0, "managed: {managed}");
    }
}

#[tokio::test(start_paused = true)]
async fn timeout_drops_tasks_that_outlive_their_reconcile() {
    let server = server_with(&["a"]);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("leaving", &maps).timeout(5 * S).build();
    let (handle, stop) = (controller.handle(), CancellationToken::new());
    let running = spawn(controller.run(stop.clone(), |request| async move {
        if request.failures == 0 {
            request.spawn(pending::<()>());
        }
        Ok::<_, Infallible>(Action::done())
    }));
    sleep(60 * S).await;
    let status = handle.status();
    assert!(status.reconciling.is_empty());
    assert_eq!((status.timed_out, status.succeeded), (1, 2), "counted when they returned, too");
    stop.cancel();
    running.await.unwrap().unwrap();
}
