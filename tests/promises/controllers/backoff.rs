//! A failing key waits its backoff, whatever events come.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::Deployment;
use kube::api::ObjectMeta;
use kube_informer::testing::FakeSource;
use kube_informer::workqueue::ExponentialBackoff;
use kube_informer::{Action, Controller, InformerOptions, SharedInformer};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::support::*;

fn deployment(generation: i64, note: usize) -> Deployment {
    Deployment {
        metadata: ObjectMeta {
            namespace: Some("shop".into()),
            name: Some("web".into()),
            generation: Some(generation),
            annotations: Some([("note".into(), note.to_string())].into()),
            ..ObjectMeta::default()
        },
        ..Deployment::default()
    }
}

#[tokio::test(start_paused = true)]
async fn a_storm_of_status_changes_never_shortens_a_backoff() {
    let source = Arc::new(FakeSource::<Deployment>::new("deployments.apps", "Deployment"));
    source.put(deployment(1, 0));
    let informer = SharedInformer::new(source.clone(), InformerOptions::new());
    let controller = Controller::builder("failing", &informer)
        .limiter(ExponentialBackoff::new(10 * S, 80 * S))
        .build();
    let (log, stop) = (Log::new(), CancellationToken::new());
    let logged = log.clone();
    let running = tokio::spawn(controller.run(stop.clone(), move |it| {
        logged.add(it.failures);
        async { Err::<Action, _>(std::io::Error::other("on purpose")) }
    }));
    let storm = tokio::spawn({
        let source = source.clone();
        async move {
            for note in 0.. {
                source.put(deployment(1, note));
                sleep(100 * MS).await;
            }
        }
    });
    log.reaches(6).await;
    assert_eq!(log.gaps(), [10, 20, 40, 80, 80]);
    storm.abort();

    // A new generation is tried at once, and its backoff begins with the shortest delay.
    log.take();
    sleep(5 * S).await;
    let changed = Instant::now();
    source.put(deployment(2, 0));
    log.reaches(1).await;
    assert!(changed.elapsed() < S);
    log.reaches(3).await;
    assert_eq!(log.gaps(), [10, 20]);
    assert_eq!(log.take(), [0, 1, 2]);

    // So is an object that came again.
    sleep(5 * S).await;
    source.delete(&kube_informer::ObjectKey::namespaced("shop", "web").unwrap());
    log.reaches(1).await;
    assert_eq!(log.take(), [0]);
    stop.cancel();
    running.await.unwrap().unwrap();
}
