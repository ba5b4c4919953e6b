//! An API server in memory, for tests and examples that need no cluster.
//!
//! It answers an ordinary [`kube::Client`], in process or behind a socket of the caller's: lists with
//! pages and consistent continue tokens, watches with bookmarks, streaming lists, create, get,
//! replace, merge patch, delete with finalizers, label and field selectors, metadata alone, and
//! failures as real `Status` bodies. It forgets on command, drops its watches on command, and lets a
//! test answer any request itself. It runs no controllers and no admission, and speaks JSON only.
//!
//! ```
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube::{Api, api::{ListParams, ObjectMeta}};
//! use kube_informer::testing::ApiServer;
//!
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let server = ApiServer::new();
//! let maps: Api<ConfigMap> = Api::namespaced(server.client(), "default");
//! let metadata = ObjectMeta { name: Some("a".into()), ..ObjectMeta::default() };
//! let made = maps.create(&Default::default(), &ConfigMap { metadata, ..Default::default() }).await?;
//! assert!(made.metadata.uid.is_some());
//! assert_eq!(maps.list(&ListParams::default()).await?.items.len(), 1);
//! # Ok::<(), kube::Error>(()) }).unwrap();
//! ```

mod list;
mod query;
mod resource;
mod status;
mod store;
mod stored;
mod watching;
mod writing;

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;
use kube::Resource;
use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_util::sync::{CancellationToken, DropGuard};

pub use self::query::RequestInfo;
use self::query::{Query, Target, form};
pub use self::resource::ResourceType;
use self::status::{Failure, full};
use self::store::Store;
use self::stored::Form;
use self::writing::Place;

/// How much of a request's body is read.
const BODY_LIMIT: usize = 3 * 1024 * 1024;

/// The body of an answer.
pub type ResponseBody = UnsyncBoxBody<Bytes, Aborted>;

/// The connection was dropped in the middle of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the connection was dropped")]
pub struct Aborted;

/// Answers a request in the server's place.
type Intercept = Box<dyn FnMut(&RequestInfo) -> Option<Response<Bytes>> + Send>;

/// An API server in memory. A cheap clone; with the last one every watch ends.
#[derive(Clone)]
pub struct ApiServer {
    inner: Arc<Inner>,
    _last: Arc<DropGuard>,
}

struct Inner {
    store: Mutex<Store>,
    bookmark_interval: Duration,
    watch_cache: bool,
    log: Mutex<Vec<RequestInfo>>,
    intercept: Mutex<Option<Intercept>>,
    generation: AtomicU64,
    stop: CancellationToken,
}

/// Options of a server.
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct ApiServerBuilder {
    window: usize,
    bookmark_interval: Duration,
    watch_cache: bool,
}

impl ApiServerBuilder {
    /// How many changes of each type are remembered for watches; 10,000 unless set.
    pub fn window(mut self, changes: usize) -> Self {
        self.window = changes;
        self
    }

    /// How often a watch that wants bookmarks gets one; a minute unless set.
    pub fn bookmark_interval(mut self, interval: Duration) -> Self {
        self.bookmark_interval = interval.max(Duration::from_millis(1));
        self
    }

    /// Whether lists at version "0" are a cache's, which gives everything in one piece whatever the
    /// limit. They are unless set; without, they come in pages as every other list.
    pub fn watch_cache(mut self, cached: bool) -> Self {
        self.watch_cache = cached;
        self
    }

    /// The server, with the common built-in types.
    pub fn build(self) -> ApiServer {
        let stop = CancellationToken::new();
        let server = ApiServer {
            inner: Arc::new(Inner {
                store: Mutex::new(Store::new(self.window)),
                bookmark_interval: self.bookmark_interval,
                watch_cache: self.watch_cache,
                log: Mutex::default(),
                intercept: Mutex::default(),
                generation: AtomicU64::new(0),
                stop: stop.clone(),
            }),
            _last: Arc::new(stop.drop_guard()),
        };
        for resource in resource::common() {
            server.register(resource);
        }
        server
    }
}

impl ApiServer {
    /// A server with the common built-in types and no objects.
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// A server with options.
    pub fn builder() -> ApiServerBuilder {
        ApiServerBuilder {
            window: 10_000,
            bookmark_interval: Duration::from_secs(60),
            watch_cache: true,
        }
    }

