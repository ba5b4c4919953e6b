//! Queueing of a whole list, and of a change of the shard.
//!
//! A list may be long, so the work yields to other tasks and locks the queue for one step at a
//! time. The result is the same as under one lock. The feeder waits for this call. The drainer only
//! moves queued deltas into the store, which does not change the final state.

use super::{Batch, BatchKind, DeltaFifo, Queued, tombstone};
use crate::object::{
    Cached, ChunkedVec, Delta, KeyMap, KeyPositions, ObjectKey, Replacement, ResourceVersion,
    ShardSelector,
};
use crate::yield_budget::{PART, TURN, YieldBudget};

impl DeltaFifo {
    /// Queues a list as one batch: first deletions of known objects that the list lacks, then its
    /// items. A list of arrivals deletes nothing.
    pub(super) async fn replace(
        &self,
        list: Replacement,
        only_arrivals: bool,
        mut budget: YieldBudget,
    ) {
        let Replacement { mut items, unreadable, moved, complete, version, restored, shard, grown } =
            list;
        let whole = complete && !only_arrivals;
        let mut without_state = KeyMap::default();
        if whole || restored {
            without_state = keys_without_state(&unreadable, &moved, &mut budget).await;
        }
        budget.free(moved, 1).await;
        let mut gone = ChunkedVec::new();
        if whole {
            gone = self.missing(&items, &without_state, &mut budget).await;
        }
        self.compare(&mut items, &mut gone, &mut budget).await;
        let mut unlisted = ChunkedVec::new();
        if restored && !whole {
            unlisted = self.missing(&items, &without_state, &mut budget).await;
        }
        let mut pre_restore = KeyMap::default();
        if restored || whole {
            // Of a whole list, a key that is neither listed nor unreadable is deleted.
            let kept = unlisted.iter().map(|(key, _)| key).chain(&unreadable);
            pre_restore = self.pre_restore(kept, restored, &mut budget).await;
        }
        let mut batch = {
            let mut state = self.state.lock();
            if !only_arrivals {
                state.version = Some(version.clone());
            }
            if restored || whole {
                // The old keys are freed without the lock.
                std::mem::swap(&mut state.pre_restore, &mut pre_restore);
            }
            let deltas = gone.len() + items.len() + unreadable.len();
            state.pending.reserve(deltas);
            let kind = if only_arrivals {
                BatchKind::Arrivals { complete }
            } else {
                BatchKind::List { first: false, complete, restored, grown }
            };
            let mut batch = Batch::new(state.next_id(), kind);
            // Everything else may be older than the arrivals.
            batch.version = (!only_arrivals).then(|| version.clone());
            batch.shard = shard;
            batch.deltas = ChunkedVec::with_capacity(deltas);
            self.unqueued(batch, &mut state)
        };
        budget.free(pre_restore.into_entries(), 1).await;
        if restored {
            for shown in batch.unreadable.values_mut() {
                budget.spend(1).await;
                // This version is of the lost history.
                *shown = None;
            }
        }
        // From here on, a cancelled future drops its objects one by one.
        let (mut gone, mut items, mut unlisted) =
            (gone.into_iter(), items.into_iter(), unlisted.into_iter());
        loop {
            budget.spend(1).await;
            let Some((key, delta)) = gone.next() else { break };
            batch.append(key, delta);
        }
        loop {
            budget.spend(1).await;
            let Some((key, object)) = items.next() else { break };
            batch.forget(&key);
            batch.append(key, Delta::Replaced(object));
        }
        if whole {
            let gone = |key: &ObjectKey| without_state.get(key) != Some(&true);
            batch.forget_those(gone, &mut budget).await;
        }
        budget.free(without_state.into_entries(), 1).await;
        // The list does not show whether these objects are unchanged.
        loop {
            budget.spend(1).await;
            let Some((key, delta)) = unlisted.next() else { break };
            batch.append(key, Delta::Unreadable);
            self.dropper.free(delta);
        }
        for key in unreadable {
            budget.spend(1).await;
            let known = self.state.lock().pending.latest(&key, &*self.stored);
            if known.is_none() {
                batch.unreadable.insert(key.clone(), Some(version.clone()));
            }
            batch.append(key, Delta::Unreadable);
            self.dropper.free_all(known);
        }
        if batch.queue() && only_arrivals {
            // Without a first list there is nothing to wait for.
            self.synced.send_replace(true);
        }
    }

