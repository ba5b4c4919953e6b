//! The counts of a world's events, to prove that they took place.

use std::collections::BTreeMap;

/// The number of each thing that happened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally(BTreeMap<&'static str, u64>);

impl Tally {
    pub(crate) fn count(&mut self, what: &'static str, times: u64) {
        *self.0.entry(what).or_default() += times;
    }

    pub(crate) fn add(&mut self, other: &Self) {
        other.0.iter().for_each(|(what, times)| self.count(what, *times));
    }

    /// Panics unless each of these happened. A simulation in which nothing goes wrong proves
    /// nothing.
    pub(crate) fn assert_saw(&self, all: &[&str]) {
        for what in all {
            assert!(self.0.get(what).is_some_and(|times| *times > 0), "no {what}: {self:?}");
        }
    }
}
