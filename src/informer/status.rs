//! The status and the metrics of an informer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::{Audit, InformerFailure};
use crate::lister_watcher::Collection;
use crate::metrics::{
    AUDITS, Count, INDEX_FAULTS, INFORMER_PROCESSING_LATENCY, INFORMER_QUEUED_ITEMS,
    INFORMER_STORE_RESOURCE_VERSION, Level, Mark, MetricLabels, OBJECTS, STALE_OBJECTS,
    STORAGE_HITS, STORAGE_HOT_BYTES, STORAGE_KEPT_DECODED, STORAGE_MISSES, STORAGE_PACKED_BYTES,
    STORAGE_UNREADABLE, SYNCED, Timing, UNREADABLE_OBJECTS,
};
use crate::object::ResourceVersion;
use crate::processor::HandlerStatus;
use crate::reflector::ReflectorStatus;
use crate::storage::StorageStatus;
use crate::time::seconds;

/// The status of an informer, its reflector and its handlers, at one moment. It never contains the
/// contents of objects.
///
/// Serialises durations as seconds and versions as text.
///
/// One line for a status page:
///
/// ```
/// use std::time::Duration;
/// use kube_informer::InformerStatus;
///
/// fn line(status: &InformerStatus) -> String {
///     let (name, objects) = (&status.collection, status.objects);
///     if let Some(failure) = &status.failure {
///         return format!("{name}: {failure}");
///     }
///     match (&status.held_up_by, &status.reflector.last_error) {
///         (Some(tap), _) => format!("{name}: held up by {tap}"),
///         (None, Some((error, ago))) if !status.is_fresh(Duration::from_secs(180)) => {
///             format!("{name}: {objects} objects are out of date; {ago:.0?} ago: {error}")
///         }
///         _ => format!("{name}: {objects} objects, of which {} are stale", status.stale),
///     }
/// }
/// ```
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct InformerStatus {
    /// The informer's name. Empty if it has none.
    pub name: Arc<str>,
    /// The collection that the informer holds.
    pub collection: Collection,
    /// True if the first list is in the store and the informer has not failed since.
    pub synced: bool,
    /// True if readiness does not wait for the informer, because only sets hold it: it follows a
    /// [selected namespace](crate::factory::SelectedNamespaces), a [kind](crate::factory::Kinds)
    /// or the registrations of API servers, or what others
    /// [reference](crate::factory::Referenced). Serialised only if true.
    #[serde(skip_serializing_if = "is_false")]
    pub of_set: bool,
    /// True if the informer was stopped or failed. Its store no longer changes. Serialised only if
    /// true.
    #[serde(skip_serializing_if = "is_false")]
    pub stopped: bool,
    /// The reason why the informer failed. `None` if it was stopped on request. Serialised only if
    /// set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<InformerFailure>,
    /// The number of objects in the store.
    pub objects: usize,
    /// The number of stale objects: the server has a newer state that could not be decoded.
    pub stale: usize,
    /// The number of objects that the server has and that are not in the store, because no state of
    /// them could be decoded: see [`Snapshot::unreadable`](crate::Snapshot::unreadable).
    pub unreadable: usize,
    /// The version of the store.
    pub version: Option<ResourceVersion>,
    /// The upper bound of the store's age: the time since the newest proof that the store has
    /// reached. A proof is a list, an event, a bookmark, or a quorum list of one item
    /// ([`ReflectorOptions::freshness_limit`](crate::reflector::ReflectorOptions::freshness_limit)).
    /// The events of a watch's first two seconds are none: they may be old ones that were missed.
    /// An answer is no proof if the server has named a newer version: see
    /// [`ReflectorStatus::freshness`]. Until it names one, a cache that lags cannot be told from a
    /// current one, and its bookmarks are proofs. [`reach`](super::SharedInformer::reach) asks a
    /// quorum, which has no cache. `None` until something is stored.
    #[serde(with = "seconds::optional")]
    pub freshness: Option<Duration>,
    /// The number of deltas that wait between reflector and store.
    pub queued: usize,
    /// The number of calls of index functions that panicked.
    pub index_faults: u64,
    /// The number of objects that panicked when they were dropped. Serialised only if not zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub drop_faults: u64,
    /// The name of the [tap](crate::SharedInformer::tap) that is full, so that the processing loop
    /// waits for its reader. `None` while the loop does not wait. No other consumer can make the
    /// loop wait. Serialised only if set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_up_by: Option<Arc<str>>,
    /// The status of packed storage. `None` for [decoded storage](crate::Storage::decoded).
    pub storage: Option<StorageStatus>,
    /// The status of the reflector.
    pub reflector: ReflectorStatus,
    /// The status of each handler.
    pub handlers: Vec<HandlerStatus>,
    /// The last [audit](super::SharedInformer::audit). Serialised only if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit: Option<Arc<Audit>>,
}

