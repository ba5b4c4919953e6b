//! The part of `OpenAPI` v3 that clients need: the served types, and that patches support
//! `fieldValidation` and `dryRun`. There are no schemas and no `OpenAPI` v2.
//!
//! kubectl needs this to apply anything with validation. Media types are left out: with them,
//! kubectl would look for schemas to create strategic merge patches, but without them it uses its
//! own.

use std::collections::BTreeMap;

use http::Response;
use serde_json::{Map, Value, json};

use super::body::ResponseBody;
use super::body::full;
use super::form::streamed;
use crate::api_server::failure::Failure;
use crate::api_server::resource::ResourceType;
use crate::api_server::store::Store;

pub(crate) fn answer(store: &Store, path: &str) -> Option<Result<Response<ResponseBody>, Failure>> {
    let rest = path.strip_prefix("/openapi/v3")?.trim_matches('/');
    let value = if rest.is_empty() { Some(index(store)) } else { document(store, rest) };
    Some(value.map(|value| streamed(full(value.to_string()))).ok_or_else(Failure::not_served))
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
    let types: Vec<_> = store.types().filter(|resource| root(resource) == wanted).collect();
    if types.is_empty() {
        return None;
    }
    let paths: Map<String, Value> = types
        .into_iter()
        .map(|resource| {
            let scope = if resource.namespaced { "namespaces/{namespace}/" } else { "" };
            let path = format!("/{wanted}/{scope}{}/{{name}}", resource.plural);
            let parameter = |name: &str| json!({ "name": name, "in": "query" });
            let operation = json!({
                "x-kubernetes-action": "patch",
                "x-kubernetes-group-version-kind": {
                    "group": resource.group, "version": resource.version, "kind": resource.kind,
                },
                "parameters": [
                    parameter("dryRun"), parameter("fieldManager"), parameter("fieldValidation"),
                ],
                "responses": { "200": { "description": "OK" } },
            });
            (path, json!({ "patch": operation }))
        })
        .collect();
    Some(json!({
        "openapi": "3.0.0", "info": { "title": "Kubernetes", "version": "v1.36.2+embedded" },
        "paths": paths,
    }))
}
