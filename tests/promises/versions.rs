//! Handlers and the store follow the contents of objects, also where versions do not tell of them.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt, stream};
use http::Response;
use http_body::Frame;
use http_body_util::StreamBody;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::CustomResource;
use kube_informer::error::{ApiStatus, Fault, Verb};
use kube_informer::lister_watcher::{
    Collection, ListHints, ListItem, ListMetadata, ListQuery, ListStream, ListerWatcher,
    SourceObject, WatchItem, WatchQuery, WatchStream,
};
use kube_informer::reflector::RelistCause;
use kube_informer::{
    Event, InformerOptions, InformerSpec, SharedInformer, SharedInformerFactory, SourceError,
    Storage,
};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::helpers::{answered_by, list_mode};

type Told = Arc<Mutex<Vec<String>>>;

fn map(name: &str, version: Option<&str>, value: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": name, "namespace": "shop", "uid": format!("uid-{name}"), "resourceVersion": version,
        },
        "data": {"value": value},
    })
}

fn text(map: &ConfigMap) -> String {
    let value = map.data.iter().flatten().map(|(_, value)| &**value).collect::<String>();
    format!("{}={value}", map.metadata.name.as_deref().unwrap_or_default())
}

fn tell(told: &Told) -> impl FnMut(Event<ConfigMap>) + Send + 'static {
    let told = told.clone();
    move |event| {
        told.lock().push(match event {
            Event::Added { object, .. } => format!("+{}", text(&object)),
            Event::Updated { old, new } => format!("{} -> {}", text(&old), text(&new)),
            Event::Deleted { object, .. } => format!("-{}", text(&object)),
            Event::MovedAway { object } => format!(">{}", text(&object)),
        });
    }
}

fn stored(informer: &SharedInformer<ConfigMap>) -> Vec<String> {
    let mut maps: Vec<_> = informer.lister().all().iter().map(|map| text(map)).collect();
    maps.sort();
    maps
}

/// A source of one map without a usable version. Its state is the number of lists or events so
/// far.
struct Unversioned {
    collection: Collection,
    version: Option<&'static str>,
    /// True if watches tell of the changes. If false, they expire.
    watches: bool,
    states: AtomicUsize,
}

impl Unversioned {
    fn next(&self) -> SourceObject<ConfigMap> {
        let state = self.states.fetch_add(1, Ordering::Relaxed).min(2);
        let map = map("a", self.version, &state.to_string());
        serde_json::from_value::<ConfigMap>(map).unwrap().into()
    }
}

impl ListerWatcher<ConfigMap> for Unversioned {
    fn collection(&self) -> &Collection {
        &self.collection
    }

