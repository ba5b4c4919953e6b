//! The reasons why keys were queued: the last few of each key that was queued lately.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use foldhash::fast::RandomState;
use serde::Serialize;
use tokio::time::Instant;

use super::heat::{Heat, HotKey, LastWarning, Pace, Standstill};
use crate::object::{CachedEvent, ObjectEvent, ObjectKey};
use crate::sync::Mutex;
use crate::time::seconds;
use crate::workqueue::Priority;

/// The number of triggers that are kept for a key.
const TRIGGERS: usize = 5;

/// The number of keys whose triggers are kept, unless set.
pub(super) const KEYS: usize = 1024;

/// The number of keys in the status.
const SHOWN: usize = 20;

/// One reason why a key was queued.
///
/// ```
/// use kube_informer::controller::{ChangeKind, Trigger, TriggerCause};
///
/// /// Returns whether only a resync or a list queued the key, and nothing has changed.
/// fn is_routine(triggers: &[Trigger]) -> bool {
///     triggers.iter().all(|trigger| match &trigger.cause {
///         TriggerCause::Event { change, .. } => {
///             matches!(change, ChangeKind::Listed | ChangeKind::Resynced)
///         }
///         _ => false,
///     })
/// }
/// assert!(is_routine(&[]));
/// ```
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Trigger {
    /// The cause.
    pub cause: TriggerCause,
    /// The time since the key was queued.
    #[serde(serialize_with = "seconds::serialize")]
    pub ago: Duration,
}

/// The cause of a [`Trigger`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "by")]
#[non_exhaustive]
pub enum TriggerCause {
    /// An informer's event.
    #[non_exhaustive]
    Event {
        /// The informer's collection, as errors name it: `deployments.apps in shop`.
        informer: Arc<str>,
        /// The change.
        change: ChangeKind,
        /// The changed object: the key itself, or that of a dependent.
        object: Arc<str>,
    },
    /// A failed try, or [`Action::retry`](super::Action::retry).
    #[non_exhaustive]
    Retry {
        /// The number of tries that had failed in a row.
        failures: u32,
    },
    /// [`Action::requeue_after`](super::Action::requeue_after).
    Requeue,
    /// [`ControllerHandle::trigger`](super::ControllerHandle::trigger).
    Handle,
    /// [`ControllerHandle::reconcile_all`](super::ControllerHandle::reconcile_all), or a stream of
    /// [`reconcile_all_on`](super::ControllerBuilder::reconcile_all_on).
    ReconcileAll,
    /// A stream of [`reconcile_on`](super::ControllerBuilder::reconcile_on).
    Stream,
    /// A slot that this replica works on from now on.
    Slot,
}

/// The kind of a change that an informer reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeKind {
    /// The object was there when the controller began, or came with the first list.
    Listed,
    /// The object was added.
    Added,
    /// The object has changed.
    Updated,
    /// A resync repeated the object.
    Resynced,
    /// The object was deleted.
    Deleted,
    /// The object left the shard that this replica follows.
    MovedAway,
}

impl ChangeKind {
    pub(super) fn of(event: &CachedEvent) -> Self {
        match event {
            ObjectEvent::Added { initial: true, .. } => Self::Listed,
            ObjectEvent::Added { .. } => Self::Added,
            ObjectEvent::Updated { old, new } if old.is_same_state(new) => Self::Resynced,
            ObjectEvent::Updated { .. } => Self::Updated,
            ObjectEvent::Deleted { .. } => Self::Deleted,
            ObjectEvent::MovedAway { .. } => Self::MovedAway,
        }
    }
}

impl ChangeKind {
    /// Returns the priority of the keys that such a change queues. Live changes come first.
    pub(super) fn priority(self) -> Priority {
        match self {
            Self::Listed | Self::Resynced => Priority::LOW,
            Self::Added | Self::Updated | Self::Deleted | Self::MovedAway => Priority::NORMAL,
        }
    }
}

impl fmt::Display for ChangeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Listed => "listed",
            Self::Added => "added",
            Self::Updated => "updated",
            Self::Resynced => "resynced",
            Self::Deleted => "deleted",
            Self::MovedAway => "moved away",
        })
    }
}

impl fmt::Display for TriggerCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Event { informer, change, object } => {
                write!(f, "{object} of {informer} was {change}")
            }
            Self::Retry { failures } => write!(f, "a retry after {failures} failed tries"),
            Self::Requeue => f.write_str("a requeue that the last reconcile asked for"),
            Self::Handle => f.write_str("a trigger of the controller's handle"),
            Self::ReconcileAll => f.write_str("a reconcile of all objects"),
            Self::Stream => f.write_str("a stream of keys"),
            Self::Slot => f.write_str("a slot that this replica took over"),
        }
    }
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {:.1?} ago", self.cause, self.ago)
    }
}

/// The last triggers of one key.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct KeyTriggers {
    /// The object's key.
    pub key: String,
    /// Its last triggers, the newest last; five at most. Equal triggers in a row count once.
    pub triggers: Vec<Trigger>,
}

