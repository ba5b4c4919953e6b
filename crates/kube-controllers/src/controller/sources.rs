//! The informers that a controller follows, the keys that their events queue, and the objects that
//! they hold.
//!
//! A source is a group of informers, which never changes, or a set whose informers join and leave.
//! Work waits for the groups that the controller was built with. Every other source holds up no
//! reconcile, except for keys of own objects that only this source may have. Its failure does not
//! end the controller.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::membership::Membership;
use super::own_writes::{CacheGuard, WriteLog};
use super::presence::{Presence, UnknownReason};
use super::triggers::{Keys, Rule};
use super::waiting::{Awaited, WaitingKeys};
use crate::basics::Mutex;
use kube_informer::informer::ReadBarrier;
use kube_informer::informer::SharedInformer;
use kube_informer::informer::StartError;
use kube_informer::informer::Unsynced;
use kube_informer::object::{AnyObject, Cached, ObjectKey};
use kube_informer::seams::InformerSet;
use kube_informer::seams::KindReach;
use kube_informer::seams::VecMap;
use kube_informer::seams::drop_safely;
use kube_informer::workqueue::WorkQueue;

/// The problem of a sharded controller with other sources than groups that it was built with.
pub(super) const SHARDED: &str = "it is sharded, so it follows only informers that it was built \
    with, and no set whose informers come and go";

/// The period of the check whether the server refuses the first watch.
const WATCH_POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Informers of one kind, and the keys that their events queue.
pub(super) struct Source {
    pub(super) informers: Arc<dyn InformerSet>,
    pub(super) rule: Arc<Rule>,
    /// The informers that work waits for. `None` if work does not wait for the source.
    required: Option<Vec<Membership>>,
    /// Cancelled when the controller no longer follows the source.
    pub(super) removed: CancellationToken,
    /// The caches of a group. Those of a set come and go with its informers.
    _caches: CacheGuard,
}

/// Returns the required informers of all sources, in order.
pub(super) fn members(sources: &[Arc<Source>]) -> impl Iterator<Item = &Membership> {
    sources.iter().flat_map(|source| source.members())
}

impl Source {
    /// Returns the informers that work waits for.
    pub(super) fn members(&self) -> std::slice::Iter<'_, Membership> {
        self.required.as_deref().unwrap_or_default().iter()
    }

    /// Returns the informers that work waits for, each with the rule.
    pub(super) fn with_rule(&self) -> impl Iterator<Item = (&Membership, &Rule)> {
        self.members().map(|member| (member, &*self.rule))
    }

    pub(super) fn is_required(&self) -> bool {
        self.required.is_some()
    }

    /// Returns whether these are the controller's own objects.
    pub(super) fn is_own(&self) -> bool {
        matches!(self.rule.keys, Keys::Own)
    }

    /// Returns whether work may begin with the informers that are fresh so far.
    pub(super) fn has_some(&self, since: ReadBarrier) -> bool {
        self.members().len() == 0 || self.members().any(|member| member.is_fresh(since))
    }

    /// Waits until the server has refused each informer's watch for this long since its first list.
    /// Never returns once a watch was opened.
    pub(super) async fn unwatched(&self, limit: Duration) -> Vec<Unsynced> {
        while self.members().len() > 0 && !self.members().any(|member| member.has_watched()) {
            sleep(WATCH_POLL_INTERVAL).await;
            let refused: Option<Vec<_>> =
                self.members().map(|member| member.unwatched(limit)).collect();
            if let Some(refused) = refused {
                return refused;
            }
        }
        std::future::pending().await
    }
}

/// The sources of a controller.
pub(super) struct Sources {
    writes: Arc<WriteLog>,
    pub(super) state: Mutex<State>,
    pub(super) waiting: Arc<WaitingKeys>,
    /// Woken when a source comes or goes.
    pub(super) changed: watch::Sender<()>,
    /// True if a key that no object can have was logged.
    told_scope: AtomicBool,
}

/// The informers of the controller's own objects, each with the number of its source. The first are
/// those that it was built with. A reader copies the reference, which owns no user function.
type OwnInformers = Arc<Vec<(u64, Arc<dyn InformerSet>)>>;

