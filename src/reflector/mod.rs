//! A reflector: it lists and watches one collection, and relists it when the watch is lost.
//!
//! A [`Reflector`] sends requests to a [`ListerWatcher`] and passes [`Change`]s to a
//! [`ChangeSink`]. It reports and survives all errors: 410, 429, a broken connection, silence, an
//! object that cannot be decoded. The changes, applied in order, always converge to the server's
//! state. The reflector stores no objects, and it runs until it is dropped.
//!
//! A pure state machine decides the next request. A driver executes it.

mod backoff;
mod demand;
mod driver;
mod freshness;
mod gate;
pub(crate) mod guarded;
mod heartbeat;
mod list_accumulator;
mod list_mode;
mod list_permit;
mod listing;
mod machine;
pub(crate) mod observing;
mod options;
pub(crate) mod pages;
mod proofs;
mod prover;
pub(crate) mod question;
pub(crate) mod quiet;
mod read_permit;
mod replay;
mod serving;
mod shard_progress;
mod status;
mod status_cell;
mod step;
#[cfg(test)]
mod tests;
mod watching;

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tracing::Instrument;

#[cfg(feature = "backoff")]
pub use self::backoff::from_backoff;
pub use self::backoff::{BackoffPolicy, from_backon};
use self::driver::{ReflectorDriver, span};
pub use self::list_mode::ListMode;
use self::machine::{Machine, Rules};
pub use self::options::ReflectorOptions;
pub(crate) use self::options::{ErrorHandler, Transform, error_handler, transform};
pub(crate) use self::serving::Serving;
pub(crate) use self::serving::ServingState;
pub use self::status::{ReflectorState, ReflectorStatus, RelistCause, Relists};
use self::status_cell::{ReflectorMetrics, StatusCell, StatusWriter};
use self::step::StepOutcome;
use crate::lister_watcher::{AnySource, ListerWatcher};
use crate::object::{Change, ResourceVersion};
use crate::panic::catch_async;
use crate::yield_budget::YieldBudget;

/// A consumer of a reflector's changes, in order.
pub trait ChangeSink: Send + Sync {
    /// Takes a change. The reflector sends no further request and reads no further event until this
    /// future completes. A sink without room therefore slows the watch down, and memory stays
    /// bounded.
    fn emit(&self, change: Change) -> impl Future<Output = ()> + Send;
}

/// A task that lists and watches one collection for as long as it is polled.
///
/// ```
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::lister_watcher::ListerWatcher;
/// use kube_informer::object::Change;
/// use kube_informer::reflector::{ChangeSink, Reflector, ReflectorOptions};
///
/// struct Counter(std::sync::atomic::AtomicU64);
///
/// impl ChangeSink for Counter {
///     async fn emit(&self, _: Change) {
///         self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
///     }
/// }
///
/// /// Counts the changes of a collection until the future is dropped.
/// async fn count(source: Arc<dyn ListerWatcher<Pod>>, counter: Counter) {
///     Reflector::new(source, ReflectorOptions::new()).run(counter).await;
/// }
/// ```
pub struct Reflector {
    driver: ReflectorDriver,
    machine: Machine,
}

/// A handle that reads a reflector's status while the reflector runs elsewhere.
#[derive(Clone, Debug)]
pub struct ReflectorMonitor(Arc<StatusCell>);

