//! The `binding` subresource of pods: a scheduler's choice of a node.

use serde_json::{Value, json};

use super::status::Failure;
use super::store::Store;
use super::writing::names::now;
use super::writing::{Part, Place, at, update};

/// Binds the pod that `place` names to a node.
pub(super) fn bind(store: &mut Store, place: Place<'_>, binding: &Value) -> Result<Value, Failure> {
    let metadata = &binding["metadata"];
    if metadata["name"].as_str() != place.name {
        let message = "name in URL does not match name in Binding object";
        return Err(Failure::bad_request(message));
    }
    let target = &binding["target"];
    let (kind, node) = (target["kind"].as_str(), target["name"].as_str().unwrap_or_default());
    if let Some(kind) = kind.filter(|kind| !matches!(*kind, "" | "Node")) {
        let problem = format!(
            "target.kind: Unsupported value: {kind:?}: supported values: \"Node\", \"<empty>\""
        );
        return Err(Failure::without_reason(&problem));
    }
    if node.is_empty() {
        return Err(Failure::without_reason("target.name: Required value"));
    }
    let place = Place { part: Part::Both, ..place };
    let current = place.current(store)?;
    let mut pod = current.value(place.resource);
    let assigned = pod["spec"]["nodeName"].as_str().unwrap_or_default();
    let name = place.name();
    let problem = if !pod["metadata"]["deletionTimestamp"].is_null() {
        Some(format!("pod {name} is being deleted, cannot be assigned to a host"))
    } else if !assigned.is_empty() {
        Some(format!("pod {name} is already assigned to node {assigned:?}"))
    } else if pod["spec"]["schedulingGates"].as_array().is_some_and(|gates| !gates.is_empty()) {
        Some(format!("pod {name} has non-empty .spec.schedulingGates"))
    } else {
        None
    };
    if let Some(problem) = problem {
        return Err(Failure::not_bound(name, &problem));
    }
    at(&mut pod, &["spec"])["nodeName"] = node.into();
    for member in ["labels", "annotations"] {
        for (key, value) in metadata[member].as_object().into_iter().flatten() {
            at(&mut pod, &["metadata", member])[key.as_str()] = value.clone();
        }
    }
    set_scheduled(&mut pod);
    // The uid and version in the binding are preconditions of the pod.
    for member in ["uid", "resourceVersion"] {
        if !metadata[member].is_null() {
            pod["metadata"][member] = metadata[member].clone();
        }
    }
    update(store, place, &current, pod)?;
    Ok(json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201,
    }))
}

/// Sets the `PodScheduled` condition.
fn set_scheduled(pod: &mut Value) {
    let scheduled = json!({
        "type": "PodScheduled", "status": "True", "lastProbeTime": null,
        "lastTransitionTime": now(),
    });
    let conditions = &mut at(pod, &["status"])["conditions"];
    match conditions.as_array_mut() {
        Some(conditions) => {
            conditions.retain(|condition| condition["type"] != "PodScheduled");
            conditions.push(scheduled);
        }
        None => *conditions = json!([scheduled]),
    }
}
