//! The seam between the reflector and where objects come from.
//!
//! A [`ListerWatcher`] answers two questions: what is there, and what happens from a version on.
//! It knows nothing of stores, handlers or retries: an error ends the answer, and the reflector
//! decides what to ask next. Whatever can't be decoded is an item of the answer, not its end.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use kube::Resource;

use crate::error::{RequestScope, SourceError, Verb, write_place};
use crate::object::{Cached, KnownObjects, ObjectKey, ResourceVersion};
pub use crate::packer::Packer;

/// Lists and watches one collection of objects.
///
/// Implemented over a [`kube::Client`] by [`ApiSource`](crate::transport::ApiSource), in memory by
/// the `testing` feature's `FakeSource`, and by users who keep objects elsewhere.
///
/// Dropping a returned future or stream must end the request.
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
///         _query: &ListQuery,
///         _hints: &ListHints<Pod>,
///     ) -> BoxFuture<'static, Result<ListStream<Pod>, SourceError>> {
///         let version = Some("1".into());
///         let end = ListItem::Meta(ListMetadata { version, ..ListMetadata::default() });
///         let pods = self.1.clone().into_iter().map(|pod| Ok(ListItem::Object(Ok(pod.into()))));
///         let items = stream::iter(pods.chain([Ok(end)]).collect::<Vec<_>>());
///         async { Ok(items.boxed()) }.boxed()
///     }
///
///     fn watch(
///         &self,
///         _query: &WatchQuery,
///         _hints: &ListHints<Pod>,
///     ) -> BoxFuture<'static, Result<WatchStream<Pod>, SourceError>> {
///         async { Ok(stream::pending().boxed()) }.boxed()
///     }
/// }
/// ```
pub trait ListerWatcher<K>: Send + Sync + 'static {
    /// The collection's name, for errors, logs and the status.
    fn collection(&self) -> &Collection;

    /// Returns whether a selector narrows the collection: an object may exist that it does not hold.
    /// Unless implemented, none does.
    fn is_narrowed(&self) -> bool {
        false
    }

    /// Starts one list, or one page of it. The source may ignore the hints.
    fn list(
        &self,
        query: &ListQuery,
        hints: &ListHints<K>,
    ) -> BoxFuture<'static, Result<ListStream<K>, SourceError>>;

    /// Starts one watch, or a streaming list. The source may ignore the hints.
    fn watch(
        &self,
        query: &WatchQuery,
        hints: &ListHints<K>,
    ) -> BoxFuture<'static, Result<WatchStream<K>, SourceError>>;
}

/// Optional hints from the caller, which save a source work.
#[must_use]
pub struct ListHints<K> {
    known: Option<Arc<dyn KnownObjects<K>>>,
    packer: Packer<K>,
}

impl<K> ListHints<K> {
    /// No hints.
    pub fn none() -> Self {
        Self { known: None, packer: Packer::decoded() }
    }

    /// The caller holds these objects already. A source need not decode an item, or an initial event,
    /// of an object that is known in the same state: it may give [`SourceObject::unchanged`].
    pub fn known(mut self, known: Arc<dyn KnownObjects<K>>) -> Self {
        self.known = Some(known);
        self
    }

    /// The caller packs objects so. A source may do it where it decodes them.
    pub fn packer(mut self, packer: Packer<K>) -> Self {
        self.packer = packer;
        self
    }

    /// Returns the objects that the caller holds already, if it says so.
    pub fn known_objects(&self) -> Option<&Arc<dyn KnownObjects<K>>> {
        self.known.as_ref()
    }

    /// Returns how the caller packs objects, if it does.
    pub(crate) fn packs(&self) -> Option<&Packer<K>> {
        Some(&self.packer).filter(|packer| packer.packs())
    }
}

impl<K> Clone for ListHints<K> {
    fn clone(&self) -> Self {
        Self { known: self.known.clone(), packer: self.packer.clone() }
    }
}

impl<K> Default for ListHints<K> {
    fn default() -> Self {
        Self::none()
    }
}

impl<K> fmt::Debug for ListHints<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListHints")
            .field("known", &self.known.is_some())
            .field("packer", &self.packer)
            .finish()
    }
}

/// What a list gives: objects as they arrive and, somewhere among them, the list's metadata.
///
/// A stream that ends without an error was complete.
pub type ListStream<K> = BoxStream<'static, Result<ListItem<K>, SourceError>>;

/// What a watch gives: events as they arrive. Its end without an error is an ordinary end.
pub type WatchStream<K> = BoxStream<'static, Result<WatchItem<K>, SourceError>>;

/// The collection that is listed and watched.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub struct Collection {
    /// The resource as `kubectl` writes it: `pods`, `deployments.apps`.
    pub resource: Arc<str>,
    /// The kind of its objects, such as `Pod`.
    pub kind: Arc<str>,
    /// The namespace, `None` for all of them or for a cluster-scoped resource.
    pub namespace: Option<Arc<str>>,
}

