//! The example `dashboard`: its page, status and metrics over a socket, and the page in a browser
//! where there is one.

#[allow(dead_code, reason = "a part of it")]
#[path = "../../../../examples/dashboard/demo.rs"]
mod demo;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use k8s_openapi::api::apps::v1::Deployment;
use kube_controllers::manager::serve::Prometheus;
use kube_controllers::manager::{ManagerBuilder, ManagerError};
use kube_controllers::{Action, Controller, Manager, ReconcileRequest, Serve};
use kube_informer::SharedInformerFactory;
use kube_informer::error::BoxError;
use kube_informer::reflector::ReflectorState;
use kube_informer::testing::ApiServer;
use serde_json::Value;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::helpers::spawn;
use crate::http::exchange;

const SOON: Duration = Duration::from_secs(30);

struct Rig {
    server: ApiServer,
    factory: SharedInformerFactory,
    address: SocketAddr,
    tasks: JoinSet<()>,
    stop: CancellationToken,
    running: JoinHandle<Result<(), ManagerError>>,
    _recorder: metrics::LocalRecorderGuard<'static>,
}

/// The dashboard as the example makes it, but for the recorder: the example's is the process's.
async fn rig(embedded: ApiServer) -> Rig {
    rig_with(embedded, |manager, _| manager).await
}

