//! The few controllers that a server runs by itself.
//!
//! They see what a write changed and act within the same request, so that a test need not wait.
//! Definitions are served, and namespaces that are being deleted are emptied. Dependents of deleted
//! objects are collected only if the test asks for it. There is no other controller: no scheduler,
//! and none of workloads.

mod definitions;
mod garbage;
pub(crate) mod initial;
mod namespaces;

use self::namespaces::is_namespace;
use super::rules::definition::is_definition;
use super::store::{Settling, Store};

/// Runs the controllers until nothing is left for them to do.
pub(crate) fn settle(store: &mut Store) {
    while let Some(change) = store.next_unsettled() {
        let Settling { resource, object, removed, .. } = &change;
        if is_definition(resource) && !removed {
            definitions::changed(store, resource, object);
        }
        if *removed && resource.custom {
            definitions::remove_if_unused(store, &resource.qualified());
        }
        if store.empties_namespaces {
            if is_namespace(resource) && object.deleting && !removed {
                namespaces::empty(store, &object.name);
            } else if *removed && resource.namespaced {
                namespaces::finalize_if_empty(store, &object.namespace);
            }
        }
        if store.collects_garbage {
            garbage::changed(store, &change);
        }
    }
}
