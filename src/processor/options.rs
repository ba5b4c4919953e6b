//! How a handler wants to be told.

use std::sync::Arc;
use std::time::Duration;

use super::MIN_RESYNC;

/// How many events a handler's backlog holds before it merges, unless told otherwise.
const DEFAULT_BACKLOG: usize = 1024;

/// As good as never, and what the clock can still add to any moment: a century.
const NO_RESYNC: Duration = Duration::from_secs(36_525 * 24 * 60 * 60);

/// The period of a wish for one; `None`: never.
pub(crate) fn resync_period(wish: Duration) -> Option<Duration> {
    (!wish.is_zero() && wish < NO_RESYNC).then(|| wish.max(MIN_RESYNC))
}

/// Options of one handler.
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

/// A handler's own word about resync, where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resync {
    Never,
    Every(Duration),
}

impl HandlerOptions {
    /// No name, the informer's resync period, a backlog of 1024 events.
    pub fn new() -> Self {
        Self { name: "".into(), resync: None, backlog: DEFAULT_BACKLOG }
    }

    /// The name by which logs and the status speak of this handler.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = name.into();
        self
    }

    /// How often everything is told again. Zero is never, as is a century or more; below one second is
    /// raised to one second. Asked for once the informer runs, a period shorter than the one at which it checks is
    /// raised to that.
    pub fn resync(mut self, period: Duration) -> Self {
        self.resync = Some(resync_period(period).map_or(Resync::Never, Resync::Every));
        self
    }

    /// How many events wait before those of the same object are merged; at least one.
    pub fn backlog(mut self, events: usize) -> Self {
        self.backlog = events.max(1);
        self
    }

    /// The resync period: this handler's own, else `default`.
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
