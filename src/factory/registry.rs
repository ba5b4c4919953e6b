//! The informers that a factory holds, and the construction of new ones.

use std::any::TypeId;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Weak};
use std::time::Duration;

use kube::Client;
use kube::core::ApiResource;
use tokio::sync::{Semaphore, watch};
use tokio_util::task::TaskTracker;

use super::interest::Holders;
use super::settings::Settings;
use super::shutdown::SetTasks;
use super::{FactoryNeed, Hold, InformerSpec};
use crate::informer::{InformerOptions, InformerStatus, SharedInformer};
use crate::lister_watcher::ListerWatcher;
use crate::object::ShardSelector;
use crate::reflector::{ReflectorOptions, Serving};
use crate::sync::Mutex;
use crate::transport::{ApiSource, DecodeThreads};
use crate::warm::{ClusterStore, Kept, WarmSource};

/// The shared state of all clones of a factory.
pub(super) struct Registry {
    pub(super) client: Client,
    /// The options of informers whose spec does not set them.
    pub(super) defaults: Settings,
    /// The namespace of informers whose spec has none.
    pub(super) namespace: Option<Arc<str>>,
    /// Query parameters of every list and watch.
    pub(super) params: Vec<(String, String)>,
    /// The interval of audits. `None` for none.
    pub(super) audits: Option<Duration>,
    /// The store that keeps objects for the next start.
    pub(super) warm: Option<Arc<ClusterStore>>,
    pub(super) permits: Arc<Semaphore>,
    /// The permits to read lists, which other factories share.
    pub(super) reads: Option<Arc<Semaphore>>,
    pub(super) decode_threads: Arc<DecodeThreads>,
    pub(super) informers: Mutex<HashMap<Identity, Held>>,
    /// The tasks of stopped informers, until they have ended.
    pub(super) leaving: Mutex<Vec<TaskTracker>>,
    pub(super) ended: Mutex<Ended>,
    pub(super) sets: Mutex<SetTasks>,
    /// The needs of each set, while the set lives.
    pub(super) set_needs: Mutex<Vec<Weak<FactoryNeed>>>,
}

/// The informers of a factory that was shut down, until an informer is requested again.
#[derive(Default)]
pub(super) struct Ended {
    /// Informers that are still shutting down.
    pub(super) ending: Vec<SharedInformer>,
    /// The last status of those that have ended. Their stores are freed.
    pub(super) last: Vec<InformerStatus>,
}

/// The identity of an informer. Requests with equal identities share one informer.
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

impl Identity {
    /// Returns all that has an order.
    pub(super) fn order(&self) -> impl Ord + '_ {
        (&self.path, &self.namespace, &self.labels, &self.fields, self.object)
    }
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

/// A channel can only be compared, so this hashes nothing.
impl Hash for ShardChannel {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// A request for an informer.
pub(super) struct Request {
    /// The type of the objects.
    pub(super) object: TypeId,
    /// Group, version, resource.
    pub(super) path: String,
    /// The resource that the path names.
    pub(super) resource: ApiResource,
    /// True if another version of the resource may be followed.
    pub(super) moves: bool,
    pub(super) spec: InformerSpec,
    /// A function that makes the source of a new informer.
    pub(super) source: Box<dyn FnOnce() -> ApiSource>,
}

impl Registry {
    /// Removes an informer that was stopped, but not a new one that replaced it.
    pub(super) fn remove_stopped(&self, identity: &Identity) {
        let mut informers = self.informers.lock();
        let stopped = informers.get(identity).is_some_and(|held| held.informer.is_stopped());
        let left = if stopped { informers.remove(identity) } else { None };
        drop(informers);
        if let Some(left) = &left {
            self.note_leaving(left);
        }
    }

    /// Keeps the tasks of an informer that left, so that a shutdown waits for them.
    pub(super) fn note_leaving(&self, left: &Held) {
        let mut leaving = self.leaving.lock();
        leaving.retain(|tasks| !tasks.is_empty());
        leaving.push(left.informer.tasks());
    }

    /// Makes an informer. Options that the spec leaves unset get the factory's defaults.
    pub(super) fn make(
        &self,
        mut spec: InformerSpec,
        mut source: ApiSource,
        served: Option<Arc<dyn Serving>>,
        hold: Hold,
    ) -> Held {
        if spec.settings.name.is_none() {
            spec.settings.name = spec.selecting_name(self.defaults.name.as_deref());
        }
        if source.is_of_secrets() {
            // Only their own spec asks for compressed Secrets.
            spec.settings.gzip.get_or_insert(false);
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
        let as_sent = !source.is_of_secrets() && spec.transform.is_none() && storage.keeps_bytes();
        let keeps = as_sent && *spec.warm.get_or_insert(true);
        let warm = self.warm.clone().filter(|_| keeps);
        let mut reflector = ReflectorOptions::new().list_permits(self.permits.clone());
        if let Some(reads) = &self.reads {
            reflector = reflector.read_permits(reads.clone());
        }
        reflector = settings.reflector(reflector);
        if let Some(ShardChannel(shard)) = spec.shard.clone() {
            reflector = reflector.shard(shard);
        }
        if let Some(served) = served {
            reflector = reflector.serving(served);
        }
        if let Some(transform) = spec.transform.clone() {
            reflector = reflector.transformed_by(transform);
        }
        let mut options = InformerOptions::new().reflector(reflector).storage(storage);
        let of_set = Arc::<AtomicBool>::default();
        options = options.of_set(of_set.clone());
        if let Some(name) = &settings.name {
            options = options.name(name.clone());
        }
        if let Some(period) = settings.resync {
            options = options.resync(period);
        }
        let source: Arc<dyn ListerWatcher> = match warm {
            None => Arc::new(source.into_collection()),
            Some(store) => {
                let kept = Kept::new(store, Arc::new(source.into_collection()));
                options = options.kept(kept.clone());
                Arc::new(WarmSource(kept))
            }
        };
        let informer = SharedInformer::of_any(source, options);
        Held { informer, spec, holders: Holders::new(hold, of_set) }
    }
}

/// Returns the informers of `more` that are not in `some`.
pub(super) fn missing(some: &[SharedInformer], more: &[SharedInformer]) -> Vec<SharedInformer> {
    let missing = |one: &&SharedInformer| !some.iter().any(|other| *one == other);
    more.iter().filter(missing).cloned().collect()
}

/// An informer that a factory holds, and the options that it was made with.
#[derive(Clone)]
pub(super) struct Held {
    pub(super) informer: SharedInformer,
    /// The spec of the first caller, completed with the factory's defaults.
    pub(super) spec: InformerSpec,
    pub(super) holders: Arc<Holders>,
}

impl Held {
    /// Returns whether the informer runs and its last guard was not dropped.
    pub(super) fn is_live(&self) -> bool {
        !self.informer.is_stopped() && !self.holders.is_none()
    }
}
