//! The store: shared immutable objects with indexes.
//!
//! Every state of the store is an immutable value. A writer makes the next state by copying the few
//! nodes that it changes, and publishes it by swapping one pointer. So readers see all of a
//! transaction or nothing of it, and readers and the writer never wait for one another.
//!
//! Each object has a row, and nearly every other part is a set of rows. Only the keys of unreadable
//! objects, which have no row, are a table beside them:
//!
//! ```text
//! StoreContents at one moment                            what a write copies
//!  ├─ objects     Table
//!  │   ├─ items   PersistentVec  row → (key, object)        always one path of nodes of eight
//!  │   └─ hashes  PersistentSet  (hash of a key, row)       one array, for a new or deleted object
//!  ├─ namespaces  Postings       as an index
//!  ├─ indexes     Postings       of each:                   nothing, for values that stay
//!  │   ├─ items   PersistentVec  row → (value, posting)     one path, for a value it gets or loses
//!  │   │                         a posting: PersistentSet, rows of objects        one array
//!  │   └─ hashes  PersistentSet  (hash of a value, row)     one array, for a new or deleted value
//!  └─ stale       PersistentSet  rows of objects
//! ```
//!
//! A new state of an object whose index values stay the same copies one path of one tree, however
//! many indexes there are. An index costs about a hundred bytes for each value, and four to six
//! bytes for each object with it. Free rows are reused, so a set of rows is valid only in the state
//! that it belongs to.
//!
//! The store does not decide what to store: the stages before it handle versions, order and deltas.

mod backfill;
mod changes;
mod check;
mod contents;
mod field_values;
mod fields;
mod function;
mod index;
mod persistent_set;
mod persistent_vec;
mod postings;
mod progress;
mod ready;
mod snapshot;
mod table;
#[cfg(test)]
mod tests;
mod transaction;
mod walk;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};
use kube::Resource;
use tokio::sync::futures::Notified;
use tokio_util::sync::CancellationToken;

use self::backfill::ReservedNames;
pub use self::check::IndexDifference;
pub(crate) use self::contents::Objects;
use self::contents::StoreContents;
use self::function::IndexFunction;
pub use self::index::Index;
pub use self::progress::WaitTimeout;
pub use self::ready::{by_controller, by_field, by_label};
pub use self::snapshot::Snapshot;
pub use self::transaction::Transaction;
pub(crate) use self::transaction::{Published, WriterLock};
use crate::object::{
    AnyObject, Cached, FieldSet, IndexValues, KnownChunks, KnownObjects, ObjectKey, ObjectState,
    ResourceVersion,
};
use crate::packer::{IndexExtractor, NotEnough, ReadPart, ReadView};
use crate::storage::{View, read_as, show_as};
use crate::sync::{Mutex, Notify};

/// The number of objects that complete a chunk.
const CHUNK: usize = 256;

/// A thread-safe store with indexes.
///
/// Cloning is O(1). All clones share one store.
///
/// ```
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::{Indexer, ObjectKey};
///
/// let pods = Indexer::<Pod>::new();
/// let by_node = pods.add_index("node", |pod: &Pod| pod.spec.as_ref()?.node_name.clone())?;
///
/// let mut pod = Pod::default();
/// pod.spec = Some(Default::default());
/// pod.spec.as_mut().unwrap().node_name = Some("n1".into());
/// let mut write = pods.transaction();
/// write.put(&ObjectKey::namespaced("shop", "web-0")?, &Arc::new(pod));
/// assert!(by_node.get("n1").is_empty(), "not before the commit");
/// write.commit();
/// assert_eq!(by_node.get("n1").len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Indexer<K: ?Sized = dyn AnyObject> {
    store: Arc<Store>,
    /// The view through which objects are read, if their type is not the stored one.
    view: Option<Arc<View>>,
    kind: PhantomData<K>,
}

struct Store {
    published: ArcSwap<StoreContents>,
    writing: Mutex<()>,
    /// Wakes the tasks that wait for the store to change.
    changed: Notify,
    /// The names of indexes that are being built.
    reserved_names: ReservedNames,
    /// Cancelled when the writer was told to stop.
    stopped: CancellationToken,
    /// Cancelled when nothing will be written any more.
    ended: CancellationToken,
}

/// An index can't be added or found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// An index of this name exists already.
    #[error("there is an index {0:?} already: use its handle, or choose another name")]
    Duplicate(String),
    /// No index has this name.
    #[error("there is no index {0:?}: add it first")]
    Unknown(String),
}

/// An index function panicked on an object. The object is stored without values in that index.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the function of index {index:?} panicked on {key}: {message}")]
#[non_exhaustive]
pub struct IndexFault {
    /// The name of the index.
    pub index: Arc<str>,
    /// The object's key.
    pub key: ObjectKey,
    /// The panic's message.
    pub message: String,
}

