//! A hash table whose every state can be kept: items in slots, and the slots by hash.
//!
//! The hash part is a set of numbers, half of each the hash and half the slot: eight bytes an item, a
//! few more for what holds them, whatever their number. Which of several items of one hash is meant is
//! decided by looking at the items. Changing an item touches its slot alone.

use super::persistent_set::PersistentSet;
use super::persistent_vec::{Iter, PersistentVec, Selected, Slot};
use super::walk::Walk;
use crate::yield_budget::YieldBudget;

/// A persistent hash table. The caller brings the hash, so borrowed keys need no allocation.
#[derive(Clone)]
pub(super) struct Table<T> {
    items: PersistentVec<T>,
    by_hash: PersistentSet<u64>,
}

/// The half of a hash that is kept, with nothing in the place of the slot.
fn kept(hash: u64) -> u64 {
    hash & !u64::from(Slot::MAX)
}

/// The slot of an entry with this hash.
fn slot_of(entry: u64, hash: u64) -> Option<Slot> {
    Slot::try_from(entry ^ kept(hash)).ok()
}

impl<T> Table<T> {
    pub(super) fn new() -> Self {
        Self { items: PersistentVec::new(), by_hash: PersistentSet::None }
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// The item of a hash that is the one meant, and its slot. O(log n), to base 8.
    pub(super) fn find(&self, hash: u64, is: impl Fn(&T) -> bool) -> Option<(Slot, &T)> {
        let mut from = kept(hash);
        loop {
            let run = self.by_hash.run(from);
            for entry in run {
                let slot = slot_of(*entry, hash)?;
                if let Some(item) = self.items.get(slot).filter(|item| is(item)) {
                    return Some((slot, item));
                }
            }
            from = run.last()?.checked_add(1)?;
        }
    }

    /// Every item of this moment, for as long as the caller takes.
    pub(super) fn walk(&self) -> Walk<T> {
        self.items.walk()
    }

    /// The items.
    pub(super) fn items(&self) -> &PersistentVec<T> {
        &self.items
    }

    /// Frees what nothing else holds, in turns.
    pub(super) async fn free(self, budget: &mut YieldBudget) {
        let Self { items, by_hash } = self;
        let walk = items.walk();
        drop(items);
        walk.free(budget).await;
        // Arrays of some hundred bytes without references.
        drop(by_hash);
    }

    /// Every item, in the order of the slots.
    pub(super) fn iter(&self) -> Iter<'_, T> {
        self.items.iter()
    }

    /// The items in these slots.
    pub(super) fn select<I: Iterator<Item = Slot>>(&self, slots: I) -> Selected<'_, T, I> {
        self.items.select(slots)
    }

    /// Shows the items from a slot on, with their slots, until they are `enough` or more; gives where
    /// to go on.
    pub(super) fn visit(
        &self,
        from: Slot,
        enough: usize,
        visit: &mut dyn FnMut(Slot, &T),
    ) -> Option<Slot> {
        self.items.visit(from, enough, visit)
    }
}

impl<T: Clone> Table<T> {
    /// Puts an item in that is not there.
    pub(super) fn insert(&mut self, hash: u64, item: T) -> Slot {
        let slot = self.items.insert(item);
        self.by_hash.insert(kept(hash) | u64::from(slot));
        slot
    }

    /// To change an item in place, but not what its hash is of; copies the path to it where it is
    /// shared.
    pub(super) fn get_mut(&mut self, slot: Slot) -> Option<&mut T> {
        self.items.get_mut(slot)
    }

    /// Takes an item out that was found by this hash in this slot.
    pub(super) fn take(&mut self, hash: u64, slot: Slot) -> Option<T> {
        self.by_hash.remove(kept(hash) | u64::from(slot));
        self.items.take(slot)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug)]
    enum Op {
        Put(u16, u32),
        Remove(u16),
        Keep,
    }

    fn op() -> impl Strategy<Value = Op> {
        prop_oneof![
            4 => (0..200u16, any::<u32>()).prop_map(|(key, value)| Op::Put(key, value)),
            2 => (0..200u16).prop_map(Op::Remove),
            1 => Just(Op::Keep),
        ]
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        /// From hashes that all differ down to one for all, in the half that is kept or the other.
        #[test]
        fn is_a_map_whose_clones_never_change(
            hashes in prop_oneof![Just(1), Just(3), Just(1 << 20)],
            spread in prop_oneof![Just(1u64), Just(1 << 31), Just(0x9E37_79B9_7F4A_7C15)],
            ops in proptest::collection::vec(op(), 0..300),
        ) {
            let hash = |key: u16| (u64::from(key) % hashes).wrapping_mul(spread);
            let mut table: Table<(u16, u32)> = Table::new();
            let mut model: HashMap<u16, u32> = HashMap::new();
            let mut kept = Vec::new();
            for op in ops {
                match op {
                    Op::Put(key, value) => {
                        let found = table.find(hash(key), |item| item.0 == key);
                        let found = found.map(|(slot, item)| (slot, item.1));
                        prop_assert_eq!(found.map(|found| found.1), model.insert(key, value));
                        match found {
                            Some((slot, _)) => table.get_mut(slot).unwrap().1 = value,
                            None => drop(table.insert(hash(key), (key, value))),
                        }
                    }
                    Op::Remove(key) => {
                        let found = table.find(hash(key), |item| item.0 == key);
                        let slot = found.map(|(slot, _)| slot);
                        let taken = slot.and_then(|slot| table.take(hash(key), slot));
                        prop_assert_eq!(taken.map(|item| item.1), model.remove(&key));
                    }
                    Op::Keep => kept.push((table.clone(), model.clone())),
                }
                prop_assert_eq!(table.len(), model.len());
            }
            kept.push((table, model));
            for (table, model) in kept {
                for key in 0..200 {
                    let found = table.find(hash(key), |item| item.0 == key);
                    prop_assert_eq!(found.map(|(_, item)| &item.1), model.get(&key));
                    if let Some((slot, item)) = found {
                        prop_assert!(table.select([slot].into_iter()).eq([item]));
                    }
                }
                let all: HashMap<u16, u32> = table.iter().copied().collect();
                prop_assert_eq!((table.iter().len(), all), (model.len(), model));
            }
        }
    }
}
