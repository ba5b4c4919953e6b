//! The [`ListerWatcher`] of an API server, over a [`kube::Client`].

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::api::{DynamicObject, TypeMeta};
use kube::core::{ApiResource, PartialObjectMeta};
use kube::{Client, Resource};
use kube_decode::{Decode, DynamicDecode, SerdeDecode};
use serde::de::DeserializeOwned;

use super::collection::{ApiCollection, PathOf, VersionInUse};
use super::decode_threads::DecodeThreads;
use super::managed_fields::ManagedFields;
use super::request::Fallback;
use crate::codec::decode_any;
use crate::error::SourceError;
use crate::lister_watcher::{
    Collection, ListHints, ListQuery, ListStream, ListerWatcher, WatchQuery, WatchStream,
    cast_list, cast_watch,
};
use crate::object::{AnyObject, InvalidName, KindReach};

/// A source that lists and watches one collection through a [`kube::Client`].
///
/// It works for types of `k8s-openapi`, derived custom resources,
/// [`PartialObjectMeta`](kube::core::PartialObjectMeta) (only metadata), your own struct that
/// inherits a resource, and [`DynamicObject`].
///
/// For built-in types it requests protobuf, which takes less work for the server and this process.
/// It also accepts JSON. The decoded objects are the same; only a `RawValue` of `serde_json` may
/// have its members in another order, and numbers in another form. After an answer in JSON it
/// requests JSON for ten minutes, then protobuf again. Custom resources and dynamic objects always
/// come as JSON. [`json_only`](Self::json_only) requests only JSON.
///
/// ```no_run
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::transport::ApiSource;
///
/// # async fn f() -> Result<(), kube::Error> {
/// let client = kube::Client::try_default().await?;
/// let source = ApiSource::<Pod>::new(client).namespace("shop").labels("app=web");
/// # Ok(()) }
/// ```
#[must_use]
pub struct ApiSource<K: ?Sized = dyn AnyObject> {
    collection: ApiCollection,
    kind: PhantomData<K>,
}

impl<K> ApiSource<K>
where
    K: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static,
{
    /// Creates a source of all objects of type `K`.
    pub fn new(client: Client) -> Self {
        Self::with_type(client, ())
    }
}

impl ApiSource<DynamicObject> {
    /// Creates a source of all objects of a resource that is known only at run time.
    pub fn dynamic(client: Client, resource: ApiResource) -> Self {
        let types =
            TypeMeta { api_version: resource.api_version.clone(), kind: resource.kind.clone() };
        Self::with_type(client, resource).decoder(DynamicDecode::new(types))
    }
}

impl<K: Resource + DeserializeOwned + Send + Sync + 'static> ApiSource<K> {
    /// Creates a source of all objects of type `K` with this dynamic type.
    pub(crate) fn with_type(client: Client, dynamic_type: K::DynamicType) -> Self {
        let resource = ApiResource::erase::<K>(&dynamic_type);
        let path: PathOf = Arc::new(move |namespace| K::url_path(&dynamic_type, namespace));
        let decoder = decode_any::<K>(Arc::new(SerdeDecode::new()));
        let cluster_scoped = KindReach::of::<K>() == KindReach::Cluster;
        let mut collection = ApiCollection::new(client, resource, path, decoder, cluster_scoped);
        if K::metadata_api() {
            // Metadata has its own protobuf encoding for every type.
            (collection.selection.metadata_only, collection.protobuf) = (true, true);
        }
        Self { collection, kind: PhantomData }.with_options()
    }
}

impl<K: ?Sized> ApiSource<K> {
    fn with_options(mut self) -> Self {
        self.collection.set_options();
        self
    }

    /// Limits the source to one namespace, which must be an RFC 1123 label. With another one, an
    /// informer does not [start](crate::informer::StartError::InvalidName), and a request fails with
    /// [`Fault::Request`](crate::error::Fault::Request) before it is sent.
    pub fn namespace(mut self, namespace: impl Into<Arc<str>>) -> Self {
        let namespace = namespace.into();
        self.collection.selection.path = (self.collection.path)(Some(&namespace));
        self.collection.collection.namespace = Some(namespace);
        self
    }

    /// Limits the source to the objects that a label selector selects. The server evaluates it.
    /// With an invalid one, an informer does not [start](crate::informer::StartError::InvalidName),
    /// and requests fail.
    pub fn labels(mut self, selector: impl Into<String>) -> Self {
        self.collection.selection.label_selector = Some(selector.into());
        self
    }

