//! The last few triggers of each key that was queued lately.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use foldhash::fast::RandomState;
use serde::Serialize;
use tokio::time::Instant;

use super::cause::{Cause, Trigger};
use super::heat::{Heat, HotKey, LastWarning, SlowKeys};
use crate::basics::{Mutex, after};
use kube_informer::object::ObjectKey;

/// The number of triggers that are kept for a key.
const TRIGGERS: usize = 5;

/// The number of keys whose triggers are kept, unless set.
pub(super) const KEYS: usize = 1024;

/// The number of keys in the status.
const SHOWN: usize = 20;

/// The last triggers of one key.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct KeyTriggers {
    /// The object's key.
    pub key: String,
    /// Its last triggers, the newest last; five at most. Equal triggers in a row count once.
    pub triggers: Vec<Trigger>,
}

/// The triggers of the keys that were queued last.
pub(super) struct TriggerHistory {
    /// The number of keys to keep; zero keeps nothing.
    keys: usize,
    kept: Mutex<Kept>,
    /// Locked after `kept`.
    pub(super) slow: Mutex<SlowKeys>,
}

#[derive(Default)]
struct Kept {
    of: HashMap<ObjectKey, Entry, RandomState>,
    /// Every trigger's number and key, the oldest first. Only the newest of each key counts.
    order: VecDeque<(u64, ObjectKey)>,
    next: u64,
    warned: LastWarning,
}

#[derive(Default)]
struct Entry {
    newest: u64,
    triggers: VecDeque<(Instant, Cause)>,
    /// The trigger that is not due yet. A requeue is dropped if the key is queued earlier.
    waiting: Option<(Instant, Cause)>,
    heat: Heat,
}

/// The pace of a key, after one more run.
pub(super) struct Pace {
    /// True if this run makes the key hot.
    pub(super) hot: bool,
    /// True if the key waits before its next run, or other new keys do.
    pub(super) slowed: bool,
    /// True if a warning is due.
    pub(super) warns: bool,
}

impl TriggerHistory {
    pub(super) fn new(keys: usize) -> Self {
        Self { keys, kept: Mutex::default(), slow: Mutex::default() }
    }

    /// Notes why a key is queued. Amortised O(1).
    pub(super) fn record(&self, key: &ObjectKey, cause: impl FnOnce() -> Cause) {
        self.record_later(key, Duration::ZERO, cause);
    }

    /// Notes why a key is queued after a delay. The cause counts once the delay is over. A requeue
    /// does not count if the key is queued before that.
    pub(super) fn record_later(
        &self,
        key: &ObjectKey,
        delay: Duration,
        cause: impl FnOnce() -> Cause,
    ) {
        if self.keys > 0 {
            self.keep(key, (after(Instant::now(), delay), cause()));
        }
    }

    fn keep(&self, key: &ObjectKey, trigger: (Instant, Cause)) {
        let mut kept = self.kept.lock();
        let Kept { of, order, next, .. } = &mut *kept;
        *next += 1;
        let entry = of.entry(key.clone()).or_default();
        entry.newest = *next;
        entry.note(trigger, Instant::now());
        match order.back_mut() {
            // A key that is queued again and again needs one entry.
            Some((number, last)) if last == key => *number = *next,
            _ => order.push_back((*next, key.clone())),
        }
        while of.len() > self.keys {
            let Some((number, key)) = order.pop_front() else { break };
            if of.get(&key).is_some_and(|entry| entry.newest == number) {
                of.remove(&key);
            }
        }
        if order.len() > 2 * of.len() + SHOWN {
            order.retain(|(number, key)| of.get(key).is_some_and(|entry| entry.newest == *number));
        }
    }

    /// Notes that a run of a key has ended. A hot key waits for `hot_key_delay` before each run,
    /// unless that is zero. O(1).
    pub(super) fn ran(&self, key: &ObjectKey, hot_key_delay: Duration) -> Pace {
        let now = Instant::now();
        let mut kept = self.kept.lock();
        let rate = kept.of.get_mut(key).and_then(|entry| entry.heat.ran(now));
        let slowed = self.slow.lock().ran(key, now, rate, hot_key_delay);
        let (hot, slowed) = (rate.is_some() || slowed == Some(true), slowed.is_some());
        Pace { hot, slowed, warns: (hot || slowed) && kept.warned.is_due(now) }
    }

