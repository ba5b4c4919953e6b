//! The status and the metrics of a controller, and the cell that its workers write them to.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use super::action::Next;
use super::error::{LastFailure, Reason, ReconcileError};
use super::heat::HotKey;
use super::history::{KeyTriggers, TriggerHistory};
use super::metrics::{
    HOT_KEYS, RECONCILE_ACTIVE_WORKERS, RECONCILE_ERRORS, RECONCILE_MAX_CONCURRENT,
    RECONCILE_PANICS, RECONCILE_TIME, RECONCILE_TIMEOUTS, RECONCILE_TOTAL, UNCHANGED_UPDATES,
};
use super::waiting::MissingInformers;
use crate::basics::{Mutex, after};
use crate::leader_election::LeadershipState;
use crate::sharding::ShardingStatus;
use kube_informer::object::{CachedEvent, ObjectKey};
use kube_informer::seams::{Count, Level, MetricLabels, Timing, VecMap};
use kube_informer::workqueue::WorkQueueStatus;

/// The state of a controller at one moment. Durations serialise as seconds.
///
/// The reason for an alert, from [`ControllerHandle::status`](super::ControllerHandle::status):
///
/// ```
/// use std::time::Duration;
/// use kube_controllers::controller::{ControllerStatus, LastFailure, Phase};
///
/// fn problem(status: &ControllerStatus) -> Option<String> {
///     let persists = |failure: &&LastFailure| {
///         failure.failures >= 10 && failure.ago < Duration::from_secs(600)
///     };
///     match status.phase {
///         Phase::Stopped => Some(format!("{} has ended", status.name)),
///         _ if !status.missing.is_empty() => Some(format!("not synced: {:?}", status.missing)),
///         _ => status.last_failure.as_ref().filter(persists).map(LastFailure::to_string),
///     }
/// }
/// ```
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct ControllerStatus {
    /// The controller's name.
    pub name: Arc<str>,
    /// The current phase of its life.
    pub phase: Phase,
    /// The number of reconciles that returned an [`Action`](super::Action), whichever it was.
    pub succeeded: u64,
    /// The number of tries that failed: errors, timeouts, panics, and own writes that the cache did
    /// not show within 10 s.
    pub failed: u64,
    /// The number of reconciles that exceeded the timeout; part of `failed`.
    pub timed_out: u64,
    /// The number of reconciles that panicked; part of `failed`.
    pub panicked: u64,
    /// The number of times that a failing key was left to wait for a change: after a permanent
    /// error, by the error policy, or after the last retry.
    pub given_up: u64,
    /// The number of times a key was put off because the cache did not show its own writes yet.
    /// Only a wait that ends in vain counts as a failure, too.
    pub behind: u64,
    /// The number of keys that left the queue of a sharded controller, because they belong to
    /// another replica.
    pub foreign_keys: u64,
    /// The number of updates that
    /// [`content_changed`](super::ControllerBuilder::content_changed) dropped. Resyncs do not
    /// count.
    pub unchanged_updates: u64,
    /// The number of calls of predicates that panicked. The changes passed.
    pub predicate_panics: u64,
    /// The number of calls of mapping functions that panicked. The keys that such a call would have
    /// returned for that one state are lost.
    pub mapping_panics: u64,
    /// The number of streams of keys that panicked. They are not read again.
    pub stream_panics: u64,
    /// The number of workers and other tasks that ended unexpectedly. Each was started again.
    pub restarts: u64,
    /// The informers that have not synced while the controller works, or that fail to prove a fresh
    /// view since this replica took over. Keys of their namespaces wait; a missing informer of all
    /// namespaces holds up every key. Cluster-scoped keys and keys of other namespaces do not wait,
    /// even if a missing informer may hold objects of theirs. An informer that may list but not
    /// watch has synced: see
    /// [`watch_refused`](kube_informer::reflector::ReflectorStatus::watch_refused).
    ///
    /// Also an informer that was [added](super::Following) and has not synced, or has shown no fresh
    /// view for the [sync timeout](super::ControllerBuilder::sync_timeout). No key waits for it.
    ///
    /// In a [sharded](super::ControllerBuilder::sharded) controller also the informers that lack the
    /// objects of a slot, although this replica has held it for the
    /// [sync timeout](super::ControllerBuilder::sync_timeout). Only the keys of such slots wait.
    pub missing: Vec<Arc<str>>,
    /// The keys that workers reconcile now, and those whose reconcile has ended before the work
    /// that it [tracks](super::ReconcileRequest::spawn_blocking). A reconcile that runs for a
    /// minute is logged; the queue's `longest_running` is the time of the longest.
    pub reconciling: Vec<String>,
    /// The state of its membership; `None` for a controller without a sharding.
    pub sharding: Option<ShardingStatus>,
    /// The state of the election; `None` for a controller without leader election.
    pub leadership: Option<LeadershipState>,
    /// The last triggers of the 20 keys that were queued last, the newest key first.
    pub triggers: Vec<KeyTriggers>,
    /// The keys that are hot: they were reconciled 300 times within the last ten seconds or so. At
    /// most 20, the hottest first. Only keys whose
    /// [triggers are kept](super::ControllerBuilder::triggers_kept) are found, and those that run
    /// without end while a paused clock stands still.
    pub hot_keys: Vec<HotKey>,
    /// The most recent failure of any key. A failed try is included once the work that it tracks
    /// has ended.
    pub last_failure: Option<LastFailure>,
    /// The status of its work queue.
    pub queue: WorkQueueStatus,
}

