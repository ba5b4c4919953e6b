//! A handle on a controller that runs in another task.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::status::ControllerStatus;
use super::status::StatusCell;
use crate::object::ObjectKey;
use crate::workqueue::{Priority, WorkQueue};

/// A handle on a controller that runs in another task: it reads the status and queues keys. Clones
/// are cheap.
///
/// ```no_run
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_informer::{Controller, ObjectKey};
///
/// # fn f(controller: Controller<ConfigMap>) -> Result<(), Box<dyn std::error::Error>> {
/// let handle = controller.handle();
/// handle.trigger(ObjectKey::from_parts(Some("shop"), "web")?);
/// println!("{} reconciles failed", handle.status().failed);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct ControllerHandle {
    pub(super) name: Arc<str>,
    pub(super) status: Arc<StatusCell>,
    pub(super) queue: WorkQueue<ObjectKey>,
}

impl ControllerHandle {
    /// Returns the controller's state at this moment. O(keys being reconciled).
    pub fn status(&self) -> ControllerStatus {
        self.status.read(&self.name, self.queue.status())
    }

    /// Updates the metrics that grow with time; see [`WorkQueue::publish`].
    pub fn publish(&self) {
        self.queue.publish();
    }

    /// Queues a key ahead of live changes, for a cause that no informer sees. A key in backoff or
    /// parked stays so, and gets the higher priority for later.
    ///
    /// Returns `false` when the controller has stopped.
    pub fn trigger(&self, key: ObjectKey) -> bool {
        self.queue.add_with(key, Priority::HIGH)
    }

    /// Queues a key after a delay. A key in backoff or parked stays so.
    ///
    /// Returns `false` when the controller has stopped.
    pub fn trigger_after(&self, key: ObjectKey, delay: Duration) -> bool {
        self.queue.add_after(key, delay)
    }
}

impl fmt::Debug for ControllerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControllerHandle").field("name", &self.name).finish_non_exhaustive()
    }
}
