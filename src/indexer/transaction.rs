//! Transactions: writes that become visible together or not at all.

use std::fmt;
use std::sync::Arc;

use super::contents::StoreContents;
use super::{IndexFault, Indexer, Snapshot};
use crate::object::{AnyObject, Cached, ObjectKey, ResourceVersion, ShardSelector};
use crate::storage::show_as;
use crate::sync::MutexGuard;

/// A transaction on a store. Readers see its changes after [`commit`](Self::commit). If it is
/// dropped without a commit, it changes nothing.
///
/// A transaction and readers never wait for one another. Only one transaction is open at a time: it
/// holds the lock `L` until it is committed or dropped.
///
/// ```
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::Pod;
/// use kube::ResourceExt;
/// use kube_informer::indexer::{IndexFault, Transaction};
/// use kube_informer::{Indexer, ObjectKey};
///
/// /// Publishes a pod, and prints the index functions that panicked on it.
/// fn publish(mut write: Transaction<'_, Pod>, key: &ObjectKey, pod: Pod) {
///     write.put(key, Arc::new(pod));
///     for IndexFault { index, key, message, .. } in write.commit() {
///         eprintln!("{key} is missing from the index {index}: {message}");
///     }
/// }
///
/// let pods = Indexer::<Pod>::new();
/// // Panics on a pod without this label.
/// pods.add_index("team", |pod: &Pod| Some(pod.labels()["team"].clone()))?;
/// publish(pods.transaction(), &ObjectKey::namespaced("shop", "web-0")?, Pod::default());
/// assert_eq!(pods.snapshot().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a transaction that is not committed changes nothing"]
pub struct Transaction<'a, K: ?Sized = dyn AnyObject, L = MutexGuard<'a, ()>> {
    indexer: &'a Indexer<K>,
    /// The state that the transaction started from.
    base: Arc<StoreContents>,
    state: StoreContents,
    faults: Vec<IndexFault>,
    lock: L,
}

/// A transaction without a lock, which may take long while other writers go on. If another writer
/// publishes first, the draft is outdated and the work must be done again, unless that writer only
/// added indexes.
pub(crate) type Draft<'a> = Transaction<'a, dyn AnyObject, ()>;

/// The remainder of a published transaction.
pub(crate) struct Published {
    /// The panics of index functions.
    pub(crate) faults: Vec<IndexFault>,
    /// The store's previous state. Freeing it may take long.
    pub(crate) before: Snapshot,
}

impl<K: ?Sized> Indexer<K> {
    /// Begins a transaction. Blocks the thread until no other transaction is open.
    pub fn transaction(&self) -> Transaction<'_, K> {
        Transaction::new(self, self.store.writing.lock())
    }
}

impl Indexer {
    /// Begins a draft of the store's next state.
    pub(crate) fn draft(&self) -> Draft<'_> {
        Transaction::new(self, ())
    }
}

impl<'a, K: ?Sized, L> Transaction<'a, K, L> {
    /// Begins with the current state. If `lock` is a lock, the caller has taken it.
    fn new(indexer: &'a Indexer<K>, lock: L) -> Self {
        let base = indexer.load_full();
        let mut state = StoreContents::clone(&base);
        state.content += 1;
        Self { indexer, base, state, faults: Vec::new(), lock }
    }

    /// Returns the object with this key, including this transaction's own changes.
    pub fn get(&self, key: &ObjectKey) -> Option<Cached<K>> {
        Some(show_as(self.indexer.view(), self.state.get(key)?.clone()))
    }

    /// Returns whether the object is marked stale.
    pub(crate) fn is_stale(&self, key: &ObjectKey) -> bool {
        self.state.is_stale(key)
    }

    /// Returns the version of the collection.
    pub(crate) fn version(&self) -> Option<&ResourceVersion> {
        self.state.version.as_ref()
    }

    /// Stores an object, which is then not stale. Returns the object that it replaces.
    ///
    /// O(log n), and as much again for each index value that the object gains or loses.
    pub fn put(&mut self, key: &ObjectKey, object: impl Into<Cached<K>>) -> Option<Cached<K>> {
        let old = self.state.put(key, &object.into().cast(), &mut self.faults)?;
        Some(show_as(self.indexer.view(), old))
    }

    /// Removes an object and returns it. Returns `None` if it was not there.
    pub fn remove(&mut self, key: &ObjectKey) -> Option<Cached<K>> {
        Some(show_as(self.indexer.view(), self.state.remove(key, &mut self.faults)?))
    }

    /// Marks an object as stale: the server has a newer state that can't be decoded. If no state of
    /// the object is stored, notes that it exists: see
    /// [`Snapshot::is_unreadable`](super::Snapshot::is_unreadable).
    pub fn mark_stale(&mut self, key: &ObjectKey) {
        self.state.mark_stale(key);
    }

    /// Sets the version of the collection.
    pub fn set_version(&mut self, version: ResourceVersion) {
        self.state.version = Some(version);
    }

    /// Notes the end of an object that was never stored.
    pub(crate) fn forget_unreadable(&mut self, key: &ObjectKey) {
        self.state.forget_unreadable(key);
    }

    /// Sets whether every item of the last list had a readable key.
    pub(crate) fn set_complete(&mut self, complete: bool) {
        self.state.complete = complete;
    }

    /// Sets the shard that is stored.
    pub(crate) fn set_shard(&mut self, shard: ShardSelector) {
        self.state.shard = Some(shard);
    }

    /// Begins a new history. Versions from before do not compare with later ones.
    pub(crate) fn begin_epoch(&mut self) {
        self.state.epoch += 1;
    }
}

impl<K: ?Sized, L> Transaction<'_, K, L> {
    /// Makes all changes visible at once, unless another writer published first.
    ///
    /// # Errors
    /// The outdated transaction; nothing changes then. Never fails if the transaction holds the
    /// lock.
    pub(crate) fn publish(self) -> Result<Published, Box<Self>>
    where
        L: WriterLock,
    {
        let indexer = self.indexer;
        let taken = (!L::IS_HELD).then(|| indexer.store.writing.lock());
        if !L::IS_HELD && !Arc::ptr_eq(&self.base, &indexer.load()) {
            drop(taken);
            return Err(Box::new(self));
        }
        let Self { base, state, faults, lock, .. } = self;
        indexer.publish(state);
        drop((taken, lock));
        Ok(Published { faults, before: Snapshot::new(base, None) })
    }
}

impl<K: ?Sized> Transaction<'_, K> {
    /// Makes all changes visible at once. Returns the panics of index functions.
    pub fn commit(self) -> Vec<IndexFault> {
        match self.publish() {
            Ok(published) => published.faults,
            Err(_) => unreachable!("nothing else writes while the lock is held"),
        }
    }
}

impl Draft<'_> {
    /// Brings an outdated draft up to date if only indexes were added meanwhile: updates them with
    /// the draft's changes, and yields to other tasks in between. Returns `None` if another writer
    /// changed objects, so that the work must be done again.
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
    /// True if the lock is held from the beginning. If false, publishing takes the store's lock.
    const IS_HELD: bool;
}

impl WriterLock for MutexGuard<'_, ()> {
    const IS_HELD: bool = true;
}

impl WriterLock for () {
    const IS_HELD: bool = false;
}

impl<K: ?Sized, L> fmt::Debug for Transaction<'_, K, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transaction").field("version", &self.version()).finish_non_exhaustive()
    }
}
