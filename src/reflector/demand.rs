//! Demands for the state of a quorum read that began after a moment.
//!
//! A process that takes over work from another one must not act on an older view than the other
//! had. Events and bookmarks of a watch prove nothing here, because the server that sends them may
//! lag behind. Only a quorum read that began after the moment does.

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, pending};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::gate::INTERVAL;
use super::probe::first_version;
use super::status::StatusCell;
use crate::error::SourceError;
use crate::lister_watcher::ListerWatcher;
use crate::object::ResourceVersion;
use crate::time::{Moment, after};

/// The time that the watch gets to reach the version of a quorum read. A quiet watch would reach it
/// only with the next bookmark.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// The time that the first request gets. The next ones get more, because a server may be slow.
const FIRST_LIMIT: Duration = Duration::from_secs(10);

/// The number of times that the limit and the pause double after failed requests.
const MOST_DOUBLINGS: u32 = 4;

/// The number of refusals in a row that lead to a list of everything. One may be an accident.
const FIRST_LIST: u32 = 2;

/// The number of refusals from one such list to the next. With the pauses, that is two minutes.
const REFUSALS_PER_LIST: u32 = 8;

/// The demands on one reflector, and its proof. The waiters and the reflector share it.
#[derive(Debug)]
pub(super) struct Demands {
    wanted: watch::Sender<Wanted>,
    /// The beginning of the last quorum read whose state was handed on.
    proved: watch::Sender<Moment>,
    /// The beginning of the last quorum list of everything that was handed on.
    listed: watch::Sender<Moment>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Wanted {
    /// The latest moment after which a quorum read is wanted. [`Moment::START`] if none is.
    since: Moment,
    /// Likewise, if only a list of everything will do.
    lists_since: Moment,
    waiters: usize,
}

impl Demands {
    pub(super) fn new() -> Self {
        Self {
            wanted: watch::Sender::new(Wanted::default()),
            proved: watch::Sender::new(Moment::START),
            listed: watch::Sender::new(Moment::START),
        }
    }

    /// Waits until the state of a quorum read that began after this moment was handed on. Waiters
    /// share one request. Cancel safe.
    pub(super) async fn proved_since(&self, since: Moment) {
        let mut proved = self.proved.subscribe();
        if *proved.borrow_and_update() > since {
            return;
        }
        self.wanted.send_modify(|wanted| {
            wanted.since = wanted.since.max(since);
            wanted.waiters += 1;
        });
        let _waits = Waits(self);
        // The sender lives as long as `self`.
        let _proved = proved.wait_for(|proved| *proved > since).await;
    }

    /// Waits until a quorum list of everything that began after this moment was handed on. Use it
    /// where history may have been lost: a restored server may have passed every known version.
    /// Waiters share one list. Cancel safe.
    pub(super) async fn listed_since(&self, since: Moment) {
        let mut listed = self.listed.subscribe();
        self.wanted.send_modify(|wanted| {
            wanted.lists_since = wanted.lists_since.max(since);
            wanted.waiters += 1;
        });
        let _waits = Waits(self);
        // The sender lives as long as `self`.
        let _listed = listed.wait_for(|listed| *listed > since).await;
    }

    /// Notes that the state of a quorum read that began at this moment was handed on.
    pub(super) fn prove(&self, begun: Moment) {
        self.proved.send_if_modified(|proved| {
            let newer = *proved < begun;
            *proved = begun.max(*proved);
            newer
        });
    }
}

struct Waits<'a>(&'a Demands);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.wanted.send_modify(|wanted| {
            wanted.waiters -= 1;
            if wanted.waiters == 0 {
                (wanted.since, wanted.lists_since) = (Moment::START, Moment::START);
            }
        });
    }
}

/// The reflector's side: it asks for the quorum's version while a proof is wanted, and waits until
/// the watch has reached that version.
pub(super) struct Proving {
    cell: Arc<StatusCell>,
    wanted: watch::Receiver<Wanted>,
    since: Moment,
    lists_since: Moment,
    source: Arc<dyn ListerWatcher>,
    idle_timeout: Duration,
    state: DemandState,
    /// The number of requests in a row that failed.
    failures: u32,
    /// The number of them that the server answered.
    refusals: u32,
}

enum DemandState {
    Idle,
    /// No request is due before this time.
    Pausing(Instant),
    Asking {
        answer: BoxFuture<'static, Result<ResourceVersion, SourceError>>,
        begun: Moment,
        /// The version of the watch when the request began.
        known: Option<ResourceVersion>,
    },
    /// The watch must reach this version before this time.
    Awaiting {
        version: ResourceVersion,
        begun: Moment,
        until: Instant,
    },
}

/// The next event of a demand.
pub(super) enum Demanded {
    /// A request is due.
    Due,
    Failed(SourceError),
    /// The server answers, but not this request: a list is the proof.
    Refused(SourceError),
    /// A request has ended. The watch may have reached its version.
    Answered,
    /// Only a list can prove that the changes handed on are current.
    Unproven,
}

impl Proving {
    pub(super) fn new(
        cell: Arc<StatusCell>,
        source: Arc<dyn ListerWatcher>,
        idle_timeout: Duration,
    ) -> Self {
        Self {
            wanted: cell.demands().wanted.subscribe(),
            cell,
            since: Moment::START,
            lists_since: Moment::START,
            source,
            idle_timeout,
            state: DemandState::Idle,
            failures: 0,
            refusals: 0,
        }
    }

