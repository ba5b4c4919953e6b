//! An API server in memory, for tests and examples that have no cluster.
//!
//! The server answers an ordinary [`kube::Client`], in process or on a port. It supports:
//!
//! - discovery, lists with pages and consistent continue tokens, watches with bookmarks, streaming
//!   lists;
//! - create, get, replace, delete with finalizers and grace periods;
//! - JSON patch, merge patch, strategic merge patch, server-side apply with field ownership;
//! - label and field selectors, shards, metadata-only objects, tables, custom resource definitions;
//! - the subresources of pods, namespaces, service accounts and certificate requests, `status` and
//!   `scale`;
//! - tokens and access rules, and failures as real `Status` bodies.
//!
//! It speaks JSON, YAML and protobuf. A test can compact its history, drop its watches, and answer
//! any request itself.
//!
//! A client's write is defaulted, validated and answered as by a kube-apiserver v1.36: metadata,
//! built-in kinds, definitions, and objects of custom types by all keywords of their schema. Rules
//! in CEL need the feature `cel`. With [`strict`](ApiServerBuilder::strict) the server answers
//! 501 to a write that depends on a rule which it knows and does not implement. Built-in objects
//! that the test itself writes ([`create`](ApiServer::create), [`replace`](ApiServer::replace))
//! skip defaults and validation, except those of their metadata.
//!
//! Admission and conversion webhooks are called in process, once a test has registered a service
//! for one ([`webhook`](ApiServer::webhook), [`admit`](ApiServer::admit),
//! [`convert`](ApiServer::convert)).
//!
//! The server runs the controllers of namespaces and of definitions, and on request the
//! [garbage collector](ApiServerBuilder::garbage_collection). It runs no others.
//!
//! ```
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube::{Api, api::{ListParams, ObjectMeta}};
//! use kube_embedded_apiserver::ApiServer;
//!
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let server = ApiServer::new();
//! let maps: Api<ConfigMap> = Api::namespaced(server.client(), "default");
//! let metadata = ObjectMeta { name: Some("a".into()), ..ObjectMeta::default() };
//! let map = ConfigMap { metadata, ..Default::default() };
//! let made = maps.create(&Default::default(), &map).await?;
//! assert!(made.metadata.uid.is_some());
//! assert_eq!(maps.list(&ListParams::default()).await?.items.len(), 1);
//! # Ok::<(), kube::Error>(()) }).unwrap();
//! ```
//!
//! # Testing a controller
//!
//! The controller gets a client of the server, the test acts as the rest of the world, and both
//! work on the same objects:
//!
//! ```
//! use k8s_openapi::api::core::v1::Namespace;
//! use futures::{StreamExt, pin_mut};
//! use kube::api::{Api, Patch, PatchParams, WatchEvent, WatchParams};
//! use kube_embedded_apiserver::ApiServer;
//! use serde_json::json;
//!
//! /// Gives each new namespace an owner.
//! async fn controller(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
//!     let api: Api<Namespace> = Api::all(client);
//!     let events = api.watch(&WatchParams::default(), "0").await?;
//!     pin_mut!(events);
//!     while let Some(event) = events.next().await {
//!         let WatchEvent::Added(namespace) = event? else { continue };
//!         let name = namespace.metadata.name.as_deref().unwrap_or_default();
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
//! while api.get("shop").await?.metadata.labels.is_none_or(|all| all.get("owner").is_none()) {
//!     tokio::time::sleep(std::time::Duration::from_millis(10)).await;
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
//! ```

#[cfg(test)]
mod asking;
mod builder;
mod controllers;
mod direct_reads;
mod direct_writes;
mod error;
mod failure;
mod intercept;
mod names;
mod resource;
mod rules;
mod statuses;
mod store;
#[cfg(test)]
mod tests;
mod verbs;
mod webhooks;
mod wire;

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use parking_lot::Mutex;
use tokio_util::sync::{CancellationToken, DropGuard};

