//! The pause of a member's slot writes after refusals.
//!
//! A quota, a missing permission or a busy server refuses the writes of all slots alike. The member
//! therefore pauses all of them together, and then tries one. A success ends the pause.

use std::time::Duration;

use tokio::time::Instant;

use super::holdings::{PARALLEL, Pace};
use super::machine::{LeaseAnswer, RequestFailure};

/// The largest number of times that the pause doubles.
const MOST_DOUBLINGS: u32 = 3;

/// The longest pause that a server may ask for.
const LONGEST: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pause {
    pub(super) until: Option<Instant>,
    /// The number of refused tries in a row; at least 1 after a try without a clear answer.
    refusals: u32,
}

impl Pause {
    /// Returns the number of writes that may be on their way when no pause lasts.
    pub(super) fn parallel(&self) -> usize {
        if self.refusals > 0 { 1 } else { PARALLEL }
    }

    /// Notes the answer to a write.
    pub(super) fn answered(&mut self, answer: &LeaseAnswer, now: Instant, pace: Pace) {
        let later = |delay: Duration| now + delay.mul_f64(1.0 + pace.jitter / 4.0);
        match answer {
            LeaseAnswer::Slot(_) => *self = Self::default(),
            // It may be executed later, so nothing waits, but one write at a time is enough.
            LeaseAnswer::Failed(RequestFailure::Unknown) => self.refusals = self.refusals.max(1),
            // The other writes of the same round are refused, too.
            LeaseAnswer::Failed(RequestFailure::Refused) if !self.lasts(now) => {
                let delay = pace.period * (1 << self.refusals.min(MOST_DOUBLINGS));
                self.until = Some(later(delay));
                self.refusals = self.refusals.saturating_add(1);
            }
            // The server is busy for this long. One write then asks whether it still is.
            LeaseAnswer::Failed(RequestFailure::Throttled(pause)) => {
                self.until = self.until.max(Some(later(pause_for(*pause, pace.period))));
                self.refusals = self.refusals.max(1);
            }
            _ => {}
        }
    }

    /// Returns whether no write may be sent now.
    pub(super) fn lasts(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| now < until)
    }

    /// Ends the pause if its time has come. Returns whether it did.
    pub(super) fn end(&mut self, now: Instant) -> bool {
        self.until.take_if(|until| now >= *until).is_some()
    }
}

/// Returns the pause after an answer that asked for one: at least a retry period.
pub(super) fn pause_for(asked: Duration, period: Duration) -> Duration {
    asked.min(LONGEST).max(period)
}
