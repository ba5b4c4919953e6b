//! One term: becoming the leader, leading, and releasing the lease.

use std::future::pending;
use std::pin::pin;

use futures::FutureExt;
use tokio::runtime::Handle;
use tokio::task::JoinError;
use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};

use super::client::StepResult;
use super::error::{LeaderElectionError, WorkEnd};
use super::machine::{LossCause, Step, StepOutcome};
use super::state::StepDownOnDrop;
use super::work::{Lead, RenewOnDrop, TermState, TermWork, Work, WorkResult};
use super::{Candidate, LeaderElector, Outcome, now};
use crate::lease::{DROP_TIMEOUT, Term, WorkScope};
use crate::tasks::Output;
use kube_informer::seams::{catch, into_message};

/// The reason why leading ended.
enum End {
    /// The work ended in this term.
    Work(WorkResult, Term),
    Lost(LossCause, Term),
    /// The work exceeded the grace, cannot be dropped, and is to be abandoned.
    Overdue,
}

/// The progress of a stop.
#[derive(Clone, Copy)]
enum Stop {
    /// The work was not told to stop.
    No,
    /// The work is dropped at this time.
    Told(Instant),
    /// The work was dropped. At this time it is overdue.
    Dropped(Instant),
    /// The work cannot be dropped: it blocks a thread.
    Overdue,
}

impl Stop {
    /// Returns the time of the next phase.
    fn next(self) -> Option<Instant> {
        match self {
            Self::Told(at) | Self::Dropped(at) => Some(at),
            Self::No | Self::Overdue => None,
        }
    }
}

impl LeaderElector {
    /// Waits until this candidate leads, then runs the work once.
    ///
    /// Like [`run_scoped`](Self::run_scoped), for work that is one future and spawns nothing. The
    /// work receives the token of its scope.
    ///
    /// # Errors
    /// Returns the errors of [`run_scoped`](Self::run_scoped).
    ///
    /// # Panics
    /// Panics outside a tokio runtime with time enabled.
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

    /// Waits until this candidate leads, then runs the work once, within a [`WorkScope`].
    ///
    /// The work runs in its own task. It is over when its future and everything that its scope
    /// tracks have ended, their synchronous code included. The lease is released only then.
    ///
    /// The scope's token is cancelled on `stop`, when leadership is lost, and when the future has
    /// ended. The work must then end soon:
    ///
    /// - After a stop, or after the future's end, it has the
    ///   [grace](super::LeaderElectorBuilder::grace), during which the elector renews the lease.
    /// - After a loss it has the rest of nine tenths of the lease duration.
    /// - If the Lease already names another holder, it is dropped at once.
    ///
    /// Work that has not ended by then is dropped at its current await. Work that blocks a thread
    /// cannot be dropped: after a stop this function renews the lease and does not return before
    /// such work has ended. [`LeadershipState::overdue`](super::LeadershipState::overdue) shows it.
    /// [`abandon_blocked_work`](super::LeaderElectorBuilder::abandon_blocked_work) changes that.
    ///
    /// A failed request does not end this function. The elector logs it, tries again, and shows it
    /// in [`leadership`](Self::leadership).
    ///
    /// # Cancel safety
    ///
    /// Dropping the returned future drops the work. The lease is then not released but expires.
    /// While the work blocks a thread, a task of this runtime renews the lease. Nothing renews it
    /// once the runtime is dropped, which itself waits for closures of `spawn_blocking`: exit the
    /// process instead.
    ///
    /// # Errors
    /// - [`LeaderElectionError::Lost`] if leadership was lost; after a stop only if that dropped
    ///   the work, or if the work did not end in time. `run` may be called again.
    /// - [`LeaderElectionError::Panicked`] if the work panicked.
    /// - [`LeaderElectionError::StillRunning`] if blocked work is abandoned. Until work of an
    ///   earlier call has ended, every further call returns this error.
    ///
    /// # Panics
    /// Panics outside a tokio runtime with time enabled.
    pub async fn run_scoped<F, Fut>(
        &mut self,
        stop: CancellationToken,
        lead: F,
    ) -> Result<Outcome<Fut::Output>, LeaderElectionError>
    where
        F: FnOnce(WorkScope) -> Fut + Send + 'static,
        Fut: Future<Output: Send + 'static> + Send + 'static,
    {
        let output = Output::default();
        let place = output.clone();
        let outcome = self.run_erased(stop, Box::new(move |scope| place.of(lead(scope)))).await;
        let output = output.take();
        match outcome {
            Ok(Outcome::NeverLed) => Ok(Outcome::NeverLed),
            Ok(Outcome::Stopped(done)) => Ok(Outcome::Stopped(done.and(output))),
            Ok(Outcome::Finished(())) => {
                Ok(output.map_or(Outcome::Stopped(None), Outcome::Finished))
            }
            Err(error) => {
                if let Err(panic) = catch(|| drop(output)) {
                    tracing::error!(
                        lease = %self.lease,
                        %panic,
                        "the output of a leader's work panicked when it was dropped"
                    );
                }
                Err(error)
            }
        }
    }