#[derive(Default)]
pub(super) struct State {
    pub(super) of: VecMap<u64, Arc<Source>>,
    own: OwnInformers,
    /// The number of sources that were ever added.
    pub(super) made: u64,
    /// The moment since which a view must be fresh. `None` until the controller starts its
    /// informers.
    since: Option<ReadBarrier>,
    ended: bool,
}

impl Sources {
    pub(super) fn new(writes: Arc<WriteLog>, waiting: Arc<WaitingKeys>) -> Self {
        let (state, changed) = (Mutex::default(), watch::Sender::new(()));
        Self { writes, state, waiting, changed, told_scope: AtomicBool::new(false) }
    }

    /// Follows what the controller was built with. Work waits for a group.
    pub(super) fn build(&self, informers: Arc<dyn InformerSet>, rule: Rule) -> Arc<Source> {
        let source = Arc::new(self.source_of(informers, rule, true));
        self.state.lock().push(source.clone());
        source
    }

    fn source_of(&self, informers: Arc<dyn InformerSet>, rule: Rule, built: bool) -> Source {
        let group = informers.is_group().then(|| informers.informers());
        let members = |group: &Vec<SharedInformer>| group.iter().map(Membership::of).collect();
        Source {
            informers,
            rule: Arc::new(rule),
            required: group.as_ref().filter(|_| built).map(members),
            removed: CancellationToken::new(),
            _caches: self.writes.follow(group.into_iter().flatten()),
        }
    }

    /// Follows these informers until they are removed. Returns the number of the source.
    ///
    /// # Errors
    /// [`StartError::Stopped`] if the controller has ended.
    pub(super) fn add(
        &self,
        informers: &Arc<dyn InformerSet>,
        rule: Rule,
    ) -> Result<u64, StartError> {
        let source = Arc::new(self.source_of(informers.clone(), rule, false));
        let mut state = self.state.lock();
        if state.ended {
            drop(state);
            drop_safely(source);
            return Err(StartError::Stopped);
        }
        let (number, starts) = (state.push(source), state.since.is_some());
        drop(state);
        if starts && let Err(error) = informers.start() {
            self.remove(number);
            return Err(error);
        }
        self.changed.send_replace(());
        Ok(number)
    }

    pub(super) fn remove(&self, number: u64) {
        let mut state = self.state.lock();
        let removed = state.of.remove(&number);
        if removed.as_ref().is_some_and(|source| source.is_own()) {
            Arc::make_mut(&mut state.own).retain(|(other, _)| *other != number);
        }
        drop(state);
        if let Some(source) = removed {
            source.removed.cancel();
            self.changed.send_replace(());
            // Not under the lock: it owns user functions.
            drop_safely(source);
        }
    }

    /// Removes everything, because the controller has ended.
    pub(super) fn end(&self) {
        let mut state = self.state.lock();
        state.ended = true;
        let (all, own) = (std::mem::take(&mut state.of), std::mem::take(&mut state.own));
        drop(state);
        drop(own);
        for source in all.into_values() {
            source.removed.cancel();
            drop_safely(source);
        }
    }

    /// Starts the informers that work does not wait for. All must be fresh since this moment.
    pub(super) fn begin(&self, since: ReadBarrier) {
        self.state.lock().since = Some(since);
        for source in self.others() {
            // The controller goes on without an informer that was stopped.
            let _stopped = source.informers.start();
        }
    }

    /// Returns the informers of the controller's own objects. Empty if the controller follows no
    /// objects that these own.
    pub(super) fn owners(&self) -> Vec<Arc<dyn InformerSet>> {
        let is_owned = |source: &Arc<Source>| matches!(source.rule.keys, Keys::Owner(_));
        let state = self.state.lock();
        let own = if state.of.values().any(is_owned) { state.own.as_slice() } else { &[] };
        own.iter().map(|(_, informers)| informers.clone()).collect()
    }

    /// Returns the present informers of the controller's own objects.
    pub(super) fn own_informers(&self) -> Vec<SharedInformer> {
        let own = self.state.lock().own.clone();
        own.iter().flat_map(|(_, informers)| informers.informers()).collect()
    }

    pub(super) fn source(&self, number: u64) -> Option<Arc<Source>> {
        self.state.lock().of.get(&number).cloned()
    }

