//! Every recorded answer of a real API server, replayed over a TCP socket: cut as it was
//! recorded, one byte at a time, and cut off in the middle.

use std::fmt::Debug;
use std::path::Path;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{Pod, Service};
use kube::Resource;
use kube::core::{ApiResource, DynamicObject, GroupVersionKind, PartialObjectMeta};
use kube_informer::SourceError;
use kube_informer::error::Fault;
use kube_informer::lister_watcher::{
    ListHints, ListItem, ListMetadata, ListQuery, ListerWatcher, SourceObject, Undecodable,
    WatchItem, WatchQuery,
};
use kube_informer::transport::ApiSource;
use kube_informer::transport::protobuf::ProtobufObject;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::helpers::spawn;
use crate::replay::{Answer, Cut, replay};

#[derive(Clone, Debug, serde::Deserialize)]
struct Row {
    file: String,
    path: String,
    status: u16,
    headers: std::collections::BTreeMap<String, String>,
    #[serde(default)]
    chunks: Vec<usize>,
    bytes: usize,
}

impl Row {
    fn body(&self) -> Vec<u8> {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/transcripts").join(&self.file);
        let body = std::fs::read(path).unwrap();
        assert_eq!(body.len(), self.bytes, "{}", self.file);
        body
    }

    fn is_protobuf(&self) -> bool {
        self.file.contains("-pb.") && !self.file.contains(".json")
    }

    /// The row of the same answer in JSON.
    fn in_json(&self) -> Self {
        let file = self.file.replace("-pb.pb", "-json.json");
        rows().into_iter().find(|row| row.file == file).unwrap_or_else(|| self.clone())
    }

    fn is_watch(&self) -> bool {
        self.path.contains("watch=1")
    }

    async fn client(&self, cut: Cut) -> kube::Client {
        let headers = self.headers.iter().filter(|(name, _)| *name != "Transfer-Encoding");
        let headers = headers.map(|(name, value)| (name.clone(), value.clone())).collect();
        replay(Answer { status: self.status, headers, body: self.body(), cut }).await
    }
}

fn rows() -> Vec<Row> {
    serde_json::from_str(include_str!("../data/transcripts/index.json")).unwrap()
}

/// The result of a request, in a form that can be compared.
#[derive(Debug, Default)]
struct Told {
    objects: Vec<(&'static str, Value)>,
    metadata: Option<ListMetadata>,
    /// Version and whether the initial events ended.
    bookmarks: Vec<(String, bool)>,
    error: Option<SourceError>,
    /// Events that carry an error and objects that could not be decoded.
    faults: Vec<SourceError>,
}

impl Told {
    fn object<K: Resource + Serialize + Send + Sync + 'static>(
        &mut self,
        event: &'static str,
        object: Result<SourceObject<K>, Undecodable>,
    ) {
        match object {
            Ok(object) => {
                let object = object.into_decoded().expect("nothing packs");
                self.objects.push((event, serde_json::to_value(object).unwrap()));
            }
            Err(undecodable) => self.faults.push(undecodable.error),
        }
    }
}

async fn ask<K>(source: ApiSource<K>, watch: bool) -> Told
where
    K: Resource + Serialize + Send + Sync + 'static,
{
    let mut told = Told::default();
    let asking = async {
        if watch {
            let timeout = Duration::from_secs(300);
            let query = WatchQuery::new(timeout);
            let mut stream = source.watch(&query, &ListHints::none()).await?;
            while let Some(item) = stream.next().await {
                match item? {
                    WatchItem::Added(decoded) => told.object("ADDED", decoded),
                    WatchItem::Modified(decoded) => told.object("MODIFIED", decoded),
                    WatchItem::Deleted(decoded) => told.object("DELETED", decoded),
                    WatchItem::Bookmark { version, initial_events_end } => {
                        told.bookmarks.push((version.to_string(), initial_events_end));
                    }
                    WatchItem::Failed(error) | WatchItem::Skipped(error) => told.faults.push(error),
                    WatchItem::Outside { .. } => panic!("no shard was requested"),
                }
            }
        } else {
            let mut stream = source.list(&ListQuery::default(), &ListHints::none()).await?;
            while let Some(item) = stream.next().await {
                match item? {
                    ListItem::Object(decoded) => told.object("", decoded),
                    ListItem::Outside(_) => {}
                    ListItem::Meta(metadata) => told.metadata = Some(metadata),
                }
            }
        }
        Ok(())
    };
    told.error = asking.await.err();
    told
}