    /// Runs work whose output is put elsewhere. So a term is compiled once.
    async fn run_erased(
        &mut self,
        stop: CancellationToken,
        lead: Lead,
    ) -> Result<Outcome<()>, LeaderElectionError> {
        let (work_on, ending) = (Handle::current(), self.ending);
        let (candidate, watched) = (self.candidate.clone(), stop.clone());
        let around = self.around.clone();
        let result = Output::default();
        let running = async move {
            // Free, unless the task of a dropped call has not ended yet.
            let mut candidate = candidate.lock_owned().await;
            candidate.ending = ending;
            candidate.run(stop, lead, &work_on, around).await
        };
        let Some(runtime) = &self.renews_on else { return running.await };
        let running = AbortOnDropHandle::new(runtime.spawn(result.of(running)));
        let ended = tokio::select! {
            biased;
            ended = running => ended,
            hangs = self.renewals_hang(&watched) => return match hangs {
                TermState::None => Ok(Outcome::NeverLed),
                TermState::Works(work) => Err(self.not_renewed(self.drop_work(&work).await)),
                TermState::Releases(outcome, _) => outcome,
            },
        };
        if let Err(Ok(payload)) = ended.map_err(JoinError::try_into_panic) {
            std::panic::resume_unwind(payload);
        }
        if let Some(ended) = result.take() {
            return ended;
        }
        tracing::error!(
            lease = %self.lease,
            identity = %self.identity,
            "the runtime that renews the lease was shut down"
        );
        // Free, unless the task of a dropped call blocks its thread.
        let term = self.candidate.try_lock().map(|candidate| candidate.last.clone());
        let work = match term {
            Ok(term) => self.drop_work(&term).await,
            Err(_) => WorkEnd::StillRunning,
        };
        // A caller that tries again at once would spin.
        let _paused = watched.run_until_cancelled(sleep(self.request_timeout)).await;
        Err(self.not_renewed(work))
    }

    /// Returns the error for a term whose renewals have ended without the candidate.
    fn not_renewed(&self, work: WorkEnd) -> LeaderElectionError {
        let (lease, cause) = (self.lease.clone(), LossCause::RenewDeadline);
        LeaderElectionError::Lost { lease, cause, last_error: None, work }
    }

    /// Drops the work of a term whose renewals have ended without the candidate.
    async fn drop_work(&self, work: &TermWork) -> WorkEnd {
        work.scope.end();
        self.state.step_down();
        let ended = timeout(DROP_TIMEOUT, work.wait_until_ended()).await.is_ok();
        if ended { WorkEnd::Dropped } else { WorkEnd::StillRunning }
    }

    /// Waits until the runtime that renews the lease hangs: a term has expired, its lease was not
    /// released in time, or the elector was stopped and never led. Returns the state of that term.
    async fn renewals_hang(&self, stop: &CancellationToken) -> TermState {
        let mut terms = self.state.term();
        // One request may be on its way, and another that releases the lease.
        let stopped = async {
            stop.cancelled().await;
            sleep(2 * self.request_timeout + DROP_TIMEOUT).await;
        };
        let mut stopped = pin!(stopped);
        let (mut is_stopped, mut has_led) = (false, false);
        let hangs = loop {
            let term = terms.borrow_and_update().clone();
            let ends = match &term {
                TermState::None => None,
                TermState::Works(work) => work.scope.expires(),
                TermState::Releases(_, until) => Some(*until),
            };
            has_led |= ends.is_some();
            let overdue = ends.map(|end| end + DROP_TIMEOUT);
            if overdue.is_some_and(|at| at <= Instant::now()) || (is_stopped && !has_led) {
                break term;
            }
            tokio::select! {
                biased;
                () = &mut stopped, if !is_stopped => is_stopped = true,
                _ = terms.changed() => {}
                () = sleep_until(overdue.unwrap_or_else(Instant::now)), if overdue.is_some() => {}
            }
        };
        tracing::error!(
            lease = %self.lease,
            identity = %self.identity,
            "the runtime that renews the lease hangs: something blocks its thread"
        );
        // A further call waits for the candidate, and not for the end of this term.
        self.state.end_term();
        hangs
    }
}

