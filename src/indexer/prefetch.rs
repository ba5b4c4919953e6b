//! An iterator that touches records some steps before it returns them.
//!
//! A caller that takes an object counts a reference, which is an atomic operation, and a processor
//! starts no later load before such an operation is done. So some records are read at once before
//! the first is returned. Their memory then arrives in parallel, instead of one after another
//! between the counts.

use std::hint::black_box;
use std::sync::Arc;

use super::state::Record;
use crate::object::{Cached, ObjectKey};

/// The number of records that are read at once.
const WINDOW: usize = 16;

/// Records in their order, each read before it is returned.
pub(super) struct Prefetch<'a, K, I> {
    records: I,
    window: [Option<&'a Record<K>>; WINDOW],
    /// The position in the window of the next record.
    next: usize,
}

impl<'a, K, I: Iterator<Item = &'a Arc<Record<K>>>> Prefetch<'a, K, I> {
    pub(super) fn new(records: I) -> Self {
        Self { records, window: [None; WINDOW], next: WINDOW }
    }

    fn refill(&mut self) {
        let mut packed = false;
        for place in &mut self.window {
            *place = self.records.next().map(|record| &**record);
            let Some(record) = place else { break };
            packed |= record.cached.is_packed();
        }
        // The result is not used; the compiler must not remove the reads.
        black_box(packed);
        self.next = 0;
    }
}

impl<'a, K, I: Iterator<Item = &'a Arc<Record<K>>>> Iterator for Prefetch<'a, K, I> {
    type Item = (&'a ObjectKey, &'a Cached<K>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.next == WINDOW {
            self.refill();
        }
        let record = self.window.get_mut(self.next)?.take()?;
        self.next += 1;
        Some((&record.key, &record.cached))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let window = self.window.iter().flatten().count();
        let (least, most) = self.records.size_hint();
        (least + window, most.map(|most| most + window))
    }
}

impl<'a, K, I: ExactSizeIterator<Item = &'a Arc<Record<K>>>> ExactSizeIterator
    for Prefetch<'a, K, I>
{
}
