//! The other half: queues and controllers.

use std::collections::BTreeSet;
use std::sync::Arc;

use kube::ResourceExt;
use kube::api::{Api, Patch, PatchParams};
use kube_controllers::controller::{Finalize, finalizer};
use kube_controllers::{Action, Controller};
use kube_informer::{Event, ObjectKey, WorkQueue};
use parking_lot::Mutex;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::super::harness::Outcome;
use super::super::rig::{Rig, SOON, eventually, listed};
use super::super::widgets::Widget;

const FINALIZER: &str = "example.com/scenario";

pub(super) async fn a_work_queue_gets_each_key(rig: Rig) -> Outcome {
    let (factory, errors) = rig.factory();
    let informer = factory.informer::<Widget>();
    let queue: WorkQueue<ObjectKey> = WorkQueue::new();
    let adding = queue.clone();
    informer
        .on_event(move |event: Event<Widget>| {
            adding.add(ObjectKey::of(&**event.object()).expect("it is stored under one"));
        })
        .unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    // The worker's result: the color of each widget that exists.
    let world: Arc<Mutex<std::collections::BTreeMap<String, String>>> = Arc::default();
    let (working, kept, store) = (queue.clone(), world.clone(), informer.clone());
    let worker = tokio::spawn(async move {
        while let Some(work) = working.get().await {
            let name = work.item().name().to_owned();
            match store.lister().get_by_key(work.item()) {
                Ok(widget) => kept.lock().insert(name, widget.spec.color.clone()),
                Err(_) => kept.lock().remove(&name),
            };
            work.forget();
        }
    });
    for n in 0..10 {
        rig.make(&format!("w{n}"), "blue").await;
    }
    for n in 0..5 {
        rig.delete(&format!("w{n}")).await;
        rig.paint(&format!("w{}", n + 5), "red").await;
    }
    let expected: std::collections::BTreeMap<_, _> =
        (5..10).map(|n| (format!("w{n}"), "red".to_owned())).collect();
    eventually("the world is as the widgets are", async || *world.lock() == expected).await;
    queue.shutdown();
    worker.await.unwrap();
    errors.assert_none();
    factory.shutdown().await;
    Ok(())
}

pub(super) async fn a_controller_finalizes(rig: Rig) -> Outcome {
    let (factory, _errors) = rig.factory();
    let informer = factory.informer::<Widget>();
    let controller = Controller::builder("painter", &informer).concurrency(4).build();
    let stop = CancellationToken::new();
    let (api, cleaned) = (rig.widgets(), Arc::new(Mutex::new(BTreeSet::new())));
    let noted = cleaned.clone();
    let running = tokio::spawn(controller.run(stop.clone(), move |request| {
        let (api, cleaned): (Api<Widget>, _) = (api.clone(), noted.clone());
        async move {
            let Some(widget) = request.object.present() else { return Ok(Action::done()) };
            let writing = api.clone();
            finalizer(&api, FINALIZER, widget, |what| async move {
                match what {
                    Finalize::Apply(widget) => {
                        let ready = Patch::Merge(json!({ "status": { "ready": true } }));
                        let params = PatchParams::default();
                        writing.patch_status(&widget.name_any(), &params, &ready).await?;
                    }
                    Finalize::Cleanup(widget) => {
                        cleaned.lock().insert(widget.name_any());
                    }
                }
                Ok::<_, kube::Error>(Action::done())
            })
            .await
        }
    }));
    let names: BTreeSet<String> = (0..10).map(|n| format!("w{n}")).collect();
    for name in &names {
        rig.make(name, "blue").await;
    }
    let ready = |widget: &Widget| widget.status.as_ref().is_some_and(|status| status.ready);
    eventually("all are ready", async || {
        let store = informer.snapshot();
        store.len() == names.len() && store.iter().all(|(_, widget)| ready(&widget))
    })
    .await;
    for name in &names {
        let widget = rig.widgets().get(name).await.unwrap();
        assert_eq!(widget.finalizers(), [FINALIZER]);
        rig.delete(name).await;
    }
    eventually("all are gone", async || listed(&rig.widgets()).await.is_empty()).await;
    assert_eq!(*cleaned.lock(), names, "none went without its cleanup");
    eventually("the store is empty", async || informer.snapshot().is_empty()).await;
    stop.cancel();
    running.await.unwrap().unwrap();
    factory.shutdown().await;
    Ok(())
}
