//! Controllers.

use std::collections::BTreeSet;
use std::sync::Arc;

use kube::ResourceExt;
use kube::api::{Api, Patch, PatchParams};
use kube_controllers::controller::{Finalize, finalizer};
use kube_controllers::{Action, Controller};
use parking_lot::Mutex;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::super::harness::Outcome;
use super::super::rig::{Rig, eventually, listed};
use super::super::widgets::Widget;

const FINALIZER: &str = "example.com/scenario";

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
