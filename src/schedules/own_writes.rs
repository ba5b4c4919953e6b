//! What a controller wrote, the store that comes to show it, and who waits for that.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;
use shuttle::future::block_on;

use super::{all, play, spawn, waiting};
use crate::controller::OwnWrites;
use crate::indexer::Indexer;
use crate::informer::{InformerOptions, SharedInformer};
use crate::object::ObjectKey;
use crate::testing::FakeSource;

/// No time passes here: who is not woken waits for ever.
const LIMIT: Duration = Duration::from_secs(3600);

fn written(version: u64) -> ConfigMap {
    let metadata = ObjectMeta {
        name: Some("written".into()),
        resource_version: Some(version.to_string()),
        ..ObjectMeta::default()
    };
    ConfigMap { metadata, ..ConfigMap::default() }
}

/// A store that nobody fills but the test, and the writes that it is to show.
fn tracked() -> (Indexer<ConfigMap>, OwnWrites<ConfigMap>) {
    let source = Arc::new(FakeSource::new("configmaps", "ConfigMap"));
    let informer = SharedInformer::new(source, InformerOptions::new());
    (informer.indexer().clone(), OwnWrites::new(&informer))
}

/// The event of a write arrives.
fn show(store: &Indexer<ConfigMap>, object: &ObjectKey, version: u64) {
    let mut write = store.transaction();
    write.put(object, Arc::new(written(version)));
    write.set_version(version.into());
    write.commit();
}

#[test]
fn a_reconcile_sees_what_was_written_before_it() {
    play(|_| {
        let (store, writes) = tracked();
        let object = ObjectKey::cluster("written").unwrap();
        let workers = [1u64, 2].map(|n| {
            let (writes, store, object) = (writes.clone(), store.clone(), object.clone());
            waiting(async move {
                let key = ObjectKey::cluster(&n.to_string()).unwrap();
                for version in [n, n + 2] {
                    writes.wrote(&key, &written(version)).expect("it can be traced");
                    writes.seen(&key, LIMIT).await.expect("no time passes");
                    let seen = store.get(&object).expect("it was written");
                    let seen: u64 =
                        seen.metadata.resource_version.as_ref().unwrap().parse().unwrap();
                    assert!(seen >= version, "{seen}, not {version}");
                }
            })
        });
        let events = spawn(move || {
            (1..5).for_each(|version| show(&store, &object, version));
        });
        all(workers);
        all([events]);
        assert_eq!(format!("{writes:?}"), "OwnWrites { not_seen: 0, .. }");
    });
}

#[test]
fn what_is_written_while_somebody_waits_is_waited_for_too() {
    play(|_| {
        let (store, writes) = tracked();
        let object = ObjectKey::cluster("written").unwrap();
        let key = ObjectKey::cluster("key").unwrap();
        writes.wrote(&key, &written(1)).expect("it can be traced");
        let waiter = {
            let (writes, key) = (writes.clone(), key.clone());
            waiting(async move { writes.seen(&key, LIMIT).await })
        };
        let events = spawn({
            let store = store.clone();
            move || [1, 2].map(|version| show(&store, &object, version))
        });
        writes.wrote(&key, &written(2)).expect("it can be traced");
        block_on(writes.seen(&key, LIMIT)).expect("no time passes");
        assert!(store.snapshot().has_reached(&2u64.into()));
        assert!(all([waiter])[0].is_ok());
        all([events]);
    });
}
