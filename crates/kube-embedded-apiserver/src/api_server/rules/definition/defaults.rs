//! Defaults in a schema: each is valid, and has no unknown member.

use serde_json::Value;

use super::super::schema;
use crate::api_server::failure::Cause;

/// Returns the problems of all defaults of a structural schema.
pub(super) fn problems(schema: &Value, field: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    walk(schema, field, true, &mut causes);
    causes
}

fn walk(schema: &Value, field: &str, root: bool, causes: &mut Vec<Cause>) {
    let default = &schema["default"];
    if !default.is_null() {
        let field = format!("{field}.default");
        let mut pruned = default.clone();
        if !schema::prune_value(schema, root, &mut pruned).is_empty() {
            let problem = "must not have unknown fields";
            causes.push(Cause::invalid_raw(&field, &default.to_string(), problem));
        }
        causes.extend(schema::value_problems(&field, schema, default));
    }
    // Defaults inside of `additionalProperties` are forbidden elsewhere.
    if schema["items"].is_object() {
        walk(&schema["items"], &format!("{field}.items"), false, causes);
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        walk(property, &format!("{field}.properties[{name}]"), false, causes);
    }
}
