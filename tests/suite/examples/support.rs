//! Shared parts of the tests of the examples.

use std::sync::Arc;
use std::time::Duration;

use kube_informer::error::BoxError;
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::helpers::spawn;

/// The output of an example. Clones are cheap.
#[derive(Clone, Default)]
pub(crate) struct Said(Arc<Mutex<Vec<String>>>);

impl Said {
    /// Takes the example's lines.
    pub(crate) fn say(&self) -> impl Fn(String) + Clone + Send + Sync + 'static {
        let said = self.clone();
        move |line| said.0.lock().push(line)
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().clone()
    }

    /// Lets time pass until some line has all of this in it, and gives that line.
    pub(crate) async fn hears(&self, parts: &[&str]) -> String {
        let fits = |line: &String| parts.iter().all(|part| line.contains(part));
        eventually(&format!("a line with {parts:?}"), || {
            let found = self.0.lock().iter().find(|line| fits(line)).cloned();
            async { found }
        })
        .await
    }
}

/// Lets time pass until `look` finds what it looks for.
pub(crate) async fn eventually<T, F>(what: &str, look: impl Fn() -> F) -> T
where
    F: Future<Output = Option<T>>,
{
    let deadline = Instant::now() + Duration::from_secs(300);
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(Instant::now() < deadline, "{what} did not come");
        sleep(Duration::from_millis(50)).await;
    }
}

/// An example that runs.
pub(crate) struct Running {
    pub(crate) stop: CancellationToken,
    task: JoinHandle<Result<(), BoxError>>,
}

impl Running {
    pub(crate) fn begin<F>(run: impl FnOnce(CancellationToken) -> F) -> Self
    where
        F: Future<Output = Result<(), BoxError>> + Send + 'static,
    {
        let stop = CancellationToken::new();
        Self { task: spawn(run(stop.clone())), stop }
    }

    /// Stops it; it has to end well, and soon.
    pub(crate) async fn end(self) {
        self.stop.cancel();
        let ended = tokio::time::timeout(Duration::from_secs(30), self.task).await;
        ended.expect("it ends soon").unwrap().unwrap();
    }
}

/// An answer of a server that can't at the moment.
pub(crate) fn unavailable() -> http::Response<bytes::Bytes> {
    let mut response = http::Response::new(bytes::Bytes::new());
    *response.status_mut() = http::StatusCode::SERVICE_UNAVAILABLE;
    response
}
