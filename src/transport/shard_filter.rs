//! The client's part of sharding: a filter of the objects outside of the requested shard.
//!
//! Servers may ignore a shard selector, and cannot select by every field. The client therefore
//! checks each object. It reads the place on the ring from the bytes, so an object outside is not
//! decoded.

use std::sync::Arc;

use super::framing::{Encoding, EventKind};
use crate::lister_watcher::WatchItem;
use crate::object::{ObjectKey, ResourceVersion, ShardKey, ShardSelector, ring_hash};

/// A check of the objects of one answer.
pub(super) struct ShardFilter {
    selector: ShardSelector,
    encoding: Encoding,
    /// The requested namespace. `None` if all are requested.
    namespace: Option<Arc<str>>,
}

impl ShardFilter {
    /// Creates the filter. `None` if every object is requested.
    pub(super) fn new(
        shard: Option<ShardSelector>,
        encoding: Encoding,
        namespace: Option<Arc<str>>,
    ) -> Option<Self> {
        let selector = shard.filter(|shard| !shard.is_everything())?;
        Some(Self { selector, encoding, namespace })
    }

    /// Returns the key of an object that is not in the requested namespace: the answer is that to
    /// another request. `None` for others, and if the object is cut off before its namespace.
    pub(super) fn elsewhere(&self, object: &[u8]) -> Option<ObjectKey> {
        let requested = self.namespace.as_deref()?;
        let key = self.identity(object, true).0?;
        key.namespace().is_some_and(|namespace| namespace != requested).then_some(key)
    }

    /// Returns whether an object is outside of the shard. The object may be cut off.
    ///
    /// An object whose place cannot be read counts as inside, so that it is reported. Only an empty
    /// shard excludes it.
    pub(super) fn excludes(&self, object: &[u8]) -> bool {
        // An object without a name may be any object, as one whose place cannot be read.
        let unnamed = |place| self.selector.key() == ShardKey::Name && place == ring_hash("");
        let outside = |place| !self.selector.contains(place) && !unnamed(place);
        self.selector.is_empty()
            || self.encoding.place(object, self.selector.key()).is_some_and(outside)
    }

    /// Returns the item for an event of an object outside of the shard. `None` if the event itself
    /// is delivered. The object may be cut off.
    pub(super) fn outside(&self, kind: EventKind, object: &[u8]) -> Option<WatchItem> {
        let moves = self.selector.key() == ShardKey::ControllerUid;
        // The final state may have another owner than the state that was in the shard.
        if moves && kind == EventKind::Deleted || !self.excludes(object) {
            return None;
        }
        let (key, version) = self.identity(object, moves);
        // Without its key, an object that has left the shard would stay in it.
        (!moves || key.is_some()).then_some(WatchItem::Outside { key, version })
    }

    /// Returns the key of an object outside of the shard, if the object may have been in it before.
    pub(super) fn moved_key(&self, object: &[u8]) -> Option<ObjectKey> {
        let moves = self.selector.key() == ShardKey::ControllerUid;
        moves.then(|| self.identity(object, true).0)?
    }

    /// Reads the version of an object and, if wanted, its key.
    fn identity(
        &self,
        object: &[u8],
        with_key: bool,
    ) -> (Option<ObjectKey>, Option<ResourceVersion>) {
        let key = |namespace: Option<&str>, name: Option<&str>| {
            name.filter(|_| with_key).and_then(|name| ObjectKey::from_parts(namespace, name).ok())
        };
        match self.encoding.state(object) {
            // A namespace in an uncommon place is not seen.
            Some(state) if !with_key || state.namespace.is_some() => {
                (key(state.namespace, Some(state.name)), Some(state.version.into()))
            }
            _ => {
                let peeked = self.encoding.peek(object);
                let version = peeked.version.filter(|version| !version.is_empty());
                let key = key(peeked.namespace.as_deref(), peeked.name.as_deref());
                (key, version.map(|version| (&*version).into()))
            }
        }
    }
}
