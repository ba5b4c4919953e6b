//! Priorities that age, so that no item waits for ever.
//!
//! An item's rank is the moment at which it was added, less a head start for its priority. The
//! smallest rank is served first. Ranks do not change while an item waits. So an item of low
//! priority is served before every item that is added after its handicap is over: it ages although
//! nothing is moved.

use std::time::Duration;

/// The urgency of an item. A greater value is more urgent.
///
/// client-go's queue has no priorities. As in controller-runtime, items from a first list or a
/// resync have a lower priority than live changes.
///
/// ```
/// use kube_informer::workqueue::{Priority, WorkQueue};
///
/// let queue = WorkQueue::new();
/// queue.add_with("listed", Priority::LOW);
/// queue.add_with("changed", Priority::NORMAL);
/// assert_eq!(queue.try_get().map(|work| *work.item()), Some("changed"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(pub i8);

impl Priority {
    /// Work that may wait: items of a first list or a resync.
    pub const LOW: Self = Self(-10);
    /// Live changes; the default.
    pub const NORMAL: Self = Self(0);
    /// Work for which a user or program waits.
    pub const HIGH: Self = Self(10);
}

impl Default for Priority {
    fn default() -> Self {
        Self::NORMAL
    }
}

/// The rule that ranks priorities.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aging {
    /// The waiting time that raises an item by one level, in nanoseconds.
    level: u64,
}

impl Aging {
    pub(super) fn new(level: Duration) -> Self {
        // 255 levels fit in a tenth of a rank's range.
        let longest = u64::MAX / 2560;
        Self { level: u64::try_from(level.as_nanos()).unwrap_or(longest).min(longest) }
    }

    /// Returns the rank of an item that is added `now`. The smallest rank is served first.
    pub(super) fn rank(self, now: u64, priority: Priority) -> u64 {
        let below_the_highest = u64::from(i8::MAX.abs_diff(priority.0));
        now.saturating_add(below_the_highest * self.level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_long_enough_goes_first() {
        let aging = Aging::new(Duration::from_secs(3));
        let second = 1_000_000_000;
        let low = aging.rank(0, Priority::LOW);
        assert!(aging.rank(29 * second, Priority::NORMAL) < low);
        assert!(aging.rank(31 * second, Priority::NORMAL) > low);
        assert!(aging.rank(59 * second, Priority::HIGH) < low);
        assert!(aging.rank(61 * second, Priority::HIGH) > low);
    }

    #[test]
    fn no_level_overflows() {
        let aging = Aging::new(Duration::MAX);
        let lowest = aging.rank(u64::MAX / 2, Priority(i8::MIN));
        assert!(aging.rank(u64::MAX / 2, Priority(i8::MAX)) < lowest);
    }
}
