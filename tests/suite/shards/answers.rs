//! Uncommon answers to requests for a shard.

use std::convert::Infallible;
use std::sync::Arc;

use http::header::CONTENT_TYPE;
use http::{Request, Response};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use kube::api::ObjectMeta;
use kube::client::Body;
use kube_informer::Cached;
use kube_informer::error::Fault;
use kube_informer::object::{KnownObjects, ObjectState, ring_hash};
use kube_informer::testing::{ApiServer, encode_protobuf};
use kube_informer::transport::ApiSource;
use serde_json::{Value, json};

use super::*;
use crate::helpers::answered_by;

/// Returns a source whose every request has this answer.
fn answered(media_type: &'static str, body: impl Into<Vec<u8>>) -> ApiSource<ConfigMap> {
    let body = body.into();
    ApiSource::new(answered_by(move |_| {
        let response = Response::builder().header(CONTENT_TYPE, media_type);
        response.body(Body::from(body.clone())).unwrap()
    }))
}

fn json_list(kind: &str, items: &str) -> ApiSource<ConfigMap> {
    let head =
        format!(r#"{{"kind":"{kind}","apiVersion":"v1","metadata":{{"resourceVersion":"9"}}"#);
    answered("application/json", format!(r#"{head},"items":[{items}]}}"#))
}

/// Returns the shard of the object with this uid only, and the rest of the ring.
fn only(uid: &str) -> [ShardSelector; 2] {
    let own = ShardSelector::new(ShardKey::Uid, [ring_hash(uid)..=ring_hash(uid)]);
    [own.clone(), ShardSelector::everything(ShardKey::Uid).without(&own)]
}

/// Returns a client whose every request also asks for a shard that no server can read.
fn of_odd_shard(server: &ApiServer) -> Client {
    let server = server.clone();
    let service = tower::service_fn(move |mut request: Request<Body>| {
        let server = server.clone();
        async move {
            let uri = format!("{}&shardSelector=garbage", request.uri());
            *request.uri_mut() = uri.parse().unwrap();
            Ok::<_, Infallible>(server.handle(request).await)
        }
    });
    Client::new(service, "default")
}

#[tokio::test]
async fn refused_selector_is_an_ordinary_error() {
    let server = ApiServer::new();
    let source = || ApiSource::<ConfigMap>::new(of_odd_shard(&server));
    for source in [source(), source().json_only()] {
        let error = list(&source, listing(None)).await.unwrap_err();
        assert_eq!(error.code(), Some(500));
        assert!(error.to_string().contains("invalid shard selector"), "{error}");
    }
    let error = watch(&source(), &watching(0, None)).await.unwrap_err();
    assert!(error.to_string().contains("invalid shard selector"), "{error}");
    let ignoring = ApiServer::builder().sharded_lists(false).build();
    let source = ApiSource::<ConfigMap>::new(of_odd_shard(&ignoring));
    assert!(list(&source, listing(None)).await.is_ok());
}

#[tokio::test]
async fn unreadable_objects_are_reported_in_every_shard() {
    let items = [
        r#"{"metadata":{"name":"odd","uid":7}}"#,
        r#"{"metadata":{"name":"own","uid":"\u0061","resourceVersion":"3"},"data":7}"#,
        r#"{"spec":{"uid":"a"}}"#,
        "7",
    ];
    let source = json_list("ConfigMapList", &items.join(","));
    let [own, rest] = only("a");
    let reported = ["undecodable odd", "nameless none", "undecodable object"];
    let (listed, _) = list(&source, listing(Some(&own))).await.unwrap();
    assert_eq!(listed, [&reported[..1], &["undecodable own"], &reported[1..]].concat());
    assert_eq!(list(&source, listing(Some(&rest))).await.unwrap().0, reported);
    let nothing = ShardSelector::nothing(ShardKey::Uid);
    assert!(list(&source, listing(Some(&nothing))).await.unwrap().0.is_empty());
}

/// Outside of the shard, it would look like the deletion of the object that it is.
#[tokio::test]
async fn unnamed_object_is_reported_in_every_shard_by_name() {
    let source = json_list("ConfigMapList", r#"{"metadata":{"namespace":"shop","uid":"a"}}"#);
    for half in [0..=u64::MAX / 2, u64::MAX / 2 + 1..=u64::MAX] {
        let shard = ShardSelector::new(ShardKey::Name, [half]);
        let (listed, _) = list(&source, listing(Some(&shard))).await.unwrap();
        assert!(listed.len() == 1 && listed[0].contains("nameless"), "{listed:?}");
    }
}

#[tokio::test]
async fn oversized_object_belongs_to_its_shard() {
    let text = "x".repeat(5000);
    let map = |uid: &str| {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap", "data": {"text": text},
            "metadata": {"name": uid, "uid": uid, "resourceVersion": "3"},
        })
    };
    // A map sorts its members, and the data of "late" comes first.
    let early = |uid: &str| {
        format!(r#"{{"metadata":{},"data":{{"text":"{text}"}}}}"#, map(uid)["metadata"])
    };
    let items = [early("a"), early("b"), map("late").to_string()].join(",");
    let [own, _] = only("a");
    let list_of_json = json_list("ConfigMapList", &items).object_limit(1000);
    let listed = list(&list_of_json, listing(Some(&own))).await.unwrap().0;
    assert_eq!(listed, ["undecodable a", "undecodable object"]);

    let events = ["a", "b"].map(|uid| format!(r#"{{"type":"ADDED","object":{}}}"#, early(uid)));
    let source = answered("application/json", events.concat()).object_limit(1000);
    let watched = watch(&source, &watching(1, Some(&own))).await.unwrap();
    assert_eq!(
        (&watched.events[..], &watched.outside[..]),
        (&["added undecodable a".to_owned()][..], &["- 3".to_owned()][..])
    );

    let items = ["a", "b"].map(map);
    let body = json!({
        "apiVersion": "v1", "kind": "ConfigMapList", "items": items,
        "metadata": {"resourceVersion": "9"},
    });
    let body = encode_protobuf(&body).unwrap();
    let source = answered("application/vnd.kubernetes.protobuf", body).object_limit(1000);
    assert_eq!(list(&source, listing(Some(&own))).await.unwrap().0, ["undecodable a"]);
}

#[tokio::test]
async fn list_of_another_kind_is_no_empty_shard() {
    let service = r#"{"kind":"Service","metadata":{"name":"s","uid":"b","resourceVersion":"3"}}"#;
    let [own, _] = only("a");
    let error = list(&json_list("List", service), listing(Some(&own))).await.unwrap_err();
    assert!(matches!(error.fault(), Fault::WrongKind { .. }), "{error}");
    let event = format!(r#"{{"type":"ADDED","object":{service}}}"#);
    let watched = watch(&answered("application/json", event), &watching(1, Some(&own))).await;
    let error = watched.unwrap_err();
    assert!(matches!(error.fault(), Fault::WrongKind { .. }), "{error}");
}

#[tokio::test]
async fn object_without_a_key_is_not_outside() {
    let event = |metadata: &str| {
        format!(r#"{{"type":"MODIFIED","object":{{"kind":"ConfigMap","metadata":{metadata}}}}}"#)
    };
    let events = [
        event(r#"{"uid":"b","resourceVersion":"3"}"#),
        event(r#"{"name":"n","uid":"b","resourceVersion":"4","namespace":"late"}"#),
    ];
    let source = answered("application/json", events.concat());
    let own = ShardSelector::new(ShardKey::ControllerUid, [7..=7]);
    let watched = watch(&source, &watching(1, Some(&own))).await.unwrap();
    assert_eq!(watched.events, ["modified nameless 3"]);
    assert_eq!(watched.outside, ["late/n 4"]);
}

/// Knows every state.
struct Everything;

impl KnownObjects for Everything {
    fn get(&self, _: &ObjectKey) -> Option<Cached> {
        None
    }

    fn for_each(&self, _: &mut dyn FnMut(&ObjectKey, &Cached)) {}

    fn unchanged(&self, state: &ObjectState<'_>) -> Option<(ObjectKey, Cached)> {
        let metadata = ObjectMeta { uid: Some(state.uid.into()), ..ObjectMeta::default() };
        let map = ConfigMap { metadata, ..ConfigMap::default() };
        let key = ObjectKey::from_parts(state.namespace, state.name).ok()?;
        Some((key, Cached::from(Arc::new(map)).into()))
    }
}

#[tokio::test]
async fn known_objects_outside_are_left_out() {
    let map = |name: &str| json!({"metadata": {"name": name, "uid": name, "resourceVersion": "3"}});
    let items = ["a", "b", "c"].map(|name| map(name).to_string()).join(",");
    let source = json_list("ConfigMapList", &items);
    let [own, _] = only("b");
    let hints = ListHints::none().known(Arc::new(Everything));
    let mut items = source.list(&listing(Some(&own)), &hints).await.unwrap();
    let mut unchanged = 0;
    while let Some(item) = items.next().await {
        if let ListItem::Object(object) = item.unwrap() {
            unchanged += usize::from(object.unwrap().is_unchanged());
        }
    }
    assert_eq!(unchanged, 1);
    let events = ["a", "b"].map(|name| {
        let object: Value = map(name);
        format!(r#"{{"type":"ADDED","object":{object}}}"#)
    });
    let source = answered("application/json", events.concat());
    let mut query = watching(1, Some(&own));
    query.initial_events = true;
    let mut items = source.watch(&query, &hints).await.unwrap();
    assert!(matches!(items.next().await, Some(Ok(WatchItem::Outside { key: None, .. }))));
    let Some(Ok(WatchItem::Added(Ok(object)))) = items.next().await else { panic!("no event") };
    assert!(object.is_unchanged());
}
