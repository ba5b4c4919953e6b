//! Random changes by other managers: what is applied holds after at most one write.

use fastrand::Rng;
use k8s_openapi::api::apps::v1::Deployment;
use kube::api::Api;
use kube_controllers::writing::Applier;
use kube_informer::testing::ApiServer;
use serde_json::{Value, json};

use super::support::*;
use crate::helpers::settle;

/// Returns whether an object has all values of a configuration. Elements are found by their names.
fn holds(object: &Value, configuration: &Value) -> bool {
    match (object, configuration) {
        (Value::Object(object), Value::Object(all)) => all
            .iter()
            .all(|(name, value)| object.get(name).is_some_and(|found| holds(found, value))),
        (Value::Array(found), Value::Array(all))
            if all.iter().all(|one| one.get("name").is_some()) =>
        {
            all.iter().all(|one| found.iter().any(|other| holds(other, one)))
        }
        _ => object == configuration,
    }
}

/// A change of something that the applier owns, or of something else. A change that is applied may
/// leave out the image of a container that has one.
fn change(rng: &mut Rng, applied: bool) -> Value {
    let value = rng.u8(0..3).to_string();
    let key = ["app", "theirs", "more"][rng.usize(0..3)];
    let name = ["web", "sidecar"][rng.usize(0..2)];
    let mut container = match rng.u8(0..5) {
        0 => json!({"name": name, "image": value}),
        1 => json!({"name": name, "args": [value]}),
        2 => json!({"name": name, "env": [{"name": "COLOUR", "value": value}]}),
        3 => json!({"name": name, "env": [{"name": "OTHER", "value": value}], "image": "web:1"}),
        _ => {
            json!({"name": name, "resources": {"limits": {"cpu": value}, "requests": {"cpu": "0"}}})
        }
    };
    if container["image"].is_null() && !(applied && name == "web") {
        container["image"] = "web:1".into();
    }
    match rng.u8(0..6) {
        0 => json!({"metadata": {"labels": {key: value}}}),
        1 => json!({"metadata": {"labels": {key: null}}}),
        2 => json!({"spec": {"replicas": rng.u8(0..4)}}),
        3 => {
            // The selector never changes, and neither does the label that it selects.
            let key = if key == "app" { "tier" } else { key };
            json!({"spec": {"template": {"metadata": {"labels": {key: value}}}}})
        }
        4 => json!({"spec": {"template": {"spec": {"containers": [container]}}}}),
        _ => json!({"spec": {"paused": rng.bool(), "template": {"spec": {"nodeName": value}}}}),
    }
}

/// A configuration of which some parts come and go.
fn desired(rng: &mut Rng) -> Deployment {
    let mut desired = deployment(i32::from(rng.u8(0..4)), "1");
    if rng.bool() {
        desired.metadata.labels.get_or_insert_default().insert("more".into(), "1".into());
    }
    let pod = desired.spec.as_mut().unwrap().template.spec.as_mut().unwrap();
    if rng.bool() {
        pod.containers[0].env = None;
    }
    if rng.bool() {
        pod.containers[0].args = None;
    }
    desired
}

#[tokio::test(start_paused = true)]
async fn what_is_applied_holds_after_one_write() {
    for seed in 0..6 {
        let mut rng = Rng::with_seed(seed);
        let server = ApiServer::new();
        let (informer, _) = applier(&server).await;
        let applier = Applier::builder(server.client(), &informer, "site").force(true);
        let applier = applier.build().unwrap();
        let api = Api::<Deployment>::namespaced(server.client(), "shop");
        let mut wanted = desired(&mut rng);
        settle(&server, &informer, &applier, &wanted).await;
        for step in 0..60 {
            for _ in 0..rng.u8(0..3) {
                let by_apply = rng.bool() && step % 5 == 0;
                let change = change(&mut rng, by_apply);
                if by_apply {
                    let mut whole = change;
                    whole["apiVersion"] = "apps/v1".into();
                    whole["kind"] = "Deployment".into();
                    patch(&server, "mesh", "", whole).await;
                } else {
                    patch(&server, "kubectl", "", change).await;
                }
            }
            if rng.u8(0..3) == 0 {
                wanted = desired(&mut rng);
            }
            let sent = settle(&server, &informer, &applier, &wanted).await;
            assert!(sent <= 1, "seed {seed}, step {step}: {sent} writes");
            let live = serde_json::to_value(api.get("web").await.unwrap()).unwrap();
            let configuration = serde_json::to_value(&wanted).unwrap();
            assert!(holds(&live, &configuration), "seed {seed}, step {step}: {live:#}");
        }
        informer.shutdown().await;
    }
}
