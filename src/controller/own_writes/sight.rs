//! What the store will show of a write.

use std::collections::HashMap;

use kube::Resource;

use crate::indexer::{Snapshot, is_at_least};
use crate::object::{ObjectKey, ResourceVersion};

/// The sights that are waited for on behalf of one key: by object, `None` for the collection itself,
/// each with the epoch of the store when it was recorded.
pub(super) type Sights = HashMap<Option<ObjectKey>, (u64, Sight)>;

/// One thing that the store will show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    /// The object at this version, or something later.
    AtLeast(ResourceVersion),
    /// That the object of this uid is gone, which was there at this version; `None` where that is not
    /// known.
    Gone { uid: Option<String>, version: Option<ResourceVersion> },
    /// That there is no object of this name, as a quorum's list at this version had it.
    Absent(ResourceVersion),
}

impl Sight {
    pub(super) fn version(&self) -> Option<&ResourceVersion> {
        match self {
            Self::AtLeast(version) | Self::Absent(version) => Some(version),
            Self::Gone { version, .. } => version.as_ref(),
        }
    }

    /// Merges two sights of one object: the newer one stands, whichever was recorded first.
    pub(super) fn and(self, new: Self) -> Self {
        match (self.version(), new.version()) {
            (Some(before), Some(after)) if after.is_older_than(before) => self,
            (Some(before), None) => match new {
                // A deletion without a version came after what is known of the object.
                Self::Gone { uid, .. } => Self::Gone { uid, version: Some(before.clone()) },
                new => new,
            },
            _ => new,
        }
    }
}

/// Returns whether the store shows a sight of an object, or of the collection.
pub(super) fn is_shown<K: Resource>(
    (epoch, sight): &(u64, Sight),
    store: &Snapshot<K>,
    object: Option<&ObjectKey>,
) -> bool {
    if *epoch != store.epoch() {
        // The history in which it was written is lost.
        return true;
    }
    let stored = object.and_then(|object| store.cached_by_key(object));
    match sight {
        Sight::AtLeast(version) => {
            store.has_reached(version) || stored.is_some_and(|stored| is_at_least(stored, version))
        }
        // Not before its creation was seen: an object not yet there looks like one gone.
        Sight::Gone { uid, version } => {
            version.as_ref().is_none_or(|version| store.has_reached(version))
                && stored.is_none_or(|stored| stored.uid() != uid.as_deref())
        }
        Sight::Absent(version) => stored.is_none() || store.has_reached(version),
    }
}

pub(super) fn newer<'a>(a: &'a ResourceVersion, b: &'a ResourceVersion) -> &'a ResourceVersion {
    if a.is_older_than(b) { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_least(version: u64) -> Sight {
        Sight::AtLeast(version.into())
    }

    #[test]
    fn an_older_answer_never_replaces_a_newer_one() {
        assert_eq!(at_least(7).and(at_least(5)), at_least(7));
        assert_eq!(at_least(5).and(at_least(7)), at_least(7));
        let gone = |version: Option<u64>| Sight::Gone {
            uid: Some("u".into()),
            version: version.map(Into::into),
        };
        assert_eq!(gone(Some(7)).and(at_least(5)), gone(Some(7)));
        assert_eq!(at_least(5).and(gone(None)), gone(Some(5)));
        assert_eq!(gone(None).and(at_least(9)), at_least(9));
    }
}
