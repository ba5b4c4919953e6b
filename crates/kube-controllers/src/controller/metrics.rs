//! The metrics of controllers, electors and shardings, and their names.
//!
//! They are recorded as those [of informers](kube_informer::metrics) are.
//!
//! # All metrics
//!
//! | metric | kind | unit | labels |
//! |---|---|---|---|
//! | `controller_runtime_reconcile_total` | counter | reconciles | `controller`, `result` |
//! | `controller_runtime_reconcile_errors_total` | counter | reconciles | `controller` |
//! | `controller_runtime_reconcile_panics_total` | counter | reconciles | `controller` |
//! | `controller_runtime_reconcile_timeouts_total` | counter | reconciles | `controller` |
//! | `controller_runtime_reconcile_time_seconds` | histogram | seconds | `controller` |
//! | `kube_informer_hot_keys_total` | counter | keys | `controller` |
//! | `kube_informer_unchanged_updates_total` | counter | updates | `controller` |
//! | `controller_runtime_max_concurrent_reconciles` | gauge | keys | `controller` |
//! | `controller_runtime_active_workers` | gauge | keys | `controller` |
//! | `leader_election_master_status` | gauge | 0 or 1 | `name` |
//! | `kube_informer_sharding_slots_held` | gauge | slots | `name` |
//!
//! The label `controller` is the name of the controller. It is also the `name` of its work queue,
//! whose metrics are [in another table](kube_informer::metrics::DESCRIPTIONS). The label `result`
//! says how a reconcile ended: `success`, `error`, `requeue` or `requeue_after`.

use kube_informer::metrics::{Description, MetricKind};

/// Counter, as controller-runtime's, by `result` (`success`, `error`, `requeue`, `requeue_after`):
/// reconciles that ended.
pub(crate) const RECONCILE_TOTAL: &str = "controller_runtime_reconcile_total";

/// Counter, as controller-runtime's: reconciles that failed.
pub(crate) const RECONCILE_ERRORS: &str = "controller_runtime_reconcile_errors_total";

/// Counter, as controller-runtime's: reconciles that panicked.
pub(crate) const RECONCILE_PANICS: &str = "controller_runtime_reconcile_panics_total";

/// Counter, as controller-runtime's: reconciles that exceeded their timeout.
pub(crate) const RECONCILE_TIMEOUTS: &str = "controller_runtime_reconcile_timeouts_total";

/// Histogram, as controller-runtime's: the time that a reconcile took, in seconds.
pub(crate) const RECONCILE_TIME: &str = "controller_runtime_reconcile_time_seconds";

/// Counter: the number of times that a key was found hot: reconciled 300 times within ten seconds.
pub(crate) const HOT_KEYS: &str = "kube_informer_hot_keys_total";

/// Counter: the updates that a controller's
/// [`content_changed`](super::ControllerBuilder::content_changed) dropped.
pub(crate) const UNCHANGED_UPDATES: &str = "kube_informer_unchanged_updates_total";

/// Gauge, as controller-runtime's: the number of keys that may be reconciled at a time.
pub(crate) const RECONCILE_MAX_CONCURRENT: &str = "controller_runtime_max_concurrent_reconciles";

/// Gauge, as controller-runtime's: the number of keys that are being reconciled.
pub(crate) const RECONCILE_ACTIVE_WORKERS: &str = "controller_runtime_active_workers";

/// Gauge, as client-go's: 1 while this candidate leads.
pub(crate) const LEADER_ELECTION_MASTER: &str = "leader_election_master_status";

/// Gauge: the number of slots that this replica holds and may work on.
pub(crate) const SHARDING_SLOTS_HELD: &str = "kube_informer_sharding_slots_held";

const fn describe_as(kind: MetricKind, name: &'static str, help: &'static str) -> Description {
    Description { kind, name, help }
}

/// The descriptions of all metrics of controllers, electors and shardings.
pub const DESCRIPTIONS: &[Description] = &[
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
    use super::*;

    #[test]
    fn every_metric_is_named_and_stands_in_the_table() {
        super::table_checks::check_names(DESCRIPTIONS);
        let rows = include_str!("metrics.rs").lines();
        let rows: Vec<_> = rows.filter_map(|line| line.strip_prefix("//! | `")).collect();
        assert_eq!(rows.len(), DESCRIPTIONS.len());
        for (row, metric) in rows.iter().zip(DESCRIPTIONS) {
            let kind = format!("{:?}", metric.kind).to_lowercase();
            assert!(row.starts_with(&format!("{}` | {kind} |", metric.name)), "{row}");
        }
    }
}
