//! A look inside: `cargo example dashboard`, then open <http://127.0.0.1:8080>.
//!
//! Starts an API server in this process, with churn and an incident now and then, and a manager
//! whose page shows its informers, handlers and controllers. Beside the page: `/status` as JSON,
//! `/metrics` for Prometheus, `/livez` and `/readyz` for Kubernetes. Runs until Ctrl-C or SIGTERM.
//!
//! `--cluster` looks at the cluster of the present kubeconfig instead; `--listen ADDRESS` serves
//! elsewhere. There is no password: a client that reaches the address sees names, sizes and errors,
//! though never an object.

mod demo;

use std::net::SocketAddr;

use kube_controllers::{Manager, Serve};
use kube_informer::SharedInformerFactory;
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;

struct Options {
    cluster: bool,
    listen: SocketAddr,
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let options = options()?;
    let embedded = (!options.cluster).then(|| ApiServer::builder().history_limit(2_000).build());
    let client = match &embedded {
        Some(server) => {
            demo::populate(server)?;
            server.client()
        }
        None => kube::Client::try_default().await?,
    };
    let factory = SharedInformerFactory::builder(client).name("dashboard").on_error(|_| {}).build();
    let serve = Serve::new().health_address(options.listen).metrics_address(options.listen);
    let mut manager = Manager::builder(&factory).serve(serve);
    let mut tasks = if let Some(server) = embedded {
        manager = manager
            .controller(demo::rollout(&factory)?, demo::reconcile)
            .task_on_every_replica("churn", |scope| async move {
                scope.token().run_until_cancelled(demo::churn(server)).await.unwrap_or(Ok(()))
            });
        demo::shop(&factory)?
    } else {
        demo::cluster(&factory)?
    };
    println!("Open http://{} in a browser; Ctrl-C ends this.", options.listen);
    manager.build()?.run().await?;
    tasks.shutdown().await;
    Ok(())
}

fn options() -> Result<Options, String> {
    let mut options = Options { cluster: false, listen: SocketAddr::from(([127, 0, 0, 1], 8080)) };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match &*argument {
            "--cluster" => options.cluster = true,
            "--listen" => {
                let address =
                    arguments.next().ok_or("--listen wants an address, such as 127.0.0.1:9090")?;
                options.listen =
                    address.parse().map_err(|error| format!("--listen {address}: {error}"))?;
            }
            other => {
                return Err(format!("unknown argument {other}; there are --cluster and --listen"));
            }
        }
    }
    Ok(options)
}
