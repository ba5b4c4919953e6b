//! The shared status of a reflector, and the metrics that it keeps.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::demand::Demands;
use super::freshness::Proofs;
use super::serving::AwaitedKind;
use super::status::{ReflectorState, ReflectorStatus, RelistCause, Relists};
use crate::error::{FaultClass, SourceError};
use crate::metrics::{
    CLAMPED_OBJECTS, Count, ERRORS, LAST_EVENT, Level, Mark, MetricLabels, RELISTS, WATCH_REFUSED,
};
use crate::object::{ObjectKey, ResourceVersion};
use crate::sync::{Mutex, MutexGuard};

/// The shared status: the reflector's task writes it, and any thread reads it.
#[derive(Debug)]
pub(super) struct StatusCell {
    fields: Mutex<StatusFields>,
    demands: Demands,
    awaited: watch::Sender<Option<AwaitedKind>>,
}

/// The write access to the status, and the metrics, which end with the reflector's task.
#[derive(Debug)]
pub(super) struct StatusWriter {
    cell: Arc<StatusCell>,
    metrics: ReflectorMetrics,
}

#[derive(Debug)]
struct StatusFields {
    state: ReflectorState,
    since: Instant,
    version: Option<ResourceVersion>,
    last_event: Option<Instant>,
    /// The last moment at which there was provably nothing to follow.
    idle_until: Option<Instant>,
    proofs: Proofs,
    last_error: Option<(SourceError, Instant)>,
    errors: u64,
    clamped_objects: u64,
    relists: Relists,
    lists: u64,
    probes: u64,
    watches: u64,
    watch_failures: u64,
    /// True if a watch was ever opened.
    watched: bool,
    watch_refused: Option<Instant>,
    short_watches: u64,
}

impl StatusFields {
    /// Returns the age of the data. An empty shard is never old, because there is nothing to know.
    fn age(&self, proved: Option<Instant>) -> Option<Duration> {
        if self.state == ReflectorState::AwaitingShard {
            return Some(Duration::ZERO);
        }
        proved.max(self.idle_until).map(|at| at.elapsed())
    }
}

impl StatusCell {
    fn new() -> Self {
        let fields = StatusFields {
            state: ReflectorState::Idle,
            since: Instant::now(),
            version: None,
            last_event: None,
            idle_until: None,
            proofs: Proofs::default(),
            last_error: None,
            errors: 0,
            clamped_objects: 0,
            relists: Relists::default(),
            lists: 0,
            probes: 0,
            watches: 0,
            watch_failures: 0,
            watched: false,
            watch_refused: None,
            short_watches: 0,
        };
        let (fields, demands) = (Mutex::new(fields), Demands::default());
        Self { fields, demands, awaited: watch::Sender::new(None) }
    }

    fn lock(&self) -> MutexGuard<'_, StatusFields> {
        self.fields.lock()
    }

    /// Returns the demands for a proof.
    pub(super) fn demands(&self) -> &Demands {
        &self.demands
    }

    pub(super) fn enter(&self, state: ReflectorState) {
        let mut status = self.lock();
        // Two waits in a row may be equally long.
        if status.state != state || matches!(state, ReflectorState::Waiting(_)) {
            if status.state == ReflectorState::AwaitingShard {
                status.idle_until = Some(Instant::now());
            }
            status.state = state;
            status.since = Instant::now();
        }
    }

    /// Sets the kind that is not served. `None` once it is served again.
    pub(super) fn await_kind(&self, kind: Option<AwaitedKind>) {
        let age = self.awaited.send_replace(kind).and_then(|awaited| awaited.age());
        if let Some(proved) = age.and_then(|age| Instant::now().checked_sub(age)) {
            self.lock().idle_until = Some(proved);
        }
    }

    /// Returns the age of the proof that the awaited kind has no objects. `None` if no kind is
    /// awaited, or if it may have objects.
    fn age_of_nothing(&self) -> Option<Duration> {
        let awaited = self.awaited.borrow().clone();
        awaited?.age()
    }

    /// Waits until the kind is known not to be served.
    pub(super) async fn awaits_kind(&self) {
        // The sender lives as long as `self`.
        let mut awaited = self.awaited.subscribe();
        let _awaits = awaited.wait_for(Option::is_some).await;
    }

    pub(super) fn state(&self) -> ReflectorState {
        self.lock().state
    }

    pub(super) fn read(&self) -> ReflectorStatus {
        let nothing = self.age_of_nothing();
        let not_served = self.awaited.borrow().as_ref().map(|kind| kind.reason.clone());
        let status = self.lock();
        ReflectorStatus {
            state: status.state,
            state_age: status.since.elapsed(),
            version: status.version.clone(),
            last_event: status.last_event.map(|at| at.elapsed()),
            freshness: nothing.or_else(|| status.age(status.proofs.last())),
            last_error: status.last_error.as_ref().map(|(error, at)| (error.clone(), at.elapsed())),
            not_served,
            errors: status.errors,
            clamped_objects: status.clamped_objects,
            relists: status.relists.clone(),
            lists: status.lists,
            probes: status.probes,
            watches: status.watches,
            watch_failures: status.watch_failures,
            watch_refused: status.watch_refused.map(|at| at.elapsed()),
            short_watches: status.short_watches,
        }
    }

    /// Returns whether a watch was ever opened.
    pub(super) fn has_watched(&self) -> bool {
        self.lock().watched
    }

    /// Returns the time for which the server has refused to open a watch.
    pub(super) fn watch_refused(&self) -> Option<Duration> {
        self.lock().watch_refused.map(|at| at.elapsed())
    }

    /// Returns the age of the newest proof that a store of this version has reached.
    pub(super) fn freshness_at(&self, version: Option<&ResourceVersion>) -> Option<Duration> {
        self.age_of_nothing().or_else(|| {
            let status = self.lock();
            status.age(status.proofs.reached(version))
        })
    }
}

