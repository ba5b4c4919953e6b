//! The waits, indexes, conflicts and the end of sets of informers.

use std::sync::mpsc;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer::{InformerSpec, SharedInformerFactory};
use parking_lot::Mutex;
use tokio::time::{Instant, sleep};

use crate::definitions::{Widget, definition, definition_of};
use crate::helpers::{S, factory, factory_of, map_in, until};
use crate::namespaces::namespace;
use crate::references::{key, named, tasks};
use crate::watches::Watches;

const SOON: std::time::Duration = S.saturating_mul(30);

fn name_of(map: &ConfigMap) -> Option<String> {
    map.metadata.name.clone()
}

#[tokio::test(start_paused = true)]
async fn index_that_another_holder_adds_is_read() {
    let server = ApiServer::new();
    for name in ["bank", "shop", "zoo"] {
        server.create(&namespace(name, true)).unwrap();
        server.create(&map_in(name, "a")).unwrap();
    }
    let factory = factory(&server);
    let kept = factory.informer_with(InformerSpec::new().namespace("shop")).unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    let (calls, called) = mpsc::channel();
    let (open, gate) = mpsc::channel::<()>();
    let gate = Mutex::new(gate);
    let adding = std::thread::spawn(move || {
        let values = move |map: &ConfigMap| {
            calls.send(()).unwrap();
            // Returns when the sender is dropped.
            let _open = gate.lock().recv();
            name_of(map)
        };
        kept.add_index("name", values).map(drop).unwrap();
        kept
    });
    called.recv().unwrap();
    let maps = factory.in_namespaces_where("tenant=true", InformerSpec::new()).unwrap();
    maps.start().unwrap();
    maps.wait_for_sync(SOON).await.unwrap();
    let by_name = maps.add_index("name", name_of).unwrap();
    assert_eq!(by_name.keys("a"), [key("bank/a"), key("zoo/a")], "not complete in shop");
    drop(open);
    let _kept = adding.join().unwrap();
    assert_eq!(by_name.keys("a"), [key("bank/a"), key("shop/a"), key("zoo/a")]);
}

#[tokio::test(start_paused = true)]
async fn index_does_not_keep_its_set() {
    let server = ApiServer::new();
    server.create(&namespace("shop", true)).unwrap();
    server.create(&map_in("shop", "a")).unwrap();
    let watches = Watches::default();
    let factory = factory_of(watches.count(server.client()));
    let maps = factory.in_namespaces_where("tenant=true", InformerSpec::new()).unwrap();
    let by_name = maps.add_index("name", name_of).unwrap();
    maps.start().unwrap();
    maps.wait_for_sync(SOON).await.unwrap();
    assert_eq!(by_name.len("a"), 1);
    drop(maps);
    until("the end", || watches.open() == 0 && factory.status().informers.is_empty()).await;
    assert_eq!(by_name.len("a"), 0);
}

#[tokio::test(start_paused = true)]
async fn wait_ends_when_a_namespace_leaves() {
    let server = ApiServer::new();
    for name in ["bank", "shop"] {
        server.create(&namespace(name, true)).unwrap();
    }
    let faults = Faults::new();
    faults.inject(Requests::lists().to("/bank/"), Injection::delay(1_000 * S));
    let factory = factory_of(faults.client(server.client()));
    let spec = InformerSpec::<ConfigMap>::new();
    let maps = factory.in_namespaces_where("tenant=true", spec).unwrap();
    maps.start().unwrap();
    let leave = async {
        sleep(2 * S).await;
        server.replace(&namespace("bank", false)).unwrap();
    };
    let (synced, ()) = tokio::join!(maps.wait_for_sync(60 * S), leave);
    synced.unwrap();
}

