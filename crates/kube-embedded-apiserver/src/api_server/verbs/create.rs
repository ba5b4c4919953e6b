//! Creates.

use serde_json::{Value, json};

use super::{Part, Place, admission, built_in, managed_fields, take_metadata};
use crate::api_server::failure::Failure;
use crate::api_server::names;
use crate::api_server::rules::{definition, metadata, schema, strategy};
use crate::api_server::store::Store;

/// Creates an object.
pub(crate) fn create(store: &mut Store, place: Place<'_>, object: Value) -> Result<Value, Failure> {
    create_object(store, place, object, true)
}

/// Creates an object whose field ownership is already up to date.
pub(crate) fn create_as_is(
    store: &mut Store,
    place: Place<'_>,
    object: Value,
) -> Result<Value, Failure> {
    create_object(store, place, object, false)
}

fn create_object(
    store: &mut Store,
    place: Place<'_>,
    object: Value,
    track: bool,
) -> Result<Value, Failure> {
    let mut object = place.check(object)?;
    schema::complete(place.resource, &mut object);
    built_in::decode(place, &mut object)?;
    let text = |member: &str| object["metadata"][member].as_str().unwrap_or_default().to_owned();
    let (given, prefix) = (text("name"), text("generateName"));
    let name = match (&*given, &*prefix) {
        // A server names ranges of limits itself.
        ("", "") if place.resource.qualified() == "limitranges" => names::uid(),
        ("", "") => String::new(),
        ("", prefix) => names::generated(prefix),
        _ => given,
    };
    assign(place, &mut object, &name);
    let place = Place { name: Some(&name), ..place };
    strategy::complete(place.resource, &mut object);
    if place.part != Part::Both {
        reset_status(place, &mut object);
    }
    admit(store, place, &name)?;
    if track {
        managed_fields::track(&place, None, &mut object);
    }
    let direct = place.part == Part::Both;
    admission::complete_new(store, place, &mut object)?;
    strategy::on_create(place.resource, direct, &mut object);
    built_in::complete(place, &mut object);
    let mut causes = metadata::problems(place.resource, &object["metadata"]);
    causes.extend(schema::problems(place.resource, false, None, &object));
    causes.extend(built_in::problems(place, None, &object));
    causes.extend(definition::problems(place.resource, false, None, &object));
    if !causes.is_empty() {
        return Err(Failure::invalid(place.resource, &name, &causes));
    }
    built_in::finish(place, &mut object);
    check_version(place, &object)?;
    if let Ok(current) = place.current(store) {
        return Err(match () {
            () if current.deleting => Failure::exists_still(place.resource, &name),
            () if !prefix.is_empty() => Failure::not_unique(place.resource, &name),
            () => Failure::exists(place.resource, &name),
        });
    }
    place.check_implemented(None, &object)?;
    place.warn(metadata::warnings(place.resource, &Value::Null, &object["metadata"]));
    place.warn(definition::warnings(place.resource, None, &object));
    built_in::warn(place, None, &object);
    admission::admit_new(store, place, &mut object)?;
    place.put(store, object)
}

/// Returns a failure if the object has a version, which a real server's storage refuses. A dry run
/// does not reach the storage, and what is no number is not a version.
fn check_version(place: Place<'_>, object: &Value) -> Result<(), Failure> {
    let version = object["metadata"]["resourceVersion"].as_str().unwrap_or_default();
    if place.dry_run || matches!(version.parse::<u64>(), Ok(0) | Err(_)) {
        return Ok(());
    }
    let message = "resourceVersion should not be set on objects to be created";
    Err(Failure::without_reason(message))
}

/// Sets the metadata that a server assigns.
fn assign(place: Place<'_>, object: &mut Value, name: &str) {
    for member in ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"] {
        take_metadata(object, member);
    }
    if place.resource.generation {
        object["metadata"]["generation"] = 1.into();
    }
    let metadata = &mut object["metadata"];
    if let Some(members) = metadata.as_object_mut() {
        place.warn(metadata::merge_owners(members));
    }
    metadata["name"] = name.into();
    metadata["uid"] = names::uid().into();
    metadata["creationTimestamp"] = names::now().into();
}

/// Removes the status of a new object, if the type has a separate status. A new node has the status
/// that it is created with.
fn reset_status(place: Place<'_>, object: &mut Value) {
    let reset = place.resource.status && place.resource.qualified() != "nodes";
    let Some(members) = object.as_object_mut().filter(|_| reset) else { return };
    if place.resource.custom {
        members.remove("status");
    } else {
        members.insert("status".into(), json!({}));
    }
}

/// Returns a failure if the object's namespace or type does not take new objects.
fn admit(store: &Store, place: Place<'_>, name: &str) -> Result<(), Failure> {
    if let Some(namespace) = place.namespace {
        admit_to_namespace(store, place, namespace, name)?;
    }
    if place.resource.custom && store.is_ending(place.resource) {
        let problem = "create not allowed while custom resource definition is terminating";
        return Err(Failure::forbidden(place.resource, name, problem));
    }
    Ok(())
}

fn admit_to_namespace(
    store: &Store,
    place: Place<'_>,
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
            let failure = Failure::forbidden(place.resource, name, &problem);
            Err(failure.caused_by_namespace(namespace))
        }
        None if store.namespaces_needed => Err(Failure::not_found(namespaces, namespace)),
        _ => Ok(()),
    }
}
