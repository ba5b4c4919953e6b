//! All objects at their revisions, and the history that watches live on.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;
use tokio::time::Instant;

use super::resource::ResourceType;
use super::stored::Stored;

/// How many types that are no longer served are remembered.
const RETIRED: usize = 16;

/// How finely time is told when old states are forgotten.
const MARKS: u32 = 16;

/// The server's memory. One revision counter for all types, as etcd has.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) revision: u64,
    /// States before this revision can't be had any more.
    pub(super) compacted: u64,
    /// How many changes of a type are remembered.
    window: usize,
    pub(super) collections: Vec<Collection>,
    /// Whether objects are only created in namespaces that exist.
    pub(super) namespaces_needed: bool,
    /// Namespaces that are to go, once they are empty.
    pub(super) terminating: Vec<String>,
    /// Definitions that are to go, once no object is left of their type.
    pub(super) ending: Vec<String>,
    /// Types that are no longer served: their open watches still have to hear the end.
    retired: VecDeque<Collection>,
    /// How long it takes until the storage of a custom type is ready.
    pub(super) start_of_storage: Option<Duration>,
    next_id: u64,
    /// How long old states can be had; for ever, or until the window is full, unless set.
    memory: Option<Duration>,
    /// Moments of that time, and the revision that was the newest soon after each.
    marks: VecDeque<(Instant, u64)>,
    /// Counts up with every change: what watches wait for.
    changed: watch::Sender<u64>,
}

/// One type's objects.
#[derive(Debug)]
pub(super) struct Collection {
    pub(super) id: u64,
    /// The versions it is served in, never none. Objects at rest are of no version.
    pub(super) versions: Vec<Arc<ResourceType>>,
    pub(super) objects: BTreeMap<String, Arc<Stored>>,
    pub(super) history: VecDeque<Change>,
    /// Lists and watches are refused before this moment.
    pub(super) ready: Option<Instant>,
    /// The history was trimmed up to this revision.
    pub(super) trimmed: u64,
}

/// One change of one object.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) revision: u64,
    pub(super) before: Option<Arc<Stored>>,
    pub(super) after: After,
}

#[derive(Clone, Debug)]
pub(super) enum After {
    Is(Arc<Stored>),
    /// Deleted; the final state, at the revision of the deletion.
    Was(Arc<Stored>),
}

