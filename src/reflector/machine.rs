//! The list-watch state machine, without I/O.
//!
//! The machine is a pure function from (state, outcome, time) to the next [`Step`]. It never waits,
//! sends requests, stores or reports. The driver does what a step says and returns the
//! [`StepOutcome`]. The rules are those of client-go's `Reflector`, unless a comment says
//! otherwise.

use std::time::Duration;

use fastrand::Rng;
use tokio::time::Instant;

use super::backoff::{BackoffPolicy, FIRST, HEALTHY_AFTER, RetryDelays};
use super::gate::{Gate, INTERVAL};
use super::shard_progress::ShardProgress;
use super::status::{RelistCause, Relists};
use super::step::{End, RequestFailure, Step, StepOutcome};
use crate::error::FaultClass;
use crate::lister_watcher::{ListQuery, WatchQuery};
use crate::object::{ResourceVersion, ShardSelector};

/// The page size of lists that may read from etcd, which must not read everything at once. Each
/// page waits for the one before. A list of 150,000 objects takes 30 requests in a row, and with
/// client-go's pages of 500 it takes 300.
const PAGE: u32 = 5_000;

/// The number of failed lists in a row after which the other form of list is tried.
const TRY_OTHER_AFTER: u32 = 3;

/// The shortest watch timeout. Each timeout is random, up to twice as long, so that watches do not
/// all end at the same moment.
const WATCH: Duration = Duration::from_secs(300);

/// The longest time to watch before the relist that an undecodable item requires, without jitter.
const MAX_WATCH_BEFORE_RELIST: Duration = Duration::from_secs(120);

/// A watch that lasted this long and ended cleanly was healthy, even without events.
const SETTLED: Duration = Duration::from_secs(30);

/// The number of watches in a row that may end within the interval and be reopened at once.
const SHORT: u32 = 2;

/// The number of watches in a row without progress after which everything is listed.
const NO_PROGRESS_WATCHES: u32 = 5;

/// The time between two lists while the watch is refused. It doubles with each such list.
const REFUSED_WATCH_LISTS: Duration = Duration::from_secs(60);

/// The upper bound of that time.
const MAX_REFUSED_WATCH_LISTS: Duration = Duration::from_secs(300);

/// The upper bound of that number. It doubles each time such a list brings nothing new.
const MAX_NO_PROGRESS_WATCHES: u32 = 40;

/// The machine's configuration.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) page_size: Option<u32>,
    /// True if any cache may answer the first list.
    pub(super) any_version: bool,
    pub(super) streaming: bool,
    pub(super) internal_error_window: Duration,
    pub(super) freshness_limit: Option<Duration>,
}

#[derive(Debug)]
pub(super) struct Machine {
    rules: Rules,
    /// The last version seen.
    version: Option<ResourceVersion>,
    /// True if the next list is a quorum read, because the last version is no longer, or not yet,
    /// available.
    quorum: bool,
    /// True if a list at version 0 came in pages: the server does not cache this resource. The
    /// pages of a consistent list show nothing, because a cache gives them, too.
    paginated_at_zero: bool,
    /// True if the server refused a streaming list.
    streaming_refused: bool,
    /// The choice for the next list: streaming if true, plain if false. `None` to follow the rules.
    streaming_next: Option<bool>,
    listing: Listing,
    failed_lists: u32,
    stale_list: bool,
    undecodable_relists: u32,
    /// The time at which the last relist because of an undecodable item was finished.
    undecodable_relist_at: Option<Instant>,
    /// The time at which a relist is due because an item could not be used.
    due: Option<Instant>,
    /// True if the open watch sent a newer version.
    progressed: bool,
    fruitless: Fruitless,
    /// The number of watches in a row that ended within the interval.
    short: u32,
    gate: Gate,
    internal_errors_since: Option<Instant>,
    /// The time of the last list, and the time until the next one while the watch is refused.
    listed: Option<Instant>,
    refused_lists: Duration,
    after_wait: After,
    delays: RetryDelays,
    relists: Relists,
    rng: Rng,
    shard: ShardProgress,
}

