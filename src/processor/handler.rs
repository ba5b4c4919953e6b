//! The handler trait that users implement, and the options of one handler.

use std::sync::Arc;
use std::time::Duration;

use kube::Resource;

use super::MIN_RESYNC;
use crate::object::{CachedEvent, Event, ObjectKey};
use crate::panic::call_decoded;
use crate::time::CENTURY;

/// A callback for changes of an informer's objects.
///
/// The informer calls it for each change, one at a time and in order.
///
/// Each handler runs in a task of its own. Keep calls short: put a key into a queue, or update a
/// figure. A call that blocks holds up one thread of the runtime, but no other handler and never
/// the store. For asynchronous work, take the events as a stream: see
/// [`SharedInformer::events`](crate::SharedInformer::events).
///
/// A panic in a call is caught, counted in [`HandlerStatus::panics`](super::HandlerStatus::panics)
/// and logged. The next event is delivered as usual.
///
/// `on_add`, `on_update`, `on_delete` and `on_move_away` do nothing by default. Objects are shared
/// and cannot be changed.
///
/// ```
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::Pod;
/// use kube::ResourceExt;
/// use kube_informer::EventHandler;
///
/// struct Print;
///
/// impl EventHandler<Pod> for Print {
///     fn on_add(&mut self, pod: Arc<Pod>, initial: bool) {
///         println!("{} is there{}", pod.name_any(), if initial { " already" } else { "" });
///     }
///     fn on_delete(&mut self, pod: Arc<Pod>, _final_state_known: bool) {
///         println!("{} is gone", pod.name_any());
///     }
/// }
/// ```
pub trait EventHandler<K: Resource + Send + Sync + 'static>: Send + 'static {
    /// Handles an object that appeared. `initial` is true for objects that were stored before the
    /// handler was added, or that came with the first list.
    fn on_add(&mut self, object: Arc<K>, initial: bool) {
        let _ = (object, initial);
    }

    /// Handles an object that changed. A resync calls this, too, with an unchanged object: `old`
    /// and `new` then have the same `resourceVersion`.
    fn on_update(&mut self, old: Arc<K>, new: Arc<K>) {
        let _ = (old, new);
    }

    /// Handles an object that was deleted. If `final_state_known` is false, `object` is the last
    /// state that the informer saw, which may be older than the deleted one.
    fn on_delete(&mut self, object: Arc<K>, final_state_known: bool) {
        let _ = (object, final_state_known);
    }

    /// Handles an object that left the [shard](crate::object::ShardSelector) that the informer
    /// follows. It was not deleted: it exists, and another replica handles it.
    fn on_move_away(&mut self, object: Arc<K>) {
        let _ = object;
    }

    /// Handles every event. By default it calls [`on_add`](Self::on_add),
    /// [`on_update`](Self::on_update), [`on_delete`](Self::on_delete) or
    /// [`on_move_away`](Self::on_move_away).
    fn on_event(&mut self, event: Event<K>) {
        match event {
            Event::Added { object, initial } => self.on_add(object, initial),
            Event::Updated { old, new } => self.on_update(old, new),
            Event::Deleted { object, final_state_known } => {
                self.on_delete(object, final_state_known);
            }
            Event::MovedAway { object } => self.on_move_away(object),
        }
    }

    /// Handles every event in the form that the cache holds, with its object's key. By default it
    /// calls [`on_event`](Self::on_event) with the result of [`CachedEvent::read`]. A state that
    /// cannot be unpacked is left out; the informer reports it.
    ///
    /// A handler that overrides this method unpacks only the objects that it reads: see
    /// [`SharedInformer::on_cached_event`](crate::SharedInformer::on_cached_event).
    fn on_cached_event(&mut self, key: &ObjectKey, event: CachedEvent<K>) {
        let _ = key;
        call_decoded(&event, |event| self.on_event(event));
    }
}

/// The default of [`HandlerOptions::backlog`].
const DEFAULT_BACKLOG: usize = 1024;

/// Returns the effective period for the requested one. `None` means never.
pub(crate) fn resync_period(wish: Duration) -> Option<Duration> {
    (!wish.is_zero() && wish < CENTURY).then(|| wish.max(MIN_RESYNC))
}

/// Configuration of one handler.
///
/// ```
/// use std::time::Duration;
/// use kube_informer::HandlerOptions;
///
/// let options = HandlerOptions::new().name("audit").resync(Duration::from_secs(600)).backlog(64);
/// ```
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct HandlerOptions {
    pub(crate) name: Arc<str>,
    pub(crate) resync: Option<Resync>,
    pub(crate) backlog: usize,
}

/// The resync setting of one handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resync {
    Never,
    Every(Duration),
}

impl HandlerOptions {
    /// Creates options with no name, the informer's resync period and a backlog of 1024 events.
    pub fn new() -> Self {
        Self { name: "".into(), resync: None, backlog: DEFAULT_BACKLOG }
    }

    /// Sets the name of this handler in logs, metrics and the status. Empty unless set.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the period after which the handler receives every stored object again, as an update.
    /// The informer's period unless set.
    ///
    /// Zero, or a century or more, means never. A period below one second is raised to one second.
    /// If the informer already runs, a period shorter than its shortest one so far is raised to
    /// that.
    pub fn resync(mut self, period: Duration) -> Self {
        self.resync = Some(resync_period(period).map_or(Resync::Never, Resync::Every));
        self
    }

    /// Sets the number of events that may wait before events of the same object are merged. 1024
    /// unless set; at least one.
    pub fn backlog(mut self, events: usize) -> Self {
        self.backlog = events.max(1);
        self
    }

    /// Returns the resync period of this handler, or `default` if it has none.
    pub(crate) fn resync_or(&self, default: Option<Duration>) -> Option<Duration> {
        match self.resync {
            None => default,
            Some(Resync::Never) => None,
            Some(Resync::Every(period)) => Some(period),
        }
    }
}

impl Default for HandlerOptions {
    fn default() -> Self {
        Self::new()
    }
}
