//! The store's next state, made off to the side.

use std::sync::Arc;

use super::state::State;
use super::{IndexFault, Indexer};
use crate::object::{Cached, ObjectKey, ResourceVersion};

/// The next state in the making. It holds no lock, so it can be worked on in turns; readers and
/// other writers go on meanwhile. If another writer was first, it is outdated, and the work has to
/// be done again; but not where that only added indexes.
pub(crate) struct Draft<K> {
    indexer: Indexer<K>,
    base: Arc<State<K>>,
    pub(super) state: State<K>,
    pub(super) faults: Vec<IndexFault>,
}

/// What a draft that was published leaves behind.
pub(crate) struct Published<K> {
    /// The calls of index functions that panicked.
    pub(crate) faults: Vec<IndexFault>,
    /// What the store was before. To free it may take long.
    pub(crate) before: Discarded<K>,
}

/// States that nobody needs any more; to drop them may take long.
pub(crate) struct Discarded<K>(Arc<State<K>>);

impl<K> Discarded<K> {
    /// Frees what nothing else holds, in turns.
    pub(crate) async fn free(self) {
        if let Some(state) = Arc::into_inner(self.0) {
            state.free().await;
        }
    }
}

impl<K> Draft<K> {
    pub(super) fn new(indexer: &Indexer<K>) -> Self {
        let base = indexer.0.published.load_full();
        let mut state = State::clone(&base);
        state.content += 1;
        Self { indexer: indexer.clone(), base, state, faults: Vec::new() }
    }

    /// The object of a key, as this draft has it.
    pub(crate) fn get(&self, key: &ObjectKey) -> Option<&Cached<K>> {
        self.state.get(key)
    }

    /// Whether an object is marked stale.
    pub(crate) fn is_stale(&self, key: &ObjectKey) -> bool {
        self.state.is_stale(key)
    }

    /// The version of the collection.
    pub(crate) fn version(&self) -> Option<&ResourceVersion> {
        self.state.version.as_ref()
    }

    /// Stores an object and gives back what it replaces. It is no longer stale.
    pub(crate) fn put(&mut self, key: &ObjectKey, object: &Cached<K>) -> Option<Cached<K>> {
        self.state.put(key, object, &mut self.faults)
    }

    /// Takes an object out; what is not there is no error.
    pub(crate) fn remove(&mut self, key: &ObjectKey) -> Option<Cached<K>> {
        self.state.remove(key, &mut self.faults)
    }

    /// Marks an object as older than the server's, which can't be decoded. Where no state of it is
    /// stored, notes that it exists.
    pub(crate) fn mark_stale(&mut self, key: &ObjectKey) {
        self.state.mark_stale(key);
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

    /// Sets the version of the collection.
    pub(crate) fn set_version(&mut self, version: ResourceVersion) {
        self.state.version = Some(version);
    }

    /// Makes everything visible at once, unless somebody else wrote since the draft was begun.
    ///
    /// # Errors
    /// The draft, which is outdated; nothing changes then.
    pub(crate) fn publish(self) -> Result<Published<K>, Box<Self>> {
        let indexer = self.indexer.clone();
        let writing = indexer.0.writing.lock();
        if !Arc::ptr_eq(&self.base, &indexer.load()) {
            drop(writing);
            return Err(Box::new(self));
        }
        Ok(indexer.replace(self))
    }

    /// Brings an outdated draft up to date where only indexes were added: files in them what it
    /// changed, in turns.
    ///
    /// # Errors
    /// The draft's own state, where somebody else wrote: the work has to be done again.
    pub(crate) async fn adopt_indexes(mut self) -> Result<Self, Discarded<K>> {
        let now = self.indexer.load_full();
        if now.content != self.base.content {
            return Err(Discarded(Arc::new(self.state)));
        }
        self.state.adopt_indexes(&self.base, &now, &mut self.faults).await;
        self.base = now;
        Ok(self)
    }
}

impl<K> Indexer<K> {
    /// The next state of the store, to be made off to the side.
    pub(crate) fn draft(&self) -> Draft<K> {
        Draft::new(self)
    }

    /// Publishes a draft; to be called while writing.
    pub(super) fn replace(&self, draft: Draft<K>) -> Published<K> {
        self.publish(draft.state);
        Published { faults: draft.faults, before: Discarded(draft.base) }
    }
}
