//! When handlers are told everything again, and how far that is.
//!
//! A resync asks neither the server nor the queue, and writes nothing: it walks the store as it is
//! and tells again what it finds. It goes in turns, at most one between two batches, so that it
//! holds up nothing that the server sent.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::indexer::{Indexer, Objects};
use crate::processor::{HandlerOptions, Listeners, SharedProcessor};
use crate::sync::{Mutex, Notify};
use crate::turns::TURN;

/// The shortest period of the informer's handlers: the smallest that any asked for before the
/// start. As in client-go, a shorter wish that comes later is raised to it; where nobody had one
/// yet, the first wish sets it.
#[derive(Debug, Default)]
pub(super) struct ResyncClock {
    state: Mutex<State>,
    /// A handler came.
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    period: Option<Duration>,
    running: bool,
}

impl ResyncClock {
    /// A handler's options, with the period that it will have.
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

    /// Begins the periods of the handlers that are there.
    pub(super) fn start<K: Send + Sync + 'static>(&self, processor: &SharedProcessor<K>) {
        self.state.lock().running = true;
        processor.start_resyncs(Instant::now());
    }

    /// Looks again when the next resync is due: a handler came.
    pub(super) fn wake(&self) {
        self.changed.notify_one();
    }

    /// Waits until a resync is due. Cancel safe.
    pub(super) async fn due<K: Send + Sync + 'static>(&self, processor: &SharedProcessor<K>) {
        loop {
            let changed = self.changed.notified();
            match processor.next_resync() {
                None => changed.await,
                Some(next) => tokio::select! {
                    () = sleep_until(next) => return,
                    () = changed => {}
                },
            }
        }
    }
}

/// The resyncs that go on: at most one of each handler.
pub(super) struct Resyncs<K>(VecDeque<Resync<K>>);

/// One walk through the store, for the handlers whose periods ended together.
struct Resync<K> {
    listeners: Listeners<K>,
    /// What was stored when it began, and was not walked yet.
    objects: Objects<K>,
}

impl<K> Default for Resyncs<K> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<K: Send + Sync + 'static> Resyncs<K> {
    /// Whether no resync goes on.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Begins the resyncs that are due.
    pub(super) fn begin(&mut self, processor: &SharedProcessor<K>, store: &Indexer<K>) {
        if let Some(listeners) = processor.begin_resync(Instant::now()) {
            let objects = store.snapshot().into_objects();
            self.0.push_back(Resync { listeners, objects });
        }
    }

    /// Tells some objects again: those of one turn, of the resync that has waited longest.
    ///
    /// Call it between two batches. Then handlers have been told of all that is stored, and what
    /// they are told again is what they know. What changed since the resync began was told then.
    pub(super) fn turn(&mut self, store: &Indexer<K>) {
        let Some(mut resync) = self.0.pop_front() else { return };
        let now = store.snapshot();
        let mut objects: Vec<_> = resync.objects.by_ref().take(TURN).collect();
        objects.retain(|(key, object)| now.cached_by_key(key).is_some_and(|now| now.is(object)));
        resync.listeners.tell_again(&objects);
        if resync.objects.len() > 0 && !resync.listeners.are_closed() {
            self.0.push_back(resync);
        } else {
            resync.listeners.end_resync();
        }
    }
}
