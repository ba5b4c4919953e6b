//! One election for several controllers.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Secret;
use kube::api::{Api, ListParams};
use kube_controllers::Action;
use kube_controllers::controller::Phase;

use super::*;
use crate::helpers::{S, passing, secret_of, server_with, spawn};

/// A manager of two controllers.
fn replica(server: &ApiServer, name: &'static str, story: &Story) -> ManagerBuilder {
    let (factory, maps) = maps(server, "maps");
    let secrets = Controller::builder("secrets", &factory.informer::<Secret>()).build();
    let reconcile = |what: &'static str| {
        let story = story.clone();
        move || {
            story.tell(format!("{name}: {what}"));
            async { Ok::<_, Infallible>(Action::done()) }
        }
    };
    let (of_maps, of_secrets) = (reconcile("maps"), reconcile("secrets"));
    Manager::builder(&factory)
        .leader_election(elector(server.client(), name))
        .controller(maps, move |_| of_maps())
        .controller(secrets, move |_| of_secrets())
}

#[tokio::test(start_paused = true)]
async fn standby_takes_over_all_controllers_at_once() {
    let server = ApiServer::new();
    let map = server.create(&map("a", "1")).unwrap();
    server.create(&secret_of(&map, "b")).unwrap();
    let (story, stop) = (Story::default(), [(); 2].map(|()| CancellationToken::new()));
    let first = run(replica(&server, "first", &story), &stop[0]);
    story.reaches("first: secrets").await;
    let second = replica(&server, "second", &story).build().unwrap();
    let standby = second.handle();
    let second = spawn(second.run_until(stop[1].clone()));
    sleep(20 * S).await;
    let status = standby.status();
    assert!(status.controllers.iter().all(|controller| controller.phase == Phase::Standby));
    assert!(status.factory.synced());
    let leadership = status.leadership.unwrap();
    assert_eq!((leadership.leader.as_deref(), leadership.is_leader), (Some("first"), false));
    assert!(story.told().iter().all(|told| told.starts_with("first")));
    let leases = Api::<Lease>::namespaced(server.client(), "shop");
    assert_eq!(leases.list(&ListParams::default()).await.unwrap().items.len(), 1);

    stop[0].cancel();
    first.await.unwrap().unwrap();
    story.reaches("second: maps").await;
    story.reaches("second: secrets").await;
    stop[1].cancel();
    second.await.unwrap().unwrap();
}

/// A client whose connection can be cut.
fn breakable(server: &ApiServer) -> (kube::Client, Arc<AtomicBool>) {
    let cut = Arc::new(AtomicBool::new(false));
    let is_cut = cut.clone();
    let client = passing(server, move |_| {
        let refused = is_cut.load(Ordering::Relaxed);
        if refused { Err(std::io::ErrorKind::ConnectionRefused.into()) } else { Ok(()) }
    });
    (client, cut)
}

#[tokio::test(start_paused = true)]
async fn lost_leadership_ends_the_manager_unless_it_rejoins() {
    let server = server_with(&["a"]);
    for rejoins in [false, true] {
        let (client, cut) = breakable(&server);
        let (factory, controller) = maps(&server, "maps");
        let (story, stop) = (Story::default(), CancellationToken::new());
        let (swept, reconciled) = (story.clone(), story.clone());
        let elector = elector(client, &format!("rejoins-{rejoins}"));
        let manager = Manager::builder(&factory)
            .leader_election(elector)
            .rejoins_election(rejoins)
            .controller(controller, move |_| {
                reconciled.tell("reconcile");
                async { Ok::<_, Infallible>(Action::done()) }
            })
            .task_while_leading("sweeper", move |scope| swept.clone().task("sweeper", scope));
        let running = run(manager, &stop);
        story.reaches("reconcile").await;
        cut.store(true, Ordering::Relaxed);
        story.reaches("sweeper ends").await;
        if rejoins {
            let before = story.told().len();
            cut.store(false, Ordering::Relaxed);
            while story.told().len() < before + 2 {
                sleep(S).await;
            }
            assert_eq!(story.told()[before..].len(), 2, "{:?}", story.told());
            stop.cancel();
            running.await.unwrap().unwrap();
        } else {
            let error = running.await.unwrap().unwrap_err();
            assert!(matches!(error, ManagerError::Leadership { .. }), "{error}");
            sleep(60 * S).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn failed_leading_task_releases_the_lease() {
    let server = ApiServer::new();
    let failing = Manager::builder(&factory(&server))
        .leader_election(elector(server.client(), "failing"))
        .task_while_leading("failing", |_| async { Err::<(), BoxError>("no".into()) });
    let error = run(failing, &CancellationToken::new()).await.unwrap().unwrap_err();
    assert!(matches!(error, ManagerError::Task { .. }), "{error}");
    let lease = Api::<Lease>::namespaced(server.client(), "shop").get("work").await.unwrap();
    assert_eq!(lease.spec.unwrap().holder_identity.unwrap_or_default(), "");
}
