//! The choice between a watch for each referenced name and one for a whole namespace.
//!
//! Beyond a number of names in a namespace, an informer of the namespace takes over. It follows a
//! shard by name, so objects that nothing references are dropped before they are decoded. Names
//! that are referenced later have a watch each, until they are as many again: then another informer
//! of the namespace takes over from all. Below half of the number, and if the namespace is refused,
//! the names take over.
//!
//! The informers that take over are prepared first. They replace the others when their stores show
//! each object as those do, or later.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use kube::Resource;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::members::{Tag, Wanted, shows};
use super::references::References;
use crate::factory::{Interest, SpecError};
use crate::indexer::Snapshot;
use crate::informer::SharedInformer;
use crate::object::{KindReach, NameRule, ObjectKey, ShardKey, ShardSelector, ring_hash};
use crate::reflector::ReflectorState;
use crate::sync::Mutex;

/// The time for which a refusal of a namespace is remembered.
const MEMORY: Duration = Duration::from_secs(60 * 60);

/// An upper bound of the time between two tries of a refused request.
const LONGEST_PAUSE: Duration = Duration::from_secs(120);

/// The period in which informers that prepare to take over are looked at.
const PREPARING: Duration = Duration::from_secs(1);

/// The period in which informers of namespaces are asked whether the server refuses them.
const FOLLOWING: Duration = Duration::from_secs(30);

/// The objects that a member follows.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    /// One object.
    Name(ObjectKey),
    /// The referenced objects of a namespace, among these.
    Namespace(Arc<str>, Arc<BTreeSet<ObjectKey>>),
}

impl Tag for Part {
    fn namespace(&self) -> Option<&str> {
        match self {
            // Objects without a namespace are in the empty one.
            Self::Name(key) => Some(key.namespace().unwrap_or_default()),
            Self::Namespace(namespace, _) => Some(namespace),
        }
    }

    fn has_several(&self) -> bool {
        matches!(self, Self::Namespace(..))
    }

    fn covers(&self, key: &ObjectKey) -> bool {
        match self {
            Self::Name(own) => own == key,
            Self::Namespace(_, names) => names.contains(key),
        }
    }
}

/// A function that makes the informer of a name.
type MakeName<K> = Box<dyn Fn(&ObjectKey) -> Result<Interest<K>, SpecError> + Send + Sync>;

/// A function that makes the informer of a shard of a namespace.
type MakeShard<K> = Box<
    dyn Fn(&str, watch::Receiver<ShardSelector>) -> Result<Interest<K>, SpecError> + Send + Sync,
>;

/// A function that returns the store that shows the object of a key to readers.
type Shown<K> = Box<dyn Fn(&ObjectKey) -> Option<Snapshot<K>> + Send + Sync>;

/// A function that returns whether an informer takes over in a namespace.
type HandsOver = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// The informers that a set of referenced objects wants.
pub(super) struct Widening<K> {
    references: Arc<References>,
    reach: KindReach,
    make_name: MakeName<K>,
    make_shard: MakeShard<K>,
    /// The number of names beyond which a namespace is followed as a whole. Never if unset.
    beyond: OnceLock<usize>,
    /// The informers of namespaces, by their members' names.
    prepared: Mutex<HashMap<Arc<str>, Interest<K>>>,
}

/// The decisions so far.
struct Decisions<K> {
    of: Arc<Widening<K>>,
    shown: Shown<K>,
    hands_over: HandsOver,
    namespaces: BTreeMap<Arc<str>, Decision<K>>,
    /// The number of informers of namespaces that were made.
    made: u64,
}

impl<K> Drop for Decisions<K> {
    fn drop(&mut self) {
        let prepared = std::mem::take(&mut *self.of.prepared.lock());
        // Without the lock, because an informer that ends may run user code.
        drop(prepared);
    }
}

/// The decision for one namespace.
struct Decision<K> {
    wide: Option<Wide<K>>,
    next: Option<Next<K>>,
    /// Informers of names, until their members hold them.
    kept: Names<K>,
    refused: Option<Instant>,
    /// True while an informer takes over. Nothing is decided then.
    hands_over: bool,
}

/// Informers of names.
type Names<K> = Vec<(ObjectKey, Interest<K>)>;

