//! Fair shares: a pure function from the owners of the slots to the next changes.
//!
//! Every member computes the whole plan and does its own part. Members with the same view therefore
//! claim different slots.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The owner of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// No member. `last` is the member that held it last, if that died or joined again.
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
        Plan { claim: self.assignment(member).claims, give: Vec::new() }
    }

    /// Returns slots that a member can give while its ranges stay few: those at the edges of the
    /// shortest ranges. Neighbours by identity give from opposite edges, so that their slots are
    /// more often adjacent.
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

    /// Assigns the free slots to all members, and collects those of `member`. O(slots²), and there
    /// are at most 1,024 slots.
    fn assignment(&self, member: usize) -> Assignment {
        let mut free = Assignment::new(self, member);
        let floor = self.owners.len() / self.starts.len().max(1);
        // No member gets a larger share before all have the smaller one.
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
                while wants(&free.held, next) {
                    let Some(slot) = free.best(next, self.starts[next]) else { break };
                    free.assign(slot, next);
                }
            }
        }
        free
    }
}

/// An assignment of free slots in progress.
struct Assignment {
    owners: Vec<Owner>,
    held: Vec<usize>,
    /// The slots that are still free, sorted.
    free: Vec<usize>,
    /// The slots beside those of each member, the first on top. Some are no longer free.
    beside: Vec<BinaryHeap<Reverse<usize>>>,
    /// The member whose claims are collected.
    member: usize,
    claims: Vec<usize>,
    /// The number of slots that were looked at.
    #[cfg(test)]
    looks: usize,
}

impl Assignment {
    fn new(balance: &Balance, member: usize) -> Self {
        let slots = 0..balance.owners.len();
        let free = |slot: &usize| matches!(balance.owners[*slot], Owner::Free { .. });
        let mut assignment = Self {
            owners: balance.owners.clone(),
            held: balance.held.clone(),
            free: slots.clone().filter(free).collect(),
            beside: vec![BinaryHeap::new(); balance.starts.len()],
            member,
            claims: Vec::new(),
            #[cfg(test)]
            looks: 0,
        };
        for slot in slots {
            if let Owner::Member(member) = balance.owners[slot] {
                assignment.note_neighbours(slot, member);
            }
        }
        assignment
    }

    fn note_neighbours(&mut self, slot: usize, member: usize) {
        let neighbours = [slot.checked_sub(1), slot.checked_add(1)].into_iter().flatten();
        let free = neighbours.filter(|slot| self.free.binary_search(slot).is_ok()).map(Reverse);
        self.beside[member].extend(free);
    }

    fn assign(&mut self, slot: usize, member: usize) {
        self.owners[slot] = Owner::Member(member);
        self.held[member] += 1;
        if let Ok(at) = self.free.binary_search(&slot) {
            self.free.remove(at);
        }
        self.note_neighbours(slot, member);
        if member == self.member {
            self.claims.push(slot);
        }
    }

    /// Returns the free slot that suits a member best: beside its own slots, otherwise the next one
    /// from its start.
    fn best(&mut self, member: usize, start: usize) -> Option<usize> {
        while let Some(Reverse(slot)) = self.beside[member].pop() {
            #[cfg(test)]
            {
                self.looks += 1;
            }
            if self.free.binary_search(&slot).is_ok() {
                return Some(slot);
            }
        }
        #[cfg(test)]
        {
            self.looks += 1;
        }
        let next = self.free.partition_point(|slot| *slot < start);
        self.free.get(next).or(self.free.first()).copied()
    }
}

