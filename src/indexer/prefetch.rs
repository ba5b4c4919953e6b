//! Looking ahead while objects are handed out.
//!
//! Who takes an object counts a reference in it, and a processor begins nothing that comes after such
//! a count before it is done. So the records are looked at some at once before the first is handed
//! out: then their memory arrives side by side, and not one after another between the counts.

use std::hint::black_box;
use std::sync::Arc;

use super::state::Record;
use crate::object::{Cached, ObjectKey};

/// How many records are looked at at once.
const AHEAD: usize = 16;

/// Records in their order, each looked at well before it is handed out.
pub(super) struct Prefetch<'a, K, I> {
    records: I,
    near: [Option<&'a Record<K>>; AHEAD],
    /// The first of those near that was not handed out.
    next: usize,
}

impl<'a, K, I: Iterator<Item = &'a Arc<Record<K>>>> Prefetch<'a, K, I> {
    pub(super) fn new(records: I) -> Self {
        Self { records, near: [None; AHEAD], next: AHEAD }
    }

    fn look(&mut self) {
        let mut packed = false;
        for place in &mut self.near {
            *place = self.records.next().map(|record| &**record);
            let Some(record) = place else { break };
            packed |= record.cached.is_packed();
        }
        // What was seen is of no use; that it was looked at is.
        black_box(packed);
        self.next = 0;
    }
}

impl<'a, K, I: Iterator<Item = &'a Arc<Record<K>>>> Iterator for Prefetch<'a, K, I> {
    type Item = (&'a ObjectKey, &'a Cached<K>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.next == AHEAD {
            self.look();
        }
        let record = self.near.get_mut(self.next)?.take()?;
        self.next += 1;
        Some((&record.key, &record.cached))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let near = self.near.iter().flatten().count();
        let (least, most) = self.records.size_hint();
        (least + near, most.map(|most| most + near))
    }
}

impl<'a, K, I: ExactSizeIterator<Item = &'a Arc<Record<K>>>> ExactSizeIterator
    for Prefetch<'a, K, I>
{
}
