//! Events about objects.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Node};
use k8s_openapi::api::events::v1::Event;
use kube::api::{Api, DeleteParams, ListParams};
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer::writing::EventRecorder;
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::support::S;

fn map(name: &str) -> ConfigMap {
    let metadata = json!({"metadata": {"name": name, "namespace": "shop", "uid": name}});
    serde_json::from_value(metadata).unwrap()
}

async fn events(server: &ApiServer) -> Vec<Event> {
    let api = Api::<Event>::all(server.client());
    api.list(&ListParams::default()).await.unwrap().items
}

#[tokio::test(start_paused = true)]
async fn equal_events_are_counted() {
    let server = ApiServer::new();
    let recorder = EventRecorder::new(server.client(), "site-controller");
    for n in 0..3 {
        recorder.normal(&map("a"), "Scaled", format!("to {n}"));
    }
    recorder.warning(&map("a"), "NoImage", "");
    recorder.normal(&map("b"), "Scaled", "é".repeat(1000));
    assert!(recorder.flush(S).await);
    let all = events(&server).await;
    assert_eq!(all.len(), 3);
    let find = |name: &str, reason: &str| {
        let wanted = |event: &&Event| {
            event.reason.as_deref() == Some(reason)
                && event.regarding.as_ref().unwrap().name.as_deref() == Some(name)
        };
        all.iter().find(wanted).unwrap()
    };
    let scaled = find("a", "Scaled");
    assert_eq!(scaled.series.as_ref().unwrap().count, 3);
    assert_eq!(scaled.note.as_deref(), Some("to 0"));
    assert_eq!(scaled.metadata.namespace.as_deref(), Some("shop"));
    let regarding = scaled.regarding.clone().unwrap();
    assert_eq!(
        (regarding.kind.as_deref(), regarding.uid.as_deref()),
        (Some("ConfigMap"), Some("a"))
    );
    assert_eq!(scaled.reporting_controller.as_deref(), Some("site-controller"));
    let warned = find("a", "NoImage");
    assert_eq!((warned.type_.as_deref(), &warned.note), (Some("Warning"), &None));
    assert!(find("b", "Scaled").note.as_ref().unwrap().len() <= 1024);
    let status = recorder.status();
    assert_eq!((status.published, status.dropped, status.filtered), (5, 0, 0));
}

#[tokio::test(start_paused = true)]
async fn spam_about_one_object_is_dropped() {
    let server = ApiServer::new();
    let recorder = EventRecorder::new(server.client(), "site-controller");
    for n in 0..100 {
        recorder.normal(&map("a"), format!("R{n}"), "");
    }
    recorder.normal(&map("b"), "Scaled", "");
    assert!(recorder.flush(S).await);
    assert_eq!(events(&server).await.len(), 26);
    assert_eq!(recorder.status().filtered, 75);
    sleep(Duration::from_secs(301)).await;
    recorder.normal(&map("a"), "Again", "");
    recorder.normal(&map("a"), "Again", "");
    assert!(recorder.flush(S).await);
    assert_eq!((events(&server).await.len(), recorder.status().filtered), (27, 76));
}

/// An hour without a server: nothing waits but the queue.
#[tokio::test(start_paused = true)]
async fn server_that_is_away_blocks_nobody() {
    let server = ApiServer::new();
    let faults = Faults::new();
    let outage = faults.inject(Requests::all(), Injection::refuse());
    let recorder = EventRecorder::new(faults.client(server.client()), "site-controller");
    let start = Instant::now();
    for n in 0..2000 {
        recorder.normal(&map(&format!("a-{n}")), "Scaled", "");
    }
    assert_eq!(start.elapsed(), Duration::ZERO);
    assert_eq!(recorder.status().dropped, 1000);
    assert!(!recorder.flush(60 * S).await);
    assert_eq!(start.elapsed(), 60 * S);
    sleep(Duration::from_secs(60)).await;
    assert_eq!(recorder.status().failed, 1, "the first was tried for two minutes");
    outage.remove();
    assert!(recorder.flush(60 * S).await);
    assert_eq!(events(&server).await.len(), 999);
}

#[tokio::test(start_paused = true)]
async fn refused_events_are_counted_and_the_next_is_sent() {
    let server = ApiServer::new();
    let faults = Faults::new();
    faults.inject(Requests::all().times(1), Injection::status(403));
    let recorder = EventRecorder::new(faults.client(server.client()), "site-controller");
    let node: Node = serde_json::from_value(json!({"metadata": {"name": "n1"}})).unwrap();
    recorder.normal(&node, "One", "");
    recorder.normal(&node, "Two", "");
    assert!(recorder.flush(S).await);
    let status = recorder.status();
    assert_eq!((status.failed, status.published), (1, 1));
    let all = events(&server).await;
    assert_eq!(all[0].metadata.namespace.as_deref(), Some("default"));

    // An event that has expired cannot be counted again.
    let api = Api::<Event>::namespaced(server.client(), "default");
    api.delete(all[0].metadata.name.as_ref().unwrap(), &DeleteParams::default()).await.unwrap();
    recorder.normal(&node, "Two", "");
    assert!(recorder.flush(S).await);
    assert_eq!((events(&server).await.len(), recorder.status().failed), (1, 1));
}
