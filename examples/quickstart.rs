//! An informer at work, without a cluster: `cargo quickstart`.
//!
//! Starts an API server in this process, with a few hundred pods and live churn, and does what a
//! controller does: syncs, looks things up, hears of changes. Ends by itself.
//!
//! `cargo quickstart --cluster` does the same with the cluster of the present
//! kubeconfig, and runs until Ctrl-C or SIGTERM.

#[path = "support/interrupted.rs"]
mod interrupted;

use std::error::Error;
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{Pod, PodSpec, PodStatus};
use kube::ResourceExt;
use kube::api::ObjectMeta;
use kube_informer::reflector::ReflectorState;
use kube_informer::testing::ApiServer;
use kube_informer::testing::api_server::DirectWriteError;
use kube_informer::{Event, Index, LabelSelector, SharedInformer, SharedInformerFactory};

const PODS: usize = 400;
const NAMESPACES: [&str; 4] = ["shop", "bank", "mail", "batch"];
const APPS: [&str; 3] = ["web", "db", "cache"];
const NODES: usize = 8;
/// The number of events that are shown one by one.
const SHOWN: usize = 12;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let cluster = std::env::args().any(|arg| arg == "--cluster");
    // Without a watch cache the first list comes in pages, so that there is progress to see.
    let server = (!cluster).then(|| ApiServer::builder().watch_cache(false).build());
    let client = match &server {
        None => kube::Client::try_default().await?,
        Some(server) => {
            populate(server)?;
            faraway_client(server.clone())
        }
    };

    let factory = SharedInformerFactory::builder(client).page_size(25).build();
    let pods = factory.informer::<Pod>();
    let by_node = pods.add_index("node", |pod: &Pod| pod.spec.as_ref()?.node_name.clone())?;
    let counts = Arc::new(Counts::default());
    let counting = counts.clone();
    pods.on_event(move |event| counting.count(&event))?;
    let events = pods.events()?;

    factory.start()?;
    show_progress(&pods).await;
    factory.wait_for_sync(Duration::from_secs(60)).await?;
    show_queries(&pods, &by_node)?;

    if cluster {
        println!("\nWhat happens now:");
    } else {
        println!("\nWhat happens now, the first {SHOWN} changes:");
    }
    let churn = server.clone().map(|server| tokio::spawn(churn(server)));
    let mut live = events.skip_while(|event| {
        std::future::ready(matches!(event, Event::Added { initial: true, .. }))
    });
    let watching = async {
        let mut shown = 0;
        while cluster || shown < SHOWN {
            let Some(event) = live.next().await else { break };
            show_event(&event);
            shown += 1;
        }
    };
    tokio::select! {
        () = watching => {}
        _ = interrupted::interrupted() => {}
        () = tokio::time::sleep(Duration::from_secs(20)), if !cluster => {}
    }
    drop(live);
    if let Some(churn) = churn {
        churn.await??;
        settle(&pods, server.as_ref()).await;
    }
    summary(&pods, &counts);
    factory.shutdown().await;
    Ok(())
}

/// A pod of the demonstration.
fn pod(n: usize) -> Pod {
    let app = APPS[n % APPS.len()];
    Pod {
        metadata: ObjectMeta {
            name: Some(format!("{app}-{n}")),
            namespace: Some(NAMESPACES[n % NAMESPACES.len()].into()),
            labels: Some([("app".into(), app.into())].into()),
            ..ObjectMeta::default()
        },
        spec: Some(PodSpec {
            node_name: Some(format!("node-{}", n % NODES)),
            ..PodSpec::default()
        }),
        status: Some(PodStatus { phase: Some("Running".into()), ..PodStatus::default() }),
    }
}

fn populate(server: &ApiServer) -> Result<(), DirectWriteError> {
    for n in 0..PODS {
        server.create(&pod(n))?;
    }
    Ok(())
}

/// A client for which every answer takes its time, as over a network: else there would be no
/// progress to see.
fn faraway_client(server: ApiServer) -> kube::Client {
    let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
        let server = server.clone();
        async move {
            tokio::time::sleep(Duration::from_millis(60)).await;
            Ok::<_, std::convert::Infallible>(server.handle(request).await)
        }
    });
    kube::Client::new(service, "default")
}

