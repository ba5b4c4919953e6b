//! Slots move while a kind that a sharded controller follows is not served.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::sharding::{ShardBy, Sharding};
use kube_controllers::{Action, Controller};
use kube_informer::InformerSpec;
use kube_informer::testing::ApiServer;
use parking_lot::Mutex;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::definitions::{definition, widgets};
use crate::helpers::{S, factory, map, server_with, spawn, until};

const MAPS: [&str; 12] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];

type Reconciled = Arc<Mutex<BTreeSet<String>>>;

/// Runs a replica until it is stopped.
async fn replica(server: ApiServer, who: &str, stop: CancellationToken, reconciled: Reconciled) {
    let sharding = Sharding::builder(server.client(), "home", "maps", ShardBy::Uid);
    let sharding = sharding.slots(12).identity(who).build().unwrap();
    let factory = factory(&server);
    let spec = InformerSpec::<ConfigMap>::new().shard(sharding.objects());
    let maps = factory.informer_with(spec).unwrap();
    let spec = InformerSpec::new().when_served().shard(sharding.dependents());
    let owned = factory.dynamic_with(&widgets("v1"), spec).unwrap();
    let controller = Controller::builder("maps", &maps).owns(&owned).sharded(&sharding).build();
    let leave = CancellationToken::new();
    let membership = spawn({
        let leave = leave.clone();
        async move { sharding.run(leave).await }
    });
    let run = controller.run(stop, move |request| {
        reconciled.lock().insert(request.key.name().to_owned());
        async { Ok::<_, Infallible>(Action::done()) }
    });
    run.await.unwrap();
    leave.cancel();
    membership.await.unwrap().unwrap();
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn slots_that_move_while_a_kind_is_gone_are_covered() {
    let server = server_with(&MAPS);
    server.create(&definition(&[("v1", true)])).unwrap();
    let reconciled = Reconciled::default();
    let stops = [CancellationToken::new(), CancellationToken::new()];
    let replicas = [0, 1].map(|who| {
        let (stop, reconciled) = (stops[who].clone(), reconciled.clone());
        spawn(replica(server.clone(), ["r0", "r1"][who], stop, reconciled))
    });
    until("the first reconciles", || reconciled.lock().len() == MAPS.len()).await;
    sleep(60 * S).await;
    server.delete(&definition(&[("v1", true)])).unwrap();
    sleep(60 * S).await;
    let [first, second] = replicas;
    stops[0].cancel();
    first.await.unwrap();
    sleep(60 * S).await;
    reconciled.lock().clear();
    for name in MAPS {
        server.replace(&map(name, "2")).unwrap();
    }
    sleep(60 * S).await;
    assert_eq!(reconciled.lock().len(), MAPS.len());
    stops[1].cancel();
    second.await.unwrap();
}
