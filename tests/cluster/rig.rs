//! The clients and informers of a scenario.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::Deref;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::Request;
use kube::api::{Api, DeleteParams, ListParams, PostParams};
use kube::client::{Body, ClientBuilder};
use kube::{Client, Config, Resource, ResourceExt};
use kube_informer::factory::SharedInformerFactoryBuilder;
use kube_informer::{Event, SharedInformer, SharedInformerFactory};
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use tower::util::MapRequestLayer;

use super::backend::Backend;
use super::line::Line;
use super::widgets::{Widget, widget};

/// The time limit of every event that has to happen.
pub(crate) const SOON: Duration = Duration::from_secs(60);

/// A namespace of a server, for one scenario.
pub(crate) struct Rig {
    pub(crate) backend: Arc<Backend>,
    pub(crate) namespace: String,
}

impl Rig {
    pub(crate) async fn new(backend: Arc<Backend>) -> Self {
        let namespace = format!("scenario-{:08x}", fastrand::u32(..));
        backend.make_namespace(&namespace).await;
        Self { backend, namespace }
    }

    pub(crate) fn client(&self) -> Client {
        self.backend.client.clone()
    }

    pub(crate) fn widgets(&self) -> Api<Widget> {
        Api::namespaced(self.client(), &self.namespace)
    }

    /// Creates a widget.
    pub(crate) async fn make(&self, name: &str, color: &str) -> Widget {
        let made = self.widgets().create(&PostParams::default(), &widget(name, color)).await;
        made.expect("it is created")
    }

    /// Gives a widget another color, in its spec and as its label.
    pub(crate) async fn paint(&self, name: &str, color: &str) -> Widget {
        let mut painted = self.widgets().get(name).await.expect("it is there");
        painted.spec.color = color.into();
        painted.labels_mut().insert("color".into(), color.into());
        let painted = self.widgets().replace(name, &PostParams::default(), &painted).await;
        painted.expect("nobody else writes")
    }

    pub(crate) async fn delete(&self, name: &str) {
        self.widgets().delete(name, &DeleteParams::default()).await.expect("it is there");
    }

    /// A factory of informers of this namespace, and the errors that they meet.
    pub(crate) fn factory(&self) -> (SharedInformerFactory, Errors) {
        let (builder, errors) = self.factory_of(self.client());
        (builder.build(), errors)
    }

    pub(crate) fn factory_of(&self, client: Client) -> (SharedInformerFactoryBuilder, Errors) {
        let errors = Errors::default();
        let noted = errors.clone();
        let builder = SharedInformerFactory::builder(client)
            .namespace(&*self.namespace)
            .on_error(move |error| noted.0.lock().push(error.to_string()));
        (builder, errors)
    }

    /// A client whose watches last for so many seconds, whatever they ask for.
    pub(crate) fn client_of_short_watches(&self, seconds: u32) -> Client {
        let builder = ClientBuilder::try_from(self.backend.config.clone()).expect("a client");
        let shorten = move |mut request: Request<Body>| {
            let target = request.uri().to_string();
            if let Some(at) = target.find("timeoutSeconds=") {
                // It is the last parameter.
                let shorter = format!("{}timeoutSeconds={seconds}", &target[..at]);
                *request.uri_mut() = shorter.parse().expect("it is well-formed");
            }
            request
        };
        builder.with_layer(&MapRequestLayer::new(shorten)).build()
    }

    /// A line to the server that can be cut, and what leads through it.
    pub(crate) async fn line(&self) -> (Line, Config) {
        let mut config = self.backend.config.clone();
        let url = config.cluster_url.clone();
        let host = url.host().expect("a URL has a host").to_owned();
        let https = url.scheme_str() == Some("https");
        let port = url.port_u16().unwrap_or(if https { 443 } else { 80 });
        let line = Line::to(format!("{host}:{port}")).await;
        let scheme = if https { "https" } else { "http" };
        config.cluster_url = format!("{scheme}://{}", line.address()).parse().expect("a URL");
        config.tls_server_name.get_or_insert(host);
        (line, config)
    }
}

