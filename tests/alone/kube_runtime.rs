//! The memory of a store of kube-runtime that an informer feeds, beside each of both.

use std::future::ready;

use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::runtime::reflector::{self, reflector};
use kube::runtime::{WatchStreamExt, watcher};
use kube_informer::SharedInformerFactory;
use kube_informer::testing::ApiServer;
use tokio::time::{Duration, sleep};

use crate::in_use;
use crate::slim_cache::example;

const PODS: usize = 300;

/// Waits until what was read a while ago is packed again.
async fn settled() -> usize {
    sleep(Duration::from_secs(200)).await;
    in_use()
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
pub(crate) async fn fed_store_costs_a_second_cache() {
    let server = ApiServer::new();
    for n in 0..PODS {
        server.create(&example::pod(n).unwrap()).unwrap();
    }
    let each = |before: usize, after: usize| after.saturating_sub(before) / PODS;

    let before = settled().await;
    let (store, writer) = reflector::store();
    let pods = watcher(Api::<Pod>::all(server.client()), watcher::Config::default());
    let running = reflector(writer, pods.default_backoff()).for_each(|_| ready(()));
    let running = tokio::spawn(running);
    store.wait_until_ready().await.unwrap();
    let theirs = each(before, settled().await);
    running.abort();
    drop(store);

    let before = settled().await;
    let factory = SharedInformerFactory::builder(server.client()).build();
    let pods = factory.informer::<Pod>();
    factory.start().unwrap();
    factory.wait_for_sync(Duration::from_secs(30)).await.unwrap();
    let ours = each(before, settled().await);
    let (store, writer) = reflector::store();
    let events = pods.events().unwrap().into_watcher();
    let running = tokio::spawn(reflector(writer, events).for_each(|_| ready(())));
    store.wait_until_ready().await.unwrap();
    let fed = each(before, settled().await);
    println!("bytes for each pod: kube-runtime {theirs}, informer {ours}, both by feeding {fed}");
    assert_eq!((store.len(), pods.lister().len()), (PODS, PODS));
    assert!(ours * 6 < theirs, "an informer alone is far smaller");
    // An informer leaves managedFields out, so what it feeds is smaller than what a watcher stores.
    assert!(fed < theirs, "both caches together");
    running.abort();
    factory.shutdown().await;
}
