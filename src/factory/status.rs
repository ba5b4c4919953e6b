//! One look at every informer.

use std::time::Duration;

use crate::informer::InformerStatus;

/// What every informer of a factory is doing and holds; never what objects say.
///
/// Made to be served as it is: serialised, durations are seconds, versions and errors are texts
/// beside what programs need of them, and the states of a reflector are told apart by `doing`.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// # use k8s_openapi::api::core::v1::Pod;
/// # use kube_informer::{SharedInformerFactory, testing::ApiServer};
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let factory = SharedInformerFactory::builder(ApiServer::new().client()).build();
/// factory.informer::<Pod>();
/// let status = serde_json::to_value(factory.status())?;
/// assert_eq!(status["informers"][0]["collection"]["resource"], "pods");
/// assert_eq!(status["informers"][0]["reflector"]["state"]["doing"], "idle");
/// # Ok::<(), serde_json::Error>(()) }).unwrap();
/// # }
/// ```
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct FactoryStatus {
    /// Its informers by name, resource and namespace. One that was stopped alone is not among
    /// them; one that failed is. After the factory was shut down, its last informers are.
    pub informers: Vec<InformerStatus>,
}

impl FactoryStatus {
    pub(super) fn new(mut informers: Vec<InformerStatus>) -> Self {
        informers.sort_by(|a, b| {
            let key = |status: &InformerStatus| {
                let collection = &status.collection;
                (status.name.clone(), collection.resource.clone(), collection.namespace.clone())
            };
            key(a).cmp(&key(b))
        });
        Self { informers }
    }

    /// Whether every informer has synced. True of none.
    pub fn synced(&self) -> bool {
        self.informers.iter().all(|informer| informer.synced)
    }

    /// Returns whether every informer has synced and is proved to be no older than `limit`. True of
    /// none. See [`InformerStatus::is_fresh`].
    pub fn fresh_within(&self, limit: Duration) -> bool {
        self.informers.iter().all(|informer| informer.is_fresh(limit))
    }
}
