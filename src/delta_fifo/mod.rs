//! The queue of changes between the reflector and the store.
//!
//! A [`DeltaFifo`] takes [`Change`]s and returns [`Batch`]es of deltas, which stay counted until
//! the store has applied them. Each batch is a contiguous run of the server's history, except one
//! of arrivals, which came with a larger shard. So a store that applies whole batches equals a
//! state that the server had. Objects that a relist no longer holds become deletions here, because
//! the queue and the store together know which keys existed.
//!
//! The queue calls no callbacks but [`KnownObjects`], and never holds its lock across an await. It
//! holds at most its capacity of events, plus one list or the departures from one smaller shard.

mod batch;
mod pending;
mod replacing;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::watch;

pub use self::batch::Batch;
pub(crate) use self::batch::BatchKind;
use self::pending::Pending;
use crate::object::{Cached, Change, Delta, KeyMap, KnownObjects, ObjectKey, ResourceVersion};
use crate::panic::SafeDropper;
use crate::sync::{Mutex, Notify};
use crate::yield_budget::{TURN, YieldBudget};

/// The maximum number of deltas in a batch of events. A list is one batch, whatever its size.
const BATCH: usize = 1024;

/// The number of waiting deltas at which [`DeltaFifo::room`] waits.
const CAPACITY: usize = 8 * BATCH;

/// The queue between a reflector and a processing loop.
///
/// The name and the main kinds of delta are client-go's. Unlike client-go's `DeltaFIFO`, deltas
/// keep the server's order across keys, not only within one key, and a whole list is one batch.
///
/// One task feeds the queue and one drains it.
///
/// ```
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_informer::delta_fifo::DeltaFifo;
/// use kube_informer::object::{Change, Delta};
/// use kube_informer::{Cached, Indexer, ObjectKey};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let store: Indexer = Indexer::new();
/// let fifo = DeltaFifo::new(Arc::new(store.clone()));
///
/// let key = ObjectKey::namespaced("shop", "settings")?;
/// let object = Cached::from(Arc::new(ConfigMap::default())).into();
/// fifo.feed(Change::Added { key, object, version: Some("7".into()) }).await;
///
/// let batch = fifo.pop().await.expect("the queue is open");
/// let mut write = store.transaction();
/// for (key, delta) in &batch.deltas {
///     if let Delta::Added(object) = delta {
///         write.put(key, object);
///     }
/// }
/// write.commit();
/// fifo.done(&batch);
/// assert!(fifo.has_synced() && fifo.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DeltaFifo {
    /// The objects with which lists are compared.
    known: Arc<dyn KnownObjects>,
    /// The objects of the store. `known` may have others, which an earlier run has kept.
    stored: Arc<dyn KnownObjects>,
    /// The number of waiting deltas at which [`DeltaFifo::room`] waits.
    capacity: usize,
    state: Mutex<Queued>,
    /// Notified when something can be popped, or the queue is closed.
    filled: Notify,
    /// Notified when a batch was done, or the queue is closed.
    drained: Notify,
    synced: watch::Sender<bool>,
    dropper: SafeDropper,
}

struct Queued {
    batches: VecDeque<Batch>,
    /// The deltas that are queued, or popped and not yet done, by key.
    pending: Pending,
    /// The objects without a decoded state that exist once everything queued is done. Each has the
    /// version of the event or list that showed it.
    unreadable: KeyMap<Option<ResourceVersion>>,
    /// The version of the collection after the last queued change.
    version: Option<ResourceVersion>,
    /// The keys of objects whose known state is from before the server's history was lost. Their
    /// versions do not compare with newer ones.
    pre_restore: KeyMap<()>,
    /// The id of the last batch that was done. Batches are done in order.
    done: u64,
    /// True once any change was accepted.
    populated: bool,
    closed: bool,
}

impl DeltaFifo {
    /// Makes an empty queue. `known` answers for the store that applies the batches.
    pub fn new(known: Arc<dyn KnownObjects>) -> Self {
        Self::with_capacity(known, CAPACITY)
    }

