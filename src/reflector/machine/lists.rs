//! The choice of each list, and the step after it.

use std::time::Duration;

use tokio::time::Instant;

use super::forms::{FormFailure, ListForm};
use super::{Machine, Next, Phase, Request};
use crate::error::FaultClass;
use crate::lister_watcher::ListQuery;
use crate::object::{ResourceVersion, ShardSelector};
use crate::reflector::gate::INTERVAL;
use crate::reflector::status::RelistCause;
use crate::reflector::step::{RequestFailure, Step};
use crate::time::after;

/// The page size of lists that may read from etcd, which must not read everything at once. Each
/// page waits for the one before. A list of 150,000 objects takes 30 requests in a row, and with
/// client-go's pages of 500 it takes 300.
const PAGE: u32 = 5_000;

/// The experience with earlier lists, as far as the next one depends on it.
#[derive(Debug, Default)]
pub(super) struct ListPolicy {
    /// True if the next list is a quorum read, because the last version is no longer, or not yet,
    /// available.
    pub(super) quorum: bool,
    /// True if a list at version 0 came in pages: the server does not cache this resource. The
    /// pages of a consistent list show nothing, because a cache gives them, too.
    paginated_at_zero: bool,
    /// True if the last list, or a page of it, was too old.
    stale: bool,
    /// The last list if it came from a cache, until the watch goes on from it, or a quorum confirms
    /// it.
    pub(super) cached: Option<CachedList>,
    /// The number of 410s in a row for versions that such lists had just brought. One for a list
    /// without news counts twice.
    pub(super) gone: u32,
    /// True if the watch can go on from its version if the next or current list fails. Such a list
    /// is a proof that the watch is current, or shows arrivals or an unusable item.
    pub(super) spares_watch: bool,
    /// The time of the next such list after a failure. `None` after a success or a proof.
    pub(super) not_before: Option<Instant>,
}

/// A list from a cache that was asked for a version, and may lag behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CachedList {
    /// It may have any version, so it proves nothing.
    Any,
    Newer,
    /// It is no newer than a version that the server had named before, so it proves nothing.
    NoNews,
}

impl ListPolicy {
    /// Returns whether the next list is a quorum read, whatever its cause.
    pub(super) fn asks_quorum(&self) -> bool {
        self.quorum || self.cached == Some(CachedList::NoNews)
    }
}

/// The current list.
#[derive(Debug)]
pub(super) struct Listing {
    pub(super) kind: ListKind,
    /// The version that its first request asked for. `None` for a quorum read.
    pub(super) asked: Option<ResourceVersion>,
    /// The version of the list: that of its first page.
    pub(super) version: Option<ResourceVersion>,
    /// True if it was already repeated as a quorum read.
    pub(super) repeated: bool,
    /// True if every item so far had a readable key.
    pub(super) complete: bool,
    /// True if an item shows that the server's history was lost.
    pub(super) lost_history: bool,
    /// The shard that is listed.
    pub(super) shard: Option<ShardSelector>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListKind {
    Plain {
        /// True if a page was listed before.
        paged: bool,
        /// True if its pages have failed, and it is repeated without a limit.
        in_one_piece: bool,
    },
    Streaming,
    /// A plain list of only those objects that came into the shard.
    Arrivals,
}

impl ListKind {
    const PLAIN: Self = Self::Plain { paged: false, in_one_piece: false };

    fn form(self) -> ListForm {
        match self {
            Self::Streaming => ListForm::Streaming,
            Self::Plain { .. } | Self::Arrivals => ListForm::Plain,
        }
    }
}

impl Listing {
    fn new(kind: ListKind, shard: Option<ShardSelector>) -> Self {
        let (repeated, complete, lost_history) = (false, true, false);
        Self { kind, asked: None, version: None, repeated, complete, lost_history, shard }
    }
}

impl Machine {
    /// Begins a list, streaming or plain, once the rate limit allows it.
    pub(super) fn list(&mut self, now: Instant) -> Step {
        if self.shard.is_empty() {
            return Step::AwaitShard;
        }
        if let Err(delay) = self.gate.admit(now) {
            return self.wait(delay, Next::List);
        }
        // A lagging cache may have an older state than a predecessor acted on. A predecessor is
        // this process before its restart, the last leader, or the last replica with these objects.
        let first = self.version.is_none() && !self.rules.any_version;
        let quorum = self.lists.asks_quorum() || first || self.shard.arriving().is_some();
        let known = self.newest().cloned().filter(|_| !quorum);
        let shard = self.shard.followed().cloned();
        let list = Listing::new(ListKind::PLAIN, shard.clone());
        let list = Listing { repeated: quorum, ..list };
        if self.forms.choose(now) == ListForm::Streaming {
            let (kind, asked) = (ListKind::Streaming, known.clone());
            self.phase = Phase::Listing(Listing { kind, asked, ..list });
            return Step::StreamingList(self.watch_query(known, true));
        }
        let version = (!quorum).then(|| known.unwrap_or(ResourceVersion::ANY));
        self.phase = Phase::Listing(Listing { asked: version.clone(), ..list });
        let limit = self.limit(version.as_ref());
        let query = ListQuery { version, limit, shard, ..ListQuery::default() };
        Step::List { query, fresh: true }
    }

