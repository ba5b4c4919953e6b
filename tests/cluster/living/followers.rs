//! The informers of a living world, in all forms, and what is measured of each.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures::future::{BoxFuture, FutureExt, join_all};
use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, ReplicaSet};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Event, Namespace, Node, Pod};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, ApiResource, DynamicObject, ListParams, ObjectMeta};
use kube::core::PartialObjectMeta;
use kube::{Client, Resource, ResourceExt};
use kube_informer::factory::SharedInformerFactoryBuilder;
use kube_informer::informer::{Audit, InformerOptions};
use kube_informer::object::{ShardKey, ShardSelector};
use kube_informer::reflector::ListMode;
use kube_informer::transport::ApiSource;
use kube_informer::{InformerSpec, SharedInformer, SharedInformerFactory, Storage};
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::watch;

use super::super::widgets::{Gauge, Widget};
use super::work::parts;

/// The time in which stores have to become equal to a server at rest.
pub(super) const REST: Duration = Duration::from_secs(90);

/// The form that shares the watch of another follower.
pub(super) const VIEW: &str = "view";

/// The number of objects that are read at a time.
const READ: usize = 20;

/// Objects by key, without what an informer leaves out.
type State = BTreeMap<String, Value>;

/// Reads what the server has.
type Served = Box<dyn Fn() -> BoxFuture<'static, kube::Result<State>> + Send + Sync>;

/// An informer, and what was seen of it.
pub(super) struct Follower {
    pub(super) form: &'static str,
    pub(super) informer: SharedInformer,
    pub(super) events: Arc<AtomicU64>,
    pub(super) audits: Mutex<Vec<Audit>>,
    pub(super) ages: Mutex<Vec<Duration>>,
    read: Box<dyn Fn() + Send + Sync>,
    held: Box<dyn Fn() -> State + Send + Sync>,
    served: Served,
}

/// The part of a pod that a view reads.
#[derive(Clone, Debug, Deserialize, Serialize, Resource)]
#[resource(inherit = Pod)]
struct PlacedPod {
    metadata: ObjectMeta,
    spec: Place,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Place {
    #[serde(skip_serializing_if = "Option::is_none")]
    node_name: Option<String>,
}

/// Returns an object's key and contents, without its kind, which a server's list leaves out.
fn entry<K: Resource + Serialize>(object: &K) -> (String, Value) {
    let mut contents = serde_json::to_value(object).expect("it is serialised");
    let fields = contents.as_object_mut().expect("an object");
    fields.remove("apiVersion");
    fields.remove("kind");
    fields["metadata"].as_object_mut().expect("it has metadata").remove("managedFields");
    (format!("{}/{}", object.namespace().unwrap_or_default(), object.name_any()), contents)
}

impl Follower {
    fn new<K>(form: &'static str, informer: SharedInformer<K>, api: Api<K>) -> Self
    where
        K: Resource + Clone + Debug + Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        Self::of(form, informer, api, |_| true)
    }

    /// Creates the follower of those objects that are selected.
    pub(super) fn of<K>(
        form: &'static str,
        informer: SharedInformer<K>,
        api: Api<K>,
        selects: impl Fn(&ObjectMeta) -> bool + Clone + Send + Sync + 'static,
    ) -> Self
    where
        K: Resource + Clone + Debug + Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let events = Arc::new(AtomicU64::new(0));
        let counted = events.clone();
        informer
            .on_cached_event(move |_, _| {
                counted.fetch_add(1, Ordering::Relaxed);
            })
            .expect("it runs");
        informer.start().expect("it starts");
        let reader = informer.clone();
        let read = move || reader.snapshot().iter().take(READ).for_each(drop);
        let reader = informer.clone();
        let held = move || reader.snapshot().iter().map(|(_, object)| entry(&*object)).collect();
        let served = move || {
            let (api, selects) = (api.clone(), selects.clone());
            async move {
                let listed = match api.list(&ListParams::default()).await {
                    Ok(listed) => listed.items,
                    // The kind is not served, so there is none.
                    Err(kube::Error::Api(status)) if status.code == 404 => Vec::new(),
                    Err(error) => return Err(error),
                };
                let selected = listed.iter().filter(|object| selects(object.meta()));
                Ok(selected.map(entry).collect())
            }
            .boxed()
        };
        Self {
            form,
            informer: informer.cast(),
            events,
            audits: Mutex::default(),
            ages: Mutex::default(),
            read: Box::new(read),
            held: Box::new(held),
            served: Box::new(served),
        }
    }

