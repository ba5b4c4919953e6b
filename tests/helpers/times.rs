//! Units of time, waits, and a record with times.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::{Instant, sleep};

pub(crate) const MS: Duration = Duration::from_millis(1);
pub(crate) const S: Duration = Duration::from_secs(1);

/// Lets time pass until `holds`. Panics after a thousand seconds.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..100_000 {
        if holds() {
            return;
        }
        sleep(10 * MS).await;
    }
    panic!("{what} did not come");
}

/// A record of events with their times.
#[derive(Clone)]
pub(crate) struct Log<T>(Arc<Mutex<Vec<(Duration, T)>>>, Instant);

impl<T: Clone> Log<T> {
    pub(crate) fn new() -> Self {
        Self(Arc::default(), Instant::now())
    }

    pub(crate) fn add(&self, entry: T) {
        self.0.lock().push((self.1.elapsed(), entry));
    }

    pub(crate) fn take(&self) -> Vec<T> {
        std::mem::take(&mut *self.0.lock()).into_iter().map(|(_, entry)| entry).collect()
    }

    /// Returns the times between entries, in whole seconds.
    pub(crate) fn gaps(&self) -> Vec<u64> {
        let log = self.0.lock();
        log.windows(2).map(|pair| pair[1].0.abs_diff(pair[0].0).as_secs()).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.lock().len()
    }

    /// Lets time pass until there are so many entries.
    pub(crate) async fn reaches(&self, entries: usize) {
        for _ in 0..100_000 {
            if self.len() >= entries {
                return;
            }
            sleep(10 * MS).await;
        }
        panic!("{} entries, not {entries}", self.len());
    }
}
