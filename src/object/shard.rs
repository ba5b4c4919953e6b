//! Shards: parts of a collection, by the hash of a field of each object.
//!
//! The ring is the space of 64-bit FNV-1a hashes, which API servers use for sharded lists and
//! watches (KEP-5866). A [`ShardSelector`] selects ranges of it.

use std::fmt::{self, Write};
use std::ops::RangeInclusive;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::api::ObjectMeta;

use super::ObjectKey;
use crate::sorting::sort_by;

/// The field of an object whose hash is its place on the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ShardKey {
    /// `metadata.uid`. Spreads objects evenly. An object and its dependents are in different
    /// shards.
    Uid,
    /// `metadata.namespace`. All objects of a namespace are in one shard. A cluster-scoped object
    /// has the empty namespace.
    ///
    /// Names that differ only in their last two characters, such as `team-01` and `team-02`, are
    /// near each other on the ring. They are usually in one shard.
    Namespace,
    /// `metadata.name`. Objects of equal names in several namespaces are in one shard, and similar
    /// names are near each other on the ring, as with [`Namespace`](Self::Namespace). API servers
    /// cannot select by this field, so the client receives all objects.
    Name,
    /// The uid of the controlling owner: that of the owner reference with `controller: true`, or
    /// the object's own uid if there is none. Dependents are then in the shard that has their owner
    /// by [`Uid`](Self::Uid). API servers cannot select by this field, so the client receives all
    /// objects.
    ControllerUid,
}

/// The objects whose hashes are in some ranges of the ring.
///
/// Clones are cheap.
///
/// ```
/// use kube_informer::object::{ShardKey, ShardSelector};
///
/// let half = ShardSelector::new(ShardKey::Uid, [0..=u64::MAX / 2]);
/// assert_eq!(
///     half.expression().unwrap(),
///     "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')",
/// );
/// let rest = ShardSelector::everything(ShardKey::Uid).without(&half);
/// assert!(rest.contains(u64::MAX) && !half.contains(u64::MAX));
/// ```
#[derive(Clone)]
pub struct ShardSelector {
    key: ShardKey,
    /// Sorted, and neither overlapping nor adjacent.
    ranges: Arc<[RangeInclusive<u64>]>,
    /// The same places with their stamps; 0 if the selector is not stamped.
    parts: Arc<[(RangeInclusive<u64>, u64)]>,
    /// True if the program gave stamps, even while it selects nothing.
    stamped: bool,
}

/// The largest number of ranges in a request. Proxies refuse addresses of more than 8 kB.
const MOST_RANGES: usize = 64;

/// Returns the place of a text on the ring: its 64-bit FNV-1a hash.
///
/// ```
/// use kube_informer::object::ring_hash;
///
/// assert_eq!(ring_hash(""), 0xcbf2_9ce4_8422_2325);
/// assert_eq!(ring_hash("a"), 0xaf63_dc4c_8601_ec8c);
/// ```
pub fn ring_hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

impl ShardKey {
    /// Returns an object's place on the ring. A missing field counts as empty.
    pub fn hash(self, metadata: &ObjectMeta) -> u64 {
        let field = match self {
            Self::Uid => metadata.uid.as_deref(),
            Self::Namespace => metadata.namespace.as_deref(),
            Self::Name => metadata.name.as_deref(),
            Self::ControllerUid => controller_uid(metadata).or(metadata.uid.as_deref()),
        };
        ring_hash(field.unwrap_or_default())
    }

    /// Returns the place of the object with this key on the ring. `other` returns it if the key
    /// does not determine it.
    #[doc(hidden)]
    pub fn place(self, key: &ObjectKey, other: impl FnOnce(Self) -> Option<u64>) -> Option<u64> {
        match self {
            Self::Namespace => Some(ring_hash(key.namespace().unwrap_or_default())),
            Self::Name => Some(ring_hash(key.name())),
            Self::Uid | Self::ControllerUid => other(self),
        }
    }

    /// Returns the field's path in a shard selector, if API servers can select by it.
    fn path(self) -> Option<&'static str> {
        match self {
            Self::Uid => Some("object.metadata.uid"),
            Self::Namespace => Some("object.metadata.namespace"),
            Self::Name | Self::ControllerUid => None,
        }
    }
}

fn controller_uid(metadata: &ObjectMeta) -> Option<&str> {
    controller(metadata).map(|owner| &*owner.uid)
}

/// Returns the controlling owner.
pub(crate) fn controller(metadata: &ObjectMeta) -> Option<&OwnerReference> {
    let mut owners = metadata.owner_references.iter().flatten();
    owners.find(|owner| owner.controller == Some(true))
}

