//! The scope of work that only a leader, or the holder of a slot, may do.

use std::fmt;
use std::future::{poll_fn, ready};
use std::panic::resume_unwind;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use futures::FutureExt;
use tokio::task::{JoinError, JoinHandle};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::times::Term;
use crate::basics::Mutex;
use kube_informer::informer::ReadBarrier;
use kube_informer::object::ObjectKey;
use kube_informer::seams::drop_safely;

/// The bounds of work that only the holder of the lease, or of a slot, may do: a token, a deadline,
/// and everything that must end before the lease or the slot is released.
///
/// An elector has one scope for each term. A [`Sharding`](crate::Sharding) has one
/// [for each slot](crate::Sharding::scope).
///
/// Clones are cheap and share one scope.
///
/// The elector awaits the future that [`run_scoped`](crate::LeaderElector::run_scoped) received.
/// Work in other tasks or on other threads counts only if it is tracked:
///
/// ```no_run
/// use kube_controllers::leader_election::{LeaderElector, WorkScope};
/// # use tokio_util::sync::CancellationToken;
///
/// # async fn f(mut elector: LeaderElector, stop: CancellationToken) {
/// let work = |scope: WorkScope| async move {
///     scope.spawn(async { /* a worker */ });
///     let guard = scope.guard();
///     std::thread::spawn(move || {
///         // synchronous work, and then:
///         drop(guard);
///     });
///     while scope.may_begin() {
///         // one piece of work
///         # tokio::task::yield_now().await;
///     }
/// };
/// let outcome = elector.run_scoped(stop, work).await;
/// # }
/// ```
///
/// # The end of a scope
///
/// A scope ends when its work is over and nothing is tracked: then the lease or the slot is
/// released. Nothing waits for work that comes later, from code that was never tracked. So an ended
/// scope refuses it. All but `track` log a warning:
///
/// - The future of [`track`](Self::track) or [`spawn`](Self::spawn), or the closure of
///   [`spawn_blocking`](Self::spawn_blocking), is dropped. Its output is `None`.
/// - The guard of [`guard`](Self::guard) does not [hold](ScopeGuard::holds).
#[derive(Clone)]
pub struct WorkScope(Arc<ScopeState>);

struct ScopeState {
    /// Tells the work to stop.
    token: CancellationToken,
    /// Drops the tracked work.
    aborted: CancellationToken,
    /// True if nothing waits for work tracked from now on.
    ended: AtomicBool,
    /// True if the work was told to stop because its time was over, not by the code that renews the
    /// lease.
    ran_out: AtomicBool,
    /// True if work was dropped before it had ended.
    cut: AtomicBool,
    /// The scope around this one.
    parent: Option<WorkScope>,
    owner: Option<ScopeOwner>,
    tracker: TaskTracker,
    /// The trackers that count the same work: those of the scopes around this one.
    outer: Vec<TaskTracker>,
    /// A moment after the lease or slot was won.
    won: ReadBarrier,
    /// The term as last renewed; `None` without a lease.
    term: Arc<Mutex<Option<Term>>>,
}

/// The code that a scope was made for, as a warning names it.
pub(crate) struct ScopeOwner {
    /// The name of a controller or a task.
    pub(crate) name: Arc<str>,
    /// The key that is reconciled.
    pub(crate) key: Option<ObjectKey>,
}

/// A guard that keeps the elector from releasing the lease until it is dropped.
///
/// The guard does not keep the lease from expiring: check [`WorkScope::is_over`].
///
/// A value that uses a resource of the leader and may outlive the work's future:
///
/// ```
/// use std::fs::File;
/// use kube_controllers::leader_election::{ScopeGuard, WorkScope};
///
/// /// A journal that only the leader writes. Fields are dropped in order: first the file.
/// struct Journal {
///     file: File,
///     _leading: ScopeGuard,
/// }
///
/// fn open(scope: &WorkScope) -> std::io::Result<Journal> {
///     let _leading = scope.guard();
///     Ok(Journal { file: File::create("journal")?, _leading })
/// }
/// ```
#[derive(Debug)]
#[must_use = "the scope does not wait for work whose guard is dropped"]
pub struct ScopeGuard {
    /// `None` if the scope had already ended.
    tokens: Option<(TaskTrackerToken, Vec<TaskTrackerToken>)>,
}

