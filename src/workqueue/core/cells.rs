//! A table that keeps each item once and finds it by hash and equality.
//!
//! An item's hash and group are computed before the queue is locked, and kept. The only user code
//! that runs here is `Eq`, on items of equal hash, before anything has changed.

use super::{Item, ItemState};
use crate::collections::{Links, PartedSlab, PartedTable, half};
use crate::panic;

/// Items, by the number of the cell they are kept in.
pub(super) struct Cells<T> {
    pub(super) items: PartedSlab<Item<T>>,
    /// The group of the item in each cell, if the queue is fair.
    groups: Option<PartedSlab<u64>>,
    /// Finds the cell of an item.
    table: PartedTable<u32>,
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
            items: PartedSlab::default(),
            groups: fair.then(PartedSlab::default),
            table: PartedTable::default(),
        }
    }

    pub(super) fn get(&self, cell: u32) -> Option<&Item<T>> {
        self.items.get(cell)
    }

    pub(super) fn get_mut(&mut self, cell: u32) -> Option<&mut Item<T>> {
        self.items.get_mut(cell)
    }

    /// Returns the group of the item in a cell; zero in a queue that is not fair.
    pub(super) fn group(&self, cell: u32) -> u64 {
        self.groups.as_ref().and_then(|groups| groups.get(cell)).copied().unwrap_or_default()
    }

    /// Removes an item that is neither ready, processed nor delayed. Returns its value, which the
    /// caller drops without a lock.
    pub(super) fn remove_if_resting(&mut self, cell: u32) -> Option<T> {
        let rests = |item: &Item<T>| {
            matches!(item.state, ItemState::Resting { .. }) && item.delay.is_none()
        };
        let item = self.items.remove_if(cell, rests)?;
        self.table.remove(item.hash.into(), |other| *other == cell);
        if let Some(groups) = &mut self.groups {
            groups.remove(cell);
        }
        item.value
    }

    /// Returns the number of items in the table, and in cells.
    #[cfg(test)]
    pub(super) fn kept(&self) -> (usize, usize) {
        (self.table.len(), self.items.len())
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
                item.value.as_ref().is_none_or(|kept| kept == value)
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
        let cell = self.items.insert(Item {
            value: arrival.value.take(),
            hash: half(arrival.hash),
            links: Links::default(),
            state: ItemState::Resting { since: 0 },
            delay: None,
        });
        if let Some(groups) = &mut self.groups {
            // Both slabs have values at the same numbers, so the next one is the same, too.
            let group = groups.insert(arrival.group);
            debug_assert_eq!(group, cell, "each item has its own group");
        }
        self.table.insert(arrival.hash, cell);
        Ok(Some(cell))
    }
}
