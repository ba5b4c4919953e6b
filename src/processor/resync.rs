//! The resync schedule of one handler.

use std::time::Duration;

use tokio::time::Instant;

/// A resync may begin early by this fraction of its period (1/64), to share a pass with another.
const EARLY: u32 = 64;

/// The longest time by which a resync begins early.
const EARLIEST: Duration = Duration::from_secs(1);

/// The resync periods of one handler: a fixed grid that starts when the handler is added or the
/// informer is started.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resync {
    period: Option<Duration>,
    /// The end of the current period.
    next: Option<Instant>,
    /// True while a resync runs.
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

    /// Returns when the next resync is due. `None` while one runs.
    pub(super) fn next(&self) -> Option<Instant> {
        self.next.filter(|_| !self.running)
    }

    /// Returns whether a resync is due, and moves on to the next period. Several missed periods
    /// count as one. The grid stays fixed: a late check does not shift later periods.
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

    /// Begins a resync if one is due, as [`pass`](Self::pass). It runs until [`end`](Self::end),
    /// and no other begins before.
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
    fn late_checks_skip_no_period() {
        let start = Instant::now();
        let mut resync = Resync::new(Some(SECOND), start);
        // Each check is late, by less each time.
        for n in 1..=100 {
            let now = start + n * SECOND + Duration::from_millis(u64::from(200 - n));
            assert!(resync.begin(now), "period {n}");
            assert!(!resync.begin(now), "one at a time");
            resync.end();
            assert!(!resync.begin(now), "once a period");
        }
    }

    #[test]
    fn missed_periods_count_as_one() {
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
