//! A vector in parts, which neither grows nor is freed in one long step.
//!
//! A plain vector moves all of its elements when it grows, and frees their memory at once. With a
//! million elements, either takes milliseconds in which the thread does nothing else.
//!
//! `imbl::Vector` would save 200 lines, for eight more crates and 5 s. It is freed in one long
//! step.

use std::fmt;
use std::iter::{Chain, Flatten, Once, once};
use std::ops::{Index, IndexMut};
use std::{mem, slice, vec};

use crate::panic::caught::drop_safely;

/// The number of elements of a full part.
const PART: usize = 1024;

/// A vector in parts of up to 1,024 elements, for the objects of a list.
///
/// Pushing an element moves at most the elements of one part, however many there are. The owning
/// iterator frees each part after its last element. Code that has to let other tasks run can stop
/// between any two elements.
///
/// When the vector or its iterator is dropped, the elements are dropped one by one. A panic of an
/// element's `Drop` is caught and logged, so the others are dropped, too.
///
/// ```
/// use kube_informer::object::ChunkedVec;
///
/// let mut squares: ChunkedVec<u64> = (0..3000).map(|n| n * n).collect();
/// squares.push(7);
/// squares[1] = 5;
/// assert_eq!((squares.len(), squares[2999]), (3001, 2999 * 2999));
/// assert_eq!(squares.iter().take(3).sum::<u64>(), 9);
/// assert_eq!(squares.into_iter().last(), Some(7));
/// ```
pub struct ChunkedVec<T> {
    /// The parts that have [`PART`] elements each.
    full: Vec<Vec<T>>,
    /// The part that is being filled. It grows as a plain vector does, so a few elements need
    /// little memory.
    last: Vec<T>,
}

impl<T> ChunkedVec<T> {
    /// Creates an empty vector. Allocates nothing.
    pub const fn new() -> Self {
        Self { full: Vec::new(), last: Vec::new() }
    }

    /// Creates an empty vector with room for this number of elements, or for those of one part.
    pub(crate) fn with_capacity(elements: usize) -> Self {
        Self { full: Vec::new(), last: Vec::with_capacity(elements.min(PART)) }
    }

    /// Returns the number of elements. O(1).
    pub fn len(&self) -> usize {
        self.full.len() * PART + self.last.len()
    }

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.last.is_empty()
    }

    /// Adds an element at the end. O(1): it moves at most the elements of one part.
    pub fn push(&mut self, element: T) {
        if self.last.len() == PART {
            self.full.push(mem::replace(&mut self.last, Vec::with_capacity(PART)));
        }
        self.last.push(element);
    }

    /// Returns the element at this position. `None` beyond the end. O(1).
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        match self.full.get(index / PART) {
            Some(part) => part.get(index % PART),
            None => self.last.get(index - self.full.len() * PART),
        }
    }

    /// Returns the element at this position, mutable. `None` beyond the end. O(1).
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        let full = self.full.len();
        match self.full.get_mut(index / PART) {
            Some(part) => part.get_mut(index % PART),
            None => self.last.get_mut(index - full * PART),
        }
    }

    /// Returns the elements in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.into_iter()
    }

    /// Returns the elements in order, mutable.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.full.iter_mut().flatten().chain(&mut self.last)
    }

    /// Returns the elements in order, in slices of at most 1,024.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &[T]> {
        self.full.iter().chain([&self.last]).map(Vec::as_slice)
    }

    /// Takes the elements out.
    fn take(&mut self) -> ChunkedIntoIter<T> {
        let full = mem::take(&mut self.full).into_iter();
        ChunkedIntoIter {
            part: Vec::new().into_iter(),
            rest: full.chain(once(mem::take(&mut self.last))),
        }
    }
}

/// The elements of a [`ChunkedVec`], in order. The memory of a part is freed after its last element
/// was taken.
pub struct ChunkedIntoIter<T> {
    part: vec::IntoIter<T>,
    rest: Chain<vec::IntoIter<Vec<T>>, Once<Vec<T>>>,
}

impl<T> Iterator for ChunkedIntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        loop {
            if let Some(element) = self.part.next() {
                return Some(element);
            }
            self.part = self.rest.next()?.into_iter();
        }
    }
}

impl<T> Drop for ChunkedIntoIter<T> {
    fn drop(&mut self) {
        for element in self {
            drop_safely(element);
        }
    }
}

impl<T> Drop for ChunkedVec<T> {
    fn drop(&mut self) {
        drop(self.take());
    }
}

impl<T> IntoIterator for ChunkedVec<T> {
    type Item = T;
    type IntoIter = ChunkedIntoIter<T>;

    fn into_iter(mut self) -> ChunkedIntoIter<T> {
        self.take()
    }
}

