//! Ports of three controllers that are written in Go or with `kube-runtime`: `controller-rs`, a
//! restarter of Deployments, and Kubernetes' `ttl` controller.
//!
//! `cargo example ports` brings its own API server with a document, a Deployment and a node, and
//! ends by itself. `-- --cluster` works on the cluster of the present kubeconfig until Ctrl-C.

mod document;
mod restarter;
#[path = "../support/mod.rs"]
mod support;
mod ttl;

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Node};
use kube::{Api, Client, CustomResourceExt, ResourceExt};
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use self::document::{Document, Figures};

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    tracing_subscriber::fmt().with_target(false).init();
    support::main(run, life).await
}

/// Runs the three as one process.
async fn run(client: Client, stop: CancellationToken) -> Result<(), BoxError> {
    let figures = Arc::new(Figures::default());
    let set_level = |level: &str| println!("the log level is {level} from now on");
    let any_port = ([127, 0, 0, 1], 0);
    let serve = document::serve(figures.clone(), set_level);
    let documents = document::manager(client.clone(), figures)?
        .serve(serve.health_address(any_port).metrics_address(any_port))
        .build()?;
    let restarter = restarter::manager(client.clone())?.build()?;
    let elector = ttl::elector(client.clone()).build()?;
    let ttl = ttl::manager(client, ttl::STEPS)?.leader_election(elector).build()?;
    tokio::try_join!(
        documents.run_until(stop.clone()),
        restarter.run_until(stop.clone()),
        ttl.run_until(stop),
    )?;
    Ok(())
}

/// Hides a document, changes a map that pods read, and adds a node.
async fn life(server: ApiServer) -> Result<(), BoxError> {
    server.create(&Document::crd())?;
    server.create(&object::<Node>(json!({"metadata": {"name": "n1"}}))?)?;
    let map = |color: &str| {
        let metadata = json!({"namespace": "shop", "name": "colors"});
        object::<ConfigMap>(json!({"metadata": metadata, "data": {"color": color}}))
    };
    server.create(&map("red")?)?;
    let container = json!({
        "name": "app", "image": "app", "envFrom": [{"configMapRef": {"name": "colors"}}],
    });
    let web = json!({
        "metadata": {"namespace": "shop", "name": "web", "annotations": {restarter::ASKS: "true"}},
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}},
        },
    });
    server.create(&object::<Deployment>(web)?)?;
    let metadata = json!({"namespace": "shop", "name": "plan"});
    let spec = json!({"title": "Plan", "hide": true, "content": "a secret"});
    server.create(&object::<Document>(json!({"metadata": metadata, "spec": spec}))?)?;

    let client = server.client();
    let documents = Api::<Document>::namespaced(client.clone(), "shop");
    until(&documents, "plan", |plan| plan.status.as_ref().is_some_and(|it| it.hidden)).await?;
    println!("the document is hidden");
    let nodes = Api::<Node>::all(client.clone());
    until(&nodes, "n1", |node| node.annotations().contains_key(ttl::TTL)).await?;
    println!("the node has its TTL");
    let deployments = Api::<Deployment>::namespaced(client, "shop");
    until(&deployments, "web", |web| web.annotations().contains_key(restarter::HASH)).await?;
    server.replace(&map("blue")?)?;
    until(&deployments, "web", |web| web.metadata.generation >= Some(2)).await?;
    println!("the pods are replaced");
    Ok(())
}

fn object<K: DeserializeOwned>(value: serde_json::Value) -> serde_json::Result<K> {
    serde_json::from_value(value)
}

async fn until<K>(api: &Api<K>, name: &str, is: impl Fn(&K) -> bool) -> Result<(), BoxError>
where
    K: Clone + std::fmt::Debug + DeserializeOwned,
{
    while !api.get_opt(name).await?.is_some_and(|object| is(&object)) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}
