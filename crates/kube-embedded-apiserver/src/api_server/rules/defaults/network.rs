//! Defaults of services, endpoints and policies.

use serde_json::{Map, Value, json};

use super::Rule::{Text, With};
use super::{Row, has, set, text};

pub(super) const SERVICE: &[Row] = &[
    ("spec.sessionAffinity", Text("None")),
    ("spec", With(affinity)),
    ("spec.type", Text("ClusterIP")),
    ("spec.ports[].protocol", Text("TCP")),
    ("spec.ports[]", With(target_port)),
    ("spec", With(traffic_policies)),
    ("status.loadBalancer.ingress[]", With(address_mode)),
];

pub(super) const ENDPOINTS: &[Row] = &[("subsets[].ports[].protocol", Text("TCP"))];

pub(super) const ENDPOINT_SLICE: &[Row] =
    &[("ports[].name", Text("")), ("ports[].protocol", Text("TCP"))];

pub(super) const NETWORK_POLICY: &[Row] = &[
    ("spec.ingress[].ports[].protocol", Text("TCP")),
    ("spec.egress[].ports[].protocol", Text("TCP")),
    ("spec", With(policy_types)),
];

pub(super) const INGRESS_CLASS: &[Row] = &[("spec.parameters.scope", Text("Cluster"))];

/// Sets the time for which clients' addresses count, and removes it otherwise.
fn affinity(spec: &mut Map<String, Value>) {
    match text(spec, "sessionAffinity") {
        "ClientIP" => {
            let seconds = spec
                .get("sessionAffinityConfig")
                .and_then(|config| config.get("clientIP"))
                .and_then(|client| client.get("timeoutSeconds"));
            if seconds.is_none_or(Value::is_null) {
                let config = json!({ "clientIP": { "timeoutSeconds": 10_800 } });
                spec.insert("sessionAffinityConfig".into(), config);
            }
        }
        "None" => drop(spec.remove("sessionAffinityConfig")),
        _ => {}
    }
}

/// Sets the target to the port itself.
fn target_port(port: &mut Map<String, Value>) {
    let target = port.get("targetPort");
    if target.is_none_or(|target| target == &json!(0) || target == "" || target.is_null()) {
        let number = port.get("port").cloned().unwrap_or(Value::Null);
        port.insert("targetPort".into(), if number.is_null() { 0.into() } else { number });
    }
}

/// Sets the policies that the type of the service uses.
fn traffic_policies(spec: &mut Map<String, Value>) {
    let kind = text(spec, "type").to_owned();
    let external =
        spec.get("externalIPs").and_then(Value::as_array).is_some_and(|all| !all.is_empty());
    if matches!(&*kind, "NodePort" | "LoadBalancer") || (kind == "ClusterIP" && external) {
        set(spec, "externalTrafficPolicy", "Cluster".into());
    }
    if matches!(&*kind, "NodePort" | "LoadBalancer" | "ClusterIP") {
        set(spec, "internalTrafficPolicy", "Cluster".into());
    }
    if kind == "LoadBalancer" {
        set(spec, "allocateLoadBalancerNodePorts", true.into());
    }
}

/// Sets the way in which a load balancer's address is used, if it has one.
fn address_mode(ingress: &mut Map<String, Value>) {
    if !text(ingress, "ip").is_empty() {
        set(ingress, "ipMode", "VIP".into());
    }
}

/// Sets the types: incoming traffic, and outgoing traffic if there are rules for it.
fn policy_types(spec: &mut Map<String, Value>) {
    if !has(spec, "policyTypes") {
        let egress =
            spec.get("egress").and_then(Value::as_array).is_some_and(|all| !all.is_empty());
        let types = if egress { json!(["Ingress", "Egress"]) } else { json!(["Ingress"]) };
        spec.insert("policyTypes".into(), types);
    }
}
