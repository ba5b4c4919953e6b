//! What a reflector says of itself.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::ser::{Serialize, SerializeStruct, Serializer};
use tokio::time::Instant;

use super::freshness::Proofs;
use super::metrics::ReflectorMetrics;
use crate::error::SourceError;
use crate::object::{ResourceVersion, seconds};
use crate::sync::Mutex;

/// What a reflector is doing, and what it went through.
///
/// Serialised, durations are seconds.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct ReflectorStatus {
    /// What it is doing.
    pub state: ReflectorState,
    /// For how long.
    #[serde(with = "seconds")]
    pub since: Duration,
    /// The last version seen.
    pub version: Option<ResourceVersion>,
    /// How long ago the server last sent anything.
    #[serde(with = "seconds::optional")]
    pub last_event: Option<Duration>,
    /// Time since the server last proved this reflector current: by a list, an in-order event, a
    /// bookmark, or a quorum list that the watch had reached. `None` until the first list was handed on.
    /// A store that lags behind the reflector is older; see
    /// [`InformerStatus`](crate::InformerStatus).
    #[serde(with = "seconds::optional")]
    pub freshness: Option<Duration>,
    /// The last error, and how long ago it was.
    #[serde(serialize_with = "error_and_age")]
    pub last_error: Option<(SourceError, Duration)>,
    /// How many errors there were.
    pub errors: u64,
    /// How often everything was listed anew, by cause.
    pub relists: Relists,
    /// Number of lists requested. The pages of one list count once.
    pub lists: u64,
    /// Number of watches requested, without streaming lists.
    pub watches: u64,
    /// Number of watches in a row that failed to open. While above zero, changes are not seen until the
    /// next list.
    pub watch_failures: u64,
    /// Number of watches that ended cleanly within a second.
    pub short_watches: u64,
}

/// What a reflector is doing.
///
/// Serialised, `doing` says which, beside what belongs to it:
/// `{"doing": "listing", "loaded": 500, "total": 1200}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReflectorState {
    /// It was not started.
    Idle,
    /// It is about to list, and waits for others to finish their lists: a factory limits how many
    /// run at a time.
    AwaitingPermit,
    /// It lists.
    Listing {
        /// How many objects have come so far.
        loaded: u64,
        /// How many there are, where the server tells.
        total: Option<u64>,
    },
    /// It watches.
    Watching,
    /// It waits this long before it asks again, from when it began to.
    Waiting(Duration),
    /// It was stopped.
    Stopped,
}

impl Serialize for ReflectorState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        #[serde(tag = "doing", rename_all = "snake_case")]
        enum Tagged {
            Idle,
            AwaitingPermit,
            Listing {
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
            Self::Listing { loaded, total } => Tagged::Listing { loaded, total },
            Self::Watching => Tagged::Watching,
            Self::Waiting(delay) => Tagged::Waiting { delay },
            Self::Stopped => Tagged::Stopped,
        }
        .serialize(serializer)
    }
}

/// An error, and how long ago it was.
#[expect(clippy::ref_option, reason = "what serde hands over")]
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

/// Why everything was listed anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RelistCause {
    /// The version is no longer there.
    Expired,
    /// The version is not there yet.
    VersionTooLarge,
    /// A list was older than what is known.
    WentBack,
    /// A watch could not be opened.
    WatchNotOpened,
    /// A watch ended with an error.
    WatchFailed,
    /// A watch ended at once.
    ShortWatch,
    /// Something came that can't be told what it is about, or came out of its order.
    Unclean,
    /// Watch after watch ended without bringing anything newer.
    NoProgress,
    /// Nothing proved for too long that a watch was current, see
    /// [`ReflectorOptions::freshness_limit`](super::ReflectorOptions::freshness_limit).
    Unproven,
    /// A part of the reflector panicked.
    Panicked,
}

impl RelistCause {
    /// Every cause.
    pub(super) const ALL: [Self; 10] = [
        Self::Expired,
        Self::VersionTooLarge,
        Self::WentBack,
        Self::WatchNotOpened,
        Self::WatchFailed,
        Self::ShortWatch,
        Self::Unclean,
        Self::NoProgress,
        Self::Unproven,
        Self::Panicked,
    ];

    /// Its name in metrics and in what is serialised.
    pub fn name(self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::VersionTooLarge => "version_too_large",
            Self::WentBack => "went_back",
            Self::WatchNotOpened => "watch_not_opened",
            Self::WatchFailed => "watch_failed",
            Self::ShortWatch => "short_watch",
            Self::Unclean => "unclean",
            Self::NoProgress => "no_progress",
            Self::Unproven => "unproven",
            Self::Panicked => "panicked",
        }
    }
}

/// How often everything was listed anew, by cause.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Relists(BTreeMap<RelistCause, u64>);

impl Relists {
    /// How often for this cause.
    pub fn of(&self, cause: RelistCause) -> u64 {
        self.0.get(&cause).copied().unwrap_or_default()
    }

