//! Structural schemas: each value has a type outside of `allOf`, `anyOf`, `oneOf` and `not`, so
//! that pruning and defaulting know it.

use serde_json::{Value, json};

use super::super::schema::{flag, pattern};
use crate::api_server::failure::Cause;

/// The position of a schema, which decides the words of problems.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// The keywords that combine schemas. Schemas inside of them only restrict values.
const COMBINATIONS: [&str; 3] = ["anyOf", "allOf", "oneOf"];

/// The keywords that must not be inside of a combination, and the words for each.
const ONLY_STRUCTURAL: &[(&str, &str)] = &[
    ("type", "must be empty to be structural"),
    ("additionalProperties", "must be undefined to be structural"),
    ("default", "must be undefined to be structural"),
    ("title", "must be empty to be structural"),
    ("description", "must be empty to be structural"),
    ("nullable", "must be false to be structural"),
    ("x-kubernetes-preserve-unknown-fields", "must be false to be structural"),
    ("x-kubernetes-embedded-resource", "must be false to be structural"),
    ("x-kubernetes-int-or-string", "must be false to be structural"),
    ("x-kubernetes-list-map-keys", "must be empty to be structural"),
    ("x-kubernetes-list-type", "must be undefined to be structural"),
    ("x-kubernetes-map-type", "must be undefined to be structural"),
    ("x-kubernetes-validations", "must be empty to be structural"),
];

