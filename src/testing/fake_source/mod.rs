//! A list and watch source in memory, like client-go's `FakeControllerSource`.
//!
//! The source keeps its whole history. It can therefore answer like a server that is up to date,
//! that lags behind, or that has compacted its history.

mod objects;
mod open_watch;
mod shard;

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use kube::Resource;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::Instant;

use self::objects::Objects;
use self::open_watch::OpenWatch;
use crate::error::{ApiStatus, Fault, SourceError, Verb};
use crate::lister_watcher::{
    Collection, ListHints, ListQuery, ListStream, ListerWatcher, WatchItem, WatchQuery, WatchStream,
};
use crate::object::{ObjectKey, ResourceVersion};
use crate::time::after;

/// An in-memory [`ListerWatcher`] for tests. Methods change its objects or inject failures;
/// otherwise it never fails. [`SharedInformer::new`](crate::SharedInformer::new) makes an informer
/// of an `Arc` of it.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::api::ObjectMeta;
/// use kube_informer::testing::FakeSource;
///
/// let source = FakeSource::<ConfigMap>::new("configmaps", "ConfigMap");
/// let metadata = ObjectMeta { name: Some("a".into()), ..ObjectMeta::default() };
/// let added = source.put(ConfigMap { metadata, ..ConfigMap::default() });
/// assert_eq!(added.metadata.resource_version.as_deref(), Some("1"));
/// ```
pub struct FakeSource<K> {
    collection: Collection,
    state: Arc<Mutex<SourceData<K>>>,
}

/// A recorded list or watch request: see [`FakeSource::requests`].
///
/// A test of what an informer requests:
///
/// ```
/// use std::{sync::Arc, time::Duration};
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_informer::testing::{FakeSource, SourceRequest};
/// use kube_informer::{InformerOptions, SharedInformer};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let source = Arc::new(FakeSource::<ConfigMap>::new("configmaps", "ConfigMap"));
/// let maps = SharedInformer::new(source.clone(), InformerOptions::new());
/// maps.start()?;
/// maps.wait_for_sync(Duration::from_secs(5)).await?;
/// maps.shutdown().await;
/// let lists = source.requests().into_iter().filter(|one| matches!(one, SourceRequest::List(_)));
/// assert_eq!(lists.count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceRequest {
    /// A list request.
    List(ListQuery),
    /// A watch request.
    Watch(WatchQuery),
}

/// The way in which open watches end: see [`FakeSource::end_watches`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum WatchEnd {
    /// The stream ends normally.
    #[default]
    Ordinary,
    /// The connection breaks.
    Broken,
    /// The server sends an ERROR event.
    Failed(ApiStatus),
}

struct SourceData<K> {
    history: Vec<HistoryEntry<K>>,
    /// The entries that a restore has taken back.
    lost: Vec<HistoryEntry<K>>,
    objects: BTreeMap<ObjectKey, Arc<K>>,
    version: u64,
    /// The oldest version that a watch may start from.
    compacted: u64,
    /// The number of versions by which lists without a quorum lag behind.
    lag: u64,
    failing_lists: VecDeque<Fault>,
    failing_watches: VecDeque<Fault>,
    poisoned: HashSet<ObjectKey>,
    nameless: bool,
    requests: Vec<SourceRequest>,
    next_uid: u64,
    open_watches: usize,
    end: WatchEnd,
    signals: watch::Sender<WatchSignals>,
}

/// The signals that open watches wait for.
#[derive(Clone, Copy, Debug, Default)]
struct WatchSignals {
    changes: u64,
    /// Watches that were opened in an earlier generation end.
    generation: u64,
    bookmarks: u64,
}

struct HistoryEntry<K> {
    version: u64,
    key: ObjectKey,
    /// The new state; `None` if the object was deleted.
    now: Option<Arc<K>>,
    before: Option<Arc<K>>,
}

impl<K> FakeSource<K> {
    /// Creates an empty source for this resource, such as `pods`, and this kind, such as `Pod`.
    pub fn new(resource: &str, kind: &str) -> Self {
        kube_embedded_apiserver::seed_by_test();
        let collection =
            Collection { resource: resource.into(), kind: kind.into(), namespace: None };
        let state = SourceData {
            history: Vec::new(),
            lost: Vec::new(),
            objects: BTreeMap::new(),
            version: 0,
            compacted: 0,
            lag: 0,
            failing_lists: VecDeque::new(),
            failing_watches: VecDeque::new(),
            poisoned: HashSet::new(),
            nameless: false,
            requests: Vec::new(),
            next_uid: 0,
            open_watches: 0,
            end: WatchEnd::default(),
            signals: watch::Sender::default(),
        };
        Self { collection, state: Arc::new(Mutex::new(state)) }
    }

    /// Returns the current version of the collection. Each change increases it by one.
    pub fn version(&self) -> u64 {
        self.state.lock().version
    }

    /// Returns all list and watch requests so far, in order.
    pub fn requests(&self) -> Vec<SourceRequest> {
        self.state.lock().requests.clone()
    }

