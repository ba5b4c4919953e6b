//! Options of a server.

use std::time::Duration;

use crate::CENTURY;
use crate::api_server::ApiServer;
#[cfg(feature = "gzip")]
use crate::api_server::Gzip;
use crate::api_server::rules::access::{Access, AccessRule};
use crate::api_server::wire::Options;

/// Options of an [`ApiServer`]. Get one from [`ApiServer::builder`].
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct ApiServerBuilder {
    pub(crate) history_limit: usize,
    pub(crate) options: Options,
    pub(crate) require_namespaces: bool,
    pub(crate) initial_objects: bool,
    pub(crate) namespace_controller: bool,
    pub(crate) garbage_collection: bool,
    pub(crate) compact_after: Option<Duration>,
    pub(crate) storage_start_delay: Option<Duration>,
    pub(crate) access: Access,
}

impl Default for ApiServerBuilder {
    fn default() -> Self {
        Self {
            history_limit: 10_000,
            options: Options {
                bookmark_interval: Duration::from_secs(60),
                watch_cache: true,
                strict: false,
                sharded_lists: true,
                max_connections: 1024,
                #[cfg(feature = "gzip")]
                gzip: Gzip::default(),
            },
            require_namespaces: false,
            initial_objects: false,
            namespace_controller: true,
            garbage_collection: false,
            compact_after: None,
            storage_start_delay: None,
            access: Access::default(),
        }
    }
}

impl ApiServerBuilder {
    /// Sets the number of changes of each type that are kept for watches. The default is 10,000;
    /// zero counts as one.
    pub fn history_limit(mut self, changes: usize) -> Self {
        self.history_limit = changes.max(1);
        self
    }

    /// Sets the interval of bookmarks, on watches that request them. The default is 60 s.
    pub fn bookmark_interval(mut self, interval: Duration) -> Self {
        self.options.bookmark_interval = interval.clamp(Duration::from_millis(1), CENTURY);
        self
    }

    /// Sets whether lists at version "0" come from a watch cache, which ignores the limit and
    /// answers in one piece. The default is true. If false, they come in pages like other lists.
    ///
    /// If a [webhook converts](ApiServer::convert) a type, lists and watches of each version come
    /// from a cache, for which the webhook converts each change once. While the webhook fails, they
    /// show what it converted before, and after half a minute they are answered 429. If false, the
    /// webhook converts every object of every list and watch.
    pub fn watch_cache(mut self, cached: bool) -> Self {
        self.options.watch_cache = cached;
        self
    }

    /// Sets whether an object can only be created in an existing namespace. The default is false,
    /// so that a test need not create namespaces. If true, the four namespaces of every cluster
    /// exist.
    pub fn require_namespaces(mut self, required: bool) -> Self {
        self.require_namespaces = required;
        self
    }

    /// Sets whether the objects exist that every API server makes for itself. These are four
    /// namespaces, the Service `kubernetes` with its endpoints, address and `ServiceCIDR`, priority
    /// classes, `FlowSchema`s with their priority levels, and the cluster roles for users with
    /// their bindings. The roles of controllers are left out. The default is false, so that a test
    /// lists only its own objects.
    pub fn initial_objects(mut self, exist: bool) -> Self {
        self.initial_objects = exist;
        self
    }

    /// Sets whether the objects of a namespace that is being deleted are deleted, and then the
    /// namespace. The default is true. If false, they stay until a client deletes them, as in a
    /// cluster without its controller manager.
    pub fn namespace_controller(mut self, runs: bool) -> Self {
        self.namespace_controller = runs;
        self
    }

    /// Sets whether objects whose owners are gone are deleted, and whether the propagation policies
    /// `Orphan` and `Foreground` are carried out. The default is false: a delete adds the policy's
    /// finalizer, which a client removes.
    pub fn garbage_collection(mut self, runs: bool) -> Self {
        self.garbage_collection = runs;
        self
    }

