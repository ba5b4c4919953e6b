//! The gate of a sharded controller: the keys of this replica, and those that come back.
//!
//! A key belongs to the slot that has its object's place on the ring. The gate keeps the deleted
//! objects whose reconcile is not over. It does not look at the informers, which decide when a slot
//! is ready.

use std::collections::HashMap;
use std::fmt;

use super::waiting::Awaited;
use crate::basics::Mutex;
use crate::sharding::Sharding;
use kube_informer::informer::InformerGroup;
use kube_informer::object::{Cached, CachedEvent, ObjectEvent, ObjectKey, ShardKey};

/// The keys of a sharded controller by their slots.
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
    /// The number of deletions so far.
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
    pub(super) fn place(&self, key: &ObjectKey, objects: &InformerGroup) -> Option<u64> {
        self.key.place(key, |by| {
            let store = objects.informer_of(key)?.snapshot();
            match store.get_cached(key) {
                Some(object) => object.place(by),
                None => self.deletions.lock().of.get(key).map(|deletion| deletion.place),
            }
        })
    }

    /// Returns what a key waits for after which this replica may reconcile it, even if its object
    /// does not change. `None` if the key belongs to another replica.
    pub(super) fn awaited(
        &self,
        key: &ObjectKey,
        place: Option<u64>,
        objects: &InformerGroup,
    ) -> Option<Awaited> {
        if let Some(place) = place {
            let held = self.sharding.tenure(place).is_some();
            return held.then(|| Awaited::Slot(self.sharding.slot_of(place)));
        }
        // Without a place, the object may be among those that have not arrived.
        let store = objects.informer_of(key)?.snapshot();
        let arrives = store.shard().is_some_and(|one| *one != *self.sharding.objects().borrow());
        arrives.then_some(Awaited::Arrival)
    }

    /// Returns whether this replica holds the slot of one of the controller's own objects.
    pub(super) fn holds(&self, key: &ObjectKey, object: &Cached) -> bool {
        let place = self.place_of_object(key, object);
        place.is_some_and(|place| self.sharding.tenure(place).is_some())
    }

    /// Returns the membership.
    pub(super) fn sharding(&self) -> &Sharding {
        &self.sharding
    }

    /// Notes an event of one of the controller's own objects. Call this before its key is queued.
    pub(super) fn note(&self, key: &ObjectKey, event: &CachedEvent) {
        match event {
            ObjectEvent::Deleted { object, .. } => {
                // Another replica reconciles the others.
                if let Some(place) = self.place_of_object(key, object)
                    && self.sharding.objects().borrow().contains(place)
                {
                    let deletions = &mut *self.deletions.lock();
                    deletions.count += 1;
                    let deletion = Deletion { place, number: deletions.count };
                    deletions.of.insert(key.clone(), deletion);
                }
            }
            // A stored object is fed beside the tap, which may have told its deletion before.
            ObjectEvent::Added { initial: true, .. } | ObjectEvent::Updated { .. } => {}
            ObjectEvent::Added { .. } | ObjectEvent::MovedAway { .. } => {
                self.deletions.lock().of.remove(key);
            }
        }
    }

    /// Returns the place of one of the controller's own objects on the ring.
    pub(super) fn place_of_object(&self, key: &ObjectKey, object: &Cached) -> Option<u64> {
        self.key.place(key, |by| object.place(by))
    }

    /// Returns the number of a key's deletion, if its reconcile is not over.
    pub(super) fn deletion(&self, key: &ObjectKey) -> Option<u64> {
        let deletions = self.deletions.lock();
        // The map is mostly empty: this saves hashing the key.
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

    /// Returns the deleted objects among these, by place and key, whose reconcile is not over.
    pub(super) fn deleted(&self, among: impl Fn(u64, &ObjectKey) -> bool) -> Vec<ObjectKey> {
        let deletions = self.deletions.lock();
        let among = deletions.of.iter().filter(|(key, deletion)| among(deletion.place, key));
        among.map(|(key, _)| key.clone()).collect()
    }

    /// Forgets the deletions of objects that belong to other replicas now.
    pub(super) fn purge(&self) {
        let held = self.sharding.objects().borrow().clone();
        self.deletions.lock().of.retain(|_, deletion| held.contains(deletion.place));
    }
}

impl fmt::Debug for SlotGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlotGate").field("sharding", &self.sharding).finish_non_exhaustive()
    }
}