    /// Limits the source to the objects that a field selector selects. The server evaluates it, and
    /// knows which fields a kind selects by. With an invalid syntax, an informer does not
    /// [start](crate::informer::StartError::InvalidName), and requests fail.
    pub fn fields(mut self, selector: impl Into<String>) -> Self {
        self.collection.selection.field_selector = Some(selector.into());
        self
    }

    /// Adds a query parameter to every list and watch. With one that the informer sets itself, such
    /// as `limit` or `labelSelector`, it does not [start](crate::informer::StartError::InvalidName), and
    /// requests fail.
    pub fn param(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.collection.selection.extra.push((name.into(), value.into()));
        self
    }

    /// Sets the size limit of one encoded object, in bytes. 16 MiB unless set. A larger object is
    /// skipped without buffering it, and reported as
    /// [`Fault::TooLarge`](crate::error::Fault::TooLarge) or, if its key comes early enough, under
    /// its key. Answers about one object, as to a write, keep their limit of 16 MiB.
    ///
    /// [`memory_limit`](Self::memory_limit) limits the memory of a decoded object.
    pub fn object_limit(mut self, bytes: usize) -> Self {
        self.collection.object_limit = bytes;
        self.with_options()
    }

    /// Sets the memory limit of one decoded object, in bytes. Unless set, the limit is four times
    /// the [`object_limit`](Self::object_limit), and at least 64 MiB.
    ///
    /// A few bytes can encode a large value: in protobuf, an empty volume takes two bytes, and
    /// three kilobytes decoded. Memory is counted before it is allocated, so an object over the
    /// limit briefly takes at most the limit. It is reported as undecodable, and its neighbours are
    /// stored.
    ///
    /// The count is an estimate from the sizes of the Rust types. It leaves out what a type builds
    /// from a buffer of serde's, which a few bytes can make large, too: a part with
    /// `#[serde(flatten)]`, or an untagged or internally tagged enum. Your own
    /// [`decoder`](Self::decoder) must limit its memory itself, or implement
    /// [`with_memory_limit`](super::Decode::with_memory_limit).
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.collection.memory_limit = Some(bytes);
        self.with_options()
    }

    /// Decodes objects on these threads, which other sources may share.
    pub(crate) fn decoded_by(mut self, threads: Arc<DecodeThreads>) -> Self {
        self.collection.threads = self.collection.threads.on(threads);
        self
    }

    /// Requests only JSON. Use it to get fields newer than
    /// [`protobuf::RELEASE`](super::protobuf::RELEASE), or to read the traffic on the wire.
    pub fn json_only(mut self) -> Self {
        self.collection.json = Arc::new(Fallback::always());
        self
    }

    /// Sets whether lists and watches are requested compressed with gzip. Off unless set. Answers
    /// that come uncompressed are read as always.
    ///
    /// [Running in
    /// production](https://docs.rs/kube-controllers/latest/kube_controllers/docs/running_in_production/index.html)
    /// says when it pays, and what it reveals of Secrets. If a compressed answer can't be read, the
    /// source requests uncompressed ones for ten minutes. The same holds if two lists in a row do
    /// not come whole. An answer that inflates to more than 16 MiB and 200 times its size counts as
    /// unreadable.
    #[cfg(feature = "gzip")]
    pub fn gzip(mut self, compressed: bool) -> Self {
        let fallback =
            || Arc::new(if compressed { Fallback::default() } else { Fallback::always() });
        self.collection.uncompressed_list = fallback();
        self.collection.uncompressed_watch = fallback();
        self
    }

    /// Sets whether a relist treats an object with a known uid and resourceVersion as unchanged,
    /// without decoding it. Unless set, this is on for built-in types and off for others.
    ///
    /// Conversion can change a custom resource without a new version: through a new webhook, or
    /// through another schema's defaults or pruning. With this on, such a change is not seen until
    /// the object is written again. Turn it on if the definition has one version and does not
    /// change while the informer runs. Turn it off for a built-in type if new defaults of an
    /// upgraded server must show at once. A relist with a quorum read decodes everything in either
    /// case.
    pub fn trust_versions(mut self, trust: bool) -> Self {
        self.collection.trust_versions = trust;
        self
    }

    /// Returns whether the objects are Secrets.
    pub(crate) fn is_of_secrets(&self) -> bool {
        *self.collection.collection.resource == *"secrets"
    }

    /// Returns whether equal versions count as equal objects.
    pub(crate) fn trusts_versions(&self) -> bool {
        self.collection.trust_versions
    }

    /// Sets whether objects keep their `metadata.managedFields`. Unless set, they are left out.
    /// They can take half of an object's memory and a third of its decoding time, and only programs
    /// that inspect field ownership read them. Servers still send them, because a request can't
    /// exclude them: this saves memory and time, not traffic.
    ///
    /// Objects without them can still be written back: if an update has no managed fields, the
    /// server keeps its own. Server-side apply refuses an object that has them.
    ///
    /// Your own [`decoder`](Self::decoder) leaves them out only if it implements
    /// [`without_managed_fields`](super::Decode::without_managed_fields).
    ///
    /// ```no_run
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube_informer::transport::ApiSource;
    ///
    /// # async fn f() -> Result<(), kube::Error> {
    /// let client = kube::Client::try_default().await?;
    /// let source = ApiSource::<Pod>::new(client).managed_fields(true);
    /// # Ok(()) }
    /// ```
    pub fn managed_fields(self, keep: bool) -> Self {
        self.keeping(keep.into())
    }

    /// Keeps only one manager's entries of `metadata.managedFields`. It replaces
    /// [`managed_fields`](Self::managed_fields).
    ///
    /// The other entries are cut out before an object is decoded. With a name that no
    /// [field manager](crate::object::NameRule::FieldManager) can have, an informer does not
    /// [start](crate::informer::StartError::InvalidName), and requests fail.
    pub fn managed_fields_of(self, manager: impl Into<Arc<str>>) -> Self {
        self.keeping(ManagedFields::Of(manager.into()))
    }

    /// Sets which managed fields objects keep.
    pub(crate) fn keeping(mut self, managed_fields: ManagedFields) -> Self {
        self.collection.managed_fields = managed_fields;
        self.with_options()
    }
}

