//! Creates.

use serde_json::{Value, json};

use super::{Part, Place, lifecycle, managed_fields, take_metadata};
use crate::testing::api_server::failure::{Cause, Failure};
use crate::testing::api_server::rules::names;
use crate::testing::api_server::rules::schema;
use crate::testing::api_server::store::Store;

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
    let metadata = &mut object["metadata"];
    if metadata["resourceVersion"].as_str().is_some_and(|version| !version.is_empty()) {
        let message = "resourceVersion should not be set on objects to be created";
        return Err(Failure::bad_request(message));
    }
    let given = metadata["name"].as_str().unwrap_or_default().to_owned();
    let name = match (&*given, metadata["generateName"].as_str()) {
        ("", Some(prefix)) if !prefix.is_empty() => format!("{prefix}{}", names::suffix()),
        ("", _) => {
            let problem = "name or generateName is required";
            let cause = Cause::required("metadata.name", problem);
            return Err(Failure::invalid(place.resource, "", &[cause]));
        }
        _ => given,
    };
    let problem = names::problem(place.resource, &name);
    let cause = problem.map(|problem| Cause::invalid("metadata.name", &name, problem));
    let mut causes = Vec::from_iter(cause);
    metadata["name"] = name.clone().into();
    metadata["uid"] = names::uid().into();
    metadata["creationTimestamp"] = names::now().into();
    for member in ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "generation"] {
        take_metadata(&mut object, member);
    }
    if place.resource.generation {
        object["metadata"]["generation"] = 1.into();
    }
    reset_status(place, &mut object);
    causes.extend(schema::problems(place.resource, Part::Both, None, &object));
    if !causes.is_empty() {
        return Err(Failure::invalid(place.resource, &name, &causes));
    }
    let place = Place { name: Some(&name), ..place };
    lifecycle::admit(store, place.resource, place.namespace, &mut object)?;
    if place.current(store).is_ok() {
        return Err(Failure::exists(place.resource, &name));
    }
    if track {
        managed_fields::track(&place, None, &mut object);
    }
    place.put(store, object)
}

/// Removes the status of a new object, if the type has a separate status.
fn reset_status(place: Place<'_>, object: &mut Value) {
    if place.part == Part::Both || !place.resource.status {
        return;
    }
    let Some(members) = object.as_object_mut() else { return };
    match &*place.resource.qualified() {
        "pods" => {
            let class = quality_of_service(members.get("spec").unwrap_or(&Value::Null));
            let status = json!({ "phase": "Pending", "qosClass": class });
            members.insert("status".into(), status);
        }
        _ if place.resource.custom => drop(members.remove("status")),
        _ => drop(members.insert("status".into(), json!({}))),
    }
}

/// Returns the quality of service class of a pod.
fn quality_of_service(spec: &Value) -> &'static str {
    let containers = ["containers", "initContainers"].map(|member| spec[member].as_array());
    let (mut any, mut all) = (false, true);
    for container in containers.into_iter().flatten().flatten() {
        let resources = &container["resources"];
        for name in ["cpu", "memory"] {
            let (request, limit) = (&resources["requests"][name], &resources["limits"][name]);
            any |= !request.is_null() || !limit.is_null();
            all &= !limit.is_null() && (request.is_null() || request == limit);
        }
    }
    match (any, all) {
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
        (false, _) => "BestEffort",
    }
}
