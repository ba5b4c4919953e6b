//! Controllers of kinds that are not always served.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind};
use kube_controllers::controller::Phase;
use kube_controllers::manager::serve::Serve;
use kube_controllers::{Action, Controller, Manager, ReconcileRequest};
use kube_informer::ObjectKey;
use kube_informer::reflector::ReflectorState;
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use parking_lot::Mutex;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::definitions::{create, definition, widgets};
use crate::helpers::{MS, S, elector, factory, factory_of, map_in, spawn, until};
use crate::http::exchange;

const SOON: std::time::Duration = S.saturating_mul(30);

#[tokio::test(start_paused = true)]
async fn controller_waits_for_its_kind_and_names_it() {
    let server = ApiServer::new();
    let factory = factory(&server);
    let informer = factory.when_served(&widgets("v1")).unwrap();
    let maps = factory.informer::<ConfigMap>();
    server.create(&map_in("shop", "a")).unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = seen.clone();
    let controller = Controller::builder("maps", &maps)
        .watches(&informer, |widget| [ObjectKey::of(widget).unwrap()])
        .build();
    let handle = controller.handle();
    let stop = CancellationToken::new();
    let running = spawn(controller.run(stop.clone(), move |request: ReconcileRequest<_>| {
        noted.lock().push(request.key.to_string());
        async { Ok::<_, Infallible>(Action::done()) }
    }));
    sleep(1_000 * S).await;
    assert!(!running.is_finished() && seen.lock().is_empty());
    let status = handle.status();
    assert_eq!(status.phase, Phase::Syncing);
    assert_eq!(status.missing, ["widgets.example.com".into()]);
    server.create(&definition(&[("v1", true)])).unwrap();
    until("the first reconcile", || *seen.lock() == ["shop/a"]).await;
    assert!(handle.status().missing.is_empty());
    create(&server, &widgets("v1"), "w").await;
    until("the widget", || seen.lock().contains(&"shop/w".to_owned())).await;
    server.delete(&definition(&[("v1", true)])).unwrap();
    sleep(1_000 * S).await;
    assert!(!running.is_finished(), "the kind went, the controller did not");
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn takeover_does_not_trust_an_older_view_of_definitions() {
    let server = ApiServer::new();
    let resource = widgets("v1");
    server.create(&map_in("shop", "a")).unwrap();
    server.create(&definition(&[("v1", true)])).unwrap();
    let (hold, led) = (CancellationToken::new(), CancellationToken::new());
    let (mut first, leads, stopped) =
        (elector(server.client(), "first"), led.clone(), hold.clone());
    let first = spawn(async move {
        let work = |stop: CancellationToken| async move {
            leads.cancel();
            stop.cancelled().await;
        };
        first.run(stopped, work).await.unwrap();
    });
    led.cancelled().await;

    let faults = Faults::new();
    let factory = factory_of(faults.client(server.client()));
    let informer = factory.when_served(&resource).unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (noted, lister) = (seen.clone(), informer.lister());
    let controller = Controller::builder("maps", &factory.informer::<ConfigMap>())
        .watches(&informer, |_| [])
        .leader_election(elector(server.client(), "second"))
        .build();
    let (handle, stop) = (controller.handle(), CancellationToken::new());
    let running = spawn(controller.run(stop.clone(), move |_: ReconcileRequest<_>| {
        noted.lock().push(lister.len());
        async { Ok::<_, Infallible>(Action::done()) }
    }));
    until("standby", || handle.status().phase == Phase::Standby).await;
    until("the first list", || informer.has_synced()).await;
    server.delete(&definition(&[("v1", true)])).unwrap();
    let awaits = || informer.status().reflector.state == ReflectorState::AwaitingKind;
    until("the end of the kind", awaits).await;

    faults.inject(Requests::watches().to("customresourcedefinitions"), Injection::black_hole());
    faults.cut_now();
    server.create(&definition(&[("v1", true)])).unwrap();
    create(&server, &resource, "w").await;
    sleep(5 * S).await;
    assert!(awaits() && !informer.is_fresh(4 * S), "the watch of definitions is silent");
    hold.cancel();
    first.await.unwrap();
    until("the first reconcile", || !seen.lock().is_empty()).await;
    assert_eq!(*seen.lock(), [1]);
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test]
async fn manager_is_ready_while_a_kind_is_awaited() {
    let server = ApiServer::new();
    server.create(&map_in("shop", "a")).unwrap();
    let factory = factory(&server);
    let informer = factory.when_served(&widgets("v1")).unwrap();
    let gadgets = GroupVersionKind::gvk("example.com", "v1", "Gadget");
    let _unfollowed = factory.when_served(&ApiResource::from_gvk(&gadgets)).unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let reconcile = |noted: Arc<Mutex<Vec<String>>>| {
        move |kind: &str, key: &ObjectKey| noted.lock().push(format!("{kind} {key}"))
    };
    let (one, two) = (reconcile(seen.clone()), reconcile(seen.clone()));
    let any: SocketAddr = ([127, 0, 0, 1], 0).into();
    let serve = Serve::new().health_address(any).metrics_address(any).without_metrics();
    let manager = Manager::builder(&factory)
        .controller(
            Controller::builder("widgets", &informer).build(),
            move |request: ReconcileRequest<DynamicObject>| {
                one("widget", &request.key);
                async { Ok::<_, Infallible>(Action::done()) }
            },
        )
        .controller(
            Controller::builder("maps", &factory.informer::<ConfigMap>()).build(),
            move |request: ReconcileRequest<ConfigMap>| {
                two("map", &request.key);
                async { Ok::<_, Infallible>(Action::done()) }
            },
        )
        .serve(serve)
        .build()
        .unwrap();
    let (handle, stop) = (manager.handle(), CancellationToken::new());
    let running = spawn(manager.run_until(stop.clone()));
    let ready = async |query: &str| {
        let Some(at) = handle.addresses() else { return (0, String::new()) };
        let path = format!("/readyz{query}");
        let (code, _, body) = exchange(at.health, "GET", &path, "localhost").await;
        (code, body)
    };
    let began = Instant::now();
    while ready("").await.0 != 200 {
        assert!(!running.is_finished() && began.elapsed() < SOON);
        sleep(MS).await;
    }
    let waits = "waits until its kind is served: no definition of it is installed";
    let line = format!("[+]informer-sync/widgets.example.com ok: {waits}\n");
    let (code, body) = ready("?verbose").await;
    assert!(code == 200 && body.contains(&line), "{body}");
    while *seen.lock() != ["map shop/a"] {
        sleep(MS).await;
    }
    server.create(&definition(&[("v1", true)])).unwrap();
    create(&server, &widgets("v1"), "w").await;
    while !seen.lock().contains(&"widget shop/w".to_owned()) {
        sleep(MS).await;
    }
    let (_, body) = ready("?verbose").await;
    assert!(body.contains("[+]informer-sync/widgets.example.com ok\n"), "{body}");
    stop.cancel();
    running.await.unwrap().unwrap();
}