impl StatusWriter {
    pub(super) fn new(metrics: ReflectorMetrics) -> Self {
        Self { cell: Arc::new(StatusCell::new()), metrics }
    }

    pub(super) fn cell(&self) -> &Arc<StatusCell> {
        &self.cell
    }

    pub(super) fn enter(&self, state: ReflectorState) {
        if state.follows_nothing() {
            // No event is due, so its age is no sign of trouble.
            self.metrics.last_event.clear();
        }
        self.cell.enter(state);
    }

    /// Notes the progress of a list, and that the server sent something.
    pub(super) fn loaded(&self, pages: u64, loaded: u64, total: Option<u64>, now: Instant) {
        let mut status = self.cell.lock();
        status.state = ReflectorState::Listing { pages, loaded, total };
        status.last_event = Some(now);
        self.metrics.last_event.set_to_now();
    }

    /// Notes that the server sent something.
    pub(super) fn heard(&self, now: Instant) {
        self.cell.lock().last_event = Some(now);
        self.metrics.last_event.set_to_now();
    }

    /// Notes the last version seen.
    pub(super) fn at(&self, version: Option<&ResourceVersion>) {
        let mut status = self.cell.lock();
        if status.version.as_ref() != version {
            status.version = version.cloned();
        }
    }

    /// Notes a proof that the collection had this version at that moment.
    pub(super) fn proved(&self, version: Option<&ResourceVersion>, at: Instant) {
        self.cell.lock().proofs.add(version.cloned(), at);
    }

    /// Counts a list that begins.
    pub(super) fn lists(&self) {
        let mut status = self.cell.lock();
        status.lists += 1;
        (status.state, status.since) = (ReflectorState::LISTS, Instant::now());
    }

    /// Counts a quorum list of one item.
    pub(super) fn probes(&self) {
        self.cell.lock().probes += 1;
    }

    /// Counts a requested watch, which was opened unless there is an error.
    pub(super) fn watches(&self, error: Option<&SourceError>) {
        let mut status = self.cell.lock();
        status.watches += 1;
        status.watch_failures = error.map_or(0, |_| status.watch_failures + 1);
        status.watched |= error.is_none();
        let refused = error.is_some_and(|error| {
            matches!(error.class(), FaultClass::Unauthorized | FaultClass::Forbidden)
        });
        // An outage does not show that the permission was given meanwhile.
        if refused {
            status.watch_refused.get_or_insert_with(Instant::now);
        } else if error.is_none() {
            status.watch_refused = None;
        }
        self.metrics.watch_refused.set(|| usize::from(status.watch_refused.is_some()));
    }

    /// Notes that a streaming list goes on as a watch.
    pub(super) fn follows(&self) {
        let mut status = self.cell.lock();
        (status.watched, status.watch_refused) = (true, None);
        self.metrics.watch_refused.set(|| 0);
    }

    /// Counts a watch that ended within a second.
    pub(super) fn watch_was_short(&self) {
        self.cell.lock().short_watches += 1;
    }

    pub(super) fn failed(&self, error: &SourceError) {
        let mut status = self.cell.lock();
        status.errors += 1;
        status.last_error = Some((error.clone(), Instant::now()));
        self.metrics.failed(error);
    }

    /// Counts an object with a time that was read as the nearest one that its type holds.
    pub(super) fn clamped(&self, key: &ObjectKey) {
        let mut status = self.cell.lock();
        status.clamped_objects += 1;
        let is_first = status.clamped_objects == 1;
        drop(status);
        self.metrics.clamped_objects.add(1);
        if is_first {
            tracing::warn!(
                %key,
                "a time of the object is read as the nearest one that its type holds"
            );
        }
    }

    pub(super) fn relisted(&self, relists: &Relists) {
        let mut status = self.cell.lock();
        if status.relists != *relists {
            self.metrics.relisted(&status.relists, relists);
            status.relists.clone_from(relists);
        }
    }
}

/// The metrics of one reflector. All causes and classes exist from the start, at zero.
#[derive(Debug)]
pub(super) struct ReflectorMetrics {
    pub(super) last_event: Mark,
    watch_refused: Level,
    clamped_objects: Count,
    relists: [Count; RelistCause::ALL.len()],
    errors: [Count; FaultClass::ALL.len()],
}

impl ReflectorMetrics {
    pub(super) fn new(labels: &MetricLabels) -> Self {
        let relists = |cause: RelistCause| Count::new(RELISTS, &labels.with("cause", cause.name()));
        let errors = |class: FaultClass| Count::new(ERRORS, &labels.with("class", class.name()));
        Self {
            last_event: Mark::new(LAST_EVENT, labels),
            watch_refused: Level::new(WATCH_REFUSED, labels),
            clamped_objects: Count::new(CLAMPED_OBJECTS, labels),
            relists: RelistCause::ALL.map(relists),
            errors: FaultClass::ALL.map(errors),
        }
    }

    pub(super) fn failed(&self, error: &SourceError) {
        self.errors[error.class() as usize].add(1);
    }

    pub(super) fn relisted(&self, before: &Relists, now: &Relists) {
        for (cause, count) in RelistCause::ALL.into_iter().zip(&self.relists) {
            count.add(now.of(cause) - before.of(cause));
        }
    }
}
