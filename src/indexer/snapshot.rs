//! The state of the store at one moment.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use kube::Resource;

use super::Index;
use super::contents::{Objects, StoreContents};
use super::postings::Posting;
use crate::object::{AnyObject, Cached, KindReach, ObjectKey, ResourceVersion, ShardSelector};
use crate::storage::{View, read_as, show_as};

/// The state of the store at one moment. Later writes do not change it.
///
/// Taking and cloning a snapshot are O(1). A snapshot keeps the objects of its moment alive, so
/// hold it for one computation, not in a long-lived struct.
///
/// ```
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::{Indexer, ObjectKey};
///
/// let pods = Indexer::<Pod>::new();
/// let before = pods.snapshot();
/// let mut write = pods.transaction();
/// write.put(&ObjectKey::namespaced("shop", "web-0")?, &Arc::new(Pod::default()));
/// write.commit();
/// assert!(before.is_empty());
/// assert_eq!(pods.snapshot().namespace("shop").count(), 1);
/// # Ok::<(), kube_informer::object::InvalidKey>(())
/// ```
pub struct Snapshot<K: ?Sized = dyn AnyObject> {
    pub(super) contents: Arc<StoreContents>,
    /// The view through which objects are read, if their type is not the stored one.
    view: Option<Arc<View>>,
    kind: PhantomData<K>,
}

impl<K: ?Sized> Snapshot<K> {
    pub(super) fn new(contents: Arc<StoreContents>, view: Option<Arc<View>>) -> Self {
        Self { contents, view, kind: PhantomData }
    }

    /// Returns the same moment, whose objects are read through a view, or as they are stored.
    pub(crate) fn through<L: ?Sized>(&self, view: Option<&Arc<View>>) -> Snapshot<L> {
        Snapshot::new(self.contents.clone(), view.cloned())
    }

    /// Returns the view through which objects are read, if there is one.
    pub(crate) fn view(&self) -> Option<&Arc<View>> {
        self.view.as_ref()
    }
}

impl<K: ?Sized> Snapshot<K> {
    /// Returns the version of the collection, or `None` before the first list.
    pub fn version(&self) -> Option<&ResourceVersion> {
        self.contents.version.as_ref()
    }

    /// Returns the shard that is stored, or `None` if it is the whole collection. An object outside
    /// of the shard is not stored, although it may exist.
    pub fn shard(&self) -> Option<&ShardSelector> {
        self.contents.shard.as_ref()
    }

    /// Returns the same state with another type of objects.
    #[doc(hidden)]
    pub fn cast<L: ?Sized>(self) -> Snapshot<L> {
        Snapshot::new(self.contents, self.view)
    }

    /// Returns the number of changes of objects that led to this state.
    pub(crate) fn changes(&self) -> u64 {
        self.contents.changes
    }

    /// Returns whether this is the same state of the same store.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.contents, &other.contents)
    }

    /// Returns the records that differ, each as it was in `before` and as it is here. The same key
    /// may come twice, with its old record and with its new one. O(writes in between) for two
    /// states of one store.
    pub(crate) fn differences<'a>(
        &'a self,
        before: &'a Self,
    ) -> impl Iterator<Item = [Option<(&'a ObjectKey, &'a Cached)>; 2]> {
        self.contents.differences(&before.contents)
    }

    /// Returns the number of objects. O(1).
    pub fn len(&self) -> usize {
        self.contents.len()
    }

    /// Returns whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.contents.len() == 0
    }

    /// Returns the object with this key as the cache holds it. Unpacks nothing.
    pub fn get_cached(&self, key: &ObjectKey) -> Option<Cached<K>> {
        Some(show_as(self.view(), self.contents.get(key)?.clone()))
    }

    /// Returns the object with this name as the cache holds it. Unpacks nothing.
    pub(crate) fn get_cached_by_name(
        &self,
        namespace: Option<&str>,
        name: &str,
    ) -> Option<Cached<K>> {
        Some(show_as(self.view(), self.contents.get_by_name(namespace, name)?.clone()))
    }

    /// Returns every object with its key, as the cache holds it and in no particular order. Use it
    /// to choose objects by version or labels before any is unpacked.
    pub fn iter_cached(&self) -> impl ExactSizeIterator<Item = (&ObjectKey, Cached<K>)> {
        self.objects().map(|(key, cached)| (key, show_as(self.view(), cached.clone())))
    }

    /// Returns every object with its key. Unlike [`iter_cached`](Self::iter_cached), counts no
    /// reference.
    pub(crate) fn objects(&self) -> impl ExactSizeIterator<Item = (&ObjectKey, &Cached)> {
        self.contents.iter()
    }

    /// Returns every object of a namespace with its key. Counts no reference.
    pub(crate) fn select_namespace(
        &self,
        namespace: &str,
    ) -> impl Iterator<Item = (&ObjectKey, &Cached)> + use<'_, K> {
        self.contents.select(self.contents.namespaces.get(namespace))
    }

    /// Frees the nodes that nothing else holds, and yields to other tasks in between.
    pub(crate) async fn free(self) {
        if let Some(state) = Arc::into_inner(self.contents) {
            state.free().await;
        }
    }

    /// Returns every object with its key, as the cache holds it. Each node is freed once it was
    /// walked, however long the caller takes.
    pub(crate) fn into_objects(self) -> Objects {
        self.contents.walk()
    }

    /// Returns the number of objects in a namespace. O(log n).
    pub(crate) fn namespace_len(&self, namespace: &str) -> usize {
        self.contents.namespaces.get(namespace).map_or(0, Posting::len)
    }

    /// Returns the namespaces that have objects, sorted.
    pub fn namespaces(&self) -> Vec<Arc<str>> {
        let mut names: Vec<_> = self.contents.namespaces.values().cloned().collect();
        names.sort_unstable();
        names
    }

    /// Returns whether the stored object is stale: the server has a newer state that could not be
    /// decoded.
    pub fn is_stale(&self, key: &ObjectKey) -> bool {
        self.contents.is_stale(key)
    }

    /// Returns whether the server has an object with this key that was never decoded: it is not
    /// stored, and not known to be deleted.
    ///
    /// Also returns true for every key that is not stored while the last list had an item whose key
    /// could not be read. That item may be any of them.
    pub fn is_unreadable(&self, key: &ObjectKey) -> bool {
        self.contents.is_unreadable(key)
            || (!self.contents.complete && self.contents.get(key).is_none())
    }

    /// Returns whether an object of this name is stored, although it can't be unpacked, or is
    /// [unreadable](Self::is_unreadable).
    pub(crate) fn has_unreadable(&self, namespace: Option<&str>, name: &str) -> bool {
        let key = || ObjectKey::from_parts(namespace, name);
        self.contents.get_by_name(namespace, name).is_some()
            || (self.unreadable() > 0 && key().is_ok_and(|key| self.is_unreadable(&key)))
    }

    /// Returns whether every item of the last list had a readable key.
    pub(crate) fn is_complete(&self) -> bool {
        self.contents.complete
    }

    /// Returns the number of objects that the server has and that are not stored, because no state
    /// of them could be decoded. All items of the last list whose keys could not be read count as
    /// one. O(1).
    pub fn unreadable(&self) -> usize {
        self.contents.unreadable.len() + usize::from(!self.contents.complete)
    }

    /// Returns how often the server's history was lost before this moment. Versions from different
    /// epochs do not compare.
    pub fn epoch(&self) -> u64 {
        self.contents.epoch
    }

    /// Returns the number of stale objects. O(1).
    pub fn stale(&self) -> usize {
        self.contents.stale.len()
    }
}

