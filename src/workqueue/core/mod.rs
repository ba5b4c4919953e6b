//! The queue's rules, apart from locks, tasks and clocks.
//!
//! Every step takes the current time in nanoseconds and returns its result, so each rule is tested
//! without waiting. An item is kept once, however often it was added. It is ready, or processed, or
//! processed and wanted again. In each of these states it may also be due later.

mod cells;
mod delays;

use std::collections::BTreeMap;

pub(super) use self::cells::Arrival;
use self::cells::{Cells, small};
use super::line::{Line, Ticket};
use super::priority::{Aging, Priority};
use crate::collections::VecMap;
use crate::panic;

/// Ready, processed and delayed items.
pub(super) struct Core<T> {
    cells: Cells<T>,
    lines: VecMap<Priority, Line>,
    ready: usize,
    processed: Vec<u32>,
    delayed: BTreeMap<(u64, u32), Priority>,
    /// The number of delayed items that are parked.
    parked: usize,
    serial: u32,
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
    hash: u64,
    state: ItemState,
    /// Set while the item is due later.
    delay: Option<Delay>,
}

#[derive(Clone, Copy)]
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
        serial: u32,
        priority: Priority,
    },
    Processed {
        started: u64,
        /// The item's position in the list of processed items.
        place: u32,
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
            processed: Vec::new(),
            delayed: BTreeMap::new(),
            parked: 0,
            serial: 0,
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

    /// Adds an item, unless it waits already. Returns whether one more item is ready. Amortised
    /// O(1).
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
        let cell = self.cells.find_or_keep(arrival)?;
        Ok(cell.is_some_and(|cell| self.make_ready(cell, priority, now, now)))
    }

    /// Gives out the next item. O(number of priorities in use).
    pub(super) fn take(&mut self, now: u64) -> Option<Given<T>> {
        self.promote(now);
        if self.ready == 0 {
            return None;
        }
        let cells = &self.cells;
        let fronts = self.lines.iter_mut().rev().filter_map(|(priority, line)| {
            let front = line.front(|ticket| rank(cells, ticket).is_some())?;
            let rank = rank(cells, front)?;
            Some((rank, front.cell, *priority, line))
        });
        // Of equal ranks `min_by_key` takes the first, which is the more urgent one.
        let (_, cell, priority, line) = fronts.min_by_key(|(rank, ..)| *rank)?;
        line.serve();
        self.ready -= 1;
        if self.ready == 0 {
            self.lines.iter_mut().for_each(|(_, line)| line.clear());
        }
        let place = small(self.processed.len());
        let item = self.cells.get_mut(cell)?;
        let ItemState::Ready { added, .. } = item.state else { return None };
        item.state = ItemState::Processed {
            started: now,
            place,
            wanted: None,
            added,
            meanwhile: Meanwhile::default(),
        };
        let decides_again = item.delay.is_some_and(|delay| delay.own && delay.hold == Hold::None);
        if decides_again {
            self.undelay(cell);
        }
        let item = self.cells.get_mut(cell)?;
        self.processed.push(cell);
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
        let ItemState::Processed { started, place, wanted, added, .. } = item.state else {
            return done;
        };
        if item.value.is_none() {
            item.value = done.dropped[0].take();
        }
        item.state = ItemState::Resting { since: now };
        self.processed.swap_remove(place as usize);
        if let Some(moved) = self.processed.get(place as usize)
            && let Some(Item { state: ItemState::Processed { place: known, .. }, .. }) =
                self.cells.get_mut(*moved)
        {
            *known = place;
        }
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
                let cells = &self.cells;
                if let Some(line) = self.lines.get_mut(&left) {
                    line.leave(|ticket| rank(cells, ticket).is_some());
                }
                true
            }
            ItemState::Processed { wanted, .. } => wanted.take().is_some() || delayed,
        };
        if self.ready == 0 {
            self.lines.iter_mut().for_each(|(_, line)| line.clear());
        }
        (waited, self.cells.remove_if_resting(cell))
    }

    /// Returns the number of items that are ready.
    pub(super) fn ready(&self) -> usize {
        self.ready
    }

    /// Returns the number of items that are processed.
    pub(super) fn processed(&self) -> usize {
        self.processed.len()
    }

    /// Returns the number of items in the table, and in cells.
    #[cfg(test)]
    pub(super) fn kept(&self) -> (usize, usize) {
        self.cells.kept()
    }

    /// Returns the number of tickets in all lines, including void ones, and the capacity of the
    /// lines.
    #[cfg(test)]
    pub(super) fn tickets(&self) -> (usize, usize) {
        let lines = self.lines.values();
        lines.fold((0, 0), |(len, room), line| (len + line.len(), room + line.capacity()))
    }

    /// Returns the time at which the processing of each processed item began.
    pub(super) fn started(&self) -> impl Iterator<Item = u64> {
        self.processed.iter().filter_map(|cell| match self.cells.get(*cell)?.state {
            ItemState::Processed { started, .. } => Some(started),
            _ => None,
        })
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
            ItemState::Ready { rank: before, priority, added, .. } if rank < *before => {
                (Some(*priority), *added)
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
        self.serial = self.serial.wrapping_add(1);
        let serial = self.serial;
        item.state = ItemState::Ready { added, rank, serial, priority };
        let (cells, fair) = (&self.cells, self.rules.fair);
        let line = self.lines.get_or_insert_with(priority, || Line::new(fair));
        line.push(cells.group(cell), Ticket { cell, serial });
        if let Some(line) = left.and_then(|left| self.lines.get_mut(&left)) {
            line.leave(|ticket| self::rank(cells, ticket).is_some());
        }
        self.ready += usize::from(left.is_none());
        left.is_none()
    }
}

/// The size in bytes of a cell with an item of this type.
#[cfg(test)]
pub(super) const fn item_size<T>() -> usize {
    size_of::<Option<Item<T>>>()
}

/// Returns the rank of a ticket's item; `None` if the ticket is void.
fn rank<T>(cells: &Cells<T>, ticket: Ticket) -> Option<u64> {
    match cells.get(ticket.cell)?.state {
        ItemState::Ready { rank, serial, .. } if serial == ticket.serial => Some(rank),
        _ => None,
    }
}
