//! The `OpenAPI` documents that clients need: v3 with the served types, their schemas, and that
//! patches support `fieldValidation` and `dryRun`; v2 without contents.
//!
//! kubectl needs v3 to apply anything with validation, and to explain types. It reads v2 before it
//! says that a kind is unknown. Media types are left out: with them, kubectl would create strategic
//! merge patches from schemas, which lack the merge keys, but without them it uses its own types.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Response};
use serde_json::{Map, Value, json};

use super::body::ResponseBody;
use super::body::full;
use super::discovery::VERSION;
use super::form::streamed;
use crate::api_server::failure::Failure;
use crate::api_server::resource::ResourceType;
use crate::api_server::rules::shape;
use crate::api_server::store::Store;

/// The media type of v2 in protobuf.
const PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/// A v2 document in protobuf whose first member, the version of the specification, is all it has.
const EMPTY: &[u8] = b"\x0a\x032.0";

pub(crate) fn answer(
    store: &Store,
    path: &str,
    headers: &HeaderMap,
) -> Option<Result<Response<ResponseBody>, Failure>> {
    if path == "/openapi/v2" {
        return Some(Ok(without_contents(headers)));
    }
    let rest = path.strip_prefix("/openapi/v3")?.trim_matches('/');
    let value = if rest.is_empty() { Some(index(store)) } else { document(store, rest) };
    Some(value.map(|value| streamed(full(value.to_string()))).ok_or_else(Failure::not_served))
}

/// Returns the v2 document.
fn without_contents(headers: &HeaderMap) -> Response<ResponseBody> {
    let accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    if accepted.into_iter().any(|accepted| accepted.contains("+protobuf")) {
        let mut response = streamed(full(Bytes::from_static(EMPTY)));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(PROTOBUF));
        return response;
    }
    let info = json!({ "title": "Kubernetes", "version": VERSION });
    streamed(full(json!({ "swagger": "2.0", "info": info, "paths": {} }).to_string()))
}

/// Returns the path of a version's types: `api/v1`, `apis/apps/v1`.
fn root(resource: &ResourceType) -> String {
    match &*resource.group {
        "" => format!("api/{}", resource.version),
        group => format!("apis/{group}/{}", resource.version),
    }
}

fn index(store: &Store) -> Value {
    let roots: BTreeMap<String, Value> = store
        .types()
        .map(|resource| {
            let root = root(resource);
            // The types of a custom group may change, so clients must not cache the document.
            let url = format!("/openapi/v3/{root}?hash={}", store.revision);
            (root, json!({ "serverRelativeURL": url }))
        })
        .collect();
    json!({ "paths": roots })
}

fn document(store: &Store, wanted: &str) -> Option<Value> {
    let types: Vec<&ResourceType> =
        store.types().map(AsRef::as_ref).filter(|resource| root(resource) == wanted).collect();
    if types.is_empty() {
        return None;
    }
    let paths: Map<String, Value> = types
        .iter()
        .map(|resource| {
            let scope = if resource.namespaced { "namespaces/{namespace}/" } else { "" };
            let path = format!("/{wanted}/{scope}{}/{{name}}", resource.plural);
            let parameter = |name: &str| json!({ "name": name, "in": "query" });
            let operation = json!({
                "x-kubernetes-action": "patch",
                "x-kubernetes-group-version-kind": shape::kind(resource),
                "parameters": [
                    parameter("dryRun"), parameter("fieldManager"), parameter("fieldValidation"),
                ],
                "responses": { "200": { "description": "OK" } },
            });
            (path, json!({ "patch": operation }))
        })
        .collect();
    Some(json!({
        "openapi": "3.0.0", "info": { "title": "Kubernetes", "version": VERSION },
        "paths": paths, "components": { "schemas": shape::schemas(types.into_iter()) },
    }))
}