/// The current list.
#[derive(Debug, Default)]
struct Listing {
    /// The version that its first request asked for. `None` for a quorum read.
    asked: Option<ResourceVersion>,
    /// The version of the list.
    version: Option<ResourceVersion>,
    paged: bool,
    /// True if its pages have failed, and it is repeated without a limit.
    in_one_piece: bool,
    streaming: bool,
    /// True if it was already repeated as a quorum read.
    repeated: bool,
    /// True if every item so far had a readable key.
    complete: bool,
    /// True if an item shows that the server's history was lost.
    lost_history: bool,
    /// True if only arrivals are listed.
    only_arrivals: bool,
    /// The shard that is listed.
    shard: Option<ShardSelector>,
}

/// The watches in a row that ended without progress.
#[derive(Debug)]
struct Fruitless {
    watches: u32,
    /// The number of such watches that causes a relist.
    limit: u32,
    /// True if they caused the next or current list.
    listing: bool,
}

impl Default for Fruitless {
    fn default() -> Self {
        Self { watches: 0, limit: NO_PROGRESS_WATCHES, listing: false }
    }
}

/// The step after a wait.
#[derive(Debug)]
enum After {
    List,
    Watch,
    Step(Step),
}

impl Machine {
    pub(super) fn new(rules: Rules, policy: Box<dyn BackoffPolicy>, mut rng: Rng) -> Self {
        let delays = RetryDelays::new(policy, rng.fork());
        Self {
            rules,
            version: None,
            quorum: false,
            paginated_at_zero: false,
            streaming_refused: false,
            streaming_next: None,
            listing: Listing::default(),
            failed_lists: 0,
            stale_list: false,
            undecodable_relists: 0,
            undecodable_relist_at: None,
            due: None,
            progressed: false,
            fruitless: Fruitless::default(),
            short: 0,
            gate: Gate::default(),
            internal_errors_since: None,
            listed: None,
            refused_lists: REFUSED_WATCH_LISTS,
            after_wait: After::List,
            delays,
            relists: Relists::default(),
            rng,
            shard: ShardProgress::default(),
        }
    }

    /// Follows this shard from the next request on. Returns the part of it that was listed before,
    /// if known objects may be outside of it.
    pub(super) fn follow_shard(&mut self, shard: &ShardSelector) -> Option<ShardSelector> {
        if matches!(self.after_wait, After::Step(_)) {
            // It would list another shard.
            self.after_wait = After::List;
        }
        self.shard.follow(shard)
    }

    /// Returns how far the followed shard was shown.
    pub(super) fn shard(&self) -> &ShardProgress {
        &self.shard
    }

    /// Returns the shard that the store holds after the current list.
    pub(super) fn shard_after_list(&self) -> Option<ShardSelector> {
        if self.listing.only_arrivals {
            self.shard.followed().cloned()
        } else {
            self.listing.shard.clone()
        }
    }

    /// Returns the first step.
    pub(super) fn start(&mut self, now: Instant) -> Step {
        self.list(now)
    }

    /// Admits a request that is not a step, if the rate limit allows it now.
    pub(super) fn admits(&mut self, now: Instant) -> bool {
        self.gate.admit(now).is_ok()
    }

    /// Returns a random part of this time.
    pub(super) fn spread(&mut self, time: Duration) -> Duration {
        time.mul_f64(self.rng.f64())
    }

    /// Returns whether a demand for a proof may end the current wait. Otherwise the wait delays a
    /// list that is a proof by itself, or the next page of a list.
    pub(super) fn serves_demands(&self) -> bool {
        match self.after_wait {
            After::Watch => true,
            After::List => !self.quorum && self.version.is_some(),
            After::Step(_) => false,
        }
    }

    /// Returns whether a change is unknown until everything is listed again.
    pub(super) fn lacks_changes(&self) -> bool {
        self.due.is_some()
    }

    /// Returns the last version seen.
    pub(super) fn version(&self) -> Option<&ResourceVersion> {
        self.version.as_ref()
    }

