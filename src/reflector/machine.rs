//! What to ask next, given what came back: list-then-watch without its I/O.
//!
//! The machine is a pure step from (state, outcome, time) to the next [`Step`]. It never waits,
//! asks, stores or reports: the reflector does what a step says and comes back with the
//! [`Outcome`]. The rules are client-go's `Reflector`'s unless a comment says otherwise.

use std::time::Duration;

use fastrand::Rng;
use tokio::time::Instant;

use super::backoff::{BackoffPolicy, FIRST, HEALTHY_AFTER, Pauses};
use super::gate::{Gate, INTERVAL};
use super::status::{RelistCause, Relists};
use super::step::{End, Failure, Outcome, Step};
use crate::error::FaultClass;
use crate::lister_watcher::{ListQuery, WatchQuery};
use crate::object::ResourceVersion;

/// The page size for reads that go to the storage, which must not be asked for everything at once.
const PAGE: u32 = 500;

/// After how many failed lists in a row the other way of getting the first state is tried.
const TRY_STREAMING_AFTER: u32 = 3;

/// A watch is asked to last this long, or up to twice as long, so that not all end at once.
const WATCH: Duration = Duration::from_secs(300);

/// How long at the most to watch on what an unclean list left.
const LONGEST_UNCLEAN: Duration = Duration::from_secs(120);

/// A watch that lasted this long and ended in good order was healthy, whatever it brought.
const SETTLED: Duration = Duration::from_secs(30);

/// How many watches in a row may end within the interval and be opened again at once.
const SHORT: u32 = 2;

/// After how many watches in a row that made no progress everything is listed.
const FRUITLESS: u32 = 5;

/// The same, where the lists after such watches brought nothing new either.
const MOST_FRUITLESS: u32 = 40;

/// What the machine is told once.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) page_size: Option<u32>,
    pub(super) streaming: bool,
    pub(super) internal_error_window: Duration,
}

#[derive(Debug)]
pub(super) struct Machine {
    rules: Rules,
    /// The last version seen.
    version: Option<ResourceVersion>,
    /// The next list asks a quorum: the last version is no longer, or not yet, to be had.
    quorum: bool,
    /// A list at "0" came in pages: this server keeps no cache of the resource.
    paginated_at_zero: bool,
    /// This server refused a streaming list.
    streaming_refused: bool,
    /// The next list is streaming, whatever the rules say, or is not.
    streaming_next: Option<bool>,
    listing: Listing,
    failed_lists: u32,
    went_back: bool,
    unclean_lists: u32,
    /// When the last list that something unclean had led to was through.
    unclean_at: Option<Instant>,
    /// When everything is to be listed anew, because something that came could not be used.
    due: Option<Instant>,
    /// The watch that is open brought a newer version.
    progressed: bool,
    fruitless: Fruitless,
    /// How many watches in a row ended within the interval.
    short: u32,
    gate: Gate,
    internal_errors_since: Option<Instant>,
    after_wait: After,
    pauses: Pauses,
    relists: Relists,
    rng: Rng,
}

/// The list that is going on.
#[derive(Debug, Default)]
struct Listing {
    /// What it was first asked at.
    asked: Option<ResourceVersion>,
    /// The version it has.
    version: Option<ResourceVersion>,
    paged: bool,
    streaming: bool,
    /// It was already repeated as a quorum read.
    repeated: bool,
    clean: bool,
}

/// Watches in a row that ended without progress.
#[derive(Debug)]
struct Fruitless {
    watches: u32,
    /// How many of them lead to a list.
    limit: u32,
    /// They led to the list that is next, or going on.
    listing: bool,
}

impl Default for Fruitless {
    fn default() -> Self {
        Self { watches: 0, limit: FRUITLESS, listing: false }
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
        let pauses = Pauses::new(policy, rng.fork());
        Self {
            rules,
            version: None,
            quorum: false,
            paginated_at_zero: false,
            streaming_refused: false,
            streaming_next: None,
            listing: Listing::default(),
            failed_lists: 0,
            went_back: false,
            unclean_lists: 0,
            unclean_at: None,
            due: None,
            progressed: false,
            fruitless: Fruitless::default(),
            short: 0,
            gate: Gate::default(),
            internal_errors_since: None,
            after_wait: After::List,
            pauses,
            relists: Relists::default(),
            rng,
        }
    }

