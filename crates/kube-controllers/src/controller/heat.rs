//! Keys that are reconciled again and again: the rules that find and slow them, and their report.

use std::collections::HashMap;
use std::fmt;
use std::hash::BuildHasher;
use std::time::Duration;

use foldhash::fast::RandomState;
use serde::Serialize;
use tokio::time::Instant;

use super::cause::{Causes, Trigger};
use crate::basics::after;
use kube_informer::object::ObjectKey;

/// The time in which the runs of a key are counted. A key stays hot for this long.
pub(super) const WINDOW: Duration = Duration::from_secs(10);

/// The number of runs within that time that makes a key hot: 30 a second. A key that runs as often
/// at one instant is slowed.
const HOT: u32 = 300;

/// The rate, in runs a second, of 300 runs that took no time: they count as one millisecond.
const INSTANT_RATE: f64 = 300_000.0;

/// The runs at one instant after which new keys are slowed, and the items after which a stream is.
/// The first sync of so many objects ends a millisecond later.
pub(super) const CROWD: usize = 5_000;

/// The first delay of keys that run at one instant. Each further one is twice as long.
pub(super) const FIRST_DELAY: Duration = Duration::from_millis(1);

/// The longest delay of keys that run at one instant.
pub(super) const LONGEST_DELAY: Duration = Duration::from_secs(10);

/// The pause between two warnings of one controller.
const WARNING_PAUSE: Duration = Duration::from_secs(60);

/// A key that was reconciled 300 times within ten seconds, or one of new keys that come
/// without end.
///
/// The ten seconds begin with a reconcile, and the next ten with the first reconcile after them. A
/// burst that falls into both may have up to 598 reconciles before it counts.
///
/// Such a key most often reacts to its own writes, or requeues itself with a delay of zero.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct HotKey {
    /// The object's key.
    pub key: String,
    /// The number of reconciles a second when the key was found. Zero for one of new keys.
    pub rate: f64,
    /// Its last triggers, the newest last. Empty if none are
    /// [kept](super::ControllerBuilder::triggers_kept).
    pub triggers: Vec<Trigger>,
}

impl HotKey {
    /// Returns whether the key, or one new key after another, runs without end while a paused clock
    /// stands still. It then waits longer before each run, so that the clock can move.
    pub fn spins(&self) -> bool {
        self.rate <= 0.0 || self.rate >= INSTANT_RATE
    }
}

impl fmt::Display for HotKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, rate, triggers } = self;
        if *rate <= 0.0 {
            write!(f, "{key} is one of new keys that come without end")?;
        } else if self.spins() {
            write!(f, "{key} was reconciled {HOT} times at one instant of a paused clock")?;
        } else {
            write!(f, "{key} was reconciled {rate:.0} times a second")?;
        }
        if triggers.is_empty() {
            return Ok(());
        }
        write!(f, " because of: {}", Causes(triggers))
    }
}

/// The runs of one key.
#[derive(Debug, Default)]
pub(super) struct Heat {
    /// The beginning of the current window, and the runs since then.
    window: Option<(Instant, u32)>,
    /// The time at which the key was last found hot, and its rate.
    hot: Option<(Instant, f64)>,
}

impl Heat {
    /// Notes that a run has ended. Returns the rate if this run makes the key hot.
    pub(super) fn ran(&mut self, now: Instant) -> Option<f64> {
        let since = |at: Instant| now.saturating_duration_since(at);
        let (began, runs) = self.window.filter(|(at, _)| since(*at) < WINDOW).unwrap_or((now, 0));
        self.window = Some((began, runs + 1));
        if runs + 1 < HOT {
            return None;
        }
        let rate = f64::from(HOT) / since(began).max(Duration::from_millis(1)).as_secs_f64();
        (self.window, self.hot) = (None, Some((now, rate)));
        Some(rate)
    }

    /// Returns the rate of a key that is hot, in runs a second.
    pub(super) fn rate(&self, now: Instant) -> Option<f64> {
        let (at, rate) = self.hot?;
        (now.saturating_duration_since(at) < WINDOW).then_some(rate)
    }
}

/// The keys that wait before each run.
///
/// Hot keys do so by choice. So do keys that run without end while the clock stands still, as only
/// a paused clock does. Each of them waits longer each time, so that the clock can move.
#[derive(Debug, Default)]
pub(super) struct SlowKeys {
    of: HashMap<ObjectKey, Slowed>,
    /// The instant of the last run, and the number of runs at it.
    last: Option<(Instant, usize)>,
    /// The runs of each key at that instant, by the key's hash.
    runs: HashMap<u64, u32, RandomState>,
    /// The instant at which new keys began to wait, and their delay.
    new_keys: Option<(Instant, Duration)>,
}

/// A key that waits before its next run.
#[derive(Debug)]
struct Slowed {
    delay: Duration,
    longest: Duration,
    until: Instant,
    /// True if the key came before that. Another one has rested.
    waits: bool,
    /// Zero for a new key, which waits only once.
    rate: f64,
}

