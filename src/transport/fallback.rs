//! JSON in the place of protobuf, for a while.

use std::time::Duration;

use tokio::time::Instant;

use crate::sync::Mutex;
use crate::time::after;

/// After this long protobuf is asked for again: the one answer in JSON may have been a proxy's, or
/// an older server's that has been upgraded since.
const RETRY: Duration = Duration::from_secs(600);

/// Whether a source asks for JSON although its type can come in protobuf.
#[derive(Debug, Default)]
pub(super) struct JsonFallback(Mutex<Since>);

#[derive(Clone, Copy, Debug, Default)]
enum Since {
    #[default]
    Never,
    /// JSON came where protobuf was asked for.
    Answered(Instant),
    /// The user asked for JSON only.
    Always,
}

impl JsonFallback {
    /// JSON only, for good.
    pub(super) fn always() -> Self {
        Self(Mutex::new(Since::Always))
    }

    /// JSON came where protobuf was asked for: asks for JSON for a while.
    pub(super) fn begin(&self) {
        let mut since = self.0.lock();
        if !matches!(*since, Since::Always) {
            *since = Since::Answered(Instant::now());
        }
    }

    /// Returns whether JSON is to be asked for now.
    pub(super) fn is_on(&self) -> bool {
        match *self.0.lock() {
            Since::Never => false,
            Since::Answered(at) => Instant::now() < after(at, RETRY),
            Since::Always => true,
        }
    }
}
