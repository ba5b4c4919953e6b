//! Serialises durations as seconds, the unit that Prometheus uses.

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
