//! The garbage collector: it deletes objects whose owners are gone, and carries out the propagation
//! policies `Orphan` and `Foreground` of a delete.

use std::sync::Arc;

use serde_json::Value;

use super::super::resource::ResourceType;
use super::super::rules::metadata;
use super::super::store::stored::{Stored, key};
use super::super::store::{Settling, Store};
use super::super::verbs::options::{DeleteOptions, Propagation};
use super::super::verbs::{Part, WriteTarget, delete, update};

const ORPHAN: &str = "orphan";
const FOREGROUND: &str = "foregroundDeletion";

/// An object with its type.
type Dependent = (Arc<ResourceType>, Arc<Stored>);

/// Acts on a change of one object.
pub(super) fn changed(store: &mut Store, change: &Settling) {
    let Settling { resource, before, object, removed } = change;
    // Owners that wait for this object may go now.
    for state in before.iter().filter(|before| !before.owners.is_empty()) {
        let references = state.value(resource)["metadata"]["ownerReferences"].take();
        for reference in references.as_array().into_iter().flatten() {
            let waiting = owner(store, reference, &object.namespace);
            if let Some((resource, owner)) = waiting.filter(|(_, owner)| owner.deleting) {
                release(store, &resource, &owner);
            }
        }
    }
    if *removed {
        for (resource, dependent) in dependents(store, &object.uid) {
            collect(store, &resource, &dependent);
        }
    } else if object.deleting {
        if has_finalizer(resource, object, ORPHAN) {
            orphan_dependents(store, resource, object);
        } else if has_finalizer(resource, object, FOREGROUND) {
            for (resource, dependent) in dependents(store, &object.uid) {
                collect(store, &resource, &dependent);
            }
            release(store, resource, object);
        }
    } else if !object.owners.is_empty() {
        collect(store, resource, object);
    }
}

fn has_finalizer(resource: &ResourceType, object: &Stored, name: &str) -> bool {
    let finalizers = object.value(resource)["metadata"]["finalizers"].take();
    finalizers.as_array().into_iter().flatten().any(|finalizer| finalizer == name)
}

fn dependents(store: &Store, uid: &str) -> Vec<Dependent> {
    store.dependents(uid).collect()
}

/// The state of an owner, as the collector sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// It exists, or nothing is known of it.
    Solid,
    /// It exists and waits until its dependents are gone.
    Waiting,
    Absent,
}

/// Deletes an object that has no solid owner, else removes the other owners.
fn collect(store: &mut Store, resource: &Arc<ResourceType>, dependent: &Stored) {
    let Some(current) = current(store, resource, dependent) else { return };
    if current.deleting || current.owners.is_empty() {
        return;
    }
    let mut object = current.value(resource);
    let Some(owners) = object["metadata"]["ownerReferences"].as_array_mut() else { return };
    let states: Vec<Owner> =
        owners.iter().map(|owner| state(store, resource, owner, &current.namespace)).collect();
    if states.iter().all(|state| *state == Owner::Solid) {
        return;
    }
    if states.contains(&Owner::Solid) {
        let mut states = states.into_iter();
        owners.retain(|_| states.next() == Some(Owner::Solid));
        return write(store, resource, &current, object);
    }
    let waited_for =
        states.contains(&Owner::Waiting) && store.dependents(&current.uid).any(|_| true);
    if !waited_for {
        return delete_object(store, resource, &current, Propagation::Background);
    }
    if store.dependents(&current.uid).any(|(_, below)| below.deleting) {
        // Objects that wait for each other would wait for ever, so that none blocks its owner.
        for owner in owners.iter_mut() {
            owner["blockOwnerDeletion"] = false.into();
        }
        write(store, resource, &current, object);
    }
    let Some(current) = self::current(store, resource, dependent) else { return };
    delete_object(store, resource, &current, Propagation::Foreground);
}

/// Returns the state of an owner of an object of this type and namespace.
fn state(store: &Store, resource: &ResourceType, reference: &Value, namespace: &str) -> Owner {
    let Some(owners) = type_of(store, reference) else { return Owner::Solid };
    if owners.namespaced && !resource.namespaced {
        // A real server reports this mistake in an event, and collects nothing.
        return Owner::Solid;
    }
    match owner(store, reference, namespace) {
        None => Owner::Absent,
        Some((resource, owner))
            if owner.deleting && has_finalizer(&resource, &owner, FOREGROUND) =>
        {
            Owner::Waiting
        }
        Some(_) => Owner::Solid,
    }
}

