//! The events that a handler receives.
//!
//! An event is a value: the stages pass it on and do not know which handlers receive it. A handler
//! that applies its events in order always ends with the content of the store.

use std::sync::Arc;

use kube::Resource;

use super::{AnyObject, Cached, FieldSet, InvalidKey, ObjectKey, PassingRead, downcast};

/// One change of the cache, with decoded objects, as a handler receives it.
pub type Event<K> = ObjectEvent<Arc<K>>;

/// One change of the cache, with each object as the cache holds it: decoded or packed.
pub type CachedEvent<K = dyn AnyObject> = ObjectEvent<Cached<K>>;

/// One change of the cache, with borrowed objects, as predicates and mapping functions receive it.
pub type EventRef<'a, K> = ObjectEvent<&'a K>;

/// One change of the cache, with objects of type `O`. Use the alias [`Event`], [`CachedEvent`] or
/// [`EventRef`].
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::Event;
///
/// fn print(event: &Event<Pod>) {
///     let name = event.object().metadata.name.as_deref().unwrap_or_default();
///     match event {
///         Event::Added { .. } => println!("{name} was added"),
///         Event::Updated { .. } => println!("{name} has changed"),
///         Event::Deleted { .. } => println!("{name} was deleted"),
///         Event::MovedAway { .. } => println!("{name} belongs to another replica"),
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectEvent<O> {
    /// The object was not in the cache and now is.
    Added {
        /// The current state.
        object: O,
        /// True for an object of the initial list, and for one that was in the store when the
        /// handler was added. Also true for one that came with a larger shard. client-go's
        /// `isInInitialList`.
        initial: bool,
    },
    /// The object was in the cache and has changed, or a resync repeats it.
    Updated {
        /// The state that the handler received last.
        old: O,
        /// The current state.
        new: O,
    },
    /// The object was deleted on the server, or no longer matches the selectors.
    Deleted {
        /// The newest state that was seen.
        object: O,
        /// True if `object` is the state at deletion. False is client-go's
        /// `DeletedFinalStateUnknown`: the informer missed the deletion itself, because of a
        /// disconnect or a relist.
        final_state_known: bool,
    },
    /// The object is no longer in the cache, because it left the [shard](super::ShardSelector) that
    /// this replica follows. It was not deleted. Only informers of a shard report this.
    MovedAway {
        /// The newest state that was seen.
        object: O,
    },
}

impl<O> ObjectEvent<O> {
    /// Returns the newest state of the object. Unpacks nothing.
    pub fn object(&self) -> &O {
        match self {
            Self::Added { object, .. }
            | Self::Deleted { object, .. }
            | Self::MovedAway { object } => object,
            Self::Updated { new, .. } => new,
        }
    }

    /// Returns the state before an update. `None` for every other event.
    pub fn old(&self) -> Option<&O> {
        match self {
            Self::Updated { old, .. } => Some(old),
            Self::Added { .. } | Self::Deleted { .. } | Self::MovedAway { .. } => None,
        }
    }

    /// Returns whether the object was deleted.
    pub fn is_deleted(&self) -> bool {
        matches!(self, Self::Deleted { .. })
    }

    /// Returns whether the object left the shard that this replica follows.
    pub(crate) fn is_moved_away(&self) -> bool {
        matches!(self, Self::MovedAway { .. })
    }

    /// Converts each object.
    pub(crate) fn map<P>(self, mut convert: impl FnMut(O) -> P) -> ObjectEvent<P> {
        match self {
            Self::Added { object, initial } => {
                ObjectEvent::Added { object: convert(object), initial }
            }
            Self::Updated { old, new } => {
                ObjectEvent::Updated { old: convert(old), new: convert(new) }
            }
            Self::Deleted { object, final_state_known } => {
                ObjectEvent::Deleted { object: convert(object), final_state_known }
            }
            Self::MovedAway { object } => ObjectEvent::MovedAway { object: convert(object) },
        }
    }
}

