//! The deletes that consumers have yet to act on.

use std::fmt;
use std::sync::Arc;

use tokio::time::Instant;

use super::kept::{GONE, Kept, is_inside};
use crate::indexer::Snapshot;
use crate::object::{Cached, KeyMap, ObjectKey, ShardSelector};
use crate::panic::drop_safely;
use crate::sync::Mutex;
use crate::time::{ReadBarrier, after};

/// The deletes of an informer that one consumer has yet to act on.
/// [`SharedInformer::pending_deletes`](crate::SharedInformer::pending_deletes) gives one.
///
/// A kept cache has no object whose delete was reported. A consumer that ends before it has acted
/// on the delete would never learn of it again. So while this value exists, each deleted object
/// stays in the kept cache until the consumer [finishes](Self::finish) its delete. If the program
/// ends before, the next run gives the delete to its [taps](crate::SharedInformer::tap), unless the
/// object exists again. Its handlers do not receive it again.
///
/// A consumer that creates this value before its tap misses no delete. It must finish every
/// delete. When the value is dropped, the informer keeps its deletes, and those of the next ten
/// minutes, for a consumer of the same name. So a consumer may end before its informer does.
#[must_use = "deletes are pending only while this exists"]
pub struct PendingDeletes {
    consumers: Arc<Mutex<Consumers>>,
    number: u64,
}

/// The consumers of an informer, with their deletes.
#[derive(Default)]
pub(super) struct Consumers {
    all: Vec<Consumer>,
    /// The number of consumers so far.
    count: u64,
    /// The deletes that were noted, and that the store does not show yet.
    unpublished: KeyMap<PendingDelete>,
}

struct Consumer {
    number: u64,
    name: Arc<str>,
    /// The time until which deletes are noted for its successor. `None` before it was dropped.
    left_until: Option<Instant>,
    deletes: KeyMap<PendingDelete>,
}

/// The last state of a deleted object, and the moment at which its delete was noted.
#[derive(Clone)]
pub(super) struct PendingDelete {
    pub(super) object: Cached,
    pub(super) noted: ReadBarrier,
}

impl PendingDelete {
    fn of(object: &Cached) -> Self {
        Self { object: object.clone(), noted: ReadBarrier::now() }
    }
}

impl Kept {
    /// Adds a consumer that has yet to act on the deletes that taps begin with, as other consumers
    /// may have. It takes the place of those of its name that were dropped.
    pub(crate) fn pending_deletes(
        &self,
        name: Arc<str>,
        stored: impl FnOnce() -> Snapshot,
    ) -> PendingDeletes {
        // Before the lock: an object's `Drop` is user code.
        self.forget_gone();
        let now = Instant::now();
        let mut consumers = self.consumers.lock();
        // Under the lock: a delete that this state does not show yet is still unpublished.
        let stored = stored();
        let mut deletes = KeyMap::default();
        for (key, object) in self.recently_gone() {
            if stored.get_cached(&key).is_none() {
                deletes.insert(key, PendingDelete::of(&object));
            }
        }
        let is_left = |consumer: &mut Consumer| {
            let is_over = |until| until <= now && consumer.deletes.len() == 0;
            consumer.left_until.is_some_and(|until| consumer.name == name || is_over(until))
        };
        let left: Vec<_> = consumers.all.extract_if(.., is_left).collect();
        let others = left.iter().chain(&consumers.all).map(|other| &other.deletes);
        for (key, delete) in others.chain([&consumers.unpublished]).flat_map(KeyMap::iter) {
            deletes.insert(key.clone(), delete.clone());
        }
        consumers.count += 1;
        let number = consumers.count;
        consumers.all.push(Consumer { number, name, left_until: None, deletes });
        drop(consumers);
        drop_safely((left, stored));
        PendingDeletes { consumers: self.consumers.clone(), number }
    }

    /// Notes the delete of an object for each consumer, and for those that come before the store
    /// shows it.
    pub(super) fn note_pending(&self, key: &ObjectKey, object: &Cached) {
        let now = Instant::now();
        let mut consumers = self.consumers.lock();
        let Consumers { all, unpublished, .. } = &mut *consumers;
        let noting = |consumer: &&mut Consumer| consumer.left_until.is_none_or(|until| now < until);
        let noting = all.iter_mut().filter(noting).map(|consumer| &mut consumer.deletes);
        let replaced: Vec<_> = noting
            .chain([unpublished])
            .map(|deletes| {
                let replaced = deletes.remove(key);
                deletes.add(key.clone(), PendingDelete::of(object));
                replaced
            })
            .collect();
        drop(consumers);
        // An object's `Drop` is user code.
        drop_safely(replaced);
    }