    /// Returns the sources that work does not wait for.
    fn others(&self) -> Vec<Arc<Source>> {
        let state = self.state.lock();
        state.of.values().filter(|source| !source.is_required()).cloned().collect()
    }

    /// Returns why a sharded controller can't have them, if there are any.
    pub(super) fn wrong_if_sharded(&self) -> Option<&'static str> {
        (!self.others().is_empty()).then_some(SHARDED)
    }

    /// Returns the moment since which informers must be fresh.
    pub(super) fn since(&self) -> ReadBarrier {
        self.state.lock().since.unwrap_or(ReadBarrier::START)
    }

    /// Returns the present informers that work does not wait for, each with a token that is
    /// cancelled when the controller no longer follows it.
    pub(super) fn members(&self) -> Vec<(Membership, CancellationToken)> {
        let mut members = Vec::new();
        for source in self.others() {
            for informer in source.informers.informers() {
                members.push((Membership::of(&informer), source.removed.clone()));
            }
        }
        members
    }

    /// Also shows the controller's writes in this informer of a set, until the guard is dropped.
    pub(super) fn show_writes_in(&self, informer: &SharedInformer) -> CacheGuard {
        self.writes.follow([informer.clone()])
    }

    /// Looks up one of the controller's own objects. `place` is the object's place on the ring, if
    /// it is known. O(sources of own objects * log objects).
    pub(super) fn sight(&self, key: &ObjectKey, place: Option<u64>) -> Existence {
        let state = self.state.lock();
        let (own, since) = (state.own.clone(), state.since.unwrap_or(ReadBarrier::START));
        drop(state);
        let informers = own.iter().filter_map(|(_, informers)| informers.informer_of(key));
        Existence::of(key, place, informers, since)
    }

    /// Logs the first key that no object can have.
    pub(super) fn note_scope(&self, controller: &str, key: &ObjectKey, found: &Existence) {
        let is_wrong = matches!(found, Existence::Unknown(UnknownReason::WrongScope));
        if is_wrong && !self.told_scope.swap(true, Ordering::Relaxed) {
            let reason = UnknownReason::WrongScope;
            tracing::warn!(controller, %key, "{reason}; correct the mapping or trigger that gives it");
        }
    }

    /// Returns whether a source is to tell whether the object of a key exists. A key waits for a
    /// required informer in another way.
    pub(super) fn awaits_sight(&self, key: &ObjectKey) -> bool {
        let own = self.state.lock().own.clone();
        let is_required = matches!(&**own, [(_, built)] if built.is_group());
        !is_required && self.sight(key, None).is_awaited()
    }

    /// Queues all keys that wait, to look them up again.
    pub(super) async fn queue_unseen(&self, queue: &WorkQueue<ObjectKey>) {
        self.waiting.wake(Awaited::sight(None), queue).await;
    }

    /// Returns the names of the informers that are not fresh and that work does not wait for.
    pub(super) fn missing(&self) -> Vec<Arc<str>> {
        let Some(since) = self.state.lock().since else { return Vec::new() };
        let mut missing = Vec::new();
        // The factory's status names those of single objects.
        for source in self.others().iter().filter(|source| source.informers.has_collections()) {
            for informer in source.informers.informers() {
                if !informer.is_past(since) && !informer.is_stopped() {
                    missing.push(informer.collection().to_string().into());
                }
            }
        }
        missing
    }
}

impl State {
    /// Adds a source. Returns its number.
    fn push(&mut self, source: Arc<Source>) -> u64 {
        let number = self.made;
        if source.is_own() {
            Arc::make_mut(&mut self.own).push((number, source.informers.clone()));
        }
        self.made += 1;
        self.of.insert(number, source);
        number
    }
}

/// The answer of a controller's informers to the question whether an object exists.
pub(super) enum Existence {
    /// The newest state that one of them holds. Nothing is unpacked.
    Held(Cached),
    Gone,
    Unknown(UnknownReason),
}

