//! A panic whose payload panics when it is dropped is like any other panic.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::error::{ApiStatus, Fault, SourceError};
use kube_informer::lister_watcher::{
    Collection, ListHints, ListQuery, ListStream, ListerWatcher, WatchQuery, WatchStream,
};
use kube_informer::reflector::{BackoffPolicy, ReflectorOptions};
use kube_informer::testing::{FakeSource, WatchEnd};
use kube_informer::{InformerOptions, SharedInformer};

use super::{SOON, filled, key, object};

/// A payload that panics when it is dropped.
struct Grenade;

impl Drop for Grenade {
    fn drop(&mut self) {
        panic!("the payload was dropped");
    }
}

fn explode() -> ! {
    std::panic::panic_any(Grenade)
}

/// A fake source; each kind of request panics once, before or while it is answered.
struct Mined {
    source: Arc<FakeSource<ConfigMap>>,
    calls: AtomicUsize,
}

impl Mined {
    /// Returns whether the present call panics later, when it is polled.
    fn step(&self) -> bool {
        match self.calls.fetch_add(1, Ordering::Relaxed) {
            0 | 3 => explode(),
            call => matches!(call, 1 | 4),
        }
    }
}

impl ListerWatcher<ConfigMap> for Mined {
    fn collection(&self) -> &Collection {
        self.source.collection()
    }

    fn list(
        &self,
        query: &ListQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<ConfigMap>, SourceError>> {
        if self.step() { async { explode() }.boxed() } else { self.source.list(query, hints) }
    }

    fn watch(
        &self,
        query: &WatchQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<ConfigMap>, SourceError>> {
        if self.step() { async { explode() }.boxed() } else { self.source.watch(query, hints) }
    }
}

#[tokio::test(start_paused = true)]
async fn source_is_asked_again_after_a_panic() {
    let source = filled(3);
    let mined = Mined { source: source.clone(), calls: AtomicUsize::new(0) };
    let options = ReflectorOptions::new().on_error(|_| explode());
    let informer = SharedInformer::new(Arc::new(mined), InformerOptions::new().reflector(options));
    informer.start().unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    source.put(object("late"));
    informer.wait_for(&source.version().into(), SOON).await.unwrap();
    assert_eq!(informer.status().failure, None);
}

/// An object of this name makes the transform panic; its data then panic when they are dropped.
const BAD: &str = "bad";

#[tokio::test(start_paused = true)]
async fn transform_keeps_its_panic_to_one_object() {
    let source = filled(3);
    source.put(object(BAD));
    let errors = Arc::new(AtomicUsize::new(0));
    let seen = errors.clone();
    let options = ReflectorOptions::new()
        .transform(|map: &mut ConfigMap| {
            if map.metadata.name.as_deref() == Some(BAD) {
                explode()
            }
        })
        .on_error(move |_| {
            seen.fetch_add(1, Ordering::Relaxed);
            explode()
        });
    let informer = SharedInformer::new(source.clone(), InformerOptions::new().reflector(options));
    informer.start().unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    source.put(object(BAD));
    source.put(object("good"));
    informer.wait_for(&source.version().into(), SOON).await.unwrap();
    assert!(informer.lister().get_by_key(&key("good")).is_ok());
    assert!(informer.lister().get_by_key(&key(BAD)).is_err());
    assert_eq!(errors.load(Ordering::Relaxed), 2);
    assert_eq!(informer.status().failure, None);
}

/// A policy each of whose calls panics.
struct Panicking;

impl BackoffPolicy for Panicking {
    fn next_delay(&mut self) -> Duration {
        explode()
    }

    fn reset(&mut self) {
        explode()
    }
}

#[tokio::test(start_paused = true)]
async fn panicking_backoff_policy_waits_the_longest_delay() {
    let source = filled(3);
    let options = ReflectorOptions::new().on_error(|_| {}).backoff(Panicking);
    let informer = SharedInformer::new(source.clone(), InformerOptions::new().reflector(options));
    informer.start().unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    for round in 0..3 {
        source.fail_list(Fault::Status(ApiStatus::new(500, "InternalError", "")));
        source.compact();
        source.end_watches(WatchEnd::Failed(ApiStatus::new(410, "Expired", "")));
        source.put(object(&format!("round-{round}")));
        informer.wait_for(&source.version().into(), 10 * SOON).await.unwrap();
        // Long enough in health for the policy to be reset.
        tokio::time::sleep(10 * SOON).await;
    }
    assert_eq!(informer.status().failure, None);
}
