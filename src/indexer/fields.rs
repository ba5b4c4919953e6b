//! The fields that a store's index functions claim to read.
//!
//! The user names these fields, and may name them wrongly: a misspelt name gives an index that
//! finds nothing. So the first objects are shown to the functions both in part and whole. The claim
//! is believed only while both give the same values.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use crate::object::FieldSet;

/// The number of objects that are shown both ways.
pub(super) const COMPARED: usize = 8;

/// The fields that all index functions together claim to read.
#[derive(Debug, Default)]
pub(super) struct IndexedFields {
    set: FieldSet,
    compared: AtomicUsize,
    refuted: AtomicBool,
}

impl IndexedFields {
    pub(super) fn new(set: FieldSet) -> Self {
        Self { set, ..Self::default() }
    }

    /// Returns the fields, or `None` if the claim was refuted.
    pub(super) fn get(&self) -> Option<&FieldSet> {
        (!self.refuted.load(Relaxed)).then_some(&self.set)
    }

    /// Returns whether the next object must be shown both ways, and counts it.
    pub(super) fn should_compare(&self) -> bool {
        self.compared.load(Relaxed) < COMPARED && self.compared.fetch_add(1, Relaxed) < COMPARED
    }

    /// Records that a function returned other values for part of an object.
    pub(super) fn refute(&self) {
        if !self.refuted.swap(true, Relaxed) {
            report(&self.set);
        }
    }
}

/// Logs that an index function reads other fields than it claims.
pub(super) fn report(fields: &FieldSet) {
    tracing::error!(
        ?fields,
        "an index function reads fields that it does not name; it gets whole objects"
    );
}
