//! The parts of a factory that a manager needs to explain why an informer does not sync.

use std::collections::HashSet;
use std::time::Duration;

use kube::Client;

use super::{SharedInformerFactory, wait_for_all};
use crate::informer::{InformerStatus, SyncError};
use crate::lister_watcher::Collection;

/// An informer of the factory.
pub(crate) struct Followed {
    /// The path of the collection of all namespaces, such as `/apis/apps/v1/deployments`.
    pub(crate) path: String,
    pub(crate) status: InformerStatus,
}

impl SharedInformerFactory {
    /// Returns the client that the informers use.
    pub(crate) fn client(&self) -> &Client {
        &self.shared.client
    }

    /// Returns the identities of the informers.
    pub(crate) fn identities(&self) -> HashSet<usize> {
        self.informers().iter().map(|informer| informer.identity()).collect()
    }

    /// Returns the informers with their paths.
    pub(crate) fn followed(&self) -> Vec<Followed> {
        let informers: Vec<_> = {
            let informers = self.shared.informers.lock();
            informers.iter().map(|(id, informer)| (id.path.clone(), informer.clone())).collect()
        };
        let followed = |(path, informer): (String, std::sync::Arc<dyn super::AnyInformer>)| {
            Followed { path, status: informer.status() }
        };
        informers.into_iter().map(followed).collect()
    }

    /// Waits like [`wait_for_sync`](Self::wait_for_sync), without the informers of these
    /// collections.
    pub(crate) async fn wait_for_others(
        &self,
        except: &[Collection],
        limit: Duration,
    ) -> Result<(), SyncError> {
        let mut informers = self.informers();
        informers.retain(|informer| !except.contains(&informer.status().collection));
        wait_for_all(&informers, limit).await
    }
}
