//! The actions of a live session: claims, drains, releases, fencing, and the published ranges.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::balance::{Balance, Owner};
use super::holdings::{Change, Holding, Pace, Release, Repair};
use super::machine::{Command, LeaseAnswer, Machine, Request, RequestFailure, Subject};
use super::session::{Progress, Session};
use super::silence::Silent;
use super::slots;
use super::trouble::Loss;
use super::view::View;
use crate::basics::after;
use kube_informer::object::ring_hash;

/// The divisor of the retry period that gives a short wait while a member leaves. Most work ends at
/// once, and then the deletion of the member Lease releases all slots with one request.
const LEAVING_DIVISOR: u32 = 8;

impl Machine {
    /// Returns the owners of the slots in the newest records, and the number of this member.
    pub(super) fn balance(&self, view: &View, session: &str) -> Option<(Balance, usize)> {
        let sharers = view.sharers();
        let number = |identity: &Arc<str>| sharers.binary_search(&identity).ok();
        let own = number(&self.rules.identity)?;
        let mut members: Vec<_> =
            view.members.iter().map(|member| (&*member.uid, &member.identity)).collect();
        members.sort_unstable();
        let owner = |slot: usize| {
            let (Some(record), seen) = self.holdings.newest(slot, view) else {
                return Owner::Free { last: None };
            };
            // A Lease that lost its session names its holder, which first stops its work.
            let last = record.holder.as_ref().and_then(number);
            let Some(holder) = &record.session else { return Owner::Free { last } };
            if **holder == *session {
                return Owner::Member(own);
            }
            match members.binary_search_by_key(&&**holder, |(uid, _)| *uid) {
                Ok(at) => number(members[at].1).map_or(Owner::Other, Owner::Member),
                // Only a record of the same state proves that the session is over.
                Err(_) if seen && !record.doubtful => Owner::Free { last },
                Err(_) => Owner::Other,
            }
        };
        let owners = (0..self.rules.slots).map(owner).collect();
        let start = |identity: &&Arc<str>| slots::slot_of(ring_hash(identity), self.rules.slots);
        Some((Balance::new(owners, sharers.iter().map(start).collect()), own))
    }

    /// Takes every due step of a live session.
    pub(super) fn step_session(&mut self, now: Instant) {
        let (Some(view), Some(session)) = (self.view.clone(), self.session()) else { return };
        let uid = session.uid.clone();
        self.settle(&view, &uid, now);
        self.wind_up(now);
        if self.session().is_some_and(Session::deletes) {
            self.renew(now);
            if self.last_request_by().is_some_and(|last| now >= last) {
                self.finish();
            }
            return;
        }
        self.release(&view, now);
        self.renew(now);
        if self.stopped.is_none() && self.is_current() {
            self.fence(&view, &uid, now);
            self.share(&view, &uid, now);
            self.publish(now);
        }
    }

    /// Brings the states of the slots up to their newest records.
    fn settle(&mut self, view: &View, session: &str, now: Instant) {
        if !std::mem::take(&mut self.holdings.unsettled) {
            return;
        }
        for slot in 0..self.rules.slots {
            match self.holdings.settle(slot, view, session) {
                Change::Nothing => {}
                Change::Conflict => self.counts.conflicts += 1,
                Change::Released => self.counts.released += 1,
                Change::Acquired if self.stopped.is_some() => {
                    // A late claim: the work never begins.
                    let release =
                        Holding::Releasing { next: Release::Write, pending: None, at: now };
                    self.holdings.set(slot, release);
                }
                Change::Acquired => {
                    self.counts.acquired += 1;
                    self.out.push(Command::Begin(slot));
                }
                Change::Taken => self.out.push(Command::Drop(slot)),
            }
        }
    }

    /// Drains everything after a stop, drops what exceeds the grace, and leaves when all work has
    /// ended.
    fn wind_up(&mut self, now: Instant) {
        for slot in self.holdings.slots(
            |holding| matches!(holding, Holding::Draining { abort: Some(abort) } if now >= *abort),
        ) {
            self.holdings.set(slot, Holding::Draining { abort: None });
            self.out.push(Command::Abort(slot));
        }
        let Some(stopped) = self.stopped else { return };
        let by = after(stopped, self.rules.grace);
        if !self.session().is_some_and(Session::is_leaving) {
            for slot in self.holdings.slots(|holding| *holding == Holding::Held) {
                self.drain(slot, by);
            }
            let soon = now + self.leaving_delay();
            if let Some(session) = self.session_mut() {
                session.leave(soon);
            }
        }
        let at_work = self.holdings.count(Holding::is_at_work) > 0;
        let (overdue, expires) = (now >= by, self.rules.abandons_blocked);
        let Some(session) = self.session_mut() else { return };
        if !at_work {
            session.delete(now);
        } else if overdue && !session.overdue {
            (session.overdue, session.expires) = (true, expires);
            self.out.push(Command::AbortAll);
        }
    }

