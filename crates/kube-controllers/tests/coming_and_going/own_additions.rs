//! The informers of a controller's own objects overlap, lag behind a takeover, and stop.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_controllers::controller::{FollowGuard, Phase, Presence, UnknownReason};
use kube_controllers::{Action, Controller};
use kube_informer::factory::Interest;
use kube_informer::object::{ShardKey, ShardSelector};
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer::{InformerSpec, ObjectKey, SharedInformerFactory};
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::following::{Run, SOON, Saw, maps_in, namesake, other, secrets_in, tenant};
use crate::helpers::{S, elector, factory, factory_of, map, map_in, server_with, spawn, until};
use crate::references::{naming, secret};

fn labelled(namespace: &str, name: &str, app: &str) -> ConfigMap {
    let mut map = map_in(namespace, name);
    map.metadata.labels = Some(BTreeMap::from([("app".into(), app.into())]));
    map
}

fn selected(factory: &SharedInformerFactory, namespace: &str, app: &str) -> Interest<ConfigMap> {
    let spec = InformerSpec::new().namespace(namespace).labels(format!("app={app}"));
    factory.interest(spec).unwrap()
}

/// Leads as another replica until the token is cancelled.
fn lead_elsewhere(server: &ApiServer) -> (CancellationToken, JoinHandle<()>) {
    let led = CancellationToken::new();
    let (mut leader, leads) = (elector(server.client(), "other"), led.clone());
    let running = spawn(async move {
        leader.run(leads, |stop| async move { stop.cancelled().await }).await.unwrap();
    });
    (led, running)
}

/// Returns the key of the map in `bank` that has the name of a secret.
fn namesake_in_bank(secret: &Secret) -> Option<ObjectKey> {
    ObjectKey::namespaced("bank", secret.metadata.name.as_deref()?).ok()
}

fn present(key: &str) -> (String, Saw) {
    (key.to_owned(), Saw::Present)
}

#[tokio::test(start_paused = true)]
async fn overlapping_informers_hide_no_object() {
    let server = ApiServer::new();
    for (namespace, name, app) in [("shop", "a", "a"), ("shop", "c", "b"), ("bank", "b", "b")] {
        server.create(&labelled(namespace, name, app)).unwrap();
    }
    let faults = Faults::new();
    faults.inject(Requests::all().to("app=refused"), Injection::status(403));
    faults.inject(Requests::all().to("app%3Drefused"), Injection::status(403));
    let factory = factory_of(faults.client(server.client()));
    let built = factory.informer_with(InformerSpec::<ConfigMap>::new().labels("app=a")).unwrap();
    let run = Run::of(Controller::builder("maps", &built).build());
    run.works().await;
    assert_eq!(run.take(), [present("shop/a")]);

    let (refused, others) =
        (selected(&factory, "shop", "refused"), selected(&factory, "shop", "b"));
    let _refused_guard = run.following.reconciles(&*refused).unwrap();
    let others_guard = run.following.reconciles(&*others).unwrap();
    let bank = maps_in(&factory, "bank");
    let bank_guard = run.following.reconciles(&bank).unwrap();
    sleep(SOON).await;
    assert_eq!(run.take(), [present("bank/b"), present("shop/c")]);

    // Only the namespace without a selector knows what is gone.
    server.delete(&map_in("bank", "b")).unwrap();
    server.delete(&map_in("shop", "a")).unwrap();
    sleep(S).await;
    assert_eq!(run.take(), [("bank/b".into(), Saw::Gone)], "the refused one may have shop/a");
    server.create(&labelled("shop", "a", "a")).unwrap();
    sleep(S).await;
    assert_eq!(run.take(), [present("shop/a")], "an event brings a key back that waits");

    // A key that is in neither informer any more leaves the queue.
    drop(others_guard);
    sleep(S).await;
    run.handle.trigger(other("shop/c"));
    sleep(S).await;
    assert_eq!(run.take(), []);
    faults.clear();
    sleep(60 * S).await;
    let not_selected = Saw::Unknown(UnknownReason::NotSelected);
    assert_eq!(run.take(), [("shop/c".into(), not_selected)]);
    drop(bank_guard);
    run.end().await;
}

