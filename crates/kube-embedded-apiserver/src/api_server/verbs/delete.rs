//! Deletes: at once, after a grace period, or when the last finalizer is removed.

use std::sync::Arc;

use serde_json::Value;

use super::options::{DeleteOptions, Propagation};
use super::{Deleted, Part, WriteTarget, is_over, take_metadata};
use crate::api_server::failure::Failure;
use crate::api_server::names;
use crate::api_server::resource::ResourceType;
use crate::api_server::rules::strategy;
use crate::api_server::store::Store;
use crate::api_server::store::stored::Stored;
use crate::api_server::webhooks::{Operation, cached_for_write};

/// The default grace period of a pod, in seconds.
const POD_GRACE: i64 = 30;

const ORPHAN: &str = "orphan";
const FOREGROUND: &str = "foregroundDeletion";

/// Deletes an object, or marks it.
pub(crate) fn delete(
    store: &mut Store,
    target: WriteTarget<'_>,
    options: &DeleteOptions,
) -> Result<Deleted, Failure> {
    let current = target.current(store)?;
    if let (Some(session), Some(stored)) = (target.session, target.stored(store)) {
        cached_for_write(session, target.resource, &stored)?;
    }
    options.check(target.resource, target.name(), &current)?;
    if let Some(problem) = strategy::undeletable(target.resource, target.name()) {
        return Err(Failure::forbidden(target.resource, target.name(), problem));
    }
    let old = target.session.map(|_| current.value(target.resource));
    let pending = |old: &Value| old["metadata"]["deletionGracePeriodSeconds"].as_i64();
    // A grace period that is not shorter than the last one changes nothing.
    let shorter = |old: &Value| pending(old).is_none_or(|last| grace(old, options.grace) < last);
    if let Some(old) = old.filter(|old| !target.resource.graceful || shorter(old)) {
        let judge = |old: &Value, round| {
            target.admission(Operation::Delete, Some(old)).judge_delete(store, round)
        };
        judge(&old, 0)?;
        // A real server asks three times about a pod that goes at once: when it reads the pod, when
        // it marks it, and when it removes it.
        if target.resource.graceful && grace(&old, options.grace) == 0 {
            judge(&old, 1)?;
            let mut marked = marked(target, &old, options);
            if is_over(&marked) {
                if !target.dry_run && marked != old {
                    marked["metadata"]["resourceVersion"] = (store.revision + 1).to_string().into();
                }
                judge(&marked, 2)?;
            }
        }
    }
    delete_one(store, target, &current, options)
}

fn delete_one(
    store: &mut Store,
    target: WriteTarget<'_>,
    current: &Arc<Stored>,
    options: &DeleteOptions,
) -> Result<Deleted, Failure> {
    let before = current.value(target.resource);
    let object = marked(target, &before, options);
    let graceful = target.resource.graceful && target.part != Part::Both;
    if is_over(&object) {
        if !graceful || target.dry_run {
            let last = target.remove(store, current)?;
            return Ok(Deleted::Gone(if graceful { object } else { last }));
        }
        // Watches see the mark before the end.
        target.put(store, object)?;
        let marked = target.current(store)?;
        return Ok(Deleted::Gone(target.remove(store, &marked)?));
    }
    if object == before {
        return Ok(Deleted::Waits(object));
    }
    Ok(Deleted::Waits(target.put(store, object)?))
}

/// Returns an object with the finalizers and the mark of a delete.
fn marked(target: WriteTarget<'_>, before: &Value, options: &DeleteOptions) -> Value {
    let mut object = before.clone();
    let first = object["metadata"]["deletionTimestamp"].is_null();
    propagate(target, &mut object, options.propagation);
    let graceful = target.resource.graceful && target.part != Part::Both;
    let grace = if graceful { grace(&object, options.grace) } else { 0 };
    let pending = object["metadata"]["deletionGracePeriodSeconds"].as_i64();
    if first || pending.is_some_and(|pending| grace < pending) {
        mark(target.resource, &mut object, grace, first);
    }
    object
}

