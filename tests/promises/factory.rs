//! Callers that request the same informer share it, and a request with other options is refused. A
//! stopped informer is gone. A group works with the namespaces that it may read.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::channel;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::FutureExt;
use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod};
use kube::core::ApiResource;
use kube_informer::factory::SpecError;
use kube_informer::informer::ReadBarrier;
use kube_informer::reflector::{ListMode, ReflectorState};
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer::{
    InformerSpec, ObjectKey, SharedInformer, SharedInformerFactory, SourceError, Storage,
};
use tokio::time::sleep;

use crate::helpers::{factory, forbid, map_in, refusal, spawn, until};

const SOON: Duration = Duration::from_secs(30);

fn pods() -> InformerSpec<Pod> {
    InformerSpec::new()
}

/// The options in which a second spec differs from the first.
fn differences(first: InformerSpec<Pod>, second: InformerSpec<Pod>) -> Vec<String> {
    let factory = factory(&ApiServer::new());
    let _first = factory.informer_with(first).unwrap();
    match factory.informer_with(second) {
        Ok(_) => Vec::new(),
        Err(SpecError::Conflict { differences, .. }) => differences,
        Err(other) => panic!("{other}"),
    }
}

fn same(a: &SharedInformer<Pod>, b: &SharedInformer<Pod>) -> bool {
    std::ptr::eq(a.collection(), b.collection())
}

#[tokio::test]
async fn each_option_that_differs_is_refused_by_name() {
    let minute = Duration::from_secs(60);
    for (option, present, asked, spec) in [
        ("name", "\"\"", "\"other\"", pods().name("other")),
        ("resync", "0ns", "60s", pods().resync(minute)),
        ("list_mode", "Auto", "Streaming", pods().list_mode(ListMode::Streaming)),
        ("page_size", "unset", "50", pods().page_size(50)),
        ("any_version", "false", "true", pods().any_version(true)),
        ("trust_versions", "true", "false", pods().trust_versions(false)),
        ("managed_fields", "false", "true", pods().managed_fields(true)),
        ("managed_fields", "false", "\"mine\"", pods().managed_fields_of("mine")),
        ("object_limit", "unset", "1000", pods().object_limit(1_000)),
        ("memory_limit", "unset", "9000", pods().memory_limit(9_000)),
        ("freshness_limit", "unset", "60s", pods().freshness_limit(minute)),
        ("on_error", "a closure", "another closure", pods().on_error(|_| {})),
        ("transform", "unset", "a closure", pods().transform(|_| {})),
    ] {
        let wanted = format!("{option} is {present}, requested: {asked}");
        assert_eq!(differences(pods(), spec), [wanted]);
    }
    let stored = differences(pods(), pods().storage(Storage::compact().hot_for(minute)));
    let (present, requested) = stored[0].split_once(", requested: ").unwrap();
    assert!(present.starts_with("storage is Packed") && requested.contains("hot_for: 60s"));
    let both = differences(
        pods().transform(|_| {}).page_size(10),
        pods().transform(|_| {}).page_size(20).resync(Duration::ZERO),
    );
    let both: Vec<_> = both.iter().map(ToString::to_string).collect();
    let page_size = "page_size is 10, requested: 20";
    assert_eq!(both, [page_size, "transform is a closure, requested: another closure"]);
}

#[tokio::test(start_paused = true)]
async fn spec_overrides_the_factory() {
    let server = ApiServer::new();
    let mut large = map_in("shop", "large");
    large.data = Some([("text".into(), "x".repeat(2_000))].into());
    server.create(&large).unwrap();
    let (of_factory, of_spec) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counting = |count: &Arc<AtomicUsize>| {
        let count = count.clone();
        move |_: &SourceError| {
            count.fetch_add(1, Relaxed);
        }
    };
    let factory = SharedInformerFactory::builder(server.client())
        .object_limit(1_000_000)
        .on_error(counting(&of_factory))
        .build();
    let maps = InformerSpec::<ConfigMap>::new;
    let spec = maps().object_limit(1_000).on_error(counting(&of_spec));
    let limited = factory.informer_with(spec).unwrap();
    let unlimited = factory.informer_with(maps().namespace("shop")).unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(Duration::from_secs(60)).await.unwrap();
    assert_eq!((limited.lister().len(), unlimited.lister().len()), (0, 1));
    assert_eq!((of_factory.load(Relaxed), of_spec.load(Relaxed)), (0, 1));
}

