//! The slots of the ring: equal ranges that have one owner at a time.

use std::ops::RangeInclusive;

use serde::Serialize;

use kube_informer::object::{ShardKey, ShardSelector};

/// The field by whose hash objects are divided among the replicas.
///
/// There is no default, because the choice decides which objects are together.
///
/// ```
/// use kube_informer::object::ShardKey;
/// use kube_controllers::sharding::ShardBy;
///
/// assert_eq!(ShardBy::Uid.dependents(), ShardKey::ControllerUid);
/// assert_eq!(ShardBy::Namespace.dependents(), ShardKey::Namespace);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ShardBy {
    /// The namespace of each object. All objects of a namespace belong to one replica, so a
    /// reconcile finds everything else of the namespace in its caches. One large namespace cannot
    /// be divided.
    ///
    /// The names must differ in more than their last characters. Namespaces that differ only in
    /// their last two characters are almost always in one slot: all of `team-00` to `team-99` are.
    /// One replica then gets all of them, whatever the number of slots. With numbered namespaces,
    /// shard by [`Uid`](Self::Uid).
    Namespace,
    /// The uid of each object, which spreads objects evenly. A dependent belongs to the replica of
    /// its controlling owner: the owner reference with `controller: true`. Grandchildren may be
    /// elsewhere: a Pod follows its `ReplicaSet`, not the Deployment.
    ///
    /// API servers cannot select dependents that way. Each replica receives all of them and keeps
    /// its part.
    Uid,
}

impl ShardBy {
    /// Returns the key that selects the objects that a controller reconciles.
    pub fn objects(self) -> ShardKey {
        match self {
            Self::Namespace => ShardKey::Namespace,
            Self::Uid => ShardKey::Uid,
        }
    }

    /// Returns the key that selects the objects that reconciled objects own.
    pub fn dependents(self) -> ShardKey {
        match self {
            Self::Namespace => ShardKey::Namespace,
            Self::Uid => ShardKey::ControllerUid,
        }
    }

    /// Returns the name of this field in Leases.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Namespace => "namespace",
            Self::Uid => "uid",
        }
    }
}

/// Returns the slot that has this place on the ring.
pub(super) fn slot_of(hash: u64, slots: usize) -> usize {
    let slot = (u128::from(hash) * slots as u128) >> 64;
    usize::try_from(slot).unwrap_or(usize::MAX)
}

/// Returns the places of a slot.
pub(super) fn range(slot: usize, slots: usize) -> RangeInclusive<u64> {
    let start = |slot: usize| ((slot as u128) << 64).div_ceil(slots as u128);
    let place = |place: u128| u64::try_from(place).unwrap_or(u64::MAX);
    place(start(slot))..=place(start(slot + 1) - 1)
}

/// Returns the selector of these slots, which are sorted, each with its tenure.
pub(super) fn selector(
    key: ShardKey,
    held: impl IntoIterator<Item = (usize, u64)>,
    slots: usize,
) -> ShardSelector {
    let part = |(slot, tenure)| (range(slot, slots), tenure);
    ShardSelector::stamped(key, held.into_iter().map(part))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(crate::seeds::cases(50))]

        #[test]
        fn slots_divide_the_ring(slots in 1..=1024_usize, hash in any::<u64>()) {
            let slot = slot_of(hash, slots);
            prop_assert!(range(slot, slots).contains(&hash));
            let mut next = 0_u128;
            for slot in 0..slots {
                let (start, end) = range(slot, slots).into_inner();
                prop_assert_eq!(u128::from(start), next);
                prop_assert_eq!((slot_of(start, slots), slot_of(end, slots)), (slot, slot));
                next = u128::from(end) + 1;
            }
            prop_assert_eq!(next, 1 << 64);
        }
    }

    #[test]
    fn all_slots_select_everything() {
        let all = selector(ShardKey::Uid, (0..7).map(|slot| (slot, 1)), 7);
        assert!(all.is_everything());
        assert_eq!(selector(ShardKey::Uid, [(1, 1), (2, 2), (5, 1)], 8).ranges().len(), 2);
    }
}
