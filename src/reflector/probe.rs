//! A probe that proves that a quiet watch is current.

use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, pending};
use futures::{FutureExt, StreamExt};
use tokio::time::{Instant, sleep_until, timeout};

use super::demand::PATIENCE;
use super::guarded::{Guarded, open};
use super::observing::{filled, is_elsewhere};
use crate::error::{Fault, SourceError, Verb};
use crate::lister_watcher::{ListHints, ListItem, ListQuery, ListerWatcher, SourceForm};
use crate::object::{ObjectKey, ResourceVersion};
use crate::panic::{catch, drop_safely};
use crate::time::{Moment, after};

/// A probe that failed or was not admitted is repeated after this fraction of the limit.
const RETRIES: u32 = 4;

/// The time after which a question about the server's history is repeated if it failed.
const HISTORY_RETRY: Duration = Duration::from_secs(60);

/// The number of objects that an answer may have. Some servers ignore the limit of one.
const MOST_OBJECTS: u32 = 10_000;

/// A probe of a watch. It lists one item with a quorum read if nothing else proves that the watch
/// is current, or that the server's history goes on.
///
/// A list of one item has the version of the whole collection. A watch that has reached this
/// version has sent every change up to the moment of the request. A version that is older than the
/// watch's shows that history was lost: a watch from a version in the future is silent.
pub(super) struct Probe {
    /// The longest time between two proofs. `None` if the watch need not be current.
    limit: Option<Duration>,
    /// True until an answer has shown whether history goes on.
    doubts_history: bool,
    idle_timeout: Duration,
    state: ProbeState,
    source: Arc<dyn ListerWatcher>,
}

enum ProbeState {
    /// No request is due before this moment.
    Idle(Instant),
    Asking {
        answer: BoxFuture<'static, Result<ResourceVersion, SourceError>>,
        begun: Instant,
        asked: Moment,
        /// The version that the watch had reached then.
        known: Option<ResourceVersion>,
        /// True if history was doubted again since then. The answer says nothing about that.
        doubted: bool,
    },
    /// The watch must reach the quorum's version before this moment.
    Awaiting(Instant),
}

/// The next event of a probe.
pub(super) enum Probed {
    /// A request is due.
    Due,
    /// A quorum has answered.
    Answered {
        /// The quorum's version at the moment of the request, or later.
        version: ResourceVersion,
        begun: Instant,
        /// The order of that moment among others.
        asked: Moment,
        /// The version that the watch had reached at that moment.
        known: Option<ResourceVersion>,
        /// True if history was doubted again since then.
        doubted: bool,
    },
    Failed(SourceError),
    /// The watch did not reach the quorum's version in time.
    WatchBehind,
}

impl Probe {
    /// Creates a probe of a watch whose last proof is of this moment.
    pub(super) fn new(
        source: Arc<dyn ListerWatcher>,
        limit: Option<Duration>,
        idle_timeout: Duration,
        proved: Instant,
    ) -> Self {
        let idle_timeout = limit.map_or(idle_timeout, |limit| idle_timeout.min(limit));
        let state = ProbeState::Idle(proved);
        let mut probe = Self { limit, doubts_history: false, idle_timeout, state, source };
        probe.proved(proved);
        probe
    }

    /// Notes a proof of this moment. The next request is due after half of the limit.
    pub(super) fn proved(&mut self, at: Instant) {
        if let Some(limit) = self.limit.filter(|_| !self.doubts_history) {
            self.state = ProbeState::Idle(after(at, limit / 2));
        }
    }

    /// Makes a question about the server's history due at this moment.
    pub(super) fn doubt_history(&mut self, at: Instant) {
        if !self.doubts_history {
            self.doubts_history = true;
            self.state = ProbeState::Idle(at);
        } else if let ProbeState::Asking { doubted, .. } = &mut self.state {
            *doubted = true;
        }
    }

    /// Notes that the server's history goes on.
    pub(super) fn trust_history(&mut self) {
        self.doubts_history = false;
    }

    /// Asks about the server's history again at this moment.
    pub(super) fn ask_again(&mut self, at: Instant) {
        self.state = ProbeState::Idle(at);
    }

