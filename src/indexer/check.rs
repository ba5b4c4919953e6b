//! The comparison of indexes with their functions.

use std::sync::Arc;

use super::Snapshot;
use super::contents::{IndexContents, Record, StoreContents};
use super::persistent_vec::Row;
use crate::object::{AnyObject, Cached, ObjectKey, PassingRead};
use crate::panic::{drop_safely, lend};
use crate::yield_budget::{UNPACKING, YieldBudget};

/// The number of objects of one value that are compared.
const PER_VALUE: usize = 8;

/// An object for which an index and its function differ.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[non_exhaustive]
pub struct IndexDifference {
    /// The name of the index.
    pub index: Arc<str>,
    /// The object's key.
    pub key: ObjectKey,
    /// True if the index lacks a value that its function returns. False if it has one that its
    /// function does not return.
    pub lacks: bool,
}

impl<K: ?Sized> Snapshot<K> {
    /// Compares each index with its function, for about `sample` objects and `sample` values.
    pub(crate) async fn check_indexes(&self, sample: usize) -> Vec<IndexDifference> {
        let mut budget = YieldBudget::new();
        let mut found = Vec::new();
        let contents = &self.contents;
        if contents.indexes.is_empty() {
            return found;
        }
        let difference = |index: &IndexContents, record: &Record, lacks| {
            let (index, key) = (index.name.clone(), record.key.clone());
            IndexDifference { index, key, lacks }
        };
        for key in contents.sampled_keys(sample) {
            budget.spend(UNPACKING).await;
            let Some((row, record)) = contents.find(key) else { continue };
            let Some(object) = record.cached.read_for(PassingRead::Index, None) else { continue };
            for index in contents.indexes.iter() {
                let has = |value: &String| {
                    index.postings.get(value).is_some_and(|posting| posting.contains(row))
                };
                if !values_of(index, &record.cached, &*object).iter().all(has) {
                    found.push(difference(index, record, true));
                }
            }
            drop_safely(object);
        }
        for index in contents.indexes.iter() {
            for (value, row) in index.sampled_rows(sample) {
                budget.spend(UNPACKING).await;
                let Some(record) = contents.records().get(row) else { continue };
                let Some(object) = record.cached.read_for(PassingRead::Index, None) else {
                    continue;
                };
                if !values_of(index, &record.cached, &*object)
                    .iter()
                    .any(|has| has.as_str() == &**value)
                {
                    found.push(difference(index, record, false));
                }
                drop_safely(object);
            }
        }
        found.dedup();
        found
    }
}

impl StoreContents {
    /// Returns about this number of keys, evenly spaced.
    fn sampled_keys(&self, sample: usize) -> impl Iterator<Item = &ObjectKey> {
        let step = step(self.len(), sample);
        // Each time others.
        self.iter().map(|(key, _)| key).skip(fastrand::usize(..step)).step_by(step)
    }
}

impl IndexContents {
    /// Returns some rows of about this number of values, each with its value.
    fn sampled_rows(&self, sample: usize) -> impl Iterator<Item = (&Arc<str>, Row)> {
        let step = step(self.postings.len(), sample);
        let values = self.postings.values().skip(fastrand::usize(..step)).step_by(step);
        values.flat_map(|value| {
            let rows = self.postings.get(value).map(|posting| posting.iter().take(PER_VALUE));
            rows.into_iter().flatten().map(move |row| (value, row))
        })
    }
}

/// Returns the values that the function of an index returns for a stored object, which is given
/// whole. None if it panics, or if its view can't read the object: such an object is stored without
/// values, which is told elsewhere.
fn values_of(index: &IndexContents, stored: &Cached, object: &dyn AnyObject) -> Vec<String> {
    let values = match &index.function.view {
        None => index.values(object).ok(),
        Some(view) => view
            .read(stored, false)
            .and_then(|object| lend(object, |object| index.values(&**object)).ok()),
    };
    values.unwrap_or_default()
}

/// Returns the step with which about `sample` of `all` are taken.
fn step(all: usize, sample: usize) -> usize {
    all.div_ceil(sample.max(1)).max(1)
}
