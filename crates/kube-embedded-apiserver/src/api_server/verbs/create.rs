//! Creates.

use serde_json::{Value, json};

use super::{Part, WriteTarget, admission, built_in, managed_fields, take_metadata};
use crate::api_server::failure::Failure;
use crate::api_server::names;
use crate::api_server::rules::{definition, metadata, preparation, schema, strategy};
use crate::api_server::store::Store;
use crate::api_server::webhooks::Operation;

/// Creates an object.
pub(crate) fn create(
    store: &mut Store,
    target: WriteTarget<'_>,
    object: Value,
) -> Result<Value, Failure> {
    create_object(store, target, object, true)
}

/// Creates an object whose field ownership is already up to date.
pub(crate) fn create_as_is(
    store: &mut Store,
    target: WriteTarget<'_>,
    object: Value,
) -> Result<Value, Failure> {
    create_object(store, target, object, false)
}

fn create_object(
    store: &mut Store,
    target: WriteTarget<'_>,
    object: Value,
    track: bool,
) -> Result<Value, Failure> {
    let mut object = target.check(object)?;
    let written = schema::Written::of(&object);
    schema::complete(target.resource, !track, &mut object);
    built_in::decode(target, &mut object)?;
    // A webhook may set them, as on a real server.
    for member in ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"] {
        take_metadata(&mut object, member);
    }
    let asked = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    let mut track = track;
    if target.admission(Operation::Create, None).may_change(store) {
        object = mutated(store, target, object, track)?;
        track = false;
    }
    let text = |member: &str| object["metadata"][member].as_str().unwrap_or_default().to_owned();
    let (given, prefix) = (text("name"), text("generateName"));
    let name = match (&*given, &*prefix) {
        // A server names ranges of limits itself.
        ("", "") if target.resource.qualified() == "limitranges" => names::uid(),
        ("", "") => String::new(),
        ("", prefix) => names::generated(prefix),
        _ => given,
    };
    assign(target, &mut object, &name);
    let target = WriteTarget { name: Some(&name), ..target };
    if track && asked.is_empty() && target.resource.qualified() == "namespaces" {
        // The name's label is set after the owners are recorded, so it has no owner.
        managed_fields::track(store, &target, None, &mut object)?;
        track = false;
    }
    strategy::complete(target.resource, &mut object);
    if target.part != Part::Both {
        reset_status(target, &mut object);
    }
    admit(store, target, &name)?;
    if track {
        managed_fields::track(store, &target, None, &mut object)?;
    }
    let direct = target.part == Part::Both;
    admission::complete_new(store, target, &mut object)?;
    strategy::on_create(target.resource, direct, &mut object);
    built_in::complete(target, &mut object);
    let mut causes = metadata::problems(target.resource, &object["metadata"]);
    causes.extend(schema::problems(target.resource, false, None, &written.restored(&object)));
    causes.extend(built_in::problems(target, None, &object));
    causes.extend(definition::problems(target.resource, false, None, &object));
    if !causes.is_empty() {
        return Err(Failure::invalid(target.resource, &name, &causes));
    }
    built_in::finish(target, &mut object);
    // A webhook that renames the object does not rename the request.
    let named = if asked.is_empty() { &name } else { &asked };
    let reviewed = WriteTarget { name: Some(named), ..target };
    reviewed.admission(Operation::Create, None).validate(store, Some(&object))?;
    if target.session.is_some() {
        // The other webhooks have seen the members that a webhook added and the schema lacks.
        schema::prune(target.resource, &mut object);
    }
    check_version(target, &object)?;
    if let Some(current) = target.stored(store) {
        return Err(match () {
            () if current.deleting => Failure::exists_still(target.resource, &name),
            () if !prefix.is_empty() => Failure::not_unique(target.resource, &name),
            () => Failure::exists(target.resource, &name),
        });
    }
    target.check_implemented(store, None, &written.restored(&object))?;
    target.warn(metadata::warnings(target.resource, &Value::Null, &object["metadata"]));
    let is_served = store.webhooks.are_served();
    target.warn(definition::warnings(target.resource, None, &object, is_served));
    built_in::warn(target, None, &object);
    admission::admit_new(store, target, &mut object)?;
    target.put(store, object)
}

