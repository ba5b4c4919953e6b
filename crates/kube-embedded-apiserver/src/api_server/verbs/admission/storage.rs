//! Claims and ingresses: the default class, and growth, which the class of a claim must allow.

use serde_json::Value;

use super::{WriteTarget, objects};
use crate::api_server::failure::Failure;
use crate::api_server::rules::quantity::Quantity;
use crate::api_server::store::Store;

/// The annotations of the default class.
const DEFAULT: [&str; 2] = [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
];

fn classes(store: &Store) -> impl Iterator<Item = Value> {
    objects(store, ("storage.k8s.io", "v1", "storageclasses"), None)
}

/// Sets the class of a claim that names none to the newest default class.
pub(super) fn choose_class(store: &Store, claim: &mut Value) {
    if !claim["spec"].is_object() || !claim["spec"]["storageClassName"].is_null() {
        return;
    }
    if let Some(name) = default_class(classes(store), &DEFAULT) {
        claim["spec"]["storageClassName"] = name;
    }
}

/// Sets the class of an ingress that names none, also not in the older annotation.
pub(super) fn choose_ingress_class(store: &Store, ingress: &mut Value) {
    let older = &ingress["metadata"]["annotations"]["kubernetes.io/ingress.class"];
    if !ingress["spec"]["ingressClassName"].is_null() || !older.is_null() {
        return;
    }
    let all = objects(store, ("networking.k8s.io", "v1", "ingressclasses"), None);
    let default = default_class(all, &["ingressclass.kubernetes.io/is-default-class"]);
    if let (Some(name), Some(spec)) = (default, ingress["spec"].as_object_mut()) {
        spec.insert("ingressClassName".into(), name);
    }
}

/// Returns the name of the class that one of the annotations marks.
fn default_class(all: impl Iterator<Item = Value>, marks: &[&str]) -> Option<Value> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let marked = all
        .filter(|class| marks.iter().any(|mark| class["metadata"]["annotations"][*mark] == "true"));
    // The newest one, and of those that are as new, the first by name.
    let newest = marked.max_by_key(|class| {
        let metadata = &class["metadata"];
        (text(&metadata["creationTimestamp"]), std::cmp::Reverse(text(&metadata["name"])))
    });
    newest.map(|class| class["metadata"]["name"].clone())
}

/// Refuses a larger request whose class does not allow it.
pub(super) fn admit_growth(
    store: &Store,
    target: WriteTarget<'_>,
    before: &Value,
    after: &Value,
) -> Result<(), Failure> {
    let storage = |claim: &Value| Quantity::of(&claim["spec"]["resources"]["requests"]["storage"]);
    if storage(after) <= storage(before) {
        return Ok(());
    }
    let refused = |problem| Err(Failure::forbidden(target.resource, target.name(), problem));
    if before["status"]["phase"] != "Bound" {
        return refused("Only bound persistent volume claims can be expanded");
    }
    let wanted = &after["spec"]["storageClassName"];
    let class = classes(store).find(|class| class["metadata"]["name"] == *wanted);
    if class.is_none_or(|class| class["allowVolumeExpansion"] != true) {
        return refused(
            "only dynamically provisioned pvc can be resized and the storageclass that provisions \
             the pvc must support resize",
        );
    }
    Ok(())
}
