//! Follows one watch to its end, and the initial events of a streaming list.

use std::time::Duration;

use futures::StreamExt;
use kube::Resource;
use tokio::time::{Instant, timeout, timeout_at};

use super::machine::{End, Machine, Outcome};
use super::{Asker, ChangeSink};
use crate::error::{Fault, SourceError, Verb};
use crate::lister_watcher::{Decoded, WatchItem, WatchQuery, WatchStream};
use crate::object::{Cached, Change, ObjectKey, ResourceVersion};
use crate::turns::Turns;

/// A watch that ends sooner than this, with no event, was refused in all but name.
const SHORT_WATCH: Duration = Duration::from_secs(1);

/// Bookmarks nearer to each other than this say nothing of how often they come: servers send one a
/// minute, and another when a watch is about to end.
const SHORTEST_GAP: Duration = Duration::from_secs(60);

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

impl<K: Resource + Send + Sync + 'static> Asker<K> {
    /// Opens a streaming list and takes its initial events into the population.
    pub(super) async fn stream(
        &mut self,
        query: WatchQuery,
        machine: &Machine,
    ) -> Result<Outcome, SourceError> {
        let patience = self.options.initial_events_patience;
        let never = self.error(Verb::Watch, Fault::NoInitialEventsEnd(patience));
        let opened = timeout(patience, self.source.watch_with(&query, self.wishes(machine))).await;
        let mut stream = opened.map_err(|_| never.clone())??;
        self.heartbeat.begin();
        let mut turns = Turns::new();
        loop {
            turns.spend(1).await;
            let item = match timeout(patience, stream.next()).await {
                Ok(Some(item)) => item?,
                Ok(None) => {
                    let within = "the initial events";
                    return Err(self.error(Verb::Watch, Fault::Truncated { received: 0, within }));
                }
                Err(_) => return Err(never),
            };
            match self.see(item) {
                Seen::Change { change, .. } => match change {
                    Change::Added { key, object, .. } | Change::Updated { key, object, .. } => {
                        let object = self.known_or(&key, object, machine, None);
                        self.population.list(key, object);
                    }
                    Change::Deleted { key, .. } => self.population.remove(&key),
                    Change::Unreadable { key, .. } => self.population.unreadable(Some(key)),
                    Change::Bookmark(_) | Change::Replace(_) => {}
                },
                Seen::Bookmark { version, initial_events_end: true } => {
                    self.heartbeat.bookmark(Instant::now());
                    if let Some(known) = machine.falls_short(&version) {
                        let fault = Fault::WentBack { listed: version, known: known.clone() };
                        self.report(&self.error(Verb::Watch, fault));
                        return Ok(Outcome::WentBack);
                    }
                    self.stream = Some((stream, query));
                    return Ok(Outcome::Streamed { version, clean: self.population.is_clean() });
                }
                Seen::Nameless => self.population.unreadable(None),
                Seen::Bookmark { .. } | Seen::Nothing => {}
                Seen::Failed(error) => return Err(error),
            }
            self.board.loaded(self.population.len(), None);
        }
    }

    /// Hands on what a watch brings until it ends.
    pub(super) async fn follow(
        &mut self,
        mut stream: WatchStream<K>,
        query: &WatchQuery,
        at_most: Option<Duration>,
        machine: &mut Machine,
        sink: &impl ChangeSink<K>,
    ) -> Outcome {
        let opened = Instant::now();
        let overdue = opened + query.timeout + self.options.watch_margin;
        let mut due = at_most.map(|at_most| opened + at_most);
        let mut last = opened;
        let mut any = query.initial_events;
        self.heartbeat.begin();
        let mut turns = Turns::new();
        let end = loop {
            turns.spend(1).await;
            let silent = self.heartbeat.patience().map_or(overdue, |p| overdue.min(last + p));
            let until = due.map_or(silent, |due| due.min(silent));
            let item = match timeout_at(until, stream.next()).await {
                Ok(Some(Ok(item))) => item,
                Ok(Some(Err(error))) => {
                    self.report(&error);
                    break End::Broken;
                }
                Ok(None) if !any && opened.elapsed() < SHORT_WATCH => {
                    self.report(&self.error(Verb::Watch, Fault::ShortWatch));
                    break End::AtOnce;
                }
                Ok(None) => break End::Ordinary,
                Err(_) if due.is_some_and(|due| due <= silent) => break End::Due,
                Err(_) => {
                    self.heartbeat.fell_silent();
                    self.report(&self.error(Verb::Watch, Fault::Silent(last.elapsed())));
                    break End::Silent;
                }
            };
            any = true;
            let now = Instant::now();
            let seen = self.see(item);
            if let Some(event) = seen.version()
                && let Some(known) = machine.version()
                && event.is_older_than(known)
            {
                // Told again, or too late: what it is worth now is for a list to say.
                let fault = Fault::OutOfOrder { event: event.clone(), known: known.clone() };
                self.report(&self.error(Verb::Watch, fault));
                due = Some(machine.missed(now));
                last = now;
                continue;
            }
            let seen = match seen {
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
                    None
                }
                Seen::Nothing => None,
                Seen::Failed(error) => {
                    self.report(&error);
                    break End::Failed((&error).into());
                }
            };
            machine.saw(seen, now);
            self.board.saw(machine.version(), now);
            // After a sink that had no room, the server still had its chance to be silent.
            last = Instant::now();
        };
        Outcome::WatchEnded(end)
    }

    fn see(&mut self, item: WatchItem<K>) -> Seen<K> {
        match item {
            WatchItem::Added(decoded) => {
                self.present(decoded, |key, object, version| Change::Added { key, object, version })
            }
            WatchItem::Modified(decoded) => self
                .present(decoded, |key, object, version| Change::Updated { key, object, version }),
            WatchItem::Deleted(decoded) => {
                let version = decoded_version(&decoded);
                match self.take_in(decoded, Verb::Watch) {
                    (Some(key), object) => Seen::Change {
                        change: Change::Deleted { key, object, version: version.clone() },
                        version,
                    },
                    (None, _) => Seen::Nameless,
                }
            }
            WatchItem::Unchanged(key, object) => {
                let version = object.version();
                let change = Change::Updated { key, object, version: version.clone() };
                Seen::Change { change, version }
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
        decoded: Decoded<K>,
        change: fn(ObjectKey, Cached<K>, Option<ResourceVersion>) -> Change<K>,
    ) -> Seen<K> {
        let version = decoded_version(&decoded);
        match self.take_in(decoded, Verb::Watch) {
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

/// Before the transform, which might take it away.
fn decoded_version<K: Resource>(decoded: &Decoded<K>) -> Option<ResourceVersion> {
    match decoded {
        Ok(given) => given.version(),
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