impl Existence {
    /// Asks the informers of the controller's own objects that hold a key's namespace. `place` is
    /// the object's place on the ring, if it is known. O(log n) in the number of objects.
    ///
    /// Only informers that run and are fresh since this moment know of an object. One that holds
    /// the object decides, before one that knows that the object is gone. The informers that cannot
    /// tell, because they are narrowed or stopped, decide only where no other does.
    fn of(
        key: &ObjectKey,
        place: Option<u64>,
        informers: impl IntoIterator<Item = SharedInformer>,
        since: ReadBarrier,
    ) -> Self {
        let answers = informers.into_iter().map(|one| Self::in_informer(key, place, &one, since));
        let nobody = Self::Unknown(UnknownReason::NotHeld);
        answers.fold(nobody, |best, other| if other.outranks(&best) { other } else { best })
    }

    /// Returns whether an informer will know more when it is fresh.
    pub(super) fn is_awaited(&self) -> bool {
        matches!(self, Self::Unknown(UnknownReason::NotSynced))
    }

    /// Returns whether an informer that runs holds the key's namespace.
    pub(super) fn is_followed(&self) -> bool {
        !matches!(self, Self::Unknown(UnknownReason::NotHeld | UnknownReason::Stopped))
    }

    /// Returns whether an informer that has synced holds the key's place, and no such object.
    pub(super) fn is_absent(&self) -> bool {
        matches!(self, Self::Gone | Self::Unknown(UnknownReason::NotSelected))
    }

    /// Returns whether an informer knows of the object, or will when it is fresh.
    pub(super) fn knows(&self) -> bool {
        matches!(self, Self::Held(_) | Self::Gone) || self.is_awaited()
    }

    /// Unpacks the object.
    pub(super) fn read(self) -> Presence<dyn AnyObject> {
        match self {
            Self::Held(cached) => match cached.read(None) {
                Some(object) => Presence::Present(object),
                None => Presence::Unknown(UnknownReason::Undecodable),
            },
            Self::Gone => Presence::Gone,
            Self::Unknown(reason) => Presence::Unknown(reason),
        }
    }

    fn in_informer(
        key: &ObjectKey,
        place: Option<u64>,
        informer: &SharedInformer,
        since: ReadBarrier,
    ) -> Self {
        // Read before the store, so that an informer that stops or syncs meanwhile never turns
        // `Unknown` into `Gone`.
        let (fresh, stopped) = (informer.is_past(since), informer.is_stopped());
        if stopped {
            return Self::Unknown(UnknownReason::Stopped);
        }
        if !fresh {
            return Self::Unknown(UnknownReason::NotSynced);
        }
        let store = informer.snapshot();
        if let Some(cached) = store.get_cached(key) {
            return Self::Held(cached);
        }
        let any = store.iter_cached().next().map(|(key, _)| key);
        // While there is no object, the key's is gone in either case.
        if KindReach::Unknown.excludes(any, key.namespace()) {
            return Self::Unknown(UnknownReason::WrongScope);
        }
        let is_elsewhere = store.shard().is_some_and(|shard| {
            let place = shard.key().place(key, |_| place);
            !place.is_some_and(|place| shard.contains(place))
        });
        if is_elsewhere {
            Self::Unknown(UnknownReason::OtherShard)
        } else if store.is_unreadable(key) {
            Self::Unknown(UnknownReason::Undecodable)
        } else if informer.is_narrowed() {
            Self::Unknown(UnknownReason::NotSelected)
        } else {
            Self::Gone
        }
    }

    fn outranks(&self, other: &Self) -> bool {
        match (self, other) {
            // One of two informers may lag behind.
            (Self::Held(object), Self::Held(other)) => {
                let older = object.version().zip(other.version());
                older.is_some_and(|(object, other)| other.is_older_than(&object))
            }
            _ => self.rank() > other.rank(),
        }
    }

    /// Returns a number that is higher for an answer that says more. `Gone` ranks below all that
    /// may be the object.
    fn rank(&self) -> u8 {
        match self {
            Self::Unknown(UnknownReason::NotHeld) => 0,
            Self::Unknown(UnknownReason::Stopped) => 1,
            Self::Unknown(UnknownReason::WrongScope) => 2,
            Self::Unknown(UnknownReason::NotSelected) => 3,
            Self::Unknown(UnknownReason::OtherShard) => 4,
            Self::Unknown(UnknownReason::NotSynced) => 5,
            Self::Gone => 6,
            Self::Unknown(UnknownReason::Undecodable) => 7,
            Self::Held(_) => 8,
        }
    }
}
