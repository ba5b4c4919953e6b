//! A small scheduler: binds pods that name it to the least loaded node that has room for them.
//!
//! `cargo example scheduler` brings its own API server with 200 nodes, schedules 20,000 pods
//! that come in two waves, and ends by itself. `-- --cluster` schedules on the cluster of the
//! present kubeconfig, until Ctrl-C or SIGTERM, the pods with `schedulerName: least-loaded`. It
//! looks at the number of pods and at requests of cpu, and at nothing else: not at memory,
//! selectors, affinities or volumes. Run one replica.
//!
//! A scheduler looks at everything each time. The example shows a loop on `changes`, with a
//! debounce; snapshots of pods and nodes; a view that reads of each pod only what a scheduler
//! needs, so that no whole pod is decoded; indexes of the pods on each node and of those that wait;
//! own writes that the cache does not show yet. In an `AssumedView` a placed pod is on its node
//! before the cache shows it there, so a cache that lags leads to no overcommitted node. A binding
//! that the server refuses is forgotten, and the pod is placed again. A binding without an answer
//! may have been made, so it is sent again to the same node.

mod pod;
mod room;
mod scheduler;
#[path = "../support/mod.rs"]
mod support;

use k8s_openapi::api::core::v1::{Node, Pod};
use kube::Client;
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use serde_json::json;
use tokio::sync::watch;

use self::scheduler::{Figures, NAME, manager};

const NODES: usize = 200;
const PODS: usize = 20_000;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    tracing_subscriber::fmt().with_target(false).init();
    let (told, figures) = watch::channel(Figures::default());
    if support::on_cluster() {
        return Ok(manager(Client::try_default().await?, told)?.run().await?);
    }
    let run = |client, stop| async move { Ok(manager(client, told)?.run_until(stop).await?) };
    support::main(run, |server| life(server, figures)).await
}

/// Creates nodes, and pods in two waves, and waits until they are bound.
async fn life(server: ApiServer, mut figures: watch::Receiver<Figures>) -> Result<(), BoxError> {
    for number in 0..NODES {
        // Every fourth node is smaller.
        let (pods, cpu) = if number % 4 == 0 { ("64", "8") } else { ("128", "16") };
        let node: Node = serde_json::from_value(json!({
            "metadata": { "name": format!("node-{number}") },
            "status": { "allocatable": { "pods": pods, "cpu": cpu } },
        }))?;
        server.create(&node)?;
    }
    for (wave, until) in [(0, PODS / 2), (PODS / 2, PODS)] {
        support::moment().await;
        for number in wave..until {
            server.create(&pod(number)?)?;
        }
        println!("{} pods wait", until - wave);
        figures.wait_for(|figures| figures.bound >= until).await?;
        let Figures { rounds, bound, refused, most_assumed, .. } = &*figures.borrow();
        println!(
            "{bound} pods are bound after {rounds} rounds: {refused} bindings were refused, and \
             the cache lagged behind at most {most_assumed}"
        );
    }
    Ok(())
}

fn pod(number: usize) -> serde_json::Result<Pod> {
    let cpu = ["50m", "100m", "150m"][number % 3];
    let container = json!({ "name": "main", "resources": { "requests": { "cpu": cpu } } });
    serde_json::from_value(json!({
        "metadata": { "name": format!("pod-{number}"), "namespace": "default" },
        "spec": { "schedulerName": NAME, "containers": [container] },
    }))
}
