//! Types that write less than they read, or in another form.

use std::collections::{BTreeMap, HashMap, HashSet};

use k8s_openapi::api::apps::v1::Deployment;
use kube::CustomResource;
use kube_controllers::writing::{Applier, ApplyError};
use kube_informer::SharedInformer;
use kube_informer::testing::ApiServer;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::json;

use super::partial::{change, key, settle};
use super::support::*;
use crate::helpers::{caught_up, synced};

#[derive(CustomResource, Clone, Debug, Default, Deserialize, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Odd", namespaced, schema = "disabled")]
#[kube(status = "OddStatus")]
#[serde(default, rename_all = "camelCase")]
struct OddSpec {
    ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    small: Option<f32>,
    #[serde(skip_serializing_if = "is_default")]
    paused: bool,
    #[serde(skip_serializing_if = "is_default")]
    text: String,
    #[serde(skip_serializing_if = "is_default")]
    mode: Mode,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<Phase>,
    #[serde(skip_serializing_if = "is_default")]
    ports: Vec<Listener>,
    #[serde(skip_serializing_if = "is_default")]
    weights: Vec<Weight>,
    #[serde(skip_serializing_if = "is_default")]
    tags: HashSet<String>,
    #[serde(skip_serializing_if = "is_default")]
    words: HashSet<String>,
    #[serde(skip_serializing_if = "is_default", with = "by_name")]
    rules: HashMap<String, u16>,
}

/// A map that is written as a list, in an order of its own.
mod by_name {
    use super::*;

    #[derive(Deserialize, Serialize)]
    struct Rule {
        name: String,
        port: u16,
    }