impl<K: Resource + Send + Sync + 'static> Snapshot<K> {
    /// Returns the object with this key, or `None` if it is not stored or can't be unpacked. O(log
    /// n), to base 8, plus the unpacking of a packed object.
    pub fn get(&self, key: &ObjectKey) -> Option<Arc<K>> {
        read_as(self.view(), self.contents.get(key)?)
    }

    /// Returns the object with this name like [`get`](Self::get), without allocating a key.
    pub fn get_by_name(&self, namespace: Option<&str>, name: &str) -> Option<Arc<K>> {
        read_as(self.view(), self.contents.get_by_name(namespace, name)?)
    }

    /// Returns whether the objects have namespaces although this key has none, or the other way
    /// round. The first object shows it for all of them, or the type while there is none.
    pub(crate) fn has_other_scope(&self, namespace: Option<&str>) -> bool {
        let any = self.objects().next().map(|(key, _)| key);
        KindReach::of::<K>().excludes(any, namespace)
    }

    /// Returns every object with its key, in no particular order. Packed objects are unpacked one
    /// by one; one that can't be unpacked is left out, which was reported.
    pub fn iter(&self) -> impl Iterator<Item = (&ObjectKey, Arc<K>)> {
        self.objects().filter_map(|object| self.readable(object))
    }

    /// Returns every object of a namespace with its key, in no particular order. An unknown
    /// namespace has none. Packed objects are unpacked one by one.
    pub fn namespace(&self, namespace: &str) -> impl Iterator<Item = (&ObjectKey, Arc<K>)> {
        self.select_namespace(namespace).filter_map(|object| self.readable(object))
    }

    /// Returns every object that has this value in `index`, with its key, in no particular order.
    /// Packed objects are unpacked one by one.
    ///
    /// Returns none for an index that was added after this moment, and for an index of another
    /// store. An index of an informer also serves the snapshots of its
    /// [views](crate::SharedInformer::view), and the other way round.
    pub fn indexed<L: ?Sized>(
        &self,
        index: &Index<L>,
        value: &str,
    ) -> impl Iterator<Item = (&ObjectKey, Arc<K>)> + use<'_, K, L> {
        let found = self.contents.select(index.posting(&self.contents, value));
        found.filter_map(|object| self.readable(object))
    }

    /// Unpacks an object. Returns `None` if that fails.
    #[inline]
    fn readable<'a>(
        &self,
        (key, cached): (&'a ObjectKey, &Cached),
    ) -> Option<(&'a ObjectKey, Arc<K>)> {
        Some((key, read_as(self.view(), cached)?))
    }
}

impl<K: ?Sized> Clone for Snapshot<K> {
    fn clone(&self) -> Self {
        Self::new(self.contents.clone(), self.view.clone())
    }
}

impl<K: ?Sized> fmt::Debug for Snapshot<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("version", &self.version())
            .field("objects", &self.len())
            .finish_non_exhaustive()
    }
}
