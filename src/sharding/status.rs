//! The published state of a membership.

use std::sync::Arc;

use serde::Serialize;

use super::error::MembershipError;

/// The state of a membership, as this replica knows it. Errors serialize as their message.
///
/// ```
/// use kube_informer::sharding::ShardingStatus;
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
    /// The number of slots.
    pub slots: usize,
    /// The number of slots that no member holds. After a member has died, its slots count only
    /// when its lease has expired.
    pub free: usize,
    /// The members, sorted by identity.
    pub members: Vec<MemberStatus>,
    /// Counts since the membership was built.
    pub counts: ShardingCounts,
    /// The last failed request. It stays when requests succeed again.
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

/// Counts of what happened to a membership.
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
    /// The number of failed requests, conflicts excepted.
    pub errors: u64,
}
