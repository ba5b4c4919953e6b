//! Lists and watches one collection, and lists it again when the watch is lost.
//!
//! A [`Reflector`] sends requests to a [`ListerWatcher`] and passes [`Change`]s to a
//! [`ChangeSink`]. It reports and survives all errors: 410, 429, a broken connection, silence, an
//! object that cannot be decoded. The changes, applied in order, always converge to the server's
//! state. The reflector stores no objects, and it runs until it is dropped.
//!
//! A pure state machine decides the next request. A driver executes it.

mod backoff;
mod demand;
mod freshness;
mod gate;
mod guarded;
mod heartbeat;
mod list_accumulator;
mod machine;
mod options;
mod pages;
mod probe;
mod shard_progress;
mod status;
mod step;
#[cfg(test)]
mod tests;
mod watching;

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::StreamExt;
use tokio::sync::{OwnedSemaphorePermit, TryAcquireError, watch};
use tokio::time::{Instant, sleep, timeout};
use tracing::{Instrument, Span, info_span};

#[cfg(feature = "backoff")]
pub use self::backoff::from_backoff;
pub use self::backoff::{BackoffPolicy, from_backon};
use self::demand::Proving;
use self::guarded::{Guarded, Opening};
use self::heartbeat::Heartbeat;
use self::list_accumulator::ListAccumulator;
use self::machine::{Machine, Rules};
pub use self::options::ReflectorOptions;
pub(crate) use self::options::{ErrorHandler, Transform, error_handler, transform};
use self::pages::Pages;
use self::status::{ReflectorMetrics, StatusCell, StatusWriter};
pub use self::status::{ReflectorState, ReflectorStatus, RelistCause, Relists};
use self::step::{End, RequestFailure, Step, StepOutcome};
use crate::error::{Fault, SourceError, Verb};
use crate::lister_watcher::{
    AnySource, ListHints, ListItem, ListQuery, ListStream, ListerWatcher, SourceForm, SourceObject,
    Undecodable, WatchQuery, WatchStream,
};
use crate::object::{Cached, Change, KnownObjects, ObjectKey, ResourceVersion, ShardSelector};
use crate::packer::METADATA_PANICKED;
use crate::panic::{catch, catch_async, drop_safely};
use crate::time::Moment;
use crate::yield_budget::YieldBudget;

/// The number of bytes that a list without a new item must receive in its idle timeout. With fewer,
/// an object of the largest size could take months.
const SLOWEST: u64 = 8 * 1024;

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

/// The driver, which executes the machine's steps.
struct ReflectorDriver {
    source: Arc<dyn ListerWatcher>,
    options: ReflectorOptions,
    status: StatusWriter,
    accumulator: ListAccumulator,
    pages: Pages,
    heartbeat: Heartbeat,
    /// The stream that sent the initial events, until the driver follows it.
    stream: Option<(Guarded<WatchStream>, WatchQuery)>,
    /// The time at which the current list was requested.
    listed: Instant,
    /// The same, in the order of what the process does.
    list_begun: Moment,
    proving: Proving,
    /// The time of the last proof that the changes handed on are current.
    proved: Option<Instant>,
    /// True if a connection was lost since a list or a probe showed the server's history. A backup
    /// may have been restored meanwhile.
    doubts_history: bool,
    /// The part of the shard outside of which known objects have moved away, until the sink was
    /// told.
    narrowed: Option<ShardSelector>,
}

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
            streaming: options.streaming,
            internal_error_window: options.internal_error_window,
            freshness_limit: options.freshness_limit,
        };
        let mut rng = options.seed.map_or_else(fastrand::Rng::new, fastrand::Rng::with_seed);
        let jitter = rng.u64(..);
        let policy = options.backoff.take();
        let policy = policy.unwrap_or_else(|| Box::new(backoff::default_policy(jitter)));
        let metrics = ReflectorMetrics::new(&options.metrics);
        let status = StatusWriter::new(metrics);
        let idle_timeout = options.list_idle_timeout;
        let proving = Proving::new(status.cell().clone(), source.clone(), idle_timeout);
        let driver = ReflectorDriver {
            source,
            options,
            status,
            accumulator: ListAccumulator::default(),
            pages: Pages::default(),
            heartbeat: Heartbeat::default(),
            stream: None,
            listed: Instant::now(),
            list_begun: Moment::START,
            proving,
            proved: None,
            doubts_history: false,
            narrowed: None,
        };
        Self { driver, machine: Machine::new(rules, policy, rng) }
    }

    /// Returns a handle that reads the status while the reflector runs.
    pub fn monitor(&self) -> ReflectorMonitor {
        ReflectorMonitor(self.driver.status.cell().clone())
    }

    /// Shows the reflector as started before [`run`](Self::run) is first polled, and as stopped when
    /// the returned guard is dropped.
    pub(crate) fn begin(&self) -> impl Send + 'static {
        self.driver.status.enter(ReflectorState::Listing { loaded: 0, total: None });
        Stopped(self.driver.status.cell().clone())
    }

    /// Lists and watches until the future is dropped. Dropping it ends every request at once.
    ///
    /// If the source, the sink or an object's `Drop` panics, the panic is reported as an error.
    /// After a pause the reflector lists everything again. The reflector yields between two
    /// answers, so it can be stopped even if every answer is ready at once.
    pub async fn run(mut self, sink: impl ChangeSink) {
        let _stopped = Stopped(self.driver.status.cell().clone());
        let mut permit = None;
        self.driver.take_shard(&mut self.machine);
        let mut step = self.machine.start(Instant::now());
        loop {
            self.driver.status.relisted(self.machine.relists());
            if step.is_idle() {
                permit = None;
            } else if permit.is_none() {
                permit = self.driver.permit().await;
            }
            let span = span(&step, self.machine.version());
            let mut gave_way = false;
            let outcome = {
                let performing = self.driver.perform(step, &mut self.machine, &sink);
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
                crate::yield_budget::give_way().await;
            }
        }
    }
}

