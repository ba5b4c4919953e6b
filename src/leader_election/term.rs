//! One term: standing in line, leading, and giving the lease back.

use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::error::{LeaderElectionError, WorkEnd};
use super::lease::Done;
use super::machine::{LossCause, Outcome as Answer, Step, Term};
use super::scope::WorkScope;
use super::state::LeadsNoMore;
use super::{LeaderElector, Outcome, now};
use crate::panic;

/// What a task that was awaited gave.
type Given<T> = Result<T, tokio::task::JoinError>;

/// The task that does the work, and what it tracks.
struct Work<T> {
    /// Dropped, it ends at its next await.
    task: AbortOnDropHandle<T>,
    /// Set when the task has ended.
    given: Option<Given<T>>,
    scope: WorkScope,
}

impl<T> Work<T> {
    /// Waits until the task and all it tracks have ended. Cancel safe.
    async fn over(&mut self) -> Given<T> {
        loop {
            match self.given.take() {
                None => {
                    let given = (&mut self.task).await;
                    // What the work spawned has to hear of it as well.
                    self.scope.token().cancel();
                    self.given = Some(given);
                }
                Some(given) if self.scope.tracked() == 0 => return given,
                Some(given) => {
                    self.given = Some(given);
                    self.scope.wait_until_idle().await;
                }
            }
        }
    }

    /// Drops the work at the awaits it is at.
    fn abort(&self) {
        self.task.abort();
        self.scope.abort();
    }
}

/// The work of the last term: there may be some that can't be dropped.
pub(super) struct LastWork {
    /// Cancelled when the task is gone.
    gone: CancellationToken,
    scope: WorkScope,
}

impl LastWork {
    /// That of an elector that has not led yet.
    pub(super) fn none() -> Self {
        let gone = CancellationToken::new();
        gone.cancel();
        Self { scope: WorkScope::new(gone.clone()), gone }
    }

    async fn over(&self) {
        self.gone.cancelled().await;
        self.scope.wait_until_idle().await;
    }
}

/// Why leading is over.
enum End<T> {
    /// The work has ended in this term.
    Work(Given<T>, Term),
    Lost(LossCause, Term),
    /// It was told to stop, and took too long.
    Overdue,
}

impl LeaderElector {
    /// Stands in line, and while it leads runs the work, once.
    ///
    /// As [`run_scoped`](Self::run_scoped), for work that is one future and spawns nothing: the work
    /// gets only the token of its scope.
    ///
    /// # Errors
    /// As [`run_scoped`](Self::run_scoped).
    ///
    /// # Panics
    /// Outside a tokio runtime with time enabled.
    pub async fn run<F, Fut>(
        &mut self,
        stop: CancellationToken,
        lead: F,
    ) -> Result<Outcome<Fut::Output>, LeaderElectionError>
    where
        F: FnOnce(CancellationToken) -> Fut + Send + 'static,
        Fut: Future<Output: Send + 'static> + Send + 'static,
    {
        self.run_scoped(stop, move |scope| lead(scope.token().clone())).await
    }

