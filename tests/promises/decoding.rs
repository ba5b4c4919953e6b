//! Decoding goes on whatever the user's code does with threads.

use std::sync::{Condvar, Mutex, mpsc};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Resource;
use kube::api::ObjectMeta;
use kube_informer::SharedInformerFactory;
use kube_informer::testing::ApiServer;
use serde::{Deserialize, Deserializer};
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
