//! A comparison of the queue with a model of its rules.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;

use crate::workqueue::Priority;
use crate::workqueue::core::{Arrival, Core, CoreRules, Given, Hold};
use crate::workqueue::priority::Aging;

/// A model of the queue's rules, without regard to speed.
struct Model {
    aging: Aging,
    backoff_holds: u64,
    /// Rank, priority (of equal ranks the more urgent is first), order of arrival, and time.
    ready: BTreeMap<u8, (u64, Reverse<Priority>, u64, u64)>,
    processed: BTreeMap<u8, Processed>,
    delayed: BTreeMap<u8, Delayed>,
    /// The time since which an item is only delayed.
    resting: BTreeMap<u8, u64>,
    arrivals: u64,
}

#[derive(Default)]
struct Processed {
    /// The priority with which it is wanted again, and the time of that add.
    wanted: Option<(Priority, u64)>,
    woken: bool,
    renewed: bool,
}

#[derive(Clone, Copy)]
struct Delayed {
    due: u64,
    priority: Priority,
    hold: Hold,
    /// True if only a worker asked for it.
    own: bool,
}

impl Model {
    fn new(aging: Aging, backoff_holds: u64) -> Self {
        Self {
            aging,
            backoff_holds,
            ready: BTreeMap::new(),
            processed: BTreeMap::new(),
            delayed: BTreeMap::new(),
            resting: BTreeMap::new(),
            arrivals: 0,
        }
    }

    fn add(&mut self, item: u8, priority: Priority, now: u64, since: u64) {
        if let Some(processed) = self.processed.get_mut(&item) {
            let (strongest, since) = processed.wanted.unwrap_or((priority, since));
            processed.wanted = Some((strongest.max(priority), since));
            return;
        }
        let mut priority = priority;
        if let Some(held_until) = self.held_until(item) {
            if held_until > now {
                self.hasten(item, priority, held_until);
                return;
            }
            let known = self.delayed.remove(&item);
            priority = known.map_or(priority, |known| known.priority.max(priority));
        }
        self.arrivals += 1;
        let rank = self.aging.rank(now, priority);
        let urgency = Reverse(priority);
        let place = self.ready.entry(item).or_insert((rank, urgency, self.arrivals, since));
        if rank < place.0 {
            *place = (rank, urgency, self.arrivals, place.3);
        }
    }

    /// Returns the time until which adds leave an item delayed that is neither ready nor processed.
    fn held_until(&self, item: u8) -> Option<u64> {
        if self.ready.contains_key(&item) || self.processed.contains_key(&item) {
            return None;
        }
        match self.delayed.get(&item)?.hold {
            Hold::None => None,
            Hold::Backoff => Some(self.resting[&item].saturating_add(self.backoff_holds)),
            Hold::Parked => Some(u64::MAX),
        }
    }

    fn hasten(&mut self, item: u8, priority: Priority, due: u64) {
        let Some(known) = self.delayed.get_mut(&item) else { return };
        known.priority = known.priority.max(priority);
        known.due = known.due.min(due);
    }

    fn delay(&mut self, item: u8, priority: Priority, due: u64, hold: Hold, own: bool, now: u64) {
        let hold = if hold == Hold::Backoff && self.backoff_holds == 0 { Hold::None } else { hold };
        let held_until = self.held_until(item);
        let Some(known) = self.delayed.get_mut(&item) else {
            self.resting.insert(item, now);
            self.delayed.insert(item, Delayed { due, priority, hold, own });
            return;
        };
        known.own &= own;
        let new = Delayed { due, priority, hold, own: known.own };
        let strongest = known.priority.max(priority);
        let stays = match (known.hold, hold) {
            (Hold::Parked, _) => true,
            (Hold::Backoff, Hold::None) => {
                let earliest = held_until.map_or(u64::MAX, |held_until| held_until.max(due));
                self.hasten(item, priority, earliest);
                return;
            }
            (Hold::Backoff, Hold::Backoff) => known.due <= due,
            (Hold::None, Hold::None) if known.due <= due => return,
            _ => false,
        };
        if stays {
            known.priority = strongest;
        } else {
            *known = Delayed { priority: strongest, ..new };
        }
    }

