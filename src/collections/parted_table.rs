//! A hash table that grows and shrinks in small steps.
//!
//! A plain hash table moves all of its entries when it grows. A million take tens of milliseconds,
//! in which the thread does nothing else. This table consists of parts of bounded size, chosen by
//! bits of the hash. A full part is split in two, and the others stay (extendible hashing).
//!
//! `griddle` grows in small steps, too. It would save 190 lines, for two more crates and 0.5 s. It
//! shrinks in one long step.

use hashbrown::HashTable;

/// The largest number of entries of a part: seven eighths of 1,024 buckets. Twice as many would
/// take 128 kB in some tables, for which an allocator asks the kernel each time.
const PART: usize = 896;

/// The room that the only part keeps, in entries. A queue is filled and emptied all the time. One
/// of many parts keeps none, so that the last entry does not free the memory of all.
const KEPT: usize = 448;

/// The largest number of bits that choose a part. Parts grow beyond [`PART`] only if this many bits
/// do not tell their entries apart.
const MOST_BITS: u32 = 16;

/// A hash table of entries that contain their key. It keeps half of each entry's hash, so growing
/// reads no key: keys may be far apart in memory.
#[derive(Debug)]
pub(crate) struct PartedTable<T> {
    /// The index of the part for each value of the choosing bits. Its length is a power of two.
    directory: Vec<u32>,
    parts: Vec<Part<T>>,
    len: usize,
}

#[derive(Debug)]
struct Part<T> {
    /// The number of choosing bits that the entries have in common.
    bits: u32,
    entries: HashTable<(u32, T)>,
}