    /// Makes an empty queue that compares lists with `known`, and counts in `dropper` the objects
    /// whose `Drop` panics.
    pub(crate) fn with_dropper(
        stored: Arc<dyn KnownObjects>,
        known: Arc<dyn KnownObjects>,
        dropper: SafeDropper,
    ) -> Self {
        let mut fifo = Self::new(stored);
        (fifo.known, fifo.dropper) = (known, dropper);
        fifo
    }

    pub(crate) fn with_capacity(known: Arc<dyn KnownObjects>, capacity: usize) -> Self {
        Self {
            stored: known.clone(),
            known,
            capacity,
            dropper: SafeDropper::default(),
            state: Mutex::new(Queued {
                batches: VecDeque::new(),
                pending: Pending::default(),
                unreadable: KeyMap::default(),
                version: None,
                pre_restore: KeyMap::default(),
                done: 0,
                populated: false,
                closed: false,
            }),
            filled: Notify::new(),
            drained: Notify::new(),
            synced: watch::Sender::new(false),
        }
    }

    /// Waits for room, and queues a change. While it queues a long list, it yields to the runtime's
    /// other tasks. After [`close`](Self::close) the change is dropped.
    ///
    /// O(1) for an event, O(list + known) for a [`Change::Replace`], O(list) for a
    /// [`Change::Arrived`], O(known) for a [`Change::Narrowed`].
    ///
    /// Cancel safe while nothing is queued: if the future is dropped before it is ready, the change
    /// was not queued. But of a dropped [`Change::Replace`], [`Change::Arrived`] or
    /// [`Change::Narrowed`], queued changes of its keys, and later ones, may have no effect. Then
    /// apply everything that is queued, and feed a whole list.
    pub async fn feed(&self, change: Change) {
        self.room().await;
        match change {
            Change::Replace(list) => self.replace(list, false, YieldBudget::new()).await,
            Change::Arrived(list) => self.replace(list, true, YieldBudget::new()).await,
            Change::Narrowed(shard) => self.narrow(shard, YieldBudget::new()).await,
            event => self.push_event(event),
        }
    }

    /// Queues a change at once, even if there is no room.
    #[cfg(test)]
    pub(crate) fn push(&self, change: Change) {
        match change {
            // Without yielding these futures are ready at once.
            Change::Replace(list) => {
                let _done = self.replace(list, false, YieldBudget::unlimited()).now_or_never();
            }
            Change::Arrived(list) => {
                let _done = self.replace(list, true, YieldBudget::unlimited()).now_or_never();
            }
            Change::Narrowed(shard) => {
                let _done = self.narrow(shard, YieldBudget::unlimited()).now_or_never();
            }
            event => self.push_event(event),
        }
    }

    fn push_event(&self, event: Change) {
        let mut state = self.state.lock();
        if state.closed {
            drop(state);
            self.dropper.free(event);
            return;
        }
        if !std::mem::replace(&mut state.populated, true) {
            // Without a first list there is nothing to wait for.
            self.synced.send_replace(true);
        }
        let unused = state.event(event, &*self.stored);
        drop(state);
        self.filled.notify_one();
        // An object's `Drop` is user code, so no lock is held here.
        self.dropper.free_all(unused);
    }

    /// Waits until there is room for another change, or the queue is closed.
    ///
    /// Cancel safe.
    pub(crate) async fn room(&self) {
        loop {
            let drained = self.drained.notified();
            {
                let state = self.state.lock();
                if state.closed || state.pending.deltas() < self.capacity {
                    return;
                }
            }
            drained.await;
        }
    }

    /// Waits until everything that is queued now was popped and done, or the queue is closed.
    ///
    /// Cancel safe.
    pub(crate) async fn flushed(&self) {
        let mut target = None;
        loop {
            let drained = self.drained.notified();
            {
                let state = self.state.lock();
                let target = *target.get_or_insert(state.pending.last_batch_id());
                if state.closed || state.done >= target {
                    return;
                }
            }
            drained.await;
        }
    }

