//! One worker: it takes a key, reconciles it, and puts it back or forgets it.
//!
//! The reconcile, the drop of its future, and the drop and text of its error are user code. If any
//! of it panics, the key is retried, and the worker goes on.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::{Instant, timeout};
use tracing::Instrument;

use super::action::Next;
use super::admission::Bounds;
use super::error::ReconcileError;
use super::heat::LONGEST_DELAY;
use super::history::Pace;
use super::own_writes::TrackedReconcile;
use super::reconciler::{EndedTry, Reconciler};
use super::sources::{Existence, members};
use super::{Action, ReconcileRequest};
use crate::basics::after;
use crate::lease::{ScopeOwner, WorkScope};
use kube_informer::object::ObjectKey;
use kube_informer::seams::{YieldBudget, catch, drop_safely, into_message};
use kube_informer::workqueue::Work;

impl Reconciler {
    /// Returns a worker, as a part of the scope.
    pub(super) fn worker(self: Arc<Self>, number: usize) -> BoxFuture<'static, ()> {
        // Boxed, because each future around it would take its room again.
        let working = self.scope.track(self.clone().work(number).boxed());
        let worker = async move {
            working.await;
        };
        worker.boxed()
    }

    /// Reconciles keys until stopped, and finishes the current one first.
    async fn work(self: Arc<Self>, number: usize) {
        let mut budget = YieldBudget::new();
        loop {
            // Not while it has a key: an event meanwhile would queue the key once more.
            budget.rest_if_due().await;
            let work = tokio::select! {
                biased;
                () = self.stop.cancelled() => return,
                work = self.queue.get() => work,
            };
            let Some(work) = work else { return };
            // Taking work may have woken another worker. Tokio runs that worker next on this
            // thread, and no other thread can steal it: a reconcile that blocks would hold it up.
            // Also, reconciles that never wait must not keep other tasks from this thread. A new
            // budget does not rest.
            YieldBudget::new().give_way().await;
            if self.stop.is_cancelled() || !self.scope.may_begin() {
                // The key stays in the queue for the next term of leadership in this process.
                self.queue.add_with(work.item().clone(), work.priority());
                self.stop.cancelled().await;
                return;
            }
            let Some((work, bounds)) = self.admit(work) else { continue };
            let key = work.item().clone();
            self.status.reconcile_began(number, &key);
            let mut work = Some(work);
            // A recorder of metrics or a subscriber of traces may panic, too.
            let reconciled =
                AssertUnwindSafe(self.reconcile(&mut work, bounds)).catch_unwind().await;
            if let Err(panic) = reconciled {
                let message = into_message(panic);
                self.retry_after_panic(&key, work, message);
            }
            self.status.reconcile_ended(number);
        }
    }

    /// Notes that a run has ended, and reports a key that runs again and again. Waits for an
    /// informer that the controller follows name it, too.
    fn note_pace(&self, key: &ObjectKey) {
        let Pace { hot, slowed, warns } = self.history.ran(key, self.limits.hot_key_delay);
        if hot {
            self.status.count_hot_key();
        }
        if !slowed && !warns {
            return;
        }
        let text = format!(
            "a key runs again and again: {}; let the reconcile write only differences, make no new \
             object each time, and requeue only after a delay",
            self.history.hot_key(key)
        );
        if warns {
            tracing::warn!(controller = &*self.name, %key, "{text}");
        }
        if slowed {
            let text: Arc<str> = format!("controller {}: {text}", self.name).into();
            let until = after(Instant::now(), LONGEST_DELAY);
            let built = members(&self.groups);
            built.for_each(|member| member.note_spin(text.clone(), until));
            for (member, _) in self.sources.members() {
                member.note_spin(text.clone(), until);
            }
        }
    }

    /// Reconciles a key within the scope of its slot. Returns `None` if the slot was given up, and
    /// the reconcile with it.
    async fn call_in_slot(
        &self,
        key: &ObjectKey,
        failures: u32,
        tracked: &WorkScope,
        Bounds { scope, object, .. }: Bounds,
    ) -> Option<Result<Next, ReconcileError>> {
        let call = self.call(key, object, failures, tracked.clone(), scope.clone());
        if self.slots.is_none() {
            // The scope of the term tracks the whole worker.
            return Some(call.await);
        }
        let mut call = pin!(scope.track(call));
        // Tracked first: a slot given up now waits for this reconcile, or this check sees it.
        if !scope.may_begin() {
            return None;
        }
        tokio::select! {
            biased;
            ended = &mut call => return ended,
            () = scope.token().cancelled() => tracked.token().cancel(),
        }
        call.await
    }

    /// Reconciles a key. If anything panics on the way, the key is retried.
    async fn reconcile(self: &Arc<Self>, slot: &mut Option<Work<ObjectKey>>, bounds: Bounds) {
        let Some(work) = &*slot else { return };
        let span = self.span(work);
        let failures = work.num_requeues();
        let owner = ScopeOwner { name: self.name.clone(), key: Some((**work).clone()) };
        // A slot's scope is not within the one that the controller was started in.
        let mut also = if self.slots.is_some() { self.scope.trackers() } else { Vec::new() };
        also.push(self.tracked.clone());
        let tracked = bounds.scope.within(self.stop.child_token(), &also, owner);
        let (began, deletion, absent_since) =
            (Instant::now(), bounds.deletion, bounds.absent_since);
        // Notifies the tracked work of the try's end, and drops it if this task is dropped.
        let (tells, ends) = tracked.end_on_drop();
        let reconcile = self.call_in_slot(work, failures, &tracked, bounds);
        let reconcile = self.status.measure(reconcile);
        let outcome = reconcile.instrument(span).await;
        drop(tells);
        if let (Some(work), Some(_)) = (&*slot, &outcome) {
            // It may panic, so the key is still in its slot.
            self.note_pace(work.item());
        }
        let Some(work) = slot.take() else { return };
        let ended = EndedTry { work, failures, outcome, deletion, absent_since, began };
        if tracked.end_if_idle() {
            return self.end_try(ended);
        }
        self.conclude_when_idle(ended, tracked, ends);
    }

    /// Returns the span of one try. The id is random, so that the lines of one try can be found
    /// among those of many processes.
    fn span(&self, key: &ObjectKey) -> tracing::Span {
        tracing::info_span!(
            "reconcile",
            controller = &*self.name,
            kind = &*self.kind,
            namespace = key.namespace(),
            name = key.name(),
            id = format_args!("{:08x}", fastrand::u32(..)),
        )
    }

    async fn call(
        &self,
        key: &ObjectKey,
        object: Existence,
        failures: u32,
        work: WorkScope,
        term: WorkScope,
    ) -> Result<Next, ReconcileError> {
        let writes = TrackedReconcile::new(key.clone(), self.writes.clone(), term);
        let scope = writes.clone();
        let request = || {
            let (object, context) = (object.read(), self.no_context.clone());
            let history = self.history.clone();
            let (key, stop) = (key.clone(), work.token().clone());
            ReconcileRequest { key, object, failures, stop, context, history, writes, work }
        };
        // Unpacking the object may run user code, and the call itself may panic, not only its
        // future.
        let call = async { (self.reconcile)(request()).await };
        let mut call = Some(Box::pin(AssertUnwindSafe(scope.enter(call)).catch_unwind()));
        let panicked = |panic| ReconcileError::Panicked(into_message(panic));
        let ended = match (call.as_mut(), self.limits.timeout) {
            (Some(call), Some(limit)) => match timeout(limit, call).await {
                Ok(ended) => ended.map_err(panicked),
                Err(_) => Err(ReconcileError::TimedOut(limit)),
            },
            (Some(call), None) => call.await.map_err(panicked),
            (None, _) => return Ok(Next::Retry),
        };
        // The drops of the future and of an unreported error are user code, too.
        if let Err(message) = catch(|| drop(call.take())) {
            drop_safely(ended);
            return Err(ReconcileError::Panicked(message));
        }
        match ended? {
            Ok(Action(next)) => Ok(next),
            Err(error) => Err(ReconcileError::Failed(error)),
        }
    }
}
