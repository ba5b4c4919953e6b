//! The keywords of a schema: which ones are supported, and what each one needs.

use std::collections::HashSet;

use serde_json::Value;

use super::super::schema::flag;
use super::{defaults, rules, structural};
use crate::api_server::failure::Cause;

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// The keywords that no server supports, in the order of their problems.
const UNSUPPORTED: [&str; 6] =
    ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"];

/// The keywords at the root of a schema whose status is written separately, so that the status has
/// all of its rules in its own schema. Each with its name in messages.
const AT_ROOT: [(&str, &str); 22] = [
    ("description", "Description"),
    ("type", "Type"),
    ("format", "Format"),
    ("title", "Title"),
    ("maximum", "Maximum"),
    ("exclusiveMaximum", "ExclusiveMaximum"),
    ("minimum", "Minimum"),
    ("exclusiveMinimum", "ExclusiveMinimum"),
    ("maxLength", "MaxLength"),
    ("minLength", "MinLength"),
    ("pattern", "Pattern"),
    ("maxItems", "MaxItems"),
    ("minItems", "MinItems"),
    ("uniqueItems", "UniqueItems"),
    ("multipleOf", "MultipleOf"),
    ("required", "Required"),
    ("items", "Items"),
    ("properties", "Properties"),
    ("externalDocs", "ExternalDocs"),
    ("example", "Example"),
    ("x-kubernetes-preserve-unknown-fields", "XPreserveUnknownFields"),
    ("x-kubernetes-validations", "XValidations"),
];

/// Returns the problems of a schema.
pub(super) fn problems(
    before: Option<&Value>,
    schema: &Value,
    status: bool,
    field: &str,
) -> Vec<Cause> {
    if !schema.is_object() {
        return Vec::new();
    }
    let mut causes = Vec::new();
    if status {
        causes.extend(root_problem(schema, field));
    }
    if flag(schema, "nullable") {
        let field = format!("{field}.nullable");
        causes.push(Cause::forbidden(&field, "nullable cannot be true at the root"));
    }
    let mut compiles = !has_unsupported(schema);
    if compiles {
        let structural = structural::problems(schema, field);
        let found =
            if structural.is_empty() { defaults::problems(schema, field) } else { structural };
        compiles = found.is_empty();
        causes.extend(found);
    }
    let leniency = Leniency::of(before);
    let mut walk = Walk { causes: Vec::new(), rules: Vec::new(), leniency, compiles };
    walk.schema(schema, field, &Context { root: true, ..Context::default() });
    causes.extend(walk.causes);
    causes.extend(walk.rules);
    if causes.is_empty() {
        causes = defaults::rule_problems(schema, field);
    }
    causes
}

fn root_problem(schema: &Value, field: &str) -> Option<Cause> {
    let kind = schema["type"].as_str().unwrap_or_default();
    if !kind.is_empty() && kind != "object" {
        let problem = "only \"object\" is allowed as the type at the root of the schema if the \
                       status subresource is enabled";
        return Some(Cause::invalid(&format!("{field}.type"), kind, problem));
    }
    let empty = |value: &Value| match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    let given = schema.as_object()?.iter().filter(|(_, value)| !empty(value));
    let allowed = |name: &str| AT_ROOT.iter().any(|(known, _)| *known == name);
    given.into_iter().find(|(name, _)| !allowed(name)).map(|_| {
        let names: Vec<&str> = AT_ROOT.iter().map(|(_, name)| *name).collect();
        let problem = format!(
            "only [{}] fields are allowed at the root of the schema if the status subresource is \
             enabled",
            names.join(" ")
        );
        Cause::invalid_raw(field, &schema.to_string(), &problem)
    })
}

/// The checks that a change of a definition is spared, because it failed them before.
#[derive(Clone, Copy, Default)]
struct Leniency {
    types: bool,
    sets: bool,
    keys: bool,
}

impl Leniency {
    fn of(before: Option<&Value>) -> Self {
        let versions = before.map(|spec| &spec["versions"]).and_then(Value::as_array);
        let schemas = versions.into_iter().flatten().map(|v| &v["schema"]["openAPIV3Schema"]);
        let mut found = Self::default();
        for schema in schemas.filter(|schema| schema.is_object()) {
            found.types |= any(schema, &mut |schema| unknown_type(schema).is_some());
            found.sets |= any(schema, &mut |schema| loose_set(schema, "").is_some());
            found.keys |= any(schema, &mut |schema| !key_problems(schema, "").is_empty());
        }
        found
    }
}

