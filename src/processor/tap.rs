//! Taps: consumers that receive every state, unmerged and in order.
//!
//! A handler's backlog merges events of one object when it is full. A tap does not, because each
//! state may matter to its consumer. The processing loop itself gives a tap its events: through a
//! bounded channel, or by a call. While the channel is full, the loop waits.

use std::collections::VecDeque;
use std::fmt;
use std::future::pending;
use std::marker::PhantomData;
use std::sync::{Arc, Weak};

use tokio::sync::Semaphore;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{self, Receiver, Sender};

use super::unread::Unread;
use super::{Notification, ProcessorState, Recipients};
use crate::object::{AnyObject, CachedEvent, ObjectKey};
use crate::panic::{SafeDropEvent, SafeDropper, catch, drop_safely};
use crate::storage::View;
use crate::sync::Mutex;

/// The end of the processing loop.
pub(crate) enum TapSource {
    /// A function that the processing loop calls.
    Call(Box<TapCall>),
    /// A channel to the consumer.
    Channel {
        /// The name of the consumer. The informer's status shows it while the loop waits.
        name: Arc<str>,
        /// The bounded channel.
        events: Sender<(ObjectKey, SafeDropEvent)>,
        /// Counts the objects whose `Drop` panics in the channel.
        dropper: SafeDropper,
    },
}

/// The events that wait for a tap's consumer.
pub(crate) type TapEvents = Receiver<(ObjectKey, SafeDropEvent)>;

type TapCall = dyn Fn(&ObjectKey, &CachedEvent) + Send + Sync;

/// The events of an informer, each with its object's key: every state, unmerged and in order.
/// Without the states that the consumer can't read, its events fit together as
/// [`CachedEvent::read`] says.
///
/// [`SharedInformer::tap`](crate::SharedInformer::tap) gives one. Dropping it removes it.
#[must_use = "a tap is removed when it is dropped"]
pub struct Tap<K: ?Sized = dyn AnyObject> {
    /// The events that precede all others.
    first: VecDeque<(ObjectKey, SafeDropEvent)>,
    /// `None` for a function, which the processing loop calls.
    events: Option<TapEvents>,
    guard: TapGuard,
    /// The states that the consumer could not read.
    unread: Unread,
    /// The last event that the consumer got, until it asks for the next one.
    last: Option<(ObjectKey, SafeDropEvent)>,
    dropper: SafeDropper,
    /// The view through which the consumer reads objects, if their type is not the stored one.
    view: Option<Arc<View>>,
    kind: PhantomData<K>,
}

/// A guard that removes its tap.
struct TapGuard(Weak<ProcessorState>, Weak<TapSource>);

/// The name of the tap that the processing loop waits for, if any.
#[derive(Debug, Default)]
pub(crate) struct HeldUpBy(Mutex<Option<Arc<str>>>);

/// A guard that clears the name when the wait ends.
struct Waiting<'a>(&'a HeldUpBy);

impl TapSource {
    /// Returns both ends of a channel for at least one event.
    pub(crate) fn channel(
        name: Arc<str>,
        capacity: usize,
        dropper: SafeDropper,
    ) -> (Self, TapEvents) {
        let (events, waiting) = mpsc::channel(capacity.clamp(1, Semaphore::MAX_PERMITS));
        (Self::Channel { name, events, dropper }, waiting)
    }

    /// Takes the changes of a batch. Waits while a bounded channel is full. If this future is
    /// dropped, the changes that were not taken are lost.
    pub(super) async fn take(&self, notifications: &[Notification], held_up: &HeldUpBy) {
        let changes = notifications.iter().filter(|n| n.recipients == Recipients::Everyone);
        for Notification { key, event, .. } in changes {
            match self {
                Self::Call(call) => {
                    if let Err(message) = catch(|| call(key, event)) {
                        report_panic(key, &message);
                    }
                }
                Self::Channel { name, events, dropper } => {
                    let event = SafeDropEvent::new(event.clone(), dropper.clone());
                    let change = (key.clone(), event);
                    if let Err(TrySendError::Full(change)) = events.try_send(change) {
                        let _waiting = held_up.wait_for(name);
                        // A closed channel has no consumer.
                        let _closed = events.send(change).await;
                    }
                }
            }
        }
    }
}

