//! Keys that wait before they are reconciled.
//!
//! Some wait for an informer that had not synced, or had no fresh view, when the controller began,
//! or for one that was added. Others wait until the cache shows their own writes.
//!
//! A forbidden namespace does not hold up the others. But a key whose dependents are not known yet
//! must wait: a reconcile would take them for absent.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::own_writes::Unobserved;
use crate::basics::Mutex;
use crate::lister_watcher::Collection;
use crate::object::ObjectKey;
use crate::seams::{KeyMap, VecMap, YieldBudget};
use crate::workqueue::{Priority, Work, WorkQueue};

/// The longest time that a key is parked at once. The informer's sync wakes it earlier.
const PARK_TIME: Duration = Duration::from_secs(600);

/// The informers without a view to work with, and the keys that wait for them.
#[derive(Debug, Default)]
pub(super) struct MissingInformers {
    any: AtomicBool,
    missing: Mutex<Vec<Missing>>,
    /// The informers that lack objects of a slot, by position. Only that slot's keys wait.
    lacking: Mutex<VecMap<usize, Arc<str>>>,
}

#[derive(Debug)]
struct Missing {
    /// The informer's position among those that the controller follows. Two may have the same name.
    place: usize,
    collection: Collection,
    waiting: KeyMap<()>,
}

impl Missing {
    fn concerns(&self, key: &ObjectKey) -> bool {
        concerns(&self.collection, key)
    }
}

/// Returns whether an informer of this collection may hold objects that belong to a key.
pub(super) fn concerns(collection: &Collection, key: &ObjectKey) -> bool {
    let namespace = collection.namespace.as_deref();
    namespace.is_none() || key.namespace() == namespace
}

impl MissingInformers {
    /// Adds an informer. Returns false if it is on the list already.
    pub(super) fn add(&self, place: usize, collection: &Collection) -> bool {
        let mut missing = self.missing.lock();
        if missing.iter().any(|missing| missing.place == place) {
            return false;
        }
        let collection = collection.clone();
        missing.push(Missing { place, collection, waiting: KeyMap::default() });
        self.any.store(true, Ordering::Release);
        true
    }

    /// Returns whether an informer is on the list, even if it has synced since.
    pub(super) fn contains(&self, place: usize) -> bool {
        self.missing.lock().iter().any(|missing| missing.place == place)
    }

    /// Removes an informer from the list. Returns the keys that waited for it.
    pub(super) fn remove(&self, place: usize) -> KeyMap<()> {
        let mut missing = self.missing.lock();
        let removed = missing.iter().position(|missing| missing.place == place);
        let removed = removed.map(|at| missing.remove(at));
        self.any.store(!missing.is_empty(), Ordering::Release);
        removed.map(|missing| missing.waiting).unwrap_or_default()
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
        one.waiting.insert(work.item().clone(), ());
        drop(missing);
        work.park(PARK_TIME);
        None
    }

    /// Sets the informers that lack objects of a slot, by position. Returns the names of those that
    /// did not lack any before.
    pub(super) fn set_lacking(&self, lacking: VecMap<usize, Arc<str>>) -> Vec<Arc<str>> {
        let mut before = self.lacking.lock();
        let new = lacking.iter().filter(|(place, _)| !before.contains_key(place));
        let new = new.map(|(_, name)| name.clone()).collect();
        *before = lacking;
        new
    }

    /// Returns the names of the missing informers, for the status.
    pub(super) fn names(&self) -> Vec<Arc<str>> {
        let missing = self.missing.lock();
        let mut names: Vec<Arc<str>> =
            missing.iter().map(|missing| missing.collection.to_string().into()).collect();
        drop(missing);
        for name in self.lacking.lock().values() {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }
}

/// The keys of objects that no informer knows yet, by namespace.
///
/// They are not in the queue, so an event queues them, and they are looked up again.
#[derive(Debug, Default)]
pub(super) struct UnseenKeys(Mutex<VecMap<Option<String>, HashMap<ObjectKey, Priority>>>);

impl UnseenKeys {
    pub(super) fn add(&self, work: &Work<ObjectKey>) {
        let namespace = work.namespace().map(Into::into);
        let (key, priority) = (work.item().clone(), work.priority());
        self.0.lock().get_or_insert_with(namespace, HashMap::new).insert(key, priority);
    }

