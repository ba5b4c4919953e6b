//! The conditions of a definition.

use serde_json::{Value, json};

use crate::api_server::names::now;
use crate::api_server::rules::conditions::set_condition;

/// The finalizer that waits for the objects of a type whose definition is being deleted.
pub(crate) const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

/// Marks a definition whose deletion begins.
pub(crate) fn begin_deletion(object: &mut Value) {
    match object["metadata"]["finalizers"].as_array_mut() {
        Some(finalizers) => finalizers.push(CLEANUP.into()),
        None => object["metadata"]["finalizers"] = json!([CLEANUP]),
    }
    let message =
        "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
    set_condition(object, condition("Terminating", true, "InstanceDeletionPending", message));
}

/// Returns a condition.
pub(crate) fn condition(kind: &str, status: bool, reason: &str, message: &str) -> Value {
    json!({
        "type": kind, "status": if status { "True" } else { "False" },
        "lastTransitionTime": now(), "reason": reason, "message": message,
    })
}
