//! Writes that are seen together or not at all.

use std::fmt;
use std::sync::Arc;

use parking_lot::MutexGuard;

use super::state::State;
use super::{IndexFault, Indexer};
use crate::object::{ObjectKey, ResourceVersion};

/// The one writer of a store. Nothing it does is seen before [`commit`](Self::commit); dropped
/// without, it changes nothing.
///
/// It never waits for a reader, and no reader waits for it.
#[must_use = "a transaction that is not committed changes nothing"]
pub struct Transaction<'a, K> {
    indexer: &'a Indexer<K>,
    state: State<K>,
    faults: Vec<IndexFault>,
    _writing: MutexGuard<'a, ()>,
}

impl<'a, K> Transaction<'a, K> {
    pub(super) fn new(indexer: &'a Indexer<K>, writing: MutexGuard<'a, ()>) -> Self {
        let state = State::clone(&indexer.load());
        Self { indexer, state, faults: Vec::new(), _writing: writing }
    }

    /// The object of a key, as this transaction has left it.
    pub fn get(&self, key: &ObjectKey) -> Option<&Arc<K>> {
        self.state.get(key)
    }

    /// Whether an object is marked stale.
    pub fn is_stale(&self, key: &ObjectKey) -> bool {
        self.state.stale.contains(key)
    }

    /// The version of the collection.
    pub fn version(&self) -> Option<&ResourceVersion> {
        self.state.version.as_ref()
    }

    /// Stores an object and gives back what it replaces. It is no longer stale.
    ///
    /// O(log n), and as much again for each of its index values.
    pub fn put(&mut self, key: &ObjectKey, object: &Arc<K>) -> Option<Arc<K>> {
        self.state.put(key, object, &mut self.faults)
    }

    /// Takes an object out; what is not there is no error.
    pub fn remove(&mut self, key: &ObjectKey) -> Option<Arc<K>> {
        self.state.remove(key, &mut self.faults)
    }

    /// Marks an object as older than the server's, which can't be decoded.
    pub fn mark_stale(&mut self, key: &ObjectKey) {
        self.state.mark_stale(key);
    }

    /// Sets the version of the collection.
    pub fn set_version(&mut self, version: ResourceVersion) {
        self.state.version = Some(version);
    }

    pub(super) fn add_index(&mut self, name: &str, values: super::state::Values<K>) -> usize {
        self.state.add_index(name, values, &mut self.faults);
        self.state.indexes.len() - 1
    }

    pub(super) fn index_name(&self, slot: usize) -> Option<Arc<str>> {
        self.state.indexes.get(slot).map(|index| index.name.clone())
    }

    pub(super) fn has_index(&self, name: &str) -> bool {
        self.state.indexes.iter().any(|index| *index.name == *name)
    }

    /// Makes everything visible at once. Gives the calls of index functions that panicked.
    pub fn commit(self) -> Vec<IndexFault> {
        self.indexer.publish(self.state);
        self.faults
    }
}

impl<K> fmt::Debug for Transaction<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transaction")
            .field("version", &self.state.version)
            .field("objects", &self.state.objects.len())
            .finish_non_exhaustive()
    }
}
