//! Who leads, for whoever wants to know.

use std::sync::Arc;

use serde::Serialize;
use tokio::sync::watch;

use super::error::LeaseError;
use super::machine::Machine;
use crate::metrics::{LEADER_ELECTION_MASTER, Level, MetricLabels};

/// Who leads, as this candidate knows it. Serialised, the error is its message.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct LeadershipState {
    /// Whom the Lease named as its holder when it was last read; `None` where nobody, and before it
    /// was read. A leader that vanished is named until another takes its place.
    pub leader: Option<Arc<str>>,
    /// Whether this candidate leads: from its acquisition until its work was told to stop.
    pub is_leader: bool,
    /// How often the Lease went from one holder to another.
    pub transitions: u32,
    /// How many requests about the Lease failed.
    pub errors: u64,
    /// The last of them. It stays when requests succeed again.
    pub last_error: Option<LeaseError>,
}

/// The state as the elector writes it. A cheap clone.
#[derive(Clone, Debug)]
pub(super) struct StateBoard {
    state: watch::Sender<LeadershipState>,
    leads: Arc<Level>,
}

impl StateBoard {
    pub(super) fn new(lease: &str) -> Self {
        let labels = MetricLabels::new([("name", lease)]);
        Self {
            state: watch::Sender::new(LeadershipState::default()),
            leads: Arc::new(Level::new(LEADER_ELECTION_MASTER, &labels)),
        }
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<LeadershipState> {
        self.state.subscribe()
    }

    /// Wakes readers only if who leads has changed; renewals do not.
    pub(super) fn update(&self, machine: &Machine, is_leader: bool) {
        self.state.send_if_modified(|state| {
            let leader = machine.leader();
            let transitions = machine.transitions();
            let same = state.leader.as_ref() == leader
                && state.is_leader == is_leader
                && state.transitions == transitions;
            if !same {
                state.leader = leader.cloned();
                state.is_leader = is_leader;
                state.transitions = transitions;
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

    pub(super) fn leads_no_more(&self) {
        self.state.send_if_modified(|state| std::mem::take(&mut state.is_leader));
        self.publish();
    }

    fn publish(&self) {
        self.leads.set(|| usize::from(self.state.borrow().is_leader));
    }
}

/// However a term ends, also when nobody polls it any more, readers learn of it.
#[derive(Debug)]
pub(super) struct LeadsNoMore(pub(super) StateBoard);

impl Drop for LeadsNoMore {
    fn drop(&mut self) {
        self.0.leads_no_more();
    }
}
