//! Who may lead when, given what came back: leader election without its I/O.
//!
//! The machine is a pure step from (state, outcome, now) to the next [`Step`]. It never waits or
//! asks: the elector does what a step says and comes back with the [`Outcome`]. Two clocks come in
//! with each call. Decisions are made by the monotonic one alone; the wall clock is only written
//! into records, for people to read.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::jiff::Timestamp;
use tokio::time::Instant;

use super::record::Record;

/// How much longer than the retry period a candidate may wait, as a factor: client-go's.
pub(super) const JITTER: f64 = 1.2;

/// Which part of the lease's duration is kept back at its end: for clocks that run at different
/// rates, and for what the dropped work may have on the wire.
const MARGIN: u32 = 10;

/// What the machine is told once.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) name: Arc<str>,
    pub(super) identity: Arc<str>,
    pub(super) lease_duration: Duration,
    pub(super) renew_deadline: Duration,
    pub(super) retry_period: Duration,
}

/// A moment, on both clocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Now {
    pub(super) at: Instant,
    pub(super) wall: Timestamp,
}

#[derive(Debug)]
pub(super) struct Machine {
    rules: Rules,
    rng: Rng,
    mode: Mode,
    /// The object as it was last read or written; `None` where it is not there or was not read yet.
    object: Option<Box<Lease>>,
    /// The last record seen, and in which object: stays when the object goes.
    seen: Option<(Option<String>, Record)>,
    /// Until when the last rival that was seen has to be left alone.
    rival_until: Option<Instant>,
    /// When the request that is under way was begun.
    asked: Instant,
    /// When the attempt that is under way was begun: one or more requests.
    attempted: Instant,
    /// This attempt has read the object.
    read: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Candidate,
    /// The request of the last renewal that succeeded was begun at `renewed`.
    Leader {
        renewed: Instant,
    },
    Releasing,
}

/// Until when leadership lasts if no renewal succeeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Term {
    /// From then on the work has to be told to stop.
    pub(super) cancel: Instant,
    /// By then the work has to be over.
    pub(super) abort: Instant,
    /// When others may begin to lead, were all clocks alike.
    pub(super) expires: Instant,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// Do nothing for so long.
    Wait(Duration),
    Get,
    Create(Box<Lease>),
    /// Replace the object of this version.
    Replace(Box<Lease>),
    /// Stop leading: it is lost.
    Lost(LossCause),
    /// The lease was given back, or is another's.
    Released,
}

/// Why leadership was lost.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LossCause {
    /// No renewal succeeded before the renew deadline.
    #[error("it could not be renewed in time")]
    RenewDeadline,
    /// The Lease names another holder, although ours had not run out: somebody wrote it by hand, or
    /// deleted it.
    #[error("it is held by {0}")]
    TakenBy(Arc<str>),
    /// The Lease names nobody: somebody cleared it by hand.
    #[error("its holder was cleared")]
    Cleared,
}

/// What came of a step.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    Waited,
    Got(Option<Box<Lease>>),
    /// Created or replaced; the object as the server has it now.
    Written(Box<Lease>),
    Failed(Failure),
}

/// What of an error decides the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// It was not as it was expected to be: another version, there already, or gone.
    Conflict,
    /// Anything else, and no answer at all: it may or may not have been done.
    Other,
}

impl Rules {
    /// The part of the lease's duration in which work may still be going on.
    fn usable(&self) -> Duration {
        self.lease_duration.saturating_sub(self.lease_duration / MARGIN)
    }
}

impl Machine {
    pub(super) fn new(rules: Rules, rng: Rng, now: Instant) -> Self {
        Self {
            rules,
            rng,
            mode: Mode::Candidate,
            object: None,
            seen: None,
            rival_until: None,
            asked: now,
            attempted: now,
            read: false,
        }
    }

    /// Stands in line, and remembers what was seen when it last did.
    pub(super) fn stand(&mut self, now: Now) -> Step {
        self.mode = Mode::Candidate;
        self.attempt(now)
    }

    /// Until when leadership lasts; `None` for a candidate.
    pub(super) fn term(&self) -> Option<Term> {
        let Mode::Leader { renewed } = self.mode else { return None };
        let usable = self.rules.usable();
        Some(Term {
            cancel: renewed + self.rules.renew_deadline.min(usable),
            abort: renewed + usable,
            expires: renewed + self.rules.lease_duration,
        })
    }

    /// Who leads as far as is known.
    pub(super) fn leader(&self) -> Option<&Arc<str>> {
        self.seen.as_ref()?.1.holder.as_ref()
    }

    /// How often the lease went from one holder to another.
    pub(super) fn transitions(&self) -> u32 {
        self.seen.as_ref().map_or(0, |(_, record)| record.transitions)
    }

    /// The time is up: does not lead any more.
    pub(super) fn give_up(&mut self) -> LossCause {
        self.mode = Mode::Candidate;
        LossCause::RenewDeadline
    }

    /// Gives the lease back. Only when the work is over.
    pub(super) fn release(&mut self, now: Now) -> Step {
        if self.term().is_none() {
            return Step::Released;
        }
        self.mode = Mode::Releasing;
        self.attempt(now)
    }

