//! A relist that passes over what is known comes to the same as one that decodes everything.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{Stream, StreamExt, future, stream};
use http::Response;
use http::header::CONTENT_TYPE;
use http_body::Frame;
use http_body_util::StreamBody;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::client::Body;
use kube::{CustomResource, Resource};
use kube_informer::reflector::ReflectorOptions;
use kube_informer::transport::protobuf::ProtobufObject;
use kube_informer::transport::{ApiSource, Decode, DecodeError, DecodeProtobuf, SerdeDecode};
use kube_informer::{Event, InformerOptions, ObjectKey, SharedInformer};
use parking_lot::Mutex;
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::helpers::{answered_by, envelope, field, list_mode};

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// The body of an answer.
type Answer = StreamBody<BoxStream<'static, Result<Frame<Bytes>, Infallible>>>;

fn body(frames: impl Stream<Item = Bytes> + Send + 'static) -> Answer {
    StreamBody::new(frames.map(|bytes| Ok(Frame::data(bytes))).boxed())
}

fn whole(bytes: Vec<u8>) -> Answer {
    body(stream::iter([Bytes::from(bytes)]))
}

/// The server's state of one object.
#[derive(Clone, Debug, PartialEq)]
struct Object {
    uid: String,
    version: u64,
    /// `None`: of a form that can't be decoded.
    data: Option<String>,
}

/// A server of config maps whose watches tell nothing but that they expired.
#[derive(Clone)]
struct Server {
    protobuf: bool,
    state: Arc<Mutex<State>>,
    /// Each value ends the watches that are open.
    expired: Arc<watch::Sender<u64>>,
}

#[derive(Default)]
struct State {
    version: u64,
    uids: u64,
    objects: BTreeMap<String, Object>,
    /// The states of objects before they were spoilt.
    readable: BTreeMap<String, Object>,
    /// The queries of the lists asked for.
    lists: Vec<String>,
    /// The next watch is not opened, and the list after it is refused at its version: a quorum is
    /// asked.
    refuses: bool,
}

#[derive(Clone, Debug)]
enum Op {
    Put(u8, u8),
    Delete(u8),
    /// Deletes the object and creates it again.
    Recreate(u8, u8),
    /// Another object with the same name and version, as another history has it.
    Twin(u8, u8),
    /// Changed into what can't be decoded.
    Spoil(u8),
    /// Back as it was before that.
    Unspoil(u8),
}

impl State {
    fn apply(&mut self, op: &Op) {
        self.version += 1;
        let version = self.version;
        let name = |n: u8| format!("map-{n}");
        let mut uid = || {
            self.uids += 1;
            format!("uid-{}", self.uids)
        };
        match *op {
            Op::Put(n, value) => {
                let uid = self.objects.get(&name(n)).map_or_else(uid, |object| object.uid.clone());
                let data = Some(value.to_string());
                self.objects.insert(name(n), Object { uid, version, data });
            }
            Op::Delete(n) => drop(self.objects.remove(&name(n))),
            Op::Recreate(n, value) => {
                let object = Object { uid: uid(), version, data: Some(value.to_string()) };
                self.objects.insert(name(n), object);
            }
            Op::Twin(n, value) => {
                let uid = uid();
                if let Some(object) = self.objects.get_mut(&name(n)) {
                    (object.uid, object.data) = (uid, Some(value.to_string()));
                }
            }
            Op::Spoil(n) => {
                if let Some(object) = self.objects.get_mut(&name(n)).filter(|o| o.data.is_some()) {
                    self.readable.insert(name(n), object.clone());
                    (object.version, object.data) = (version, None);
                }
            }
            Op::Unspoil(n) => {
                let spoilt = self.objects.get(&name(n)).is_some_and(|o| o.data.is_none());
                if let Some(object) = self.readable.remove(&name(n)).filter(|_| spoilt) {
                    self.objects.insert(name(n), object);
                }
            }
        }
    }
}

impl Server {
    fn new(protobuf: bool) -> Self {
        Self { protobuf, state: Arc::default(), expired: Arc::new(watch::Sender::new(0)) }
    }

    fn client(&self) -> kube::Client {
        let server = self.clone();
        answered_by(move |request| server.answer(request.uri().query().unwrap_or_default()))
    }

