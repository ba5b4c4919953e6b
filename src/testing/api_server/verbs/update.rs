//! Replaces, which all other changes of an object use as well.

use std::sync::Arc;

use serde_json::Value;

use super::{Part, Place, has_finalizers, lifecycle, managed_fields, take_metadata};
use crate::testing::api_server::failure::{Cause, Failure};
use crate::testing::api_server::rules::schema;
use crate::testing::api_server::store::Store;
use crate::testing::api_server::store::stored::Stored;

pub(crate) fn replace(
    store: &mut Store,
    place: Place<'_>,
    object: Value,
) -> Result<Value, Failure> {
    let object = place.check(object)?;
    if object["metadata"]["name"].as_str() != place.name {
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        return Err(Failure::name_mismatch(name, place.name()));
    }
    let current = place.current(store)?;
    let version = object["metadata"]["resourceVersion"].as_str().unwrap_or_default();
    if version.is_empty() && place.resource.custom && place.part != Part::Both {
        let problem = "must be specified for an update";
        let cause = Cause::invalid_raw("metadata.resourceVersion", "0", problem);
        return Err(Failure::invalid(place.resource, place.name(), &[cause]));
    }
    update(store, place, &current, object)
}

/// Replaces `current` with a new state, in which the fields that a server sets keep their values. A
/// version or uid in the object is a precondition.
pub(crate) fn update(
    store: &mut Store,
    place: Place<'_>,
    current: &Arc<Stored>,
    object: Value,
) -> Result<Value, Failure> {
    update_object(store, place, current, object, true)
}

/// Replaces an object whose field ownership is already up to date.
pub(crate) fn update_as_is(
    store: &mut Store,
    place: Place<'_>,
    current: &Arc<Stored>,
    object: Value,
) -> Result<Value, Failure> {
    update_object(store, place, current, object, false)
}

fn update_object(
    store: &mut Store,
    place: Place<'_>,
    current: &Arc<Stored>,
    mut object: Value,
    track: bool,
) -> Result<Value, Failure> {
    let before = current.value(place.resource);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (uid, known) = (text(&object["metadata"]["uid"]), text(&before["metadata"]["uid"]));
    if !uid.is_empty() && uid != known {
        let problem =
            format!("Precondition failed: UID in precondition: {uid}, UID in object meta: {known}");
        return Err(Failure::precondition_failed(place.resource, place.name(), &problem));
    }
    let version = text(&object["metadata"]["resourceVersion"]);
    if !version.is_empty() && version != current.revision.to_string() {
        return Err(Failure::conflict(place.resource, place.name()));
    }
    schema::complete(place.resource, &mut object);
    restore_unwritten(place, &before, &mut object);
    for member in [
        "uid",
        "creationTimestamp",
        "generation",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "generateName",
        "name",
        "namespace",
    ] {
        let value = &before["metadata"][member];
        if value.is_null() {
            take_metadata(&mut object, member);
        } else {
            object["metadata"][member] = value.clone();
        }
    }
    object["metadata"]["resourceVersion"] = before["metadata"]["resourceVersion"].clone();
    object["kind"] = before["kind"].clone();
    object["apiVersion"] = before["apiVersion"].clone();
    if track {
        track_fields(place, &before, &mut object);
    }
    if object == before {
        // As on a real server, no change means no revision and no event.
        return Ok(before);
    }
    let causes = schema::problems(place.resource, place.part, Some(&before), &object);
    if !causes.is_empty() {
        return Err(Failure::invalid(place.resource, place.name(), &causes));
    }
    if place.resource.generation && desired_state(place, &object) != desired_state(place, &before) {
        let generation = before["metadata"]["generation"].as_u64().unwrap_or(0);
        object["metadata"]["generation"] = (generation + 1).into();
    }
    let deleted = !object["metadata"]["deletionTimestamp"].is_null();
    let grace = object["metadata"]["deletionGracePeriodSeconds"].as_u64().unwrap_or(0);
    let in_steps = lifecycle::is_terminating(store, place.resource, place.name());
    if deleted && grace == 0 && !in_steps && has_finalizers(&before) && !has_finalizers(&object) {
        // The last finalizer is gone, so the object is removed. The change itself is not stored.
        place.remove(store, current)?;
        return Ok(object);
    }
    place.put(store, object)
}

/// Updates field ownership. A write without another change leaves it as it is.
fn track_fields(place: Place<'_>, before: &Value, object: &mut Value) {
    let reset = object["metadata"]["managedFields"] == serde_json::json!([{}]);
    let managers = &before["metadata"]["managedFields"];
    if !reset {
        if managers.is_null() {
            take_metadata(object, "managedFields");
        } else {
            object["metadata"]["managedFields"] = managers.clone();
        }
    }
    if object != before {
        managed_fields::track(&place, Some(before), object);
    }
}

/// Restores what this part of the API does not write.
fn restore_unwritten(place: Place<'_>, before: &Value, object: &mut Value) {
    let keep_status = |object: &mut Value, status: &Value| match status {
        Value::Null => drop(object.as_object_mut().map(|members| members.remove("status"))),
        status => object["status"] = status.clone(),
    };
    match place.part {
        Part::Status => {
            let mut after = before.clone();
            keep_status(&mut after, &object["status"]);
            let managers = &object["metadata"]["managedFields"];
            if !managers.is_null() {
                after["metadata"]["managedFields"] = managers.clone();
            }
            *object = after;
        }
        Part::Object | Part::Scale if place.resource.status => {
            keep_status(object, &before["status"]);
        }
        Part::Object | Part::Scale | Part::Both => {}
    }
}

/// Returns the part of an object whose changes the generation counts.
fn desired_state(place: Place<'_>, object: &Value) -> Value {
    let mut asked = object.clone();
    if let Some(members) = asked.as_object_mut() {
        members.remove("metadata");
        if place.resource.status {
            members.remove("status");
        }
    }
    asked
}
