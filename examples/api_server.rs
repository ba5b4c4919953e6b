//! An API server to point any client at: `cargo example api_server`.
//!
//! Serves pods that come, change and go, on a TCP port, and prints the kubeconfig to use. The
//! objects of every cluster exist, too: namespaces, the service `kubernetes`, roles. Options:
//! `--listen 127.0.0.1:8001`, `--pods 1000`, `--churn 50` (changes a second), `--tls`,
//! `--kubeconfig FILE` (written there instead of printed), `--seconds N` (ends by itself; else
//! Ctrl-C), `--webhooks` (calls webhooks whose configuration has a URL, and does not check their
//! certificates).
//!
//! With `--control-plane` it keeps a real etcd and kube-apiserver running instead, from the
//! binaries that `KUBEBUILDER_ASSETS` names, with nothing in them.

#[path = "support/interrupted.rs"]
mod interrupted;

use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use k8s_openapi::api::core::v1::{Container, ContainerStatus, Namespace, Pod, PodSpec, PodStatus};
use kube::api::{DeleteParams, ObjectMeta, Preconditions, WatchEvent, WatchParams};
use kube::client::Body;
use kube::{Api, Client, Config, ResourceExt};
use kube_embedded_apiserver::{ApiServer, ControlPlane};
use parking_lot::Mutex;

const NAMESPACES: [&str; 4] = ["shop", "bank", "mail", "batch"];
const NODES: usize = 20;