#[cold]
fn report_panic(key: &ObjectKey, message: &str) {
    tracing::error!(%key, message, "tap panicked");
}

impl<K: ?Sized> Tap<K> {
    pub(super) fn new(
        shared: &Arc<ProcessorState>,
        source: &Arc<TapSource>,
        events: Option<TapEvents>,
    ) -> Self {
        let guard = TapGuard(Arc::downgrade(shared), Arc::downgrade(source));
        let (first, unread, dropper) = (VecDeque::new(), Unread::default(), shared.dropper.clone());
        let (last, view, kind) = (None, None, PhantomData);
        Self { first, events, guard, unread, last, dropper, view, kind }
    }

    /// Puts events before all others. A tap that calls a function does not get them.
    pub(crate) fn begin_with(&mut self, first: impl Iterator<Item = (ObjectKey, SafeDropEvent)>) {
        self.first.extend(first);
    }

    /// Returns the next event. Returns `None` after the informer was stopped and the tap has no
    /// event left. Cancel safe.
    pub async fn next(&mut self) -> Option<(ObjectKey, CachedEvent<K>)> {
        self.note_last();
        let (key, mut event) = match (self.first.pop_front(), &mut self.events) {
            (Some(first), _) => first,
            (None, Some(events)) => events.recv().await?,
            (None, None) => return pending().await,
        };
        let event = event.take()?;
        let event = match &self.view {
            Some(view) => view.show_event(event),
            None => event,
        };
        let told = self.unread.prepare(&key, event.clone());
        if told.object().is_packed() {
            self.last = Some((key.clone(), SafeDropEvent::new(event, self.dropper.clone())));
        } else {
            // It can be read, and is not to stay longer than its consumer wants.
            self.note(&key, event);
        }
        Some((key, told.cast()))
    }

    /// Notes whether the consumer could read its last event.
    fn note_last(&mut self) {
        if let Some((key, mut last)) = self.last.take()
            && let Some(event) = last.take()
        {
            self.note(&key, event);
        }
    }

    fn note(&mut self, key: &ObjectKey, event: CachedEvent) {
        self.unread.note(key, &event, &self.dropper);
        self.dropper.free_event(event);
    }

    /// Returns the same tap, whose objects are read as they are stored, or through a view.
    pub(crate) fn through<L: ?Sized>(self, view: Option<Arc<View>>) -> Tap<L> {
        let Self { first, events, guard, unread, last, dropper, .. } = self;
        Tap { first, events, guard, unread, last, dropper, view, kind: PhantomData }
    }
}

impl Drop for TapGuard {
    fn drop(&mut self) {
        let Some(shared) = self.0.upgrade() else { return };
        let removed: Vec<_> = {
            let mut taps = shared.taps.lock();
            taps.extract_if(.., |other| std::ptr::eq(Arc::as_ptr(other), self.1.as_ptr())).collect()
        };
        // Not under the lock: a tap owns user functions.
        for tap in removed {
            drop_safely(tap);
        }
    }
}

impl HeldUpBy {
    /// Returns the name of the tap that the loop waits for.
    pub(crate) fn name(&self) -> Option<Arc<str>> {
        self.0.lock().clone()
    }

    fn wait_for(&self, name: &Arc<str>) -> Waiting<'_> {
        *self.0.lock() = Some(name.clone());
        Waiting(self)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        *self.0.0.lock() = None;
    }
}

impl<K: ?Sized> fmt::Debug for Tap<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let waiting = self.events.as_ref().map(Receiver::len);
        f.debug_struct("Tap").field("waiting", &waiting).finish_non_exhaustive()
    }
}
