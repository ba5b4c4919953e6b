//! The comparison of a store with a list that began later.
//!
//! The store goes on while it is compared, so a difference is judged when the store has reached the
//! list's version: what is missing, older or too much then was so before the list, too, or became
//! so against an event. Nothing is judged that a later event may have changed.

use crate::indexer::Snapshot;
use crate::object::{Cached, KeyMap, ObjectKey, ResourceVersion, ShardSelector};

/// The identity of an object's state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Identity {
    /// `None` if a transform removed it.
    uid: Option<Box<str>>,
    version: Option<ResourceVersion>,
}

impl Identity {
    pub(super) fn of(object: &Cached) -> Self {
        let version = object.version().filter(|version| !version.is_empty());
        Self { uid: object.uid().map(Into::into), version }
    }

    /// Returns whether both are the same object, as far as is known.
    fn is_same_object(&self, other: &Self) -> bool {
        self.uid.is_none() || other.uid.is_none() || self.uid == other.uid
    }
}

/// An object for which the store and the list differ.
enum Suspect {
    /// The list had it in this state. The flag is true if the store had another state.
    Listed(Identity, bool),
    /// The list did not have it; the store did, in this state.
    Unlisted(Identity),
}

/// A comparison of the state that the store had before a list with what the list has.
pub(super) struct Comparison {
    before: Snapshot,
    /// The version of the store then.
    version: ResourceVersion,
    /// The stored objects that were listed.
    listed: KeyMap<()>,
    suspects: KeyMap<Suspect>,
    /// The version of the list: of its newest page.
    list: Option<ResourceVersion>,
    /// The version of its first page. No listed object is in an older state than that.
    first: Option<ResourceVersion>,
    /// The newest version of a listed object.
    newest: Option<ResourceVersion>,
    /// The number of listed objects.
    objects: usize,
    /// The number of objects of which nothing tells one state from another.
    unidentified: usize,
    /// False if a listed object had no readable key.
    complete: bool,
}

/// The differences that are sure.
#[derive(Debug, Default)]
pub(super) struct Differences {
    pub(super) missing: Vec<ObjectKey>,
    pub(super) extra: Vec<ObjectKey>,
    pub(super) older: Vec<ObjectKey>,
    /// The number of objects whose newest state the store could not decode.
    pub(super) undecoded: usize,
    /// The number of differences that a later state of the store may settle.
    pub(super) open: usize,
}

impl Comparison {
    /// Begins with this state of the store, which has this version.
    pub(super) fn new(before: Snapshot, version: ResourceVersion) -> Self {
        Self {
            before,
            version,
            listed: KeyMap::default(),
            suspects: KeyMap::default(),
            list: None,
            first: None,
            newest: None,
            objects: 0,
            unidentified: 0,
            complete: true,
        }
    }

    pub(super) fn shard(&self) -> Option<&ShardSelector> {
        self.before.shard()
    }

    /// Returns the number of listed objects.
    pub(super) fn objects(&self) -> usize {
        self.objects
    }

    /// Returns whether every listed object had a readable key.
    pub(super) fn is_complete(&self) -> bool {
        self.complete
    }

    /// Returns the number of objects of which nothing tells one state from another.
    pub(super) fn unidentified(&self) -> usize {
        self.unidentified
    }

    /// Returns the version of the list.
    pub(super) fn list_version(&self) -> Option<&ResourceVersion> {
        self.list.as_ref()
    }

    /// Notes the version of a page.
    pub(super) fn note_version(&mut self, version: ResourceVersion) {
        self.first.get_or_insert_with(|| version.clone());
        if self.list.as_ref().is_none_or(|list| version.is_at_least(list)) {
            self.list = Some(version);
        }
    }

    /// Notes a listed object.
    pub(super) fn note(&mut self, key: &ObjectKey, listed: Identity) {
        self.objects += 1;
        if let Some(version) = &listed.version
            && self.newest.as_ref().is_none_or(|newest| version.is_at_least(newest))
        {
            self.newest = Some(version.clone());
        }
        let stored = self.before.get_cached(key);
        if stored.is_some() {
            self.listed.insert(key.clone(), ());
        }
        if listed == Identity::default() {
            self.unidentified += 1;
            return;
        }
        let agrees = stored.as_ref().is_some_and(|stored| {
            stored.uid() == listed.uid.as_deref() && stored.version() == listed.version
        });
        if !agrees {
            self.suspects.insert(key.clone(), Suspect::Listed(listed, stored.is_some()));
        }
    }

