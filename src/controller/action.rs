//! What a reconcile is given, and what it answers.

use std::fmt;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::own_writes::WriteScope;
use super::presence::Presence;
use crate::object::ObjectKey;

/// One try to bring the world in line with one object.
#[non_exhaustive]
pub struct ReconcileRequest<K> {
    /// The object's key.
    pub key: ObjectKey,
    /// The object as it was stored when this try began. [`Presence::Gone`] only where it is known
    /// that there is none.
    pub object: Presence<K>,
    /// How many tries failed in a row before this one.
    pub failures: u32,
    /// Cancelled when the controller stops, when this replica stops leading, and when this try ends for
    /// any reason, a panic or timeout included. The controller does not wait for tasks that the
    /// reconcile spawns: end them when this is cancelled, or they run beside the next try. A try still
    /// running after the grace is dropped at its next await.
    pub stop: CancellationToken,
    pub(super) writes: WriteScope,
}

impl<K> ReconcileRequest<K> {
    /// Carries this try into a task that it spawns: writes that `future` makes through a
    /// [tracking client](super::tracking_client) count as this try's.
    ///
    /// ```no_run
    /// # use kube_informer::ReconcileRequest;
    /// # fn f<K: Send + Sync + 'static>(request: &ReconcileRequest<K>, client: kube::Client) {
    /// tokio::spawn(request.scope(async move {
    ///     // client.request(...).await
    /// #   drop(client);
    /// }));
    /// # }
    /// ```
    pub fn scope<F: Future>(&self, future: F) -> impl Future<Output = F::Output> + use<F, K> {
        self.writes.clone().enter(future)
    }
}

impl<K> fmt::Debug for ReconcileRequest<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReconcileRequest")
            .field("key", &self.key)
            .field("object", &self.object)
            .field("failures", &self.failures)
            .finish_non_exhaustive()
    }
}

/// What comes after a reconcile that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Action(pub(super) Next);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Change,
    After(Duration),
    Retry,
}

impl Action {
    /// Nothing, until something changes.
    pub const fn done() -> Self {
        Self(Next::Change)
    }

    /// The same key again after so long, or when something changes.
    pub const fn requeue_after(delay: Duration) -> Self {
        Self(Next::After(delay))
    }

    /// The same key again after a delay that grows with each such answer, as if it had failed.
    pub const fn retry() -> Self {
        Self(Next::Retry)
    }
}
