//! The state machine of a membership, without its I/O.
//!
//! The machine is a pure step from (state, input, now) to commands. It never waits and sends
//! nothing: the driver performs the commands and returns with answers. Only the monotonic clock
//! matters to it. The driver writes the times that people read in Leases.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use tokio::time::Instant;

use super::holdings::Holdings;
use super::session::{Join, Session};
use super::silence::Silence;
use super::slots::ShardBy;
use super::status::ShardingCounts;
use super::trouble::{Loss, Trouble};
use super::view::{Member, Slot, View};
use crate::basics::after;
use crate::lease::{DROP_TIMEOUT, Term, Times};
use kube_informer::object::ResourceVersion;

/// The configuration of the machine.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) group: Arc<str>,
    pub(super) identity: Arc<str>,
    pub(super) by: ShardBy,
    pub(super) slots: usize,
    pub(super) times: Times,
    pub(super) grace: Duration,
    /// True if the membership ends beside work that blocks a thread.
    pub(super) abandons_blocked: bool,
}

impl Rules {
    /// Returns the times of a session whose last successful renewal began at `renewed`, and was
    /// stored with this duration. Others wait no longer.
    pub(super) fn term(&self, renewed: Instant, stored: Duration) -> Term {
        self.times.term(renewed, stored.min(self.times.duration))
    }
}

/// The subject of a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Subject {
    /// This replica's member Lease.
    Member,
    Slot(usize),
    /// The member Lease of another session.
    Session(Arc<str>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// Creates this replica's member Lease.
    Join { name: Arc<str> },
    /// Replaces this replica's member Lease.
    Renew { name: Arc<str>, uid: Arc<str>, version: ResourceVersion, leaving: bool },
    /// Reads this replica's member Lease.
    Find { name: Arc<str> },
    /// Deletes a member Lease with this uid, and with this version if there is one.
    Delete { name: Arc<str>, uid: Arc<str>, version: Option<ResourceVersion> },
    /// Reads a slot Lease.
    Read { slot: usize },
    /// Replaces the slot Lease of version `base`; without a version, creates it.
    Write {
        slot: usize,
        base: Option<ResourceVersion>,
        session: Option<Arc<str>>,
        transitions: u32,
    },
    /// Restores the labels and annotations of a slot Lease of this version.
    Mark { slot: usize, base: ResourceVersion },
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LeaseAnswer {
    Member(Member),
    Slot(Slot),
    /// A slot Lease of the group without its label, which no watch shows.
    Unmarked(ResourceVersion),
    /// A Lease that is not the group's, under the name of a slot.
    Foreign,
    /// The object does not exist, or is deleted now.
    Absent,
    Failed(RequestFailure),
}

/// The kind of an error, as far as the next step depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestFailure {
    /// The object has another version or uid, or exists already.
    Conflict,
    /// The server refused the request, and has not executed it.
    Refused,
    /// The server is too busy, and has not executed the request. It asks for a pause, or for none.
    Throttled(Duration),
    /// No answer, or an inconclusive one: the server may or may not have executed the request, or
    /// may do so later.
    Unknown,
}

