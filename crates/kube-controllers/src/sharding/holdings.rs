//! The slots as this replica holds them: claims, drains and releases.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::machine::{LeaseAnswer, RequestFailure, min};
use super::pause::Pause;
use super::view::{Slot, View, is_newer};
use kube_informer::object::ResourceVersion;

/// The largest number of claims without a known result, and of releases on their way.
pub(super) const PARALLEL: usize = 16;

/// The largest number of times that the pause after a conflict doubles.
const MOST_DOUBLINGS: u32 = 3;
/// The number of retry periods between two checks of a Lease that is not the group's.
const STRANGE_PERIODS: u32 = 1 << MOST_DOUBLINGS;

/// The state of a slot in the present session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Holding {
    /// Not held.
    No,
    Claiming {
        base: Option<ResourceVersion>,
        pending: u64,
    },
    /// The answer to a claim was lost. The slot Lease is read at `at`.
    Uncertain {
        base: Option<ResourceVersion>,
        pending: Option<u64>,
        at: Instant,
    },
    Held,
    /// The work was told to stop. It is dropped at `abort`; `None` if it is dropped already.
    Draining {
        abort: Option<Instant>,
    },
    /// The work has ended. It never begins again before the release is known.
    Releasing {
        next: Release,
        pending: Option<u64>,
        at: Instant,
    },
    /// The slot Lease names another session although the work has not ended.
    Taken,
    /// The watch does not show the slot Lease, and the server refuses to create it. It is repaired
    /// if it is the group's.
    Strange {
        next: Repair,
        pending: Option<u64>,
        at: Instant,
    },
}

/// The next request about a slot Lease that the watch does not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Repair {
    Read,
    /// Restores the labels and annotations of the Lease of this version.
    Mark(ResourceVersion),
}

/// The times between attempts after a failure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub(super) period: Duration,
    /// A random number from 0 to 1, so that members do not try at the same moment.
    pub(super) jitter: f64,
}

/// The next request of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Release {
    Write,
    Read,
}

/// A slot's change that an answer or a view shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Nothing,
    /// The slot is this session's.
    Acquired,
    /// The claim failed because another session was faster.
    Conflict,
    Released,
    /// The slot is another session's although the work has not ended.
    Taken,
}

#[derive(Clone, Debug)]
struct Entry {
    holding: Holding,
    /// The newest record from an answer, until the view is as new.
    known: Option<Slot>,
    /// The time before which no claim is sent, unless the record becomes newer than this version.
    blocked: Option<(Instant, Option<ResourceVersion>)>,
    /// The number of requests in a row that failed. Of several slots, the one with the fewest is
    /// tried first.
    refusals: u32,
    /// The number of claims in a row that failed although no newer record was seen.
    conflicts: u32,
    /// A number that changes each time the slot is lost and acquired again. Sessions may change
    /// within a tenure.
    tenure: u64,
    /// The transitions of the record when this replica acquired the slot last.
    transitions: Option<u32>,
}

#[derive(Debug)]
pub(super) struct Holdings {
    entries: Vec<Entry>,
    /// True if records have changed and the states may have to follow.
    pub(super) unsettled: bool,
    /// True if the plan may differ from the last one.
    pub(super) plan_due: bool,
    /// True if the last plan has claims that could not be sent.
    pub(super) claims_left: bool,
    /// The claims of the last plan that were not sent yet, in order.
    pub(super) planned: VecDeque<usize>,
    /// True if the last plan was made while claims of an earlier one were on their way.
    pub(super) crossed: bool,
    pub(super) claims_pause: Pause,
    pub(super) releases_pause: Pause,
    /// False if each slot is either held or not, so that nothing is due.
    busy: bool,
}

impl Holdings {
    pub(super) fn new(slots: usize) -> Self {
        let entry = Entry {
            holding: Holding::No,
            known: None,
            blocked: None,
            refusals: 0,
            conflicts: 0,
            tenure: 0,
            transitions: None,
        };
        Self {
            entries: vec![entry; slots],
            unsettled: false,
            plan_due: false,
            claims_left: false,
            planned: VecDeque::new(),
            crossed: false,
            claims_pause: Pause::default(),
            releases_pause: Pause::default(),
            busy: true,
        }
    }

    pub(super) fn get(&self, slot: usize) -> &Holding {
        &self.entries[slot].holding
    }

    pub(super) fn set(&mut self, slot: usize, holding: Holding) {
        self.entries[slot].holding = holding;
        self.busy = true;
    }

    /// Returns whether anything may be due.
    pub(super) fn is_busy(&self) -> bool {
        self.busy
    }

