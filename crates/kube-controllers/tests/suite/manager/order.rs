//! The order of start and stop, and what ends the whole.

use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Secret;
use kube::api::Api;
use kube_controllers::Action;
use kube_controllers::controller::{Controller, Phase};
use kube_controllers::manager::{ManagerPhase, TaskState};

use super::*;
use crate::helpers::{S, server_with, spawn};

#[tokio::test(start_paused = true)]
async fn parts_start_and_stop_in_order() {
    let server = server_with(&["a"]);
    forbid(&server, "configmaps");
    let (factory, leading) = maps(&server, "leading");
    let always = Controller::builder("always", &factory.informer::<Secret>()).build();
    let (story, stop) = (Story::default(), CancellationToken::new());
    let [early, task, swept, reconciled] = [(); 4].map(|()| story.clone());
    let manager = Manager::builder(&factory)
        .leader_election(elector(server.client(), "one"))
        .controller(leading, move |request| {
            let story = reconciled.clone();
            async move {
                story.tell("reconcile begins");
                request.stop.cancelled().await;
                sleep(S).await;
                story.tell("reconcile ends");
                Ok::<_, Infallible>(Action::done())
            }
        })
        .controller_on_every_replica(always, |_| async { Ok::<_, Infallible>(Action::done()) })
        .task_before_sync("early", |scope| early.task("early", scope))
        .task_on_every_replica("task", |scope| task.task("task", scope))
        .task_while_leading("sweeper", move |scope| swept.clone().task("sweeper", scope))
        .build()
        .unwrap();
    let handle = manager.handle();
    assert_eq!(handle.status().phase, ManagerPhase::Idle);
    let running = spawn(manager.run_until(stop.clone()));
    sleep(30 * S).await;
    assert_eq!(story.told(), ["early begins"]);
    let status = handle.status();
    assert_eq!(status.phase, ManagerPhase::Syncing);
    let found: Vec<_> = status.tasks.iter().map(|task| (&*task.name, task.state)).collect();
    let (waiting, works) = (TaskState::Waiting, TaskState::Running);
    assert_eq!(found, [("early", works), ("sweeper", waiting), ("task", waiting)]);
    assert!(status.controllers.iter().all(|controller| controller.phase == Phase::Syncing));

    server.stop_intercepting();
    story.reaches("reconcile begins").await;
    story.reaches("sweeper begins").await;
    let status = handle.status();
    assert_eq!(status.phase, ManagerPhase::Running);
    assert!(status.leadership.as_ref().unwrap().is_leader);
    assert!(status.tasks.iter().all(|task| task.state == TaskState::Running));
    assert!(status.controllers.iter().all(|controller| controller.phase == Phase::Working));
    assert!(serde_json::to_string(&status).unwrap().contains(r#""phase":"running""#));

    stop.cancel();
    running.await.unwrap().unwrap();
    let told = story.told();
    let ends: Vec<_> = told.iter().filter(|event| event.ends_with("ends")).collect();
    assert_eq!(ends, ["sweeper ends", "reconcile ends", "task ends", "early ends"]);
    let lease = Api::<Lease>::namespaced(server.client(), "shop").get("work").await.unwrap();
    let holder = lease.spec.unwrap().holder_identity;
    assert_eq!(holder.as_deref().unwrap_or_default(), "", "the lease is released");
    let status = handle.status();
    assert_eq!(status.phase, ManagerPhase::Stopped);
    assert!(status.tasks.iter().all(|task| task.state == TaskState::Ended));
    assert!(status.factory.informers.iter().all(|informer| informer.stopped));
    assert!(status.controllers.iter().all(|controller| controller.phase == Phase::Stopped));
}

#[tokio::test(start_paused = true)]
async fn failed_task_ends_the_rest_with_its_error() {
    let server = ApiServer::new();
    let (factory, controller) = maps(&server, "maps");
    let (story, other) = (Story::default(), Story::default());
    let told = other.clone();
    let ended = Manager::builder(&factory)
        .controller(controller, |_| async { Ok::<_, Infallible>(Action::done()) })
        .task_on_every_replica("other", |scope| told.task("other", scope))
        .task_while_leading("failing", move |_| {
            let story = story.clone();
            async move {
                story.tell("begins");
                sleep(S).await;
                Err::<(), BoxError>("no such queue".into())
            }
        })
        .build()
        .unwrap()
        .run_until(CancellationToken::new())
        .await;
    assert_eq!(ended.as_ref().unwrap_err().to_string(), "task failing failed: no such queue");
    assert!(matches!(&ended, Err(ManagerError::Task { name, .. }) if &**name == "failing"));
    assert_eq!(other.told(), ["other begins", "other ends"]);
    assert!(factory.status().informers.iter().all(|informer| informer.stopped));
}

/// A value, or an error, that panics when it is dropped.
#[derive(Debug)]
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("when it was dropped");
    }
}

impl std::fmt::Display for Bomb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a bomb")
    }
}

impl std::error::Error for Bomb {}

