//! Definitions of widgets, and widgets.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResource;
use kube::api::{Api, ApiResource, DynamicObject, GroupVersionKind, PostParams};
use kube_informer::testing::ApiServer;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, schemars::JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Widget", namespaced)]
pub(crate) struct WidgetSpec {
    pub(crate) color: Option<String>,
}

/// Returns a definition of a resource with these versions, of which the last is stored.
pub(crate) fn definition_of(
    plural: &str,
    kind: &str,
    versions: &[(&str, bool)],
    property: &str,
) -> CustomResourceDefinition {
    let versions: Vec<_> = versions
        .iter()
        .enumerate()
        .map(|(place, (name, served))| {
            let spec = json!({"type": "object", "properties": {property: {"type": "string"}}});
            json!({
                "name": name, "served": served, "storage": place + 1 == versions.len(),
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
            })
        })
        .collect();
    let definition = json!({
        "metadata": {"name": format!("{plural}.example.com")},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind},
            "versions": versions,
        },
    });
    serde_json::from_value(definition).unwrap()
}

pub(crate) fn definition(versions: &[(&str, bool)]) -> CustomResourceDefinition {
    definition_of("widgets", "Widget", versions, "color")
}

/// Changes which versions of an installed definition are served.
pub(crate) async fn serve(server: &ApiServer, versions: &[(&str, bool)]) {
    let definitions: Api<CustomResourceDefinition> = Api::all(server.client());
    let mut installed = definitions.get("widgets.example.com").await.unwrap();
    installed.spec.versions = definition(versions).spec.versions;
    definitions.replace("widgets.example.com", &PostParams::default(), &installed).await.unwrap();
}

pub(crate) fn widgets(version: &str) -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk("example.com", version, "Widget"))
}

pub(crate) async fn create(server: &ApiServer, resource: &ApiResource, name: &str) {
    let api: Api<DynamicObject> = Api::namespaced_with(server.client(), "shop", resource);
    let object = DynamicObject::new(name, resource).data(json!({"spec": {"color": "blue"}}));
    api.create(&PostParams::default(), &object).await.unwrap();
}

pub(crate) async fn delete(server: &ApiServer, resource: &ApiResource, name: &str) {
    let api: Api<DynamicObject> = Api::namespaced_with(server.client(), "shop", resource);
    drop(api.delete(name, &kube::api::DeleteParams::default()).await.unwrap());
}
