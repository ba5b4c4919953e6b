//! Changes of services and endpoints.

use serde_json::Value;

use crate::api_server::failure::Cause;
use crate::api_server::rules::validation;

/// Checks a service, whose address stays while it has one.
pub(super) fn service(before: &Value, after: &Value, causes: &mut Vec<Cause>) {
    let (old, new) = (&before["spec"], &after["spec"]);
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

/// Checks endpoints. Those of a slice whose type changes stay as they are: the type cannot change.
pub(super) fn endpoints(before: &Value, after: &Value, causes: &mut Vec<Cause>) {
    if before["addressType"] == after["addressType"] {
        causes.extend(validation::new_problems("discovery.k8s.io/v1", "EndpointSlice", after));
    }
}