    fn leaving_delay(&self) -> Duration {
        self.rules.times.retry_period / LEAVING_DIVISOR
    }

    fn drain(&mut self, slot: usize, by: Instant) {
        self.holdings.set(slot, Holding::Draining { abort: Some(by) });
        self.out.push(Command::Drain(slot));
    }

    /// Notes that all work of a slot has ended.
    pub(super) fn became_idle(&mut self, slot: usize, now: Instant) {
        let delay = self.stopped.map_or(Duration::ZERO, |_| self.leaving_delay());
        match self.holdings.get(slot) {
            Holding::Draining { .. } => {
                let (next, at) = (Release::Write, now + delay);
                self.holdings.set(slot, Holding::Releasing { next, pending: None, at });
                self.out.push(Command::End(slot));
            }
            Holding::Taken => self.holdings.set(slot, Holding::No),
            _ => return,
        }
        (self.holdings.unsettled, self.holdings.plan_due) = (true, true);
    }

    /// Sends the requests of releases, and those about uncertain claims.
    fn release(&mut self, view: &View, now: Instant) {
        if !self.holdings.is_busy() {
            return;
        }
        self.holdings.releases_pause.end(now);
        let mut free = self.holdings.free_requests();
        let paused = self.holdings.releases_pause.lasts(now);
        let mut writes = if paused { 0 } else { self.holdings.free_writes() };
        for slot in 0..self.rules.slots {
            if free == 0 {
                return;
            }
            let request = match self.holdings.get(slot) {
                Holding::Uncertain { pending: None, at, .. } if now >= *at => {
                    Request::Read { slot }
                }
                Holding::Strange { next, pending: None, at } if now >= *at => match next {
                    Repair::Read => Request::Read { slot },
                    Repair::Mark(base) => Request::Mark { slot, base: base.clone() },
                },
                Holding::Releasing { next, pending: None, at } if now >= *at => match next {
                    Release::Read => Request::Read { slot },
                    Release::Write if writes == 0 => continue,
                    Release::Write => {
                        writes -= 1;
                        let record = self.holdings.newest(slot, view).0;
                        Request::Write {
                            slot,
                            base: record.map(|record| record.version.clone()),
                            session: None,
                            transitions: record.map_or(0, |record| record.transitions),
                        }
                    }
                },
                _ => continue,
            };
            free -= 1;
            let id = self.send(Subject::Slot(slot), request);
            self.holdings.sent(slot, id);
        }
    }

    /// Sends the due request about this replica's member Lease.
    fn renew(&mut self, now: Instant) {
        let Some(request) = self.session_mut().and_then(|session| session.due(now)) else {
            return;
        };
        let id = self.send(Subject::Member, request);
        if let Some(session) = self.session_mut() {
            session.sent(id, now);
        }
    }

    pub(super) fn session_answered(&mut self, progress: Progress, now: Instant) {
        match progress {
            Progress::None => {}
            Progress::Renewed => {
                // The answer may be late, or grant a shorter time.
                self.check_term(now);
                if let Some(term) = self.term() {
                    self.out.push(Command::Extend(term));
                }
            }
            Progress::Lost => self.lose(Loss::Gone, now),
            Progress::Left => self.finish(),
        }
    }

    /// Ends the session if the view shows that its Lease is gone.
    pub(super) fn check_presence(&mut self, now: Instant) {
        let Some(view) = self.view.clone() else { return };
        let Some(session) = self.session_mut() else { return };
        match view.member(&session.uid) {
            Some(own) => session.note_version(&own.version),
            None if view.version.is_older_than(&session.created) => {}
            None if session.deletes() => {}
            None => self.lose(Loss::Gone, now),
        }
    }

    pub(super) fn slot_answered(
        &mut self,
        slot: usize,
        id: u64,
        answer: LeaseAnswer,
        now: Instant,
    ) {
        let refused = matches!(
            answer,
            LeaseAnswer::Failed(RequestFailure::Refused | RequestFailure::Throttled(_))
        );
        let jitter = if refused { self.rng.f64() } else { 0.0 };
        let pace = Pace { period: self.rules.times.retry_period, jitter };
        let view = self.view.clone();
        let change = self.holdings.answered(slot, id, answer, view.as_deref(), now, pace);
        if change == Change::Conflict {
            self.counts.conflicts += 1;
        }
    }