    /// The first step.
    pub(super) fn start(&mut self, now: Instant) -> Step {
        self.list(now)
    }

    /// Admits a request beside the steps, if the pace allows one now.
    pub(super) fn admits(&mut self, now: Instant) -> bool {
        self.gate.admit(now).is_ok()
    }

    /// The last version seen.
    pub(super) fn version(&self) -> Option<&ResourceVersion> {
        self.version.as_ref()
    }

    /// How often it was listed anew, by cause.
    pub(super) fn relists(&self) -> &Relists {
        &self.relists
    }

    /// A watch brought something in its order. It is progress if the version advanced, or is not told.
    pub(super) fn saw(&mut self, version: Option<ResourceVersion>, now: Instant) {
        if let Some(version) = version {
            let known = self.version.as_ref();
            if known.is_some_and(|known| version == *known || version.is_older_than(known)) {
                return;
            }
            self.version = Some(version);
        }
        self.pauses.healthy(now);
        self.internal_errors_since = None;
        self.progressed = true;
        self.fruitless = Fruitless::default();
    }

    /// The version known that a list of `version` falls short of, if it came from a cache. A
    /// quorum's word stands even when it is older: then the cluster was restored, history is lost.
    pub(super) fn falls_short(&self, version: &ResourceVersion) -> Option<&ResourceVersion> {
        self.listing.asked.as_ref()?;
        self.version.as_ref().filter(|known| version.is_older_than(known))
    }

    /// Whether the list that is going on asks a quorum, whose answer is the truth whatever is known.
    pub(super) fn asks_quorum(&self) -> bool {
        self.listing.asked.is_none()
    }

    /// Whether the list of this version that is going on tells of a lost history: a quorum is behind
    /// what is known.
    pub(super) fn is_restored(&self, version: &ResourceVersion) -> bool {
        self.asks_quorum()
            && self.version.as_ref().is_some_and(|known| version.is_older_than(known))
    }

    /// Something came that can't be used: everything is to be listed anew, soon, whatever becomes
    /// of this watch. Says when.
    pub(super) fn missed(&mut self, now: Instant) -> Instant {
        if let Some(due) = self.due {
            return due;
        }
        let quiet = self.unclean_at.map(|at| now.saturating_duration_since(at));
        if quiet.is_some_and(|quiet| quiet >= HEALTHY_AFTER) {
            self.unclean_lists = 0;
        }
        let doubled = FIRST.saturating_mul(1 << self.unclean_lists.min(10));
        self.unclean_lists += 1;
        let delay = doubled.min(LONGEST_UNCLEAN);
        *self.due.insert(now + delay + delay.mul_f64(self.rng.f64()))
    }

    /// The step that follows from what came of the last one.
    pub(super) fn next(&mut self, outcome: Outcome, now: Instant) -> Step {
        match outcome {
            Outcome::Waited => match std::mem::replace(&mut self.after_wait, After::List) {
                After::List => self.list(now),
                After::Watch => self.watch(now),
                After::Step(step) => self.open(step, now),
            },
            Outcome::Listed { version, continue_token, clean } => {
                self.listed(version, continue_token, clean)
            }
            Outcome::Streamed { version, clean } => {
                self.listing.clean = clean;
                self.replace(version)
            }
            Outcome::WentBack => {
                // Another replica may be further; the second time ask the one that knows.
                self.quorum = std::mem::replace(&mut self.went_back, true);
                self.relist_after(RelistCause::WentBack, now, None)
            }
            Outcome::ListFailed(failure) => self.list_failed(failure, now),
            Outcome::Replaced { news } => self.replaced(news, now),
            Outcome::WatchNotOpened(failure) => self.watch_not_opened(failure, now),
            Outcome::WatchEnded { end, lasted } => self.watch_ended(&end, lasted, now),
            Outcome::Panicked => self.relist_after(RelistCause::Panicked, now, None),
        }
    }

    /// Opens a list or watch, once the pace allows it.
    fn open(&mut self, step: Step, now: Instant) -> Step {
        match self.gate.admit(now) {
            Ok(()) => step,
            Err(delay) => self.wait(delay, After::Step(step)),
        }
    }

