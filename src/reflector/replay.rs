//! Watches that begin from nothing, although they were requested from a version.
//!
//! Some aggregated servers make versions up. They accept a watch from any version and begin from
//! nothing: they add every object again, and never tell what was deleted before. A watch that goes
//! on from its version adds no object that was known at that version, unless it has deleted it
//! before. One such addition may be a server's last event, repeated. Two show a replay, wherever in
//! the watch they come, unless the watch tells the first one's deletion after it. A replay of fewer
//! known objects looks like a quiet collection.
//!
//! Others send every object again as modified. No watch that goes on from its version modifies an
//! object into the known state. Servers whose versions are all equal, or all newer than the known
//! ones, hide which state that is.

use std::collections::HashSet;

use super::observing::Observed;
use super::shard_progress::ShardProgress;
use crate::lister_watcher::WatchQuery;
use crate::object::{Cached, Change, KnownObjects, ObjectKey, ResourceVersion, hash_str};

/// The largest number of keys that left in one watch and are remembered.
const MOST_LEFT: usize = 1 << 16;

/// The known objects that a watch has added, or modified into their known state.
pub(super) struct Additions {
    /// The version that the watch was requested from. `None` if it began with a list's objects,
    /// which it adds rightly.
    from: Option<ResourceVersion>,
    /// The hashes of the keys that left in this watch. `None` if any key may have left.
    left: Option<HashSet<u64>>,
    /// The first of these objects, and its version if it was modified.
    first: Option<(ObjectKey, Option<ResourceVersion>)>,
    /// True if a second one was added.
    replays: bool,
}

/// The meaning of an item for the watch's version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Replay {
    No,
    /// A known object was added, or modified into its known state. It may be a repetition.
    Possible,
    /// A second one was added: the watch began from nothing.
    Shown,
    /// Another object was added after that.
    Continued,
}

impl Additions {
    /// Returns the additions of this watch, which has sent nothing yet.
    pub(super) fn of(query: &WatchQuery) -> Self {
        let from = query.version.clone().filter(|_| !query.initial_events);
        Self { from, left: Some(HashSet::new()), first: None, replays: false }
    }

    /// Looks at the next item of the watch.
    ///
    /// A list of arrivals is ahead of the watch. The watch replays what that list showed, rightly.
    pub(super) fn look(
        &mut self,
        observed: &Observed,
        known: Option<&dyn KnownObjects>,
        shard: &ShardProgress,
    ) -> Replay {
        let (Some(from), Some(known)) = (&self.from, known) else { return Replay::No };
        match observed {
            Observed::Change {
                change:
                    change @ (Change::Added { key, object, version }
                    | Change::Updated { key, object, version }),
                ..
            } => {
                let listed = |version| shard.was_listed(version, |key| object.place(key));
                if version.as_ref().is_some_and(listed) {
                    return Replay::No;
                }
                if self.replays {
                    return Replay::Continued;
                }
                let is_update = matches!(change, Change::Updated { .. });
                if !self.was_known(from, key, object, is_update, known) {
                    return Replay::No;
                }
                let version = version.clone().filter(|_| is_update);
                let (first, before) =
                    self.first.get_or_insert_with(|| (key.clone(), version.clone()));
                self.replays = first != key && (version.is_none() || *before != version);
                if self.replays { Replay::Shown } else { Replay::Possible }
            }
            Observed::Change {
                change: Change::Deleted { key, .. } | Change::MovedAway { key, .. },
                ..
            } => {
                // A stream that swaps events adds an object again before it tells its departure.
                self.first.take_if(|(first, _)| first == key);
                if let Some(left) = &mut self.left {
                    left.insert(hash_str(key.as_str()));
                    if left.len() > MOST_LEFT {
                        self.left = None;
                    }
                }
                Replay::No
            }
            Observed::Nameless => {
                self.left = None;
                Replay::No
            }
            _ => Replay::No,
        }
    }