impl ScopeGuard {
    /// Returns whether the scope waits for this guard. False if the scope had
    /// [ended](WorkScope#the-end-of-a-scope) before: do not begin the work then.
    pub fn holds(&self) -> bool {
        self.tokens.is_some()
    }
}

impl WorkScope {
    /// Creates a scope without a lease: it has no deadline, and no work may begin after the token
    /// is cancelled.
    pub fn new(token: CancellationToken) -> Self {
        Self::with_term(Vec::new(), token, None)
    }

    /// Creates a scope of a term, whose work counts in `also`, too.
    pub(crate) fn of_term(also: Vec<TaskTracker>, token: CancellationToken, term: Term) -> Self {
        Self::with_term(also, token, Some(term))
    }

    /// Returns the trackers that count its work: its own, and those of the scopes around it.
    pub(crate) fn trackers(&self) -> Vec<TaskTracker> {
        self.0.outer.iter().chain([&self.0.tracker]).cloned().collect()
    }

    fn with_term(outer: Vec<TaskTracker>, token: CancellationToken, term: Option<Term>) -> Self {
        Self(Arc::new(ScopeState {
            token,
            aborted: CancellationToken::new(),
            ended: AtomicBool::new(false),
            ran_out: AtomicBool::new(false),
            cut: AtomicBool::new(false),
            parent: None,
            owner: None,
            tracker: closed_tracker(),
            outer,
            won: ReadBarrier::now(),
            term: Arc::new(Mutex::new(term)),
        }))
    }

    /// Creates a scope within this one, of one piece of work. Everything that it tracks counts in
    /// both scopes and in `also`. It has this scope's term.
    pub(crate) fn within(
        &self,
        token: CancellationToken,
        also: &[TaskTracker],
        owner: ScopeOwner,
    ) -> Self {
        let ScopeState { aborted, won, term, .. } = &*self.0;
        let outer = [&*self.trackers(), also].concat();
        Self(Arc::new(ScopeState {
            token,
            aborted: aborted.child_token(),
            ended: AtomicBool::new(false),
            ran_out: AtomicBool::new(false),
            cut: AtomicBool::new(false),
            parent: Some(self.clone()),
            owner: Some(owner),
            tracker: closed_tracker(),
            outer,
            won: *won,
            term: term.clone(),
        }))
    }

    /// Returns whether both are clones of one scope.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns a moment after the lease or slot was won, and before any work began;
    /// [`ReadBarrier::START`] without a lease. Another process may have worked before it.
    pub(crate) fn won(&self) -> ReadBarrier {
        if self.0.term.lock().is_some() { self.0.won } else { ReadBarrier::START }
    }

    /// Returns the token that tells the work to stop. It is cancelled on a stop, when leadership is
    /// lost, and when the work's future has ended.
    pub fn token(&self) -> &CancellationToken {
        &self.0.token
    }

    /// Returns the time by which all work must have ended; `None` without a lease.
    ///
    /// A renewal moves the deadline forward; losing or releasing the lease moves it to now. Under
    /// the [assumptions](crate::leader_election), no other replica leads before the deadline.
    pub fn deadline(&self) -> Option<Instant> {
        self.0.term.lock().map(|term| term.abort)
    }

    /// Returns the time at which others may lead; `None` without a lease.
    pub(crate) fn expires(&self) -> Option<Instant> {
        self.0.term.lock().map(|term| term.expires)
    }

    /// Returns whether another piece of work may begin now: the token is not cancelled, and the
    /// lease was renewed in time.
    ///
    /// Compares the clock with the lease, because a blocked thread or a suspended process may pass
    /// the time before anything cancels the token.
    pub fn may_begin(&self) -> bool {
        // The clock is read under the lock, so that a later renewal finds the term over.
        let late = self.0.term.lock().is_some_and(|term| term.cancel <= Instant::now());
        !late && !self.0.token.is_cancelled()
    }

