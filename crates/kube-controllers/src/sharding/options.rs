//! Options of a membership.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;

use super::Sharding;
use super::machine::Rules;
use super::slots::ShardBy;
use crate::lease::{GRACE, InvalidOptions, LONGEST_GRACE, Times, default_identity};
use kube_informer::object::{InvalidName, NameRule};

/// The largest number of slots. Each has a Lease, which every replica watches.
const MOST_SLOTS: usize = 1_024;

/// The number of retry periods that must be shorter than the renew deadline.
const ATTEMPTS: f64 = 2.0;

/// Options of a [`Sharding`].
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use std::time::Duration;
/// use kube_controllers::Sharding;
/// use kube_controllers::sharding::{InvalidOptions, ShardBy, ShardingBuilder};
///
/// /// Many replicas, which send fewer requests and are replaced more slowly.
/// fn large(client: kube::Client) -> ShardingBuilder {
///     Sharding::builder(client, "shop", "my-controller", ShardBy::Namespace)
///         .slots(256)
///         .lease_duration(Duration::from_secs(60))
///         .renew_deadline(Duration::from_secs(40))
///         .retry_period(Duration::from_secs(10))
/// }
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let client = kube_informer::testing::ApiServer::new().client();
/// large(client.clone()).build()?;
/// let refused = large(client).slots(0).build().unwrap_err();
/// assert_eq!(refused.to_string(), "the number of slots (0) must be from 1 to 1024");
/// # Ok::<(), InvalidOptions>(()) }).unwrap();
/// # }
/// ```
#[derive(Clone)]
#[must_use]
#[non_exhaustive]
pub struct ShardingBuilder {
    client: Client,
    namespace: Arc<str>,
    group: Arc<str>,
    by: ShardBy,
    slots: usize,
    identity: Option<String>,
    times: Times,
    grace: Duration,
    abandons_blocked: bool,
}

impl ShardingBuilder {
    pub(super) fn new(client: Client, namespace: &str, group: &str, by: ShardBy) -> Self {
        Self {
            client,
            namespace: namespace.into(),
            group: group.into(),
            by,
            slots: 64,
            identity: None,
            times: Times::default(),
            grace: GRACE,
            abandons_blocked: false,
        }
    }

    /// Sets the number of slots, the same for all replicas. The default is 64.
    ///
    /// Use at least one slot for each replica that will ever run: a replica without a slot is a
    /// spare. Shares differ by at most one slot, so several slots a replica divide the work more
    /// evenly. A group cannot change its number of slots. Use another group name, or delete all
    /// Leases of the group while no replica runs.
    pub fn slots(mut self, slots: usize) -> Self {
        self.slots = slots;
        self
    }

    /// Sets the identity of this replica. The default is the host's name with a random suffix.
    ///
    /// The identity must be unique among the running replicas. A replica that restarts under its
    /// old identity, such as a pod of a `StatefulSet`, does not wait until its old Lease expires.
    /// If the old process still runs, it stops when it learns of that: by its watch, or at its next
    /// renewal. Without an answer it stops at nine tenths of the lease duration. Until then both
    /// may work on a slot.
    /// [Leader election](crate::leader_election#two-processes-of-one-identity) waits instead.
    pub fn identity(mut self, identity: impl Into<String>) -> Self {
        self.identity = Some(identity.into());
        self
    }

    /// Sets how long other replicas leave a member alone after they saw its Lease change. The
    /// default is 15 s. The Lease stores whole seconds, rounded up.
    pub fn lease_duration(mut self, duration: Duration) -> Self {
        self.times.duration = duration;
        self
    }

    /// Sets how long a member continues without a successful renewal before it stops its work. The
    /// default is 10 s.
    ///
    /// A deadline of more than nine tenths of the lease duration is shortened to nine tenths. The
    /// work has to end between the deadline and that time.
    pub fn renew_deadline(mut self, deadline: Duration) -> Self {
        self.times.renew_deadline = deadline;
        self
    }

    /// Sets the time between two renewals, and between attempts after a failure. The default is
    /// 2 s. Every replica receives every other replica's renewals, so use a longer period for very
    /// many replicas.
    pub fn retry_period(mut self, period: Duration) -> Self {
        self.times.retry_period = period;
        self
    }

    /// Sets the time that work gets to end when its slot is given back, or when this replica
    /// leaves. Work that takes longer is dropped. The default of 25 s is a little less than a pod's
    /// grace period. A grace of more than a year is shortened to a year.
    ///
    /// At a stop two other limits count, too: the
    /// [controller's grace](crate::controller::ControllerBuilder::grace), and a manager's stop
    /// deadline.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace.min(LONGEST_GRACE);
        self
    }

    /// Sets whether `run` returns an error while work that exceeded the grace after a stop still
    /// blocks a thread. The default is false: `run` renews the member Lease until that work has
    /// ended.
    ///
    /// With `true` the Lease expires beside the work. Exit the process when `run` returns. It is
    /// not enough to return from `main`: the runtime waits there for closures of `spawn_blocking`.
    pub fn abandon_blocked_work(mut self, abandon: bool) -> Self {
        self.abandons_blocked = abandon;
        self
    }

    /// Builds the membership, which sends no request before it runs.
    ///
    /// # Errors
    /// Returns [`InvalidOptions`] in these cases:
    ///
    /// - The identity is empty, or the namespace or the group is no RFC 1123 label.
    /// - The number of slots is not from 1 to 1,024.
    /// - The lease duration is not longer than the renew deadline, or does not fit into a Lease.
    /// - The renew deadline is not longer than two retry periods, or the retry period is shorter
    ///   than a millisecond.
    pub fn build(self) -> Result<Sharding, InvalidOptions> {
        let refuse = |invalid: InvalidName| {
            InvalidOptions(format!("{invalid}; set it in Sharding::builder"))
        };
        NameRule::Label.check("namespace of the leases", &self.namespace).map_err(refuse)?;
        NameRule::Label.check("group", &self.group).map_err(refuse)?;
        if !(1..=MOST_SLOTS).contains(&self.slots) {
            let slots = self.slots;
            return Err(InvalidOptions(format!(
                "the number of slots ({slots}) must be from 1 to {MOST_SLOTS}"
            )));
        }
        let identity = self.identity.unwrap_or_else(default_identity);
        if identity.is_empty() {
            return Err(InvalidOptions(InvalidOptions::NO_IDENTITY.to_owned()));
        }
        self.times.check(ATTEMPTS)?;
        let rules = Rules {
            group: self.group,
            identity: identity.into(),
            by: self.by,
            slots: self.slots,
            times: self.times,
            grace: self.grace,
            abandons_blocked: self.abandons_blocked,
        };
        Ok(Sharding::new(self.client, self.namespace, rules))
    }
}

impl fmt::Debug for ShardingBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShardingBuilder")
            .field("namespace", &self.namespace)
            .field("group", &self.group)
            .field("by", &self.by)
            .field("slots", &self.slots)
            .field("identity", &self.identity)
            .field("times", &self.times)
            .field("grace", &self.grace)
            .field("abandons_blocked", &self.abandons_blocked)
            .finish_non_exhaustive()
    }
}
