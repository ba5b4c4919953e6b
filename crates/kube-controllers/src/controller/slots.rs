//! The slots of a sharded controller: the keys that this replica may reconcile now.
//!
//! This replica reconciles a key in a slot that it holds, if every informer of the key's namespace
//! holds the slot's objects. Otherwise a dependent that has not arrived would look deleted.
//!
//! A key of any other slot leaves the queue. When a slot becomes ready, the controller queues its
//! stored objects that the predicates pass, as at its start. It also queues the deleted objects
//! whose reconcile is not over, and the keys that left the queue while they waited for the slot.
//! Triggers and delays of other slots' keys are lost.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use tokio::sync::watch;

use super::ControllerParts;
use super::cause::Cause;
use super::gate::SlotGate;
use super::membership::Membership;
use super::sources::{Source, members};
use super::triggers::passes;
use super::waiting::{Awaited, concerns};
use crate::lease::WorkScope;
use crate::sharding::ShardingStatus;
use kube_informer::informer::ReadBarrier;
use kube_informer::lister_watcher::Collection;
use kube_informer::object::{CachedEvent, ObjectKey};
use kube_informer::seams::{Together, VecMap, YieldBudget, catch};
use kube_informer::workqueue::Priority;

/// A slot that this replica holds.
#[derive(Clone)]
pub(super) struct HeldSlot {
    pub(super) slot: usize,
    pub(super) tenure: u64,
    pub(super) scope: WorkScope,
    /// The positions of the informers that lack objects of the slot.
    pub(super) lacking: Vec<usize>,
}

/// A slot before and after a change.
struct Readiness {
    /// `None` if the slot was not held in this tenure.
    before: Option<HeldSlot>,
    now: HeldSlot,
    /// True if all of the slot's objects are to be reconciled, even if the predicates refuse them.
    all: bool,
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
        let mut changes = Together::default();
        for store in &mut self.stores {
            changes.push(async { drop(store.changed().await) }.boxed());
        }
        changes.push(async { drop(self.membership.changed().await) }.boxed());
        changes.next().await;
    }
}

impl SlotGate {
    /// Returns the scope of work on a key at a place. `None` if this replica may not reconcile it
    /// now.
    pub(super) fn scope(
        &self,
        place: u64,
        key: &ObjectKey,
        groups: &[Arc<Source>],
    ) -> Option<WorkScope> {
        // Read the scope before the stores. If the slot is lost in between, this scope is
        // cancelled, and a new tenure has another scope.
        let (scope, tenure) = self.sharding().tenure(place)?;
        let covers = |member: &Membership| {
            !concerns(member.collection(), key) || member.covers(place, tenure, scope.won())
        };
        members(groups).all(covers).then_some(scope)
    }

    /// Returns the slots that this replica holds, sorted.
    pub(super) fn held(&self, groups: &[Arc<Source>]) -> Vec<HeldSlot> {
        let slots = 0..self.sharding().slots();
        // Read the scopes before the stores, as for one key.
        let tenures: Vec<_> = slots
            .filter_map(|slot| {
                let place = self.sharding().start_of(slot);
                Some((slot, place, self.sharding().tenure(place)?))
            })
            .collect();
        let informers: Vec<_> = members(groups).collect();
        let held = tenures.into_iter().map(|(slot, place, (scope, tenure))| {
            let lacks = |member: &Membership| !member.covers(place, tenure, scope.won());
            let lacking = informers.iter().enumerate().filter(|(_, one)| lacks(one));
            let lacking = lacking.map(|(at, _)| at).collect();
            HeldSlot { slot, tenure, scope, lacking }
        });
        held.collect()
    }

    /// Proves, whenever slots were won, that an informer without a shard is as new as they are.
    /// Another replica may have reconciled the slots' objects with newer states. Slots that are won
    /// together share one request. Ends only with the sharding or the informer.
    pub(super) async fn prove(&self, member: &Membership) {
        let mut membership = self.sharding().watch_status();
        let mut proved = ReadBarrier::START;
        loop {
            membership.mark_unchanged();
            let starts = (0..self.sharding().slots()).map(|slot| self.sharding().start_of(slot));
            let wins = starts.filter_map(|place| Some(self.sharding().tenure(place)?.0.won()));
            let won = wins.max().unwrap_or(ReadBarrier::START);
            let ended = if won > proved && !member.is_sharded() {
                proved = won;
                member.fresh(won, Duration::MAX).await.is_err()
            } else {
                membership.changed().await.is_err()
            };
            if ended {
                return;
            }
        }
    }

    /// Returns the changes after which other keys may be ready.
    pub(super) fn changes(&self, groups: &[Arc<Source>]) -> SlotChanges {
        let stores = members(groups).map(|member| member.shard_changes()).collect();
        SlotChanges { membership: self.sharding().watch_status(), stores }
    }

