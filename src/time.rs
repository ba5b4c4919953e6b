//! Deadlines that no duration can overflow, durations as seconds in a status, and read barriers.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

#[cfg(not(any(test, feature = "testing")))]
use k8s_openapi::jiff::Timestamp;
#[cfg(any(test, feature = "testing"))]
pub use kube_embedded_apiserver::now;
use tokio::time::Instant;

/// A duration that counts as never: longer than a process lives, and within what every clock can
/// add.
const NEVER: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// Returns the instant `delay` after `start`. A delay above 30 years is cut to 30 years.
pub fn after(start: Instant, delay: Duration) -> Instant {
    start + delay.min(NEVER)
}

/// Returns the present time, by the system's clock.
#[cfg(not(any(test, feature = "testing")))]
pub fn now() -> Timestamp {
    Timestamp::now()
}

/// A moment after which a read must begin. Barriers have an order, and no two are equal.
///
/// The store of an informer lags behind the server. A program that must not act on an older state
/// than another process did makes a barrier, and waits until its informers are
/// [past](crate::SharedInformer::is_past) it: their stores then show the state of quorum reads that
/// began after it. Versions cannot tell that, unless the program knows one.
///
/// ```
/// use std::time::Duration;
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::informer::ReadBarrier;
/// use kube_informer::{SharedInformer, SyncError};
///
/// /// Counts the pods as of now or later, although the watch may lag.
/// async fn count_now(pods: &SharedInformer<Pod>) -> Result<usize, SyncError> {
///     pods.reach(ReadBarrier::now(), Duration::from_secs(10)).await?;
///     Ok(pods.lister().len())
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReadBarrier(u64);

impl ReadBarrier {
    /// The barrier before every other.
    pub const START: Self = Self(0);

    /// Returns a barrier that is later than all that were returned before.
    pub fn now() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self(LAST.fetch_add(1, Ordering::SeqCst) + 1)
    }
}

/// A century. A period this long counts as never, and every clock can still add it to any instant.
pub(crate) const CENTURY: Duration = Duration::from_secs(36_525 * 24 * 60 * 60);

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
