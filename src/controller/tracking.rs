//! Work of a reconcile in other tasks and on other threads, which its key, its lease and its slot
//! wait for.

use std::sync::Arc;

use tokio::task::JoinHandle;
use tokio_util::sync::DropGuard;

use super::ReconcileRequest;
use super::action::Next;
use super::error::ReconcileError;
use super::worker::Reconciler;
use crate::leader_election::{ScopeGuard, WorkScope};
use crate::object::ObjectKey;
use crate::panic::catch;
use crate::workqueue::Work;

impl<K, C> ReconcileRequest<K, C> {
    /// Runs blocking code of this try on a thread for such code.
    ///
    /// Nothing can drop a closure that runs, so the controller waits for it. This is so even if a
    /// timeout or a stop has ended the reconcile:
    ///
    /// - The key stays in process, so it is not reconciled again. The worker takes other keys.
    /// - The lease is not released, and the slot of a sharded controller is not given back.
    /// - A stop waits for the grace, as for a reconcile.
    ///
    /// [`tokio::task::spawn_blocking`] tracks nothing: its closure runs beside the next try and the
    /// next leader. Writes through a [tracking client](super::tracking_client) count as this try's.
    ///
    /// ```no_run
    /// use std::process::Command;
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_informer::controller::BoxError;
    /// use kube_informer::{Action, ReconcileRequest};
    ///
    /// async fn reconcile(request: ReconcileRequest<ConfigMap>) -> Result<Action, BoxError> {
    ///     let (name, stop) = (request.key.name().to_owned(), request.stop.clone());
    ///     let copied = request.spawn_blocking(move || {
    ///         // Long work looks at the token between its steps.
    ///         if stop.is_cancelled() { return Ok(None) }
    ///         Command::new("copy").arg(name).status().map(Some)
    ///     });
    ///     println!("{:?}", copied.await??);
    ///     Ok(Action::done())
    /// }
    /// ```
    ///
    /// # Panics
    /// Panics outside a tokio runtime.
    pub fn spawn_blocking<F, T>(&self, work: F) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let writes = self.writes.clone();
        self.work.spawn_blocking(move || writes.call(work))
    }

    /// Spawns a task of this try. The controller waits for it as for
    /// [`spawn_blocking`](Self::spawn_blocking), and its writes count as this try's.
    ///
    /// The task should end when [`stop`](Self::stop) is cancelled. It is dropped at its next await
    /// when the try times out, when the grace after a stop ends, and when the lease or the slot is
    /// lost. Its output is `None` then.
    ///
    /// # Panics
    /// Panics outside a tokio runtime.
    pub fn spawn<F>(&self, future: F) -> JoinHandle<Option<F::Output>>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        self.work.spawn(self.writes.clone().enter(future))
    }

    /// Returns a guard for other work of this try, such as a thread or a child process. The
    /// controller waits until it is dropped, as for [`spawn_blocking`](Self::spawn_blocking).
    pub fn guard(&self) -> ScopeGuard {
        self.work.guard()
    }
}

/// A try that has ended, except for the work that it tracks.
pub(super) struct EndedTry {
    pub(super) work: Work<ObjectKey>,
    pub(super) failures: u32,
    /// `None` if the try was given up with its slot.
    pub(super) outcome: Option<Result<Next, ReconcileError>>,
    /// The number of the object's deletion that the try knew of.
    pub(super) deletion: Option<u64>,
}

impl Reconciler {
    /// Concludes a try when nothing that it tracks is left. Its key is in process until then, and
    /// no worker waits.
    pub(super) fn conclude_when_idle(
        self: &Arc<Self>,
        ended: EndedTry,
        tracked: WorkScope,
        aborts: Option<DropGuard>,
    ) {
        let (this, key) = (self.clone(), ended.work.item().clone());
        if let Some(Err(error @ ReconcileError::TimedOut(_))) = &ended.outcome {
            tracing::warn!(
                controller = &*self.name,
                %key,
                %error,
                tracked = tracked.tracked(),
                "work that the reconcile tracks goes on: the key waits for its end"
            );
        }
        self.status.hold(&key);
        self.tracked.spawn(async move {
            if this.aborted.run_until_cancelled(tracked.wait_until_idle()).await.is_none() {
                drop(aborts);
                tracked.wait_until_idle().await;
            }
            this.status.let_go(&key);
            // A recorder of metrics or a subscriber of traces may panic.
            if let Err(message) = catch(|| this.end_try(ended)) {
                this.status.record_failure(&key, message, this.queue.num_requeues(&key));
            }
        });
    }
}