#[derive(Clone, Debug)]
pub(super) enum Input {
    View(Arc<View>),
    Answered {
        id: u64,
        subject: Subject,
        answer: LeaseAnswer,
    },
    /// All work of a slot has ended. Follows [`Command::Drain`] and [`Command::Drop`].
    Idle(usize),
    /// All work of the lost session has ended. Follows [`Command::Lose`].
    WorkEnded,
    Stop,
    /// Time has passed.
    Tick,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Command {
    Send {
        id: u64,
        subject: Subject,
        request: Request,
    },
    /// Work on the slot may begin, within the present term.
    Begin(usize),
    /// The term was extended.
    Extend(Term),
    /// Tell the work of the slot to stop, and report when it has ended.
    Drain(usize),
    /// Drop the work of the slot at its current awaits.
    Abort(usize),
    /// The slot is about to be released: its scope is over.
    End(usize),
    /// The slot belongs to another session already: drop its work, and report when it has ended.
    Drop(usize),
    /// The session is lost: tell all work to stop, and report when it has ended.
    Lose {
        /// True if the work is over at once, not at the end of the term.
        at_once: bool,
    },
    /// Drop the work of the lost session at its current awaits.
    AbortAll,
    /// List and watch the Leases from the beginning. The next view is of that list, or newer.
    Look,
    /// Publish the ranges of these slots, each with its tenure.
    Publish(Vec<(usize, u64)>),
    /// Report a problem.
    Tell(Trouble),
    /// Tell people that work blocks a thread although it was dropped.
    TellBlocked {
        /// True if the session is lost, so that nothing keeps others from the slots.
        lost: bool,
    },
    /// The membership has ended.
    Finish {
        /// True if work is left that cannot be stopped.
        still_running: bool,
    },
}

#[derive(Debug)]
pub(super) struct Machine {
    pub(super) rules: Rules,
    pub(super) rng: Rng,
    pub(super) phase: Phase,
    pub(super) view: Option<Arc<View>>,
    /// True if the view is of a list that was answered after the start, after the last loss of a
    /// session, and after the last try to join without an answer. A member that does not see the
    /// others would be given slots that it cannot claim.
    pub(super) sees: bool,
    pub(super) silence: Silence,
    pub(super) holdings: Holdings,
    next_id: u64,
    /// The last request that the server may have answered from a history that is lost.
    lost_until: u64,
    /// The time before which no further session begins.
    pub(super) joins_at: Option<Instant>,
    /// The number of joins in a row that failed, or whose session was lost without a renewal.
    pub(super) fruitless: u32,
    /// The names of this replica's last member Leases, the newest last.
    pub(super) own: Vec<Arc<str>>,
    /// The problems of the last view, so that each is reported once.
    pub(super) told: Vec<Trouble>,
    /// True while work that was dropped blocks a thread.
    pub(super) blocked: bool,
    /// The time of the stop.
    pub(super) stopped: Option<Instant>,
    pub(super) published: Vec<(usize, u64)>,
    /// The time from which held and published slots differ.
    pub(super) unpublished: Option<Instant>,
    pub(super) counts: ShardingCounts,
    /// The number of plans so far.
    #[cfg(test)]
    pub(super) plans: usize,
    pub(super) out: Vec<Command>,
}

#[derive(Debug)]
pub(super) enum Phase {
    /// The next session waits for a view, or for the end of a pause.
    Waiting,
    Joining(Join),
    Live(Session),
    /// The session is lost, and its work has not ended yet. It is dropped at `abort`; `None` if it
    /// is dropped already. A stopped membership does not wait longer than `limit`.
    Ending {
        abort: Option<Instant>,
        limit: Instant,
    },
    Over,
}

impl Machine {
    pub(super) fn new(rules: Rules, rng: Rng) -> Self {
        Self {
            holdings: Holdings::new(rules.slots),
            rules,
            rng,
            phase: Phase::Waiting,
            view: None,
            sees: false,
            silence: Silence::default(),
            next_id: 0,
            lost_until: 0,
            joins_at: None,
            fruitless: 0,
            own: Vec::new(),
            told: Vec::new(),
            blocked: false,
            stopped: None,
            published: Vec::new(),
            unpublished: None,
            counts: ShardingCounts::default(),
            #[cfg(test)]
            plans: 0,
            out: Vec::new(),
        }
    }

    /// Takes the next input. Returns the commands that follow, in order.
    pub(super) fn step(&mut self, input: Input, now: Instant) -> Vec<Command> {
        // Also for inputs that come too late, for example because this process was suspended.
        self.check_term(now);
        match input {
            Input::View(view) => self.see(view, now),
            Input::Answered { id, subject, answer } => self.answered(id, &subject, answer, now),
            Input::Idle(slot) => self.became_idle(slot, now),
            Input::WorkEnded => {
                if matches!(self.phase, Phase::Ending { .. }) {
                    self.phase = Phase::Waiting;
                }
            }
            Input::Stop => self.stopped = self.stopped.or(Some(now)),
            Input::Tick => {}
        }
        self.step_phase(now);
        self.note_blocked(now);
        std::mem::take(&mut self.out)
    }

