//! Clusters join and leave, each with what runs for it.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::clusters::{Cluster, ClusterConfig, ClusterPhase, Clusters};
use kube_controllers::{Action, Controller};
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::fleet::{Fleet, Seen};
use crate::helpers::{MS, S, map, server_with, until};

fn tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

#[tokio::test(start_paused = true)]
async fn clusters_join_and_leave_and_requests_carry_them() {
    let (east, west) = (server_with(&["a"]), server_with(&["b"]));
    let (fleet, seen, stop) = (Fleet::new(), Seen::default(), CancellationToken::new());
    let clusters = Clusters::builder(fleet.clone()).build();
    fleet.join("east", east.client());
    let (running, following) = (clusters.clone(), seen.clone());
    let (token, before) = (stop.clone(), tasks());
    let running = tokio::spawn(async move {
        running.run(token, move |cluster| following.clone().follow(cluster)).await;
    });
    until("east", || seen.all() == ["shop/a in east"]).await;
    let with_one = tasks();
    for _ in 0..20 {
        fleet.join("west", west.client());
        until("west", || seen.all() == ["shop/a in east", "shop/b in west"]).await;
        assert_eq!(clusters.status().len(), 2);
        west.delete(&map("b", "1")).unwrap();
        until("the delete", || seen.all() == ["shop/a in east"]).await;
        west.create(&map("b", "1")).unwrap();
        until("the object", || seen.all().len() == 2).await;
        fleet.leave("west");
        until("the leave", || clusters.status().len() == 1).await;
        until("the end of its tasks", || tasks() == with_one).await;
        // Objects of a cluster that left are not told as gone.
        assert_eq!(seen.all().len(), 2);
        assert!(clusters.get("west").is_none());
        seen.forget("shop/b in west");
    }
    let status = &clusters.status()[0];
    assert_eq!((&*status.name, status.phase), ("east", ClusterPhase::Joined));
    assert!(status.synced() && &*status.controllers[0].name == "maps@east");
    assert_eq!(&*status.informers[0].name, "east");
    assert_eq!(east.requests().iter().filter(|one| !one.target.contains("watch")).count(), 1);
    stop.cancel();
    running.await.unwrap();
    assert!(clusters.status().is_empty());
    until("the end of all tasks", || tasks() == before).await;
}

#[tokio::test(start_paused = true)]
async fn new_revision_joins_again_with_a_new_client() {
    let (old, new) = (server_with(&["old"]), server_with(&["new"]));
    let (fleet, seen, stop) = (Fleet::new(), Seen::default(), CancellationToken::new());
    let clusters = Clusters::builder(fleet.clone()).build();
    let config =
        |revision: &str, server: &ApiServer| ClusterConfig::of_client(revision, server.client());
    fleet.add("east", config("1", &old));
    let following = seen.clone();
    let running = clusters.run(stop.clone(), move |cluster| following.clone().follow(cluster));
    let test = async {
        until("the old one", || seen.all() == ["shop/old in east"]).await;
        // The same revision changes nothing.
        fleet.add("east", config("1", &new));
        sleep(60 * S).await;
        assert_eq!(seen.all(), ["shop/old in east"]);
        fleet.add("east", config("2", &new));
        until("the new one", || seen.all().len() == 2).await;
        let asked = old.requests().len();
        sleep(600 * S).await;
        assert_eq!(old.requests().len(), asked, "the old client is not used any more");
        stop.cancel();
    };
    tokio::join!(running, test);
}

#[tokio::test(start_paused = true)]
async fn function_that_fails_is_called_again_and_harms_no_other() {
    let (fleet, seen, stop) = (Fleet::new(), Seen::default(), CancellationToken::new());
    let clusters = Clusters::builder(fleet.clone()).build();
    for name in ["errs", "panics", "works"] {
        fleet.join(name, server_with(&["a"]).client());
    }
    let hangs = ClusterConfig::new("", || async {
        pending::<()>().await;
        Err("never".into())
    });
    let panics = ClusterConfig::new("", || async { panic!("no client") });
    fleet.add("hangs", hangs);
    fleet.add("panics-early", panics);
    let (calls, following) = (Arc::new(AtomicUsize::new(0)), seen.clone());
    let called = calls.clone();
    let running = clusters.run(stop.clone(), move |cluster| {
        let (seen, called) = (following.clone(), called.clone());
        async move {
            match &**cluster.name() {
                "errs" if called.fetch_add(1, Ordering::Relaxed) < 5 => Err("too early".into()),
                "panics" => panic!("by design"),
                _ => seen.follow(cluster).await,
            }
        }
    });
    let test = async {
        until("the one that works", || seen.all() == ["shop/a in works"]).await;
        let begun = Instant::now();
        until("the one that erred", || seen.all().len() == 2).await;
        let took = begun.elapsed();
        assert!(took > 30 * S && took < 70 * S, "delays that double: {took:?}");
        assert_eq!(calls.load(Ordering::Relaxed), 6);
        sleep(60 * S).await;
        let status = clusters.status();
        let failed: Vec<_> =
            status.iter().map(|one| (&*one.name, one.last_error.as_deref())).collect();
        let expected = [
            ("errs", Some("too early")),
            ("hangs", Some("making a client took longer than 60s")),
            ("panics", Some("its function panicked: by design")),
            ("panics-early", Some("making a client panicked: no client")),
            ("works", None),
        ];
        assert_eq!(failed, expected);
        assert!(status[2].failures > 5 && status[4].failures == 0);
        stop.cancel();
    };
    tokio::join!(running, test);
}