    /// Audits for ever.
    pub(super) async fn keep_auditing(&self, pause: Duration) {
        loop {
            tokio::time::sleep(pause.mul_f64(0.5 + fastrand::f64())).await;
            self.audit().await;
        }
    }

    /// Audits once. An audit that is dropped before its end does not count.
    async fn audit(&self) {
        let audit = self.informer.audit().await;
        self.audits.lock().push(audit);
    }

    /// Notes the age of the store, and reads some objects, so that packed ones are held decoded.
    pub(super) fn look(&self) {
        self.ages.lock().extend(self.informer.freshness());
        (self.read)();
    }

    /// Waits until the store is equal to the server, object by object. Returns the first
    /// differences if it is not in time.
    pub(super) async fn agrees(&self, patience: Duration) -> Result<usize, String> {
        let begun = Instant::now();
        loop {
            let problem = match (self.served)().await {
                Ok(served) => match compare(&(self.held)(), &served) {
                    ControlFlow::Continue(objects) => return Ok(objects),
                    ControlFlow::Break(differences) => differences,
                },
                Err(error) => error.to_string(),
            };
            if begun.elapsed() >= patience {
                let status = self.informer.status().reflector;
                let name = self.informer.collection();
                return Err(format!("{} {name}: {problem}; {status:?}", self.form));
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }
}

fn compare(held: &State, served: &State) -> ControlFlow<String, usize> {
    let keys = held.keys().chain(served.keys());
    let differ = keys.filter(|key| held.get(*key) != served.get(*key)).take(2);
    let told: Vec<_> = differ
        .map(|key| format!("{key}: held {:?}, served {:?}", held.get(key), served.get(key)))
        .collect();
    if told.is_empty() {
        ControlFlow::Continue(held.len())
    } else {
        ControlFlow::Break(told.join("; "))
    }
}

/// All informers, and the factories that keep them.
pub(super) struct Followers {
    pub(super) all: Vec<Arc<Follower>>,
    shards: [watch::Sender<ShardSelector>; 2],
    factories: Vec<SharedInformerFactory>,
}

impl Followers {
    /// Starts informers in all forms. Each request is made by `client`.
    pub(super) fn start(client: &Client) -> Self {
        let builder = |name: &str| {
            SharedInformerFactory::builder(client.clone())
                .name(name)
                // The threads of this runtime decode, so that their time is all there is.
                .decode_threads(std::num::NonZeroUsize::MIN)
        };
        let mut made = Maker { client, all: Vec::new(), factories: Vec::new() };

        let packed = made.factory(builder("packed"));
        let pods = packed.informer::<Pod>();
        made.of::<Pod>("packed", &packed);
        made.of::<Node>("packed", &packed);
        made.of::<Deployment>("packed", &packed);
        made.of::<ReplicaSet>("packed", &packed);
        made.of::<DaemonSet>("packed", &packed);
        made.of::<Job>("packed", &packed);
        made.of::<ConfigMap>("packed", &packed);
        made.of::<Namespace>("packed", &packed);
        made.of::<Event>("packed", &packed);
        made.of::<Lease>("packed", &packed);
        made.of::<EndpointSlice>("packed", &packed);
        made.of::<CustomResourceDefinition>("packed", &packed);
        made.of::<Widget>("packed", &packed);
        made.of::<Gauge>("packed", &packed);

        let view = pods.view::<PlacedPod>().expect("pods are packed");
        made.add(VIEW, view);
        let view = pods.view::<PartialObjectMeta<Pod>>().expect("pods are packed");
        made.add(VIEW, view);

        let decoded = made.factory(builder("decoded").list_mode(ListMode::Streaming));
        made.decoded::<Pod>(&decoded);
        made.decoded::<Node>(&decoded);
        made.decoded::<ReplicaSet>(&decoded);
        made.decoded::<Job>(&decoded);
        made.decoded::<Lease>(&decoded);
        made.decoded::<Widget>(&decoded);

        made.compact::<Pod>();
        made.compact::<Deployment>();
        made.compact::<Event>();
        made.compact::<ConfigMap>();

        let gzip =
            made.factory(builder("gzip").gzip(true).list_mode(ListMode::Plain).page_size(50));
        made.of::<Pod>("gzip, pages", &gzip);
        made.of::<Job>("gzip, pages", &gzip);
        made.of::<Namespace>("gzip, pages", &gzip);
        made.of::<EndpointSlice>("gzip, pages", &gzip);

        let metadata = made.factory(builder("metadata").list_mode(ListMode::Streaming));
        made.of::<PartialObjectMeta<Pod>>("metadata", &metadata);
        made.of::<PartialObjectMeta<ReplicaSet>>("metadata", &metadata);
        made.of::<PartialObjectMeta<ConfigMap>>("metadata", &metadata);
        made.of::<PartialObjectMeta<Event>>("metadata", &metadata);
        made.of::<PartialObjectMeta<Widget>>("metadata", &metadata);

        let dynamic = made.factory(builder("dynamic").gzip(true).list_mode(ListMode::Streaming));
        made.dynamic(&dynamic, &ApiResource::erase::<Pod>(&()), InformerSpec::new());
        made.dynamic(&dynamic, &ApiResource::erase::<Job>(&()), InformerSpec::new());
        made.dynamic(&dynamic, &ApiResource::erase::<Widget>(&()), InformerSpec::new());
        made.dynamic(&dynamic, &parts(), InformerSpec::new().when_served());

        let sharded = made.factory(builder("sharded"));
        let shards = halves(u64::MAX / 2).map(|half| {
            let sender = watch::Sender::new(half);
            let spec = InformerSpec::<Pod>::new().shard(sender.subscribe());
            let informer = sharded.informer_with(spec).expect("a new channel");
            let selector = sender.subscribe();
            let selects = move |meta: &ObjectMeta| selector.borrow().selects(meta);
            let api = Api::all(client.clone());
            made.all.push(Arc::new(Follower::of("sharded", informer, api, selects)));
            sender
        });
        Self { all: made.all, shards, factories: made.factories }
    }

    /// Waits until all that is served has synced.
    pub(super) async fn synced(&self) {
        for factory in &self.factories {
            factory.wait_for_sync(Duration::from_secs(60)).await.expect("it syncs");
        }
    }

    /// Moves the border between the two replicas. For a moment both have what moves.
    pub(super) async fn move_border(&self, border: u64) {
        let [first, second] = halves(border);
        let (gains, loses) =
            if border > self.shards[0].borrow().ranges().last().map_or(0, |r| *r.end()) {
                ((0, first), (1, second))
            } else {
                ((1, second), (0, first))
            };
        self.shards[gains.0].send_replace(gains.1);
        tokio::time::sleep(Duration::from_secs(2)).await;
        self.shards[loses.0].send_replace(loses.1);
    }

    /// Audits each store once.
    pub(super) async fn audit(&self) {
        join_all(self.all.iter().map(|follower| follower.audit())).await;
    }

    /// Returns the number of objects that were compared, or all differences.
    pub(super) async fn agree(&self, patience: Duration) -> Result<usize, Vec<String>> {
        let answers = join_all(self.all.iter().map(|follower| follower.agrees(patience))).await;
        let differences: Vec<_> = answers.iter().filter_map(|a| a.clone().err()).collect();
        let objects = answers.into_iter().flatten().sum();
        if differences.is_empty() { Ok(objects) } else { Err(differences) }
    }

    /// Returns what the comparison at rest and the audits found, and each form of which no audit
    /// could judge.
    pub(super) fn problems(&self, agreed: &Result<usize, Vec<String>>) -> Vec<String> {
        let mut problems = agreed.as_ref().err().cloned().unwrap_or_default();
        let mut unjudged: BTreeSet<_> = self.all.iter().map(|follower| follower.form).collect();
        for follower in &self.all {
            for audit in &*follower.audits.lock() {
                if audit.was_judged() {
                    unjudged.remove(follower.form);
                }
                if !audit.passed() {
                    problems.push(format!("{} audit: {audit}", follower.form));
                }
            }
        }
        problems.extend(unjudged.into_iter().map(|form| format!("{form}: no audit could judge")));
        problems
    }

    pub(super) async fn stop(&self) {
        for factory in &self.factories {
            factory.shutdown().await;
        }
        for follower in &self.all {
            follower.informer.shutdown().await;
        }
    }
}

/// Returns the places up to a border, and those above.
fn halves(border: u64) -> [ShardSelector; 2] {
    let select = |range| ShardSelector::new(ShardKey::Uid, [range]);
    [select(0..=border), select(border + 1..=u64::MAX)]
}

/// Makes followers.
struct Maker<'a> {
    client: &'a Client,
    all: Vec<Arc<Follower>>,
    factories: Vec<SharedInformerFactory>,
}

impl Maker<'_> {
    fn factory(&mut self, builder: SharedInformerFactoryBuilder) -> SharedInformerFactory {
        let factory = builder.build();
        self.factories.push(factory.clone());
        factory
    }

