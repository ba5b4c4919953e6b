//! The owners that an object names, and their keys.

use std::any::Any;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource;
use kube::api::ObjectMeta;

use crate::basics::resource_name;
use kube_informer::informer::{InformerGroup, SharedInformer};
use kube_informer::lister_watcher::Collection;
use kube_informer::object::ObjectKey;
use kube_informer::seams::KindReach;

/// The kind of a controller's own objects, as the owner references of dependents name it.
pub(super) struct Owner {
    /// The group and the kind. `None` if only the informers of own objects know them.
    kind: Option<(String, String)>,
    /// A namespaced owner shares its dependent's namespace.
    reach: KindReach,
    /// True if only the owner with `controller: true` counts.
    controllers_only: bool,
}

/// A function that returns the informers of a controller's own objects.
pub(super) type OwnInformers = dyn Fn() -> Vec<SharedInformer> + Send + Sync;

impl Owner {
    pub(super) fn new<K: Resource>(controllers_only: bool) -> Self {
        let kind = static_type::<K>();
        let kind = kind.map(|unit| (K::group(&unit).into_owned(), K::kind(&unit).into_owned()));
        Self { kind, reach: KindReach::of::<K>(), controllers_only }
    }

    /// Returns the keys of the objects of this kind that own a dependent with this metadata. Empty
    /// if no such owner can exist: a namespaced owner shares its dependent's namespace.
    pub(super) fn keys(
        &self,
        meta: &ObjectMeta,
        own: &OwnInformers,
    ) -> impl Iterator<Item = ObjectKey> {
        let owners = meta.owner_references.iter().flatten();
        let owners =
            owners.filter(|owner| !self.controllers_only || owner.controller == Some(true));
        owners.filter_map(|owner| {
            let has_namespace = self.has_namespace(owner, own)?;
            let namespace = if has_namespace { Some(meta.namespace.as_deref()?) } else { None };
            ObjectKey::from_parts(namespace, &owner.name).ok()
        })
    }

    /// Returns whether an owner has a namespace. `None` if the owner is of another kind. Also
    /// `None` while that is unknown because no owner is stored: the owner's own event will queue
    /// it.
    fn has_namespace(&self, owner: &OwnerReference, own: &OwnInformers) -> Option<bool> {
        // The version does not matter: each version names the same owner.
        let group = owner.api_version.split_once('/').map_or("", |(group, _)| group);
        if let Some((own_group, kind)) = &self.kind
            && (own_group != group || *kind != owner.kind)
        {
            return None;
        }
        match self.reach {
            KindReach::Namespaced => return Some(true),
            KindReach::Cluster => return Some(false),
            KindReach::Unknown => {}
        }
        own().iter().find_map(|informer| {
            let Collection { resource, kind, namespace, .. } = informer.collection();
            let is_kind = **kind == *owner.kind && group_of(resource) == group;
            if self.kind.is_none() && !is_kind {
                return None;
            }
            let stored = || {
                let store = informer.snapshot();
                store.iter_cached().next().map(|(key, _)| key.namespace().is_some())
            };
            if namespace.is_some() { Some(true) } else { stored() }
        })
    }
}

/// Returns the group of a resource.
fn group_of(resource: &str) -> &str {
    resource.split_once('.').map_or("", |(_, group)| group)
}

/// Returns the dynamic type of a type that knows its kind.
pub(super) fn static_type<K: Resource>() -> Option<Box<K::DynamicType>> {
    let unit: Box<dyn Any> = Box::new(());
    unit.downcast().ok()
}

/// Returns the kind of the objects, from the type if it knows it.
pub(super) fn kind_of<K: Resource + Send + Sync + 'static>(
    informers: &InformerGroup<K>,
) -> Arc<str> {
    if let Some(unit) = static_type::<K>() {
        return K::kind(&unit).into();
    }
    let first = informers.informers().first();
    first.map_or_else(Default::default, |informer| informer.collection().kind.clone())
}

/// Returns the resource of the objects as kubectl writes it, from the type if it knows it.
pub(super) fn resource_of<K: Resource + Send + Sync + 'static>(
    informers: &InformerGroup<K>,
) -> Arc<str> {
    if let Some(unit) = static_type::<K>() {
        return resource_name(&K::plural(&unit), &K::group(&unit)).into();
    }
    let first = informers.informers().first();
    first.map_or_else(Default::default, |informer| informer.collection().resource.clone())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use k8s_openapi::api::core::v1::{ConfigMap, Secret};
    use kube::api::{ApiResource, DynamicObject};
    use kube_informer::factory::{InformerSpec, SharedInformerFactory};
    use kube_informer::testing::ApiServer;
    use tokio::time::sleep;
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::Action;
    use crate::controller::Controller;

    #[tokio::test(start_paused = true)]
    async fn dependents_queue_owners_of_a_dynamic_kind_that_was_added() {
        let metadata = |name: &str| ObjectMeta {
            namespace: Some("shop".into()),
            name: Some(name.into()),
            ..ObjectMeta::default()
        };
        for empty in [true, false] {
            let server = ApiServer::new();
            let map = ConfigMap { metadata: metadata("a"), ..ConfigMap::default() };
            let map = server.create(&map).unwrap();
            let factory = SharedInformerFactory::builder(server.client()).build();
            let resource = ApiResource::erase::<ConfigMap>(&());
            let maps = |labels: &str| {
                let spec = InformerSpec::<DynamicObject>::new().labels(labels);
                factory.dynamic_with(&resource, spec).unwrap()
            };
            // Nothing, or an informer that holds nothing.
            let built = if empty { Vec::new() } else { vec![maps("tenant")] };
            let controller = Controller::builder("maps", InformerGroup::new(built))
                .owns(&factory.informer::<Secret>())
                .build();
            let added = controller.following().reconciles(&maps("!tenant")).unwrap();
            let (handle, stop) = (controller.handle(), CancellationToken::new());
            let nothing = |_| async { Ok::<_, kube::Error>(Action::done()) };
            let running = tokio::spawn(controller.run(stop.clone(), nothing));
            sleep(Duration::from_secs(5)).await;
            assert_eq!(handle.status().succeeded, 1, "the map itself");
            let owner = map.controller_owner_ref(&()).into_iter().collect();
            let metadata = ObjectMeta { owner_references: Some(owner), ..metadata("s") };
            server.create(&Secret { metadata, ..Secret::default() }).unwrap();
            sleep(Duration::from_secs(5)).await;
            assert_eq!(handle.status().succeeded, 2, "because of its secret; empty: {empty}");
            drop(added);
            stop.cancel();
            running.await.unwrap().unwrap();
            factory.shutdown().await;
        }
    }
}
