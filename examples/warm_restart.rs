//! Two restarts of a program: one that lists everything, and one that begins where it ended.
//!
//! `cargo example warm_restart` brings its own API server with 2,000 config maps, and prints the
//! requests, the bytes and the deletes of both starts. It needs no cluster.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body::Frame;
use http_body_util::BodyExt;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::Client;
use kube::client::Body;
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use kube_informer::{Event, SharedInformerFactory};
use kube_informer_warm::WarmCache;

const MAPS: usize = 2_000;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let directory = std::env::temp_dir().join(format!("warm-restart-{}", std::process::id()));
    let starts = compare(&directory).await;
    std::fs::remove_dir_all(&directory)?;
    let [cold, warm] = starts?;
    println!("without kept objects: {cold}\nwith kept objects:    {warm}");
    Ok(())
}

/// The figures of one start, up to the sync.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) requests: usize,
    pub(crate) bytes: u64,
    pub(crate) objects: usize,
    /// The number of deletes that a handler received.
    pub(crate) deletes: u64,
    took: Duration,
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { requests, bytes, objects, deletes, took } = self;
        let (kilobytes, millis) = (bytes / 1_000, took.as_millis());
        write!(
            f,
            "{objects} objects after {millis} ms: {requests} requests, {kilobytes} kB, {deletes} \
             deletes reported"
        )
    }
}

/// Runs a program, changes some objects while it is down, and starts it in both ways.
pub(crate) async fn compare(directory: &Path) -> Result<[Start; 2], BoxError> {
    let server = ApiServer::new();
    server.create(&named::<Namespace>(None, "kube-system")?)?;
    for n in 0..MAPS {
        server.create(&map(n, "first")?)?;
    }
    start(&server, Some(WarmCache::open(directory)?)).await?;
    for n in 0..10 {
        server.delete(&map(n, "first")?)?;
        server.replace(&map(n + 10, "second")?)?;
    }
    let cold = start(&server, None).await?;
    let warm = start(&server, Some(WarmCache::open(directory)?)).await?;
    Ok([cold, warm])
}

/// Starts the program, and ends it when it has synced.
async fn start(server: &ApiServer, cache: Option<WarmCache>) -> Result<Start, BoxError> {
    let (began, before) = (Instant::now(), server.requests().len());
    let (client, bytes) = counting(server);
    let mut builder = SharedInformerFactory::builder(client);
    if let Some(cache) = cache {
        builder = builder.warm(cache);
    }
    let factory = builder.build();
    let maps = factory.informer::<ConfigMap>();
    let deletes = Arc::<AtomicU64>::default();
    let counted = deletes.clone();
    let handler = maps.on_event(move |event| {
        if matches!(event, Event::Deleted { .. }) {
            counted.fetch_add(1, Ordering::Relaxed);
        }
    })?;
    factory.start()?;
    factory.wait_for_sync(Duration::from_secs(30)).await?;
    handler.wait_for_sync().await;
    let start = Start {
        requests: server.requests().len() - before,
        bytes: bytes.load(Ordering::Relaxed),
        objects: maps.snapshot().len(),
        deletes: deletes.load(Ordering::Relaxed),
        took: began.elapsed(),
    };
    factory.shutdown().await;
    Ok(start)
}

/// Returns a client of the server, and the number of bytes that it has received.
fn counting(server: &ApiServer) -> (Client, Arc<AtomicU64>) {
    let received = Arc::<AtomicU64>::default();
    let (client, counted) = (server.client(), received.clone());
    let service = tower::service_fn(move |request: http::Request<Body>| {
        let (client, counted) = (client.clone(), counted.clone());
        async move {
            let count = move |frame: Frame<Bytes>| {
                let bytes = frame.data_ref().map_or(0, Bytes::len);
                counted.fetch_add(bytes as u64, Ordering::Relaxed);
                frame
            };
            client.send(request).await.map(|answer| answer.map(|body| body.map_frame(count)))
        }
    });
    (Client::new(service, "default"), received)
}

fn map(n: usize, value: &str) -> Result<ConfigMap, BoxError> {
    let mut map = named::<ConfigMap>(Some("shop"), &format!("settings-{n}"))?;
    let line = |line| (format!("key-{line}"), format!("the {value} value of setting {line}"));
    map.data = Some((0..12).map(line).collect());
    Ok(map)
}

fn named<K: serde::de::DeserializeOwned>(
    namespace: Option<&str>,
    name: &str,
) -> Result<K, BoxError> {
    let metadata = serde_json::json!({"namespace": namespace, "name": name});
    Ok(serde_json::from_value(serde_json::json!({ "metadata": metadata }))?)
}
