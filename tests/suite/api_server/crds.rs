//! Custom resource definitions, and the types that come and go with them.

use futures::TryStreamExt;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{
    ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams,
    PostParams, WatchEvent, WatchParams,
};
use serde_json::json;

use super::*;

/// Schemas that are alike would leave no version a schema of its own, which its selectable fields
/// need.
fn definition() -> Value {
    let version = |name: &str, storage: bool| {
        let spec = json!({
            "type": "object",
            "properties": {"color": {"type": "string"}, "size": {"type": "integer"}},
        });
        let status = json!({"type": "object", "properties": {"ready": {"type": "boolean"}}});
        json!({
            "name": name, "served": true, "storage": storage,
            "schema": {"openAPIV3Schema": {
                "type": "object", "description": name,
                "properties": {"spec": spec, "status": status},
            }},
        })
    };
    let mut v1 = version("v1", true);
    v1["subresources"] = json!({"status": {}});
    v1["selectableFields"] = json!([{"jsonPath": ".spec.color"}]);
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget", "shortNames": ["wg"]},
            "versions": [version("v1beta1", false), v1],
        },
    })
}

fn widgets(server: &ApiServer, version: &str) -> (ApiResource, Api<DynamicObject>) {
    let kind = GroupVersionKind::gvk("example.com", version, "Widget");
    let resource = ApiResource::from_gvk(&kind);
    let api = Api::default_namespaced_with(server.client(), &resource);
    (resource, api)
}

fn widget(resource: &ApiResource, name: &str, color: &str) -> DynamicObject {
    DynamicObject::new(name, resource).data(json!({"spec": {"color": color}}))
}

#[tokio::test]
async fn a_definition_serves_its_type() {
    let server = ApiServer::new();
    assert_eq!(get(&server, "/apis/example.com/v1/widgets").await.status, 404);
    define(&server, &definition()).await;
    let crds: Api<CustomResourceDefinition> = Api::all(server.client());
    let status = crds.get("widgets.example.com").await.unwrap().status.unwrap();
    let established = status.conditions.unwrap().into_iter().find(|c| c.type_ == "Established");
    assert_eq!(established.unwrap().status, "True");
    assert_eq!(status.accepted_names.unwrap().singular.as_deref(), Some("widget"));
    assert_eq!(status.stored_versions, Some(vec!["v1".to_owned()]));
    let real: Value =
        serde_json::from_str(include_str!("../../data/transcripts/discovery-example.json"))
            .unwrap();
    let ours = get(&server, "/apis/example.com/v1").await.json();
    assert_eq!(ours["resources"][0]["verbs"], real["resources"][0]["verbs"]);
    assert_eq!(ours["resources"][1], real["resources"][1]);
    assert_eq!(ours["resources"][0]["shortNames"], json!(["wg"]));
    let group = get(&server, "/apis/example.com").await.json();
    assert_eq!(group["preferredVersion"]["version"], "v1");
    let beta = get(&server, "/apis/example.com/v1beta1").await.json();
    assert_eq!(beta["resources"].as_array().unwrap().len(), 1, "no status declared");
}

#[tokio::test]
async fn versions_share_their_objects() {
    let server = ApiServer::new();
    define(&server, &definition()).await;
    let (v1, stable) = widgets(&server, "v1");
    let (_, beta) = widgets(&server, "v1beta1");
    stable.create(&PostParams::default(), &widget(&v1, "a", "blue")).await.unwrap();
    stable.create(&PostParams::default(), &widget(&v1, "b", "red")).await.unwrap();
    let seen = beta.get("a").await.unwrap();
    assert_eq!(seen.types.unwrap().api_version, "example.com/v1beta1");
    let blue = ListParams::default().fields("spec.color=blue");
    assert_eq!(stable.list(&blue).await.unwrap().items.len(), 1);
    assert_eq!(code(&beta.list(&blue).await.unwrap_err()), 400, "not selectable in this version");
}

#[tokio::test]
async fn status_is_apart_only_where_declared() {
    let server = ApiServer::new();
    define(&server, &definition()).await;
    let (v1, stable) = widgets(&server, "v1");
    let (_, beta) = widgets(&server, "v1beta1");
    let mut wishful = widget(&v1, "a", "blue");
    wishful.data["status"] = json!({"ready": true});
    let made = stable.create(&PostParams::default(), &wishful).await.unwrap();
    assert!(made.data["status"].is_null());
    let ready = Patch::Merge(json!({"status": {"ready": true}}));
    let params = PatchParams::default();
    let after = stable.patch("a", &params, &ready).await.unwrap();
    assert!(after.data["status"].is_null());
    let after = stable.patch_status("a", &params, &ready).await.unwrap();
    assert_eq!(
        (&after.data["status"]["ready"], after.metadata.generation),
        (&true.into(), Some(1))
    );
    assert_eq!(code(&beta.patch_status("a", &params, &ready).await.unwrap_err()), 404);
    let unready = Patch::Merge(json!({"status": {"ready": false}}));
    let after = beta.patch("a", &params, &unready).await.unwrap();
    assert_eq!(after.data["status"]["ready"], false);
    let blind = json!({
        "apiVersion": "example.com/v1", "kind": "Widget",
        "metadata": {"name": "a"}, "spec": {},
    });
    let path = "/apis/example.com/v1/namespaces/default/widgets/a";
    let refused = ask(&server, "PUT", path, &[], &blind).await;
    assert_eq!(refused.status, 422, "a replace without a version");
}

