//! Leases as records, and records as Leases.

use std::sync::Arc;

/// Returns the name of a member Lease.
pub(super) fn member_name(group: &str, unique: u64) -> Arc<str> {
    format!("{group}-member-{unique:016x}").into()
}
