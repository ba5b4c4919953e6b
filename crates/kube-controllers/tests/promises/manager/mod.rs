//! A manager whose parts do not end, or end badly.

use std::convert::Infallible;
use std::future::pending;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, ListParams};
use kube_controllers::controller::{BoxError, ControllerError, ReconcileRequest};
use kube_controllers::leader_election::WorkScope;
use kube_controllers::manager::{ManagerBuilder, ManagerError};
use kube_controllers::sharding::ShardBy;
use kube_controllers::{Action, Controller, LeaderElector, Manager, Sharding};
use kube_informer::testing::ApiServer;
use kube_informer::{InformerSpec, SharedInformerFactory};
use parking_lot::Mutex;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::helpers::{S, factory, server_with, spawn};

/// A server with one config map, and a factory.
fn server() -> (ApiServer, SharedInformerFactory) {
    let server = server_with(&["a"]);
    let factory = factory(&server);
    (server, factory)
}

/// A task that is deaf to the stop.
async fn deaf(_: WorkScope) -> Result<(), BoxError> {
    pending().await
}

/// Runs a manager for ten seconds, and stops it. Returns the end and the time of the stop.
async fn stopped(builder: ManagerBuilder) -> (Result<(), ManagerError>, Duration) {
    let stop = CancellationToken::new();
    let running = spawn(builder.build().unwrap().run_until(stop.clone()));
    sleep(10 * S).await;
    stop.cancel();
    let start = Instant::now();
    (running.await.unwrap(), start.elapsed())
}

fn names(ended: &Result<(), ManagerError>) -> Vec<String> {
    let Err(ManagerError::Unfinished { names, .. }) = ended else { panic!("{ended:?}") };
    names.iter().map(ToString::to_string).collect()
}

#[tokio::test(start_paused = true)]
async fn deadline_names_what_has_not_ended() {
    let (_server, factory) = server();
    let controller =
        Controller::builder("slow", &factory.informer::<ConfigMap>()).grace(100 * S).build();
    let manager = Manager::builder(&factory)
        .controller_on_every_replica(controller, |_| async {
            pending::<()>().await;
            Ok::<_, Infallible>(Action::done())
        })
        .task_on_every_replica("deaf", deaf)
        .task_before_sync("obedient", |scope| async move {
            scope.token().cancelled().await;
            Ok::<_, BoxError>(())
        })
        .grace(7 * S);
    let (ended, took) = stopped(manager).await;
    // The obedient one was not told yet: it ends after the others.
    assert_eq!(names(&ended), ["deaf", "obedient", "slow"]);
    assert_eq!(took.as_secs(), 7);
    let text = ended.unwrap_err().to_string();
    assert!(text.starts_with("not ended 7s after the stop: deaf, obedient, slow; let "), "{text}");
}

#[tokio::test(start_paused = true)]
async fn lease_is_released_although_a_leading_task_is_deaf() {
    let (server, factory) = server();
    let elector = LeaderElector::builder(server.client(), "shop", "maps").build().unwrap();
    let manager = Manager::builder(&factory)
        .leader_election(elector)
        .task_while_leading("deaf", deaf)
        .grace(10 * S);
    let (ended, took) = stopped(manager).await;
    assert_eq!(names(&ended), ["deaf"]);
    assert_eq!(took.as_secs(), 8, "four fifths of the deadline");
    let lease = Api::<Lease>::namespaced(server.client(), "shop").get("maps").await.unwrap();
    assert_eq!(lease.spec.unwrap().holder_identity.unwrap_or_default(), "");
}

