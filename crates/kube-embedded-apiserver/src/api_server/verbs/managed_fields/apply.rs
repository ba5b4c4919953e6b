//! Server-side apply. It sets the applied fields, and removes fields that the manager applied
//! before but no longer applies. A field that another manager set to another value is a conflict,
//! unless forced.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::managers::{Identity, Manager, Managers};
use super::versions::Versions;
use super::{UNOWNED, identity, set, set_entries, unwritten, update};
use crate::api_server::failure::{Cause, Failure};
use crate::api_server::names::now;
use crate::api_server::rules::metadata::ANNOTATIONS_LIMIT;
use crate::api_server::rules::ownership::{
    Set, compare, fields, merge, problems, problems_of_whole, readable, remove, with_named_members,
};
use crate::api_server::rules::schema;
use crate::api_server::rules::shape::{self, Shape, Source};
use crate::api_server::store::Store;
use crate::api_server::store::stored::Stored;
use crate::api_server::verbs::options::WriteOptions;
use crate::api_server::verbs::{
    Part, WriteTarget, create_as_is, scale, take_metadata, update_as_is,
};

/// The manager whose applies take over what client-side apply set.
const KUBECTL: &str = "kubectl";
/// The annotation in which client-side apply keeps its configuration.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Applies a configuration. Returns whether it created the object, and the object. With `refused`,
/// it ends with that failure once the configuration is merged.
pub(crate) fn apply(
    store: &mut Store,
    target: WriteTarget<'_>,
    options: &WriteOptions,
    applied: &Value,
    refused: Option<Failure>,
) -> Result<(bool, Value), Failure> {
    if !options.manager_given {
        let cause = Cause::required("fieldManager", "is required for apply patch");
        return Err(Failure::invalid_options("PatchOptions", &cause));
    }
    let current = match target.current(store) {
        Err(failure) if target.part != Part::Object || failure.code != 404 => return Err(failure),
        found => found.ok(),
    };
    let shape = Shape::of(target.resource);
    let kind = (target.resource.api_version(), &*target.resource.kind);
    check(shape, (&kind.0, kind.1), applied)?;
    let live = match &current {
        Some(current) => live(target, current, shape)?,
        None => new_object(target, shape),
    };
    let mut object = merged(store, target, options, &live, applied)?;
    if let Some(refused) = refused {
        return Err(refused);
    }
    if !target.resource.custom {
        shape::decode(shape, Source::Memory, &mut object).map_err(|problem| {
            let name = named(applied, &target.resource.kind);
            let message =
                format!("failed to convert new typed object ({name}) to object: {problem}");
            Failure::without_reason(&message)
        })?;
    }
    let uid = object["metadata"]["uid"].as_str().filter(|uid| !uid.is_empty());
    if let (None, Some(uid)) = (&current, uid) {
        let problem = format!(
            "uid mismatch: the provided object specified uid {uid}, and no existing object was \
             found"
        );
        return Err(Failure::precondition_failed(target.resource, target.name(), &problem));
    }
    let mut object = target.check(object)?;
    target.check_name(&object)?;
    let Some(current) = current else {
        take_metadata(&mut object, "resourceVersion");
        return Ok((true, create_as_is(store, target, object)?));
    };
    update_as_is(store, target, (&current, live), object).map(|object| (false, object))
}

/// Returns an object that exists.
fn live(target: WriteTarget<'_>, current: &Stored, shape: Shape<'_>) -> Result<Value, Failure> {
    let mut live = current.value(target.resource);
    if !target.resource.custom {
        return Ok(live);
    }
    schema::drop_nulls(target.resource, &mut live);
    let Some(problems) = problems_of_whole(shape, &live) else { return Ok(live) };
    let name = named(&live, &target.resource.kind);
    let message = format!("failed to create typed live object ({name}): {problems}");
    Err(Failure::without_reason(&message))
}

fn new_object(target: WriteTarget<'_>, shape: Shape<'_>) -> Value {
    let mut object = shape::empty(shape);
    object["kind"] = (&*target.resource.kind).into();
    object["apiVersion"] = target.resource.api_version().into();
    if object["metadata"].is_null() {
        object["metadata"] = json!({});
    }
    object
}