impl<T> Default for PartedTable<T> {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

/// Returns the half of a hash that a table keeps. An entry is found by this half, too.
pub(crate) fn half(hash: u64) -> u32 {
    let [a, b, c, d, ..] = hash.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// Returns the half of a hash that is kept, and this half spread over 64 bits.
fn halve(hash: u64) -> (u32, u64) {
    let half = half(hash);
    (half, spread(half))
}

/// Spreads the half of a hash over 64 bits. The factor is 2^64 divided by the golden ratio.
fn spread(half: u32) -> u64 {
    u64::from(half).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Returns the bits that choose a part. The table of a part uses the lowest and highest bits.
fn choosing_bits(hash: u64) -> usize {
    let [_, _, _, _, low, high, ..] = hash.to_le_bytes();
    usize::from(u16::from_le_bytes([low, high]))
}

/// Returns the hash of an entry that is being moved.
fn moved<T>((half, _): &(u32, T)) -> u64 {
    #[cfg(test)]
    tests::MOVED.set(tests::MOVED.get() + 1);
    spread(*half)
}

impl<T> PartedTable<T> {
    /// Creates a table with room for this number of entries, or for those of one part.
    pub(crate) fn with_capacity(entries: usize) -> Self {
        let part = Part { bits: 0, entries: HashTable::with_capacity(entries.min(PART)) };
        Self { directory: vec![0], parts: vec![part], len: 0 }
    }

    /// Makes room for this number of entries, or for those of one part, if the table is empty.
    pub(crate) fn reserve(&mut self, entries: usize) {
        if let [part] = &mut *self.parts
            && part.entries.is_empty()
        {
            part.entries.reserve(entries.min(PART), moved);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the entry with this hash for which `is` returns true. O(1).
    pub(crate) fn find(&self, hash: u64, is: impl Fn(&T) -> bool) -> Option<&T> {
        let (half, hash) = halve(hash);
        let entries = &self.parts[self.part_of(hash)].entries;
        let found = entries.find(hash, |(other, entry)| *other == half && is(entry));
        found.map(|(_, entry)| entry)
    }

    /// Returns the entry with this hash for which `is` returns true, mutable. O(1).
    pub(crate) fn find_mut(&mut self, hash: u64, is: impl Fn(&T) -> bool) -> Option<&mut T> {
        let (half, hash) = halve(hash);
        let part = self.part_of(hash);
        let entries = &mut self.parts[part].entries;
        let found = entries.find_mut(hash, |(other, entry)| *other == half && is(entry));
        found.map(|(_, entry)| entry)
    }

    /// Adds an entry. The caller has checked that it is not there yet. O(1): it moves at most the
    /// entries of one part.
    pub(crate) fn insert(&mut self, hash: u64, entry: T) {
        let (half, hash) = halve(hash);
        let mut part = self.part_of(hash);
        while self.parts[part].entries.len() >= PART && self.parts[part].bits < MOST_BITS {
            self.split(part, choosing_bits(hash));
            part = self.part_of(hash);
        }
        self.parts[part].entries.insert_unique(hash, (half, entry), moved);
        self.len += 1;
    }

    /// Removes the entry with this hash for which `is` returns true. O(1): it moves at most an
    /// eighth of a part, and frees the memory of at most one. The last entry removes the parts.
    pub(crate) fn remove(&mut self, hash: u64, is: impl Fn(&T) -> bool) -> Option<T> {
        let (half, hash) = halve(hash);
        let (part, alone) = (self.part_of(hash), self.parts.len() == 1);
        let entries = &mut self.parts[part].entries;
        let found = entries.find_entry(hash, |(other, entry)| *other == half && is(entry));
        let entry = found.ok()?.remove().0.1;
        let kept = if alone { KEPT } else { 0 };
        if entries.capacity() > kept && entries.len() <= entries.capacity() / 8 {
            entries.shrink_to(kept, moved);
        }
        self.len -= 1;
        if self.len == 0 && self.parts.len() > 1 {
            self.parts.truncate(1);
            self.parts[0].bits = 0;
            self.directory.truncate(1);
            self.directory[0] = 0;
        }
        Some(entry)
    }

    /// Returns every entry, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.parts.iter().flat_map(|part| part.entries.iter().map(|(_, entry)| entry))
    }

    /// Returns every entry, mutable, in no order. The caller must not change its key.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.parts.iter_mut().flat_map(|part| part.entries.iter_mut().map(|(_, entry)| entry))
    }

    /// Returns every entry, in no order.
    pub(crate) fn into_entries(self) -> impl Iterator<Item = T> {
        self.parts.into_iter().flat_map(|part| part.entries).map(|(_, entry)| entry)
    }

    /// Returns the parts, for freeing them one at a time.
    pub(crate) fn into_parts(self) -> impl Iterator<Item = impl Sized> {
        self.parts.into_iter()
    }

    fn part_of(&self, hash: u64) -> usize {
        self.directory[choosing_bits(hash) & (self.directory.len() - 1)] as usize
    }

    /// Moves the entries of a part to two parts, by the next choosing bit. `chosen_by` are choosing
    /// bits that lead to the part.
    fn split(&mut self, part: usize, chosen_by: usize) {
        let bit = 1 << self.parts[part].bits;
        if self.directory.len() == bit {
            self.directory.extend_from_within(..);
        }
        self.parts[part].bits += 1;
        let bits = self.parts[part].bits;
        // Removed entries would count as room that is taken, and make the part grow.
        let mut halves = [HashTable::with_capacity(PART), HashTable::with_capacity(PART)];
        for entry in std::mem::take(&mut self.parts[part].entries) {
            let hash = moved(&entry);
            let half = usize::from(choosing_bits(hash) & bit != 0);
            halves[half].insert_unique(hash, entry, moved);
        }
        let [stays, entries] = halves;
        self.parts[part].entries = stays;
        let new = u32::try_from(self.parts.len()).unwrap_or(u32::MAX);
        self.parts.push(Part { bits, entries });
        for place in ((chosen_by & (bit - 1) | bit)..self.directory.len()).step_by(2 * bit) {
            self.directory[place] = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    thread_local! {
        pub(super) static MOVED: Cell<usize> = const { Cell::new(0) };
    }

    /// Returns a hash of good quality (the finalizer of `SplitMix64`).
    fn hash(n: u64) -> u64 {
        let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        n ^ (n >> 31)
    }

    #[test]
    fn no_step_moves_more_at_larger_size() {
        for size in [3_000, 30_000, 300_000] {
            let mut table = PartedTable::default();
            let mut longest = 0;
            let mut count = |step: &mut dyn FnMut()| {
                MOVED.set(0);
                step();
                longest = longest.max(MOVED.get());
            };
            for n in 0..size {
                count(&mut || table.insert(hash(n), n));
            }
            assert_eq!(table.len() as u64, size);
            let room = table.parts.iter().map(|part| part.entries.capacity()).max();
            assert!(room <= Some(PART), "{room:?}");
            for n in 0..size {
                let rooms = |table: &PartedTable<_>| {
                    table.parts.iter().filter(|part| part.entries.capacity() > 0).count()
                };
                let before = if n + 10 > size { rooms(&table) } else { 0 };
                count(&mut || assert_eq!(table.remove(hash(n), |entry| *entry == n), Some(n)));
                let freed = before.saturating_sub(rooms(&table));
                assert!(freed <= 1, "{freed} parts freed at once, of {size} entries");
            }
            assert_eq!((table.len(), table.parts.len()), (0, 1));
            assert!(longest <= PART, "{longest} entries moved at once, of {size}");
        }
    }

    #[test]
    fn equal_hashes_are_told_apart() {
        let mut table = PartedTable::default();
        let all = 2 * PART;
        for n in 0..all {
            table.insert(7, n);
        }
        assert!((0..all).all(|n| table.find(7, |entry| *entry == n) == Some(&n)));
        assert_eq!(table.iter().count(), all);
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn table_agrees_with_a_map(
            steps in proptest::collection::vec((0_u64..6_000, any::<bool>()), 1..400),
            spread in 1_u64..40,
        ) {
            let mut table = PartedTable::default();
            let mut model = BTreeMap::new();
            for (from, adds) in steps {
                for n in (from..6_000).step_by(usize::try_from(spread)? * 7).take(200) {
                    let found = table.find_mut(hash(n), |(key, _)| *key == n);
                    prop_assert_eq!(found.is_some(), model.contains_key(&n));
                    match found {
                        Some(entry) if adds => entry.1 += 1,
                        None if adds => table.insert(hash(n), (n, 0)),
                        _ => {
                            let removed = table.remove(hash(n), |(key, _)| *key == n);
                            prop_assert_eq!(removed.map(|(_, value)| value), model.remove(&n));
                        }
                    }
                    if adds {
                        model.entry(n).and_modify(|value| *value += 1).or_insert(0);
                    }
                }
                prop_assert_eq!(table.len(), model.len());
            }
            let entries: BTreeMap<_, _> = table.into_entries().collect();
            prop_assert_eq!(entries, model);
        }
    }
}
