//! The tasks that connect a controller to its informers.
//!
//! A controller connects to an informer with a tap. The tap takes every state from one moment on,
//! and the connection's task queues the keys of the objects stored at that moment. Order does not
//! matter, because the queue holds keys and a reconcile reads the store.

use std::collections::HashSet;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, pending};
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::ControllerParts;
use super::enqueuer::{Enqueuer, Knows};
use super::membership::Membership;
use super::owner::OwnInformers;
use super::sources::Source;
use super::waiting::Awaited;
use crate::tasks::LabelledTasks;
use kube_informer::indexer::Snapshot;
use kube_informer::informer::ReadBarrier;
use kube_informer::informer::{InformerStopped, SharedInformer};
use kube_informer::object::{Cached, CachedEvent, ObjectKey};
use kube_informer::processor::Tap;
use kube_informer::seams::Together;
use kube_informer::seams::VecMap;
use kube_informer::seams::YieldBudget;
use kube_informer::seams::drop_safely;

/// The number of unmerged states that may wait for a predicate or a mapping function. When it is
/// reached, the informer's processing loop waits.
const BACKLOG: usize = 1024;

/// A term of leadership, in which informers feed a controller.
struct Term {
    parts: Arc<ControllerParts>,
    /// The moment since which a view must be fresh.
    since: ReadBarrier,
    /// Returns whether an informer of the controller's own objects knows of a key.
    knows: Arc<Knows>,
    own: Arc<OwnInformers>,
}

impl Deref for Term {
    type Target = ControllerParts;

    fn deref(&self) -> &ControllerParts {
        &self.parts
    }
}

/// The tasks that feed the queue. A connection has the number of its source and its informer.
pub(super) struct Connections {
    term: Arc<Term>,
    tasks: LabelledTasks<Option<(u64, SharedInformer)>, ()>,
    /// The informers that are followed, by source. Each has a token that is cancelled when it
    /// leaves its source.
    followed: VecMap<u64, Vec<(SharedInformer, CancellationToken)>>,
    /// The sources that come and go.
    changes: watch::Receiver<()>,
    /// The informers that join and leave their source.
    moves: Together<'static, Option<(u64, watch::Receiver<()>)>>,
    /// The number of the first source that was not followed yet.
    next: u64,
    /// The connections to required informers that queue the keys of the stored objects.
    feeding: Vec<CancellationToken>,
}

impl Connections {
    pub(super) fn new(parts: Arc<ControllerParts>, since: ReadBarrier) -> Self {
        let sources = parts.sources.clone();
        let changes = sources.changed.subscribe();
        let own = sources.clone();
        let own: Arc<OwnInformers> = Arc::new(move || own.own_informers());
        let knows = Arc::new(move |key: &ObjectKey| sources.sight(key, None).knows());
        Self {
            term: Arc::new(Term { parts, since, knows, own }),
            changes,
            tasks: LabelledTasks::default(),
            followed: VecMap::default(),
            moves: Together::default(),
            next: 0,
            feeding: Vec::new(),
        }
    }

    /// Connects to the informers of sources that came, and leaves those of sources that went.
    pub(super) fn follow_sources(&mut self) {
        self.changes.mark_unchanged();
        let (new, removed) = {
            let state = self.term.sources.state.lock();
            self.followed.retain(|number, _| state.of.contains_key(number));
            let new = state.of.starting_at(&self.next).to_vec();
            // No connection says farewell for one that was removed at once.
            let removed = (new.len() as u64) < state.made - self.next;
            self.next = state.made;
            (new, removed)
        };
        for (number, source) in &new {
            self.followed.insert(*number, Vec::new());
            self.moves.push(next_move(*number, source.informers.changes(), source));
            self.follow_informers(*number, source);
        }
        // It owns user functions.
        drop_safely(new);
        if removed {
            let term = self.term.clone();
            self.spawn(async move { term.sources.queue_unseen(&term.queue).await }.boxed());
        }
    }

