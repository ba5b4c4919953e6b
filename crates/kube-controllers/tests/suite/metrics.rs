//! Metrics of an informer through the `metrics` facade, from its creation to its end.

#![allow(clippy::float_cmp, clippy::cast_precision_loss, reason = "small whole numbers")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::ObjectMeta;
use kube_controllers::manager::serve::Prometheus;
use kube_informer::metrics as names;
use kube_informer::object::{ShardKey, ShardSelector};
use kube_informer::testing::{ApiServer, FakeSource};
use kube_informer::{
    HandlerOptions, InformerOptions, InformerSpec, SharedInformer, SharedInformerFactory, Storage,
};
use parking_lot::Mutex;
use tokio::sync::watch;

use crate::helpers::{factory, metadata, until};

const SOON: Duration = Duration::from_secs(30);

fn pod(name: &str) -> Pod {
    Pod { metadata: metadata("shop", name), ..Pod::default() }
}

/// Every series that is alive, without its help.
fn scrape(recorder: &Prometheus) -> BTreeMap<String, f64> {
    let text = recorder.render();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| line.rsplit_once(' ').unwrap())
        .map(|(s, v)| (s.into(), v.parse().unwrap()))
        .collect()
}

fn value(recorder: &Prometheus, name: &str, labels: &str) -> f64 {
    let series = format!("{name}{{{labels}}}");
    *scrape(recorder)
        .get(&series)
        .unwrap_or_else(|| panic!("no {series} in\n{}", recorder.render()))
}

const PODS: &str = r#"name="shop-controller",group="",resource="pods",namespace="shop""#;

fn of_pods(label: &str, value: &str) -> String {
    format!("{PODS},{label}=\"{value}\"")
}

