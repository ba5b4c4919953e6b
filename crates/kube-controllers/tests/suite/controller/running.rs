//! From changes to reconciles, and from the start to the end.

use std::collections::BTreeSet;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use kube::ResourceExt;
use kube::core::PartialObjectMeta;
use kube_controllers::controller::{
    ControllerError, Followed, Phase, generation_changed, labels_changed, version_changed,
};
use kube_controllers::{Action, Controller, ReconcileRequest};
use kube_informer::testing::ApiServer;
use kube_informer::workqueue::ExponentialBackoff;
use kube_informer::{EventRef, ObjectKey};
use serde_json::json;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

type Never = std::convert::Infallible;

/// A controller that notes which key it was called with, and whether there was an object.
fn noting(
    log: &Log<(ObjectKey, bool)>,
) -> impl Fn(ReconcileRequest<ConfigMap>) -> std::future::Ready<Result<Action, Never>> + use<> {
    let log = log.clone();
    move |request| {
        log.add((request.key, request.object.is_present()));
        std::future::ready(Ok(Action::done()))
    }
}

#[tokio::test(start_paused = true)]
async fn context_may_be_shared_with_other_code() {
    let server = ApiServer::new();
    server.create(&map("a", "1")).unwrap();
    let maps = factory(&server).informer::<ConfigMap>();
    let (log, stop) = (Arc::new(Log::new()), CancellationToken::new());
    let controller = Controller::builder("sharing", &maps).context(log.clone()).build();
    let reconcile = |request: ReconcileRequest<ConfigMap, Log<ObjectKey>>| async move {
        request.context.add(request.key.clone());
        Ok::<_, Never>(Action::done())
    };
    let running = spawn(controller.run(stop.clone(), reconcile));
    log.reaches(1).await;
    assert_eq!(log.take(), [key("a")]);
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn every_change_of_an_object_is_reconciled() {
    let server = ApiServer::new();
    let a = server.create(&map("a", "1")).unwrap();
    server.create(&map("b", "1")).unwrap();
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("noting", &maps).build();
    let (log, stop) = (Log::new(), CancellationToken::new());
    let running = spawn(controller.run(stop.clone(), noting(&log)));
    log.reaches(2).await;
    let first: BTreeSet<_> = log.take().into_iter().collect();
    assert_eq!(first, [(key("a"), true), (key("b"), true)].into());

    server.replace(&ConfigMap { data: None, ..a.clone() }).unwrap();
    log.reaches(1).await;
    assert_eq!(log.take(), [(key("a"), true)]);

    server.delete(&a).unwrap();
    log.reaches(1).await;
    assert_eq!(log.take(), [(key("a"), false)]);

    stop.cancel();
    running.await.unwrap().unwrap();
    server.create(&map("c", "1")).unwrap();
    sleep(10 * S).await;
    assert_eq!(log.len(), 0, "nothing begins after the stop");
    assert!(maps.status().handlers.is_empty(), "its handlers went with it");
}

#[tokio::test(start_paused = true)]
async fn only_different_objects_reconcile_at_once() {
    let server = ApiServer::new();
    for name in ["a", "b", "c", "d"] {
        server.create(&map(name, "0")).unwrap();
    }
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("slow", &maps).concurrency(4).build();
    let (log, stop) = (Log::new(), CancellationToken::new());
    let busy = Arc::new(parking_lot::Mutex::new(BTreeSet::new()));
    let most = Arc::new(AtomicUsize::new(0));
    let (logged, kept, seen) = (log.clone(), busy.clone(), most.clone());
    let running = spawn(controller.run(stop.clone(), move |request| {
        let (log, busy, most) = (logged.clone(), kept.clone(), seen.clone());
        async move {
            assert!(busy.lock().insert(request.key.clone()), "one at a time");
            most.fetch_max(busy.lock().len(), Ordering::Relaxed);
            sleep(100 * MS).await;
            busy.lock().remove(&request.key);
            log.add(request.key);
            Ok::<_, Never>(Action::done())
        }
    }));
    for round in 1..=20 {
        sleep(25 * MS).await;
        server.replace(&map("a", &round.to_string())).unwrap();
    }
    log.reaches(9).await;
    assert_eq!(most.load(Ordering::Relaxed), 4);
    let on_a = log.take().into_iter().filter(|done| *done == key("a")).count();
    assert!((5..=8).contains(&on_a), "twenty changes in half a second made {on_a} reconciles");
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn failed_reconciles_are_retried_with_backoff() {
    #[derive(Clone, Copy, PartialEq)]
    enum How {
        Error,
        Panic,
        PanicAtOnce,
        Hang,
        Retry,
    }
    for how in [How::Error, How::Panic, How::PanicAtOnce, How::Hang, How::Retry] {
        let server = server_with(&["a"]);
        let maps = factory(&server).informer::<ConfigMap>();
        let controller = Controller::builder("failing", &maps)
            .limiter(ExponentialBackoff::new(S, 8 * S))
            .timeout(100 * MS)
            .build();
        let handle = controller.handle();
        let (log, stop) = (Log::new(), CancellationToken::new());
        let logged = log.clone();
        let running = spawn(controller.run(stop.clone(), move |request| {
            logged.add(request.failures);
            if request.failures < 5 {
                assert!(how != How::PanicAtOnce, "on purpose");
            }
            async move {
                if request.failures == 5 {
                    return Ok(Action::done());
                }
                match how {
                    How::Error => Err(std::io::Error::other("on purpose")),
                    How::Hang => pending().await,
                    How::Retry => Ok(Action::retry()),
                    _ => panic!("on purpose"),
                }
            }
        }));
        log.reaches(6).await;
        assert_eq!(log.gaps(), [1, 2, 4, 8, 8]);
        assert_eq!(log.take(), [0, 1, 2, 3, 4, 5]);
        let status = handle.status();
        let failed = if how == How::Retry { 0 } else { 5 };
        assert_eq!((status.failed, status.succeeded), (failed, 6 - failed));
        assert_eq!(status.timed_out, if how == How::Hang { 5 } else { 0 });
        let panics = matches!(how, How::Panic | How::PanicAtOnce);
        assert_eq!(status.panicked, if panics { 5 } else { 0 });
        if how == How::Error {
            let last = status.last_failure.unwrap();
            assert_eq!((&*last.key, &*last.error, last.failures), ("shop/a", "on purpose", 5));
        }
        // A success resets the delays.
        assert!(handle.trigger(key("a")));
        log.reaches(1).await;
        assert_eq!(log.take()[0], 0);
        stop.cancel();
        running.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_reconcile_may_ask_to_be_called_again() {
    let server = server_with(&["a"]);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("polling", &maps).build();
    let (log, stop) = (Log::new(), CancellationToken::new());
    let logged = log.clone();
    let running = spawn(controller.run(stop.clone(), move |request| {
        logged.add(request.key);
        async { Ok::<_, Never>(Action::requeue_after(60 * S)) }
    }));
    log.reaches(3).await;
    assert_eq!(log.gaps()[..2], [60, 60]);
    stop.cancel();
    running.await.unwrap().unwrap();
}

/// The reconcile of an event decides for itself: no delay of an earlier one is left.
#[tokio::test(start_paused = true)]
async fn done_after_an_event_ends_a_pending_requeue() {
    let server = server_with(&["a"]);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("polling", &maps).build();
    let (log, stop) = (Log::new(), CancellationToken::new());
    let logged = log.clone();
    let running =
        spawn(controller.run(stop.clone(), move |request| {
            logged.add(request.key);
            let first = logged.len() == 1;
            async move {
                Ok::<_, Never>(if first { Action::requeue_after(60 * S) } else { Action::done() })
            }
        }));
    log.reaches(1).await;
    sleep(10 * S).await;
    server.replace(&map("a", "2")).unwrap();
    log.reaches(2).await;
    sleep(600 * S).await;
    assert_eq!(log.len(), 2);
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn owned_and_related_objects_queue_keys() {
    let server = ApiServer::new();
    let a = server.create(&map("a", "1")).unwrap();
    let b = server.create(&map("b", "1")).unwrap();
    let factory = factory(&server);
    let (maps, secrets) = (factory.informer::<ConfigMap>(), factory.informer::<Secret>());
    let controller = Controller::builder("owner", &maps)
        .owns(&secrets)
        .watches(&secrets, |secret: &Secret| {
            let related = secret.labels().get("for").cloned();
            related.and_then(|name| ObjectKey::namespaced("shop", &name).ok())
        })
        .build();
    let (log, stop) = (Log::new(), CancellationToken::new());
    let running = spawn(controller.run(stop.clone(), noting(&log)));
    log.reaches(2).await;
    log.take();

    let owned = server.create(&secret_of(&a, "of-a")).unwrap();
    log.reaches(1).await;
    assert_eq!(log.take(), [(key("a"), true)]);

    // Passed on: the old owner and the new one hear of it.
    let passed = Secret { metadata: secret_of(&b, "of-a").metadata, ..owned };
    server.replace(&passed).unwrap();
    log.reaches(2).await;
    let both: BTreeSet<_> = log.take().into_iter().map(|(key, _)| key).collect();
    assert_eq!(both, [key("a"), key("b")].into());

    server.delete(&passed).unwrap();
    log.reaches(1).await;
    assert_eq!(log.take(), [(key("b"), true)]);

    let mut related = secret_of(&a, "related");
    related.metadata.owner_references.as_mut().unwrap()[0].controller = None;
    related.labels_mut().insert("for".into(), "b".into());
    server.create(&related).unwrap();
    log.reaches(1).await;
    assert_eq!(log.take(), [(key("b"), true)], "who owns without controlling is not concerned");
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn related_view_queues_keys_and_decodes_no_whole_object() {
    let pod = |n: usize, of: &str| {
        let container = json!({"name": "c", "image": "i", "args": vec!["argument"; 50]});
        let metadata = json!({"namespace": "shop", "name": format!("p{n}"), "labels": {"for": of}});
        let pod = json!({"metadata": metadata, "spec": {"containers": [container]}});
        serde_json::from_value::<Pod>(pod).unwrap()
    };
    let server = ApiServer::new();
    for name in ["a", "b"] {
        server.create(&map(name, "1")).unwrap();
    }
    server.create(&pod(0, "a")).unwrap();
    let factory = factory(&server);
    let pods = factory.informer::<Pod>();
    let view = pods.view::<PartialObjectMeta<Pod>>().unwrap();
    let related = Followed::from(&view).predicate(labels_changed);
    let controller = Controller::builder("names", &factory.informer::<ConfigMap>())
        .watches(related, |pod: &PartialObjectMeta<Pod>| {
            ObjectKey::namespaced("shop", pod.labels().get("for")?).ok()
        })
        .build();
    let (log, stop) = (Log::new(), CancellationToken::new());
    let running = spawn(controller.run(stop.clone(), noting(&log)));
    sleep(S).await;
    log.take();
    let mut passed = pod(0, "b");
    server.replace(&passed).unwrap();
    log.reaches(2).await;
    let both: BTreeSet<_> = log.take().into_iter().map(|(key, _)| key).collect();
    assert_eq!(both, [key("a"), key("b")].into());
    passed.spec.as_mut().unwrap().node_name = Some("n".into());
    server.replace(&passed).unwrap();
    sleep(S).await;
    assert_eq!(log.take(), []);
    server.delete(&passed).unwrap();
    log.reaches(1).await;
    assert_eq!(log.take(), [(key("b"), true)]);
    let storage = pods.status().storage.unwrap();
    assert!(storage.misses == 0 && storage.views[0].misses > 0, "{storage:?}");
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn predicates_see_both_states_and_no_deletes() {
    let server = ApiServer::new();
    let a = server.create(&map("a", "1")).unwrap();
    server.create(&map("ignored", "1")).unwrap();
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("picky", &maps)
        .predicate(|event| event.object().name_any() == "a")
        .predicate(|event| event.old().is_none_or(|old| old.data != event.object().data))
        .build();
    let (log, stop) = (Log::new(), CancellationToken::new());
    let running = spawn(controller.run(stop.clone(), noting(&log)));
    log.reaches(1).await;
    assert_eq!(log.take(), [(key("a"), true)]);

    let mut labelled = a.clone();
    labelled.labels_mut().insert("x".into(), "y".into());
    server.replace(&labelled).unwrap();
    sleep(S).await;
    assert_eq!(log.len(), 0, "its data is the same");
    server.replace(&map("a", "2")).unwrap();
    log.reaches(1).await;
    assert_eq!(log.take(), [(key("a"), true)]);
    server.delete(&map("ignored", "1")).unwrap();
    log.reaches(1).await;
    assert_eq!(log.take(), [(key("ignored"), false)]);
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[test]
fn the_predicates_that_come_with_it() {
    let mut old = map("a", "1");
    old.metadata.generation = Some(1);
    old.metadata.resource_version = Some("1".into());
    let resync = old.clone();
    let mut status = old.clone();
    status.metadata.resource_version = Some("2".into());
    let mut spec = status.clone();
    spec.metadata.generation = Some(2);
    for (new, generation, version) in
        [(&resync, false, false), (&status, false, true), (&spec, true, true)]
    {
        let updated = EventRef::Updated { old: &old, new };
        assert_eq!(generation_changed(&updated), generation);
        assert_eq!(version_changed(&updated), version);
        let added = EventRef::Added { object: new, initial: false };
        let deleted = EventRef::Deleted { object: new, final_state_known: true };
        for event in [added, deleted] {
            assert!(generation_changed(&event) && version_changed(&event));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_reconciled_before_every_informer_has_synced() {
    let server = server_with(&["a"]);
    forbid(&server, "/secrets");
    let factory = factory(&server);
    let (maps, secrets) = (factory.informer::<ConfigMap>(), factory.informer::<Secret>());
    let controller = Controller::builder("waiting", &maps).owns(&secrets).build();
    let handle = controller.handle();
    let (log, stop) = (Log::new(), CancellationToken::new());
    let running = spawn(controller.run(stop.clone(), noting(&log)));
    sleep(30 * S).await;
    assert!(maps.has_synced());
    assert_eq!((log.len(), handle.status().phase), (0, Phase::Syncing));
    server.stop_intercepting();
    log.reaches(1).await;
    assert_eq!(handle.status().phase, Phase::Working);
    stop.cancel();
    running.await.unwrap().unwrap();
    assert_eq!(handle.status().phase, Phase::Stopped);
    assert!(!handle.trigger(key("a")), "it takes nothing any more");
}

#[tokio::test(start_paused = true)]
async fn unsynced_informer_is_named_with_its_error() {
    let server = ApiServer::new();
    forbid(&server, "/secrets");
    let factory = factory(&server);
    let (maps, secrets) = (factory.informer::<ConfigMap>(), factory.informer::<Secret>());
    let controller =
        Controller::builder("waiting", &maps).owns(&secrets).sync_timeout(30 * S).build();
    let start = Instant::now();
    let ended = controller.run(CancellationToken::new(), noting(&Log::new())).await;
    assert_eq!(start.elapsed(), 30 * S);
    let Err(ControllerError::NotSynced { source, .. }) = &ended else { panic!("{ended:?}") };
    assert_eq!(source.unsynced.len(), 1, "config maps are there");
    let text = ended.unwrap_err().to_string();
    for part in ["controller waiting", "secrets", "403"] {
        assert!(text.contains(part), "{part:?} in {text:?}");
    }
    assert!(maps.status().handlers.is_empty(), "nothing is left behind");
}

#[tokio::test(start_paused = true)]
async fn stop_during_sync_ends_the_controller() {
    let server = ApiServer::new();
    forbid(&server, "/configmaps");
    let maps = factory(&server).informer::<ConfigMap>();
    let stop = CancellationToken::new();
    let controller = Controller::builder("waiting", &maps).build();
    let running = spawn(controller.run(stop.clone(), noting(&Log::new())));
    sleep(S).await;
    stop.cancel();
    timeout(S, running).await.expect("at once").unwrap().unwrap();

    maps.shutdown().await;
    let controller = Controller::builder("late", &maps).build();
    let ended = controller.run(CancellationToken::new(), noting(&Log::new())).await;
    assert!(matches!(ended, Err(ControllerError::Stopped { .. })), "{ended:?}");
}

#[tokio::test(start_paused = true)]
async fn running_reconciles_get_the_grace_at_stop() {
    for (takes, ends) in [(5, true), (50, false)] {
        let server = server_with(&["a", "b"]);
        let maps = factory(&server).informer::<ConfigMap>();
        let controller = Controller::builder("slow", &maps).grace(10 * S).build();
        let (log, stop) = (Log::new(), CancellationToken::new());
        let logged = log.clone();
        let running = spawn(controller.run(stop.clone(), move |request| {
            let log = logged.clone();
            async move {
                log.add("begun");
                request.stop.cancelled().await;
                sleep(takes * S).await;
                log.add("ended");
                Ok::<_, Never>(Action::done())
            }
        }));
        log.reaches(1).await;
        let start = Instant::now();
        stop.cancel();
        let ended = running.await.unwrap();
        if ends {
            ended.unwrap();
            assert_eq!(start.elapsed(), 5 * S);
            assert_eq!(log.take(), ["begun", "ended"], "no other began");
        } else {
            let Err(ControllerError::Unfinished { keys, .. }) = ended else { panic!("{ended:?}") };
            assert_eq!(keys.len(), 1);
            assert_eq!(start.elapsed(), 10 * S);
            sleep(100 * S).await;
            assert_eq!(log.take(), ["begun"]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn live_changes_go_ahead_of_the_first_list() {
    let server = ApiServer::new();
    for n in 0..50 {
        server.create(&map(&format!("old-{n}"), "1")).unwrap();
    }
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("slow", &maps).build();
    let (log, stop) = (Log::new(), CancellationToken::new());
    let logged = log.clone();
    let running = spawn(controller.run(stop.clone(), move |request| {
        logged.add(request.key.name().to_owned());
        async {
            sleep(100 * MS).await;
            Ok::<_, Never>(Action::done())
        }
    }));
    log.reaches(5).await;
    server.create(&map("new", "1")).unwrap();
    log.reaches(8).await;
    assert!(log.take().contains(&"new".to_owned()));
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[test]
fn its_parts_can_be_shared_and_sent() {
    fn check<T: Send + Sync + std::fmt::Debug>() {}
    check::<Controller<ConfigMap>>();
    check::<kube_controllers::controller::ControllerHandle>();
    check::<kube_controllers::controller::ControllerStatus>();
    check::<kube_controllers::controller::OwnWrites<ConfigMap>>();
    check::<ControllerError>();
    check::<ReconcileRequest<ConfigMap>>();
}