    /// How often in all.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    pub(super) fn count(&mut self, cause: RelistCause) {
        *self.0.entry(cause).or_default() += 1;
    }
}

/// The status as anybody reads it.
#[derive(Debug)]
pub(super) struct StatusBoard(Mutex<Board>);

/// The status as the reflector's task writes it, and its metrics, which go with that task.
#[derive(Debug)]
pub(super) struct StatusWriter {
    board: Arc<StatusBoard>,
    metrics: ReflectorMetrics,
}

#[derive(Debug)]
struct Board {
    state: ReflectorState,
    since: Instant,
    version: Option<ResourceVersion>,
    last_event: Option<Instant>,
    proofs: Proofs,
    last_error: Option<(SourceError, Instant)>,
    errors: u64,
    relists: Relists,
    lists: u64,
    watches: u64,
    watch_failures: u64,
    short_watches: u64,
}

impl StatusBoard {
    fn new() -> Self {
        Self(Mutex::new(Board {
            state: ReflectorState::Idle,
            since: Instant::now(),
            version: None,
            last_event: None,
            proofs: Proofs::default(),
            last_error: None,
            errors: 0,
            relists: Relists::default(),
            lists: 0,
            watches: 0,
            watch_failures: 0,
            short_watches: 0,
        }))
    }

    pub(super) fn enter(&self, state: ReflectorState) {
        let mut board = self.0.lock();
        if board.state != state {
            board.state = state;
            board.since = Instant::now();
        }
    }

    pub(super) fn read(&self) -> ReflectorStatus {
        let board = self.0.lock();
        ReflectorStatus {
            state: board.state,
            since: board.since.elapsed(),
            version: board.version.clone(),
            last_event: board.last_event.map(|at| at.elapsed()),
            freshness: board.proofs.last().map(|at| at.elapsed()),
            last_error: board.last_error.as_ref().map(|(error, at)| (error.clone(), at.elapsed())),
            errors: board.errors,
            relists: board.relists.clone(),
            lists: board.lists,
            watches: board.watches,
            watch_failures: board.watch_failures,
            short_watches: board.short_watches,
        }
    }

    /// Returns how old the newest proof is that a store of this version has reached.
    pub(super) fn freshness_at(&self, version: Option<&ResourceVersion>) -> Option<Duration> {
        self.0.lock().proofs.reached(version).map(|at| at.elapsed())
    }
}

impl StatusWriter {
    pub(super) fn new(metrics: ReflectorMetrics) -> Self {
        Self { board: Arc::new(StatusBoard::new()), metrics }
    }

    pub(super) fn board(&self) -> &Arc<StatusBoard> {
        &self.board
    }

    pub(super) fn enter(&self, state: ReflectorState) {
        self.board.enter(state);
    }

    /// More objects came, in a list that goes on.
    pub(super) fn loaded(&self, loaded: u64, total: Option<u64>) {
        let mut board = self.board.0.lock();
        board.state = ReflectorState::Listing { loaded, total };
        board.last_event = Some(Instant::now());
        self.metrics.last_event.set_to_now();
    }

    /// Something came from the server.
    pub(super) fn heard(&self, now: Instant) {
        self.board.0.lock().last_event = Some(now);
        self.metrics.last_event.set_to_now();
    }

    /// This is the last version seen.
    pub(super) fn at(&self, version: Option<&ResourceVersion>) {
        let mut board = self.board.0.lock();
        if board.version.as_ref() != version {
            board.version = version.cloned();
        }
    }

    /// At that moment the collection had this version.
    pub(super) fn proved(&self, version: Option<&ResourceVersion>, at: Instant) {
        self.board.0.lock().proofs.add(version.cloned(), at);
    }

    pub(super) fn lists(&self) {
        self.board.0.lock().lists += 1;
    }

    /// A watch was asked for, and did or did not open.
    pub(super) fn watches(&self, opened: bool) {
        let mut board = self.board.0.lock();
        board.watches += 1;
        board.watch_failures = if opened { 0 } else { board.watch_failures + 1 };
    }

    /// A watch ended as soon as it was open.
    pub(super) fn watch_was_short(&self) {
        self.board.0.lock().short_watches += 1;
    }

    pub(super) fn failed(&self, error: &SourceError) {
        let mut board = self.board.0.lock();
        board.errors += 1;
        board.last_error = Some((error.clone(), Instant::now()));
        self.metrics.failed(error);
    }

    pub(super) fn relisted(&self, relists: &Relists) {
        let mut board = self.board.0.lock();
        if board.relists != *relists {
            self.metrics.relisted(&board.relists, relists);
            board.relists.clone_from(relists);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_serialised_under_its_name() {
        for (n, cause) in RelistCause::ALL.into_iter().enumerate() {
            assert_eq!(serde_json::to_value(cause).unwrap(), cause.name());
            assert_eq!(cause as usize, n, "a handle is found by the cause's place");
        }
    }
}
