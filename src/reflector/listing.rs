//! The reading of a list's pages, or of a streaming list's initial events.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::StreamExt;
use tokio::time::{Instant, timeout, timeout_at};

use super::driver::ReflectorDriver;
use super::guarded::{self, Guarded};
use super::machine::Machine;
use super::observing::{Observed, filled};
use super::options::ReflectorOptions;
use super::pages::Pages;
use super::read_permit::ReadPermit;
use super::step::StepOutcome;
use crate::error::{Fault, FaultClass, SourceError, Verb};
use crate::lister_watcher::{
    ListHints, ListItem, ListMetadata, ListQuery, ListStream, SourceForm, SourceObject, WatchQuery,
};
use crate::object::{Cached, Change, KnownObjects, ObjectKey};
use crate::panic::drop_safely;
use crate::time::{ReadBarrier, after};
use crate::yield_budget::YieldBudget;

/// The time limit of all initial events, and of one item of a list, as a multiple of the idle
/// timeout. That of initial events holds for any number of objects.
const MAX_IDLE_TIMEOUTS: u32 = 10;

/// The number of bytes that a list without a new item must receive in its idle timeout. With fewer,
/// an object of the largest size could take months.
const SLOWEST: u64 = 8 * 1024;

/// The longest time for which a list that the server was too busy for keeps its permit, if the
/// server names none. Otherwise all lists of a factory would be refused at once, one after another.
const SHORT_BUSY: Duration = Duration::from_secs(1);

/// The bound of the time that the server names. Another resource may have another server, which is
/// not busy.
const LONG_BUSY: Duration = Duration::from_secs(5);

impl ReflectorDriver {
    pub(super) async fn begin_list(&mut self) {
        self.accumulator.discard().await;
        (self.stream, self.first_watch) = (None, None);
        self.pages = Pages::default();
        // A question that a short watch has left open.
        self.prover.forget();
        self.listed = Instant::now();
        self.list_begun = ReadBarrier::now();
        self.status.lists();
    }

    pub(super) async fn list_failed(
        &mut self,
        error: &SourceError,
        machine: &mut Machine,
    ) -> StepOutcome {
        self.accumulator.discard().await;
        if error.code() == Some(404) {
            self.await_news_of_kind().await;
        }
        self.report(error);
        machine.note_refusal(error);
        self.permit.busy_for = (error.class() == FaultClass::Throttled)
            .then(|| error.retry_after().map_or(SHORT_BUSY, |time| time.min(LONG_BUSY)));
        StepOutcome::ListFailed(error.into())
    }

    /// Lists one page into the accumulator.
    pub(super) async fn list(
        &mut self,
        query: &ListQuery,
        machine: &Machine,
    ) -> Result<StepOutcome, SourceError> {
        let idle_timeout = self.options.list_idle_timeout;
        let request = self.source.collection().request_name(Verb::List);
        let silent = |this: &Self, time| this.error(Verb::List, Fault::Silent(time));
        let received = Arc::new(AtomicU64::new(0));
        let hints = self.hints(machine).counting(received.clone());
        let opening = guarded::open(request.clone(), || self.source.list(query, &hints));
        let opened = timeout(idle_timeout, opening).await;
        let mut items = Guarded::new(opened.map_err(|_| silent(self, idle_timeout))??, request);
        let permits = self.options.read_permits.clone();
        let waits = Instant::now();
        let mut permit = ReadPermit::take(permits, &self.status).await;
        self.pages.waited(waits.elapsed());
        let mut metadata = ListMetadata::default();
        let mut outside = 0;
        let mut budget = YieldBudget::new();
        let malformed =
            |this: &Self, problem| this.error(Verb::List, Fault::Malformed { offset: 0, problem });
        while let Some(item) = permit
            .lend(next_item(&mut items, idle_timeout, &received, || {
                self.note_loaded(metadata.remaining);
            }))
            .await
            .map_err(|time| silent(self, time))?
        {
            budget.spend(1).await;
            let item = item?;
            let is_outside = matches!(item, ListItem::Outside(_));
            match item {
                ListItem::Object(Ok(SourceObject {
                    form: SourceForm::Unchanged(key, object),
                    ..
                })) => {
                    self.accumulator.list(key, object);
                }
                ListItem::Object(object) => {
                    let unreadable = object.as_ref().err().and_then(|error| error.version.clone());
                    let (key, object) = self.accept(object, Verb::List);
                    let elsewhere = key
                        .as_ref()
                        .and_then(|key| self.elsewhere(key, object.as_ref(), Verb::List));
                    if let Some(error) = elsewhere {
                        drop_safely(object);
                        return Err(error);
                    }
                    match (key, object) {
                        (Some(key), Some(object)) => {
                            let object = self.known_or(&key, object);
                            self.accumulator.list(key, object);
                        }
                        (key, _) => self.accumulator.unreadable(key, unreadable),
                    }
                }
                ListItem::Outside(key) => {
                    outside += 1;
                    self.left_out(key);
                }
                ListItem::Meta(meta) => {
                    metadata = meta;
                    let version = filled(metadata.version.clone());
                    self.list_version = version.or(self.list_version.take());
                }
            }
            let ends = self.pages.item(self.accumulator.keys(), is_outside);
            ends.map_err(|problem| malformed(self, problem))?;
            self.note_loaded(metadata.remaining);
        }
        let Some(version) = filled(metadata.version) else {
            return Err(self.error(Verb::List, Fault::NoVersion));
        };
        if let Some(known) = machine.outdates(&version) {
            let fault = Fault::StaleList { listed: version, known: known.clone() };
            self.report(&self.error(Verb::List, fault));
            return Ok(StepOutcome::StaleList);
        }
        let continue_token = metadata.continue_token.filter(|token| !token.is_empty());
        let at_once = match (&continue_token, metadata.remaining) {
            (Some(token), remaining) => {
                let turned = self.pages.turn(token, query.limit, self.accumulator.keys(), outside);
                let at_once = turned.map_err(|problem| malformed(self, problem))?;
                self.note_loaded(remaining);
                at_once
            }
            (None, None | Some(0)) => true,
            (None, Some(remaining)) => {
                return Err(self.error(Verb::List, Fault::MissingRest { remaining }));
            }
        };
        let complete = self.accumulator.is_complete();
        let lost_history = self.accumulator.shows_lost_history(&version);
        Ok(StepOutcome::Listed { version, continue_token, at_once, complete, lost_history })
    }

