//! The state machine of a membership, without its I/O.

use std::sync::Arc;
use std::time::Duration;

use super::slots::ShardBy;

/// The configuration of the machine.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) group: Arc<str>,
    pub(super) identity: Arc<str>,
    /// The name of the member Lease.
    pub(super) member: Arc<str>,
    pub(super) by: ShardBy,
    pub(super) slots: usize,
    pub(super) lease_duration: Duration,
    pub(super) renew_deadline: Duration,
    pub(super) retry_period: Duration,
    pub(super) grace: Duration,
}
