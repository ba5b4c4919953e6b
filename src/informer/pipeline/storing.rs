//! One batch's way into the store and to the handlers.
//!
//! A first list is one batch, however long. It is applied in turns, so that the runtime's other tasks
//! go on, to a draft of the store's next state, so that nothing waits and no reader sees half of it;
//! then it is told in turns to those who were there when it was stored. No lock is held across an
//! await, and what is freed afterwards is freed in turns, here: another thread may never come to it.

use std::sync::atomic::Ordering;

use kube::Resource;

use super::Pipeline;
use crate::delta_fifo::Batch;
use crate::indexer::{IndexFault, Published, Transaction, WriterLock};
use crate::object::{Cached, CachedEvent, Delta, ObjectKey};
use crate::processor::{Listeners, Notification, Recipients};
use crate::yield_budget::{TURN, UNPACKING, YieldBudget, give_way};

/// How often a batch is applied off to the side before others are kept out.
const ATTEMPTS: usize = 3;

/// A batch that is in the store.
struct Stored<K> {
    /// To be told, by turns.
    applied: Vec<Applied<K>>,
    /// Those who are told.
    listeners: Listeners<K>,
    published: Published<K>,
}

/// A published transaction, and the listeners that are told of it.
type Committed<K> = (Published<K>, Listeners<K>);

/// A batch on its way into the store, and what decides who hears of it.
#[derive(Clone, Copy)]
struct Application<'b, K> {
    batch: &'b Batch<K>,
    /// It belongs to the first population.
    initial: bool,
    /// A handler wants to hear of what did not change.
    resyncing: bool,
}

/// The outcome of some deltas.
struct Applied<K> {
    /// What the handlers are to hear.
    notifications: Vec<Notification<K>>,
    /// States that left the store and that no handler hears of. They are kept until the store's
    /// state before is freed, so that no object goes with that.
    unheard: Vec<Cached<K>>,
}

impl<K: Resource + Send + Sync + 'static> Pipeline<K> {
    /// Stores a batch, tells the handlers of it and takes it off the queue; gives the calls of index
    /// functions that panicked.
    pub(super) async fn store(&self, batch: Batch<K>) -> Vec<IndexFault> {
        let initial = !self.populated.load(Ordering::Relaxed);
        let resyncing = self.processor.min_resync().is_some();
        let application = Application { batch: &batch, initial, resyncing };
        let Stored { applied, listeners, published } = self.apply_batch(&application).await;
        let Published { faults, before } = published;
        for Applied { notifications, .. } in &applied {
            listeners.distribute(notifications);
            if listeners.has_taps() {
                // A tap without room must not hold up a stop.
                let tapping = listeners.tap(notifications, &self.held_up_by);
                self.stop.run_until_cancelled(tapping).await;
            }
            if applied.len() > 1 {
                give_way().await;
            }
        }
        if initial && (batch.initial || self.fifo.has_synced()) {
            // Who was added meanwhile was told what is stored, and that is all of it.
            let round = self.processor.enter();
            round.end_initial();
            self.populated.store(true, Ordering::Relaxed);
        }
        self.fifo.done_in_turns(&batch).await;
        before.free().await;
        self.free(applied).await;
        let mut budget = YieldBudget::new();
        for (_, delta) in batch.deltas {
            budget.spend(1).await;
            self.drops.free(delta);
        }
        faults
    }

    /// Frees in turns, and one by one: an object's `Drop` is user code.
    async fn free(&self, applied: Vec<Applied<K>>) {
        let mut budget = YieldBudget::new();
        for Applied { notifications, unheard } in applied {
            for notification in notifications {
                budget.spend(1).await;
                self.drops.free_event(notification.event);
            }
            for object in unheard {
                budget.spend(1).await;
                self.drops.free(object);
            }
        }
    }

    /// How many objects are stored in one turn. Index functions are shown those of which no values were
    /// noted, and what is packed is unpacked for that, which takes ten times as long as filing it.
    fn turn(&self) -> usize {
        if self.keeper.is_some() { TURN / UNPACKING } else { TURN }
    }

    /// Makes the store's next state in turns and publishes it. It takes in an index that was added
    /// meanwhile. Where a user wrote to the store, it is made again; the last time with everybody
    /// else kept out.
    async fn apply_batch(&self, application: &Application<'_, K>) -> Stored<K> {
        for _ in 0..ATTEMPTS {
            let mut draft = self.indexer.draft();
            let mut applied = Vec::new();
            for deltas in application.batch.deltas.chunks(self.turn()) {
                if !applied.is_empty() {
                    give_way().await;
                }
                applied.push(application.apply(&mut draft, deltas));
            }
            application.stamp(&mut draft);
            loop {
                let outdated = match self.publish(draft) {
                    Ok((published, listeners)) => return Stored { applied, listeners, published },
                    Err(outdated) => outdated,
                };
                match outdated.adopt_indexes().await {
                    Some(adopted) => draft = adopted,
                    None => break,
                }
            }
            self.free(applied).await;
        }
        let mut write = self.indexer.transaction();
        let applied = application.apply(&mut write, &application.batch.deltas);
        application.stamp(&mut write);
        match self.publish(write) {
            Ok((published, listeners)) => Stored { applied: vec![applied], listeners, published },
            Err(_) => unreachable!("nothing else writes while the store is locked"),
        }
    }

    /// A handler that is added meanwhile sees the store before the batch, and is told of it, or after
    /// it, and is not.
    fn publish<'a, L: WriterLock>(
        &self,
        write: Transaction<'a, K, L>,
    ) -> Result<Committed<K>, Box<Transaction<'a, K, L>>> {
        let round = self.processor.enter();
        let published = write.publish()?;
        Ok((published, round.listeners()))
    }
}

