//! The shard that a reflector follows, and how far lists and the watch have shown it.

use crate::object::{ResourceVersion, ShardKey, ShardSelector};

/// The shard that is followed, and how far lists and the watch have shown it.
#[derive(Debug, Default)]
pub(super) struct ShardProgress {
    /// The shard that the next request is for. `None` for the whole collection.
    followed: Option<ShardSelector>,
    /// The part of it that no list has shown yet.
    arriving: Option<ShardSelector>,
    /// The parts of it whose list was newer than the watch, until the watch has caught up.
    ahead: Vec<(ShardSelector, ResourceVersion)>,
}

impl ShardProgress {
    /// Follows this shard from the next request on. Returns the part of it that was listed before,
    /// if known objects may be outside of it.
    pub(super) fn follow(&mut self, shard: &ShardSelector) -> Option<ShardSelector> {
        // By another key, no part of the shard was listed, and every known object may be outside.
        let is_other = self.followed.as_ref().is_some_and(|before| before.key() != shard.key());
        if is_other {
            (self.followed, self.arriving) = (None, None);
        }
        let before = self.followed.replace(shard.clone());
        let before = before.unwrap_or_else(|| ShardSelector::nothing(shard.key()));
        let listed = self.arriving.take().map_or(before.clone(), |part| before.without(&part));
        let arriving = shard.new_since(&listed);
        let kept = shard.without(&arriving);
        self.arriving = (!arriving.is_empty()).then_some(arriving);
        // Report an empty shard too, because no list will.
        (is_other || shard.is_empty() || !before.without(&kept).is_empty()).then_some(kept)
    }

    /// Returns the shard that is followed. `None` for the whole collection.
    pub(super) fn followed(&self) -> Option<&ShardSelector> {
        self.followed.as_ref()
    }

    /// Returns the part of the shard that no list has shown yet.
    pub(super) fn arriving(&self) -> Option<&ShardSelector> {
        self.arriving.as_ref()
    }

    /// Returns the part of the shard that lists have shown. `None` for the whole collection.
    pub(super) fn listed(&self) -> Option<ShardSelector> {
        let followed = self.followed.as_ref()?;
        let listed = self.arriving.as_ref().map(|arriving| followed.without(arriving));
        Some(listed.unwrap_or_else(|| followed.clone()))
    }

    /// Returns whether the shard contains nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.followed.as_ref().is_some_and(ShardSelector::is_empty)
    }

    /// Returns whether an object can move from one part of the shard to another.
    pub(super) fn moves(&self) -> bool {
        self.followed.as_ref().is_some_and(|shard| shard.key() == ShardKey::ControllerUid)
    }

    /// Returns whether no list has shown any part of the shard.
    pub(super) fn is_unlisted(&self) -> bool {
        self.arriving.is_some() && self.arriving == self.followed
    }

    /// Notes that the sink has a list of this part.
    pub(super) fn note_list(&mut self, part: Option<&ShardSelector>) {
        if let (Some(arriving), Some(part)) = (self.arriving.take(), part) {
            let rest = arriving.without(part);
            self.arriving = (!rest.is_empty()).then_some(rest);
        }
    }

    /// Notes that a list of this part is newer than the watch.
    pub(super) fn note_lead(&mut self, part: ShardSelector, version: ResourceVersion) {
        self.ahead.push((part, version));
    }

    /// Returns the newest version of which the sink has a part: that of the watch, or of a newer
    /// list.
    pub(super) fn newest<'a>(
        &'a self,
        watched: Option<&'a ResourceVersion>,
    ) -> Option<&'a ResourceVersion> {
        let listed = self.ahead.iter().map(|(_, listed)| listed);
        listed.chain(watched).reduce(|a, b| if a.is_older_than(b) { b } else { a })
    }

    /// Notes that the watch has reached this version.
    pub(super) fn catch_up(&mut self, version: &ResourceVersion) {
        self.ahead.retain(|(_, listed)| version.is_older_than(listed));
    }

    /// Notes that a list of everything has replaced all others.
    pub(super) fn note_relist(&mut self) {
        self.ahead.clear();
    }

    /// Returns whether a list of arrivals showed an event of an object at this position.
    /// `position` is called only while such a list is ahead of the watch.
    pub(super) fn was_listed(
        &self,
        version: &ResourceVersion,
        position: impl Fn(ShardKey) -> Option<u64>,
    ) -> bool {
        self.ahead.iter().any(|(shard, listed)| {
            let new = listed.is_older_than(version);
            !new && position(shard.key()).is_some_and(|position| shard.contains(position))
        })
    }
}
