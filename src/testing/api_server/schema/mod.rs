//! What a definition's schema makes of its objects: unknown fields go, absent ones get their default,
//! and what does not fit is refused with every cause.
//!
//! Types, properties, items, enumerations and limits are applied as a real server applies them, to
//! what changed of an object and to nothing else. Patterns, formats, combinations (`allOf`, `anyOf`,
//! `oneOf`, `not`) and rules (`x-kubernetes-validations`) are not: whatever they say, it fits.

mod defaults;
mod prune;
mod validate;

use serde_json::Value;

use super::resource::ResourceType;
use super::status::Cause;
use super::writing::Part;

/// Takes out of an object what its schema does not know, and says of each what it was.
pub(super) fn prune(resource: &ResourceType, object: &mut Value) -> Vec<String> {
    let unknown = unknown(resource, object).into_iter();
    unknown.map(|path| format!("unknown field {path:?}")).collect()
}

/// Takes out of an object what its schema does not know; gives the paths of that, in their order.
pub(super) fn unknown(resource: &ResourceType, object: &mut Value) -> Vec<String> {
    if resource.schema.is_null() { Vec::new() } else { prune::object(&resource.schema, object) }
}

/// Makes an object what a real server stores: pruned, and with its defaults.
pub(super) fn complete(resource: &ResourceType, object: &mut Value) {
    if !resource.schema.is_null() {
        prune::object(&resource.schema, object);
        defaults::apply(&resource.schema, object);
    }
}

/// What is wrong with the part of an object that is written. What it has been before may stay.
pub(super) fn problems(
    resource: &ResourceType,
    part: Part,
    before: Option<&Value>,
    object: &Value,
) -> Vec<Cause> {
    match part {
        _ if resource.schema.is_null() => Vec::new(),
        Part::Status => validate::problems(
            "status",
            &resource.schema["properties"]["status"],
            before.map(|before| &before["status"]),
            &object["status"],
        ),
        _ => validate::problems("", &resource.schema, before, object),
    }
}

/// The schema of a member of an object; null where it has none.
fn member<'a>(schema: &'a Value, name: &str) -> &'a Value {
    let declared = &schema["properties"][name];
    if declared.is_null() { &schema["additionalProperties"] } else { declared }
}

fn flag(schema: &Value, name: &str) -> bool {
    schema[name] == true
}