    /// Answers 501 to a write that depends on a rule which this server knows and does not
    /// implement. The message names the rule. By default such a write passes. The guide of
    /// `kube-controllers` lists the rules, on its page about testing a controller.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Namespace;
    /// use kube::api::Api;
    /// use kube_embedded_apiserver::ApiServer;
    /// use serde_json::json;
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let server = ApiServer::builder().strict().build();
    /// let namespaces: Api<Namespace> = Api::all(server.client());
    /// let label = "pod-security.kubernetes.io/enforce";
    /// let secured = json!({"metadata": {"name": "shop", "labels": {label: "restricted"}}});
    /// let secured: Namespace = serde_json::from_value(secured)?;
    /// let refused = namespaces.create(&Default::default(), &secured).await.unwrap_err();
    /// let kube::Error::Api(status) = refused else { panic!("{refused}") };
    /// assert_eq!(status.code, 501);
    /// assert!(status.message.contains("PodSecurity"));
    /// # Ok::<(), serde_json::Error>(()) }).unwrap();
    /// ```
    pub fn strict(mut self) -> Self {
        self.options.strict = true;
        self
    }

    /// Sets how long old states stay available. A list or a new watch at an older version gets 410,
    /// as after etcd's periodic compaction. By default the age of a state does not count: only
    /// [`compact`] and [`history_limit`] discard states.
    ///
    /// [`compact`]: ApiServer::compact
    /// [`history_limit`]: Self::history_limit
    pub fn compact_after(mut self, time: Duration) -> Self {
        self.compact_after = Some(time.min(CENTURY));
        self
    }

    /// Sets how long the storage of a custom type takes to start after its definition is created or
    /// changed. Until then, lists and watches of the type are answered 429, as by a real server,
    /// which takes milliseconds. The default is zero.
    pub fn storage_start_delay(mut self, time: Duration) -> Self {
        self.storage_start_delay = Some(time.min(CENTURY));
        self
    }

    /// Sets whether lists and watches honour `shardSelector`, as with the feature gate
    /// `ShardedListAndWatch`. The default is true. If false, the parameter is ignored.
    pub fn sharded_lists(mut self, enabled: bool) -> Self {
        self.options.sharded_lists = enabled;
        self
    }

    /// Sets the responses that are compressed, for requests that accept gzip.
    #[cfg(feature = "gzip")]
    pub fn gzip(mut self, gzip: Gzip) -> Self {
        self.options.gzip = gzip;
        self
    }

    /// Sets whether a server with tokens takes requests without one. The default is true: they are
    /// of the user `system:anonymous`, who may only get `/version` and the health endpoints, and
    /// are otherwise answered 403. If false, they are answered 401.
    ///
    /// ```
    /// use kube_embedded_apiserver::ApiServer;
    /// use kube_embedded_apiserver::api_server::AccessRule;
    ///
    /// let server = ApiServer::builder().token("t0ps3cret", "viewer", []).build();
    /// server.grant("system:anonymous", AccessRule::new(["get"], ["configmaps"]));
    /// ```
    pub fn anonymous_requests(mut self, allowed: bool) -> Self {
        self.access.refuses_anonymous = !allowed;
        self
    }

    /// Sets the number of connections that a server on a port has at once. Further clients wait
    /// until one of them closes. The default is 1024; zero counts as one.
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.options.max_connections = connections.max(1);
        self
    }

    /// Adds a bearer token for a user, whose permissions are `rules`. After the first call a
    /// request without a token is of the user `system:anonymous`, unless [`anonymous_requests`] is
    /// false.
    ///
    /// [`anonymous_requests`]: Self::anonymous_requests
    ///
    /// ```
    /// use kube_embedded_apiserver::ApiServer;
    /// use kube_embedded_apiserver::api_server::AccessRule;
    ///
    /// let reads = AccessRule::new(["get", "list", "watch"], ["*"]);
    /// let server = ApiServer::builder().token("t0ps3cret", "viewer", [reads]).build();
    /// ```
    pub fn token(
        mut self,
        token: impl Into<String>,
        user: impl Into<String>,
        rules: impl IntoIterator<Item = AccessRule>,
    ) -> Self {
        let user = user.into();
        for rule in rules {
            self.access.grant(&user, rule);
        }
        self.access.add_token(token.into(), user);
        self
    }

    /// Builds the server, with the built-in types.
    pub fn build(self) -> ApiServer {
        ApiServer::with(self)
    }
}
