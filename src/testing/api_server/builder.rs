//! Options of a server.

use std::time::Duration;

use super::ApiServer;
use super::access::{Access, AccessRule};

/// Options of a server.
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct ApiServerBuilder {
    pub(super) window: usize,
    pub(super) bookmark_interval: Duration,
    pub(super) watch_cache: bool,
    pub(super) require_namespaces: bool,
    pub(super) compact_after: Option<Duration>,
    pub(super) start_of_storage: Option<Duration>,
    pub(super) access: Access,
}

impl Default for ApiServerBuilder {
    fn default() -> Self {
        Self {
            window: 10_000,
            bookmark_interval: Duration::from_secs(60),
            watch_cache: true,
            require_namespaces: false,
            compact_after: None,
            start_of_storage: None,
            access: Access::default(),
        }
    }
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

    /// Whether an object needs its namespace to exist. It does not unless set, which spares a test
    /// the making of namespaces; with it, the four namespaces of every cluster are there.
    pub fn require_namespaces(mut self, required: bool) -> Self {
        self.require_namespaces = required;
        self
    }

    /// How long old states can be had: versions older than this are too old for lists and new
    /// watches, as when etcd is compacted every so often. Unless set only [`compact`] does that.
    ///
    /// [`compact`]: ApiServer::compact
    pub fn compact_after(mut self, time: Duration) -> Self {
        self.compact_after = Some(time);
        self
    }

    /// How long the storage of a custom type takes to start when its definition is new or changes:
    /// until then its lists and watches are answered 429, as by a real server, where it is a matter of
    /// milliseconds. Unless set it takes no time.
    pub fn start_of_storage(mut self, time: Duration) -> Self {
        self.start_of_storage = Some(time);
        self
    }

    /// Lets in who comes with this bearer token, as this user, who may do what `rules` say and
    /// nothing else. From the first token on nobody comes in without one.
    ///
    /// ```
    /// use kube_informer::testing::ApiServer;
    /// use kube_informer::testing::api_server::AccessRule;
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

    /// The server, with the built-in types.
    pub fn build(self) -> ApiServer {
        ApiServer::with(self)
    }
}