    /// Begins a list, streaming or plain, once the pace allows it.
    fn list(&mut self, now: Instant) -> Step {
        if let Err(delay) = self.gate.admit(now) {
            return self.wait(delay, After::List);
        }
        let version = if self.quorum { None } else { self.version.clone() };
        let streaming = self.streaming_next.unwrap_or(self.rules.streaming);
        self.listing = Listing { clean: true, repeated: self.quorum, ..Listing::default() };
        if streaming && !self.streaming_refused {
            self.listing.streaming = true;
            self.listing.asked.clone_from(&version);
            return Step::StreamingList(self.watch_query(version, true));
        }
        let version =
            if self.quorum { None } else { Some(version.unwrap_or(ResourceVersion::ANY)) };
        self.listing.asked.clone_from(&version);
        let limit = self.limit(version.as_ref());
        Step::List { query: ListQuery { version, limit, continue_token: None }, fresh: true }
    }

    /// Reads that may go to the storage are paged; those at a version are served by a cache, which
    /// pages would bypass.
    fn limit(&self, version: Option<&ResourceVersion>) -> Option<u32> {
        let cached = version.is_some_and(|version| *version != ResourceVersion::ANY);
        self.rules.page_size.or((!cached || self.paginated_at_zero).then_some(PAGE))
    }

    fn listed(
        &mut self,
        version: ResourceVersion,
        continue_token: Option<String>,
        clean: bool,
    ) -> Step {
        self.listing.clean &= clean;
        let version = self.listing.version.get_or_insert(version).clone();
        if continue_token.is_some() {
            self.listing.paged = true;
            let limit = self.limit(self.listing.asked.as_ref());
            let query = ListQuery { version: None, limit, continue_token };
            return Step::List { query, fresh: false };
        }
        if self.listing.paged && self.listing.asked == Some(ResourceVersion::ANY) {
            self.paginated_at_zero = true;
        }
        self.replace(version)
    }

    fn replace(&mut self, version: ResourceVersion) -> Step {
        self.listing.version = Some(version.clone());
        let restored = self.is_restored(&version);
        Step::Replace { version, restored }
    }

    fn replaced(&mut self, news: bool, now: Instant) -> Step {
        self.version = self.listing.version.take();
        self.quorum = false;
        self.streaming_next = None;
        self.went_back = false;
        self.failed_lists = 0;
        self.pauses.healthy(now);
        self.fruitless.watches = 0;
        if std::mem::take(&mut self.fruitless.listing) {
            let doubled = self.fruitless.limit.saturating_mul(2).min(MOST_FRUITLESS);
            self.fruitless.limit = if news { FRUITLESS } else { doubled };
        }
        if self.due.take().is_some() {
            self.unclean_at = Some(now);
        }
        if !self.listing.clean {
            self.missed(now);
        }
        self.progressed = false;
        if self.listing.streaming {
            return Step::Follow { at_most: self.left(now) };
        }
        self.watch(now)
    }

    fn list_failed(&mut self, failure: Failure, now: Instant) -> Step {
        let listing = std::mem::take(&mut self.listing);
        match failure.class {
            FaultClass::Expired if listing.paged => {
                // The pages' snapshot was compacted away: once more, in one piece.
                let query = ListQuery { version: listing.asked.clone(), ..ListQuery::default() };
                self.listing = Listing { paged: false, version: None, clean: true, ..listing };
                self.open(Step::List { query, fresh: true }, now)
            }
            FaultClass::Expired | FaultClass::VersionTooLarge => {
                self.quorum = true;
                let cause = match failure.class {
                    FaultClass::Expired => RelistCause::Expired,
                    _ => RelistCause::VersionTooLarge,
                };
                if listing.repeated {
                    self.relist_after(cause, now, failure.retry_after)
                } else {
                    self.relists.count(cause);
                    self.list(now)
                }
            }
            FaultClass::Refused | FaultClass::Throttled => self.list_again(failure, now),
            class if listing.streaming => {
                // Whatever it is, a plain list may do.
                self.streaming_next = Some(false);
                self.streaming_refused =
                    class == FaultClass::Invalid || failure.no_end_of_initial_events;
                self.list(now)
            }
            class => {
                if matches!(class, FaultClass::Internal | FaultClass::Other) {
                    self.failed_lists += 1;
                    let other = self.failed_lists.is_multiple_of(TRY_STREAMING_AFTER);
                    self.streaming_next = Some(other);
                }
                self.list_again(failure, now)
            }
        }
    }

