//! The store: shared immutable objects under many indexes, always as of some moment.
//!
//! Every state of the store is an immutable value; a writer makes the next one by copying the few
//! nodes it changes and publishes it with one pointer. So readers see whole transactions or
//! nothing of them, never wait, and never make the writer wait, however many there are and however
//! long they take.
//!
//! Objects have slots, and everything else is sets of slots:
//!
//! ```text
//! State: one moment                                       what a write copies
//!  ├─ objects     Table
//!  │   ├─ items   PersistentVec  slot → (key, object)       always one path of nodes of eight
//!  │   └─ hashes  PersistentSet  (hash of a key, slot)      one array, for an object that comes or goes
//!  ├─ namespaces  Postings       as an index
//!  ├─ indexes     Postings       of each:                   nothing, for values that stay
//!  │   ├─ items   PersistentVec  slot → (value, posting)    one path, for a value it gets or loses
//!  │   │                         a posting: PersistentSet, slots of objects       one array
//!  │   └─ hashes  PersistentSet  (hash of a value, slot)    one array, for a value that is new or gone
//!  └─ stale       PersistentSet  slots of objects
//! ```
//!
//! So a new state of an object whose index values stay the same copies one path of one tree, however
//! many indexes there are; and an index costs some hundred bytes for each value, and four to six for
//! each object that has it. A slot is used again when its object is gone: a set of slots means
//! something only in the state it belongs to.
//!
//! It never decides what to store: versions, order and deltas are the business of the stages before.

mod backfill;
mod changes;
mod fields;
mod index;
mod persistent_set;
mod persistent_vec;
mod postings;
mod prefetch;
mod progress;
mod snapshot;
mod state;
mod table;
#[cfg(test)]
mod tests;
mod transaction;
mod walk;

use std::fmt;
use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};
use kube::Resource;
use tokio::sync::futures::Notified;
use tokio_util::sync::CancellationToken;

use self::backfill::Adding;
pub use self::index::Index;
use self::persistent_vec::Slot;
pub use self::progress::WaitTimeout;
pub(crate) use self::progress::is_at_least;
pub use self::snapshot::Snapshot;
pub(crate) use self::state::Objects;
use self::state::State;
pub use self::transaction::Transaction;
pub(crate) use self::transaction::{Published, WriterLock};
use crate::object::{
    Cached, FieldSet, IndexExtractor, IndexValues, KnownChunks, KnownObjects, NotEnough, ObjectKey,
    ObjectState,
};
use crate::sync::{Mutex, Notify};

/// How many objects are shown at once, or a few more, to a caller that asks for chunks.
const CHUNK: usize = 256;

/// A thread-safe store with indexes. A cheap clone; all clones are one store.
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
pub struct Indexer<K>(Arc<Store<K>>);

struct Store<K> {
    published: ArcSwap<State<K>>,
    writing: Mutex<()>,
    /// Wakes who waits for the store to change.
    changed: Notify,
    /// The indexes in the making.
    adding: Adding,
    /// Whoever writes was told to stop.
    stopped: CancellationToken,
    /// Nothing will be written any more.
    ended: CancellationToken,
}

/// Why an index can't be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// There is an index of this name already.
    #[error("there is an index {0:?} already")]
    Duplicate(String),
    /// There is no index of this name.
    #[error("there is no index {0:?}")]
    Unknown(String),
}

/// An index function panicked on an object, which is stored without values for that index.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("index {index:?} panicked on {key}: {message}")]
#[non_exhaustive]
pub struct IndexFault {
    /// The name of the index.
    pub index: Arc<str>,
    /// The object's key.
    pub key: ObjectKey,
    /// What the panic said.
    pub message: String,
}

impl<K> Indexer<K> {
    /// An empty store.
    pub fn new() -> Self {
        Self::with_writer(CancellationToken::new(), CancellationToken::new())
    }

    /// An empty store whose writer is told to stop by one token, and has written its last when the
    /// other is cancelled.
    pub(crate) fn with_writer(stopped: CancellationToken, ended: CancellationToken) -> Self {
        let published = ArcSwap::from_pointee(State::new());
        let (writing, changed, adding) = (Mutex::new(()), Notify::new(), Adding::default());
        Self(Arc::new(Store { published, writing, changed, adding, stopped, ended }))
    }

    /// Whether the informer that fills this store was stopped or failed, so that the store does not
    /// follow the server any more. Never of a store that is filled by other means.
    pub fn is_stopped(&self) -> bool {
        self.0.stopped.is_cancelled() || self.0.ended.is_cancelled()
    }

    /// The store as of this moment. O(1).
    pub fn snapshot(&self) -> Snapshot<K> {
        Snapshot(self.0.published.load_full())
    }

