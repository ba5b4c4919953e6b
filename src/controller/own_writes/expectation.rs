//! The state that the store will show after a write.

use std::collections::HashMap;

use crate::indexer::Snapshot;
use crate::object::{ObjectKey, ResourceVersion, ShardSelector};

/// The expectations of one key, by object; `None` stands for the collection itself. Each holds the
/// epoch of the store that will show it.
pub(super) type Expectations = HashMap<Option<ObjectKey>, (u64, Expectation)>;

/// One state that the store will show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expectation {
    /// The object at this version or a later one.
    AtLeast(ResourceVersion),
    /// The absence of the object with this uid, which existed at this version; `None` if unknown.
    Gone { uid: Option<String>, version: Option<ResourceVersion> },
    /// The absence of any object with this name, as in a quorum's list at this version.
    Absent(ResourceVersion),
}

impl Expectation {
    pub(in crate::controller) fn version(&self) -> Option<&ResourceVersion> {
        match self {
            Self::AtLeast(version) | Self::Absent(version) => Some(version),
            Self::Gone { version, .. } => version.as_ref(),
        }
    }

    /// Merges two expectations of one object: the newer version wins, whichever was recorded first.
    pub(in crate::controller) fn and(self, new: Self) -> Self {
        match (self.version(), new.version()) {
            (Some(before), Some(after)) if after.is_older_than(before) => self,
            (Some(before), None) => match new {
                // A deletion without a version is newer than the known state.
                Self::Gone { uid, .. } => Self::Gone { uid, version: Some(before.clone()) },
                new => new,
            },
            _ => new,
        }
    }
}

/// Returns whether the store meets an expectation of an object, or of the collection.
pub(in crate::controller) fn is_met(
    (epoch, expectation): &(u64, Expectation),
    store: &Snapshot,
    object: Option<&ObjectKey>,
) -> bool {
    if store.shard().is_some_and(ShardSelector::is_empty) {
        // No further state arrives.
        return true;
    }
    if *epoch != store.epoch() {
        return false;
    }
    let stored = object.and_then(|object| store.get_cached(object));
    match expectation {
        Expectation::AtLeast(version) => {
            store.has_reached(version)
                || stored
                    .and_then(|stored| stored.version())
                    .is_some_and(|stored| stored.is_at_least(version))
        }
        // Only after its creation was seen: an object that has not arrived looks like one that is
        // gone.
        Expectation::Gone { uid, version } => {
            version.as_ref().is_none_or(|version| store.has_reached(version))
                && stored.is_none_or(|stored| stored.uid() != uid.as_deref())
        }
        Expectation::Absent(version) => stored.is_none() || store.has_reached(version),
    }
}

pub(super) fn newer<'a>(a: &'a ResourceVersion, b: &'a ResourceVersion) -> &'a ResourceVersion {
    if a.is_older_than(b) { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_least(version: u64) -> Expectation {
        Expectation::AtLeast(version.into())
    }

    #[test]
    fn older_answer_never_replaces_newer() {
        assert_eq!(at_least(7).and(at_least(5)), at_least(7));
        assert_eq!(at_least(5).and(at_least(7)), at_least(7));
        let gone = |version: Option<u64>| Expectation::Gone {
            uid: Some("u".into()),
            version: version.map(Into::into),
        };
        assert_eq!(gone(Some(7)).and(at_least(5)), gone(Some(7)));
        assert_eq!(at_least(5).and(gone(None)), gone(Some(5)));
        assert_eq!(gone(None).and(at_least(9)), at_least(9));
    }
}
