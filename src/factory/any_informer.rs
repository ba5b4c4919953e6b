//! The type-erased informers of a factory.

use std::any::Any;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Resource;
use tokio_util::task::TaskTracker;

use super::InformerSpec;
use crate::informer::{InformerStatus, SharedInformer, StartError, Unsynced};

/// An informer, and the options that it was made with.
pub(super) struct FactoryInformer<K> {
    pub(super) informer: SharedInformer<K>,
    /// The spec of the first caller, completed with the factory's defaults.
    pub(super) spec: InformerSpec<K>,
}

impl<K> Clone for FactoryInformer<K> {
    fn clone(&self) -> Self {
        Self { informer: self.informer.clone(), spec: self.spec.clone() }
    }
}

/// A [`FactoryInformer`] of any object type.
pub(super) trait AnyInformer: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn is_stopped(&self) -> bool;
    fn start(&self) -> Result<(), StartError>;
    /// Waits for the sync. Returns the reasons if it does not come within `limit`.
    fn wait(&self, limit: Duration) -> BoxFuture<'_, Vec<Unsynced>>;
    fn status(&self) -> InformerStatus;
    fn shutdown(&self) -> BoxFuture<'_, ()>;
    fn drain(&self, limit: Duration) -> BoxFuture<'_, bool>;
    fn tasks(&self) -> TaskTracker;
}

impl<K: Resource + Send + Sync + 'static> AnyInformer for FactoryInformer<K> {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn is_stopped(&self) -> bool {
        self.informer.is_stopped()
    }

    fn start(&self) -> Result<(), StartError> {
        self.informer.ensure_started()
    }

    fn wait(&self, limit: Duration) -> BoxFuture<'_, Vec<Unsynced>> {
        let waited = self.informer.wait_for_sync(limit);
        waited.map(|synced| synced.err().map_or_else(Vec::new, |error| error.unsynced)).boxed()
    }

    fn status(&self) -> InformerStatus {
        self.informer.status()
    }

    fn shutdown(&self) -> BoxFuture<'_, ()> {
        self.informer.shutdown().boxed()
    }

    fn drain(&self, limit: Duration) -> BoxFuture<'_, bool> {
        self.informer.shutdown_with_drain(limit).boxed()
    }

    fn tasks(&self) -> TaskTracker {
        self.informer.tasks()
    }
}