/// The surroundings of a schema.
#[derive(Clone, Copy, Default)]
struct Context<'a> {
    root: bool,
    /// True inside of kind, apiVersion and metadata.
    in_metadata: bool,
    /// The reason for which defaults are forbidden.
    no_defaults: Option<&'a str>,
    /// True inside of a value without a type, which rules do not see.
    hidden: bool,
    /// The outermost list whose elements cannot be matched with those before a change.
    unmatched: Option<&'a str>,
}

struct Walk {
    causes: Vec<Cause>,
    /// The problems of expressions, which follow all others.
    rules: Vec<Cause>,
    leniency: Leniency,
    /// True if expressions are compiled.
    compiles: bool,
}

impl Walk {
    fn schema(&mut self, schema: &Value, field: &str, context: &Context<'_>) {
        if !schema.is_object() {
            return;
        }
        let before = self.causes.len();
        self.keywords(schema, field, context);
        if flag(schema, "uniqueItems") {
            let problem =
                "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
            self.causes.push(Cause::forbidden(&format!("{field}.uniqueItems"), problem));
        }
        self.children(schema, field, context);
        self.extensions(schema, field);
        self.causes.extend(rules::problems(schema, field));
        if self.compiles && self.causes.len() == before {
            let whole = context.root || flag(schema, "x-kubernetes-embedded-resource");
            let unmatched = context.unmatched;
            let typed = if context.hidden { &Value::Null } else { schema };
            let found = rules::compilation_problems(schema, typed, whole, unmatched, field);
            self.rules.extend(found);
        }
    }

    fn keywords(&mut self, schema: &Value, field: &str, context: &Context<'_>) {
        if let Some(kind) = unknown_type(schema).filter(|_| !self.leniency.types) {
            let supported = TYPES.map(|kind| format!("{kind:?}")).join(", ");
            self.causes.push(Cause::unsupported(&format!("{field}.type"), kind, &supported));
        }
        if let Some(reason) = context.no_defaults
            && !schema["default"].is_null()
        {
            let problem = format!("must not be set {reason}");
            self.causes.push(Cause::forbidden(&format!("{field}.default"), &problem));
        }
        for keyword in UNSUPPORTED.into_iter().filter(|keyword| is_given(schema, keyword)) {
            let problem = format!("{keyword} is not supported");
            self.causes.push(Cause::forbidden(&format!("{field}.{keyword}"), &problem));
        }
        if schema["type"] == "null" {
            let problem = "type cannot be set to null, use nullable as an alternative";
            self.causes.push(Cause::forbidden(&format!("{field}.type"), problem));
        }
        if schema["items"].as_array().is_some_and(|items| !items.is_empty()) {
            let problem = "items must be a schema object and not an array";
            self.causes.push(Cause::forbidden(&format!("{field}.items"), problem));
        }
        if context.in_metadata && flag(schema, "x-kubernetes-embedded-resource") {
            let field = format!("{field}.x-kubernetes-embedded-resource");
            let problem = "must not be used inside of resource meta";
            self.causes.push(Cause::forbidden(&field, problem));
        }
    }

    fn children(&mut self, schema: &Value, field: &str, context: &Context<'_>) {
        let untyped = schema["type"].is_null() && !flag(schema, "x-kubernetes-int-or-string");
        let inner = Context { root: false, hidden: context.hidden || untyped, ..*context };
        let additional = &schema["additionalProperties"];
        let properties = schema["properties"].as_object().filter(|all| !all.is_empty());
        let unkeyed = Some(field).filter(|_| schema["x-kubernetes-list-type"] != "map");
        let of_element = Context { unmatched: inner.unmatched.or(unkeyed), ..inner };
        if !additional.is_null() {
            let field = format!("{field}.additionalProperties");
            if properties.is_some() && *additional != true {
                let problem = "additionalProperties and properties are mutual exclusive";
                self.causes.push(Cause::forbidden(&field, problem));
            }
            let reason = "inside additionalProperties applying to object metadata";
            let no_defaults = Some(reason).filter(|_| context.in_metadata).or(inner.no_defaults);
            self.schema(additional, &field, &Context { no_defaults, ..inner });
        }
        for (name, property) in properties.into_iter().flatten() {
            let field = format!("{field}.properties[{name}]");
            let whole = context.root || flag(schema, "x-kubernetes-embedded-resource");
            if whole && matches!(&**name, "metadata" | "kind" | "apiVersion") {
                let reason = format!("in top-level {name}");
                let no_defaults = Some(&*reason).filter(|_| context.root).or(inner.no_defaults);
                let inner = Context { in_metadata: true, no_defaults, ..inner };
                self.schema(property, &field, &inner);
            } else {
                self.schema(property, &field, &inner);
            }
        }
        self.schema(&schema["not"], &format!("{field}.not"), &inner);
        for combination in ["allOf", "oneOf", "anyOf"] {
            let parts = schema[combination].as_array().into_iter().flatten();
            for (n, part) in parts.enumerate() {
                self.schema(part, &format!("{field}.{combination}[{n}]"), &inner);
            }
        }
        for (name, definition) in schema["definitions"].as_object().into_iter().flatten() {
            self.schema(definition, &format!("{field}.definitions[{name}]"), &inner);
        }
        self.schema(&schema["items"], &format!("{field}.items"), &of_element);
        for (n, item) in schema["items"].as_array().into_iter().flatten().enumerate() {
            self.schema(item, &format!("{field}.items[{n}]"), &of_element);
        }
        for (name, dependency) in schema["dependencies"].as_object().into_iter().flatten() {
            self.schema(dependency, &format!("{field}.dependencies[{name}]"), &inner);
        }
    }

