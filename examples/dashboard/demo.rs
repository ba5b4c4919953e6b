//! Something to look at: a small shop on the embedded API server, with tides, incidents and one
//! handler that can't keep up.

use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod, PodStatus, Secret};
use kube::api::ObjectMeta;
use kube::core::PartialObjectMeta;
use kube_controllers::{Action, Controller, ReconcileRequest};
use kube_informer::error::BoxError;
use kube_informer::informer::{InformerStopped, ViewError};
use kube_informer::testing::ApiServer;
use kube_informer::testing::api_server::DirectWriteError;
use kube_informer::{
    HandlerOptions, InformerSpec, ObjectKey, SharedInformer, SharedInformerFactory,
};
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, sleep};

const NAMESPACES: [&str; 3] = ["bank", "mail", "shop"];
const PODS: usize = 400;
const TICK: Duration = Duration::from_millis(100);

/// The informers of the demonstration and their handlers, some of them tasks.
pub(crate) fn shop(factory: &SharedInformerFactory) -> Result<JoinSet<()>, BoxError> {
    let mut tasks = JoinSet::new();
    let pods = factory.informer::<Pod>();
    // These read only metadata, so only the audit decodes whole pods.
    let metadata = pods.view::<PartialObjectMeta<Pod>>()?;
    watch(&metadata, "placement")?;
    work(&mut tasks, &metadata, "mailer", Duration::from_millis(12))?;
    work(&mut tasks, &pods, "audit", Duration::from_millis(1))?;
    watch(&factory.informer::<Deployment>(), "rollout")?;
    let maps = factory.informer_with(InformerSpec::<ConfigMap>::new().namespace("shop"))?;
    watch(&maps, "config")?;
    watch(&factory.informer::<Node>(), "capacity")?;
    // Nothing here reads the data of secrets: it is not kept.
    let secrets = InformerSpec::<Secret>::new().transform(|secret| secret.data = None);
    watch(&factory.informer_with(secrets)?, "replicator")?;
    Ok(tasks)
}

/// A controller of deployments, which also follows the pods by their names.
pub(crate) fn rollout(
    factory: &SharedInformerFactory,
) -> Result<Controller<Deployment>, ViewError> {
    let deployment = |pod: &PartialObjectMeta<Pod>| {
        let number: usize = pod.metadata.name.as_ref()?.strip_prefix("web-")?.parse().ok()?;
        let namespace = pod.metadata.namespace.as_deref()?;
        ObjectKey::namespaced(namespace, &format!("app-{}", number % 12)).ok()
    };
    let rollout = Controller::builder("rollout", &factory.informer::<Deployment>())
        .watches(&factory.informer::<Pod>().view()?, deployment)
        .debounce(TICK)
        .concurrency(2);
    Ok(rollout.build())
}

/// A reconcile that takes its time, and fails for one deployment.
pub(crate) async fn reconcile(request: ReconcileRequest<Deployment>) -> Result<Action, BoxError> {
    sleep(Duration::from_millis(5)).await;
    if request.key.name() == "app-3" && request.object.is_present() {
        return Err("no image of this name".into());
    }
    Ok(Action::done())
}

/// Requests the informers for a cluster: kinds that most accounts may list.
pub(crate) fn cluster(factory: &SharedInformerFactory) -> Result<JoinSet<()>, BoxError> {
    watch(&factory.informer::<Pod>(), "pods")?;
    watch(&factory.informer::<Deployment>(), "deployments")?;
    watch(&factory.informer::<Node>(), "nodes")?;
    Ok(JoinSet::new())
}

/// A handler that is done at once.
fn watch<K>(informer: &SharedInformer<K>, name: &str) -> Result<(), InformerStopped>
where
    K: kube::Resource + Send + Sync + 'static,
{
    struct Nothing;
    impl<K: kube::Resource + Send + Sync + 'static> kube_informer::EventHandler<K> for Nothing {}
    informer.add_handler_with(Nothing, HandlerOptions::new().name(name)).map(drop)
}

/// A handler that takes its time.
fn work<K>(
    tasks: &mut JoinSet<()>,
    informer: &SharedInformer<K>,
    name: &str,
    time: Duration,
) -> Result<(), InformerStopped>
where
    K: kube::Resource + Send + Sync + 'static,
{
    let mut events = informer.events_with(HandlerOptions::new().name(name).backlog(128))?;
    tasks.spawn(async move {
        while events.next().await.is_some() {
            sleep(time).await;
        }
    });
    Ok(())
}