    /// Returns the number of open watches.
    pub fn open_watches(&self) -> usize {
        self.state.lock().open_watches
    }

    /// Ends every open watch.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_informer::testing::{FakeSource, WatchEnd};
    ///
    /// # let source = FakeSource::<ConfigMap>::new("configmaps", "ConfigMap");
    /// source.end_watches(WatchEnd::Broken);
    /// assert!(source.requests().is_empty(), "no informer runs");
    /// ```
    pub fn end_watches(&self, end: WatchEnd) {
        let mut state = self.state.lock();
        state.end = end;
        state.signals.send_modify(|signals| signals.generation += 1);
    }

    /// Sends a bookmark on every open watch.
    pub fn send_bookmark(&self) {
        self.state.lock().signals.send_modify(|signals| signals.bookmarks += 1);
    }

    /// Compacts the history. A watch or page from an older version gets 410 from now on.
    pub fn compact(&self) {
        let mut state = self.state.lock();
        state.compacted = state.version;
    }

    /// Sets the number of versions by which lists without a quorum read lag behind. The default is
    /// 0.
    pub fn set_lag(&self, versions: u64) {
        self.state.lock().lag = versions;
    }

    /// Makes the next list fail. Several calls queue up: each affects one more list.
    pub fn fail_list(&self, fault: Fault) {
        self.state.lock().failing_lists.push_back(fault);
    }

    /// Makes the next watch fail to open. Several calls queue up: each affects one more watch.
    pub fn fail_watch(&self, fault: Fault) {
        self.state.lock().failing_watches.push_back(fault);
    }

    /// Makes the object with this key undecodable from now on, or decodable again.
    pub fn set_poisoned(&self, key: &ObjectKey, poisoned: bool) {
        let mut state = self.state.lock();
        if poisoned {
            state.poisoned.insert(key.clone());
        } else {
            state.poisoned.remove(key);
        }
    }

    /// Adds an undecodable item without a readable name to every list, or removes it again.
    pub fn set_nameless_item(&self, present: bool) {
        self.state.lock().nameless = present;
    }

    /// Takes the source back to an earlier version, as a restored backup does. Later changes are
    /// lost, and new changes reuse their version numbers. Open watches break. A later version
    /// counts as the present one.
    pub fn restore(&self, version: u64) {
        let mut state = self.state.lock();
        let version = version.min(state.version);
        let history = std::mem::take(&mut state.history);
        let (kept, lost): (Vec<_>, Vec<_>) =
            history.into_iter().partition(|entry| entry.version <= version);
        state.history = kept;
        state.lost.extend(lost);
        state.version = version;
        state.compacted = state.compacted.min(version);
        let objects = state.at(version);
        let before = std::mem::replace(&mut state.objects, objects);
        state.end = WatchEnd::Broken;
        state.signals.send_modify(|signals| signals.generation += 1);
        drop(state);
        // An object's drop, clone and metadata are user code, so no lock is held.
        drop(before);
    }

    /// Returns all current objects.
    pub fn objects(&self) -> BTreeMap<ObjectKey, Arc<K>> {
        self.state.lock().objects.clone()
    }
}

impl<K: Resource + Clone> FakeSource<K> {
    /// Creates or replaces an object, and returns it as stored. It gets the next version and, if it
    /// is new, a uid.
    ///
    /// # Panics
    /// Panics if the object has no name.
    pub fn put(&self, mut object: K) -> Arc<K> {
        let key = ObjectKey::of(&object).expect("an object of a FakeSource has a name");
        loop {
            let before = self.object(&key);
            let uid = before.as_ref().and_then(|before| before.meta().uid.clone());
            let meta = object.meta_mut();
            let mut state = self.state.lock();
            if !is_same(state.objects.get(&key), before.as_ref()) {
                continue;
            }
            state.version += 1;
            let version = state.version;
            let uid = uid.unwrap_or_else(|| {
                state.next_uid += 1;
                // Texts that differ only at their ends are near each other on the ring of shards.
                format!("{}-uid", state.next_uid)
            });
            meta.uid = Some(uid);
            meta.resource_version = Some(version.to_string());
            let object = Arc::new(object);
            state.objects.insert(key.clone(), object.clone());
            state.history.push(HistoryEntry { version, key, now: Some(object.clone()), before });
            state.signals.send_modify(|signals| signals.changes += 1);
            return object;
        }
    }

    /// Deletes an object, and returns its final state with the version of the deletion; `None` if
    /// it does not exist.
    pub fn delete(&self, key: &ObjectKey) -> Option<Arc<K>> {
        loop {
            let before = self.object(key)?;
            let mut last = K::clone(&before);
            let meta = last.meta_mut();
            let mut state = self.state.lock();
            if !is_same(state.objects.get(key), Some(&before)) {
                continue;
            }
            state.objects.remove(key);
            state.version += 1;
            let version = state.version;
            meta.resource_version = Some(version.to_string());
            let last = Arc::new(last);
            let entry =
                HistoryEntry { version, key: key.clone(), now: None, before: Some(last.clone()) };
            state.history.push(entry);
            state.signals.send_modify(|signals| signals.changes += 1);
            return Some(last);
        }
    }

