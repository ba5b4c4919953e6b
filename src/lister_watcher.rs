//! The interface between the reflector and the source of its objects.
//!
//! A [`ListerWatcher`] answers two requests: a list of what exists, and a watch of what happens
//! after a version. It does not know stores, handlers or retries: an error ends the answer, and the
//! reflector decides what to request next. An object that can't be decoded is an item of the
//! answer, and does not end it.

mod any_source;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use kube::Resource;
use kube::core::{DynamicObject, PartialObjectMeta};

pub(crate) use self::any_source::{AnySource, cast_list, cast_watch};
use crate::error::{RequestName, SourceError, Verb, write_place};
use crate::object::{
    AnyObject, Cached, InvalidName, KnownObjects, ObjectKey, ResourceVersion, ShardSelector,
};
use crate::packer::METADATA_PANICKED;
#[doc(hidden)]
pub use crate::packer::Packer;
use crate::panic::catch;

/// A source that lists and watches one collection.
///
/// [`ApiSource`](crate::transport::ApiSource) implements it over a [`kube::Client`], and the
/// `testing` feature's `FakeSource` in memory. Implement it for objects that come from elsewhere.
///
/// Dropping a returned future or stream must end the request.
///
/// Handlers are notified of each object of a list or an event, whatever its version, because
/// versions alone do not prove that nothing changed. Only listed objects that the source marks as
/// unchanged are left out: see [`ListHints::known`].
///
/// A query may request a shard of the collection. The source must leave out every other object,
/// whatever its server does: [`ShardSelector::selects`] decides. In a watch, the source sends
/// [`WatchItem::Outside`] instead of their events. An object whose metadata cannot be read is
/// delivered as undecodable in any case, so that it is reported.
///
/// ```
/// use futures::future::BoxFuture;
/// use futures::{FutureExt, StreamExt, stream};
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::SourceError;
/// use kube_informer::lister_watcher::*;
///
/// /// The same pods for ever.
/// struct Fixed(Collection, Vec<Pod>);
///
/// impl ListerWatcher<Pod> for Fixed {
///     fn collection(&self) -> &Collection {
///         &self.0
///     }
///
///     fn list(
///         &self,
///         query: &ListQuery,
///         _hints: &ListHints,
///     ) -> BoxFuture<'static, Result<ListStream<Pod>, SourceError>> {
///         let version = Some("1".into());
///         let end = ListItem::Meta(ListMetadata { version, ..ListMetadata::default() });
///         let shard = query.shard.as_ref();
///         let selected = |pod: &&Pod| shard.is_none_or(|shard| shard.selects(&pod.metadata));
///         let pods = self.1.iter().filter(selected).cloned();
///         let pods = pods.map(|pod| Ok(ListItem::Object(Ok(pod.into()))));
///         let items = stream::iter(pods.chain([Ok(end)]).collect::<Vec<_>>());
///         async { Ok(items.boxed()) }.boxed()
///     }
///
///     fn watch(
///         &self,
///         _query: &WatchQuery,
///         _hints: &ListHints,
///     ) -> BoxFuture<'static, Result<WatchStream<Pod>, SourceError>> {
///         async { Ok(stream::pending().boxed()) }.boxed()
///     }
/// }
/// ```
pub trait ListerWatcher<K: ?Sized = dyn AnyObject>: Send + Sync + 'static {
    /// Returns the collection's name, for errors, logs and the status.
    fn collection(&self) -> &Collection;

    /// Returns whether a selector narrows the collection, so that an object may exist that the
    /// collection does not contain. The default implementation returns false.
    fn is_narrowed(&self) -> bool {
        false
    }

    /// Returns whether objects keep this manager's entries of `metadata.managedFields`. The default
    /// implementation returns false.
    fn keeps_managed_fields(&self, manager: &str) -> bool {
        let _ = manager;
        false
    }

    /// Returns the name because of which a server would refuse every request. An informer of such a
    /// source does not [start](crate::SharedInformer::start). The default implementation returns
    /// none.
    fn invalid_name(&self) -> Option<InvalidName> {
        None
    }

    /// Returns the path of the collection of all namespaces, and the field selector. The default
    /// implementation returns none.
    #[doc(hidden)]
    fn request(&self) -> Option<(String, Option<String>)> {
        None
    }

    /// Returns a source that lists the same objects with their metadata alone, in the same scope
    /// and under the same selectors. An [audit](crate::SharedInformer::audit) prefers it. The
    /// default implementation returns none: an audit lists whole objects.
    fn metadata(&self) -> Option<Arc<dyn ListerWatcher<PartialObjectMeta<DynamicObject>>>> {
        None
    }

    /// Starts one list, or one page of it. The source may ignore the hints.
    fn list(
        &self,
        query: &ListQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<K>, SourceError>>;

    /// Starts one watch, or a streaming list. The source may ignore the hints.
    fn watch(
        &self,
        query: &WatchQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<K>, SourceError>>;
}

/// Optional hints from the caller, which let a source do less work.
#[must_use]
pub struct ListHints {
    known: Option<Arc<dyn KnownObjects>>,
    packer: Packer,
    received: Option<Arc<AtomicU64>>,
}

impl ListHints {
    /// Returns empty hints.
    pub fn none() -> Self {
        Self { known: None, packer: Packer::decoded(), received: None }
    }

    /// Hints that the caller already holds these objects. For a list item or an initial event that
    /// is in a known state, the source may return [`SourceObject::unchanged`] and skip decoding.
    pub fn known(mut self, known: Arc<dyn KnownObjects>) -> Self {
        self.known = Some(known);
        self
    }

    /// Hints how the caller packs objects. The source may then pack an object while decoding it.
    #[doc(hidden)]
    pub fn packer(mut self, packer: Packer) -> Self {
        self.packer = packer;
        self
    }

    /// Asks the source to add the number of bytes that it receives to this counter.
    pub(crate) fn counting(mut self, received: Arc<AtomicU64>) -> Self {
        self.received = Some(received);
        self
    }

    /// Returns the counter of received bytes, if the caller wants them counted.
    pub(crate) fn byte_counter(&self) -> Option<&Arc<AtomicU64>> {
        self.received.as_ref()
    }

    /// Returns the objects that the caller already holds, if it gave that hint.
    pub fn known_objects(&self) -> Option<&Arc<dyn KnownObjects>> {
        self.known.as_ref()
    }

    /// Returns the caller's packer, if it does not keep objects decoded.
    pub(crate) fn packs(&self) -> Option<&Packer> {
        Some(&self.packer).filter(|packer| packer.packs())
    }
}

impl Clone for ListHints {
    fn clone(&self) -> Self {
        let Self { known, packer, received } = self;
        Self { known: known.clone(), packer: packer.clone(), received: received.clone() }
    }
}

impl Default for ListHints {
    fn default() -> Self {
        Self::none()
    }
}

impl fmt::Debug for ListHints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListHints")
            .field("known", &self.known.is_some())
            .field("packer", &self.packer)
            .finish_non_exhaustive()
    }
}

