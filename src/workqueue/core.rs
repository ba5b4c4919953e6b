//! The queue's rules, apart from locks, tasks and clocks.
//!
//! Every step takes the present time as a number of nanoseconds and says what came of it, so each
//! rule is tested without waiting. An item is kept once, however often it was added: it is ready,
//! or processed, or processed and wanted again; and besides it may be due later.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;

use super::line::{Line, Ticket};
use super::priority::{Aging, Priority};

/// Room for items that a queue keeps when it is empty.
const KEPT: usize = 1024;

/// Ready, processed and delayed items.
pub(super) struct Core<T> {
    slots: Vec<Option<Item<T>>>,
    free: Vec<u32>,
    /// Finds the slot of an item.
    table: HashTable<u32>,
    hasher: foldhash::fast::RandomState,
    lines: BTreeMap<Priority, Line>,
    ready: usize,
    processed: Vec<u32>,
    delayed: BTreeMap<(u64, u32), Priority>,
    serial: u32,
    aging: Aging,
    group: Option<Group<T>>,
}

/// Gives the group of an item, among which a queue is fair.
pub(super) type Group<T> = Box<dyn Fn(&T) -> u64 + Send>;

struct Item<T> {
    value: T,
    state: State,
    /// When a delayed add is due.
    due: Option<u64>,
}

#[derive(Clone, Copy)]
enum State {
    /// Only due later, if that.
    Resting,
    Ready(Ready),
    Processed(Processed),
}

#[derive(Clone, Copy)]
struct Ready {
    added: u64,
    rank: u64,
    serial: u32,
}

#[derive(Clone, Copy)]
struct Processed {
    started: u64,
    /// Where it is listed among those processed.
    place: u32,
    /// It was added meanwhile: ready again when it is done.
    wanted: Option<Priority>,
    /// When, if so.
    added: u64,
}

/// An item given out to be processed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Given<T> {
    pub(super) slot: u32,
    pub(super) value: T,
    /// How long it was ready, in nanoseconds.
    pub(super) waited: u64,
}