    /// Notes that the store shows the deletes that were noted. Call this while no tap can be added.
    pub(crate) fn note_published(&self) {
        let published = std::mem::take(&mut self.consumers.lock().unpublished);
        drop_safely(published);
    }

    /// Returns whether the delete of an object was noted, and the store does not show it yet. Taps
    /// receive it later.
    pub(super) fn is_unpublished(&self, key: &ObjectKey) -> bool {
        self.consumers.lock().unpublished.contains(key)
    }

    /// Forgets a delete, because the object exists again.
    pub(crate) fn note_stored(&self, key: &ObjectKey) {
        let mut consumers = self.consumers.lock();
        let pending = consumers.all.iter_mut().filter(|consumer| consumer.deletes.len() > 0);
        let forgotten: Vec<_> = pending.map(|consumer| consumer.deletes.remove(key)).collect();
        drop(consumers);
        // An object's `Drop` is user code.
        drop_safely(forgotten);
    }

    /// Forgets the deletes outside of a shard, because another replica has them. An empty shard was
    /// given back before the end.
    pub(crate) fn note_shard(&self, shard: &ShardSelector) {
        if shard.is_empty() {
            return;
        }
        self.narrow_gone(shard);
        let mut consumers = self.consumers.lock();
        let Consumers { all, unpublished, .. } = &mut *consumers;
        let all = all.iter_mut().map(|consumer| &mut consumer.deletes).chain([unpublished]);
        let forgotten: Vec<_> = all.flat_map(|deletes| take_outside(deletes, shard)).collect();
        drop(consumers);
        drop_safely(forgotten);
    }

    /// Returns the deletes that some consumer has yet to act on.
    pub(super) fn pending(&self) -> KeyMap<PendingDelete> {
        let mut pending = KeyMap::default();
        for consumer in &self.consumers.lock().all {
            for (key, delete) in consumer.deletes.iter() {
                pending.insert(key.clone(), delete.clone());
            }
        }
        pending
    }
}

/// Removes the deletes outside of a shard.
fn take_outside(deletes: &mut KeyMap<PendingDelete>, shard: &ShardSelector) -> Vec<PendingDelete> {
    let is_outside =
        |(key, delete): &&(ObjectKey, PendingDelete)| !is_inside(Some(shard), key, &delete.object);
    let outside: Vec<_> = deletes.iter().filter(is_outside).map(|(key, _)| key.clone()).collect();
    outside.iter().filter_map(|key| deletes.remove(key)).collect()
}

impl PendingDeletes {
    /// Ends the delete of this key, if it was noted before `seen`. Create that barrier before you
    /// look the object up and act on its delete. So a delete that comes meanwhile stays pending.
    pub fn finish(&self, key: &ObjectKey, seen: ReadBarrier) {
        let mut consumers = self.consumers.lock();
        let own = consumers.all.iter_mut().find(|one| one.number == self.number);
        let finished = own.and_then(|own| {
            own.deletes.get(key).filter(|delete| delete.noted < seen)?;
            own.deletes.remove(key)
        });
        drop(consumers);
        drop_safely(finished);
    }

    /// Ends all deletes, also those to come, because another process acts on them.
    pub fn finish_all(&self) {
        let mut consumers = self.consumers.lock();
        let own = consumers.all.extract_if(.., |one| one.number == self.number);
        let ended: Vec<_> = own.map(|own| own.deletes).collect();
        drop(consumers);
        drop_safely(ended);
    }
}

impl Drop for PendingDeletes {
    fn drop(&mut self) {
        let mut consumers = self.consumers.lock();
        if let Some(own) = consumers.all.iter_mut().find(|one| one.number == self.number) {
            own.left_until = Some(after(Instant::now(), GONE));
        }
    }
}

impl fmt::Debug for PendingDeletes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingDeletes").finish_non_exhaustive()
    }
}
