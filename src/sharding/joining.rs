//! Joining: the view that it waits for, and its pauses.

use tokio::time::Instant;

use super::machine::{Command, Machine, Subject};
use super::session::Join;

/// The largest number of times that the pause before a session doubles.
const MOST_JOIN_DOUBLINGS: u32 = 5;

/// The number of this replica's sessions that are remembered.
const PAST_SESSIONS: usize = 4;

impl Machine {
    /// Asks for a new list of the Leases, because the server may have been away.
    pub(super) fn doubt_view(&mut self) {
        if self.stopped.is_none() && std::mem::take(&mut self.sees) {
            self.out.push(Command::Look);
        }
    }

    /// Returns whether requests of a join may be sent. After a stop, they only clean up.
    pub(super) fn may_join(&self) -> bool {
        self.sees || self.stopped.is_some()
    }

    /// Pauses before the next session if sessions are lost without a renewal. Otherwise a replica
    /// that only fails to renew would take slots repeatedly.
    pub(super) fn note_loss(&mut self, now: Instant) {
        let Some(session) = self.session() else { return };
        let (uid, renewals) = (session.uid.clone(), session.renewals);
        self.past.push(uid);
        let surplus = self.past.len().saturating_sub(PAST_SESSIONS);
        self.past.drain(..surplus);
        self.fruitless = if renewals > 0 { 0 } else { self.fruitless.saturating_add(1) };
        if self.fruitless > 1 {
            let doublings = (self.fruitless - 1).min(MOST_JOIN_DOUBLINGS);
            let delay = self.rules.times.retry_period * (1 << doublings);
            let delay = delay.mul_f64(1.0 + self.rng.f64() / 4.0);
            self.joins_at = self.joins_at.max(Some(now + delay));
        }
    }

    pub(super) fn advance_join(&mut self, join: &mut Join, now: Instant) {
        if !self.may_join() {
            return;
        }
        if let Some(request) = join.due(now, self.stopped.is_some()) {
            let id = self.send(Subject::Member, request);
            join.sent(id, now);
        }
    }
}
