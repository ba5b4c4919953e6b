//! A queue whose entries can be taken out of the middle by their number.
//!
//! Each leaves a gap. The queue closes its gaps in short steps: it moves entries from the front of
//! one part to the end of another before it, where they stand close together.

use crate::collections::PartedQueue;

/// The number of entries and gaps that one step moves.
const STEP: usize = 8;

/// A queue of numbered entries, with gaps.
pub(super) struct GappedQueue<T> {
    /// The entries that were moved, while gaps are closed. Their numbers are lower than those of
    /// the rest, because no entry moves back.
    moved: Run<T>,
    rest: Run<T>,
}

/// Entries and gaps with consecutive numbers.
struct Run<T> {
    /// The number of the entry in front.
    first: u64,
    entries: PartedQueue<Option<T>>,
}

impl<T> Default for Run<T> {
    fn default() -> Self {
        Self { first: 0, entries: PartedQueue::default() }
    }
}

impl<T> Default for GappedQueue<T> {
    fn default() -> Self {
        Self { moved: Run::default(), rest: Run::default() }
    }
}

impl<T> Run<T> {
    fn push(&mut self, entry: T) -> u64 {
        self.entries.push_back(Some(entry));
        self.first + self.entries.len() as u64 - 1
    }

    /// Takes the entry or gap in front, with its number.
    fn pop(&mut self) -> Option<(u64, Option<T>)> {
        let entry = self.entries.pop_front()?;
        self.first += 1;
        Some((self.first - 1, entry))
    }

    fn get_mut(&mut self, number: u64) -> Option<&mut Option<T>> {
        self.entries.get_mut(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }
}

impl<T> GappedQueue<T> {
    /// Returns the number of entries and gaps. O(1).
    pub(super) fn len(&self) -> usize {
        self.moved.entries.len() + self.rest.entries.len()
    }

    /// Adds an entry at the end. Returns its number.
    pub(super) fn push(&mut self, entry: T) -> u64 {
        self.rest.push(entry)
    }

    /// Takes the entry or gap in front, with its number.
    pub(super) fn pop(&mut self) -> Option<(u64, Option<T>)> {
        let run = if self.moved.entries.is_empty() { &mut self.rest } else { &mut self.moved };
        run.pop()
    }

    /// Returns the place of an entry. `None` in it is a gap.
    pub(super) fn get_mut(&mut self, number: u64) -> Option<&mut Option<T>> {
        let run = if number < self.rest.first { &mut self.moved } else { &mut self.rest };
        run.get_mut(number)
    }

    /// Returns the entries in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.moved.entries.iter().chain(self.rest.entries.iter()).flatten()
    }

    /// Takes out the entries, in order.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = T> {
        self.moved.entries.drain().chain(self.rest.entries.drain()).flatten()
    }

    /// Does a step of closing gaps, if `begin` is true or an earlier step left work. Calls
    /// `renumber` for each entry that gets another number, with both numbers.
    pub(super) fn close_gaps(&mut self, begin: bool, mut renumber: impl FnMut(&T, u64, u64)) {
        if self.moved.entries.is_empty() {
            if !begin {
                return;
            }
            self.moved.first = self.rest.first;
        }
        for _ in 0..STEP {
            let Some((from, entry)) = self.rest.pop() else {
                std::mem::swap(&mut self.moved, &mut self.rest);
                return;
            };
            if let Some(entry) = entry {
                let to = self.moved.first + self.moved.entries.len() as u64;
                renumber(&entry, from, to);
                self.moved.push(entry);
            }
        }
    }
}
