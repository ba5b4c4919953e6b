//! The custom resources of the scenarios.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, ObjectMeta};
use kube::{CustomResource, CustomResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "example.com",
    version = "v1",
    kind = "Widget",
    namespaced,
    derive = "PartialEq",
    status = "WidgetStatus",
    selectable = ".spec.color"
)]
pub(crate) struct WidgetSpec {
    pub(crate) color: String,
    pub(crate) size: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct WidgetStatus {
    pub(crate) ready: bool,
}

/// Cluster-scoped.
#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Gauge")]
pub(crate) struct GaugeSpec {
    pub(crate) reading: i64,
}

/// Returns the definitions that every scenario may use.
pub(crate) fn shared() -> [CustomResourceDefinition; 2] {
    [Widget::crd(), Gauge::crd()]
}

pub(crate) fn widget(name: &str, color: &str) -> Widget {
    let spec = WidgetSpec { color: color.to_owned(), size: 1 };
    let mut widget = Widget::new(name, spec);
    widget.metadata.labels = Some([("color".to_owned(), color.to_owned())].into());
    widget
}

/// A definition that one scenario has for itself, and what it defines.
pub(crate) fn private(group: &str) -> (CustomResourceDefinition, ApiResource) {
    let definition = json!({
        "metadata": { "name": format!("parts.{group}") },
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": { "plural": "parts", "singular": "part", "kind": "Part", "listKind": "PartList" },
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": {
                    "type": "object",
                    "x-kubernetes-preserve-unknown-fields": true,
                } },
            }],
        },
    });
    let definition = serde_json::from_value(definition).expect("it is well-formed");
    let kind = GroupVersionKind::gvk(group, "v1", "Part");
    (definition, ApiResource::from_gvk_with_plural(&kind, "parts"))
}

pub(crate) fn part(resource: &ApiResource, name: &str, size: i64) -> DynamicObject {
    let metadata = ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() };
    let mut part = DynamicObject::new(name, resource).data(json!({ "size": size }));
    part.metadata = metadata;
    part
}
