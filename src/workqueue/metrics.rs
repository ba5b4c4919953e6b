//! The metrics of a queue, under client-go's names.

use crate::metrics::{
    Count, Level, Mark, MetricLabels, Timing, WORKQUEUE_ADDS, WORKQUEUE_DEPTH,
    WORKQUEUE_LONGEST_RUNNING, WORKQUEUE_QUEUE_DURATION, WORKQUEUE_RETRIES, WORKQUEUE_UNFINISHED,
    WORKQUEUE_WORK_DURATION,
};

/// A queue's metrics. They last as long as the queue.
#[derive(Debug)]
pub(super) struct QueueMetrics {
    pub(super) depth: Level,
    pub(super) adds: Count,
    pub(super) retries: Count,
    pub(super) waited: Timing,
    pub(super) worked: Timing,
    pub(super) unfinished: Mark,
    pub(super) longest_running: Mark,
}

impl QueueMetrics {
    /// Creates the metrics of a queue of this name. Without a name, nothing is published.
    pub(super) fn new(name: Option<&str>) -> Self {
        let labels = name.map_or_else(MetricLabels::default, |name| {
            MetricLabels::new([("name", name), ("controller", name)])
        });
        Self {
            depth: Level::new(WORKQUEUE_DEPTH, &labels),
            adds: Count::new(WORKQUEUE_ADDS, &labels),
            retries: Count::new(WORKQUEUE_RETRIES, &labels),
            waited: Timing::new(WORKQUEUE_QUEUE_DURATION, &labels),
            worked: Timing::new(WORKQUEUE_WORK_DURATION, &labels),
            unfinished: Mark::new(WORKQUEUE_UNFINISHED, &labels),
            longest_running: Mark::new(WORKQUEUE_LONGEST_RUNNING, &labels),
        }
    }
}
