//! A persistent vector that reuses its slots: a clone never changes.
//!
//! A new item gets the lowest free slot and keeps it until it is removed, however often it changes.
//! So items that arrive together lie together, and a full store has no gaps. Cloning is O(1).
//! Changing copies one path of nodes of eight, so small that a copy counts few references. A node
//! that only this clone holds is changed in place.
//!
//! An item never moves to another slot, and no node is kept that has only free slots.

use std::sync::Arc;

use super::walk::Walk;
use crate::panic::drop_safely;

/// The position of an item in a [`PersistentVec`].
pub(super) type Slot = u32;

pub(super) const BITS: u32 = 3;
pub(super) const FAN: usize = 1 << BITS;

/// A persistent vector of slots, free or taken.
#[derive(Clone)]
pub(super) struct PersistentVec<T> {
    root: Option<Arc<Node<T>>>,
    /// The number of branch levels above the leaves.
    height: u32,
    /// The number of slots that are taken.
    len: usize,
}

/// A part of a vector.
#[derive(Clone)]
pub(super) enum Node<T> {
    Leaf(Leaf<T>),
    Branch {
        /// One bit for each child, set if the child has no free slot.
        full: u8,
        children: [Option<Arc<Node<T>>>; FAN],
    },
}

pub(super) type Leaf<T> = [Option<T>; FAN];

/// Returns the child of a node at this height that a slot belongs to.
fn digit(slot: Slot, height: u32) -> usize {
    (slot >> (height * BITS)) as usize % FAN
}

/// Returns the first slot below a child of a node at this height.
fn first_slot(child: usize, height: u32) -> Slot {
    Slot::try_from(child).expect("a child is less than eight") << (height * BITS)
}

/// A leaf drops its items one by one, because each may run user code that panics.
impl<T> Drop for Node<T> {
    fn drop(&mut self) {
        if let Self::Leaf(items) = self {
            for item in items.iter_mut().filter_map(Option::take) {
                drop_safely(item);
            }
        }
    }
}

impl<T> PersistentVec<T> {
    pub(super) fn new() -> Self {
        Self { root: None, height: 0, len: 0 }
    }

    /// Returns the number of slots that are taken. O(1).
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the item in a slot. O(log n), to base 8.
    pub(super) fn get(&self, slot: Slot) -> Option<&T> {
        self.leaf(slot)?[digit(slot, 0)].as_ref()
    }

    /// Returns every item, in the order of the slots.
    pub(super) fn iter(&self) -> Iter<'_, T> {
        let mut iter = Iter { leaf: [].iter(), branches: Vec::new(), left: self.len };
        iter.enter(self.root.as_deref());
        iter
    }

    /// Returns every item of this state, for as long as the caller takes. A node that was walked is
    /// no longer held.
    pub(super) fn walk(&self) -> Walk<T> {
        Walk::new(self.root.clone(), self.len)
    }

    /// Returns the root, and the number of branch levels above the leaves.
    pub(super) fn root(&self) -> Option<(&Arc<Node<T>>, u32)> {
        Some((self.root.as_ref()?, self.height))
    }

    /// Returns the items in these slots. For slots next to one another, one descent finds eight.
    pub(super) fn select<I: Iterator<Item = Slot>>(&self, chosen: I) -> Selected<'_, T, I> {
        Selected { slots: self, chosen, found: None }
    }

    /// Calls `visit` for the items from slot `from` on, where a leaf must begin, until `enough` or
    /// more are shown. Returns the slot to continue from.
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

    /// Returns the first leaf at or after `from`, where a leaf must begin, and its first slot.
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
    /// Puts an item into the lowest free slot. Returns that slot.
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

    /// Returns the item in a slot for changing. Copies the path to it if that is shared.
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

    /// Removes an item. Its slot is then free.
    pub(super) fn take(&mut self, slot: Slot) -> Option<T> {
        // A free slot must not cause a copy.
        self.get(slot)?;
        let root = self.root.as_mut()?;
        let taken = Arc::make_mut(root).take(self.height, slot);
        self.len -= usize::from(taken.is_some());
        if root.is_empty() {
            *self = Self::new();
            return taken;
        }
        while let Some(only) = root.sole_first_child() {
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

    /// Returns the first child if it is the only one, so that it can replace this node.
    fn sole_first_child(&self) -> Option<Arc<Self>> {
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
            Some((first_slot(at, height) | slot, leaf))
        })
    }
}

impl<T: Clone> Node<T> {
    /// Puts an item into a node, which must not be full.
    fn insert(&mut self, height: u32, item: T) -> Slot {
        match self {
            Self::Leaf(items) => {
                let free = items.iter().position(Option::is_none);
                let free = free.expect("the caller has looked that the node is not full");
                items[free] = Some(item);
                first_slot(free, 0)
            }
            Self::Branch { full, children } => {
                // Less than eight, because the caller has checked that the node is not full.
                let roomy = full.trailing_ones() as usize % FAN;
                let below = height.saturating_sub(1);
                let child = children[roomy].get_or_insert_with(|| Arc::new(Self::empty(below)));
                let slot = Arc::make_mut(child).insert(below, item);
                *full |= u8::from(child.is_full()) << roomy;
                first_slot(roomy, height) | slot
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

/// An iterator over the items of a [`PersistentVec`].
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

/// An iterator over the items in some slots of a [`PersistentVec`].
pub(super) struct Selected<'a, T, I> {
    slots: &'a PersistentVec<T>,
    chosen: I,
    /// The leaf that was found last, and its first slot.
    found: Option<(Slot, &'a Leaf<T>)>,
}

impl<'a, T, I: Iterator<Item = Slot>> Iterator for Selected<'a, T, I> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        loop {
            let slot = self.chosen.next()?;
            let at = digit(slot, 0);
            let first = slot - first_slot(at, 0);
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

    /// Counts the chosen slots as taken, which holds for slots that were found.
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
        prop_assert!(visited.into_iter().eq(model.clone()), "each item once, in parts");
        let chosen = (0..700).filter(|slot| slot % 3 != 1);
        let expected = chosen.clone().filter_map(|slot| model.get(&slot));
        prop_assert!(slots.select(chosen).eq(expected));
        Ok(())
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn items_get_the_lowest_free_slot_and_clones_never_change(
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
    fn no_node_has_only_free_slots() {
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