    /// Returns whether another item is due then, too: their order is not defined.
    fn is_taken(&self, due: u64) -> bool {
        self.delayed.values().any(|other| other.due == due)
    }

    fn retry(&mut self, item: u8, priority: Priority, due: u64, now: u64) {
        if self.backoff_holds == 0 || self.processed[&item].renewed {
            self.delay(item, priority, due, Hold::None, true, now);
        } else {
            let known = self.delayed.remove(&item);
            let priority = known.map_or(priority, |known| known.priority.max(priority));
            let own = known.is_none_or(|known| known.own);
            let added = known.filter(|known| !known.own && known.hold == Hold::None);
            let added = added.map_or(u64::MAX, |known| known.due);
            let due = due.min(added.max(now + self.backoff_holds));
            self.delayed.insert(item, Delayed { due, priority, hold: Hold::Backoff, own });
        }
    }

    fn park(&mut self, item: u8, priority: Priority, due: u64, now: u64) {
        let known = self.delayed.get(&item).copied();
        let strongest = known.map_or(priority, |known| known.priority.max(priority));
        if self.processed[&item].woken {
            self.add(item, priority, now, now);
        } else if let Some(known) = known.filter(|known| known.hold == Hold::Backoff) {
            self.delayed.insert(item, Delayed { priority: strongest, ..known });
        } else {
            let parked = Delayed { due, priority: strongest, hold: Hold::Parked, own: true };
            self.delayed.insert(item, parked);
        }
    }

    fn end_wait(&mut self, item: u8, hold: Hold, now: u64) -> bool {
        let waits = self.delayed.get(&item).is_some_and(|known| known.hold == hold);
        if waits && let Some(known) = self.delayed.remove(&item) {
            self.add(item, known.priority, now, now);
        }
        waits
    }

    fn remove(&mut self, item: u8) -> bool {
        let meanwhile = self.processed.get_mut(&item).and_then(|one| one.wanted.take());
        let waited = meanwhile.is_some() | self.ready.remove(&item).is_some();
        waited | self.delayed.remove(&item).is_some()
    }

    fn promote(&mut self, now: u64) {
        while let Some((item, known)) = self.next_due().filter(|(_, known)| known.due <= now) {
            self.delayed.remove(&item);
            self.add(item, known.priority, known.due, known.due);
        }
    }

    fn next_due(&self) -> Option<(u8, Delayed)> {
        self.delayed.iter().map(|(item, known)| (*item, *known)).min_by_key(|(_, known)| known.due)
    }

    /// Takes an item. Returns it, its wait and its priority.
    fn take(&mut self, now: u64) -> Option<(u8, u64, Priority)> {
        let (item, (_, Reverse(priority), _, since)) = self
            .ready
            .iter()
            .min_by_key(|(_, place)| **place)
            .map(|(item, place)| (*item, *place))?;
        self.ready.remove(&item);
        self.processed.insert(item, Processed::default());
        if self.delayed.get(&item).is_some_and(|known| known.own && known.hold == Hold::None) {
            self.delayed.remove(&item);
        }
        Some((item, now - since, priority))
    }

    fn done(&mut self, item: u8, now: u64) {
        let processed = self.processed.remove(&item).expect("it was taken");
        self.resting.insert(item, now);
        if let Some((priority, since)) = processed.wanted {
            self.add(item, priority, now, since);
        }
    }

    fn parked(&self) -> usize {
        self.delayed.values().filter(|known| known.hold == Hold::Parked).count()
    }
}