#[tokio::test(start_paused = true)]
async fn stopped_own_addition_shows_no_old_state() {
    let server = ApiServer::new();
    server.create(&naming("bank", "x", &["old"])).unwrap();
    let factory = factory(&server);
    let controller = Controller::builder("maps", &maps_in(&factory, "shop")).build();
    let (handle, following) = (controller.handle(), controller.following());
    let (stop, seen) = (CancellationToken::new(), Arc::<Mutex<Vec<_>>>::default());
    let noted = seen.clone();
    spawn(controller.run(stop.clone(), move |request| {
        let value = match &request.object {
            Presence::Present(map) => {
                map.data.iter().flatten().map(|(name, _)| name.clone()).collect()
            }
            other => format!("{other:?}"),
        };
        noted.lock().push(value);
        async { Ok::<_, Infallible>(Action::done()) }
    }));
    let take = || std::mem::take(&mut *seen.lock());
    let first = maps_in(&factory, "bank");
    let _guard = following.reconciles(&first).unwrap();
    sleep(5 * S).await;
    assert_eq!(take(), ["old"]);
    factory.remove(&first).await;
    server.replace(&naming("bank", "x", &["new"])).unwrap();
    handle.trigger(other("bank/x"));
    sleep(S).await;
    assert_eq!(take(), ["Unknown(Stopped)"]);
    let _again = following.reconciles(&maps_in(&factory, "bank")).unwrap();
    sleep(5 * S).await;
    assert_eq!(take(), ["new"]);
    stop.cancel();
}

/// A standby follows `bank`. Its view fails before the takeover, and `bank/x` is created.
async fn take_over_with(fault: Injection, remove: bool) {
    let server = ApiServer::new();
    server.create(&map_in("shop", "a")).unwrap();
    let faults = Faults::new();
    let factory = factory_of(faults.client(server.client()));
    let (led, leader) = lead_elsewhere(&server);
    sleep(S).await;
    let secrets = secrets_in(&factory, "shop");
    let controller = Controller::builder("maps", &maps_in(&factory, "shop"))
        .leader_election(elector(server.client(), "this"))
        .watches(&*secrets, namesake_in_bank);
    let run = Run::of(controller.build());
    until("the standby", || run.handle.status().phase == Phase::Standby).await;
    let bank = factory.interest(InformerSpec::<ConfigMap>::new().namespace("bank")).unwrap();
    let guard = run.following.reconciles(&*bank).unwrap();
    guard.wait_for_sync(SOON).await.unwrap();
    faults.inject(Requests::all().to("/bank/configmaps"), fault);
    faults.cut_now();
    sleep(S).await;
    server.create(&map_in("bank", "x")).unwrap();
    server.create(&secret(&other("shop/x"), "")).unwrap();
    sleep(S).await;
    led.cancel();
    leader.await.unwrap();
    until("the work", || run.handle.status().phase == Phase::Working).await;
    sleep(10 * S).await;
    assert_eq!(run.take(), [present("shop/a")]);
    assert_eq!(run.handle.status().missing, ["configmaps in bank".into()]);
    if remove {
        drop(guard);
        sleep(S).await;
        assert_eq!(run.take(), [], "its keys have left");
        run.handle.trigger(other("bank/x"));
        sleep(S).await;
        assert_eq!(run.take(), [("bank/x".into(), Saw::Unknown(UnknownReason::NotHeld))]);
    } else {
        faults.clear();
        sleep(300 * S).await;
        let seen = run.take();
        assert!(!seen.is_empty() && seen.iter().all(|one| *one == present("bank/x")), "{seen:?}");
        assert_eq!(run.handle.status().missing, []);
    }
    run.end().await;
}

#[tokio::test(start_paused = true)]
async fn own_additions_keep_their_keys_until_they_prove_a_takeover() {
    for remove in [false, true] {
        take_over_with(Injection::status(403), remove).await;
        take_over_with(Injection::black_hole(), remove).await;
    }
}

#[tokio::test(start_paused = true)]
async fn namespace_of_a_set_keeps_its_keys_until_it_proves_a_takeover() {
    let server = ApiServer::new();
    for name in ["bank", "shop"] {
        server.create(&tenant(name, true)).unwrap();
        server.create(&map_in(name, "a")).unwrap();
    }
    let faults = Faults::new();
    let factory = factory_of(faults.client(server.client()));
    let (led, leader) = lead_elsewhere(&server);
    sleep(S).await;
    let maps = factory.in_namespaces_where("tenant=true", InformerSpec::<ConfigMap>::new());
    let controller = Controller::builder("maps", &maps.unwrap())
        .leader_election(elector(server.client(), "this"));
    let run = Run::of(controller.build());
    until("the standby", || run.handle.status().phase == Phase::Standby).await;
    sleep(10 * S).await;
    faults.inject(Requests::all().to("/bank/configmaps"), Injection::status(403));
    faults.cut_now();
    led.cancel();
    leader.await.unwrap();
    until("the work", || run.handle.status().phase == Phase::Working).await;
    sleep(SOON).await;
    assert_eq!(run.take(), [present("shop/a")], "bank may have changed");
    assert_eq!(run.handle.status().missing, ["configmaps in bank".into()]);
    faults.clear();
    sleep(300 * S).await;
    assert_eq!(run.take(), [present("bank/a")]);
    run.end().await;
}

