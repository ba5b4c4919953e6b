//! The temporary fallback from protobuf to JSON.

use std::time::Duration;

use tokio::time::Instant;

use crate::sync::Mutex;
use crate::time::after;

/// The time after which protobuf is requested again. The answer in JSON may have come from a proxy,
/// or from an older server that has been upgraded since.
const RETRY: Duration = Duration::from_secs(600);

/// The state that decides whether a source requests JSON although its type supports protobuf.
#[derive(Debug, Default)]
pub(super) struct JsonFallback(Mutex<Since>);

#[derive(Clone, Copy, Debug, Default)]
enum Since {
    #[default]
    Never,
    /// JSON came at this moment, although protobuf was requested.
    Answered(Instant),
    /// The user requested JSON only.
    Always,
}

impl JsonFallback {
    /// Creates a state that always requests JSON.
    pub(super) fn always() -> Self {
        Self(Mutex::new(Since::Always))
    }

    /// Notes that JSON came although protobuf was requested. JSON is then requested for ten
    /// minutes.
    pub(super) fn begin(&self) {
        let mut since = self.0.lock();
        if !matches!(*since, Since::Always) {
            *since = Since::Answered(Instant::now());
        }
    }

    /// Returns whether to request JSON now.
    pub(super) fn is_on(&self) -> bool {
        match *self.0.lock() {
            Since::Never => false,
            Since::Answered(at) => Instant::now() < after(at, RETRY),
            Since::Always => true,
        }
    }
}
