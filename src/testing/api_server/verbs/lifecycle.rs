//! The side effects of a write: the work of the few controllers that a server cannot do without.
//!
//! Deleting a namespace or a custom resource definition deletes its objects; storing a definition
//! serves its type. A real cluster does this in the background, but this server does it within the
//! write. There is no other controller: no garbage collector, and no scheduler.

use std::sync::Arc;

use serde_json::Value;

use super::{Deleted, Place};
use super::{definitions, namespaces};
use crate::testing::api_server::failure::Failure;
use crate::testing::api_server::resource::ResourceType;
use crate::testing::api_server::store::Store;
use crate::testing::api_server::store::stored::Stored;

/// Completes an object before it is created, or refuses it.
pub(crate) fn admit(
    store: &Store,
    resource: &ResourceType,
    namespace: Option<&str>,
    object: &mut Value,
) -> Result<(), Failure> {
    if let Some(namespace) = namespace {
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        namespaces::admit(store, resource, namespace, name)?;
    }
    definitions::admit_instance(store, resource)?;
    if namespaces::is_namespace(resource) {
        namespaces::complete(object);
    } else if definitions::is_definition(resource) {
        definitions::admit(resource, object)?;
    }
    Ok(())
}

/// Runs the side effects of a stored object.
pub(crate) fn stored(store: &mut Store, resource: &ResourceType, object: &Value) {
    if definitions::is_definition(resource) {
        definitions::stored(store, resource, object);
    } else if namespaces::is_namespace(resource) {
        namespaces::remove_if_empty(store, object["metadata"]["name"].as_str().unwrap_or_default());
    }
}

/// Runs the side effects of a removed object.
pub(crate) fn removed(store: &mut Store, resource: &ResourceType, last: &Stored) {
    namespaces::remove_if_empty(store, &last.namespace);
    definitions::remove_if_unused(store, &resource.qualified());
}

/// Returns whether the deletion of this type's objects has several steps.
pub(crate) fn deletes_in_steps(resource: &ResourceType) -> bool {
    namespaces::is_namespace(resource) || definitions::is_definition(resource)
}

/// Returns whether an object's deletion has started and its dependents still exist. Then these
/// steps remove the object, not its last finalizer.
pub(crate) fn is_terminating(store: &Store, resource: &ResourceType, name: &str) -> bool {
    (namespaces::is_namespace(resource) && store.terminating.iter().any(|going| going == name))
        || (definitions::is_definition(resource) && store.ending.iter().any(|going| going == name))
}

/// Starts a deletion, and runs all steps that need not wait.
pub(crate) fn delete(
    store: &mut Store,
    place: Place<'_>,
    current: &Arc<Stored>,
) -> Result<Deleted, Failure> {
    let object = current.value(place.resource);
    let told = if namespaces::is_namespace(place.resource) {
        namespaces::delete(store, place.resource, object)
    } else {
        definitions::delete(store, place.resource, object)
    };
    told.map(Deleted::Waits).ok_or_else(Failure::not_served)
}
