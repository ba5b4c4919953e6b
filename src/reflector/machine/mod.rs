//! The list-watch state machine, without I/O.
//!
//! The machine is a pure function from (state, outcome, time) to the next [`Step`]. It never waits,
//! sends requests, stores or reports. The driver does what a step says and returns the
//! [`StepOutcome`]. The rules are those of client-go's `Reflector`, unless a comment says
//! otherwise.

mod forms;
mod lists;
mod schedule;
mod watches;

use std::time::Duration;

use fastrand::Rng;
use tokio::time::Instant;

use self::forms::{ListForm, ListForms};
use self::lists::{CachedList, ListKind, ListPolicy, Listing};
use self::schedule::RelistSchedule;
use self::watches::WatchHistory;
use super::backoff::{BackoffPolicy, RetryDelays};
use super::gate::Gate;
use super::list_mode::ListMode;
use super::shard_progress::ShardProgress;
use super::status::{RelistCause, Relists};
use super::step::{RequestFailure, Step, StepOutcome};
use crate::error::{Fault, FaultClass, SourceError};
use crate::lister_watcher::ListQuery;
use crate::object::{ResourceVersion, ShardSelector};
use crate::time::ReadBarrier;

/// The machine's configuration.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) page_size: Option<u32>,
    /// True if any cache may answer the first list.
    pub(super) any_version: bool,
    pub(super) list_mode: ListMode,
    /// True if the first list is a plain one where the server has it, because only that can rest on
    /// kept objects.
    pub(super) plain_first: bool,
    pub(super) freshness_limit: Option<Duration>,
}

#[derive(Debug)]
pub(super) struct Machine {
    rules: Rules,
    phase: Phase,
    /// The last version seen.
    version: Option<ResourceVersion>,
    /// The newest version that the server has named, until a list or the watch has reached it.
    named: Option<ResourceVersion>,
    /// The moment at which it was named, or the question that it answers began.
    named_at: ReadBarrier,
    lists: ListPolicy,
    forms: ListForms,
    watches: WatchHistory,
    schedule: RelistSchedule,
    shard: ShardProgress,
    gate: Gate,
    delays: RetryDelays,
    relists: Relists,
    rng: Rng,
}

/// The step that the driver performs.
#[derive(Debug)]
enum Phase {
    /// A wait. The next step follows it.
    Waiting(Next),
    /// A list, until the sink has it.
    Listing(Listing),
    /// A watch. `progressed` is true if it sent a newer version.
    Watching { progressed: bool },
}

/// The step after a wait.
#[derive(Debug)]
enum Next {
    List,
    Watch,
    Request(Box<Request>),
}

/// A request of a list that has begun.
#[derive(Debug)]
struct Request {
    listing: Listing,
    query: ListQuery,
    fresh: bool,
}

impl Machine {
    pub(super) fn new(rules: Rules, policy: Box<dyn BackoffPolicy>, mut rng: Rng) -> Self {
        let delays = RetryDelays::new(policy, rng.fork());
        Self {
            forms: ListForms::new(rules.list_mode, rules.plain_first.then_some(ListForm::Plain)),
            rules,
            phase: Phase::Waiting(Next::List),
            version: None,
            named: None,
            named_at: ReadBarrier::START,
            lists: ListPolicy::default(),
            watches: WatchHistory::default(),
            schedule: RelistSchedule::default(),
            shard: ShardProgress::default(),
            gate: Gate::default(),
            delays,
            relists: Relists::default(),
            rng,
        }
    }

    /// Follows this shard from the next request on. Returns the part of it that was listed before,
    /// if known objects may be outside of it.
    pub(super) fn follow_shard(&mut self, shard: &ShardSelector) -> Option<ShardSelector> {
        if matches!(self.phase, Phase::Waiting(Next::Request(_))) {
            // The request would list another shard.
            self.phase = Phase::Waiting(Next::List);
        }
        self.lists.not_before = None;
        self.shard.follow(shard)
    }

    /// Returns the progress of the followed shard.
    pub(super) fn shard(&self) -> &ShardProgress {
        &self.shard
    }

    /// Returns the shard that the store holds after the current list.
    pub(super) fn shard_after_list(&self) -> Option<ShardSelector> {
        let listing = self.listing()?;
        if listing.kind == ListKind::Arrivals {
            self.shard.followed().cloned()
        } else {
            listing.shard.clone()
        }
    }

