//! Where a controller's workers write what they do.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::watch;
use tokio::time::Instant;

use super::action::Next;
use super::error::{LastFailure, Reason, ReconcileError};
use super::late::Late;
use super::metrics::ControllerMetrics;
use super::status::{ControllerStatus, Phase};
use crate::leader_election::LeadershipState;
use crate::object::ObjectKey;
use crate::sync::Mutex;
use crate::workqueue::WorkQueueStatus;

/// The status as it is written, and the metrics.
pub(super) struct Board {
    metrics: ControllerMetrics,
    phase: Mutex<Phase>,
    /// What each worker reconciles.
    busy: Mutex<HashMap<usize, ObjectKey>>,
    leadership: Option<watch::Receiver<LeadershipState>>,
    succeeded: AtomicU64,
    failed: AtomicU64,
    timed_out: AtomicU64,
    panicked: AtomicU64,
    behind: AtomicU64,
    predicate_panics: AtomicU64,
    mapping_panics: AtomicU64,
    restarts: AtomicU64,
    late: Arc<Late>,
    last_failure: Mutex<Option<Failure>>,
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

struct Failure {
    key: ObjectKey,
    error: String,
    failures: u32,
    at: Instant,
}

impl Board {
    pub(super) fn new(
        controller: &Arc<str>,
        leadership: Option<watch::Receiver<LeadershipState>>,
        late: Arc<Late>,
    ) -> Self {
        Self {
            metrics: ControllerMetrics::new(controller),
            phase: Mutex::new(Phase::Idle),
            busy: Mutex::new(HashMap::new()),
            leadership,
            succeeded: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            timed_out: AtomicU64::new(0),
            panicked: AtomicU64::new(0),
            behind: AtomicU64::new(0),
            predicate_panics: AtomicU64::new(0),
            mapping_panics: AtomicU64::new(0),
            restarts: AtomicU64::new(0),
            late,
            last_failure: Mutex::new(None),
        }
    }

    pub(super) fn enter(&self, phase: Phase) {
        *self.phase.lock() = phase;
    }

    /// So many workers begin.
    pub(super) fn work(&self, workers: usize) {
        self.enter(Phase::Working);
        self.metrics.workers.set(|| workers);
    }

    /// Nobody works any more. Gives what was not finished.
    pub(super) fn rest(&self) -> Vec<ObjectKey> {
        self.metrics.workers.set(|| 0);
        self.metrics.active.set(|| 0);
        self.busy.lock().drain().map(|(_, key)| key).collect()
    }

    pub(super) fn begins(&self, worker: usize, key: &ObjectKey) {
        self.busy.lock().insert(worker, key.clone());
        self.metrics.active.set(|| self.busy.lock().len());
    }

    /// Runs a reconcile, and counts how it ends.
    pub(super) async fn measured(
        &self,
        reconcile: impl Future<Output = Result<Next, ReconcileError>>,
    ) -> Result<Next, ReconcileError> {
        let started = self.metrics.time.start();
        let outcome = reconcile.await;
        self.metrics.time.stop(started);
        self.ended(&outcome);
        outcome
    }

    /// Counts how a try ended.
    pub(super) fn ended(&self, outcome: &Result<Next, ReconcileError>) {
        self.metrics.ended(outcome);
        match outcome {
            Ok(_) => count(&self.succeeded),
            Err(error) => {
                match error.reason() {
                    Reason::Failed | Reason::Behind => {}
                    Reason::TimedOut => count(&self.timed_out),
                    Reason::Panicked => count(&self.panicked),
                }
                count(&self.failed);
            }
        }
    }

    /// Counts a key that was put off because it does not see its own writes.
    pub(super) fn put_off(&self) {
        count(&self.behind);
    }

    /// Counts and reports a predicate that panicked, and whose change passed.
    pub(super) fn predicate_panicked(&self, message: &str) {
        count(&self.predicate_panics);
        tracing::error!(message, "predicate panicked: the change passes");
    }

    /// Counts and reports a mapping function that panicked on one state of an object.
    pub(super) fn mapping_panicked(&self, key: &ObjectKey, message: &str) {
        count(&self.mapping_panics);
        tracing::error!(%key, message, "mapping function panicked");
    }

    /// Counts a task of the controller that ended without being told to, and was started again.
    pub(super) fn restarted(&self) {
        count(&self.restarts);
    }

    pub(super) fn failed(&self, key: &ObjectKey, error: String, failures: u32) {
        let (key, at) = (key.clone(), Instant::now());
        *self.last_failure.lock() = Some(Failure { key, error, failures, at });
    }

    pub(super) fn ends(&self, worker: usize) {
        self.busy.lock().remove(&worker);
        self.metrics.active.set(|| self.busy.lock().len());
    }

    pub(super) fn read(&self, name: &Arc<str>, queue: WorkQueueStatus) -> ControllerStatus {
        let last_failure = self.last_failure.lock().as_ref().map(|failure| LastFailure {
            key: failure.key.to_string(),
            error: failure.error.clone(),
            failures: failure.failures,
            ago: failure.at.elapsed(),
        });
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        ControllerStatus {
            name: name.clone(),
            phase: *self.phase.lock(),
            succeeded: read(&self.succeeded),
            failed: read(&self.failed),
            timed_out: read(&self.timed_out),
            panicked: read(&self.panicked),
            behind: read(&self.behind),
            predicate_panics: read(&self.predicate_panics),
            mapping_panics: read(&self.mapping_panics),
            restarts: read(&self.restarts),
            missing: self.late.names(),
            reconciling: self.busy.lock().values().map(ToString::to_string).collect(),
            leadership: self.leadership.as_ref().map(|leadership| leadership.borrow().clone()),
            last_failure,
            queue,
        }
    }
}
