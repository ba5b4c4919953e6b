//! Errors that quote nothing of an object, which may be a Secret.

use http::Response;
use k8s_openapi::api::core::v1::Secret;
use kube::client::Body;
use kube::{Client, CustomResource};
use kube_controllers::writing::{Applier, ApplyError};
use kube_informer::testing::ApiServer;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::json;

use super::partial::key;
use super::support::*;
use crate::helpers::synced;

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Shy", namespaced, schema = "disabled")]
struct ShySpec {
    pin: Pin,
}

/// A text whose code quotes it in panics.
#[derive(Clone, Debug)]
struct Pin(String);

impl<'de> Deserialize<'de> for Pin {
    fn deserialize<D: Deserializer<'de>>(decoder: D) -> Result<Self, D::Error> {
        let text = String::deserialize(decoder)?;
        assert!(!text.starts_with("unreadable"), "{text}");
        Ok(Self(text))
    }
}

impl Serialize for Pin {
    fn serialize<S: Serializer>(&self, encoder: S) -> Result<S::Ok, S::Error> {
        assert!(!self.0.starts_with("unwritable"), "{}", self.0);
        self.0.serialize(encoder)
    }
}

#[tokio::test(start_paused = true)]
async fn panic_of_a_type_is_not_quoted() {
    let server = ApiServer::new();
    define(&server, ("shies", "Shy"), json!({"pin": {"type": "string"}}), json!({})).await;
    let informer = synced::<Shy>(server.client()).await;
    let applier = Applier::builder(server.client(), &informer, "site").force(true).build().unwrap();
    for (pin, reason) in [
        ("unreadable-hunter2", "the decoder panicked"),
        ("unwritable-hunter2", "the type's code panicked when it was to be written as JSON"),
    ] {
        let value = json!({"spec": {"pin": pin}});
        let error = applier.apply_partial(&key(), value).await.unwrap_err();
        assert!(matches!(error, ApplyError::UnreadableAnswer { .. }), "{error:?}");
        assert_eq!(
            error.to_string(),
            format!(
                "shies.example.com a in shop was applied, but the answer could not be read: \
                 {reason}"
            )
        );
        let mut desired = Shy::new("a", ShySpec { pin: Pin(pin.to_owned()) });
        desired.metadata.namespace = Some("shop".into());
        let error = applier.apply(&desired).await.unwrap_err();
        assert!(matches!(error, ApplyError::Unserializable { .. }), "{error:?}");
        assert!(error.to_string().ends_with(reason), "{error}");
    }
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn refusal_that_is_no_status_is_not_quoted() {
    let server = ApiServer::new();
    let informer = synced::<Secret>(server.client()).await;
    for body in [
        json!({"kind": "Secret", "data": {"pin": "hunter2"}, "message": "hunter2"}),
        json!({"message": "hunter2", "reason": "hunter2"}),
        json!(["hunter2"]),
    ] {
        let service = tower::service_fn(move |_| {
            let answer =
                Response::builder().status(403).body(Body::from(body.to_string().into_bytes()));
            async { Ok::<_, std::convert::Infallible>(answer.unwrap()) }
        });
        let client = Client::new(service, "default");
        let applier = Applier::builder(client, &informer, "site").build().unwrap();
        let error = applier.apply_partial(&key(), json!({"data": {}})).await.unwrap_err();
        let ApplyError::Request { source: kube::Error::Api(status), .. } = &error else {
            panic!("{error:?}")
        };
        assert_eq!(status.code, 403);
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    }
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn odd_values_of_secrets_are_not_quoted() {
    let server = ApiServer::new();
    let informer = synced::<Secret>(server.client()).await;
    let applier = Applier::builder(server.client(), &informer, "site").build().unwrap();
    let texts = "is not a map of texts";
    for (name, odd, reason) in [
        ("data", json!({"pin": 48_151_623}), texts),
        ("data", json!("hunter2"), texts),
        ("stringData", json!({"pin": ["hunter2"]}), texts),
        ("type", json!(48_151_623), "is not a text"),
        ("immutable", json!("hunter2"), "is neither true nor false"),
        ("metadata", json!({"labels": {"pin": 48_151_623}}), "is not the metadata of an object"),
    ] {
        let refused = applier.apply_partial(&key(), json!({name: odd})).await.unwrap_err();
        assert!(matches!(refused, ApplyError::InvalidMember { .. }), "{refused:?}");
        assert_eq!(
            refused.to_string(),
            format!("secrets a in shop cannot be applied: {name} {reason}")
        );
    }
    assert_eq!(writes(&server), 0);
    let value = json!({"stringData": {"pin": "x", "none": null}, "data": null});
    applier.apply_partial(&key(), value).await.unwrap();
    informer.shutdown().await;
}
