//! The status of a reflector.

use std::sync::Arc;
use std::time::Duration;

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::collections::VecMap;
use crate::error::SourceError;
use crate::object::ResourceVersion;
use crate::time::seconds;

/// The status of a reflector: its state and its counters, at one moment.
///
/// Serialised, durations are seconds.
///
/// A line about the progress of a reflector that runs in another task:
///
/// ```
/// use kube_informer::reflector::{ReflectorMonitor, ReflectorState, ReflectorStatus};
///
/// fn progress(monitor: &ReflectorMonitor) -> String {
///     let status: ReflectorStatus = monitor.status();
///     match status.state {
///         ReflectorState::Listing { pages, loaded, total: Some(total) } => {
///             format!("{loaded} of {total} objects, in {pages} pages")
///         }
///         ReflectorState::Waiting(delay) => {
///             let error = status.last_error.map(|(error, _)| error.to_string());
///             format!("next try after {delay:.0?}: {}", error.unwrap_or_default())
///         }
///         state => format!("{state:?} for {:.0?}", status.state_age),
///     }
/// }
/// ```
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct ReflectorStatus {
    /// The current state.
    pub state: ReflectorState,
    /// The time since the reflector entered this state.
    #[serde(with = "seconds")]
    pub state_age: Duration,
    /// The last version that the reflector saw.
    pub version: Option<ResourceVersion>,
    /// The time since the server last sent anything. `None` if it never did.
    #[serde(with = "seconds::optional")]
    pub last_event: Option<Duration>,
    /// The time since the last proof that this reflector is current: a list, an event in order, a
    /// bookmark, or a quorum list whose version the watch had reached. A list from a cache is a
    /// proof only if it is newer than each version that the server has named before, in a list, an
    /// event, a bookmark or a 410. A first list of any version is none. An event or a bookmark is
    /// none while the server has named a newer version, nor at the version of a list that is none.
    /// `None` until the first proof, and zero while the shard is empty.
    /// While the kind has no definition, it is that of the informer of definitions. A store that
    /// lags behind the reflector is older: see [`InformerStatus`](crate::InformerStatus).
    #[serde(with = "seconds::optional")]
    pub freshness: Option<Duration>,
    /// The last error, and the time since it occurred.
    #[serde(serialize_with = "error_and_age")]
    pub last_error: Option<(SourceError, Duration)>,
    /// The reason why the kind is not served, while the reflector
    /// [awaits it](ReflectorState::AwaitingKind). Serialised only if set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_served: Option<Arc<str>>,
    /// The number of errors.
    pub errors: u64,
    /// The number of arrivals of objects with a time that a `Timestamp` does not hold, such as
    /// 9999-12-31T23:59:59Z. The time was read as the nearest one, 9999-12-30T22:00:00Z. The first
    /// is also logged. An object that is not decoded as it arrives is not counted.
    pub clamped_objects: u64,
    /// The number of relists, by cause.
    pub relists: Relists,
    /// The number of requested lists. The pages of one list count once.
    pub lists: u64,
    /// The number of quorum lists of one item. They prove that a quiet watch is within the
    /// [freshness limit](super::ReflectorOptions::freshness_limit), that a view is fresh since a
    /// takeover, or that history goes on after an outage.
    pub probes: u64,
    /// The number of requested watches, without streaming lists.
    pub watches: u64,
    /// The number of watches in a row that failed to open. While it is above zero, no change is
    /// seen. A list follows most failures, and shows the changes. None follows while the server
    /// answers 429 (too many requests) or no connection is made: the watch is requested again. If
    /// it opens, it brings the missed changes. [`freshness`](Self::freshness) tells how old the data
    /// is meanwhile.
    pub watch_failures: u64,
    /// The time for which the server has refused to open a watch (401 or 403), although it may
    /// allow lists. The store is then as old as the last list: the reflector lists every one to
    /// five minutes, with a quorum read. `None` while watches are allowed.
    #[serde(with = "seconds::optional")]
    pub watch_refused: Option<Duration>,
    /// The number of watches that ended cleanly within a second.
    pub short_watches: u64,
}

/// The state of a reflector.
///
/// Serialised, the field `doing` names the state, beside the state's own fields: `{"doing":
/// "listing", "pages": 1, "loaded": 500, "total": 1200}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReflectorState {
    /// The reflector was not started.
    Idle,
    /// The reflector waits for a permit to list: a factory limits the number of concurrent lists.
    AwaitingPermit,
    /// The reflector has nothing to follow, because its shard is empty.
    AwaitingShard,
    /// The reflector has nothing to follow, because the server does not serve its kind: see
    /// [`InformerSpec::when_served`](crate::InformerSpec::when_served). Without a
    /// [reason](ReflectorStatus::not_served), it is not known yet whether the server does.
    AwaitingKind,
    /// The reflector lists. It also does between two pages, which it may space out.
    Listing {
        /// The number of pages received so far, without the current one.
        pages: u64,
        /// The number of objects received so far.
        loaded: u64,
        /// The number of objects in the list, if the server states it.
        total: Option<u64>,
    },
    /// The reflector watches.
    Watching,
    /// The reflector waits this long in total before its next request.
    Waiting(Duration),
    /// The reflector was stopped.
    Stopped,
}

