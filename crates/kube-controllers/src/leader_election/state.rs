//! The published state of an election.

use std::sync::Arc;

use serde::Serialize;
use tokio::sync::watch;
use tokio::time::Instant;

use super::machine::Machine;
use super::work::{TermOutcome, TermState, TermWork};
use crate::controller::metrics::LEADER_ELECTION_MASTER;
use crate::lease::LeaseError;
use kube_informer::seams::{Level, MetricLabels};

/// The leadership as this candidate knows it. The error serializes as its message.
///
/// The reason why no candidate leads, if only a person can resolve it:
///
/// ```
/// use kube_controllers::leader_election::{LeadershipState, LeaseError, LeaseFault, LeaseVerb};
///
/// fn problem(state: &LeadershipState) -> Option<String> {
///     let permanent = |error: &&LeaseError| state.leader.is_none() && error.is_permanent();
///     let error = state.last_error.as_ref().filter(permanent)?;
///     Some(match (error.verb(), error.fault()) {
///         (LeaseVerb::Create, LeaseFault::Refused(status)) if status.code == 404 => {
///             format!("create the namespace of lease {}", error.lease())
///         }
///         (verb, LeaseFault::Refused(status)) if status.code == 403 => {
///             format!("allow {verb} on leases.coordination.k8s.io")
///         }
///         _ => error.to_string(),
///     })
/// }
/// ```
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct LeadershipState {
    /// The holder that the Lease named when it was last read; `None` if it named none or was not
    /// read yet. A leader that vanished stays here until another takes its place.
    pub leader: Option<Arc<str>>,
    /// True while this candidate leads: from its acquisition until its work is told to stop.
    pub is_leader: bool,
    /// True while work that exceeded its grace blocks a thread. The lease is renewed for it,
    /// so no other candidate leads: end this process.
    pub overdue: bool,
    /// True while another process is seen to renew the Lease under the identity of this candidate,
    /// which therefore does not lead: give each replica its own identity.
    pub same_identity: bool,
    /// True if this candidate led until it saw that.
    #[serde(skip)]
    pub(crate) gave_way: bool,
    /// The number of times the Lease changed its holder.
    pub transitions: u32,
    /// The number of failed requests about the Lease.
    pub errors: u64,
    /// The last failed request. It stays when requests succeed again.
    pub last_error: Option<LeaseError>,
}

/// The writing half of the state. Clones are cheap.
#[derive(Clone, Debug)]
pub(super) struct LeadershipCell {
    state: watch::Sender<LeadershipState>,
    term: watch::Sender<TermState>,
    leads: Arc<Level>,
}

impl LeadershipCell {
    pub(super) fn new(lease: &str) -> Self {
        let labels = MetricLabels::new(&[("name", lease)]);
        Self {
            state: watch::Sender::new(LeadershipState::default()),
            term: watch::Sender::new(TermState::None),
            leads: Arc::new(Level::new(LEADER_ELECTION_MASTER, &labels)),
        }
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<LeadershipState> {
        self.state.subscribe()
    }

    /// Returns a receiver of the state of the term.
    pub(super) fn term(&self) -> watch::Receiver<TermState> {
        self.term.subscribe()
    }

    pub(super) fn begin_work(&self, work: TermWork) {
        self.term.send_replace(TermState::Works(work));
    }

    /// Notes the outcome of the term's work, and the time by which the lease is released.
    pub(super) fn begin_release(&self, outcome: TermOutcome, until: Instant) {
        self.term.send_replace(TermState::Releases(outcome, until));
    }

    pub(super) fn end_term(&self) {
        self.term.send_replace(TermState::None);
    }

    /// Publishes the state. Wakes readers only when the leadership changed, not for renewals.
    pub(super) fn update(&self, machine: &Machine, is_leader: bool) {
        self.state.send_if_modified(|state| {
            let leader = machine.leader();
            let own =
                (is_leader, machine.transitions(), machine.has_namesake(), machine.gave_way());
            let before = (state.is_leader, state.transitions, state.same_identity, state.gave_way);
            let same = state.leader.as_ref() == leader && own == before;
            if !same {
                state.leader = leader.cloned();
                (state.is_leader, state.transitions, state.same_identity, state.gave_way) = own;
            }
            !same
        });
        self.publish();
    }

    pub(super) fn failed(&self, error: LeaseError) {
        self.state.send_modify(|state| {
            state.errors += 1;
            state.last_error = Some(error);
        });
    }

    /// Publishes whether work that was told to stop blocks a thread.
    pub(super) fn overdue(&self, overdue: bool) {
        self.state
            .send_if_modified(|state| std::mem::replace(&mut state.overdue, overdue) != overdue);
    }

    pub(super) fn step_down(&self) {
        self.state.send_if_modified(|state| std::mem::take(&mut state.is_leader));
        self.publish();
    }

    fn publish(&self) {
        self.leads.set(|| usize::from(self.state.borrow().is_leader));
    }
}

/// A guard that publishes the end of a term, even if the elector's future was dropped.
#[derive(Debug)]
pub(super) struct StepDownOnDrop(pub(super) LeadershipCell);

impl Drop for StepDownOnDrop {
    fn drop(&mut self) {
        self.0.step_down();
        self.0.end_term();
    }
}
