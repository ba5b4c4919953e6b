//! One world, from its seed to its end.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::{ListParams, Patch, PatchParams};
use kube_informer::error::Fault;
use kube_informer::informer::Audit;
use kube_informer::reflector::ListMode;
use kube_informer::testing::faults::{BodyPosition, InjectionHandle};
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer::{InformerSpec, SharedInformer, SharedInformerFactory, SourceError};
use parking_lot::Mutex;
use serde_json::json;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::{Instant, advance, sleep, timeout};

use super::handler::{Handler, Kind};
use super::object::{Thing, alive};
use super::seeds::in_simulated_time;
use super::tally::Tally;

/// The time limit, in simulated time, until everything is right: the longest silence that is
/// taken for a watch's, several times over.
const PATIENCE: Duration = Duration::from_secs(3 * 3600);

const NAMESPACES: [&str; 2] = ["one", "two"];

type Contents = BTreeMap<String, Thing>;

struct World {
    rng: Rng,
    server: ApiServer,
    /// Of the server, past the faults.
    client: kube::Client,
    faults: Faults,
    /// The features that the server lacks.
    shortcomings: Faults,
    factory: SharedInformerFactory,
    informers: Vec<Watched>,
    down: Option<InjectionHandle>,
    waits: Vec<JoinHandle<()>>,
    /// Objects that were reported as undecodable.
    poisoned: Arc<Mutex<BTreeSet<String>>>,
    errors: Arc<Mutex<Vec<SourceError>>>,
    tally: Tally,
}

/// An informer, and who listens to it.
pub(super) struct Watched {
    selects: Selects,
    pub(super) informer: SharedInformer<Thing>,
    pub(super) handlers: Vec<Handler>,
}

#[derive(Clone, Copy, Debug)]
enum Selects {
    All,
    Labelled,
    Namespaced,
}

impl Selects {
    fn has(self, thing: &Thing) -> bool {
        match self {
            Self::All => true,
            Self::Labelled => thing.app() == "a",
            Self::Namespaced => thing.metadata.namespace.as_deref() == Some(NAMESPACES[0]),
        }
    }
}

/// Plays a world to its end.
pub(crate) fn play(seed: u64) -> Tally {
    let before = alive();
    let tally = in_simulated_time(seed, async {
        let mut world = World::new(seed);
        world.live().await;
        world.come_right().await;
        let tally = world.end().await;
        // Dropped tasks end soon after, not at once.
        sleep(Duration::from_secs(1)).await;
        let left = Handle::current().metrics().num_alive_tasks();
        assert_eq!(left, 0, "tasks left behind");
        tally
    });
    assert_eq!(alive() - before, 0, "objects left behind");
    tally
}

/// A client of a server that speaks protobuf, or of one that does not.
fn spoken(client: kube::Client, protobuf: bool) -> kube::Client {
    if protobuf {
        return client;
    }
    let service = tower::service_fn(move |mut request: http::Request<kube::client::Body>| {
        let (client, json) = (client.clone(), http::HeaderValue::from_static("application/json"));
        request.headers_mut().insert(http::header::ACCEPT, json);
        async move { client.send(request).await }
    });
    kube::Client::new(service, "default")
}

/// Returns the permanent fault of a server that does not know streaming lists, or never ends one.
fn cannot_stream(rng: &mut Rng) -> Option<Injection> {
    match rng.u8(0..12) {
        0 => Some(Injection::status(422)),
        1 => Some(Injection::status(500)),
        2 => Some(Injection::hide_initial_events_end()),
        3 => Some(Injection::stall(BodyPosition::Event(1))),
        _ => None,
    }
}

/// Draws the form of lists.
fn drawn_mode(rng: &mut Rng) -> ListMode {
    rng.choice([ListMode::Auto, ListMode::Plain, ListMode::Streaming]).unwrap_or_default()
}

