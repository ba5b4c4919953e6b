//! A persistent hash table: items in rows, and their rows by hash.
//!
//! The hash part is a set of numbers. Half of each number is half of a hash, the other half is the
//! row. That takes eight bytes an item and little overhead. If several items have the same half of
//! a hash, the items themselves are compared. Changing an item touches only its row.

use super::persistent_set::PersistentSet;
use super::persistent_vec::{Iter, PersistentVec, Row, Selected};
use super::walk::{Unshared, Walk};
use crate::yield_budget::YieldBudget;

/// A persistent hash table. The caller computes the hash, so that a borrowed key needs no
/// allocation.
#[derive(Clone)]
pub(super) struct Table<T> {
    items: PersistentVec<T>,
    by_hash: PersistentSet<u64>,
}

/// Returns the half of a hash that is stored, with zeroes for the row.
fn hash_half(hash: u64) -> u64 {
    hash & !u64::from(Row::MAX)
}

/// Returns the row of an entry, or `None` if the entry has another hash.
fn row_of(entry: u64, hash: u64) -> Option<Row> {
    Row::try_from(entry ^ hash_half(hash)).ok()
}

impl<T> Table<T> {
    pub(super) fn new() -> Self {
        Self { items: PersistentVec::new(), by_hash: PersistentSet::None }
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns the item with this hash for which `is` returns true, and its row. O(log n), to base
    /// 8.
    pub(super) fn find(&self, hash: u64, is: impl Fn(&T) -> bool) -> Option<(Row, &T)> {
        let mut from = hash_half(hash);
        loop {
            let run = self.by_hash.run_from(from);
            for entry in run {
                let row = row_of(*entry, hash)?;
                if let Some(item) = self.items.get(row).filter(|item| is(item)) {
                    return Some((row, item));
                }
            }
            from = run.last()?.checked_add(1)?;
        }
    }

    /// Returns every item of this state, however long the caller takes.
    pub(super) fn walk(&self) -> Walk<T> {
        self.items.walk()
    }

    /// Returns the items by row.
    pub(super) fn items(&self) -> &PersistentVec<T> {
        &self.items
    }

    /// Frees the nodes that nothing else holds, and yields to other tasks in between.
    pub(super) async fn free(self, budget: &mut YieldBudget) {
        let (items, by_hash) = self.into_unshared();
        items.free(budget).await;
        by_hash.free(budget).await;
    }

    /// Returns the items that nothing else holds, and the set of hashes and rows.
    pub(super) fn into_unshared(self) -> (Unshared<T>, PersistentSet<u64>) {
        (self.items.into_unshared(), self.by_hash)
    }

    /// Returns every item, in row order.
    pub(super) fn iter(&self) -> Iter<'_, T> {
        self.items.iter()
    }

    /// Returns the items in these rows.
    pub(super) fn select<I: Iterator<Item = Row>>(&self, rows: I) -> Selected<'_, T, I> {
        self.items.select(rows)
    }

    /// Calls `visit` for the items from a row on, until `enough` or more are shown. Returns the
    /// row to continue from.
    pub(super) fn visit(
        &self,
        from: Row,
        enough: usize,
        visit: &mut dyn FnMut(Row, &T),
    ) -> Option<Row> {
        self.items.visit(from, enough, visit)
    }
}

impl<T: Clone> Table<T> {
    /// Adds an item, which must not be there yet. Returns its row.
    pub(super) fn insert(&mut self, hash: u64, item: T) -> Row {
        let row = self.items.insert(item);
        self.by_hash.insert(hash_half(hash) | u64::from(row));
        row
    }

    /// Returns an item, mutable. The caller must not change its hashed part. Copies the path to it
    /// if that is shared.
    pub(super) fn get_mut(&mut self, row: Row) -> Option<&mut T> {
        self.items.get_mut(row)
    }

    /// Removes the item with this hash from this row.
    pub(super) fn take(&mut self, hash: u64, row: Row) -> Option<T> {
        self.by_hash.remove(hash_half(hash) | u64::from(row));
        self.items.take(row)
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

        /// The hashes range from all different to all equal, in the stored half or the other.
        #[test]
        fn behaves_as_a_map_and_clones_never_change(
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
                        let found = found.map(|(row, item)| (row, item.1));
                        prop_assert_eq!(found.map(|found| found.1), model.insert(key, value));
                        match found {
                            Some((row, _)) => table.get_mut(row).unwrap().1 = value,
                            None => drop(table.insert(hash(key), (key, value))),
                        }
                    }
                    Op::Remove(key) => {
                        let found = table.find(hash(key), |item| item.0 == key);
                        let row = found.map(|(row, _)| row);
                        let taken = row.and_then(|row| table.take(hash(key), row));
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
                    if let Some((row, item)) = found {
                        prop_assert!(table.select([row].into_iter()).eq([item]));
                    }
                }
                let all: HashMap<u16, u32> = table.iter().copied().collect();
                prop_assert_eq!((table.iter().len(), all), (model.len(), model));
            }
        }
    }
}
