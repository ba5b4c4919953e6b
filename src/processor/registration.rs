//! The registration of a handler: its task before it is spawned, its status and its metrics.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::sync::watch;

use crate::metrics::{
    Count, HANDLER_CANCELLED, HANDLER_DELIVERED, HANDLER_LAG, HANDLER_MERGED, HANDLER_PANICS,
    INFORMER_PENDING_NOTIFICATIONS, Level, MetricLabels, Timing,
};
use crate::sync::Mutex;
use crate::time::seconds;

/// A registered handler. Dropping the registration does not remove the handler.
///
/// ```no_run
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::informer::InformerStopped;
/// use kube_informer::SharedInformer;
///
/// async fn print_names(pods: &SharedInformer<Pod>) -> Result<(), InformerStopped> {
///     let handler = pods.on_event(|event| println!("{:?}", event.object().metadata.name))?;
///     if handler.wait_for_sync().await {
///         println!("all stored pods are printed: {:?}", handler.status());
///     }
///     handler.remove_and_wait().await;
///     Ok(())
/// }
/// ```
#[derive(Clone)]
pub struct HandlerRegistration {
    synced: watch::Receiver<bool>,
    finished: watch::Receiver<bool>,
    remove: Arc<dyn Fn() + Send + Sync>,
    status: Arc<dyn Fn() -> HandlerStatus + Send + Sync>,
}

/// The counters and the backlog of one handler, at one moment.
///
/// ```
/// use std::time::Duration;
/// use kube_informer::processor::HandlerStatus;
///
/// /// Returns a warning about a handler that panics or cannot keep up.
/// fn warning(handler: &HandlerStatus) -> Option<String> {
///     let HandlerStatus { name, backlog, lag, merged, panics, .. } = handler;
///     if *panics > 0 {
///         return Some(format!("{name} panicked {panics} times"));
///     }
///     let slow = *merged > 0 || *lag > Duration::from_secs(10);
///     slow.then(|| format!("{name}: {backlog} events wait, the oldest for {lag:.1?}"))
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct HandlerStatus {
    /// The handler's name. Empty if it has none.
    pub name: Arc<str>,
    /// True if the handler has finished every initial add.
    pub synced: bool,
    /// The number of events that wait in the backlog.
    pub backlog: usize,
    /// The time that the oldest waiting event has waited. Zero if none waits. Serialised as
    /// seconds.
    #[serde(with = "seconds")]
    pub lag: Duration,
    /// The time for which the current call has run. Zero between calls, and for a stream. A long
    /// one blocks a thread of the runtime. Serialised as seconds.
    #[serde(with = "seconds")]
    pub call_time: Duration,
    /// The number of events that were delivered.
    pub delivered: u64,
    /// The number of objects that the handler was told of and not of their end: its adds, less
    /// its deletes and departures.
    pub objects: u64,
    /// The number of events that were merged into another because the backlog was full.
    pub merged: u64,
    /// The number of adds that a delete cancelled before they were delivered.
    pub cancelled: u64,
    /// The number of calls that panicked.
    pub panics: u64,
}

impl HandlerRegistration {
    pub(super) fn new(
        synced: watch::Receiver<bool>,
        finished: watch::Receiver<bool>,
        remove: Arc<dyn Fn() + Send + Sync>,
        status: Arc<dyn Fn() -> HandlerStatus + Send + Sync>,
    ) -> Self {
        Self { synced, finished, remove, status }
    }

    /// Returns whether the handler has finished every initial add. A call that panicked counts as
    /// finished.
    pub fn has_synced(&self) -> bool {
        *self.synced.borrow()
    }

    /// Waits until [`has_synced`](Self::has_synced) is true. Returns `false` if the handler ends
    /// first.
    ///
    /// Cancel safe. Any number of tasks may wait.
    pub async fn wait_for_sync(&self) -> bool {
        let (mut synced, mut finished) = (self.synced.clone(), self.finished.clone());
        tokio::select! {
            biased;
            reached = synced.wait_for(|synced| *synced) => reached.is_ok(),
            _ = finished.wait_for(|finished| *finished) => self.has_synced(),
        }
    }

    /// Removes the handler: no further call begins. Removing it twice is no error.
    ///
    /// A call that already runs goes on. [`remove_and_wait`](Self::remove_and_wait) waits for it.
    pub fn remove(&self) {
        (self.remove)();
    }

    /// Removes the handler and waits until no call runs. The handler is never called again.
    ///
    /// Cancel safe: the handler is removed even if this future is dropped. The handler itself must
    /// not await this: it would wait for its own call to end.
    pub async fn remove_and_wait(&self) {
        self.remove();
        // The channel is closed only when the handler is gone.
        let _ = self.finished.clone().wait_for(|finished| *finished).await;
    }

    /// Returns the counters and the backlog of the handler.
    pub fn status(&self) -> HandlerStatus {
        (self.status)()
    }
}

impl fmt::Debug for HandlerRegistration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandlerRegistration")
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}

type SharedTask = Arc<Mutex<Option<BoxFuture<'static, ()>>>>;

/// A handler's task that is not spawned yet. Dropping it ends the handler.
#[must_use = "a handler is called only while its task runs"]
pub struct HandlerTask {
    handler: Arc<str>,
    task: SharedTask,
}

/// A handle that ends a [`HandlerTask`] if it is not spawned yet.
pub(super) struct Revoke(SharedTask);

impl HandlerTask {
    pub(super) fn new(handler: Arc<str>, task: BoxFuture<'static, ()>) -> (Self, Revoke) {
        let task = Arc::new(Mutex::new(Some(task)));
        (Self { handler, task: task.clone() }, Revoke(task))
    }

    /// Calls the handler for each event, until it is removed or the processor is closed.
    ///
    /// A call that panics is counted and logged, and the next event is delivered. Dropping the
    /// future ends the handler. A runtime of several threads must have its time enabled.
    pub async fn run(self) {
        if let Some(task) = self.take() {
            task.await;
        }
    }

    /// Takes the future to spawn. `None` if the handler was removed meanwhile.
    pub(crate) fn take(&self) -> Option<BoxFuture<'static, ()>> {
        self.task.lock().take()
    }
}

impl Drop for HandlerTask {
    fn drop(&mut self) {
        drop(self.take());
    }
}

impl fmt::Debug for HandlerTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandlerTask").field("handler", &self.handler).finish_non_exhaustive()
    }
}

impl Revoke {
    pub(super) fn revoke(&self) {
        // Not under the lock: the future drops the user's handler.
        let task = self.0.lock().take();
        drop(task);
    }
}

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
