//! The embedded server, full of pods.
//!
//! | order | |
//! |---|---|
//! | `listen FILE` | writes its kubeconfig |
//! | `populate N` | makes pods until there are N |
//! | `churn N` | changes N pods as fast as it can |
//! | `update R S` | changes R pods a second for S seconds |
//! | `other` | makes an object of another kind, which moves the version |
//! | `compact` | forgets its history |
//! | `usage` | its processor time |

use std::time::{Duration, Instant};

use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::ObjectMeta;
use kube_informer::testing::ApiServer;
use serde_json::json;

use crate::part::take_orders;
use crate::{measure, pods};

const SEED: u64 = 20_261_129;

/// Steps from one pod to the next that changes: a prime, so that all have their turn.
const STRIDE: u64 = 7_919;

/// The number of changes in the history.
const WINDOW: usize = 120_000;

pub(crate) fn run() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let _entered = runtime.enter();
    let server = ApiServer::builder()
        .history_limit(WINDOW)
        .bookmark_interval(Duration::from_secs(60))
        .build();
    let listening = runtime.block_on(server.listen("127.0.0.1:0")).expect("a port");
    let metadata = |name: String, namespace: Option<&str>| ObjectMeta {
        name: Some(name),
        namespace: namespace.map(Into::into),
        ..ObjectMeta::default()
    };
    let metadata_of_system = metadata("kube-system".into(), None);
    server.create(&Namespace { metadata: metadata_of_system, ..Namespace::default() }).unwrap();
    let (mut made, mut generation) = (0, 0);
    let mut change = |made: u64| {
        generation += 1;
        let stride = if made.is_multiple_of(STRIDE) { STRIDE + 4 } else { STRIDE };
        let pod = pods::pod(SEED, generation * stride % made, generation);
        server.replace(&pod).expect("a pod");
    };
    take_orders(|words| {
        let number = |at: usize| words.get(at).and_then(|n| n.parse().ok()).unwrap_or(0_u64);
        match words[0] {
            "listen" => std::fs::write(words[1], listening.kubeconfig(None)).expect("a file"),
            "populate" => {
                for n in made..number(1) {
                    server.create(&pods::pod(SEED, n, 0)).expect("a pod");
                }
                made = number(1);
            }
            "churn" => (0..number(1)).for_each(|_| change(made)),
            "update" => {
                let (begun, rate) = (Instant::now(), number(1).max(1));
                for n in 0..rate * number(2) {
                    let due = Duration::from_secs_f64(n as f64 / rate as f64);
                    std::thread::sleep(due.saturating_sub(begun.elapsed()));
                    change(made);
                }
            }
            "other" => {
                let metadata = metadata(format!("mark-{}", server.revision()), Some("default"));
                server.create(&ConfigMap { metadata, ..ConfigMap::default() }).expect("a map");
            }
            "compact" => server.compact(),
            "usage" => {}
            other => panic!("{other} is no order"),
        }
        json!({ "revision": server.revision(), "cpu": measure::cpu() })
    });
}
