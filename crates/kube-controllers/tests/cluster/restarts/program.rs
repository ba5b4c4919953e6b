//! The program that is restarted. It is a process of its own, which begins from the folder of the
//! one before.
//!
//! It keeps the caches of its informers, and a ledger with the uid of each config map, which a
//! controller writes. No config map has a finalizer, so the ledger forgets one that was deleted
//! while no process ran only if the kept cache tells of it.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Debug;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use futures::future::join_all;
use http_body_util::BodyExt;
use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kube::api::{Api, ApiResource, DynamicObject, ObjectMeta};
use kube::client::Body;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::core::PartialObjectMeta;
use kube::{Client, Config, Resource, ResourceExt};
use kube_controllers::controller::{ControllerHandle, Presence};
use kube_controllers::{Action, Controller, ReconcileRequest};
use kube_informer::object::{ShardKey, ShardSelector};
use kube_informer::{CachedEvent, InformerSpec, SharedInformer, SharedInformerFactory};
use kube_informer_warm::WarmCache;
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::super::widgets::{Gauge, Widget};
use super::followers::Follower;
use super::work::SHOPS;

/// The variable with the program's [`Orders`].
pub(crate) const ORDERS: &str = "KEPT_CACHES_ORDERS";

/// The time in which stores agree with the server, although it is killed meanwhile.
const PATIENCE: Duration = Duration::from_secs(100);

/// The time for which an entry of the ledger may differ from the store.
const ACTED: Duration = Duration::from_secs(5);

/// The beginning of one process.
#[derive(Serialize, Deserialize)]
pub(super) struct Orders {
    /// The folder with the kubeconfig, the kept caches and the ledger.
    pub(super) folder: PathBuf,
    /// The last place of the shard.
    pub(super) border: u64,
}

/// The figures of one start.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Started {
    /// The time until all informers had synced.
    pub(super) synced: Duration,
    /// The kept objects that were found.
    pub(super) kept: usize,
    pub(super) requests: usize,
    /// The requests for whole collections, of objects or of their metadata.
    pub(super) lists: usize,
    /// The bytes of the answers, within TLS, when all had synced.
    pub(super) bytes: usize,
    /// The objects that were equal to the server's.
    pub(super) compared: usize,
    /// The audits that passed, and those that could not judge.
    pub(super) audits: [usize; 2],
    /// The deletes of objects that this process was not told of before.
    pub(super) late_deletes: usize,
    /// The config maps that exist no more, and that the ledger still has. They are removed.
    pub(super) left_over: Vec<String>,
    pub(super) problems: Vec<String>,
}

/// The requests of this process, and the bytes of their answers.
#[derive(Default)]
struct Traffic {
    requests: AtomicUsize,
    lists: AtomicUsize,
    bytes: AtomicUsize,
}

fn counted(config: Config, traffic: Arc<Traffic>) -> Client {
    let namespace = config.default_namespace.clone();
    let client = Client::try_from(config).expect("a client");
    let service = tower::service_fn(move |request: http::Request<Body>| {
        let (client, traffic) = (client.clone(), traffic.clone());
        let query = request.uri().query().unwrap_or_default();
        let is_small = |part| part == "limit=1" || part == "watch=true";
        let is_list = !query.is_empty() && !query.split('&').any(is_small);
        traffic.requests.fetch_add(1, Relaxed);
        traffic.lists.fetch_add(usize::from(is_list), Relaxed);
        async move {
            let answer = client.send(request).await?;
            Ok::<_, kube::Error>(answer.map(|body| {
                body.map_frame(move |frame| {
                    let length = frame.data_ref().map_or(0, bytes::Bytes::len);
                    traffic.bytes.fetch_add(length, Relaxed);
                    frame
                })
            }))
        }
    });
    Client::new(service, namespace)
}

/// The events of one informer.
#[derive(Default)]
struct Told {
    present: HashSet<String>,
    deleted: HashSet<String>,
    late_deletes: usize,
    problems: Vec<String>,
}