/// The same with more in its manager.
async fn rig_with(
    embedded: ApiServer,
    more: impl FnOnce(ManagerBuilder, &SharedInformerFactory) -> ManagerBuilder,
) -> Rig {
    let prometheus = Prometheus::default();
    // A test's thread is its own, and so is the recorder; it lives as long as the process.
    let recorder = metrics::set_default_local_recorder(Box::leak(Box::new(prometheus.clone())));
    kube_controllers::controller::metrics::describe();
    demo::populate(&embedded).unwrap();
    let factory = SharedInformerFactory::builder(embedded.client())
        .name("dashboard")
        .on_error(|_| {})
        .build();
    let any: SocketAddr = ([127, 0, 0, 1], 0).into();
    let serve = Serve::new()
        .health_address(any)
        .metrics_address(any)
        .metrics_from(move || prometheus.render());
    let tasks = demo::shop(&factory).unwrap();
    let manager = Manager::builder(&factory)
        .controller(demo::rollout(&factory).unwrap(), demo::reconcile)
        .serve(serve);
    let manager = more(manager, &factory).build().unwrap();
    let (handle, stop) = (manager.handle(), CancellationToken::new());
    let running = spawn(manager.run_until(stop.clone()));
    let bound = async {
        loop {
            if let Some(addresses) = handle.addresses() {
                return addresses.metrics;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let address = tokio::time::timeout(SOON, bound).await.unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    Rig { server: embedded, factory, address, tasks, stop, running, _recorder: recorder }
}

impl Rig {
    async fn end(self) {
        self.stop.cancel();
        self.running.await.unwrap().unwrap();
    }
}

struct Answer {
    code: u16,
    head: String,
    body: String,
}

async fn ask(address: SocketAddr, method: &str, path: &str) -> Answer {
    let (code, head, body) = exchange(address, method, path, &address.to_string()).await;
    Answer { code, head, body }
}

async fn get(address: SocketAddr, path: &str) -> Answer {
    ask(address, "GET", path).await
}

#[tokio::test]
async fn status_metrics_and_page_have_content_types() {
    let mut rig = rig(ApiServer::new()).await;
    rig.tasks.spawn(churned(rig.server.clone()));
    tokio::time::sleep(Duration::from_millis(600)).await;
    let address = rig.address;

    let page = get(address, "/").await;
    assert_eq!(page.code, 200);
    assert!(page.head.contains("content-type: text/html; charset=utf-8"), "{}", page.head);
    assert!(page.head.contains("content-security-policy: default-src 'none'"), "{}", page.head);
    assert!(page.body.starts_with("<!doctype html>"));
    for outside in ["http://", "https://", "//cdn", "@import", "src=\"/"] {
        let inside = page.body.replace("http://www.w3.org/2000/svg", "");
        assert!(!inside.contains(outside), "the page needs nothing from elsewhere: {outside}");
    }

    let status = get(address, "/status").await;
    assert!(status.head.contains("content-type: application/json"), "{}", status.head);
    let status: Value = serde_json::from_str(&status.body).unwrap();
    let informers = status["factory"]["informers"].as_array().unwrap();
    assert_eq!(informers.len(), 5);
    assert!(informers.iter().all(|informer| informer["synced"] == true));
    assert_eq!(status["controllers"][0]["name"], "rollout");
    assert!(!status["controllers"][0]["triggers"].as_array().unwrap().is_empty());

    let scrape = get(address, "/metrics").await;
    let exposition = "content-type: text/plain; version=0.0.4; charset=utf-8";
    assert!(scrape.head.contains(exposition), "{}", scrape.head);
    let samples = parse(&scrape.body);
    let nodes = r#"kube_informer_objects{name="dashboard",group="",resource="nodes",namespace=""}"#;
    assert!((samples[nodes] - 12.0).abs() < f64::EPSILON);
    let told = r#"kube_informer_handler_delivered_total{name="dashboard",group="",resource="pods",namespace="",handler="placement"}"#;
    assert!(samples[told] >= 400.0);

    let missing = get(address, "/nothing").await;
    assert_eq!((missing.code, &*missing.body), (404, "404 page not found\n"));
    let refused = ask(address, "POST", "/status").await;
    assert_eq!(refused.code, 405);
    assert!(refused.head.contains("allow: get, head"), "{}", refused.head);
    let head = ask(address, "HEAD", "/metrics").await;
    assert_eq!((head.code, &*head.body), (200, ""));
    rig.end().await;
}

async fn churned(server: ApiServer) {
    let ended: Result<(), BoxError> = demo::churn(server).await.map_err(Into::into);
    ended.unwrap();
}

/// Takes Prometheus' text format apart, strictly.
fn parse(text: &str) -> BTreeMap<String, f64> {
    assert!(text.ends_with('\n'));
    let (mut samples, mut kinds, mut helped) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, help) = help.split_once(' ').unwrap();
            assert!(!help.is_empty() && helped.insert(name.to_owned()), "{line}");
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').unwrap();
            assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
            assert!(helped.contains(name), "help comes first: {line}");
            assert!(kinds.insert(name.to_owned(), kind.to_owned()).is_none(), "once: {line}");
        } else {
            let (series, value) = line.rsplit_once(' ').unwrap();
            let (name, labels) = series.split_once('{').unwrap();
            labels_of(labels.strip_suffix('}').unwrap());
            let family = ["_bucket", "_sum", "_count"].iter().find_map(|s| name.strip_suffix(s));
            let histogram =
                family.filter(|family| kinds.get(*family).is_some_and(|k| k == "histogram"));
            assert!(histogram.is_some() || kinds.contains_key(name), "typed: {line}");
            let value: f64 = value.parse().unwrap();
            assert!(samples.insert(series.to_owned(), value).is_none(), "twice: {line}");
        }
    }
    for (name, _) in kinds.iter().filter(|(_, kind)| *kind == "histogram") {
        let counts =
            samples.iter().filter(|(series, _)| series.starts_with(&format!("{name}_count{{")));
        for (series, count) in counts {
            let labels = series.split_once('{').unwrap().1.trim_end_matches('}');
            let bucket = |le: &str| samples[&format!("{name}_bucket{{{labels},le=\"{le}\"}}")];
            assert!((bucket("+Inf") - count).abs() < f64::EPSILON, "{series}");
            assert!(bucket("0.01") <= bucket("0.1") && bucket("0.1") <= bucket("10"), "{series}");
        }
    }
    samples
}

fn labels_of(mut text: &str) -> Vec<(&str, &str)> {
    let mut labels = Vec::new();
    while !text.is_empty() {
        let (label, rest) = text.split_once("=\"").unwrap();
        let (value, rest) = rest.split_once('"').unwrap();
        assert!(label.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{label}");
        labels.push((label, value));
        text = rest.strip_prefix(',').unwrap_or(rest);
    }
    labels
}

/// The browser that is installed.
fn chromium() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|program| program.is_file())
}

