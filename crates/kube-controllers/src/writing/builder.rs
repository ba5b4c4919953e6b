//! Building an applier.

use std::any::{TypeId, type_name};
use std::fmt;
use std::sync::Arc;

use kube::api::{ApiResource, DynamicObject};
use kube::{Client, Resource};
use kube_decode::protobuf::is_built_in;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Applier;
use super::error::ApplierError;
use super::exchange::{Exchange, ObjectType};
use super::hidden::HiddenFields;
use kube_informer::informer::{InformerGroup, SharedInformer};
use kube_informer::object::NameRule;
use kube_informer::seams::check_resource;

/// Options of an [`Applier`].
///
/// ```no_run
/// use k8s_openapi::api::apps::v1::Deployment;
/// use kube_controllers::writing::{Applier, ApplierBuilder, ApplierError};
///
/// fn forced(builder: ApplierBuilder<Deployment>) -> Result<Applier<Deployment>, ApplierError> {
///     builder.force(true).build()
/// }
/// ```
#[must_use]
pub struct ApplierBuilder<K: Resource> {
    client: Client,
    informers: InformerGroup<K>,
    manager: String,
    dynamic_type: K::DynamicType,
    force: bool,
}

/// The counts of an [`Applier`].
///
/// ```
/// use kube_controllers::writing::ApplierStatus;
///
/// fn describe(ApplierStatus { sent, unchanged, .. }: &ApplierStatus) -> String {
///     format!("{sent} of {} applies were sent", sent + unchanged)
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ApplierStatus {
    /// The number of records of applied objects.
    pub records: usize,
    /// The number of applies that were sent.
    pub sent: u64,
    /// The number of applies that had nothing to do.
    pub unchanged: u64,
    /// The paths of applied fields that the server's answers or the cache do not show, such as
    /// `.spec.token`, or that the type drops, never writes, or folds with other values. At most 32
    /// are named. The keys of a Secret's data are shown as `*`. See [`Applier`] for what that
    /// means.
    pub hidden_fields: Vec<String>,
}

impl<K> ApplierBuilder<K>
where
    K: Resource + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    pub(super) fn new(
        client: Client,
        informers: InformerGroup<K>,
        manager: String,
        dynamic_type: K::DynamicType,
    ) -> Self {
        Self { client, informers, manager, dynamic_type, force: false }
    }

    /// Sets whether an apply takes fields from other managers that have set them to other values.
    /// Unless set, such an apply fails with [`ApplyError::Conflict`](super::ApplyError::Conflict).
    ///
    /// Kubernetes recommends force for controllers. Two controllers that both force the same field
    /// to different values undo each other's writes for ever.
    pub fn force(mut self, force: bool) -> Self {
        self.force = force;
        self
    }

    /// Builds the applier.
    ///
    /// # Errors
    /// [`ApplierError`]: an informer stores less than the whole object, or the name of the manager
    /// or the resource is invalid. A type that leaves out fields of a custom resource is recognised
    /// only by the first answer that has them, with
    /// [`ApplyError::Projected`](super::ApplyError::Projected).
    pub fn build(self) -> Result<Applier<K>, ApplierError> {
        let Self { client, informers, manager, dynamic_type, force } = self;
        if !NameRule::FieldManager.allows(&manager) {
            return Err(ApplierError::InvalidManager { manager });
        }
        check_resource(&ApiResource::erase::<K>(&dynamic_type))?;
        let Some(first) = informers.informers().first() else {
            return Err(ApplierError::NoInformer);
        };
        let resource = first.collection().resource.clone();
        if informers.informers().iter().any(SharedInformer::is_transformed) {
            return Err(ApplierError::Transformed { resource });
        }
        let api_version = K::api_version(&dynamic_type).into_owned();
        let kind = K::kind(&dynamic_type).into_owned();
        if K::metadata_api() || is_built_in(&api_version, &kind) && !is_whole::<K>() {
            return Err(ApplierError::Projected { resource, type_name: type_name::<K>() });
        }
        Ok(Applier::new(Exchange {
            client,
            informers: informers.cast(),
            object_type: ObjectType::of::<K>(),
            resource,
            api_version,
            kind,
            path: Box::new(move |namespace| K::url_path(&dynamic_type, namespace)),
            manager,
            force,
            records: Arc::default(),
            hidden: HiddenFields::default(),
            sent: 0.into(),
            unchanged: 0.into(),
        }))
    }
}

/// Returns whether a type of a built-in kind is known to hold the whole object.
fn is_whole<K: 'static>() -> bool {
    // By name: a user's own type that inherits the kind implements the same traits.
    TypeId::of::<K>() == TypeId::of::<DynamicObject>()
        || type_name::<K>().starts_with("k8s_openapi::")
}

impl<K: Resource> fmt::Debug for ApplierBuilder<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApplierBuilder")
            .field("manager", &self.manager)
            .field("force", &self.force)
            .finish_non_exhaustive()
    }
}