    /// Waits for the next batch. Returns `None` once the queue is closed and empty.
    ///
    /// A popped batch counts as queued until the caller passes it to [`done`](Self::done), because
    /// until then the store may not show it. Cancel safe: a batch is taken only when it is
    /// returned.
    pub async fn pop(&self) -> Option<Batch> {
        loop {
            let filled = self.filled.notified();
            {
                let mut state = self.state.lock();
                if let Some(batch) = state.batches.pop_front() {
                    if !state.batches.is_empty() {
                        // One notification may stand for many pushes.
                        self.filled.notify_one();
                    }
                    return Some(batch);
                }
                if state.closed {
                    self.filled.notify_one();
                    return None;
                }
            }
            filled.await;
        }
    }

    /// Tells the queue that the store has applied a popped batch and its notifications are sent.
    /// O(batch).
    pub fn done(&self, batch: &Batch) {
        let _done = self.finish(batch, YieldBudget::unlimited()).now_or_never();
    }

    /// Like [`done`](Self::done), but yields to the runtime's other tasks in between. Not cancel
    /// safe: if the future is dropped, a part of the batch still counts as queued.
    pub(crate) async fn done_in_turns(&self, batch: &Batch) {
        self.finish(batch, YieldBudget::new()).await;
    }

    async fn finish(&self, batch: &Batch, mut budget: YieldBudget) {
        for deltas in batch.deltas.parts().flat_map(|part| part.chunks(TURN)) {
            budget.spend(deltas.len()).await;
            self.state.lock().pending.finish(deltas);
        }
        self.state.lock().done = batch.id;
        if batch.is_first_list() {
            self.synced.send_replace(true);
        }
        self.drained.notify_waiters();
    }

    /// Returns whether the queue has synced: the first list was popped and done, or the first
    /// change was not a list.
    pub fn has_synced(&self) -> bool {
        *self.synced.borrow()
    }

    /// Returns a receiver of [`has_synced`](Self::has_synced). Any number of tasks may wait on it.
    pub(crate) fn synced(&self) -> watch::Receiver<bool> {
        self.synced.subscribe()
    }

    /// Returns the number of deltas that are queued, or popped and not done.
    pub fn len(&self) -> usize {
        self.state.lock().pending.deltas()
    }

    /// Returns whether nothing is queued, or popped and not done.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl DeltaFifo {
    /// Closes the queue: later changes are dropped, and waiting callers return. Queued batches can
    /// still be popped.
    pub fn close(&self) {
        self.state.lock().closed = true;
        self.filled.notify_waiters();
        self.filled.notify_one();
        self.drained.notify_waiters();
    }

    /// Closes the queue and drops what is queued.
    pub(crate) fn abandon(&self) {
        let _done = self.abandon_in_turns(&mut YieldBudget::unlimited()).now_or_never();
    }

    /// Like [`abandon`](Self::abandon), but yields to the runtime's other tasks in between. If the
    /// future is dropped, the rest is dropped at once.
    pub(crate) fn abandon_in_turns<'a>(&'a self, budget: &'a mut YieldBudget) -> BoxFuture<'a, ()> {
        let (batches, latest) = {
            let mut state = self.state.lock();
            state.closed = true;
            (std::mem::take(&mut state.batches), state.pending.forget())
        };
        self.close();
        let deltas = batches.into_iter().flat_map(|batch| batch.deltas);
        let deltas = deltas.map(|(_, delta)| (Some(delta), None));
        let latest = latest.into_iter().map(|object| (None, Some(object)));
        let free = |(delta, object)| {
            self.dropper.free(delta);
            self.dropper.free(object);
        };
        budget.pass_on(deltas.chain(latest), free).boxed()
    }
}

impl Drop for DeltaFifo {
    fn drop(&mut self) {
        self.abandon();
    }
}

