//! The assumed objects of one informer, of any type.
//!
//! An object may have two layers over the stored one: the newest answer to a write, and above it an
//! intent, which is not written yet. A layer is removed only because of a store that shows it, so
//! no reader goes back.

use std::collections::HashMap;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures::future::BoxFuture;
use kube::api::DynamicObject;
use tokio::time::Instant;

use super::super::membership::Membership;
use super::{AssumeError, AssumedStatus};
use crate::basics::Mutex;
use crate::controller::own_writes::{
    Cache, CacheBefore, Expectation, WriteTarget, Written, is_met,
};
use kube_informer::indexer::Snapshot;
use kube_informer::informer::{ReadBarrier, SharedInformer};
use kube_informer::object::{Cached, ObjectKey, ResourceVersion};
use kube_informer::seams::{KindReach, catch};

/// The assumed objects that lie over a snapshot. `None` is an object that was deleted.
pub(super) type Laid = HashMap<ObjectKey, Option<Cached>>;

type Shown = Arc<dyn Fn(&Cached, &Cached) -> bool + Send + Sync>;

pub(super) struct Overlay {
    informer: SharedInformer,
    /// The API version of the objects' type. `None` if the type is known only at run time.
    api_version: Option<String>,
    reach: KindReach,
    membership: Membership,
    pub(super) cache: Cache,
    state: Mutex<OverlayState>,
}

#[derive(Clone)]
pub(super) struct Settings {
    pub(super) shown: Option<Shown>,
    pub(super) lifetime: Duration,
    pub(super) limit: usize,
}

struct OverlayState {
    settings: Settings,
    /// An entry is replaced, never changed, so that a reader without the lock knows what it saw.
    entries: HashMap<ObjectKey, Arc<Entry>>,
    /// The wait for the last proof that was wanted. Readers poll it.
    proof: Option<BoxFuture<'static, bool>>,
    expired: u64,
    skipped: u64,
    last_intent: u64,
}

/// The layers over one stored object. At least one is there.
#[derive(Clone, Default)]
struct Entry {
    answer: Option<AssumedAnswer>,
    intent: Option<Intent>,
}

/// The state after a write that was made.
#[derive(Clone)]
struct AssumedAnswer {
    /// The epoch and the state in which the store will show the write. `None` if only a proof that
    /// the store is newer can tell.
    expected: Option<(u64, Expectation)>,
    /// The object, or `None` if it was deleted.
    object: Option<Cached>,
    age: Age,
}

/// An object that is not written yet.
#[derive(Clone)]
struct Intent {
    id: u64,
    object: Cached,
    /// The epoch of the store when it was assumed.
    epoch: u64,
    /// The version of the state that is changed.
    base: Option<ResourceVersion>,
    /// The uid of the object that is changed; for a creation, that of the stored object then.
    uid: Option<String>,
    creates: bool,
    age: Age,
}

#[derive(Clone, Copy)]
struct Age {
    since: Instant,
    /// The moment when the layer was found to be too old. A store that is proved since then is
    /// newer than it.
    overdue: Option<ReadBarrier>,
}

impl Age {
    fn new() -> Self {
        Self { since: Instant::now(), overdue: None }
    }
}

/// The fate of a layer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stays,
    Overdue,
    Shown,
    Expired,
}

/// The uid and the version of an object.
type ObjectState = (Option<String>, Option<ResourceVersion>);

/// The state of the overlay and its cache before a request.
pub(super) struct Before {
    sight: CacheBefore,
    /// The object that readers saw.
    seen: Option<ObjectState>,
    intent: Option<u64>,
}

impl Overlay {
    pub(super) fn new(
        informer: SharedInformer,
        api_version: Option<String>,
        reach: KindReach,
    ) -> Self {
        let settings = Settings { shown: None, lifetime: Duration::from_secs(30), limit: 10_000 };
        let state = OverlayState {
            settings,
            entries: HashMap::new(),
            proof: None,
            expired: 0,
            skipped: 0,
            last_intent: 0,
        };
        Self {
            membership: Membership::of(&informer),
            cache: Cache::new(informer.clone()),
            informer,
            api_version,
            reach,
            state: Mutex::new(state),
        }
    }

    pub(super) fn set(&self, set: impl FnOnce(&mut Settings)) {
        let mut settings = self.state.lock().settings.clone();
        set(&mut settings);
        // A function of the user is dropped without the lock.
        let _before = std::mem::replace(&mut self.state.lock().settings, settings);
    }

    pub(super) fn status(&self) -> AssumedStatus {
        let state = self.state.lock();
        let OverlayState { expired, skipped, .. } = *state;
        AssumedStatus { assumed: state.entries.len(), expired, skipped }
    }

