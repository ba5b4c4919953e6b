//! The parts of a factory that a manager needs to explain why an informer does not sync.

use kube::Client;

use super::SharedInformerFactory;
use crate::informer::{InformerStatus, SharedInformer};

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

    /// Returns the informers with their paths.
    pub(crate) fn followed(&self) -> Vec<Followed> {
        let informers: Vec<_> = {
            let informers = self.shared.informers.lock();
            informers.iter().map(|(id, held)| (id.path.clone(), held.informer.clone())).collect()
        };
        let followed = |(path, informer): (String, SharedInformer)| Followed {
            path,
            status: informer.status(),
        };
        informers.into_iter().map(followed).collect()
    }
}
