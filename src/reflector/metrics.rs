//! Metrics of one reflector.

use super::status::{RelistCause, Relists};
use crate::error::{FaultClass, SourceError};
use crate::metrics::{Count, ERRORS, LAST_EVENT, Mark, MetricLabels, RELISTS};

/// The metrics of one reflector. All causes and classes exist from the start, at zero.
#[derive(Debug)]
pub(super) struct ReflectorMetrics {
    pub(super) last_event: Mark,
    relists: [Count; RelistCause::ALL.len()],
    errors: [Count; FaultClass::ALL.len()],
}

impl ReflectorMetrics {
    pub(super) fn new(labels: &MetricLabels) -> Self {
        let relists = |cause: RelistCause| Count::new(RELISTS, &labels.with("cause", cause.name()));
        let errors = |class: FaultClass| Count::new(ERRORS, &labels.with("class", class.name()));
        Self {
            last_event: Mark::new(LAST_EVENT, labels),
            relists: RelistCause::ALL.map(relists),
            errors: FaultClass::ALL.map(errors),
        }
    }

    pub(super) fn failed(&self, error: &SourceError) {
        self.errors[error.class() as usize].add(1);
    }

    pub(super) fn relisted(&self, before: &Relists, now: &Relists) {
        for (cause, count) in RelistCause::ALL.into_iter().zip(&self.relists) {
            count.add(now.of(cause) - before.of(cause));
        }
    }
}
