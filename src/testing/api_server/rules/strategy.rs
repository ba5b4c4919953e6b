//! The changes that a type's storage makes to an object before it is validated.
//!
//! The table names the types that have such changes. All others keep what a client sends.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::definition;
use crate::testing::api_server::resource::ResourceType;

/// The changes to the objects of one type.
struct Strategy {
    /// Completes what a client sent, on every write, before the fields' owners are noted.
    complete: fn(&mut Value),
    /// Changes a new object.
    on_create: fn(&mut Value),
    /// Changes the new state of an object, given its old one.
    on_update: fn(&Value, &mut Value),
    /// Marks an object whose deletion begins, instead of a grace period.
    on_delete: Option<fn(&mut Value)>,
}

/// The strategy of a type that keeps what a client sends.
const PLAIN: Strategy =
    Strategy { complete: |_| {}, on_create: |_| {}, on_update: |_, _| {}, on_delete: None };

/// The strategies, by the qualified names of the types.
const STRATEGIES: &[(&str, Strategy)] = &[
    (
        "namespaces",
        Strategy {
            complete: label_namespace,
            on_create: create_namespace,
            // Only the subresource `finalize` writes the finalizers of the spec.
            on_update: |before, object| object["spec"] = before["spec"].clone(),
            on_delete: Some(|object| object["status"]["phase"] = "Terminating".into()),
        },
    ),
    (
        "customresourcedefinitions.apiextensions.k8s.io",
        Strategy {
            complete: definition::complete,
            on_create: definition::set_first_status,
            on_update: definition::note_stored_versions,
            on_delete: Some(definition::begin_deletion),
        },
    ),
    ("secrets", Strategy { complete: encode_texts, ..PLAIN }),
    ("pods", Strategy { on_create: create_pod, ..PLAIN }),
];

/// The namespaces that no client may delete.
const UNDELETABLE: [&str; 3] = ["default", "kube-public", "kube-system"];

fn strategy(resource: &ResourceType) -> Option<&'static Strategy> {
    let name = resource.qualified();
    STRATEGIES.iter().find(|(known, _)| *known == name).map(|(_, strategy)| strategy)
}

/// Completes what a client sent.
pub(crate) fn complete(resource: &ResourceType, object: &mut Value) {
    if let Some(strategy) = strategy(resource) {
        (strategy.complete)(object);
    }
}

/// Changes a new object.
pub(crate) fn on_create(resource: &ResourceType, object: &mut Value) {
    if let Some(strategy) = strategy(resource) {
        (strategy.on_create)(object);
    }
}

/// Changes the new state of an object.
pub(crate) fn on_update(resource: &ResourceType, before: &Value, object: &mut Value) {
    if let Some(strategy) = strategy(resource) {
        (strategy.on_update)(before, object);
    }
}

/// Marks an object whose deletion is asked for, for the first time or again. Returns false if the type
/// has a grace period instead.
pub(crate) fn on_delete(resource: &ResourceType, object: &mut Value, first: bool) -> bool {
    let Some(mark) = strategy(resource).and_then(|strategy| strategy.on_delete) else {
        return false;
    };
    if first {
        mark(object);
    }
    true
}

/// Returns the reason for which an object may not be deleted.
pub(crate) fn undeletable(resource: &ResourceType, name: &str) -> Option<&'static str> {
    let kept = resource.qualified() == "namespaces" && UNDELETABLE.contains(&name);
    kept.then_some("this namespace may not be deleted")
}

/// Returns the warning about dependents that a delete without a policy leaves.
pub(crate) fn default_orphan_warning(resource: &ResourceType) -> Option<String> {
    let warning = "child pods are preserved by default when jobs are deleted; set \
                   propagationPolicy=Background to remove them or set propagationPolicy=Orphan to \
                   suppress this warning";
    (resource.qualified() == "jobs.batch").then(|| warning.to_owned())
}

fn create_namespace(object: &mut Value) {
    let finalizers = object["spec"]["finalizers"].as_array().cloned().unwrap_or_default();
    let known = finalizers.iter().any(|finalizer| finalizer == "kubernetes");
    let mut finalizers = finalizers;
    if !known {
        finalizers.push("kubernetes".into());
    }
    object["spec"] = json!({ "finalizers": finalizers });
    fill(object, "phase", "Active");
}

fn label_namespace(object: &mut Value) {
    let name = object["metadata"]["name"].clone();
    let labels = &mut object["metadata"]["labels"];
    if !labels.is_object() {
        *labels = json!({});
    }
    labels["kubernetes.io/metadata.name"] = name;
}

/// Moves the plain texts of a Secret into its data, encoded.
fn encode_texts(object: &mut Value) {
    let texts = object.as_object_mut().and_then(|members| members.remove("stringData"));
    for (name, text) in texts.as_ref().and_then(Value::as_object).into_iter().flatten() {
        let data = &mut object["data"];
        if !data.is_object() {
            *data = json!({});
        }
        data[name.as_str()] = STANDARD.encode(text.as_str().unwrap_or_default()).into();
    }
}

fn create_pod(object: &mut Value) {
    let class = quality_of_service(&object["spec"]);
    fill(object, "phase", "Pending");
    fill(object, "qosClass", class);
}

/// Sets a member of the status, unless the test process has set it.
fn fill(object: &mut Value, member: &str, value: &str) {
    if !object["status"].is_object() {
        object["status"] = json!({});
    }
    if object["status"][member].is_null() {
        object["status"][member] = value.into();
    }
}

/// Returns the quality of service class of a pod.
fn quality_of_service(spec: &Value) -> &'static str {
    let containers = ["containers", "initContainers"].map(|member| spec[member].as_array());
    let (mut any, mut all) = (false, true);
    for container in containers.into_iter().flatten().flatten() {
        let resources = &container["resources"];
        for name in ["cpu", "memory"] {
            let (request, limit) = (&resources["requests"][name], &resources["limits"][name]);
            any |= !request.is_null() || !limit.is_null();
            all &= !limit.is_null() && (request.is_null() || request == limit);
        }
    }
    match (any, all) {
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
        (false, _) => "BestEffort",
    }
}