#[derive(Clone, Debug)]
enum Step {
    Add(u8, i8),
    AddLater(u8, i8, u64, bool),
    Take,
    Done(usize),
    Requeue(usize, u64),
    Retry(usize, u64),
    Park(usize, u64),
    Unpark(u8),
    EndBackoff(u8),
    Remove(u8),
    Release(u8),
    Pass(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let item = || 0..12_u8;
    let delay = || 1..40_u64;
    let step = prop_oneof![
        3 => (item(), -2..=2_i8).prop_map(|(item, priority)| Step::Add(item, priority)),
        2 => (item(), -2..=2_i8, delay(), any::<bool>())
            .prop_map(|(item, priority, delay, limited)| {
                Step::AddLater(item, priority, delay, limited)
            }),
        4 => Just(Step::Take),
        2 => any::<usize>().prop_map(Step::Done),
        1 => (any::<usize>(), delay()).prop_map(|(which, delay)| Step::Requeue(which, delay)),
        2 => (any::<usize>(), delay()).prop_map(|(which, delay)| Step::Retry(which, delay)),
        2 => (any::<usize>(), delay()).prop_map(|(which, delay)| Step::Park(which, delay)),
        2 => item().prop_map(Step::Unpark),
        1 => item().prop_map(Step::EndBackoff),
        2 => item().prop_map(Step::Remove),
        1 => item().prop_map(Step::Release),
        2 => (1..20_u64).prop_map(Step::Pass),
    ];
    proptest::collection::vec(step, 0..200)
}

fn rules(fair: bool, backoff_holds: u64) -> CoreRules {
    CoreRules { aging: Aging::new(Duration::from_nanos(7)), fair, backoff_holds }
}

/// Gives many items one hash.
fn hash(item: u8) -> u64 {
    u64::from(item % 4)
}

fn arrival(item: u8) -> Arrival<u8> {
    Arrival { value: Some(item), hash: hash(item), group: u64::from(item % 5) }
}

/// The queue's core and its model, and the items that workers have.
struct Pair {
    core: Core<u8>,
    model: Model,
    given: Vec<Given<u8>>,
}

impl Pair {
    fn new(backoff_holds: u64) -> Self {
        let rules = rules(false, backoff_holds);
        Self {
            core: Core::new(rules),
            model: Model::new(rules.aging, backoff_holds),
            given: Vec::new(),
        }
    }

    /// Does a step on both.
    fn step(&mut self, step: &Step, now: u64) -> Result<(), TestCaseError> {
        self.model.promote(now);
        match *step {
            Step::Add(item, priority) => {
                self.model.add(item, Priority(priority), now, now);
                self.core.add(&mut arrival(item), Priority(priority), now).unwrap();
            }
            Step::AddLater(item, priority, delay, limited) => {
                let due = due(now, delay);
                if !self.model.is_taken(due) {
                    let priority = Priority(priority);
                    let hold = if limited { Hold::Backoff } else { Hold::None };
                    self.model.delay(item, priority, due, hold, false, now);
                    self.core.add_later(&mut arrival(item), priority, (due, hold), now).unwrap();
                }
            }
            Step::Take => {
                let wanted = self.model.take(now);
                let taken = self.core.take(now);
                let told = taken.as_ref().map(|taken| (taken.value, taken.waited, taken.priority));
                prop_assert_eq!(told, wanted);
                self.given.extend(taken);
            }
            Step::Done(which) => self.end(which, now, |_, _| {}),
            Step::Requeue(which, delay) => self.end(which, now, |pair, given| {
                let due = due(now, delay);
                if !pair.model.is_taken(due) {
                    pair.model.delay(given.value, given.priority, due, Hold::None, true, now);
                    pair.core.requeue(given.cell, given.priority, due, now);
                }
            }),
            Step::Retry(which, delay) => self.end(which, now, |pair, given| {
                let due = due(now, delay);
                if !pair.model.is_taken(due) {
                    pair.model.retry(given.value, given.priority, due, now);
                    pair.core.retry(given.cell, given.priority, due, now);
                }
            }),
            Step::Park(which, delay) => self.end(which, now, |pair, given| {
                let due = due(now, delay);
                if !pair.model.is_taken(due) {
                    pair.model.park(given.value, given.priority, due, now);
                    pair.core.park(given.cell, given.priority, due, now);
                }
            }),
            Step::Unpark(item) => {
                let wanted = self.model.end_wait(item, Hold::Parked, now);
                if let Some(processed) = self.model.processed.get_mut(&item) {
                    processed.woken |= !wanted;
                }
                let cell = self.core.find(&item, hash(item)).unwrap();
                let unparked = cell.is_some_and(|cell| self.core.unpark(cell, now).0);
                prop_assert_eq!(unparked, wanted);
            }
            Step::Remove(item) => {
                let wanted = self.model.remove(item);
                let cell = self.core.find(&item, hash(item)).unwrap();
                let removed = cell.is_some_and(|cell| self.core.remove(cell).0);
                prop_assert_eq!(removed, wanted);
            }
            Step::EndBackoff(item) => {
                if let Some(processed) = self.model.processed.get_mut(&item) {
                    processed.renewed = true;
                }
                let wanted = self.model.end_wait(item, Hold::Backoff, now);
                let cell = self.core.find(&item, hash(item)).unwrap();
                let ended = cell.is_some_and(|cell| self.core.end_backoff(cell, now).0);
                prop_assert_eq!(ended, wanted);
            }
            Step::Release(item) => {
                if let Some(known) = self.model.delayed.get_mut(&item)
                    && known.hold == Hold::Backoff
                {
                    known.hold = Hold::None;
                }
                self.core.promote(now);
                if let Some(cell) = self.core.find(&item, hash(item)).unwrap() {
                    self.core.release_backoff(cell);
                }
            }
            Step::Pass(_) => {}
        }
        // A step with nothing to do has promoted no due items.
        self.core.promote(now);
        let (core, model) = (&self.core, &self.model);
        prop_assert_eq!(core.ready(), model.ready.len());
        prop_assert_eq!(core.processed(), model.processed.len());
        prop_assert_eq!(core.delayed(), model.delayed.len());
        prop_assert_eq!(core.parked(), model.parked());
        prop_assert_eq!(core.next_due(), model.next_due().map(|(_, known)| known.due));
        Ok(())
    }