impl ReflectorDriver {
    /// Waits for a permit to list. Returns `None` if lists are not limited.
    async fn permit(&mut self) -> Option<OwnedSemaphorePermit> {
        let permits = self.options.list_permits.clone()?;
        match permits.clone().try_acquire_owned() {
            Err(TryAcquireError::NoPermits) => {
                self.status.enter(ReflectorState::AwaitingPermit);
                permits.acquire_owned().await.ok()
            }
            // A closed semaphore sets no limit.
            permit => permit.ok(),
        }
    }

    /// Follows the shard that is wanted now.
    fn take_shard(&mut self, machine: &mut Machine) {
        let Some(wanted) = &mut self.options.shard else { return };
        if machine.shard().followed().is_some() && !wanted.has_changed().unwrap_or(false) {
            return;
        }
        let shard = wanted.borrow_and_update().clone();
        if let Some(kept) = machine.follow_shard(&shard) {
            self.narrowed = Some(kept);
        }
    }

    /// Reports a panic that only the driver's loop caught.
    fn panicked(&mut self, message: String) -> StepOutcome {
        let request = self.source.collection().request_name(Verb::List);
        self.report(&guarded::panicked(&request, message));
        self.stream = None;
        StepOutcome::Panicked
    }

    async fn perform(
        &mut self,
        step: Step,
        machine: &mut Machine,
        sink: &impl ChangeSink,
    ) -> StepOutcome {
        if let Some(shard) = &self.narrowed {
            // Before any list: objects outside of the shard are not missing from it.
            sink.emit(Change::Narrowed(shard.clone())).await;
            self.narrowed = None;
        }
        match step {
            Step::Wait(delay) => self.wait(delay, machine).await,
            Step::List { query, fresh } => {
                if fresh {
                    self.begin_list().await;
                }
                match self.list(&query, machine).await {
                    Ok(outcome) => outcome,
                    Err(error) => self.list_failed(&error).await,
                }
            }
            Step::StreamingList(query) => {
                self.begin_list().await;
                match self.stream(query, machine).await {
                    Ok(outcome) => outcome,
                    Err(error) => self.list_failed(&error).await,
                }
            }
            Step::Replace { version, restored } => {
                let news = self.accumulator.has_news();
                let mut list = self.accumulator.take(version.clone(), restored);
                list.shard = machine.shard_after_list();
                list.grown = machine.shard().arriving().is_some();
                let complete = list.complete;
                sink.emit(Change::Replace(list)).await;
                machine.note_list_emitted();
                if machine.is_quorum_read() {
                    self.proving.listed(self.list_begun);
                }
                // A server that lost history would refuse the version, or answer with an older one.
                self.doubts_history = false;
                if complete {
                    self.proved = self.proved.max(Some(self.listed));
                    self.status.proved(Some(&version), self.listed);
                }
                StepOutcome::Replaced { news }
            }
            Step::Arrive { version } => {
                let mut list = self.accumulator.take(version, false);
                (list.shard, list.grown) = (machine.shard_after_list(), true);
                sink.emit(Change::Arrived(list)).await;
                machine.note_list_emitted();
                StepOutcome::Replaced { news: true }
            }
            Step::AwaitShard => {
                self.status.enter(ReflectorState::AwaitingShard);
                loop {
                    tokio::select! {
                        biased;
                        true = shard_changed(self.options.shard.as_mut()) => {
                            return StepOutcome::ShardCame;
                        }
                        // No request can show more than this view, which is empty.
                        _ = self.proving.next() => self.proving.listed(Moment::now()),
                    }
                }
            }
            Step::Watch { query, at_most } => {
                self.stream = None;
                self.status.enter(ReflectorState::Watching);
                self.status.at(machine.version());
                let opening = self.opening(&query, &self.packing_hints());
                let opening = timeout(self.options.watch_grace_period, opening);
                let opened = match self.prove_beside(opening, machine).await {
                    None => return StepOutcome::Unproven,
                    Some(Ok(opened)) => opened,
                    Some(Err(_)) => {
                        Err(self.error(Verb::Watch, Fault::Silent(self.options.watch_grace_period)))
                    }
                };
                self.status.watches(opened.as_ref().err());
                match opened {
                    Ok(stream) => {
                        let stream = self.guarded(stream);
                        self.follow(stream, &query, at_most, machine, sink).await
                    }
                    Err(error) => {
                        self.report(&error);
                        let failure = RequestFailure::from(&error);
                        self.doubts_history |= failure.is_outage();
                        StepOutcome::WatchNotOpened(failure)
                    }
                }
            }
            Step::Follow { at_most } => {
                self.status.enter(ReflectorState::Watching);
                self.status.follows();
                self.status.at(machine.version());
                match self.stream.take() {
                    Some((stream, query)) => {
                        self.follow(stream, &query, at_most, machine, sink).await
                    }
                    None => StepOutcome::WatchEnded { end: End::Ordinary, lasted: Duration::ZERO },
                }
            }
        }
    }

