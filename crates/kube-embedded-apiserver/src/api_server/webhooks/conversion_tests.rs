//! Objects of custom types that a webhook converts.

use http::Method;
use serde_json::{Value, json};

use crate::api_server::ApiServer;
use crate::api_server::asking::send;

pub(super) const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// Returns a server with a type that has a host and port in one member in v1, in two in v2.
async fn server() -> ApiServer {
    let server = ApiServer::builder().strict().build();
    register(&server);
    let definition = definition("v1", true);
    let (status, body) = send(&server, Method::POST, DEFINITIONS, &definition).await;
    assert_eq!(status, 201, "{body}");
    server
}

fn register(server: &ApiServer) {
    server.convert("shop/convert", |object, version| async move { converted(object, version) });
}

/// Returns an object in the other version.
pub(super) fn converted(mut object: Value, version: String) -> Result<Value, String> {
    let spec = &mut object["spec"];
    if version == "example.com/v2" {
        let address = spec["address"].as_str().ok_or("no address")?.to_owned();
        let (host, port) = address.split_once(':').ok_or("no port")?;
        *spec = json!({"host": host, "port": port});
    } else {
        let text = |name: &str| spec[name].as_str().unwrap_or_default().to_owned();
        *spec = json!({"address": format!("{}:{}", text("host"), text("port"))});
    }
    object["apiVersion"] = version.into();
    Ok(object)
}

/// Returns the definition, with the version in which objects are stored, and with or without a
/// conversion by the webhook.
pub(super) fn definition(storage: &str, converts: bool) -> Value {
    let version = |name: &str, members: &[&str]| {
        let members: serde_json::Map<String, Value> =
            members.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
        json!({
            "name": name, "served": true, "storage": name == storage, "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "properties": members},
                "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}},
            }}},
        })
    };
    let webhook = json!({"strategy": "Webhook", "webhook": {
        "conversionReviewVersions": ["v1"],
        "clientConfig": {"service": {"namespace": "shop", "name": "convert", "path": "/c"}},
    }});
    json!({
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [version("v2", &["host", "port"]), version("v1", &["address"])],
            "conversion": if converts { webhook } else { json!({"strategy": "None"}) },
        },
    })
}

pub(super) fn path(version: &str, name: &str) -> String {
    format!("/apis/example.com/{version}/namespaces/default/widgets{name}")
}

pub(super) fn widget(version: &str, name: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": format!("example.com/{version}"), "kind": "Widget",
        "metadata": {"name": name}, "spec": spec,
    })
}

#[tokio::test(start_paused = true)]
async fn each_version_is_written_and_read() {
    let server = server().await;
    let one = widget("v1", "a", &json!({"address": "h:1"}));
    let (status, body) = send(&server, Method::POST, &path("v1", ""), &one).await;
    assert_eq!(status, 201, "{body}");
    let two = widget("v2", "b", &json!({"host": "g", "port": "2"}));
    let (status, made) = send(&server, Method::POST, &path("v2", ""), &two).await;
    assert_eq!((status.as_u16(), &made["spec"]), (201, &json!({"host": "g", "port": "2"})));
    let (_, read) = send(&server, Method::GET, &path("v1", "/b"), &Value::Null).await;
    assert_eq!(read["spec"], json!({"address": "g:2"}));
    let (_, mut read) = send(&server, Method::GET, &path("v2", "/a"), &Value::Null).await;
    assert_eq!(read["spec"], json!({"host": "h", "port": "1"}));
    read["spec"]["port"] = "3".into();
    let (status, body) = send(&server, Method::PUT, &path("v2", "/a"), &read).await;
    assert_eq!((status.as_u16(), &body["spec"]["port"]), (200, &json!("3")));
    let (_, listed) = send(&server, Method::GET, &path("v2", ""), &Value::Null).await;
    let specs: Vec<&Value> =
        listed["items"].as_array().unwrap().iter().map(|item| &item["spec"]).collect();
    assert_eq!(specs, [&json!({"host": "h", "port": "3"}), &json!({"host": "g", "port": "2"})]);
    let (_, stored) = send(&server, Method::GET, &path("v1", "/a"), &Value::Null).await;
    assert_eq!(stored["spec"], json!({"address": "h:3"}));
}

