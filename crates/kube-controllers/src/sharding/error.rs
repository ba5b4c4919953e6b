//! Errors of a membership, and of its requests.

use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::lease::LeaseError;
use kube_informer::error::SourceError;

/// A failed request of a member, or a problem with the group's Leases, for logs and the status. The
/// member sends a failed request again by itself.
///
/// ```
/// use kube_informer::error::FaultClass;
/// use kube_controllers::sharding::MembershipError;
///
/// /// Returns the verb that an administrator has to allow on `leases.coordination.k8s.io`.
/// fn missing_verb(error: &MembershipError) -> Option<String> {
///     match error {
///         MembershipError::Lease(error) if error.status() == Some(403) => {
///             Some(error.verb().to_string())
///         }
///         MembershipError::Watch(error) if error.class() == FaultClass::Forbidden => {
///             Some("list and watch".to_owned())
///         }
///         _ => None,
///     }
/// }
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MembershipError {
    /// A request about one Lease failed.
    #[error(transparent)]
    Lease(#[from] LeaseError),
    /// The Leases of the group could not be listed or watched.
    #[error(transparent)]
    Watch(#[from] SourceError),
    /// Another program, a person or a replica of the same identity changed the group's Leases. The
    /// text names the Lease, and what to do.
    #[error("{0}")]
    Disturbed(Arc<str>),
}

impl MembershipError {
    pub(super) fn disturbed(text: String) -> Self {
        Self::Disturbed(text.into())
    }
}

/// Serializes as its message.
impl Serialize for MembershipError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The error of [`Sharding::run`](super::Sharding::run).
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShardingError {
    /// This membership runs already. Clones share one membership: run only one of them.
    #[error("the membership of group {group} runs already: call `run` on one clone only")]
    AlreadyRunning {
        /// The group.
        group: Arc<str>,
    },
    /// A Lease of the group has another number of slots, or divides objects by another field.
    #[error(
        "lease {lease} of group {group} has the configuration \"{found}\", this replica has \
         \"{own}\": give this configuration another group name, or delete all leases of the group \
         while no replica runs"
    )]
    OtherConfiguration {
        /// The group.
        group: Arc<str>,
        /// The name of the Lease: `namespace/name`.
        lease: Arc<str>,
        /// The configuration in the Lease.
        found: Arc<str>,
        /// The configuration of this replica.
        own: Arc<str>,
    },
    /// The API server's resource versions are not decimal numbers, so their order is unknown.
    #[error(
        "lease {lease} has the resourceVersion {version:?}, which is no decimal number: sharding \
         needs a server whose versions have an order"
    )]
    OpaqueVersion {
        /// The name of the Lease: `namespace/name`.
        lease: Arc<str>,
        /// The version.
        version: Arc<str>,
    },
    /// Work that blocks its thread could not be stopped, and is abandoned, or its session is lost.
    /// Its Leases are not released but expire, and another replica may then work on the same
    /// objects. End the process.
    #[error(
        "the work on {slots} slots of group {group} cannot be stopped, because it blocks its \
         thread: end this process"
    )]
    StillRunning {
        /// The group.
        group: Arc<str>,
        /// The number of slots whose work has not ended.
        slots: usize,
    },
    /// The informer of the Leases failed.
    #[error("the informer of the leases of group {group} failed: {message}")]
    Informer {
        /// The group.
        group: Arc<str>,
        /// The cause.
        message: Arc<str>,
    },
}
