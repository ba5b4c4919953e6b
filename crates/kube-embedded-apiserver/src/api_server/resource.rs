//! The names and properties of a served type, and its subresources.
//!
//! A type is one group, version and kind. Versions of one kind share a collection of the store, so
//! objects are looked up without the version.

use std::any::TypeId;
use std::cmp::Ordering;
use std::sync::Arc;

use kube::Resource;
use kube::core::{ApiResource, NamespaceResourceScope};

use super::names::NameForm;
use super::webhooks::Conversion;

/// A type that the server serves.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_embedded_apiserver::{ApiServer, api_server::ResourceType};
///
/// let server = ApiServer::new();
/// server.unregister(&ResourceType::of::<ConfigMap>());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct ResourceType {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    pub(crate) list_kind: String,
    pub(crate) plural: String,
    pub(crate) singular: String,
    pub(crate) short_names: Vec<String>,
    pub(crate) categories: Vec<String>,
    pub(crate) namespaced: bool,
    /// True for a custom type: it has a definition, or could have one.
    pub(crate) custom: bool,
    /// True if the status is written separately.
    pub(crate) status: bool,
    /// True if the generation counts changes of the spec.
    pub(crate) generation: bool,
    /// The members of metadata whose changes the generation counts, too.
    pub(crate) counted_metadata: &'static [&'static str],
    /// True if a delete is answered with the object, not with a `Status`.
    pub(crate) deleted_is_returned: bool,
    /// True if a delete without a policy leaves the dependents.
    pub(crate) orphans: bool,
    /// True if a replace must have a `resourceVersion`.
    pub(crate) needs_version: bool,
    /// True if a replace of a missing object creates it.
    pub(crate) creates_on_replace: bool,
    /// True if a deletion waits for a grace period.
    pub(crate) graceful: bool,
    /// The form of the names.
    pub(crate) name_form: NameForm,
    /// The members of metadata that a write of the status does not change.
    pub(crate) kept_by_status: &'static [&'static str],
    /// True for a review: a create is answered and nothing is stored.
    pub(crate) review: bool,
    /// The paths of the `scale` subresource, if the type has one.
    pub(crate) scale: Option<ScalePaths>,
    /// The dotted paths whose values are indexed for selectors.
    pub(crate) fields: Vec<String>,
    /// The paths of these that this version's field selectors may name, besides name and namespace.
    pub(crate) selectable: Vec<String>,
    /// The schema of a custom type; null for other types.
    pub(crate) schema: serde_json::Value,
    /// The schema of the version in which objects are stored, if it is another one.
    pub(crate) storage_schema: Option<Arc<serde_json::Value>>,
    /// The version in which objects of a custom type are stored.
    pub(crate) storage: String,
    /// The conversion between the versions of a custom type, if it is one by a webhook.
    pub(crate) conversion: Option<Arc<Conversion>>,
    /// The columns of a custom type's table.
    pub(crate) columns: Vec<Column>,
    /// The warning about any use of this version.
    pub(crate) deprecation: Option<String>,
}

/// The dotted paths of the scale in an object of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScalePaths {
    pub(crate) spec: String,
    pub(crate) status: String,
    /// The selector: a text, or a label selector of a built-in type.
    pub(crate) selector: Option<String>,
}

impl ScalePaths {
    /// Returns the paths of all built-in types.
    pub(crate) fn builtin() -> Self {
        Self {
            spec: "spec.replicas".into(),
            status: "status.replicas".into(),
            selector: Some("spec.selector".into()),
        }
    }
}

/// A column of a custom type's table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) format: String,
    pub(crate) description: String,
    pub(crate) priority: i64,
    pub(crate) path: String,
}

impl ResourceType {
    /// Creates a type that is known at compile time.
    pub fn of<K>() -> Self
    where
        K: Resource<DynamicType = ()>,
        K::Scope: 'static,
    {
        let namespaced = TypeId::of::<K::Scope>() == TypeId::of::<NamespaceResourceScope>();
        Self::from_api_resource(&ApiResource::erase::<K>(&()), namespaced)
    }

    /// Creates a type that is known at run time.
    pub fn from_api_resource(resource: &ApiResource, namespaced: bool) -> Self {
        Self::new(&resource.group, &resource.version, &resource.kind, &resource.plural, namespaced)
    }

