//! The state machine of leader election, without its I/O.
//!
//! The machine is a pure step from (state, outcome, now) to the next [`Step`]. It never waits and
//! sends nothing: the elector performs a step and returns with the [`StepOutcome`]. Each call
//! passes two clocks. Decisions use only the monotonic one; the wall clock is only written into
//! records, for people to read.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use super::record::{MOST_TRANSITIONS, Marks, RELEASED, Record};
use super::sent::SentRenewals;
use crate::lease::{Term, Times};

/// The factor by which a candidate's wait may exceed the retry period: client-go's.
pub(super) const JITTER: f64 = 1.2;

/// The range of the random part of a renewal time, at most. It tells the renewals of two processes
/// of one identity apart, although both may be right after the same earlier time.
const SPREAD: Duration = Duration::from_millis(100);

/// The number of renewals under this identity that prove another running process. A process that
/// has just ended may have had one on its way.
const PROOF: u32 = 2;

/// The configuration of the machine.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) name: Arc<str>,
    pub(super) identity: Arc<str>,
    pub(super) times: Times,
    pub(super) marks: Marks,
}

/// A moment, on both clocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Now {
    pub(super) at: Instant,
    pub(super) wall: Timestamp,
}

#[derive(Clone, Debug)]
pub(super) struct Machine {
    rules: Rules,
    rng: Rng,
    mode: Mode,
    /// The object as last read or written; `None` if it does not exist or was not read yet.
    object: Option<Box<Lease>>,
    /// The last record seen. It stays when the object is deleted.
    observed: Option<Observed>,
    sent: SentRenewals,
    /// The number of renewals under this identity that another process was seen to make.
    foreign_renewals: u32,
    /// True if this elector led, and gave way to a process of its identity.
    gave_way: bool,
    /// The time until which the last seen rival keeps the lease; `None` without a rival.
    rival_expires: Option<Instant>,
    /// The start of the current request.
    request_started: Instant,
    /// The start of the current attempt, which has one or more requests.
    attempt_started: Instant,
    /// True if this attempt has asked for the object, with whatever answer.
    has_read: bool,
    /// The duration of the lease as the server stored it: others wait no longer. At most the
    /// configured one.
    granted: Duration,
}

#[derive(Clone, Debug)]
struct Observed {
    /// The uid of the record's object.
    uid: Option<String>,
    record: Record,
    /// True if this elector wrote the record. Its identity may also be another process's.
    ours: bool,
    /// The time for which the leader may count on the lease since this record was seen.
    lasts: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Candidate,
    /// `renewed` is the start of the last renewal request that succeeded.
    Leader {
        renewed: Instant,
    },
    Releasing,
}

/// The next action of the elector.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// Wait for this duration.
    Wait(Duration),
    Get,
    Create(Box<Lease>),
    /// Replace the object of this version.
    Replace(Box<Lease>),
    /// Stop leading: leadership is lost.
    Lost(LossCause),
    /// The lease was released, or belongs to another candidate.
    Released,
}

/// The cause of a lost leadership.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LossCause {
    /// No renewal succeeded before the renew deadline.
    #[error("it was not renewed before the renew deadline")]
    RenewDeadline,
    /// The Lease names another holder although this candidate's term had not ended. A person or
    /// program rewrote or deleted the Lease.
    #[error("it is held by {0}")]
    TakenBy(Arc<str>),
    /// The Lease names no holder. A person or program cleared it.
    #[error("its holder was cleared")]
    Cleared,
    /// Another process renewed the Lease under this candidate's identity, which the cause names. A
    /// person or program that edits the time or the transitions in the Lease looks the same.
    #[error(
        "another process renewed it under the identity {0} of this one: give each its own identity"
    )]
    SameIdentity(Arc<str>),
}

/// The outcome of a step.
#[derive(Clone, Debug)]
pub(super) enum StepOutcome {
    Waited,
    Got(Option<Box<Lease>>),
    /// The write succeeded. Holds the object as the server now has it.
    Written(Box<Lease>),
    Failed(RequestFailure),
}

/// The kind of an error, as far as the next step depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestFailure {
    /// The object has another version, exists already, or does not exist.
    Conflict,
    /// Any other error, or no answer: the server may or may not have executed the request.
    Other,
}

impl Machine {
    pub(super) fn new(rules: Rules, rng: Rng, now: Instant) -> Self {
        Self {
            granted: rules.times.duration,
            rules,
            rng,
            mode: Mode::Candidate,
            object: None,
            observed: None,
            sent: SentRenewals::default(),
            foreign_renewals: 0,
            gave_way: false,
            rival_expires: None,
            request_started: now,
            attempt_started: now,
            has_read: false,
        }
    }

