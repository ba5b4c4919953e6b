//! The prover, which asks a quorum whether the changes handed on are current.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, pending};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::backoff::MAX_RETRY_AFTER;
use super::demand::Wanted;
use super::gate::INTERVAL;
use super::list_permit::ListForProof;
use super::options::ReflectorOptions;
use super::question::first_version;
use super::quiet::{FEW, QUIET, SHORT_WATCH};
use super::status_cell::StatusCell;
use crate::error::SourceError;
use crate::lister_watcher::ListerWatcher;
use crate::object::ResourceVersion;
use crate::time::{ReadBarrier, after};

/// The time that a watch gets to reach the version of a quorum read for a demand, if its collection
/// is large, or a list has failed before. A small collection is listed once its watch is quiet.
const PATIENCE: Duration = Duration::from_secs(2);

/// The time after a short watch that proved nothing in which there is no other.
const NO_SHORT_WATCH: Duration = Duration::from_secs(600);

/// A question for the limit is repeated after this fraction of the limit if it failed.
const RETRIES: u32 = 4;

/// The time after which a question about the server's history is repeated if it failed.
const HISTORY_RETRY: Duration = Duration::from_secs(60);

/// The time that the first question for a demand gets. The next ones get more, because a server may
/// be slow.
const FIRST_TIMEOUT: Duration = Duration::from_secs(10);

/// The number of times that this time and the pause double after failed questions.
const MOST_DOUBLINGS: u32 = 4;

/// The number of refusals in a row that lead to a list of everything. One may be an accident.
const FIRST_LIST: u32 = 2;

/// The number of refusals from one such list to the next. With the pauses, that is two minutes.
const REFUSALS_PER_LIST: u32 = 8;

/// The prover. It asks one question at a time, for up to three reasons: a demand, the limit of the
/// data's age, and a doubt about the server's history.
///
/// A question is a quorum list of one item, which has the version of the whole collection. A watch
/// that has reached this version has sent every change up to the moment of the question. A version
/// that is older than the watch's shows that history was lost: a watch from a version in the future
/// is silent.
///
/// A demand does not wait for a question that was asked for another reason: it asks its own, which
/// is as good for the others. While no watch is open, a question for the limit is asked only when
/// the limit is over, and none for a doubt.
pub(super) struct Prover {
    cell: Arc<StatusCell>,
    source: Arc<dyn ListerWatcher>,
    idle_timeout: Duration,
    /// The longest time between two proofs. `None` if the watch need not be current.
    limit: Option<Duration>,
    demands: watch::Receiver<Wanted>,
    wanted: Wanted,
    /// The time of the last proof.
    pub(super) proved: Option<Instant>,
    /// The time of the last list of everything from a quorum. It may have proved nothing.
    listed: Option<Instant>,
    /// The last moment at which the server's history was doubted, until a later answer shows it.
    pub(super) doubt: Option<ReadBarrier>,
    /// The same moment, until a list of everything from a quorum. A restored server may have passed
    /// every known version: then its bookmarks prove nothing of what was lost.
    unlisted: Option<ReadBarrier>,
    /// The time of the next question without a demand. `None` if there is no reason for one.
    due: Option<Instant>,
    /// True while no watch is open and the limit counts.
    unwatched: bool,
    /// The time at which the watch is behind, unless it is proved before.
    late: Option<Instant>,
    /// The earliest time of the next question for a demand, or of the next list.
    paused: Instant,
    /// The number of objects of the last list.
    pub(super) objects: usize,
    /// The earliest time of the next short watch.
    short_watch: Instant,
    /// The version that the last short watch is to reach.
    sought: Option<ResourceVersion>,
    state: State,
    /// The number of questions for demands in a row that failed.
    failures: u32,
    /// The number of them that the server answered.
    refusals: u32,
}

