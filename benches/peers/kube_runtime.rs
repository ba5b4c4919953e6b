//! kube-runtime's watcher with a reflector's store. It has no shared handlers of its own without
//! its unstable features, so they are what its users write: a channel and a task for each.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::reflector::{self, Store};
use kube::runtime::watcher::{self, Event, watcher};
use kube::runtime::{WatchStreamExt, reflector as reflect};
use kube::{Api, Client};
use parking_lot::Mutex;
use tokio::sync::mpsc::{self, UnboundedSender};

use crate::session::{Peer, Seen, note};

type Handlers = Arc<Mutex<Vec<UnboundedSender<Arc<Pod>>>>>;

struct KubeRuntime {
    client: Client,
    config: watcher::Config,
    strip: bool,
    store: Option<Store<Pod>>,
    handlers: Handlers,
    /// The number of first states that came.
    lists: Arc<AtomicU64>,
    told: Arc<AtomicU64>,
}

/// A reflector of whole pods: by streaming list, or by an unpaged list at version 0.
pub(crate) fn peer(client: Client, storage: &str, streaming: bool) -> Box<dyn Peer> {
    let config = watcher::Config::default();
    let config = if streaming { config.streaming_lists() } else { config.any_semantic() };
    let strip = match storage {
        "whole" => false,
        "stripped" => true,
        other => panic!("--storage {other}"),
    };
    Box::new(KubeRuntime {
        client,
        config,
        strip,
        store: None,
        handlers: Handlers::default(),
        lists: Arc::default(),
        told: Arc::default(),
    })
}

impl Peer for KubeRuntime {
    fn sync(&mut self) -> BoxFuture<'_, ()> {
        async {
            let (store, writer) = reflector::store();
            let pods = watcher(Api::<Pod>::all(self.client.clone()), self.config.clone());
            let pods = pods.default_backoff();
            let strip = self.strip;
            let pods = pods.map(move |event| match event {
                Ok(Event::Apply(mut pod)) if strip => {
                    pod.metadata.managed_fields = None;
                    Ok(Event::Apply(pod))
                }
                Ok(Event::InitApply(mut pod)) if strip => {
                    pod.metadata.managed_fields = None;
                    Ok(Event::InitApply(pod))
                }
                other => other,
            });
            let pods = reflect(writer, pods);
            let (handlers, lists) = (self.handlers.clone(), self.lists.clone());
            tokio::spawn(async move {
                let mut pods = std::pin::pin!(pods);
                while let Some(event) = pods.next().await {
                    match event {
                        Ok(Event::InitDone) => _ = lists.fetch_add(1, Ordering::Relaxed),
                        Ok(Event::Apply(pod)) => {
                            let pod = Arc::new(pod);
                            for handler in &*handlers.lock() {
                                // A handler lives as long as the process.
                                let _ = handler.send(pod.clone());
                            }
                        }
                        // Errors of broken watches are part of the relist.
                        _ => {}
                    }
                }
            });
            store.wait_until_ready().await.unwrap();
            self.store = Some(store);
        }
        .boxed()
    }

    fn len(&self) -> usize {
        self.store.as_ref().map_or(0, Store::len)
    }

    fn listed(&self) -> u64 {
        // It keeps its version to itself; the second first state is the relist.
        if self.lists.load(Ordering::Relaxed) > 1 { u64::MAX } else { 0 }
    }

    fn add_handler(&mut self, seen: Seen) -> BoxFuture<'_, ()> {
        let (sender, mut pods) = mpsc::unbounded_channel::<Arc<Pod>>();
        let told = self.told.clone();
        tokio::spawn(async move {
            while let Some(pod) = pods.recv().await {
                note(&seen, pod.metadata.resource_version.as_ref());
                told.fetch_add(1, Ordering::Relaxed);
            }
        });
        self.handlers.lock().push(sender);
        async {}.boxed()
    }

    fn told(&self) -> (u64, u64) {
        (self.told.load(Ordering::Relaxed), 0)
    }
}