impl<T: Eq + Hash + Clone> Core<T> {
    pub(super) fn new(aging: Aging, group: Option<Group<T>>) -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            table: HashTable::new(),
            hasher: foldhash::fast::RandomState::default(),
            lines: BTreeMap::new(),
            ready: 0,
            processed: Vec::new(),
            delayed: BTreeMap::new(),
            serial: 0,
            aging,
            group,
        }
    }

    /// Adds an item, once, however often it is added before it is processed. Says whether one more
    /// is ready. Amortised O(1).
    pub(super) fn add(&mut self, value: T, priority: Priority, now: u64) -> bool {
        self.promote(now);
        let slot = self.slot_of(value);
        self.make_ready(slot, priority, now, now)
    }

    /// Adds an item when `due`; of several delayed adds of one item the earliest counts. Says
    /// whether it is now the next one due of all. O(log n).
    pub(super) fn add_later(&mut self, value: T, priority: Priority, due: u64) -> bool {
        let slot = self.slot_of(value);
        let Some(item) = item_mut(&mut self.slots, slot) else { return false };
        let mut priority = priority;
        if let Some(known) = item.due {
            if known <= due {
                return false;
            }
            let known = self.delayed.remove(&(known, slot));
            priority = priority.max(known.unwrap_or(priority));
        }
        item.due = Some(due);
        self.delayed.insert((due, slot), priority);
        self.next_due() == Some(due)
    }

    /// Makes ready what is due by `now`; every other step does so first, so lines stay in order.
    pub(super) fn promote(&mut self, now: u64) {
        while self.next_due().is_some_and(|due| due <= now)
            && let Some(((due, slot), priority)) = self.delayed.pop_first()
        {
            if let Some(item) = item_mut(&mut self.slots, slot) {
                item.due = None;
                // It waits since it was due, not since somebody looked.
                self.make_ready(slot, priority, due, due);
            }
        }
    }

    /// Gives out the item that is next. O(number of priorities in use).
    pub(super) fn take(&mut self, now: u64) -> Option<Given<T>> {
        self.promote(now);
        if self.ready == 0 {
            return None;
        }
        let slots = &self.slots;
        let fronts = self.lines.values_mut().rev().filter_map(|line| {
            let front = line.front(|ticket| holds(slots, ticket).is_some())?;
            let rank = holds(slots, front)?.rank;
            Some((rank, front.slot, line))
        });
        // Of equal ranks the first: the more urgent one.
        let (_, slot, line) = fronts.min_by_key(|(rank, ..)| *rank)?;
        line.serve();
        self.ready -= 1;
        if self.ready == 0 {
            self.lines.values_mut().for_each(Line::clear);
        }
        let place = small(self.processed.len());
        let item = item_mut(&mut self.slots, slot)?;
        let State::Ready(Ready { added, .. }) = item.state else { return None };
        item.state = State::Processed(Processed { started: now, place, wanted: None, added });
        self.processed.push(slot);
        Some(Given { slot, value: item.value.clone(), waited: now.saturating_sub(added) })
    }

    /// An item given out is done. Says whether it is ready again, because it was added meanwhile,
    /// and for how many nanoseconds it was processed.
    pub(super) fn done(&mut self, slot: u32, now: u64) -> (bool, u64) {
        self.promote(now);
        let Some(item) = item_mut(&mut self.slots, slot) else { return (false, 0) };
        let State::Processed(Processed { started, place, wanted, added }) = item.state else {
            return (false, 0);
        };
        item.state = State::Resting;
        self.processed.swap_remove(place as usize);
        if let Some(moved) = self.processed.get(place as usize)
            && let Some(Item { state: State::Processed(moved), .. }) =
                item_mut(&mut self.slots, *moved)
        {
            moved.place = place;
        }
        // It queues as of now, and counts as waiting since it was added.
        let again = wanted.is_some_and(|priority| self.make_ready(slot, priority, now, added));
        self.forget_if_resting(slot);
        (again, now.saturating_sub(started))
    }

    /// When the next delayed item is due.
    pub(super) fn next_due(&self) -> Option<u64> {
        self.delayed.first_key_value().map(|((due, _), _)| *due)
    }

    /// Takes out everything that is delayed, the first due first.
    pub(super) fn drop_delayed(&mut self) -> Vec<T> {
        let mut dropped = Vec::with_capacity(self.delayed.len());
        for (_, slot) in std::mem::take(&mut self.delayed).into_keys() {
            if let Some(item) = item_mut(&mut self.slots, slot) {
                item.due = None;
                dropped.push(item.value.clone());
                self.forget_if_resting(slot);
            }
        }
        dropped
    }

    /// How many items are ready.
    pub(super) fn ready(&self) -> usize {
        self.ready
    }

    /// How many items are processed.
    pub(super) fn processed(&self) -> usize {
        self.processed.len()
    }

    /// How many items are due later.
    pub(super) fn delayed(&self) -> usize {
        self.delayed.len()
    }

    /// How many items the table finds, and how many are kept.
    #[cfg(test)]
    pub(super) fn kept(&self) -> (usize, usize) {
        (self.table.len(), self.slots.iter().flatten().count())
    }

    /// Since when each item that is processed is.
    pub(super) fn started(&self) -> impl Iterator<Item = u64> {
        self.processed.iter().filter_map(|slot| {
            match self.slots.get(*slot as usize)?.as_ref()?.state {
                State::Processed(Processed { started, .. }) => Some(started),
                _ => None,
            }
        })
    }

    /// Puts an item in line, or forward. Says whether one more is ready.
    fn make_ready(&mut self, slot: u32, priority: Priority, now: u64, since: u64) -> bool {
        let rank = self.aging.rank(now, priority);
        let Some(item) = item_mut(&mut self.slots, slot) else { return false };
        let (fresh, added) = match &mut item.state {
            State::Resting => (true, since),
            State::Ready(ready) if rank < ready.rank => (false, ready.added),
            State::Ready(_) => return false,
            State::Processed(processed) => {
                if processed.wanted.is_none() {
                    processed.added = since;
                }
                processed.wanted = processed.wanted.max(Some(priority));
                return false;
            }
        };
        self.serial = self.serial.wrapping_add(1);
        let serial = self.serial;
        item.state = State::Ready(Ready { added, rank, serial });
        let group = self.group.as_ref().map_or(0, |group| group(&item.value));
        let fair = self.group.is_some();
        let line = self.lines.entry(priority).or_insert_with(|| Line::new(fair));
        line.push(group, Ticket { slot, serial });
        self.ready += usize::from(fresh);
        fresh
    }

    /// Where an item is kept, as of now if it was not.
    fn slot_of(&mut self, value: T) -> u32 {
        let hash = self.hasher.hash_one(&value);
        let (slots, hasher) = (&self.slots, &self.hasher);
        let kept = |slot: u32| slots.get(slot as usize).and_then(Option::as_ref);
        let is_it = |slot: &u32| kept(*slot).is_some_and(|item| item.value == value);
        if let Some(slot) = self.table.find(hash, is_it) {
            return *slot;
        }
        let slot = self.free.pop().unwrap_or_else(|| small(slots.len()));
        let rehash = |slot: &u32| kept(*slot).map_or(0, |item| hasher.hash_one(&item.value));
        self.table.insert_unique(hash, slot, rehash);
        let item = Some(Item { value, state: State::Resting, due: None });
        match self.slots.get_mut(slot as usize) {
            Some(free) => *free = item,
            None => self.slots.push(item),
        }
        slot
    }

    fn forget_if_resting(&mut self, slot: u32) {
        let Some(kept) = self.slots.get_mut(slot as usize) else { return };
        let resting =
            |item: &mut Item<T>| matches!(item.state, State::Resting) && item.due.is_none();
        let Some(item) = kept.take_if(resting) else { return };
        let hash = self.hasher.hash_one(&item.value);
        if let Ok(entry) = self.table.find_entry(hash, |other| *other == slot) {
            entry.remove();
        }
        self.free.push(slot);
        if self.table.is_empty() && self.slots.len() > KEPT {
            // The rush is over: gives back what it took.
            self.table = HashTable::new();
            (self.slots, self.free) = (Vec::new(), Vec::new());
        }
    }
}

/// The number of a slot. More than four thousand million need more memory than there is.
fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn item_mut<T>(slots: &mut [Option<Item<T>>], slot: u32) -> Option<&mut Item<T>> {
    slots.get_mut(slot as usize)?.as_mut()
}

/// What a valid ticket stands for.
fn holds<T>(slots: &[Option<Item<T>>], ticket: Ticket) -> Option<Ready> {
    match slots.get(ticket.slot as usize)?.as_ref()?.state {
        State::Ready(ready) if ready.serial == ticket.serial => Some(ready),
        _ => None,
    }
}
