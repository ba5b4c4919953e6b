//! The queue's rules, apart from locks, tasks and clocks.
//!
//! Every step takes the current time in nanoseconds and returns its result, so each rule is tested
//! without waiting. An item is kept once, however often it was added. It is ready, or processed, or
//! processed and wanted again. In each of these states it may also be due later.

mod cells;
mod delays;

use std::collections::BTreeMap;

pub(super) use self::cells::Arrival;
use self::cells::Cells;
use super::line::Line;
use super::priority::{Aging, Priority};
use crate::collections::{IntrusiveList, Linked, Links, VecMap};
use crate::panic;

/// Ready, processed and delayed items.
pub(super) struct Core<T> {
    cells: Cells<T>,
    lines: VecMap<Priority, Line>,
    ready: usize,
    /// The items that are processed, in the order in which they were taken.
    processed: IntrusiveList,
    processing: usize,
    /// The sum of the times at which their processing began.
    began: u128,
    delayed: BTreeMap<(u64, u32), Priority>,
    /// The number of delayed items that are parked.
    parked: usize,
    /// True if no item becomes due any more.
    closed: bool,
    rules: CoreRules,
}

/// The options of a queue that decide its order.
#[derive(Clone, Copy, Debug)]
pub(super) struct CoreRules {
    pub(super) aging: Aging,
    /// True if groups are served in turn.
    pub(super) fair: bool,
    /// The time for which adds do not end a backoff, in nanoseconds.
    pub(super) backoff_holds: u64,
}

struct Item<T> {
    /// `None` while the worker has the only copy, because `Clone` panicked.
    value: Option<T>,
    /// The half of its hash.
    hash: u32,
    /// Its neighbours in line, or among the items that are processed.
    links: Links,
    state: ItemState,
    /// Set while the item is due later.
    delay: Option<Delay>,
}

impl<T> Linked for Item<T> {
    fn links(&mut self) -> &mut Links {
        &mut self.links
    }
}

/// The time of a delayed item. Packed, which makes an item eight bytes smaller.
#[derive(Clone, Copy)]
#[repr(Rust, packed(4))]
struct Delay {
    due: u64,
    hold: Hold,
    /// True if only the item's worker asked for the delay. The next worker decides again.
    own: bool,
}

/// The events that may make a delayed item ready before it is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// Any add.
    None,
    /// The end of its backoff, or an add after the time for which a backoff holds.
    Backoff,
    /// An unpark.
    Parked,
}

/// The state of an item. The variants have fields, not structs, so that the tag fits into padding.
#[derive(Clone, Copy)]
enum ItemState {
    /// Neither ready nor processed; due later, or about to be removed.
    Resting {
        /// The time since which it is so.
        since: u64,
    },
    Ready {
        added: u64,
        rank: u64,
        priority: Priority,
    },
    Processed {
        started: u64,
        /// The priority of an add that came meanwhile. The item is ready again when it is done.
        wanted: Option<Priority>,
        /// The time of that add.
        added: u64,
        meanwhile: Meanwhile,
    },
}

/// Flags of events that happened while an item was processed.
#[derive(Clone, Copy, Default)]
struct Meanwhile(u8);

impl Meanwhile {
    /// The item was unparked: parking it has no effect.
    const WOKEN: Self = Self(1);
    /// The item's backoff was ended: a retry does not hold it back.
    const RENEWED: Self = Self(2);

    fn set(&mut self, flag: Self) {
        self.0 |= flag.0;
    }

    fn has(self, flag: Self) -> bool {
        self.0 & flag.0 != 0
    }
}

/// An item given out to be processed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Given<T> {
    pub(super) cell: u32,
    pub(super) value: T,
    /// The time that it was ready, in nanoseconds.
    pub(super) waited: u64,
    /// The priority that it had in line.
    pub(super) priority: Priority,
    /// The message of its `Clone`, if that panicked.
    pub(super) panicked: Option<String>,
}