    /// Opens a streaming list and reads its initial events into the accumulator.
    pub(super) async fn stream(
        &mut self,
        query: WatchQuery,
        machine: &Machine,
    ) -> Result<StepOutcome, SourceError> {
        let idle_timeout = self.options.initial_events_idle_timeout;
        let begun = Instant::now();
        let timed_out = |this: &Self| {
            let waited = idle_timeout.max(begun.elapsed());
            this.error(Verb::Watch, Fault::NoInitialEventsEnd(waited))
        };
        let opening = self.opening(&query, &self.hints(machine));
        let opened = timeout(idle_timeout, opening).await;
        let mut stream = self.guarded(opened.map_err(|_| timed_out(self))??);
        let permits = self.options.read_permits.clone();
        let mut permit = ReadPermit::take(permits, &self.status).await;
        self.heartbeat.begin();
        let mut budget = YieldBudget::new();
        let latest = after(begun, idle_timeout.saturating_mul(MAX_IDLE_TIMEOUTS));
        let (mut until, mut keys) = (latest.min(after(begun, idle_timeout)), 0);
        loop {
            budget.spend(1).await;
            let item = match permit.lend(timeout_at(until, stream.next())).await {
                Ok(Some(item)) => item?,
                Ok(None) => {
                    let within = "the initial events";
                    return Err(self.error(Verb::Watch, Fault::Truncated { received: 0, within }));
                }
                Err(_) => return Err(timed_out(self)),
            };
            match self.observe(item) {
                Observed::Change { change, .. } => match change {
                    Change::Added { key, object, .. } | Change::Updated { key, object, .. } => {
                        let object = self.known_or(&key, object);
                        self.accumulator.list(key, object);
                    }
                    Change::Deleted { key, .. } => self.accumulator.remove(&key),
                    Change::MovedAway { key, .. } => {
                        self.accumulator.remove(&key);
                        self.left_out(Some(key));
                    }
                    Change::Unreadable { key, version } => {
                        self.accumulator.unreadable(Some(key), version);
                    }
                    Change::Bookmark(_)
                    | Change::Replace(_)
                    | Change::Arrived(_)
                    | Change::Narrowed(_) => {}
                },
                Observed::Bookmark { version, initial_events_end: true } => {
                    self.heartbeat.bookmark(Instant::now());
                    if let Some(known) = machine.outdates(&version) {
                        let fault = Fault::StaleList { listed: version, known: known.clone() };
                        self.report(&self.error(Verb::Watch, fault));
                        return Ok(StepOutcome::StaleList);
                    }
                    self.stream = Some((stream, query));
                    let lost_history = self.accumulator.shows_lost_history(&version);
                    let complete = self.accumulator.is_complete();
                    return Ok(StepOutcome::Streamed { version, complete, lost_history });
                }
                Observed::Nameless => self.accumulator.unreadable(None, None),
                Observed::Bookmark { .. } | Observed::Outside(_) | Observed::Nothing => {}
                Observed::Failed(error) => return Err(error),
            }
            let now = Instant::now();
            self.status.loaded(0, self.accumulator.len(), None, now);
            // Only new keys are progress. A server that does not know initial events sends live
            // events.
            if self.accumulator.keys() > keys {
                keys = self.accumulator.keys();
                until = latest.min(after(now, idle_timeout));
            } else if now >= until {
                return Err(timed_out(self));
            }
        }
    }

