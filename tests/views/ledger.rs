//! The views that reconciles of all processes were handed, and the rule that none is older.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

/// A record of all reconciles. A cheap clone.
#[derive(Clone, Default)]
pub(crate) struct Ledger(Arc<Mutex<Book>>);

#[derive(Default)]
struct Book {
    /// The newest view of each object among the reconciles that have ended, and the process.
    ended: BTreeMap<String, (u64, usize)>,
    /// The versions at which each key was deleted.
    deleted: BTreeMap<String, Vec<u64>>,
    broken: Vec<String>,
    reconciles: u64,
    taken_over: u64,
}

/// A reconcile that runs. It ends, or is fenced, when this is dropped.
pub(crate) struct Running {
    ledger: Ledger,
    process: usize,
    views: Vec<(String, u64)>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut book = self.ledger.0.lock();
        for (what, version) in &self.views {
            let (newest, by) = book.ended.entry(what.clone()).or_default();
            (*newest, *by) = (*version.max(newest), self.process);
        }
    }
}

impl Ledger {
    /// Begins a reconcile with these versions of objects.
    pub(crate) fn begin(&self, process: usize, views: Vec<(String, u64)>) -> Running {
        let mut book = self.0.lock();
        book.reconciles += 1;
        for (what, version) in &views {
            let Some((newest, by)) = book.ended.get(what).copied() else { continue };
            book.taken_over += u64::from(by != process);
            if *version < newest {
                let rule = format!("{process} sees {what} at {version}, {by} saw it at {newest}");
                book.broken.push(rule);
            }
        }
        Running { ledger: self.clone(), process, views }
    }

    /// Returns the version of a view in which the key is gone: of the first delete that no ended
    /// reconcile has seen yet, or of the last one.
    pub(crate) fn gone(&self, key: &str) -> u64 {
        let mut book = self.0.lock();
        let seen = book.ended.get(key).map_or(0, |(newest, _)| *newest);
        let deleted = book.deleted.get(key).and_then(|all| all.iter().find(|at| **at >= seen));
        if let Some(at) = deleted.copied() {
            return at;
        }
        if seen > 0 {
            book.broken.push(format!("{key} is gone, and was there at {seen}"));
        }
        0
    }

    pub(crate) fn note_delete(&self, key: &str, version: u64) {
        self.0.lock().deleted.entry(key.to_owned()).or_default().push(version);
    }

    /// Returns the newest view of an object.
    pub(crate) fn newest(&self, what: &str) -> Option<u64> {
        self.0.lock().ended.get(what).map(|(newest, _)| *newest)
    }

    /// Returns the number of reconciles, and of those that followed one of another process.
    pub(crate) fn counts(&self) -> (u64, u64) {
        let book = self.0.lock();
        (book.reconciles, book.taken_over)
    }

    /// Panics if a rule was broken.
    pub(crate) fn check(&self) {
        let broken = &self.0.lock().broken;
        assert!(broken.is_empty(), "{broken:#?}");
    }
}
