//! A list's way into the queue.
//!
//! A list may be long, so it goes in turns, and the queue is locked for one step at a time. That is
//! no less exact: who feeds the queue waits for this, and who drains it only moves what is queued
//! into the store, which changes nothing of what there will be.

use std::collections::HashSet;

use kube::Resource;

use super::{Batch, DeltaFifo, tombstone};
use crate::object::{Cached, Delta, KeyPositions, ObjectKey, Replacement};
use crate::yield_budget::{TURN, YieldBudget};

impl<K: Resource> DeltaFifo<K> {
    /// Queues a list as one batch: deletions of what it lacks, then what it holds.
    pub(super) async fn replace(&self, list: Replacement<K>, mut budget: YieldBudget) {
        let Replacement { mut items, unreadable, complete, version, restored } = list;
        let mut gone = Vec::new();
        if complete {
            gone = self.missing(&items, &unreadable, &mut budget).await;
        }
        for (key, object) in &mut items {
            budget.spend(1).await;
            let (known, restored) = {
                let mut state = self.state.lock();
                // What was known of a relic is not the state of now, even if the versions are equal.
                let relic = state.relics.remove(key);
                (state.pending.latest(key, &*self.known), relic || restored)
            };
            let unused = match known {
                Some(known) if object.ptr_eq(&known) => Some(known),
                Some(known) if !restored && object.is_same_state(&known) => {
                    Some(std::mem::replace(object, known))
                }
                Some(known) if object.is_different_object(&known) => {
                    gone.push((key.clone(), tombstone(known)));
                    None
                }
                known => known,
            };
            // Its `Drop` is user code: nothing is locked here.
            self.drops.free_all(unused);
        }
        let mut unlisted = Vec::new();
        if restored && !complete {
            unlisted = self.missing(&items, &unreadable, &mut budget).await;
        }
        let mut batch = {
            let mut state = self.state.lock();
            state.version = Some(version.clone());
            if restored {
                state.relics =
                    unlisted.iter().map(|(key, _)| key).chain(&unreadable).cloned().collect();
            } else if complete {
                // What is neither listed nor unreadable is deleted.
                state.relics.retain(|key| unreadable.contains(key));
            }
            let deltas = gone.len() + items.len() + unreadable.len();
            state.pending.reserve(deltas);
            let mut batch = Batch::list(state.next_id(), version, restored, complete);
            batch.deltas.reserve(deltas);
            Unqueued { fifo: self, batch: Some(batch) }
        };
        for (key, delta) in gone {
            budget.spend(1).await;
            batch.append(key, delta);
        }
        let mut forgotten = self.state.lock().unreadable.clone();
        for (key, object) in items {
            budget.spend(1).await;
            forgotten.remove(&key);
            batch.append(key, Delta::Replaced(object));
        }
        if complete {
            for key in forgotten.difference(&unreadable) {
                budget.spend(1).await;
                batch.append(key.clone(), Delta::Forgotten);
            }
            forgotten.clear();
        }
        // Nothing that was listed says that these are as they were.
        for (key, delta) in unlisted {
            budget.spend(1).await;
            batch.append(key, Delta::Unreadable);
            self.drops.free(delta);
        }
        for key in unreadable {
            budget.spend(1).await;
            let known = self.state.lock().pending.latest(&key, &*self.known);
            if known.is_none() {
                forgotten.insert(key.clone());
            }
            batch.append(key, Delta::Unreadable);
            self.drops.free_all(known);
        }
        self.state.lock().unreadable = forgotten;
        batch.queue();
    }

    /// Tombstones of what there will be when everything queued is done, and a list lacks.
    async fn missing(
        &self,
        items: &[(ObjectKey, Cached<K>)],
        unreadable: &HashSet<ObjectKey>,
        budget: &mut YieldBudget,
    ) -> Vec<(ObjectKey, Delta<K>)> {
        let mut places = KeyPositions::with_capacity(items.len());
        for (place, (key, _)) in items.iter().enumerate() {
            budget.spend(1).await;
            places.insert(key, place);
        }
        let is_listed = |key: &ObjectKey| {
            places.get(key, |place| items[place].0 == *key).is_some() || unreadable.contains(key)
        };
        let mut gone = Vec::new();
        let pending = self.state.lock().pending.all_latest();
        for (key, latest) in &pending {
            if let Some(object) = latest
                && !is_listed(key)
            {
                gone.push((key.clone(), tombstone(object.clone())));
            }
        }
        // What is pending may be in the store by now, or gone from it; nothing else changes there.
        let mut chunks = self.known.chunks();
        let mut seen = 0;
        while chunks.next(&mut |key, object| {
            seen += 1;
            if !pending.contains_key(key) && !is_listed(key) {
                gone.push((key.clone(), tombstone(object.clone())));
            }
        }) {
            budget.spend(TURN.min(std::mem::take(&mut seen))).await;
        }
        gone
    }
}

/// A list of which some deltas are counted as pending, and that is not queued yet.
struct Unqueued<'a, K> {
    fifo: &'a DeltaFifo<K>,
    batch: Option<Batch<K>>,
}

impl<K> Unqueued<'_, K> {
    fn append(&mut self, key: ObjectKey, delta: Delta<K>) {
        if let Some(batch) = &mut self.batch {
            let mut state = self.fifo.state.lock();
            state.pending.note(&key, &delta, (batch.id, batch.deltas.len()));
            batch.deltas.push((key, delta));
        }
    }

    /// Queues the whole, unless the queue was closed meanwhile.
    fn queue(mut self) {
        let mut state = self.fifo.state.lock();
        if !state.closed
            && let Some(mut batch) = self.batch.take()
        {
            batch.initial = !std::mem::replace(&mut state.populated, true);
            state.batches.push_back(batch);
        }
        drop(state);
        self.fifo.filled.notify_one();
    }
}

impl<K> Drop for Unqueued<'_, K> {
    fn drop(&mut self) {
        if let Some(batch) = self.batch.take() {
            self.fifo.state.lock().pending.finish(&batch.deltas);
            batch.deltas.into_iter().for_each(|(_, delta)| self.fifo.drops.free(delta));
        }
    }
}
