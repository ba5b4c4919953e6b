//! Each request of the transcripts, asked of the embedded server: same status, same media type,
//! same shape of the body. The server is brought to the revisions at which the real one was asked,
//! so that the recorded versions and continue tokens mean the same to both.

use std::collections::BTreeMap;
use std::io::Write;

use k8s_openapi::api::core::v1::Service;
use kube_informer::transport::protobuf::ProtobufObject;
use serde_json::json;

use super::*;

/// Rows that this server can't answer alike, and why.
const OTHERWISE: [(&str, &str); 1] =
    [("error-429.txt", "there is no limit of requests in flight; tests answer 429 by `intercept`")];

/// Members that are not told: hashes of storage.
const UNTOLD: [&str; 1] = ["storageVersionHash"];

#[derive(Clone, Debug, serde::Deserialize)]
struct Row {
    file: String,
    method: String,
    path: String,
    accept: String,
    status: u16,
    headers: BTreeMap<String, String>,
}

impl Row {
    fn recorded(&self) -> Vec<u8> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/transcripts/");
        std::fs::read(format!("{folder}{}", self.file)).unwrap()
    }

    /// The same request, asked for JSON.
    fn in_json(&self) -> String {
        let ending = if self.file.starts_with("error") { ".json" } else { "-json.json" };
        self.file.replace("-pb.pb", ending)
    }

    fn is_watch(&self) -> bool {
        self.path.contains("watch=1") && self.status == 200
    }

    /// The revision the real server was at.
    fn revision(&self) -> u64 {
        match &*self.in_json() {
            "error-410-continue.json"
            | "error-410-exact.json"
            | "watch-expired-json.json"
            | "watchlist-from-rv-json.json" => 478,
            "watch-bookmarks-json.json" => 493,
            file if file.starts_with("list-shard") => 407,
            "watch-pods-selector-json.json" => 340,
            file if file.starts_with("watch") || file.starts_with("error-504") => 334,
            _ => 333,
        }
    }
}

/// Both must agree in this.
#[derive(Debug, PartialEq)]
enum Shape {
    Text,
    Number,
    Flag,
    Nothing,
    /// One shape for all elements.
    List(Option<Box<Shape>>),
    Members(BTreeMap<String, Shape>),
    /// A text that is part of the API.
    Word(String),
}

fn shape(value: &Value) -> Shape {
    match value {
        Value::Null => Shape::Nothing,
        Value::Bool(_) => Shape::Flag,
        Value::Number(_) => Shape::Number,
        Value::String(_) => Shape::Text,
        Value::Array(elements) => {
            let shapes = elements.iter().map(shape);
            Shape::List(shapes.reduce(merged).map(Box::new))
        }
        Value::Object(members) => {
            let told = members.iter().filter(|(name, _)| !UNTOLD.contains(&name.as_str()));
            let shapes = told.map(|(name, value)| (name.clone(), member(name, value)));
            Shape::Members(shapes.collect())
        }
    }
}

fn member(name: &str, value: &Value) -> Shape {
    let word =
        matches!(name, "kind" | "apiVersion" | "reason" | "status" | "type" | "groupVersion");
    match value {
        Value::String(text) if word => Shape::Word(text.clone()),
        // The names of managed fields differ by object.
        Value::Array(_) if name == "managedFields" => Shape::List(None),
        Value::Number(code) if name == "code" => Shape::Word(code.to_string()),
        value => shape(value),
    }
}

fn merged(a: Shape, b: Shape) -> Shape {
    match (a, b) {
        (Shape::Members(mut a), Shape::Members(b)) => {
            for (name, shape) in b {
                let both = match a.remove(&name) {
                    Some(found) => merged(found, shape),
                    None => shape,
                };
                a.insert(name, both);
            }
            Shape::Members(a)
        }
        (Shape::List(Some(a)), Shape::List(Some(b))) => Shape::List(Some(Box::new(merged(*a, *b)))),
        (Shape::List(a), Shape::List(b)) => Shape::List(a.or(b)),
        (Shape::Word(a), Shape::Word(b)) if a != b => Shape::Text,
        (Shape::Nothing, other) | (other, Shape::Nothing) => other,
        (a, _) => a,
    }
}

