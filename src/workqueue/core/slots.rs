//! Keeps each item once, and finds it by its hash and by equality.
//!
//! An item's hash and group are computed before the queue is locked, and kept. Of the user's code
//! only `Eq` runs here, on items of equal hash, and before anything has changed.

use hashbrown::HashTable;

use super::{Item, State};
use crate::panic;

/// Room for items that a queue keeps when it is empty.
const KEPT: usize = 1024;

/// Items, by the number of the slot they are kept in.
pub(super) struct Slots<T> {
    items: Vec<Option<Item<T>>>,
    /// The group of the item in each slot, where a queue is fair; empty otherwise.
    groups: Vec<u64>,
    free: Vec<u32>,
    /// Finds the slot of an item.
    table: HashTable<u32>,
    fair: bool,
}

/// An item on its way into the queue.
pub(in crate::workqueue) struct Arrival<T> {
    /// Left in place where the queue keeps an equal item already.
    pub(in crate::workqueue) value: Option<T>,
    pub(in crate::workqueue) hash: u64,
    pub(in crate::workqueue) group: u64,
}

impl<T> Slots<T> {
    pub(super) fn new(fair: bool) -> Self {
        Self {
            items: Vec::new(),
            groups: Vec::new(),
            free: Vec::new(),
            table: HashTable::new(),
            fair,
        }
    }

    pub(super) fn get(&self, slot: u32) -> Option<&Item<T>> {
        self.items.get(slot as usize)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, slot: u32) -> Option<&mut Item<T>> {
        self.items.get_mut(slot as usize)?.as_mut()
    }

    /// The group of the item in a slot; zero in a queue that is not fair.
    pub(super) fn group(&self, slot: u32) -> u64 {
        self.groups.get(slot as usize).copied().unwrap_or_default()
    }

    /// Removes an item that rests and is not delayed. Returns its value: the caller drops it
    /// where the user's code may run.
    pub(super) fn remove_if_resting(&mut self, slot: u32) -> Option<T> {
        let kept = self.items.get_mut(slot as usize)?;
        let resting =
            |item: &mut Item<T>| matches!(item.state, State::Resting) && item.delay.is_none();
        let item = kept.take_if(resting)?;
        if let Ok(entry) = self.table.find_entry(item.hash, |other| *other == slot) {
            entry.remove();
        }
        self.free.push(slot);
        if self.table.is_empty() && self.items.len() > KEPT {
            // The rush is over: gives back what it took.
            *self = Self::new(self.fair);
        }
        item.value
    }

    /// The number of items in the table, and in slots.
    #[cfg(test)]
    pub(super) fn kept(&self) -> (usize, usize) {
        (self.table.len(), self.items.iter().flatten().count())
    }
}

impl<T: Eq> Slots<T> {
    /// Finds the slot of an item.
    ///
    /// # Errors
    /// The message of `Eq`, if it panicked.
    pub(super) fn find(&self, value: &T, hash: u64) -> Result<Option<u32>, String> {
        let is_it = |slot: &u32| {
            self.get(*slot).is_some_and(|item| {
                // Where the value is lent to a worker, its hash stands for it.
                item.hash == hash && item.value.as_ref().is_none_or(|kept| kept == value)
            })
        };
        panic::catch(|| self.table.find(hash, is_it).copied())
    }

    /// Returns the slot of an item, and keeps the item if the queue did not.
    ///
    /// # Errors
    /// The message of `Eq`, if it panicked; nothing has changed then.
    pub(super) fn find_or_keep(&mut self, arrival: &mut Arrival<T>) -> Result<Option<u32>, String> {
        let Some(value) = &arrival.value else { return Ok(None) };
        if let Some(slot) = self.find(value, arrival.hash)? {
            return Ok(Some(slot));
        }
        let items = &self.items;
        let slot = self.free.pop().unwrap_or_else(|| small(items.len()));
        let rehash = |slot: &u32| {
            let item = items.get(*slot as usize).and_then(Option::as_ref);
            item.map_or(0, |item| item.hash)
        };
        self.table.insert_unique(arrival.hash, slot, rehash);
        let value = arrival.value.take();
        let item = Some(Item { value, hash: arrival.hash, state: State::Resting, delay: None });
        match self.items.get_mut(slot as usize) {
            Some(free) => *free = item,
            None => self.items.push(item),
        }
        if self.fair {
            self.groups.resize(self.items.len(), 0);
            if let Some(group) = self.groups.get_mut(slot as usize) {
                *group = arrival.group;
            }
        }
        Ok(Some(slot))
    }
}

/// Items that panic while they are dropped are dropped one by one: two panics at once would end the
/// process.
impl<T> Drop for Slots<T> {
    fn drop(&mut self) {
        for item in self.items.drain(..).flatten() {
            // The queue is gone: nobody is left who could be told.
            let _ = panic::catch(|| drop(item));
        }
    }
}

/// The number of a slot. More than four thousand million need more memory than there is.
pub(super) fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
