//! The published state of a membership.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;

use super::ShardingState;
use super::error::MembershipError;
use super::holdings::Holding;
use super::machine::Machine;
use super::view::View;

/// The state of a membership, as this replica knows it. Errors serialize as their message.
///
/// ```
/// use kube_controllers::sharding::ShardingStatus;
///
/// fn line(status: &ShardingStatus) -> String {
///     let (held, members) = (status.held.len(), status.members.len());
///     match (&status.session, &status.last_error) {
///         (None, Some(error)) => format!("no member: {error}"),
///         (None, None) => "no member yet".to_owned(),
///         (Some(_), _) if status.free > 0 => format!("{} slots have no owner", status.free),
///         (Some(_), _) => format!("{held} of {} slots, {members} members", status.slots),
///     }
/// }
/// ```
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct ShardingStatus {
    /// The name of the group.
    pub group: Arc<str>,
    /// The identity of this replica.
    pub identity: Arc<str>,
    /// The uid of this replica's member Lease; `None` while this replica is no member.
    pub session: Option<Arc<str>>,
    /// True from a stop until the membership has ended.
    pub leaving: bool,
    /// The slots that this replica works on, sorted.
    pub held: Vec<usize>,
    /// The slots that this replica gives back and whose work has not ended yet, sorted.
    pub draining: Vec<usize>,
    /// True while work that exceeded the grace of a stop, or outlived a lost session, blocks a
    /// thread: end this process. After a stop the member Lease is renewed until the work ends.
    pub overdue: bool,
    /// The number of slots.
    pub slots: usize,
    /// The number of slots that no member holds. After a member has died, its slots count only
    /// when its lease has expired.
    pub free: usize,
    /// The members, sorted by identity.
    pub members: Vec<MemberStatus>,
    /// Counts since the membership began to run.
    pub counts: ShardingCounts,
    /// The last failed request, the last loss of a session that no such request explains, or the
    /// last problem that only a person can resolve. It has no time, and stays when requests succeed
    /// again: to notice new errors, compare [`errors`](ShardingCounts::errors) and
    /// [`losses`](ShardingCounts::losses).
    pub last_error: Option<MembershipError>,
}

/// A member of the group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MemberStatus {
    /// The identity of the member.
    pub identity: Arc<str>,
    /// The number of slots that it holds.
    pub held: usize,
    /// True if the member leaves and receives no more slots.
    pub leaving: bool,
}

/// Counts of a membership's events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ShardingCounts {
    /// The number of sessions that began.
    pub sessions: u64,
    /// The number of sessions that were lost.
    pub losses: u64,
    /// The number of slots that this replica acquired.
    pub acquired: u64,
    /// The number of slots that this replica gave back.
    pub released: u64,
    /// The number of claims that failed because another replica was faster.
    pub conflicts: u64,
    /// The number of other members whose Lease this replica deleted because they were silent.
    pub fenced: u64,
    /// The number of requests sent. Those of the watch are not counted.
    pub requests: u64,
    /// The number of failed requests, conflicts excepted. Those of the watch are not counted.
    pub errors: u64,
}

impl ShardingState {
    /// Publishes the state of the machine. If it is quiet, no slot and no other member has changed.
    /// If nothing but counts has, no reader is woken.
    pub(super) fn show(&self, machine: &Machine, quiet: bool) {
        self.status.send_if_modified(|status| {
            status.counts = machine.counts;
            let session = machine.session().map(|session| session.uid.clone());
            let own = (session, machine.stopped.is_some(), machine.blocked);
            let before = (status.session.take(), status.leaving, status.overdue);
            let same = quiet && own == before;
            (status.session, status.leaving, status.overdue) = own;
            if same {
                return false;
            }
            status.held = machine.holdings.slots(|holding| *holding == Holding::Held);
            status.draining =
                machine.holdings.slots(|holding| matches!(holding, Holding::Draining { .. }));
            if let Some(view) = machine.view.as_deref() {
                (status.members, status.free) = machine.members(view);
            }
            true
        });
        self.metric.set(|| self.status.borrow().held.len());
    }

    /// Publishes the end of the membership.
    pub(super) fn show_end(&self) {
        self.status.send_modify(|status| {
            (status.session, status.leaving, status.overdue) = (None, false, false);
            status.held.clear();
            status.draining.clear();
        });
        self.metric.set(|| 0);
    }
}

impl Machine {
    /// Returns the members of a view, and the number of slots without an owner.
    fn members(&self, view: &View) -> (Vec<MemberStatus>, usize) {
        let mut members: Vec<MemberStatus> = Vec::with_capacity(view.members.len());
        let mut held: HashMap<&str, usize> = HashMap::with_capacity(view.members.len());
        for slot in 0..self.rules.slots {
            let record = self.holdings.newest(slot, view).0;
            if let Some(session) = record.and_then(|record| record.session.as_deref()) {
                *held.entry(session).or_default() += 1;
            }
        }
        for member in &*view.members {
            let held = held.get(&*member.uid).copied().unwrap_or_default();
            match members.last_mut() {
                // A replica that joins again has two Leases for a moment.
                Some(last) if last.identity == member.identity => {
                    last.held += held;
                    last.leaving &= member.leaving;
                }
                _ => members.push(MemberStatus {
                    identity: member.identity.clone(),
                    held,
                    leaving: member.leaving,
                }),
            }
        }
        let held: usize = members.iter().map(|member| member.held).sum();
        (members, self.rules.slots.saturating_sub(held))
    }
}