/// Returns the fair share of each member. Shares differ by at most one. Members with more slots
/// keep the larger shares.
fn targets(held: &[usize], slots: usize) -> Vec<usize> {
    if held.is_empty() {
        return Vec::new();
    }
    let (floor, larger) = (slots / held.len(), slots % held.len());
    let mut order: Vec<usize> = (0..held.len()).collect();
    order.sort_by(|one, other| held[*other].min(floor + 1).cmp(&held[*one].min(floor + 1)));
    let mut targets = vec![floor; held.len()];
    for member in order.into_iter().take(larger) {
        targets[member] += 1;
    }
    targets
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;
    use proptest::prelude::*;

    use super::*;

    fn starts(members: usize, slots: usize) -> Vec<usize> {
        (0..members).map(|member| member * 7 % slots).collect()
    }

    /// Lets random members carry out random parts of the plan until nothing changes. Returns the
    /// owners, the number of slots that were given back, and the number of rounds.
    fn settle(mut owners: Vec<Owner>, members: usize, rng: &mut Rng) -> (Vec<Owner>, usize, usize) {
        let mut given = 0;
        for round in 0.. {
            let balance = Balance::new(owners.clone(), starts(members, owners.len()));
            let plans: Vec<_> =
                (0..members).map(|member| balance.plan(member, |_| false)).collect();
            if plans.iter().all(|plan| *plan == Plan::default()) {
                return (owners, given, round);
            }
            assert!(round < 10_000, "{owners:?}");
            for (member, plan) in plans.iter().enumerate() {
                for slot in plan.claim.iter().filter(|_| rng.u8(0..3) > 0) {
                    assert!(
                        matches!(owners[*slot], Owner::Free { .. }),
                        "two members claim a slot"
                    );
                    owners[*slot] = Owner::Member(member);
                }
                for slot in plan.give.iter().filter(|_| rng.u8(0..3) > 0) {
                    assert_eq!(owners[*slot], Owner::Member(member));
                    owners[*slot] = Owner::Free { last: None };
                    given += 1;
                }
            }
        }
        unreachable!()
    }

    fn held(owners: &[Owner], members: usize) -> Vec<usize> {
        let held = |member| owners.iter().filter(|owner| **owner == Owner::Member(member)).count();
        (0..members).map(held).collect()
    }

    fn is_fair(held: &[usize]) -> bool {
        held.iter().max() <= held.iter().min().map(|least| least + 1).as_ref()
    }

    fn ranges(owners: &[Owner]) -> usize {
        1 + owners.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }

    proptest! {
        #![proptest_config(crate::seeds::cases(75))]

        #[test]
        fn every_state_becomes_fair(
            seed in any::<u64>(),
            members in 1..12_usize,
            drawn in prop::collection::vec((0..4_u8, 0..12_usize), 1..65),
        ) {
            let owners: Vec<_> = drawn.iter().map(|(kind, member)| match kind {
                0 => Owner::Free { last: (member % 2 == 0).then_some(member % members) },
                1 => Owner::Member(0),
                _ => Owner::Member(member % members),
            }).collect();
            let before = held(&owners, members);
            let least: usize = before.iter().zip(targets(&before, owners.len()))
                .map(|(held, target)| held.saturating_sub(target)).sum();
            let (owners, given, _) = settle(owners, members, &mut Rng::with_seed(seed));
            let after = held(&owners, members);
            prop_assert!(is_fair(&after), "{after:?}");
            prop_assert_eq!(after.iter().sum::<usize>(), owners.len());
            // No slot is given back without need.
            prop_assert_eq!(given, least);
        }

        #[test]
        fn arrivals_and_departures_move_one_share(
            seed in any::<u64>(),
            mut members in 1..12_usize,
            slots in 1..65_usize,
            changes in prop::collection::vec(any::<bool>(), 1..12),
        ) {
            let mut rng = Rng::with_seed(seed);
            let free = vec![Owner::Free { last: None }; slots];
            let (mut owners, ..) = settle(free, members, &mut rng);
            for joins in changes {
                let place = rng.usize(0..members);
                let moved = if joins || members == 1 {
                    // The member at this place and those after it have new numbers.
                    members += 1;
                    for owner in &mut owners {
                        if let Owner::Member(member) = owner && *member >= place {
                            *member += 1;
                        }
                    }
                    slots / members
                } else {
                    members -= 1;
                    for owner in &mut owners {
                        match owner {
                            Owner::Member(member) if *member == place => {
                                *owner = Owner::Free { last: None };
                            }
                            Owner::Member(member) if *member > place => *member -= 1,
                            _ => {}
                        }
                    }
                    0
                };
                let (settled, given, _) = settle(owners, members, &mut rng);
                owners = settled;
                prop_assert!(is_fair(&held(&owners, members)));
                prop_assert_eq!(given, moved);
            }
        }
    }

    #[test]
    fn plan_looks_at_each_slot_a_few_times() {
        for slots in [64, 1_024] {
            let free = vec![Owner::Free { last: None }; slots];
            let assignment = Balance::new(free, starts(7, slots)).assignment(0);
            assert_eq!(assignment.claims.len(), slots.div_ceil(7));
            assert!(assignment.looks <= 4 * slots, "{slots}: {}", assignment.looks);
        }
    }

    #[test]
    fn ranges_stay_few() {
        let mut rng = Rng::with_seed(7);
        let free = vec![Owner::Free { last: None }; 64];
        let (mut owners, ..) = settle(free, 1, &mut rng);
        for members in 2..=8 {
            owners = settle(owners, members, &mut rng).0;
            assert!(ranges(&owners) <= 4 * members, "{members}: {}", ranges(&owners));
        }
    }

    #[test]
    fn slots_return_to_their_last_member() {
        let owners = [1, 0, 1, 0, 0, 1].map(|last| Owner::Free { last: Some(last) });
        let balance = Balance::new(owners.to_vec(), vec![0, 3]);
        let claims = |member| balance.plan(member, |_| false).claim;
        assert_eq!((claims(0), claims(1)), (vec![1, 3, 4], vec![0, 2, 5]));
    }

    #[test]
    fn draining_slots_are_not_given_twice() {
        let mut owners = vec![Owner::Member(0); 6];
        owners[5] = Owner::Member(1);
        let balance = Balance::new(owners, vec![0, 3]);
        assert_eq!(balance.plan(0, |_| false).give, [4, 3]);
        assert_eq!(balance.plan(0, |slot| slot == 4).give, [3]);
        assert_eq!(balance.plan(0, |slot| slot > 2).give, [0_usize; 0]);
    }

    #[test]
    fn leaving_members_slots_are_not_claimed() {
        let owners = vec![Owner::Other, Owner::Other, Owner::Member(0), Owner::Free { last: None }];
        let balance = Balance::new(owners, vec![0, 0]);
        assert_eq!(balance.plan(0, |_| false).claim, [3]);
        assert_eq!(balance.plan(1, |_| false), Plan::default());
    }
}