#[tokio::test(start_paused = true)]
async fn errors_that_nobody_takes_may_panic_when_they_are_dropped() {
    let (server, stop) = (ApiServer::new(), CancellationToken::new());
    let hangs = |_| std::future::pending::<Result<(), BoxError>>();
    let mut builder = Manager::builder(&factory(&server)).task_while_leading("hangs", hangs);
    for name in ["one", "another"] {
        let stop = stop.clone();
        builder = builder.task_on_every_replica(name, move |_| async move {
            stop.cancelled().await;
            sleep(S).await;
            Err::<(), BoxError>(Bomb.into())
        });
    }
    let running = spawn(builder.build().unwrap().run_until(stop.clone()));
    sleep(9 * S).await;
    stop.cancel();
    let ended = running.await.unwrap();
    assert!(matches!(&ended, Err(ManagerError::Unfinished { names, .. }) if names.len() == 1));
}

#[tokio::test(start_paused = true)]
async fn panic_of_a_task_is_an_error_with_its_name() {
    let server = ApiServer::new();
    let run = |builder: ManagerBuilder| async {
        let ended = builder.build().unwrap().run_until(CancellationToken::new()).await;
        let Err(ManagerError::Panicked { name, message }) = ended else { panic!("{ended:?}") };
        (name.to_string(), message)
    };
    let panics = |name: &'static str| {
        Manager::builder(&factory(&server)).task_on_every_replica(name, |_| async {
            panic!("in the task");
            #[expect(unreachable_code, reason = "the type")]
            Ok::<_, BoxError>(())
        })
    };
    assert_eq!(run(panics("future")).await, ("future".into(), "in the task".into()));
    let call = Manager::builder(&factory(&server)).task_while_leading("call", |_| {
        assert!(server_is_gone(), "in the call");
        async { Ok::<_, BoxError>(()) }
    });
    assert_eq!(run(call).await, ("call".into(), "in the call".into()));
    let dropped = Manager::builder(&factory(&server)).task_before_sync("drop", |_| {
        let bomb = Bomb;
        async move {
            let _bomb = bomb;
            Ok::<_, BoxError>(())
        }
    });
    assert_eq!(run(dropped).await, ("drop".into(), "when it was dropped".into()));
}

fn server_is_gone() -> bool {
    false
}

#[tokio::test(start_paused = true)]
async fn rest_goes_on_after_a_task_that_ends() {
    let server = ApiServer::new();
    let (factory, controller) = maps(&server, "maps");
    let (story, stop) = (Story::default(), CancellationToken::new());
    let reconciled = story.clone();
    let running = run(
        Manager::builder(&factory)
            .controller(controller, move |request| {
                reconciled.tell(request.key.to_string());
                async { Ok::<_, Infallible>(Action::done()) }
            })
            .task_while_leading("migration", |_| async { Ok::<_, BoxError>(()) })
            .task_on_every_replica("warm-up", |_| async { Ok::<_, BoxError>(()) }),
        &stop,
    );
    sleep(100 * S).await;
    server.create(&map("late", "1")).unwrap();
    story.reaches("shop/late").await;
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn stopped_informer_ends_the_manager() {
    let server = ApiServer::new();
    let (factory, controller) = maps(&server, "maps");
    let running = run(
        Manager::builder(&factory)
            .leader_election(elector(server.client(), "one"))
            .controller(controller, |_| async { Ok::<_, Infallible>(Action::done()) }),
        &CancellationToken::new(),
    );
    sleep(10 * S).await;
    factory.informer::<k8s_openapi::api::core::v1::ConfigMap>().shutdown().await;
    let error = running.await.unwrap().unwrap_err().to_string();
    assert!(error.contains("its informer of configmaps"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn dropped_run_leaves_nothing_running() {
    let server = server_with(&["a"]);
    let (factory, controller) = maps(&server, "maps");
    let alive = Arc::new(());
    let held = [(); 3].map(|()| alive.clone());
    let [first, second, third] = held;
    let manager = Manager::builder(&factory)
        .leader_election(elector(server.client(), "one"))
        .controller(controller, move |_| {
            let held = first.clone();
            async move {
                pending::<()>().await;
                drop(held);
                Ok::<_, Infallible>(Action::done())
            }
        })
        .task_on_every_replica("task", move |_| async move {
            pending::<()>().await;
            drop(second);
            Ok::<_, BoxError>(())
        })
        .task_while_leading("leading", move |_| {
            let held = third.clone();
            async move {
                pending::<()>().await;
                drop(held);
                Ok::<_, BoxError>(())
            }
        })
        .build()
        .unwrap();
    let handle = manager.handle();
    let running = spawn(manager.run_until(CancellationToken::new()));
    sleep(10 * S).await;
    assert_eq!(Arc::strong_count(&alive), 6);
    running.abort();
    sleep(S).await;
    assert_eq!(Arc::strong_count(&alive), 1);
    let status = handle.status();
    assert_eq!(status.phase, ManagerPhase::Stopped);
    assert!(status.tasks.iter().all(|task| task.state == TaskState::Dropped));
    assert_eq!(status.controllers[0].phase, Phase::Stopped);
    assert!(status.factory.informers.iter().all(|informer| informer.stopped));
}
