//! Leader election: one of several replicas does the work, by client-go's rules, through a
//! `coordination.k8s.io/v1` Lease.
//!
//! A [`LeaderElector`] waits until the Lease is free, acquires it and runs the work. It renews the
//! Lease while the work runs, and releases it when the work is over. It reads and writes only its
//! Lease, and needs the verbs `get`, `create` and `update` on it.
//!
//! ```no_run
//! use kube_controllers::leader_election::{LeaderElectionError};
//! use kube_controllers::{LeaderElector};
//! use tokio_util::sync::CancellationToken;
//!
//! # async fn f() -> Result<(), Box<dyn std::error::Error>> {
//! let client = kube::Client::try_default().await?;
//! let mut elector = LeaderElector::builder(client, "shop", "my-controller").build()?;
//! let stop = CancellationToken::new();
//! loop {
//!     let work = |leading: CancellationToken| async move {
//!         // ... until it is told to stop:
//!         leading.cancelled().await;
//!     };
//!     match elector.run(stop.clone(), work).await {
//!         Ok(_) => break,
//!         Err(lost @ LeaderElectionError::Lost { .. }) => eprintln!("{lost}; in line again"),
//!         Err(error) => return Err(error.into()),
//!     }
//! }
//! # Ok(()) }
//! ```
//!
//! # Why two replicas never lead at once
//!
//! The server stores a renewal no sooner than its request began. Other candidates leave the lease
//! alone for the whole duration that it names, counted from when they *saw* it change. A leader
//! counts from the *beginning* of its last successful request, so its clock is always ahead of
//! theirs. It tells its work to stop at the renew deadline, and drops the work at nine tenths of
//! the lease duration. No other candidate begins before the whole duration has passed. Every write
//! names the version it replaces, so of two candidates that take a free lease, one fails.
//!
//! The elector releases the lease only when the work is over. The work is the future that the
//! elector runs, and every task and thread that its [`WorkScope`] tracks, their synchronous code
//! included. Work that exceeds the grace is dropped. If it blocks a thread for longer, the
//! elector renews the lease until the work has ended, and says so: end the process then. A process
//! that drops its runtime meanwhile cannot renew, because the client's connections end with the
//! runtime, and the closures of `spawn_blocking` do not. If the lease expires first,
//! [`WorkScope::may_begin`] is false, [`WorkScope::is_over`] is true, and leading ends with an
//! error.
//!
//! The elector compares no clock with another: the times in the record are for people. It assumes
//! that:
//!
//! - The monotonic clocks of candidates run at rates that differ by less than a tenth.
//! - No synchronous code of the work blocks a worker thread of the elector's runtime for long,
//!   unless the elector [renews on another runtime](LeaderElectorBuilder::renew_on). One blocked
//!   thread of many can stop all timers of a quiet tokio runtime, and with them the renewals.
//! - After a failed renewal, no suspension of the process, and no synchronous code of the work,
//!   lasts longer than a tenth of the lease duration. Code that does not run, or does not await,
//!   cannot be stopped in time.
//! - Tasks and threads that the work spawns are [tracked](WorkScope::track) by its scope, or watch
//!   its token and end before the work does.
//! - No person or other program deletes or rewrites the Lease. Even then, candidates that saw a
//!   leader wait until its time runs out. A candidate that has not seen it, because one of the two
//!   began a moment ago, cannot know of it.
//!
//! # Two processes of one identity
//!
//! The holder's name does not tell two processes of one identity apart, but the renewal does. A
//! record is an elector's own only if the elector sent its renewal time and its transitions, with
//! or without an answer. Any other record of its identity counts as a rival's:
//!
//! - A candidate waits until the lease is released or expires, so the two never lead at once. After
//!   two renewals by the other process, [`LeadershipState::same_identity`] is true. A process that
//!   starts again after a crash, such as a pod of a `StatefulSet`, waits, too: it cannot know that
//!   the old process has ended.
//! - A leader gives way with [`LossCause::SameIdentity`], and its work is dropped at once. This
//!   happens only beside a process that takes a lease of its own name without waiting, as client-go
//!   does. The leader notices at its next renewal, so both work for at most a retry period and two
//!   requests. If the server does not answer, it stops at its renew deadline. It leads again when
//!   the other process has released the lease, or has not renewed it for the lease duration.
//!
//! A person who edits the renewal time or the transitions, or a restored backup, looks the same. A
//! label or another duration does not.
//!
//! # Limits of a lease
//!
//! As in client-go, a lease gives no fencing token. A process that is suspended between reading
//! the clock and writing continues with the write when it is resumed. A request that a leader sent
//! in its last moment may arrive after its term. The server may execute it although the client no
//! longer waits for the answer. No scope prevents either. A write that must not be late has to name
//! the resourceVersion or the uid that it replaces: then the server refuses a late one.
//!
//! # Differences from client-go
//!
//! - The work has ended before the lease is released or expires. client-go only tells it to stop.
//! - Requests have a timeout of half the renew deadline.
//! - The record's duration is rounded up, not down.
//! - A leader stops at once when the Lease names another holder.
//! - A candidate does not take a lease of its own name at once, unless it made the last renewal.
//! - The lease is also released when the work ends or panics.

