//! The loop that follows one watch to its end.

use std::time::Duration;

use futures::future::pending;
use futures::{FutureExt, StreamExt};
use tokio::time::{Instant, sleep_until};

use super::ChangeSink;
use super::driver::{ReflectorDriver, shard_changed};
use super::guarded::Guarded;
use super::machine::Machine;
use super::observing::Observed;
use super::proofs::ShortWatch;
use super::replay::{Additions, Replay};
use super::step::{End, StepOutcome};
use crate::error::{Fault, SourceError, Verb};
use crate::lister_watcher::{WatchQuery, WatchStream};
use crate::object::{Change, ResourceVersion};
use crate::panic::drop_safely;
use crate::time::after;
use crate::yield_budget::{TURN, YieldBudget};

/// The age below which a watch without an event counts as refused when it ends.
const REFUSED_WATCH: Duration = Duration::from_secs(1);

/// The time after the opening of a watch in which its events prove nothing. They may be those that
/// were missed, and more may follow. A bookmark follows all of them.
const CATCH_UP: Duration = Duration::from_secs(2);

/// The time for which events outside of the shard are collected before the sink learns the version.
const OUTSIDE_PERIOD: Duration = Duration::from_secs(1);

/// The effect of an item of a watch.
enum Effect {
    /// The collection has this version, if the item states one.
    Version(Option<ResourceVersion>),
    /// A relist is due at this time.
    RelistDue(Instant),
    Nothing,
    End(End),
}

