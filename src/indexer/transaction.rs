//! Writes that are seen together or not at all.

use std::fmt;
use std::sync::Arc;

use super::state::State;
use super::{IndexFault, Indexer, Snapshot};
use crate::object::{Cached, ObjectKey, ResourceVersion};
use crate::sync::MutexGuard;

/// A writer of a store. Nothing it does is seen before [`commit`](Self::commit); dropped without, it
/// changes nothing.
///
/// It never waits for a reader, and no reader waits for it. It is the store's only writer for as long as
/// it lives: `L` is its lock.
#[must_use = "a transaction that is not committed changes nothing"]
pub struct Transaction<'a, K, L = MutexGuard<'a, ()>> {
    indexer: &'a Indexer<K>,
    /// The state that this one is made from.
    base: Arc<State<K>>,
    state: State<K>,
    faults: Vec<IndexFault>,
    lock: L,
}

/// A transaction without a lock, so it can be worked on in turns while other writers go on. If another
/// writer was first, it is outdated, and the work has to be done again; but not where that writer only
/// added indexes.
pub(crate) type Draft<'a, K> = Transaction<'a, K, ()>;

/// The rest of a transaction that was published.
pub(crate) struct Published<K> {
    /// The calls of index functions that panicked.
    pub(crate) faults: Vec<IndexFault>,
    /// The store as it was before. To free it may take long.
    pub(crate) before: Snapshot<K>,
}

impl<K> Indexer<K> {
    /// Begins to write; waits until no other transaction is open.
    pub fn transaction(&self) -> Transaction<'_, K> {
        Transaction::new(self, self.0.writing.lock())
    }

    /// Begins the next state of the store off to the side.
    pub(crate) fn draft(&self) -> Draft<'_, K> {
        Transaction::new(self, ())
    }
}

impl<'a, K, L> Transaction<'a, K, L> {
    /// `lock`: taken already, if it is one.
    fn new(indexer: &'a Indexer<K>, lock: L) -> Self {
        let base = indexer.load_full();
        let mut state = State::clone(&base);
        state.content += 1;
        Self { indexer, base, state, faults: Vec::new(), lock }
    }

    /// Returns the object of a key, as this transaction has left it.
    pub fn get(&self, key: &ObjectKey) -> Option<&Cached<K>> {
        self.state.get(key)
    }

    /// Returns whether an object is marked stale.
    pub fn is_stale(&self, key: &ObjectKey) -> bool {
        self.state.is_stale(key)
    }

    /// Returns the version of the collection.
    pub fn version(&self) -> Option<&ResourceVersion> {
        self.state.version.as_ref()
    }

    /// Stores an object and gives back what it replaces. It is no longer stale.
    ///
    /// O(log n), and as much again for each index value that it gets or loses.
    pub fn put(&mut self, key: &ObjectKey, object: impl Into<Cached<K>>) -> Option<Cached<K>> {
        self.state.put(key, &object.into(), &mut self.faults)
    }

    /// Takes an object out; what is not there is no error.
    pub fn remove(&mut self, key: &ObjectKey) -> Option<Cached<K>> {
        self.state.remove(key, &mut self.faults)
    }

    /// Marks an object as older than the server's, which can't be decoded. Where no state of it is
    /// stored, notes that it exists: see [`Snapshot::is_unreadable`](super::Snapshot::is_unreadable).
    pub fn mark_stale(&mut self, key: &ObjectKey) {
        self.state.mark_stale(key);
    }

    /// Sets the version of the collection.
    pub fn set_version(&mut self, version: ResourceVersion) {
        self.state.version = Some(version);
    }

    /// Notes that an object is gone of which no state was ever stored.
    pub(crate) fn forget_unreadable(&mut self, key: &ObjectKey) {
        self.state.forget_unreadable(key);
    }

    /// Says whether every object of the collection was named by the last list.
    pub(crate) fn set_complete(&mut self, complete: bool) {
        self.state.complete = complete;
    }

    /// Begins a new history: versions from before compare with nothing after it.
    pub(crate) fn begin_epoch(&mut self) {
        self.state.epoch += 1;
    }
}

impl<K, L> Transaction<'_, K, L> {
    /// Makes everything visible at once, unless another writer was first.
    ///
    /// # Errors
    /// The transaction, which is outdated; nothing changes then. Never, where it holds the lock.
    pub(crate) fn publish(self) -> Result<Published<K>, Box<Self>>
    where
        L: WriterLock,
    {
        let indexer = self.indexer;
        let taken = (!L::IS_HELD).then(|| indexer.0.writing.lock());
        if !L::IS_HELD && !Arc::ptr_eq(&self.base, &indexer.load()) {
            drop(taken);
            return Err(Box::new(self));
        }
        let Self { base, state, faults, lock, .. } = self;
        indexer.publish(state);
        drop((taken, lock));
        Ok(Published { faults, before: Snapshot(base) })
    }
}

impl<K> Transaction<'_, K> {
    /// Makes everything visible at once. Gives the calls of index functions that panicked.
    pub fn commit(self) -> Vec<IndexFault> {
        match self.publish() {
            Ok(published) => published.faults,
            Err(_) => unreachable!("nothing else writes while the lock is held"),
        }
    }
}

impl<K> Draft<'_, K> {
    /// Brings an outdated draft up to date where only indexes were added: files in them what it
    /// changed, in turns. `None`: another writer wrote, and the work has to be done again.
    pub(crate) async fn adopt_indexes(mut self) -> Option<Self> {
        let now = self.indexer.load_full();
        if now.content != self.base.content {
            self.state.free().await;
            return None;
        }
        self.state.adopt_indexes(&self.base, &now, &mut self.faults).await;
        self.base = now;
        Some(self)
    }
}

/// The lock of a transaction.
pub(crate) trait WriterLock {
    /// Whether it is held from the beginning; if not, the store is locked to publish.
    const IS_HELD: bool;
}

impl WriterLock for MutexGuard<'_, ()> {
    const IS_HELD: bool = true;
}

impl WriterLock for () {
    const IS_HELD: bool = false;
}

impl<K, L> fmt::Debug for Transaction<'_, K, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transaction").field("version", &self.version()).finish_non_exhaustive()
    }
}