mod candidate;
mod client;
mod error;
mod machine;
mod options;
mod record;
mod sent;
mod state;
mod term;
mod work;

#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use kube::Client;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, watch};
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use self::candidate::Candidate;
use self::client::LeaseClient;
pub use self::error::{LeaderElectionError, WorkEnd};
pub use self::machine::LossCause;
use self::machine::{Machine, Now, Rules};
pub use self::options::LeaderElectorBuilder;
use self::state::LeadershipCell;
pub use self::state::LeadershipState;
use self::work::TermWork;
pub use crate::lease::{InvalidOptions, LeaseError, LeaseFault, LeaseVerb, ScopeGuard, WorkScope};

/// A candidate for one Lease. The [module](self) documentation lists its guarantees and shows an
/// example.
pub struct LeaderElector {
    /// Locked while the elector runs.
    candidate: Arc<Mutex<Candidate>>,
    lease: Arc<str>,
    identity: Arc<str>,
    state: LeadershipCell,
    ending: Ending,
    /// The trackers that count the work of each term, too.
    around: Vec<TaskTracker>,
    /// The runtime that sends the requests. `None` for the one on which the elector runs.
    renews_on: Option<Handle>,
    request_timeout: Duration,
}

/// The options for the end of a term.
#[derive(Clone, Copy)]
struct Ending {
    release_on_stop: bool,
    grace: Duration,
    abandons_blocked: bool,
}

/// The result of [`LeaderElector::run`].
///
/// ```
/// use kube_controllers::leader_election::Outcome;
///
/// /// Returns the number of processed orders, if this candidate led and its work was not dropped.
/// fn processed(outcome: Outcome<u64>) -> Option<u64> {
///     match outcome {
///         Outcome::Finished(orders) => Some(orders),
///         Outcome::Stopped(orders) => orders,
///         _ => None,
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome<T> {
    /// The elector was stopped before it led. The work never began.
    NeverLed,
    /// The elector was stopped while it led. Holds the output of the work.
    ///
    /// `None` if the work was dropped, or a part that its scope tracks. Without a stop, such a part
    /// had exceeded the grace after the end of the work's future.
    Stopped(Option<T>),
    /// The work ended by itself, with all that its scope tracks. Holds its output.
    Finished(T),
}

impl LeaderElector {
    /// Returns a builder for a candidate for the Lease `namespace/name`.
    pub fn builder(client: Client, namespace: &str, name: &str) -> LeaderElectorBuilder {
        LeaderElectorBuilder::new(client, namespace, name)
    }

    fn new(client: Client, namespace: &str, rules: Rules, ending: Ending) -> Self {
        let timeout = rules.times.request_timeout();
        let lease = LeaseClient::new(client, namespace, rules.name.clone(), timeout);
        let (identity, state) = (rules.identity.clone(), LeadershipCell::new(&rules.name));
        Self {
            lease: lease.lease().clone(),
            identity: identity.clone(),
            state: state.clone(),
            ending,
            around: Vec::new(),
            renews_on: None,
            request_timeout: timeout,
            candidate: Arc::new(Mutex::new(Candidate {
                lease,
                machine: Machine::new(rules, Rng::new(), Instant::now()),
                identity,
                state,
                term_error: None,
                last: TermWork::none(),
                ending,
            })),
        }
    }

    /// Makes the work of each term part of a scope, too, its synchronous code included.
    pub(crate) fn work_within(&mut self, scope: &WorkScope) {
        self.around = scope.trackers();
    }

    /// Limits the grace.
    pub(crate) fn limit_grace(&mut self, limit: Duration) {
        self.ending.grace = self.ending.grace.min(limit);
    }

    pub(crate) fn abandons_blocked(&self) -> bool {
        self.ending.abandons_blocked
    }

    /// Returns the name of the Lease: `namespace/name`.
    pub(crate) fn lease(&self) -> &str {
        &self.lease
    }

    pub(crate) fn grace(&self) -> Duration {
        self.ending.grace
    }

    /// Returns the identity of this candidate.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Returns a receiver of the leadership state, which can be read and awaited at any time. Call
    /// this before [`run`](Self::run), which borrows the elector.
    ///
    /// ```no_run
    /// # async fn f(mut elector: kube_controllers::LeaderElector) {
    /// let mut leadership = elector.leadership();
    /// tokio::spawn(async move {
    ///     while leadership.changed().await.is_ok() {
    ///         let state = leadership.borrow_and_update().clone();
    ///         println!("leader: {:?}, this one leads: {}", state.leader, state.is_leader);
    ///     }
    /// });
    /// # }
    /// ```
    ///
    /// The state is what this candidate last read from the Lease, which may be a retry period old
    /// or more. To keep work from running on two replicas, use the token that the work receives.
    pub fn leadership(&self) -> watch::Receiver<LeadershipState> {
        self.state.subscribe()
    }
}

impl fmt::Debug for LeaderElector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeaderElector")
            .field("lease", &self.lease)
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}

fn now() -> Now {
    Now { at: Instant::now(), wall: crate::basics::now() }
}
