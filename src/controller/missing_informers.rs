//! Informers that had not synced when their controller began.
//!
//! A namespace that may not be read does not hold up the others. But a key whose dependents are not
//! known yet must wait: a reconcile would take them for absent.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::lister_watcher::Collection;
use crate::object::ObjectKey;
use crate::sync::Mutex;
use crate::workqueue::Work;

/// The longest time that a key is parked at once. The informer's sync wakes it earlier.
const PARK_TIME: Duration = Duration::from_secs(600);

/// The informers that have not synced, and the keys that wait for them.
#[derive(Debug, Default)]
pub(super) struct MissingInformers {
    any: AtomicBool,
    missing: Mutex<Vec<Missing>>,
}

#[derive(Debug)]
struct Missing {
    /// The informer's position among those that the controller follows. Two may have the same name.
    place: usize,
    collection: Collection,
    waiting: HashSet<ObjectKey>,
}

impl Missing {
    /// Returns whether this informer may hold objects that belong to a key.
    fn concerns(&self, key: &ObjectKey) -> bool {
        let namespace = self.collection.namespace.as_deref();
        namespace.is_none() || key.namespace() == namespace
    }
}

impl MissingInformers {
    /// Adds an informer that has not synced.
    pub(super) fn add(&self, place: usize, collection: &Collection) {
        let collection = collection.clone();
        self.missing.lock().push(Missing { place, collection, waiting: HashSet::new() });
        self.any.store(true, Ordering::Release);
    }

    /// Returns whether an informer is on the list, even if it has synced since.
    pub(super) fn contains(&self, place: usize) -> bool {
        self.missing.lock().iter().any(|missing| missing.place == place)
    }

    /// Removes an informer from the list. Returns the keys that waited for it.
    pub(super) fn remove(&self, place: usize) -> Vec<ObjectKey> {
        let mut missing = self.missing.lock();
        let removed = missing.extract_if(.., |missing| missing.place == place);
        let keys = removed.flat_map(|missing| missing.waiting).collect();
        self.any.store(!missing.is_empty(), Ordering::Release);
        keys
    }

    /// Lets a key pass if no informer is missing for it. Parks it otherwise.
    pub(super) fn admit(&self, work: Work<ObjectKey>) -> Option<Work<ObjectKey>> {
        if !self.any.load(Ordering::Acquire) {
            return Some(work);
        }
        let mut missing = self.missing.lock();
        let Some(one) = missing.iter_mut().find(|missing| missing.concerns(&work)) else {
            return Some(work);
        };
        one.waiting.insert(work.item().clone());
        drop(missing);
        work.park(PARK_TIME);
        None
    }

    /// Returns the names of the missing informers, for the status.
    pub(super) fn names(&self) -> Vec<Arc<str>> {
        self.missing.lock().iter().map(|missing| missing.collection.to_string().into()).collect()
    }
}
