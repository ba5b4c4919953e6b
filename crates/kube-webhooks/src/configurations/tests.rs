use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::PostParams;
use kube::core::{DynamicObject, GroupVersionKind};
use kube_embedded_apiserver::ApiServer;

use super::*;
use crate::{Admission, BuildError, Conversion};

fn service() -> Service {
    Service::new("shop", "operator").port(8443)
}

fn validating(hook: Hook) -> Value {
    let webhooks = Webhooks::builder().hook(hook).build().unwrap();
    let configuration = webhooks.configurations(&service()).unwrap().validating.unwrap();
    serde_json::to_value(&configuration.webhooks.unwrap()[0]).unwrap()
}

fn pods(path: &str) -> Hook {
    Hook::validate(path, async |_: Admission<Pod>| Ok(()))
}

fn rule(groups: &[&str], resources: &[&str]) -> api::RuleWithOperations {
    let list = |words: &[&str]| Some(words.iter().map(|&word| word.to_owned()).collect());
    api::RuleWithOperations {
        api_groups: list(groups),
        api_versions: list(&["*"]),
        operations: list(&["*"]),
        resources: list(resources),
        scope: None,
    }
}

#[test]
fn type_and_operations_make_the_configuration() {
    assert_eq!(
        validating(pods("/keep/pods.1").operations([Operation::Delete])),
        json!({
            "admissionReviewVersions": ["v1"],
            "clientConfig": { "service": {
                "name": "operator", "namespace": "shop", "path": "/keep/pods.1", "port": 8443,
            } },
            "failurePolicy": "Fail",
            "matchPolicy": "Equivalent",
            "name": "keep-pods-1.operator.shop",
            "namespaceSelector": { "matchExpressions": [
                { "key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["shop"] },
            ] },
            "rules": [{
                "apiGroups": [""], "apiVersions": ["v1"], "operations": ["DELETE"],
                "resources": ["pods"],
            }],
            "sideEffects": "None",
        })
    );
}

#[test]
fn options_show_in_the_configuration() {
    let hook = pods("/v")
        .name("pods.shop.example.com")
        .sub_resource("status")
        .fails_open()
        .has_side_effects()
        .own_namespace()
        .match_condition("no-nodes", "!('system:nodes' in request.userInfo.groups)")
        .timeout(Duration::from_secs(3));
    let found = validating(hook);
    assert_eq!(found["name"], "pods.shop.example.com");
    assert_eq!(found["rules"][0]["resources"], json!(["pods/status"]));
    assert_eq!(found["failurePolicy"], "Ignore");
    assert_eq!(found["sideEffects"], "NoneOnDryRun");
    assert_eq!(found["timeoutSeconds"], 3);
    assert_eq!(found["matchConditions"][0]["name"], "no-nodes");
    assert!(found.get("namespaceSelector").is_none());
}

#[test]
fn election_and_events_live_while_the_webhook_is_down() {
    let names = |hook: Hook| {
        let found = validating(hook);
        let conditions = found["matchConditions"].as_array().cloned().unwrap_or_default();
        conditions.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(pods("/v").rules([rule(&["*"], &["*"])])), ["no-leases", "no-events"]);
    assert_eq!(names(pods("/v").rules([rule(&[""], &["*/*"])])), ["no-events"]);
    assert!(names(pods("/v").rules([rule(&["apps"], &["*"])])).is_empty());
    assert!(names(pods("/v").rules([rule(&["coordination.k8s.io"], &["leases"])])).is_empty());
    assert!(names(Hook::validate("/v", async |_: Admission<Lease>| Ok(()))).is_empty());
}

#[tokio::test]
async fn server_accepts_all_of_it() {
    let hub = GroupVersionKind::gvk("example.com", "v2", "Widget");
    let webhooks = Webhooks::builder()
        .hook(pods("/v").rules([rule(&["*"], &["*"])]))
        .mutate("/m", async |review: Admission<Pod>| review.into_object())
        .convert("/c", Conversion::dynamic_hub(&hub, "widgets").dynamic("v1", Ok, Ok))
        .build()
        .unwrap();
    let configurations = webhooks.configurations(&service()).unwrap();
    let server = ApiServer::new();
    let params = PostParams::default();
    let validating = configurations.validating.as_ref().unwrap();
    Api::all(server.client()).create(&params, validating).await.unwrap();
    let mutating = configurations.mutating.as_ref().unwrap();
    Api::all(server.client()).create(&params, mutating).await.unwrap();
    let (name, conversion) = &configurations.conversions[0];
    assert_eq!(name, "widgets.example.com");
    assert_eq!(conversion["webhook"]["clientConfig"]["service"]["path"], "/c");
}

#[test]
fn yaml_holds_the_objects() {
    let hub = GroupVersionKind::gvk("example.com", "v2", "Widget");
    let conversion: Conversion<DynamicObject> = Conversion::dynamic_hub(&hub, "widgets");
    let webhooks = Webhooks::builder()
        .hook(pods("/v"))
        .convert("/c", conversion.dynamic("v1", Ok, Ok))
        .build()
        .unwrap();
    let yaml = webhooks.configurations(&service()).unwrap().to_yaml().unwrap();
    let (objects, comments) = yaml.split_once("---\n").unwrap();
    assert!(objects.contains("kind: ValidatingWebhookConfiguration\n"), "{yaml}");
    assert!(comments.starts_with("# In the definition widgets.example.com:\n# spec:\n"), "{yaml}");
    assert!(comments.lines().all(|line| line.starts_with('#')), "{yaml}");
}

#[test]
fn webhooks_that_configurations_cannot_have_are_not_built() {
    let hook = |path: &str| Hook::validate(path, async |_: Admission<Pod>| Ok(()));
    let conversion = || {
        let hub = kube::core::GroupVersionKind::gvk("example.com", "v2", "Widget");
        crate::Conversion::dynamic_hub(&hub, "widgets").dynamic("v1", Ok, Ok)
    };
    let same = "the webhooks at /a/b and /a-b have the same name: set another one by `Hook::name`";
    for (builder, problem) in [
        (Webhooks::builder().hook(hook("/a/b")).hook(hook("/a-b")), same),
        (
            Webhooks::builder().hook(hook("/a").name("a.b.c")).hook(hook("/b").name("a.b.c")),
            "the webhooks at /a and /b have the same name: set another one by `Hook::name`",
        ),
        (
            Webhooks::builder().convert("/a", conversion()).convert("/b", conversion()),
            "the conversion at /b cannot work: /a converts objects of its definition, too",
        ),
        (
            Webhooks::builder().hook(hook("/a").operations([])),
            "the webhook at /a needs at least one operation",
        ),
        (Webhooks::builder().hook(hook("/a")).hook(hook("/a")), "two webhooks have the path /a"),
    ] {
        assert_eq!(builder.build().unwrap_err().to_string(), problem);
    }
    let long = format!("/{}", "a".repeat(254));
    for path in [
        "", "a", "//", "/a//b", "/A", "/a_b", "/a b", "/a?b", "/a#b", "/%61", "/-a", "/a./b", &long,
    ] {
        let refused = Webhooks::builder().hook(hook(path)).build().unwrap_err();
        assert!(matches!(refused, BuildError::Path(of) if of == path), "{path}");
    }
    for path in ["/", "/a/", "/a/b-c/1.d", &long[..254]] {
        Webhooks::builder().hook(hook(path)).build().unwrap();
    }
    let webhooks = Webhooks::builder().hook(hook("/")).hook(hook("/a-b").name("a.b.c")).build();
    let configuration = webhooks.unwrap().configurations(&Service::new("shop", "hooks"));
    let names = configuration.unwrap().validating.unwrap().webhooks.unwrap();
    let names: Vec<_> = names.iter().map(|hook| &*hook.name).collect();
    assert_eq!(names, ["webhook.hooks.shop", "a.b.c"]);
}

#[test]
fn match_conditions_are_those_that_a_configuration_can_have() {
    let hook = |name: &str, expression: &str| pods("/v").match_condition(name, expression);
    let accepted = |hook: Hook| Webhooks::builder().hook(hook).build().is_ok();
    let long = "a".repeat(63);
    for name in ["a", "A_b.c-1", "example.com/no-nodes", &long] {
        assert!(accepted(hook(name, "true")), "{name}");
    }
    let longer = format!("{long}a");
    for name in ["", " ", "-a", "a.", "a b", "a/b/c", "/a", "a/", "A.com/b", "é", "a\nb", &longer]
    {
        assert!(!accepted(hook(name, "true")), "{name:?}");
    }
    assert!(!accepted(hook("a", "")) && !accepted(hook("a", " \n")));
    assert!(!accepted(hook("a", "true").match_condition("a", "false")));
    // That of the configuration itself.
    assert!(!accepted(hook("no-events", "true").rules([rule(&["*"], &["*"])])));
    let many = |count: usize| {
        (0..count).fold(pods("/v"), |hook, n| hook.match_condition(&n.to_string(), "true"))
    };
    assert!(accepted(many(64)) && !accepted(many(65)));
    let refused = Webhooks::builder().hook(hook("", "true")).build().unwrap_err();
    let expected = "the webhook at /v needs at most 64 match conditions with an expression and a ";
    assert!(refused.to_string().starts_with(expected), "{refused}");
}

/// A configuration has no namespace, and an apply takes out what it does not name.
#[tokio::test]
async fn services_of_one_name_share_no_configuration() {
    let server = ApiServer::new();
    for namespace in ["shop", "bank"] {
        let allow = async |_: Admission<Pod>| Ok(());
        let webhooks = Webhooks::builder().validate("/v", allow).build().unwrap();
        let configurations = webhooks.configurations(&Service::new(namespace, "hooks")).unwrap();
        configurations.apply(&server.client()).await.unwrap();
    }
    let found = server.list::<api::ValidatingWebhookConfiguration>().unwrap();
    let names: Vec<_> = found.into_iter().flat_map(|one| one.webhooks.unwrap()).collect();
    let names: Vec<_> = names.iter().map(|hook| &*hook.name).collect();
    assert_eq!(names, ["v.hooks.bank", "v.hooks.shop"]);
}
