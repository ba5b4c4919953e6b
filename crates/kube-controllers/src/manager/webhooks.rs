//! Webhooks as a part of a manager.

use kube_webhooks::Server;

use super::ManagerBuilder;
#[cfg(feature = "serve")]
use super::status::ManagerState;
use crate::controller::BoxError;

impl ManagerBuilder {
    /// Serves webhooks on every replica, from before the informers begin until all other tasks have
    /// ended. They are the task `webhooks`, so a second call makes
    /// [`build`](ManagerBuilder::build) fail: two tasks have one name.
    ///
    /// `/readyz` then has the check `webhooks`, which waits for the server's certificate. It does
    /// not wait for the first sync of a kind that these webhooks convert: its list needs the
    /// conversion, and the conversion's Service needs a ready pod. The other informers count as
    /// before. Webhooks that read informers name them with `Hook::reads`.
    pub fn webhooks(mut self, server: Server) -> Self {
        self.parts.webhooks = Some(server.webhooks().clone());
        self.task_before_sync("webhooks", |scope| async move {
            server.run(scope.token().clone()).await;
            Ok::<_, BoxError>(())
        })
    }
}

#[cfg(feature = "serve")]
impl ManagerState {
    /// Returns the check of the webhooks, if there are some.
    pub(super) fn check_webhooks(&self) -> Option<Result<(), String>> {
        self.webhooks.as_ref().map(kube_webhooks::Webhooks::check_reachable)
    }

    /// Returns whether the webhooks of this program convert the objects of a resource.
    pub(super) fn converts(&self, resource: &str) -> bool {
        self.webhooks.iter().any(|webhooks| webhooks.converted().any(|name| name == resource))
    }
}
