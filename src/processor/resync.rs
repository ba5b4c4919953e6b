//! When one handler is to be told everything again.

use std::time::Duration;

use tokio::time::Instant;

/// How early a resync may begin to share a pass with another, as a fraction of its period.
const EARLY: u32 = 64;

/// The most by which a resync begins early.
const EARLIEST: Duration = Duration::from_secs(1);

/// The periods of one handler: a grid from the moment it was added, or the informer was started.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resync {
    period: Option<Duration>,
    /// The end of the present period.
    next: Option<Instant>,
    /// A resync goes on.
    running: bool,
}

impl Resync {
    pub(super) fn new(period: Option<Duration>, now: Instant) -> Self {
        let mut resync = Self { period, next: None, running: false };
        resync.start(now);
        resync
    }

    pub(super) fn period(&self) -> Option<Duration> {
        self.period
    }

    /// Begins the first period at `now`.
    pub(super) fn start(&mut self, now: Instant) {
        self.next = self.period.and_then(|period| now.checked_add(period));
    }

    /// When the next resync is due; `None` while one goes on.
    pub(super) fn next(&self) -> Option<Instant> {
        self.next.filter(|_| !self.running)
    }

    /// Returns whether a resync is due. Periods that are wholly over count as one, and the grid
    /// stays where it is: a late look moves no later period.
    pub(super) fn pass(&mut self, now: Instant) -> bool {
        let (Some(next), Some(period)) = (self.next, self.period) else { return false };
        let early = (period / EARLY).min(EARLIEST);
        if next > now + early {
            return false;
        }
        let over = now.saturating_duration_since(next).as_nanos() / period.as_nanos().max(1);
        let over = u32::try_from(over).unwrap_or(u32::MAX).saturating_add(1);
        self.next = period.checked_mul(over).and_then(|over| next.checked_add(over));
        true
    }

    /// As [`pass`](Self::pass); the resync goes on until [`end`](Self::end), and no other begins.
    pub(super) fn begin(&mut self, now: Instant) -> bool {
        if self.running {
            return false;
        }
        self.running = self.pass(now);
        self.running
    }

    pub(super) fn end(&mut self) {
        self.running = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn late_looks_skip_no_period() {
        let start = Instant::now();
        let mut resync = Resync::new(Some(SECOND), start);
        // Each look comes a little late, each time less so.
        for n in 1..=100 {
            let now = start + n * SECOND + Duration::from_millis(u64::from(200 - n));
            assert!(resync.begin(now), "period {n}");
            assert!(!resync.begin(now), "one at a time");
            resync.end();
            assert!(!resync.begin(now), "once a period");
        }
    }

    #[test]
    fn periods_that_were_slept_through_count_as_one() {
        let start = Instant::now();
        let mut resync = Resync::new(Some(SECOND), start);
        assert!(resync.pass(start + SECOND * 7 / 2));
        assert_eq!(resync.next(), Some(start + 4 * SECOND), "the grid stays");
        assert!(!resync.pass(start + SECOND * 15 / 4));
        assert!(resync.pass(start + 4 * SECOND));
    }

    #[test]
    fn no_period_is_never_due() {
        let now = Instant::now();
        let mut resync = Resync::new(None, now);
        assert!(!resync.begin(now + 1_000_000 * SECOND));
        assert_eq!(resync.next(), None);
    }
}
