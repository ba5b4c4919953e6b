//! Items that are due later: delayed adds, retries, and parked items.
//!
//! Each item has at most one delay. A delay holds the item back if it is a backoff that holds, or
//! if the item is parked. Adds then raise the item's priority. They also end a backoff, but not
//! before it has held for its time.

use super::{Arrival, Core, Delay, Hold, Item, ItemState, Meanwhile};
use crate::panic;
use crate::workqueue::Priority;

/// The number of items that one step makes ready at most.
const MOST_PROMOTED: usize = 64;

impl<T> Item<T> {
    /// Sets a flag if the item is processed.
    fn note(&mut self, flag: Meanwhile) {
        if let ItemState::Processed { meanwhile, .. } = &mut self.state {
            meanwhile.set(flag);
        }
    }

    fn has(&self, flag: Meanwhile) -> bool {
        matches!(self.state, ItemState::Processed { meanwhile, .. } if meanwhile.has(flag))
    }
}

impl<T: Eq + Clone> Core<T> {
    /// Adds an item when it is `due`. Returns whether it is now the first one due. O(log n).
    ///
    /// # Errors
    /// The message of `Eq`, if it panicked; nothing was added then.
    pub(in crate::workqueue) fn add_later(
        &mut self,
        arrival: &mut Arrival<T>,
        priority: Priority,
        delay: (u64, Hold),
        now: u64,
    ) -> Result<bool, String> {
        self.promote(now);
        let cell = self.cells.find_or_keep(arrival)?;
        Ok(cell.is_some_and(|cell| self.delay(cell, priority, delay, false, now)))
    }

    /// Requeues an item that is being processed: it is added when `due`, or when done if `due` is
    /// past. Returns whether it is now the first one due.
    pub(in crate::workqueue) fn requeue(
        &mut self,
        cell: u32,
        priority: Priority,
        due: u64,
        now: u64,
    ) -> bool {
        self.promote(now);
        if due <= now {
            return self.make_ready(cell, priority, now, now);
        }
        self.delay(cell, priority, (due, Hold::None), true, now)
    }

    /// Retries an item that is being processed, after its backoff. Returns whether it is now the
    /// first one due.
    pub(in crate::workqueue) fn retry(
        &mut self,
        cell: u32,
        priority: Priority,
        due: u64,
        now: u64,
    ) -> bool {
        self.promote(now);
        let Some(item) = self.cells.get_mut(cell) else { return false };
        let renewed = item.has(Meanwhile::RENEWED);
        if due <= now || renewed || self.rules.backoff_holds == 0 {
            return self.requeue(cell, priority, due, now);
        }
        // The try that failed just now sets the delay and ends an earlier backoff.
        let known = self.undelay(cell);
        let own = known.is_none_or(|(delay, _)| delay.own);
        // A delayed add ends this backoff, as one without a delay does.
        let added = known.filter(|(delay, _)| !delay.own && delay.hold == Hold::None);
        let added = added.map_or(u64::MAX, |(delay, _)| delay.due);
        let due = due.min(added.max(now.saturating_add(self.rules.backoff_holds)));
        let priority = known.map_or(priority, |(_, known)| known.max(priority));
        self.delay(cell, priority, (due, Hold::Backoff), own, now)
    }

    /// Parks an item that is being processed, until it is unparked or `due`. Returns whether it is
    /// now the first one due. An item that was unparked meanwhile is ready again when it is done.
    /// An item in backoff stays so.
    pub(in crate::workqueue) fn park(
        &mut self,
        cell: u32,
        priority: Priority,
        due: u64,
        now: u64,
    ) -> bool {
        self.promote(now);
        let Some(item) = self.cells.get_mut(cell) else { return false };
        let woken = item.has(Meanwhile::WOKEN);
        if due <= now || woken {
            return self.make_ready(cell, priority, now, now);
        }
        if item.delay.is_some_and(|known| known.hold == Hold::Backoff) {
            self.hasten(cell, priority, u64::MAX);
            return false;
        }
        let known = self.undelay(cell).map_or(priority, |(_, known)| known);
        self.delay(cell, priority.max(known), (due, Hold::Parked), true, now)
    }