    /// A client whose requests this server answers in process.
    ///
    /// # Panics
    /// Outside a tokio runtime, as every [`kube::Client`].
    pub fn client(&self) -> kube::Client {
        let server = self.clone();
        let service = tower::service_fn(move |request: Request<kube::client::Body>| {
            let server = server.clone();
            async move { Ok::<_, Infallible>(server.handle(request).await) }
        });
        kube::Client::new(service, "default")
    }

    /// Serves one more type, or serves a type again that was removed. Types already served stay.
    pub fn register(&self, resource: ResourceType) {
        self.inner.store.lock().register(resource);
    }

    /// Stops serving a type: its objects are deleted, its watches told so and ended, its path
    /// answered 404.
    pub fn unregister(&self, resource: &ResourceType) {
        self.inner.store.lock().unregister(resource);
    }

    /// The newest revision.
    pub fn revision(&self) -> u64 {
        self.inner.store.lock().revision
    }

    /// Forgets every state but the present one: older versions are too old from now on.
    pub fn compact(&self) {
        self.inner.store.lock().compact();
    }

    /// Drops the connection of every open watch.
    pub fn drop_connections(&self) {
        self.inner.generation.fetch_add(1, Ordering::Relaxed);
        self.inner.store.lock().announce();
    }

    /// What was asked so far, in order.
    pub fn requests(&self) -> Vec<RequestInfo> {
        self.inner.log.lock().clone()
    }

    /// Lets `answer` see each request first; what it answers the server does not.
    pub fn intercept(
        &self,
        answer: impl FnMut(&RequestInfo) -> Option<Response<Bytes>> + Send + 'static,
    ) {
        *self.inner.intercept.lock() = Some(Box::new(answer));
    }

    /// Lets the server answer every request itself again.
    pub fn stop_intercepting(&self) {
        *self.inner.intercept.lock() = None;
    }

    /// Creates an object without a request.
    ///
    /// # Errors
    /// The message of the `Status` a client would get.
    pub fn create<K>(&self, object: &K) -> Result<K, String>
    where
        K: Resource<DynamicType = ()> + Serialize + DeserializeOwned,
    {
        self.write(object, |store, place, value| {
            writing::create(store, Place { name: None, ..place }, value)
        })
    }

    /// Replaces an object without a request; a stale `resourceVersion` is a conflict.
    ///
    /// # Errors
    /// The message of the `Status` a client would get.
    pub fn replace<K>(&self, object: &K) -> Result<K, String>
    where
        K: Resource<DynamicType = ()> + Serialize + DeserializeOwned,
    {
        self.write(object, writing::replace)
    }

    /// Deletes an object without a request.
    ///
    /// # Errors
    /// The message of the `Status` a client would get.
    pub fn delete<K>(&self, object: &K) -> Result<K, String>
    where
        K: Resource<DynamicType = ()> + Serialize + DeserializeOwned,
    {
        self.write(object, |store, place, _| writing::delete(store, place))
    }

    fn write<K>(
        &self,
        object: &K,
        write: impl FnOnce(&mut Store, Place<'_>, Value) -> Result<Value, Failure>,
    ) -> Result<K, String>
    where
        K: Resource<DynamicType = ()> + Serialize + DeserializeOwned,
    {
        let value = serde_json::to_value(object).map_err(|error| error.to_string())?;
        let target = Target {
            group: K::group(&()).into(),
            version: K::version(&()).into(),
            namespace: object.meta().namespace.clone(),
            plural: K::plural(&()).into(),
            name: object.meta().name.clone(),
            subresource: None,
        };
        let mut store = self.inner.store.lock();
        let served = store.find(|resource| target.is_of(resource));
        let resource = served.ok_or_else(|| "this type is not served".to_owned())?.resource.clone();
        let (namespace, name) = (target.namespace.as_deref(), target.name.as_deref());
        let place = Place { resource: &resource, namespace, name, status_only: false };
        let written = write(&mut store, place, value).map_err(|failure| {
            failure.status()["message"].as_str().unwrap_or_default().to_owned()
        })?;
        serde_json::from_value(written).map_err(|error| error.to_string())
    }

    /// Answers a request, whichever way it came.
    pub async fn handle<B>(&self, request: Request<B>) -> Response<ResponseBody>
    where
        B: http_body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let info = RequestInfo::new(request.method(), request.uri());
        self.inner.log.lock().push(info.clone());
        let intercepted = self.inner.intercept.lock().as_mut().and_then(|answer| answer(&info));
        if let Some(response) = intercepted {
            return response.map(full);
        }
        self.answer(request).await.unwrap_or_else(|failure| failure.response())
    }