    /// Notes that everything that was due is done.
    pub(super) fn note_all_done(&mut self) {
        self.busy = self.claims_left
            || self.entries.iter().any(|entry| {
                entry.blocked.is_some() || !matches!(entry.holding, Holding::No | Holding::Held)
            });
    }

    /// Notes the request that was sent about a slot.
    pub(super) fn sent(&mut self, slot: usize, id: u64) {
        if let Holding::Uncertain { pending, .. }
        | Holding::Releasing { pending, .. }
        | Holding::Strange { pending, .. } = &mut self.entries[slot].holding
        {
            *pending = Some(id);
        }
    }

    /// Forgets the states of a session that has ended. Records stay.
    pub(super) fn clear(&mut self) {
        for entry in &mut self.entries {
            (entry.holding, entry.blocked) = (Holding::No, None);
        }
        (self.unsettled, self.plan_due, self.claims_left) = (true, true, false);
        self.planned.clear();
        self.busy = true;
    }

    pub(super) fn forget_records(&mut self) {
        for entry in &mut self.entries {
            entry.known = None;
        }
    }

    /// Notes a new view, and forgets the records that are no newer. Claims of this session that the
    /// view shows change no plan.
    pub(super) fn follow_view(&mut self, view: &View, last: Option<&View>, session: Option<&str>) {
        if last.is_some_and(|last| Arc::ptr_eq(&last.slots, &view.slots)) {
            // The slots are the same, so a record that was newer still is.
        } else {
            for (slot, entry) in self.entries.iter_mut().enumerate() {
                let record = |view: &'_ View| view.slots.get(slot).cloned().flatten();
                let (before, seen) = (last.and_then(record), record(view));
                let version = seen.as_ref().map_or(&view.version, |seen| &seen.version);
                let before = entry.known.clone().or(before);
                let as_old = |known: &mut Slot| !version.is_older_than(&known.version);
                let dropped = entry.known.take_if(as_old).is_some();
                let now = entry.known.as_ref().or(seen.as_ref());
                let mine =
                    session.is_some() && now.and_then(|now| now.session.as_deref()) == session;
                self.plan_due |= !mine && (dropped || now != before.as_ref());
            }
            self.unsettled = true;
        }
        if !last.is_some_and(|last| last.has_same_members(view)) {
            self.plan_due = true;
        }
    }

