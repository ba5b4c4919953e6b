//! The objects that a controller follows beside those of the informers that it was built with.
//!
//! An addition is a group of informers that was added at run time, or a set whose informers join
//! and leave. It holds up no reconcile, except for keys of own objects that only the addition may
//! have. Its failure does not end the controller. While the controller works, each addition has a
//! task, which connects to the informers that are present.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::following::{Connection, Connector, Followed};
use super::membership::Membership;
use super::own_writes::{CacheGuard, WriteLog};
use super::presence::Sight;
use super::triggers::{Keys, Rule};
use super::waiting::{Awaited, WaitingKeys};
use crate::basics::Mutex;
use crate::informer::{
    InformerGroup, InformerStopped, ReadBarrier as Moment, SharedInformer, StartError,
};
use crate::object::ObjectKey;
use crate::seams::{InformerSet, Together, VecMap, drop_safely};
use crate::tasks::LabelledTasks;
use crate::workqueue::WorkQueue;

/// The problem of a sharded controller with additions.
pub(super) const SHARDED: &str = "it is sharded, so it follows only informers that it was built \
    with, and no set whose informers come and go";

/// The additions of a controller.
pub(super) struct Additions {
    writes: Arc<WriteLog>,
    /// The time after which an informer that is not fresh is reported.
    limit: Duration,
    state: Mutex<State>,
    waiting: Arc<WaitingKeys>,
    /// Woken when an addition comes or goes.
    changed: watch::Sender<()>,
}

struct State {
    /// The informers of its own objects that it was built with. `None` when it has ended.
    built: Option<InformerGroup>,
    of: VecMap<u64, Arc<Addition>>,
    /// The informers of its own objects among them.
    own: OwnInformers,
    made: u64,
    /// The moment since which a view must be fresh. `None` until the controller starts its
    /// informers.
    since: Option<Moment>,
}

/// Informers with the number of their addition. A reader copies the reference.
type OwnInformers = Arc<Vec<(u64, Arc<Informers>)>>;

/// Objects that a controller follows until they are removed.
struct Addition {
    informers: Arc<Informers>,
    rule: Arc<Rule>,
    /// Cancelled when the controller no longer follows them.
    removed: CancellationToken,
    /// The caches of a group. Those of a set come and go with its informers.
    _caches: Vec<CacheGuard>,
}

/// The informers of an addition.
pub(super) enum Informers {
    Group(InformerGroup),
    Set(Arc<dyn InformerSet>),
}

impl Informers {
    pub(super) fn now(&self) -> Vec<SharedInformer> {
        match self {
            Self::Group(group) => group.informers().to_vec(),
            Self::Set(set) => set.informers(),
        }
    }

    fn of(&self, key: &ObjectKey) -> Option<SharedInformer> {
        match self {
            Self::Group(group) => group.informer_of(key).cloned(),
            Self::Set(set) => set.informer_of(key),
        }
    }

    /// Returns whether the collection of an informer tells which one it is.
    fn have_collections(&self) -> bool {
        match self {
            Self::Group(_) => true,
            Self::Set(set) => set.has_collections(),
        }
    }

    fn start(&self) -> Result<(), StartError> {
        match self {
            Self::Group(group) => group.start(),
            Self::Set(set) => set.start(),
        }
    }
}

impl Additions {
    pub(super) fn new(
        built: InformerGroup,
        writes: Arc<WriteLog>,
        waiting: Arc<WaitingKeys>,
        limit: Duration,
    ) -> Arc<Self> {
        let (of, own) = (VecMap::default(), OwnInformers::default());
        let state = State { built: Some(built), of, own, made: 0, since: None };
        let (state, changed) = (Mutex::new(state), watch::Sender::new(()));
        Arc::new(Self { writes, limit, state, waiting, changed })
    }

    /// Follows the informers of a set. None starts before the controller does.
    pub(super) fn add_set(&self, set: Arc<dyn InformerSet>, rule: Rule) {
        let _number = self.add(Arc::new(Informers::Set(set)), rule);
    }

