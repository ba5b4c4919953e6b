//! One replica that holds everything, beside four that hold a quarter each: memory, processor time,
//! bytes, and the load of the server, with and without its help.
//!
//! Each replica and the server is a process of its own. `SHARDING_PODS` sets the number of pods,
//! 40,000 unless set. `cargo bench --bench sharding`.

#![allow(
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::unwrap_used,
    missing_docs,
    reason = "a tool for measuring: it may stop with a message"
)]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::TryStreamExt;
use http_body_util::{BodyExt, BodyStream, StreamBody};
use k8s_openapi::api::core::v1::Pod;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube_informer::object::{ShardKey, ShardSelector};
use kube_informer::testing::ApiServer;
use kube_informer::{InformerSpec, SharedInformerFactory};
use rustix::time::ClockId;
use serde_json::{Value, json};
use tokio::sync::watch;

/// The number of changes that are measured.
const CHANGES: usize = 20_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build().unwrap();
    match arguments[..] {
        ["server", pods, helps] => runtime.block_on(serve(pods.parse().unwrap(), helps == "true")),
        ["replica", kubeconfig, number, of] => {
            runtime.block_on(replicate(kubeconfig, number.parse().unwrap(), of.parse().unwrap()));
        }
        // Cargo passes `--bench`.
        _ => compare(),
    }
}

/// Runs each setting, and prints a table.
fn compare() {
    let pods = std::env::var("SHARDING_PODS").map_or(40_000, |pods| pods.parse().unwrap());
    println!("{pods} pods, {CHANGES} changes; of four replicas the mean, of the server the whole");
    println!(
        "|  | replicas | server helps | MiB | list CPU s | changes CPU s | list MB | changes MB | server list CPU s | server changes CPU s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (replicas, helps) in [(1, true), (4, true), (4, false)] {
        let mut server = Process::start(&["server", &pods.to_string(), &helps.to_string()]);
        let ready = server.read();
        let kubeconfig = ready["kubeconfig"].as_str().unwrap().to_owned();
        let before = ready["cpu"].as_f64().unwrap();
        let mut all: Vec<Process> = Vec::new();
        for number in 0..replicas {
            let arguments = ["replica", &kubeconfig, &number.to_string(), &replicas.to_string()];
            all.push(Process::start(&arguments));
        }
        let listed: Vec<Value> = all.iter_mut().map(Process::read).collect();
        let after_lists = server.ask("usage")["cpu"].as_f64().unwrap();
        let changed = server.ask("change");
        let version = changed["version"].as_u64().unwrap();
        let done: Vec<Value> =
            all.iter_mut().map(|replica| replica.ask(&version.to_string())).collect();
        let after_changes = server.ask("usage")["cpu"].as_f64().unwrap();
        let held: u64 = listed.iter().map(|one| one["objects"].as_u64().unwrap()).sum();
        assert_eq!(held, pods, "every pod is held once");
        let mean = |values: &[Value], field: &str| {
            let sum: f64 = values.iter().map(|one| one[field].as_f64().unwrap()).sum();
            sum / f64::from(replicas)
        };
        println!(
            "|  | {replicas} | {helps} | {:.0} | {:.2} | {:.2} | {:.1} | {:.1} | {:.2} | {:.2} |",
            mean(&listed, "mib"),
            mean(&listed, "cpu"),
            mean(&done, "cpu") - mean(&listed, "cpu"),
            mean(&listed, "mb"),
            mean(&done, "mb") - mean(&listed, "mb"),
            after_lists - before,
            after_changes - after_lists - changed["writes"].as_f64().unwrap(),
        );
    }
}

/// A child process that answers each line with one line of JSON.
struct Process {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Process {
    fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, to, from: BufReader::new(from) }
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        serde_json::from_str(&line).expect("a line of JSON")
    }

    fn ask(&mut self, line: &str) -> Value {
        writeln!(self.to, "{line}").unwrap();
        self.read()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _ended = self.child.wait();
    }
}

fn say(value: &Value) {
    println!("{value}");
    std::io::stdout().flush().unwrap();
}

/// Returns the seconds of processor time that this process has used.
fn cpu() -> f64 {
    support::time_of(ClockId::ProcessCPUTime).as_secs_f64()
}

