//! Keys that are reconciled again and again: the rule that finds them, and their report.

use std::collections::HashMap;
use std::fmt;
use std::hash::BuildHasher;
use std::time::Duration;

use foldhash::fast::RandomState;
use serde::Serialize;
use tokio::time::Instant;

use super::cause::{Causes, Trigger};
use crate::basics::after;
use crate::object::ObjectKey;

/// The time in which the runs of a key are counted. A key stays hot for this long.
pub(super) const WINDOW: Duration = Duration::from_secs(10);

/// The number of runs within that time that makes a key hot: 30 a second.
const HOT: u32 = 300;

/// The rate, in runs a second, of 300 runs that took no time: they count as one millisecond.
const INSTANT_RATE: f64 = 300_000.0;

/// The weight of a run whose reconcile asks for the next one without a delay.
const REQUEUED: u32 = 5;

/// The weight of the runs at one instant after which a key spins: 1,000 requeues without a delay. A
/// test may itself make many changes at one instant, so more of them are needed.
const SPINS: u32 = 1000 * REQUEUED;

/// The runs at one instant after which the queue tells how many more of them may follow. A first
/// sync runs each key, and a test may itself make thousands of objects at one instant.
const CROWD: usize = 50_000;

/// The runs that a waiting key may cause at one instant, with those of objects that its run writes.
const RUNS_OF_KEY: usize = 20;

/// The largest number of keys whose runs at one instant are counted.
const COUNTED: usize = 1 << 20;

/// The pause between two warnings of one controller.
const WARNING_PAUSE: Duration = Duration::from_secs(60);

/// A key that was reconciled 300 times within ten seconds.
///
/// Such a key most often reacts to its own writes, or requeues itself with a delay of zero.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct HotKey {
    /// The object's key.
    pub key: String,
    /// The number of reconciles a second when the key was found.
    pub rate: f64,
    /// Its last triggers, the newest last.
    pub triggers: Vec<Trigger>,
}

impl fmt::Display for HotKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, rate, triggers } = self;
        write!(f, "{key} was reconciled ")?;
        if *rate < INSTANT_RATE {
            write!(f, "{rate:.0} times a second")?;
        } else {
            write!(f, "{HOT} times at one instant of a paused clock")?;
        }
        write!(f, " because of: {}", Causes(triggers))
    }
}

/// The runs of one key.
#[derive(Debug, Default)]
pub(super) struct Heat {
    /// The beginning of the current window, and the runs since then.
    window: Option<(Instant, u32)>,
    /// The instant of the last run.
    last: Option<Instant>,
    /// The time at which the key was last found hot, and the time that its runs had taken.
    hot: Option<(Instant, Duration)>,
}

/// The pace of a key, after one more run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    Ordinary,
    /// The key was found hot by this run.
    Hot,
    /// The key runs for ever while the clock stands still, as only a paused clock does.
    Spins,
    /// There were so many runs at this instant that the [allowance](Standstill::allow) is needed.
    Crowded,
    /// New keys come for ever while the clock stands still. This one is the last so far.
    NewKeys,
}

/// The runs of every key at the present instant. Any number of keys may spin in turn.
#[derive(Debug, Default)]
pub(super) struct Standstill {
    at: Option<Instant>,
    /// The weight of the runs, by the key's hash.
    weights: HashMap<u64, u32, RandomState>,
    runs: usize,
    /// The largest number of runs that may end at this instant. `None` below a crowd.
    allowed: Option<usize>,
}

impl Standstill {
    /// Notes that a run has ended. `requeued` is true if it asked for the next one without a delay.
    pub(super) fn ran(&mut self, key: &ObjectKey, now: Instant, requeued: bool) -> Pace {
        if self.at != Some(now) {
            (self.at, self.runs, self.allowed) = (Some(now), 0, None);
            self.weights.clear();
        } else if self.weights.len() >= COUNTED {
            self.weights.clear();
        }
        self.runs += 1;
        let hash = self.weights.hasher().hash_one(key);
        let weight = self.weights.entry(hash).or_default();
        *weight = weight.saturating_add(if requeued { REQUEUED } else { 1 });
        match self.allowed {
            _ if *weight >= SPINS => Pace::Spins,
            None if self.runs >= CROWD => Pace::Crowded,
            Some(allowed) if self.runs >= allowed => Pace::NewKeys,
            _ => Pace::Ordinary,
        }
    }

    /// Allows as many more runs at this instant as the waiting keys can explain.
    pub(super) fn allow(&mut self, waiting: usize) {
        let more = waiting.saturating_mul(RUNS_OF_KEY).saturating_add(CROWD);
        self.allowed.get_or_insert(self.runs.saturating_add(more));
    }
}

impl Heat {
    /// Notes that a run has ended.
    pub(super) fn ran(&mut self, now: Instant) -> Pace {
        self.last = Some(now);
        let (since, runs) = self
            .window
            .filter(|(since, _)| now.saturating_duration_since(*since) < WINDOW)
            .unwrap_or((now, 0));
        self.window = Some((since, runs + 1));
        if runs + 1 < HOT {
            return Pace::Ordinary;
        }
        self.hot = Some((now, now.saturating_duration_since(since)));
        self.window = None;
        Pace::Hot
    }