    /// Assumes an object that is not written yet.
    pub(super) fn assume(&self, key: ObjectKey, object: Cached) -> Result<(), AssumeError> {
        self.make_room();
        let (store, collection) = (self.informer.snapshot(), self.informer.collection());
        let any = store.iter_cached().next().map(|(key, _)| key);
        let is_elsewhere = |held: &Arc<str>| key.namespace() != Some(held);
        if collection.namespace.as_ref().is_some_and(is_elsewhere)
            || self.reach.excludes(any, key.namespace())
        {
            return Err(AssumeError::NotHeld { key, collection: collection.clone() });
        }
        let (uid, base) = (object.uid().map(str::to_owned), object.version());
        let creates = uid.is_none();
        let stored = || store.get_cached(&key).and_then(|stored| stored.uid().map(str::to_owned));
        let uid = uid.or_else(stored);
        let mut state = self.state.lock();
        let limit = state.settings.limit;
        if state.entries.len() >= limit && !state.entries.contains_key(&key) {
            return Err(AssumeError::Full { key, limit });
        }
        state.last_intent += 1;
        let (id, epoch) = (state.last_intent, store.epoch());
        let intent = Intent { id, object, epoch, base, uid, creates, age: Age::new() };
        let answer = state.entries.get(&key).and_then(|entry| entry.answer.clone());
        let before = state.entries.insert(key, Arc::new(Entry { answer, intent: Some(intent) }));
        drop(state);
        // The drop of an object is user code, so no lock is held.
        drop(before);
        Ok(())
    }

    /// Removes the intent of a key.
    pub(super) fn forget(&self, key: &ObjectKey) -> bool {
        let mut state = self.state.lock();
        let Some(entry) = state.entries.get(key).filter(|entry| entry.intent.is_some()) else {
            return false;
        };
        let left = Entry { intent: None, ..(**entry).clone() };
        let before = state.replace(key, left);
        drop(state);
        drop(before);
        true
    }

    /// Returns the state before a request, if the cache holds the target's objects.
    pub(super) fn before(&self, target: &WriteTarget) -> Option<Before> {
        let sight = self.cache.sight(target)?;
        let key = target.key();
        let entry = key.as_ref().and_then(|key| self.state.lock().entries.get(key).cloned());
        let answer = entry.as_ref().and_then(|entry| entry.answer.as_ref());
        let answered = answer.and_then(|answer| answer.object.clone());
        let stored = || self.informer.snapshot().get_cached(key.as_ref()?);
        let seen = answered.or_else(stored);
        let seen = seen.map(|seen| (seen.uid().map(str::to_owned), seen.version()));
        let intent = entry.and_then(|entry| Some(entry.intent.as_ref()?.id));
        Some(Before { sight, seen, intent })
    }

    /// Returns whether the informer's objects have this kind.
    pub(super) fn is_of_kind(&self, kind: &str) -> bool {
        *self.informer.collection().kind == *kind
    }

    /// Returns whether the informer's objects have this API version, as far as that is known.
    pub(super) fn is_of_version(&self, api_version: &str) -> bool {
        if let Some(known) = &self.api_version {
            return api_version.is_empty() || known == api_version;
        }
        // An informer of a dynamic type may have moved to another version than was requested.
        let first = self.informer.snapshot().iter_cached().next().map(|(_, first)| first);
        let first = first.and_then(|first| first.get_as::<DynamicObject>());
        let stated = first.as_ref().and_then(|first| first.types.as_ref());
        stated.is_none_or(|stated| api_version.is_empty() || stated.api_version == api_version)
    }