    /// Checks the keywords of Kubernetes.
    fn extensions(&mut self, schema: &Value, field: &str) {
        let causes = &mut self.causes;
        let type_field = format!("{field}.type");
        let kind = schema["type"].as_str().unwrap_or_default();
        let wrong_type = |problem: &str| match kind {
            "" => Cause::required(&type_field, problem),
            kind => Cause::invalid(&type_field, kind, problem),
        };
        if schema["x-kubernetes-preserve-unknown-fields"] == false {
            let field = format!("{field}.x-kubernetes-preserve-unknown-fields");
            causes.push(Cause::invalid_raw(&field, "false", "must be true or undefined"));
        }
        if let Some(map_type) = schema["x-kubernetes-map-type"].as_str() {
            if kind != "object" {
                let problem = "must be object if x-kubernetes-map-type is specified";
                causes.push(wrong_type(problem));
            }
            if !matches!(map_type, "atomic" | "granular") {
                let field = format!("{field}.x-kubernetes-map-type");
                causes.push(Cause::unsupported(&field, map_type, "\"atomic\", \"granular\""));
            }
        }
        let list_type = schema["x-kubernetes-list-type"].as_str();
        if let Some(list_type) = list_type {
            if kind != "array" {
                let problem = "must be array if x-kubernetes-list-type is specified";
                causes.push(wrong_type(problem));
            } else if !self.leniency.sets {
                causes.extend(loose_set(schema, field));
            }
            if !matches!(list_type, "atomic" | "set" | "map") {
                let field = format!("{field}.x-kubernetes-list-type");
                causes.push(Cause::unsupported(&field, list_type, "\"atomic\", \"set\", \"map\""));
            }
        }
        let keys = schema["x-kubernetes-list-map-keys"].as_array();
        let keys = keys.map_or(&[][..], Vec::as_slice);
        if !keys.is_empty() && list_type != Some("map") {
            let field = format!("{field}.x-kubernetes-list-type");
            let problem = "must be map if x-kubernetes-list-map-keys is non-empty";
            causes.push(match list_type {
                None => Cause::required(&field, problem),
                Some(list_type) => Cause::invalid(&field, list_type, problem),
            });
        }
        if list_type == Some("map") {
            causes.extend(keyed_list_problems(schema, keys, field));
        }
        if !self.leniency.keys {
            causes.extend(key_problems(schema, field));
        }
    }
}

fn keyed_list_problems(schema: &Value, keys: &[Value], field: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    let keys_field = format!("{field}.x-kubernetes-list-map-keys");
    if keys.is_empty() {
        let problem = "must not be empty if x-kubernetes-list-type is map";
        causes.push(Cause::required(&keys_field, problem));
    }
    let items = &schema["items"];
    let field = format!("{field}.items");
    match items {
        Value::Null => {
            let problem = "must have a schema if x-kubernetes-list-type is map";
            causes.push(Cause::required(&field, problem));
        }
        Value::Object(_) => {}
        other => {
            let problem = "must only have a single schema if x-kubernetes-list-type is map";
            causes.push(Cause::invalid_raw(&field, &other.to_string(), problem));
        }
    }
    if !items.is_object() {
        return causes;
    }
    let kind = items["type"].as_str().unwrap_or_default();
    if kind != "object" {
        let problem = "must be object if parent array's x-kubernetes-list-type is map";
        causes.push(Cause::invalid(&format!("{field}.type"), kind, problem));
        return causes;
    }
    let shown = Value::from(keys.to_vec()).to_string();
    let mut seen = HashSet::new();
    for key in keys.iter().filter_map(Value::as_str) {
        let property = &items["properties"][key];
        if !property.is_object() {
            let problem = "entries must all be names of item properties";
            causes.push(Cause::invalid_raw(&keys_field, &shown, problem));
        } else if matches!(property["type"].as_str(), Some("array" | "object")) {
            let field = format!("{field}.properties[{key}].type");
            let problem = "must be a scalar type if parent array's x-kubernetes-list-type is map";
            // The type in the message is that of the elements, as on a real server.
            causes.push(Cause::invalid(&field, kind, problem));
        }
        if !seen.insert(key) {
            let problem = "must not contain duplicate entries";
            causes.push(Cause::invalid_raw(&keys_field, &shown, problem));
        }
    }
    causes
}

