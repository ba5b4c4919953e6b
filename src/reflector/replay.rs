//! The beginning of a watch, which shows whether the watch goes on from its version.
//!
//! Some aggregated servers make versions up. They accept a watch from any version and begin from
//! nothing: they add every object again, and never tell what was deleted before. A beginning that
//! sends nothing looks like a quiet collection, and one that adds one known object looks like a
//! server that repeats its last event. Neither can be told from the watch.

use super::observing::Observed;
use super::shard_progress::ShardProgress;
use crate::lister_watcher::WatchQuery;
use crate::object::{Cached, Change, KnownObjects, ObjectKey, ResourceVersion};

/// The beginning of a watch from a version.
pub(super) struct Beginning {
    from: ResourceVersion,
    stage: Stage,
}

enum Stage {
    /// The watch has sent nothing that shows whether it goes on from its version, except that it
    /// may have added this known object.
    Open(Option<ObjectKey>),
    /// The watch has added two known objects. It may add others.
    Replaying,
    /// The watch has sent anything else.
    Over,
}

/// The meaning of an item for the beginning of its watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Replay {
    No,
    /// A known object was added. It may be a repetition.
    Possible,
    /// A second one was added: the watch began from nothing.
    Shown,
    /// Another object was added after that.
    Continued,
}

impl Beginning {
    /// Returns the beginning of this watch. The initial events of a list are no beginning.
    pub(super) fn of(query: &WatchQuery) -> Self {
        let from = query.version.clone().filter(|_| !query.initial_events);
        let stage = if from.is_some() { Stage::Open(None) } else { Stage::Over };
        Self { from: from.unwrap_or(ResourceVersion::ANY), stage }
    }

    /// Returns the version that the watch was requested from.
    pub(super) fn from(&self) -> &ResourceVersion {
        &self.from
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
        if matches!(self.stage, Stage::Over) {
            return Replay::No;
        }
        let is_old = |version: &ResourceVersion| !self.from.is_older_than(version);
        match observed {
            Observed::Change { change: Change::Added { key, object, version }, .. } => {
                let listed = |version| shard.was_listed(version, |key| object.place(key));
                if version.as_ref().is_some_and(listed) {
                    return Replay::No;
                }
                self.note_added(key, object, version.as_ref(), known)
            }
            // They show no state of a known object.
            Observed::Change {
                change: Change::Unreadable { version, .. } | Change::MovedAway { version, .. },
                ..
            }
            | Observed::Outside(version)
                if version.as_ref().is_none_or(is_old) =>
            {
                Replay::No
            }
            Observed::Nameless | Observed::Nothing => Replay::No,
            _ => {
                self.stage = Stage::Over;
                Replay::No
            }
        }
    }

    /// Notes an object that was added.
    ///
    /// The watch of an object that was known at its beginning goes on with an update or a deletion,
    /// whatever its version. A list may show an object in a newer state than the list's version,
    /// which its watch then adds.
    fn note_added(
        &mut self,
        key: &ObjectKey,
        object: &Cached,
        version: Option<&ResourceVersion>,
        known: Option<&dyn KnownObjects>,
    ) -> Replay {
        let Stage::Open(added) = &mut self.stage else { return Replay::Continued };
        let is_known = known.and_then(|known| known.get(key)).is_some_and(|known| {
            let is_ahead = known.version().is_some_and(|known| self.from.is_older_than(&known));
            !is_ahead && known.uid() == object.uid()
        });
        match added {
            _ if !is_known => {
                if version.is_some_and(|version| self.from.is_older_than(version)) {
                    self.stage = Stage::Over;
                }
                Replay::No
            }
            Some(added) if added != key => {
                self.stage = Stage::Replaying;
                Replay::Shown
            }
            added => {
                *added = Some(key.clone());
                Replay::Possible
            }
        }
    }
}
