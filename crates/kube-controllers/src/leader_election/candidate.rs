//! A candidate: becoming the leader, leading, and releasing the lease.

use std::future::pending;
use std::sync::Arc;

use futures::FutureExt;
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};

use super::client::{LeaseClient, StepResult};
use super::error::{LeaderElectionError, WorkEnd};
use super::machine::{LossCause, Machine, Step, StepOutcome};
use super::state::{LeadershipCell, StepDownOnDrop};
use super::work::{Lead, RenewOnDrop, TermWork, Work, WorkResult};
use super::{Ending, Outcome, now};
use crate::lease::{DROP_TIMEOUT, LeaseError, Term, WorkScope};
use kube_informer::seams::into_message;

/// The part of an elector that sends requests.
pub(super) struct Candidate {
    pub(super) lease: LeaseClient,
    pub(super) machine: Machine,
    pub(super) identity: Arc<str>,
    pub(super) state: LeadershipCell,
    /// The last failed request of this term; `None` after a request has succeeded.
    pub(super) term_error: Option<LeaseError>,
    pub(super) last: TermWork,
    pub(super) ending: Ending,
}

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

impl Candidate {
    /// Waits until this candidate leads, then runs the work once, on this runtime.
    pub(super) async fn run(
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

    fn name(&self) -> Arc<str> {
        self.lease.lease().clone()
    }
}
