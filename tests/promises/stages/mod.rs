//! Reflector, queue, store and handlers under panics, lag and load.

pub(crate) mod bombs;
mod ending;
mod endless;
mod long_polls;
mod packed_bombs;
mod payloads;
mod resyncing;
mod supervision;
mod user_code;

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;
use kube_informer::ObjectKey;
use kube_informer::testing::FakeSource;

const SOON: Duration = Duration::from_secs(60);

fn object(name: &str) -> ConfigMap {
    let metadata = ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() };
    ConfigMap { metadata, ..ConfigMap::default() }
}

fn key(name: &str) -> ObjectKey {
    ObjectKey::cluster(name).unwrap()
}

fn filled(count: usize) -> Arc<FakeSource<ConfigMap>> {
    let source = Arc::new(FakeSource::new("configmaps", "ConfigMap"));
    for n in 0..count {
        source.put(object(&format!("map-{n}")));
    }
    source
}

/// Lets everything that can happen now happen. Paused time moves on only when all tasks wait.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}
