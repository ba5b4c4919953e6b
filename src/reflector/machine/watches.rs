//! The choice of each watch, and the step after it.

use std::time::Duration;

use tokio::time::Instant;

use super::lists::CachedList;
use super::{Machine, Next, Phase};
use crate::error::FaultClass;
use crate::lister_watcher::WatchQuery;
use crate::object::ResourceVersion;
use crate::reflector::backoff::{FIRST, HEALTHY_AFTER};
use crate::reflector::gate::INTERVAL;
use crate::reflector::status::RelistCause;
use crate::reflector::step::{End, RequestFailure, Step};

/// The shortest watch timeout. Each timeout is random, up to twice as long, so that watches do not
/// all end at the same moment.
const WATCH: Duration = Duration::from_secs(300);

/// The time during which a watch that ends with an internal error (500) is reopened at its last
/// version. Then everything is listed.
const INTERNAL_ERROR_WINDOW: Duration = Duration::from_secs(30);

/// A watch that lasted this long and ended cleanly was healthy, even without events.
const SETTLED: Duration = Duration::from_secs(30);

/// The number of watches in a row that may end within [`INTERVAL`] and be reopened at once.
const SHORT: u32 = 2;

/// The number of watches in a row without progress after which everything is listed.
const NO_PROGRESS_WATCHES: u32 = 5;

/// The time between two lists while the watch is refused. It doubles with each such list.
const REFUSED_WATCH_LISTS: Duration = Duration::from_secs(60);

/// The upper bound of [`REFUSED_WATCH_LISTS`].
const MAX_REFUSED_WATCH_LISTS: Duration = Duration::from_secs(300);

/// The number of 410s for versions that lists had just brought after which a cache lags behind.
const LAG: u32 = 2;

/// The upper bound of [`NO_PROGRESS_WATCHES`], which doubles each time such a list brings nothing
/// new.
const MAX_NO_PROGRESS_WATCHES: u32 = 40;

/// The experience with earlier watches.
#[derive(Debug, Default)]
pub(super) struct WatchHistory {
    /// The number of watches in a row that ended without progress.
    fruitless: u32,
    /// The number of times that the limit of such watches was doubled.
    patience: u32,
    /// True if such watches caused the next or current list.
    lists_for_progress: bool,
    /// The number of watches in a row that ended within [`INTERVAL`].
    short: u32,
    internal_errors_since: Option<Instant>,
    /// The time of the last list.
    listed: Option<Instant>,
    /// The number of lists since the watch was refused.
    refused_lists: u32,
}

impl WatchHistory {
    /// Notes that a watch sent a newer version.
    pub(super) fn note_progress(&mut self) {
        self.internal_errors_since = None;
        (self.fruitless, self.patience, self.lists_for_progress) = (0, 0, false);
    }

    /// Notes a list of everything. `news` is true if it contained an unknown state.
    pub(super) fn note_relist(&mut self, news: bool, now: Instant) {
        (self.listed, self.fruitless) = (Some(now), 0);
        if std::mem::take(&mut self.lists_for_progress) {
            self.patience = if news { 0 } else { self.patience + 1 };
        }
    }

    /// Notes a watch without progress. Returns whether everything is to be listed.
    fn note_fruitless(&mut self) -> bool {
        self.fruitless += 1;
        let limit = NO_PROGRESS_WATCHES << self.patience.min(8);
        self.lists_for_progress |= self.fruitless >= limit.min(MAX_NO_PROGRESS_WATCHES);
        self.lists_for_progress
    }
}

impl Machine {
    pub(super) fn watch(&mut self, now: Instant) -> Step {
        if self.shard.is_empty() || self.shard.is_unlisted() {
            return self.list(now);
        }
        let pause = self.lists.not_before.unwrap_or(now).saturating_duration_since(now);
        let relist = self.schedule.left(now).map(|left| left.max(pause));
        let arriving = self.shard.arriving().cloned().filter(|_| pause.is_zero());
        if relist.is_some_and(|left| left.is_zero()) {
            return self.relist_as_scheduled(now);
        }
        if let Err(delay) = self.gate.admit(now) {
            return self.wait(delay, Next::Watch);
        }
        if let Some(arriving) = arriving {
            return self.list_arrivals(arriving);
        }
        self.phase = Phase::Watching { progressed: false };
        let mut query = self.watch_query(self.version.clone(), false);
        query.shard = self.shard.listed();
        let arrivals = self.shard.arriving().map(|_| pause);
        Step::Watch { query, at_most: relist.into_iter().chain(arrivals).min() }
    }

    fn relist_as_scheduled(&mut self, now: Instant) -> Step {
        let cause = self.schedule.cause();
        self.lists.spares_watch = true;
        // A server whose watches begin from nothing does not know its versions.
        self.lists.quorum |= cause == RelistCause::Replayed;
        self.relists.count(cause);
        self.list(now)
    }

    pub(super) fn handle_unopened_watch(&mut self, failure: RequestFailure, now: Instant) -> Step {
        match failure.class {
            FaultClass::Refused | FaultClass::Throttled => self.watch_again(failure, now),
            FaultClass::Expired => self.relist_expired(now),
            FaultClass::Unauthorized | FaultClass::Forbidden => {
                self.retry_refused_watch(failure, now)
            }
            _ => self.relist_after(RelistCause::WatchNotOpened, now, failure.retry_after),
        }
    }

