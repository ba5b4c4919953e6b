//! Reading of requests: media types, queries, paths, and paths that do not exist.

use serde_json::{Value, json};

use super::{APPLY, Ask, MERGE, gadget, gadgets};

const GROUP: &str = "requests.example.com";

const YAML: &str = "application/yaml";

pub(super) fn definition() -> Value {
    let schema = json!({
        "type": "object",
        "properties": { "spec": {
            "type": "object",
            "properties": { "color": { "type": "string" }, "size": { "type": "integer" } },
        } },
    });
    gadgets(GROUP, &schema, json!({ "subresources": { "status": {} } }))
}

pub(super) fn asked() -> Vec<Ask> {
    let version = format!("/apis/{GROUP}/v1");
    let all = format!("{version}/namespaces/default/gadgets");
    let mut asked = Vec::new();
    for name in ["a", "b", "c"] {
        asked.push(Ask::new("POST", &all, gadget(GROUP, name, json!({ "spec": { "size": 1 } }))));
    }
    for query in [
        "limit=1&limit=2",
        "limit=x",
        "limit=-1",
        "watch=0",
        "watch=False",
        "watch=false&watch=true",
        "fieldSelector=metadata.name%3Da&fieldSelector=metadata.name%3Db",
        "fieldSelector=spec.size%3D1",
        "resourceVersionMatch=Exact",
        "watch=1&timeoutSeconds=x",
    ] {
        asked.push(Ask::get(format!("{all}?{query}")));
    }
    for path in [
        format!("{version}/nothings"),
        format!("/apis/{GROUP}/v2/gadgets"),
        "/apis/nobody.example.com/v1/things".to_owned(),
        format!("{version}/gadgets/a"),
        format!("{all}/a/nonsense"),
        format!("{all}/a/status"),
        format!("{all}/nobody"),
    ] {
        asked.push(Ask::get(path));
    }
    asked.push(Ask::new("DELETE", format!("{all}/a/status"), Value::Null));
    asked.push(Ask::new("POST", format!("{version}/gadgets"), json!({})));
    asked.extend(in_yaml(&version, &all));
    asked
}

fn in_yaml(version: &str, all: &str) -> Vec<Ask> {
    let text = |name: &str, size: &str| {
        format!(
            "apiVersion: {GROUP}/v1\nkind: Gadget\nmetadata:\n  name: {name}\nspec:\n  \
             color: 'yes'\n  size: {size}\n"
        )
    };
    vec![
        Ask::text("POST", all, YAML, text("y1", "3")),
        Ask::text("POST", all, YAML, text("y2", "010")),
        Ask::text("POST", all, YAML, text("y3", "0x10")),
        Ask::text("POST", all, YAML, text("y4", "'3'")),
        Ask::text("POST", all, YAML, text("y5", "yes")),
        Ask::text("POST", all, "text/plain", text("y6", "1")),
        Ask::text("PATCH", format!("{all}/y7?fieldManager=me"), APPLY, text("y7", "1")),
        Ask::text("PATCH", format!("{all}/y1"), "application/merge-patch+yaml", "spec: {}"),
        Ask::in_yaml(format!("{all}/y1")),
        Ask::in_yaml(all),
        Ask::in_yaml(format!("{all}?limit=1")),
        Ask::in_yaml(format!("{all}?watch=1&timeoutSeconds=1")),
        Ask::in_yaml(format!("{all}/nobody")),
        Ask::in_yaml(version),
        Ask { accept: YAML, ..Ask::patch(MERGE, format!("{all}/y1"), json!({ "spec": {} })) },
    ]
}
