//! A world of namespaces, definitions and references that come and go.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use kube::api::{Api, DeleteParams, DynamicObject, ListParams, ObjectMeta, PostParams};
use kube::core::{ApiResource, PartialObjectMeta};
use kube::{Resource, ResourceExt};
use kube_informer::factory::{Kinds, Reference, Referenced, SelectedNamespaces};
use kube_informer::testing::faults::BodyPosition;
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer::{Event, InformerSpec, ObjectKey, SharedInformerFactory};
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};

use super::definitions::{definition_of, widgets};
use super::seeds::in_simulated_time;

type Metadata = PartialObjectMeta<DynamicObject>;

/// The time limit, in simulated time, until everything is right.
const PATIENCE: Duration = Duration::from_secs(3 * 3600);

const NAMESPACES: [&str; 3] = ["one", "two", "three"];
const PLURALS: [(&str, &str); 2] = [("widgets", "Widget"), ("gadgets", "Gadget")];

/// Objects by kind and key, each with its version.
type Contents = BTreeMap<String, String>;

/// The objects that a set's handler knows.
type Told = Arc<Mutex<Contents>>;

struct World {
    rng: Rng,
    server: ApiServer,
    faults: Faults,
    factory: SharedInformerFactory,
    tenants: SelectedNamespaces<ConfigMap>,
    kinds: Kinds<Metadata>,
    secrets: Referenced<Secret>,
    references: BTreeMap<ObjectKey, Vec<Reference>>,
    /// Told by tenants, kinds and secrets.
    told: [Told; 3],
    /// The number of changes that were tried.
    changes: usize,
}

/// Folds an event. An object that is added twice or removed unknown is a fault.
fn fold<K: Resource>(told: &Told, kind: &str, event: &Event<K>) {
    let object = event.object();
    let (key, version) = entry(kind, object.meta());
    let mut told = told.lock();
    match event {
        Event::Added { .. } => assert!(told.insert(key.clone(), version).is_none(), "{key} twice"),
        Event::Updated { .. } => assert!(told.insert(key.clone(), version).is_some(), "no {key}"),
        Event::Deleted { .. } | Event::MovedAway { .. } => {
            assert!(told.remove(&key).is_some(), "no {key}");
        }
    }
}

/// Plays a world to its end. Returns the number of changes.
pub(crate) fn play(seed: u64) -> usize {
    in_simulated_time(seed, async {
        let mut world = World::new(seed);
        world.live().await;
        world.come_right().await;
        let World { factory, tenants, kinds, secrets, references, changes, .. } = world;
        drop((tenants, kinds, secrets, references));
        sleep(Duration::from_secs(1)).await;
        assert!(factory.status().informers.is_empty(), "{:#?}", factory.status());
        factory.shutdown().await;
        drop(factory);
        sleep(Duration::from_secs(1)).await;
        assert_eq!(Handle::current().metrics().num_alive_tasks(), 0, "tasks left behind");
        changes
    })
}

fn metadata(namespace: Option<&str>, name: &str) -> ObjectMeta {
    let namespace = namespace.map(str::to_owned);
    ObjectMeta { namespace, name: Some(name.into()), ..ObjectMeta::default() }
}

fn namespace(name: &str, tenant: bool) -> Namespace {
    let mut metadata = metadata(None, name);
    metadata.labels = Some([("tenant".to_owned(), tenant.to_string())].into());
    Namespace { metadata, ..Namespace::default() }
}

fn resource((plural, kind): (&str, &str)) -> ApiResource {
    ApiResource { kind: kind.into(), plural: plural.into(), ..widgets("v1") }
}

