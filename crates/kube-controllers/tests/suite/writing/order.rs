//! Lists whose order a type keeps, although it drops repeated elements or refuses other orders.

use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use kube::CustomResource;
use kube::api::{Api, Patch, PatchParams};
use kube_controllers::writing::Applier;
use kube_informer::SharedInformer;
use kube_informer::testing::ApiServer;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use super::partial::key;
use super::support::*;
use crate::helpers::synced;

#[derive(CustomResource, Clone, Debug, Default, Deserialize, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Plan", namespaced, schema = "disabled")]
#[kube(status = "Lists")]
#[serde(default)]
struct PlanSpec {
    #[serde(flatten)]
    lists: Lists,
    #[serde(skip_serializing_if = "HashSet::is_empty")]
    tags: HashSet<String>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    sorted: BTreeSet<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<(String, i64)>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
struct Lists {
    #[serde(deserialize_with = "unique", skip_serializing_if = "Vec::is_empty")]
    steps: Vec<String>,
}

fn unique<'de, D: Deserializer<'de>>(decoder: D) -> Result<Vec<String>, D::Error> {
    let mut all = Vec::<String>::deserialize(decoder)?;
    let mut known = HashSet::new();
    all.retain(|one| known.insert(one.clone()));
    Ok(all)
}

fn steps(names: &[&str]) -> Lists {
    Lists { steps: names.iter().map(ToString::to_string).collect() }
}

async fn plans() -> (ApiServer, SharedInformer<Plan>, Applier<Plan>) {
    let list = json!({"type": "array", "items": {"type": "string"}});
    let any = json!({"x-kubernetes-preserve-unknown-fields": true});
    let server = ApiServer::new();
    let spec = json!({"steps": list, "tags": list, "sorted": list, "limit": any});
    define(&server, ("plans", "Plan"), spec, json!({"steps": list})).await;
    let informer = synced::<Plan>(server.client()).await;
    let applier = Applier::builder(server.client(), &informer, "site").force(true).build().unwrap();
    (server, informer, applier)
}

fn plan(spec: PlanSpec) -> Plan {
    let mut plan = Plan::new("a", spec);
    plan.metadata.namespace = Some("shop".into());
    plan
}

async fn rest() {
    tokio::time::sleep(Duration::from_secs(2)).await;
}

fn api(server: &ApiServer) -> Api<Plan> {
    Api::namespaced(server.client(), "shop")
}

async fn merge(server: &ApiServer, change: Value) {
    api(server).patch("a", &PatchParams::default(), &Patch::Merge(change)).await.unwrap();
    rest().await;
}

#[tokio::test(start_paused = true)]
async fn order_of_unique_elements_is_held() {
    let (server, informer, applier) = plans().await;
    let mut desired =
        plan(PlanSpec { lists: steps(&["build", "test", "deploy"]), ..PlanSpec::default() });
    desired.status = Some(steps(&["x", "y"]));
    for expected in [true, false] {
        assert_eq!(applier.apply(&desired).await.unwrap().was_sent(), expected);
        rest().await;
        assert_eq!(applier.apply_status(&desired).await.unwrap().was_sent(), expected);
        rest().await;
    }
    merge(&server, json!({"spec": {"steps": ["deploy", "test", "build"]}})).await;
    assert!(applier.apply(&desired).await.unwrap().was_sent());
    assert_eq!(api(&server).get("a").await.unwrap().spec.lists.steps, desired.spec.lists.steps);
    rest().await;
    desired.spec.lists.steps.reverse();
    desired.status.as_mut().unwrap().steps.reverse();
    for expected in [true, false] {
        assert_eq!(applier.apply(&desired).await.unwrap().was_sent(), expected);
        rest().await;
        assert_eq!(applier.apply_status(&desired).await.unwrap().was_sent(), expected);
        rest().await;
    }
    let live = api(&server).get("a").await.unwrap();
    assert_eq!(live.spec.lists.steps, desired.spec.lists.steps);
    assert_eq!(live.status.unwrap().steps, desired.status.unwrap().steps);
    assert_eq!(applier.status().hidden_fields, [""; 0]);
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn set_beside_a_tuple_is_applied_once() {
    let (server, informer, applier) = plans().await;
    for n in 0..6 {
        // Each has an order of its own.
        let tags = (0..8).map(|n| format!("t{n}")).collect();
        let limit = Some(("cpu".to_owned(), 3));
        let desired = plan(PlanSpec { tags, limit, ..PlanSpec::default() });
        assert_eq!(applier.apply(&desired).await.unwrap().was_sent(), n == 0);
        rest().await;
        merge(&server, json!({"metadata": {"labels": {"x": n.to_string()}}})).await;
    }
    assert_eq!(applier.status().hidden_fields, [""; 0]);
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn order_of_a_part_beside_a_tuple_is_put_back() {
    let (server, informer, applier) = plans().await;
    let part = json!({"spec": {"sorted": ["c", "a", "b"], "limit": ["cpu", 3]}});
    assert!(applier.apply_partial(&key(), &part).await.unwrap().was_sent());
    rest().await;
    merge(&server, json!({"spec": {"sorted": ["a", "b", "c"]}})).await;
    assert!(applier.apply_partial(&key(), &part).await.unwrap().was_sent());
    assert_eq!(applier.status().hidden_fields, [".spec.sorted"]);
    informer.shutdown().await;
}
