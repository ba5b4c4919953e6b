//! All objects with their revisions, and the history that watches read.

pub(crate) mod selection;
pub(crate) mod shard;
pub(crate) mod stored;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::api_server::resource::ResourceType;
use crate::api_server::store::stored::{Stored, Views};
use crate::api_server::webhooks::{Cache, Webhooks};

/// The number of removed types that are kept.
const REMOVED_TYPES_KEPT: usize = 16;

/// The number of time marks in the time for which old states are available. A state can stay by one
/// mark longer.
const TIME_MARKS: u32 = 16;

/// The memory of the server. All types share one revision counter, as in etcd.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) revision: u64,
    /// The oldest revision whose state is available.
    pub(crate) compacted: u64,
    /// The number of changes that are kept for each type.
    history_limit: usize,
    pub(crate) collections: Vec<Collection>,
    /// True if objects need an existing namespace.
    pub(crate) namespaces_needed: bool,
    /// True if the objects of a namespace that is being deleted are deleted.
    pub(crate) empties_namespaces: bool,
    /// True if objects whose owners are gone are deleted.
    pub(crate) collects_garbage: bool,
    pub(crate) webhooks: Arc<Webhooks>,
    /// Changes that the controllers have not seen.
    unsettled: VecDeque<Settling>,
    /// The collection and key of the objects that have an owner with this uid.
    dependents: HashMap<String, BTreeSet<(u64, String)>>,
    /// Removed types, whose open watches still have to receive their end.
    removed_types: VecDeque<Collection>,
    /// The time that the storage of a custom type takes to start.
    pub(crate) storage_start_delay: Option<Duration>,
    next_id: u64,
    /// The time for which old states are available; `None` for no limit in time.
    memory: Option<Duration>,
    /// Times, and the newest revision soon after each.
    time_marks: VecDeque<(Instant, u64)>,
    /// Wakes those that wait for a change, in the order in which they began to wait. A channel
    /// `watch` would draw the order.
    changed: Arc<Notify>,
}

/// The objects of one type.
#[derive(Debug)]
pub(crate) struct Collection {
    pub(crate) id: u64,
    /// The served versions, at least one. Stored objects have no version.
    pub(crate) versions: Vec<Arc<ResourceType>>,
    pub(crate) objects: BTreeMap<String, Arc<Stored>>,
    pub(crate) history: VecDeque<Change>,
    /// The time before which lists and watches are refused.
    pub(crate) ready: Option<Instant>,
    /// The revision up to which the history was trimmed.
    pub(crate) trimmed: u64,
    /// The watch caches of the versions, if a webhook converts the objects.
    pub(crate) caches: BTreeMap<String, Cache>,
    /// The revision at which the type was removed. Later changes are those of another type, which
    /// may have its name.
    pub(crate) ended: Option<u64>,
}

/// A change that the controllers have not seen.
#[derive(Debug)]
pub(crate) struct Settling {
    pub(crate) resource: Arc<ResourceType>,
    /// The state before, if the object existed.
    pub(crate) before: Option<Arc<Stored>>,
    /// The new state, or the last one.
    pub(crate) object: Arc<Stored>,
    pub(crate) removed: bool,
}

/// One change of one object.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) revision: u64,
    pub(crate) before: Option<Arc<Stored>>,
    pub(crate) after: After,
}

#[derive(Clone, Debug)]
pub(crate) enum After {
    /// The object was created or changed. Holds its new state.
    Present(Arc<Stored>),
    /// The object was deleted. Holds its final state, at the revision of the deletion.
    Deleted(Arc<Stored>),
}

impl Store {
    pub(crate) fn new(history_limit: usize) -> Self {
        Self {
            // 0 has a meaning of its own, so revisions start at 1.
            revision: 1,
            compacted: 0,
            history_limit,
            collections: Vec::new(),
            namespaces_needed: false,
            empties_namespaces: true,
            collects_garbage: false,
            webhooks: Arc::default(),
            unsettled: VecDeque::new(),
            dependents: HashMap::new(),
            removed_types: VecDeque::new(),
            storage_start_delay: None,
            next_id: 0,
            memory: None,
            time_marks: VecDeque::new(),
            changed: Arc::default(),
        }
    }

    pub(crate) fn changes(&self) -> Arc<Notify> {
        self.changed.clone()
    }

    /// Wakes every watch.
    pub(crate) fn announce(&self) {
        self.changed.notify_waiters();
    }

    /// Returns the type with these names.
    pub(crate) fn served(
        &self,
        group: &str,
        version: &str,
        plural: &str,
    ) -> Option<&Arc<ResourceType>> {
        self.types().find(|served| {
            served.plural == plural && served.group == group && served.version == version
        })
    }

    /// Returns every version of every type, in the order of registration.
    pub(crate) fn types(&self) -> impl Iterator<Item = &Arc<ResourceType>> {
        self.collections.iter().flat_map(|collection| &collection.versions)
    }

