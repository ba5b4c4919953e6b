//! The meaning of the items that a source sends.

use kube::api::ObjectMeta;

use super::driver::ReflectorDriver;
use super::options::Transform;
use crate::error::{Fault, SourceError, Verb};
use crate::lister_watcher::{SourceForm, SourceObject, Undecodable, WatchItem};
use crate::object::{
    Cached, Change, ObjectKey, ResourceVersion, ShardKey, controller, set_controller,
};
use crate::packer::METADATA_PANICKED;
use crate::panic::{catch, drop_safely};

/// The meaning of a watch item.
#[expect(clippy::large_enum_variant, reason = "an allocation for each event would cost more")]
pub(super) enum Observed {
    Change {
        change: Change,
        version: Option<ResourceVersion>,
    },
    Bookmark {
        version: ResourceVersion,
        initial_events_end: bool,
    },
    /// An event of an object that was never in the shard.
    Outside(Option<ResourceVersion>),
    /// An event of an object whose key cannot be read.
    Nameless,
    /// An item that cannot be used.
    Nothing,
    Failed(SourceError),
}

impl Observed {
    /// Returns the version of the collection that the item states.
    pub(super) fn version(&self) -> Option<&ResourceVersion> {
        match self {
            Self::Change { version, .. } | Self::Outside(version) => version.as_ref(),
            Self::Bookmark { version, .. } => Some(version),
            Self::Nameless | Self::Nothing | Self::Failed(_) => None,
        }
    }
}

impl ReflectorDriver {
    /// Returns the meaning of a watch item. Errors of single items are reported.
    pub(super) fn observe(&mut self, item: WatchItem) -> Observed {
        match item {
            WatchItem::Added(decoded) => {
                self.observe_object(decoded, |key, object, version| match object {
                    Some(object) => Change::Added { key, object, version },
                    None => Change::Unreadable { key, version },
                })
            }
            WatchItem::Modified(decoded) => {
                self.observe_object(decoded, |key, object, version| match object {
                    Some(object) => Change::Updated { key, object, version },
                    None => Change::Unreadable { key, version },
                })
            }
            WatchItem::Deleted(decoded) => self.observe_object(decoded, |key, object, version| {
                Change::Deleted { key, object, version }
            }),
            WatchItem::Bookmark { version, .. } if version.is_empty() => {
                let problem = "a bookmark without a version".to_owned();
                self.report(&self.error(Verb::Watch, Fault::Malformed { offset: 0, problem }));
                Observed::Nothing
            }
            WatchItem::Bookmark { version, initial_events_end } => {
                Observed::Bookmark { version, initial_events_end }
            }
            WatchItem::Skipped(error) => {
                self.report(&error);
                Observed::Nothing
            }
            WatchItem::Outside { key, version } => match (key, filled(version)) {
                (None, version) => Observed::Outside(version),
                (Some(key), version) => Observed::Change {
                    change: Change::MovedAway { key, version: version.clone() },
                    version,
                },
            },
            WatchItem::Failed(error) => Observed::Failed(error),
        }
    }

    fn observe_object(
        &mut self,
        object: Result<SourceObject, Undecodable>,
        change: fn(ObjectKey, Option<Cached>, Option<ResourceVersion>) -> Change,
    ) -> Observed {
        let version = version(&object);
        match self.accept(object, Verb::Watch) {
            (Some(key), object) => match self.elsewhere(&key, object.as_ref(), Verb::Watch) {
                Some(error) => {
                    drop_safely(object);
                    Observed::Failed(error)
                }
                None => Observed::Change { change: change(key, object, version.clone()), version },
            },
            (None, _) => Observed::Nameless,
        }
    }

    /// Returns the error if an object is not in the requested namespace: the answer is that to
    /// another request.
    pub(super) fn elsewhere(
        &self,
        key: &ObjectKey,
        object: Option<&Cached>,
        verb: Verb,
    ) -> Option<SourceError> {
        let requested = self.source.collection().namespace.as_deref();
        let elsewhere = is_elsewhere(key, object.is_some(), requested);
        elsewhere.then(|| self.error(verb, Fault::WrongNamespace(key.clone())))
    }

