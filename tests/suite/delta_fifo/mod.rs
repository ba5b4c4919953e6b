//! The queue with a store that applies its batches. Tests of what only the module sees are in
//! `src/delta_fifo/tests.rs`.

mod convergence;
mod shards;
mod unreadable;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;

use futures::FutureExt;
use kube_informer::delta_fifo::{Batch, DeltaFifo};
use kube_informer::object::{
    Cached, Change, ChunkedVec, Delta, KnownObjects, ObjectKey, Replacement,
};
use parking_lot::RwLock;

use crate::named::{self, key};

/// A store that applies batches as the processing loop does.
#[derive(Default)]
struct Store(RwLock<BTreeMap<ObjectKey, Cached>>);

impl KnownObjects for Store {
    fn get(&self, key: &ObjectKey) -> Option<Cached> {
        self.0.read().get(key).cloned()
    }

    fn for_each(&self, visit: &mut dyn FnMut(&ObjectKey, &Cached)) {
        self.0.read().iter().for_each(|(key, object)| visit(key, object));
    }
}

struct Rig {
    store: Arc<Store>,
    fifo: DeltaFifo,
}

/// Writes a batch as text: `+a1` added, `~a1` updated, `-a1` deleted, `†a1` tombstone, `=a1`
/// replaced, `>a1` moved away, `?a` unreadable, `!a` forgotten.
fn told(batch: &Batch) -> Vec<String> {
    batch
        .deltas
        .iter()
        .map(|(key, delta)| {
            let sign = match delta {
                Delta::Added(_) => '+',
                Delta::Updated(_) => '~',
                Delta::Deleted { final_state_known: true, .. } => '-',
                Delta::Deleted { .. } => '†',
                Delta::Replaced(_) => '=',
                Delta::MovedAway(_) => '>',
                Delta::Unreadable => '?',
                Delta::Forgotten => '!',
            };
            let version = delta.object().and_then(Cached::version);
            format!("{sign}{key}{}", version.map(|v| v.to_string()).unwrap_or_default())
        })
        .collect()
}

/// Returns a state of an object, which is another one than the queue and the store have.
fn another(name: &str, uid: &str, version: u64) -> Cached {
    let mut object = named::object(name);
    object.metadata.uid = Some(uid.into());
    object.metadata.resource_version = Some(version.to_string());
    Cached::from(Arc::new(object)).into()
}

/// Returns the state of an object at this version, which is the same one at each call in a test.
fn object_of(name: &str, uid: &str, version: u64) -> Cached {
    thread_local! {
        static STATES: RefCell<BTreeMap<(String, u64), Cached>> = RefCell::default();
    }
    let state = (format!("{name} {uid}"), version);
    STATES.with_borrow_mut(|states| {
        states.entry(state).or_insert_with(|| another(name, uid, version)).clone()
    })
}

fn object(name: &str, version: u64) -> Cached {
    object_of(name, name, version)
}

fn added(name: &str, version: u64) -> Change {
    let object = object(name, version);
    Change::Added { key: key(name), object, version: Some(version.into()) }
}

fn updated(name: &str, version: u64) -> Change {
    let object = object(name, version);
    Change::Updated { key: key(name), object, version: Some(version.into()) }
}

fn deleted(name: &str, version: u64) -> Change {
    let object = Some(object(name, version));
    Change::Deleted { key: key(name), object, version: Some(version.into()) }
}

fn list(version: u64, items: &[(&str, u64)]) -> Replacement {
    Replacement {
        items: items.iter().map(|(name, version)| (key(name), object(name, *version))).collect(),
        unreadable: ChunkedVec::new(),
        moved: ChunkedVec::new(),
        complete: true,
        version: version.into(),
        restored: false,
        shard: None,
        grown: false,
    }
}

impl Rig {
    fn new() -> Self {
        let store = Arc::new(Store::default());
        Self { fifo: DeltaFifo::new(store.clone()), store }
    }

    /// Makes a rig whose store holds these objects at version 1 and whose queue is empty.
    fn holding(names: &[&str]) -> Self {
        let rig = Self::new();
        let items: Vec<_> = names.iter().map(|name| (*name, 1)).collect();
        rig.push(Change::Replace(list(1, &items)));
        rig.drain();
        rig
    }

