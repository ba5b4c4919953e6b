//! Replaces, which all other changes of an object use as well.

use std::sync::Arc;

use serde_json::Value;

use super::{
    Part, WriteTarget, admission, built_in, create, is_over, managed_fields, scale, take_metadata,
};
use crate::api_server::failure::{Cause, Failure};
use crate::api_server::resource::ResourceType;
use crate::api_server::rules::{definition, metadata, preparation, schema, strategy};
use crate::api_server::store::Store;
use crate::api_server::store::stored::Stored;
use crate::api_server::webhooks::Operation;

/// Replaces an object. Returns whether the object was created, and its state.
pub(crate) fn replace(
    store: &mut Store,
    target: WriteTarget<'_>,
    object: Value,
) -> Result<(bool, Value), Failure> {
    let mut object = target.check(object)?;
    target.check_name(&object)?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (uid, version) =
        (text(&object["metadata"]["uid"]), text(&object["metadata"]["resourceVersion"]));
    let current = match target.current(store) {
        Ok(current) => current,
        Err(missing) if !target.creates_missing() => return Err(missing),
        Err(_) if !uid.is_empty() => return Err(target.other_uid(&uid, "")),
        Err(_) => {
            take_metadata(&mut object, "resourceVersion");
            let target = WriteTarget { part: Part::Object, ..target };
            return create(store, target, object).map(|object| (true, object));
        }
    };
    let is_forced = target.part == Part::Both;
    if matches!(&*version, "" | "0") && target.resource.needs_version && !is_forced {
        return Err(Failure::version_needed(target.resource, target.name()));
    }
    let known = current.value(target.resource);
    let known = known["metadata"]["uid"].as_str().unwrap_or_default();
    if !uid.is_empty() && uid != known {
        return Err(target.other_uid(&uid, known));
    }
    update(store, target, &current, object).map(|object| (false, object))
}

/// Replaces `current` with a new state, in which the fields that a server sets keep their values. A
/// version in the object is a precondition.
pub(crate) fn update(
    store: &mut Store,
    target: WriteTarget<'_>,
    current: &Arc<Stored>,
    object: Value,
) -> Result<Value, Failure> {
    let before = current.value(target.resource);
    update_object(store, target, (current, before), object, true)
}

/// Replaces `current`, whose value is `before`.
pub(crate) fn update_from(
    store: &mut Store,
    target: WriteTarget<'_>,
    current: (&Arc<Stored>, Value),
    object: Value,
) -> Result<Value, Failure> {
    update_object(store, target, current, object, true)
}

/// Replaces an object whose field ownership is already up to date.
pub(crate) fn update_as_is(
    store: &mut Store,
    target: WriteTarget<'_>,
    current: (&Arc<Stored>, Value),
    object: Value,
) -> Result<Value, Failure> {
    update_object(store, target, current, object, false)
}

fn update_object(
    store: &mut Store,
    target: WriteTarget<'_>,
    (current, mut before): (&Arc<Stored>, Value),
    mut object: Value,
    track: bool,
) -> Result<Value, Failure> {
    if before["metadata"]["managedFields"].is_null() {
        // The test process wrote it, as it is.
        built_in::complete_stored(target, &mut before);
    }
    check_version(target, current, &object)?;
    // Defaults that a conversion does not keep are no change by an apply.
    let is_idle = !track
        && store.webhooks.conversion(target.resource).is_some()
        && managed_fields::is_unchanged(&before, &object);
    let written = schema::Written::of(&object);
    schema::complete(target.resource, !track, &mut object);
    built_in::decode(target, &mut object)?;
    strategy::complete(target.resource, &mut object);
    // Ownership counts what was asked for, and only a part of it is written.
    if track {
        managed_fields::track(store, &target, Some(&before), &mut object)?;
    }
    restore(&before, &mut object, "selfLink");
    let object = mutated(store, target, &before, object)?;
    check_version(target, current, &object)?;
    let mut object = object;
    restore_unwritten(target, &before, &mut object);
    restore_metadata(target, &before, &mut object);
    if track && owners_are_lost(store, target, &before, &object) {
        take_metadata(&mut object, "managedFields");
    }
    match target.part {
        Part::EphemeralContainers => preparation::only_ephemeral(&before, &mut object),
        Part::Resize => preparation::only_resources(&before, &mut object),
        _ => {}
    }
    if target.part != Part::Both {
        let finalized = (target.part == Part::Finalize).then(|| object["spec"].clone());
        strategy::on_update(target.resource, &before, &mut object);
        if let Some(spec) = finalized {
            object["spec"] = spec;
        }
        admission::complete_changed(target, &before, &mut object);
        built_in::complete(target, &mut object);
    }
    if let Some(members) = object["metadata"].as_object_mut() {
        target.warn(metadata::merge_owners(members));
    }
    let mut causes =
        metadata::change_problems(target.resource, &before["metadata"], &object["metadata"]);
    restore_deletion(&before, &mut object);
    let status_only = target.part == Part::Status;
    let checked = written.restored(&object);
    causes.extend(schema::problems(target.resource, status_only, Some(&before), &checked));
    causes.extend(built_in::problems(target, Some(&before), &object));
    causes.extend(definition::problems(target.resource, status_only, Some(&before), &object));
    if !causes.is_empty() {
        return Err(Failure::invalid(target.resource, target.name(), &causes));
    }
    if target.part != Part::Status
        && target.resource.generation
        && !is_idle
        && desires_something_else(target.resource, &before, &object)
    {
        let generation = before["metadata"]["generation"].as_u64().unwrap_or(0);
        object["metadata"]["generation"] = (generation + 1).into();
    }
    validate(store, target, &before, &object)?;
    if target.session.is_some() {
        schema::prune(target.resource, &mut object);
    }
    let warnings = metadata::warnings(target.resource, &before["metadata"], &object["metadata"]);
    target.warn(warnings);
    if !status_only {
        let is_served = store.webhooks.are_served();
        target.warn(definition::warnings(target.resource, Some(&before), &object, is_served));
    }
    built_in::warn(target, Some(&before), &object);
    admission::admit_changed(store, target, &before, &mut object)?;
    if is_idle || managed_fields::is_unchanged(&before, &object) {
        // As on a real server, no change means no revision and no event.
        return Ok(current.value(target.resource));
    }
    target.check_implemented(store, Some(&before), &written.restored(&object))?;
    if is_over(&object) && !is_over(&before) {
        // The last finalizer is gone, so the object is removed. The change itself is not stored.
        target.remove(store, current)?;
        return Ok(object);
    }
    target.put(store, object)
}

