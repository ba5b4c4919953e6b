//! The object of a reconcile: present, gone, or unknown.
//!
//! A cache that holds no object for a key does not always know that there is none. Cleanup code
//! must run only for objects that are gone, so these are two different values.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use kube_informer::object::AnyObject;

/// The object of a reconcile, as the cache holds it.
///
/// ```
/// use kube_controllers::controller::Presence;
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// fn describe(object: &Presence<ConfigMap>) -> String {
///     match object {
///         Presence::Present(map) => format!("{} keys", map.data.iter().flatten().count()),
///         Presence::Gone => "deleted".into(),
///         Presence::Unknown(reason) => format!("unknown: {reason}"),
///     }
/// }
/// assert_eq!(describe(&Presence::Gone), "deleted");
/// ```
#[must_use]
pub enum Presence<K: ?Sized> {
    /// The cache holds the object. If a newer state could not be decoded, this is the last good
    /// state.
    Present(Arc<K>),
    /// The object was deleted, or did not exist at the moment that the cache shows. An object
    /// created since then may exist on the server. Clean up only for this value.
    ///
    /// The cache has synced, is as new as this replica's term of leadership, and no selector
    /// narrows it. Its shard includes the object's place. If several informers hold the key's
    /// namespace, one such informer suffices, unless another one has the object.
    Gone,
    /// The cache cannot tell. The object may exist.
    Unknown(UnknownReason),
}

/// The reason why the cache cannot tell whether an object exists.
///
/// A reconcile that must know whether its object is gone:
///
/// ```
/// use std::time::Duration;
/// use kube_controllers::Action;
/// use kube_controllers::controller::UnknownReason;
///
/// fn next(reason: UnknownReason) -> Action {
///     match reason {
///         // The sync ends soon, and the next reconcile knows more.
///         UnknownReason::NotSynced => Action::requeue_after(Duration::from_secs(5)),
///         // Another replica reconciles it.
///         UnknownReason::OtherShard => Action::done(),
///         // Only another configuration or another state of the object helps.
///         _ => Action::done(),
///     }
/// }
/// assert_eq!(next(UnknownReason::NotSelected), Action::done());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum UnknownReason {
    /// No informer of the controller holds the key's namespace. It may have held it before: its
    /// informer has left a set, or was [removed](super::Following).
    #[error("no informer of the controller holds this namespace")]
    NotHeld,
    /// A selector narrows the informer. An object that does not match it looks like a deleted
    /// object.
    #[error("a selector narrows the informer, and the object may exist outside of it")]
    NotSelected,
    /// The informer of the key's namespace has not synced, or is not as new as this replica's term
    /// of leadership. A controller lets the keys of such a namespace wait, so a reconcile sees this
    /// only in a race with the sync.
    #[error("the informer has not synced")]
    NotSynced,
    /// The informer of the key's namespace was stopped.
    #[error("the informer was stopped")]
    Stopped,
    /// The key is not in the shard that the informer holds. Another replica may have the object.
    #[error("the object may be in the shard of another replica")]
    OtherShard,
    /// The key has no namespace, although the stored objects have one, or the other way round. No
    /// object has such a key, so this says nothing about an object of that name. Correct the
    /// function that maps to the key, or the call of
    /// [`trigger`](super::ControllerHandle::trigger). The controller's first such key is logged.
    #[error("no object has this key: it lacks the namespace, or has one that the kind does not")]
    WrongScope,
    /// No state of the object could be decoded, or an object whose name could not be read may be
    /// this one. The informer's error handler gets the cause.
    #[error("the object may exist, but could not be decoded")]
    Undecodable,
}

impl<K: ?Sized> Presence<K> {
    /// Returns the object if the cache holds it.
    pub fn present(&self) -> Option<Arc<K>> {
        self.as_present().cloned()
    }

    /// Returns a reference to the object if the cache holds it.
    pub fn as_present(&self) -> Option<&Arc<K>> {
        match self {
            Self::Present(object) => Some(object),
            Self::Gone | Self::Unknown(_) => None,
        }
    }

    /// Returns whether the cache holds the object.
    pub fn is_present(&self) -> bool {
        self.as_present().is_some()
    }

    /// Returns whether the object was deleted, or never existed.
    pub fn is_gone(&self) -> bool {
        matches!(self, Self::Gone)
    }
}

impl Presence<dyn AnyObject> {
    /// Returns the object with its type.
    pub(super) fn typed<K: Send + Sync + 'static>(self) -> Presence<K> {
        match self {
            Self::Present(object) => match (object as Arc<dyn Any + Send + Sync>).downcast().ok() {
                Some(object) => Presence::Present(object),
                None => Presence::Unknown(UnknownReason::Undecodable),
            },
            Self::Gone => Presence::Gone,
            Self::Unknown(reason) => Presence::Unknown(reason),
        }
    }
}

// Not derived: a derive would require `K: Clone`, and objects are shared, never copied.
impl<K: ?Sized> Clone for Presence<K> {
    fn clone(&self) -> Self {
        match self {
            Self::Present(object) => Self::Present(object.clone()),
            Self::Gone => Self::Gone,
            Self::Unknown(reason) => Self::Unknown(*reason),
        }
    }
}

/// Shows only the variant, because the object may hold a Secret.
impl<K: ?Sized> fmt::Debug for Presence<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Present(_) => f.write_str("Present"),
            Self::Gone => f.write_str("Gone"),
            Self::Unknown(reason) => f.debug_tuple("Unknown").field(reason).finish(),
        }
    }
}
