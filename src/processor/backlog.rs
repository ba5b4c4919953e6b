//! The events that wait for one handler.
//!
//! Up to its limit a backlog is a plain queue. Beyond the limit, events of the same object merge.
//! After every merge, the events still fold to the state of the store:
//!
//! | waiting event | new event | result |
//! |---|---|---|
//! | add | update | add of the newest |
//! | update | update | update, oldest `old`, newest `new` |
//! | update | delete | delete |
//! | add | delete | none, counted as cancelled |
//! | delete | add | both |
//!
//! An object that moved away is merged like a deleted one. If it came back and was deleted before
//! the handler received the departure, the handler receives the deletion instead.
//!
//! A backlog therefore never holds more than its limit, or three events for each object, whichever
//! is greater: two that merged, and the add of an object that was already stored. No final state is
//! lost.
//!
//! The handler first receives the objects that the store held when the handler was added, as adds.
//! These objects are not copied: the adds are made one by one from a snapshot of the store. If the
//! backlog merges, each of these adds merges with the waiting events of its object, by the same
//! table.

use std::time::Duration;

use tokio::time::Instant;

use super::gapped_queue::GappedQueue;
use crate::object::{Cached, CachedEvent, KeyMap, ObjectKey};

/// The stored objects that a new handler receives first.
pub(super) type Stored = Box<dyn ExactSizeIterator<Item = (ObjectKey, Cached)> + Send>;

/// The number of cancelled events that one `pop` skips before it returns [`Popped::Later`].
const CANCELLED_PER_POP: usize = 64;

/// A queue of events that merges when it is full.
pub(super) struct Backlog {
    /// The stored objects that are delivered before the entries, and when they were queued.
    stored: Option<(Stored, ProcessorTime)>,
    /// The waiting events in order. A cancelled event leaves a gap.
    entries: GappedQueue<Entry>,
    /// The number of entries.
    waiting: usize,
    /// The number of entries that mark the end of the initial adds.
    marks: usize,
    limit: usize,
    /// The entries of each key. `None` while the backlog does not merge.
    key_entries: Option<KeyMap<KeyEntries>>,
    now: ProcessorTime,
    merged: u64,
    cancelled: u64,
    /// States that no handler will see. Their `Drop` is user code, so it must run without the lock.
    unused: Vec<Cached>,
}

/// The time at which an event was queued, in microseconds since the processor's start. It takes
/// half the size of an `Instant`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ProcessorTime(u64);

impl ProcessorTime {
    pub(super) fn between(start: Instant, now: Instant) -> Self {
        Self(u64::try_from(now.duration_since(start).as_micros()).unwrap_or(u64::MAX))
    }

    pub(super) fn until(self, now: Self) -> Duration {
        Duration::from_micros(now.0.saturating_sub(self.0))
    }

    pub(super) fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    pub(super) fn as_micros(self) -> u64 {
        self.0
    }
}

enum Entry {
    /// An event, and when the oldest event that was merged into it was queued.
    Event(ObjectKey, CachedEvent, ProcessorTime),
    InitialEnd,
}

/// The entries of one key. There are two only if a delete waits in front of another event.
#[derive(Clone, Copy)]
struct KeyEntries {
    earlier: Option<u64>,
    last: u64,
}

/// The result of [`Backlog::pop`].
#[derive(Debug)]
pub(super) enum Popped {
    Event(ObjectKey, CachedEvent, ProcessorTime),
    /// All initial adds were delivered before this mark.
    InitialEnd,
    /// No event yet, although some wait. Call `pop` again after other tasks have run.
    Later,
}

/// The contents of a cleared backlog. Dropping it drops objects.
pub(super) struct Cleared {
    entries: GappedQueue<Entry>,
    /// The keys of the entries, while the backlog merged.
    _keys: Option<KeyMap<KeyEntries>>,
    pub(super) stored: Option<Stored>,
    pub(super) unused: Vec<Cached>,
}

