//! The informers of sets do not count for the readiness of a program: its own do.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_controllers::manager::serve::Serve;
use kube_controllers::{Action, Controller, Manager, ReconcileRequest};
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer::{InformerSpec, SharedInformerFactory};
use parking_lot::Mutex;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::definitions::definition;
use crate::following::tenant;
use crate::helpers::{MS, S, factory, factory_of, forbid, map_in, spawn, until};
use crate::http::exchange;
use crate::references::{key, named, naming, secret};

const SOON: std::time::Duration = S.saturating_mul(30);

async fn nothing(_: ReconcileRequest<ConfigMap>) -> Result<Action, Infallible> {
    Ok(Action::done())
}

/// Runs a manager, whose controller must reconcile the only config map. Something happens while it
/// starts.
async fn start_while(factory: &SharedInformerFactory, happens: impl FnOnce()) {
    let maps = factory.informer::<ConfigMap>();
    let manager = Manager::builder(factory)
        .controller(Controller::builder("maps", &maps).build(), nothing)
        .build()
        .unwrap();
    let (handle, stop) = (manager.handle(), CancellationToken::new());
    let running = spawn(manager.run_until(stop.clone()));
    sleep(5 * S).await;
    happens();
    sleep(600 * S).await;
    let reconciled = handle.status().controllers[0].succeeded;
    stop.cancel();
    running.await.unwrap().unwrap();
    assert_eq!(reconciled, 1);
}

#[tokio::test(start_paused = true)]
async fn manager_starts_beside_a_refused_reference() {
    for fed in [false, true] {
        let server = ApiServer::new();
        server.create(&naming("shop", "one", &["bad", "good"])).unwrap();
        server.create(&secret(&key("shop/good"), "1")).unwrap();
        forbid(&server, "metadata.name%3Dbad");
        let factory = factory(&server);
        let secrets = factory.referenced::<Secret>();
        let held = if fed {
            secrets.feed_from(&factory.informer::<ConfigMap>(), named).unwrap();
            factory.start().unwrap();
            None
        } else {
            Some(secrets.reference(key("shop/bad")))
        };
        secrets.start().unwrap();
        secrets.wait_for_sync(SOON).await.unwrap_err();
        start_while(&factory, || {}).await;
        drop(held);
    }
}

