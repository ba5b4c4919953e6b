//! Replaces, which all other changes of an object use as well.

use std::sync::Arc;

use serde_json::Value;

use super::{Part, Place, admission, built_in, create, is_over, managed_fields, take_metadata};
use crate::api_server::failure::Failure;
use crate::api_server::resource::ResourceType;
use crate::api_server::rules::{definition, metadata, preparation, schema, strategy};
use crate::api_server::store::Store;
use crate::api_server::store::stored::Stored;

/// Replaces an object. Returns whether the object was created, and its state.
pub(crate) fn replace(
    store: &mut Store,
    place: Place<'_>,
    object: Value,
) -> Result<(bool, Value), Failure> {
    let mut object = place.check(object)?;
    place.check_name(&object)?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (uid, version) =
        (text(&object["metadata"]["uid"]), text(&object["metadata"]["resourceVersion"]));
    let current = match place.current(store) {
        Ok(current) => current,
        Err(missing) if !place.creates_missing() => return Err(missing),
        Err(_) if !uid.is_empty() => return Err(place.other_uid(&uid, "")),
        Err(_) => {
            take_metadata(&mut object, "resourceVersion");
            let place = Place { part: Part::Object, ..place };
            return create(store, place, object).map(|object| (true, object));
        }
    };
    let is_forced = place.part == Part::Both;
    if matches!(&*version, "" | "0") && place.resource.needs_version && !is_forced {
        return Err(Failure::version_needed(place.resource, place.name()));
    }
    let known = current.value(place.resource);
    let known = known["metadata"]["uid"].as_str().unwrap_or_default();
    if !uid.is_empty() && uid != known {
        return Err(place.other_uid(&uid, known));
    }
    update(store, place, &current, object).map(|object| (false, object))
}

/// Replaces `current` with a new state, in which the fields that a server sets keep their values. A
/// version in the object is a precondition.
pub(crate) fn update(
    store: &mut Store,
    place: Place<'_>,
    current: &Arc<Stored>,
    object: Value,
) -> Result<Value, Failure> {
    let before = current.value(place.resource);
    update_object(store, place, (current, before), object, true)
}

/// Replaces `current`, whose value is `before`.
pub(crate) fn update_from(
    store: &mut Store,
    place: Place<'_>,
    current: (&Arc<Stored>, Value),
    object: Value,
) -> Result<Value, Failure> {
    update_object(store, place, current, object, true)
}

/// Replaces an object whose field ownership is already up to date.
pub(crate) fn update_as_is(
    store: &mut Store,
    place: Place<'_>,
    current: (&Arc<Stored>, Value),
    object: Value,
) -> Result<Value, Failure> {
    update_object(store, place, current, object, false)
}

fn update_object(
    store: &mut Store,
    place: Place<'_>,
    (current, mut before): (&Arc<Stored>, Value),
    mut object: Value,
    track: bool,
) -> Result<Value, Failure> {
    if before["metadata"]["managedFields"].is_null() {
        // The test process wrote it, as it is.
        built_in::complete_stored(place, &mut before);
    }
    check_version(place, current, &object)?;
    schema::complete(place.resource, &mut object);
    built_in::decode(place, &mut object)?;
    strategy::complete(place.resource, &mut object);
    // Ownership counts what was asked for, and only a part of it is written.
    if track {
        managed_fields::track(&place, Some(&before), &mut object);
    }
    restore_unwritten(place, &before, &mut object);
    restore_metadata(place, &before, &mut object);
    if track && owners_are_lost(store, place, &before, &object) {
        take_metadata(&mut object, "managedFields");
    }
    match place.part {
        Part::EphemeralContainers => preparation::only_ephemeral(&before, &mut object),
        Part::Resize => preparation::only_resources(&before, &mut object),
        _ => {}
    }
    if place.part != Part::Both {
        let finalized = (place.part == Part::Finalize).then(|| object["spec"].clone());
        strategy::on_update(place.resource, &before, &mut object);
        if let Some(spec) = finalized {
            object["spec"] = spec;
        }
        admission::complete_changed(place, &before, &mut object);
        built_in::complete(place, &mut object);
    }
    if let Some(members) = object["metadata"].as_object_mut() {
        place.warn(metadata::merge_owners(members));
    }
    let mut causes =
        metadata::change_problems(place.resource, &before["metadata"], &object["metadata"]);
    restore_deletion(&before, &mut object);
    let status_only = place.part == Part::Status;
    causes.extend(schema::problems(place.resource, status_only, Some(&before), &object));
    causes.extend(built_in::problems(place, Some(&before), &object));
    causes.extend(definition::problems(place.resource, status_only, Some(&before), &object));
    if !causes.is_empty() {
        return Err(Failure::invalid(place.resource, place.name(), &causes));
    }
    let warnings = metadata::warnings(place.resource, &before["metadata"], &object["metadata"]);
    place.warn(warnings);
    if !status_only {
        place.warn(definition::warnings(place.resource, Some(&before), &object));
    }
    built_in::warn(place, Some(&before), &object);
    admission::admit_changed(store, place, &before, &mut object)?;
    if managed_fields::is_unchanged(&before, &object) {
        // As on a real server, no change means no revision and no event.
        return Ok(current.value(place.resource));
    }
    if place.part != Part::Status
        && place.resource.generation
        && desires_something_else(place.resource, &before, &object)
    {
        let generation = before["metadata"]["generation"].as_u64().unwrap_or(0);
        object["metadata"]["generation"] = (generation + 1).into();
    }
    place.check_implemented(Some(&before), &object)?;
    if is_over(&object) && !is_over(&before) {
        // The last finalizer is gone, so the object is removed. The change itself is not stored.
        place.remove(store, current)?;
        return Ok(object);
    }
    place.put(store, object)
}