impl Cleared {
    /// Takes out the events that waited, and the states that no handler will see as deletes.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = CachedEvent> + Send + '_ {
        let Self { entries, stored, unused, .. } = self;
        let events = entries.drain().filter_map(|entry| match entry {
            Entry::Event(_, event, _) => Some(event),
            Entry::InitialEnd => None,
        });
        let stored = stored.take().into_iter().flatten().map(|(_, object)| object);
        let states = unused.drain(..).chain(stored);
        events.chain(states.map(|object| CachedEvent::MovedAway { object }))
    }
}

impl Backlog {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            stored: None,
            unused: Vec::new(),
            entries: GappedQueue::default(),
            waiting: 0,
            marks: 0,
            limit,
            key_entries: None,
            now: ProcessorTime::default(),
            merged: 0,
            cancelled: 0,
        }
    }

    /// Returns the number of waiting events.
    pub(super) fn len(&self) -> usize {
        self.waiting - self.marks + self.stored()
    }

    /// Returns the number of stored objects that are not delivered yet.
    fn stored(&self) -> usize {
        self.stored.as_ref().map_or(0, |(stored, _)| stored.len())
    }

    /// Delivers these objects as adds, before every other event. O(1).
    pub(super) fn begin_with(&mut self, stored: Stored) {
        self.stored = Some((stored, self.now));
    }

    /// Takes the states that no handler will see. The caller drops them without a lock.
    pub(super) fn take_unused(&mut self) -> Vec<Cached> {
        std::mem::take(&mut self.unused)
    }

    /// Returns the number of events that were merged into another.
    pub(super) fn merged(&self) -> u64 {
        self.merged
    }

    /// Returns the number of adds that a delete cancelled before they were delivered.
    pub(super) fn cancelled(&self) -> u64 {
        self.cancelled
    }

    /// Returns when the oldest waiting event was queued. A merged event counts from the first event
    /// that was merged into it.
    pub(super) fn oldest(&self) -> Option<ProcessorTime> {
        if let Some((stored, since)) = &self.stored
            && stored.len() > 0
        {
            return Some(*since);
        }
        for entry in self.entries.iter() {
            if let Entry::Event(_, _, since) = entry {
                return Some(*since);
            }
        }
        None
    }

    /// Sets the time of all events that are pushed from now on.
    pub(super) fn set_now(&mut self, now: ProcessorTime) {
        self.now = now;
    }

    pub(super) fn push(&mut self, key: &ObjectKey, event: CachedEvent) {
        if self.key_entries.is_none() && self.waiting + self.stored() >= self.limit {
            self.merge_all();
        }
        self.put(key.clone(), event, self.now);
    }

    pub(super) fn end_initial(&mut self) {
        self.append(Entry::InitialEnd);
        self.marks += 1;
    }

    /// Takes the oldest waiting event. O(1), amortised over the pushes.
    pub(super) fn pop(&mut self) -> Option<Popped> {
        for _ in 0..CANCELLED_PER_POP {
            let Some((stored, since)) = &mut self.stored else { return self.pop_queued() };
            let since = *since;
            let Some((key, object)) = stored.next() else {
                self.stored = None;
                return self.pop_queued();
            };
            if self.waiting + self.stored() <= self.limit / 2 {
                // Well below the limit: stop merging.
                self.key_entries = None;
            }
            let added = CachedEvent::Added { object, initial: true };
            if let Some(event) = self.merge_with_queued(&key, added) {
                return Some(Popped::Event(key, event, since));
            }
        }
        Some(Popped::Later)
    }

    /// Merges the add of a stored object with the waiting events of that object, while merging.
    /// Returns `None` if they cancel out.
    fn merge_with_queued(&mut self, key: &ObjectKey, added: CachedEvent) -> Option<CachedEvent> {
        let Some(entries) = self.entries_of(key) else { return Some(added) };
        let number = entries.earlier.unwrap_or(entries.last);
        let waiting = self.entries.get_mut(number).and_then(Option::take);
        let Some(Entry::Event(queued, waiting, since)) = waiting else { return Some(added) };
        let event = match merge(added, waiting, &mut self.unused) {
            Merged::One(event) => {
                self.merged += 1;
                Some(event)
            }
            Merged::None(departure) => {
                self.cancelled += 1;
                self.discard(departure);
                None
            }
            Merged::Both(first, second) => {
                self.set(number, Entry::Event(queued, second, since));
                return Some(first);
            }
        };
        self.waiting -= 1;
        let rest = entries.earlier.map(|_| KeyEntries { earlier: None, last: entries.last });
        self.set_key_entries(key, rest);
        self.close_gaps();
        event
    }

    fn pop_queued(&mut self) -> Option<Popped> {
        for _ in 0..CANCELLED_PER_POP {
            let (number, entry) = self.entries.pop()?;
            let Some(entry) = entry else { continue };
            self.waiting -= 1;
            let Entry::Event(key, event, since) = entry else {
                self.marks -= 1;
                return Some(Popped::InitialEnd);
            };
            self.forget_entry(&key, number);
            if self.waiting <= self.limit / 2 {
                // Well below the limit again: stop merging.
                self.key_entries = None;
            }
            return Some(Popped::Event(key, event, since));
        }
        Some(Popped::Later)
    }

    #[cfg(test)]
    pub(super) fn entries(&self) -> usize {
        self.entries.len()
    }

    /// Takes everything out. The caller drops it without a lock.
    #[must_use]
    pub(super) fn clear(&mut self) -> Cleared {
        (self.waiting, self.marks) = (0, 0);
        Cleared {
            _keys: self.key_entries.take(),
            entries: std::mem::take(&mut self.entries),
            stored: self.stored.take().map(|(stored, _)| stored),
            unused: self.take_unused(),
        }
    }

    /// Queues an event. Merges it with a waiting event of the same key while merging.
    fn put(&mut self, key: ObjectKey, event: CachedEvent, now: ProcessorTime) {
        let Some(entries) = self.entries_of(&key) else {
            let last = self.append(Entry::Event(key.clone(), event, now));
            self.set_key_entries(&key, Some(KeyEntries { earlier: None, last }));
            return;
        };
        let waiting = self.entries.get_mut(entries.last).and_then(Option::take);
        let Some(Entry::Event(_, waiting, since)) = waiting else {
            return;
        };
        match merge(waiting, event, &mut self.unused) {
            Merged::One(event) => {
                self.merged += 1;
                self.set(entries.last, Entry::Event(key, event, since));
            }
            Merged::None(departure) => {
                self.cancelled += 1;
                self.waiting -= 1;
                self.depart(entries.earlier, departure);
                let rest = entries.earlier.map(|last| KeyEntries { earlier: None, last });
                self.set_key_entries(&key, rest);
                self.close_gaps();
            }
            Merged::Both(first, second) => {
                self.set(entries.last, Entry::Event(key.clone(), first, since));
                let last = self.append(Entry::Event(key.clone(), second, now));
                self.set_key_entries(&key, Some(KeyEntries { earlier: Some(entries.last), last }));
            }
        }
    }

    /// Handles the delete of an object whose add no handler will see. If an earlier departure of
    /// the object still waits, the delete takes its place.
    fn depart(&mut self, earlier: Option<u64>, departure: CachedEvent) {
        if departure.is_deleted()
            && let Some(earlier) = earlier
            && let Some(Some(Entry::Event(_, waiting, _))) = self.entries.get_mut(earlier)
            && waiting.is_moved_away()
        {
            let moved = std::mem::replace(waiting, departure);
            return self.discard(moved);
        }
        self.discard(departure);
    }

    /// Keeps the state of a delete, or of a departure, for the caller to drop without a lock.
    fn discard(&mut self, event: CachedEvent) {
        if let CachedEvent::Deleted { object, .. } | CachedEvent::MovedAway { object } = event {
            self.unused.push(object);
        }
    }

    fn append(&mut self, entry: Entry) -> u64 {
        self.waiting += 1;
        self.entries.push(entry)
    }

    /// Puts an entry where one was taken.
    fn set(&mut self, number: u64, entry: Entry) {
        if let Some(place) = self.entries.get_mut(number) {
            *place = Some(entry);
        }
    }

    /// Returns the entries of a key. `None` if there are none, or the backlog does not merge.
    fn entries_of(&self, key: &ObjectKey) -> Option<KeyEntries> {
        self.key_entries.as_ref()?.get(key).copied()
    }

    /// Sets the entries of a key while merging. `None` if the last of them is gone.
    fn set_key_entries(&mut self, key: &ObjectKey, entries: Option<KeyEntries>) {
        let Some(key_entries) = &mut self.key_entries else { return };
        match entries {
            Some(entries) => key_entries.insert(key.clone(), entries),
            None => drop(key_entries.remove(key)),
        }
    }

    /// Forgets the entry `number` of this key.
    fn forget_entry(&mut self, key: &ObjectKey, number: u64) {
        if let Some(KeyEntries { last, .. }) = self.entries_of(key) {
            let rest = (last != number).then_some(KeyEntries { earlier: None, last });
            self.set_key_entries(key, rest);
        }
    }

    /// Does a step of closing the gaps that cancelled events left, once the gaps outnumber the
    /// waiting events.
    fn close_gaps(&mut self) {
        let begin = self.entries.len() > 2 * self.waiting + self.limit;
        let key_entries = &mut self.key_entries;
        self.entries.close_gaps(begin, |entry, from, to| {
            if let (Entry::Event(key, ..), Some(key_entries)) = (entry, &mut *key_entries)
                && let Some(KeyEntries { earlier, last }) = key_entries.get_mut(key)
            {
                if *last == from {
                    *last = to;
                } else {
                    *earlier = Some(to);
                }
            }
        });
    }

    /// Begins to merge, starting with the events that already wait. They are about as many as the
    /// limit.
    fn merge_all(&mut self) {
        let mut entries = std::mem::take(&mut self.entries);
        (self.waiting, self.marks) = (0, 0);
        self.key_entries = Some(KeyMap::default());
        for entry in entries.drain() {
            match entry {
                Entry::Event(key, event, since) => self.put(key, event, since),
                Entry::InitialEnd => self.end_initial(),
            }
        }
    }
}

