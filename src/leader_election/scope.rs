//! The scope of work that only a leader may do.

use std::fmt;
use std::sync::Arc;

use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::machine::Term;
use crate::sync::Mutex;

/// The bounds of work that is done while leading: a token, a deadline, and everything that has to
/// end before the lease is given back. A cheap clone; all clones are one scope.
///
/// The elector awaits the future that [`run_scoped`](super::LeaderElector::run_scoped) was given.
/// Work beside it, in other tasks or on other threads, counts only if it is tracked:
///
/// ```no_run
/// use kube_informer::leader_election::{LeaderElector, WorkScope};
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
#[derive(Clone)]
pub struct WorkScope(Arc<Inner>);

struct Inner {
    /// Tells the work to stop.
    token: CancellationToken,
    /// Drops what is tracked.
    aborted: CancellationToken,
    tracker: TaskTracker,
    bounds: Mutex<Option<Bounds>>,
}

/// What the last renewal allows.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// Before this a piece of work may begin.
    begin: Instant,
    /// Before this every piece of work has to be over.
    end: Instant,
}

/// Keeps the elector from giving the lease back until it is dropped. It does not keep the lease from
/// running out: watch [`WorkScope::is_over`].
#[derive(Debug)]
#[must_use = "the scope does not wait for work whose guard is dropped"]
pub struct ScopeGuard {
    _token: TaskTrackerToken,
}

impl WorkScope {
    /// A scope without a lease, for work that needs none: it has no deadline, and no more work
    /// begins when the token is cancelled.
    pub fn new(token: CancellationToken) -> Self {
        Self::with_bounds(token, None)
    }

    pub(super) fn of_term(token: CancellationToken, term: Option<Term>) -> Self {
        // A candidate without a term leads nothing: its time is over.
        let now = Instant::now();
        let bounds = term.map_or(Bounds { begin: now, end: now }, Bounds::of);
        Self::with_bounds(token, Some(bounds))
    }

    fn with_bounds(token: CancellationToken, bounds: Option<Bounds>) -> Self {
        let tracker = TaskTracker::new();
        // Whoever waits for it waits until it is empty; it still takes tasks.
        tracker.close();
        let bounds = Mutex::new(bounds);
        Self(Arc::new(Inner { token, aborted: CancellationToken::new(), tracker, bounds }))
    }

    /// Returns the token that tells the work to stop: on a stop, and when leadership is lost.
    pub fn token(&self) -> &CancellationToken {
        &self.0.token
    }

    /// Returns the time by which all work must have ended; `None` without a lease.
    ///
    /// A renewal moves it forward; losing the lease or giving it back moves it to now. Under the
    /// [module's assumptions](super), nobody else leads before it.
    pub fn deadline(&self) -> Option<Instant> {
        self.0.bounds.lock().map(|bounds| bounds.end)
    }

    /// Returns whether another piece of work may begin now: the token is not cancelled, and the
    /// lease was renewed in time.
    ///
    /// Compares the clock with the lease, because a blocked thread or a suspended process may pass the
    /// time before anything cancels the token.
    pub fn may_begin(&self) -> bool {
        let begin = self.0.bounds.lock().map(|bounds| bounds.begin);
        !self.0.token.is_cancelled() && begin.is_none_or(|begin| Instant::now() < begin)
    }

    /// Returns whether another replica may lead now: the deadline has passed or the lease was given back.
    /// Do not begin writes then. Always `false` without a lease.
    pub fn is_over(&self) -> bool {
        self.deadline().is_some_and(|deadline| deadline <= Instant::now())
    }

    /// Makes a future part of the scope: the elector does not give the lease back before the future has
    /// ended or was dropped, its synchronous code included. Run it in any task.
    ///
    /// Returns `None` if the future was dropped: after the stop timeout, when the lease was lost, or when
    /// the elector was dropped.
    pub fn track<F: Future>(&self, future: F) -> impl Future<Output = Option<F::Output>> + use<F> {
        let aborted = self.0.aborted.clone();
        // The tracker's mark is dropped after the future, also if that was never polled.
        self.0.tracker.track_future(async move { aborted.run_until_cancelled(future).await })
    }

    /// Spawns a task that is [tracked](Self::track).
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn spawn<F>(&self, future: F) -> JoinHandle<Option<F::Output>>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        tokio::spawn(self.track(future))
    }

    /// Keeps the scope open until the guard is dropped, for work that is no future: a thread, a
    /// blocking call.
    pub fn guard(&self) -> ScopeGuard {
        ScopeGuard { _token: self.0.tracker.token() }
    }

    /// Returns how many futures and guards are tracked.
    pub fn tracked(&self) -> usize {
        self.0.tracker.len()
    }

    /// Waits until nothing is tracked. Cancel safe. A tracked future must not wait for this.
    pub async fn wait_until_idle(&self) {
        self.0.tracker.wait().await;
    }

    /// The lease was renewed.
    pub(super) fn renew(&self, term: Term) {
        *self.0.bounds.lock() = Some(Bounds::of(term));
    }

    /// The deadline has come: another may lead from now on.
    pub(super) fn end(&self) {
        let now = Instant::now();
        if let Some(bounds) = &mut *self.0.bounds.lock() {
            bounds.begin = bounds.begin.min(now);
            bounds.end = bounds.end.min(now);
        }
    }

    /// Drops what is tracked, at the await it is at.
    pub(super) fn abort(&self) {
        self.0.aborted.cancel();
    }

    /// Tells the work to stop, and drops what is tracked, when this is dropped.
    pub(super) fn abort_on_drop(&self) -> (DropGuard, DropGuard) {
        (self.0.token.clone().drop_guard(), self.0.aborted.clone().drop_guard())
    }
}

impl Bounds {
    fn of(term: Term) -> Self {
        Self { begin: term.cancel, end: term.abort }
    }
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
