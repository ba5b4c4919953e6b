//! The cells of a node's row.

use serde_json::Value;

pub(super) fn status(node: &Value) -> Value {
    let mut conditions = node["status"]["conditions"].as_array().into_iter().flatten();
    let ready = conditions.find(|condition| condition["type"] == "Ready");
    let mut words = vec![match ready.map(|condition| condition["status"] == "True") {
        Some(true) => "Ready",
        Some(false) => "NotReady",
        None => "Unknown",
    }];
    if node["spec"]["unschedulable"] == true {
        words.push("SchedulingDisabled");
    }
    words.join(",").into()
}

pub(super) fn roles(node: &Value) -> Value {
    let labels = node["metadata"]["labels"].as_object().into_iter().flatten();
    let mut roles: Vec<&str> = labels
        .filter_map(|(label, value)| match label.strip_prefix("node-role.kubernetes.io/") {
            None if label == "kubernetes.io/role" => value.as_str(),
            role => role.filter(|role| !role.is_empty()),
        })
        .collect();
    roles.sort_unstable();
    if roles.is_empty() { "<none>".into() } else { roles.join(",").into() }
}

pub(super) fn address(node: &Value, kind: &str) -> Value {
    let mut addresses = node["status"]["addresses"].as_array().into_iter().flatten();
    let found = addresses.find(|address| address["type"] == kind);
    found.map_or_else(|| "<none>".into(), |address| address["address"].clone())
}