    /// Notes the progress of a list, of which the server states that this many objects are left
    /// after the current page. Warns of a list that its objects do not explain.
    fn note_loaded(&mut self, remaining: Option<u64>) {
        let (now, loaded) = (Instant::now(), self.accumulator.len());
        let total = self.pages.total(loaded, remaining);
        self.status.loaded(self.pages.count(), loaded, total, now);
        let age = now.duration_since(self.listed);
        if self.pages.is_unexplained(age) {
            let request = self.source.collection().request_name(Verb::List);
            tracing::warn!(
                %request,
                pages = self.pages.count(),
                objects = loaded,
                seconds = age.as_secs(),
                "a list goes on, and its objects do not explain why: the server sends few objects \
                 at a time, or more than it announced"
            );
        }
    }

    /// Notes an object outside of the shard. Only a stored one can have moved away.
    fn left_out(&mut self, key: Option<ObjectKey>) {
        let known = self.options.known.as_ref();
        if let Some(key) = key.filter(|key| known.is_some_and(|known| known.get(key).is_some())) {
            self.accumulator.moved_away(key);
        }
    }

    /// Returns the hints for a list.
    fn hints(&self, machine: &Machine) -> ListHints {
        match self.skippable(machine) {
            Some(known) => self.packing_hints().known(known),
            None => self.packing_hints(),
        }
    }

    /// Returns the hint that objects may come packed, unless a transform must change them first.
    pub(super) fn packing_hints(&self) -> ListHints {
        let ReflectorOptions { packer, transform, .. } = &self.options;
        match transform {
            None => ListHints::none().packer(packer.clone()),
            Some(_) => ListHints::none(),
        }
    }

    /// Returns the objects that the source may leave undecoded. `None` before anything is known,
    /// and for a quorum read: after a restored backup, other states may have the versions of the
    /// known objects.
    fn skippable(&self, machine: &Machine) -> Option<Arc<dyn KnownObjects>> {
        let known = machine.version().is_some() && !machine.is_quorum_read();
        self.options.known.clone().filter(|_| known)
    }

    /// Returns the known object if the listed one is in the same state. The fresh copy is freed
    /// now, and not with the whole list.
    fn known_or(&mut self, key: &ObjectKey, object: Cached) -> Cached {
        let known = self.options.known.as_ref().and_then(|known| known.get(key));
        match known {
            Some(known) if object.is_same_state(&known) => known,
            known => {
                self.accumulator.note_news();
                if let Some(known) = known
                    && object.uid().is_some_and(|uid| known.uid() == Some(uid))
                    && let (Some(listed), Some(known)) = (object.version(), known.version())
                    && listed.is_older_than(&known)
                {
                    self.accumulator.note_older(known);
                }
                object
            }
        }
    }
}

/// Returns the next item of a list. Bytes of a large object count, too, because it is an item only
/// when it is complete. `goes_on` is called when only bytes came for the idle timeout.
///
/// # Errors
/// The time for which the list was silent, or sent bytes that are no item.
async fn next_item(
    items: &mut Guarded<ListStream>,
    idle_timeout: Duration,
    received: &AtomicU64,
    mut goes_on: impl FnMut(),
) -> Result<Option<Result<ListItem, SourceError>>, Duration> {
    let mut timeouts = 0;
    loop {
        let before = received.load(Ordering::Relaxed);
        if let Ok(item) = timeout(idle_timeout, items.next()).await {
            return Ok(item);
        }
        timeouts += 1;
        let slow = received.load(Ordering::Relaxed) - before < SLOWEST;
        if slow || timeouts >= MAX_IDLE_TIMEOUTS {
            return Err(idle_timeout.saturating_mul(timeouts));
        }
        goes_on();
    }
}
