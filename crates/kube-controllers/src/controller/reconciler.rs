//! The state that the workers of a controller share, and the end of a try.

use std::ops::Deref;
use std::pin::pin;
use std::sync::Arc;

use futures::FutureExt;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::action::{Next, Reconcile};
use super::cause::Cause;
use super::error::ReconcileError;
use super::error_policy::{ErrorRules, FailedTry, OwnFailures};
use super::status::count;
use super::{Action, ControllerParts};
use crate::basics::{after, clipped_to};
use crate::lease::{EndGuard, WorkScope};
use kube_informer::error::chain;
use kube_informer::informer::ReadBarrier;
use kube_informer::object::ObjectKey;
use kube_informer::seams::{catch, drop_safely};
use kube_informer::workqueue::Work;

/// The length in bytes of an error's text in the log. Failures 1, 2, 4, 8, … log it whole.
const SHORT: usize = 160;

/// The state that the workers of a controller share, in one term of leadership.
pub(super) struct Reconciler {
    pub(super) parts: Arc<ControllerParts>,
    /// Counted only where retries are limited.
    pub(super) own_failures: OwnFailures,
    pub(super) stop: CancellationToken,
    pub(super) scope: WorkScope,
    /// The tasks that wait for own writes.
    pub(super) watchers: TaskTracker,
    /// All work that reconciles track, and the tasks that wait for its end.
    pub(super) tracked: TaskTracker,
    /// Cancelled to drop the tracked tasks, when the grace is over.
    pub(super) aborted: CancellationToken,
    pub(super) reconcile: Reconcile,
    /// The context of requests, before the user's function gets its own.
    pub(super) no_context: Arc<()>,
}

impl Deref for Reconciler {
    type Target = ControllerParts;

    fn deref(&self) -> &ControllerParts {
        &self.parts
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
    /// A barrier from before the cache was asked, if it had no such object.
    pub(super) absent_since: Option<ReadBarrier>,
    /// The time at which the try began.
    pub(super) began: Instant,
}

impl Reconciler {
    /// Counts a key that belongs to another replica. It leaves the queue when `work` is dropped.
    pub(super) fn leave(&self, work: &Work<ObjectKey>) {
        tracing::debug!(controller = &*self.name, key = %work.item(), "a key of another replica");
        count(&self.status.counts.foreign_keys);
        work.forget();
    }

    /// Decides what happens to the key of a try that is over.
    pub(super) fn end_try(&self, ended: EndedTry) {
        let EndedTry { work, failures, outcome, deletion, absent_since, .. } = ended;
        let Some(outcome) = outcome else { return self.leave(&work) };
        if let (Some(slots), Ok(Next::Change)) = (&self.slots, &outcome) {
            slots.finish(work.item(), deletion);
        }
        let absent = absent_since.map(|seen| (work.item().clone(), seen));
        if self.conclude(work, failures, outcome)
            && let Some((key, seen)) = absent
        {
            self.deletes.finish(&key, seen);
        }
    }

    /// Concludes a try when nothing that it tracks is left. Its key is in process until then, and
    /// no worker waits.
    pub(super) fn conclude_when_idle(
        self: &Arc<Self>,
        mut ended: EndedTry,
        tracked: WorkScope,
        ends: EndGuard,
    ) {
        let (this, key) = (self.clone(), ended.work.item().clone());
        self.status.hold(&key);
        let concluding = async move {
            let whole = this.aborted.run_until_cancelled(this.end_in_time(&mut ended, &tracked));
            let whole = whole.await;
            if whole.is_none() {
                drop(ends);
                tracked.wait_until_idle().await;
            }
            this.status.let_go(&key, whole != Some(true) && this.stop.is_cancelled());
            if whole != Some(true) {
                // Its work on a deletion was dropped, too: the next term or run does it again.
                (ended.deletion, ended.absent_since) = (None, None);
            }
            // A recorder of metrics or a subscriber of traces may panic.
            if let Err(message) = catch(|| this.end_try(ended)) {
                this.retry_after_panic(&key, None, message);
            }
        };
        tokio::spawn(self.tracked.track_future(concluding).boxed());
    }

    /// Retries a key whose try ended in a panic outside of the reconcile. `work` is `None` if the
    /// panic may have lost it.
    pub(super) fn retry_after_panic(
        &self,
        key: &ObjectKey,
        work: Option<Work<ObjectKey>>,
        message: String,
    ) {
        let again = match work {
            // Put back before the guard marks the key as done, so that its backoff holds.
            Some(work) => work.retry(),
            None => self.queue.add_rate_limited(key.clone()),
        };
        self.status.record_failure(key, message, self.queue.num_requeues(key), again);
    }

