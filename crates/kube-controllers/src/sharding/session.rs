//! The member Lease: joining, renewing and leaving.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::machine::{LeaseAnswer, Request, RequestFailure, Rules, min};
use super::pause;
use super::view::Member;
use crate::lease::Term;
use kube_informer::object::ResourceVersion;

/// A request that has no answer yet.
#[derive(Clone, Copy, Debug)]
struct Pending<T> {
    id: u64,
    started: Instant,
    of: T,
}

/// The creation of a member Lease. Its name was never used before, so a Lease of this name is this
/// replica's, even if the answer to its creation was lost.
///
/// Others give the replica slots as soon as the Lease exists. Each step after the creation
/// therefore has one try. A join that gets no clear answer fails, and its Lease is no longer
/// renewed.
#[derive(Debug)]
pub(super) struct Join {
    name: Arc<str>,
    next: JoinStep,
    /// The time of the next request.
    at: Instant,
    pending: Option<Pending<()>>,
}

#[derive(Clone, Debug)]
enum JoinStep {
    Create,
    Find,
    /// The Lease exists. Renew once, to know when its term began.
    Confirm {
        uid: Arc<str>,
        version: ResourceVersion,
    },
}

/// The result of an answer about the creation of the member Lease.
#[derive(Debug)]
pub(super) enum Joined {
    NotYet,
    Began(Session),
    /// The Lease may exist, and no answer tells since when.
    Failed,
}

impl Join {
    pub(super) fn new(name: Arc<str>, now: Instant) -> Self {
        Self { name, next: JoinStep::Create, at: now, pending: None }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether this request has no answer yet.
    pub(super) fn awaits(&self, id: u64) -> bool {
        self.pending.is_some_and(|pending| pending.id == id)
    }

    /// Returns whether the Lease does not exist, as far as is known.
    pub(super) fn is_absent(&self) -> bool {
        self.pending.is_none() && matches!(self.next, JoinStep::Create)
    }

    pub(super) fn wake_at(&self) -> Option<Instant> {
        self.pending.is_none().then_some(self.at)
    }

    /// Returns the request that is due.
    pub(super) fn due(&self, now: Instant, stopping: bool) -> Option<Request> {
        if self.pending.is_some() || now < self.at || (stopping && self.is_absent()) {
            return None;
        }
        let name = self.name.clone();
        Some(match &self.next {
            JoinStep::Create => Request::Join { name },
            JoinStep::Find => Request::Find { name },
            JoinStep::Confirm { uid, version } => {
                let (uid, version) = (uid.clone(), version.clone());
                Request::Renew { name, uid, version, leaving: stopping }
            }
        })
    }

    pub(super) fn sent(&mut self, id: u64, now: Instant) {
        self.pending = Some(Pending { id, started: now, of: () });
    }

    /// Takes an answer. `shown` tells that the view has the Lease.
    pub(super) fn answered(
        &mut self,
        id: u64,
        answer: LeaseAnswer,
        shown: bool,
        rules: &Rules,
        now: Instant,
    ) -> Joined {
        let Some(Pending { started, .. }) = self.pending.take_if(|pending| pending.id == id) else {
            return Joined::NotYet;
        };
        let later = now + rules.times.retry_period;
        let (next, at, joined) = match (&self.next, answer) {
            (JoinStep::Create | JoinStep::Confirm { .. }, LeaseAnswer::Member(member))
                if now < rules.term(started, member.duration).cancel =>
            {
                return Joined::Began(Session::new(member, started, rules));
            }
            (
                JoinStep::Create | JoinStep::Find,
                LeaseAnswer::Member(Member { uid, version, .. }),
            ) => (JoinStep::Confirm { uid, version }, now, Joined::NotYet),
            (JoinStep::Create, LeaseAnswer::Failed(RequestFailure::Throttled(pause))) => {
                let at = now + pause::pause_for(pause, rules.times.retry_period);
                (JoinStep::Create, at, Joined::NotYet)
            }
            (JoinStep::Create, LeaseAnswer::Failed(RequestFailure::Conflict)) => {
                (JoinStep::Find, now, Joined::NotYet)
            }
            // A server may answer every create with a conflict.
            (JoinStep::Create, LeaseAnswer::Failed(RequestFailure::Refused))
            | (JoinStep::Find, LeaseAnswer::Absent)
                if !shown =>
            {
                (JoinStep::Create, later, Joined::NotYet)
            }
            (JoinStep::Create, _) => (JoinStep::Find, later, Joined::NotYet),
            _ => (JoinStep::Find, later, Joined::Failed),
        };
        (self.next, self.at) = (next, at);
        joined
    }
}

/// A session: a member Lease that is renewed.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) name: Arc<str>,
    pub(super) uid: Arc<str>,
    /// The version that the Lease was created with, or a later one.
    pub(super) created: ResourceVersion,
    version: ResourceVersion,
    /// The start of the last renewal that succeeded.
    pub(super) renewed: Instant,
    /// The duration of the Lease as the server stored it then.
    stored: Duration,
    /// The start of the present attempt, which has one or more requests.
    attempt: Instant,
    /// True if this attempt has read the Lease.
    read: bool,
    next: SessionRequest,
    /// The time of the next request.
    at: Instant,
    pending: Option<Pending<SessionRequest>>,
    /// True if the Lease is to say, or says, that the member leaves.
    leaving: bool,
    /// True if the grace after a stop is over.
    pub(super) overdue: bool,
    /// True if the Lease is no longer renewed: blocked work is abandoned.
    pub(super) expires: bool,
    /// The time at which all work had ended after a stop.
    pub(super) deletes_since: Option<Instant>,
    /// True until the first round of claims is over.
    pub(super) first_round: bool,
    /// The number of renewals.
    pub(super) renewals: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SessionRequest {
    Renew,
    Find,
    Delete,
}

/// The result of an answer about the member Lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    None,
    Renewed,
    /// The Lease is gone: the session is over.
    Lost,
    /// The Lease was deleted on request.
    Left,
}