impl<K: Resource + Send + Sync + 'static> Application<'_, K> {
    /// Does to the store what deltas say.
    fn apply<L>(
        &self,
        write: &mut Transaction<'_, K, L>,
        deltas: &[(ObjectKey, Delta<K>)],
    ) -> Applied<K> {
        let (mut notifications, mut unheard) = (Vec::new(), Vec::new());
        for (key, delta) in deltas {
            let (event, recipients) = match delta {
                Delta::Unreadable => {
                    write.mark_stale(key);
                    continue;
                }
                Delta::Forgotten => {
                    write.forget_unreadable(key);
                    continue;
                }
                Delta::Deleted { object, final_state_known } => {
                    let Some(stored) = write.remove(key) else { continue };
                    unheard.push(stored);
                    let (object, final_state_known) = (object.clone(), *final_state_known);
                    (CachedEvent::Deleted { object, final_state_known }, Recipients::Everyone)
                }
                Delta::Added(object) | Delta::Updated(object) | Delta::Replaced(object) => {
                    self.put(write, key, object)
                }
                // Nothing happened: it is told again as it is stored, and stays stale if it was.
                Delta::Sync(_) => match write.get(key) {
                    Some(stored) => {
                        let (old, new) = (stored.clone(), stored.clone());
                        (CachedEvent::Updated { old, new }, Recipients::Due)
                    }
                    None => continue,
                },
            };
            if recipients == Recipients::Everyone || self.resyncing {
                notifications.push(Notification { key: key.clone(), event, recipients });
            } else if let CachedEvent::Updated { old, .. } = event {
                unheard.push(old);
            }
        }
        Applied { notifications, unheard }
    }

    /// Stores an object; returns the event, and who is to hear of it.
    fn put<L>(
        &self,
        write: &mut Transaction<'_, K, L>,
        key: &ObjectKey,
        object: &Cached<K>,
    ) -> (CachedEvent<K>, Recipients) {
        // After a loss of history equal versions are no sign that nothing changed.
        let unchanged =
            if self.batch.restored { Recipients::Everyone } else { Recipients::Resyncing };
        let stored = write.get(key);
        let same = stored.is_some_and(|stored| stored.ptr_eq(object));
        if same && !write.is_stale(key) {
            // Nothing to write: a relist of what is known costs no copy of the store's nodes.
            return (CachedEvent::Updated { old: object.clone(), new: object.clone() }, unchanged);
        }
        match write.put(key, object) {
            None => {
                let (object, initial) = (object.clone(), self.initial);
                (CachedEvent::Added { object, initial }, Recipients::Everyone)
            }
            Some(old) => {
                let no_news = old.version() == object.version();
                let recipients = if no_news { unchanged } else { Recipients::Everyone };
                (CachedEvent::Updated { old, new: object.clone() }, recipients)
            }
        }
    }

    /// Gives the store the batch's version.
    fn stamp<L>(&self, write: &mut Transaction<'_, K, L>) {
        let Batch { version, restored, list, complete, .. } = self.batch;
        if *restored {
            write.begin_epoch();
        }
        if *list {
            write.set_complete(*complete);
        }
        if let Some(version) = version {
            let goes_back = write.version().is_some_and(|known| version.is_older_than(known));
            if !goes_back || *restored {
                write.set_version(version.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Arc;

    use futures::FutureExt;
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;
    use crate::delta_fifo::DeltaFifo;
    use crate::indexer::Indexer;
    use crate::object::{Change, Replacement};

    #[test]
    fn only_a_restored_backup_takes_the_version_back() {
        let store = Indexer::<ConfigMap>::new();
        let fifo = DeltaFifo::new(Arc::new(store.clone()));
        let mut draft = store.draft();
        let list = |version: u64, restored| {
            let (items, unreadable) = (Vec::new(), HashSet::new());
            let version = version.into();
            Change::Replace(Replacement { items, unreadable, complete: true, version, restored })
        };
        for (change, version) in [
            (Change::Bookmark(7.into()), 7),
            (Change::Bookmark(5.into()), 7),
            (list(6, false), 7),
            (list(3, true), 3),
        ] {
            fifo.push(change);
            let batch = fifo.pop().now_or_never().flatten().expect("something was pushed");
            Application { batch: &batch, initial: false, resyncing: false }.stamp(&mut draft);
            assert_eq!(draft.version(), Some(&version.into()));
        }
    }
}
