//! Fair shares: a pure function from the owners of the slots to the next changes.
//!
//! Every member computes the whole plan and does its own part. Members with the same view therefore
//! claim different slots.

use std::cmp::Reverse;

/// The owner of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// Nobody. `last` is the member that held it last, if it died or joined again.
    Free {
        last: Option<usize>,
    },
    Member(usize),
    /// A member that leaves, or one that is not known yet.
    Other,
}

/// The next changes of one member, the most useful first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) claim: Vec<usize>,
    pub(super) give: Vec<usize>,
}

/// The members and the owners of the slots.
#[derive(Clone, Debug)]
pub(super) struct Balance {
    owners: Vec<Owner>,
    /// The slot at which each member begins if it has none. Members are numbered in the order of
    /// their identities.
    starts: Vec<usize>,
    held: Vec<usize>,
    targets: Vec<usize>,
}

impl Balance {
    pub(super) fn new(owners: Vec<Owner>, starts: Vec<usize>) -> Self {
        let mut held = vec![0; starts.len()];
        for owner in &owners {
            if let Owner::Member(member) = owner {
                held[*member] += 1;
            }
        }
        let targets = targets(&held, owners.len());
        Self { owners, starts, held, targets }
    }

    /// Returns the changes that `member` makes. Slots for which `draining` is true are being given
    /// back already.
    pub(super) fn plan(&self, member: usize, draining: impl Fn(usize) -> bool) -> Plan {
        let (held, target) = (self.held[member], self.targets[member]);
        if held > target {
            let given = (0..self.owners.len())
                .filter(|slot| self.owners[*slot] == Owner::Member(member) && draining(*slot))
                .count();
            let surplus = (held - target).saturating_sub(given);
            return Plan { give: self.edges(member, surplus, draining), claim: Vec::new() };
        }
        if held == target {
            return Plan::default();
        }
        Plan { claim: self.assignment(member), give: Vec::new() }
    }

    /// Returns slots of a member that leave its ranges few: those at the edges of the shortest
    /// ranges. Neighbours in the order of identities give at opposite edges, so that what they give
    /// is more often adjacent.
    fn edges(&self, member: usize, number: usize, draining: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
        for slot in 0..self.owners.len() {
            if self.owners[slot] != Owner::Member(member) || draining(slot) {
                continue;
            }
            match runs.last_mut() {
                Some(run) if run.end == slot => run.end += 1,
                _ => runs.push(slot..slot + 1),
            }
        }
        runs.sort_by_key(ExactSizeIterator::len);
        let mut edges = Vec::new();
        for run in runs {
            let wanted = (number - edges.len()).min(run.len());
            if member.is_multiple_of(2) {
                edges.extend(run.rev().take(wanted));
            } else {
                edges.extend(run.take(wanted));
            }
        }
        edges
    }

    /// Assigns the free slots to all members, and returns those of `member`.
    fn assignment(&self, member: usize) -> Vec<usize> {
        let mut free = Assignment {
            owners: self.owners.clone(),
            held: self.held.clone(),
            left: self.owners.iter().filter(|owner| matches!(owner, Owner::Free { .. })).count(),
            member,
            claims: Vec::new(),
        };
        let floor = self.owners.len() / self.starts.len().max(1);
        // Nobody gets a larger share before everybody has the smaller one.
        for limit in [floor, floor + 1] {
            let wants =
                |held: &[usize], member: usize| held[member] < self.targets[member].min(limit);
            for slot in 0..self.owners.len() {
                if let Owner::Free { last: Some(last) } = free.owners[slot]
                    && wants(&free.held, last)
                {
                    free.assign(slot, last);
                }
            }
            for next in 0..self.starts.len() {
                while wants(&free.held, next) && free.left > 0 {
                    let Some(slot) = free.best(next, self.starts[next]) else { break };
                    free.assign(slot, next);
                }
            }
        }
        free.claims
    }
}

/// An assignment of free slots in progress.
struct Assignment {
    owners: Vec<Owner>,
    held: Vec<usize>,
    /// The number of slots that are still free.
    left: usize,
    /// The member whose claims are collected.
    member: usize,
    claims: Vec<usize>,
}

impl Assignment {
    fn assign(&mut self, slot: usize, member: usize) {
        self.owners[slot] = Owner::Member(member);
        self.held[member] += 1;
        self.left -= 1;
        if member == self.member {
            self.claims.push(slot);
        }
    }

    /// Returns the free slot that suits a member best: beside its own slots, otherwise the next one
    /// from its start.
    fn best(&self, member: usize, start: usize) -> Option<usize> {
        let slots = self.owners.len();
        let free = |slot: &usize| matches!(self.owners[*slot], Owner::Free { .. });
        let own = |slot: usize| self.owners.get(slot) == Some(&Owner::Member(member));
        let beside = |slot: &usize| own(slot + 1) || slot.checked_sub(1).is_some_and(own);
        let mut adjacent = (0..slots).filter(|slot| free(slot) && beside(slot));
        let adjacent = if self.held[member] > 0 { adjacent.next() } else { None };
        adjacent.or_else(|| (start..slots).chain(0..start).find(free))
    }
}

/// Returns the fair share of each member. Shares differ by at most one. Those who hold more keep
/// the larger shares.
fn targets(held: &[usize], slots: usize) -> Vec<usize> {
    if held.is_empty() {
        return Vec::new();
    }
    let (floor, larger) = (slots / held.len(), slots % held.len());
    let mut order: Vec<usize> = (0..held.len()).collect();
    order.sort_by_key(|member| (Reverse(held[*member].min(floor + 1)), *member));
    let mut targets = vec![floor; held.len()];
    for member in order.into_iter().take(larger) {
        targets[member] += 1;
    }
    targets
}