impl ReflectorDriver {
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
        // Initial events are complete.
        let mut proves_from = if query.initial_events { opened } else { after(opened, CATCH_UP) };
        let mut shard = self.options.shard.clone();
        // The time at which the sink learns the version of events outside of the shard.
        let mut untold: Option<Instant> = None;
        let mut additions = Additions::of(query);
        // The short watch that takes this one's place when it is open, and whether one has.
        let (mut opening, mut short): (Option<ShortWatch>, _) = (None, false);
        let mut query = query.clone();
        self.heartbeat.begin();
        self.prove_watch(opened, machine);
        let mut budget = YieldBudget::new();
        let end = loop {
            if self.options.transform.is_some() {
                // The last event may have woken the processing loop. Tokio runs it next on this
                // thread, and no other thread can steal it: a call that blocks would hold it up.
                budget.give_way().await;
            } else {
                budget.spend(1).await;
            }
            // The branches below never run while the stream always has another item.
            if shard.as_ref().is_some_and(|shard| shard.has_changed().unwrap_or(false)) {
                break End::ShardChanged;
            }
            if due.is_some_and(|due| due <= last) {
                break End::Due;
            }
            if let Some(end) = self.prove_if_reached(machine) {
                break end;
            }
            if (self.prover.is_wanted() || self.permit.queued().is_some())
                && let Some(event) = self.next_proof_event().now_or_never()
            {
                match self.handle_prover_beside(event, &query, last, &mut opening, machine) {
                    Some(end) => break end,
                    None => continue,
                }
            }
            if let (Some(at), Some(version)) = (untold, machine.version())
                && at <= last
            {
                self.emit(Change::Bookmark(version.clone()), sink).await;
                untold = None;
            }
            let idle = self.heartbeat.idle_timeout().map(|idle| after(last, idle));
            let silent = idle.map_or(overdue, |idle| idle.min(overdue));
            let until = due.into_iter().chain(untold).fold(silent, Ord::min);
            let item = tokio::select! {
                biased;
                item = stream.next() => item,
                event = self.next_proof_event() => {
                    match self.handle_prover_beside(event, &query, last, &mut opening, machine) {
                        Some(end) => break end,
                        None => continue,
                    }
                }
                (from, answer) = short_watch(opening.as_mut()) => {
                    opening = None;
                    match answer {
                        Ok(next) => {
                            // It begins at the version that the other one has reached.
                            (stream, query, short) = (self.guarded(next), from, true);
                            additions = Additions::of(&query);
                            last = Instant::now();
                            proves_from = after(last, CATCH_UP);
                            self.heartbeat.begin();
                            self.status.watches(None);
                        }
                        Err(error) => {
                            self.report(&error);
                            self.prover.note_unopened_short_watch();
                        }
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
                    let brought = events > 0 || query.initial_events;
                    let damaged = brought && error.fault().shows_damage();
                    break if damaged { End::Damaged } else { End::Broken };
                }
                None => {
                    let lasted = opened.elapsed();
                    if lasted < REFUSED_WATCH {
                        self.await_news_of_kind().await;
                    }
                    break if short {
                        // The opening may take most of the time that it has.
                        End::Ordinary
                    } else {
                        self.ended(lasted, events, query.initial_events)
                    };
                }
            };
            events += 1;
            last = now;
            if opening.take().is_some() {
                // It would repeat this item.
                self.prover.cancel_short_watch();
            }
            self.status.heard(now);
            let observed = self.observe(item);
            let is_bookmark = matches!(observed, Observed::Bookmark { .. });
            if is_bookmark {
                // Servers send one a minute, but a source may send them without end. Yield, so that
                // timers on the same thread are on time.
                budget.spend(TURN).await;
            }
            let known = self.options.known.as_deref();
            let replay = additions.look(&observed, known, machine.shard());
            if replay == Replay::Shown {
                let from = query.version.clone().unwrap_or(ResourceVersion::ANY);
                let fault = Fault::Replayed { from };
                self.report(&self.error(Verb::Watch, fault));
                due.get_or_insert(machine.note_replay(now));
            }
            // A watch from "0" would begin at any state, so "0" is never new.
            if let Some(stated) = observed.version()
                && let Some(known) = machine.version()
                && (stated.is_older_than(known) || *stated == ResourceVersion::ANY)
            {
                if replay >= Replay::Shown {
                    continue;
                }
                if is_bookmark {
                    self.prover.doubt_history(Some(now));
                }
                let at = self.handle_old_item(observed, machine, sink, now).await;
                due = due.or(at);
                continue;
            }
            let version = match self.hand_on(observed, &mut untold, machine, sink, now).await {
                Effect::Version(version) => version,
                Effect::RelistDue(at) => {
                    due.get_or_insert(at);
                    continue;
                }
                Effect::Nothing => continue,
                Effect::End(end) => break end,
            };
            machine.note_version(version, now);
            self.status.at(machine.version());
            if short {
                self.prover.note_short_watch_version(machine.version());
            }
            let is_live = is_bookmark || now >= proves_from;
            if is_live && replay == Replay::No && machine.watch_proves() {
                self.proved(machine, now);
            }
            // Count silence from the end of the emit, because a full sink may have delayed the next
            // read.
            last = Instant::now();
            // Index functions and transforms may be slow.
            budget.charge_time(last - now);
        };
        if opening.is_some() && !end.spares_watch() {
            self.prover.cancel_short_watch();
        }
        if short && matches!(end, End::ShardChanged | End::Due) {
            self.prover.allow_short_watch();
        }
        if end.is_outage() {
            self.prover.doubt_history(None);
        }
        // The question that a short watch is to settle is open before, in and after it.
        if !short || !matches!(end, End::Ordinary) {
            self.prover.unwatch();
        }
        if !self.prover.is_wanted() {
            self.permit.leave_queue();
        }
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
                    self.emit(change, sink).await;
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
                self.emit(Change::Bookmark(version.clone()), sink).await;
                *untold = None;
                Effect::Version(Some(version))
            }
            // The change is unknown until everything is listed again.
            Observed::Nameless => Effect::RelistDue(machine.schedule_relist(now)),
            Observed::Nothing => Effect::Nothing,
            Observed::Failed(error) => {
                self.report(&error);
                machine.note_refusal(&error);
                Effect::End(End::Failed((&error).into()))
            }
        }
    }

    /// Returns the kind of end of a watch that ended cleanly, and reports one that was too short.
    fn ended(&mut self, lasted: Duration, events: u64, follows_list: bool) -> End {
        if lasted >= REFUSED_WATCH {
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
    /// An old bookmark only raises doubts about the server's history. The deletion of an older
    /// state than the known one is ignored. The deletion of the known state is passed on, because
    /// some servers send a deleted object with its last version. Any other change requires a
    /// relist.
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
                self.emit(change, sink).await;
                return None;
            }
        }
        Some(machine.schedule_relist(now))
    }
}

/// Waits until a short watch is open, or has failed to open. Cancel safe.
async fn short_watch(
    opening: Option<&mut ShortWatch>,
) -> (WatchQuery, Result<WatchStream, SourceError>) {
    match opening {
        Some(opening) => opening.await,
        None => pending().await,
    }
}

/// Returns the change that a change from the watch makes to the shard's part from before the last
/// arrivals, if any. While a list of arrivals is newer than the watch, the list counts for its
/// part. An object that enters that part has left the older one.
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
