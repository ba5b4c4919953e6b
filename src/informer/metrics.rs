//! Metrics of one informer, without those of its reflector and its handlers.

use crate::lister_watcher::Collection;
use crate::metrics::{
    Count, INDEX_FAULTS, INFORMER_PROCESSING_LATENCY, INFORMER_QUEUED_ITEMS,
    INFORMER_STORE_RESOURCE_VERSION, Level, Mark, MetricLabels, OBJECTS, STALE_OBJECTS,
    STORAGE_HOT_BYTES, STORAGE_PACKED_BYTES, SYNCED, Timing,
};

/// The metrics of one informer. They end with its tasks.
#[derive(Debug)]
pub(super) struct InformerMetrics {
    pub(super) queued: Level,
    pub(super) latency: Timing,
    pub(super) version: Mark,
    pub(super) objects: Level,
    pub(super) stale: Level,
    pub(super) synced: Level,
    pub(super) index_faults: Count,
    /// `None` unless objects are packed.
    pub(super) storage: Option<StorageMetrics>,
}

/// The metrics of a storage that packs objects.
#[derive(Debug)]
pub(super) struct StorageMetrics {
    pub(super) packed_bytes: Level,
    pub(super) hot_bytes: Level,
}

impl InformerMetrics {
    pub(super) fn new(labels: &MetricLabels, packs: bool) -> Self {
        Self {
            queued: Level::new(INFORMER_QUEUED_ITEMS, labels),
            latency: Timing::new(INFORMER_PROCESSING_LATENCY, labels),
            version: Mark::new(INFORMER_STORE_RESOURCE_VERSION, labels),
            objects: Level::new(OBJECTS, labels),
            stale: Level::new(STALE_OBJECTS, labels),
            synced: Level::new(SYNCED, labels),
            index_faults: Count::new(INDEX_FAULTS, labels),
            storage: packs.then(|| StorageMetrics {
                packed_bytes: Level::new(STORAGE_PACKED_BYTES, labels),
                hot_bytes: Level::new(STORAGE_HOT_BYTES, labels),
            }),
        }
    }
}

/// Returns the labels of all metrics of an informer: client-go's, without the API version.
pub(super) fn labels(name: &str, collection: &Collection) -> MetricLabels {
    let (resource, group) =
        collection.resource.split_once('.').unwrap_or((&collection.resource, ""));
    let namespace = collection.namespace.as_deref().unwrap_or("");
    MetricLabels::new([
        ("name", name),
        ("group", group),
        ("resource", resource),
        ("namespace", namespace),
    ])
}