    fn watch_not_opened(&mut self, failure: Failure, now: Instant) -> Step {
        match failure.class {
            FaultClass::Refused | FaultClass::Throttled => {
                let delay = self.pauses.after_failure(now, failure.retry_after);
                self.wait(delay, After::Watch)
            }
            FaultClass::Expired => self.expired(now),
            _ => self.relist_after(RelistCause::WatchNotOpened, now, failure.retry_after),
        }
    }

    fn watch_ended(&mut self, end: &End, lasted: Duration, now: Instant) -> Step {
        self.short = if lasted < INTERVAL { self.short.saturating_add(1) } else { 0 };
        let settled = lasted >= SETTLED;
        if settled {
            self.pauses.healthy(now.checked_sub(lasted).unwrap_or(now));
        }
        let fruitful = self.progressed || (settled && matches!(end, End::Ordinary));
        match end {
            End::Due => return self.unclean(now),
            End::Unproven => {
                // What a cache says is what is in doubt.
                self.quorum = true;
                self.relists.count(RelistCause::Unproven);
                return self.list(now);
            }
            End::AtOnce => return self.relist_after(RelistCause::ShortWatch, now, None),
            &End::Failed(failure) => match failure.class {
                FaultClass::Expired => return self.expired(now),
                FaultClass::Throttled => {
                    let delay = self.pauses.after_failure(now, failure.retry_after);
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
            // Every watcher of a lost server is here at the same moment: spread them out.
            _ => {
                let first = FIRST.mul_f64(self.rng.f64());
                self.rewatch_after(first, now)
            }
        }
    }

    /// Watches on after what is no outage by itself.
    fn rewatch_after(&mut self, first: Duration, now: Instant) -> Step {
        match self.pauses.after_hiccup(now, first) {
            Duration::ZERO => self.watch(now),
            delay => self.wait(delay, After::Watch),
        }
    }

    /// The watch's version is gone. A list at that same version still gives what is as new or
    /// newer, from a cache, so a quorum is not asked yet.
    fn expired(&mut self, now: Instant) -> Step {
        self.relists.count(RelistCause::Expired);
        match self.pauses.after_hiccup(now, Duration::ZERO) {
            Duration::ZERO => self.list(now),
            delay => self.wait(delay, After::List),
        }
    }

    /// An overloaded server's watches fail so while it still has their version: relisting would
    /// load it further.
    fn internal_error(&mut self, failure: Failure, now: Instant) -> Step {
        let since = *self.internal_errors_since.get_or_insert(now);
        if now.duration_since(since) < self.rules.internal_error_window {
            let delay = self.pauses.after_failure(now, failure.retry_after);
            return self.wait(delay, After::Watch);
        }
        self.internal_errors_since = None;
        self.relist_after(RelistCause::WatchFailed, now, failure.retry_after)
    }

    fn relist_after(&mut self, cause: RelistCause, now: Instant, asked: Option<Duration>) -> Step {
        self.relists.count(cause);
        let delay = self.pauses.after_failure(now, asked);
        self.wait(delay, After::List)
    }

    fn list_again(&mut self, failure: Failure, now: Instant) -> Step {
        let delay = self.pauses.after_failure(now, failure.retry_after);
        self.wait(delay, After::List)
    }

    fn wait(&mut self, delay: Duration, after: After) -> Step {
        self.after_wait = after;
        Step::Wait(delay)
    }

    fn watch(&mut self, now: Instant) -> Step {
        let at_most = self.left(now);
        if at_most.is_some_and(|left| left.is_zero()) {
            return self.unclean(now);
        }
        if let Err(delay) = self.gate.admit(now) {
            return self.wait(delay, After::Watch);
        }
        self.progressed = false;
        let query = self.watch_query(self.version.clone(), false);
        Step::Watch { query, at_most }
    }

    fn unclean(&mut self, now: Instant) -> Step {
        self.relists.count(RelistCause::Unclean);
        self.list(now)
    }

    /// How long until everything is listed anew, if it is to be.
    fn left(&self, now: Instant) -> Option<Duration> {
        self.due.map(|due| due.saturating_duration_since(now))
    }

    fn watch_query(
        &mut self,
        version: Option<ResourceVersion>,
        initial_events: bool,
    ) -> WatchQuery {
        let timeout = Duration::from_secs(self.rng.u64(WATCH.as_secs()..2 * WATCH.as_secs()));
        WatchQuery { version, timeout, initial_events }
    }
}