/// Creates, changes and deletes pods for a while.
async fn churn(server: ApiServer) -> Result<(), DirectWriteError> {
    for n in 0..8 {
        tokio::time::sleep(Duration::from_millis(120)).await;
        let mut new = server.create(&pod(PODS + n))?;
        tokio::time::sleep(Duration::from_millis(120)).await;
        new.status = Some(PodStatus { phase: Some("Succeeded".into()), ..PodStatus::default() });
        server.replace(&new)?;
        tokio::time::sleep(Duration::from_millis(120)).await;
        server.delete(&pod(n))?;
    }
    Ok(())
}

async fn show_progress(pods: &SharedInformer<Pod>) {
    let terminal = std::io::stdout().is_terminal();
    while !pods.has_synced() {
        let status = pods.status().reflector;
        if let ReflectorState::Listing { loaded, total, .. } = status.state {
            let filled = total.map_or(0, |total| 40 * loaded / total.max(1)).min(40);
            let filled = usize::try_from(filled).unwrap_or(40);
            let total = total.map_or("?".to_owned(), |total| total.to_string());
            let bar = format!("{}{}", "█".repeat(filled), "░".repeat(40 - filled));
            if terminal {
                print!("\rSyncing {bar} {loaded}/{total} pods ");
                let _ = std::io::stdout().flush();
            } else {
                println!("Syncing {bar} {loaded}/{total} pods");
            }
        }
        if let Some((error, _)) = status.last_error {
            println!("\n{error}");
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    println!("{}Synced: {} pods", if terminal { "\r\x1b[K" } else { "" }, pods.status().objects);
}

fn show_queries(pods: &SharedInformer<Pod>, by_node: &Index<Pod>) -> Result<(), Box<dyn Error>> {
    println!("\nAnswered from memory:");
    let lister = pods.lister();
    let snapshot = lister.snapshot();
    if let Some((key, _)) = snapshot.iter().next() {
        let found = lister.get_by_key(key)?;
        println!("  by key        {key} runs on {}", node(&found));
    }
    for namespace in snapshot.namespaces().iter().take(4) {
        let count = lister.namespace(namespace.clone()).len();
        println!("  by namespace  {namespace}: {count} pods");
    }
    for node in by_node.values().iter().take(3) {
        println!("  by index      {node}: {} pods", by_node.get(node).len());
    }
    let selector: LabelSelector = "app in (web, db)".parse()?;
    println!("  by label      {selector}: {} pods", lister.list(&selector).len());
    Ok(())
}

fn node(pod: &Pod) -> &str {
    pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref()).unwrap_or("no node")
}

fn show_event(event: &Event<Pod>) {
    let pod = event.object();
    let name = format!("{}/{}", pod.namespace().unwrap_or_default(), pod.name_any());
    let phase = |pod: &Pod| pod.status.as_ref().and_then(|s| s.phase.clone()).unwrap_or_default();
    match event {
        Event::Added { .. } => println!("  + {name} on {}", node(pod)),
        Event::Updated { old, new } => println!("  ~ {name}: {} → {}", phase(old), phase(new)),
        Event::Deleted { .. } | Event::MovedAway { .. } => println!("  - {name}"),
    }
}

/// Waits until the store has what the server has.
async fn settle(pods: &SharedInformer<Pod>, server: Option<&ApiServer>) {
    let Some(server) = server else { return };
    let reached = async {
        while pods.snapshot().version().is_none_or(|v| v.is_older_than(&server.revision().into())) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let _ = tokio::time::timeout(Duration::from_secs(5), reached).await;
}

#[derive(Default)]
struct Counts {
    added: AtomicU64,
    updated: AtomicU64,
    deleted: AtomicU64,
}

impl Counts {
    fn count(&self, event: &Event<Pod>) {
        let counter = match event {
            Event::Added { .. } => &self.added,
            Event::Updated { .. } => &self.updated,
            Event::Deleted { .. } | Event::MovedAway { .. } => &self.deleted,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

fn summary(pods: &SharedInformer<Pod>, counts: &Counts) {
    let status = pods.status();
    let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    println!(
        "\nIn the end: {} pods at version {}",
        status.objects,
        status.version.map_or("?".into(), |v| v.to_string())
    );
    println!(
        "  told: {} added, {} updated, {} deleted",
        of(&counts.added),
        of(&counts.updated),
        of(&counts.deleted)
    );
    println!(
        "  relists: {}, errors: {}",
        status.reflector.relists.total(),
        status.reflector.errors
    );
}
