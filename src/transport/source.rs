//! The `ListerWatcher` over a `kube::Client`.

use std::any::type_name;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt, stream};
use http::StatusCode;
use kube::api::{DynamicObject, TypeMeta};
use kube::core::ApiResource;
use kube::{Client, Resource};
use serde::de::DeserializeOwned;

use super::answer;
use super::budget::MEMORY_LIMIT;
use super::decode::{Decode, DynamicDecode, SerdeDecode};
use super::decoding;
use super::fallback::JsonFallback;
use super::forms::Forms;
use super::framer::Encoding;
use super::list_kind::Said;
use super::protobuf::is_built_in;
use super::reader::Reader;
use super::request::{Scope, Target};
use super::undecoded::Terms;
use crate::error::{Fault, SourceError};
use crate::lister_watcher::{
    Collection, ListQuery, ListStream, ListerWatcher, WatchQuery, WatchStream, Wishes,
};

/// An object larger than this is not decoded, unless told otherwise. etcd refuses what is over
/// 1.5 MiB; aggregated servers may keep more.
const OBJECT_LIMIT: usize = 16 * 1024 * 1024;

/// An object may take so many times the memory of the largest object's bytes, unless told otherwise.
const EXPANSION: usize = 4;

/// Lists and watches one collection through a [`kube::Client`].
///
/// Works for the types of `k8s-openapi`, for derived custom resources, for
/// [`PartialObjectMeta`](kube::core::PartialObjectMeta) (of which only metadata is asked), for a
/// struct of one's own that inherits a resource, and for [`DynamicObject`].
///
/// Of the types that are built into Kubernetes it asks for protobuf, which costs a server and this
/// process less, and takes JSON where that comes instead; what is decoded is the same. After an answer
/// in JSON it asks for JSON for ten minutes, then for protobuf again. Custom
/// resources and dynamic objects come as JSON. [`json_only`](Self::json_only) asks for JSON alone.
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
pub struct ApiSource<K> {
    client: Client,
    path: PathOf,
    scope: Scope,
    collection: Collection,
    /// Group and version.
    api_version: Arc<str>,
    forms: Arc<Forms<K>>,
    object_limit: usize,
    /// How much memory an object may take decoded, where that was said.
    memory_limit: Option<usize>,
    threads: Option<NonZeroUsize>,
    /// The type is built into Kubernetes.
    built_in: bool,
    /// The type has no namespaces.
    cluster_scoped: bool,
    /// The type can come in protobuf.
    protobuf: bool,
    /// Equal uid and version mean an equal object.
    trust_versions: bool,
    /// JSON came where protobuf was asked for, or is wanted.
    json: Arc<JsonFallback>,
}

/// The path of the collection in a namespace, or in all.
type PathOf = Arc<dyn Fn(Option<&str>) -> String + Send + Sync>;

impl<K> ApiSource<K>
where
    K: Resource<DynamicType = ()> + DeserializeOwned + 'static,
{
    /// A source of every `K` there is.
    pub fn new(client: Client) -> Self {
        Self::with_type(client, ())
    }
}

impl ApiSource<DynamicObject> {
    /// A source of every object of a resource that is known at run time only.
    pub fn dynamic(client: Client, resource: ApiResource) -> Self {
        let types =
            TypeMeta { api_version: resource.api_version.clone(), kind: resource.kind.clone() };
        Self::with_type(client, resource).decoder(DynamicDecode::new(types))
    }
}

impl<K: Resource + DeserializeOwned + 'static> ApiSource<K> {
    /// A source of every `K` there is, of this dynamic type.
    pub fn with_type(client: Client, dynamic_type: K::DynamicType) -> Self {
        let (plural, group) = (K::plural(&dynamic_type), K::group(&dynamic_type));
        let resource = match &*group {
            "" => plural.into_owned(),
            group => format!("{plural}.{group}"),
        };
        let kind = K::kind(&dynamic_type);
        let collection =
            Collection { resource: resource.into(), kind: kind.into(), namespace: None };
        let scope = Scope {
            path: K::url_path(&dynamic_type, None),
            metadata_only: K::metadata_api(),
            ..Scope::default()
        };
        let api_version: Arc<str> = K::api_version(&dynamic_type).into();
        let built_in = is_built_in(&api_version, &K::kind(&dynamic_type));
        // Metadata alone has an encoding of its own, whatever it is the metadata of.
        let protobuf = K::metadata_api() || built_in;
        Self {
            client,
            path: Arc::new(move |namespace| K::url_path(&dynamic_type, namespace)),
            scope,
            collection,
            api_version,
            forms: Arc::new(Forms::new(Arc::new(SerdeDecode::new()))),
            object_limit: OBJECT_LIMIT,
            memory_limit: None,
            threads: None,
            built_in,
            // Its name, because a scope need not be 'static.
            cluster_scoped: type_name::<K::Scope>().ends_with("::ClusterResourceScope"),
            protobuf,
            trust_versions: built_in,
            json: Arc::default(),
        }
    }
}

