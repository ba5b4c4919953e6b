//! What a reflector says of itself.

use std::collections::BTreeMap;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::error::SourceError;
use crate::object::ResourceVersion;

/// What a reflector is doing, and what it went through.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReflectorStatus {
    /// What it is doing.
    pub state: ReflectorState,
    /// For how long.
    pub since: Duration,
    /// The last version seen.
    pub version: Option<ResourceVersion>,
    /// How long ago the server last sent anything.
    pub last_event: Option<Duration>,
    /// The last error, and how long ago it was.
    pub last_error: Option<(SourceError, Duration)>,
    /// How many errors there were.
    pub errors: u64,
    /// How often everything was listed anew, by cause.
    pub relists: Relists,
}

/// What a reflector is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReflectorState {
    /// It was not started.
    Idle,
    /// It lists.
    Listing {
        /// How many objects have come so far.
        loaded: u64,
        /// How many there are, where the server tells.
        total: Option<u64>,
    },
    /// It watches.
    Watching,
    /// It waits before it asks again.
    Waiting(Duration),
    /// It was stopped.
    Stopped,
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
    /// Something came that can't be told what it is about.
    Unclean,
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

/// The status as it is written by the reflector's task and read by anybody.
#[derive(Debug)]
pub(super) struct StatusBoard(Mutex<Board>);

#[derive(Debug)]
struct Board {
    state: ReflectorState,
    since: Instant,
    version: Option<ResourceVersion>,
    last_event: Option<Instant>,
    last_error: Option<(SourceError, Instant)>,
    errors: u64,
    relists: Relists,
}

impl StatusBoard {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Board {
            state: ReflectorState::Idle,
            since: Instant::now(),
            version: None,
            last_event: None,
            last_error: None,
            errors: 0,
            relists: Relists::default(),
        }))
    }

    pub(super) fn enter(&self, state: ReflectorState) {
        let mut board = self.0.lock();
        if board.state != state {
            board.state = state;
            board.since = Instant::now();
        }
    }

    /// More objects came, in a list that goes on.
    pub(super) fn loaded(&self, loaded: u64, total: Option<u64>) {
        let mut board = self.0.lock();
        board.state = ReflectorState::Listing { loaded, total };
        board.last_event = Some(Instant::now());
    }

    pub(super) fn saw(&self, version: Option<&ResourceVersion>, now: Instant) {
        let mut board = self.0.lock();
        board.last_event = Some(now);
        if board.version.as_ref() != version {
            board.version = version.cloned();
        }
    }

    pub(super) fn failed(&self, error: &SourceError) {
        let mut board = self.0.lock();
        board.errors += 1;
        board.last_error = Some((error.clone(), Instant::now()));
    }

    pub(super) fn relisted(&self, relists: &Relists) {
        let mut board = self.0.lock();
        if board.relists != *relists {
            board.relists.clone_from(relists);
        }
    }

    pub(super) fn read(&self) -> ReflectorStatus {
        let board = self.0.lock();
        ReflectorStatus {
            state: board.state,
            since: board.since.elapsed(),
            version: board.version.clone(),
            last_event: board.last_event.map(|at| at.elapsed()),
            last_error: board.last_error.as_ref().map(|(error, at)| (error.clone(), at.elapsed())),
            errors: board.errors,
            relists: board.relists.clone(),
        }
    }
}