    /// Ends the work on one of the items given out.
    fn end(&mut self, which: usize, now: u64, again: impl FnOnce(&mut Self, &Given<u8>)) {
        if self.given.is_empty() {
            return;
        }
        let given = self.given.swap_remove(which % self.given.len());
        again(self, &given);
        self.core.done(given.cell, Some(given.value), now);
        self.model.done(given.value, now);
    }
}

/// Returns odd moments, to keep delayed adds and others apart: at one moment their order is
/// undefined.
fn due(now: u64, delay: u64) -> u64 {
    now + 2 * delay + 1
}

proptest! {
    #![proptest_config(crate::seeds::kept())]

    /// The queue gives out the model's items in the model's order, and keeps nothing at the end.
    #[test]
    fn it_does_what_the_model_does(steps in steps(), holds in prop_oneof![Just(0), 1..30_u64]) {
        // Even, as the time of each step is, and so never the time at which another item is due.
        let mut pair = Pair::new(2 * holds);
        let mut now = 0;
        for step in steps {
            now += 2;
            if let Step::Pass(time) = step {
                now += 2 * time;
            }
            pair.step(&step, now)?;
        }
        while !pair.given.is_empty() || pair.core.ready() + pair.core.delayed() > 0 {
            now += 100;
            pair.step(&Step::Done(0), now)?;
            pair.step(&Step::Take, now)?;
        }
        prop_assert_eq!(pair.core.kept(), (0, 0));
    }

    /// Fair or not, whatever was added is given out, each item once.
    #[test]
    fn groups_lose_nothing(items in proptest::collection::vec((0..50_u8, -2..=2_i8), 0..200)) {
        let mut core = Core::new(rules(true, 0));
        for (now, (item, priority)) in items.iter().enumerate() {
            core.add(&mut arrival(*item), Priority(*priority), now as u64).unwrap();
        }
        let mut taken = Vec::new();
        while let Some(given) = core.take(1000) {
            core.done(given.cell, Some(given.value), 1000);
            taken.push(given.value);
        }
        taken.sort_unstable();
        let wanted: BTreeSet<_> = items.iter().map(|(item, _)| *item).collect();
        prop_assert_eq!(taken, wanted.into_iter().collect::<Vec<_>>());
        prop_assert_eq!(core.kept(), (0, 0));
    }
}
