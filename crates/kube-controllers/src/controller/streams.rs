//! Keys to reconcile that come from streams instead of informers.

use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::StreamExt;
use futures::stream::BoxStream;
use tokio::sync::{Mutex as AsyncMutex, watch};
use tokio::time::{Instant, sleep};

use super::cause::Cause;
use super::heat::{CROWD, FIRST_DELAY, LONGEST_DELAY};
use super::history::TriggerHistory;
use super::status::StatusCell;
use crate::basics::{Mutex, after};
use kube_informer::object::ObjectKey;
use kube_informer::seams::{SafeDrop, YieldBudget, catch};
use kube_informer::workqueue::{Priority, WorkQueue};

/// A stream of keys. It is read only while the controller works, so a bounded channel holds up its
/// senders until then.
///
/// Locked by the task that reads it: in a later term of leadership another task continues it.
pub(super) struct KeyStream(AsyncMutex<SafeDrop<BoxStream<'static, Wanted>>>);

/// The keys that an item of a stream asks for.
pub(super) enum Wanted {
    Key(ObjectKey),
    All,
}

/// The requests to reconcile all objects. Clones are cheap and share them.
#[derive(Clone, Default)]
pub(super) struct AllRequests(Arc<Requests>);

#[derive(Default)]
struct Requests {
    /// Changed by each request.
    requested: watch::Sender<()>,
    state: Mutex<WorkState>,
}

#[derive(Default)]
struct WorkState {
    /// True while every feeder of the controller's own objects listens.
    works: bool,
    /// True if a request came when not all feeders listened.
    missed: bool,
}

impl AllRequests {
    pub(super) fn request(&self) {
        let mut state = self.0.state.lock();
        state.missed |= !state.works;
        drop(state);
        self.0.requested.send_replace(());
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<()> {
        self.0.requested.subscribe()
    }

    /// Notes that all feeders listen, until the guard is dropped. Repeats a request that they
    /// missed.
    pub(super) fn begin_work(&self) -> Works<'_> {
        let mut state = self.0.state.lock();
        state.works = true;
        let missed = std::mem::take(&mut state.missed);
        drop(state);
        if missed {
            self.request();
        }
        Works(self)
    }
}

/// A guard of the time in which all feeders listen.
#[must_use]
pub(super) struct Works<'a>(&'a AllRequests);

impl Drop for Works<'_> {
    fn drop(&mut self) {
        self.0.0.state.lock().works = false;
    }
}

impl KeyStream {
    pub(super) fn new(stream: BoxStream<'static, Wanted>) -> Self {
        Self(AsyncMutex::new(SafeDrop::new(stream)))
    }

    /// Queues the stream's keys, for ever. A stream that ends or panics is not polled again.
    pub(super) async fn feed(
        self: Arc<Self>,
        queue: WorkQueue<ObjectKey>,
        status: Arc<StatusCell>,
        history: Arc<TriggerHistory>,
        all: AllRequests,
    ) {
        let mut stream = self.0.lock().await;
        let (mut budget, mut pace) = (YieldBudget::new(), StreamPace::default());
        while let Some(wanted) = poll_fn(|cx| poll_safely(&mut stream, cx, &status)).await {
            match wanted {
                Wanted::Key(key) => {
                    history.record(&key, || Cause::Stream);
                    queue.add_with(key, Priority::NORMAL);
                }
                Wanted::All => all.request(),
            }
            // The key may have woken a worker. Tokio runs that worker next on this thread, and no
            // other thread can steal it: a stream that blocks would hold it up.
            budget.give_way().await;
            if let Some(delay) = pace.note(Instant::now()) {
                sleep(delay).await;
            }
        }
        drop(stream);
        std::future::pending::<()>().await;
    }
}

/// The pace of a stream that may always be ready.
///
/// Such a stream keeps a paused clock from moving. So it waits longer each time, as a key does that
/// runs without end.
#[derive(Default)]
struct StreamPace {
    /// The instant of the last item, and the number of items at it.
    last: Option<(Instant, usize)>,
    /// The end of the last wait, and its length.
    waited: Option<(Instant, Duration)>,
}

impl StreamPace {
    /// Notes an item. Returns the time to wait before the next one, if there are too many at this
    /// instant.
    fn note(&mut self, now: Instant) -> Option<Duration> {
        let items = self.last.filter(|(at, _)| *at == now).map_or(1, |(_, items)| items + 1);
        self.last = Some((now, items));
        if items < CROWD {
            return None;
        }
        // A timer is exact to a millisecond.
        let waited = self.waited.filter(|(end, _)| now <= after(*end, FIRST_DELAY));
        let delay = waited.map_or(FIRST_DELAY, |(_, delay)| (2 * delay).min(LONGEST_DELAY));
        self.waited = Some((after(now, delay), delay));
        Some(delay)
    }
}

/// Polls a stream, and drops it when it has ended. A panic ends it, too.
fn poll_safely(
    slot: &mut SafeDrop<BoxStream<'static, Wanted>>,
    cx: &mut Context<'_>,
    status: &StatusCell,
) -> Poll<Option<Wanted>> {
    let Some(stream) = slot.get_mut() else { return Poll::Ready(None) };
    let polled = catch(|| stream.poll_next_unpin(cx)).unwrap_or_else(|message| {
        status.record_stream_panic(&message);
        Poll::Ready(None)
    });
    if matches!(polled, Poll::Ready(None)) {
        drop(slot.take().map(SafeDrop::new));
    }
    polled
}

impl fmt::Debug for KeyStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyStream")
    }
}
