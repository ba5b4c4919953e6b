//! A server, a directory, and the runs of a program that keeps its objects there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::object::{ShardKey, ShardSelector, ring_hash};
use kube_informer::testing::ApiServer;
use kube_informer::testing::api_server::RequestInfo;
use kube_informer::{Event, InformerSpec, SharedInformer, SharedInformerFactory};
use kube_informer_warm::WarmCache;
use parking_lot::Mutex;
use tokio::sync::watch;

/// Uid and version of each object, by key.
pub(crate) type View = BTreeMap<String, (String, String)>;

pub(crate) const LIMIT: Duration = Duration::from_secs(120);

/// A directory that is removed when it is dropped.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("kube-informer-{name}-{}", std::process::id()));
        let _none = std::fs::remove_dir_all(&path);
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the files of tables.
    pub(crate) fn tables(&self) -> Vec<PathBuf> {
        let files = std::fs::read_dir(&self.0).into_iter().flatten();
        let files = files.map(|file| file.unwrap().path());
        files.filter(|path| path.extension().is_some_and(|end| end == "cache")).collect()
    }
}

impl Scratch {
    /// Returns the table that was written last.
    pub(crate) fn newest_table(&self) -> Option<PathBuf> {
        let written = |path: &PathBuf| std::fs::metadata(path).unwrap().modified().unwrap();
        self.tables().into_iter().max_by_key(written)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _left = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns a config map. It is large enough that packing it is worth it.
pub(crate) fn map(namespace: &str, name: &str, value: u64) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.namespace = Some(namespace.into());
    map.metadata.name = Some(name.into());
    let app = if value.is_multiple_of(3) { "web" } else { "db" };
    map.metadata.labels = Some([("app".into(), app.into())].into());
    let line = |n| (format!("key-{n}"), format!("value {value} of the setting {n} of {name}"));
    map.data = Some((0..12).map(line).collect());
    map
}

/// Returns whether a request asks for the version of a collection, with a list of one object.
pub(crate) fn is_question(request: &RequestInfo) -> bool {
    request.target.contains("limit=1&") || request.target.ends_with("limit=1")
}

/// Returns the number of whole lists of a resource since there were `before` requests.
pub(crate) fn lists(server: &ApiServer, before: usize, plural: &str) -> usize {
    let requests = server.requests();
    let requests = requests[before..].iter();
    let lists = requests.filter(|request| request.path().ends_with(plural) && !request.watch);
    lists.filter(|request| !is_question(request)).count()
}

pub(crate) fn view<'a>(maps: impl IntoIterator<Item = &'a ConfigMap>) -> View {
    let entry = |map: &ConfigMap| {
        let metadata = map.metadata.clone();
        let key = format!("{}/{}", metadata.namespace.unwrap(), metadata.name.unwrap());
        (key, (metadata.uid.unwrap(), metadata.resource_version.unwrap()))
    };
    maps.into_iter().map(entry).collect()
}

/// The part of the server that a program follows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scope {
    Everything,
    Namespace,
    Web,
    /// The objects whose uids have places from this one on, as far as to this one.
    Shard(u64, u64),
}

impl Scope {
    pub(crate) fn of(self, server: &ApiServer) -> View {
        let maps = server.list::<ConfigMap>().unwrap();
        view(maps.iter().filter(|map| match self {
            Self::Everything => true,
            Self::Namespace => map.metadata.namespace.as_deref() == Some("shop"),
            Self::Web => map.metadata.labels.as_ref().unwrap()["app"] == "web",
            Self::Shard(..) => self.has(map.metadata.uid.as_ref().unwrap()),
        }))
    }

    /// Returns whether the object with this uid is in the shard, if there is one.
    pub(crate) fn has(self, uid: &str) -> bool {
        self.shard().is_none_or(|shard| shard.contains(ring_hash(uid)))
    }

    /// Returns whether its objects are in the table of the whole collection.
    pub(crate) fn is_of_shards(self) -> bool {
        matches!(self, Self::Everything | Self::Shard(..))
    }

    fn shard(self) -> Option<ShardSelector> {
        let Self::Shard(from, to) = self else { return None };
        Some(ShardSelector::new(ShardKey::Uid, [from..=to]))
    }

