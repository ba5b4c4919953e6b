//! Faults on the way between a client and whatever answers it.
//!
//! [`Faults`] is a [`tower::Layer`], and a handle that says from anywhere what is to break. It goes
//! before the embedded server, a server on a port or a real cluster alike, and makes of a connection
//! that works one that is cut, silent, slow, throttled, forbidden or out of date: by single
//! [`Harm`]s to chosen [`Requests`], or at random from a seed. It never changes what the server
//! holds, and what nothing is injected for passes byte for byte.
//!
//! ```
//! use std::time::Duration;
//! use k8s_openapi::api::core::v1::Pod;
//! use kube_informer::SharedInformerFactory;
//! use kube_informer::testing::{ApiServer, Faults, Harm, Requests};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let (server, faults) = (ApiServer::new(), Faults::new());
//! let factory = SharedInformerFactory::builder(faults.client(server.client())).build();
//! let pods = factory.informer::<Pod>();
//!
//! let revoked = faults.inject(Requests::lists(), Harm::status(403));
//! factory.start()?;
//! let error = factory.wait_for_sync(Duration::from_millis(100)).await.unwrap_err();
//! assert!(error.to_string().contains("403 Forbidden"));
//!
//! revoked.lift();
//! factory.wait_for_sync(Duration::from_secs(10)).await?;
//! # factory.shutdown().await;
//! # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
//! ```

mod body;
mod chance;
mod events;
mod harm;
mod replica;
mod requests;
mod service;

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use parking_lot::Mutex;
use tokio::sync::watch;
use tower::Layer;

use self::chance::Chance;
pub use self::harm::{Harm, Spot};
use self::replica::Replica;
use self::requests::Asked;
pub use self::requests::Requests;
pub use self::service::Faulty;

/// An error of the connection.
type BoxError = Box<dyn StdError + Send + Sync>;

/// The body of an answer that came through the faults.
pub type FaultyBody = UnsyncBoxBody<Bytes, BoxError>;

/// What breaks between a client and its server. A cheap clone; all clones are one.
///
/// Harms that are injected for the same request are done to it in the order of their injection: the
/// first that keeps the request from the server decides its answer, those to the body come one after
/// another.
#[derive(Clone, Default)]
pub struct Faults {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    rules: Mutex<Vec<Arc<Rule>>>,
    chance: Mutex<Option<Chance>>,
    replica: Mutex<Option<Replica>>,
    harmed: AtomicU64,
    /// Counts up when every open answer is to break off.
    cuts: watch::Sender<u64>,
}

struct Rule {
    requests: Requests,
    harm: Harm,
    /// How many requests it was for so far.
    matched: AtomicU64,
    /// How many it was done to.
    done: AtomicU64,
    lifted: AtomicBool,
}

/// A harm that was injected. Dropping this leaves the harm where it is.
#[derive(Clone)]
pub struct Injected {
    rule: Arc<Rule>,
}

impl Faults {
    /// Nothing breaks yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A client whose requests go through the faults to where `client` sends them.
    ///
    /// Faults come after all that `client` does by itself: it neither retries nor hides them.
    ///
    /// # Panics
    /// Outside a tokio runtime, as every [`kube::Client`].
    pub fn client(&self, client: kube::Client) -> kube::Client {
        let namespace = client.default_namespace().to_owned();
        let service = tower::service_fn(move |request| {
            let client = client.clone();
            async move { client.send(request).await }
        });
        kube::Client::new(self.layer(service), namespace)
    }

    /// From now on does this harm to these requests.
    pub fn inject(&self, requests: Requests, harm: Harm) -> Injected {
        let rule = Arc::new(Rule {
            requests,
            harm,
            matched: AtomicU64::new(0),
            done: AtomicU64::new(0),
            lifted: AtomicBool::new(false),
        });
        let mut rules = self.inner.rules.lock();
        let lifted = rules.extract_if(.., |rule| rule.lifted.load(Ordering::Relaxed));
        let lifted: Vec<_> = lifted.collect();
        rules.push(rule.clone());
        drop(rules);
        // A harm holds a user's closure: it is dropped without the lock.
        drop(lifted);
        Injected { rule }
    }

    /// From now on does one of these harms, drawn at random, to a share of all requests, besides what
    /// is injected. `rate` is from 0, none, to 1, each. The same seed and the same requests in the
    /// same order give the same faults.
    pub fn at_random(&self, seed: u64, rate: f64, harms: Vec<Harm>) {
        let before = self.inner.chance.lock().replace(Chance::new(seed, rate, harms));
        drop(before);
    }

    /// Does no more harm. What is broken already stays so: an answer that got stuck never goes on.
    pub fn clear(&self) {
        let rules = std::mem::take(&mut *self.inner.rules.lock());
        let chance = self.inner.chance.lock().take();
        drop((rules, chance));
    }

    /// Breaks off every answer that is still being read, as when the server or a proxy restarts.
    pub fn cut_now(&self) {
        self.inner.cuts.send_modify(|count| *count += 1);
    }

    /// Remembers from now on the first answer to each list, for [`Harm::stale`]; what was remembered
    /// before is forgotten. Keeps the bodies of 256 lists at the most.
    pub fn remember_lists(&self) {
        *self.inner.replica.lock() = Some(Replica::default());
    }

    /// How many requests were harmed so far.
    pub fn harmed(&self) -> u64 {
        self.inner.harmed.load(Ordering::Relaxed)
    }

    /// The harms for one request.
    fn harms(&self, asked: &Asked) -> Vec<Harm> {
        let mut harms: Vec<Harm> = Vec::new();
        for rule in &*self.inner.rules.lock() {
            if rule.is_for(asked) {
                harms.push(rule.harm.clone());
            }
        }
        let drawn = self.inner.chance.lock().as_mut().and_then(|chance| chance.draw(asked));
        harms.extend(drawn);
        if !harms.is_empty() {
            self.inner.harmed.fetch_add(1, Ordering::Relaxed);
        }
        harms
    }
}

impl Rule {
    /// Whether it is done to this request, which counts.
    fn is_for(&self, asked: &Asked) -> bool {
        if self.lifted.load(Ordering::Relaxed) || !self.requests.matches(asked) {
            return false;
        }
        let before = self.matched.fetch_add(1, Ordering::Relaxed);
        let due = self.requests.has_turn(before);
        if due {
            self.done.fetch_add(1, Ordering::Relaxed);
        }
        due
    }
}

impl Injected {
    /// Ends it. Again is no error.
    pub fn lift(&self) {
        self.rule.lifted.store(true, Ordering::Relaxed);
    }

    /// To how many requests it was done.
    pub fn count(&self) -> u64 {
        self.rule.done.load(Ordering::Relaxed)
    }
}

impl<S> Layer<S> for Faults {
    type Service = Faulty<S>;

    fn layer(&self, inner: S) -> Faulty<S> {
        Faulty::new(inner, self.clone())
    }
}

impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Faults")
            .field("rules", &self.inner.rules.lock().len())
            .field("harmed", &self.harmed())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Injected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Injected")
            .field("requests", &self.rule.requests)
            .field("harm", &self.rule.harm)
            .field("count", &self.count())
            .finish_non_exhaustive()
    }
}