#[tokio::test(start_paused = true)]
async fn deleting_a_definition_ends_its_type() {
    let server = ApiServer::new();
    define(&server, &definition()).await;
    let (v1, api) = widgets(&server, "v1");
    for name in ["w0", "w1"] {
        api.create(&PostParams::default(), &widget(&v1, name, "blue")).await.unwrap();
    }
    let mut held = widget(&v1, "w2", "red");
    held.metadata.finalizers = Some(vec!["example.com/hold".into()]);
    api.create(&PostParams::default(), &held).await.unwrap();
    let from = server.revision().to_string();
    let watch = api.watch(&WatchParams::default(), &from).await.unwrap();
    let crds: Api<CustomResourceDefinition> = Api::all(server.client());
    let going = crds.delete("widgets.example.com", &DeleteParams::default()).await.unwrap();
    assert!(going.left().unwrap().metadata.deletion_timestamp.is_some());
    assert_eq!(api.list(&ListParams::default()).await.unwrap().items.len(), 1, "one is held");
    let late = api.create(&PostParams::default(), &widget(&v1, "late", "blue")).await;
    let late = late.unwrap_err();
    assert_eq!(code(&late), 403);
    let problem = "create not allowed while custom resource definition is terminating";
    assert!(late.to_string().contains(problem), "{late}");
    let release = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    api.patch("w2", &PatchParams::default(), &release).await.unwrap();
    assert_eq!(code(&api.list(&ListParams::default()).await.unwrap_err()), 404);
    assert_eq!(code(&crds.get("widgets.example.com").await.unwrap_err()), 404);
    let told: Vec<char> = watch
        .map_ok(|event| match event {
            WatchEvent::Added(_) => '+',
            WatchEvent::Modified(_) => '~',
            WatchEvent::Deleted(_) => '-',
            WatchEvent::Bookmark(_) => '@',
            WatchEvent::Error(_) => '!',
        })
        .try_collect()
        .await
        .unwrap();
    assert_eq!(told, ['-', '-', '~', '-', '@']);
    define(&server, &definition()).await;
    assert!(
        api.list(&ListParams::default()).await.unwrap().items.is_empty(),
        "a new definition starts empty"
    );
}

#[tokio::test]
async fn a_definition_that_changes_changes_its_type() {
    let server = ApiServer::new();
    define(&server, &definition()).await;
    let (v1, api) = widgets(&server, "v1");
    api.create(&PostParams::default(), &widget(&v1, "a", "blue")).await.unwrap();
    let path = format!("{CRDS}/widgets.example.com");
    let steps = json!([
        {"op": "replace", "path": "/spec/versions/0/served", "value": false},
        {"op": "replace", "path": "/spec/versions/1/selectableFields",
         "value": [{"jsonPath": ".spec.size"}, {"jsonPath": ".spec.color"}]},
    ]);
    let json_patch = [("content-type", "application/json-patch+json")];
    assert_eq!(ask(&server, "PATCH", &path, &json_patch, &steps).await.status, 200);
    assert_eq!(get(&server, "/apis/example.com/v1beta1/widgets").await.status, 404);
    let blue = ListParams::default().fields("spec.size!=1,spec.color=blue");
    assert_eq!(api.list(&blue).await.unwrap().items.len(), 1, "objects from before as well");
}

#[tokio::test]
async fn invalid_definition_is_refused_with_all_causes() {
    let server = ApiServer::new();
    let mut bad = definition();
    bad["metadata"]["name"] = "gadgets.example.com".into();
    bad["spec"]["scope"] = "Universe".into();
    bad["spec"]["versions"][0]["storage"] = true.into();
    bad["spec"]["versions"][1]["schema"] = Value::Null;
    let refused = ask(&server, "POST", CRDS, &[], &bad).await;
    assert_eq!(refused.status, 422);
    let refused = refused.json();
    let causes = refused["details"]["causes"].as_array().unwrap();
    let fields: Vec<_> = causes.iter().map(|cause| cause["field"].as_str().unwrap()).collect();
    assert_eq!(
        fields,
        [
            "metadata.name",
            "spec.scope",
            "spec.versions[1].schema.openAPIV3Schema",
            "spec.versions[1].selectableFields",
            "spec.versions",
            "status.storedVersions",
        ],
        "{refused}"
    );
    define(&server, &definition()).await;
    let mut rival = definition();
    rival["metadata"]["name"] = "wares.example.com".into();
    rival["spec"]["names"]["plural"] = "wares".into();
    assert_eq!(ask(&server, "POST", CRDS, &[], &rival).await.status, 201);
    let rival = get(&server, &format!("{CRDS}/wares.example.com")).await.json();
    let accepted = &rival["status"]["conditions"][0];
    assert_eq!(
        (&accepted["type"], &accepted["status"]),
        (&"NamesAccepted".into(), &"False".into())
    );
    assert_eq!(get(&server, "/apis/example.com/v1/wares").await.status, 404);
}