    /// The step that follows from what came of the last one.
    pub(super) fn next(&mut self, outcome: Outcome, now: Now) -> Step {
        if self.term().is_some_and(|term| now.at >= term.cancel) {
            // Whatever came: it came too late, for instance because this process was suspended.
            return Step::Lost(self.give_up());
        }
        match outcome {
            Outcome::Waited => self.attempt(now),
            Outcome::Got(found) => {
                self.read = true;
                match found {
                    Some(lease) => self.saw(lease, now),
                    None => self.object = None,
                }
                self.decide(now)
            }
            Outcome::Written(lease) => self.written(lease, now),
            // One more look in the same attempt; a second surprise can wait.
            Outcome::Failed(Failure::Conflict) if !self.read && self.mode != Mode::Candidate => {
                self.ask(Step::Get, now)
            }
            Outcome::Failed(_) => self.wait(now),
        }
    }

    fn attempt(&mut self, now: Now) -> Step {
        self.attempted = now.at;
        self.read = false;
        match self.mode {
            // The version last seen is probably still the newest: one request, not two.
            Mode::Leader { .. } | Mode::Releasing if self.object.is_some() => self.write(now),
            _ => self.ask(Step::Get, now),
        }
    }

    /// What to do about the object as it was just read.
    fn decide(&mut self, now: Now) -> Step {
        let record = self.object.as_deref().map(Record::of);
        let ours = record.as_ref().is_some_and(|record| record.is_held_by(&self.rules.identity));
        match (self.mode, record) {
            (Mode::Candidate, _) if self.rival_until.is_some_and(|until| now.at < until) => {
                self.wait(now)
            }
            // For a leader, an absent object says nothing about who leads: it is made anew.
            (Mode::Candidate, _) | (Mode::Leader { .. }, None) => self.write(now),
            (Mode::Leader { .. } | Mode::Releasing, Some(_)) if ours => self.write(now),
            (Mode::Leader { .. }, Some(record)) => {
                self.mode = Mode::Candidate;
                Step::Lost(record.holder.map_or(LossCause::Cleared, LossCause::TakenBy))
            }
            (Mode::Releasing, _) => {
                self.mode = Mode::Candidate;
                Step::Released
            }
        }
    }

    fn written(&mut self, lease: Box<Lease>, now: Now) -> Step {
        let renewed = self.asked;
        let ours = Record::of(&lease).is_held_by(&self.rules.identity);
        self.saw(lease, now);
        match self.mode {
            Mode::Releasing => {
                self.mode = Mode::Candidate;
                Step::Released
            }
            // The server wrote something else than it was asked to.
            Mode::Candidate if !ours => self.wait(now),
            Mode::Leader { .. } if !ours => self.decide(now),
            Mode::Candidate | Mode::Leader { .. } => {
                self.rival_until = None;
                self.mode = Mode::Leader { renewed };
                if self.term().is_some_and(|term| now.at >= term.cancel) {
                    return Step::Lost(self.give_up());
                }
                self.wait(now)
            }
        }
    }

    /// Notes an object. A rival's time begins when a change is seen: the times in the record are
    /// another clock's.
    fn saw(&mut self, lease: Box<Lease>, now: Now) {
        let seen = (lease.metadata.uid.clone(), Record::of(&lease));
        self.object = Some(lease);
        if self.seen.as_ref() == Some(&seen) {
            return;
        }
        match &seen.1.holder {
            None => self.rival_until = None,
            Some(holder) if **holder != *self.rules.identity => {
                let duration = seen.1.duration.unwrap_or(self.rules.lease_duration);
                self.rival_until = Some(now.at + duration);
            }
            // Ours, though we may not have written it just now: a rival seen before may still lead.
            Some(_) => {}
        }
        self.seen = Some(seen);
    }

    /// Writes our record: a renewal, an acquisition or a release.
    fn write(&mut self, now: Now) -> Step {
        let before = self.seen.as_ref().map(|(_, record)| record.clone());
        let before = before.unwrap_or_default();
        let renewed = before.renewal_time(now.wall);
        let record = if self.mode == Mode::Releasing {
            Record {
                holder: None,
                duration: Some(Duration::from_secs(1)),
                acquired: Some(renewed),
                renewed: Some(renewed),
                transitions: before.transitions,
            }
        } else {
            let ours = before.is_held_by(&self.rules.identity);
            let first = self.seen.is_none();
            Record {
                holder: Some(self.rules.identity.clone()),
                duration: Some(self.rules.lease_duration),
                acquired: before.acquired.filter(|_| ours).or(Some(renewed)),
                renewed: Some(renewed),
                transitions: before.transitions.saturating_add(u32::from(!ours && !first)),
            }
        };
        let step = match (&self.object, self.mode) {
            (Some(object), _) => {
                let mut lease = object.clone();
                record.write_to(&mut lease);
                Step::Replace(lease)
            }
            (None, Mode::Releasing) => Step::Released,
            (None, _) => Step::Create(Box::new(record.into_lease(&self.rules.name))),
        };
        self.ask(step, now)
    }

    fn ask(&mut self, step: Step, now: Now) -> Step {
        self.asked = now.at;
        step
    }

    /// Until the next attempt. A leader keeps its beat; candidates spread out.
    fn wait(&mut self, now: Now) -> Step {
        let period = self.rules.retry_period;
        Step::Wait(match self.mode {
            Mode::Candidate => period.mul_f64(1.0 + JITTER * self.rng.f64()),
            _ => (self.attempted + period).saturating_duration_since(now.at),
        })
    }
}
