//! The pace of requests, whatever the last one brought.

use std::time::Duration;

use tokio::time::Instant;

/// The steady interval between two openings.
pub(super) const INTERVAL: Duration = Duration::from_secs(1);

/// How many openings may follow each other at once after a quiet time: enough for a first list, a few
/// expired versions, their quorum lists and the watches between them.
const BURST: u32 = 10;

/// Admits the opening of lists and watches: a few at once, then one an interval.
///
/// A watch that ends after minutes, and a first list, pass at once. A source that ends each answer
/// as soon as it is opened gets one request an interval.
#[derive(Debug, Default)]
pub(super) struct Gate {
    /// When the next opening would be due if all came at the steady interval.
    due: Option<Instant>,
}

impl Gate {
    /// Admits one opening now.
    ///
    /// # Errors
    /// How long to wait before asking again; nothing was admitted.
    pub(super) fn admit(&mut self, now: Instant) -> Result<(), Duration> {
        let due = self.due.map_or(now, |due| due.max(now));
        let most_ahead = INTERVAL * (BURST - 1);
        let ahead = due.duration_since(now);
        if ahead > most_ahead {
            return Err(ahead.saturating_sub(most_ahead));
        }
        self.due = Some(due + INTERVAL);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_pass_at_once_and_then_one_an_interval() {
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
