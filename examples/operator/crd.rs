//! The type `WebApp`.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The desired state of a web app.
#[derive(CustomResource, Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "WebApp", namespaced)]
#[kube(status = "WebAppStatus")]
#[kube(printcolumn(name = "Host", type_ = "string", json_path = ".spec.host"))]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebAppSpec {
    /// The image, which serves HTTP on port 8080.
    #[schemars(length(min = 1))]
    pub(crate) image: String,
    /// The number of pods.
    #[schemars(range(min = 0, max = 100))]
    pub(crate) replicas: i32,
    /// The host name under which the app is entered in the registry.
    #[schemars(length(min = 1, max = 253))]
    pub(crate) host: String,
}

/// The observed state of a web app.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebAppStatus {
    /// The generation of the spec that this status describes.
    pub(crate) observed_generation: Option<i64>,
    /// The number of pods that are ready.
    #[serde(default)]
    pub(crate) ready_replicas: i32,
    /// `Registered`: the registry has the host. `Ready`: all pods serve the app under its host.
    #[serde(default)]
    #[schemars(schema_with = "conditions")]
    pub(crate) conditions: Vec<Condition>,
}

/// The schema of conditions. They are a map by type, so that each may have another field manager.
fn conditions(_: &mut SchemaGenerator) -> Schema {
    let text = json!({ "type": "string" });
    let schema = json!({
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
        "items": {
            "type": "object",
            "required": ["type", "status", "lastTransitionTime", "reason", "message"],
            "properties": {
                "type": text,
                "status": { "type": "string", "enum": ["True", "False", "Unknown"] },
                "reason": text,
                "message": text,
                "lastTransitionTime": { "type": "string", "format": "date-time" },
                "observedGeneration": { "type": "integer", "format": "int64" },
            },
        },
    });
    schema.try_into().unwrap_or_default()
}
