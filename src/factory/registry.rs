//! The informers that a factory holds, and the construction of new ones.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::{Client, Resource};
use tokio::sync::{Semaphore, watch};
use tokio_util::task::TaskTracker;

use super::InformerSpec;
use super::settings::Settings;
use crate::informer::{InformerOptions, InformerStatus, SharedInformer, StartError, Unsynced};
use crate::object::ShardSelector;
use crate::reflector::ReflectorOptions;
use crate::sync::Mutex;
use crate::transport::{ApiSource, DecodeThreads};

/// The shared state of all clones of a factory.
pub(super) struct Shared {
    pub(super) client: Client,
    /// The options of informers whose spec does not set them.
    pub(super) defaults: Settings,
    /// The namespace of informers whose spec has none.
    pub(super) namespace: Option<Arc<str>>,
    /// Query parameters of every list and watch.
    pub(super) params: Vec<(String, String)>,
    pub(super) permits: Arc<Semaphore>,
    pub(super) decode_threads: Arc<DecodeThreads>,
    pub(super) informers: Mutex<HashMap<Identity, Arc<dyn AnyInformer>>>,
    /// The tasks of stopped informers, until they have ended.
    pub(super) leaving: Mutex<Vec<TaskTracker>>,
    pub(super) ended: Mutex<Ended>,
}

/// The informers of a factory that was shut down, until an informer is requested again.
#[derive(Default)]
pub(super) struct Ended {
    /// Informers that are still shutting down.
    pub(super) ending: Vec<Arc<dyn AnyInformer>>,
    /// The last status of those that have ended. Their stores are freed.
    pub(super) last: Vec<InformerStatus>,
}

/// The identity of an informer. Two requests with equal identities share one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    pub(super) object: TypeId,
    /// Group, version, resource.
    pub(super) path: String,
    pub(super) namespace: Option<Arc<str>>,
    pub(super) labels: Option<String>,
    pub(super) fields: Option<String>,
    pub(super) shard: Option<ShardChannel>,
}

/// The channel of the shard that an informer follows. It equals only its own clones.
#[derive(Clone, Debug)]
pub(super) struct ShardChannel(pub(super) watch::Receiver<ShardSelector>);

impl PartialEq for ShardChannel {
    fn eq(&self, other: &Self) -> bool {
        self.0.same_channel(&other.0)
    }
}

impl Eq for ShardChannel {}

/// Hashes nothing: a channel has no identity but comparison.
impl Hash for ShardChannel {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// A request for an informer.
pub(super) struct Request<K, F> {
    /// Group, version, resource.
    pub(super) path: String,
    pub(super) spec: InformerSpec<K>,
    /// A function that makes the source of a new informer.
    pub(super) source: F,
}

impl Shared {
    /// Removes an informer that was stopped, but not a new one that replaced it.
    pub(super) fn remove_stopped(&self, identity: &Identity) {
        let mut informers = self.informers.lock();
        let stopped = informers.get(identity).is_some_and(|informer| informer.is_stopped());
        let left = if stopped { informers.remove(identity) } else { None };
        drop(informers);
        if let Some(left) = &left {
            let mut leaving = self.leaving.lock();
            leaving.retain(|tasks| !tasks.is_empty());
            leaving.push(left.tasks());
        }
    }

