//! Replicas divide the clusters of a fleet.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::clusters::{Cluster, Clusters};
use kube_controllers::manager::ManagerError;
use kube_controllers::sharding::ShardBy;
use kube_controllers::{Action, Controller, Manager, ReconcileRequest, Sharding};
use kube_informer::error::BoxError;
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::fleet::{Fleet, Seen};
use crate::helpers::{MS, S, factory, server_with, until};

const CLUSTERS: usize = 40;

/// The replica that follows each cluster.
type Ledger = Arc<Mutex<BTreeMap<Arc<str>, usize>>>;

struct Follows(Ledger, Arc<str>);

impl Drop for Follows {
    fn drop(&mut self) {
        self.0.lock().remove(&self.1);
    }
}

struct Replica {
    clusters: Clusters,
    faults: Faults,
    stop: CancellationToken,
    tasks: [JoinHandle<()>; 2],
}

fn replica(number: usize, hub: &ApiServer, fleet: &Fleet, ledger: &Ledger) -> Replica {
    let (faults, stop) = (Faults::new(), CancellationToken::new());
    let client = faults.client(hub.client());
    let sharding = Sharding::builder(client, "fleet", "clusters", ShardBy::Uid)
        .slots(16)
        .identity(format!("replica-{number}"))
        .build()
        .unwrap();
    let clusters = Clusters::builder(fleet.clone()).grace(S).sharded(&sharding).build();
    let (member, token) = (sharding.clone(), stop.clone());
    let membership = tokio::spawn(async move { member.run(token).await.unwrap() });
    let (followed, token, ledger) = (clusters.clone(), stop.clone(), ledger.clone());
    let following = tokio::spawn(async move {
        let follow = move |cluster: Cluster| {
            let name = cluster.name().clone();
            let other = ledger.lock().insert(name.clone(), number);
            assert_eq!(other, None, "{name} has two followers");
            let follows = Follows(ledger.clone(), name);
            async move {
                let _follows = follows;
                Seen::default().follow(cluster).await
            }
        };
        followed.run(token, follow).await;
    });
    Replica { clusters, faults, stop, tasks: [membership, following] }
}

#[tokio::test(start_paused = true)]
async fn each_cluster_is_followed_by_one_replica() {
    let (hub, fleet, ledger) = (ApiServer::new(), Fleet::new(), Ledger::default());
    for number in 0..CLUSTERS {
        fleet.join(&format!("east-{number:02}"), server_with(&["a"]).client());
    }
    let start = |number| replica(number, &hub, &fleet, &ledger);
    let follows = |number| ledger.lock().values().filter(|one| **one == number).count();
    let first = start(1);
    until("all on one", || follows(1) == CLUSTERS).await;
    let second = start(2);
    until("a fair share", || follows(1) + follows(2) == CLUSTERS && follows(2) >= 10).await;
    assert!(follows(1) >= 10, "names that differ in their last characters are spread");
    assert_eq!(first.clusters.status().len(), follows(1));
    // A cluster joins on one of them.
    fleet.join("west", server_with(&["a"]).client());
    until("the new one", || ledger.lock().len() == CLUSTERS + 1).await;
    // One replica is cut off, and loses its session.
    second.faults.inject(Requests::all(), Injection::refuse());
    second.faults.cut_now();
    until("the takeover", || follows(1) == CLUSTERS + 1).await;
    assert!(second.clusters.status().is_empty());
    second.faults.clear();
    until("its return", || follows(2) >= 10 && ledger.lock().len() == CLUSTERS + 1).await;
    // One stops.
    first.stop.cancel();
    for task in first.tasks {
        task.await.unwrap();
    }
    until("the rest", || follows(2) == CLUSTERS + 1).await;
    second.stop.cancel();
    for task in second.tasks {
        task.await.unwrap();
    }
    assert!(ledger.lock().is_empty());
}

#[tokio::test(start_paused = true)]
async fn manager_waits_for_code_in_the_slot_of_a_cluster() {
    let (hub, fleet) = (ApiServer::new(), Fleet::new());
    fleet.join("east", server_with(&["a"]).client());
    let sharding = Sharding::builder(hub.client(), "fleet", "clusters", ShardBy::Uid);
    let sharding = sharding.slots(16).identity("this").build().unwrap();
    let clusters = Clusters::builder(fleet).grace(300 * MS).sharded(&sharding).build();
    // A guard is what code holds that blocks a thread.
    let held = Arc::<Mutex<Option<_>>>::default();
    let holds = held.clone();
    let manager = Manager::builder(&factory(&hub))
        .grace(S)
        .task_on_every_replica("membership", move |scope| async move {
            sharding.run(scope.token().clone()).await
        })
        .clusters("fleet", &clusters, move |cluster: Cluster| {
            let holds = holds.clone();
            async move {
                let maps = cluster.factory().informer::<ConfigMap>();
                let controller = Controller::builder("maps", &maps).grace(300 * MS).build();
                let reconcile = move |request: ReconcileRequest<ConfigMap>| {
                    *holds.lock() = Some(request.guard());
                    std::future::pending::<Result<Action, Infallible>>()
                };
                cluster.run(controller, reconcile).await?;
                Ok::<_, BoxError>(())
            }
        });
    let (stop, manager) = (CancellationToken::new(), manager.build().unwrap());
    let running = tokio::spawn(manager.run_until(stop.clone()));
    until("the reconcile", || held.lock().is_some()).await;
    stop.cancel();
    sleep(60 * S).await;
    assert!(!running.is_finished(), "it renews the lease of the slot");
    drop(held.lock().take());
    let unfinished = running.await.unwrap().unwrap_err();
    assert!(matches!(unfinished, ManagerError::Unfinished { .. }), "{unfinished}");
}