    /// Returns whether another replica may lead now: the deadline has passed or the lease was
    /// released. Do not begin writes then. Always `false` without a lease.
    pub fn is_over(&self) -> bool {
        self.deadline().is_some_and(|deadline| deadline <= Instant::now())
    }

    /// Makes a future part of the scope. The elector does not release the lease before the future
    /// has ended or was dropped, its synchronous code included. The returned future can run in any
    /// task.
    ///
    /// At each poll it compares the clock with the lease. It is dropped at the
    /// [deadline](Self::deadline) even if the thread that renews the lease is blocked.
    ///
    /// The output is `None` if the future was dropped: after the grace, when the lease was
    /// lost, when the elector was dropped, or because the scope has
    /// [ended](Self#the-end-of-a-scope).
    pub fn track<F: Future>(&self, future: F) -> impl Future<Output = Option<F::Output>> + use<F> {
        let (scope, outer) = (self.clone(), self.outer_tokens());
        // The trackers' marks are dropped after the future, even if the future was never polled.
        let tracked =
            self.0.tracker.track_future(async move { scope.run_until_aborted(future).await });
        tracked.map(move |output| {
            drop(outer);
            output
        })
    }

    /// Runs a future until the deadline, or until the work is dropped.
    pub(crate) async fn run_until_aborted<F: Future>(&self, future: F) -> Option<F::Output> {
        let (mut aborted, mut future) = (pin!(self.0.aborted.cancelled()), pin!(future));
        poll_fn(|cx| {
            // The check may abort the scope. The future is not polled once more then.
            self.check_clock();
            if aborted.as_mut().poll(cx).is_ready() {
                self.note_cut();
                return Poll::Ready(None);
            }
            future.as_mut().poll(cx).map(Some)
        })
        .await
    }

    /// Tells the work to stop, or drops it, if its time has come. The code that renews the lease
    /// does the same, but its thread may be blocked.
    fn check_clock(&self) {
        let held = self.0.term.lock();
        let Some(term) = *held else { return };
        // Under the lock: a renewal sees this check, or this check sees the renewal.
        let now = Instant::now();
        drop(held);
        if term.cancel <= now && !self.0.token.is_cancelled() {
            self.0.ran_out.store(true, Ordering::Release);
            self.0.token.cancel();
        }
        if term.abort <= now {
            self.abort();
        }
    }