/// Sets the controlling owner, unless it is the present one.
pub(crate) fn set_controller(metadata: &mut ObjectMeta, owner: Option<OwnerReference>) {
    if controller_uid(metadata) != owner.as_ref().map(|owner| &*owner.uid) {
        let owners = metadata.owner_references.get_or_insert_default();
        let uid = owner.as_ref().map(|owner| &owner.uid);
        owners.retain(|other| other.controller != Some(true) && Some(&other.uid) != uid);
        owners.extend(owner);
    }
}

/// Sorts ranges by their start.
fn sort(ranges: &mut [(RangeInclusive<u64>, u64)]) {
    sort_by(ranges, |(one, _), (other, _)| one.start().cmp(other.start()));
}

impl ShardSelector {
    /// Creates a selector of ranges, which may overlap. An empty range selects nothing.
    pub fn new(key: ShardKey, ranges: impl IntoIterator<Item = RangeInclusive<u64>>) -> Self {
        let given = ranges.into_iter().filter(|range| !range.is_empty());
        Self::of_ranges(key, given.map(|range| (range, 0)).collect())
    }

    fn of_ranges(key: ShardKey, mut given: Vec<(RangeInclusive<u64>, u64)>) -> Self {
        sort(&mut given);
        let mut parts: Vec<(RangeInclusive<u64>, u64)> = Vec::with_capacity(given.len());
        for (range, stamp) in given {
            // Cut off what the last range has already.
            let start = match parts.last() {
                Some((last, _)) if last.end() >= range.end() => continue,
                Some((last, _)) if last.end() >= range.start() => last.end() + 1,
                _ => *range.start(),
            };
            parts.push((start..=*range.end(), stamp));
        }
        Self::of_parts(key, parts)
    }

    /// Creates a selector of ranges with the stamp of each. They are sorted, and none overlap.
    fn of_parts(key: ShardKey, parts: Vec<(RangeInclusive<u64>, u64)>) -> Self {
        let touches = |last: &RangeInclusive<u64>, next: &RangeInclusive<u64>| {
            last.end().checked_add(1).is_some_and(|after| after == *next.start())
        };
        let mut ranges: Vec<RangeInclusive<u64>> = Vec::new();
        let mut stamped: Vec<(RangeInclusive<u64>, u64)> = Vec::new();
        for (range, stamp) in parts {
            match ranges.last_mut().filter(|last| touches(last, &range)) {
                Some(last) => *last = *last.start()..=*range.end(),
                None => ranges.push(range.clone()),
            }
            match stamped.last_mut().filter(|(last, of)| *of == stamp && touches(last, &range)) {
                Some((last, _)) => *last = *last.start()..=*range.end(),
                None => stamped.push((range, stamp)),
            }
        }
        Self { key, ranges: ranges.into(), parts: stamped.into(), stamped: false }
    }

    /// Creates a selector of ranges, each with a stamp: a number that the program changes each time
    /// this process gets the range. Of ranges that overlap, the first one keeps its stamp.
    ///
    /// An informer that follows the selector lists a range again when its stamp has changed.
    /// Another process may have changed its objects in between, even if both selectors have it.
    ///
    /// ```
    /// use kube_informer::object::{ShardKey, ShardSelector};
    ///
    /// let half = |stamp| ShardSelector::stamped(ShardKey::Uid, [(0..=u64::MAX / 2, stamp)]);
    /// let (before, after) = (half(1), half(2));
    /// assert_eq!((before.stamp(7), before.stamp(u64::MAX)), (Some(1), None));
    /// assert_eq!(after.stamp(7), Some(2));
    /// ```
    pub fn stamped(
        key: ShardKey,
        ranges: impl IntoIterator<Item = (RangeInclusive<u64>, u64)>,
    ) -> Self {
        let given = ranges.into_iter().filter(|(range, _)| !range.is_empty());
        Self { stamped: true, ..Self::of_ranges(key, given.collect()) }
    }

    /// Returns whether the selector was made with stamps: its places may move to another process at
    /// any time. False for parts of such a selector.
    pub fn is_stamped(&self) -> bool {
        self.stamped
    }

    /// Creates a selector of every object.
    pub fn everything(key: ShardKey) -> Self {
        Self::new(key, [0..=u64::MAX])
    }

    /// Creates a selector of no object.
    pub fn nothing(key: ShardKey) -> Self {
        Self::new(key, [])
    }

    /// Returns the field that is hashed.
    pub fn key(&self) -> ShardKey {
        self.key
    }

    /// Returns the ranges, sorted. No two of them overlap or touch.
    pub fn ranges(&self) -> &[RangeInclusive<u64>] {
        &self.ranges
    }

