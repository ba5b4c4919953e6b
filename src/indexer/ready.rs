//! Index functions that many programs need.

use kube::Resource;
use serde::Serialize;

use super::field_values::values_at;

/// Returns the uid of an object's controlling owner, as an index function.
///
/// An index by it finds what an object controls, however many objects there are:
///
/// ```
/// use std::sync::Arc;
/// use k8s_openapi::api::apps::v1::ReplicaSet;
/// use k8s_openapi::api::core::v1::Pod;
/// use kube::ResourceExt;
/// use kube_informer::indexer::by_controller;
/// use kube_informer::indexer::IndexError;
/// use kube_informer::{Index, SharedInformer};
///
/// fn by_owner(pods: &SharedInformer<Pod>) -> Result<Index<Pod>, IndexError> {
///     // In compact storage, only this field is unpacked.
///     pods.add_index_on("owner", ["metadata.ownerReferences"], by_controller)
/// }
///
/// fn pods_of(set: &ReplicaSet, by_owner: &Index<Pod>) -> Vec<Arc<Pod>> {
///     by_owner.get(&set.uid().unwrap_or_default())
/// }
/// ```
pub fn by_controller<K: Resource>(object: &K) -> Option<String> {
    let mut owners = object.meta().owner_references.iter().flatten();
    let controller = owners.find(|owner| owner.controller == Some(true))?;
    Some(controller.uid.clone())
}

/// Returns an index function that gives the value of a label.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::indexer::by_label;
/// use kube_informer::indexer::IndexError;
/// use kube_informer::{Index, SharedInformer};
///
/// fn by_app(pods: &SharedInformer<Pod>) -> Result<Index<Pod>, IndexError> {
///     pods.add_index_on("app", ["metadata.labels"], by_label("app.kubernetes.io/name"))
/// }
/// ```
pub fn by_label<K: Resource>(
    label: impl Into<String>,
) -> impl Fn(&K) -> Option<String> + Clone + Send + Sync + 'static {
    let label = label.into();
    move |object| object.meta().labels.as_ref()?.get(&label).cloned()
}

/// Returns an index function that gives the values of a field, named by its path in the object's
/// JSON, such as `spec.nodeName`. A path passes through lists: `spec.volumes.secret.secretName`
/// gives the secrets of all volumes.
///
/// Strings, numbers and booleans count; an object has no values where the field is missing, null
/// or something else. A field whose own name has a dot cannot be named.
///
/// The function walks through the object's `Serialize`: O(object). A closure that reads a field of
/// the type is O(1). Use this for [`DynamicObject`](kube::api::DynamicObject), and for paths that
/// are known only at run time.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::indexer::by_field;
///
/// let secrets = by_field("spec.volumes.secret.secretName");
/// let volume = r#"{"name": "keys", "secret": {"secretName": "a"}}"#;
/// let pod = format!(r#"{{"spec": {{"containers": [], "volumes": [{volume}]}}}}"#);
/// let pod: Pod = serde_json::from_str(&pod)?;
/// assert_eq!(secrets(&pod), ["a"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn by_field<K: Serialize>(
    path: &str,
) -> impl Fn(&K) -> Vec<String> + Clone + Send + Sync + 'static {
    let path: Vec<String> = path.split('.').map(str::to_owned).collect();
    move |object| match values_at(object, &path) {
        Ok(values) => values,
        Err(error) => {
            tracing::error!(field = path.join("."), %error, "object cannot be serialized for an index");
            Vec::new()
        }
    }
}