    /// Spawns a [tracked](Self::track) task.
    ///
    /// # Panics
    /// Panics outside a tokio runtime.
    pub fn spawn<F>(&self, future: F) -> JoinHandle<Option<F::Output>>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        // Tracked first: a scope that ends now waits for the task, or this code sees the end.
        let tracked = self.track(future);
        if self.has_ended() {
            self.tell_refused("a task");
        }
        tokio::spawn(tracked.boxed())
    }

    /// Runs a closure on a thread for blocking code, as a part of the scope. The elector does not
    /// release the lease before the closure has returned, even if nothing awaits the task.
    ///
    /// Nothing can drop a closure that runs. Let long ones check [`may_begin`](Self::may_begin)
    /// before each step. A closure that still waits for a thread is dropped like the future of
    /// [`track`](Self::track). The output is `None` then, and if the scope has
    /// [ended](Self#the-end-of-a-scope).
    ///
    /// # Panics
    /// Panics outside a tokio runtime.
    pub fn spawn_blocking<F, T>(&self, work: F) -> JoinHandle<Option<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let guard = self.hold();
        if !guard.holds() {
            self.tell_refused("a closure");
            drop_safely(work);
            return tokio::spawn(ready(None).boxed());
        }
        // This order drops the closure's values before the guard.
        let (span, waiting) = (tracing::Span::current(), Arc::new(Mutex::new(Some((work, guard)))));
        let (scope, begins) = (self.clone(), waiting.clone());
        let mut closure = tokio::task::spawn_blocking(move || {
            let (work, _guard) = begins.lock().take()?;
            if scope.0.aborted.is_cancelled() || scope.is_over() {
                scope.note_cut();
                drop_safely(work);
                return None;
            }
            Some(span.in_scope(work))
        });
        let scope = self.clone();
        let ending = async move {
            let result = tokio::select! {
                biased;
                result = &mut closure => result,
                () = scope.0.aborted.cancelled() => {
                    let dropped = waiting.lock().take();
                    if let Some((work, _guard)) = dropped {
                        scope.note_cut();
                        drop_safely(work);
                        return None;
                    }
                    closure.await
                }
            };
            match result.map_err(JoinError::try_into_panic) {
                Ok(output) => output,
                Err(Ok(payload)) => resume_unwind(payload),
                // The runtime shuts down.
                Err(Err(_)) => None,
            }
        };
        tokio::spawn(ending.boxed())
    }

    /// Returns a guard that keeps the scope open until it is dropped, for work that is not a
    /// future, such as a thread. It does not [hold](ScopeGuard::holds) if the scope has
    /// [ended](Self#the-end-of-a-scope).
    pub fn guard(&self) -> ScopeGuard {
        let guard = self.hold();
        if !guard.holds() {
            self.tell_refused("a guard");
        }
        guard
    }

    fn hold(&self) -> ScopeGuard {
        // In this order: the code that ends the scope sees these tokens, or this code sees the end.
        let tokens = (self.0.tracker.token(), self.outer_tokens());
        ScopeGuard { tokens: (!self.has_ended()).then_some(tokens) }
    }

    /// Returns whether this scope or one around it has ended.
    fn has_ended(&self) -> bool {
        // A plain read might see an older value than the code that ends the scope has written.
        self.0.ended.fetch_or(false, Ordering::AcqRel)
            || self.0.parent.as_ref().is_some_and(Self::has_ended)
    }

    #[cold]
    fn tell_refused(&self, refused: &'static str) {
        let owner = self.0.owner.as_ref();
        tracing::warn!(
            owner = owner.map(|owner| &*owner.name),
            key = owner.and_then(|owner| owner.key.as_ref()).map(tracing::field::display),
            refused,
            "work came to a scope that has ended, and is refused: nothing would wait for it; await \
             the task that brings it, or spawn that task by the scope"
        );
    }

    /// Returns marks that keep the scopes around this one open until they are dropped.
    pub(crate) fn outer_tokens(&self) -> Vec<TaskTrackerToken> {
        self.0.outer.iter().map(TaskTracker::token).collect()
    }

    /// Returns the number of tracked futures and guards.
    pub fn tracked(&self) -> usize {
        self.0.tracker.len()
    }

    /// Waits until nothing is tracked. A tracked future must not call this.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe.
    pub async fn wait_until_idle(&self) {
        self.0.tracker.wait().await;
    }

    /// Extends the term after a renewal. Returns false if the work may have seen the end of the
    /// old one.
    pub(crate) fn renew(&self, term: Term) -> bool {
        let mut held = self.0.term.lock();
        let before = held.replace(term);
        before.is_none_or(|before| Instant::now() < before.cancel)
    }

    /// Returns whether the work was told to stop because its time was over.
    pub(crate) fn ran_out(&self) -> bool {
        self.0.ran_out.load(Ordering::Acquire)
    }

    /// Returns whether work was dropped before it had ended.
    pub(crate) fn was_cut(&self) -> bool {
        self.0.cut.load(Ordering::Acquire)
    }

    fn note_cut(&self) {
        self.0.cut.store(true, Ordering::Release);
    }

    /// Ends the term and the scope: another replica may lead from now on.
    pub(crate) fn end(&self) {
        let now = Instant::now();
        if let Some(term) = &mut *self.0.term.lock() {
            term.cancel = term.cancel.min(now);
            term.abort = term.abort.min(now);
        }
        self.refuse();
    }

    /// Drops everything tracked, each at its current await.
    pub(crate) fn abort(&self) {
        self.0.aborted.cancel();
    }

    /// Ends the scope if nothing is tracked. Returns true if it has ended.
    pub(crate) fn end_if_idle(&self) -> bool {
        let idle = || self.tracked() == 0;
        idle() && {
            self.refuse();
            // Work may have come just before: wait for it.
            idle()
        }
    }

    /// Waits until nothing is tracked, and ends the scope. Returns false if tracked work was
    /// dropped before it had ended.
    pub(crate) async fn end_when_idle(&self) -> bool {
        self.wait_until_idle().await;
        let whole = !self.0.aborted.is_cancelled();
        self.refuse();
        self.wait_until_idle().await;
        whole
    }

    /// Refuses all further work.
    pub(crate) fn refuse(&self) {
        // In this order, so that no refused task begins.
        self.abort();
        self.0.ended.swap(true, Ordering::AcqRel);
    }

    /// Returns two guards. Dropping the first tells the work to stop; dropping the second drops
    /// tracked and refuses further work.
    pub(crate) fn end_on_drop(&self) -> (DropGuard, EndGuard) {
        (self.0.token.clone().drop_guard(), EndGuard(self.clone()))
    }
}

