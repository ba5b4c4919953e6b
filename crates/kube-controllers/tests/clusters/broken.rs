//! A cluster that does not answer delays no other.

use std::io;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use kube_controllers::clusters::{ClusterPhase, Clusters};
use kube_informer::testing::faults::BodyPosition;
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::fleet::{Fleet, Seen};
use crate::helpers::{S, answered_by, map, server_with, until};

const CLUSTERS: usize = 100;

/// Returns a client of a server that is broken in one of ten ways.
fn broken(way: usize, server: &ApiServer) -> Client {
    let with = |injection| {
        let faults = Faults::new();
        faults.inject(Requests::all(), injection);
        faults.client(server.client())
    };
    match way {
        0 => with(Injection::refuse()),
        1 => with(Injection::black_hole()),
        2 => with(Injection::status(500)),
        3 => with(Injection::status(401)),
        4 => with(Injection::status(403)),
        5 => with(Injection::throttle(Some(600 * S))),
        // It sends a part of its list, and then nothing more.
        6 => {
            for number in 0..100 {
                server.create(&map(&format!("m{number}"), "1")).unwrap();
            }
            with(Injection::stall(BodyPosition::Byte(2_000)))
        }
        7 => with(Injection::lose_answer()),
        8 => answered_by(|_| http::Response::new("<html>a proxy</html>".to_owned())),
        // The TLS handshake fails, as the client reports it.
        _ => {
            let service = tower::service_fn(|_: http::Request<kube::client::Body>| async {
                let error = io::Error::new(io::ErrorKind::InvalidData, "corrupt message");
                Err::<http::Response<String>, _>(error)
            });
            Client::new(service, "default")
        }
    }
}

#[tokio::test(start_paused = true)]
async fn ten_broken_clusters_of_a_hundred_delay_nobody() {
    let (fleet, seen, stop) = (Fleet::new(), Seen::default(), CancellationToken::new());
    // One list at a time, so that any list which kept its permit would hold up all others.
    let clusters = Clusters::builder(fleet.clone())
        .factory(|factory| factory.on_error(|_| ()))
        .max_concurrent_lists(1)
        .build();
    let servers: Vec<_> = (0..CLUSTERS).map(|_| server_with(&["a"])).collect();
    let is_broken = |number: usize| number % 10 == 3;
    for (number, server) in servers.iter().enumerate() {
        let name = format!("c{number:02}");
        let client = if is_broken(number) { broken(number / 10, server) } else { server.client() };
        fleet.join(&name, client);
    }
    let working: Vec<_> = (0..CLUSTERS).filter(|number| !is_broken(*number)).collect();
    let following = seen.clone();
    let begun = Instant::now();
    let running = clusters.run(stop.clone(), move |cluster| following.clone().follow(cluster));
    let test = async {
        until("ninety clusters", || seen.all().len() == working.len()).await;
        // The answer that stalls keeps the one permit for a second.
        assert!(begun.elapsed() < 2 * S, "{:?}", begun.elapsed());
        // The broken ones are tried again and again.
        for round in 0..20 {
            sleep(97 * S).await;
            let name = format!("b{round}");
            let changed = Instant::now();
            for &number in &working {
                servers[number].create(&map(&name, "1")).unwrap();
            }
            let expected = working.len() * (round + 2) + round;
            until("the change", || seen.all().len() == expected).await;
            assert!(changed.elapsed() < S, "{:?}", changed.elapsed());
            // One joins while others stall.
            let begun = Instant::now();
            fleet.join(&format!("late-{round}"), server_with(&["a"]).client());
            until("the late one", || seen.all().len() == expected + 1).await;
            assert!(begun.elapsed() < 2 * S, "{:?}", begun.elapsed());
        }
        for (number, status) in clusters.status().iter().take(CLUSTERS).enumerate() {
            let joined = status.phase == ClusterPhase::Joined && status.synced();
            assert_eq!(joined, !is_broken(number), "{status:?}");
            let error = status.last_error.as_deref().unwrap_or_default();
            assert_eq!(is_broken(number), error.contains("configmaps"), "{}: {error}", status.name);
        }
        // All leave at once. The broken ones take no longer.
        let left = Instant::now();
        for number in 0..CLUSTERS {
            fleet.leave(&format!("c{number:02}"));
            fleet.leave(&format!("late-{number}"));
        }
        until("the leave", || clusters.status().is_empty()).await;
        assert!(left.elapsed() < S, "{:?}", left.elapsed());
        stop.cancel();
    };
    tokio::join!(running, test);
    let maps = |server: &ApiServer| server.list::<ConfigMap>().unwrap().len();
    assert_eq!(maps(&servers[0]), 21);
}
