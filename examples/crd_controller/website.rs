//! The type `Website`, in two versions. The objects are stored as `v2`, and so is the controller's
//! view of them. Clients of `v1` go on working: a webhook converts between the two.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The annotation in which an object of `v1` keeps the fields that only `v2` has.
const KEPT: &str = "websites.example.com/v2";

pub(crate) mod v1 {
    use kube::CustomResource;
    use serde::{Deserialize, Serialize};

    use super::WebsiteStatus;

    /// The desired state of a website.
    #[derive(
        CustomResource, Clone, Debug, PartialEq, Deserialize, Serialize, schemars::JsonSchema,
    )]
    #[kube(group = "example.com", version = "v1", kind = "Website", namespaced)]
    #[kube(status = "WebsiteStatus", shortname = "site")]
    pub(crate) struct WebsiteSpec {
        /// The page that is served.
        pub(crate) page: String,
        /// The number of pods that serve it.
        pub(crate) replicas: i32,
    }
}

pub(crate) mod v2 {
    use std::collections::BTreeMap;

    use kube::CustomResource;
    use serde::{Deserialize, Serialize};

    use super::WebsiteStatus;

    /// The desired state of a website.
    #[derive(
        CustomResource, Clone, Debug, PartialEq, Deserialize, Serialize, schemars::JsonSchema,
    )]
    #[kube(group = "example.com", version = "v2", kind = "Website", namespaced)]
    #[kube(status = "WebsiteStatus", shortname = "site")]
    pub(crate) struct WebsiteSpec {
        /// The page at `/`.
        pub(crate) home: String,
        /// Further pages, by the names of their files.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        pub(crate) pages: BTreeMap<String, String>,
        /// The host name. By default it follows from the website's name and namespace.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(crate) host: Option<String>,
        /// The number of pods that serve the pages.
        pub(crate) replicas: i32,
    }
}

/// The fields that only `v2` has.
#[derive(Default, PartialEq, Deserialize, Serialize)]
struct Kept {
    #[serde(default)]
    pages: std::collections::BTreeMap<String, String>,
    #[serde(default)]
    host: Option<String>,
}

impl From<v1::Website> for v2::Website {
    fn from(old: v1::Website) -> Self {
        let v1::Website { mut metadata, spec, status } = old;
        let text = metadata.annotations.as_mut().and_then(|all| all.remove(KEPT));
        metadata.annotations = metadata.annotations.filter(|all| !all.is_empty());
        // A broken annotation counts as none: an object that cannot be converted cannot be read.
        let kept = text.and_then(|text| serde_json::from_str(&text).ok());
        let Kept { pages, host } = kept.unwrap_or_default();
        let v1::WebsiteSpec { page, replicas } = spec;
        Self { metadata, spec: v2::WebsiteSpec { home: page, pages, host, replicas }, status }
    }
}

impl TryFrom<v2::Website> for v1::Website {
    type Error = serde_json::Error;

    fn try_from(new: v2::Website) -> Result<Self, Self::Error> {
        let v2::Website { mut metadata, spec, status } = new;
        let v2::WebsiteSpec { home, pages, host, replicas } = spec;
        let kept = Kept { pages, host };
        if kept != Kept::default() {
            let text = serde_json::to_string(&kept)?;
            metadata.annotations.get_or_insert_default().insert(KEPT.to_owned(), text);
        }
        Ok(Self { metadata, spec: v1::WebsiteSpec { page: home, replicas }, status })
    }
}

/// The observed state of a website.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebsiteStatus {
    /// The generation of the spec that this is about.
    pub(crate) observed_generation: Option<i64>,
    /// The number of pods that are ready.
    #[serde(default)]
    pub(crate) ready_replicas: i32,
    /// `Accepted`: the spec makes sense. `Ready`: every pod serves the pages.
    #[serde(default)]
    #[schemars(schema_with = "conditions_schema")]
    pub(crate) conditions: Vec<Condition>,
}

/// Conditions are a map by their type, so that each may have another field manager.
fn conditions_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let text = json!({"type": "string"});
    let schema = json!({
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
        "items": {
            "type": "object",
            "required": ["type", "status", "lastTransitionTime", "reason", "message"],
            "properties": {
                "type": text, "status": text, "reason": text, "message": text,
                "lastTransitionTime": {"type": "string", "format": "date-time"},
                "observedGeneration": {"type": "integer", "format": "int64"},
            },
        },
    });
    schema.try_into().unwrap_or_default()
}
