//! The predicates that come with the crate.
//!
//! Each passes the update that marks an object as deleted. So does every conjunction and
//! disjunction of them: otherwise an object with a finalizer would stay for ever.

use kube::Resource;
use kube::api::ObjectMeta;

use kube_informer::object::EventRef;

/// Passes adds, deletes, and updates that changed the spec (`metadata.generation`), marked the
/// object as deleted, or replaced it by a new one. All predicates of this module pass the last two.
///
/// Use it for kinds with a generation and a status subresource. The generation of other kinds never
/// changes, so it drops their other updates.
pub fn generation_changed<K: Resource>(event: &EventRef<'_, K>) -> bool {
    event.old().is_none_or(|old| has_new_spec(old.meta(), event.object().meta()))
}

/// Returns whether an update changes the spec, or the life of the object.
pub(super) fn has_new_spec(old: &ObjectMeta, new: &ObjectMeta) -> bool {
    old.generation != new.generation || has_new_life(old, new)
}

/// Returns whether an update marks the object as deleted, or replaces it by a new one. Without a
/// reconcile, an object with a finalizer would stay for ever.
fn has_new_life(old: &ObjectMeta, new: &ObjectMeta) -> bool {
    old.deletion_timestamp != new.deletion_timestamp || old.uid != new.uid
}

/// Returns whether an event is no update, or one that begins the end of an object or another life,
/// or one that changes this part.
fn is_change<K: Resource, T: PartialEq>(
    event: &EventRef<'_, K>,
    of: fn(&ObjectMeta) -> &T,
) -> bool {
    event.old().is_none_or(|old| {
        let (old, new) = (old.meta(), event.object().meta());
        has_new_life(old, new) || of(old) != of(new)
    })
}

/// Passes every event except resyncs, in which the resourceVersion stays the same.
///
/// A controller that does nothing in a resync:
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_controllers::controller::{ControllerBuilder, version_changed};
///
/// fn without_resyncs(builder: ControllerBuilder<ConfigMap>) -> ControllerBuilder<ConfigMap> {
///     builder.predicate(version_changed)
/// }
/// ```
pub fn version_changed<K: Resource>(event: &EventRef<'_, K>) -> bool {
    is_change(event, |meta| &meta.resource_version)
}

/// Passes adds, deletes, and updates that changed a label, marked the object as deleted, or
/// replaced it by a new one.
///
/// A controller that follows pods for their labels:
///
/// ```
/// use k8s_openapi::api::core::v1::{Pod, Service};
/// use kube_controllers::controller::{ControllerBuilder, Followed, labels_changed};
/// use kube_informer::{ObjectKey, SharedInformer};
///
/// fn with_pods(
///     builder: ControllerBuilder<Service>,
///     pods: &SharedInformer<Pod>,
///     services_of: fn(&Pod) -> Vec<ObjectKey>,
/// ) -> ControllerBuilder<Service> {
///     builder.watches(Followed::of(pods).predicate(labels_changed), services_of)
/// }
/// ```
pub fn labels_changed<K: Resource>(event: &EventRef<'_, K>) -> bool {
    is_change(event, |meta| &meta.labels)
}

/// Passes adds, deletes, and updates that changed an annotation, marked the object as deleted, or
/// replaced it by a new one.
///
/// ```
/// use k8s_openapi::api::core::v1::Service;
/// use kube_controllers::controller::{ControllerBuilder, annotations_changed, generation_changed};
///
/// /// Reconciles after changes of the spec or of annotations, and not of the status.
/// fn of_annotated(builder: ControllerBuilder<Service>) -> ControllerBuilder<Service> {
///     builder.predicate(|event| generation_changed(event) || annotations_changed(event))
/// }
/// ```
pub fn annotations_changed<K: Resource>(event: &EventRef<'_, K>) -> bool {
    is_change(event, |meta| &meta.annotations)
}
