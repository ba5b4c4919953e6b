//! Checks of the user, which may panic, block their thread or never end.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::controller::BoxError;
use crate::error::chain;
use crate::panic::{catch, catch_async};
use crate::sync::Mutex;

type Call = Arc<dyn Fn() -> BoxFuture<'static, Result<(), BoxError>> + Send + Sync>;

/// The result of one run; `None` while it runs. The error is its text.
type Progress = watch::Receiver<Option<Result<(), Arc<str>>>>;

/// A check of the user.
pub(super) struct Check {
    name: Arc<str>,
    call: Call,
    /// The run that has not ended. Later requests join it, so that a check that hangs takes one
    /// thread.
    running: Mutex<Option<Progress>>,
}

impl Check {
    pub(super) fn new<F, Fut, E>(name: Arc<str>, check: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        let call: Call = Arc::new(move || {
            let checking = check();
            async move { checking.await.map_err(E::into) }.boxed()
        });
        Self { name, call, running: Mutex::new(None) }
    }

    pub(super) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Runs the check. Returns the reason if it fails, without the user's text, which is logged.
    pub(super) async fn run(&self, limit: Duration) -> Option<String> {
        let mut progress = match self.start() {
            Ok(progress) => progress,
            Err(error) => return Some(format!("it cannot be run: {error}")),
        };
        let ended = async {
            let ended = progress.wait_for(Option::is_some).await;
            // Without a result, the thread panicked: the check's error, when it was dropped.
            let result = ended.ok().and_then(|ended| ended.clone());
            result.unwrap_or_else(|| Err("it ended without a result".into()))
        };
        let name = &*self.name;
        match timeout(limit, ended).await {
            Ok(Ok(())) => None,
            Ok(Err(error)) => {
                tracing::warn!(check = name, error = &*error, "a health check failed");
                Some("reason withheld: see the log".to_owned())
            }
            Err(_) => {
                tracing::warn!(check = name, "a health check has not ended");
                Some(format!("it has not ended after {limit:?}"))
            }
        }
    }

    /// Starts the check, or joins the run that has not ended.
    fn start(&self) -> std::io::Result<Progress> {
        let mut running = self.running.lock();
        if let Some(progress) = running.as_ref().filter(|progress| is_running(progress)) {
            return Ok(progress.clone());
        }
        let (ended, progress) = watch::channel(None);
        let (call, runtime) = (self.call.clone(), Handle::current());
        // A thread outside the runtime: neither its workers nor its end wait for a check that
        // blocks.
        std::thread::Builder::new().name("health-check".into()).spawn(move || {
            let run = || runtime.block_on(catch_async(async move { call().await }));
            let result = match catch(run).and_then(|result| result) {
                Ok(Ok(())) => Ok(()),
                Ok(Err(error)) => Err(catch(|| chain(&*error)).unwrap_or_else(|panic| panic)),
                Err(message) => Err(format!("it panicked: {message}")),
            };
            ended.send_replace(Some(result.map_err(Into::into)));
        })?;
        *running = Some(progress.clone());
        Ok(progress)
    }
}

fn is_running(progress: &Progress) -> bool {
    progress.borrow().is_none() && progress.has_changed().is_ok()
}
