//! Work of a cluster that cannot be ended. A guard stands for code that blocks a thread: nothing
//! ends it but its own code.

use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::clusters::{Cluster, ClusterConfig, ClusterPhase, Clusters};
use kube_controllers::leader_election::ScopeGuard;
use kube_controllers::sharding::ShardBy;
use kube_controllers::{Action, Controller, LeaderElector, Sharding};
use kube_informer::InformerSpec;
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use parking_lot::{Condvar, Mutex};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::Level;

use crate::fleet::Fleet;
use crate::helpers::log::Log;
use crate::helpers::{S, server_with, until};
use crate::providers::Bomb;

/// The guards of reconciles that block. Clones are one.
type Blocked = Arc<Mutex<Vec<ScopeGuard>>>;

/// The replicas of a controller.
enum Replicas {
    One,
    Elected(LeaderElector),
    Sharded(Sharding),
}

/// Reconciles each object for ever.
async fn block(cluster: Cluster, replicas: Replicas, blocked: Blocked) -> Result<(), BoxError> {
    let mut spec = InformerSpec::<ConfigMap>::new();
    if let Replicas::Sharded(sharding) = &replicas {
        spec = spec.shard(sharding.objects());
    }
    let maps = cluster.factory().informer_with(spec)?;
    let mut controller = Controller::builder("blocks", &maps).grace(S);
    controller = match replicas {
        Replicas::One => controller,
        Replicas::Elected(elector) => controller.leader_election(elector),
        Replicas::Sharded(sharding) => controller.sharded(&sharding),
    };
    let reconcile = move |request: kube_controllers::ReconcileRequest<ConfigMap>| {
        blocked.lock().push(request.guard());
        async { Ok::<_, Infallible>(Action::done()) }
    };
    Ok(cluster.run(controller.build(), reconcile).await?)
}

fn config(revision: &str, server: &ApiServer) -> ClusterConfig {
    let client = server.client();
    ClusterConfig::new(revision, move || std::future::ready(Ok(client.clone())))
}

/// The configuration changes while a reconcile blocks. With `bomb`, the function ignores the stop,
/// and panics when it is dropped.
async fn blocked_cluster_joins_again(
    replicas: impl Fn(&ApiServer) -> Replicas + Send + Sync + 'static,
    bomb: bool,
) {
    let (hub, server) = (ApiServer::new(), server_with(&["a"]));
    let (fleet, stop, blocked) = (Fleet::new(), CancellationToken::new(), Blocked::default());
    let clusters = Clusters::builder(fleet.clone()).grace(S).build();
    fleet.add("east", config("1", &server));
    let blocks = blocked.clone();
    let running = clusters.run(stop.clone(), move |cluster| {
        let blocking = block(cluster, replicas(&hub), blocks.clone());
        let bomb = bomb.then(|| Bomb);
        async move {
            blocking.await?;
            if bomb.is_some() {
                pending::<()>().await;
            }
            Ok::<(), BoxError>(())
        }
    });
    let test = async {
        until("the first one", || blocked.lock().len() == 1).await;
        fleet.add("east", config("2", &server));
        // Longer than every grace and lease.
        sleep(120 * S).await;
        let status = clusters.status();
        assert_eq!((status.len(), status[0].phase), (1, ClusterPhase::Leaving));
        assert_eq!(blocked.lock().len(), 1, "no second reconcile of the key");
        blocked.lock().clear();
        until("the next one", || blocked.lock().len() == 1).await;
        assert_eq!(clusters.status()[0].phase, ClusterPhase::Joined);
        blocked.lock().clear();
        stop.cancel();
    };
    tokio::join!(running, test);
}

#[tokio::test(start_paused = true)]
async fn blocked_reconcile_keeps_its_cluster_leaving() {
    blocked_cluster_joins_again(|_| Replicas::One, false).await;
}

#[tokio::test(start_paused = true)]
async fn blocked_reconcile_is_awaited_although_the_function_panics_when_dropped() {
    blocked_cluster_joins_again(|_| Replicas::One, true).await;
}

#[tokio::test(start_paused = true)]
async fn blocked_reconcile_of_an_elected_controller_keeps_its_cluster_leaving() {
    let elected = |hub: &ApiServer| {
        let elector = LeaderElector::builder(hub.client(), "shop", "work").identity("pod-0");
        Replicas::Elected(elector.build().unwrap())
    };
    blocked_cluster_joins_again(elected, false).await;
}

