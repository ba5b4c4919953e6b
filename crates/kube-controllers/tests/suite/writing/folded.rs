//! Types that fold or drop elements of lists, or write less than they read.

use std::net::IpAddr;

use k8s_openapi::ByteString;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::CustomResource;
use kube_controllers::writing::{Applier, ApplyError};
use kube_informer::SharedInformer;
use kube_informer::testing::ApiServer;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use super::partial::{change, key, settle};
use super::support::*;
use crate::helpers::{caught_up, synced};

#[derive(CustomResource, Clone, Debug, Default, Deserialize, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Fold", namespaced, schema = "disabled")]
#[kube(status = "Lists")]
#[serde(default)]
struct FoldSpec {
    #[serde(flatten)]
    lists: Lists,
    #[serde(skip_serializing)]
    strict: Option<Strict>,
    #[serde(skip_serializing)]
    bytes: Option<ByteString>,
    #[serde(skip_serializing)]
    time: Option<Time>,
    #[serde(skip_serializing)]
    address: Option<IpAddr>,
    #[serde(skip_serializing)]
    text: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    words: Vec<String>,
    atomic: Vec<Unkeyed>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
struct Lists {
    modes: Vec<OfMode>,
    numbers: Vec<OfNumber>,
    #[serde(deserialize_with = "without_hidden")]
    some: Vec<OfName>,
    unkeyed: Vec<Unkeyed>,
    #[serde(deserialize_with = "lower_case")]
    lower: Vec<String>,
    times: Vec<Time>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
enum Mode {
    Manual,
    #[serde(other)]
    Other,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
enum Strict {
    Auto,
    Manual,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct OfMode {
    mode: Mode,
    value: u32,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct OfNumber {
    number: f32,
    value: u32,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct OfName {
    name: String,
    value: u32,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Unkeyed {
    value: u32,
}

fn without_hidden<'de, D: Deserializer<'de>>(decoder: D) -> Result<Vec<OfName>, D::Error> {
    let all = Vec::<OfName>::deserialize(decoder)?;
    Ok(all.into_iter().filter(|one| !one.name.starts_with("hidden")).collect())
}

fn lower_case<'de, D: Deserializer<'de>>(decoder: D) -> Result<Vec<String>, D::Error> {
    let all = Vec::<String>::deserialize(decoder)?;
    Ok(all.into_iter().map(|text| text.to_lowercase()).collect())
}

async fn folds() -> (ApiServer, SharedInformer<Fold>, Applier<Fold>) {
    let (text, number) = (json!({"type": "string"}), json!({"type": "number"}));
    let of = |name: &str, schema: &Value| {
        keyed(&json!([name]), &json!({name: schema, "value": {"type": "integer"}}))
    };
    let set = json!({"type": "array", "items": text, "x-kubernetes-list-type": "set"});
    let flag = json!({"type": "object", "properties": {
        "value": {"type": "integer"}, "flag": {"type": "boolean"},
    }});
    let lists = json!({
        "modes": of("mode", &text), "numbers": of("number", &number), "some": of("name", &text),
        "unkeyed": of("name", &text), "lower": set, "times": set,
        "strict": text, "text": text, "bytes": text, "time": text, "address": text,
        "words": {"type": "array", "items": text}, "none": {"type": "array", "items": text},
        "atomic": {"type": "array", "items": flag},
    });
    let server = ApiServer::new();
    define(&server, ("folds", "Fold"), lists.clone(), lists).await;
    let informer = synced::<Fold>(server.client()).await;
    let applier = Applier::builder(server.client(), &informer, "site").force(true).build().unwrap();
    let mut fold = Fold::new("a", FoldSpec::default());
    fold.metadata.namespace = Some("shop".into());
    server.create(&fold).unwrap();
    (server, informer, applier)
}

/// Applies a value to the spec, which another manager then changes. Returns whether the applier has
/// put it back, and the hidden fields that it has named. `None` if the type cannot hold it.
async fn puts_back(ours: &Value, theirs: &Value) -> Option<(bool, Vec<String>)> {
    let (server, informer, applier) = folds().await;
    let value = json!({ "spec": ours });
    match applier.apply_partial(&key(), &value).await {
        Err(ApplyError::Projected { .. }) => return None,
        sent => assert!(sent.unwrap().was_sent()),
    }
    settle(&server, &informer, &applier, &value).await;
    change::<Fold>(server.client(), json!({ "spec": theirs })).await;
    let sent = settle(&server, &informer, &applier, &value).await;
    assert_eq!(settle(&server, &informer, &applier, &value).await, 0, "{value}");
    informer.shutdown().await;
    Some((sent >= 1, applier.status().hidden_fields))
}

#[tokio::test(start_paused = true)]
async fn change_of_a_folded_element_is_put_back() {
    for (ours, theirs, path) in [
        (
            json!({"modes": [{"mode": "C", "value": 1}]}),
            json!({"modes": [{"mode": "C", "value": 2}]}),
            ".spec.modes[mode]",
        ),
        (
            json!({"modes": [{"mode": "C", "value": 1}, {"mode": "Other", "value": 1}]}),
            json!({"modes": [{"mode": "C", "value": 1}, {"mode": "D", "value": 1}]}),
            ".spec.modes[mode]",
        ),
        (
            json!({"numbers": [{"number": 0.1, "value": 1}]}),
            json!({"numbers": [{"number": 0.1, "value": 2}]}),
            ".spec.numbers[number]",
        ),
        (
            json!({"some": [{"name": "hidden", "value": 1}, {"name": "b", "value": 1}]}),
            json!({"some": [{"name": "hidden", "value": 2}, {"name": "b", "value": 1}]}),
            ".spec.some[name]",
        ),
        (
            json!({"unkeyed": [{"name": "a", "value": 1}, {"name": "b", "value": 1}]}),
            json!({"unkeyed": [{"name": "a", "value": 1}, {"name": "c", "value": 1}]}),
            ".spec.unkeyed[name]",
        ),
        (json!({"lower": ["A"]}), json!({"lower": ["B"]}), ".spec.lower[]"),
        (json!({"lower": ["A", "a"]}), json!({"lower": ["A"]}), ".spec.lower[]"),
        (
            json!({"times": ["2030-01-01T00:00:00.000Z"]}),
            json!({"times": ["2030-01-02T00:00:00.000Z"]}),
            ".spec.times[]",
        ),
    ] {
        let (put_back, hidden) = puts_back(&ours, &theirs).await.unwrap();
        assert_eq!((put_back, &hidden[..]), (true, &[path.to_owned()][..]), "{ours}");
    }
    // The type shows no element's name.
    let ours = json!({"unkeyed": [{"name": "a", "value": 1}]});
    assert_eq!(puts_back(&ours, &json!({"unkeyed": [{"name": "b", "value": 1}]})).await, None);
}

#[tokio::test(start_paused = true)]
async fn change_of_a_field_that_is_never_written_is_put_back() {
    for (ours, theirs, path) in [
        (json!({"strict": "Manual"}), json!({"strict": "Auto"}), ".spec.strict"),
        (json!({"bytes": "YQ=="}), json!({"bytes": "Yg=="}), ".spec.bytes"),
        (
            json!({"time": "2030-01-01T00:00:00Z"}),
            json!({"time": "2030-01-02T00:00:00Z"}),
            ".spec.time",
        ),
        (json!({"address": "10.0.0.1"}), json!({"address": "10.0.0.2"}), ".spec.address"),
        // A value that means none, within a list that has one owner.
        (
            json!({"atomic": [{"value": 1, "flag": false}]}),
            json!({"atomic": [{"value": 1, "flag": true}]}),
            ".spec.atomic[0].flag",
        ),
        (json!({"none": []}), json!({"none": ["a"]}), ".spec.none"),
    ] {
        let (put_back, hidden) = puts_back(&ours, &theirs).await.unwrap();
        assert_eq!((put_back, &hidden[..]), (true, &[path.to_owned()][..]), "{ours}");
    }
    // The type reads any text, so it is sure to lose the field.
    assert_eq!(puts_back(&json!({"text": "a"}), &json!({"text": "b"})).await, None);
    // An empty list that the type leaves out.
    let put_back = puts_back(&json!({"words": []}), &json!({"words": ["a"]})).await;
    assert_eq!(put_back, Some((true, Vec::new())));
}

#[tokio::test(start_paused = true)]
async fn change_of_a_folded_status_is_put_back() {
    let (server, informer, applier) = folds().await;
    caught_up(&server, &informer).await;
    let made = informer.lister().namespace("shop").get("a").unwrap();
    let status = json!({"modes": [{"mode": "C", "value": 1}], "lower": ["A"]});
    assert!(applier.apply_status_of(&made, &status).await.unwrap().was_sent());
    caught_up(&server, &informer).await;
    assert!(!applier.apply_status_of(&made, &status).await.unwrap().was_sent());
    let api = kube::Api::<Fold>::namespaced(server.client(), "shop");
    for theirs in [json!({"modes": [{"mode": "C", "value": 2}]}), json!({"lower": ["B"]})] {
        let theirs = kube::api::Patch::Merge(json!({ "status": theirs }));
        api.patch_status("a", &kube::api::PatchParams::default(), &theirs).await.unwrap();
        caught_up(&server, &informer).await;
        assert!(applier.apply_status_of(&made, &status).await.unwrap().was_sent());
    }
    informer.shutdown().await;
}