/// The informers that prepare to take over.
enum Next<K> {
    Wide(Wide<K>),
    Names(Names<K>),
}

/// An informer of a namespace.
struct Wide<K> {
    member: Arc<str>,
    /// The names that it follows while they are referenced.
    names: Arc<BTreeSet<ObjectKey>>,
    shard: watch::Sender<ShardSelector>,
    interest: Interest<K>,
}

/// Returns whether a store follows the object of a key.
pub(super) fn follows<K>(store: &Snapshot<K>, key: &ObjectKey) -> bool {
    store.shard().is_none_or(|shard| shard.contains(ring_hash(key.name())))
}

/// Returns the shard of these names.
fn shard_of<'a>(keys: impl Iterator<Item = &'a ObjectKey>) -> ShardSelector {
    let places = keys.map(|key| ring_hash(key.name()));
    ShardSelector::new(ShardKey::Name, places.map(|place| place..=place))
}

/// Returns whether the server refuses the requests of an informer.
fn is_refused<K: ?Sized>(informer: &SharedInformer<K>) -> bool {
    let unsynced = informer.unsynced();
    let error = unsynced.last_error.filter(|(_, age)| *age < LONGEST_PAUSE);
    let works = matches!(unsynced.state, ReflectorState::Watching);
    !works && matches!(error.and_then(|(error, _)| error.code()), Some(401 | 403))
}

impl<K: Resource + Send + Sync + 'static> Widening<K> {
    pub(super) fn new(
        references: Arc<References>,
        make_name: MakeName<K>,
        make_shard: MakeShard<K>,
    ) -> Arc<Self> {
        let (beyond, prepared, reach) = (OnceLock::new(), Mutex::default(), KindReach::of::<K>());
        Arc::new(Self { references, reach, make_name, make_shard, beyond, prepared })
    }

    /// Returns whether a key has a namespace as the kind's objects do.
    pub(super) fn is_in_scope(&self, key: &ObjectKey) -> bool {
        key.namespace().is_none() == (self.reach == KindReach::Cluster)
    }

    /// Returns whether an object of the kind can have this key.
    pub(super) fn can_have(&self, key: &ObjectKey) -> bool {
        self.is_in_scope(key)
            && key.namespace().is_none_or(|namespace| NameRule::Label.allows(namespace))
    }

    /// Allows an informer of a namespace beyond this number of names. The first call counts.
    pub(super) fn beyond(&self, names: usize) {
        let _ = self.beyond.set(names);
    }

    /// Makes the informer of a member, or returns the one that was prepared.
    pub(super) fn make(&self, member: &str, part: &Part) -> Result<Interest<K>, SpecError> {
        if let Some(prepared) = self.prepared.lock().get(member) {
            return Ok(prepared.clone());
        }
        match part {
            Part::Name(key) => (self.make_name)(key),
            Part::Namespace(namespace, names) => {
                // It was prepared, and given up before it joined.
                let shard = watch::channel(shard_of(names.iter())).1;
                (self.make_shard)(namespace, shard)
            }
        }
    }

    /// Returns the members that the references want, after each change.
    pub(super) fn members(
        self: Arc<Self>,
        shown: Shown<K>,
        hands_over: HandsOver,
    ) -> BoxStream<'static, Wanted<Part>> {
        let (changes, namespaces) = (self.references.changes(), BTreeMap::new());
        let decisions = Decisions { of: self, shown, hands_over, namespaces, made: 0 };
        let state = (decisions, changes, None);
        stream::unfold(state, |(mut decisions, mut changes, before)| async move {
            loop {
                changes.mark_unchanged();
                let wanted = decisions.decide();
                if before.as_ref() != Some(&wanted) {
                    return Some((wanted.clone(), (decisions, changes, Some(wanted))));
                }
                let again = decisions.namespaces.values().filter_map(Decision::again).min();
                let again = again.unwrap_or(Duration::MAX);
                if let Ok(changed) = timeout(again, changes.changed()).await {
                    changed.ok()?;
                }
            }
        })
        .boxed()
    }
}