    /// Makes a parked item ready. If the item is being processed, its next park has no effect.
    /// Returns whether it was parked, and whether one more item is ready.
    pub(in crate::workqueue) fn unpark(&mut self, cell: u32, now: u64) -> (bool, bool) {
        self.promote(now);
        let Some(item) = self.cells.get_mut(cell) else { return (false, false) };
        if item.delay.is_some_and(|known| known.hold == Hold::Parked) {
            return (true, self.bring_forward(cell, now));
        }
        item.note(Meanwhile::WOKEN);
        (false, false)
    }

    /// Makes an item in backoff ready. If the item is being processed, its next retry does not hold
    /// it back. Returns whether it was in backoff, and whether one more item is ready.
    pub(in crate::workqueue) fn end_backoff(&mut self, cell: u32, now: u64) -> (bool, bool) {
        self.promote(now);
        let Some(item) = self.cells.get_mut(cell) else { return (false, false) };
        item.note(Meanwhile::RENEWED);
        if item.delay.is_some_and(|known| known.hold == Hold::Backoff) {
            return (true, self.bring_forward(cell, now));
        }
        (false, false)
    }

    /// Lets adds make an item in backoff ready. If the item is being processed, its next retry does
    /// not hold it back.
    pub(in crate::workqueue) fn loosen_backoff(&mut self, cell: u32) {
        if let Some(item) = self.cells.get_mut(cell) {
            item.note(Meanwhile::RENEWED);
        }
        self.release_backoff(cell);
    }

    /// Returns whether an item is processed or delayed.
    pub(in crate::workqueue) fn may_back_off(&self, cell: u32) -> bool {
        let known = self.cells.get(cell);
        known.is_some_and(|item| {
            item.delay.is_some() || matches!(item.state, ItemState::Processed { .. })
        })
    }

    /// Lets adds make an item in backoff ready. Without an add it stays delayed.
    pub(in crate::workqueue) fn release_backoff(&mut self, cell: u32) {
        if let Some(item) = self.cells.get_mut(cell)
            && let Some(delay) = &mut item.delay
            && delay.hold == Hold::Backoff
        {
            delay.hold = Hold::None;
        }
    }

    /// Makes items that are due by `now` ready, the first due first, but at most [`MOST_PROMOTED`].
    /// Every other step does this first, so lines stay in order unless more are due at once.
    pub(in crate::workqueue) fn promote(&mut self, now: u64) {
        if !self.delayed.is_empty() {
            self.promote_some(now);
        }
    }

    fn promote_some(&mut self, now: u64) {
        for _ in 0..MOST_PROMOTED {
            let Some((due, cell)) = self.first_due().filter(|(due, _)| *due <= now) else { return };
            if self.promote_item(cell).is_none() {
                self.delayed.remove(&(due, cell));
            }
        }
    }

    /// Makes a delayed item ready that is due. Returns whether one more item is ready. `None` if
    /// the item is not delayed.
    fn promote_item(&mut self, cell: u32) -> Option<bool> {
        let (Delay { due, .. }, priority) = self.undelay(cell)?;
        // Its waiting time counts from the due time, not from now.
        Some(self.make_ready(cell, priority, due, due))
    }

    /// Makes an item ready if it is due by `now`, although many others may have been due before.
    /// Returns whether one more item is ready.
    pub(super) fn promote_overdue(&mut self, cell: u32, now: u64) -> bool {
        let delay = self.cells.get(cell).and_then(|item| item.delay);
        delay.is_some_and(|delay| delay.due <= now) && self.promote_item(cell) == Some(true)
    }

    /// Returns whether items are due by `now` that were not made ready yet.
    pub(in crate::workqueue) fn is_overdue(&self, now: u64) -> bool {
        self.next_due().is_some_and(|due| due <= now)
    }

    /// Returns the due time of the next delayed item.
    pub(in crate::workqueue) fn next_due(&self) -> Option<u64> {
        self.first_due().map(|(due, _)| due)
    }

    /// Returns the next delayed item and its due time; `None` if no item becomes due any more.
    fn first_due(&self) -> Option<(u64, u32)> {
        if self.closed {
            return None;
        }
        self.delayed.first_key_value().map(|(first, _)| *first)
    }

    /// Returns the number of items due later, including parked ones.
    pub(in crate::workqueue) fn delayed(&self) -> usize {
        self.delayed.len()
    }

    /// Returns the number of parked items.
    pub(in crate::workqueue) fn parked(&self) -> usize {
        self.parked
    }

