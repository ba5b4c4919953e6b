//! A queue in parts, which neither grows nor is freed in one long step.
//!
//! A backlog may hold an event for each object. A plain queue of that length is moved when it
//! grows, and keeps its memory when it is empty.
//!
//! `imbl::Vector` would save 70 lines, for eight more crates and 5 s.

use std::collections::VecDeque;
use std::iter::from_fn;

/// The largest number of elements of a part.
const PART: usize = 1024;

/// A queue whose first part grows as a plain queue does, and is followed by others once it is full.
#[derive(Debug)]
pub(crate) struct PartedQueue<T> {
    front: VecDeque<T>,
    /// All parts but the last have [`PART`] elements.
    rest: VecDeque<VecDeque<T>>,
}

impl<T> Default for PartedQueue<T> {
    fn default() -> Self {
        Self { front: VecDeque::new(), rest: VecDeque::new() }
    }
}

impl<T> PartedQueue<T> {
    /// Returns the number of elements. O(1).
    pub(crate) fn len(&self) -> usize {
        let last = self.rest.back().map_or(0, VecDeque::len);
        self.front.len() + self.rest.len().saturating_sub(1) * PART + last
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.front.is_empty()
    }

    /// Adds an element at the end. O(1): it moves at most the elements of one part.
    pub(crate) fn push_back(&mut self, element: T) {
        let last = self.rest.back_mut().unwrap_or(&mut self.front);
        if last.len() < PART {
            last.push_back(element);
        } else {
            let mut part = VecDeque::with_capacity(PART);
            part.push_back(element);
            self.rest.push_back(part);
        }
    }

    /// Takes the first element. O(1): it frees at most one part.
    pub(crate) fn pop_front(&mut self) -> Option<T> {
        let first = self.front.pop_front();
        if self.front.is_empty()
            && let Some(next) = self.rest.pop_front()
        {
            self.front = next;
        }
        first
    }

    /// Returns an element, mutable. O(1).
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        match index.checked_sub(self.front.len()) {
            None => self.front.get_mut(index),
            Some(index) => self.rest.get_mut(index / PART)?.get_mut(index % PART),
        }
    }

    /// Returns the elements in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.front.iter().chain(self.rest.iter().flatten())
    }

    /// Takes out the elements, in order.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = T> {
        from_fn(|| self.pop_front())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn queue_agrees_with_a_plain_one(
            steps in proptest::collection::vec((0..2 * PART, 0..2 * PART), 1..6),
        ) {
            let (mut queue, mut model) = (PartedQueue::default(), VecDeque::new());
            for (pushed, popped) in steps {
                for n in 0..pushed {
                    queue.push_back(n);
                    model.push_back(n);
                }
                for _ in 0..popped {
                    prop_assert_eq!(queue.pop_front(), model.pop_front());
                }
                prop_assert_eq!(queue.len(), model.len());
                prop_assert!(queue.iter().eq(&model));
                for index in 0..model.len() + 2 {
                    prop_assert_eq!(queue.get_mut(index), model.get_mut(index));
                }
            }
            prop_assert!(queue.drain().eq(model));
            prop_assert_eq!(queue.len(), 0);
        }
    }

    #[test]
    fn room_follows_the_elements() {
        let mut queue = PartedQueue::default();
        for n in 0..3 {
            queue.push_back(n);
        }
        assert!(queue.front.capacity() < 8, "a few elements need room for few");
        for size in [3_000, 30_000, 300_000] {
            for n in 0..size {
                queue.push_back(n);
                let parts = queue.rest.iter().chain([&queue.front]);
                assert!(n % 1_000 > 0 || parts.map(VecDeque::capacity).max() <= Some(2 * PART));
            }
            while queue.len() > 3 {
                queue.pop_front();
            }
            assert_eq!((queue.rest.len(), queue.rest.capacity() < size / 100), (0, true));
        }
    }
}
