//! The changes that a type's storage makes to an object before it is validated.
//!
//! The table names the types that have such changes. All others keep what a client sends.

use serde_json::{Value, json};

use super::{definition, preparation};
use crate::testing::api_server::resource::ResourceType;

/// The changes to the objects of one type.
struct Strategy {
    /// Changes a new object.
    on_create: fn(&mut Value),
    /// Changes the new state of an object, given its old one.
    on_update: fn(&Value, &mut Value),
    /// Marks an object whose deletion begins, instead of a grace period.
    on_delete: Option<fn(&mut Value)>,
}

/// A strategy that changes nothing.
const PLAIN: Strategy = Strategy { on_create: |_| {}, on_update: |_, _| {}, on_delete: None };

/// The strategies, by the qualified names of the types.
const STRATEGIES: &[(&str, Strategy)] = &[
    (
        "namespaces",
        Strategy {
            on_create: create_namespace,
            on_update: update_namespace,
            on_delete: Some(|object| object["status"]["phase"] = "Terminating".into()),
        },
    ),
    (
        "customresourcedefinitions.apiextensions.k8s.io",
        Strategy { on_delete: Some(definition::begin_deletion), ..PLAIN },
    ),
    ("secrets", Strategy { on_update: preparation::updated_secret, ..PLAIN }),
    (
        "pods",
        Strategy { on_create: preparation::new_pod, on_update: preparation::updated_pod, ..PLAIN },
    ),
    ("nodes", Strategy { on_create: preparation::new_node, ..PLAIN }),
    ("persistentvolumeclaims", Strategy { on_create: preparation::new_claim, ..PLAIN }),
    ("persistentvolumes", Strategy { on_create: preparation::new_volume, ..PLAIN }),
    (
        "volumeattributesclasses.storage.k8s.io",
        Strategy { on_create: preparation::new_attributes_class, ..PLAIN },
    ),
    (
        "daemonsets.apps",
        Strategy {
            on_create: preparation::new_daemon_set,
            on_update: preparation::updated_daemon_set,
            ..PLAIN
        },
    ),
    ("jobs.batch", Strategy { on_create: preparation::new_job, ..PLAIN }),
    (
        "certificatesigningrequests.certificates.k8s.io",
        Strategy { on_update: preparation::updated_certificate_request, ..PLAIN },
    ),
];

/// The namespaces that no client may delete.
const UNDELETABLE: [&str; 3] = ["default", "kube-public", "kube-system"];

fn strategy(resource: &ResourceType) -> Option<&'static Strategy> {
    let name = resource.qualified();
    STRATEGIES.iter().find(|(known, _)| *known == name).map(|(_, strategy)| strategy)
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
    label_namespace(object);
    let finalizers = object["spec"]["finalizers"].as_array().cloned().unwrap_or_default();
    let known = finalizers.iter().any(|finalizer| finalizer == "kubernetes");
    let mut finalizers = finalizers;
    if !known {
        finalizers.push("kubernetes".into());
    }
    object["spec"] = json!({ "finalizers": finalizers });
    object["status"] = json!({ "phase": "Active" });
}

fn update_namespace(before: &Value, object: &mut Value) {
    label_namespace(object);
    // Only the subresource `finalize` writes the finalizers of the spec.
    object["spec"] = before["spec"].clone();
}

fn label_namespace(object: &mut Value) {
    let name = object["metadata"]["name"].clone();
    let labels = &mut object["metadata"]["labels"];
    if !labels.is_object() {
        *labels = json!({});
    }
    labels["kubernetes.io/metadata.name"] = name;
}