    /// Queues a change, for which there is room.
    fn push(&self, change: Change) {
        let mut feeding = pin!(self.fifo.feed(change));
        // It yields while it queues a long list.
        let queued = (0..1_000_000).any(|_| feeding.as_mut().now_or_never().is_some());
        assert!(queued, "there is no room");
    }

    fn pop(&self) -> Option<Batch> {
        self.fifo.pop().now_or_never().flatten()
    }

    fn apply(&self, batch: &Batch) {
        let mut store = self.store.0.write();
        for (key, delta) in &batch.deltas {
            match delta {
                Delta::Deleted { .. } | Delta::MovedAway(_) => drop(store.remove(key)),
                Delta::Unreadable | Delta::Forgotten => {}
                _ => drop(store.insert(key.clone(), delta.object().unwrap().clone())),
            }
        }
        drop(store);
        self.fifo.done(batch);
    }

    fn drain(&self) -> Vec<String> {
        let mut all = Vec::new();
        while let Some(batch) = self.pop() {
            all.extend(told(&batch));
            self.apply(&batch);
        }
        all
    }
}

#[test]
fn deltas_keep_the_order_of_the_server() {
    let rig = Rig::new();
    for change in [added("a", 1), added("b", 2), updated("a", 3), deleted("b", 4), added("b", 5)] {
        rig.push(change);
    }
    assert_eq!(rig.drain(), ["+a1", "+b2", "~a3", "-b4", "+b5"]);
    assert!(rig.fifo.is_empty());
}

#[test]
fn batches_are_bounded_and_split_in_order() {
    let rig = Rig::new();
    let total = 3_000;
    for version in 1..=total {
        rig.push(updated("a", version));
    }
    let mut last = 0;
    let mut sizes = Vec::new();
    while let Some(batch) = rig.pop() {
        sizes.push(batch.deltas.len());
        last += batch.deltas.len() as u64;
        assert_eq!(batch.version, Some(last.into()), "a batch's version is that of its last event");
        rig.apply(&batch);
    }
    let (rest, whole) = sizes.split_last().unwrap();
    assert!(whole.len() > 1 && whole.iter().all(|size| *size == whole[0] && size > rest));
}

#[test]
fn a_bookmark_only_moves_the_version() {
    let rig = Rig::new();
    rig.push(Change::Bookmark(7.into()));
    let batch = rig.pop().unwrap();
    assert_eq!((told(&batch).len(), batch.version), (0, Some(7.into())));
}

#[test]
fn delete_of_an_unknown_object_only_moves_the_version() {
    let rig = Rig::new();
    rig.push(deleted("ghost", 7));
    let batch = rig.pop().unwrap();
    assert_eq!((told(&batch).len(), batch.version), (0, Some(7.into())));
}

#[test]
fn adjacent_deletes_merge_into_the_final_state() {
    let rig = Rig::holding(&["a"]);
    rig.push(Change::Deleted { key: key("a"), object: None, version: None });
    rig.push(deleted("a", 5));
    rig.push(deleted("a", 6));
    assert_eq!(rig.drain(), ["-a5"]);
}

#[test]
fn list_puts_missed_deletes_first() {
    let rig = Rig::holding(&["a", "b", "c"]);
    rig.push(Change::Replace(list(9, &[("d", 9), ("b", 8)])));
    let batch = rig.pop().unwrap();
    let mut told = told(&batch);
    told[..2].sort();
    assert_eq!(told, ["†a1", "†c1", "=d9", "=b8"]);
}

#[test]
fn tombstone_prefers_the_queued_state() {
    let rig = Rig::holding(&["a"]);
    rig.push(updated("a", 5));
    rig.push(added("b", 6));
    rig.push(Change::Replace(list(9, &[])));
    let mut all = rig.drain();
    all[2..].sort();
    assert_eq!(all, ["~a5", "+b6", "†a5", "†b6"]);
}

#[test]
fn list_does_not_repeat_a_queued_deletion() {
    let rig = Rig::holding(&["a"]);
    rig.push(deleted("a", 5));
    rig.push(Change::Replace(list(9, &[])));
    assert_eq!(rig.drain(), ["-a5"]);
}

#[test]
fn popped_deltas_count_until_done() {
    let rig = Rig::new();
    rig.push(added("a", 1));
    let in_flight = rig.pop().unwrap();
    rig.push(Change::Replace(list(9, &[])));
    rig.apply(&in_flight);
    assert_eq!(rig.drain(), ["†a1"]);
    assert!(rig.store.0.read().is_empty());
}