/// Returns the type of an owner.
fn type_of(store: &Store, reference: &Value) -> Option<Arc<ResourceType>> {
    let version = reference["apiVersion"].as_str().unwrap_or_default();
    let (group, version) = version.split_once('/').unwrap_or(("", version));
    let mut types = store.types();
    let found = types.find(|resource| {
        resource.group == group
            && resource.version == version
            && reference["kind"] == resource.kind.as_str()
    });
    found.cloned()
}

/// Returns the owner that a reference of an object in this namespace names.
fn owner(store: &Store, reference: &Value, namespace: &str) -> Option<Dependent> {
    let resource = type_of(store, reference)?;
    let namespace = if resource.namespaced { namespace } else { "" };
    let key = key(namespace, reference["name"].as_str().unwrap_or_default());
    let found = store.of(&resource)?.objects.get(&key)?.clone();
    (reference["uid"] == found.uid.as_str()).then_some((resource, found))
}

/// Removes the owner from its dependents, and then its finalizer.
fn orphan_dependents(store: &mut Store, resource: &Arc<ResourceType>, owner: &Arc<Stored>) {
    for (resource, dependent) in dependents(store, &owner.uid) {
        let mut object = dependent.value(&resource);
        if let Some(owners) = object["metadata"]["ownerReferences"].as_array_mut() {
            owners.retain(|found| found["uid"] != owner.uid.as_str());
        }
        write(store, &resource, &dependent, object);
    }
    remove_finalizer(store, resource, owner, ORPHAN);
}

/// Removes the finalizer of an owner that waits, once no dependent blocks it.
fn release(store: &mut Store, resource: &Arc<ResourceType>, owner: &Arc<Stored>) {
    if !has_finalizer(resource, owner, FOREGROUND) {
        return;
    }
    let blocks = |(resource, dependent): Dependent| {
        let owners = dependent.value(&resource)["metadata"]["ownerReferences"].take();
        dependent.uid != owner.uid
            && owners.as_array().into_iter().flatten().any(|reference| {
                reference["uid"] == owner.uid.as_str() && reference["blockOwnerDeletion"] == true
            })
    };
    if !store.dependents(&owner.uid).any(blocks) {
        remove_finalizer(store, resource, owner, FOREGROUND);
    }
}

fn remove_finalizer(store: &mut Store, resource: &Arc<ResourceType>, object: &Stored, name: &str) {
    let Some(current) = current(store, resource, object) else { return };
    let mut value = current.value(resource);
    if let Some(finalizers) = value["metadata"]["finalizers"].as_array_mut() {
        finalizers.retain(|finalizer| finalizer != name);
    }
    write(store, resource, &current, value);
}

fn current(store: &Store, resource: &ResourceType, object: &Stored) -> Option<Arc<Stored>> {
    let found = store.of(resource).and_then(|all| all.objects.get(&object.key()))?;
    (found.uid == object.uid).then(|| found.clone())
}

fn write_target<'a>(resource: &'a ResourceType, object: &'a Stored) -> WriteTarget<'a> {
    let namespace = Some(&*object.namespace).filter(|_| resource.namespaced);
    WriteTarget::direct(resource, namespace, Some(&object.name), Part::Both)
}

fn write(store: &mut Store, resource: &ResourceType, current: &Arc<Stored>, mut object: Value) {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata::tidy(metadata);
    }
    // An object that a rule has since outlawed keeps its owners, as on a real server.
    let _ = update(store, write_target(resource, current), current, object);
}

fn delete_object(
    store: &mut Store,
    resource: &ResourceType,
    object: &Stored,
    propagation: Propagation,
) {
    let options = DeleteOptions { propagation: Some(propagation), ..DeleteOptions::default() };
    let target = WriteTarget { part: Part::Object, ..write_target(resource, object) };
    // The object is gone or waits; neither is a failure.
    let _ = delete(store, target, &options);
}