#[tokio::test]
async fn refusal_says_what_and_leaves_the_informer() {
    let factory = factory(&ApiServer::new());
    let spec = || pods().namespace("shop");
    let first = factory.informer_with(spec()).unwrap();
    let error = factory.informer_with(spec().managed_fields(true)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "an informer of pods in shop exists with other options: managed_fields is false, requested: \
         true; request it with clones of one spec, or from another factory"
    );
    assert!(!first.is_stopped() && same(&first, &factory.informer_with(spec()).unwrap()));

    let resource = ApiResource::erase::<Pod>(&());
    let _dynamic = factory.dynamic(&resource);
    let other = InformerSpec::new().transform(|_| {});
    factory.dynamic_with(&resource, other).unwrap_err();
    let group = InformerSpec::<Pod>::new().managed_fields(true);
    let error = factory.in_namespaces_with(["bank", "shop"], &group).unwrap_err();
    assert!(error.to_string().contains("pods in shop"), "{error}");
}

#[tokio::test]
async fn unset_or_equal_options_share_the_informer() {
    let factory = factory(&ApiServer::new());
    let spec = pods().transform(|_| {}).storage(Storage::compact()).page_size(10).name("mine");
    let first = factory.informer_with(spec.clone()).unwrap();
    assert!(same(&first, &factory.informer_with(spec).unwrap()), "clones of one spec");
    assert!(same(&first, &factory.informer()), "a plain one takes what is there");
    let explicit = pods().managed_fields(false).trust_versions(true).list_mode(ListMode::Auto);
    let explicit = explicit.any_version(false).storage(Storage::compact()).resync(Duration::ZERO);
    assert!(same(&first, &factory.informer_with(explicit).unwrap()), "the defaults, by name");
}