    /// Returns the number of relists, by cause.
    pub(super) fn relists(&self) -> &Relists {
        &self.relists
    }

    /// Notes an event in order from the watch. It is progress if the version advanced. The same
    /// event may come in each watch if it has no version.
    pub(super) fn note_version(&mut self, version: Option<ResourceVersion>, now: Instant) {
        let Some(version) = version else { return };
        let known = self.version.as_ref();
        if known.is_some_and(|known| known.is_at_least(&version)) {
            return;
        }
        self.shard.catch_up(&version);
        self.version = Some(version);
        self.delays.healthy(now);
        self.internal_errors_since = None;
        self.progressed = true;
        self.fruitless = Fruitless::default();
    }

    /// Returns the known version if a list of `version` from a cache is older. The answer of a
    /// quorum counts even if it is older: then the cluster was restored and history is lost.
    pub(super) fn newer_known(&self, version: &ResourceVersion) -> Option<&ResourceVersion> {
        self.listing.asked.as_ref()?;
        self.newest().filter(|known| version.is_older_than(known))
    }

    /// Returns the newest version of which the sink has a part. A list of everything must not be
    /// older, because it replaces every part.
    fn newest(&self) -> Option<&ResourceVersion> {
        self.shard.newest(self.version.as_ref())
    }

    /// Returns whether the current list is a quorum read. Its answer is the truth, even if it is
    /// older than the known version.
    pub(super) fn is_quorum_read(&self) -> bool {
        self.listing.asked.is_none()
    }

    /// Returns whether the version of the current list shows that history was lost: a quorum is
    /// behind the known version.
    fn is_restored(&self, version: &ResourceVersion) -> bool {
        self.is_quorum_read() && self.newest().is_some_and(|known| version.is_older_than(known))
    }

    /// Notes an item that cannot be used, and schedules a relist. Returns when the relist is due.
    /// The open watch does not change it.
    pub(super) fn schedule_relist(&mut self, now: Instant) -> Instant {
        if let Some(due) = self.due {
            return due;
        }
        let quiet = self.undecodable_relist_at.map(|at| now.saturating_duration_since(at));
        if quiet.is_some_and(|quiet| quiet >= HEALTHY_AFTER) {
            self.undecodable_relists = 0;
        }
        let doubled = FIRST.saturating_mul(1 << self.undecodable_relists.min(10));
        self.undecodable_relists += 1;
        let delay = doubled.min(MAX_WATCH_BEFORE_RELIST);
        *self.due.insert(now + delay + delay.mul_f64(self.rng.f64()))
    }

    /// Returns the step that follows from the outcome of the last one.
    pub(super) fn next(&mut self, outcome: StepOutcome, now: Instant) -> Step {
        match outcome {
            StepOutcome::Waited => match std::mem::replace(&mut self.after_wait, After::List) {
                After::List => self.list(now),
                After::Watch => self.watch(now),
                After::Step(step) => self.open(step, now),
            },
            StepOutcome::Listed { version, continue_token, at_once, complete, lost_history } => {
                self.listing.complete &= complete;
                self.listing.lost_history |= lost_history;
                let version = self.listing.version.get_or_insert(version).clone();
                match continue_token {
                    Some(token) => self.next_page(token, at_once, now),
                    None => self.listed(version, now),
                }
            }
            StepOutcome::ShardCame => self.list(now),
            StepOutcome::Unproven => self.unproven(now),
            StepOutcome::Streamed { version, complete, lost_history } => {
                self.listing.complete = complete;
                self.listing.lost_history = lost_history;
                self.replace(version, now)
            }
            StepOutcome::StaleList => {
                // Another replica may be newer. The second time, use a quorum read.
                self.quorum = std::mem::replace(&mut self.stale_list, true);
                self.relist_after(RelistCause::StaleList, now, None)
            }
            StepOutcome::ListFailed(failure) => self.list_failed(failure, now),
            StepOutcome::Replaced { news } => self.replaced(news, now),
            StepOutcome::WatchNotOpened(failure) => self.watch_not_opened(failure, now),
            StepOutcome::WatchEnded { end, lasted } => self.watch_ended(&end, lasted, now),
            StepOutcome::Panicked => self.relist_after(RelistCause::Panicked, now, None),
        }
    }

