//! What a reconcile is given, and what it answers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::object::ObjectKey;

/// One try to bring the world in line with one object.
#[non_exhaustive]
pub struct Reconciliation<K> {
    /// The object's key.
    pub key: ObjectKey,
    /// The object as it was stored when this try began; `None` when there is none any more.
    pub object: Option<Arc<K>>,
    /// How many tries failed in a row before this one.
    pub failures: u32,
    /// Cancelled when the controller stops, or is no longer the leader: what takes long should end
    /// early then. Whatever has not ended when the grace is over is dropped where it waits.
    pub stop: CancellationToken,
}

impl<K> fmt::Debug for Reconciliation<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reconciliation")
            .field("key", &self.key)
            .field("exists", &self.object.is_some())
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