    /// Follows these informers until they are removed. Returns the number of the addition.
    ///
    /// # Errors
    /// [`StartError::Stopped`] if the controller has ended.
    pub(super) fn add(&self, informers: Arc<Informers>, rule: Rule) -> Result<u64, StartError> {
        let caches = match &*informers {
            Informers::Group(group) => group.informers(),
            Informers::Set(_) => &[],
        };
        let caches = caches.iter().map(|informer| self.writes.follow(informer.clone()));
        let addition = Arc::new(Addition {
            _caches: caches.collect(),
            informers,
            rule: Arc::new(rule),
            removed: CancellationToken::new(),
        });
        let mut state = self.state.lock();
        if state.built.is_none() {
            drop(state);
            drop_safely(addition);
            return Err(StartError::Stopped);
        }
        let (number, starts) = (state.made, state.since.is_some());
        state.made += 1;
        state.of.insert(number, addition.clone());
        if addition.is_own() {
            Arc::make_mut(&mut state.own).push((number, addition.informers.clone()));
        }
        drop(state);
        if starts && let Err(error) = addition.informers.start() {
            self.remove(number);
            return Err(error);
        }
        self.changed.send_replace(());
        Ok(number)
    }

    pub(super) fn remove(&self, number: u64) {
        let mut state = self.state.lock();
        let removed = state.of.remove(&number);
        if removed.as_ref().is_some_and(|addition| addition.is_own()) {
            Arc::make_mut(&mut state.own).retain(|(other, _)| *other != number);
        }
        drop(state);
        if let Some(addition) = removed {
            addition.removed.cancel();
            self.changed.send_replace(());
            // Not under the lock: it owns user functions.
            drop_safely(addition);
        }
    }

    /// Removes everything, because the controller has ended.
    pub(super) fn end(&self) {
        let mut state = self.state.lock();
        let (built, all) = (state.built.take(), std::mem::take(&mut state.of));
        let own = std::mem::take(&mut state.own);
        drop(state);
        drop(own);
        for addition in all.into_values() {
            addition.removed.cancel();
            drop_safely(addition);
        }
        drop(built);
    }

    /// Starts the informers, which must be fresh since this moment.
    pub(super) fn begin(&self, since: Moment) {
        self.state.lock().since = Some(since);
        for (_, addition) in self.all() {
            // The controller goes on without an informer that was stopped.
            let _stopped = addition.informers.start();
        }
    }

    fn all(&self) -> Vec<(u64, Arc<Addition>)> {
        let state = self.state.lock();
        state.of.iter().cloned().collect()
    }

    /// Returns why a sharded controller can't have them, if there are any.
    pub(super) fn wrong_if_sharded(&self) -> Option<&'static str> {
        (!self.state.lock().of.is_empty()).then_some(SHARDED)
    }

    /// Returns the informers that are present now.
    pub(super) fn informers(&self) -> Vec<SharedInformer> {
        let mut informers = Vec::new();
        self.all().iter().for_each(|(_, addition)| informers.extend(addition.informers.now()));
        informers
    }

    /// Returns the moment since which informers must be fresh.
    pub(super) fn since(&self) -> Moment {
        self.state.lock().since.unwrap_or(Moment::START)
    }

    /// Returns the informers that are present now, each with a token that is cancelled when the
    /// controller no longer follows it.
    pub(super) fn members(&self) -> Vec<(Membership, CancellationToken)> {
        let mut members = Vec::new();
        for (_, addition) in self.all() {
            for informer in addition.informers.now() {
                members.push((Membership::of(&informer), addition.removed.clone()));
            }
        }
        members
    }

    /// Looks up one of the controller's own objects. `place` is the object's place on the ring, if
    /// it is known. O(additions of own objects * log objects).
    pub(super) fn sight(&self, key: &ObjectKey, place: Option<u64>) -> Sight {
        let state = self.state.lock();
        let (built, own) = (state.built.clone(), state.own.clone());
        let since = state.since.unwrap_or(Moment::START);
        drop(state);
        let built = built.and_then(|built| built.informer_of(key).cloned());
        let added = own.iter().filter_map(|(_, informers)| informers.of(key));
        Sight::of(key, place, built.into_iter().chain(added), since)
    }

    /// Returns whether an addition is to tell whether the object of a key exists.
    pub(super) fn awaits_sight(&self, key: &ObjectKey) -> bool {
        let none = self.state.lock().own.is_empty();
        !none && self.sight(key, None).is_awaited()
    }

    /// Queues all keys that wait, to look them up again.
    pub(super) async fn queue_unseen(&self, queue: &WorkQueue<ObjectKey>) {
        self.waiting.wake(Awaited::sight(None), queue).await;
    }

    /// Returns the names of informers that are not fresh.
    pub(super) fn missing(&self) -> Vec<Arc<str>> {
        let since = self.state.lock().since;
        let Some(since) = since else { return Vec::new() };
        let mut missing = Vec::new();
        for (_, addition) in self.all() {
            // The factory's status names those of single objects.
            if !addition.informers.have_collections() {
                continue;
            }
            for informer in addition.informers.now() {
                if !informer.is_past(since) && !informer.is_stopped() {
                    missing.push(informer.collection().to_string().into());
                }
            }
        }
        missing
    }
}

