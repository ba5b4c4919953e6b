//! A handle on one index.

use std::fmt;
use std::sync::Arc;

use kube::Resource;

use super::contents::{IndexContents, StoreContents};
use super::postings::Posting;
use super::{Indexer, Snapshot};
use crate::object::{AnyObject, Cached, ObjectKey};
use crate::panic::{catch, lend};
use crate::storage::read_as;

/// A handle on an index, which finds the objects that have a value.
///
/// Cloning is O(1). A handle keeps its store readable after the informer is gone.
///
/// Each call answers from the store's current state. For several answers from one state, pass this
/// handle to a [`Snapshot`].
pub struct Index<K: ?Sized = dyn AnyObject> {
    indexer: Indexer<K>,
    name: Arc<str>,
    /// The position of the index in its store.
    place: usize,
}

impl<K: ?Sized> Index<K> {
    pub(super) fn new(indexer: Indexer<K>, name: Arc<str>, place: usize) -> Self {
        Self { indexer, name, place }
    }

    /// Returns the name under which the index was added.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the keys of the objects that have this value, sorted (client-go's `IndexKeys`). O(k
    /// log k) for k keys. Unpacks nothing.
    pub fn keys(&self, value: &str) -> Vec<ObjectKey> {
        let state = self.indexer.load();
        let found = state.select(self.posting(&state, value));
        let mut keys: Vec<_> = found.map(|(key, _)| key.clone()).collect();
        keys.sort_unstable();
        keys
    }

    /// Returns the number of objects that have this value. O(log n).
    pub fn len(&self, value: &str) -> usize {
        self.posting(&self.indexer.load(), value).map_or(0, Posting::len)
    }

    /// Returns the values that any object has, sorted (client-go's `ListIndexFuncValues`). O(v log
    /// v) for v values.
    pub fn values(&self) -> Vec<Arc<str>> {
        let state = self.indexer.load();
        let Some(index) = state.indexes.get(self.place) else { return Vec::new() };
        let mut values: Vec<_> = index.postings.values().cloned().collect();
        values.sort_unstable();
        values
    }

    /// Returns the current state of the store, for several answers from one moment. O(1).
    pub fn snapshot(&self) -> Snapshot<K> {
        self.indexer.snapshot()
    }

    /// Returns whether the informer that fills the store was stopped or failed. See
    /// [`Indexer::is_stopped`].
    pub fn is_stopped(&self) -> bool {
        self.indexer.is_stopped()
    }

    /// Returns the same index with another type of objects.
    pub(super) fn cast<L: ?Sized>(self) -> Index<L> {
        Index { indexer: self.indexer.cast(), name: self.name, place: self.place }
    }

    pub(super) fn posting<'s>(&self, state: &'s StoreContents, value: &str) -> Option<&'s Posting> {
        self.contents(state)?.postings.get(value)
    }

    fn contents<'s>(&self, state: &'s StoreContents) -> Option<&'s IndexContents> {
        let index = state.indexes.get(self.place)?;
        // Compares the pointers, because an index of another store may have the same name and
        // position.
        Arc::ptr_eq(&index.name, &self.name).then_some(index)
    }

    /// Returns the values that the index's function returns for an object. None if it panics, which
    /// is logged, and for an index that the store does not have.
    #[doc(hidden)]
    pub fn values_of(&self, store: &Snapshot<K>, object: &Cached) -> Vec<String> {
        let Some(index) = self.contents(&store.contents) else { return Vec::new() };
        let of = |object: &Arc<dyn AnyObject>| (index.function.values)(&**object);
        let values = catch(|| Some(lend(index.function.read(object, None)?, of)));
        let values = values.inspect_err(|message| {
            tracing::error!(index = %self.name, message, "index function panicked");
        });
        values.ok().flatten().unwrap_or_default()
    }
}

impl<K: Resource + Send + Sync + 'static> Index<K> {
    /// Returns the objects that have this value, in no particular order. An unknown value has none.
    /// O(objects found), plus the unpacking of packed ones.
    ///
    /// An object that can't be unpacked is missing from the result; that was reported.
    pub fn get(&self, value: &str) -> Vec<Arc<K>> {
        let state = self.indexer.load();
        let found = state.select(self.posting(&state, value));
        let mut objects = Vec::with_capacity(found.size_hint().0);
        objects.extend(found.filter_map(|(_, cached)| read_as(self.indexer.view(), cached)));
        objects
    }
}

/// Handles of one index are equal.
impl<K: ?Sized> PartialEq for Index<K> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.name, &other.name)
    }
}

impl<K: ?Sized> Eq for Index<K> {}

impl<K: ?Sized> Clone for Index<K> {
    fn clone(&self) -> Self {
        Self { indexer: self.indexer.clone(), name: self.name.clone(), place: self.place }
    }
}

impl<K: ?Sized> fmt::Debug for Index<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index").field("name", &self.name).finish_non_exhaustive()
    }
}
