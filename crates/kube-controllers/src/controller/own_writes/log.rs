//! The writes of one controller, by the key of the reconcile that made them.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kube::Client;
use tokio::time::{Instant, sleep, timeout};

use super::cache::{Cache, CacheBefore};
use super::lookup::quorum_list;
use super::target::WriteTarget;
use crate::basics::Mutex;
use kube_informer::indexer::WaitTimeout;
use kube_informer::informer::{SharedInformer, StartError};
use kube_informer::object::ObjectKey;

/// The longest time for the proof that a cache is newer than writes that it does not show.
const PROOF_TIMEOUT: Duration = Duration::from_secs(10);

/// The pause between two lookups of a write whose answer was lost.
const RETRY: Duration = Duration::from_secs(1);

/// The writes of a controller that its caches do not show yet.
#[derive(Default)]
pub(crate) struct WriteLog {
    caches: Mutex<Arc<[Cache]>>,
    /// Writes whose answer never came, by the key of the reconcile.
    lost: Mutex<HashMap<ObjectKey, Vec<Lost>>>,
    /// The number of writes that were lost so far.
    losses: AtomicU64,
}

/// A write that the server may or may not have made.
#[derive(Clone)]
struct Lost {
    /// The number of the last loss of this target. A list that began before it shows nothing of it.
    number: u64,
    target: WriteTarget,
    /// The client of the next lookup, and another one that lost a write of this target. The server
    /// may allow only one of them to list.
    clients: [Client; 2],
    /// True if the write deleted an object that a cache did not show.
    deleted_unseen: bool,
}

/// The reason why a key still waits for its own writes.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unobserved {
    /// The cache has not reached the version of the write.
    #[error(transparent)]
    WaitTimeout(#[from] WaitTimeout),
    /// The answer to a write was lost, and the list that would show its effect failed.
    #[error("the answer to a write of {target} was lost, and reading it back failed")]
    Unanswered {
        /// The resource, name and namespace that were written.
        target: String,
        /// The cause of the list's failure.
        #[source]
        source: kube::Error,
    },
    /// A layer of the client, or the objects' own code, panicked during the wait.
    #[error("waiting for the cache to show own writes panicked: {0}")]
    Panicked(String),
}

impl WriteLog {
    pub(crate) fn new(caches: Vec<Cache>) -> Self {
        Self { caches: Mutex::new(caches.into()), ..Self::default() }
    }

    fn caches(&self) -> Arc<[Cache]> {
        self.caches.lock().clone()
    }

    /// Also waits for writes to the objects of these informers, until the guard is dropped.
    pub(crate) fn follow(
        self: &Arc<Self>,
        informers: impl IntoIterator<Item = SharedInformer>,
    ) -> CacheGuard {
        let new: Vec<_> = informers.into_iter().map(Cache::new).collect();
        let mut caches = self.caches.lock();
        *caches = caches.iter().chain(&new).cloned().collect();
        CacheGuard { log: self.clone(), caches: new }
    }

    /// Starts the informers of the caches.
    pub(crate) fn start(&self) -> Result<(), StartError> {
        self.caches().iter().try_for_each(|cache| match cache.start() {
            // Nothing waits for a stopped informer.
            Err(StartError::Stopped) => Ok(()),
            started => started,
        })
    }

    /// Returns the informers of the caches.
    pub(crate) fn informers(&self) -> Vec<SharedInformer> {
        self.caches().iter().map(Cache::informer).collect()
    }

    /// Returns whether a key has to wait for its own writes.
    pub(crate) fn waits(&self, key: &ObjectKey) -> bool {
        self.lost.lock().contains_key(key) || !self.caches().iter().all(|cache| cache.shows(key))
    }

    /// Waits until the caches show all writes made for `key`. A write that a cache does not show
    /// within `limit` is given up if a newer state does not show it either. Cancel safe.
    pub(crate) async fn wait_observed(
        &self,
        key: &ObjectKey,
        limit: Duration,
    ) -> Result<(), Unobserved> {
        let start = Instant::now();
        self.find_lost(key, start, limit).await?;
        for cache in &*self.caches() {
            let left = limit.saturating_sub(start.elapsed());
            cache.wait_or_prove(key, left, PROOF_TIMEOUT).await?;
        }
        Ok(())
    }