impl SlowKeys {
    /// Returns the time that a key has to wait before its next run.
    pub(super) fn wait(&mut self, key: &ObjectKey, now: Instant) -> Option<Duration> {
        if let Some(slowed) = self.of.get_mut(key) {
            if now < slowed.until {
                slowed.waits = true;
                return Some(slowed.until - now);
            }
            if !slowed.waits {
                self.of.remove(key);
            }
            return None;
        }
        let runs = self.last.filter(|(at, _)| *at == now).map_or(0, |(_, runs)| runs);
        let delay = match self.new_keys {
            Some((since, delay)) if since == now => delay,
            // They come from those that have waited.
            Some((since, delay)) if after(since, delay) == now => (2 * delay).min(LONGEST_DELAY),
            _ if runs >= CROWD => FIRST_DELAY,
            _ => return None,
        };
        if runs > 0 && self.runs.contains_key(&self.runs.hasher().hash_one(key)) {
            return None;
        }
        self.new_keys = Some((now, delay));
        let (longest, until) = (delay, after(now, delay));
        self.of.insert(key.clone(), Slowed { delay, longest, until, waits: true, rate: 0.0 });
        Some(delay)
    }

    /// Notes that a run has ended. A key that this run makes hot, at this rate, waits for
    /// `hot_key_delay` from now on. Returns whether the key spins from now on. `None` if it is not
    /// slowed.
    pub(super) fn ran(
        &mut self,
        key: &ObjectKey,
        now: Instant,
        hot: Option<f64>,
        hot_key_delay: Duration,
    ) -> Option<bool> {
        let runs = self.last.filter(|(at, _)| *at == now).map_or(0, |(_, runs)| runs);
        if runs == 0 {
            self.runs.clear();
        }
        self.last = Some((now, runs + 1));
        let hash = self.runs.hasher().hash_one(key);
        let runs = self.runs.entry(hash).or_default();
        *runs += 1;
        let spins = *runs >= HOT;
        let known = self.of.remove(key);
        let begins = spins && known.is_none();
        let (delay, longest, rate) = match (known, hot) {
            (Some(known), _) if known.rate > 0.0 => {
                (known.delay.saturating_mul(2).min(known.longest), known.longest, known.rate)
            }
            (_, Some(rate)) if !hot_key_delay.is_zero() => (hot_key_delay, hot_key_delay, rate),
            _ if spins => (FIRST_DELAY, LONGEST_DELAY, INSTANT_RATE),
            (known, _) => return known?.is_shown(now).then_some(false),
        };
        if begins || hot.is_some() {
            self.of.retain(|_, slowed| now.saturating_duration_since(slowed.until) < WINDOW);
        }
        let slowed = Slowed { delay, longest, until: after(now, delay), waits: false, rate };
        self.of.insert(key.clone(), slowed);
        Some(begins)
    }

    /// Returns the rate of a key that waits before each run: zero for one of new keys.
    pub(super) fn rate(&self, key: &ObjectKey, now: Instant) -> Option<f64> {
        self.of.get(key).filter(|slowed| slowed.is_shown(now)).map(|slowed| slowed.rate)
    }

    /// Returns the keys that wait before each run.
    pub(super) fn keys(&self) -> impl Iterator<Item = &ObjectKey> {
        self.of.keys()
    }
}

impl Slowed {
    /// Returns whether the key is reported. The objects of a first sync wait once, and are not.
    fn is_shown(&self, now: Instant) -> bool {
        let repeats = self.rate > 0.0 || self.delay > FIRST_DELAY;
        repeats && now.saturating_duration_since(self.until) < WINDOW
    }
}

/// The time of the last warning of a controller.
#[derive(Debug, Default)]
pub(super) struct LastWarning(Option<Instant>);

