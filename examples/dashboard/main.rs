//! A look inside: `cargo run --example dashboard`, then open <http://127.0.0.1:8080>.
//!
//! Starts an API server in this process, with churn and an incident now and then, and shows on a
//! local page what its informers do. Beside the page: `/status.json`, `/metrics` for Prometheus,
//! `/healthz` and `/readyz` for Kubernetes. Runs until Ctrl-C or SIGTERM.
//!
//! `--cluster` looks at the cluster of the present kubeconfig instead; `--listen ADDRESS` serves
//! elsewhere. There is no password: a client that reaches the address sees names, sizes and errors,
//! though never an object. It answers requests for an IP address or `localhost` only, so that no
//! web page of another site can read it through a name of its own; `--host NAME` adds a name.

mod demo;
mod health;
#[path = "../support/interrupted.rs"]
mod interrupted;
mod prometheus;
mod server;

use std::net::SocketAddr;

use kube_informer::SharedInformerFactory;
use kube_informer::controller::BoxError;
use kube_informer::testing::ApiServer;
use tokio::net::TcpListener;

use self::prometheus::Prometheus;
use self::server::Dashboard;

struct Options {
    cluster: bool,
    listen: SocketAddr,
    hosts: Vec<String>,
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let options = options()?;
    let listener = TcpListener::bind(options.listen)
        .await
        .map_err(|error| format!("can't listen on {}: {error}", options.listen))?;

    // Before any informer is made: what is made earlier is not seen.
    let prometheus = Prometheus::default();
    metrics::set_global_recorder(prometheus.clone()).map_err(|error| error.to_string())?;
    kube_informer::metrics::describe();

    let embedded = (!options.cluster).then(|| ApiServer::builder().history_limit(2_000).build());
    let client = match &embedded {
        Some(server) => {
            demo::populate(server)?;
            server.client()
        }
        None => kube::Client::try_default().await?,
    };
    let factory = SharedInformerFactory::builder(client).name("dashboard").on_error(|_| {}).build();
    let handlers = if options.cluster { demo::cluster } else { demo::shop };
    let mut tasks = handlers(&factory)?;
    factory.start()?;
    if let Some(server) = embedded {
        tasks.spawn(async move {
            if let Err(error) = demo::churn(server).await {
                eprintln!("the churn ended: {error}");
            }
        });
    }

    println!("Open http://{} in a browser; Ctrl-C ends this.", listener.local_addr()?);
    let dashboard = Dashboard { factory: factory.clone(), prometheus, hosts: options.hosts.into() };
    tokio::select! {
        () = server::serve(listener, dashboard) => {}
        _ = interrupted::interrupted() => {}
    }
    tasks.shutdown().await;
    factory.shutdown().await;
    Ok(())
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        cluster: false,
        listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
        hosts: Vec::new(),
    };
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
            "--host" => options.hosts.push(arguments.next().ok_or("--host wants a name")?),
            other => {
                let known = "--cluster, --listen and --host";
                return Err(format!("unknown argument {other}; there are {known}"));
            }
        }
    }
    Ok(options)
}
