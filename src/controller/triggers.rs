//! Which events mean work, and on which key.
//!
//! Each trigger is one handler on one informer. It only puts keys into the queue: what came with a
//! first list or a resync goes below live changes.

use std::any::TypeId;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource;
use kube::core::ClusterResourceScope;

use crate::informer::{InformerGroup, InformerStopped, SharedInformer, StartError, SyncError};
use crate::object::{Event, ObjectKey};
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

/// An informer, and how its objects give keys.
struct Watched<O, F> {
    informer: SharedInformer<O>,
    predicates: Vec<Predicate<O>>,
    keys: Arc<F>,
}

/// Follows each informer of a group.
pub(super) fn each<O, F>(
    informers: &InformerGroup<O>,
    predicates: &[Predicate<O>],
    keys: F,
) -> Vec<Box<dyn Trigger>>
where
    O: Resource + Send + Sync + 'static,
    F: Fn(&O, &mut dyn FnMut(ObjectKey)) + Send + Sync + 'static,
{
    let keys = Arc::new(keys);
    let watched = |informer: &SharedInformer<O>| -> Box<dyn Trigger> {
        let (predicates, keys) = (predicates.to_vec(), keys.clone());
        Box::new(Watched { informer: informer.clone(), predicates, keys })
    };
    informers.informers().iter().map(watched).collect()
}

impl<O, F> Trigger for Watched<O, F>
where
    O: Resource + Send + Sync + 'static,
    F: Fn(&O, &mut dyn FnMut(ObjectKey)) + Send + Sync + 'static,
{
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
        let (predicates, keys, queue) = (self.predicates.clone(), self.keys.clone(), queue.clone());
        let handler = FnHandler(move |_: &ObjectKey, event: crate::object::CachedEvent<O>| {
            let Some(event) = event.read() else { return };
            let wanted =
                |old: Option<&O>, new: &O| predicates.iter().all(|predicate| predicate(old, new));
            let priority = priority(&event);
            let mut add = |key| {
                // A queue that takes nothing has a controller that has stopped.
                queue.add_with(key, priority);
            };
            match &event {
                Event::Added { object, .. } if wanted(None, object) => keys(object, &mut add),
                Event::Updated { old, new } if wanted(Some(old), new) => {
                    // An object that was passed on concerns both.
                    keys(old, &mut add);
                    keys(new, &mut add);
                }
                Event::Deleted { object, .. } => keys(object, &mut add),
                _ => {}
            }
        });
        self.informer.add_handler_with(handler, HandlerOptions::new().name(controller))
    }
}

fn priority<O: Resource>(event: &Event<O>) -> Priority {
    match event {
        Event::Added { initial: true, .. } => Priority::LOW,
        Event::Updated { old, new }
            if old.meta().resource_version == new.meta().resource_version =>
        {
            Priority::LOW
        }
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