impl Addition {
    /// Returns whether these are the controller's own objects.
    fn is_own(&self) -> bool {
        matches!(self.rule.keys, Keys::Own)
    }

    /// Follows the informers that are present, until the addition is removed.
    async fn follow(self: Arc<Self>, to: Arc<Term>) {
        let changes = match &*self.informers {
            Informers::Group(_) => None,
            Informers::Set(set) => Some(set.changes()),
        };
        let mut changes = changes.unwrap_or_else(|| watch::channel(()).1);
        let mut present: Vec<(SharedInformer, CancellationToken)> = Vec::new();
        let mut following = Together::default();
        loop {
            changes.mark_unchanged();
            let now = self.informers.now();
            present.retain(|(informer, left)| {
                let stays = now.iter().any(|other| other == informer);
                if !stays {
                    left.cancel();
                }
                stays
            });
            for informer in now {
                if present.iter().any(|(other, _)| *other == informer) {
                    continue;
                }
                let left = CancellationToken::new();
                present.push((informer.clone(), left.clone()));
                let Ok((member, connection)) = self.join(&informer, &to) else {
                    self.report_end(&informer, &to);
                    if self.is_own() {
                        self.followed(&informer).say_farewell(&to).await;
                    }
                    continue;
                };
                following.push(member.follow(connection, to.clone(), left).boxed());
            }
            loop {
                tokio::select! {
                    biased;
                    () = self.removed.cancelled() => {
                        // The connections end before the keys leave the queue.
                        drop(following);
                        if self.is_own() {
                            for (informer, _) in present {
                                self.followed(&informer).say_farewell(&to).await;
                            }
                        }
                        return;
                    }
                    Ok(()) = changes.changed() => break,
                    Some(()) = following.next() => {}
                }
            }
        }
    }

    fn followed(&self, informer: &SharedInformer) -> Followed {
        let removed = Some(self.removed.clone());
        Followed { membership: Membership::of(informer), rule: self.rule.clone(), removed }
    }

    /// Connects to an informer.
    fn join(
        self: &Arc<Self>,
        informer: &SharedInformer,
        to: &Term,
    ) -> Result<(Member, Connection), InformerStopped> {
        let followed = self.followed(informer);
        let connection = followed.connect(&to.connector)?;
        let cache = match *self.informers {
            Informers::Group(_) => None,
            Informers::Set(_) => Some(to.additions.writes.follow(informer.clone())),
        };
        Ok((Member { addition: self.clone(), followed, _cache: cache }, connection))
    }

    fn report_end(&self, informer: &SharedInformer, to: &Term) {
        // The informers of a set end when they leave it.
        if matches!(*self.informers, Informers::Group(_)) {
            tracing::warn!(
                controller = &*to.connector.controller,
                collection = %informer.collection(),
                "an informer that was added to the controller has stopped: it is followed no more"
            );
        }
    }
}

/// An informer that an addition is connected to.
struct Member {
    addition: Arc<Addition>,
    followed: Followed,
    _cache: Option<CacheGuard>,
}

