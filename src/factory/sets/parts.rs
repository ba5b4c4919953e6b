//! The informers that references need: one for each name, or one for each namespace.
//!
//! The informer of a namespace follows a shard of the referenced names, so that objects that
//! nothing references are dropped before they are decoded.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use tokio::sync::watch;

use super::members::{Tag, Wanted};
use super::references::References;
use crate::factory::MANY_WATCHES;
use crate::indexer::Snapshot;
use crate::object::{NameRule, ObjectKey, ShardKey, ShardSelector, ring_hash};
use crate::sync::Mutex;

/// The objects that an informer of the set follows.
#[derive(Clone)]
pub(super) enum Part {
    /// One object.
    Name(ObjectKey),
    /// The referenced objects of a namespace.
    Namespace(Arc<Names>),
}

/// The referenced names of a namespace.
pub(super) struct Names {
    /// Objects without a namespace are in the empty one.
    pub(super) namespace: Arc<str>,
    /// The referenced keys, and those that the informer's shard still has.
    keys: Mutex<HashSet<ObjectKey>>,
    shard: watch::Sender<ShardSelector>,
}

impl Tag for Part {
    fn covers(&self, key: &ObjectKey) -> bool {
        match self {
            // A server may ignore the field selector.
            Self::Name(name) => name == key,
            // Another name may have the hash of a referenced one.
            Self::Namespace(names) => names.keys.lock().contains(key),
        }
    }
}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Name(one), Self::Name(other)) => one == other,
            (Self::Namespace(one), Self::Namespace(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Names {
    fn of(namespace: Arc<str>) -> Arc<Self> {
        let shard = watch::Sender::new(shard_of(&HashSet::new()));
        Arc::new(Self { namespace, keys: Mutex::default(), shard })
    }

    /// Returns the shard that the informer follows.
    pub(super) fn shard(&self) -> watch::Receiver<ShardSelector> {
        self.shard.subscribe()
    }

    /// Follows these keys. A key that is no longer among them counts until the store has dropped
    /// it, because it may be referenced again before.
    fn follow<K>(&self, referenced: HashSet<ObjectKey>, store: Option<&Snapshot<K>>) {
        let shard = shard_of(&referenced);
        let mut keys = self.keys.lock();
        keys.retain(|key| store.is_some_and(|store| follows(store, key)));
        keys.extend(referenced);
        drop(keys);
        self.shard.send_if_modified(|before| {
            let differs = *before != shard;
            *before = shard;
            differs
        });
    }
}

/// Returns whether a store follows the object of a key.
pub(super) fn follows<K>(store: &Snapshot<K>, key: &ObjectKey) -> bool {
    store.shard().is_none_or(|shard| shard.contains(ring_hash(key.name())))
}

/// Returns the shard of these names.
fn shard_of(keys: &HashSet<ObjectKey>) -> ShardSelector {
    let places = keys.iter().map(|key| ring_hash(key.name()));
    ShardSelector::new(ShardKey::Name, places.map(|place| place..=place))
}

/// Returns whether a key has a namespace as the kind's objects do.
pub(super) fn is_in_scope(key: &ObjectKey, cluster_scoped: bool) -> bool {
    key.namespace().is_none() == cluster_scoped
}

/// Returns whether an object of the kind can have this key.
pub(super) fn can_have(key: &ObjectKey, cluster_scoped: bool) -> bool {
    is_in_scope(key, cluster_scoped)
        && key.namespace().is_none_or(|namespace| NameRule::Label.allows(namespace))
}

/// Returns the name of the informer that follows the object of a key.
pub(super) fn member_of(key: &ObjectKey, by_namespace: bool) -> &str {
    if by_namespace { key.namespace().unwrap_or_default() } else { key.as_str() }
}

/// Returns the wanted members after each change of the references: one for each name.
pub(super) fn by_name(
    references: Arc<References>,
    cluster_scoped: bool,
    warn: impl Fn(usize) + Send + Sync + 'static,
) -> BoxStream<'static, Wanted<Part>> {
    let mut many = false;
    let look = move |keys: Vec<ObjectKey>| {
        let wanted = keys.into_iter().filter(|key| can_have(key, cluster_scoped));
        let wanted: Wanted<_> = wanted.map(|key| (key.as_str().into(), Part::Name(key))).collect();
        let before = std::mem::replace(&mut many, wanted.len() > MANY_WATCHES);
        if many && !before {
            warn(wanted.len());
        }
        wanted
    };
    after_each_change(references, look)
}

/// Returns the wanted members after each change of the references: one for each namespace, of which
/// `shown` returns the store.
pub(super) fn by_namespace<K: 'static>(
    references: Arc<References>,
    cluster_scoped: bool,
    shown: impl Fn(&str) -> Option<Snapshot<K>> + Send + Sync + 'static,
) -> BoxStream<'static, Wanted<Part>> {
    let mut followed: BTreeMap<Arc<str>, Arc<Names>> = BTreeMap::new();
    let look = move |keys: Vec<ObjectKey>| {
        let mut by_namespace: HashMap<Arc<str>, HashSet<ObjectKey>> = HashMap::new();
        for key in keys.into_iter().filter(|key| can_have(key, cluster_scoped)) {
            let namespace = key.namespace().unwrap_or_default();
            if let Some(keys) = by_namespace.get_mut(namespace) {
                keys.insert(key);
            } else {
                by_namespace.insert(namespace.into(), [key].into());
            }
        }
        followed.retain(|namespace, _| by_namespace.contains_key(namespace));
        for (namespace, keys) in by_namespace {
            let store = shown(&namespace);
            let names = followed.entry(namespace.clone()).or_insert_with(|| Names::of(namespace));
            names.follow(keys, store.as_ref());
        }
        let parts = followed.iter().map(|(name, names)| (name.clone(), names.clone()));
        parts.map(|(name, names)| (name, Part::Namespace(names))).collect()
    };
    after_each_change(references, look)
}

/// Returns the result of `look` at the referenced keys, now and after each change that changes it.
fn after_each_change(
    references: Arc<References>,
    look: impl FnMut(Vec<ObjectKey>) -> Wanted<Part> + Send + 'static,
) -> BoxStream<'static, Wanted<Part>> {
    let mut changes = references.changes();
    changes.mark_changed();
    let state = (references, changes, look, None);
    stream::unfold(state, |(references, mut changes, mut look, before)| async move {
        loop {
            changes.changed().await.ok()?;
            let wanted = look(references.keys());
            if before.as_ref() != Some(&wanted) {
                return Some((wanted.clone(), (references, changes, look, Some(wanted))));
            }
        }
    })
    .boxed()
}