    /// Waits until nothing is tracked. When the try times out, its tasks are dropped like its
    /// future. Returns false if tasks were dropped for another reason.
    async fn end_in_time(&self, ended: &mut EndedTry, tracked: &WorkScope) -> bool {
        let mut idle = pin!(tracked.end_when_idle());
        let Some(limit) = self.limits.timeout else { return idle.await };
        if let Ok(whole) = timeout_at(after(ended.began, limit), &mut idle).await {
            return whole;
        }
        tracked.abort();
        let error = ReconcileError::TimedOut(limit);
        // A subscriber that panics must not end this task: it has the key.
        let _told = catch(|| {
            tracing::warn!(
                controller = &*self.name,
                key = %ended.work.item(),
                %error,
                tracked = tracked.tracked(),
                "work that the reconcile tracks goes on: the key waits for its end"
            );
        });
        if let Some(Ok(_)) = ended.outcome {
            let outcome = Err(error);
            self.status.count_outcome(&outcome);
            ended.outcome = Some(outcome);
        }
        idle.await;
        true
    }

    /// Puts the key back before the guard marks it as done, so that this retry and a change that
    /// came meanwhile merge into one. Returns false if it is put back.
    pub(super) fn conclude(
        &self,
        work: Work<ObjectKey>,
        failures: u32,
        outcome: Result<Next, ReconcileError>,
    ) -> bool {
        if outcome.is_ok() {
            self.own_failures.forget(work.item());
        }
        match outcome {
            Ok(Next::Change) => {
                work.forget();
                return true;
            }
            Ok(Next::After(delay)) => {
                self.history.record_later(work.item(), delay, || Cause::Requeue);
                work.forget();
                work.requeue_after(delay);
            }
            Ok(Next::Retry) => {
                self.history.record(work.item(), || Cause::Retry { failures: failures + 1 });
                work.retry();
            }
            Err(error) => return self.fail(work, failures + 1, error),
        }
        false
    }

    /// Decides when a failed key is tried again, and reports the failure. Returns whether the key
    /// is given up.
    fn fail(&self, work: Work<ObjectKey>, failures: u32, error: ReconcileError) -> bool {
        let (controller, key) = (&*self.name, work.item().clone());
        let next = self.next_after(&key, failures, &error);
        if next != Next::Change {
            self.history.record(&key, || Cause::Retry { failures });
        }
        let again = match next {
            Next::Change => {
                self.own_failures.forget(&key);
                work.forget();
                None
            }
            Next::After(delay) => work.retry_after(delay),
            Next::Retry => work.retry(),
        };
        // The text and the drop of the user's error are user code.
        let text = catch(|| match &error {
            ReconcileError::Failed(error) => chain(&**error),
            error => chain(error),
        });
        let text =
            text.unwrap_or_else(|message| format!("the error's Display panicked: {message}"));
        drop_safely(error);
        let longest = if failures.is_power_of_two() { text.len() } else { SHORT };
        let logged = &*clipped_to(&text, longest);
        if next == Next::Change {
            count(&self.status.counts.given_up);
            tracing::error!(
                controller,
                %key,
                error = text,
                failures,
                "reconcile failed; the key waits for a change"
            );
        } else {
            tracing::warn!(controller, %key, error = logged, failures, ?again, "reconcile failed");
        }
        self.status.record_failure(&key, text, failures, again);
        next == Next::Change
    }

    /// Returns when a failed key is tried again.
    fn next_after(&self, key: &ObjectKey, failures: u32, error: &ReconcileError) -> Next {
        let ErrorRules { policy, max_retries } = &self.errors;
        let next = match error {
            // The user's code was not called: giving up would lose the change that queued the key.
            ReconcileError::Behind(_) => return Next::Retry,
            ReconcileError::TimedOut(_) | ReconcileError::Panicked(_) => Next::Retry,
            ReconcileError::Failed(error) => {
                let failure = FailedTry { key, error: &**error, failures };
                catch(|| policy(&failure)).map_or_else(
                    |message| {
                        tracing::error!(%key, message, "error policy panicked: the key is retried");
                        Next::Retry
                    },
                    |Action(next)| next,
                )
            }
        };
        match max_retries {
            Some(max) if self.own_failures.count(key, failures) > *max => Next::Change,
            _ => next,
        }
    }
}
