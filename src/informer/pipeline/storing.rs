//! One batch's way into the store and to the handlers.
//!
//! A first list is one batch, however long. It is applied in turns, so that the runtime's other tasks
//! go on, to a draft of the store's next state, so that nobody waits and nobody sees half of it; then
//! it is told in turns to those who were there when it was stored. No lock is held across an await,
//! and what is freed afterwards is freed in turns, here: another thread may never come to it.

use std::sync::atomic::Ordering;

use kube::Resource;

use super::Pipeline;
use crate::delta_fifo::Batch;
use crate::indexer::{Draft, IndexFault, Published};
use crate::informer::processing::{self, Applied};
use crate::processor::Listeners;
use crate::turns::{TURN, Turns, give_way};

/// How often a batch is applied off to the side before others are kept out.
const ATTEMPTS: usize = 3;

/// A batch that is in the store.
struct Stored<K> {
    /// What is to be told, by turns.
    applied: Vec<Applied<K>>,
    listeners: Listeners<K>,
    published: Published<K>,
}

/// A draft that was published, and who is told of it.
type Committed<K> = (Published<K>, Listeners<K>);

impl<K: Resource + Send + Sync + 'static> Pipeline<K> {
    /// Stores a batch, tells the handlers of it and takes it off the queue; gives the calls of index
    /// functions that panicked.
    pub(super) async fn store(&self, batch: Batch<K>) -> Vec<IndexFault> {
        let initial = !self.populated.load(Ordering::Relaxed);
        let Stored { applied, listeners, published } = self.publish(&batch, initial).await;
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
        let mut turns = Turns::new();
        for (_, delta) in batch.deltas {
            turns.spend(1).await;
            self.drops.free(delta);
        }
        faults
    }

    /// Frees in turns, and one by one: an object's `Drop` is user code.
    async fn free(&self, applied: Vec<Applied<K>>) {
        let mut turns = Turns::new();
        for Applied { notifications, unheard } in applied {
            for notification in notifications {
                turns.spend(1).await;
                self.drops.free_event(notification.event);
            }
            for object in unheard {
                turns.spend(1).await;
                self.drops.free(object);
            }
        }
    }

    /// How many objects are stored in one turn. Index functions are shown those of which no values were
    /// noted, and what is packed is unpacked for that, which takes ten times as long as filing it.
    fn turn(&self) -> usize {
        if self.keeper.is_some() { TURN / 8 } else { TURN }
    }

    /// Makes the store's next state in turns and publishes it. It takes in an index that was added
    /// meanwhile. Where a user wrote to the store, it is made again; the last time with everybody
    /// else kept out.
    async fn publish(&self, batch: &Batch<K>, initial: bool) -> Stored<K> {
        let resyncing = self.processor.min_resync().is_some();
        for _ in 0..ATTEMPTS {
            let mut draft = self.indexer.draft();
            let mut applied = Vec::new();
            for deltas in batch.deltas.chunks(self.turn()) {
                if !applied.is_empty() {
                    give_way().await;
                }
                let some =
                    processing::apply(&mut draft, deltas, initial, batch.restored, resyncing);
                applied.push(some);
            }
            processing::stamp(&mut draft, batch);
            loop {
                let outdated = match self.commit(draft) {
                    Ok((published, listeners)) => return Stored { applied, listeners, published },
                    Err(outdated) => outdated,
                };
                match outdated.adopt_indexes().await {
                    Ok(adopted) => draft = adopted,
                    Err(outdated) => {
                        outdated.free().await;
                        break;
                    }
                }
            }
            self.free(applied).await;
        }
        let mut write = self.indexer.transaction();
        let Batch { deltas, restored, .. } = batch;
        let applied = processing::apply(write.draft(), deltas, initial, *restored, resyncing);
        processing::stamp(write.draft(), batch);
        let round = self.processor.enter();
        let published = write.publish();
        Stored { applied: vec![applied], listeners: round.listeners(), published }
    }

    /// A handler that is added meanwhile sees the store before the batch, and is told of it, or after
    /// it, and is not.
    fn commit(&self, draft: Draft<K>) -> Result<Committed<K>, Box<Draft<K>>> {
        let round = self.processor.enter();
        let published = draft.publish()?;
        Ok((published, round.listeners()))
    }
}