    /// Returns an object's key if it can be read, and the object in the form that the cache keeps,
    /// if it can be used. Errors are reported.
    pub(super) fn accept(
        &mut self,
        object: Result<SourceObject, Undecodable>,
        verb: Verb,
    ) -> (Option<ObjectKey>, Option<Cached>) {
        let is_clamped = object.as_ref().is_ok_and(|object| object.is_clamped);
        let mut object = match object.map(|object| object.form) {
            Ok(SourceForm::Packed(key, object) | SourceForm::Unchanged(key, object)) => {
                if is_clamped {
                    self.status.clamped(&key);
                }
                return (Some(key), Some(object.cast()));
            }
            Ok(SourceForm::Decoded(object)) => object,
            Err(Undecodable { key, error, .. }) => {
                self.report(&error);
                return (key, None);
            }
        };
        // The metadata's getter is user code.
        let key = catch(|| object.key()).map_err(|_| METADATA_PANICKED.to_owned());
        let key = match key.and_then(|key| key.map_err(|invalid| invalid.to_string())) {
            Ok(key) => key,
            Err(problem) => {
                drop_safely(object);
                let fault = Fault::Undecodable { key: None, problem };
                self.report(&self.error(verb, fault));
                return (None, None);
            }
        };
        if is_clamped {
            self.status.clamped(&key);
        }
        if let Some(transform) = &self.options.transform
            && catch(|| change(&mut object, transform, self.options.shard_key())).is_err()
        {
            drop_safely(object);
            self.report(&self.error(verb, Fault::TransformPanicked(key.clone())));
            return (Some(key), None);
        }
        (Some(key), Some(self.options.packer.pack_any(object).cast()))
    }
}

/// Returns whether an object with this key is not in the requested namespace, if any. The namespace
/// of an object that cannot be decoded may be unreadable.
pub(crate) fn is_elsewhere(key: &ObjectKey, decoded: bool, requested: Option<&str>) -> bool {
    requested.is_some_and(|requested| {
        key.namespace().map_or(decoded, |namespace| namespace != requested)
    })
}

/// Applies a transform to an object that nothing else holds.
fn change(object: &mut Cached, transform: &Transform, shard: Option<ShardKey>) {
    let Some(object) = object.get_mut() else { return };
    // With another name, uid or version, the object would be another one or an older state. Without
    // the deletion time, readers would take a deleted object for a live one.
    let kept = object.meta().map(|meta| {
        let ObjectMeta { name, namespace, uid, resource_version, deletion_timestamp, .. } = meta;
        let (uid, version) = (uid.clone(), resource_version.clone());
        (name.clone(), namespace.clone(), uid, version, deletion_timestamp.clone())
    });
    // The owner decides the object's place in such a shard.
    let by_owner = shard == Some(ShardKey::ControllerUid);
    let owner = object.meta().filter(|_| by_owner).and_then(controller).cloned();
    transform(object);
    if let (Some(meta), Some(kept)) = (object.meta_mut(), kept) {
        (meta.name, meta.namespace, meta.uid, meta.resource_version, meta.deletion_timestamp) =
            kept;
        if by_owner {
            set_controller(meta, owner);
        }
    }
}

/// Returns an object's version.
fn version(object: &Result<SourceObject, Undecodable>) -> Option<ResourceVersion> {
    match object {
        // The metadata's getter is user code.
        Ok(object) => catch(|| object.version()).ok().flatten(),
        Err(undecodable) => filled(undecodable.version.clone()),
    }
}

/// Returns a version, unless it is empty: a watch from an empty version begins now, and leaves out
/// what happened before.
pub(crate) fn filled(version: Option<ResourceVersion>) -> Option<ResourceVersion> {
    version.filter(|version| !version.is_empty())
}
