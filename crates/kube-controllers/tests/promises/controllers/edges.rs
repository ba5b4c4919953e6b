//! Options at their ends, and controllers and handlers that go at a bad moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_controllers::controller::Phase;
use kube_controllers::{Action, Controller};
use kube_informer::testing::{ApiServer, FakeSource};
use kube_informer::{InformerOptions, SharedInformer};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

#[tokio::test(start_paused = true)]
async fn every_duration_of_a_controller_is_allowed() {
    let server = server_with(&["a"]);
    let factory = factory(&server);
    let maps = factory.informer::<ConfigMap>();
    let controller = Controller::builder("endless", &maps)
        .timeout(Duration::MAX)
        .grace(Duration::MAX)
        .sync_timeout(Duration::MAX)
        .build();
    let (handle, log, stop) = (controller.handle(), Log::new(), CancellationToken::new());
    let logged = log.clone();
    let running = spawn(controller.run(stop.clone(), move |request| {
        logged.add(request.key);
        async { Ok::<_, std::io::Error>(Action::requeue_after(Duration::MAX)) }
    }));
    log.reaches(1).await;
    assert!(handle.trigger_after(key("b"), Duration::MAX));
    assert!(handle.trigger_after(key("c"), Duration::ZERO));
    log.reaches(2).await;
    assert_eq!(log.take(), [key("a"), key("c")]);
    stop.cancel();
    timeout(S, running).await.expect("at once").unwrap().unwrap();

    let hurried = Controller::builder("hurried", &maps)
        .timeout(Duration::from_nanos(1))
        .grace(Duration::ZERO)
        .sync_timeout(Duration::ZERO)
        .build();
    let (handle, stop) = (hurried.handle(), CancellationToken::new());
    let running = spawn(hurried.run(stop.clone(), |_| async {
        sleep(5 * MS).await;
        Ok::<_, std::io::Error>(Action::done())
    }));
    sleep(S).await;
    let status = handle.status();
    assert!(status.timed_out > 0 && status.succeeded == 0, "{status:?}");
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn any_concurrency_is_allowed() {
    for workers in [0, usize::MAX] {
        let server = server_with(&["a"]);
        let maps = factory(&server).informer::<ConfigMap>();
        let controller = Controller::builder("crowded", &maps).concurrency(workers).build();
        let (log, stop) = (Log::new(), CancellationToken::new());
        let logged = log.clone();
        let running = spawn(controller.run(stop.clone(), move |it| {
            logged.add(it.key);
            async { Ok::<_, std::io::Error>(Action::done()) }
        }));
        log.reaches(1).await;
        stop.cancel();
        running.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn controller_that_never_ran_is_stopped_when_dropped() {
    let server = ApiServer::new();
    let maps = factory(&server).informer::<ConfigMap>();
    let never_run = Controller::builder("idle", &maps).build();
    let never_polled = Controller::builder("idle", &maps).build();
    let handles = [never_run.handle(), never_polled.handle()];
    assert!(handles.iter().all(|handle| handle.status().phase == Phase::Idle));
    drop(never_run);
    let reconcile = |_| async { Ok::<_, std::io::Error>(Action::done()) };
    drop(never_polled.run(CancellationToken::new(), reconcile));
    for handle in handles {
        assert_eq!(handle.status().phase, Phase::Stopped);
        assert!(!handle.trigger(key("a")), "nobody will reconcile it");
    }
}

#[tokio::test(start_paused = true)]
async fn a_controller_that_is_dropped_leaves_nothing_behind() {
    let server = server_with(&["a"]);
    let factory = factory(&server);
    let (maps, secrets) = (factory.informer::<ConfigMap>(), factory.informer::<Secret>());
    let alive = Arc::new(());
    let (held, mapped) = (alive.clone(), alive.clone());
    let controller = Controller::builder("dropped", &maps)
        .watches(&secrets, move |_: &Secret| {
            assert!(Arc::strong_count(&mapped) > 0);
            Some(key("a"))
        })
        .build();
    let (handle, log) = (controller.handle(), Log::new());
    let logged = log.clone();
    let running = spawn(controller.run(CancellationToken::new(), move |_| {
        let held = held.clone();
        logged.add(());
        async move {
            std::future::pending::<()>().await;
            drop(held);
            Ok::<_, std::io::Error>(Action::done())
        }
    }));
    log.reaches(1).await;
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    sleep(S).await;
    assert_eq!(Arc::strong_count(&alive), 1, "the user's functions and futures are gone");
    assert_eq!(handle.status().phase, Phase::Stopped);

    // The informers go on, and nothing waits for the one that left.
    for n in 0..3_000 {
        server.create(&secret_of(&map("a", "1"), &format!("secret-{n}"))).unwrap();
    }
    server.create(&map("b", "1")).unwrap();
    sleep(60 * S).await;
    assert_eq!((secrets.lister().len(), maps.lister().len()), (3_000, 2));
}

#[tokio::test(start_paused = true)]
async fn a_handler_may_add_and_remove_handlers() {
    let source = Arc::new(FakeSource::<ConfigMap>::new("configmaps", "ConfigMap"));
    for n in 0..10 {
        source.put(map(&format!("map-{n}"), "1"));
    }
    let informer = SharedInformer::new(source.clone(), InformerOptions::new());
    let told = Arc::new(AtomicUsize::new(0));
    let (inner, counted) = (informer.clone(), told.clone());
    let outer = informer
        .on_event(move |_| {
            let counted = counted.clone();
            let added = inner.on_event(move |_| {
                counted.fetch_add(1, Ordering::Relaxed);
            });
            // Each adds ten and itself goes at once.
            added.unwrap().remove();
        })
        .unwrap();
    informer.start().unwrap();
    informer.wait_for_sync(10 * S).await.unwrap();
    assert!(outer.wait_for_sync().await);
    sleep(S).await;
    assert_eq!(informer.status().handlers.len(), 1);
    outer.remove_and_wait().await;
    assert!(informer.status().handlers.is_empty());
    assert_eq!(told.load(Ordering::Relaxed), 0, "each was removed before its first call");
    source.put(map("later", "1"));
    sleep(S).await;
    assert_eq!(informer.lister().len(), 11);
    informer.shutdown().await;
}