    async fn wait(&mut self, delay: Duration, machine: &mut Machine) -> StepOutcome {
        self.status.enter(ReflectorState::Waiting(delay));
        if !machine.serves_demands() {
            sleep(delay).await;
            return StepOutcome::Waited;
        }
        let waited = self.prove_beside(sleep(delay), machine).await;
        waited.map_or(StepOutcome::Unproven, |()| StepOutcome::Waited)
    }

    async fn begin_list(&mut self) {
        self.accumulator.discard().await;
        self.stream = None;
        self.pages = Pages::default();
        self.listed = Instant::now();
        self.list_begun = Moment::now();
        self.status.lists();
        self.status.enter(ReflectorState::Listing { loaded: 0, total: None });
    }

    async fn list_failed(&mut self, error: &SourceError) -> StepOutcome {
        self.accumulator.discard().await;
        self.report(error);
        StepOutcome::ListFailed(error.into())
    }

    /// Lists one page into the accumulator.
    async fn list(
        &mut self,
        query: &ListQuery,
        machine: &Machine,
    ) -> Result<StepOutcome, SourceError> {
        let idle_timeout = self.options.list_idle_timeout;
        let silent = self.error(Verb::List, Fault::Silent(idle_timeout));
        let (request, received) = (silent.request().clone(), Arc::new(AtomicU64::new(0)));
        let hints = self.hints(machine).counting(received.clone());
        let opening = guarded::open(request.clone(), || self.source.list(query, &hints));
        let opened = timeout(idle_timeout, opening).await;
        let mut items = Guarded::new(opened.map_err(|_| silent.clone())??, request);
        let mut metadata = crate::lister_watcher::ListMetadata::default();
        let (mut total, mut outside) = (None, 0);
        let mut budget = YieldBudget::new();
        let malformed =
            |this: &Self, problem| this.error(Verb::List, Fault::Malformed { offset: 0, problem });
        while let Some(item) =
            next_item(&mut items, idle_timeout, &received).await.ok_or_else(|| silent.clone())?
        {
            budget.spend(1).await;
            let item = item?;
            let is_outside = matches!(item, ListItem::Outside(_));
            match item {
                ListItem::Object(Ok(SourceObject(SourceForm::Unchanged(key, object), _))) => {
                    self.accumulator.list(key, object);
                }
                ListItem::Object(object) => {
                    let (key, object) = self.accept(object, Verb::List);
                    match (key, object) {
                        (Some(key), Some(object)) => {
                            let object = self.known_or(&key, object);
                            self.accumulator.list(key, object);
                        }
                        (key, _) => self.accumulator.unreadable(key),
                    }
                }
                ListItem::Outside(key) => {
                    outside += 1;
                    self.left_out(key);
                }
                ListItem::Meta(meta) => metadata = meta,
            }
            let ends = self.pages.item(self.accumulator.keys(), is_outside);
            ends.map_err(|problem| malformed(self, problem))?;
            let loaded = self.accumulator.len();
            total = metadata.remaining.map(|remaining| loaded + remaining).or(total);
            self.status.loaded(loaded, total);
        }
        let Some(version) = metadata.version else {
            return Err(self.error(Verb::List, Fault::NoVersion));
        };
        let continue_token = metadata.continue_token.filter(|token| !token.is_empty());
        let at_once = match &continue_token {
            Some(token) => {
                let turned = self.pages.turn(token, query.limit, self.accumulator.keys(), outside);
                turned.map_err(|problem| malformed(self, problem))?
            }
            None => true,
        };
        if continue_token.is_none()
            && let Some(known) = machine.newer_known(&version)
        {
            let fault = Fault::StaleList { listed: version, known: known.clone() };
            self.report(&self.error(Verb::List, fault));
            return Ok(StepOutcome::StaleList);
        }
        let complete = self.accumulator.is_complete();
        let lost_history = self.accumulator.shows_lost_history(&version);
        Ok(StepOutcome::Listed { version, continue_token, at_once, complete, lost_history })
    }

