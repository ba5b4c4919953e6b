//! One term, as the elector's caller sees it: the work, and who notices that its renewals hang.

use std::pin::pin;

use tokio::runtime::Handle;
use tokio::task::JoinError;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::error::{LeaderElectionError, WorkEnd};
use super::machine::LossCause;
use super::work::{Lead, TermState, TermWork};
use super::{LeaderElector, Outcome};
use crate::lease::{DROP_TIMEOUT, WorkScope};
use crate::tasks::Output;
use kube_informer::seams::catch;

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