/// Checks that a configuration is an object of this kind, and of its shape.
pub(crate) fn check(
    shape: Shape<'_>,
    (version, kind): (&str, &str),
    applied: &Value,
) -> Result<(), Failure> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (found, found_kind) = (text(&applied["apiVersion"]), text(&applied["kind"]));
    if found != version || found_kind != kind {
        let message = format!("invalid object type: {}, Kind={found_kind}", qualified(&found));
        return Err(Failure::bad_request(message));
    }
    let metadata = &applied["metadata"];
    if !metadata["managedFields"].is_null() {
        return Err(Failure::bad_request("metadata.managedFields must be nil"));
    }
    let Some(problems) = problems(shape, applied) else { return Ok(()) };
    let name = named(applied, kind);
    let message = format!("failed to create typed patch object ({name}): {problems}");
    Err(Failure::without_reason(&message))
}

/// Returns a version as a group and a version. The core group is empty.
fn qualified(version: &str) -> String {
    if version.contains('/') { version.to_owned() } else { format!("/{version}") }
}

/// Returns the name and kind of an applied object, for messages.
pub(crate) fn named(applied: &Value, kind: &str) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let metadata = &applied["metadata"];
    let (namespace, name) = (text(&metadata["namespace"]), text(&metadata["name"]));
    let version = qualified(&text(&applied["apiVersion"]));
    format!("{namespace}/{name}; {version}, Kind={kind}")
}

/// Returns the live object with the configuration merged into it, and with its managers.
fn merged(
    store: &Store,
    target: WriteTarget<'_>,
    options: &WriteOptions,
    live: &Value,
    applied: &Value,
) -> Result<Value, Failure> {
    let failed = |problem: String| Failure::without_reason(&problem);
    let versions = Versions::of(store, &target);
    let shape = Shape::of(target.resource);
    let mut managers = Managers::read(&live["metadata"]["managedFields"]).unwrap_or_default();
    if managers.is_empty() {
        let name = "before-first-apply";
        let empty = shape::empty(shape);
        update(&versions, &target, &mut managers, name, (&empty, live)).map_err(failed)?;
    }
    versions.check(&managers, live).map_err(failed)?;
    let own = identity(&target, target.manager, true);
    let last = managers.0.remove(&own);
    let manager = Manager {
        version: target.resource.api_version(),
        time: last.as_ref().map_or(Value::Null, |last| last.time.clone()),
        fields: fields(shape, applied).without(&unwritten(&target)),
    };
    let mut object = merge(shape, Some(live), Some(applied)).unwrap_or_default();
    managers.0.insert(own.clone(), manager);
    if let Some(last) = last.filter(|last| !last.fields.is_empty()) {
        let left = pruned(&versions, &object, &managers, &last);
        object = left.map_err(|problem| failed(format!("failed to prune fields: {problem}")))?;
        // A conversion leaves them out.
        let entries = live["metadata"]["managedFields"].as_array().cloned();
        set_entries(&mut object, entries.unwrap_or_default());
    }
    let free = if target.manager == KUBECTL { set_by_client(target, shape, live) } else { None };
    let free = free.unwrap_or_default();
    take_over(&versions, &mut managers, &own, (options.force, &free), (live, &object))?;
    if let Some(manager) = managers.0.get_mut(&own) {
        manager.fields = manager.fields.difference(&set(&UNOWNED));
        // A scale has no time of its write.
        if object != *live && target.part != Part::Scale {
            manager.time = now().into();
        }
    }
    if target.manager == KUBECTL {
        renew_last_applied(&mut object, applied);
    }
    set_entries(&mut object, managers.entries());
    Ok(object)
}

/// Returns the fields that client-side apply set and that nobody changed since.
fn set_by_client(target: WriteTarget<'_>, shape: Shape<'_>, live: &Value) -> Option<Set> {
    let last = live["metadata"]["annotations"][LAST_APPLIED].as_str()?;
    let last: Value = serde_json::from_str(last).ok()?;
    if last["apiVersion"] != target.resource.api_version() || problems(shape, &last).is_some() {
        return None;
    }
    let changed = compare(shape, &last, live);
    Some(fields(shape, &last).difference(&changed.set()).difference(&changed.removed))
}