fn check_version(place: Place<'_>, current: &Stored, object: &Value) -> Result<(), Failure> {
    let version = object["metadata"]["resourceVersion"].as_str().unwrap_or_default();
    if version.is_empty() {
        return Ok(());
    }
    match version.parse::<u64>() {
        Err(_) => Err(Failure::version_unreadable(version)),
        Ok(0) => Ok(()),
        Ok(version) if version == current.revision => Ok(()),
        Ok(_) => Err(Failure::conflict(place.resource, place.name())),
    }
}

/// Returns whether field ownership cannot be kept: a manager wrote in another version, whose schema
/// does not know all that the object has now.
fn owners_are_lost(store: &Store, place: Place<'_>, before: &Value, object: &Value) -> bool {
    let written = place.resource.api_version();
    let managers = before["metadata"]["managedFields"].as_array().into_iter().flatten();
    let mut others = managers.filter_map(|manager| manager["apiVersion"].as_str());
    others.any(|version| {
        let known = store.of(place.resource).into_iter().flat_map(|all| &all.versions);
        let mut known = known.filter(|known| version != written && known.api_version() == version);
        let unknown = |known: &ResourceType, object: &Value| {
            !schema::unknown(known, &mut object.clone()).is_empty()
        };
        known.any(|known| {
            place.resource.custom && (unknown(known, object) || unknown(known, before))
        })
    })
}

/// Restores what this part of the API does not write.
fn restore_unwritten(place: Place<'_>, before: &Value, object: &mut Value) {
    let keep = |object: &mut Value, member: &str, value: &Value| match value {
        Value::Null => drop(object.as_object_mut().map(|members| members.remove(member))),
        value => object[member] = value.clone(),
    };
    match place.part {
        Part::Status | Part::Approval => {
            let mut after = before.clone();
            keep(&mut after, "status", &object["status"]);
            if place.resource.custom {
                let managers = &object["metadata"]["managedFields"];
                keep(&mut after["metadata"], "managedFields", managers);
            } else {
                after["metadata"] = object["metadata"].clone();
                for member in place.resource.kept_by_status {
                    keep(&mut after["metadata"], member, &before["metadata"][*member]);
                }
            }
            *object = after;
        }
        Part::Finalize => {
            let finalizers = object["spec"]["finalizers"].clone();
            keep(object, "spec", &before["spec"]);
            keep(object, "status", &before["status"]);
            if object["spec"].is_object() || !finalizers.is_null() {
                keep(&mut object["spec"], "finalizers", &finalizers);
            }
        }
        Part::Both => {}
        _ if place.resource.status => keep(object, "status", &before["status"]),
        _ => {}
    }
}

/// Restores the metadata that no client writes.
fn restore_metadata(place: Place<'_>, before: &Value, object: &mut Value) {
    for member in ["creationTimestamp", "generation", "selfLink", "name", "namespace"] {
        restore(before, object, member);
    }
    if object["metadata"]["uid"].as_str().is_none_or(str::is_empty) {
        restore(before, object, "uid");
    }
    if place.part == Part::Both || !before["metadata"]["deletionTimestamp"].is_null() {
        restore(before, object, "deletionTimestamp");
    }
    if object["metadata"]["deletionGracePeriodSeconds"].is_null() || place.part == Part::Both {
        restore(before, object, "deletionGracePeriodSeconds");
    }
    object["metadata"]["resourceVersion"] = before["metadata"]["resourceVersion"].clone();
    object["kind"] = before["kind"].clone();
    object["apiVersion"] = before["apiVersion"].clone();
}

fn restore_deletion(before: &Value, object: &mut Value) {
    for member in ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        restore(before, object, member);
    }
}

fn restore(before: &Value, object: &mut Value, member: &str) {
    match &before["metadata"][member] {
        Value::Null => take_metadata(object, member),
        value => object["metadata"][member] = value.clone(),
    }
}

/// Returns whether two states differ in what the generation counts.
fn desires_something_else(resource: &ResourceType, before: &Value, object: &Value) -> bool {
    let mut metadata = resource.counted_metadata.iter();
    let counts = |(name, _): &(&String, &Value)| {
        *name != "metadata" && !(resource.status && *name == "status")
    };
    let members = |object: &'_ Value| {
        let members = object.as_object().into_iter().flatten();
        members.filter(counts).count()
    };
    let mut new = object.as_object().into_iter().flatten().filter(counts);
    metadata.any(|member| object["metadata"][*member] != before["metadata"][*member])
        || members(object) != members(before)
        || new.any(|(name, value)| before.get(name) != Some(value))
}
