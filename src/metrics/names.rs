//! The names and descriptions of all metrics.

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

/// Counter, as controller-runtime's, by `result` (`success`, `error`, `requeue`, `requeue_after`):
/// reconciles that ended.
pub const RECONCILE_TOTAL: &str = "controller_runtime_reconcile_total";

/// Counter, as controller-runtime's: reconciles that failed.
pub const RECONCILE_ERRORS: &str = "controller_runtime_reconcile_errors_total";

/// Counter, as controller-runtime's: reconciles that panicked.
pub const RECONCILE_PANICS: &str = "controller_runtime_reconcile_panics_total";

/// Counter, as controller-runtime's: reconciles that exceeded their timeout.
pub const RECONCILE_TIMEOUTS: &str = "controller_runtime_reconcile_timeouts_total";

/// Histogram, as controller-runtime's: the time that a reconcile took, in seconds.
pub const RECONCILE_TIME: &str = "controller_runtime_reconcile_time_seconds";

/// Counter: the number of times that a key was found hot: reconciled 300 times within ten seconds.
pub const HOT_KEYS: &str = "kube_informer_hot_keys_total";

/// Counter: the updates that a controller's
/// [`content_changed`](crate::controller::ControllerBuilder::content_changed) dropped.
pub const UNCHANGED_UPDATES: &str = "kube_informer_unchanged_updates_total";

/// Gauge, as controller-runtime's: the number of keys that may be reconciled at a time.
pub const RECONCILE_MAX_CONCURRENT: &str = "controller_runtime_max_concurrent_reconciles";

/// Gauge, as controller-runtime's: the number of keys that are being reconciled.
pub const RECONCILE_ACTIVE_WORKERS: &str = "controller_runtime_active_workers";

/// Gauge, as client-go's: 1 while this candidate leads.
pub const LEADER_ELECTION_MASTER: &str = "leader_election_master_status";

/// Gauge: the number of slots that this replica holds and may work on.
pub const SHARDING_SLOTS_HELD: &str = "kube_informer_sharding_slots_held";

/// The kind of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Counter,
    Gauge,
    Histogram,
}

/// The description of a metric. Its name states the unit, as Prometheus requires.
#[derive(Debug)]
#[cfg_attr(not(feature = "metrics"), expect(dead_code, reason = "no recorder exists"))]
pub(super) struct Description {
    pub(super) kind: Kind,
    pub(super) name: &'static str,
    pub(super) help: &'static str,
}

const fn describe(kind: Kind, name: &'static str, help: &'static str) -> Description {
    Description { kind, name, help }
}