impl Reflector {
    /// Creates a reflector of the collection that `source` lists and watches. It makes no request
    /// before [`run`](Self::run).
    pub fn new<K: Send + Sync + 'static>(
        source: Arc<dyn ListerWatcher<K>>,
        options: ReflectorOptions<K>,
    ) -> Self {
        Self::of_any(Arc::new(AnySource(source)), options.erase())
    }

    /// Creates a reflector of objects of any type.
    pub(crate) fn of_any(source: Arc<dyn ListerWatcher>, mut options: ReflectorOptions) -> Self {
        let rules = Rules {
            page_size: options.page_size,
            any_version: options.any_version,
            list_mode: options.list_mode,
            plain_first: options.plain_first,
            freshness_limit: options.freshness_limit,
        };
        let mut rng = options.seed.map_or_else(fastrand::Rng::new, fastrand::Rng::with_seed);
        let jitter = rng.u64(..);
        let policy = options.backoff.take();
        let policy = policy.unwrap_or_else(|| Box::new(backoff::default_policy(jitter)));
        let status = StatusWriter::new(ReflectorMetrics::new(&options.origin.labels));
        let driver = ReflectorDriver::new(source, options, status);
        Self { driver, machine: Machine::new(rules, policy, rng) }
    }

    /// Returns a handle that reads the status while the reflector runs.
    pub fn monitor(&self) -> ReflectorMonitor {
        ReflectorMonitor(self.driver.status.cell().clone())
    }

    /// Shows the reflector as started before [`run`](Self::run) is first polled, and as stopped when
    /// the returned guard is dropped.
    pub(crate) fn begin(&self) -> impl Send + 'static {
        self.driver.status.enter(ReflectorState::LISTS);
        Stopped(self.driver.status.cell().clone())
    }

    /// Lists and watches until the future is dropped. Dropping it ends every request at once.
    ///
    /// If the source, the sink or an object's `Drop` panics, the panic is reported as an error.
    /// After a pause the reflector lists everything again. The reflector yields between two
    /// answers, so it can be stopped even if every answer is ready at once.
    pub async fn run(mut self, sink: impl ChangeSink) {
        let _stopped = Stopped(self.driver.status.cell().clone());
        match self.driver.options.serving.clone() {
            Some(serving) => self.reflect_while_served(&serving, &sink).await,
            None => self.reflect(&sink).await,
        }
    }

    /// Lists and watches for ever.
    async fn reflect(&mut self, sink: &impl ChangeSink) {
        self.driver.take_shard(&mut self.machine);
        let mut step = self.machine.start(Instant::now());
        let mut budget = YieldBudget::new();
        loop {
            self.driver.status.relisted(self.machine.relists());
            self.driver.take_permit(&step).await;
            let span = span(&step, self.machine.version(), &self.driver.options.origin);
            let mut gave_way = false;
            let outcome = {
                let performing = Box::pin(self.driver.perform(step, &mut self.machine, sink));
                let performing = catch_async(performing.instrument(span));
                let mut performing = pin!(performing);
                poll_fn(|cx| {
                    let polled = performing.as_mut().poll(cx);
                    gave_way |= polled.is_pending();
                    polled
                })
                .await
            };
            let outcome = match outcome {
                Ok(outcome) => outcome,
                Err(message) => self.driver.panicked(message),
            };
            // After a list, open the watch at once, because changes in between are not seen until
            // then.
            gave_way |= matches!(outcome, StepOutcome::Replaced { .. });
            if !matches!(outcome, StepOutcome::Listed { .. } | StepOutcome::Streamed { .. }) {
                self.driver.take_shard(&mut self.machine);
            }
            step = self.machine.next(outcome, Instant::now());
            if !gave_way {
                budget.give_way().await;
            }
        }
    }
}

impl ReflectorMonitor {
    /// Returns the current status of the reflector.
    pub fn status(&self) -> ReflectorStatus {
        self.0.read()
    }

    /// Returns whether the reflector was not started.
    pub(crate) fn is_idle(&self) -> bool {
        self.0.state() == ReflectorState::Idle
    }

    /// Returns whether a watch was ever opened.
    pub(crate) fn has_watched(&self) -> bool {
        self.0.has_watched()
    }

    /// Returns the time for which the server has refused to open a watch.
    pub(crate) fn watch_refused(&self) -> Option<Duration> {
        self.0.watch_refused()
    }

    /// Returns the age of the newest proof that a store of this version has reached.
    pub(crate) fn freshness_at(&self, version: Option<&ResourceVersion>) -> Option<Duration> {
        self.0.freshness_at(version)
    }

    /// Waits until the reflector knows that its kind is not served. Cancel safe.
    pub(crate) async fn awaits_kind(&self) {
        self.0.awaits_kind().await;
    }
}

struct Stopped(Arc<StatusCell>);

impl Drop for Stopped {
    fn drop(&mut self) {
        self.0.enter(ReflectorState::Stopped);
    }
}

impl fmt::Debug for Reflector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reflector")
            .field("collection", self.driver.source.collection())
            .field("machine", &self.machine)
            .finish_non_exhaustive()
    }
}
