//! A key that runs without end is told, slowed on request, and lets a paused clock move.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, Patch, PatchParams};
use kube_controllers::controller::HotKey;
use kube_controllers::{Action, Controller, ReconcileRequest};
use kube_informer::testing::ApiServer;
use serde_json::json;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

/// Changes the value of `shop/a`.
async fn change(api: &Api<ConfigMap>, value: u64) {
    let patch = Patch::Merge(json!({ "data": { "value": value.to_string() } }));
    api.patch("a", &PatchParams::default(), &patch).await.unwrap();
}

fn maps(server: &ApiServer) -> Api<ConfigMap> {
    Api::namespaced(server.client(), "shop")
}

/// Runs a controller for a minute, whose keys requeue themselves without a delay. Returns the
/// number of runs, and the hot keys.
async fn requeue_for_a_minute(names: &[&str], kept: usize) -> (u64, Vec<HotKey>) {
    let server = server_with(names);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("eager", &maps).triggers_kept(kept).build();
    let (handle, runs) = (controller.handle(), Arc::new(AtomicU64::new(0)));
    let counted = runs.clone();
    let running = controller.run(CancellationToken::new(), move |_| {
        let runs = counted.fetch_add(1, Ordering::Relaxed);
        assert!(runs < 10_000, "the clock would never move");
        async { Ok::<_, std::io::Error>(Action::requeue_after(Duration::ZERO)) }
    });
    timeout(60 * S, running).await.unwrap_err();
    (runs.load(Ordering::Relaxed), handle.status().hot_keys)
}

#[tokio::test(start_paused = true)]
async fn requeue_without_delay_is_slowed() {
    let (runs, hot) = requeue_for_a_minute(&["a"], 8).await;
    assert!((300..400).contains(&runs), "{runs}");
    let [hot] = &*hot else { panic!("{hot:?}") };
    let text = hot.to_string();
    let named = text.contains("shop/a") && text.contains("a requeue that the last reconcile");
    assert!(named, "{text}");
}

/// There are more keys than the controller keeps triggers of.
#[tokio::test(start_paused = true)]
async fn keys_that_spin_in_turn_are_slowed() {
    for kept in [2, 0] {
        let (runs, hot) = requeue_for_a_minute(&["a", "b", "c"], kept).await;
        assert!((900..1200).contains(&runs), "{runs}");
        let keys: Vec<_> = hot.iter().map(|hot| &*hot.key).collect();
        assert_eq!(keys, ["shop/a", "shop/b", "shop/c"]);
        let explained = hot.iter().filter(|hot| hot.to_string().contains("because of"));
        assert_eq!(explained.count(), kept);
    }
}

#[tokio::test(start_paused = true)]
async fn wait_names_own_writes_until_they_end() {
    let server = server_with(&["a"]);
    let (informer, api) = (factory(&server).informer::<ConfigMap>(), maps(&server));
    let controller = Controller::builder("restless", &informer).build();
    let (handle, stop) = (controller.handle(), CancellationToken::new());
    let (written, rests) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let (counted, resting) = (written.clone(), rests.clone());
    let running = spawn(controller.run(stop.clone(), move |_| {
        let api = (!resting.load(Ordering::Relaxed)).then(|| api.clone());
        let value = counted.fetch_add(1, Ordering::Relaxed);
        async move {
            if let Some(api) = api {
                change(&api, value).await;
            }
            Ok::<_, std::io::Error>(Action::done())
        }
    }));
    let never = async || {
        let late = informer.wait_until(&key("never"), 5 * S, |map| map.is_some()).await;
        late.unwrap_err().to_string()
    };
    let late = never().await;
    assert!(late.contains("restless") && late.contains("shop/a"), "{late}");
    assert!(late.contains("shop/a of configmaps was updated"), "{late}");
    sleep(60 * S).await;
    assert!((300..400).contains(&written.load(Ordering::Relaxed)));
    assert!(never().await.contains("restless"), "it goes on");
    rests.store(true, Ordering::Relaxed);
    sleep(30 * S).await;
    let late = never().await;
    assert!(!late.contains("restless") && handle.status().hot_keys.is_empty(), "{late}");
    stop.cancel();
    running.await.unwrap().unwrap();
}

/// Each run queues a key that no run had before.
#[tokio::test(start_paused = true)]
async fn new_keys_without_end_are_slowed() {
    let server = server_with(&["a"]);
    let informer = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("breeder", &informer).build();
    let (handle, made) = (controller.handle(), Arc::new(AtomicU64::new(0)));
    let (own, counted) = (handle.clone(), made.clone());
    let running = controller.run(CancellationToken::new(), move |_| {
        own.trigger(key(&format!("c-{}", counted.fetch_add(1, Ordering::Relaxed))));
        async { Ok::<_, std::io::Error>(Action::done()) }
    });
    timeout(60 * S, running).await.unwrap_err();
    let made = made.load(Ordering::Relaxed);
    assert!((5000..5100).contains(&made), "{made}");
    let hot = handle.status().hot_keys;
    let [last] = &*hot else { panic!("{hot:?}") };
    let text = "is one of new keys that come without end because of: a trigger of the \
                controller's handle";
    assert!(last.to_string().contains(text), "{last}");
}

#[tokio::test(start_paused = true)]
async fn changes_made_by_a_test_are_no_spin() {
    let server = ApiServer::new();
    for number in 0..1000 {
        server.create(&map(&format!("other-{number}"), "1")).unwrap();
    }
    server.create(&map("a", "1")).unwrap();
    let informer = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("busy", &informer).build();
    let (handle, stop) = (controller.handle(), CancellationToken::new());
    let running =
        spawn(controller.run(stop.clone(), |_| async { Ok::<_, std::io::Error>(Action::done()) }));
    let api = maps(&server);
    for value in 0..1000 {
        change(&api, value).await;
    }
    sleep(S).await;
    assert!(handle.status().succeeded > 1000);
    stop.cancel();
    running.await.unwrap().unwrap();
}