    /// Returns the rate of a key that is hot, in runs a second.
    pub(super) fn rate(&self, now: Instant) -> Option<f64> {
        let (at, took) = self.hot?;
        let hot = now.saturating_duration_since(at) < WINDOW;
        hot.then(|| f64::from(HOT) / took.max(Duration::from_millis(1)).as_secs_f64())
    }

    /// Returns the time that a hot key has to wait, if runs are to be this far apart. A key that
    /// has to wait stays hot.
    pub(super) fn wait(&mut self, now: Instant, apart: Duration) -> Option<Duration> {
        self.rate(now)?;
        let since = self.last.map(|at| now.saturating_duration_since(at))?;
        let wait = apart.checked_sub(since).filter(|wait| !wait.is_zero())?;
        if let Some((at, _)) = &mut self.hot {
            // The key stays hot until it could cool down after its next run.
            *at = after(now, wait);
        }
        Some(wait)
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

    /// Runs a key this often and this far apart. Returns the paces that are not ordinary.
    fn runs(heat: &mut Heat, now: &mut Instant, times: u32, apart: Duration) -> Vec<Pace> {
        let paces = (0..times).map(|_| {
            *now += apart;
            heat.ran(*now)
        });
        paces.filter(|pace| *pace != Pace::Ordinary).collect()
    }

    #[test]
    fn steady_fast_key_is_hot_until_it_rests() {
        let (mut heat, mut now) = (Heat::default(), Instant::now());
        assert_eq!(runs(&mut heat, &mut now, 1000, 40 * MS), [], "25 a second");
        now += WINDOW;
        assert_eq!(runs(&mut heat, &mut now, 1200, 10 * MS), [Pace::Hot; 4]);
        let rate = heat.rate(now).unwrap();
        assert!((rate - 100.0).abs() < 1.0, "{rate}");
        assert!(heat.rate(now + WINDOW).is_none());
    }

    #[test]
    fn runs_at_one_instant_have_no_rate() {
        let (mut heat, now) = (Heat::default(), Instant::now());
        assert_eq!((0..HOT).map(|_| heat.ran(now)).last(), Some(Pace::Hot));
        let rate = heat.rate(now).unwrap();
        let text = HotKey { key: "shop/a".into(), rate, triggers: Vec::new() }.to_string();
        assert!(text.contains("300 times at one instant of a paused clock"), "{text}");
    }

    #[test]
    fn burst_of_changes_is_not_hot() {
        let (mut heat, mut now) = (Heat::default(), Instant::now());
        for _ in 0..10 {
            assert_eq!(runs(&mut heat, &mut now, 200, MS), []);
            now += WINDOW;
        }
    }

    #[test]
    fn requeues_spin_only_while_the_clock_stands() {
        let (mut still, now) = (Standstill::default(), Instant::now());
        let keys = ["a", "b"].map(|name| ObjectKey::namespaced("shop", name).unwrap());
        let mut spins =
            |at, requeued| keys.iter().any(|key| still.ran(key, at, requeued) == Pace::Spins);
        assert_eq!((0..1000).position(|_| spins(now, true)), Some(999));
        assert!((1..5000).all(|n| !spins(now + n * MS, true)));
        let now = now + WINDOW;
        assert_eq!((0..20_000).position(|_| spins(now, false)), Some(4999));
    }

    #[test]
    fn new_keys_spin_once_no_waiting_key_explains_them() {
        let (mut still, now) = (Standstill::default(), Instant::now());
        let mut made = 0;
        let mut next = |still: &mut Standstill, at| {
            made += 1;
            still.ran(&ObjectKey::namespaced("shop", &format!("c-{made}")).unwrap(), at, false)
        };
        let mut runs = |at, waiting| {
            let crowded = (0..200_000).position(|_| next(&mut still, at) == Pace::Crowded);
            still.allow(waiting);
            let spins = (0..200_000).position(|_| next(&mut still, at) == Pace::NewKeys);
            (crowded, spins)
        };
        assert_eq!(runs(now, 0), (Some(49_999), Some(49_999)));
        assert_eq!(runs(now + MS, 1_000), (Some(49_999), Some(69_999)));
        assert_eq!(runs(now + 2 * MS, 50_000), (Some(49_999), None), "a large first sync");
    }

    #[test]
    fn hot_key_waits_until_it_cools() {
        let (mut heat, mut now) = (Heat::default(), Instant::now());
        assert_eq!(heat.wait(now, 1000 * MS), None);
        runs(&mut heat, &mut now, 300, MS);
        for _ in 0..100 {
            assert_eq!(heat.wait(now, 1000 * MS), Some(1000 * MS), "it runs as often as it may");
            assert_eq!(heat.wait(now + 1000 * MS, 1000 * MS), None);
            runs(&mut heat, &mut now, 1, 1000 * MS);
        }
        now += WINDOW;
        runs(&mut heat, &mut now, 1, MS);
        assert_eq!(heat.wait(now, 1000 * MS), None, "it has rested");
    }
}
