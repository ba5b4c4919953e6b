//! The task of a handler before it is spawned.

use std::fmt;
use std::sync::Arc;

use crate::sync::Mutex;
use futures::future::BoxFuture;

type Slot = Arc<Mutex<Option<BoxFuture<'static, ()>>>>;

/// A handler's task that is not spawned yet. Dropping it ends the handler.
#[must_use = "a handler is called only while its task runs"]
pub struct HandlerTask {
    handler: Arc<str>,
    slot: Slot,
}

/// A handle that ends a [`HandlerTask`] if it is not spawned yet.
pub(super) struct Revoke(Slot);

impl HandlerTask {
    pub(super) fn new(handler: Arc<str>, task: BoxFuture<'static, ()>) -> (Self, Revoke) {
        let slot = Arc::new(Mutex::new(Some(task)));
        (Self { handler, slot: slot.clone() }, Revoke(slot))
    }

    /// Calls the handler for each event, until it is removed or the processor is closed.
    ///
    /// A call that panics is counted and logged, and the next event is delivered. Dropping the
    /// future ends the handler.
    pub async fn run(self) {
        if let Some(task) = self.take() {
            task.await;
        }
    }

    /// Returns the handler's name.
    pub(crate) fn handler(&self) -> &str {
        &self.handler
    }

    /// Takes the future to spawn. `None` if the handler was removed meanwhile.
    pub(crate) fn take(&self) -> Option<BoxFuture<'static, ()>> {
        self.slot.lock().take()
    }
}

impl Drop for HandlerTask {
    fn drop(&mut self) {
        drop(self.take());
    }
}

impl fmt::Debug for HandlerTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandlerTask").field("handler", &self.handler).finish_non_exhaustive()
    }
}

impl Revoke {
    pub(super) fn revoke(&self) {
        // Not under the lock: the future drops the user's handler.
        let task = self.0.lock().take();
        drop(task);
    }
}
