//! Durations as seconds, in what is serialised: Prometheus' unit, and a number in any language.

use std::time::Duration;

use serde::Serializer;

/// For `#[serde(with)]`: seconds, with fractions.
pub(crate) fn serialize<S: Serializer>(
    duration: &Duration,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_secs_f64())
}

/// The same of what may not be there.
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
