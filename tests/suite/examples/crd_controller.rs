//! `crd_controller`: owned objects made and kept, conditions that say how it goes, no work without
//! need.

#[allow(dead_code, reason = "its main, and its scripted life")]
#[path = "../../../examples/crd_controller.rs"]
mod example;

use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::{Api, CustomResourceExt, ResourceExt};
use kube_informer::testing::ApiServer;
use serde_json::{Value, json};
use tokio::time::sleep;

use self::example::{Website, WebsiteSpec};
use super::support::{Running, eventually};
use crate::helpers::map_in;

struct Rig {
    server: ApiServer,
    websites: Api<Website>,
    maps: Api<ConfigMap>,
    deployments: Api<Deployment>,
    running: Running,
}

async fn rig() -> Rig {
    let server = ApiServer::new();
    let client = server.client();
    let running = Running::begin(|stop| example::run(client, stop));
    let client = server.client();
    let websites = Api::<Website>::namespaced(client.clone(), "shop");
    eventually("the type", || async { websites.list(&ListParams::default()).await.ok().map(drop) })
        .await;
    let (maps, deployments) =
        (Api::namespaced(client.clone(), "shop"), Api::namespaced(client, "shop"));
    Rig { server, websites, maps, deployments, running }
}

impl Rig {
    async fn create(&self, page: &str, replicas: i32) -> Website {
        let website = Website::new("hello", WebsiteSpec { page: page.into(), replicas });
        self.websites.create(&PostParams::default(), &website).await.unwrap()
    }

    async fn change(&self, spec: Value) {
        let patch = Patch::Merge(json!({ "spec": spec }));
        self.websites.patch("hello", &PatchParams::default(), &patch).await.unwrap();
    }

    /// Lets time pass until the status says so of this generation, and gives the condition.
    async fn says(&self, generation: i64, kind: &str, status: &str, reason: &str) -> Condition {
        eventually(&format!("{kind} {status} {reason} of {generation}"), || async {
            let found = self.websites.get("hello").await.unwrap().status?;
            let about = found.observed_generation == Some(generation);
            let mut conditions = found.conditions.into_iter();
            conditions.find(|found| {
                about && found.type_ == kind && found.status == status && found.reason == reason
            })
        })
        .await
    }

    async fn pods_are_ready(&self, pods: i32) {
        let generation = self.deployments.get("hello").await.unwrap().metadata.generation;
        let status = json!({
            "observedGeneration": generation, "replicas": pods, "readyReplicas": pods,
        });
        let patch = Patch::Merge(json!({ "status": status }));
        self.deployments.patch_status("hello", &PatchParams::default(), &patch).await.unwrap();
    }

    fn writes(&self) -> usize {
        self.server.requests().iter().filter(|asked| asked.method != "GET").count()
    }
}

#[test]
fn definition_has_status_and_conditions_by_type() {
    let definition = serde_json::to_value(Website::crd()).unwrap();
    let version = &definition["spec"]["versions"][0];
    assert!(version["subresources"]["status"].is_object());
    let status = &version["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"];
    assert_eq!(status["conditions"]["x-kubernetes-list-map-keys"], json!(["type"]));
}

