//! The permit to read a list, which the reflectors of several servers share.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::status::ReflectorState;
use super::status_cell::StatusWriter;

/// The longest pause of an answer that keeps its permit.
const PATIENCE: Duration = Duration::from_secs(1);

/// A permit to read one answer. An answer that pauses gives it back, because it costs nothing then,
/// and a server that has died must not hold up the others.
pub(super) struct ReadPermit(Option<OwnedSemaphorePermit>);

impl ReadPermit {
    /// Waits for a permit, if there is a limit.
    pub(super) async fn take(permits: Option<Arc<Semaphore>>, status: &StatusWriter) -> Self {
        let Some(permits) = permits else { return Self(None) };
        if let Ok(permit) = permits.clone().try_acquire_owned() {
            return Self(Some(permit));
        }
        let lists = status.cell().state();
        status.enter(ReflectorState::AwaitingPermit);
        // A closed semaphore sets no limit.
        let permit = permits.acquire_owned().await.ok();
        status.enter(lists);
        Self(permit)
    }

    /// Waits for the next part of the answer.
    pub(super) async fn lend<T>(&mut self, next: impl Future<Output = T>) -> T {
        if self.0.is_none() {
            return next.await;
        }
        let mut next = pin!(next);
        if let Ok(next) = timeout(PATIENCE, &mut next).await {
            return next;
        }
        self.0 = None;
        next.await
    }
}
