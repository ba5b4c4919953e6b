//! Informers of other types, storages and list modes.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Resource;
use kube::api::ObjectMeta;
use kube_informer::object::{ShardKey, ShardSelector};
use kube_informer::reflector::ListMode;
use kube_informer::testing::ApiServer;
use kube_informer::{InformerSpec, SharedInformer, SharedInformerFactory, Storage};
use kube_informer_warm::WarmCache;
use serde::{Deserialize, Deserializer};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::world::{LIMIT, Run, Scope, Scratch, lists, map};

const EVERYTHING: Scope = Scope::Everything;

fn server_with(maps: u64) -> ApiServer {
    let server = ApiServer::builder().bookmark_interval(Duration::from_secs(60)).build();
    for n in 0..maps {
        server.create(&map("shop", &format!("map-{n}"), n)).unwrap();
    }
    server
}

fn cache(scratch: &Scratch) -> WarmCache {
    WarmCache::open(scratch.path()).unwrap().cluster("the cluster")
}

/// A map without the key `bad`.
#[derive(Clone, Debug, Resource)]
#[resource(inherit = ConfigMap)]
struct Picky {
    metadata: ObjectMeta,
    data: BTreeMap<String, String>,
}

impl<'de> Deserialize<'de> for Picky {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let map = ConfigMap::deserialize(deserializer)?;
        let data = map.data.unwrap_or_default();
        if data.contains_key("bad") {
            return Err(serde::de::Error::custom("the key `bad`"));
        }
        Ok(Self { metadata: map.metadata, data })
    }
}

async fn picky(
    server: &ApiServer,
    scratch: &Scratch,
) -> (SharedInformerFactory, SharedInformer<Picky>) {
    let factory = SharedInformerFactory::builder(server.client()).warm(cache(scratch)).build();
    let maps = factory.informer::<Picky>();
    factory.start().unwrap();
    maps.wait_for_sync(LIMIT).await.unwrap();
    (factory, maps)
}

#[tokio::test(start_paused = true)]
async fn kept_object_that_became_unreadable_can_go() {
    for compacts in [false, true] {
        let (server, scratch) = (server_with(20), Scratch::new(&format!("picky-{compacts}")));
        picky(&server, &scratch).await.0.shutdown().await;
        let mut bad = map("shop", "map-3", 3);
        bad.data.as_mut().unwrap().insert("bad".into(), String::new());
        server.replace(&bad).unwrap();
        if compacts {
            server.compact();
        }
        let (factory, maps) = picky(&server, &scratch).await;
        let counts = || {
            let status = maps.status();
            (status.objects, status.unreadable)
        };
        assert_eq!(counts(), (19, 1), "{compacts}");
        assert!(maps.lister().all().iter().all(|map| map.data.len() == 12));
        server.delete(&bad).unwrap();
        sleep(Duration::from_secs(1)).await;
        assert_eq!(counts(), (19, 0), "{compacts}");
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn streaming_informer_begins_from_its_kept_objects() {
    let (server, scratch) = (server_with(20), Scratch::new("streaming"));
    let spec = || InformerSpec::new().list_mode(ListMode::Streaming);
    let run = Run::of_spec(&server, cache(&scratch), spec());
    run.informer.wait_for_sync(LIMIT).await.unwrap();
    run.shutdown().await;
    server.delete(&map("shop", "map-3", 0)).unwrap();
    let before = server.requests().len();
    let run = Run::of_spec(&server, cache(&scratch), spec());
    run.informer.wait_for_sync(LIMIT).await.unwrap();
    run.settle(&server, EVERYTHING).await;
    assert_eq!(run.told.lock().gone.len(), 1);
    assert_eq!(lists(&server, before, "/configmaps"), 0);
    run.shutdown().await;
}

/// It would replace the file of an informer of the same collection that packs its objects.
#[tokio::test(start_paused = true)]
async fn decoded_informer_has_no_file() {
    let (server, scratch) = (server_with(20), Scratch::new("decoded"));
    let spec = InformerSpec::new().storage(Storage::decoded());
    let run = Run::of_spec(&server, cache(&scratch), spec);
    run.informer.wait_for_sync(LIMIT).await.unwrap();
    run.shutdown().await;
    assert!(scratch.tables().is_empty());
}

/// An informer has synced while its shard is empty, before its first list.
#[tokio::test(start_paused = true)]
async fn start_of_a_shard_that_comes_late_is_audited() {
    let half = Scope::Shard(0, u64::MAX / 2);
    let (server, scratch) = (server_with(40), Scratch::new("late-audit"));
    Run::synced(&server, scratch.path(), half).await.shutdown().await;
    // It was restored from a backup, and has passed the kept version.
    let restored = server_with(0);
    for n in 0..80 {
        restored.create(&map("other", &format!("map-{n}"), n)).unwrap();
    }
    let (wanted, shard) = watch::channel(ShardSelector::nothing(ShardKey::Uid));
    let run = Run::of_spec(&restored, cache(&scratch), InformerSpec::new().shard(shard));
    sleep(Duration::from_secs(10)).await;
    wanted.send_replace(ShardSelector::new(ShardKey::Uid, [0..=u64::MAX / 2]));
    run.settle(&restored, half).await;
    run.shutdown().await;
}
