//! The status of all informers of a factory.

use std::time::Duration;

use crate::informer::InformerStatus;

/// The status of all informers of a factory, at one moment. It never contains the contents of
/// objects.
///
/// It can be served as it is. Serialised, durations are seconds. Versions and errors are text, with
/// the fields that programs need beside them. The field `doing` names the state of a reflector.
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
    /// The informers, sorted by name, resource and namespace. An informer that was stopped by its
    /// own handle is left out. One that failed is included. After the factory was shut down, this
    /// holds the last status of each informer.
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

    /// Returns whether every informer has synced. True if there are none.
    pub fn synced(&self) -> bool {
        self.informers.iter().all(|informer| informer.synced)
    }

    /// Returns whether every informer has synced and is proved to be no older than `limit`. True if
    /// there are none. See [`InformerStatus::is_fresh`].
    pub fn fresh_within(&self, limit: Duration) -> bool {
        self.informers.iter().all(|informer| informer.is_fresh(limit))
    }
}
