//! Membership of a sharded controller: several replicas share its objects, and each object belongs
//! to one replica at a time.
//!
//! The ring of hashes ([`object::shard`](kube_informer::object::ShardSelector)) is divided into
//! *slots* of equal size. A [`Sharding`] is this replica's membership in a group. It claims a fair
//! share of the slots, and gives some back when another replica joins. It publishes the ranges of
//! its slots: an informer selects its objects with them. For each slot it publishes a
//! [`WorkScope`], which bounds the work on the slot's objects.
//!
//! ```no_run
//! use kube_controllers::Sharding;
//! use kube_controllers::sharding::ShardBy;
//! use tokio_util::sync::CancellationToken;
//!
//! # async fn f() -> Result<(), Box<dyn std::error::Error>> {
//! let client = kube::Client::try_default().await?;
//! let sharding =
//!     Sharding::builder(client, "shop", "my-controller", ShardBy::Namespace).build()?;
//! let stop = CancellationToken::new();
//! let mut objects = sharding.objects();
//! let show = async {
//!     // Ends by itself only when the last clone of `sharding` is dropped.
//!     while objects.changed().await.is_ok() {
//!         println!("this replica has {:?}", objects.borrow_and_update());
//!     }
//! };
//! tokio::select! {
//!     // Ends after `stop` was cancelled, which drops `show`.
//!     ended = sharding.run(stop.clone()) => ended?,
//!     () = show => {}
//! }
//! # Ok(()) }
//! ```
//!
//! Kubernetes is the only coordinator. Each replica has a *member Lease*, which only that replica
//! renews. Each slot has a *slot Lease*, which names the session of its holder: the uid that the
//! server gave to the holder's member Lease. A slot Lease is written only when the slot changes
//! hands, so renewing costs one request a replica and period, whatever the number of slots. Every
//! replica watches the Leases of the group. It needs the verbs `list`, `watch`, `get`, `create`,
//! `update` and `delete` on them.
//!
//! # Why two replicas never work on one slot
//!
//! A slot is free in three cases: its Lease does not exist; it names no session; or the session's
//! member Lease does not exist. Both Leases are read at one resource version. A uid never comes
//! back, so such a session is over for ever, however old the state is. A claim names the version of
//! the slot Lease that it replaces. The server refuses the claim if anything has happened since.
//!
//! A session ends in one of two ways:
//!
//! - The member deletes its Lease when all its work has ended.
//! - Another replica *fences* it. It deletes the member Lease because it did not change for the
//!   whole lease duration, counted from when that replica *saw* the last change. The delete names
//!   the version that it saw, so the server refuses it if the member was renewed in between.
//!
//! A member counts from the *beginning* of its last successful renewal, so its own deadline always
//! comes before the others'. It begins no work after the renew deadline, and drops its work at nine
//! tenths of the lease duration. No replica fences it before the whole duration has passed. If an
//! admission webhook stores a shorter duration, that one counts for all. A member that finds its
//! Lease gone ends everything at once.
//!
//! A slot is given back in three steps: the scope's token is cancelled, all tracked work ends, and
//! only then is the slot Lease written. Work that exceeds the grace is dropped at its next await.
//! Synchronous code cannot be dropped. The slot stays with this replica until the code has ended:
//! the replica renews its Lease, also past the grace of a stop and if the future of
//! [`run`](Sharding::run) is dropped. It reports such code after a stop: end the process then. A
//! process that drops its runtime meanwhile cannot renew, because the client's connections end with
//! the runtime, and the closures of `spawn_blocking` do not. After a lost session the Lease expires
//! although the code still runs.
//!
//! A request whose answer is lost may still be executed later. A late claim succeeds only if the
//! slot Lease has not changed. The session then holds the slot. A slot that is being released is
//! never worked on again before its release is known.
//!
//! Replicas compare no clocks with each other: the times in the Leases are for people. The
//! guarantee assumes that:
//!
//! - The monotonic clocks of replicas run at rates that differ by less than a tenth.
//! - After a failed renewal, the process is not suspended for longer than a tenth of the lease
//!   duration. No synchronous code of the work blocks for longer. Code that does not run, or does
//!   not await, cannot be stopped in time.
//! - All work on a slot's objects is [tracked](WorkScope::track) by the slot's scope, as the
//!   reconciles of a sharded controller are.
//! - Identities are unique among the running replicas.
//! - No person or other program deletes or rewrites the Leases while replicas run.
//! - The cluster is not restored from a backup while replicas run.
//! - Resource versions are decimal numbers, as Kubernetes 1.35 guarantees and every API server
//!   sends.
//! - No proxy answers the watch of the Leases with a bookmark of another namespace's watch of
//!   Leases, because a bookmark does not name its namespace. Other answers to other requests are
//!   recognised.
//!
//! # Fair shares
//!
//! Every replica computes the same plan from the same Leases and does its own part. After a change
//! has settled, shares differ by at most one slot, except for a member that cannot claim
//! ([Limits](#limits)). The number of objects in a slot is not considered.
//!
//! A replica that holds too many slots gives back the surplus, from the edges of its ranges. A slot
//! that was released names no last holder, and goes to a neighbour, so that ranges stay few. A slot
//! of a session that ended without a release goes first to the replica that held it, if that
//! replica is a member again. When one of N replicas comes or goes, about one Nth of the slots
//! moves. A slot of a replica that has died is free after the lease duration and at most one retry
//! period.
//!
//! # A lost session
//!
//! A member that cannot renew its Lease loses its session and all its scopes. It joins again with a
//! new session as soon as its work has ended and the server has answered a list of the group's
//! Leases. Others would give slots to a member that does not see them. The published ranges stay as
//! they were until the new session has claimed its slots. A short outage of the API server
//! therefore does not make replicas list their objects again.
//!
//! Others give a replica slots as soon as its member Lease exists. A join that gets no clear answer
//! therefore fails: its Lease is no longer renewed, and the next join has a Lease of its own. After
//! several failed joins in a row, or sessions without a renewal, the replica pauses longer and
//! longer. Before each pause it deletes the Leases that it left, so that others get its share.
//!
//! # Limits
//!
//! As with [leader election](crate::leader_election#limits-of-a-lease), there is no fencing token
//! for writes to other objects. A write that must not be late has to name the resourceVersion or
//! the uid that it replaces.
//!
//! A member may renew its Lease and be unable to claim slots, for example because its watch is
//! broken. Its share of the free slots then stays unclaimed. [`ShardingStatus::free`] and
//! [`ShardingStatus::last_error`] show this.
//!
//! A Lease of another program under the name of a slot's Lease costs the group that slot. Two
//! running replicas of one identity end each other's sessions. [`MembershipError`] names both.
//!
//! Each replica receives the renewals of all others. With N replicas and the default period of 2 s,
//! that is N² / 2 events a second in all. Use a longer [`retry_period`] for more than about 100
//! replicas.
//!
//! [`retry_period`]: ShardingBuilder::retry_period

