//! Work queues.

use std::collections::BTreeMap;
use std::sync::Arc;

use kube_informer::{Event, ObjectKey, WorkQueue};
use parking_lot::Mutex;

use super::super::harness::Outcome;
use super::super::rig::{Rig, SOON, eventually};
use super::super::widgets::Widget;

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
    let world: Arc<Mutex<BTreeMap<String, String>>> = Arc::default();
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
    let expected: BTreeMap<_, _> = (5..10).map(|n| (format!("w{n}"), "red".to_owned())).collect();
    eventually("the world is as the widgets are", async || *world.lock() == expected).await;
    queue.shutdown();
    worker.await.unwrap();
    errors.assert_none();
    factory.shutdown().await;
    Ok(())
}
