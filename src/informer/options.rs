//! Options of an informer.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::SharedInformer;
use crate::object::AnyObject;
use crate::processor::resync_period;
use crate::reflector::ReflectorOptions;
use crate::storage::Storage;
use crate::warm::Kept;

/// Configuration of an informer.
///
/// ```
/// use std::time::Duration;
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::InformerOptions;
/// use kube_informer::reflector::{ListMode, ReflectorOptions};
///
/// let options = InformerOptions::<Pod>::new()
///     .name("my-controller")
///     .resync(Duration::from_secs(600))
///     .reflector(ReflectorOptions::new().list_mode(ListMode::Streaming));
/// ```
#[must_use]
#[non_exhaustive]
pub struct InformerOptions<K: ?Sized = dyn AnyObject> {
    pub(super) name: Arc<str>,
    pub(super) resync: Option<Duration>,
    pub(super) reflector: ReflectorOptions<K>,
    pub(super) storage: Storage<K>,
    pub(super) of_set: Arc<AtomicBool>,
    /// The objects that an earlier run has kept.
    pub(super) kept: Option<Arc<Kept>>,
}

impl<K: ?Sized> InformerOptions<K> {
    /// Creates options with no name, no resync, packed storage and client-go's rules for the
    /// reflector.
    pub fn new() -> Self {
        Self {
            name: "".into(),
            resync: None,
            reflector: ReflectorOptions::new(),
            storage: Storage::default(),
            of_set: Arc::default(),
            kept: None,
        }
    }

    /// Sets the name of this informer in metrics, spans and the status. It distinguishes informers
    /// of the same resource. Empty unless set.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the period after which handlers without a period of their own receive every stored
    /// object again. Never unless set.
    ///
    /// Zero, or a century or more, means never. A period below one second is raised to one second.
    pub fn resync(mut self, period: Duration) -> Self {
        self.resync = resync_period(period);
        self
    }

    /// Sets the options of the reflector.
    pub fn reflector(mut self, options: ReflectorOptions<K>) -> Self {
        self.reflector = options;
        self
    }

    /// Sets the form in which objects are kept in memory. Packed unless set: see
    /// [read what you need](crate::docs::read_what_you_need).
    pub fn storage(mut self, storage: Storage<K>) -> Self {
        self.storage = storage;
        self
    }
}

impl<K: ?Sized> InformerOptions<K> {
    /// Sets the flag that is true while only sets hold the informer.
    pub(crate) fn of_set(mut self, of_set: Arc<AtomicBool>) -> Self {
        self.of_set = of_set;
        self
    }

    /// Sets the objects that an earlier run has kept.
    pub(crate) fn kept(mut self, kept: Arc<Kept>) -> Self {
        self.kept = Some(kept);
        self
    }

    /// Returns the same options for objects of any type.
    pub(super) fn erase(self) -> InformerOptions {
        InformerOptions {
            name: self.name,
            resync: self.resync,
            reflector: self.reflector.erase(),
            storage: self.storage.erase(),
            of_set: self.of_set,
            kept: self.kept,
        }
    }
}

/// The options that an informer has.
impl<K: ?Sized> SharedInformer<K> {
    /// Returns the resync period of the handlers, if there is one.
    pub fn default_resync(&self) -> Option<Duration> {
        self.pipeline.default_resync
    }

    /// Returns whether a watch was ever opened.
    pub fn has_watched(&self) -> bool {
        self.pipeline.monitor.has_watched()
    }

    /// Returns whether a selector or a query parameter narrows the collection.
    pub fn is_narrowed(&self) -> bool {
        self.pipeline.narrowed
    }

    /// Returns whether a transform changes the objects before they are stored.
    pub fn is_transformed(&self) -> bool {
        self.pipeline.transformed
    }

    /// Returns whether the stored objects keep this manager's entries of managed fields.
    pub fn keeps_managed_fields(&self, manager: &str) -> bool {
        self.pipeline.keeps_managed_fields(manager)
    }
}

impl<K: ?Sized> Default for InformerOptions<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: ?Sized> fmt::Debug for InformerOptions<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InformerOptions")
            .field("name", &self.name)
            .field("resync", &self.resync)
            .field("reflector", &self.reflector)
            .field("storage", &self.storage)
            .finish_non_exhaustive()
    }
}
