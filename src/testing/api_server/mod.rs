//! An API server in memory, for tests and examples that need no cluster.
//!
//! It answers an ordinary [`kube::Client`], in process or behind a socket: discovery, lists with pages
//! and consistent continue tokens, watches with bookmarks, streaming lists, create, get, replace,
//! patches (JSON, merge, strategic merge, server-side apply with field ownership), delete with
//! finalizers and grace, status subresources, label and field selectors, shards, metadata alone,
//! tables, custom resource definitions, tokens and rules, and failures as real `Status` bodies. It
//! forgets on command or in time, drops its watches on command, and lets a test answer any request
//! itself.
//!
//! It runs no controllers but the two without which a delete has no end, those of namespaces and of
//! definitions. It speaks JSON, YAML and protobuf. Objects of a definition are pruned, defaulted and
//! validated by its schema, patterns, formats, combinations and rules left out; built-in types are not,
//! beyond their metadata. Of subresources it serves `status`, `scale`, and of pods `eviction` and
//! `binding`.
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
//!
//! # Testing a controller
//!
//! It gets a client of the server, the test plays the rest of the world, and both look at the same
//! objects:
//!
//! ```
//! use futures::StreamExt;
//! use k8s_openapi::api::core::v1::Namespace;
//! use kube::api::{Api, Patch, PatchParams};
//! use kube_informer::{Event, SharedInformerFactory, testing::ApiServer};
//! use serde_json::json;
//!
//! /// Gives each new namespace an owner.
//! async fn controller(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
//!     let api: Api<Namespace> = Api::all(client.clone());
//!     let factory = SharedInformerFactory::builder(client).build();
//!     let mut events = factory.informer::<Namespace>().events()?;
//!     factory.start()?;
//!     while let Some(event) = events.next().await {
//!         let Event::Added { object, .. } = event else { continue };
//!         let name = object.metadata.name.as_deref().unwrap_or_default();
//!         let owner = json!({
//!             "apiVersion": "v1", "kind": "Namespace", "metadata": {"labels": {"owner": name}},
//!         });
//!         api.patch(name, &PatchParams::apply("owners"), &Patch::Apply(owner)).await?;
//!     }
//!     Ok(())
//! }
//!
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let server = ApiServer::new();
//! let client = server.client();
//! tokio::spawn(async move { controller(client).await.map_err(|error| error.to_string()) });
//! let shop: Namespace = serde_json::from_value(json!({"metadata": {"name": "shop"}})).unwrap();
//! server.create(&shop)?;
//! let api: Api<Namespace> = Api::all(server.client());
//! while api.get("shop").await?.metadata.labels.is_none_or(|labels| labels.get("owner").is_none()) {
//!     tokio::time::sleep(std::time::Duration::from_millis(10)).await;
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
//! ```

mod access;
mod binding;
mod body;
mod builder;
mod builtin;
mod continuing;
mod crd;
mod direct;
mod discovery;
mod eviction;
mod form;
mod handling;
mod intercept;
mod lifecycle;
mod list;
mod listen;
mod managed;
mod namespaces;
mod openapi;
mod options;
mod patch;
mod protobuf;
mod query;
mod resource;
mod reviews;
mod scale;
mod schema;
mod shard;
mod status;
mod store;
mod stored;
mod subresource;
mod table;
#[cfg(feature = "testing-tls")]
mod tls;
mod watching;
mod writing;
mod yaml;

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use parking_lot::Mutex;
use tokio_util::sync::{CancellationToken, DropGuard};

pub use self::access::AccessRule;
use self::access::{Access, User};
pub use self::builder::ApiServerBuilder;
use self::form::Encoding;
use self::intercept::Intercept;
pub use self::listen::Listening;
pub use self::query::RequestInfo;
pub use self::resource::ResourceType;
use self::status::{Failure, full};
use self::store::Store;

/// How many requests are remembered.
const LOG: usize = 65_536;

/// The body of an answer.
pub type ResponseBody = UnsyncBoxBody<Bytes, Aborted>;

/// The connection was dropped in the middle of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the connection was dropped")]
pub struct Aborted;

/// An API server in memory. A cheap clone; with the last one every watch ends.
#[derive(Clone)]
pub struct ApiServer {
    inner: Arc<Inner>,
    _last: Arc<DropGuard>,
}

struct Inner {
    store: Mutex<Store>,
    access: Mutex<Access>,
    options: ApiServerBuilder,
    log: Mutex<VecDeque<RequestInfo>>,
    intercept: Intercept,
    generation: AtomicU64,
    stop: CancellationToken,
}

