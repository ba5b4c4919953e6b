//! Which events mean work, and on which key.
//!
//! Each trigger is one handler on one informer. It only puts keys into the queue: what came with a
//! first list or a resync goes below live changes. No object is unpacked but for a predicate or a
//! function that is shown it.

use std::any::TypeId;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource;
use kube::core::ClusterResourceScope;

use crate::informer::{InformerGroup, InformerStopped, SharedInformer, StartError, SyncError};
use crate::object::{CachedEvent, Event, FieldSet, ObjectKey};
use crate::processor::{FnHandler, HandlerOptions, HandlerRegistration};
use crate::workqueue::{Priority, WorkQueue};

/// Decides whether an object that is there now is worth a reconcile; `None` where it was not there
/// before. A delete always is.
pub type Predicate<K> = Arc<dyn Fn(Option<&K>, &K) -> bool + Send + Sync>;

/// One informer that a controller follows.
pub(super) trait Trigger: Send + Sync {
    fn start(&self) -> Result<(), StartError>;
    fn synced(&self, limit: Duration) -> BoxFuture<'_, Result<(), SyncError>>;
    fn connect(
        &self,
        controller: &str,
        queue: &WorkQueue<ObjectKey>,
    ) -> Result<HandlerRegistration, InformerStopped>;
}

/// On which keys a change of an object means work.
pub(super) enum Keys<O> {
    /// Its own, if all predicates pass the change.
    Own(Vec<Predicate<O>>),
    /// Those that a function gives for the object, which may look at no other fields than these; `None`:
    /// at any.
    Given(Option<FieldSet>, Box<KeysOf<O>>),
}

type KeysOf<O> = dyn Fn(&O, &mut dyn FnMut(ObjectKey)) + Send + Sync;

impl<O> Keys<O> {
    /// Adds the keys for a change of the object of this key.
    fn add(&self, key: &ObjectKey, event: &CachedEvent<O>, mut add: impl FnMut(ObjectKey)) {
        match self {
            Self::Own(predicates) if pass(predicates, event) => add(key.clone()),
            Self::Own(_) => {}
            Self::Given(fields, keys) => {
                let old = match event {
                    CachedEvent::Updated { old, .. } => Some(old),
                    _ => None,
                };
                // An object that was passed on concerns both. What can't be read was reported.
                for cached in old.into_iter().chain([event.object()]) {
                    if let Some(object) = cached.read(fields.as_ref()) {
                        keys(&object, &mut add);
                    }
                }
            }
        }
    }
}

/// Whether a change is worth a reconcile. A delete always is, and what can't be read can't be judged.
fn pass<O>(predicates: &[Predicate<O>], event: &CachedEvent<O>) -> bool {
    let wanted = |old: Option<&O>, new: &O| predicates.iter().all(|predicate| predicate(old, new));
    if predicates.is_empty() || matches!(event, CachedEvent::Deleted { .. }) {
        return true;
    }
    match event.read() {
        Some(Event::Added { object, .. }) => wanted(None, &object),
        Some(Event::Updated { old, new }) => wanted(Some(&old), &new),
        Some(Event::Deleted { .. }) | None => true,
    }
}

/// An informer, and on which keys its changes mean work.
struct Watched<O> {
    informer: SharedInformer<O>,
    keys: Arc<Keys<O>>,
}

/// Follows each informer of a group.
pub(super) fn each<O>(informers: &InformerGroup<O>, keys: Keys<O>) -> Vec<Box<dyn Trigger>>
where
    O: Resource + Send + Sync + 'static,
{
    let keys = Arc::new(keys);
    let watched = |informer: &SharedInformer<O>| -> Box<dyn Trigger> {
        Box::new(Watched { informer: informer.clone(), keys: keys.clone() })
    };
    informers.informers().iter().map(watched).collect()
}

impl<O: Resource + Send + Sync + 'static> Trigger for Watched<O> {
    fn start(&self) -> Result<(), StartError> {
        self.informer.ensure_started()
    }

    fn synced(&self, limit: Duration) -> BoxFuture<'_, Result<(), SyncError>> {
        self.informer.wait_for_sync(limit).boxed()
    }

    fn connect(
        &self,
        controller: &str,
        queue: &WorkQueue<ObjectKey>,
    ) -> Result<HandlerRegistration, InformerStopped> {
        let (keys, queue) = (self.keys.clone(), queue.clone());
        let handler = FnHandler(move |key: &ObjectKey, event: CachedEvent<O>| {
            let priority = priority(&event);
            keys.add(key, &event, |key| {
                // A queue that takes nothing has a controller that has stopped.
                queue.add_with(key, priority);
            });
        });
        self.informer.add_handler_with(handler, HandlerOptions::new().name(controller))
    }
}

fn priority<O: Resource>(event: &CachedEvent<O>) -> Priority {
    match event {
        CachedEvent::Added { initial: true, .. } => Priority::LOW,
        CachedEvent::Updated { old, new } if old.version() == new.version() => Priority::LOW,
        _ => Priority::NORMAL,
    }
}

/// The kind of the objects a controller is for, as their dependents name it.
#[derive(Clone, Debug)]
pub(super) struct Owner {
    pub(super) group: String,
    pub(super) kind: String,
    pub(super) cluster_scoped: bool,
}

impl Owner {
    pub(super) fn of<K>() -> Self
    where
        K: Resource<DynamicType = ()>,
        K::Scope: 'static,
    {
        Self {
            group: K::group(&()).into_owned(),
            kind: K::kind(&()).into_owned(),
            cluster_scoped: TypeId::of::<K::Scope>() == TypeId::of::<ClusterResourceScope>(),
        }
    }

    /// What of a dependent says whom it belongs to.
    pub(super) fn told_by() -> FieldSet {
        FieldSet::from_paths(["metadata.namespace", "metadata.ownerReferences"])
    }

    /// The key of the object of this kind that controls a dependent.
    pub(super) fn key<O: Resource>(&self, dependent: &O) -> Option<ObjectKey> {
        let meta = dependent.meta();
        let owners = meta.owner_references.iter().flatten();
        let owner = owners.into_iter().find(|owner| self.is(owner))?;
        let namespace = if self.cluster_scoped { None } else { meta.namespace.as_deref() };
        ObjectKey::from_parts(namespace, &owner.name).ok()
    }

    fn is(&self, owner: &OwnerReference) -> bool {
        // The version may be any: what owns is the object, however it was read.
        let group = owner.api_version.split_once('/').map_or("", |(group, _)| group);
        owner.controller == Some(true) && owner.kind == self.kind && group == self.group
    }
}

/// Passes adds, and updates that changed the spec: those that raised `metadata.generation`.
///
/// For kinds that have a generation and a status subresource; for others, whose generation never
/// changes, it drops every update.
pub fn generation_changed<K: Resource>(old: Option<&K>, new: &K) -> bool {
    old.is_none_or(|old| {
        let (old, new) = (old.meta(), new.meta());
        old.generation != new.generation
            || old.deletion_timestamp != new.deletion_timestamp
            || old.uid != new.uid
    })
}

/// Passes everything but resyncs, where nothing changed.
pub fn version_changed<K: Resource>(old: Option<&K>, new: &K) -> bool {
    old.is_none_or(|old| old.meta().resource_version != new.meta().resource_version)
}
