//! A vector whose every state can be kept, and whose places are used again.
//!
//! What is put in gets the lowest free slot and keeps it, however often it is changed, until it is
//! taken out. So what arrives together lies together, and a full store has no gaps. Cloning is O(1),
//! changing copies one path of nodes of eight: so small that a copy counts few references. A node
//! that only this clone holds is changed in place.
//!
//! It never moves anything to another slot, and keeps no node for free slots alone.

use std::sync::Arc;

use super::walk::Walk;
use crate::panic::let_go;

/// Where in [`PersistentVec`] something is.
pub(super) type Slot = u32;

pub(super) const BITS: u32 = 3;
pub(super) const FAN: usize = 1 << BITS;

/// A persistent vector of slots, free or taken.
#[derive(Clone)]
pub(super) struct PersistentVec<T> {
    root: Option<Arc<Node<T>>>,
    /// How many levels of branches are above the leaves.
    height: u32,
    /// How many slots are taken.
    len: usize,
}

/// A part of a vector.
#[derive(Clone)]
pub(super) enum Node<T> {
    Leaf(Leaf<T>),
    Branch {
        /// A bit for each child that has no free slot.
        full: u8,
        children: [Option<Arc<Node<T>>>; FAN],
    },
}

pub(super) type Leaf<T> = [Option<T>; FAN];

/// In which child of a node at this height a slot is.
fn digit(slot: Slot, height: u32) -> usize {
    (slot >> (height * BITS)) as usize % FAN
}

/// The slots below a child of a node at this height begin here.
fn first_of(child: usize, height: u32) -> Slot {
    Slot::try_from(child).expect("a child is less than eight") << (height * BITS)
}

/// A leaf drops its items one by one, because each may run user code that panics.
impl<T> Drop for Node<T> {
    fn drop(&mut self) {
        if let Self::Leaf(items) = self {
            for item in items.iter_mut().filter_map(Option::take) {
                let_go(item);
            }
        }
    }
}

impl<T> PersistentVec<T> {
    pub(super) fn new() -> Self {
        Self { root: None, height: 0, len: 0 }
    }

    /// How many slots are taken. O(1).
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// O(log n), to base 8.
    pub(super) fn get(&self, slot: Slot) -> Option<&T> {
        self.leaf(slot)?[digit(slot, 0)].as_ref()
    }

    /// Everything, in the order of the slots.
    pub(super) fn iter(&self) -> Iter<'_, T> {
        let mut iter = Iter { leaf: [].iter(), branches: Vec::new(), left: self.len };
        iter.enter(self.root.as_deref());
        iter
    }

    /// Everything of this moment, for as long as the caller takes: each node is let go of when it
    /// was walked.
    pub(super) fn walk(&self) -> Walk<T> {
        Walk::new(self.root.clone(), self.len)
    }

    /// The root, and how many levels of branches are above the leaves.
    pub(super) fn root(&self) -> Option<(&Arc<Node<T>>, u32)> {
        Some((self.root.as_ref()?, self.height))
    }

    /// What is in these slots. Of slots next to one another one descent finds eight.
    pub(super) fn select<I: Iterator<Item = Slot>>(&self, chosen: I) -> Selected<'_, T, I> {
        Selected { slots: self, chosen, found: None }
    }

    /// Shows what is in the slots from `from` on, where a leaf begins, until it is `enough` or more;
    /// gives where to go on.
    pub(super) fn visit(
        &self,
        from: Slot,
        enough: usize,
        visit: &mut dyn FnMut(Slot, &T),
    ) -> Option<Slot> {
        let mut from = Some(from);
        let mut shown = 0;
        while shown < enough {
            let (first, leaf) = self.next_leaf(from?)?;
            for (slot, item) in (first..).zip(leaf) {
                if let Some(item) = item {
                    visit(slot, item);
                    shown += 1;
                }
            }
            from = first.checked_add(1 << BITS);
        }
        from
    }

    fn leaf(&self, slot: Slot) -> Option<&Leaf<T>> {
        if self.is_beyond(slot) {
            return None;
        }
        let mut node = self.root.as_deref()?;
        let mut height = self.height;
        loop {
            match node {
                Node::Leaf(items) => return Some(items),
                Node::Branch { children, .. } => {
                    node = children[digit(slot, height)].as_deref()?;
                    height = height.saturating_sub(1);
                }
            }
        }
    }

    /// The first leaf at `from`, where leaves begin, or after it; and where it begins.
    fn next_leaf(&self, from: Slot) -> Option<(Slot, &Leaf<T>)> {
        if self.is_beyond(from) {
            return None;
        }
        self.root.as_deref()?.next_leaf(self.height, from)
    }

    fn is_beyond(&self, slot: Slot) -> bool {
        u64::from(slot) >> ((self.height + 1) * BITS) != 0
    }
}