#[tokio::test(start_paused = true)]
async fn own_addition_while_leading_is_not_gone_before_its_view_is_fresh() {
    let server = ApiServer::new();
    let faults = Faults::new();
    let factory = factory_of(faults.client(server.client()));
    let bank = factory.interest(InformerSpec::<ConfigMap>::new().namespace("bank")).unwrap();
    factory.start().unwrap();
    bank.wait_for_sync(SOON).await.unwrap();
    // Only the watch is silent. Lists answer.
    faults.inject(Requests::watches().to("/bank/configmaps"), Injection::black_hole());
    faults.cut_now();
    sleep(S).await;
    let (led, leader) = lead_elsewhere(&server);
    sleep(S).await;
    server.create(&map_in("bank", "x")).unwrap();
    let controller = Controller::builder("maps", &maps_in(&factory, "shop"))
        .leader_election(elector(server.client(), "this"));
    let run = Run::of(controller.build());
    sleep(S).await;
    led.cancel();
    leader.await.unwrap();
    run.works().await;
    let _guard = run.following.reconciles(&*bank).unwrap();
    assert_eq!(run.handle.status().missing, ["configmaps in bank".into()], "at once");
    run.handle.trigger(other("bank/x"));
    run.handle.trigger(other("bank/y"));
    sleep(SOON).await;
    assert_eq!(run.take(), [present("bank/x"), ("bank/y".into(), Saw::Gone)]);
    run.end().await;
}

