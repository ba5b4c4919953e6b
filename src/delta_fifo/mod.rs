//! Turns what the server did into what the store is to do, and keeps it in order until it is done.
//!
//! A [`DeltaFifo`] takes [`Change`]s and gives [`Batch`]es of deltas. Each batch is a contiguous run
//! of the server's history, so a store that applies whole batches is, after each, at a moment that
//! the server had. What a relist no longer holds becomes a deletion here, because the queue and
//! the store together know which keys there were.
//!
//! It never calls anybody back, never holds its lock across an await, and never accepts more than
//! its capacity of events plus one list: whoever feeds it waits in [`room`](DeltaFifo::room) first.

mod batch;
mod pending;
mod replacing;
#[cfg(test)]
mod tests;

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use futures::FutureExt;
use kube::Resource;
use tokio::sync::watch;

pub use self::batch::Batch;
use self::pending::Pending;
use crate::object::{Cached, Change, Delta, KnownObjects, ObjectKey, ResourceVersion};
use crate::panic::Drops;
use crate::sync::{Mutex, Notify};
use crate::yield_budget::{TURN, YieldBudget};

/// How many deltas a batch of events holds at the most. A list is one batch, whatever its size.
const BATCH: usize = 1024;

/// From how many waiting deltas on [`DeltaFifo::room`] waits.
const CAPACITY: usize = 8 * BATCH;

/// The queue between a reflector and a processing loop.
///
/// The name and the five kinds of delta are client-go's. Unlike its `DeltaFIFO`, deltas keep the
/// order of the server across keys, not only within one, and a whole list is one batch.
///
/// One task feeds it and one drains it; any number may wait for [`synced`](Self::synced).
pub struct DeltaFifo<K> {
    known: Arc<dyn KnownObjects<K>>,
    /// From how many waiting deltas on there is no room.
    capacity: usize,
    state: Mutex<State<K>>,
    /// Something can be popped, or nothing ever will be.
    filled: Notify,
    /// Something was done, or nothing ever will be.
    drained: Notify,
    synced: watch::Sender<bool>,
    drops: Drops,
}

struct State<K> {
    batches: VecDeque<Batch<K>>,
    /// What is queued, or popped and not yet done, by key.
    pending: Pending<K>,
    /// Keys of objects that the server has and of which no state could be decoded, once everything
    /// queued is done.
    unreadable: HashSet<ObjectKey>,
    /// The version of the collection after what was queued last.
    version: Option<ResourceVersion>,
    /// Objects whose known state is from before the server's history was lost: its version compares
    /// with none of those that came since.
    relics: HashSet<ObjectKey>,
    /// Whether anything was ever accepted.
    populated: bool,
    closed: bool,
}

impl<K: Resource> DeltaFifo<K> {
    /// An empty queue in front of what `known` answers for.
    pub fn new(known: Arc<dyn KnownObjects<K>>) -> Self {
        Self::with_capacity(known, CAPACITY)
    }

    /// An empty queue that counts in `drops` the objects whose `Drop` panics.
    pub(crate) fn with_drops(known: Arc<dyn KnownObjects<K>>, drops: Drops) -> Self {
        let mut fifo = Self::new(known);
        fifo.drops = drops;
        fifo
    }

    pub(crate) fn with_capacity(known: Arc<dyn KnownObjects<K>>, capacity: usize) -> Self {
        Self {
            known,
            capacity,
            drops: Drops::default(),
            state: Mutex::new(State {
                batches: VecDeque::new(),
                pending: Pending::default(),
                unreadable: HashSet::new(),
                version: None,
                relics: HashSet::new(),
                populated: false,
                closed: false,
            }),
            filled: Notify::new(),
            drained: Notify::new(),
            synced: watch::Sender::new(false),
        }
    }

    /// Queues what the server did. After [`close`](Self::close) it is dropped.
    ///
    /// O(1) for an event, O(list + known) for a [`Change::Replace`].
    pub fn push(&self, change: Change<K>) {
        match change {
            Change::Replace(list) => {
                // With nothing to wait for it is through at once.
                let _done = self.replace(list, YieldBudget::unlimited()).now_or_never();
            }
            event => self.push_event(event),
        }
    }

    /// As [`push`](Self::push), after waiting for room. A list is taken in turns, so that the
    /// runtime's other tasks go on meanwhile.
    ///
    /// Cancel safe: what is dropped before it is through was not queued.
    pub async fn feed(&self, change: Change<K>) {
        self.room().await;
        match change {
            Change::Replace(list) => self.replace(list, YieldBudget::new()).await,
            event => self.push_event(event),
        }
    }

    fn push_event(&self, event: Change<K>) {
        let mut state = self.state.lock();
        if state.closed {
            drop(state);
            self.drops.free(event);
            return;
        }
        if !std::mem::replace(&mut state.populated, true) {
            // Without a list there is no first population to wait for.
            self.synced.send_replace(true);
        }
        let unused = state.event(event, &*self.known);
        drop(state);
        self.filled.notify_one();
        // An object's `Drop` is user code: nothing is locked here.
        self.drops.free_all(unused);
    }