/// The object as its type keeps it.
fn kept<K: DeserializeOwned + Serialize>(value: &Value) -> Value {
    serde_json::to_value(serde_json::from_value::<K>(value.clone()).unwrap()).unwrap()
}

/// The events of a watch.
fn events(row: &Row) -> Vec<Value> {
    let body = row.body();
    if !row.is_protobuf() {
        let events = serde_json::Deserializer::from_slice(&body).into_iter::<Value>();
        return events.map(Result::unwrap).collect();
    }
    let (mut events, mut rest) = (vec![], &body[..]);
    while let Some((length, frame)) = rest.split_first_chunk() {
        let event;
        (event, rest) = frame.split_at(u32::from_be_bytes(*length).try_into().unwrap());
        let event = ProtobufObject::from_message("v1", "WatchEvent", event).unwrap();
        events.push(event.decode().unwrap());
    }
    events
}

/// Returns the contents of the whole body, decoded by serde only. A list in protobuf has the
/// objects of the one in JSON.
fn expected<K: DeserializeOwned + Serialize>(row: &Row) -> Told {
    let mut told = Told::default();
    if row.is_watch() {
        for event in events(row) {
            let object = &event["object"];
            let kind = match event["type"].as_str().unwrap() {
                "ADDED" => "ADDED",
                "MODIFIED" => "MODIFIED",
                "DELETED" => "DELETED",
                "BOOKMARK" => {
                    let version = object["metadata"]["resourceVersion"].as_str().unwrap();
                    let end = &object["metadata"]["annotations"]["k8s.io/initial-events-end"];
                    told.bookmarks.push((version.to_owned(), end == "true"));
                    continue;
                }
                _ => continue,
            };
            told.objects.push((kind, kept::<K>(object)));
        }
    } else {
        let list: Value = serde_json::from_slice(&row.in_json().body()).unwrap();
        for item in list["items"].as_array().into_iter().flatten() {
            let mut item = item.clone();
            if std::any::type_name::<K>().contains("DynamicObject") {
                item["kind"] = "Widget".into();
                item["apiVersion"] = "example.com/v1".into();
            }
            told.objects.push(("", kept::<K>(&item)));
        }
        let text = |value: &Value| value.as_str().filter(|s| !s.is_empty()).map(str::to_owned);
        // Between the two recordings the list's own version went on.
        let own = row.is_protobuf().then(|| row.body());
        let own: Option<Value> =
            own.map(|body| ProtobufObject::from_envelope(&body).unwrap().decode().unwrap());
        let metadata = &own.as_ref().unwrap_or(&list)["metadata"];
        told.metadata = Some(ListMetadata {
            version: text(&metadata["resourceVersion"]).map(|version| (&*version).into()),
            continue_token: text(&metadata["continue"]),
            remaining: metadata["remainingItemCount"].as_u64(),
            sharded: metadata.get("shardInfo").is_some(),
        });
    }
    told
}

async fn check<K>(row: &Row, source: impl Fn(kube::Client) -> ApiSource<K>)
where
    K: Resource + DeserializeOwned + Serialize + Send + Sync + 'static + Debug,
{
    let expected = expected::<K>(row);
    for cut in [Cut::Chunks(row.chunks.clone()), Cut::Bytes] {
        let told = ask(source(row.client(cut.clone()).await), row.is_watch()).await;
        let context = format!("{} {cut:?}", row.file);
        assert!(told.error.is_none(), "{context}: {:?}", told.error);
        assert_eq!(told.objects, expected.objects, "{context}");
        assert_eq!(told.metadata, expected.metadata, "{context}");
        assert_eq!(told.bookmarks, expected.bookmarks, "{context}");
    }
    let half = row.bytes / 2;
    let told = ask(source(row.client(Cut::Off(half)).await), row.is_watch()).await;
    let error =
        told.error.unwrap_or_else(|| panic!("{}: a torn answer passed for whole", row.file));
    assert!(
        matches!(error.fault(), Fault::Interrupted { received, .. } if *received == half as u64),
        "{}: {error}",
        row.file
    );
    assert!(told.objects.len() <= expected.objects.len());
    assert_eq!(told.objects, expected.objects[..told.objects.len()], "{} torn", row.file);
}

