//! A manager follows clusters, and names those that wait.

use std::net::SocketAddr;

use kube_controllers::clusters::{ClusterConfig, Clusters};
use kube_controllers::manager::serve::Serve;
use kube_controllers::{LeaderElector, Manager};
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::fleet::{Fleet, Seen};
use crate::helpers::{MS, S, factory, server_with};
use crate::http::exchange;

#[tokio::test(start_paused = true)]
async fn probes_name_clusters_that_wait_and_stay_green() {
    let (hub, east) = (ApiServer::new(), server_with(&["a"]));
    let (fleet, seen, stop) = (Fleet::new(), Seen::default(), CancellationToken::new());
    let clusters = Clusters::builder(fleet.clone()).build();
    fleet.join("east", east.client());
    let faults = Faults::new();
    faults.inject(Requests::all(), Injection::black_hole());
    fleet.join("hole", faults.client(east.client()));
    let any: SocketAddr = ([127, 0, 0, 1], 0).into();
    let serve = Serve::new().health_address(any).metrics_address(any).without_metrics();
    let following = seen.clone();
    let elector = LeaderElector::builder(hub.client(), "fleet", "lease").build().unwrap();
    let manager = Manager::builder(&factory(&hub))
        .leader_election(elector)
        .clusters("fleet", &clusters, move |cluster| following.clone().follow(cluster))
        .serve(serve)
        .build()
        .unwrap();
    let handle = manager.handle();
    let running = tokio::spawn(manager.run_until(stop.clone()));
    let ready = async || {
        let Some(at) = handle.addresses() else { return (0, String::new()) };
        let (code, _, body) = exchange(at.health, "GET", "/readyz?verbose", "localhost").await;
        (code, body)
    };
    let eventually = async |line: &str| {
        let began = Instant::now();
        loop {
            let (code, body) = ready().await;
            if code == 200 && body.contains(line) {
                return body;
            }
            assert!(!running.is_finished() && began.elapsed() < 300 * S, "{line}: {body}");
            sleep(100 * MS).await;
        }
    };
    eventually("[+]cluster/fleet/east ok\n").await;
    eventually("[+]cluster/fleet/hole ok: waits for configmaps: listed 0").await;
    let status = handle.status();
    assert_eq!(status.clusters["fleet"].len(), 2);
    assert_eq!(&*status.clusters["fleet"][0].controllers[0].name, "maps@east");
    // The controller's sync timeout ends the function, which is called again.
    let again = eventually("it failed 1 times: ").await;
    assert!(again.contains("[+]cluster/fleet/east ok\n"), "{again}");
    fleet.leave("hole");
    while ready().await.1.contains("hole") {
        sleep(100 * MS).await;
    }
    assert_eq!(handle.status().clusters["fleet"].len(), 1);
    assert!(serde_json::to_string(&handle.status()).unwrap().contains("maps@east"));
    stop.cancel();
    running.await.unwrap().unwrap();
    assert!(handle.status().clusters["fleet"].is_empty());
    assert_eq!(seen.all(), ["shop/a in east"]);
}

#[tokio::test(start_paused = true)]
async fn names_and_errors_forge_no_lines_of_a_probe() {
    let (fleet, stop) = (Fleet::new(), CancellationToken::new());
    let clusters = Clusters::builder(fleet.clone()).build();
    fleet.join("east\n[-]manager failed: forged", server_with(&["a"]).client());
    let fails = || async { Err("no\r\n[-]manager failed: forged".into()) };
    fleet.add("west", ClusterConfig::new("1", fails));
    let any: SocketAddr = ([127, 0, 0, 1], 0).into();
    let manager = Manager::builder(&factory(&ApiServer::new()))
        .clusters("fleet", &clusters, |cluster| Seen::default().follow(cluster))
        .serve(Serve::new().health_address(any).metrics_address(any).without_metrics())
        .build()
        .unwrap();
    let (handle, began) = (manager.handle(), Instant::now());
    let running = tokio::spawn(manager.run_until(stop.clone()));
    let body = loop {
        sleep(100 * MS).await;
        let Some(at) = handle.addresses() else { continue };
        let (_, _, body) = exchange(at.health, "GET", "/readyz?verbose", "localhost").await;
        if body.matches("forged").count() == 2 {
            break body;
        }
        assert!(!running.is_finished() && began.elapsed() < 300 * S, "{body}");
    };
    assert!(!body.lines().any(|line| line.starts_with("[-]")), "{body}");
    assert!(body.contains("[+]cluster/fleet/east\\n[-]manager failed: forged ok\n"), "{body}");
    stop.cancel();
    running.await.unwrap().unwrap();
}