    /// Opens a list or watch, once the rate limit allows it.
    fn open(&mut self, step: Step, now: Instant) -> Step {
        match self.gate.admit(now) {
            Ok(()) => step,
            Err(delay) => self.wait(delay, After::Step(step)),
        }
    }

    /// Begins a list, streaming or plain, once the rate limit allows it.
    fn list(&mut self, now: Instant) -> Step {
        if self.shard.is_empty() {
            return Step::AwaitShard;
        }
        if let Err(delay) = self.gate.admit(now) {
            return self.wait(delay, After::List);
        }
        // A lagging cache of the server may have an older state than a predecessor acted on: this
        // process before its restart, the last leader, or the replica that had these objects.
        let first = self.version.is_none() && !self.rules.any_version;
        let quorum = self.quorum || first || self.shard.arriving().is_some();
        let version = if quorum { None } else { self.newest().cloned() };
        let streaming = self.streaming_next.unwrap_or(self.rules.streaming);
        self.listing = Listing {
            complete: true,
            repeated: quorum,
            shard: self.shard.followed().cloned(),
            ..Listing::default()
        };
        if streaming && !self.streaming_refused {
            self.listing.streaming = true;
            self.listing.asked.clone_from(&version);
            return Step::StreamingList(self.watch_query(version, true));
        }
        let version = if quorum { None } else { Some(version.unwrap_or(ResourceVersion::ANY)) };
        self.listing.asked.clone_from(&version);
        let limit = self.limit(version.as_ref());
        let shard = self.shard.followed().cloned();
        let query = ListQuery { version, limit, shard, ..ListQuery::default() };
        Step::List { query, fresh: true }
    }

    /// Lists the objects that came into the shard, with a quorum read.
    fn list_arrivals(&mut self, arriving: ShardSelector) -> Step {
        self.listing = Listing {
            complete: true,
            only_arrivals: true,
            shard: Some(arriving.clone()),
            ..Listing::default()
        };
        let (limit, shard) = (self.limit(None), Some(arriving));
        let query = ListQuery { limit, shard, ..ListQuery::default() };
        Step::List { query, fresh: true }
    }

    /// Returns the page size. Lists that may read from etcd are paged. Lists at a version are
    /// served by a cache, which pages would bypass.
    fn limit(&self, version: Option<&ResourceVersion>) -> Option<u32> {
        let cached = version.is_some_and(|version| *version != ResourceVersion::ANY);
        self.rules.page_size.or((!cached || self.paginated_at_zero).then_some(PAGE))
    }

    /// Requests the next page: at once, or once the rate limit allows it.
    fn next_page(&mut self, token: String, at_once: bool, now: Instant) -> Step {
        self.listing.paged = true;
        let limit = self.limit(self.listing.asked.as_ref());
        let (shard, continue_token) = (self.listing.shard.clone(), Some(token));
        let query = ListQuery { limit, continue_token, shard, ..ListQuery::default() };
        let step = Step::List { query, fresh: false };
        if at_once { step } else { self.open(step, now) }
    }

    fn listed(&mut self, version: ResourceVersion, now: Instant) -> Step {
        if self.listing.only_arrivals {
            let goes_on = self.newest().is_some_and(|known| version.is_at_least(known));
            if !goes_on || self.listing.lost_history {
                // History was lost, or versions do not compare.
                return self.list(now);
            }
            self.listing.version = Some(version.clone());
            return Step::Arrive { version };
        }
        if self.listing.paged && self.listing.asked == Some(ResourceVersion::ANY) {
            self.paginated_at_zero = true;
        }
        self.replace(version, now)
    }

    fn replace(&mut self, version: ResourceVersion, now: Instant) -> Step {
        if self.listing.lost_history && !self.is_quorum_read() {
            // The source may have skipped states that only have the versions of known ones.
            return self.unproven(now);
        }
        self.listing.version = Some(version.clone());
        let restored = self.listing.lost_history || self.is_restored(&version);
        Step::Replace { version, restored }
    }

