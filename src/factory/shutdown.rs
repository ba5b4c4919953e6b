//! The end of a factory: its informers, and the tasks of its sets.

use std::time::Duration;

use futures::FutureExt;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::SharedInformerFactory;
use super::registry::missing;
use crate::informer::{SharedInformer, shutdown_all};
use crate::joining::Together;

/// The tasks that follow the members of sets, until the next shutdown of the factory.
#[derive(Default)]
pub(super) struct SetTasks {
    pub(super) stop: CancellationToken,
    pub(super) tasks: TaskTracker,
    /// True if the task of the audits was started.
    pub(super) audits: bool,
}

impl SetTasks {
    /// Stops the tasks, and returns them.
    pub(super) fn stop(self) -> TaskTracker {
        self.stop.cancel();
        self.tasks.close();
        self.tasks
    }
}

impl SharedInformerFactory {
    /// Stops every informer, drops the waiting events, and waits until no task is left.
    ///
    /// Cancel safe: the informers stop even if this future is dropped after its first poll.
    pub async fn shutdown(&self) {
        let informers = self.begin_shutdown(false);
        shutdown_all(&informers).await;
        self.finish_shutdown(&informers).await;
    }

    /// Stops every informer, delivers the waiting events for at most `limit`, and drops the rest.
    /// Returns whether everything was delivered.
    pub async fn shutdown_with_drain(&self, limit: Duration) -> bool {
        let informers = self.begin_shutdown(true);
        let drained = Together::all(
            informers.iter().map(|informer| informer.shutdown_with_drain(limit).boxed()),
        )
        .await;
        self.finish_shutdown(&informers).await;
        drained.into_iter().all(|drained| drained)
    }

    /// Stops the informers, and then the sets. Returns the informers, including those that are
    /// already shutting down.
    fn begin_shutdown(&self, drain: bool) -> Vec<SharedInformer> {
        let mut informers = self.informers();
        let mut ended = self.shared.ended.lock();
        informers.extend(missing(&informers, &ended.ending));
        ended.ending.clone_from(&informers);
        drop(ended);
        for informer in &informers {
            informer.stop(drain);
        }
        let sets = std::mem::take(&mut *self.shared.sets.lock());
        self.shared.leaving.lock().push(sets.stop());
        informers
    }

    /// Waits until the stopped informers have no task left, and keeps their last status.
    async fn finish_shutdown(&self, informers: &[SharedInformer]) {
        // The tasks of sets first, and then those of the informers that they dropped.
        for _ in 0..2 {
            let leaving = self.shared.leaving.lock().clone();
            Together::all(leaving.iter().map(|tracker| tracker.wait().boxed())).await;
        }
        if informers.is_empty() {
            return;
        }
        let last: Vec<_> = informers.iter().map(SharedInformer::status).collect();
        let mut ended = self.shared.ended.lock();
        // A concurrent call may have stored it already.
        if !std::mem::take(&mut ended.ending).is_empty() {
            ended.last = last;
        }
    }
}
