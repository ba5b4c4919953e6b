//! What a user holds of a handler that was added.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::object::seconds;

/// A handler that was added. Dropping this leaves the handler where it is.
#[derive(Clone)]
pub struct HandlerRegistration {
    synced: watch::Receiver<bool>,
    finished: watch::Receiver<bool>,
    remove: Arc<dyn Fn() + Send + Sync>,
    status: Arc<dyn Fn() -> HandlerStatus + Send + Sync>,
}

/// How one handler is doing.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct HandlerStatus {
    /// The name it was added under, empty if none.
    pub name: Arc<str>,
    /// Whether it is through with what it is told first.
    pub synced: bool,
    /// How many events wait.
    pub backlog: usize,
    /// For how long the oldest of them has waited; zero where none does. Serialised as seconds.
    #[serde(with = "seconds")]
    pub lag: Duration,
    /// How many events it was given.
    pub delivered: u64,
    /// How many events were merged into another because the backlog was full.
    pub merged: u64,
    /// How many adds a delete took back before they were told.
    pub cancelled: u64,
    /// How many calls panicked.
    pub panics: u64,
}

impl HandlerRegistration {
    pub(super) fn new(
        synced: watch::Receiver<bool>,
        finished: watch::Receiver<bool>,
        remove: Arc<dyn Fn() + Send + Sync>,
        status: Arc<dyn Fn() -> HandlerStatus + Send + Sync>,
    ) -> Self {
        Self { synced, finished, remove, status }
    }

    /// Whether the handler has finished every initial add, panics included.
    pub fn has_synced(&self) -> bool {
        *self.synced.borrow()
    }

    /// Waits until [`has_synced`](Self::has_synced); `false` if the handler ended before.
    ///
    /// Cancel safe; any number of tasks may wait.
    pub async fn synced(&self) -> bool {
        let (mut synced, mut finished) = (self.synced.clone(), self.finished.clone());
        tokio::select! {
            biased;
            reached = synced.wait_for(|synced| *synced) => reached.is_ok(),
            _ = finished.wait_for(|finished| *finished) => self.has_synced(),
        }
    }

    /// Removes the handler: no further call is begun. Again is no error.
    ///
    /// A call that runs may still be running; [`removed`](Self::removed) waits for it.
    pub fn remove(&self) {
        (self.remove)();
    }

    /// Removes the handler and waits until it runs no more and will never be called again.
    ///
    /// Cancel safe: the handler is removed in any case. Not to be awaited by the handler itself.
    pub async fn removed(&self) {
        self.remove();
        // A closed channel has no handler behind it.
        let _ = self.finished.clone().wait_for(|finished| *finished).await;
    }

    /// How the handler is doing.
    pub fn status(&self) -> HandlerStatus {
        (self.status)()
    }
}

impl fmt::Debug for HandlerRegistration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandlerRegistration")
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}