/// Fills the server.
pub(crate) fn populate(server: &ApiServer) -> Result<(), DirectWriteError> {
    for n in 0..PODS {
        server.create(&pod(n))?;
    }
    for n in 0..12 {
        let metadata = named(None, format!("node-{n}"));
        server.create(&Node { metadata, ..Node::default() })?;
        let metadata = named(Some(NAMESPACES[n % 3]), format!("app-{n}"));
        server.create(&Deployment { metadata, ..Deployment::default() })?;
        let metadata = named(Some("shop"), format!("settings-{n}"));
        server.create(&ConfigMap { metadata, ..ConfigMap::default() })?;
        let metadata = named(Some(NAMESPACES[n % 3]), format!("token-{n}"));
        server.create(&Secret { metadata, ..Secret::default() })?;
    }
    Ok(())
}

/// Changes the server's objects for ever, more and less, with an incident now and then.
pub(crate) async fn churn(server: ApiServer) -> Result<(), DirectWriteError> {
    let start = Instant::now();
    let mut ticks = interval(TICK);
    let mut pods: Vec<Pod> = (0..PODS).map(pod).collect();
    let mut next = PODS;
    for tick in 0_u64.. {
        ticks.tick().await;
        let tide = (start.elapsed().as_secs_f64() / 6.0).sin().powi(2);
        let writes = if tide > 0.75 {
            18
        } else if tide > 0.3 {
            6
        } else {
            1
        };
        for _ in 0..writes {
            let at = fastrand::usize(..pods.len());
            match fastrand::u8(..10) {
                0..=1 if pods.len() < 480 => {
                    pods.push(pod(next));
                    server.create(&pod(next))?;
                    next += 1;
                }
                2..=3 if pods.len() > 320 => drop(server.delete(&pods.swap_remove(at))?),
                _ => {
                    let mut changed = pods[at].clone();
                    let message = Some(format!("restarted {next}-{tick}"));
                    changed.status = Some(PodStatus { message, ..PodStatus::default() });
                    server.replace(&changed)?;
                }
            }
        }
        if tick % 25 == 0 {
            let metadata = ObjectMeta {
                labels: Some([("revision".into(), tick.to_string())].into()),
                ..named(Some("shop"), format!("settings-{}", tick / 25 % 12))
            };
            server.replace(&ConfigMap { metadata, ..ConfigMap::default() })?;
        }
        incident(&server, tick);
    }
    Ok(())
}

/// Within five minutes the server once loses its watches and their history, and once forbids nodes
/// for a while. More often would be no incident but a broken server, which informers ask ever less.
fn incident(server: &ApiServer, tick: u64) {
    match tick % 3000 {
        200 => {
            server.drop_connections();
            server.compact();
        }
        800 => {
            server.intercept(|request| {
                let nodes = request.target.starts_with("/api/v1/nodes");
                nodes.then(forbidden)
            });
            server.drop_connections();
        }
        900 => server.stop_intercepting(),
        _ => {}
    }
}

/// Returns the answer of a server that forbids a request.
pub(crate) fn forbidden() -> http::Response<bytes::Bytes> {
    let status = r#"{"kind":"Status","apiVersion":"v1","status":"Failure","code":403,"reason":"Forbidden",
        "message":"nodes is forbidden: User \"viewer\" cannot list resource \"nodes\" at the cluster scope"}"#;
    let mut response = http::Response::new(status.into());
    *response.status_mut() = http::StatusCode::FORBIDDEN;
    let json = http::HeaderValue::from_static("application/json");
    response.headers_mut().insert(http::header::CONTENT_TYPE, json);
    response
}

/// A pod of the shop's.
pub(crate) fn pod(n: usize) -> Pod {
    Pod {
        metadata: named(Some(NAMESPACES[n % NAMESPACES.len()]), format!("web-{n}")),
        ..Pod::default()
    }
}

fn named(namespace: Option<&str>, name: String) -> ObjectMeta {
    ObjectMeta { namespace: namespace.map(Into::into), name: Some(name), ..ObjectMeta::default() }
}