    /// Returns whether an added object was known at the version of the watch, under any uid. An
    /// update counts only if it brings the known state.
    ///
    /// The watch goes on with an update or a deletion of such an object, whatever its version. A
    /// list may show an object in a newer state than the list's version, which its watch then adds.
    /// An object that left and came back has another version. It is known until the store has
    /// caught up with the end of the last watch, or with its deletion in this one.
    fn was_known(
        &self,
        from: &ResourceVersion,
        key: &ObjectKey,
        added: &Cached,
        is_update: bool,
        known: &dyn KnownObjects,
    ) -> bool {
        let has_left = |left: &HashSet<u64>| left.contains(&hash_str(key.as_str()));
        let may_be_back = self.left.as_ref().is_none_or(has_left) || known.is_behind(from);
        known.get(key).is_some_and(|known| {
            let version = known.version();
            let is_ahead = version.as_ref().is_some_and(|version| from.is_older_than(version));
            let is_same = version.is_some() && version == added.version();
            !is_ahead && (is_same && known.uid() == added.uid() || !may_be_back && !is_update)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;

    /// A store that is behind all versions from one on.
    struct Store(Vec<(ObjectKey, Cached)>, u64);

    impl KnownObjects for Store {
        fn get(&self, key: &ObjectKey) -> Option<Cached> {
            self.0.iter().find(|(known, _)| known == key).map(|(_, object)| object.clone())
        }

        fn for_each(&self, visit: &mut dyn FnMut(&ObjectKey, &Cached)) {
            self.0.iter().for_each(|(key, object)| visit(key, object));
        }

        fn is_behind(&self, version: &ResourceVersion) -> bool {
            ResourceVersion::from(self.1).is_older_than(version)
        }
    }

    fn object(name: &str, version: u64) -> (ObjectKey, Cached) {
        let mut map = ConfigMap::default();
        map.metadata.uid = Some(name.to_owned());
        map.metadata.resource_version = Some(version.to_string());
        (ObjectKey::cluster(name).unwrap(), Cached::from(Arc::new(map)).cast())
    }

    fn added(name: &str, version: u64) -> Observed {
        let ((key, object), version) = (object(name, version), Some(version.into()));
        Observed::Change {
            change: Change::Added { key, object, version: version.clone() },
            version,
        }
    }

    fn updated(name: &str, version: u64) -> Observed {
        let ((key, object), version) = (object(name, version), Some(version.into()));
        let change = Change::Updated { key, object, version: version.clone() };
        Observed::Change { change, version }
    }

    fn deleted(name: &str, version: Option<u64>) -> Observed {
        let (key, version) = (object(name, 0).0, version.map(ResourceVersion::from));
        let change = Change::Deleted { key, object: None, version: version.clone() };
        Observed::Change { change, version }
    }

    /// Returns whether these items of a watch from version 5 show a replay to a store that knows
    /// `a`, `b` and `c`, up to a version.
    fn replays(stored: u64, items: impl IntoIterator<Item = Observed>) -> bool {
        let known = Store(vec![object("a", 2), object("b", 3), object("c", 7)], stored);
        let mut query = WatchQuery::new(Duration::ZERO);
        query.version = Some(5.into());
        let mut additions = Additions::of(&query);
        let shard = ShardProgress::default();
        items.into_iter().any(|item| additions.look(&item, Some(&known), &shard) == Replay::Shown)
    }

    #[test]
    fn objects_that_came_back_are_no_replay() {
        // They left before the watch, or within it, and the store does not know it yet.
        for (stored, left) in [(4, vec![]), (5, vec![deleted("a", Some(6))])] {
            let back = [added("a", 8), added("b", 9)];
            assert!(!replays(stored, left.into_iter().chain(back)));
        }
        // A stream that swaps events tells the departure late.
        let late = |(name, left, back)| [added(name, back), deleted(name, Some(left))];
        assert!(!replays(9, [("a", 6, 7), ("b", 8, 9)].into_iter().flat_map(late)));
        for unknown in [Observed::Nameless, deleted("a", None), deleted("a", Some(4))] {
            assert!(!replays(9, [unknown, added("a", 8), added("b", 9)]));
        }
    }

    #[test]
    fn known_states_and_versions_tell_replays() {
        let again = || [added("a", 2), added("b", 3)];
        let made_up = || [added("a", 8), added("b", 9)];
        assert!(replays(5, again()) && replays(5, made_up()));
        // A store that is behind knows its states, and one that caught up knows what left.
        assert!(replays(4, again()));
        assert!(replays(5, [Observed::Nameless].into_iter().chain(again())));
        // The departure of one object says nothing of others.
        for (stored, version) in [(6, Some(6)), (5, Some(6)), (5, None), (5, Some(4))] {
            assert!(replays(stored, [deleted("d", version)].into_iter().chain(made_up())));
        }
        assert!(replays(5, [added("a", 8), deleted("d", Some(6)), added("b", 9)]));
        // No known object comes under another uid before it was deleted.
        let renamed = |name| {
            let (_, object) = object(&format!("new-{name}"), 8);
            let (key, version) = (ObjectKey::cluster(name).unwrap(), Some(8.into()));
            let change = Change::Added { key, object, version };
            Observed::Change { change, version: Some(8.into()) }
        };
        assert!(replays(5, ["a", "b"].map(renamed)));
        // The list showed it in a newer state, which the watch then adds.
        assert!(!replays(5, [added("a", 2), added("c", 7)]));
        assert!(!replays(5, [added("a", 2), added("new", 6), added("a", 2)]));
    }

    #[test]
    fn updates_to_known_states_tell_replays() {
        for stored in [4, 5] {
            assert!(replays(stored, [updated("a", 2), updated("b", 3)]));
            assert!(replays(stored, [added("a", 2), updated("b", 3)]));
            assert!(replays(stored, [updated("a", 2), added("b", 3)]));
        }
        // One may be repeated, and others are new.
        assert!(!replays(5, [updated("a", 2), updated("a", 2), updated("b", 8)]));
        assert!(!replays(5, [updated("a", 6), updated("b", 7), updated("c", 7)]));
    }

    #[test]
    fn updates_at_one_version_tell_nothing() {
        let known = Store(vec![object("a", 5), object("b", 5)], 5);
        let mut query = WatchQuery::new(Duration::ZERO);
        query.version = Some(5.into());
        let (mut additions, shard) = (Additions::of(&query), ShardProgress::default());
        for name in ["a", "b", "a", "b"] {
            let replay = additions.look(&updated(name, 5), Some(&known), &shard);
            assert_eq!(replay, Replay::Possible);
        }
    }
}