impl<K: ?Sized> Indexer<K> {
    /// Makes an empty store.
    pub fn new() -> Self {
        Self::with_writer(CancellationToken::new(), CancellationToken::new())
    }

    /// Makes an empty store. The first token is cancelled when its writer is told to stop, the
    /// second after the writer's last write.
    pub(crate) fn with_writer(stopped: CancellationToken, ended: CancellationToken) -> Self {
        let published = ArcSwap::from_pointee(StoreContents::new());
        let (writing, changed, reserved_names) =
            (Mutex::new(()), Notify::new(), ReservedNames::default());
        let store = Store { published, writing, changed, reserved_names, stopped, ended };
        Self { store: Arc::new(store), view: None, kind: PhantomData }
    }

    /// Returns the same store, whose objects are read through a view.
    pub(crate) fn through<V>(&self, view: Arc<View>) -> Indexer<V> {
        Indexer { store: self.store.clone(), view: Some(view), kind: PhantomData }
    }

    /// Returns the view through which objects are read, if there is one.
    pub(crate) fn view(&self) -> Option<&Arc<View>> {
        self.view.as_ref()
    }

    /// Returns the store's address, which differs between existing stores.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.store).addr()
    }

    /// Returns whether the informer that fills this store was stopped or failed, so that the store
    /// no longer follows the server. Always false for a store that is not filled by an informer.
    pub fn is_stopped(&self) -> bool {
        self.store.stopped.is_cancelled() || self.store.ended.is_cancelled()
    }

    /// Returns the current state of the store. O(1).
    pub fn snapshot(&self) -> Snapshot<K> {
        Snapshot::new(self.load_full(), self.view.clone())
    }

    /// Returns the object with this name as it is kept.
    pub(crate) fn get_cached_by_name(
        &self,
        namespace: Option<&str>,
        name: &str,
    ) -> Option<Cached<K>> {
        Some(show_as(self.view(), self.load().get_by_name(namespace, name)?.clone()))
    }

    /// Returns the index with this name. O(number of indexes).
    ///
    /// # Errors
    /// [`IndexError::Unknown`] if there is none.
    pub fn index(&self, name: &str) -> Result<Index<K>, IndexError> {
        let state = self.load();
        let mut indexes = state.indexes.iter().map(|index| &index.name).enumerate();
        let found = indexes.find(|(_, other)| ***other == *name);
        let (place, name) = found
            .map(|(place, name)| (place, name.clone()))
            .ok_or_else(|| IndexError::Unknown(name.to_owned()))?;
        Ok(Index::new(self.clone(), name, place))
    }

    /// Waits until the store changes.
    fn changed(&self) -> Notified<'_> {
        self.store.changed.notified()
    }

    /// Waits until nothing will be written any more.
    async fn writer_ended(&self) {
        self.store.ended.cancelled().await;
    }

    /// Returns the same store with another type of objects.
    pub(crate) fn cast<L: ?Sized>(self) -> Indexer<L> {
        Indexer { store: self.store, view: self.view, kind: PhantomData }
    }

    /// Returns whether the store has an index, apart from namespaces.
    pub(crate) fn is_indexed(&self) -> bool {
        !self.load().indexes.is_empty()
    }

    fn load(&self) -> Guard<Arc<StoreContents>> {
        self.store.published.load()
    }

    fn load_full(&self) -> Arc<StoreContents> {
        self.store.published.load_full()
    }

    fn publish(&self, state: StoreContents) {
        self.store.published.store(Arc::new(state));
        self.store.changed.notify_waiters();
    }
}