    /// Lays the answer to a write over the store. `object` is `None` for a deletion.
    pub(super) fn lay(
        &self,
        before: &Before,
        written: &Written,
        expectation: Expectation,
        object: Option<Cached>,
        creates: bool,
    ) {
        let expectation = match expectation {
            Expectation::Gone { uid, version } => {
                let stored = self.informer.snapshot().get_cached(&written.key);
                let now = stored.map(|now| (now.uid().map(str::to_owned), now.version()));
                let known = [&before.seen, &now].into_iter().flatten().find(|of| of.0 == uid);
                let version = version.or_else(|| known?.1.clone());
                let of = |state: &Option<ObjectState>| state.as_ref().map(|(uid, _)| uid.clone());
                if version.is_none() && of(&now) != of(&before.seen) {
                    // Readers may have seen an object that was created after the deletion.
                    return;
                }
                // The store may not know yet of an object that readers did not see.
                version.map(|version| Expectation::Gone { uid, version: Some(version) })
            }
            expectation => Some(expectation),
        };
        let expected = expectation.map(|expectation| {
            let key = Some(&written.key);
            (before.sight.epoch_of(key, &expectation, creates), expectation)
        });
        let epoch = expected.as_ref().map(|(epoch, _)| *epoch);
        let is_lost = epoch.is_some_and(|epoch| epoch < self.informer.snapshot().epoch());
        self.make_room();
        let new = AssumedAnswer { expected, object, age: Age::new() };
        // The drop of an object is user code, so no lock is held.
        let _held = new.object.clone();
        let mut state = self.state.lock();
        let entry = state.entries.get(&written.key).map(|entry| (**entry).clone());
        if entry.is_none() && is_lost {
            // The write was lost with its history, and readers may have seen the restored state.
            return;
        }
        if entry.is_none() && state.entries.len() >= state.settings.limit {
            state.skipped += 1;
            return;
        }
        let Entry { answer, intent } = entry.unwrap_or_default();
        let answer = match answer {
            Some(known) => known.or_newer(new),
            None => new,
        };
        let intent = intent.filter(|intent| Some(intent.id) != before.intent);
        let replaced = state.replace(&written.key, Entry { answer: Some(answer), intent });
        drop(state);
        drop(replaced);
    }

    /// Removes what the store shows, if the overlay is full.
    fn make_room(&self) {
        let is_full = {
            let state = self.state.lock();
            state.entries.len() >= state.settings.limit
        };
        if is_full {
            self.view();
        }
    }

    /// Returns the store, and the objects that lie over it. Removes what the store shows.
    pub(super) fn view(&self) -> (Snapshot, Laid) {
        let (settings, entries, proved, store) = {
            let mut state = self.state.lock();
            if state.entries.is_empty() {
                state.proof = None;
                return (self.informer.snapshot(), Laid::new());
            }
            if state.proof.as_mut().is_some_and(|proof| poll(proof).is_ready()) {
                state.proof = None;
            }
            // Before the snapshot, so that this is at least as new as the proof.
            let overdue = state.entries.values().flat_map(|entry| entry.overdue());
            let proved = overdue.filter(|moment| self.membership.is_fresh(*moment)).max();
            let store = self.informer.snapshot();
            (state.settings.clone(), state.entries.clone(), proved, store)
        };
        let look = Look { settings: &settings, proved, store: &store };
        let mut laid = Laid::with_capacity(entries.len());
        let mut changed = Vec::new();
        for (key, entry) in &entries {
            let (answer, intent) = look.fates(key, entry);
            let left = entry.after(answer, intent);
            match (&left.intent, &left.answer) {
                (Some(intent), _) => drop(laid.insert(key.clone(), Some(intent.object.clone()))),
                (None, Some(answer)) => drop(laid.insert(key.clone(), answer.object.clone())),
                (None, None) => {}
            }
            if (answer, intent) != (Fate::Stays, Fate::Stays) {
                let expired = [answer, intent].map(|fate| u64::from(fate == Fate::Expired));
                changed.push((key, entry, left, expired.iter().sum()));
            }
        }
        self.apply(changed);
        (store, laid)
    }

    /// Replaces the entries that nobody else has replaced, and wants a proof for those that are
    /// overdue.
    fn apply(&self, changed: Vec<(&ObjectKey, &Arc<Entry>, Entry, u64)>) {
        if changed.is_empty() {
            return;
        }
        let (mut removed, mut wanted) = (Vec::new(), None);
        let mut state = self.state.lock();
        for (key, seen, left, expired) in changed {
            if !state.entries.get(key).is_some_and(|entry| Arc::ptr_eq(entry, seen)) {
                continue;
            }
            state.expired += expired;
            wanted = wanted.max(left.overdue().max().filter(|moment| seen.is_older_than(*moment)));
            removed.extend(state.replace(key, left));
        }
        if let Some(moment) = wanted {
            let mut proof = self.membership.proof(moment);
            if poll(&mut proof).is_pending() {
                state.proof = Some(proof);
            }
        }
        drop(state);
        drop(removed);
    }
}