impl<K: Resource + Send + Sync + 'static> Decisions<K> {
    /// Returns the wanted members.
    fn decide(&mut self) -> Wanted<Part> {
        let mut referenced: BTreeMap<Arc<str>, BTreeSet<ObjectKey>> = BTreeMap::new();
        for key in self.of.references.keys() {
            if !self.of.can_have(&key) {
                continue;
            }
            let namespace = key.namespace().unwrap_or_default();
            if let Some(names) = referenced.get_mut(namespace) {
                names.insert(key);
            } else {
                referenced.insert(namespace.into(), [key].into());
            }
        }
        for (namespace, one) in &mut self.namespaces {
            one.hands_over = (self.hands_over)(namespace);
            if one.hands_over {
                referenced.entry(namespace.clone()).or_default();
            }
        }
        self.namespaces.retain(|namespace, _| referenced.contains_key(namespace));
        let mut wanted = Wanted::new();
        for (namespace, names) in referenced {
            let widens = self.of.beyond.get().is_some_and(|beyond| names.len() > *beyond);
            if widens || self.namespaces.contains_key(&namespace) {
                self.decide_in(&namespace, &names);
            }
            let wide = self.namespaces.get(&namespace).and_then(|one| one.wide.as_ref());
            if let Some(wide) = wide {
                let part = Part::Namespace(namespace, wide.names.clone());
                wanted.insert(wide.member.clone(), part);
            }
            let alone = |key: &ObjectKey| wide.is_none_or(|wide| !wide.names.contains(key));
            let alone = names.into_iter().filter(alone);
            wanted.extend(alone.map(|key| (key.as_str().into(), Part::Name(key))));
        }
        let wides = self.namespaces.values().filter_map(|one| one.wide.as_ref());
        let prepared = wides.map(|wide| (wide.member.clone(), wide.interest.clone())).collect();
        let before = std::mem::replace(&mut *self.of.prepared.lock(), prepared);
        // Without the lock, because an informer that ends may run user code.
        drop(before);
        wanted
    }

    /// Decides how to follow these names of a namespace.
    fn decide_in(&mut self, namespace: &Arc<str>, names: &BTreeSet<ObjectKey>) {
        let beyond = *self.of.beyond.get().unwrap_or(&usize::MAX);
        let mut one = self.namespaces.remove(namespace).unwrap_or_default();
        for wide in one.wides() {
            wide.follow(names);
        }
        if one.hands_over {
            self.namespaces.insert(namespace.clone(), one);
            return;
        }
        one.kept.clear();
        if one.refused.is_none() && one.wides().any(|wide| is_refused(&wide.interest)) {
            tracing::warn!(
                namespace = &**namespace,
                "the informer of the namespace is refused: each referenced name has its own again"
            );
            one.refused = Some(Instant::now());
        }
        one.refused = one.refused.filter(|at| at.elapsed() < MEMORY);
        if one.wide.as_ref().is_some_and(|wide| wide.interest.is_stopped()) {
            // The factory was shut down, or the informer failed. Nothing may be made here then.
            one.next = None;
            self.namespaces.insert(namespace.clone(), one);
            return;
        }
        let narrows = names.len() <= beyond / 2 || one.refused.is_some();
        let apart = |wide: &Wide<K>| names.difference(&wide.names).count();
        let widens = names.len() > beyond && one.wide.as_ref().is_none_or(|it| apart(it) > beyond);
        one.next = match one.next.take() {
            Some(Next::Wide(next)) if !narrows => one.take_wide(next, names, &self.shown),
            Some(Next::Names(next)) if narrows => one.take_names(next, names, self),
            _ if narrows && one.wide.is_some() => {
                let make = |key: &ObjectKey| Some((key.clone(), self.of.prepare(key)?));
                Some(Next::Names(names.iter().filter_map(make).collect()))
            }
            _ if widens && !narrows => {
                self.made += 1;
                let member = format!("{namespace}//{}", self.made).into();
                Wide::prepare(member, namespace, names, &self.of).map(Next::Wide)
            }
            _ => None,
        };
        if one.again().is_some() || one.refused.is_some() {
            self.namespaces.insert(namespace.clone(), one);
        }
    }
}

impl<K: Resource + Send + Sync + 'static> Widening<K> {
    /// Makes and starts the informer of a name.
    fn prepare(&self, key: &ObjectKey) -> Option<Interest<K>> {
        let interest = (self.make_name)(key).ok()?;
        interest.ensure_started().ok()?;
        Some(interest)
    }
}

