//! The embedded API server, through an ordinary `kube::Client` and by bare requests.

mod access;
mod apply;
mod clock;
mod collecting;
mod crds;
mod custom_applies;
mod deletes;
mod direct_writes;
mod discovery;
mod fidelity;
mod garbage;
mod kube_runtime;
mod kubectl;
mod listening;
mod media_types;
mod namespaces;
mod patches;
mod pods;
mod reading;
mod rules;
mod scale;
mod schemas;
mod shards;
mod statuses;
mod tables;
mod watches;
mod writing;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;
use kube::{Api, Client};
use kube_informer::testing::ApiServer;
use serde_json::{Value, json};

use crate::helpers::map_in;

fn map(name: &str) -> ConfigMap {
    map_in("default", name)
}

fn labelled(name: &str, label: &str) -> ConfigMap {
    let mut map = map(name);
    map.metadata.labels = Some([("app".into(), label.into())].into());
    map
}

fn code(error: &kube::Error) -> u16 {
    match error {
        kube::Error::Api(status) => status.code,
        other => panic!("{other}"),
    }
}

fn rig() -> (ApiServer, Client, Api<ConfigMap>) {
    let server = ApiServer::new();
    let client = server.client();
    let maps = Api::default_namespaced(client.clone());
    (server, client, maps)
}

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// Returns the definition of `widgets.example.com` with one version, `v1`.
fn widget_definition(scope: &str, schema: &Value) -> Value {
    json!({
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": scope,
            "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": schema},
            }],
        },
    })
}

/// Returns the schema of an object with any fields.
fn any_fields() -> Value {
    json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
}

async fn define(server: &ApiServer, definition: &Value) {
    let made = ask(server, "POST", CRDS, &[], definition).await;
    assert_eq!(made.status, 201, "{}", made.json());
}

/// A bare answer.
#[derive(Debug)]
struct Answer {
    status: u16,
    media_type: String,
    body: Vec<u8>,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// A bare request: method, path and query, headers, body.
async fn ask(
    server: &ApiServer,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &Value,
) -> Answer {
    let mut request = http::Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
    let response = server.handle(request.body(Full::new(body)).unwrap()).await;
    let status = response.status().as_u16();
    let media_type = response.headers().get(http::header::CONTENT_TYPE);
    let media_type = media_type.map_or_else(String::new, |v| v.to_str().unwrap().to_owned());
    let body = response.into_body().collect().await.unwrap().to_bytes().to_vec();
    Answer { status, media_type, body }
}

async fn get(server: &ApiServer, path: &str) -> Answer {
    ask(server, "GET", path, &[], &Value::Null).await
}