impl Candidate {
    /// Waits until this candidate leads, then runs the work once, on this runtime.
    async fn run(
        &mut self,
        stop: CancellationToken,
        lead: Lead,
        work_on: &Handle,
        around: Vec<TaskTracker>,
    ) -> Result<Outcome<()>, LeaderElectionError> {
        tokio::select! {
            biased;
            () = self.last.wait_until_ended() => {}
            () = stop.cancelled() => return Ok(Outcome::NeverLed),
            // Dropped work normally ends at once.
            () = sleep(self.lease.timeout()) => return Err(self.still_running()),
        }
        let Some((next, term)) = self.acquire(&stop).await else { return Ok(Outcome::NeverLed) };
        tracing::info!(lease = %self.lease.lease(), identity = %self.identity, "leads");
        let scope = WorkScope::of_term(around, stop.child_token(), term);
        let _ends = (scope.end_on_drop(), StepDownOnDrop(self.state.clone()));
        let gone = CancellationToken::new();
        self.last = TermWork { gone: gone.clone(), scope: scope.clone() };
        self.state.begin_work(self.last.clone());
        let (mine, guard) = (scope.clone(), (gone.drop_guard(), scope.outer_tokens()));
        let leading = async move {
            let scope = mine.clone();
            let ended = scope.run_until_aborted(lead(mine)).await;
            drop(guard);
            if ended.is_none() {
                // The elector drops this task.
                pending::<()>().await;
            }
        };
        let mut work = Work {
            task: AbortOnDropHandle::new(work_on.spawn(leading.boxed())),
            result: None,
            scope: scope.clone(),
        };
        let mut renews = RenewOnDrop {
            machine: None,
            runtime: Handle::current(),
            lease: self.lease.clone(),
            state: self.state.clone(),
            work: self.last.clone(),
        };
        let end = self.hold(next, &mut work, &mut renews).await;
        renews.machine = None;
        self.state.overdue(false);
        scope.token().cancel();
        self.state.step_down();
        tracing::info!(lease = %self.lease.lease(), identity = %self.identity, "stopped leading");
        match end {
            End::Work(result, term) => self.conclude(result, term, &stop, &scope).await,
            End::Lost(cause, term) => self.lost(cause, term, work, &stop).await,
            End::Overdue => {
                work.abort();
                let Some(term) = self.machine.term() else { return Err(self.still_running()) };
                match timeout_at(term.abort, work.wait_until_ended()).await {
                    Ok(result) => self.conclude(result, term, &stop, &scope).await,
                    Err(_) => Err(self.still_running()),
                }
            }
        }
    }

    /// Waits for the lease. Returns the first step of a leader, and its term; `None` if stopped
    /// first.
    async fn acquire(&mut self, stop: &CancellationToken) -> Option<(Step, Term)> {
        let mut next = self.machine.start_candidacy(now());
        loop {
            let writes = matches!(next, Step::Create(_) | Step::Replace(_));
            let mut request = self.lease.perform(next);
            let (done, stopped) = tokio::select! {
                biased;
                () = stop.cancelled(), if !writes => return None,
                // The server may execute the write, and then the lease must be released.
                done = &mut request => (done, stop.is_cancelled()),
            };
            next = self.record_outcome(done);
            if stopped {
                self.release().await;
                return None;
            }
            if let Some(term) = self.machine.term() {
                self.state.update(&self.machine, true);
                return Some((next, term));
            }
            if matches!(next, Step::Lost(_)) {
                // The lease was acquired too late to lead.
                next = self.machine.start_candidacy(now());
            }
        }
    }

    /// Renews the lease until the work has ended or must end.
    async fn hold(&mut self, next: Step, work: &mut Work, renews: &mut RenewOnDrop) -> End {
        let leading = work.scope.token().clone();
        let mut request = self.lease.perform(next);
        let mut stop = Stop::No;
        // Only a leader calls this. Without a term, its time is over.
        while let Some(term) = self.machine.term() {
            renews.machine = (!self.ending.abandons_blocked).then(|| self.machine.clone());
            tokio::select! {
                biased;
                result = work.wait_until_ended() => return End::Work(result, term),
                () = sleep_until(term.cancel) => {
                    return End::Lost(self.machine.give_up(), term);
                }
                // Cancelled by a stop, or because the future has ended before something that it
                // tracks.
                () = leading.cancelled(), if matches!(stop, Stop::No) => {
                    self.state.step_down();
                    stop = Stop::Told(Instant::now() + self.ending.grace);
                }
                () = sleep_until(stop.next().unwrap_or(term.expires)), if stop.next().is_some() => {
                    if let Stop::Told(_) = stop {
                        work.abort();
                        stop = Stop::Dropped(Instant::now() + DROP_TIMEOUT);
                        continue;
                    }
                    if self.ending.abandons_blocked {
                        return End::Overdue;
                    }
                    stop = Stop::Overdue;
                    self.state.overdue(true);
                    tracing::error!(
                        lease = %self.lease.lease(),
                        tracked = work.scope.tracked(),
                        grace = ?self.ending.grace,
                        "the work of a leader exceeded its grace and blocks a thread; its \
                         lease is renewed until the work ends: end this process"
                    );
                }
                done = &mut request => {
                    match self.record_outcome(done) {
                        Step::Lost(cause) => return End::Lost(cause, term),
                        next => request = self.lease.perform(next),
                    }
                    if let Some(renewed) = self.machine.term()
                        && !work.scope.renew(renewed)
                        && matches!(stop, Stop::No)
                    {
                        return End::Lost(self.machine.give_up(), renewed);
                    }
                    self.state.update(&self.machine, matches!(stop, Stop::No));
                }
            }
        }
        End::Overdue
    }

