//! Work that is over is over.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use futures::future::pending;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::controller::{ControllerError, Phase};
use kube_controllers::{Action, Controller};
use kube_informer::testing::ApiServer;
use kube_informer::workqueue::ExponentialBackoff;
use parking_lot::Mutex;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

#[tokio::test(start_paused = true)]
async fn a_try_that_ends_stops_what_it_spawned() {
    #[derive(Clone, Copy)]
    enum How {
        Hang,
        Panic,
        Fail,
        Return,
    }
    for how in [How::Hang, How::Panic, How::Fail, How::Return] {
        let server = server_with(&["a"]);
        let maps = factory(&server).informer::<ConfigMap>();
        let controller = Controller::builder("spawning", &maps)
            .limiter(ExponentialBackoff::new(S, S))
            .timeout(100 * MS)
            .build();
        let (children, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (counted, seen, log) = (children.clone(), most.clone(), Log::new());
        let (logged, stop) = (log.clone(), CancellationToken::new());
        let running = spawn(controller.run(stop.clone(), move |request| {
            let (children, most) = (counted.clone(), seen.clone());
            logged.add(());
            spawn(async move {
                most.fetch_max(children.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                request.stop.cancelled().await;
                children.fetch_sub(1, Ordering::SeqCst);
            });
            async move {
                match how {
                    How::Hang => pending().await,
                    How::Panic => panic!("on purpose"),
                    How::Fail => Err(std::io::Error::other("on purpose")),
                    How::Return => Ok(Action::requeue_after(S)),
                }
            }
        }));
        log.reaches(12).await;
        assert_eq!(most.load(Ordering::SeqCst), 1, "one child at a time");
        stop.cancel();
        running.await.unwrap().unwrap();
        sleep(MS).await;
        assert_eq!(children.load(Ordering::SeqCst), 0);
    }
}

/// Real time: the reconcile blocks a thread.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn the_grace_ends_also_while_a_reconcile_blocks() {
    let server = server_with(&["a"]);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller =
        Controller::builder("blocking", &maps).grace(Duration::from_millis(50)).build();
    let (open, gate) = mpsc::channel::<()>();
    let (gate, begun) = (Arc::new(Mutex::new(gate)), CancellationToken::new());
    let (stop, begins) = (CancellationToken::new(), begun.clone());
    let running = spawn(controller.run(stop.clone(), move |_| {
        let (gate, begins) = (gate.clone(), begins.clone());
        async move {
            begins.cancel();
            let _ = gate.lock().recv();
            Ok::<_, std::io::Error>(Action::done())
        }
    }));
    timeout(Duration::from_secs(60), begun.cancelled()).await.expect("it begins");
    stop.cancel();
    // Before the gate is opened: the run does not wait for what blocks.
    let ended = timeout(Duration::from_secs(60), running).await.expect("it ends").unwrap();
    let Err(ControllerError::Unfinished { keys, .. }) = ended else { panic!("{ended:?}") };
    assert_eq!(keys, [key("a")]);
    drop(open);
}

#[tokio::test(start_paused = true)]
async fn standby_is_synced_with_an_empty_queue() {
    let server = ApiServer::new();
    let mut rival = elector(server.client(), "rival");
    let (state, rival_stop) = (rival.leadership(), CancellationToken::new());
    let stopped = rival_stop.clone();
    let rival = spawn(async move {
        let work = |leading: CancellationToken| async move { leading.cancelled().await };
        rival.run(stopped, work).await.unwrap();
    });
    until("the rival's term", || state.borrow().is_leader).await;
    let maps = factory(&server).informer::<ConfigMap>();
    let elector = elector(server.client(), "ours");
    let controller = Controller::builder("standby", &maps).leader_election(elector).build();
    let (handle, log, stop) = (controller.handle(), Log::new(), CancellationToken::new());
    let logged = log.clone();
    let running = spawn(controller.run(stop.clone(), move |request| {
        logged.add((request.key, request.object.is_present()));
        async { Ok::<_, std::io::Error>(Action::done()) }
    }));
    while handle.status().phase != Phase::Standby {
        sleep(10 * MS).await;
    }
    for n in 0..300 {
        let brief = server.create(&map(&format!("brief-{n}"), "1")).unwrap();
        sleep(MS).await;
        server.delete(&brief).unwrap();
    }
    server.create(&map("stays", "1")).unwrap();
    sleep(S).await;
    let queue = handle.status().queue;
    assert_eq!((queue.ready, queue.delayed, queue.adds), (0, 0, 0));
    assert!(maps.has_synced() && maps.lister().len() == 1);

    let taken = Instant::now();
    rival_stop.cancel();
    rival.await.unwrap();
    log.reaches(1).await;
    sleep(S).await;
    assert_eq!(log.take(), [(key("stays"), true)], "what is there, and nothing that went");
    assert!(taken.elapsed() < 20 * S);
    stop.cancel();
    running.await.unwrap().unwrap();
}

/// A reconcile that stops an informer waits for the informer's tasks, not for itself.
#[tokio::test(start_paused = true)]
async fn a_reconcile_may_shut_its_informer_down() {
    for drains in [false, true] {
        let server = server_with(&["a"]);
        let maps = factory(&server).informer::<ConfigMap>();
        let controller = Controller::builder("suicidal", &maps).predicate(|_| true).build();
        let stopping = maps.clone();
        let (log, logged) = (Log::new(), Log::new());
        let ended_inside = logged.clone();
        let running = spawn(controller.run(CancellationToken::new(), move |request| {
            log.add(request.key);
            let (stopping, ended_inside) = (stopping.clone(), ended_inside.clone());
            async move {
                if drains {
                    ended_inside.add(stopping.shutdown_with_drain(60 * S).await);
                } else {
                    stopping.shutdown().await;
                    ended_inside.add(true);
                }
                Ok::<_, std::io::Error>(Action::done())
            }
        }));
        let ended = timeout(5 * S, running).await.expect("no deadlock").unwrap();
        assert!(matches!(ended, Err(ControllerError::Stopped { .. })), "{ended:?}");
        assert_eq!(logged.take(), [true], "it is through with the shutdown");
    }
}

/// Two keys are due at one moment: one timer wakes one worker, and that one wakes the other.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn blocking_reconcile_holds_up_no_other_worker() {
    let maps = factory(&ApiServer::new()).informer::<ConfigMap>();
    let controller = Controller::builder("blocking", &maps).concurrency(3).build();
    let (handle, stop) = (controller.handle(), CancellationToken::new());
    let (begins, begun) = mpsc::channel();
    let (unblock, blocked) = mpsc::channel::<()>();
    // The first of the two keys takes it.
    let blocked = Arc::new(Mutex::new(Some(blocked)));
    let running = spawn(controller.run(stop.clone(), move |request| {
        let waits = request.key == key("waits");
        if !waits {
            begins.send(()).unwrap();
            let blocked = blocked.lock().take();
            if let Some(blocked) = blocked {
                blocked.recv().unwrap();
            }
        }
        async move {
            if waits {
                request.stop.cancelled().await;
            }
            Ok::<_, std::io::Error>(Action::done())
        }
    }));
    while handle.status().phase != Phase::Working {
        sleep(MS).await;
    }
    // While the queue has work, it starts no task that would let another thread steal the worker.
    handle.trigger(key("waits"));
    sleep(50 * MS).await;
    handle.trigger_after(key("a"), 20 * MS);
    handle.trigger_after(key("b"), 20 * MS);
    let both = tokio::task::spawn_blocking(move || {
        [(); 2].map(|()| begun.recv_timeout(Duration::from_secs(20)).is_ok())
    });
    assert_eq!(both.await.unwrap(), [true, true]);
    unblock.send(()).unwrap();
    stop.cancel();
    running.await.unwrap().unwrap();
}