    /// Returns the newest record of a slot, and whether it is the view's.
    pub(super) fn newest<'a>(&'a self, slot: usize, view: &'a View) -> (Option<&'a Slot>, bool) {
        match &self.entries[slot].known {
            Some(known) => (Some(known), false),
            None => (view.slots.get(slot).and_then(Option::as_ref), true),
        }
    }

    /// Notes a record from an answer, unless the view is newer.
    fn note(&mut self, slot: usize, record: &Slot, view: Option<&View>) {
        let newest = view.and_then(|view| self.newest(slot, view).0);
        if newest.is_none_or(|newest| newest.version.is_older_than(&record.version)) {
            self.entries[slot].known = Some(record.clone());
        }
    }

    /// Brings the state of a slot up to its newest record.
    pub(super) fn settle(&mut self, slot: usize, view: &View, session: &str) -> Change {
        let (record, _) = self.newest(slot, view);
        let mine = record.is_some_and(|record| record.session.as_deref() == Some(session));
        let newer = |base: &Option<ResourceVersion>| is_newer(record, base.as_ref());
        let (next, change) = match &self.entries[slot].holding {
            Holding::No if mine => (Holding::Held, Change::Acquired),
            Holding::Claiming { base, .. } | Holding::Uncertain { base, .. } if newer(base) => {
                if mine {
                    (Holding::Held, Change::Acquired)
                } else {
                    (Holding::No, Change::Conflict)
                }
            }
            Holding::Held | Holding::Draining { .. } if !mine => (Holding::Taken, Change::Taken),
            Holding::Releasing { .. } if !mine => (Holding::No, Change::Released),
            Holding::Strange { .. } if record.is_some() => (Holding::No, Change::Nothing),
            _ => return self.unblock(slot, view),
        };
        if change == Change::Acquired {
            let transitions = record.map(|record| record.transitions);
            let entry = &mut self.entries[slot];
            // Each claim counts as one transition.
            let next = entry.transitions.and_then(|last| last.checked_add(1));
            if next.is_none() || next != transitions {
                entry.tenure += 1;
            }
            entry.transitions = transitions;
        }
        // The last plan includes its own claims. But they also move a larger share from one member
        // to another, so the plan is made again after the last of them.
        let planned = matches!(self.entries[slot].holding, Holding::Claiming { .. });
        self.plan_due |= !planned || self.crossed || change != Change::Acquired;
        (self.entries[slot].refusals, self.entries[slot].conflicts) = (0, 0);
        self.set(slot, next);
        self.plan_due |= self.planned.is_empty() && self.claims() == 0;
        change
    }

    fn unblock(&mut self, slot: usize, view: &View) -> Change {
        let (record, _) = self.newest(slot, view);
        let over = |(_, base): &(Instant, Option<ResourceVersion>)| is_newer(record, base.as_ref());
        if self.entries[slot].blocked.as_ref().is_some_and(over) {
            (self.entries[slot].blocked, self.entries[slot].conflicts) = (None, 0);
            self.plan_due = true;
        }
        Change::Nothing
    }

    /// Returns whether a slot may be claimed now.
    pub(super) fn may_claim(&self, slot: usize, now: Instant) -> bool {
        let entry = &self.entries[slot];
        entry.holding == Holding::No
            && entry.blocked.as_ref().is_none_or(|(until, _)| now >= *until)
    }

    /// Takes an answer about a slot.
    pub(super) fn answered(
        &mut self,
        slot: usize,
        id: u64,
        answer: LeaseAnswer,
        view: Option<&View>,
        now: Instant,
        pace: Pace,
    ) -> Change {
        if let LeaseAnswer::Slot(record) = &answer {
            self.note(slot, record, view);
        }
        (self.unsettled, self.busy) = (true, true);
        let later = now + pace.period;
        let entry = &mut self.entries[slot];
        let claims = matches!(&entry.holding, Holding::Claiming { pending, .. } if *pending == id);
        // A claim that succeeds was planned.
        self.plan_due |= !claims || !matches!(answer, LeaseAnswer::Slot(_));
        let again = now + pace.period * (1 << entry.refusals.min(MOST_DOUBLINGS));
        if let LeaseAnswer::Failed(RequestFailure::Refused | RequestFailure::Unknown) = answer {
            entry.refusals = entry.refusals.saturating_add(1);
        }
        match &mut entry.holding {
            Holding::Claiming { base, .. } if claims => {
                let base = base.take();
                self.claims_pause.answered(&answer, now, pace);
                let (next, change) = match answer {
                    LeaseAnswer::Failed(RequestFailure::Unknown) => {
                        (Holding::Uncertain { base, pending: None, at: again }, Change::Nothing)
                    }
                    // The record tells whose the slot is.
                    LeaseAnswer::Slot(_) => {
                        self.releases_pause = Pause::default();
                        (Holding::Claiming { base, pending: id }, Change::Nothing)
                    }
                    // A pause holds up all claims.
                    LeaseAnswer::Failed(RequestFailure::Refused | RequestFailure::Throttled(_)) => {
                        (Holding::No, Change::Nothing)
                    }
                    LeaseAnswer::Failed(RequestFailure::Conflict)
                        if base.is_none() && entry.conflicts > 0 =>
                    {
                        let next = Repair::Read;
                        (Holding::Strange { next, pending: None, at: now }, Change::Conflict)
                    }
                    answer => {
                        let delay = pace.period * (1 << entry.conflicts.min(MOST_DOUBLINGS));
                        entry.blocked = Some((now + delay, base));
                        entry.conflicts = entry.conflicts.saturating_add(1);
                        let faster =
                            matches!(answer, LeaseAnswer::Failed(RequestFailure::Conflict));
                        (Holding::No, if faster { Change::Conflict } else { Change::Nothing })
                    }
                };
                entry.holding = next;
                change
            }
            Holding::Uncertain { pending, at, .. } if *pending == Some(id) => {
                if matches!(answer, LeaseAnswer::Slot(_) | LeaseAnswer::Absent) {
                    entry.holding = Holding::No;
                } else {
                    (*pending, *at) = (None, again);
                }
                Change::Nothing
            }
            Holding::Releasing { next, pending, at } if *pending == Some(id) => {
                *pending = None;
                if *next == Release::Write {
                    self.releases_pause.answered(&answer, now, pace);
                    if matches!(answer, LeaseAnswer::Slot(_)) {
                        self.claims_pause = Pause::default();
                    }
                }
                // Releases that were not refused come first.
                let paused = self.releases_pause.until.map_or(later, |until| until + pace.period);
                (*next, *at) = match (*next, answer) {
                    (
                        Release::Write,
                        LeaseAnswer::Failed(RequestFailure::Refused | RequestFailure::Throttled(_)),
                    ) => (Release::Write, paused),
                    // A server may answer every write with a conflict.
                    (_, LeaseAnswer::Slot(_)) => (Release::Write, later),
                    (Release::Write, LeaseAnswer::Failed(RequestFailure::Conflict)) => {
                        (Release::Read, now)
                    }
                    _ => (Release::Read, again),
                };
                Change::Nothing
            }
            Holding::Strange { next, pending, at } if *pending == Some(id) => {
                *pending = None;
                (*next, *at) = match answer {
                    LeaseAnswer::Slot(_) | LeaseAnswer::Absent => {
                        entry.holding = Holding::No;
                        entry.conflicts = 0;
                        return Change::Nothing;
                    }
                    LeaseAnswer::Unmarked(version) => (Repair::Mark(version), now),
                    LeaseAnswer::Foreign => (Repair::Read, now + pace.period * STRANGE_PERIODS),
                    _ => (Repair::Read, again),
                };
                Change::Nothing
            }
            _ => Change::Nothing,
        }
    }

    /// Returns the number of requests of releases and about uncertain claims that may be sent now.
    pub(super) fn free_requests(&self) -> usize {
        PARALLEL.saturating_sub(self.count(|holding| {
            matches!(
                holding,
                Holding::Uncertain { pending: Some(_), .. }
                    | Holding::Releasing { pending: Some(_), .. }
                    | Holding::Strange { pending: Some(_), .. }
            )
        }))
    }

    /// Returns the number of releases that may be written beside those on their way.
    pub(super) fn free_writes(&self) -> usize {
        let writes = |holding: &Holding| {
            matches!(holding, Holding::Releasing { next: Release::Write, pending: Some(_), .. })
        };
        self.releases_pause.parallel().saturating_sub(self.count(writes))
    }

    /// Returns the number of failed requests in a row about a slot.
    pub(super) fn refusals(&self, slot: usize) -> u32 {
        self.entries[slot].refusals
    }

    /// Returns the next time at which something is due.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        if !self.busy {
            return None;
        }
        let sends = self.free_requests() > 0;
        let writes = sends && self.free_writes() > 0;
        let times = self.entries.iter().map(|entry| match &entry.holding {
            Holding::Releasing { next: Release::Write, pending: None, at } => {
                writes.then_some(self.releases_pause.until.map_or(*at, |until| until.max(*at)))
            }
            Holding::Uncertain { pending: None, at, .. }
            | Holding::Releasing { pending: None, at, .. }
            | Holding::Strange { pending: None, at, .. } => sends.then_some(*at),
            Holding::Draining { abort } => *abort,
            Holding::No if self.claims_left => entry.blocked.as_ref().map(|(until, _)| *until),
            _ => None,
        });
        times.fold(self.claims_pause.until.filter(|_| self.claims_left), min)
    }

    /// Makes the plan due if the block of a claim is over.
    pub(super) fn unblock_due(&mut self, now: Instant) {
        self.plan_due |= self.claims_pause.end(now);
        for entry in &mut self.entries {
            if entry.blocked.take_if(|(until, _)| now >= *until).is_some() {
                self.plan_due = true;
            }
        }
    }

    /// Returns the number of claims without a known result.
    pub(super) fn claims(&self) -> usize {
        self.count(|holding| {
            matches!(holding, Holding::Claiming { .. } | Holding::Uncertain { .. })
        })
    }

    /// Returns the number of slots in such a state.
    pub(super) fn count(&self, mut is: impl FnMut(&Holding) -> bool) -> usize {
        self.entries.iter().filter(|entry| is(&entry.holding)).count()
    }

    pub(super) fn tenure(&self, slot: usize) -> u64 {
        self.entries[slot].tenure
    }

    /// Returns the slots whose objects are this replica's, each with its tenure.
    pub(super) fn published(&self) -> Vec<(usize, u64)> {
        let slots = self.slots(Holding::is_published);
        slots.into_iter().map(|slot| (slot, self.entries[slot].tenure)).collect()
    }

    /// Returns the slots in such a state.
    pub(super) fn slots(&self, mut is: impl FnMut(&Holding) -> bool) -> Vec<usize> {
        let entries = self.entries.iter().enumerate();
        entries.filter(|(_, entry)| is(&entry.holding)).map(|(slot, _)| slot).collect()
    }
}

impl Holding {
    /// Returns whether work may be running.
    pub(super) fn is_at_work(&self) -> bool {
        matches!(self, Self::Held | Self::Draining { .. } | Self::Taken)
    }

    /// Returns whether the slot's objects are this replica's.
    pub(super) fn is_published(&self) -> bool {
        matches!(self, Self::Held | Self::Draining { .. })
    }
}