/// The function ignores its token, and a handler and a reconcile keep clones of the cluster.
#[tokio::test(start_paused = true)]
async fn function_that_does_not_end_is_dropped_after_the_grace() {
    let (fleet, stop) = (Fleet::new(), CancellationToken::new());
    let clusters = Clusters::builder(fleet.clone()).grace(3 * S).build();
    fleet.join("east", server_with(&["a"]).client());
    let before = tasks();
    let running = clusters.run(stop.clone(), |cluster| async move {
        let maps = cluster.factory().informer::<ConfigMap>();
        let kept = cluster.clone();
        maps.on_event(move |_| assert_eq!(&**kept.name(), "east"))?;
        cluster.factory().start()?;
        pending::<Result<(), BoxError>>().await
    });
    let test = async {
        until("the join", || clusters.get("east").is_some()).await;
        fleet.leave("east");
        sleep(S).await;
        assert_eq!(clusters.status()[0].phase, ClusterPhase::Leaving);
        sleep(2 * S + 100 * MS).await;
        assert!(clusters.status().is_empty());
        // It joins again, and the whole run is dropped.
        fleet.join("east", server_with(&["a"]).client());
        until("the join", || clusters.get("east").is_some()).await;
    };
    tokio::select! {
        () = running => unreachable!("nothing stops it"),
        () = test => {}
    }
    until("the end of all tasks", || tasks() == before && clusters.status().is_empty()).await;
}

#[tokio::test(start_paused = true)]
async fn second_run_ends_with_its_own_stop() {
    let (fleet, first, second) = (Fleet::new(), CancellationToken::new(), CancellationToken::new());
    let clusters = Clusters::builder(fleet.clone()).build();
    fleet.join("east", server_with(&["a"]).client());
    let joins = |cluster: Cluster| async move {
        cluster.stop().cancelled().await;
        Ok::<(), BoxError>(())
    };
    let test = async {
        until("the join", || clusters.get("east").is_some()).await;
        second.cancel();
        timeout(60 * S, clusters.run(second.clone(), joins)).await.unwrap();
        assert!(clusters.get("east").is_some(), "the first run goes on");
        first.cancel();
    };
    tokio::join!(clusters.run(first.clone(), joins), test);
}

#[tokio::test(start_paused = true)]
async fn controllers_that_ended_are_not_in_the_status() {
    let (fleet, stop) = (Fleet::new(), CancellationToken::new());
    let clusters = Clusters::builder(fleet.clone()).build();
    fleet.join("east", server_with(&["a"]).client());
    let running = clusters.run(stop.clone(), |cluster| async move {
        let maps = cluster.factory().informer::<ConfigMap>();
        let run = async |name: String| {
            let controller = Controller::builder(name, &maps).build();
            cluster.run(controller, |_| async { Ok::<_, BoxError>(Action::done()) }).await
        };
        for tenant in 0..20 {
            timeout(S, run(format!("tenant-{tenant}"))).await.unwrap_err();
        }
        Ok::<(), BoxError>(run("last".into()).await?)
    });
    let test = async {
        let names = || {
            let status = clusters.status();
            let controllers = status.iter().flat_map(|one| &one.controllers);
            controllers.map(|one| one.name.to_string()).collect::<Vec<_>>()
        };
        until("a tenant", || names() == ["tenant-3"]).await;
        until("the last one", || names() == ["last"]).await;
        stop.cancel();
    };
    tokio::join!(running, test);
}

#[tokio::test(start_paused = true)]
async fn cluster_that_its_own_index_holds_is_freed() {
    let (fleet, seen, stop) = (Fleet::new(), Seen::default(), CancellationToken::new());
    let clusters = Clusters::builder(fleet.clone()).build();
    let (held, following) = (Arc::new(()), seen.clone());
    let given = held.clone();
    let running = clusters.run(stop.clone(), move |cluster| {
        let (kept, seen) = ((cluster.clone(), given.clone()), following.clone());
        async move {
            let maps = cluster.factory().informer::<ConfigMap>();
            maps.add_index("name", move |map: &ConfigMap| {
                let _kept = &kept;
                map.metadata.name.clone()
            })?;
            seen.follow(cluster).await
        }
    });
    let test = async {
        for _ in 0..10 {
            fleet.join("east", server_with(&["a"]).client());
            until("the join", || seen.all().len() == 1).await;
            seen.forget("shop/a in east");
            fleet.leave("east");
            until("the leave", || clusters.status().is_empty()).await;
        }
        until("the end of all indexes", || Arc::strong_count(&held) == 2).await;
        stop.cancel();
    };
    tokio::join!(running, test);
}