/// The answer to a list: the objects as they arrive and, somewhere among them, the list's metadata.
///
/// A list is complete when its stream ends without an error.
pub type ListStream<K = dyn AnyObject> = BoxStream<'static, Result<ListItem<K>, SourceError>>;

/// The answer to a watch: the events as they arrive. A watch ends normally when its stream ends
/// without an error.
pub type WatchStream<K = dyn AnyObject> = BoxStream<'static, Result<WatchItem<K>, SourceError>>;

/// The name of the collection that is listed and watched.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub struct Collection {
    /// The resource as `kubectl` writes it: `pods`, `deployments.apps`.
    pub resource: Arc<str>,
    /// The kind of its objects, such as `Pod`.
    pub kind: Arc<str>,
    /// The namespace, or `None` for all namespaces and for a cluster-scoped resource.
    pub namespace: Option<Arc<str>>,
}

impl Collection {
    /// Returns the name of a request to this collection, for errors.
    pub fn request_name(&self, verb: Verb) -> RequestName {
        RequestName { verb, resource: self.resource.clone(), namespace: self.namespace.clone() }
    }
}

impl fmt::Display for Collection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_place(f, &self.resource, self.namespace.as_deref())
    }
}

/// Parameters of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListQuery {
    /// The oldest acceptable version. `None` requests a quorum read, "0" any version in the
    /// server's cache. Not sent with a `continue_token`.
    pub version: Option<ResourceVersion>,
    /// The maximum number of objects in the answer.
    pub limit: Option<u32>,
    /// The token of the last page, to continue after it.
    pub continue_token: Option<String>,
    /// The shard to list. The source leaves out every other object.
    pub shard: Option<ShardSelector>,
}

/// Parameters of a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WatchQuery {
    /// The version after which events are wanted. With `initial_events`, the oldest acceptable
    /// version of the initial state.
    pub version: Option<ResourceVersion>,
    /// The time after which the server ends the watch, in whole seconds: at least one, and at most
    /// a century.
    pub timeout: Duration,
    /// True to request the present state as ADDED events first, then a bookmark, then live events
    /// (KEP-3157).
    pub initial_events: bool,
    /// The shard to watch. The source sends [`WatchItem::Outside`] instead of the events of other
    /// objects.
    pub shard: Option<ShardSelector>,
}