/// The result of [`Core::done`].
#[derive(Debug)]
pub(super) struct Done<T> {
    /// True if the item is ready again, because it was added meanwhile, or is now the first one
    /// due.
    pub(super) again: bool,
    /// The time that it was processed, in nanoseconds.
    pub(super) took: u64,
    /// Values that the queue does not keep, for the caller to drop.
    pub(super) dropped: [Option<T>; 2],
}

impl<T: Eq + Clone> Core<T> {
    pub(super) fn new(rules: CoreRules) -> Self {
        Self {
            cells: Cells::new(rules.fair),
            lines: VecMap::default(),
            ready: 0,
            processed: IntrusiveList::default(),
            processing: 0,
            began: 0,
            delayed: BTreeMap::new(),
            parked: 0,
            closed: false,
            rules,
        }
    }

    /// Finds the cell of an item.
    ///
    /// # Errors
    /// The message of `Eq`, if it panicked.
    pub(super) fn find(&self, value: &T, hash: u64) -> Result<Option<u32>, String> {
        self.cells.find(value, hash)
    }

    /// Adds an item, unless it waits already. Returns whether one more item is ready. O(1).
    ///
    /// # Errors
    /// The message of `Eq`, if it panicked; nothing was added then.
    pub(super) fn add(
        &mut self,
        arrival: &mut Arrival<T>,
        priority: Priority,
        now: u64,
    ) -> Result<bool, String> {
        self.promote(now);
        let Some(cell) = self.cells.find_or_keep(arrival)? else { return Ok(false) };
        let was_due = self.promote_overdue(cell, now);
        Ok(self.make_ready(cell, priority, now, now) || was_due)
    }

    /// Gives out the next item. O(number of priorities in use).
    pub(super) fn take(&mut self, now: u64) -> Option<Given<T>> {
        self.promote(now);
        if self.ready == 0 {
            return None;
        }
        let cells = &self.cells;
        let fronts = self.lines.iter_mut().rev().filter_map(|(priority, line)| {
            let cell = line.first()?;
            let ItemState::Ready { rank, .. } = cells.get(cell)?.state else { return None };
            Some((rank, cell, *priority, line))
        });
        // Of equal ranks `min_by_key` takes the first, which is the more urgent one.
        let (_, cell, priority, line) = fronts.min_by_key(|(rank, ..)| *rank)?;
        let group = self.cells.group(cell);
        line.remove(&mut self.cells.items, group, cell, true);
        self.ready -= 1;
        self.processed.push_back(&mut self.cells.items, cell);
        self.processing += 1;
        self.began += u128::from(now);
        let mut item = self.cells.get_mut(cell)?;
        if item.delay.is_some_and(|delay| delay.own && delay.hold == Hold::None) {
            // The worker decides again.
            self.undelay(cell);
            item = self.cells.get_mut(cell)?;
        }
        let ItemState::Ready { added, .. } = item.state else { return None };
        item.state = ItemState::Processed {
            started: now,
            wanted: None,
            added,
            meanwhile: Meanwhile::default(),
        };
        let (value, panicked) = match panic::catch(|| item.value.clone()) {
            Ok(value) => (value, None),
            // The worker gets the only copy, and returns it when it is done.
            Err(message) => (item.value.take(), Some(message)),
        };
        let waited = now.saturating_sub(added);
        Some(Given { cell, value: value?, waited, priority, panicked })
    }

    /// Marks an item as done. `value` is the copy that was given out.
    pub(super) fn done(&mut self, cell: u32, value: Option<T>, now: u64) -> Done<T> {
        self.promote(now);
        let mut done = Done { again: false, took: 0, dropped: [value, None] };
        let Some(item) = self.cells.get_mut(cell) else { return done };
        let ItemState::Processed { started, wanted, added, .. } = item.state else { return done };
        if item.value.is_none() {
            item.value = done.dropped[0].take();
        }
        item.state = ItemState::Resting { since: now };
        self.processed.remove(&mut self.cells.items, cell);
        self.processing -= 1;
        self.began -= u128::from(started);
        // Its rank counts from now, its waiting time from the add.
        done.again = wanted.is_some_and(|priority| self.make_ready(cell, priority, now, added));
        done.took = now.saturating_sub(started);
        done.dropped[1] = self.cells.remove_if_resting(cell);
        done
    }

