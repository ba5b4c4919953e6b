//! The content of an index: for each value, the rows of the objects that have it.
//!
//! Postings hold no objects, so a new state of an object whose values stay the same changes nothing
//! here.

use std::sync::Arc;

use super::persistent_set::PersistentSet;
use super::persistent_vec::Row;
use super::table::Table;
use crate::object::hash_str;
use crate::yield_budget::YieldBudget;

/// The rows of the objects that have one value.
pub(super) type Posting = PersistentSet<Row>;

/// The postings by value. A value without objects is removed.
#[derive(Clone)]
pub(super) struct Postings(Table<Entry>);

#[derive(Clone)]
struct Entry {
    value: Arc<str>,
    posting: Posting,
}

impl Postings {
    pub(super) fn new() -> Self {
        Self(Table::new())
    }

    pub(super) fn get(&self, value: &str) -> Option<&Posting> {
        let (_, entry) = self.0.find(hash_str(value), |entry| *entry.value == *value)?;
        Some(&entry.posting)
    }

    /// Returns the number of values.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Arc<str>> {
        self.0.iter().map(|entry| &entry.value)
    }

    /// Frees the nodes that nothing else holds, and yields to other tasks in between.
    pub(super) async fn free(self, budget: &mut YieldBudget) {
        let (mut entries, by_hash) = self.0.into_unshared();
        while let Some(entries) = entries.next_leaf(budget).await {
            for entry in entries.into_iter().flatten() {
                entry.posting.free(budget).await;
            }
        }
        by_hash.free(budget).await;
    }

    pub(super) fn put(&mut self, value: &str, object: Row) {
        let hash = hash_str(value);
        let place = self.0.find(hash, |entry| *entry.value == *value).map(|(place, _)| place);
        if let Some(entry) = place.and_then(|place| self.0.get_mut(place)) {
            entry.posting.insert(object);
        } else {
            self.0.insert(hash, Entry { value: value.into(), posting: PersistentSet::One(object) });
        }
    }

    pub(super) fn remove(&mut self, value: &str, object: Row) {
        let hash = hash_str(value);
        let found = self.0.find(hash, |entry| *entry.value == *value);
        let Some(place) = found.map(|(place, _)| place) else { return };
        let Some(entry) = self.0.get_mut(place) else { return };
        entry.posting.remove(object);
        if entry.posting.is_empty() {
            self.0.take(hash, place);
        }
    }

    /// Moves an object from the values it had to those it has. A value that is given twice counts
    /// once. O(v log v) for v values.
    pub(super) fn change(&mut self, object: Row, mut had: Vec<String>, mut has: Vec<String>) {
        had.sort_unstable();
        has.sort_unstable();
        for value in had.iter().filter(|value| has.binary_search(value).is_err()) {
            self.remove(value, object);
        }
        for value in has.iter().filter(|value| had.binary_search(value).is_err()) {
            self.put(value, object);
        }
    }

    /// Removes an object, whose values are not known, from every value. O(values).
    pub(super) fn forget(&mut self, object: Row) {
        let entries = self.0.iter().filter(|entry| entry.posting.contains(object));
        let values: Vec<_> = entries.map(|entry| entry.value.clone()).collect();
        for value in values {
            self.remove(&value, object);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::poll;

    use super::super::persistent_set::Node;
    use super::*;
    use crate::yield_budget::TURN;

    fn arrays(node: &Node<Row>, found: &mut Vec<Arc<[Row]>>) {
        match node {
            // Empty arrays are all the same one.
            Node::Leaf(leaf) => found.extend((!leaf.is_empty()).then(|| leaf.clone())),
            Node::Branch(children) => children.iter().for_each(|child| arrays(child, found)),
        }
    }

    #[tokio::test]
    async fn no_turn_frees_more_of_a_longer_posting() {
        for size in [3_000, 30_000, 300_000] {
            let mut postings = Postings::new();
            for row in 0..size {
                postings.put("shared", row);
            }
            let mut held = Vec::new();
            if let Some(PersistentSet::Many { root, .. }) = postings.get("shared") {
                arrays(root, &mut held);
            }
            assert!(held.len() > size as usize / 512);
            let mut budget = YieldBudget::new();
            let mut freeing = std::pin::pin!(postings.free(&mut budget));
            let (mut most, mut freed) = (0, 0);
            while freed < held.len() {
                let ready = poll!(freeing.as_mut()).is_ready();
                // Without this, a rest would never end.
                tokio::task::yield_now().await;
                let now = held.iter().filter(|array| Arc::strong_count(array) == 1).count();
                most = most.max(now - freed);
                freed = now;
                assert!(!ready || freed == held.len(), "{freed} of {} arrays are free", held.len());
            }
            assert!(most <= TURN, "{most} arrays freed in one turn, of {size} rows");
        }
    }
}
