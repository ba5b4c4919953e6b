//! The interface between the state machine and its driver: steps and their outcomes.

use std::time::Duration;

use crate::error::{Fault, FaultClass, SourceError};
use crate::lister_watcher::{ListQuery, WatchQuery};
use crate::object::ResourceVersion;

/// The next action of the driver.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Wait for this long.
    Wait(Duration),
    /// Request a list or its next page. If `fresh`, discard the items listed so far.
    List { query: ListQuery, fresh: bool },
    /// Request a streaming list, and discard the items listed so far.
    StreamingList(WatchQuery),
    /// Hand on the listed items.
    Replace { version: ResourceVersion, restored: bool },
    /// Hand on the listed items, which are only those that came into the shard.
    Arrive { version: ResourceVersion },
    /// Wait until there is something to follow: the shard is empty.
    AwaitShard,
    /// Watch, for at most `at_most`.
    Watch { query: WatchQuery, at_most: Option<Duration> },
    /// Follow the stream that sent the initial events, for at most `at_most`.
    Follow { at_most: Option<Duration> },
}

impl Step {
    /// Returns whether this step needs no permit to list.
    pub(super) fn is_idle(&self) -> bool {
        matches!(self, Self::Wait(_) | Self::AwaitShard | Self::Watch { .. } | Self::Follow { .. })
    }
}

/// The outcome of a step.
#[derive(Debug)]
pub(super) enum StepOutcome {
    Waited,
    /// The shard is no longer empty.
    ShardCame,
    /// No watch is open, and only a list can prove that the changes handed on are current.
    Unproven(End),
    /// A page was listed completely. `at_once` is true if the next one may follow without a pause.
    /// `complete` is true if every item's key could be read. `lost_history` is true if an item is
    /// older than an earlier state.
    Listed {
        version: ResourceVersion,
        continue_token: Option<String>,
        at_once: bool,
        complete: bool,
        lost_history: bool,
    },
    /// A streaming list has sent its initial events, with the same properties.
    Streamed {
        version: ResourceVersion,
        complete: bool,
        lost_history: bool,
    },
    /// The list is older than the known version, or its last page is older than the first.
    StaleList,
    ListFailed(RequestFailure),
    /// The list was handed on. `news` is true if it contained an unknown state.
    Replaced {
        news: bool,
    },
    WatchNotOpened(RequestFailure),
    /// A watch ended, `lasted` after it was opened.
    WatchEnded {
        end: End,
        lasted: Duration,
    },
    /// The step panicked at an unknown point.
    Panicked,
}

/// The reason why a watch ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    /// The server ended it cleanly.
    Ordinary,
    /// The server ended it cleanly within a second, without an event.
    AtOnce,
    /// The server sent an error.
    Failed(RequestFailure),
    /// The connection broke, or the answer could not be read.
    Broken,
    /// The answer was damaged after it had brought objects, which may be damaged, too.
    Damaged,
    /// Nothing came for too long.
    Silent,
    /// A list is due.
    Due,
    /// History was lost: only a list helps.
    Unproven,
    /// The watch is not proved current: a quorum has a version that the watch did not reach in
    /// time, or a change is unknown.
    Behind,
    /// The server answers questions for a proof with errors, for too long or too often.
    Unanswered,
    /// Another shard is to be followed.
    ShardChanged,
}

impl End {
    /// Returns whether the watch can go on from its version if the list fails that follows.
    pub(super) fn spares_watch(&self) -> bool {
        matches!(self, Self::Behind | Self::Unanswered)
    }

    /// Returns whether the server may have been replaced meanwhile.
    pub(super) fn is_outage(&self) -> bool {
        match self {
            Self::Broken | Self::Silent | Self::Behind => true,
            Self::Failed(failure) => failure.is_outage(),
            _ => false,
        }
    }
}

/// The parts of an error that decide the next step.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestFailure {
    pub(super) class: FaultClass,
    pub(super) retry_after: Option<Duration>,
    pub(super) no_end_of_initial_events: bool,
    /// True if a list or a page has no version.
    pub(super) no_version: bool,
}

impl RequestFailure {
    /// Returns whether the server may have been replaced meanwhile.
    pub(super) fn is_outage(self) -> bool {
        matches!(self.class, FaultClass::Refused | FaultClass::Internal | FaultClass::Other)
    }
}

impl From<&SourceError> for RequestFailure {
    fn from(error: &SourceError) -> Self {
        Self {
            class: error.class(),
            retry_after: error.retry_after(),
            no_end_of_initial_events: matches!(error.fault(), Fault::NoInitialEventsEnd(_)),
            no_version: matches!(error.fault(), Fault::NoVersion),
        }
    }
}
