//! The versions that queries name: their syntax, and waiting for those of the future.

use std::pin::pin;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::state::Server;
use crate::api_server::failure::Failure;

/// The time for which a list or get waits for a version that does not exist yet.
const PATIENCE: Duration = Duration::from_secs(3);

/// Returns a version, or the problem that it is not a number. An absent one is `None`.
pub(super) fn parse(text: &str) -> Result<Option<u64>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let number = Some(text).filter(|text| !text.starts_with('+')).and_then(|t| t.parse().ok());
    number.map(Some).ok_or_else(|| {
        format!(
            "resourceVersion: Invalid value: {text:?}: strconv.ParseUint: parsing {text:?}: \
             invalid syntax"
        )
    })
}

/// Waits until the store has reached a version. Returns a failure if it does not in time.
pub(super) async fn reach(server: &Server, version: Option<u64>) -> Result<(), Failure> {
    let Some(version) = version else { return Ok(()) };
    let until = Instant::now() + PATIENCE;
    let changes = server.store.lock().changes();
    let mut late = false;
    loop {
        let mut woken = pin!(changes.notified());
        woken.as_mut().enable();
        let current = server.store.lock().revision;
        if version <= current {
            return Ok(());
        } else if late {
            return Err(Failure::too_large(version, current));
        }
        late = timeout_at(until, woken).await.is_err();
    }
}
