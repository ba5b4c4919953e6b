//! Events end the backoff of a failing key, but not before it has held for ten seconds. Only a new
//! spec ends it at once.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use kube::api::ObjectMeta;
use kube_controllers::{Action, Controller};
use kube_informer::testing::FakeSource;
use kube_informer::workqueue::{ExponentialBackoff, TokenBucket};
use kube_informer::{InformerOptions, SharedInformer, Storage};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

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
async fn storm_of_events_retries_every_ten_seconds() {
    let source = Arc::new(FakeSource::<Deployment>::new("deployments.apps", "Deployment"));
    source.put(deployment(1, 0));
    let informer = SharedInformer::new(source.clone(), InformerOptions::new());
    let controller = Controller::builder("failing", &informer)
        .limiter(ExponentialBackoff::new(4 * S, 80 * S))
        .build();
    let (log, stop) = (Log::new(), CancellationToken::new());
    let logged = log.clone();
    let running = spawn(controller.run(stop.clone(), move |request| {
        logged.add(request.failures);
        async { Err::<Action, _>(std::io::Error::other("on purpose")) }
    }));
    let storm = spawn({
        let source = source.clone();
        async move {
            for note in 0.. {
                source.put(deployment(1, note));
                sleep(100 * MS).await;
            }
        }
    });
    log.reaches(6).await;
    assert_eq!(log.gaps(), [4, 8, 10, 10, 10]);
    storm.abort();

    // A new generation is tried at once, and its backoff begins with the shortest delay.
    log.take();
    sleep(3 * S).await;
    let changed = Instant::now();
    source.put(deployment(2, 0));
    log.reaches(1).await;
    assert!(changed.elapsed() < S);
    log.reaches(3).await;
    assert_eq!(log.gaps(), [4, 8]);
    assert_eq!(log.take(), [0, 1, 2]);

    // So is an object that came again.
    sleep(5 * S).await;
    source.delete(&kube_informer::ObjectKey::namespaced("shop", "web").unwrap());
    log.reaches(1).await;
    assert_eq!(log.take(), [0]);
    stop.cancel();
    running.await.unwrap().unwrap();
}

/// The try may have seen the old spec: its failure says nothing of the new one.
#[tokio::test(start_paused = true)]
async fn new_spec_during_a_try_ends_its_backoff() {
    for (what, storage) in [
        ("decoded", Storage::decoded()),
        ("packed", Storage::compact().hot_for(Duration::ZERO)),
        ("partly unpacked", Storage::compact().hot_for(Duration::ZERO).check_on_arrival(false)),
    ] {
        let source = Arc::new(FakeSource::<Deployment>::new("deployments.apps", "Deployment"));
        source.put(deployment(1, 0));
        let options = InformerOptions::new().storage(storage);
        let informer = SharedInformer::new(source.clone(), options);
        let controller = Controller::builder("failing", &informer)
            .limiter(ExponentialBackoff::new(100 * S, 100 * S))
            .build();
        let (log, stop) = (Log::new(), CancellationToken::new());
        let logged = log.clone();
        let running = spawn(controller.run(stop.clone(), move |request| {
            logged.add(request.failures);
            async {
                sleep(10 * S).await;
                Err::<Action, _>(std::io::Error::other("on purpose"))
            }
        }));
        log.reaches(1).await;
        sleep(S).await;
        source.put(deployment(2, 0));
        log.reaches(2).await;
        sleep(S).await;
        source.put(deployment(2, 1));
        log.reaches(3).await;
        assert_eq!(log.gaps(), [10, 20], "{what}: a spec ends it, a status after ten seconds");
        stop.cancel();
        running.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn failures_are_counted_whatever_the_limiter() {
    let source = Arc::new(FakeSource::<Deployment>::new("deployments.apps", "Deployment"));
    source.put(deployment(1, 0));
    let informer = SharedInformer::new(source.clone(), InformerOptions::new());
    let controller =
        Controller::builder("bucket", &informer).limiter(TokenBucket::new(1.0, 1)).build();
    let (handle, log, stop) = (controller.handle(), Log::new(), CancellationToken::new());
    let logged = log.clone();
    let running =
        spawn(controller.run(stop.clone(), move |request| {
            logged.add(request.failures);
            let fails = request.failures < 2;
            async move {
                if fails { Err(std::io::Error::other("on purpose")) } else { Ok(Action::done()) }
            }
        }));
    log.reaches(3).await;
    assert_eq!(log.take(), [0, 1, 2]);
    assert_eq!(handle.status().last_failure.map(|last| last.failures), Some(2));
    source.put(deployment(1, 1));
    log.reaches(1).await;
    assert_eq!(log.take(), [0], "a success ends the row");
    stop.cancel();
    running.await.unwrap().unwrap();
}