    /// Notes an object outside of the shard. Only a stored one can have moved away.
    fn left_out(&mut self, key: Option<ObjectKey>) {
        let known = self.options.known.as_ref();
        if let Some(key) = key.filter(|key| known.is_some_and(|known| known.get(key).is_some())) {
            self.accumulator.moved_away(key);
        }
    }

    /// Returns the hints for a list.
    fn hints(&self, machine: &Machine) -> ListHints {
        match self.skippable(machine) {
            Some(known) => self.packing_hints().known(known),
            None => self.packing_hints(),
        }
    }

    /// Returns the hint that objects may come packed, unless a transform must change them first.
    fn packing_hints(&self) -> ListHints {
        let ReflectorOptions { packer, transform, .. } = &self.options;
        match transform {
            None => ListHints::none().packer(packer.clone()),
            Some(_) => ListHints::none(),
        }
    }

    /// Returns the objects that the source may leave undecoded. `None` before anything is known.
    /// `None` for a quorum read: after a restored backup, other states may have the versions of the
    /// known objects.
    fn skippable(&self, machine: &Machine) -> Option<Arc<dyn KnownObjects>> {
        let known = machine.version().is_some() && !machine.is_quorum_read();
        self.options.known.clone().filter(|_| known)
    }

    /// Returns the known object if the listed one is in the same state. The fresh copy is freed
    /// now, and not with the whole list.
    fn known_or(&mut self, key: &ObjectKey, object: Cached) -> Cached {
        let known = self.options.known.as_ref().and_then(|known| known.get(key));
        match known {
            Some(known) if object.is_same_state(&known) => known,
            known => {
                self.accumulator.note_news();
                if let Some(known) = known
                    && object.uid().is_some_and(|uid| known.uid() == Some(uid))
                    && let (Some(listed), Some(known)) = (object.version(), known.version())
                    && listed.is_older_than(&known)
                {
                    self.accumulator.note_older(known);
                }
                object
            }
        }
    }

    /// Opens a watch. The future does not borrow `self`.
    fn opening(&self, query: &WatchQuery, hints: &ListHints) -> Opening<WatchStream> {
        let request = self.source.collection().request_name(Verb::Watch);
        guarded::open(request, || self.source.watch(query, hints))
    }

