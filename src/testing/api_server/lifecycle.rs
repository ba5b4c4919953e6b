//! What belongs to a write beyond the object itself: the stand-ins of the few controllers without
//! which a server is none.
//!
//! Namespaces and custom resource definitions take their objects along when they go; a definition
//! serves its type from the moment it is stored. A real cluster does this in the background, here it
//! is done within the write. Nothing else is acted upon: no garbage collector, no scheduler.

use std::sync::Arc;

use serde_json::Value;

use super::resource::ResourceType;
use super::status::Failure;
use super::store::Store;
use super::stored::Stored;
use super::writing::{Deleted, Place};
use super::{crd, namespaces};

/// Completes an object that is about to be created, or refuses it.
pub(super) fn admit(
    store: &Store,
    resource: &ResourceType,
    namespace: Option<&str>,
    object: &mut Value,
) -> Result<(), Failure> {
    if let Some(namespace) = namespace {
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        namespaces::admit(store, resource, namespace, name)?;
    }
    crd::admit_instance(store, resource)?;
    if namespaces::is(resource) {
        namespaces::complete(object);
    } else if crd::is(resource) {
        crd::admit(resource, object)?;
    }
    Ok(())
}

/// What follows when an object was stored.
pub(super) fn stored(store: &mut Store, resource: &ResourceType, object: &Value) {
    if crd::is(resource) {
        crd::stored(store, resource, object);
    } else if namespaces::is(resource) {
        namespaces::settle(store, object["metadata"]["name"].as_str().unwrap_or_default());
    }
}

/// What follows when an object was removed.
pub(super) fn removed(store: &mut Store, resource: &ResourceType, last: &Stored) {
    namespaces::settle(store, &last.namespace);
    crd::settle(store, &resource.qualified());
}

/// Whether objects of the type are deleted in steps of their own.
pub(super) fn deletes_in_steps(resource: &ResourceType) -> bool {
    namespaces::is(resource) || crd::is(resource)
}

/// Whether an object is on its way, with what belongs to it still there: then it is these steps that
/// end it, not its last finalizer.
pub(super) fn is_going(store: &Store, resource: &ResourceType, name: &str) -> bool {
    (namespaces::is(resource) && store.terminating.iter().any(|going| going == name))
        || (crd::is(resource) && store.ending.iter().any(|going| going == name))
}

/// Takes the first step, and all others that don't have to wait.
pub(super) fn delete(
    store: &mut Store,
    place: Place<'_>,
    current: &Arc<Stored>,
) -> Result<Deleted, Failure> {
    let object = current.value(place.resource);
    let told = if namespaces::is(place.resource) {
        namespaces::delete(store, place.resource, object)
    } else {
        crd::delete(store, place.resource, object)
    };
    told.map(Deleted::Waits).ok_or_else(Failure::not_served)
}