#[tokio::test(start_paused = true)]
async fn slots_are_released_although_a_reconcile_is_deaf() {
    let (server, factory) = server();
    let sharding = Sharding::builder(server.client(), "shop", "maps", ShardBy::Namespace);
    let sharding = sharding.build().unwrap();
    let maps = factory.informer_with(InformerSpec::<ConfigMap>::new().shard(sharding.objects()));
    let controller = Controller::builder("slow", &maps.unwrap()).grace(100 * S);
    let manager = Manager::builder(&factory)
        .controller(controller.sharded(&sharding).build(), |_| async {
            pending::<()>().await;
            Ok::<_, Infallible>(Action::done())
        })
        .task_before_sync(
            "membership",
            |scope| async move { sharding.run(scope.token().clone()).await },
        )
        .grace(10 * S);
    let (ended, took) = stopped(manager).await;
    assert!(matches!(ended, Err(ManagerError::Controller(_))), "{ended:?}");
    assert_eq!(took.as_secs(), 8, "four fifths of the deadline");
    let leases = Api::<Lease>::namespaced(server.client(), "shop");
    let leases = leases.list(&ListParams::default()).await.unwrap();
    let mut names = leases.iter().filter_map(|lease| lease.metadata.name.as_deref());
    assert!(leases.items.len() > 1 && names.all(|name| !name.contains("member")));
}

#[tokio::test(start_paused = true)]
async fn first_error_is_not_hidden_by_the_deadline() {
    let (_server, factory) = server();
    let manager = Manager::builder(&factory)
        .task_on_every_replica("deaf", deaf)
        .task_while_leading("failing", |_| async { Err::<(), BoxError>("the cause".into()) })
        .build()
        .unwrap();
    let error = manager.run_until(CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.to_string(), "task failing failed: the cause");
}

#[tokio::test(start_paused = true)]
async fn failure_in_a_term_is_not_hidden_by_the_deadline() {
    let (server, factory) = server();
    let controller = Controller::builder("c", &factory.informer::<ConfigMap>()).grace(S).build();
    let manager = Manager::builder(&factory)
        .leader_election(elector(&server))
        // The guard outlives the reconcile, as a blocked thread does.
        .controller(controller, |request: ReconcileRequest<ConfigMap>| async move {
            let guard = request.guard();
            spawn(async move {
                sleep(60 * S).await;
                drop(guard);
            });
            pending::<Result<_, Infallible>>().await
        })
        .grace(10 * S);
    let (ended, took) = stopped(manager).await;
    assert!(took > 40 * S, "the election waits for the guard: {took:?}");
    let Err(ManagerError::Controller(ControllerError::Unfinished { keys, .. })) = ended else {
        panic!("{ended:?}")
    };
    assert_eq!(keys.len(), 1);
}

/// The guard stands for code that blocks a thread.
#[tokio::test(start_paused = true)]
async fn first_error_is_not_hidden_by_abandoned_work() {
    let (server, factory) = server();
    let elector = LeaderElector::builder(server.client(), "shop", "maps").grace(S);
    let guard = Arc::new(Mutex::new(None));
    let holds = guard.clone();
    let manager = Manager::builder(&factory)
        .leader_election(elector.abandon_blocked_work(true).build().unwrap())
        .task_while_leading("blocks", move |scope| {
            *holds.lock() = Some(scope.guard());
            pending::<Result<(), BoxError>>()
        })
        .task_while_leading("fails", |_| async { Err::<(), _>("as the test wants") });
    let ended = manager.build().unwrap().run_until(CancellationToken::new()).await;
    assert!(matches!(ended, Err(ManagerError::Task { .. })), "{ended:?}");
    drop(guard);
}

#[tokio::test(start_paused = true)]
async fn failed_task_ends_deaf_leading_tasks() {
    for leads in [false, true] {
        let (server, factory) = server();
        let mut manager = Manager::builder(&factory)
            .task_while_leading("deaf", deaf)
            .task_while_leading("failing", |scope| async move {
                scope.spawn(pending::<()>());
                Err::<(), BoxError>("the cause".into())
            });
        if leads {
            manager = manager.leader_election(elector(&server));
        }
        let start = Instant::now();
        let error = manager.build().unwrap().run_until(CancellationToken::new()).await.unwrap_err();
        assert_eq!(error.to_string(), "task failing failed: the cause");
        assert!(start.elapsed() < 30 * S);
    }
}

fn elector(server: &ApiServer) -> LeaderElector {
    LeaderElector::builder(server.client(), "shop", "maps").build().unwrap()
}