impl<T: Clone> PersistentVec<T> {
    /// Puts something into the lowest free slot.
    pub(super) fn insert(&mut self, item: T) -> Slot {
        let root = self.root.get_or_insert_with(|| Arc::new(Node::empty(0)));
        if root.is_full() {
            self.height += 1;
            let mut children = [const { None }; FAN];
            children[0] = Some(root.clone());
            *root = Arc::new(Node::Branch { full: 1, children });
        }
        self.len += 1;
        Arc::make_mut(root).insert(self.height, item)
    }

    /// To change what is in a slot; copies the path to it where it is shared.
    pub(super) fn get_mut(&mut self, slot: Slot) -> Option<&mut T> {
        if self.is_beyond(slot) {
            return None;
        }
        let mut node = self.root.as_mut()?;
        let mut height = self.height;
        loop {
            match Arc::make_mut(node) {
                Node::Leaf(items) => return items[digit(slot, 0)].as_mut(),
                Node::Branch { children, .. } => {
                    node = children[digit(slot, height)].as_mut()?;
                    height = height.saturating_sub(1);
                }
            }
        }
    }

    /// Takes something out; its slot is free then.
    pub(super) fn take(&mut self, slot: Slot) -> Option<T> {
        // Nothing is to be copied for a slot that is free.
        self.get(slot)?;
        let root = self.root.as_mut()?;
        let taken = Arc::make_mut(root).take(self.height, slot);
        self.len -= usize::from(taken.is_some());
        if root.is_empty() {
            *self = Self::new();
            return taken;
        }
        while let Some(only) = root.only_first() {
            *root = only;
            self.height -= 1;
        }
        taken
    }
}

impl<T> Node<T> {
    fn empty(height: u32) -> Self {
        match height {
            0 => Self::Leaf([const { None }; FAN]),
            _ => Self::Branch { full: 0, children: [const { None }; FAN] },
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Leaf(items) => items.iter().all(Option::is_none),
            Self::Branch { children, .. } => children.iter().all(Option::is_none),
        }
    }

    fn is_full(&self) -> bool {
        match self {
            Self::Leaf(items) => items.iter().all(Option::is_some),
            Self::Branch { full, .. } => *full == u8::MAX,
        }
    }

    /// The child that could as well stand here.
    fn only_first(&self) -> Option<Arc<Self>> {
        match self {
            Self::Branch { children: [first, others @ ..], .. }
                if others.iter().all(Option::is_none) =>
            {
                first.clone()
            }
            _ => None,
        }
    }

    fn next_leaf(&self, height: u32, from: Slot) -> Option<(Slot, &Leaf<T>)> {
        let children = match self {
            Self::Leaf(items) => return Some((0, items)),
            Self::Branch { children, .. } => children,
        };
        let start = digit(from, height);
        children.iter().enumerate().skip(start).find_map(|(at, child)| {
            let from = if at == start { from } else { 0 };
            let (slot, leaf) = child.as_deref()?.next_leaf(height.saturating_sub(1), from)?;
            Some((first_of(at, height) | slot, leaf))
        })
    }
}

impl<T: Clone> Node<T> {
    /// Puts something into a node that is not full.
    fn insert(&mut self, height: u32, item: T) -> Slot {
        match self {
            Self::Leaf(items) => {
                let free = items.iter().position(Option::is_none);
                let free = free.expect("the caller has looked that the node is not full");
                items[free] = Some(item);
                first_of(free, 0)
            }
            Self::Branch { full, children } => {
                // Less than eight: the caller has looked that the node is not full.
                let roomy = full.trailing_ones() as usize % FAN;
                let below = height.saturating_sub(1);
                let child = children[roomy].get_or_insert_with(|| Arc::new(Self::empty(below)));
                let slot = Arc::make_mut(child).insert(below, item);
                *full |= u8::from(child.is_full()) << roomy;
                first_of(roomy, height) | slot
            }
        }
    }

    fn take(&mut self, height: u32, slot: Slot) -> Option<T> {
        let at = digit(slot, height);
        match self {
            Self::Leaf(items) => items[at].take(),
            Self::Branch { full, children } => {
                let child = children[at].as_mut()?;
                let taken = Arc::make_mut(child).take(height.saturating_sub(1), slot);
                if child.is_empty() {
                    children[at] = None;
                }
                *full &= !(1 << at);
                taken
            }
        }
    }
}

/// Everything in [`PersistentVec`].
pub(super) struct Iter<'a, T> {
    leaf: std::slice::Iter<'a, Option<T>>,
    branches: Vec<std::slice::Iter<'a, Option<Arc<Node<T>>>>>,
    left: usize,
}