#[tokio::test(start_paused = true)]
async fn blocked_reconcile_of_a_sharded_controller_keeps_its_cluster_leaving() {
    let (member, joined) = (ApiServer::new(), CancellationToken::new());
    let sharding = Sharding::builder(member.client(), "shop", "work", ShardBy::Uid);
    let sharding = sharding.slots(2).identity("pod-0").build().unwrap();
    let (shares, stop) = (sharding.clone(), joined.clone());
    let membership = tokio::spawn(async move { shares.run(stop).await });
    blocked_cluster_joins_again(move |_| Replicas::Sharded(sharding.clone()), false).await;
    joined.cancel();
    membership.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn next_run_waits_for_code_that_a_dropped_run_left() {
    let (fleet, stop, blocked) = (Fleet::new(), CancellationToken::new(), Blocked::default());
    let clusters = Clusters::builder(fleet.clone()).grace(S).build();
    fleet.join("east", server_with(&["a"]).client());
    let run = |stop: &CancellationToken| {
        let blocks = blocked.clone();
        clusters.run(stop.clone(), move |cluster| block(cluster, Replicas::One, blocks.clone()))
    };
    tokio::select! {
        () = run(&stop) => unreachable!("nothing stops it"),
        () = until("the reconcile", || blocked.lock().len() == 1) => {}
    }
    let log = Log::default();
    let _logging = log.install(Level::WARN);
    // A run that waits says so, and can be stopped.
    let other = CancellationToken::new();
    let stopping = async {
        sleep(120 * S).await;
        other.cancel();
    };
    let waiting = timeout(600 * S, run(&other));
    tokio::join!(waiting, stopping).0.unwrap();
    assert_eq!(log.text().matches("an earlier run of these clusters").count(), 1);
    let test = async {
        sleep(120 * S).await;
        assert_eq!(blocked.lock().len(), 1, "no second reconcile of the key");
        blocked.lock().clear();
        until("the next one", || blocked.lock().len() == 1).await;
        blocked.lock().clear();
        stop.cancel();
    };
    tokio::join!(run(&stop), test);
}

#[tokio::test(start_paused = true)]
async fn failure_shows_while_a_reconcile_blocks() {
    let (fleet, stop, blocked) = (Fleet::new(), CancellationToken::new(), Blocked::default());
    let clusters = Clusters::builder(fleet.clone()).grace(S).build();
    fleet.join("east", server_with(&["a"]).client());
    let blocks = blocked.clone();
    let running = clusters.run(stop.clone(), move |cluster| {
        let blocks = blocks.clone();
        async move {
            let fails = async {
                until("the reconcile", || !blocks.lock().is_empty()).await;
                Err::<(), BoxError>("the other half failed".into())
            };
            tokio::try_join!(block(cluster, Replicas::One, blocks.clone()), fails).map(|_| ())
        }
    });
    let test = async {
        until("the failure", || clusters.status().iter().any(|one| one.failures == 1)).await;
        sleep(120 * S).await;
        let status = &clusters.status()[0];
        assert_eq!((status.phase, status.failures), (ClusterPhase::Waiting, 1));
        assert_eq!(status.last_error.as_deref(), Some("the other half failed"));
        assert!(clusters.get("east").is_none(), "it is not joined");
        blocked.lock().clear();
        until("the next try", || clusters.get("east").is_some()).await;
        blocked.lock().clear();
        stop.cancel();
        until("the end of what blocks", || {
            blocked.lock().clear();
            clusters.status().is_empty()
        })
        .await;
    };
    tokio::join!(running, test);
}

/// Two runs, the first of which is dropped while code for the cluster blocks a thread. Returns how
/// much of that code ran at once.
async fn at_once(function_blocks: bool) -> usize {
    let fleet = Fleet::new();
    let clusters = Clusters::builder(fleet.clone()).grace(S).build();
    let server = server_with(&["a"]);
    // The number of calls, and whether they may end.
    let calls = Arc::new((Mutex::new((0, false)), Condvar::new()));
    let blocking = calls.clone();
    let block = move |blocks: bool| {
        if blocks {
            let (calls, ends) = &*blocking;
            let mut calls = calls.lock();
            calls.0 += 1;
            ends.wait_while(&mut calls, |calls| !calls.1);
        }
    };
    let (client, connects) = (server.client(), block.clone());
    let connect = move || {
        connects(!function_blocks);
        std::future::ready(Ok(client.clone()))
    };
    fleet.add("east", ClusterConfig::new("1", connect));
    let run = || {
        let block = block.clone();
        clusters.run(CancellationToken::new(), move |_cluster| {
            let block = block.clone();
            async move {
                block(function_blocks);
                pending::<Result<(), BoxError>>().await
            }
        })
    };
    tokio::select! {
        () = run() => unreachable!("nothing stops it"),
        () = until("the call", || calls.0.lock().0 == 1) => {}
    }
    timeout(S / 4, run()).await.unwrap_err();
    let at_once = calls.0.lock().0;
    calls.0.lock().1 = true;
    calls.1.notify_all();
    at_once
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn next_run_waits_for_functions_of_the_program_that_block() {
    for function_blocks in [true, false] {
        assert_eq!(at_once(function_blocks).await, 1);
    }
}
