//! Work of a reconcile in other tasks and on other threads, which its key, its lease and its slot
//! wait for.

use std::sync::Arc;

use tokio::task::JoinHandle;

use super::ReconcileRequest;
use super::action::Next;
use super::error::ReconcileError;
use super::worker::Reconciler;
use crate::lease::{EndGuard, ScopeGuard, WorkScope};
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
    /// - A stop waits for the grace, as for a reconcile. The error of `run` names the key of work
    ///   that takes longer.
    ///
    /// A try ends with its reconcile and everything that it tracks. A request that was moved to an
    /// untracked task may outlive its try. Its closure is then refused: it does not run, a warning
    /// is logged, and the handle's error is
    /// [cancelled](tokio::task::JoinError::is_cancelled).
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
    /// lost. It is refused like a closure if the try has ended. Its output is `None` in all these
    /// cases.
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
    /// controller waits until it is dropped, as for [`spawn_blocking`](Self::spawn_blocking). A
    /// guard of a try that has ended is refused: it does not [hold](ScopeGuard::holds).
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
        ends: EndGuard,
    ) {
        let (this, key) = (self.clone(), ended.work.item().clone());
        let mut timed_out = false;
        if let Some(Err(error @ ReconcileError::TimedOut(_))) = &ended.outcome {
            // Its tasks are dropped as its future was.
            tracked.abort();
            timed_out = true;
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
            let whole = this.aborted.run_until_cancelled(tracked.end_when_idle()).await;
            if whole.is_none() {
                drop(ends);
                tracked.wait_until_idle().await;
            }
            let whole = whole.is_some_and(|whole| whole || timed_out);
            this.status.let_go(&key, !whole && this.stop.is_cancelled());
            // A recorder of metrics or a subscriber of traces may panic.
            if let Err(message) = catch(|| this.end_try(ended)) {
                this.status.record_failure(&key, message, this.queue.num_requeues(&key));
            }
        });
    }
}
