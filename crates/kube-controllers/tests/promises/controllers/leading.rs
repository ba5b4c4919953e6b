//! A leader's work is over before another's begins, its synchronous code included.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::pending;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, PostParams};
use kube_controllers::controller::{ControllerError, Phase, WriteRefused, tracking_client};
use kube_controllers::{Action, Controller, LeaderElector, Manager};
use kube_informer::testing::ApiServer;
use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

const LONG: Duration = Duration::from_secs(60);

fn elector(client: kube::Client, identity: &str) -> LeaderElector {
    LeaderElector::builder(client, "shop", "work")
        .identity(identity)
        .lease_duration(Duration::from_secs(4))
        .renew_deadline(Duration::from_secs(3))
        .retry_period(Duration::from_millis(200))
        .build()
        .unwrap()
}

/// Real time: the reconcile blocks a thread.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_reconcile_that_blocks_keeps_the_lease() {
    let server = server_with(&["a"]);
    let (open, gate) = mpsc::channel::<()>();
    let (gate, over) = (Arc::new(Mutex::new(gate)), Arc::new(AtomicBool::new(false)));
    let (begins, begun) = (CancellationToken::new(), CancellationToken::new());

    let maps = factory(&server).informer::<ConfigMap>();
    let first = Controller::builder("work", &maps)
        .grace(Duration::from_millis(50))
        .leader_election(elector(server.client(), "first"))
        .build();
    let (stop, blocking, ended) = (CancellationToken::new(), begins.clone(), over.clone());
    let running = spawn(first.run(stop.clone(), move |_| {
        let (gate, begins, ended) = (gate.clone(), blocking.clone(), ended.clone());
        async move {
            begins.cancel();
            let _ = gate.lock().recv();
            ended.store(true, Ordering::SeqCst);
            Ok::<_, io::Error>(Action::done())
        }
    }));
    timeout(LONG, begins.cancelled()).await.expect("the first leads");

    let maps = factory(&server).informer::<ConfigMap>();
    let second = Controller::builder("work", &maps)
        .leader_election(elector(server.client(), "second"))
        .build();
    let (second_stop, leads, ended) = (CancellationToken::new(), begun.clone(), over.clone());
    let follower = spawn(second.run(second_stop.clone(), move |_| {
        assert!(ended.load(Ordering::SeqCst), "the first is still at work");
        leads.cancel();
        async { Ok::<_, io::Error>(Action::done()) }
    }));
    stop.cancel();
    // Time for the second to take a lease that was given back too early.
    sleep(Duration::from_secs(1)).await;
    assert!(!begun.is_cancelled());
    drop(open);
    timeout(LONG, begun.cancelled()).await.expect("the second leads");
    let _ended = timeout(LONG, running).await.expect("the first ends").unwrap();
    second_stop.cancel();
    timeout(LONG, follower).await.expect("the second ends").unwrap().unwrap();
}

/// The lease's requests fail from a moment on; all others get through.
pub(super) fn losing_its_lease(server: &ApiServer, cut: &Arc<AtomicBool>) -> kube::Client {
    let cut = cut.clone();
    passing(server, move |request| {
        let lease = request.uri().path().contains("/leases");
        let refused = lease && cut.load(Ordering::SeqCst);
        if refused { Err(io::ErrorKind::ConnectionRefused.into()) } else { Ok(()) }
    })
}