/// Sets the time by which the object must be gone.
fn mark(resource: &ResourceType, object: &mut Value, grace: i64, first: bool) {
    object["metadata"]["deletionTimestamp"] = names::after(grace).into();
    if strategy::on_delete(resource, object, first) {
        return;
    }
    object["metadata"]["deletionGracePeriodSeconds"] = grace.into();
    let generation = object["metadata"]["generation"].as_u64();
    if let Some(generation) = generation.filter(|_| first && resource.generation) {
        // The desired state has changed for controllers.
        object["metadata"]["generation"] = (generation + 1).into();
    }
}

/// Returns the grace period of a pod's deletion, in seconds. Only pods that run on a node have one.
pub(crate) fn grace(object: &Value, asked: Option<i64>) -> i64 {
    let scheduled = object["spec"]["nodeName"].as_str().is_some_and(|node| !node.is_empty());
    let over = matches!(object["status"]["phase"].as_str(), Some("Failed" | "Succeeded"));
    if !scheduled || over {
        return 0;
    }
    let own = || object["spec"]["terminationGracePeriodSeconds"].as_i64().unwrap_or(POD_GRACE);
    let grace = asked.unwrap_or_else(own);
    if grace < 0 { 1 } else { grace }
}

/// Adds the finalizer that makes the garbage collector act on the dependents, or removes it.
fn propagate(target: WriteTarget<'_>, object: &mut Value, asked: Option<Propagation>) {
    let found = object["metadata"]["finalizers"].as_array().cloned().unwrap_or_default();
    let ours = |finalizer: &Value| [ORPHAN, FOREGROUND].iter().any(|name| finalizer == name);
    let by_default =
        target.resource.orphans && target.part != Part::Both && !found.iter().any(ours);
    let Some(propagation) = asked.or(by_default.then_some(Propagation::Orphan)) else { return };
    if asked.is_none() {
        target.warn(strategy::default_orphan_warning(target.resource));
    }
    let wanted = match propagation {
        Propagation::Orphan => Some(ORPHAN),
        Propagation::Foreground => Some(FOREGROUND),
        Propagation::Background => None,
    };
    let mut finalizers: Vec<Value> = found.iter().filter(|f| !ours(f)).cloned().collect();
    finalizers.extend(wanted.map(Value::from));
    if finalizers.is_empty() {
        take_metadata(object, "finalizers");
    } else {
        object["metadata"]["finalizers"] = finalizers.into();
    }
}

/// Deletes these objects of a collection, as single deletes would.
pub(crate) fn delete_all(
    store: &mut Store,
    target: WriteTarget<'_>,
    objects: &[Arc<Stored>],
    options: &DeleteOptions,
) -> Result<(), Failure> {
    for object in objects {
        let namespace = Some(&*object.namespace).filter(|_| target.resource.namespaced);
        let target = WriteTarget { namespace, name: Some(&object.name), ..target };
        match delete(store, target, options) {
            Ok(_) => {}
            // The object was deleted together with another one.
            Err(failure) if failure.code == 404 => {}
            Err(failure) => return Err(failure),
        }
    }
    Ok(())
}

/// Deletes the objects of a namespace or a definition without grace, as if their nodes acted at
/// once. Objects with finalizers wait for them.
pub(crate) fn purge(store: &mut Store, resource: &ResourceType, namespace: Option<&str>) {
    let Some(collection) = store.of(resource) else { return };
    let of_namespace =
        |object: &&Arc<Stored>| namespace.is_none_or(|name| object.namespace == name);
    let all: Vec<Arc<Stored>> = collection.objects.values().filter(of_namespace).cloned().collect();
    for object in all {
        let namespace = Some(&*object.namespace).filter(|_| resource.namespaced);
        let target = WriteTarget::direct(resource, namespace, Some(&object.name), Part::Both);
        // The object is gone or waits; neither is a failure.
        let _ = delete_one(store, target, &object, &DeleteOptions::default());
    }
}
