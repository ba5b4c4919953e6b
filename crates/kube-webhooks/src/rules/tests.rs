//! Webhooks are built if, and only if, an API server takes their configuration.

use std::time::Duration;

use fastrand::Rng;
use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{ApiResource, DynamicObject, PostParams};
use kube::{Api, Client};
use kube_embedded_apiserver::ApiServer;
use serde_json::{Value, json};

use super::*;
use crate::{Admission, BuildError, Conversion, Hook, Service, Webhooks};

fn pods() -> Hook {
    Hook::validate("/v", async |_: Admission<Pod>| Ok(()))
}

fn of_kind(resource: &ApiResource) -> Hook {
    Hook::validate_with("/v", resource, async |_: Admission<DynamicObject>| Ok(()))
}

fn built(hook: Hook) -> Result<Webhooks, BuildError> {
    Webhooks::builder().hook(hook).build()
}

/// Returns the server's refusal of a webhook with this member.
async fn refusal(client: &Client, member: &str, value: &Value) -> Option<String> {
    let mut hook = json!({
        "name": "a.example.com", "sideEffects": "None", "admissionReviewVersions": ["v1"],
        "clientConfig": { "service": { "name": "hooks", "namespace": "shop" } },
    });
    hook[member] = value.clone();
    let configuration = json!({ "metadata": { "name": "a" }, "webhooks": [hook] });
    let configuration: ValidatingWebhookConfiguration =
        serde_json::from_value(configuration).unwrap();
    let params = PostParams { dry_run: true, ..PostParams::default() };
    let api = Api::all(client.clone());
    api.create(&params, &configuration).await.err().map(|error| error.to_string())
}

#[tokio::test]
async fn rules_are_those_that_a_server_takes() {
    let server = ApiServer::new();
    let whole = || {
        json!({
            "operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"],
            "resources": ["pods"], "scope": "*",
        })
    };
    let words = json!({
        "operations": ["*", "CREATE", "UPDATE", "DELETE", "CONNECT", "create", "GET", ""],
        "apiGroups": ["", "*", "apps", "a b", "A"],
        "apiVersions": ["v1", "*", "", "v1beta1", "A"],
        "resources": [
            "pods", "*", "*/*", "pods/*", "*/status", "pods/status", "pods/log", "nodes", "", "/",
            "nodes/", "a/b/c",
        ],
        "scope": ["*", "Cluster", "Namespaced", "", "cluster", "Any"],
    });
    let (mut rng, mut taken) = (Rng::with_seed(43), 0);
    for n in 0..3_000 {
        let mut rule = whole();
        for (member, words) in words.as_object().unwrap() {
            let words = words.as_array().unwrap();
            let mut draw = || rng.choice(words).unwrap().clone();
            if member == "scope" {
                rule[member] = draw();
            } else if n % 5 == 0 || rng.u8(0..4) == 0 {
                let count = rng.usize(0..4);
                rule[member] = (0..count).map(|_| rng.choice(words).unwrap().clone()).collect();
            }
        }
        if n % 3 > 0 {
            rule["scope"] = Value::Null;
        }
        let refused = refusal(&server.client(), "rules", &json!([rule])).await;
        let found: RuleWithOperations = serde_json::from_value(rule.clone()).unwrap();
        let built = built(pods().rules([found]));
        assert_eq!(built.is_ok(), refused.is_none(), "{rule}: {refused:?}");
        taken += usize::from(built.is_ok());
    }
    assert!((200..2_800).contains(&taken), "{taken}");
    let refused = built(pods().rules([RuleWithOperations::default()])).unwrap_err().to_string();
    let start = "the webhook at /v needs rules that a server takes: each with operations, groups";
    assert!(refused.starts_with(start), "{refused}");
    // An API server takes a webhook without rules, and never calls it.
    let refused = built(pods().rules([])).unwrap_err().to_string();
    assert_eq!(refused, "the webhook at /v needs at least one rule");
}

