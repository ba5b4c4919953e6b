//! Decoding goes on whatever the user's code does with threads.

use std::sync::{Condvar, Mutex, mpsc};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Node, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use kube::Resource;
use kube::api::{Api, ApiResource, DynamicObject, ObjectMeta, PostParams};
use kube_informer::testing::ApiServer;
use kube_informer::{InformerSpec, SharedInformerFactory, Storage};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;
use tokio::runtime::Runtime;

use crate::helpers::map_in;

const SOON: Duration = Duration::from_secs(60);

/// A server with more than one portion of objects.
fn server() -> ApiServer {
    let server = ApiServer::new();
    for n in 0..300 {
        server.create(&map(&format!("map-{n}"))).unwrap();
    }
    server
}

fn map(name: &str) -> ConfigMap {
    let data = Some([("text".into(), "x".repeat(1_000))].into());
    ConfigMap { data, ..map_in("shop", name) }
}

fn runtime() -> Runtime {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(2).max_blocking_threads(1).enable_all().build().unwrap()
}

#[test]
fn full_blocking_pool_does_not_hold_up_decoding() {
    let (unblock, blocked) = mpsc::channel::<()>();
    let runtime = runtime();
    let blocking = runtime.spawn_blocking(move || blocked.recv().is_err());
    runtime.block_on(async {
        let server = server();
        let factory = SharedInformerFactory::builder(server.client()).build();
        let maps = factory.informer::<ConfigMap>();
        factory.start().unwrap();
        factory.wait_for_sync(SOON).await.unwrap();
        server.create(&map("late")).unwrap();
        maps.wait_for(&server.revision().into(), SOON).await.unwrap();
        assert_eq!(maps.lister().len(), 301);
        factory.shutdown().await;
        assert!(!blocking.is_finished());
        drop(unblock);
        assert!(blocking.await.unwrap());
    });
}

/// A map whose decoding waits until the gate opens.
#[derive(Clone, Debug, Resource)]
#[resource(inherit = ConfigMap)]
struct Gated {
    metadata: ObjectMeta,
}

static GATE: Mutex<bool> = Mutex::new(false);
static OPENED: Condvar = Condvar::new();

impl<'de> Deserialize<'de> for Gated {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        drop(OPENED.wait_while(GATE.lock().unwrap(), |open| !*open));
        let map = ConfigMap::deserialize(deserializer)?;
        Ok(Self { metadata: map.metadata })
    }
}

#[test]
fn blocking_decoder_holds_up_only_its_own_informer() {
    runtime().block_on(async {
        let server = server();
        server.create(&Secret { metadata: map("quick").metadata, ..Secret::default() }).unwrap();
        let factory = SharedInformerFactory::builder(server.client()).build();
        let slow = factory.informer::<Gated>();
        factory.start().unwrap();
        let quick = factory.informer::<Secret>();
        factory.start().unwrap();
        quick.wait_for_sync(SOON).await.unwrap();
        assert!(!slow.has_synced());
        *GATE.lock().unwrap() = true;
        OPENED.notify_all();
        slow.wait_for_sync(SOON).await.unwrap();
        assert_eq!(slow.lister().len(), 300);
        factory.shutdown().await;
    });
}

/// A node whose taint was added at this time.
fn tainted(name: &str, time: &str) -> DynamicObject {
    let mut node = DynamicObject::new(name, &ApiResource::erase::<Node>(&()));
    let taint = json!({"key": "a", "effect": "NoSchedule", "timeAdded": time});
    node.data = json!({"spec": {"taints": [taint]}});
    node
}

fn time_added(node: &Node) -> String {
    node.spec.as_ref().unwrap().taints.as_ref().unwrap()[0]
        .time_added
        .as_ref()
        .unwrap()
        .0
        .to_string()
}

