//! The reconciles of all replicas of a world, and the rules that must hold at each step.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::Mutex;

/// A record of all reconciles. A cheap clone.
#[derive(Clone, Default)]
pub(crate) struct Ledger(Arc<Mutex<Book>>);

#[derive(Default)]
struct Book {
    /// The replica that reconciles each object now, by uid or key.
    running: BTreeMap<String, usize>,
    /// The last reconciled version of each object, by uid or key; `None` if it was gone.
    last: BTreeMap<String, Option<String>>,
    /// The keys that were deleted at some time.
    deleted: BTreeSet<String>,
    broken: Vec<String>,
    reconciles: u64,
}

/// A reconcile that runs. It ends when this is dropped.
pub(crate) struct Running {
    ledger: Ledger,
    what: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.ledger.0.lock().running.remove(&self.what);
    }
}

impl Ledger {
    /// Begins a reconcile of an object.
    pub(crate) fn begin(&self, replica: usize, what: &str) -> Running {
        let mut book = self.0.lock();
        book.reconciles += 1;
        if let Some(other) = book.running.insert(what.to_owned(), replica) {
            book.broken.push(format!("{what} is reconciled by {other} and by {replica}"));
        }
        Running { ledger: self.clone(), what: what.to_owned() }
    }

    /// Notes the state that a reconcile has seen to its end.
    pub(crate) fn saw(&self, what: &str, version: Option<String>) {
        self.0.lock().last.insert(what.to_owned(), version);
    }

    /// Returns the version that the last reconcile of an object has seen.
    pub(crate) fn last(&self, what: &str) -> Option<String> {
        self.0.lock().last.get(what).cloned().flatten()
    }

    pub(crate) fn note_delete(&self, key: &str) {
        self.0.lock().deleted.insert(key.to_owned());
    }

    pub(crate) fn was_deleted(&self, key: &str) -> bool {
        self.0.lock().deleted.contains(key)
    }

    pub(crate) fn broken(&self, rule: impl Into<String>) {
        self.0.lock().broken.push(rule.into());
    }

    pub(crate) fn reconciles(&self) -> u64 {
        self.0.lock().reconciles
    }

    /// Panics if a rule was broken.
    pub(crate) fn check(&self) {
        let broken = &self.0.lock().broken;
        assert!(broken.is_empty(), "{broken:#?}");
    }
}