enum State {
    Idle,
    Asking(BoxFuture<'static, Result<ResourceVersion, SourceError>>, Question),
    Awaiting(Awaited, Question),
}

/// A version that the changes handed on are to reach.
struct Awaited {
    version: ResourceVersion,
    /// The time until which a demand waits for it.
    until: Instant,
    /// The time at which a short watch is to take the place of the watch.
    reopen: Option<Instant>,
    /// The time until which a demand waits for the last bookmark of that watch.
    last_bookmark: Option<Instant>,
}

/// A question that was asked.
pub(super) struct Question {
    begun: Instant,
    /// The order of that moment among others.
    pub(super) asked: ReadBarrier,
    /// The version that the changes handed on had reached then.
    pub(super) known: Option<ResourceVersion>,
    pub(super) demanded: bool,
}

/// The next event of a prover, or of the list that it wants.
pub(super) enum ProverEvent {
    /// A question is due.
    Due,
    /// A quorum had this version at the moment of the question, or later.
    Answered(ResourceVersion, Question),
    Failed(SourceError, Question),
    /// It is time for a short watch if the open one is quiet. Its last bookmark would be the proof.
    Quiet,
    /// The changes handed on did not reach the quorum's version in time.
    Behind,
    /// A list that is to be the proof has its permit.
    MayList(ListForProof),
}

impl Prover {
    pub(super) fn new(
        cell: Arc<StatusCell>,
        source: Arc<dyn ListerWatcher>,
        options: &ReflectorOptions,
    ) -> Self {
        Self {
            demands: cell.demands().subscribe(),
            cell,
            source,
            idle_timeout: options.list_idle_timeout,
            limit: options.freshness_limit,
            wanted: Wanted::default(),
            proved: None,
            listed: None,
            doubt: None,
            unlisted: None,
            due: None,
            unwatched: false,
            late: None,
            paused: Instant::now(),
            objects: 0,
            short_watch: Instant::now(),
            sought: None,
            state: State::Idle,
            failures: 0,
            refusals: 0,
        }
    }

    /// Returns whether a demand awaits a proof. Costs one atomic read while none does.
    pub(super) fn is_wanted(&mut self) -> bool {
        if self.demands.has_changed().unwrap_or(false) {
            self.wanted = *self.demands.borrow_and_update();
        }
        self.cell.demands().lacks(self.wanted)
    }

    /// Returns whether only a list of everything can be the proof that a demand awaits.
    pub(super) fn lacks_list(&mut self) -> bool {
        self.is_wanted() && self.cell.demands().lacks_list(self.wanted)
    }

    /// Returns whether the watch is behind for the limit.
    pub(super) fn is_late(&self) -> bool {
        self.late.is_some_and(|late| late <= Instant::now())
    }

    /// Begins with a watch that was opened at this time. A question about the server's history is
    /// due at the second time.
    pub(super) fn watch(&mut self, opened: Instant, history: Option<Instant>) {
        if !std::mem::take(&mut self.unwatched) && self.late.is_some() {
            // A short watch goes on with the question of the one before it, or that one with its.
            return;
        }
        let limit = self.limit.map(|limit| after(self.proved.unwrap_or(opened), limit / 2));
        self.pace(history.into_iter().chain(limit).min());
    }

    /// Notes that a watch is being opened. A question that a short watch left open goes on.
    pub(super) fn open_watch(&mut self) {
        if self.due.is_none() && self.limit.is_some() {
            self.unwatch();
        }
    }

    /// Notes that no watch is open. The next question for the limit is due when the limit is over,
    /// and goes on however often a watch fails to open meanwhile.
    pub(super) fn unwatch(&mut self) {
        let Some(limit) = self.limit else { return self.pace(None) };
        if !std::mem::replace(&mut self.unwatched, true) {
            let last = self.proved.max(self.listed).unwrap_or_else(Instant::now);
            let over = after(last, limit);
            self.pace(Some(self.due.map_or(over, |due| due.max(over))));
        }
    }

    /// Returns whether the limit counts although no watch is open.
    pub(super) fn is_unwatched(&self) -> bool {
        self.unwatched
    }

    /// Forgets what was asked: a list begins, or the kind is not served.
    pub(super) fn forget(&mut self) {
        self.unwatched = false;
        self.pace(None);
    }

    /// Makes a question without a demand due at this time, or none.
    fn pace(&mut self, due: Option<Instant>) {
        (self.due, self.late) = (due, None);
        if !self.is_wanted() {
            self.state = State::Idle;
        }
    }

    /// Notes a doubt about the server's history. If it is new, a question is due at this time, if
    /// one is given.
    pub(super) fn doubt_history(&mut self, due: Option<Instant>) {
        let now = ReadBarrier::now();
        self.unlisted = Some(now);
        if self.doubt.replace(now).is_none() && due.is_some() {
            self.pace(due);
        }
    }

    /// Notes the end of a request. A backup may be restored during an outage.
    pub(super) fn note_end(&mut self, outage: bool) {
        if outage {
            self.doubt_history(None);
        }
    }

    /// Notes a proof of this moment. The next question is due after half of the limit.
    pub(super) fn proved(&mut self, at: Instant) {
        let last = at.max(self.proved.unwrap_or(at));
        self.proved = Some(last);
        let Some(limit) = self.limit else { return };
        self.late = None;
        if self.doubt.is_none() {
            self.due = self.due.map(|_| after(last, limit / 2));
            if !matches!(self.state, State::Idle) && !self.is_wanted() {
                self.state = State::Idle;
            }
        }
    }

