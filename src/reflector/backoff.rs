//! Delays after failures.
//!
//! Users can replace the policy that computes the delays, but not the rule for when it starts over.
//! It starts over after the source was healthy for two minutes without interruption. An outage
//! during which one request succeeds is therefore still one outage. It also starts over once in an
//! outage, when the server answers again: that it is busy, or that it has forgotten a version.

use std::fmt;
use std::time::Duration;

use crate::panic::catch;
use backon::{BackoffBuilder, ExponentialBuilder};
use fastrand::Rng;
use tokio::time::Instant;

/// The first delay. The first restart after a lost connection is spread over this time, too.
pub(super) const FIRST: Duration = Duration::from_millis(800);
const LONGEST: Duration = Duration::from_secs(30);
/// The longest delay that a server can request. A longer `Retry-After` is cut to it.
pub(super) const MAX_RETRY_AFTER: Duration = Duration::from_secs(600);
/// The largest fraction by which a requested delay is extended at random. A server requests the
/// same delay from many clients at the same moment.
const RETRY_AFTER_JITTER: f64 = 0.5;
/// The time that a source must be healthy, or free of a fault, before the delays start over.
pub(super) const HEALTHY_AFTER: Duration = Duration::from_secs(120);

/// A policy for the delays between a failure and the next attempt.
///
/// The default policy is client-go's: 800 ms, doubling up to 30 s, each extended by a random time
/// of up to its own length. [`from_backon`] makes a policy of any [`backon`] builder. After a
/// failure with a `Retry-After`, the reflector waits at least that long, up to ten minutes. If
/// `next_delay` panics, the panic is logged and the reflector waits 30 s.
///
/// The reflector calls `reset` after two healthy minutes. It also does so once in an outage, when
/// the server answers again with 429, or with 410 for the version of a watch.
///
/// A policy for tests, which retries at once and then waits:
///
/// ```
/// use std::time::Duration;
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::reflector::{BackoffPolicy, ReflectorOptions};
///
/// #[derive(Default)]
/// struct OnceAtOnce(bool);
///
/// impl BackoffPolicy for OnceAtOnce {
///     fn next_delay(&mut self) -> Duration {
///         let first = !std::mem::replace(&mut self.0, true);
///         if first { Duration::ZERO } else { Duration::from_secs(30) }
///     }
///     fn reset(&mut self) {
///         self.0 = false;
///     }
/// }
///
/// let options = ReflectorOptions::<Pod>::new().backoff(OnceAtOnce::default());
/// ```
pub trait BackoffPolicy: Send + Sync + 'static {
    /// Returns the next delay.
    fn next_delay(&mut self) -> Duration;

    /// Starts over with the first delay.
    fn reset(&mut self);
}

/// Creates a policy from a `backon` builder. When its delays run out, the last one repeats.
///
/// ```
/// use std::time::Duration;
/// use kube_informer::reflector::{BackoffPolicy, from_backon};
///
/// let builder = backon::ConstantBuilder::new().with_delay(Duration::from_secs(5));
/// let mut policy = from_backon(builder);
/// assert_eq!(policy.next_delay(), Duration::from_secs(5));
/// ```
pub fn from_backon<B>(builder: B) -> impl BackoffPolicy
where
    B: BackoffBuilder + Clone + Send + Sync + 'static,
    B::Backoff: Send + Sync + 'static,
{
    let delays = builder.clone().build();
    Backon { builder, delays, last: FIRST }
}

/// Creates the default policy. Different seeds give different jitters, so that informers that lost
/// the same server do not retry at the same moment.
pub(super) fn default_policy(seed: u64) -> impl BackoffPolicy {
    from_backon(
        ExponentialBuilder::new()
            .with_min_delay(FIRST)
            .with_max_delay(LONGEST)
            .with_factor(2.0)
            .with_jitter()
            .with_jitter_seed(seed)
            .without_max_times(),
    )
}

struct Backon<B: BackoffBuilder> {
    builder: B,
    delays: B::Backoff,
    last: Duration,
}

impl<B> BackoffPolicy for Backon<B>
where
    B: BackoffBuilder + Clone + Send + Sync + 'static,
    B::Backoff: Send + Sync + 'static,
{
    fn next_delay(&mut self) -> Duration {
        self.last = self.delays.next().unwrap_or(self.last);
        self.last
    }

    fn reset(&mut self) {
        self.delays = self.builder.clone().build();
    }
}

