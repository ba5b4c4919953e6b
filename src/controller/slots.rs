//! The slots of a sharded controller: the keys that this replica may reconcile now.
//!
//! A key belongs to the slot that has its object's place on the ring. This replica reconciles the
//! key in a slot that it holds, if every informer of the key's namespace holds the slot's objects.
//! Otherwise a dependent that has not arrived would look deleted.
//!
//! A key of any other slot leaves the queue. When a slot becomes ready, the controller queues its
//! stored objects that the predicates pass, as at its start. It also queues the deleted objects
//! whose reconcile is not over, and the keys that left the queue while they waited for the slot.
//! Triggers and delays of other slots' keys are lost.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::select_all;
use tokio::sync::watch;

use super::following::{Followed, Group};
use super::history::Cause;
use super::run::followed;
use super::status::StatusCell;
use super::triggers::{Predicate, passes};
use super::waiting::concerns;
use crate::informer::InformerGroup;
use crate::lease::WorkScope;
use crate::lister_watcher::Collection;
use crate::object::{Cached, CachedEvent, ObjectEvent, ObjectKey, ShardKey};
use crate::panic::catch;
use crate::sharding::{Sharding, ShardingStatus};
use crate::sync::Mutex;
use crate::time::Moment;
use crate::workqueue::{Priority, WorkQueue};
use crate::yield_budget::YieldBudget;

/// A slot that this replica holds.
#[derive(Clone)]
pub(super) struct HeldSlot {
    pub(super) slot: usize,
    pub(super) tenure: u64,
    pub(super) scope: WorkScope,
    /// The positions of the informers that lack objects of the slot.
    pub(super) lacking: Vec<usize>,
}

/// The parts of a controller that get the keys of arriving slots.
pub(super) struct Arrivals {
    pub(super) objects: InformerGroup,
    pub(super) groups: Arc<[Group]>,
    pub(super) predicates: Arc<[Predicate]>,
    pub(super) queue: WorkQueue<ObjectKey>,
    pub(super) status: Arc<StatusCell>,
}

/// A slot before and after a change.
struct Readiness {
    /// `None` if the slot was not held in this tenure.
    before: Option<HeldSlot>,
    now: HeldSlot,
}

impl Readiness {
    /// Returns whether a key of the slot is ready now and was not before.
    fn is_new(&self, key: &ObjectKey, collections: &[&Collection]) -> bool {
        let ready = |held: &HeldSlot| {
            !held.lacking.iter().any(|informer| concerns(collections[*informer], key))
        };
        ready(&self.now) && !self.before.as_ref().is_some_and(ready)
    }
}

/// The changes after which other keys may be ready.
pub(super) struct SlotChanges {
    membership: watch::Receiver<ShardingStatus>,
    stores: Vec<watch::Receiver<()>>,
}

impl SlotChanges {
    pub(super) fn mark_seen(&mut self) {
        self.membership.mark_unchanged();
        self.stores.iter_mut().for_each(watch::Receiver::mark_unchanged);
    }

    /// Waits for a change since the last look.
    pub(super) async fn changed(&mut self) {
        let stores = self.stores.iter_mut().map(|store| store.changed().map(drop).boxed());
        select_all(stores.chain([self.membership.changed().map(drop).boxed()])).await;
    }
}

