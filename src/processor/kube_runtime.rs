//! An informer's events in the form of kube-runtime's watcher, for stores and controllers of it.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures::{Stream, StreamExt};
use kube::Resource;
use kube::runtime::watcher;

use super::EventStream;
use crate::object::Event;

impl<K: Resource + Clone + Send + Sync + 'static> EventStream<K> {
    /// Converts this stream into the events of kube-runtime's `watcher`. An informer then feeds
    /// stores and controllers of kube-runtime.
    ///
    /// The objects of the first list, or those stored already, come between `Init` and `InitDone`.
    /// Each later change comes as `Apply` or `Delete`, in order. Deletions that the informer missed
    /// are among them. A relist gives only differences. Only a handler with a resync also receives
    /// unchanged objects, as `Apply`. An object that left the shard comes as `Delete`.
    ///
    /// The stream gives no errors: the informer retries, and its status has the last error. The
    /// stream ends when the informer stops.
    ///
    /// The events own their objects, so each is copied unless nothing else holds it. A `Store` of
    /// kube-runtime is a second cache of decoded objects.
    ///
    /// ```
    /// use futures::StreamExt;
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube::runtime::reflector::{self, Store, reflector};
    /// use kube_informer::SharedInformer;
    /// use kube_informer::informer::InformerStopped;
    ///
    /// /// Returns a store of kube-runtime that this informer fills.
    /// fn store_of(pods: &SharedInformer<Pod>) -> Result<Store<Pod>, InformerStopped> {
    ///     let (store, writer) = reflector::store();
    ///     let events = pods.events()?.into_watcher();
    ///     tokio::spawn(reflector(writer, events).for_each(async |_| {}));
    ///     Ok(store)
    /// }
    /// ```
    #[must_use = "a stream that is not polled fills its backlog"]
    pub fn into_watcher(
        self,
    ) -> impl Stream<Item = watcher::Result<watcher::Event<K>>> + Send + Unpin {
        WatcherEvents { events: self, phase: Phase::Start, later: None }
    }
}

/// A stream of an informer that speaks as kube-runtime's watcher does.
struct WatcherEvents<K> {
    events: EventStream<K>,
    phase: Phase,
    /// The event that was taken together with the end of the initial adds.
    later: Option<Event<K>>,
}

enum Phase {
    Start,
    /// Only initial adds come. A writer of kube-runtime would not remove an object that is deleted
    /// in this phase: the first list is one batch, and its end is queued before later changes.
    Initial,
    Following,
}

impl<K: Resource + Clone + Send + Sync + 'static> Stream for WatcherEvents<K> {
    type Item = watcher::Result<watcher::Event<K>>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Self { events, phase, later } = &mut *self;
        let polled = match phase {
            Phase::Start => {
                *phase = Phase::Initial;
                return Poll::Ready(Some(Ok(watcher::Event::Init)));
            }
            Phase::Initial => {
                let polled = events.poll_next_unpin(cx);
                if events.has_synced() {
                    *phase = Phase::Following;
                    if let Poll::Ready(event) = polled {
                        *later = event;
                    }
                    return Poll::Ready(Some(Ok(watcher::Event::InitDone)));
                }
                polled
            }
            Phase::Following => match later.take() {
                Some(event) => Poll::Ready(Some(event)),
                None => events.poll_next_unpin(cx),
            },
        };
        let Some(event) = ready!(polled) else { return Poll::Ready(None) };
        let event = match event {
            Event::Deleted { object, .. } | Event::MovedAway { object } => {
                watcher::Event::Delete(Arc::unwrap_or_clone(object))
            }
            Event::Added { object, .. } | Event::Updated { new: object, .. } => {
                let object = Arc::unwrap_or_clone(object);
                match phase {
                    Phase::Following => watcher::Event::Apply(object),
                    _ => watcher::Event::InitApply(object),
                }
            }
        };
        Poll::Ready(Some(Ok(event)))
    }
}