/// Polls a proof. Nothing is woken: the next reader polls it again.
fn poll(proof: &mut BoxFuture<'static, bool>) -> Poll<bool> {
    proof.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

impl OverlayState {
    /// Replaces the layers of a key. Returns the old ones.
    fn replace(&mut self, key: &ObjectKey, left: Entry) -> Option<Arc<Entry>> {
        if left.answer.is_none() && left.intent.is_none() {
            return self.entries.remove(key);
        }
        self.entries.insert(key.clone(), Arc::new(left))
    }
}

impl AssumedAnswer {
    /// Returns the newer one of two answers, of which the other one came later.
    fn or_newer(self, other: Self) -> Self {
        match (&self.expected, &other.expected) {
            (Some((of, _)), Some((epoch, _))) if of > epoch => self,
            (Some((of, known)), Some((epoch, new)))
                if of == epoch
                    && (new == known || new.is_older_than(known) || self.ends(&other)) =>
            {
                self
            }
            _ => other,
        }
    }

    /// Returns whether this is the end of the object that another answer shows. The version of an
    /// end may be that of any earlier state.
    fn ends(&self, other: &Self) -> bool {
        let Some((_, Expectation::Gone { uid: Some(uid), .. })) = &self.expected else {
            return false;
        };
        other.object.as_ref().is_some_and(|object| object.uid() == Some(uid))
    }
}

impl Entry {
    /// Returns the moments when its layers were found to be too old.
    fn overdue(&self) -> impl Iterator<Item = ReadBarrier> {
        let answer = self.answer.as_ref().and_then(|answer| answer.age.overdue);
        let intent = self.intent.as_ref().and_then(|intent| intent.age.overdue);
        answer.into_iter().chain(intent)
    }

    /// Returns whether no layer was found to be too old at this moment or later.
    fn is_older_than(&self, moment: ReadBarrier) -> bool {
        self.overdue().all(|overdue| overdue < moment)
    }

    /// Returns the layers that are left.
    fn after(&self, answer: Fate, intent: Fate) -> Self {
        let mut left = self.clone();
        let moment = [answer, intent].contains(&Fate::Overdue).then(ReadBarrier::now);
        match answer {
            Fate::Stays => {}
            Fate::Overdue => {
                left.answer.iter_mut().for_each(|answer| answer.age.overdue = moment);
            }
            Fate::Shown | Fate::Expired => left.answer = None,
        }
        match intent {
            Fate::Stays => {}
            Fate::Overdue => {
                left.intent.iter_mut().for_each(|intent| intent.age.overdue = moment);
            }
            Fate::Shown | Fate::Expired => left.intent = None,
        }
        left
    }
}

/// A look at the layers of all keys, over one state of the store.
struct Look<'a> {
    settings: &'a Settings,
    /// The latest moment since which the store is proved.
    proved: Option<ReadBarrier>,
    store: &'a Snapshot,
}

impl Look<'_> {
    /// Returns what becomes of the answer and of the intent of a key.
    fn fates(&self, key: &ObjectKey, entry: &Entry) -> (Fate, Fate) {
        let answer =
            entry.answer.as_ref().map_or(Fate::Stays, |AssumedAnswer { expected, age, .. }| {
                let shown = expected.as_ref().is_some_and(|of| is_met(of, self.store, Some(key)));
                let lost = expected.as_ref().is_none_or(|(epoch, _)| *epoch < self.store.epoch());
                self.fate(shown, *age, lost)
            });
        let covered = entry.answer.is_some() && matches!(answer, Fate::Stays | Fate::Overdue);
        let intent = entry.intent.as_ref().map_or(Fate::Stays, |intent| {
            // A store that does not show the answer is older than it.
            let shown = !covered && self.shows(key, intent);
            self.fate(shown, intent.age, false)
        });
        (answer, intent)
    }

    fn fate(&self, shown: bool, age: Age, lost: bool) -> Fate {
        let is_old = || lost || age.since.elapsed() >= self.settings.lifetime;
        match age.overdue {
            _ if shown => Fate::Shown,
            Some(moment) if self.proved >= Some(moment) => Fate::Expired,
            None if is_old() => Fate::Overdue,
            _ => Fate::Stays,
        }
    }

    /// Returns whether the store shows the outcome of an intent.
    fn shows(&self, key: &ObjectKey, intent: &Intent) -> bool {
        let stored = self.store.get_cached(key);
        let is_same = stored.as_ref().is_some_and(|of| of.uid() == intent.uid.as_deref());
        let same_epoch = intent.epoch == self.store.epoch();
        let base = intent.base.as_ref().filter(|_| same_epoch && !intent.creates);
        let Some(stored) = stored.filter(|_| is_same != intent.creates) else {
            // The object that is changed was deleted.
            return base.is_some_and(|base| self.store.has_reached(base)) && !is_same;
        };
        let version = stored.version();
        let is_newer = base.zip(version).is_none_or(|(base, version)| base.is_older_than(&version));
        let shown = self.settings.shown.as_ref().filter(|_| is_newer);
        shown.is_some_and(|shown| {
            catch(|| shown(&intent.object, &stored)).unwrap_or_else(|message| {
                tracing::error!(%key, message, "the function of an assumed view panicked");
                false
            })
        })
    }
}
