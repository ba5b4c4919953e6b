//! Follows one watch to its end, and reads the initial events of a streaming list.

use std::pin::pin;
use std::time::Duration;

use futures::{FutureExt, StreamExt};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::demand::Demanded;
use super::guarded::Guarded;
use super::machine::Machine;
use super::probe::{Probe, Probed};
use super::step::{End, StepOutcome};
use super::{ChangeSink, ReflectorDriver, ReflectorOptions, shard_changed};
use crate::error::{Fault, SourceError, Verb};
use crate::lister_watcher::{SourceObject, Undecodable, WatchItem, WatchQuery, WatchStream};
use crate::object::{Cached, Change, ObjectKey, ResourceVersion};
use crate::panic::{catch, drop_safely};
use crate::time::after;
use crate::yield_budget::{TURN, YieldBudget};

/// The age below which a watch without an event counts as refused when it ends.
const SHORT_WATCH: Duration = Duration::from_secs(1);

/// The time for which events outside of the shard are collected before the sink learns the version.
const OUTSIDE_PERIOD: Duration = Duration::from_secs(1);

/// The time after the opening of a watch in which a doubt about the server's history is settled. A
/// lost server breaks the watches of many clients at once, so their questions are spread.
const HISTORY_PERIOD: Duration = Duration::from_secs(30);

/// The limit of the whole time of the initial events, as a multiple of their idle timeout. It holds
/// for any number of objects.
const MAX_IDLE_TIMEOUTS: u32 = 10;

/// The meaning of a watch item.
enum Observed {
    Change {
        change: Change,
        version: Option<ResourceVersion>,
    },
    Bookmark {
        version: ResourceVersion,
        initial_events_end: bool,
    },
    /// An event of an object that was never in the shard.
    Outside(Option<ResourceVersion>),
    /// An event of an object whose key cannot be read.
    Nameless,
    /// An item that cannot be used.
    Nothing,
    Failed(SourceError),
}

/// The effect of an item of a watch.
enum Effect {
    /// The collection has this version, if the item states one.
    Version(Option<ResourceVersion>),
    /// A relist is due at this time.
    RelistDue(Instant),
    Nothing,
    End(End),
}

impl Observed {
    /// Returns the version of the collection that the item states.
    fn version(&self) -> Option<&ResourceVersion> {
        match self {
            Self::Change { version, .. } | Self::Outside(version) => version.as_ref(),
            Self::Bookmark { version, .. } => Some(version),
            Self::Nameless | Self::Nothing | Self::Failed(_) => None,
        }
    }
}

