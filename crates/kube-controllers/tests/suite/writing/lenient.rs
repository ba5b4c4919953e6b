//! Types that read a value in another way once a part of it has changed.

use std::collections::BTreeSet;

use kube::CustomResource;
use kube::api::{Api, Patch, PatchParams};
use kube_controllers::writing::{Applier, ApplyError};
use kube_informer::SharedInformer;
use kube_informer::testing::ApiServer;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::partial::key;
use super::support::*;
use crate::helpers::{caught_up, synced};

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Loose", namespaced, schema = "disabled")]
struct LooseSpec {
    rule: Rule,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
enum Rule {
    Strict(Strict),
    Other(Value),
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Strict {
    limit: (String, i64),
    #[serde(default)]
    sorted: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "Mode::is_auto")]
    mode: Mode,
    #[serde(default, skip_serializing)]
    _note: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
enum Mode {
    #[default]
    Auto,
    Manual,
}

impl Mode {
    fn is_auto(&self) -> bool {
        matches!(self, Self::Auto)
    }
}

async fn rules() -> (ApiServer, SharedInformer<Loose>, Applier<Loose>) {
    let server = ApiServer::new();
    let any = json!({"x-kubernetes-preserve-unknown-fields": true});
    define(&server, ("looses", "Loose"), json!({ "rule": any }), json!({})).await;
    let informer = synced::<Loose>(server.client()).await;
    let applier = Applier::builder(server.client(), &informer, "site").force(true).build().unwrap();
    (server, informer, applier)
}

#[tokio::test(start_paused = true)]
async fn order_beside_a_tuple_of_a_lenient_type_is_put_back() {
    let (server, informer, applier) = rules().await;
    let sorted = json!(["a", "b", "c"]);
    let part = json!({"spec": {"rule": {"limit": ["cpu", 3], "sorted": sorted}}});
    let api = Api::<Loose>::namespaced(server.client(), "shop");
    for _ in 0..3 {
        assert!(applier.apply_partial(&key(), &part).await.unwrap().was_sent());
        caught_up(&server, &informer).await;
        assert!(!applier.apply_partial(&key(), &part).await.unwrap().was_sent());
        let theirs = json!({"spec": {"rule": {"sorted": ["b", "a", "c"]}}});
        api.patch("a", &PatchParams::default(), &Patch::Merge(theirs)).await.unwrap();
        caught_up(&server, &informer).await;
    }
    assert_eq!(applier.status().hidden_fields, [".spec.rule.sorted"]);
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn field_that_a_lenient_type_loses_is_told() {
    let (_server, informer, applier) = rules().await;
    let rule = json!({"limit": ["cpu", 3], "mode": "Auto", "_note": "x"});
    let refused = applier.apply_partial(&key(), json!({"spec": {"rule": rule}})).await.unwrap_err();
    let ApplyError::Projected { field, .. } = &refused else { panic!("{refused:?}") };
    assert_eq!(field, ".spec.rule._note");
    informer.shutdown().await;
}