    /// Returns the collection of a type.
    pub(crate) fn of(&self, resource: &ResourceType) -> Option<&Collection> {
        self.collections.iter().find(|collection| collection.is_of(resource))
    }

    /// Returns the collection of a watch, whose type may have been removed.
    pub(crate) fn collection_of_watch(&self, id: u64) -> Option<&Collection> {
        self.collections.iter().chain(&self.removed_types).find(|collection| collection.id == id)
    }

    /// Serves a type in these versions from now on. A type that is served already keeps its
    /// objects.
    pub(crate) fn register(&mut self, versions: Vec<ResourceType>) {
        let Some(first) = versions.first().cloned() else { return };
        let versions: Vec<_> = versions.into_iter().map(Arc::new).collect();
        let (id, revision) = (self.next_id + 1, self.revision);
        let ready = self.storage_start_delay.map(|time| Instant::now() + time);
        if let Some(collection) = self.of_mut(&first) {
            if collection.versions != versions {
                collection.versions = versions;
                // The cache is new: it has no history, and the watches of the old one end.
                collection.id = id;
                collection.history.clear();
                collection.caches.clear();
                collection.trimmed = revision;
                collection.ready = ready.filter(|_| first.custom);
                // Selectors may use other fields now.
                for object in collection.objects.values_mut() {
                    *object = Arc::new(object.seen_as(&first, Views::new()));
                }
                self.next_id = id;
                self.announce();
            }
            return;
        }
        self.next_id = id;
        let mut collection = Collection::new(id, versions, revision);
        collection.ready = ready.filter(|_| first.custom);
        self.collections.push(collection);
    }

    /// Sets the form of all objects of a type in the versions that differ from the stored form.
    /// Revisions stay as they are.
    pub(crate) fn view_again(
        &mut self,
        resource: &ResourceType,
        views: impl Fn(&[Arc<ResourceType>], &Value) -> Views,
    ) {
        let Some(collection) = self.of_mut(resource) else { return };
        for object in collection.objects.values_mut() {
            let views = views(&collection.versions, &object.stored_value(resource));
            *object = Arc::new(object.seen_as(resource, views));
        }
    }

    /// Notes the version in which the existing objects of a type were stored, when another one
    /// takes its place. Revisions stay as they are.
    pub(crate) fn note_version(&mut self, resource: &ResourceType, version: &str) {
        let Some(collection) = self.of_mut(resource) else { return };
        let unnoted = |object: &&mut Arc<Stored>| object.version.is_empty();
        for object in collection.objects.values_mut().filter(unnoted) {
            *object = Arc::new(object.at(resource, object.revision).in_version(version));
        }
    }

    /// Deletes every object of a type, and stops serving it.
    pub(crate) fn unregister(&mut self, resource: &ResourceType) {
        let Some(at) = self.collections.iter().position(|c| c.is_of(resource)) else {
            return;
        };
        let keys: Vec<String> = self.collections[at].objects.keys().cloned().collect();
        for key in keys {
            self.remove(resource, &key);
        }
        self.collections[at].ended = Some(self.revision);
        self.removed_types.push_back(self.collections.remove(at));
        if self.removed_types.len() > REMOVED_TYPES_KEPT {
            self.removed_types.pop_front();
        }
        self.announce();
    }

    /// Returns the collection of a type, to change it.
    pub(crate) fn of_mut(&mut self, resource: &ResourceType) -> Option<&mut Collection> {
        self.collections.iter_mut().find(|collection| collection.is_of(resource))
    }

    /// Stores the state of an object at the next revision. `None` if the type is not served.
    pub(crate) fn put(&mut self, resource: &ResourceType, stored: Stored) -> Option<Arc<Stored>> {
        let (revision, history_limit) = (stored.revision, self.history_limit);
        let collection = self.of_mut(resource)?;
        let stored = Arc::new(stored);
        let before = collection.objects.insert(stored.key(), stored.clone());
        let known = before.clone();
        collection.remember(
            Change { revision, before, after: After::Present(stored.clone()) },
            history_limit,
        );
        self.settle_later(resource, stored.clone(), known, false);
        self.revision = revision;
        self.mark();
        self.announce();
        Some(stored)
    }

    pub(crate) fn remove(&mut self, resource: &ResourceType, key: &str) -> Option<Arc<Stored>> {
        let (revision, history_limit) = (self.revision + 1, self.history_limit);
        let collection = self.of_mut(resource)?;
        let before = collection.objects.remove(key)?;
        let last = Arc::new(before.at(resource, revision));
        let after = After::Deleted(last.clone());
        let known = Some(before.clone());
        collection.remember(Change { revision, before: Some(before), after }, history_limit);
        self.settle_later(resource, last.clone(), known, true);
        self.revision = revision;
        self.mark();
        self.announce();
        Some(last)
    }

