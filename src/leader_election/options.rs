//! How an elector is to go about it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;

use super::LeaderElector;
use super::machine::{JITTER, Rules};

/// No timer can be set for ever.
const LONGEST_STOP: Duration = Duration::from_secs(365 * 24 * 3_600);

/// Options of a [`LeaderElector`].
#[derive(Clone)]
#[must_use]
#[non_exhaustive]
pub struct LeaderElectorBuilder {
    client: Client,
    namespace: Arc<str>,
    name: Arc<str>,
    identity: Option<String>,
    lease_duration: Duration,
    renew_deadline: Duration,
    retry_period: Duration,
    release_on_stop: bool,
    stop_timeout: Duration,
}

/// Options that contradict one another.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidElection {
    /// A Lease has a name and a namespace.
    #[error("the lease's {0} is empty")]
    EmptyName(&'static str),
    /// An empty holder means that nobody leads.
    #[error("the identity is empty")]
    EmptyIdentity,
    /// A leader has to notice that it failed to renew before others may take its place.
    #[error("the lease duration ({lease:?}) is not longer than the renew deadline ({renew:?})")]
    LeaseDuration {
        /// The lease duration.
        lease: Duration,
        /// The renew deadline.
        renew: Duration,
    },
    /// A leader has to be able to try more than once.
    #[error("the renew deadline ({renew:?}) is not longer than 1.2 retry periods ({retry:?})")]
    RenewDeadline {
        /// The renew deadline.
        renew: Duration,
        /// The retry period.
        retry: Duration,
    },
    /// Without a pause between attempts the server would have no other clients.
    #[error("the retry period is zero")]
    RetryPeriod,
    /// The Lease counts in 32-bit seconds.
    #[error("the lease duration ({0:?}) does not fit into a Lease")]
    TooLong(Duration),
}

impl LeaderElectorBuilder {
    pub(super) fn new(client: Client, namespace: &str, name: &str) -> Self {
        Self {
            client,
            namespace: namespace.into(),
            name: name.into(),
            identity: None,
            lease_duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry_period: Duration::from_secs(2),
            release_on_stop: true,
            stop_timeout: Duration::from_secs(25),
        }
    }

    /// The name of this candidate. No two that run at the same time may have the same: each takes
    /// what the other wrote for its own. Unset: the host's name with a random suffix.
    ///
    /// One that comes back under its old name, such as a pod of a `StatefulSet`, need not wait
    /// until its own lease has run out.
    pub fn identity(mut self, identity: impl Into<String>) -> Self {
        self.identity = Some(identity.into());
        self
    }

    /// For how long others leave a lease alone that they have not seen change; 15 s unless set. It
    /// is written in whole seconds, rounded up.
    pub fn lease_duration(mut self, duration: Duration) -> Self {
        self.lease_duration = duration;
        self
    }

    /// For how long a leader goes on without a successful renewal before it stops its work; 10 s
    /// unless set, and never more than nine tenths of the lease duration. What is left until then
    /// is the time the work has to come to an end.
    pub fn renew_deadline(mut self, deadline: Duration) -> Self {
        self.renew_deadline = deadline;
        self
    }

    /// The time from one attempt to the next; 2 s unless set. Candidates lengthen it by up to 120 %
    /// at random.
    pub fn retry_period(mut self, period: Duration) -> Self {
        self.retry_period = period;
        self
    }

    /// Whether the lease is given back when the work is over, so that a successor need not wait
    /// until it runs out. It is unless set.
    pub fn release_on_stop(mut self, release: bool) -> Self {
        self.release_on_stop = release;
        self
    }

    /// How long the work may take to end after a stop before it is dropped; 25 s unless set, a
    /// little less than a pod has, and a year at the most. The lease is renewed meanwhile.
    pub fn stop_timeout(mut self, timeout: Duration) -> Self {
        self.stop_timeout = timeout.min(LONGEST_STOP);
        self
    }

    /// The elector. It asks nothing before it runs.
    ///
    /// # Errors
    /// Where the options contradict one another, by client-go's rules: the lease duration has to be
    /// longer than the renew deadline, that longer than 1.2 retry periods, and these not zero.
    pub fn build(self) -> Result<LeaderElector, InvalidElection> {
        let (lease, renew, retry) = (self.lease_duration, self.renew_deadline, self.retry_period);
        for (what, value) in [("namespace", &self.namespace), ("name", &self.name)] {
            if value.is_empty() {
                return Err(InvalidElection::EmptyName(what));
            }
        }
        let identity = self.identity.unwrap_or_else(default_identity);
        if identity.is_empty() {
            return Err(InvalidElection::EmptyIdentity);
        }
        if retry.is_zero() {
            return Err(InvalidElection::RetryPeriod);
        }
        if i32::try_from(lease.as_secs()).is_ok_and(|seconds| seconds < i32::MAX) {
            if lease <= renew {
                return Err(InvalidElection::LeaseDuration { lease, renew });
            }
        } else {
            return Err(InvalidElection::TooLong(lease));
        }
        if renew.as_secs_f64() <= JITTER * retry.as_secs_f64() {
            return Err(InvalidElection::RenewDeadline { renew, retry });
        }
        let rules = Rules {
            name: self.name,
            identity: identity.into(),
            lease_duration: lease,
            renew_deadline: renew,
            retry_period: retry,
        };
        let (release, stop_timeout) = (self.release_on_stop, self.stop_timeout);
        Ok(LeaderElector::new(self.client, &self.namespace, rules, release, stop_timeout))
    }
}

impl fmt::Debug for LeaderElectorBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeaderElectorBuilder")
            .field("namespace", &self.namespace)
            .field("name", &self.name)
            .field("identity", &self.identity)
            .field("lease_duration", &self.lease_duration)
            .field("renew_deadline", &self.renew_deadline)
            .field("retry_period", &self.retry_period)
            .field("release_on_stop", &self.release_on_stop)
            .field("stop_timeout", &self.stop_timeout)
            .finish_non_exhaustive()
    }
}

/// The host's name, for people, and a random part, because two candidates may share a host.
fn default_identity() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname")
        .ok()
        .or_else(|| std::env::var("HOSTNAME").ok())
        .or_else(|| std::env::var("COMPUTERNAME").ok());
    let host = host.as_deref().map(str::trim).filter(|host| !host.is_empty());
    format!("{}_{:032x}", host.unwrap_or("unknown"), fastrand::u128(..))
}
