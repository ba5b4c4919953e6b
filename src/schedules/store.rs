//! Schedules of the store: several writers, and readers that wait for a version.

use std::sync::Arc;
use std::time::Duration;

use super::{join_all, run_scenario, spawn, spawn_waiter};
use crate::indexer::Indexer;
use crate::object::{Cached, ObjectKey, Value};

type Sum = Value<u64>;

/// No time passes here: a waiter that is not woken waits for ever.
const LIMIT: Duration = Duration::from_secs(3600);

fn key() -> ObjectKey {
    ObjectKey::cluster("sum").unwrap()
}

fn sum<K: ?Sized>(object: Option<Cached<K>>) -> u64 {
    object.and_then(|object| object.get_as::<Sum>()).map_or(0, |sum| **sum)
}

#[test]
fn wait_returns_the_version_or_newer() {
    run_scenario(|_| {
        let store = Indexer::<Sum>::new();
        let waiters = [1u64, 3].map(|wanted| {
            let store = store.clone();
            spawn_waiter(async move {
                let reached = store.wait_for(&wanted.into(), LIMIT).await.expect("no time passes");
                // A snapshot shows one moment.
                assert_eq!(reached.version(), Some(&sum(reached.get_cached(&key())).into()));
                assert!(reached.has_reached(&wanted.into()));
            })
        });
        let writer = spawn(move || {
            for version in 1..4u64 {
                let mut write = store.transaction();
                write.put(&key(), Arc::new(Sum::from(version)));
                write.set_version(version.into());
                write.commit();
            }
        });
        join_all(waiters);
        join_all([writer]);
    });
}

#[test]
fn drafts_and_transactions_lose_no_write() {
    run_scenario(|_| {
        let store = Indexer::<Sum>::new();
        let drafting = [(), ()].map(|()| {
            let any: Indexer = store.clone().into();
            spawn(move || {
                let mut written = 0;
                while written < 2 {
                    let mut draft = any.draft();
                    let next = sum(draft.get(&key())) + 1;
                    draft.put(&key(), Cached::from(Arc::new(Sum::from(next))));
                    written += u64::from(draft.publish().is_ok());
                }
            })
        });
        let transacting = {
            let store = store.clone();
            spawn(move || {
                for _ in 0..2 {
                    let mut write = store.transaction();
                    let next = sum(write.get(&key())) + 1;
                    write.put(&key(), Arc::new(Sum::from(next)));
                    write.commit();
                }
            })
        };
        join_all(drafting);
        join_all([transacting]);
        assert_eq!(store.get(&key()).map(|sum| **sum), Some(6));
    });
}

#[test]
fn index_added_during_writes_is_complete() {
    run_scenario(|_| {
        let store = Indexer::<Sum>::new();
        let writer = {
            let (store, any): (_, Indexer) = (store.clone(), store.clone().into());
            spawn(move || {
                for version in 1..3u64 {
                    let mut draft = any.draft();
                    draft.put(&key(), Cached::from(Arc::new(Sum::from(version))));
                    if draft.publish().is_err() {
                        let mut write = store.transaction();
                        write.put(&key(), Arc::new(Sum::from(version)));
                        write.commit();
                    }
                }
            })
        };
        let index = store.add_index("value", |value: &Sum| [(**value).to_string()]).unwrap();
        join_all([writer]);
        assert_eq!(index.keys("2"), [key()]);
        assert_eq!(index.values().len(), 1);
    });
}
