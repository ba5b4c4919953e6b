//! What one handler has still to be told.
//!
//! Up to its limit a backlog is a plain queue. Beyond it, events of one object merge so that the
//! handler's view, folded from what it is told, still comes to the store's:
//!
//! | waiting | comes | waiting then |
//! |---|---|---|
//! | add | update | add of the newest |
//! | update | update | update, oldest `old`, newest `new` |
//! | update | delete | delete |
//! | add | delete | nothing, counted as cancelled |
//! | delete | add | both |
//!
//! So it never holds more than its limit or two events an object, whichever is greater, and no
//! final state is ever lost.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use crate::object::{CachedEvent, ObjectKey};

/// A queue of events that merges when it is full.
pub(super) struct Backlog<K> {
    /// `None` where an event was cancelled.
    slots: VecDeque<Option<Slot<K>>>,
    /// The number of the slot in front.
    first: u64,
    /// How many slots hold something.
    waiting: usize,
    /// How many of those are ends of the initial adds, not events.
    marks: usize,
    limit: usize,
    /// Where the events of each key are, while merging.
    places: Option<HashMap<ObjectKey, Place, foldhash::fast::RandomState>>,
    now: Moment,
    merged: u64,
    cancelled: u64,
}

/// When something came, in microseconds since the listener's start: half of an `Instant`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moment(u64);

impl Moment {
    pub(super) fn after(start: Duration) -> Self {
        Self(u64::try_from(start.as_micros()).unwrap_or(u64::MAX))
    }

    pub(super) fn until(self, now: Self) -> Duration {
        Duration::from_micros(now.0.saturating_sub(self.0))
    }
}

enum Slot<K> {
    /// An event, and since when this object has had something to tell.
    Event(ObjectKey, CachedEvent<K>, Moment),
    InitialEnd,
}

/// The slots of one key: only a delete can wait in front of another event.
#[derive(Clone, Copy)]
struct Place {
    earlier: Option<u64>,
    last: u64,
}

/// What is taken out of a backlog.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Taken<K> {
    Event(ObjectKey, CachedEvent<K>, Moment),
    /// All initial adds were taken before.
    InitialEnd,
}

