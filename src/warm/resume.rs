//! The way from kept objects to a state that the server has: the events since, and a proof.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use tokio::time::{Instant, sleep, timeout};

use super::kept::Provisional;
use crate::error::{FaultClass, SourceError};
use crate::indexer::Snapshot;
use crate::lister_watcher::{
    AnySource, ListHints, ListItem, ListMetadata, ListQuery, ListStream, ListerWatcher,
    SourceObject, Undecodable, WatchItem, WatchQuery,
};
use crate::object::{KeyMap, ObjectKey, ResourceVersion, ShardSelector};
use crate::reflector::question::first_version;
use crate::reflector::quiet::{FEW, QUIET, SHORT_WATCH};
use crate::transport::ApiCollection;
use crate::yield_budget::YieldBudget;

/// The time limit of each wait that precedes a list. Beyond it, everything is listed.
pub(super) const LIMIT: Duration = Duration::from_secs(15);

/// The number of events that are awaited whatever a list costs. Bookmarks may be among them.
const FEW_EVENTS: usize = 20;

/// The page size of the list of metadata.
const PAGE: u32 = 5_000;

/// Kept objects, and the events since.
struct Replayed {
    kept: Snapshot,
    /// The new state of each object that changed. `None` if it was deleted.
    changed: KeyMap<Option<Result<SourceObject, Undecodable>>>,
    /// The version that the events have reached.
    version: ResourceVersion,
    namespace: Option<Arc<str>>,
    shard: Option<ShardSelector>,
    /// The number of objects that exist.
    len: usize,
}

/// Returns a list that consists of the kept objects and the events since. `None` if they are not
/// proved: then everything must be listed.
pub(super) async fn resume(
    source: &Arc<ApiCollection>,
    provisional: &Provisional,
    shard: Option<&ShardSelector>,
    hints: &ListHints,
) -> Option<ListStream> {
    // Another conversion may have changed what has the same version.
    if !source.trusts_versions() {
        return None;
    }
    let current = answered(|| first_version(source.clone(), LIMIT).boxed()).await?;
    // A quorum that is behind the kept version has lost its history. A watch from a version in the
    // future would be silent.
    let kept_at = &provisional.version;
    let ordered = kept_at.is_comparable() && *kept_at != ResourceVersion::ANY;
    let trusted = ordered && current.is_at_least(kept_at);
    provisional.trusted.store(trusted, Relaxed);
    if !trusted || !provisional.whole || provisional.shard.as_ref() != shard {
        return None;
    }
    let kept = provisional.objects.snapshot();
    let mut replayed = Replayed {
        len: kept.len(),
        kept,
        changed: KeyMap::default(),
        version: provisional.version.clone(),
        namespace: source.name().namespace.clone(),
        shard: shard.cloned(),
    };
    if current != replayed.version {
        catch_up(source, &mut replayed, &current, hints).await?;
    }
    Some(replayed.into_list())
}

/// Sends a request, and again after the time that a server with too many requests asks for. A list
/// of everything would be one more. `None` for every other error, and beyond the limit.
async fn answered<T>(
    request: impl Fn() -> BoxFuture<'static, Result<T, SourceError>>,
) -> Option<T> {
    let asking = async {
        loop {
            match request().await {
                Err(error) if error.class() == FaultClass::Throttled => {
                    sleep(error.retry_after().unwrap_or(QUIET)).await;
                }
                answer => return answer.ok(),
            }
        }
    };
    timeout(LIMIT, asking).await.ok()?
}

/// Follows the kind from the kept version until the state is that of a quorum. A watch that ends
/// without news leads to a comparison.
async fn catch_up(
    source: &Arc<ApiCollection>,
    replayed: &mut Replayed,
    current: &ResourceVersion,
    hints: &ListHints,
) -> Option<()> {
    let mut budget = YieldBudget::new();
    // More events than this take more bytes than half of a list.
    let mut left = FEW_EVENTS.max(replayed.kept.len() / 2);
    let is_few = replayed.kept.len() < FEW;
    let patience = if is_few { QUIET } else { SHORT_WATCH + QUIET };
    // A server may send bookmarks for ever that never reach the present.
    let mut last_event = Instant::now();
    while last_event.elapsed() < LIMIT {
        let began_at = replayed.version.clone();
        let mut query = WatchQuery::new(SHORT_WATCH);
        query.version = Some(began_at.clone());
        query.shard.clone_from(&replayed.shard);
        let mut events = answered(|| source.watch(&query, hints)).await?;
        while last_event.elapsed() < LIMIT
            && let Ok(Some(event)) = timeout(patience, events.next()).await
        {
            budget.spend(1).await;
            let event = event.ok()?;
            if !matches!(event, WatchItem::Bookmark { .. }) {
                last_event = Instant::now();
            }
            replayed.apply(event)?;
            if replayed.version.is_at_least(current) {
                return Some(());
            }
            left = left.checked_sub(1)?;
        }
        if replayed.version == began_at {
            break;
        }
    }
    if is_few { None } else { replayed.compare(source).await }
}

