//! One informer, from its start to its last update, and what the process used on the way.
//!
//! Wall time ends where the client says that it has synced. Processor time of what follows ends
//! where the process has nothing left to do, so that work put off is counted, too.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::future::BoxFuture;
use http_body_util::BodyExt;

use crate::measure::{self, Lines, Options, order, revision};
use crate::{kube_runtime, ours};

/// The longest time of any step, after which the measurement is given up.
const LIMIT: Duration = Duration::from_secs(600);

/// The number of objects that are looked at each second, and of seconds.
const SCANNED: usize = 20_000;
const SCANS: usize = 20;

/// The newest version each handler was told.
pub(crate) type Seen = Arc<AtomicU64>;

/// A client with one informer of pods.
pub(crate) trait Peer: Send {
    /// Starts, and returns when it has synced.
    fn sync(&mut self) -> BoxFuture<'_, ()>;
    /// The number of objects in the store.
    fn len(&self) -> usize;
    /// The version of the last list, or a newer one; 0 as long as it is not known.
    fn listed(&self) -> u64;
    /// Adds a handler that does nothing but note the version. Returns when it was told all there
    /// is.
    fn add_handler(&mut self, seen: Seen) -> BoxFuture<'_, ()>;
    /// Events told to handlers so far, and events merged into others.
    fn told(&self) -> (u64, u64);
    /// Reads one object in so many, up to a number of them. Returns how many.
    fn read(&self, _one_in: usize, _most: usize) -> usize {
        0
    }
}

/// Notes the version of an object.
pub(crate) fn note(seen: &Seen, version: Option<&String>) {
    let version = version.and_then(|version| version.parse().ok()).unwrap_or(0);
    seen.fetch_max(version, Ordering::Relaxed);
}

pub(crate) fn run(options: &Options) {
    let client = options.text("client").to_owned();
    let (storage, media) = (options.text("storage"), options.text("media"));
    let streaming = options.get("list") != Some("plain");
    let gzip = options.get("gzip").is_some();
    let mut way = media.to_owned();
    for (named, name) in [(!streaming, ", plain list"), (gzip, ", gzip")] {
        way += if named { name } else { "" };
    }
    let lines = Lines::new(&client, storage, &way, options);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let received = Arc::new(AtomicU64::new(0));
        let kube = counting(connect(options.text("kubeconfig")).await, received.clone());
        let mut peer: Box<dyn Peer> = match &*client {
            "kube-informer" => ours::peer(kube, storage, media, streaming, gzip),
            "kube-runtime" => kube_runtime::peer(kube, storage, streaming),
            other => panic!("--client {other}"),
        };
        session(&mut *peer, options, &lines, &received).await;
    });
    // Whatever still runs ends with the process.
    runtime.shutdown_background();
}

async fn connect(kubeconfig: &str) -> kube::Client {
    let kubeconfig = kube::config::Kubeconfig::read_from(kubeconfig).expect("--kubeconfig");
    let options = kube::config::KubeConfigOptions::default();
    let mut config = kube::Config::from_custom_kubeconfig(kubeconfig, &options).await.unwrap();
    config.default_retry = false;
    config.try_into().expect("a client")
}

/// Returns a client that counts the bytes of all answers, as they come over the wire.
fn counting(client: kube::Client, received: Arc<AtomicU64>) -> kube::Client {
    let service = tower::service_fn(move |request| {
        let (client, received) = (client.clone(), received.clone());
        async move {
            let count = move |bytes: Bytes| {
                received.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                bytes
            };
            let answer = client.send(request).await?;
            Ok::<_, kube::Error>(
                answer.map(|body| body.map_frame(move |frame| frame.map_data(count.clone()))),
            )
        }
    });
    kube::Client::new(service, "default")
}

async fn session(peer: &mut dyn Peer, options: &Options, lines: &Lines, received: &AtomicU64) {
    let admin = options.get("admin");
    let served = server_cpu(admin).await;
    measure::reset_peak();
    let (start, before) = (Instant::now(), measure::cpu());
    tokio::time::timeout(LIMIT, peer.sync()).await.expect("sync");
    let (wall, synced) = (start.elapsed().as_secs_f64(), measure::cpu());
    settle().await;
    let n = peer.len();
    lines.print("sync wall", n, wall, "s");
    lines.print("sync cpu", n, synced - before, "s");
    lines.print("sync cpu until idle", n, measure::cpu() - before, "s");
    let settled = measure::rss();
    lines.print("rss settled", n, settled, "B");
    lines.print("rss peak", n, measure::peak(), "B");
    lines.print("sync bytes", n, received.load(Ordering::Relaxed) as f64, "B");
    let Some(admin) = admin else { return };
    let usage = ordered(admin, "/bench/usage".into()).await;
    lines.print("server cpu", n, usage["cpu"].as_f64().unwrap_or(0.0) - served, "s");
    lines.print("server rss peak", n, usage["peak"].as_f64().unwrap_or(0.0), "B");
    lines.print("server rss", n, usage["rss"].as_f64().unwrap_or(0.0), "B");
    if options.get("relist").is_some() {
        relist(peer, admin, lines, settled).await;
    }
    if options.get("reading").is_some() {
        reading(peer, lines).await;
    }
    if options.get("warming").is_some() {
        assert_eq!(peer.read(1, n), n, "a peer that reads");
        lines.print("rss, all read", n, measure::rss(), "B");
    }
    let mut handlers: Vec<Seen> = Vec::new();
    for wanted in options.numbers("handlers") {
        while handlers.len() < wanted {
            let seen = Seen::default();
            tokio::time::timeout(LIMIT, peer.add_handler(seen.clone())).await.expect("a handler");
            handlers.push(seen);
        }
        for changes in options.numbers("churn") {
            churn(peer, admin, lines, changes, &handlers).await;
        }
    }
}

