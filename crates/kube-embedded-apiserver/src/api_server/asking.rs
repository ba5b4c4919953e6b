//! Requests of tests.

use http::{Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::Value;

use super::ApiServer;

const CLUSTER_SCOPED: [&str; 13] = [
    "CSIDriver",
    "CSINode",
    "ClusterRole",
    "FlowSchema",
    "IngressClass",
    "MutatingWebhookConfiguration",
    "Node",
    "PersistentVolume",
    "PriorityClass",
    "RuntimeClass",
    "StorageClass",
    "ValidatingWebhookConfiguration",
    "VolumeAttachment",
];

/// Returns the path of an object's type, in the namespace `default` if it has one.
pub(crate) fn path_of(object: &Value) -> String {
    let text = |name: &str| object[name].as_str().unwrap();
    let (version, kind) = (text("apiVersion"), text("kind"));
    let root = if version.contains('/') { "apis" } else { "api" };
    let scope = if CLUSTER_SCOPED.contains(&kind) { "" } else { "/namespaces/default" };
    let plural = match kind.to_lowercase() {
        kind if kind == "endpoints" => kind,
        kind if kind.ends_with('s') => format!("{kind}es"),
        kind => {
            kind.strip_suffix('y').map_or_else(|| format!("{kind}s"), |kind| format!("{kind}ies"))
        }
    };
    format!("/{root}/{version}{scope}/{plural}")
}

/// Sends a request, and returns the status and the body of the response.
pub(crate) async fn send(
    server: &ApiServer,
    method: Method,
    path: &str,
    body: &Value,
) -> (StatusCode, Value) {
    let body = Full::from(body.to_string());
    let request = Request::builder().method(method).uri(path);
    let request = request.header("content-type", "application/json").body(body).unwrap();
    let (head, body) = server.handle(request).await.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    (head.status, serde_json::from_slice(&body).unwrap_or_default())
}