    fn list(
        &self,
        _: &ListQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<ConfigMap>, SourceError>> {
        let metadata = ListMetadata { version: Some("1".into()), ..ListMetadata::default() };
        let items = [ListItem::Object(Ok(self.next())), ListItem::Meta(metadata)];
        async { Ok(stream::iter(items.map(Ok)).boxed()) }.boxed()
    }

    fn watch(
        &self,
        _: &WatchQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<ConfigMap>, SourceError>> {
        let request = self.collection.request_name(Verb::Watch);
        let expired = Fault::Status(ApiStatus::new(410, "Expired", "expired"));
        let items = match (self.watches, self.states.load(Ordering::Relaxed)) {
            (true, 1) => [self.next(), self.next()].map(|map| WatchItem::Modified(Ok(map))).into(),
            (false, 1 | 2) => vec![WatchItem::Failed(SourceError::new(request, expired))],
            _ => vec![],
        };
        let events = stream::iter(items.into_iter().map(Ok)).chain(stream::pending());
        let events = events.then(|event| async {
            sleep(Duration::from_secs(2)).await;
            event
        });
        async { Ok(events.boxed()) }.boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn update_without_a_new_version_reaches_handlers() {
    for version in [None, Some("7")] {
        for watches in [true, false] {
            let collection = Collection {
                resource: "configmaps".into(),
                kind: "ConfigMap".into(),
                namespace: None,
            };
            let source =
                Unversioned { collection, version, watches, states: AtomicUsize::default() };
            let informer = SharedInformer::new(Arc::new(source), InformerOptions::new());
            let told = Told::default();
            informer.on_event(tell(&told)).unwrap();
            informer.start().unwrap();
            sleep(Duration::from_secs(60)).await;
            assert_eq!(stored(&informer), ["a=2"], "{version:?} {watches}");
            let expected = ["+a=0", "a=0 -> a=1", "a=1 -> a=2"];
            assert_eq!(*told.lock(), expected, "{version:?} {watches}");
            informer.shutdown().await;
        }
    }
}

/// An answer: its status, its parts, and whether it ends.
type Answer = (u16, Vec<String>, bool);

fn ends(body: &impl ToString) -> Answer {
    (200, vec![body.to_string()], true)
}

fn stays(events: &[String]) -> Answer {
    (200, events.to_vec(), false)
}

fn event(kind: &str, object: &Value) -> String {
    format!("{}\n", json!({"type": kind, "object": object}))
}

fn expired() -> Value {
    json!({"apiVersion": "v1", "kind": "Status", "status": "Failure", "reason": "Expired", "code": 410})
}

/// Returns the answer to a list or to a streaming list.
fn listed(query: &str, kind: &str, version: &str, items: &[Value]) -> Answer {
    let api_version = &items[0]["apiVersion"];
    if !query.contains("sendInitialEvents=true") {
        let metadata = json!({"resourceVersion": version});
        let list = json!({"apiVersion": api_version, "kind": format!("{kind}List"),
            "metadata": metadata, "items": items});
        return ends(&list);
    }
    let mut events: Vec<_> = items.iter().map(|item| event("ADDED", item)).collect();
    let end = json!({"apiVersion": api_version, "kind": kind, "metadata":
        {"resourceVersion": version, "annotations": {"k8s.io/initial-events-end": "true"}}});
    events.push(event("BOOKMARK", &end));
    stays(&events)
}

/// A client of a server that answers each query with a function.
fn client(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> kube::Client {
    answered_by(move |request| {
        let (status, parts, ends) = answer(request.uri().query().unwrap_or_default());
        let parts = stream::iter(parts).then(|part| async {
            tokio::task::yield_now().await;
            Ok::<_, Infallible>(Frame::data(Bytes::from(part)))
        });
        let body: BoxStream<'static, _> =
            if ends { parts.boxed() } else { parts.chain(stream::pending()).boxed() };
        Response::builder().status(status).body(StreamBody::new(body)).unwrap()
    })
}

fn storages<K>() -> [Storage<K>; 3]
where
    K: kube::Resource + serde::de::DeserializeOwned + Serialize + Send + Sync + 'static,
{
    [Storage::decoded(), Storage::compact(), Storage::compact().check_on_arrival(false)]
}

#[tokio::test(start_paused = true)]
async fn two_contents_of_one_version_are_two_updates() {
    for storage in storages::<ConfigMap>() {
        let client = client(|query| {
            let map = |version, value| map("a", Some(version), value);
            if !query.contains("watch=true") {
                return listed(query, "ConfigMap", "1", &[map("1", "0")]);
            }
            // The last one is the same event again.
            stays(&["1", "2", "2"].map(|value| event("MODIFIED", &map("2", value))))
        });
        let factory = SharedInformerFactory::builder(client).build();
        let spec = InformerSpec::<ConfigMap>::new().storage(storage);
        let maps = factory.informer_with(spec).unwrap();
        let told = Told::default();
        maps.on_event(tell(&told)).unwrap();
        factory.start().unwrap();
        sleep(Duration::from_secs(10)).await;
        assert_eq!(*told.lock(), ["+a=0", "a=0 -> a=1", "a=1 -> a=2"]);
        factory.shutdown().await;
    }
}

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, schemars::JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Shop", namespaced)]
struct ShopSpec {
    value: String,
}

/// A new conversion webhook changes one of two objects, and no version.
#[tokio::test(start_paused = true)]
async fn converted_custom_resource_is_updated_by_a_relist() {
    for (storage, streaming, trust) in storages::<Shop>().into_iter().flat_map(|storage| {
        let ways = [(false, None), (true, None), (false, Some(false)), (false, Some(true))];
        ways.map(move |(streaming, trust)| (storage.clone(), streaming, trust))
    }) {
        let converted = Arc::new(AtomicBool::new(false));
        let now = converted.clone();
        let client = client(move |query| {
            let shop = |name: &str, value: &str| {
                json!({
                    "apiVersion": "example.com/v1", "kind": "Shop",
                    "metadata": {"name": name, "namespace": "n", "uid": name, "resourceVersion": "10"},
                    "spec": {"value": value},
                })
            };
            let converted = now.load(Ordering::Relaxed);
            let listing = !query.contains("watch=true") || query.contains("sendInitialEvents=true");
            match (listing, converted) {
                (true, false) => {
                    let mut first =
                        listed(query, "Shop", "12", &[shop("a", "old"), shop("b", "b")]);
                    first.2 = true;
                    first
                }
                (true, true) => listed(query, "Shop", "20", &[shop("a", "new"), shop("b", "b")]),
                (false, true) if query.contains("resourceVersion=12") => {
                    ends(&event("ERROR", &expired()))
                }
                (false, _) => stays(&[]),
            }
        });
        let builder = SharedInformerFactory::builder(client).list_mode(list_mode(streaming));
        let factory = builder.on_error(|_| {}).build();
        let mut spec = InformerSpec::<Shop>::new().storage(storage);
        if let Some(trust) = trust {
            spec = spec.trust_versions(trust);
        }
        let shops = factory.informer_with(spec).unwrap();
        let told = Told::default();
        let log = told.clone();
        let updates = move |event: Event<Shop>| {
            if let Event::Updated { old, new } = event {
                log.lock().push(format!("{} -> {}", old.spec.value, new.spec.value));
            }
        };
        shops.on_event(updates).unwrap();
        factory.start().unwrap();
        factory.wait_for_sync(Duration::from_secs(10)).await.unwrap();
        converted.store(true, Ordering::Relaxed);
        // The open watch ends at its timeout.
        sleep(Duration::from_secs(3600)).await;
        let mut values: Vec<_> =
            shops.lister().all().iter().map(|shop| shop.spec.value.clone()).collect();
        values.sort();
        if trust == Some(true) {
            assert_eq!((values, &**told.lock()), (vec!["b".into(), "old".into()], &[][..]));
        } else {
            assert_eq!(values, ["b", "new"], "streaming {streaming} {trust:?}");
            assert_eq!(*told.lock(), ["old -> new"], "streaming {streaming} {trust:?}");
        }
        factory.shutdown().await;
    }
}

/// The backup holds `a` in another state with the same version, an older state of `b`, and no `c`.
/// The version has passed the known one when the informer comes back.
#[tokio::test(start_paused = true)]
async fn restored_backup_that_overtook_the_store_replaces_it() {
    for storage in storages::<ConfigMap>() {
        for (streaming, quorum) in [(false, false), (true, false), (false, true), (true, true)] {
            let restored = Arc::new(AtomicBool::new(false));
            let now = restored.clone();
            let client = client(move |query| {
                let restored = now.load(Ordering::Relaxed);
                let initial = query.contains("sendInitialEvents=true");
                let known = query.contains("resourceVersion=12");
                let map = |name, version, value| map(name, Some(version), value);
                let items = if restored {
                    vec![map("a", "10", "new"), map("b", "7", "new")]
                } else {
                    vec![map("a", "10", "old"), map("b", "11", "old"), map("c", "9", "old")]
                };
                if restored && known && (quorum || !initial && query.contains("watch=true")) {
                    let (_, body, ends) = ends(&event("ERROR", &expired()));
                    if query.contains("watch=true") {
                        return (200, body, ends);
                    }
                    return (410, vec![expired().to_string()], true);
                }
                if initial || !query.contains("watch=true") {
                    let version = if restored { "20" } else { "12" };
                    let mut answer = listed(query, "ConfigMap", version, &items);
                    answer.2 |= !restored;
                    return answer;
                }
                stays(&[])
            });
            let builder = SharedInformerFactory::builder(client).list_mode(list_mode(streaming));
            let factory = builder.on_error(|_| {}).build();
            let spec = InformerSpec::<ConfigMap>::new().storage(storage.clone());
            let maps = factory.informer_with(spec).unwrap();
            factory.start().unwrap();
            factory.wait_for_sync(Duration::from_secs(10)).await.unwrap();
            let told = Told::default();
            maps.on_event(tell(&told)).unwrap();
            sleep(Duration::from_secs(1)).await;
            told.lock().clear();
            restored.store(true, Ordering::Relaxed);
            sleep(Duration::from_secs(3600)).await;
            let way = format!("streaming {streaming} quorum {quorum}");
            assert_eq!(stored(&maps), ["a=new", "b=new"], "{way}");
            assert_eq!(maps.snapshot().version(), Some(&20.into()), "{way}");
            let mut told = told.lock().clone();
            told.sort();
            assert_eq!(told, ["-c=old", "a=old -> a=new", "b=old -> b=new"], "{way}");
            let relists = maps.status().reflector.relists;
            assert_eq!(relists.of(RelistCause::Unproven), u64::from(!quorum), "{way} {relists:?}");
            factory.shutdown().await;
        }
    }
}

/// Returns whether a query names a version.
fn names_version(query: &str) -> bool {
    query.split('&').any(|part| part.starts_with("resourceVersion=") && part.len() > 16)
}

/// Every list that names a version is answered by a cache at 5. The server is at 9.
#[tokio::test(start_paused = true)]
async fn lagging_cache_is_left_within_seconds() {
    for (streaming, quorum) in [(false, true), (true, true), (false, false), (true, false)] {
        let begun = AtomicBool::new(false);
        let client = client(move |query| {
            let old = [map("a", Some("5"), "old")];
            let initial = query.contains("sendInitialEvents=true");
            let named = names_version(query);
            if query.contains("watch=true") && !initial {
                let mut expired = expired();
                expired["message"] = "too old resource version: 5 (7)".into();
                let old = query.contains("resourceVersion=5");
                return if old { ends(&event("ERROR", &expired)) } else { stays(&[]) };
            }
            let first = !begun.swap(true, Ordering::Relaxed);
            let mut answer = match (named, first) {
                (true, _) | (_, true) => listed(query, "ConfigMap", "5", &old),
                _ if !quorum => return (403, vec![], true),
                _ => listed(query, "ConfigMap", "9", &[map("b", Some("9"), "new")]),
            };
            // So the stream that a streaming list begins is refused, too.
            answer.2 |= named || first;
            answer
        });
        let builder = SharedInformerFactory::builder(client).list_mode(list_mode(streaming));
        let factory = builder.on_error(|_| {}).build();
        let maps = factory.informer::<ConfigMap>();
        factory.start().unwrap();
        factory.wait_for_sync(Duration::from_secs(10)).await.unwrap();
        sleep(Duration::from_secs(10)).await;
        let way = format!("streaming {streaming}: {:?}", maps.status().reflector);
        let wanted = if quorum { "b=new" } else { "a=old" };
        assert_eq!(stored(&maps), [wanted], "{way}");
        if !quorum {
            sleep(Duration::from_secs(590)).await;
            assert!(!maps.is_fresh(Duration::from_secs(590)), "{way}");
            assert!(maps.freshness() > Some(Duration::from_secs(590)), "{way}");
        }
        factory.shutdown().await;
    }
}

/// Each watch adds every object, and none tells what was deleted before.
#[tokio::test(start_paused = true)]
async fn made_up_versions_lose_no_deletion() {
    for (storage, version) in
        storages::<ConfigMap>().into_iter().flat_map(|all| [(all.clone(), "1"), (all, "x")])
    {
        let deleted = Arc::new(AtomicBool::new(false));
        let (now, lists) = (deleted.clone(), Arc::new(AtomicUsize::new(0)));
        let counted = lists.clone();
        let client = client(move |query| {
            let names = if now.load(Ordering::Relaxed) { "ab" } else { "abc" };
            let maps = names.chars().map(|name| map(&name.to_string(), Some(version), "1"));
            let maps: Vec<_> = maps.collect();
            if !query.contains("watch=true") {
                counted.fetch_add(1, Ordering::Relaxed);
                return listed(query, "ConfigMap", version, &maps);
            }
            stays(&maps.iter().map(|map| event("ADDED", map)).collect::<Vec<_>>())
        });
        let texts = Told::default();
        let log = texts.clone();
        let builder = SharedInformerFactory::builder(client);
        let factory = builder.on_error(move |error| log.lock().push(error.to_string())).build();
        let spec = InformerSpec::<ConfigMap>::new().storage(storage);
        let maps = factory.informer_with(spec).unwrap();
        let told = Told::default();
        maps.on_event(tell(&told)).unwrap();
        factory.start().unwrap();
        factory.wait_for_sync(Duration::from_secs(10)).await.unwrap();
        sleep(Duration::from_secs(600)).await;
        deleted.store(true, Ordering::Relaxed);
        sleep(Duration::from_secs(3000)).await;
        assert_eq!(stored(&maps), ["a=1", "b=1"]);
        let gone = told.lock().iter().filter(|told| told.starts_with('-')).count();
        assert_eq!(gone, 1, "{:?}", told.lock());
        let relists = maps.status().reflector.relists;
        let lists = lists.load(Ordering::Relaxed) as u64;
        assert_eq!(relists.of(RelistCause::Replayed) + 1, lists, "{relists:?}");
        assert!((10..40).contains(&lists), "{lists} lists in an hour");
        let replayed = "sent objects again that are known";
        assert!(texts.lock().iter().all(|text| text.contains(replayed)), "{:?}", texts.lock());
        factory.shutdown().await;
    }
}
