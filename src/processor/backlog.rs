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
//! An object that moved away is merged like a deleted one. If it came back and was deleted, before
//! the handler heard that it had moved away, the handler hears of the deletion.
//!
//! A backlog therefore never holds more than its limit, or two events for each object, whichever is
//! greater. No final state is lost.
//!
//! The handler first receives the objects that the store held when the handler was added, as adds.
//! These objects are not copied: the adds are made one by one from a snapshot of the store. If the
//! backlog merges, each of these adds merges with the waiting events of its object, by the same
//! table.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use crate::object::{Cached, CachedEvent, ObjectKey};

/// The stored objects that a new handler receives first.
pub(super) type Stored = Box<dyn ExactSizeIterator<Item = (ObjectKey, Cached)> + Send>;

/// The number of cancelled adds that one `pop` skips before it returns [`Popped::Later`].
const CANCELLED_PER_POP: usize = 64;

/// A queue of events that merges when it is full.
pub(super) struct Backlog {
    /// The stored objects that are delivered before the slots, and when they were queued.
    stored: Option<(Stored, Moment)>,
    /// The waiting events in order. A cancelled event leaves `None`.
    slots: VecDeque<Option<Slot>>,
    /// The sequence number of the slot in front.
    first: u64,
    /// The number of slots that are not `None`.
    waiting: usize,
    /// The number of slots that mark the end of the initial adds.
    marks: usize,
    limit: usize,
    /// The slots of each key. `None` while the backlog does not merge.
    key_slots: Option<HashMap<ObjectKey, KeySlots, foldhash::fast::RandomState>>,
    now: Moment,
    merged: u64,
    cancelled: u64,
    /// States that no handler will see. Their `Drop` is user code, so it must run without the lock.
    unused: Vec<Cached>,
}

/// The time at which an event was queued, in microseconds since the listener's start. It takes half
/// the size of an `Instant`.
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

enum Slot {
    /// An event, and when the oldest event that was merged into it was queued.
    Event(ObjectKey, CachedEvent, Moment),
    InitialEnd,
}

/// The slots of one key. There are two only if a delete waits in front of another event.
#[derive(Clone, Copy)]
struct KeySlots {
    earlier: Option<u64>,
    last: u64,
}

/// The result of [`Backlog::pop`].
#[derive(Debug)]
pub(super) enum Popped {
    Event(ObjectKey, CachedEvent, Moment),
    /// All initial adds were delivered before this mark.
    InitialEnd,
    /// No event yet, although some wait. Call `pop` again after other tasks have run.
    Later,
}

/// The contents of a cleared backlog. Dropping it drops objects.
pub(super) struct Cleared {
    slots: VecDeque<Option<Slot>>,
    pub(super) stored: Option<Stored>,
    pub(super) unused: Vec<Cached>,
}

impl Cleared {
    /// Takes out the events that waited.
    pub(super) fn events(&mut self) -> impl Iterator<Item = CachedEvent> + '_ {
        self.slots.drain(..).flatten().filter_map(|slot| match slot {
            Slot::Event(_, event, _) => Some(event),
            Slot::InitialEnd => None,
        })
    }
}

impl Backlog {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            stored: None,
            unused: Vec::new(),
            slots: VecDeque::new(),
            first: 0,
            waiting: 0,
            marks: 0,
            limit,
            key_slots: None,
            now: Moment::default(),
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

    /// Sets the time of all events that are pushed from now on.
    pub(super) fn set_now(&mut self, now: Moment) {
        self.now = now;
    }

    pub(super) fn push(&mut self, key: &ObjectKey, event: CachedEvent) {
        if self.key_slots.is_none() && self.waiting + self.stored() >= self.limit {
            self.merge_all();
        }
        self.put(key.clone(), event, self.now);
    }

