//! The in-memory source, which obeys the same queries.

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::api::ObjectMeta;
use kube_informer::testing::FakeSource;

use super::*;

fn map(name: &str, owner: Option<&str>) -> ConfigMap {
    let reference = |uid: &str| OwnerReference {
        uid: uid.into(),
        controller: Some(true),
        ..OwnerReference::default()
    };
    let metadata = ObjectMeta {
        name: Some(name.into()),
        owner_references: owner.map(|uid| vec![reference(uid)]),
        ..ObjectMeta::default()
    };
    ConfigMap { metadata, ..ConfigMap::default() }
}

fn source(count: usize) -> FakeSource<ConfigMap> {
    let source = FakeSource::new("configmaps", "ConfigMap");
    for n in 0..count {
        source.put(map(&format!("map-{n:02}"), None));
    }
    source
}

/// Returns the shard of the objects that this uid controls.
fn controlled_by(uid: &str) -> ShardSelector {
    let place = kube_informer::object::ring_hash(uid);
    ShardSelector::new(ShardKey::ControllerUid, [place..=place])
}

#[tokio::test]
async fn shards_list_every_object_once() {
    let source = source(20);
    let all = list(&source, listing(None)).await.unwrap().0;
    for limit in [None, Some(3)] {
        let mut together = vec![];
        for shard in parts(ShardKey::Uid, 3) {
            let mut query = listing(Some(&shard));
            query.limit = limit;
            let part = list(&source, query).await.unwrap().0;
            assert!(part.len() < all.len());
            together.extend(part);
        }
        assert_eq!(sorted(together), all, "{limit:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn shards_watch_every_event_once() {
    let source = source(20);
    for n in 0..10 {
        source.put(map(&format!("map-{n:02}"), None));
        source.delete(&ObjectKey::cluster(&format!("map-{:02}", n + 10)).unwrap()).unwrap();
    }
    let all = watch(&source, &watching(0, None)).await.unwrap().events;
    let (mut together, mut streamed) = (vec![], vec![]);
    for shard in parts(ShardKey::Uid, 3) {
        let got = watch(&source, &watching(0, Some(&shard))).await.unwrap();
        assert_eq!(got.events.len() + got.outside.len(), all.len());
        assert!(got.outside.iter().all(|outside| outside.starts_with("- ")));
        together.extend(got.events);
        let mut streaming = watching(0, Some(&shard));
        streaming.initial_events = true;
        streamed.extend(watch(&source, &streaming).await.unwrap().events);
    }
    assert_eq!(sorted(together), sorted(all));
    assert_eq!(streamed.len(), 10);
}

#[tokio::test(start_paused = true)]
async fn object_leaves_the_shard_of_its_last_owner() {
    let source = source(0);
    source.put(map("child", Some("a")));
    source.put(map("child", Some("b")));
    source.delete(&ObjectKey::cluster("child").unwrap());
    let left = watch(&source, &watching(0, Some(&controlled_by("a")))).await.unwrap();
    assert_eq!(left.events, ["added child 1", "deleted child 3"]);
    assert_eq!(left.outside, ["child 2"]);
    let entered = watch(&source, &watching(0, Some(&controlled_by("b")))).await.unwrap();
    assert_eq!(entered.events, ["modified child 2", "deleted child 3"]);
}