    pub(crate) fn new(
        group: &str,
        version: &str,
        kind: &str,
        plural: &str,
        namespaced: bool,
    ) -> Self {
        let custom = group.contains('.') && !group.ends_with(".k8s.io");
        Self {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
            list_kind: format!("{kind}List"),
            plural: plural.to_owned(),
            singular: kind.to_lowercase(),
            short_names: Vec::new(),
            categories: Vec::new(),
            namespaced,
            custom,
            status: true,
            generation: true,
            counted_metadata: &[],
            deleted_is_returned: false,
            orphans: false,
            needs_version: custom,
            creates_on_replace: false,
            graceful: false,
            name_form: NameForm::Subdomain,
            kept_by_status: &[],
            review: false,
            scale: None,
            fields: Vec::new(),
            selectable: Vec::new(),
            schema: serde_json::Value::Null,
            storage_schema: None,
            storage: String::new(),
            conversion: None,
            columns: Vec::new(),
            deprecation: None,
        }
    }

    /// Allows field selectors on this dotted path, such as `spec.nodeName`.
    pub fn selectable(mut self, path: impl Into<String>) -> Self {
        let path = path.into();
        self.fields.push(path.clone());
        self.selectable.push(path);
        self
    }

    /// Sets whether the type has a status subresource. The default is true. If true, a write of the
    /// object does not change its status. If false, `status` is an ordinary member.
    pub fn status_subresource(mut self, declared: bool) -> Self {
        self.status = declared;
        self
    }

    pub(crate) fn api_version(&self) -> String {
        group_version(&self.group, &self.version)
    }

    /// Returns the name of the resource in messages: `pods`, `deployments.apps`.
    pub(crate) fn qualified(&self) -> String {
        match &*self.group {
            "" => self.plural.clone(),
            group => format!("{}.{group}", self.plural),
        }
    }

    /// Returns whether the contents of the type's objects appear in no message.
    pub(crate) fn is_confidential(&self) -> bool {
        self.group.is_empty() && self.kind == "Secret"
    }

    /// Returns whether both are versions of the same resource, so that they share their objects.
    pub(crate) fn shares_objects_with(&self, other: &Self) -> bool {
        self.group == other.group && self.plural == other.plural
    }

    /// Returns the supported verbs, in the order of a real server.
    pub(crate) fn verbs(&self) -> Vec<&'static str> {
        if self.custom {
            let custom = "delete deletecollection get list patch create update watch";
            return custom.split(' ').collect();
        }
        if self.review {
            return vec!["create"];
        }
        let verbs = "create delete deletecollection get list patch update watch";
        // Namespaces have no `deletecollection`.
        let all = |verb: &&str| self.qualified() != "namespaces" || *verb != "deletecollection";
        verbs.split(' ').filter(all).collect()
    }
}

/// Returns the path at which an object has a selectable field.
pub(crate) fn stored_path(path: &str) -> &str {
    match path {
        "source" => "source.component",
        path => path,
    }
}

/// Returns the value of a selectable field that an object lacks.
pub(crate) fn absent(path: &str) -> &'static str {
    match path {
        "spec.hostNetwork" | "spec.unschedulable" => "false",
        "status.replicas" | "status.successful" => "0",
        _ => "",
    }
}

/// Returns the apiVersion: `v1`, `apps/v1`.
pub(crate) fn group_version(group: &str, version: &str) -> String {
    match group {
        "" => version.to_owned(),
        group => format!("{group}/{version}"),
    }
}

