//! One step of an object's way so many times, and nothing else: for a tool that counts
//! instructions.
//!
//! `valgrind --tool=callgrind <this program> protobuf-decode 200`, less the same with 0, divided by
//! 200; `.ci/instructions` does that for each step that has a bound.
//!
//! | step | what it costs |
//! |---|---|
//! | `protobuf-decode`, `json-decode` | decoding a whole pod, and freeing it |
//! | `protobuf-bare`, `json-bare` | the same without managedFields |
//! | `protobuf-part`, `json-part` | the same with nothing but the node's name |
//! | `custom-decode`, `custom-bare` | a custom resource from JSON, with and without managedFields |
//! | `dynamic-decode`, `dynamic-bare` | the same as a `DynamicObject` |
//! | `…-plain`, `…-plain-bare` | by `serde_json` alone; bare: a text without managedFields |
//! | `protobuf-body`, `json-body` | serving a pod of a list |
//! | `protobuf-frame`, `json-frame` | that, and cutting it out |
//! | `protobuf-peek`, `json-peek` | all that, and finding that it is known |
//! | `protobuf-pack`, `json-pack` | frame, and checking and packing it as the default does |
//! | `…-other-uid`, `…-other-namespace`, `…-other-owner` | frame, and leaving it out of a shard |
//! | `store` | storing a new object, with an index |
//! | `replace` | storing another in its place, each in a transaction of its own |
//! | `get` | reading a stored object by its key |
//! | `scan` | reading one of 2,000 stored objects, all in turn |
//! | `by-index` | reading one of 40 objects with the same index value |
//! | `list` | a first list from the source through queue and store to a handler |
//! | `update` | the same with an event that comes alone |
//! | `read-update` | an update of a pod as the default keeps it, whose handler reads old and new |
//! | `view-update` | the same with a handler that reads five fields of both by a view |
//! | `unread-update` | the same with a handler that reads neither |
//! | `protobuf-whole`, `json-whole` | reading a cold pod whole |
//! | `protobuf-view`, `json-view` | reading five fields of it by a view |
//! | `protobuf-path`, `json-path` | reading one field of it by its path |
//! | `protobuf-warm` | reading a pod by a view that holds it |
//! | `fan-out` | the same with 32 handlers more |

#[path = "support/custom.rs"]
mod custom;
mod support;

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use custom::Rollout;
use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::Resource;
use kube::api::{DynamicObject, ObjectMeta};
use kube_informer::lister_watcher::{ListHints, ListQuery, ListerWatcher};
use kube_informer::object::{
    Cached, FieldSet, KnownObjects, ObjectEvent, ObjectKey, ObjectState, ShardKey, ShardSelector,
};
use kube_informer::reflector::ReflectorOptions;
use kube_informer::testing::FakeSource;
use kube_informer::transport::protobuf::ProtobufObject;
use kube_informer::transport::{ApiSource, Decode, DecodeError, DecodeProtobuf, SerdeDecode};
use kube_informer::{Indexer, InformerOptions, SharedInformer, Storage};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, IgnoredAny};
use support::server::PodServer;
use tokio::sync::Semaphore;

/// An object whose fields are not decoded.
#[derive(Clone, Debug, Default, Deserialize, Resource)]
#[resource(inherit = Pod)]
struct Unread {
    metadata: ObjectMeta,
}

/// Five fields of a pod.
#[derive(Clone, Debug, Deserialize, Resource)]
#[resource(inherit = Pod)]
#[allow(dead_code, reason = "only read")]
struct Slim {
    #[serde(deserialize_with = "names")]
    metadata: ObjectMeta,
    #[serde(default)]
    spec: SlimSpec,
    #[serde(default)]
    status: SlimStatus,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "only read")]