    /// Deletes the Leases of silent members, and old ones of this replica.
    fn fence(&mut self, view: &View, session: &str, now: Instant) {
        let silent = self.silence.due(session, view, &self.rules, now);
        self.delete(silent);
    }

    /// Deletes member Leases.
    pub(super) fn delete(&mut self, leases: Vec<Silent>) {
        for Silent { name, uid, version } in leases {
            let request = Request::Delete { name, uid: uid.clone(), version };
            let id = self.send(Subject::Session(uid.clone()), request);
            self.silence.sent(&uid, id);
        }
    }

    /// Claims and drains slots by the plan.
    fn share(&mut self, view: &View, uid: &Arc<str>, now: Instant) {
        if self.holdings.claims_left {
            self.holdings.unblock_due(now);
        }
        if std::mem::take(&mut self.holdings.plan_due) {
            self.plan(view, uid, now);
        }
        self.claim(view, uid, now);
    }

    /// Plans the next claims, and drains the slots to give back.
    fn plan(&mut self, view: &View, uid: &Arc<str>, now: Instant) {
        self.holdings.planned.clear();
        self.holdings.crossed = self.holdings.claims() > 0;
        let Some((balance, own)) = self.balance(view, uid) else { return };
        let given = |slot: usize| {
            let holding = self.holdings.get(slot);
            matches!(holding, Holding::Draining { .. } | Holding::Releasing { .. })
        };
        #[cfg(test)]
        {
            self.plans += 1;
        }
        let mut plan = balance.plan(own, given);
        // A slot whose write was refused must not hold up the others.
        let refusals = |slot: &usize| self.holdings.refusals(*slot);
        plan.claim.sort_by_key(refusals);
        self.holdings.planned = plan.claim.into();
        let by = after(now, self.rules.grace);
        for slot in plan.give {
            if *self.holdings.get(slot) == Holding::Held {
                self.drain(slot, by);
            }
        }
    }

    /// Sends as many planned claims as may be in flight.
    fn claim(&mut self, view: &View, uid: &Arc<str>, now: Instant) {
        let pause = self.holdings.claims_pause;
        let most = if pause.lasts(now) { 0 } else { pause.parallel() };
        let mut claims = self.holdings.claims();
        let mut planned = std::mem::take(&mut self.holdings.planned);
        let mut blocked = Vec::new();
        while claims < most
            && let Some(slot) = planned.pop_front()
        {
            if !self.holdings.may_claim(slot, now) {
                blocked.extend((*self.holdings.get(slot) == Holding::No).then_some(slot));
                continue;
            }
            let record = self.holdings.newest(slot, view).0;
            let base = record.map(|record| record.version.clone());
            let transitions = record.map_or(0, |record| record.transitions.saturating_add(1));
            let session = Some(uid.clone());
            let request = Request::Write { slot, base: base.clone(), session, transitions };
            let pending = self.send(Subject::Slot(slot), request);
            self.holdings.set(slot, Holding::Claiming { base, pending });
            claims += 1;
        }
        planned.extend(blocked);
        self.holdings.claims_left = !planned.is_empty();
        self.holdings.planned = planned;
    }

    /// Publishes the ranges once for each round of changes.
    fn publish(&mut self, now: Instant) {
        let Some(session) = self.session() else { return };
        if !self.holdings.is_busy() && self.unpublished.is_none() && !session.first_round {
            return;
        }
        let claims = self.holdings.claims() > 0
            || self.holdings.claims_left
            || self.silence.has_old_own(&session.uid);
        let due = self.publish_at(session).is_some_and(|at| now >= at);
        let drains = self.holdings.count(|holding| {
            matches!(holding, Holding::Draining { .. } | Holding::Releasing { .. })
        }) > 0;
        let slots = self.holdings.published();
        let grows = slots.iter().any(|slot| self.published.binary_search(slot).is_err());
        let ready = !claims && (grows || !drains);
        if slots == self.published {
            self.unpublished = None;
        } else if ready || due {
            self.unpublished = None;
            self.published.clone_from(&slots);
            self.out.push(Command::Publish(slots));
        } else {
            self.unpublished.get_or_insert(now);
        }
        if (!claims || due)
            && let Some(session) = self.session_mut()
        {
            session.first_round = false;
        }
        if self.unpublished.is_none() {
            self.holdings.note_all_done();
        }
    }

    /// Returns the time at which the ranges are published even if the round is not over.
    pub(super) fn publish_at(&self, session: &Session) -> Option<Instant> {
        let patience = if session.first_round {
            self.rules.times.duration
        } else {
            self.rules.times.retry_period
        };
        self.unpublished.map(|since| since + patience)
    }
}
