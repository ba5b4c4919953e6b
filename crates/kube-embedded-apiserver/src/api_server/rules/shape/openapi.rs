//! The schemas of types for clients: those of built-in kinds, from the table of their Go types, and
//! those of custom types, which their definitions hold.
//!
//! They have members, types, required members and the rules of ownership. There are no
//! descriptions of built-in types, and no values that a member may have.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::go_type;
use super::row::Elements;
use super::table::OBJECT_META;
use super::types::{Field, Many, TYPES, Type, Value as Row};
use crate::api_server::resource::ResourceType;

/// The place of schemas in a document.
const SCHEMAS: &str = "#/components/schemas/";
const QUANTITY: &str = "io.k8s.apimachinery.pkg.api.resource.Quantity";
const INT_OR_STRING: &str = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
/// The types whose values may be any JSON.
const ANY: &str = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON";
/// The packages of types that are not in `k8s.io/api`.
const PACKAGES: [(&str, &str); 3] = [
    ("meta/", "apimachinery.pkg.apis."),
    ("apiextensions/", "apiextensions-apiserver.pkg.apis."),
    ("apiregistration/", "kube-aggregator.pkg.apis."),
];

/// Returns the schemas of types, and of all that these refer to, by name.
pub(crate) fn schemas<'a>(types: impl Iterator<Item = &'a ResourceType>) -> Map<String, Value> {
    let mut schemas = Map::new();
    let either = |one: &str, other: &str| json!([{ "type": one }, { "type": other }]);
    schemas.insert(QUANTITY.into(), json!({ "oneOf": either("string", "number") }));
    let number_or_text = either("integer", "string");
    schemas.insert(
        INT_OR_STRING.into(),
        json!({ "format": "int-or-string", "oneOf": number_or_text }),
    );
    schemas.insert(ANY.into(), json!({ "description": "Any JSON." }));
    let mut wanted = vec![OBJECT_META];
    let mut kinds = Vec::new();
    for resource in types {
        match go_type(&resource.api_version(), &resource.kind).filter(|_| !resource.custom) {
            Some(go) => {
                kinds.push((name(go), kind(resource)));
                schemas.insert(name(go), object(go, &mut wanted));
            }
            None => {
                schemas.insert(custom_name(resource), custom(resource));
            }
        }
    }
    let mut known = BTreeSet::new();
    while let Some(number) = wanted.pop() {
        if let Some(go) = TYPES.get(usize::from(number)).filter(|_| known.insert(number)) {
            let schema = object(go, &mut wanted);
            schemas.entry(name(go)).or_insert(schema);
        }
    }
    for (name, kind) in kinds {
        schemas[&name]["x-kubernetes-group-version-kind"] = json!([kind]);
    }
    schemas
}

/// Returns the group, version and kind of a type.
pub(crate) fn kind(resource: &ResourceType) -> Value {
    json!({ "group": resource.group, "version": resource.version, "kind": resource.kind })
}

/// Returns the name of a schema: `io.k8s.api.core.v1.Pod`.
fn name(go: &Type) -> String {
    let package = PACKAGES.iter().find(|(prefix, _)| go.path.starts_with(prefix));
    let package = package.map_or("api.", |(_, package)| package);
    format!("io.k8s.{package}{}", go.path.replace('/', "."))
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("{SCHEMAS}{name}") })
}

fn object(go: &Type, wanted: &mut Vec<u16>) -> Value {
    let members = go.fields.iter().map(|field| (field.name.to_owned(), member(field, wanted)));
    let members: Map<String, Value> = members.collect();
    let mut schema = json!({ "type": "object", "properties": members });
    let required = go.fields.iter().filter(|field| field.required);
    let required: Vec<&str> = required.map(|field| field.name).collect();
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    schema
}

