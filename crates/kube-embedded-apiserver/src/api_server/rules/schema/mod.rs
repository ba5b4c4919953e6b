//! The effect of a definition's schema on its objects: unknown fields are removed, absent ones get
//! their default, and invalid ones are refused with every cause.
//!
//! A part that a write does not change is not refused, so that a tightened schema does not lock out
//! existing objects.

pub(crate) mod cel;
mod check;
mod defaults;
mod embedded;
pub(crate) mod formats;
mod list_types;
mod numbers;
pub(crate) mod paths;
pub(crate) mod pattern;
mod prune;
mod scale;
mod unchanged;
mod written;

use std::sync::Arc;

use serde_json::Value;

pub(crate) use self::written::Written;
use crate::api_server::failure::Cause;
use crate::api_server::resource::ResourceType;

/// Removes unknown fields from an object, and returns a message for each.
pub(crate) fn prune(resource: &ResourceType, object: &mut Value) -> Vec<String> {
    let unknown = unknown(resource, object).into_iter();
    unknown.map(|path| format!("unknown field {path:?}")).collect()
}

/// Removes unknown fields from an object, and returns their paths in order.
pub(crate) fn unknown(resource: &ResourceType, object: &mut Value) -> Vec<String> {
    if resource.schema.is_null() { Vec::new() } else { prune::object(&resource.schema, object) }
}

/// Removes unknown fields from a value, and returns their paths in order. `whole` is true for an
/// object of the API.
pub(crate) fn prune_value(schema: &Value, whole: bool, value: &mut Value) -> Vec<String> {
    prune::value(schema, whole, value)
}

/// Returns the first problem of an embedded object that a server cannot decode.
pub(crate) fn undecodable(resource: &ResourceType, object: &Value) -> Option<String> {
    embedded::undecodable(&resource.schema, object).map(|cause| cause.to_string())
}

/// Converts an object into its stored form: pruned, and with defaults. In one that is `applied`,
/// nulls that the schema does not allow stay, because a server drops them when it reads an object,
/// and applied fields are no object.
pub(crate) fn complete(resource: &ResourceType, applied: bool, object: &mut Value) {
    if resource.schema.is_null() {
        return;
    }
    prune::object(&resource.schema, object);
    if applied {
        defaults::apply(&resource.schema, object);
    } else {
        add_defaults(&resource.schema, object);
    }
}

/// Removes nulls that the schema does not allow, and for which it has no default.
pub(crate) fn drop_nulls(resource: &ResourceType, object: &mut Value) {
    if !resource.schema.is_null() {
        defaults::drop_nulls(&resource.schema, object);
    }
}

/// Removes nulls that a schema does not allow, and adds its defaults.
pub(crate) fn add_defaults(schema: &Value, object: &mut Value) {
    defaults::drop_nulls(schema, object);
    defaults::apply(schema, object);
}

/// Removes what the version in which objects are stored does not know.
pub(crate) fn convert_to_storage(resource: &ResourceType, object: &mut Value) {
    if let Some(schema) = &resource.storage_schema {
        prune::object(schema, object);
    }
}

/// Returns the object in the versions whose form differs from the stored one. Defaults come from
/// the version in which objects are stored.
pub(crate) fn views(versions: &[Arc<ResourceType>], stored: &Value) -> Vec<(String, Value)> {
    let mut views = Vec::new();
    for resource in versions.iter().filter(|resource| !resource.schema.is_null()) {
        let mut view = stored.clone();
        let storage = resource.storage_schema.as_deref().unwrap_or(&resource.schema);
        add_defaults(storage, &mut view);
        prune::object(&resource.schema, &mut view);
        if view != *stored {
            views.push((resource.version.clone(), view));
        }
    }
    views
}

/// Returns the problems of an object, or only of its status if that is what was written.
pub(crate) fn problems(
    resource: &ResourceType,
    status_only: bool,
    before: Option<&Value>,
    object: &Value,
) -> Vec<Cause> {
    let schema = &resource.schema;
    if schema.is_null() {
        return Vec::new();
    }
    let mut causes = Vec::new();
    if !status_only {
        causes.extend(check::problems("", schema, before, object));
    } else if !object["status"].is_null() {
        let (schema, before) = (&schema["properties"]["status"], before.map(|b| &b["status"]));
        causes.extend(check::problems("status", schema, before, &object["status"]));
    }
    causes.extend(scale::problems(resource, status_only, object));
    if !status_only {
        causes.extend(embedded::problems(schema, object));
    }
    // An object whose lists were invalid before may keep them.
    if before.is_none_or(|before| list_types::problems(schema, before).is_empty()) {
        causes.extend(list_types::problems(schema, object));
    }
    if cel::has_rules(schema) {
        if causes.iter().any(Cause::prevents_rules) {
            let problem = "some validation rules were not checked because the object was invalid; \
                           correct the existing errors to complete validation";
            causes.push(Cause::invalid_raw(check::NO_FIELD, "null", problem));
        } else {
            causes.extend(cel::problems(schema, before, object));
        }
    }
    causes
}

/// Returns the text of a rule that would judge an object and that this server does not implement.
pub(crate) fn unimplemented(
    resource: &ResourceType,
    before: Option<&Value>,
    object: &Value,
) -> Option<String> {
    cel::unimplemented(&resource.schema, before, object)
}

/// Returns the problems of a value by itself, such as a default.
pub(crate) fn value_problems(field: &str, schema: &Value, value: &Value) -> Vec<Cause> {
    check::problems(field, schema, None, value)
}

/// Returns the problems that the rules of a schema have with a value by itself, which rules about a
/// change see as the former value, too. `whole` is true for an object of the API.
pub(crate) fn value_rule_problems(
    field: &str,
    schema: &Value,
    whole: bool,
    value: &Value,
) -> Vec<Cause> {
    let whole = whole || flag(schema, "x-kubernetes-embedded-resource");
    if cel::has_rules(schema) {
        cel::value_problems(field, schema, whole, value)
    } else {
        Vec::new()
    }
}

/// Returns the problems of a rule of a schema when its definition is written. `unmatched` is the
/// list or object around the schema whose parts cannot be matched with those before a change.
pub(crate) fn rule_problems(
    rule: &Value,
    schema: &Value,
    whole: bool,
    unmatched: Option<&str>,
    field: &str,
) -> Vec<Cause> {
    let mut causes = cel::check(rule, schema, whole, field);
    if let Some(unmatched) = unmatched.filter(|_| causes.is_empty() && cel::uses_old(rule)) {
        let source = rule["rule"].as_str().unwrap_or_default();
        let problem = format!(
            "oldSelf cannot be used on the uncorrelatable portion of the schema within {unmatched}"
        );
        causes.push(Cause::invalid(&format!("{field}.rule"), source, &problem));
    }
    causes
}

/// Returns the schema of a member of an object; null if there is none.
fn member<'a>(schema: &'a Value, name: &str) -> &'a Value {
    let declared = &schema["properties"][name];
    if declared.is_null() { &schema["additionalProperties"] } else { declared }
}

pub(crate) fn flag(schema: &Value, name: &str) -> bool {
    schema[name] == true
}