#[tokio::test]
async fn selectors_are_those_that_a_server_takes() {
    let server = ApiServer::new();
    let long = "a".repeat(64);
    let keys = ["a", "example.com/a", "A_b", "", " ", "-a", "a/b/c", "É", &long];
    let values = ["", "a", "A-b", "a b", "-a", "a/b", &long];
    let operators = ["In", "NotIn", "Exists", "DoesNotExist", "in", "", "="];
    let (mut rng, mut taken) = (Rng::with_seed(43), 0);
    for _ in 0..1_000 {
        let mut word = |words: &[&str]| {
            // A good one more often than not.
            let among = if rng.bool() { 2 } else { words.len() };
            words[rng.usize(0..among)].to_owned()
        };
        let mut selector = json!({ "matchLabels": { word(&keys): word(&values) } });
        let (key, operator) = (word(&keys), word(&operators));
        let listed: Vec<_> = (0..rng.usize(0..3)).map(|_| rng.choice(values).unwrap()).collect();
        selector["matchExpressions"] =
            json!([{ "key": key, "operator": operator, "values": listed }]);
        let found: LabelSelector = serde_json::from_value(selector.clone()).unwrap();
        for (member, hook) in [
            ("objectSelector", pods().object_selector(found.clone())),
            ("namespaceSelector", pods().namespace_selector(found.clone())),
        ] {
            let refused = refusal(&server.client(), member, &selector).await;
            let built = built(hook);
            assert_eq!(built.is_ok(), refused.is_none(), "{selector}: {refused:?}");
            taken += usize::from(built.is_ok());
        }
    }
    assert!((50..1_900).contains(&taken), "{taken}");
}

/// An API server takes such rules, and never calls the webhook.
#[test]
fn resources_that_no_server_has_are_refused() {
    for part in ["", "Status", "a/b", "/", " ", "status/", "é"] {
        let refused = built(pods().sub_resource(part));
        assert!(matches!(refused, Err(BuildError::Limit { .. })), "{part:?}");
    }
    for part in ["status", "*", "ephemeralcontainers"] {
        built(pods().sub_resource(part)).unwrap();
    }
    let good = || ApiResource::erase::<Pod>(&());
    built(of_kind(&good())).unwrap();
    for odd in ["", "A", "a b", "a/b", "é", "*"] {
        let set: [fn(&mut ApiResource, &str); 3] = [
            |resource, odd| resource.plural = odd.into(),
            |resource, odd| resource.version = odd.into(),
            |resource, odd| resource.group = odd.into(),
        ];
        for (n, set) in set.into_iter().enumerate() {
            let mut resource = good();
            set(&mut resource, odd);
            // The core group has no name, and a slash precedes a sub-resource.
            let is_valid = (n, odd) == (2, "") || (n, odd) == (0, "a/b");
            assert_eq!(built(of_kind(&resource)).is_ok(), is_valid, "{resource:?}");
        }
    }
    for odd in ["", " ", "a b", "Po/d", "1a", "A.b", "A_b", "Wídget", &"A".repeat(64)] {
        let resource = ApiResource { kind: odd.into(), ..good() };
        assert!(built(of_kind(&resource)).is_err(), "{odd:?}");
    }
}

#[test]
fn conversions_are_of_definitions_that_can_exist() {
    let conversion = |group: &str, plural: &str, version: &str| {
        let hub = GroupVersionKind::gvk(group, "v2", "Widget");
        let conversion = Conversion::dynamic_hub(&hub, plural).dynamic(version, Ok, Ok);
        Webhooks::builder().convert("/c", conversion).build()
    };
    conversion("example.com", "widgets", "v1").unwrap();
    for odd in ["", "A", "a b", "a/b", "a.", "é", "..", "a?b", "1", &"a".repeat(64)] {
        for (group, plural, version) in
            [("example.com", odd, "v1"), ("example.com", "widgets", odd), (odd, "widgets", "v1")]
        {
            let refused = conversion(group, plural, version);
            let Err(BuildError::Conversion { problem, .. }) = refused else {
                panic!("{group:?} {plural:?} {version:?}");
            };
            assert!(problem.starts_with("no definition can have the "), "{problem}");
        }
    }
    assert!(conversion("example.com", "widgets.a", "v1").is_err());
    for odd in ["", " ", "a b", "A/b", "1a", "A.b", "A_b", "-a", "Wídget", &"A".repeat(64)] {
        let hub = GroupVersionKind::gvk("example.com", "v2", odd);
        let conversion = Conversion::dynamic_hub(&hub, "widgets").dynamic("v1", Ok, Ok);
        let refused = Webhooks::builder().convert("/c", conversion).build().unwrap_err();
        let start = format!(
            "the conversion at /c cannot work: no definition can have the kind {odd:?}: it needs"
        );
        assert!(refused.to_string().starts_with(&start), "{refused}");
    }
    // The name of the definition has both.
    let group = |length: usize| format!("{}.com", "a".repeat(length));
    assert!(conversion(&group(241), "widgets", "v1").is_ok());
    assert!(conversion(&group(242), "widgets", "v1").is_err());
}

