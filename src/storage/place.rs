//! The places of stored objects on the ring, read from packed objects.

use std::sync::LazyLock;

use crate::object::{Cached, FieldSet, ShardKey, ring_hash};
use crate::panic::lend;

/// The fields that decide on an object's place on the ring.
static PLACE_FIELDS: LazyLock<FieldSet> = LazyLock::new(|| {
    FieldSet::from_paths([
        "metadata.namespace",
        "metadata.name",
        "metadata.uid",
        "metadata.ownerReferences",
    ])
});

impl<K: ?Sized> Cached<K> {
    /// Returns the object's place on the ring. `None` if the object can't be unpacked, which was
    /// reported.
    #[doc(hidden)]
    pub fn place(&self, key: ShardKey) -> Option<u64> {
        match key {
            ShardKey::Uid => Some(ring_hash(self.uid().unwrap_or_default())),
            _ => lend(self.read(Some(&PLACE_FIELDS))?, |object| Some(key.hash(object.meta()?))),
        }
    }
}
