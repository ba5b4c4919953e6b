//! The types that a definition declares.

use std::sync::Arc;

use serde_json::Value;

use crate::api_server::resource::{Column, ResourceType, ScalePaths, by_preference};
use crate::api_server::webhooks::Conversion;

/// Returns the versions that a definition serves.
pub(crate) fn types(object: &Value) -> Vec<ResourceType> {
    let spec = &object["spec"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().map(text).collect()
    };
    let versions = spec["versions"].as_array().cloned().unwrap_or_default();
    let paths = |version: &Value| -> Vec<String> {
        let fields = version["selectableFields"].as_array().into_iter().flatten();
        let path = |field: &Value| text(&field["jsonPath"]).trim_start_matches('.').to_owned();
        fields.map(path).collect()
    };
    let mut fields: Vec<String> = versions.iter().flat_map(paths).collect();
    fields.sort();
    fields.dedup();
    let storage = versions.iter().find(|version| version["storage"] == true);
    let stored_in = storage.map(|version| text(&version["name"])).unwrap_or_default();
    let storage = storage.map(|version| Arc::new(version["schema"]["openAPIV3Schema"].clone()));
    let conversion = Conversion::of(object);
    let served = versions.iter().filter(|version| version["served"] == true);
    served
        .map(|version| {
            let names = &spec["names"];
            let (group, name) = (text(&spec["group"]), text(&version["name"]));
            let (kind, plural) = (text(&names["kind"]), text(&names["plural"]));
            let namespaced = spec["scope"] == "Namespaced";
            let mut resource = ResourceType::new(&group, &name, &kind, &plural, namespaced);
            resource.custom = true;
            resource.needs_version = true;
            resource.singular = text(&names["singular"]);
            resource.list_kind = text(&names["listKind"]);
            resource.short_names = texts(&names["shortNames"]);
            resource.categories = texts(&names["categories"]);
            resource.status = !version["subresources"]["status"].is_null();
            resource.scale = scale(&version["subresources"]["scale"]);
            resource.fields.clone_from(&fields);
            resource.selectable = paths(version);
            resource.schema = version["schema"]["openAPIV3Schema"].clone();
            let differs = |storage: &Arc<Value>| **storage != resource.schema;
            resource.storage_schema = storage.clone().filter(differs);
            resource.storage.clone_from(&stored_in);
            resource.conversion.clone_from(&conversion);
            let columns = version["additionalPrinterColumns"].as_array().into_iter().flatten();
            resource.columns = columns.map(column).collect();
            if version["deprecated"] == true {
                resource.deprecation = Some(deprecation(spec, version));
            }
            resource
        })
        .collect()
}

/// Returns the warning about a deprecated version: the declared one, or one that names the version
/// to use.
fn deprecation(spec: &Value, version: &Value) -> String {
    if let Some(declared) = version["deprecationWarning"].as_str() {
        return declared.to_owned();
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (group, kind, name) =
        (text(&spec["group"]), text(&spec["names"]["kind"]), text(&version["name"]));
    let others = spec["versions"].as_array().into_iter().flatten();
    let others = others.filter(|other| other["served"] == true && other["deprecated"] != true);
    let better = others
        .map(|other| text(&other["name"]))
        .filter(|other| by_preference(other, &name).is_lt())
        .min_by(|a, b| by_preference(a, b));
    let better = better.map_or_else(String::new, |better| format!("; use {group}/{better} {kind}"));
    format!("{group}/{name} {kind} is deprecated{better}")
}

fn scale(declared: &Value) -> Option<ScalePaths> {
    let path = |member: &str| Some(declared[member].as_str()?.trim_start_matches('.').to_owned());
    let (spec, status) = (path("specReplicasPath")?, path("statusReplicasPath")?);
    Some(ScalePaths { spec, status, selector: path("labelSelectorPath") })
}

fn column(column: &Value) -> Column {
    let text = |member: &str| column[member].as_str().unwrap_or_default().to_owned();
    Column {
        name: text("name"),
        kind: text("type"),
        format: text("format"),
        description: text("description"),
        priority: column["priority"].as_i64().unwrap_or(0),
        path: text("jsonPath"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn deprecated_versions_name_the_one_to_use() {
        let version = |name: &str, deprecated: bool| {
            json!({
                "name": name, "served": true, "deprecated": deprecated,
            })
        };
        let mut declared = version("v1alpha1", true);
        declared["deprecationWarning"] = "do not".into();
        let definition = json!({"spec": {
            "group": "example.com", "names": {"kind": "Widget"},
            "versions": [
                version("v1beta1", false), version("v1", false), version("v1beta2", true),
                version("v2", true), declared,
            ],
        }});
        let told: Vec<_> = types(&definition).into_iter().map(|one| one.deprecation).collect();
        let wanted = [
            None,
            None,
            Some("example.com/v1beta2 Widget is deprecated; use example.com/v1 Widget"),
            Some("example.com/v2 Widget is deprecated"),
            Some("do not"),
        ];
        assert_eq!(told, wanted.map(|text| text.map(str::to_owned)));
    }
}
