//! Fault injection between a client and a server.
//!
//! [`Faults`] is a [`tower::Layer`] and a handle that controls it. It works in front of the
//! embedded server, a server on a port, or a real cluster. It can make connections broken, silent,
//! slow, throttled, forbidden or stale: through [`Injection`]s into chosen [`Requests`], or at
//! random from a seed. It never changes what the server stores, and requests without an injection
//! pass unchanged.
//!
//! ```
//! use k8s_openapi::api::core::v1::Pod;
//! use kube::api::{Api, ListParams};
//! use kube_embedded_apiserver::{ApiServer, Faults, Injection, Requests};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let (server, faults) = (ApiServer::new(), Faults::new());
//! let pods: Api<Pod> = Api::all(faults.client(server.client()));
//!
//! let revoked = faults.inject(Requests::lists(), Injection::status(403));
//! let refused = pods.list(&ListParams::default()).await.unwrap_err();
//! assert!(matches!(refused, kube::Error::Api(status) if status.code == 403));
//!
//! revoked.remove();
//! assert!(pods.list(&ListParams::default()).await?.items.is_empty());
//! # Ok::<(), kube::Error>(()) }).unwrap();
//! ```

mod body;
mod events;
mod injection;
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

use self::injection::RandomInjections;
pub use self::injection::{BodyPosition, Injection};
pub use self::requests::Requests;
use self::requests::{ClassifiedRequest, RecordedLists};
pub use self::service::Faulty;

/// An error of the connection.
type BoxError = Box<dyn StdError + Send + Sync>;

/// The body of a response that passed the faults.
pub type FaultyBody = UnsyncBoxBody<Bytes, BoxError>;

/// The faults between a client and its server. A cheap clone; all clones share their state.
///
/// Several injections into one request apply in the order in which they were added. The first one
/// that keeps the request from the server decides the response. Those that change the body all
/// apply, one after another.
#[derive(Clone, Default)]
pub struct Faults {
    inner: Arc<FaultState>,
}

#[derive(Default)]
struct FaultState {
    rules: Mutex<Vec<Arc<Rule>>>,
    random: Mutex<Option<RandomInjections>>,
    recorded: Mutex<Option<RecordedLists>>,
    affected: AtomicU64,
    /// Increases when every open response is to break off.
    cuts: watch::Sender<u64>,
}

struct Rule {
    requests: Requests,
    injection: Injection,
    /// The number of requests that matched so far.
    matched: AtomicU64,
    /// The number of requests that the injection was applied to.
    done: AtomicU64,
    removed: AtomicBool,
}

/// A handle of an active [`Injection`]. Dropping the handle leaves the injection active.
///
/// ```
/// use std::time::Duration;
/// use kube_embedded_apiserver::faults::InjectionHandle;
/// use kube_embedded_apiserver::{Faults, Injection, Requests};
///
/// /// Refuses connections until the program under test has tried to connect three times.
/// async fn outage(faults: &Faults) {
///     let outage: InjectionHandle = faults.inject(Requests::all(), Injection::refuse());
///     while outage.count() < 3 {
///         tokio::time::sleep(Duration::from_millis(10)).await;
///     }
///     outage.remove();
/// }
/// ```
#[derive(Clone)]
pub struct InjectionHandle {
    rule: Arc<Rule>,
}

impl Faults {
    /// Creates a layer that injects nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a client whose requests pass the faults on their way to where `client` sends them.
    ///
    /// The faults lie between the returned client and all layers of `client`, so `client` neither
    /// retries nor hides them.
    ///
    /// # Panics
    /// Panics outside a tokio runtime, as every [`kube::Client`] does.
    pub fn client(&self, client: kube::Client) -> kube::Client {
        let namespace = client.default_namespace().to_owned();
        let service = tower::service_fn(move |request| {
            let client = client.clone();
            async move { client.send(request).await }
        });
        kube::Client::new(self.layer(service), namespace)
    }

    /// Applies an injection to matching requests from now on, until it is removed.
    pub fn inject(&self, requests: Requests, injection: Injection) -> InjectionHandle {
        let rule = Arc::new(Rule {
            requests,
            injection,
            matched: AtomicU64::new(0),
            done: AtomicU64::new(0),
            removed: AtomicBool::new(false),
        });
        let mut rules = self.inner.rules.lock();
        let removed = rules.extract_if(.., |rule| rule.removed.load(Ordering::Relaxed));
        let removed: Vec<_> = removed.collect();
        rules.push(rule.clone());
        drop(rules);
        // An injection holds a user's closure, which must be dropped without the lock.
        drop(removed);
        InjectionHandle { rule }
    }

    /// Applies one of these injections, drawn at random, to a share of all requests, besides those
    /// of [`inject`](Self::inject). Replaces an earlier call.
    ///
    /// `rate` is the share, from 0.0 to 1.0. The same seed and the same sequence of requests give
    /// the same faults.
    pub fn inject_at_random(&self, seed: u64, rate: f64, injections: Vec<Injection>) {
        let before =
            self.inner.random.lock().replace(RandomInjections::new(seed, rate, injections));
        drop(before);
    }

    /// Removes all injections, also the random ones. Responses that are broken already stay so: a
    /// stalled response never continues.
    pub fn clear(&self) {
        let rules = std::mem::take(&mut *self.inner.rules.lock());
        let random = self.inner.random.lock().take();
        drop((rules, random));
    }

    /// Breaks off every response that is still being read, as a restart of the server or a proxy
    /// does.
    pub fn cut_now(&self) {
        self.inner.cuts.send_modify(|count| *count += 1);
    }

    /// Records the first response to each list from now on, for [`Injection::stale`]. Forgets
    /// earlier records. Keeps at most 256 responses.
    pub fn remember_lists(&self) {
        *self.inner.recorded.lock() = Some(RecordedLists::default());
    }

    /// Returns the number of requests that had an injection so far.
    pub fn affected_requests(&self) -> u64 {
        self.inner.affected.load(Ordering::Relaxed)
    }

    /// Returns the injections for a request.
    fn injections(&self, request: &ClassifiedRequest) -> Vec<Injection> {
        let mut injections: Vec<Injection> = Vec::new();
        for rule in &*self.inner.rules.lock() {
            if rule.applies_to(request) {
                injections.push(rule.injection.clone());
            }
        }
        let drawn = self.inner.random.lock().as_mut().and_then(|random| random.draw(request));
        injections.extend(drawn);
        if !injections.is_empty() {
            self.inner.affected.fetch_add(1, Ordering::Relaxed);
        }
        injections
    }
}

impl Rule {
    /// Returns whether the injection applies to this request, and counts the request.
    fn applies_to(&self, request: &ClassifiedRequest) -> bool {
        if self.removed.load(Ordering::Relaxed) || !self.requests.matches(request) {
            return false;
        }
        let before = self.matched.fetch_add(1, Ordering::Relaxed);
        let due = self.requests.is_selected(before);
        if due {
            self.done.fetch_add(1, Ordering::Relaxed);
        }
        due
    }
}

impl InjectionHandle {
    /// Removes the injection. Does nothing if it was removed before.
    pub fn remove(&self) {
        self.rule.removed.store(true, Ordering::Relaxed);
    }

    /// Returns the number of requests that the injection was applied to.
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
            .field("affected_requests", &self.affected_requests())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for InjectionHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InjectionHandle")
            .field("requests", &self.rule.requests)
            .field("injection", &self.rule.injection)
            .field("count", &self.count())
            .finish_non_exhaustive()
    }
}
