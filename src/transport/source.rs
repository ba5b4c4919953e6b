//! The `ListerWatcher` over a `kube::Client`.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use kube::api::{DynamicObject, TypeMeta};
use kube::core::ApiResource;
use kube::{Client, Resource};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::answer::{self, Incoming};
use super::capture::Captured;
use super::decode::{Decode, DynamicDecode, JsonDecode};
use super::json::events::{JsonWatchFramer, RawEvent, open, open_head};
use super::json::list::{JsonListFramer, ListPart, Malformed};
use super::json::peek::{Peeked, peek};
use super::request::Scope;
use crate::error::{Asked, Fault, SourceError, Verb};
use crate::lister_watcher::{
    Collection, Decoded, ListItem, ListMetadata, ListQuery, ListStream, ListerWatcher, Undecodable,
    WatchItem, WatchQuery, WatchStream,
};
use crate::object::ObjectKey;

/// An object larger than this is not decoded, unless told otherwise. etcd refuses what is over
/// 1.5 MiB; aggregated servers may keep more.
const OBJECT_LIMIT: usize = 16 * 1024 * 1024;

/// After how many bytes without a pause the runtime's other tasks get their turn.
const TURN: usize = 64 * 1024;

/// How much of a kind that was not asked for an error repeats: no kind is longer.
const LONGEST_KIND: usize = 63;

/// Lists and watches one collection through a [`kube::Client`].
///
/// Works for the types of `k8s-openapi`, for derived custom resources, for
/// [`PartialObjectMeta`](kube::core::PartialObjectMeta) (of which only metadata is asked), for a
/// struct of one's own that inherits a resource, and for [`DynamicObject`].
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
    decoder: Arc<dyn Decode<K>>,
    object_limit: usize,
}

/// The path of the collection in a namespace, or in all.
type PathOf = Arc<dyn Fn(Option<&str>) -> String + Send + Sync>;

/// A source's part in one answer.
struct Reader<K> {
    asked: Asked,
    incoming: Incoming,
    /// The kind that objects are to be of.
    kind: Arc<str>,
    /// Only their metadata was asked for: their kind may be that of metadata.
    metadata_only: bool,
    /// The kind of the list, where it is not called a list.
    odd_kind: Option<String>,
    decoder: Arc<dyn Decode<K>>,
    limit: usize,
    /// Bytes decoded since the last pause.
    spent: usize,
}

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
        Self::with_type(client, resource).decoder(DynamicDecode(types))
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
        Self {
            client,
            path: Arc::new(move |namespace| K::url_path(&dynamic_type, namespace)),
            scope,
            collection,
            decoder: Arc::new(JsonDecode::new()),
            object_limit: OBJECT_LIMIT,
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
    pub fn object_limit(mut self, bytes: usize) -> Self {
        self.object_limit = bytes;
        self
    }

    /// Decodes objects by another way than serde.
    pub fn decoder(mut self, decoder: impl Decode<K>) -> Self {
        self.decoder = Arc::new(decoder);
        self
    }

    /// Sends a request; what reads its answer.
    fn ask(
        &self,
        verb: Verb,
        request: Result<http::Request<kube::client::Body>, Fault>,
    ) -> impl Future<Output = Result<Reader<K>, SourceError>> + Send + use<K>
    where
        K: 'static,
    {
        let asked = self.collection.asked(verb);
        let (client, decoder) = (self.client.clone(), self.decoder.clone());
        let (kind, limit) = (self.collection.kind.clone(), self.object_limit);
        let metadata_only = self.scope.metadata_only;
        let request = request.and_then(|request| {
            // A namespace becomes part of the path: it must not become another path.
            match self.collection.namespace.as_deref() {
                Some(namespace) if !is_label(namespace) => {
                    Err(Fault::Request(format!("{namespace:?} is no namespace")))
                }
                _ => Ok(request),
            }
        });
        async move {
            let answer = async {
                let response = client.send(request?).await.map_err(answer::unanswered)?;
                answer::accept(response).await
            };
            match answer.await {
                Ok(incoming) => Ok(Reader {
                    asked,
                    incoming,
                    kind,
                    metadata_only,
                    odd_kind: None,
                    decoder,
                    limit,
                    spent: 0,
                }),
                Err(fault) => Err(SourceError::new(asked, fault)),
            }
        }
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
    fn collection(&self) -> &Collection {
        &self.collection
    }

    fn list(&self, query: &ListQuery) -> BoxFuture<'static, Result<ListStream<K>, SourceError>> {
        let asking = self.ask(Verb::List, self.scope.list(query));
        async move {
            let reader = asking.await?;
            let framer = JsonListFramer::new(reader.limit);
            Ok(stream::try_unfold((reader, framer), Reader::next_listed).boxed())
        }
        .boxed()
    }

    fn watch(&self, query: &WatchQuery) -> BoxFuture<'static, Result<WatchStream<K>, SourceError>> {
        let asking = self.ask(Verb::Watch, self.scope.watch(query));
        async move {
            let reader = asking.await?;
            let framer = JsonWatchFramer::new(reader.limit);
            Ok(stream::try_unfold((reader, framer), Reader::next_watched).boxed())
        }
        .boxed()
    }
}

