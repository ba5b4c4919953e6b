//! One signal for the changes of several informers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Resource;
use tokio::time::{Instant, sleep_until};

use super::{InformerGroup, InformerStopped, SharedInformer};
use crate::indexer::Indexer;
use crate::joining::Together;
use crate::time::after;

/// A signal that objects of some informers have changed, for loops that read all objects each time,
/// such as a scheduler's.
///
/// ```no_run
/// use std::time::Duration;
/// use k8s_openapi::api::core::v1::{Node, Pod};
/// use kube_informer::informer::InformerStopped;
/// use kube_informer::SharedInformer;
///
/// async fn schedule(
///     pods: SharedInformer<Pod>,
///     nodes: SharedInformer<Node>,
/// ) -> Result<(), InformerStopped> {
///     let mut changes = pods.changes().and(&nodes).debounce(Duration::from_millis(50));
///     loop {
///         changes.changed().await?;
///         println!("{} pods, {} nodes", pods.lister().len(), nodes.lister().len());
///     }
/// }
/// ```
#[must_use = "nothing waits before `changed` is awaited"]
pub struct Changes {
    followed: Vec<Box<dyn Changing>>,
    debounce: Duration,
    /// The time at which a seen change is signalled.
    due: Option<Instant>,
    began: bool,
}

/// The store of an informer of any object type, and the changes seen so far.
trait Changing: Send + Sync {
    /// Returns a number that all handles of the informer share.
    fn id(&self) -> usize;
    /// Waits for the sync. Returns false if the informer stops first.
    fn synced(&self) -> BoxFuture<'_, bool>;
    /// Waits until the objects differ from those seen. Returns false if the informer was stopped.
    fn changed(&self) -> BoxFuture<'_, bool>;
    /// Notes the present objects as seen.
    fn note(&mut self);
}

struct SeenChanges<K> {
    informer: SharedInformer<K>,
    changes: u64,
}

fn id<K>(informer: &SharedInformer<K>) -> usize {
    Arc::as_ptr(&informer.pipeline).addr()
}

impl<K: Resource + Send + Sync + 'static> Changing for SeenChanges<K> {
    fn id(&self) -> usize {
        id(&self.informer)
    }

    fn synced(&self) -> BoxFuture<'_, bool> {
        self.informer.pipeline.synced().boxed()
    }

    fn changed(&self) -> BoxFuture<'_, bool> {
        let indexer: &Indexer<K> = self.informer.indexer();
        let differs =
            indexer.find_in_changes(|store| (store.changes() != self.changes).then_some(()));
        async {
            tokio::select! {
                biased;
                () = differs => true,
                () = self.informer.stopped() => false,
            }
        }
        .boxed()
    }

    fn note(&mut self) {
        self.changes = self.informer.snapshot().changes();
    }
}

impl<K: Resource + Send + Sync + 'static> SharedInformer<K> {
    /// Returns a signal that objects of this informer have changed. Other informers can be
    /// [added](Changes::and) to it. The signal keeps its informers running.
    pub fn changes(&self) -> Changes {
        Changes::of([self])
    }
}

