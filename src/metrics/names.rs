//! The names and descriptions of the metrics.

/// Gauge, as client-go's: the number of changes that wait between the reflector and the store.
pub const INFORMER_QUEUED_ITEMS: &str = "informer_queued_items";

/// Histogram, as client-go's: the time to put one popped batch into the store and the handlers'
/// backlogs, in seconds. There is one observation for each batch.
pub const INFORMER_PROCESSING_LATENCY: &str = "informer_processing_latency_seconds";

/// Gauge, as client-go's: the 15 least significant digits of the store's `resourceVersion`. A
/// version that is not a number does not change it.
pub const INFORMER_STORE_RESOURCE_VERSION: &str = "informer_store_resource_version";

/// Gauge: the number of events that wait in a handler's backlog. The name follows client-go's
/// scheme, although client-go has no such metric.
pub const INFORMER_PENDING_NOTIFICATIONS: &str = "informer_pending_notifications";

/// Gauge: the number of objects in the store.
pub const OBJECTS: &str = "kube_informer_objects";

/// Gauge: the number of stale objects, whose newer state could not be decoded.
pub const STALE_OBJECTS: &str = "kube_informer_stale_objects";

/// Gauge: the number of objects that the server has and that are not in the store, because no state
/// of them could be decoded.
pub const UNREADABLE_OBJECTS: &str = "kube_informer_unreadable_objects";

/// Gauge: 1 once the first list is in the store. Informers with the same labels add up.
pub const SYNCED: &str = "kube_informer_synced";

/// Gauge: the time when the server last sent anything, in seconds since 1970; 0 before that.
pub const LAST_EVENT: &str = "kube_informer_last_event_timestamp_seconds";

/// Counter, by `cause`: the number of times everything was listed again.
pub const RELISTS: &str = "kube_informer_relists_total";

/// Counter, by `class`: errors of requests, watches and objects. Objects that cannot be decoded
/// have the class `undecodable`.
pub const ERRORS: &str = "kube_informer_errors_total";

/// Counter: arrivals of objects with a time that a `Timestamp` does not hold. The time was read as
/// the nearest one that it holds.
pub const CLAMPED_OBJECTS: &str = "kube_informer_clamped_objects_total";

/// Gauge: 1 while the server refuses to open a watch (401 or 403). Informers with the same labels
/// add up.
pub const WATCH_REFUSED: &str = "kube_informer_watch_refused";

/// Gauge: the size of the objects that a [`Storage`](crate::Storage) packed, in bytes.
pub const STORAGE_PACKED_BYTES: &str = "kube_informer_storage_packed_bytes";

/// Gauge: the estimated size of the objects that a packing storage holds unpacked, in bytes.
pub const STORAGE_HOT_BYTES: &str = "kube_informer_storage_hot_bytes";

/// Counter: reads that found the object unpacked.
pub const STORAGE_HITS: &str = "kube_informer_storage_hits_total";

/// Counter: reads that unpacked the object.
pub const STORAGE_MISSES: &str = "kube_informer_storage_misses_total";

/// Counter: objects that could not be packed and are kept decoded.
pub const STORAGE_KEPT_DECODED: &str = "kube_informer_storage_kept_decoded_total";

/// Counter: reads of packed objects that could not be unpacked.
pub const STORAGE_UNREADABLE: &str = "kube_informer_storage_unreadable_total";

/// Counter: calls of index functions that panicked.
pub const INDEX_FAULTS: &str = "kube_informer_index_faults_total";

/// Counter: events that were delivered to a handler.
pub const HANDLER_DELIVERED: &str = "kube_informer_handler_delivered_total";

/// Counter: events that were merged into another one because the handler's backlog was full.
pub const HANDLER_MERGED: &str = "kube_informer_handler_merged_total";

/// Counter: adds that were removed from the backlog by a delete before the handler saw them.
pub const HANDLER_CANCELLED: &str = "kube_informer_handler_cancelled_total";

/// Counter: calls of a handler that panicked.
pub const HANDLER_PANICS: &str = "kube_informer_handler_panics_total";

/// Histogram: the time that an event waited between the store and the handler, in seconds. There is
/// one observation for each batch that a handler receives: that of its first event.
pub const HANDLER_LAG: &str = "kube_informer_handler_lag_seconds";

/// Gauge, as client-go's: the number of items that wait for a worker.
pub const WORKQUEUE_DEPTH: &str = "workqueue_depth";

/// Counter, as client-go's: adds that the work queue accepted.
pub const WORKQUEUE_ADDS: &str = "workqueue_adds_total";

/// Counter, as client-go's: adds that were rate limited.
pub const WORKQUEUE_RETRIES: &str = "workqueue_retries_total";

/// Histogram, as client-go's: the time that an item waited for a worker, in seconds.
pub const WORKQUEUE_QUEUE_DURATION: &str = "workqueue_queue_duration_seconds";

/// Histogram, as client-go's: the time that a worker held an item, in seconds.
pub const WORKQUEUE_WORK_DURATION: &str = "workqueue_work_duration_seconds";

/// Gauge, as client-go's: the time for which the current items have been processed, in seconds,
/// summed over all of them. Published twice a second.
pub const WORKQUEUE_UNFINISHED: &str = "workqueue_unfinished_work_seconds";