/// A failure says the same however it is cut; torn, at least its code is known.
async fn check_failure(row: &Row) {
    let body = row.body();
    let says: Value = if row.is_protobuf() {
        ProtobufObject::from_envelope(&body).unwrap().decode().unwrap()
    } else {
        serde_json::from_slice(&body).unwrap_or_default()
    };
    for cut in [Cut::Chunks(vec![]), Cut::Bytes, Cut::Off(row.bytes / 2)] {
        let torn = matches!(cut, Cut::Off(_));
        let told = ask(ApiSource::<Pod>::new(row.client(cut).await), row.is_watch()).await;
        let error = told.error.unwrap_or_else(|| panic!("{} passed for a success", row.file));
        let Fault::Status(status) = error.fault() else { panic!("{}: {error}", row.file) };
        assert_eq!(status.code, row.status, "{}", row.file);
        if torn {
            continue;
        }
        assert_eq!(status.reason, says["reason"].as_str().unwrap_or_default(), "{}", row.file);
        let text = String::from_utf8_lossy(&body);
        let message = says["message"].as_str().unwrap_or(text.trim());
        assert_eq!(status.message, message, "{}", row.file);
        let retry = row.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("retry-after"));
        let seconds = retry.map(|(_, value)| value.parse().unwrap());
        assert_eq!(status.retry_after, seconds.map(Duration::from_secs), "{}", row.file);
        let causes = says["details"]["causes"].as_array().map_or(0, Vec::len);
        assert_eq!(status.causes.len(), causes, "{}", row.file);
    }
}

/// A success that is no list: nothing of it may pass for one that could be watched from.
async fn check_no_list(row: &Row) {
    let told = ask(ApiSource::<Pod>::new(row.client(Cut::Bytes).await), false).await;
    let version = told.metadata.and_then(|metadata| metadata.version);
    assert!(told.error.is_some() || version.is_none(), "{} passed for a list", row.file);
}

fn whole<K>(client: kube::Client) -> ApiSource<K>
where
    K: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static,
{
    ApiSource::new(client).managed_fields(true)
}

fn widgets(client: kube::Client) -> ApiSource<DynamicObject> {
    let kind = GroupVersionKind::gvk("example.com", "v1", "Widget");
    ApiSource::dynamic(client, ApiResource::from_gvk(&kind)).managed_fields(true)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn recorded_answers_decode_however_they_are_cut() {
    let successes = rows().into_iter().filter(|row| row.status == 200);
    let tasks: Vec<_> = successes.map(|row| spawn(check_success(row))).collect();
    let replayed = tasks.len();
    for task in tasks {
        task.await.unwrap();
    }
    println!("{replayed} answers replayed");
}

/// With time that stands still, because a failure's text is read for some seconds only.
#[tokio::test(start_paused = true)]
async fn recorded_failures_say_the_same_however_they_are_cut() {
    // Paused time moves when nothing is ready, as while a socket is waited for.
    let busy = spawn(async {
        loop {
            tokio::task::yield_now().await;
        }
    });
    let failures: Vec<_> = rows().into_iter().filter(|row| row.status != 200).collect();
    for row in &failures {
        check_failure(row).await;
    }
    println!("{} failures replayed", failures.len());
    busy.abort();
}

async fn check_success(row: Row) {
    let file = row.file.as_str();
    if file.contains("metadata-only") {
        check(&row, whole::<PartialObjectMeta<Pod>>).await;
    } else if row.path.contains("/widgets") {
        check(&row, widgets).await;
    } else if row.path.contains("/services") {
        check(&row, whole::<Service>).await;
    } else if row.is_watch() || file.starts_with("list-") && file != "list-table-json.json" {
        check(&row, whole::<Pod>).await;
    } else {
        check_no_list(&row).await;
    }
}

#[tokio::test]
async fn expired_watch_has_an_error_event() {
    for file in ["watch-expired-json.json", "watch-expired-pb.pb"] {
        let row = rows().into_iter().find(|row| row.file == file).unwrap();
        let told = ask(ApiSource::<Pod>::new(row.client(Cut::Bytes).await), true).await;
        assert_eq!(told.faults.len(), 1, "{file}");
        assert_eq!(told.faults[0].class(), kube_informer::error::FaultClass::Expired, "{file}");
    }
}

/// Returns the structure of a value, without its contents.
fn shape(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), shape(value))).collect()
        }
        Value::Array(elements) => elements.iter().map(shape).collect(),
        Value::String(_) => "text".into(),
        Value::Number(_) => 1.into(),
        other => other.clone(),
    }
}