    fn object(&self, key: &ObjectKey) -> Option<Arc<K>> {
        self.state.lock().objects.get(key).cloned()
    }
}

fn is_same<K>(one: Option<&Arc<K>>, other: Option<&Arc<K>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        (one, other) => one.is_none() && other.is_none(),
    }
}

fn version_number(version: &ResourceVersion) -> u64 {
    version.to_string().parse().unwrap_or(u64::MAX)
}

fn expired(version: u64) -> Fault {
    let message = format!("too old resource version: {version}");
    Fault::Status(ApiStatus::new(410, "Expired", message))
}

fn too_large() -> Fault {
    let mut status = ApiStatus::new(504, "Timeout", "Timeout: Too large resource version");
    status.causes.push(("ResourceVersionTooLarge".into(), "Too large resource version".into()));
    Fault::Status(status)
}

impl<K> SourceData<K> {
    fn at(&self, version: u64) -> BTreeMap<ObjectKey, Arc<K>> {
        let mut objects = BTreeMap::new();
        for entry in self.history.iter().take_while(|entry| entry.version <= version) {
            match &entry.now {
                Some(object) => drop(objects.insert(entry.key.clone(), object.clone())),
                None => drop(objects.remove(&entry.key)),
            }
        }
        objects
    }

    /// Begins a list: notes the request, and copies the objects of the wanted version.
    fn list(&mut self, query: &ListQuery, at: &Collection) -> Result<Objects<K>, SourceError> {
        self.requests.push(SourceRequest::List(query.clone()));
        let error = |fault| SourceError::new(at.request_name(Verb::List), fault);
        if let Some(fault) = self.failing_lists.pop_front() {
            return Err(error(fault));
        }
        let (mut version, mut start) = (self.version, None);
        if let Some(token) = &query.continue_token {
            let (at, last) = token.split_once(':').unwrap_or_default();
            version = at.parse().unwrap_or_default();
            start = Some(last.to_owned());
            if version < self.compacted {
                return Err(error(expired(version)));
            }
        } else if let Some(asked) = &query.version {
            if version_number(asked) > self.version {
                return Err(error(too_large()));
            }
            version = self.version.saturating_sub(self.lag);
        }
        let now = version == self.version;
        let objects = if now { self.objects.clone() } else { self.at(version) };
        Ok(self.objects(objects, version, start))
    }

    fn objects(
        &self,
        by_key: BTreeMap<ObjectKey, Arc<K>>,
        version: u64,
        start: Option<String>,
    ) -> Objects<K> {
        let poisoned = self.poisoned.clone();
        Objects { by_key, version, poisoned, start, nameless: self.nameless }
    }
}

impl<K: Resource + Clone + Send + Sync + 'static> ListerWatcher<K> for FakeSource<K> {
    fn collection(&self) -> &Collection {
        &self.collection
    }

    fn list(
        &self,
        query: &ListQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<K>, SourceError>> {
        let listed = self.state.lock().list(query, &self.collection);
        let list = listed.map(|objects| objects.page(query, &self.collection));
        async { list }.boxed()
    }

    fn watch(
        &self,
        query: &WatchQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<K>, SourceError>> {
        let mut state = self.state.lock();
        state.requests.push(SourceRequest::Watch(query.clone()));
        let error = |fault| SourceError::new(self.collection.request_name(Verb::Watch), fault);
        if let Some(fault) = state.failing_watches.pop_front() {
            let error = error(fault);
            return async { Err(error) }.boxed();
        }
        let mut initial = VecDeque::new();
        let mut listed = None;
        let mut position = query.version.as_ref().map_or(state.version, version_number);
        if query.initial_events {
            if position > state.version {
                let error = error(too_large());
                return async { Err(error) }.boxed();
            }
            position = state.version;
            listed = Some(state.objects(state.objects.clone(), position, None));
            let version = position.into();
            initial.push_back(WatchItem::Bookmark { version, initial_events_end: true });
        } else if position < state.compacted {
            initial.push_back(WatchItem::Failed(error(expired(position))));
        }
        state.open_watches += 1;
        let signals = state.signals.subscribe();
        let now = *signals.borrow();
        let mut watching = OpenWatch {
            collection: self.collection.clone(),
            state: self.state.clone(),
            generation: now.generation,
            bookmarks: now.bookmarks,
            signals,
            shard: query.shard.clone(),
            position,
            initial,
            until: after(Instant::now(), query.timeout.max(Duration::from_secs(1))),
            over: false,
        };
        drop(state);
        if let Some(listed) = listed {
            let end = std::mem::take(&mut watching.initial);
            watching.initial = listed.initial(query, &self.collection);
            watching.initial.extend(end);
        }
        async { Ok(stream::unfold(watching, OpenWatch::next).boxed()) }.boxed()
    }
}

impl<K> fmt::Debug for FakeSource<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeSource")
            .field("collection", &self.collection)
            .field("version", &self.version())
            .finish_non_exhaustive()
    }
}
