//! Writes that are seen together or not at all.

use std::fmt;

use super::draft::{Draft, Published};
use super::{IndexFault, Indexer};
use crate::object::{Cached, ObjectKey, ResourceVersion};
use crate::sync::MutexGuard;

/// The one writer of a store. Nothing it does is seen before [`commit`](Self::commit); dropped
/// without, it changes nothing.
///
/// It never waits for a reader, and no reader waits for it.
#[must_use = "a transaction that is not committed changes nothing"]
pub struct Transaction<'a, K> {
    indexer: &'a Indexer<K>,
    draft: Draft<K>,
    _writing: MutexGuard<'a, ()>,
}

impl<'a, K> Transaction<'a, K> {
    pub(super) fn new(indexer: &'a Indexer<K>, writing: MutexGuard<'a, ()>) -> Self {
        Self { indexer, draft: Draft::new(indexer), _writing: writing }
    }

    /// The object of a key, as this transaction has left it.
    pub fn get(&self, key: &ObjectKey) -> Option<&Cached<K>> {
        self.draft.get(key)
    }

    /// Whether an object is marked stale.
    pub fn is_stale(&self, key: &ObjectKey) -> bool {
        self.draft.is_stale(key)
    }

    /// The version of the collection.
    pub fn version(&self) -> Option<&ResourceVersion> {
        self.draft.version()
    }

    /// Stores an object and gives back what it replaces. It is no longer stale.
    ///
    /// O(log n), and as much again for each index value that it gets or loses.
    pub fn put(&mut self, key: &ObjectKey, object: impl Into<Cached<K>>) -> Option<Cached<K>> {
        self.draft.put(key, &object.into())
    }

    /// Takes an object out; what is not there is no error.
    pub fn remove(&mut self, key: &ObjectKey) -> Option<Cached<K>> {
        self.draft.remove(key)
    }

    /// Marks an object as older than the server's, which can't be decoded. Where no state of it is
    /// stored, notes that it exists: see [`Snapshot::is_unreadable`](super::Snapshot::is_unreadable).
    pub fn mark_stale(&mut self, key: &ObjectKey) {
        self.draft.mark_stale(key);
    }

    /// Sets the version of the collection.
    pub fn set_version(&mut self, version: ResourceVersion) {
        self.draft.set_version(version);
    }

    /// All that a draft can do.
    pub(crate) fn draft(&mut self) -> &mut Draft<K> {
        &mut self.draft
    }

    /// Makes everything visible at once. Gives the calls of index functions that panicked.
    pub fn commit(self) -> Vec<IndexFault> {
        self.publish().faults
    }

    /// As [`commit`](Self::commit), and gives what the store was before.
    pub(crate) fn publish(self) -> Published<K> {
        self.indexer.replace(self.draft)
    }
}

impl<K> fmt::Debug for Transaction<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transaction")
            .field("version", &self.draft.version())
            .field("objects", &self.draft.state.len())
            .finish_non_exhaustive()
    }
}
