//! A controller of a few namespaces that are followed as one.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::{Action, Controller};
use kube_informer::testing::ApiServer;
use parking_lot::Mutex;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::helpers::{S, factory, map_in, spawn};

#[tokio::test(start_paused = true)]
async fn controller_follows_a_group() {
    let server = ApiServer::new();
    for (namespace, name) in [("shop", "a"), ("shop", "b"), ("bank", "a"), ("mail", "a")] {
        server.create(&map_in(namespace, name)).unwrap();
    }
    let factory = factory(&server);
    let maps = factory.in_namespaces::<ConfigMap>(["shop", "bank"]);
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let noted = seen.clone();
    let stop = CancellationToken::new();
    let controller = Controller::builder("group", &maps).build();
    let running = spawn(controller.run(stop.clone(), move |request| {
        noted.lock().insert((request.key, request.object.is_present()));
        async { Ok::<_, Infallible>(Action::done()) }
    }));
    sleep(30 * S).await;
    server.delete(&map_in("bank", "a")).unwrap();
    sleep(30 * S).await;
    let wanted = [("shop/a", true), ("shop/b", true), ("bank/a", true), ("bank/a", false)];
    assert_eq!(*seen.lock(), wanted.map(|(name, there)| (name.parse().unwrap(), there)).into());
    stop.cancel();
    running.await.unwrap().unwrap();
}
