//! Allocations for one object on its way. They guard against a regression that no timing on a
//! shared machine would show. Each bound is a fifth above the figure when it was set.

use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::{StreamExt, stream};
use http::header::CONTENT_TYPE;
use http::{Request, Response};
use http_body::Frame;
use http_body_util::StreamBody;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::ObjectMeta;
use kube::client::Body;
use kube_informer::lister_watcher::{ListHints, ListItem, ListQuery, ListerWatcher};
use kube_informer::object::{ShardKey, ShardSelector};
use kube_informer::reflector::ReflectorOptions;
use kube_informer::testing::FakeSource;
use kube_informer::transport::protobuf::ProtobufObject;
use kube_informer::transport::{ApiSource, Decode, SerdeDecode};
use kube_informer::{Indexer, InformerOptions, ObjectKey, SharedInformer};
use serde_json::json;
use stats_alloc::Region;
use tokio::time::sleep;

use crate::{COUNTED, in_use};

/// Calls of the allocator for each of `count` objects.
fn calls<T>(count: usize, work: impl FnOnce() -> T) -> (f64, T) {
    let region = Region::new(COUNTED);
    let done = work();
    let stats = region.change();
    let calls = stats.allocations + stats.reallocations;
    #[expect(clippy::cast_precision_loss, reason = "thousands")]
    let each = calls as f64 / count as f64;
    (each, done)
}

#[track_caller]
fn at_most(what: &str, each: f64, bound: f64) {
    println!("{what}: {each:.2} an object, at most {bound}");
    assert!(each <= bound, "{what} takes {each:.2} allocations an object, more than {bound}");
}

fn map(n: usize) -> ConfigMap {
    let metadata = ObjectMeta {
        name: Some(format!("map-{n}")),
        namespace: Some(format!("ns-{}", n % 50)),
        uid: Some(format!("uid-{n}")),
        resource_version: Some(n.to_string()),
        ..ObjectMeta::default()
    };
    ConfigMap { metadata, ..ConfigMap::default() }
}

fn decoding() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/decode");
    let json = std::fs::read(folder.join("pod.json")).unwrap();
    let protobuf = std::fs::read(folder.join("pod.pb")).unwrap();
    let decoder = SerdeDecode::<Pod>::new();
    let (each, _) = calls(1, || decoder.decode(&json).unwrap());
    at_most("decoding a pod from JSON", each, DECODE_JSON);
    let (each, _) =
        calls(1, || ProtobufObject::from_envelope(&protobuf).unwrap().decode::<Pod>().unwrap());
    at_most("decoding a pod from protobuf", each, DECODE_PROTOBUF);
}

fn storing() {
    const COUNT: usize = 10_000;
    let indexer = Indexer::new();
    let by_parity = |map: &ConfigMap| map.metadata.name.as_ref().map(|n| (n.len() % 2).to_string());
    indexer.add_index("parity", by_parity).unwrap();
    let objects: Vec<_> = (0..COUNT).map(map).map(Arc::new).collect();
    let keys: Vec<_> = objects.iter().map(|map| ObjectKey::of(&**map).unwrap()).collect();
    let put_all = || {
        let mut write = indexer.transaction();
        for (key, object) in keys.iter().zip(&objects) {
            write.put(key, object);
        }
        write.commit()
    };
    at_most("storing, one index", calls(COUNT, put_all).0, STORE_NEW);
    at_most("storing again in one transaction", calls(COUNT, put_all).0, STORE_AGAIN);
    let one_by_one = || {
        for (key, object) in keys.iter().zip(&objects) {
            let mut write = indexer.transaction();
            write.put(key, object);
            write.commit();
        }
    };
    at_most("storing again one by one", calls(COUNT, one_by_one).0, STORE_ALONE);
}

/// Everything behind the source, with `handlers` of them; the source's own part is the same for
/// each number.
async fn told(handlers: usize) -> f64 {
    const COUNT: usize = 5_000;
    let source = Arc::new(FakeSource::<ConfigMap>::new("configmaps", "ConfigMap"));
    for n in 0..COUNT {
        source.put(map(n));
    }
    let informer = SharedInformer::new(source, InformerOptions::new());
    for _ in 0..handlers {
        informer.on_event(drop).unwrap();
    }
    let region = Region::new(COUNTED);
    informer.start().unwrap();
    informer.wait_for_sync(Duration::from_secs(60)).await.unwrap();
    while informer.status().handlers.iter().any(|handler| handler.delivered < COUNT as u64) {
        tokio::task::yield_now().await;
    }
    let stats = region.change();
    informer.shutdown().await;
    #[expect(clippy::cast_precision_loss, reason = "thousands")]
    let each = (stats.allocations + stats.reallocations) as f64 / COUNT as f64;
    each
}