    /// Queues the keys that become ready with their slot. Ends only with the controller.
    pub(super) async fn feed(&self, parts: &ControllerParts) {
        let mut known: VecMap<usize, HeldSlot> = VecMap::default();
        let mut changes = self.changes(&parts.groups);
        let mut all_requests = parts.all_requests.subscribe();
        // The tenures of the arriving slots whose objects were all requested meanwhile, by slot.
        let mut all: VecMap<usize, u64> = VecMap::default();
        // The shards in the stores of its own objects, and the wanted one.
        let mut known_shards = None;
        loop {
            // Seen before the slots are read, so that a later change wakes this task.
            changes.mark_seen();
            let requested = all_requests.has_changed().unwrap_or(false);
            all_requests.mark_unchanged();
            let held = self.held(&parts.groups);
            let stores = parts.objects.informers().iter();
            let stores = stores.map(|informer| informer.snapshot().shard().cloned());
            let shards: (Vec<_>, _) =
                (stores.collect(), self.sharding().objects().borrow().clone());
            let arrives = |slot: &HeldSlot| {
                let before = known.get(&slot.slot).filter(|one| one.scope.is_same(&slot.scope));
                before.is_none_or(|before| !before.lacking.is_empty())
            };
            if requested {
                for slot in held.iter().filter(|slot| arrives(slot)) {
                    all.insert(slot.slot, slot.tenure);
                }
            }
            let news = held.iter().filter_map(|now| {
                let before = known.get(&now.slot).filter(|one| one.scope.is_same(&now.scope));
                let same = before.is_some_and(|before| before.lacking == now.lacking);
                let (before, all) = (before.cloned(), all.get(&now.slot) == Some(&now.tenure));
                (!same).then(|| (now.slot, Readiness { before, now: now.clone(), all }))
            });
            let news: VecMap<_, _> = news.collect();
            if !news.is_empty() {
                self.each_key(parts, &news, |key| {
                    parts.history.record(key, || Cause::Slot);
                    parts.queue.add_with(key.clone(), Priority::LOW);
                })
                .await;
            }
            let arriving = held.iter().filter(|held| !held.lacking.is_empty());
            let arriving: VecMap<_, _> = arriving.map(|held| (held.slot, held.tenure)).collect();
            all.retain(|slot, tenure| arriving.get(slot) == Some(tenure));
            let now: VecMap<_, _> = held.into_iter().map(|held| (held.slot, held)).collect();
            let before = std::mem::replace(&mut known, now);
            let lost = before.keys().filter(|slot| !known.contains_key(*slot));
            for slot in lost.chain(news.keys()) {
                parts.waiting.wake(Awaited::Slot(*slot), &parts.queue).await;
            }
            if known_shards.as_ref() != Some(&shards) {
                known_shards = Some(shards);
                parts.waiting.wake(Awaited::Arrival, &parts.queue).await;
            }
            self.purge();
            tokio::select! {
                biased;
                () = changes.changed() => {}
                // `parts` hold the sender.
                _requested = all_requests.changed() => all_requests.mark_changed(),
            }
        }
    }

    /// Calls a function with each key of these slots that becomes ready. These are stored objects
    /// that the predicates pass or that were requested, keys to which other stored objects map, and
    /// deleted objects. Yields in between.
    async fn each_key(
        &self,
        parts: &ControllerParts,
        news: &VecMap<usize, Readiness>,
        call: impl Fn(&ObjectKey),
    ) {
        let ControllerParts { objects, groups, status, .. } = parts;
        let mut budget = YieldBudget::new();
        let collections: Vec<_> = members(groups).map(|member| member.collection()).collect();
        let own = objects.clone();
        let own = move || own.informers().to_vec();
        let slot_of = |place: u64, key: &ObjectKey| {
            let slot = news.get(&self.sharding().slot_of(place));
            slot.filter(|slot| slot.is_new(key, &collections))
        };
        let among = |place: u64, key: &ObjectKey| slot_of(place, key).is_some();
        let (mapped, own_objects): (Vec<_>, Vec<_>) =
            groups.iter().flat_map(|group| group.with_rule()).partition(|(_, rule)| rule.maps());
        for (membership, rule) in own_objects {
            let informer = membership.informer();
            for (key, object) in informer.snapshot().iter_cached() {
                budget.spend(1).await;
                let place = self.place_of_object(key, &object);
                let Some(slot) = place.and_then(|place| slot_of(place, key)) else { continue };
                if slot.all {
                    call(key);
                    continue;
                }
                rule.pause(&mut budget).await;
                let (added, dropper) =
                    (CachedEvent::Added { object, initial: true }, informer.dropper());
                // Unpacking an object runs its type's deserializer.
                let passes = catch(|| passes(&rule.predicates, &added, dropper, status));
                if passes.unwrap_or(true) {
                    call(key);
                }
            }
        }
        // While the slot had no owner, no replica reconciled changes.
        for (membership, rule) in mapped {
            let (informer, mut keys) = (membership.informer(), Vec::new());
            for (key, object) in informer.snapshot().iter_cached() {
                rule.pause(&mut budget).await;
                let added = CachedEvent::Added { object, initial: true };
                let mut add = |mapped| keys.push(mapped);
                let dropper = informer.dropper();
                // Unpacking an object runs its type's deserializer.
                let mapped = catch(|| {
                    if passes(&rule.predicates, &added, dropper, status) {
                        rule.mapped_keys(key, &added, &own, dropper, status, &mut add);
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
        budget.pass_on(self.deleted(among), |key| call(&key)).await;
    }
}