    /// Becomes a candidate. Keeps what the machine last saw of the Lease.
    pub(super) fn start_candidacy(&mut self, now: Now) -> Step {
        self.mode = Mode::Candidate;
        self.attempt(now)
    }

    /// Returns the times of the current term; `None` for a candidate.
    pub(super) fn term(&self) -> Option<Term> {
        let Mode::Leader { renewed } = self.mode else { return None };
        Some(self.rules.times.term(renewed, self.granted))
    }

    /// Returns the current leader, as far as is known.
    pub(super) fn leader(&self) -> Option<&Arc<str>> {
        self.observed.as_ref()?.record.holder.as_ref()
    }

    /// Returns how often the lease changed its holder.
    pub(super) fn transitions(&self) -> u32 {
        self.observed.as_ref().map_or(0, |observed| observed.record.transitions)
    }

    /// Returns whether another process was seen to renew the Lease under this identity.
    pub(super) fn has_namesake(&self) -> bool {
        self.gave_way || self.foreign_renewals >= PROOF
    }

    /// Returns whether this elector led, and gave way to another process of its identity.
    pub(super) fn gave_way(&self) -> bool {
        self.gave_way
    }

    /// Ends the term, because its time is over.
    pub(super) fn give_up(&mut self) -> LossCause {
        self.mode = Mode::Candidate;
        LossCause::RenewDeadline
    }

    /// Releases the lease. Call this only when the work is over.
    pub(super) fn release(&mut self, now: Now) -> Step {
        if self.term().is_none() {
            return Step::Released;
        }
        self.mode = Mode::Releasing;
        self.attempt(now)
    }

    /// Returns the step that follows from the outcome of the last one.
    pub(super) fn next(&mut self, outcome: StepOutcome, now: Now) -> Step {
        if self.term().is_some_and(|term| now.at >= term.cancel) {
            // The outcome came too late, for example because this process was suspended.
            return Step::Lost(self.give_up());
        }
        match outcome {
            StepOutcome::Waited => self.attempt(now),
            StepOutcome::Got(found) => {
                match found {
                    Some(lease) => self.observe(lease, false, now),
                    None => self.object = None,
                }
                self.decide(now)
            }
            StepOutcome::Written(lease) => self.written(lease, now),
            // Read once more in the same attempt. A second conflict, even of this read, waits for
            // the next attempt.
            StepOutcome::Failed(RequestFailure::Conflict)
                if !self.has_read && self.mode != Mode::Candidate =>
            {
                self.ask(Step::Get, now)
            }
            StepOutcome::Failed(_) => self.wait(now),
        }
    }

    fn attempt(&mut self, now: Now) -> Step {
        self.attempt_started = now.at;
        self.has_read = false;
        match self.mode {
            // The version last seen is probably still the newest: one request instead of two.
            Mode::Leader { .. } | Mode::Releasing if self.object.is_some() => self.write(now),
            _ => self.ask(Step::Get, now),
        }
    }

    /// Returns the step for the object as it was just read.
    fn decide(&mut self, now: Now) -> Step {
        let record = self.object.as_deref().map(Record::of);
        let ours = self.observed.as_ref().is_some_and(|observed| observed.ours);
        match (self.mode, record) {
            (Mode::Candidate, _) if self.rival_expires.is_some_and(|until| now.at < until) => {
                self.wait(now)
            }
            // A leader that finds no object creates it again: its absence names no other leader.
            (Mode::Candidate, _) | (Mode::Leader { .. }, None) => self.write(now),
            (Mode::Leader { .. } | Mode::Releasing, Some(_)) if ours => self.write(now),
            (Mode::Leader { .. }, Some(record)) => {
                self.mode = Mode::Candidate;
                Step::Lost(match record.holder {
                    None => LossCause::Cleared,
                    Some(holder) if holder == self.rules.identity => {
                        self.gave_way = true;
                        LossCause::SameIdentity(holder)
                    }
                    Some(holder) => LossCause::TakenBy(holder),
                })
            }
            (Mode::Releasing, _) => {
                self.mode = Mode::Candidate;
                Step::Released
            }
        }
    }

    fn written(&mut self, lease: Box<Lease>, now: Now) -> Step {
        let renewed = self.request_started;
        let record = Record::of(&lease);
        let ours = record.is_held_by(&self.rules.identity);
        let stored = record.duration.unwrap_or(self.rules.times.duration);
        self.granted = stored.min(self.rules.times.duration);
        self.sent.answered();
        self.observe(lease, true, now);
        match self.mode {
            Mode::Releasing => {
                self.mode = Mode::Candidate;
                Step::Released
            }
            // The server stored something other than requested.
            Mode::Candidate if !ours || stored.is_zero() => self.wait(now),
            Mode::Leader { .. } if !ours => self.decide(now),
            Mode::Candidate | Mode::Leader { .. } => {
                self.rival_expires = None;
                self.mode = Mode::Leader { renewed };
                if self.term().is_some_and(|term| now.at >= term.cancel) {
                    return Step::Lost(self.give_up());
                }
                self.wait(now)
            }
        }
    }