impl WatchQuery {
    /// Returns the query of a watch that begins at the server's present version, without initial
    /// events.
    pub fn new(timeout: Duration) -> Self {
        Self { version: None, timeout, initial_events: false, shard: None }
    }
}

/// An object that a source delivers. Convert a decoded object with `pod.into()`.
///
/// A source that follows [`ListHints`] may deliver the object as the cache will hold it instead.
#[derive(Debug)]
pub struct SourceObject<K: ?Sized = dyn AnyObject> {
    pub(crate) form: SourceForm,
    /// True if a time of the object was read as the nearest one that its type holds.
    pub(crate) is_clamped: bool,
    kind: PhantomData<K>,
}

/// The form in which a source delivers an object.
#[derive(Debug)]
pub(crate) enum SourceForm {
    /// Decoded, and otherwise unchanged. Nothing else holds the object.
    Decoded(Cached),
    /// As the cache will hold it.
    Packed(ObjectKey, Cached),
    /// The object that the caller already holds, in the same state.
    Unchanged(ObjectKey, Cached),
}

impl<K: ?Sized> SourceObject<K> {
    /// Delivers the known object with this key, which is unchanged. Allowed only for objects in the
    /// caller's hints, in a list or among a streaming list's initial events.
    pub fn unchanged(key: ObjectKey, known: Cached<K>) -> Self {
        SourceForm::Unchanged(key, known.cast()).into()
    }

    /// Returns whether this is the object that the caller already holds.
    pub fn is_unchanged(&self) -> bool {
        matches!(self.form, SourceForm::Unchanged(..))
    }

    /// Returns the same object with another type.
    pub(crate) fn cast<L: ?Sized>(self) -> SourceObject<L> {
        SourceObject { form: self.form, is_clamped: self.is_clamped, kind: PhantomData }
    }

    /// Returns the object's key. The getter of the metadata is user code.
    ///
    /// # Errors
    /// The problem, if the metadata has no key, or the getter panics.
    pub(crate) fn key(&self) -> Result<ObjectKey, String> {
        match &self.form {
            SourceForm::Packed(key, _) | SourceForm::Unchanged(key, _) => Ok(key.clone()),
            SourceForm::Decoded(object) => {
                let key = catch(|| object.key()).map_err(|_| METADATA_PANICKED.to_owned())?;
                key.map_err(|invalid| invalid.to_string())
            }
        }
    }

    /// Returns the object, in any form.
    pub(crate) fn cached(&self) -> &Cached {
        match &self.form {
            SourceForm::Decoded(object)
            | SourceForm::Packed(_, object)
            | SourceForm::Unchanged(_, object) => object,
        }
    }

    /// Returns `metadata.resourceVersion`.
    pub(crate) fn version(&self) -> Option<ResourceVersion> {
        self.cached().version()
    }
}

impl<K: Resource + Send + Sync + 'static> SourceObject<K> {
    /// Returns the object, in any form.
    #[cfg(any(test, feature = "testing"))]
    #[doc(hidden)]
    pub fn into_cached(self) -> Cached<K> {
        match self.form {
            SourceForm::Decoded(object)
            | SourceForm::Packed(_, object)
            | SourceForm::Unchanged(_, object) => object.cast(),
        }
    }

    /// Returns the object if it is only decoded. Always returns one if the request had no hints.
    pub fn into_decoded(self) -> Option<K> {
        match self.form {
            SourceForm::Decoded(object) => object.into_inner(),
            SourceForm::Packed(..) | SourceForm::Unchanged(..) => None,
        }
    }
}

impl<K: ?Sized> From<SourceForm> for SourceObject<K> {
    fn from(form: SourceForm) -> Self {
        Self { form, is_clamped: false, kind: PhantomData }
    }
}

impl<K: Resource + Send + Sync + 'static> From<K> for SourceObject<K> {
    fn from(object: K) -> Self {
        SourceForm::Decoded(Cached::any(Arc::new(object))).into()
    }
}

/// An object that could not be decoded.
#[derive(Clone, Debug)]
pub struct Undecodable {
    /// The object's key, if its metadata could be read.
    pub key: Option<ObjectKey>,
    /// The object's version, if its metadata could be read.
    pub version: Option<ResourceVersion>,
    /// The reason, and the request that delivered the object.
    pub error: SourceError,
}

