//! A kind that is served in several versions.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Client;
use kube::api::{Api, ApiResource, DynamicObject, Patch, PatchParams, PostParams};
use kube_controllers::writing::Applier;
use kube_informer::testing::ApiServer;
use kube_informer::{InformerSpec, ObjectKey, SharedInformer, SharedInformerFactory};
use serde_json::{Value, json};

use crate::helpers::S;

const DEFINITION: &str = "gears.example.com";

fn resource(version: &str) -> ApiResource {
    ApiResource {
        group: "example.com".into(),
        version: version.into(),
        api_version: format!("example.com/{version}"),
        kind: "Gear".into(),
        plural: "gears".into(),
    }
}

/// A server of a kind whose members have other names in `v2`: there, each ends with a 2.
async fn server() -> ApiServer {
    let server = ApiServer::new();
    server.convert("shop/convert", |mut object, version| async move {
        let spec = object["spec"].take();
        let members = spec.as_object().into_iter().flatten().map(|(name, value)| {
            let name = name.trim_end_matches('2');
            let name = if version.ends_with("/v2") { format!("{name}2") } else { name.to_owned() };
            (name, value.clone())
        });
        object["spec"] = Value::Object(members.collect());
        object["apiVersion"] = version.into();
        Ok(object)
    });
    let spec = |end: &str| {
        let members = [
            ("teeth", json!({ "type": "integer" })),
            ("on", json!({ "type": "boolean" })),
            ("name", json!({ "type": "string" })),
        ];
        let members = members.into_iter().map(|(name, form)| (format!("{name}{end}"), form));
        json!({ "type": "object", "properties": Value::Object(members.collect()) })
    };
    let version = |name: &str, end: &str| {
        json!({
            "name": name, "served": true, "storage": name == "v2", "subresources": { "status": {} },
            "schema": { "openAPIV3Schema": {
                "type": "object",
                "properties": {
                    "spec": spec(end),
                    "status": { "type": "object", "properties": { "on": { "type": "boolean" } } },
                },
            } },
        })
    };
    let service = json!({ "namespace": "shop", "name": "convert" });
    let definition = json!({
        "metadata": { "name": DEFINITION },
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": { "plural": "gears", "kind": "Gear" },
            "versions": [version("v1", ""), version("v2", "2")],
            "conversion": { "strategy": "Webhook", "webhook": {
                "conversionReviewVersions": ["v1"], "clientConfig": { "service": service },
            } },
        },
    });
    let definition: CustomResourceDefinition = serde_json::from_value(definition).unwrap();
    let all = Api::<CustomResourceDefinition>::all(server.client());
    all.create(&PostParams::default(), &definition).await.unwrap();
    server
}

fn gear(spec: &Value) -> DynamicObject {
    let metadata = json!({ "name": "a", "namespace": "shop" });
    let gear = json!({
        "apiVersion": "example.com/v1", "kind": "Gear", "metadata": metadata, "spec": spec,
        "status": { "on": false },
    });
    serde_json::from_value(gear).unwrap()
}

fn api(client: Client, version: &str) -> Api<DynamicObject> {
    Api::namespaced_with(client, "shop", &resource(version))
}

/// Applies an object, or its status, until it is unchanged. Returns how often it was sent.
async fn settle(
    server: &ApiServer,
    informer: &SharedInformer<DynamicObject>,
    applier: &Applier<DynamicObject>,
    desired: &DynamicObject,
    status: bool,
) -> usize {
    for sent in 0..5 {
        informer.wait_for(&server.revision().into(), 600 * S).await.unwrap();
        let outcome =
            if status { applier.apply_status(desired).await } else { applier.apply(desired).await };
        if !outcome.unwrap().was_sent() {
            return sent;
        }
    }
    panic!("it is sent again and again");
}

