//! The keys that a change means work on.
//!
//! Each state that was in the store may name keys: its own, its controlling owner's, or those that a
//! mapping function gives. None may be lost, so keys are not taken from a handler's backlog, which
//! merges events when it is full. Own keys and owners' keys go into the queue from the processing
//! loop itself; the queue keeps each key once. Predicates and mapping functions are user code, which
//! may be slow: they run in a task of their own, behind a bounded backlog of unmerged states.

use std::any::TypeId;
use std::sync::{Arc, LazyLock};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource;
use kube::core::ClusterResourceScope;

use super::board::Board;
use crate::object::{Cached, CachedEvent, FieldSet, ObjectKey};
use crate::panic::{Drops, catch};
use crate::workqueue::{Priority, WorkQueue};

/// A filter of changes: gets the old state (`None` for a new object) and the new one, and returns whether
/// to reconcile. Deletes are never filtered.
pub(crate) type Predicate<K> = Arc<dyn Fn(Option<&K>, &K) -> bool + Send + Sync>;

/// The fields of a dependent that name its owner.
static OWNER_FIELDS: LazyLock<FieldSet> =
    LazyLock::new(|| FieldSet::from_paths(["metadata.namespace", "metadata.ownerReferences"]));

/// The fields that change with the spec.
static SPEC_FIELDS: LazyLock<FieldSet> = LazyLock::new(|| {
    FieldSet::from_paths(["metadata.generation", "metadata.deletionTimestamp", "metadata.uid"])
});

/// The rule that gives keys for a change of an object.
pub(super) enum Keys<O> {
    /// The object's own key, if all predicates pass the change.
    Own(Vec<Predicate<O>>),
    /// The key of the object that controls it.
    Owner(Owner),
    /// The keys that a function gives for the object.
    Mapped(Box<Mapping<O>>),
}

type Mapping<O> = dyn Fn(&O, &mut dyn FnMut(ObjectKey)) + Send + Sync;

/// Puts keys into the queue of a controller.
pub(super) struct Trigger<O> {
    pub(super) keys: Arc<Keys<O>>,
    pub(super) queue: WorkQueue<ObjectKey>,
    pub(super) board: Arc<Board>,
    pub(super) drops: Drops,
}

impl<O> Keys<O> {
    /// Returns whether user code gives the keys.
    pub(super) fn runs_user_code(&self) -> bool {
        match self {
            Self::Own(predicates) => !predicates.is_empty(),
            Self::Owner(_) => false,
            Self::Mapped(_) => true,
        }
    }
}

impl<O: Resource> Trigger<O> {
    /// Queues the keys for a change of the object of this key. What came with a first list or a
    /// resync goes below live changes.
    pub(super) fn fire(&self, key: &ObjectKey, event: &CachedEvent<O>) {
        // Unpacking an object runs its type's deserializer.
        if let Err(message) = catch(|| self.queue_keys(key, event)) {
            self.board.mapping_panicked(key, &message);
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
                    // A key that fails waits its backoff, whatever changes but its spec. A try that runs
                    // now may have seen the old one. Otherwise nothing is unpacked.
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

    /// Calls a function with each state that an event names: an object that was passed on concerns
    /// both. One that panics, on the way or in the call, costs no other. What can't be read was reported.
    fn each_state(
        &self,
        key: &ObjectKey,
        event: &CachedEvent<O>,
        fields: Option<&FieldSet>,
        call: impl Fn(&O),
    ) {
        let read = |state: &Cached<O>| {
            if let Some(object) = state.read(fields) {
                self.drops.lend(object, |object| call(object));
            }
        };
        for state in states(event) {
            if let Err(message) = catch(|| read(state)) {
                self.board.mapping_panicked(key, &message);
            }
        }
    }

    /// Calls a function with the old state, if there is one, and the new one. `None` where one can't be
    /// read.
    fn with_both<R>(
        &self,
        event: &CachedEvent<O>,
        fields: Option<&FieldSet>,
        call: impl FnOnce(Option<&O>, &O) -> R,
    ) -> Option<R> {
        let new = |old: Option<&O>| {
            let new = event.object().read(fields)?;
            Some(self.drops.lend(new, |new| call(old, new)))
        };
        match event {
            CachedEvent::Updated { old, .. } => {
                self.drops.lend(old.read(fields)?, |old| new(Some(old)))
            }
            _ => new(None),
        }
    }

    /// Returns whether a change is worth a reconcile. A delete always is. What can't be read can't be
    /// judged, and a predicate that panics passes.
    fn passes(&self, predicates: &[Predicate<O>], event: &CachedEvent<O>) -> bool {
        if matches!(event, CachedEvent::Deleted { .. }) {
            return true;
        }
        let passes = |old: Option<&O>, new: &O| {
            predicates.iter().all(|predicate| {
                catch(|| predicate(old, new)).unwrap_or_else(|message| {
                    self.board.predicate_panicked(&message);
                    true
                })
            })
        };
        self.with_both(event, None, passes).unwrap_or(true)
    }

    /// Returns whether the reason of earlier failures may be gone: the object came, went, or has another
    /// generation. A change of the status, of labels or of annotations is none.
    fn spec_changed(&self, event: &CachedEvent<O>) -> bool {
        match event {
            CachedEvent::Updated { old, new } if old.is(new) => false,
            // What can't be read can't be judged; the backoff bounds how often it is tried.
            CachedEvent::Updated { .. } => {
                self.with_both(event, Some(&SPEC_FIELDS), generation_changed).unwrap_or(false)
            }
            _ => true,
        }
    }
}

/// The states of an object that an event names.
fn states<O>(event: &CachedEvent<O>) -> impl Iterator<Item = &Cached<O>> {
    let old = match event {
        CachedEvent::Updated { old, new } if !old.is(new) => Some(old),
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

    /// Returns the key of the object of this kind that controls a dependent.
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
