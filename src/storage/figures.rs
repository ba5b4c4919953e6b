//! The counters of a storage that packs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use super::PackError;
use crate::metrics::{
    Count, MetricLabels, STORAGE_HITS, STORAGE_KEPT_DECODED, STORAGE_MISSES, STORAGE_UNREADABLE,
};

/// A number that only grows, also reported as a metric.
#[derive(Debug)]
pub(super) struct Counter(AtomicU64, Count);

impl Counter {
    fn new(name: &'static str, labels: &MetricLabels) -> Self {
        Self(AtomicU64::new(0), Count::new(name, labels))
    }

    /// Adds one and returns the number before.
    pub(super) fn add(&self) -> u64 {
        self.1.add(1);
        self.0.fetch_add(1, Relaxed)
    }

    pub(super) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// The figures of one informer's storage. Failures are also logged; the first object that is kept
/// decoded stands for all of its kind.
#[derive(Debug)]
pub(super) struct Figures {
    resource: Arc<str>,
    pub(super) objects: AtomicUsize,
    pub(super) bytes: AtomicUsize,
    pub(super) hits: Counter,
    pub(super) misses: Counter,
    pub(super) kept_decoded: Counter,
    pub(super) unreadable: Counter,
}

impl Figures {
    pub(super) fn new(resource: &Arc<str>, labels: &MetricLabels) -> Self {
        Self {
            resource: resource.clone(),
            objects: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
            hits: Counter::new(STORAGE_HITS, labels),
            misses: Counter::new(STORAGE_MISSES, labels),
            kept_decoded: Counter::new(STORAGE_KEPT_DECODED, labels),
            unreadable: Counter::new(STORAGE_UNREADABLE, labels),
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

    /// Reports that the whole type is kept decoded from now on.
    pub(super) fn refused(&self, error: PackError) {
        let resource = &*self.resource;
        tracing::error!(resource, %error, "this type can't be packed; its objects are kept decoded");
    }

    /// Counts an object that is kept decoded. Logs the first.
    pub(super) fn kept_decoded(&self, error: PackError) {
        if self.kept_decoded.add() == 0 {
            let resource = &*self.resource;
            tracing::warn!(resource, %error, "an object can't be packed and is kept decoded");
        }
    }

    /// Counts and logs an object that can't be unpacked.
    pub(super) fn unreadable(&self, uid: Option<&str>) {
        self.unreadable.add();
        let resource = &*self.resource;
        tracing::error!(resource, uid, "a packed object can't be unpacked; reads leave it out");
    }
}
