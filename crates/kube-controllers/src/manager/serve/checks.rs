//! Checks of the user, which may panic, block their thread or never end.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::timeout;

use super::shared_run::SharedRun;
use crate::controller::BoxError;
use kube_informer::error::chain;
use kube_informer::seams::{catch, catch_async};

type Call = Arc<dyn Fn() -> BoxFuture<'static, Result<(), BoxError>> + Send + Sync>;

/// A check of the user.
pub(super) struct Check {
    name: Arc<str>,
    call: Call,
    /// The error of a run is its text.
    runs: SharedRun<Result<(), Arc<str>>>,
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
        Self { name, call, runs: SharedRun::new("health-check") }
    }

    pub(super) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Runs the check, or joins the run that has not ended. Returns the reason if it fails, without
    /// the user's text, which is logged.
    pub(super) async fn run(&self, limit: Duration) -> Option<String> {
        let call = self.call.clone();
        let checked = self.runs.run(move |runtime| {
            let checking = || runtime.block_on(catch_async(async move { call().await }));
            match catch(checking).and_then(|result| result) {
                Ok(Ok(())) => Ok(()),
                Ok(Err(error)) => {
                    Err(catch(|| chain(&*error)).unwrap_or_else(|panic| panic).into())
                }
                Err(message) => Err(format!("it panicked: {message}").into()),
            }
        });
        let name = &*self.name;
        let result = match timeout(limit, checked).await {
            // Without a result, the thread panicked while it dropped the check's error.
            Ok(Ok(result)) => result.unwrap_or_else(|| Err("it ended without a result".into())),
            Ok(Err(error)) => return Some(format!("it cannot be run: {error}")),
            Err(_) => {
                tracing::warn!(check = name, "a health check has not ended");
                return Some(format!("it has not ended after {limit:?}"));
            }
        };
        let error = result.err()?;
        tracing::warn!(check = name, error = &*error, "a health check failed");
        Some("reason withheld: see the log".to_owned())
    }
}