impl<K: Resource + 'static> Reader<K> {
    async fn next_listed(
        (mut reader, mut framer): (Self, JsonListFramer),
    ) -> Result<Option<(ListItem<K>, (Self, JsonListFramer))>, SourceError> {
        loop {
            match framer.next() {
                Some(Ok(ListPart::Item(captured, offset))) => {
                    reader.pause().await;
                    let decoded = reader.decode(captured, offset);
                    return Ok(Some((ListItem::Object(decoded), (reader, framer))));
                }
                Some(Ok(ListPart::Metadata(metadata))) => {
                    let metadata = reader.metadata(&metadata)?;
                    return Ok(Some((ListItem::Meta(metadata), (reader, framer))));
                }
                Some(Ok(ListPart::Kind(kind))) => reader.check_list_kind(&kind)?,
                Some(Err(malformed)) => return Err(reader.malformed(&malformed)),
                None => match reader.incoming.next().await {
                    Some(frame) => framer.push(frame.map_err(|fault| reader.error(fault))?),
                    None if framer.is_complete() => {
                        return match reader.odd_kind.take() {
                            Some(kind) if !framer.has_items() => Err(reader.no_list(&kind)),
                            _ => Ok(None),
                        };
                    }
                    None => return Err(reader.error(reader.incoming.truncated(framer.within()))),
                },
            }
        }
    }

    async fn next_watched(
        (mut reader, mut framer): (Self, JsonWatchFramer),
    ) -> Result<Option<(WatchItem<K>, (Self, JsonWatchFramer))>, SourceError> {
        loop {
            match framer.next() {
                Some(Ok((captured, offset))) => {
                    reader.pause().await;
                    let item = reader.event(captured, offset);
                    return Ok(Some((item, (reader, framer))));
                }
                Some(Err(malformed)) => return Err(reader.malformed(&malformed)),
                None => match reader.incoming.next().await {
                    Some(frame) => framer.push(frame.map_err(|fault| reader.error(fault))?),
                    None if framer.is_complete() => return Ok(None),
                    None => return Err(reader.error(reader.incoming.truncated("an event"))),
                },
            }
        }
    }

    /// Lets the runtime's other tasks run now and then: a large list may come faster than it can be
    /// decoded, and would never wait.
    async fn pause(&mut self) {
        if self.spent >= TURN {
            self.spent = 0;
            tokio::task::yield_now().await;
        }
    }

    fn decode(&mut self, captured: Captured, offset: u64) -> Decoded<K> {
        let object = match captured {
            Captured::Whole(object) => object,
            Captured::Oversized(head) => {
                let fault = Fault::TooLarge { offset, limit: self.limit };
                return Err(self.undecodable(&peek(&head), fault));
            }
        };
        self.spent += object.len();
        self.decoder.decode(&object).map_err(|error| {
            let peeked = peek(&object);
            let fault = Fault::Undecodable { key: key(&peeked), problem: error.to_string() };
            self.undecodable(&peeked, fault)
        })
    }

    fn undecodable(&self, peeked: &Peeked, fault: Fault) -> Undecodable {
        let version = peeked.version.as_deref().map(Into::into);
        Undecodable { key: key(peeked), version, error: self.error(fault) }
    }

    fn event(&mut self, captured: Captured, offset: u64) -> WatchItem<K> {
        let (raw, oversized) = match captured {
            Captured::Whole(event) => (open(&event).ok(), false),
            Captured::Oversized(head) => (open_head(&head), true),
        };
        let Some(RawEvent { kind, object }) = raw else {
            let problem = "an event without type and object".to_owned();
            return WatchItem::Skipped(self.error(Fault::Malformed { offset, problem }));
        };
        let object = if oversized { Captured::Oversized(object) } else { Captured::Whole(object) };
        match &*kind {
            "ADDED" => self.change(object, offset, WatchItem::Added),
            "MODIFIED" => self.change(object, offset, WatchItem::Modified),
            "DELETED" => self.change(object, offset, WatchItem::Deleted),
            "BOOKMARK" => self.bookmark(&bytes_of(object), offset),
            "ERROR" => {
                // What is no Status is not repeated: it may be an object like any other.
                let fault = answer::parse_status(&bytes_of(object), 500).map_or_else(
                    || {
                        let problem = "an ERROR event without a Status".to_owned();
                        Fault::Malformed { offset, problem }
                    },
                    Fault::Status,
                );
                WatchItem::Failed(self.error(fault))
            }
            _ => {
                // Not the type itself: it is the server's word, and there is no bound on it.
                let problem = "an event of an unknown type".to_owned();
                WatchItem::Skipped(self.error(Fault::Malformed { offset, problem }))
            }
        }
    }

    fn change(
        &mut self,
        object: Captured,
        offset: u64,
        item: fn(Decoded<K>) -> WatchItem<K>,
    ) -> WatchItem<K> {
        if let Captured::Whole(bytes) = &object
            && let Some(found) = self.other_kind(bytes)
        {
            let expected = self.kind.to_string();
            return WatchItem::Skipped(self.error(Fault::WrongKind { expected, found }));
        }
        item(self.decode(object, offset))
    }

    /// The kind that an object says it is of. Where metadata was asked for, a server that does not
    /// know how to give it alone gives whole objects, which hold it too.
    fn usual_kind(&self) -> &str {
        if self.metadata_only { "PartialObjectMetadata" } else { &self.kind }
    }

    /// The kind of an object that says it is not what was asked for.
    fn other_kind(&self, object: &Bytes) -> Option<String> {
        // Nearly always the kind is the first thing said, or the second.
        let head = &object[..object.len().min(128)];
        let canonical = format!("\"kind\":\"{}\"", self.usual_kind());
        if memchr::memmem::find(head, canonical.as_bytes()).is_some() {
            return None;
        }
        let other = |kind: &String| **kind != *self.kind && **kind != *self.usual_kind();
        peek(object).kind.filter(other).map(|kind| kind.chars().take(LONGEST_KIND).collect())
    }

    fn bookmark(&self, object: &Bytes, offset: u64) -> WatchItem<K> {
        let peeked = peek(object);
        if let Some(version) = peeked.version.filter(|version| !version.is_empty()) {
            WatchItem::Bookmark {
                version: (&*version).into(),
                initial_events_end: peeked.initial_events_end,
            }
        } else {
            let problem = "a bookmark without a version".to_owned();
            WatchItem::Skipped(self.error(Fault::Malformed { offset, problem }))
        }
    }

    fn metadata(&self, bytes: &Bytes) -> Result<ListMetadata, SourceError> {
        #[derive(Deserialize, Default)]
        #[serde(default, rename_all = "camelCase")]
        struct Metadata {
            resource_version: Option<String>,
            r#continue: Option<String>,
            remaining_item_count: Option<i64>,
        }
        let metadata: Option<Metadata> = serde_json::from_slice(bytes).map_err(|_| {
            let problem = "the list's metadata is not as it should be".to_owned();
            self.error(Fault::Malformed { offset: 0, problem })
        })?;
        let metadata = metadata.unwrap_or_default();
        let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
        Ok(ListMetadata {
            version: filled(metadata.resource_version).map(|version| (&*version).into()),
            continue_token: filled(metadata.r#continue),
            remaining: metadata.remaining_item_count.and_then(|count| count.try_into().ok()),
        })
    }

    /// A success that holds no list at all must not be taken for an empty one. A list may have any
    /// kind (a custom resource names its own), so without the usual one it must have items.
    fn check_list_kind(&mut self, kind: &Bytes) -> Result<(), SourceError> {
        let found: String = serde_json::from_slice(kind).unwrap_or_default();
        if found == "Status" {
            return Err(self.no_list(&found));
        }
        if !found.ends_with("List") {
            self.odd_kind = Some(found);
        }
        Ok(())
    }

    fn no_list(&self, found: &str) -> SourceError {
        let expected = format!("{}List", self.kind);
        let found = found.chars().take(LONGEST_KIND).collect();
        self.error(Fault::WrongKind { expected, found })
    }

    fn malformed(&self, malformed: &Malformed) -> SourceError {
        let problem = malformed.problem.to_owned();
        self.error(Fault::Malformed { offset: malformed.offset, problem })
    }

    fn error(&self, fault: Fault) -> SourceError {
        SourceError::new(self.asked.clone(), fault)
    }
}

fn key(peeked: &Peeked) -> Option<ObjectKey> {
    ObjectKey::from_parts(peeked.namespace.as_deref(), peeked.name.as_deref()?).ok()
}

fn bytes_of(captured: Captured) -> Bytes {
    match captured {
        Captured::Whole(bytes) | Captured::Oversized(bytes) => bytes,
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