/// A guard that drops a scope's tracked work, and refuses further work.
pub(crate) struct EndGuard(WorkScope);

impl Drop for EndGuard {
    fn drop(&mut self) {
        self.0.refuse();
    }
}

/// Returns a tracker whose `wait` returns when it is empty. It still accepts tasks.
pub(crate) fn closed_tracker() -> TaskTracker {
    let tracker = TaskTracker::new();
    tracker.close();
    tracker
}

impl fmt::Debug for WorkScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkScope")
            .field("may_begin", &self.may_begin())
            .field("deadline", &self.deadline())
            .field("tracked", &self.tracked())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use tokio::time::sleep;

    use super::*;

    /// Every thread for blocking code is taken.
    #[test]
    fn closure_that_waits_for_a_thread_ends_with_its_scope() {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.max_blocking_threads(1).build().unwrap();
        let (free, freed) = mpsc::channel::<()>();
        let (tells, told) = mpsc::channel();
        runtime.block_on(async {
            let hog = tokio::task::spawn_blocking(move || freed.recv().is_err());
            let scope = WorkScope::new(CancellationToken::new());
            let waits = scope.spawn_blocking(move || tells.send(()));
            scope.abort();
            assert!(waits.await.unwrap().is_none());
            assert_eq!(scope.tracked(), 0);
            drop(free);
            assert!(hog.await.unwrap());
        });
        drop(runtime);
        assert!(told.recv().is_err(), "the closure never ran");
    }

    /// Nothing cancels the token, as when the thread that renews the lease is blocked.
    #[tokio::test(start_paused = true)]
    async fn work_past_its_deadline_is_dropped_at_its_next_poll() {
        let now = Instant::now();
        let [cancel, abort, expires] = [5, 9, 10].map(|at| now + Duration::from_secs(at));
        let scope =
            WorkScope::of_term(vec![], CancellationToken::new(), Term { cancel, abort, expires });
        let seen = Arc::new(Mutex::new((None, None)));
        let (log, token) = (seen.clone(), scope.token().clone());
        let work = scope.spawn(async move {
            loop {
                sleep(Duration::from_millis(100)).await;
                let mut seen = log.lock();
                seen.1 = Some(now.elapsed());
                if token.is_cancelled() && seen.0.is_none() {
                    seen.0 = Some(now.elapsed());
                }
            }
        });
        assert!(work.await.unwrap().is_none());
        let (told, last) = *seen.lock();
        assert_eq!(told, Some(Duration::from_secs(5)));
        assert!(last < Some(Duration::from_secs(9)), "{last:?}");
        assert_eq!(now.elapsed(), Duration::from_secs(9));
    }
}