/// Returns the path at which two shapes differ.
fn parting(ours: &Shape, real: &Shape) -> Option<String> {
    match (ours, real) {
        (Shape::Members(ours), Shape::Members(real)) => {
            let lacking = real.keys().find(|name| !ours.contains_key(*name));
            let lacking = lacking.map(|name| format!(".{name} is lacking"));
            lacking.or_else(|| {
                ours.iter().find_map(|(name, ours)| match real.get(name) {
                    None => Some(format!(".{name} is too much")),
                    Some(real) => parting(ours, real).map(|at| format!(".{name}{at}")),
                })
            })
        }
        (Shape::List(Some(ours)), Shape::List(Some(real))) => {
            parting(ours, real).map(|at| format!("[]{at}"))
        }
        _ => (ours != real).then(|| format!(" is {ours:?}, not {real:?}")),
    }
}

/// The events of a watch. Bookmarks in a row count as one, because a real server repeats them.
fn shapes(told: &[Value]) -> Vec<(String, Shape)> {
    let told = told.iter();
    let mut told: Vec<(String, Shape)> =
        told.map(|e| (e["type"].as_str().unwrap().to_owned(), shape(&e["object"]))).collect();
    told.dedup_by(|a, b| a == b && a.0 == "BOOKMARK");
    told
}

/// A watch's events, in either encoding.
fn events(mut body: &[u8]) -> Vec<Value> {
    if body.first() == Some(&b'{') {
        let lines = std::str::from_utf8(body).unwrap().lines();
        return lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    }
    let mut events = Vec::new();
    while let Some((length, rest)) = body.split_first_chunk::<4>() {
        let (event, rest) = rest.split_at(u32::from_be_bytes(*length) as usize);
        let [(1, kind), (2, raw)] = fields(event)[..] else { panic!("a type and an object") };
        let [(1, object)] = fields(raw)[..] else { panic!("an object") };
        let object = parsed(object).unwrap();
        events.push(json!({ "type": std::str::from_utf8(kind).unwrap(), "object": object }));
        body = rest;
    }
    events
}

/// The fields of a message that holds nothing but bytes.
fn fields(mut message: &[u8]) -> Vec<(u8, &[u8])> {
    let mut fields = Vec::new();
    while let [tag, rest @ ..] = message {
        let end = rest.iter().position(|byte| byte & 0x80 == 0).unwrap();
        let length = rest[..=end].iter().rev().fold(0, |n, byte| n << 7 | usize::from(byte & 0x7f));
        let (bytes, rest) = rest[end + 1..].split_at(length);
        fields.push((tag >> 3, bytes));
        message = rest;
    }
    fields
}

/// An object, in either encoding.
fn parsed(body: &[u8]) -> Option<Value> {
    if body.starts_with(b"k8s\0") {
        return Some(ProtobufObject::from_envelope(body).unwrap().decode().unwrap());
    }
    serde_json::from_slice(body).ok()
}

fn items(file: &str) -> Vec<Value> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/transcripts/");
    let list: Value =
        serde_json::from_slice(&std::fs::read(format!("{folder}{file}")).unwrap()).unwrap();
    let mut items = list["items"].as_array().unwrap().clone();
    for item in &mut items {
        let managers = item["metadata"]["managedFields"].take();
        tidy(item);
        if item["spec"]["clusterIP"].is_string() {
            // It is written directly, which notes no managers.
            item["metadata"]["managedFields"] = managers;
        }
    }
    items
}

/// Leaves what a client would send.
fn tidy(object: &mut Value) {
    let kept = ["name", "namespace", "labels", "annotations"];
    let metadata = object["metadata"].as_object_mut().unwrap();
    metadata.retain(|name, _| kept.contains(&name.as_str()));
}

