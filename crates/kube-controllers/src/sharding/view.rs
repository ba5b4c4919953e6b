//! The Leases of a group in one state of the cluster.

use std::sync::Arc;
use std::time::Duration;

use kube_informer::object::ResourceVersion;

/// A member Lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) name: Arc<str>,
    pub(super) identity: Arc<str>,
    /// The session.
    pub(super) uid: Arc<str>,
    pub(super) version: ResourceVersion,
    /// The time for which others leave the member alone after they saw its Lease change.
    pub(super) duration: Duration,
    pub(super) leaving: bool,
}

/// A slot Lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) version: ResourceVersion,
    pub(super) session: Option<Arc<str>>,
    /// The identity of the session's member.
    pub(super) holder: Option<Arc<str>>,
    pub(super) transitions: u32,
    /// True if the Lease of the session's member may exist without being in the view, because it
    /// could not be decoded.
    pub(super) doubtful: bool,
}

/// All Leases of a group in one state of the cluster. Shared, because most changes are renewals,
/// which leave the slots as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct View {
    pub(super) version: ResourceVersion,
    /// The number of times that the server's history was lost, or the Leases were listed from the
    /// beginning. Versions of different epochs do not compare.
    pub(super) epoch: u64,
    /// Sorted by identity.
    pub(super) members: Arc<[Member]>,
    pub(super) slots: Arc<[Option<Slot>]>,
}

impl View {
    pub(super) fn member(&self, uid: &str) -> Option<&Member> {
        self.members.iter().find(|member| *member.uid == *uid)
    }

    /// Returns the identities that share the slots, sorted, without those that leave.
    pub(super) fn sharers(&self) -> Vec<&Arc<str>> {
        let mut sharers: Vec<_> =
            self.members.iter().filter(|member| !member.leaving).map(|m| &m.identity).collect();
        // A replica that joins again has two Leases for a moment.
        sharers.dedup();
        sharers
    }

    /// Returns whether the same members share the slots as in another view. Renewals change
    /// nothing.
    pub(super) fn has_same_members(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.members, &other.members)
            || (self.members.len() == other.members.len()
                && self
                    .members
                    .iter()
                    .zip(&*other.members)
                    .all(|(one, two)| one.leaving == two.leaving && one.uid == two.uid))
    }
}

/// Returns whether a record is newer than the version that a write was based on. No version means
/// that the record did not exist.
pub(super) fn is_newer(record: Option<&Slot>, base: Option<&ResourceVersion>) -> bool {
    match (record, base) {
        (Some(record), Some(base)) => base.is_older_than(&record.version),
        (Some(_), None) => true,
        (None, _) => false,
    }
}