pub use self::builder::ApiServerBuilder;
pub use self::error::DirectWriteError;
use self::intercept::Intercept;
pub use self::resource::ResourceType;
pub use self::rules::access::AccessRule;
use self::rules::access::User;
use self::rules::kinds;
use self::store::Store;
use self::wire::Server;
use self::wire::body::full;
pub use self::wire::body::{Aborted, ResponseBody};
#[cfg(feature = "gzip")]
pub use self::wire::gzip::Gzip;
pub use self::wire::listen::ListeningServer;
pub use self::wire::query::RequestInfo;

/// The number of requests that are kept.
const LOGGED_REQUESTS: usize = 65_536;

/// An API server in memory. A cheap clone; dropping the last clone ends every watch.
#[derive(Clone)]
pub struct ApiServer {
    inner: Arc<ApiServerState>,
    _stop_on_last_drop: Arc<DropGuard>,
}

struct ApiServerState {
    server: Arc<Server>,
    log: Mutex<VecDeque<RequestInfo>>,
    intercept: Intercept,
}

impl ApiServer {
    /// Creates a server with the built-in types and no objects.
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// Returns a builder with the default options.
    pub fn builder() -> ApiServerBuilder {
        ApiServerBuilder::default()
    }

    fn with(builder: ApiServerBuilder) -> Self {
        crate::draws::seed_by_test();
        let stop = CancellationToken::new();
        let mut store = Store::new(builder.history_limit);
        for resource in kinds::types() {
            store.register(vec![resource]);
        }
        if let Some(time) = builder.compact_after {
            store.keep_for(time);
        }
        store.storage_start_delay = builder.storage_start_delay;
        store.namespaces_needed = builder.require_namespaces;
        store.empties_namespaces = builder.namespace_controller;
        store.collects_garbage = builder.garbage_collection;
        if builder.initial_objects {
            controllers::initial::create(&mut store);
        } else if builder.require_namespaces {
            controllers::initial::create_namespaces(&mut store);
        }
        let server = Server::new(store, builder.access, builder.options, stop.clone());
        let inner = ApiServerState {
            server: Arc::new(server),
            log: Mutex::default(),
            intercept: Intercept::default(),
        };
        Self { inner: Arc::new(inner), _stop_on_last_drop: Arc::new(stop.drop_guard()) }
    }

    /// Returns a client whose requests this server answers in process. The client may do
    /// everything, whatever the rules.
    ///
    /// # Panics
    /// Panics outside a tokio runtime, as every [`kube::Client`] does.
    pub fn client(&self) -> kube::Client {
        let server = self.clone();
        let service = tower::service_fn(move |mut request: Request<kube::client::Body>| {
            let server = server.clone();
            request.extensions_mut().insert(User::Anyone);
            async move { Ok::<_, Infallible>(server.handle(request).await) }
        });
        kube::Client::new(service, "default")
    }

