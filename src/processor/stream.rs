//! The end of the pipeline for a handler that is a stream: the user polls it for each event.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, ready};

use futures::Stream;
use kube::Resource;

use super::listener::{Delivery, Finish, Listener};
use super::unread::Unread;
use super::{HandlerStatus, ProcessorState};
use crate::object::Event;
use crate::yield_budget::{TaskBudget, UNPACKING};

/// A stream of an informer's events, for asynchronous code.
///
/// A stream is a handler like any other. Its backlog is bounded by merging, and its first events
/// are adds of the stored objects. It ends when the informer stops. Polling for the next event
/// marks the previous one as finished. Dropping the stream removes the handler. The stream does not
/// keep the informer running: hold the informer or its factory.
///
/// ```no_run
/// use futures::StreamExt;
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::informer::InformerStopped;
/// use kube_informer::SharedInformer;
///
/// async fn follow(pods: &SharedInformer<Pod>) -> Result<(), InformerStopped> {
///     let mut events = pods.events()?;
///     while let Some(event) = events.next().await {
///         println!("{:?}", event.object().metadata.name);
///     }
///     Ok(())
/// }
/// ```
///
/// Each event consumes some of the task's tokio budget, so a task that only takes events lets
/// others run. A runtime of several threads must have its time enabled.
#[must_use = "a stream that is not polled fills its backlog"]
pub struct EventStream<K> {
    finish: Finish,
    shared: Weak<ProcessorState>,
    unread: Unread,
    budget: TaskBudget,
    kind: PhantomData<fn() -> K>,
}

impl<K> EventStream<K> {
    pub(super) fn new(listener: Arc<Listener>, shared: Weak<ProcessorState>) -> Self {
        let (unread, budget) = (Unread::default(), TaskBudget::default());
        Self { finish: Finish(listener), shared, unread, budget, kind: PhantomData }
    }

    /// Returns whether all initial adds were taken and the last of them is finished.
    pub fn has_synced(&self) -> bool {
        *self.finish.0.synced.borrow()
    }

    /// Returns the counters and the backlog of this handler.
    pub fn status(&self) -> HandlerStatus {
        self.finish.0.status()
    }
}

impl<K: Resource + Send + Sync + 'static> Stream for EventStream<K> {
    type Item = Event<K>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event<K>>> {
        loop {
            ready!(self.budget.poll_spend(cx));
            match ready!(self.finish.0.poll_delivery(cx)) {
                None => return Poll::Ready(None),
                Some(Delivery::InitialEnd) => {}
                Some(Delivery::Event(key, event)) => {
                    if event.object().is_packed() {
                        self.budget.charge(UNPACKING - 1);
                    }
                    let Self { finish: Finish(listener), unread, .. } = &mut *self;
                    let read = unread.prepare(&key, event.clone()).cast().read();
                    unread.note(&key, &event, &listener.dropper);
                    // A state that cannot be unpacked was reported before.
                    if read.is_some() {
                        return Poll::Ready(read);
                    }
                }
            }
        }
    }
}

impl<K> Drop for EventStream<K> {
    fn drop(&mut self) {
        ProcessorState::forget(&self.shared, self.finish.0.id());
    }
}

impl<K> fmt::Debug for EventStream<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream").field("status", &self.status()).finish_non_exhaustive()
    }
}