/// The result of merging two events of one object.
enum Merged {
    /// The events cancel out. Holds the delete or departure that cancelled the add.
    None(CachedEvent),
    One(CachedEvent),
    Both(CachedEvent, CachedEvent),
}

/// Merges two events of one object. Moves states that no handler will see to `unused`.
fn merge(waiting: CachedEvent, event: CachedEvent, unused: &mut Vec<Cached>) -> Merged {
    match (waiting, event) {
        (CachedEvent::Added { object, initial }, CachedEvent::Updated { old, new }) => {
            unused.extend([object, old]);
            Merged::One(CachedEvent::Added { object: new, initial })
        }
        (CachedEvent::Updated { old, new: between }, CachedEvent::Updated { old: again, new }) => {
            unused.extend([between, again]);
            Merged::One(CachedEvent::Updated { old, new })
        }
        (CachedEvent::Updated { old, new }, CachedEvent::Deleted { object, final_state_known }) => {
            // The old state was reported. The handler needs it if it can't read the final one.
            let last = object.after(Some(&old));
            unused.extend([old, new, object]);
            Merged::One(CachedEvent::Deleted { object: last, final_state_known })
        }
        (CachedEvent::Updated { old, new }, CachedEvent::MovedAway { object }) => {
            let last = object.after(Some(&old));
            unused.extend([old, new, object]);
            Merged::One(CachedEvent::MovedAway { object: last })
        }
        (
            CachedEvent::Added { object, .. },
            departure @ (CachedEvent::Deleted { .. } | CachedEvent::MovedAway { .. }),
        ) => {
            unused.push(object);
            Merged::None(departure)
        }
        // A delete and the add after it stay two events. No other pair can occur.
        (waiting, event) => Merged::Both(waiting, event),
    }
}
