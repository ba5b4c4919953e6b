//! The decoding of objects that clients send: types of members, and members that a type does not
//! have.

use serde_json::Value;

use super::options::FieldValidation;
use super::{WriteTarget, scale};
use crate::api_server::failure::Failure;
use crate::api_server::resource::ResourceType;
use crate::api_server::rules::shape::{self, Shape, Source};
use crate::api_server::rules::{normal_form, registered, schema};

/// Removes the members that the type does not have, and returns a message for each. Fails with the
/// problem of a member that has the wrong type.
pub(super) fn members(
    resource: &ResourceType,
    source: Source,
    object: &mut Value,
) -> Result<Vec<String>, String> {
    if resource.custom {
        if let Some(metadata) = object.get_mut("metadata") {
            let mut decoded = metadata.clone();
            // The schema decides about unknown members.
            shape::decode_metadata(&mut decoded)?;
            for member in ["labels", "annotations"] {
                if decoded[member].is_object() {
                    // A null became an empty text.
                    metadata[member] = decoded[member].take();
                }
            }
        }
        let unknown = schema::prune(resource, object);
        return schema::undecodable(resource, object).map_or(Ok(unknown), Err);
    }
    decoded(Shape::of(resource), source, object)
}

fn decoded(shape: Shape<'_>, source: Source, object: &mut Value) -> Result<Vec<String>, String> {
    let unknown = shape::decode(shape, source, object)?.into_iter();
    Ok(unknown.map(|path| format!("unknown field {path:?}")).collect())
}

/// Fails with the problem of an object that is of another built-in kind than the type. A server
/// decodes it as what it says it is.
pub(super) fn check_kind(resource: &ResourceType, object: &Value) -> Result<(), String> {
    let text = |member: &str| object[member].as_str().unwrap_or_default();
    let (version, kind) = (text("apiVersion"), text("kind"));
    let same = kind == resource.kind && version == resource.api_version();
    if same || resource.custom || version.is_empty() || kind.is_empty() {
        return Ok(());
    }
    if let Some(problem) = registered::unregistered(version, kind) {
        return Err(problem);
    }
    let mut decoded = object.clone();
    shape::decode(Shape::of_kind(version, kind), Source::Json, &mut decoded)?;
    normal_form::strip(version, kind, &mut decoded)?;
    if kind == resource.kind {
        return Ok(());
    }
    Err(registered::unconvertible((version, kind), (&resource.group, &resource.kind)))
}

/// Returns messages about members that occur twice.
pub(crate) fn repeated(paths: Vec<String>) -> Vec<String> {
    paths.into_iter().map(|path| format!("duplicate field {path:?}")).collect()
}

/// Decodes the object of a body. `problems` are messages about its text; those about unknown
/// members are added. They are warnings, unless strict validation refuses an object that has any.
pub(crate) fn object(
    target: WriteTarget<'_>,
    validation: FieldValidation,
    object: &mut Value,
    problems: Vec<String>,
) -> Result<(), Failure> {
    let unknown = members(target.resource, Source::Json, object);
    let types = (&*target.resource.kind, &*target.resource.version);
    judge(target, validation, types, unknown, problems)
}

/// Decodes the scale of a body, as [`object`] does.
pub(crate) fn scale(
    target: WriteTarget<'_>,
    validation: FieldValidation,
    scale: &mut Value,
    problems: Vec<String>,
) -> Result<(), Failure> {
    let unknown = decoded(Shape::of_kind(scale::VERSION, "Scale"), Source::Json, scale);
    judge(target, validation, ("Scale", "v1"), unknown, problems)
}

/// Warns of problems, or fails with them.
fn judge(
    target: WriteTarget<'_>,
    validation: FieldValidation,
    types: (&str, &str),
    unknown: Result<Vec<String>, String>,
    mut problems: Vec<String>,
) -> Result<(), Failure> {
    let unknown = unknown.map_err(|problem| Failure::undecodable(types, &problem))?;
    problems.extend(unknown);
    match validation {
        FieldValidation::Ignore => Ok(()),
        FieldValidation::Strict if !problems.is_empty() => {
            let problems = problems.join(", ");
            Err(Failure::undecodable(types, &format!("strict decoding error: {problems}")))
        }
        FieldValidation::Strict | FieldValidation::Warn => {
            target.warn(problems);
            Ok(())
        }
    }
}
