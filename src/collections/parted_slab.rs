//! A slab in parts, which neither grows nor is freed in one long step.
//!
//! A plain slab moves all of its values when it grows, and can free their memory only at once. So
//! does the crate `slab`, which is in the tree and would save 140 lines.

use std::mem;

use crate::panic::caught::drop_safely;

/// The number of values of a full part.
const PART: u32 = 1024;

/// Keeps each value at a number, which stays the same until the value is removed. A later value may
/// get the number of a removed one.
///
/// When the slab is dropped, the values are dropped one by one. A panic of a value's `Drop` is
/// caught and logged, so the others are dropped, too.
#[derive(Debug)]
pub(crate) struct PartedSlab<T> {
    parts: Vec<Part<T>>,
    /// The parts that are not full. The last of them is filled next.
    open: Vec<u32>,
    /// The part that was emptied last. It keeps its memory, because a slab is often filled and
    /// emptied all the time.
    emptied: u32,
}

#[derive(Debug)]
struct Part<T> {
    cells: Vec<Cell<T>>,
    /// The first free cell; beyond the cells if each has a value.
    free: u32,
    /// The number of values.
    len: u32,
}

#[derive(Debug)]
enum Cell<T> {
    Taken(T),
    /// Names the next free cell.
    Free(u32),
}

impl<T> Default for PartedSlab<T> {
    fn default() -> Self {
        Self { parts: Vec::new(), open: Vec::new(), emptied: 0 }
    }
}

impl<T> PartedSlab<T> {
    /// Returns the value at a number. O(1).
    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        let part = self.parts.get((number / PART) as usize)?;
        match part.cells.get((number % PART) as usize)? {
            Cell::Taken(value) => Some(value),
            Cell::Free(_) => None,
        }
    }

    /// Returns the value at a number, mutable. O(1).
    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        let part = self.parts.get_mut((number / PART) as usize)?;
        match part.cells.get_mut((number % PART) as usize)? {
            Cell::Taken(value) => Some(value),
            Cell::Free(_) => None,
        }
    }

    /// Adds a value. Returns its number. O(1): it moves at most the values of one part.
    pub(crate) fn insert(&mut self, value: T) -> u32 {
        let index = self.open.last().copied().unwrap_or_else(|| {
            // More parts do not fit into memory.
            let new = u32::try_from(self.parts.len()).unwrap_or(u32::MAX);
            // The first part grows as a plain vector does, so a few values need little memory.
            let room = if new == 0 { 0 } else { PART as usize };
            self.parts.push(Part { cells: Vec::with_capacity(room), free: 0, len: 0 });
            self.open.push(new);
            new
        });
        let part = &mut self.parts[index as usize];
        let at = part.free;
        if let Some(cell) = part.cells.get_mut(at as usize) {
            if let Cell::Free(next) = mem::replace(cell, Cell::Taken(value)) {
                part.free = next;
            }
        } else {
            part.cells.push(Cell::Taken(value));
            part.free += 1;
        }
        part.len += 1;
        if part.len == PART {
            self.open.pop();
        }
        index * PART + at
    }

    /// Removes the value at a number if `is` returns true. O(1): it frees the memory of at most one
    /// part.
    pub(crate) fn remove_if(&mut self, number: u32, is: impl FnOnce(&T) -> bool) -> Option<T> {
        let (index, at) = (number / PART, number % PART);
        let part = self.parts.get_mut(index as usize)?;
        let cell = part.cells.get_mut(at as usize)?;
        let Cell::Taken(value) = cell else { return None };
        if !is(value) {
            return None;
        }
        let cell = mem::replace(cell, Cell::Free(part.free));
        part.free = at;
        if part.len == PART {
            self.open.push(index);
        }
        part.len -= 1;
        if part.len == 0 {
            part.cells.clear();
            part.free = 0;
            let before = mem::replace(&mut self.emptied, index);
            if before != index && self.parts[before as usize].len == 0 {
                self.parts[before as usize].cells = Vec::new();
            }
        }
        match cell {
            Cell::Taken(value) => Some(value),
            Cell::Free(_) => None,
        }
    }

    /// The size in bytes of a cell.
    #[cfg(test)]
    pub(crate) const CELL: usize = size_of::<Cell<T>>();

    /// Removes the value at a number. O(1): it frees the memory of at most one part.
    pub(crate) fn remove(&mut self, number: u32) -> Option<T> {
        self.remove_if(number, |_| true)
    }

    /// Returns the number of values.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.parts.iter().map(|part| part.len as usize).sum()
    }
}

impl<T> Drop for PartedSlab<T> {
    fn drop(&mut self) {
        for cell in self.parts.drain(..).flat_map(|part| part.cells) {
            drop_safely(cell);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::helpers::Bomb;

    fn room<T>(slab: &PartedSlab<T>) -> Vec<usize> {
        slab.parts.iter().map(|part| part.cells.capacity()).filter(|room| *room > 0).collect()
    }

    #[test]
    fn each_part_is_freed_with_its_last_value() {
        for size in [3_000, 30_000, 300_000] {
            let mut slab = PartedSlab::default();
            let numbers: Vec<_> = (0..size).map(|value| slab.insert(value)).collect();
            assert!(room(&slab).into_iter().all(|room| room == PART as usize));
            for (value, number) in (0..size).zip(numbers) {
                let before = if value % 500 < 30 { room(&slab).len() } else { 0 };
                assert_eq!(slab.remove(number), Some(value));
                if before > 0 {
                    let left = (size - value) / PART as usize;
                    let parts = room(&slab).len();
                    assert!(before - parts <= 1 && parts <= left + 3, "{parts} of {size}");
                }
            }
            assert_eq!(room(&slab), [PART as usize], "the last part stays");
        }
    }

    #[test]
    fn few_values_need_room_for_few_and_no_allocation_later() {
        let mut slab = PartedSlab::default();
        for value in 0..10_000 {
            let number = slab.insert(value);
            assert_eq!(slab.remove(number), Some(value));
        }
        assert_eq!(room(&slab), [4]);
    }

    #[test]
    fn every_value_is_dropped_although_all_panic() {
        let mut slab = PartedSlab::default();
        for _ in 0..PART + 2 {
            slab.insert(Bomb);
        }
        drop(slab);
    }

    proptest! {
        #![proptest_config(crate::seeds::cases(20))]

        #[test]
        fn slab_agrees_with_a_map(
            steps in proptest::collection::vec((0..2_500_usize, 0..2_500_usize, 1..9_usize), 1..12),
        ) {
            let (mut slab, mut model) = (PartedSlab::default(), BTreeMap::new());
            for (added, removed, spread) in steps {
                for value in 0..added {
                    let number = slab.insert(value);
                    prop_assert_eq!(model.insert(number, value), None);
                }
                let numbers: Vec<_> = model.keys().copied().step_by(spread).take(removed).collect();
                for number in numbers {
                    prop_assert_eq!(slab.remove(number), model.remove(&number));
                    prop_assert_eq!(slab.remove(number), None);
                }
                prop_assert_eq!(slab.len(), model.len());
                for number in 0..20_000 {
                    prop_assert_eq!(slab.get(number), model.get(&number));
                    prop_assert_eq!(slab.get_mut(number), model.get_mut(&number));
                }
            }
        }
    }
}
