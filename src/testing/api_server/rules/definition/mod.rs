//! Definitions of custom types: their rules, their defaults, and the types that they declare.

mod status;
mod types;

use serde_json::{Value, json};

pub(crate) use self::status::{CLEANUP, begin_deletion, condition, set_condition};
pub(crate) use self::types::types;
use crate::testing::api_server::failure::Cause;
use crate::testing::api_server::resource::ResourceType;

/// Returns whether the objects of a type are definitions.
pub(crate) fn is_definition(resource: &ResourceType) -> bool {
    resource.group == "apiextensions.k8s.io" && resource.plural == "customresourcedefinitions"
}

/// Completes a new definition, and returns its problems. Objects of other types have none.
pub(crate) fn problems(resource: &ResourceType, object: &mut Value) -> Vec<Cause> {
    if !is_definition(resource) {
        return Vec::new();
    }
    let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    let spec = &object["spec"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (group, plural) = (text(&spec["group"]), text(&spec["names"]["plural"]));
    let kind = text(&spec["names"]["kind"]);
    let mut causes = Vec::new();
    for (field, value) in
        [("spec.group", &group), ("spec.names.plural", &plural), ("spec.names.kind", &kind)]
    {
        if value.is_empty() {
            causes.push(Cause::required(field, ""));
        }
    }
    if !matches!(spec["scope"].as_str(), Some("Namespaced" | "Cluster")) {
        let supported = "\"Cluster\", \"Namespaced\"";
        causes.push(Cause::unsupported("spec.scope", &text(&spec["scope"]), supported));
    }
    if name != format!("{plural}.{group}") {
        let problem = "must be spec.names.plural+\".\"+spec.group";
        causes.push(Cause::invalid("metadata.name", &name, problem));
    }
    let versions = spec["versions"].as_array().cloned().unwrap_or_default();
    let stored = versions.iter().filter(|version| version["storage"] == true).count();
    if stored != 1 {
        let problem = "must have exactly one version marked as storage version";
        causes.push(Cause::invalid_raw("spec.versions", "null", problem));
    }
    for (n, version) in versions.iter().enumerate() {
        if version["schema"]["openAPIV3Schema"].is_null() {
            let field = format!("spec.versions[{n}].schema.openAPIV3Schema");
            causes.push(Cause::required(&field, "schemas are required"));
        }
    }
    causes.extend(selectable_problems(&versions));
    if !causes.is_empty() {
        return causes;
    }
    let names = &mut object["spec"]["names"];
    if names["singular"].is_null() {
        names["singular"] = kind.to_lowercase().into();
    }
    if names["listKind"].is_null() {
        names["listKind"] = format!("{kind}List").into();
    }
    if object["spec"]["conversion"].is_null() {
        object["spec"]["conversion"] = json!({ "strategy": "None" });
    }
    let storage = versions.iter().find(|version| version["storage"] == true);
    object["status"] = json!({
        "conditions": null,
        "acceptedNames": { "plural": "", "kind": "" },
        "storedVersions": [storage.map(|version| version["name"].clone())],
    });
    causes
}

/// Returns the problems of a change of a definition.
pub(crate) fn change_problems(
    _resource: &ResourceType,
    _before: &Value,
    _object: &mut Value,
) -> Vec<Cause> {
    Vec::new()
}

/// Returns the problems of the fields that selectors may name.
fn selectable_problems(versions: &[Value]) -> Vec<Cause> {
    // Fields that all versions share are reported once.
    let common =
        versions.windows(2).all(|two| two[0]["selectableFields"] == two[1]["selectableFields"]);
    let mut causes = Vec::new();
    for (n, version) in versions.iter().take(if common { 1 } else { versions.len() }).enumerate() {
        let above = if common { "spec".to_owned() } else { format!("spec.versions[{n}]") };
        let declared = version["selectableFields"].as_array().into_iter().flatten();
        for (m, field) in declared.enumerate() {
            let path = field["jsonPath"].as_str().unwrap_or_default();
            let schema = &version["schema"]["openAPIV3Schema"];
            if !schema.is_null()
                && let Some(problem) = selectable_problem(schema, path)
            {
                let field = format!("{above}.selectableFields[{m}].jsonPath");
                causes.push(Cause::invalid(&field, path, &problem));
            }
        }
    }
    causes
}

fn selectable_problem(schema: &Value, path: &str) -> Option<String> {
    let Some(members) = path.strip_prefix('.') else {
        let first = path.split(['.', '[']).next().unwrap_or_default();
        return Some(format!("is an invalid path: expected [ or . but got: {first}"));
    };
    let members = members.split('.');
    let field = members.fold(schema, |schema, member| &schema["properties"][member]);
    match field["type"].as_str() {
        Some("string" | "boolean" | "integer") => None,
        Some(_) => Some(
            "must point to a field of type string, boolean or integer. Enum string fields and \
             strings with formats are allowed."
                .to_owned(),
        ),
        None => Some("is an invalid path: does not refer to a valid field".to_owned()),
    }
}