impl Changes {
    /// Creates a signal that objects of any of these informers have changed.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube_informer::SharedInformer;
    /// use kube_informer::informer::Changes;
    ///
    /// fn changes(clusters: &[SharedInformer<Pod>]) -> Changes {
    ///     Changes::of(clusters)
    /// }
    /// ```
    pub fn of<'a, K>(informers: impl IntoIterator<Item = &'a SharedInformer<K>>) -> Self
    where
        K: Resource + Send + Sync + 'static,
    {
        let mut changes =
            Self { followed: Vec::new(), debounce: Duration::ZERO, due: None, began: false };
        informers.into_iter().for_each(|informer| changes.add(informer));
        changes
    }

    /// Adds an informer, even after the signal was awaited. Has no effect if the signal already
    /// follows the informer.
    ///
    /// The objects that the informer stores, now or with its first list, count as a change. The
    /// first call of [`changed`](Self::changed) waits until all informers added before it have
    /// synced. Later calls do not wait for the sync of informers added since. To add informers
    /// while a task waits, use `select!`: `changed` is cancel safe.
    ///
    /// ```no_run
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube_informer::informer::Changes;
    /// use kube_informer::informer::InformerStopped;
    /// use kube_informer::SharedInformer;
    /// use tokio::sync::mpsc::Receiver;
    ///
    /// async fn follow(
    ///     mut changes: Changes,
    ///     mut joining: Receiver<SharedInformer<Pod>>,
    /// ) -> Result<(), InformerStopped> {
    ///     loop {
    ///         tokio::select! {
    ///             changed = changes.changed() => changed?,
    ///             Some(pods) = joining.recv() => changes.add(&pods),
    ///         }
    ///     }
    /// }
    /// ```
    pub fn add<K: Resource + Send + Sync + 'static>(&mut self, informer: &SharedInformer<K>) {
        if self.followed.iter().all(|one| one.id() != id(informer)) {
            self.followed.push(Box::new(SeenChanges { informer: informer.clone(), changes: 0 }));
        }
    }

    /// Removes an informer, and drops its handle. Remove it before it stops, or after
    /// [`changed`](Self::changed) has failed because it stopped. Returns whether the signal
    /// followed it.
    pub fn remove<K: Resource + Send + Sync + 'static>(
        &mut self,
        informer: &SharedInformer<K>,
    ) -> bool {
        let before = self.followed.len();
        self.followed.retain(|one| one.id() != id(informer));
        self.followed.len() < before
    }

    /// Also signals changes of another informer, or of a group of informers.
    pub fn and<K>(mut self, informers: impl Into<InformerGroup<K>>) -> Self
    where
        K: Resource + Send + Sync + 'static,
    {
        informers.into().informers().iter().for_each(|informer| self.add(informer));
        self
    }

    /// Collects changes for this period before they are signalled; zero unless set. The first
    /// change starts the period, so objects that change all the time are signalled once a period.
    pub fn debounce(mut self, period: Duration) -> Self {
        self.debounce = period;
        self
    }

    /// Waits until an object was added, has changed or was deleted since the last return. The first
    /// call returns when all informers have synced: it waits without limit if one never does, and
    /// does not start them. Bookmarks, resyncs and relists that find nothing new do not count.
    /// After the first call, a signal without informers waits until this future is dropped.
    ///
    /// Take snapshots after it returns: they show at least the signalled changes. Cancel safe: the
    /// next call signals a change already seen.
    ///
    /// # Errors
    /// [`InformerStopped`] if an informer was stopped: ask each handle for
    /// [`is_stopped`](SharedInformer::is_stopped). After that informer was [removed](Self::remove),
    /// the signal continues with the others.
    pub async fn changed(&mut self) -> Result<(), InformerStopped> {
        if self.began {
            self.wait_for_change().await?;
        } else {
            let synced = Together::all(self.followed.iter().map(|one| one.synced())).await;
            if !synced.into_iter().all(|synced| synced) {
                return Err(InformerStopped);
            }
            self.began = true;
        }
        self.followed.iter_mut().for_each(|one| one.note());
        Ok(())
    }

    /// Waits for a change, and until its period is over. A seen change stays noted if this future
    /// is dropped.
    async fn wait_for_change(&mut self) -> Result<(), InformerStopped> {
        let due = if let Some(due) = self.due {
            due
        } else {
            if !Together::first(self.followed.iter().map(|one| one.changed())).await {
                return Err(InformerStopped);
            }
            *self.due.insert(after(Instant::now(), self.debounce))
        };
        sleep_until(due).await;
        self.due = None;
        Ok(())
    }
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes")
            .field("informers", &self.followed.len())
            .field("debounce", &self.debounce)
            .finish_non_exhaustive()
    }
}
