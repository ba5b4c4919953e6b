//! Metrics of one handler.

use crate::metrics::{
    Count, HANDLER_CANCELLED, HANDLER_DELIVERED, HANDLER_LAG, HANDLER_MERGED, HANDLER_PANICS,
    INFORMER_PENDING_NOTIFICATIONS, Level, MetricLabels, Timing,
};

#[derive(Debug)]
pub(super) struct HandlerMetrics {
    pub(super) pending: Level,
    pub(super) delivered: Count,
    pub(super) merged: Count,
    pub(super) cancelled: Count,
    pub(super) panics: Count,
    pub(super) lag: Timing,
}

impl HandlerMetrics {
    pub(super) fn new(labels: &MetricLabels, handler: &str) -> Self {
        let labels = labels.with("handler", handler);
        Self {
            pending: Level::new(INFORMER_PENDING_NOTIFICATIONS, &labels),
            delivered: Count::new(HANDLER_DELIVERED, &labels),
            merged: Count::new(HANDLER_MERGED, &labels),
            cancelled: Count::new(HANDLER_CANCELLED, &labels),
            panics: Count::new(HANDLER_PANICS, &labels),
            lag: Timing::new(HANDLER_LAG, &labels),
        }
    }
}
