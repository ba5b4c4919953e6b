//! Pods of a few namespaces as one group, for a program that may not read the whole cluster.
//!
//! `cargo example multi_namespace` brings its own API server, on which one of three
//! namespaces may not be read at first, and ends by itself. `-- --cluster shop bank` follows these
//! namespaces in the cluster of the present kubeconfig until Ctrl-C. Each namespace has a list, a
//! watch and permissions of its own: a Role with get, list and watch on pods in each is enough.

mod support;

use std::collections::BTreeSet;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::api::ObjectMeta;
use kube::{Client, ResourceExt};
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use kube_informer::{Event, InformerGroup, ObjectKey, SharedInformerFactory};
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let named = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let mut namespaces: Vec<_> = named.collect();
    if namespaces.is_empty() {
        namespaces = ["shop", "bank", "mail"].map(str::to_owned).into();
    }
    let say = |line| println!("{line}");
    support::main(|client, stop| run(client, namespaces, stop, say), life).await
}

/// Follows the pods of these namespaces until `stop`; `say` is given each line.
pub(crate) async fn run(
    client: Client,
    namespaces: Vec<String>,
    stop: CancellationToken,
    mut say: impl FnMut(String),
) -> Result<(), BoxError> {
    // Errors are told below, each once.
    let factory = SharedInformerFactory::builder(client).name("pods").on_error(|_| {}).build();
    let pods = factory.in_namespaces::<Pod>(namespaces);
    let by_app = pods.add_index("app", |pod: &Pod| pod.labels().get("app").cloned())?;
    let mut events = pods.events()?;
    factory.start()?;

    let mut told = BTreeSet::new();
    let mut every = tokio::time::interval(Duration::from_secs(1));
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            _ = every.tick() => {
                for line in news(&pods) {
                    if told.insert(line.clone()) {
                        say(line);
                        let apps = by_app.values();
                        let apps = apps.iter().map(|app| format!("{app} {}", by_app.len(app)));
                        let apps: Vec<_> = apps.collect();
                        say(format!("= {} pods; by app: {}", pods.len(), apps.join(", ")));
                    }
                }
            }
            event = events.next() => match event {
                // Initial adds are counted, not printed.
                Some(Event::Added { initial: true, .. }) => {}
                Some(event) => say(line(&event)?),
                None => break,
            },
        }
    }
    factory.shutdown().await;
    Ok(())
}

/// Of each namespace, whether it has synced, or why not. One does not wait for another.
fn news(pods: &InformerGroup<Pod>) -> Vec<String> {
    let of = |status: kube_informer::InformerStatus| {
        let namespace = status.collection.namespace?;
        if status.synced {
            return Some(format!("{namespace} has synced"));
        }
        let (error, _) = status.reflector.last_error?;
        Some(format!("{namespace} has not: {error}"))
    };
    pods.status().into_iter().filter_map(of).collect()
}

fn line(event: &Event<Pod>) -> Result<String, BoxError> {
    let key = ObjectKey::of(&**event.object())?;
    Ok(match event {
        Event::Added { .. } => format!("+ {key}"),
        Event::Updated { .. } => format!("~ {key}"),
        Event::Deleted { .. } | Event::MovedAway { .. } => format!("- {key}"),
    })
}

/// A little life on the embedded server, which first forbids the namespace `mail`.
async fn life(server: ApiServer) -> Result<(), BoxError> {
    server.intercept(|request| request.target.contains("/namespaces/mail/").then(forbidden));
    for (namespace, app) in [("shop", "web"), ("shop", "db"), ("bank", "web"), ("mail", "web")] {
        server.create(&pod(namespace, app))?;
    }
    // Of no concern to this program, which does not even hear of it.
    server.create(&pod("kube-system", "dns"))?;
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    server.stop_intercepting();
    server.create(&pod("bank", "db"))?;
    tokio::time::sleep(Duration::from_secs(6)).await;
    server.delete(&pod("mail", "web"))?;
    support::moment().await;
    Ok(())
}

pub(crate) fn pod(namespace: &str, app: &str) -> Pod {
    Pod {
        metadata: ObjectMeta {
            namespace: Some(namespace.into()),
            name: Some(format!("{app}-0")),
            labels: Some([("app".to_owned(), app.to_owned())].into()),
            ..ObjectMeta::default()
        },
        ..Pod::default()
    }
}

/// Returns the answer of a server that forbids a request.
pub(crate) fn forbidden() -> http::Response<bytes::Bytes> {
    let status = r#"{"kind":"Status","apiVersion":"v1","status":"Failure","code":403,
        "reason":"Forbidden","message":"pods is forbidden: you may not list them here"}"#;
    let mut response = http::Response::new(status.into());
    *response.status_mut() = http::StatusCode::FORBIDDEN;
    let json = http::HeaderValue::from_static("application/json");
    response.headers_mut().insert(http::header::CONTENT_TYPE, json);
    response
}
