//! Deletes: at once, after a grace period, or when the last finalizer is removed.

use std::sync::Arc;

use serde_json::Value;

use super::options::{DeleteOptions, Propagation};
use super::{Deleted, Part, Place, has_finalizers, lifecycle};
use crate::testing::api_server::failure::Failure;
use crate::testing::api_server::resource::ResourceType;
use crate::testing::api_server::rules::names;
use crate::testing::api_server::store::Store;
use crate::testing::api_server::store::selection::Selection;
use crate::testing::api_server::store::stored::Stored;

/// The default grace period of a pod, in seconds.
const POD_GRACE: i64 = 30;

const ORPHAN: &str = "orphan";
const FOREGROUND: &str = "foregroundDeletion";

pub(crate) fn delete(
    store: &mut Store,
    place: Place<'_>,
    options: &DeleteOptions,
) -> Result<Deleted, Failure> {
    let current = place.current(store)?;
    options.check(place.resource, place.name(), &current)?;
    if !place.dry_run && lifecycle::deletes_in_steps(place.resource) {
        return lifecycle::delete(store, place, &current);
    }
    delete_one(store, place, &current, options)
}

fn delete_one(
    store: &mut Store,
    place: Place<'_>,
    current: &Arc<Stored>,
    options: &DeleteOptions,
) -> Result<Deleted, Failure> {
    let before = current.value(place.resource);
    let mut object = before.clone();
    propagate(&mut object, options.propagation);
    let grace = grace(place, &object, options.grace);
    let waits = has_finalizers(&object);
    let pending = object["metadata"]["deletionGracePeriodSeconds"].as_i64();
    let deleting = !object["metadata"]["deletionTimestamp"].is_null();
    if !waits && (grace == 0 || (deleting && pending == Some(0))) {
        return Ok(Deleted::Gone(place.remove(store, current)?));
    }
    if !deleting || pending.is_some_and(|pending| grace < pending) {
        mark(place.resource, &mut object, grace);
    }
    if object == before {
        return Ok(Deleted::Waits(object));
    }
    Ok(Deleted::Waits(place.put(store, object)?))
}

/// Sets the time by which the object must be gone.
fn mark(resource: &ResourceType, object: &mut Value, grace: i64) {
    let first = object["metadata"]["deletionTimestamp"].is_null();
    object["metadata"]["deletionTimestamp"] = names::after(grace).into();
    object["metadata"]["deletionGracePeriodSeconds"] = grace.into();
    let generation = object["metadata"]["generation"].as_u64();
    if let Some(generation) = generation.filter(|_| first && resource.generation) {
        // The desired state has changed for controllers.
        object["metadata"]["generation"] = (generation + 1).into();
    }
}

/// Returns the grace period of a deletion, in seconds. Only pods that run on a node have one.
fn grace(place: Place<'_>, object: &Value, asked: Option<i64>) -> i64 {
    if place.resource.qualified() != "pods" || place.part == Part::Both {
        return 0;
    }
    let scheduled = object["spec"]["nodeName"].as_str().is_some_and(|node| !node.is_empty());
    let over = matches!(object["status"]["phase"].as_str(), Some("Failed" | "Succeeded"));
    if !scheduled || over {
        return 0;
    }
    let own = || object["spec"]["terminationGracePeriodSeconds"].as_i64().unwrap_or(POD_GRACE);
    let grace = asked.unwrap_or_else(own);
    if grace < 0 { 1 } else { grace }
}

/// Adds the finalizer for a garbage collector. There is no collector here: a client that requests a
/// propagation policy removes the finalizer.
fn propagate(object: &mut Value, propagation: Option<Propagation>) {
    let Some(propagation) = propagation else { return };
    let wanted = match propagation {
        Propagation::Orphan => Some(ORPHAN),
        Propagation::Foreground => Some(FOREGROUND),
        Propagation::Background => None,
    };
    let found = object["metadata"]["finalizers"].as_array().cloned().unwrap_or_default();
    let ours = |finalizer: &Value| [ORPHAN, FOREGROUND].iter().any(|name| finalizer == name);
    let mut finalizers: Vec<Value> = found.iter().filter(|f| !ours(f)).cloned().collect();
    finalizers.extend(wanted.map(Value::from));
    if finalizers.is_empty() {
        super::take_metadata(object, "finalizers");
    } else {
        object["metadata"]["finalizers"] = finalizers.into();
    }
}

/// Deletes every selected object, as single deletes would.
pub(crate) fn delete_all(
    store: &mut Store,
    place: Place<'_>,
    selector: &Selection,
    options: &DeleteOptions,
) -> Result<Vec<Value>, Failure> {
    let collection = store.of(place.resource).ok_or_else(Failure::not_served)?;
    let selected = collection.objects.values().filter(|object| selector.matches(object));
    let selected: Vec<Arc<Stored>> = selected.cloned().collect();
    let mut deleted = Vec::new();
    for object in selected {
        let namespace = Some(&*object.namespace).filter(|_| place.resource.namespaced);
        let place = Place { namespace, name: Some(&object.name), ..place };
        match delete(store, place, options) {
            Ok(Deleted::Gone(object) | Deleted::Waits(object)) => deleted.push(object),
            // The object was deleted together with another one.
            Err(failure) if failure.code == 404 => {}
            Err(failure) => return Err(failure),
        }
    }
    Ok(deleted)
}

/// Deletes the objects of a namespace or a definition without grace, as if their nodes acted at
/// once. Objects with finalizers wait for them.
pub(crate) fn purge(store: &mut Store, resource: &ResourceType, namespace: Option<&str>) {
    let Some(collection) = store.of(resource) else { return };
    let of_namespace =
        |object: &&Arc<Stored>| namespace.is_none_or(|name| object.namespace == name);
    let all: Vec<Arc<Stored>> = collection.objects.values().filter(of_namespace).cloned().collect();
    for object in all {
        let place = Place {
            resource,
            namespace: Some(&*object.namespace).filter(|_| resource.namespaced),
            name: Some(&object.name),
            part: Part::Both,
            dry_run: false,
            manager: "",
        };
        // The object is gone or waits; neither is a failure.
        let _ = delete_one(store, place, &object, &DeleteOptions::default());
    }
}
