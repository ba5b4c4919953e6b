//! Metrics of a controller, its queue and its election.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::manager::serve::Prometheus;
use kube_controllers::{Action, Controller, LeaderElector};
use kube_informer::WorkQueue;
use kube_informer::workqueue::ExponentialBackoff;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

/// Every series of these names that is alive.
fn scrape(recorder: &Prometheus, prefixes: &[&str]) -> BTreeMap<String, f64> {
    let text = recorder.render();
    let wanted = |line: &&str| prefixes.iter().any(|prefix| line.starts_with(prefix));
    let series = text.lines().filter(wanted).filter_map(|line| line.rsplit_once(' '));
    series.map(|(series, value)| (series.to_owned(), value.parse().unwrap())).collect()
}

#[tokio::test(start_paused = true)]
async fn a_queue_is_counted_under_client_gos_names() {
    let recorder = Prometheus::default();
    let _installed = metrics::set_default_local_recorder(&recorder);
    let queue = WorkQueue::builder().name("pods").limiter(ExponentialBackoff::new(S, S)).build();
    for item in ["a", "b", "a"] {
        queue.add(item);
    }
    sleep(2 * S).await;
    let work = queue.get().await.unwrap();
    // Published twice a second, also while nothing else happens.
    sleep(3 * S + S / 4).await;
    let of = |name: &str| scrape(&recorder, &[name]);
    let labels = r#"{name="pods",controller="pods"}"#;
    let value = |name: &str| of(name)[&format!("{name}{labels}")];
    assert_eq!(value("workqueue_depth").to_string(), "1");
    assert_eq!(value("workqueue_adds_total").to_string(), "3");
    assert_eq!(value("workqueue_unfinished_work_seconds").to_string(), "3");
    assert_eq!(value("workqueue_longest_running_processor_seconds").to_string(), "3");
    let sum = |name: &str| of(name)[&format!("{name}_sum{labels}")];
    assert_eq!(sum("workqueue_queue_duration_seconds").to_string(), "2");
    work.retry();
    sleep(S / 2).await;
    assert_eq!(value("workqueue_retries_total").to_string(), "1");
    assert_eq!(value("workqueue_unfinished_work_seconds").to_string(), "0");
    assert_eq!(sum("workqueue_work_duration_seconds").to_string(), "3.25");
    drop(queue);
    assert_eq!(scrape(&recorder, &["workqueue_"]), BTreeMap::new(), "gone with the queue");
}

#[tokio::test(start_paused = true)]
async fn a_controller_is_counted_under_controller_runtimes_names() {
    let recorder = Prometheus::default();
    let _installed = metrics::set_default_local_recorder(&recorder);
    let server = server_with(&["done", "later", "again", "fails", "panics", "hangs"]);
    let elector = LeaderElector::builder(server.client(), "shop", "lease").build().unwrap();
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("counted", &maps)
        .leader_election(elector)
        .concurrency(3)
        .limiter(ExponentialBackoff::new(1000 * S, 1000 * S))
        .timeout(S)
        .build();
    let handle = controller.handle();
    let stop = CancellationToken::new();
    let running = spawn(controller.run(stop.clone(), |request| async move {
        match request.key.name() {
            "later" => Ok(Action::requeue_after(1000 * S)),
            "again" => Ok(Action::retry()),
            "fails" => Err("on purpose"),
            "panics" => panic!("on purpose"),
            "hangs" => std::future::pending().await,
            _ => Ok(Action::done()),
        }
    }));
    sleep(10 * S).await;
    let value = |name: &str, labels: &str| {
        let series = format!("{name}{{{labels}}}");
        let all = scrape(&recorder, &[name]);
        *all.get(&series).unwrap_or_else(|| panic!("no {series} in {all:?}"))
    };
    let counted = |name: &str| value(name, r#"controller="counted""#).to_string();
    let result = |result: &str| {
        let labels = format!(r#"controller="counted",result="{result}""#);
        value("controller_runtime_reconcile_total", &labels).to_string()
    };
    for (of, times) in [("success", "1"), ("requeue_after", "1"), ("requeue", "1"), ("error", "3")]
    {
        assert_eq!(result(of), times, "{of}");
    }
    assert_eq!(counted("controller_runtime_reconcile_errors_total"), "3");
    assert_eq!(counted("controller_runtime_reconcile_panics_total"), "1");
    assert_eq!(counted("controller_runtime_reconcile_timeouts_total"), "1");
    assert_eq!(counted("controller_runtime_max_concurrent_reconciles"), "3");
    assert_eq!(counted("controller_runtime_active_workers"), "0");
    let leads = || value("leader_election_master_status", r#"name="lease""#).to_string();
    assert_eq!(leads(), "1");
    stop.cancel();
    running.await.unwrap().unwrap();
    assert_eq!(
        counted("controller_runtime_max_concurrent_reconciles"),
        "0",
        "a handle is still held"
    );
    drop(handle);
    let prefixes = ["controller_runtime_", "workqueue_", "leader_election_"];
    assert_eq!(scrape(&recorder, &prefixes), BTreeMap::new(), "gone");
}

#[tokio::test(start_paused = true)]
async fn hot_key_is_counted() {
    let recorder = Prometheus::default();
    let _installed = metrics::set_default_local_recorder(&recorder);
    let server = server_with(&["a"]);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("hot", &maps).build();
    let stop = CancellationToken::new();
    let running = spawn(controller.run(stop.clone(), |_| async {
        sleep(10 * MS).await;
        Ok::<_, Infallible>(Action::requeue_after(Duration::ZERO))
    }));
    sleep(S).await;
    let counted = || {
        scrape(&recorder, &["kube_informer_hot_keys_total"]).into_values().sum::<f64>().to_string()
    };
    assert_eq!(counted(), "0", "the metric exists");
    sleep(7 * S).await;
    assert_eq!(counted(), "2", "once in 300 runs");
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_status_of_a_controller_serialises() {
    let server = server_with(&["a"]);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("told", &maps).build();
    let handle = controller.handle();
    let stop = CancellationToken::new();
    let running = spawn(controller.run(stop.clone(), |_| async {
        sleep(10 * S).await;
        Ok::<_, Infallible>(Action::done())
    }));
    sleep(5 * S).await;
    let status = serde_json::to_value(handle.status()).unwrap();
    assert_eq!(status["name"], "told");
    assert_eq!(status["phase"], "working");
    assert_eq!(status["reconciling"], serde_json::json!(["shop/a"]));
    assert_eq!(status["queue"]["processing"], 1);
    let longest = status["queue"]["longest_running"].as_f64().unwrap();
    assert!((4.9..5.1).contains(&longest), "{longest} seconds");
    stop.cancel();
    running.await.unwrap().unwrap();
}
