//! Scenarios with faults from which an informer recovers.

use std::time::Duration;

use kube::Client;
use kube::api::{Api, DeleteParams, DynamicObject, PostParams};
use kube_informer::InformerSpec;
use kube_informer::reflector::RelistCause;

use super::super::harness::Outcome;
use super::super::rig::{Log, Rig, SOON, converges, eventually, listed};
use super::super::widgets::{Widget, part, private};

/// Deletes, changes, recreates and adds objects while no watch is open.
async fn change_everything(rig: &Rig) {
    rig.delete("a").await;
    rig.paint("b", "red").await;
    rig.delete("c").await;
    rig.make("c", "green").await;
    rig.make("d", "blue").await;
    rig.make("e", "blue").await;
    rig.delete("e").await;
}

pub(super) async fn a_cut_watch_goes_on_where_it_was(rig: Rig) -> Outcome {
    for name in ["a", "b", "c"] {
        rig.make(name, "blue").await;
    }
    let (line, config) = rig.line().await;
    let (builder, errors) = rig.factory_of(Client::try_from(config).unwrap());
    let factory = builder.build();
    let informer = factory.informer::<Widget>();
    let log = Log::of(&informer);
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    // Told by the watch, so it is open.
    rig.make("still", "blue").await;
    log.reaches(4).await;
    log.take();
    line.cut();
    eventually("the cut is noticed", async || !errors.all().is_empty()).await;
    change_everything(&rig).await;
    assert_eq!(log.what(), Vec::<String>::new());
    line.mend();
    converges(&informer, &rig.widgets()).await;
    log.reaches(7).await;
    let expected =
        ["deleted a", "updated b", "deleted c", "added c", "added d", "added e", "deleted e"];
    assert_eq!(log.what(), expected, "each, in order, with its final state");
    assert_eq!(informer.status().reflector.relists.total(), 0);
    factory.shutdown().await;
    Ok(())
}

pub(super) async fn lost_history_loses_no_delete(rig: Rig) -> Outcome {
    let group = format!("{}.example.com", rig.namespace);
    let (definition, resource) = private(&group);
    let name = format!("parts.{group}");
    rig.backend.define(definition).await;
    let parts: Api<DynamicObject> = Api::namespaced_with(rig.client(), &rig.namespace, &resource);
    let make = async |name: &str| {
        parts.create(&PostParams::default(), &part(&resource, name, 1)).await.unwrap();
    };
    for name in ["a", "b", "c"] {
        make(name).await;
    }
    let (line, config) = rig.line().await;
    let (builder, errors) = rig.factory_of(Client::try_from(config).unwrap());
    let factory = builder.build();
    let spec = InformerSpec::new().namespace(&*rig.namespace);
    let informer = factory.dynamic_with(&resource, spec).unwrap();
    let log = Log::of(&informer);
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    make("still").await;
    log.reaches(4).await;
    log.take();
    line.cut();
    eventually("the cut is noticed", async || !errors.all().is_empty()).await;

    parts.delete("a", &DeleteParams::default()).await.unwrap();
    let mut changed = parts.get("b").await.unwrap();
    changed.data["size"] = 2.into();
    parts.replace("b", &PostParams::default(), &changed).await.unwrap();
    parts.delete("c", &DeleteParams::default()).await.unwrap();
    make("c").await;
    make("d").await;
    make("e").await;
    parts.delete("e", &DeleteParams::default()).await.unwrap();
    rig.backend.forget_history(&name).await;
    line.mend();

    converges(&informer, &parts).await;
    log.reaches(5).await;
    let mut told = log.what();
    let of_c: Vec<_> = told.iter().filter(|what| what.ends_with(" c")).cloned().collect();
    assert_eq!(of_c, ["lost c", "added c"], "another object under the same name");
    told.sort();
    assert_eq!(told, ["added c", "added d", "lost a", "lost c", "updated b"]);
    let relists = informer.status().reflector.relists;
    assert!(relists.of(RelistCause::Expired) > 0, "{relists:?} by {:?}", errors.all());
    factory.shutdown().await;
    rig.backend.undefine(&name).await;
    Ok(())
}

pub(super) async fn a_removed_definition_comes_back(rig: Rig) -> Outcome {
    let group = format!("{}.example.com", rig.namespace);
    let (definition, resource) = private(&group);
    let name = format!("parts.{group}");
    rig.backend.define(definition.clone()).await;
    let parts: Api<DynamicObject> = Api::namespaced_with(rig.client(), &rig.namespace, &resource);
    let make = async |name: &str| {
        parts.create(&PostParams::default(), &part(&resource, name, 1)).await.unwrap();
    };
    let (factory, errors) = rig.factory();
    let spec = InformerSpec::new().namespace(&*rig.namespace);
    let informer = factory.dynamic_with(&resource, spec).unwrap();
    let log = Log::of(&informer);
    for name in ["a", "b", "c"] {
        make(name).await;
    }
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    log.reaches(3).await;
    for round in 0..2 {
        log.take();
        // Only a watch can tell of what came after the list, and only an open one of the end.
        make("d").await;
        log.reaches(1).await;
        log.take();
        rig.backend.undefine(&name).await;
        log.reaches(4).await;
        let mut told = log.take();
        told.sort();
        let expected = ["deleted a", "deleted b", "deleted c", "deleted d"];
        assert_eq!(told, expected, "round {round}");
        let not_found = async || errors.all().iter().any(|error| error.contains("404"));
        eventually("its absence is reported", not_found).await;
        rig.backend.define(definition.clone()).await;
        for name in ["a", "b", "c"] {
            make(name).await;
        }
        converges(&informer, &parts).await;
        log.reaches(3).await;
    }
    factory.shutdown().await;
    rig.backend.undefine(&name).await;
    Ok(())
}

pub(super) async fn shutdown_leaves_nothing(rig: Rig) -> Outcome {
    for n in 0..5 {
        rig.make(&format!("w{n}"), "blue").await;
    }
    let (line, config) = rig.line().await;
    let namespace = rig.namespace.clone();
    // A runtime of its own: whatever task is left there is left by this.
    let (before, after) = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let tasks = || runtime.metrics().num_alive_tasks();
        let before = tasks();
        runtime.block_on(async {
            let client = Client::try_from(config).unwrap();
            let factory =
                kube_informer::SharedInformerFactory::builder(client).namespace(namespace).build();
            let all = factory.informer::<Widget>();
            let blue =
                factory.informer_with(InformerSpec::<Widget>::new().labels("color=blue")).unwrap();
            let (log, events) = (Log::of(&all), blue.events().unwrap());
            factory.start().unwrap();
            factory.wait_for_sync(SOON).await.unwrap();
            log.reaches(5).await;
            factory.shutdown().await;
            assert!(all.is_stopped() && blue.is_stopped());
            drop((factory, all, blue, events));
            let start = std::time::Instant::now();
            while tasks() > before && start.elapsed() < SOON {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        (before, tasks())
    })
    .await
    .unwrap();
    assert_eq!(before, after, "tasks");
    eventually("no connection is left", async || line.connections() == 0).await;
    assert_eq!(listed(&rig.widgets()).await.len(), 5, "the objects are where they were");
    Ok(())
}
