//! The names and descriptions of the metrics.

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

/// Declares each metric once: its name, its kind, the labels that it has and its help.
macro_rules! metrics {
    ($($constant:ident = $name:literal, $kind:ident of $labels:literal: $help:literal;)*) => {
        $(pub(crate) const $constant: &str = $name;)*

        /// The descriptions of all metrics of informers and work queues. They stand here with their
        /// labels: *informer* stands for `name`, `group`, `resource` and `namespace`, and *queue*
        /// for `name` and `controller`. The names that begin with `informer_` or `workqueue_` are
        /// client-go's.
        ///
        /// | metric | kind | labels | value |
        /// |---|---|---|---|
        $(#[doc = concat!("| `", $name, "` | ", stringify!($kind), " | ", $labels, " | ", $help, " |")])*
        pub const DESCRIPTIONS: &[Description] =
            &[$(Description { kind: MetricKind::$kind, name: $name, help: $help }),*];
    };
}

metrics! {
    INFORMER_QUEUED_ITEMS = "informer_queued_items", Gauge of "informer":
        "Changes that wait between the reflector and the store.";
    INFORMER_PROCESSING_LATENCY = "informer_processing_latency_seconds", Histogram of "informer":
        "Time to put one batch into the store and the handlers' backlogs.";
    INFORMER_STORE_RESOURCE_VERSION = "informer_store_resource_version", Gauge of "informer":
        "The 15 least significant digits of the store's resourceVersion, if it is a number.";
    INFORMER_PENDING_NOTIFICATIONS = "informer_pending_notifications", Gauge of "informer, `handler`":
        "Events that wait in the handler's backlog.";
    OBJECTS = "kube_informer_objects", Gauge of "informer":
        "Objects in the store.";
    STALE_OBJECTS = "kube_informer_stale_objects", Gauge of "informer":
        "Objects in the store of which the server's newer state could not be decoded.";
    UNREADABLE_OBJECTS = "kube_informer_unreadable_objects", Gauge of "informer":
        "Objects of the server that are not in the store, as no state of them could be decoded.";
    SYNCED = "kube_informer_synced", Gauge of "informer":
        "1 once the first list is in the store; informers with the same labels add up.";
    LAST_EVENT = "kube_informer_last_event_timestamp_seconds", Gauge of "informer":
        "When the server last sent anything, in seconds since 1970; 0 before that.";
    RELISTS = "kube_informer_relists_total", Counter of "informer, `cause`":
        "Times that everything was listed again, by cause.";
    ERRORS = "kube_informer_errors_total", Counter of "informer, `class`":
        "Errors of requests, watches and objects; those that cannot be decoded have the class \
         undecodable.";
    CLAMPED_OBJECTS = "kube_informer_clamped_objects_total", Counter of "informer":
        "Arrivals of objects with a time that was read as the nearest one in the range.";
    WATCH_REFUSED = "kube_informer_watch_refused", Gauge of "informer":
        "1 while the server refuses to open a watch, so that only lists bring changes.";
    STORAGE_PACKED_BYTES = "kube_informer_storage_packed_bytes", Gauge of "informer":
        "Bytes that packed objects take.";
    STORAGE_HOT_BYTES = "kube_informer_storage_hot_bytes", Gauge of "informer":
        "Bytes that the objects held unpacked take, by estimate.";
    STORAGE_HITS = "kube_informer_storage_hits_total", Counter of "informer":
        "Reads that found the object unpacked.";
    STORAGE_MISSES = "kube_informer_storage_misses_total", Counter of "informer":
        "Reads that unpacked the object.";
    STORAGE_KEPT_DECODED = "kube_informer_storage_kept_decoded_total", Counter of "informer":
        "Objects that could not be packed and are kept decoded.";
    STORAGE_UNREADABLE = "kube_informer_storage_unreadable_total", Counter of "informer":
        "Reads of packed objects that could not be unpacked.";
    INDEX_FAULTS = "kube_informer_index_faults_total", Counter of "informer":
        "Calls of index functions that panicked.";
    AUDITS = "kube_informer_audits_total", Counter of "informer, `result`":
        "Audits that passed, found that something differs, or could not be judged (not_judged).";
    HANDLER_DELIVERED = "kube_informer_handler_delivered_total", Counter of "informer, `handler`":
        "Events delivered to the handler.";
    HANDLER_MERGED = "kube_informer_handler_merged_total", Counter of "informer, `handler`":
        "Events merged into another one because the handler's backlog was full.";
    HANDLER_CANCELLED = "kube_informer_handler_cancelled_total", Counter of "informer, `handler`":
        "Adds removed by a delete before the handler saw them.";
    HANDLER_PANICS = "kube_informer_handler_panics_total", Counter of "informer, `handler`":
        "Calls of the handler that panicked.";
    HANDLER_LAG = "kube_informer_handler_lag_seconds", Histogram of "informer, `handler`":
        "Time from the store to the handler, of the first event of each batch.";
    WORKQUEUE_DEPTH = "workqueue_depth", Gauge of "queue":
        "Items that wait for a worker.";
    WORKQUEUE_ADDS = "workqueue_adds_total", Counter of "queue":
        "Adds that the queue accepted.";
    WORKQUEUE_RETRIES = "workqueue_retries_total", Counter of "queue":
        "Adds that were rate limited.";
    WORKQUEUE_QUEUE_DURATION = "workqueue_queue_duration_seconds", Histogram of "queue":
        "Time that an item waited for a worker.";
    WORKQUEUE_WORK_DURATION = "workqueue_work_duration_seconds", Histogram of "queue":
        "Time that a worker held an item.";
    WORKQUEUE_UNFINISHED = "workqueue_unfinished_work_seconds", Gauge of "queue":
        "Time for which the current items have been processed, summed, published twice a second.";
    WORKQUEUE_LONGEST_RUNNING = "workqueue_longest_running_processor_seconds", Gauge of "queue":
        "Time for which the longest-running item has been processed, published twice a second.";
}
