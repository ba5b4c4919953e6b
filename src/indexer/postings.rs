//! Which objects have which value: for each value the slots of its objects.
//!
//! It never holds an object, so a new state of one whose values stay the same changes nothing here.

use std::sync::Arc;

use super::persistent_set::PersistentSet;
use super::persistent_vec::Slot;
use super::table::Table;
use crate::object::hash_str;
use crate::yield_budget::YieldBudget;

/// The slots of the objects that have one value.
pub(super) type Posting = PersistentSet<Slot>;

/// Postings by value; a value without objects is not there.
#[derive(Clone)]
pub(super) struct Postings(Table<Posted>);

#[derive(Clone)]
struct Posted {
    value: Arc<str>,
    posting: Posting,
}

impl Postings {
    pub(super) fn new() -> Self {
        Self(Table::new())
    }

    pub(super) fn get(&self, value: &str) -> Option<&Posting> {
        let (_, filed) = self.0.find(hash_str(value), |filed| *filed.value == *value)?;
        Some(&filed.posting)
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Arc<str>> {
        self.0.iter().map(|filed| &filed.value)
    }

    /// Frees what nothing else holds, in turns.
    pub(super) async fn free(self, budget: &mut YieldBudget) {
        self.0.free(budget).await;
    }

    pub(super) fn put(&mut self, value: &str, object: Slot) {
        let hash = hash_str(value);
        let place = self.0.find(hash, |filed| *filed.value == *value).map(|(place, _)| place);
        if let Some(filed) = place.and_then(|place| self.0.get_mut(place)) {
            filed.posting.insert(object);
        } else {
            self.0
                .insert(hash, Posted { value: value.into(), posting: PersistentSet::One(object) });
        }
    }

    pub(super) fn remove(&mut self, value: &str, object: Slot) {
        let hash = hash_str(value);
        let found = self.0.find(hash, |filed| *filed.value == *value);
        let Some(place) = found.map(|(place, _)| place) else { return };
        let Some(filed) = self.0.get_mut(place) else { return };
        filed.posting.remove(object);
        if filed.posting.is_empty() {
            self.0.take(hash, place);
        }
    }

    /// Takes an object from the values it had and files it under those it has; one that is given
    /// twice counts once. O(v log v) for v values.
    pub(super) fn change(&mut self, object: Slot, mut had: Vec<String>, mut has: Vec<String>) {
        had.sort_unstable();
        has.sort_unstable();
        for value in had.iter().filter(|value| has.binary_search(value).is_err()) {
            self.remove(value, object);
        }
        for value in has.iter().filter(|value| had.binary_search(value).is_err()) {
            self.put(value, object);
        }
    }

    /// Takes an object from every value, where nobody can tell which it had. O(values).
    pub(super) fn forget(&mut self, object: Slot) {
        let filed = self.0.iter().filter(|filed| filed.posting.contains(object));
        let values: Vec<_> = filed.map(|filed| filed.value.clone()).collect();
        for value in values {
            self.remove(&value, object);
        }
    }
}
