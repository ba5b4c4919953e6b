//! Joining and losing: the view that a join waits for, its pauses, and the Leases that it leaves.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::machine::{Command, LeaseAnswer, Machine, Phase, RequestFailure, Subject, min};
use super::pause;
use super::record;
use super::session::{Join, Joined};
use super::trouble::{Loss, Trouble};
use crate::lease::margin;

/// The largest number of times that the pause before a session doubles.
const MOST_JOIN_DOUBLINGS: u32 = 5;

/// The number of this replica's member Leases that are remembered.
const OWN_LEASES: usize = 8;

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

    /// Begins a join under a new name.
    pub(super) fn join(&mut self, now: Instant) -> Join {
        // Sessions that are lost at once, for example to a replica of the same identity, must not
        // flood the server.
        self.joins_at = Some(now + self.rules.times.retry_period);
        let name: Arc<str> = record::member_name(&self.rules.group, self.rng.u64(..));
        if self.own.len() == OWN_LEASES {
            self.own.remove(0);
        }
        self.own.push(name.clone());
        let mut join = Join::new(name, now);
        self.advance_join(&mut join, now);
        join
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

    /// Takes an answer to a request of a join. Returns the next phase.
    pub(super) fn join_answered(
        &mut self,
        mut join: Join,
        id: u64,
        answer: LeaseAnswer,
        now: Instant,
    ) -> Phase {
        let asked = match answer {
            LeaseAnswer::Failed(RequestFailure::Throttled(asked)) => asked,
            _ => Duration::ZERO,
        };
        if join.awaits(id) && answer == LeaseAnswer::Failed(RequestFailure::Unknown) {
            self.doubt_view();
        }
        let view = self.view.as_deref();
        let shown = view.is_some_and(|view| view.members.iter().any(|m| *m.name == *join.name()));
        match join.answered(id, answer, shown, &self.rules, now) {
            Joined::Began(session) => {
                self.counts.sessions += 1;
                // Others may have had the same outage, and join again at this moment.
                self.silence.restart(now);
                Phase::Live(session)
            }
            // A stopped member only makes sure that no Lease is left.
            Joined::Failed if self.stopped.is_none() => {
                self.pause_joins(false, now);
                let pause = pause::pause_for(asked, self.rules.times.retry_period);
                self.joins_at = self.joins_at.max((!asked.is_zero()).then_some(now + pause));
                Phase::Waiting
            }
            Joined::NotYet | Joined::Failed => Phase::Joining(join),
        }
    }

    /// Pauses before the next join if joins fail, or sessions are lost without a renewal. Otherwise
    /// a replica that cannot work would get slots repeatedly.
    fn pause_joins(&mut self, renewed: bool, now: Instant) {
        self.fruitless = if renewed { 0 } else { self.fruitless.saturating_add(1) };
        if self.is_pausing() {
            let doublings = (self.fruitless - 1).min(MOST_JOIN_DOUBLINGS);
            let delay = self.rules.times.retry_period * (1 << doublings);
            let delay = delay.mul_f64(1.0 + self.rng.f64() / 4.0);
            self.joins_at = self.joins_at.max(Some(now + delay));
        }
    }

    /// Returns whether more than one join in a row was in vain.
    fn is_pausing(&self) -> bool {
        self.fruitless > 1
    }

    /// Deletes the Leases that this replica left, so that others get its share while it pauses.
    pub(super) fn delete_left(&mut self, now: Instant) {
        let Some(view) = self.view.clone().filter(|_| self.sees && self.is_pausing()) else {
            return;
        };
        let left = self.silence.left(&self.own, &view, now);
        self.delete(left);
    }

    /// Returns the time of the next request without a session.
    pub(super) fn waits_until(&self) -> Option<Instant> {
        let view = self.view.as_deref().filter(|_| self.sees)?;
        let left = self.silence.left_at(&self.own, view).filter(|_| self.is_pausing());
        min(self.joins_at, left)
    }

    /// Ends the session. The work has to end at once if its slots may belong to others already.
    pub(super) fn lose(&mut self, loss: Loss, now: Instant) {
        let (Some(term), Some(session)) = (self.term(), self.session()) else { return };
        let at_once = loss != Loss::Late || now >= term.abort;
        let (name, renewed) = (session.name.clone(), session.renewals > 0);
        self.counts.losses += 1;
        self.pause_joins(renewed, now);
        self.holdings.clear();
        self.silence.forget_requests();
        self.unpublished = None;
        self.out.push(Command::Tell(Trouble::Lost { name, loss }));
        self.out.push(Command::Lose { at_once });
        let abort = (!at_once).then_some(term.abort);
        let limit = if at_once { now + margin(self.rules.times.duration) } else { term.expires };
        self.phase = Phase::Ending { abort, limit };
        self.doubt_view();
    }
}
