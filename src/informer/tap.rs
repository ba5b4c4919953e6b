//! Taps of an informer.

use std::sync::Arc;

use super::{InformerStopped, SharedInformer};
use crate::indexer::Snapshot;
use crate::object::{CachedEvent, ObjectKey};
use crate::processor::{Tap, TapSource};
use crate::warm::PendingDeletes;

impl<K: ?Sized> SharedInformer<K> {
    /// Adds a tap, which gives every state unmerged, and returns a snapshot of the store: the tap
    /// gives each later change.
    ///
    /// With [kept objects](crate::warm), a tap begins with the deletes that happened before the
    /// start, as far as these objects show them, and with up to 10,000 deletes since the first
    /// list. This holds for ten minutes after the first list, and longer while such a delete is
    /// [pending](Self::pending_deletes).
    ///
    /// At most `capacity` events wait, or one if it is zero. While the tap is full, the informer
    /// stores no further change, and
    /// [`InformerStatus::held_up_by`](super::InformerStatus::held_up_by) has the tap's name. A tap
    /// gets no resyncs. Keep reading it, or drop it.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube_informer::informer::InformerStopped;
    /// use kube_informer::SharedInformer;
    ///
    /// /// Prints each phase that a pod enters. A handler that lags behind could miss one.
    /// async fn audit(pods: SharedInformer<Pod>) -> Result<(), InformerStopped> {
    ///     let (mut tap, stored) = pods.tap("audit", 1_000)?;
    ///     println!("{} pods before", stored.len());
    ///     while let Some((key, event)) = tap.next().await {
    ///         let phase = |pod: &Pod| pod.status.as_ref()?.phase.clone();
    ///         println!("{key}: {:?}", event.object().get().and_then(|pod| phase(&pod)));
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// [`InformerStopped`] if the informer was stopped.
    pub fn tap(
        &self,
        name: impl Into<Arc<str>>,
        capacity: usize,
    ) -> Result<(Tap<K>, Snapshot<K>), InformerStopped> {
        let dropper = self.pipeline.dropper.clone();
        let (source, events) = TapSource::channel(name.into(), capacity, dropper);
        let (tap, stored) = self.pipeline.tap(source, Some(events))?;
        let view = self.indexer.view();
        Ok((tap.through(view.cloned()), stored.through(view)))
    }

    /// Keeps deletes pending until the consumer of this name has acted on them, also beyond the end
    /// of this run. Returns `None` without [kept caches](crate::warm).
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube_informer::informer::{InformerStopped, ReadBarrier};
    /// use kube_informer::{CachedEvent, SharedInformer};
    ///
    /// /// Releases the address of each pod that is deleted. A run that is killed meanwhile leaves
    /// /// it to the next one.
    /// async fn release(pods: SharedInformer<Pod>) -> Result<(), InformerStopped> {
    ///     let pending = pods.pending_deletes("release");
    ///     let (mut tap, _) = pods.tap("release", 1_000)?;
    ///     while let Some((key, event)) = tap.next().await {
    ///         let seen = ReadBarrier::now();
    ///         if matches!(event, CachedEvent::Deleted { .. }) {
    ///             println!("release the address of {key}");
    ///             if let Some(pending) = &pending {
    ///                 pending.finish(&key, seen);
    ///             }
    ///         }
    ///     }
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub fn pending_deletes(&self, name: impl Into<Arc<str>>) -> Option<PendingDeletes> {
        let kept = self.pipeline.kept.as_ref()?;
        Some(kept.pending_deletes(name.into(), || self.pipeline.indexer.snapshot()))
    }

    /// Adds a tap that the processing loop calls, and returns a snapshot of the store. The function
    /// must be short. A panic is caught and logged.
    #[doc(hidden)]
    pub fn tap_with(
        &self,
        call: impl Fn(&ObjectKey, &CachedEvent) + Send + Sync + 'static,
    ) -> Result<(Tap, Snapshot), InformerStopped> {
        let view = self.indexer.view().cloned();
        let seen = view.clone();
        let call = move |key: &ObjectKey, event: &CachedEvent| match &seen {
            None => call(key, event),
            Some(view) => call(key, &view.show_event(event.clone())),
        };
        let (tap, stored) = self.pipeline.tap(TapSource::Call(Box::new(call)), None)?;
        Ok((tap, stored.through(view.as_ref())))
    }
}
