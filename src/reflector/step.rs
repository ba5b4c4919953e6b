//! The words between the state machine and what acts for it: steps, and what came of them.

use std::time::Duration;

use crate::error::{Fault, FaultClass, SourceError};
use crate::lister_watcher::{ListQuery, WatchQuery};
use crate::object::ResourceVersion;

/// What to do next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Do nothing for so long.
    Wait(Duration),
    /// Ask for a list or its next page; `fresh`: forget what was listed so far.
    List { query: ListQuery, fresh: bool },
    /// Ask for a streaming list, and forget what was listed so far.
    StreamingList(WatchQuery),
    /// Hand on what was listed.
    Replace { version: ResourceVersion, restored: bool },
    /// Watch, for `at_most` so long.
    Watch { query: WatchQuery, at_most: Option<Duration> },
    /// Go on with the stream that gave the initial events.
    Follow { at_most: Option<Duration> },
}

/// What came of a step.
#[derive(Debug)]
pub(super) enum Outcome {
    Waited,
    /// A page was listed whole. `clean`: every item's name could be read.
    Listed {
        version: ResourceVersion,
        continue_token: Option<String>,
        clean: bool,
    },
    /// The initial events of a streaming list are through.
    Streamed {
        version: ResourceVersion,
        clean: bool,
    },
    /// The list is older than what is known.
    WentBack,
    ListFailed(Failure),
    /// The list was handed on. `news`: it held a state that was not known.
    Replaced {
        news: bool,
    },
    WatchNotOpened(Failure),
    /// A watch ended, this long after it was opened.
    WatchEnded {
        end: End,
        lasted: Duration,
    },
    /// The step panicked: nothing is known of how far it came.
    Panicked,
}

/// Why a watch ended.
#[derive(Debug)]
pub(super) enum End {
    /// As watches do.
    Ordinary,
    /// Within a second, with no event.
    AtOnce,
    /// The server said so.
    Failed(Failure),
    /// The connection broke, or what came could not be read.
    Broken,
    /// Nothing came for too long.
    Silent,
    /// It lasted as long as it was to, or something was missed.
    Due,
    /// Nothing proves that it is current: a quorum is ahead of it, or behind.
    Unproven,
}

/// What of an error decides the next step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failure {
    pub(super) class: FaultClass,
    pub(super) retry_after: Option<Duration>,
    pub(super) no_end_of_initial_events: bool,
}

impl From<&SourceError> for Failure {
    fn from(error: &SourceError) -> Self {
        Self {
            class: error.class(),
            retry_after: error.retry_after(),
            no_end_of_initial_events: matches!(error.fault(), Fault::NoInitialEventsEnd(_)),
        }
    }
}
