//! A persistent vector that reuses its rows: a clone never changes.
//!
//! A new item gets the lowest free row and keeps it until it is removed, however often it changes.
//! So items that arrive together lie together, and a full store has no gaps. Cloning is O(1).
//! Changing copies one path of nodes of eight, so a copy counts few references. A node that only
//! this clone holds is changed in place.
//!
//! An item never moves to another row, and no node is kept that has only free rows.

use std::sync::Arc;

use super::walk::{Unshared, Walk};
use crate::panic::drop_safely;

/// The position of an item in a [`PersistentVec`].
pub(super) type Row = u32;

pub(super) const BITS: u32 = 3;
pub(super) const FAN: usize = 1 << BITS;

/// A persistent vector of rows, free or taken.
#[derive(Clone)]
pub(super) struct PersistentVec<T> {
    root: Option<Arc<Node<T>>>,
    /// The number of branch levels above the leaves.
    height: u32,
    /// The number of rows that are taken.
    len: usize,
}

/// A part of a vector.
#[derive(Clone)]
pub(super) enum Node<T> {
    Leaf(Leaf<T>),
    Branch {
        /// One bit for each child, set if the child has no free row.
        full: u8,
        children: [Option<Arc<Node<T>>>; FAN],
    },
}

pub(super) type Leaf<T> = [Option<T>; FAN];

/// Returns the child of a node at this height that a row belongs to.
#[inline]
fn digit(row: Row, height: u32) -> usize {
    (row >> (height * BITS)) as usize % FAN
}

/// Returns the first row below a child of a node at this height.
#[inline]
fn first_row(child: usize, height: u32) -> Row {
    Row::try_from(child).expect("a child is less than eight") << (height * BITS)
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

    /// Returns the number of rows that are taken. O(1).
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the item in a row. O(log n), to base 8.
    pub(super) fn get(&self, row: Row) -> Option<&T> {
        self.leaf(row)?[digit(row, 0)].as_ref()
    }

    /// Returns every item, in the order of the rows.
    pub(super) fn iter(&self) -> Iter<'_, T> {
        let mut iter = Iter { leaf: [].iter(), branches: Vec::new(), left: self.len };
        iter.enter(self.root.as_deref());
        iter
    }

    /// Returns every item of this state, however long the caller takes. A node that was walked is
    /// no longer held.
    pub(super) fn walk(&self) -> Walk<T> {
        Walk::new(self.root.clone(), self.len)
    }

    /// Returns the nodes that nothing else holds.
    pub(super) fn into_unshared(self) -> Unshared<T> {
        Unshared::new(self.root)
    }

    /// Returns the root, and the number of branch levels above the leaves.
    pub(super) fn root(&self) -> Option<(&Arc<Node<T>>, u32)> {
        Some((self.root.as_ref()?, self.height))
    }

    /// Returns the items in these rows. For rows next to one another, one descent finds eight.
    pub(super) fn select<I: Iterator<Item = Row>>(&self, chosen: I) -> Selected<'_, T, I> {
        Selected { rows: self, chosen, found: None }
    }

    /// Calls `visit` for the items from row `from` on, where a leaf must begin, until `enough` or
    /// more are shown. Returns the row to continue from.
    pub(super) fn visit(
        &self,
        from: Row,
        enough: usize,
        visit: &mut dyn FnMut(Row, &T),
    ) -> Option<Row> {
        let mut from = Some(from);
        let mut shown = 0;
        while shown < enough {
            let (first, leaf) = self.next_leaf(from?)?;
            for (row, item) in (first..).zip(leaf) {
                if let Some(item) = item {
                    visit(row, item);
                    shown += 1;
                }
            }
            from = first.checked_add(1 << BITS);
        }
        from
    }

    fn leaf(&self, row: Row) -> Option<&Leaf<T>> {
        if self.is_beyond(row) {
            return None;
        }
        let mut node = self.root.as_deref()?;
        let mut height = self.height;
        loop {
            match node {
                Node::Leaf(items) => return Some(items),
                Node::Branch { children, .. } => {
                    node = children[digit(row, height)].as_deref()?;
                    height = height.saturating_sub(1);
                }
            }
        }
    }

    /// Returns the first leaf at or after `from`, where a leaf must begin, and its first row.
    fn next_leaf(&self, from: Row) -> Option<(Row, &Leaf<T>)> {
        if self.is_beyond(from) {
            return None;
        }
        self.root.as_deref()?.next_leaf(self.height, from)
    }

    fn is_beyond(&self, row: Row) -> bool {
        u64::from(row) >> ((self.height + 1) * BITS) != 0
    }
}