    /// Notes that the list of a quorum read that began at this moment was handed on.
    pub(super) fn listed(&mut self, begun: ReadBarrier) {
        self.cell.demands().prove(begun, true);
        self.listed = Some(Instant::now());
        self.unlisted.take_if(|doubt| *doubt < begun);
        (self.failures, self.refusals) = (0, 0);
        if let State::Asking(_, question) | State::Awaiting(_, question) = &self.state
            && question.asked < begun
        {
            self.state = State::Idle;
        }
    }

    /// Asks the question. `known` is the version that the changes handed on have reached.
    pub(super) fn ask(&mut self, known: Option<ResourceVersion>) {
        let demanded = self.is_wanted();
        let timeout = match self.limit {
            _ if demanded => FIRST_TIMEOUT * (1 << self.failures.min(MOST_DOUBLINGS)),
            limit => limit.unwrap_or(Duration::MAX),
        };
        let timeout = self.idle_timeout.min(timeout);
        let answer = first_version(self.source.clone(), timeout).boxed();
        let (begun, asked) = (Instant::now(), ReadBarrier::now());
        self.state = State::Asking(answer, Question { begun, asked, known, demanded });
    }

    /// Postpones the next question. The rate limit does not admit it.
    pub(super) fn put_off(&mut self) {
        self.paused = after(Instant::now(), INTERVAL);
        self.due = self.due.map(|due| due.max(self.paused));
    }

    /// Postpones the list that a proof needs. The watch may reach an awaited version meanwhile.
    pub(super) fn put_off_list(&mut self, until: Instant) {
        self.paused = until;
    }

    /// Awaits no version any more: a list follows.
    pub(super) fn give_up(&mut self) {
        (self.state, self.late) = (State::Idle, None);
    }

    /// Awaits the version of an answer: for the limit, until the other half of it, or the limit, is
    /// `over`. If a list has failed before, the next one follows `soon`. Returns false if only a
    /// list can be the proof that is wanted.
    pub(super) fn await_version(
        &mut self,
        version: ResourceVersion,
        question: Question,
        soon: bool,
        over: Option<Instant>,
    ) -> bool {
        (self.failures, self.refusals) = (0, 0);
        let now = Instant::now();
        self.doubt.take_if(|doubt| *doubt < question.asked);
        let half = self.limit.map(|limit| after(question.begun, limit / 2));
        let patience = if self.objects < FEW && !soon { QUIET } else { PATIENCE };
        let until = after(now, patience);
        if self.due.is_some() {
            let over = if soon { Some(until) } else { over.map(|over| over.max(until)) };
            let late = half.map(|half| over.map_or(half, |over| half.min(over)));
            self.late = self.late.into_iter().chain(late).min();
            self.due = if self.doubt.is_some() { Some(now) } else { half };
        }
        // Otherwise versions have no order, or history was lost.
        let ordered = question.known.as_ref().is_some_and(|known| version.is_at_least(known));
        if question.demanded && (!ordered || self.cell.demands().lacks_list(self.wanted)) {
            return false;
        }
        if question.demanded || self.doubt.is_none() {
            let reopen = (self.objects >= FEW && !soon).then(|| after(now, QUIET));
            self.state =
                State::Awaiting(Awaited { version, until, reopen, last_bookmark: None }, question);
        }
        true
    }

    /// Notes a question that failed. The next one for the limit is put off beyond the time at which
    /// the limit is `over` only if the server asks for that. Returns whether a demand needs a list.
    pub(super) fn note_failure(
        &mut self,
        error: &SourceError,
        question: &Question,
        over: Option<Instant>,
    ) -> bool {
        let now = Instant::now();
        let asked = error.retry_after().unwrap_or_default().min(MAX_RETRY_AFTER);
        let due = after(now, self.limit.map_or(HISTORY_RETRY, |limit| limit / RETRIES));
        let over = over.filter(|over| *over > now).unwrap_or(due);
        self.due = self.due.map(|_| due.min(over).max(after(now, asked)));
        if !question.demanded {
            return false;
        }
        let pause = INTERVAL * (1 << self.failures.min(MOST_DOUBLINGS));
        self.failures = self.failures.saturating_add(1);
        self.paused = after(now, pause.max(asked));
        if !error.is_answer() {
            return false;
        }
        self.refusals = self.refusals.saturating_add(1);
        self.refusals % REFUSALS_PER_LIST == FIRST_LIST
    }

    /// Returns whether the changes handed on, up to this version, have reached the awaited one.
    pub(super) fn has_reached(&self, version: Option<&ResourceVersion>) -> bool {
        let State::Awaiting(awaited, _) = &self.state else { return false };
        version.is_some_and(|version| version.is_at_least(&awaited.version))
    }

