//! Tasks of a test.

use futures::FutureExt;
use tokio::task::JoinHandle;

/// Spawns a task. Its future is boxed: tokio's code of a task is compiled once for each output
/// then, not for each future.
pub(crate) fn spawn<T: Send + 'static>(
    future: impl Future<Output = T> + Send + 'static,
) -> JoinHandle<T> {
    tokio::spawn(future.boxed())
}
