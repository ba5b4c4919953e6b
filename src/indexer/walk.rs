//! Walking a state of the store: node by node while the store goes on, freeing one step by step, or
//! over records that are read ahead.
//!
//! A [`Walk`] holds only the nodes still to come. So a slow walk does not keep a whole old state
//! alive, and its end frees nothing large. An [`Unshared`] holds only the nodes that nothing else
//! holds: after one update those are the few on the way to one object.
//!
//! A [`Prefetch`] touches records some steps before it returns them. A caller that takes an object
//! counts a reference: an atomic operation. A processor starts no later load before such an
//! operation is done. So some records are read at once before the first is returned. Their memory
//! then arrives in parallel, instead of one after another between the counts.

use std::hint::black_box;
use std::sync::Arc;

use super::contents::Record;
use super::persistent_vec::{FAN, Leaf, Node};
use crate::object::{Cached, ObjectKey};
use crate::yield_budget::YieldBudget;

/// The items of a tree, leaf by leaf.
pub(super) struct Walk<T> {
    /// The nodes to come; the next one is the last.
    nodes: Vec<Arc<Node<T>>>,
    /// The leaf that is being walked.
    leaf: Node<T>,
    at: usize,
    left: usize,
}

impl<T> Walk<T> {
    pub(super) fn new(root: Option<Arc<Node<T>>>, len: usize) -> Self {
        let leaf = Node::Leaf([const { None }; FAN]);
        Self { nodes: root.into_iter().collect(), leaf, at: FAN, left: len }
    }
}

/// The nodes of a tree that nothing else holds. They are to be freed.
pub(super) struct Unshared<T>(Vec<Node<T>>);

impl<T> Unshared<T> {
    pub(super) fn new(root: Option<Arc<Node<T>>>) -> Self {
        Self(root.and_then(Arc::into_inner).into_iter().collect())
    }

    /// Frees the nodes and their items, and yields to other tasks in between.
    pub(super) async fn free(mut self, budget: &mut YieldBudget) {
        while let Some(items) = self.next_leaf(budget).await {
            drop(Node::Leaf(items));
        }
    }

    /// Frees nodes up to a leaf. Returns its items. Yields to other tasks in between.
    pub(super) async fn next_leaf(&mut self, budget: &mut YieldBudget) -> Option<Leaf<T>> {
        while let Some(mut node) = self.0.pop() {
            match &mut node {
                Node::Leaf(items) => {
                    budget.spend(FAN).await;
                    return Some(std::mem::take(items));
                }
                Node::Branch { children, .. } => {
                    budget.spend(1).await;
                    // A child that others hold keeps the nodes below it.
                    let children = children.iter_mut().filter_map(Option::take);
                    self.0.extend(children.filter_map(Arc::into_inner));
                }
            }
        }
        None
    }
}

impl<T: Clone> Iterator for Walk<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        loop {
            if let Node::Leaf(items) = &mut self.leaf
                && let Some(place) = items.get_mut(self.at)
            {
                self.at += 1;
                if let Some(item) = place.take() {
                    self.left -= 1;
                    return Some(item);
                }
                continue;
            }
            // The number of branches above a leaf is small, so this is at most O(log n).
            let node = self.nodes.pop()?;
            match &*node {
                Node::Leaf(_) => (self.leaf, self.at) = (Node::clone(&node), 0),
                Node::Branch { children, .. } => {
                    self.nodes.extend(children.iter().rev().flatten().cloned());
                }
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T: Clone> ExactSizeIterator for Walk<T> {}

/// The number of records that are read at once.
const WINDOW: usize = 16;

/// An iterator over records in order, each read before it is returned.
pub(super) struct Prefetch<'a, I> {
    records: I,
    window: [Option<&'a Record>; WINDOW],
    /// The position in the window of the next record.
    next: usize,
}

impl<'a, I: Iterator<Item = &'a Arc<Record>>> Prefetch<'a, I> {
    pub(super) fn new(records: I) -> Self {
        Self { records, window: [None; WINDOW], next: WINDOW }
    }

    fn refill(&mut self) {
        let mut packed = false;
        for place in &mut self.window {
            *place = self.records.next().map(|record| &**record);
            let Some(record) = place else { break };
            packed |= record.cached.is_packed();
        }
        // The result is not used; the compiler must not remove the reads.
        black_box(packed);
        self.next = 0;
    }
}

impl<'a, I: Iterator<Item = &'a Arc<Record>>> Iterator for Prefetch<'a, I> {
    type Item = (&'a ObjectKey, &'a Cached);

    fn next(&mut self) -> Option<Self::Item> {
        if self.next == WINDOW {
            self.refill();
        }
        let record = self.window.get_mut(self.next)?.take()?;
        self.next += 1;
        Some((&record.key, &record.cached))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let window = self.window.iter().flatten().count();
        let (least, most) = self.records.size_hint();
        (least + window, most.map(|most| most + window))
    }
}

impl<'a, I: ExactSizeIterator<Item = &'a Arc<Record>>> ExactSizeIterator for Prefetch<'a, I> {}

#[cfg(test)]
mod tests {
    use super::super::persistent_vec::PersistentVec;
    use super::*;

    #[test]
    fn walk_holds_only_the_items_to_come() {
        let mut rows = PersistentVec::new();
        let items: Vec<_> = (0..1000).map(Arc::new).collect();
        for item in &items {
            rows.insert(item.clone());
        }
        let mut walk = rows.walk();
        for row in 0..1000 {
            rows.take(row);
        }
        let first: Vec<_> = walk.by_ref().take(500).map(|item| *item).collect();
        assert!(first.into_iter().eq(0..500));
        assert_eq!(walk.len(), 500);
        let held = items.iter().filter(|item| Arc::strong_count(item) > 1).count();
        assert!((500..508).contains(&held), "{held} items are held for 500 to come");
        assert!(walk.map(|item| *item).eq(500..1000));
    }

    #[tokio::test]
    async fn free_keeps_only_shared_nodes() {
        let mut rows = PersistentVec::new();
        let items: Vec<_> = (0..1000).map(Arc::new).collect();
        for item in &items {
            rows.insert(item.clone());
        }
        let kept = rows.clone();
        for row in 0..500 {
            rows.take(row);
        }
        rows.into_unshared().free(&mut YieldBudget::new()).await;
        assert!(items.iter().all(|item| Arc::strong_count(item) == 2), "a clone holds every item");
        kept.into_unshared().free(&mut YieldBudget::new()).await;
        assert!(items.iter().all(|item| Arc::strong_count(item) == 1));
    }
}
