//! Admission: members of an object that depend on other objects, and refusals because of them.
//!
//! These are the plugins of a server that work without controllers.

mod limits;
mod priorities;
mod quotas;
mod services;
mod storage;
#[cfg(test)]
mod tests;

use serde_json::Value;

use super::{Part, WriteTarget};
use crate::api_server::failure::{Cause, Failure};
use crate::api_server::resource::ResourceType;
use crate::api_server::rules::members::at;
use crate::api_server::store::Store;

/// Completes a new object, or refuses it, before it is validated.
pub(super) fn complete_new(
    store: &Store,
    target: WriteTarget<'_>,
    object: &mut Value,
) -> Result<(), Failure> {
    match &*target.resource.qualified() {
        _ if !applies(target) => Ok(()),
        "pods" => {
            limits::complete(store, target, object);
            let node = object["spec"]["nodeName"].as_str().unwrap_or_default().to_owned();
            self::label_by_node(store, &node, object);
            priorities::complete(store, target, object)
        }
        "ingresses.networking.k8s.io" => {
            storage::choose_ingress_class(store, object);
            Ok(())
        }
        "persistentvolumeclaims" => {
            storage::choose_class(store, object);
            Ok(())
        }
        "services" => {
            services::complete(None, object);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The labels of a node that its pods have, too.
const PLACES: [&str; 2] = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

/// Gives a pod the labels of its node that say where it is.
pub(super) fn label_by_node(store: &Store, node: &str, pod: &mut Value) {
    let mut nodes = objects(store, ("", "v1", "nodes"), None);
    let found = nodes.find(|found| !node.is_empty() && found["metadata"]["name"] == node);
    let Some(node) = found else { return };
    for label in PLACES {
        if let Some(value) = node["metadata"]["labels"][label].as_str() {
            at(pod, &["metadata", "labels"])[label] = value.into();
        }
    }
}

/// Completes the new state of an object before it is validated.
pub(super) fn complete_changed(target: WriteTarget<'_>, before: &Value, object: &mut Value) {
    if applies(target) && target.resource.qualified() == "services" {
        services::complete(Some(before), object);
    }
}

/// Refuses a valid new object, or takes what it needs.
pub(super) fn admit_new(
    store: &mut Store,
    target: WriteTarget<'_>,
    object: &mut Value,
) -> Result<(), Failure> {
    if !applies(target) {
        return Ok(());
    }
    if target.resource.qualified() == "pods" {
        limits::admit(store, target, object)?;
    }
    if target.resource.qualified() == "services" {
        let causes = services::allocate(store, target, None, object);
        refuse(target, &causes)?;
    }
    if target.resource.qualified() == CLASSES {
        priorities::admit_class(store, target, object)?;
    }
    quotas::admit(store, target, None, object)
}

/// The qualified name of the classes of priorities.
const CLASSES: &str = "priorityclasses.scheduling.k8s.io";

/// Refuses a valid change, or takes what it needs.
pub(super) fn admit_changed(
    store: &mut Store,
    target: WriteTarget<'_>,
    before: &Value,
    object: &mut Value,
) -> Result<(), Failure> {
    if !applies(target) || target.part == Part::Status {
        return Ok(());
    }
    match &*target.resource.qualified() {
        "services" => {
            let causes = services::allocate(store, target, Some(before), object);
            refuse(target, &causes)?;
        }
        "persistentvolumeclaims" => storage::admit_growth(store, target, before, object)?,
        CLASSES => priorities::admit_class(store, target, object)?,
        _ => {}
    }
    quotas::admit(store, target, Some(before), object)
}

fn refuse(target: WriteTarget<'_>, causes: &[Cause]) -> Result<(), Failure> {
    if causes.is_empty() {
        return Ok(());
    }
    Err(Failure::invalid(target.resource, target.name(), causes))
}

/// Returns whether the write is a client's. The test process writes what it wants.
fn applies(target: WriteTarget<'_>) -> bool {
    target.part != Part::Both && !target.resource.custom
}

/// Returns the objects of a type, in a namespace if there is one.
fn objects<'a>(
    store: &'a Store,
    (group, version, plural): (&str, &str, &str),
    namespace: Option<&'a str>,
) -> impl Iterator<Item = Value> + use<'a> {
    let resource: Option<ResourceType> =
        store.served(group, version, plural).map(|found| (**found).clone());
    let all = resource.as_ref().and_then(|resource| store.of(resource));
    let here = all.into_iter().flat_map(|all| all.objects.values());
    here.filter(move |object| namespace.is_none_or(|namespace| object.namespace == namespace))
        .filter_map(move |object| resource.as_ref().map(|resource| object.value(resource)))
}