impl Told {
    fn take<K: ?Sized>(&mut self, key: &str, event: &CachedEvent<K>) {
        let uid = event.object().uid().unwrap_or_default().to_owned();
        match event {
            CachedEvent::Deleted { .. } => {
                self.late_deletes += usize::from(!self.present.remove(&uid));
                if !self.deleted.insert(uid) {
                    self.problems.push(format!("{key} was deleted twice"));
                }
            }
            CachedEvent::MovedAway { .. } => drop(self.present.remove(&uid)),
            CachedEvent::Added { .. } | CachedEvent::Updated { .. } => {
                if self.deleted.contains(&uid) {
                    self.problems.push(format!("{key} was deleted, and exists"));
                }
                self.present.insert(uid);
            }
        }
    }
}

/// The informers, and what was seen of them.
#[derive(Default)]
struct Informers {
    followers: Vec<Follower>,
    told: Vec<Arc<Mutex<Told>>>,
    kept: Vec<Box<dyn Fn() -> usize>>,
}

impl Informers {
    fn follow<K>(&mut self, form: &'static str, informer: &SharedInformer<K>, api: Api<K>)
    where
        K: Resource + Clone + Debug + Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        self.follow_some(form, informer, api, |_| true);
    }

    fn follow_some<K>(
        &mut self,
        form: &'static str,
        informer: &SharedInformer<K>,
        api: Api<K>,
        selects: impl Fn(&ObjectMeta) -> bool + Clone + Send + Sync + 'static,
    ) where
        K: Resource + Clone + Debug + Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let told = Arc::<Mutex<Told>>::default();
        let tell = told.clone();
        let noting =
            informer.on_cached_event(move |key, event| tell.lock().take(key.as_str(), &event));
        noting.expect("it was not stopped");
        self.told.push(told);
        let provisional = informer.clone();
        self.kept.push(Box::new(move || provisional.provisional().map_or(0, |kept| kept.len())));
        self.followers.push(Follower::of(form, informer.clone(), api, selects));
    }

    /// Waits until all have synced. Returns the number of kept objects that were found.
    async fn synced(&self) -> usize {
        let mut most = vec![0; self.kept.len()];
        loop {
            let synced = self.followers.iter().all(|follower| follower.informer.has_synced());
            for (most, kept) in most.iter_mut().zip(&self.kept) {
                *most = kept().max(*most);
            }
            if synced {
                return most.into_iter().sum();
            }
            sleep(Duration::from_millis(1)).await;
        }
    }

    fn take_problems(&self) -> Vec<String> {
        let informers = self.followers.iter().zip(&self.told);
        let problems = informers.flat_map(|(follower, told)| {
            let problems = std::mem::take(&mut told.lock().problems);
            let name = format!("{} {}", follower.form, follower.informer.collection());
            problems.into_iter().map(move |problem| format!("{name}: {problem}"))
        });
        problems.collect()
    }
}

