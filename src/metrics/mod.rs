//! The metrics of informers and work queues, and their names.
//!
//! With the feature `metrics`, values go through the [`metrics`](https://docs.rs/metrics) facade to
//! the recorder that the application installs. Without it every handle is empty, and every call
//! does nothing. A stage creates its handles once and drops them when it is dropped. A recorder
//! that holds handles weakly therefore forgets an informer when the informer is dropped.
//!
//! Install the recorder before you create an informer: a handle created earlier records nothing.
//! The exception is the recorder that a manager of `kube-controllers` installs: it gets these
//! values, too.
//!
//! Values are published when they change, so any exporter works. A value that only ages, such as
//! the time of the last event, is published as a timestamp, not as an age. An age would stand still
//! and look healthy exactly when its informer hangs.
//!
//! # Labels
//!
//! | label | value |
//! |---|---|
//! | `name` | the name given to the informer or its factory; empty if none |
//! | `group`, `resource` | of the API, such as `apps` and `deployments`; the core group is empty |
//! | `namespace` | the namespace listed and watched; empty for all of them |
//! | `handler` | the name given to the handler; empty if none |
//! | `controller` | the name of the work queue, as `name` |
//! | `cause` | why everything was listed again: a [`RelistCause`](crate::reflector::RelistCause) |
//! | `class` | the kind of an error: a [`FaultClass`](crate::error::FaultClass) |
//!
//! client-go has the first three labels, and `version`, which an informer here does not know.
//! Owners with the same labels share one metric: sizes add up, and the last version or timestamp
//! wins. Use names to tell apart informers of one resource, and handlers of one informer.
//!
//! # All metrics
//!
//! *informer* stands for the labels `name`, `group`, `resource` and `namespace`, and *queue* for
//! `name` and `controller`.
//!
//! | metric | kind | unit | labels |
//! |---|---|---|---|
//! | [`INFORMER_QUEUED_ITEMS`] | gauge | changes | informer |
//! | [`INFORMER_PROCESSING_LATENCY`] | histogram | seconds | informer |
//! | [`INFORMER_STORE_RESOURCE_VERSION`] | gauge | version | informer |
//! | [`INFORMER_PENDING_NOTIFICATIONS`] | gauge | events | informer, `handler` |
//! | [`OBJECTS`] | gauge | objects | informer |
//! | [`STALE_OBJECTS`] | gauge | objects | informer |
//! | [`UNREADABLE_OBJECTS`] | gauge | objects | informer |
//! | [`SYNCED`] | gauge | 0 or 1 | informer |
//! | [`LAST_EVENT`] | gauge | seconds since 1970 | informer |
//! | [`RELISTS`] | counter | relists | informer, `cause` |
//! | [`ERRORS`] | counter | errors | informer, `class` |
//! | [`CLAMPED_OBJECTS`] | counter | objects | informer |
//! | [`WATCH_REFUSED`] | gauge | 0 or 1 | informer |
//! | [`STORAGE_PACKED_BYTES`] | gauge | bytes | informer |
//! | [`STORAGE_HOT_BYTES`] | gauge | bytes | informer |
//! | [`STORAGE_HITS`] | counter | reads | informer |
//! | [`STORAGE_MISSES`] | counter | reads | informer |
//! | [`STORAGE_KEPT_DECODED`] | counter | objects | informer |
//! | [`STORAGE_UNREADABLE`] | counter | reads | informer |
//! | [`INDEX_FAULTS`] | counter | panics | informer |
//! | [`HANDLER_DELIVERED`] | counter | events | informer, `handler` |
//! | [`HANDLER_MERGED`] | counter | events | informer, `handler` |
//! | [`HANDLER_CANCELLED`] | counter | events | informer, `handler` |
//! | [`HANDLER_PANICS`] | counter | panics | informer, `handler` |
//! | [`HANDLER_LAG`] | histogram | seconds | informer, `handler` |
//! | [`WORKQUEUE_DEPTH`] | gauge | items | queue |
//! | [`WORKQUEUE_ADDS`] | counter | adds | queue |
//! | [`WORKQUEUE_RETRIES`] | counter | adds | queue |
//! | [`WORKQUEUE_QUEUE_DURATION`] | histogram | seconds | queue |
//! | [`WORKQUEUE_WORK_DURATION`] | histogram | seconds | queue |
//! | [`WORKQUEUE_UNFINISHED`] | gauge | seconds | queue |
//! | [`WORKQUEUE_LONGEST_RUNNING`] | gauge | seconds | queue |

pub(crate) mod facade;
#[cfg(feature = "metrics")]
pub(crate) mod late;
mod names;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use self::facade::{Count, Level, Mark, MetricLabels, Timing};
pub use self::names::*;

/// Describes every metric of informers and work queues to the recorder, with its unit. Call this
/// once, after the recorder is installed. Without the feature `metrics` it does nothing.
///
/// ```
/// kube_informer::metrics::describe();
/// ```
pub fn describe() {
    DESCRIPTIONS.iter().for_each(Description::describe);
}

impl Description {
    /// Describes the metric to the recorder, with its unit.
    pub fn describe(&self) {
        facade::describe(self);
    }
}
