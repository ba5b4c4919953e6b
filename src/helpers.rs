//! Objects, bombs and waits that unit tests share.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;

use crate::object::ObjectKey;

/// Returns the key of an object without a namespace.
pub(crate) fn key(name: &str) -> ObjectKey {
    ObjectKey::cluster(name).unwrap()
}

/// Returns an object that has only a name.
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

/// Lets every ready task run. Paused time advances only when all tasks wait.
pub(crate) async fn settle() {
    seconds(0.001).await;
}

pub(crate) async fn seconds(n: f64) {
    tokio::time::sleep(Duration::from_secs_f64(n)).await;
}
