//! Counts of durations, in steps of 5 µs: a few hundred kilobytes, however many there are.

use std::time::Duration;

const STEP: u128 = 5;
const STEPS: usize = 100_000;

pub(crate) struct Spread {
    counts: Vec<u32>,
    pub(crate) total: u64,
    pub(crate) longest: Duration,
    pub(crate) over_a_millisecond: u64,
}

impl Default for Spread {
    fn default() -> Self {
        // Not zero, so that the memory is there before it is measured.
        let mut counts = vec![1; STEPS];
        counts.fill(0);
        Self { counts, total: 0, longest: Duration::ZERO, over_a_millisecond: 0 }
    }
}

impl Spread {
    pub(crate) fn add(&mut self, duration: Duration) {
        let step = usize::try_from(duration.as_micros() / STEP).unwrap_or(usize::MAX);
        self.counts[step.min(STEPS - 1)] += 1;
        self.total += 1;
        self.longest = self.longest.max(duration);
        self.over_a_millisecond += u64::from(duration > Duration::from_millis(1));
    }

    /// The duration that this share of all does not exceed.
    pub(crate) fn at(&self, share: f64) -> Duration {
        let wanted = (self.total as f64 * share).ceil() as u64;
        let mut so_far = 0;
        let step = self.counts.iter().position(|count| {
            so_far += u64::from(*count);
            so_far >= wanted
        });
        let end = Duration::from_micros((step.unwrap_or(0) as u64 + 1) * STEP as u64);
        end.min(self.longest)
    }
}