impl<K: ?Sized> ApiSource<K> {
    /// Returns the same source of objects of any type.
    pub(crate) fn erase(self) -> ApiSource {
        ApiSource { collection: self.collection, kind: PhantomData }
    }

    /// Requests the objects in the version that is in use, if it is not the resource's own.
    pub(crate) fn in_version(mut self, version: VersionInUse) -> Self {
        self.collection.moved_to = version;
        self
    }

    /// Returns a source of this collection, whose objects must be of type `K`.
    pub(super) fn of_collection(collection: ApiCollection) -> Self {
        Self { collection, kind: PhantomData }
    }

    /// Returns the source without its type.
    pub(crate) fn into_collection(self) -> ApiCollection {
        self.collection
    }
}

impl<K: Resource + Send + Sync + 'static> ApiSource<K> {
    /// Decodes objects with this decoder instead of serde. Protobuf is requested only if the
    /// decoder supports it.
    pub fn decoder(mut self, decoder: impl Decode<K>) -> Self {
        self.collection.decoder = decode_any::<K>(Arc::new(decoder));
        self.with_options()
    }
}

impl<K: Resource + Send + Sync + 'static> ListerWatcher<K> for ApiSource<K> {
    fn is_narrowed(&self) -> bool {
        self.collection.is_narrowed()
    }

    fn keeps_managed_fields(&self, manager: &str) -> bool {
        self.collection.keeps_managed_fields(manager)
    }

    fn invalid_name(&self) -> Option<InvalidName> {
        self.collection.invalid_name()
    }

    fn collection(&self) -> &Collection {
        self.collection.collection()
    }

    fn request(&self) -> Option<(String, Option<String>)> {
        self.collection.request()
    }

    fn metadata(&self) -> Option<Arc<dyn ListerWatcher<PartialObjectMeta<DynamicObject>>>> {
        self.collection.metadata()
    }

    fn list(
        &self,
        query: &ListQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<K>, SourceError>> {
        let items = self.collection.list(query, hints);
        items.map(|items| Ok(cast_list(items?))).boxed()
    }

    fn watch(
        &self,
        query: &WatchQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<K>, SourceError>> {
        let events = self.collection.watch(query, hints);
        events.map(|events| Ok(cast_watch(events?))).boxed()
    }
}

impl<K: ?Sized> fmt::Debug for ApiSource<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiSource")
            .field("collection", self.collection.collection())
            .field("selection", &self.collection.selection)
            .finish_non_exhaustive()
    }
}
