//! A rate limit for opening lists and watches.

use std::time::Duration;

use tokio::time::Instant;

/// The interval between two openings at the steady rate.
pub(super) const INTERVAL: Duration = Duration::from_secs(1);

/// The number of openings without a pause after a quiet time. It is enough for a first list, a few
/// expired versions, their quorum lists, and the watches in between.
const BURST: u32 = 10;

/// A rate limiter for opening lists and watches: a burst, then one per interval.
///
/// First lists, and watches that last for minutes, are not delayed. A source that ends each answer
/// at once gets one request per interval.
#[derive(Debug, Default)]
pub(super) struct Gate {
    /// The time of the next opening at the steady rate.
    due: Option<Instant>,
}

impl Gate {
    /// Admits one opening now, if the rate allows it.
    ///
    /// # Errors
    /// The time to wait before the next attempt. Nothing was admitted.
    pub(super) fn admit(&mut self, now: Instant) -> Result<(), Duration> {
        let delay = self.delay(now);
        if !delay.is_zero() {
            return Err(delay);
        }
        self.due = Some(self.due.map_or(now, |due| due.max(now)) + INTERVAL);
        Ok(())
    }

    /// Returns the time until an opening is admitted.
    pub(super) fn delay(&self, now: Instant) -> Duration {
        let ahead = self.due.map_or(Duration::ZERO, |due| due.saturating_duration_since(now));
        ahead.saturating_sub(INTERVAL * (BURST - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn burst_passes_then_one_per_interval() {
        let mut gate = Gate::default();
        let start = Instant::now();
        let (mut now, mut admitted) = (start, 0);
        while now < start + 100 * INTERVAL {
            match gate.admit(now) {
                Ok(()) => admitted += 1,
                Err(delay) => {
                    assert!(!delay.is_zero() && delay <= INTERVAL, "{delay:?}");
                    now += delay;
                }
            }
        }
        assert_eq!(admitted, 100 + BURST - 1);
        now += 2 * BURST * INTERVAL;
        assert!((0..BURST).all(|_| gate.admit(now).is_ok()), "quiet times give the burst back");
        assert_eq!(gate.admit(now), Err(INTERVAL));
    }
}