struct SlimSpec {
    node_name: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[allow(dead_code, reason = "only read")]
struct SlimStatus {
    phase: Option<String>,
    #[serde(rename = "podIP")]
    pod_ip: Option<String>,
}

/// Reads no more of the metadata than name and namespace.
fn names<'de, D: Deserializer<'de>>(metadata: D) -> Result<ObjectMeta, D::Error> {
    #[derive(Deserialize)]
    struct Names {
        name: Option<String>,
        namespace: Option<String>,
    }
    let Names { name, namespace } = Names::deserialize(metadata)?;
    Ok(ObjectMeta { name, namespace, ..ObjectMeta::default() })
}

/// Decodes nothing.
struct Nothing;

impl Decode<Unread> for Nothing {
    fn decode(&self, _: &[u8]) -> Result<Unread, DecodeError> {
        Ok(Unread::default())
    }

    fn protobuf(&self) -> Option<&dyn DecodeProtobuf<Unread>> {
        Some(self)
    }
}

impl DecodeProtobuf<Unread> for Nothing {
    fn decode_protobuf(&self, _: &ProtobufObject<'_>) -> Result<Unread, DecodeError> {
        Ok(Unread::default())
    }
}

/// Knows every state.
struct All(ObjectKey, Cached);

impl KnownObjects for All {
    fn get(&self, _: &ObjectKey) -> Option<Cached> {
        None
    }

    fn for_each(&self, _: &mut dyn FnMut(&ObjectKey, &Cached)) {}

    fn unchanged(&self, state: &ObjectState<'_>) -> Option<(ObjectKey, Cached)> {
        black_box(state);
        Some((self.0.clone(), self.1.clone()))
    }
}

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let [step, count] = &arguments[..] else {
        println!("<step> <how often>");
        return;
    };
    let count = count.parse().expect("how often");
    match step.split_once('-') {
        Some(("protobuf", step @ ("decode" | "bare" | "part"))) => decode_protobuf(step, count),
        Some(("json", step @ ("decode" | "bare" | "part" | "plain" | "plain-bare"))) => {
            decode::<Pod>(&file("pod.json"), step, count);
        }
        Some(("custom", step)) => decode::<Rollout>(&file("custom.json"), step, count),
        Some(("dynamic", step)) => decode::<DynamicObject>(&file("custom.json"), step, count),
        Some((encoding, step @ ("whole" | "view" | "path" | "warm"))) => {
            run(stored(step, count, encoding == "protobuf"));
        }
        Some((encoding @ ("protobuf" | "json"), step)) => {
            run(serve(step, &PodServer::new(count, encoding == "protobuf")));
        }
        _ => match &step[..] {
            "store" | "replace" => store(step == "replace", count),
            "get" | "scan" | "by-index" => read(step, count),
            "list" => run(told(count, 0, 1)),
            "read-update" | "view-update" | "unread-update" => run(updated(step, count)),
            "update" => run(told(0, count, 1)),
            "update-of-many" => run(told(20_000, count, 1)),
            "fan-out" => run(told(0, count, 33)),
            _ => panic!("no step is named {step}"),
        },
    }
}

fn run(work: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(work);
}

fn file(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/decode");
    std::fs::read(folder.join(name)).unwrap()
}

/// Returns the same object without managed fields.
fn bare(object: &[u8]) -> Vec<u8> {
    // A map would sort the members, which takes the visitors other ways.
    let text = std::str::from_utf8(object).unwrap();
    let from = text.find(",\"managedFields\":").unwrap();
    let list = text[from..].find('[').unwrap() + from;
    let mut values = serde_json::Deserializer::from_str(&text[list..]).into_iter::<IgnoredAny>();
    values.next().unwrap().unwrap();
    [&object[..from], &object[list + values.byte_offset()..]].concat()
}

fn decode<K: DeserializeOwned + 'static>(object: &[u8], step: &str, count: usize) {
    let fields = FieldSet::from_paths(["spec.nodeName"]);
    let without = bare(object);
    for _ in 0..count {
        let object = black_box(object);
        let ours = SerdeDecode::<K>::new();
        let decoded = match step {
            "bare" => ours.managed_fields(false).decode(object),
            "part" => ours.decode_fields(object, &fields),
            "plain" => Ok(serde_json::from_slice(object).unwrap()),
            "plain-bare" => Ok(serde_json::from_slice(black_box(&without)).unwrap()),
            _ => ours.decode(object),
        };
        drop(black_box(decoded.unwrap()));
    }
}

