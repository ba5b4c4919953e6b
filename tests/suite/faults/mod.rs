//! Each fault, alone: the informer comes right again, and says what was wrong. In JSON, and
//! in protobuf where this is the module `faults_protobuf`.

mod broken;
mod clock;
mod events;
mod history;
mod objects;
mod silent;
mod statuses;
mod types;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::ListParams;
use kube_informer::error::FaultClass;
use kube_informer::reflector::{RelistCause, Relists};
use kube_informer::testing::api_server::ApiServerBuilder;
use kube_informer::testing::faults::InjectionHandle;
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer::{Event, InformerSpec, SharedInformer, SharedInformerFactory, SourceError};
use parking_lot::Mutex;
use tokio::time::{Instant, sleep};

use crate::helpers::{is_question, list_mode, map};

/// These tests are run twice, each time by another name: in JSON, and in protobuf.
const PROTOBUF: bool = matches!(module_path!().as_bytes(), b"suite::faults_protobuf");

/// A client that asks for nothing but JSON where that is what is tested.
fn spoken(client: kube::Client) -> kube::Client {
    if PROTOBUF {
        return client;
    }
    let service = tower::service_fn(move |mut request: http::Request<kube::client::Body>| {
        let (client, json) = (client.clone(), http::HeaderValue::from_static("application/json"));
        request.headers_mut().insert(http::header::ACCEPT, json);
        async move { client.send(request).await }
    });
    kube::Client::new(service, "default")
}

/// The way in which an informer gets its first state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    List,
    Pages,
    Stream,
}

const WAYS: [Way; 3] = [Way::List, Way::Pages, Way::Stream];

type Contents = BTreeMap<String, ConfigMap>;

/// An informer of twelve config maps behind faults.
struct Rig {
    server: ApiServer,
    faults: Faults,
    factory: SharedInformerFactory,
    maps: SharedInformer<ConfigMap>,
    errors: Arc<Mutex<Vec<SourceError>>>,
    /// The events of a handler, folded.
    told: Arc<Mutex<Contents>>,
}

fn name(map: &ConfigMap) -> String {
    map.metadata.name.clone().unwrap_or_default()
}

fn fold(contents: &mut Contents, event: Event<ConfigMap>) {
    match event {
        Event::Added { object, .. } => {
            assert!(contents.insert(name(&object), (*object).clone()).is_none(), "added twice");
        }
        Event::Updated { old, new } => {
            assert_eq!(contents.insert(name(&new), (*new).clone()).as_ref(), Some(&*old));
        }
        Event::Deleted { object, .. } | Event::MovedAway { object } => {
            assert!(contents.remove(&name(&object)).is_some(), "deleted, and was not there");
        }
    }
}

impl Rig {
    fn new(way: Way) -> Self {
        Self::with(way, ApiServer::builder().watch_cache(way != Way::Pages))
    }

    fn with(way: Way, server: ApiServerBuilder) -> Self {
        let (server, faults) = (server.build(), Faults::new());
        let client = faults.client(server.client());
        Self::behind(way, server, faults, client)
    }

    /// An informer that asks `client`, which asks `server` through `faults`.
    fn behind(way: Way, server: ApiServer, faults: Faults, client: kube::Client) -> Self {
        for n in 0..12 {
            server.create(&map(&format!("map-{n}"), "first")).unwrap();
        }
        let errors = Arc::new(Mutex::new(Vec::new()));
        let log = errors.clone();
        let mut builder = SharedInformerFactory::builder(spoken(client))
            .list_mode(list_mode(way == Way::Stream))
            .on_error(move |error| log.lock().push(error.clone()));
        if way == Way::Pages {
            builder = builder.page_size(5);
        }
        let factory = builder.build();
        let maps = factory.informer::<ConfigMap>();
        let told = Arc::new(Mutex::new(Contents::new()));
        let folded = told.clone();
        maps.on_event(move |event| fold(&mut folded.lock(), event)).unwrap();
        Self { server, faults, factory, maps, errors, told }
    }

    /// An informer that has synced before anything breaks.
    async fn synced(way: Way) -> Self {
        let rig = Self::new(way);
        rig.start().await;
        rig
    }

    async fn start(&self) {
        self.factory.start().unwrap();
        self.factory.wait_for_sync(Duration::from_secs(30)).await.unwrap();
    }

    fn inject(&self, requests: Requests, injection: Injection) -> InjectionHandle {
        self.faults.inject(requests, injection)
    }

