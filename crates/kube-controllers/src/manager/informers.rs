//! The informers of a manager: its factory's, and the others that its controllers use.

#![allow(clippy::mutable_key_type, reason = "informers are equal and hashed by identity")]

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::join;

use crate::basics::Mutex;
use crate::controller::AnyController;
use kube_informer::factory::{FactoryStatus, SharedInformerFactory};
use kube_informer::informer::{InformerStatus, SharedInformer, StartError, SyncError};
use kube_informer::object::ChunkedVec;
use kube_informer::seams::{Together, wait_for_own};

/// The informers that a manager starts, awaits, shows and stops.
pub(super) struct Informers {
    pub(super) factory: SharedInformerFactory,
    others: Mutex<Others>,
}

/// The informers of other factories, or of none.
#[derive(Default)]
struct Others {
    live: Vec<SharedInformer>,
    /// The last status of those that have ended. Their stores are freed.
    last: Vec<InformerStatus>,
}

/// Stops these informers and waits until no task is left. The first poll stops them.
pub(super) async fn shutdown_all(informers: &[SharedInformer]) {
    Together::all(informers.iter().map(|informer| informer.shutdown().boxed())).await;
}

impl Informers {
    pub(super) fn new<'a>(
        factory: SharedInformerFactory,
        controllers: impl Iterator<Item = &'a Arc<dyn AnyController>>,
    ) -> Self {
        let mut known: HashSet<_> = factory.informers().into_iter().collect();
        let mut live = Vec::new();
        controllers.for_each(|controller| live.extend(controller.informers()));
        live.retain(|informer| known.insert(informer.clone()));
        Self { factory, others: Mutex::new(Others { live, last: Vec::new() }) }
    }

    pub(super) fn start(&self) -> Result<(), StartError> {
        self.factory.start()?;
        for informer in self.others() {
            match informer.start() {
                // The controller that follows it reports this.
                Ok(()) | Err(StartError::Stopped) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Waits until every informer of the program that no controller waits for has synced.
    pub(super) async fn wait_for_unfollowed(
        &self,
        controllers: &ChunkedVec<Arc<dyn AnyController>>,
        limit: Duration,
    ) -> Result<(), SyncError> {
        let mut followed = HashSet::new();
        for controller in controllers.iter() {
            followed.extend(controller.followed());
        }
        let mut informers = self.factory.informers();
        informers.extend(self.others());
        informers.retain(|informer| !followed.contains(informer));
        wait_for_own(informers, limit).await
    }

    /// Returns the status of every informer, and of these.
    pub(super) fn status(&self, added: Vec<SharedInformer>) -> FactoryStatus {
        let others = self.others.lock();
        let (mut live, last) = (others.live.clone(), others.last.clone());
        drop(others);
        if !added.is_empty() {
            let known = self.factory.informers();
            let mut known: HashSet<_> = known.into_iter().chain(live.iter().cloned()).collect();
            let mut added = added;
            added.retain(|one| known.insert(one.clone()) && !one.is_stopped());
            live.append(&mut added);
        }
        let mut found = self.factory.status().informers;
        found.extend(last);
        found.extend(live.iter().map(SharedInformer::status));
        found.into_iter().collect()
    }

    /// Stops every informer, and waits until no task of them is left. The first poll stops them.
    pub(super) async fn shutdown(&self) {
        let live = self.others();
        join(self.factory.shutdown(), shutdown_all(&live)).await;
        let last = live.iter().map(SharedInformer::status).collect();
        let mut others = self.others.lock();
        if !others.live.is_empty() {
            let freed = std::mem::replace(&mut *others, Others { live: Vec::new(), last });
            drop(others);
            drop(freed);
        }
    }

    fn others(&self) -> Vec<SharedInformer> {
        self.others.lock().live.clone()
    }
}
