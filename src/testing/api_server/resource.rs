//! Which types the server serves.

use std::any::TypeId;

use kube::Resource;
use kube::core::{ApiResource, NamespaceResourceScope};

/// A type that the server serves.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct ResourceType {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) kind: String,
    pub(super) plural: String,
    pub(super) namespaced: bool,
    /// Dotted paths that field selectors may name, besides name and namespace.
    pub(super) fields: Vec<String>,
}

impl ResourceType {
    /// A type that is known at compile time.
    pub fn of<K>() -> Self
    where
        K: Resource<DynamicType = ()>,
        K::Scope: 'static,
    {
        let namespaced = TypeId::of::<K::Scope>() == TypeId::of::<NamespaceResourceScope>();
        Self::from_api_resource(&ApiResource::erase::<K>(&()), namespaced)
    }

    /// A type that is known at run time.
    pub fn from_api_resource(resource: &ApiResource, namespaced: bool) -> Self {
        Self {
            group: resource.group.clone(),
            version: resource.version.clone(),
            kind: resource.kind.clone(),
            plural: resource.plural.clone(),
            namespaced,
            fields: Vec::new(),
        }
    }

    /// Lets field selectors name this dotted path, such as `spec.nodeName`.
    pub fn selectable(mut self, path: impl Into<String>) -> Self {
        self.fields.push(path.into());
        self
    }

    pub(super) fn api_version(&self) -> String {
        match &*self.group {
            "" => self.version.clone(),
            group => format!("{group}/{}", self.version),
        }
    }

    /// The resource as it is named in messages: `pods`, `deployments.apps`.
    pub(super) fn qualified(&self) -> String {
        match &*self.group {
            "" => self.plural.clone(),
            group => format!("{}.{group}", self.plural),
        }
    }

    /// Types whose groups have a dot are mostly custom; their lists name each item's kind.
    pub(super) fn items_name_their_kind(&self) -> bool {
        self.group.contains('.') && !self.group.ends_with(".k8s.io")
    }
}

/// The types that are served unless others are named.
pub(super) fn common() -> Vec<ResourceType> {
    use k8s_openapi::api::{apps, batch, coordination, core};
    vec![
        ResourceType::of::<core::v1::Pod>()
            .selectable("spec.nodeName")
            .selectable("spec.serviceAccountName")
            .selectable("status.phase"),
        ResourceType::of::<core::v1::Node>(),
        ResourceType::of::<core::v1::Namespace>().selectable("status.phase"),
        ResourceType::of::<core::v1::Service>(),
        ResourceType::of::<core::v1::ConfigMap>(),
        ResourceType::of::<core::v1::Secret>().selectable("type"),
        ResourceType::of::<core::v1::ServiceAccount>(),
        ResourceType::of::<core::v1::PersistentVolumeClaim>(),
        ResourceType::of::<apps::v1::Deployment>(),
        ResourceType::of::<apps::v1::ReplicaSet>(),
        ResourceType::of::<apps::v1::StatefulSet>(),
        ResourceType::of::<apps::v1::DaemonSet>(),
        ResourceType::of::<batch::v1::Job>(),
        ResourceType::of::<coordination::v1::Lease>(),
    ]
}