impl<K: Resource + Send + Sync + 'static> Indexer<K> {
    /// Returns the object with this key. O(log n), to base 8, plus the unpacking of a packed
    /// object.
    ///
    /// Also returns `None` if the object is packed and can't be unpacked, which was reported.
    pub fn get(&self, key: &ObjectKey) -> Option<Arc<K>> {
        let packed = {
            let state = self.load();
            let cached = state.get(key)?;
            if let (None, Some(object)) = (self.view(), cached.decoded_as()) {
                return Some(object);
            }
            // Unpacking takes a while, and must not keep this state of the store.
            cached.clone()
        };
        read_as(self.view(), &packed)
    }

    /// Returns the object with this name like [`get`](Self::get), without allocating a key.
    pub fn get_by_name(&self, namespace: Option<&str>, name: &str) -> Option<Arc<K>> {
        let packed = self.load().get_by_name(namespace, name)?.clone();
        read_as(self.view(), &packed)
    }

    /// Adds an index and fills it with the stored objects. O(n) on the caller's thread.
    ///
    /// Readers and writers go on meanwhile. The index becomes visible when it is complete, as of
    /// one moment of the store. Writers wait for it only if it never catches up with them.
    ///
    /// `values` returns the values under which an object is found; a value that it returns twice
    /// counts once. It must be pure: if its result for a stored object changes, the index may
    /// return wrong objects. It must not write to this store. If it panics on an object, that
    /// object has no values in this index. The panic is logged, and for later writes returned by
    /// [`Transaction::commit`].
    ///
    /// # Errors
    /// [`IndexError::Duplicate`] if an index of this name exists. Nothing changes then.
    pub fn add_index<F, I>(&self, name: &str, values: F) -> Result<Index<K>, IndexError>
    where
        F: Fn(&K) -> I + Send + Sync + 'static,
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.add(name, None, values)
    }

    /// Adds an index like [`add_index`](Self::add_index), whose function reads only these fields.
    /// Only these are then unpacked.
    ///
    /// `values` must return the same values if the other fields are missing. The first few objects
    /// are shown to it both ways. If a result differs, the log says so and `values` gets whole
    /// objects from then on.
    ///
    /// # Errors
    /// [`IndexError::Duplicate`] if an index of this name exists. Nothing changes then.
    pub fn add_index_on<F, I>(
        &self,
        name: &str,
        fields: &FieldSet,
        values: F,
    ) -> Result<Index<K>, IndexError>
    where
        F: Fn(&K) -> I + Send + Sync + 'static,
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.add(name, Some(fields.clone()), values)
    }

    fn add<F, I>(
        &self,
        name: &str,
        fields: Option<FieldSet>,
        values: F,
    ) -> Result<Index<K>, IndexError>
    where
        F: Fn(&K) -> I + Send + Sync + 'static,
        I: IntoIterator,
        I::Item: Into<String>,
    {
        let of = name.to_owned();
        let values = move |object: &dyn AnyObject| {
            let Some(object) = object.downcast_ref() else {
                // Only assumed objects have other types than the store's.
                tracing::error!(
                    index = of,
                    takes = std::any::type_name::<K>(),
                    "an assumed object is missing from an index that takes another type: add an \
                     index by the handle of the assumed view"
                );
                return Vec::new();
            };
            crate::panic::collect(values(object))
        };
        let function = IndexFunction { values: Arc::new(values), view: self.view.clone() };
        Ok(self.clone().cast().backfill(name, fields, function)?.cast())
    }
}

impl Indexer {
    /// Returns an iteration over the objects as of now, in chunks.
    pub(crate) fn into_chunks(self) -> KnownChunks<'static> {
        let store: Snapshot = self.snapshot();
        let mut next = Some(0);
        Box::new(move |visit| {
            let Some(from) = next else { return false };
            next = store.contents.visit(from, CHUNK, visit);
            true
        })
    }

    /// Returns the object with this key as the cache holds it.
    pub(crate) fn get_cached(&self, key: &ObjectKey) -> Option<Cached> {
        self.load().get(key).cloned()
    }
}

impl<K: ?Sized + Send + Sync> KnownObjects for Indexer<K> {
    fn get(&self, key: &ObjectKey) -> Option<Cached> {
        self.load().get(key).cloned()
    }

    fn for_each(&self, visit: &mut dyn FnMut(&ObjectKey, &Cached)) {
        self.snapshot().objects().for_each(|(key, object)| visit(key, object));
    }

    fn chunks(&self) -> KnownChunks<'_> {
        self.clone().cast().into_chunks()
    }

    fn unchanged(&self, state: &ObjectState<'_>) -> Option<(ObjectKey, Cached)> {
        self.load().unchanged(state).map(|(key, object)| (key.clone(), object.clone()))
    }

    fn is_behind(&self, version: &ResourceVersion) -> bool {
        self.load().version.as_ref().is_none_or(|stored| stored.is_older_than(version))
    }
}

impl IndexExtractor for Indexer {
    fn values(&self, object: &dyn AnyObject, read: &ReadView<'_>) -> Option<IndexValues> {
        self.load().values(Some(object), read)
    }

    fn values_of_part(
        &self,
        part: &ReadPart<'_>,
        read: &ReadView<'_>,
    ) -> Result<Option<IndexValues>, NotEnough> {
        self.load().values_of_part(part, read)
    }
}

impl<K: ?Sized> Clone for Indexer<K> {
    fn clone(&self) -> Self {
        Self { store: self.store.clone(), view: self.view.clone(), kind: PhantomData }
    }
}

/// The same store, without the type of its objects.
impl<K: Resource + Send + Sync + 'static> From<Indexer<K>> for Indexer {
    fn from(indexer: Indexer<K>) -> Self {
        indexer.cast()
    }
}

impl<K: ?Sized> Default for Indexer<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: ?Sized> fmt::Debug for Indexer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.load();
        f.debug_struct("Indexer")
            .field("version", &state.version)
            .field("objects", &state.len())
            .finish_non_exhaustive()
    }
}
