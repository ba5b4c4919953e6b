//! The question whether a quiet watch is current.

use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, pending};
use futures::{FutureExt, StreamExt};
use tokio::time::{Instant, sleep_until, timeout};

use super::guarded::{Guarded, open};
use crate::error::{Fault, SourceError, Verb};
use crate::lister_watcher::{ListItem, ListQuery, ListerWatcher};
use crate::object::ResourceVersion;
use crate::time::after;

/// A probe that failed, or was not admitted, is asked again after this part of the limit.
const RETRIES: u32 = 4;

/// Asks a quorum for one item where nothing else proves that the watch is current.
///
/// A list of one item has the version of the whole collection. A watch that has reached it has told
/// everything up to the moment at which the list was asked.
pub(super) struct Probe<K> {
    /// How often there is to be a proof; `None`: nothing is asked.
    limit: Option<Duration>,
    patience: Duration,
    state: State,
    source: Arc<dyn ListerWatcher<K>>,
}

enum State {
    /// Nothing is asked before this moment.
    Idle(Instant),
    SourceRequest {
        answer: BoxFuture<'static, Result<ResourceVersion, SourceError>>,
        begun: Instant,
    },
    /// The watch is to reach the quorum's version before this moment.
    Awaiting(Instant),
}

/// What a probe came to.
pub(super) enum Probed {
    /// It is time to ask.
    Due,
    /// A quorum has this version, and had it when it was asked, at this moment, or later.
    Answered(ResourceVersion, Instant),
    Failed(SourceError),
    /// The watch did not reach the quorum's version.
    NotReached,
}

impl<K: Send + 'static> Probe<K> {
    /// Probes a watch whose last proof is of this moment.
    pub(super) fn new(
        source: Arc<dyn ListerWatcher<K>>,
        limit: Option<Duration>,
        patience: Duration,
        proved: Instant,
    ) -> Self {
        let patience = limit.map_or(patience, |limit| patience.min(limit));
        let mut probe = Self { limit, patience, state: State::Idle(proved), source };
        probe.proved(proved);
        probe
    }

    /// There is a proof of this moment: nothing is asked before half of the limit is over.
    pub(super) fn proved(&mut self, at: Instant) {
        if let Some(limit) = self.limit {
            self.state = State::Idle(after(at, limit / 2));
        }
    }

    /// Asks.
    pub(super) fn ask(&mut self, now: Instant) {
        let answer = first_version(self.source.clone(), self.patience).boxed();
        self.state = State::SourceRequest { answer, begun: now };
    }

    /// Asks, but not now.
    pub(super) fn put_off(&mut self, now: Instant) {
        if let Some(limit) = self.limit {
            self.state = State::Idle(after(now, limit / RETRIES));
        }
    }

    /// Gives the watch the other half of the limit to reach the quorum's version.
    pub(super) fn await_watch(&mut self, begun: Instant) {
        if let Some(limit) = self.limit {
            self.state = State::Awaiting(after(begun, limit / 2));
        }
    }

    /// Waits for what is next. Cancel safe.
    pub(super) async fn next(&mut self) -> Probed {
        if self.limit.is_none() {
            return pending().await;
        }
        match &mut self.state {
            State::Idle(until) => {
                sleep_until(*until).await;
                Probed::Due
            }
            State::SourceRequest { answer, begun } => match answer.await {
                Ok(version) => Probed::Answered(version, *begun),
                Err(error) => Probed::Failed(error),
            },
            State::Awaiting(until) => {
                sleep_until(*until).await;
                Probed::NotReached
            }
        }
    }
}

/// Returns the version that a quorum has.
async fn first_version<K: Send + 'static>(
    source: Arc<dyn ListerWatcher<K>>,
    patience: Duration,
) -> Result<ResourceVersion, SourceError> {
    let asked = source.collection().asked(Verb::List);
    let query = ListQuery { version: None, limit: Some(1), continue_token: None };
    let answer = async {
        let listing = open(asked.clone(), || source.list(&query)).await?;
        let mut items = Guarded::new(listing, asked.clone());
        while let Some(item) = items.next().await {
            if let ListItem::Meta(metadata) = item?
                && let Some(version) = metadata.version
            {
                return Ok(version);
            }
        }
        Err(SourceError::new(asked.clone(), Fault::NoVersion))
    };
    let silent = || SourceError::new(asked.clone(), Fault::Silent(patience));
    timeout(patience, answer).await.unwrap_or_else(|_| Err(silent()))
}