    /// Returns the next time at which something is due without an input.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        let stop = self.stopped.map(|stopped| after(stopped, self.rules.grace));
        let last = self.last_request_by();
        let own = match &self.phase {
            Phase::Waiting => self.waits_until(),
            Phase::Over => None,
            Phase::Joining(join) => min(join.wake_at().filter(|_| self.may_join()), last),
            Phase::Ending { abort, limit } => min(*abort, stop.map(|stop| stop.max(*limit))),
            Phase::Live(session) => {
                let mut wake = session.wake_at(&self.rules);
                if !session.deletes() {
                    wake = min(wake, self.holdings.wake_at());
                }
                if self.stopped.is_none() && self.is_current() {
                    wake = min(wake, self.publish_at(session));
                    wake = min(wake, self.silence.wake_at(&session.uid));
                }
                // After that, only the end of the term or of the work matters.
                min(wake, if session.deletes() { last } else { stop.filter(|_| !session.overdue) })
            }
        };
        let own = min(own, self.blocked_at().filter(|_| !self.blocked));
        own.filter(|_| !matches!(self.phase, Phase::Over))
    }

    /// Returns the time until which a stopped member waits for answers about its Lease.
    pub(super) fn last_request_by(&self) -> Option<Instant> {
        let by = after(self.stopped?, self.rules.grace);
        let deletes = self.session().and_then(|session| session.deletes_since);
        Some(by.max(deletes.unwrap_or(by)) + self.rules.times.request_timeout())
    }

    /// Returns the time from which dropped work that has not ended counts as blocked.
    fn blocked_at(&self) -> Option<Instant> {
        match &self.phase {
            Phase::Live(session) if session.overdue && !session.deletes() => {
                Some(after(self.stopped?, self.rules.grace) + DROP_TIMEOUT)
            }
            Phase::Ending { abort: None, limit } => Some(*limit),
            _ => None,
        }
    }

    /// Reports dropped work that has not ended, once.
    fn note_blocked(&mut self, now: Instant) {
        let blocked = self.blocked_at().is_some_and(|at| now >= at);
        if blocked && !self.blocked {
            let lost = self.session().is_none();
            self.out.push(Command::TellBlocked { lost });
        }
        self.blocked = blocked;
    }

    /// Returns the present session.
    pub(super) fn session(&self) -> Option<&Session> {
        match &self.phase {
            Phase::Live(session) => Some(session),
            _ => None,
        }
    }

    /// Returns whether the view shows the present session. Before that, it cannot show which slots
    /// are free.
    pub(super) fn is_current(&self) -> bool {
        let (Some(view), Some(session)) = (&self.view, self.session()) else { return false };
        view.member(&session.uid).is_some()
    }

    /// Returns the number of a slot's tenure. It changes each time the slot is lost and acquired
    /// again.
    pub(super) fn tenure(&self, slot: usize) -> u64 {
        self.holdings.tenure(slot)
    }

    /// Returns the times of the present session.
    pub(super) fn term(&self) -> Option<Term> {
        self.session().map(|session| session.term(&self.rules))
    }

    /// Sends a request. Returns its number.
    pub(super) fn send(&mut self, subject: Subject, request: Request) -> u64 {
        self.next_id += 1;
        self.counts.requests += 1;
        self.out.push(Command::Send { id: self.next_id, subject, request });
        self.next_id
    }

    pub(super) fn check_term(&mut self, now: Instant) {
        if self.term().is_some_and(|term| now >= term.cancel) {
            self.lose(Loss::Late, now);
        }
    }