    /// The object of a key. O(log n), to base 8.
    ///
    /// `None` also of one that is packed and can't be unpacked, which was reported.
    pub fn get(&self, key: &ObjectKey) -> Option<Arc<K>> {
        let cached = self.load().get(key)?.clone();
        cached.get()
    }

    /// The object of this name, without making a key of it. O(log n), to base 8.
    pub fn get_by_name(&self, namespace: Option<&str>, name: &str) -> Option<Arc<K>> {
        let cached = self.load().get_by_name(namespace, name)?.clone();
        cached.get()
    }

    /// Adds an index, and files what is stored. O(n) on the caller's thread.
    ///
    /// Readers and writers go on meanwhile. The index is there when it is complete, as of one
    /// moment of the store. Only where writers are quicker than `values` again and again do they
    /// wait for it at the end.
    ///
    /// `values` must be pure: what it gives for an object must not change while that is stored, or
    /// the index may show other objects than it should. A value given twice counts once. It must not
    /// write to this store.
    ///
    /// # Errors
    /// [`IndexError::Duplicate`]; nothing changes then.
    pub fn add_index<F, I>(&self, name: &str, values: F) -> Result<Index<K>, IndexError>
    where
        F: Fn(&K) -> I + Send + Sync + 'static,
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.add(name, None, values)
    }

    /// Adds an index as [`add_index`](Self::add_index) does, whose function looks at no other fields than
    /// these: what it gives must be the same where others are missing. Objects that are packed are then
    /// unpacked only so far. The first few are shown to it both ways; where it makes a difference, the
    /// log says so and it is shown all of the others.
    ///
    /// # Errors
    /// [`IndexError::Duplicate`]; nothing changes then.
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
        let values = move |object: &K| crate::panic::collect(values(object));
        self.backfill(name, fields, Arc::new(values))
    }

    /// The index of a name.
    ///
    /// # Errors
    /// [`IndexError::Unknown`].
    pub fn index(&self, name: &str) -> Result<Index<K>, IndexError> {
        let state = self.load();
        let mut indexes = state.indexes.iter().map(|index| &index.name).enumerate();
        let found = indexes.find(|(_, other)| ***other == *name);
        let (place, name) = found
            .map(|(place, name)| (place, name.clone()))
            .ok_or_else(|| IndexError::Unknown(name.to_owned()))?;
        Ok(Index::new(self.clone(), name, place))
    }

    /// Until the store changes.
    fn changed(&self) -> Notified<'_> {
        self.0.changed.notified()
    }

    /// Until nothing will be written any more.
    async fn ended(&self) {
        self.0.ended.cancelled().await;
    }

    fn load(&self) -> Guard<Arc<State<K>>> {
        self.0.published.load()
    }

    fn load_full(&self) -> Arc<State<K>> {
        self.0.published.load_full()
    }

    fn publish(&self, state: State<K>) {
        self.0.published.store(Arc::new(state));
        self.0.changed.notify_waiters();
    }
}

impl<K: Resource + Send + Sync> KnownObjects<K> for Indexer<K> {
    fn get(&self, key: &ObjectKey) -> Option<Cached<K>> {
        self.load().get(key).cloned()
    }

    fn for_each(&self, visit: &mut dyn FnMut(&ObjectKey, &Cached<K>)) {
        self.snapshot().cached().for_each(|(key, object)| visit(key, object));
    }

    fn chunks(&self) -> Box<dyn KnownChunks<K> + '_> {
        Box::new(Chunks { store: self.snapshot(), next: Some(0) })
    }

    fn unchanged(&self, state: &ObjectState<'_>) -> Option<(ObjectKey, Cached<K>)> {
        self.load().unchanged(state).map(|(key, object)| (key.clone(), object.clone()))
    }
}

impl<K: Send + Sync> IndexExtractor<K> for Indexer<K> {
    fn values(&self, object: &K) -> Option<IndexValues> {
        self.load().values(object)
    }

    fn values_of_part(
        &self,
        read: &dyn Fn(Option<&FieldSet>) -> Option<K>,
    ) -> Result<Option<IndexValues>, NotEnough> {
        self.load().values_of_part(read)
    }
}

/// One moment of the store, in chunks of some hundred objects.
struct Chunks<K> {
    store: Snapshot<K>,
    /// The slot that the next chunk begins with.
    next: Option<Slot>,
}

impl<K: Send + Sync> KnownChunks<K> for Chunks<K> {
    fn next(&mut self, visit: &mut dyn FnMut(&ObjectKey, &Cached<K>)) -> bool {
        let Some(from) = self.next else { return false };
        self.next = self.store.0.visit(from, CHUNK, visit);
        true
    }
}

impl<K> Clone for Indexer<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K> Default for Indexer<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K> fmt::Debug for Indexer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.load();
        f.debug_struct("Indexer")
            .field("version", &state.version)
            .field("objects", &state.len())
            .finish_non_exhaustive()
    }
}
