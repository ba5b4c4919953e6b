//! The objects of one kind that a controller follows.

use std::fmt;
use std::sync::Arc;

use kube::Resource;
use serde::Serialize;

use super::triggers::{self, Predicate};
use kube_informer::factory::{Referenced, SelectedNamespaces};
use kube_informer::informer::{InformerGroup, SharedInformer};
use kube_informer::object::{ContentFilter, EventRef};
use kube_informer::seams::InformerSet;

/// The objects of one kind that a controller follows, and the events of them that count.
///
/// Every method of [`ControllerBuilder`](super::ControllerBuilder) that takes one also takes
/// an informer or a group of informers: then every event counts. They also take a set of informers
/// that come and go: [`SelectedNamespaces`](kube_informer::factory::SelectedNamespaces) or
/// [`Referenced`](kube_informer::factory::Referenced). Its informers join and leave as those of a
/// [`Following`](super::Following) do. When one leaves, its objects have
/// [moved away](EventRef::MovedAway), so the keys that they map to are queued.
///
/// ```
/// use k8s_openapi::api::apps::v1::Deployment;
/// use k8s_openapi::api::core::v1::{ConfigMap, Pod};
/// use kube_controllers::controller::Followed;
/// use kube_informer::SharedInformer;
/// use kube_controllers::Controller;
///
/// /// Reconciles a map when it changes, when one of its deployments changes, and when one of its
/// /// pods is deleted.
/// fn build(
///     maps: &SharedInformer<ConfigMap>,
///     deployments: &SharedInformer<Deployment>,
///     pods: &SharedInformer<Pod>,
/// ) -> Controller<ConfigMap> {
///     Controller::builder("maps", maps)
///         .owns(deployments)
///         .owns(Followed::of(pods).predicate(|pod| pod.is_deleted()))
///         .build()
/// }
/// ```
#[must_use = "a controller must take it"]
pub struct Followed<O> {
    pub(super) informers: InformerGroup<O>,
    /// Informers that join and leave, instead of the group.
    pub(super) set: Option<Arc<dyn InformerSet>>,
    pub(super) predicates: Vec<Predicate>,
}

impl<O: Resource + Send + Sync + 'static> Followed<O> {
    /// Follows every event of an informer, or of a group of informers.
    pub fn of(informers: impl Into<InformerGroup<O>>) -> Self {
        Self { informers: informers.into(), set: None, predicates: Vec::new() }
    }

    /// Follows every event of informers that join and leave.
    fn of_set(set: Arc<dyn InformerSet>) -> Self {
        Self { informers: InformerGroup::new([]), set: Some(set), predicates: Vec::new() }
    }

    /// Follows only the events that this and every other predicate passes. A predicate sees adds,
    /// updates, resyncs and deletes. For a delete, the object is its newest known state.
    ///
    /// The controller calls predicates in its own task, for each event, behind a backlog of 1,024
    /// events: see [`ControllerBuilder::watches`](super::ControllerBuilder::watches). If a
    /// predicate panics, the event passes and the panic is
    /// [counted](super::ControllerStatus::predicate_panics). An event of a
    /// [packed](kube_informer::storage) object is unpacked for its predicates; one that cannot be
    /// unpacked passes.
    pub fn predicate(
        mut self,
        predicate: impl Fn(&EventRef<'_, O>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.predicates.push(triggers::predicate(predicate));
        self
    }

    /// Follows an update only if it changes the object's content: anything but
    /// `metadata.resourceVersion`, `metadata.managedFields` and the fields with these paths. So
    /// neither a storage migration, which rewrites every object, nor a heartbeat queues keys.
    ///
    /// [`ContentFilter`] says how states are compared, and what passes besides. The filter runs
    /// before other predicates, and where they run. The controller
    /// [counts](super::ControllerStatus::unchanged_updates) the updates that it drops.
    pub fn content_changed(mut self, ignored: &[&str]) -> Self
    where
        O: Serialize,
    {
        let filter = ContentFilter::<O>::ignoring(ignored);
        self.predicates.push(Predicate::OfContent(filter.erase()));
        self
    }
}

impl<O> Followed<O> {
    /// Returns the informers, which may join and leave.
    pub(super) fn source(&self) -> Arc<dyn InformerSet> {
        self.set.clone().unwrap_or_else(|| Arc::new(self.informers.cast()))
    }
}

impl<O: Resource + Send + Sync + 'static> From<&SharedInformer<O>> for Followed<O> {
    fn from(informer: &SharedInformer<O>) -> Self {
        Self::of(informer)
    }
}

impl<O: Resource + Send + Sync + 'static> From<&InformerGroup<O>> for Followed<O> {
    fn from(group: &InformerGroup<O>) -> Self {
        Self::of(group)
    }
}

impl<O: Resource + Send + Sync + 'static> From<InformerGroup<O>> for Followed<O> {
    fn from(group: InformerGroup<O>) -> Self {
        Self::of(group)
    }
}

impl<O: Resource + Send + Sync + 'static> From<&SelectedNamespaces<O>> for Followed<O> {
    fn from(selected: &SelectedNamespaces<O>) -> Self {
        Self::of_set(Arc::new(selected.clone()))
    }
}

impl<O: Resource + Send + Sync + 'static> From<&Referenced<O>> for Followed<O> {
    fn from(referenced: &Referenced<O>) -> Self {
        Self::of_set(Arc::new(referenced.clone()))
    }
}

impl<O> fmt::Debug for Followed<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Followed")
            .field("informers", &self.informers)
            .field("predicates", &self.predicates.len())
            .finish_non_exhaustive()
    }
}