    /// Lists the objects that came into the shard, with a quorum read.
    pub(super) fn list_arrivals(&mut self, arriving: ShardSelector) -> Step {
        let shard = Some(arriving);
        self.lists.spares_watch = true;
        self.phase = Phase::Listing(Listing::new(ListKind::Arrivals, shard.clone()));
        let query = ListQuery { limit: self.limit(None), shard, ..ListQuery::default() };
        Step::List { query, fresh: true }
    }

    /// Returns the page size. Lists that may read from etcd are paged. Lists at a version are
    /// served by a cache, which pages would bypass.
    fn limit(&self, version: Option<&ResourceVersion>) -> Option<u32> {
        let cached = version.is_some_and(|version| *version != ResourceVersion::ANY);
        self.rules.page_size.or((!cached || self.lists.paginated_at_zero).then_some(PAGE))
    }

    /// Requests the next page: at once, or once the rate limit allows it.
    pub(super) fn next_page(
        &mut self,
        mut listing: Listing,
        token: String,
        at_once: bool,
        now: Instant,
    ) -> Step {
        if let ListKind::Plain { paged, .. } = &mut listing.kind {
            *paged = true;
        }
        let limit = self.limit(listing.asked.as_ref());
        let (shard, continue_token) = (listing.shard.clone(), Some(token));
        let query = ListQuery { limit, continue_token, shard, ..ListQuery::default() };
        if at_once {
            self.phase = Phase::Listing(listing);
            return Step::List { query, fresh: false };
        }
        self.send(Request { listing, query, fresh: false }, now)
    }

    /// Hands on the list, which has this version.
    pub(super) fn hand_on_list(
        &mut self,
        listing: Listing,
        version: ResourceVersion,
        now: Instant,
    ) -> Step {
        match listing.kind {
            ListKind::Arrivals => {
                let goes_on = self.newest().is_some_and(|known| version.is_at_least(known));
                if !goes_on || listing.lost_history {
                    // History was lost, or versions do not compare.
                    self.lists.spares_watch = false;
                    return self.list(now);
                }
                self.phase = Phase::Listing(listing);
                return Step::Arrive { version };
            }
            ListKind::Plain { paged: true, .. } if listing.asked == Some(ResourceVersion::ANY) => {
                self.lists.paginated_at_zero = true;
            }
            _ => {}
        }
        self.replace(listing, version, now)
    }

    pub(super) fn replace(
        &mut self,
        listing: Listing,
        version: ResourceVersion,
        now: Instant,
    ) -> Step {
        let lost_history = listing.lost_history;
        if lost_history && listing.asked.is_some() {
            // The source may have skipped other states with the versions of known ones.
            return self.list_from_quorum(false, now);
        }
        self.phase = Phase::Listing(Listing { version: Some(version.clone()), ..listing });
        let restored = lost_history || self.is_restored(&version);
        Step::Replace { version, restored }
    }

    /// Watches after the sink has got a list.
    pub(super) fn watch_after_list(&mut self, listing: Listing, news: bool, now: Instant) -> Step {
        let proves = listing.version.as_ref().is_some_and(|at| self.is_proof(&listing, at));
        let Listing { kind, asked, version, complete, shard, .. } = listing;
        self.delays.healthy(now);
        if kind == ListKind::Arrivals {
            let newer = version.filter(|version| {
                self.version.as_ref().is_some_and(|known| known.is_older_than(version))
            });
            if let Some((shard, version)) = shard.zip(newer) {
                self.shard.note_lead(shard, version);
            }
            (self.lists.spares_watch, self.lists.not_before) = (false, None);
            if !complete {
                self.schedule_relist(now);
            }
            return self.watch(now);
        }
        self.shard.note_relist();
        let reached =
            |named: &ResourceVersion| version.as_ref().is_some_and(|at| at.is_at_least(named));
        // A quorum read is the truth, even if it is older.
        self.named.take_if(|named| asked.is_none() || reached(named));
        self.version = version;
        let cached = asked.map(|asked| match proves {
            _ if asked == ResourceVersion::ANY => CachedList::Any,
            true => CachedList::Newer,
            false => CachedList::NoNews,
        });
        let ListPolicy { paginated_at_zero, gone, .. } = self.lists;
        self.lists = ListPolicy { paginated_at_zero, cached, gone, ..ListPolicy::default() };
        let in_one_piece = matches!(kind, ListKind::Plain { in_one_piece: true, .. });
        self.forms.succeeded(kind.form(), in_one_piece, now);
        self.watches.note_relist(news, now);
        self.schedule.note_relist(now);
        if !complete {
            self.schedule_relist(now);
        }
        // The stream follows the shard that was listed.
        if kind == ListKind::Streaming && shard.as_ref() == self.shard.followed() {
            self.phase = Phase::Watching { progressed: false };
            return Step::Follow { at_most: self.schedule.left(now) };
        }
        self.watch(now)
    }