/// Gauge, as client-go's: the time for which the longest-running item has been processed, in
/// seconds. Published twice a second.
pub const WORKQUEUE_LONGEST_RUNNING: &str = "workqueue_longest_running_processor_seconds";

/// The kind of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// A sum that only grows.
    Counter,
    /// A value that goes up and down.
    Gauge,
    /// A distribution of durations.
    Histogram,
}

/// The description of a metric.
///
/// ```
/// use kube_informer::metrics::{DESCRIPTIONS, MetricKind};
///
/// let counters = DESCRIPTIONS.iter().filter(|metric| metric.kind == MetricKind::Counter);
/// counters.for_each(|metric| println!("rate({}[5m]) # {}", metric.name, metric.help));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// The kind.
    pub kind: MetricKind,
    /// The name. It states the unit, as Prometheus requires.
    pub name: &'static str,
    /// A sentence on the values.
    pub help: &'static str,
}

const fn describe(kind: MetricKind, name: &'static str, help: &'static str) -> Description {
    Description { kind, name, help }
}

/// The descriptions of all metrics of informers and work queues.
pub const DESCRIPTIONS: [Description; 32] = [
    describe(
        MetricKind::Gauge,
        INFORMER_QUEUED_ITEMS,
        "Changes that wait between the reflector and the store.",
    ),
    describe(
        MetricKind::Histogram,
        INFORMER_PROCESSING_LATENCY,
        "Time taken to process a batch after it was popped from the queue.",
    ),
    describe(
        MetricKind::Gauge,
        INFORMER_STORE_RESOURCE_VERSION,
        "The 15 least significant digits of the store's resourceVersion.",
    ),
    describe(
        MetricKind::Gauge,
        INFORMER_PENDING_NOTIFICATIONS,
        "Events that wait in the handler's backlog.",
    ),
    describe(MetricKind::Gauge, OBJECTS, "Objects in the store."),
    describe(
        MetricKind::Gauge,
        STALE_OBJECTS,
        "Objects in the store of which the server's newer state could not be decoded.",
    ),
    describe(
        MetricKind::Gauge,
        UNREADABLE_OBJECTS,
        "Objects of the server that are not in the store, as no state of them could be decoded.",
    ),
    describe(MetricKind::Gauge, SYNCED, "1 once the first list is in the store."),
    describe(MetricKind::Gauge, LAST_EVENT, "When the server last sent anything, in Unix time."),
    describe(MetricKind::Counter, RELISTS, "Times that everything was listed again, by cause."),
    describe(
        MetricKind::Counter,
        CLAMPED_OBJECTS,
        "Arrivals of objects with a time that was read as the nearest one in the range.",
    ),
    describe(MetricKind::Counter, ERRORS, "Errors of requests, watches and objects, by class."),
    describe(
        MetricKind::Gauge,
        WATCH_REFUSED,
        "1 while the server refuses to open a watch, so that only lists bring changes.",
    ),
    describe(MetricKind::Gauge, STORAGE_PACKED_BYTES, "Bytes that packed objects take."),
    describe(
        MetricKind::Gauge,
        STORAGE_HOT_BYTES,
        "Bytes that the objects held unpacked take, by estimate.",
    ),
    describe(MetricKind::Counter, STORAGE_HITS, "Reads that found the object unpacked."),
    describe(MetricKind::Counter, STORAGE_MISSES, "Reads that unpacked the object."),
    describe(
        MetricKind::Counter,
        STORAGE_KEPT_DECODED,
        "Objects that could not be packed and are kept decoded.",
    ),
    describe(
        MetricKind::Counter,
        STORAGE_UNREADABLE,
        "Reads of packed objects that could not be unpacked.",
    ),
    describe(MetricKind::Counter, INDEX_FAULTS, "Calls of index functions that panicked."),
    describe(MetricKind::Counter, HANDLER_DELIVERED, "Events delivered to the handler."),
    describe(
        MetricKind::Counter,
        HANDLER_MERGED,
        "Events merged into another one because the handler's backlog was full.",
    ),
    describe(
        MetricKind::Counter,
        HANDLER_CANCELLED,
        "Adds removed by a delete before the handler saw them.",
    ),
    describe(MetricKind::Counter, HANDLER_PANICS, "Calls of the handler that panicked."),
    describe(
        MetricKind::Histogram,
        HANDLER_LAG,
        "Time from the store to the handler, of the first event of each batch.",
    ),
    describe(MetricKind::Gauge, WORKQUEUE_DEPTH, "Items that wait for a worker."),
    describe(MetricKind::Counter, WORKQUEUE_ADDS, "Adds that the queue accepted."),
    describe(MetricKind::Counter, WORKQUEUE_RETRIES, "Adds that were rate limited."),
    describe(
        MetricKind::Histogram,
        WORKQUEUE_QUEUE_DURATION,
        "Time that an item waited for a worker.",
    ),
    describe(MetricKind::Histogram, WORKQUEUE_WORK_DURATION, "Time that a worker held an item."),
    describe(
        MetricKind::Gauge,
        WORKQUEUE_UNFINISHED,
        "Time for which the current items have been processed, summed.",
    ),
    describe(
        MetricKind::Gauge,
        WORKQUEUE_LONGEST_RUNNING,
        "Time for which the longest-running item has been processed.",
    ),
];