/// A cause, as it is kept. Its text is made on reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    Event { informer: Arc<str>, change: ChangeKind, object: ObjectKey },
    Retry { failures: u32 },
    Requeue,
    Handle,
    ReconcileAll,
    Stream,
    Slot,
}

/// The triggers of the keys that were queued last.
pub(super) struct TriggerHistory {
    /// The number of keys to keep; zero keeps nothing.
    keys: usize,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    of: HashMap<ObjectKey, Entry, RandomState>,
    /// Every trigger's number and key, the oldest first. Only the newest of each key counts.
    order: VecDeque<(u64, ObjectKey)>,
    next: u64,
    warned: LastWarning,
    still: Standstill,
}

#[derive(Default)]
struct Entry {
    newest: u64,
    triggers: VecDeque<(Instant, Cause)>,
    heat: Heat,
}

impl TriggerHistory {
    pub(super) fn new(keys: usize) -> Self {
        Self { keys, kept: Mutex::default() }
    }

    /// Notes why a key is queued. Amortised O(1).
    pub(super) fn record(&self, key: &ObjectKey, cause: impl FnOnce() -> Cause) {
        if self.keys == 0 {
            return;
        }
        let trigger = (Instant::now(), cause());
        let mut kept = self.kept.lock();
        let Kept { of, order, next, .. } = &mut *kept;
        *next += 1;
        let entry = of.entry(key.clone()).or_default();
        entry.newest = *next;
        match entry.triggers.back_mut() {
            // Both states of an update may give the same key.
            Some(last) if last.1 == trigger.1 => *last = trigger,
            _ => {
                if entry.triggers.len() == TRIGGERS {
                    entry.triggers.pop_front();
                }
                entry.triggers.push_back(trigger);
            }
        }
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

    /// Notes that a run of a key has ended. `requeued` is true if it asked for the next one without
    /// a delay. Also returns whether to warn of the key now. O(1).
    pub(super) fn ran(&self, key: &ObjectKey, requeued: bool) -> (Pace, bool) {
        let now = Instant::now();
        let mut kept = self.kept.lock();
        if kept.still.ran(key, now, requeued) {
            return (Pace::Spins, false);
        }
        let Some(entry) = kept.of.get_mut(key) else { return (Pace::Ordinary, false) };
        let pace = entry.heat.ran(now);
        (pace, pace == Pace::Hot && kept.warned.is_due(now))
    }

    /// Returns the time that a hot key has to wait, if its runs are to be this far apart.
    pub(super) fn wait(&self, key: &ObjectKey, apart: Duration) -> Option<Duration> {
        self.kept.lock().of.get_mut(key)?.heat.wait(Instant::now(), apart)
    }

    /// Returns a key as a hot one, whether it is hot or not.
    pub(super) fn hot_key(&self, key: &ObjectKey) -> HotKey {
        let kept = self.kept.lock();
        let entry = kept.of.get(key);
        let rate = entry.and_then(|entry| entry.heat.rate(Instant::now())).unwrap_or_default();
        let triggers = entry.map(Entry::read).unwrap_or_default();
        HotKey { key: key.to_string(), rate, triggers }
    }

    /// Returns the keys that are hot now, the hottest first.
    pub(super) fn hot_keys(&self) -> Vec<HotKey> {
        let (kept, now) = (self.kept.lock(), Instant::now());
        let hot =
            kept.of.iter().filter_map(|(key, entry)| Some((entry.heat.rate(now)?, key, entry)));
        let mut hot: Vec<_> = hot.collect();
        hot.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1)));
        let read = |(rate, key, entry): (f64, &ObjectKey, &Entry)| HotKey {
            key: key.to_string(),
            rate,
            triggers: entry.read(),
        };
        hot.into_iter().take(SHOWN).map(read).collect()
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
            Some(KeyTriggers { key: key.to_string(), triggers: entry.read() })
        });
        newest.take(SHOWN).collect()
    }
}

impl Entry {
    fn read(&self) -> Vec<Trigger> {
        let read =
            |(at, cause): &(Instant, Cause)| Trigger { cause: cause.read(), ago: at.elapsed() };
        self.triggers.iter().map(read).collect()
    }
}

impl Cause {
    fn read(&self) -> TriggerCause {
        match self {
            Self::Event { informer, change, object } => TriggerCause::Event {
                informer: informer.clone(),
                change: *change,
                object: object.as_str().into(),
            },
            Self::Retry { failures } => TriggerCause::Retry { failures: *failures },
            Self::Requeue => TriggerCause::Requeue,
            Self::Handle => TriggerCause::Handle,
            Self::ReconcileAll => TriggerCause::ReconcileAll,
            Self::Stream => TriggerCause::Stream,
            Self::Slot => TriggerCause::Slot,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_history_of_no_keys_keeps_nothing() {
        let history = TriggerHistory::new(0);
        history.record(&key(1), || unreachable!("nothing is made"));
        assert!(history.of(&key(1)).is_empty() && history.latest().is_empty());
    }
}
