//! Supervision of an informer's tasks. A task that ends by itself stops the informer, with a
//! reason.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::{Lifecycle, Pipeline};
use crate::metrics::Origin;
use crate::panic::catch_async;

/// The reason why an informer stopped without a request.
///
/// A program that replaces a failed informer:
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::informer::InformerFailure;
/// use kube_informer::{SharedInformer, SharedInformerFactory};
///
/// /// Waits until an informer is stopped. Returns another one if it failed.
/// async fn replacement(
///     factory: &SharedInformerFactory,
///     pods: SharedInformer<Pod>,
/// ) -> Option<SharedInformer<Pod>> {
///     pods.stopped().await;
///     let InformerFailure { task, message, .. } = pods.failure()?;
///     eprintln!("the {task} task ended: {message}");
///     Some(factory.informer::<Pod>())
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, thiserror::Error)]
#[error("the {task} task ended: {message}; ask for a new informer")]
#[non_exhaustive]
pub struct InformerFailure {
    /// The task that ended: `reflector`, `processing`, `storage`, `keeping` or `handler`.
    pub task: &'static str,
    /// The message of its panic, or the way it ended.
    pub message: Arc<str>,
}

/// A task of an informer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InformerTask {
    /// The task that lists and watches.
    Reflector,
    /// The task that stores changes and notifies the handlers.
    Processing,
    /// The task that frees unpacked objects.
    Storage,
    /// The task that keeps the objects for the next start.
    Keeping,
    /// The task that calls one handler.
    Handler,
}

impl InformerTask {
    fn name(self) -> &'static str {
        match self {
            Self::Reflector => "reflector",
            Self::Processing => "processing",
            Self::Storage => "storage",
            Self::Keeping => "keeping",
            Self::Handler => "handler",
        }
    }
}

/// A pipeline, as a guard of its tasks sees it. A trait, so that tasks are not compiled for each
/// type of object.
trait Supervised: Send + Sync + 'static {
    /// Stops the informer, because a task ended too early. Has no effect after a stop, when all
    /// tasks end.
    fn fail(&self, task: InformerTask, message: &str);

    fn is_stopped(&self) -> bool;
}

/// A guard that notices the end of one task, even if the runtime drops the task.
struct TaskGuard {
    pipeline: Arc<dyn Supervised>,
    task: InformerTask,
    done: bool,
}

impl TaskGuard {
    fn ended(mut self, ended: Result<(), String>) {
        self.done = true;
        match ended {
            Err(message) => {
                self.pipeline.fail(self.task, &format!("it panicked: {message}"));
            }
            // A handler's task ends when the handler is removed, and that of kept objects when they
            // can't be kept. All others run until the informer stops.
            Ok(())
                if matches!(self.task, InformerTask::Handler | InformerTask::Keeping)
                    || self.pipeline.is_stopped() => {}
            Ok(()) => {
                self.pipeline.fail(self.task, "it returned, although nothing stopped the informer");
            }
        }
    }
}

impl Drop for TaskGuard {
    fn drop(&mut self) {
        if !self.done {
            self.pipeline.fail(self.task, "its runtime was shut down");
        }
    }
}

impl Pipeline {
    /// Spawns a task whose end is noticed. Call it without a lock: if the runtime has shut down,
    /// the task is dropped here.
    pub(super) fn spawn(
        self: &Arc<Self>,
        runtime: &Handle,
        task: InformerTask,
        work: BoxFuture<'static, ()>,
    ) {
        let guard = TaskGuard { pipeline: self.clone(), task, done: false };
        spawn_guarded(&self.tasks, runtime, guard, work);
    }
}

fn spawn_guarded(
    tasks: &TaskTracker,
    runtime: &Handle,
    guard: TaskGuard,
    work: BoxFuture<'static, ()>,
) {
    let watched = async move {
        let ended = catch_async(work).await;
        guard.ended(ended);
    };
    runtime.spawn(tasks.track_future(watched).boxed());
}

impl Supervised for Pipeline {
    fn is_stopped(&self) -> bool {
        Self::is_stopped(self)
    }

    fn fail(&self, task: InformerTask, message: &str) {
        let token: TaskTrackerToken = self.tasks.token();
        {
            let mut lifecycle = self.lifecycle.lock();
            let draining = matches!(&*lifecycle, Lifecycle::Stopped { drain: true });
            if self.stop.is_cancelled() && !draining {
                return;
            }
            let failure = InformerFailure { task: task.name(), message: message.into() };
            if self.failure.set(failure).is_err() {
                return;
            }
            *lifecycle = Lifecycle::Stopped { drain: false };
        }
        let Origin { name, resource, namespace, .. } = &*self.origin;
        let (name, resource, namespace) = (&**name, &**resource, namespace.as_deref());
        let task = task.name();
        tracing::error!(name, resource, namespace, task, message, "informer failed and stops");
        self.stop.cancel();
        self.processor.close(false);
        self.tasks.close();
        drop(token);
    }
}