/// Compares versions by preference: v2, v1, v1beta2, v1beta1, v1alpha1, then all others by name.
pub(crate) fn by_preference(a: &str, b: &str) -> Ordering {
    match (rank(a), rank(b)) {
        (Some(a), Some(b)) => b.cmp(&a),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

/// Returns stability, major and minor; a greater rank is better.
fn rank(version: &str) -> Option<(u8, u64, u64)> {
    let rest = version.strip_prefix('v')?;
    for (stability, word) in [(1, "beta"), (0, "alpha")] {
        if let Some((major, minor)) = rest.split_once(word) {
            return Some((stability, major.parse().ok()?, minor.parse().ok()?));
        }
    }
    Some((2, rest.parse().ok()?, 0))
}

const WRITTEN: &[&str] = &["get", "patch", "update"];
const CREATED: &[&str] = &["create"];
const CONNECTED: &[&str] = &["create", "get"];
const PROXIED: &[&str] = &["create", "delete", "get", "patch", "update"];

/// A served subresource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subresource {
    Status,
    Scale,
    /// The finalizers of a namespace.
    Finalize,
    /// The approval of a certificate request.
    Approval,
    Eviction,
    Binding,
    /// The output of a pod's containers.
    Log,
    Exec,
    Attach,
    PortForward,
    Proxy,
    /// The tokens of a service account.
    Token,
    /// The ephemeral containers of a pod.
    EphemeralContainers,
    /// The resources of a pod's containers.
    Resize,
}

/// The description of a subresource in discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Described {
    pub(crate) name: &'static str,
    /// The group, version and kind of its objects; `None` for the object itself. An empty group and
    /// version stand for those of the object.
    pub(crate) kind: Option<(&'static str, &'static str, &'static str)>,
    pub(crate) verbs: &'static [&'static str],
}

impl Subresource {
    /// Returns whether the subresource is a part of the object, read and written as the object is.
    pub(crate) fn is_of_object(self) -> bool {
        matches!(
            self,
            Self::Status
                | Self::Finalize
                | Self::Approval
                | Self::EphemeralContainers
                | Self::Resize
        )
    }

    pub(crate) fn described(self) -> Described {
        let (name, kind, verbs) = match self {
            Self::Status => ("status", None, WRITTEN),
            Self::Scale => ("scale", Some(("autoscaling", "v1", "Scale")), WRITTEN),
            Self::Approval => ("approval", None, WRITTEN),
            Self::EphemeralContainers => ("ephemeralcontainers", None, WRITTEN),
            Self::Resize => ("resize", None, WRITTEN),
            Self::Finalize => ("finalize", None, &["update"][..]),
            Self::Eviction => ("eviction", Some(("policy", "v1", "Eviction")), CREATED),
            Self::Binding => ("binding", Some(("", "", "Binding")), CREATED),
            Self::Log => ("log", None, &["get"][..]),
            Self::Exec => ("exec", Some(("", "", "PodExecOptions")), CONNECTED),
            Self::Attach => ("attach", Some(("", "", "PodAttachOptions")), CONNECTED),
            Self::PortForward => {
                ("portforward", Some(("", "", "PodPortForwardOptions")), CONNECTED)
            }
            Self::Proxy => ("proxy", Some(("", "", "PodProxyOptions")), PROXIED),
            Self::Token => {
                ("token", Some(("authentication.k8s.io", "v1", "TokenRequest")), CREATED)
            }
        };
        Described { name, kind, verbs }
    }
}

impl ResourceType {
    /// Returns the subresources of the type, in the order of a real server.
    pub(crate) fn subresources(&self) -> Vec<Subresource> {
        let mut served = Vec::new();
        if self.qualified() == "pods" {
            served.extend([
                Subresource::Attach,
                Subresource::Binding,
                Subresource::EphemeralContainers,
                Subresource::Eviction,
                Subresource::Exec,
                Subresource::Log,
                Subresource::PortForward,
                Subresource::Proxy,
                Subresource::Resize,
            ]);
        }
        if self.qualified() == "serviceaccounts" {
            served.push(Subresource::Token);
        }
        if self.qualified() == "namespaces" {
            served.push(Subresource::Finalize);
        }
        if self.qualified() == "certificatesigningrequests.certificates.k8s.io" {
            served.push(Subresource::Approval);
        }
        served.extend(self.scale.as_ref().map(|_| Subresource::Scale));
        let status = self.status.then_some(Subresource::Status);
        served.extend(status.filter(|_| !self.custom));
        if self.custom {
            served.splice(0..0, status);
        }
        served
    }

    /// Returns the subresource with this name.
    pub(crate) fn subresource(&self, name: &str) -> Option<Subresource> {
        self.subresources().into_iter().find(|served| served.described().name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stable_and_newer_versions_come_first() {
        let mut versions = vec!["foo", "v1alpha1", "v1", "v1beta2", "v10", "v2", "v1beta10", "bar"];
        versions.sort_by(|a, b| by_preference(a, b));
        let sorted = ["v10", "v2", "v1", "v1beta10", "v1beta2", "v1alpha1", "bar", "foo"];
        assert_eq!(versions, sorted);
    }
}
