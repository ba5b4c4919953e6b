//! Definitions of custom types: their rules, their defaults, and the types that they declare.
//!
//! A server checks definitions in a form in which parts that all versions have in common belong to
//! the whole definition. The fields of problems follow: `spec.validation.openAPIV3Schema` names the
//! schema of all versions, and `spec.versions[1].schema.openAPIV3Schema` one of several schemas.

mod common;
pub(crate) mod conflicts;
mod defaults;
mod group;
mod names;
mod rules;
mod schema;
mod status;
mod structural;
mod types;
mod versions;

use serde_json::{Value, json};

use self::common::Common;
pub(crate) use self::status::{CLEANUP, begin_deletion, condition};
pub(crate) use self::types::types;
use super::schema::formats;
use crate::api_server::failure::Cause;
use crate::api_server::resource::ResourceType;

/// Returns whether the objects of a type are definitions.
pub(crate) fn is_definition(resource: &ResourceType) -> bool {
    resource.group == "apiextensions.k8s.io" && resource.plural == "customresourcedefinitions"
}

/// Returns the problems of a new definition, or of a change of one, behind those of its metadata.
/// Objects of other types have none.
pub(crate) fn problems(
    resource: &ResourceType,
    status_only: bool,
    before: Option<&Value>,
    definition: &Value,
) -> Vec<Cause> {
    if !is_definition(resource) {
        Vec::new()
    } else if status_only {
        names::problems(&definition["status"]["acceptedNames"], "status.acceptedNames")
    } else {
        whole_problems(before, definition)
    }
}

fn whole_problems(before: Option<&Value>, definition: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    if before.is_none() {
        causes.extend(name_problem(definition));
    }
    let (spec, status) = (&definition["spec"], &definition["status"]);
    let common = Common::of(spec);
    causes.extend(group::problems(spec));
    causes.extend(versions::missing_schemas(spec, &common));
    if spec["preserveUnknownFields"] == true && common.schemas(spec).any(schema::has_defaults) {
        let problem = "must be false in order to use defaults in the schema";
        causes.push(Cause::invalid_raw("spec.preserveUnknownFields", "true", problem));
    }
    causes.extend(versions::problems(before.map(|before| &before["spec"]), spec, &common));
    causes.extend(versions::conversion_problems(spec));
    if let Some(before) = before {
        causes.extend(names::changes(before, spec));
    }
    causes.extend(names::problems(&status["acceptedNames"], "status.acceptedNames"));
    causes.extend(versions::stored_problems(spec, &status["storedVersions"]));
    causes.extend(group::approval_problem(before, definition));
    let kept = before.is_some_and(|before| before["spec"]["preserveUnknownFields"] == true);
    if spec["preserveUnknownFields"] == true && !kept {
        let problem = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in \
                       spec.versions[*].schema instead";
        causes.push(Cause::invalid_raw("spec.preserveUnknownFields", "true", problem));
    }
    causes
}

fn name_problem(definition: &Value) -> Option<Cause> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let name = text(&definition["metadata"]["name"]);
    let spec = &definition["spec"];
    let expected = format!("{}.{}", text(&spec["names"]["plural"]), text(&spec["group"]));
    let problem = "must be spec.names.plural+\".\"+spec.group";
    (name != expected).then(|| Cause::invalid("metadata.name", &name, problem))
}

/// Returns the warnings for the formats in a definition that a server does not know, and for a
/// conversion that this server does not call. What was there before gives none.
pub(crate) fn warnings(
    resource: &ResourceType,
    before: Option<&Value>,
    definition: &Value,
    is_served: bool,
) -> Vec<String> {
    if !is_definition(resource) {
        return Vec::new();
    }
    let unknown = |definition: &Value| {
        let spec = &definition["spec"];
        let mut unknown = Vec::new();
        for schema in Common::of(spec).schemas(spec) {
            schema::any(schema, &mut |schema| {
                let format = schema["format"].as_str().filter(|format| !format.is_empty());
                let format = format.filter(|_| formats::known_by_type(schema).is_none());
                unknown.extend(format.map(str::to_owned));
                false
            });
        }
        unknown
    };
    let known = before.map(unknown).unwrap_or_default();
    let new = unknown(definition).into_iter().filter(|format| !known.contains(format));
    let mut warnings: Vec<_> =
        new.map(|format| format!("unrecognized format {format:?}")).collect();
    let converts = |definition: &Value| definition["spec"]["conversion"]["strategy"] == "Webhook";
    if !is_served && converts(definition) && !before.is_some_and(converts) {
        warnings.push(
            "the embedded API server calls no conversion webhook: objects get another apiVersion, \
             and lose what its schema does not have"
                .into(),
        );
    }
    warnings
}

