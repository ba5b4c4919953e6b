//! An informer follows its kind: it waits, starts, stops, comes back and moves.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::DynamicObject;
use kube_informer::reflector::ReflectorState;
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer::{InformerSpec, ObjectKey, SharedInformer};
use parking_lot::Mutex;
use tokio::time::sleep;

use crate::definitions::{Widget, create, definition, definition_of, delete, serve, widgets};
use crate::helpers::{MS, S, factory, factory_of, map_in, until};
use crate::seeds::play_seeds;
use crate::watches::Watches;

const SOON: std::time::Duration = S.saturating_mul(30);

/// The objects that a handler was told of, by key, with their api versions.
type Told = Arc<Mutex<BTreeMap<ObjectKey, String>>>;

/// Folds the events of an informer. A delete of an unknown object is a fault.
fn fold(informer: &SharedInformer<DynamicObject>) -> Told {
    let told = Told::default();
    let folded = told.clone();
    informer
        .on_event(move |event| {
            let object = event.object();
            let key = ObjectKey::of(&**object).unwrap();
            if event.is_deleted() {
                assert!(folded.lock().remove(&key).is_some(), "{key}");
            } else {
                let version = object.types.as_ref().unwrap().api_version.clone();
                folded.lock().insert(key, version);
            }
        })
        .unwrap();
    told
}

fn names(told: &Told) -> Vec<String> {
    told.lock().keys().map(|key| key.name().to_owned()).collect()
}

fn tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

#[tokio::test(start_paused = true)]
async fn informer_follows_its_kind() {
    let server = ApiServer::new();
    let watches = Watches::default();
    let factory = factory_of(watches.count(server.client()));
    let resource = widgets("v1");
    let informer = factory.when_served(&resource).unwrap();
    let told = fold(&informer);
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    assert!(!informer.has_synced(), "the factory does not wait for it");
    let status = informer.status().reflector;
    assert_eq!(status.state, ReflectorState::AwaitingKind);
    assert_eq!(status.not_served.as_deref(), Some("no definition of it is installed"));
    let error = informer.wait_for_sync(S).await.unwrap_err().to_string();
    let waits =
        "widgets.example.com waits until its kind is served: no definition of it is installed";
    assert!(error.contains(waits), "{error}");
    assert_eq!((watches.open(), status.lists, status.errors), (1, 0, 0), "only the definitions");

    // The first events of the definitions' watch are no proofs.
    tokio::time::sleep(2 * S).await;
    for round in 0..3 {
        server.create(&definition(&[("v1", true)])).unwrap();
        until("the kind", || informer.has_synced() && watches.open() == 2).await;
        create(&server, &resource, "a").await;
        until("the object", || names(&told) == ["a"]).await;
        assert_eq!(informer.lister().len(), 1);
        assert_eq!(informer.status().reflector.not_served, None);
        server.delete(&definition(&[("v1", true)])).unwrap();
        until("the delete", || told.lock().is_empty()).await;
        until("the end of the watch", || watches.open() == 1).await;
        assert_eq!(informer.lister().len(), 0, "round {round}");
        let status = informer.status();
        assert_eq!(status.reflector.state, ReflectorState::AwaitingKind);
        assert!(status.is_fresh(S), "nothing is what there is");
        assert_eq!(status.reflector.errors, 0, "{:?}", status.reflector.last_error);
    }
    factory.remove(&informer).await;
    until("the end of the watches", || watches.open() == 0).await;
    assert!(factory.status().informers.is_empty(), "the definitions went with their last user");
}

#[tokio::test(start_paused = true)]
async fn removal_that_the_watch_missed_is_reported() {
    let server = ApiServer::new();
    server.create(&definition(&[("v1", true)])).unwrap();
    create(&server, &widgets("v1"), "a").await;
    let faults = Faults::new();
    faults.inject(Requests::watches().to("widgets?"), Injection::black_hole());
    let factory = factory_of(faults.client(server.client()));
    let informer = factory.when_served(&widgets("v1")).unwrap();
    let told = fold(&informer);
    factory.start().unwrap();
    until("the object", || names(&told) == ["a"]).await;
    server.delete(&definition(&[("v1", true)])).unwrap();
    sleep(S).await;
    assert!(told.lock().is_empty() && informer.lister().is_empty());
}

