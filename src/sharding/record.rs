//! Leases as records, and records as Leases.

use std::sync::Arc;

use crate::object::ring_hash;

/// Returns the name of a member's Lease.
pub(super) fn member_name(group: &str, identity: &str) -> Arc<str> {
    format!("{group}-member-{:016x}", ring_hash(identity)).into()
}
