//! The views that reconciles of all processes were handed, and the rule that none is older.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::Mutex;

/// A record of all reconciles. A cheap clone.
#[derive(Clone, Default)]
pub(crate) struct Ledger(Arc<Mutex<Book>>);

/// A version, behind true if it is of the time after the restore.
pub(crate) type View = (bool, u64);

#[derive(Default)]
struct Book {
    /// The newest view of each object among the reconciles that have ended, and the process.
    ended: BTreeMap<String, (View, usize)>,
    /// The views in which each key was just deleted.
    deleted: BTreeMap<String, Vec<View>>,
    restored: Option<Restored>,
    broken: Vec<String>,
    reconciles: u64,
    taken_over: u64,
}

struct Restored {
    /// The first version of the time before.
    old: u64,
    /// The keys that the backup held.
    keys: BTreeSet<String>,
}

/// A reconcile that runs. It ends, or is fenced, when this is dropped.
pub(crate) struct Running {
    ledger: Ledger,
    process: usize,
    views: Vec<(String, View)>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut book = self.ledger.0.lock();
        for (what, view) in &self.views {
            let (newest, by) = book.ended.entry(what.clone()).or_default();
            (*newest, *by) = (*view.max(newest), self.process);
        }
    }
}

impl Ledger {
    /// Begins a reconcile with these views of objects.
    pub(crate) fn begin(&self, process: usize, views: Vec<(String, View)>) -> Running {
        let mut book = self.0.lock();
        book.reconciles += 1;
        for (what, view) in &views {
            let Some((newest, by)) = book.ended.get(what).copied() else { continue };
            book.taken_over += u64::from(by != process);
            if *view < newest {
                let rule = format!("{process} sees {what} at {view:?}, {by} saw it at {newest:?}");
                book.broken.push(rule);
            }
        }
        Running { ledger: self.clone(), process, views }
    }

    /// Returns the view of an object of this version that some process has now.
    pub(crate) fn view(&self, version: u64) -> View {
        let book = self.0.lock();
        (book.restored.as_ref().is_some_and(|restored| version < restored.old), version)
    }

    /// Returns a view in which the key is gone: of the first delete that no ended reconcile has
    /// seen yet, or of the last one.
    pub(crate) fn gone(&self, key: &str) -> View {
        let mut book = self.0.lock();
        let seen = book.ended.get(key).map_or((false, 0), |(newest, _)| *newest);
        let lost = book.restored.as_ref().filter(|restored| !restored.keys.contains(key));
        let deleted = book.deleted.get(key).into_iter().flatten().copied();
        let deleted = deleted.chain(lost.map(|_| (true, 0))).filter(|at| *at >= seen).min();
        if let Some(at) = deleted {
            return at;
        }
        if seen > (false, 0) {
            book.broken.push(format!("{key} is gone, and was there at {seen:?}"));
        }
        (false, 0)
    }

    pub(crate) fn note_delete(&self, key: &str, version: u64) {
        let mut book = self.0.lock();
        let view = (book.restored.is_some(), version);
        book.deleted.entry(key.to_owned()).or_default().push(view);
    }

    /// Notes that the cluster was restored from a backup with these keys. Versions from `old` on
    /// are of the time before.
    pub(crate) fn note_restore(&self, old: u64, keys: BTreeSet<String>) {
        self.0.lock().restored = Some(Restored { old, keys });
    }

    /// Returns the version of the newest view of an object.
    pub(crate) fn newest(&self, what: &str) -> Option<u64> {
        self.0.lock().ended.get(what).map(|((_, newest), _)| *newest)
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
