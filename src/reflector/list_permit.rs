//! The permit to list, which the reflectors of a factory share.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError};
use tokio::time::sleep;

use super::step::End;

/// A permit to list. `None` if there is no limit.
type Permit = Option<OwnedSemaphorePermit>;

/// The permit of the current list, or the place in the queue for that of the next one.
///
/// A list for a proof waits in the queue while the watch goes on, because the watch may be the
/// proof meanwhile.
#[derive(Default)]
pub(super) struct ListPermit {
    permits: Option<Arc<Semaphore>>,
    held: Permit,
    queued: Option<(ListForProof, BoxFuture<'static, Permit>)>,
    /// The longest time for which a list that the server was too busy for keeps its permit.
    pub(super) busy_for: Option<Duration>,
}

/// A list that is to prove that the changes handed on are current.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListForProof {
    /// The end of the watch that this list causes.
    pub(super) end: End,
    /// True if nothing but a demand wants the list.
    pub(super) demanded: bool,
}

impl ListPermit {
    pub(super) fn new(permits: Option<Arc<Semaphore>>) -> Self {
        Self { permits, ..Self::default() }
    }

    /// Gives back what it holds, and leaves the queue.
    pub(super) fn reset(&mut self) {
        *self = Self::new(self.permits.take());
    }

    /// Takes the permit, if it is held. Dropping it gives it back.
    pub(super) fn take(&mut self) -> Permit {
        self.held.take()
    }

    pub(super) fn hold(&mut self, permit: Permit) {
        self.held = permit;
    }

    /// Returns the future of the permit of a list that is next. `None` if the permit is held, or
    /// there is no limit.
    pub(super) fn request(&mut self) -> Option<BoxFuture<'static, Permit>> {
        let queued = self.queued.take().map(|(_, permit)| permit);
        let needs = self.held.is_none() && self.permits.is_some();
        queued.or_else(|| needs.then(|| self.acquire()))
    }

    fn acquire(&self) -> BoxFuture<'static, Permit> {
        let Some(permits) = self.permits.clone() else { return ready(None).boxed() };
        match permits.clone().try_acquire_owned() {
            Err(TryAcquireError::NoPermits) => permits.acquire_owned().map(Result::ok).boxed(),
            // A closed semaphore sets no limit.
            permit => ready(permit.ok()).boxed(),
        }
    }

    /// Queues a list for a proof, unless one is queued.
    pub(super) fn queue(&mut self, list: ListForProof) {
        if let Some((queued, _)) = &mut self.queued {
            queued.demanded &= list.demanded;
            return;
        }
        let held = self.held.take();
        let permit = if held.is_some() { ready(held).boxed() } else { self.acquire() };
        self.queued = Some((list, permit));
    }

    /// Queues a list for a proof that has its permit, until this time is over.
    pub(super) fn put_off(&mut self, list: ListForProof, time: Duration) {
        let permit = self.held.take();
        self.queued = Some((list, sleep(time).map(|()| permit).boxed()));
    }

    /// Returns the queued list.
    pub(super) fn queued(&self) -> Option<ListForProof> {
        self.queued.as_ref().map(|(list, _)| *list)
    }

    /// Waits for the permit of the queued list, and holds it. Cancel safe.
    pub(super) async fn granted(&mut self) -> ListForProof {
        let Some((list, permit)) = &mut self.queued else { return pending().await };
        let (list, permit) = (*list, permit.await);
        (self.held, self.queued) = (permit, None);
        list
    }

    /// Gives back what it holds, and joins the queue again when it is next awaited.
    pub(super) fn give_back(&mut self) {
        self.held = None;
        if let Some((_, permit)) = &mut self.queued {
            let permits = self.permits.clone();
            let acquire = async move { permits?.acquire_owned().await.ok() };
            *permit = acquire.boxed();
        }
    }

    /// Leaves the queue.
    pub(super) fn leave_queue(&mut self) {
        self.queued = None;
    }
}