impl Queued {
    /// Queues an event. Returns the objects that are not kept, for the caller to drop without the
    /// lock.
    fn event(&mut self, event: Change, known: &dyn KnownObjects) -> Unused {
        let (version, unused) = match event {
            Change::Added { key, object, version } => {
                let late = self.is_late(version.as_ref());
                (version, self.present(key, object, Delta::Added, late, known))
            }
            Change::Updated { key, object, version } => {
                let late = self.is_late(version.as_ref());
                (version, self.present(key, object, Delta::Updated, late, known))
            }
            Change::Deleted { key, object, version } => {
                let unused = self.deleted(key, object, version.as_ref(), known);
                (version, unused)
            }
            Change::Unreadable { key, version } => {
                let last = self.pending.latest(&key, known);
                if !self.is_replayed(&key, version.as_ref(), last.as_ref()) {
                    if last.is_none() {
                        self.unreadable.insert(key.clone(), version.clone());
                    }
                    self.append(key, Delta::Unreadable);
                }
                (version, unused([last, None]))
            }
            Change::Bookmark(version) => (Some(version), unused([None, None])),
            Change::MovedAway { key, version } => {
                let unused = self.moved_away(key, version.as_ref(), known);
                (version, unused)
            }
            Change::Replace(_) | Change::Arrived(_) | Change::Narrowed(_) => {
                (None, unused([None, None]))
            }
        };
        if let Some(version) = version {
            if !self.is_late(Some(&version)) {
                self.version = Some(version);
            }
            if let Some(version) = self.version.clone() {
                self.stamp(version);
            }
        }
        unused
    }

    /// Returns whether this version is older than the last queued one. An object that was added
    /// late may have been deleted since.
    fn is_late(&self, version: Option<&ResourceVersion>) -> bool {
        let latest = self.version.as_ref();
        version.is_some_and(|version| latest.is_some_and(|latest| version.is_older_than(latest)))
    }

    /// Returns whether an event is older than its object's known state: `last`, or an unreadable
    /// one. A replayed stream, and the watch after a list of arrivals, repeat such events.
    fn is_replayed(
        &self,
        key: &ObjectKey,
        event: Option<&ResourceVersion>,
        last: Option<&Cached>,
    ) -> bool {
        let known = match last {
            Some(last) => last.version(),
            None => self.unreadable.get(key).cloned().flatten(),
        };
        !self.pre_restore.contains(key)
            && event.zip(known).is_some_and(|(event, known)| event.is_older_than(&known))
    }

    /// Records the version of the collection after the last queued change.
    fn stamp(&mut self, version: ResourceVersion) {
        let batch = match self.batches.back_mut() {
            // A list keeps its own version. A full batch still takes a version.
            Some(last) if last.kind == BatchKind::Events => last,
            _ => self.open_batch(),
        };
        batch.version = Some(version);
    }

    /// Queues an event that says that an object exists.
    fn present(
        &mut self,
        key: ObjectKey,
        object: Cached,
        delta: fn(Cached) -> Delta,
        late: bool,
        known: &dyn KnownObjects,
    ) -> Unused {
        let mut last = self.pending.latest(&key, known);
        if last.is_none() && late {
            return unused([Some(object), None]);
        }
        if self.is_replayed(&key, object.version().as_ref(), last.as_ref()) {
            return unused([last, Some(object)]);
        }
        self.unreadable.remove(&key);
        if let Some(known) = last.take_if(|known| object.is_different_object(known)) {
            self.append(key.clone(), tombstone(known));
        }
        self.pre_restore.remove(&key);
        self.append(key, delta(object));
        unused([last, None])
    }