impl<K> ApiSource<K> {
    /// Only the objects of one namespace.
    pub fn namespace(mut self, namespace: impl Into<Arc<str>>) -> Self {
        let namespace = namespace.into();
        self.scope.path = (self.path)(Some(&namespace));
        self.collection.namespace = Some(namespace);
        self
    }

    /// Only the objects that a label selector selects. The server judges it.
    pub fn labels(mut self, selector: impl Into<String>) -> Self {
        self.scope.label_selector = Some(selector.into());
        self
    }

    /// Only the objects that a field selector selects. The server judges it.
    pub fn fields(mut self, selector: impl Into<String>) -> Self {
        self.scope.field_selector = Some(selector.into());
        self
    }

    /// One more query parameter for every list and watch.
    pub fn param(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.scope.extra.push((name.into(), value.into()));
        self
    }

    /// How large one object may be, in bytes; 16 MiB unless set. A larger one is passed over and
    /// reported, under its key where that comes early enough, and costs no memory.
    ///
    /// See [`memory_limit`](Self::memory_limit) for the memory that it takes decoded.
    pub fn object_limit(mut self, bytes: usize) -> Self
    where
        K: 'static,
    {
        self.object_limit = bytes;
        self.limited()
    }

    /// Refuses an object that would take more than this much memory decoded, in bytes. Unless set, the
    /// limit is four times the [`object_limit`](Self::object_limit), and at least 64 MiB.
    ///
    /// A few bytes can stand for a large value: in protobuf, a volume that says nothing takes two
    /// bytes, and three kilobytes decoded. The memory is counted before it is taken, so an object over
    /// the limit costs at most the limit for a moment. It is reported as one that can't be decoded;
    /// its neighbours are stored.
    ///
    /// The count is an estimate, by the sizes of the Rust types. A [`decoder`](Self::decoder) of one's
    /// own bounds its memory itself, or implements
    /// [`with_memory_limit`](super::Decode::with_memory_limit).
    pub fn memory_limit(mut self, bytes: usize) -> Self
    where
        K: 'static,
    {
        self.memory_limit = Some(bytes);
        self.limited()
    }

    /// The decoder with the limits that were set.
    fn limited(mut self) -> Self
    where
        K: 'static,
    {
        let derived = self.object_limit.saturating_mul(EXPANSION).max(MEMORY_LIMIT);
        let limit = self.memory_limit.unwrap_or(derived);
        if self.memory_limit.is_some() || limit > MEMORY_LIMIT {
            self.forms = self.forms.with_memory_limit(limit);
        }
        self
    }

    /// On how many threads an answer is decoded at most, where it comes faster than one can decode it:
    /// on as many as the runtime has workers, up to 4, unless set. They are the runtime's threads for
    /// blocking work, so its own are free for other tasks meanwhile. With 1, and on a runtime of one
    /// thread, objects are decoded in the task that asks for them.
    pub fn decode_threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Asks for JSON alone: to see fields newer than
    /// [`protobuf::RELEASE`](super::protobuf::RELEASE), or what goes over the wire.
    pub fn json_only(mut self) -> Self {
        self.json = Arc::new(JsonFallback::always());
        self
    }

    /// Whether an object of a relist whose uid and resourceVersion equal those known is taken for
    /// unchanged without being decoded. On for the types that are built into Kubernetes, off for
    /// others unless set.
    ///
    /// Of a custom resource, conversion can change what the server sends without a new version: a
    /// new webhook, another schema's defaults or pruning. With this on, such a change is not seen
    /// until the object is written again. Turn it on where the definition has one version and does
    /// not change while the informer runs, and off for a built-in type where a server's upgrade must
    /// show new defaults at once. A relist at a quorum decodes everything either way.
    pub fn trust_versions(mut self, trust: bool) -> Self {
        self.trust_versions = trust;
        self
    }

    /// Returns whether equal versions are taken for equal objects.
    pub(crate) fn trusts_versions(&self) -> bool {
        self.trust_versions
    }

    /// Leaves `metadata.managedFields` out, undecoded. Decoded they are most of what an object costs in
    /// memory and time. A decoder of one's own, unless it knows how, goes on as it did.
    ///
    /// Objects read from the cache can still be written back: where an update has no managed fields,
    /// the server keeps those it has.
    pub fn without_managed_fields(mut self) -> Self
    where
        K: 'static,
    {
        if let Some(decoder) = self.forms.decoder().without_managed_fields() {
            self.forms = Arc::new(Forms::new(decoder));
        }
        self
    }

    /// Decodes objects by another way than serde. Protobuf is asked for only if the decoder says
    /// that it can decode it.
    pub fn decoder(mut self, decoder: impl Decode<K>) -> Self
    where
        K: 'static,
    {
        self.forms = Arc::new(Forms::new(Arc::new(decoder)));
        self.limited()
    }

