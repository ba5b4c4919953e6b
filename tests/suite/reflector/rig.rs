//! A reflector of a fake source, and what it emitted and requested. The unit tests of the reflector
//! have this module, too.

use super::*;

/// The changes that the reflector emitted, as text, and the objects that they fold to.
#[derive(Clone, Default)]
pub(super) struct Sink(pub(super) Arc<Mutex<Heard>>);

pub(super) type Heard = (Vec<String>, BTreeMap<ObjectKey, Cached>);

impl ChangeSink for Sink {
    async fn emit(&self, change: Change) {
        let (log, folded) = &mut *self.0.lock();
        match change {
            Change::Added { key, object, .. } => {
                log.push(format!("+{key}"));
                folded.insert(key, object);
            }
            Change::Updated { key, object, .. } => {
                log.push(format!("~{key}"));
                folded.insert(key, object);
            }
            Change::Deleted { key, object, version } => {
                log.push(format!("{}{key}", if object.is_some() { '-' } else { '†' }));
                folded.retain(|of, known| *of != key || is_older(version.as_ref(), known));
            }
            Change::Unreadable { key, .. } => log.push(format!("?{key}")),
            Change::MovedAway { key, version } => {
                log.push(format!(">{key}"));
                folded.retain(|of, known| *of != key || is_older(version.as_ref(), known));
            }
            Change::Narrowed(shard) => {
                log.push(format!("<{}", shard.ranges().len()));
                folded.retain(|key, _| shard.contains(ring_hash(key.namespace().unwrap_or(""))));
            }
            Change::Arrived(list) => {
                log.push(format!("+={}", list.version));
                folded.extend(list.items);
            }
            Change::Bookmark(version) => log.push(format!("@{version}")),
            Change::Replace(list) => {
                let restored = if list.restored { "!" } else { "" };
                let partial = if list.complete { "" } else { "…" };
                log.push(format!("={}{restored}{partial}", list.version));
                if list.complete {
                    folded.retain(|key, _| list.unreadable.iter().any(|other| other == key));
                }
                folded.extend(list.items);
            }
        }
    }
}

pub(super) fn version(object: &Cached) -> String {
    object.version().map(|version| version.to_string()).unwrap_or_default()
}

/// Returns whether a change is older than the known state of its object.
pub(super) fn is_older(change: Option<&ResourceVersion>, known: &Cached) -> bool {
    let known = known.version();
    change.zip(known).is_some_and(|(version, known)| version.is_older_than(&known))
}

impl Sink {
    /// Returns the versions of the folded objects.
    pub(super) fn folded(&self) -> BTreeMap<ObjectKey, String> {
        self.0.lock().1.iter().map(|(key, object)| (key.clone(), version(object))).collect()
    }
}

impl KnownObjects for Sink {
    fn get(&self, key: &ObjectKey) -> Option<Cached> {
        self.0.lock().1.get(key).cloned()
    }

    fn for_each(&self, visit: &mut dyn FnMut(&ObjectKey, &Cached)) {
        self.0.lock().1.iter().for_each(|(key, object)| visit(key, object));
    }
}

pub(super) fn status(code: u16, reason: &str) -> ApiStatus {
    ApiStatus::new(code, reason, "as the test says")
}

pub(super) fn fault(code: u16, reason: &str) -> Fault {
    Fault::Status(status(code, reason))
}

pub(super) fn refused() -> Fault {
    Fault::Connect { refused: true, source: "connection refused".into() }
}