fn decode_protobuf(step: &str, count: usize) {
    let pod = file("pod.pb");
    let fields = FieldSet::from_paths(["spec.nodeName"]);
    for _ in 0..count {
        let object = ProtobufObject::from_envelope(black_box(&pod)).unwrap();
        let ours = SerdeDecode::<Pod>::new();
        let decoded = match step {
            "bare" => ours.managed_fields(false).decode_protobuf(&object),
            "part" => ours.decode_protobuf_fields(&object, &fields),
            _ => ours.decode_protobuf(&object),
        };
        drop(black_box(decoded.unwrap()));
    }
}

async fn serve(step: &str, server: &PodServer) {
    if step == "pack" {
        let hints = ListHints::none().packer(Storage::<Pod>::packed().packer("pods"));
        return read_all(ApiSource::<Pod>::new(server.client()), &ListQuery::default(), &hints)
            .await;
    }
    if step == "body" {
        return server.list().for_each(async |frame| drop(black_box(frame))).await;
    }
    let source = ApiSource::<Unread>::new(server.client()).decoder(Nothing);
    let mut query = ListQuery::default();
    // A place that no pod has.
    let elsewhere = |key| Some(ShardSelector::new(key, [7..=7]));
    query.shard = match step {
        "other-uid" => elsewhere(ShardKey::Uid),
        "other-namespace" => elsewhere(ShardKey::Namespace),
        "other-owner" => elsewhere(ShardKey::ControllerUid),
        _ => None,
    };
    let object = Cached::from(Arc::new(Unread::default())).into();
    let known = All(ObjectKey::cluster("known").unwrap(), object);
    let hints = match step {
        "peek" => ListHints::none().known(Arc::new(known)),
        _ => ListHints::none(),
    };
    read_all(source, &query, &hints).await;
}

async fn read_all<K: 'static>(source: ApiSource<K>, query: &ListQuery, hints: &ListHints)
where
    ApiSource<K>: ListerWatcher<K>,
{
    let mut items = source.list(query, hints).await.unwrap();
    while let Some(item) = items.next().await {
        let _ = black_box(item.unwrap());
    }
}

fn map(n: usize) -> ConfigMap {
    let metadata = ObjectMeta {
        name: Some(format!("map-{n}")),
        namespace: Some(format!("ns-{}", n % 50)),
        ..ObjectMeta::default()
    };
    ConfigMap { metadata, ..ConfigMap::default() }
}

fn store(again: bool, count: usize) {
    /// The number of objects to replace.
    const STORED: usize = 2_000;
    let indexer = Indexer::new();
    let by_name = |map: &ConfigMap| map.metadata.name.as_ref().map(|name| name[4..].to_owned());
    indexer.add_index("number", by_name).unwrap();
    let maps = (0..STORED.max(count)).map(|n| Arc::new(map(n)));
    let maps: Vec<_> = maps.map(|map| (ObjectKey::of(&*map).unwrap(), map)).collect();
    if again {
        put(&indexer, &maps[..STORED]);
        for n in 0..count {
            put(&indexer, &maps[n % STORED..][..1]);
        }
    } else {
        put(&indexer, &maps[..count]);
    }
    // Only what was measured ends: nothing is freed.
    std::process::exit(0);
}

/// Reads so many objects of a store, all of them as often as the others.
fn read(step: &str, count: usize) {
    const STORED: usize = 2_000;
    let indexer = Indexer::new();
    let by_namespace = |map: &ConfigMap| map.metadata.namespace.clone();
    let index = indexer.add_index("namespace", by_namespace).unwrap();
    let maps = (0..STORED).map(|n| Arc::new(map(n)));
    let maps: Vec<_> = maps.map(|map| (ObjectKey::of(&*map).unwrap(), map)).collect();
    put(&indexer, &maps);
    let values = index.values();
    let mut left = count;
    for n in 0.. {
        if left == 0 {
            break;
        }
        left -= match step {
            "get" => usize::from(black_box(indexer.get(&maps[n % STORED].0)).is_some()),
            "scan" => indexer.snapshot().iter().map(black_box).count(),
            _ => black_box(index.get(&values[n % values.len()])).len(),
        };
    }
    std::process::exit(0);
}