    /// Handles a watch that the credentials do not allow, although they may allow a list. The watch
    /// is tried again first. A whole list each time would load the server for ever.
    fn retry_refused_watch(&mut self, failure: RequestFailure, now: Instant) -> Step {
        let delay = self.delays.after_failure(now, failure.retry_after);
        let age = self.watches.listed.map_or(Duration::MAX, |at| now.saturating_duration_since(at));
        let doubled = REFUSED_WATCH_LISTS * (1 << self.watches.refused_lists.min(8));
        let period = doubled.min(MAX_REFUSED_WATCH_LISTS);
        let period = self.rules.freshness_limit.map_or(period, |limit| period.min(limit));
        if age.saturating_add(delay) < period {
            return self.wait(delay, Next::Watch);
        }
        self.watches.refused_lists = self.watches.refused_lists.saturating_add(1);
        self.relists.count(RelistCause::WatchNotOpened);
        // Without a watch, only a list can be a proof.
        self.lists.quorum = true;
        self.wait(delay, Next::List)
    }

    pub(super) fn handle_ended_watch(
        &mut self,
        end: &End,
        lasted: Duration,
        progressed: bool,
        now: Instant,
    ) -> Step {
        self.watches.refused_lists = 0;
        let gone = matches!(end, End::Failed(failure) if failure.class == FaultClass::Expired);
        let goes_on = match self.lists.cached {
            // A lagging cache watches from its version for long, without an event.
            Some(CachedList::NoNews | CachedList::Any) => false,
            Some(CachedList::Newer) => true,
            None => !gone,
        };
        if lasted >= INTERVAL && goes_on && !self.is_behind() {
            self.note_good_list();
        }
        self.watches.short =
            if lasted < INTERVAL { self.watches.short.saturating_add(1) } else { 0 };
        let settled = lasted >= SETTLED;
        if settled {
            self.delays.healthy(now.checked_sub(lasted).unwrap_or(now));
        }
        let fruitful = progressed || (settled && matches!(end, End::Ordinary));
        match end {
            End::ShardChanged | End::Due => return self.watch(now),
            End::Unproven | End::Behind | End::Unanswered | End::Damaged => {
                return self.list_from_quorum(end.spares_watch(), now);
            }
            End::AtOnce => return self.relist_after(RelistCause::ShortWatch, now, None),
            &End::Failed(failure) => match failure.class {
                FaultClass::Expired => return self.relist_expired(now),
                FaultClass::Throttled => return self.watch_again(failure, now),
                FaultClass::Internal => {}
                _ => return self.relist_after(RelistCause::WatchFailed, now, failure.retry_after),
            },
            End::Ordinary | End::Broken | End::Silent => {}
        }
        if !fruitful && self.watches.note_fruitless() {
            return self.relist_after(RelistCause::NoProgress, now, None);
        }
        match end {
            &End::Failed(failure) => self.handle_internal_error(failure, now),
            End::Ordinary if fruitful && self.watches.short > SHORT => {
                self.wait(INTERVAL.saturating_sub(lasted), Next::Watch)
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
    pub(super) fn list_from_quorum(&mut self, spares_watch: bool, now: Instant) -> Step {
        (self.lists.quorum, self.lists.spares_watch) = (true, spares_watch);
        self.relists.count(RelistCause::Unproven);
        self.list(now)
    }

    /// Watches again after an event that is no outage by itself.
    fn rewatch_after(&mut self, first: Duration, now: Instant) -> Step {
        match self.delays.after_disconnect(now, first) {
            Duration::ZERO => self.watch(now),
            delay => self.wait(delay, Next::Watch),
        }
    }

    /// Relists because the watch's version is gone. A list at that version from a cache gives the
    /// same or a newer state, so a quorum read is not needed yet. If such a list has just brought
    /// the version without news, or two with news have, its cache lags behind. A quorum read
    /// follows then, the first time at once.
    fn relist_expired(&mut self, now: Instant) -> Step {
        self.relists.count(RelistCause::Expired);
        let listed = self.watches.listed;
        let lately = listed.is_some_and(|at| now.saturating_duration_since(at) < HEALTHY_AFTER);
        let gone = self.lists.gone;
        let lags = match self.lists.cached {
            Some(CachedList::NoNews) => LAG,
            Some(CachedList::Newer) if lately => 1,
            _ => 0,
        };
        if lags > 0 {
            self.lists.gone = gone.saturating_add(lags);
            self.lists.quorum |= self.lists.gone >= LAG;
        }
        if !lately {
            self.delays.answered(now);
        }
        let mut delay = self.delays.after_disconnect(now, Duration::ZERO);
        if !lately {
            // After an outage, the watches of many informers are answered like this.
            delay = delay.min(FIRST.mul_f64(self.rng.f64()));
        }
        if lately && gone < LAG && self.lists.gone >= LAG {
            delay = Duration::ZERO;
        }
        match delay {
            Duration::ZERO => self.list(now),
            delay => self.wait(delay, Next::List),
        }
    }

    /// Handles a watch that ended with an internal error. The watches of an overloaded server fail
    /// like this while it still has their version. A relist would load it further.
    fn handle_internal_error(&mut self, failure: RequestFailure, now: Instant) -> Step {
        let since = *self.watches.internal_errors_since.get_or_insert(now);
        if now.duration_since(since) < INTERNAL_ERROR_WINDOW {
            return self.watch_again(failure, now);
        }
        self.watches.internal_errors_since = None;
        self.relist_after(RelistCause::WatchFailed, now, failure.retry_after)
    }

    pub(super) fn watch_query(
        &mut self,
        version: Option<ResourceVersion>,
        initial_events: bool,
    ) -> WatchQuery {
        let timeout = Duration::from_secs(self.rng.u64(WATCH.as_secs()..2 * WATCH.as_secs()));
        let shard = self.shard.followed().cloned();
        WatchQuery { version, timeout, initial_events, shard }
    }
}
