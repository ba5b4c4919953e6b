//! A doubly linked list whose links are in the elements.
//!
//! It has no memory of its own, so it never grows, and any element can leave at once.
//!
//! `intrusive-collections` would save 60 lines, for one more crate and 0.7 s. Removing an element
//! needs unsafe code there.

use super::PartedSlab;

/// The number of no element.
const NONE: u32 = u32::MAX;

/// The first and the last of some elements of a slab.
#[derive(Debug)]
pub(crate) struct IntrusiveList {
    first: u32,
    last: u32,
}

/// The neighbours of an element in its list. An element is in one list at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Links {
    before: u32,
    after: u32,
}

/// An element that can be in a list.
pub(crate) trait Linked {
    fn links(&mut self) -> &mut Links;
}

impl Default for Links {
    fn default() -> Self {
        Self { before: NONE, after: NONE }
    }
}

impl Default for IntrusiveList {
    fn default() -> Self {
        Self { first: NONE, last: NONE }
    }
}

impl IntrusiveList {
    /// Returns the number of the first element.
    pub(crate) fn first(&self) -> Option<u32> {
        (self.first != NONE).then_some(self.first)
    }

    /// Adds an element that is in no list. O(1).
    pub(crate) fn push_back(&mut self, elements: &mut PartedSlab<impl Linked>, number: u32) {
        let Some(new) = elements.get_mut(number) else { return };
        *new.links() = Links { before: self.last, after: NONE };
        match elements.get_mut(self.last) {
            Some(last) => last.links().after = number,
            None => self.first = number,
        }
        self.last = number;
    }

    /// Removes an element of this list. It stays in the slab. O(1).
    pub(crate) fn remove(&mut self, elements: &mut PartedSlab<impl Linked>, number: u32) {
        let Some(old) = elements.get_mut(number) else { return };
        let Links { before, after } = *old.links();
        match elements.get_mut(before) {
            Some(before) => before.links().after = after,
            None => self.first = after,
        }
        match elements.get_mut(after) {
            Some(after) => after.links().before = before,
            None => self.last = before,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::iter::successors;

    use proptest::prelude::*;

    use super::*;

    impl Linked for Links {
        fn links(&mut self) -> &mut Links {
            self
        }
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn lists_agree_with_vectors(
            steps in proptest::collection::vec((any::<bool>(), any::<usize>()), 0..200),
        ) {
            let mut slab = PartedSlab::default();
            let mut lists: [_; 2] = Default::default();
            let mut models: [Vec<u32>; 2] = Default::default();
            for (adds, at) in steps {
                let (list, model): (&mut IntrusiveList, _) = (&mut lists[at % 2], &mut models[at % 2]);
                if adds {
                    let new = slab.insert(Links::default());
                    list.push_back(&mut slab, new);
                    model.push(new);
                } else if !model.is_empty() {
                    let old = model.remove(at % model.len());
                    list.remove(&mut slab, old);
                    slab.remove(old);
                }
                let present = |number: u32| (number != NONE).then_some(number);
                let next = |number: &u32| present(slab.get(*number)?.after);
                prop_assert!(successors(list.first(), next).eq(model.iter().copied()));
                let next = |number: &u32| present(slab.get(*number)?.before);
                prop_assert!(successors(present(list.last), next).eq(model.iter().rev().copied()));
            }
        }
    }
}
