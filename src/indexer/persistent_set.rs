//! A persistent ordered set of numbers: a clone never changes.
//!
//! One number is stored in place, some as one sorted array, and many as arrays under branches by
//! three bits of the number. A row takes four to six bytes, however the rows are spread. Arrays
//! are exactly as long as their content and hold no references, so copying one is copying bytes.
//! Cloning is O(1). Changing copies one array and the branches above it.
//!
//! A branch is replaced by one array when its content is small enough.

use std::sync::Arc;

use crate::yield_budget::YieldBudget;

const BITS: u32 = 3;
const FAN: usize = 1 << BITS;

/// A number that a set can hold.
pub(super) trait Number: Copy + Default + Ord + Into<u64> + TryFrom<u64> {
    /// The largest length of an array: 512 bytes. A longer one is split.
    const LEAF: usize = 512 / size_of::<Self>();

    /// The largest length at which an array replaces a branch. Well below [`LEAF`](Self::LEAF), so
    /// that a number that comes and goes does not split and collapse each time.
    const COLLAPSE: usize = Self::LEAF / 2;

    /// Returns the child of a branch that this number belongs to.
    fn digit(self, shift: u32) -> usize {
        usize::try_from((self.into() >> shift) % FAN as u64).unwrap_or_default()
    }

    /// Returns the position of the bits by which a root must branch to hold this number.
    fn root_shift(self) -> u32 {
        (self.into() | 1).ilog2() / BITS * BITS
    }

    /// Returns the next number, if there is one.
    fn successor(self) -> Option<Self> {
        self.into().checked_add(1)?.try_into().ok()
    }
}

impl<N: Copy + Default + Ord + Into<u64> + TryFrom<u64>> Number for N {}

/// A persistent ordered set.
#[derive(Clone, Default)]
pub(super) enum PersistentSet<N> {
    #[default]
    None,
    One(N),
    /// Two numbers or more.
    Many {
        root: Node<N>,
        len: u32,
        /// The position of the bits by which the root branches, if it is a branch.
        shift: u8,
    },
}

/// A part of a set.
#[derive(Clone)]
pub(super) enum Node<N> {
    Leaf(Arc<[N]>),
    Branch(Arc<[Node<N>; FAN]>),
}

impl<N: Number> PersistentSet<N> {
    /// Returns the number of members. O(1).
    pub(super) fn len(&self) -> usize {
        match self {
            Self::None => 0,
            Self::One(_) => 1,
            Self::Many { len, .. } => *len as usize,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Returns whether the number is in the set. O(log n), to base 8.
    pub(super) fn contains(&self, number: N) -> bool {
        self.run_from(number).first() == Some(&number)
    }

    /// Returns the first members that are at least `from` and lie in one array. Empty only if there
    /// are none.
    pub(super) fn run_from(&self, from: N) -> &[N] {
        match self {
            Self::None => &[],
            Self::One(number) if *number < from => &[],
            Self::One(number) => std::slice::from_ref(number),
            Self::Many { root: Node::Branch(_), shift, .. }
                if from.root_shift() > (*shift).into() =>
            {
                &[]
            }
            Self::Many { root, shift, .. } => {
                root.run_from((*shift).into(), from).unwrap_or_default()
            }
        }
    }

    /// Returns the members in order.
    pub(super) fn iter(&self) -> Iter<'_, N> {
        Iter { numbers: Some(self), run: [].iter(), next: Some(N::default()), left: self.len() }
    }

    /// Adds a number. Returns false if it was there already.
    pub(super) fn insert(&mut self, number: N) -> bool {
        match self {
            Self::None => *self = Self::One(number),
            Self::One(other) if *other == number => return false,
            Self::One(other) => {
                let root = Node::Leaf([number.min(*other), number.max(*other)].into());
                *self = Self::Many { root, len: 2, shift: 0 };
            }
            Self::Many { root, len, shift } => {
                let wanted = root.grow_root((*shift).into(), number);
                // At most the number of bits.
                *shift = u8::try_from(wanted).unwrap_or(u8::MAX);
                let added = root.insert(wanted, number);
                *len += u32::from(added);
                return added;
            }
        }
        true
    }

    /// Removes a number. Returns false if it was not there.
    pub(super) fn remove(&mut self, number: N) -> bool {
        // A number that is not there must not cause a copy.
        if !self.contains(number) {
            return false;
        }
        if let Self::Many { root, len, shift } = self {
            root.remove((*shift).into(), number);
            *len -= 1;
            if *len > 1 {
                return true;
            }
        }
        *self = match self.run_from(N::default()) {
            &[last] if last != number => Self::One(last),
            _ => Self::None,
        };
        true
    }

    /// Frees the nodes that nothing else holds, and yields to other tasks in between.
    pub(super) async fn free(self, budget: &mut YieldBudget) {
        let Self::Many { root: Node::Branch(children), .. } = self else { return };
        let mut branches: Vec<_> = Arc::into_inner(children).into_iter().collect();
        while let Some(children) = branches.pop() {
            budget.spend(FAN).await;
            for child in children {
                // A branch that others hold keeps the nodes below it.
                if let Node::Branch(children) = child {
                    branches.extend(Arc::into_inner(children));
                }
            }
        }
    }
}

impl<N: Number> Node<N> {
    fn empty() -> Self {
        Self::Leaf(Arc::default())
    }