    pub(crate) fn spec(self) -> InformerSpec<ConfigMap> {
        let spec = InformerSpec::new();
        match self {
            Self::Everything => spec,
            Self::Namespace => spec.namespace("shop"),
            Self::Web => spec.labels("app=web"),
            Self::Shard(..) => match self.shard() {
                Some(shard) => spec.shard(watch::channel(shard).1),
                None => spec,
            },
        }
    }
}

/// The events of a handler.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) fold: View,
    /// Deleted objects that were never added in this run, with the fold's size at that moment.
    pub(crate) gone: Vec<(String, String, usize)>,
    pub(crate) faults: Vec<String>,
}

/// One run of the program.
pub(crate) struct Run {
    factory: SharedInformerFactory,
    pub(crate) informer: SharedInformer<ConfigMap>,
    pub(crate) told: Arc<Mutex<Told>>,
}

impl Run {
    pub(crate) fn new(server: &ApiServer, directory: &Path, scope: Scope) -> Self {
        let cache = WarmCache::open(directory).unwrap().cluster("the cluster");
        Self::with(server, cache.interval(Duration::from_millis(50)), scope)
    }

    pub(crate) fn with(server: &ApiServer, cache: WarmCache, scope: Scope) -> Self {
        Self::of_spec(server, cache, scope.spec())
    }

    pub(crate) fn of_spec(
        server: &ApiServer,
        cache: WarmCache,
        spec: InformerSpec<ConfigMap>,
    ) -> Self {
        Self::of_client(server.client(), cache, spec)
    }

    pub(crate) fn of_client(
        client: kube::Client,
        cache: WarmCache,
        spec: InformerSpec<ConfigMap>,
    ) -> Self {
        let factory = SharedInformerFactory::builder(client).warm(cache).build();
        let informer = factory.informer_with(spec).unwrap();
        let told = Arc::<Mutex<Told>>::default();
        let tell = told.clone();
        informer.on_event(move |event| tell.lock().take(&event)).unwrap();
        factory.start().unwrap();
        Self { factory, informer, told }
    }

    pub(crate) async fn synced(server: &ApiServer, directory: &Path, scope: Scope) -> Self {
        let run = Self::new(server, directory, scope);
        run.informer.wait_for_sync(LIMIT).await.unwrap();
        run
    }

    pub(crate) fn stored(&self) -> View {
        view(
            self.informer
                .snapshot()
                .iter()
                .map(|(_, map)| map)
                .collect::<Vec<_>>()
                .iter()
                .map(|map| &**map),
        )
    }

    /// Waits until the store and the handler have the server's state.
    pub(crate) async fn settle(&self, server: &ApiServer, scope: Scope) {
        let settled = async {
            while self.stored() != scope.of(server) || self.told.lock().fold != self.stored() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        if tokio::time::timeout(LIMIT, settled).await.is_err() {
            let told = self.told.lock();
            panic!(
                "store {:?}\nserver {:?}\nfold {:?}\nfaults {:?}\n{:?}",
                self.stored(),
                scope.of(server),
                told.fold,
                told.faults,
                self.informer.status(),
            );
        }
        assert_eq!(self.told.lock().faults, [""; 0]);
    }

    pub(crate) async fn shutdown(self) {
        self.factory.shutdown().await;
    }
}

impl Told {
    fn take(&mut self, event: &Event<ConfigMap>) {
        let fold = &mut self.fold;
        match event {
            Event::Added { object, .. } => {
                for (key, state) in view([&**object]) {
                    if fold.insert(key.clone(), state).is_some() {
                        self.faults.push(format!("{key} was added twice"));
                    }
                }
            }
            Event::Updated { new, .. } => {
                for (key, state) in view([&**new]) {
                    if fold.insert(key.clone(), state).is_none() {
                        self.faults.push(format!("{key} was updated before it was added"));
                    }
                }
            }
            Event::Deleted { object, .. } => {
                for (key, (uid, _)) in view([&**object]) {
                    match fold.remove(&key) {
                        Some((known, _)) if known != uid => {
                            self.faults.push(format!("another {key} was deleted"));
                        }
                        Some(_) => {}
                        None => self.gone.push((key, uid, fold.len())),
                    }
                }
            }
            Event::MovedAway { .. } => self.faults.push("an object moved away".into()),
        }
    }
}
