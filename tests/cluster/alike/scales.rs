//! The `scale` subresource of a custom type.

use serde_json::{Value, json};

use super::{Ask, MERGE, PATCH, gadget, gadgets};

const GROUP: &str = "scales.example.com";

pub(super) fn definition() -> Value {
    let number = json!({ "type": "integer" });
    let schema = json!({
        "type": "object",
        "properties": {
            "spec": { "type": "object", "properties": { "replicas": number } },
            "status": {
                "type": "object",
                "properties": { "replicas": number, "selector": { "type": "string" } },
            },
        },
    });
    let paths = json!({
        "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas",
        "labelSelectorPath": ".status.selector",
    });
    gadgets(GROUP, &schema, json!({ "subresources": { "status": {}, "scale": paths } }))
}

pub(super) fn asked() -> Vec<Ask> {
    let all = format!("/apis/{GROUP}/v1/namespaces/default/gadgets");
    let scale = format!("{all}/a/scale");
    let merge =
        |replicas: Value| Ask::patch(MERGE, &scale, json!({ "spec": { "replicas": replicas } }));
    let put = |metadata: Value, spec: Value| {
        let scale_of = json!({
            "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": metadata, "spec": spec,
        });
        Ask::new("PUT", &scale, scale_of)
    };
    let a = json!({ "name": "a", "namespace": "default" });
    let status = json!({ "status": { "replicas": 2, "selector": "app=a" } });
    vec![
        Ask::get(format!("/apis/{GROUP}/v1")),
        Ask::new("POST", &all, gadget(GROUP, "none", json!({ "spec": {} }))),
        Ask::get(format!("{all}/none/scale")),
        Ask::new("POST", &all, gadget(GROUP, "a", json!({ "spec": { "replicas": 3 } }))),
        Ask::patch(MERGE, format!("{all}/a/status"), status),
        Ask::get(&scale),
        merge(7.into()),
        merge((-1).into()),
        Ask::patch(
            PATCH,
            &scale,
            json!([{ "op": "replace", "path": "/spec/replicas", "value": 9 }]),
        ),
        Ask::patch("application/strategic-merge-patch+json", &scale, json!({ "spec": {} })),
        put(a, json!({ "replicas": 4 })),
        put(json!({ "name": "b", "namespace": "default" }), json!({})),
        put(json!({ "name": "a", "namespace": "default", "resourceVersion": "1" }), json!({})),
        Ask::get(format!("{all}/nobody/scale")),
        Ask::new("DELETE", &scale, Value::Null),
        Ask::new("POST", &scale, json!({})),
        Ask::patch(MERGE, format!("{scale}?dryRun=All"), json!({ "spec": { "replicas": 70 } })),
        Ask::get(format!("{all}/a")),
        // After this a real server has forgotten who scales.
        merge(0.into()),
        Ask::get(&scale),
    ]
}