    /// Returns whether a short watch is to take the place of the quiet one. It gets the time that
    /// its last bookmark needs, unless the limit is over before. A list follows an outage instead.
    pub(super) fn begin_short_watch(&mut self) -> bool {
        let now = Instant::now();
        let last_bookmark = after(now, SHORT_WATCH + QUIET);
        let in_time = self.late.is_none_or(|late| last_bookmark <= late);
        if now < self.short_watch || !in_time || self.unlisted.is_some() || self.lacks_list() {
            return false;
        }
        let State::Awaiting(awaited, _) = &mut self.state else { return false };
        awaited.last_bookmark = Some(last_bookmark);
        self.sought = Some(awaited.version.clone());
        self.short_watch = after(now, NO_SHORT_WATCH);
        true
    }

    /// Notes that a short watch failed to open. The other one goes on.
    pub(super) fn note_unopened_short_watch(&mut self) {
        if let State::Awaiting(awaited, _) = &mut self.state {
            awaited.last_bookmark = None;
        }
    }

    /// Notes the version that a short watch has reached. If it is the one that it was opened for,
    /// the next short watch may be as good.
    pub(super) fn note_short_watch_version(&mut self, version: Option<&ResourceVersion>) {
        let reached = |sought: &mut _| version.is_some_and(|version| version.is_at_least(sought));
        if self.sought.take_if(reached).is_some() {
            self.short_watch = Instant::now();
        }
    }

    /// Postpones the short watch until this time: the watch is not quiet, or the rate limit does
    /// not admit it.
    pub(super) fn put_off_short_watch(&mut self, until: Instant) {
        if let State::Awaiting(awaited, _) = &mut self.state {
            awaited.reopen = Some(until);
        }
    }

    /// Takes back the beginning of a short watch, because the watch is not quiet any more.
    pub(super) fn cancel_short_watch(&mut self) {
        let now = Instant::now();
        self.short_watch = now;
        self.note_unopened_short_watch();
        self.put_off_short_watch(after(now, QUIET));
    }

    /// Notes that [`has_reached`](Self::has_reached) has found a proof. Returns its time.
    pub(super) fn prove(&mut self) -> Option<Instant> {
        let state = std::mem::replace(&mut self.state, State::Idle);
        let State::Awaiting(_, question) = state else { return None };
        // The list that was put off is not needed any more.
        self.paused = question.begun;
        self.cell.demands().prove(question.asked, false);
        Some(question.begun)
    }

    /// Allows another short watch: one that was open ended for a reason of its own.
    pub(super) fn allow_short_watch(&mut self) {
        self.short_watch = Instant::now();
        self.put_off_short_watch(after(self.short_watch, QUIET));
    }

    /// Waits for the next event. Cancel safe.
    pub(super) async fn next(&mut self) -> ProverEvent {
        loop {
            let (now, wanted) = (Instant::now(), self.is_wanted());
            let demand = wanted.then_some(self.paused);
            let mut reopen = None;
            let (ask, behind) = match &mut self.state {
                State::Idle => (demand.into_iter().chain(self.due).min(), self.late),
                State::Asking(_, question) => (demand.filter(|_| !question.demanded), self.late),
                State::Awaiting(awaited, question) => {
                    let until = awaited.last_bookmark.unwrap_or(awaited.until);
                    question.demanded &= wanted || now < until;
                    let until = question.demanded.then_some(until);
                    let ask = demand.filter(|_| !question.demanded);
                    if awaited.reopen.take_if(|reopen| *reopen <= now).is_some() {
                        return ProverEvent::Quiet;
                    }
                    reopen = awaited.reopen;
                    (ask, self.late.into_iter().chain(until).min())
                }
            };
            let behind = behind.map(|behind| behind.max(self.paused));
            if behind.is_some_and(|behind| behind <= now) {
                return ProverEvent::Behind;
            }
            if ask.is_some_and(|ask| ask <= now) {
                return ProverEvent::Due;
            }
            let until = ask.into_iter().chain(behind).chain(reopen).min();
            let answer = async {
                match &mut self.state {
                    State::Asking(answer, _) => answer.await,
                    _ => pending().await,
                }
            };
            tokio::select! {
                biased;
                answer = answer => {
                    let state = std::mem::replace(&mut self.state, State::Idle);
                    let State::Asking(_, question) = state else { continue };
                    return match answer {
                        Ok(version) => ProverEvent::Answered(version, question),
                        Err(error) => ProverEvent::Failed(error, question),
                    };
                }
                // The sender lives as long as `self.cell`.
                _ = self.demands.changed() => self.wanted = *self.demands.borrow_and_update(),
                () = sleep_until(until.unwrap_or(now)), if until.is_some() => {}
            }
        }
    }
}
