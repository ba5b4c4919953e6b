//! The informers that a controller follows.
//!
//! A controller connects to an informer with a tap. The tap takes every state from one moment on,
//! and a feeder queues the keys of the objects stored at that moment. Order does not matter,
//! because the queue holds keys and a reconcile reads the store.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep};
use tokio_util::sync::CancellationToken;

use super::gate::SlotGate;
use super::membership::Membership;
use super::status::StatusCell;
use super::streams::AllRequests;
use super::triggers::{Enqueuer, Keys, Knows, Rule};
use crate::indexer::Snapshot;
use crate::informer::{
    InformerGroup, InformerStopped, ReadBarrier as Moment, SharedInformer, Unsynced,
};
use crate::object::{Cached, CachedEvent, ObjectKey};
use crate::processor::Tap;
use crate::seams::YieldBudget;
use crate::sharding::Sharding;
use crate::workqueue::WorkQueue;

/// The number of unmerged states that may wait for a predicate or a mapping function. When it is
/// reached, the informer's processing loop waits.
const BACKLOG: usize = 1024;

/// The period of the check whether the server refuses the first watch.
const WATCH_POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The parts of a controller that its informers feed.
pub(super) struct Connector {
    pub(super) controller: Arc<str>,
    pub(super) queue: WorkQueue<ObjectKey>,
    pub(super) status: Arc<StatusCell>,
    pub(super) debounce: Duration,
    pub(super) all_requests: AllRequests,
    pub(super) slots: Option<Arc<SlotGate>>,
    /// Returns whether an informer of the controller's own objects knows of a key.
    pub(super) knows: Arc<Knows>,
}

/// An informer that a controller is connected to.
pub(super) struct Connection {
    /// A future that feeds the stored objects, resyncs, and runs user code. It ends only with the
    /// controller.
    pub(super) feeding: BoxFuture<'static, ()>,
    /// A token that is cancelled when the keys of all stored objects are in the queue.
    pub(super) fed: CancellationToken,
}

/// An informer that a controller follows.
pub(super) struct Followed {
    pub(super) membership: Membership,
    /// The rule that gives the keys of an event.
    pub(super) rule: Arc<Rule>,
    /// Cancelled when the controller no longer follows it. `None` if it always does.
    pub(super) removed: Option<CancellationToken>,
}

/// Follows each informer of a group.
pub(super) fn each<O: ?Sized>(informers: &InformerGroup<O>, rule: Rule) -> Group {
    let rule = Arc::new(rule);
    let following = |informer: &SharedInformer<O>| {
        let (membership, rule) = (Membership::of(informer), rule.clone());
        Followed { membership, rule, removed: None }
    };
    Group(informers.informers().iter().map(following).collect())
}

/// The informers of one kind.
pub(super) struct Group(pub(super) Vec<Followed>);

/// Returns the informers of all groups, in order.
pub(super) fn followed(groups: &[Group]) -> Vec<&Followed> {
    let mut followed = Vec::new();
    for group in groups {
        followed.extend(&group.0);
    }
    followed
}

/// Returns the memberships in the informers of all groups, in order.
pub(super) fn members(groups: &[Group]) -> Vec<&Membership> {
    followed(groups).into_iter().map(|followed| &followed.membership).collect()
}

impl Group {
    /// Returns whether work may begin with the informers that are fresh so far.
    pub(super) fn has_some(&self, since: Moment) -> bool {
        self.0.is_empty() || self.members().any(|member| member.is_fresh(since))
    }

    /// Waits until the server has refused each informer's watch for this long since its first list.
    /// Never returns once a watch was opened.
    pub(super) async fn unwatched(&self, limit: Duration) -> Vec<Unsynced> {
        while !self.0.is_empty() && !self.members().any(|member| member.has_watched()) {
            sleep(WATCH_POLL_INTERVAL).await;
            let refused: Option<Vec<_>> =
                self.members().map(|member| member.unwatched(limit)).collect();
            if let Some(refused) = refused {
                return refused;
            }
        }
        std::future::pending().await
    }

    /// Returns the memberships in the informers.
    pub(super) fn members(&self) -> impl Iterator<Item = &Membership> {
        self.0.iter().map(|followed| &followed.membership)
    }
}

impl Followed {
    /// Returns whether the informer follows this membership's shard, or none.
    pub(super) fn is_of(&self, sharding: &Sharding) -> bool {
        let of = [sharding.objects(), sharding.dependents()];
        let wanted = self.membership.informer().wanted_shard();
        wanted.is_none_or(|wanted| of.iter().any(|of| wanted.same_channel(of)))
    }