mod acting;
mod balance;
mod detached;
mod error;
mod holdings;
mod joining;
mod machine;
mod options;
mod pause;
mod races;
mod record;
mod requests;
mod run;
mod session;
mod silence;
mod slots;
mod status;
mod telling;
mod trouble;
mod view;

#[cfg(test)]
mod disturbance_tests;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod store;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod world;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arc_swap::ArcSwap;
use kube::Client;
use tokio::sync::watch;
use tokio_util::task::TaskTracker;

pub use self::error::{MembershipError, ShardingError};
use self::machine::Rules;
pub use self::options::ShardingBuilder;
pub use self::slots::ShardBy;
pub use self::status::{MemberStatus, ShardingCounts, ShardingStatus};
use crate::controller::metrics::SHARDING_SLOTS_HELD;
pub use crate::lease::InvalidOptions;
use crate::lease::{WorkScope, closed_tracker};
use kube_informer::object::ShardSelector;
use kube_informer::seams::{Level, MetricLabels};

/// A replica's membership in a group that shares objects. The [module](self) documentation lists
/// its guarantees and shows an example.
///
/// Clones are cheap and share one membership.
#[derive(Clone)]
pub struct Sharding(Arc<ShardingState>);

struct ShardingState {
    client: Client,
    namespace: Arc<str>,
    rules: Rules,
    /// The scope of each slot that work may begin on.
    scopes: ArcSwap<Scopes>,
    objects: watch::Sender<ShardSelector>,
    dependents: watch::Sender<ShardSelector>,
    status: watch::Sender<ShardingStatus>,
    running: AtomicBool,
    /// True once the membership has begun to run.
    has_run: AtomicBool,
    /// Counts everything that the scopes of all runs track.
    work: TaskTracker,
    /// Counts the memberships that go on for blocked work although their `run` was dropped.
    detached: TaskTracker,
    metric: Level,
}

/// The scope of each slot, and the slot's tenure.
type Scopes = Vec<Option<(WorkScope, u64)>>;

impl Sharding {
    /// Returns a builder for a membership in `group`, whose Leases are in `namespace`.
    pub fn builder(client: Client, namespace: &str, group: &str, by: ShardBy) -> ShardingBuilder {
        ShardingBuilder::new(client, namespace, group, by)
    }

