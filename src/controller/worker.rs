//! One worker: takes a key, reconciles it, and says what comes after.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Resource;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::action::Next;
use super::board::Board;
use super::error::{BoxError, ReconcileError};
use super::own_writes::Seen;
use super::{Action, Reconciliation};
use crate::informer::InformerGroup;
use crate::object::ObjectKey;
use crate::panic::message;
use crate::workqueue::{Work, WorkQueue};

/// How long a reconcile waits to see own writes.
const SIGHT: Duration = Duration::from_secs(10);

/// The user's reconcile.
pub(super) type Reconcile<K> =
    Box<dyn Fn(Reconciliation<K>) -> BoxFuture<'static, Result<Action, BoxError>> + Send + Sync>;

/// What the workers of a controller share, and what each of them does.
pub(super) struct Reconciler<K> {
    pub(super) name: Arc<str>,
    pub(super) objects: InformerGroup<K>,
    pub(super) own_writes: Vec<Box<dyn Seen>>,
    pub(super) queue: WorkQueue<ObjectKey>,
    pub(super) board: Arc<Board>,
    pub(super) timeout: Option<Duration>,
    pub(super) stop: CancellationToken,
    pub(super) reconcile: Reconcile<K>,
}

impl<K: Resource + Send + Sync + 'static> Reconciler<K> {
    /// Works until stopped; what was begun is finished first.
    pub(super) async fn work(self: Arc<Self>, number: usize) {
        loop {
            let work = tokio::select! {
                biased;
                () = self.stop.cancelled() => return,
                work = self.queue.get() => work,
            };
            let Some(work) = work else { return };
            self.board.begins(number, &work);
            let span = tracing::debug_span!("reconcile", controller = &*self.name, key = %*work);
            let failures = work.num_requeues();
            let reconcile = self.board.measured(self.reconcile_one(&work, failures));
            let outcome = reconcile.instrument(span).await;
            self.conclude(work, failures, outcome);
            self.board.ends(number);
        }
    }

    async fn reconcile_one(&self, key: &ObjectKey, failures: u32) -> Result<Next, ReconcileError> {
        for writes in &self.own_writes {
            writes.seen(key, SIGHT).await.map_err(ReconcileError::Behind)?;
        }
        let stored = self.objects.cached(key);
        let object = stored.map(|cached| cached.get().ok_or(ReconcileError::Unreadable));
        let task = Reconciliation {
            key: key.clone(),
            object: object.transpose()?,
            failures,
            stop: self.stop.child_token(),
        };
        // Also the call itself may panic, not only its future.
        let call = AssertUnwindSafe(async { (self.reconcile)(task).await }).catch_unwind();
        let ended = match self.timeout {
            None => call.await,
            Some(limit) => match timeout(limit, call).await {
                Ok(ended) => ended,
                Err(_) => return Err(ReconcileError::TimedOut(limit)),
            },
        };
        match ended {
            Ok(Ok(Action(next))) => Ok(next),
            Ok(Err(error)) => Err(ReconcileError::Failed(error)),
            Err(panic) => Err(ReconcileError::Panicked(message(&*panic).to_owned())),
        }
    }

    /// What comes after. The key is put back before the work on it is done, so that a change that
    /// came meanwhile and this make one.
    fn conclude(
        &self,
        work: Work<ObjectKey>,
        failures: u32,
        outcome: Result<Next, ReconcileError>,
    ) {
        match outcome {
            Ok(Next::Change) => work.forget(),
            Ok(Next::After(delay)) => {
                work.forget();
                self.queue.add_after(work.item().clone(), delay);
            }
            Ok(Next::Retry) => drop(work.retry()),
            Err(error) => {
                self.board.failed(&work, &error, failures + 1);
                let (controller, key) = (&*self.name, work.to_string());
                let again = work.retry();
                tracing::warn!(controller, key, %error, failures = failures + 1, ?again, "reconcile failed");
            }
        }
    }
}
