//! Deadlines that no duration can overflow.

use std::time::Duration;

use tokio::time::Instant;

/// A duration that counts as never: longer than a process lives, and within what every clock can
/// add.
const NEVER: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// Returns the instant `delay` after `start`. A delay above 30 years is cut to 30 years.
pub(crate) fn after(start: Instant, delay: Duration) -> Instant {
    start + delay.min(NEVER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_duration_has_a_deadline() {
        let now = Instant::now();
        assert_eq!(after(now, Duration::from_secs(7)), now + Duration::from_secs(7));
        assert!(after(now, Duration::MAX) > now + Duration::from_secs(86_400));
        assert!(after(after(now, Duration::MAX), Duration::MAX) > now);
    }
}