/// Creates a policy from one of the `backoff` crate. When it gives up, the last delay repeats.
///
/// That crate is unmaintained (RUSTSEC-2025-0012). Use this only for policies that you already
/// have.
///
/// ```
/// use std::time::Duration;
/// use backoff::backoff::Constant;
/// use kube_informer::reflector::{BackoffPolicy, from_backoff};
///
/// let mut policy = from_backoff(Constant::new(Duration::from_secs(5)));
/// assert_eq!(policy.next_delay(), Duration::from_secs(5));
/// ```
#[cfg(feature = "backoff")]
pub fn from_backoff<B: backoff::backoff::Backoff + Send + Sync + 'static>(
    policy: B,
) -> impl BackoffPolicy {
    Backoff { policy, last: FIRST }
}

#[cfg(feature = "backoff")]
struct Backoff<B> {
    policy: B,
    last: Duration,
}

#[cfg(feature = "backoff")]
impl<B: backoff::backoff::Backoff + Send + Sync + 'static> BackoffPolicy for Backoff<B> {
    fn next_delay(&mut self) -> Duration {
        self.last = self.policy.next_backoff().unwrap_or(self.last);
        self.last
    }

    fn reset(&mut self) {
        self.policy.reset();
    }
}

/// A policy, and the health of the source, which decides when the policy starts over.
pub(super) struct RetryDelays {
    policy: Box<dyn BackoffPolicy>,
    rng: Rng,
    healthy_since: Option<Instant>,
    /// True if there was a failure since the policy started over.
    outage: bool,
    /// True if the server has answered in this outage.
    answered: bool,
}

impl RetryDelays {
    pub(super) fn new(policy: Box<dyn BackoffPolicy>, rng: Rng) -> Self {
        Self { policy, rng, healthy_since: None, outage: false, answered: false }
    }

    /// Notes that the source has been healthy since this moment, or longer.
    pub(super) fn healthy(&mut self, since: Instant) {
        self.healthy_since = Some(self.healthy_since.map_or(since, |known| known.min(since)));
    }

    /// Returns the delay after a failure. It is at least what the server requested, extended at
    /// random so that clients do not retry at the same moment.
    pub(super) fn after_failure(&mut self, now: Instant, asked: Option<Duration>) -> Duration {
        self.fail(now);
        let asked = asked.unwrap_or_default().min(MAX_RETRY_AFTER);
        let spread = asked.mul_f64(RETRY_AFTER_JITTER * self.rng.f64());
        self.next_delay().max(asked + spread)
    }

    /// Returns the delay after an event that is no outage by itself, such as a lost connection. It
    /// is `first`, or the policy's next delay during an outage.
    pub(super) fn after_disconnect(&mut self, now: Instant, first: Duration) -> Duration {
        if self.fail(now) { first } else { self.next_delay() }
    }

    /// Notes that the server answers, although it does not give what was requested. The first such
    /// answer in an outage starts the delays over, because the long ones are for a server that
    /// can't be reached.
    pub(super) fn answered(&mut self, now: Instant) {
        self.end_outage(now);
        if !std::mem::replace(&mut self.answered, true) && self.outage {
            self.start_over();
        }
    }

    /// Returns the policy's next delay. The policy is user code: if it panics, this is the longest
    /// delay of the default policy.
    fn next_delay(&mut self) -> Duration {
        let policy = &mut self.policy;
        catch(|| policy.next_delay()).unwrap_or_else(|message| {
            tracing::error!(message, "backoff policy panicked");
            LONGEST
        })
    }

    /// Notes a failure. Returns whether it begins an outage.
    fn fail(&mut self, now: Instant) -> bool {
        self.end_outage(now);
        !std::mem::replace(&mut self.outage, true)
    }

    /// Ends an outage if the source was healthy for long enough. From here on it is not.
    fn end_outage(&mut self, now: Instant) {
        let healthy = self.healthy_since.take();
        if healthy.is_some_and(|since| now.saturating_duration_since(since) >= HEALTHY_AFTER) {
            self.start_over();
            (self.outage, self.answered) = (false, false);
        }
    }