impl Replayed {
    /// Applies an event. `None` if it does not fit to the state: then the watch did not go on from
    /// the kept version.
    fn apply(&mut self, event: WatchItem) -> Option<()> {
        let (object, is_new, is_gone) = match event {
            WatchItem::Bookmark { version, .. } if version.is_at_least(&self.version) => {
                self.version = version;
                return Some(());
            }
            // An object without a key was never in the shard.
            WatchItem::Outside { key: None, version: Some(version) } => {
                let newer = self.version.is_older_than(&version);
                self.version = version;
                return newer.then_some(());
            }
            WatchItem::Added(object) => (object, true, false),
            WatchItem::Modified(object) => (object, false, false),
            WatchItem::Deleted(object) => (object, false, true),
            WatchItem::Bookmark { .. }
            | WatchItem::Outside { .. }
            | WatchItem::Failed(_)
            | WatchItem::Skipped(_) => return None,
        };
        let (key, version) = match &object {
            Ok(object) => (object.key().ok()?, object.version()?),
            Err(undecodable) => (undecodable.key.clone()?, undecodable.version.clone()?),
        };
        let here = self.namespace.is_none() || key.namespace() == self.namespace.as_deref();
        let known = self.state(&key);
        let fits = match (&known, &object) {
            (None, _) => is_new,
            (Some((Some(known), _)), Ok(object)) => {
                !is_new && object.cached().uid() == Some(known.as_str())
            }
            // One of the two can't be read.
            (Some(_), _) => !is_new,
        };
        if !here || !fits || !self.version.is_older_than(&version) {
            return None;
        }
        self.len = self.len + usize::from(is_new) - usize::from(is_gone);
        self.changed.insert(key, (!is_gone).then_some(object));
        self.version = version;
        Some(())
    }

    /// Returns uid and version of an object, as far as they can be read. `None` if it does not
    /// exist.
    fn state(&self, key: &ObjectKey) -> Option<(Option<String>, Option<ResourceVersion>)> {
        let of = |object: &crate::object::Cached| (object.uid().map(Into::into), object.version());
        match self.changed.get(key) {
            Some(None) => None,
            Some(Some(Ok(object))) => Some(of(object.cached())),
            Some(Some(Err(undecodable))) => Some((None, undecodable.version.clone())),
            None => self.kept.get_cached(key).map(|object| of(&object)),
        }
    }

    /// Compares the state with a list of metadata. `None` if they differ. If they are equal, the
    /// state is that of the list's version.
    async fn compare(&mut self, source: &Arc<ApiCollection>) -> Option<()> {
        let metadata = AnySource(source.metadata()?);
        let shard = self.shard.clone();
        let mut query = ListQuery { limit: Some(PAGE), shard, ..ListQuery::default() };
        let (mut missing, mut version, mut budget) = (self.len, None, YieldBudget::new());
        loop {
            let listing = || metadata.list(&query, &ListHints::none());
            let mut items = answered(listing).await?;
            query.continue_token = None;
            while let Some(item) = timeout(LIMIT, items.next()).await.ok()? {
                budget.spend(1).await;
                match item.ok()? {
                    ListItem::Object(object) => {
                        let object = object.ok()?;
                        let found = object.cached();
                        let (uid, at) = (found.uid(), found.version());
                        let (known, version) = self.state(&object.key().ok()?)?;
                        if known.as_deref() != uid || uid.is_none() || version != at {
                            return None;
                        }
                        // A list that is longer than the state may never end.
                        missing = missing.checked_sub(1)?;
                    }
                    ListItem::Outside(None) => {}
                    ListItem::Outside(Some(_)) => return None,
                    ListItem::Meta(page) => {
                        version = version.or(page.version);
                        query.continue_token = page.continue_token.filter(|t| !t.is_empty());
                    }
                }
            }
            if query.continue_token.is_none() {
                break;
            }
        }
        let version = version.filter(|_| missing == 0)?;
        if self.version.is_older_than(&version) {
            self.version = version;
        }
        Some(())
    }

