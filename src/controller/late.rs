//! Informers that had not synced when their controller began.
//!
//! One namespace that may not be read keeps no other from being reconciled. But a key whose
//! dependents are not known yet must wait: a reconcile would take them for absent.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::lister_watcher::Collection;
use crate::object::ObjectKey;
use crate::sync::Mutex;
use crate::workqueue::Work;

/// How long a key is put off at a time. The informer's sync wakes it before.
const PUT_OFF: Duration = Duration::from_secs(600);

/// The informers that are missing, and the keys that wait for them.
#[derive(Debug, Default)]
pub(super) struct Late {
    any: AtomicBool,
    missing: Mutex<Vec<Missing>>,
}

#[derive(Debug)]
struct Missing {
    /// The informer's place among those that the controller follows. Two may have one name.
    place: usize,
    collection: Collection,
    waiting: HashSet<ObjectKey>,
}

impl Missing {
    /// Returns whether this informer will hold what belongs to a key.
    fn concerns(&self, key: &ObjectKey) -> bool {
        let namespace = self.collection.namespace.as_deref();
        namespace.is_none() || key.namespace() == namespace
    }
}

impl Late {
    /// Notes an informer that has not synced.
    pub(super) fn add(&self, place: usize, collection: &Collection) {
        let collection = collection.clone();
        self.missing.lock().push(Missing { place, collection, waiting: HashSet::new() });
        self.any.store(true, Ordering::Release);
    }

    /// Returns whether an informer is on the list, also one that has synced since.
    pub(super) fn holds(&self, place: usize) -> bool {
        self.missing.lock().iter().any(|missing| missing.place == place)
    }

    /// Takes an informer off the list. Returns the keys that waited for it.
    pub(super) fn came(&self, place: usize) -> Vec<ObjectKey> {
        let mut missing = self.missing.lock();
        let came = missing.extract_if(.., |missing| missing.place == place);
        let keys = came.flat_map(|missing| missing.waiting).collect();
        self.any.store(!missing.is_empty(), Ordering::Release);
        keys
    }

    /// Lets a key pass for which no informer is missing; puts off any other.
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
        work.park(PUT_OFF);
        None
    }

    /// Returns what is missing, for the status.
    pub(super) fn names(&self) -> Vec<Arc<str>> {
        self.missing.lock().iter().map(|missing| missing.collection.to_string().into()).collect()
    }
}
