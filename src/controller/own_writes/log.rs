//! The writes of one controller, by the key they were made for.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use kube::Client;
use tokio::time::{Instant, sleep, timeout};

use super::client::{self, CURRENT};
use super::sight::Sight;
use super::target::Target;
use crate::indexer::WaitTimeout;
use crate::informer::StartError;
use crate::leader_election::WorkScope;
use crate::object::ObjectKey;
use crate::sync::Mutex;

/// The pause before a lost answer is asked after again.
const RETRY: Duration = Duration::from_secs(1);

/// A cache that will show writes, of whatever kind.
pub(crate) trait Cache: Send + Sync {
    /// Starts its informer if it does not run: what is never filled shows nothing.
    fn start(&self) -> Result<(), StartError>;
    /// Returns whether objects of this target come to this cache.
    fn holds(&self, target: &Target) -> bool;
    /// Expects something on behalf of `key`.
    fn expect(&self, key: &ObjectKey, object: Option<ObjectKey>, sight: Sight);
    /// Returns whether everything that was expected on behalf of `key` is shown.
    fn shows(&self, key: &ObjectKey) -> bool;
    /// Waits for that.
    fn seen<'a>(
        &'a self,
        key: &'a ObjectKey,
        limit: Duration,
    ) -> BoxFuture<'a, Result<(), WaitTimeout>>;
}

/// What a controller wrote, until its caches show it.
#[derive(Default)]
pub(crate) struct WriteLog {
    caches: Vec<Box<dyn Cache>>,
    /// Writes whose answer never came, by the key they were made for.
    lost: Mutex<HashMap<ObjectKey, Vec<Lost>>>,
}

/// A write that the server may have done or not.
#[derive(Clone)]
struct Lost {
    target: Target,
    client: Client,
}

/// The reason why a key still waits for its own writes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unobserved {
    /// The cache has not come so far.
    #[error(transparent)]
    WaitTimeout(#[from] WaitTimeout),
    /// The answer to a write was lost, and the server could not be asked what became of it.
    #[error("the answer to a write of {target} was lost, and reading it back failed")]
    Unanswered {
        /// The resource, name and namespace that were written.
        target: String,
        /// The reason why it could not be read back.
        #[source]
        source: kube::Error,
    },
    /// The wait panicked: in a layer of the client, or in the objects' own code.
    #[error("waiting for the cache to show own writes panicked: {0}")]
    Panicked(String),
}

impl WriteLog {
    pub(crate) fn new(caches: Vec<Box<dyn Cache>>) -> Self {
        Self { caches, lost: Mutex::default() }
    }

    /// Starts the informers of the caches.
    pub(crate) fn start(&self) -> Result<(), StartError> {
        self.caches.iter().try_for_each(|cache| match cache.start() {
            // A stopped one has nothing to wait for.
            Err(StartError::Stopped) => Ok(()),
            started => started,
        })
    }

    /// Returns whether a key has to wait for its own writes.
    pub(crate) fn waits(&self, key: &ObjectKey) -> bool {
        self.lost.lock().contains_key(key) || !self.caches.iter().all(|cache| cache.shows(key))
    }

    /// Waits until the caches show what was written on behalf of `key`. Cancel safe.
    pub(crate) async fn seen(&self, key: &ObjectKey, limit: Duration) -> Result<(), Unobserved> {
        let start = Instant::now();
        self.find_lost(key, start, limit).await?;
        for cache in &self.caches {
            cache.seen(key, limit.saturating_sub(start.elapsed())).await?;
        }
        Ok(())
    }

    /// Asks a quorum what became of the writes whose answers were lost.
    async fn find_lost(
        &self,
        key: &ObjectKey,
        start: Instant,
        limit: Duration,
    ) -> Result<(), Unobserved> {
        loop {
            let Some(lost) = self.lost.lock().get(key).and_then(|lost| lost.first().cloned())
            else {
                return Ok(());
            };
            let listing = client::quorum_list(&lost.client, &lost.target);
            let left = limit.saturating_sub(start.elapsed());
            let failed = match timeout(left, listing).await {
                Ok(Ok(found)) => {
                    for (object, sight) in found {
                        self.expect(key, &lost.target, object.as_ref(), &sight);
                    }
                    self.found(key, &lost.target);
                    continue;
                }
                Ok(Err(error)) => error,
                Err(_) => kube::Error::Service("no answer in time".into()),
            };
            if start.elapsed() + RETRY >= limit {
                let target = lost.target.to_string();
                return Err(Unobserved::Unanswered { target, source: failed });
            }
            sleep(RETRY).await;
        }
    }

    fn found(&self, key: &ObjectKey, target: &Target) {
        let mut all = self.lost.lock();
        if let Some(lost) = all.get_mut(key) {
            lost.retain(|lost| lost.target != *target);
            if lost.is_empty() {
                all.remove(key);
            }
        }
    }

    /// Expects every cache that holds the target to show something of it.
    pub(super) fn expect(
        &self,
        key: &ObjectKey,
        target: &Target,
        object: Option<&ObjectKey>,
        sight: &Sight,
    ) {
        for cache in self.caches.iter().filter(|cache| cache.holds(target)) {
            cache.expect(key, object.cloned(), sight.clone());
        }
    }

    /// Returns whether any cache will show what is written to this target.
    pub(super) fn holds(&self, target: &Target) -> bool {
        self.caches.iter().any(|cache| cache.holds(target))
    }

    /// Notes a write whose answer never came.
    pub(super) fn lose(&self, key: &ObjectKey, target: Target, client: Client) {
        let mut all = self.lost.lock();
        let lost = all.entry(key.clone()).or_default();
        if lost.iter().all(|other| other.target != target) {
            lost.push(Lost { target, client });
        }
    }
}

/// One running reconcile, as the client that it writes with knows it. A cheap clone.
#[derive(Clone)]
pub(crate) struct WriteScope(pub(super) Arc<Scope>);

pub(super) struct Scope {
    pub(super) key: ObjectKey,
    pub(super) log: Arc<WriteLog>,
    pub(super) term: WorkScope,
}

impl WriteScope {
    pub(crate) fn new(key: ObjectKey, log: Arc<WriteLog>, term: WorkScope) -> Self {
        Self(Arc::new(Scope { key, log, term }))
    }

    /// Runs a future as a part of the reconcile.
    pub(crate) fn enter<F: Future>(self, future: F) -> impl Future<Output = F::Output> {
        CURRENT.scope(self, future)
    }
}

impl fmt::Debug for WriteScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WriteScope").field(&self.0.key).finish()
    }
}
