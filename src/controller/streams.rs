//! Keys to reconcile that come from streams instead of informers.

use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::StreamExt;
use futures::stream::BoxStream;
use tokio::sync::{Mutex, watch};

use super::history::Cause;
use super::status::StatusCell;
use crate::object::ObjectKey;
use crate::panic::{SafeDrop, catch};
use crate::workqueue::{Priority, WorkQueue};
use crate::yield_budget::YieldBudget;

/// A stream of keys. It is read only while the controller works, so a bounded channel holds up its
/// senders until then.
///
/// Locked by the task that reads it: in a later term of leadership another task goes on with it.
pub(super) struct KeyStream(Mutex<SafeDrop<BoxStream<'static, Wanted>>>);

/// The keys that an item of a stream asks for.
pub(super) enum Wanted {
    Key(ObjectKey),
    All,
}

/// The requests to reconcile all objects: a number that each of them raises. Clones are cheap.
#[derive(Clone, Default)]
pub(super) struct AllRequests(Arc<watch::Sender<u64>>);

impl AllRequests {
    pub(super) fn request(&self) {
        self.0.send_modify(|requests| *requests += 1);
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<u64> {
        self.0.subscribe()
    }
}

impl KeyStream {
    pub(super) fn new(stream: BoxStream<'static, Wanted>) -> Self {
        Self(Mutex::new(SafeDrop::new(stream)))
    }

    /// Queues the keys that come, for ever. A stream that ends or panics is not polled again.
    pub(super) async fn feed(
        self: Arc<Self>,
        queue: WorkQueue<ObjectKey>,
        status: Arc<StatusCell>,
        all: AllRequests,
    ) {
        let mut stream = self.0.lock().await;
        let mut budget = YieldBudget::new();
        while let Some(wanted) = poll_fn(|cx| poll_safely(&mut stream, cx, &status)).await {
            match wanted {
                Wanted::Key(key) => {
                    status.history().record(&key, || Cause::Stream);
                    queue.add_with(key, Priority::NORMAL);
                }
                Wanted::All => all.request(),
            }
            budget.spend(1).await;
        }
        drop(stream);
        std::future::pending::<()>().await;
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