impl Store {
    pub(super) fn new(window: usize) -> Self {
        Self {
            // A young cluster: never 0, which means something else.
            revision: 1,
            compacted: 0,
            window,
            collections: Vec::new(),
            namespaces_needed: false,
            terminating: Vec::new(),
            ending: Vec::new(),
            retired: VecDeque::new(),
            start_of_storage: None,
            next_id: 0,
            memory: None,
            marks: VecDeque::new(),
            changed: watch::Sender::new(0),
        }
    }

    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Wakes everyone who waits for a change.
    pub(super) fn announce(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    /// The type at this place of the API.
    pub(super) fn served(
        &self,
        group: &str,
        version: &str,
        plural: &str,
    ) -> Option<&Arc<ResourceType>> {
        self.types().find(|served| {
            served.plural == plural && served.group == group && served.version == version
        })
    }

    /// Every version of every type, in the order in which they were registered.
    pub(super) fn types(&self) -> impl Iterator<Item = &Arc<ResourceType>> {
        self.collections.iter().flat_map(|collection| &collection.versions)
    }

    /// Where the objects of a type are.
    pub(super) fn of(&self, resource: &ResourceType) -> Option<&Collection> {
        self.collections.iter().find(|collection| collection.is_of(resource))
    }

    /// The collection that a watch was opened on, and whether its type is still served.
    pub(super) fn watched(&self, id: u64) -> Option<(&Collection, bool)> {
        let served = self.collections.iter().map(|collection| (collection, true));
        let retired = self.retired.iter().map(|collection| (collection, false));
        served.chain(retired).find(|(collection, _)| collection.id == id)
    }

    /// Serves a type in these versions from now on; what is served already keeps its objects.
    pub(super) fn register(&mut self, versions: Vec<ResourceType>) {
        let Some(first) = versions.first().cloned() else { return };
        let versions: Vec<_> = versions.into_iter().map(Arc::new).collect();
        let (id, revision) = (self.next_id + 1, self.revision);
        let ready = self.start_of_storage.map(|time| Instant::now() + time);
        if let Some(collection) = self.collection(&first) {
            if collection.versions != versions {
                collection.versions = versions;
                // A new cache: it remembers nothing, and the watches of the old one end.
                collection.id = id;
                collection.history.clear();
                collection.trimmed = revision;
                collection.ready = ready.filter(|_| first.custom);
                // Selectors may look at other fields now.
                for object in collection.objects.values_mut() {
                    let value = object.value(&first);
                    *object = Arc::new(Stored::new(&first, object.revision, value));
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

    /// Deletes every object of a type and serves it no longer.
    pub(super) fn unregister(&mut self, resource: &ResourceType) {
        let Some(at) = self.collections.iter().position(|c| c.is_of(resource)) else {
            return;
        };
        let keys: Vec<String> = self.collections[at].objects.keys().cloned().collect();
        for key in keys {
            self.remove(resource, &key);
        }
        self.retired.push_back(self.collections.remove(at));
        if self.retired.len() > RETIRED {
            self.retired.pop_front();
        }
        self.announce();
    }

    fn collection(&mut self, resource: &ResourceType) -> Option<&mut Collection> {
        self.collections.iter_mut().find(|collection| collection.is_of(resource))
    }

    pub(super) fn put(&mut self, resource: &ResourceType, object: Value) -> Option<Arc<Stored>> {
        let (revision, window) = (self.revision + 1, self.window);
        let collection = self.collection(resource)?;
        let stored = Arc::new(Stored::new(resource, revision, object));
        let before = collection.objects.insert(stored.key(), stored.clone());
        collection.remember(Change { revision, before, after: After::Is(stored.clone()) }, window);
        self.revision = revision;
        self.mark();
        self.announce();
        Some(stored)
    }

    pub(super) fn remove(&mut self, resource: &ResourceType, key: &str) -> Option<Arc<Stored>> {
        let (revision, window) = (self.revision + 1, self.window);
        let collection = self.collection(resource)?;
        let before = collection.objects.remove(key)?;
        let last = Arc::new(Stored::new(resource, revision, before.value(resource)));
        let after = After::Was(last.clone());
        collection.remember(Change { revision, before: Some(before), after }, window);
        self.revision = revision;
        self.mark();
        self.announce();
        Some(last)
    }

    /// Forgets by itself what is older than this.
    pub(super) fn remember_for(&mut self, time: Duration) {
        self.memory = Some(time);
    }

    /// Notes when the newest revision came to be, to within a fraction of the time.
    fn mark(&mut self) {
        let Some(memory) = self.memory else { return };
        let now = Instant::now();
        match self.marks.back_mut() {
            Some((begun, revision)) if now - *begun < memory / MARKS => *revision = self.revision,
            _ => self.marks.push_back((now, self.revision)),
        }
    }

    /// Forgets what has had its time.
    pub(super) fn forget_in_time(&mut self) {
        let Some(memory) = self.memory else { return };
        let now = Instant::now();
        while let Some((begun, revision)) = self.marks.front().copied() {
            if now - begun < memory + memory / MARKS {
                break;
            }
            self.compacted = self.compacted.max(revision);
            self.marks.pop_front();
        }
    }

    pub(super) fn compact(&mut self) {
        // Open watches live on the history, as on a server's cache; only what is opened anew is
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
        }
    }

    fn is_of(&self, resource: &ResourceType) -> bool {
        self.versions.first().is_some_and(|served| served.shares_objects_with(resource))
    }

    fn remember(&mut self, change: Change, window: usize) {
        self.history.push_back(change);
        while self.history.len() > window {
            if let Some(forgotten) = self.history.pop_front() {
                self.trimmed = self.trimmed.max(forgotten.revision);
            }
        }
    }

    /// Every object as it was at a revision that is still remembered.
    pub(super) fn at(&self, revision: u64) -> BTreeMap<String, Arc<Stored>> {
        let mut objects = self.objects.clone();
        for change in self.history.iter().rev().take_while(|change| change.revision > revision) {
            let (After::Is(stored) | After::Was(stored)) = &change.after;
            match &change.before {
                Some(before) => drop(objects.insert(stored.key(), before.clone())),
                None => drop(objects.remove(&stored.key())),
            }
        }
        objects
    }
}
