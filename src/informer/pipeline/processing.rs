//! The processing loop: the path of each batch into the store and to the handlers.
//!
//! A first list is one batch, however long. The batch is applied in slices, so that the runtime's
//! other tasks can run. It is applied to a draft of the store's next state, so nothing waits for it
//! and no reader sees half of it. The handlers that existed at that moment are then notified, also
//! in slices.
//!
//! No lock is held across an await. Old objects are freed here, in slices, because another thread
//! might never free them.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::time::Instant;
use tracing::Instrument;

use super::{Lifecycle, Pipeline};
use crate::delta_fifo::{Batch, BatchKind};
use crate::indexer::{IndexFault, Published, Transaction, WriterLock};
use crate::informer::resync::Resyncs;
use crate::informer::status::InformerMetrics;
use crate::lister_watcher::Collection;
use crate::object::{AnyObject, Cached, CachedEvent, ChunkedVec, Delta, ObjectKey};
use crate::panic::SafeDropper;
use crate::processor::{Listeners, Notification, Recipients};
use crate::warm::Kept;
use crate::yield_budget::{TURN, UNPACKING, YieldBudget};

/// The number of attempts to apply a batch to a draft before other writers are locked out.
const ATTEMPTS: usize = 3;

/// A batch that is in the store.
struct StoredBatch {
    /// The notifications, slice by slice.
    applied: ChunkedVec<AppliedDeltas>,
    /// The listeners to notify.
    listeners: Listeners,
    published: Published,
}

/// A published transaction, and the listeners to notify of it.
type Committed = (Published, Listeners);

/// A batch to apply, with the state that decides which handlers are notified.
#[derive(Clone, Copy)]
struct BatchUpdate<'b> {
    batch: &'b Batch,
    /// True if the batch belongs to the first list, or to the first list of an added shard.
    initial: bool,
    /// True if some handler wants notifications of unchanged objects.
    resyncing: bool,
    /// The objects of an earlier run, if this is the list that shows which of them are gone.
    kept: Option<&'b Kept>,
    /// The kept cache of this run.
    keeping: Option<&'b Kept>,
}

/// The result of applying some deltas.
#[derive(Default)]
struct AppliedDeltas {
    /// The notifications for the handlers.
    notifications: Vec<Notification>,
    /// Old objects that are in no notification. They are kept until the previous state of the store
    /// is freed, so that freeing it drops no object.
    unsent: Vec<Cached>,
}

/// Drops objects one by one, because a `Drop` may panic.
impl Drop for AppliedDeltas {
    fn drop(&mut self) {
        // Nearly always both are empty, and a dropper is an allocation.
        if self.notifications.is_empty() && self.unsent.is_empty() {
            return;
        }
        let dropper = SafeDropper::default();
        for notification in self.notifications.drain(..) {
            dropper.free_event(notification.event);
        }
        dropper.free_all(self.unsent.drain(..));
    }
}

/// A guard of the processing loop. However the loop ends, the guard closes queue, processor and
/// store.
pub(super) struct ProcessingGuard(pub(super) Arc<Pipeline>);

impl Drop for ProcessingGuard {
    fn drop(&mut self) {
        let Self(pipeline) = self;
        pipeline.fifo.abandon();
        pipeline.processor.close(pipeline.drains());
        pipeline.ended.cancel();
    }
}

impl Pipeline {
    /// Moves changes from the queue into the store until the informer stops. After each batch, a
    /// resync runs for one slice of objects, so that neither delays the other.
    pub(super) async fn process(&self, metrics: &InformerMetrics) {
        let mut resyncs = Resyncs::default();
        let mut budget = YieldBudget::new();
        loop {
            let batch = tokio::select! {
                biased;
                () = self.stop.cancelled() => break,
                batch = self.fifo.pop() => match batch {
                    Some(batch) => Some(batch),
                    None => break,
                },
                () = self.resync.due(&self.processor), if resyncs.is_empty() => None,
                () = budget.give_way(), if !resyncs.is_empty() => None,
            };
            // The time until now is no work. The work may call index functions, which may be slow.
            budget.waited();
            let began = Instant::now();
            if let Some(batch) = batch {
                // A source that always has another item must not keep the thread.
                budget.spend(batch.deltas.len().clamp(1, TURN)).await;
                self.apply(batch, metrics, &mut budget).await;
            }
            resyncs.begin(&self.processor, &self.indexer);
            let sent = resyncs.send_slice(&self.indexer);
            if !sent.is_empty() {
                budget.free(sent, 1).await;
            }
            budget.charge_time(began.elapsed());
        }
        if self.drains() {
            self.fifo.close();
            while let Some(batch) = self.fifo.pop().await {
                self.apply(batch, metrics, &mut budget).await;
            }
        } else {
            self.fifo.abandon_in_turns(&mut budget).await;
        }
    }

