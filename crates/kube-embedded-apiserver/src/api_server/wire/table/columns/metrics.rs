//! The targets of an autoscaler: each metric's current and wanted value.

use serde_json::Value;

use super::{elements, first_of, str_of};

/// The number of metrics that are shown.
const MOST: usize = 2;

pub(super) fn targets(autoscaler: &Value) -> Value {
    let current = &autoscaler["status"]["currentMetrics"];
    let metrics = elements(&autoscaler["spec"]["metrics"]).enumerate();
    let texts: Vec<String> = metrics.map(|(n, metric)| target(metric, &current[n])).collect();
    first_of(&texts, MOST, ", ", "<none>")
}

/// Returns `current/wanted`.
fn target(metric: &Value, current: &Value) -> String {
    let (member, is_resource) = match str_of(&metric["type"]) {
        "External" => ("external", false),
        "Pods" => ("pods", false),
        "Object" => ("object", false),
        "Resource" => ("resource", true),
        "ContainerResource" => ("containerResource", true),
        _ => return "<unknown type>".to_owned(),
    };
    let (wanted, current) = (&metric[member]["target"], &current[member]["current"]);
    let shown = |value: &Value, otherwise: &str| match value {
        Value::Null => otherwise.to_owned(),
        Value::String(text) => text.clone(),
        percent => format!("{percent}%"),
    };
    let pair = |value: &str, otherwise: &str| {
        format!("{}/{}", shown(&current[value], "<unknown>"), shown(&wanted[value], otherwise))
    };
    let averaged = !wanted["averageValue"].is_null();
    match (is_resource, averaged) {
        (true, averaged) => {
            let value = if averaged { "averageValue" } else { "averageUtilization" };
            format!("{}: {}", str_of(&metric[member]["name"]), pair(value, "<auto>"))
        }
        (false, _) if member == "pods" => pair("averageValue", "0"),
        (false, true) => format!("{} (avg)", pair("averageValue", "0")),
        (false, false) => pair("value", "0"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn targets_have_current_and_wanted_values() {
        let resource = |target: Value| {
            json!({
                "type": "Resource", "resource": {"name": "cpu", "target": target},
            })
        };
        let percent = json!({"type": "Utilization", "averageUtilization": 80});
        let autoscaler = json!({
            "spec": {"metrics": [
                resource(percent.clone()),
                {"type": "Pods", "pods": {"target": {"averageValue": "10"}}},
            ]},
            "status": {"currentMetrics": [
                {"type": "Resource", "resource": {"current": {"averageUtilization": 33}}},
            ]},
        });
        assert_eq!(targets(&autoscaler), "cpu: 33%/80%, <unknown>/10");
        let three = json!({"spec": {"metrics": [
            resource(percent),
            resource(json!({"averageValue": "5m"})),
            {"type": "External", "external": {"target": {"value": "3"}}},
        ]}});
        assert_eq!(targets(&three), "cpu: <unknown>/80%, cpu: <unknown>/5m + 1 more...");
        assert_eq!(targets(&json!({})), "<none>");
    }
}
