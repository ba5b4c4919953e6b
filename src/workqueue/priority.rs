//! Which item goes first, and why none waits for ever.
//!
//! An item's rank is the moment it was added, less a head start for its priority. Ranks never
//! change while an item waits, so an item of low priority goes ahead of every item that is added
//! later than its handicap: it ages without anything being moved.

use std::time::Duration;

/// How urgent an item is. Greater is more urgent.
///
/// Client-go's queue has no priorities; the values follow controller-runtime's idea that what a
/// first list or a resync brings goes below live changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(pub i8);

impl Priority {
    /// Work that may wait: a first list, a resync.
    pub const LOW: Self = Self(-10);
    /// Live changes.
    pub const NORMAL: Self = Self(0);
    /// Work that somebody waits for.
    pub const HIGH: Self = Self(10);
}

impl Default for Priority {
    fn default() -> Self {
        Self::NORMAL
    }
}

/// Turns priorities into ranks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aging {
    /// How long an item waits for the equal of one level, in nanoseconds.
    level: u64,
}

impl Aging {
    pub(super) fn new(level: Duration) -> Self {
        // 255 levels fit in a tenth of what a rank can hold.
        let longest = u64::MAX / 2560;
        Self { level: u64::try_from(level.as_nanos()).unwrap_or(longest).min(longest) }
    }

    /// The rank of an item that is added `now`; the smallest goes first.
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