impl<K> Backlog<K> {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            slots: VecDeque::new(),
            first: 0,
            waiting: 0,
            marks: 0,
            limit,
            places: None,
            now: Moment::default(),
            merged: 0,
            cancelled: 0,
        }
    }

    /// How many events wait.
    pub(super) fn len(&self) -> usize {
        self.waiting - self.marks
    }

    /// How many events were merged into another.
    pub(super) fn merged(&self) -> u64 {
        self.merged
    }

    /// How many adds were taken back by a delete before they were told.
    pub(super) fn cancelled(&self) -> u64 {
        self.cancelled
    }

    /// Since when the oldest event has waited; one that others were merged into, since the first of
    /// them.
    pub(super) fn oldest(&self) -> Option<Moment> {
        self.slots.iter().flatten().find_map(|slot| match slot {
            Slot::Event(_, _, since) => Some(*since),
            Slot::InitialEnd => None,
        })
    }

    /// What is pushed from now on came at this moment.
    pub(super) fn set_now(&mut self, now: Moment) {
        self.now = now;
    }

    pub(super) fn push(&mut self, key: &ObjectKey, event: CachedEvent<K>) {
        if self.places.is_none() && self.waiting >= self.limit {
            self.merge_all();
        }
        self.put(key.clone(), event, self.now);
    }

    pub(super) fn end_initial(&mut self) {
        self.append(Slot::InitialEnd);
        self.marks += 1;
    }

    /// The oldest event waiting. O(1), amortised over the pushes.
    pub(super) fn pop(&mut self) -> Option<Taken<K>> {
        loop {
            let slot = self.slots.pop_front()?;
            let number = self.first;
            self.first += 1;
            let Some(slot) = slot else { continue };
            self.waiting -= 1;
            let Slot::Event(key, event, since) = slot else {
                self.marks -= 1;
                return Some(Taken::InitialEnd);
            };
            self.leave(&key, number);
            if self.waiting <= self.limit / 2 {
                // Well below the limit again: every event counts.
                self.places = None;
            }
            return Some(Taken::Event(key, event, since));
        }
    }

    #[cfg(test)]
    pub(super) fn slots(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn clear(&mut self) {
        self.slots = VecDeque::new();
        (self.waiting, self.marks) = (0, 0);
        self.places = None;
    }

    /// Puts an event in: merged, where places are known.
    fn put(&mut self, key: ObjectKey, event: CachedEvent<K>, now: Moment) {
        let place = self.places.as_ref().and_then(|places| places.get(&key)).copied();
        let Some(place) = place else {
            let last = self.append(Slot::Event(key.clone(), event, now));
            self.set_place(key, Place { earlier: None, last });
            return;
        };
        let index = self.index(place.last);
        let waiting = self.slots.get_mut(index).and_then(Option::take);
        let Some(Slot::Event(_, waiting, since)) = waiting else {
            return;
        };
        match merge(waiting, event) {
            Merged::One(event) => {
                self.merged += 1;
                self.slots[index] = Some(Slot::Event(key, event, since));
            }
            Merged::None => {
                self.cancelled += 1;
                self.waiting -= 1;
                match (place.earlier, &mut self.places) {
                    (Some(last), _) => self.set_place(key, Place { earlier: None, last }),
                    (None, Some(places)) => drop(places.remove(&key)),
                    (None, None) => {}
                }
                self.close_gaps();
            }
            Merged::Both(first, second) => {
                self.slots[index] = Some(Slot::Event(key.clone(), first, since));
                let last = self.append(Slot::Event(key.clone(), second, now));
                self.set_place(key, Place { earlier: Some(place.last), last });
            }
        }
    }

    fn append(&mut self, slot: Slot<K>) -> u64 {
        self.slots.push_back(Some(slot));
        self.waiting += 1;
        self.first + self.slots.len() as u64 - 1
    }

    fn index(&self, number: u64) -> usize {
        usize::try_from(number - self.first).unwrap_or(usize::MAX)
    }

    fn set_place(&mut self, key: ObjectKey, place: Place) {
        if let Some(places) = &mut self.places {
            places.insert(key, place);
        }
    }

    /// The event at `number` is taken.
    fn leave(&mut self, key: &ObjectKey, number: u64) {
        let Some(places) = &mut self.places else {
            return;
        };
        if let Some(place) = places.get_mut(key) {
            if place.last == number {
                places.remove(key);
            } else {
                place.earlier = None;
            }
        }
    }

    /// Cancelled events leave gaps; when they outnumber what waits, everything moves up.
    fn close_gaps(&mut self) {
        if self.slots.len() > 2 * self.waiting + self.limit {
            self.merge_all();
        }
    }

    /// Begins to merge: what waits first.
    fn merge_all(&mut self) {
        let slots = std::mem::take(&mut self.slots);
        (self.first, self.waiting, self.marks) = (0, 0, 0);
        self.places = Some(HashMap::default());
        for slot in slots.into_iter().flatten() {
            match slot {
                Slot::Event(key, event, since) => self.put(key, event, since),
                Slot::InitialEnd => self.end_initial(),
            }
        }
    }
}

/// What two events of one object come to.
enum Merged<K> {
    None,
    One(CachedEvent<K>),
    Both(CachedEvent<K>, CachedEvent<K>),
}

fn merge<K>(waiting: CachedEvent<K>, event: CachedEvent<K>) -> Merged<K> {
    match (waiting, event) {
        (CachedEvent::Added { initial, .. }, CachedEvent::Updated { new, .. }) => {
            Merged::One(CachedEvent::Added { object: new, initial })
        }
        (CachedEvent::Updated { old, .. }, CachedEvent::Updated { new, .. }) => {
            Merged::One(CachedEvent::Updated { old, new })
        }
        (CachedEvent::Updated { .. }, deleted @ CachedEvent::Deleted { .. }) => {
            Merged::One(deleted)
        }
        (CachedEvent::Added { .. }, CachedEvent::Deleted { .. }) => Merged::None,
        // A delete and what follows it; nothing else can follow anything else.
        (waiting, event) => Merged::Both(waiting, event),
    }
}
