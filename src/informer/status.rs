//! One look at everything an informer is doing.

use std::sync::Arc;
use std::time::Duration;

use super::InformerFailure;
use crate::lister_watcher::Collection;
use crate::object::{ResourceVersion, seconds};
use crate::processor::HandlerStatus;
use crate::reflector::ReflectorStatus;
use crate::storage::StorageStatus;

/// What an informer is doing and holds, at one moment; never what its objects say.
///
/// Serialised, durations are seconds and versions texts.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct InformerStatus {
    /// The name it was given, empty if none.
    pub name: Arc<str>,
    /// What it holds.
    pub collection: Collection,
    /// Whether the first population is in the store, and the informer did not fail since.
    pub synced: bool,
    /// Whether the informer was stopped or failed. Its store does not change any more. Serialised
    /// only where it is so.
    #[serde(skip_serializing_if = "is_false")]
    pub stopped: bool,
    /// Why the informer stopped without being asked to. Serialised only where there is a reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<InformerFailure>,
    /// How many objects the store holds.
    pub objects: usize,
    /// How many of them are stale: the server has a newer state that could not be decoded.
    pub stale: usize,
    /// The version of the store.
    pub version: Option<ResourceVersion>,
    /// Upper bound of the store's age: the time since the newest proof that the store has reached. A
    /// proof is a list, an event, a bookmark, or a quorum list of one item
    /// ([`ReflectorOptions::freshness_limit`](crate::reflector::ReflectorOptions::freshness_limit)).
    /// `None` until something is stored.
    #[serde(with = "seconds::optional")]
    pub freshness: Option<Duration>,
    /// How many deltas wait between reflector and store.
    pub queued: usize,
    /// How many calls of index functions panicked.
    pub index_faults: u64,
    /// How many objects panicked when they were dropped. Serialised only where there are any.
    #[serde(skip_serializing_if = "is_zero")]
    pub drop_faults: u64,
    /// The name of the controller whose mapping function or predicate the processing loop waits for;
    /// `None` while the loop does not wait. No other consumer holds up the loop. Serialised only while
    /// it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_up_by: Option<Arc<str>>,
    /// How the objects are packed; `None` where they are kept as they are.
    pub storage: Option<StorageStatus>,
    /// What the reflector is doing, and what it went through.
    pub reflector: ReflectorStatus,
    /// How each handler is doing.
    pub handlers: Vec<HandlerStatus>,
}

impl InformerStatus {
    /// Returns whether the first population is in the store and the store is proved to be no older
    /// than `limit`.
    ///
    /// With bookmarks (API servers send one a minute) a quiet collection is at most about two minutes old
    /// while its watch works. Without bookmarks set a
    /// [`freshness_limit`](crate::reflector::ReflectorOptions::freshness_limit).
    pub fn is_fresh(&self, limit: Duration) -> bool {
        self.synced && self.freshness.is_some_and(|age| age <= limit)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde hands over")]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde hands over")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}