    fn add<K>(&mut self, form: &'static str, informer: SharedInformer<K>)
    where
        K: Resource<DynamicType = ()> + Clone + Debug + Serialize + DeserializeOwned,
        K: Send + Sync + 'static,
    {
        let api = Api::all(self.client.clone());
        self.all.push(Arc::new(Follower::new(form, informer, api)));
    }

    fn of<K>(&mut self, form: &'static str, factory: &SharedInformerFactory)
    where
        K: Resource<DynamicType = ()> + Clone + Debug + Serialize + DeserializeOwned,
        K: Send + Sync + 'static,
    {
        self.add(form, factory.informer::<K>());
    }

    fn decoded<K>(&mut self, factory: &SharedInformerFactory)
    where
        K: Resource<DynamicType = ()> + Clone + Debug + Serialize + DeserializeOwned,
        K: Send + Sync + 'static,
    {
        let spec = InformerSpec::<K>::new().storage(Storage::decoded());
        self.add("decoded, streamed", factory.informer_with(spec).expect("a new informer"));
    }

    /// Follows without a factory, and takes JSON.
    fn compact<K>(&mut self)
    where
        K: Resource<DynamicType = ()> + Clone + Debug + Serialize + DeserializeOwned,
        K: Send + Sync + 'static,
    {
        let source = ApiSource::<K>::new(self.client.clone()).json_only();
        let options = InformerOptions::new().name("compact").storage(Storage::compact());
        self.add("compact, JSON", SharedInformer::new(Arc::new(source), options));
    }

    fn dynamic(
        &mut self,
        factory: &SharedInformerFactory,
        resource: &ApiResource,
        spec: InformerSpec<DynamicObject>,
    ) {
        let informer = factory.dynamic_with(resource, spec).expect("a new informer");
        let api = Api::all_with(self.client.clone(), resource);
        self.all.push(Arc::new(Follower::new("dynamic, gzip", informer, api)));
    }
}