    /// Connects to the informers that joined a source, and leaves those that left it.
    #[allow(clippy::mutable_key_type, reason = "informers are equal and hashed by identity")]
    fn follow_informers(&mut self, number: u64, source: &Arc<Source>) {
        let Some(followed) = self.followed.get_mut(&number) else { return };
        let before: HashSet<_> = followed.iter().map(|(informer, _)| informer.clone()).collect();
        let now = source.informers.informers();
        let present: HashSet<_> = now.iter().collect();
        followed.retain(|(informer, left)| {
            let stays = present.contains(informer);
            if !stays {
                left.cancel();
            }
            stays
        });
        let new = now.iter().filter(|informer| !before.contains(informer));
        let joined = new.map(|informer| (informer.clone(), source.removed.child_token()));
        let joined: Vec<_> = joined.collect();
        followed.extend(joined.iter().cloned());
        for (informer, left) in joined {
            let fed = self.connect(number, source.clone(), informer, left);
            if source.is_required() {
                self.feeding.push(fed);
            }
        }
    }

    /// Connects to an informer. Returns the token that is cancelled when the keys of all its stored
    /// objects are in the queue.
    fn connect(
        &mut self,
        number: u64,
        source: Arc<Source>,
        informer: SharedInformer,
        left: CancellationToken,
    ) -> CancellationToken {
        let fed = CancellationToken::new();
        let connection = Connection { membership: Membership::of(&informer), source, left };
        let task = connection.run(self.term.clone(), fed.clone());
        self.tasks.spawn(Some((number, informer)), task.boxed());
        fed
    }

    /// Waits until the keys of all objects are queued that required informers have.
    pub(super) async fn fed(&mut self) {
        for fed in std::mem::take(&mut self.feeding) {
            fed.cancelled().await;
        }
    }

    /// Runs a task that needs no informer.
    pub(super) fn spawn(&mut self, task: BoxFuture<'static, ()>) {
        self.tasks.spawn(None, task);
    }

    /// Follows what comes and goes. Returns after a task panicked, and connects to its informer
    /// again. Cancel safe.
    pub(super) async fn next_panic(&mut self) {
        loop {
            let (number, informer) = tokio::select! {
                biased;
                // `term` holds the sender.
                _changed = self.changes.changed() => {
                    self.follow_sources();
                    continue;
                }
                Some(moved) = self.moves.next() => {
                    let Some((number, changes)) = moved else { continue };
                    if let Some(source) = self.term.sources.source(number) {
                        self.moves.push(next_move(number, changes, &source));
                        self.follow_informers(number, &source);
                        drop_safely(source);
                    }
                    continue;
                }
                Some((label, ended)) = self.tasks.next() => match (label, ended) {
                    (_, Ok(())) => continue,
                    (None, Err(_)) => return,
                    (Some(label), Err(_)) => label,
                },
            };
            // It may have left since.
            let followed = self.followed.get(&number);
            let followed = followed.and_then(|all| all.iter().find(|one| one.0 == informer));
            let left = followed.map(|(_, left)| left.clone());
            if let Some((source, left)) = self.term.sources.source(number).zip(left) {
                self.connect(number, source, informer, left);
                return;
            }
        }
    }
}

/// Waits until informers join or leave a source. Returns `None` if none ever will.
fn next_move(
    number: u64,
    mut changes: watch::Receiver<()>,
    source: &Source,
) -> BoxFuture<'static, Option<(u64, watch::Receiver<()>)>> {
    // Before the caller looks at the informers.
    changes.mark_unchanged();
    let removed = source.removed.clone();
    let moved = async move {
        let moved = removed.run_until_cancelled(changes.changed()).await;
        moved?.ok().map(|()| (number, changes))
    };
    moved.boxed()
}

/// The connection to an informer of a source.
struct Connection {
    source: Arc<Source>,
    membership: Membership,
    /// Cancelled when the informer has left the source.
    left: CancellationToken,
}

impl Connection {
    /// Queues the keys of the informer's objects until it leaves or stops.
    async fn run(self, to: Arc<Term>, fed: CancellationToken) {
        // The controller waits for `fed`, even if this task ends unexpectedly.
        let fed = fed.drop_guard();
        // A group has its caches for as long as it is followed.
        let is_group = self.source.informers.is_group();
        let informer = self.membership.informer();
        let _cache = (!is_group).then(|| to.sources.show_writes_in(informer));
        if let Ok((feeder, stored)) = self.connect(&to) {
            let working = async {
                tokio::select! {
                    biased;
                    () = informer.stopped() => {}
                    () = feeder.run(stored, fed) => {}
                    () = self.prove(&to) => {}
                }
            };
            let _left = self.left.run_until_cancelled(working).await;
        }
        // The controller ends with a required informer.
        if self.source.is_required() {
            return;
        }
        // The informers of a set end when they leave it.
        if is_group && !self.left.is_cancelled() {
            tracing::warn!(
                controller = &*to.name,
                collection = %informer.collection(),
                "an informer that was added to the controller has stopped: it is followed no more"
            );
        }
        to.deletes.leave(informer);
        self.say_farewell(&to).await;
    }