/// The phases in a controller's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Phase {
    /// The controller was not run yet.
    Idle,
    /// The controller waits until its informers have synced.
    Syncing,
    /// The controller waits to become the leader.
    Standby,
    /// The controller has won its lease, and waits for a fresh view since then: the replica that
    /// led before may have seen newer states.
    TakingOver,
    /// The controller reconciles.
    Working,
    /// The controller has ended, or was dropped.
    Stopped,
}

/// The counters behind [`ControllerStatus`], and the metrics.
pub(super) struct StatusCell {
    metrics: ControllerMetrics,
    phase: Mutex<Phase>,
    /// The reconcile of each busy worker, by the worker's number.
    busy: Mutex<VecMap<usize, Running>>,
    /// The keys that no worker reconciles, but whose tracked work goes on.
    held: Mutex<HashMap<ObjectKey, Running>>,
    /// The keys whose tracked work a stop has dropped.
    dropped: Mutex<Vec<ObjectKey>>,
    leadership: Option<watch::Receiver<LeadershipState>>,
    sharding: Option<watch::Receiver<ShardingStatus>>,
    pub(super) counts: Counts,
    missing_informers: Arc<MissingInformers>,
    last_failure: Mutex<Option<FailedTry>>,
    history: Arc<TriggerHistory>,
}

/// The counters of [`ControllerStatus`], under the same names.
#[derive(Default)]
pub(super) struct Counts {
    succeeded: AtomicU64,
    failed: AtomicU64,
    timed_out: AtomicU64,
    panicked: AtomicU64,
    pub(super) behind: AtomicU64,
    pub(super) foreign_keys: AtomicU64,
    unchanged_updates: AtomicU64,
    predicate_panics: AtomicU64,
    mapping_panics: AtomicU64,
    pub(super) given_up: AtomicU64,
    stream_panics: AtomicU64,
    pub(super) restarts: AtomicU64,
}

pub(super) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// The time after which a running reconcile is logged.
const SLOW: Duration = Duration::from_secs(60);

/// A reconcile that runs.
struct Running {
    key: ObjectKey,
    since: Instant,
    /// True if it was logged as slow.
    told: bool,
}

impl Running {
    fn new(key: ObjectKey) -> Self {
        Self { key, since: Instant::now(), told: false }
    }

    /// Returns the time that it has run, if that must be logged now.
    fn slow(&mut self) -> Option<(ObjectKey, Duration)> {
        let time = self.since.elapsed();
        let tells = time >= SLOW && !std::mem::replace(&mut self.told, time >= SLOW);
        tells.then(|| (self.key.clone(), time))
    }
}

struct FailedTry {
    key: ObjectKey,
    error: String,
    failures: u32,
    at: Instant,
    again: Option<Instant>,
}

impl StatusCell {
    pub(super) fn new(
        controller: &Arc<str>,
        leadership: Option<watch::Receiver<LeadershipState>>,
        sharding: Option<watch::Receiver<ShardingStatus>>,
        missing_informers: Arc<MissingInformers>,
        history: Arc<TriggerHistory>,
    ) -> Self {
        Self {
            metrics: ControllerMetrics::new(controller),
            phase: Mutex::new(Phase::Idle),
            busy: Mutex::default(),
            held: Mutex::new(HashMap::new()),
            dropped: Mutex::default(),
            leadership,
            sharding,
            counts: Counts::default(),
            missing_informers,
            last_failure: Mutex::new(None),
            history,
        }
    }

    pub(super) fn enter(&self, phase: Phase) {
        *self.phase.lock() = phase;
    }

