//! The metrics of a controller, under controller-runtime's names.

use std::sync::Arc;

use super::action::Next;
use super::error::{Reason, ReconcileError};
use crate::metrics::{
    Count, Level, MetricLabels, RECONCILE_ACTIVE_WORKERS, RECONCILE_ERRORS,
    RECONCILE_MAX_CONCURRENT, RECONCILE_PANICS, RECONCILE_TIME, RECONCILE_TIMEOUTS,
    RECONCILE_TOTAL, Timing,
};

/// A controller's metrics. They last as long as the controller and its handles.
#[derive(Debug)]
pub(super) struct ControllerMetrics {
    pub(super) time: Timing,
    pub(super) active: Level,
    pub(super) workers: Level,
    success: Count,
    error: Count,
    requeue: Count,
    requeue_after: Count,
    errors: Count,
    panics: Count,
    timeouts: Count,
}

impl ControllerMetrics {
    pub(super) fn new(controller: &Arc<str>) -> Self {
        let labels = MetricLabels::new([("controller", controller)]);
        let result = |result| Count::new(RECONCILE_TOTAL, &labels.with("result", result));
        Self {
            time: Timing::new(RECONCILE_TIME, &labels),
            active: Level::new(RECONCILE_ACTIVE_WORKERS, &labels),
            workers: Level::new(RECONCILE_MAX_CONCURRENT, &labels),
            success: result("success"),
            error: result("error"),
            requeue: result("requeue"),
            requeue_after: result("requeue_after"),
            errors: Count::new(RECONCILE_ERRORS, &labels),
            panics: Count::new(RECONCILE_PANICS, &labels),
            timeouts: Count::new(RECONCILE_TIMEOUTS, &labels),
        }
    }

    pub(super) fn count_outcome(&self, outcome: &Result<Next, ReconcileError>) {
        match outcome {
            Ok(Next::Change) => self.success.add(1),
            Ok(Next::After(_)) => self.requeue_after.add(1),
            Ok(Next::Retry) => self.requeue.add(1),
            Err(error) => {
                self.error.add(1);
                self.errors.add(1);
                match error.reason() {
                    Reason::Panicked => self.panics.add(1),
                    Reason::TimedOut => self.timeouts.add(1),
                    Reason::Failed | Reason::Behind => {}
                }
            }
        }
    }
}