    /// Applies one batch as one change of the store, then notifies the handlers. A reader sees all
    /// of a batch or nothing of it. A handler that reads the store finds the state that it was
    /// notified of, or a later one. The work yields in between, whatever the batch's size.
    async fn apply(&self, batch: Batch, metrics: &InformerMetrics, budget: &mut YieldBudget) {
        let deltas = batch.deltas.len();
        let version = batch.version.as_ref().map(|version| version as &dyn Display);
        let span = self.origin.batch(version, deltas);
        let started = metrics.latency.start();
        let faults = self.store(batch, budget).instrument(span).await;
        metrics.latency.stop(started);
        metrics.queued.set(|| self.fifo.len());
        metrics.objects.set(|| self.indexer.snapshot().len());
        metrics.stale.set(|| self.indexer.snapshot().stale());
        metrics.unreadable.set(|| self.indexer.snapshot().unreadable());
        metrics.version.set(|| self.indexer.snapshot().version()?.low_digits());
        if let (Some(keeper), Some(metrics)) = (&self.keeper, &metrics.storage) {
            metrics.record(&keeper.status());
        }
        metrics.synced.set(|| usize::from(self.has_synced()));
        metrics.index_faults.add(faults.len() as u64);
        self.index_faults.fetch_add(faults.len() as u64, Ordering::Relaxed);
        for fault in faults {
            report(&fault, &self.collection);
        }
    }

    /// Returns whether waiting changes are still delivered after the stop. This requires an
    /// explicit stop: dropping all handles does not drain.
    fn drains(&self) -> bool {
        matches!(&*self.lifecycle.lock(), Lifecycle::Stopped { drain: true })
    }

    /// Stores a batch, notifies the handlers and marks the batch as done. Returns the calls of
    /// index functions that panicked.
    async fn store(&self, batch: Batch, budget: &mut YieldBudget) -> Vec<IndexFault> {
        let populating = !self.populated.load(Ordering::Relaxed);
        let initial = populating || batch.adds_are_initial();
        let resyncing = self.processor.min_resync().is_some();
        let kept = self.kept.as_deref().filter(|kept| batch.is_list() && !kept.is_settled());
        let keeping = self.kept.as_deref();
        let update = BatchUpdate { batch: &batch, initial, resyncing, kept, keeping };
        let StoredBatch { applied, listeners, published } = self.apply_batch(&update, budget).await;
        let Published { faults, before } = published;
        for AppliedDeltas { notifications, .. } in &applied {
            listeners.distribute(notifications);
            if listeners.has_taps() {
                // A tap without room must not delay a stop.
                let tapping = listeners.tap(notifications, &self.held_up_by);
                self.stop.run_until_cancelled(tapping).await;
            }
            if applied.len() > 1 {
                budget.give_way().await;
            }
        }
        if let Some(kept) = kept
            && batch.is_complete()
            && listeners.has_taps()
        {
            // Handlers received these deletes in an earlier run.
            let deletes = kept.unfinished().into_iter().map(|(key, object)| {
                let event = CachedEvent::Deleted { object, final_state_known: false };
                Notification { key, event, recipients: Recipients::Everyone }
            });
            let mut deletes: Vec<_> = deletes.collect();
            let tapping = listeners.tap(&deletes, &self.held_up_by);
            self.stop.run_until_cancelled(tapping).await;
            deletes.drain(..).for_each(|delete| self.dropper.free_event(delete.event));
        }
        if batch.shard.is_some() {
            self.shard_changes.send_replace(());
        }
        if populating && (batch.is_first_list() || self.fifo.has_synced()) {
            // A handler that was added meanwhile received the stored objects, which are the whole
            // list.
            let dispatch = self.processor.enter();
            dispatch.end_initial();
            self.populated.store(true, Ordering::Relaxed);
        }
        if let Some(kept) = kept {
            kept.consume(batch.is_complete());
        }
        self.fifo.done_in_turns(&batch).await;
        before.free().await;
        self.free(applied, budget).await;
        let mut deltas = batch.deltas.into_iter();
        loop {
            budget.spend(1).await;
            let Some((_, delta)) = deltas.next() else { break };
            self.dropper.free(delta);
        }
        faults
    }

    /// Frees objects one by one, because an object's `Drop` is user code. Yields in between.
    async fn free(&self, applied: ChunkedVec<AppliedDeltas>, budget: &mut YieldBudget) {
        for mut deltas in applied {
            // Slices may be empty.
            budget.spend(1).await;
            while let Some(notification) = deltas.notifications.pop() {
                self.dropper.free_event(notification.event);
                budget.spend(1).await;
            }
            while let Some(object) = deltas.unsent.pop() {
                self.dropper.free(object);
                budget.spend(1).await;
            }
        }
    }