impl<T: Clone> PersistentVec<T> {
    /// Puts an item into the lowest free row. Returns that row.
    pub(super) fn insert(&mut self, item: T) -> Row {
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

    /// Returns the item in a row, mutable. Copies the path to it if that is shared.
    pub(super) fn get_mut(&mut self, row: Row) -> Option<&mut T> {
        if self.is_beyond(row) {
            return None;
        }
        let mut node = self.root.as_mut()?;
        let mut height = self.height;
        loop {
            match Arc::make_mut(node) {
                Node::Leaf(items) => return items[digit(row, 0)].as_mut(),
                Node::Branch { children, .. } => {
                    node = children[digit(row, height)].as_mut()?;
                    height = height.saturating_sub(1);
                }
            }
        }
    }

    /// Removes an item. Its row is then free.
    pub(super) fn take(&mut self, row: Row) -> Option<T> {
        // A free row must not cause a copy.
        self.get(row)?;
        let root = self.root.as_mut()?;
        let taken = Arc::make_mut(root).take(self.height, row);
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

    fn next_leaf(&self, height: u32, from: Row) -> Option<(Row, &Leaf<T>)> {
        let children = match self {
            Self::Leaf(items) => return Some((0, items)),
            Self::Branch { children, .. } => children,
        };
        let start = digit(from, height);
        children.iter().enumerate().skip(start).find_map(|(at, child)| {
            let from = if at == start { from } else { 0 };
            let (row, leaf) = child.as_deref()?.next_leaf(height.saturating_sub(1), from)?;
            Some((first_row(at, height) | row, leaf))
        })
    }
}

impl<T: Clone> Node<T> {
    /// Puts an item into a node, which must not be full.
    fn insert(&mut self, height: u32, item: T) -> Row {
        match self {
            Self::Leaf(items) => {
                let free = items.iter().position(Option::is_none);
                let free = free.expect("the caller has looked that the node is not full");
                items[free] = Some(item);
                first_row(free, 0)
            }
            Self::Branch { full, children } => {
                // Less than eight, because the caller has checked that the node is not full.
                let roomy = full.trailing_ones() as usize % FAN;
                let below = height.saturating_sub(1);
                let child = children[roomy].get_or_insert_with(|| Arc::new(Self::empty(below)));
                let row = Arc::make_mut(child).insert(below, item);
                *full |= u8::from(child.is_full()) << roomy;
                first_row(roomy, height) | row
            }
        }
    }

    fn take(&mut self, height: u32, row: Row) -> Option<T> {
        let at = digit(row, height);
        match self {
            Self::Leaf(items) => items[at].take(),
            Self::Branch { full, children } => {
                let child = children[at].as_mut()?;
                let taken = Arc::make_mut(child).take(height.saturating_sub(1), row);
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

/// An iterator over the items in some rows of a [`PersistentVec`].
pub(super) struct Selected<'a, T, I> {
    rows: &'a PersistentVec<T>,
    chosen: I,
    /// The leaf that was found last, and its first row.
    found: Option<(Row, &'a Leaf<T>)>,
}

impl<'a, T, I: Iterator<Item = Row>> Iterator for Selected<'a, T, I> {
    type Item = &'a T;

    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        loop {
            let row = self.chosen.next()?;
            let at = digit(row, 0);
            let first = row - first_row(at, 0);
            let leaf = match self.found {
                Some((found, leaf)) if found == first => leaf,
                _ => {
                    let Some(leaf) = self.rows.leaf(row) else { continue };
                    self.found = Some((first, leaf));
                    leaf
                }
            };
            if let Some(item) = &leaf[at] {
                return Some(item);
            }
        }
    }

    /// Assumes that the chosen rows are taken, which holds for found rows.
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

    fn check(rows: &PersistentVec<u32>, model: &BTreeMap<Row, u32>) -> Result<(), TestCaseError> {
        for row in (0..700).chain([4096, u32::MAX]) {
            prop_assert_eq!(rows.get(row), model.get(&row));
        }
        prop_assert_eq!(rows.iter().len(), model.len());
        prop_assert!(rows.iter().eq(model.values()));
        let mut visited = Vec::new();
        let mut from = Some(0);
        while let Some(row) = from {
            from = rows.visit(row, 20, &mut |row, item| visited.push((row, *item)));
        }
        prop_assert!(visited.into_iter().eq(model.clone()), "each item once, in parts");
        let chosen = (0..700).filter(|row| row % 3 != 1);
        let expected = chosen.clone().filter_map(|row| model.get(&row));
        prop_assert!(rows.select(chosen).eq(expected));
        Ok(())
    }

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn items_get_the_lowest_free_row_and_clones_never_change(
            start in 0..600u32,
            ops in proptest::collection::vec(op(), 0..150),
        ) {
            let mut rows = PersistentVec::new();
            let mut model: BTreeMap<Row, u32> = BTreeMap::new();
            for n in 0..start {
                prop_assert_eq!(rows.insert(n), n);
                model.insert(n, n);
            }
            let mut kept = Vec::new();
            for op in ops {
                match op {
                    Op::Insert(item) => {
                        let gap = model.keys().zip(0..).find(|&(row, n)| *row != n);
                        let free = gap.map_or(Row::try_from(model.len()).unwrap(), |(_, n)| n);
                        prop_assert_eq!(rows.insert(item), free);
                        model.insert(free, item);
                    }
                    Op::Change(row, item) => {
                        let row = row.into();
                        let ours = rows.get_mut(row);
                        prop_assert_eq!(ours.is_some(), model.contains_key(&row));
                        if let (Some(ours), Some(theirs)) = (ours, model.get_mut(&row)) {
                            (*ours, *theirs) = (item, item);
                        }
                    }
                    Op::Take(row) => {
                        prop_assert_eq!(rows.take(row.into()), model.remove(&row.into()));
                    }
                    Op::TakeMany(from) => {
                        for row in u32::from(from).. {
                            if model.is_empty() || row > 700 {
                                break;
                            }
                            prop_assert_eq!(rows.take(row), model.remove(&row));
                        }
                    }
                    Op::Keep => kept.push((rows.clone(), model.clone())),
                }
                prop_assert_eq!(rows.len(), model.len());
            }
            kept.push((rows, model));
            for (rows, model) in kept {
                check(&rows, &model)?;
            }
        }
    }

    #[test]
    fn no_node_has_only_free_rows() {
        fn nodes<T>(node: &Node<T>) -> usize {
            match node {
                Node::Leaf(_) => 1,
                Node::Branch { children, .. } => {
                    1 + children.iter().flatten().map(|child| nodes(child)).sum::<usize>()
                }
            }
        }
        let mut rows = PersistentVec::new();
        for n in 0..10_000u32 {
            rows.insert(n);
        }
        for row in 8..10_000 {
            rows.take(row);
        }
        assert_eq!((rows.root.as_deref().map(nodes), rows.height), (Some(1), 0));
        for row in 0..8 {
            rows.take(row);
        }
        assert!(rows.root.is_none());
    }
}
