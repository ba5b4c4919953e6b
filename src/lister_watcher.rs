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
use crate::object::{Cached, KnownObjects, ObjectKey, Pack, ResourceVersion};

/// Lists and watches one collection of objects.
///
/// Implemented over a [`kube::Client`] by [`ApiSource`](crate::transport::ApiSource), in memory by
/// the `testing` feature's `FakeSource`, and by whoever keeps objects elsewhere.
///
/// Dropping a returned future or stream must end the request.
pub trait ListerWatcher<K>: Send + Sync + 'static {
    /// The collection's name, for errors, logs and the status.
    fn collection(&self) -> &Collection;

    /// Returns whether a selector narrows the collection: an object may exist that it does not hold.
    /// Unless implemented, none does.
    fn is_narrowed(&self) -> bool {
        false
    }

    /// Starts one list, or one page of it.
    fn list(&self, query: &ListQuery) -> BoxFuture<'static, Result<ListStream<K>, SourceError>>;

    /// Starts one watch, or a streaming list.
    fn watch(&self, query: &WatchQuery) -> BoxFuture<'static, Result<WatchStream<K>, SourceError>>;

    /// As [`list`](Self::list), for who can use more than objects. It need not give that: unless
    /// implemented, every item is decoded and comes alone.
    fn list_with(
        &self,
        query: &ListQuery,
        wishes: Wishes<K>,
    ) -> BoxFuture<'static, Result<ListStream<K>, SourceError>> {
        drop(wishes);
        self.list(query)
    }

    /// As [`watch`](Self::watch), for who can use more than objects. It need not give that: unless
    /// implemented, every object is decoded and comes alone.
    fn watch_with(
        &self,
        query: &WatchQuery,
        wishes: Wishes<K>,
    ) -> BoxFuture<'static, Result<WatchStream<K>, SourceError>> {
        drop(wishes);
        self.watch(query)
    }
}

/// What who asks can use beyond objects.
#[must_use]
#[non_exhaustive]
pub struct Wishes<K> {
    /// What it holds already, see [`known`](Self::known).
    pub known: Option<Arc<dyn KnownObjects<K>>>,
    /// How it packs objects, see [`pack`](Self::pack).
    pub pack: Option<Arc<dyn Pack<K>>>,
}

impl<K> Wishes<K> {
    /// None.
    pub fn new() -> Self {
        Self { known: None, pack: None }
    }

    /// It holds these objects already: an item, or an initial event, of an object that is known in the
    /// same state may come as [`ListItem::Unchanged`] or [`WatchItem::Unchanged`], undecoded.
    pub fn known(mut self, known: Arc<dyn KnownObjects<K>>) -> Self {
        self.known = Some(known);
        self
    }

    /// It packs objects so: they may come packed, as [`Given::Packed`], which saves time where it is done
    /// next to decoding.
    pub fn pack(mut self, pack: Arc<dyn Pack<K>>) -> Self {
        self.pack = Some(pack);
        self
    }
}

impl<K> Default for Wishes<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K> fmt::Debug for Wishes<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wishes")
            .field("known", &self.known.is_some())
            .field("pack", &self.pack.is_some())
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

/// One object of a list or of an event: as it was given, or what can be said of one that could not be
/// decoded.
pub type Decoded<K> = Result<Given<K>, Undecodable>;

/// An object that a source gives.
#[derive(Debug)]
pub enum Given<K> {
    /// The object.
    Object(K),
    /// The object as it is to be kept. Only where it was asked for.
    Packed(ObjectKey, Cached<K>),
}

impl<K> From<K> for Given<K> {
    fn from(object: K) -> Self {
        Self::Object(object)
    }
}

impl<K: Resource> Given<K> {
    /// `metadata.resourceVersion`.
    pub(crate) fn version(&self) -> Option<ResourceVersion> {
        match self {
            Self::Object(object) => object.meta().resource_version.as_deref().map(Into::into),
            Self::Packed(_, cached) => cached.version(),
        }
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
    Object(Decoded<K>),
    /// An object that is in the state in which it is known; this is the known one. Only where it
    /// was asked for.
    Unchanged(ObjectKey, Cached<K>),
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
    Added(Decoded<K>),
    /// MODIFIED.
    Modified(Decoded<K>),
    /// DELETED, with the final state.
    Deleted(Decoded<K>),
    /// An initial event of an object that is in the state in which it is known; this is the known
    /// one. Only where it was asked for.
    Unchanged(ObjectKey, Cached<K>),
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