/// The two watches were of like writes, one after the other: names and versions differ.
#[test]
fn recorded_watches_match_in_both_encodings() {
    let mut compared = 0;
    for row in rows().iter().filter(|row| row.is_protobuf() && row.is_watch()) {
        // The number of bookmarks after the last change depends on time.
        let changes = |row: &Row| {
            let mut events = events(row);
            events.dedup_by(|b, a| a["type"] == "BOOKMARK" && b["type"] == "BOOKMARK");
            events
        };
        let (protobuf, json) = (changes(row), changes(&row.in_json()));
        let shapes = |events: &[Value]| events.iter().map(shape).collect::<Vec<_>>();
        assert_eq!(shapes(&protobuf), shapes(&json), "{}", row.file);
        compared += 1;
    }
    println!("{compared} watches compared");
    assert_eq!(compared, 7);
}

fn answer(body: impl Into<Vec<u8>>) -> Answer {
    let headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
    Answer { status: 200, headers, body: body.into(), cut: Cut::Chunks(vec![]) }
}

async fn told_of(body: impl Into<Vec<u8>>, watch: bool) -> Told {
    ask(ApiSource::<Pod>::new(replay(answer(body)).await), watch).await
}

#[tokio::test]
async fn non_list_is_a_typed_error_with_position() {
    for (body, offset) in [("<html></html>", 0), ("[1]", 0), (r#"{"items":[{},"#, 13)] {
        let error = told_of(body, false).await.error.unwrap();
        match error.fault() {
            Fault::Malformed { offset: at, .. } => assert_eq!(*at, offset, "{body}"),
            Fault::Truncated { received, .. } => assert_eq!(*received, offset, "{body}"),
            other => panic!("{other}"),
        }
    }
    let mut html = answer("<html>");
    html.headers[0].1 = "text/html".into();
    let error = ask(ApiSource::<Pod>::new(replay(html).await), false).await.error.unwrap();
    assert!(matches!(error.fault(), Fault::MediaType(_)), "{error}");
    let error = told_of(r#"{"kind":"Status","status":"Failure"}"#, false).await.error.unwrap();
    assert_eq!(error.code(), Some(500), "{error}");
    let error = told_of(r#"{"kind":"Status","status":"Success"}"#, false).await.error.unwrap();
    assert!(matches!(error.fault(), Fault::WrongKind { .. }), "{error}");
}

#[tokio::test]
async fn one_poisoned_object_is_one_problem() {
    let good = r#"{"metadata":{"name":"good","namespace":"a","resourceVersion":"1"}}"#;
    let bad = r#"{"metadata":{"name":"bad","namespace":"a","resourceVersion":"2"},"spec":7}"#;
    let list =
        format!(r#"{{"metadata":{{"resourceVersion":"3"}},"items":[{good},{bad},{{}},{good}]}}"#);
    let told = told_of(list, false).await;
    assert_eq!(
        told.objects.len(),
        3,
        "an object without a name is decoded: the reflector judges it"
    );
    let Fault::Undecodable { key, .. } = told.faults[0].fault() else { panic!() };
    assert_eq!(key.as_ref().unwrap().to_string(), "a/bad");
    let utf8 =
        [br#"{"metadata":{},"items":[{"metadata":{"name":"x"#, &b"\xff"[..], br#""}}]}"#].concat();
    let told = told_of(utf8, false).await;
    assert!(told.error.is_none() && told.faults.len() == 1);
}

#[tokio::test]
async fn object_of_64_mib_costs_only_itself() {
    let good = r#"{"metadata":{"name":"good","resourceVersion":"1"}}"#;
    let huge = format!(
        r#"{{"metadata":{{"name":"huge","namespace":"a","resourceVersion":"2"}},"data":"{}"}}"#,
        "x".repeat(64 << 20)
    );
    let list =
        format!(r#"{{"metadata":{{"resourceVersion":"3"}},"items":[{good},{huge},{good}]}}"#);
    let begins = list.find(&huge).unwrap() as u64;
    let told = told_of(list, false).await;
    assert_eq!((told.objects.len(), told.faults.len()), (2, 1));
    let Fault::TooLarge { offset, limit } = told.faults[0].fault() else { panic!() };
    assert_eq!((*offset, *limit), (begins, 16 << 20));
    let event = |object: &str| format!("{{\"type\":\"ADDED\",\"object\":{object}}}\n");
    let told = told_of(format!("{}{}{}", event(good), event(&huge), event(good)), true).await;
    assert_eq!((told.objects.len(), told.faults.len()), (2, 1));
}

#[tokio::test]
async fn event_of_another_kind_is_a_fault() {
    let watch = concat!(
        "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Node\",\"metadata\":{\"name\":\"n\"}}}\n",
        "{\"type\":\"RENAMED\",\"object\":{\"kind\":\"Pod\"}}\n",
        "{\"nothing\":1}\n",
        "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"metadata\":{}}}\n",
        "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"}}}\n",
    );
    let told = told_of(watch, true).await;
    assert!(told.error.is_none());
    assert_eq!((told.objects.len(), told.faults.len()), (1, 4));
    assert!(matches!(told.faults[0].fault(), Fault::WrongKind { found, .. } if found == "Node"));
}

#[tokio::test]
async fn error_event_does_not_quote_its_object() {
    let watch = r#"{"type":"ERROR","object":{"kind":"Secret","data":{"password":"hunter2"}}}"#;
    let told = told_of(watch, true).await;
    assert!(matches!(told.faults[0].fault(), Fault::Malformed { .. }), "{}", told.faults[0]);
    assert!(!format!("{} {:?}", told.faults[0], told.faults[0]).contains("hunter2"));
}

#[tokio::test]
async fn whole_objects_are_accepted_as_metadata() {
    let watch = concat!(
        r#"{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"p"},"spec":{}}}"#,
        r#"{"type":"ADDED","object":{"kind":"PartialObjectMetadata","metadata":{"name":"q"}}}"#,
        r#"{"type":"ADDED","object":{"kind":"Node","metadata":{"name":"n"}}}"#,
    );
    let source = ApiSource::<PartialObjectMeta<Pod>>::new(replay(answer(watch)).await);
    assert_eq!(&*source.collection().kind, "Pod");
    let told = ask(source, true).await;
    assert_eq!((told.objects.len(), told.faults.len()), (2, 1));
}

#[tokio::test]
async fn oversized_resource_is_named_behind_its_annotations() {
    let annotation = "a".repeat(20_000);
    let huge = format!(
        r#"{{"apiVersion":"example.com/v1","kind":"Widget","metadata":{{"annotations":{{"last":"{annotation}"}},"name":"huge","namespace":"a"}},"spec":"{}"}}"#,
        "x".repeat(100_000)
    );
    let list = format!(r#"{{"items":[{huge}],"kind":"WidgetList","metadata":{{}}}}"#);
    let source = widgets(replay(answer(list)).await).object_limit(50_000);
    let mut items = source.list(&ListQuery::default(), &ListHints::none()).await.unwrap();
    let Some(Ok(ListItem::Object(Err(undecodable)))) = items.next().await else { panic!() };
    assert_eq!(undecodable.key.unwrap().to_string(), "a/huge");
}

#[tokio::test]
async fn any_kind_with_items_is_a_list() {
    for (body, is_list) in [
        (r#"{"items":[],"kind":"WidgetCollection","metadata":{}}"#, true),
        (r#"{"kind":"WidgetCollection","items":null,"metadata":{}}"#, false),
        (r#"{"kind":"Widget","metadata":{"resourceVersion":"1"}}"#, false),
        (r#"{"kind":"Status","items":[]}"#, false),
        (r#"{"kind":"WidgetList","items":[],"metadata":{"remainingItemCount":-1}}"#, true),
        (r#"{"kind":"WidgetList","metadata":{"remainingItemCount":-1}}"#, false),
    ] {
        let told = ask(widgets(replay(answer(body)).await), false).await;
        assert_eq!(told.error.is_none(), is_list, "{body}: {:?}", told.error);
    }
}

#[tokio::test]
async fn refused_connection_and_bad_namespace_differ() {
    let mut config = kube::Config::new("http://127.0.0.1:1".parse().unwrap());
    config.default_retry = false;
    let client = kube::Client::try_from(config).unwrap();
    let error = ask(ApiSource::<Pod>::new(client.clone()), false).await.error.unwrap();
    assert_eq!(error.class(), kube_informer::error::FaultClass::Refused, "{error}");
    for namespace in ["a/../../b", "", "A", "a b"] {
        let source = ApiSource::<Pod>::new(client.clone()).namespace(namespace);
        let error = ask(source, false).await.error.unwrap();
        assert!(matches!(error.fault(), Fault::Request(_)), "{namespace:?}: {error}");
    }
}
