//! The relist that is scheduled because an item could not be used.

use std::time::Duration;

use fastrand::Rng;
use tokio::time::Instant;

use crate::reflector::backoff::{FIRST, HEALTHY_AFTER};
use crate::reflector::status::RelistCause;

/// The longest time to watch before the relist that an undecodable item requires, without jitter.
const MAX_WATCH_BEFORE_RELIST: Duration = Duration::from_secs(120);

/// The schedule of relists that items require because they could not be used.
#[derive(Debug, Default)]
pub(super) struct RelistSchedule {
    /// The time at which a relist is due.
    due: Option<Instant>,
    /// The number of such relists, until none was needed for some time.
    relists: u32,
    /// The time at which the last one was finished.
    finished: Option<Instant>,
    /// True if a watch that began from nothing requires the next one.
    replayed: bool,
}

impl RelistSchedule {
    /// Schedules a relist, unless one is scheduled. Returns the time at which it is due.
    pub(super) fn schedule(&mut self, now: Instant, rng: &mut Rng) -> Instant {
        if let Some(due) = self.due {
            return due;
        }
        let quiet = self.finished.map(|at| now.saturating_duration_since(at));
        if quiet.is_some_and(|quiet| quiet >= HEALTHY_AFTER) {
            self.relists = 0;
        }
        let doubled = FIRST.saturating_mul(1 << self.relists.min(10));
        self.relists += 1;
        let delay = doubled.min(MAX_WATCH_BEFORE_RELIST);
        *self.due.insert(now + delay + delay.mul_f64(rng.f64()))
    }

    /// Notes that a watch which began from nothing requires the next relist.
    pub(super) fn note_replay(&mut self) {
        self.replayed = true;
    }

    /// Returns the cause of the scheduled relist.
    pub(super) fn cause(&self) -> RelistCause {
        if self.replayed { RelistCause::Replayed } else { RelistCause::UndecodableItem }
    }

    /// Returns whether a relist is scheduled.
    pub(super) fn is_pending(&self) -> bool {
        self.due.is_some()
    }

    /// Returns the time until the scheduled relist, if there is one.
    pub(super) fn left(&self, now: Instant) -> Option<Duration> {
        self.due.map(|due| due.saturating_duration_since(now))
    }

    /// Notes that everything was listed.
    pub(super) fn note_relist(&mut self, now: Instant) {
        self.replayed = false;
        if self.due.take().is_some() {
            self.finished = Some(now);
        }
    }
}