/// Renews the annotation of client-side apply, so that it can be used again. An object without the
/// annotation gets none, and one that is too large loses it.
fn renew_last_applied(object: &mut Value, applied: &Value) {
    let Some(Value::Object(annotations)) = object.pointer_mut("/metadata/annotations") else {
        return;
    };
    if !annotations.get(LAST_APPLIED).is_some_and(is_text) {
        return;
    }
    let mut applied = applied.clone();
    if let Some(Value::Object(own)) = applied.pointer_mut("/metadata/annotations") {
        own.remove(LAST_APPLIED);
    }
    let text = shape::escaped(&applied.to_string()) + "\n";
    annotations.insert(LAST_APPLIED.into(), text.into());
    let size = |(key, value): (&String, &Value)| key.len() + value.as_str().map_or(0, str::len);
    if annotations.iter().map(size).sum::<usize>() > ANNOTATIONS_LIMIT {
        annotations.remove(LAST_APPLIED);
    }
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

/// Removes the fields that a manager applied before, does not apply now, and that nobody else owns.
fn pruned(
    versions: &Versions<'_>,
    merged: &Value,
    managers: &Managers,
    last: &Manager,
) -> Result<Value, String> {
    let before = &*last.version;
    let at_last = versions.convert(merged, versions.own(), before).map_err(|problem| {
        format!("failed to convert merged object to last applied version: {problem}")
    })?;
    let named = |version: &str, set: &Set| with_named_members(versions.shape(version), set);
    let of = |version: &str, value: &Value| named(version, &fields(versions.shape(version), value));
    let without = |version: &str, value: &Value, gone: &Set| {
        remove(versions.shape(version), value, gone).unwrap_or_default()
    };
    let applied = named(before, &last.fields);
    // Fields that somebody owns come back, with those above them.
    let mut owned = BTreeMap::<&str, Set>::new();
    for manager in managers.0.values() {
        let of_version = owned.entry(&manager.version).or_default();
        *of_version = of_version.union(&manager.fields);
    }
    let first = owned.remove_entry(before);
    let (mut at, mut all) = (before, at_last.clone());
    let mut left = without(before, &at_last, &applied);
    for (version, owned) in first.into_iter().chain(owned) {
        let convert = |value: &Value, word: &str| {
            versions.convert(value, at, version).map_err(|problem| {
                format!(
                    "failed add back owned items: failed to convert {word} object at version \
                     {version}: {problem}"
                )
            })
        };
        (all, left) = (convert(&all, "merged")?, convert(&left, "pruned")?);
        let kept = of(version, &left).union(&named(version, &owned));
        left = without(version, &all, &of(version, &all).difference(&kept));
        at = version;
    }
    // So do those that the manager did not own.
    let left = versions.convert(&left, at, before).map_err(|problem| {
        format!(
            "failed add back dangling items: failed to convert pruned object to last applied \
             version: {problem}"
        )
    })?;
    let gone = of(before, &at_last).difference(&of(before, &left)).intersection(&applied);
    versions.convert(&without(before, &at_last, &gone), before, versions.own())
}

/// Removes the changed fields from all other managers. Without force, their fields are conflicts,
/// except those that are free.
fn take_over(
    versions: &Versions<'_>,
    managers: &mut Managers,
    own: &Identity,
    (force, free): (bool, &Set),
    objects: (&Value, &Value),
) -> Result<(), Failure> {
    let (mut conflicts, mut differences) = (Vec::new(), versions.differences(objects));
    for (identity, manager) in managers.0.iter_mut().filter(|(identity, _)| *identity != own) {
        let difference = differences.of(&manager.version);
        let difference = difference.map_err(|problem| Failure::without_reason(&problem))?;
        let lost = manager.fields.intersection(&difference.set());
        let contested = lost.difference(free);
        if !contested.is_empty() && !force {
            let applied = versions.is_of_scale().then_some(scale::VERSION);
            conflicts.push((identity.described(applied), contested));
        } else {
            manager.fields = manager.fields.difference(&lost).difference(&difference.removed);
        }
    }
    if conflicts.is_empty() { Ok(()) } else { Err(conflict(&conflicts)) }
}

fn conflict(conflicts: &[(String, Set)]) -> Failure {
    let (mut causes, mut parts) = (Vec::new(), Vec::new());
    for (manager, lost) in conflicts {
        parts.push(format!("conflicts with {manager}:"));
        for path in lost.paths() {
            let field = readable(&path);
            parts.push(format!("- {field}"));
            let message = format!("conflict with {manager}");
            causes.push(
                json!({ "reason": "FieldManagerConflict", "message": message, "field": field }),
            );
        }
    }
    let message = match &*causes {
        [only] => format!(
            "Apply failed with 1 conflict: {}: {}",
            only["message"].as_str().unwrap_or_default(),
            only["field"].as_str().unwrap_or_default()
        ),
        causes => format!("Apply failed with {} conflicts: {}", causes.len(), parts.join("\n")),
    };
    Failure::new(409, "Conflict", message).with_causes(&causes)
}