fn member(field: &Field, wanted: &mut Vec<u16>) -> Value {
    let one = value(field.value, wanted);
    match field.many {
        Many::One if field.atomic => {
            json!({ "allOf": [one], "x-kubernetes-map-type": "atomic" })
        }
        Many::One => one,
        Many::Map if field.atomic => json!({
            "type": "object", "additionalProperties": one, "x-kubernetes-map-type": "atomic",
        }),
        Many::Map => json!({ "type": "object", "additionalProperties": one }),
        Many::List => {
            let mut list = json!({ "type": "array", "items": one });
            list["x-kubernetes-list-type"] = match field.rules.elements {
                Elements::Whole => "atomic",
                Elements::Set => "set",
                Elements::Keyed(keys) => {
                    let keys: Vec<&str> = keys.iter().map(|(key, _)| *key).collect();
                    list["x-kubernetes-list-map-keys"] = keys.into();
                    "map"
                }
            }
            .into();
            list
        }
    }
}

fn value(row: Row, wanted: &mut Vec<u16>) -> Value {
    match row {
        Row::Text(_) => json!({ "type": "string" }),
        Row::Texts(_) => json!({ "type": "array", "items": { "type": "string" } }),
        Row::Int(_, bits) => json!({ "type": "integer", "format": format!("int{bits}") }),
        Row::Bool => json!({ "type": "boolean" }),
        Row::Float => json!({ "type": "number", "format": "double" }),
        Row::Bytes => json!({ "type": "string", "format": "byte" }),
        Row::Time | Row::MicroTime => json!({ "type": "string", "format": "date-time" }),
        Row::Quantity => reference(QUANTITY),
        Row::IntOrString => reference(INT_OR_STRING),
        Row::Raw("runtime.RawExtension" | "v1.FieldsV1") => json!({ "type": "object" }),
        Row::Raw(_) => reference(ANY),
        Row::Struct(number) => {
            wanted.push(number);
            of_type(number)
        }
    }
}

/// Returns a reference to a type of the table.
fn of_type(number: u16) -> Value {
    reference(&TYPES.get(usize::from(number)).map_or_else(|| ANY.to_owned(), name))
}

/// Returns the name of a custom type's schema: `com.example.v1.Widget`.
fn custom_name(resource: &ResourceType) -> String {
    let group: Vec<&str> = resource.group.rsplit('.').collect();
    format!("{}.{}.{}", group.join("."), resource.version, resource.kind)
}

fn custom(resource: &ResourceType) -> Value {
    let mut schema = match &resource.schema {
        Value::Object(_) => resource.schema.clone(),
        _ => json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true }),
    };
    let mut members = schema["properties"].as_object().cloned().unwrap_or_default();
    members.insert("metadata".into(), of_type(OBJECT_META));
    for member in ["apiVersion", "kind"] {
        members.entry(member).or_insert_with(|| json!({ "type": "string" }));
    }
    schema["properties"] = members.into();
    schema["x-kubernetes-group-version-kind"] = json!([kind(resource)]);
    schema
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api_server::rules::kinds;

    #[test]
    fn every_reference_of_built_in_types_leads_somewhere() {
        let types: Vec<ResourceType> = kinds::types().collect();
        let schemas = schemas(types.iter());
        let text = Value::Object(schemas.clone()).to_string();
        for (at, _) in text.match_indices(SCHEMAS) {
            let name = text[at + SCHEMAS.len()..].split('"').next().unwrap();
            assert!(schemas.contains_key(name), "{name}");
        }
        for kind in &types {
            let kind = json!([self::kind(kind)]);
            let of_kind = |schema: &Value| schema["x-kubernetes-group-version-kind"] == kind;
            assert_eq!(schemas.values().filter(|schema| of_kind(schema)).count(), 1, "{kind}");
        }
    }

    #[test]
    fn schemas_have_the_rules_of_go_types() {
        let types: Vec<ResourceType> = kinds::types().collect();
        let schemas = schemas(types.iter());
        let spec = &schemas["io.k8s.api.core.v1.PodSpec"];
        assert_eq!(spec["required"], json!(["containers"]));
        let containers = &spec["properties"]["containers"];
        assert_eq!(containers["x-kubernetes-list-type"], "map");
        assert_eq!(containers["x-kubernetes-list-map-keys"], json!(["name"]));
        assert_eq!(containers["items"], reference("io.k8s.api.core.v1.Container"));
        let replicas = &schemas["io.k8s.api.apps.v1.DeploymentSpec"]["properties"]["replicas"];
        assert_eq!(*replicas, json!({"type": "integer", "format": "int32"}));
    }
}
