//! Keys that wait before they are reconciled, by what they wait for.
//!
//! Some wait for an informer that had not synced, or had no fresh view, when the controller began,
//! or for one that was added. Others wait until the cache shows their own writes, or until this
//! replica has the objects of their slot.
//!
//! A forbidden namespace does not hold up the others. But a key whose dependents are not known yet
//! must wait: a reconcile would take them for absent.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::own_writes::Unobserved;
use crate::basics::Mutex;
use kube_informer::lister_watcher::Collection;
use kube_informer::object::ObjectKey;
use kube_informer::seams::{VecMap, YieldBudget};
use kube_informer::workqueue::{Priority, Work, WorkQueue};

/// The informers without a view to work with.
#[derive(Debug, Default)]
pub(super) struct MissingInformers {
    /// By the informer's position among those that the controller follows. Two may have the same
    /// name.
    missing: Mutex<VecMap<usize, Collection>>,
    /// The informers that lack objects of a slot, by position. Only that slot's keys wait.
    lacking: Mutex<VecMap<usize, Arc<str>>>,
}

/// Returns whether an informer of this collection may hold objects that belong to a key.
pub(super) fn concerns(collection: &Collection, key: &ObjectKey) -> bool {
    let namespace = collection.namespace.as_deref();
    namespace.is_none() || key.namespace() == namespace
}

impl MissingInformers {
    /// Adds an informer. Returns false if it is on the list already.
    pub(super) fn add(&self, place: usize, collection: &Collection) -> bool {
        self.missing.lock().insert(place, collection.clone()).is_none()
    }

    /// Returns whether an informer is on the list, even if it has synced since.
    pub(super) fn contains(&self, place: usize) -> bool {
        self.missing.lock().contains_key(&place)
    }

    /// Removes an informer from the list. Call this before its keys are woken.
    pub(super) fn remove(&self, place: usize) {
        self.missing.lock().remove(&place);
    }

    /// Returns the position of an informer that a key has to wait for.
    pub(super) fn of(&self, key: &ObjectKey) -> Option<usize> {
        let missing = self.missing.lock();
        missing.iter().find(|(_, collection)| concerns(collection, key)).map(|(place, _)| *place)
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
            missing.values().map(|collection| collection.to_string().into()).collect();
        drop(missing);
        for name in self.lacking.lock().values() {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }
}

/// The thing that a key waits for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Awaited {
    /// The informer at this position, which has no view to work with.
    Informer(usize),
    /// The cache, which does not show the key's own writes.
    OwnWrites,
    /// The objects of this slot, which an informer lacks.
    Slot(usize),
    /// The object, whose place on the ring is not known before it arrives.
    Arrival,
    /// An informer of this namespace that is to tell whether the object exists. Wakes of `None` are
    /// for keys of all namespaces.
    Sight(Option<Arc<str>>),
}

impl Awaited {
    pub(super) fn sight(namespace: Option<&str>) -> Self {
        Self::Sight(namespace.map(Arc::from))
    }

    /// Returns whether the queue keeps a key that waits for this, and changes do not wake it. Any
    /// other key leaves the queue, so that its next event queues it, and it is looked at again.
    pub(super) fn parks(&self) -> bool {
        matches!(self, Self::Informer(_) | Self::OwnWrites)
    }

    fn includes(&self, other: &Self) -> bool {
        self == other || matches!((self, other), (Self::Sight(None), Self::Sight(_)))
    }
}

/// The keys that wait, each for one thing.
#[derive(Debug, Default)]
pub(super) struct WaitingKeys(Mutex<Waits>);

#[derive(Debug, Default)]
struct Waits {
    of: HashMap<ObjectKey, Wait>,
    /// By what they wait for, and in the order in which they began to.
    by: BTreeMap<(Awaited, u64), ObjectKey>,
    begun: u64,
}

#[derive(Debug)]
struct Wait {
    awaited: Awaited,
    number: u64,
    priority: Priority,
    /// The result of a wait for own writes that the cache did not show.
    failed: Option<Unobserved>,
}

impl Waits {
    fn remove(&mut self, key: &ObjectKey) -> Option<Wait> {
        // The map is mostly empty: this saves hashing the key.
        if self.of.is_empty() {
            return None;
        }
        let wait = self.of.remove(key)?;
        self.by.remove(&(wait.awaited.clone(), wait.number));
        Some(wait)
    }
}

impl WaitingKeys {
    /// Notes what a key waits for. Returns the number of the wait, or `None` if the key waits for
    /// that already. What it waits for may have come before: look again then. O(log n).
    pub(super) fn begin(&self, work: &Work<ObjectKey>, awaited: &Awaited) -> Option<u64> {
        let (key, waits) = (work.item(), &mut *self.0.lock());
        if waits.of.get(key).is_some_and(|wait| wait.awaited == *awaited) {
            return None;
        }
        waits.remove(key);
        waits.begun += 1;
        let (awaited, number) = (awaited.clone(), waits.begun);
        waits.by.insert((awaited.clone(), number), key.clone());
        let wait = Wait { awaited, number, priority: work.priority(), failed: None };
        waits.of.insert(key.clone(), wait);
        Some(number)
    }

    /// Ends a key's wait. O(log n).
    pub(super) fn end(&self, key: &ObjectKey) {
        self.0.lock().remove(key);
    }