impl<K: Resource> Event<K> {
    /// Returns the object's key.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube_informer::informer::InformerStopped;
    /// use kube_informer::{SharedInformer, WorkQueue, ObjectKey};
    ///
    /// fn follow(
    ///     pods: &SharedInformer<Pod>,
    ///     queue: WorkQueue<ObjectKey>,
    /// ) -> Result<(), InformerStopped> {
    ///     pods.on_event(move |event| {
    ///         if let Ok(key) = event.key() {
    ///             queue.add(key);
    ///         }
    ///     })?;
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// [`InvalidKey`] if the object has no name. No informer reports such an object, but a program
    /// can make an event of one.
    pub fn key(&self) -> Result<ObjectKey, InvalidKey> {
        ObjectKey::of(&**self.object())
    }
}

impl<K: ?Sized> CachedEvent<K> {
    /// Returns the same event with another type of objects.
    pub(crate) fn cast<L: ?Sized>(self) -> CachedEvent<L> {
        self.map(Cached::cast)
    }
}

impl<K: ?Sized> CachedEvent<K> {
    /// Returns the event like [`read`](CachedEvent::read), whose objects have at least these
    /// fields, or all for `None`. Reading an initial add does not show that the object is in use.
    #[doc(hidden)]
    pub fn read_any(&self, fields: Option<&FieldSet>) -> Option<ObjectEvent<Arc<dyn AnyObject>>> {
        Some(match self {
            Self::Added { object, initial: true } => {
                let object = object.read_for(PassingRead::InitialAdd, fields)?;
                ObjectEvent::Added { object, initial: true }
            }
            Self::Added { object, initial: false } => {
                ObjectEvent::Added { object: object.read(fields)?, initial: false }
            }
            Self::Updated { old, new } => {
                let new = new.read(fields)?;
                let old = match old.told() {
                    Some(told) => told.last.as_ref().and_then(|last| last.read(fields)),
                    None => old.read(fields),
                };
                match old {
                    Some(old) => ObjectEvent::Updated { old, new },
                    None => ObjectEvent::Added { object: new, initial: false },
                }
            }
            Self::Deleted { object, final_state_known } => {
                let (object, final_state) = read_last(object, fields)?;
                let final_state_known = *final_state_known && final_state;
                ObjectEvent::Deleted { object, final_state_known }
            }
            Self::MovedAway { object } => {
                ObjectEvent::MovedAway { object: read_last(object, fields)?.0 }
            }
        })
    }
}

impl<K: Resource + Send + Sync + 'static> CachedEvent<K> {
    /// Returns the event with decoded objects. Unpacks each packed object, which takes O(its size).
    ///
    /// Returns `None` if the newest state can't be unpacked, which was reported. The events that a
    /// handler reads still fit together, without that state:
    ///
    /// - The next update has the state that the handler read last as `old`. If the handler read
    ///   none, the update is read as an add.
    /// - A delete whose final state can't be unpacked has the state that the handler read last, and
    ///   `final_state_known` is false. The same applies to an object that moved away.
    /// - A delete is `None` if the handler read no state of the object.
    ///
    /// This holds for a handler that reads each event in its call, and for the consumer of a tap
    /// that reads each before it asks for the next. An event that is read later may follow a state
    /// of which it was not known yet that it can't be read. Then the last state that was read is
    /// missing, and such a delete is `None`.
    pub fn read(&self) -> Option<Event<K>> {
        Some(match self.read_any(None)? {
            ObjectEvent::Added { object, initial } => {
                Event::Added { object: downcast(object)?, initial }
            }
            ObjectEvent::Updated { old, new } => {
                Event::Updated { old: downcast(old)?, new: downcast(new)? }
            }
            ObjectEvent::Deleted { object, final_state_known } => {
                Event::Deleted { object: downcast(object)?, final_state_known }
            }
            ObjectEvent::MovedAway { object } => Event::MovedAway { object: downcast(object)? },
        })
    }
}

/// Returns the state of an object that is gone, and whether it is the final one. If that can't be
/// unpacked, returns the last state that was reported to the event's reader. Returns `None` if
/// there is no such state.
fn read_last<K: ?Sized>(
    object: &Cached<K>,
    fields: Option<&FieldSet>,
) -> Option<(Arc<dyn AnyObject>, bool)> {
    let last = match object.told() {
        Some(told) => Some(told.last.as_ref()?),
        None => None,
    };
    let read = object.read(fields).map(|object| (object, true));
    read.or_else(|| Some((last?.read(fields)?, false)))
}

impl<K: Resource + Send + Sync + 'static> From<Event<K>> for CachedEvent<K> {
    fn from(event: Event<K>) -> Self {
        event.map(Into::into)
    }
}