    fn replaced(&mut self, news: bool, now: Instant) -> Step {
        if self.listing.only_arrivals {
            let (shard, version) = (self.listing.shard.take(), self.listing.version.take());
            let older = |version: &ResourceVersion| {
                self.version.as_ref().is_some_and(|known| known.is_older_than(version))
            };
            if let Some((shard, version)) = shard.zip(version.filter(older)) {
                self.shard.lead(shard, version);
            }
            self.delays.healthy(now);
            if !self.listing.complete {
                self.schedule_relist(now);
            }
            return self.watch(now);
        }
        self.shard.relisted();
        self.listed = Some(now);
        self.version = self.listing.version.take();
        self.quorum = false;
        self.streaming_next = None;
        self.stale_list = false;
        self.failed_lists = 0;
        self.delays.healthy(now);
        self.fruitless.watches = 0;
        if std::mem::take(&mut self.fruitless.listing) {
            let doubled = self.fruitless.limit.saturating_mul(2).min(MAX_NO_PROGRESS_WATCHES);
            self.fruitless.limit = if news { NO_PROGRESS_WATCHES } else { doubled };
        }
        if self.due.take().is_some() {
            self.undecodable_relist_at = Some(now);
        }
        if !self.listing.complete {
            self.schedule_relist(now);
        }
        self.progressed = false;
        // The stream follows the shard that was listed.
        if self.listing.streaming && self.listing.shard.as_ref() == self.shard.followed() {
            return Step::Follow { at_most: self.left(now) };
        }
        self.watch(now)
    }

    /// Notes that the sink has the current list: its shard is no longer arriving.
    pub(super) fn note_list_emitted(&mut self) {
        self.shard.listed(self.listing.shard.as_ref());
    }

    fn list_failed(&mut self, failure: RequestFailure, now: Instant) -> Step {
        let listing = std::mem::take(&mut self.listing);
        if listing.only_arrivals {
            return self.arrivals_failed(failure, now);
        }
        match failure.class {
            FaultClass::Expired | FaultClass::Invalid if listing.paged && !listing.in_one_piece => {
                // The snapshot of the pages was compacted away, or the server does not know its
                // token: list again, in one piece. A server may page that, too.
                let (version, shard) = (listing.asked.clone(), listing.shard.clone());
                let query = ListQuery { version, shard, ..ListQuery::default() };
                let (version, complete, in_one_piece) = (None, true, true);
                self.listing = Listing { paged: false, in_one_piece, version, complete, ..listing };
                self.open(Step::List { query, fresh: true }, now)
            }
            FaultClass::Expired | FaultClass::VersionTooLarge => {
                self.quorum = true;
                let cause = match failure.class {
                    FaultClass::Expired => RelistCause::Expired,
                    _ => RelistCause::VersionTooLarge,
                };
                if listing.repeated {
                    self.try_other_list(&listing);
                    self.relist_after(cause, now, failure.retry_after)
                } else {
                    self.relists.count(cause);
                    self.list(now)
                }
            }
            FaultClass::Refused | FaultClass::Throttled => {
                if self.rules.streaming {
                    self.failed_lists += 1;
                    if self.failed_lists.is_multiple_of(TRY_OTHER_AFTER) {
                        // Some servers and proxies refuse only one of the two.
                        self.streaming_next = Some(!listing.streaming);
                    }
                }
                self.list_again(failure, now)
            }
            FaultClass::Invalid
                if listing.asked.as_ref().is_some_and(|asked| *asked != ResourceVersion::ANY) =>
            {
                // The version may be what the server refuses: another server gave it.
                self.quorum = true;
                self.list(now)
            }
            class if listing.streaming => {
                // A plain list may work.
                self.streaming_next = Some(false);
                self.streaming_refused =
                    class == FaultClass::Invalid || failure.no_end_of_initial_events;
                self.list(now)
            }
            class => {
                if matches!(class, FaultClass::Internal | FaultClass::Invalid | FaultClass::Other) {
                    self.try_other_list(&listing);
                }
                self.list_again(failure, now)
            }
        }
    }

