//! Why an informer has not synced.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use tokio::time::Instant;

use super::InformerFailure;
use crate::error::{FaultClass, SourceError, Verb};
use crate::lister_watcher::Collection;
use crate::reflector::{ReflectorState, ReflectorStatus};

/// Some informers have not synced in the time given, or will not: they were stopped.
///
/// Its [source](StdError::source) is the last [`SourceError`] of the first of them that had one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SyncError {
    /// Which, and why.
    pub unsynced: Vec<Unsynced>,
    /// How long was waited.
    pub waited: Duration,
}

/// An informer that has not synced.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unsynced {
    /// What it is to hold.
    pub collection: Collection,
    /// What it is doing.
    pub state: ReflectorState,
    /// For how long.
    pub since: Duration,
    /// The last error and how long ago it was; says verb, resource and status.
    pub last_error: Option<(SourceError, Duration)>,
    /// Why it stopped without being asked to.
    pub failure: Option<InformerFailure>,
}

impl SyncError {
    /// Of those that had not synced, if there are any, since `start`.
    pub(crate) fn unless_none(unsynced: Vec<Unsynced>, start: Instant) -> Result<(), Self> {
        if unsynced.is_empty() {
            return Ok(());
        }
        Err(Self { unsynced, waited: start.elapsed() })
    }
}

impl Unsynced {
    pub(super) fn new(
        collection: Collection,
        status: ReflectorStatus,
        failure: Option<InformerFailure>,
    ) -> Self {
        let ReflectorStatus { state, since, last_error, .. } = status;
        Self { collection, state, since, last_error, failure }
    }
}

impl StdError for SyncError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let (error, _) = self.unsynced.iter().find_map(|one| one.last_error.as_ref())?;
        Some(error)
    }
}

impl fmt::Display for SyncError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not synced after {:.1?}", self.waited)?;
        for (n, unsynced) in self.unsynced.iter().enumerate() {
            write!(f, "{}{unsynced}", if n == 0 { ": " } else { "; " })?;
        }
        Ok(())
    }
}

impl fmt::Display for Unsynced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.collection)?;
        match self.state {
            ReflectorState::Idle => f.write_str(" was not started")?,
            ReflectorState::AwaitingPermit => {
                f.write_str(" is about to list, once fewer other informers list")?;
            }
            ReflectorState::Listing { loaded, total: Some(total) } => {
                write!(f, " has listed {loaded} of {total}")?;
            }
            ReflectorState::Listing { loaded, total: None } => write!(f, " has listed {loaded}")?,
            ReflectorState::Watching => f.write_str(" is being processed")?,
            ReflectorState::Waiting(delay) => {
                write!(f, ": next try in {:.1?}", delay.saturating_sub(self.since))?;
            }
            ReflectorState::Stopped => f.write_str(" was stopped")?,
        }
        if let Some(failure) = &self.failure {
            write!(f, ": {failure}")?;
        }
        let Some((error, ago)) = &self.last_error else { return Ok(()) };
        write!(f, " (last error, {ago:.1?} ago: {error}{})", hint(error, &self.collection))
    }
}

/// What to look at, where the error alone does not say so.
fn hint(error: &SourceError, collection: &Collection) -> &'static str {
    match (error.class(), error.asked().verb) {
        (FaultClass::NotFound, Verb::List) if collection.namespace.is_some() => {
            "; is the resource's definition installed, and is the resource namespaced?"
        }
        (FaultClass::NotFound, Verb::List) => "; is the resource's definition installed?",
        _ => "",
    }
}
