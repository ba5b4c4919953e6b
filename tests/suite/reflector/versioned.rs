//! A source whose answers a test gives, by the version that a request names.

use super::*;

type Listed = Result<(ResourceVersion, Vec<ConfigMap>), Fault>;

type Watched = Result<WatchStream<ConfigMap>, Fault>;

/// A source whose answers a test gives. It answers a streaming list like a plain one.
pub(super) struct Versioned {
    collection: Collection,
    pub(super) list: Box<dyn Fn(&ListQuery) -> Listed + Send + Sync>,
    pub(super) watch: Box<dyn Fn(&WatchQuery) -> Watched + Send + Sync>,
    requests: Mutex<Vec<String>>,
}

/// A reflector of such a source.
pub(super) struct Running {
    pub(super) source: Arc<Versioned>,
    pub(super) sink: Sink,
    pub(super) faults: Arc<Mutex<Vec<String>>>,
    pub(super) monitor: ReflectorMonitor,
    task: JoinHandle<()>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Versioned {
    pub(super) fn new(
        list: impl Fn(&ListQuery) -> Listed + Send + Sync + 'static,
        watch: impl Fn(&WatchQuery) -> Watched + Send + Sync + 'static,
    ) -> Self {
        let collection = source(&[]).collection().clone();
        let (list, watch) = (Box::new(list), Box::new(watch));
        Self { collection, list, watch, requests: Mutex::default() }
    }

    pub(super) fn start(self, options: ReflectorOptions<ConfigMap>) -> Running {
        let (source, sink) = (Arc::new(self), Sink::default());
        let faults = Arc::new(Mutex::new(vec![]));
        let texts = faults.clone();
        let options = options.seed(7).known(Arc::new(sink.clone()));
        let options = options.on_error(move |error| texts.lock().push(error.to_string()));
        let reflector = Reflector::new(source.clone(), options);
        let monitor = reflector.monitor();
        let task = tokio::spawn(reflector.run(sink.clone()));
        Running { source, sink, faults, monitor, task }
    }

    /// Returns the requests in order: `list ""`, `probe`, `stream ""`, `watch 5`.
    pub(super) fn requests(&self) -> Vec<String> {
        self.requests.lock().clone()
    }

    fn note(&self, request: &str, version: Option<&ResourceVersion>) {
        let version = version.map_or("\"\"".to_owned(), ToString::to_string);
        self.requests.lock().push(format!("{request} {version}"));
    }
}

impl Running {
    /// Returns the names and versions of the objects that the sink has.
    pub(super) fn folded(&self) -> Vec<String> {
        self.sink.folded().iter().map(|(key, version)| format!("{key}@{version}")).collect()
    }

    pub(super) fn freshness(&self) -> f64 {
        self.monitor.status().freshness.unwrap().as_secs_f64()
    }

    pub(super) fn relists(&self, cause: RelistCause) -> u64 {
        self.monitor.status().relists.of(cause)
    }

    /// Returns the number of such requests.
    pub(super) fn count(&self, request: &str) -> usize {
        self.source.requests().iter().filter(|other| *other == request).count()
    }
}

/// Returns an object with this name, which is its uid, and this version.
pub(super) fn at(name: &str, version: &str) -> ConfigMap {
    let mut object = object(name);
    object.metadata.uid = Some(name.to_owned());
    object.metadata.resource_version = Some(version.to_owned());
    object
}

pub(super) fn bookmark(version: u64, initial_events_end: bool) -> WatchItem<ConfigMap> {
    WatchItem::Bookmark { version: version.into(), initial_events_end }
}

/// Returns a watch that sends these items and then nothing.
pub(super) fn stays(items: Vec<WatchItem<ConfigMap>>) -> WatchStream<ConfigMap> {
    futures::stream::iter(items.into_iter().map(Ok)).chain(futures::stream::pending()).boxed()
}

impl ListerWatcher<ConfigMap> for Versioned {
    fn collection(&self) -> &Collection {
        &self.collection
    }

    fn list(
        &self,
        query: &ListQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<ConfigMap>, SourceError>> {
        let probe = query.limit == Some(1) && query.version.is_none();
        self.note(if probe { "probe" } else { "list" }, query.version.as_ref());
        let error = |fault| SourceError::new(self.collection.request_name(Verb::List), fault);
        let listed = (self.list)(query).map_err(error).map(|(version, objects)| {
            let end = ListMetadata { version: Some(version), ..ListMetadata::default() };
            let objects = objects.into_iter().map(|object| ListItem::Object(Ok(object.into())));
            let items: Vec<_> = objects.chain([ListItem::Meta(end)]).map(Ok).collect();
            futures::stream::iter(items).boxed()
        });
        Box::pin(async { listed })
    }

    fn watch(
        &self,
        query: &WatchQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<ConfigMap>, SourceError>> {
        self.note(if query.initial_events { "stream" } else { "watch" }, query.version.as_ref());
        let error = |fault| SourceError::new(self.collection.request_name(Verb::Watch), fault);
        let watched = (self.watch)(query).map_err(error);
        let listed = query.initial_events.then(|| {
            let mut list = ListQuery::default();
            list.version.clone_from(&query.version);
            (self.list)(&list).map_err(error)
        });
        Box::pin(async {
            let Some(listed) = listed else { return watched };
            let (version, objects) = listed?;
            let added = objects.into_iter().map(|object| WatchItem::Added(Ok(object.into())));
            let end = WatchItem::Bookmark { version, initial_events_end: true };
            let initial: Vec<_> = added.chain([end]).map(Ok).collect();
            Ok(futures::stream::iter(initial).chain(watched?).boxed())
        })
    }
}