    /// Forgets what was listed and watched. The next list is a quorum read of everything.
    pub(super) fn begin_again(&mut self) {
        self.phase = Phase::Waiting(Next::List);
        (self.version, self.named) = (None, None);
        self.lists = ListPolicy::default();
        self.lists.quorum = true;
        self.watches = WatchHistory::default();
        self.schedule = RelistSchedule::default();
        self.shard = ShardProgress::default();
    }

    /// Returns the first step.
    pub(super) fn start(&mut self, now: Instant) -> Step {
        self.list(now)
    }

    /// Admits a request that is not a step, if the rate limit allows it now.
    pub(super) fn admits(&mut self, now: Instant) -> bool {
        self.gate.admit(now).is_ok()
    }

    /// Returns the time until the rate limit admits a request.
    pub(super) fn request_delay(&self, now: Instant) -> Duration {
        self.gate.delay(now)
    }

    /// Returns whether a list follows the current wait. No watch goes on meanwhile.
    pub(super) fn lists_next(&self) -> bool {
        matches!(self.phase, Phase::Waiting(Next::List))
    }

    /// Returns a random part of this time.
    pub(super) fn spread(&mut self, time: Duration) -> Duration {
        time.mul_f64(self.rng.f64())
    }

    /// Returns whether the current wait delays the next page of a list.
    pub(super) fn is_between_pages(&self) -> bool {
        matches!(&self.phase, Phase::Waiting(Next::Request(request)) if !request.fresh)
    }

    /// Returns whether a demand for a proof may end the current wait, or the opening of a watch.
    /// Otherwise the wait delays a list that is a proof by itself, or the next page of a list.
    /// After a failed list for a proof, the opening of the watch has its turn.
    pub(super) fn serves_demands(&self) -> bool {
        match self.phase {
            Phase::Waiting(Next::Watch) => true,
            Phase::Watching { .. } => self.lists.not_before.is_none(),
            Phase::Waiting(Next::List) => !self.lists.asks_quorum() && self.version.is_some(),
            _ => false,
        }
    }

    /// Returns whether a change is unknown until a list shows it.
    pub(super) fn lacks_changes(&self) -> bool {
        self.schedule.is_pending() || self.shard.arriving().is_some()
    }

    /// Returns whether an answer of the watch proves that the changes handed on are current. It
    /// proves nothing while a change is unknown, or the server has named a version beyond it. Nor
    /// does one at the version of a cache's list that is no proof itself.
    pub(super) fn watch_proves(&self) -> bool {
        let repeats = self.lists.cached.is_some_and(|list| list != CachedList::Newer);
        self.is_current() && !repeats
    }

    /// Returns whether the changes handed on are all that the server has told of.
    pub(super) fn is_current(&self) -> bool {
        !self.lacks_changes() && !self.is_behind()
    }

    /// Returns whether the server has named a newer version than the last one seen.
    fn is_behind(&self) -> bool {
        let named = self.version.as_ref().zip(self.named.as_ref());
        named.is_some_and(|(known, named)| known.is_older_than(named))
    }

    /// Returns whether the current list, of this version, proves that its items are current.
    pub(super) fn list_proves(&self, version: &ResourceVersion) -> bool {
        self.listing().is_some_and(|listing| self.is_proof(listing, version))
    }

    /// Returns whether a list of this version proves that its items are current. A lagging cache
    /// repeats a version that the server has named, so a list from a cache must be newer. One for
    /// version 0 may have any version.
    fn is_proof(&self, listing: &Listing, version: &ResourceVersion) -> bool {
        let named = self.named.as_ref();
        match &listing.asked {
            None => !named.is_some_and(|named| version.is_older_than(named)),
            Some(asked) if *asked == ResourceVersion::ANY => false,
            Some(_) => !named.into_iter().chain(self.newest()).any(|old| old.is_at_least(version)),
        }
    }

    /// Notes a version that the server has named at this moment, outside of a list of everything or
    /// an event in order.
    pub(super) fn note_named(&mut self, version: ResourceVersion, at: ReadBarrier) {
        let news = |known: &ResourceVersion| known.is_older_than(&version);
        if version.is_comparable() && self.named.as_ref().is_none_or(news) {
            (self.named, self.named_at) = (Some(version), at);
        }
    }

