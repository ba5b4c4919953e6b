//! Changes of services and endpoints.

use serde_json::Value;

use crate::api_server::failure::Cause;
use crate::api_server::rules::validation;

/// Checks a service, whose address and load balancer stay while it has them.
pub(super) fn service(before: &Value, after: &Value, causes: &mut Vec<Cause>) {
    let (old, new) = (&before["spec"], &after["spec"]);
    let balanced = [old, new].iter().all(|spec| spec["type"] == "LoadBalancer");
    let class = "loadBalancerClass";
    if balanced && old[class] != new[class] {
        let shown = new[class].to_string();
        let path = "spec.loadBalancerClass";
        causes.push(Cause::invalid_raw(path, &shown, "may not change once set"));
    }
    let checked =
        |spec: &&Value| spec["type"] == "LoadBalancer" && spec["externalTrafficPolicy"] == "Local";
    let port = "healthCheckNodePort";
    if [old, new].iter().all(checked) && old[port] != new[port] && !old[port].is_null() {
        causes.push(Cause::forbidden("spec.healthCheckNodePort", "field is immutable"));
    }
    // A service that is a name has no address.
    if [old, new].iter().any(|spec| spec["type"] == "ExternalName") {
        return;
    }
    let first = |spec: &Value| spec["clusterIPs"][0].as_str().unwrap_or_default().to_owned();
    let known = first(old);
    if !known.is_empty() && known != first(new) {
        let shown = new["clusterIPs"].to_string();
        causes.push(Cause::invalid_raw("spec.clusterIPs[0]", &shown, "may not change once set"));
    }
}

/// Checks endpoints, unless they stay as they are.
pub(super) fn endpoints(before: &Value, after: &Value, causes: &mut Vec<Cause>) {
    if before["endpoints"] != after["endpoints"] {
        causes.extend(validation::new_problems("discovery.k8s.io/v1", "EndpointSlice", after));
    }
}