/// Makes the informers. Each request is made by `client`.
fn informers(
    client: &Client,
    cache: &WarmCache,
    border: u64,
) -> (Informers, SharedInformer<ConfigMap>, [SharedInformerFactory; 2]) {
    let factory = |name: &str| {
        SharedInformerFactory::builder(client.clone()).name(name).warm(cache.clone()).build()
    };
    let (plain, other) = (factory("plain"), factory("other"));
    let mut made = Informers::default();
    let maps = plain.informer::<ConfigMap>();
    made.follow("packed", &maps, Api::all(client.clone()));
    made.follow("packed", &plain.informer::<Pod>(), Api::all(client.clone()));
    made.follow("packed", &plain.informer::<ReplicaSet>(), Api::all(client.clone()));
    made.follow("packed", &plain.informer::<EndpointSlice>(), Api::all(client.clone()));
    made.follow("packed", &plain.informer::<Node>(), Api::all(client.clone()));
    let with = |spec| plain.informer_with(spec).expect("a new informer");
    made.follow("JSON", &with(InformerSpec::<Gauge>::new()), Api::all(client.clone()));
    let trusted = plain.informer_with(InformerSpec::<Widget>::new().trust_versions(true));
    let trusted = trusted.expect("a new informer");
    made.follow("JSON, trusted", &trusted, Api::all(client.clone()));
    let resource = ApiResource::erase::<Deployment>(&());
    let dynamic = plain.dynamic_with(&resource, InformerSpec::<DynamicObject>::new());
    let dynamic = dynamic.expect("a new informer");
    made.follow("JSON, dynamic", &dynamic, Api::all_with(client.clone(), &resource));
    let metadata = plain.informer::<PartialObjectMeta<Pod>>();
    made.follow("metadata", &metadata, Api::all(client.clone()));
    let metadata = plain.informer::<PartialObjectMeta<ConfigMap>>();
    made.follow("metadata", &metadata, Api::all(client.clone()));
    let shop = SHOPS[0];
    let spec = InformerSpec::<ConfigMap>::new().namespace(shop);
    let of_shop = other.informer_with(spec).expect("a new informer");
    made.follow("namespace", &of_shop, Api::namespaced(client.clone(), shop));
    let shard = ShardSelector::new(ShardKey::Uid, [0..=border]);
    let spec = InformerSpec::<Pod>::new().shard(watch::channel(shard.clone()).1);
    let of_shard = other.informer_with(spec).expect("a new informer");
    let selects = move |meta: &ObjectMeta| shard.selects(meta);
    made.follow_some("shard", &of_shard, Api::all(client.clone()), selects);
    (made, maps, [plain, other])
}

/// A folder with a file for each config map, which has its uid.
struct Ledger {
    folder: PathBuf,
    problems: Mutex<Vec<String>>,
}

impl Ledger {
    fn file(&self, key: &str) -> PathBuf {
        self.folder.join(key.replace('/', " "))
    }

    fn entries(&self) -> BTreeMap<String, String> {
        let files = std::fs::read_dir(&self.folder).expect("the ledger is there");
        let files = files.map(|file| file.expect("it can be read"));
        let entry = |file: std::fs::DirEntry| {
            let key = file.file_name().into_string().expect("it is a key").replace(' ', "/");
            // The controller may have removed it meanwhile.
            Some((key, std::fs::read_to_string(file.path()).ok()?))
        };
        files.filter_map(entry).collect()
    }

    fn remove(&self, key: &str) {
        // The file may not be there.
        let _none = std::fs::remove_file(self.file(key));
    }

    /// Returns each key whose entry differs from the store, with the uids of both.
    fn differences(
        &self,
        maps: &SharedInformer<ConfigMap>,
    ) -> BTreeMap<String, [Option<String>; 2]> {
        let mut differ: BTreeMap<_, _> =
            self.entries().into_iter().map(|(key, uid)| (key, [Some(uid), None])).collect();
        for (key, map) in maps.snapshot().iter_cached() {
            let entry = differ.entry(key.as_str().to_owned()).or_default();
            entry[1] = map.uid().map(str::to_owned);
        }
        differ.retain(|_, [entry, stored]| entry != stored);
        differ
    }
}

async fn enter(request: ReconcileRequest<ConfigMap, Ledger>) -> Result<Action, std::io::Error> {
    let (ledger, key) = (&*request.context, request.key.as_str());
    match &request.object {
        Presence::Present(map) => {
            std::fs::write(ledger.file(key), map.uid().unwrap_or_default())?;
        }
        Presence::Gone => ledger.remove(key),
        Presence::Unknown(reason) => {
            ledger.problems.lock().push(format!("{key} is unknown: {reason}"));
        }
    }
    Ok(Action::done())
}

/// Returns the orders, if this process is the program.
pub(crate) fn orders() -> Option<String> {
    std::env::var(ORDERS).ok()
}