/// Runs `shop/a` every 10 ms, until a minute is over.
async fn run_each_10_ms(slowed: bool) -> (u64, Vec<HotKey>, Vec<HotKey>) {
    let server = server_with(&["a"]);
    let informer = factory(&server).informer::<ConfigMap>();
    let mut builder = Controller::builder("quick", &informer);
    if slowed {
        builder = builder.hot_key_delay(S);
    }
    let controller = builder.build();
    let (handle, stop) = (controller.handle(), CancellationToken::new());
    let last_value = Arc::new(parking_lot::Mutex::new(String::new()));
    let seen = last_value.clone();
    let running = spawn(controller.run(stop.clone(), move |request: ReconcileRequest<_>| {
        let map: Option<Arc<ConfigMap>> = request.object.present();
        let value = map.and_then(|map| map.data.as_ref()?.get("value").cloned());
        *seen.lock() = value.unwrap_or_default();
        let rests = *seen.lock() == "rest";
        async move {
            sleep(10 * MS).await;
            let next = if rests { Action::done() } else { Action::requeue_after(Duration::ZERO) };
            Ok::<_, std::io::Error>(next)
        }
    }));
    sleep(60 * S).await;
    let (runs, hot) = (handle.status().succeeded, handle.status().hot_keys);
    let patch = Patch::Merge(json!({ "data": { "value": "rest" } }));
    maps(&server).patch("a", &PatchParams::default(), &patch).await.unwrap();
    sleep(2 * S).await;
    assert_eq!(*last_value.lock(), "rest", "the last change is not lost");
    sleep(20 * S).await;
    let rested = handle.status().hot_keys;
    stop.cancel();
    running.await.unwrap().unwrap();
    (runs, hot, rested)
}

#[tokio::test(start_paused = true)]
async fn hot_key_is_told_until_it_rests() {
    let (runs, hot, rested) = run_each_10_ms(false).await;
    assert!(runs > 5000, "{runs}");
    let [hot] = &*hot else { panic!("{hot:?}") };
    assert!(hot.key == "shop/a" && (80.0..110.0).contains(&hot.rate), "{hot:?}");
    assert!(hot.to_string().contains("a requeue that the last reconcile asked for"), "{hot}");
    assert!(rested.is_empty(), "{rested:?}");
}

#[tokio::test(start_paused = true)]
async fn slowed_key_keeps_its_last_change() {
    let (runs, hot, rested) = run_each_10_ms(true).await;
    assert!((300..400).contains(&runs), "{runs}");
    assert_eq!(hot.len(), 1);
    assert!(rested.is_empty(), "{rested:?}");
}

#[tokio::test(start_paused = true)]
async fn stream_that_is_always_ready_is_slowed() {
    let server = server_with(&["a"]);
    let informer = factory(&server).informer::<ConfigMap>();
    let read = Arc::new(AtomicU64::new(0));
    let counted = read.clone();
    let keys = futures::stream::repeat_with(move || {
        let items = counted.fetch_add(1, Ordering::Relaxed);
        assert!(items < 200_000, "the clock would never move");
        key("a")
    });
    let controller = Controller::builder("eager", &informer).reconcile_on(keys).build();
    let handle = controller.handle();
    let running = controller
        .run(CancellationToken::new(), |_| async { Ok::<_, std::io::Error>(Action::done()) });
    timeout(60 * S, running).await.unwrap_err();
    let status = handle.status();
    assert_eq!(status.stream_panics, 0);
    let [hot] = &*status.hot_keys else { panic!("{:?}", status.hot_keys) };
    assert!(hot.key == "shop/a" && hot.to_string().contains("a stream of keys"), "{hot}");
}

/// Each run of `shop/a` triggers the next one, ahead of changes.
#[tokio::test(start_paused = true)]
async fn hot_key_is_triggered_in_line_with_changes() {
    let server = server_with(&["a", "b"]);
    let informer = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("eager", &informer).build();
    let (own, log, stop) = (controller.handle(), Log::new(), CancellationToken::new());
    let logged = log.clone();
    let running = spawn(controller.run(stop.clone(), move |request: ReconcileRequest<_>| {
        if request.key == key("a") {
            own.trigger(key("a"));
        } else {
            logged.add(());
        }
        async {
            sleep(10 * MS).await;
            Ok::<_, std::io::Error>(Action::done())
        }
    }));
    // 300 runs take three seconds.
    sleep(5 * S).await;
    log.take();
    let patch = Patch::Merge(json!({ "data": { "value": "2" } }));
    maps(&server).patch("b", &PatchParams::default(), &patch).await.unwrap();
    sleep(S).await;
    assert_eq!(log.len(), 1);
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn endless_delay_of_hot_keys_panics_no_worker() {
    let server = server_with(&["a"]);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("eager", &maps).hot_key_delay(Duration::MAX).build();
    let (handle, stop) = (controller.handle(), CancellationToken::new());
    let running = spawn(
        controller
            .run(stop.clone(), |_| async { Ok::<_, std::io::Error>(Action::requeue_after(MS)) }),
    );
    sleep(60 * S).await;
    let status = handle.status();
    assert_eq!((status.succeeded, status.restarts), (300, 0), "it is parked");
    stop.cancel();
    running.await.unwrap().unwrap();
}