    /// Ends a wait for own writes with its result. Has no effect if another wait has begun.
    pub(super) fn finish(&self, key: &ObjectKey, number: u64, seen: Result<(), Unobserved>) {
        let mut waits = self.0.lock();
        let wait = waits.of.get_mut(key).filter(|wait| wait.number == number);
        match (wait, seen) {
            (Some(wait), Err(missing)) => wait.failed = Some(missing),
            (Some(_), Ok(())) => drop(waits.remove(key)),
            (None, _) => {}
        }
    }

    /// Ends a wait that the cache did not show the writes of. `None` if there is no such wait.
    pub(super) fn take_failure(&self, key: &ObjectKey) -> Option<Unobserved> {
        let mut waits = self.0.lock();
        let failed = waits.of.get_mut(key)?.failed.take()?;
        waits.remove(key);
        Some(failed)
    }

    /// Wakes the keys that wait for this. Cancel safe: the rest waits on.
    pub(super) async fn wake(&self, awaited: Awaited, queue: &WorkQueue<ObjectKey>) {
        self.wake_if(&awaited, queue, &|_| true).await;
    }

    /// Wakes the keys that wait for this, and for which `wakes` returns true. The others wait no
    /// more.
    pub(super) async fn wake_if(
        &self,
        awaited: &Awaited,
        queue: &WorkQueue<ObjectKey>,
        wakes: &(dyn Fn(&ObjectKey) -> bool + Sync),
    ) {
        let (mut from, mut budget) = ((awaited.clone(), 0), YieldBudget::new());
        let last = self.0.lock().begun;
        while let Some((key, priority)) = self.take_next(awaited, &mut from, last) {
            if wakes(&key) {
                if awaited.parks() {
                    queue.unpark(&key);
                } else {
                    queue.add_with(key, priority);
                }
            }
            budget.spend(1).await;
        }
    }

    /// Takes the next key that waits for this, of those whose wait has at most the last number.
    fn take_next(
        &self,
        awaited: &Awaited,
        from: &mut (Awaited, u64),
        last: u64,
    ) -> Option<(ObjectKey, Priority)> {
        let mut waits = self.0.lock();
        loop {
            let (next, key) = waits.by.range(from.clone()..).next()?;
            if !awaited.includes(&next.0) {
                return None;
            }
            *from = next.clone();
            if next.1 <= last {
                let key = key.clone();
                let wait = waits.remove(&key)?;
                return Some((key, wait.priority));
            }
            // The rest of them has waited since.
            from.1 = u64::MAX;
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    /// Takes a key from the queue and lets it wait.
    fn wait(waiting: &WaitingKeys, queue: &WorkQueue<ObjectKey>, key: &ObjectKey, for_: &Awaited) {
        queue.add(key.clone());
        let work = queue.try_get().unwrap();
        waiting.begin(&work, for_);
        if for_.parks() {
            work.park(std::time::Duration::MAX);
        }
    }

    fn keys(queue: &WorkQueue<ObjectKey>) -> Vec<String> {
        std::iter::from_fn(|| queue.try_get()).map(|work| work.item().to_string()).collect()
    }

    fn key(namespace: &str, number: usize) -> ObjectKey {
        ObjectKey::namespaced(namespace, &format!("web-{number}")).unwrap()
    }

    #[tokio::test]
    async fn wake_looks_at_no_other_key() {
        let (waiting, queue) = (WaitingKeys::default(), WorkQueue::new());
        for number in 0..100_000 {
            wait(&waiting, &queue, &key("shop", number), &Awaited::Informer(number % 2));
        }
        wait(&waiting, &queue, &key("bank", 0), &Awaited::Slot(1));
        // A long loop would yield.
        waiting.wake(Awaited::Slot(1), &queue).now_or_never().unwrap();
        assert_eq!(keys(&queue), ["bank/web-0"]);
        waiting.end(&key("shop", 1));
        waiting.wake(Awaited::Informer(1), &queue).await;
        assert_eq!((queue.len(), queue.status().parked), (49_999, 50_001));
    }

    #[tokio::test]
    async fn sights_of_all_namespaces_wake_once() {
        let (waiting, queue) = (WaitingKeys::default(), WorkQueue::new());
        for (number, namespace) in ["bank", "shop", "bank", "zoo"].into_iter().enumerate() {
            let awaited = Awaited::sight(Some(namespace));
            wait(&waiting, &queue, &key(namespace, number), &awaited);
        }
        let wakes = |key: &ObjectKey| key.namespace() != Some("zoo");
        waiting.wake_if(&Awaited::sight(None), &queue, &wakes).await;
        assert_eq!(keys(&queue), ["bank/web-0", "bank/web-2", "shop/web-1"]);
        waiting.wake(Awaited::sight(None), &queue).await;
        assert!(keys(&queue).is_empty(), "the others wait no more");
    }

    #[test]
    fn result_of_an_older_wait_has_no_effect() {
        let (waiting, queue) = (WaitingKeys::default(), WorkQueue::new());
        let missing = || Err(Unobserved::Panicked("no answer".into()));
        queue.add(key("shop", 0));
        let work = queue.try_get().unwrap();
        let first = waiting.begin(&work, &Awaited::OwnWrites).unwrap();
        assert!(waiting.begin(&work, &Awaited::OwnWrites).is_none());
        waiting.end(&work);
        let second = waiting.begin(&work, &Awaited::OwnWrites).unwrap();
        waiting.finish(&work, first, missing());
        assert!(waiting.take_failure(&work).is_none());
        waiting.finish(&work, second, missing());
        assert!(waiting.take_failure(&work).is_some() && waiting.take_failure(&work).is_none());
    }
}