impl Member {
    /// Queues the keys of the informer's objects until it leaves or stops.
    async fn follow(self, connection: Connection, to: Arc<Term>, left: CancellationToken) {
        let member = &self.followed.membership;
        let proving = async {
            let collection = member.collection();
            if member.fresh(to.since, to.additions.limit).await.is_err() {
                let controller = &*to.connector.controller;
                let error = member.unsynced();
                tracing::warn!(
                    controller,
                    %collection,
                    %error,
                    "an informer that was added to the controller shows no fresh view"
                );
                let _stopped = member.fresh(to.since, Duration::MAX).await;
            }
            if self.addition.is_own() {
                let awaited = Awaited::sight(collection.namespace.as_deref());
                to.additions.waiting.wake(awaited, &to.connector.queue).await;
            }
            std::future::pending::<()>().await;
        };
        let ended = tokio::select! {
            biased;
            () = left.cancelled() => false,
            () = member.stopped() => true,
            () = connection.feeding => true,
            () = proving => true,
        };
        if ended {
            self.addition.report_end(member.informer(), &to);
        }
        self.followed.say_farewell(&to).await;
    }
}

impl Followed {
    /// Queues the keys of the objects of an informer that has left: a reconcile no longer finds
    /// them. Keys of its own objects leave the queue, unless another informer has them.
    async fn say_farewell(&self, to: &Term) {
        let own = matches!(self.rule.keys, Keys::Own);
        let elsewhere = |key: &ObjectKey| own && to.additions.sight(key, None).is_followed();
        self.move_away(&to.connector, elsewhere).await;
        if own {
            let awaited = Awaited::sight(self.membership.collection().namespace.as_deref());
            to.additions.waiting.wake_if(&awaited, &to.connector.queue, &elsewhere).await;
        }
    }
}

/// The parts of a controller that its additions feed, in one term of leadership.
pub(super) struct Term {
    pub(super) additions: Arc<Additions>,
    pub(super) connector: Connector,
    /// The moment since which a view must be fresh.
    pub(super) since: Moment,
}

/// The tasks of the additions, while the controller works.
pub(super) struct AdditionTasks {
    term: Arc<Term>,
    changes: watch::Receiver<()>,
    tasks: LabelledTasks<u64, ()>,
    /// The number of the first addition that had no task yet.
    next: u64,
    /// Those whose task has ended unexpectedly.
    ended: Vec<u64>,
}

impl AdditionTasks {
    pub(super) fn new(term: Term) -> Self {
        let changes = term.additions.changed.subscribe();
        let tasks = LabelledTasks::default();
        Self { term: Arc::new(term), changes, tasks, next: 0, ended: Vec::new() }
    }

    /// Begins to follow the additions that have no task.
    pub(super) async fn begin(&mut self) {
        self.changes.mark_unchanged();
        let (begun, removed) = {
            let state = self.term.additions.state.lock();
            let new = state.of.starting_at(&self.next);
            // No task says farewell for one that was removed at once.
            let removed = (new.len() as u64) < state.made - self.next;
            let ended = self.ended.drain(..);
            let ended = ended.filter_map(|number| Some((number, state.of.get(&number)?.clone())));
            let begun: Vec<_> = ended.chain(new.iter().cloned()).collect();
            self.next = state.made;
            (begun, removed)
        };
        for (number, addition) in begun {
            let following = addition.follow(self.term.clone());
            self.tasks.spawn(number, following.boxed());
        }
        if removed {
            self.term.additions.queue_unseen(&self.term.connector.queue).await;
        }
    }

    /// Waits until additions may lack a task. Returns whether one ended unexpectedly. Cancel safe.
    pub(super) async fn changed(&mut self) -> bool {
        tokio::select! {
            biased;
            // `term` holds the sender.
            _changed = self.changes.changed() => false,
            Some((number, _)) = self.tasks.next() => {
                self.ended.push(number);
                let state = self.term.additions.state.lock();
                self.ended.retain(|number| state.of.contains_key(number));
                !self.ended.is_empty()
            }
        }
    }
}