    /// Returns whether a key is hot or slowed. O(1).
    pub(super) fn is_hot(&self, key: &ObjectKey) -> bool {
        let (kept, slow) = (self.kept.lock(), self.slow.lock());
        kept.rate(key, &slow, Instant::now()).is_some()
    }

    /// Returns a key that is hot or slowed.
    pub(super) fn hot_key(&self, key: &ObjectKey) -> HotKey {
        let (kept, slow) = (self.kept.lock(), self.slow.lock());
        kept.hot_key(key, kept.rate(key, &slow, Instant::now()).unwrap_or_default())
    }

    /// Returns the keys that are hot or slowed now, the hottest first.
    pub(super) fn hot_keys(&self) -> Vec<HotKey> {
        let (kept, slow, now) = (self.kept.lock(), self.slow.lock(), Instant::now());
        let others = slow.keys().filter(|key| !kept.of.contains_key(*key));
        let keys = kept.of.keys().chain(others);
        let mut hot: Vec<_> =
            keys.filter_map(|key| Some((kept.rate(key, &slow, now)?, key))).collect();
        hot.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1)));
        hot.into_iter().take(SHOWN).map(|(rate, key)| kept.hot_key(key, rate)).collect()
    }

    /// Returns the last triggers of a key, the newest last.
    pub(super) fn of(&self, key: &ObjectKey) -> Vec<Trigger> {
        self.kept.lock().of.get(key).map(Entry::read).unwrap_or_default()
    }

    /// Returns the triggers of the keys that were queued last, the newest first.
    pub(super) fn latest(&self) -> Vec<KeyTriggers> {
        let kept = self.kept.lock();
        let newest = kept.order.iter().rev().filter_map(|(number, key)| {
            let entry = kept.of.get(key).filter(|entry| entry.newest == *number)?;
            let triggers = entry.read();
            (!triggers.is_empty()).then(|| KeyTriggers { key: key.to_string(), triggers })
        });
        newest.take(SHOWN).collect()
    }
}

impl Kept {
    fn rate(&self, key: &ObjectKey, slow: &SlowKeys, now: Instant) -> Option<f64> {
        let heat = self.of.get(key).and_then(|entry| entry.heat.rate(now));
        heat.or_else(|| slow.rate(key, now))
    }

    fn hot_key(&self, key: &ObjectKey, rate: f64) -> HotKey {
        let triggers = self.of.get(key).map(Entry::read).unwrap_or_default();
        HotKey { key: key.to_string(), rate, triggers }
    }
}

impl Entry {
    /// Notes a trigger, or keeps it until it is due. If several wait, only the earliest counts.
    fn note(&mut self, trigger: (Instant, Cause), now: Instant) {
        self.settle(now);
        if trigger.0 > now {
            if self.waiting.as_ref().is_none_or(|(at, _)| trigger.0 < *at) {
                self.waiting = Some(trigger);
            }
            return;
        }
        // The next reconcile decides again whether it is requeued.
        self.waiting.take_if(|(_, cause)| *cause == Cause::Requeue);
        self.push(trigger);
    }

    /// Notes the trigger that waits, if it is due.
    fn settle(&mut self, now: Instant) {
        if let Some(due) = self.waiting.take_if(|(at, _)| *at <= now) {
            self.push(due);
        }
    }

    fn push(&mut self, trigger: (Instant, Cause)) {
        match self.triggers.back_mut() {
            // Both states of an update may give the same key.
            Some(last) if last.1 == trigger.1 => *last = trigger,
            _ => {
                if self.triggers.len() == TRIGGERS {
                    self.triggers.pop_front();
                }
                self.triggers.push_back(trigger);
            }
        }
    }

