//! The slots of a sharded controller: the keys that this replica may reconcile now.
//!
//! A key belongs to the slot that has its object's place on the ring. This replica reconciles the
//! key in a slot that it holds, if every informer of the controller holds the slot's objects.
//! Otherwise a dependent that has not arrived would look deleted.
//!
//! A key of any other slot leaves the queue. When a slot becomes ready, the controller queues all
//! its stored objects, and its deleted objects whose reconcile is not over. No stored object, and
//! no unreconciled deletion, is lost by that. Triggers and delays of other keys are.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::select_all;
use kube::Resource;

use super::following::{Followed, Group};
use super::history::Cause;
use super::run::followed;
use super::status::StatusCell;
use crate::informer::InformerGroup;
use crate::leader_election::WorkScope;
use crate::object::{Cached, CachedEvent, ObjectEvent, ObjectKey, ShardKey, ring_hash};
use crate::sharding::Sharding;
use crate::sync::Mutex;
use crate::workqueue::{Priority, WorkQueue};
use crate::yield_budget::YieldBudget;

/// The slots of a sharded controller.
pub(super) struct SlotGate {
    sharding: Sharding,
    /// The field that decides on the place of the controller's own objects.
    key: ShardKey,
    /// The deleted objects whose reconcile is not over.
    deletions: Mutex<PendingDeletions>,
}

#[derive(Default)]
struct PendingDeletions {
    of: HashMap<ObjectKey, Deletion>,
    /// The number of departures so far.
    count: u64,
}

/// The deletion of an object.
#[derive(Clone, Copy)]
struct Deletion {
    place: u64,
    number: u64,
}

impl SlotGate {
    pub(super) fn new(sharding: Sharding) -> Self {
        let key = sharding.by().objects();
        Self { sharding, key, deletions: Mutex::default() }
    }

    /// Returns the field that decides on the place of the controller's own objects.
    pub(super) fn key(&self) -> ShardKey {
        self.key
    }

    /// Returns the place of a key on the ring. `None` if the object is not stored, and its uid is
    /// not known.
    pub(super) fn place<K>(&self, key: &ObjectKey, objects: &InformerGroup<K>) -> Option<u64>
    where
        K: Resource + Send + Sync + 'static,
    {
        if self.key == ShardKey::Namespace {
            return Some(ring_hash(key.namespace().unwrap_or_default()));
        }
        let store = objects.informer_of(key)?.snapshot();
        match store.cached_by_key(key) {
            Some(object) => object.place(self.key),
            None => self.deletions.lock().of.get(key).map(|deletion| deletion.place),
        }
    }

    /// Returns the scope of work at a place. `None` if this replica may not work there now.
    pub(super) fn scope(&self, place: u64, groups: &[Group]) -> Option<WorkScope> {
        // Read the scope before the stores. If the slot is lost in between, this scope is
        // cancelled, and a new tenure has another scope.
        let (scope, tenure) = self.sharding.tenure(place)?;
        followed(groups).all(|informer| informer.covers(place, tenure)).then_some(scope)
    }

    /// Notes an event of one of the controller's own objects. Call this before its key is queued.
    pub(super) fn note<K: Resource>(&self, key: &ObjectKey, event: &CachedEvent<K>) {
        match event {
            ObjectEvent::Deleted { object, .. } => {
                if let Some(place) = self.place_of_object(key, object) {
                    let deletions = &mut *self.deletions.lock();
                    deletions.count += 1;
                    let deletion = Deletion { place, number: deletions.count };
                    deletions.of.insert(key.clone(), deletion);
                }
            }
            ObjectEvent::Updated { .. } => {}
            ObjectEvent::Added { .. } | ObjectEvent::MovedAway { .. } => {
                self.deletions.lock().of.remove(key);
            }
        }
    }

    fn place_of_object<K: Resource>(&self, key: &ObjectKey, object: &Cached<K>) -> Option<u64> {
        match self.key {
            ShardKey::Namespace => Some(ring_hash(key.namespace().unwrap_or_default())),
            other => object.place(other),
        }
    }