    /// Compares listed objects with the known ones. Of two equal states, the known one is kept. An
    /// object that replaced another of its name adds the other's tombstone to `gone`.
    async fn compare(
        &self,
        items: &mut ChunkedVec<(ObjectKey, Cached)>,
        gone: &mut ChunkedVec<(ObjectKey, Delta)>,
        budget: &mut YieldBudget,
    ) {
        for (key, object) in items.iter_mut() {
            budget.spend(1).await;
            let known = {
                let mut state = self.state.lock();
                state.pre_restore.remove(key);
                state.pending.latest(key, &*self.known)
            };
            let unused = match known {
                Some(known) if object.is_same_state(&known) => {
                    Some(std::mem::replace(object, known))
                }
                Some(known) if object.is_different_object(&known) => {
                    gone.push((key.clone(), tombstone(known)));
                    None
                }
                known => known,
            };
            // Its `Drop` is user code, so no lock is held here.
            self.dropper.free_all(unused);
        }
    }

    /// Returns those of the keys whose known state is from before the server's history was lost.
    /// These are all of them if this list shows the loss.
    async fn pre_restore(
        &self,
        keys: impl Iterator<Item = &ObjectKey>,
        restored: bool,
        budget: &mut YieldBudget,
    ) -> KeyMap<()> {
        let mut pre_restore = KeyMap::default();
        for key in keys {
            budget.spend(1).await;
            if restored || self.state.lock().pre_restore.contains(key) {
                pre_restore.insert(key.clone(), ());
            }
        }
        pre_restore
    }

    /// Returns tombstones, or departures, of the objects that the list lacks, among those that will
    /// exist after everything queued. `without_state` is what [`keys_without_state`] returned.
    async fn missing(
        &self,
        items: &ChunkedVec<(ObjectKey, Cached)>,
        without_state: &KeyMap<bool>,
        budget: &mut YieldBudget,
    ) -> ChunkedVec<(ObjectKey, Delta)> {
        let mut places = KeyPositions::with_capacity(items.len());
        for (place, (key, _)) in items.iter().enumerate() {
            budget.spend(1).await;
            places.insert(key, place);
        }
        let missing = self
            .select(budget, |key, object| {
                if places.get(key, |place| items[place].0 == *key).is_some() {
                    return None;
                }
                match without_state.get(key) {
                    Some(true) => None,
                    Some(false) => Some(Delta::MovedAway(object.clone())),
                    None => Some(tombstone(object.clone())),
                }
            })
            .await;
        budget.free(places.into_parts(), PART).await;
        missing
    }

    /// Queues the departure of every known object outside of a shard, as one batch.
    pub(super) async fn narrow(&self, shard: ShardSelector, mut budget: YieldBudget) {
        let mut moved = self
            .select(&mut budget, |key, object| {
                let is_inside = shard.has(key, |by| object.place(by));
                (is_inside == Some(false)).then(|| Delta::MovedAway(object.clone()))
            })
            .await
            .into_iter();
        let mut batch = {
            let mut state = self.state.lock();
            let mut batch = Batch::new(state.next_id(), BatchKind::Events);
            batch.shard = Some(shard.clone());
            self.unqueued(batch, &mut state)
        };
        loop {
            budget.spend(1).await;
            let Some((key, delta)) = moved.next() else { break };
            batch.append(key, delta);
        }
        // By uid, the place of an undecoded object is unknown, so it stays.
        let outside = |key: &ObjectKey| shard.has(key, |_| None) == Some(false);
        batch.forget_those(outside, &mut budget).await;
        if batch.queue() {
            // Without a shard there is nothing to wait for.
            self.synced.send_replace(true);
        }
    }

    /// Returns the deltas that a function gives for the objects that will exist after everything
    /// queued.
    async fn select(
        &self,
        budget: &mut YieldBudget,
        delta: impl Fn(&ObjectKey, &Cached) -> Option<Delta>,
    ) -> ChunkedVec<(ObjectKey, Delta)> {
        let mut selected = ChunkedVec::new();
        let pending = self.state.lock().pending.all_latest();
        for (key, latest) in &pending {
            if let Some(delta) = latest.as_ref().and_then(|object| delta(key, object)) {
                selected.push((key.clone(), delta));
            }
        }
        // Pending deltas may have reached the store by now. Nothing else changes there.
        let mut visit_chunk = self.known.chunks();
        let mut seen = 0;
        while visit_chunk(&mut |key, object| {
            seen += 1;
            if !pending.contains_key(key)
                && let Some(delta) = delta(key, object)
            {
                selected.push((key.clone(), delta));
            }
        }) {
            budget.spend(TURN.min(std::mem::take(&mut seen))).await;
        }
        selected
    }
}

