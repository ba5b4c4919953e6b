//! A program with kept caches that is restarted amid the life of a cluster: a real API server with
//! its controllers and scheduler, pretended nodes and users, as for the informer's living cluster.
//! The program is killed and ended in order in turn, and the API server is killed, too. At each
//! start its stores and its ledger become what the server has, and no audit differs.
//!
//! It runs where all four programs are, which `.ci/scheduled restarts` builds. It lasts a minute,
//! or as many as `LIVING_MINUTES` says. `LIVING_REPORT` names a file for its report.

#[path = "../../../../../tests/cluster/living/followers.rs"]
#[expect(dead_code, reason = "the informer's living cluster uses the rest")]
mod followers;
#[path = "../../../../../tests/cluster/living/nodes.rs"]
#[expect(dead_code, reason = "the informer's living cluster uses the rest")]
mod nodes;
mod program;
#[path = "../../../../../tests/cluster/living/programs.rs"]
#[expect(dead_code, reason = "the informer's living cluster uses the rest")]
mod programs;
#[path = "../../../../../tests/cluster/living/work.rs"]
mod work;

use std::fmt::Write;
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fastrand::Rng;
use futures::FutureExt;
use kube::Client;
use kube_embedded_apiserver::ControlPlane;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use self::nodes::Nodes;
use self::program::{ORDERS, Orders, Started};
pub(crate) use self::program::{orders, run};
use self::programs::Controllers;
use self::work::Work;
use super::harness::{Outcome, Trial};

pub(crate) const TRIALS: &[(&str, Trial)] =
    &[("restarts::kept_caches_agree_with_a_living_cluster", || world().boxed_local())];

/// The number of nodes.
const NODES: usize = 40;

/// The time in which a program has to come back, also on a machine with much else to do.
const LIMIT: Duration = Duration::from_secs(200);

/// The shares of the whole time after which the API server is killed.
const KILLS: [f64; 2] = [0.3, 0.7];

/// The flags of the API server beside envtest's.
const FLAGS: [(&str, &str); 4] = [
    ("feature-gates", "ShardedListAndWatch=true"),
    ("default-not-ready-toleration-seconds", "5"),
    ("default-unreachable-toleration-seconds", "5"),
    ("max-requests-inflight", "1000"),
];

/// Returns the time for which the cluster lives.
fn length() -> Duration {
    let minutes = std::env::var("LIVING_MINUTES").ok();
    let minutes = minutes.map_or(1.0, |minutes| minutes.parse().expect("a number of minutes"));
    Duration::from_secs_f64(60.0 * minutes)
}

/// Returns the longest time that the test may take, with its beginning and its rest.
pub(crate) fn limit() -> Duration {
    length() + Duration::from_secs(900)
}

/// The end of a process.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    /// Killed when it was compared with the server.
    Killed,
    /// Killed at any moment of its start.
    KilledEarly,
    Stopped,
}

/// One process, and its answers.
struct Process {
    child: Child,
    lines: mpsc::UnboundedReceiver<String>,
}

impl Process {
    fn start(folder: &Path, border: u64) -> Self {
        let orders = Orders { folder: folder.to_owned(), border };
        let orders = serde_json::to_string(&orders).expect("they are serialised");
        let mut log = std::fs::OpenOptions::new();
        let log = log.create(true).append(true).open(folder.join("log"));
        let log = log.expect("it can be written");
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        let command = command.env(ORDERS, orders).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(log).spawn().expect("the program starts");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let (told, lines) = mpsc::unbounded_channel();
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| told.send(line))
        });
        Self { child, lines }
    }

    /// Returns the next answer.
    async fn answer<T: serde::de::DeserializeOwned>(&mut self) -> T {
        let line = timeout(LIMIT, self.lines.recv()).await.expect("it answers in time");
        serde_json::from_str(&line.expect("it has not ended")).expect("it is an answer")
    }

    /// Ends it in order. Returns the problems that it saw since it was compared.
    async fn stop(mut self) -> Vec<String> {
        let input = self.child.stdin.as_mut().expect("it is piped");
        input.write_all(b"stop\n").expect("it listens");
        let problems = self.answer().await;
        assert!(self.child.wait().expect("it has ended").success());
        problems
    }
}

/// Kills it.
impl Drop for Process {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

/// A folder that is removed when it is dropped, unless something panicked.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let name = format!("restarts-{:08x}", fastrand::u32(..));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(path.join("ledger")).expect("it can be made");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _left = std::fs::remove_dir_all(&self.0);
        }
    }
}

/// The starts so far.
#[derive(Default)]
struct Starts {
    /// Each with the end of the process before.
    compared: Vec<(Option<End>, Started)>,
    /// The starts that were killed before they were compared.
    early: usize,
    problems: Vec<String>,
    server_kills: Vec<String>,
}

impl Starts {
    fn add(&mut self, before: Option<End>, mut started: Started) {
        let number = self.compared.len() + self.early;
        println!("start {number} after {before:?}: {started:?}");
        let problems = started.problems.drain(..);
        self.problems.extend(problems.map(|problem| format!("start {number}: {problem}")));
        self.compared.push((before, started));
    }