impl<'a, T> Iter<'a, T> {
    fn enter(&mut self, node: Option<&'a Node<T>>) {
        match node {
            Some(Node::Leaf(items)) => self.leaf = items.iter(),
            Some(Node::Branch { children, .. }) => self.branches.push(children.iter()),
            None => {}
        }
    }
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        loop {
            if let Some(item) = self.leaf.by_ref().flatten().next() {
                self.left -= 1;
                return Some(item);
            }
            match self.branches.last_mut()?.next() {
                Some(child) => self.enter(child.as_deref()),
                None => drop(self.branches.pop()),
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T> ExactSizeIterator for Iter<'_, T> {}

/// What is in some slots of [`PersistentVec`].
pub(super) struct Selected<'a, T, I> {
    slots: &'a PersistentVec<T>,
    chosen: I,
    /// The leaf found last, and where it begins.
    found: Option<(Slot, &'a Leaf<T>)>,
}

impl<'a, T, I: Iterator<Item = Slot>> Iterator for Selected<'a, T, I> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        loop {
            let slot = self.chosen.next()?;
            let at = digit(slot, 0);
            let first = slot - first_of(at, 0);
            let leaf = match self.found {
                Some((found, leaf)) if found == first => leaf,
                _ => {
                    let Some(leaf) = self.slots.leaf(slot) else { continue };
                    self.found = Some((first, leaf));
                    leaf
                }
            };
            if let Some(item) = &leaf[at] {
                return Some(item);
            }
        }
    }

    /// As if none of the slots were free, which holds wherever slots are chosen that were found.
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.chosen.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug)]
    enum Op {
        Insert(u32),
        Change(u16, u32),
        Take(u16),
        TakeMany(u16),
        Keep,
    }

    fn op() -> impl Strategy<Value = Op> {
        prop_oneof![
            6 => any::<u32>().prop_map(Op::Insert),
            2 => (0..700u16, any::<u32>()).prop_map(|(at, v)| Op::Change(at, v)),
            2 => (0..700u16).prop_map(Op::Take),
            1 => (0..100u16).prop_map(Op::TakeMany),
            1 => Just(Op::Keep),
        ]
    }

    fn check(slots: &PersistentVec<u32>, model: &BTreeMap<Slot, u32>) -> Result<(), TestCaseError> {
        for slot in (0..700).chain([4096, u32::MAX]) {
            prop_assert_eq!(slots.get(slot), model.get(&slot));
        }
        prop_assert_eq!(slots.iter().len(), model.len());
        prop_assert!(slots.iter().eq(model.values()));
        let mut visited = Vec::new();
        let mut from = Some(0);
        while let Some(slot) = from {
            from = slots.visit(slot, 20, &mut |slot, item| visited.push((slot, *item)));
        }
        prop_assert!(visited.into_iter().eq(model.clone()), "each once, in parts");
        let chosen = (0..700).filter(|slot| slot % 3 != 1);
        let expected = chosen.clone().filter_map(|slot| model.get(&slot));
        prop_assert!(slots.select(chosen).eq(expected));
        Ok(())
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn is_a_map_by_lowest_free_slot_whose_clones_never_change(
            start in 0..600u32,
            ops in proptest::collection::vec(op(), 0..150),
        ) {
            let mut slots = PersistentVec::new();
            let mut model: BTreeMap<Slot, u32> = BTreeMap::new();
            for n in 0..start {
                prop_assert_eq!(slots.insert(n), n);
                model.insert(n, n);
            }
            let mut kept = Vec::new();
            for op in ops {
                match op {
                    Op::Insert(item) => {
                        let gap = model.keys().zip(0..).find(|&(slot, n)| *slot != n);
                        let free = gap.map_or(Slot::try_from(model.len()).unwrap(), |(_, n)| n);
                        prop_assert_eq!(slots.insert(item), free);
                        model.insert(free, item);
                    }
                    Op::Change(slot, item) => {
                        let slot = slot.into();
                        let ours = slots.get_mut(slot);
                        prop_assert_eq!(ours.is_some(), model.contains_key(&slot));
                        if let (Some(ours), Some(theirs)) = (ours, model.get_mut(&slot)) {
                            (*ours, *theirs) = (item, item);
                        }
                    }
                    Op::Take(slot) => {
                        prop_assert_eq!(slots.take(slot.into()), model.remove(&slot.into()));
                    }
                    Op::TakeMany(from) => {
                        for slot in u32::from(from).. {
                            if model.is_empty() || slot > 700 {
                                break;
                            }
                            prop_assert_eq!(slots.take(slot), model.remove(&slot));
                        }
                    }
                    Op::Keep => kept.push((slots.clone(), model.clone())),
                }
                prop_assert_eq!(slots.len(), model.len());
            }
            kept.push((slots, model));
            for (slots, model) in kept {
                check(&slots, &model)?;
            }
        }
    }

    #[test]
    fn no_node_is_kept_for_free_slots_alone() {
        fn nodes<T>(node: &Node<T>) -> usize {
            match node {
                Node::Leaf(_) => 1,
                Node::Branch { children, .. } => {
                    1 + children.iter().flatten().map(|child| nodes(child)).sum::<usize>()
                }
            }
        }
        let mut slots = PersistentVec::new();
        for n in 0..10_000u32 {
            slots.insert(n);
        }
        for slot in 8..10_000 {
            slots.take(slot);
        }
        assert_eq!((slots.root.as_deref().map(nodes), slots.height), (Some(1), 0));
        for slot in 0..8 {
            slots.take(slot);
        }
        assert!(slots.root.is_none());
    }
}