struct Options {
    listen: String,
    pods: usize,
    churn: u32,
    tls: bool,
    webhooks: bool,
    control_plane: bool,
    kubeconfig: Option<String>,
    seconds: Option<u64>,
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut options = Self {
            listen: "127.0.0.1:8001".into(),
            pods: 1000,
            churn: 50,
            tls: false,
            webhooks: false,
            control_plane: false,
            kubeconfig: None,
            seconds: None,
        };
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
            match &*arg {
                "--listen" => options.listen = value()?,
                "--pods" => options.pods = value()?.parse()?,
                "--churn" => options.churn = value()?.parse()?,
                "--tls" => options.tls = true,
                "--webhooks" => options.webhooks = true,
                "--control-plane" => options.control_plane = true,
                "--kubeconfig" => options.kubeconfig = Some(value()?),
                "--seconds" => options.seconds = Some(value()?.parse()?),
                other => return Err(format!("unknown option {other}").into()),
            }
        }
        Ok(options)
    }

    /// Says how to come in.
    fn tell(&self, kubeconfig: &str) -> std::io::Result<()> {
        if let Some(file) = &self.kubeconfig {
            return std::fs::write(file, kubeconfig);
        }
        println!("{kubeconfig}");
        Ok(())
    }

    /// Returns when it is time to end.
    async fn end(&self) {
        let time = async {
            match self.seconds {
                Some(seconds) => tokio::time::sleep(Duration::from_secs(seconds)).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = time => {}
            _ = interrupted::interrupted() => {}
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    if options.control_plane {
        return control_plane(&options).await;
    }
    // Old states go after five minutes, as etcd's do.
    let server = ApiServer::builder()
        .compact_after(Duration::from_secs(300))
        .initial_objects(true)
        .require_namespaces(true)
        .build();
    if options.webhooks {
        let clients = Arc::<Mutex<HashMap<String, Client>>>::default();
        server.webhook("https://", move |review| {
            let clients = clients.clone();
            async move {
                pass_on(&clients, review).await.unwrap_or_else(|error| {
                    let mut failed = Response::new(error.to_string().into());
                    *failed.status_mut() = StatusCode::BAD_GATEWAY;
                    failed
                })
            }
        });
    }
    for name in NAMESPACES.iter().take(options.pods) {
        server.create(&namespace(name))?;
    }
    for n in 0..options.pods {
        server.create(&pod(n))?;
    }
    let listening = if options.tls {
        server.listen_tls(&options.listen).await?
    } else {
        server.listen(&options.listen).await?
    };
    options.tell(&listening.kubeconfig(None))?;
    eprintln!("{} pods on {}; Ctrl-C ends it", options.pods, listening.url());
    tokio::select! {
        () = churn(&server, &options) => {}
        () = nodes(server.client()) => {}
        () = options.end() => {}
    }
    listening.shutdown().await;
    Ok(())
}

/// Sends a review to the address in its URL.
async fn pass_on(
    clients: &Mutex<HashMap<String, Client>>,
    review: Request<Bytes>,
) -> Result<Response<Bytes>, Box<dyn Error>> {
    let (mut parts, body) = review.into_parts();
    let host = parts.uri.authority().ok_or("a webhook's URL has no host")?.to_string();
    let known = clients.lock().get(&host).cloned();
    let client = if let Some(client) = known {
        client
    } else {
        let mut config = Config::new(format!("https://{host}").parse()?);
        config.accept_invalid_certs = true;
        let client = Client::try_from(config)?;
        clients.lock().insert(host, client.clone());
        client
    };
    // As API servers join paths: without empty parts.
    let path: Vec<_> = parts.uri.path().split('/').filter(|part| !part.is_empty()).collect();
    let query = parts.uri.query().unwrap_or_default();
    parts.uri = format!("/{}?{query}", path.join("/")).parse()?;
    let review = Request::from_parts(parts, Body::from(body));
    let (parts, body) = client.send(review).await?.into_parts();
    Ok(Response::from_parts(parts, body.collect().await?.to_bytes()))
}

async fn control_plane(options: &Options) -> Result<(), Box<dyn Error>> {
    let plane = ControlPlane::start().await?;
    options.tell(&plane.kubeconfig())?;
    eprintln!("{}, with etcd at {}; Ctrl-C ends it", plane.url(), plane.etcd_url());
    options.end().await;
    plane.stop().await;
    Ok(())
}

/// Of every ten changes eight are of a status, one is a new pod, one the end of an old one.
async fn churn(server: &ApiServer, options: &Options) {
    if options.churn == 0 {
        return std::future::pending().await;
    }
    let pause = (Duration::from_secs(1) / options.churn).max(Duration::from_nanos(1));
    let mut ticks = tokio::time::interval(pause);
    let (mut first, mut next) = (0, options.pods);
    for tick in 0_u64.. {
        ticks.tick().await;
        // A client may have been there first: then there is nothing left to change.
        match tick % 10 {
            0 => {
                let _ = server.create(&pod(next));
                next += 1;
            }
            5 => {
                let _ = server.delete(&pod(first));
                first += 1;
            }
            _ => {
                let mut pod = pod(first + fastrand::usize(..(next - first).max(1)));
                let restarts = i32::try_from(tick / 10).unwrap_or(i32::MAX);
                pod.status = Some(status(restarts));
                let _ = server.replace(&pod);
            }
        }
    }
}

/// Deletes the pods that are being deleted, as their nodes would, so that no client waits for it in
/// vain.
async fn nodes(client: Client) {
    let pods: Api<Pod> = Api::all(client.clone());
    loop {
        let Ok(events) = pods.watch(&WatchParams::default(), "0").await else { continue };
        let mut events = events.boxed();
        while let Some(Ok(event)) = events.next().await {
            let WatchEvent::Modified(pod) = event else { continue };
            if pod.metadata.deletion_timestamp.is_some() {
                let own: Api<Pod> =
                    Api::namespaced(client.clone(), &pod.namespace().unwrap_or_default());
                // A new pod may have the name by now.
                let uid = Preconditions { uid: pod.uid(), resource_version: None };
                let at_once = DeleteParams::default().grace_period(0).preconditions(uid);
                let _ = own.delete(&pod.name_any(), &at_once).await;
            }
        }
    }
}

fn namespace(name: &str) -> Namespace {
    let metadata = ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() };
    Namespace { metadata, ..Namespace::default() }
}

fn pod(n: usize) -> Pod {
    Pod {
        metadata: ObjectMeta {
            name: Some(format!("web-{n}")),
            namespace: Some(NAMESPACES[n % NAMESPACES.len()].into()),
            labels: Some([("app".into(), "web".into())].into()),
            ..ObjectMeta::default()
        },
        spec: Some(PodSpec {
            containers: vec![Container {
                name: "app".into(),
                image: Some("registry.example.com/app:v1".into()),
                ..Container::default()
            }],
            node_name: Some(format!("node-{}", n % NODES)),
            ..PodSpec::default()
        }),
        status: Some(status(0)),
    }
}

fn status(restart_count: i32) -> PodStatus {
    let container = ContainerStatus {
        name: "app".into(),
        ready: true,
        restart_count,
        ..ContainerStatus::default()
    };
    PodStatus {
        phase: Some("Running".into()),
        container_statuses: Some(vec![container]),
        ..PodStatus::default()
    }
}
