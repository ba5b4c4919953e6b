//! The lengths of lists, counted ahead of the reader.
//!
//! With its length, a vector is allocated once and at its size. The first list whose length is
//! asked for is scanned to its end, and so are the lists inside it, in the same pass. Thus no byte
//! is scanned twice, however deep it lies, and nothing is scanned for a type that does not ask.

use super::MAX_DEPTH;
use super::skip::pass_text;
use crate::budget::Budget;

/// The number of lengths that are not charged.
const FREE: usize = 64;

/// The lengths of one list and of all lists inside it, in the order of their beginnings.
#[derive(Debug, Default)]
pub(super) struct Lengths {
    lists: Vec<Length>,
    /// The lengths before this one were asked for or passed over.
    next: usize,
    /// The end of the text that was scanned.
    end: usize,
    /// The open lists and maps during a scan, without the innermost: their lists and commas.
    open: Vec<(u32, u32)>,
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
        self.lists.clear();
        (self.next, self.end, self.gave_up) = (0, 0, false);
    }

    /// Returns the length of the list whose opening bracket was just read.
    pub(super) fn of(&mut self, bytes: &[u8], start: usize, budget: &Budget) -> Option<usize> {
        if self.gave_up {
            return None;
        }
        if start >= self.end && self.scan(bytes, start, budget).is_none() {
            self.gave_up = true;
            return None;
        }
        loop {
            let found = self.lists.get(self.next)?;
            match (found.start as usize).cmp(&start) {
                std::cmp::Ordering::Less => self.next += 1,
                std::cmp::Ordering::Equal => return Some(found.length as usize),
                std::cmp::Ordering::Greater => return None,
            }
        }
    }

    /// Scans the list with this beginning. Its text need not be well-formed: the reader finds out.
    fn scan(&mut self, bytes: &[u8], start: usize, budget: &Budget) -> Option<()> {
        self.lists.clear();
        self.open.clear();
        self.next = 0;
        // The index of the innermost list, and the commas in the innermost list or map.
        let mut list = self.push(bytes, start, budget)?;
        let mut commas = 0;
        let mut at = start;
        loop {
            let byte = *bytes.get(at)?;
            at += 1;
            match byte {
                b'"' => {
                    at = pass_text(bytes, at)?;
                    at += usize::from(bytes.get(at) == Some(&b':'));
                }
                b',' => commas += 1,
                b'{' | b'[' => {
                    // The reader refuses deeper values. Brackets alone could be a whole text.
                    if self.open.len() > usize::from(MAX_DEPTH) {
                        return None;
                    }
                    self.open.push((list, commas));
                    if byte == b'[' {
                        list = self.push(bytes, at, budget)?;
                    }
                    commas = 0;
                }
                b'}' => (list, commas) = self.open.pop()?,
                b']' => {
                    self.lists.get_mut(list as usize)?.length += commas;
                    let Some(outer) = self.open.pop() else { break };
                    (list, commas) = outer;
                }
                _ => {}
            }
        }
        self.end = at - 1;
        Some(())
    }

    /// Adds the length of a list: zero if it is empty, otherwise one, to which each comma adds
    /// another.
    #[inline]
    fn push(&mut self, bytes: &[u8], start: usize, budget: &Budget) -> Option<u32> {
        if self.lists.len() == self.lists.capacity() {
            self.grow(budget)?;
        }
        let mut first = *bytes.get(start)?;
        if first <= b' ' {
            first = *bytes[start..].iter().find(|byte| **byte > b' ')?;
        }
        let index = u32::try_from(self.lists.len()).ok()?;
        let start = u32::try_from(start).ok()?;
        self.lists.push(Length { start, length: u32::from(first != b']') });
        Some(index)
    }

    #[cold]
    fn grow(&mut self, budget: &Budget) -> Option<()> {
        let more = self.lists.len().max(FREE);
        if !self.lists.is_empty() && !budget.try_charge(more * size_of::<Length>()) {
            return None;
        }
        self.lists.reserve_exact(more);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_of_a_scan_is_bounded() {
        for brackets in ["[", "{", "[{"] {
            let (mut lengths, budget) = (Lengths::default(), Budget::new(1 << 20));
            let text = format!("[{}", brackets.repeat(100_000));
            assert_eq!(lengths.of(text.as_bytes(), 1, &budget), None);
            assert!(lengths.open.capacity() <= 256);
        }
        let deepest = format!("{}{}", "[".repeat(127), "]".repeat(127));
        let (mut lengths, budget) = (Lengths::default(), Budget::new(1 << 20));
        assert_eq!(lengths.of(deepest.as_bytes(), 1, &budget), Some(1));
        assert_eq!(lengths.of(deepest.as_bytes(), 127, &budget), Some(0));
    }
}