    /// Notes the version that a quorum has named. It was the truth when the question began, even if
    /// it is older than one that was named before.
    pub(super) fn note_quorum(&mut self, version: &ResourceVersion, begun: ReadBarrier) {
        self.named.take_if(|_| self.named_at < begun);
        if !self.version.as_ref().is_some_and(|known| known.is_at_least(version)) {
            self.note_named(version.clone(), begun);
        }
    }

    /// Notes the version that a refusal names.
    pub(super) fn note_refusal(&mut self, error: &SourceError) {
        if let Fault::Status(status) = error.fault()
            && let Some(version) = status.oldest_version()
        {
            self.note_named(version, ReadBarrier::now());
        }
    }

    /// Notes a proof that the watch is current. The next list for a proof is the first one again.
    pub(super) fn note_proof(&mut self, now: Instant) {
        self.lists.not_before.take_if(|until| *until <= now);
    }

    /// Notes that the last list was current, or that the watch goes on from it.
    pub(super) fn note_good_list(&mut self) {
        (self.lists.cached, self.lists.gone) = (None, 0);
    }

    /// Returns the time of the next list that the watch can go on without, if the last one failed.
    pub(super) fn lists_not_before(&self) -> Option<Instant> {
        self.lists.not_before
    }

    /// Returns the last version seen.
    pub(super) fn version(&self) -> Option<&ResourceVersion> {
        self.version.as_ref()
    }

    /// Returns the number of relists, by cause.
    pub(super) fn relists(&self) -> &Relists {
        &self.relists
    }

    /// Notes an event in order from the watch. It is progress if the version advanced. An event
    /// without a version is none, because each watch may repeat it.
    pub(super) fn note_version(&mut self, version: Option<ResourceVersion>, now: Instant) {
        let Some(version) = version else { return };
        let known = self.version.as_ref();
        if known.is_some_and(|known| known.is_at_least(&version)) {
            return;
        }
        self.shard.catch_up(&version);
        self.named.take_if(|named| version.is_at_least(named));
        self.note_good_list();
        self.version = Some(version);
        self.delays.healthy(now);
        self.watches.note_progress();
        if let Phase::Watching { progressed } = &mut self.phase {
            *progressed = true;
        }
    }

    /// Returns the current list.
    fn listing(&self) -> Option<&Listing> {
        match &self.phase {
            Phase::Listing(listing) => Some(listing),
            _ => None,
        }
    }

    /// Returns the version that makes a page of `version` too old. A page after the first must have
    /// a version that is known to be at least that of the first. A first page from a cache must not
    /// be older than the known version. The answer of a quorum counts even if it is older: then the
    /// cluster was restored and history is lost.
    pub(super) fn outdates(&self, version: &ResourceVersion) -> Option<&ResourceVersion> {
        let listing = self.listing()?;
        if let Some(first) = &listing.version {
            return Some(first).filter(|first| !version.is_at_least(first));
        }
        listing.asked.as_ref()?;
        self.newest().filter(|known| version.is_older_than(known))
    }

    /// Returns the newest version of which the sink has a part. A list of everything must not be
    /// older, because it replaces every part.
    pub(super) fn newest(&self) -> Option<&ResourceVersion> {
        self.shard.newest(self.version.as_ref())
    }

    /// Returns whether the current list is a quorum read. Its answer is the truth, even if it is
    /// older than the known version.
    pub(super) fn is_quorum_read(&self) -> bool {
        self.listing().is_some_and(|listing| listing.asked.is_none())
    }

    /// Returns whether the version of the current list shows that history was lost: a quorum is
    /// behind the known version.
    fn is_restored(&self, version: &ResourceVersion) -> bool {
        self.is_quorum_read() && self.newest().is_some_and(|known| version.is_older_than(known))
    }

    /// Notes an item that cannot be used, and schedules a relist. Returns when the relist is due.
    /// The open watch does not change that time.
    pub(super) fn schedule_relist(&mut self, now: Instant) -> Instant {
        self.schedule.schedule(now, &mut self.rng)
    }

    /// Notes that the watch began from nothing, and schedules a relist. Returns when it is due.
    pub(super) fn note_replay(&mut self, now: Instant) -> Instant {
        self.schedule.note_replay();
        self.schedule_relist(now)
    }