impl<'a, T> IntoIterator for &'a ChunkedVec<T> {
    type Item = &'a T;
    type IntoIter = Chain<Flatten<slice::Iter<'a, Vec<T>>>, slice::Iter<'a, T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.full.iter().flatten().chain(&self.last)
    }
}

impl<T> Extend<T> for ChunkedVec<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        elements.into_iter().for_each(|element| self.push(element));
    }
}

impl<T> FromIterator<T> for ChunkedVec<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let elements = elements.into_iter();
        let mut all = Self::with_capacity(elements.size_hint().0);
        all.extend(elements);
        all
    }
}

/// # Panics
/// If the index is beyond the end.
impl<T> Index<usize> for ChunkedVec<T> {
    type Output = T;

    fn index(&self, index: usize) -> &T {
        self.get(index).unwrap_or_else(|| beyond(index, self.len()))
    }
}

/// # Panics
/// If the index is beyond the end.
impl<T> IndexMut<usize> for ChunkedVec<T> {
    fn index_mut(&mut self, index: usize) -> &mut T {
        let len = self.len();
        self.get_mut(index).unwrap_or_else(|| beyond(index, len))
    }
}

#[cold]
fn beyond(index: usize, len: usize) -> ! {
    panic!("the index is {index}, but there are {len} elements")
}

impl<T> Default for ChunkedVec<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Default for ChunkedIntoIter<T> {
    fn default() -> Self {
        ChunkedVec::new().into_iter()
    }
}

impl<T: fmt::Debug> fmt::Debug for ChunkedVec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl<T> fmt::Debug for ChunkedIntoIter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunkedIntoIter").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::helpers::Bomb;
    use crate::panic::catch;

    #[test]
    fn elements_stay_where_they_are() {
        for size in [3_000, 30_000, 300_000] {
            let mut all = ChunkedVec::new();
            let mut moved = 0;
            for n in 0..size {
                let first = |all: &ChunkedVec<u32>| all.parts().last().map(<[u32]>::as_ptr);
                let (before, parts) = (first(&all), all.full.len());
                all.push(n);
                if all.full.len() > parts {
                    // A full part is kept as it is.
                    assert_eq!(Some(all.full[parts].as_ptr()), before);
                } else if first(&all) != before {
                    moved = moved.max(all.last.len());
                }
            }
            assert!(moved <= PART, "{moved} elements moved at once, of {size}");
            assert!(all.parts().all(|part| part.len() <= PART && !part.is_empty()));
        }
    }

    #[test]
    fn few_elements_need_room_for_few() {
        let mut all = ChunkedVec::new();
        assert_eq!(all.last.capacity(), 0);
        all.push([0_u64; 7]);
        assert_eq!(all.last.capacity(), 4);
        assert_eq!(ChunkedVec::<u8>::with_capacity(70).last.capacity(), 70);
        assert_eq!(ChunkedVec::<u8>::with_capacity(7_000).last.capacity(), PART);
    }

    #[test]
    fn every_element_is_dropped_although_all_panic() {
        let bombs = || -> ChunkedVec<_> { (0..PART + 2).map(|_| Bomb).collect() };
        drop(bombs());
        let mut rest = bombs().into_iter();
        std::mem::forget(rest.next());
        drop(rest);
        let unwound = catch(|| {
            let _bombs = bombs();
            panic!("while they are held");
        });
        assert_eq!(unwound, Err::<(), _>("while they are held".into()));
    }

    #[test]
    fn index_beyond_the_end_panics() {
        let all: ChunkedVec<_> = (0..PART).collect();
        assert_eq!(all[PART - 1], PART - 1);
        let message = catch(|| all[PART]).unwrap_err();
        assert_eq!(message, "the index is 1024, but there are 1024 elements");
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn chunks_agree_with_a_vector(
            len in prop_oneof![0..8_usize, 0..3 * PART, Just(PART), Just(2 * PART)],
            more in 0..PART,
            taken in 0..3 * PART,
        ) {
            let mut model: Vec<_> = (0..len).collect();
            let mut all: ChunkedVec<_> = model.iter().copied().collect();
            all.extend(0..more);
            model.extend(0..more);
            prop_assert_eq!((all.len(), all.is_empty()), (model.len(), model.is_empty()));
            for index in 0..4 * PART {
                prop_assert_eq!(all.get(index), model.get(index));
                prop_assert_eq!(all.get_mut(index), model.get_mut(index));
            }
            all.iter_mut().chain(&mut model).for_each(|element| *element *= 3);
            prop_assert!(all.iter().eq(&model) && all.parts().flatten().eq(&model));
            prop_assert_eq!(format!("{all:?}"), format!("{model:?}"));
            let mut rest = all.into_iter();
            prop_assert!(rest.by_ref().take(taken).eq(model.iter().copied().take(taken)));
            prop_assert!(rest.eq(model.into_iter().skip(taken)));
        }
    }
}
