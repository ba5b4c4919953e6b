//! A registry of host names. It stands for a service outside of the cluster, such as DNS.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

/// The hosts and their owners. Clones are cheap and share them.
///
/// A client of a real service has the same two calls. Both may be repeated, because a reconcile may
/// be.
#[derive(Clone, Default)]
pub(crate) struct Registry(Arc<Mutex<BTreeMap<String, String>>>);

/// The error of a host that has another owner.
#[derive(Debug, thiserror::Error)]
#[error("the host {0} belongs to another owner")]
pub(crate) struct HostTaken(String);

impl Registry {
    /// Enters a host, and removes the owner's other hosts.
    #[expect(clippy::unused_async, reason = "a real registry is asked over the network")]
    pub(crate) async fn register(&self, host: &str, owner: &str) -> Result<(), HostTaken> {
        let mut hosts = self.0.lock();
        hosts.retain(|entered, by| entered == host || by != owner);
        let by = hosts.entry(host.to_owned()).or_insert_with(|| owner.to_owned());
        if by == owner { Ok(()) } else { Err(HostTaken(host.to_owned())) }
    }

    /// Removes all hosts of an owner.
    #[expect(clippy::unused_async, reason = "a real registry is asked over the network")]
    pub(crate) async fn release(&self, owner: &str) {
        self.0.lock().retain(|_, by| by != owner);
    }

    /// Returns all hosts.
    pub(crate) fn hosts(&self) -> Vec<String> {
        self.0.lock().keys().cloned().collect()
    }
}
