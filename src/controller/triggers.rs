//! The keys that a change of an object queues.
//!
//! Each state that was in the store may give keys: its own, its controlling owner's, or those that
//! a mapping function returns. None may be lost, so keys are not taken from a handler's backlog,
//! which merges events when it is full. Own keys and owners' keys go into the queue from the
//! processing loop itself; the queue keeps each key once. Predicates and mapping functions are user
//! code, which may be slow. They run in their own task, behind a bounded backlog of unmerged
//! states.

use std::any::TypeId;
use std::sync::{Arc, LazyLock};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource;
use kube::core::ClusterResourceScope;

use super::status::StatusCell;
use crate::object::{Cached, CachedEvent, FieldSet, ObjectKey};
use crate::panic::{SafeDropper, catch};
use crate::workqueue::{Priority, WorkQueue};

/// A filter of changes. It gets the old state (`None` for a new object) and the new one, and
/// returns whether to reconcile. Deletes are never filtered.
pub(crate) type Predicate<K> = Arc<dyn Fn(Option<&K>, &K) -> bool + Send + Sync>;

/// The fields of a dependent that name its owner.
static OWNER_FIELDS: LazyLock<FieldSet> =
    LazyLock::new(|| FieldSet::from_paths(["metadata.namespace", "metadata.ownerReferences"]));

/// The fields that change with the spec.
static SPEC_FIELDS: LazyLock<FieldSet> = LazyLock::new(|| {
    FieldSet::from_paths(["metadata.generation", "metadata.deletionTimestamp", "metadata.uid"])
});

/// The rule that maps a change of an object to keys.
pub(super) enum Keys<O> {
    /// The object's own key, if all predicates pass the change.
    Own(Vec<Predicate<O>>),
    /// The key of the object that controls it.
    Owner(Owner),
    /// The keys that a function returns for the object.
    Mapped(Box<Mapping<O>>),
}

type Mapping<O> = dyn Fn(&O, &mut dyn FnMut(ObjectKey)) + Send + Sync;

/// Puts keys into the queue of a controller.
pub(super) struct Trigger<O> {
    pub(super) keys: Arc<Keys<O>>,
    pub(super) queue: WorkQueue<ObjectKey>,
    pub(super) status: Arc<StatusCell>,
    pub(super) dropper: SafeDropper,
}

impl<O> Keys<O> {
    /// Returns whether user code decides on the keys.
    pub(super) fn runs_user_code(&self) -> bool {
        match self {
            Self::Own(predicates) => !predicates.is_empty(),
            Self::Owner(_) => false,
            Self::Mapped(_) => true,
        }
    }
}

impl<O: Resource> Trigger<O> {
    /// Queues the keys for a change of the object of this key. Changes from a first list or a
    /// resync have a lower priority than live changes.
    pub(super) fn fire(&self, key: &ObjectKey, event: &CachedEvent<O>) {
        // Unpacking an object runs its type's deserializer.
        if let Err(message) = catch(|| self.queue_keys(key, event)) {
            self.status.record_mapping_panic(key, &message);
            if matches!(self.keys.as_ref(), Keys::Own(_)) {
                self.queue.add_with(key.clone(), priority(event));
            }
        }
    }

    fn queue_keys(&self, key: &ObjectKey, event: &CachedEvent<O>) {
        let priority = priority(event);
        match &*self.keys {
            Keys::Own(predicates) => {
                if predicates.is_empty() || self.passes(predicates, event) {
                    // Only a change of the spec ends the backoff of a failing key. A try that runs
                    // now may have seen the old spec. For other keys, nothing is unpacked.
                    if self.queue.may_back_off(key) && self.spec_changed(event) {
                        self.queue.reset_backoff(key);
                    }
                    self.queue.add_with(key.clone(), priority);
                }
            }
            Keys::Owner(owner) => {
                self.each_state(key, event, Some(&OWNER_FIELDS), |object| {
                    if let Some(key) = owner.key(object) {
                        self.queue.add_with(key, priority);
                    }
                });
            }
            Keys::Mapped(map) => self.each_state(key, event, None, |object| {
                map(object, &mut |key| _ = self.queue.add_with(key, priority));
            }),
        }
    }

    /// Calls a function with each state of an event: if an object changed its owner, both owners
    /// are concerned. A panic while one state is read or in its call does not affect the other. A
    /// state that cannot be read is skipped; the informer has already reported it.
    fn each_state(
        &self,
        key: &ObjectKey,
        event: &CachedEvent<O>,
        fields: Option<&FieldSet>,
        call: impl Fn(&O),
    ) {
        let read = |state: &Cached<O>| {
            if let Some(object) = state.read(fields) {
                self.dropper.call_with(object, |object| call(object));
            }
        };
        for state in states(event) {
            if let Err(message) = catch(|| read(state)) {
                self.status.record_mapping_panic(key, &message);
            }
        }
    }

