//! How long to wait after a failure.
//!
//! The curve is a policy that can be exchanged; when it starts over is not: only after the source
//! was healthy for two minutes on end, so an outage that lets one request through in between is
//! still one outage.

use std::fmt;
use std::time::Duration;

use crate::panic::catch;
use backon::{BackoffBuilder, ExponentialBuilder};
use fastrand::Rng;
use tokio::time::Instant;

/// The first delay, and within how much the first restart after a lost connection is spread out.
pub(super) const FIRST: Duration = Duration::from_millis(800);
const LONGEST: Duration = Duration::from_secs(30);
/// No server is stayed away from longer than this, whatever it asks for.
const LONGEST_ASKED: Duration = Duration::from_secs(600);
/// By how much of itself a delay that the server asked for is lengthened at most: many clients are
/// told the same delay at the same moment.
const SPREAD: f64 = 0.5;
/// How long a source is healthy on end, or free of a fault, before the delays start over.
pub(super) const HEALTHY_AFTER: Duration = Duration::from_secs(120);

/// The delays between one failure and the next attempt.
///
/// By default client-go's: 800 ms, doubling to 30 s, each lengthened by up to its own length at
/// random. Any [`backon`] builder is made one by [`from_backon`].
pub trait BackoffPolicy: Send + Sync + 'static {
    /// The next delay.
    fn next_delay(&mut self) -> Duration;

    /// Starts over with the shortest delay.
    fn reset(&mut self);
}

/// A policy of whatever a `backon` builder builds; when its delays run out, the last one repeats.
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

/// Of two seeds the jitters differ: informers that lost one server must not come back in step.
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

/// A policy of the `backoff` crate drives the reflector; when it gives up, the last delay repeats.
///
/// That crate is unmaintained (RUSTSEC-2025-0012); this is for who has such policies already.
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

/// A policy, and the health that decides when it starts over.
pub(super) struct Pauses {
    policy: Box<dyn BackoffPolicy>,
    rng: Rng,
    healthy_since: Option<Instant>,
    /// Whether there was a failure since the policy started over.
    outage: bool,
}

impl Pauses {
    pub(super) fn new(policy: Box<dyn BackoffPolicy>, rng: Rng) -> Self {
        Self { policy, rng, healthy_since: None, outage: false }
    }

    /// The source has been healthy since this moment, if not longer.
    pub(super) fn healthy(&mut self, since: Instant) {
        self.healthy_since = Some(self.healthy_since.map_or(since, |known| known.min(since)));
    }

    /// How long to wait after a failure: no less than the server asked for, and not in step with
    /// others that it asked the same.
    pub(super) fn after_failure(&mut self, now: Instant, asked: Option<Duration>) -> Duration {
        self.fail(now);
        let asked = asked.unwrap_or_default().min(LONGEST_ASKED);
        let spread = asked.mul_f64(SPREAD * self.rng.f64());
        self.next_delay().max(asked + spread)
    }

    /// How long to wait after what is no outage by itself, such as a lost connection: `first`,
    /// unless it happens in an outage.
    pub(super) fn after_hiccup(&mut self, now: Instant, first: Duration) -> Duration {
        if self.fail(now) { first } else { self.next_delay() }
    }

    /// The policy's next delay. The policy is user code: where it panics, the longest delay of the
    /// default stands in.
    fn next_delay(&mut self) -> Duration {
        let policy = &mut self.policy;
        catch(|| policy.next_delay()).unwrap_or_else(|message| {
            tracing::error!(message, "backoff policy panicked");
            LONGEST
        })
    }

    /// Notes a failure; whether it begins an outage.
    fn fail(&mut self, now: Instant) -> bool {
        let healthy = self.healthy_since.take();
        if healthy.is_some_and(|since| now.saturating_duration_since(since) >= HEALTHY_AFTER) {
            let policy = &mut self.policy;
            if let Err(message) = catch(|| policy.reset()) {
                tracing::error!(message, "backoff policy panicked at its reset");
            }
            self.outage = false;
        }
        !std::mem::replace(&mut self.outage, true)
    }
}

impl fmt::Debug for Pauses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pauses").field("outage", &self.outage).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[test]
    fn delays_double_to_thirty_seconds_and_are_lengthened_by_at_most_themselves() {
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
    fn no_two_seeds_come_back_in_step() {
        let delays = |seed| {
            let mut policy = default_policy(seed);
            [(); 8].map(|()| policy.next_delay())
        };
        assert_eq!(delays(1), delays(1));
        assert!(delays(1).iter().zip(delays(2)).all(|(one, other)| *one != other));
    }

    #[test]
    fn one_good_answer_in_an_outage_does_not_start_over() {
        let mut pauses = Pauses::new(Box::new(default_policy(7)), Rng::with_seed(7));
        let mut now = Instant::now();
        for _ in 0..10 {
            now += pauses.after_failure(now, None);
            pauses.healthy(now);
            now += seconds(60);
        }
        assert!(pauses.after_failure(now, None) >= LONGEST);
        pauses.healthy(now);
        pauses.healthy(now + seconds(119));
        assert!(pauses.after_failure(now + seconds(120), None) <= 2 * FIRST);
    }

    #[test]
    fn what_the_server_asks_for_is_the_least() {
        let mut pauses = Pauses::new(Box::new(default_policy(7)), Rng::with_seed(7));
        let asked = seconds(100);
        let delays = [(); 20].map(|()| pauses.after_failure(Instant::now(), Some(asked)));
        assert!(delays.iter().all(|delay| (asked..asked.mul_f64(1.0 + SPREAD)).contains(delay)));
        assert!(delays.iter().any(|delay| *delay > asked.mul_f64(1.0 + SPREAD / 2.0)), "spread");
        assert!(pauses.after_failure(Instant::now(), Some(seconds(1))) >= 2 * FIRST);
        let longest = pauses.after_failure(Instant::now(), Some(Duration::MAX));
        assert!(longest >= LONGEST_ASKED && longest < 2 * LONGEST_ASKED);
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
    fn a_policy_that_panics_is_a_long_delay() {
        let mut pauses = Pauses::new(Box::new(Panicking), Rng::with_seed(7));
        let now = Instant::now();
        assert_eq!(pauses.after_failure(now, None), LONGEST);
        pauses.healthy(now);
        assert_eq!(pauses.after_hiccup(now + seconds(200), seconds(1)), seconds(1));
    }
}