    /// Returns the number of a key's deletion, if its reconcile is not over.
    pub(super) fn deletion(&self, key: &ObjectKey) -> Option<u64> {
        let deletions = self.deletions.lock();
        // The map is mostly empty. Saves hashing the key.
        let some = !deletions.of.is_empty();
        some.then(|| deletions.of.get(key).map(|deletion| deletion.number))?
    }

    /// Forgets a deletion, because a reconcile that knew of it has succeeded. A later deletion of
    /// the same key stays.
    pub(super) fn finish(&self, key: &ObjectKey, deletion: Option<u64>) {
        if let Some(number) = deletion {
            let mut deletions = self.deletions.lock();
            if deletions.of.get(key).is_some_and(|deletion| deletion.number == number) {
                deletions.of.remove(key);
            }
        }
    }

    /// Returns the slots in which this replica may work now, each with its scope.
    fn ready(&self, groups: &[Group]) -> HashMap<usize, WorkScope> {
        let all = 0..self.sharding.slots();
        all.filter_map(|slot| Some((slot, self.scope(self.sharding.start_of(slot), groups)?)))
            .collect()
    }

    /// Queues the keys of each slot that becomes ready. Ends only with the controller.
    pub(super) async fn feed<K>(
        self: Arc<Self>,
        objects: InformerGroup<K>,
        groups: Arc<[Group]>,
        queue: WorkQueue<ObjectKey>,
        status: Arc<StatusCell>,
    ) where
        K: Resource + Send + Sync + 'static,
    {
        let mut known: HashMap<usize, WorkScope> = HashMap::new();
        let mut membership = self.sharding.watch_status();
        let mut stores: Vec<_> = followed(&groups).map(Followed::shard_changes).collect();
        loop {
            // Seen before the slots are read, so that a later change wakes this task.
            membership.mark_unchanged();
            for store in &mut stores {
                store.mark_unchanged();
            }
            let ready = self.ready(&groups);
            let same = |slot: &usize, scope: &WorkScope| {
                known.get(slot).is_some_and(|known| known.is_same(scope))
            };
            let new = ready.iter().filter(|(slot, scope)| !same(slot, scope));
            let new: HashSet<usize> = new.map(|(slot, _)| *slot).collect();
            known = ready;
            if !new.is_empty() {
                let add = |key: &ObjectKey| {
                    status.history().record(key, || Cause::Slot);
                    queue.add_with(key.clone(), Priority::LOW);
                };
                self.each_key(&objects, &new, add).await;
            }
            self.purge();
            let changes = stores.iter_mut().map(|store| store.changed().map(drop).boxed());
            let changes = changes.chain([membership.changed().map(drop).boxed()]);
            select_all(changes).await;
        }
    }

    /// Calls a function with each key of these slots, stored or deleted. Yields in between.
    async fn each_key<K>(
        &self,
        objects: &InformerGroup<K>,
        slots: &HashSet<usize>,
        call: impl Fn(&ObjectKey),
    ) where
        K: Resource + Send + Sync + 'static,
    {
        let mut budget = YieldBudget::new();
        let among = |place: u64| slots.contains(&self.sharding.slot_of(place));
        for informer in objects.informers() {
            for (key, object) in informer.snapshot().cached() {
                budget.spend(1).await;
                if self.place_of_object(key, object).is_some_and(among) {
                    call(key);
                }
            }
        }
        let deletions: Vec<_> = {
            let deletions = self.deletions.lock();
            let ours = deletions.of.iter().filter(|(_, deletion)| among(deletion.place));
            ours.map(|(key, _)| key.clone()).collect()
        };
        deletions.iter().for_each(call);
    }

    /// Forgets the deletions of objects that belong to other replicas now.
    fn purge(&self) {
        let held = self.sharding.objects().borrow().clone();
        self.deletions.lock().of.retain(|_, deletion| held.contains(deletion.place));
    }
}

impl fmt::Debug for SlotGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlotGate").field("sharding", &self.sharding).finish_non_exhaustive()
    }
}