    fn answer(&self, query: &str) -> Response<Answer> {
        let media_type = if self.protobuf { PROTOBUF } else { "application/json" };
        let response = Response::builder().header(CONTENT_TYPE, media_type);
        let expired = Bytes::from(self.event("ERROR", &self.status()));
        let mut state = self.state.lock();
        if query.contains("watch=true") {
            let first =
                if query.contains("sendInitialEvents") { self.initial(&state) } else { vec![] };
            let mut broken = self.expired.subscribe();
            let end = stream::once(async move {
                let _ = broken.changed().await;
                expired
            });
            let frames = stream::iter([Bytes::from(first)]).chain(end);
            return response.body(body(frames)).unwrap();
        }
        state.lists.push(query.to_owned());
        if state.refuses && query.contains("resourceVersion=") {
            state.refuses = false;
            return response.status(410).body(whole(self.status())).unwrap();
        }
        response.body(whole(self.list(&state, query))).unwrap()
    }

    fn list(&self, state: &State, query: &str) -> Vec<u8> {
        let parameter = |name: &str| {
            query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
        };
        let start = parameter("continue").unwrap_or_default();
        let limit = parameter("limit").map_or(usize::MAX, |limit| limit.parse().unwrap());
        let mut rest = state.objects.iter().filter(|(name, _)| ***name >= *start).peekable();
        let items: Vec<_> = rest.by_ref().take(limit).map(|(n, o)| self.object(n, o)).collect();
        // An item was taken too far: the next page begins with the one after the last.
        let next = items.len() == limit && state.objects.len() > limit;
        let next = next.then(|| state.objects.keys().filter(|name| ***name >= *start).nth(limit));
        let next = next.flatten().map(String::as_str).unwrap_or_default();
        if self.protobuf {
            let metadata = [field(2, state.version.to_string()), field(3, next)].concat();
            let items: Vec<u8> = items.iter().flat_map(|item| field(2, item)).collect();
            return envelope("v1", "ConfigMapList", [field(1, metadata), items].concat());
        }
        let items: Vec<_> = items.iter().map(|item| std::str::from_utf8(item).unwrap()).collect();
        format!(
            r#"{{"kind":"ConfigMapList","apiVersion":"v1","metadata":{{"resourceVersion":"{}","continue":"{next}"}},"items":[{}]}}"#,
            state.version,
            items.join(",")
        )
        .into()
    }

