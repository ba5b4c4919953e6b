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
//!
//! What the store held when the handler was added is told before all of this, as adds. It is not
//! copied: the adds are made one by one from a moment of the store, and each merges by the same
//! table with what waits of its object, if the backlog merges.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use crate::object::{Cached, CachedEvent, ObjectKey};

/// The objects that a handler is told first.
pub(super) type Stored<K> = Box<dyn ExactSizeIterator<Item = (ObjectKey, Cached<K>)> + Send>;

/// After how many adds that were taken back a search for the next event pauses.
const CANCELLED_A_TURN: usize = 64;

/// A queue of events that merges when it is full.
pub(super) struct Backlog<K> {
    /// What is told before anything else, and since when it waits.
    stored: Option<(Stored<K>, Moment)>,
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
    /// States that nobody will be told of. Their `Drop` is user code and needs the lock's end.
    unused: Vec<Cached<K>>,
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
    /// Nothing yet, though something waits: to be asked again after others had their turn.
    Later,
}

/// What a backlog held when it was cleared. Dropping it drops objects.
pub(super) struct Cleared<K> {
    slots: VecDeque<Option<Slot<K>>>,
    pub(super) stored: Option<Stored<K>>,
    pub(super) unused: Vec<Cached<K>>,
}

impl<K> Cleared<K> {
    /// The events that waited.
    pub(super) fn events(&mut self) -> impl Iterator<Item = CachedEvent<K>> + '_ {
        self.slots.drain(..).flatten().filter_map(|slot| match slot {
            Slot::Event(_, event, _) => Some(event),
            Slot::InitialEnd => None,
        })
    }
}

impl<K> Backlog<K> {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            stored: None,
            unused: Vec::new(),
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
        self.waiting - self.marks + self.stored()
    }

    /// How many of those are adds of what was stored.
    fn stored(&self) -> usize {
        self.stored.as_ref().map_or(0, |(stored, _)| stored.len())
    }

    /// Tells these objects first, as added. O(1).
    pub(super) fn begin_with(&mut self, stored: Stored<K>) {
        self.stored = Some((stored, self.now));
    }

    /// Takes the states that nobody will be told of, to be dropped without a lock.
    pub(super) fn take_unused(&mut self) -> Vec<Cached<K>> {
        std::mem::take(&mut self.unused)
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
        if let Some((stored, since)) = &self.stored
            && stored.len() > 0
        {
            return Some(*since);
        }
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
        if self.places.is_none() && self.waiting + self.stored() >= self.limit {
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
        for _ in 0..CANCELLED_A_TURN {
            let Some((stored, since)) = &mut self.stored else { return self.pop_queued() };
            let since = *since;
            let Some((key, object)) = stored.next() else {
                self.stored = None;
                return self.pop_queued();
            };
            if self.waiting + self.stored() <= self.limit / 2 {
                // Well below the limit: every event counts.
                self.places = None;
            }
            let added = CachedEvent::Added { object, initial: true };
            if let Some(event) = self.merge_with_queued(&key, added) {
                return Some(Taken::Event(key, event, since));
            }
        }
        Some(Taken::Later)
    }

    /// What an add of a stored object and the events that wait of it come to, if they merge.
    fn merge_with_queued(
        &mut self,
        key: &ObjectKey,
        added: CachedEvent<K>,
    ) -> Option<CachedEvent<K>> {
        let place = self.places.as_ref().and_then(|places| places.get(key)).copied();
        let Some(place) = place else { return Some(added) };
        let index = self.index(place.earlier.unwrap_or(place.last));
        let waiting = self.slots.get_mut(index).and_then(Option::take);
        let Some(Slot::Event(queued, waiting, since)) = waiting else { return Some(added) };
        let event = match merge(added, waiting, &mut self.unused) {
            Merged::One(event) => {
                self.merged += 1;
                Some(event)
            }
            Merged::None => {
                self.cancelled += 1;
                None
            }
            Merged::Both(first, second) => {
                self.slots[index] = Some(Slot::Event(queued, second, since));
                return Some(first);
            }
        };
        self.waiting -= 1;
        match (place.earlier, &mut self.places) {
            (Some(_), _) => self.set_place(queued, Place { earlier: None, last: place.last }),
            (None, Some(places)) => drop(places.remove(key)),
            (None, None) => {}
        }
        self.close_gaps();
        event
    }

    fn pop_queued(&mut self) -> Option<Taken<K>> {
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

    /// Forgets everything and gives it, to be dropped without a lock.
    #[must_use]
    pub(super) fn clear(&mut self) -> Cleared<K> {
        (self.waiting, self.marks) = (0, 0);
        self.places = None;
        Cleared {
            slots: std::mem::take(&mut self.slots),
            stored: self.stored.take().map(|(stored, _)| stored),
            unused: self.take_unused(),
        }
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
        match merge(waiting, event, &mut self.unused) {
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

/// Merges two events of one object; states that nobody will be told of go to `unused`.
fn merge<K>(
    waiting: CachedEvent<K>,
    event: CachedEvent<K>,
    unused: &mut Vec<Cached<K>>,
) -> Merged<K> {
    match (waiting, event) {
        (CachedEvent::Added { object, initial }, CachedEvent::Updated { old, new }) => {
            unused.extend([object, old]);
            Merged::One(CachedEvent::Added { object: new, initial })
        }
        (CachedEvent::Updated { old, new: between }, CachedEvent::Updated { old: again, new }) => {
            unused.extend([between, again]);
            Merged::One(CachedEvent::Updated { old, new })
        }
        (CachedEvent::Updated { old, new }, deleted @ CachedEvent::Deleted { .. }) => {
            unused.extend([old, new]);
            Merged::One(deleted)
        }
        (CachedEvent::Added { object, .. }, CachedEvent::Deleted { object: last, .. }) => {
            unused.extend([object, last]);
            Merged::None
        }
        // A delete and what follows it; nothing else can follow anything else.
        (waiting, event) => Merged::Both(waiting, event),
    }
}
