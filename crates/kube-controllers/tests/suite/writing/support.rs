//! Shared parts of the tests of writing.

use std::convert::Infallible;

use http::Request;
use http_body_util::BodyExt;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Client;
use kube::client::Body;
use kube_controllers::writing::Applier;
use kube_informer::SharedInformer;
use kube_informer::testing::ApiServer;
use serde_json::{Value, json};

use crate::helpers::synced;

/// A deployment with one container.
pub(crate) fn deployment(replicas: i32, cpu: &str) -> Deployment {
    let pod = json!({
        "metadata": {"labels": {"app": "web", "tier": "front"}},
        "spec": {
            "containers": [{
                "name": "web", "image": "web:1", "resources": {"limits": {"cpu": cpu}},
                "env": [{"name": "COLOUR", "value": "green"}], "args": ["-v"],
            }],
            "nodeSelector": {"disk": "fast"},
        },
    });
    let deployment = json!({
        "metadata": {"name": "web", "namespace": "shop", "labels": {"app": "web"}},
        "spec": {
            "replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": pod,
        },
    });
    serde_json::from_value(deployment).unwrap()
}

pub(crate) async fn applier(
    server: &ApiServer,
) -> (SharedInformer<Deployment>, Applier<Deployment>) {
    let informer = synced::<Deployment>(server.client()).await;
    let applier = Applier::builder(server.client(), &informer, "site").build().unwrap();
    (informer, applier)
}

/// Changes the deployment as another manager: a merge patch, or an apply.
pub(crate) async fn patch(server: &ApiServer, manager: &str, subresource: &str, mut change: Value) {
    let path = format!("/apis/apps/v1/namespaces/shop/deployments/web{subresource}");
    let uri = format!("{path}?fieldManager={manager}&force=true");
    let applies = change.get("kind").is_some();
    if applies {
        change["metadata"]["name"] = "web".into();
    }
    let form = if applies { "apply-patch+yaml" } else { "merge-patch+json" };
    let request = Request::patch(if applies { uri } else { uri.replace("&force=true", "") })
        .header("content-type", format!("application/{form}"))
        .body(Body::from(serde_json::to_vec(&change).unwrap()))
        .unwrap();
    let response = server.client().send(request).await.unwrap();
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    assert!(status.is_success(), "{}", String::from_utf8_lossy(&body));
}

/// The number of writes that the server was sent.
pub(crate) fn writes(server: &ApiServer) -> usize {
    server.requests().iter().filter(|request| request.method != "GET").count()
}

/// A client of a server that changes each written object before it stores it, as a webhook or a
/// type's own normal form does.
pub(crate) fn rewriting(
    server: &ApiServer,
    rewrite: impl Fn(&mut Value) + Send + Sync + Clone + 'static,
) -> Client {
    let server = server.clone();
    let service = tower::service_fn(move |request: Request<Body>| {
        let (server, rewrite) = (server.clone(), rewrite.clone());
        async move {
            let (parts, body) = request.into_parts();
            let mut body = body.collect().await.unwrap().to_bytes();
            if parts.method != "GET" {
                let mut object = serde_json::from_slice(&body).unwrap();
                rewrite(&mut object);
                body = serde_json::to_vec(&object).unwrap().into();
            }
            let request = Request::from_parts(parts, Body::from(body));
            Ok::<_, Infallible>(server.handle(request).await)
        }
    });
    Client::new(service, "default")
}

/// Gives the server a kind, whose spec and status have these members.
pub(crate) async fn define(
    server: &ApiServer,
    (plural, kind): (&str, &str),
    spec: Value,
    status: Value,
) {
    let object = |members: Value| json!({"type": "object", "properties": members});
    let schema = object(json!({"spec": object(spec), "status": object(status)}));
    let definition = json!({
        "metadata": {"name": format!("{plural}.example.com")},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": schema},
            }],
        },
    });
    let definition: CustomResourceDefinition = serde_json::from_value(definition).unwrap();
    let all = kube::Api::<CustomResourceDefinition>::all(server.client());
    all.create(&kube::api::PostParams::default(), &definition).await.unwrap();
}

/// The schema of a list whose elements have keys.
pub(crate) fn keyed(keys: &Value, members: &Value) -> Value {
    json!({
        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys,
        "items": {"type": "object", "properties": members, "required": [keys[0]]},
    })
}