async fn make(server: &ApiServer, root: &str, plural: &str, object: &Value) {
    if plural == "services" {
        // Its address is outside of this server's range.
        let service: Service = serde_json::from_value(object.clone()).unwrap();
        server.create(&service).unwrap();
        return;
    }
    let namespace = object["metadata"]["namespace"].as_str().unwrap();
    let path = format!("{root}/namespaces/{namespace}/{plural}");
    let mut made = ask(server, "POST", &path, &[], object).await;
    assert_eq!(made.status, 201, "{:?}", made.json());
    if object["status"].is_object() {
        let path = format!("{path}/{}/status", object["metadata"]["name"].as_str().unwrap());
        made = ask(server, "PUT", &path, &[], object).await;
        assert_eq!(made.status, 200, "{:?}", made.json());
    }
}

/// The server as the recording presupposes it, at a revision.
async fn prepared(row: &Row) -> ApiServer {
    if matches!(row.status, 401 | 403) {
        return ApiServer::builder().token("s3cret", "viewer", []).build();
    }
    let server = ApiServer::new();
    let mut definition = widget_definition("Namespaced", &any_fields());
    definition["spec"]["versions"][0]["subresources"] = json!({"status": {}});
    define(&server, &definition).await;
    for (file, root, plural) in [
        ("list-pods-json.json", "/api/v1", "pods"),
        ("list-services-json.json", "/api/v1", "services"),
        ("list-widgets-json.json", "/apis/example.com/v1", "widgets"),
    ] {
        for object in items(file) {
            make(&server, root, plural, &object).await;
        }
    }
    if row.in_json() == "watchlist-from-rv-json.json" {
        // One pod had been labelled before this was recorded.
        let path = "/api/v1/namespaces/shop/pods/web-01";
        let merge = [("content-type", "application/merge-patch+json")];
        let label = json!({"metadata": {"labels": {"r": "1"}}});
        assert_eq!(ask(&server, "PATCH", path, &merge, &label).await.status, 200);
    }
    let mut marker = map("marker");
    server.create(&marker).unwrap();
    while server.revision() < row.revision() {
        marker.data = Some([("at".into(), server.revision().to_string())].into());
        server.replace(&marker).unwrap();
    }
    assert_eq!(server.revision(), row.revision());
    if row.status == 410 || row.file.starts_with("watch-expired") {
        server.compact();
    }
    if row.file == "list-widgets-after-removal.json" {
        remove_definition(&server).await;
    }
    server
}

async fn remove_definition(server: &ApiServer) {
    let path = format!("{CRDS}/widgets.example.com");
    assert_eq!(ask(server, "DELETE", &path, &[], &Value::Null).await.status, 200);
}

/// Makes the writes that the recorder made while it watched.
async fn meanwhile(server: &ApiServer, row: &Row) {
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    match &*row.in_json() {
        "watch-pods-json.json" | "watch-pods-selector-json.json" | "watchlist-pods-json.json" => {
            let events = events(&row.recorded());
            let churn = |event: &&Value| event.to_string().contains("\"churn-");
            let mut pod = events.iter().find(churn).unwrap()["object"].clone();
            tidy(&mut pod);
            let name = pod["metadata"]["name"].as_str().unwrap().to_owned();
            let namespace = pod["metadata"]["namespace"].as_str().unwrap().to_owned();
            let path = format!("/api/v1/namespaces/{namespace}/pods");
            assert_eq!(ask(server, "POST", &path, &[], &pod).await.status, 201);
            let path = format!("{path}/{name}");
            let merge = [("content-type", "application/merge-patch+json")];
            let label = json!({"metadata": {"labels": {"app": "other"}}});
            assert_eq!(ask(server, "PATCH", &path, &merge, &label).await.status, 200);
            let status = json!({"status": last_status(&events)});
            let status_path = format!("{path}/status");
            assert_eq!(ask(server, "PATCH", &status_path, &merge, &status).await.status, 200);
            ask(server, "DELETE", &path, &[], &json!({"gracePeriodSeconds": 0})).await;
        }
        "watch-crd-removed-json.json" => remove_definition(server).await,
        _ => {}
    }
}

