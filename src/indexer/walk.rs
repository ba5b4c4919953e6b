//! Walking a moment of the store to its end while the store goes on, and freeing one in turns.
//!
//! A walk holds only the nodes that it has not come to yet. So a slow one does not keep a whole old
//! moment alive, and its end frees nothing large.

use std::sync::Arc;

use super::persistent_vec::{FAN, Node};
use crate::yield_budget::YieldBudget;

/// The items of a tree, leaf by leaf.
pub(super) struct Walk<T> {
    /// The nodes to come, the next one last.
    nodes: Vec<Arc<Node<T>>>,
    /// The leaf that is being shown, and the place of the next item.
    leaf: Node<T>,
    at: usize,
    left: usize,
}

impl<T> Walk<T> {
    pub(super) fn new(root: Option<Arc<Node<T>>>, len: usize) -> Self {
        let leaf = Node::Leaf([const { None }; FAN]);
        Self { nodes: root.into_iter().collect(), leaf, at: FAN, left: len }
    }

    /// Frees the nodes that nothing else holds, in turns; their items go with them.
    pub(super) async fn free(mut self, budget: &mut YieldBudget) {
        while let Some(node) = self.nodes.pop() {
            budget.spend(FAN).await;
            // A node that others hold keeps what is below it.
            if let Some(mut node) = Arc::into_inner(node)
                && let Node::Branch { children, .. } = &mut node
            {
                self.nodes.extend(children.iter_mut().filter_map(Option::take));
            }
        }
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
            // Few branches are above each leaf, so that this is O(log n) at the most.
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

#[cfg(test)]
mod tests {
    use super::super::persistent_vec::PersistentVec;
    use super::*;

    #[test]
    fn walk_shows_its_moment_and_holds_only_what_is_to_come() {
        let mut slots = PersistentVec::new();
        let items: Vec<_> = (0..1000).map(Arc::new).collect();
        for item in &items {
            slots.insert(item.clone());
        }
        let mut walk = slots.walk();
        for slot in 0..1000 {
            slots.take(slot);
        }
        let first: Vec<_> = walk.by_ref().take(500).map(|item| *item).collect();
        assert!(first.into_iter().eq(0..500));
        assert_eq!(walk.len(), 500);
        let held = items.iter().filter(|item| Arc::strong_count(item) > 1).count();
        assert!((500..508).contains(&held), "{held} items are held for 500 to come");
        assert!(walk.map(|item| *item).eq(500..1000));
    }

    #[tokio::test]
    async fn freeing_in_turns_frees_all_that_nothing_else_holds() {
        let mut slots = PersistentVec::new();
        let items: Vec<_> = (0..1000).map(Arc::new).collect();
        for item in &items {
            slots.insert(item.clone());
        }
        let kept = slots.clone();
        for slot in 0..500 {
            slots.take(slot);
        }
        let walk = slots.walk();
        drop(slots);
        walk.free(&mut YieldBudget::new()).await;
        assert!(items.iter().all(|item| Arc::strong_count(item) == 2), "a clone holds all");
        let walk = kept.walk();
        drop(kept);
        walk.free(&mut YieldBudget::new()).await;
        assert!(items.iter().all(|item| Arc::strong_count(item) == 1));
    }
}