/// Completes a definition with defaults.
pub(crate) fn complete(definition: &mut Value) {
    let spec = &mut definition["spec"];
    if !spec.is_object() {
        return;
    }
    for version in spec["versions"].as_array_mut().into_iter().flatten() {
        if let Some(schema) = version.pointer_mut("/schema/openAPIV3Schema") {
            omit_empty(schema);
        }
    }
    let is_empty = |value: &Value| value.as_str().is_none_or(str::is_empty);
    if let Some(kind) = spec["names"]["kind"].as_str().filter(|kind| !kind.is_empty()) {
        let (singular, list) = (kind.to_lowercase(), format!("{kind}List"));
        for (member, default) in [("singular", singular), ("listKind", list)] {
            if is_empty(&spec["names"][member]) {
                spec["names"][member] = default.into();
            }
        }
    }
    if spec["conversion"].is_null() {
        spec["conversion"] = json!({ "strategy": "None" });
    }
    // False is the default, which is not written.
    let keeps_unknown = spec["preserveUnknownFields"] == true;
    if let Some(members) = spec.as_object_mut().filter(|_| !keeps_unknown) {
        members.remove("preserveUnknownFields");
    }
    let service = "/conversion/webhook/clientConfig/service";
    if let Some(service) = spec.pointer_mut(service).and_then(Value::as_object_mut) {
        service.entry("port").or_insert_with(|| 443.into());
    }
}

/// The lists and maps of a schema that are absent when they are empty.
const OMITTED_IF_EMPTY: [&str; 9] = [
    "allOf",
    "anyOf",
    "definitions",
    "enum",
    "oneOf",
    "patternProperties",
    "properties",
    "required",
    "x-kubernetes-list-map-keys",
];

fn omit_empty(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else { return };
    let is_empty = |value: &Value| match value {
        Value::Array(elements) => elements.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    };
    members.retain(|name, value| !OMITTED_IF_EMPTY.contains(&&**name) || !is_empty(value));
    for (name, value) in members {
        match (&**name, value) {
            ("items" | "not" | "additionalProperties", schema) => omit_empty(schema),
            ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => {
                schemas.iter_mut().for_each(omit_empty);
            }
            ("properties", Value::Object(schemas)) => schemas.values_mut().for_each(omit_empty),
            _ => {}
        }
    }
}

/// Sets the status of a new definition.
pub(crate) fn set_first_status(definition: &mut Value) {
    definition["status"] = json!({
        "conditions": null,
        "acceptedNames": { "plural": "", "kind": "" },
        "storedVersions": storage(definition).map(|name| json!([name])),
    });
}

/// Keeps the versions that objects were stored in, and adds the storage version to them.
pub(crate) fn note_stored_versions(before: &Value, definition: &mut Value) {
    if definition["status"] == before["status"] {
        return add_stored_version(definition);
    }
    let stored = &mut definition["status"]["storedVersions"];
    if stored.as_array().is_none_or(Vec::is_empty) {
        *stored = before["status"]["storedVersions"].clone();
    }
}

/// Returns the name of the version that objects are stored in.
fn storage(definition: &Value) -> Option<Value> {
    let versions = common::versions(&definition["spec"]);
    let storage = versions.iter().find(|version| version["storage"] == true)?;
    Some(storage["name"].clone())
}

/// Adds the storage version to those that were used.
pub(crate) fn add_stored_version(definition: &mut Value) {
    let Some(name) = storage(definition) else { return };
    if !definition["status"].is_object() {
        definition["status"] = json!({});
    }
    let known = &mut definition["status"]["storedVersions"];
    match known.as_array_mut() {
        Some(known) if known.contains(&name) => {}
        Some(known) => known.push(name),
        None => *known = json!([name]),
    }
}
