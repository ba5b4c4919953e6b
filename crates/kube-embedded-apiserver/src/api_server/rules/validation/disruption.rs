//! Disruption budgets.

use serde_json::{Value, json};

use super::rows::Rule::{Check, OneOf};
use super::rows::{Row, child};
use super::selectors;
use super::workloads::count_or_percent;
use crate::api_server::failure::Cause;

pub(super) const BUDGET: &[Row] = &[
    ("spec", Check(limits)),
    ("spec.selector", Check(selectors::selector)),
    ("spec.unhealthyPodEvictionPolicy", OneOf(&["AlwaysAllow", "IfHealthyBudget"])),
];

fn limits(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let (least, most) = (&spec["minAvailable"], &spec["maxUnavailable"]);
    if !least.is_null() && !most.is_null() {
        let shown = [
            ("MinAvailable", least),
            ("Selector", &spec["selector"]),
            ("MaxUnavailable", most),
            ("UnhealthyPodEvictionPolicy", &spec["unhealthyPodEvictionPolicy"]),
        ];
        let members: Vec<String> =
            shown.iter().map(|(name, value)| format!("{}:{value}", json!(name))).collect();
        let shown = format!("{{{}}}", members.join(","));
        let problem = "minAvailable and maxUnavailable cannot be both set";
        causes.push(Cause::invalid_raw(path, &shown, problem));
    }
    for (name, value) in [("minAvailable", least), ("maxUnavailable", most)] {
        count_or_percent(value, &child(path, name), causes);
    }
}
