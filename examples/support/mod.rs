//! The shared parts of the examples: their cluster, and their end. A program of your own needs
//! nothing of this.

mod interrupted;

use std::time::Duration;

use kube::Client;
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use tokio_util::sync::CancellationToken;

/// Runs an example: with `--cluster` on the cluster of the present kubeconfig, else on an API
/// server in this process until its scripted `life` is over. Ctrl-C and SIGTERM end it.
pub(crate) async fn main<R, L>(
    run: impl FnOnce(Client, CancellationToken) -> R,
    life: impl FnOnce(ApiServer) -> L,
) -> Result<(), BoxError>
where
    R: Future<Output = Result<(), BoxError>>,
    L: Future<Output = Result<(), BoxError>>,
{
    let stop = CancellationToken::new();
    let ending = stop.clone();
    tokio::spawn(async move {
        if interrupted::interrupted().await.is_ok() {
            ending.cancel();
        }
    });
    if on_cluster() {
        return Box::pin(run(Client::try_default().await?, stop)).await;
    }
    let server = ApiServer::new();
    let running = Box::pin(run(server.client(), stop.clone()));
    let life = Box::pin(life(server.clone()));
    let living = async {
        let lived = stop.run_until_cancelled(life).await;
        stop.cancel();
        lived.unwrap_or(Ok(()))
    };
    // Objects that `living` makes before its first wait exist before the example looks.
    let (lived, ran) = tokio::join!(living, running);
    ran.and(lived)
}

/// Returns whether the example runs on a cluster.
pub(crate) fn on_cluster() -> bool {
    std::env::args().any(|argument| argument == "--cluster")
}

/// A moment in a scripted life.
pub(crate) async fn moment() {
    tokio::time::sleep(Duration::from_millis(400)).await;
}