    /// Notes a change for the controllers, and its owners.
    fn settle_later(
        &mut self,
        resource: &ResourceType,
        object: Arc<Stored>,
        before: Option<Arc<Stored>>,
        removed: bool,
    ) {
        let Some(collection) = self.of(resource) else { return };
        let (id, Some(resource)) = (collection.id, collection.versions.first().cloned()) else {
            return;
        };
        let place = |object: &Stored| (id, object.key());
        for owner in before.iter().flat_map(|before| &before.owners) {
            if let Some(dependents) = self.dependents.get_mut(owner) {
                dependents.remove(&place(&object));
                if dependents.is_empty() {
                    self.dependents.remove(owner);
                }
            }
        }
        for owner in object.owners.iter().filter(|_| !removed) {
            self.dependents.entry(owner.clone()).or_default().insert(place(&object));
        }
        self.unsettled.push_back(Settling { resource, before, object, removed });
    }

    /// Returns the next change that the controllers have not seen.
    pub(crate) fn next_unsettled(&mut self) -> Option<Settling> {
        self.unsettled.pop_front()
    }

    /// Returns the objects that have an owner with this uid.
    pub(crate) fn dependents(
        &self,
        uid: &str,
    ) -> impl Iterator<Item = (Arc<ResourceType>, Arc<Stored>)> {
        let places = self.dependents.get(uid).into_iter().flatten();
        places.filter_map(|(id, key)| {
            let collection = self.collections.iter().find(|collection| collection.id == *id)?;
            let object = collection.objects.get(key)?;
            Some((collection.versions.first()?.clone(), object.clone()))
        })
    }

    /// Returns whether the definition of a type is being deleted.
    pub(crate) fn is_ending(&self, resource: &ResourceType) -> bool {
        let definitions = self.served("apiextensions.k8s.io", "v1", "customresourcedefinitions");
        let all = definitions.and_then(|definitions| self.of(definitions));
        let found = all.and_then(|all| all.objects.get(&resource.qualified()));
        found.is_some_and(|definition| definition.deleting)
    }

    /// Discards states when they are older than this.
    pub(crate) fn keep_for(&mut self, time: Duration) {
        self.memory = Some(time);
    }

    /// Records the time of the newest revision, within the resolution.
    fn mark(&mut self) {
        let Some(memory) = self.memory else { return };
        let now = Instant::now();
        match self.time_marks.back_mut() {
            Some((begun, revision)) if now - *begun < memory / TIME_MARKS => {
                *revision = self.revision;
            }
            _ => self.time_marks.push_back((now, self.revision)),
        }
    }

    /// Discards states that are too old.
    pub(crate) fn discard_old(&mut self) {
        let Some(memory) = self.memory else { return };
        let now = Instant::now();
        while let Some((begun, revision)) = self.time_marks.front().copied() {
            if now - begun < memory + memory / TIME_MARKS {
                break;
            }
            self.compacted = self.compacted.max(revision);
            self.time_marks.pop_front();
        }
    }

    pub(crate) fn compact(&mut self) {
        // Open watches read the history, as those of a server's cache do. Only new watches are
        // refused.
        self.compacted = self.revision;
    }
}

impl Collection {
    fn new(id: u64, versions: Vec<Arc<ResourceType>>, revision: u64) -> Self {
        Self {
            id,
            versions,
            objects: BTreeMap::new(),
            history: VecDeque::new(),
            ready: None,
            trimmed: revision,
            caches: BTreeMap::new(),
            ended: None,
        }
    }

    fn is_of(&self, resource: &ResourceType) -> bool {
        self.versions.first().is_some_and(|served| served.shares_objects_with(resource))
    }

    fn remember(&mut self, change: Change, history_limit: usize) {
        self.history.push_back(change);
        while self.history.len() > history_limit {
            if let Some(forgotten) = self.history.pop_front() {
                self.trimmed = self.trimmed.max(forgotten.revision);
            }
        }
    }

    /// Returns the revision up to which the watch cache of a version has every change. `None` if it
    /// has not begun.
    pub(crate) fn cached(&self, version: &str) -> Option<u64> {
        self.caches.get(version)?.position(self.trimmed)
    }

    /// Returns every object as of a revision that is still available.
    pub(crate) fn at(&self, revision: u64) -> Cow<'_, BTreeMap<String, Arc<Stored>>> {
        if self.history.back().is_none_or(|newest| newest.revision <= revision) {
            return Cow::Borrowed(&self.objects);
        }
        let mut objects = self.objects.clone();
        for change in self.history.iter().rev().take_while(|change| change.revision > revision) {
            let (After::Present(stored) | After::Deleted(stored)) = &change.after;
            match &change.before {
                Some(before) => drop(objects.insert(stored.key(), before.clone())),
                None => drop(objects.remove(&stored.key())),
            }
        }
        Cow::Owned(objects)
    }
}
