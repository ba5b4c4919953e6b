//! The removal of single informers from a factory.

use kube::Resource;

use super::SharedInformerFactory;
use crate::informer::{InformerGroup, SharedInformer};

impl SharedInformerFactory {
    /// Stops an informer, or a group of informers, for every holder, and waits until no task of it
    /// is left. Returns whether the factory had all of them. An informer of another factory
    /// is left alone.
    ///
    /// The factory forgets the informer at once: the next request makes a new one. Its handlers are
    /// dropped with the events that wait for them; call
    /// [`shutdown_with_drain`](SharedInformer::shutdown_with_drain) first to have these handled.
    /// Its streams end, its metrics go, and a controller that follows it ends with an error. Every
    /// handle, [lister](SharedInformer::lister) and index reads *stopped*. The objects stay readable
    /// as they were, and are freed with the last handle, lister, index or snapshot.
    ///
    /// Dropping handles does not do this, because the factory holds its informers.
    ///
    /// Cancel safe: the informers stop even if this future is dropped after its first poll.
    ///
    /// ```
    /// # #[cfg(feature = "testing")] {
    /// # use k8s_openapi::api::core::v1::Secret;
    /// # use kube_informer::{SharedInformerFactory, testing::ApiServer};
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let factory = SharedInformerFactory::builder(ApiServer::new().client()).build();
    /// let secrets = factory.informer::<Secret>();
    /// assert!(factory.remove(&secrets).await);
    /// assert!(secrets.is_stopped() && factory.status().informers.is_empty());
    /// # });
    /// # }
    /// ```
    pub async fn remove<K>(&self, informers: impl Into<InformerGroup<K>>) -> bool
    where
        K: Resource + Send + Sync + 'static,
    {
        let given = informers.into();
        let given = given.informers();
        let own = given.iter().filter(|informer| self.holds(informer)).cloned();
        let own = InformerGroup::new(own);
        own.shutdown().await;
        own.informers().len() == given.len()
    }

    /// Returns whether this informer is one of the factory's.
    pub(crate) fn holds<K: ?Sized>(&self, informer: &SharedInformer<K>) -> bool {
        let informers = self.shared.informers.lock();
        informers.values().any(|held| held.informer == *informer)
    }
}
