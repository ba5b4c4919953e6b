//! The effect of a definition's schema on its objects: unknown fields are removed, absent ones get
//! their default, and invalid ones are refused with every cause.
//!
//! Types, properties, items, enumerations and limits apply as on a real server, and only to the
//! changed part of an object. Patterns, formats, combinations (`allOf`, `anyOf`, `oneOf`, `not`)
//! and rules (`x-kubernetes-validations`) are not checked.

mod defaults;
mod prune;
mod validate;

use serde_json::Value;

use crate::testing::api_server::failure::Cause;
use crate::testing::api_server::resource::ResourceType;

/// Removes unknown fields from an object, and returns a message for each.
pub(crate) fn prune(resource: &ResourceType, object: &mut Value) -> Vec<String> {
    let unknown = unknown(resource, object).into_iter();
    unknown.map(|path| format!("unknown field {path:?}")).collect()
}

/// Removes unknown fields from an object, and returns their paths in order.
pub(crate) fn unknown(resource: &ResourceType, object: &mut Value) -> Vec<String> {
    if resource.schema.is_null() { Vec::new() } else { prune::object(&resource.schema, object) }
}

/// Converts an object into its stored form: pruned, and with defaults.
pub(crate) fn complete(resource: &ResourceType, object: &mut Value) {
    if !resource.schema.is_null() {
        prune::object(&resource.schema, object);
        defaults::apply(&resource.schema, object);
    }
}

/// Returns the problems of the written part of an object. Unchanged parts are not checked.
pub(crate) fn problems(
    resource: &ResourceType,
    status_only: bool,
    before: Option<&Value>,
    object: &Value,
) -> Vec<Cause> {
    match status_only {
        _ if resource.schema.is_null() => Vec::new(),
        true => validate::problems(
            "status",
            &resource.schema["properties"]["status"],
            before.map(|before| &before["status"]),
            &object["status"],
        ),
        false => validate::problems("", &resource.schema, before, object),
    }
}

/// Returns the schema of a member of an object; null if there is none.
fn member<'a>(schema: &'a Value, name: &str) -> &'a Value {
    let declared = &schema["properties"][name];
    if declared.is_null() { &schema["additionalProperties"] } else { declared }
}

fn flag(schema: &Value, name: &str) -> bool {
    schema[name] == true
}