impl ApiServer {
    /// A server with the built-in types and no objects.
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// A server with options.
    pub fn builder() -> ApiServerBuilder {
        ApiServerBuilder::default()
    }

    fn with(options: ApiServerBuilder) -> Self {
        let stop = CancellationToken::new();
        let mut store = Store::new(options.window);
        for resource in builtin::types() {
            store.register(vec![resource]);
        }
        if let Some(time) = options.compact_after {
            store.remember_for(time);
        }
        store.start_of_storage = options.start_of_storage;
        if options.require_namespaces {
            namespaces::begin(&mut store);
        }
        let inner = Inner {
            store: Mutex::new(store),
            access: Mutex::new(options.access.clone()),
            options,
            log: Mutex::default(),
            intercept: Intercept::default(),
            generation: AtomicU64::new(0),
            stop: stop.clone(),
        };
        Self { inner: Arc::new(inner), _last: Arc::new(stop.drop_guard()) }
    }

    /// A client whose requests this server answers in process. It may do everything, whatever the
    /// rules.
    ///
    /// # Panics
    /// Outside a tokio runtime, as every [`kube::Client`].
    pub fn client(&self) -> kube::Client {
        let server = self.clone();
        let service = tower::service_fn(move |mut request: Request<kube::client::Body>| {
            let server = server.clone();
            request.extensions_mut().insert(User::Anyone);
            async move { Ok::<_, Infallible>(server.handle(request).await) }
        });
        kube::Client::new(service, "default")
    }

    /// A client in process that comes with a token, and may do what its user may.
    ///
    /// # Panics
    /// Outside a tokio runtime, as every [`kube::Client`].
    pub fn client_with_token(&self, token: &str) -> kube::Client {
        let server = self.clone();
        // A token that is no header is nobody's.
        let header = http::HeaderValue::try_from(format!("Bearer {token}")).ok();
        let service = tower::service_fn(move |mut request: Request<kube::client::Body>| {
            let server = server.clone();
            if let Some(header) = &header {
                request.headers_mut().insert(http::header::AUTHORIZATION, header.clone());
            }
            async move { Ok::<_, Infallible>(server.handle(request).await) }
        });
        kube::Client::new(service, "default")
    }

    /// Allows a user of [`token`](ApiServerBuilder::token) one thing more, from now on.
    pub fn grant(&self, user: &str, rule: AccessRule) {
        self.inner.access.lock().grant(user, rule);
    }

    /// Takes all rules from a user, from the next request on; what is open stays open. Gives back
    /// what was taken, for [`grant`](Self::grant).
    pub fn revoke(&self, user: &str) -> Vec<AccessRule> {
        self.inner.access.lock().revoke(user)
    }

    /// Serves one more type, or serves a type again that was removed. Types already served stay.
    pub fn register(&self, resource: ResourceType) {
        self.inner.store.lock().register(vec![resource]);
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

    /// What was asked so far, in order: the last 65,536 requests.
    pub fn requests(&self) -> Vec<RequestInfo> {
        self.inner.log.lock().iter().cloned().collect()
    }

    /// Shows `answer` each request first. The server answers only those to which it returns `None`.
    ///
    /// It sees one request at a time, and may call [`intercept`](Self::intercept) and
    /// [`stop_intercepting`](Self::stop_intercepting), which count from the next request on. A request
    /// that it makes itself is answered by the server.
    pub fn intercept(
        &self,
        answer: impl FnMut(&RequestInfo) -> Option<Response<Bytes>> + Send + 'static,
    ) {
        self.inner.intercept.set(Some(Box::new(answer)));
    }

    /// Lets the server answer every request itself again.
    pub fn stop_intercepting(&self) {
        self.inner.intercept.set(None);
    }

    /// Answers a request, whichever way it came.
    pub async fn handle<B>(&self, request: Request<B>) -> Response<ResponseBody>
    where
        B: http_body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let info = RequestInfo::new(request.method(), request.uri());
        {
            let mut log = self.inner.log.lock();
            if log.len() >= LOG {
                log.pop_front();
            }
            log.push_back(info.clone());
        }
        if let Some(response) = self.inner.intercept.answer(&info) {
            return response.map(full);
        }
        let encoding = Encoding::of_status(request.headers());
        let in_yaml = yaml::is_wanted(request.headers());
        let answer = if in_yaml && info.watch {
            Err(Failure::watch_not_acceptable())
        } else {
            handling::answer(&self.inner, request).await
        };
        let answer = answer.unwrap_or_else(|failure| failure.response(encoding));
        if in_yaml { yaml::written(answer).await } else { answer }
    }
}

impl Inner {
    fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }
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