    /// Builds the store's next state and publishes it, yielding in between. Indexes that were added
    /// meanwhile are included. If a user has written to the store meanwhile, the state is built
    /// again. The last attempt locks other writers out.
    async fn apply_batch(&self, update: &BatchUpdate<'_>, budget: &mut YieldBudget) -> StoredBatch {
        for _ in 0..ATTEMPTS {
            let mut draft = self.indexer.draft();
            let mut applied = ChunkedVec::new();
            for deltas in slices(&update.batch.deltas, self.indexer.is_indexed()) {
                if !applied.is_empty() {
                    budget.give_way().await;
                }
                let mut slice = AppliedDeltas::default();
                for deltas in deltas.chunks(UNPACKING) {
                    // Index functions may be slow.
                    budget.spend(deltas.len()).await;
                    update.apply(&mut draft, deltas, &mut slice);
                }
                applied.push(slice);
            }
            update.stamp(&mut draft);
            loop {
                let outdated = match self.publish(draft) {
                    Ok((published, listeners)) => {
                        return StoredBatch { applied, listeners, published };
                    }
                    Err(outdated) => outdated,
                };
                match outdated.adopt_indexes().await {
                    Some(adopted) => draft = adopted,
                    None => break,
                }
            }
            self.free(applied, budget).await;
        }
        let mut write = self.indexer.transaction();
        let slices = slices(&update.batch.deltas, false);
        let applied = slices.map(|deltas| {
            let mut slice = AppliedDeltas::default();
            update.apply(&mut write, deltas, &mut slice);
            slice
        });
        let applied = applied.collect();
        update.stamp(&mut write);
        match self.publish(write) {
            Ok((published, listeners)) => StoredBatch { applied, listeners, published },
            Err(_) => unreachable!("nothing else writes while the store is locked"),
        }
    }

    /// Publishes a transaction, while no handler can be added. A handler that is added before this
    /// is notified of the batch. A handler that is added after it sees the batch in the store.
    fn publish<'a, L: WriterLock>(
        &self,
        write: Transaction<'a, dyn AnyObject, L>,
    ) -> Result<Committed, Box<Transaction<'a, dyn AnyObject, L>>> {
        let dispatch = self.processor.enter();
        let published = write.publish()?;
        if let Some(kept) = &self.kept {
            kept.note_published();
        }
        Ok((published, dispatch.listeners()))
    }
}

impl BatchUpdate<'_> {
    /// Applies deltas to the draft of the store.
    fn apply<L>(
        &self,
        write: &mut Transaction<'_, dyn AnyObject, L>,
        deltas: &[(ObjectKey, Delta)],
        applied: &mut AppliedDeltas,
    ) {
        let AppliedDeltas { notifications, unsent } = applied;
        for (key, delta) in deltas {
            let (event, recipients) = match delta {
                Delta::Unreadable => {
                    write.mark_stale(key);
                    continue;
                }
                Delta::Forgotten => {
                    write.forget_unreadable(key);
                    continue;
                }
                Delta::Deleted { object, final_state_known } => {
                    let final_state_known = *final_state_known;
                    let Some(stored) = write.remove(key) else {
                        if let Some(kept) = self.kept
                            && kept.note_gone(self.batch.shard.as_ref(), key, object)
                        {
                            let object = object.clone();
                            let event = CachedEvent::Deleted { object, final_state_known };
                            let recipients = Recipients::Everyone;
                            notifications.push(Notification {
                                key: key.clone(),
                                event,
                                recipients,
                            });
                        }
                        continue;
                    };
                    if let Some(keeping) = self.keeping {
                        keeping.note_deleted(key, &stored);
                    }
                    let object = object.after(Some(&stored));
                    unsent.push(stored);
                    (CachedEvent::Deleted { object, final_state_known }, Recipients::Everyone)
                }
                Delta::MovedAway(object) => {
                    let Some(stored) = write.remove(key) else { continue };
                    let object = object.after(Some(&stored));
                    unsent.push(stored);
                    (CachedEvent::MovedAway { object }, Recipients::Everyone)
                }
                Delta::Added(object) | Delta::Updated(object) | Delta::Replaced(object) => {
                    self.put(write, key, object)
                }
            };
            if recipients == Recipients::Everyone || self.resyncing {
                notifications.push(Notification { key: key.clone(), event, recipients });
            } else if let CachedEvent::Updated { old, .. } = event {
                unsent.push(old);
            }
        }
    }

    /// Stores an object. Returns the event and its recipients.
    fn put<L>(
        &self,
        write: &mut Transaction<'_, dyn AnyObject, L>,
        key: &ObjectKey,
        object: &Cached,
    ) -> (CachedEvent, Recipients) {
        // If history was lost, handlers are notified of every object.
        let unchanged =
            if self.batch.is_restored() { Recipients::Everyone } else { Recipients::Resyncing };
        if let Some(stored) = write.get(key).filter(|stored| stored.is_same_state(object)) {
            // Write nothing: a relist of known objects copies no node of the store.
            if write.is_stale(key) {
                write.put(key, &stored);
            }
            return (CachedEvent::Updated { old: stored.clone(), new: stored }, unchanged);
        }
        let (object, initial) = (object.clone(), self.initial);
        let event = match write.put(key, &object) {
            None => {
                if let Some(keeping) = self.keeping {
                    keeping.note_stored(key);
                }
                CachedEvent::Added { object, initial }
            }
            Some(old) => CachedEvent::Updated { old, new: object },
        };
        (event, Recipients::Everyone)
    }

    /// Sets the store's version to the batch's version.
    fn stamp<L>(&self, write: &mut Transaction<'_, dyn AnyObject, L>) {
        let Batch { version, kind, shard, .. } = self.batch;
        if self.batch.is_restored() {
            write.begin_epoch();
        }
        match *kind {
            BatchKind::List { complete, .. } => write.set_complete(complete),
            BatchKind::Arrivals { complete: false } => write.set_complete(false),
            // Arrivals cannot show that everything else is complete.
            BatchKind::Arrivals { complete: true } | BatchKind::Events => {}
        }
        if let Some(shard) = shard {
            write.set_shard(shard.clone());
            if let Some(keeping) = self.keeping {
                keeping.note_shard(shard);
            }
        }
        if let Some(kept) = self.kept.filter(|_| self.batch.is_complete()) {
            kept.note_unfinished(shard.as_ref(), |key| write.get(key).is_some());
        }
        if let Some(version) = version {
            let goes_back = write.version().is_some_and(|known| version.is_older_than(known));
            if !goes_back || self.batch.is_restored() {
                write.set_version(version.clone());
            }
        }
    }
}