    /// Notes a listed object that could not be read.
    pub(super) fn note_unreadable(&mut self, key: Option<&ObjectKey>) {
        match key {
            Some(key) => self.listed.insert(key.clone(), ()),
            None => self.complete = false,
        }
    }

    /// Notes the end of the list.
    pub(super) fn end(&mut self) {
        let Self { before, listed, suspects, unidentified, .. } = self;
        for (key, stored) in before.objects().filter(|(key, _)| !listed.contains(key)) {
            let stored = Identity::of(stored);
            // Without a version, a later state cannot be told from this one.
            if stored.version.is_some() {
                suspects.insert(key.clone(), Suspect::Unlisted(stored));
            } else {
                *unidentified += 1;
            }
        }
        *listed = KeyMap::default();
    }

    /// Returns whether the versions of store, list and objects have one order (KEP-5504), and the
    /// list is no older than the store was.
    pub(super) fn is_ordered(&self) -> bool {
        let Some(list) = &self.list else { return false };
        list.is_at_least(&self.version)
            && self.newest.as_ref().is_none_or(|newest| list.is_at_least(newest))
    }

    /// Judges each difference by a later state of the store.
    pub(super) fn judge(&self, after: &Snapshot) -> Differences {
        let reached = self.list.as_ref().is_some_and(|list| after.has_reached(list));
        let mut found = Differences::default();
        // While an item of the store's own list had no readable key, it may be any object.
        let is_undecoded = |key: &ObjectKey| after.is_stale(key) || !after.is_complete();
        for (key, suspect) in self.suspects.iter() {
            let stored = after.get_cached(key).map(|stored| Identity::of(&stored));
            let differs = match suspect {
                Suspect::Listed(listed, was_stored) => match &stored {
                    Some(stored) if self.is_current(stored, listed) => continue,
                    Some(_) if is_undecoded(key) => {
                        found.undecoded += 1;
                        continue;
                    }
                    Some(_) => &mut found.older,
                    None if after.is_unreadable(key) => {
                        found.undecoded += 1;
                        continue;
                    }
                    // Its deletion came meanwhile.
                    None if *was_stored => continue,
                    None if self.may_be_new(listed) => {
                        // Once the list's version is reached, a deletion may have come, too.
                        found.open += usize::from(!reached);
                        continue;
                    }
                    None => &mut found.missing,
                },
                Suspect::Unlisted(before) => match &stored {
                    Some(stored) if before.is_same_object(stored) && !self.is_after(stored) => {
                        if is_undecoded(key) {
                            found.undecoded += 1;
                            continue;
                        }
                        if !self.complete {
                            continue;
                        }
                        &mut found.extra
                    }
                    _ => continue,
                },
            };
            if reached { differs.push(key.clone()) } else { found.open += 1 }
        }
        for keys in [&mut found.missing, &mut found.extra, &mut found.older] {
            keys.sort_unstable();
        }
        found
    }

    /// Returns whether a stored state is the listed one or a later one.
    fn is_current(&self, stored: &Identity, listed: &Identity) -> bool {
        if !stored.is_same_object(listed) {
            return stored.version.is_none() || self.is_after(stored);
        }
        match (&stored.version, &listed.version) {
            (Some(stored), Some(listed)) => {
                stored == listed || listed.is_older_than(stored) && !self.is_lost(stored)
            }
            _ => true,
        }
    }

    /// Returns whether a state that is newer than the listed one is of a history that the server
    /// has lost: in its present one, the list would show it.
    fn is_lost(&self, newer: &ResourceVersion) -> bool {
        self.first.as_ref().is_some_and(|first| first.is_at_least(newer))
    }

    /// Returns whether a state is newer than the list.
    fn is_after(&self, state: &Identity) -> bool {
        let list = self.list.as_ref();
        state.version.as_ref().zip(list).is_some_and(|(version, list)| list.is_older_than(version))
    }

    /// Returns whether a listed object may be newer than the store was.
    fn may_be_new(&self, listed: &Identity) -> bool {
        listed.version.as_ref().is_none_or(|version| !self.version.is_at_least(version))
    }
}