    pub(super) fn remove(&self, key: &ObjectKey) {
        let mut unseen = self.0.lock();
        // The map is mostly empty: this saves a copy of the namespace.
        if !unseen.is_empty()
            && let Some(keys) = unseen.get_mut(&key.namespace().map(Into::into))
        {
            keys.remove(key);
        }
    }

    /// Queues the keys that an informer of this collection, or any, may concern, and for which
    /// `queues` returns true. The others wait no more.
    pub(super) async fn queue(
        &self,
        collection: Option<&Collection>,
        queue: &WorkQueue<ObjectKey>,
        queues: &(dyn Fn(&ObjectKey) -> bool + Sync),
    ) {
        let namespace = collection.and_then(|collection| collection.namespace.as_deref());
        let of_namespaces: Vec<_> = match namespace {
            Some(namespace) => self.0.lock().remove(&Some(namespace.into())).into_iter().collect(),
            None => std::mem::take(&mut *self.0.lock()).into_values().collect(),
        };
        let queue = |(key, priority)| {
            if queues(&key) {
                queue.add_with(key, priority);
            }
        };
        YieldBudget::new().pass_on(of_namespaces.into_iter().flatten(), queue).await;
    }
}

/// The waiting keys, with the state of each wait.
#[derive(Debug, Default)]
pub(super) struct WriteWaits(Mutex<Waits>);

#[derive(Debug, Default)]
struct Waits {
    of: HashMap<ObjectKey, Wait>,
    begun: u64,
}

#[derive(Debug)]
enum Wait {
    Running(u64),
    Failed(Unobserved),
}

/// The state of a key's wait.
#[derive(Debug)]
pub(super) enum WaitState {
    /// The wait begins now, under this number. The caller starts the task that watches the cache.
    New(u64),
    /// A task watches the cache already.
    Waiting,
    /// The wait is over, and the cache did not show the writes.
    Failed(Unobserved),
}

impl WriteWaits {
    /// Begins a key's wait, or returns the state of the wait that has begun.
    pub(super) fn begin(&self, key: &ObjectKey) -> WaitState {
        let mut waits = self.0.lock();
        match waits.of.remove(key) {
            Some(Wait::Failed(missing)) => WaitState::Failed(missing),
            Some(running) => {
                waits.of.insert(key.clone(), running);
                WaitState::Waiting
            }
            None => {
                waits.begun += 1;
                let wait = waits.begun;
                waits.of.insert(key.clone(), Wait::Running(wait));
                WaitState::New(wait)
            }
        }
    }

    /// Records the result of a wait. Has no effect if the wait was already ended.
    pub(super) fn finish(&self, key: &ObjectKey, wait: u64, seen: Result<(), Unobserved>) {
        let mut waits = self.0.lock();
        if matches!(waits.of.get(key), Some(Wait::Running(running)) if *running == wait) {
            match seen {
                Ok(()) => drop(waits.of.remove(key)),
                Err(missing) => drop(waits.of.insert(key.clone(), Wait::Failed(missing))),
            }
        }
    }

    /// Ends all waits, whose tasks have ended with a term of leadership. Returns their keys.
    pub(super) fn end_all(&self) -> Vec<ObjectKey> {
        self.0.lock().of.drain().map(|(key, _)| key).collect()
    }

    /// Ends a key's wait, because the cache shows its writes.
    pub(super) fn end(&self, key: &ObjectKey) {
        let mut waits = self.0.lock();
        // The map is mostly empty: this saves hashing the key.
        if !waits.of.is_empty() {
            waits.of.remove(key);
        }
    }
}