#[tokio::test(start_paused = true)]
async fn website_is_created_and_becomes_ready() {
    let rig = rig().await;
    let website = rig.create("one", 2).await;
    let waiting = rig.says(1, "Ready", "False", "Progressing").await;
    assert_eq!(waiting.message, "0 of 2 pods are ready");
    rig.says(1, "Accepted", "True", "Valid").await;
    let map = rig.maps.get("hello").await.unwrap();
    assert_eq!(map.data.as_ref().unwrap()["index.html"], "one");
    assert_eq!(map.owner_references()[0].uid, website.uid().unwrap());
    assert_eq!(rig.deployments.get("hello").await.unwrap().spec.unwrap().replicas, Some(2));

    sleep(Duration::from_secs(5)).await;
    rig.pods_are_ready(1).await;
    eventually("one pod", || async {
        let status = rig.websites.get("hello").await.unwrap().status.unwrap();
        (status.ready_replicas == 1).then_some(())
    })
    .await;
    let still = rig.says(1, "Ready", "False", "Progressing").await;
    assert_eq!(still.last_transition_time, waiting.last_transition_time, "no transition");
    rig.pods_are_ready(2).await;
    rig.says(1, "Ready", "True", "Serving").await;
    let same = rig.maps.get("hello").await.unwrap();
    assert_eq!(same.resource_version(), map.resource_version(), "applied again, and not changed");

    // Its status is no work for it, not even when others write there.
    sleep(Duration::from_secs(5)).await;
    let writes = rig.writes();
    let other = Patch::Merge(json!({"status": {"readyReplicas": 7}}));
    rig.websites.patch_status("hello", &PatchParams::default(), &other).await.unwrap();
    sleep(Duration::from_secs(600)).await;
    assert_eq!(rig.writes(), writes + 1);
    rig.running.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_new_spec_reaches_what_is_owned() {
    let rig = rig().await;
    rig.create("one", 3).await;
    rig.says(1, "Ready", "False", "Progressing").await;
    rig.pods_are_ready(3).await;
    rig.says(1, "Ready", "True", "Serving").await;

    rig.change(json!({"page": "two", "replicas": 1})).await;
    // More pods than wanted are ready, but what the deployment says is about its older spec.
    rig.says(2, "Ready", "False", "Progressing").await;
    assert_eq!(rig.maps.get("hello").await.unwrap().data.unwrap()["index.html"], "two");
    assert_eq!(rig.deployments.get("hello").await.unwrap().spec.unwrap().replicas, Some(1));
    sleep(Duration::from_secs(5)).await;
    rig.says(2, "Ready", "False", "Progressing").await;
    rig.pods_are_ready(1).await;
    rig.says(2, "Ready", "True", "Serving").await;
    rig.running.end().await;
}

#[tokio::test(start_paused = true)]
async fn what_others_do_to_owned_objects_is_undone() {
    let rig = rig().await;
    rig.create("one", 1).await;
    rig.says(1, "Accepted", "True", "Valid").await;
    rig.maps.delete("hello", &DeleteParams::default()).await.unwrap();
    eventually("the map again", || async { rig.maps.get_opt("hello").await.unwrap() }).await;

    let patch = Patch::Merge(json!({"spec": {"replicas": 9, "paused": true}}));
    rig.deployments.patch("hello", &PatchParams::default(), &patch).await.unwrap();
    let spec = eventually("one replica", || async {
        let spec = rig.deployments.get("hello").await.unwrap().spec.unwrap();
        (spec.replicas == Some(1)).then_some(spec)
    })
    .await;
    assert_eq!(spec.paused, Some(true), "what it does not speak of is left alone");
    rig.running.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_wrong_spec_is_told_and_not_retried() {
    let rig = rig().await;
    rig.create("one", -1).await;
    let told = rig.says(1, "Accepted", "False", "InvalidSpec").await;
    assert_eq!(told.message, "spec.replicas is -1, not 1 to 100");
    rig.says(1, "Ready", "Unknown", "NotTried").await;
    let writes = rig.writes();
    sleep(Duration::from_secs(600)).await;
    assert_eq!(rig.writes(), writes);
    assert!(rig.deployments.get_opt("hello").await.unwrap().is_none());
    rig.change(json!({"replicas": 1})).await;
    rig.says(2, "Accepted", "True", "Valid").await;
    rig.running.end().await;
}

#[tokio::test(start_paused = true)]
async fn an_object_of_somebody_else_is_left_alone() {
    let rig = rig().await;
    let foreign = map_in("shop", "hello");
    rig.server.create(&foreign).unwrap();
    rig.create("one", 1).await;
    rig.says(1, "Ready", "False", "NameTaken").await;
    assert!(rig.maps.get("hello").await.unwrap().data.is_none());
    // It is looked at again.
    rig.server.delete(&foreign).unwrap();
    rig.says(1, "Ready", "False", "Progressing").await;
    rig.running.end().await;
}
