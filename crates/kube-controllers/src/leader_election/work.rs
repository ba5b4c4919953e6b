//! The work of a term, and the renewals for work that outlives the elector.

use std::any::Any;
use std::pin::pin;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::runtime::Handle;
use tokio::task::JoinError;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::client::LeaseClient;
use super::error::LeaderElectionError;
use super::machine::{LossCause, Machine, Step};
use super::state::LeadershipCell;
use super::{Outcome, now};
use crate::lease::{DROP_TIMEOUT, WorkScope};

/// The result of work, with everything that it tracks.
pub(super) enum WorkResult {
    /// All of it has ended.
    Whole,
    /// Some of it was dropped: by the elector, or by a runtime that shuts down.
    Dropped,
    /// The work panicked with this payload.
    Panicked(Box<dyn Any + Send>),
}

/// Begins the work of a term. Its future keeps its own output.
pub(super) type Lead = Box<dyn FnOnce(WorkScope) -> BoxFuture<'static, ()> + Send>;

/// The task that does the work, with everything that it tracks.
pub(super) struct Work {
    /// Aborts the task when it is dropped.
    pub(super) task: AbortOnDropHandle<()>,
    /// The result of the task, once it has ended.
    pub(super) result: Option<Result<(), JoinError>>,
    pub(super) scope: WorkScope,
}

impl Work {
    /// Waits until the task and everything that it tracks have ended. Cancel safe.
    pub(super) async fn wait_until_ended(&mut self) -> WorkResult {
        loop {
            match self.result.take() {
                None => {
                    let result = (&mut self.task).await;
                    // Tasks that the work spawned must learn of its end as well.
                    self.scope.token().cancel();
                    self.result = Some(result);
                }
                Some(result) if self.scope.end_if_idle() => {
                    return match result.map_err(JoinError::try_into_panic) {
                        Ok(()) if !self.scope.was_cut() => WorkResult::Whole,
                        Err(Ok(payload)) => WorkResult::Panicked(payload),
                        Ok(()) | Err(Err(_)) => WorkResult::Dropped,
                    };
                }
                Some(result) => {
                    self.result = Some(result);
                    self.scope.wait_until_idle().await;
                }
            }
        }
    }

    /// Drops the work at its current awaits.
    pub(super) fn abort(&self) {
        self.task.abort();
        self.scope.abort();
    }
}

/// The work of a term, which may outlive it by blocking a thread.
#[derive(Clone, Debug)]
pub(super) struct TermWork {
    /// Cancelled when the work's future has ended or was dropped.
    pub(super) gone: CancellationToken,
    pub(super) scope: WorkScope,
}

/// The outcome of a term. The work keeps its own output.
pub(super) type TermOutcome = Result<Outcome<()>, LeaderElectionError>;

/// The state of a term, for the code that watches the runtime that renews the lease.
#[derive(Clone, Debug)]
pub(super) enum TermState {
    /// This candidate does not lead.
    None,
    Works(TermWork),
    /// The work has ended with this outcome. The lease is released by this time.
    Releases(TermOutcome, Instant),
}

impl TermWork {
    /// Returns the value for an elector that has not led yet.
    pub(super) fn none() -> Self {
        let gone = CancellationToken::new();
        gone.cancel();
        Self { scope: WorkScope::new(gone.clone()), gone }
    }

    pub(super) async fn wait_until_ended(&self) {
        self.gone.cancelled().await;
        self.scope.wait_until_idle().await;
    }
}

/// A guard. Its drop renews the lease for work that outlives the elector's future.
///
/// A task of the runtime on which the elector ran renews it. The task ends with the work, or with
/// that runtime.
pub(super) struct RenewOnDrop {
    /// `None` if the future was not dropped while it led.
    pub(super) machine: Option<Machine>,
    pub(super) runtime: Handle,
    pub(super) lease: LeaseClient,
    pub(super) state: LeadershipCell,
    pub(super) work: TermWork,
}

impl Drop for RenewOnDrop {
    fn drop(&mut self) {
        let Some(machine) = self.machine.take() else { return };
        let (lease, state) = (self.lease.clone(), self.state.clone());
        let work = self.work.clone();
        let renewing = async move {
            let scope = &work.scope;
            // Dropped work normally ends at once.
            let mut ended = pin!(work.wait_until_ended());
            if timeout(DROP_TIMEOUT, &mut ended).await.is_ok() {
                return;
            }
            state.overdue(true);
            tracing::error!(
                lease = %lease.lease(),
                tracked = scope.tracked(),
                "the elector was dropped, but work that it led goes on; its lease is renewed until \
                 the work ends: end this process"
            );
            tokio::select! {
                biased;
                () = ended => {}
                cause = renew(&lease, machine, scope) => {
                    scope.end();
                    tracing::error!(lease = %lease.lease(), %cause, "lost the lease of work that goes on");
                }
            }
            state.overdue(false);
        };
        self.runtime.spawn(renewing.boxed());
    }
}

/// Renews the lease until it is lost.
async fn renew(lease: &LeaseClient, mut machine: Machine, scope: &WorkScope) -> LossCause {
    let mut request = lease.perform(Step::Wait(Duration::ZERO));
    while let Some(term) = machine.term() {
        tokio::select! {
            biased;
            () = sleep_until(term.cancel) => break,
            (outcome, error) = &mut request => {
                if let Some(error) = error {
                    tracing::warn!(%error, "leader election request failed, trying again");
                }
                match machine.next(outcome, now()) {
                    Step::Lost(cause) => return cause,
                    next => request = lease.perform(next),
                }
                if let Some(renewed) = machine.term() {
                    // The work was told to stop long ago.
                    let _told = scope.renew(renewed);
                }
            }
        }
    }
    machine.give_up()
}
