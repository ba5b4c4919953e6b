//! Reflector configuration.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};

use super::backoff::BackoffPolicy;
use super::list_mode::ListMode;
use super::serving::Serving;
use crate::error::SourceError;
use crate::metrics::Origin;
use crate::object::{AnyObject, KnownObjects, ShardKey, ShardSelector};
use crate::packer::Packer;
use crate::panic::SafeDrop;

/// A function that is called with each error of a reflector.
pub(crate) type ErrorHandler = Arc<dyn Fn(&SourceError) + Send + Sync>;

/// A function that changes each object before it is stored.
pub(crate) type Transform = Arc<dyn Fn(&mut dyn AnyObject) + Send + Sync>;

/// Returns a handler that calls `handler`, whose captured values may panic when they are dropped.
pub(crate) fn error_handler(
    handler: impl Fn(&SourceError) + Send + Sync + 'static,
) -> ErrorHandler {
    let handler = SafeDrop::new(handler);
    Arc::new(move |error| {
        if let Some(handler) = handler.get() {
            handler(error);
        }
    })
}

/// Returns a transform that calls `transform`, as [`error_handler`] does.
pub(crate) fn transform<K: 'static>(
    transform: impl Fn(&mut K) + Send + Sync + 'static,
) -> Transform {
    let transform = SafeDrop::new(transform);
    Arc::new(move |object| {
        if let (Some(transform), Some(object)) = (transform.get(), object.downcast_mut()) {
            transform(object);
        }
    })
}

/// Configuration of a reflector.
///
/// ```
/// use std::time::Duration;
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::reflector::{ListMode, ReflectorOptions};
///
/// let options = ReflectorOptions::<Pod>::new()
///     .list_mode(ListMode::Streaming)
///     .freshness_limit(Duration::from_secs(180))
///     .on_error(|error| eprintln!("{error}"));
/// ```
#[must_use]
#[non_exhaustive]
pub struct ReflectorOptions<K: ?Sized = dyn AnyObject> {
    pub(super) page_size: Option<u32>,
    pub(super) any_version: bool,
    pub(super) list_mode: ListMode,
    pub(super) plain_first: bool,
    pub(super) list_idle_timeout: Duration,
    pub(super) initial_events_idle_timeout: Duration,
    pub(super) watch_grace_period: Duration,
    pub(super) freshness_limit: Option<Duration>,
    pub(super) backoff: Option<Box<dyn BackoffPolicy>>,
    pub(super) on_error: ErrorHandler,
    pub(super) transform: Option<Transform>,
    pub(super) known: Option<Arc<dyn KnownObjects>>,
    pub(super) packer: Packer,
    pub(super) list_permits: Option<Arc<Semaphore>>,
    pub(super) read_permits: Option<Arc<Semaphore>>,
    pub(super) shard: Option<watch::Receiver<ShardSelector>>,
    pub(super) serving: Option<Arc<dyn Serving>>,
    pub(super) seed: Option<u64>,
    pub(super) origin: Arc<Origin>,
    pub(super) kind: PhantomData<fn() -> Box<K>>,
}

/// The shortest time in which a server is expected to answer.
const SHORTEST: Duration = Duration::from_millis(100);

impl<K: ?Sized> ReflectorOptions<K> {
    /// Creates options with client-go's rules. Errors are logged as warnings.
    pub fn new() -> Self {
        Self {
            page_size: None,
            any_version: false,
            list_mode: ListMode::Auto,
            plain_first: false,
            list_idle_timeout: Duration::from_secs(90),
            initial_events_idle_timeout: Duration::from_secs(30),
            watch_grace_period: Duration::from_secs(30),
            freshness_limit: None,
            backoff: None,
            on_error: Arc::new(
                |error| tracing::warn!(%error, "a list, a watch or an object failed"),
            ),
            transform: None,
            known: None,
            packer: Packer::decoded(),
            list_permits: None,
            read_permits: None,
            shard: None,
            serving: None,
            seed: None,
            origin: Arc::default(),
            kind: PhantomData,
        }
    }

    /// Sets the number of objects in a page of a list. At least one. Unset: pages of 5,000 if the
    /// list may read from etcd, and one piece if it reads from the server's cache.
    pub fn page_size(mut self, objects: u32) -> Self {
        self.page_size = Some(objects.max(1));
        self
    }

    /// Sets whether any cache of the server may answer the first list, however far it lags behind.
    /// Off unless set: the first list is consistent, at least as new as the moment of its request.
    ///
    /// If it is on, a restarted process or a new leader can act on an older state than its
    /// predecessor did. An operator has deleted live pods that way. The watch catches up later, but
    /// does not undo what was done. Use this option only where nothing is written because of what
    /// the informer holds.
    ///
    /// It saves the server's work for a consistent list. A server since 1.34 answers that from its
    /// cache, after waiting until the cache has caught up. A server since 1.31 does so only for a
    /// list in one piece, and reads pages from etcd. An older server reads everything from etcd.
    ///
    /// Relists are not affected: they are never older than the last version seen. Nor are streaming
    /// lists, which are consistent.
    pub fn any_version(mut self, any: bool) -> Self {
        self.any_version = any;
        self
    }

