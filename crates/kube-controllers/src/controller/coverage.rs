//! The informers that have lacked objects of held slots too long.
//!
//! A slot's keys wait until the informers of their namespace hold the slot's objects. An informer
//! that cannot list never holds them. After the sync timeout it counts as missing, like an unsynced
//! informer of a controller without a sharding.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::gate::SlotGate;
use super::membership::Membership;
use super::slots::HeldSlot;
use super::sources::Source;
use super::{ControllerError, ControllerParts};
use crate::basics::after;
use kube_informer::informer::SyncError;
use kube_informer::seams::VecMap;

/// The times from which informers have lacked objects of slots.
#[derive(Default)]
struct Gaps {
    /// The slot's tenure and the time, by slot and position of the informer.
    since: VecMap<(usize, usize), (u64, Instant)>,
}

impl Gaps {
    fn observe(&mut self, held: &[HeldSlot], now: Instant) {
        let before = std::mem::take(&mut self.since);
        for slot in held {
            for informer in &slot.lacking {
                let at = (slot.slot, *informer);
                let known = before.get(&at).filter(|(tenure, _)| *tenure == slot.tenure);
                self.since.insert(at, known.copied().unwrap_or((slot.tenure, now)));
            }
        }
    }

    /// Returns the positions of the late informers, and the time at which the next becomes late.
    fn late(&self, limit: Duration, now: Instant) -> (Vec<usize>, Option<Instant>) {
        let (mut late, mut next) = (Vec::new(), None);
        for ((_, informer), (_, since)) in self.since.iter() {
            let due = after(*since, limit);
            if now >= due {
                late.push(*informer);
            } else {
                next = Some(next.map_or(due, |next: Instant| next.min(due)));
            }
        }
        late.sort_by(Ord::cmp);
        late.dedup();
        (late, next)
    }
}

impl ControllerParts {
    /// Lists as missing the informers that have lacked objects of a held slot for the sync timeout.
    /// Returns when nothing can be reconciled. Then all informers of some kind lack objects of
    /// every held slot, or the sharding did not begin to run within that time.
    pub(super) async fn uncovered(&self) -> ControllerError {
        let Some(slots) = &self.slots else { return pending().await };
        let (start, limit) = (Instant::now(), self.limits.sync);
        let (mut gaps, mut changes) = (Gaps::default(), slots.changes(&self.groups));
        loop {
            changes.mark_seen();
            let (held, now) = (slots.held(&self.groups), Instant::now());
            gaps.observe(&held, now);
            let (late, next) = gaps.late(limit, now);
            self.name_missing(slots, &late);
            if let Some(group) =
                self.groups.iter().zip(starts(&self.groups)).find_map(|(group, start)| {
                    is_hopeless(group, start, &held, &late).then_some(group)
                })
            {
                let unsynced = group.members().map(|member| member.unsynced()).collect();
                let source = SyncError::new(unsynced, limit);
                return ControllerError::NotSynced { controller: self.name.clone(), source };
            }
            let unrun = (!slots.sharding().has_run()).then(|| after(start, limit));
            if unrun.is_some_and(|at| now >= at) {
                return ControllerError::WrongSharding {
                    controller: self.name.clone(),
                    problem: "its sharding does not run, so it has no slots: run `Sharding::run` \
                              beside the controller",
                };
            }
            let next = next.into_iter().chain(unrun).min();
            tokio::select! {
                biased;
                () = changes.changed() => {}
                () = sleep_until(next.unwrap_or(now)), if next.is_some() => {}
            }
        }
    }

    fn name_missing(&self, slots: &SlotGate, late: &[usize]) {
        let named = |(place, member): (usize, &Membership)| {
            let name: Arc<str> = member.collection().to_string().into();
            late.binary_search(&place).ok().map(|_| (place, name))
        };
        let missing = self.members().enumerate().filter_map(named).collect();
        for collection in self.missing_informers.set_lacking(missing) {
            tracing::warn!(
                controller = &*self.name,
                group = slots.sharding().group(),
                %collection,
                "an informer lacks the objects of a slot that this replica holds: its keys wait"
            );
        }
    }
}

/// Returns the position of the first informer of each group.
fn starts(groups: &[Arc<Source>]) -> impl Iterator<Item = usize> {
    groups.iter().scan(0, |next, group| {
        let start = *next;
        *next += group.members().len();
        Some(start)
    })
}

/// Returns whether no informer of a group holds the objects of any held slot, and some are late.
fn is_hopeless(group: &Source, start: usize, held: &[HeldSlot], late: &[usize]) -> bool {
    let mut members = start..start + group.members().len();
    members.clone().any(|member| late.contains(&member))
        && members.all(|member| held.iter().all(|slot| slot.lacking.contains(&member)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lease::WorkScope;

    fn held(slot: usize, tenure: u64, lacking: &[usize]) -> HeldSlot {
        let scope = WorkScope::new(tokio_util::sync::CancellationToken::new());
        HeldSlot { slot, tenure, scope, lacking: lacking.to_vec() }
    }

    #[test]
    fn gap_is_late_in_one_tenure() {
        let (mut gaps, start, limit) = (Gaps::default(), Instant::now(), Duration::from_secs(10));
        let at = |seconds| start + Duration::from_secs(seconds);
        gaps.observe(&[held(3, 1, &[0, 2])], at(0));
        gaps.observe(&[held(3, 1, &[2]), held(4, 1, &[0])], at(5));
        assert_eq!(gaps.late(limit, at(9)), (vec![], Some(at(10))));
        assert_eq!(gaps.late(limit, at(10)), (vec![2], Some(at(15))));
        gaps.observe(&[held(3, 2, &[2])], at(11));
        assert_eq!(gaps.late(limit, at(15)), (vec![], Some(at(21))));
    }
}