    /// Returns a client in process that sends a token, and has the permissions of its user.
    ///
    /// # Panics
    /// Panics outside a tokio runtime, as every [`kube::Client`] does.
    pub fn client_with_token(&self, token: &str) -> kube::Client {
        let server = self.clone();
        // A header cannot hold such a token, which is then unknown. It is not left out: a request
        // without a token may have another user's permissions.
        let token = token.replace(char::is_control, "\u{fffd}");
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

    /// Adds a permission to a user of [`token`](ApiServerBuilder::token).
    pub fn grant(&self, user: &str, rule: AccessRule) {
        self.inner.server.access.lock().grant(user, rule);
    }

    /// Removes and returns all rules of a user, from the next request on. Open watches stay open.
    /// Pass the rules to [`grant`](Self::grant) to restore them.
    pub fn revoke(&self, user: &str) -> Vec<AccessRule> {
        self.inner.server.access.lock().revoke(user)
    }

    /// Returns what the rules of a user allow and no request of the user has needed: each verb on
    /// each resource as a rule of its own.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube::api::{Api, ListParams};
    /// use kube_embedded_apiserver::api_server::{AccessRule, ApiServer};
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let reads = AccessRule::new(["list", "delete"], ["configmaps"]);
    /// let server = ApiServer::builder().token("t0ps3cret", "viewer", [reads]).build();
    /// let maps = Api::<ConfigMap>::all(server.client_with_token("t0ps3cret"));
    /// maps.list(&ListParams::default()).await?;
    /// assert_eq!(server.unused_rules("viewer"), [AccessRule::new(["delete"], ["configmaps"])]);
    /// # Ok::<(), kube::Error>(()) }).unwrap();
    /// ```
    pub fn unused_rules(&self, user: &str) -> Vec<AccessRule> {
        self.inner.server.access.lock().unused(user)
    }

    /// Serves one more type, or a removed type again. A type that is already served stays
    /// unchanged.
    pub fn register(&self, resource: ResourceType) {
        self.inner.server.store.lock().register(vec![resource]);
    }

    /// Stops serving a type. Its objects are deleted, its watches receive the deletes and end, and
    /// its path is answered 404.
    pub fn unregister(&self, resource: &ResourceType) {
        self.inner.server.store.lock().unregister(resource);
    }

    /// Returns the newest revision.
    pub fn revision(&self) -> u64 {
        self.inner.server.store.lock().revision
    }

    /// Discards every state except the current one. Older versions get 410 from now on.
    pub fn compact(&self) {
        self.inner.server.store.lock().compact();
    }

    /// Drops the connection of every open watch, and with it the other requests that share it over
    /// HTTP/2.
    pub fn drop_connections(&self) {
        self.inner.server.drop_watches();
    }

    /// Returns the last 65,536 requests, in order.
    pub fn requests(&self) -> Vec<RequestInfo> {
        self.inner.log.lock().iter().cloned().collect()
    }

    /// Passes each request to `answer` first. The server answers only requests for which it returns
    /// `None`.
    ///
    /// ```
    /// # use http::Response;
    /// # let server = kube_embedded_apiserver::ApiServer::new();
    /// server.intercept(|request| {
    ///     let refused = request.watch && request.target.starts_with("/api/v1/pods");
    ///     refused.then(|| Response::builder().status(503).body("".into()).unwrap())
    /// });
    /// ```
    ///
    /// The closure sees one request at a time, and further requests wait until it returns. It may
    /// call [`intercept`](Self::intercept) and [`stop_intercepting`](Self::stop_intercepting), which
    /// take effect with the next request. The server answers requests that the closure itself sends
    /// on its thread. The closure must not wait for requests of other threads: those wait for the
    /// closure, and are answered 500 after ten seconds.
    pub fn intercept(
        &self,
        answer: impl FnMut(&RequestInfo) -> Option<Response<Bytes>> + Send + 'static,
    ) {
        self.inner.intercept.set(Some(Box::new(answer)));
    }

    /// Removes the closure of [`intercept`](Self::intercept), so that the server answers every
    /// request again.
    pub fn stop_intercepting(&self) {
        self.inner.intercept.set(None);
    }

    /// Answers a request, from a client or from a port.
    ///
    /// # Panics
    /// Panics outside a tokio runtime, whose clock limits the time of a body.
    pub async fn handle<B>(&self, request: Request<B>) -> Response<ResponseBody>
    where
        B: http_body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let info = RequestInfo::new(request.method(), request.uri());
        {
            let mut log = self.inner.log.lock();
            if log.len() >= LOGGED_REQUESTS {
                log.pop_front();
            }
            log.push_back(info.clone());
        }
        if let Some(response) = self.inner.intercept.answer(&info).await {
            return response.map(full);
        }
        wire::handle(&self.inner.server, request, &info).await
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