    /// Ends the work after leadership was lost.
    async fn lost(
        &mut self,
        cause: LossCause,
        term: Term,
        mut work: Work,
        stop: &CancellationToken,
    ) -> Result<Outcome<()>, LeaderElectionError> {
        let abort = match cause {
            LossCause::RenewDeadline => term.abort,
            // Another replica may lead already.
            _ => Instant::now(),
        };
        if cause != LossCause::RenewDeadline {
            work.scope.end();
        }
        let mut result = timeout_at(abort, work.wait_until_ended()).await;
        if result.is_err() {
            work.abort();
            // A task that is at an await ends at once.
            result = timeout_at(term.expires, work.wait_until_ended()).await;
        }
        let late = term.expires <= Instant::now();
        let is_dropped = matches!(result, Ok(WorkResult::Dropped));
        let work = match result {
            // The loss did not cut it short.
            Ok(result) if stop.is_cancelled() && !late && !is_dropped => {
                return self.ended(result, stop);
            }
            Ok(result) => WorkEnd::of(result, late),
            Err(_) => (WorkEnd::StillRunning, None),
        };
        Err(self.lost_error(cause, work))
    }

    /// Returns the outcome of work that ended in its term. Releases the lease, unless it has
    /// expired meanwhile.
    async fn conclude(
        &mut self,
        result: WorkResult,
        term: Term,
        stop: &CancellationToken,
        scope: &WorkScope,
    ) -> Result<Outcome<()>, LeaderElectionError> {
        scope.end();
        if term.expires <= Instant::now() {
            let cause = self.machine.give_up();
            self.state.update(&self.machine, false);
            return Err(self.lost_error(cause, WorkEnd::of(result, true)));
        }
        let outcome = if scope.ran_out() && !stop.is_cancelled() {
            let work = WorkEnd::of(result, false);
            Err(self.lost_error(LossCause::RenewDeadline, work))
        } else {
            self.ended(result, stop)
        };
        self.state.begin_release(outcome.clone(), Instant::now() + 2 * self.lease.timeout());
        self.release().await;
        outcome
    }

    fn lost_error(
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

    /// Converts the result of the work.
    fn ended(
        &self,
        result: WorkResult,
        stop: &CancellationToken,
    ) -> Result<Outcome<()>, LeaderElectionError> {
        match result {
            WorkResult::Whole if stop.is_cancelled() => Ok(Outcome::Stopped(Some(()))),
            WorkResult::Whole => Ok(Outcome::Finished(())),
            WorkResult::Dropped => Ok(Outcome::Stopped(None)),
            WorkResult::Panicked(payload) => {
                let message = into_message(payload);
                Err(LeaderElectionError::Panicked { lease: self.name(), message })
            }
        }
    }

    /// Releases the lease, within the timeout of one request. Otherwise it expires.
    async fn release(&mut self) {
        if !self.ending.release_on_stop {
            return;
        }
        let bound = self.lease.timeout();
        let releasing = async {
            let mut next = self.machine.release(now());
            while next != Step::Released {
                let done = self.lease.perform(next).await;
                next = self.record_outcome(done);
            }
        };
        if timeout(bound, releasing).await.is_err() {
            let lease = self.lease.lease();
            tracing::warn!(%lease, identity = %self.identity, "cannot release the lease in time; it expires");
        }
        self.state.update(&self.machine, false);
    }

    /// Records the outcome of a step, and returns the next step.
    fn record_outcome(&mut self, (outcome, error): StepResult) -> Step {
        if matches!(outcome, StepOutcome::Written(_)) {
            self.term_error = None;
        }
        if let Some(error) = error {
            tracing::warn!(identity = %self.identity, %error, "leader election request failed, trying again");
            self.term_error = Some(error.clone());
            self.state.failed(error);
        }
        let known = self.machine.has_namesake();
        let next = self.machine.next(outcome, now());
        // A leader that gives way is told of as a loss.
        if !known && self.machine.has_namesake() && !self.machine.gave_way() {
            tracing::warn!(
                lease = %self.lease.lease(),
                identity = %self.identity,
                "another process renews the lease under the identity of this candidate, which \
                 waits until the lease is released or expires: give each its own identity"
            );
        }
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