#[test]
fn new_uid_under_a_key_is_a_missed_delete() {
    let rig = Rig::holding(&["a", "b"]);
    rig.push(Change::Updated {
        key: key("a"),
        object: object_of("a", "second", 5),
        version: Some(5.into()),
    });
    let mut relist = list(9, &[("b", 1)]);
    relist.items.push((key("a"), object_of("a", "third", 8)));
    rig.push(Change::Replace(relist));
    assert_eq!(rig.drain(), ["†a1", "~a5", "†a5", "=b1", "=a8"]);
}

/// The other object came and went while its events could not be read.
#[test]
fn delete_of_another_uid_tombstones_the_known_object() {
    let rig = Rig::holding(&["a"]);
    let object = Some(object_of("a", "other", 7));
    rig.push(Change::Deleted { key: key("a"), object, version: Some(7.into()) });
    let batch = rig.pop().unwrap();
    let deltas: Vec<_> = batch.deltas.iter().collect();
    let [(_, Delta::Deleted { object, final_state_known: false })] = deltas[..] else {
        panic!("{deltas:?}")
    };
    assert_ne!(object.uid(), Some("other"));
}

#[test]
fn event_older_than_the_known_state_is_ignored() {
    let rig = Rig::holding(&["a"]);
    rig.push(updated("a", 5));
    rig.push(updated("a", 3));
    assert_eq!(rig.drain(), ["~a5"]);
}

#[test]
fn late_event_revives_no_object_and_no_version() {
    let rig = Rig::holding(&["a", "b"]);
    rig.push(deleted("a", 8));
    rig.push(updated("b", 9));
    rig.push(updated("a", 7));
    rig.push(added("c", 6));
    let batch = rig.pop().unwrap();
    assert_eq!((told(&batch), batch.version), (vec!["-a8".into(), "~b9".into()], Some(9.into())));
}

#[test]
fn late_deletion_of_the_known_state_counts() {
    let rig = Rig::holding(&["a", "b"]);
    rig.push(Change::Bookmark(20.into()));
    rig.push(updated("b", 21));
    rig.push(deleted("a", 1));
    rig.push(deleted("b", 19));
    assert_eq!(rig.drain(), ["~b21", "-a1"]);
}

#[test]
fn late_deletion_of_another_uid_is_ignored() {
    let rig = Rig::holding(&["a"]);
    let new = object_of("a", "second", 9);
    rig.push(Change::Updated { key: key("a"), object: new, version: Some(9.into()) });
    let object = Some(object_of("a", "first", 8));
    rig.push(Change::Deleted { key: key("a"), object, version: Some(8.into()) });
    assert_eq!(rig.drain(), ["†a1", "~a9"]);
}

#[test]
fn synced_when_the_first_list_is_done() {
    for items in [vec![], vec![("a", 1), ("b", 1)]] {
        let rig = Rig::new();
        rig.push(Change::Replace(list(1, &items)));
        rig.push(added("late", 2));
        assert!(!rig.fifo.has_synced());
        let batch = rig.pop().unwrap();
        assert!(batch.is_first_list() && !rig.fifo.has_synced());
        rig.apply(&batch);
        assert!(rig.fifo.has_synced());
        assert!(!rig.pop().unwrap().is_first_list());
    }
}

#[test]
fn synced_at_once_without_a_first_list() {
    let rig = Rig::new();
    assert!(!rig.fifo.has_synced());
    rig.push(added("a", 1));
    assert!(rig.fifo.has_synced());
    rig.push(Change::Replace(list(2, &[("a", 1)])));
    rig.drain();
    assert!(rig.fifo.has_synced());
}

#[tokio::test]
async fn close_wakes_waiters_and_keeps_queued_batches() {
    let rig = Arc::new(Rig::new());
    let waiting: Vec<_> = (0..8)
        .map(|_| {
            let rig = rig.clone();
            tokio::spawn(async move { rig.fifo.pop().await.is_none() })
        })
        .collect();
    tokio::task::yield_now().await;
    rig.fifo.close();
    for task in waiting {
        assert!(task.await.unwrap());
    }
    let rig = Rig::new();
    rig.push(added("a", 1));
    rig.fifo.close();
    rig.push(added("b", 2));
    assert_eq!(rig.drain(), ["+a1"]);
}