impl Collection {
    /// What an error about a request to this collection names.
    pub fn request_scope(&self, verb: Verb) -> RequestScope {
        RequestScope { verb, resource: self.resource.clone(), namespace: self.namespace.clone() }
    }
}

impl fmt::Display for Collection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_place(f, &self.resource, self.namespace.as_deref())
    }
}

/// How to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListQuery {
    /// Not older than this; `None` is a quorum read, "0" whatever the server's cache has.
    /// Not sent with a `continue_token`.
    pub version: Option<ResourceVersion>,
    /// At most so many objects in this answer.
    pub limit: Option<u32>,
    /// Go on where the last page ended.
    pub continue_token: Option<String>,
}

/// How to watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchQuery {
    /// Events after this version. With `initial_events`: a state not older than it.
    pub version: Option<ResourceVersion>,
    /// After how long the server is to end the watch.
    pub timeout: Duration,
    /// First the present state as ADDED events, then a bookmark, then live events (KEP-3157).
    pub initial_events: bool,
}

/// An object that a source gives: `pod.into()`.
///
/// A source that makes use of [`ListHints`] may instead give it as the cache is to hold it.
#[derive(Debug)]
pub struct SourceObject<K>(pub(crate) SourceState<K>);

/// The state of an object that a source gives.
#[derive(Debug)]
pub(crate) enum SourceState<K> {
    /// Decoded, as its source has it.
    Decoded(K),
    /// As the cache is to hold it.
    Packed(ObjectKey, Cached<K>),
    /// In the state in which the caller knows it; this is the known one.
    Unchanged(ObjectKey, Cached<K>),
}

impl<K> SourceObject<K> {
    /// Gives the known object of this key, which is unchanged. Only where the caller hinted at it, and
    /// only of a list or of the initial events of a stream.
    pub fn unchanged(key: ObjectKey, known: Cached<K>) -> Self {
        Self(SourceState::Unchanged(key, known))
    }

    /// Returns whether this is the known object.
    pub fn is_unchanged(&self) -> bool {
        matches!(self.0, SourceState::Unchanged(..))
    }

    /// Returns the object, where nothing but decoding was done to it: always without hints.
    pub fn into_decoded(self) -> Option<K> {
        match self.0 {
            SourceState::Decoded(object) => Some(object),
            SourceState::Packed(..) | SourceState::Unchanged(..) => None,
        }
    }
}

impl<K: Resource> SourceObject<K> {
    /// Returns `metadata.resourceVersion`.
    pub(crate) fn version(&self) -> Option<ResourceVersion> {
        match &self.0 {
            SourceState::Decoded(object) => {
                object.meta().resource_version.as_deref().map(Into::into)
            }
            SourceState::Packed(_, cached) | SourceState::Unchanged(_, cached) => cached.version(),
        }
    }
}

impl<K> From<K> for SourceObject<K> {
    fn from(object: K) -> Self {
        Self(SourceState::Decoded(object))
    }
}

/// An object that could not be decoded.
#[derive(Clone, Debug)]
pub struct Undecodable {
    /// Its key, where its metadata could be read.
    pub key: Option<ObjectKey>,
    /// Its version, where its metadata could be read.
    pub version: Option<ResourceVersion>,
    /// What is wrong with it.
    pub error: SourceError,
}

/// A part of a list.
#[derive(Debug)]
pub enum ListItem<K> {
    /// An object.
    Object(Result<SourceObject<K>, Undecodable>),
    /// The list's own metadata; before, between or after its objects.
    Meta(ListMetadata),
}

/// What a list says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListMetadata {
    /// The version of the whole list.
    pub version: Option<ResourceVersion>,
    /// The next page; `None` when this is the last.
    pub continue_token: Option<String>,
    /// How many objects the pages after this one hold, where the server tells.
    pub remaining: Option<u64>,
}

/// A part of a watch.
#[derive(Debug)]
pub enum WatchItem<K> {
    /// ADDED.
    Added(Result<SourceObject<K>, Undecodable>),
    /// MODIFIED.
    Modified(Result<SourceObject<K>, Undecodable>),
    /// DELETED, with the final state.
    Deleted(Result<SourceObject<K>, Undecodable>),
    /// BOOKMARK.
    Bookmark {
        /// Everything up to this version was sent.
        version: ResourceVersion,
        /// The initial events of a streaming list are through.
        initial_events_end: bool,
    },
    /// ERROR: the server gives up, with this status. Ends the watch.
    Failed(SourceError),
    /// An event that can't be used (an unknown type, an object of another kind); skipped.
    Skipped(SourceError),
}