impl Session {
    fn new(member: Member, started: Instant, rules: &Rules) -> Self {
        Self {
            name: member.name,
            uid: member.uid,
            created: member.version.clone(),
            version: member.version,
            renewed: started,
            stored: member.duration,
            attempt: started,
            read: false,
            next: SessionRequest::Renew,
            at: started + rules.times.retry_period,
            pending: None,
            leaving: false,
            overdue: false,
            expires: false,
            deletes_since: None,
            first_round: true,
            renewals: 0,
        }
    }

    /// Returns the times of the session.
    pub(super) fn term(&self, rules: &Rules) -> Term {
        rules.term(self.renewed, self.stored)
    }

    /// Returns whether the member leaves.
    pub(super) fn is_leaving(&self) -> bool {
        self.leaving
    }

    /// Begins to leave. The Lease says so soon, unless it is deleted first.
    pub(super) fn leave(&mut self, at: Instant) {
        self.leaving = true;
        self.at = self.at.min(at);
    }

    /// Deletes the Lease next, because all work has ended.
    pub(super) fn delete(&mut self, now: Instant) {
        if self.next != SessionRequest::Delete {
            (self.next, self.at, self.deletes_since) = (SessionRequest::Delete, now, Some(now));
        }
    }

    pub(super) fn deletes(&self) -> bool {
        self.next == SessionRequest::Delete
    }

    pub(super) fn wake_at(&self, rules: &Rules) -> Option<Instant> {
        let cancel = Some(self.term(rules).cancel);
        let renews = self.pending.is_none() && (self.deletes() || !self.expires);
        min(cancel, renews.then_some(self.at))
    }

    /// Returns the request that is due.
    pub(super) fn due(&mut self, now: Instant) -> Option<Request> {
        if self.pending.is_some() || now < self.at {
            return None;
        }
        let (name, uid) = (self.name.clone(), self.uid.clone());
        match self.next {
            SessionRequest::Find => Some(Request::Find { name }),
            SessionRequest::Delete => Some(Request::Delete { name, uid, version: None }),
            SessionRequest::Renew if self.expires => None,
            SessionRequest::Renew => {
                if !self.read {
                    self.attempt = now;
                }
                let version = self.version.clone();
                Some(Request::Renew { name, uid, version, leaving: self.leaving })
            }
        }
    }

    pub(super) fn sent(&mut self, id: u64, now: Instant) {
        self.pending = Some(Pending { id, started: now, of: self.next });
    }

    /// Notes a version that the watch has shown.
    pub(super) fn note_version(&mut self, version: &ResourceVersion) {
        if self.version.is_older_than(version) {
            self.version = version.clone();
        }
    }

    pub(super) fn answered(
        &mut self,
        id: u64,
        answer: LeaseAnswer,
        rules: &Rules,
        now: Instant,
    ) -> Progress {
        let Some(Pending { started, of, .. }) = self.pending.take_if(|pending| pending.id == id)
        else {
            return Progress::None;
        };
        let next_attempt = (self.attempt + rules.times.retry_period).max(now);
        let gone = if self.deletes() { Progress::Left } else { Progress::Lost };
        match (of, answer) {
            (_, LeaseAnswer::Absent) => return gone,
            (_, LeaseAnswer::Member(member)) if member.uid != self.uid => return gone,
            (SessionRequest::Delete, _) => self.at = now + rules.times.retry_period,
            (SessionRequest::Renew, LeaseAnswer::Member(member)) => {
                self.note_version(&member.version);
                self.read = false;
                (self.renewed, self.stored) = (started, member.duration);
                self.renewals += 1;
                self.go_on(SessionRequest::Renew, next_attempt);
                return Progress::Renewed;
            }
            (SessionRequest::Find, LeaseAnswer::Member(member)) => {
                self.note_version(&member.version);
                self.read = true;
                self.go_on(SessionRequest::Renew, now);
            }
            // Read once in an attempt. A second conflict waits for the next attempt.
            (SessionRequest::Renew, LeaseAnswer::Failed(RequestFailure::Conflict))
                if !self.read =>
            {
                self.go_on(SessionRequest::Find, now);
            }
            _ => {
                self.read = false;
                self.go_on(SessionRequest::Renew, next_attempt);
            }
        }
        Progress::None
    }

    /// Sets the next request, unless the Lease is to be deleted.
    fn go_on(&mut self, next: SessionRequest, at: Instant) {
        if !self.deletes() {
            (self.next, self.at) = (next, at);
        }
    }
}
