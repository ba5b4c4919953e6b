//! Schedules of own-write tracking: a controller's writes, the store that shows them, and readers
//! that wait.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use shuttle::future::block_on;

use super::{join_all, run_scenario, spawn, spawn_waiter};
use crate::controller::OwnWrites;
use crate::helpers::{key, object};
use kube_informer::indexer::Indexer;
use kube_informer::informer::{InformerOptions, SharedInformer};
use kube_informer::testing::FakeSource;

/// No time passes here: a waiter that is not woken waits for ever.
const LIMIT: Duration = Duration::from_secs(3600);

fn written(name: &str, version: u64) -> ConfigMap {
    let mut written = object(name);
    written.metadata.resource_version = Some(version.to_string());
    written
}

/// Returns a store that only the test fills, and the tracker of writes to it.
fn tracked() -> (Indexer<ConfigMap>, OwnWrites<ConfigMap>) {
    let source = Arc::new(FakeSource::new("configmaps", "ConfigMap"));
    let informer = SharedInformer::new(source, InformerOptions::new());
    (informer.indexer().clone(), OwnWrites::new(&informer))
}

/// Stores the event of a write.
fn store_event(store: &Indexer<ConfigMap>, name: &str, version: u64) {
    let mut write = store.transaction();
    write.put(&key(name), Arc::new(written(name, version)));
    write.set_version(version.into());
    write.commit();
}

#[test]
fn wait_returns_after_earlier_writes() {
    run_scenario(|_| {
        let (store, writes) = tracked();
        let workers = [1u64, 2].map(|n| {
            let (writes, store) = (writes.clone(), store.clone());
            spawn_waiter(async move {
                let key = key(&n.to_string());
                // Each creates an object: the store cannot show a later state of it.
                for version in [n, n + 2] {
                    let name = version.to_string();
                    let made = written(&name, version);
                    writes.expect_write(&key, &made).expect("the write can be tracked");
                    writes.wait_observed(&key, LIMIT).await.expect("no time passes");
                    assert!(store.get(&crate::helpers::key(&name)).is_some(), "{name}");
                }
            })
        });
        let events = spawn(move || {
            (1..5).for_each(|version| store_event(&store, &version.to_string(), version));
        });
        join_all(workers);
        join_all([events]);
        assert_eq!(format!("{writes:?}"), "OwnWrites { not_seen: 0, .. }");
    });
}

#[test]
fn wait_includes_later_writes() {
    run_scenario(|_| {
        let (store, writes) = tracked();
        let key = key("key");
        writes.expect_write(&key, &written("made", 1)).expect("the write can be tracked");
        let waiter = {
            let (writes, key) = (writes.clone(), key.clone());
            spawn_waiter(async move { writes.wait_observed(&key, LIMIT).await })
        };
        let events = spawn({
            let store = store.clone();
            move || [1, 2].map(|version| store_event(&store, "made", version))
        });
        writes.expect_write(&key, &written("made", 2)).expect("the write can be tracked");
        block_on(writes.wait_observed(&key, LIMIT)).expect("no time passes");
        assert!(store.snapshot().has_reached(&2u64.into()));
        assert!(join_all([waiter])[0].is_ok());
        join_all([events]);
    });
}