impl ReflectorState {
    /// The beginning of a list.
    pub(super) const LISTS: Self = Self::Listing { pages: 0, loaded: 0, total: None };

    /// Returns whether there is nothing to request.
    pub(super) fn follows_nothing(self) -> bool {
        matches!(self, Self::AwaitingShard | Self::AwaitingKind)
    }
}

impl Serialize for ReflectorState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        #[serde(tag = "doing", rename_all = "snake_case")]
        enum Tagged {
            Idle,
            AwaitingPermit,
            AwaitingShard,
            AwaitingKind,
            Listing {
                pages: u64,
                loaded: u64,
                total: Option<u64>,
            },
            Watching,
            Waiting {
                #[serde(with = "seconds")]
                delay: Duration,
            },
            Stopped,
        }
        match *self {
            Self::Idle => Tagged::Idle,
            Self::AwaitingPermit => Tagged::AwaitingPermit,
            Self::AwaitingShard => Tagged::AwaitingShard,
            Self::AwaitingKind => Tagged::AwaitingKind,
            Self::Listing { pages, loaded, total } => Tagged::Listing { pages, loaded, total },
            Self::Watching => Tagged::Watching,
            Self::Waiting(delay) => Tagged::Waiting { delay },
            Self::Stopped => Tagged::Stopped,
        }
        .serialize(serializer)
    }
}

/// Serialises an error and its age in seconds.
#[expect(clippy::ref_option, reason = "serde passes a reference")]
fn error_and_age<S: Serializer>(
    last_error: &Option<(SourceError, Duration)>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let Some((error, ago)) = last_error else { return serializer.serialize_none() };
    let mut fields = serializer.serialize_struct("LastError", 2)?;
    fields.serialize_field("error", error)?;
    fields.serialize_field("ago", &ago.as_secs_f64())?;
    fields.end()
}

/// The cause of a relist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RelistCause {
    /// The version was no longer available (410).
    Expired,
    /// The version was not available yet.
    VersionTooLarge,
    /// A list was older than the known version, because it came from a lagging server.
    StaleList,
    /// A watch could not be opened.
    WatchNotOpened,
    /// A watch ended with an error.
    WatchFailed,
    /// A watch ended within a second, without an event.
    ShortWatch,
    /// An item could not be attributed to an object, or came out of order.
    UndecodableItem,
    /// Several watches in a row ended without progress.
    NoProgress,
    /// The watch was not proved current in time: within the [freshness
    /// limit](super::ReflectorOptions::freshness_limit), or within 4 s of a takeover. Or the server
    /// has lost history: a quorum was behind the watch, or a list had an older state of a known
    /// object.
    Unproven,
    /// A part of the reflector panicked.
    Panicked,
    /// A watch sent objects again that were known, as if it had no version
    /// ([`Fault::Replayed`](crate::error::Fault::Replayed)).
    Replayed,
}

impl RelistCause {
    /// All causes.
    pub(super) const ALL: [Self; 11] = [
        Self::Expired,
        Self::VersionTooLarge,
        Self::StaleList,
        Self::WatchNotOpened,
        Self::WatchFailed,
        Self::ShortWatch,
        Self::UndecodableItem,
        Self::NoProgress,
        Self::Unproven,
        Self::Panicked,
        Self::Replayed,
    ];

    /// Returns the name of the cause in metrics and in serialised form, such as `watch_failed`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::VersionTooLarge => "version_too_large",
            Self::StaleList => "stale_list",
            Self::WatchNotOpened => "watch_not_opened",
            Self::WatchFailed => "watch_failed",
            Self::ShortWatch => "short_watch",
            Self::UndecodableItem => "undecodable_item",
            Self::NoProgress => "no_progress",
            Self::Unproven => "unproven",
            Self::Panicked => "panicked",
            Self::Replayed => "replayed",
        }
    }
}

/// The number of relists, by cause.
///
/// ```
/// use kube_informer::reflector::{RelistCause, Relists};
///
/// /// Returns a warning if the server often forgets versions before the watch has passed them.
/// fn warning(relists: &Relists) -> Option<String> {
///     let expired = relists.of(RelistCause::Expired);
///     (expired > 10).then(|| format!("{expired} of {} relists after a 410", relists.total()))
/// }
/// assert_eq!(warning(&Relists::default()), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Relists(VecMap<RelistCause, u64>);

impl Relists {
    /// Returns the number of relists for this cause.
    pub fn of(&self, cause: RelistCause) -> u64 {
        self.0.get(&cause).copied().unwrap_or_default()
    }

    /// Returns the total number of relists.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    pub(super) fn count(&mut self, cause: RelistCause) {
        *self.0.get_or_insert_with(cause, || 0) += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cause_is_serialised_under_its_name() {
        for (n, cause) in RelistCause::ALL.into_iter().enumerate() {
            assert_eq!(serde_json::to_value(cause).unwrap(), cause.name());
            assert_eq!(cause as usize, n, "a handle is found by the cause's place");
        }
    }
}
