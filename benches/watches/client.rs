//! A client with its informers: start, rest, a lost connection, and answers that nobody reads.

use std::time::{Duration, Instant};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config};
use kube_informer::{InformerSpec, SharedInformerFactory};
use tokio::time::{sleep, timeout};

use crate::http2;
use crate::measure::{self, Options};
use crate::server::{LARGE, Part};

/// The open requests that a real API server allows in a connection.
const STREAMS: usize = 100;

/// Lists whose bodies nobody reads.
const UNREAD: usize = 8;

pub(crate) fn run(options: &Options) {
    let (server, kubeconfig) = Part::start();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(session(options, server, &kubeconfig));
    runtime.shutdown_background();
}

async fn session(options: &Options, mut server: Part, kubeconfig: &str) {
    let name = options.text("client");
    let client = client(name, kubeconfig).await;
    let count = options.number("informers", 1000);

    let start = Instant::now();
    let cpu = measure::cpu();
    let factory = SharedInformerFactory::builder(client.clone()).build();
    let informers: Vec<_> = (0..count)
        .map(|n| InformerSpec::<ConfigMap>::new().namespace(format!("tenant-{n}")))
        .map(|spec| factory.informer_with(spec).expect("an informer"))
        .collect();
    factory.start().expect("informers that start");
    if let Err(error) = factory.wait_for_sync(Duration::from_secs(60)).await {
        eprintln!("{name}: {:.400}", error.to_string());
    }
    let wall = start.elapsed();
    let synced = informers.iter().filter(|informer| informer.has_synced()).count();
    // The last list's watch is open, too.
    sleep(Duration::from_secs(2)).await;
    tokio::task::block_in_place(measure::settle);
    let cpu = measure::cpu() - cpu;
    let resident = measure::rss();
    let files = std::fs::read_dir("/proc/self/fd").expect("open files").count();
    let connections = server.order("connections");

    let (fell, lists, back) = lose_one(&mut server).await;
    let read = read_beside_unread(&client).await;
    println!(
        "| {name} | {synced} of {count} | {:.2} s | {cpu:.2} s | {connections} | {files} | {:.0} MB \
         | {fell} | {lists} | {:.2} s | {read} |",
        wall.as_secs_f64(),
        resident / 1e6,
        back.as_secs_f64(),
    );
}

async fn client(name: &str, kubeconfig: &str) -> Client {
    let kubeconfig = Kubeconfig::from_yaml(kubeconfig).expect("a kubeconfig");
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(kubeconfig, &options).await.expect("a config");
    match name {
        "http1" => Client::try_from(config).expect("a client"),
        "http2" => http2::client(&config, STREAMS, http2::LARGEST_WINDOW),
        "one" => http2::client(&config, tokio::sync::Semaphore::MAX_PERMITS, None),
        other => panic!("--client {other}"),
    }
}

/// Cuts the oldest connection. Returns the watches that came back, the lists that they needed, and
/// the time to the last watch. Questions for the newest version are no lists.
async fn lose_one(server: &mut Part) -> (usize, usize, Duration) {
    let before = server.requests();
    let start = Instant::now();
    server.order("cut");
    let (mut last, mut back) = (before, Duration::ZERO);
    while start.elapsed() < back + Duration::from_secs(5) {
        sleep(Duration::from_millis(20)).await;
        let requests = server.requests();
        if requests.0 != last.0 {
            back = start.elapsed();
        }
        last = requests;
    }
    (last.0 - before.0, last.1 - before.1, back)
}

/// Reads a small object while answers to large lists are open and unread.
async fn read_beside_unread(client: &Client) -> String {
    let mut unread = Vec::new();
    for _ in 0..UNREAD {
        let list = http::Request::get(format!("/api/v1/namespaces/{LARGE}/configmaps"));
        let list = list.body(kube::client::Body::empty()).unwrap();
        match timeout(Duration::from_secs(10), client.send(list)).await {
            Ok(response) => unread.push(response.expect("a list")),
            Err(_) => return format!("list {} gets no answer in 10 s", unread.len() + 1),
        }
    }
    // The server sends as much as it may.
    sleep(Duration::from_secs(2)).await;
    let start = Instant::now();
    let api = Api::<ConfigMap>::namespaced(client.clone(), "none");
    match timeout(Duration::from_secs(10), api.get_opt("small")).await {
        Ok(found) => {
            assert!(found.expect("an answer").is_none());
            format!("{:.1} ms", start.elapsed().as_secs_f64() * 1e3)
        }
        Err(_) => "no answer in 10 s".to_owned(),
    }
}
