//! Scenarios after the first state.

use std::time::Duration;

use futures::future::join_all;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kube::{CustomResourceExt, ResourceExt};
use kube_informer::informer::ReadBarrier;
use kube_informer::reflector::ListMode;
use kube_informer::{InformerSpec, ResourceVersion};
use serde_json::json;

use super::super::harness::Outcome;
use super::super::rig::{Log, Rig, SOON, converges, eventually, stored};
use super::super::widgets::{Gauge, GaugeSpec, Widget, widget};

pub(super) async fn handlers_see_creates_updates_and_deletes(rig: Rig) -> Outcome {
    let (factory, errors) = rig.factory();
    let typed = factory.informer::<Widget>();
    let spec = InformerSpec::new().namespace(&*rig.namespace).list_mode(ListMode::Streaming);
    let untyped = factory.dynamic_with(&Widget::api_resource(), spec).unwrap();
    let logs = [Log::of(&typed), Log::of(&untyped)];
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();

    let made = rig.make("a", "blue").await;
    let painted = rig.paint("a", "red").await;
    let ready = Patch::Merge(json!({ "status": { "ready": true } }));
    let readied = rig.widgets().patch_status("a", &PatchParams::default(), &ready).await.unwrap();
    // A patch without a change makes no event.
    rig.widgets().patch_status("a", &PatchParams::default(), &ready).await.unwrap();
    rig.delete("a").await;
    for log in logs {
        log.reaches(4).await;
        let told = log.all();
        let what: Vec<_> = told.iter().map(|told| &*told.what).collect();
        assert_eq!(what, ["added a", "updated a", "updated a", "deleted a"]);
        let versions = [&made, &painted, &readied].map(|w| w.resource_version().unwrap());
        for (told, version) in told.iter().zip(&versions) {
            assert_eq!(told.version, *version);
        }
        let newest: ResourceVersion = versions[2].as_str().into();
        let deleted = told[3].version.as_str().into();
        assert!(newest.is_older_than(&deleted), "it has the version of its deletion");
        assert!(told.iter().all(|told| told.uid == made.uid().unwrap()));
    }
    assert!(stored(&typed).is_empty() && stored(&untyped).is_empty());
    assert_eq!(painted.metadata.generation, Some(2));
    assert_eq!(readied.metadata.generation, Some(2), "a status is no new generation");
    errors.assert_none();
    factory.shutdown().await;
    Ok(())
}

pub(super) async fn objects_enter_and_leave_a_label_selector(rig: Rig) -> Outcome {
    selected(rig, |spec| spec.labels("color in (blue, green),!hidden")).await
}

pub(super) async fn objects_enter_and_leave_a_field_selector(rig: Rig) -> Outcome {
    selected(rig, |spec| spec.fields("spec.color=blue")).await
}

async fn selected(rig: Rig, select: fn(InformerSpec<Widget>) -> InformerSpec<Widget>) -> Outcome {
    rig.make("a", "blue").await;
    rig.make("b", "red").await;
    let (factory, errors) = rig.factory();
    let informer = factory.informer_with(select(InformerSpec::new())).unwrap();
    let log = Log::of(&informer);
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    rig.make("c", "red").await;
    let entered = rig.paint("b", "blue").await;
    let left = rig.paint("a", "red").await;
    rig.delete("a").await;
    rig.delete("c").await;
    rig.delete("b").await;
    log.reaches(4).await;
    let told = log.all();
    let what: Vec<_> = told.iter().map(|told| &*told.what).collect();
    assert_eq!(what, ["added a", "added b", "deleted a", "deleted b"]);
    assert_eq!(told[1].version, entered.resource_version().unwrap());
    assert_eq!(told[2].version, left.resource_version().unwrap(), "the state it left in");
    errors.assert_none();
    factory.shutdown().await;
    Ok(())
}

pub(super) async fn recreating_is_a_delete_and_an_add(rig: Rig) -> Outcome {
    let first = rig.make("a", "blue").await;
    let (factory, errors) = rig.factory();
    let informer = factory.informer::<Widget>();
    let log = Log::of(&informer);
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    rig.delete("a").await;
    let second = rig.make("a", "blue").await;
    log.reaches(3).await;
    let told = log.all();
    let (first, second) = (first.uid().unwrap(), second.uid().unwrap());
    let told: Vec<_> = told.iter().map(|told| (&*told.what, &*told.uid)).collect();
    assert_eq!(told, [("added a", &*first), ("deleted a", &first), ("added a", &second)]);
    assert_ne!(first, second);
    errors.assert_none();
    factory.shutdown().await;
    Ok(())
}