    /// Calls a function with the old state, if there is one, and the new one. Returns `None` if one
    /// of them cannot be read.
    fn with_both<R>(
        &self,
        event: &CachedEvent<O>,
        fields: Option<&FieldSet>,
        call: impl FnOnce(Option<&O>, &O) -> R,
    ) -> Option<R> {
        let new = |old: Option<&O>| {
            let new = event.object().read(fields)?;
            Some(self.dropper.call_with(new, |new| call(old, new)))
        };
        match event {
            CachedEvent::Updated { old, .. } => {
                self.dropper.call_with(old.read(fields)?, |old| new(Some(old)))
            }
            _ => new(None),
        }
    }

    /// Returns whether all predicates pass a change. Deletes pass, and so do objects that cannot be
    /// read and changes on which a predicate panics.
    fn passes(&self, predicates: &[Predicate<O>], event: &CachedEvent<O>) -> bool {
        if matches!(event, CachedEvent::Deleted { .. }) {
            return true;
        }
        let passes = |old: Option<&O>, new: &O| {
            predicates.iter().all(|predicate| {
                catch(|| predicate(old, new)).unwrap_or_else(|message| {
                    self.status.record_predicate_panic(&message);
                    true
                })
            })
        };
        self.with_both(event, None, passes).unwrap_or(true)
    }

    /// Returns whether the reason of earlier failures may be gone: the object was created, was
    /// deleted, or has another generation. Changes of status, labels or annotations do not count.
    fn spec_changed(&self, event: &CachedEvent<O>) -> bool {
        match event {
            CachedEvent::Updated { old, new } if old.ptr_eq(new) => false,
            // An object that cannot be read may have a new spec. Keeping the backoff bounds the
            // tries.
            CachedEvent::Updated { .. } => {
                self.with_both(event, Some(&SPEC_FIELDS), generation_changed).unwrap_or(false)
            }
            _ => true,
        }
    }
}

/// Returns the states of an object that an event carries.
fn states<O>(event: &CachedEvent<O>) -> impl Iterator<Item = &Cached<O>> {
    let old = match event {
        CachedEvent::Updated { old, new } if !old.ptr_eq(new) => Some(old),
        _ => None,
    };
    old.into_iter().chain([event.object()])
}

fn priority<O: Resource>(event: &CachedEvent<O>) -> Priority {
    match event {
        CachedEvent::Added { initial: true, .. } => Priority::LOW,
        CachedEvent::Updated { old, new } if old.version() == new.version() => Priority::LOW,
        _ => Priority::NORMAL,
    }
}

/// The kind of a controller's own objects, as the owner references of dependents name it.
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

    /// Returns the key of the object of this kind that controls a dependent.
    pub(super) fn key<O: Resource>(&self, dependent: &O) -> Option<ObjectKey> {
        let meta = dependent.meta();
        let owners = meta.owner_references.iter().flatten();
        let owner = owners.into_iter().find(|owner| self.is(owner))?;
        let namespace = if self.cluster_scoped { None } else { meta.namespace.as_deref() };
        ObjectKey::from_parts(namespace, &owner.name).ok()
    }

    fn is(&self, owner: &OwnerReference) -> bool {
        // The version may be any: the owner is the object, whichever version named it.
        let group = owner.api_version.split_once('/').map_or("", |(group, _)| group);
        owner.controller == Some(true) && owner.kind == self.kind && group == self.group
    }
}

/// Passes adds, and updates that changed the spec (`metadata.generation`), marked the object as
/// deleted, or replaced it by a new object of the same name.
///
/// Use it for kinds with a generation and a status subresource. The generation of other kinds never
/// changes, so it drops their updates.
pub fn generation_changed<K: Resource>(old: Option<&K>, new: &K) -> bool {
    old.is_none_or(|old| {
        let (old, new) = (old.meta(), new.meta());
        old.generation != new.generation
            || old.deletion_timestamp != new.deletion_timestamp
            || old.uid != new.uid
    })
}

/// Passes every change except resyncs, in which the resourceVersion stays the same.
///
/// A controller that does nothing in a resync:
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_informer::controller::{ControllerBuilder, version_changed};
///
/// fn without_resyncs(builder: ControllerBuilder<ConfigMap>) -> ControllerBuilder<ConfigMap> {
///     builder.predicate(version_changed)
/// }
/// ```
pub fn version_changed<K: Resource>(old: Option<&K>, new: &K) -> bool {
    old.is_none_or(|old| old.meta().resource_version != new.meta().resource_version)
}