    async fn answer<B>(&self, request: Request<B>) -> Result<Response<ResponseBody>, Failure>
    where
        B: http_body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (head, body) = request.into_parts();
        let target = Target::parse(head.uri.path()).ok_or_else(Failure::not_served)?;
        let served = {
            let store = self.inner.store.lock();
            store.find(|resource| target.is_of(resource)).map(|c| c.resource.clone())
        };
        let resource = served.ok_or_else(Failure::not_served)?;
        let status_only = match target.subresource.as_deref() {
            None => false,
            Some("status") => true,
            Some(_) => return Err(Failure::not_served()),
        };
        let place = Place {
            resource: &resource,
            namespace: target.namespace.as_deref(),
            name: target.name.as_deref(),
            status_only,
        };
        if head.method == Method::GET && target.name.is_none() {
            let mut query = Query::parse(&head.uri, target.namespace.clone(), &resource)?;
            if query.watch {
                let form = form(&head.headers, Form::Whole)?;
                return watching::watch(&self.inner, &resource, query, form);
            }
            if query.version == Some(0) && self.inner.watch_cache {
                query.limit = None;
            }
            let plain = if resource.items_name_their_kind() { Form::Whole } else { Form::Item };
            let form = form(&head.headers, plain)?;
            return list::list(&self.inner.store.lock(), &resource, &query, form);
        }
        if head.method == Method::GET {
            let form = form(&head.headers, Form::Whole)?;
            let stored = writing::get(&self.inner.store.lock(), place)?;
            let mut bytes = Vec::new();
            stored.write(&resource, form, &mut bytes);
            return Ok(list::streamed(full(bytes)));
        }
        let body = read(body).await?;
        let mut store = self.inner.store.lock();
        let (code, written) = match (&head.method, target.name.is_some()) {
            (&Method::POST, false) => (201, writing::create(&mut store, place, parse(&body)?)?),
            (&Method::PUT, true) => (200, writing::replace(&mut store, place, parse(&body)?)?),
            (&Method::DELETE, true) => (200, writing::delete(&mut store, place)?),
            (&Method::PATCH, true) => {
                let media_type = head.headers.get(http::header::CONTENT_TYPE);
                if media_type.is_none_or(|value| value != "application/merge-patch+json") {
                    let message = "the body of the request was in an unknown format - accepted \
                                   media types include: application/merge-patch+json";
                    return Err(Failure::new(415, "UnsupportedMediaType", message));
                }
                (200, writing::merge_patch(&mut store, place, &parse(&body)?)?)
            }
            _ => {
                let message = "the server does not allow this method on the requested resource";
                return Err(Failure::new(405, "MethodNotAllowed", message));
            }
        };
        let mut response = list::streamed(full(written.to_string()));
        *response.status_mut() = StatusCode::from_u16(code).unwrap_or_default();
        Ok(response)
    }
}

impl Inner {
    fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }
}

async fn read<B>(body: B) -> Result<Bytes, Failure>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let limited = http_body_util::Limited::new(body, BODY_LIMIT);
    let collected = limited.collect().await;
    let too_large = |_| {
        let message = format!("limit is {BODY_LIMIT}");
        Failure::new(413, "RequestEntityTooLarge", message)
    };
    Ok(collected.map_err(too_large)?.to_bytes())
}

fn parse(body: &Bytes) -> Result<Value, Failure> {
    serde_json::from_slice(body)
        .map_err(|_| Failure::bad_request("the body of the request is not JSON"))
}

impl Default for ApiServer {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ApiServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiServer").field("revision", &self.revision()).finish_non_exhaustive()
    }
}
