//! `dynamic`: a kind by name, as the server has it; its objects, whatever they are.

#[allow(dead_code, reason = "its main, and its scripted life")]
#[path = "../../../examples/dynamic.rs"]
mod example;

use kube::api::{Api, DynamicObject, GroupVersionKind, Patch, PatchParams, PostParams};
use kube::core::ApiResource;
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::support::{Running, Said};

async fn refused(server: &ApiServer, kind: &str) -> String {
    let ended: Result<(), BoxError> =
        example::run(server.client(), kind.to_owned(), CancellationToken::new(), |_| {}).await;
    ended.unwrap_err().to_string()
}

#[tokio::test(start_paused = true)]
async fn newly_defined_kind_is_found_and_followed() {
    let server = ApiServer::new();
    let unknown = refused(&server, "widgets").await;
    assert_eq!(unknown, "the server has no widgets that can be listed and watched");
    server.create(&example::definition().unwrap()).unwrap();

    let said = Said::default();
    let client = server.client();
    let say = said.say();
    let running = Running::begin(|stop| example::run(client, "Widget".into(), stop, say));
    said.hears(&["Widget is Widget of example.com/v1"]).await;
    said.hears(&["0 objects"]).await;

    let kind = GroupVersionKind::gvk("example.com", "v1", "Widget");
    let resource = ApiResource::from_gvk(&kind);
    let widgets = Api::<DynamicObject>::namespaced_with(server.client(), "shop", &resource);
    let widget = DynamicObject::new("a", &resource);
    widgets.create(&PostParams::default(), &widget).await.unwrap();
    said.hears(&["+ shop/a no status"]).await;
    for (status, line) in [
        (json!({"phase": "Running"}), "~ shop/a no status → Running"),
        (
            json!({"phase": null, "conditions": [{"type": "Ready", "status": "False"}]}),
            "~ shop/a Running → not ready",
        ),
    ] {
        let patch = Patch::Merge(json!({ "status": status }));
        widgets.patch_status("a", &PatchParams::default(), &patch).await.unwrap();
        said.hears(&[line]).await;
    }
    server.delete(&example::definition().unwrap()).unwrap();
    said.hears(&["- shop/a"]).await;
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn ambiguous_name_is_an_error() {
    let server = ApiServer::new();
    let ambiguous = refused(&server, "events").await;
    assert!(ambiguous.starts_with("events may be any of "), "{ambiguous}");
    assert!(ambiguous.contains("events.events.k8s.io"), "{ambiguous}");

    let said = Said::default();
    let (client, say) = (server.client(), said.say());
    let kind = "events.events.k8s.io".to_owned();
    let running = Running::begin(|stop| example::run(client, kind, stop, say));
    said.hears(&["is Event of events.k8s.io/v1"]).await;
    running.end().await;
}