impl ReflectorDriver {
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
        self.heartbeat.begin();
        let mut budget = YieldBudget::new();
        let latest = after(begun, idle_timeout.saturating_mul(MAX_IDLE_TIMEOUTS));
        let (mut until, mut keys) = (latest.min(after(begun, idle_timeout)), 0);
        loop {
            budget.spend(1).await;
            let item = match timeout_at(until, stream.next()).await {
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
                    Change::Unreadable { key, .. } => self.accumulator.unreadable(Some(key)),
                    Change::Bookmark(_)
                    | Change::Replace(_)
                    | Change::Arrived(_)
                    | Change::Narrowed(_) => {}
                },
                Observed::Bookmark { version, initial_events_end: true } => {
                    self.heartbeat.bookmark(Instant::now());
                    if let Some(known) = machine.newer_known(&version) {
                        let fault = Fault::StaleList { listed: version, known: known.clone() };
                        self.report(&self.error(Verb::Watch, fault));
                        return Ok(StepOutcome::StaleList);
                    }
                    self.stream = Some((stream, query));
                    let lost_history = self.accumulator.shows_lost_history(&version);
                    let complete = self.accumulator.is_complete();
                    return Ok(StepOutcome::Streamed { version, complete, lost_history });
                }
                Observed::Nameless => self.accumulator.unreadable(None),
                Observed::Bookmark { .. } | Observed::Outside(_) | Observed::Nothing => {}
                Observed::Failed(error) => return Err(error),
            }
            self.status.loaded(self.accumulator.len(), None);
            // Only new keys are progress. A server that does not know initial events sends live
            // events.
            let now = Instant::now();
            if self.accumulator.keys() > keys {
                keys = self.accumulator.keys();
                until = latest.min(after(now, idle_timeout));
            } else if now >= until {
                return Err(timed_out(self));
            }
        }
    }

    /// Passes on the events of a watch until it ends.
    #[expect(clippy::too_many_lines, reason = "the branches of one loop share its state")]
    pub(super) async fn follow(
        &mut self,
        mut stream: Guarded<WatchStream>,
        query: &WatchQuery,
        at_most: Option<Duration>,
        machine: &mut Machine,
        sink: &impl ChangeSink,
    ) -> StepOutcome {
        let opened = Instant::now();
        let overdue = after(opened, query.timeout.saturating_add(self.options.watch_grace_period));
        let mut due = at_most.map(|at_most| after(opened, at_most));
        let (mut last, mut events) = (opened, 0);
        let mut shard = self.options.shard.clone();
        // The time at which the sink learns the version of events outside of the shard.
        let mut untold: Option<Instant> = None;
        self.heartbeat.begin();
        let mut probe = self.probe(opened);
        if self.doubts_history {
            probe.doubt_history(after(opened, machine.spread(HISTORY_PERIOD)));
        }
        let mut budget = YieldBudget::new();
        let end = loop {
            budget.spend(1).await;
            // The branches below never run while the stream always has another item.
            if shard.as_ref().is_some_and(|shard| shard.has_changed().unwrap_or(false)) {
                break End::ShardChanged;
            }
            if due.is_some_and(|due| due <= last) {
                break End::Due;
            }
            if !self.prove_if_reached(machine) {
                break End::Unproven;
            }
            if self.proving.is_wanted()
                && let Some(demanded) = self.proving.next().now_or_never()
            {
                if !self.handle_demand(demanded, machine) {
                    break End::Unproven;
                }
                continue;
            }
            if let (Some(at), Some(version)) = (untold, machine.version())
                && at <= last
            {
                sink.emit(Change::Bookmark(version.clone())).await;
                untold = None;
            }
            let idle = self.heartbeat.idle_timeout().map(|idle| after(last, idle));
            let silent = idle.map_or(overdue, |idle| idle.min(overdue));
            let until = due.into_iter().chain(untold).fold(silent, Ord::min);
            let item = tokio::select! {
                biased;
                item = stream.next() => item,
                probed = probe.next() => match self.handle_probe(&mut probe, probed, machine) {
                    Some(end) => break end,
                    None => continue,
                },
                demanded = self.proving.next() => {
                    if !self.handle_demand(demanded, machine) {
                        break End::Unproven;
                    }
                    continue;
                }
                true = shard_changed(shard.as_mut()) => break End::ShardChanged,
                () = sleep_until(until) => {
                    if untold.is_some_and(|untold| untold <= until) {
                        last = Instant::now();
                        continue;
                    }
                    if due.is_some_and(|due| due <= silent) {
                        break End::Due;
                    }
                    self.heartbeat.fell_silent();
                    self.report(&self.error(Verb::Watch, Fault::Silent(last.elapsed())));
                    break End::Silent;
                }
            };
            let now = Instant::now();
            let item = match item {
                Some(Ok(item)) => item,
                Some(Err(error)) => {
                    self.report(&error);
                    break End::Broken;
                }
                None => break self.ended(opened.elapsed(), events, query.initial_events),
            };
            events += 1;
            last = now;
            self.status.heard(now);
            let observed = self.observe(item);
            if matches!(observed, Observed::Bookmark { .. }) {
                // Servers send one a minute. A source may send them without end: each gives way, so
                // that timers on the same thread are on time.
                budget.spend(TURN).await;
            }
            if let Some(stated) = observed.version()
                && let Some(known) = machine.version()
                && stated.is_older_than(known)
            {
                if matches!(observed, Observed::Bookmark { .. }) {
                    probe.doubt_history(now);
                }
                if let Some(at) = self.handle_old_item(observed, machine, sink, now).await {
                    due = Some(at);
                }
                continue;
            }
            let version = match self.hand_on(observed, &mut untold, machine, sink, now).await {
                Effect::Version(version) => version,
                Effect::RelistDue(at) => {
                    due = Some(at);
                    continue;
                }
                Effect::Nothing => continue,
                Effect::End(end) => break end,
            };
            machine.note_version(version, now);
            self.status.at(machine.version());
            if due.is_none() {
                self.proved(machine, now);
                probe.proved(now);
            }
            // Count silence from the end of the emit, because a full sink may have delayed the next
            // read.
            last = Instant::now();
        };
        self.doubts_history = probe.doubts_history() || end.is_outage();
        StepOutcome::WatchEnded { end, lasted: opened.elapsed() }
    }

    /// Hands an item on. `untold` is the time at which the sink learns the version of events that
    /// it does not get.
    async fn hand_on(
        &mut self,
        observed: Observed,
        untold: &mut Option<Instant>,
        machine: &mut Machine,
        sink: &impl ChangeSink,
        now: Instant,
    ) -> Effect {
        match observed {
            Observed::Change { change, version } => {
                if let Some(change) = of_older_part(machine, change) {
                    sink.emit(change).await;
                    *untold = None;
                } else {
                    untold.get_or_insert_with(|| after(now, OUTSIDE_PERIOD));
                }
                Effect::Version(version)
            }
            Observed::Outside(version) => {
                untold.get_or_insert_with(|| after(now, OUTSIDE_PERIOD));
                Effect::Version(version)
            }
            Observed::Bookmark { version, .. } => {
                self.heartbeat.bookmark(now);
                sink.emit(Change::Bookmark(version.clone())).await;
                *untold = None;
                Effect::Version(Some(version))
            }
            // The change is unknown until everything is listed again.
            Observed::Nameless => Effect::RelistDue(machine.schedule_relist(now)),
            Observed::Nothing => Effect::Nothing,
            Observed::Failed(error) => {
                self.report(&error);
                Effect::End(End::Failed((&error).into()))
            }
        }
    }

    /// Returns the kind of end of a watch that ended cleanly, and reports one that was too short.
    fn ended(&mut self, lasted: Duration, events: u64, follows_list: bool) -> End {
        if lasted >= SHORT_WATCH {
            return End::Ordinary;
        }
        self.status.watch_was_short();
        if events == 0 && !follows_list {
            self.report(&self.error(Verb::Watch, Fault::ShortWatch));
            return End::AtOnce;
        }
        self.report(&self.error(Verb::Watch, Fault::EndedEarly { events }));
        End::Ordinary
    }

    /// Handles an item that is older than the known version: a repetition, or an item that came too
    /// late. Returns the time at which a relist is due, if only a relist can tell which.
    ///
    /// An old bookmark only raises doubts about the server's history. For an object, its known
    /// state decides. A state older than the
    /// known one is ignored. The deletion of the known object is passed on, because some servers
    /// send a deleted object with its last version.
    async fn handle_old_item(
        &mut self,
        observed: Observed,
        machine: &mut Machine,
        sink: &impl ChangeSink,
        now: Instant,
    ) -> Option<Instant> {
        let Observed::Change { change, version: Some(event) } = observed else { return None };
        if matches!(change, Change::MovedAway { .. }) {
            return None;
        }
        if let Some(known) = machine.version().cloned() {
            let event = event.clone();
            self.report(&self.error(Verb::Watch, Fault::OutOfOrder { event, known }));
        }
        if let Change::Deleted { key, object: Some(object), .. } = &change
            && let Some(known) = self.options.known.as_ref().and_then(|known| known.get(key))
        {
            let is_older = known.version().is_some_and(|known| event.is_older_than(&known));
            if is_older {
                return None;
            }
            if !object.is_different_object(&known) {
                sink.emit(change).await;
                return None;
            }
        }
        Some(machine.schedule_relist(now))
    }

    fn probe(&self, opened: Instant) -> Probe {
        let ReflectorOptions { freshness_limit, list_idle_timeout, .. } = &self.options;
        let proved = self.proved.unwrap_or(opened);
        Probe::new(self.source.clone(), *freshness_limit, *list_idle_timeout, proved)
    }

    /// Handles the next event of a probe. Returns the reason to end the watch, if there is one.
    fn handle_probe(
        &mut self,
        probe: &mut Probe,
        probed: Probed,
        machine: &mut Machine,
    ) -> Option<End> {
        let now = Instant::now();
        match probed {
            Probed::Due if machine.admits(now) => {
                self.status.probes();
                probe.ask(now, machine.version().cloned());
            }
            Probed::Due => probe.put_off(now),
            Probed::Answered { version, begun, known } => {
                self.status.heard(now);
                if known.is_some_and(|known| version.is_older_than(&known)) {
                    // A quorum was behind the version that the watch had reached, so history was
                    // lost. Events of the watch have been proofs since then.
                    return Some(End::Unproven);
                }
                probe.trust_history();
                // The watch may have gone on since the request.
                if machine.version()?.is_at_least(&version) {
                    self.proved(machine, begun);
                    probe.proved(begun);
                } else {
                    probe.await_watch(begun);
                }
            }
            Probed::Failed(error) => {
                self.report(&error);
                probe.put_off(now);
            }
            Probed::WatchBehind => return Some(End::Unproven),
        }
        None
    }

    /// Waits for a future while no watch is open, and meets demands for a proof meanwhile. Returns
    /// `None` if only a list can prove that the changes handed on are current.
    pub(super) async fn prove_beside<T>(
        &mut self,
        future: impl Future<Output = T>,
        machine: &mut Machine,
    ) -> Option<T> {
        let mut future = pin!(future);
        loop {
            let demanded = tokio::select! {
                biased;
                output = &mut future => return Some(output),
                demanded = self.proving.next() => demanded,
            };
            if !self.handle_demand(demanded, machine) || !self.prove_if_reached(machine) {
                return None;
            }
        }
    }

    /// Meets a demand if the changes handed on have reached the version that it awaits. Returns
    /// false if one of them is unknown until everything is listed again.
    fn prove_if_reached(&mut self, machine: &Machine) -> bool {
        let reached = self.proving.has_reached(machine.version());
        if reached && !machine.lacks_changes() {
            self.proving.prove();
        }
        !reached || !machine.lacks_changes()
    }

    /// Handles the next event of a demand. Returns false if only a list can prove that the changes
    /// handed on are current.
    fn handle_demand(&mut self, demanded: Demanded, machine: &mut Machine) -> bool {
        match demanded {
            Demanded::Due if machine.admits(Instant::now()) => {
                self.status.probes();
                self.proving.ask(machine.version());
            }
            Demanded::Due => self.proving.put_off(),
            Demanded::Answered => self.status.heard(Instant::now()),
            Demanded::Failed(error) => self.report(&error),
            Demanded::Unproven => return false,
        }
        true
    }

    /// Notes a proof that the collection had its current version at this moment.
    pub(super) fn proved(&mut self, machine: &Machine, at: Instant) {
        self.proved = self.proved.max(Some(at));
        self.status.proved(machine.version(), at);
    }

    fn observe(&mut self, item: WatchItem) -> Observed {
        match item {
            WatchItem::Added(decoded) => self.observe_object(decoded, |key, object, version| {
                Change::Added { key, object, version }
            }),
            WatchItem::Modified(decoded) => self.observe_object(decoded, |key, object, version| {
                Change::Updated { key, object, version }
            }),
            WatchItem::Deleted(decoded) => {
                let version = version(&decoded);
                match self.accept(decoded, Verb::Watch) {
                    (Some(key), object) => Observed::Change {
                        change: Change::Deleted { key, object, version: version.clone() },
                        version,
                    },
                    (None, _) => Observed::Nameless,
                }
            }
            WatchItem::Bookmark { version, initial_events_end } => {
                Observed::Bookmark { version, initial_events_end }
            }
            WatchItem::Skipped(error) => {
                self.report(&error);
                Observed::Nothing
            }
            WatchItem::Outside { key: None, version } => Observed::Outside(version),
            WatchItem::Outside { key: Some(key), version } => Observed::Change {
                change: Change::MovedAway { key, version: version.clone() },
                version,
            },
            WatchItem::Failed(error) => Observed::Failed(error),
        }
    }

    fn observe_object(
        &mut self,
        object: Result<SourceObject, Undecodable>,
        change: fn(ObjectKey, Cached, Option<ResourceVersion>) -> Change,
    ) -> Observed {
        let version = version(&object);
        match self.accept(object, Verb::Watch) {
            (Some(key), Some(object)) => {
                Observed::Change { change: change(key, object, version.clone()), version }
            }
            (Some(key), None) => Observed::Change {
                change: Change::Unreadable { key, version: version.clone() },
                version,
            },
            (None, _) => Observed::Nameless,
        }
    }
}

/// Returns what a change from the watch means for the part of the shard that was there before the
/// last arrivals, if anything. While a list of arrivals is newer than the watch, it tells more of
/// the objects in its part. An object that comes into that part has left the older one.
fn of_older_part(machine: &Machine, change: Change) -> Option<Change> {
    match change {
        Change::Added { key, object, version: Some(version) }
        | Change::Updated { key, object, version: Some(version) }
            if machine.shard().was_listed(&version, |key| object.place(key)) =>
        {
            drop_safely(object);
            let moves = machine.shard().moves();
            moves.then_some(Change::MovedAway { key, version: Some(version) })
        }
        change => Some(change),
    }
}

/// Returns an object's version. Call it before the transform, which might take it away.
fn version(object: &Result<SourceObject, Undecodable>) -> Option<ResourceVersion> {
    match object {
        // The metadata's getter is user code.
        Ok(object) => catch(|| object.version()).ok().flatten(),
        Err(undecodable) => undecodable.version.clone(),
    }
}