    fn read(&self) -> Vec<Trigger> {
        let (triggers, waiting) = (self.triggers.clone(), self.waiting.clone());
        let (mut all, now) = (Self { triggers, waiting, ..Self::default() }, Instant::now());
        all.settle(now);
        let read = |(at, cause): &(Instant, Cause)| Trigger { cause: cause.read(), ago: now - *at };
        all.triggers.iter().map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::cause::TriggerCause;

    fn key(number: usize) -> ObjectKey {
        ObjectKey::namespaced("shop", &format!("web-{number}")).unwrap()
    }

    fn failures(triggers: &[Trigger]) -> Vec<u32> {
        let failures = |trigger: &Trigger| match trigger.cause {
            TriggerCause::Retry { failures } => failures,
            _ => unreachable!("only retries were recorded"),
        };
        triggers.iter().map(failures).collect()
    }

    #[test]
    fn the_last_five_triggers_of_a_key_are_kept() {
        let history = TriggerHistory::new(2);
        for failures in 0..8 {
            history.record(&key(1), || Cause::Retry { failures });
        }
        assert_eq!(failures(&history.of(&key(1))), [3, 4, 5, 6, 7]);
        assert!(history.of(&key(2)).is_empty());
        history.record(&key(1), || Cause::Retry { failures: 7 });
        assert_eq!(failures(&history.of(&key(1))), [3, 4, 5, 6, 7], "equal ones in a row are one");
    }

    #[test]
    fn the_keys_triggered_last_are_kept_and_the_bound_holds() {
        let history = TriggerHistory::new(3);
        for round in 0..100 {
            // One key is hot, the others come once each.
            history.record(&key(0), || Cause::Requeue);
            history.record(&key(1 + round), || Cause::Requeue);
        }
        let kept = history.kept.lock();
        assert_eq!(kept.of.len(), 3);
        assert!(kept.order.len() <= 6 + SHOWN, "{}", kept.order.len());
        drop(kept);
        let latest: Vec<_> = history.latest().into_iter().map(|one| one.key).collect();
        assert_eq!(latest, ["shop/web-100", "shop/web-0", "shop/web-99"]);
    }

    #[tokio::test(start_paused = true)]
    async fn requeue_counts_from_when_it_fell_due() {
        let second = Duration::from_secs(1);
        let history = TriggerHistory::new(2);
        let requeued = |key: usize| {
            history.record_later(&self::key(key), 300 * second, || Cause::Requeue);
        };
        requeued(1);
        requeued(2);
        tokio::time::sleep(10 * second).await;
        assert!(history.of(&key(1)).is_empty() && history.latest().is_empty());
        history.record(&key(2), || Cause::Handle);
        tokio::time::sleep(292 * second).await;
        let triggers = history.of(&key(1));
        assert_eq!((&triggers[0].cause, triggers[0].ago), (&TriggerCause::Requeue, 2 * second));
        let triggers = history.of(&key(2));
        assert_eq!(triggers.len(), 1, "the other trigger came before the requeue");
        assert_eq!(triggers[0].ago, 292 * second);
    }

    #[tokio::test(start_paused = true)]
    async fn delayed_trigger_counts_from_when_it_fell_due() {
        let second = Duration::from_secs(1);
        let history = TriggerHistory::new(1);
        history.record_later(&key(1), 60 * second, || Cause::Handle);
        history.record_later(&key(1), 90 * second, || Cause::Requeue);
        history.record(&key(1), || Cause::Stream);
        let ages = || history.of(&key(1)).into_iter().map(|one| (one.cause, one.ago.as_secs()));
        assert!(ages().eq([(TriggerCause::Stream, 0)]), "the other one is not due");
        tokio::time::sleep(100 * second).await;
        assert!(ages().eq([(TriggerCause::Stream, 100), (TriggerCause::Handle, 40)]));
    }

    #[test]
    fn a_history_of_no_keys_keeps_nothing() {
        let history = TriggerHistory::new(0);
        history.record(&key(1), || unreachable!("nothing is made"));
        assert!(history.of(&key(1)).is_empty() && history.latest().is_empty());
    }
}