    pub(super) fn end_initial(&mut self) {
        self.append(Slot::InitialEnd);
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
                self.key_slots = None;
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
        let slots = self.key_slots.as_ref().and_then(|key_slots| key_slots.get(key)).copied();
        let Some(slots) = slots else { return Some(added) };
        let index = self.index(slots.earlier.unwrap_or(slots.last));
        let waiting = self.slots.get_mut(index).and_then(Option::take);
        let Some(Slot::Event(queued, waiting, since)) = waiting else { return Some(added) };
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
                self.slots[index] = Some(Slot::Event(queued, second, since));
                return Some(first);
            }
        };
        self.waiting -= 1;
        match (slots.earlier, &mut self.key_slots) {
            (Some(_), _) => {
                self.set_key_slots(queued, KeySlots { earlier: None, last: slots.last });
            }
            (None, Some(key_slots)) => drop(key_slots.remove(key)),
            (None, None) => {}
        }
        self.close_gaps();
        event
    }

    fn pop_queued(&mut self) -> Option<Popped> {
        loop {
            let slot = self.slots.pop_front()?;
            let number = self.first;
            self.first += 1;
            let Some(slot) = slot else { continue };
            self.waiting -= 1;
            let Slot::Event(key, event, since) = slot else {
                self.marks -= 1;
                return Some(Popped::InitialEnd);
            };
            self.forget_slot(&key, number);
            if self.waiting <= self.limit / 2 {
                // Well below the limit again: stop merging.
                self.key_slots = None;
            }
            return Some(Popped::Event(key, event, since));
        }
    }

    #[cfg(test)]
    pub(super) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Takes everything out. The caller drops it without a lock.
    #[must_use]
    pub(super) fn clear(&mut self) -> Cleared {
        (self.waiting, self.marks) = (0, 0);
        self.key_slots = None;
        Cleared {
            slots: std::mem::take(&mut self.slots),
            stored: self.stored.take().map(|(stored, _)| stored),
            unused: self.take_unused(),
        }
    }

    /// Queues an event. Merges it with a waiting event of the same key while merging.
    fn put(&mut self, key: ObjectKey, event: CachedEvent, now: Moment) {
        let slots = self.key_slots.as_ref().and_then(|key_slots| key_slots.get(&key)).copied();
        let Some(slots) = slots else {
            let last = self.append(Slot::Event(key.clone(), event, now));
            self.set_key_slots(key, KeySlots { earlier: None, last });
            return;
        };
        let index = self.index(slots.last);
        let waiting = self.slots.get_mut(index).and_then(Option::take);
        let Some(Slot::Event(_, waiting, since)) = waiting else {
            return;
        };
        match merge(waiting, event, &mut self.unused) {
            Merged::One(event) => {
                self.merged += 1;
                self.slots[index] = Some(Slot::Event(key, event, since));
            }
            Merged::None(departure) => {
                self.cancelled += 1;
                self.waiting -= 1;
                self.depart(slots.earlier, departure);
                match (slots.earlier, &mut self.key_slots) {
                    (Some(last), _) => self.set_key_slots(key, KeySlots { earlier: None, last }),
                    (None, Some(key_slots)) => drop(key_slots.remove(&key)),
                    (None, None) => {}
                }
                self.close_gaps();
            }
            Merged::Both(first, second) => {
                self.slots[index] = Some(Slot::Event(key.clone(), first, since));
                let last = self.append(Slot::Event(key.clone(), second, now));
                self.set_key_slots(key, KeySlots { earlier: Some(slots.last), last });
            }
        }
    }

    /// Handles the delete of an object whose add no handler will see. If the handler still waits to
    /// hear that the object had moved away before, it hears of the delete instead.
    fn depart(&mut self, earlier: Option<u64>, departure: CachedEvent) {
        if departure.is_deleted()
            && let Some(index) = earlier.map(|number| self.index(number))
            && let Some(Some(Slot::Event(_, waiting, _))) = self.slots.get_mut(index)
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

    fn append(&mut self, slot: Slot) -> u64 {
        self.slots.push_back(Some(slot));
        self.waiting += 1;
        self.first + self.slots.len() as u64 - 1
    }

    fn index(&self, number: u64) -> usize {
        usize::try_from(number - self.first).unwrap_or(usize::MAX)
    }

    fn set_key_slots(&mut self, key: ObjectKey, slots: KeySlots) {
        if let Some(key_slots) = &mut self.key_slots {
            key_slots.insert(key, slots);
        }
    }

    /// Forgets the slot `number` of this key.
    fn forget_slot(&mut self, key: &ObjectKey, number: u64) {
        let Some(key_slots) = &mut self.key_slots else {
            return;
        };
        if let Some(slots) = key_slots.get_mut(key) {
            if slots.last == number {
                key_slots.remove(key);
            } else {
                slots.earlier = None;
            }
        }
    }

    /// Removes the gaps that cancelled events left, once the gaps outnumber the waiting events.
    fn close_gaps(&mut self) {
        if self.slots.len() > 2 * self.waiting + self.limit {
            self.merge_all();
        }
    }

    /// Begins to merge, starting with the events that already wait.
    fn merge_all(&mut self) {
        let slots = std::mem::take(&mut self.slots);
        (self.first, self.waiting, self.marks) = (0, 0, 0);
        self.key_slots = Some(HashMap::default());
        for slot in slots.into_iter().flatten() {
            match slot {
                Slot::Event(key, event, since) => self.put(key, event, since),
                Slot::InitialEnd => self.end_initial(),
            }
        }
    }
}

/// The result of merging two events of one object.
enum Merged {
    /// Nothing is left to tell. Holds the delete or departure that cancelled the add.
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
            // The handler was told of the old state. It needs that if it can't read the final one.
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
