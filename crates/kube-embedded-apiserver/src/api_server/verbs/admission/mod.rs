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

use super::{Part, Place};
use crate::api_server::failure::{Cause, Failure};
use crate::api_server::resource::ResourceType;
use crate::api_server::rules::members::at;
use crate::api_server::store::Store;

/// Completes a new object, or refuses it, before it is validated.
pub(super) fn complete_new(
    store: &Store,
    place: Place<'_>,
    object: &mut Value,
) -> Result<(), Failure> {
    match &*place.resource.qualified() {
        _ if !applies(place) => Ok(()),
        "pods" => {
            limits::complete(store, place, object);
            let node = object["spec"]["nodeName"].as_str().unwrap_or_default().to_owned();
            self::place(store, &node, object);
            priorities::complete(store, place, object)
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
pub(super) fn place(store: &Store, node: &str, pod: &mut Value) {
    let mut nodes = objects(store, ("", "v1", "nodes"), None);
    let found = nodes.find(|found| !node.is_empty() && found["metadata"]["name"] == node);
    let Some(node) = found else { return };
    for label in PLACES {
        if let Some(place) = node["metadata"]["labels"][label].as_str() {
            at(pod, &["metadata", "labels"])[label] = place.into();
        }
    }
}

/// Completes the new state of an object before it is validated.
pub(super) fn complete_changed(place: Place<'_>, before: &Value, object: &mut Value) {
    if applies(place) && place.resource.qualified() == "services" {
        services::complete(Some(before), object);
    }
}

/// Refuses a valid new object, or takes what it needs.
pub(super) fn admit_new(
    store: &mut Store,
    place: Place<'_>,
    object: &mut Value,
) -> Result<(), Failure> {
    if !applies(place) {
        return Ok(());
    }
    if place.resource.qualified() == "pods" {
        limits::admit(store, place, object)?;
    }
    if place.resource.qualified() == "services" {
        let causes = services::allocate(store, place, None, object);
        refuse(place, &causes)?;
    }
    if place.resource.qualified() == CLASSES {
        priorities::admit_class(store, place, object)?;
    }
    quotas::admit(store, place, None, object)
}

/// The qualified name of the classes of priorities.
const CLASSES: &str = "priorityclasses.scheduling.k8s.io";

/// Refuses a valid change, or takes what it needs.
pub(super) fn admit_changed(
    store: &mut Store,
    place: Place<'_>,
    before: &Value,
    object: &mut Value,
) -> Result<(), Failure> {
    if !applies(place) || place.part == Part::Status {
        return Ok(());
    }
    match &*place.resource.qualified() {
        "services" => {
            let causes = services::allocate(store, place, Some(before), object);
            refuse(place, &causes)?;
        }
        "persistentvolumeclaims" => storage::admit_growth(store, place, before, object)?,
        CLASSES => priorities::admit_class(store, place, object)?,
        _ => {}
    }
    quotas::admit(store, place, Some(before), object)
}

fn refuse(place: Place<'_>, causes: &[Cause]) -> Result<(), Failure> {
    if causes.is_empty() {
        return Ok(());
    }
    Err(Failure::invalid(place.resource, place.name(), causes))
}

/// Returns whether the write is a client's. The test process writes what it wants.
fn applies(place: Place<'_>) -> bool {
    place.part != Part::Both && !place.resource.custom
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
