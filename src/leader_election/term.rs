//! One term: standing in line, leading, and giving the lease back.

use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::error::{LeaderElectionError, WorkEnd};
use super::lease::Done;
use super::machine::{LossCause, Outcome as Answer, Step, Term};
use super::state::LeadsNoMore;
use super::{LeaderElector, Outcome, now};
use crate::panic;

/// The task that does the work. Dropped, it ends at its next await.
type Work<T> = AbortOnDropHandle<T>;

/// What a task that was awaited gave.
type Given<T> = Result<T, tokio::task::JoinError>;

/// Why leading is over.
enum End<T> {
    Work(Given<T>),
    Lost(LossCause, Term),
    /// It was told to stop, and took too long.
    Overdue,
}

impl LeaderElector {
    /// Stands in line, and while it leads runs the work, once.
    ///
    /// The work runs in a task of its own. Its token is cancelled on `stop` and when leadership is
    /// lost. It should then end soon: after a stop it has the [stop
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
    pub async fn run<F, Fut>(
        &mut self,
        stop: CancellationToken,
        lead: F,
    ) -> Result<Outcome<Fut::Output>, LeaderElectionError>
    where
        F: FnOnce(CancellationToken) -> Fut + Send + 'static,
        Fut: Future<Output: Send + 'static> + Send + 'static,
    {
        tokio::select! {
            biased;
            () = self.over.cancelled() => {}
            () = stop.cancelled() => return Ok(Outcome::NeverLed),
            // Dropped work is gone in no time.
            () = sleep(self.lease.timeout()) => return Err(self.still_running()),
        }
        let Some(next) = self.acquire(&stop).await else { return Ok(Outcome::NeverLed) };
        tracing::info!(lease = %self.lease.lease(), identity = %self.identity, "leads");
        let leading = stop.child_token();
        let _ends = (leading.clone().drop_guard(), LeadsNoMore(self.state.clone()));
        let token = leading.clone();
        self.over = CancellationToken::new();
        let over = self.over.clone().drop_guard();
        let mut work = Work::new(tokio::spawn(async move {
            let _over = over;
            lead(token).await
        }));
        let end = self.hold(next, &stop, &mut work).await;
        // What the work spawned has to hear of it as well.
        leading.cancel();
        self.state.leads_no_more();
        tracing::info!(lease = %self.lease.lease(), identity = %self.identity, "leads no more");
        match end {
            End::Work(given) => {
                self.release().await;
                self.ended(given, &stop)
            }
            End::Lost(cause, term) => self.lost(cause, term, work, &stop).await,
            End::Overdue => {
                work.abort();
                let by = self.machine.term().map_or_else(Instant::now, |term| term.abort);
                match timeout_at(by, &mut work).await {
                    Ok(given) => {
                        self.release().await;
                        self.ended(given, &stop)
                    }
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
    async fn hold<T>(
        &mut self,
        next: Step,
        stop: &CancellationToken,
        work: &mut Work<T>,
    ) -> End<T> {
        let mut doing = self.lease.perform(next);
        let mut stop_by = None;
        // A candidate has no term, but hold is for leaders: the time of none is over.
        while let Some(term) = self.machine.term() {
            tokio::select! {
                biased;
                given = &mut *work => return End::Work(given),
                () = sleep_until(term.cancel) => {
                    return End::Lost(self.machine.give_up(), term);
                }
                () = stop.cancelled(), if stop_by.is_none() => {
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
        let mut given = timeout_at(abort, &mut work).await;
        if given.is_err() {
            work.abort();
            // A task that is at an await is gone at once.
            given = timeout_at(term.expires, &mut work).await;
        }
        let work = match given {
            Ok(given) if stop.is_cancelled() => return self.ended(given, stop),
            Ok(Ok(_)) => WorkEnd::Ended,
            Ok(Err(error)) if error.is_panic() => WorkEnd::Panicked,
            Ok(Err(_)) => WorkEnd::Dropped,
            Err(_) => WorkEnd::StillRunning,
        };
        let last_error = self.term_error.take();
        let lost = LeaderElectionError::Lost { lease: self.name(), cause, last_error, work };
        tracing::warn!(identity = %self.identity, "{lost}");
        Err(lost)
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
                    let message = panic::message(&*payload).to_owned();
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
