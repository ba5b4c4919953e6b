//! The data that all packed objects of an informer share: figures, label maps and heat.

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Weak};

use super::heat::Heat;
use super::view::{View, ViewStatus, ViewType};
use super::{PackError, ReportFault};
use crate::collections::PartedTable;
use crate::error::Fault;
use crate::panic::SafeDropper;
use crate::sync::{Mutex, Notify};
use crate::yield_budget::YieldBudget;

/// The number of faults that may wait to be passed on. Further ones are only logged and counted.
const MAX_FAULTS: usize = 128;

/// The number of objects that a list may unpack before it counts as large.
const LARGE_LIST: u64 = 1_000;

/// The default of [`Storage::hot_limit`](super::Storage::hot_limit), as a multiple of the size of
/// the packed objects: enough for views of all objects, but not for all whole objects.
const HOT_SHARE: usize = 32;

/// The smallest default of that limit, in bytes, so that small informers keep everything.
const LEAST_LIMIT: usize = 64 << 20;

/// The data that all packed objects of an informer share.
pub(super) struct Shared {
    pub(super) heat: Heat,
    /// The limit of the bytes that are held unpacked, if it is set.
    pub(super) limit: Option<usize>,
    pub(super) labels: SharedLabels,
    pub(super) figures: Figures,
    /// Drops decoded objects. Their `Drop` is user code.
    pub(super) dropper: SafeDropper,
    pub(super) wipe: bool,
    /// True if each object is checked as it arrives: by a decoder that can do so, or else decoded.
    pub(super) check: bool,
    /// The views that exist.
    pub(super) views: Mutex<Vec<Weak<View>>>,
}

impl Shared {
    /// Returns the limit of the bytes that are held unpacked.
    pub(super) fn hot_limit(&self) -> usize {
        let packed = self.figures.bytes.load(Relaxed);
        self.limit.unwrap_or_else(|| packed.saturating_mul(HOT_SHARE).max(LEAST_LIMIT))
    }

    /// Returns whether the limit is reached. If so, lets the sweeps release the coldest objects.
    pub(super) fn is_full(&self) -> bool {
        let full = self.heat.size() >= self.hot_limit();
        if full {
            self.heat.make_room();
        }
        full
    }

    /// Returns whether an object that was read may become hot. Counts the read if the limit forbids
    /// that.
    pub(super) fn may_warm(&self) -> bool {
        let full = self.heat.is_on() && self.is_full();
        if full {
            self.figures.over_limit.add();
        }
        self.heat.is_on() && !full
    }

    /// Drops the new states that wait for their readers.
    pub(super) fn free_waiting(&self) {
        for object in self.heat.take_waiting() {
            self.dropper.free(object);
        }
    }

    /// Returns the view of a type, which may exist already.
    pub(super) fn view(self: &Arc<Self>, of: ViewType) -> Arc<View> {
        let mut views = self.views.lock();
        views.retain(|view| view.strong_count() > 0);
        // The last reference to a view may be among these. It is not dropped under the lock,
        // because it owns a decoder, whose `Drop` is user code.
        let live: Vec<_> = views.iter().filter_map(Weak::upgrade).collect();
        if let Some(known) = live.iter().find(|view| view.is_shared_with(&of)) {
            drop(views);
            return known.clone();
        }
        let view = View::new(of, self.clone());
        views.push(Arc::downgrade(&view));
        drop(views);
        // A subscriber of logs may ask for the views' status.
        view.tell_whole();
        view
    }

    /// Returns the status of each view.
    pub(super) fn view_status(&self) -> Vec<ViewStatus> {
        // The last reference to a view may be among these. It owns a decoder, whose `Drop` is user
        // code.
        let views: Vec<_> = self.views.lock().iter().filter_map(Weak::upgrade).collect();
        views.iter().map(|view| view.status()).collect()
    }
}

/// A `Drop` of an object may panic, so they are dropped one by one.
impl Drop for Shared {
    fn drop(&mut self) {
        self.free_waiting();
    }
}

/// A number that only grows.
#[derive(Debug, Default)]
pub(super) struct Counter(AtomicU64);

impl Counter {
    /// Adds one and returns the number before.
    pub(super) fn add(&self) -> u64 {
        self.0.fetch_add(1, Relaxed)
    }

