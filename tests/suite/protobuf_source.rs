//! Requests of a source, and its reading of the answers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use futures::StreamExt;
use http::Response;
use http::header::{ACCEPT, CONTENT_TYPE};
use k8s_openapi::api::core::v1::Pod;
use kube::client::Body;
use kube::core::{ApiResource, DynamicObject, GroupVersionKind, PartialObjectMeta};
use kube::{CustomResource, Resource, ResourceExt};
use kube_informer::error::{Fault, FaultClass};
use kube_informer::lister_watcher::{
    ListHints, ListItem, ListQuery, ListerWatcher, WatchItem, WatchQuery,
};
use kube_informer::transport::{ApiSource, Decode, DecodeError, SerdeDecode};
use serde::{Deserialize, Serialize};

use crate::helpers::{answered_by, envelope, field};

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// Status, media type and body.
type Answer = (u16, &'static str, Vec<u8>);

/// A server that gives these answers in turn, the last one for ever, and notes what was asked.
#[derive(Clone, Default)]
struct Server {
    answers: Arc<Mutex<VecDeque<Answer>>>,
    accepted: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn answering(answers: impl IntoIterator<Item = Answer>) -> Self {
        let answers = Arc::new(Mutex::new(answers.into_iter().collect()));
        Self { answers, ..Self::default() }
    }

    fn client(&self) -> kube::Client {
        let server = self.clone();
        answered_by(move |request| {
            let accept = request.headers()[ACCEPT].to_str().unwrap().to_owned();
            server.accepted.lock().unwrap().push(accept);
            let mut answers = server.answers.lock().unwrap();
            let (status, media_type, body) = match answers.len() {
                1 => answers[0].clone(),
                _ => answers.pop_front().unwrap(),
            };
            let response = Response::builder().status(status).header(CONTENT_TYPE, media_type);
            response.body(Body::from(body)).unwrap()
        })
    }

    /// Returns for each request whether it asked for protobuf.
    fn asked_for_protobuf(&self) -> Vec<bool> {
        let accepted = self.accepted.lock().unwrap();
        accepted.iter().map(|accept| accept.contains(PROTOBUF)).collect()
    }
}

fn named(name: &str, more: &[u8]) -> Vec<u8> {
    let metadata = [field(1, name), field(3, "shop"), field(6, "7")].concat();
    [&field(1, metadata), more].concat()
}

fn list(kind: &str, items: &[Vec<u8>]) -> Vec<u8> {
    let items: Vec<u8> = items.iter().flat_map(|item| field(2, item)).collect();
    envelope("v1", kind, [field(1, field(2, "9")), items].concat())
}

const EMPTY: &[u8] = br#"{"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[]}"#;

/// Names of the objects, and what is wrong with others.
async fn listed<K: Resource + Send + Sync + 'static>(
    source: &ApiSource<K>,
) -> Result<(Vec<String>, Vec<String>), kube_informer::SourceError> {
    let (mut names, mut faults) = (vec![], vec![]);
    let mut items = source.list(&ListQuery::default(), &ListHints::none()).await?;
    while let Some(item) = items.next().await {
        match item? {
            ListItem::Object(Ok(object)) => {
                let object = object.into_decoded().expect("nothing was known");
                names.push(object.meta().name.clone().unwrap());
            }
            ListItem::Object(Err(undecodable)) => {
                faults.push(format!(
                    "{:?} {}",
                    undecodable.key.unwrap().to_string(),
                    undecodable.error
                ));
            }
            ListItem::Outside(_) => {}
            ListItem::Meta(metadata) => assert!(metadata.version.is_some()),
        }
    }
    Ok((names, faults))
}

#[tokio::test]
async fn refused_protobuf_falls_back_to_json() {
    let server = Server::answering([
        (406, "text/plain", b"no".to_vec()),
        (200, "application/json", EMPTY.to_vec()),
    ]);
    let source = ApiSource::<Pod>::new(server.client());
    listed(&source).await.unwrap();
    listed(&source).await.unwrap();
    assert_eq!(server.asked_for_protobuf(), [true, false, false]);
}

#[tokio::test]
async fn a_refusal_of_json_is_an_error() {
    let server = Server::answering([(406, "text/plain", b"no".to_vec())]);
    let source = ApiSource::<Pod>::new(server.client());
    let error = listed(&source).await.unwrap_err();
    assert_eq!((error.code(), error.class()), (Some(406), FaultClass::Invalid));
    assert_eq!(server.asked_for_protobuf(), [true, false]);
}

#[tokio::test]
async fn json_instead_of_protobuf_is_remembered() {
    let server = Server::answering([
        (503, "application/json", b"{}".to_vec()),
        (200, "application/json;charset=utf-8", EMPTY.to_vec()),
    ]);
    let source = ApiSource::<Pod>::new(server.client());
    assert!(listed(&source).await.is_err());
    listed(&source).await.unwrap();
    listed(&source).await.unwrap();
    assert_eq!(server.asked_for_protobuf(), [true, true, false]);
}

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, schemars::JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Widget", namespaced)]
struct WidgetSpec {}

struct JsonOnly;

impl Decode<Pod> for JsonOnly {
    fn decode(&self, object: &[u8]) -> Result<Pod, DecodeError> {
        SerdeDecode::new().decode(object)
    }
}