#[tokio::test(start_paused = true)]
async fn dynamic_informer_moves_to_a_served_version() {
    let server = ApiServer::new();
    server.create(&definition(&[("v1beta1", true), ("v1", true)])).unwrap();
    let factory = factory(&server);
    let informer = factory.when_served(&widgets("v1beta1")).unwrap();
    let told = fold(&informer);
    factory.start().unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    create(&server, &widgets("v1"), "a").await;
    let is_in = |version: &str| told.lock().values().all(|told| told == version);
    until("the object", || names(&told) == ["a"] && is_in("example.com/v1beta1")).await;
    serve(&server, &[("v1beta1", false), ("v1", true)]).await;
    until("the move", || is_in("example.com/v1")).await;
    create(&server, &widgets("v1"), "b").await;
    until("the watch", || names(&told) == ["a", "b"]).await;
    serve(&server, &[("v1beta1", true), ("v1", true)]).await;
    until("the return", || is_in("example.com/v1beta1")).await;
    assert_eq!(informer.lister().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn typed_informer_waits_for_its_version_and_keeps_objects() {
    let server = ApiServer::new();
    server.create(&definition(&[("v1", true), ("v2", true)])).unwrap();
    let factory = factory(&server);
    let informer = factory.informer_with(InformerSpec::<Widget>::new().when_served()).unwrap();
    factory.start().unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    create(&server, &widgets("v2"), "a").await;
    until("the object", || informer.lister().len() == 1).await;
    serve(&server, &[("v1", false), ("v2", true)]).await;
    let reason = || informer.status().reflector.not_served;
    until("the wait", || reason().is_some()).await;
    assert_eq!(reason().as_deref(), Some("its definition does not serve v1"));
    sleep(SOON).await;
    assert_eq!(informer.lister().len(), 1, "the object exists in the other version");
    delete(&server, &widgets("v2"), "a").await;
    serve(&server, &[("v1", true), ("v2", true)]).await;
    until("the delete", || informer.lister().is_empty()).await;
}

#[tokio::test(start_paused = true)]
async fn built_in_kind_is_served_from_the_start() {
    let server = ApiServer::new();
    server.create(&map_in("shop", "a")).unwrap();
    let factory = factory(&server);
    let informer = factory.informer_with(InformerSpec::<ConfigMap>::new().when_served()).unwrap();
    informer.start().unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    sleep(100 * S).await;
    assert_eq!(informer.lister().len(), 1);
    let discovery = server.requests().iter().filter(|one| one.target == "/api/v1").count();
    assert_eq!(discovery, 1);
}

#[tokio::test(start_paused = true)]
async fn unknown_whether_a_kind_is_served_is_told() {
    let (server, faults) = (ApiServer::new(), Faults::new());
    faults.inject(Requests::all().to("/apis"), Injection::black_hole());
    let factory = factory_of(faults.client(server.client()));
    let informer = factory.when_served(&widgets("v1")).unwrap();
    factory.start().unwrap();
    let error = informer.wait_for_sync(600 * S).await.unwrap_err();
    assert_eq!(error.unsynced[0].state, ReflectorState::AwaitingKind);
    let waits = "widgets.example.com waits to learn whether its kind is served";
    assert!(error.to_string().contains(waits), "{error}");
    assert_eq!(informer.status().reflector.not_served, None);
    server.create(&definition(&[("v1", true)])).unwrap();
    faults.clear();
    informer.wait_for_sync(600 * S).await.unwrap();
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn refused_definitions_are_named() {
    let server = ApiServer::new();
    server.create(&definition(&[("v1", true)])).unwrap();
    crate::helpers::forbid(&server, "customresourcedefinitions");
    let factory = factory(&server);
    let informer = factory.when_served(&widgets("v1")).unwrap();
    factory.start().unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    let error = factory.wait_for_sync(SOON).await.unwrap_err().to_string();
    assert!(error.contains("customresourcedefinitions"), "discovery helps, but is not watched");
}

#[tokio::test(start_paused = true)]
async fn kind_that_left_before_definitions_could_be_listed_is_gone() {
    let server = ApiServer::new();
    server.create(&definition(&[("v1", true)])).unwrap();
    create(&server, &widgets("v1"), "a").await;
    crate::helpers::forbid(&server, "customresourcedefinitions");
    let factory = factory(&server);
    let informer = factory.when_served(&widgets("v1")).unwrap();
    let told = fold(&informer);
    factory.start().unwrap();
    until("the object", || names(&told) == ["a"]).await;
    server.delete(&definition(&[("v1", true)])).unwrap();
    server.stop_intercepting();
    sleep(600 * S).await;
    assert!(told.lock().is_empty() && informer.lister().is_empty(), "{:?}", informer.status());
    assert_eq!(informer.status().reflector.state, ReflectorState::AwaitingKind);
}

/// Another schema each time, objects that come with the definition, and removals in mid-list.
#[tokio::test(start_paused = true)]
async fn hundreds_of_reinstalls_leave_nothing() {
    const CYCLES: usize = 300;
    let server = ApiServer::new();
    let (faults, watches) = (Faults::new(), Watches::default());
    let factory = factory_of(watches.count(faults.client(server.client())));
    let resource = widgets("v1");
    let informer = factory.when_served(&resource).unwrap();
    let told = fold(&informer);
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    let before = tasks();
    faults.inject(Requests::lists().to("widgets"), Injection::drip(50, 100 * MS));
    let mut rng = fastrand::Rng::with_seed(7);
    for cycle in 0..CYCLES {
        let name = format!("w{}", cycle % 3);
        let property = format!("color{}", cycle % 5);
        let definition = definition_of("widgets", "Widget", &[("v1", true)], &property);
        server.create(&definition).unwrap();
        create(&server, &resource, &name).await;
        // Part of the cycles end before the list does, or before it begins.
        sleep(rng.u32(..4_000) * MS).await;
        if cycle % 10 == 0 {
            until("the object", || names(&told) == [name.as_str()]).await;
        }
        server.delete(&definition).unwrap();
        if cycle % 7 == 0 {
            until("the deletes", || told.lock().is_empty()).await;
        }
    }
    until("the deletes", || told.lock().is_empty() && informer.lister().is_empty()).await;
    until("the end of the watch", || watches.open() == 1).await;
    assert_eq!(tasks(), before);
    assert_eq!(factory.status().informers.len(), 2);
}

/// Random definitions and widgets under faults: in the end, the handler has what the server has.
#[test]
fn kind_converges_under_faults() {
    play_seeds(10, |seed| async move {
        let mut rng = fastrand::Rng::with_seed(seed);
        let server = ApiServer::new();
        let faults = Faults::new();
        let factory = factory_of(faults.client(server.client()));
        fastrand::seed(seed);
        let informer = factory.when_served(&widgets("v1beta1")).unwrap();
        let told = fold(&informer);
        factory.start().unwrap();
        faults.inject_at_random(seed, 0.2, Injection::one_of_each(seed));
        let (mut installed, mut present) = (false, Vec::new());
        for _ in 0..60 {
            match rng.u8(..8) {
                0 if installed => {
                    server.delete(&definition(&[("v1", true)])).unwrap();
                    (installed, present) = (false, Vec::new());
                }
                0..2 if !installed => {
                    let old = rng.bool();
                    server.create(&definition(&[("v1beta1", old), ("v1", true)])).unwrap();
                    installed = true;
                }
                2 if installed => {
                    serve(&server, &[("v1beta1", rng.bool()), ("v1", true)]).await;
                }
                3..6 if installed => {
                    let name = format!("w{}", rng.u8(..4));
                    if let Some(place) = present.iter().position(|other| *other == name) {
                        present.remove(place);
                        delete(&server, &widgets("v1"), &name).await;
                    } else {
                        create(&server, &widgets("v1"), &name).await;
                        present.push(name);
                    }
                }
                _ => sleep(rng.u32(..20_000) * MS).await,
            }
        }
        faults.clear();
        present.sort();
        let stored = || {
            let mut names: Vec<_> = informer
                .lister()
                .all()
                .iter()
                .filter_map(|one| one.metadata.name.clone())
                .collect();
            names.sort();
            names
        };
        sleep(600 * S).await;
        assert_eq!((names(&told), stored()), (present.clone(), present), "seed {seed}");
        assert_eq!(informer.status().reflector.not_served.is_none(), installed);
        factory.shutdown().await;
    });
}

#[tokio::test(start_paused = true)]
async fn shutdown_ends_a_wait_for_definitions() {
    let server = ApiServer::new();
    let faults = Faults::new();
    faults.inject(Requests::all().to("/customresourcedefinitions"), Injection::black_hole());
    let factory = factory_of(faults.client(server.client()));
    let _informer = factory.when_served(&widgets("v1")).unwrap();
    factory.start().unwrap();
    sleep(S).await;
    tokio::time::timeout(SOON, factory.shutdown()).await.expect("no wait is left");
}