    pub(super) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// The figures of one informer's storage. Failures are also logged; of the objects kept decoded,
/// only the first.
#[derive(Debug)]
pub(super) struct Figures {
    resource: Arc<str>,
    pub(super) objects: AtomicUsize,
    pub(super) bytes: AtomicUsize,
    pub(super) hits: Counter,
    pub(super) misses: Counter,
    pub(super) over_limit: Counter,
    pub(super) large_lists: Counter,
    pub(super) kept_decoded: Counter,
    pub(super) unreadable: Counter,
    faults: Mutex<Vec<Fault>>,
    /// Notified when a fault was added.
    added: Notify,
}

impl Figures {
    pub(super) fn new(resource: &Arc<str>) -> Self {
        Self {
            resource: resource.clone(),
            objects: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
            hits: Counter::default(),
            misses: Counter::default(),
            over_limit: Counter::default(),
            large_lists: Counter::default(),
            kept_decoded: Counter::default(),
            unreadable: Counter::default(),
            faults: Mutex::default(),
            added: Notify::new(),
        }
    }

    pub(super) fn packed(&self, bytes: usize) {
        self.objects.fetch_add(1, Relaxed);
        self.bytes.fetch_add(bytes, Relaxed);
    }

    pub(super) fn dropped(&self, bytes: usize) {
        self.objects.fetch_sub(1, Relaxed);
        self.bytes.fetch_sub(bytes, Relaxed);
    }

    pub(super) fn resource(&self) -> &str {
        &self.resource
    }

    /// Returns whether the objects are Secrets.
    pub(super) fn is_of_secrets(&self) -> bool {
        *self.resource == *"secrets"
    }

    /// Reports that the whole type is kept decoded from now on.
    #[cfg(feature = "compact")]
    pub(super) fn refused(&self, error: PackError) {
        let resource = &*self.resource;
        tracing::error!(resource, %error, "this type can't be packed; its objects are kept decoded");
    }

    /// Reports that the whole type is kept decoded from now on, because packing saves no memory.
    pub(super) fn not_smaller(&self) {
        let resource = &*self.resource;
        tracing::info!(resource, "objects are kept decoded, because that takes no more memory");
    }

    /// Counts an object that is kept decoded. Logs the first.
    pub(super) fn kept_decoded(&self, error: PackError) {
        if self.kept_decoded.add() == 0 {
            let resource = &*self.resource;
            tracing::warn!(resource, %error, "an object can't be packed and is kept decoded");
        }
    }

    /// Counts a list if it unpacked many objects. Logs the first.
    pub(super) fn listed(&self, unpacked: u64) {
        if unpacked > LARGE_LIST && self.large_lists.add() == 0 {
            let resource = &*self.resource;
            tracing::info!(
                resource,
                unpacked,
                "a list unpacked many objects, which takes tens of microseconds each: read an \
                 index, or choose a longer `Storage::hot_for`"
            );
        }
    }

    /// Logs that a packed object can't be unpacked, and notes that for the informer.
    pub(super) fn report(&self, uid: Option<&str>, fault: Fault) {
        let resource = &*self.resource;
        tracing::error!(resource, uid, %fault, "a packed object can't be read; reads leave it out");
        let mut faults = self.faults.lock();
        if faults.len() < MAX_FAULTS {
            faults.push(fault);
        }
        drop(faults);
        self.added.notify_one();
    }

    /// Passes the noted faults on, for as long as it is polled. So user code runs in this task, and
    /// not in the read that failed.
    pub(super) async fn pass_on(&self, report: ReportFault) {
        let mut budget = YieldBudget::new();
        loop {
            self.added.notified().await;
            let faults = std::mem::take(&mut *self.faults.lock());
            for fault in faults {
                report(fault);
                budget.give_way().await;
            }
        }
    }
}

/// The labels of an object.
pub(super) type Labels = BTreeMap<String, String>;

/// Every label map that some object has, once.
#[derive(Debug, Default)]
pub(super) struct SharedLabels {
    hasher: foldhash::fast::RandomState,
    table: Mutex<PartedTable<Arc<Labels>>>,
}

impl SharedLabels {
    /// Returns the shared map that equals `labels`. The caller gives it back with
    /// [`release`](Self::release).
    pub(super) fn share(&self, labels: &Labels) -> Arc<Labels> {
        let hash = self.hasher.hash_one(labels);
        let mut table = self.table.lock();
        if let Some(known) = table.find(hash, |map| **map == *labels) {
            return known.clone();
        }
        let map = Arc::new(labels.clone());
        table.insert(hash, map.clone());
        map
    }

    /// Takes a map back, and removes it if no other object has it.
    pub(super) fn release(&self, labels: Arc<Labels>) {
        let hash = self.hasher.hash_one(&*labels);
        let mut table = self.table.lock();
        // Every holder gives its map back under this lock, so two references are the table's and
        // this one.
        if Arc::strong_count(&labels) == 2 {
            table.remove(hash, |map| Arc::ptr_eq(map, &labels));
        }
        drop(labels);
        drop(table);
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.table.lock().len()
    }
}