fn put(indexer: &Indexer<ConfigMap>, maps: &[(ObjectKey, Arc<ConfigMap>)]) {
    let mut write = indexer.transaction();
    for (key, map) in maps {
        write.put(key, map);
    }
    write.commit();
}

/// So many objects listed, then as many changed one after another, each told to so many handlers.
async fn told(listed: usize, changed: usize, handlers: usize) {
    let source = Arc::new(FakeSource::<ConfigMap>::new("configmaps", "ConfigMap"));
    for n in 0..listed {
        source.put(map(n));
    }
    let informer = SharedInformer::new(source.clone(), InformerOptions::new());
    let told = Arc::new(AtomicUsize::new(0));
    for _ in 0..handlers {
        let told = told.clone();
        let added = informer.on_event(move |_| {
            told.fetch_add(1, Ordering::Relaxed);
        });
        added.unwrap();
    }
    informer.start().unwrap();
    informer.wait_for_sync(Duration::from_secs(60)).await.unwrap();
    for n in 0..=changed {
        while told.load(Ordering::Relaxed) < handlers * (listed + n) {
            tokio::task::yield_now().await;
        }
        if n < changed {
            source.put(map(n % 100));
        }
    }
    std::process::exit(0);
}

/// So many changes of a hundred pods, one after another, as a server sends them.
async fn updated(step: &str, count: usize) {
    let told = Arc::new(Semaphore::new(1));
    let server = PodServer::new(100, true).updates(count, told.clone());
    let source = ApiSource::<Pod>::new(server.client());
    let options = InformerOptions::new().reflector(ReflectorOptions::new());
    let informer = SharedInformer::new(Arc::new(source), options);
    let (updates, note) = (Arc::new(AtomicUsize::new(0)), told.clone());
    let counted = updates.clone();
    let note = move |is_update| {
        if is_update {
            counted.fetch_add(1, Ordering::Relaxed);
            note.add_permits(1);
        }
    };
    let added = match step {
        "read-update" => informer
            .on_event(move |event| note(matches!(black_box(event), ObjectEvent::Updated { .. }))),
        "view-update" => {
            let view = informer.view::<Slim>().unwrap();
            view.on_event(move |event| {
                note(matches!(black_box(event), ObjectEvent::Updated { .. }));
            })
        }
        _ => informer.on_cached_event(move |_, event| {
            note(matches!(black_box(event), ObjectEvent::Updated { .. }));
        }),
    };
    added.unwrap();
    informer.start().unwrap();
    informer.wait_for_sync(Duration::from_secs(60)).await.unwrap();
    while updates.load(Ordering::Relaxed) < count {
        tokio::task::yield_now().await;
    }
    std::process::exit(0);
}

/// So many reads of a hundred pods, as the default keeps them. All but `warm` find them cold.
async fn stored(step: &str, count: usize, protobuf: bool) {
    let server = PodServer::new(100, protobuf);
    let source = ApiSource::<Pod>::new(server.client());
    let age = Duration::from_secs(if step == "warm" { 600 } else { 0 });
    let options = InformerOptions::new().storage(Storage::packed().hot_for(age));
    let informer = SharedInformer::new(Arc::new(source), options);
    let view = informer.view::<Slim>().unwrap();
    informer.start().unwrap();
    informer.wait_for_sync(Duration::from_secs(60)).await.unwrap();
    let keys: Vec<_> = informer.snapshot().iter_cached().map(|(key, _)| key.clone()).collect();
    let (pods, slim) = (informer.snapshot(), view.snapshot());
    for key in &keys {
        drop(black_box(slim.get(key)));
    }
    for key in keys.iter().cycle().take(count) {
        match step {
            "whole" => assert!(pods.get(key).is_some()),
            "path" => assert!(pods.get_cached(key).unwrap().field("spec.nodeName").is_some()),
            _ => assert!(slim.get(key).is_some()),
        }
    }
    std::process::exit(0);
}
