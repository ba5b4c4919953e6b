//! The controller of definitions: it serves the types that they declare, and deletes the objects of
//! a type whose definition is being deleted.

use serde_json::Value;

use super::super::resource::ResourceType;
use super::super::rules::conditions::set_condition;
use super::super::rules::definition::conflicts::{UsedNames, accept};
use super::super::rules::definition::{CLEANUP, add_stored_version, condition, types};
use super::super::rules::members::at;
use super::super::rules::schema;
use super::super::store::Store;
use super::super::store::stored::Stored;
use super::super::verbs::{Part, WriteTarget, purge, update};

/// The manager of what this controller writes.
const MANAGER: &str = "kube-apiserver";

/// Serves the type as the definition declares it, and sets its status. The objects of a definition
/// that is being deleted are deleted.
pub(super) fn changed(store: &mut Store, resource: &ResourceType, definition: &Stored) {
    let object = definition.value(resource);
    if definition.deleting {
        let message = "CustomResource deletion is in progress";
        let progress = condition("Terminating", true, "InstanceDeletionInProgress", message);
        let mut after = object.clone();
        set_condition(&mut after, progress);
        write_status(store, resource, &definition.name, after);
        if let Some(instances) = types(&object).first() {
            purge(store, instances, None);
        }
        return remove_if_unused(store, &definition.name);
    }
    let used = used_names(store, resource, &object);
    let accepted = accept(&object["spec"]["names"], &object["status"]["acceptedNames"], &used);
    let mut after = object.clone();
    at(&mut after, &["status"])["acceptedNames"] = accepted.names;
    add_stored_version(&mut after);
    let established = is_established(&object);
    match &accepted.conflict {
        None => {
            let message = "no conflicts found";
            set_condition(&mut after, condition("NamesAccepted", true, "NoConflicts", message));
        }
        Some((reason, problem)) => {
            set_condition(&mut after, condition("NamesAccepted", false, reason, problem));
        }
    }
    if !established {
        let new = match &accepted.conflict {
            None => {
                let message = "the initial names have been accepted";
                condition("Established", true, "InitialNamesAccepted", message)
            }
            Some(_) => condition("Established", false, "NotAccepted", "not all names are accepted"),
        };
        set_condition(&mut after, new);
    }
    if established || accepted.conflict.is_none() {
        serve(store, types(&after));
    }
    write_status(store, resource, &definition.name, after);
}

/// Serves the versions of a type. Stored objects are seen through their schemas.
fn serve(store: &mut Store, types: Vec<ResourceType>) {
    let Some(first) = types.first().cloned() else { return };
    let known = store.of(&first).map(|all| all.versions.iter().map(|version| &**version));
    if known.is_some_and(|known| known.eq(&types)) {
        return;
    }
    let stored_in = store.of(&first).and_then(|all| all.versions.first());
    let stored_in = stored_in.map(|known| known.storage.clone());
    if let Some(before) = stored_in.filter(|before| *before != first.storage) {
        store.note_version(&first, &before);
    }
    store.register(types);
    // A webhook converts each object when it is read.
    if store.webhooks.conversion(&first).is_none() {
        store.view_again(&first, schema::views);
    }
}

fn is_established(object: &Value) -> bool {
    let conditions = object["status"]["conditions"].as_array().into_iter().flatten();
    let mut established = conditions.filter(|condition| condition["type"] == "Established");
    established.any(|condition| condition["status"] == "True")
}

/// Writes the status of a definition, if it differs.
fn write_status(store: &mut Store, resource: &ResourceType, name: &str, after: Value) {
    let target = WriteTarget {
        manager: MANAGER,
        ..WriteTarget::direct(resource, None, Some(name), Part::Status)
    };
    if let Ok(current) = target.current(store) {
        // The state was read under the same lock, so no other write conflicts.
        let _ = update(store, target, &current, after);
    }
}

/// Returns the names that the other definitions of a group have.
fn used_names(store: &Store, resource: &ResourceType, definition: &Value) -> UsedNames {
    let mut used = UsedNames::default();
    for other in others(store, resource, definition) {
        used.add(&other["status"]["acceptedNames"]);
    }
    used
}

/// Returns the other definitions of a group.
fn others(store: &Store, resource: &ResourceType, definition: &Value) -> Vec<Value> {
    let group = definition["spec"]["group"].as_str().unwrap_or_default();
    let name = definition["metadata"]["name"].as_str().unwrap_or_default();
    let Some(all) = store.of(resource) else { return Vec::new() };
    // The name of a definition ends with its group.
    let same_group = all.objects.values().filter(|other| other.name.ends_with(group));
    let others = same_group.filter(|other| other.name != name).map(|other| other.value(resource));
    others.filter(|other| other["spec"]["group"] == group).collect()
}

/// Considers the names of a group's definitions again, because some became free.
fn reconsider(store: &mut Store, resource: &ResourceType, removed: &Value) {
    for other in others(store, resource, removed) {
        let waits = other["spec"]["names"] != other["status"]["acceptedNames"];
        let name = other["metadata"]["name"].as_str().unwrap_or_default();
        let found = store.of(resource).and_then(|all| all.objects.get(name)).cloned();
        if let Some(found) = found.filter(|found| waits && !found.deleting) {
            changed(store, resource, &found);
        }
    }
}

/// Removes a definition that is being deleted, once its type has no object.
pub(super) fn remove_if_unused(store: &mut Store, name: &str) {
    let definitions =
        store.served("apiextensions.k8s.io", "v1", "customresourcedefinitions").cloned();
    let Some(definitions) = definitions else { return };
    let found = store.of(&definitions).and_then(|all| all.objects.get(name)).cloned();
    let Some(current) = found.filter(|current| current.deleting) else { return };
    let instances = store.types().find(|resource| resource.qualified() == name).cloned();
    if let Some(instances) = instances {
        if store.of(&instances).is_some_and(|all| !all.objects.is_empty()) {
            return;
        }
        store.unregister(&instances);
    }
    let mut object = current.value(&definitions);
    if let Some(finalizers) = object["metadata"]["finalizers"].as_array_mut() {
        finalizers.retain(|finalizer| finalizer != CLEANUP);
    }
    let target = WriteTarget::direct(&definitions, None, Some(name), Part::Both);
    let removed = object.clone();
    // The state was read under the same lock, so no other write conflicts.
    let _ = update(store, target, &current, object);
    reconsider(store, &definitions, &removed);
}