#[tokio::test]
async fn option_without_effect_is_refused() {
    let server = ApiServer::new();
    let client = server.client();
    let factory = SharedInformerFactory::builder(client).namespace("shop").build();
    let nodes = factory.informer_with(InformerSpec::<Node>::new()).unwrap();
    assert_eq!(nodes.collection().namespace, None, "the factory's namespace is for others");
    let error = factory.informer_with(InformerSpec::<Node>::new().namespace("shop")).unwrap_err();
    assert!(matches!(&error, SpecError::NoEffect { option: "namespace", .. }), "{error:?}");
    assert!(error.to_string().contains("nodes has no effect: the kind is cluster-scoped"));
    let spec = pods().namespace("shop");
    let error = factory.in_namespaces_with(["shop", "bank"], &spec).unwrap_err();
    assert!(error.to_string().starts_with("the option namespace of pods has no effect"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn any_limit_of_concurrent_lists_is_taken() {
    for lists in [0, usize::MAX] {
        let server = ApiServer::new();
        let builder = SharedInformerFactory::builder(server.client());
        let factory = builder.max_concurrent_lists(lists).build();
        factory.informer::<ConfigMap>();
        factory.start().unwrap();
        factory.wait_for_sync(Duration::from_secs(10)).await.unwrap();
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn stopped_informer_leaves_and_its_store_is_freed() {
    let server = ApiServer::new();
    server.create(&map_in("shop", "a")).unwrap();
    let factory = factory(&server);
    let maps = factory.informer::<ConfigMap>();
    let pods = factory.informer::<Pod>();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    let object: Weak<ConfigMap> = Arc::downgrade(&maps.lister().all()[0]);
    maps.shutdown().await;
    let left = factory.status();
    assert_eq!(left.informers.len(), 1, "{left:?}");
    assert_eq!(&*left.informers[0].collection.resource, "pods");
    assert!(object.upgrade().is_some(), "who holds it can read it");
    drop(maps);
    until("the end of the store", || object.upgrade().is_none()).await;
    assert!(!pods.is_stopped());

    server.create(&map_in("shop", "b")).unwrap();
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    let object: Weak<ConfigMap> = Arc::downgrade(&maps.lister().all()[0]);
    drop(maps);
    factory.shutdown().await;
    factory.shutdown().await;
    until("the end of the store", || object.upgrade().is_none()).await;
    let last = factory.status().informers;
    assert_eq!(last.len(), 2, "the last look at each stays");
    assert!(last.iter().all(|informer| informer.reflector.state == ReflectorState::Stopped));
    assert_eq!(last[0].objects, 2);
    factory.wait_for_sync(SOON).await.unwrap();
    let _anew = factory.informer::<Pod>();
    assert_eq!(factory.status().informers.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn stop_before_sync_fails_only_pending_waits() {
    let server = ApiServer::new();
    let factory = factory(&server);
    let maps = factory.informer::<ConfigMap>();
    let waiting = spawn({
        let factory = factory.clone();
        async move { factory.wait_for_sync(SOON).await }
    });
    sleep(Duration::from_secs(1)).await;
    maps.shutdown().await;
    let error = waiting.await.unwrap().unwrap_err();
    assert!(error.to_string().ends_with("configmaps was stopped"), "{error}");

    let _pods = factory.informer::<Pod>();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();

    let again = factory.informer::<ConfigMap>();
    maps.shutdown().await;
    again.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    assert!(again.has_synced() && factory.status().informers.len() == 2);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn shutdown_waits_for_what_is_being_stopped() {
    let server = ApiServer::new();
    let factory = factory(&server);
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    assert!(maps.shutdown().now_or_never().is_none(), "its tasks have not seen it yet");
    assert!(factory.status().informers.is_empty());
    factory.shutdown().await;
    assert!(maps.shutdown().now_or_never().is_some(), "no task is left");
}

#[tokio::test(start_paused = true)]
async fn group_says_which_namespaces_it_has_and_lacks() {
    let server = ApiServer::new();
    server.create(&map_in("shop", "a")).unwrap();
    forbid(&server, "/namespaces/bank/");
    let factory = factory(&server);
    let maps = factory.in_namespaces::<ConfigMap>(["shop", "bank"]);
    let key = |namespace: &str| ObjectKey::namespaced(namespace, "a").unwrap();
    assert!(maps.holds(&key("shop")) && maps.holds(&key("bank")) && !maps.holds(&key("mail")));
    maps.start().unwrap();
    let error = maps.wait_for_sync(SOON).await.unwrap_err();
    assert!(maps.get_by_key(&key("shop")).is_ok());
    assert!(error.to_string().contains("configmaps in bank") && error.unsynced.len() == 1);
    let missing = maps.unsynced();
    assert_eq!(missing[0].collection.namespace.as_deref(), Some("bank"));
    let (why, _) = missing[0].last_error.as_ref().unwrap();
    assert!(why.to_string().contains("403 Forbidden"), "{why}");

    let (synced, ()) = tokio::join!(maps.wait_for_sync(10 * SOON), async {
        sleep(SOON).await;
        server.stop_intercepting();
    });
    synced.unwrap();
    factory.shutdown().await;
}

/// Runs in a thread of its own, so that a deadlock fails and does not hang.
fn in_time(work: impl FnOnce() + Send + 'static) {
    let (done, over) = channel();
    std::thread::spawn(move || {
        work();
        done.send(()).unwrap();
    });
    over.recv_timeout(4 * SOON).expect("neither a panic nor a deadlock");
}

async fn answered(server: &ApiServer) -> u16 {
    let request = http::Request::get("/version").body(http_body_util::Empty::new()).unwrap();
    server.handle::<http_body_util::Empty<bytes::Bytes>>(request).await.status().as_u16()
}

#[test]
fn intercepting_closure_may_replace_and_remove_itself() {
    struct Calls(ApiServer);
    impl Drop for Calls {
        fn drop(&mut self) {
            // The closure's end is user code, too.
            self.0.stop_intercepting();
        }
    }
    in_time(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let server = ApiServer::new();
            let within = Calls(server.clone());
            server.intercept(move |_| {
                let server = &within.0;
                // A request of the closure's own is answered by the server.
                let own = answered(server).now_or_never().unwrap();
                assert_eq!(own, 200);
                let last = server.clone();
                server.intercept(move |_| {
                    last.stop_intercepting();
                    Some(refusal(403, "Forbidden", "not yours"))
                });
                Some(refusal(403, "Forbidden", "not yours"))
            });
            assert_eq!(answered(&server).await, 403, "by the first");
            // The rest of the first ends with its call, and ends the second, too.
            assert_eq!(answered(&server).await, 200);
            let last = server.clone();
            server.intercept(move |_| {
                last.stop_intercepting();
                Some(refusal(403, "Forbidden", "not yours"))
            });
            assert_eq!((answered(&server).await, answered(&server).await), (403, 200));
        });
    });
}

/// Stores more changes than the queue and a full tap take.
async fn flood(server: &ApiServer) {
    for n in 0..9_500 {
        server.create(&map_in("shop", &format!("map-{n}"))).unwrap();
        if n % 50 == 0 {
            sleep(Duration::from_millis(1)).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn relist_that_cannot_be_stored_keeps_no_list_waiting() {
    let server = ApiServer::new();
    let factory = SharedInformerFactory::builder(server.client()).max_concurrent_lists(1).build();
    let maps = factory.informer::<ConfigMap>();
    let pods = factory.informer::<Pod>();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    let (_tap, _) = maps.tap("full", 1).unwrap();
    for name in ["a", "b", "c", "d", "e"] {
        server.create(&map_in("shop", name)).unwrap();
        sleep(Duration::from_millis(100)).await;
    }
    server.drop_connections();
    flood(&server).await;
    server.compact();
    sleep(SOON).await;
    server.drop_connections();
    server.create(&Pod { metadata: map_in("shop", "p").metadata, ..Pod::default() }).unwrap();
    server.compact();
    sleep(Duration::from_secs(900)).await;
    assert!(maps.status().held_up_by.is_some());
    assert_eq!(pods.snapshot().len(), 1, "{:?}", pods.status().reflector.state);
}

#[tokio::test(start_paused = true)]
async fn watch_that_cannot_be_stored_gives_its_turn_to_list_away() {
    let (server, faults) = (ApiServer::new(), Faults::new());
    let builder = SharedInformerFactory::builder(faults.client(server.client()));
    let factory = builder.max_concurrent_lists(1).build();
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    let (_tap, _) = maps.tap("full", 1).unwrap();
    let slow = || Injection::delay(Duration::from_secs(20));
    faults.inject(Requests::lists().to("/pods"), slow());
    faults.inject(Requests::streaming_lists().to("/pods"), slow());
    let _pods = factory.informer::<Pod>();
    factory.start().unwrap();
    sleep(Duration::from_secs(1)).await;
    // It queues for the permit that the list of pods has.
    let demanding = maps.clone();
    let _demand = tokio::spawn(async move {
        demanding.list_past(ReadBarrier::now(), Duration::from_secs(36_000)).await
    });
    sleep(Duration::from_secs(1)).await;
    flood(&server).await;
    sleep(Duration::from_secs(60)).await;
    assert!(maps.status().held_up_by.is_some());
    let nodes = factory.informer::<Node>();
    factory.start().unwrap();
    nodes.wait_for_sync(Duration::from_secs(600)).await.unwrap();
}
