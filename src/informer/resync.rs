//! Resyncs: handlers receive every stored object again.
//!
//! A resync makes no request and writes nothing. It walks a snapshot of the store and queues an
//! update for each object. It runs in slices, at most one between two batches, so it does not delay
//! changes from the server.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::indexer::{Indexer, Objects};
use crate::object::{Cached, ObjectKey};
use crate::processor::{HandlerOptions, Listeners, SharedProcessor};
use crate::sync::{Mutex, Notify};
use crate::yield_budget::TURN;

/// The shortest resync period of the informer's handlers. Before the start it is the shortest that
/// any handler requested. As in client-go, a shorter period requested later is raised to it. If no
/// period is set yet, the next request sets it.
#[derive(Debug, Default)]
pub(super) struct ResyncClock {
    state: Mutex<ClockState>,
    /// Notified when a handler is added.
    changed: Notify,
}

#[derive(Debug, Default)]
struct ClockState {
    period: Option<Duration>,
    running: bool,
}

impl ResyncClock {
    /// Returns a handler's options with its effective period.
    pub(super) fn admit(
        &self,
        options: HandlerOptions,
        default: Option<Duration>,
    ) -> HandlerOptions {
        let Some(wish) = options.resync_or(default) else {
            return options.resync(Duration::ZERO);
        };
        let mut state = self.state.lock();
        let period = match state.period {
            Some(period) if state.running => wish.max(period),
            Some(period) => {
                state.period = Some(period.min(wish));
                wish
            }
            None => {
                state.period = Some(wish);
                wish
            }
        };
        options.resync(period)
    }

    /// Begins the periods of the existing handlers.
    pub(super) fn start(&self, processor: &SharedProcessor) {
        self.state.lock().running = true;
        processor.start_resyncs(Instant::now());
    }

    /// Recomputes the time of the next resync, because a handler was added.
    pub(super) fn wake(&self) {
        self.changed.notify_one();
    }

    /// Waits until a resync is due. Cancel safe.
    pub(super) async fn due(&self, processor: &SharedProcessor) {
        loop {
            let changed = self.changed.notified();
            match processor.next_resync() {
                None => changed.await,
                Some(next) => tokio::select! {
                    biased;
                    () = sleep_until(next) => return,
                    () = changed => {}
                },
            }
        }
    }
}

/// The running resyncs, at most one for each handler.
#[derive(Default)]
pub(super) struct Resyncs(VecDeque<Resync>);

/// One walk through the store, for the handlers whose periods ended together.
struct Resync {
    listeners: Listeners,
    /// The objects of the snapshot that were not walked yet.
    objects: Objects,
}

impl Resyncs {
    /// Returns whether no resync runs.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Begins the resyncs that are due.
    pub(super) fn begin(&mut self, processor: &SharedProcessor, store: &Indexer) {
        if let Some(listeners) = processor.begin_resync(Instant::now()) {
            let objects = store.snapshot().into_objects();
            self.0.push_back(Resync { listeners, objects });
        }
    }

    /// Queues updates for one slice of objects of the resync that has waited longest. Returns the
    /// objects. The caller drops them one by one: these may be the last references of old states.
    ///
    /// Call this between two batches. Handlers then have the events of everything that is stored,
    /// so an update repeats a state that they know. Objects that changed since the resync began are
    /// skipped, because handlers received these changes.
    pub(super) fn send_slice(&mut self, store: &Indexer) -> Vec<(ObjectKey, Cached)> {
        let Some(mut resync) = self.0.pop_front() else { return Vec::new() };
        let now = store.snapshot();
        let objects = resync.objects.by_ref().take(TURN);
        let (mut objects, changed): (Vec<_>, Vec<_>) = objects
            .partition(|(key, object)| now.get_cached(key).is_some_and(|now| now.ptr_eq(object)));
        resync.listeners.resend(&objects);
        if resync.objects.len() > 0 && !resync.listeners.are_closed() {
            self.0.push_back(resync);
        } else {
            resync.listeners.end_resync();
        }
        objects.extend(changed);
        objects
    }
}