    /// Returns whether no object is selected.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Returns whether every object is selected.
    pub fn is_everything(&self) -> bool {
        *self.ranges == [0..=u64::MAX]
    }

    /// Returns whether a place on the ring is selected. O(log ranges).
    pub fn contains(&self, hash: u64) -> bool {
        let after = self.ranges.partition_point(|range| *range.start() <= hash);
        after > 0 && hash <= *self.ranges[after - 1].end()
    }

    /// Returns whether the object with this metadata is selected.
    pub fn selects(&self, metadata: &ObjectMeta) -> bool {
        self.contains(self.key.hash(metadata))
    }

    /// Returns whether the object with this key is selected. `other` returns its place if the key
    /// does not determine it. `None` if the place is unknown.
    pub(crate) fn has(
        &self,
        key: &ObjectKey,
        other: impl FnOnce(ShardKey) -> Option<u64>,
    ) -> Option<bool> {
        self.key.place(key, other).map(|place| self.contains(place))
    }

    /// Returns the ranges of this selector that `other` lacks. The fields must be the same.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        self.cut(|_| other.ranges.iter())
    }

    /// Returns the ranges of this selector that `other` lacks, or has with another stamp.
    pub(crate) fn new_since(&self, other: &Self) -> Self {
        self.cut(|stamp| {
            let same = other.parts.iter().filter(move |(_, of)| *of == stamp);
            same.map(|(range, _)| range)
        })
    }

    /// Cuts sorted ranges out of each part. The ranges may depend on the part's stamp.
    fn cut<'a, I: Iterator<Item = &'a RangeInclusive<u64>>>(
        &self,
        cuts: impl Fn(u64) -> I,
    ) -> Self {
        let mut left = Vec::new();
        for (range, stamp) in &*self.parts {
            // `None` after the last place of the ring.
            let mut start = Some(*range.start());
            let crosses = |cut: &&RangeInclusive<u64>| {
                cut.end() >= range.start() && cut.start() <= range.end()
            };
            for cut in cuts(*stamp).filter(crosses) {
                if let Some(start) = start.filter(|start| start < cut.start()) {
                    left.push((start..=*cut.start() - 1, *stamp));
                }
                start = cut.end().checked_add(1);
            }
            if let Some(start) = start.filter(|start| start <= range.end()) {
                left.push((start..=*range.end(), *stamp));
            }
        }
        Self::of_parts(self.key, left)
    }

    /// Returns the ranges of both selectors. The fields must be the same.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let more = other.without(self);
        let mut parts: Vec<_> = self.parts.iter().chain(&*more.parts).cloned().collect();
        sort(&mut parts);
        Self::of_parts(self.key, parts)
    }

    /// Returns the stamp with which a place is selected; 0 if the selector is not stamped.
    pub fn stamp(&self, place: u64) -> Option<u64> {
        let after = self.parts.partition_point(|(range, _)| *range.start() <= place);
        let (range, stamp) = self.parts.get(after.checked_sub(1)?)?;
        (place <= *range.end()).then_some(*stamp)
    }

    /// Returns the value of the query parameter `shardSelector`: see KEP-5866.
    ///
    /// `None` if the parameter is left out. That is so if API servers cannot select by this field,
    /// or if every object, no object, or more than 64 ranges are selected. More ranges would make
    /// an address of over 6 kB.
    pub fn expression(&self) -> Option<String> {
        let some = !self.is_everything() && (1..=MOST_RANGES).contains(&self.ranges.len());
        let path = self.key.path().filter(|_| some)?;
        let mut text = String::new();
        for range in &*self.ranges {
            let joint = if text.is_empty() { "" } else { " || " };
            let (start, end) = (range.start(), u128::from(*range.end()) + 1);
            // Sixteen digits; the end of the ring has seventeen.
            let _ = write!(text, "{joint}shardRange({path}, '{start:#018x}', '{end:#018x}')");
        }
        Some(text)
    }
}

/// Compares fields, ranges and stamps.
impl PartialEq for ShardSelector {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.parts == other.parts
    }
}

impl Eq for ShardSelector {}

