//! Several sources, each with a part of the ring, on a server with or without sharded lists.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::Request;
use http_body_util::BodyExt;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::api::ObjectMeta;
use kube::client::Body;
use kube::core::{ApiResource, DynamicObject, PartialObjectMeta};
use kube::{CustomResource, Resource};
use kube_informer::testing::ApiServer;
use kube_informer::testing::api_server::ResourceType;
use kube_informer::transport::ApiSource;
use serde::{Deserialize, Serialize};

use super::*;
use crate::helpers::metadata;

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, schemars::JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Widget", namespaced)]
struct WidgetSpec {}

fn owned(namespace: &str, name: &str, owner: Option<&ConfigMap>) -> ObjectMeta {
    let reference = |owner: &ConfigMap, controller| OwnerReference {
        api_version: "v1".into(),
        kind: "ConfigMap".into(),
        name: owner.metadata.name.clone().unwrap(),
        uid: owner.metadata.uid.clone().unwrap(),
        controller: Some(controller),
        ..OwnerReference::default()
    };
    let owner_references = owner.map(|owner| vec![reference(owner, true)]);
    ObjectMeta { owner_references, ..metadata(namespace, name) }
}

fn map(namespace: &str, name: &str, owner: Option<&ConfigMap>) -> ConfigMap {
    let data = Some([("text".to_owned(), "x".repeat(2000))].into());
    ConfigMap { metadata: owned(namespace, name, owner), data, ..ConfigMap::default() }
}

/// Returns a name whose place on the ring is far from those of the others.
fn namespace(n: usize) -> String {
    format!("{n}-namespace")
}

/// Creates a server with config maps and widgets in several namespaces. Half of them have an owner.
fn world(sharded: bool) -> ApiServer {
    let server = ApiServer::builder().sharded_lists(sharded).build();
    server.register(ResourceType::of::<Widget>());
    for n in 0..8 {
        let namespace = namespace(n);
        let metadata = ObjectMeta { name: Some(namespace.clone()), ..ObjectMeta::default() };
        server.create(&Namespace { metadata, ..Namespace::default() }).unwrap();
        let owner = server.create(&map(&namespace, "owner", None)).unwrap();
        for m in 0..4 {
            let owner = (m % 2 == 0).then_some(&owner);
            server.create(&map(&namespace, &format!("map-{m}"), owner)).unwrap();
            let metadata = owned(&namespace, &format!("widget-{m}"), owner);
            let widget = Widget { metadata, ..Widget::new("", WidgetSpec {}) };
            server.create(&widget).unwrap();
        }
    }
    server
}