/// Returns the problems of a whole schema, in the order of their texts.
pub(super) fn problems(schema: &Value, field: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    invariants(schema, Level::Root, field, &mut causes);
    completeness(schema, schema, field, field, &mut causes);
    causes.sort_by_cached_key(Cause::to_string);
    causes
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn elements(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(schema: &'a Value, name: &str) -> &'a str {
    schema[name].as_str().unwrap_or_default()
}

fn invariants(schema: &Value, level: Level, field: &str, causes: &mut Vec<Cause>) {
    let kind = text(schema, "type");
    let embedded = flag(schema, "x-kubernetes-embedded-resource");
    let keeps_unknown = flag(schema, "x-kubernetes-preserve-unknown-fields");
    let int_or_string = flag(schema, "x-kubernetes-int-or-string");
    let items = &schema["items"];
    if kind == "array" && items.is_null() {
        causes.push(Cause::required(&format!("{field}.items"), "must be specified"));
    }
    if items.is_object() {
        invariants(items, Level::Item, &format!("{field}.items"), causes);
    }
    for (name, property) in members(&schema["properties"]) {
        invariants(property, Level::Field, &format!("{field}.properties[{name}]"), causes);
    }
    let additional = &schema["additionalProperties"];
    let additional_field = format!("{field}.additionalProperties");
    if !additional.is_null() {
        if level == Level::Root {
            causes.push(Cause::forbidden(&additional_field, "must not be used at the root"));
        }
        if additional.is_object() {
            invariants(additional, Level::Field, &additional_field, causes);
        }
    }
    if int_or_string {
        for name in ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] {
            if flag(schema, name) {
                let problem = "must be false if x-kubernetes-int-or-string is true";
                causes.push(Cause::invalid_raw(&format!("{field}.{name}"), "true", problem));
            }
        }
    }
    restrictions(schema, Exception::of(schema), field, causes);
    let type_field = format!("{field}.type");
    if embedded && kind != "object" {
        let problem = "must be object if x-kubernetes-embedded-resource is true";
        causes.push(match kind {
            "" => Cause::required(&type_field, problem),
            kind => Cause::invalid(&type_field, kind, problem),
        });
    } else if kind.is_empty() && !int_or_string && !keeps_unknown {
        let whose = match level {
            Level::Root => "at the root",
            Level::Item => "for specified array items",
            Level::Field => "for specified object fields",
        };
        causes.push(Cause::required(&type_field, &format!("must not be empty {whose}")));
    }
    if embedded && !additional.is_null() {
        let problem = "must not be used if x-kubernetes-embedded-resource is set";
        causes.push(Cause::forbidden(&additional_field, problem));
    }
    if level == Level::Root && !kind.is_empty() && kind != "object" {
        causes.push(Cause::invalid(&type_field, kind, "must be object at the root"));
    }
    metadata(schema, level, embedded, field, causes);
    if embedded && !keeps_unknown && members(&schema["properties"]).next().is_none() {
        let problem = "must not be empty if x-kubernetes-embedded-resource is true without \
                       x-kubernetes-preserve-unknown-fields";
        causes.push(Cause::required(&format!("{field}.properties"), problem));
    }
}

/// Checks what a schema says about kind, apiVersion and metadata.
fn metadata(schema: &Value, level: Level, embedded: bool, field: &str, causes: &mut Vec<Cause>) {
    let whole = level == Level::Root || embedded;
    let properties = &schema["properties"];
    for name in ["kind", "apiVersion"] {
        let found = &properties[name];
        if whole && found.is_object() && text(found, "type") != "string" {
            let field = format!("{field}.properties[{name}].type");
            causes.push(Cause::invalid(&field, text(found, "type"), "must be string"));
        }
    }
    let metadata = &properties["metadata"];
    if !metadata.is_object() {
        return;
    }
    let field = format!("{field}.properties[metadata]");
    if whole && text(metadata, "type") != "object" {
        let field = format!("{field}.type");
        causes.push(Cause::invalid(&field, text(metadata, "type"), "must be object"));
    }
    let named = |name: &str| matches!(name, "name" | "generateName");
    let names_only = members(&metadata["properties"]).all(|(name, _)| named(name));
    let known = |(name, value): (&String, &Value)| match &**name {
        "type" | "default" => true,
        "properties" => names_only,
        _ => value.is_null() || *value == false || *value == "",
    };
    if level == Level::Root && !members(metadata).all(known) {
        let problem = "must not specify anything other than name and generateName, but metadata \
                       is implicitly specified";
        causes.push(Cause::forbidden(&field, problem));
    }
}

/// The alternatives of types that are allowed beside `x-kubernetes-int-or-string`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Exception {
    None,
    AnyOf,
    AnyOfInFirstAllOf,
}

impl Exception {
    fn of(schema: &Value) -> Self {
        let alternatives = json!([{ "type": "integer" }, { "type": "string" }]);
        if schema["anyOf"] == alternatives {
            Self::AnyOf
        } else if schema["allOf"][0]["anyOf"] == alternatives {
            Self::AnyOfInFirstAllOf
        } else {
            Self::None
        }
    }
}

/// Checks the combinations and the pattern of a schema.
fn restrictions(schema: &Value, exception: Exception, field: &str, causes: &mut Vec<Cause>) {
    for combination in COMBINATIONS {
        if combination == "anyOf" && exception == Exception::AnyOf {
            continue;
        }
        for (n, part) in elements(&schema[combination]).iter().enumerate() {
            let first = combination == "allOf" && n == 0;
            let inner = match exception {
                Exception::AnyOfInFirstAllOf if first => Exception::AnyOf,
                _ => Exception::None,
            };
            nested(part, inner, &format!("{field}.{combination}[{n}]"), causes);
        }
    }
    if schema["not"].is_object() {
        nested(&schema["not"], Exception::None, &format!("{field}.not"), causes);
    }
    let pattern = text(schema, "pattern");
    if let Some(problem) = pattern::compile(pattern).err() {
        let problem = format!("must be a valid regular expression, but isn't: {problem}");
        causes.push(Cause::invalid(&format!("{field}.pattern"), pattern, &problem));
    }
}

/// Checks a schema inside of a combination.
fn nested(schema: &Value, exception: Exception, field: &str, causes: &mut Vec<Cause>) {
    restrictions(schema, exception, field, causes);
    if schema["items"].is_object() {
        nested(&schema["items"], Exception::None, &format!("{field}.items"), causes);
    }
    for (name, property) in members(&schema["properties"]) {
        nested(property, Exception::None, &format!("{field}.properties[{name}]"), causes);
    }
    for (keyword, problem) in ONLY_STRUCTURAL {
        let value = &schema[*keyword];
        let absent = value.is_null()
            || *value == false && *keyword != "additionalProperties"
            || *value == ""
            || (value.as_array().is_some_and(Vec::is_empty) && *keyword != "default");
        if !absent {
            causes.push(Cause::forbidden(&format!("{field}.{keyword}"), problem));
        }
    }
    if !schema["properties"]["metadata"].is_null() {
        let problem = "must not be specified in a nested context";
        causes.push(Cause::forbidden(&format!("{field}.properties[metadata]"), problem));
    }
}

/// Checks that what the combinations at the root restrict is declared outside of them.
fn completeness(
    restricting: &Value,
    schema: &Value,
    field: &str,
    inner: &str,
    causes: &mut Vec<Cause>,
) {
    if restricting["not"].is_object() {
        declared(&restricting["not"], schema, field, &format!("{inner}.not"), causes);
    }
    for combination in ["allOf", "anyOf", "oneOf"] {
        for (n, part) in elements(&restricting[combination]).iter().enumerate() {
            declared(part, schema, field, &format!("{inner}.{combination}[{n}]"), causes);
        }
    }
}

fn declared(
    restricting: &Value,
    schema: &Value,
    field: &str,
    inner: &str,
    causes: &mut Vec<Cause>,
) {
    let mut below = |restricting: &Value, schema: &Value, field: &str, inner: &str| {
        if schema.is_object() {
            declared(restricting, schema, field, inner, causes);
        } else {
            causes.push(Cause::required(field, &format!("because it is defined in {inner}")));
        }
    };
    if restricting["items"].is_object() {
        let (field, inner) = (format!("{field}.items"), format!("{inner}.items"));
        below(&restricting["items"], &schema["items"], &field, &inner);
    }
    for (name, property) in members(&restricting["properties"]) {
        let step = format!(".properties[{name}]");
        let (field, inner) = (format!("{field}{step}"), format!("{inner}{step}"));
        below(property, &schema["properties"][name], &field, &inner);
    }
    completeness(restricting, schema, field, inner, causes);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(schema: &Value) -> Vec<String> {
        problems(schema, "s").iter().map(Cause::to_string).collect()
    }

    #[test]
    fn int_or_string_may_name_both_types() {
        let both = json!([{ "type": "integer" }, { "type": "string" }]);
        for property in [
            json!({"x-kubernetes-int-or-string": true, "anyOf": both}),
            json!({"x-kubernetes-int-or-string": true,
                   "allOf": [{"anyOf": both}, {"pattern": "^a"}]}),
        ] {
            let schema = json!({"type": "object", "properties": {"x": property}});
            assert_eq!(told(&schema), [""; 0]);
        }
    }

    #[test]
    fn restricted_members_of_the_root_are_declared() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}},
                            "anyOf": [{"properties": {"b": {"minLength": 1}}}]});
        let expected = "s.properties[b]: Required value: because it is defined in \
                        s.anyOf[0].properties[b]";
        assert_eq!(told(&schema), [expected]);
    }
}
