//! Audits of all informers of a factory, one at a time.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::sleep;

use super::SharedInformerFactory;
use super::registry::Registry;
use crate::informer::SharedInformer;

impl SharedInformerFactory {
    /// Starts the audits, unless they run or the builder did not ask for them.
    pub(super) fn start_audits(&self) {
        let (Some(interval), Ok(runtime)) = (self.shared.audits, Handle::try_current()) else {
            return;
        };
        let mut sets = self.shared.sets.lock();
        if std::mem::replace(&mut sets.audits, true) {
            return;
        }
        let (registry, stop) = (Arc::downgrade(&self.shared), sets.stop.clone());
        let auditing = async move {
            stop.run_until_cancelled(audit_all(registry, interval)).await;
        };
        sets.tasks.spawn_on(auditing, &runtime);
    }
}

/// Audits each informer in turn, and again after the interval, until the factory is gone.
async fn audit_all(registry: Weak<Registry>, interval: Duration) {
    loop {
        // The replicas of a program do not list at the same moment.
        sleep(interval.mul_f64(0.9 + 0.2 * fastrand::f64())).await;
        let Some(shared) = registry.upgrade() else { return };
        let informers = SharedInformerFactory { shared }.informers();
        // An audit does not keep its informer running.
        let synced = informers.iter().filter(|informer| informer.has_synced());
        let audits: Vec<_> = synced.map(SharedInformer::audited).collect();
        drop(informers);
        for audit in audits {
            audit.await;
        }
    }
}
