//! Every task of an informer is watched: one that ends by itself stops the informer, and says why.

use std::fmt;
use std::sync::Arc;

use kube::Resource;
use tokio::runtime::Handle;
use tokio_util::task::task_tracker::TaskTrackerToken;
use tracing::{Instrument, Span};

use super::{Life, Pipeline};
use crate::panic::catch_async;

/// The reason why an informer stopped without being asked to.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, thiserror::Error)]
#[error("the {task} task ended: {message}; ask for a new informer")]
#[non_exhaustive]
pub struct InformerFailure {
    /// The task that ended.
    pub task: InformerTask,
    /// The message of its panic, or how else it ended.
    pub message: Arc<str>,
}

/// A task of an informer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum InformerTask {
    /// Lists and watches.
    Reflector,
    /// Stores what came and tells the handlers.
    Processing,
    /// Frees objects that were unpacked.
    Storage,
    /// Calls one handler.
    Handler,
}

impl fmt::Display for InformerTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reflector => "reflector",
            Self::Processing => "processing",
            Self::Storage => "storage",
            Self::Handler => "handler",
        })
    }
}

/// Notices the end of one task, also where the runtime drops it.
struct Watch<K: Resource + Send + Sync + 'static> {
    pipeline: Arc<Pipeline<K>>,
    task: InformerTask,
    over: bool,
}

impl<K: Resource + Send + Sync + 'static> Watch<K> {
    fn ended(mut self, ended: Result<(), String>) {
        self.over = true;
        match ended {
            Err(message) => {
                self.pipeline.fail(self.task, &format!("it panicked: {message}"));
            }
            // A handler that was removed is over; the others go on until the informer stops.
            Ok(()) if self.task == InformerTask::Handler || self.pipeline.is_stopped() => {}
            Ok(()) => self.pipeline.fail(self.task, "it gave up"),
        }
    }
}

impl<K: Resource + Send + Sync + 'static> Drop for Watch<K> {
    fn drop(&mut self) {
        if !self.over {
            self.pipeline.fail(self.task, "its runtime was shut down");
        }
    }
}

impl<K: Resource + Send + Sync + 'static> Pipeline<K> {
    /// Spawns a task whose end is noticed. Call it with nothing locked: where the runtime is gone,
    /// the task is dropped here.
    pub(super) fn spawn(
        self: &Arc<Self>,
        runtime: &Handle,
        task: InformerTask,
        span: Span,
        work: impl Future<Output = ()> + Send + 'static,
    ) {
        let watch = Watch { pipeline: self.clone(), task, over: false };
        let watched = async move {
            let ended = catch_async(work).await;
            watch.ended(ended);
        };
        self.tasks.spawn_on(watched.instrument(span), runtime);
    }

    /// Stops, because a task ended that should not have. After a stop tasks end as they should.
    fn fail(&self, task: InformerTask, message: &str) {
        let token: TaskTrackerToken = self.tasks.token();
        {
            let mut life = self.life.lock();
            let draining = matches!(&*life, Life::Stopped { drain: true });
            if self.stop.is_cancelled() && !draining {
                return;
            }
            let failure = InformerFailure { task, message: message.into() };
            if self.failure.set(failure).is_err() {
                return;
            }
            *life = Life::Stopped { drain: false };
        }
        let (name, resource, namespace) = self.named();
        tracing::error!(name, resource, namespace, %task, message, "informer failed and stops");
        self.stop.cancel();
        self.abort.cancel();
        self.processor.close(false);
        self.tasks.close();
        drop(token);
    }
}
