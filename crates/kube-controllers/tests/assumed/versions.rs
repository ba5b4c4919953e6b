//! Writes in another version of a kind than the informer's.

use std::time::Duration;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, ApiResource, DynamicObject, Patch, PatchParams, PostParams};
use kube::{CustomResource, Resource};
use kube_controllers::controller::AssumedView;
use kube_informer::testing::{ApiServer, BodyPosition, Faults, Injection, Requests};
use kube_informer::{SharedInformer, SharedInformerFactory};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::views::key;

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "example.com", version = "v2", kind = "Gear", namespaced)]
struct GearSpec {
    teeth2: Option<i64>,
}

fn resource(version: &str) -> ApiResource {
    ApiResource {
        version: version.into(),
        api_version: format!("example.com/{version}"),
        ..ApiResource::erase::<Gear>(&())
    }
}

/// A server of gears, whose member `teeth2` is `teeth` in `v1`.
async fn server() -> ApiServer {
    let server = ApiServer::new();
    server.convert("shop/convert", |mut object, version| async move {
        let (from, to) =
            if version.ends_with("/v2") { ("teeth", "teeth2") } else { ("teeth2", "teeth") };
        object["spec"] = json!({ to: object["spec"][from] });
        object["apiVersion"] = version.into();
        Ok(object)
    });
    let version = |name: &str, member: &str| {
        let spec = json!({ "type": "object", "properties": { member: { "type": "integer" } } });
        let schema = json!({ "type": "object", "properties": { "spec": spec } });
        json!({
            "name": name, "served": true, "storage": name == "v2",
            "schema": { "openAPIV3Schema": schema },
        })
    };
    let service = json!({ "namespace": "shop", "name": "convert" });
    let definition = json!({
        "metadata": { "name": "gears.example.com" },
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": { "plural": "gears", "kind": "Gear" },
            "versions": [version("v1", "teeth"), version("v2", "teeth2")],
            "conversion": { "strategy": "Webhook", "webhook": {
                "conversionReviewVersions": ["v1"], "clientConfig": { "service": service },
            } },
        },
    });
    let definition: CustomResourceDefinition = serde_json::from_value(definition).unwrap();
    let all = Api::<CustomResourceDefinition>::all(server.client());
    all.create(&PostParams::default(), &definition).await.unwrap();
    let gear = json!({ "metadata": { "name": "a" }, "spec": { "teeth2": 1 } });
    let gear: Gear = serde_json::from_value(with_type(gear)).unwrap();
    let gears = Api::<Gear>::namespaced(server.client(), "shop");
    gears.create(&PostParams::default(), &gear).await.unwrap();
    server
}

fn with_type(mut gear: Value) -> Value {
    (gear["apiVersion"], gear["kind"]) = ("example.com/v2".into(), "Gear".into());
    gear
}

/// Changes the object in both versions. Returns the numbers of teeth that a reader sees, and those
/// that are true.
async fn read<K>(
    server: &ApiServer,
    follow: impl FnOnce(&SharedInformerFactory) -> SharedInformer<K>,
    teeth: impl Fn(&K) -> Option<i64>,
) -> Vec<Option<i64>>
where
    K: Resource + DeserializeOwned + Send + Sync + 'static,
{
    let faults = Faults::new();
    faults.inject(Requests::watches(), Injection::stall(BodyPosition::Event(0)));
    let client = faults.client(server.client());
    let factory = SharedInformerFactory::builder(client).on_error(|_| {}).build();
    let gears = follow(&factory);
    factory.start().unwrap();
    factory.wait_for_sync(Duration::from_secs(60)).await.unwrap();
    let view = AssumedView::new(&gears);
    let mut read = Vec::new();
    for (version, member, n) in [("v1", "teeth", 5), ("v2", "teeth2", 6), ("v1", "teeth", 7)] {
        let client = view.client(server.client());
        let api = Api::<DynamicObject>::namespaced_with(client, "shop", &resource(version));
        let patch = Patch::Merge(json!({ "spec": { member: n } }));
        api.patch("a", &PatchParams::default(), &patch).await.unwrap();
        read.push(view.snapshot().get(&key("a")).and_then(|gear| teeth(&gear)));
    }
    factory.shutdown().await;
    read
}

/// The answer would be read as an object without its fields.
#[tokio::test(start_paused = true)]
async fn answer_in_another_version_is_no_object() {
    let server = server().await;
    let typed = read(&server, SharedInformerFactory::informer::<Gear>, |gear| gear.spec.teeth2);
    assert_eq!(typed.await, [Some(1), Some(6), Some(6)]);
    let dynamic = read(
        &server,
        |factory| factory.dynamic(&resource("v2")),
        |gear: &DynamicObject| gear.data["spec"]["teeth2"].as_i64(),
    );
    assert_eq!(dynamic.await, [Some(7), Some(6), Some(6)]);
}