    pub(super) fn handle_failed_list(
        &mut self,
        listing: Listing,
        failure: RequestFailure,
        now: Instant,
    ) -> Step {
        if listing.kind == ListKind::Arrivals {
            return self.handle_failed_arrivals(failure, now);
        }
        let form = listing.kind.form();
        let unusable = matches!(failure.class, FaultClass::Expired | FaultClass::Invalid);
        match failure.class {
            _ if (unusable || failure.no_version)
                && listing.kind == (ListKind::Plain { paged: true, in_one_piece: false }) =>
            {
                // The snapshot of the pages was compacted away, the server does not know its token,
                // or a page has no version: list again, in one piece. A server may page that, too.
                if failure.class == FaultClass::Expired {
                    self.forms.failed(form, FormFailure::PageExpired, now);
                    if self.forms.choose(now) == ListForm::Streaming {
                        return self.list(now);
                    }
                }
                let (version, shard) = (listing.asked.clone(), listing.shard.clone());
                let query = ListQuery { version, shard, ..ListQuery::default() };
                let kind = ListKind::Plain { paged: false, in_one_piece: true };
                let listing = Listing { kind, version: None, complete: true, ..listing };
                self.send(Request { listing, query, fresh: true }, now)
            }
            FaultClass::Expired | FaultClass::VersionTooLarge => {
                self.lists.quorum = true;
                let cause = match failure.class {
                    FaultClass::Expired => RelistCause::Expired,
                    _ => RelistCause::VersionTooLarge,
                };
                if listing.repeated {
                    self.forms.failed(form, FormFailure::Other, now);
                    self.relist_after(cause, now, failure.retry_after)
                } else {
                    self.relists.count(cause);
                    self.list(now)
                }
            }
            FaultClass::Refused => {
                self.forms.failed(form, FormFailure::Unreachable, now);
                self.list_again(failure, now)
            }
            FaultClass::Throttled => {
                self.forms.failed(form, FormFailure::Throttled, now);
                self.list_again(failure, now)
            }
            FaultClass::Invalid
                if listing.asked.as_ref().is_some_and(|asked| *asked != ResourceVersion::ANY) =>
            {
                // The server may refuse the version, which another server gave.
                self.lists.quorum = true;
                self.list(now)
            }
            class if form == ListForm::Streaming => {
                let unsupported = class == FaultClass::Invalid || failure.no_end_of_initial_events;
                let shown = if unsupported { FormFailure::Unsupported } else { FormFailure::Other };
                self.forms.failed(form, shown, now);
                // A plain list may work.
                self.list(now)
            }
            class => {
                if matches!(class, FaultClass::Internal | FaultClass::Invalid | FaultClass::Other) {
                    self.forms.failed(form, FormFailure::Other, now);
                }
                self.list_again(failure, now)
            }
        }
    }

    /// Returns whether the watch goes on after the failure of this list.
    pub(super) fn spares_watch(&mut self) -> bool {
        let spares = std::mem::take(&mut self.lists.spares_watch);
        spares && self.version.is_some() && !self.shard.is_empty() && !self.shard.is_unlisted()
    }

    /// Watches after the failure of a list that the watch does not need. The next one waits, so
    /// that the watch has its turn first, whatever the rate limit is.
    pub(super) fn watch_meanwhile(&mut self, delay: Duration, now: Instant) -> Step {
        self.lists.not_before = Some(after(now, delay.max(2 * INTERVAL)));
        // A list for another reason may come from a cache again, unless caches lag behind.
        self.lists.quorum = self.lists.stale;
        self.watch(now)
    }

    /// Lists again after a list that was older than the known version. If it had `begun`, a page
    /// was older than the first one.
    pub(super) fn relist_stale(&mut self, begun: bool, now: Instant) -> Step {
        // Another replica may be newer. Use a quorum read the second time, and at once after an old
        // page, which a quorum should have answered.
        self.lists.quorum |= std::mem::replace(&mut self.lists.stale, true) || begun;
        self.relist_after(RelistCause::StaleList, now, None)
    }

    /// Handles a failed list of arrivals. A list of the whole shard shows them, too.
    fn handle_failed_arrivals(&mut self, failure: RequestFailure, now: Instant) -> Step {
        match failure.class {
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
}
