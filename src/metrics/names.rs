//! What each metric is called, and what it says.

/// Gauge, as client-go's: how many changes wait between the reflector and the store.
pub const INFORMER_QUEUED_ITEMS: &str = "informer_queued_items";

/// Histogram, as client-go's: how long it took to put what was popped from the queue into the store and the
/// handlers' backlogs, in seconds. One observation a batch: here that is what is popped.
pub const INFORMER_PROCESSING_LATENCY: &str = "informer_processing_latency_seconds";

/// Gauge, as client-go's: the 15 least significant digits of the store's `resourceVersion`. A version
/// that is no number leaves it where it was.
pub const INFORMER_STORE_RESOURCE_VERSION: &str = "informer_store_resource_version";

/// Gauge, as client-go's: how many events wait in a handler's backlog.
pub const INFORMER_PENDING_NOTIFICATIONS: &str = "informer_pending_notifications";

/// Gauge: how many objects the store holds.
pub const OBJECTS: &str = "kube_informer_objects";

/// Gauge: how many of them are stale, because the server's newer state could not be decoded.
pub const STALE_OBJECTS: &str = "kube_informer_stale_objects";

/// Gauge: 1 once the first population is in the store. Of informers that are alike, how many.
pub const SYNCED: &str = "kube_informer_synced";

/// Gauge: when the server last sent anything, in seconds since 1970; 0 before it sent anything.
pub const LAST_EVENT: &str = "kube_informer_last_event_timestamp_seconds";

/// Counter, by `cause`: how often everything was listed anew.
pub const RELISTS: &str = "kube_informer_relists_total";

/// Counter, by `class`: errors of requests, watches and objects. Objects that can't be decoded are of
/// the class `undecodable`.
pub const ERRORS: &str = "kube_informer_errors_total";

/// Counter: calls of index functions that panicked.
pub const INDEX_FAULTS: &str = "kube_informer_index_faults_total";

/// Counter: events that a handler was given.
pub const HANDLER_DELIVERED: &str = "kube_informer_handler_delivered_total";

/// Counter: events that were merged into another one because the handler's backlog was full.
pub const HANDLER_MERGED: &str = "kube_informer_handler_merged_total";

/// Counter: adds that a delete took back before the handler was told of them.
pub const HANDLER_CANCELLED: &str = "kube_informer_handler_cancelled_total";

/// Counter: calls of a handler that panicked.
pub const HANDLER_PANICS: &str = "kube_informer_handler_panics_total";

/// Histogram: how long an event waited between the store and the handler, in seconds. One
/// observation for each batch of the store's that a handler hears of: that of its first event.
pub const HANDLER_LAG: &str = "kube_informer_handler_lag_seconds";

/// What a metric is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Counter,
    Gauge,
    Histogram,
}

/// What a recorder is told of a metric. Names say the unit, as Prometheus wants it.
#[derive(Debug)]
#[cfg_attr(not(feature = "metrics"), expect(dead_code, reason = "nobody is told"))]
pub(super) struct Description {
    pub(super) kind: Kind,
    pub(super) name: &'static str,
    pub(super) help: &'static str,
}

const fn describe(kind: Kind, name: &'static str, help: &'static str) -> Description {
    Description { kind, name, help }
}

pub(super) const DESCRIPTIONS: [Description; 16] = [
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
    describe(Kind::Gauge, SYNCED, "Whether the first population is in the store."),
    describe(Kind::Gauge, LAST_EVENT, "When the server last sent anything, in Unix time."),
    describe(Kind::Counter, RELISTS, "Times that everything was listed anew, by cause."),
    describe(Kind::Counter, ERRORS, "Errors of requests, watches and objects, by class."),
    describe(Kind::Counter, INDEX_FAULTS, "Calls of index functions that panicked."),
    describe(Kind::Counter, HANDLER_DELIVERED, "Events that the handler was given."),
    describe(
        Kind::Counter,
        HANDLER_MERGED,
        "Events merged into another one because the handler's backlog was full.",
    ),
    describe(
        Kind::Counter,
        HANDLER_CANCELLED,
        "Adds that a delete took back before the handler was told of them.",
    ),
    describe(Kind::Counter, HANDLER_PANICS, "Calls of the handler that panicked."),
    describe(
        Kind::Histogram,
        HANDLER_LAG,
        "Time from the store to the handler, of the first event of each batch.",
    ),
];
