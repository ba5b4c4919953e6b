//! A table that keeps each item once and finds it by hash and equality.
//!
//! An item's hash and group are computed before the queue is locked, and kept. The only user code
//! that runs here is `Eq`, on items of equal hash, before anything has changed.

use hashbrown::HashTable;

use super::{Item, ItemState};
use crate::panic;

/// The number of items for which an empty queue keeps memory.
const KEPT: usize = 1024;

/// Items, by the number of the cell they are kept in.
pub(super) struct Cells<T> {
    items: Vec<Option<Item<T>>>,
    /// The group of the item in each cell if the queue is fair; empty otherwise.
    groups: Vec<u64>,
    free: Vec<u32>,
    /// Finds the cell of an item.
    table: HashTable<u32>,
    fair: bool,
}

/// An item on its way into the queue.
pub(in crate::workqueue) struct Arrival<T> {
    /// Left in place if the queue keeps an equal item already.
    pub(in crate::workqueue) value: Option<T>,
    pub(in crate::workqueue) hash: u64,
    pub(in crate::workqueue) group: u64,
}

impl<T> Cells<T> {
    pub(super) fn new(fair: bool) -> Self {
        Self {
            items: Vec::new(),
            groups: Vec::new(),
            free: Vec::new(),
            table: HashTable::new(),
            fair,
        }
    }

    pub(super) fn get(&self, cell: u32) -> Option<&Item<T>> {
        self.items.get(cell as usize)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, cell: u32) -> Option<&mut Item<T>> {
        self.items.get_mut(cell as usize)?.as_mut()
    }

    /// Returns the group of the item in a cell; zero in a queue that is not fair.
    pub(super) fn group(&self, cell: u32) -> u64 {
        self.groups.get(cell as usize).copied().unwrap_or_default()
    }

    /// Removes an item that is neither ready, processed nor delayed. Returns its value, which the
    /// caller drops without a lock.
    pub(super) fn remove_if_resting(&mut self, cell: u32) -> Option<T> {
        let kept = self.items.get_mut(cell as usize)?;
        let resting = |item: &mut Item<T>| {
            matches!(item.state, ItemState::Resting { .. }) && item.delay.is_none()
        };
        let item = kept.take_if(resting)?;
        if let Ok(entry) = self.table.find_entry(item.hash, |other| *other == cell) {
            entry.remove();
        }
        self.free.push(cell);
        if self.table.is_empty() && self.items.len() > KEPT {
            // The queue is empty again: release the memory of its peak.
            *self = Self::new(self.fair);
        }
        item.value
    }

    /// Returns the number of items in the table, and in cells.
    #[cfg(test)]
    pub(super) fn kept(&self) -> (usize, usize) {
        (self.table.len(), self.items.iter().flatten().count())
    }
}

impl<T: Eq> Cells<T> {
    /// Finds the cell of an item.
    ///
    /// # Errors
    /// The message of `Eq`, if it panicked.
    pub(super) fn find(&self, value: &T, hash: u64) -> Result<Option<u32>, String> {
        let is_it = |cell: &u32| {
            self.get(*cell).is_some_and(|item| {
                // If a worker has the only copy, equal hashes count as equal.
                item.hash == hash && item.value.as_ref().is_none_or(|kept| kept == value)
            })
        };
        panic::catch(|| self.table.find(hash, is_it).copied())
    }

    /// Returns the cell of an item, and stores the item if it is new.
    ///
    /// # Errors
    /// The message of `Eq`, if it panicked; nothing has changed then.
    pub(super) fn find_or_keep(&mut self, arrival: &mut Arrival<T>) -> Result<Option<u32>, String> {
        let Some(value) = &arrival.value else { return Ok(None) };
        if let Some(cell) = self.find(value, arrival.hash)? {
            return Ok(Some(cell));
        }
        let items = &self.items;
        let cell = self.free.pop().unwrap_or_else(|| small(items.len()));
        let rehash = |cell: &u32| {
            let item = items.get(*cell as usize).and_then(Option::as_ref);
            item.map_or(0, |item| item.hash)
        };
        self.table.insert_unique(arrival.hash, cell, rehash);
        let value = arrival.value.take();
        let state = ItemState::Resting { since: 0 };
        let item = Some(Item { value, hash: arrival.hash, state, delay: None });
        match self.items.get_mut(cell as usize) {
            Some(free) => *free = item,
            None => self.items.push(item),
        }
        if self.fair {
            self.groups.resize(self.items.len(), 0);
            if let Some(group) = self.groups.get_mut(cell as usize) {
                *group = arrival.group;
            }
        }
        Ok(Some(cell))
    }
}

/// Drops items one by one, because two panics at once would end the process.
impl<T> Drop for Cells<T> {
    fn drop(&mut self) {
        for item in self.items.drain(..).flatten() {
            // The queue is gone, so there is no status that could count the panic.
            let _ = panic::catch(|| drop(item));
        }
    }
}

/// Returns a cell number. More than `u32::MAX` cells do not fit into memory.
pub(super) fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