/// Checks that the shards of each field list every object once. `states` is true if the server
/// states the shards that it selects.
async fn check_lists<K>(source: ApiSource<K>, states: bool)
where
    K: Resource + Send + Sync + 'static,
{
    let (all, metadata) = list(&source, listing(None)).await.unwrap();
    assert!(all.len() >= 32 && !metadata.sharded);
    for key in KEYS {
        for limit in [None, Some(3)] {
            let mut together = vec![];
            for shard in parts(key, 3) {
                let mut query = listing(Some(&shard));
                query.limit = limit;
                let (states_listed, metadata) = list(&source, query).await.unwrap();
                assert_eq!(metadata.sharded, states && is_selectable(key), "{key:?}");
                // The names are near each other on the ring.
                let near = key == ShardKey::Name;
                assert!(near || states_listed.len() < all.len(), "{key:?}");
                together.extend(states_listed);
            }
            assert_eq!(sorted(together), all, "{key:?} {limit:?}");
        }
        let everything = ShardSelector::everything(key);
        assert_eq!(list(&source, listing(Some(&everything))).await.unwrap().0, all);
        let nothing = ShardSelector::nothing(key);
        assert!(list(&source, listing(Some(&nothing))).await.unwrap().0.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn shards_list_every_object_once() {
    for sharded in [true, false] {
        let server = world(sharded);
        let client = server.client();
        check_lists(ApiSource::<ConfigMap>::new(client.clone()), sharded).await;
        check_lists(ApiSource::<ConfigMap>::new(client.clone()).json_only(), sharded).await;
        let metadata = ApiSource::<PartialObjectMeta<ConfigMap>>::new(client.clone());
        check_lists(metadata, false).await;
        let metadata = ApiSource::<PartialObjectMeta<Widget>>::new(client.clone());
        check_lists(metadata.json_only(), false).await;
        check_lists(ApiSource::<Widget>::new(client.clone()), false).await;
        let widgets = ApiResource::erase::<Widget>(&());
        check_lists(ApiSource::<DynamicObject>::dynamic(client, widgets), false).await;
    }
}

/// Checks that the shards of each field get every event once.
async fn check_watches<K>(source: ApiSource<K>, from: &ResourceVersion, helped: bool)
where
    K: Resource + Send + Sync + 'static,
{
    let all = watch(&source, &watching(from.clone(), None)).await.unwrap();
    assert!(all.of("added").count() > 0 && all.of("modified").count() > 0);
    let deleted: Vec<_> = all.of("deleted").collect();
    assert!(!deleted.is_empty() && all.outside.is_empty());
    for key in KEYS {
        let mut together = vec![];
        for shard in parts(key, 3) {
            let got = watch(&source, &watching(from.clone(), Some(&shard))).await.unwrap();
            assert!(got.skipped.is_empty());
            let moves = key == ShardKey::ControllerUid;
            if helped && is_selectable(key) {
                assert!(got.outside.is_empty(), "the server sends nothing else");
            } else {
                assert_eq!(got.events.len() + got.outside.len(), all.events.len(), "{key:?}");
                assert!(got.outside.iter().all(|outside| outside.starts_with('-') != moves));
            }
            if moves {
                assert_eq!(got.of("deleted").collect::<Vec<_>>(), deleted);
            }
            let events = got.events.into_iter();
            together.extend(events.filter(|event| !(moves && event.starts_with("deleted"))));
            let mut streaming = watching(0, Some(&shard));
            (streaming.version, streaming.initial_events) = (None, true);
            let streamed = watch(&source, &streaming).await.unwrap();
            let (listed, _) = list(&source, listing(Some(&shard))).await.unwrap();
            let listed: Vec<_> = listed.iter().map(|state| format!("added {state}")).collect();
            assert_eq!(streamed.events, listed, "{key:?}");
            assert!(streamed.bookmarks > 0);
        }
        if key == ShardKey::ControllerUid {
            together.extend(deleted.iter().map(|event| (*event).clone()));
        }
        assert_eq!(sorted(together), sorted(all.events.clone()), "{key:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn shards_watch_every_event_once() {
    for sharded in [true, false] {
        let server = world(sharded);
        let from = ResourceVersion::from(server.revision());
        for n in 0..8 {
            let namespace = namespace(n);
            let mut changed = map(&namespace, "map-3", None);
            changed.data = Some([("text".to_owned(), "changed".to_owned())].into());
            server.replace(&changed).unwrap();
            server.create(&map(&namespace, "new", None)).unwrap();
            server.delete(&map(&namespace, "map-0", None)).unwrap();
            let widget = |name: &str, label: &str| {
                let mut metadata = metadata(&namespace, name);
                metadata.labels = Some([("label".to_owned(), label.to_owned())].into());
                Widget { metadata, ..Widget::new("", WidgetSpec {}) }
            };
            let new = server.create(&widget("new", "a")).unwrap();
            let mut changed = widget("new", "b");
            changed.metadata.resource_version = new.metadata.resource_version;
            server.replace(&changed).unwrap();
            server.delete(&widget("widget-0", "a")).unwrap();
        }
        let client = server.client();
        check_watches(ApiSource::<ConfigMap>::new(client.clone()), &from, sharded).await;
        let json = ApiSource::<ConfigMap>::new(client.clone()).json_only();
        check_watches(json, &from, sharded).await;
        let metadata = ApiSource::<PartialObjectMeta<ConfigMap>>::new(client.clone());
        check_watches(metadata, &from, sharded).await;
        let metadata = ApiSource::<PartialObjectMeta<Widget>>::new(client.clone());
        check_watches(metadata.json_only(), &from, sharded).await;
        let widgets = ApiResource::erase::<Widget>(&());
        let dynamic = ApiSource::<DynamicObject>::dynamic(client, widgets);
        check_watches(dynamic, &from, sharded).await;
    }
}

#[tokio::test(start_paused = true)]
async fn object_leaves_the_shard_of_its_last_owner() {
    let server = ApiServer::new();
    let [a, b] = ["a", "b"].map(|name| server.create(&map("default", name, None)).unwrap());
    let place = |owner: &ConfigMap| ShardKey::Uid.hash(&owner.metadata);
    let [in_a, in_b] = [&a, &b]
        .map(|owner| ShardSelector::new(ShardKey::ControllerUid, [place(owner)..=place(owner)]));
    let from = ResourceVersion::from(server.revision());
    server.create(&map("default", "child", Some(&a))).unwrap();
    let moved = server.replace(&map("default", "child", Some(&b))).unwrap();
    let moved = moved.metadata.resource_version.unwrap();
    server.delete(&map("default", "child", None)).unwrap();
    for json in [false, true] {
        let mut source = ApiSource::<ConfigMap>::new(server.client());
        if json {
            source = source.json_only();
        }
        let left = watch(&source, &watching(from.clone(), Some(&in_a))).await.unwrap();
        assert_eq!(left.outside, [format!("default/child {moved}")]);
        assert_eq!((left.of("added").count(), left.of("deleted").count()), (1, 1));
        let entered = watch(&source, &watching(from.clone(), Some(&in_b))).await.unwrap();
        let modified = format!("modified default/child {moved}");
        assert_eq!(entered.of("modified").collect::<Vec<_>>(), [&modified]);
        assert_eq!((entered.outside.len(), entered.of("deleted").count()), (1, 1));
    }
}

/// Returns a client that counts the bytes of all bodies.
fn counting(server: &ApiServer) -> (kube::Client, Arc<AtomicUsize>) {
    let (client, bytes) = (server.client(), Arc::new(AtomicUsize::new(0)));
    let counted = bytes.clone();
    let service = tower::service_fn(move |request: Request<Body>| {
        let (client, counted) = (client.clone(), counted.clone());
        async move {
            let response = client.send(request).await?;
            Ok::<_, kube::Error>(response.map(|body| {
                body.map_frame(move |frame| {
                    let length = frame.data_ref().map_or(0, Bytes::len);
                    counted.fetch_add(length, Ordering::Relaxed);
                    frame
                })
            }))
        }
    });
    (kube::Client::new(service, "default"), bytes)
}

#[tokio::test(start_paused = true)]
async fn helping_server_sends_only_the_shard() {
    for (sharded, json) in [(true, true), (true, false), (false, true), (false, false)] {
        let server = world(sharded);
        let (client, bytes) = counting(&server);
        let mut source = ApiSource::<ConfigMap>::new(client);
        if json {
            source = source.json_only();
        }
        let streaming = |shard: Option<&ShardSelector>| {
            let mut query = watching(0, shard);
            (query.version, query.initial_events) = (None, true);
            query
        };
        list(&source, listing(None)).await.unwrap();
        let listed = bytes.swap(0, Ordering::Relaxed);
        watch(&source, &streaming(None)).await.unwrap();
        let watched = bytes.swap(0, Ordering::Relaxed);
        let (mut listed_parts, mut watched_parts) = (0, 0);
        for shard in parts(ShardKey::Uid, 4) {
            list(&source, listing(Some(&shard))).await.unwrap();
            listed_parts += bytes.swap(0, Ordering::Relaxed);
            watch(&source, &streaming(Some(&shard))).await.unwrap();
            watched_parts += bytes.swap(0, Ordering::Relaxed);
        }
        let times = if sharded { 1 } else { 4 };
        for (parts, whole) in [(listed_parts, listed), (watched_parts, watched)] {
            assert!(whole > 80_000, "{whole}");
            // Each answer has some bytes of its own.
            assert!((whole * times..whole * times + 4_000).contains(&parts), "{parts} of {whole}");
        }
    }
}
