//! Waiting until an object meets a condition.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Resource;
use tokio::time::{Instant, timeout};

use super::{SharedInformer, Unsynced};
use crate::indexer::Snapshot;
use crate::lister::StoreState;
use crate::lister_watcher::Collection;
use crate::object::{Cached, ObjectKey};

/// An object did not meet a condition within the given time.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::informer::ConditionTimeout;
///
/// fn advice(late: &ConditionTimeout) -> &'static str {
///     match (late.stopped, late.synced, late.present) {
///         (true, _, _) => "request a new informer",
///         (_, false, _) => "look at the informer's last error",
///         (_, _, false) => "the object does not exist",
///         _ => "the object exists and is not ready",
///     }
/// }
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "{key} of {collection} did not meet the condition{}: {}{}",
    Within(self),
    Reason(self),
    Ended(.spin.as_deref())
)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools, reason = "each answers a question of its own")]
pub struct ConditionTimeout {
    collection: Collection,
    key: ObjectKey,
    waited: Duration,
    /// True if the informer had synced. If false, the condition was not called.
    pub synced: bool,
    /// True if the store holds the object.
    pub present: bool,
    /// True if the object may exist in the shard of another replica, where this informer does not
    /// see it.
    elsewhere: bool,
    /// True if the informer was stopped or failed, so that the store no longer changes.
    pub stopped: bool,
    /// The report of a consumer of the informer that slows a key, because the key is worked on
    /// without end. `None` if none does.
    spin: Option<Arc<str>>,
    /// The state and the last error of an informer that has not synced.
    unsynced: Option<Box<Unsynced>>,
    /// The problem of a key that has a namespace, or none, unlike the informer's objects.
    scope: Option<&'static str>,
}

/// The time that a wait had, if it ended because of that.
struct Within<'a>(&'a ConditionTimeout);

impl fmt::Display for Within<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.stopped { Ok(()) } else { write!(f, " within {:.1?}", self.0.waited) }
    }
}

/// The report of a consumer, if there is one, after another text.
struct Ended<'a>(Option<&'a str>);

impl fmt::Display for Ended<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |error| write!(f, "; {error}"))
    }
}

/// The reason for the timeout, and what to do.
struct Reason<'a>(&'a ConditionTimeout);

impl fmt::Display for Reason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ConditionTimeout { stopped, unsynced, present, elsewhere, scope, .. } = self.0;
        match unsynced {
            _ if *stopped => {
                f.write_str("its informer was stopped; ask for a new one, or keep its factory")
            }
            Some(unsynced) => write!(f, "its informer has not synced: {unsynced}"),
            None if *present => f.write_str("the stored state does not meet it"),
            None if *elsewhere => f.write_str("it may be in the shard of another replica"),
            None => write!(f, "it is not in the store{}", scope.unwrap_or_default()),
        }
    }
}

impl<K: Resource + Send + Sync + 'static> SharedInformer<K> {
    /// Waits until an object meets a condition, for at most `limit`. Returns the object as it is
    /// then: `None` if the condition is met by its absence.
    ///
    /// `condition` gets the stored object, or `None` if the store has none. It is called once the
    /// informer has synced, and after each change of the object. If several changes come at once,
    /// it may see only the last. It never sees a state that could not be decoded.
    ///
    /// An informer of a [shard](crate::InformerSpec::shard) does not know whether an object outside
    /// of it exists: `condition` is not called for such an object, and the wait goes on. If the
    /// shard is by uid or by owner, an object that was not seen during the wait may be outside. An
    /// object that got another owner looks deleted to an informer of dependents.
    ///
    /// The key of a namespaced object has its namespace. A key without one names no such object, so
    /// the condition sees `None`.
    ///
    /// Start the informer first. Cancel safe. Any number of tasks may wait. Like kube-runtime's
    /// `await_condition`, without its own watch.
    ///
    /// ```
    /// # #[cfg(feature = "testing")] {
    /// # use kube_informer::testing::ApiServer;
    /// use std::time::Duration;
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_informer::{ObjectKey, SharedInformerFactory};
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let factory = SharedInformerFactory::builder(ApiServer::new().client()).build();
    /// let maps = factory.informer::<ConfigMap>();
    /// factory.start()?;
    /// let key = ObjectKey::namespaced("shop", "settings")?;
    /// // It is gone, or never existed.
    /// let gone = maps.wait_until(&key, Duration::from_secs(5), |map| map.is_none()).await?;
    /// assert!(gone.is_none());
    /// # factory.shutdown().await;
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ConditionTimeout`] after `limit`, or at once if the informer was stopped.
    pub async fn wait_until(
        &self,
        key: &ObjectKey,
        limit: Duration,
        condition: impl FnMut(Option<&K>) -> bool,
    ) -> Result<Option<Arc<K>>, ConditionTimeout> {
        let start = Instant::now();
        let met = async {
            if !self.pipeline.synced().await {
                return None;
            }
            tokio::select! {
                biased;
                met = self.meets(key, condition) => Some(met),
                () = self.stopped() => None,
            }
        };
        match timeout(limit, met).await {
            Ok(Some(object)) => Ok(object),
            ended => Err(ConditionTimeout {
                collection: self.collection().clone(),
                key: key.clone(),
                waited: start.elapsed(),
                synced: self.has_synced(),
                present: self.snapshot().get_cached(key).is_some(),
                elsewhere: is_elsewhere(&self.snapshot(), key, None),
                stopped: ended.is_ok(),
                spin: {
                    let spin = self.pipeline.spin.lock();
                    spin.as_ref().filter(|(until, _)| *until >= start).map(|(_, text)| text.clone())
                },
                scope: self
                    .snapshot()
                    .has_other_scope(key.namespace())
                    .then(|| StoreState::WrongScope.problem(key.namespace().is_some())),
                unsynced: (!self.has_synced()).then(|| Box::new(self.unsynced())),
            }),
        }
    }

    /// Waits until an object meets a condition, for ever.
    async fn meets(
        &self,
        key: &ObjectKey,
        mut condition: impl FnMut(Option<&K>) -> bool,
    ) -> Option<Arc<K>> {
        let mut seen: Option<Option<Cached<K>>> = None;
        // The place of the object on the ring, when it was stored last.
        let mut place = None;
        let look = |store: &Snapshot<K>| {
            let cached = store.get_cached(key);
            if let (Some(cached), Some(shard)) = (&cached, store.shard()) {
                place = cached.place(shard.key());
            }
            if is_elsewhere(store, key, place) {
                seen = None;
                return None;
            }
            let same = match (&seen, &cached) {
                (Some(Some(seen)), Some(cached)) => seen.ptr_eq(cached),
                (Some(None), None) => true,
                _ => false,
            };
            if same {
                return None;
            }
            seen = Some(cached.clone());
            let object = match cached {
                Some(cached) => Some(cached.get()?),
                None if store.is_unreadable(key) => return None,
                None => None,
            };
            condition(object.as_deref()).then_some(object)
        };
        self.indexer().find_in_changes(look).await
    }
}

/// Returns whether an object is not stored and may be in another shard. `place` is where it was.
fn is_elsewhere<K>(store: &Snapshot<K>, key: &ObjectKey, place: Option<u64>) -> bool {
    let Some(shard) = store.shard() else { return false };
    let covers = shard.has(key, |_| place).unwrap_or(shard.is_everything());
    !covers && store.get_cached(key).is_none()
}