pub(super) async fn cluster_scoped_objects_have_no_namespace(rig: Rig) -> Outcome {
    let (factory, errors) = rig.factory();
    let informer = factory.informer::<Gauge>();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    // Others may have gauges, too.
    let name = format!("gauge-{}", rig.namespace);
    let api: Api<Gauge> = Api::all(rig.client());
    let gauge = Gauge::new(&name, GaugeSpec { reading: 1 });
    let made = api.create(&PostParams::default(), &gauge).await.unwrap();
    let version: ResourceVersion = made.resource_version().unwrap().as_str().into();
    let read = informer.lister().get_at_least(&name, &version, SOON).await.unwrap();
    assert_eq!((read.spec.reading, read.namespace()), (1, None));
    api.delete(&name, &DeleteParams::default()).await.unwrap();
    eventually("it is gone", async || informer.lister().get(&name).is_err()).await;
    errors.assert_none();
    factory.shutdown().await;
    Ok(())
}

pub(super) async fn a_writer_reads_what_it_wrote(rig: Rig) -> Outcome {
    let (factory, errors) = rig.factory();
    let informer = factory.informer::<Widget>();
    let lister = informer.lister().namespace(&*rig.namespace);
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    let version = |widget: &Widget| -> ResourceVersion {
        widget.resource_version().expect("an answer has one").as_str().into()
    };
    for n in 0..20 {
        let name = format!("w{n}");
        let made = rig.make(&name, "blue").await;
        let store = informer.wait_for(&version(&made), SOON).await.unwrap();
        let found = store.get_by_name(Some(&rig.namespace), &name);
        assert_eq!(found.map(|found| found.spec.clone()), Some(made.spec));
        let painted = rig.paint(&name, "red").await;
        let read = lister.get_at_least(&name, &version(&painted), SOON).await.unwrap();
        assert_eq!(read.spec.color, "red");
        rig.delete(&name).await;
        // Deleting answers no version; whatever is written afterwards comes later.
        let after = rig.make(&format!("after-{n}"), "blue").await;
        informer.wait_for(&version(&after), SOON).await.unwrap();
        lister.get(&name).expect_err("the store shows the delete");
        let missing = lister.get_at_least(&name, &version(&after), SOON).await;
        assert!(missing.is_err());
    }
    errors.assert_none();
    factory.shutdown().await;
    Ok(())
}

/// The server ends each watch after four seconds, and says before it does how far it is.
pub(super) async fn a_watch_that_ends_in_order_goes_on(rig: Rig) -> Outcome {
    rig.make("a", "blue").await;
    let (builder, errors) = rig.factory_of(rig.client_of_short_watches(4));
    let factory = builder.build();
    let informer = factory.informer::<Widget>();
    let log = Log::of(&informer);
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    let elsewhere: Api<Widget> = Api::namespaced(rig.client(), "default");
    for round in 0..2 {
        let mut wanted: Option<ResourceVersion> = None;
        // Only a bookmark tells this informer how far the server is. A real one has none for a
        // watch that was opened after the last write, so writes go on.
        for write in 0.. {
            let name = format!("{}-{round}-{write}", rig.namespace);
            let made = elsewhere.create(&PostParams::default(), &widget(&name, "blue")).await;
            let version = made.unwrap().resource_version().unwrap().as_str().into();
            elsewhere.delete(&name, &DeleteParams::default()).await.unwrap();
            let wanted = wanted.get_or_insert(version);
            let reached = informer.wait_for(wanted, Duration::from_millis(500)).await;
            let Err(behind) = reached else { break };
            assert!(write < 40, "{behind}: {:?}", informer.status());
        }
    }
    rig.make("b", "blue").await;
    converges(&informer, &rig.widgets()).await;
    log.reaches(2).await;
    assert_eq!(log.what(), ["added a", "added b"], "nobody hears of bookmarks");
    assert_eq!(informer.status().reflector.relists.total(), 0);
    errors.assert_none();
    factory.shutdown().await;
    Ok(())
}

/// Writes of another kind move the server's version beyond what the watch of a quiet one has heard.
pub(super) async fn a_large_quiet_kind_is_proved_without_a_list(rig: Rig) -> Outcome {
    let (factory, errors) = rig.factory();
    let informer = factory.informer::<Widget>();
    let names: Vec<_> = (0..510).map(|n| format!("w{n}")).collect();
    join_all(names.iter().map(|name| rig.make(name, "blue"))).await;
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    let lists = informer.status().reflector.lists;
    let gauges: Api<Gauge> = Api::all(rig.client());
    for nth in 0..3 {
        let name = format!("quiet-{nth}-{}", rig.namespace);
        let gauge = Gauge::new(&name, GaugeSpec { reading: 1 });
        gauges.create(&PostParams::default(), &gauge).await.unwrap();
        informer.reach(ReadBarrier::now(), SOON).await.unwrap();
        gauges.delete(&name, &DeleteParams::default()).await.unwrap();
    }
    let status = informer.status().reflector;
    assert_eq!(status.lists, lists, "{status:?}");
    rig.make("last", "blue").await;
    converges(&informer, &rig.widgets()).await;
    errors.assert_none();
    factory.shutdown().await;
    Ok(())
}