/// The errors that informers reported.
#[derive(Clone, Debug, Default)]
pub(crate) struct Errors(Arc<Mutex<Vec<String>>>);

impl Errors {
    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().clone()
    }

    pub(crate) fn assert_none(&self) {
        assert_eq!(self.all(), Vec::<String>::new(), "no errors");
    }
}

/// One thing a handler was told: in short, and of which version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Told {
    /// `added a`, `updated a`, `deleted a`, or `lost a` where the final state was not seen.
    pub(crate) what: String,
    pub(crate) version: String,
    pub(crate) uid: String,
}

/// Everything a handler was told.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<Told>>>);

impl Log {
    /// Notes what an informer tells from now on.
    pub(crate) fn of<K: Resource + Send + Sync + 'static>(informer: &SharedInformer<K>) -> Self {
        let log = Self::default();
        let noted = log.clone();
        let told = move |event: Event<K>| {
            let verb = match &event {
                Event::Added { .. } => "added",
                Event::Updated { .. } => "updated",
                Event::Deleted { final_state_known: true, .. } => "deleted",
                Event::Deleted { .. } => "lost",
                Event::MovedAway { .. } => "moved away",
            };
            let meta = event.object().meta();
            noted.0.lock().push(Told {
                what: format!("{verb} {}", meta.name.as_deref().unwrap_or_default()),
                version: meta.resource_version.clone().unwrap_or_default(),
                uid: meta.uid.clone().unwrap_or_default(),
            });
        };
        informer.on_event(told).expect("it runs");
        log
    }

    pub(crate) fn all(&self) -> Vec<Told> {
        self.0.lock().clone()
    }

    /// Returns a short form of all events.
    pub(crate) fn what(&self) -> Vec<String> {
        self.0.lock().iter().map(|told| told.what.clone()).collect()
    }

    /// Returns a short form of the events since the last call.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock()).into_iter().map(|told| told.what).collect()
    }

    /// Waits until so much was told.
    pub(crate) async fn reaches(&self, events: usize) {
        let start = Instant::now();
        while self.0.lock().len() < events {
            assert!(start.elapsed() < SOON, "{events} events wanted, told: {:?}", self.what());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// Names and versions.
pub(crate) type State = BTreeMap<String, String>;

pub(crate) fn state<K, O>(objects: impl Iterator<Item = O>) -> State
where
    K: Resource,
    O: Deref<Target = K>,
{
    let entry = |object: O| (object.name_any(), object.resource_version().unwrap_or_default());
    objects.map(entry).collect()
}

pub(crate) fn stored<K: Resource + Send + Sync + 'static>(informer: &SharedInformer<K>) -> State {
    state(informer.snapshot().iter().map(|(_, object)| object))
}

/// Returns the server's objects, by a consistent read.
pub(crate) async fn listed<K>(api: &Api<K>) -> State
where
    K: Resource + Clone + DeserializeOwned + Debug,
{
    state(api.list(&ListParams::default()).await.expect("it lists").items.iter())
}

/// Waits until the store has what the server has.
pub(crate) async fn converges<K>(informer: &SharedInformer<K>, api: &Api<K>)
where
    K: Resource + Clone + DeserializeOwned + Debug + Send + Sync + 'static,
{
    let start = Instant::now();
    loop {
        let (has, should_have) = (stored(informer), listed(api).await);
        if has == should_have {
            return;
        }
        assert!(start.elapsed() < SOON, "the store has {has:?}, the server {should_have:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Waits until something is so.
pub(crate) async fn eventually(what: &str, so: impl AsyncFn() -> bool) {
    let start = Instant::now();
    while !so().await {
        assert!(start.elapsed() < SOON, "it never came to pass that {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Returns whether the server answered with this status.
pub(crate) fn is(error: &kube::Error, code: u16) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == code)
}
