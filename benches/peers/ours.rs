//! This crate's informer: pods as it keeps them by default, views of these, decoded pods, whole
//! pods, compact storage, a slim struct, metadata alone.
//!
//! In compact storage handlers take events as the cache holds them, which say of an object what
//! they are asked here; a row beside it is for those that read old and new object. Where objects
//! are not decoded on arrival, the index says at which field it looks.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::Pod;
use kube::api::ObjectMeta;
use kube::core::PartialObjectMeta;
use kube::{Client, Resource};
use kube_informer::reflector::{ListMode, ReflectorOptions};
use kube_informer::transport::ApiSource;
use kube_informer::{Event, HandlerRegistration, InformerOptions, SharedInformer, Storage};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::session::{Peer, Seen, note};
use crate::views::{Address, Placement, Turn};

/// The fields that a controller keeps if it follows pods to their nodes.
#[derive(Clone, Debug, Deserialize, Resource)]
#[resource(inherit = Pod)]
pub(crate) struct SlimPod {
    metadata: ObjectMeta,
    spec: SlimSpec,
    #[serde(default)]
    #[expect(dead_code, reason = "kept, not read")]
    status: SlimStatus,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SlimSpec {
    node_name: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct SlimStatus {
    phase: Option<String>,
    pod_ip: Option<String>,
}

/// An object with the value that the index extracts, if it has one.
trait OnNode {
    fn node(&self) -> Option<String>;
}

impl OnNode for Pod {
    fn node(&self) -> Option<String> {
        self.spec.as_ref()?.node_name.clone()
    }
}

impl OnNode for SlimPod {
    fn node(&self) -> Option<String> {
        self.spec.node_name.clone()
    }
}

impl OnNode for PartialObjectMeta<Pod> {
    fn node(&self) -> Option<String> {
        None
    }
}

struct Ours<K> {
    informer: SharedInformer<K>,
    /// Handlers read the objects.
    reads: bool,
    handlers: Vec<HandlerRegistration>,
    /// Views that are read as often.
    beside: Vec<Box<dyn Peer>>,
}

/// The request for pods, and the storage to measure.
struct SourceRequest<'a> {
    client: Client,
    media: &'a str,
    streaming: bool,
    gzip: bool,
    /// The name of the storage in the printed lines.
    what: &'a str,
}

/// An informer that keeps this of each pod.
pub(crate) fn peer(
    client: Client,
    what: &str,
    media: &str,
    streaming: bool,
    gzip: bool,
) -> Box<dyn Peer> {
    let asking = SourceRequest { client, media, streaming, gzip, what };
    let reads = !what.starts_with("compact") || what.ends_with("objects read");
    match what {
        "default" | "default, mimalloc" | "default, reading" => {
            boxed(make::<Pod>(asking, Storage::default()), reads)
        }
        "view" | "view, reading" => {
            let pods = make::<Pod>(asking, Storage::default());
            boxed(pods.view::<Placement>().unwrap(), reads)
        }
        "three views" => {
            let pods = make::<Pod>(asking, Storage::default());
            let mut peer = Ours::new(pods.view::<Placement>().unwrap(), reads);
            peer.beside.push(boxed(pods.view::<Address>().unwrap(), reads));
            peer.beside.push(boxed(pods.view::<Turn>().unwrap(), reads));
            Box::new(peer)
        }
        "decoded" | "decoded, reading" | "whole" => {
            boxed(make::<Pod>(asking, Storage::decoded()), reads)
        }
        "compact" | "compact, objects read" => {
            boxed(make::<Pod>(asking, Storage::compact()), reads)
        }
        "compact, unread" => {
            let storage = Storage::compact().check_on_arrival(false);
            boxed(make::<Pod>(asking, storage), reads)
        }
        "slim" => boxed(make::<SlimPod>(asking, Storage::decoded()), reads),
        "metadata" => boxed(make::<PartialObjectMeta<Pod>>(asking, Storage::decoded()), reads),
        other => panic!("--storage {other}"),
    }
}

fn make<K>(asking: SourceRequest<'_>, storage: Storage<K>) -> SharedInformer<K>
where
    K: Resource<DynamicType = ()> + DeserializeOwned + OnNode + Send + Sync + 'static,
{
    let SourceRequest { client, media, streaming, gzip, what } = asking;
    let mut source = ApiSource::<K>::new(client).managed_fields(what == "whole").gzip(gzip);
    if media == "json" {
        source = source.json_only();
    }
    let mode = if streaming { ListMode::Streaming } else { ListMode::Plain };
    let reflector = ReflectorOptions::new().list_mode(mode);
    let options = InformerOptions::new().reflector(reflector).storage(storage);
    let informer = SharedInformer::new(Arc::new(source), options);
    // It names its field, so that objects are not decoded for it.
    informer.add_index_on("node", ["spec.nodeName"], K::node).unwrap();
    informer
}

impl<K> Ours<K> {
    fn new(informer: SharedInformer<K>, reads: bool) -> Self {
        Self { informer, reads, handlers: Vec::new(), beside: Vec::new() }
    }
}

fn boxed<K>(informer: SharedInformer<K>, reads: bool) -> Box<dyn Peer>
where
    K: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static,
{
    Box::new(Ours::new(informer, reads))
}

impl<K> Peer for Ours<K>
where
    K: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static,
{
    fn sync(&mut self) -> BoxFuture<'_, ()> {
        async {
            self.informer.start().unwrap();
            self.informer.wait_for_sync(Duration::from_secs(600)).await.unwrap();
        }
        .boxed()
    }

    fn len(&self) -> usize {
        self.informer.lister().len()
    }

    fn listed(&self) -> u64 {
        let version = self.informer.snapshot().version().map(ToString::to_string);
        version.and_then(|version| version.parse().ok()).unwrap_or(0)
    }

    fn add_handler(&mut self, seen: Seen) -> BoxFuture<'_, ()> {
        async move {
            let registration = if self.reads {
                self.informer.on_event(move |event: Event<K>| {
                    note(&seen, event.object().meta().resource_version.as_ref());
                })
            } else {
                self.informer.on_cached_event(move |_, event| {
                    let version = event.object().version().map(|version| version.to_string());
                    note(&seen, version.as_ref());
                })
            };
            let registration = registration.unwrap();
            registration.wait_for_sync().await;
            self.handlers.push(registration);
        }
        .boxed()
    }

    fn told(&self) -> (u64, u64) {
        let statuses = self.handlers.iter().map(HandlerRegistration::status);
        statuses.fold((0, 0), |(told, merged), status| {
            (told + status.delivered, merged + status.merged)
        })
    }

    fn read(&self, one_in: usize, most: usize) -> usize {
        for view in &self.beside {
            view.read(one_in, most);
        }
        let snapshot = self.informer.snapshot();
        if one_in == 1 {
            let named = |pod: &Arc<K>| black_box(pod).meta().name.is_some();
            return snapshot.iter().take(most).filter(|(_, pod)| named(pod)).count();
        }
        let keys = snapshot.iter_cached().take(most).map(|(key, _)| key);
        keys.skip(one_in - 1).step_by(one_in).filter_map(|key| snapshot.get(key)).count()
    }
}