    /// Notes that this many workers begin.
    pub(super) fn begin_work(&self, workers: usize) {
        self.enter(Phase::Working);
        self.dropped.lock().clear();
        self.metrics.workers.set(|| workers);
    }

    /// Notes that all workers have ended. Returns the keys whose reconciles did not finish, or
    /// whose tracked work was dropped.
    pub(super) fn end_work(&self) -> Vec<ObjectKey> {
        self.metrics.workers.set(|| 0);
        self.metrics.active.set(|| 0);
        // These stay: the status names them until their work has ended.
        let mut keys: Vec<_> = self.held.lock().keys().cloned().collect();
        keys.append(&mut self.dropped.lock());
        let busy = std::mem::take(&mut *self.busy.lock());
        keys.extend(busy.into_values().map(|running| running.key));
        keys.sort_by(ObjectKey::cmp);
        keys.dedup();
        keys
    }

    /// Notes a key whose reconcile has ended before the work that it tracks.
    pub(super) fn hold(&self, key: &ObjectKey) {
        self.held.lock().insert(key.clone(), Running::new(key.clone()));
    }

    /// Notes the end of a key's tracked work. `dropped` is true if a stop dropped it.
    pub(super) fn let_go(&self, key: &ObjectKey, dropped: bool) {
        if dropped {
            self.dropped.lock().push(key.clone());
        }
        self.held.lock().remove(key);
    }

    pub(super) fn reconcile_began(&self, worker: usize, key: &ObjectKey) {
        self.busy.lock().insert(worker, Running::new(key.clone()));
        self.metrics.active.set(|| self.busy.lock().len());
    }

    /// Logs each reconcile, and the work that it tracks, once it has run for a minute. Never ends.
    pub(super) async fn tell_slow(&self, controller: &str) -> Infallible {
        loop {
            sleep(SLOW / 2).await;
            let slow: Vec<_> = self.busy.lock().values_mut().filter_map(Running::slow).collect();
            let held: Vec<_> = self.held.lock().values_mut().filter_map(Running::slow).collect();
            for (key, time) in held {
                tracing::warn!(
                    controller,
                    %key,
                    ?time,
                    "a reconcile has ended, and work that it tracks still runs; its key is not \
                     reconciled before that ends: look for code that blocks, and for guards that \
                     are never dropped"
                );
            }
            for (key, time) in slow {
                tracing::warn!(
                    controller,
                    %key,
                    ?time,
                    "a reconcile still runs: it waits for what does not come, or blocks its \
                     thread; its key is not reconciled before it ends; set a timeout"
                );
            }
        }
    }

    /// Runs a reconcile, measures its time, and counts its outcome.
    pub(super) async fn measure(
        &self,
        reconcile: impl Future<Output = Option<Result<Next, ReconcileError>>>,
    ) -> Option<Result<Next, ReconcileError>> {
        let started = self.metrics.time.start();
        let outcome = reconcile.await;
        self.metrics.time.stop(started);
        if let Some(outcome) = &outcome {
            self.count_outcome(outcome);
        }
        outcome
    }

    /// Counts the outcome of a try.
    pub(super) fn count_outcome(&self, outcome: &Result<Next, ReconcileError>) {
        self.metrics.count_outcome(outcome);
        match outcome {
            Ok(_) => count(&self.counts.succeeded),
            Err(error) => {
                match error.reason() {
                    Reason::Failed | Reason::Behind => {}
                    Reason::TimedOut => count(&self.counts.timed_out),
                    Reason::Panicked => count(&self.counts.panicked),
                }
                count(&self.counts.failed);
            }
        }
    }

    /// Counts an update that did not change the object's content.
    pub(super) fn count_unchanged(&self, event: &CachedEvent) {
        if event.old().is_some_and(|old| !old.ptr_eq(event.object())) {
            count(&self.counts.unchanged_updates);
            self.metrics.unchanged_updates.add(1);
        }
    }

    /// Counts and logs a predicate that panicked. Its change passed.
    pub(super) fn record_predicate_panic(&self, message: &str) {
        count(&self.counts.predicate_panics);
        tracing::error!(message, "predicate panicked: the change passes");
    }

    /// Counts and logs a mapping function that panicked on one state of an object.
    pub(super) fn record_mapping_panic(&self, key: &ObjectKey, message: &str) {
        count(&self.counts.mapping_panics);
        tracing::error!(%key, message, "mapping function panicked");
    }

    /// Counts a key that was found hot.
    pub(super) fn count_hot_key(&self) {
        self.metrics.hot_keys.add(1);
    }