/// Returns a page after a browser ran it for some seconds of virtual time.
fn rendered(program: &PathBuf, address: SocketAddr) -> Result<String, String> {
    let profile = std::env::temp_dir().join(format!("kube-informer-dashboard-{}", address.port()));
    let page = std::fs::File::create(profile.with_extension("html")).map_err(|e| e.to_string())?;
    let mut browser = Command::new(program)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--no-first-run", "--disable-background-networking", "--disable-extensions"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(["--virtual-time-budget=5000", "--dump-dom", &format!("http://{address}/")])
        .stdin(Stdio::null())
        .stdout(page)
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())?;
    let start = Instant::now();
    let ended = loop {
        match browser.try_wait() {
            Ok(Some(status)) => break Ok(status),
            Ok(None) if start.elapsed() < Duration::from_secs(90) => {
                std::thread::sleep(Duration::from_millis(50));
            }
            Ok(None) => break Err("it does not end".to_owned()),
            Err(error) => break Err(error.to_string()),
        }
    };
    if ended.is_err() {
        let _ = browser.kill();
        let _ = browser.wait();
    }
    let page = std::fs::read_to_string(profile.with_extension("html"));
    let _ = std::fs::remove_file(profile.with_extension("html"));
    let _ = std::fs::remove_dir_all(&profile);
    ended?;
    page.map_err(|error| error.to_string())
}

/// Reconciles one deployment again and again.
async fn never_rests(request: ReconcileRequest<Deployment>) -> Result<Action, BoxError> {
    let restless = request.key.name() == "app-1";
    Ok(if restless { Action::requeue_after(Duration::from_millis(5)) } else { Action::done() })
}

#[tokio::test]
async fn a_browser_draws_the_figures() {
    let Some(program) = chromium() else {
        // Past the test harness, which keeps what is printed to itself.
        let said = std::io::stderr()
            .write_all(b"SKIPPED a_browser_draws_the_figures: no Chromium is installed\n");
        return said.unwrap();
    };
    let mut restless = None;
    let rig = rig_with(ApiServer::new(), |manager, factory| {
        let controller = Controller::builder("restless", &factory.informer()).build();
        restless = Some(controller.handle());
        manager.controller(controller, never_rests)
    })
    .await;
    let restless = restless.unwrap();
    // One incident: the watches are cut, and what they would go on from is forgotten.
    rig.server.drop_connections();
    rig.server.create(&demo::pod(10_000)).unwrap();
    rig.server.compact();
    // The figures are there before a browser asks, and nothing changes any more: however quick it
    // is, it sees the same.
    let relisted = || {
        let status = rig.factory.status();
        status.informers.iter().all(|informer| {
            let reflector = &informer.reflector;
            reflector.state == ReflectorState::Watching && reflector.relists.total() > 0
        })
    };
    let settled = async {
        while !relisted() || restless.status().hot_keys.is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(SOON, settled).await.unwrap();
    let address = rig.address;
    let page = tokio::task::spawn_blocking(move || rendered(&program, address));
    let page = page.await.unwrap().unwrap();
    let polls = page.split_once("data-polls=\"").unwrap().1.split('"').next().unwrap();
    assert!(polls.parse::<u32>().unwrap() >= 2, "it asks again: {polls}");
    assert!(page.contains("all 5 synced"), "{page}");
    for figure in ["objects", "events", "version", "backlog", "lag"] {
        let (_, chart) = page.split_once(&format!("data-figure=\"{figure}\"")).unwrap();
        let chart = chart.split("</svg>").next().unwrap();
        let lines = chart.matches("<path d=\"M").count();
        assert!(lines >= 5, "{figure} has {lines} lines: {chart}");
        assert!(chart.contains('L') && !chart.contains("NaN"), "{figure}: {chart}");
    }
    let (_, relists) = page.split_once("data-figure=\"relists\"").unwrap();
    assert!(relists.starts_with("><span>expired</span><div style=\"width:"), "{relists:.80}");
    for shown in ["configmaps", "deployments.apps", "nodes", "pods", "secrets"] {
        assert!(page.contains(&format!("<span>{shown}")), "{shown} is in the table");
    }
    for shown in ["mailer", "audit", "replicator", "rollout", "shop/app-2"] {
        assert!(
            page.contains(&format!("<td class=\"name\">{shown}</td>")),
            "{shown} is in the table"
        );
    }
    assert!(page.contains("<span class=\"pill good\">watching</span>"));
    let (_, hot) = page.split_once("id=\"hot_keys\"").unwrap();
    let (hot, _) = hot.split_once("</table>").unwrap();
    assert!(hot.contains("<td class=\"\">restless</td>"), "{hot}");
    assert!(hot.contains("requeue</td>"), "{hot}");
    rig.end().await;
}