/// Checks an audit amid faults. A silent watch holds the store up, which an audit tells rightly.
fn check(audit: &Audit) {
    let Audit { missing, extra, older, indexes, handlers, .. } = audit;
    let differs = [missing, extra, older].iter().any(|keys| !keys.is_empty());
    assert!(!differs && indexes.is_empty() && handlers.is_empty(), "false alarm: {audit}");
}

impl World {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let server = ApiServer::builder()
            .history_limit(if rng.bool() { rng.usize(3..20) } else { 1_000 })
            .bookmark_interval(Duration::from_secs(rng.u64(5..61)))
            .watch_cache(rng.bool())
            .build();
        let faults = Faults::new();
        let (poisoned, errors) = (Arc::new(Mutex::default()), Arc::new(Mutex::new(Vec::new())));
        let (keys, log): (Arc<Mutex<BTreeSet<String>>>, _) = (poisoned.clone(), errors.clone());
        let plain = server.client();
        let shortcomings = Faults::new();
        if let Some(injection) = cannot_stream(&mut rng) {
            shortcomings.inject(Requests::streaming_lists(), injection);
        }
        let client = faults.client(shortcomings.client(spoken(plain.clone(), rng.bool())));
        let mut builder = SharedInformerFactory::builder(client)
            .list_mode(drawn_mode(&mut rng))
            .any_version(rng.bool())
            // The stored objects are compared with the server's, whole.
            .managed_fields(true)
            .on_error(move |error| {
                if let Fault::Undecodable { key: Some(key), .. } = error.fault() {
                    keys.lock().insert(key.to_string());
                }
                log.lock().push(error.clone());
            });
        if rng.bool() {
            builder = builder.page_size(rng.u32(1..6));
        }
        if rng.u8(0..4) == 0 {
            builder = builder.resync(Duration::from_secs(rng.u64(20..300)));
        }
        if rng.bool() {
            builder = builder.max_concurrent_lists(1);
        }
        let mut world = Self {
            server,
            client: plain,
            faults,
            shortcomings,
            factory: builder.build(),
            informers: Vec::new(),
            down: None,
            waits: Vec::new(),
            poisoned,
            errors,
            tally: Tally::default(),
            rng,
        };
        for selects in [Selects::All, Selects::Labelled, Selects::Namespaced] {
            let watched = world.ask(selects);
            world.informers.push(watched);
        }
        world
    }

    fn ask(&mut self, selects: Selects) -> Watched {
        let mut spec = InformerSpec::new();
        match selects {
            Selects::All => {}
            Selects::Labelled => spec = spec.labels("app=a"),
            Selects::Namespaced => spec = spec.namespace(NAMESPACES[0]),
        }
        if self.rng.u8(0..3) == 0 {
            spec = spec.list_mode(drawn_mode(&mut self.rng));
        }
        let informer = self.factory.informer_with(spec).expect("the one before was stopped");
        let handlers =
            (0..self.rng.usize(1..3)).map(|_| Handler::add(&informer, &mut self.rng)).collect();
        Watched { selects, informer, handlers }
    }

    /// Writes, faults, comings and goings.
    async fn live(&mut self) {
        for _ in 0..self.rng.u8(0..12) {
            self.write().await;
        }
        let seed = self.rng.u64(..);
        if self.rng.u8(0..8) > 0 {
            let rate = self.rng.f64() * 0.7;
            self.faults.inject_at_random(seed, rate, Injection::one_of_each(seed));
        }
        if self.rng.bool() {
            self.faults.remember_lists();
        }
        // Not by the factory, which starts them in no particular order.
        for watched in &self.informers {
            watched.informer.start().unwrap();
        }
        for _ in 0..self.rng.u8(8..32) {
            match self.rng.u8(0..100) {
                0..55 => {
                    for _ in 0..self.rng.u8(1..8) {
                        self.write().await;
                    }
                }
                55..62 => self.faults.cut_now(),
                62..65 => self.server.drop_connections(),
                65..70 => self.server.compact(),
                70..74 => {
                    if let Some(down) = self.down.take() {
                        down.remove();
                    } else {
                        self.down = Some(self.faults.inject(Requests::all(), Injection::refuse()));
                        self.faults.cut_now();
                    }
                }
                74..77 => self.faults.remember_lists(),
                77..83 => self.add_handler(),
                83..88 => self.remove_handler().await,
                88..91 => self.restart().await,
                91..96 => self.wait_somewhere(),
                _ => {
                    let jump = self.rng.u64(1..2_000);
                    advance(Duration::from_secs(jump)).await;
                }
            }
            let pause = match self.rng.u8(0..10) {
                0..5 => 0,
                5..8 => self.rng.u64(1..2_000),
                8 => self.rng.u64(2_000..60_000),
                _ => self.rng.u64(60_000..900_000),
            };
            sleep(Duration::from_millis(pause)).await;
        }
    }

    async fn write(&mut self) {
        self.tally.writes += 1;
        let rng = &mut self.rng;
        let namespace = NAMESPACES[rng.usize(0..2)];
        let name = format!("t{}", rng.u8(0..6));
        let app = ["a", "b"][rng.usize(0..2)];
        let thing = Thing::new(namespace, &name, app, rng.u64(0..1_000));
        // The kind of write depends on the objects that exist.
        match rng.u8(0..10) {
            0..3 => drop(self.server.create(&thing)),
            3..6 => drop(self.server.replace(&thing)),
            6..8 => drop(self.server.delete(&thing)),
            8 => {
                drop(self.server.delete(&thing));
                drop(self.server.create(&thing));
            }
            _ => {
                let pods: Api<Pod> = Api::namespaced(self.client.clone(), namespace);
                let status = json!({ "status": { "message": rng.u64(..).to_string() } });
                let params = PatchParams::default();
                let _ = pods.patch_status(&name, &params, &Patch::Merge(status)).await;
            }
        }
    }

    fn add_handler(&mut self) {
        let at = self.rng.usize(0..self.informers.len());
        let watched = &mut self.informers[at];
        watched.handlers.push(Handler::add(&watched.informer, &mut self.rng));
    }

    async fn remove_handler(&mut self) {
        let at = self.rng.usize(0..self.informers.len());
        let handlers = &mut self.informers[at].handlers;
        if !handlers.is_empty() {
            let handler = handlers.swap_remove(self.rng.usize(0..handlers.len()));
            self.tally.note(&handler);
            handler.remove().await;
        }
    }

    /// Stops an informer and requests it again.
    async fn restart(&mut self) {
        self.tally.restarts += 1;
        let at = self.rng.usize(0..self.informers.len());
        let old = self.informers.swap_remove(at);
        if self.rng.bool() {
            old.informer.shutdown_with_drain(Duration::from_secs(self.rng.u64(0..100))).await;
        } else {
            old.informer.shutdown().await;
        }
        self.tally.count(&old);
        for handler in old.handlers {
            handler.ended().await;
        }
        let new = self.ask(old.selects);
        new.informer.start().unwrap();
        self.informers.push(new);
    }

    /// Lets a task wait for what may take its time.
    fn wait_somewhere(&mut self) {
        let watched = &self.informers[self.rng.usize(0..self.informers.len())];
        let limit = Duration::from_secs(self.rng.u64(0..5_000));
        let informer = watched.informer.clone();
        if self.rng.u8(0..3) == 0 {
            self.tally.audits += 1;
            self.waits.push(tokio::spawn(async move { check(&informer.audit().await) }));
        } else if self.rng.bool() {
            self.waits.push(tokio::spawn(async move { drop(informer.wait_for_sync(limit).await) }));
        } else if let Some(Kind::Called(registration)) = watched.handlers.first().map(|h| &h.kind) {
            let registration = registration.clone();
            self.waits.push(tokio::spawn(async move {
                let _ = registration.wait_for_sync().await;
            }));
        }
    }

    /// The faults stop, and what could not be decoded is written once more. Then everything has to
    /// come right by itself.
    async fn come_right(&mut self) {
        self.faults.clear();
        let synced = self.factory.wait_for_sync(PATIENCE).await;
        assert!(synced.is_ok(), "{}", synced.unwrap_err());
        let begun = Instant::now();
        let mut held = self.held().await;
        loop {
            if self.heal() {
                held = self.held().await;
            }
            let Some(wrong) = self.wrong(&held) else { break };
            if begun.elapsed() > PATIENCE {
                let wrong = wrong();
                let errors = self.errors.lock();
                let last: Vec<String> =
                    errors.iter().rev().take(9).map(ToString::to_string).collect();
                panic!("does not come right: {wrong}; the last errors: {last:#?}");
            }
            sleep(Duration::from_secs(5)).await;
        }
        for wait in std::mem::take(&mut self.waits) {
            timeout(PATIENCE, wait).await.expect("a wait does not end").unwrap();
        }
        for Watched { informer, .. } in &self.informers {
            let audit = informer.audit().await;
            assert!(audit.passed() && audit.was_judged(), "{audit}");
        }
    }

    /// Writes the objects again that were reported as undecodable.
    fn heal(&mut self) -> bool {
        let poisoned = std::mem::take(&mut *self.poisoned.lock());
        for key in &poisoned {
            let Some((namespace, name)) = key.split_once('/') else { continue };
            let thing = Thing::new(namespace, name, "a", self.rng.u64(2_000..9_000));
            let _ = self.server.replace(&thing);
        }
        !poisoned.is_empty()
    }

    /// Returns the objects that the server holds.
    async fn held(&self) -> Contents {
        let things: Api<Thing> = Api::all(self.client.clone());
        let listed = things.list(&ListParams::default()).await.unwrap();
        listed.items.into_iter().map(|thing| (thing.key(), thing)).collect()
    }

    /// Returns a difference from the server, if any.
    fn wrong<'a>(&'a self, held: &'a Contents) -> Option<Box<dyn Fn() -> String + 'a>> {
        for watched in &self.informers {
            let wanted: Vec<_> =
                held.iter().filter(|(_, thing)| watched.selects.has(thing)).collect();
            let snapshot = watched.informer.snapshot();
            let mut stored: Vec<_> =
                snapshot.iter().map(|(key, thing)| (key.to_string(), thing)).collect();
            stored.sort_by(|(a, _), (b, _)| a.cmp(b));
            let same = stored.len() == wanted.len()
                && stored.iter().zip(&wanted).all(|((a, b), (c, d))| a == *c && **b == **d);
            if !same || snapshot.stale() > 0 {
                return Some(Box::new(move || {
                    let (selects, status) = (watched.selects, watched.informer.status());
                    let stored: Vec<_> = watched.informer.lister().all();
                    format!("{selects:?} holds {stored:#?}, the server {wanted:#?}: {status:#?}")
                }));
            }
            for handler in &watched.handlers {
                let told = handler.told.lock();
                assert!(told.nonsense.is_empty(), "{:#?}", told.nonsense);
                let same = told.contents.len() == stored.len()
                    && told.contents.iter().zip(&stored).all(|((a, b), (c, d))| a == c && b == d);
                if !same {
                    return Some(Box::new(move || {
                        format!("{:?} was told {:?}", watched.selects, handler.told.lock().contents)
                    }));
                }
                if let Kind::Called(registration) = &handler.kind
                    && !registration.has_synced()
                {
                    return Some(Box::new(move || format!("has not synced: {registration:?}")));
                }
            }
        }
        None
    }

    /// Stops everything.
    async fn end(mut self) -> Tally {
        self.factory.shutdown().await;
        let mut tally = std::mem::take(&mut self.tally);
        for watched in self.informers {
            tally.count(&watched);
            for handler in watched.handlers {
                handler.ended().await;
            }
        }
        tally.affected = self.faults.affected_requests();
        tally.unstreamed = self.shortcomings.affected_requests();
        for error in &*self.errors.lock() {
            *tally.errors.entry(error.class().name()).or_default() += 1;
        }
        tally
    }
}