    fn deleted(
        &mut self,
        key: ObjectKey,
        object: Option<Cached>,
        version: Option<&ResourceVersion>,
        known: &dyn KnownObjects,
    ) -> Unused {
        let last = self.pending.latest(&key, known);
        let final_version = object.as_ref().and_then(Cached::version);
        if self.is_replayed(&key, final_version.as_ref().or(version), last.as_ref()) {
            return unused([object, last]);
        }
        let Some(last) = last else {
            // There is nothing to delete, but a queued tombstone may now get its final state.
            if self.unreadable.remove(&key).is_some() {
                self.append(key, Delta::Forgotten);
                return unused([object, None]);
            }
            let replaced = match (object, self.pending.last_at(&key)) {
                (Some(object), Some(at)) => Some(self.complete_tombstone(at, object)),
                (object, _) => object,
            };
            return unused([replaced, None]);
        };
        self.pre_restore.remove(&key);
        let (delta, rest) = match object {
            // The event is about another object, which came and went unseen. So the deletion of the
            // known object was missed, too.
            Some(object) if object.is_different_object(&last) => (tombstone(last), Some(object)),
            Some(object) => (Delta::Deleted { object, final_state_known: true }, Some(last)),
            None => (tombstone(last), None),
        };
        self.append(key, delta);
        unused([rest, None])
    }

    /// Queues the departure of an object, if it is known in an older state.
    fn moved_away(
        &mut self,
        key: ObjectKey,
        version: Option<&ResourceVersion>,
        known: &dyn KnownObjects,
    ) -> Unused {
        let last = self.pending.latest(&key, known);
        // A list of arrivals may have shown the very state in which the object left.
        let shown = last.as_ref().and_then(Cached::version);
        let same = version.is_some() && version == shown.as_ref();
        if self.is_replayed(&key, version, last.as_ref())
            || same && !self.pre_restore.contains(&key)
        {
            return unused([last, None]);
        }
        if let Some(last) = last {
            self.pre_restore.remove(&key);
            self.append(key, Delta::MovedAway(last));
        } else if self.unreadable.remove(&key).is_some() {
            self.append(key, Delta::Forgotten);
        }
        unused([None, None])
    }

    /// Merges two adjacent deletions of one key into the one with the final state. Returns the
    /// state that is not kept.
    fn complete_tombstone(&mut self, (id, index): (u64, usize), mut final_state: Cached) -> Cached {
        let queued = self.batches.iter_mut().find(|batch| batch.id == id);
        let delta = queued.and_then(|batch| batch.deltas.get_mut(index));
        if let Some((_, Delta::Deleted { object, final_state_known })) = delta
            && !*final_state_known
        {
            std::mem::swap(object, &mut final_state);
            *final_state_known = true;
        }
        final_state
    }

    fn append(&mut self, key: ObjectKey, delta: Delta) {
        self.open_batch();
        self.append_to_last(key, delta);
    }

    fn append_to_last(&mut self, key: ObjectKey, delta: Delta) {
        if let Some(batch) = self.batches.back_mut() {
            self.pending.note(&key, &delta, (batch.id, batch.deltas.len()));
            batch.deltas.push((key, delta));
        }
    }

    /// Returns the last batch if it still takes events, and a new one otherwise.
    fn open_batch(&mut self) -> &mut Batch {
        let full = self
            .batches
            .back()
            .is_none_or(|last| last.kind != BatchKind::Events || last.deltas.len() >= BATCH);
        if full {
            let id = self.next_id();
            self.batches.push_back(Batch::new(id, BatchKind::Events));
        }
        let last = self.batches.len() - 1;
        &mut self.batches[last]
    }

    fn next_id(&mut self) -> u64 {
        self.pending.next_batch_id()
    }
}

/// The objects of an event that are not kept: its own, or those it replaced.
type Unused = std::iter::Flatten<std::array::IntoIter<Option<Cached>, 2>>;

fn unused(objects: [Option<Cached>; 2]) -> Unused {
    objects.into_iter().flatten()
}

fn tombstone(object: Cached) -> Delta {
    Delta::Deleted { object, final_state_known: false }
}

impl fmt::Debug for DeltaFifo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state.lock();
        f.debug_struct("DeltaFifo")
            .field("batches", &state.batches.len())
            .field("deltas", &state.pending.deltas())
            .field("closed", &state.closed)
            .finish_non_exhaustive()
    }
}