#[tokio::test(start_paused = true)]
async fn node_with_a_taint_for_ever_is_there_and_counted() {
    let server = ApiServer::new();
    let resource = ApiResource::erase::<Node>(&());
    let nodes = Api::<DynamicObject>::all_with(server.client(), &resource);
    for (name, time) in [("ever", "9999-12-31T23:59:59Z"), ("new", "2026-01-01T00:00:00Z")] {
        nodes.create(&PostParams::default(), &tainted(name, time)).await.unwrap();
    }
    for storage in
        [Storage::packed(), Storage::decoded(), Storage::packed().hot_for(Duration::ZERO)]
    {
        let factory = SharedInformerFactory::builder(server.client()).build();
        let spec = InformerSpec::<Node>::new().storage(storage);
        let nodes = factory.informer_with(spec).unwrap();
        factory.start().unwrap();
        factory.wait_for_sync(SOON).await.unwrap();
        for _ in 0..3 {
            assert_eq!(time_added(&nodes.lister().get("ever").unwrap()), "9999-12-30T22:00:00Z");
            assert_eq!(time_added(&nodes.lister().get("new").unwrap()), "2026-01-01T00:00:00Z");
        }
        let status = nodes.status().reflector;
        assert_eq!((status.clamped_objects, status.errors), (1, 0));
        factory.shutdown().await;
    }
    // A type that keeps texts has the server's.
    let dynamic = nodes.get("ever").await.unwrap();
    assert_eq!(dynamic.data["spec"]["taints"][0]["timeAdded"], "9999-12-31T23:59:59Z");
}

/// A map whose tier is computed from a label and the managed fields when it is decoded.
#[derive(Clone, Debug, Deserialize, Serialize, Resource)]
#[resource(inherit = ConfigMap)]
#[serde(from = "Labelled", into = "Labelled")]
struct Tiered {
    metadata: ObjectMeta,
    tier: String,
}

#[derive(Deserialize, Serialize)]
struct Labelled {
    metadata: ObjectMeta,
}

impl From<Labelled> for Tiered {
    fn from(Labelled { metadata }: Labelled) -> Self {
        let label = metadata.labels.as_ref().and_then(|labels| labels.get("tier"));
        let kept = metadata.managed_fields.as_ref().map_or(0, Vec::len);
        let tier = format!("{} of {kept}", label.map_or("", String::as_str));
        Self { metadata, tier }
    }
}

impl From<Tiered> for Labelled {
    fn from(Tiered { metadata, .. }: Tiered) -> Self {
        Self { metadata }
    }
}

#[tokio::test(start_paused = true)]
async fn indexes_of_a_computed_field_agree() {
    let server = ApiServer::new();
    let entry = |manager: &str| ManagedFieldsEntry {
        manager: Some(manager.into()),
        ..ManagedFieldsEntry::default()
    };
    for n in 0..30 {
        let mut map = map(&format!("map-{n}"));
        map.metadata.labels = Some([("tier".into(), format!("t{}", n % 3))].into());
        map.metadata.managed_fields = Some(["site", "other"].map(entry).into());
        server.create(&map).unwrap();
    }
    for (storage, kept) in [
        (Storage::compact(), 0),
        (Storage::compact(), 1),
        (Storage::compact().zeroize(true), 1),
        (Storage::packed(), 1),
    ] {
        let factory = SharedInformerFactory::builder(server.client()).build();
        let spec = InformerSpec::<Tiered>::new().transform(|_| {}).storage(storage);
        let spec = if kept == 1 { spec.managed_fields_of("site") } else { spec };
        let maps = factory.informer_with(spec).unwrap();
        let early = maps.add_index("early", |map: &Tiered| [map.tier.clone()]).unwrap();
        factory.start().unwrap();
        factory.wait_for_sync(SOON).await.unwrap();
        let late = maps.add_index("late", |map: &Tiered| [map.tier.clone()]).unwrap();
        let tier = format!("t1 of {kept}");
        for index in [early, late] {
            assert_eq!(index.get(&tier).len(), 10, "{tier}");
            assert!(index.get(&tier).iter().all(|map| map.tier == tier));
        }
        assert!(maps.status().storage.is_none_or(|storage| storage.refused.is_none()));
        factory.shutdown().await;
    }
}