    fn markdown(&self, lived: Duration) -> String {
        let mut text = format!("# A program restarted in a living cluster of {lived:.0?}\n\n");
        let starts = self.compared.len() + self.early;
        let _ = writeln!(text, "{starts} starts, of which {} were killed early.\n", self.early);
        let _ = writeln!(
            text,
            "| after | starts | seconds until synced | kept objects found | requests | lists | KiB | objects compared | audits passed | not judged | late deletes | left over |\n|---|---|---|---|---|---|---|---|---|---|---|---|"
        );
        for before in [None, Some(End::Stopped), Some(End::Killed), Some(End::KilledEarly)] {
            let of = self.compared.iter().filter(|(end, _)| *end == before);
            let of: Vec<_> = of.map(|(_, started)| started).collect();
            let sum = |figure: &dyn Fn(&Started) -> usize| of.iter().map(|s| figure(s)).sum();
            let mean = |figure: &dyn Fn(&Started) -> usize| {
                let sum: usize = sum(figure);
                sum / of.len().max(1)
            };
            let all = |figure: &dyn Fn(&Started) -> usize| -> usize { sum(figure) };
            let name = before.map_or("nothing kept".to_owned(), |end| format!("{end:?}"));
            let milliseconds =
                mean(&|s| usize::try_from(s.synced.as_millis()).unwrap_or(usize::MAX));
            let _ = writeln!(
                text,
                "| {name} | {} | {}.{:03} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                of.len(),
                milliseconds / 1_000,
                milliseconds % 1_000,
                mean(&|s| s.kept),
                mean(&|s| s.requests),
                mean(&|s| s.lists),
                mean(&|s| s.bytes / 1_024),
                all(&|s| s.compared),
                all(&|s| s.audits[0]),
                all(&|s| s.audits[1]),
                all(&|s| s.late_deletes),
                all(&|s| s.left_over.len()),
            );
        }
        let _ = writeln!(text, "\nMeans of a start, up to the objects compared; sums after.\n");
        for kill in &self.server_kills {
            let _ = writeln!(text, "- {kill}");
        }
        text
    }
}

async fn world() -> Outcome {
    let controllers = Controllers::find()?;
    let builder = ControlPlane::builder().start_timeout(LIMIT);
    let builder =
        FLAGS.iter().fold(builder, |builder, (name, value)| builder.apiserver_flag(*name, *value));
    let mut plane = builder.start().await.expect("a control plane");
    let client = Client::try_from(plane.config().await.expect("a configuration"));
    let client = client.expect("a client");
    let nodes = Nodes::register(client.clone(), NODES).await;
    let work = Work::begin(client.clone()).await;
    let programs = controllers.start(&plane).expect("controllers and scheduler start");
    let mut living = JoinSet::new();
    living.spawn(nodes.clone().beat());
    living.spawn(nodes.run_pods());
    let users = living.spawn(work.go_on());
    let folder = Folder::new();
    std::fs::write(folder.0.join("kubeconfig"), plane.kubeconfig()).expect("it can be written");

    let (mut starts, mut rng) = (Starts::default(), Rng::with_seed(50));
    let (begun, length) = (Instant::now(), length());
    let period = (length / 4).min(Duration::from_secs(60));
    let (mut before, mut kills) = (None, KILLS.iter().peekable());
    while begun.elapsed() < length {
        let started = Instant::now();
        let next = started + period;
        let number = starts.compared.len() + starts.early;
        let border = u64::MAX / 4 * [2, 3, 3, 1][number / 2 % 4];
        let mut process = Process::start(&folder.0, border);
        if kills.next_if(|share| begun.elapsed() >= length.mul_f64(**share)).is_some() {
            sleep(Duration::from_millis(rng.u64(..2_000))).await;
            let (at, killed) = (begun.elapsed(), Instant::now());
            let restarted = plane.restart_apiserver(Duration::from_secs(2)).await;
            restarted.expect("it comes back");
            let kill = format!("{at:.0?}: the API server was away for {:.1?}", killed.elapsed());
            starts.server_kills.push(kill);
        }
        let end = [End::Killed, End::Stopped, End::KilledEarly, End::Stopped][number % 4];
        if end == End::KilledEarly && before.is_some() {
            starts.early += 1;
            sleep(Duration::from_millis(rng.u64(..8_000))).await;
        } else {
            starts.add(before, process.answer().await);
            let stays = period.mul_f64(1.0 - rng.f64() / 4.0);
            sleep(stays.saturating_sub(started.elapsed())).await;
        }
        if end == End::Stopped {
            let problems = process.stop().await;
            starts.problems.extend(problems.into_iter().map(|p| format!("at an end: {p}")));
        } else {
            drop(process);
        }
        before = Some(end);
        sleep(next.saturating_duration_since(Instant::now())).await;
    }
    let lived = begun.elapsed();

    // The controllers finish what users began. After that, nothing is written.
    users.abort();
    sleep(Duration::from_secs(10)).await;
    drop(programs);
    living.shutdown().await;
    for _ in 0..2 {
        let mut process = Process::start(&folder.0, u64::MAX / 4);
        let started = process.answer().await;
        starts.add(before, started);
        starts.problems.extend(process.stop().await);
        before = Some(End::Stopped);
    }
    let markdown = starts.markdown(lived);
    println!("{markdown}");
    if let Ok(path) = std::env::var("LIVING_REPORT") {
        std::fs::write(path, markdown).expect("the report can be written");
    }
    let problems = &starts.problems;
    assert!(problems.is_empty(), "{} problems: {problems:#?}", problems.len());
    // After an orderly end, each deletion was told, and acted on.
    let left = starts.compared.iter().filter(|(end, _)| *end == Some(End::Stopped));
    let left: Vec<_> = left.flat_map(|(_, started)| &started.left_over).collect();
    assert!(left.is_empty(), "{left:?}");
    Ok(())
}