#[tokio::test(start_paused = true)]
async fn watch_shows_the_version_of_its_path() {
    let server = server().await;
    let one = widget("v1", "a", &json!({"address": "h:1"}));
    send(&server, Method::POST, &path("v1", ""), &one).await;
    let watch = path("v2", "?watch=1&resourceVersion=0&timeoutSeconds=1");
    let request = http::Request::get(watch);
    let request = request.body(http_body_util::Full::<bytes::Bytes>::default()).unwrap();
    let body = server.handle(request).await.into_body();
    let body = http_body_util::BodyExt::collect(body).await.unwrap().to_bytes();
    let event: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(event["object"]["spec"], json!({"host": "h", "port": "1"}));
    assert_eq!(event["object"]["apiVersion"], "example.com/v2");
}

#[tokio::test(start_paused = true)]
async fn failed_conversion_names_the_object() {
    let server = server().await;
    let one = widget("v1", "a", &json!({"address": "nowhere"}));
    let (_, made) = send(&server, Method::POST, &path("v1", ""), &one).await;
    let revision = made["metadata"]["resourceVersion"].as_str().unwrap();
    let problem = "conversion webhook for example.com/v1, Kind=Widget failed: no port";
    let undecodable = format!("object not decodable revision={revision}: {problem}");
    let corrupt = |root: &str| {
        format!(
            "StorageError: corrupt object, Code: 7, Key: {root}/example.com/widgets/default/a, \
             ResourceVersion: 0, AdditionalErrorMsg: {undecodable}"
        )
    };
    let (status, body) = send(&server, Method::GET, &path("v2", "/a"), &Value::Null).await;
    let message = format!("Internal error occurred: {}", corrupt(""));
    assert_eq!((status.as_u16(), &body["message"]), (500, &json!(message)));
    let (status, body) = send(&server, Method::GET, &path("v2", ""), &Value::Null).await;
    let registry = corrupt("/registry");
    let message =
        format!("failed to read one or more widgets.example.com from the storage: {registry}");
    assert_eq!((status.as_u16(), &body["message"]), (500, &json!(message)));
    let two = widget("v2", "a", &json!({"host": "g", "port": "2"}));
    let (status, body) = send(&server, Method::PUT, &path("v2", "/a"), &two).await;
    assert_eq!((status.as_u16(), &body["message"]), (500, &json!(undecodable)));
    // The stored version is not affected.
    let (status, _) = send(&server, Method::DELETE, &path("v1", "/a"), &json!({})).await;
    assert_eq!(status, 200);
}

#[tokio::test(start_paused = true)]
async fn objects_from_before_the_webhook_are_converted_at_read() {
    let server = ApiServer::new();
    let (status, body) = send(&server, Method::POST, DEFINITIONS, &definition("v1", true)).await;
    assert_eq!(status, 201, "{body}");
    let one = widget("v1", "a", &json!({"address": "h:1"}));
    let two = widget("v2", "b", &json!({"host": "g", "port": "2"}));
    send(&server, Method::POST, &path("v1", ""), &one).await;
    send(&server, Method::POST, &path("v2", ""), &two).await;
    register(&server);
    for (name, v1, v2) in [
        ("/a", json!({"address": "h:1"}), json!({"host": "h", "port": "1"})),
        ("/b", json!({"address": "g:2"}), json!({"host": "g", "port": "2"})),
    ] {
        let (_, read) = send(&server, Method::GET, &path("v1", name), &Value::Null).await;
        assert_eq!(read["spec"], v1, "{name}");
        let (_, read) = send(&server, Method::GET, &path("v2", name), &Value::Null).await;
        assert_eq!(read["spec"], v2, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn objects_keep_the_version_in_which_they_were_stored() {
    let server = ApiServer::new();
    register(&server);
    send(&server, Method::POST, DEFINITIONS, &definition("v1", false)).await;
    let one = widget("v1", "a", &json!({"address": "h:1"}));
    let (status, body) = send(&server, Method::POST, &path("v1", ""), &one).await;
    assert_eq!(status, 201, "{body}");
    let place = format!("{DEFINITIONS}/widgets.example.com");
    let (_, known) = send(&server, Method::GET, &place, &Value::Null).await;
    let mut changed = definition("v2", true);
    changed["metadata"]["resourceVersion"] = known["metadata"]["resourceVersion"].clone();
    let (status, body) = send(&server, Method::PUT, &place, &changed).await;
    assert_eq!(status, 200, "{body}");
    let (_, read) = send(&server, Method::GET, &path("v2", "/a"), &Value::Null).await;
    assert_eq!(read["spec"], json!({"host": "h", "port": "1"}));
    let (_, read) = send(&server, Method::GET, &path("v1", "/a"), &Value::Null).await;
    assert_eq!(read["spec"], json!({"address": "h:1"}));
}