    fn initial(&self, state: &State) -> Vec<u8> {
        let mut events = vec![];
        for (name, object) in &state.objects {
            let object = self.object(name, object);
            let object = if self.protobuf { envelope("v1", "ConfigMap", object) } else { object };
            events.extend(self.event("ADDED", &object));
        }
        let bookmark = if self.protobuf {
            let end = [field(1, "k8s.io/initial-events-end"), field(2, "true")].concat();
            let metadata = [field(6, state.version.to_string()), field(12, end)].concat();
            envelope("v1", "ConfigMap", field(1, metadata))
        } else {
            let version = state.version;
            format!(r#"{{"kind":"ConfigMap","apiVersion":"v1","metadata":{{"resourceVersion":"{version}","annotations":{{"k8s.io/initial-events-end":"true"}}}}}}"#).into()
        };
        events.extend(self.event("BOOKMARK", &bookmark));
        events
    }

    fn object(&self, name: &str, object: &Object) -> Vec<u8> {
        let Object { uid, version, data } = object;
        if self.protobuf {
            let metadata =
                [field(1, name), field(3, "shop"), field(5, uid), field(6, version.to_string())];
            let data = match data {
                Some(value) => field(2, [field(1, "value"), field(2, value)].concat()),
                // A number where a message belongs.
                None => vec![2 << 3, 7],
            };
            return [field(1, metadata.concat()), data].concat();
        }
        let data = data.as_ref().map_or("7".into(), |value| format!(r#"{{"value":"{value}"}}"#));
        format!(r#"{{"kind":"ConfigMap","apiVersion":"v1","metadata":{{"name":"{name}","namespace":"shop","uid":"{uid}","resourceVersion":"{version}"}},"data":{data}}}"#).into()
    }

    fn status(&self) -> Vec<u8> {
        if self.protobuf {
            return envelope("v1", "Status", [field(4, "Expired"), vec![6 << 3, 0x9a, 3]].concat());
        }
        br#"{"kind":"Status","apiVersion":"v1","reason":"Expired","code":410}"#.to_vec()
    }

    fn event(&self, kind: &str, object: &[u8]) -> Vec<u8> {
        if self.protobuf {
            let event = [field(1, kind), field(2, field(1, object))].concat();
            return [&u32::try_from(event.len()).unwrap().to_be_bytes()[..], &event].concat();
        }
        [br#"{"type":""#, kind.as_bytes(), br#"","object":"#, object, b"}\n"].concat()
    }

    /// Makes every watch expire, and waits until the store has what is there now.
    async fn relist<K: Resource + Send + Sync + 'static>(&self, informer: &SharedInformer<K>) {
        let version = {
            let mut state = self.state.lock();
            state.version += 1;
            state.version
        };
        self.expired.send_modify(|count| *count += 1);
        informer.wait_for(&version.into(), Duration::from_secs(600)).await.unwrap();
        // Paused time goes on only when every task is idle.
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Counts what is decoded.
struct Counting<K>(SerdeDecode<K>, Arc<AtomicUsize>);

impl<K: DeserializeOwned + 'static> Decode<K> for Counting<K> {
    fn decode(&self, object: &[u8]) -> Result<K, DecodeError> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.decode(object)
    }

    fn protobuf(&self) -> Option<&dyn DecodeProtobuf<K>> {
        Some(self)
    }
}

impl<K: DeserializeOwned + 'static> DecodeProtobuf<K> for Counting<K> {
    fn decode_protobuf(&self, object: &ProtobufObject<'_>) -> Result<K, DecodeError> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.decode_protobuf(object)
    }
}

/// The configuration of an informer.
#[derive(Clone, Copy, Debug)]
struct Way {
    protobuf: bool,
    streaming: bool,
    page_size: Option<u32>,
}

fn informer(
    server: &Server,
    way: Way,
    trust: Option<bool>,
) -> (SharedInformer<ConfigMap>, Arc<AtomicUsize>) {
    let decoded = Arc::new(AtomicUsize::new(0));
    let counting = Counting(SerdeDecode::new(), decoded.clone());
    let mut source = ApiSource::<ConfigMap>::new(server.client()).decoder(counting);
    if let Some(trust) = trust {
        source = source.trust_versions(trust);
    }
    let mut reflector = ReflectorOptions::new()
        .list_mode(list_mode(way.streaming))
        .seed(1)
        .on_error(|_| {})
        .transform(|map: &mut ConfigMap| {
            map.metadata.annotations = Some([("transformed".into(), "yes".into())].into());
        });
    if let Some(objects) = way.page_size {
        reflector = reflector.page_size(objects);
    }
    let options = InformerOptions::new().reflector(reflector);
    (SharedInformer::new(Arc::new(source), options), decoded)
}

fn text(object: &ConfigMap) -> String {
    let meta = &object.metadata;
    format!("{:?} {:?} {:?} {:?}", meta.uid, meta.resource_version, object.data, meta.annotations)
}

/// A store's objects, which of them are stale, and its version.
type Store = (BTreeMap<String, String>, BTreeSet<String>, Option<String>);

/// The state that is visible from outside.
#[derive(Debug, PartialEq)]
struct Outcome {
    stores: Vec<Store>,
    events: Vec<String>,
    lists: Vec<String>,
}

fn run(rounds: &[(Vec<Op>, bool)], way: Way, trust: bool) -> (Outcome, usize) {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let server = Server::new(way.protobuf);
        let (informer, decoded) = informer(&server, way, Some(trust));
        let events = Arc::new(Mutex::new(vec![]));
        let log = events.clone();
        let told = move |event: Event<ConfigMap>| {
            let line = match &event {
                Event::Added { object, initial } => format!("+{initial} {}", text(object)),
                Event::Updated { old, new } => format!("~{} -> {}", text(old), text(new)),
                Event::Deleted { object, final_state_known } => {
                    format!("-{final_state_known} {}", text(object))
                }
                Event::MovedAway { object } => format!("> {}", text(object)),
            };
            log.lock().push(line);
        };
        informer.on_event(told).unwrap();
        let mut stores = vec![];
        for (n, (ops, refuses)) in rounds.iter().enumerate() {
            {
                let mut state = server.state.lock();
                for op in ops {
                    state.apply(op);
                }
                state.refuses = *refuses && n > 0;
            }
            if n == 0 {
                server.state.lock().version += 1;
                informer.start().unwrap();
            }
            server.relist(&informer).await;
            let store = informer.snapshot();
            let objects =
                store.iter().map(|(key, object)| (key.to_string(), text(&object))).collect();
            let stale = store.iter().filter(|(key, _)| store.is_stale(key));
            let stale = stale.map(|(key, _)| key.to_string()).collect();
            stores.push((objects, stale, store.version().map(ToString::to_string)));
        }
        informer.shutdown().await;
        let lists = std::mem::take(&mut server.state.lock().lists);
        let events = std::mem::take(&mut *events.lock());
        (Outcome { stores, events, lists }, decoded.load(Ordering::Relaxed))
    })
}

fn op() -> impl Strategy<Value = Op> {
    let n = 0..5u8;
    prop_oneof![
        4 => (n.clone(), 0..9u8).prop_map(|(n, value)| Op::Put(n, value)),
        1 => n.clone().prop_map(Op::Delete),
        1 => (n.clone(), 0..9u8).prop_map(|(n, value)| Op::Recreate(n, value)),
        2 => (n.clone(), 0..9u8).prop_map(|(n, value)| Op::Twin(n, value)),
        1 => n.clone().prop_map(Op::Spoil),
        1 => n.prop_map(Op::Unspoil),
    ]
}

proptest! {
    #![proptest_config(crate::seeds::cases(24))]

    #[test]
    fn passing_over_what_is_known_changes_nothing(
        rounds in proptest::collection::vec(
            (proptest::collection::vec(op(), 0..6), prop::bool::weighted(0.2)), 1..6),
        protobuf in any::<bool>(),
        streaming in any::<bool>(),
        page_size in proptest::option::of(1..4u32),
    ) {
        let way = Way { protobuf, streaming, page_size };
        let (with, few) = run(&rounds, way, true);
        let (without, all) = run(&rounds, way, false);
        prop_assert_eq!(with, without);
        prop_assert!(few <= all);
    }
}

#[tokio::test(start_paused = true)]
async fn unchanged_object_is_not_decoded_again() {
    for protobuf in [false, true] {
        for (streaming, page_size) in [(false, None), (true, None), (false, Some(2))] {
            let server = Server::new(protobuf);
            for n in 0..7 {
                server.state.lock().apply(&Op::Put(n, 1));
            }
            let way = Way { protobuf, streaming, page_size };
            let (informer, decoded) = informer(&server, way, None);
            informer.start().unwrap();
            informer.wait_for_sync(Duration::from_secs(5)).await.unwrap();
            assert_eq!(decoded.swap(0, Ordering::Relaxed), 7);
            let before = informer.snapshot();
            server.state.lock().apply(&Op::Put(3, 2));
            server.state.lock().apply(&Op::Twin(4, 1));
            server.relist(&informer).await;
            assert_eq!(decoded.swap(0, Ordering::Relaxed), 2, "{way:?}");
            let now = informer.snapshot();
            for (key, object) in before.iter() {
                let kept = Arc::ptr_eq(&object, &now.get(key).unwrap());
                assert_eq!(kept, !matches!(key.name(), "map-3" | "map-4"), "{key} {way:?}");
            }
            // A quorum may tell of another history: it is believed in everything.
            server.state.lock().refuses = !streaming;
            server.relist(&informer).await;
            let expected = if streaming { 0 } else { 7 };
            assert_eq!(decoded.swap(0, Ordering::Relaxed), expected, "{way:?}");
            informer.shutdown().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_stale_is_decoded_again() {
    let server = Server::new(false);
    server.state.lock().apply(&Op::Put(1, 1));
    let way = Way { protobuf: false, streaming: false, page_size: None };
    let (informer, decoded) = informer(&server, way, None);
    informer.start().unwrap();
    informer.wait_for_sync(Duration::from_secs(5)).await.unwrap();
    server.state.lock().apply(&Op::Spoil(1));
    server.relist(&informer).await;
    let key = ObjectKey::namespaced("shop", "map-1").unwrap();
    assert!(informer.snapshot().is_stale(&key));
    server.state.lock().apply(&Op::Unspoil(1));
    decoded.store(0, Ordering::Relaxed);
    server.relist(&informer).await;
    assert_eq!(decoded.load(Ordering::Relaxed), 1);
    assert!(!informer.snapshot().is_stale(&key));
    informer.shutdown().await;
}

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, schemars::JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Thing", plural = "things", namespaced)]
struct ThingSpec {}

#[tokio::test]
async fn versions_of_custom_resources_are_trusted_by_choice() {
    const ITEM: &str =
        r#"{"metadata":{"name":"a","namespace":"shop","uid":"u","resourceVersion":"1"},"spec":{}}"#;
    let body =
        format!(r#"{{"kind":"ThingList","metadata":{{"resourceVersion":"1"}},"items":[{ITEM}]}}"#);
    let client = answered_by(move |_| Response::new(Body::from(body.clone().into_bytes())));
    for trust in [None, Some(true), Some(false)] {
        use kube_informer::lister_watcher::{ListHints, ListItem, ListQuery, ListerWatcher};
        let mut source = ApiSource::<Thing>::new(client.clone());
        if let Some(trust) = trust {
            source = source.trust_versions(trust);
        }
        let known = kube_informer::Indexer::new();
        let object: Thing = serde_json::from_str(ITEM).unwrap();
        let mut write = known.transaction();
        write.put(&ObjectKey::of(&object).unwrap(), Arc::new(object));
        write.commit();
        let items = source
            .list(&ListQuery::default(), &ListHints::none().known(Arc::new(known)))
            .await
            .unwrap();
        let unchanged = |item| {
            future::ready(matches!(item, Ok(ListItem::Object(Ok(object))) if object.is_unchanged()))
        };
        assert_eq!(items.any(unchanged).await, trust == Some(true), "{trust:?}");
    }
}
