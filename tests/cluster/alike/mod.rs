//! The embedded server and a real one, asked the same in the same order: they have to answer with
//! the same status, the same warnings and the same body. What no two servers share, such as uids,
//! times and versions, is left out.

mod fields;
mod requests;
mod scales;
mod versions;

use std::fmt::Write;

use futures::FutureExt;
use http_body_util::BodyExt;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::client::Body;
use serde_json::{Value, json};

use super::backend::{Backend, Kind};
use super::harness::{Outcome, Trial};

pub(crate) const TRIALS: &[(&str, Trial)] = &[
    ("alike::schemas", || compare(fields::definition(), fields::asked()).boxed_local()),
    ("alike::requests", || compare(requests::definition(), requests::asked()).boxed_local()),
    ("alike::scales", || compare(scales::definition(), scales::asked()).boxed_local()),
    ("alike::versions", || compare(versions::definition(), versions::asked()).boxed_local()),
];

/// Members that no two servers share.
const OWN: [&str; 6] =
    ["uid", "creationTimestamp", "resourceVersion", "time", "storageVersionHash", "continue"];

const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";
const PATCH: &str = "application/json-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

/// One request. The version of an object that was read before is left to the servers.
struct Ask {
    method: &'static str,
    path: String,
    media_type: &'static str,
    accept: &'static str,
    /// None where it is empty.
    body: String,
}

impl Ask {
    #[expect(clippy::needless_pass_by_value, reason = "it is made for the call")]
    fn new(method: &'static str, path: impl Into<String>, body: Value) -> Self {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        Self { method, path: path.into(), media_type: JSON, accept: JSON, body }
    }

    /// One whose body need not be JSON.
    fn text(
        method: &'static str,
        path: impl Into<String>,
        media_type: &'static str,
        body: impl Into<String>,
    ) -> Self {
        Self { media_type, body: body.into(), ..Self::new(method, path, Value::Null) }
    }

    fn in_yaml(path: impl Into<String>) -> Self {
        Self { accept: "application/yaml", ..Self::get(path) }
    }

    fn get(path: impl Into<String>) -> Self {
        Self::new("GET", path, Value::Null)
    }

    fn patch(media_type: &'static str, path: impl Into<String>, body: Value) -> Self {
        Self { media_type, ..Self::new("PATCH", path, body) }
    }

    /// The status, then warnings, then the body.
    async fn of(&self, backend: &Backend) -> String {
        let request = http::Request::builder().method(self.method).uri(&self.path);
        let mut request = request.header("accept", self.accept);
        if !self.body.is_empty() {
            request = request.header("content-type", self.media_type);
        }
        let request =
            request.body(Body::from(self.body.clone().into_bytes())).expect("it is well-formed");
        let answer = backend.client.send(request).await.expect("an answer");
        let media_type = answer.headers().get("content-type").map(|value| value.to_str());
        let media_type = media_type.and_then(Result::ok).unwrap_or_default().to_owned();
        let mut told = format!("{} {media_type}\n", answer.status().as_u16());
        for warning in answer.headers().get_all("warning") {
            let _ = writeln!(told, "{}", warning.to_str().expect("it is text"));
        }
        let body = answer.into_body().collect().await.expect("a body").to_bytes();
        let value = match &*media_type {
            "application/yaml" => serde_saphyr::from_slice(&body).ok(),
            _ => serde_json::from_slice(&body).ok(),
        };
        match value {
            Some(mut value) => {
                level(&mut value);
                told + &serde_json::to_string_pretty(&value).expect("it is JSON")
            }
            // Lines of their own, as those of a watch.
            None => told + &String::from_utf8_lossy(&body),
        }
    }
}

/// Leaves out what no two servers share, and orders what has no order.
fn level(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, _| !OWN.contains(&name.as_str()));
            if members.get("causes").and_then(Value::as_array).is_some_and(|all| all.len() > 1) {
                members.insert("message".into(), "of several causes, in any order".into());
            }
            for (name, value) in &mut *members {
                level(value);
                if let ("causes" | "managedFields", Some(entries)) = (&**name, value.as_array_mut())
                {
                    entries.sort_by_key(Value::to_string);
                }
            }
            let several = members.get("details").and_then(|details| details["causes"].as_array());
            if several.is_some_and(|causes| causes.len() > 1) {
                members.remove("message");
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(level),
        _ => {}
    }
}

async fn compare(definition: Value, asked: Vec<Ask>) -> Outcome {
    let real = Backend::open(Kind::Apiserver).await?;
    let embedded = Backend::open(Kind::Embedded).await?;
    let definition: CustomResourceDefinition =
        serde_json::from_value(definition).expect("it is well-formed");
    for backend in [&real, &embedded] {
        backend.define(definition.clone()).await;
    }
    let mut differing = String::new();
    for ask in asked {
        let (real, ours) = (ask.of(&real).await, ask.of(&embedded).await);
        if real != ours {
            let (method, path, body) = (ask.method, &ask.path, &ask.body);
            let _ = writeln!(
                differing,
                "{method} {path} {body}\n  the real server: {real}\n  the embedded one: {ours}\n"
            );
        }
    }
    assert!(differing.is_empty(), "{differing}");
    Ok(())
}

/// A definition of gadgets with this schema, and whatever else their version has.
fn gadgets(group: &str, schema: &Value, more: Value) -> Value {
    let mut version = json!({
        "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema },
    });
    if let (Some(version), Value::Object(more)) = (version.as_object_mut(), more) {
        version.extend(more);
    }
    json!({
        "metadata": { "name": format!("gadgets.{group}") },
        "spec": {
            "group": group, "scope": "Namespaced",
            "names": { "plural": "gadgets", "kind": "Gadget" },
            "versions": [version],
        },
    })
}

fn gadget(group: &str, name: &str, more: Value) -> Value {
    let mut gadget = json!({
        "apiVersion": format!("{group}/v1"), "kind": "Gadget", "metadata": { "name": name },
    });
    if let (Some(gadget), Value::Object(more)) = (gadget.as_object_mut(), more) {
        gadget.extend(more);
    }
    gadget
}
