//! A referenced name is its own business, also for a manager.

use std::convert::Infallible;
use std::net::SocketAddr;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_controllers::manager::serve::Serve;
use kube_controllers::{Action, Controller, Manager, ReconcileRequest};
use kube_informer::testing::ApiServer;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::helpers::{MS, S, factory, forbid, spawn};
use crate::http::exchange;
use crate::references::{key, named, naming, secret};

const SOON: std::time::Duration = S.saturating_mul(30);

/// Anyone who may write a referrer can name a secret that the program may not read.
#[tokio::test]
async fn refused_name_leaves_the_manager_ready() {
    let server = ApiServer::new();
    server.create(&naming("shop", "one", &["bad", "good"])).unwrap();
    server.create(&secret(&key("shop/good"), "1")).unwrap();
    forbid(&server, "metadata.name%3Dbad");
    let factory = factory(&server);
    let maps = factory.informer::<ConfigMap>();
    let secrets = factory.referenced::<Secret>();
    secrets.feed_from(&maps, named).unwrap();
    secrets.start().unwrap();
    let any: SocketAddr = ([127, 0, 0, 1], 0).into();
    let serve = Serve::new().health_address(any).metrics_address(any).without_metrics();
    let reconcile = |_: ReconcileRequest<ConfigMap>| async { Ok::<_, Infallible>(Action::done()) };
    let manager = Manager::builder(&factory)
        .controller(Controller::builder("maps", &maps).build(), reconcile)
        .serve(serve)
        .build()
        .unwrap();
    let (handle, stop) = (manager.handle(), CancellationToken::new());
    let running = spawn(manager.run_until(stop.clone()));
    let line = "[+]informer-sync/shop/secrets ok: fields metadata.name=bad: tries again";
    let began = Instant::now();
    loop {
        assert!(!running.is_finished() && began.elapsed() < SOON);
        if let Some(at) = handle.addresses() {
            let (code, _, body) = exchange(at.health, "GET", "/readyz?verbose", "localhost").await;
            if code == 200 && body.contains(line) && secrets.get_by_key(&key("shop/good")).is_ok() {
                break;
            }
        }
        sleep(MS).await;
    }
    factory.wait_for_sync(SOON).await.unwrap();
    stop.cancel();
    running.await.unwrap().unwrap();
}