#[tokio::test(start_paused = true)]
async fn metrics_follow_an_informers_life() {
    let recorder = Prometheus::default();
    let _installed = metrics::set_default_local_recorder(&recorder);
    names::describe();
    let server = ApiServer::new();
    for name in ["a", "b", "c"] {
        server.create(&pod(name)).unwrap();
    }
    let factory = SharedInformerFactory::builder(server.client())
        .name("shop-controller")
        .on_error(|_| {})
        .build();
    // In packed storage, index functions see an object before it is filed.
    let spec = InformerSpec::<Pod>::new().namespace("shop").storage(Storage::decoded());
    let pods = factory.informer_with(spec).unwrap();
    // Counters exist before the first event; otherwise the first event would be no increase.
    assert_eq!(value(&recorder, "kube_informer_relists_total", &of_pods("cause", "expired")), 0.0);
    assert_eq!(
        value(&recorder, "kube_informer_errors_total", &of_pods("class", "undecodable")),
        0.0
    );
    assert_eq!(value(&recorder, "kube_informer_synced", PODS), 0.0);
    // While the first list is filed, it waits for the store.
    let (scraped, waiting) = (recorder.clone(), Arc::new(Mutex::new(Vec::new())));
    let sees = waiting.clone();
    pods.add_index("queued", move |_: &Pod| {
        sees.lock().push(value(&scraped, "informer_queued_items", PODS));
        None::<String>
    })
    .unwrap();
    let panics =
        pods.add_handler_with(PanicsOn("b"), HandlerOptions::new().name("fragile")).unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    assert!(panics.wait_for_sync().await);

    assert_eq!(*waiting.lock(), [3.0; 3]);
    let pods_metric = |name| value(&recorder, name, PODS);
    assert_eq!(pods_metric("kube_informer_objects"), 3.0);
    assert_eq!(pods_metric("kube_informer_stale_objects"), 0.0);
    assert_eq!(pods_metric("kube_informer_synced"), 1.0);
    assert_eq!(pods_metric("informer_queued_items"), 0.0);
    assert_eq!(pods_metric("informer_store_resource_version"), server.revision() as f64);
    assert!(pods_metric("informer_processing_latency_seconds_count") >= 1.0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
    assert!((now - pods_metric("kube_informer_last_event_timestamp_seconds")).abs() < 60.0);
    let fragile = |name| value(&recorder, name, &of_pods("handler", "fragile"));
    assert_eq!(fragile("kube_informer_handler_delivered_total"), 3.0);
    assert_eq!(fragile("kube_informer_handler_panics_total"), 1.0);
    assert_eq!(fragile("informer_pending_notifications"), 0.0);
    assert_eq!(fragile("kube_informer_handler_lag_seconds_count"), 1.0, "one batch");

    let heard = pods_metric("kube_informer_last_event_timestamp_seconds");
    server.create(&pod("x")).unwrap();
    until("the new pod", || pods.snapshot().version() == Some(&server.revision().into())).await;
    assert!(pods_metric("kube_informer_last_event_timestamp_seconds") > heard);
    server.delete(&pod("x")).unwrap();

    // The watch is cut, and by the time it is asked again its version is gone.
    server.compact();
    server.create(&pod("d")).unwrap();
    server.delete(&pod("a")).unwrap();
    server.compact();
    server.drop_connections();
    let relisted =
        || value(&recorder, "kube_informer_relists_total", &of_pods("cause", "expired")) > 0.0;
    until("a relist", relisted).await;
    until("the new state", || pods.snapshot().version() == Some(&server.revision().into())).await;
    assert!(value(&recorder, "kube_informer_errors_total", &of_pods("class", "expired")) >= 1.0);
    assert!(
        value(&recorder, "kube_informer_errors_total", &of_pods("class", "other")) >= 1.0,
        "the cut"
    );
    assert_eq!(pods_metric("kube_informer_objects"), 3.0);
    assert_eq!(pods_metric("informer_store_resource_version"), server.revision() as f64);

    // The status says the same.
    let status = factory.status().informers.remove(0);
    assert_eq!(&*status.name, "shop-controller");
    let relists = status.reflector.relists.total() as f64;
    let told: f64 = scrape(&recorder)
        .iter()
        .filter(|(series, _)| series.starts_with("kube_informer_relists_total"))
        .map(|(_, value)| value)
        .sum();
    assert_eq!(told, relists);

    factory.shutdown().await;
    assert_eq!(recorder.render(), "", "though factory, informer and registration are still held");
    drop((factory, pods, panics));
}

#[tokio::test(start_paused = true)]
async fn never_decoded_object_is_counted_until_deleted() {
    let recorder = Prometheus::default();
    let _installed = metrics::set_default_local_recorder(&recorder);
    let server = ApiServer::new();
    for name in ["a", "bad"] {
        server.create(&pod(name)).unwrap();
    }
    let factory = SharedInformerFactory::builder(server.client())
        .name("shop-controller")
        .on_error(|_| {})
        .build();
    let spec = InformerSpec::<Pod>::new().namespace("shop");
    let refuses = |pod: &mut Pod| assert_ne!(pod.metadata.name.as_deref(), Some("bad"));
    let pods = factory.informer_with(spec.transform(refuses)).unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    tokio::time::sleep(Duration::from_millis(1)).await;
    let gauges = || {
        ["kube_informer_objects", "kube_informer_stale_objects", "kube_informer_unreadable_objects"]
            .map(|name| value(&recorder, name, PODS))
    };
    assert_eq!(gauges(), [1.0, 0.0, 1.0]);
    assert_eq!(pods.status().unreadable, 1);
    server.delete(&pod("bad")).unwrap();
    until("the deletion", || pods.snapshot().version() == Some(&server.revision().into())).await;
    assert_eq!(gauges(), [1.0, 0.0, 0.0]);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn audits_are_counted_by_result() {
    let recorder = Prometheus::default();
    let _installed = metrics::set_default_local_recorder(&recorder);
    let server = ApiServer::new();
    server.create(&pod("a")).unwrap();
    let factory = factory(&server);
    let pods = factory.informer::<Pod>();
    let count = |result: &str| {
        let labels = r#"name="",group="",resource="pods",namespace="""#;
        value(&recorder, "kube_informer_audits_total", &format!("{labels},result=\"{result}\""))
    };
    let counts = || ["passed", "differs", "not_judged"].map(count);
    assert_eq!(counts(), [0.0; 3]);
    pods.audit().await;
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    for _ in 0..2 {
        assert!(pods.audit().await.passed());
    }
    assert_eq!(counts(), [2.0, 0.0, 1.0]);
    factory.shutdown().await;
    assert_eq!(recorder.render(), "");
}

struct PanicsOn(&'static str);

impl kube_informer::EventHandler<Pod> for PanicsOn {
    fn on_add(&mut self, pod: Arc<Pod>, _: bool) {
        assert_ne!(pod.metadata.name.as_deref(), Some(self.0), "as the test asked");
    }
}

#[tokio::test(start_paused = true)]
async fn everything_is_typed_and_explained() {
    let recorder = Prometheus::default();
    let _installed = metrics::set_default_local_recorder(&recorder);
    names::describe();
    let source = FakeSource::<ConfigMap>::new("configmaps", "ConfigMap");
    let options = InformerOptions::new().name("n");
    let informer = SharedInformer::new(Arc::new(source), options);
    let _handler = informer.on_event(|_| {}).unwrap();
    let text = recorder.render();
    for (name, kind) in [
        ("informer_queued_items", "gauge"),
        ("informer_processing_latency_seconds", "histogram"),
        ("informer_store_resource_version", "gauge"),
        ("informer_pending_notifications", "gauge"),
        ("kube_informer_objects", "gauge"),
        ("kube_informer_stale_objects", "gauge"),
        ("kube_informer_unreadable_objects", "gauge"),
        ("kube_informer_synced", "gauge"),
        ("kube_informer_watch_refused", "gauge"),
        ("kube_informer_last_event_timestamp_seconds", "gauge"),
        ("kube_informer_relists_total", "counter"),
        ("kube_informer_errors_total", "counter"),
        ("kube_informer_clamped_objects_total", "counter"),
        ("kube_informer_index_faults_total", "counter"),
        ("kube_informer_audits_total", "counter"),
        ("kube_informer_handler_delivered_total", "counter"),
        ("kube_informer_handler_merged_total", "counter"),
        ("kube_informer_handler_cancelled_total", "counter"),
        ("kube_informer_handler_panics_total", "counter"),
        ("kube_informer_handler_lag_seconds", "histogram"),
        ("kube_informer_storage_packed_bytes", "gauge"),
        ("kube_informer_storage_hot_bytes", "gauge"),
        ("kube_informer_storage_hits_total", "counter"),
        ("kube_informer_storage_misses_total", "counter"),
        ("kube_informer_storage_kept_decoded_total", "counter"),
        ("kube_informer_storage_unreadable_total", "counter"),
    ] {
        assert!(text.contains(&format!("# HELP {name} ")), "{name}");
        assert!(text.contains(&format!("# TYPE {name} {kind}\n")), "{name}");
    }
    let families = text.lines().filter(|line| line.starts_with("# TYPE")).count();
    assert_eq!(families, 26, "and nothing else");
    drop(informer);
    assert_eq!(recorder.render(), "", "though the registration is still held");
}

#[tokio::test(start_paused = true)]
async fn what_is_packed_has_figures_of_its_own() {
    let recorder = Prometheus::default();
    let _installed = metrics::set_default_local_recorder(&recorder);
    names::describe();
    let source = FakeSource::<ConfigMap>::new("configmaps", "ConfigMap");
    let source = Arc::new(source);
    let put = |name: &str| {
        let metadata = ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() };
        source.put(ConfigMap { metadata, ..ConfigMap::default() });
    };
    put("a");
    let options = InformerOptions::new().storage(Storage::compact());
    let informer = SharedInformer::new(source.clone(), options);
    informer.start().unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    // The first read unpacks, and the second one finds the object.
    assert!(informer.lister().get("a").is_ok() && informer.lister().get("a").is_ok());
    // The next change brings the figures.
    put("b");
    informer.wait_for(&source.version().into(), SOON).await.unwrap();
    tokio::time::sleep(Duration::from_millis(1)).await;
    let text = recorder.render();
    let of_storage = |line: &&str| line.starts_with("# TYPE kube_informer_storage_");
    assert_eq!(text.lines().filter(of_storage).count(), 6);
    let status = informer.status().storage.unwrap();
    let all = r#"name="",group="",resource="configmaps",namespace="""#;
    assert_eq!(value(&recorder, "kube_informer_storage_packed_bytes", all), status.bytes as f64);
    assert_eq!(value(&recorder, "kube_informer_storage_hits_total", all), status.hits as f64);
    assert!(status.bytes > 0 && status.hits > 0);
    informer.shutdown().await;
    drop(informer);
    assert_eq!(recorder.render(), "");
}

#[tokio::test(start_paused = true)]
async fn a_full_backlog_and_its_lag_are_seen() {
    let recorder = Prometheus::default();
    let _installed = metrics::set_default_local_recorder(&recorder);
    let server = ApiServer::new();
    let factory = SharedInformerFactory::builder(server.client()).build();
    let pods = factory.informer::<Pod>();
    let mut events = pods.events_with(HandlerOptions::new().name("slow").backlog(1)).unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    let all = |name: &str| {
        value(&recorder, name, r#"name="",group="",resource="pods",namespace="",handler="slow""#)
    };
    let caught_up = |wanted: u64| {
        let pods = &pods;
        async move {
            let wanted = wanted.into();
            let there = || pods.snapshot().version().is_some_and(|version| *version == wanted);
            until("the store's version", there).await;
        }
    };
    server.create(&pod("a")).unwrap();
    caught_up(server.revision()).await;
    let mut kept = server.create(&pod("b")).unwrap();
    kept.metadata.labels = Some([("app".into(), "web".into())].into());
    server.replace(&kept).unwrap();
    caught_up(server.revision()).await;
    server.delete(&pod("a")).unwrap();
    caught_up(server.revision()).await;
    assert_eq!(all("informer_pending_notifications"), 1.0);
    assert_eq!(all("kube_informer_handler_merged_total"), 1.0);
    assert_eq!(all("kube_informer_handler_cancelled_total"), 1.0);
    tokio::time::sleep(Duration::from_secs(7)).await;
    let lag = factory.status().informers[0].handlers[0].lag;
    assert!(lag >= Duration::from_secs(7) && lag < Duration::from_secs(9), "{lag:?}");
    events.next().await.unwrap();
    assert_eq!(all("informer_pending_notifications"), 0.0);
    assert_eq!(all("kube_informer_handler_lag_seconds_count"), 1.0);
    assert!((all("kube_informer_handler_lag_seconds_sum") - lag.as_secs_f64()).abs() < 0.1);
    assert_eq!(events.status().lag, Duration::ZERO);
    factory.shutdown().await;
    assert_eq!(recorder.render(), "", "the stream is still held");
    drop(events);
}

#[tokio::test(start_paused = true)]
async fn dropped_informers_leave_no_metrics() {
    let recorder = Prometheus::default();
    let _installed = metrics::set_default_local_recorder(&recorder);
    let server = ApiServer::new();
    let factory = SharedInformerFactory::builder(server.client()).build();
    let never_started = factory.informer::<Pod>();
    let unnamed = [(); 2].map(|()| never_started.on_event(|_| {}).unwrap());
    assert!(!recorder.render().is_empty());
    factory.shutdown().await;
    assert_eq!(recorder.render(), "");
    drop(unnamed);

    let running = factory.informer::<Pod>();
    let removed = running.on_event(|_| {}).unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    removed.remove_and_wait().await;
    assert!(!recorder.render().contains("handler="), "removed");
    assert!(recorder.render().contains("kube_informer_objects"));
    drop((factory, never_started, running));
    until("the end", || recorder.render().is_empty()).await;
}

#[tokio::test(start_paused = true)]
async fn replica_without_slots_has_no_last_event() {
    let recorder = Prometheus::default();
    let _installed = metrics::set_default_local_recorder(&recorder);
    let server = ApiServer::new();
    server.create(&pod("a")).unwrap();
    let factory = SharedInformerFactory::builder(server.client()).build();
    let shard = |part| ShardSelector::new(ShardKey::Uid, part);
    let (shards, channel) = watch::channel(shard(None));
    let pods = factory.informer_with(InformerSpec::<Pod>::new().shard(channel)).unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    let labels = r#"name="",group="",resource="pods",namespace="""#;
    let last_event = || value(&recorder, "kube_informer_last_event_timestamp_seconds", labels);
    for _ in 0..3 {
        // The alert leaves out a gauge of zero.
        assert_eq!(last_event(), 0.0);
        shards.send_replace(shard(Some(0..=u64::MAX)));
        until("the object", || pods.lister().len() == 1).await;
        assert!(last_event() > 0.0);
        shards.send_replace(shard(None));
        until("no object", || pods.lister().is_empty()).await;
        // Neither the watch that ends nor a later write is an event here.
        server.create(&pod("b")).unwrap();
        server.delete(&pod("b")).unwrap();
        tokio::time::sleep(Duration::from_secs(3600)).await;
    }
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn undecodable_object_is_counted() {
    let recorder = Prometheus::default();
    let _installed = metrics::set_default_local_recorder(&recorder);
    let list = r#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[
        {"metadata":{"name":"good","resourceVersion":"4"}},
        {"metadata":{"name":"bad","resourceVersion":"5"},"spec":{"containers":7}}]}"#;
    let server = ApiServer::new();
    server.intercept(move |request| {
        let answer = http::Response::builder().header("content-type", "application/json");
        (!request.watch).then(|| answer.body(list.into()).unwrap())
    });
    let factory = factory(&server);
    let pods = factory.informer::<Pod>();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    let labels = r#"name="",group="",resource="pods",namespace="""#;
    let undecodable = format!(r#"{labels},class="undecodable""#);
    assert_eq!(value(&recorder, "kube_informer_errors_total", &undecodable), 1.0);
    assert_eq!(value(&recorder, "kube_informer_objects", labels), 1.0);
    drop(pods);
    factory.shutdown().await;
}