/// Shows the ranges as text, in the hexadecimal form of servers.
impl fmt::Debug for ShardSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.key)?;
        let mut list = f.debug_list();
        for range in &*self.ranges {
            list.entry(&format_args!("{:#018x}..={:#018x}", range.start(), range.end()));
        }
        list.finish()
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
    use proptest::prelude::*;

    use super::*;

    fn places() -> impl Strategy<Value = Vec<(u64, u64)>> {
        let place = prop_oneof![0..12u64, u64::MAX - 12..=u64::MAX];
        proptest::collection::vec((place.clone(), place), 0..6)
    }

    fn selector(ranges: &[(u64, u64)]) -> ShardSelector {
        ShardSelector::new(ShardKey::Uid, ranges.iter().map(|(start, end)| *start..=*end))
    }

    proptest! {
        #![proptest_config(crate::seeds::cases(125))]
        #[test]
        fn selectors_are_sets(a in places(), b in places()) {
            let (left, right) = (selector(&a), selector(&b));
            let among = |ranges: &[(u64, u64)], place: u64| {
                ranges.iter().any(|(start, end)| (*start..=*end).contains(&place))
            };
            let (rest, both) = (left.without(&right), left.with(&right));
            for place in (0..14).chain(u64::MAX - 14..=u64::MAX) {
                let (in_a, in_b) = (among(&a, place), among(&b, place));
                prop_assert_eq!(left.contains(place), in_a);
                prop_assert_eq!(rest.contains(place), in_a && !in_b);
                prop_assert_eq!(both.contains(place), in_a || in_b);
            }
            for pair in left.ranges().windows(2) {
                prop_assert!(*pair[0].end() < pair[1].start() - 1, "{:?}", left);
            }
            prop_assert_eq!(left.without(&left).is_empty(), true);
            prop_assert_eq!(left.new_since(&left).is_empty(), true);
        }
    }

    #[test]
    fn another_stamp_is_new() {
        let of = |parts: &[(u64, u64, u64)]| {
            let parts = parts.iter().map(|(start, end, stamp)| (*start..=*end, *stamp));
            ShardSelector::stamped(ShardKey::Uid, parts)
        };
        let before = of(&[(0, 9, 1), (10, 19, 1), (20, 29, 2)]);
        let after = of(&[(0, 9, 1), (10, 29, 2), (40, 49, 1)]);
        assert_eq!(before.ranges(), [0..=29]);
        assert_eq!(after.new_since(&before), of(&[(10, 19, 2), (40, 49, 1)]));
        assert_eq!(after.without(&before), of(&[(40, 49, 1)]));
        assert_eq!(
            [9, 15, 30, 49].map(|place| after.stamp(place)),
            [Some(1), Some(2), None, Some(1)]
        );
        let unstamped = ShardSelector::new(ShardKey::Uid, [0..=9]);
        assert_eq!((unstamped.stamp(3), unstamped.is_stamped()), (Some(0), false));
        assert_ne!(unstamped, of(&[(0, 9, 1)]));
        assert!(of(&[]).is_stamped() && of(&[]).is_empty());
    }

    #[test]
    #[allow(clippy::reversed_empty_ranges, reason = "an empty range is left out")]
    fn first_of_overlapping_ranges_keeps_its_stamp() {
        let shard = ShardSelector::stamped(ShardKey::Uid, [(5..=19, 2), (0..=9, 1), (20..=5, 3)]);
        assert_eq!(shard.ranges(), [0..=19]);
        assert_eq!([5, 10, 20].map(|place| shard.stamp(place)), [Some(1), Some(2), None]);
    }

    #[test]
    fn expression_is_the_normal_form_of_servers() {
        let parts = ShardSelector::new(ShardKey::Namespace, [0..=0xff, 1 << 63..=u64::MAX]);
        assert_eq!(
            parts.expression().unwrap(),
            "shardRange(object.metadata.namespace, '0x0000000000000000', '0x0000000000000100') || \
             shardRange(object.metadata.namespace, '0x8000000000000000', '0x10000000000000000')"
        );
        assert_eq!(ShardSelector::everything(ShardKey::Uid).expression(), None);
        let owners = ShardSelector::new(ShardKey::ControllerUid, [0..=7]);
        assert_eq!(owners.expression(), None);
    }

    #[test]
    fn dependents_are_with_their_controlling_owner() {
        let owner = |uid: &str, controller| OwnerReference {
            uid: uid.to_owned(),
            controller: Some(controller),
            ..OwnerReference::default()
        };
        let mut pod = ObjectMeta { uid: Some("pod".into()), ..ObjectMeta::default() };
        let key = ShardKey::ControllerUid;
        assert_eq!(key.hash(&pod), ring_hash("pod"));
        pod.owner_references = Some(vec![owner("other", false), owner("set", true)]);
        assert_eq!(key.hash(&pod), ring_hash("set"));
        assert_eq!(ShardKey::Uid.hash(&pod), ring_hash("pod"));
        // A transform took the flag away: the owner is named once all the same.
        pod.owner_references = Some(vec![owner("other", false), owner("set", false)]);
        set_controller(&mut pod, Some(owner("set", true)));
        let owners = pod.owner_references.as_deref().unwrap_or_default();
        assert_eq!(owners, [owner("other", false), owner("set", true)]);
    }
}