    /// Takes an item out, unless it is processed. If it is, adds that came meanwhile have no
    /// effect. Returns whether the item waited, and its value for the caller to drop.
    pub(super) fn remove(&mut self, cell: u32) -> (bool, Option<T>) {
        let delayed = self.undelay(cell).is_some();
        let Some(item) = self.cells.get_mut(cell) else { return (delayed, None) };
        let waited = match &mut item.state {
            ItemState::Resting { .. } => delayed,
            ItemState::Ready { priority, added, .. } => {
                let left = *priority;
                item.state = ItemState::Resting { since: *added };
                self.ready -= 1;
                self.leave(left, cell);
                true
            }
            ItemState::Processed { wanted, .. } => wanted.take().is_some() || delayed,
        };
        (waited, self.cells.remove_if_resting(cell))
    }

    /// Ends all adds. No delayed item becomes ready any more.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Returns the number of items that are ready.
    pub(super) fn ready(&self) -> usize {
        self.ready
    }

    /// Returns the number of items that are processed.
    pub(super) fn processed(&self) -> usize {
        self.processing
    }

    /// Returns the number of items in the table, and in cells.
    #[cfg(test)]
    pub(super) fn kept(&self) -> (usize, usize) {
        self.cells.kept()
    }

    /// Returns the time that the first of the processed items has been processed so far, and the
    /// sum of these times of all. O(1).
    pub(super) fn running(&self, now: u64) -> (u64, u64) {
        let first = self.processed.first().and_then(|cell| self.cells.get(cell));
        let longest = match first.map(|item| item.state) {
            Some(ItemState::Processed { started, .. }) => now.saturating_sub(started),
            _ => 0,
        };
        let sum = (u128::from(now) * self.processing as u128).saturating_sub(self.began);
        (longest, u64::try_from(sum).unwrap_or(u64::MAX))
    }

    /// Puts an item in line or moves it forward, unless it is held back. Returns whether one more
    /// item is ready, or whether an item is now the first one due.
    fn make_ready(&mut self, cell: u32, priority: Priority, now: u64, since: u64) -> bool {
        let mut priority = priority;
        if let Some(held_until) = self.held_until(cell) {
            if held_until > now {
                return self.hasten(cell, priority, held_until);
            }
            priority = self.undelay(cell).map_or(priority, |(_, known)| known.max(priority));
        }
        let rank = self.rules.aging.rank(now, priority);
        let Some(item) = self.cells.get_mut(cell) else { return false };
        let (left, added) = match &mut item.state {
            ItemState::Resting { .. } => (None, since),
            ItemState::Ready { rank: before, priority: left, added }
                if rank < *before && *left != priority =>
            {
                (Some(*left), *added)
            }
            ItemState::Ready { .. } => return false,
            ItemState::Processed { wanted, added, .. } => {
                if wanted.is_none() {
                    *added = since;
                }
                *wanted = (*wanted).max(Some(priority));
                return false;
            }
        };
        item.state = ItemState::Ready { added, rank, priority };
        match left {
            Some(left) => self.leave(left, cell),
            None => self.ready += 1,
        }
        let (group, fair) = (self.cells.group(cell), self.rules.fair);
        let line = self.lines.get_or_insert_with(priority, || Line::new(fair));
        line.push(&mut self.cells.items, group, cell);
        left.is_none()
    }

    /// Takes an item out of a line.
    fn leave(&mut self, priority: Priority, cell: u32) {
        let group = self.cells.group(cell);
        if let Some(line) = self.lines.get_mut(&priority) {
            line.remove(&mut self.cells.items, group, cell, false);
        }
    }
}

/// The size in bytes of a cell with an item of this type.
#[cfg(test)]
pub(super) const fn item_size<T>() -> usize {
    crate::collections::PartedSlab::<Item<T>>::CELL
}
