//! Debounce, limits of retries, requests to reconcile all, owners: what they promise together with
//! backoff, own writes, predicates and terms of leadership.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use k8s_openapi::api::core::v1::{ConfigMap, Node, PersistentVolume, Pod, Secret};
use kube::api::{Api, ApiResource, DynamicObject, PostParams};
use kube_controllers::controller::{OwnWrites, Phase};
use kube_controllers::{Action, Controller, LeaderElector};
use kube_informer::testing::ApiServer;
use kube_informer::workqueue::ExponentialBackoff;
use serde_json::json;
use tokio::time::{Duration, Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::leading::losing_its_lease;
use crate::helpers::*;

fn secret(name: &str) -> Secret {
    Secret { metadata: map(name, "1").metadata, ..Secret::default() }
}

fn pod(image: &str) -> Pod {
    let pod = json!({
        "metadata": { "name": "a", "namespace": "shop" },
        "spec": { "containers": [{ "name": "c", "image": image }] },
    });
    serde_json::from_value(pod).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_new_spec_of_a_failing_key_waits_for_the_debounce() {
    let server = ApiServer::new();
    server.create(&pod("1")).unwrap();
    let pods = factory(&server).informer::<Pod>();
    let controller = Controller::builder("failing", &pods)
        .debounce(30 * S)
        .limiter(ExponentialBackoff::new(600 * S, 600 * S))
        .build();
    let (log, stop, start) = (Log::new(), CancellationToken::new(), Instant::now());
    let logged = log.clone();
    let running = spawn(controller.run(stop.clone(), move |_| {
        logged.add(start.elapsed().as_secs());
        async { Err::<Action, _>("on purpose") }
    }));
    log.reaches(1).await;
    sleep(10 * S).await;
    log.take();
    let changed = start.elapsed().as_secs();
    for image in ["2", "3", "4"] {
        server.replace(&pod(image)).unwrap();
        sleep(2 * S).await;
    }
    sleep(60 * S).await;
    assert_eq!(log.take(), [changed + 30], "once, a period after the first change");
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn waits_for_the_cache_use_up_no_retries() {
    let server = server_with(&["a"]);
    let factory = factory(&server);
    let (maps, secrets) = (factory.informer::<ConfigMap>(), factory.informer::<Secret>());
    let writes = OwnWrites::new(&secrets);
    let controller = Controller::builder("limited", &maps)
        .max_retries(3)
        .limiter(ExponentialBackoff::new(S, S))
        .reads_own_writes(&writes)
        .build();
    let (log, handle, stop) = (Log::new(), controller.handle(), CancellationToken::new());
    let logged = log.clone();
    let running = spawn(controller.run(stop.clone(), move |request| {
        let own = request.key.name() == "a";
        let first = own && logged.len() == 0;
        if own {
            logged.add(());
        }
        if first {
            // A write that the cache will not show for long.
            let mut late = secret("late");
            late.metadata.resource_version = Some("100".into());
            writes.expect_write(&request.key, &late).unwrap();
        }
        async move {
            match (own, first) {
                (false, _) => Ok(Action::done()),
                (_, true) => Ok(Action::retry()),
                _ => Err("on purpose"),
            }
        }
    }));
    log.reaches(1).await;
    forbid(&server, "/api/v1/secrets");
    // Several waits end in vain, and no read from a quorum proves the cache.
    sleep(60 * S).await;
    assert_eq!((log.len(), handle.status().given_up), (1, 0));
    server.stop_intercepting();
    sleep(600 * S).await;
    let given_up = handle.status().given_up;
    assert_eq!((log.len(), given_up), (1 + 1 + 3, 1), "the first, one that fails, three retries");
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_request_for_all_objects_before_the_work_is_kept() {
    let server = server_with(&["a"]);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller =
        Controller::builder("picky", &maps).predicate(|event| event.old().is_some()).build();
    let (log, handle, stop) = (Log::new(), controller.handle(), CancellationToken::new());
    assert!(handle.reconcile_all());
    let logged = log.clone();
    let running = spawn(controller.run(stop.clone(), move |request| {
        logged.add(request.key.to_string());
        async { Ok::<_, Infallible>(Action::done()) }
    }));
    log.reaches(1).await;
    sleep(10 * S).await;
    assert_eq!(log.take(), ["shop/a"], "once, although the predicate refuses the list");
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn owners_that_cannot_exist_are_not_reconciled() {
    let server = ApiServer::new();
    let owned = |kind: &str, namespace: Option<&str>| {
        json!({
            "metadata": { "name": "dependent", "namespace": namespace, "ownerReferences": [{
                "apiVersion": "v1", "kind": kind, "name": "owner", "uid": "u", "controller": true,
            }] },
        })
    };
    let secret: Secret = serde_json::from_value(owned("PersistentVolume", Some("shop"))).unwrap();
    let node: Node = serde_json::from_value(owned("ConfigMap", None)).unwrap();
    server.create(&secret).unwrap();
    server.create(&node).unwrap();
    let factory = factory(&server);
    // No volume is stored, so whether volumes have namespaces is unknown.
    let volumes = factory.dynamic(&ApiResource::erase::<PersistentVolume>(&()));
    let nodes = ApiResource::erase::<Node>(&());
    let of_volumes = Controller::<DynamicObject>::builder("volumes", &volumes)
        .owns(&factory.informer::<Secret>())
        .build();
    let of_maps = Controller::builder("maps", &factory.informer::<ConfigMap>())
        .owns(&factory.dynamic(&nodes))
        .build();
    let (log, stop) = (Log::new(), CancellationToken::new());
    let (first, second) = (log.clone(), log.clone());
    let volumes = of_volumes.run(stop.clone(), move |request| {
        first.add(request.key.to_string());
        async { Ok::<_, Infallible>(Action::done()) }
    });
    let maps = of_maps.run(stop.clone(), move |request| {
        second.add(request.key.to_string());
        async { Ok::<_, Infallible>(Action::done()) }
    });
    let running = spawn(futures::future::join(volumes, maps));
    sleep(10 * S).await;
    assert!(log.take().is_empty(), "no such owner can be known");
    stop.cancel();
    let (volumes, maps) = running.await.unwrap();
    volumes.unwrap();
    maps.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_key_that_waits_for_its_writes_does_not_oversleep_the_next_term() {
    let server = server_with(&["a"]);
    let cut = Arc::new(AtomicBool::new(false));
    let client = losing_its_lease(&server, &cut);
    let elector = LeaderElector::builder(client, "shop", "work")
        .lease_duration(Duration::from_secs(4))
        .renew_deadline(Duration::from_secs(3))
        .retry_period(200 * MS)
        .build()
        .unwrap();
    let factory = factory(&server);
    let (maps, secrets) = (factory.informer::<ConfigMap>(), factory.informer::<Secret>());
    let writes = OwnWrites::new(&secrets);
    let controller = Controller::builder("work", &maps)
        .leader_election(elector)
        .rejoins_election(true)
        .reads_own_writes(&writes)
        .build();
    let (log, handle, stop) = (Log::new(), controller.handle(), CancellationToken::new());
    let logged = log.clone();
    let running = spawn(controller.run(stop.clone(), move |request| {
        let own = request.key.name() == "a";
        if own && logged.len() == 0 {
            let mut late = secret("late");
            late.metadata.resource_version = Some("20".into());
            writes.expect_write(&request.key, &late).unwrap();
        }
        if own {
            logged.add(());
        }
        async { Ok::<_, Infallible>(Action::requeue_after(S)) }
    }));
    log.reaches(1).await;
    sleep(2 * S).await;
    cut.store(true, Ordering::SeqCst);
    while handle.status().phase != Phase::Standby {
        sleep(100 * MS).await;
    }
    let api = Api::<Secret>::namespaced(server.client(), "shop");
    while server.revision() < 20 {
        let number = server.revision();
        server.create(&map(&format!("other-{number}"), "1")).unwrap();
    }
    let late = secret("late");
    api.create(&PostParams::default(), &late).await.unwrap();
    cut.store(false, Ordering::SeqCst);
    while handle.status().phase != Phase::Working {
        sleep(100 * MS).await;
    }
    let tries = log.len();
    timeout(2 * S, log.reaches(tries + 1)).await.expect("the writes are there: it begins at once");
    stop.cancel();
    running.await.unwrap().unwrap();
}

/// A context whose drop panics.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("on purpose: the drop of a context");
    }
}

#[tokio::test(start_paused = true)]
async fn a_context_whose_drop_panics_does_not_end_the_caller() {
    let server = server_with(&["a"]);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("bomb", &maps).context(Bomb).build();
    let stop = CancellationToken::new();
    let ends = stop.clone();
    let reconcile = move |_: kube_controllers::ReconcileRequest<ConfigMap, Bomb>| {
        ends.cancel();
        async { Ok::<_, Infallible>(Action::done()) }
    };
    controller.run(stop, reconcile).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_error_of_endless_causes_is_retried() {
    #[derive(Debug)]
    struct Endless(&'static str);
    impl std::fmt::Display for Endless {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(self.0)
        }
    }
    impl std::error::Error for Endless {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(if self.0 == "one" { &Endless("two") } else { &Endless("one") })
        }
    }
    let server = server_with(&["a"]);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("failing", &maps).build();
    let (handle, stop) = (controller.handle(), CancellationToken::new());
    let running =
        spawn(controller.run(stop.clone(), |_| async { Err::<Action, _>(Endless("one")) }));
    sleep(S).await;
    let status = handle.status();
    assert!(status.failed > 1 && status.given_up == 0, "{status:?}");
    let text = status.last_failure.unwrap().error;
    assert!(text.starts_with("one: two: one") && text.ends_with("two: one… (cut)"), "{text}");
    stop.cancel();
    running.await.unwrap().unwrap();
}