/// Returns the resident memory of this process in MiB.
fn memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
    line.split_whitespace().next().and_then(|kib| kib.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

/// Returns a realistic pod, as a client creates it.
fn pod(n: usize) -> Pod {
    let mut pod = support::pod(n);
    (pod.metadata.uid, pod.metadata.resource_version) = (None, None);
    pod
}

/// Serves pods, and changes them on request.
async fn serve(pods: usize, helps: bool) {
    let server = ApiServer::builder()
        .sharded_lists(helps)
        .require_namespaces(false)
        .history_limit(10 * CHANGES)
        .build();
    for n in 0..pods {
        server.create(&pod(n)).unwrap();
    }
    let listening = server.listen("127.0.0.1:0").await.unwrap();
    let file = std::env::temp_dir().join(format!("sharding-{}.yaml", std::process::id()));
    std::fs::write(&file, listening.kubeconfig(None)).unwrap();
    say(&json!({ "kubeconfig": file.to_str().unwrap(), "cpu": cpu() }));
    for line in std::io::stdin().lines() {
        let begun = support::time_of(ClockId::ThreadCPUTime);
        if line.unwrap() == "change" {
            for n in 0..CHANGES {
                let mut pod = pod(n * 7_919 % pods);
                pod.metadata.labels.get_or_insert_default().insert("n".into(), n.to_string());
                server.replace(&pod).unwrap();
            }
        }
        // The writes run on this thread, the answers on others.
        let used = support::time_of(ClockId::ThreadCPUTime);
        let writes = used.saturating_sub(begun).as_secs_f64();
        say(&json!({ "cpu": cpu(), "writes": writes, "version": server.revision() }));
    }
    let _gone = std::fs::remove_file(file);
}

/// Holds a part of the pods, and says what that costs.
async fn replicate(kubeconfig: &str, number: u64, of: u64) {
    let kubeconfig = Kubeconfig::read_from(kubeconfig).unwrap();
    let options = KubeConfigOptions::default();
    let config = kube::Config::from_custom_kubeconfig(kubeconfig, &options).await.unwrap();
    let (client, bytes) = counting(kube::Client::try_from(config).unwrap());
    let width = u64::MAX / of;
    let last = if number + 1 == of { u64::MAX } else { (number + 1) * width - 1 };
    let shard = ShardSelector::new(ShardKey::Uid, [number * width..=last]);
    let (_sender, shard) = watch::channel(shard);
    let factory = SharedInformerFactory::builder(client).build();
    let pods = factory.informer_with::<Pod>(InformerSpec::new().shard(shard)).unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(Duration::from_secs(600)).await.unwrap();
    let mb = || bytes.load(Ordering::Relaxed) as f64 / 1e6;
    // The pages of the list's buffers are given back by then.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let objects = pods.snapshot().len();
    say(&json!({ "mib": memory(), "cpu": cpu(), "mb": mb(), "objects": objects }));
    let (asked, mut lines) = tokio::sync::mpsc::channel(1);
    std::thread::spawn(move || {
        for line in std::io::stdin().lines() {
            asked.blocking_send(line.unwrap()).unwrap();
        }
    });
    while let Some(version) = lines.recv().await {
        let version: u64 = version.parse().unwrap();
        while pods.snapshot().version().is_none_or(|known| known.is_older_than(&version.into())) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        say(&json!({ "mib": memory(), "cpu": cpu(), "mb": mb() }));
    }
}

/// Returns a client that counts the bytes of response bodies.
fn counting(client: kube::Client) -> (kube::Client, Arc<AtomicU64>) {
    let bytes = Arc::new(AtomicU64::new(0));
    let count = bytes.clone();
    let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
        let (client, count) = (client.clone(), count.clone());
        async move {
            let response = client.send(request).await?;
            Ok::<_, kube::Error>(response.map(|body| {
                let frames = BodyStream::new(body).inspect_ok(move |frame| {
                    let len = frame.data_ref().map_or(0, bytes::Bytes::len);
                    count.fetch_add(len as u64, Ordering::Relaxed);
                });
                StreamBody::new(frames).boxed_unsync()
            }))
        }
    });
    (kube::Client::new(service, "default"), bytes)
}