    fn run_from(&self, shift: u32, from: N) -> Option<&[N]> {
        let children = match self {
            Self::Leaf(leaf) => {
                let rest = leaf.get(leaf.partition_point(|number| *number < from)..);
                return rest.filter(|rest| !rest.is_empty());
            }
            Self::Branch(children) => children,
        };
        let start = from.digit(shift);
        children.iter().enumerate().skip(start).find_map(|(at, child)| {
            child
                .run_from(shift.saturating_sub(BITS), if at == start { from } else { N::default() })
        })
    }

    /// Grows a root that branches by the bits at `shift`, until the number fits below it. Returns
    /// the bits by which it branches then, or would when split.
    fn grow_root(&mut self, mut shift: u32, number: N) -> u32 {
        if let Self::Leaf(leaf) = self {
            return leaf.last().copied().max(Some(number)).unwrap_or_default().root_shift();
        }
        while shift < number.root_shift() {
            let mut children: [Self; FAN] = std::array::from_fn(|_| Self::empty());
            children[0] = self.clone();
            *self = Self::Branch(Arc::new(children));
            shift += BITS;
        }
        shift
    }

    /// Adds a number. A node that is split branches by the bits at `shift`.
    fn insert(&mut self, shift: u32, number: N) -> bool {
        match self {
            Self::Leaf(leaf) => {
                let Err(at) = leaf.binary_search(&number) else { return false };
                let (head, tail) = leaf.split_at(at);
                let more = [head, &[number], tail].concat();
                *self = if more.len() > N::LEAF {
                    Self::split(shift, &more)
                } else {
                    Self::Leaf(more.into())
                };
                true
            }
            Self::Branch(children) => {
                let child = &mut Arc::make_mut(children)[number.digit(shift)];
                child.insert(shift.saturating_sub(BITS), number)
            }
        }
    }

    /// Makes a branch of these numbers.
    fn split(shift: u32, numbers: &[N]) -> Self {
        let mut rest = numbers;
        Self::Branch(Arc::new(std::array::from_fn(|child| {
            let (here, after) =
                rest.split_at(rest.partition_point(|number| number.digit(shift) <= child));
            rest = after;
            // At the last bits at most eight numbers are left.
            if here.len() > N::LEAF {
                Self::split(shift.saturating_sub(BITS), here)
            } else {
                Self::Leaf(here.into())
            }
        })))
    }

    /// Removes a number, which must be there.
    fn remove(&mut self, shift: u32, number: N) {
        match self {
            Self::Leaf(leaf) => {
                let head = leaf.partition_point(|other| *other < number);
                let tail = leaf.get(head + 1..).unwrap_or_default();
                *leaf = [&leaf[..head], tail].concat().into();
            }
            Self::Branch(children) => {
                let child = &mut Arc::make_mut(children)[number.digit(shift)];
                child.remove(shift.saturating_sub(BITS), number);
                if let Some(leaf) = Self::collapsed(children) {
                    *self = leaf;
                }
            }
        }
    }

    /// Returns the array that can replace a branch of these children, if they are few enough.
    fn collapsed(children: &[Self; FAN]) -> Option<Self> {
        let mut leaves = [&[][..]; FAN];
        let mut len = 0;
        for (place, child) in leaves.iter_mut().zip(children) {
            let Self::Leaf(leaf) = child else { return None };
            *place = leaf;
            len += leaf.len();
        }
        (len <= N::COLLAPSE).then(|| Self::Leaf(leaves.concat().into()))
    }
}

/// An iterator over the numbers of a set, in order.
pub(super) struct Iter<'a, N> {
    numbers: Option<&'a PersistentSet<N>>,
    run: std::slice::Iter<'a, N>,
    /// The number to continue from when the run is over.
    next: Option<N>,
    left: usize,
}

