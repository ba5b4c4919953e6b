//! A collection of an API server, as a source of objects of any type.
//!
//! The compiler makes it once. [`ApiSource`](super::ApiSource) builds one for a type.

use std::borrow::Cow;
use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt, stream};
use kube::Client;
use kube::core::{ApiResource, DynamicObject, PartialObjectMeta};
use kube_decode::protobuf::is_built_in;
use kube_decode::{MEMORY_LIMIT, SerdeDecode};

use super::decode_threads::{DecodeThreads, SourceThreads};
use super::decoding;
use super::framing::{AnyFramer, Encoding};
use super::list_kind::StatedType;
use super::managed_fields::ManagedFields;
use super::opening::{Opening, open};
use super::raw_item::ResponseContext;
use super::reader::Reader;
use super::request::{Fallback, ReadRequest, Selection};
use super::shard_filter::ShardFilter;
use super::source::ApiSource;
use crate::codec::{Codecs, DecodeAny, decode_any};
use crate::error::{Fault, SourceError, Verb};
use crate::lister_watcher::{
    Collection, ListHints, ListQuery, ListStream, ListerWatcher, WatchQuery, WatchStream,
};
use crate::object::{InvalidName, NameRule, ShardSelector};
use crate::sync::Mutex;
use crate::yield_budget::YieldBudget;

/// The default size limit of one encoded object, in bytes. etcd refuses objects over 1.5 MiB.
/// Aggregated API servers may store larger ones.
pub(super) const OBJECT_LIMIT: usize = 16 * 1024 * 1024;

/// The default memory limit of one decoded object, as a multiple of its size limit.
const EXPANSION: usize = 4;

/// A collection, and the means to request and decode it.
#[derive(Clone)]
pub(crate) struct ApiCollection {
    pub(super) client: Client,
    pub(super) path: PathOf,
    pub(super) selection: Selection,
    pub(super) collection: Collection,
    /// The part of the resource's name that no resource can have.
    invalid_name: Option<InvalidName>,
    /// Group and version of the type.
    pub(super) api_version: Arc<str>,
    /// The decoder that was set, without this source's options.
    pub(super) decoder: Arc<dyn DecodeAny>,
    /// The codecs of that decoder with the options.
    pub(super) codecs: Arc<Codecs>,
    pub(super) managed_fields: ManagedFields,
    pub(super) object_limit: usize,
    /// The memory limit of one decoded object, in bytes. `None` unless set.
    pub(super) memory_limit: Option<usize>,
    pub(super) threads: SourceThreads,
    /// The version that is requested instead of the resource's own.
    pub(super) moved_to: VersionInUse,
    /// True if the type is built into Kubernetes.
    pub(super) built_in: bool,
    /// The kind of the last list in JSON.
    pub(super) list_kind: Arc<Mutex<Option<String>>>,
    /// True if the type has no namespaces.
    pub(super) cluster_scoped: bool,
    /// True if the type supports protobuf.
    pub(super) protobuf: bool,
    /// True if equal uid and version mean an equal object.
    pub(super) trust_versions: bool,
    /// The state that decides whether JSON is requested instead of protobuf.
    pub(super) json: Arc<Fallback>,
    /// The states that decide whether lists and watches are requested uncompressed.
    pub(super) uncompressed_list: Arc<Fallback>,
    pub(super) uncompressed_watch: Arc<Fallback>,
}

/// Refuses a resource whose names would lead requests to another path, or cut off the selectors.
/// `kube` writes them into the path as they are.
#[allow(clippy::missing_errors_doc, reason = "hidden: public for `kube-controllers` only")]
pub fn check_resource(resource: &ApiResource) -> Result<(), InvalidName> {
    let ApiResource { group, version, api_version, kind, plural, .. } = resource;
    let check_version = |version| NameRule::Label.check("version of the resource", version);
    if !group.is_empty() {
        NameRule::Subdomain.check("group of the resource", group)?;
    }
    check_version(version)?;
    if let Some((group, version)) = api_version.split_once('/') {
        NameRule::Subdomain.check("group of the resource", group)?;
        check_version(version)?;
    } else {
        check_version(api_version)?;
    }
    NameRule::Label.check("plural of the resource", plural)?;
    // Objects get the kind, because items of lists have none.
    NameRule::Label.check("kind of the resource, in lower case,", &kind.to_ascii_lowercase())
}

/// A function from a namespace, or `None` for all, to the path of the collection.
pub(super) type PathOf = Arc<dyn Fn(Option<&str>) -> String + Send + Sync>;

