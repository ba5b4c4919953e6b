//! A metrics recorder that panics.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::{Action, Controller};
use kube_informer::{InformerOptions, testing::FakeSource};
use kube_informer::{ObjectKey, SharedInformer, WorkQueue};
use metrics::{
    Counter, CounterFn, Gauge, GaugeFn, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder,
    SharedString, Unit,
};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::helpers::spawn;

const SOON: Duration = Duration::from_secs(60);

struct Panics;

impl CounterFn for Panics {
    fn increment(&self, _: u64) {
        panic!("on purpose")
    }

    fn absolute(&self, _: u64) {
        panic!("on purpose")
    }
}

impl GaugeFn for Panics {
    fn increment(&self, _: f64) {
        panic!("on purpose")
    }

    fn decrement(&self, _: f64) {
        panic!("on purpose")
    }

    fn set(&self, _: f64) {
        panic!("on purpose")
    }
}

impl HistogramFn for Panics {
    fn record(&self, _: f64) {
        panic!("on purpose")
    }
}

impl Recorder for Panics {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {
        panic!("on purpose")
    }

    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {
        panic!("on purpose")
    }

    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {
        panic!("on purpose")
    }

    fn register_counter(&self, _: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(Arc::new(Self))
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(Arc::new(Self))
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(Arc::new(Self))
    }
}

#[tokio::test(start_paused = true)]
async fn recorder_that_panics_loses_no_item() {
    let _recording = metrics::set_default_local_recorder(&Panics);
    let queue = WorkQueue::builder().name("measured").build();
    assert!(queue.add("a"));
    for _ in 0..2 {
        let work = timeout(SOON, queue.get()).await.unwrap().unwrap();
        assert!(work.retry().is_some());
    }
    let left = timeout(SOON, queue.shutdown_with_drain()).await.unwrap();
    assert_eq!(left, ["a"], "it waited for its third try");
}

#[tokio::test(start_paused = true)]
async fn panicking_recorder_stops_no_informer_or_controller() {
    let _recording = metrics::set_default_local_recorder(&Panics);
    let source = Arc::new(FakeSource::<ConfigMap>::new("configmaps", "ConfigMap"));
    let informer = SharedInformer::new(source.clone(), InformerOptions::new().name("measured"));
    let controller = Controller::builder("measured", &informer).build();
    let (told, mut keys) = mpsc::unbounded_channel();
    let stop = CancellationToken::new();
    let running = spawn(controller.run(stop.clone(), move |request| {
        told.send(request.key).unwrap();
        async { Ok::<_, std::io::Error>(Action::done()) }
    }));
    for name in ["a", "b"] {
        let mut object = ConfigMap::default();
        object.metadata.name = Some(name.into());
        source.put(object);
        let key = timeout(SOON, keys.recv()).await.unwrap();
        assert_eq!(key, Some(ObjectKey::cluster(name).unwrap()));
    }
    assert_eq!(informer.failure(), None);
    stop.cancel();
    timeout(SOON, running).await.unwrap().unwrap().unwrap();
    informer.shutdown().await;
}