#[tokio::test(start_paused = true)]
async fn silent_addition_holds_up_no_first_reconcile() {
    let server = ApiServer::new();
    for name in ["bank", "shop"] {
        server.create(&tenant(name, true)).unwrap();
        server.create(&map_in(name, "a")).unwrap();
    }
    let faults = Faults::new();
    faults.inject(Requests::all().to("/secrets"), Injection::black_hole());
    faults.inject(Requests::all().to("/bank/configmaps"), Injection::black_hole());
    let factory = factory_of(faults.client(server.client()));
    let maps = factory.in_namespaces_where("tenant=true", InformerSpec::<ConfigMap>::new());
    let maps = maps.unwrap();
    maps.start().unwrap();
    sleep(5 * S).await;
    let controller = Controller::builder("maps", &maps).build();
    let _guard = controller.following().owns(&*secrets_in(&factory, "bank")).unwrap();
    let (begun, run) = (Instant::now(), Run::of(controller));
    until("the first reconcile", || run.take() == [present("shop/a")]).await;
    assert!(begun.elapsed() < S, "{:?}", begun.elapsed());
    run.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn blocked_mapping_of_an_addition_holds_up_no_first_reconcile() {
    let server = ApiServer::new();
    server.create(&map_in("shop", "a")).unwrap();
    server.create(&secret(&other("bank/a"), "")).unwrap();
    let factory = factory(&server);
    let secrets = secrets_in(&factory, "bank");
    factory.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    let controller = Controller::builder("maps", &maps_in(&factory, "shop")).build();
    let (reconciled, waiting) = mpsc::channel();
    let (waiting, result) = (Mutex::new(waiting), mpsc::channel());
    let _guard = controller.following().watches(&*secrets, move |_: &Secret| {
        result.0.send(waiting.lock().recv_timeout(10 * S)).unwrap();
        None::<ObjectKey>
    });
    let stop = CancellationToken::new();
    let running = spawn(controller.run(stop.clone(), move |_| {
        reconciled.send(()).unwrap();
        async { Ok::<_, Infallible>(Action::done()) }
    }));
    let result = tokio::task::spawn_blocking(move || result.1.recv_timeout(20 * S).unwrap());
    assert_eq!(result.await.unwrap(), Ok(()), "the reconcile waited for the mapping");
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn no_mapping_begins_after_the_drop_of_its_guard() {
    let server = ApiServer::new();
    for number in 0..40 {
        server.create(&secret(&other(&format!("bank/s{number}")), "")).unwrap();
    }
    let factory = factory(&server);
    let run = Run::of(Controller::builder("maps", &maps_in(&factory, "shop")).build());
    run.works().await;
    let secrets = secrets_in(&factory, "bank");
    factory.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    let (guard, calls) = (Arc::<Mutex<Option<FollowGuard>>>::default(), Arc::new(Mutex::new(0)));
    let (held, counted) = (guard.clone(), calls.clone());
    let following = run.following.watches(&*secrets, move |secret: &Secret| {
        *counted.lock() += 1;
        drop(held.lock().take());
        namesake(secret)
    });
    *guard.lock() = Some(following.unwrap());
    sleep(SOON).await;
    assert_eq!(*calls.lock(), 1);
    run.end().await;
}

#[tokio::test(start_paused = true)]
async fn guard_knows_after_the_end_that_nothing_has_synced() {
    let server = ApiServer::new();
    let faults = Faults::new();
    faults.inject(Requests::all().to("/secrets"), Injection::black_hole());
    let factory = factory_of(faults.client(server.client()));
    let run = Run::of(Controller::builder("maps", &maps_in(&factory, "shop")).build());
    run.works().await;
    let secrets = secrets_in(&factory, "bank");
    let guard = run.following.owns(&*secrets).unwrap();
    run.end().await;
    let late = guard.wait_for_sync(10 * S).await.unwrap_err();
    assert!(late.to_string().contains("secrets"), "{late}");
}

#[tokio::test(start_paused = true)]
async fn key_that_waits_is_reconciled_after_the_removal() {
    let server = ApiServer::new();
    let faults = Faults::new();
    let factory = factory_of(faults.client(server.client()));
    let own = selected(&factory, "shop", "a");
    let controller = Controller::builder("maps", &*own).build();
    let (handle, following) = (controller.handle(), controller.following());
    let seen = Arc::<Mutex<Vec<_>>>::default();
    let noted = seen.clone();
    let mut running = Box::pin(controller.run(CancellationToken::new(), move |request| {
        noted.lock().push(Saw::of(&request.object));
        async { Ok::<_, Infallible>(Action::done()) }
    }));
    assert!(timeout(5 * S, &mut running).await.is_err());
    faults.inject(Requests::all().to("/shop/configmaps"), Injection::black_hole());
    for noticed in [false, true] {
        let shop = factory.interest(InformerSpec::<ConfigMap>::new().namespace("shop")).unwrap();
        let guard = following.reconciles(&*shop).unwrap();
        handle.trigger(other("shop/x"));
        // The workers are tasks of their own.
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        if noticed {
            assert!(timeout(S, &mut running).await.is_err());
        }
        assert_eq!(*seen.lock(), []);
        drop(guard);
        assert!(timeout(S, &mut running).await.is_err());
        let not_selected = Saw::Unknown(UnknownReason::NotSelected);
        assert_eq!(std::mem::take(&mut *seen.lock()), [not_selected], "noticed: {noticed}");
    }
}

#[tokio::test(start_paused = true)]
async fn key_stays_queued_when_one_of_two_informers_narrows() {
    let server = server_with(&["hold", "x"]);
    let factory = factory(&server);
    let (narrows, shard) = watch::channel(ShardSelector::everything(ShardKey::Namespace));
    let whole = factory.informer::<ConfigMap>();
    let part = factory.informer_with(InformerSpec::<ConfigMap>::new().shard(shard)).unwrap();
    let controller = Controller::builder("maps", &whole).concurrency(1).build();
    let following = controller.following();
    let (held, seen) = (Arc::new(AtomicBool::new(false)), Arc::<Mutex<Vec<String>>>::default());
    let (holds, notes, stop) = (held.clone(), seen.clone(), CancellationToken::new());
    let running = spawn(controller.run(stop.clone(), move |request| {
        let (holds, notes) = (holds.clone(), notes.clone());
        async move {
            if let Presence::Present(map) = &request.object {
                let value = map.data.clone().unwrap_or_default().remove("value");
                notes.lock().push(format!("{}={}", request.key, value.unwrap_or_default()));
            }
            while request.key.name() == "hold" && holds.load(Ordering::Relaxed) {
                sleep(S / 100).await;
            }
            Ok::<_, Infallible>(Action::done())
        }
    }));
    let _guard = following.reconciles(&part).unwrap();
    sleep(10 * S).await;
    held.store(true, Ordering::Relaxed);
    server.replace(&map("hold", "2")).unwrap();
    sleep(S).await;
    // The only worker is busy; `x` waits in the queue.
    server.replace(&map("x", "2")).unwrap();
    sleep(S).await;
    narrows.send_replace(ShardSelector::nothing(ShardKey::Namespace));
    sleep(S).await;
    held.store(false, Ordering::Relaxed);
    sleep(600 * S).await;
    let seen = seen.lock().clone();
    assert!(seen.contains(&"shop/x=2".to_owned()), "{seen:?}");
    stop.cancel();
    running.await.unwrap().unwrap();
}
