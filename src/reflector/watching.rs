//! Follows one watch to its end, and the initial events of a streaming list.

use std::time::Duration;

use futures::StreamExt;
use kube::Resource;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::guarded::Guarded;
use super::machine::Machine;
use super::probe::{Probe, Probed};
use super::step::{End, Outcome};
use super::{ChangeSink, ReflectorDriver, ReflectorOptions};
use crate::error::{Fault, SourceError, Verb};
use crate::lister_watcher::{SourceObject, Undecodable, WatchItem, WatchQuery, WatchStream};
use crate::object::{Cached, Change, ObjectKey, ResourceVersion};
use crate::time::after;
use crate::yield_budget::YieldBudget;

/// A watch that ends sooner than this, with no event, was refused in all but name.
const SHORT_WATCH: Duration = Duration::from_secs(1);

/// Bookmarks nearer to each other than this say nothing of how often they come: servers send one a
/// minute, and another when a watch is about to end.
const SHORTEST_GAP: Duration = Duration::from_secs(60);

/// The initial events of a streaming list may take this many times the patience in all, however
/// many objects they bring.
const MOST_PATIENCE: u32 = 10;

/// How often this collection's server shows that a quiet watch is alive.
#[derive(Debug, Default)]
pub(super) struct Heartbeat {
    /// The longest time between two bookmarks of one watch, once there were two.
    longest_gap: Option<Duration>,
    last_bookmark: Option<Instant>,
    /// How many watches in a row fell silent: perhaps bookmarks come more seldom than was seen.
    doubts: u32,
}

impl Heartbeat {
    fn begin(&mut self) {
        self.last_bookmark = None;
    }

    fn bookmark(&mut self, now: Instant) {
        if let Some(last) = self.last_bookmark.replace(now) {
            let gap = now.duration_since(last).max(SHORTEST_GAP);
            self.longest_gap = self.longest_gap.max(Some(gap));
            self.doubts = 0;
        }
    }

    fn fell_silent(&mut self) {
        self.doubts += 1;
    }

    /// How long a watch may be silent: three times as long as it ever was between bookmarks, and
    /// twice that after each that was. The first two may have come close together by chance (a
    /// server takes its leave with one), and a watch given up sooner than they come would never
    /// see another two.
    fn patience(&self) -> Option<Duration> {
        self.longest_gap.map(|gap| gap.saturating_mul(3 << self.doubts.min(8)))
    }
}

/// What a watch event says, once decoded.
enum Seen<K> {
    Change {
        change: Change<K>,
        version: Option<ResourceVersion>,
    },
    Bookmark {
        version: ResourceVersion,
        initial_events_end: bool,
    },
    /// Something happened, and can't be told to which object.
    Nameless,
    /// Nothing that can be used.
    Nothing,
    Failed(SourceError),
}

impl<K> Seen<K> {
    /// The version of the collection that it tells of.
    fn version(&self) -> Option<&ResourceVersion> {
        match self {
            Self::Change { version, .. } => version.as_ref(),
            Self::Bookmark { version, .. } => Some(version),
            Self::Nameless | Self::Nothing | Self::Failed(_) => None,
        }
    }
}

