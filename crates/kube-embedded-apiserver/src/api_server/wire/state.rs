//! The state that requests and watches share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::api_server::resource::ResourceType;
use crate::api_server::rules::access::Access;
use crate::api_server::store::Store;
use crate::api_server::webhooks::Webhooks;

/// The options of requests.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) bookmark_interval: Duration,
    pub(crate) watch_cache: bool,
    /// True if writes are refused that a rule would judge that is not implemented.
    pub(crate) strict: bool,
    /// True if `shardSelector` counts.
    pub(crate) sharded_lists: bool,
    /// The number of connections at once of a server on a port.
    pub(crate) max_connections: usize,
    #[cfg(feature = "gzip")]
    pub(crate) gzip: super::gzip::Gzip,
}

/// The state of a server.
pub(crate) struct Server {
    pub(crate) store: Mutex<Store>,
    pub(crate) access: Mutex<Access>,
    pub(crate) webhooks: Arc<Webhooks>,
    pub(crate) options: Options,
    /// Increases when every open watch shall break.
    generation: AtomicU64,
    pub(crate) stop: CancellationToken,
}

impl Server {
    pub(crate) fn new(
        store: Store,
        access: Access,
        options: Options,
        stop: CancellationToken,
    ) -> Self {
        let webhooks = store.webhooks.clone();
        let (store, access) = (Mutex::new(store), Mutex::new(access));
        Self { store, access, webhooks, options, generation: AtomicU64::new(0), stop }
    }

    /// Returns whether watch caches have the objects of a type as a webhook converts them.
    pub(crate) fn caches(&self, resource: &ResourceType) -> bool {
        self.options.watch_cache && self.webhooks.conversion(resource).is_some()
    }

    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    /// Breaks the connection of every open watch.
    pub(crate) fn drop_watches(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
        self.store.lock().announce();
    }
}
