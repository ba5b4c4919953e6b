//! What a controller wrote, the store that comes to show it, and who waits for that.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;

use super::{all, play, spawn, waiting};
use crate::controller::OwnWrites;
use crate::indexer::Indexer;
use crate::object::ObjectKey;

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

#[test]
fn a_reconcile_sees_what_was_written_before_it() {
    play(|_| {
        let store = Indexer::new();
        let writes = OwnWrites::of_store(&store);
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
            for version in 1..5u64 {
                let mut write = store.transaction();
                write.put(&object, &Arc::new(written(version)));
                write.set_version(version.into());
                write.commit();
            }
        });
        all(workers);
        all([events]);
        assert_eq!(format!("{writes:?}"), "OwnWrites { not_seen: 0, .. }");
    });
}
