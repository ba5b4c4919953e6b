//! The deletes that consumers have yet to act on.

use std::fmt;
use std::sync::Arc;

use super::kept::{Kept, is_inside};
use crate::object::{Cached, KeyMap, ObjectKey, ShardSelector};
use crate::panic::drop_safely;
use crate::sync::Mutex;
use crate::time::ReadBarrier;

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
/// delete. When the value is dropped, the informer keeps its deletes until another one takes them
/// over.
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
}

struct Consumer {
    /// `None` if it was dropped.
    number: Option<u64>,
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
    /// Adds a consumer that has yet to act on the deletes that taps begin with. It takes over those
    /// of consumers that were dropped.
    pub(crate) fn pending_deletes(&self, is_stored: impl Fn(&ObjectKey) -> bool) -> PendingDeletes {
        // Before the lock: an object's `Drop` is user code.
        self.forget_gone();
        let mut consumers = self.consumers.lock();
        let mut deletes = KeyMap::default();
        for (key, object) in self.recently_gone() {
            if !is_stored(&key) {
                deletes.insert(key, PendingDelete::of(&object));
            }
        }
        for dropped in consumers.all.extract_if(.., |consumer| consumer.number.is_none()) {
            dropped.deletes.into_entries().for_each(|(key, delete)| deletes.insert(key, delete));
        }
        consumers.count += 1;
        let number = consumers.count;
        consumers.all.push(Consumer { number: Some(number), deletes });
        drop(consumers);
        PendingDeletes { consumers: self.consumers.clone(), number }
    }

    /// Notes the delete of an object for each consumer. Call this before the store shows it.
    pub(crate) fn note_deleted(&self, key: &ObjectKey, object: &Cached) {
        let mut consumers = self.consumers.lock();
        let present = consumers.all.iter_mut().filter(|consumer| consumer.number.is_some());
        let replaced: Vec<_> = present
            .map(|consumer| {
                let replaced = consumer.deletes.remove(key);
                consumer.deletes.add(key.clone(), PendingDelete::of(object));
                replaced
            })
            .collect();
        drop(consumers);
        // An object's `Drop` is user code.
        drop_safely(replaced);
    }

    /// Forgets a delete, because the object exists again.
    pub(crate) fn note_stored(&self, key: &ObjectKey) {
        forget(&self.consumers, &|consumer| consumer.deletes.remove(key).into_iter().collect());
    }

    /// Forgets the deletes outside of a shard, because another replica has them. An empty shard was
    /// given back before the end.
    pub(crate) fn note_shard(&self, shard: &ShardSelector) {
        if shard.is_empty() {
            return;
        }
        forget(&self.consumers, &|consumer| {
            let outside = consumer
                .deletes
                .iter()
                .filter(|(key, delete)| !is_inside(Some(shard), key, &delete.object));
            let outside: Vec<_> = outside.map(|(key, _)| key.clone()).collect();
            outside.iter().filter_map(|key| consumer.deletes.remove(key)).collect()
        });
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

/// Removes deletes of consumers that have some.
fn forget(consumers: &Mutex<Consumers>, choose: &dyn Fn(&mut Consumer) -> Vec<PendingDelete>) {
    let mut consumers = consumers.lock();
    let pending = consumers.all.iter_mut().filter(|consumer| consumer.deletes.len() > 0);
    let forgotten: Vec<_> = pending.map(choose).collect();
    drop(consumers);
    // An object's `Drop` is user code.
    drop_safely(forgotten);
}

impl PendingDeletes {
    /// Ends the delete of this key, if it was noted before `seen`. Create that barrier before you
    /// look the object up and act on its delete. So a delete that comes meanwhile stays pending.
    pub fn finish(&self, key: &ObjectKey, seen: ReadBarrier) {
        let mut consumers = self.consumers.lock();
        let own = consumers.all.iter_mut().find(|one| one.number == Some(self.number));
        let finished = own.and_then(|own| {
            own.deletes.get(key).filter(|delete| delete.noted < seen)?;
            own.deletes.remove(key)
        });
        drop(consumers);
        drop_safely(finished);
    }

    /// Ends all deletes, because another process acts on them.
    pub fn finish_all(&self) {
        forget(&self.consumers, &|consumer| {
            let own = consumer.number == Some(self.number);
            let ended = if own { std::mem::take(&mut consumer.deletes) } else { KeyMap::default() };
            ended.into_entries().map(|(_, delete)| delete).collect()
        });
    }
}

impl Drop for PendingDeletes {
    fn drop(&mut self) {
        let mut consumers = self.consumers.lock();
        consumers.all.retain_mut(|consumer| {
            if consumer.number == Some(self.number) {
                consumer.number = None;
            }
            consumer.number.is_some() || consumer.deletes.len() > 0
        });
    }
}

impl fmt::Debug for PendingDeletes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingDeletes").finish_non_exhaustive()
    }
}