    /// Sets the form of lists: plain or streaming. [`ListMode::Auto`] unless set.
    pub fn list_mode(mut self, mode: ListMode) -> Self {
        self.list_mode = mode;
        self
    }

    /// Sets the time for which a list may send nothing before the reflector abandons it. 90 s
    /// unless set, which is longer than the 60 s after which an API server itself gives up.
    /// [`Duration::MAX`] means no limit; a shorter time than 100 ms counts as that.
    ///
    /// A list of an [`ApiSource`](crate::transport::ApiSource) that sends a large object is not
    /// silent: 8 KiB in this time are enough, for ten times this time. From another source, only
    /// items count.
    pub fn list_idle_timeout(mut self, timeout: Duration) -> Self {
        self.list_idle_timeout = timeout.max(SHORTEST);
        self
    }

    /// Sets the time for which a streaming list may send no new object before the reflector falls
    /// back to a plain list. 30 s unless set; at least 100 ms. The whole streaming list may take
    /// ten times as long.
    pub fn initial_events_idle_timeout(mut self, timeout: Duration) -> Self {
        self.initial_events_idle_timeout = timeout.max(SHORTEST);
        self
    }

    /// Sets the time for which a watch may stay open beyond its requested timeout before the
    /// reflector abandons it. Opening a watch may take as long. 30 s unless set; at least 100 ms.
    pub fn watch_grace_period(mut self, margin: Duration) -> Self {
        self.watch_grace_period = margin.max(SHORTEST);
        self
    }

    /// Limits the age of the data while the server answers. At least this often, the reflector
    /// proves that its watch is current, or lists everything again. Unset: only events, bookmarks
    /// and lists are proofs.
    ///
    /// Whatever the limit, a probe follows each outage: within 30 s of reopening a watch, the
    /// reflector lists one item with a quorum read. A version that is older than the watch's shows
    /// that history was lost, as after a restored backup. A watch from a version in the future
    /// would be silent. If the restored server has passed the watch's version, only the next list
    /// can show the loss, by an older state of a known object. Everything is then listed again with
    /// a quorum read.
    ///
    /// If half of the limit passes without an event or a bookmark, the reflector lists one item
    /// with a quorum read. A watch that has reached that list's version is current. If a large
    /// collection's watch is quiet for half a second after that, one of three seconds takes its
    /// place as soon as it is open, because the API server sends a bookmark two seconds before a
    /// watch ends. None does between an outage and the next list, because a restored server may
    /// have passed the watch's version.
    ///
    /// A watch that does not reach the version within the other half of the limit is abandoned, and
    /// everything is listed with a quorum read
    /// ([`RelistCause::Unproven`](super::RelistCause::Unproven)). The same happens if the server
    /// answers this request with errors other than 429, or its answers break off, until the limit
    /// is over. Data older than the limit is therefore replaced by a new list as soon as the server
    /// answers.
    ///
    /// If that list fails, too, the watch goes on at once. A watch that is still behind is listed
    /// again after the delay of the [`BackoffPolicy`]. After a request with errors, the next list
    /// follows when the limit is over again, and the watch has at least half of it to itself.
    ///
    /// While no watch can be opened, the request for one item is made when the limit is over. A
    /// list follows if the server answers with a newer version, at most one in each limit. It may
    /// come up to a minute late, because it obeys the [`BackoffPolicy`]. If nothing answers, the
    /// data ages: see [`ReflectorStatus::freshness`](super::ReflectorStatus::freshness) and
    /// [`SharedInformer::is_fresh`](crate::SharedInformer::is_fresh).
    ///
    /// API servers send a bookmark each minute, so a limit of two minutes or more rarely causes
    /// requests. Writes to other resources can move the quorum's version ahead of a quiet
    /// collection's version. The limit is then the period of full lists for a collection of fewer
    /// than 500 objects, for a limit below eight seconds, and for a server without bookmarks. A
    /// limit below two seconds is raised to two seconds.
    pub fn freshness_limit(mut self, limit: Duration) -> Self {
        self.freshness_limit = Some(limit.max(Duration::from_secs(2)));
        self
    }

    /// Sets the policy for the delays after failures. See [`BackoffPolicy`] for the default.
    pub fn backoff(mut self, policy: impl BackoffPolicy) -> Self {
        self.backoff = Some(Box::new(policy));
        self
    }

    /// Sets a function that is called with each error: failed requests, broken watches, and objects
    /// that cannot be decoded. It runs in the reflector's task and must be short. A panic is caught
    /// and logged. Unset: errors are logged as warnings.
    pub fn on_error(mut self, handler: impl Fn(&SourceError) + Send + Sync + 'static) -> Self {
        self.on_error = error_handler(handler);
        self
    }

    /// Sets the function that changes each object.
    pub(crate) fn transformed_by(mut self, transform: Transform) -> Self {
        self.transform = Some(transform);
        self
    }