impl<K> Decision<K> {
    /// Returns the time after which something may be decided without a change of the references.
    fn again(&self) -> Option<Duration> {
        let prepares = self.next.is_some() || !self.kept.is_empty() || self.hands_over;
        prepares.then_some(PREPARING).or_else(|| self.wide.as_ref().map(|_| FOLLOWING))
    }
}

impl<K: Resource + Send + Sync + 'static> Decision<K> {
    fn wides(&self) -> impl Iterator<Item = &Wide<K>> {
        let next = self.next.iter().filter_map(|next| match next {
            Next::Wide(wide) => Some(wide),
            Next::Names(_) => None,
        });
        self.wide.iter().chain(next)
    }

    /// Lets an informer of the namespace take over, if it shows what the others show.
    fn take_wide(
        &mut self,
        next: Wide<K>,
        names: &BTreeSet<ObjectKey>,
        shown: &Shown<K>,
    ) -> Option<Next<K>> {
        let store = next.interest.snapshot();
        let ready = |key: &ObjectKey| {
            let shown = shown(key);
            follows(&store, key) && has_caught_up(&store, key, shown.as_ref())
        };
        if !next.interest.has_synced() || !names.intersection(&next.names).all(ready) {
            return (!next.interest.is_stopped()).then_some(Next::Wide(next));
        }
        self.wide = Some(next);
        None
    }

    /// Lets the names take over, if each shows what the informer of the namespace shows, or is
    /// refused.
    fn take_names(
        &mut self,
        mut next: Names<K>,
        names: &BTreeSet<ObjectKey>,
        decisions: &Decisions<K>,
    ) -> Option<Next<K>> {
        next.retain(|(key, _)| names.contains(key));
        let known: BTreeSet<_> = next.iter().map(|(key, _)| key.clone()).collect();
        let make = |key: &ObjectKey| Some((key.clone(), decisions.of.prepare(key)?));
        next.extend(names.difference(&known).filter_map(make));
        let ready = |(key, own): &(ObjectKey, Interest<K>)| {
            if is_refused(own) || own.is_stopped() {
                return true;
            }
            let shown = (decisions.shown)(key);
            own.has_synced() && has_caught_up(&own.snapshot(), key, shown.as_ref())
        };
        if !next.iter().all(ready) {
            return Some(Next::Names(next));
        }
        (self.wide, self.kept) = (None, next);
        None
    }
}

/// Returns whether a store shows an object as another one shows it, or later.
fn has_caught_up<K>(store: &Snapshot<K>, key: &ObjectKey, shown: Option<&Snapshot<K>>) -> bool {
    let before = shown.and_then(|shown| shown.get_cached(key));
    if let Some(before) = &before {
        return shows(store, key, before);
    }
    let now = store.get_cached(key).and_then(|object| object.version());
    let reached = shown.and_then(Snapshot::version);
    // Created since, or deleted before, which this store does not know yet.
    now.is_none_or(|now| reached.is_none_or(|reached| reached.is_older_than(&now)))
}

impl<K> Default for Decision<K> {
    fn default() -> Self {
        Self { wide: None, next: None, kept: Vec::new(), refused: None, hands_over: false }
    }
}

impl<K: Resource + Send + Sync + 'static> Wide<K> {
    /// Makes and starts the informer of these names of a namespace.
    fn prepare(
        member: Arc<str>,
        namespace: &str,
        names: &BTreeSet<ObjectKey>,
        of: &Widening<K>,
    ) -> Option<Self> {
        let (shard, receiver) = watch::channel(shard_of(names.iter()));
        let interest = (of.make_shard)(namespace, receiver).ok()?;
        interest.ensure_started().ok()?;
        Some(Self { member, names: Arc::new(names.clone()), shard, interest })
    }

    /// Follows those of its names that are referenced.
    fn follow(&self, referenced: &BTreeSet<ObjectKey>) {
        let shard = shard_of(self.names.intersection(referenced));
        self.shard.send_if_modified(|before| {
            let differs = *before != shard;
            *before = shard;
            differs
        });
    }
}
