//! Deadlines that no duration can overflow, and durations as seconds in a status.

use std::time::Duration;

use tokio::time::Instant;

/// A duration that counts as never: longer than a process lives, and within what every clock can
/// add.
const NEVER: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// Returns the instant `delay` after `start`. A delay above 30 years is cut to 30 years.
pub(crate) fn after(start: Instant, delay: Duration) -> Instant {
    start + delay.min(NEVER)
}

/// Serialises durations as seconds, the unit that Prometheus uses.
pub(crate) mod seconds {
    use std::time::Duration;

    use serde::Serializer;

    /// Serialises a duration as seconds, with fractions. For `#[serde(with)]`.
    pub(crate) fn serialize<S: Serializer>(
        duration: &Duration,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(duration.as_secs_f64())
    }

    /// Serialises an optional duration.
    pub(crate) mod optional {
        use super::{Duration, Serializer};

        #[expect(clippy::ref_option, reason = "what serde hands over")]
        pub(crate) fn serialize<S: Serializer>(
            duration: &Option<Duration>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            match duration {
                Some(duration) => super::serialize(duration, serializer),
                None => serializer.serialize_none(),
            }
        }
    }
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