/// Returns deltas in slices; the caller yields between them. Objects without noted index values are
/// passed to the index functions, if there are any. Packed objects are first unpacked, which takes
/// ten times as long as indexing them.
fn slices(
    deltas: &ChunkedVec<(ObjectKey, Delta)>,
    indexed: bool,
) -> impl Iterator<Item = &[(ObjectKey, Delta)]> {
    let mut parts = deltas.parts();
    let mut rest: &[_] = &[];
    std::iter::from_fn(move || {
        if rest.is_empty() {
            rest = parts.next()?;
        }
        let (mut work, mut len) = (0, 0);
        for (_, delta) in rest {
            let unpacks = indexed && delta.object().is_some_and(Cached::is_packed);
            work += if unpacks { UNPACKING } else { 1 };
            if work > TURN {
                break;
            }
            len += 1;
        }
        let (slice, after) = rest.split_at(len);
        rest = after;
        (len > 0).then_some(slice)
    })
}

#[cold]
fn report(fault: &IndexFault, collection: &Collection) {
    tracing::error!(resource = &*collection.resource, %fault, "index function panicked");
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures::FutureExt;
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;
    use crate::delta_fifo::DeltaFifo;
    use crate::indexer::Indexer;
    use crate::object::{Change, Replacement};

    #[test]
    fn only_a_restored_backup_lowers_the_version() {
        let store = Indexer::<ConfigMap>::new().cast();
        let fifo = DeltaFifo::new(Arc::new(store.clone()));
        let mut draft = store.draft();
        let list = |version: u64, restored| {
            let (items, unreadable) = (ChunkedVec::new(), ChunkedVec::new());
            let version = version.into();
            let (shard, arrivals) = (None, false);
            let complete = true;
            Change::Replace(Replacement {
                items,
                unreadable,
                moved: ChunkedVec::new(),
                complete,
                version,
                restored,
                shard,
                grown: arrivals,
            })
        };
        for (change, version) in [
            (Change::Bookmark(7.into()), 7),
            (Change::Bookmark(5.into()), 7),
            (list(6, false), 7),
            (list(3, true), 3),
        ] {
            fifo.push(change);
            let batch = fifo.pop().now_or_never().flatten().expect("something was pushed");
            let (initial, resyncing, kept, keeping) = (false, false, None, None);
            BatchUpdate { batch: &batch, initial, resyncing, kept, keeping }.stamp(&mut draft);
            assert_eq!(draft.version(), Some(&version.into()));
        }
    }

    /// A second panic while the first one unwinds would end the process.
    #[test]
    fn several_destructors_of_applied_deltas_may_panic() {
        let object = || Cached::any(Arc::new(crate::object::Value::from(crate::helpers::Bomb)));
        drop(AppliedDeltas { notifications: Vec::new(), unsent: vec![object(), object()] });
    }
}