/// Returns the problem of a set whose elements are merged member by member.
fn loose_set(schema: &Value, field: &str) -> Option<Cause> {
    let items = &schema["items"];
    if schema["x-kubernetes-list-type"] != "set" || !items.is_object() {
        return None;
    }
    let keyword = match items["type"].as_str() {
        Some("array") => "x-kubernetes-list-type",
        Some("object") => "x-kubernetes-map-type",
        _ => return None,
    };
    let loose = match items[keyword].as_str() {
        None => keyword == "x-kubernetes-map-type",
        Some(kind) => kind != "atomic",
    };
    // The value in the message is the list type, whatever the keyword.
    let shown = items["x-kubernetes-list-type"].to_string();
    let problem = "must be atomic as item of a list with x-kubernetes-list-type=set";
    loose.then(|| Cause::invalid_raw(&format!("{field}.items.{keyword}"), &shown, problem))
}

/// Returns the problems of the keys of a list, and of elements that may be null.
fn key_problems(schema: &Value, field: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    let items = &schema["items"];
    let list_type = schema["x-kubernetes-list-type"].as_str().unwrap_or_default();
    if !items.is_object() || !matches!(list_type, "set" | "map") {
        return causes;
    }
    let field = format!("{field}.items");
    if flag(items, "nullable") {
        let problem = format!("cannot be nullable when x-kubernetes-list-type is {list_type}");
        causes.push(Cause::forbidden(&format!("{field}.nullable"), &problem));
    }
    if list_type != "map" {
        return causes;
    }
    let required = items["required"].as_array().map_or(&[][..], Vec::as_slice);
    let keys = schema["x-kubernetes-list-map-keys"].as_array().into_iter().flatten();
    for key in keys.filter_map(Value::as_str) {
        let property = &items["properties"][key];
        if !property.is_object() {
            continue;
        }
        let field = format!("{field}.properties[{key}]");
        if property["default"].is_null() && !required.iter().any(|name| name == key) {
            let problem = "this property is in x-kubernetes-list-map-keys, so it must have a \
                           default or be a required property";
            causes.push(Cause::required(&format!("{field}.default"), problem));
        }
        if flag(property, "nullable") {
            let problem =
                "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
            causes.push(Cause::forbidden(&format!("{field}.nullable"), problem));
        }
    }
    causes
}

fn unknown_type(schema: &Value) -> Option<&str> {
    schema["type"].as_str().filter(|kind| !kind.is_empty() && !TYPES.contains(kind))
}

fn is_given(schema: &Value, keyword: &str) -> bool {
    match &schema[keyword] {
        Value::Null => false,
        Value::String(text) => !text.is_empty() || keyword == "$ref",
        Value::Object(members) => !members.is_empty() || keyword == "dependencies",
        _ => true,
    }
}

/// Returns whether a schema has a keyword that prevents all further checks of its structure.
fn has_unsupported(schema: &Value) -> bool {
    any(schema, &mut |schema| {
        UNSUPPORTED.iter().any(|keyword| is_given(schema, keyword))
            || schema["items"].as_array().is_some_and(|items| !items.is_empty())
    })
}

pub(super) fn has_defaults(schema: &Value) -> bool {
    any(schema, &mut |schema| !schema["default"].is_null())
}

/// Returns whether a schema or one inside of it has a property.
pub(super) fn any(schema: &Value, is: &mut impl FnMut(&Value) -> bool) -> bool {
    if !schema.is_object() {
        return false;
    }
    if is(schema) {
        return true;
    }
    if any(&schema["items"], is)
        || ["items", "allOf", "anyOf", "oneOf"].iter().any(|keyword| {
            schema[*keyword].as_array().into_iter().flatten().any(|schema| any(schema, is))
        })
        || any(&schema["not"], is)
        || any(&schema["additionalProperties"], is)
        || any(&schema["additionalItems"], is)
    {
        return true;
    }
    ["properties", "patternProperties", "definitions", "dependencies"].iter().any(|keyword| {
        schema[*keyword].as_object().into_iter().flatten().any(|(_, schema)| any(schema, is))
    })
}