/// Group and version in which a source requests its objects, if they are not the resource's own.
#[derive(Clone, Default)]
pub(crate) struct VersionInUse(Arc<Mutex<(Option<Arc<str>>, u64)>>);

impl VersionInUse {
    pub(super) fn get(&self) -> Option<Arc<str>> {
        self.0.lock().0.clone()
    }

    /// Returns the number of times that another API version came into use.
    pub(super) fn moves(&self) -> u64 {
        self.0.lock().1
    }

    pub(crate) fn set(&self, api_version: Option<Arc<str>>) {
        let (present, moves) = &mut *self.0.lock();
        *moves += u64::from(*present != api_version);
        *present = api_version;
    }
}

impl ApiCollection {
    /// Creates a collection of all objects of a resource. A function of its own, because it is
    /// compiled once for all types.
    pub(super) fn new(
        client: Client,
        resource: ApiResource,
        path: PathOf,
        decoder: Arc<dyn DecodeAny>,
        cluster_scoped: bool,
    ) -> Self {
        let invalid_name = check_resource(&resource).err();
        let ApiResource { group, api_version, kind, plural, .. } = resource;
        let name = if group.is_empty() { plural } else { format!("{plural}.{group}") };
        let built_in = is_built_in(&api_version, &kind);
        let collection = Collection { resource: name.into(), kind: kind.into(), namespace: None };
        let threads = Arc::new(DecodeThreads::new(None));
        Self {
            client,
            selection: Selection { path: path(None), ..Selection::default() },
            path,
            api_version: api_version.into(),
            codecs: Arc::new(Codecs::new(decoder.clone())),
            decoder,
            managed_fields: ManagedFields::default(),
            object_limit: OBJECT_LIMIT,
            memory_limit: None,
            threads: SourceThreads::new(threads, collection.resource.clone()),
            collection,
            invalid_name,
            moved_to: VersionInUse::default(),
            built_in,
            list_kind: Arc::default(),
            cluster_scoped,
            protobuf: built_in,
            trust_versions: built_in,
            json: Arc::default(),
            uncompressed_list: Arc::new(Fallback::always()),
            uncompressed_watch: Arc::new(Fallback::always()),
        }
    }

    /// Applies the options to the decoder.
    pub(super) fn set_options(&mut self) {
        let mut decoder = self.decoder.clone();
        let derived = self.object_limit.saturating_mul(EXPANSION).max(MEMORY_LIMIT);
        let limit = self.memory_limit.unwrap_or(derived);
        if self.memory_limit.is_some() || limit > MEMORY_LIMIT {
            decoder = decoder.with_memory_limit(limit).unwrap_or(decoder);
        }
        self.codecs = Arc::new(Codecs::new(self.managed_fields.apply(decoder)));
    }

    /// Returns the selection, in the version that is in use.
    pub(super) fn selection(&self) -> Cow<'_, Selection> {
        let Some(version) = self.moved_to.get() else { return Cow::Borrowed(&self.selection) };
        let mut selection = self.selection.clone();
        let prefix = format!("/apis/{}/", self.api_version);
        if let Some(rest) = selection.path.strip_prefix(&prefix) {
            selection.path = format!("/apis/{version}/{rest}");
        }
        Cow::Owned(selection)
    }

    /// Sends a request, and returns a reader of its answer.
    fn ask<P: 'static>(
        &self,
        target: ReadRequest,
        shard: Option<&ShardSelector>,
        hints: &ListHints,
        framer: fn(Encoding, usize) -> AnyFramer<P>,
    ) -> impl Future<Output = Result<Reader<P>, SourceError>> + Send + use<P> {
        let request_name = self.collection.request_name(target.verb);
        let (codecs, threads) = (self.codecs.clone(), self.threads.clone());
        let (kind, limit) = (self.collection.kind.clone(), self.object_limit);
        let moved_to = self.moved_to.get();
        let api_version = moved_to.clone().unwrap_or_else(|| self.api_version.clone());
        let (built_in, list_kind) = (self.built_in, self.list_kind.clone());
        let metadata_only = self.selection.metadata_only;
        let known = hints.known_objects().filter(|_| self.trust_versions).cloned();
        let packer = hints.packs().cloned();
        let counter = hints.byte_counter().cloned();
        let shard = shard.cloned();
        let uncompressed = match target.verb {
            Verb::List => &self.uncompressed_list,
            Verb::Watch => &self.uncompressed_watch,
        };
        let opening = open(Opening {
            uncompressed: uncompressed.clone(),
            client: self.client.clone(),
            target,
            invalid_name: self.invalid_name(),
            protobuf: self.protobuf && self.codecs.decoder().knows_protobuf(),
            json: self.json.clone(),
        });
        let (cluster_scoped, namespace) = (self.cluster_scoped, self.collection.namespace.clone());
        async move {
            match opening.await {
                Ok((incoming, encoding)) => Ok(Reader {
                    answer: Arc::new(ResponseContext {
                        request: request_name,
                        encoding,
                        limit,
                        packer,
                        moved_to,
                    }),
                    incoming: incoming.counted_by(counter),
                    framer: framer(encoding, limit),
                    api_version,
                    kind,
                    built_in,
                    metadata_only,
                    codec: codecs.of(encoding, None),
                    codecs,
                    known,
                    shard: ShardFilter::new(shard, encoding, namespace),
                    elsewhere: threads.count() > 1,
                    stated: StatedType::default(),
                    untyped: None,
                    list_kind,
                    budget: YieldBudget::new(),
                    head: Some(Vec::new()),
                }),
                Err(mut fault) => {
                    if let Fault::Status(status) = &mut fault {
                        status.cluster_scoped = cluster_scoped;
                    }
                    Err(SourceError::new(request_name, fault))
                }
            }
        }
    }
}