    /// Returns the state as the answer to a list.
    fn into_list(self) -> ListStream {
        let mut changed = KeyMap::default();
        let mut present = Vec::new();
        for (key, state) in self.changed.into_entries() {
            changed.insert(key, ());
            present.extend(state);
        }
        let kept = self.kept.into_objects().filter(move |(key, _)| !changed.contains(key));
        let kept = kept.map(|(key, object)| Ok(SourceObject::unchanged(key, object)));
        let objects = kept.chain(present).map(ListItem::Object);
        let version = Some(self.version);
        let metadata = ListItem::Meta(ListMetadata { version, ..ListMetadata::default() });
        stream::iter(objects.chain([metadata]).map(Ok)).boxed()
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;
    use crate::indexer::Indexer;
    use crate::object::Cached;

    fn object(name: &str, uid: &str, version: u64) -> ConfigMap {
        let mut map = ConfigMap::default();
        map.metadata.namespace = Some("shop".into());
        map.metadata.name = Some(name.into());
        map.metadata.uid = Some(uid.into());
        map.metadata.resource_version = Some(version.to_string());
        map
    }

    fn key(name: &str) -> ObjectKey {
        ObjectKey::namespaced("shop", name).unwrap()
    }

    /// Applies events to the objects `a` and `b`, kept at version 5. Returns the version that they
    /// have reached, and the objects that exist then. `None` if an event does not fit.
    fn replay(events: Vec<WatchItem>) -> Option<(String, Vec<&'static str>)> {
        let store = Indexer::<ConfigMap>::new();
        let mut write = store.transaction();
        for (name, version) in [("a", 2), ("b", 4)] {
            let cached = Cached::from(Arc::new(object(name, name, version)));
            write.put(&key(name), cached);
        }
        write.commit();
        let mut replayed = Replayed {
            kept: store.cast().snapshot(),
            changed: KeyMap::default(),
            version: 5.into(),
            namespace: Some("shop".into()),
            shard: None,
            len: 2,
        };
        for event in events {
            replayed.apply(event)?;
        }
        let present =
            ["a", "b", "c"].into_iter().filter(|name| replayed.state(&key(name)).is_some());
        let present: Vec<_> = present.collect();
        assert_eq!(replayed.len, present.len());
        Some((replayed.version.to_string(), present))
    }

    fn source(object: ConfigMap) -> SourceObject {
        SourceObject::from(object).cast()
    }

    fn added(name: &str, uid: &str, version: u64) -> WatchItem {
        WatchItem::Added(Ok(source(object(name, uid, version))))
    }

    fn modified(name: &str, uid: &str, version: u64) -> WatchItem {
        WatchItem::Modified(Ok(source(object(name, uid, version))))
    }

    fn deleted(name: &str, uid: &str, version: u64) -> WatchItem {
        WatchItem::Deleted(Ok(source(object(name, uid, version))))
    }

    fn bookmark(version: u64) -> WatchItem {
        WatchItem::Bookmark { version: version.into(), initial_events_end: false }
    }

    #[test]
    fn events_lead_from_the_kept_state_to_a_later_one() {
        let events = vec![
            modified("a", "a", 6),
            deleted("b", "b", 7),
            added("b", "other", 8),
            added("c", "c", 9),
            deleted("a", "a", 12),
            bookmark(12),
            bookmark(20),
        ];
        assert_eq!(replay(events), Some(("20".into(), vec!["b", "c"])));
    }

    #[test]
    fn events_that_do_not_fit_end_the_replay() {
        for events in [
            // The watch began from nothing, or at another version.
            vec![added("a", "a", 6)],
            vec![modified("a", "a", 5)],
            vec![modified("a", "a", 7), modified("b", "b", 7)],
            vec![bookmark(4)],
            // Of another history.
            vec![modified("a", "other", 6)],
            vec![deleted("a", "other", 6)],
            vec![modified("c", "c", 6)],
            vec![deleted("c", "c", 6)],
            vec![deleted("a", "a", 6), modified("a", "a", 7)],
        ] {
            assert_eq!(replay(events), None);
        }
        // Of another namespace.
        let mut elsewhere = object("c", "c", 6);
        elsewhere.metadata.namespace = Some("bank".into());
        assert_eq!(replay(vec![WatchItem::Added(Ok(source(elsewhere)))]), None);
    }
}