    /// Returns whether a proof is wanted. Costs one atomic read while none is.
    pub(super) fn is_wanted(&mut self) -> bool {
        if self.wanted.has_changed().unwrap_or(false) {
            Wanted { since: self.since, lists_since: self.lists_since, .. } =
                *self.wanted.borrow_and_update();
        }
        let is_proved = || self.since <= *self.cell.demands().proved.borrow();
        self.wants_list() || (self.since > Moment::START && !is_proved())
    }

    /// Returns whether only a list of everything will do.
    fn wants_list(&self) -> bool {
        self.lists_since > Moment::START && self.lists_since >= *self.cell.demands().listed.borrow()
    }

    /// Notes that the list of a quorum read that began at this moment was handed on.
    pub(super) fn listed(&mut self, begun: Moment) {
        self.cell.demands().prove(begun);
        self.cell.demands().listed.send_modify(|listed| *listed = begun.max(*listed));
        (self.failures, self.refusals) = (0, 0);
        if matches!(&self.state, DemandState::Awaiting { begun: asked, .. } if *asked < begun) {
            self.state = DemandState::Idle;
        }
    }

    /// Sends the request.
    pub(super) fn ask(&mut self, known: Option<&ResourceVersion>) {
        let limit = FIRST_LIMIT * (1 << self.failures.min(MOST_DOUBLINGS));
        let answer = first_version(self.source.clone(), self.idle_timeout.min(limit)).boxed();
        self.state = DemandState::Asking { answer, begun: Moment::now(), known: known.cloned() };
    }

    /// Postpones the next request or list. The watch may reach an awaited version meanwhile.
    pub(super) fn put_off(&mut self, until: Instant) {
        match &mut self.state {
            DemandState::Awaiting { until: awaited, .. } => *awaited = until,
            state => *state = DemandState::Pausing(until),
        }
    }

    /// Awaits no version any more.
    pub(super) fn give_up(&mut self) {
        self.state = DemandState::Idle;
    }

    /// Returns the version that the watch must reach, and when the question about it began.
    pub(super) fn awaited(&self) -> Option<(&ResourceVersion, Moment)> {
        match &self.state {
            DemandState::Awaiting { version, begun, .. } => Some((version, *begun)),
            _ => None,
        }
    }

    /// Returns whether the changes handed on, up to this version, have reached the version that is
    /// awaited.
    pub(super) fn has_reached(&self, version: Option<&ResourceVersion>) -> bool {
        let Some((awaited, _)) = self.awaited() else { return false };
        version.is_some_and(|version| {
            version == awaited || version.compare(awaited) == Ok(Ordering::Greater)
        })
    }

    /// Notes the proof that [`has_reached`](Self::has_reached) found.
    pub(super) fn prove(&mut self) {
        if let DemandState::Awaiting { begun, .. } =
            std::mem::replace(&mut self.state, DemandState::Idle)
        {
            self.cell.demands().prove(begun);
        }
    }

    /// Waits for the next event. Cancel safe.
    pub(super) async fn next(&mut self) -> Demanded {
        loop {
            let wanted = self.is_wanted();
            match &mut self.state {
                DemandState::Idle if wanted => return Demanded::Due,
                DemandState::Idle => {
                    if self.wanted.changed().await.is_err() {
                        return pending().await;
                    }
                    // Keep the change for `is_wanted`.
                    self.wanted.mark_changed();
                }
                DemandState::Pausing(until) => {
                    sleep_until(*until).await;
                    self.state = DemandState::Idle;
                }
                DemandState::Asking { answer, begun, known } => {
                    let (answer, begun) = (answer.await, *begun);
                    let known = known.take();
                    self.state = DemandState::Idle;
                    return self.answered(answer, begun, known.as_ref());
                }
                DemandState::Awaiting { until, .. } => {
                    sleep_until(*until).await;
                    if self.is_wanted() {
                        return Demanded::Unproven;
                    }
                    self.state = DemandState::Idle;
                }
            }
        }
    }

    fn answered(
        &mut self,
        answer: Result<ResourceVersion, SourceError>,
        begun: Moment,
        known: Option<&ResourceVersion>,
    ) -> Demanded {
        match answer {
            Ok(version) => {
                (self.failures, self.refusals) = (0, 0);
                let ordered = |known: &ResourceVersion| {
                    version == *known || version.compare(known) == Ok(Ordering::Greater)
                };
                // Otherwise versions have no order, or history was lost.
                if self.wants_list() || !known.is_some_and(ordered) {
                    return Demanded::Unproven;
                }
                let until = after(Instant::now(), PATIENCE);
                self.state = DemandState::Awaiting { version, begun, until };
                Demanded::Answered
            }
            Err(error) => {
                let pause = INTERVAL * (1 << self.failures.min(MOST_DOUBLINGS));
                self.failures = self.failures.saturating_add(1);
                let pause = error.retry_after().map_or(pause, |asked| asked.max(pause));
                self.state = DemandState::Pausing(after(Instant::now(), pause));
                if !error.is_answer() {
                    return Demanded::Failed(error);
                }
                self.refusals = self.refusals.saturating_add(1);
                match self.refusals % REFUSALS_PER_LIST {
                    FIRST_LIST => Demanded::Refused(error),
                    _ => Demanded::Failed(error),
                }
            }
        }
    }
}