pub(super) struct Rig {
    pub(super) source: Arc<FakeSource<ConfigMap>>,
    pub(super) sink: Sink,
    pub(super) errors: Arc<Mutex<Vec<FaultClass>>>,
    pub(super) faults: Arc<Mutex<Vec<String>>>,
    pub(super) monitor: ReflectorMonitor,
    pub(super) task: JoinHandle<()>,
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Rig {
    pub(super) fn start(source: FakeSource<ConfigMap>) -> Self {
        Self::with(source, ReflectorOptions::new())
    }

    pub(super) fn with(
        source: FakeSource<ConfigMap>,
        options: ReflectorOptions<ConfigMap>,
    ) -> Self {
        let source = Arc::new(source);
        Self::of(source.clone(), source, options)
    }

    /// Follows `followed`, which stands before the fake source.
    pub(super) fn of(
        source: Arc<FakeSource<ConfigMap>>,
        followed: Arc<dyn ListerWatcher<ConfigMap>>,
        options: ReflectorOptions<ConfigMap>,
    ) -> Self {
        let (errors, faults) = (Arc::new(Mutex::new(vec![])), Arc::new(Mutex::new(vec![])));
        let (classes, texts) = (errors.clone(), faults.clone());
        let options = options.seed(7).on_error(move |error| {
            classes.lock().push(error.class());
            texts.lock().push(error.to_string());
        });
        let sink = Sink::default();
        let reflector = Reflector::new(followed, options.known(Arc::new(sink.clone())));
        let monitor = reflector.monitor();
        let task = tokio::spawn(reflector.run(sink.clone()));
        Self { source, sink, errors, faults, monitor, task }
    }

    pub(super) fn log(&self) -> Vec<String> {
        self.sink.0.lock().0.clone()
    }

    pub(super) fn errors(&self) -> Vec<FaultClass> {
        self.errors.lock().clone()
    }

    pub(super) fn requests(&self) -> Vec<String> {
        requests_of(&self.source)
    }

    pub(super) fn limits(&self) -> Vec<Option<u32>> {
        let lists = self.source.requests().into_iter().filter_map(|asking| match asking {
            SourceRequest::List(query) => Some(query.limit),
            SourceRequest::Watch(_) => None,
        });
        lists.collect()
    }

    /// Asserts that the folded changes equal the source's objects.
    pub(super) fn assert_converged(&self) {
        let objects = self.source.objects();
        let source: BTreeMap<_, _> = objects
            .iter()
            .map(|(key, object)| (key.clone(), object.metadata.resource_version.clone().unwrap()))
            .collect();
        assert_eq!(self.sink.folded(), source);
    }
}

/// The requests in order, with their versions: `list 0`, `page`, `list ""`, `watch 3`,
/// `stream ""`.
pub(super) fn requests_of(source: &FakeSource<ConfigMap>) -> Vec<String> {
    let text = |version: &Option<ResourceVersion>| {
        version.as_ref().map_or("\"\"".into(), ToString::to_string)
    };
    let asked = source.requests();
    asked
        .iter()
        .map(|asking| match asking {
            SourceRequest::List(ListQuery { continue_token: Some(_), .. }) => "page".into(),
            SourceRequest::List(query) => format!("list {}", text(&query.version)),
            SourceRequest::Watch(query) if query.initial_events => {
                format!("stream {}", text(&query.version))
            }
            SourceRequest::Watch(query) => format!("watch {}", text(&query.version)),
        })
        .collect()
}

pub(super) fn source(names: &[&str]) -> FakeSource<ConfigMap> {
    let source = FakeSource::new("configmaps", "ConfigMap");
    for name in names {
        source.put(object(name));
    }
    source
}

/// A fake source that calls functions on the way, and whose watches are silent on request.
pub(super) struct ScriptedSource {
    source: Arc<FakeSource<ConfigMap>>,
    silent: std::sync::atomic::AtomicBool,
    list: fn(ListQuery) -> ListQuery,
    after_list: fn(&FakeSource<ConfigMap>),
    watch: fn(WatchStream<ConfigMap>) -> WatchStream<ConfigMap>,
}

impl ScriptedSource {
    pub(super) fn new(
        source: &Arc<FakeSource<ConfigMap>>,
        after_list: fn(&FakeSource<ConfigMap>),
    ) -> Arc<Self> {
        Arc::new(Self { after_list, ..Self::of(source) })
    }

    /// Creates a source that changes its queries of lists.
    pub(super) fn with_list(
        source: &Arc<FakeSource<ConfigMap>>,
        list: fn(ListQuery) -> ListQuery,
    ) -> Arc<Self> {
        Arc::new(Self { list, ..Self::of(source) })
    }

    /// Creates a source that changes its watches.
    pub(super) fn with_watch(
        source: &Arc<FakeSource<ConfigMap>>,
        watch: fn(WatchStream<ConfigMap>) -> WatchStream<ConfigMap>,
    ) -> Arc<Self> {
        Arc::new(Self { watch, ..Self::of(source) })
    }

    fn of(source: &Arc<FakeSource<ConfigMap>>) -> Self {
        let source = source.clone();
        let silent = false.into();
        Self { source, silent, list: |query| query, after_list: |_| {}, watch: |watch| watch }
    }

    pub(super) fn silence(&self, silent: bool) {
        self.silent.store(silent, std::sync::atomic::Ordering::Relaxed);
    }
}

impl ListerWatcher<ConfigMap> for ScriptedSource {
    fn collection(&self) -> &Collection {
        self.source.collection()
    }

    fn list(
        &self,
        query: &ListQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<ConfigMap>, SourceError>> {
        let list = self.source.list(&(self.list)(query.clone()), hints);
        (self.after_list)(&self.source);
        list
    }

    fn watch(
        &self,
        query: &WatchQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<ConfigMap>, SourceError>> {
        let watch = self.source.watch(query, hints);
        let silent = self.silent.load(std::sync::atomic::Ordering::Relaxed);
        let change = self.watch;
        Box::pin(async move {
            let watch = change(watch.await?);
            Ok(if silent { futures::stream::pending().boxed() } else { watch })
        })
    }
}
