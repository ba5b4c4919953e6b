//! The metrics of controllers, electors and shardings, and their names.
//!
//! They are recorded as those [of informers](kube_informer::metrics) are.
//!
//! # All metrics
//!
//! | metric | kind | unit | labels |
//! |---|---|---|---|
//! | [`RECONCILE_TOTAL`] | counter | reconciles | `controller`, `result` |
//! | [`RECONCILE_ERRORS`] | counter | reconciles | `controller` |
//! | [`RECONCILE_PANICS`] | counter | reconciles | `controller` |
//! | [`RECONCILE_TIMEOUTS`] | counter | reconciles | `controller` |
//! | [`RECONCILE_TIME`] | histogram | seconds | `controller` |
//! | [`HOT_KEYS`] | counter | keys | `controller` |
//! | [`UNCHANGED_UPDATES`] | counter | updates | `controller` |
//! | [`RECONCILE_MAX_CONCURRENT`] | gauge | keys | `controller` |
//! | [`RECONCILE_ACTIVE_WORKERS`] | gauge | keys | `controller` |
//! | [`LEADER_ELECTION_MASTER`] | gauge | 0 or 1 | `name` |
//! | [`SHARDING_SLOTS_HELD`] | gauge | slots | `name` |
//!
//! The label `controller` is the name of the controller. It is also the `name` of its work queue,
//! whose metrics are [in another table](kube_informer::metrics#all-metrics). The label `result`
//! says how a reconcile ended: `success`, `error`, `requeue` or `requeue_after`.

use kube_informer::metrics::{Description, MetricKind};

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
/// [`content_changed`](super::ControllerBuilder::content_changed) dropped.
pub const UNCHANGED_UPDATES: &str = "kube_informer_unchanged_updates_total";

/// Gauge, as controller-runtime's: the number of keys that may be reconciled at a time.
pub const RECONCILE_MAX_CONCURRENT: &str = "controller_runtime_max_concurrent_reconciles";

/// Gauge, as controller-runtime's: the number of keys that are being reconciled.
pub const RECONCILE_ACTIVE_WORKERS: &str = "controller_runtime_active_workers";

/// Gauge, as client-go's: 1 while this candidate leads.
pub const LEADER_ELECTION_MASTER: &str = "leader_election_master_status";

/// Gauge: the number of slots that this replica holds and may work on.
pub const SHARDING_SLOTS_HELD: &str = "kube_informer_sharding_slots_held";

const fn describe_as(kind: MetricKind, name: &'static str, help: &'static str) -> Description {
    Description { kind, name, help }
}

/// The descriptions of all metrics of controllers, electors and shardings.
pub const DESCRIPTIONS: [Description; 11] = [
    describe_as(MetricKind::Counter, RECONCILE_TOTAL, "Reconciles that ended, by result."),
    describe_as(MetricKind::Counter, RECONCILE_ERRORS, "Reconciles that failed."),
    describe_as(MetricKind::Counter, RECONCILE_PANICS, "Reconciles that panicked."),
    describe_as(MetricKind::Counter, RECONCILE_TIMEOUTS, "Reconciles that exceeded their timeout."),
    describe_as(MetricKind::Histogram, RECONCILE_TIME, "Time that a reconcile took."),
    describe_as(
        MetricKind::Counter,
        HOT_KEYS,
        "Times that a key was reconciled 300 times within ten seconds.",
    ),
    describe_as(
        MetricKind::Counter,
        UNCHANGED_UPDATES,
        "Updates that did not change the object's content, and queued no key.",
    ),
    describe_as(
        MetricKind::Gauge,
        RECONCILE_MAX_CONCURRENT,
        "Keys that may be reconciled at a time.",
    ),
    describe_as(MetricKind::Gauge, RECONCILE_ACTIVE_WORKERS, "Keys that are being reconciled."),
    describe_as(MetricKind::Gauge, LEADER_ELECTION_MASTER, "1 while this candidate leads."),
    describe_as(MetricKind::Gauge, SHARDING_SLOTS_HELD, "Slots that this replica may work on."),
];

/// Describes every metric to the recorder, also those [of
/// informers](kube_informer::metrics::describe). Call this once, after the recorder is installed.
///
/// ```
/// kube_controllers::controller::metrics::describe();
/// ```
pub fn describe() {
    kube_informer::metrics::describe();
    DESCRIPTIONS.iter().for_each(Description::describe);
}

#[cfg(test)]
#[path = "../../../../src/metrics/table_checks.rs"]
mod table_checks;

#[cfg(test)]
mod tests {
    use super::table_checks::{check_names, check_table};
    use super::*;

    #[test]
    fn every_metric_is_named_and_described() {
        let source = include_str!("metrics.rs");
        check_names(&DESCRIPTIONS);
        check_table(source, source, &DESCRIPTIONS);
    }
}
