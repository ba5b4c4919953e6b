//! The events that a handler is told.
//!
//! An event is a value: the stages pass it on without knowing who listens. The events of one handler,
//! folded from the start, always give the store.

use std::sync::Arc;

use super::Cached;

/// One change of the cache, as a handler sees it: an event of objects that are ready to be read.
pub type Event<K> = ObjectEvent<Arc<K>>;

/// One change of the cache, with its objects as the cache holds them.
pub type CachedEvent<K> = ObjectEvent<Cached<K>>;

/// One change of the cache; `O` is how it holds its objects. Named as [`Event`] or [`CachedEvent`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectEvent<O> {
    /// The object was not in the cache and now is.
    Added {
        /// The object as it now is.
        object: O,
        /// The object belongs to what the handler is told first: the initial list, or what the
        /// store already held when the handler was added. client-go's `isInInitialList`.
        initial: bool,
    },
    /// The object was in the cache and has changed, or a resync tells it again.
    Updated {
        /// The state of this object that the handler was told last.
        old: O,
        /// The object as it now is.
        new: O,
    },
    /// The object is no longer in the cache.
    Deleted {
        /// The last state seen.
        object: O,
        /// Whether `object` is the state at deletion. `false` is client-go's
        /// `DeletedFinalStateUnknown`: the deletion itself was missed (a disconnect, a relist) and
        /// `object` is the newest state that was seen before.
        final_state_known: bool,
    },
}

impl<O> ObjectEvent<O> {
    /// Returns the object this event is about, in its newest state. Nothing is unpacked.
    pub fn object(&self) -> &O {
        match self {
            Self::Added { object, .. } | Self::Deleted { object, .. } => object,
            Self::Updated { new, .. } => new,
        }
    }

    /// Holds each object otherwise. `None` where that fails.
    fn try_map<P>(&self, mut hold: impl FnMut(&O) -> Option<P>) -> Option<ObjectEvent<P>> {
        Some(match self {
            Self::Added { object, initial } => {
                ObjectEvent::Added { object: hold(object)?, initial: *initial }
            }
            Self::Updated { old, new } => ObjectEvent::Updated { old: hold(old)?, new: hold(new)? },
            Self::Deleted { object, final_state_known } => ObjectEvent::Deleted {
                object: hold(object)?,
                final_state_known: *final_state_known,
            },
        })
    }
}

impl<K> CachedEvent<K> {
    /// Reads the event as a handler sees it: unpacks what is packed, each object O(its size). `None`
    /// where that fails, which was reported.
    pub fn read(&self) -> Option<Event<K>> {
        self.try_map(Cached::get)
    }
}

impl<K> From<Event<K>> for CachedEvent<K> {
    fn from(event: Event<K>) -> Self {
        match event {
            ObjectEvent::Added { object, initial } => {
                Self::Added { object: object.into(), initial }
            }
            ObjectEvent::Updated { old, new } => Self::Updated { old: old.into(), new: new.into() },
            ObjectEvent::Deleted { object, final_state_known } => {
                Self::Deleted { object: object.into(), final_state_known }
            }
        }
    }
}