    fn see(&mut self, view: Arc<View>, now: Instant) {
        let last = self.view.as_ref();
        let restored = last.is_some_and(|last| last.epoch != view.epoch);
        if !restored && last.is_some_and(|last| view.version.is_older_than(&last.version)) {
            return;
        }
        self.sees = true;
        if restored {
            // The server's history may be lost: Leases may be as they were long ago.
            self.lose(Loss::Restored, now);
            self.holdings.forget_records();
            self.lost_until = self.next_id;
        }
        self.silence.observe(&view, &self.rules, now);
        let session = self.session().map(|session| session.uid.clone());
        self.holdings.follow_view(&view, self.view.as_deref(), session.as_deref());
        self.view = Some(view);
        self.tell_trouble();
        self.check_presence(now);
    }

    fn answered(&mut self, id: u64, subject: &Subject, answer: LeaseAnswer, now: Instant) {
        if let LeaseAnswer::Failed(
            RequestFailure::Refused | RequestFailure::Throttled(_) | RequestFailure::Unknown,
        )
        | LeaseAnswer::Foreign = answer
        {
            self.counts.errors += 1;
        }
        match subject {
            // Versions of different histories do not compare.
            Subject::Slot(_) if id <= self.lost_until => {}
            Subject::Slot(slot) => self.slot_answered(*slot, id, answer, now),
            Subject::Session(uid) => {
                if self.silence.answered(uid, id, &answer, &self.rules, now) {
                    self.counts.fenced += 1;
                }
            }
            Subject::Member => match std::mem::replace(&mut self.phase, Phase::Waiting) {
                Phase::Joining(join) => self.phase = self.join_answered(join, id, answer, now),
                Phase::Live(mut session) => {
                    let result = session.answered(id, answer, &self.rules, now);
                    self.phase = Phase::Live(session);
                    self.session_answered(result, now);
                }
                phase => self.phase = phase,
            },
        }
    }

    /// Takes every due step of the present phase.
    fn step_phase(&mut self, now: Instant) {
        let stop = self.stopped.map(|stopped| after(stopped, self.rules.grace));
        let last = self.last_request_by().is_some_and(|last| now >= last);
        let mut phase = std::mem::replace(&mut self.phase, Phase::Over);
        match &mut phase {
            Phase::Waiting if self.stopped.is_some() => {
                self.out.push(Command::Finish { still_running: false });
                return;
            }
            Phase::Waiting if self.sees && self.joins_at.is_none_or(|at| now >= at) => {
                phase = Phase::Joining(self.join(now));
            }
            Phase::Joining(join) if last || (self.stopped.is_some() && join.is_absent()) => {
                self.out.push(Command::Finish { still_running: false });
                return;
            }
            Phase::Joining(join) => self.advance_join(join, now),
            Phase::Ending { abort, limit } => {
                if abort.is_some_and(|abort| now >= abort) {
                    *abort = None;
                    self.out.push(Command::AbortAll);
                }
                if stop.is_some_and(|stop| now >= stop.max(*limit)) {
                    self.out.push(Command::Finish { still_running: true });
                    return;
                }
            }
            Phase::Live(_) => {
                self.phase = phase;
                self.step_session(now);
                return;
            }
            Phase::Waiting => self.delete_left(now),
            Phase::Over => {}
        }
        self.phase = phase;
    }

    /// Returns the present session, to change it.
    pub(super) fn session_mut(&mut self) -> Option<&mut Session> {
        match &mut self.phase {
            Phase::Live(session) => Some(session),
            _ => None,
        }
    }

    /// Ends the membership after the member Lease was deleted, or could not be.
    pub(super) fn finish(&mut self) {
        self.phase = Phase::Over;
        self.out.push(Command::Finish { still_running: false });
    }
}

/// Returns the earlier of two times.
pub(super) fn min(one: Option<Instant>, two: Option<Instant>) -> Option<Instant> {
    match (one, two) {
        (Some(one), Some(two)) => Some(one.min(two)),
        (one, two) => one.or(two),
    }
}
