//! The controller of definitions: it serves the types that they declare, and deletes the objects of a
//! type whose definition is being deleted.

use std::sync::Arc;

use serde_json::json;

use super::super::resource::ResourceType;
use super::super::rules::definition::{CLEANUP, condition, set_condition, types};
use super::super::store::Store;
use super::super::store::stored::Stored;
use super::super::verbs::{Part, Place, at, purge, update};

/// Serves the type as the definition declares it, and sets its status. The objects of a definition
/// that is being deleted are deleted.
pub(super) fn changed(store: &mut Store, resource: &ResourceType, definition: &Arc<Stored>) {
    let object = &definition.value(resource);
    let types = types(object);
    if definition.deleting {
        if let Some(instances) = types.first() {
            purge(store, instances, None);
        }
        return remove_if_unused(store, &definition.name);
    }
    let conflict = types.first().and_then(|first| conflict(store, first));
    let mut after = object.clone();
    let accepted = match &conflict {
        None => condition("NamesAccepted", true, "NoConflicts", "no conflicts found"),
        Some(problem) => condition("NamesAccepted", false, "NamesConflict", problem),
    };
    let established = match &conflict {
        None => {
            let message = "the initial names have been accepted";
            condition("Established", true, "InitialNamesAccepted", message)
        }
        Some(_) => condition("Established", false, "NotAccepted", "not all names are accepted"),
    };
    set_condition(&mut after, accepted);
    set_condition(&mut after, established);
    if conflict.is_none() {
        at(&mut after, &["status"])["acceptedNames"] = object["spec"]["names"].clone();
        store.register(types);
    }
    let storage = object["spec"]["versions"].as_array().into_iter().flatten();
    let storage = storage.filter(|version| version["storage"] == true).map(|v| &v["name"]).next();
    if let Some(name) = storage {
        let known = &mut at(&mut after, &["status"])["storedVersions"];
        match known.as_array_mut() {
            Some(known) if known.contains(name) => {}
            Some(known) => known.push(name.clone()),
            None => *known = json!([name]),
        }
    }
    let place = Place {
        manager: "kube-apiserver",
        ..Place::direct(resource, None, Some(&definition.name), Part::Status)
    };
    // The state was read under the same lock, so no other write conflicts.
    let _ = update(store, place, definition, after);
}

/// Returns a name that another type of the group has already.
fn conflict(store: &Store, new: &ResourceType) -> Option<String> {
    let others =
        store.types().filter(|other| other.group == new.group && !other.shares_objects_with(new));
    let names = |resource: &ResourceType| {
        let mut names = resource.short_names.clone();
        names.extend([resource.plural.clone(), resource.singular.clone()]);
        names
    };
    let ours = names(new);
    others.into_iter().find_map(|other| {
        let taken = names(other).into_iter().find(|name| ours.contains(name));
        let kind = || Some(other.kind.clone()).filter(|kind| *kind == new.kind);
        taken.or_else(kind).map(|name| format!("{name:?} is already in use"))
    })
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
    let place = Place::direct(&definitions, None, Some(name), Part::Both);
    // The state was read under the same lock, so no other write conflicts.
    let _ = update(store, place, &current, object);
}
