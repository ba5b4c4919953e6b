//! The state that the store will show after a write.

use std::collections::HashMap;

use super::seen::StoreBefore;
use kube_informer::indexer::Snapshot;
use kube_informer::object::{Cached, ObjectKey, ResourceVersion, ShardSelector};

/// The expectations of one key, by object; `None` stands for the collection itself.
pub(super) type Expectations = HashMap<Option<ObjectKey>, Expected>;

/// The expectations of one object. A store must meet each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Expected {
    /// The epoch of the store that will show them.
    pub(super) epoch: u64,
    pub(super) states: Vec<Expectation>,
    /// True if an answer cannot be of the history that the store showed then.
    pub(super) history_lost: bool,
}

impl Expected {
    /// Adds an expectation. Removes those that it covers.
    pub(super) fn add(&mut self, epoch: u64, new: Expectation, history_lost: bool) {
        // Which write is of which history is uncertain, so none is dropped.
        self.epoch = epoch.max(self.epoch);
        self.history_lost |= history_lost;
        self.states.retain(|old| !new.covers(old));
        if !self.states.iter().any(|old| old.covers(&new)) {
            self.states.push(new);
        }
    }

    /// Returns whether the store meets all of them, about this object or about the collection.
    pub(super) fn are_met(&self, store: &Snapshot, object: Option<&ObjectKey>) -> bool {
        are_met(self.epoch, &self.states, store, object) && !self.are_precluded(store, object)
    }

    /// Returns whether the store has reached the version of one of these states, and shows an older
    /// object. Then the store shows another history. After a restored backup, a watch may go on
    /// from a version that both histories have.
    pub(super) fn are_precluded(&self, store: &Snapshot, object: Option<&ObjectKey>) -> bool {
        let seen = StoreBefore::of(store, object);
        self.states.iter().any(|state| seen.precludes(state))
    }

    /// Returns whether the store still has the object that one of these states is the absence of.
    /// If the store is newer than the deletion, it shows another history.
    pub(super) fn are_undone(&self, store: &Snapshot, object: Option<&ObjectKey>) -> bool {
        let stored = object.and_then(|object| store.get_cached(object));
        stored.is_some_and(|stored| {
            let has = |state: &Expectation| {
                matches!(state, Expectation::Gone { uid, .. } if stored.uid() == uid.as_deref())
            };
            self.states.iter().any(has)
        })
    }
}

/// One state that the store will show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expectation {
    /// The object at this version or a later one.
    AtLeast(ResourceVersion),
    /// The absence of the object with this uid, which existed at this version; `None` if unknown.
    Gone { uid: Option<String>, version: Option<ResourceVersion> },
    /// The absence of any object with this name, as in a quorum's list at this version.
    Absent(ResourceVersion),
}

impl Expectation {
    pub(in crate::controller) fn version(&self) -> Option<&ResourceVersion> {
        match self {
            Self::AtLeast(version) | Self::Absent(version) => Some(version),
            Self::Gone { version, .. } => version.as_ref(),
        }
    }

    /// Returns whether this state is known to be older than the other one.
    pub(in crate::controller) fn is_older_than(&self, other: &Self) -> bool {
        self.version().zip(other.version()).is_some_and(|(this, other)| this.is_older_than(other))
    }

    /// Returns whether a store that meets this expectation meets the other one of the same object.
    /// Of two versions without an order, only this one counts.
    fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::AtLeast(this), Self::AtLeast(other))
            | (Self::Absent(this), Self::Absent(other)) => !this.is_older_than(other),
            (Self::Gone { version: Some(this), .. }, Self::AtLeast(other)) => {
                this.is_at_least(other)
            }
            (Self::Gone { uid: this, version }, Self::Gone { uid: of, version: old })
                if this == of =>
            {
                old.is_none() || (version.is_some() && !self.is_older_than(other))
            }
            // An object of the same name was created after the other deletion.
            (Self::Gone { .. }, Self::Gone { .. }) => other.is_older_than(self),
            _ => false,
        }
    }
}

/// Returns whether a change deletes an object that has these finalizers and this grace period
/// afterwards, if it is `marked` for deletion. A namespace is also held by finalizers of its spec.
pub(super) fn ends(marked: bool, finalizers: Option<&[String]>, grace: Option<i64>) -> bool {
    marked && finalizers.is_none_or(<[_]>::is_empty) && grace.unwrap_or(0) <= 0
}

/// Returns whether the store meets an expectation of an object, or of the collection.
pub(in crate::controller) fn is_met(
    (epoch, expectation): &(u64, Expectation),
    store: &Snapshot,
    object: Option<&ObjectKey>,
) -> bool {
    are_met(*epoch, std::slice::from_ref(expectation), store, object)
}

fn are_met(
    epoch: u64,
    expectations: &[Expectation],
    store: &Snapshot,
    object: Option<&ObjectKey>,
) -> bool {
    if store.shard().is_some_and(ShardSelector::is_empty) {
        // No further state arrives.
        return true;
    }
    if epoch != store.epoch() {
        return false;
    }
    let stored = object.and_then(|object| store.get_cached(object));
    expectations.iter().all(|expectation| match expectation {
        Expectation::AtLeast(version) => {
            store.has_reached(version)
                || stored
                    .as_ref()
                    .and_then(Cached::version)
                    .is_some_and(|stored| stored.is_at_least(version))
        }
        // Only after its creation was seen: an object that has not arrived looks like one that is
        // gone.
        Expectation::Gone { uid, version } => {
            version.as_ref().is_none_or(|version| store.has_reached(version))
                && stored.as_ref().is_none_or(|stored| stored.uid() != uid.as_deref())
        }
        Expectation::Absent(version) => stored.is_none() || store.has_reached(version),
    })
}

pub(super) fn newer<'a>(a: &'a ResourceVersion, b: &'a ResourceVersion) -> &'a ResourceVersion {
    if a.is_older_than(b) { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_least(version: u64) -> Expectation {
        Expectation::AtLeast(version.into())
    }

    fn gone(uid: &str, version: Option<u64>) -> Expectation {
        Expectation::Gone { uid: Some(uid.into()), version: version.map(Into::into) }
    }

    fn merged(expectations: impl IntoIterator<Item = Expectation>) -> Vec<Expectation> {
        let mut all = Expected::default();
        expectations.into_iter().for_each(|expectation| all.add(0, expectation, false));
        all.states
    }

    #[test]
    fn older_answer_never_replaces_newer() {
        assert_eq!(merged([at_least(7), at_least(5)]), [at_least(7)]);
        assert_eq!(merged([at_least(5), at_least(7)]), [at_least(7)]);
        let deleted = || gone("u", Some(7));
        assert_eq!(merged([deleted(), at_least(5)]), [deleted()]);
        assert_eq!(merged([at_least(5), deleted()]), [deleted()]);
        assert_eq!(merged([deleted(), gone("u", None)]), [deleted()]);
        assert_eq!(merged([gone("before", Some(5)), deleted()]), [deleted()]);
    }

    #[test]
    fn deletion_and_later_state_are_both_kept() {
        for deleted in [gone("u", None), gone("u", Some(7))] {
            let both = [deleted, at_least(9)];
            assert_eq!(merged(both.clone()), both);
        }
        let both = [at_least(9), gone("u", None)];
        assert_eq!(merged(both.clone()), both);
        let both = [gone("u", None), gone("v", None)];
        assert_eq!(merged(both.clone()), both);
    }
}