    pub(super) fn serialize<S: Serializer>(
        rules: &HashMap<String, u16>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(rules.iter().map(|(name, port)| Rule { name: name.clone(), port: *port }))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<HashMap<String, u16>, D::Error> {
        let rules = Vec::<Rule>::deserialize(from)?;
        Ok(rules.into_iter().map(|rule| (rule.name, rule.port)).collect())
    }
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
struct OddStatus {
    ratio: Option<f64>,
    #[serde(skip_serializing_if = "is_default")]
    message: String,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
enum Mode {
    #[default]
    Auto,
    Manual,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
enum Phase {
    A,
    #[serde(other)]
    Other,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
struct Listener {
    port: u16,
    #[serde(default = "tcp", skip_serializing_if = "is_tcp")]
    protocol: String,
    name: String,
    #[serde(default, skip_serializing_if = "is_default")]
    tags: HashSet<String>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
struct Weight {
    weight: f64,
    to: String,
}

fn tcp() -> String {
    "TCP".to_owned()
}

fn is_tcp(protocol: &str) -> bool {
    protocol == "TCP"
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Returns a server that has the kind, and objects of it that another manager has made.
async fn odds() -> (ApiServer, SharedInformer<Odd>, Applier<Odd>) {
    let (text, number) = (json!({"type": "string"}), json!({"type": "number"}));
    let ports = keyed(
        &json!(["port", "protocol"]),
        &json!({
            "port": {"type": "integer"}, "protocol": {"type": "string", "default": "TCP"},
            "name": text,
            "tags": {"type": "array", "items": text, "x-kubernetes-list-type": "set"},
        }),
    );
    let spec = json!({
        "ratio": number, "small": number, "paused": {"type": "boolean"}, "text": text,
        "mode": text, "phase": text, "unknown": {"type": "boolean"}, "ports": ports,
        "weights": keyed(&json!(["weight"]), &json!({"weight": number, "to": text})),
        "tags": {"type": "array", "items": text, "x-kubernetes-list-type": "set"},
        "words": {"type": "array", "items": text},
        "rules": keyed(&json!(["name"]), &json!({"name": text, "port": {"type": "integer"}})),
    });
    let status = json!({"ratio": number, "message": text});
    let server = ApiServer::new();
    define(&server, ("odds", "Odd"), spec, status).await;
    let informer = synced::<Odd>(server.client()).await;
    let applier = Applier::builder(server.client(), &informer, "site").force(true).build().unwrap();
    server.create(&odd(OddSpec { ratio: Some(1.0), ..OddSpec::default() })).unwrap();
    (server, informer, applier)
}

fn odd(spec: OddSpec) -> Odd {
    let mut odd = Odd::new("a", spec);
    odd.metadata.namespace = Some("shop".into());
    odd
}

#[tokio::test(start_paused = true)]
async fn number_that_json_lacks_is_refused() {
    let (server, informer, applier) = odds().await;
    let before = writes(&server);
    for ratio in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(Some) {
        let desired = odd(OddSpec { ratio, ..OddSpec::default() });
        let status = OddStatus { ratio, ..OddStatus::default() };
        for refused in [
            applier.apply(&desired).await,
            applier.apply_partial(&key(), spec_of("ratio", ratio)).await,
            applier.apply_status_of(&desired, status).await,
        ] {
            let refused = refused.unwrap_err();
            assert!(matches!(refused, ApplyError::Unserializable { .. }), "{refused:?}");
            assert_eq!(
                refused.to_string(),
                "odds.example.com a in shop cannot be applied: a number is NaN or infinite, which \
                 JSON cannot hold"
            );
        }
    }
    assert_eq!(writes(&server), before);
    informer.shutdown().await;
}

/// A server that keeps unknown fields would store another number, and nobody would be told.
#[tokio::test(start_paused = true)]
async fn integer_that_servers_change_is_refused() {
    let (server, informer, applier) = odds().await;
    let before = writes(&server);
    let refused = applier.apply_partial(&key(), spec_of("size", u64::MAX)).await.unwrap_err();
    assert!(matches!(refused, ApplyError::Unserializable { .. }), "{refused:?}");
    assert!(refused.to_string().contains("an integer is above 9223372036854775807"), "{refused}");
    assert_eq!(writes(&server), before);
    informer.shutdown().await;
}

/// Returns a configuration with one member of the spec.
fn spec_of(name: &str, value: impl Serialize) -> impl Serialize {
    BTreeMap::from([("spec", BTreeMap::from([(name.to_owned(), value)]))])
}

#[tokio::test(start_paused = true)]
async fn default_that_the_type_leaves_out_is_kept() {
    let (server, informer, applier) = odds().await;
    let cases = [
        (json!({"paused": false}), json!({"paused": true})),
        (json!({"text": ""}), json!({"text": "x"})),
        (json!({"mode": "Auto"}), json!({"mode": "Manual"})),
        (
            json!({"ports": [{"port": 80, "protocol": "TCP", "name": "a"}]}),
            json!({"ports": [{"port": 80, "protocol": "TCP", "name": "b"}]}),
        ),
        (json!({"ports": [{"port": 80, "name": "a"}]}), json!({"ports": null})),
        (
            json!({"weights": [{"weight": 1, "to": "a"}, {"weight": 0.5, "to": "b"}]}),
            json!({"weights": [{"weight": 1, "to": "a"}, {"weight": 0.5, "to": "c"}]}),
        ),
    ];
    for (n, (spec, theirs)) in cases.into_iter().enumerate() {
        let value = json!({"spec": spec});
        assert!(settle(&server, &informer, &applier, &value).await <= 2, "{value}");
        change::<Odd>(server.client(), json!({"spec": {"ratio": n + 2}})).await;
        let hides = value["spec"].get("mode").is_some();
        let sent = settle(&server, &informer, &applier, &value).await;
        assert_eq!(sent, usize::from(hides), "{value}: its type refuses other modes");
        change::<Odd>(server.client(), json!({"spec": theirs})).await;
        let sent = settle(&server, &informer, &applier, &value).await;
        assert!((1..=2).contains(&sent), "{value}: {sent}");
    }
    let value = json!({"spec": {"unknown": false}});
    let refused = applier.apply_partial(&key(), &value).await.unwrap_err();
    let ApplyError::Projected { field, .. } = refused else { panic!("{refused:?}") };
    assert_eq!(field, ".spec.unknown");

    let port = Listener { port: 80, protocol: tcp(), name: "a".into(), tags: HashSet::new() };
    let desired = odd(OddSpec { ports: vec![port], ..OddSpec::default() });
    assert!(crate::helpers::settle(&server, &informer, &applier, &desired).await <= 2);
    let made = informer.lister().namespace("shop").get("a").unwrap();
    let status = || OddStatus { message: String::new(), ratio: Some(1.0) };
    assert!(applier.apply_status_of(&made, json!({"message": ""})).await.unwrap().was_sent());
    caught_up(&server, &informer).await;
    assert!(!applier.apply_status_of(&made, json!({"message": ""})).await.unwrap().was_sent());
    assert!(applier.apply_status_of(&made, status()).await.unwrap().was_sent());
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn order_of_a_set_does_not_count() {
    let (server, informer, applier) = odds().await;
    // Each set has an order of its own.
    let set = |prefix| (0..8).map(|n| format!("{prefix}{n}")).collect::<HashSet<_>>();
    let of_tags = |tags: HashSet<String>| spec_of("tags", tags);
    assert!(settle(&server, &informer, &applier, &of_tags(set("a"))).await <= 2);
    for _ in 0..10 {
        caught_up(&server, &informer).await;
        assert!(!applier.apply_partial(&key(), of_tags(set("a"))).await.unwrap().was_sent());
    }
    let mut more = set("a");
    more.insert("b".to_owned());
    assert!(settle(&server, &informer, &applier, &of_tags(more)).await >= 1);
    for _ in 0..10 {
        let desired = odd(OddSpec {
            tags: set("a"),
            words: set("a"),
            ratio: Some(1.0),
            ..OddSpec::default()
        });
        applier.apply(&desired).await.unwrap();
        caught_up(&server, &informer).await;
        assert!(!applier.apply(&desired).await.unwrap().was_sent());
    }
    // The server completes the keys of an element, which has a set of its own.
    let port = || spec_of("ports", [json!({"port": 80, "name": "a", "tags": set("a")})]);
    assert!(settle(&server, &informer, &applier, &port()).await <= 2);
    for _ in 0..10 {
        assert_eq!(settle(&server, &informer, &applier, &port()).await, 0);
    }
    assert_eq!(applier.status().hidden_fields, [""; 0]);
    informer.shutdown().await;
}

/// The order is part of the list for the server, and each `HashSet` and `HashMap` has its own.
#[tokio::test(start_paused = true)]
async fn order_that_the_type_does_not_keep_does_not_count() {
    let (server, informer, applier) = odds().await;
    let words = |n| (0..n).map(|n| format!("w{n}")).collect::<HashSet<_>>();
    let desired = |n| {
        let rules = (0..n).map(|n| (format!("r{n}"), n)).collect();
        odd(OddSpec { ratio: Some(1.0), words: words(n), rules, ..OddSpec::default() })
    };
    for n in [2, 8, 3] {
        assert!(crate::helpers::settle(&server, &informer, &applier, &desired(n)).await <= 2);
        for _ in 0..20 {
            assert!(!applier.apply(&desired(n)).await.unwrap().was_sent(), "{n} words");
        }
    }
    let theirs = json!({"spec": {"small": 2.0, "words": ["w2", "w0", "w1"]}});
    change::<Odd>(server.client(), theirs).await;
    assert_eq!(crate::helpers::settle(&server, &informer, &applier, &desired(3)).await, 0);
    change::<Odd>(server.client(), json!({"spec": {"words": ["w2", "w0", "x"]}})).await;
    assert!(crate::helpers::settle(&server, &informer, &applier, &desired(3)).await >= 1);
    assert_eq!(applier.status().hidden_fields, [""; 0]);

    // A part may ask for an order, and the type shows none.
    let part = spec_of("words", ["b", "a"]);
    assert!(settle(&server, &informer, &applier, &part).await <= 2);
    assert_eq!(applier.status().hidden_fields, [".spec.words"]);
    change::<Odd>(server.client(), json!({"spec": {"words": ["a", "b"]}})).await;
    assert!(settle(&server, &informer, &applier, &part).await >= 1);
    assert_eq!(settle(&server, &informer, &applier, &part).await, 0);
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn change_within_a_folded_value_is_put_back() {
    for (spec, theirs, path) in [
        (json!({"phase": "C"}), json!({"phase": "D"}), ".spec.phase"),
        (json!({"small": 0.1}), json!({"small": 0.100_000_000_01}), ".spec.small"),
    ] {
        let (server, informer, applier) = odds().await;
        let value = json!({"spec": spec});
        assert!(settle(&server, &informer, &applier, &value).await <= 2, "{value}");
        assert_eq!(applier.status().hidden_fields, [path]);
        change::<Odd>(server.client(), json!({"spec": theirs})).await;
        assert!(settle(&server, &informer, &applier, &value).await >= 1, "{value}");
        assert_eq!(settle(&server, &informer, &applier, &value).await, 0, "{value}");
        informer.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn apply_of_an_empty_list_is_answered() {
    let server = ApiServer::new();
    let informer = synced::<Deployment>(server.client()).await;
    let applier = Applier::builder(server.client(), &informer, "site").force(true).build().unwrap();
    let made = server.create(&deployment(1, "1")).unwrap();
    for theirs in [json!([]), json!([{"type": "A", "status": "True"}])] {
        patch(&server, "other", "/status", json!({"status": {"conditions": theirs}})).await;
        caught_up(&server, &informer).await;
        applier.apply_status_of(&made, json!({"conditions": []})).await.unwrap();
        caught_up(&server, &informer).await;
        let at_rest = applier.apply_status_of(&made, json!({"conditions": []})).await.unwrap();
        assert!(!at_rest.was_sent(), "{theirs}");
    }
    informer.shutdown().await;
}