#[tokio::test(start_paused = true)]
async fn wait_ends_when_a_kind_leaves() {
    let server = ApiServer::new();
    let gadget = definition_of("gadgets", "Gadget", &[("v1", true)], "size");
    server.create(&definition(&[("v1", true)])).unwrap();
    server.create(&gadget).unwrap();
    let faults = Faults::new();
    faults.inject(Requests::lists().to("gadgets"), Injection::delay(1_000 * S));
    let factory = factory_of(faults.client(server.client()));
    let kinds = factory.kinds_metadata(|kind| kind.group == "example.com");
    kinds.start().unwrap();
    let leave = async {
        sleep(4 * S).await;
        server.delete(&gadget).unwrap();
    };
    let (synced, ()) = tokio::join!(kinds.wait_for_sync(60 * S), leave);
    synced.unwrap();
}

#[tokio::test(start_paused = true)]
async fn wait_ends_when_a_reference_leaves_before_it_joins() {
    let server = ApiServer::new();
    let factory = factory(&server);
    let secrets = factory.referenced::<Secret>();
    let _kept = secrets.reference(key("shop/a"));
    secrets.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    let brief = secrets.reference(key("shop/b"));
    let began = Instant::now();
    let mut wait = Box::pin(secrets.wait_for_sync(SOON));
    assert!(futures::poll!(&mut wait).is_pending());
    drop(brief);
    wait.await.unwrap();
    assert!(began.elapsed() < S);
}

#[tokio::test(start_paused = true)]
async fn feeder_without_its_kind_holds_up_no_wait() {
    let server = ApiServer::new();
    let factory = factory(&server);
    let widgets = factory.informer_with(InformerSpec::<Widget>::new().when_served()).unwrap();
    let maps = factory.informer::<ConfigMap>();
    let secrets = factory.referenced::<Secret>();
    secrets.feed_from(&maps, named).unwrap();
    secrets.feed_from(&widgets, |_: &Widget| [key("shop/a")]).unwrap();
    factory.start().unwrap();
    secrets.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn conflict_ends_with_the_other_holder() {
    let server = ApiServer::new();
    server.create(&namespace("shop", true)).unwrap();
    server.create(&map_in("shop", "a")).unwrap();
    let factory = factory(&server);
    let spec = InformerSpec::<ConfigMap>::new();
    let other = factory.interest(spec.clone().namespace("shop").page_size(7)).unwrap();
    let maps = factory.in_namespaces_where("tenant=true", spec.page_size(9)).unwrap();
    maps.start().unwrap();
    maps.wait_for_sync(SOON).await.unwrap();
    assert_eq!(maps.conflicts().len(), 1);
    drop(other);
    until("the end of the conflict", || maps.conflicts().is_empty()).await;
    until("the object", || maps.group().len() == 1).await;
}

#[tokio::test(start_paused = true)]
async fn sets_end_with_their_factory() {
    let server = ApiServer::new();
    server.create(&namespace("shop", true)).unwrap();
    server.create(&definition(&[("v1", true)])).unwrap();
    let watches = Watches::default();
    let factory = SharedInformerFactory::builder(watches.count(server.client())).build();
    let before = tasks();
    let secrets = factory.referenced::<Secret>().by_namespace();
    let _held = ["shop/a", "shop/b"].map(|name| secrets.reference(key(name)));
    let spec = InformerSpec::<ConfigMap>::new();
    let maps = factory.in_namespaces_where("tenant=true", spec).unwrap();
    let kinds = factory.kinds_metadata(|kind| kind.group == "example.com");
    secrets.start().unwrap();
    maps.start().unwrap();
    kinds.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    maps.wait_for_sync(SOON).await.unwrap();
    kinds.wait_for_sync(SOON).await.unwrap();
    until("the informer of the namespace", || secrets.status().len() == 1).await;
    factory.shutdown().await;
    assert_eq!((tasks(), watches.open()), (before, 0));
    let requests = server.requests().len();
    let late = secrets.reference(key("bank/late"));
    server.create(&namespace("bank", true)).unwrap();
    sleep(600 * S).await;
    assert_eq!(server.requests().len(), requests, "nothing is requested after the shutdown");
    assert!(secrets.wait_for_sync(S).await.is_err(), "{late:?} is not known");
    assert!(maps.group().informers().iter().all(kube_informer::SharedInformer::is_stopped));
}
