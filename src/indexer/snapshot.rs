//! The store as of one moment, for as long as somebody holds it.

use std::fmt;
use std::sync::Arc;

use super::Index;
use super::postings::Posting;
use super::state::{Objects, State};
use crate::object::{Cached, ObjectKey, ResourceVersion};

/// One moment of the store: every answer is of that moment, whatever is written meanwhile.
///
/// Taking one is O(1), and so is cloning it. Holding it keeps the objects of that moment alive, so
/// a snapshot is for a computation, not for a field.
pub struct Snapshot<K>(pub(super) Arc<State<K>>);

impl<K> Snapshot<K> {
    /// The version of the collection at this moment; `None` before the first list.
    pub fn version(&self) -> Option<&ResourceVersion> {
        self.0.version.as_ref()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.len() == 0
    }

    /// The object of a key. O(log n), to base 8.
    pub fn get(&self, key: &ObjectKey) -> Option<Arc<K>> {
        self.0.get(key)?.get()
    }

    /// The object of this name, without making a key of it. O(log n), to base 8.
    pub fn get_by_name(&self, namespace: Option<&str>, name: &str) -> Option<Arc<K>> {
        self.0.get_by_name(namespace, name)?.get()
    }

    /// As [`get`](Self::get), as it is kept.
    pub fn cached_by_key(&self, key: &ObjectKey) -> Option<&Cached<K>> {
        self.0.get(key)
    }

    /// As [`get_by_name`](Self::get_by_name), as it is kept.
    pub fn cached_by_name(&self, namespace: Option<&str>, name: &str) -> Option<&Cached<K>> {
        self.0.get_by_name(namespace, name)
    }

    /// Every object with its key, in no particular order. Packed ones are unpacked one by one.
    pub fn iter(&self) -> impl Iterator<Item = (&ObjectKey, Arc<K>)> {
        self.cached().filter_map(readable)
    }

    /// Every object with its key as it is kept, in no particular order: to choose by what it says of
    /// itself before it is unpacked.
    pub fn cached(&self) -> impl ExactSizeIterator<Item = (&ObjectKey, &Cached<K>)> {
        self.0.iter()
    }

    /// Frees what nothing else holds, in turns.
    pub(crate) async fn free(self) {
        if let Some(state) = Arc::into_inner(self.0) {
            state.free().await;
        }
    }

    /// Every object with its key as it is kept, one by one for as long as the caller takes.
    pub(crate) fn into_objects(self) -> Objects<K> {
        self.0.walk()
    }

    /// Every object of a namespace with its key, in no particular order. An unknown namespace has
    /// none.
    pub fn namespace(&self, namespace: &str) -> impl Iterator<Item = (&ObjectKey, Arc<K>)> {
        self.cached_namespace(namespace).filter_map(readable)
    }

    /// As [`namespace`](Self::namespace), each object as it is kept.
    pub fn cached_namespace(
        &self,
        namespace: &str,
    ) -> impl Iterator<Item = (&ObjectKey, &Cached<K>)> + use<'_, K> {
        self.0.select(self.0.namespaces.get(namespace))
    }

    /// How many objects a namespace has. O(1).
    pub fn namespace_len(&self, namespace: &str) -> usize {
        self.0.namespaces.get(namespace).map_or(0, Posting::len)
    }

    /// The namespaces that have objects, sorted.
    pub fn namespaces(&self) -> Vec<Arc<str>> {
        let mut names: Vec<_> = self.0.namespaces.values().cloned().collect();
        names.sort_unstable();
        names
    }

    /// Every object that `index` files under `value`, with its key. An index that was added after
    /// this moment has filed nothing in it; an index of another store files nothing in this.
    pub fn indexed(
        &self,
        index: &Index<K>,
        value: &str,
    ) -> impl Iterator<Item = (&ObjectKey, Arc<K>)> + use<'_, K> {
        self.0.select(index.posting(&self.0, value)).filter_map(readable)
    }

    /// Whether the server has a newer state of this object that could not be decoded.
    pub fn is_stale(&self, key: &ObjectKey) -> bool {
        self.0.is_stale(key)
    }

    /// Whether the server has an object of this key of which no state could be decoded: it is not
    /// stored, and it is not gone.
    ///
    /// Also true of every key that is not stored, as long as the last list held an item whose name could
    /// not be read: that item may be any of them.
    pub fn is_unreadable(&self, key: &ObjectKey) -> bool {
        self.0.unreadable.contains(key) || (!self.0.complete && self.0.get(key).is_none())
    }

    /// How often the server's history was lost before this moment. Versions from different epochs
    /// compare with nothing.
    pub(crate) fn epoch(&self) -> u64 {
        self.0.epoch
    }

    /// How many objects are stale.
    pub fn stale(&self) -> usize {
        self.0.stale.len()
    }
}

/// Leaves out what can't be unpacked.
fn readable<'a, K>((key, cached): (&'a ObjectKey, &Cached<K>)) -> Option<(&'a ObjectKey, Arc<K>)> {
    Some((key, cached.get()?))
}

impl<K> Clone for Snapshot<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K> fmt::Debug for Snapshot<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("version", &self.version())
            .field("objects", &self.len())
            .finish_non_exhaustive()
    }
}