/// A server whose list is always the same, but for its version, and whose watches expire at once.
fn server(count: usize) -> kube::Client {
    let items: Vec<_> = (0..count)
        .map(|n| {
            let data = json!({"payload": "x".repeat(500)});
            let labels: serde_json::Map<_, _> =
                (0..20).map(|n| (format!("label-{n}"), json!("value"))).collect();
            let metadata = json!({"name": format!("map-{n}"), "namespace": "shop",
                "uid": format!("uid-{n}"), "resourceVersion": "1", "labels": labels});
            json!({"metadata": metadata, "data": data}).to_string()
        })
        .collect();
    let items = items.join(",");
    let version = std::sync::atomic::AtomicU64::new(1);
    let answer = move |request: Request<Body>| {
        let watches = request.uri().query().is_some_and(|query| query.contains("watch=true"));
        let body = if watches {
            r#"{"type":"ERROR","object":{"kind":"Status","reason":"Expired","code":410}}"#.into()
        } else {
            let version = version.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            format!(
                r#"{{"kind":"ConfigMapList","metadata":{{"resourceVersion":"{version}"}},"items":[{items}]}}"#
            )
        };
        let response = Response::builder().header(CONTENT_TYPE, "application/json");
        // A watch that ends sooner shows that the list came from a lagging cache.
        let body = stream::once(async move {
            sleep(if watches { Duration::from_secs(2) } else { Duration::ZERO }).await;
            Ok::<_, Infallible>(Frame::data(Bytes::from(body)))
        });
        let response = response.body(StreamBody::new(body)).unwrap();
        async { Ok::<_, Infallible>(response) }
    };
    kube::Client::new(tower::service_fn(answer), "default")
}

/// Calls of the allocator for each object of relists in which nothing changed, and by how much
/// memory in use grew over them.
async fn relisted(count: usize, trust: bool) -> (f64, isize) {
    const ROUNDS: u64 = 8;
    let source = ApiSource::<ConfigMap>::new(server(count)).trust_versions(trust);
    let options =
        InformerOptions::new().reflector(ReflectorOptions::new().on_error(|_| {}).seed(1));
    let informer = SharedInformer::new(Arc::new(source), options);
    let limit = Duration::from_secs(3600);
    informer.start().unwrap();
    informer.wait_for(&3.into(), limit).await.unwrap();
    let (region, before) = (Region::new(COUNTED), in_use());
    informer.wait_for(&(3 + ROUNDS).into(), limit).await.unwrap();
    let stats = region.change();
    let grown = in_use().cast_signed() - before.cast_signed();
    informer.shutdown().await;
    #[expect(clippy::cast_precision_loss, reason = "thousands")]
    let each = (stats.allocations + stats.reallocations) as f64 / count as f64 / ROUNDS as f64;
    (each, grown)
}

/// Calls of the allocator for each object of a list that another shard has.
async fn left_out(key: ShardKey) -> f64 {
    const COUNT: usize = 2_000;
    let source = ApiSource::<ConfigMap>::new(server(COUNT));
    let mut query = ListQuery::default();
    query.shard = Some(ShardSelector::new(key, [7..=7]));
    let mut items = source.list(&query, &ListHints::none()).await.unwrap();
    let region = Region::new(COUNTED);
    let mut outside = 0;
    while let Some(item) = items.next().await {
        match item.unwrap() {
            ListItem::Outside(_) => outside += 1,
            ListItem::Meta(_) => {}
            ListItem::Object(_) => panic!("an object of the shard"),
        }
    }
    assert_eq!(outside, COUNT);
    let stats = region.change();
    #[expect(clippy::cast_precision_loss, reason = "thousands")]
    let each = (stats.allocations + stats.reallocations) as f64 / COUNT as f64;
    each
}

fn run<T>(paused: bool, work: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().start_paused(paused).build().unwrap().block_on(work)
}

const DECODE_JSON: f64 = 620.0;
const DECODE_PROTOBUF: f64 = 613.0;
const STORE_NEW: f64 = 10.7;
const STORE_AGAIN: f64 = 6.2;
const STORE_ALONE: f64 = 13.2;
const TOLD: f64 = 18.2;
const TOLD_ANOTHER: f64 = 0.1;
const RELISTED: f64 = 0.33;
const LEFT_OUT: f64 = 0.1;

pub(crate) fn objects_cost_no_more_allocations_than_they_did() {
    decoding();
    storing();
    let (one, four) = (run(false, told(1)), run(false, told(4)));
    at_most("a first list through an informer, one handler", one, TOLD);
    at_most("another handler", (four - one) / 3.0, TOLD_ANOTHER);
    for count in [500, 2_000] {
        let (passed, grown) = run(true, relisted(count, true));
        at_most(&format!("relisting {count} unchanged objects"), passed, RELISTED);
        assert!(grown < 64 * 1024, "eight relists left {grown} bytes");
    }
    for key in [ShardKey::Uid, ShardKey::Namespace] {
        at_most(&format!("leaving out by {key:?}"), run(true, left_out(key)), LEFT_OUT);
    }
    // The source tells the key of an object that may have moved.
    let by_owner = run(true, left_out(ShardKey::ControllerUid));
    at_most("leaving out by controller", by_owner, 3.0 + LEFT_OUT);
    let (decoded, _) = run(true, relisted(500, false));
    println!("relisting with everything decoded: {decoded:.2} an object");
    assert!(decoded > 20.0, "what is passed over is compared with something");
}