impl InformerStatus {
    /// Returns whether the first list is in the store and the store is proved to be no older than
    /// `limit`.
    ///
    /// API servers send a bookmark each minute. With bookmarks, the store of a quiet collection is
    /// at most about two minutes old while its watch works. Without bookmarks, set a
    /// [`freshness_limit`](crate::reflector::ReflectorOptions::freshness_limit).
    pub fn is_fresh(&self, limit: Duration) -> bool {
        self.synced && self.freshness.is_some_and(|age| age <= limit)
    }

    /// Returns whether the readiness of the program waits for the informer. It does not wait for a
    /// member of a set, nor for a kind that is not served.
    pub fn is_awaited(&self) -> bool {
        !self.of_set && self.reflector.not_served.is_none()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The metrics of one informer. They end with its tasks.
#[derive(Debug)]
pub(super) struct InformerMetrics {
    pub(super) queued: Level,
    pub(super) latency: Timing,
    pub(super) version: Mark,
    pub(super) objects: Level,
    pub(super) stale: Level,
    pub(super) unreadable: Level,
    pub(super) synced: Level,
    pub(super) index_faults: Count,
    /// The audits that passed, that found a difference, and that could not be judged.
    audits: [Count; 3],
    /// `None` unless objects are packed.
    pub(super) storage: Option<StorageMetrics>,
}

/// The metrics of a storage that packs objects.
#[derive(Debug)]
pub(super) struct StorageMetrics {
    packed_bytes: Level,
    hot_bytes: Level,
    /// Hits, misses, objects that were kept decoded, and unreadable ones; each with the number that
    /// was recorded last. Readers hold no metrics, so these end with the informer's tasks.
    counts: [(Count, AtomicU64); 4],
}

impl StorageMetrics {
    fn new(labels: &MetricLabels) -> Self {
        let counts = [STORAGE_HITS, STORAGE_MISSES, STORAGE_KEPT_DECODED, STORAGE_UNREADABLE];
        Self {
            packed_bytes: Level::new(STORAGE_PACKED_BYTES, labels),
            hot_bytes: Level::new(STORAGE_HOT_BYTES, labels),
            counts: counts.map(|name| (Count::new(name, labels), AtomicU64::new(0))),
        }
    }

    /// Records the figures of a storage.
    pub(super) fn record(&self, status: &StorageStatus) {
        let &StorageStatus { hits, misses, kept_decoded, unreadable, .. } = status;
        self.packed_bytes.set(|| status.bytes);
        self.hot_bytes.set(|| status.hot_bytes);
        for ((count, recorded), now) in
            self.counts.iter().zip([hits, misses, kept_decoded, unreadable])
        {
            count.add(now.saturating_sub(recorded.swap(now, Relaxed)));
        }
    }
}

impl InformerMetrics {
    pub(super) fn new(labels: &MetricLabels, packs: bool) -> Self {
        Self {
            queued: Level::new(INFORMER_QUEUED_ITEMS, labels),
            latency: Timing::new(INFORMER_PROCESSING_LATENCY, labels),
            version: Mark::new(INFORMER_STORE_RESOURCE_VERSION, labels),
            objects: Level::new(OBJECTS, labels),
            stale: Level::new(STALE_OBJECTS, labels),
            unreadable: Level::new(UNREADABLE_OBJECTS, labels),
            synced: Level::new(SYNCED, labels),
            index_faults: Count::new(INDEX_FAULTS, labels),
            audits: ["passed", "differs", "not_judged"]
                .map(|result| Count::new(AUDITS, &labels.with("result", result))),
            storage: packs.then(|| StorageMetrics::new(labels)),
        }
    }

    /// Counts an audit by its result.
    pub(super) fn audited(&self, audit: &Audit) {
        let [passed, differs, not_judged] = &self.audits;
        let judged = if audit.passed() { passed } else { differs };
        let count = if audit.was_judged() { judged } else { not_judged };
        count.add(1);
    }
}