    /// Returns whether the server's history is still in doubt.
    pub(super) fn doubts_history(&self) -> bool {
        self.doubts_history
    }

    /// Sends the request. `known` is the version that the watch has reached.
    pub(super) fn ask(&mut self, now: Instant, known: Option<ResourceVersion>) {
        let answer = first_version(self.source.clone(), self.idle_timeout).boxed();
        let asked = Moment::now();
        self.state = ProbeState::Asking { answer, begun: now, asked, known, doubted: false };
    }

    /// Postpones the request, but not beyond the moment at which the limit is over.
    pub(super) fn put_off(&mut self, now: Instant, over: Option<Instant>) {
        let pause = self.limit.map_or(HISTORY_RETRY, |limit| limit / RETRIES);
        let until = after(now, pause);
        let over = over.filter(|over| *over > now);
        self.state = ProbeState::Idle(over.map_or(until, |over| until.min(over)));
    }

    /// Gives the watch the other half of the limit to reach the quorum's version. After a failed
    /// list, it has until the time of the next one.
    pub(super) fn await_watch(&mut self, begun: Instant, next_list: Option<Instant>) {
        if let Some(limit) = self.limit {
            let until = after(begun, limit / 2);
            let soon = until.min(after(Instant::now(), PATIENCE));
            self.state = ProbeState::Awaiting(next_list.map_or(until, |next| next.max(soon)));
        }
    }

    /// Waits for the next event. Cancel safe.
    pub(super) async fn next(&mut self) -> Probed {
        if self.limit.is_none() && !self.doubts_history {
            return pending().await;
        }
        match &mut self.state {
            ProbeState::Idle(until) => {
                sleep_until(*until).await;
                Probed::Due
            }
            ProbeState::Asking { answer, begun, asked, known, doubted } => match answer.await {
                Ok(version) => {
                    let (begun, asked, doubted) = (*begun, *asked, *doubted);
                    Probed::Answered { version, begun, asked, known: known.take(), doubted }
                }
                Err(error) => Probed::Failed(error),
            },
            ProbeState::Awaiting(until) => {
                sleep_until(*until).await;
                Probed::WatchBehind
            }
        }
    }
}

/// Returns the version of a quorum read. Its answer counts as one of a list of everything does:
/// only when it has ended, and only if its items are of this collection.
pub(super) async fn first_version(
    source: Arc<dyn ListerWatcher>,
    idle_timeout: Duration,
) -> Result<ResourceVersion, SourceError> {
    let request = source.collection().request_name(Verb::List);
    let namespace = source.collection().namespace.clone();
    let query = ListQuery { limit: Some(1), ..ListQuery::default() };
    let error = |fault| SourceError::new(request.clone(), fault);
    let answer = async {
        let listing = open(request.clone(), || source.list(&query, &ListHints::none())).await?;
        let mut items = Guarded::new(listing, request.clone());
        let (mut version, mut objects) = (None, 0);
        while let Some(item) = items.next().await {
            match item? {
                ListItem::Meta(metadata) => version = filled(metadata.version),
                item => {
                    objects += 1;
                    let elsewhere = elsewhere(&item, namespace.as_deref());
                    drop_safely(item);
                    if let Some(key) = elsewhere {
                        return Err(error(Fault::WrongNamespace(key)));
                    }
                }
            }
            if objects > MOST_OBJECTS {
                let problem =
                    format!("one object was requested, and more than {MOST_OBJECTS} came");
                return Err(error(Fault::Malformed { offset: 0, problem }));
            }
        }
        version.ok_or_else(|| error(Fault::NoVersion))
    };
    timeout(idle_timeout, answer).await.unwrap_or_else(|_| Err(error(Fault::Silent(idle_timeout))))
}

/// Returns the key of a listed object if it is not in the requested namespace.
fn elsewhere(item: &ListItem, requested: Option<&str>) -> Option<ObjectKey> {
    let ListItem::Object(Ok(object)) = item else { return None };
    let key = match &object.form {
        SourceForm::Packed(key, _) | SourceForm::Unchanged(key, _) => key.clone(),
        // The metadata's getter is user code.
        SourceForm::Decoded(object) => catch(|| object.key()).ok()?.ok()?,
    };
    is_elsewhere(&key, true, requested).then_some(key)
}