    /// Records an object, which may be the answer to a write of this elector. A rival's time begins
    /// when a change is seen, because the times in the record are from another clock.
    fn observe(&mut self, lease: Box<Lease>, written: bool, now: Now) {
        let (uid, record) = (lease.metadata.uid.clone(), Record::of(&lease));
        self.object = Some(lease);
        let before = self.observed.take();
        if let Some(same) = before.as_ref().filter(|old| old.uid == uid && old.record == record) {
            self.observed = Some(same.clone());
            return;
        }
        let named = record.is_held_by(&self.rules.identity);
        // An edit by hand leaves the renewal as it is.
        let edited = |old: &Observed| old.ours && old.record.renewal() == record.renewal();
        let ours = named
            && (written
                || self.sent.contains(record.renewal())
                || before.as_ref().is_some_and(edited));
        let foreign = |old: &Observed| !old.ours && old.record.is_held_by(&self.rules.identity);
        if !named || ours {
            (self.foreign_renewals, self.gave_way) = (0, false);
        } else if before.as_ref().is_some_and(foreign) {
            self.foreign_renewals = self.foreign_renewals.saturating_add(1);
        }
        let configured = self.rules.times.duration;
        let duration = record.duration.unwrap_or(configured);
        // A person may have cleared the holder or shortened the duration. Then a leader whose time
        // is not over may still count on it.
        let is_led = self.rival_expires.is_some_and(|until| now.at < until);
        let led = before.filter(|_| is_led).map_or(Duration::ZERO, |old| old.lasts.min(configured));
        let lasts = match &record.holder {
            None if record.is_release() => Duration::ZERO,
            None => led,
            Some(_) => duration.max(led),
        };
        // The record may be ours, but old: a rival seen before may still lead. One of this identity
        // may be another process's.
        if !ours {
            self.rival_expires = Some(now.at + lasts);
        }
        self.observed = Some(Observed { uid, record, ours, lasts });
    }

    /// Writes this candidate's record: a renewal, an acquisition or a release.
    fn write(&mut self, now: Now) -> Step {
        let before = self.observed.as_ref().map(|observed| observed.record.clone());
        let before = before.unwrap_or_default();
        // Less than a period, so that the clock catches up with a renewal time that is ahead.
        let spread = SPREAD.min(self.rules.times.retry_period / 2);
        let spread = SignedDuration::try_from(spread.mul_f64(self.rng.f64())).unwrap_or_default();
        let renewed = before.renewal_time(now.wall);
        let renewed = renewed.checked_add(spread).unwrap_or(renewed);
        let record = if self.mode == Mode::Releasing {
            Record {
                holder: None,
                duration: Some(RELEASED),
                acquired: Some(renewed),
                renewed: Some(renewed),
                transitions: before.transitions,
            }
        } else {
            let ours = before.is_held_by(&self.rules.identity);
            let first = self.observed.is_none();
            Record {
                holder: Some(self.rules.identity.clone()),
                duration: Some(self.rules.times.duration),
                acquired: before.acquired.filter(|_| ours).or(Some(renewed)),
                renewed: Some(renewed),
                transitions: (before.transitions + u32::from(!ours && !first))
                    .min(MOST_TRANSITIONS),
            }
        };
        if record.holder.is_some() {
            self.sent.add(record.renewal());
        }
        let step = match (&self.object, self.mode) {
            (Some(object), _) => {
                let mut lease = object.clone();
                record.write_to(&mut lease, &self.rules.marks);
                Step::Replace(lease)
            }
            (None, Mode::Releasing) => Step::Released,
            (None, _) => {
                Step::Create(Box::new(record.into_lease(&self.rules.name, &self.rules.marks)))
            }
        };
        self.ask(step, now)
    }

    fn ask(&mut self, step: Step, now: Now) -> Step {
        self.has_read |= step == Step::Get;
        self.request_started = now.at;
        step
    }

    /// Waits until the next attempt. A leader keeps its period; candidates add jitter.
    fn wait(&mut self, now: Now) -> Step {
        let period = self.rules.times.retry_period;
        Step::Wait(match self.mode {
            Mode::Candidate => period.mul_f64(1.0 + JITTER * self.rng.f64()),
            _ => (self.attempt_started + period).saturating_duration_since(now.at),
        })
    }
}
