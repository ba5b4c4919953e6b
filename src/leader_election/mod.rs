//! Leader election: of several replicas one does the work, by client-go's rules, through a
//! `coordination.k8s.io/v1` Lease.
//!
//! A [`LeaderElector`] stands in line until the Lease is free, runs the work, renews the Lease
//! meanwhile, and gives it back when the work is over. It reads and writes nothing but its Lease
//! and needs the verbs `get`, `create` and `update` on it.
//!
//! ```no_run
//! use kube_informer::{LeaderElectionError, LeaderElector};
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
//! # Why no two lead at once
//!
//! A renewal is in the server's storage no sooner than its request was begun. Others leave the
//! lease alone for the whole duration that it names, counted from when they *saw* it change. So a
//! leader that counts from the *beginning* of its last successful request is always ahead of them:
//! it tells its work to stop at the renew deadline, drops it at nine tenths of the lease duration
//! if it has not ended, and nobody else begins before the whole. Every write names the version it
//! replaces, so of two who take a free lease one fails.
//!
//! The elector gives the lease back only when the work is over: the future that it runs, and every
//! task and thread that its [`WorkScope`] tracks, their synchronous code included. After a stop it
//! renews the lease for at most the stop timeout; work that blocks its thread beyond that makes
//! leading end with an error, and the lease runs out. Where the lease expires first, [`WorkScope::may_begin`] is false, [`WorkScope::is_over`] is
//! true, and leading ends with an error.
//!
//! No clock is compared with another: the times in the record are for people. What is assumed:
//!
//! - monotonic clocks of candidates run at rates that differ by less than a tenth;
//! - after the lease could not be renewed, the process is not suspended, and no synchronous code of
//!   the work blocks, for longer than a tenth of the lease duration. Code that does not run, or does
//!   not await, cannot be stopped in time;
//! - tasks and threads that the work spawns are [tracked](WorkScope::track) by its scope, or watch
//!   its token and end before the work does;
//! - identities are unique among the candidates that run;
//! - nobody deletes or rewrites the Lease by hand. Candidates that saw a leader wait for its time
//!   to run out even then, those that start just then can't know of it.
//!
//! # What no lease can promise
//!
//! As in client-go this is no fencing. A process that is suspended between its look at the clock
//! and its write goes on with the write when it is resumed, however long that took. A request that
//! a leader sent in its last moment may arrive after its term, and a server may do it although
//! nobody waits for the answer. No scope prevents either. Writes that must not be late name the
//! resourceVersion, or the uid, that they replace: then the server refuses the one that is late.
//!
//! # Otherwise than client-go
//!
//! The work is over before the lease is given back or runs out, not just told to stop. Requests
//! have a timeout of half the renew deadline. The record's duration is rounded up, not down. A
//! leader whose Lease names somebody else stops at once. The lease is given back also when the work
//! ends or panics.

mod error;
mod lease;
mod machine;
mod options;
mod record;
mod scope;
mod state;
mod term;

#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use k8s_openapi::jiff::Timestamp;
use kube::Client;
use tokio::sync::watch;
use tokio::time::Instant;

pub use self::error::{LeaderElectionError, LeaseError, LeaseFault, LeaseVerb, WorkEnd};
use self::lease::LeaseClient;
pub use self::machine::LossCause;
use self::machine::{Machine, Now, Rules};
pub use self::options::{InvalidElection, LeaderElectorBuilder};
pub use self::scope::{ScopeGuard, WorkScope};
pub use self::state::LeadershipState;
use self::state::StateBoard;
use self::term::LastWork;

/// A candidate for one Lease. See the [module](self) for what it promises.
pub struct LeaderElector {
    lease: LeaseClient,
    machine: Machine,
    identity: Arc<str>,
    state: StateBoard,
    /// The last request of this term that failed, if none has succeeded since.
    term_error: Option<LeaseError>,
    last: LastWork,
    release_on_stop: bool,
    stop_timeout: Duration,
}

/// How leading ended, or that it never began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome<T> {
    /// It was stopped while it stood in line. The work never began.
    NeverLed,
    /// It was stopped while it led. What the work gave; `None` if it had to be dropped.
    Stopped(Option<T>),
    /// The work ended by itself.
    Finished(T),
}

impl LeaderElector {
    /// A candidate for the Lease of this name.
    pub fn builder(client: Client, namespace: &str, name: &str) -> LeaderElectorBuilder {
        LeaderElectorBuilder::new(client, namespace, name)
    }

    fn new(
        client: Client,
        namespace: &str,
        rules: Rules,
        release_on_stop: bool,
        stop_timeout: Duration,
    ) -> Self {
        let timeout = rules.renew_deadline / 2;
        Self {
            lease: LeaseClient::new(client, namespace, rules.name.clone(), timeout),
            identity: rules.identity.clone(),
            state: StateBoard::new(&rules.name),
            machine: Machine::new(rules, Rng::new(), Instant::now()),
            term_error: None,
            last: LastWork::none(),
            release_on_stop,
            stop_timeout,
        }
    }

    /// The name of this candidate.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Who leads, to be read at any time and to be waited on. Take it before [`run`](Self::run).
    ///
    /// It is what this candidate last heard, a retry period old or more. To guard work against
    /// running on two replicas use the token that the work is given.
    pub fn leadership(&self) -> watch::Receiver<LeadershipState> {
        self.state.subscribe()
    }
}

impl fmt::Debug for LeaderElector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeaderElector")
            .field("lease", self.lease.lease())
            .field("identity", &self.identity)
            .field("term", &self.machine.term())
            .finish_non_exhaustive()
    }
}

fn now() -> Now {
    Now { at: Instant::now(), wall: Timestamp::now() }
}
