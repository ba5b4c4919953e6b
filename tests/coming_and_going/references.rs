//! Config maps that name secrets of their namespaces.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_informer::ObjectKey;

use crate::helpers::{map_in, metadata};

pub(crate) fn secret(key: &ObjectKey, value: &str) -> Secret {
    let data = Some(BTreeMap::from([("password".into(), ByteString(value.into()))]));
    let metadata = metadata(key.namespace().unwrap(), key.name());
    Secret { metadata, data, ..Secret::default() }
}

pub(crate) fn key(text: &str) -> ObjectKey {
    text.parse().unwrap()
}

/// Returns a config map that names secrets of its namespace.
pub(crate) fn naming(namespace: &str, name: &str, secrets: &[&str]) -> ConfigMap {
    let data = secrets.iter().map(|secret| ((*secret).to_owned(), String::new()));
    ConfigMap { data: Some(data.collect()), ..map_in(namespace, name) }
}

pub(crate) fn named(map: &ConfigMap) -> Vec<ObjectKey> {
    let namespace = map.metadata.namespace.as_deref().unwrap();
    let names = map.data.iter().flatten();
    names.filter_map(|(name, _)| ObjectKey::namespaced(namespace, name).ok()).collect()
}

pub(crate) fn tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

pub(crate) fn value(secret: &Secret) -> String {
    let value = secret.data.iter().flat_map(|data| data.values()).next();
    value.map(|value| String::from_utf8(value.0.clone()).unwrap()).unwrap_or_default()
}
