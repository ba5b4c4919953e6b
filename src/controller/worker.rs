//! One worker: takes a key, reconciles it, and says what comes after.
//!
//! All that the user supplies is user code: the reconcile and its future's drop, the error and its
//! text. Whatever of it panics, the key is tried again, and the worker goes on.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Resource;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument;

use super::action::Next;
use super::board::Board;
use super::error::{BoxError, ReconcileError};
use super::late::Late;
use super::own_writes::{Unobserved, WriteLog, WriteScope};
use super::presence::Presence;
use super::unseen::{Begun, Unseen};
use super::{Action, ReconcileRequest};
use crate::error::chain;
use crate::informer::InformerGroup;
use crate::leader_election::WorkScope;
use crate::object::ObjectKey;
use crate::panic::{catch, catch_async, into_message, let_go};
use crate::workqueue::{Work, WorkQueue};
use crate::yield_budget::give_way;

/// How long a key waits to see own writes before that counts as a failure.
const SIGHT: Duration = Duration::from_secs(10);

/// The user's reconcile.
pub(super) type Reconcile<K> =
    Box<dyn Fn(ReconcileRequest<K>) -> BoxFuture<'static, Result<Action, BoxError>> + Send + Sync>;

/// What the workers of a controller share, and what each of them does.
pub(super) struct Reconciler<K> {
    pub(super) name: Arc<str>,
    pub(super) objects: InformerGroup<K>,
    pub(super) writes: Arc<WriteLog>,
    pub(super) unseen: Unseen,
    pub(super) late: Arc<Late>,
    pub(super) queue: WorkQueue<ObjectKey>,
    pub(super) board: Arc<Board>,
    pub(super) timeout: Option<Duration>,
    pub(super) stop: CancellationToken,
    pub(super) scope: WorkScope,
    /// The tasks that watch for own writes.
    pub(super) watchers: TaskTracker,
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
            // Taking work may have woken another worker. Tokio runs that worker next on this thread,
            // and no other thread can steal it: a reconcile that blocks would hold it up. Also,
            // reconciles that never wait must not keep other tasks from this thread.
            give_way().await;
            if self.stop.is_cancelled() || !self.scope.may_begin() {
                // The key is still in the queue for whoever leads next in this process.
                self.queue.add_with(work.item().clone(), work.priority());
                self.stop.cancelled().await;
                return;
            }
            let Some(work) = self.late.admit(work) else { continue };
            let Some(work) = self.admit(work) else { continue };
            let key = work.item().clone();
            self.board.begins(number, &key);
            let mut work = Some(work);
            // The last net: a recorder of metrics or a subscriber of traces may panic, too.
            let reconciled = AssertUnwindSafe(self.reconcile(&mut work)).catch_unwind().await;
            if let Err(panic) = reconciled {
                let message = into_message(panic);
                // Put back before the work on it is done: its backoff holds.
                work.and_then(Work::retry);
                self.board.failed(&key, message, self.queue.num_requeues(&key));
            }
            self.board.ends(number);
        }
    }

    /// Lets a key pass that sees its own writes. Any other is put off until it does; the wait is the
    /// queue's. One that has waited too long fails.
    fn admit(self: &Arc<Self>, work: Work<ObjectKey>) -> Option<Work<ObjectKey>> {
        if !self.writes.waits(&work) {
            self.unseen.end(&work);
            return Some(work);
        }
        match self.unseen.begin(&work) {
            Begun::Failed(missing) => {
                let failures = work.num_requeues();
                let outcome = Err(ReconcileError::Behind(missing));
                self.board.ended(&outcome);
                self.conclude(work, failures, outcome);
            }
            Begun::Waiting => drop(work.park(2 * SIGHT)),
            Begun::New(wait) => {
                self.board.put_off();
                let (this, key, stop) = (self.clone(), work.item().clone(), self.stop.clone());
                let watching = async move {
                    // The client's layers are user code. Without a result the key would wait for
                    // ever.
                    let seen = catch_async(this.writes.seen(&key, SIGHT)).await;
                    let seen = seen.unwrap_or_else(|message| Err(Unobserved::Panicked(message)));
                    this.unseen.finish(&key, wait, seen);
                    this.queue.unpark(&key);
                };
                self.watchers.spawn(async move { stop.run_until_cancelled(watching).await });
                work.park(2 * SIGHT);
            }
        }
        None
    }

    /// Reconciles a key. Whatever panics on the way, the key is tried again.
    async fn reconcile(&self, slot: &mut Option<Work<ObjectKey>>) {
        let Some(work) = &*slot else { return };
        let span = tracing::debug_span!("reconcile", controller = &*self.name, key = %**work);
        let failures = work.num_requeues();
        let stop = self.stop.child_token();
        // However the try ends, also where this task is dropped, what it spawned hears of it.
        let _ends = stop.clone().drop_guard();
        let reconcile = self.board.measured(self.call(work, failures, stop));
        let outcome = reconcile.instrument(span).await;
        if let Some(work) = slot.take() {
            self.conclude(work, failures, outcome);
        }
    }

    async fn call(
        &self,
        key: &ObjectKey,
        failures: u32,
        stop: CancellationToken,
    ) -> Result<Next, ReconcileError> {
        let writes = WriteScope::new(key.clone(), self.writes.clone(), self.scope.clone());
        let scope = writes.clone();
        let request = || {
            let object = Presence::of(key, &self.objects);
            ReconcileRequest { key: key.clone(), object, failures, stop, writes }
        };
        // The object may be unpacked by user code; the call itself may panic, not only its future.
        let call = async { (self.reconcile)(request()).await };
        let mut call = Some(Box::pin(AssertUnwindSafe(scope.enter(call)).catch_unwind()));
        let panicked = |panic| ReconcileError::Panicked(into_message(panic));
        let ended = match (call.as_mut(), self.timeout) {
            (Some(call), Some(limit)) => match timeout(limit, call).await {
                Ok(ended) => ended.map_err(panicked),
                Err(_) => Err(ReconcileError::TimedOut(limit)),
            },
            (Some(call), None) => call.await.map_err(panicked),
            (None, _) => return Ok(Next::Retry),
        };
        // The drops of the future and of an error that is not told are user code, too.
        if let Err(message) = catch(|| drop(call.take())) {
            let_go(ended);
            return Err(ReconcileError::Panicked(message));
        }
        match ended? {
            Ok(Action(next)) => Ok(next),
            Err(error) => Err(ReconcileError::Failed(error)),
        }
    }

    /// Puts the key back before the work on it is done, so that a change that came meanwhile and this
    /// make one.
    fn conclude(
        &self,
        work: Work<ObjectKey>,
        failures: u32,
        outcome: Result<Next, ReconcileError>,
    ) {
        let error = match outcome {
            Ok(Next::Change) => return work.forget(),
            Ok(Next::After(delay)) => {
                work.forget();
                work.requeue_after(delay);
                return;
            }
            Ok(Next::Retry) => {
                work.retry();
                return;
            }
            Err(error) => error,
        };
        let (controller, key) = (&*self.name, work.item().clone());
        let again = work.retry();
        let failures = failures + 1;
        // The text of the user's error, and its drop, are user code.
        let text = catch(|| chain(&error));
        let text = text.unwrap_or_else(|message| format!("its text panicked: {message}"));
        let_go(error);
        tracing::warn!(controller, %key, error = text, failures, ?again, "reconcile failed");
        self.board.failed(&key, text, failures);
    }
}