    /// Queues a [`Delta::Sync`] for each known object that has nothing queued.
    pub fn resync(&self) {
        let _done = self.sync_all(YieldBudget::unlimited()).now_or_never();
    }

    /// As [`resync`](Self::resync), in turns.
    pub async fn resync_in_turns(&self) {
        self.sync_all(YieldBudget::new()).await;
    }

    async fn sync_all(&self, mut budget: YieldBudget) {
        let mut chunks = self.known.chunks();
        loop {
            let mut idle = Vec::new();
            let more = {
                let mut state = self.state.lock();
                if state.closed {
                    return;
                }
                let more = chunks.next(&mut |key, object| {
                    if !state.pending.contains(key) {
                        idle.push((key.clone(), object.clone()));
                    }
                });
                for (key, object) in idle.drain(..) {
                    state.append(key, Delta::Sync(object));
                }
                more
            };
            self.filled.notify_one();
            if !more {
                return;
            }
            budget.spend(TURN / 2).await;
        }
    }

    /// Waits until there is room for another change, or the queue is closed.
    ///
    /// Cancel safe.
    pub async fn room(&self) {
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

    /// The next batch; `None` once the queue is closed and empty.
    ///
    /// What was popped counts as queued until it is given to [`done`](Self::done): until then the
    /// store does not show it. Cancel safe: a batch is taken only when it is returned.
    pub async fn pop(&self) -> Option<Batch<K>> {
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

    /// Says that a popped batch is in the store and its notifications are on their way.
    pub fn done(&self, batch: &Batch<K>) {
        let _done = self.finish(batch, YieldBudget::unlimited()).now_or_never();
    }

    /// As [`done`](Self::done), in turns.
    pub async fn done_in_turns(&self, batch: &Batch<K>) {
        self.finish(batch, YieldBudget::new()).await;
    }

    async fn finish(&self, batch: &Batch<K>, mut budget: YieldBudget) {
        for deltas in batch.deltas.chunks(TURN) {
            budget.spend(deltas.len()).await;
            self.state.lock().pending.finish(deltas);
        }
        if batch.initial {
            self.synced.send_replace(true);
        }
        self.drained.notify_waiters();
    }

    /// Whether the first population is through: the first list was popped and done, or the first
    /// change was no list.
    pub fn has_synced(&self) -> bool {
        *self.synced.borrow()
    }

    /// Follows [`has_synced`](Self::has_synced); any number of tasks may wait on it.
    pub fn synced(&self) -> watch::Receiver<bool> {
        self.synced.subscribe()
    }

    /// How many deltas are queued, or popped and not done.
    pub fn len(&self) -> usize {
        self.state.lock().pending.deltas()
    }

    /// Whether nothing is queued, nor popped and not done.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<K> DeltaFifo<K> {
    /// Accepts nothing from now on. What is queued can still be popped.
    pub fn close(&self) {
        self.state.lock().closed = true;
        self.filled.notify_waiters();
        self.filled.notify_one();
        self.drained.notify_waiters();
    }

    /// Accepts nothing from now on and forgets what is queued.
    pub fn abandon(&self) {
        let (batches, latest) = {
            let mut state = self.state.lock();
            state.closed = true;
            (std::mem::take(&mut state.batches), state.pending.forget())
        };
        self.close();
        for (_, delta) in batches.into_iter().flat_map(|batch| batch.deltas) {
            self.drops.free(delta);
        }
        self.drops.free_all(latest);
    }
}

impl<K> Drop for DeltaFifo<K> {
    fn drop(&mut self) {
        self.abandon();
    }
}

impl<K: Resource> State<K> {
    /// Queues an event; gives the objects that are not kept, to be dropped without the lock.
    fn event(&mut self, event: Change<K>, known: &dyn KnownObjects<K>) -> Unused<K> {
        let (version, unused) = match event {
            Change::Added { key, object, version } => {
                let late = self.is_late(version.as_ref());
                (version, self.present(key, object, Delta::Added, late, known))
            }
            Change::Updated { key, object, version } => {
                let late = self.is_late(version.as_ref());
                (version, self.present(key, object, Delta::Updated, late, known))
            }
            Change::Deleted { key, object, version } => (version, self.deleted(key, object, known)),
            Change::Unreadable { key, version } => {
                let last = self.pending.latest(&key, known);
                if last.is_none() {
                    self.unreadable.insert(key.clone());
                }
                self.append(key, Delta::Unreadable);
                (version, unused([last, None]))
            }
            Change::Bookmark(version) => (Some(version), unused([None, None])),
            Change::Replace(_) => (None, unused([None, None])),
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

    /// Returns whether this is older than what is queued of the collection. What was added late may
    /// have been deleted since.
    fn is_late(&self, version: Option<&ResourceVersion>) -> bool {
        let latest = self.version.as_ref();
        version.is_some_and(|version| latest.is_some_and(|latest| version.is_older_than(latest)))
    }

    /// The collection is at this version after what was queued last.
    fn stamp(&mut self, version: ResourceVersion) {
        let batch = match self.batches.back_mut() {
            // Not into a list: its version is the list's own. A full batch still takes a version.
            Some(last) if !last.list => last,
            _ => self.open_batch(),
        };
        batch.version = Some(version);
    }

    /// An object is there, by an event.
    fn present(
        &mut self,
        key: ObjectKey,
        object: Cached<K>,
        delta: fn(Cached<K>) -> Delta<K>,
        late: bool,
        known: &dyn KnownObjects<K>,
    ) -> Unused<K> {
        let mut last = self.pending.latest(&key, known);
        if last.is_none() && late {
            return unused([Some(object), None]);
        }
        self.unreadable.remove(&key);
        if let Some(known) = &last {
            if object.is_older_than(known) && !self.relics.contains(&key) {
                // An event from before what is known, as a replayed stream has it: no news.
                return unused([last, Some(object)]);
            }
            if object.is_different_object(known)
                && let Some(known) = last.take()
            {
                self.append(key.clone(), tombstone(known));
            }
        }
        self.relics.remove(&key);
        self.append(key, delta(object));
        unused([last, None])
    }

    fn deleted(
        &mut self,
        key: ObjectKey,
        object: Option<Cached<K>>,
        known: &dyn KnownObjects<K>,
    ) -> Unused<K> {
        let Some(last) = self.pending.latest(&key, known) else {
            // Nothing to take away; but a tombstone still queued may learn its final state.
            if self.unreadable.remove(&key) {
                self.append(key, Delta::Forgotten);
                return unused([object, None]);
            }
            let replaced = match (object, self.pending.last_at(&key)) {
                (Some(object), Some(at)) => Some(self.complete_tombstone(at, object)),
                (object, _) => object,
            };
            return unused([replaced, None]);
        };
        let relic = self.relics.remove(&key);
        let (delta, rest) = match object {
            // From before what is known, as a replayed stream has it: no news.
            Some(object) if !relic && is_older(&object, &last) => {
                return unused([Some(object), Some(last)]);
            }
            // Of another one, which came and went unseen: the end of the one known was missed, too.
            Some(object) if object.is_different_object(&last) => (tombstone(last), Some(object)),
            Some(object) => (Delta::Deleted { object, final_state_known: true }, Some(last)),
            None => (tombstone(last), None),
        };
        self.append(key, delta);
        unused([rest, None])
    }

    /// Two adjacent deletions of one key are one: the one that knows the final state. Gives the
    /// state that is not kept.
    fn complete_tombstone(
        &mut self,
        (id, index): (u64, usize),
        mut final_state: Cached<K>,
    ) -> Cached<K> {
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

    fn append(&mut self, key: ObjectKey, delta: Delta<K>) {
        self.open_batch();
        self.append_to_last(key, delta);
    }

    fn append_to_last(&mut self, key: ObjectKey, delta: Delta<K>) {
        if let Some(batch) = self.batches.back_mut() {
            self.pending.note(&key, &delta, (batch.id, batch.deltas.len()));
            batch.deltas.push((key, delta));
        }
    }

    /// The last batch, if it still takes events, or a new one.
    fn open_batch(&mut self) -> &mut Batch<K> {
        let full = self.batches.back().is_none_or(|last| last.list || last.deltas.len() >= BATCH);
        if full {
            let id = self.next_id();
            self.batches.push_back(Batch::events(id));
        }
        let last = self.batches.len() - 1;
        &mut self.batches[last]
    }

    fn next_id(&mut self) -> u64 {
        self.pending.next_batch_id()
    }
}

/// Objects that an event brought or replaced and that are not kept.
type Unused<K> = std::iter::Flatten<std::array::IntoIter<Option<Cached<K>>, 2>>;

fn unused<K>(objects: [Option<Cached<K>>; 2]) -> Unused<K> {
    objects.into_iter().flatten()
}

/// Returns whether a state has an older version than another, be they of one object or of two.
fn is_older<K: Resource>(object: &Cached<K>, other: &Cached<K>) -> bool {
    let (version, other) = (object.version(), other.version());
    version.zip(other).is_some_and(|(version, other)| version.is_older_than(&other))
}

fn tombstone<K>(object: Cached<K>) -> Delta<K> {
    Delta::Deleted { object, final_state_known: false }
}

impl<K> fmt::Debug for DeltaFifo<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state.lock();
        f.debug_struct("DeltaFifo")
            .field("batches", &state.batches.len())
            .field("deltas", &state.pending.deltas())
            .field("closed", &state.closed)
            .finish_non_exhaustive()
    }
}