/// Returns the keys of a list that have no state in it: true if the object is unreadable, false if
/// it has moved away. A key that has both counts as unreadable.
async fn keys_without_state(
    unreadable: &ChunkedVec<ObjectKey>,
    moved: &ChunkedVec<ObjectKey>,
    budget: &mut YieldBudget,
) -> KeyMap<bool> {
    let mut keys = KeyMap::default();
    let moved = moved.iter().map(|key| (key, false));
    for (key, is_unreadable) in moved.chain(unreadable.iter().map(|key| (key, true))) {
        budget.spend(1).await;
        keys.insert(key.clone(), is_unreadable);
    }
    keys
}

/// A list that is not queued yet, although some of its deltas already count as pending.
struct Unqueued<'a> {
    fifo: &'a DeltaFifo,
    batch: Option<Batch>,
    /// The keys in [`Queued::unreadable`], while the list changes them.
    unreadable: KeyMap<Option<ResourceVersion>>,
}

impl DeltaFifo {
    fn unqueued(&self, batch: Batch, state: &mut Queued) -> Unqueued<'_> {
        let unreadable = std::mem::take(&mut state.unreadable);
        Unqueued { fifo: self, batch: Some(batch), unreadable }
    }
}

impl Unqueued<'_> {
    fn append(&mut self, key: ObjectKey, delta: Delta) {
        if let Some(batch) = &mut self.batch {
            let mut state = self.fifo.state.lock();
            state.pending.note(&key, &delta, (batch.id, batch.deltas.len()));
            batch.deltas.push((key, delta));
        }
    }

    /// Queues that an unreadable object has a readable state now or is gone.
    fn forget(&mut self, key: &ObjectKey) {
        if self.unreadable.remove(key).is_some() {
            self.append(key.clone(), Delta::Forgotten);
        }
    }

    async fn forget_those(
        &mut self,
        is_gone: impl Fn(&ObjectKey) -> bool,
        budget: &mut YieldBudget,
    ) {
        let mut gone = ChunkedVec::new();
        for (key, _) in self.unreadable.iter() {
            budget.spend(1).await;
            if is_gone(key) {
                gone.push(key.clone());
            }
        }
        for key in gone {
            budget.spend(1).await;
            self.forget(&key);
        }
    }

    /// Queues the whole batch, unless the queue was closed meanwhile. Returns whether it is the
    /// first change.
    fn queue(mut self) -> bool {
        let mut first = false;
        let mut state = self.fifo.state.lock();
        if !state.closed
            && let Some(mut batch) = self.batch.take()
        {
            first = !std::mem::replace(&mut state.populated, true);
            if let BatchKind::List { first: is_first, .. } = &mut batch.kind {
                *is_first = first;
            }
            state.batches.push_back(batch);
            state.unreadable = std::mem::take(&mut self.unreadable);
        }
        drop(state);
        self.fifo.filled.notify_one();
        first
    }
}

impl Drop for Unqueued<'_> {
    fn drop(&mut self) {
        if let Some(batch) = self.batch.take() {
            for (key, delta) in &batch.deltas {
                if matches!(delta, Delta::Forgotten) {
                    self.unreadable.insert(key.clone(), None);
                }
            }
            self.fifo.state.lock().unreadable = std::mem::take(&mut self.unreadable);
            for deltas in batch.deltas.parts() {
                self.fifo.state.lock().pending.finish(deltas);
            }
            batch.deltas.into_iter().for_each(|(_, delta)| self.fifo.dropper.free(delta));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures::poll;

    use super::*;
    use crate::helpers::{Bomb, key};
    use crate::indexer::Indexer;
    use crate::object::Value;

    /// A second panic while the first one unwinds would end the process.
    #[tokio::test]
    async fn several_destructors_of_a_cancelled_list_may_panic() {
        // Cancel it at each possible point.
        for turns in 1.. {
            let fifo = DeltaFifo::new(Arc::new(Indexer::<Value<Bomb>>::new()));
            let bomb = || Cached::any(Arc::new(Value::from(Bomb)));
            let item = |n: usize| (key(&format!("b{n}")), bomb());
            let list = Replacement {
                items: (0..3 * TURN).map(item).collect(),
                unreadable: ChunkedVec::new(),
                moved: ChunkedVec::new(),
                complete: true,
                version: "7".into(),
                restored: false,
                shard: None,
                grown: false,
            };
            let mut replacing = Box::pin(fifo.replace(list, false, YieldBudget::new()));
            let mut queued = false;
            for _ in 0..turns {
                queued = queued || poll!(replacing.as_mut()).is_ready();
                tokio::task::yield_now().await;
            }
            drop(replacing);
            if queued {
                assert!(turns > 3, "it was cancelled half way, too");
                return std::mem::forget(fifo);
            }
        }
    }
}
