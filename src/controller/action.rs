//! The argument and the result of a reconcile.

use std::fmt;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::own_writes::WriteScope;
use super::presence::Presence;
use crate::object::ObjectKey;

/// One try to reconcile one object.
#[non_exhaustive]
pub struct ReconcileRequest<K> {
    /// The object's key.
    pub key: ObjectKey,
    /// The object as the store held it when this try began. It is [`Presence::Gone`] only if the
    /// cache knows that there is none.
    pub object: Presence<K>,
    /// The number of tries that failed in a row before this one.
    pub failures: u32,
    /// A token that is cancelled when the controller stops, when this replica stops leading, and
    /// when this try ends for any reason, a panic or timeout included. The controller does not wait
    /// for tasks that the reconcile spawns: end them when this token is cancelled, or they run
    /// beside the next try. A try still running after the grace is dropped at its next await.
    pub stop: CancellationToken,
    pub(super) writes: WriteScope,
}

impl<K> ReconcileRequest<K> {
    /// Wraps a future that this try spawns as a task: writes that `future` makes through a
    /// [tracking client](super::tracking_client) then count as this try's.
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

/// The next step for a key whose reconcile did not fail.
///
/// ```
/// use std::time::Duration;
/// use kube_informer::Action;
///
/// fn next(ready: bool) -> Action {
///     if ready { Action::done() } else { Action::requeue_after(Duration::from_secs(30)) }
/// }
/// assert_eq!(next(true), Action::done());
/// ```
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
    /// Reconciles the key again only after a change or a trigger.
    pub const fn done() -> Self {
        Self(Next::Change)
    }

    /// Reconciles the key again after `delay`, or earlier after a change.
    pub const fn requeue_after(delay: Duration) -> Self {
        Self(Next::After(delay))
    }

    /// Reconciles the key again after the limiter's delay, which grows with each such result, as if
    /// this try had failed.
    pub const fn retry() -> Self {
        Self(Next::Retry)
    }
}