/// The cache shows none of the fields, so what they mean if they are absent proves nothing.
#[tokio::test(start_paused = true)]
async fn cache_of_another_version_hides_no_change() {
    for (spec, changed) in [
        (json!({ "teeth": 0 }), json!({ "teeth": 5 })),
        (json!({ "on": false }), json!({ "on": true })),
        (json!({ "name": "" }), json!({ "name": "b" })),
        (json!({ "name": "a" }), json!({ "name": "b" })),
    ] {
        let server = server().await;
        let factory = SharedInformerFactory::builder(server.client()).build();
        let informer = factory.dynamic(&resource("v2"));
        factory.start().unwrap();
        factory.wait_for_sync(10 * S).await.unwrap();
        let builder = Applier::builder_with(server.client(), &informer, "site", &resource("v1"));
        let applier = builder.force(true).build().unwrap();
        let desired = gear(&spec);
        for status in [false, true] {
            assert_eq!(settle(&server, &informer, &applier, &desired, status).await, 1, "{spec}");
        }
        for version in ["v1", "v2"] {
            let mut change = json!({ "spec": changed });
            if version == "v2" {
                let (name, value) = changed.as_object().unwrap().iter().next().unwrap();
                change = json!({ "spec": { format!("{name}2"): value } });
            }
            let by = PatchParams::default();
            let api = api(server.client(), version);
            api.patch("a", &by, &Patch::Merge(change)).await.unwrap();
            assert_eq!(settle(&server, &informer, &applier, &desired, false).await, 1, "{spec}");
            let on = json!({ "status": { "on": true } });
            api.patch_status("a", &by, &Patch::Merge(on)).await.unwrap();
            assert_eq!(settle(&server, &informer, &applier, &desired, false).await, 0, "{spec}");
            assert_eq!(settle(&server, &informer, &applier, &desired, true).await, 1, "{spec}");
        }
        let stored = api(server.client(), "v1").get("a").await.unwrap();
        let (name, value) = spec.as_object().unwrap().iter().next().unwrap();
        assert_eq!(stored.data["spec"][name], *value);
        assert_eq!(stored.data["status"]["on"], false);
        assert_eq!(applier.status().hidden_fields, [".apiVersion"]);
        factory.shutdown().await;
    }
}

/// The informer moves to the other version when its own is not served any more.
#[tokio::test(start_paused = true)]
async fn cache_that_moves_to_another_version_hides_no_change() {
    let server = server().await;
    let factory = SharedInformerFactory::builder(server.client()).build();
    let spec = InformerSpec::new().when_served();
    let informer = factory.dynamic_with(&resource("v1"), spec).unwrap();
    factory.start().unwrap();
    informer.wait_for_sync(600 * S).await.unwrap();
    let builder = Applier::builder_with(server.client(), &informer, "site", &resource("v1"));
    let applier = builder.force(true).build().unwrap();
    let desired = gear(&json!({ "teeth": 0 }));
    assert_eq!(settle(&server, &informer, &applier, &desired, false).await, 1);

    let all = Api::<CustomResourceDefinition>::all(server.client());
    let unserved = json!([{ "op": "replace", "path": "/spec/versions/0/served", "value": false }]);
    let unserved = Patch::Json::<()>(serde_json::from_value(unserved).unwrap());
    all.patch(DEFINITION, &PatchParams::default(), &unserved).await.unwrap();
    let key = ObjectKey::namespaced("shop", "a").unwrap();
    let has_moved = |gear: Option<&DynamicObject>| {
        let types = gear.and_then(|gear| gear.types.as_ref());
        types.is_some_and(|types| types.api_version == "example.com/v2")
    };
    informer.wait_until(&key, 600 * S, has_moved).await.unwrap();
    assert!(!applier.apply(&desired).await.unwrap().was_sent(), "it is the same state");

    let change = Patch::Merge(json!({ "spec": { "teeth2": 5 } }));
    let gears = api(server.client(), "v2");
    gears.patch("a", &PatchParams::default(), &change).await.unwrap();
    informer.wait_for(&server.revision().into(), 600 * S).await.unwrap();
    let refused = applier.apply(&desired).await.unwrap_err();
    assert!(refused.to_string().contains("404"), "{refused}");
    factory.shutdown().await;
}