    /// Lists from a quorum each object whose write got no answer.
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
            let sights = self.sights(&lost.target);
            let Lost { clients: [client, _], target, deleted_unseen, .. } = &lost;
            let listing = quorum_list(client, target, &sights, *deleted_unseen);
            let left = limit.saturating_sub(start.elapsed());
            let failed = match timeout(left, listing).await {
                Ok(Ok((listed, found))) => {
                    for sight in &sights {
                        sight.doubt(key, &listed);
                        if let Some((written, expectation)) = &found {
                            sight.expect(key, written.as_ref(), expectation, false);
                        }
                    }
                    self.found(key, lost.number);
                    continue;
                }
                Ok(Err(error)) => error,
                Err(_) => kube::Error::Service("no answer in time".into()),
            };
            self.swap_clients(key, &lost.target);
            if start.elapsed() + RETRY >= limit {
                let target = lost.target.to_string();
                return Err(Unobserved::Unanswered { target, source: failed });
            }
            sleep(RETRY).await;
        }
    }

    /// Has the other client make the next lookup of this target.
    fn swap_clients(&self, key: &ObjectKey, target: &WriteTarget) {
        let mut all = self.lost.lock();
        let mut lost = all.get_mut(key).into_iter().flatten();
        if let Some(lost) = lost.find(|lost| lost.target == *target) {
            lost.clients.swap(0, 1);
        }
    }

    /// Forgets a lost write, unless another one of its target was lost after it.
    fn found(&self, key: &ObjectKey, number: u64) {
        let mut all = self.lost.lock();
        if let Some(lost) = all.get_mut(key) {
            lost.retain(|lost| lost.number != number);
            if lost.is_empty() {
                all.remove(key);
            }
        }
    }

    /// Returns the state of the caches that will show writes to this target.
    pub(super) fn sights(&self, target: &WriteTarget) -> Vec<CacheBefore> {
        self.caches().iter().filter_map(|cache| cache.sight(target)).collect()
    }

    /// Notes a write whose answer never came, or does not say enough.
    pub(super) fn lose(
        &self,
        key: &ObjectKey,
        target: WriteTarget,
        client: Client,
        deleted_unseen: bool,
    ) {
        let mut all = self.lost.lock();
        let number = self.losses.fetch_add(1, Ordering::Relaxed);
        let lost = all.entry(key.clone()).or_default();
        // A cache without the object may not have shown its creation yet.
        let deleted_unseen = deleted_unseen || lost.iter().any(|other| target.ends(&other.target));
        if let Some(known) = lost.iter_mut().find(|other| other.target == target) {
            known.number = number;
            known.clients[1] = client;
            known.deleted_unseen |= deleted_unseen;
        } else {
            let clients = [client.clone(), client];
            lost.push(Lost { number, target, clients, deleted_unseen });
        }
    }
}

/// A guard of caches that show a controller's writes.
pub(crate) struct CacheGuard {
    log: Arc<WriteLog>,
    caches: Vec<Cache>,
}

