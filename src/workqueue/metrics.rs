//! The metrics of a queue, under client-go's names, and the task that publishes those that grow
//! with time.

use std::hash::Hash;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::FutureExt;
use tokio::runtime::Handle;
use tokio::time::sleep;

use super::WorkQueue;
use super::shared::SharedQueue;
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
            MetricLabels::new(&[("name", name), ("controller", name)])
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

/// The period of publication, as in client-go.
const PERIOD: Duration = Duration::from_millis(500);

/// True while a task publishes. The task runs while items are processed, and does not keep the
/// queue alive.
#[derive(Debug, Default)]
pub(super) struct Publishing(AtomicBool);

/// A guard of the publishing task. Lets another task begin when dropped, even if the runtime drops
/// this one.
struct Running<T: Clone + Eq + Hash>(Weak<SharedQueue<T>>);

impl<T: Clone + Eq + Hash> Running<T> {
    fn queue(&self) -> Option<Arc<SharedQueue<T>>> {
        self.0.upgrade()
    }

    /// Disarms the guard, because another task may run already.
    fn end(&mut self) {
        self.0 = Weak::new();
    }
}

impl<T: Clone + Eq + Hash> Drop for Running<T> {
    fn drop(&mut self) {
        if let Some(shared) = self.0.upgrade() {
            shared.publishing.0.store(false, Ordering::Release);
        }
    }
}

/// Starts a task that publishes every half second until no item is processed. Has no effect without
/// a name or outside a tokio runtime.
pub(super) fn begin_publishing<T: Clone + Eq + Hash + Send + 'static>(
    shared: &Arc<SharedQueue<T>>,
) {
    if !cfg!(feature = "metrics") || shared.name.is_empty() {
        return;
    }
    let Ok(runtime) = Handle::try_current() else { return };
    if shared.publishing.0.swap(true, Ordering::AcqRel) {
        return;
    }
    let mut running = Running(Arc::downgrade(shared));
    let publishing = async move {
        loop {
            sleep(PERIOD).await;
            let Some(shared) = running.queue() else { return };
            if !publish(shared) {
                return running.end();
            }
        }
    };
    runtime.spawn(publishing.boxed());
}

/// Publishes once. Returns whether the task must continue.
fn publish<T: Clone + Eq + Hash + Send + 'static>(shared: Arc<SharedQueue<T>>) -> bool {
    let queue = WorkQueue(shared);
    queue.publish();
    if queue.status().processing > 0 {
        return true;
    }
    let publishing = &queue.0.publishing.0;
    publishing.store(false, Ordering::Release);
    // An item that was taken in between saw this task running.
    queue.status().processing > 0 && !publishing.swap(true, Ordering::AcqRel)
}