/// Returns a new state as the mutating webhooks change it. What they change has no owner.
fn mutated(
    store: &Store,
    target: WriteTarget<'_>,
    before: &Value,
    mut object: Value,
) -> Result<Value, Failure> {
    let mut old = scale::as_written(target, before)?;
    if target.part == Part::Scale && target.resource.custom && old["spec"]["replicas"].is_null() {
        // A real server writes the smallest number in place of none.
        old.to_mut()["spec"]["replicas"] = i32::MIN.into();
    }
    let admission = target.admission(Operation::Update, Some(&old));
    if !admission.may_change(store) {
        return Ok(object);
    }
    if target.part == Part::Scale {
        let changed = admission.mutate(store, scale::as_written(target, &object)?.into_owned())?;
        scale::set_replicas(target.resource, &mut object, &changed["spec"]["replicas"])?;
        if target.resource.custom
            && let Some(entries) = object["metadata"]["managedFields"].as_array_mut()
        {
            // The scale of a custom object loses its managers on the way through a webhook.
            entries.retain(|entry| entry["subresource"] != "scale");
        }
        return Ok(object);
    }
    let object = admission.mutate(store, object)?;
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    if name != target.name() {
        let cause = Cause::invalid("metadata.name", name, "field is immutable");
        return Err(Failure::invalid(target.resource, name, &[cause]));
    }
    target.check_mutated(object)
}

/// Asks the validating webhooks about a new state.
fn validate(
    store: &Store,
    target: WriteTarget<'_>,
    before: &Value,
    object: &Value,
) -> Result<(), Failure> {
    if target.session.is_none() {
        return Ok(());
    }
    let (old, new) = (scale::as_written(target, before)?, scale::as_written(target, object)?);
    target.admission(Operation::Update, Some(&old)).validate(store, Some(&new))
}

fn check_version(target: WriteTarget<'_>, current: &Stored, object: &Value) -> Result<(), Failure> {
    let version = object["metadata"]["resourceVersion"].as_str().unwrap_or_default();
    if version.is_empty() {
        return Ok(());
    }
    match version.parse::<u64>() {
        Err(_) => Err(Failure::version_unreadable(version)),
        Ok(0) => Ok(()),
        Ok(version) if version == current.revision => Ok(()),
        Ok(_) => Err(Failure::conflict(target.resource, target.name())),
    }
}

/// Returns whether field ownership cannot be kept: a manager wrote in another version, whose schema
/// does not know all that the object has now.
fn owners_are_lost(store: &Store, target: WriteTarget<'_>, before: &Value, object: &Value) -> bool {
    if store.webhooks.conversion(target.resource).is_some() {
        // The webhook keeps what the other version does not know.
        return false;
    }
    let written = target.resource.api_version();
    let managers = before["metadata"]["managedFields"].as_array().into_iter().flatten();
    let mut others = managers.filter_map(|manager| manager["apiVersion"].as_str());
    others.any(|version| {
        let known = store.of(target.resource).into_iter().flat_map(|all| &all.versions);
        let mut known = known.filter(|known| version != written && known.api_version() == version);
        let unknown = |known: &ResourceType, object: &Value| {
            !schema::unknown(known, &mut object.clone()).is_empty()
        };
        known.any(|known| {
            target.resource.custom && (unknown(known, object) || unknown(known, before))
        })
    })
}

/// Restores what this part of the API does not write.
fn restore_unwritten(target: WriteTarget<'_>, before: &Value, object: &mut Value) {
    let keep = |object: &mut Value, member: &str, value: &Value| match value {
        Value::Null => drop(object.as_object_mut().map(|members| members.remove(member))),
        value => object[member] = value.clone(),
    };
    match target.part {
        Part::Status | Part::Approval => {
            let mut after = before.clone();
            keep(&mut after, "status", &object["status"]);
            if target.resource.custom {
                let managers = &object["metadata"]["managedFields"];
                keep(&mut after["metadata"], "managedFields", managers);
            } else {
                after["metadata"] = object["metadata"].clone();
                for member in target.resource.kept_by_status {
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
        _ if target.resource.status => keep(object, "status", &before["status"]),
        _ => {}
    }
}

/// Restores the metadata that no client writes.
fn restore_metadata(target: WriteTarget<'_>, before: &Value, object: &mut Value) {
    for member in ["creationTimestamp", "generation", "name", "namespace"] {
        restore(before, object, member);
    }
    if object["metadata"]["uid"].as_str().is_none_or(str::is_empty) {
        restore(before, object, "uid");
    }
    if target.part == Part::Both || !before["metadata"]["deletionTimestamp"].is_null() {
        restore(before, object, "deletionTimestamp");
    }
    if object["metadata"]["deletionGracePeriodSeconds"].is_null() || target.part == Part::Both {
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