    /// Sends a request; what reads its answer. `initial`: what comes first belongs to a list.
    fn ask(
        &self,
        target: Target,
        initial: bool,
        wishes: Wishes<K>,
    ) -> impl Future<Output = Result<Reader<K>, SourceError>> + Send + use<K>
    where
        K: 'static,
    {
        let asked = self.collection.request_scope(target.verb);
        let (client, forms) = (self.client.clone(), self.forms.clone());
        let (kind, limit) = (self.collection.kind.clone(), self.object_limit);
        let (api_version, built_in) = (self.api_version.clone(), self.built_in);
        let cluster_scoped = self.cluster_scoped;
        let threads = self.threads;
        let metadata_only = self.scope.metadata_only;
        // A namespace becomes part of the path: it must not become another path.
        let namespace = self.collection.namespace.clone().filter(|namespace| !is_label(namespace));
        let Wishes { known, pack } = wishes;
        let known = known.filter(|_| self.trust_versions);
        let json = self.json.clone();
        let protobuf = self.protobuf && self.forms.decoder().protobuf().is_some();
        async move {
            let answer = async {
                if let Some(namespace) = namespace {
                    return Err(Fault::Request(format!("{namespace:?} is not a valid namespace")));
                }
                let mut asked = Encoding::Json;
                if protobuf && !json.is_on() {
                    asked = Encoding::Protobuf;
                }
                let send = |encoding| {
                    let (client, target) = (&client, &target);
                    async move {
                        let response = client.send(target.request(encoding)?).await;
                        response.map_err(|error| answer::unanswered(error, target.path()))
                    }
                };
                let mut response = send(asked).await?;
                if asked == Encoding::Protobuf && response.status() == StatusCode::NOT_ACCEPTABLE {
                    asked = Encoding::Json;
                    json.begin();
                    response = send(asked).await?;
                }
                let (incoming, encoding) = answer::accept(response, asked).await?;
                if asked != encoding {
                    json.begin();
                }
                Ok((incoming, encoding))
            };
            match answer.await {
                Ok((incoming, encoding)) => Ok(Reader {
                    terms: Arc::new(Terms { asked, limit, pack }),
                    incoming,
                    encoding,
                    api_version,
                    kind,
                    built_in,
                    metadata_only,
                    form: forms.of(encoding, None),
                    forms,
                    known,
                    initial,
                    threads: decoding::threads(threads),
                    said: Said::default(),
                    spent: 0,
                }),
                Err(mut fault) => {
                    if let Fault::Status(status) = &mut fault {
                        status.cluster_scoped = cluster_scoped;
                    }
                    Err(SourceError::new(asked, fault))
                }
            }
        }
    }
}

impl<K: Resource + Send + Sync + 'static> ApiSource<K> {
    fn listing(
        &self,
        query: &ListQuery,
        wishes: Wishes<K>,
    ) -> BoxFuture<'static, Result<ListStream<K>, SourceError>> {
        let asking = self.ask(self.scope.list(query), true, wishes);
        async move {
            let reader = asking.await?;
            let framer = reader.encoding.list(reader.terms.limit);
            let threads = reader.threads;
            let pieces = stream::try_unfold((reader, framer), Reader::next_listed);
            Ok(decoding::decoded(pieces, threads))
        }
        .boxed()
    }

    fn watching(
        &self,
        query: &WatchQuery,
        wishes: Wishes<K>,
    ) -> BoxFuture<'static, Result<WatchStream<K>, SourceError>> {
        let asking = self.ask(self.scope.watch(query), query.initial_events, wishes);
        async move {
            let reader = asking.await?;
            let framer = reader.encoding.watch(reader.terms.limit);
            let threads = reader.threads;
            let pieces = stream::try_unfold((reader, framer), Reader::next_watched);
            Ok(decoding::decoded(pieces, threads))
        }
        .boxed()
    }
}

/// Whether this is a DNS label, as a namespace is.
fn is_label(text: &str) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=63).contains(&text.len())
        && text.chars().all(inner)
        && !text.starts_with('-')
        && !text.ends_with('-')
}

impl<K: Resource + Send + Sync + 'static> ListerWatcher<K> for ApiSource<K> {
    fn is_narrowed(&self) -> bool {
        let Scope { label_selector, field_selector, extra, .. } = &self.scope;
        // Nobody knows what a further parameter does.
        label_selector.is_some() || field_selector.is_some() || !extra.is_empty()
    }

    fn collection(&self) -> &Collection {
        &self.collection
    }

    fn list(&self, query: &ListQuery) -> BoxFuture<'static, Result<ListStream<K>, SourceError>> {
        self.listing(query, Wishes::new())
    }

    fn watch(&self, query: &WatchQuery) -> BoxFuture<'static, Result<WatchStream<K>, SourceError>> {
        self.watching(query, Wishes::new())
    }

    fn list_with(
        &self,
        query: &ListQuery,
        wishes: Wishes<K>,
    ) -> BoxFuture<'static, Result<ListStream<K>, SourceError>> {
        self.listing(query, wishes)
    }

    fn watch_with(
        &self,
        query: &WatchQuery,
        wishes: Wishes<K>,
    ) -> BoxFuture<'static, Result<WatchStream<K>, SourceError>> {
        self.watching(query, wishes)
    }
}

impl<K> fmt::Debug for ApiSource<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiSource")
            .field("collection", &self.collection)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}
