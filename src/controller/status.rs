//! What a controller did and does.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::action::Next;
use super::error::{LastFailure, Reason, ReconcileError};
use crate::object::ObjectKey;
use crate::workqueue::WorkQueueStatus;

/// One look at a controller.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct ControllerStatus {
    /// Its name.
    pub name: Arc<str>,
    /// What it is doing.
    pub phase: Phase,
    /// How many reconciles ended well, whatever is to come after.
    pub succeeded: u64,
    /// How many failed, those below included.
    pub failed: u64,
    /// How many took too long.
    pub timed_out: u64,
    /// How many panicked.
    pub panicked: u64,
    /// How often a reconcile was put off because an own write was not to be seen yet.
    pub behind: u64,
    /// The last failure.
    pub last_failure: Option<LastFailure>,
    /// Its queue.
    pub queue: WorkQueueStatus,
}

/// What a controller is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Phase {
    /// It was not run yet.
    Idle,
    /// It waits until its informers have synced.
    Syncing,
    /// It waits to become the leader.
    Standby,
    /// It reconciles.
    Working,
    /// It has ended.
    Stopped,
}

/// The status as workers write it.
pub(super) struct Board {
    phase: Mutex<Phase>,
    succeeded: AtomicU64,
    failed: AtomicU64,
    timed_out: AtomicU64,
    panicked: AtomicU64,
    behind: AtomicU64,
    last_failure: Mutex<Option<Failure>>,
}

struct Failure {
    key: ObjectKey,
    error: String,
    failures: u32,
    at: Instant,
}

impl Board {
    pub(super) fn new() -> Self {
        Self {
            phase: Mutex::new(Phase::Idle),
            succeeded: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            timed_out: AtomicU64::new(0),
            panicked: AtomicU64::new(0),
            behind: AtomicU64::new(0),
            last_failure: Mutex::new(None),
        }
    }

    pub(super) fn enter(&self, phase: Phase) {
        *self.phase.lock() = phase;
    }

    pub(super) fn ended(&self, outcome: &Result<Next, ReconcileError>) {
        let count = |counter: &AtomicU64| counter.fetch_add(1, Ordering::Relaxed);
        match outcome {
            Ok(_) => drop(count(&self.succeeded)),
            Err(error) => {
                count(&self.failed);
                match error.reason() {
                    Reason::Failed => {}
                    Reason::TimedOut => drop(count(&self.timed_out)),
                    Reason::Panicked => drop(count(&self.panicked)),
                    Reason::Behind => drop(count(&self.behind)),
                }
            }
        }
    }

    pub(super) fn failed(&self, key: &ObjectKey, error: &ReconcileError, failures: u32) {
        let failure =
            Failure { key: key.clone(), error: error.to_string(), failures, at: Instant::now() };
        *self.last_failure.lock() = Some(failure);
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
            last_failure,
            queue,
        }
    }
}

/// A handle on a controller that runs elsewhere: to look at it, and to give it work. A cheap clone.
#[derive(Clone)]
pub struct ControllerHandle {
    pub(super) name: Arc<str>,
    pub(super) board: Arc<Board>,
    pub(super) queue: crate::workqueue::WorkQueue<ObjectKey>,
}

impl ControllerHandle {
    /// One look at everything.
    pub fn status(&self) -> ControllerStatus {
        self.board.read(&self.name, self.queue.status())
    }

    /// Has a key reconciled, ahead of live changes: for what no informer sees.
    ///
    /// `false` when the controller has stopped.
    pub fn trigger(&self, key: ObjectKey) -> bool {
        self.queue.add_with(key, crate::workqueue::Priority::HIGH)
    }

    /// Has a key reconciled after a delay.
    ///
    /// `false` when the controller has stopped.
    pub fn trigger_after(&self, key: ObjectKey, delay: Duration) -> bool {
        self.queue.add_after(key, delay)
    }
}

impl std::fmt::Debug for ControllerHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ControllerHandle").field("name", &self.name).finish_non_exhaustive()
    }
}