    /// After a failed streaming list, makes the next list a plain one. After some failed plain
    /// lists in a row, makes it a streaming one.
    fn try_other_list(&mut self, listing: &Listing) {
        if !listing.streaming {
            self.failed_lists += 1;
        }
        let streaming = !listing.streaming && self.failed_lists.is_multiple_of(TRY_OTHER_AFTER);
        self.streaming_next = Some(streaming);
    }

    /// Handles a failed list of arrivals. A list of the whole shard shows them, too.
    fn arrivals_failed(&mut self, failure: RequestFailure, now: Instant) -> Step {
        match failure.class {
            FaultClass::Refused | FaultClass::Throttled => {
                let delay = self.delays.after_failure(now, failure.retry_after);
                self.wait(delay, After::Watch)
            }
            FaultClass::Expired => {
                self.relists.count(RelistCause::Expired);
                self.list(now)
            }
            FaultClass::VersionTooLarge => {
                self.relist_after(RelistCause::VersionTooLarge, now, failure.retry_after)
            }
            _ => self.list_again(failure, now),
        }
    }

    fn watch_not_opened(&mut self, failure: RequestFailure, now: Instant) -> Step {
        match failure.class {
            FaultClass::Refused | FaultClass::Throttled => {
                let delay = self.delays.after_failure(now, failure.retry_after);
                self.wait(delay, After::Watch)
            }
            FaultClass::Expired => self.expired(now),
            FaultClass::Unauthorized | FaultClass::Forbidden => self.watch_refused(failure, now),
            _ => self.relist_after(RelistCause::WatchNotOpened, now, failure.retry_after),
        }
    }

    /// Handles a watch that the credentials do not allow, although they may allow a list. The watch
    /// is tried again first. A whole list each time would load the server for ever.
    fn watch_refused(&mut self, failure: RequestFailure, now: Instant) -> Step {
        let delay = self.delays.after_failure(now, failure.retry_after);
        let age = self.listed.map_or(Duration::MAX, |at| now.saturating_duration_since(at));
        let period = self.refused_lists;
        let period = self.rules.freshness_limit.map_or(period, |limit| period.min(limit));
        if age.saturating_add(delay) < period {
            return self.wait(delay, After::Watch);
        }
        self.refused_lists = (2 * self.refused_lists).min(MAX_REFUSED_WATCH_LISTS);
        self.relists.count(RelistCause::WatchNotOpened);
        self.wait(delay, After::List)
    }

    fn watch_ended(&mut self, end: &End, lasted: Duration, now: Instant) -> Step {
        self.refused_lists = REFUSED_WATCH_LISTS;
        self.short = if lasted < INTERVAL { self.short.saturating_add(1) } else { 0 };
        let settled = lasted >= SETTLED;
        if settled {
            self.delays.healthy(now.checked_sub(lasted).unwrap_or(now));
        }
        let fruitful = self.progressed || (settled && matches!(end, End::Ordinary));
        match end {
            End::ShardChanged => return self.watch(now),
            End::Due => return self.relist_due(now),
            End::Unproven => return self.unproven(now),
            End::AtOnce => return self.relist_after(RelistCause::ShortWatch, now, None),
            &End::Failed(failure) => match failure.class {
                FaultClass::Expired => return self.expired(now),
                FaultClass::Throttled => {
                    let delay = self.delays.after_failure(now, failure.retry_after);
                    return self.wait(delay, After::Watch);
                }
                FaultClass::Internal => {}
                _ => return self.relist_after(RelistCause::WatchFailed, now, failure.retry_after),
            },
            End::Ordinary | End::Broken | End::Silent => {}
        }
        if !fruitful {
            self.fruitless.watches += 1;
            if self.fruitless.watches >= self.fruitless.limit {
                self.fruitless.listing = true;
                return self.relist_after(RelistCause::NoProgress, now, None);
            }
        }
        match end {
            &End::Failed(failure) => self.internal_error(failure, now),
            End::Ordinary if fruitful && self.short > SHORT => {
                self.wait(INTERVAL.saturating_sub(lasted), After::Watch)
            }
            End::Ordinary if fruitful => self.watch(now),
            End::Ordinary => self.rewatch_after(Duration::ZERO, now),
            // All watchers of a lost server get here at the same moment: spread them out.
            _ => {
                let first = FIRST.mul_f64(self.rng.f64());
                self.rewatch_after(first, now)
            }
        }
    }