    fn guarded(&self, stream: WatchStream) -> Guarded<WatchStream> {
        Guarded::new(stream, self.source.collection().request_name(Verb::Watch))
    }

    /// Returns an object's key if it can be read, and the object in the form that the cache keeps,
    /// if it can be used. Errors are reported.
    fn accept(
        &mut self,
        object: Result<SourceObject, Undecodable>,
        verb: Verb,
    ) -> (Option<ObjectKey>, Option<Cached>) {
        let mut object = match object.map(|object| object.0) {
            Ok(SourceForm::Packed(key, object) | SourceForm::Unchanged(key, object)) => {
                return (Some(key), Some(object.cast()));
            }
            Ok(SourceForm::Decoded(object)) => object,
            Err(Undecodable { key, error, .. }) => {
                self.report(&error);
                return (key, None);
            }
        };
        // The metadata's getter is user code.
        let key = catch(|| object.key()).map_err(|_| METADATA_PANICKED.to_owned());
        let key = match key.and_then(|key| key.map_err(|invalid| invalid.to_string())) {
            Ok(key) => key,
            Err(problem) => {
                drop_safely(object);
                let fault = Fault::Undecodable { key: None, problem };
                self.report(&self.error(verb, fault));
                return (None, None);
            }
        };
        if let Some(transform) = &self.options.transform
            && catch(|| change(&mut object, transform)).is_err()
        {
            drop_safely(object);
            self.report(&self.error(verb, Fault::TransformPanicked(key.clone())));
            return (Some(key), None);
        }
        (Some(key), Some(self.options.packer.pack_any(object).cast()))
    }

    fn error(&self, verb: Verb, fault: Fault) -> SourceError {
        SourceError::new(self.source.collection().request_name(verb), fault)
    }

    fn report(&self, error: &SourceError) {
        self.status.failed(error);
        if let Err(message) = catch(|| (self.options.on_error)(error)) {
            tracing::error!(%error, message, "error handler panicked");
        }
    }
}

/// Returns the next item of a list, or `None` if the list is silent for this time. Bytes of a large
/// object count, too, because it is an item only when it is complete.
async fn next_item(
    items: &mut Guarded<ListStream>,
    idle_timeout: Duration,
    received: &AtomicU64,
) -> Option<Option<Result<ListItem, SourceError>>> {
    loop {
        let before = received.load(Ordering::Relaxed);
        if let Ok(item) = timeout(idle_timeout, items.next()).await {
            return Some(item);
        }
        if received.load(Ordering::Relaxed) - before < SLOWEST {
            return None;
        }
    }
}

/// Applies a transform to an object that nothing else holds.
fn change(object: &mut Cached, transform: &Transform) {
    let Some(object) = object.get_mut() else { return };
    // Without the time, every reader takes a deleted object for one that stays.
    let deleted = object.meta().and_then(|meta| meta.deletion_timestamp.clone());
    transform(object);
    if let Some(meta) = object.meta_mut() {
        meta.deletion_timestamp = deleted;
    }
}

/// Waits until another shard is wanted. Returns false if none ever will be. The change stays
/// unseen.
async fn shard_changed(shard: Option<&mut watch::Receiver<ShardSelector>>) -> bool {
    let Some(shard) = shard else { return false };
    let changed = shard.changed().await.is_ok();
    if changed {
        shard.mark_changed();
    }
    changed
}

/// Returns the span of a step's request, with the version that it starts from. The enclosing span
/// names the collection.
fn span(step: &Step, known: Option<&ResourceVersion>) -> Span {
    match step {
        Step::Wait(_) | Step::Replace { .. } | Step::Arrive { .. } | Step::AwaitShard => {
            Span::none()
        }
        Step::List { query, .. } => {
            let page = query.continue_token.is_some();
            info_span!("list", version = query.version.as_ref().map(display), page)
        }
        Step::StreamingList(query) => {
            info_span!("list", version = query.version.as_ref().map(display), streaming = true)
        }
        Step::Watch { query, .. } => {
            info_span!("watch", version = query.version.as_ref().map(display))
        }
        Step::Follow { .. } => info_span!("watch", version = known.map(display)),
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

    /// Waits until the state of a quorum read that began after this moment was handed on. Cancel
    /// safe.
    pub(crate) async fn proved_since(&self, since: Moment) {
        self.0.demands().proved_since(since).await;
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
