//! The owners that an object names, and their keys.

use std::any::Any;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource;
use kube::api::ObjectMeta;

use kube_informer::informer::InformerGroup;
use kube_informer::object::ObjectKey;
use kube_informer::seams::KindReach;

/// The kind of a controller's own objects, as the owner references of dependents name it.
pub(super) struct Owner {
    group: String,
    kind: String,
    reach: OwnerReach,
    /// True if only the owner with `controller: true` counts.
    controllers_only: bool,
}

/// The reach of the owners. A namespaced owner shares its dependent's namespace.
enum OwnerReach {
    Namespace,
    Cluster,
    /// The type does not say. The objects in these stores show it.
    OfStored(InformerGroup),
}

impl Owner {
    pub(super) fn new<K>(informers: &InformerGroup<K>, controllers_only: bool) -> Self
    where
        K: Resource + Send + Sync + 'static,
    {
        let (group, kind) = group_and_kind(informers);
        let reach = match KindReach::of::<K>() {
            KindReach::Namespaced => OwnerReach::Namespace,
            KindReach::Cluster => OwnerReach::Cluster,
            KindReach::Unknown => OwnerReach::OfStored(informers.cast()),
        };
        Self { group, kind, reach, controllers_only }
    }

    /// Returns the keys of the objects of this kind that own a dependent with this metadata. Empty
    /// if no such owner can exist: a namespaced owner shares its dependent's namespace.
    pub(super) fn keys(&self, meta: &ObjectMeta) -> impl Iterator<Item = ObjectKey> {
        let owners = meta.owner_references.iter().flatten().filter(|owner| self.is(owner));
        owners.filter_map(|owner| {
            let namespace =
                if self.has_namespace()? { Some(meta.namespace.as_deref()?) } else { None };
            ObjectKey::from_parts(namespace, &owner.name).ok()
        })
    }

    fn is(&self, owner: &OwnerReference) -> bool {
        // The version does not matter: each version names the same owner.
        let group = owner.api_version.split_once('/').map_or("", |(group, _)| group);
        let counts = !self.controllers_only || owner.controller == Some(true);
        counts && owner.kind == self.kind && group == self.group
    }

    /// Returns whether the owners have namespaces. `None` if that is unknown, because no owner is
    /// stored: its own event will queue it.
    fn has_namespace(&self) -> Option<bool> {
        match &self.reach {
            OwnerReach::Namespace => Some(true),
            OwnerReach::Cluster => Some(false),
            OwnerReach::OfStored(informers) => informers.informers().iter().find_map(|informer| {
                if informer.collection().namespace.is_some() {
                    return Some(true);
                }
                let store = informer.snapshot();
                store.iter_cached().next().map(|(key, _)| key.namespace().is_some())
            }),
        }
    }
}

/// Returns the group and the kind of the objects, from the type if it knows them.
pub(super) fn group_and_kind<K: Resource + Send + Sync + 'static>(
    informers: &InformerGroup<K>,
) -> (String, String) {
    let unit: Box<dyn Any> = Box::new(());
    if let Ok(unit) = unit.downcast::<K::DynamicType>() {
        return (K::group(&unit).into_owned(), K::kind(&unit).into_owned());
    }
    let Some(informer) = informers.informers().first() else { return Default::default() };
    let collection = informer.collection();
    let group = collection.resource.split_once('.').map_or("", |(_, group)| group);
    (group.to_owned(), collection.kind.to_string())
}