    /// Takes out the delayed item that is due first. If it is also ready or processed, it stays and
    /// its value is cloned. That is `None` while the worker has the only copy, or the message of a
    /// clone that panicked.
    pub(in crate::workqueue) fn drop_delayed(&mut self) -> Option<Result<Option<T>, String>> {
        let (_, cell) = *self.delayed.first_key_value()?.0;
        self.undelay(cell)?;
        let item = self.cells.get(cell)?;
        Some(match item.state {
            ItemState::Resting { .. } => Ok(self.cells.remove_if_resting(cell)),
            _ => panic::catch(|| item.value.clone()),
        })
    }

    /// Returns the time until which adds leave a resting item delayed; `None` if nothing holds it.
    pub(super) fn held_until(&self, cell: u32) -> Option<u64> {
        let item = self.cells.get(cell)?;
        let ItemState::Resting { since } = item.state else { return None };
        match item.delay?.hold {
            Hold::None => None,
            Hold::Backoff => Some(since.saturating_add(self.rules.backoff_holds)),
            Hold::Parked => Some(u64::MAX),
        }
    }

    /// Raises the priority that a delayed item will have, and makes it due at this time at the
    /// latest. Returns whether it is now the first one due.
    pub(super) fn hasten(&mut self, cell: u32, priority: Priority, due: u64) -> bool {
        let Some((delay, known)) = self.undelay(cell) else { return false };
        let Some(item) = self.cells.get_mut(cell) else { return false };
        let sooner = due < delay.due;
        let delay = Delay { due: due.min(delay.due), ..delay };
        item.delay = Some(delay);
        self.delayed.insert((delay.due, cell), known.max(priority));
        self.parked += usize::from(delay.hold == Hold::Parked);
        sooner && self.next_due() == Some(delay.due)
    }

    /// Delays an item, or merges the delay with the one it has. Returns whether the item is now the
    /// first one due.
    fn delay(
        &mut self,
        cell: u32,
        priority: Priority,
        (due, hold): (u64, Hold),
        own: bool,
        now: u64,
    ) -> bool {
        let hold = match hold {
            Hold::Backoff if self.rules.backoff_holds == 0 => Hold::None,
            hold => hold,
        };
        let held_until = self.held_until(cell);
        let Some(item) = self.cells.get_mut(cell) else { return false };
        if let (ItemState::Resting { since }, None) = (&mut item.state, item.delay) {
            *since = now;
        }
        let (mut priority, mut own) = (priority, own);
        if let Some(known) = &mut item.delay {
            // The merged delay is a worker's own only if both are.
            known.own &= own;
            own = known.own;
            match (known.hold, hold) {
                (Hold::Parked, _) | (Hold::Backoff, Hold::None) => {
                    let due = held_until.map_or(u64::MAX, |held_until| held_until.max(due));
                    return self.hasten(cell, priority, due);
                }
                // Of several delays of one kind the earliest counts.
                (Hold::None, Hold::None) if known.due <= due => return false,
                (Hold::Backoff, Hold::Backoff) if known.due <= due => {
                    return self.hasten(cell, priority, u64::MAX);
                }
                _ => {}
            }
            priority = self.undelay(cell).map_or(priority, |(_, known)| known.max(priority));
        }
        let Some(item) = self.cells.get_mut(cell) else { return false };
        item.delay = Some(Delay { due, hold, own });
        self.delayed.insert((due, cell), priority);
        self.parked += usize::from(hold == Hold::Parked);
        self.next_due() == Some(due)
    }

    /// Removes an item's delay.
    pub(super) fn undelay(&mut self, cell: u32) -> Option<(Delay, Priority)> {
        let delay = self.cells.get_mut(cell)?.delay.take()?;
        self.parked -= usize::from(delay.hold == Hold::Parked);
        let priority = self.delayed.remove(&(delay.due, cell)).unwrap_or_default();
        Some((delay, priority))
    }

    /// Makes a delayed item ready now, unless the queue is closed. Returns whether one more item is
    /// ready.
    fn bring_forward(&mut self, cell: u32, now: u64) -> bool {
        if self.closed {
            return false;
        }
        let Some((_, priority)) = self.undelay(cell) else { return false };
        self.make_ready(cell, priority, now, now)
    }
}