impl LastWarning {
    /// Returns whether a warning is due, and notes it.
    pub(super) fn is_due(&mut self, now: Instant) -> bool {
        let due = self.0.is_none_or(|at| now.saturating_duration_since(at) >= WARNING_PAUSE);
        if due {
            self.0 = Some(now);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn key(number: usize) -> ObjectKey {
        ObjectKey::namespaced("shop", &format!("c-{number}")).unwrap()
    }

    /// Runs a key this often and this far apart. Returns how often it was found hot.
    fn runs(heat: &mut Heat, now: &mut Instant, times: u32, apart: Duration) -> usize {
        let found = (0..times).filter(|_| {
            *now += apart;
            heat.ran(*now).is_some()
        });
        found.count()
    }

    #[test]
    fn steady_fast_key_is_hot_until_it_rests() {
        let (mut heat, mut now) = (Heat::default(), Instant::now());
        assert_eq!(runs(&mut heat, &mut now, 1000, 40 * MS), 0, "25 a second");
        now += WINDOW;
        assert_eq!(runs(&mut heat, &mut now, 1200, 10 * MS), 4);
        let rate = heat.rate(now).unwrap();
        assert!((rate - 100.0).abs() < 1.0, "{rate}");
        assert!(heat.rate(now + WINDOW).is_none());
    }

    #[test]
    fn burst_of_changes_is_not_hot() {
        let (mut heat, mut now) = (Heat::default(), Instant::now());
        for _ in 0..10 {
            assert_eq!(runs(&mut heat, &mut now, 200, MS), 0);
            now += WINDOW;
        }
    }

    #[test]
    fn hot_key_waits_until_it_rests() {
        let (mut slow, mut now) = (SlowKeys::default(), Instant::now());
        for _ in 0..100 {
            assert_eq!(slow.ran(&key(0), now, Some(30.0), 1000 * MS), Some(false));
            assert_eq!(slow.wait(&key(0), now), Some(1000 * MS), "it runs as often as it may");
            now += 1000 * MS;
            assert_eq!(slow.wait(&key(0), now), None);
            assert_eq!(slow.rate(&key(0), now), Some(30.0));
        }
        slow.ran(&key(0), now, None, 1000 * MS);
        now += 1001 * MS;
        assert_eq!(slow.wait(&key(0), now), None);
        slow.ran(&key(0), now, None, 1000 * MS);
        assert_eq!(slow.wait(&key(0), now), None, "it has rested");
    }

    /// Runs a key that is always ready. Returns the runs before each delay, and the delays in
    /// milliseconds.
    fn spin(slow: &mut SlowKeys, now: &mut Instant, rounds: usize) -> Vec<(u32, u128)> {
        let (mut spun, mut runs) = (Vec::new(), 0);
        while spun.len() < rounds {
            if let Some(delay) = slow.wait(&key(0), *now) {
                assert_eq!(slow.wait(&key(0), *now), Some(delay), "asked twice");
                spun.push((std::mem::take(&mut runs), delay.as_millis()));
                *now += delay;
            } else {
                slow.ran(&key(0), *now, None, Duration::ZERO);
                runs += 1;
            }
        }
        spun
    }

    #[test]
    fn key_that_spins_waits_longer_until_it_rests() {
        let (mut slow, mut now) = (SlowKeys::default(), Instant::now());
        let delays = spin(&mut slow, &mut now, 16);
        assert_eq!(delays[..3], [(300, 1), (1, 2), (1, 4)]);
        assert_eq!(delays[12..], [(1, 4096), (1, 8192), (1, 10_000), (1, 10_000)]);
        assert_eq!(slow.rate(&key(0), now), Some(INSTANT_RATE));
        slow.ran(&key(0), now, None, Duration::ZERO);
        now += LONGEST_DELAY + MS;
        assert_eq!(spin(&mut slow, &mut now, 1), [(300, 1)], "it has rested");
        now += WINDOW + MS;
        assert_eq!(slow.rate(&key(0), now), None);
    }

    #[test]
    fn key_that_needs_time_is_not_slowed() {
        let (mut slow, mut now) = (SlowKeys::default(), Instant::now());
        for _ in 0..2000 {
            assert_eq!(slow.wait(&key(0), now), None);
            slow.ran(&key(0), now, None, Duration::ZERO);
            now += Duration::from_nanos(1);
        }
    }

    #[test]
    fn new_keys_without_end_wait_longer() {
        let (mut slow, mut now) = (SlowKeys::default(), Instant::now());
        let (mut made, mut runs, mut delays) = (1, 0, Vec::new());
        while delays.len() < 20 {
            if let Some(delay) = slow.wait(&key(made), now) {
                delays.push((runs, delay.as_millis()));
                now += delay;
            } else {
                slow.ran(&key(made), now, None, Duration::ZERO);
                (made, runs) = (made + 1, runs + 1);
            }
        }
        assert_eq!(delays[..3], [(5000, 1), (5001, 2), (5002, 4)]);
        assert_eq!(delays[18..], [(5018, 10_000), (5019, 10_000)]);
        assert_eq!(slow.keys().collect::<Vec<_>>(), [&key(made)]);
        assert_eq!(slow.rate(&key(made), now), Some(0.0));
        assert_eq!(slow.of.len(), 1);
        assert_eq!(slow.wait(&key(0), now + MS), None, "others do not wait");
    }

    #[test]
    fn large_first_sync_waits_once() {
        let (mut slow, now) = (SlowKeys::default(), Instant::now());
        let mut waits = Vec::new();
        for number in 0..20_000 {
            match slow.wait(&key(number), now) {
                Some(delay) => waits.push((number, delay)),
                None => _ = slow.ran(&key(number), now, None, Duration::ZERO),
            }
        }
        assert_eq!((waits.len(), waits[0]), (15_000, (5000, MS)));
        for (number, _) in waits {
            assert_eq!(slow.wait(&key(number), now + MS), None);
            assert_eq!(slow.ran(&key(number), now + MS, None, Duration::ZERO), None);
        }
        assert!(slow.of.is_empty());
    }
}
