//! Options of one handler.

use std::sync::Arc;
use std::time::Duration;

use super::MIN_RESYNC;

/// The default of [`HandlerOptions::backlog`].
const DEFAULT_BACKLOG: usize = 1024;

/// A century. A period this long counts as never, and every clock can still add it to any instant.
const NO_RESYNC: Duration = Duration::from_secs(36_525 * 24 * 60 * 60);

/// Returns the effective period for the requested one. `None` means never.
pub(crate) fn resync_period(wish: Duration) -> Option<Duration> {
    (!wish.is_zero() && wish < NO_RESYNC).then(|| wish.max(MIN_RESYNC))
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
