//! Server-side apply. It sets the applied fields, and removes fields that the manager applied
//! before but no longer applies. A field that another manager set to another value is a conflict,
//! unless forced.

use serde_json::{Value, json};

use super::set::{Path, Set, readable};
use super::walk::Walk;
use super::{Manager, UNOWNED, ownable, read, write};
use crate::json::remove_nulls;
use crate::testing::api_server::failure::{Cause, Failure};
use crate::testing::api_server::rules::schema;
use crate::testing::api_server::store::Store;
use crate::testing::api_server::verbs::options::WriteOptions;
use crate::testing::api_server::verbs::{Part, Place, create_as_is, update_as_is};

/// Applies a configuration. Returns whether it created the object, and the object.
pub(crate) fn apply(
    store: &mut Store,
    place: Place<'_>,
    options: &WriteOptions,
    mut applied: Value,
) -> Result<(bool, Value), Failure> {
    if !options.manager_given {
        let cause = Cause::required("fieldManager", "is required for apply patch");
        return Err(Failure::invalid_options("PatchOptions", &cause));
    }
    remove_nulls(&mut applied);
    for member in ["kind", "apiVersion"] {
        if !applied[member].is_string() {
            let message = format!("error decoding patch: {member} must be set");
            return Err(Failure::bad_request(message));
        }
    }
    let mut applied = place.check(applied)?;
    if applied["metadata"]["managedFields"].is_array() {
        return Err(Failure::bad_request("metadata.managedFields must be nil"));
    }
    let name = applied["metadata"]["name"].as_str().unwrap_or(place.name());
    if name != place.name() {
        let cause = Cause::invalid("metadata.name", name, "field is immutable");
        return Err(Failure::invalid(place.resource, place.name(), &[cause]));
    }
    applied["metadata"]["name"] = place.name().into();
    if let Some(path) = schema::unknown(place.resource, &mut applied.clone()).first() {
        let message = format!(
            "failed to create typed patch object ({}/{}; {}, Kind={}): .{path}: field not declared \
             in schema",
            place.namespace.unwrap_or_default(),
            place.name(),
            place.resource.api_version(),
            place.resource.kind
        );
        return Err(Failure::without_reason(&message));
    }
    let mut own = Manager::new(&place, true);
    own.fields = owned(&place, &applied);
    let Ok(current) = place.current(store) else {
        if place.part == Part::Status {
            return Err(Failure::not_found(place.resource, place.name()));
        }
        let mut object = applied;
        write(&mut object, vec![own]);
        return Ok((true, create_as_is(store, place, object)?));
    };
    let live = current.value(place.resource);
    let mut managers = read(&live);
    if managers.is_empty() {
        managers.push(before_first_apply(&place, &live));
    }
    let known = managers.iter().find(|manager| manager.same_as(&own)).cloned();
    managers.retain(|manager| !manager.same_as(&own));
    let mut object = live.clone();
    let walk = Walk(place.resource);
    walk.merge(&mut Vec::new(), &mut object, &part(&place, &applied));
    if let Some(known) = &known {
        prune(walk, &mut object, &known.fields.difference(&own.fields), &own.fields, &managers);
    }
    let difference = walk.difference(&ownable(&live), &ownable(&object));
    let mut conflicts = Vec::new();
    for manager in &mut managers {
        let lost = manager.fields.intersection(&difference.set).intersection(&own.fields);
        if !lost.is_empty() && !options.force {
            conflicts.push((manager.described(), lost));
        } else {
            manager.fields = manager.fields.difference(&lost).difference(&difference.removed);
        }
    }
    if !conflicts.is_empty() {
        return Err(conflict(&conflicts));
    }
    if let Some(known) = known.filter(|known| known.fields == own.fields) {
        own.time = known.time;
    }
    managers.push(own);
    write(&mut object, managers);
    update_as_is(store, place, &current, object).map(|object| (false, object))
}

/// Returns the fields that the manager owns through this apply, in this part of the API.
fn owned(place: &Place<'_>, applied: &Value) -> Set {
    Walk(place.resource).fields(&ownable(&part(place, applied)))
}

/// Returns the part of the configuration that counts in this part of the API.
fn part(place: &Place<'_>, applied: &Value) -> Value {
    let mut counted = applied.clone();
    let Some(members) = counted.as_object_mut() else { return counted };
    match place.part {
        Part::Status => members.retain(|name, _| matches!(&**name, "metadata" | "status")),
        Part::Object | Part::Scale | Part::Finalize if place.resource.status => {
            members.remove("status");
        }
        Part::Object | Part::Scale | Part::Finalize | Part::Both => {}
    }
    if let Some(metadata) = counted["metadata"].as_object_mut()
        && place.part == Part::Status
    {
        metadata.retain(|name, _| UNOWNED.contains(&name.as_str()));
    }
    counted
}

/// Returns the manager of an object that was written before field ownership was tracked.
fn before_first_apply(place: &Place<'_>, live: &Value) -> Manager {
    let mut manager = Manager::new(place, false);
    "before-first-apply".clone_into(&mut manager.name);
    manager.subresource = String::new();
    manager.fields = Walk(place.resource).fields(&ownable(live));
    manager
}

/// Removes fields that are no longer applied and that no other manager owns.
fn prune(walk: Walk<'_>, object: &mut Value, gone: &Set, own: &Set, others: &[Manager]) {
    let kept = |path: &Path| {
        own.reaches(path) || others.iter().any(|other| other.fields.reaches(path)) || is_key(path)
    };
    let mut removed: Option<&Path> = None;
    for path in gone.0.iter().filter(|path| !kept(path)) {
        // Fields below are removed with it.
        if removed.is_none_or(|above| !path.starts_with(above)) {
            walk.remove(object, path);
            removed = Some(path);
        }
    }
}

/// Returns whether a path is the key of an element, which is removed only with its element.
fn is_key(path: &Path) -> bool {
    let [.., element, member] = path.as_slice() else { return false };
    let keys = element.strip_prefix("k:").and_then(|keys| serde_json::from_str::<Value>(keys).ok());
    let member = member.strip_prefix("f:").unwrap_or_default();
    keys.is_some_and(|keys| keys.get(member).is_some())
}

fn conflict(conflicts: &[(String, Set)]) -> Failure {
    let count: usize = conflicts.iter().map(|(_, lost)| lost.0.len()).sum();
    let mut causes = Vec::new();
    let mut parts = Vec::new();
    for (manager, lost) in conflicts {
        let fields: Vec<String> = lost.0.iter().map(readable).collect();
        parts.push(match &*fields {
            [field] => format!("conflict with {manager}: {field}"),
            fields => format!("conflicts with {manager}:\n- {}", fields.join("\n- ")),
        });
        causes.extend(fields.into_iter().map(|field| {
            let message = format!("conflict with {manager}");
            json!({ "reason": "FieldManagerConflict", "message": message, "field": field })
        }));
    }
    let noun = if count == 1 { "conflict" } else { "conflicts" };
    let message = format!("Apply failed with {count} {noun}: {}", parts.join("\n"));
    Failure::new(409, "Conflict", message).with_causes(&causes)
}
