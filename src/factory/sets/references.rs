//! Counted references to objects by key, and the informers that feed them.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use crate::informer::{SharedInformer, Unsynced};
use crate::object::ObjectKey;
use crate::processor::HandlerRegistration;
use crate::sorting::sort_by;
use crate::sync::Mutex;

/// A guard that keeps an object referenced. The object is followed while at least one guard of its
/// key lives.
///
/// Clones are guards, too. Drop them on any thread, also in a handler.
#[must_use = "the object is followed only while a guard lives"]
pub struct Reference {
    references: Arc<References>,
    key: ObjectKey,
}

/// The referenced keys of a set.
#[derive(Default)]
pub(super) struct References {
    counts: Mutex<HashMap<ObjectKey, usize>>,
    /// Woken when a key gets its first reference or loses its last one.
    changed: watch::Sender<()>,
    feeders: Mutex<Vec<Feeder>>,
}

/// An informer whose objects take references, in a handler.
#[derive(Clone)]
pub(super) struct Feeder {
    pub(super) informer: SharedInformer,
    pub(super) handler: HandlerRegistration,
}

impl Feeder {
    /// Waits until the references of the objects are known, or the kind of the objects is known not
    /// to be served. Returns the informer if neither happens within `limit`.
    pub(super) async fn unfed(&self, limit: Duration) -> Option<Unsynced> {
        let fed = async {
            tokio::select! {
                biased;
                _ended = self.handler.wait_for_sync() => {}
                () = self.informer.awaits_kind() => {}
            }
        };
        timeout(limit, fed).await.is_err().then(|| self.informer.unsynced().joining())
    }
}

impl References {
    /// Takes a reference.
    pub(super) fn take(self: &Arc<Self>, key: ObjectKey) -> Reference {
        self.add(&key);
        Reference { references: self.clone(), key }
    }

    fn add(&self, key: &ObjectKey) {
        let mut counts = self.counts.lock();
        let first = if let Some(count) = counts.get_mut(key) {
            *count += 1;
            false
        } else {
            counts.insert(key.clone(), 1).is_none()
        };
        drop(counts);
        if first {
            self.changed.send_replace(());
        }
    }

    fn remove(&self, key: &ObjectKey) {
        let mut counts = self.counts.lock();
        let Some(count) = counts.get_mut(key) else { return };
        *count -= 1;
        let last = *count == 0;
        if last {
            counts.remove(key);
        }
        drop(counts);
        if last {
            self.changed.send_replace(());
        }
    }

    /// Returns whether a key is referenced.
    pub(super) fn contain(&self, key: &ObjectKey) -> bool {
        self.counts.lock().contains_key(key)
    }

    /// Returns the referenced keys, sorted.
    pub(super) fn keys(&self) -> Vec<ObjectKey> {
        let mut keys: Vec<_> = self.counts.lock().keys().cloned().collect();
        sort_by(&mut keys, ObjectKey::cmp);
        keys
    }

    /// Keeps feeders until their informers are stopped.
    pub(super) fn feed_from(&self, added: &mut Vec<Feeder>) {
        self.feeders.lock().append(added);
        self.forget_stopped();
    }

    /// Returns the informers that feed the set.
    pub(super) fn feeders(&self) -> Vec<Feeder> {
        self.feeders.lock().clone()
    }

    /// Removes the handlers of all feeders.
    pub(super) fn remove_feeders(&self) {
        let feeders = std::mem::take(&mut *self.feeders.lock());
        for feeder in feeders {
            feeder.handler.remove();
        }
    }

    /// Drops the handles of stopped informers, so that their stores are freed.
    fn forget_stopped(&self) {
        let mut feeders = self.feeders.lock();
        let all = std::mem::take(&mut *feeders).into_iter();
        let (stopped, live): (Vec<_>, _) = all.partition(|feeder| feeder.informer.is_stopped());
        *feeders = live;
        drop(feeders);
        drop(stopped);
    }

    /// Returns a receiver that is woken by each change of the referenced keys.
    pub(super) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }
}

/// The references of the objects of one informer. They end when it is dropped.
pub(super) struct Feed {
    references: Arc<References>,
    held: HashMap<ObjectKey, Vec<Reference>>,
}

impl Feed {
    pub(super) fn new(references: Arc<References>) -> Self {
        Self { references, held: HashMap::new() }
    }

    /// Replaces the references of an object. A key that it still names is referenced without a gap.
    pub(super) fn set(&mut self, object: &ObjectKey, keys: Vec<ObjectKey>) {
        let taken: Vec<_> = keys.into_iter().map(|key| self.references.take(key)).collect();
        // The references before are dropped after the new ones were taken.
        if taken.is_empty() {
            self.held.remove(object);
        } else {
            self.held.insert(object.clone(), taken);
        }
    }
}

/// An informer that stops drops its handlers.
impl Drop for Feed {
    fn drop(&mut self) {
        self.references.forget_stopped();
    }
}

impl Reference {
    /// Returns the key of the referenced object.
    pub fn key(&self) -> &ObjectKey {
        &self.key
    }
}

impl Clone for Reference {
    fn clone(&self) -> Self {
        self.references.take(self.key.clone())
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        self.references.remove(&self.key);
    }
}

impl fmt::Debug for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reference").field(&self.key).finish()
    }
}
