//! Reviews that API servers send to webhooks.

use std::cell::LazyCell;

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::core::{DynamicObject, GroupVersionKind};
use kube_webhooks::{Admission, Conversion, Webhooks};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

thread_local! {
    static WEBHOOKS: LazyCell<(Runtime, Webhooks)> = LazyCell::new(|| {
        let mut builder = Builder::new_current_thread();
        (builder.enable_all().build().expect("a runtime"), webhooks())
    });
}

fn webhooks() -> Webhooks {
    let widget = GroupVersionKind::gvk("example.com", "v2", "Widget");
    let conversion: Conversion<DynamicObject> = Conversion::dynamic_hub(&widget, "widgets");
    Webhooks::builder()
        .validate("/validate", async |review: Admission<ConfigMap>| review.object().map(|_| ()))
        .mutate("/mutate", async |review: Admission<ConfigMap>| {
            let mut map = review.into_object()?;
            let labels = map.metadata.labels.get_or_insert_default();
            labels.insert("team".to_owned(), "blue".to_owned());
            Ok(map)
        })
        .convert("/convert", conversion.dynamic("v1", Ok, Ok))
        .build()
        .expect("webhooks")
}

/// A review of either kind. Each is answered, and an answer that allows says what was asked.
pub fn reviews(data: &[u8]) {
    WEBHOOKS.with(|both| both.0.block_on(review(&both.1, data)));
}

async fn review(webhooks: &Webhooks, data: &[u8]) {
    for path in ["/validate", "/mutate", "/convert"] {
        let body = Full::<Bytes>::from(data.to_vec());
        let request = Request::post(path).body(body).expect("a request");
        let (head, body) = webhooks.answer(request).await.into_parts();
        let body = body.collect().await.expect("a body").to_bytes();
        let answer: Value = serde_json::from_slice(&body).expect("an answer in JSON");
        if head.status != StatusCode::OK {
            let message = answer["message"].as_str().expect("a reason");
            assert!(!message.contains("panicked"), "{path}: {message}");
            continue;
        }
        // Fields that nothing reads may hold anything.
        let Ok(review) = serde_json::from_slice::<Value>(data) else { continue };
        assert_eq!(answer["response"]["uid"], review["request"]["uid"], "{path}");
        match path {
            "/mutate" if answer["response"]["allowed"] == true => mutated(&review, &answer),
            "/convert" if answer["response"]["result"]["status"] == "Success" => {
                converted(&review, &answer);
            }
            _ => {}
        }
    }
}

fn mutated(review: &Value, answer: &Value) {
    let mut object = review["request"]["object"].clone();
    let Some(patch) = answer["response"].get("patch") else { return };
    let patch: k8s_openapi::ByteString = serde_json::from_value(patch.clone()).expect("base64");
    let patch: json_patch::Patch = serde_json::from_slice(&patch.0).expect("a patch");
    json_patch::patch(&mut object, &patch).expect("the patch fits the object");
    assert_eq!(object["metadata"]["labels"]["team"], "blue");
    for (key, value) in review["request"]["object"].as_object().expect("an object") {
        assert!(key == "metadata" || object[key] == *value, "{key} was changed");
    }
}

fn converted(review: &Value, answer: &Value) {
    let asked = review["request"]["objects"].as_array().expect("objects");
    let objects = answer["response"]["convertedObjects"].as_array().expect("objects");
    assert_eq!(objects.len(), asked.len());
    for (object, asked) in objects.iter().zip(asked) {
        assert_eq!(object["apiVersion"], review["request"]["desiredAPIVersion"]);
        for field in ["name", "namespace", "uid", "resourceVersion", "finalizers"] {
            assert_eq!(object["metadata"][field], asked["metadata"][field]);
        }
    }
}
