//! The requested shard of a list or watch: the items of objects outside of it.

use kube::Resource;

use crate::lister_watcher::WatchItem;
use crate::object::{ObjectKey, ShardKey, ShardSelector};

/// Returns whether an object is in the requested shard.
pub(super) fn is_selected<K: Resource>(shard: Option<&ShardSelector>, object: &K) -> bool {
    shard.is_none_or(|shard| shard.selects(object.meta()))
}

/// Returns the item for the event of an object outside of the requested shard. `None` if the event
/// itself is sent.
pub(super) fn outside<K: Resource>(
    shard: Option<&ShardSelector>,
    object: &K,
) -> Option<WatchItem<K>> {
    let shard = shard.filter(|shard| !shard.selects(object.meta()))?;
    let key = ObjectKey::of(object).ok().filter(|_| moves(shard));
    let version = object.meta().resource_version.as_deref().map(Into::into);
    Some(WatchItem::Outside { key, version })
}

/// Returns the item for the deletion of an object, as [`outside`] does. An object that may have
/// been in the shard before its final state is reported as deleted.
pub(super) fn outside_deleted<K: Resource>(
    shard: Option<&ShardSelector>,
    object: &K,
) -> Option<WatchItem<K>> {
    outside(shard.filter(|shard| !moves(shard)), object)
}

/// Returns whether an object can leave the shard.
fn moves(shard: &ShardSelector) -> bool {
    shard.key() == ShardKey::ControllerUid
}
