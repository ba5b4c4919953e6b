//! One namespace that may not be read keeps no other from being reconciled.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_controllers::controller::{ControllerError, Phase};
use kube_controllers::{Action, Controller};
use kube_informer::ObjectKey;
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

fn in_bank(name: &str) -> ConfigMap {
    let mut map = map(name, "1");
    map.metadata.namespace = Some("bank".into());
    map
}

#[tokio::test(start_paused = true)]
async fn a_forbidden_namespace_joins_when_it_may() {
    let server = server_with(&["a"]);
    server.create(&in_bank("b")).unwrap();
    forbid(&server, "/namespaces/bank/");
    let factory = factory(&server);
    let maps = factory.in_namespaces::<ConfigMap>(["shop", "bank"]);
    let controller = Controller::builder("both", &maps).build();
    let start = Instant::now();
    let Noting { handle, log, stop, running } = Noting::run(controller);
    log.reaches(1).await;
    assert!(start.elapsed() < 10 * S, "it does not wait for the timeout");
    assert_eq!(log.take(), [key("a")]);
    let missing: Vec<_> = handle.status().missing.iter().map(ToString::to_string).collect();
    assert_eq!(missing, ["configmaps in bank"]);
    sleep(600 * S).await;
    assert_eq!(handle.status().phase, Phase::Working);

    server.stop_intercepting();
    log.reaches(1).await;
    assert_eq!(log.take(), [ObjectKey::namespaced("bank", "b").unwrap()]);
    sleep(S).await;
    assert!(handle.status().missing.is_empty());
    stop.cancel();
    running.await.unwrap().unwrap();
}

/// A reconcile whose dependents are not known yet would take them for absent.
#[tokio::test(start_paused = true)]
async fn a_key_waits_for_its_own_namespace_alone() {
    let server = server_with(&["a"]);
    server.create(&in_bank("b")).unwrap();
    forbid(&server, "/namespaces/bank/secrets");
    let factory = factory(&server);
    let maps = factory.in_namespaces::<ConfigMap>(["shop", "bank"]);
    let secrets = factory.in_namespaces::<Secret>(["shop", "bank"]);
    let controller = Controller::builder("both", &maps).owns(&secrets).build();
    let Noting { log, stop, running, .. } = Noting::run(controller);
    sleep(600 * S).await;
    assert_eq!(log.take(), [key("a")]);
    server.stop_intercepting();
    log.reaches(1).await;
    assert_eq!(log.take(), [ObjectKey::namespaced("bank", "b").unwrap()]);
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn without_any_namespace_the_controller_says_why() {
    let server = ApiServer::new();
    forbid(&server, "configmaps");
    let factory = factory(&server);
    let maps = factory.in_namespaces::<ConfigMap>(["shop", "bank"]);
    let controller = Controller::builder("none", &maps).sync_timeout(30 * S).build();
    let ended = controller
        .run(CancellationToken::new(), |_| async { Ok::<_, std::io::Error>(Action::done()) })
        .await;
    let Err(ControllerError::NotSynced { source, .. }) = &ended else { panic!("{ended:?}") };
    assert_eq!(source.unsynced.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn list_without_watch_ends_with_an_error() {
    let server = server_with(&["a"]);
    let faults = Faults::new();
    faults.inject(Requests::watches(), Injection::status(403));
    let client = faults.client(server.client());
    let factory = factory_of(client);
    let maps = factory.informer::<ConfigMap>();
    // The second begins when the watch has been refused for long.
    for (takes, refused) in [(100 * S..150 * S, "12"), (Duration::ZERO..5 * S, "12")] {
        let controller = Controller::builder("deaf", &maps).build();
        let start = Instant::now();
        let ended = controller
            .run(CancellationToken::new(), |_| async { Ok::<_, std::io::Error>(Action::done()) })
            .await
            .unwrap_err();
        assert!(takes.contains(&start.elapsed()), "{:?}", start.elapsed());
        let text = ended.to_string();
        let begins =
            format!("controller deaf: the server has refused to watch configmaps for {refused}");
        assert!(text.starts_with(&begins), "{text}");
        assert!(text.contains("watch configmaps: 403") && text.contains("grant `watch`"), "{text}");
    }
}

/// Two namespaces may be listed, and one of them watched.
#[tokio::test(start_paused = true)]
async fn watched_namespace_keeps_the_group_at_work() {
    let server = ApiServer::new();
    server.create(&in_bank("b")).unwrap();
    let faults = Faults::new();
    let bank = Requests::to(Requests::watches(), "/namespaces/bank/");
    let refused = faults.inject(bank, Injection::status(403));
    let client = faults.client(server.client());
    let factory = factory_of(client);
    let maps = factory.in_namespaces::<ConfigMap>(["shop", "bank"]);
    let controller = Controller::builder("both", &maps).build();
    let stop = CancellationToken::new();
    let running =
        spawn(controller.run(stop.clone(), |_| async { Ok::<_, std::io::Error>(Action::done()) }));
    sleep(3600 * S).await;
    assert!(!running.is_finished() && refused.count() > 50);
    stop.cancel();
    running.await.unwrap().unwrap();
}
