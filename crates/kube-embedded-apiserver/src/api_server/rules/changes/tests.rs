use serde_json::{Value, json};

use super::{KINDS, problems};

fn fields(version: &str, kind: &str, before: &Value, after: &Value) -> Vec<String> {
    problems(version, kind, before, after).iter().map(|cause| cause.field().to_owned()).collect()
}

#[test]
fn selectors_stay() {
    let of = |value: &str| json!({ "spec": { "selector": { "matchLabels": { "a": value } } } });
    assert_eq!(fields("apps/v1", "Deployment", &of("1"), &of("2")), ["spec.selector"]);
    assert!(fields("apps/v1", "Deployment", &of("1"), &of("1")).is_empty());
}

#[test]
fn pods_take_images_and_tolerations() {
    let pod = |image: &str, tolerations: Value| {
        let spec = json!({ "containers": [{ "image": image }], "tolerations": tolerations });
        json!({ "spec": spec })
    };
    let (one, two) = (json!([{ "key": "a" }]), json!([{ "key": "a" }, { "key": "b" }]));
    let before = pod("i", one.clone());
    assert!(fields("v1", "Pod", &before, &pod("j", two)).is_empty());
    assert_eq!(fields("v1", "Pod", &before, &pod("j", json!([]))), ["spec.tolerations"]);
    let mut named = pod("i", one);
    named["spec"]["nodeName"] = "n".into();
    assert_eq!(fields("v1", "Pod", &before, &named), ["spec"]);
}

#[test]
fn odd_states_do_no_harm() {
    let odd =
        [json!(null), json!([]), json!({ "spec": [] }), json!({ "spec": { "containers": [1] } })];
    for before in &odd {
        for after in &odd {
            for (version, kind, _) in KINDS {
                drop(problems(version, kind, before, after));
            }
        }
    }
}