#[tokio::test(start_paused = true)]
async fn a_write_begun_after_the_term_is_refused() {
    let server = server_with(&["a"]);
    let cut = Arc::new(AtomicBool::new(false));
    let client = losing_its_lease(&server, &cut);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller =
        Controller::builder("work", &maps).leader_election(elector(client.clone(), "ours")).build();
    let (told, answer) = oneshot::channel();
    let (told, client) = (Mutex::new(Some(told)), tracking_client(client));
    let running = spawn(controller.run(CancellationToken::new(), move |request| {
        let api = Api::<ConfigMap>::namespaced(client.clone(), "shop");
        if let Some(told) = told.lock().take() {
            // Deaf to the stop, and nobody's task.
            let scoped = request.scope(async move {
                api.create(&PostParams::default(), &map("in-time", "1")).await.unwrap();
                sleep(LONG).await;
                let late = api.create(&PostParams::default(), &map("late", "1")).await;
                let _ = told.send(late);
            });
            spawn(scoped);
        }
        pending::<Result<Action, io::Error>>()
    }));
    sleep(S).await;
    cut.store(true, Ordering::SeqCst);
    let ended = timeout(LONG, running).await.expect("it leads no more").unwrap();
    assert!(matches!(ended, Err(ControllerError::Leadership { .. })), "{ended:?}");

    let late = answer.await.unwrap();
    let Err(kube::Error::Service(error)) = late else { panic!("{late:?}") };
    let refused = error.downcast::<WriteRefused>().expect("it was not sent");
    assert_eq!(refused.target, "configmaps in shop");
    let api = Api::<ConfigMap>::namespaced(server.client(), "shop");
    assert!(api.get_opt("in-time").await.unwrap().is_some());
    assert!(api.get_opt("late").await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_controller_that_rejoins_works_in_the_next_term() {
    let server = server_with(&["a"]);
    let cut = Arc::new(AtomicBool::new(false));
    let client = losing_its_lease(&server, &cut);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("work", &maps)
        .leader_election(elector(client, "ours"))
        .rejoins_election(true)
        .build();
    let (handle, stop) = (controller.handle(), CancellationToken::new());
    let (seen, seeing) = tokio::sync::watch::channel(Vec::<String>::new());
    let running = spawn(controller.run(stop.clone(), move |request| {
        seen.send_modify(|seen| seen.push(request.key.name().to_owned()));
        async { Ok::<_, io::Error>(Action::done()) }
    }));
    let saw = |name: &'static str, times: usize| {
        let mut seeing = seeing.clone();
        async move {
            let enough =
                |seen: &Vec<String>| seen.iter().filter(|one| *one == name).count() == times;
            timeout(LONG, seeing.wait_for(enough)).await.expect("it reconciles").unwrap();
        }
    };
    saw("a", 1).await;
    cut.store(true, Ordering::SeqCst);
    while handle.status().phase != Phase::Standby {
        sleep(S).await;
    }
    // Between two terms nothing is reconciled.
    server.create(&map("b", "1")).unwrap();
    sleep(LONG).await;
    assert_eq!(*seeing.borrow(), ["a"]);

    cut.store(false, Ordering::SeqCst);
    saw("a", 2).await;
    saw("b", 1).await;
    assert_eq!(handle.status().phase, Phase::Working);
    server.create(&map("c", "1")).unwrap();
    saw("c", 1).await;
    stop.cancel();
    timeout(LONG, running).await.expect("it ends").unwrap().unwrap();
}

/// The reconciles of the first term hang, and are dropped with it.
#[tokio::test(start_paused = true)]
async fn next_term_knows_no_reconcile_of_a_lost_one() {
    let server = server_with(&["a", "b", "c"]);
    let cut = Arc::new(AtomicBool::new(false));
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("work", &maps)
        .concurrency(3)
        .leader_election(elector(losing_its_lease(&server, &cut), "ours"))
        .rejoins_election(true)
        .build();
    let (handle, stop) = (controller.handle(), CancellationToken::new());
    let lost = Arc::new(AtomicBool::new(false));
    let works = lost.clone();
    let running = spawn(controller.run(stop.clone(), move |_| {
        let hangs = !works.load(Ordering::SeqCst);
        async move {
            if hangs {
                pending::<()>().await;
            }
            Ok::<_, io::Error>(Action::done())
        }
    }));
    until("three reconciles", || handle.status().reconciling.len() == 3).await;
    lost.store(true, Ordering::SeqCst);
    cut.store(true, Ordering::SeqCst);
    until("the standby", || handle.status().phase == Phase::Standby).await;
    assert_eq!(handle.status().reconciling, [""; 0]);
    for name in ["b", "c"] {
        server.delete(&map(name, "1")).unwrap();
    }
    // One worker is enough for the key that is left.
    cut.store(false, Ordering::SeqCst);
    until("the next term", || handle.status().succeeded == 1).await;
    stop.cancel();
    running.await.unwrap().unwrap();
}

/// The lease is lost while the work may still end: the grace is not over.
#[tokio::test(start_paused = true)]
async fn loss_after_a_stop_is_no_end_of_the_grace() {
    for managed in [false, true] {
        let server = server_with(&["a"]);
        let cut = Arc::new(AtomicBool::new(false));
        let elector = elector(losing_its_lease(&server, &cut), "ours");
        let factory = factory(&server);
        let builder = Controller::builder("work", &factory.informer::<ConfigMap>());
        let reconcile = |_| pending::<Result<Action, io::Error>>();
        let stop = CancellationToken::new();
        let (handle, running) = if managed {
            let controller = builder.build();
            let handle = controller.handle();
            let manager = Manager::builder(&factory).leader_election(elector);
            let manager = manager.controller(controller, reconcile).build().unwrap();
            let running = manager.run_until(stop.clone());
            (handle, running.map(|ended| ended.map_err(|error| error.to_string())).boxed())
        } else {
            let controller = builder.leader_election(elector).build();
            let (handle, running) = (controller.handle(), controller.run(stop.clone(), reconcile));
            (handle, running.map(|ended| ended.map_err(|error| error.to_string())).boxed())
        };
        let running = tokio::spawn(running);
        until("a reconcile", || handle.status().reconciling.len() == 1).await;
        cut.store(true, Ordering::SeqCst);
        sleep(S).await;
        stop.cancel();
        let ended = timeout(4 * S, running).await.expect("the lease ends it").unwrap();
        let text = ended.unwrap_err();
        assert!(text.contains("it was not renewed before the renew deadline"), "{text}");
        assert!(text.contains("its work was dropped"), "{text}");
    }
}

/// The task fails, and the lease is lost while a reconcile still ends.
#[tokio::test(start_paused = true)]
async fn failed_task_ends_a_manager_that_loses_its_lease() {
    let server = server_with(&["a"]);
    let cut = Arc::new(AtomicBool::new(false));
    let factory = factory(&server);
    let controller = Controller::builder("work", &factory.informer::<ConfigMap>()).build();
    let cuts = cut.clone();
    let manager = Manager::builder(&factory)
        .leader_election(elector(losing_its_lease(&server, &cut), "ours"))
        .rejoins_election(true)
        .controller(controller, |_| pending::<Result<Action, io::Error>>())
        .task_while_leading("export", move |_| {
            let cuts = cuts.clone();
            async move {
                // The reconcile runs.
                sleep(10 * S).await;
                cuts.store(true, Ordering::SeqCst);
                Err(io::Error::other("disk full"))
            }
        });
    let running = spawn(manager.build().unwrap().run_until(CancellationToken::new()));
    let ended = timeout(LONG, running).await.expect("the task ends it").unwrap();
    assert_eq!(ended.unwrap_err().to_string(), "task export failed: disk full");
}
