//! A whole small operator: each `WebApp` gets a Deployment and a Service, its host name is entered
//! in a registry outside of the cluster, and its status says how that goes.
//!
//! `cargo example operator` brings its own API server, creates a web app, changes and deletes
//! it, and ends by itself. `-- --cluster` works on the cluster of the present kubeconfig until
//! Ctrl-C, after `kubectl apply -f examples/operator/deploy/base/crd.yaml`. `-- --crd` prints the
//! definition, and `-- --rbac` the roles. `deploy` runs the operator in the cluster: `base` and
//! `monitoring` are for Kustomize, and `chart` is for Helm.
//!
//! ```yaml
//! apiVersion: example.com/v1
//! kind: WebApp
//! metadata: { name: hello, namespace: default }
//! spec: { image: "registry.example.com/hello:1", replicas: 2, host: hello.example.com }
//! ```

pub(crate) mod controller;
pub(crate) mod crd;
mod demo;
pub(crate) mod registry;

use kube::{Client, Config, CustomResourceExt};
use kube_controllers::Serve;
use kube_informer::client::renewing_client;
use kube_informer::error::BoxError;

use self::controller::{elector, manager, rbac};
use self::crd::WebApp;
use self::registry::Registry;

/// The ports of the probes and of the metrics, as in `deploy/base/deployment.yaml`.
pub(crate) const HEALTH: u16 = 8081;
pub(crate) const METRICS: u16 = 8080;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let level = std::env::var("LOG_LEVEL").ok().and_then(|level| level.parse().ok());
    tracing_subscriber::fmt().with_max_level(level.unwrap_or(tracing::Level::INFO)).init();

    let has = |wanted: &str| std::env::args().any(|argument| argument == wanted);
    if has("--crd") {
        println!("{}", serde_json::to_string_pretty(&WebApp::crd())?);
        return Ok(());
    }
    if has("--rbac") {
        // Nothing is sent to it.
        let mut config = Config::new("http://localhost".parse()?);
        config.default_namespace = "webapps".into();
        print!("{}", rbac(&Client::try_from(config)?, "webapps")?);
        return Ok(());
    }
    if !has("--cluster") {
        return demo::run().await;
    }
    let client = renewing_client(Client::try_default).await?;
    let all = [0, 0, 0, 0];
    let serve = Serve::new().health_address((all, HEALTH)).metrics_address((all, METRICS));
    let elector = elector(&client).build()?;
    let manager = manager(&client, Registry::default())?.leader_election(elector).serve(serve);
    manager.build()?.run().await?;
    Ok(())
}