/// Runs the program until it is told to stop, or its input ends.
pub(crate) fn run(orders: &str) -> ExitCode {
    let orders: Orders = serde_json::from_str(orders).expect("the test has written them");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let stop = CancellationToken::new();
    let told = stop.clone();
    std::thread::spawn(move || {
        let mut line = String::new();
        match std::io::stdin().lock().read_line(&mut line) {
            Ok(1..) => told.cancel(),
            // The test has ended.
            _ => std::process::exit(1),
        }
    });
    runtime.expect("a runtime").block_on(live(&orders, stop));
    ExitCode::SUCCESS
}

async fn config(folder: &Path) -> Config {
    let kubeconfig = Kubeconfig::read_from(folder.join("kubeconfig")).expect("it is there");
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(kubeconfig, &options).await;
    let mut config = config.expect("a configuration");
    // The informers must see each failure.
    config.default_retry = false;
    config
}

fn tell(value: &impl Serialize) {
    println!("{}", serde_json::to_string(value).expect("it is serialised"));
}

async fn live(orders: &Orders, stop: CancellationToken) {
    let begun = Instant::now();
    let traffic = Arc::<Traffic>::default();
    let client = counted(config(&orders.folder).await, traffic.clone());
    let cache = WarmCache::open(orders.folder.join("caches")).expect("no other process has it");
    let (informers, maps, factories) = informers(&client, &cache, orders.border);
    let ledger = orders.folder.join("ledger");
    let ledger = Arc::new(Ledger { folder: ledger, problems: Mutex::default() });
    let controller = Controller::builder("ledger", &maps).context(ledger.clone()).build();
    let handle = controller.handle();
    let working = tokio::spawn(controller.run(stop.clone(), enter));

    let kept = informers.synced().await;
    let mut started = Started { synced: begun.elapsed(), kept, ..Started::default() };
    started.requests = traffic.requests.load(Relaxed);
    started.lists = traffic.lists.load(Relaxed);
    started.bytes = traffic.bytes.load(Relaxed);
    tokio::select! {
        () = stop.cancelled() => {}
        () = check(&mut started, &informers, &maps, &ledger, &handle) => tell(&started),
    }
    stop.cancelled().await;
    working.await.expect("it does not panic").expect("it ends in order");
    for factory in &factories {
        factory.shutdown().await;
    }
    let mut problems = informers.take_problems();
    problems.append(&mut ledger.problems.lock());
    tell(&problems);
}

/// Compares the stores and the ledger with the server, and audits the stores.
async fn check(
    started: &mut Started,
    informers: &Informers,
    maps: &SharedInformer<ConfigMap>,
    ledger: &Ledger,
    handle: &ControllerHandle,
) {
    let agreed = informers.followers.iter().map(|follower| follower.agrees(PATIENCE));
    for agreed in join_all(agreed).await {
        match agreed {
            Ok(objects) => started.compared += objects,
            Err(differences) => started.problems.push(differences),
        }
    }
    let audits = informers.followers.iter().map(|follower| follower.informer.audit());
    for (audit, follower) in join_all(audits).await.into_iter().zip(&informers.followers) {
        if !audit.passed() {
            started.problems.push(format!("{} audit: {audit}", follower.form));
        }
        started.audits[usize::from(!audit.was_judged())] += 1;
    }
    let late = informers.told.iter().map(|told| told.lock().late_deletes);
    started.late_deletes = late.sum();
    started.problems.append(&mut informers.take_problems());
    let mut differ = ledger.differences(maps);
    let until = Instant::now() + ACTED;
    while !differ.is_empty() && Instant::now() < until {
        sleep(Duration::from_millis(100)).await;
        let now = ledger.differences(maps);
        differ.retain(|key, uids| now.get(key) == Some(uids));
    }
    for (key, uids) in differ {
        match uids {
            [Some(_), None] => {
                ledger.remove(&key);
                started.left_over.push(key);
            }
            [entry, stored] => {
                let status = handle.status();
                let problem = format!("ledger {entry:?}, store {stored:?}; {status:?}");
                started.problems.push(format!("{key}: {problem}"));
            }
        }
    }
    started.problems.append(&mut ledger.problems.lock());
}
