//! What the reflector saw of the server, and what that means for one object.
//!
//! A [`Change`] is what happened on the server; a [`Delta`] is what the store is to do about one
//! key. The delta FIFO turns the first into the second, because only it knows what is already
//! stored or queued.

use super::{Cached, ObjectKey, ResourceVersion};
use std::collections::HashSet;

/// What the server was seen to do, in the order in which it did it.
#[derive(Debug)]
pub enum Change<K> {
    /// An object was created, or came to match the selectors.
    Added {
        /// Its key.
        key: ObjectKey,
        /// Its state.
        object: Cached<K>,
        /// The version that the collection has with this change.
        version: Option<ResourceVersion>,
    },
    /// An object was modified.
    Updated {
        /// Its key.
        key: ObjectKey,
        /// Its new state.
        object: Cached<K>,
        /// The version that the collection has with this change.
        version: Option<ResourceVersion>,
    },
    /// An object was deleted, or ceased to match the selectors.
    Deleted {
        /// Its key.
        key: ObjectKey,
        /// Its final state; `None` where that could not be decoded.
        object: Option<Cached<K>>,
        /// The version that the collection has with this change.
        version: Option<ResourceVersion>,
    },
    /// The object changed into something that could not be decoded: what is stored of it is stale.
    Unreadable {
        /// Its key.
        key: ObjectKey,
        /// The version that the collection has with this change.
        version: Option<ResourceVersion>,
    },
    /// Nothing changed up to this version.
    Bookmark(ResourceVersion),
    /// The whole collection, as one moment had it.
    Replace(Replacement<K>),
}

/// A whole collection, as a list gave it.
#[derive(Debug)]
pub struct Replacement<K> {
    /// The objects, in the order of the list; of two with one key the newer version stands.
    pub items: Vec<(ObjectKey, Cached<K>)>,
    /// Keys that the list holds with an object that could not be decoded. They count as present.
    pub unreadable: HashSet<ObjectKey>,
    /// Whether every item's key could be read. If not, what the list lacks is not known to be gone
    /// and nothing is deleted.
    pub complete: bool,
    /// The list's version.
    pub version: ResourceVersion,
    /// The server's history was lost, as where a backup was restored: a quorum's list is older than
    /// what is known. It is believed in everything, its version stands although it is lower, and
    /// what has the uid and version of a known object may yet be another state of it.
    pub restored: bool,
}

/// What the store is to do about one key.
#[derive(Debug, PartialEq, Eq)]
pub enum Delta<K> {
    /// The object was created.
    Added(Cached<K>),
    /// The object was modified.
    Updated(Cached<K>),
    /// A list holds the object. Where uid and version equal those known, this is the very one
    /// that is known.
    Replaced(Cached<K>),
    /// A resync: nothing happened, tell it again.
    Sync(Cached<K>),
    /// The object is gone.
    Deleted {
        /// The last state known.
        object: Cached<K>,
        /// Whether that is its state at deletion; if not, this is a tombstone.
        final_state_known: bool,
    },
    /// The server has the object in a state that could not be decoded. The last good state stays, as
    /// stale; where there is none, the store notes that the object exists.
    Unreadable,
    /// An object is gone of which no state could be decoded. Nobody was told of it.
    Forgotten,
}

impl<K> Delta<K> {
    /// The object this delta carries, where it carries one.
    pub fn object(&self) -> Option<&Cached<K>> {
        match self {
            Self::Added(object)
            | Self::Updated(object)
            | Self::Replaced(object)
            | Self::Sync(object)
            | Self::Deleted { object, .. } => Some(object),
            Self::Unreadable | Self::Forgotten => None,
        }
    }

    /// Whether this delta takes its object away.
    pub fn is_deleted(&self) -> bool {
        matches!(self, Self::Deleted { .. })
    }
}

impl<K> Clone for Delta<K> {
    fn clone(&self) -> Self {
        match self {
            Self::Added(object) => Self::Added(object.clone()),
            Self::Updated(object) => Self::Updated(object.clone()),
            Self::Replaced(object) => Self::Replaced(object.clone()),
            Self::Sync(object) => Self::Sync(object.clone()),
            Self::Deleted { object, final_state_known } => {
                Self::Deleted { object: object.clone(), final_state_known: *final_state_known }
            }
            Self::Unreadable => Self::Unreadable,
            Self::Forgotten => Self::Forgotten,
        }
    }
}