/// One item of a list's answer.
#[derive(Debug)]
pub enum ListItem<K: ?Sized = dyn AnyObject> {
    /// An object.
    Object(Result<SourceObject<K>, Undecodable>),
    /// An object outside of the requested shard, which is left out. A source may report it, so that
    /// a long list is not mistaken for a silent one. Holds the object's key if its hash can change:
    /// a stored object of this key has moved away, and was not deleted.
    Outside(Option<ObjectKey>),
    /// The list's own metadata, which may come before, between or after its objects.
    Meta(ListMetadata),
}

impl<K: ?Sized> ListItem<K> {
    /// Returns the same item with another type of objects.
    pub(crate) fn cast<L: ?Sized>(self) -> ListItem<L> {
        match self {
            Self::Object(object) => ListItem::Object(object.map(SourceObject::cast)),
            Self::Outside(key) => ListItem::Outside(key),
            Self::Meta(metadata) => ListItem::Meta(metadata),
        }
    }
}

/// The metadata of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListMetadata {
    /// The version of the whole list.
    pub version: Option<ResourceVersion>,
    /// The token for the next page, or `None` on the last page.
    pub continue_token: Option<String>,
    /// The number of objects on the pages after this one, if the server reports it. It may count
    /// the objects of other shards. A list with such objects and without a token is not whole: it
    /// is an error ([`Fault::MissingRest`](crate::error::Fault::MissingRest)).
    pub remaining: Option<u64>,
    /// True if the server states that it selected the requested shard. False proves nothing,
    /// because servers do not state it in lists of custom resources or of metadata.
    pub sharded: bool,
}

/// One item of a watch's answer.
///
/// A custom source that receives JSON:
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::SourceError;
/// use kube_informer::error::{ApiStatus, Fault, RequestName, Verb};
/// use kube_informer::lister_watcher::{Collection, SourceObject, Undecodable, WatchItem};
///
/// /// Returns the event of a new pod. A pod that cannot be decoded does not end the watch.
/// fn added(request: &RequestName, json: &[u8]) -> WatchItem<Pod> {
///     let pod = serde_json::from_slice::<Pod>(json).map(SourceObject::from);
///     WatchItem::Added(pod.map_err(|error| {
///         // Without the error's own text, which may quote the object.
///         let problem = format!("line {}, column {}", error.line(), error.column());
///         let fault = Fault::Undecodable { key: None, problem };
///         let error = SourceError::new(request.clone(), fault);
///         Undecodable { key: None, version: None, error }
///     }))
/// }
///
/// /// Returns the event that makes the reflector list again.
/// fn history_lost(pods: &Collection) -> WatchItem<Pod> {
///     let fault = Fault::Status(ApiStatus::new(410, "Expired", "the history is lost"));
///     WatchItem::Failed(SourceError::new(pods.request_name(Verb::Watch), fault))
/// }
/// ```
#[derive(Debug)]
pub enum WatchItem<K: ?Sized = dyn AnyObject> {
    /// An ADDED event.
    Added(Result<SourceObject<K>, Undecodable>),
    /// A MODIFIED event.
    Modified(Result<SourceObject<K>, Undecodable>),
    /// A DELETED event, with the final state.
    Deleted(Result<SourceObject<K>, Undecodable>),
    /// A BOOKMARK event.
    Bookmark {
        /// The version up to which every event was sent.
        version: ResourceVersion,
        /// True if this bookmark ends the initial events of a streaming list.
        initial_events_end: bool,
    },
    /// An event of an object outside of the requested shard.
    ///
    /// The deletion of an object that may have been in the shard is a [`Deleted`](Self::Deleted)
    /// event, even if its final state is outside.
    Outside {
        /// The object's key. Set it unless the object's hash can never change (uid, namespace).
        key: Option<ObjectKey>,
        /// The object's version. It counts as a bookmark, except among initial events.
        version: Option<ResourceVersion>,
    },
    /// An ERROR event, with its status. The server ends the watch.
    Failed(SourceError),
    /// An event that can't be used and is skipped, because its type is unknown.
    Skipped(SourceError),
}

impl<K: ?Sized> WatchItem<K> {
    /// Returns the same item with another type of objects.
    pub(crate) fn cast<L: ?Sized>(self) -> WatchItem<L> {
        match self {
            Self::Added(object) => WatchItem::Added(object.map(SourceObject::cast)),
            Self::Modified(object) => WatchItem::Modified(object.map(SourceObject::cast)),
            Self::Deleted(object) => WatchItem::Deleted(object.map(SourceObject::cast)),
            Self::Bookmark { version, initial_events_end } => {
                WatchItem::Bookmark { version, initial_events_end }
            }
            Self::Outside { key, version } => WatchItem::Outside { key, version },
            Self::Failed(error) => WatchItem::Failed(error),
            Self::Skipped(error) => WatchItem::Skipped(error),
        }
    }
}