    /// Lists from a quorum, because the cache itself is in doubt.
    fn unproven(&mut self, now: Instant) -> Step {
        self.quorum = true;
        self.relists.count(RelistCause::Unproven);
        self.list(now)
    }

    /// Watches again after an event that is no outage by itself.
    fn rewatch_after(&mut self, first: Duration, now: Instant) -> Step {
        match self.delays.after_disconnect(now, first) {
            Duration::ZERO => self.watch(now),
            delay => self.wait(delay, After::Watch),
        }
    }

    /// Relists because the watch's version is gone. A list at that version from a cache gives the
    /// same or a newer state, so a quorum read is not needed yet.
    fn expired(&mut self, now: Instant) -> Step {
        self.relists.count(RelistCause::Expired);
        match self.delays.after_disconnect(now, Duration::ZERO) {
            Duration::ZERO => self.list(now),
            delay => self.wait(delay, After::List),
        }
    }

    /// Handles a watch that ended with an internal error. The watches of an overloaded server fail
    /// like this while it still has their version. A relist would load it further.
    fn internal_error(&mut self, failure: RequestFailure, now: Instant) -> Step {
        let since = *self.internal_errors_since.get_or_insert(now);
        if now.duration_since(since) < self.rules.internal_error_window {
            let delay = self.delays.after_failure(now, failure.retry_after);
            return self.wait(delay, After::Watch);
        }
        self.internal_errors_since = None;
        self.relist_after(RelistCause::WatchFailed, now, failure.retry_after)
    }

    fn relist_after(&mut self, cause: RelistCause, now: Instant, asked: Option<Duration>) -> Step {
        self.relists.count(cause);
        let delay = self.delays.after_failure(now, asked);
        self.wait(delay, After::List)
    }

    fn list_again(&mut self, failure: RequestFailure, now: Instant) -> Step {
        let delay = self.delays.after_failure(now, failure.retry_after);
        self.wait(delay, After::List)
    }

    fn wait(&mut self, delay: Duration, after: After) -> Step {
        self.after_wait = after;
        Step::Wait(delay)
    }

    fn watch(&mut self, now: Instant) -> Step {
        let at_most = self.left(now);
        if at_most.is_some_and(|left| left.is_zero()) {
            return self.relist_due(now);
        }
        if self.shard.is_empty() || self.shard.is_unlisted() {
            return self.list(now);
        }
        if let Err(delay) = self.gate.admit(now) {
            return self.wait(delay, After::Watch);
        }
        if let Some(arriving) = self.shard.arriving().cloned() {
            return self.list_arrivals(arriving);
        }
        self.progressed = false;
        let query = self.watch_query(self.version.clone(), false);
        Step::Watch { query, at_most }
    }

    fn relist_due(&mut self, now: Instant) -> Step {
        self.relists.count(RelistCause::UndecodableItem);
        self.list(now)
    }

    /// Returns the time until the scheduled relist, if there is one.
    fn left(&self, now: Instant) -> Option<Duration> {
        self.due.map(|due| due.saturating_duration_since(now))
    }

    fn watch_query(
        &mut self,
        version: Option<ResourceVersion>,
        initial_events: bool,
    ) -> WatchQuery {
        let timeout = Duration::from_secs(self.rng.u64(WATCH.as_secs()..2 * WATCH.as_secs()));
        let shard = self.shard.followed().cloned();
        WatchQuery { version, timeout, initial_events, shard }
    }
}