    fn enqueuer(&self, to: &Connector) -> Enqueuer {
        Enqueuer {
            rule: self.rule.clone(),
            informer: self.membership.collection().to_string().into(),
            queue: to.queue.clone(),
            debounce: to.debounce,
            status: to.status.clone(),
            slots: to.slots.clone(),
            knows: to.knows.clone(),
            dropper: self.membership.informer().dropper().clone(),
            removed: self.removed.clone(),
        }
    }

    /// Tells that the controller no longer follows the stored objects, except for these.
    pub(super) async fn move_away(&self, to: &Connector, except: impl Fn(&ObjectKey) -> bool) {
        let (mut enqueuer, mut budget) = (self.enqueuer(to), YieldBudget::new());
        if !self.rule.maps() {
            // Own keys leave the queue also after the removal.
            enqueuer.removed = None;
        }
        for (key, object) in self.membership.informer().snapshot().iter_cached() {
            budget.spend(1).await;
            if !except(key) {
                enqueuer.fire(key, &CachedEvent::MovedAway { object });
            }
        }
    }

    /// Queues the keys of all stored objects, and of every state from now on.
    pub(super) fn connect(&self, to: &Connector) -> Result<Connection, InformerStopped> {
        let enqueuer = Arc::new(self.enqueuer(to));
        let (tap, stored) = if self.rule.runs_user_code() {
            self.membership.tap(to.controller.clone(), BACKLOG)?
        } else {
            let enqueuer = enqueuer.clone();
            self.membership.tap_with(move |key, event| enqueuer.fire(key, event))?
        };
        let fed = CancellationToken::new();
        // Only the informers of a controller's own objects know all of its keys.
        let own = matches!(self.rule.keys, Keys::Own);
        let feeder = Feeder {
            membership: self.membership.clone(),
            enqueuer,
            tap,
            all_requests: own.then(|| to.all_requests.subscribe()),
        };
        Ok(Connection { feeding: feeder.run(stored, fed.clone()).boxed(), fed })
    }
}

/// The task of a connection. Dropping it ends the connection.
struct Feeder {
    membership: Membership,
    enqueuer: Arc<Enqueuer>,
    tap: Tap,
    /// The requests to reconcile all objects.
    all_requests: Option<watch::Receiver<()>>,
}

impl Feeder {
    async fn run(mut self, stored: Snapshot, fed: CancellationToken) {
        // The controller waits for `fed`, even if this task ends unexpectedly.
        let fed = fed.drop_guard();
        self.feed(&stored, |object| CachedEvent::Added { object, initial: true }).await;
        drop(stored);
        drop(fed);
        let mut resync = self.membership.default_resync().map(|period| {
            // The sum is within the clock's range: a longer period means no resync.
            let mut ticks = interval_at(Instant::now() + period, period);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
            ticks
        });
        let mut budget = YieldBudget::new();
        loop {
            self.pause(&mut budget).await;
            let tick = async {
                match &mut resync {
                    Some(ticks) => drop(ticks.tick().await),
                    None => std::future::pending().await,
                }
            };
            let all = async {
                // Without a sender no request can come.
                let requested = match &mut self.all_requests {
                    Some(requests) => requests.changed().await.is_ok(),
                    None => false,
                };
                if !requested {
                    std::future::pending::<()>().await;
                }
            };
            tokio::select! {
                // The rare ones come first: events may come without end.
                biased;
                () = tick => {
                    let again = |object| CachedEvent::Updated { old: Clone::clone(&object), new: object };
                    self.feed(&self.membership.informer().snapshot(), again).await;
                }
                () = all => {
                    for (key, _) in self.membership.informer().snapshot().iter_cached() {
                        budget.spend(1).await;
                        self.enqueuer.again(key);
                    }
                }
                event = self.tap.next() => match event {
                    Some((key, event)) => {
                        self.enqueuer.fire(&key, &event);
                        self.enqueuer.dropper.free_event(event);
                    }
                    // The informer has stopped, and the controller ends by itself.
                    None => std::future::pending().await,
                },
            }
        }
    }

    /// Queues the keys of all stored objects, and yields to other tasks meanwhile.
    async fn feed(&self, stored: &Snapshot, event: impl Fn(Cached) -> CachedEvent) {
        let mut budget = YieldBudget::new();
        for (key, object) in stored.iter_cached() {
            self.pause(&mut budget).await;
            self.enqueuer.fire(key, &event(object));
        }
    }

    /// Yields before each call of user code, and otherwise now and then.
    async fn pause(&self, budget: &mut YieldBudget) {
        if self.enqueuer.rule.runs_user_code() {
            // The last key may have woken a worker. Tokio runs that worker next on this thread, and
            // no other thread can steal it: a call that blocks would hold it up.
            budget.give_way().await;
        } else {
            budget.spend(1).await;
        }
    }
}
