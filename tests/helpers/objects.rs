//! Objects, most of them in the namespace `shop`.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::api::ObjectMeta;
use kube_informer::ObjectKey;

pub(crate) fn metadata(namespace: &str, name: &str) -> ObjectMeta {
    let (namespace, name) = (Some(namespace.into()), Some(name.into()));
    ObjectMeta { namespace, name, ..ObjectMeta::default() }
}

/// Returns a config map in `shop` with this value under the key `value`.
pub(crate) fn map(name: &str, value: &str) -> ConfigMap {
    let data = Some(BTreeMap::from([("value".into(), value.into())]));
    ConfigMap { data, ..map_in("shop", name) }
}

/// Returns a config map without data.
pub(crate) fn map_in(namespace: &str, name: &str) -> ConfigMap {
    ConfigMap { metadata: metadata(namespace, name), ..ConfigMap::default() }
}

/// Returns a secret in `shop` that a config map controls.
pub(crate) fn secret_of(owner: &ConfigMap, name: &str) -> Secret {
    let owner = OwnerReference {
        api_version: "v1".into(),
        kind: "ConfigMap".into(),
        name: owner.metadata.name.clone().unwrap_or_default(),
        // An owner that was never created has the uid of no object.
        uid: owner.metadata.uid.clone().unwrap_or_else(|| "none".into()),
        controller: Some(true),
        ..OwnerReference::default()
    };
    let owner_references = Some(vec![owner]);
    let metadata = ObjectMeta { owner_references, ..metadata("shop", name) };
    Secret { metadata, ..Secret::default() }
}

/// Returns the key of an object in `shop`.
pub(crate) fn key(name: &str) -> ObjectKey {
    ObjectKey::namespaced("shop", name).unwrap()
}