impl World {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let server = ApiServer::builder()
            .history_limit(if rng.bool() { rng.usize(5..40) } else { 1_000 })
            .bookmark_interval(Duration::from_secs(rng.u64(5..61)))
            .build();
        let faults = Faults::new();
        let builder = SharedInformerFactory::builder(faults.client(server.client()));
        let factory = builder.on_error(|_| ()).max_concurrent_lists(rng.usize(1..9)).build();
        let spec = InformerSpec::<ConfigMap>::new();
        let tenants = factory.in_namespaces_where("tenant=true", spec).unwrap();
        let kinds = factory.kinds_metadata(|kind| kind.group == "example.com");
        let mut secrets = factory.referenced::<Secret>();
        if rng.bool() {
            secrets = secrets.by_namespace();
        }
        let told: [Told; 3] = std::array::from_fn(|_| Told::default());
        let [of_tenants, of_kinds, of_secrets] = told.clone();
        tenants.on_event(move |event| fold(&of_tenants, "ConfigMap", &event));
        kinds.on_event(move |kind, event| fold(&of_kinds, &kind.kind, &event));
        secrets.on_event(move |event| fold(&of_secrets, "Secret", &event));
        let (references, changes) = (BTreeMap::new(), 0);
        Self { rng, server, faults, factory, tenants, kinds, secrets, references, told, changes }
    }

    async fn live(&mut self) {
        for _ in 0..self.rng.u8(0..20) {
            self.change().await;
        }
        if self.rng.u8(0..6) > 0 {
            let (seed, rate) = (self.rng.u64(..), self.rng.f64() * 0.6);
            let injections = vec![
                Injection::refuse(),
                Injection::black_hole(),
                Injection::lose_answer(),
                Injection::status(500),
                Injection::status(403),
                Injection::throttle(None),
                Injection::delay(Duration::from_secs(3)),
                Injection::cut(BodyPosition::Byte(200)),
                Injection::truncate(BodyPosition::Byte(300)),
                Injection::stall(BodyPosition::Event(1)),
                Injection::drip(100, Duration::from_millis(50)),
                Injection::error_event(1, 410),
            ];
            self.faults.inject_at_random(seed, rate, injections);
        }
        self.tenants.start().unwrap();
        self.kinds.start().unwrap();
        self.secrets.start().unwrap();
        for _ in 0..self.rng.u8(10..40) {
            match self.rng.u8(0..20) {
                0 => self.faults.cut_now(),
                1 => self.server.compact(),
                2 => {
                    let down = self.faults.inject(Requests::all(), Injection::refuse());
                    self.faults.cut_now();
                    sleep(Duration::from_secs(self.rng.u64(1..100))).await;
                    down.remove();
                }
                _ => {
                    for _ in 0..self.rng.u8(1..6) {
                        self.change().await;
                    }
                }
            }
            let pause = match self.rng.u8(0..6) {
                0..3 => 0,
                3 | 4 => self.rng.u64(1..3_000),
                _ => self.rng.u64(3_000..200_000),
            };
            sleep(Duration::from_millis(pause)).await;
        }
    }

    /// Changes something. Whether it takes effect depends on what exists.
    async fn change(&mut self) {
        self.changes += 1;
        let rng = &mut self.rng;
        let server = &self.server;
        let at = NAMESPACES[rng.usize(0..NAMESPACES.len())];
        let name = format!("o{}", rng.u8(0..4));
        match rng.u8(0..12) {
            0 => drop(server.create(&namespace(at, rng.bool()))),
            1 => drop(server.replace(&namespace(at, rng.bool()))),
            2 => drop(server.delete(&namespace(at, true))),
            3 | 4 => {
                let mut map =
                    ConfigMap { metadata: metadata(Some(at), &name), ..ConfigMap::default() };
                map.data = Some([("value".to_owned(), rng.u64(..).to_string())].into());
                match rng.u8(0..3) {
                    0 => drop(server.create(&map)),
                    1 => drop(server.replace(&map)),
                    _ => drop(server.delete(&map)),
                }
            }
            5 | 6 => {
                let mut secret =
                    Secret { metadata: metadata(Some(at), &name), ..Secret::default() };
                secret.type_ = Some("Opaque".into());
                secret.metadata.labels = Some([("n".to_owned(), rng.u16(..).to_string())].into());
                match rng.u8(0..3) {
                    0 => drop(server.create(&secret)),
                    1 => drop(server.replace(&secret)),
                    _ => drop(server.delete(&secret)),
                }
            }
            7 => {
                let key = ObjectKey::namespaced(at, &name).unwrap();
                let guard = self.secrets.reference(key.clone());
                self.references.entry(key).or_default().push(guard);
            }
            8 => {
                let keys: Vec<_> = self.references.keys().cloned().collect();
                if let Some(key) = rng.choice(keys) {
                    self.references.remove(&key);
                }
            }
            9 => {
                let (plural, kind) = PLURALS[rng.usize(0..2)];
                let property = ["size", "color"][rng.usize(0..2)];
                let definition = definition_of(plural, kind, &[("v1", true)], property);
                let exists = server.create(&definition).is_err();
                if exists && rng.bool() {
                    drop(server.delete(&definition));
                }
            }
            _ => {
                let resource = resource(PLURALS[rng.usize(0..2)]);
                let api: Api<DynamicObject> = Api::namespaced_with(server.client(), at, &resource);
                let object = DynamicObject::new(&name, &resource);
                if rng.u8(0..3) > 0 {
                    drop(api.create(&PostParams::default(), &object).await);
                } else {
                    drop(api.delete(&name, &DeleteParams::default()).await);
                }
            }
        }
    }

    /// The faults stop. Then everything has to come right by itself.
    async fn come_right(&mut self) {
        self.faults.clear();
        let wanted = [self.of_tenants(), self.of_kinds().await, self.of_secrets()];
        let begun = Instant::now();
        loop {
            let told = self.told.each_ref().map(|told| told.lock().clone());
            let members = self.tenants.group().informers().len();
            let referenced: BTreeSet<_> = self.secrets.keys().into_iter().collect();
            if told == wanted
                && members == self.selected().len()
                && referenced.iter().eq(self.references.keys())
            {
                return;
            }
            let status = || self.factory.status();
            assert!(
                begun.elapsed() < PATIENCE,
                "does not come right: told {told:#?}, wanted {wanted:#?}, {members} namespaces of \
                 {:?}, tasks {}, {:#?}",
                self.selected(),
                Handle::current().metrics().num_alive_tasks(),
                status(),
            );
            sleep(Duration::from_secs(5)).await;
        }
    }

    /// Returns the namespaces that are selected.
    fn selected(&self) -> BTreeSet<String> {
        let all: Vec<Namespace> = self.server.list().unwrap();
        let selected = |one: &Namespace| one.labels().get("tenant").is_some_and(|is| is == "true");
        all.iter().filter(|one| selected(one)).map(ResourceExt::name_any).collect()
    }

    fn of_tenants(&self) -> Contents {
        let selected = self.selected();
        let maps: Vec<ConfigMap> = self.server.list().unwrap();
        let held = maps.iter().filter(|map| selected.contains(&map.namespace().unwrap()));
        held.map(|map| entry("ConfigMap", map.meta())).collect()
    }

    async fn of_kinds(&self) -> Contents {
        let mut held = Contents::new();
        for (plural, kind) in PLURALS {
            let resource = resource((plural, kind));
            let api: Api<DynamicObject> = Api::all_with(self.server.client(), &resource);
            let Ok(listed) = api.list(&ListParams::default()).await else { continue };
            held.extend(listed.items.iter().map(|object| entry(kind, object.meta())));
        }
        held
    }

    fn of_secrets(&self) -> Contents {
        let secrets: Vec<Secret> = self.server.list().unwrap();
        let named = |one: &&Secret| self.references.contains_key(&ObjectKey::of(*one).unwrap());
        secrets.iter().filter(named).map(|one| entry("Secret", one.meta())).collect()
    }
}

fn entry(kind: &str, metadata: &ObjectMeta) -> (String, String) {
    let key =
        ObjectKey::from_parts(metadata.namespace.as_deref(), metadata.name.as_deref().unwrap());
    (format!("{kind} {}", key.unwrap()), metadata.resource_version.clone().unwrap_or_default())
}