    /// Queues the keys of all stored objects, and of every state from now on.
    fn connect(&self, to: &Term) -> Result<(Feeder, Snapshot), InformerStopped> {
        let informer = self.membership.informer();
        if self.source.is_own() {
            to.deletes.follow(informer, &to.name, true);
        }
        let enqueuer = Arc::new(self.enqueuer(to));
        let (tap, stored) = if self.source.rule.runs_user_code() {
            informer.tap(to.name.clone(), BACKLOG)?
        } else {
            informer.tap_with(enqueuer.clone().into_call())?
        };
        // Only the informers of a controller's own objects know all of its keys.
        let all_requests = self.source.is_own().then(|| to.all_requests.subscribe());
        let informer = informer.clone();
        Ok((Feeder { informer, enqueuer, tap, all_requests }, stored))
    }

    fn enqueuer(&self, to: &Term) -> Enqueuer {
        let informer = self.membership.informer();
        Enqueuer {
            rule: self.source.rule.clone(),
            informer: informer.collection().to_string().into(),
            queue: to.queue.clone(),
            debounce: to.debounce,
            status: to.status.clone(),
            history: to.history.clone(),
            slots: to.slots.clone(),
            knows: to.knows.clone(),
            own: to.own.clone(),
            dropper: informer.dropper().clone(),
            removed: (!self.source.is_required()).then(|| self.source.removed.clone()),
        }
    }

    /// Wakes the keys that wait for an informer once it is fresh. Never returns.
    async fn prove(&self, to: &Term) {
        // The controller watches required informers while it waits for all of them.
        if !self.source.is_required() {
            let collection = self.membership.collection();
            if self.membership.fresh(to.since, to.limits.sync).await.is_err() {
                let controller = &*to.name;
                let error = self.membership.unsynced();
                tracing::warn!(
                    controller,
                    %collection,
                    %error,
                    "an informer that was added to the controller shows no fresh view"
                );
                let _stopped = self.membership.fresh(to.since, Duration::MAX).await;
            }
            if self.source.is_own() {
                let awaited = Awaited::sight(collection.namespace.as_deref());
                to.sources.waiting.wake(awaited, &to.queue).await;
            }
        }
        pending::<()>().await;
    }

    /// Queues the keys of the objects of an informer that has left: a reconcile no longer finds
    /// them. Keys of its own objects leave the queue, unless another informer has them.
    async fn say_farewell(&self, to: &Term) {
        let own = self.source.is_own();
        let elsewhere = |key: &ObjectKey| own && to.sources.sight(key, None).is_followed();
        let (mut enqueuer, mut budget) = (self.enqueuer(to), YieldBudget::new());
        if own {
            // Own keys leave the queue also after the removal of their source.
            enqueuer.removed = None;
        }
        for (key, object) in self.membership.snapshot().iter_cached() {
            enqueuer.rule.pause(&mut budget).await;
            if !elsewhere(key) {
                enqueuer.fire(key, &CachedEvent::MovedAway { object });
            }
        }
        if own {
            let awaited = Awaited::sight(self.membership.collection().namespace.as_deref());
            to.sources.waiting.wake_if(&awaited, &to.queue, &elsewhere).await;
        }
    }
}

/// The feed of the queue by one informer. Dropping it ends the connection.
struct Feeder {
    informer: SharedInformer,
    enqueuer: Arc<Enqueuer>,
    tap: Tap,
    /// The requests to reconcile all objects.
    all_requests: Option<watch::Receiver<()>>,
}

