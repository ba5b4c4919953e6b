//! A manager that owns the process: its signals and its recorder of metrics.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;
use kube_controllers::manager::serve::Serve;
use kube_controllers::manager::{ManagerError, ManagerPhase};
use kube_controllers::{Action, Controller, Manager};
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use kube_informer::{InformerSpec, SharedInformerFactory};
use tokio::time::{sleep, timeout};

use crate::http::exchange;

const SOON: Duration = Duration::from_secs(120);

fn kill(signal: &str) {
    let kill = format!("kill -{signal} {}", std::process::id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn signals_stop_a_manager() {
    if !cfg!(unix) {
        return;
    }
    for (first, second) in [("TERM", None), ("INT", None), ("TERM", Some("INT"))] {
        let factory = SharedInformerFactory::builder(ApiServer::new().client()).build();
        let manager = Manager::builder(&factory)
            .task_on_every_replica("task", move |scope| async move {
                scope.token().cancelled().await;
                if second.is_some() {
                    std::future::pending::<()>().await;
                }
                Ok::<_, BoxError>(())
            })
            .build()
            .unwrap();
        let handle = manager.handle();
        let running = tokio::spawn(manager.run());
        let reaches = async |phase| {
            while handle.status().phase != phase {
                sleep(Duration::from_millis(1)).await;
            }
        };
        timeout(SOON, reaches(ManagerPhase::Running)).await.unwrap();
        kill(first);
        if let Some(second) = second {
            timeout(SOON, reaches(ManagerPhase::Stopping)).await.unwrap();
            kill(second);
        }
        let ended = timeout(SOON, running).await.unwrap().unwrap();
        match (second, ended) {
            (None, Ok(())) | (Some(_), Err(ManagerError::Interrupted { .. })) => {}
            (_, ended) => panic!("{ended:?}"),
        }
    }
}

/// Asks for a path. Returns the body.
async fn get(at: SocketAddr, path: &str) -> String {
    let (code, _, body) = exchange(at, "GET", path, "localhost").await;
    assert_eq!(code, 200, "{body}");
    body
}

/// Parses Prometheus's text format. Returns the types of metrics, and the value of each series.
fn parse(text: &str) -> (BTreeMap<&str, &str>, BTreeMap<&str, f64>) {
    let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
    let series = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let series = series.map(|line| line.rsplit_once(' ').unwrap());
    (types.collect(), series.map(|(name, value)| (name, value.parse().unwrap())).collect())
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn manager_serves_metrics_of_informers_made_before_it() {
    let server = ApiServer::new();
    for name in ["a", "b"] {
        let metadata = ObjectMeta {
            namespace: Some("shop".into()),
            name: Some(name.into()),
            ..ObjectMeta::default()
        };
        server.create(&ConfigMap { metadata, ..ConfigMap::default() }).unwrap();
    }
    // The order of most programs: the manager, which installs the recorder, comes last.
    let factory = SharedInformerFactory::builder(server.client()).build();
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    let controller = Controller::builder("copier", &maps).build();
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let manager = Manager::builder(&factory)
        .controller(controller, |_| async { Ok::<_, Infallible>(Action::done()) })
        .serve(
            Serve::new()
                .health_address(any)
                .metrics_address(any)
                .metrics_beside(|| "own 1\n".into()),
        )
        .build()
        .unwrap();
    let (handle, stop) = (manager.handle(), tokio_util::sync::CancellationToken::new());
    let running = tokio::spawn(manager.run_until(stop.clone()));
    let scraped = async {
        while handle.status().controllers[0].succeeded < 2 {
            sleep(Duration::from_millis(1)).await;
        }
        get(handle.addresses().unwrap().metrics, "/metrics").await
    };
    let text = timeout(SOON, scraped).await.unwrap();
    let (types, series) = parse(&text);
    let of_maps = r#"{name="",group="",resource="configmaps",namespace=""}"#;
    assert_eq!(series.get(&*format!("kube_informer_objects{of_maps}")), Some(&2.0), "{text}");
    assert_eq!(series.get(&*format!("kube_informer_synced{of_maps}")), Some(&1.0), "{text}");
    let reconciles = r#"controller_runtime_reconcile_total{controller="copier",result="success"}"#;
    assert_eq!(series.get(reconciles), Some(&2.0), "{text}");
    let buckets =
        r#"controller_runtime_reconcile_time_seconds_bucket{controller="copier",le="60"}"#;
    assert_eq!(series.get(buckets), Some(&2.0), "{text}");
    for (name, kind) in [
        ("kube_informer_objects", "gauge"),
        ("kube_informer_relists_total", "counter"),
        ("controller_runtime_reconcile_time_seconds", "histogram"),
        ("informer_processing_latency_seconds", "histogram"),
        ("workqueue_queue_duration_seconds", "histogram"),
    ] {
        assert_eq!(types.get(name), Some(&kind), "{text}");
    }
    // Every histogram of the crate has buckets, and every metric a description.
    assert!(!types.values().any(|kind| *kind == "summary"), "{text}");
    for name in types.keys() {
        assert!(text.contains(&format!("# HELP {name} ")), "{name}");
    }
    // The application's own metrics are there, too.
    metrics::counter!("orders_total").increment(3);
    let text = get(handle.addresses().unwrap().metrics, "/metrics").await;
    assert!(text.contains("orders_total 3\n"), "{text}");
    assert!(text.ends_with("\nown 1\n"), "the text of another registry: {text}");
    // The series of what has left are gone.
    let bank = factory.interest(InformerSpec::<ConfigMap>::new().namespace("bank")).unwrap();
    let guest = Controller::builder("guest", &*bank).build();
    handle.add_controller(guest, |_| async { Ok::<_, Infallible>(Action::done()) }).unwrap();
    let shows = async |is: bool| loop {
        let text = get(handle.addresses().unwrap().metrics, "/metrics").await;
        if ["controller=\"guest\"", "namespace=\"bank\""].map(|label| text.contains(label))
            == [is; 2]
        {
            return text;
        }
        sleep(Duration::from_millis(1)).await;
    };
    timeout(SOON, shows(true)).await.unwrap();
    assert!(handle.remove_controller("guest").await);
    drop(bank);
    let text = timeout(SOON, shows(false)).await.unwrap();
    assert!(text.contains("orders_total 3\n"), "{text}");
    // A second manager shares the recorder.
    let second = Manager::builder(&factory)
        .serve(Serve::new().health_address(any).metrics_address(any))
        .build();
    assert!(second.is_ok());
    stop.cancel();
    running.await.unwrap().unwrap();
}