#[test]
fn conversions_take_no_options_of_admission() {
    let hook = || {
        let hub = GroupVersionKind::gvk("example.com", "v2", "Widget");
        Hook::convert("/c", Conversion::dynamic_hub(&hub, "widgets").dynamic("v1", Ok, Ok))
    };
    let limited = hook().timeout(Duration::from_secs(5)).concurrency(1, 1).body_limit(9);
    built(limited.ready_when(|| Ok(()))).unwrap();
    for odd in [
        hook().sub_resource("status"),
        hook().name("widgets.example.com"),
        hook().operations([Operation::Delete]),
        hook().rules([]),
        hook().fails_open(),
        hook().has_side_effects(),
        hook().reinvoked(),
        hook().own_namespace(),
        hook().match_condition("a", "true"),
        hook().object_selector(LabelSelector::default()),
        hook().namespace_selector(LabelSelector::default()),
    ] {
        let refused = built(odd).unwrap_err().to_string();
        let start = "the conversion at /c cannot work: it has an option of admission";
        assert!(refused.starts_with(start), "{refused}");
    }
}

/// The name of one is that which another has by its path and the Service.
#[test]
fn names_of_a_configuration_are_unique() {
    let hook = |path: &str| Hook::validate(path, async |_: Admission<Pod>| Ok(()));
    let named = || hook("/named").name("a-b.hooks.shop");
    let webhooks = Webhooks::builder().hook(hook("/a/b")).hook(named()).build().unwrap();
    let refused = webhooks.configurations(&Service::new("shop", "hooks")).unwrap_err();
    assert!(matches!(&refused, BuildError::SameName(two) if two == "/a/b and /named"), "{refused}");
    webhooks.configurations(&Service::new("shop", "others")).unwrap();
    // Another configuration has the webhooks that mutate.
    let mutate = Hook::mutate("/a/b", async |pod: Admission<Pod>| pod.into_object());
    let webhooks = Webhooks::builder().hook(mutate).hook(named()).build().unwrap();
    webhooks.configurations(&Service::new("shop", "hooks")).unwrap();
}

#[tokio::test]
async fn services_are_those_that_a_server_takes() {
    let webhooks = built(pods()).unwrap();
    let good = || Service::new("shop", "hooks");
    webhooks.configurations(&good()).unwrap();
    for odd in ["", "A", "a b", "a/b", "-a", "a.", "é", "../x", "a\n", &"a".repeat(254)] {
        for service in [
            Service::new(odd, "hooks"),
            Service::new("shop", odd),
            good().configuration(odd),
            good().port(0),
        ] {
            let refused = webhooks.configurations(&service);
            assert!(matches!(refused, Err(BuildError::Service(_))), "{service:?}");
        }
    }
    // The path becomes a part of the name.
    let long = format!("/{}", "a".repeat(250));
    let webhooks = built(Hook::mutate(&*long, async |pod: Admission<Pod>| pod.into_object()));
    let refused = webhooks.unwrap().configurations(&good()).unwrap_err().to_string();
    assert!(refused.contains("and at most 253 characters"), "{refused}");
}

#[test]
fn limits_without_bounds_are_taken() {
    let hook = pods().concurrency(usize::MAX, usize::MAX).body_limit(usize::MAX);
    built(hook.timeout(Duration::from_secs(30))).unwrap();
    let refused = built(pods().timeout(Duration::MAX)).unwrap_err().to_string();
    assert!(refused.contains("whole seconds, from 1 to 30"), "{refused}");
}
