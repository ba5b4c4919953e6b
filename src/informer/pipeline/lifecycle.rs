//! The start and the stop of an informer.

use std::sync::Arc;

use futures::FutureExt;
use tokio::runtime::Handle;
use tokio_util::sync::DropGuard;
use tokio_util::task::TaskTracker;

use super::Pipeline;
use super::processing::ProcessingGuard;
use super::supervision::InformerTask;
use crate::error::{SourceError, Verb};
use crate::informer::status::InformerMetrics;
use crate::object::{Change, InvalidName};
use crate::panic::{SafeDrop, catch, drop_safely};
use crate::processor::HandlerTask;
use crate::reflector::{ChangeSink, ErrorHandler, Reflector};

/// The reason why an informer does not start.
///
/// A program that goes on without an informer that another part of it has stopped:
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::informer::StartError;
/// use kube_informer::SharedInformer;
///
/// fn start_unless_stopped(pods: &SharedInformer<Pod>) -> Result<(), StartError> {
///     match pods.start() {
///         Err(StartError::Stopped) => Ok(()),
///         result => result,
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The informer was stopped. A stopped informer never starts again.
    #[error("the informer was stopped; ask for a new one, or keep its factory")]
    Stopped,
    /// `start` was called outside a tokio runtime.
    #[error("no tokio runtime: call `start` from inside one")]
    NoRuntime,
    /// No namespace or resource can have this name, so the server would refuse every request. Or no
    /// field manager can have it, so no entry of managed fields would be kept.
    #[error(transparent)]
    InvalidName(#[from] InvalidName),
}

/// The error of an informer that was stopped. It accepts no more handlers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the informer was stopped; ask for a new one, or keep its factory")]
pub struct InformerStopped;

pub(super) enum Lifecycle {
    Idle(Idle),
    Running(Handle),
    Stopped { drain: bool },
}

/// The parts that wait for the start.
pub(super) struct Idle {
    /// The name because of which every request would be refused.
    pub(super) invalid_name: Option<InvalidName>,
    pub(super) reflector: SafeDrop<Box<Reflector>>,
    pub(super) handlers: Vec<HandlerTask>,
    pub(super) metrics: Arc<InformerMetrics>,
    /// Called with each packed object that could not be read.
    pub(super) on_error: ErrorHandler,
}

impl Pipeline {
    pub(in crate::informer) fn stop_guard(&self) -> DropGuard {
        self.stop.clone().drop_guard()
    }

    pub(in crate::informer) fn start(self: &Arc<Self>) -> Result<(), StartError> {
        let mut lifecycle = self.lifecycle.lock();
        match &*lifecycle {
            Lifecycle::Idle(idle) => idle.invalid_name.clone().map_or(Ok(()), Err)?,
            Lifecycle::Running(_) => return Ok(()),
            Lifecycle::Stopped { .. } => return Err(StartError::Stopped),
        }
        let runtime = Handle::try_current().map_err(|_| StartError::NoRuntime)?;
        let idle = std::mem::replace(&mut *lifecycle, Lifecycle::Running(runtime.clone()));
        let Lifecycle::Idle(Idle { mut reflector, handlers, metrics, on_error, .. }) = idle else {
            return Ok(());
        };
        self.resync.start(&self.processor);
        // Makes a wait for the end include the tasks that are spawned without the lock.
        let _starting = self.tasks.token();
        drop(lifecycle);
        for task in handlers {
            self.spawn_handler(&runtime, &task);
        }
        if let Some(reflector) = reflector.take() {
            let sink = FifoSink { pipeline: self.clone(), metrics: metrics.clone() };
            let stop = self.stop.clone();
            let begun = reflector.begin();
            let reflecting = async move {
                let _begun = begun;
                // Boxed, because each move into another future would take its room again.
                stop.run_until_cancelled(reflector.run(sink).boxed()).await;
            };
            self.spawn(&runtime, InformerTask::Reflector, reflecting.boxed());
        }
        if let Some(keeper) = &self.keeper {
            let stop = self.stop.clone();
            let request = self.collection.request_name(Verb::Watch);
            let sweeping = keeper.clone().sweep(Box::new(move |fault| {
                let error = SourceError::new(request.clone(), fault);
                if let Err(message) = catch(|| on_error(&error)) {
                    tracing::error!(%error, message, "error handler panicked");
                }
            }));
            let sweeping = async move {
                stop.run_until_cancelled(sweeping).await;
            };
            self.spawn(&runtime, InformerTask::Storage, sweeping.boxed());
        }
        if let Some(kept) = &self.kept {
            let (stop, ended) = (self.stop.clone(), self.ended.clone());
            let keeping = kept.clone().write(self.indexer.clone(), stop, ended);
            let auditing = self.clone().audit_kept(kept.clone());
            let both = async {
                futures::join!(keeping, auditing);
            };
            self.spawn(&runtime, InformerTask::Keeping, both.boxed());
        }
        let processing = ProcessingGuard(self.clone());
        let processing = async move { processing.0.process(&metrics).await };
        self.spawn(&runtime, InformerTask::Processing, processing.boxed());
        Ok(())
    }