impl<K: Resource + Send + Sync + 'static> ReflectorDriver<K> {
    /// Opens a streaming list and takes its initial events into the accumulator.
    pub(super) async fn stream(
        &mut self,
        query: WatchQuery,
        machine: &Machine,
    ) -> Result<Outcome, SourceError> {
        let patience = self.options.initial_events_idle_timeout;
        let begun = Instant::now();
        let never = |this: &Self| {
            let waited = patience.max(begun.elapsed());
            this.error(Verb::Watch, Fault::NoInitialEventsEnd(waited))
        };
        let opening = self.opening(&query, &self.hints(machine));
        let opened = timeout(patience, opening).await;
        let mut stream = self.guarded(opened.map_err(|_| never(self))??);
        self.heartbeat.begin();
        let mut budget = YieldBudget::new();
        let latest = after(begun, patience.saturating_mul(MOST_PATIENCE));
        let (mut until, mut keys) = (latest.min(after(begun, patience)), 0);
        loop {
            budget.spend(1).await;
            let item = match timeout_at(until, stream.next()).await {
                Ok(Some(item)) => item?,
                Ok(None) => {
                    let within = "the initial events";
                    return Err(self.error(Verb::Watch, Fault::Truncated { received: 0, within }));
                }
                Err(_) => return Err(never(self)),
            };
            match self.see(item) {
                Seen::Change { change, .. } => match change {
                    Change::Added { key, object, .. } | Change::Updated { key, object, .. } => {
                        let object = self.known_or(&key, object, machine, None);
                        self.accumulator.list(key, object);
                    }
                    Change::Deleted { key, .. } => self.accumulator.remove(&key),
                    Change::Unreadable { key, .. } => self.accumulator.unreadable(Some(key)),
                    Change::Bookmark(_) | Change::Replace(_) => {}
                },
                Seen::Bookmark { version, initial_events_end: true } => {
                    self.heartbeat.bookmark(Instant::now());
                    if let Some(known) = machine.falls_short(&version) {
                        let fault = Fault::StaleList { listed: version, known: known.clone() };
                        self.report(&self.error(Verb::Watch, fault));
                        return Ok(Outcome::StaleList);
                    }
                    self.stream = Some((stream, query));
                    return Ok(Outcome::Streamed { version, clean: self.accumulator.is_clean() });
                }
                Seen::Nameless => self.accumulator.unreadable(None),
                Seen::Bookmark { .. } | Seen::Nothing => {}
                Seen::Failed(error) => return Err(error),
            }
            self.status.loaded(self.accumulator.len(), None);
            // What comes is no progress: a server that knows no initial events sends live ones.
            let now = Instant::now();
            if self.accumulator.keys() > keys {
                keys = self.accumulator.keys();
                until = latest.min(after(now, patience));
            } else if now >= until {
                return Err(never(self));
            }
        }
    }

    /// Hands on what a watch brings until it ends.
    pub(super) async fn follow(
        &mut self,
        mut stream: Guarded<WatchStream<K>>,
        query: &WatchQuery,
        at_most: Option<Duration>,
        machine: &mut Machine,
        sink: &impl ChangeSink<K>,
    ) -> Outcome {
        let opened = Instant::now();
        let overdue = after(opened, query.timeout.saturating_add(self.options.watch_grace_period));
        let mut due = at_most.map(|at_most| after(opened, at_most));
        let (mut last, mut events) = (opened, 0);
        self.heartbeat.begin();
        let mut probe = self.probe(opened);
        let mut budget = YieldBudget::new();
        let end = loop {
            budget.spend(1).await;
            // The timer below has no turn while the stream always has another item.
            if due.is_some_and(|due| due <= last) {
                break End::Due;
            }
            let patience = self.heartbeat.patience();
            let silent = patience.map_or(overdue, |patience| overdue.min(after(last, patience)));
            let until = due.map_or(silent, |due| due.min(silent));
            let item = tokio::select! {
                biased;
                item = stream.next() => item,
                probed = probe.next() => match self.probed(&mut probe, probed, machine) {
                    Some(end) => break end,
                    None => continue,
                },
                () = sleep_until(until) => {
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
            let seen = self.see(item);
            if let Some(told) = seen.version()
                && let Some(known) = machine.version()
                && told.is_older_than(known)
            {
                if let Some(at) = self.came_late(seen, machine, sink, now).await {
                    due = Some(at);
                }
                continue;
            }
            let version = match seen {
                Seen::Change { change, version } => {
                    sink.emit(change).await;
                    version
                }
                Seen::Bookmark { version, .. } => {
                    self.heartbeat.bookmark(now);
                    sink.emit(Change::Bookmark(version.clone())).await;
                    Some(version)
                }
                Seen::Nameless => {
                    // What it changed is not known until everything is listed anew.
                    due = Some(machine.missed(now));
                    continue;
                }
                Seen::Nothing => continue,
                Seen::Failed(error) => {
                    self.report(&error);
                    break End::Failed((&error).into());
                }
            };
            machine.saw(version, now);
            self.status.at(machine.version());
            if due.is_none() {
                self.proved(machine, now);
                probe.proved(now);
            }
            // After a sink that had no room, the server still had its chance to be silent.
            last = Instant::now();
        };
        Outcome::WatchEnded { end, lasted: opened.elapsed() }
    }

    /// A watch ended in good order.
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

    /// Something is older than what is known of the collection: told again, or too late. Gives when
    /// everything is to be listed, if that is the only way to know what it is worth.
    ///
    /// A bookmark says nothing then. Of an object, what is known decides: an older state than the
    /// known one is no news, and a deletion of the very object that is known still stands, as servers
    /// tell it that give a deleted object its last version.
    async fn came_late(
        &mut self,
        seen: Seen<K>,
        machine: &mut Machine,
        sink: &impl ChangeSink<K>,
        now: Instant,
    ) -> Option<Instant> {
        let Seen::Change { change, version: Some(event) } = seen else { return None };
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
        Some(machine.missed(now))
    }

    fn probe(&self, opened: Instant) -> Probe<K> {
        let ReflectorOptions { freshness_limit, list_idle_timeout, .. } = &self.options;
        let proved = self.proved.unwrap_or(opened);
        Probe::new(self.source.clone(), *freshness_limit, *list_idle_timeout, proved)
    }

    /// Acts on what a probe came to; gives why the watch is to end, if it is.
    fn probed(
        &mut self,
        probe: &mut Probe<K>,
        probed: Probed,
        machine: &mut Machine,
    ) -> Option<End> {
        let now = Instant::now();
        match probed {
            Probed::Due if machine.admits(now) => probe.ask(now),
            Probed::Due => probe.put_off(now),
            Probed::Answered(version, begun) => {
                self.status.heard(now);
                let known = machine.version()?;
                if version == *known {
                    self.proved(machine, begun);
                    probe.proved(begun);
                } else if version.is_older_than(known) {
                    // A quorum is behind: history was lost. What the watch told has been proved since.
                    return Some(End::Unproven);
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

    /// The collection is known to have had its present version at this moment.
    pub(super) fn proved(&mut self, machine: &Machine, at: Instant) {
        self.proved = self.proved.max(Some(at));
        self.status.proved(machine.version(), at);
    }

    fn see(&mut self, item: WatchItem<K>) -> Seen<K> {
        match item {
            WatchItem::Added(decoded) => {
                self.present(decoded, |key, object, version| Change::Added { key, object, version })
            }
            WatchItem::Modified(decoded) => self
                .present(decoded, |key, object, version| Change::Updated { key, object, version }),
            WatchItem::Deleted(decoded) => {
                let version = version(&decoded);
                match self.take_in(decoded, Verb::Watch) {
                    (Some(key), object) => Seen::Change {
                        change: Change::Deleted { key, object, version: version.clone() },
                        version,
                    },
                    (None, _) => Seen::Nameless,
                }
            }
            WatchItem::Bookmark { version, initial_events_end } => {
                Seen::Bookmark { version, initial_events_end }
            }
            WatchItem::Skipped(error) => {
                self.report(&error);
                Seen::Nothing
            }
            WatchItem::Failed(error) => Seen::Failed(error),
        }
    }

    fn present(
        &mut self,
        object: Result<SourceObject<K>, Undecodable>,
        change: fn(ObjectKey, Cached<K>, Option<ResourceVersion>) -> Change<K>,
    ) -> Seen<K> {
        let version = version(&object);
        match self.take_in(object, Verb::Watch) {
            (Some(key), Some(object)) => {
                Seen::Change { change: change(key, object, version.clone()), version }
            }
            (Some(key), None) => Seen::Change {
                change: Change::Unreadable { key, version: version.clone() },
                version,
            },
            (None, _) => Seen::Nameless,
        }
    }
}

/// Returns an object's version. Call it before the transform, which might take it away.
fn version<K: Resource>(object: &Result<SourceObject<K>, Undecodable>) -> Option<ResourceVersion> {
    match object {
        Ok(object) => object.version(),
        Err(undecodable) => undecodable.version.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bookmarks_that_once_came_close_together_end_no_watch_for_ever() {
        let (second, begun) = (Duration::from_secs(1), Instant::now());
        let mut heartbeat = Heartbeat::default();
        heartbeat.begin();
        heartbeat.bookmark(begun);
        assert_eq!(heartbeat.patience(), None);
        heartbeat.bookmark(begun + second);
        assert_eq!(heartbeat.patience(), Some(3 * SHORTEST_GAP));
        // This server sends one every 400 seconds.
        let mut given_up = 0;
        while heartbeat.patience().is_some_and(|patience| patience < 2 * 400 * second) {
            heartbeat.fell_silent();
            given_up += 1;
            assert!(given_up < 4);
        }
        heartbeat.begin();
        heartbeat.bookmark(begun);
        heartbeat.bookmark(begun + 400 * second);
        assert_eq!(heartbeat.patience(), Some(3 * 400 * second));
        for _ in 0..100 {
            heartbeat.fell_silent();
        }
        assert!(heartbeat.patience() < Some(Duration::from_secs(10 * 24 * 3600)));
    }
}