#[tokio::test]
async fn protobuf_is_asked_only_of_what_has_it() {
    let server = Server::answering([(200, "application/json", EMPTY.to_vec())]);
    let client = server.client();
    listed(&ApiSource::<Widget>::new(client.clone())).await.unwrap();
    listed(&ApiSource::<Pod>::new(client.clone()).json_only()).await.unwrap();
    listed(&ApiSource::<Pod>::new(client.clone()).decoder(JsonOnly)).await.unwrap();
    let pods = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "Pod"));
    listed(&ApiSource::<DynamicObject>::dynamic(client.clone(), pods)).await.unwrap();
    assert_eq!(server.asked_for_protobuf(), [false; 4]);
    listed(&ApiSource::<PartialObjectMeta<Widget>>::new(client)).await.unwrap();
    assert_eq!(server.asked_for_protobuf()[4..], [true]);
}

#[tokio::test]
async fn unrequested_protobuf_is_refused() {
    let server = Server::answering([(200, PROTOBUF, list("PodList", &[]))]);
    let error = listed(&ApiSource::<Pod>::new(server.client()).json_only()).await.unwrap_err();
    assert!(matches!(error.fault(), Fault::MediaType(_)), "{error}");
}

#[tokio::test]
async fn one_poisoned_object_is_one_problem() {
    // A status that holds no message; a pod of more than the limit; an empty one.
    let bad = named("bad", &field(3, [0xff; 3]));
    let huge = named("huge", &field(2, field(10, "n".repeat(9000))));
    let items = [named("a", b""), bad, huge, named("z", b"")];
    let server = Server::answering([(200, PROTOBUF, list("PodList", &items))]);
    let source = ApiSource::<Pod>::new(server.client()).object_limit(8000);
    let (names, faults) = listed(&source).await.unwrap();
    assert_eq!(names, ["a", "z"]);
    assert!(
        faults[0].starts_with(r#""shop/bad""#) && faults[0].contains("at byte"),
        "{}",
        faults[0]
    );
    assert!(
        faults[1].starts_with(r#""shop/huge""#) && faults[1].contains("limit"),
        "{}",
        faults[1]
    );
}

#[tokio::test]
async fn list_of_another_kind_is_an_error() {
    for (kind, is) in [("PodList", true), ("NodeList", false), ("Status", false), ("Pod", false)] {
        let server = Server::answering([(200, PROTOBUF, list(kind, &[]))]);
        let found = listed(&ApiSource::<Pod>::new(server.client())).await;
        assert_eq!(found.is_ok(), is, "{kind}: {found:?}");
    }
    let server = Server::answering([(200, PROTOBUF, b"<html>".to_vec())]);
    let error = listed(&ApiSource::<Pod>::new(server.client())).await.unwrap_err();
    assert!(matches!(error.fault(), Fault::Malformed { offset: 4, .. }), "{error}");
}

#[tokio::test]
async fn metadata_alone_comes_in_protobuf_too() {
    let items = [named("a", b"")];
    let body = {
        let items: Vec<u8> = items.iter().flat_map(|item| field(2, item)).collect();
        let message = [field(1, field(2, "9")), items].concat();
        envelope("meta.k8s.io/v1", "PartialObjectMetadataList", message)
    };
    for body in [body, list("PodList", &[named("a", &field(2, field(10, "node")))])] {
        let server = Server::answering([(200, PROTOBUF, body)]);
        let source = ApiSource::<PartialObjectMeta<Pod>>::new(server.client());
        assert_eq!(listed(&source).await.unwrap().0, ["a"]);
        let accepted = server.accepted.lock().unwrap();
        assert!(accepted[0].starts_with(&format!("{PROTOBUF};as=PartialObjectMetadataList")));
    }
}

#[tokio::test]
async fn malformed_events_are_skipped() {
    let event = |kind: &str, object: &[u8]| {
        let event = [field(1, kind), field(2, field(1, object))].concat();
        [&u32::try_from(event.len()).unwrap().to_be_bytes()[..], &event].concat()
    };
    let pod = envelope("v1", "Pod", named("p", b""));
    let body = [
        event("ADDED", &envelope("v1", "Node", named("n", b""))),
        event("RENAMED", &pod),
        vec![0, 0, 0, 0],
        event("BOOKMARK", &envelope("v1", "Pod", b"")),
        event("ERROR", &pod),
        event("ADDED", &pod),
        event("MODIFIED", &envelope("v1", "Pod", named("bad", &field(3, [0xff])))),
        event(
            "DELETED",
            &envelope("v1", "Pod", named("huge", &field(2, field(10, "n".repeat(9000))))),
        ),
    ];
    let server = Server::answering([(
        200,
        "application/vnd.kubernetes.protobuf;stream=watch",
        body.concat(),
    )]);
    let source = ApiSource::<Pod>::new(server.client()).object_limit(8000);
    let timeout = std::time::Duration::from_secs(9);
    let query = WatchQuery::new(timeout);
    let items: Vec<_> =
        source.watch(&query, &ListHints::none()).await.unwrap().map(Result::unwrap).collect().await;
    let told: Vec<_> = items
        .into_iter()
        .map(|item| match item {
            WatchItem::Skipped(_) => "skipped".to_owned(),
            WatchItem::Failed(error) => match error.fault() {
                Fault::WrongKind { .. } => "of another kind".to_owned(),
                Fault::Malformed { .. } => "failed".to_owned(),
                _ => panic!("{error}"),
            },
            WatchItem::Added(Ok(pod)) => pod.into_decoded().unwrap().name_any(),
            // An object without a name has changed all the same: everything has to be listed again.
            WatchItem::Modified(Err(bad)) | WatchItem::Deleted(Err(bad)) => {
                bad.key.as_ref().map_or("nameless".to_owned(), ToString::to_string)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = [
        "of another kind",
        "skipped",
        "nameless",
        "skipped",
        "failed",
        "p",
        "shop/bad",
        "shop/huge",
    ];
    assert_eq!(told, expected);
    assert!(server.accepted.lock().unwrap()[0].starts_with(&format!("{PROTOBUF};stream=watch, ")));
}
