//! The history to which the answer to a write belongs.
//!
//! A restored backup loses history, and versions start over. A store may still show the lost
//! history when the first answers of the new one arrive. Such an answer must not count as shown
//! because its version is low. Each rule here names a state that cannot be of one history.

use super::expectation::Expectation;
use kube_informer::indexer::Snapshot;
use kube_informer::object::{ObjectKey, ResourceVersion};

/// The state of a store at one moment, as far as it concerns one object.
pub(super) struct StoreBefore {
    epoch: u64,
    /// The version that the store had reached, if that says anything about the object.
    version: Option<ResourceVersion>,
    /// False if this is only about the collection.
    is_of_object: bool,
    /// The object, if the store had it.
    object: Option<SeenObject>,
}

struct SeenObject {
    uid: Option<String>,
    version: Option<ResourceVersion>,
}

impl StoreBefore {
    pub(super) fn of(store: &Snapshot, object: Option<&ObjectKey>) -> Self {
        let is_of_object = object.is_some();
        // The state of an object that cannot be decoded is unknown.
        let is_known =
            object.is_none_or(|object| !store.is_unreadable(object) && !store.is_stale(object));
        let version = store.version().filter(|_| is_known).cloned();
        let object = object.and_then(|object| store.get_cached(object));
        let object = object.map(|object| SeenObject {
            uid: object.uid().map(str::to_owned),
            version: object.version(),
        });
        Self { epoch: store.epoch(), version, is_of_object, object }
    }

    pub(super) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Returns whether the store had the object with this uid.
    pub(super) fn showed(&self, uid: &str) -> bool {
        self.object.as_ref().is_some_and(|object| object.uid.as_deref() == Some(uid))
    }

    /// Returns the epoch that will show the answer to a request. This is the state before the
    /// request, `now` the state when the answer came.
    pub(super) fn epoch_of_answer(
        &self,
        now: &Self,
        expectation: &Expectation,
        creates: bool,
    ) -> u64 {
        let epoch = self.epoch + u64::from(self.precludes_later(expectation, creates));
        epoch + u64::from(now.epoch == epoch && now.precludes(expectation))
    }

    /// Returns whether this store, which had reached the answer's version, lacks the object. Either
    /// it was deleted meanwhile, or the answer is of a newer history.
    pub(super) fn lacks(&self, expectation: &Expectation) -> bool {
        let Expectation::AtLeast(version) = expectation else { return false };
        self.is_of_object && self.object.is_none() && self.has_reached(version)
    }

    /// Returns the epoch that will show a write whose answer came before this state, and whether
    /// only a list can prove that no history was lost. The state before the request is unknown.
    pub(super) fn epoch_of_recorded(&self, expectation: &Expectation) -> (u64, bool) {
        let is_deletion = matches!(expectation, Expectation::Gone { .. });
        let is_shown = is_deletion && self.object.is_none();
        let may_be_restored = !is_shown && self.precludes_later(expectation, false);
        // Most often, another client has changed the object since the answer.
        let is_newer = self
            .object_version()
            .zip(expectation.version())
            .is_some_and(|(stored, version)| version.is_older_than(stored));
        (self.epoch + u64::from(may_be_restored), may_be_restored && !is_newer)
    }

    /// Returns whether a request after this state cannot have had this answer in the same history.
    fn precludes_later(&self, expectation: &Expectation, creates: bool) -> bool {
        let Some((reached, version)) = self.version.as_ref().zip(expectation.version()) else {
            return false;
        };
        let is_of_list =
            matches!(expectation, Expectation::Absent(_)) || (!self.is_of_object && !creates);
        if is_of_list {
            return version.is_older_than(reached);
        }
        // A write that changes nothing is answered with the object's last version.
        let is_unchanged = !creates && self.object_version() == Some(version);
        reached.is_at_least(version) && !is_unchanged
    }

    /// Returns whether a request before this state cannot have had this answer in the same history.
    pub(super) fn precludes(&self, expectation: &Expectation) -> bool {
        let Some(version) = expectation.version().filter(|version| self.has_reached(version))
        else {
            return false;
        };
        let is_older = || self.object_version().is_some_and(|stored| stored.is_older_than(version));
        self.is_of_object
            && match expectation {
                Expectation::AtLeast(_) | Expectation::Gone { .. } => is_older(),
                Expectation::Absent(_) => is_older() || self.object_version() == Some(version),
            }
    }

    fn object_version(&self) -> Option<&ResourceVersion> {
        self.object.as_ref()?.version.as_ref()
    }

    /// Returns whether the store had passed this version.
    pub(super) fn has_passed(&self, version: &ResourceVersion) -> bool {
        self.version.as_ref().is_some_and(|reached| version.is_older_than(reached))
    }

    fn has_reached(&self, version: &ResourceVersion) -> bool {
        self.version.as_ref().is_some_and(|reached| reached.is_at_least(version))
    }
}