/// The slots of a sharded controller.
pub(super) struct SlotGate {
    sharding: Sharding,
    /// The field that decides on the place of the controller's own objects.
    key: ShardKey,
    /// The deleted objects whose reconcile is not over.
    deletions: Mutex<PendingDeletions>,
    /// The keys that left the queue although this replica holds their slot, or may hold it. They
    /// come back when the slot is ready.
    waiting: Mutex<HashSet<ObjectKey>>,
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
        Self { sharding, key, deletions: Mutex::default(), waiting: Mutex::default() }
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
            match store.cached_by_key(key) {
                Some(object) => object.place(by),
                None => self.deletions.lock().of.get(key).map(|deletion| deletion.place),
            }
        })
    }

    /// Returns the scope of work on a key at a place. `None` if this replica may not reconcile it
    /// now.
    pub(super) fn scope(&self, place: u64, key: &ObjectKey, groups: &[Group]) -> Option<WorkScope> {
        // Read the scope before the stores. If the slot is lost in between, this scope is
        // cancelled, and a new tenure has another scope.
        let (scope, tenure) = self.sharding.tenure(place)?;
        let mut concerned =
            followed(groups).filter(|informer| concerns(informer.collection(), key));
        concerned.all(|informer| informer.covers(place, tenure, scope.won())).then_some(scope)
    }

    /// Keeps a key that left the queue until its slot is ready. Returns false if the key belongs to
    /// another replica.
    pub(super) fn keep(
        &self,
        key: &ObjectKey,
        place: Option<u64>,
        objects: &InformerGroup,
    ) -> bool {
        let keeps = self.may_come(key, place, objects);
        if keeps {
            self.waiting.lock().insert(key.clone());
        }
        keeps
    }

    /// Returns whether this replica may reconcile a key later although nothing happens to its
    /// object.
    fn may_come(&self, key: &ObjectKey, place: Option<u64>, objects: &InformerGroup) -> bool {
        if let Some(place) = place {
            return self.sharding.tenure(place).is_some();
        }
        // Without a place, the object may be among those that have not arrived.
        let Some(informer) = objects.informer_of(key) else { return false };
        let store = informer.snapshot();
        store.shard().is_some_and(|stored| *stored != *self.sharding.objects().borrow())
    }

    /// Takes a key that was kept. Returns whether there was one.
    pub(super) fn take(&self, key: &ObjectKey) -> bool {
        self.waiting.lock().remove(key)
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
            ObjectEvent::Updated { .. } => {}
            ObjectEvent::Added { .. } | ObjectEvent::MovedAway { .. } => {
                self.deletions.lock().of.remove(key);
            }
        }
    }

    fn place_of_object(&self, key: &ObjectKey, object: &Cached) -> Option<u64> {
        self.key.place(key, |by| object.place(by))
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

    /// Returns the slots that this replica holds, sorted.
    pub(super) fn held(&self, groups: &[Group]) -> Vec<HeldSlot> {
        let slots = 0..self.sharding.slots();
        // Read the scopes before the stores, as for one key.
        let tenures: Vec<_> = slots
            .filter_map(|slot| {
                let place = self.sharding.start_of(slot);
                Some((slot, place, self.sharding.tenure(place)?))
            })
            .collect();
        let held = tenures.into_iter().map(|(slot, place, (scope, tenure))| {
            let lacks = |informer: &Followed| !informer.covers(place, tenure, scope.won());
            let informers = followed(groups).enumerate();
            let lacking = informers.filter(|(_, one)| lacks(one)).map(|(at, _)| at).collect();
            HeldSlot { slot, tenure, scope, lacking }
        });
        held.collect()
    }

    /// Proves, each time that slots were won, that an informer without a shard is as new. Another
    /// replica may have reconciled the slots' objects with newer states. Slots that are won
    /// together share one request. Ends only with the sharding or the informer.
    pub(super) async fn prove(&self, informer: &Followed) {
        let mut membership = self.sharding.watch_status();
        let mut proved = Moment::START;
        loop {
            membership.mark_unchanged();
            let starts = (0..self.sharding.slots()).map(|slot| self.sharding.start_of(slot));
            let wins = starts.filter_map(|place| Some(self.sharding.tenure(place)?.0.won()));
            let won = wins.max().unwrap_or(Moment::START);
            let ended = if won > proved && !informer.is_sharded() {
                proved = won;
                informer.fresh(won, Duration::MAX).await.is_err()
            } else {
                membership.changed().await.is_err()
            };
            if ended {
                return;
            }
        }
    }

    /// Returns the changes after which other keys may be ready.
    pub(super) fn changes(&self, groups: &[Group]) -> SlotChanges {
        let stores = followed(groups).map(Followed::shard_changes).collect();
        SlotChanges { membership: self.sharding.watch_status(), stores }
    }

    /// Queues the keys that become ready with their slot. Ends only with the controller.
    pub(super) async fn feed(&self, arrivals: &Arrivals) {
        let mut known: HashMap<usize, HeldSlot> = HashMap::new();
        let mut changes = self.changes(&arrivals.groups);
        loop {
            // Seen before the slots are read, so that a later change wakes this task.
            changes.mark_seen();
            let held = self.held(&arrivals.groups);
            let news = held.iter().filter_map(|now| {
                let before = known.remove(&now.slot).filter(|one| one.scope.is_same(&now.scope));
                let same = before.as_ref().is_some_and(|before| before.lacking == now.lacking);
                (!same).then(|| (now.slot, Readiness { before, now: now.clone() }))
            });
            let news: HashMap<_, _> = news.collect();
            if !news.is_empty() {
                self.each_key(arrivals, &news, |key| {
                    arrivals.status.history().record(key, || Cause::Slot);
                    arrivals.queue.add_with(key.clone(), Priority::LOW);
                })
                .await;
            }
            known = held.into_iter().map(|held| (held.slot, held)).collect();
            self.release(arrivals);
            self.purge();
            changes.changed().await;
        }
    }

    /// Calls a function with each key of these slots that becomes ready: of the stored objects that
    /// the predicates pass, of what other stored objects map to, and of the deleted ones. Yields in
    /// between.
    async fn each_key(
        &self,
        arrivals: &Arrivals,
        news: &HashMap<usize, Readiness>,
        call: impl Fn(&ObjectKey),
    ) {
        let Arrivals { objects, groups, predicates, status, .. } = arrivals;
        let mut budget = YieldBudget::new();
        let collections: Vec<_> = followed(groups).map(Followed::collection).collect();
        let among = |place: u64, key: &ObjectKey| {
            let slot = news.get(&self.sharding.slot_of(place));
            slot.is_some_and(|slot| slot.is_new(key, &collections))
        };
        for informer in objects.informers() {
            for (key, object) in informer.snapshot().objects() {
                budget.spend(1).await;
                if !self.place_of_object(key, object).is_some_and(|place| among(place, key)) {
                    continue;
                }
                let added = CachedEvent::Added { object: object.clone(), initial: true };
                // Unpacking an object runs its type's deserializer.
                let passes = catch(|| passes(predicates, &added, informer.dropper(), status));
                if passes.unwrap_or(true) {
                    call(key);
                }
            }
        }
        // Nobody reconciled what changed while the slot had no owner.
        for informer in followed(groups) {
            let (handle, mut keys) = (informer.informer(), Vec::new());
            for (key, object) in handle.snapshot().objects() {
                budget.spend(1).await;
                let added = CachedEvent::Added { object: object.clone(), initial: true };
                let mut add = |mapped| keys.push(mapped);
                let (rule, dropper) = (informer.rule(), handle.dropper());
                // Unpacking an object runs its type's deserializer.
                let mapped = catch(|| {
                    if rule.maps() && passes(&rule.predicates, &added, dropper, status) {
                        rule.mapped_keys(key, &added, dropper, status, &mut add);
                    }
                });
                if let Err(message) = mapped {
                    status.record_mapping_panic(key, &message);
                }
                for key in keys.drain(..) {
                    if self.place(&key, objects).is_some_and(|place| among(place, &key)) {
                        call(&key);
                    }
                }
            }
        }
        let deletions: Vec<_> = {
            let deletions = self.deletions.lock();
            let ours = deletions.of.iter().filter(|(key, deletion)| among(deletion.place, key));
            ours.map(|(key, _)| key.clone()).collect()
        };
        deletions.iter().for_each(call);
    }

    /// Queues the kept keys that are ready, and forgets those of other replicas.
    fn release(&self, arrivals: &Arrivals) {
        let Arrivals { objects, groups, queue, .. } = arrivals;
        let kept = std::mem::take(&mut *self.waiting.lock());
        for key in kept {
            let place = self.place(&key, objects);
            if place.is_some_and(|place| self.scope(place, &key, groups).is_some()) {
                queue.add_with(key, Priority::LOW);
            } else if self.may_come(&key, place, objects) {
                self.waiting.lock().insert(key);
            }
        }
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::api::ObjectMeta;
    use tokio::time::sleep;
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::controller::history::TriggerHistory;
    use crate::controller::triggers::{Enqueuer, Keys, Rule};
    use crate::sharding::ShardBy;
    use crate::testing::ApiServer;

    #[tokio::test(start_paused = true)]
    async fn late_moved_away_keeps_keys_of_held_slot() {
        let client = ApiServer::new().client();
        let sharding = Sharding::builder(client, "shop", "maps", ShardBy::Namespace);
        let sharding = sharding.slots(4).build().unwrap();
        let status = StatusCell::new(
            &"c".into(),
            None,
            None,
            Arc::default(),
            Arc::new(TriggerHistory::new(1)),
        );
        let enqueuer = Enqueuer {
            rule: Arc::new(Rule::new(Vec::new(), Keys::Own)),
            informer: "configmaps".into(),
            queue: WorkQueue::new(),
            debounce: Duration::ZERO,
            status: Arc::new(status),
            slots: Some(Arc::new(SlotGate::new(sharding.clone()))),
            dropper: crate::panic::SafeDropper::default(),
        };
        let namespace = Some("shop".to_owned());
        let metadata = ObjectMeta { namespace, name: Some("a".into()), ..ObjectMeta::default() };
        let object = Cached::any(Arc::new(ConfigMap { metadata, ..ConfigMap::default() }));
        let key = ObjectKey::namespaced("shop", "a").unwrap();
        let event = CachedEvent::MovedAway { object };
        enqueuer.queue.add_after(key.clone(), Duration::from_secs(60));
        let stop = CancellationToken::new();
        let running = tokio::spawn({
            let (sharding, stop) = (sharding.clone(), stop.clone());
            async move { sharding.run(stop).await }
        });
        sleep(Duration::from_secs(5)).await;
        enqueuer.fire(&key, &event);
        assert_eq!(enqueuer.queue.status().delayed, 1);
        stop.cancel();
        running.await.unwrap().unwrap();
        enqueuer.fire(&key, &event);
        assert_eq!(enqueuer.queue.status().delayed, 0);
    }
}
