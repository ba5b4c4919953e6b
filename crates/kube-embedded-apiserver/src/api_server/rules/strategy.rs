//! The changes that a type's storage makes to an object before it is validated.
//!
//! The table names the types that have such changes. All others keep what a client sends.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{definition, preparation};
use crate::api_server::resource::ResourceType;

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
    /// True if the server changes new objects of the test process, too, because it relies on it.
    directly: bool,
}

/// The strategy of a type that keeps what a client sends.
const PLAIN: Strategy = Strategy {
    complete: |_| {},
    on_create: |_| {},
    on_update: |_, _| {},
    on_delete: None,
    directly: false,
};

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
            directly: true,
        },
    ),
    (
        "customresourcedefinitions.apiextensions.k8s.io",
        Strategy {
            complete: definition::complete,
            on_create: definition::set_first_status,
            on_update: definition::note_stored_versions,
            on_delete: Some(definition::begin_deletion),
            directly: true,
        },
    ),
    (
        "secrets",
        Strategy { complete: encode_texts, on_update: preparation::updated_secret, ..PLAIN },
    ),
    (
        "pods",
        Strategy { on_create: preparation::new_pod, on_update: preparation::updated_pod, ..PLAIN },
    ),
    ("nodes", Strategy { on_create: preparation::new_node, ..PLAIN }),
    ("persistentvolumeclaims", Strategy { on_create: preparation::new_claim, ..PLAIN }),
    (
        "persistentvolumes",
        Strategy {
            on_create: preparation::new_volume,
            on_update: preparation::updated_volume,
            ..PLAIN
        },
    ),
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

/// Completes what a client sent.
pub(crate) fn complete(resource: &ResourceType, object: &mut Value) {
    if let Some(strategy) = strategy(resource) {
        (strategy.complete)(object);
    }
}

/// Changes a new object. `direct` is true if the test process wrote it.
pub(crate) fn on_create(resource: &ResourceType, direct: bool, object: &mut Value) {
    if let Some(strategy) = strategy(resource).filter(|strategy| !direct || strategy.directly) {
        (strategy.on_create)(object);
    }
}

/// Changes the new state of an object.
pub(crate) fn on_update(resource: &ResourceType, before: &Value, object: &mut Value) {
    if let Some(strategy) = strategy(resource) {
        (strategy.on_update)(before, object);
    }
}

/// Marks an object whose deletion is asked for, for the first time or again. Returns false if the
/// type has a grace period instead.
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
    if !object["status"]["phase"].is_string() {
        object["status"] = json!({ "phase": "Active" });
    }
}

/// Adds the name of a namespace as a label, by which selectors find it.
fn label_namespace(object: &mut Value) {
    let name = object["metadata"]["name"].clone();
    if name.as_str().is_none_or(str::is_empty) {
        return;
    }
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