    /// Counts and logs a stream of keys that panicked.
    pub(super) fn record_stream_panic(&self, message: &str) {
        count(&self.counts.stream_panics);
        tracing::error!(message, "a stream of keys panicked: it is not read again");
    }

    /// Notes a failed try, and the delay of the next one.
    pub(super) fn record_failure(
        &self,
        key: &ObjectKey,
        error: String,
        failures: u32,
        again: Option<Duration>,
    ) {
        let (key, at) = (key.clone(), Instant::now());
        let again = again.map(|delay| after(at, delay));
        *self.last_failure.lock() = Some(FailedTry { key, error, failures, at, again });
    }

    pub(super) fn reconcile_ended(&self, worker: usize) {
        self.busy.lock().remove(&worker);
        self.metrics.active.set(|| self.busy.lock().len());
    }

    pub(super) fn read(&self, name: &Arc<str>, queue: WorkQueueStatus) -> ControllerStatus {
        let last_failure = self.last_failure.lock().as_ref().map(|failure| LastFailure {
            key: failure.key.to_string(),
            error: failure.error.clone(),
            failures: failure.failures,
            ago: failure.at.elapsed(),
            again_in: failure.again.map(|again| again.saturating_duration_since(Instant::now())),
        });
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        ControllerStatus {
            name: name.clone(),
            phase: *self.phase.lock(),
            succeeded: read(&self.counts.succeeded),
            failed: read(&self.counts.failed),
            timed_out: read(&self.counts.timed_out),
            panicked: read(&self.counts.panicked),
            behind: read(&self.counts.behind),
            foreign_keys: read(&self.counts.foreign_keys),
            unchanged_updates: read(&self.counts.unchanged_updates),
            predicate_panics: read(&self.counts.predicate_panics),
            mapping_panics: read(&self.counts.mapping_panics),
            given_up: read(&self.counts.given_up),
            stream_panics: read(&self.counts.stream_panics),
            restarts: read(&self.counts.restarts),
            missing: self.missing_informers.names(),
            reconciling: {
                let held: Vec<_> = self.held.lock().keys().map(ToString::to_string).collect();
                let busy = self.busy.lock();
                busy.values().map(|running| running.key.to_string()).chain(held).collect()
            },
            sharding: self.sharding.as_ref().map(|sharding| sharding.borrow().clone()),
            leadership: self.leadership.as_ref().map(|leadership| leadership.borrow().clone()),
            triggers: self.history.latest(),
            hot_keys: self.history.hot_keys(),
            last_failure,
            queue,
        }
    }
}

/// A controller's metrics. They last as long as the controller and its handles.
#[derive(Debug)]
struct ControllerMetrics {
    time: Timing,
    active: Level,
    workers: Level,
    success: Count,
    error: Count,
    requeue: Count,
    requeue_after: Count,
    errors: Count,
    panics: Count,
    timeouts: Count,
    hot_keys: Count,
    unchanged_updates: Count,
}

impl ControllerMetrics {
    fn new(controller: &Arc<str>) -> Self {
        let labels = MetricLabels::new(&[("controller", controller)]);
        let result = |result| Count::new(RECONCILE_TOTAL, &labels.with("result", result));
        Self {
            time: Timing::new(RECONCILE_TIME, &labels),
            active: Level::new(RECONCILE_ACTIVE_WORKERS, &labels),
            workers: Level::new(RECONCILE_MAX_CONCURRENT, &labels),
            success: result("success"),
            error: result("error"),
            requeue: result("requeue"),
            requeue_after: result("requeue_after"),
            errors: Count::new(RECONCILE_ERRORS, &labels),
            panics: Count::new(RECONCILE_PANICS, &labels),
            timeouts: Count::new(RECONCILE_TIMEOUTS, &labels),
            hot_keys: Count::new(HOT_KEYS, &labels),
            unchanged_updates: Count::new(UNCHANGED_UPDATES, &labels),
        }
    }

    fn count_outcome(&self, outcome: &Result<Next, ReconcileError>) {
        match outcome {
            Ok(Next::Change) => self.success.add(1),
            Ok(Next::After(_)) => self.requeue_after.add(1),
            Ok(Next::Retry) => self.requeue.add(1),
            Err(error) => {
                self.error.add(1);
                self.errors.add(1);
                match error.reason() {
                    Reason::Panicked => self.panics.add(1),
                    Reason::TimedOut => self.timeouts.add(1),
                    Reason::Failed | Reason::Behind => {}
                }
            }
        }
    }
}