/// Returns the processor time of the server so far, and begins its peak again.
async fn server_cpu(admin: Option<&str>) -> f64 {
    let Some(admin) = admin else { return 0.0 };
    ordered(admin, "/bench/usage".into()).await["cpu"].as_f64().unwrap_or(0.0)
}

async fn relist(peer: &dyn Peer, admin: &str, lines: &Lines, settled: f64) {
    measure::reset_peak();
    let (start, before) = (Instant::now(), measure::cpu());
    let target = revision(&ordered(admin, "/bench/relist".into()).await);
    until("the relist", || peer.listed() >= target).await;
    let wall = start.elapsed().as_secs_f64();
    settle().await;
    let n = peer.len();
    lines.print("relist wall", n, wall, "s");
    lines.print("relist cpu", n, measure::cpu() - before, "s");
    lines.print("relist rss growth", n, measure::rss() - settled, "B");
    lines.print("relist rss peak", n, measure::peak(), "B");
}

/// A program that reads one object in a hundred, then one that looks at many each second.
async fn reading(peer: &dyn Peer, lines: &Lines) {
    let n = peer.len();
    assert_eq!(peer.read(100, n), n / 100, "a peer that reads");
    lines.print("rss, 1 % read", n, measure::rss(), "B");
    let scan = || {
        let before = measure::fine_cpu();
        let scanned = peer.read(1, SCANNED);
        (scanned as f64, measure::fine_cpu() - before)
    };
    let (scanned, taken) = scan();
    lines.print("first scan cpu an object", SCANNED, taken / scanned, "s");
    let (mut scanned, before) = (0.0, measure::fine_cpu());
    for _ in 0..SCANS {
        tokio::time::sleep(Duration::from_secs(1)).await;
        scanned += scan().0;
    }
    let each = (measure::fine_cpu() - before) / scanned;
    lines.print("scan cpu an object", SCANNED, each, "s");
    lines.print("rss, scanned", n, measure::rss(), "B");
}

async fn churn(peer: &dyn Peer, admin: &str, lines: &Lines, changes: usize, handlers: &[Seen]) {
    settle().await;
    measure::reset_peak();
    let ((told, merged), before, start) = (peer.told(), measure::cpu(), Instant::now());
    let target = revision(&ordered(admin, format!("/bench/churn?n={changes}")).await);
    let written = start.elapsed();
    until("the last update", || handlers.iter().all(|seen| seen.load(Ordering::Relaxed) >= target))
        .await;
    let wall = start.elapsed();
    settle().await;
    let cpu = measure::cpu() - before;
    let of = |what: &str| format!("{what}, {} handlers", handlers.len());
    lines.print(&of("updates cpu"), changes, cpu, "s");
    lines.print(&of("updates wall"), changes, wall.as_secs_f64(), "s");
    // The time from the server's last write until the peer has seen it.
    lines.print(&of("updates behind"), changes, wall.saturating_sub(written).as_secs_f64(), "s");
    let (told_after, merged_after) = peer.told();
    lines.print(&of("updates told"), changes, (told_after - told) as f64, "events");
    lines.print(&of("updates merged"), changes, (merged_after - merged) as f64, "events");
    lines.print(&of("updates rss"), changes, measure::rss(), "B");
    lines.print(&of("updates rss peak"), changes, measure::peak(), "B");
}

async fn ordered(admin: &str, path: String) -> serde_json::Value {
    let admin = admin.to_owned();
    tokio::task::spawn_blocking(move || order(&admin, &path)).await.expect("an order")
}

async fn settle() {
    tokio::task::spawn_blocking(measure::settle).await.expect("rest");
}

async fn until(what: &str, reached: impl Fn() -> bool) {
    let start = Instant::now();
    while !reached() {
        assert!(start.elapsed() < LIMIT, "{what} did not come");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
