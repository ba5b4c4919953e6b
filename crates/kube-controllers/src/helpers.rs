//! Objects and bombs that unit tests share.

#[cfg(shuttle)]
use k8s_openapi::api::core::v1::ConfigMap;
#[cfg(shuttle)]
use kube::api::ObjectMeta;
#[cfg(shuttle)]
use kube_informer::ObjectKey;

/// Returns the key of an object without a namespace.
#[cfg(shuttle)]
pub(crate) fn key(name: &str) -> ObjectKey {
    ObjectKey::cluster(name).unwrap()
}

/// Returns an object that has only a name.
#[cfg(shuttle)]
pub(crate) fn object(name: &str) -> ConfigMap {
    let metadata = ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() };
    ConfigMap { metadata, ..ConfigMap::default() }
}

/// A value whose `Drop` panics.
#[derive(Clone, Debug, thiserror::Error)]
#[error("a bomb")]
pub(crate) struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("dropped");
    }
}
