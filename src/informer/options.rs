//! How an informer is to go about it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::processor::resync_period;
use crate::reflector::ReflectorOptions;
use crate::storage::Storage;

/// Options of one informer.
#[must_use]
#[non_exhaustive]
pub struct InformerOptions<K> {
    pub(super) name: Arc<str>,
    pub(super) resync: Option<Duration>,
    pub(super) reflector: ReflectorOptions<K>,
    pub(super) storage: Storage<K>,
}

impl<K> InformerOptions<K> {
    /// No resync, and a reflector by client-go's rules.
    pub fn new() -> Self {
        Self {
            name: "".into(),
            resync: None,
            reflector: ReflectorOptions::new(),
            storage: Storage::decoded(),
        }
    }

    /// The name by which metrics, spans and the status speak of this informer: what tells it from
    /// others of the same resource. Unset: empty.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = name.into();
        self
    }

    /// How often handlers that have no word of their own are told everything again. Zero is never, as
    /// is a century or more; below one second is raised to one second.
    pub fn resync(mut self, period: Duration) -> Self {
        self.resync = resync_period(period);
        self
    }

    /// How to list and watch.
    pub fn reflector(mut self, options: ReflectorOptions<K>) -> Self {
        self.reflector = options;
        self
    }

    /// How to keep objects; as they are unless set.
    pub fn storage(mut self, storage: Storage<K>) -> Self {
        self.storage = storage;
        self
    }
}

impl<K> Default for InformerOptions<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K> fmt::Debug for InformerOptions<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InformerOptions")
            .field("name", &self.name)
            .field("resync", &self.resync)
            .field("reflector", &self.reflector)
            .field("storage", &self.storage)
            .finish()
    }
}