    /// Makes an informer. Options that the spec leaves unset get the factory's defaults.
    pub(super) fn make<K: Resource + Send + Sync + 'static>(
        &self,
        mut spec: InformerSpec<K>,
        mut source: ApiSource<K>,
    ) -> FactoryInformer<K> {
        if spec.settings.name.is_none() {
            spec.settings.name = spec.selecting_name(self.defaults.name.as_deref());
        }
        spec.settings = spec.settings.or(&self.defaults);
        let settings = &spec.settings;
        source = settings.source(source).decoded_by(self.decode_threads.clone());
        if let Some(namespace) = &spec.namespace {
            source = source.namespace(namespace.clone());
        }
        if let Some(labels) = &spec.labels {
            source = source.labels(labels);
        }
        if let Some(fields) = &spec.fields {
            source = source.fields(fields);
        }
        for (name, value) in &self.params {
            source = source.param(name, value);
        }
        if let Some(trust) = spec.trust_versions {
            source = source.trust_versions(trust);
        }
        spec.trust_versions = Some(source.trusts_versions());
        let storage = spec.storage.get_or_insert_default().clone();
        let mut reflector = ReflectorOptions::new().list_permits(self.permits.clone());
        reflector = settings.reflector(reflector);
        if let Some(ShardChannel(shard)) = spec.shard.clone() {
            reflector = reflector.shard(shard);
        }
        if let Some(transform) = spec.transform.clone() {
            reflector = reflector.transform(move |object| transform(object));
        }
        let mut options = InformerOptions::new().reflector(reflector).storage(storage);
        if let Some(name) = &settings.name {
            options = options.name(name.clone());
        }
        if let Some(period) = settings.resync {
            options = options.resync(period);
        }
        FactoryInformer { informer: SharedInformer::new(Arc::new(source), options), spec }
    }
}

/// Returns the informers of `more` that are not in `some`.
pub(super) fn missing(
    some: &[Arc<dyn AnyInformer>],
    more: &[Arc<dyn AnyInformer>],
) -> Vec<Arc<dyn AnyInformer>> {
    let missing = |one: &&Arc<dyn AnyInformer>| !some.iter().any(|other| Arc::ptr_eq(one, other));
    more.iter().filter(missing).cloned().collect()
}

/// An informer, and the options that it was made with.
pub(super) struct FactoryInformer<K> {
    pub(super) informer: SharedInformer<K>,
    /// The spec of the first caller, completed with the factory's defaults.
    pub(super) spec: InformerSpec<K>,
}

impl<K> Clone for FactoryInformer<K> {
    fn clone(&self) -> Self {
        Self { informer: self.informer.clone(), spec: self.spec.clone() }
    }
}

/// A [`FactoryInformer`] of any object type.
pub(super) trait AnyInformer: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn is_stopped(&self) -> bool;
    #[cfg(feature = "manager")]
    fn identity(&self) -> usize;
    fn start(&self) -> Result<(), StartError>;
    /// Waits for the sync. Returns the reasons if it does not come within `limit`.
    fn wait(&self, limit: Duration) -> BoxFuture<'_, Vec<Unsynced>>;
    fn status(&self) -> InformerStatus;
    fn shutdown(&self) -> BoxFuture<'_, ()>;
    fn drain(&self, limit: Duration) -> BoxFuture<'_, bool>;
    fn tasks(&self) -> TaskTracker;
}

impl<K: Resource + Send + Sync + 'static> AnyInformer for FactoryInformer<K> {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn is_stopped(&self) -> bool {
        self.informer.is_stopped()
    }

    #[cfg(feature = "manager")]
    fn identity(&self) -> usize {
        self.informer.identity()
    }

    fn start(&self) -> Result<(), StartError> {
        self.informer.ensure_started()
    }

    fn wait(&self, limit: Duration) -> BoxFuture<'_, Vec<Unsynced>> {
        let waited = self.informer.wait_for_sync(limit);
        waited.map(|synced| synced.err().map_or_else(Vec::new, |error| error.unsynced)).boxed()
    }

    fn status(&self) -> InformerStatus {
        self.informer.status()
    }

    fn shutdown(&self) -> BoxFuture<'_, ()> {
        self.informer.shutdown().boxed()
    }

    fn drain(&self, limit: Duration) -> BoxFuture<'_, bool> {
        self.informer.shutdown_with_drain(limit).boxed()
    }

    fn tasks(&self) -> TaskTracker {
        self.informer.tasks()
    }
}
