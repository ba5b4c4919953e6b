//! A typed handle on one index.

use std::fmt;
use std::sync::Arc;

use super::postings::Posting;
use super::state::State;
use super::{Indexer, Snapshot};
use crate::object::ObjectKey;

/// An index: which objects have a value. A cheap clone; it keeps the store readable.
///
/// Each call answers as of the moment it is made. For several questions about one moment, ask a
/// [`Snapshot`] with this handle.
pub struct Index<K> {
    indexer: Indexer<K>,
    name: Arc<str>,
    /// Where it is among the store's indexes.
    place: usize,
}

impl<K> Index<K> {
    pub(super) fn new(indexer: Indexer<K>, name: Arc<str>, place: usize) -> Self {
        Self { indexer, name, place }
    }

    /// The name it was added under.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The objects that have this value, in no particular order; none for an unknown value.
    /// O(objects found).
    pub fn get(&self, value: &str) -> Vec<Arc<K>> {
        let state = self.indexer.load();
        let found = state.select(self.posting(&state, value));
        let mut objects = Vec::with_capacity(found.size_hint().0);
        objects.extend(found.filter_map(|(_, cached)| cached.get()));
        objects
    }

    /// The keys of the objects that have this value, sorted (client-go's `IndexKeys`).
    pub fn keys(&self, value: &str) -> Vec<ObjectKey> {
        let state = self.indexer.load();
        let found = state.select(self.posting(&state, value));
        let mut keys: Vec<_> = found.map(|(key, _)| key.clone()).collect();
        keys.sort_unstable();
        keys
    }

    /// How many objects have this value. O(1).
    pub fn len(&self, value: &str) -> usize {
        self.posting(&self.indexer.load(), value).map_or(0, Posting::len)
    }

    /// The values that any object has, sorted (client-go's `ListIndexFuncValues`).
    pub fn values(&self) -> Vec<Arc<str>> {
        let state = self.indexer.load();
        let Some(index) = state.indexes.get(self.place) else { return Vec::new() };
        let mut values: Vec<_> = index.postings.values().cloned().collect();
        values.sort_unstable();
        values
    }

    /// The store as of this moment, to ask it several things.
    pub fn snapshot(&self) -> Snapshot<K> {
        self.indexer.snapshot()
    }

    /// Whether the informer that fills the store was stopped or failed. See
    /// [`Indexer::is_stopped`].
    pub fn is_stopped(&self) -> bool {
        self.indexer.is_stopped()
    }

    pub(super) fn posting<'s>(&self, state: &'s State<K>, value: &str) -> Option<&'s Posting> {
        let index = state.indexes.get(self.place)?;
        // Pointer, not name: an index of another store may have the same name and place.
        Arc::ptr_eq(&index.name, &self.name).then(|| index.postings.get(value)).flatten()
    }
}

impl<K> Clone for Index<K> {
    fn clone(&self) -> Self {
        Self { indexer: self.indexer.clone(), name: self.name.clone(), place: self.place }
    }
}

impl<K> fmt::Debug for Index<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index").field("name", &self.name).finish_non_exhaustive()
    }
}