    pub(super) fn spawn_handler(self: &Arc<Self>, runtime: &Handle, task: &HandlerTask) {
        if let Some(call) = task.take() {
            self.spawn(runtime, InformerTask::Handler, call);
        }
    }

    pub(super) fn refuse_if_stopped(&self, lifecycle: &Lifecycle) -> Result<(), InformerStopped> {
        if matches!(lifecycle, Lifecycle::Stopped { .. }) || self.stop.is_cancelled() {
            return Err(InformerStopped);
        }
        Ok(())
    }

    /// Stops the informer. A second call can only turn draining off.
    pub(in crate::informer) fn stop(&self, drain: bool) {
        let mut lifecycle = self.lifecycle.lock();
        match &mut *lifecycle {
            Lifecycle::Stopped { drain: draining } => {
                *draining &= drain;
                drop(lifecycle);
            }
            Lifecycle::Running(_) => {
                *lifecycle = Lifecycle::Stopped { drain };
                drop(lifecycle);
            }
            Lifecycle::Idle(_) => {
                let idle = std::mem::replace(&mut *lifecycle, Lifecycle::Stopped { drain });
                drop(lifecycle);
                // Drop the users' handlers without the lock.
                if let Lifecycle::Idle(Idle { reflector, handlers, metrics, on_error, .. }) = idle {
                    for task in handlers {
                        drop_safely(task);
                    }
                    drop((reflector, metrics, on_error));
                }
                self.fifo.abandon();
                self.processor.close(false);
                self.ended.cancel();
            }
        }
        self.stop.cancel();
        if !drain {
            self.processor.close(false);
        }
        self.tasks.close();
        self.streams.close();
    }

    pub(in crate::informer) fn tasks(&self) -> TaskTracker {
        self.tasks.clone()
    }

    /// Waits until no task is left, after [`stop`](Self::stop).
    pub(in crate::informer) async fn tasks_ended(&self) {
        self.tasks.wait().await;
    }

    /// Waits until no task is left, and until every stream has given its last event or was dropped.
    pub(in crate::informer) async fn drained(&self) {
        self.tasks.wait().await;
        self.streams.wait().await;
    }
}

/// Announces that nothing will be stored, for a pipeline that was never started.
impl Drop for Pipeline {
    fn drop(&mut self) {
        self.ended.cancel();
    }
}

/// The reflector's sink, which queues each change.
struct FifoSink {
    pipeline: Arc<Pipeline>,
    metrics: Arc<InformerMetrics>,
}

impl ChangeSink for FifoSink {
    async fn emit(&self, change: Change) {
        let fifo = &self.pipeline.fifo;
        fifo.feed(change).await;
        self.metrics.queued.set(|| fifo.len());
    }
}