    /// Notes that the sink has the current list: its shard is no longer arriving.
    pub(super) fn note_list_emitted(&mut self) {
        if let Phase::Listing(listing) = &self.phase {
            self.shard.note_list(listing.shard.as_ref());
        }
    }

    /// Returns the step that follows from the outcome of the last one.
    pub(super) fn next(&mut self, outcome: StepOutcome, now: Instant) -> Step {
        let phase = std::mem::replace(&mut self.phase, Phase::Waiting(Next::List));
        match (outcome, phase) {
            (StepOutcome::Waited, Phase::Waiting(Next::Watch)) => self.watch(now),
            (StepOutcome::Waited, Phase::Waiting(Next::Request(request))) => {
                self.send(*request, now)
            }
            (StepOutcome::Unproven(end), phase) => {
                // A list that is due anyway is more than a proof.
                let due = matches!(phase, Phase::Waiting(Next::List));
                self.list_from_quorum(end.spares_watch() && !due, now)
            }
            (
                StepOutcome::Listed { version, continue_token, at_once, complete, lost_history },
                Phase::Listing(mut listing),
            ) => {
                listing.complete &= complete;
                listing.lost_history |= lost_history;
                let version = listing.version.get_or_insert(version).clone();
                match continue_token {
                    Some(token) => self.next_page(listing, token, at_once, now),
                    None => self.hand_on_list(listing, version, now),
                }
            }
            (
                StepOutcome::Streamed { version, complete, lost_history },
                Phase::Listing(listing),
            ) => self.replace(Listing { complete, lost_history, ..listing }, version, now),
            (StepOutcome::StaleList, phase) => {
                let begun = matches!(phase, Phase::Listing(Listing { version: Some(_), .. }));
                self.relist_stale(begun, now)
            }
            (StepOutcome::ListFailed(failure), Phase::Listing(listing)) => {
                self.handle_failed_list(listing, failure, now)
            }
            (StepOutcome::Replaced { news }, Phase::Listing(listing)) => {
                self.watch_after_list(listing, news, now)
            }
            (StepOutcome::WatchNotOpened(failure), _) => self.handle_unopened_watch(failure, now),
            (StepOutcome::WatchEnded { end, lasted }, Phase::Watching { progressed }) => {
                self.handle_ended_watch(&end, lasted, progressed, now)
            }
            (StepOutcome::Panicked, _) => {
                self.lists.spares_watch = false;
                self.relist_after(RelistCause::Panicked, now, None)
            }
            // The other waits. No step has another outcome.
            _ => self.list(now),
        }
    }

    /// Requests a list or its next page, once the rate limit allows it.
    fn send(&mut self, request: Request, now: Instant) -> Step {
        if let Err(delay) = self.gate.admit(now) {
            return self.wait(delay, Next::Request(Box::new(request)));
        }
        let Request { listing, query, fresh } = request;
        self.phase = Phase::Listing(listing);
        Step::List { query, fresh }
    }

    fn relist_after(&mut self, cause: RelistCause, now: Instant, asked: Option<Duration>) -> Step {
        self.relists.count(cause);
        self.retry(Next::List, asked, now)
    }

    fn list_again(&mut self, failure: RequestFailure, now: Instant) -> Step {
        self.retry_failed(Next::List, failure, now)
    }

    fn watch_again(&mut self, failure: RequestFailure, now: Instant) -> Step {
        self.retry_failed(Next::Watch, failure, now)
    }

    fn retry_failed(&mut self, next: Next, failure: RequestFailure, now: Instant) -> Step {
        if failure.class == FaultClass::Throttled {
            self.delays.answered(now);
        }
        self.retry(next, failure.retry_after, now)
    }

    /// Waits after a failure for the delay that the server asked for, or for that of the policy. A
    /// watch that can go on without the next list does so meanwhile.
    fn retry(&mut self, next: Next, asked: Option<Duration>, now: Instant) -> Step {
        let delay = self.delays.after_failure(now, asked);
        if matches!(next, Next::List) && self.spares_watch() {
            return self.watch_meanwhile(delay, now);
        }
        self.wait(delay, next)
    }

    fn wait(&mut self, delay: Duration, next: Next) -> Step {
        self.phase = Phase::Waiting(next);
        Step::Wait(delay)
    }
}