/// The status in which the recorded pod ended.
fn last_status(events: &[Value]) -> Value {
    let mut named = events.iter().filter(|e| e["object"]["metadata"]["name"].is_string());
    named.next_back().unwrap()["object"]["status"].clone()
}

async fn ask_row(server: &ApiServer, row: &Row) -> Answer {
    let token = if row.status == 401 { "Bearer wrong" } else { "Bearer s3cret" };
    let headers = [("accept", &*row.accept), ("authorization", token)];
    let body = match &*row.file {
        "error-409-create.json" | "error-409-update.json" => {
            let pods = items("list-pods-json.json");
            let named = pods.iter().find(|pod| pod["metadata"]["name"] == "web-01");
            let mut pod = named.unwrap().clone();
            if row.method == "PUT" {
                pod["metadata"]["resourceVersion"] = "1".into();
            }
            pod
        }
        "error-422.json" => json!({"metadata": {"name": "Bad_Name"}, "spec": {}}),
        _ => Value::Null,
    };
    ask(server, &row.method, &row.path, &headers, &body).await
}

/// Returns the difference, if any.
async fn compared(row: &Row) -> Option<String> {
    let server = prepared(row).await;
    let (ours, ()) = tokio::join!(ask_row(&server, row), meanwhile(&server, row));
    if ours.status != row.status {
        return Some(format!("status {} for {}: {:?}", ours.status, row.status, ours));
    }
    let headers = row.headers.iter().map(|(name, value)| (name.to_lowercase(), value));
    let headers: BTreeMap<String, &String> = headers.collect();
    if ours.media_type != *headers["content-type"] {
        return Some(format!("media type {}", ours.media_type));
    }
    let recorded = row.recorded();
    if row.is_watch() {
        let (ours, real) = (shapes(&events(&ours.body)), shapes(&events(&recorded)));
        let types = |told: &[(String, Shape)]| -> Vec<String> {
            told.iter().map(|(kind, _)| kind.clone()).collect()
        };
        if types(&ours) != types(&real) {
            return Some(format!("events {:?}, not {:?}", types(&ours), types(&real)));
        }
        let mut pairs = ours.iter().zip(&real).enumerate();
        return pairs.find_map(|(n, ((_, ours), (_, real)))| {
            parting(ours, real).map(|at| format!("event {n}: {at}"))
        });
    }
    let Some(mut real) = parsed(&recorded) else {
        return (ours.body != recorded).then(|| "another text".to_owned());
    };
    if row.file == "discovery-core.json" {
        // Tokens of service accounts are not made.
        let resources = real["resources"].as_array_mut().unwrap();
        resources.retain(|resource| resource["group"] != "authentication.k8s.io");
    }
    let mut ours = parsed(&ours.body)?;
    if row.file.starts_with("list-shard") {
        // Which objects are in a shard is a matter of their uids: here any.
        for list in [&mut ours, &mut real] {
            for item in list["items"].as_array_mut().into_iter().flatten() {
                *item = json!({ "uid": item["metadata"]["uid"] });
            }
        }
    }
    let (ours, real) = (shape(&ours), shape(&real));
    parting(&ours, &real)
}

#[tokio::test(start_paused = true)]
async fn every_recorded_request_is_answered_alike() {
    let rows: Vec<Row> =
        serde_json::from_str(include_str!("../../data/transcripts/index.json")).unwrap();
    let mut differing = Vec::new();
    for row in &rows {
        if let Some((_, why)) = OTHERWISE.iter().find(|(file, _)| *file == row.file) {
            let _ = writeln!(std::io::stderr(), "not asked: {}: {why}", row.file);
            continue;
        }
        if let Some(difference) = compared(row).await {
            differing.push(format!("{}: {difference}", row.file));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert!(rows.len() > 60);
}
