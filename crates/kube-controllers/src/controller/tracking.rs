//! Work of a reconcile in other tasks and on other threads, which its key, its lease and its slot
//! wait for.

use tokio::task::JoinHandle;

use super::ReconcileRequest;
use crate::lease::ScopeGuard;

impl<K, C> ReconcileRequest<K, C> {
    /// Runs blocking code of this try on a thread for such code.
    ///
    /// Nothing can drop a running closure, so the controller waits for it, even if a timeout or a
    /// stop has ended the reconcile:
    ///
    /// - The key stays in process, so it is not reconciled again. The worker takes other keys.
    /// - The lease is not released, and the slot of a sharded controller is not given back.
    /// - A stop waits for the grace, as for a reconcile. The error of `run` names the key of work
    ///   that takes longer.
    ///
    /// A closure that still waits for a thread when the try's tasks are dropped never runs. Its
    /// output is `None`.
    ///
    /// A try ends with its reconcile and everything that it tracks. A request that was moved to an
    /// untracked task may outlive its try. Such a request refuses the closure: it does not run, a
    /// warning is logged, and the output is `None`.
    ///
    /// [`tokio::task::spawn_blocking`] tracks nothing: its closure runs beside the next try and the
    /// next leader. Writes through a [tracking client](super::tracking_client) count as this try's.
    ///
    /// ```no_run
    /// use std::process::Command;
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_controllers::controller::BoxError;
    /// use kube_controllers::{Action, ReconcileRequest};
    ///
    /// async fn reconcile(request: ReconcileRequest<ConfigMap>) -> Result<Action, BoxError> {
    ///     let (name, stop) = (request.key.name().to_owned(), request.stop.clone());
    ///     let copied = request.spawn_blocking(move || {
    ///         // Long work checks the token between its steps.
    ///         if stop.is_cancelled() { return Ok(None) }
    ///         Command::new("copy").arg(name).status().map(Some)
    ///     });
    ///     println!("{:?}", copied.await?.transpose()?);
    ///     Ok(Action::done())
    /// }
    /// ```
    ///
    /// # Panics
    /// Panics outside a tokio runtime.
    pub fn spawn_blocking<F, T>(&self, work: F) -> JoinHandle<Option<T>>
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
    /// when the try times out, the grace after a stop ends, or the lease or slot is lost. Like a
    /// closure, it is refused if the try has ended. Its output is `None` in all these cases.
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