#[tokio::test(start_paused = true)]
async fn manager_starts_while_a_namespace_leaves_or_is_refused() {
    for leaves in [false, true] {
        let server = ApiServer::new();
        for name in ["bank", "shop"] {
            server.create(&tenant(name, true)).unwrap();
        }
        server.create(&map_in("shop", "a")).unwrap();
        let faults = Faults::new();
        let injection = if leaves { Injection::delay(20 * S) } else { Injection::status(403) };
        faults.inject(Requests::reads().to("/bank/"), injection);
        let factory = factory_of(faults.client(server.client()));
        let spec = InformerSpec::<Secret>::new();
        let tenants = factory.in_namespaces_where("tenant=true", spec).unwrap();
        tenants.start().unwrap();
        sleep(S).await;
        start_while(&factory, || {
            server.replace(&tenant("bank", !leaves)).unwrap();
        })
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn manager_starts_while_a_kind_leaves() {
    let server = ApiServer::new();
    server.create(&definition(&[("v1", true)])).unwrap();
    server.create(&map_in("shop", "a")).unwrap();
    let faults = Faults::new();
    faults.inject(Requests::reads().to("widgets"), Injection::delay(20 * S));
    let factory = factory_of(faults.client(server.client()));
    let kinds = factory.kinds_metadata(|kind| kind.group == "example.com");
    kinds.start().unwrap();
    sleep(3 * S).await;
    start_while(&factory, || server.delete(&definition(&[("v1", true)])).map(drop).unwrap()).await;
}

#[tokio::test(start_paused = true)]
async fn dropped_interest_ends_neither_a_start_nor_a_wait() {
    let server = ApiServer::new();
    server.create(&map_in("shop", "a")).unwrap();
    let faults = Faults::new();
    faults.inject(Requests::lists().to("/bank/"), Injection::delay(1_000 * S));
    let factory = factory_of(faults.client(server.client()));
    let interest = || factory.interest(InformerSpec::<ConfigMap>::new().namespace("bank")).unwrap();
    let bank = interest();
    let wait = async {
        sleep(S).await;
        factory.wait_for_sync(SOON).await
    };
    let (waited, ()) = tokio::join!(wait, start_while(&factory, || drop(bank)));
    waited.unwrap();
    let _bank = interest();
    let again = factory.wait_for_sync(SOON).await.unwrap_err();
    assert!(again.to_string().contains("configmaps in bank"), "{again}");
}

#[tokio::test(start_paused = true)]
async fn own_informer_counts_also_if_a_set_holds_it() {
    for reference_first in [false, true] {
        let server = ApiServer::new();
        forbid(&server, "/secrets");
        let factory = factory(&server);
        let secrets = factory.referenced::<Secret>();
        secrets.start().unwrap();
        let reference = || secrets.reference(key("shop/a"));
        let early = reference_first.then(reference);
        sleep(S).await;
        factory.wait_for_sync(SOON).await.unwrap();
        assert!(factory.status().synced());
        let spec = || InformerSpec::<Secret>::new().namespace("shop").fields("metadata.name=a");
        let own = factory.interest(spec()).unwrap();
        factory.start().unwrap();
        let held = early.unwrap_or_else(reference);
        sleep(S).await;
        assert_eq!(factory.status().informers.len(), 1);
        factory.wait_for_sync(SOON).await.unwrap_err();
        assert!(!factory.status().synced());
        drop(own);
        assert!(factory.status().informers[0].of_set);
        factory.wait_for_sync(SOON).await.unwrap();
        let own = factory.informer_with(spec()).unwrap();
        factory.wait_for_sync(SOON).await.unwrap_err();
        drop(held);
        assert!(!own.is_stopped() && !own.status().of_set);
    }
}

/// One tenant without a role binding is not the program's fault.
#[tokio::test]
async fn refused_namespace_that_joins_leaves_the_manager_ready() {
    let server = ApiServer::new();
    server.create(&tenant("shop", true)).unwrap();
    forbid(&server, "/bank/");
    let factory = factory(&server);
    let spec = InformerSpec::<Secret>::new();
    let tenants = factory.in_namespaces_where("tenant=true", spec).unwrap();
    tenants.start().unwrap();
    let any: SocketAddr = ([127, 0, 0, 1], 0).into();
    let serve = Serve::new().health_address(any).metrics_address(any).without_metrics();
    let maps = factory.informer::<ConfigMap>();
    let manager = Manager::builder(&factory)
        .controller(Controller::builder("maps", &maps).build(), nothing)
        .serve(serve)
        .build()
        .unwrap();
    let (handle, stop) = (manager.handle(), CancellationToken::new());
    let running = spawn(manager.run_until(stop.clone()));
    server.create(&tenant("bank", true)).unwrap();
    let line = "[+]informer-sync/bank/secrets ok: tries again";
    let began = Instant::now();
    let mut was_ready = false;
    loop {
        assert!(!running.is_finished() && began.elapsed() < SOON);
        if let Some(at) = handle.addresses() {
            let (code, _, body) = exchange(at.health, "GET", "/readyz?verbose", "localhost").await;
            assert!(code == 200 || !was_ready, "{body}");
            was_ready |= code == 200;
            if was_ready && body.contains(line) {
                break;
            }
        }
        sleep(MS).await;
    }
    stop.cancel();
    running.await.unwrap().unwrap();
}

/// A restart would end everything else.
#[tokio::test(start_paused = true)]
async fn program_is_alive_beside_a_removed_controller_whose_code_blocks() {
    let server = ApiServer::new();
    server.create(&map_in("shop", "a")).unwrap();
    let factory = factory(&server);
    let any: SocketAddr = ([127, 0, 0, 1], 0).into();
    let serve = Serve::new().health_address(any).metrics_address(any).without_metrics();
    let manager = Manager::builder(&factory).serve(serve).build().unwrap();
    let (handle, stop) = (manager.handle(), CancellationToken::new());
    let running = spawn(manager.run_until(stop.clone()));
    let maps = factory.informer::<ConfigMap>();
    // A guard is what code holds that blocks a thread.
    let held = Arc::<Mutex<Vec<_>>>::default();
    let holds = held.clone();
    let controller = Controller::builder("maps", &maps).grace(S).build();
    let reconcile = move |request: ReconcileRequest<ConfigMap>| {
        holds.lock().push(request.guard());
        async { Ok::<_, Infallible>(Action::done()) }
    };
    handle.add_controller(controller, reconcile).unwrap();
    until("the reconcile", || held.lock().len() == 1).await;
    until("the endpoints", || handle.addresses().is_some()).await;
    assert!(handle.remove_controller("maps").await);
    sleep(60 * S).await;
    let at = handle.addresses().unwrap().health;
    let (code, _, body) = exchange(at, "GET", "/livez?verbose", "localhost").await;
    assert_eq!(code, 200, "{body}");
    assert!(body.contains("controller/maps") && body.contains("blocks a thread"), "{body}");
    held.lock().clear();
    until("the end", || handle.status().controllers.is_empty()).await;
    let (code, _, body) = exchange(at, "GET", "/livez?verbose", "localhost").await;
    assert!(code == 200 && !body.contains("controller/"), "{body}");
    stop.cancel();
    running.await.unwrap().unwrap();
}
