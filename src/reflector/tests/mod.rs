//! Tests of the reflector against a fake source, with paused time.

mod endless;
mod history;
mod lagging;
mod list_modes;
mod lists;
mod namespaces;
mod pace;
mod panics;
mod proofs;
mod replays;
mod shards;
mod turns;
mod versioned;
mod watches;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::*;
use crate::error::{ApiStatus, Fault, FaultClass, SourceError, Verb};
use crate::helpers::{key, list_mode, object, seconds, settle};
use crate::lister_watcher::{
    Collection, ListHints, ListItem, ListMetadata, ListQuery, ListStream, WatchItem, WatchQuery,
    WatchStream,
};
use crate::object::{Cached, KnownObjects, ObjectKey, ring_hash};
use crate::testing::{FakeSource, SourceRequest, WatchEnd};

/// The changes that the reflector emitted, as text, and the objects that they fold to.
#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Heard>>);

type Heard = (Vec<String>, BTreeMap<ObjectKey, Cached>);

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

fn version(object: &Cached) -> String {
    object.version().map(|version| version.to_string()).unwrap_or_default()
}

/// Returns whether a change is older than the known state of its object.
fn is_older(change: Option<&ResourceVersion>, known: &Cached) -> bool {
    let known = known.version();
    change.zip(known).is_some_and(|(version, known)| version.is_older_than(&known))
}

impl Sink {
    /// Returns the versions of the folded objects.
    fn folded(&self) -> BTreeMap<ObjectKey, String> {
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

fn status(code: u16, reason: &str) -> ApiStatus {
    ApiStatus::new(code, reason, "as the test says")
}

fn fault(code: u16, reason: &str) -> Fault {
    Fault::Status(status(code, reason))
}

fn refused() -> Fault {
    Fault::Connect { refused: true, source: "connection refused".into() }
}

struct Rig {
    source: Arc<FakeSource<ConfigMap>>,
    sink: Sink,
    errors: Arc<Mutex<Vec<FaultClass>>>,
    faults: Arc<Mutex<Vec<String>>>,
    monitor: ReflectorMonitor,
    task: JoinHandle<()>,
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Rig {
    fn start(source: FakeSource<ConfigMap>) -> Self {
        Self::with(source, ReflectorOptions::new())
    }

    fn with(source: FakeSource<ConfigMap>, options: ReflectorOptions<ConfigMap>) -> Self {
        let source = Arc::new(source);
        let (errors, faults) = (Arc::new(Mutex::new(vec![])), Arc::new(Mutex::new(vec![])));
        let (classes, texts) = (errors.clone(), faults.clone());
        let options = options.seed(7).on_error(move |error| {
            classes.lock().push(error.class());
            texts.lock().push(error.to_string());
        });
        let sink = Sink::default();
        let reflector = Reflector::new(source.clone(), options.known(Arc::new(sink.clone())));
        let monitor = reflector.monitor();
        let task = tokio::spawn(reflector.run(sink.clone()));
        Self { source, sink, errors, faults, monitor, task }
    }

    fn log(&self) -> Vec<String> {
        self.sink.0.lock().0.clone()
    }

    fn errors(&self) -> Vec<FaultClass> {
        self.errors.lock().clone()
    }

    /// The requests in order, with their versions: `list 0`, `page`, `list ""`, `watch 3`, `stream
    /// ""`.
    fn requests(&self) -> Vec<String> {
        requests_of(&self.source)
    }

    fn limits(&self) -> Vec<Option<u32>> {
        let lists = self.source.requests().into_iter().filter_map(|asking| match asking {
            SourceRequest::List(query) => Some(query.limit),
            SourceRequest::Watch(_) => None,
        });
        lists.collect()
    }

    /// Asserts that the folded changes equal the source's objects.
    fn assert_converged(&self) {
        let objects = self.source.objects();
        let source: BTreeMap<_, _> = objects
            .iter()
            .map(|(key, object)| (key.clone(), version(&Cached::from(object).cast())))
            .collect();
        assert_eq!(self.sink.folded(), source);
    }
}

/// The requests in order, as [`Rig::requests`] shows them.
fn requests_of(source: &FakeSource<ConfigMap>) -> Vec<String> {
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

fn source(names: &[&str]) -> FakeSource<ConfigMap> {
    let source = FakeSource::new("configmaps", "ConfigMap");
    for name in names {
        source.put(object(name));
    }
    source
}

/// A fake source whose watches are silent on request, and which calls a function after each list.
struct ScriptedSource {
    source: Arc<FakeSource<ConfigMap>>,
    silent: std::sync::atomic::AtomicBool,
    after_list: fn(&FakeSource<ConfigMap>),
    watch: fn(WatchStream<ConfigMap>) -> WatchStream<ConfigMap>,
}

impl ScriptedSource {
    fn new(
        source: &Arc<FakeSource<ConfigMap>>,
        after_list: fn(&FakeSource<ConfigMap>),
    ) -> Arc<Self> {
        let watch = |watch| watch;
        Arc::new(Self { source: source.clone(), silent: false.into(), after_list, watch })
    }

    /// Creates a source that changes its watches.
    fn with_watch(
        source: &Arc<FakeSource<ConfigMap>>,
        watch: fn(WatchStream<ConfigMap>) -> WatchStream<ConfigMap>,
    ) -> Arc<Self> {
        let silent = false.into();
        Arc::new(Self { source: source.clone(), silent, after_list: |_| {}, watch })
    }

    fn silence(&self, silent: bool) {
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
        let list = self.source.list(query, hints);
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

#[derive(Clone, Copy, Debug, PartialEq)]
enum Spot {
    ListCalled,
    ListAwaited,
    ListRead,
    WatchCalled,
    WatchAwaited,
    WatchRead,
    WatchDropped,
}