pub(super) const DESCRIPTIONS: [Description; 43] = [
    describe(
        Kind::Gauge,
        INFORMER_QUEUED_ITEMS,
        "Changes that wait between the reflector and the store.",
    ),
    describe(
        Kind::Histogram,
        INFORMER_PROCESSING_LATENCY,
        "Time taken to process a batch after it was popped from the queue.",
    ),
    describe(
        Kind::Gauge,
        INFORMER_STORE_RESOURCE_VERSION,
        "The 15 least significant digits of the store's resourceVersion.",
    ),
    describe(
        Kind::Gauge,
        INFORMER_PENDING_NOTIFICATIONS,
        "Events that wait in the handler's backlog.",
    ),
    describe(Kind::Gauge, OBJECTS, "Objects in the store."),
    describe(
        Kind::Gauge,
        STALE_OBJECTS,
        "Objects in the store of which the server's newer state could not be decoded.",
    ),
    describe(
        Kind::Gauge,
        UNREADABLE_OBJECTS,
        "Objects of the server that are not in the store, as no state of them could be decoded.",
    ),
    describe(Kind::Gauge, SYNCED, "1 once the first list is in the store."),
    describe(Kind::Gauge, LAST_EVENT, "When the server last sent anything, in Unix time."),
    describe(Kind::Counter, RELISTS, "Times that everything was listed again, by cause."),
    describe(
        Kind::Counter,
        CLAMPED_OBJECTS,
        "Arrivals of objects with a time that was read as the nearest one in the range.",
    ),
    describe(Kind::Counter, ERRORS, "Errors of requests, watches and objects, by class."),
    describe(
        Kind::Gauge,
        WATCH_REFUSED,
        "1 while the server refuses to open a watch, so that only lists bring changes.",
    ),
    describe(Kind::Gauge, STORAGE_PACKED_BYTES, "Bytes that packed objects take."),
    describe(
        Kind::Gauge,
        STORAGE_HOT_BYTES,
        "Bytes that the objects held unpacked take, by estimate.",
    ),
    describe(Kind::Counter, STORAGE_HITS, "Reads that found the object unpacked."),
    describe(Kind::Counter, STORAGE_MISSES, "Reads that unpacked the object."),
    describe(
        Kind::Counter,
        STORAGE_KEPT_DECODED,
        "Objects that could not be packed and are kept decoded.",
    ),
    describe(
        Kind::Counter,
        STORAGE_UNREADABLE,
        "Reads of packed objects that could not be unpacked.",
    ),
    describe(Kind::Counter, INDEX_FAULTS, "Calls of index functions that panicked."),
    describe(Kind::Counter, HANDLER_DELIVERED, "Events delivered to the handler."),
    describe(
        Kind::Counter,
        HANDLER_MERGED,
        "Events merged into another one because the handler's backlog was full.",
    ),
    describe(
        Kind::Counter,
        HANDLER_CANCELLED,
        "Adds removed by a delete before the handler saw them.",
    ),
    describe(Kind::Counter, HANDLER_PANICS, "Calls of the handler that panicked."),
    describe(
        Kind::Histogram,
        HANDLER_LAG,
        "Time from the store to the handler, of the first event of each batch.",
    ),
    describe(Kind::Gauge, WORKQUEUE_DEPTH, "Items that wait for a worker."),
    describe(Kind::Counter, WORKQUEUE_ADDS, "Adds that the queue accepted."),
    describe(Kind::Counter, WORKQUEUE_RETRIES, "Adds that were rate limited."),
    describe(Kind::Histogram, WORKQUEUE_QUEUE_DURATION, "Time that an item waited for a worker."),
    describe(Kind::Histogram, WORKQUEUE_WORK_DURATION, "Time that a worker held an item."),
    describe(
        Kind::Gauge,
        WORKQUEUE_UNFINISHED,
        "Time for which the current items have been processed, summed.",
    ),
    describe(
        Kind::Gauge,
        WORKQUEUE_LONGEST_RUNNING,
        "Time for which the longest-running item has been processed.",
    ),
    describe(Kind::Counter, RECONCILE_TOTAL, "Reconciles that ended, by result."),
    describe(Kind::Counter, RECONCILE_ERRORS, "Reconciles that failed."),
    describe(Kind::Counter, RECONCILE_PANICS, "Reconciles that panicked."),
    describe(Kind::Counter, RECONCILE_TIMEOUTS, "Reconciles that exceeded their timeout."),
    describe(Kind::Histogram, RECONCILE_TIME, "Time that a reconcile took."),
    describe(
        Kind::Counter,
        HOT_KEYS,
        "Times that a key was reconciled 300 times within ten seconds.",
    ),
    describe(
        Kind::Counter,
        UNCHANGED_UPDATES,
        "Updates that did not change the object's content, and queued no key.",
    ),
    describe(Kind::Gauge, RECONCILE_MAX_CONCURRENT, "Keys that may be reconciled at a time."),
    describe(Kind::Gauge, RECONCILE_ACTIVE_WORKERS, "Keys that are being reconciled."),
    describe(Kind::Gauge, LEADER_ELECTION_MASTER, "1 while this candidate leads."),
    describe(Kind::Gauge, SHARDING_SLOTS_HELD, "Slots that this replica may work on."),
];
