//! The times of a lease: as options, in a term, and as a Lease stores them.

use std::time::Duration;

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// The divisor of the lease duration that gives the margin at its end. The margin covers clocks
/// that run at different rates, and requests that dropped work still has on the wire.
const MARGIN_DIVISOR: u32 = 10;

/// The time that dropped work gets to end. Only work that blocks a thread takes longer.
pub(crate) const DROP_TIMEOUT: Duration = Duration::from_millis(100);

/// The time that work gets to end after a stop, unless set. A little less than a pod's grace
/// period.
pub(crate) const GRACE: Duration = Duration::from_secs(25);

/// The longest grace: a timer cannot be set for ever.
pub(crate) const LONGEST_GRACE: Duration = Duration::from_secs(365 * 24 * 3_600);

/// The shortest retry period.
const SHORTEST_RETRY: Duration = Duration::from_millis(1);

/// The options that decide on the times of a lease. The defaults are client-go's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    /// The time for which others leave the lease alone after they saw it change.
    pub(crate) duration: Duration,
    /// The time without a successful renewal after which the holder tells its work to stop.
    pub(crate) renew_deadline: Duration,
    /// The time between two renewals, and between attempts after a failure.
    pub(crate) retry_period: Duration,
}

/// An option of an election or a sharding that is empty, out of range or an invalid name, or times
/// that contradict one another. The text says what to set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidOptions(pub(crate) String);

impl InvalidOptions {
    pub(crate) const NO_IDENTITY: &str = "the identity is empty: leave it unset or give it a value";
}

/// The times of a term, if no renewal succeeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Term {
    /// The time at which all work is told to stop. No work begins later.
    pub(crate) cancel: Instant,
    /// The time at which all work must have ended.
    pub(crate) abort: Instant,
    /// The time at which others may begin, if all clocks run alike.
    pub(crate) expires: Instant,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry_period: Duration::from_secs(2),
        }
    }
}

impl Times {
    /// Checks the times. The renew deadline must exceed this many retry periods.
    pub(crate) fn check(&self, attempts: f64) -> Result<(), InvalidOptions> {
        let Self { duration: lease, renew_deadline: renew, retry_period: retry } = *self;
        let problem = if retry < SHORTEST_RETRY {
            "the retry period must be at least a millisecond".to_owned()
        // Rounded up, it must still fit.
        } else if i32::try_from(lease.as_secs()).map_or(true, |seconds| seconds == i32::MAX) {
            format!("the lease duration ({lease:?}) must be less than 2147483647 seconds")
        } else if lease <= renew {
            format!(
                "the lease duration ({lease:?}) must be longer than the renew deadline ({renew:?})"
            )
        } else if renew.as_secs_f64() <= attempts * retry.as_secs_f64() {
            format!(
                "the renew deadline ({renew:?}) must be longer than {attempts} retry periods \
                 ({retry:?}): there must be time to try again"
            )
        } else {
            return Ok(());
        };
        Err(InvalidOptions(problem))
    }

    /// Returns the timeout of a request about the Lease.
    pub(crate) fn request_timeout(&self) -> Duration {
        self.renew_deadline / 2
    }

    /// Returns the times of a term whose last successful renewal began at `renewed`, and was
    /// granted this duration.
    pub(crate) fn term(&self, renewed: Instant, granted: Duration) -> Term {
        let usable = granted.saturating_sub(margin(granted));
        Term {
            cancel: renewed + self.renew_deadline.min(usable),
            abort: renewed + usable,
            expires: renewed + granted,
        }
    }
}

/// Returns the margin at the end of a lease: no work may run in it.
pub(crate) fn margin(granted: Duration) -> Duration {
    granted / MARGIN_DIVISOR
}

/// The most by which a renewal time may be ahead of the clock of the next holder. A time further
/// ahead does not tell of a renewal: "never" is written as the end of the year 9999.
const MOST_AHEAD: SignedDuration = SignedDuration::from_hours(24);

/// Returns a renewal time after the last one, even if the wall clock went back by up to a day.
///
/// A write that changes nothing gets no new version, and others would not see it.
pub(crate) fn renewal_after(last: Option<Timestamp>, wall: Timestamp) -> Timestamp {
    let tick = SignedDuration::from_micros(1);
    let after = last.and_then(|last| last.checked_add(tick).ok());
    let after = after.filter(|after| after.duration_since(wall) <= MOST_AHEAD);
    after.map_or(wall, |after| after.max(wall))
}

/// Returns a time in whole microseconds, as a Lease stores it.
pub(crate) fn whole_microseconds(time: Timestamp) -> i128 {
    time.as_nanosecond().div_euclid(1_000)
}

/// Rounds up: others may wait too long, but never too short.
pub(crate) fn rounded_up_seconds(duration: Duration) -> i32 {
    let up = u64::from(duration.subsec_nanos() > 0);
    i32::try_from(duration.as_secs().saturating_add(up)).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duration_is_rounded_up() {
        assert_eq!(rounded_up_seconds(Duration::from_secs(15)), 15);
        assert_eq!(rounded_up_seconds(Duration::from_millis(1_001)), 2);
        assert_eq!(rounded_up_seconds(Duration::from_nanos(1)), 1);
        assert_eq!(rounded_up_seconds(Duration::MAX), i32::MAX);
    }

    #[test]
    fn work_ends_before_the_lease() {
        let (start, seconds) = (Instant::now(), Duration::from_secs);
        let term = |granted| Times::default().term(start, granted);
        let own = Term {
            cancel: start + seconds(10),
            abort: start + Duration::from_millis(13_500),
            expires: start + seconds(15),
        };
        assert_eq!(term(seconds(15)), own);
        let shorter = term(seconds(10));
        assert_eq!((shorter.cancel, shorter.abort), (start + seconds(9), start + seconds(9)));
        assert_eq!(shorter.abort + margin(seconds(10)), shorter.expires);
    }

    #[test]
    fn times_are_storable_and_leave_a_second_attempt() {
        let check = |duration, renew_deadline, retry_period| {
            let [duration, renew_deadline, retry_period] =
                [duration, renew_deadline, retry_period].map(Duration::from_millis);
            Times { duration, renew_deadline, retry_period }.check(1.2)
        };
        assert_eq!(Times::default().check(2.0), Ok(()));
        let longest = u64::from(u32::MAX >> 1) * 1_000;
        assert_eq!(check(longest - 1, 10_000, 2_000), Ok(()));
        let retry_period = SHORTEST_RETRY / 2;
        let flooding = Times { retry_period, ..Times::default() }.check(1.2);
        for (refused, problem) in [
            (check(longest, 10_000, 2_000), "the lease duration (2147483647s) must be less than"),
            (check(15_000, 10_000, 0), "the retry period must be"),
            (flooding, "the retry period must be"),
            (
                check(15_000, 2_400, 2_000),
                "the renew deadline (2.4s) must be longer than 1.2 retry periods (2s)",
            ),
            (check(10_000, 10_000, 2_000), "the lease duration (10s) must be longer than"),
        ] {
            let refused = refused.unwrap_err().to_string();
            assert!(refused.starts_with(problem), "{refused}");
        }
    }
}