impl Feeder {
    /// Queues the keys of stored objects, drops `fed`, and queues later keys. Never returns.
    async fn run(mut self, stored: Snapshot, fed: DropGuard) {
        self.feed(&stored, |object| CachedEvent::Added { object, initial: true }).await;
        drop(stored);
        drop(fed);
        let mut resync = self.informer.default_resync().map(|period| {
            // The sum is within the clock's range: a longer period means no resync.
            let mut ticks = interval_at(Instant::now() + period, period);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
            ticks
        });
        let mut budget = YieldBudget::new();
        loop {
            self.enqueuer.rule.pause(&mut budget).await;
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
                // The rare ones come first: events may come without end. A request queues all keys
                // that a resync would.
                biased;
                () = all => {
                    for (key, _) in self.informer.snapshot().iter_cached() {
                        budget.spend(1).await;
                        self.enqueuer.again(key);
                    }
                    self.catch_up(&mut budget).await;
                }
                () = tick => {
                    let again =
                        |object: Cached| CachedEvent::Updated { old: object.clone(), new: object };
                    self.feed(&self.informer.snapshot(), again).await;
                    self.catch_up(&mut budget).await;
                }
                event = self.tap.next() => match event {
                    Some((key, event)) => self.fire(&key, event),
                    // The informer has stopped, and the controller ends by itself.
                    None => std::future::pending().await,
                },
            }
        }
    }

    /// Queues the keys of the events that wait. During a walk through the store, the next request
    /// or resync may have come.
    async fn catch_up(&mut self, budget: &mut YieldBudget) {
        for _ in 0..BACKLOG {
            self.enqueuer.rule.pause(budget).await;
            let Some(Some((key, event))) = self.tap.next().now_or_never() else { return };
            self.fire(&key, event);
        }
    }

    fn fire(&self, key: &ObjectKey, event: CachedEvent) {
        self.enqueuer.fire(key, &event);
        self.enqueuer.dropper.free_event(event);
    }

    /// Queues the keys of all stored objects, and yields to other tasks meanwhile.
    async fn feed(&self, stored: &Snapshot, event: impl Fn(Cached) -> CachedEvent) {
        let mut budget = YieldBudget::new();
        for (key, object) in stored.iter_cached() {
            self.enqueuer.rule.pause(&mut budget).await;
            self.enqueuer.fire(key, &event(object));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::api::ObjectMeta;
    use tokio::time::timeout;

    use super::*;
    use crate::controller::Controller;
    use crate::controller::triggers::{Keys, Rule};
    use kube_informer::factory::SharedInformerFactory;
    use kube_informer::informer::{InformerGroup, StartError};
    use kube_informer::seams::InformerSet;
    use kube_informer::testing::ApiServer;

    const S: Duration = Duration::from_secs(1);

    /// A group whose first connection panics.
    struct Panics(InformerGroup, AtomicUsize);

    impl InformerSet for Panics {
        fn start(&self) -> Result<(), StartError> {
            self.0.start()
        }

        fn informers(&self) -> Vec<SharedInformer> {
            self.0.informers().to_vec()
        }

        fn informer_of(&self, key: &ObjectKey) -> Option<SharedInformer> {
            self.0.informer_of(key).cloned()
        }

        fn is_group(&self) -> bool {
            // The first call adds the group.
            assert_ne!(self.1.fetch_add(1, Ordering::Relaxed), 1, "as the test wants");
            true
        }

        fn changes(&self) -> watch::Receiver<()> {
            watch::channel(()).1
        }
    }

    #[tokio::test(start_paused = true)]
    async fn connection_that_panics_is_made_again() {
        let server = ApiServer::new();
        let (namespace, name) = (Some("shop".into()), Some("a".into()));
        let metadata = ObjectMeta { namespace, name, ..ObjectMeta::default() };
        server.create(&ConfigMap { metadata, ..ConfigMap::default() }).unwrap();
        let factory = SharedInformerFactory::builder(server.client()).build();
        let maps = factory.informer::<ConfigMap>();
        let none = InformerGroup::<ConfigMap>::new([]);
        let parts = Controller::builder("maps", &none).build().parts;
        let (sources, queue) = (parts.sources.clone(), parts.queue.clone());
        sources.begin(ReadBarrier::START);
        let panics = Panics(InformerGroup::from(&maps).cast(), AtomicUsize::new(0));
        let panics: Arc<dyn InformerSet> = Arc::new(panics);
        let number = sources.add(&panics, Rule::new(Vec::new(), Keys::Own)).unwrap();
        let mut connections = Connections::new(Arc::new(parts), ReadBarrier::START);
        connections.follow_sources();
        connections.next_panic().await;
        assert!(timeout(S, connections.next_panic()).await.is_err(), "it panicked once");
        assert_eq!(queue.len(), 1);
        sources.remove(number);
        assert!(timeout(S, connections.next_panic()).await.is_err(), "it has said farewell");
        assert_eq!(queue.len(), 0);
        factory.shutdown().await;
    }
}