    /// Stands in line, and while it leads runs the work, once, within a [`WorkScope`].
    ///
    /// The work runs in a task of its own. It is over when its future and everything that its scope
    /// tracks have ended, their synchronous code included: only then is the lease given back.
    ///
    /// The scope's token is cancelled on `stop`, when leadership is lost, and when the future has
    /// ended. All work should then end soon: after a stop or the future's end it has the [stop
    /// timeout](super::LeaderElectorBuilder::stop_timeout), during which the lease is renewed;
    /// after a loss it has the rest of nine tenths of the lease duration; then it is dropped at the
    /// await it is at. Where the Lease already names somebody else it is dropped at once.
    ///
    /// Failed requests are no errors of this function: they are tried again, logged, and shown by
    /// [`leadership`](Self::leadership).
    ///
    /// Dropping the returned future drops the work, too; the lease is not given back then but runs
    /// out.
    ///
    /// # Errors
    /// If leadership was lost, after which `run` may be called again to stand in line; if the work
    /// panicked; if it can't be stopped because it blocks its thread. As long as it does, `run`
    /// refuses to lead with other work.
    ///
    /// # Panics
    /// Outside a tokio runtime with time enabled.
    pub async fn run_scoped<F, Fut>(
        &mut self,
        stop: CancellationToken,
        lead: F,
    ) -> Result<Outcome<Fut::Output>, LeaderElectionError>
    where
        F: FnOnce(WorkScope) -> Fut + Send + 'static,
        Fut: Future<Output: Send + 'static> + Send + 'static,
    {
        tokio::select! {
            biased;
            () = self.last.over() => {}
            () = stop.cancelled() => return Ok(Outcome::NeverLed),
            // Dropped work is gone in no time.
            () = sleep(self.lease.timeout()) => return Err(self.still_running()),
        }
        let Some(next) = self.acquire(&stop).await else { return Ok(Outcome::NeverLed) };
        tracing::info!(lease = %self.lease.lease(), identity = %self.identity, "leads");
        let scope = WorkScope::of_term(stop.child_token(), self.machine.term());
        let _ends = (scope.abort_on_drop(), LeadsNoMore(self.state.clone()));
        let gone = CancellationToken::new();
        self.last = LastWork { gone: gone.clone(), scope: scope.clone() };
        let mine = scope.clone();
        let mut work = Work {
            task: AbortOnDropHandle::new(tokio::spawn(async move {
                let _gone = gone.drop_guard();
                lead(mine).await
            })),
            given: None,
            scope: scope.clone(),
        };
        let end = self.hold(next, &mut work).await;
        scope.token().cancel();
        self.state.leads_no_more();
        tracing::info!(lease = %self.lease.lease(), identity = %self.identity, "leads no more");
        match end {
            End::Work(given, term) => self.conclude(given, term, &stop, &scope).await,
            End::Lost(cause, term) => self.lost(cause, term, work, &stop).await,
            End::Overdue => {
                work.abort();
                let Some(term) = self.machine.term() else { return Err(self.still_running()) };
                match timeout_at(term.abort, work.over()).await {
                    Ok(given) => self.conclude(given, term, &stop, &scope).await,
                    Err(_) => Err(self.still_running()),
                }
            }
        }
    }

    /// Stands in line. The first step of a leader; `None` if it was stopped before it became one.
    async fn acquire(&mut self, stop: &CancellationToken) -> Option<Step> {
        let mut next = self.machine.stand(now());
        loop {
            let writes = matches!(next, Step::Create(_) | Step::Replace(_));
            let mut doing = self.lease.perform(next);
            let (done, stopped) = tokio::select! {
                biased;
                () = stop.cancelled(), if !writes => return None,
                // What was asked for may be granted, and has to be given back then.
                done = &mut doing => (done, stop.is_cancelled()),
            };
            next = self.settle(done);
            if stopped {
                self.release().await;
                return None;
            }
            if self.machine.term().is_some() {
                self.state.update(&self.machine, true);
                return Some(next);
            }
            if matches!(next, Step::Lost(_)) {
                // Won too late to be worth anything.
                next = self.machine.stand(now());
            }
        }
    }

    /// Renews until the work is over or must be.
    async fn hold<T>(&mut self, next: Step, work: &mut Work<T>) -> End<T> {
        let leading = work.scope.token().clone();
        let mut doing = self.lease.perform(next);
        let mut stop_by = None;
        // A candidate has no term, but hold is for leaders: the time of none is over.
        while let Some(term) = self.machine.term() {
            tokio::select! {
                biased;
                given = work.over() => return End::Work(given, term),
                () = sleep_until(term.cancel) => {
                    return End::Lost(self.machine.give_up(), term);
                }
                // By a stop, or because the future has ended and something that it tracks has not.
                () = leading.cancelled(), if stop_by.is_none() => {
                    self.state.leads_no_more();
                    stop_by = Some(Instant::now() + self.stop_timeout);
                }
                () = sleep_until(stop_by.unwrap_or(term.expires)),
                    if stop_by.is_some() => return End::Overdue,
                done = &mut doing => {
                    match self.settle(done) {
                        Step::Lost(cause) => return End::Lost(cause, term),
                        next => doing = self.lease.perform(next),
                    }
                    if let Some(renewed) = self.machine.term() {
                        work.scope.renew(renewed);
                    }
                    self.state.update(&self.machine, stop_by.is_none());
                }
            }
        }
        End::Overdue
    }