    /// A create, an update and a delete, told by `word`.
    fn change(&self, word: &str) {
        self.server.create(&map(&format!("new-{word}"), word)).unwrap();
        self.server.replace(&map("map-1", word)).unwrap();
        let _ = self.server.delete(&map("map-2", ""));
        let _ = self.server.create(&map("map-2", word));
        let _ = self
            .server
            .delete(&map(if word.len().is_multiple_of(2) { "map-3" } else { "map-4" }, ""));
    }

    /// Changes that happen while nobody watches, and that no watch can tell any more.
    fn lose_history(&self) {
        self.faults.cut_now();
        self.change("lost");
        self.server.compact();
        let _ = self.server.delete(&map("new-lost", ""));
    }

    /// Returns the objects that the server holds.
    async fn held(&self) -> Contents {
        let maps: Api<ConfigMap> = Api::all(self.server.client());
        let listed = maps.list(&ListParams::default()).await.unwrap();
        listed.items.into_iter().map(|map| (name(&map), map)).collect()
    }

    fn stored(&self) -> Contents {
        let snapshot = self.maps.snapshot();
        snapshot.iter().map(|(_, map)| (name(&map), (*map).clone())).collect()
    }

    /// Waits until the store and what the handler was told are what the server holds, for an hour
    /// at the most.
    async fn comes_right(&self) {
        let begun = Instant::now();
        let held = self.held().await;
        while self.stored() != held || *self.told.lock() != held {
            assert!(
                begun.elapsed() < Duration::from_secs(3600),
                "it does not come right: {:#?}\n{:#?}\n{:#?}",
                self.maps.status(),
                self.texts(),
                held.iter()
                    .filter(|(name, map)| self.stored().get(*name) != Some(map))
                    .map(|(name, map)| (map.clone(), self.stored().remove(name)))
                    .collect::<Vec<_>>(),
            );
            sleep(Duration::from_millis(500)).await;
        }
        assert!(self.maps.has_synced());
    }

    fn texts(&self) -> Vec<String> {
        self.errors.lock().iter().map(ToString::to_string).collect()
    }

    fn classes(&self) -> Vec<FaultClass> {
        self.errors.lock().iter().map(SourceError::class).collect()
    }

    /// Asserts that an error of this class, status and text was reported.
    #[track_caller]
    fn reported(&self, class: FaultClass, code: Option<u16>, text: &str) {
        let errors = self.errors.lock();
        let found = errors.iter().any(|error| {
            error.class() == class && error.code() == code && error.to_string().contains(text)
        });
        assert!(found, "no {class:?} {code:?} {text:?} among {errors:#?}");
        let status = self.maps.status().reflector;
        assert_eq!(status.errors, errors.len() as u64);
        assert!(status.last_error.is_some());
    }

    fn relists(&self) -> Relists {
        self.maps.status().reflector.relists
    }

    #[track_caller]
    fn relisted(&self, cause: RelistCause, times: u64) {
        let relists = self.relists();
        assert_eq!((relists.of(cause), relists.total()), (times, times), "{relists:?}");
    }

    /// Returns the number of lists or watches that reached the server. A probe of its version is
    /// neither.
    fn asked(&self, watch: bool) -> usize {
        let requests = self.server.requests();
        let informers = requests.iter().filter_map(|request| {
            let parameters = request.target.strip_prefix("/api/v1/configmaps?")?;
            // Requests of the test itself have no parameters.
            let counts = !parameters.is_empty() && !is_question(parameters);
            counts.then_some(request.watch)
        });
        informers.filter(|watches| *watches == watch).count()
    }

    async fn stop(self) {
        self.factory.shutdown().await;
    }
}

/// An informer whose first state meets an injection, once, comes right all the same.
async fn first_state_through(way: Way, requests: Requests, injection: Injection) -> Rig {
    let rig = Rig::new(way);
    let injected = rig.inject(requests.times(1), injection);
    rig.factory.start().unwrap();
    sleep(Duration::from_millis(10)).await;
    rig.change("meanwhile");
    rig.factory.wait_for_sync(Duration::from_secs(600)).await.unwrap();
    rig.comes_right().await;
    assert_eq!(injected.count(), 1, "the injection was applied");
    rig.change("afterwards");
    rig.comes_right().await;
    rig
}

/// A watch that meets an injection, once, comes right all the same. The affected watch is the next
/// one.
async fn watch_through(way: Way, injection: Injection) -> Rig {
    let rig = Rig::synced(way).await;
    let injected = rig.inject(Requests::watches().times(1), injection);
    rig.faults.cut_now();
    rig.change("cut");
    sleep(Duration::from_secs(2)).await;
    rig.change("meanwhile");
    sleep(Duration::from_secs(2)).await;
    rig.change("late");
    rig.comes_right().await;
    assert_eq!(injected.count(), 1, "the injection was applied");
    rig.change("afterwards");
    rig.comes_right().await;
    rig
}
