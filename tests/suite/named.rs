//! Config maps that have only a name, and waits.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;
use kube_informer::ObjectKey;
use kube_informer::reflector::ListMode;

/// Returns the key of an object without a namespace.
pub(crate) fn key(name: &str) -> ObjectKey {
    ObjectKey::cluster(name).unwrap()
}

/// Returns an object that has only a name.
pub(crate) fn object(name: &str) -> ConfigMap {
    let metadata = ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() };
    ConfigMap { metadata, ..ConfigMap::default() }
}

/// Lets every ready task run. Paused time advances only when all tasks wait.
pub(crate) async fn settle() {
    seconds(0.001).await;
}

pub(crate) async fn seconds(n: f64) {
    tokio::time::sleep(Duration::from_secs_f64(n)).await;
}

/// Returns the mode of a test that runs with and without streaming lists.
pub(crate) fn list_mode(streaming: bool) -> ListMode {
    if streaming { ListMode::Streaming } else { ListMode::Auto }
}