    /// Ends the work of a leader that is none any more.
    async fn lost<T>(
        &mut self,
        cause: LossCause,
        term: Term,
        mut work: Work<T>,
        stop: &CancellationToken,
    ) -> Result<Outcome<T>, LeaderElectionError> {
        let abort = match cause {
            LossCause::RenewDeadline => term.abort,
            // Others may be at it already.
            _ => Instant::now(),
        };
        if cause != LossCause::RenewDeadline {
            work.scope.end();
        }
        let mut given = timeout_at(abort, work.over()).await;
        if given.is_err() {
            work.abort();
            // A task that is at an await is gone at once.
            given = timeout_at(term.expires, work.over()).await;
        }
        let late = term.expires <= Instant::now();
        let work = match given {
            Ok(given) if stop.is_cancelled() && !late => return self.ended(given, stop),
            Ok(given) => WorkEnd::of(given, late),
            Err(_) => (WorkEnd::StillRunning, None),
        };
        Err(self.loss(cause, work))
    }

    /// What to say of work that has ended in its term: the lease is given back, unless it has run
    /// out meanwhile.
    async fn conclude<T>(
        &mut self,
        given: Given<T>,
        term: Term,
        stop: &CancellationToken,
        scope: &WorkScope,
    ) -> Result<Outcome<T>, LeaderElectionError> {
        scope.end();
        if term.expires <= Instant::now() {
            let cause = self.machine.give_up();
            self.state.update(&self.machine, false);
            return Err(self.loss(cause, WorkEnd::of(given, true)));
        }
        self.release().await;
        self.ended(given, stop)
    }

    fn loss(
        &mut self,
        cause: LossCause,
        (work, panic): (WorkEnd, Option<String>),
    ) -> LeaderElectionError {
        if let Some(panic) = panic {
            tracing::error!(lease = %self.lease.lease(), %panic, "the work of a leader panicked");
        }
        let last_error = self.term_error.take();
        let lost = LeaderElectionError::Lost { lease: self.name(), cause, last_error, work };
        tracing::warn!(identity = %self.identity, "{lost}");
        lost
    }

    /// What to say of work that is over.
    fn ended<T>(
        &self,
        given: Given<T>,
        stop: &CancellationToken,
    ) -> Result<Outcome<T>, LeaderElectionError> {
        match given {
            Ok(value) if stop.is_cancelled() => Ok(Outcome::Stopped(Some(value))),
            Ok(value) => Ok(Outcome::Finished(value)),
            Err(error) => match error.try_into_panic() {
                Ok(payload) => {
                    let message = panic::into_message(payload);
                    Err(LeaderElectionError::Panicked { lease: self.name(), message })
                }
                // Dropped: by us, or by a runtime that shuts down.
                Err(_) => Ok(Outcome::Stopped(None)),
            },
        }
    }

    /// Gives the lease back, if that can be done within the time of one request. Otherwise it runs
    /// out.
    async fn release(&mut self) {
        if !self.release_on_stop {
            return;
        }
        let bound = self.lease.timeout();
        let releasing = async {
            let mut next = self.machine.release(now());
            while next != Step::Released {
                let done = self.lease.perform(next).await;
                next = self.settle(done);
            }
        };
        if timeout(bound, releasing).await.is_err() {
            let lease = self.lease.lease();
            tracing::warn!(%lease, identity = %self.identity, "not given back: it runs out");
        }
        self.state.update(&self.machine, false);
    }

    /// Notes what came of a step; the next one.
    fn settle(&mut self, (outcome, error): Done) -> Step {
        if matches!(outcome, Answer::Written(_)) {
            self.term_error = None;
        }
        if let Some(error) = error {
            tracing::warn!(identity = %self.identity, %error, "leader election");
            self.term_error = Some(error.clone());
            self.state.failed(error);
        }
        let next = self.machine.next(outcome, now());
        if self.machine.term().is_none() {
            self.state.update(&self.machine, false);
        }
        next
    }

    fn still_running(&self) -> LeaderElectionError {
        LeaderElectionError::StillRunning { lease: self.name() }
    }

    fn name(&self) -> std::sync::Arc<str> {
        self.lease.lease().clone()
    }
}
