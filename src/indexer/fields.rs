//! The fields that a store's index functions say they look at.
//!
//! It is theirs to say, and easily said wrong: a name misspelt gives an index that finds nothing. So
//! the first objects are shown to them both in part and whole, and they are believed only while that
//! makes no difference.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use crate::object::FieldSet;

/// How many objects are shown both ways.
pub(super) const COMPARED: usize = 8;

/// What all functions together look at.
#[derive(Debug, Default)]
pub(super) struct AskedFields {
    set: FieldSet,
    compared: AtomicUsize,
    refuted: AtomicBool,
}

impl AskedFields {
    pub(super) fn new(set: FieldSet) -> Self {
        Self { set, ..Self::default() }
    }

    /// The fields; `None`: functions look at others, too.
    pub(super) fn get(&self) -> Option<&FieldSet> {
        (!self.refuted.load(Relaxed)).then_some(&self.set)
    }

    /// Whether one more object is to be shown both ways.
    pub(super) fn to_compare(&self) -> bool {
        self.compared.load(Relaxed) < COMPARED && self.compared.fetch_add(1, Relaxed) < COMPARED
    }

    /// It made a difference.
    pub(super) fn refute(&self) {
        if !self.refuted.swap(true, Relaxed) {
            report(&self.set);
        }
    }
}

/// Tells the log that it is not only these fields that a function looks at.
pub(super) fn report(fields: &FieldSet) {
    tracing::error!(?fields, "an index looks at fields that it does not name; it is shown all");
}