impl ListerWatcher for ApiCollection {
    fn is_narrowed(&self) -> bool {
        let Selection { label_selector, field_selector, extra, .. } = &self.selection;
        // An unknown parameter may narrow the collection.
        label_selector.is_some() || field_selector.is_some() || !extra.is_empty()
    }

    fn keeps_managed_fields(&self, manager: &str) -> bool {
        self.managed_fields.include(manager)
    }

    fn invalid_name(&self) -> Option<InvalidName> {
        let Selection { label_selector: labels, field_selector: fields, extra, .. } =
            &self.selection;
        let check =
            |rule: NameRule, argument, text: Option<&str>| rule.check(argument, text?).err();
        let namespace = self.collection.namespace.as_deref();
        let invalid = self.invalid_name.clone();
        invalid
            .or_else(|| check(NameRule::Label, "namespace", namespace))
            .or_else(|| check(NameRule::LabelSelector, "label selector", labels.as_deref()))
            .or_else(|| check(NameRule::FieldSelector, "field selector", fields.as_deref()))
            .or_else(|| {
                let mut names = extra.iter().map(|(name, _)| Some(&**name));
                names.find_map(|name| check(NameRule::Parameter, "query parameter", name))
            })
            .or_else(|| self.managed_fields.check().err())
    }

    fn collection(&self) -> &Collection {
        &self.collection
    }

    fn request(&self) -> Option<(String, Option<String>)> {
        Some(((self.path)(None), self.selection.field_selector.clone()))
    }

    fn metadata(&self) -> Option<Arc<dyn ListerWatcher<PartialObjectMeta<DynamicObject>>>> {
        let decoder = SerdeDecode::<PartialObjectMeta<DynamicObject>>::new();
        let decoder = decode_any(Arc::new(decoder)).without_managed_fields()?;
        let collection = Self {
            selection: Selection { metadata_only: true, ..self.selection.clone() },
            codecs: Arc::new(Codecs::new(decoder.clone())),
            decoder,
            managed_fields: ManagedFields::LeftOut,
            memory_limit: None,
            list_kind: Arc::default(),
            protobuf: true,
            json: Arc::default(),
            ..self.clone()
        };
        Some(Arc::new(ApiSource::of_collection(collection)))
    }

    fn list(
        &self,
        query: &ListQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream, SourceError>> {
        let threads = self.threads.clone();
        let asking =
            self.ask(self.selection().list(query), query.shard.as_ref(), hints, Encoding::list);
        async move {
            let items = stream::try_unfold(asking.await?, Reader::next_item);
            Ok(decoding::decoded(items, threads))
        }
        .boxed()
    }

    fn watch(
        &self,
        query: &WatchQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream, SourceError>> {
        let threads = self.threads.clone();
        let target = self.selection().watch(query);
        let asking = self.ask(target, query.shard.as_ref(), hints, Encoding::watch);
        async move {
            let events = stream::try_unfold(asking.await?, Reader::next_event);
            Ok(decoding::decoded(events, threads))
        }
        .boxed()
    }
}
