//! The mark of the cluster whose objects are kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use k8s_openapi::api::core::v1::Namespace;
use kube::Client;
use tokio::sync::OnceCell;
use tokio::time::timeout;

use super::kept::ask;
use super::resume::LIMIT;
use super::{WarmError, WarmStore};
use crate::transport::document::read_document;

/// The path of the namespace whose uid marks a cluster.
const KUBE_SYSTEM: &str = "/api/v1/namespaces/kube-system";

/// The time limit of the first answer, which may be lost. The server may be slow, so the next ones
/// get more.
const FIRST_ANSWER: Duration = Duration::from_secs(3);

/// A store, and the mark of the cluster once it is known. The informers of a factory share it.
pub(crate) struct ClusterStore {
    pub(super) store: Arc<dyn WarmStore>,
    mark: OnceCell<Arc<str>>,
    was_asked: AtomicBool,
}

impl ClusterStore {
    pub(crate) fn new(store: Arc<dyn WarmStore>) -> Self {
        Self { store, mark: OnceCell::new(), was_asked: AtomicBool::new(false) }
    }

    /// Returns whether the store has a mark for programs that may not get the namespace.
    pub(crate) fn has_own_mark(&self) -> bool {
        matches!(ask(|| self.store.cluster()), Ok(Some(_)))
    }

    /// Returns the uid of the namespace `kube-system`, or the store's mark if the server does not
    /// show it.
    ///
    /// # Errors
    /// Returns the problem, or `None` if it may pass.
    pub(super) async fn mark(&self, client: &Client) -> Result<Arc<str>, Option<WarmError>> {
        let asking = async {
            let reading = read_document::<Namespace>(client, KUBE_SYSTEM, "application/json");
            let limit = if self.was_asked.swap(true, Relaxed) { LIMIT } else { FIRST_ANSWER };
            let code = match timeout(limit, reading).await.map_err(|_| None)? {
                Ok(namespace) => match namespace.metadata.uid.filter(|uid| !uid.is_empty()) {
                    Some(uid) => return Ok(uid.into()),
                    None => 200,
                },
                Err(kube::Error::Api(status)) if matches!(status.code, 403 | 404) => status.code,
                Err(_) => return Err(None),
            };
            ask(|| self.store.cluster()).map_err(Some)?.ok_or_else(|| {
                let problem = format!(
                    "the cluster is not known: a get of the namespace kube-system was answered with \
                     {code} and no uid; allow the get, or give the cache a mark of the cluster"
                );
                Some(problem.into())
            })
        };
        self.mark.get_or_try_init(|| asking).await.cloned()
    }
}
