//! The parts of a request: its context and its APIs.

use k8s_openapi::api::core::v1::{ConfigMap, Node, Secret};
use kube::Client;
use kube::api::{ListParams, ObjectMeta};
use kube_controllers::{Action, Controller, ReconcileRequest};
use kube_informer::testing::ApiServer;
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

struct Context {
    client: Client,
    found: Log<Vec<String>>,
}

/// Notes which objects the APIs of a request find.
async fn reconcile_map(request: ReconcileRequest<ConfigMap, Context>) -> kube::Result<Action> {
    let Context { client, found } = &*request.context;
    let own = request.api(client).get(request.key.name()).await?;
    let secrets = request.api_of::<Secret>(client).list(&ListParams::default()).await?;
    let names = [own.metadata.name].into_iter();
    let names = names.chain(secrets.items.into_iter().map(|secret| secret.metadata.name));
    found.add(names.flatten().collect());
    Ok(Action::done())
}

async fn reconcile_node(request: ReconcileRequest<Node, Context>) -> kube::Result<Action> {
    let Context { client, found } = &*request.context;
    let own = request.api(client).get(request.key.name()).await?;
    let secrets = request.api_of::<Secret>(client).list(&ListParams::default()).await?;
    found.add(vec![own.metadata.name.unwrap_or_default(), secrets.items.len().to_string()]);
    Ok(Action::done())
}

#[tokio::test(start_paused = true)]
async fn a_request_has_the_context_and_apis_of_its_namespace_or_of_the_cluster() {
    let server = ApiServer::new();
    let owner = server.create(&map("a", "1")).unwrap();
    server.create(&secret_of(&owner, "near")).unwrap();
    let mut far = secret_of(&owner, "far");
    far.metadata.namespace = Some("elsewhere".into());
    server.create(&far).unwrap();
    let metadata = ObjectMeta { name: Some("n1".into()), ..ObjectMeta::default() };
    server.create(&Node { metadata, ..Node::default() }).unwrap();

    let (factory, stop) = (factory(&server), CancellationToken::new());
    let context = |found: &Log<_>| Context { client: server.client(), found: found.clone() };
    let (of_map, of_node) = (Log::new(), Log::new());
    let maps = Controller::builder("maps", &factory.informer::<ConfigMap>())
        .context(context(&of_map))
        .build()
        .run(stop.clone(), reconcile_map);
    let nodes = Controller::builder("nodes", &factory.informer::<Node>())
        .context(context(&of_node))
        .build()
        .run(stop.clone(), reconcile_node);
    let running = spawn(futures::future::join(maps, nodes));
    of_map.reaches(1).await;
    of_node.reaches(1).await;
    assert_eq!(of_map.take(), [["a", "near"]]);
    assert_eq!(of_node.take(), [["n1", "2"]]);
    stop.cancel();
    let (maps, nodes) = running.await.unwrap();
    maps.unwrap();
    nodes.unwrap();
}