/// Returns a new object as the mutating webhooks change it. What they add has no owner.
fn mutated(
    store: &Store,
    target: WriteTarget<'_>,
    mut object: Value,
    track: bool,
) -> Result<Value, Failure> {
    let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    admit(store, target, &name)?;
    if track {
        let mut asked = object.clone();
        strategy::complete(target.resource, &mut asked);
        reset_status(target, &mut asked);
        managed_fields::track(store, &target, None, &mut asked)?;
        let managers = asked["metadata"]["managedFields"].take();
        if managers.is_null() {
            take_metadata(&mut object, "managedFields");
        } else {
            object["metadata"]["managedFields"] = managers;
        }
    }
    admission::complete_new(store, target, &mut object)?;
    if target.resource.qualified() == "pods" {
        preparation::tolerate_outages(&mut object);
    }
    for member in ["uid", "creationTimestamp"] {
        take_metadata(&mut object, member);
    }
    let object = target.admission(Operation::Create, None).mutate(store, object)?;
    target.check_mutated(object)
}

/// Returns a failure if the object has a version, which a real server's storage refuses. A dry run
/// does not reach the storage, and what is no number is not a version.
fn check_version(target: WriteTarget<'_>, object: &Value) -> Result<(), Failure> {
    let version = object["metadata"]["resourceVersion"].as_str().unwrap_or_default();
    if target.dry_run || matches!(version.parse::<u64>(), Ok(0) | Err(_)) {
        return Ok(());
    }
    let message = "resourceVersion should not be set on objects to be created";
    Err(Failure::without_reason(message))
}

/// Sets the metadata that a server assigns.
fn assign(target: WriteTarget<'_>, object: &mut Value, name: &str) {
    if target.resource.generation {
        object["metadata"]["generation"] = 1.into();
    }
    let metadata = &mut object["metadata"];
    if let Some(members) = metadata.as_object_mut() {
        target.warn(metadata::merge_owners(members));
    }
    metadata["name"] = name.into();
    metadata["uid"] = names::uid().into();
    metadata["creationTimestamp"] = names::now().into();
}

/// Removes the status of a new object, if the type has a separate status. A new node has the status
/// that it is created with.
fn reset_status(target: WriteTarget<'_>, object: &mut Value) {
    let reset = target.resource.status && target.resource.qualified() != "nodes";
    let Some(members) = object.as_object_mut().filter(|_| reset) else { return };
    if target.resource.custom {
        members.remove("status");
    } else {
        members.insert("status".into(), json!({}));
    }
}

/// Returns a failure if the object's namespace or type does not take new objects.
fn admit(store: &Store, target: WriteTarget<'_>, name: &str) -> Result<(), Failure> {
    if let Some(namespace) = target.namespace {
        admit_to_namespace(store, target, namespace, name)?;
    }
    if target.resource.custom && store.is_ending(target.resource) {
        let problem = "create not allowed while custom resource definition is terminating";
        return Err(Failure::forbidden(target.resource, name, problem));
    }
    Ok(())
}

fn admit_to_namespace(
    store: &Store,
    target: WriteTarget<'_>,
    namespace: &str,
    name: &str,
) -> Result<(), Failure> {
    let Some(namespaces) = store.served("", "v1", "namespaces") else { return Ok(()) };
    let found = store.of(namespaces).and_then(|all| all.objects.get(namespace));
    match found {
        Some(found) if found.deleting => {
            let problem = format!(
                "unable to create new content in namespace {namespace} because it is being \
                 terminated"
            );
            let failure = Failure::forbidden(target.resource, name, &problem);
            Err(failure.caused_by_namespace(namespace))
        }
        None if store.namespaces_needed => Err(Failure::not_found(namespaces, namespace)),
        _ => Ok(()),
    }
}