    fn new(client: Client, namespace: Arc<str>, rules: Rules) -> Self {
        let status = ShardingStatus {
            group: rules.group.clone(),
            identity: rules.identity.clone(),
            slots: rules.slots,
            free: rules.slots,
            ..ShardingStatus::default()
        };
        let nothing = |key| slots::selector(key, [], rules.slots);
        Self(Arc::new(ShardingState {
            client,
            namespace,
            scopes: ArcSwap::from_pointee(vec![None; rules.slots]),
            objects: watch::Sender::new(nothing(rules.by.objects())),
            dependents: watch::Sender::new(nothing(rules.by.dependents())),
            status: watch::Sender::new(status),
            running: AtomicBool::new(false),
            has_run: AtomicBool::new(false),
            work: closed_tracker(),
            detached: closed_tracker(),
            metric: Level::new(SHARDING_SLOTS_HELD, &MetricLabels::new(&[("name", &*rules.group)])),
            rules,
        }))
    }

    /// Returns the name of the group.
    pub fn group(&self) -> &str {
        &self.0.rules.group
    }

    /// Returns the identity of this replica.
    pub fn identity(&self) -> &str {
        &self.0.rules.identity
    }

    /// Returns the field by which objects are divided.
    pub fn by(&self) -> ShardBy {
        self.0.rules.by
    }

    /// Returns the number of slots.
    pub fn slots(&self) -> usize {
        self.0.rules.slots
    }

    /// Returns the slot that has this place on the ring.
    pub fn slot_of(&self, hash: u64) -> usize {
        slots::slot_of(hash, self.0.rules.slots)
    }

    /// Returns the first place of a slot.
    pub(crate) fn start_of(&self, slot: usize) -> u64 {
        *slots::range(slot, self.0.rules.slots).start()
    }

    /// Returns a receiver of the ranges whose objects this replica reconciles.
    ///
    /// They hold the slots that this replica works on, and those that it gives back and whose work
    /// has not ended. The ranges change once for each round of changes. They can differ from the
    /// slots for a short time, and in an outage of the API server until the next session. Only
    /// [`scope`](Self::scope) says whether work may begin.
    pub fn objects(&self) -> watch::Receiver<ShardSelector> {
        self.0.objects.subscribe()
    }

    /// Returns a receiver of the shard of dependents: the ranges of [`objects`](Self::objects),
    /// with the key of [`ShardBy::dependents`].
    pub fn dependents(&self) -> watch::Receiver<ShardSelector> {
        self.0.dependents.subscribe()
    }

    /// Returns the scope of the slot that has this place on the ring. `None` if this replica does
    /// not hold the slot or gives it back. Takes no lock and does not allocate.
    ///
    /// Track the work first, and then check that it may begin, because the slot may be released
    /// between the two:
    ///
    /// ```
    /// use kube_controllers::Sharding;
    ///
    /// /// Does the work if this replica has the place. Returns `None` if it has not, or if the
    /// /// work was dropped.
    /// async fn on_slot<F: Future>(sharding: &Sharding, hash: u64, work: F) -> Option<F::Output> {
    ///     let scope = sharding.scope(hash)?;
    ///     let tracked = scope.track(work);
    ///     if scope.may_begin() { tracked.await } else { None }
    /// }
    /// ```
    pub fn scope(&self, hash: u64) -> Option<WorkScope> {
        self.tenure(hash).map(|(scope, _)| scope)
    }

    /// Returns the scope of a place like [`scope`](Self::scope), and the slot's tenure.
    pub(crate) fn tenure(&self, hash: u64) -> Option<(WorkScope, u64)> {
        self.0.scopes.load().get(self.slot_of(hash))?.clone()
    }

    /// Returns the namespace of its Leases.
    pub(crate) fn namespace(&self) -> &str {
        &self.0.namespace
    }

    /// Returns whether the membership has begun to run.
    pub(crate) fn has_run(&self) -> bool {
        self.0.has_run.load(Ordering::Acquire)
    }

    /// Returns the present state.
    pub fn status(&self) -> ShardingStatus {
        self.0.status.borrow().clone()
    }

    /// Returns a receiver of the state, which can be read and awaited at any time. A renewal does
    /// not wake it.
    pub fn watch_status(&self) -> watch::Receiver<ShardingStatus> {
        self.0.status.subscribe()
    }
}

impl fmt::Debug for Sharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = self.0.status.borrow();
        f.debug_struct("Sharding")
            .field("namespace", &self.0.namespace)
            .field("group", &self.0.rules.group)
            .field("identity", &self.0.rules.identity)
            .field("by", &self.0.rules.by)
            .field("slots", &self.0.rules.slots)
            .field("session", &status.session)
            .field("held", &status.held)
            .finish_non_exhaustive()
    }
}