    fn start_over(&mut self) {
        let policy = &mut self.policy;
        if let Err(message) = catch(|| policy.reset()) {
            tracing::error!(message, "backoff policy panicked at its reset");
        }
    }
}

impl fmt::Debug for RetryDelays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryDelays").field("outage", &self.outage).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[test]
    fn delays_double_to_thirty_seconds_with_jitter() {
        let mut policy = default_policy(7);
        let mut bare = FIRST;
        for _ in 0..50 {
            let delay = policy.next_delay();
            assert!(bare <= delay && delay <= 2 * bare, "{delay:?} is not in {bare:?}..+100 %");
            bare = (2 * bare).min(LONGEST);
        }
        policy.reset();
        assert!(policy.next_delay() <= 2 * FIRST);
    }

    #[test]
    fn different_seeds_give_different_delays() {
        let delays = |seed| {
            let mut policy = default_policy(seed);
            [(); 8].map(|()| policy.next_delay())
        };
        assert_eq!(delays(1), delays(1));
        assert!(delays(1).iter().zip(delays(2)).all(|(one, other)| *one != other));
    }

    #[test]
    fn one_success_in_an_outage_does_not_start_over() {
        let mut delays = RetryDelays::new(Box::new(default_policy(7)), Rng::with_seed(7));
        let mut now = Instant::now();
        for _ in 0..10 {
            now += delays.after_failure(now, None);
            delays.healthy(now);
            now += seconds(60);
        }
        assert!(delays.after_failure(now, None) >= LONGEST);
        delays.healthy(now);
        delays.healthy(now + seconds(119));
        assert!(delays.after_failure(now + seconds(120), None) <= 2 * FIRST);
    }

    #[test]
    fn answers_start_over_once_in_an_outage() {
        let mut delays = RetryDelays::new(Box::new(default_policy(7)), Rng::with_seed(7));
        let now = Instant::now();
        let unreachable = |delays: &mut RetryDelays| {
            for _ in 0..9 {
                delays.after_failure(now, None);
            }
        };
        unreachable(&mut delays);
        delays.answered(now);
        assert!(delays.after_failure(now, None) <= 2 * FIRST);
        delays.answered(now);
        assert!(delays.after_failure(now, None) >= 2 * FIRST, "not with each answer");
        delays.healthy(now);
        let later = now + HEALTHY_AFTER;
        delays.answered(later);
        assert!(delays.after_failure(later, None) <= 2 * FIRST);
        unreachable(&mut delays);
        delays.answered(later);
        assert!(delays.after_failure(later, None) >= LONGEST, "it has answered in this outage");
    }

    #[test]
    fn retry_after_is_the_minimum() {
        let mut retry = RetryDelays::new(Box::new(default_policy(7)), Rng::with_seed(7));
        let asked = seconds(100);
        let delays = [(); 20].map(|()| retry.after_failure(Instant::now(), Some(asked)));
        assert!(
            delays
                .iter()
                .all(|delay| (asked..asked.mul_f64(1.0 + RETRY_AFTER_JITTER)).contains(delay))
        );
        assert!(
            delays.iter().any(|delay| *delay > asked.mul_f64(1.0 + RETRY_AFTER_JITTER / 2.0)),
            "spread"
        );
        assert!(retry.after_failure(Instant::now(), Some(seconds(1))) >= 2 * FIRST);
        let longest = retry.after_failure(Instant::now(), Some(Duration::MAX));
        assert!(longest >= MAX_RETRY_AFTER && longest < 2 * MAX_RETRY_AFTER);
    }

    struct Panicking;

    impl BackoffPolicy for Panicking {
        fn next_delay(&mut self) -> Duration {
            panic!("no delay")
        }

        fn reset(&mut self) {
            panic!("no reset")
        }
    }

    #[test]
    fn panicking_policy_gives_a_long_delay() {
        let mut delays = RetryDelays::new(Box::new(Panicking), Rng::with_seed(7));
        let now = Instant::now();
        assert_eq!(delays.after_failure(now, None), LONGEST);
        delays.healthy(now);
        assert_eq!(delays.after_disconnect(now + seconds(200), seconds(1)), seconds(1));
    }
}
