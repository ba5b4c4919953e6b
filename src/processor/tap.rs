//! Taps: consumers that need every state, unmerged and in order.
//!
//! A handler's backlog merges events of one object when it is full. A controller cannot accept
//! that, because each state may map to different keys to reconcile. The processing loop itself
//! calls a tap: either inline, or through a bounded channel. While that channel is full, the loop
//! waits.

use std::fmt;
use std::sync::{Arc, Weak};

use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;

use super::{Notification, ProcessorState, Recipients};
use crate::object::{CachedEvent, ObjectKey};
use crate::panic::{SafeDropEvent, SafeDropper, catch, drop_safely};
use crate::sync::Mutex;

/// A consumer of each change of the store.
pub(crate) enum Tap {
    /// A function that the processing loop calls. It must be short. A panic is caught and logged.
    Inline(Box<InlineTap>),
    /// A channel to the consumer's task. While the channel is full, the processing loop waits.
    Bounded {
        /// The name of the consumer. The informer's status shows it while the loop waits.
        name: Arc<str>,
        /// The bounded channel.
        events: Sender<(ObjectKey, SafeDropEvent)>,
        /// Counts the objects whose `Drop` panics in the channel.
        dropper: SafeDropper,
    },
}

type InlineTap = dyn Fn(&ObjectKey, &CachedEvent) + Send + Sync;

/// A guard that removes its tap.
#[must_use = "the tap is removed with its guard"]
pub(crate) struct TapGuard(Option<Box<dyn FnOnce() + Send + Sync>>);

/// The name of the tap that the processing loop waits for, if any.
#[derive(Debug, Default)]
pub(crate) struct HeldUpBy(Mutex<Option<Arc<str>>>);

/// A guard that clears the name when the wait ends.
struct Waiting<'a>(&'a HeldUpBy);

impl Tap {
    /// Takes the changes of a batch. Waits while a bounded channel is full. If this future is
    /// dropped, the changes that were not taken are lost.
    pub(super) async fn take(&self, notifications: &[Notification], held_up: &HeldUpBy) {
        let changes = notifications.iter().filter(|n| n.recipients == Recipients::Everyone);
        for Notification { key, event, .. } in changes {
            match self {
                Self::Inline(call) => {
                    if let Err(message) = catch(|| call(key, event)) {
                        report_panic(key, &message);
                    }
                }
                Self::Bounded { name, events, dropper } => {
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
    tracing::error!(%key, message, "reading an object's owners panicked");
}

impl TapGuard {
    pub(super) fn new(shared: Weak<ProcessorState>, tap: Weak<Tap>) -> Self {
        Self(Some(Box::new(move || {
            if let Some(shared) = shared.upgrade() {
                let removed: Vec<_> = {
                    let mut taps = shared.taps.lock();
                    taps.extract_if(.., |other| std::ptr::eq(Arc::as_ptr(other), tap.as_ptr()))
                        .collect()
                };
                // Not under the lock: a tap owns user functions.
                for tap in removed {
                    drop_safely(tap);
                }
            }
        })))
    }
}

impl Drop for TapGuard {
    fn drop(&mut self) {
        if let Some(remove) = self.0.take() {
            remove();
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

impl fmt::Debug for TapGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TapGuard")
    }
}
