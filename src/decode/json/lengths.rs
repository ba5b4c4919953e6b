//! The lengths of lists and maps, counted ahead of the reader.
//!
//! With its length, a vector is allocated once and at its size. The first list or map whose length
//! is asked for is scanned to its end, and so are those inside it, in the same pass. Thus no byte is
//! scanned twice, however deep it lies, and nothing is scanned for a type that does not ask.

use super::skip::pass_text;
use crate::decode::budget::Budget;

/// The lengths of one list or map and of all inside it, in the order of their beginnings.
#[derive(Debug, Default)]
pub(super) struct Lengths {
    lengths: Vec<Length>,
    /// The lengths before this one were asked for or passed over.
    next: usize,
    /// The end of the text that was scanned.
    end: usize,
    /// The indices of the open lists and maps during a scan, without the innermost.
    open: Vec<u32>,
    /// True if nothing further is scanned: the text is malformed, or too large.
    gave_up: bool,
}

#[derive(Debug)]
struct Length {
    /// The position after the opening bracket.
    start: u32,
    length: u32,
}

impl Lengths {
    /// Forgets the text.
    pub(super) fn clear(&mut self) {
        self.lengths.clear();
        (self.next, self.end, self.gave_up) = (0, 0, false);
    }

    /// Returns the length of the list or map after whose opening bracket the reader stands.
    pub(super) fn of(&mut self, bytes: &[u8], start: usize, budget: &Budget) -> Option<usize> {
        if self.gave_up {
            return None;
        }
        if start >= self.end && self.scan(bytes, start, budget).is_none() {
            self.gave_up = true;
            return None;
        }
        loop {
            let found = self.lengths.get(self.next)?;
            match (found.start as usize).cmp(&start) {
                std::cmp::Ordering::Less => self.next += 1,
                std::cmp::Ordering::Equal => return Some(found.length as usize),
                std::cmp::Ordering::Greater => return None,
            }
        }
    }

    /// Scans the list or map with this beginning. Its text need not be well-formed: the reader
    /// finds out.
    fn scan(&mut self, bytes: &[u8], start: usize, budget: &Budget) -> Option<()> {
        self.lengths.clear();
        self.open.clear();
        self.next = 0;
        let mut innermost = self.push(bytes, start, budget)?;
        let mut at = start;
        loop {
            match *bytes.get(at)? {
                b'"' => {
                    at = pass_text(bytes, at + 1)?;
                    continue;
                }
                b',' => self.lengths[innermost as usize].length += 1,
                b'[' | b'{' => {
                    self.open.push(innermost);
                    innermost = self.push(bytes, at + 1, budget)?;
                }
                b']' | b'}' => match self.open.pop() {
                    Some(outer) => innermost = outer,
                    None => break,
                },
                _ => {}
            }
            at += 1;
        }
        self.end = at;
        Some(())
    }

    /// Adds the length of a list or map: zero if it is empty, otherwise one, to which each comma
    /// adds another.
    fn push(&mut self, bytes: &[u8], start: usize, budget: &Budget) -> Option<u32> {
        if self.lengths.len() == self.lengths.capacity() {
            let more = self.lengths.len().max(32);
            if !budget.try_charge(more * size_of::<Length>()) {
                return None;
            }
            self.lengths.reserve_exact(more);
        }
        let first = bytes.get(start..)?.iter().find(|byte| **byte > b' ')?;
        let length = u32::from(!matches!(first, b']' | b'}'));
        let index = u32::try_from(self.lengths.len()).ok()?;
        self.lengths.push(Length { start: u32::try_from(start).ok()?, length });
        Some(index)
    }
}
