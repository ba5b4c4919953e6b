//! `pod_watcher`: lines for changes, counts by node, and a status that goes on.

#[allow(dead_code, reason = "its main, and its scripted life")]
#[path = "../../../examples/pod_watcher.rs"]
mod example;

use std::time::Duration;

use k8s_openapi::api::core::v1::{Pod, PodSpec, PodStatus};
use kube_informer::testing::ApiServer;
use tokio::time::sleep;

use super::support::{Running, Said};
use crate::helpers::metadata;

fn pod(name: &str, node: &str, phase: &str) -> Pod {
    Pod {
        metadata: metadata("shop", name),
        spec: Some(PodSpec { node_name: Some(node.into()), ..PodSpec::default() }),
        status: Some(PodStatus { phase: Some(phase.into()), ..PodStatus::default() }),
    }
}

#[tokio::test(start_paused = true)]
async fn it_tells_changes_and_counts_by_node() {
    let server = ApiServer::new();
    for name in ["a", "b"] {
        server.create(&pod(name, "n1", "Running")).unwrap();
    }
    let said = Said::default();
    let client = server.client();
    let running = Running::begin(|stop| example::run(client, stop, said.say()));
    said.hears(&["= 2 pods", "by node: n1 2"]).await;

    server.create(&pod("c", "n2", "Pending")).unwrap();
    said.hears(&["+ shop/c on n2"]).await;
    server.replace(&pod("c", "n2", "Running")).unwrap();
    said.hears(&["~ shop/c: Pending on n2 → Running on n2"]).await;
    server.delete(&pod("a", "n1", "Running")).unwrap();
    said.hears(&["- shop/a"]).await;
    said.hears(&["= 2 pods", "n1 1", "n2 1"]).await;

    // A write that says nothing of the pod makes no line; nor do pods that were there.
    let lines = said.all();
    let mut touched = pod("b", "n1", "Running");
    touched.metadata.labels = Some([("a".into(), "b".into())].into());
    server.replace(&touched).unwrap();
    sleep(Duration::from_secs(30)).await;
    assert_eq!(said.all(), lines);
    assert!(!lines.iter().any(|line| line.contains("+ shop/a") || line.contains("shop/b")));
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn it_ends_also_before_it_has_synced() {
    let server = ApiServer::new();
    server.intercept(|_| Some(super::support::unavailable()));
    let client = server.client();
    let running = Running::begin(|stop| example::run(client, stop, |_| {}));
    sleep(Duration::from_secs(2)).await;
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn what_was_deleted_while_disconnected_is_told() {
    let server = ApiServer::new();
    server.create(&pod("a", "n1", "Running")).unwrap();
    let said = Said::default();
    let client = server.client();
    let running = Running::begin(|stop| example::run(client, stop, said.say()));
    said.hears(&["= 1 pods"]).await;
    server.drop_connections();
    server.delete(&pod("a", "n1", "Running")).unwrap();
    server.compact();
    said.hears(&["- shop/a, missed while disconnected"]).await;
    running.end().await;
}
