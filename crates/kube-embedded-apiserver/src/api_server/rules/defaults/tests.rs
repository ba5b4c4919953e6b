use serde_json::{Value, json};

use super::add;

fn container(given: &Value) -> Value {
    let mut pod = json!({ "spec": { "containers": [given] }, "status": {} });
    add("v1", "Pod", &mut pod);
    pod["spec"]["containers"][0].clone()
}

#[test]
fn pull_policy_follows_the_tag() {
    for (image, policy) in [
        ("i", "Always"),
        ("i:latest", "Always"),
        ("i:1", "IfNotPresent"),
        ("i@sha256:00", "IfNotPresent"),
        ("r.example.com:5000/i", "Always"),
        ("r.example.com:5000/i:2", "IfNotPresent"),
    ] {
        let found = container(&json!({ "image": image }));
        assert_eq!(found["imagePullPolicy"], policy, "{image}");
    }
}

#[test]
fn given_values_stay() {
    let mut deployment = json!({ "spec": { "replicas": 0, "strategy": { "type": "Recreate" } } });
    add("apps/v1", "Deployment", &mut deployment);
    assert_eq!(deployment["spec"]["replicas"], 0);
    assert_eq!(deployment["spec"]["strategy"], json!({ "type": "Recreate" }));
    assert_eq!(deployment["spec"]["revisionHistoryLimit"], 10);
}

#[test]
fn template_is_not_a_pod() {
    let spec = json!({ "containers": [{ "resources": { "limits": { "cpu": "1" } } }] });
    let mut pod = json!({ "spec": spec });
    let mut template = json!({ "template": { "spec": spec } });
    add("v1", "Pod", &mut pod);
    add("v1", "PodTemplate", &mut template);
    assert_eq!(pod["spec"]["containers"][0]["resources"]["requests"]["cpu"], "1");
    assert!(template["template"]["spec"]["containers"][0]["resources"]["requests"].is_null());
    assert_eq!(pod["spec"]["enableServiceLinks"], true);
    assert!(template["template"]["spec"]["enableServiceLinks"].is_null());
}

#[test]
fn defaults_of_odd_bodies_do_no_harm() {
    for odd in
        [json!(null), json!([]), json!({ "spec": [] }), json!({ "spec": { "containers": 1 } })]
    {
        for (version, kind, _) in super::KINDS {
            add(version, kind, &mut odd.clone());
        }
    }
}