impl<N> Default for Iter<'_, N> {
    fn default() -> Self {
        Self { numbers: None, run: [].iter(), next: None, left: 0 }
    }
}

impl<N: Number> Iterator for Iter<'_, N> {
    type Item = N;

    fn next(&mut self) -> Option<N> {
        if self.run.as_slice().is_empty() {
            let run = self.numbers?.run_from(self.next?);
            self.next = run.last()?.successor();
            self.run = run.iter();
        }
        self.left = self.left.saturating_sub(1);
        self.run.next().copied()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<N: Number> ExactSizeIterator for Iter<'_, N> {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug)]
    enum Op {
        Insert(u64),
        InsertRun(u64, u64),
        Remove(u64),
        RemoveRun(u64, u64),
        Keep,
    }

    /// Numbers near one another, spread wide, and at both ends.
    fn number() -> impl Strategy<Value = u64> {
        prop_oneof![
            4 => 0..300u64,
            4 => 90_000..91_000u64,
            4 => (0..1000u64).prop_map(|n| n * 0x0041_8937_4BC6_A7EF),
            1 => Just(u64::MAX),
        ]
    }

    fn op() -> impl Strategy<Value = Op> {
        prop_oneof![
            4 => number().prop_map(Op::Insert),
            2 => (number(), 1..400u64).prop_map(|(from, count)| Op::InsertRun(from, count)),
            2 => number().prop_map(Op::Remove),
            2 => (number(), 1..400u64).prop_map(|(from, count)| Op::RemoveRun(from, count)),
            1 => Just(Op::Keep),
        ]
    }

    fn is_a_set<N: Number + std::fmt::Debug>(ops: &[Op]) -> Result<(), TestCaseError> {
        let number = |number: u64| {
            N::try_from(number).or_else(|_| N::try_from(number >> 32)).unwrap_or_default()
        };
        let mut numbers = PersistentSet::<N>::default();
        let mut model = BTreeSet::new();
        let mut kept = Vec::new();
        for op in ops {
            match *op {
                Op::Insert(n) => {
                    prop_assert_eq!(numbers.insert(number(n)), model.insert(number(n)));
                }
                Op::InsertRun(from, count) => {
                    for n in from..from.saturating_add(count) {
                        prop_assert_eq!(numbers.insert(number(n)), model.insert(number(n)));
                    }
                }
                Op::Remove(n) => {
                    prop_assert_eq!(numbers.remove(number(n)), model.remove(&number(n)));
                }
                Op::RemoveRun(from, count) => {
                    for n in from..from.saturating_add(count) {
                        prop_assert_eq!(numbers.remove(number(n)), model.remove(&number(n)));
                    }
                }
                Op::Keep => kept.push((numbers.clone(), model.clone())),
            }
            prop_assert_eq!(numbers.len(), model.len());
            prop_assert_eq!(numbers.is_empty(), model.is_empty());
        }
        kept.push((numbers, model));
        for (numbers, model) in kept {
            prop_assert_eq!(numbers.iter().len(), model.len());
            prop_assert!(numbers.iter().eq(model.iter().copied()));
            for op in ops {
                let (Op::Insert(n) | Op::Remove(n) | Op::InsertRun(n, _) | Op::RemoveRun(n, _)) =
                    *op
                else {
                    continue;
                };
                let n = number(n);
                prop_assert_eq!(numbers.contains(n), model.contains(&n));
                prop_assert_eq!(numbers.run_from(n).first(), model.range(n..).next());
            }
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn behaves_as_a_set_and_clones_never_change(ops in proptest::collection::vec(op(), 0..40)) {
            is_a_set::<u32>(&ops)?;
            is_a_set::<u64>(&ops)?;
        }
    }

    #[test]
    fn removal_leaves_no_branches_behind() {
        for step in [1, 7, 40_000] {
            let mut numbers = PersistentSet::default();
            for n in 0..10_000u32 {
                numbers.insert(n * step);
            }
            assert!(matches!(&numbers, PersistentSet::Many { root: Node::Branch(_), .. }));
            for n in 2..10_000 {
                numbers.remove(n * step);
            }
            assert!(matches!(&numbers, PersistentSet::Many { root: Node::Leaf(_), .. }));
            numbers.remove(0);
            assert!(matches!(numbers, PersistentSet::One(n) if n == step));
        }
    }

    #[test]
    fn set_is_no_larger_than_a_string() {
        assert!(size_of::<PersistentSet<u32>>() <= 24);
    }
}