impl Drop for CacheGuard {
    fn drop(&mut self) {
        let mut caches = self.log.caches.lock();
        let is_own = |cache: &Cache| self.caches.iter().any(|own| own.is_same(cache));
        let left = caches.iter().filter(|cache| !is_own(cache)).cloned().collect();
        let before = std::mem::replace(&mut *caches, left);
        // Not under the lock: the last handle of an informer frees its store.
        drop(caches);
        drop(before);
        self.caches.iter().for_each(Cache::remove);
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use http::{Method, Request, Response};
    use http_body_util::Full;
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::client::Body;
    use kube_informer::factory::SharedInformerFactory;
    use kube_informer::testing::ApiServer;
    use tokio::task::yield_now;

    use super::*;
    use crate::controller::own_writes::Expectation;

    const LIMIT: Duration = Duration::from_secs(10);

    /// The second write begins while the list for the first one is on its way.
    #[tokio::test(start_paused = true)]
    async fn loss_during_a_lookup_is_looked_up_itself() {
        let lists = Arc::new(AtomicU64::new(0));
        let asked = lists.clone();
        let service = tower::service_fn(move |_: Request<Body>| {
            asked.fetch_add(1, Ordering::Relaxed);
            async {
                sleep(Duration::from_secs(1)).await;
                let list = r#"{"kind": "PartialObjectMetadataList",
                    "metadata": {"resourceVersion": "5"}, "items": []}"#;
                Ok::<_, io::Error>(Response::new(Full::from(list)))
            }
        });
        let client = Client::new(service, "default");
        let log = Arc::new(WriteLog::new(Vec::new()));
        let key = ObjectKey::namespaced("shop", "a").unwrap();
        let lose = |name: &str| {
            let path = format!("/api/v1/namespaces/shop/configmaps/{name}");
            let target = WriteTarget::of(&Method::PUT, &path, None).unwrap();
            log.lose(&key, target, client.clone(), false);
        };
        // Two losses before the list are one question.
        lose("one");
        lose("one");
        lose("other");
        let (waits, waited) = (log.clone(), key.clone());
        let waiting = tokio::spawn(async move { waits.wait_observed(&waited, LIMIT).await });
        while lists.load(Ordering::Relaxed) == 0 {
            yield_now().await;
        }
        lose("one");
        waiting.await.unwrap().unwrap();
        assert_eq!(lists.load(Ordering::Relaxed), 3, "one, one again, and the other");
        assert!(!log.waits(&key));
    }

    /// The server lets only one of two clients list, or answers only one of them.
    #[tokio::test(start_paused = true)]
    async fn two_lost_writes_are_looked_up_with_either_client() {
        let list = r#"{"kind": "PartialObjectMetadataList", "metadata": {"resourceVersion": "5"},
            "items": []}"#;
        let client = |fails: Option<Duration>| {
            let service = tower::service_fn(move |_: Request<Body>| async move {
                if let Some(time) = fails {
                    sleep(time).await;
                    return Err(io::Error::other("refused"));
                }
                Ok(Response::new(Full::from(list)))
            });
            Client::new(service, "default")
        };
        let key = ObjectKey::namespaced("shop", "a").unwrap();
        let target = || {
            WriteTarget::of(&Method::PUT, "/api/v1/namespaces/shop/configmaps/one", None).unwrap()
        };
        for time in [Duration::ZERO, LIMIT * 10] {
            for clients in [[None, Some(time)], [Some(time), None]] {
                let log = Arc::new(WriteLog::new(Vec::new()));
                for fails in clients {
                    log.lose(&key, target(), client(fails), false);
                }
                // A client that does not answer takes all of the first wait.
                let _ = log.wait_observed(&key, LIMIT).await;
                log.wait_observed(&key, LIMIT).await.unwrap();
                assert!(!log.waits(&key), "{clients:?}");
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn no_key_waits_for_a_removed_cache() {
        let factory = SharedInformerFactory::builder(ApiServer::new().client()).build();
        let informer = factory.informer::<ConfigMap>();
        factory.start().unwrap();
        informer.wait_for_sync(LIMIT).await.unwrap();
        let log = Arc::new(WriteLog::new(Vec::new()));
        let guard = log.follow([informer.clone().cast()]);
        let key = ObjectKey::namespaced("shop", "a").unwrap();
        log.caches()[0].expect(&key, key.clone(), Expectation::AtLeast("1000".into()));
        let begun = Instant::now();
        let removed = async {
            sleep(RETRY).await;
            drop(guard);
        };
        let (shown, ()) = tokio::join!(log.wait_observed(&key, LIMIT), removed);
        shown.unwrap();
        assert_eq!(begun.elapsed(), RETRY);
        factory.shutdown().await;
    }
}
