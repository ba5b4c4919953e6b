//! The server of the comparison, as a process of its own: the embedded one, full of realistic pods,
//! with a second port by which the comparison tells it what to do.
//!
//! `--kubeconfig FILE --admin FILE`: where to write the kubeconfig and the address of the second
//! port.
//!
//! | request | what it does, answers when done |
//! |---|---|
//! | `POST /bench/populate?n=N` | makes pods until there are N; says their size |
//! | `POST /bench/churn?n=N` | changes the status of N pods, in an order that jumps about |
//! | `POST /bench/relist` | forgets its history and drops every watch, so that clients list |
//! | `POST /bench/usage` | what the server used itself; its peak is since the last such request |
//!
//! Each answer is JSON and has the newest `revision`.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::format_push_string,
    reason = "a tool for measuring: it may stop with a message"
)]

mod measure;
mod pods;

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;
use kube_informer::testing::ApiServer;
use serde_json::{Value, json};
use tokio::sync::Mutex;

const SEED: u64 = 20_261_121;

/// Steps from one pod to the next that changes: a prime, so that all have their turn, in no order
/// that a cache would like.
const STRIDE: u64 = 7_919;

/// The number of changes in the history: more than any watch falls behind.
const WINDOW: usize = 120_000;

struct Bench {
    server: ApiServer,
    pods: AtomicU64,
    generation: AtomicU64,
    /// One order at a time.
    turn: Mutex<()>,
}

#[tokio::main]
async fn main() {
    let options = measure::Options::parse();
    // No bookmark between two orders: it would tell a watch a version that was not forgotten.
    let server = ApiServer::builder()
        .history_limit(WINDOW)
        .bookmark_interval(Duration::from_secs(3600))
        .build();
    let listening = server.listen("127.0.0.1:0").await.expect("a port");
    let admin = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = admin.local_addr().expect("an address");
    let bench = Arc::new(Bench {
        server,
        pods: AtomicU64::new(0),
        generation: AtomicU64::new(0),
        turn: Mutex::new(()),
    });
    std::fs::write(options.text("kubeconfig"), listening.kubeconfig(None)).expect("--kubeconfig");
    // Last: who waits for this file finds everything ready.
    std::fs::write(options.text("admin"), address.to_string()).expect("--admin");
    loop {
        let (stream, _) = admin.accept().await.expect("a connection");
        let bench = bench.clone();
        tokio::spawn(async move {
            let service = hyper::service::service_fn(|request| answer(bench.clone(), request));
            let connection = hyper::server::conn::http1::Builder::new();
            // A client that goes away in mid-answer has what it wanted.
            let _ = connection.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn answer(
    bench: Arc<Bench>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let query = request.uri().query().unwrap_or_default();
    let n = query.strip_prefix("n=").and_then(|n| n.parse().ok()).unwrap_or(0);
    let path = request.uri().path().to_owned();
    let turn = bench.clone();
    let _turn = turn.turn.lock().await;
    let done = tokio::task::spawn_blocking(move || bench.act(&path, n)).await;
    let (code, body) = match done {
        Ok(Ok(body)) => (StatusCode::OK, body),
        Ok(Err(problem)) => (StatusCode::BAD_REQUEST, json!({ "problem": problem })),
        Err(problem) => {
            (StatusCode::INTERNAL_SERVER_ERROR, json!({ "problem": problem.to_string() }))
        }
    };
    let mut response = Response::new(Full::new(Bytes::from(body.to_string())));
    *response.status_mut() = code;
    Ok(response)
}

impl Bench {
    fn act(&self, path: &str, n: u64) -> Result<Value, String> {
        let start = Instant::now();
        let mut told = match path {
            "/bench/populate" => self.populate(n)?,
            "/bench/churn" => self.churn(n)?,
            "/bench/relist" => self.relist()?,
            "/bench/usage" => {
                let peak = measure::peak();
                measure::reset_peak();
                json!({ "cpu": measure::cpu(), "rss": measure::rss(), "peak": peak })
            }
            other => return Err(format!("{other} is nothing this server does")),
        };
        told["revision"] = self.server.revision().into();
        told["seconds"] = start.elapsed().as_secs_f64().into();
        Ok(told)
    }

    fn populate(&self, n: u64) -> Result<Value, String> {
        let present = self.pods.load(Ordering::Relaxed);
        for pod in present..n {
            self.server.create(&pods::pod(SEED, pod, 0)).map_err(|error| error.to_string())?;
        }
        self.pods.store(present.max(n), Ordering::Relaxed);
        let sample = serde_json::to_vec(&pods::pod(SEED, n / 2, 0)).map_err(|e| e.to_string())?;
        Ok(json!({ "pods": present.max(n), "json_bytes": sample.len() }))
    }

    fn churn(&self, n: u64) -> Result<Value, String> {
        let pods = self.pods.load(Ordering::Relaxed).max(1);
        let stride = if pods.is_multiple_of(STRIDE) { STRIDE + 4 } else { STRIDE };
        for _ in 0..n {
            let generation = 1 + self.generation.fetch_add(1, Ordering::Relaxed);
            let pod = pods::pod(SEED, generation * stride % pods, generation);
            self.server.replace(&pod).map_err(|error| error.to_string())?;
        }
        Ok(json!({ "changes": n }))
    }

    fn relist(&self) -> Result<Value, String> {
        // The version that the watches are at must not be the newest: it would still be known.
        let metadata = ObjectMeta {
            name: Some(format!("mark-{}", self.server.revision())),
            namespace: Some("default".into()),
            ..ObjectMeta::default()
        };
        self.server
            .create(&ConfigMap { metadata, ..ConfigMap::default() })
            .map_err(|error| error.to_string())?;
        self.server.compact();
        self.server.drop_connections();
        Ok(json!({}))
    }
}
