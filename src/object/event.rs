//! What a handler is told.
//!
//! An event is a value: the stages pass it on without knowing who listens. What one handler was
//! told, folded from the start, always gives the store.

use std::sync::Arc;

use super::Cached;

/// One change of the cache, as a handler sees it.
#[derive(Debug, PartialEq, Eq)]
pub enum Event<K> {
    /// The object was not in the cache and now is.
    Added {
        /// The object as it now is.
        object: Arc<K>,
        /// The object belongs to what the handler is told first: the initial list, or what the
        /// store already held when the handler was added. client-go's `isInInitialList`.
        initial: bool,
    },
    /// The object was in the cache and has changed, or a resync tells it again.
    Updated {
        /// What the handler was last told of this object.
        old: Arc<K>,
        /// The object as it now is.
        new: Arc<K>,
    },
    /// The object is no longer in the cache.
    Deleted {
        /// The last state seen.
        object: Arc<K>,
        /// Whether `object` is the state at deletion. `false` is client-go's
        /// `DeletedFinalStateUnknown`: the deletion itself was missed (a disconnect, a relist) and
        /// `object` is the newest state that was seen before.
        final_state_known: bool,
    },
}

impl<K> Event<K> {
    /// The object this event is about, in its newest state.
    pub fn object(&self) -> &Arc<K> {
        match self {
            Self::Added { object, .. } | Self::Deleted { object, .. } => object,
            Self::Updated { new, .. } => new,
        }
    }
}

// By hand: a derive would ask `K: Clone`, and objects are shared, never copied.
impl<K> Clone for Event<K> {
    fn clone(&self) -> Self {
        match self {
            Self::Added { object, initial } => {
                Self::Added { object: object.clone(), initial: *initial }
            }
            Self::Updated { old, new } => Self::Updated { old: old.clone(), new: new.clone() },
            Self::Deleted { object, final_state_known } => {
                Self::Deleted { object: object.clone(), final_state_known: *final_state_known }
            }
        }
    }
}

/// An [`Event`] on its way, with its objects as the cache holds them.
#[derive(Debug, PartialEq, Eq)]
pub enum CachedEvent<K> {
    /// See [`Event::Added`].
    Added {
        /// The object as it now is.
        object: Cached<K>,
        /// The object belongs to what the handler is told first.
        initial: bool,
    },
    /// See [`Event::Updated`].
    Updated {
        /// What the handler was last told of this object.
        old: Cached<K>,
        /// The object as it now is.
        new: Cached<K>,
    },
    /// See [`Event::Deleted`].
    Deleted {
        /// The last state seen.
        object: Cached<K>,
        /// Whether `object` is the state at deletion.
        final_state_known: bool,
    },
}

impl<K> CachedEvent<K> {
    /// The object this event is about, in its newest state. Nothing is unpacked.
    pub fn object(&self) -> &Cached<K> {
        match self {
            Self::Added { object, .. } | Self::Deleted { object, .. } => object,
            Self::Updated { new, .. } => new,
        }
    }

    /// The event as a handler sees it: unpacks what is packed, each object O(its size). `None` where
    /// that fails, which was reported.
    pub fn read(&self) -> Option<Event<K>> {
        Some(match self {
            Self::Added { object, initial } => {
                Event::Added { object: object.get()?, initial: *initial }
            }
            Self::Updated { old, new } => Event::Updated { old: old.get()?, new: new.get()? },
            Self::Deleted { object, final_state_known } => {
                Event::Deleted { object: object.get()?, final_state_known: *final_state_known }
            }
        })
    }
}

impl<K> Clone for CachedEvent<K> {
    fn clone(&self) -> Self {
        match self {
            Self::Added { object, initial } => {
                Self::Added { object: object.clone(), initial: *initial }
            }
            Self::Updated { old, new } => Self::Updated { old: old.clone(), new: new.clone() },
            Self::Deleted { object, final_state_known } => {
                Self::Deleted { object: object.clone(), final_state_known: *final_state_known }
            }
        }
    }
}

impl<K> From<Event<K>> for CachedEvent<K> {
    fn from(event: Event<K>) -> Self {
        match event {
            Event::Added { object, initial } => Self::Added { object: object.into(), initial },
            Event::Updated { old, new } => Self::Updated { old: old.into(), new: new.into() },
            Event::Deleted { object, final_state_known } => {
                Self::Deleted { object: object.into(), final_state_known }
            }
        }
    }
}