/// The builder of a manager with this leading task, with or without an election.
fn leading<F, Fut>(leads: bool, run: F) -> (ManagerBuilder, ApiServer)
where
    F: Fn(WorkScope) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<(), BoxError>> + Send + 'static,
{
    let (server, factory) = server();
    let mut manager = Manager::builder(&factory).task_while_leading("leaving", run);
    if leads {
        manager = manager.leader_election(elector(&server));
    }
    (manager.grace(10 * S), server)
}

#[tokio::test(start_paused = true)]
async fn tracked_work_of_leading_tasks_ends_with_run() {
    for (leads, waits_for_token) in [(false, false), (false, true), (true, false), (true, true)] {
        let steps = Arc::new(AtomicUsize::new(0));
        let counted = steps.clone();
        let (manager, _server) = leading(leads, move |scope| {
            let steps = counted.clone();
            async move {
                scope.spawn(async move {
                    loop {
                        sleep(S).await;
                        steps.fetch_add(1, Ordering::Relaxed);
                    }
                });
                if waits_for_token {
                    scope.token().cancelled().await;
                }
                Ok(())
            }
        });
        let (ended, took) = stopped(manager).await;
        assert_eq!(names(&ended), ["leaving"]);
        assert_eq!(took.as_secs(), if leads { 8 } else { 10 });
        let before = steps.load(Ordering::Relaxed);
        assert!(before >= 15, "it goes on until it is dropped: {before}");
        sleep(1000 * S).await;
        assert_eq!(steps.load(Ordering::Relaxed), before);
    }
}

#[tokio::test(start_paused = true)]
async fn run_waits_for_guards_of_leading_tasks() {
    for leads in [false, true] {
        let refuses = Arc::new(AtomicBool::new(false));
        let noted = refuses.clone();
        let (manager, _server) = leading(leads, move |scope| {
            let (guard, noted) = (scope.guard(), noted.clone());
            spawn(async move {
                scope.token().cancelled().await;
                sleep(6 * S).await;
                drop(guard);
                sleep(S).await;
                noted.store(!scope.guard().holds(), Ordering::Relaxed);
            });
            async { Ok(()) }
        });
        let (ended, took) = stopped(manager).await;
        ended.unwrap();
        assert_eq!(took.as_secs(), 6);
        sleep(2 * S).await;
        assert!(refuses.load(Ordering::Relaxed), "the scope has ended with the run");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn task_that_blocks_its_thread_does_not_hold_up_the_end() {
    let (_server, factory) = server();
    let (release, blocked) = mpsc::channel::<()>();
    let begun = Arc::new(AtomicBool::new(false));
    let begins = begun.clone();
    let stop = CancellationToken::new();
    let manager = Manager::builder(&factory)
        .task_on_every_replica("blocks", move |_| async move {
            begins.store(true, Ordering::Relaxed);
            let _released = blocked.recv();
            Ok::<_, BoxError>(())
        })
        .grace(Duration::from_millis(50))
        .build()
        .unwrap();
    let running = spawn(manager.run_until(stop.clone()));
    while !begun.load(Ordering::Relaxed) {
        tokio::task::yield_now().await;
    }
    stop.cancel();
    assert_eq!(names(&running.await.unwrap()), ["blocks"]);
    drop(release);
}

#[tokio::test(start_paused = true)]
async fn error_whose_text_panics_ends_the_rest_all_the_same() {
    #[derive(Debug)]
    struct Bad;
    impl std::fmt::Display for Bad {
        fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            panic!("no text")
        }
    }
    impl std::error::Error for Bad {}
    let (_server, factory) = server();
    let ended = Arc::new(AtomicBool::new(false));
    let ends = ended.clone();
    let manager = Manager::builder(&factory)
        .task_on_every_replica("other", move |scope| async move {
            scope.token().cancelled().await;
            ends.store(true, Ordering::Relaxed);
            Ok::<_, BoxError>(())
        })
        .task_while_leading("failing", |_| async { Err::<(), _>(Bad) })
        .build()
        .unwrap();
    let error = manager.run_until(CancellationToken::new()).await.unwrap_err();
    assert!(matches!(error, ManagerError::Task { .. }));
    assert!(ended.load(Ordering::Relaxed));
}