    /// Follows the collection only while its kind is served.
    pub(crate) fn serving(mut self, serving: Arc<dyn Serving>) -> Self {
        self.serving = Some(serving);
        self
    }

    /// Limits concurrent lists through a shared semaphore. A list and all its pages take one
    /// permit. Unset: no limit.
    pub(crate) fn list_permits(mut self, permits: Arc<Semaphore>) -> Self {
        self.list_permits = Some(permits);
        self
    }

    /// Limits the lists that are read at a time through a shared semaphore. A list takes a permit
    /// when the server has begun to answer, so a server that does not answer holds up no other.
    pub(crate) fn read_permits(mut self, permits: Arc<Semaphore>) -> Self {
        self.read_permits = Some(permits);
        self
    }

    /// Follows only a shard of the collection: the one that the channel holds, which may change at
    /// any time.
    ///
    /// - When the shard becomes smaller, objects outside of it
    ///   [move away](crate::object::Change::Narrowed).
    /// - When it becomes larger, the reflector ends its watch and lists the objects that
    ///   [came](crate::object::Change::Arrived). That list is a quorum read, so it shows every
    ///   write of the replica that had the objects before. The reflector then watches the whole
    ///   shard from the version at which the watch ended. Until the watch has caught up, the
    ///   objects that came may be newer than the others.
    /// - While it is empty, the reflector makes no request.
    /// - A change during a list takes effect after the list.
    ///
    /// If the selector's key changes, all objects leave, and those of the new shard come. If the
    /// sender is dropped, the shard never changes again. An informer that has synced stays so when
    /// its shard changes: `wait_for_sync` stays true.
    pub fn shard(mut self, shard: watch::Receiver<ShardSelector>) -> Self {
        self.shard = Some(shard);
        self
    }

    /// Sets the source of known objects. An item of a list that equals its known object is dropped
    /// at once, and the known object is used instead.
    pub fn known(mut self, known: Arc<dyn KnownObjects>) -> Self {
        self.known = Some(known);
        self
    }

    /// Returns the channel of the shard that is followed, if there is one.
    pub(crate) fn shard_channel(&self) -> Option<watch::Receiver<ShardSelector>> {
        self.shard.clone()
    }

    /// Returns the field of the shard that is followed, if there is one.
    pub(crate) fn shard_key(&self) -> Option<ShardKey> {
        self.shard.as_ref().map(|shard| shard.borrow().key())
    }

    /// Returns the function that is called with each error.
    pub(crate) fn error_handler(&self) -> ErrorHandler {
        self.on_error.clone()
    }

    /// Returns whether a transform is set.
    pub(crate) fn has_transform(&self) -> bool {
        self.transform.is_some()
    }

    /// Sets the packer that packs objects, after the transform. Not packed unless set. An informer
    /// sets its own packer.
    #[doc(hidden)]
    pub fn packer(mut self, packer: Packer) -> Self {
        self.packer = packer;
        self
    }

    /// Sets the seed of the random watch timeouts and jitters, to make runs repeatable. Random
    /// unless set.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Returns the same options for objects of any type.
    pub(crate) fn erase(self) -> ReflectorOptions {
        ReflectorOptions {
            page_size: self.page_size,
            any_version: self.any_version,
            list_mode: self.list_mode,
            plain_first: self.plain_first,
            list_idle_timeout: self.list_idle_timeout,
            initial_events_idle_timeout: self.initial_events_idle_timeout,
            watch_grace_period: self.watch_grace_period,
            freshness_limit: self.freshness_limit,
            backoff: self.backoff,
            on_error: self.on_error,
            transform: self.transform,
            known: self.known,
            packer: self.packer,
            list_permits: self.list_permits,
            read_permits: self.read_permits,
            shard: self.shard,
            serving: self.serving,
            seed: self.seed,
            origin: self.origin,
            kind: PhantomData,
        }
    }

    /// Makes the first list a plain one, whatever the mode.
    pub(crate) fn plain_first(mut self) -> Self {
        self.plain_first = true;
        self
    }

    /// Names the informer in spans and metrics.
    pub(crate) fn origin(mut self, origin: Arc<Origin>) -> Self {
        self.origin = origin;
        self
    }
}

impl<K: 'static> ReflectorOptions<K> {
    /// Sets a function that changes each object once, before it is queued or stored, for example to
    /// drop unused fields. Name, namespace, uid, `resourceVersion` and `deletionTimestamp` stay as
    /// the server sent them. In a shard by controlling owner, the controlling owner reference
    /// stays, too. If the function panics, the object counts as undecodable.
    pub fn transform(mut self, transform: impl Fn(&mut K) + Send + Sync + 'static) -> Self {
        self.transform = Some(self::transform(transform));
        self
    }
}

impl<K: ?Sized> Default for ReflectorOptions<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: ?Sized> fmt::Debug for ReflectorOptions<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReflectorOptions")
            .field("page_size", &self.page_size)
            .field("list_mode", &self.list_mode)
            .finish_non_exhaustive()
    }
}
